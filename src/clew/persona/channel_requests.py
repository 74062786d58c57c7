"""The requests on a persona's channels, windows, archive and memory."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

import msgspec

from clew.kernel.operations import field
from clew.persona.requests import OnPersona

Window = Annotated[
    str, field("哪个窗口（宿主的会话标识）", "the window (its host's session id)", metavar="ID")
]
Words = Annotated[str | None, field("要写的话", "what to write", positional=True, metavar="TEXT")]
Limit = Annotated[
    int, field("最近几条（1..10000）", "how many of the last ones (1..10000)", metavar="N")
]
Since = Annotated[int, field("只看这个编号之后的", "only those after this number", metavar="N")]
Do = Literal["read", "write"]
Kind = Literal["transcript", "diary", "board", "baton", "stream"]
KINDS: Final = get_args(Kind)
Action = Annotated[
    Do,
    field("读（不写就是读）还是写", "read (also where nothing is said) or write", positional=True),
]


class OnChannels(OnPersona, kw_only=True):
    pass


class OnBoard(OnPersona, kw_only=True):
    action: Action = "read"
    text: Words = None
    by: Annotated[
        str,
        field(
            "谁留的；人格自己写 persona",
            "who leaves it; the persona itself: persona",
            metavar="WHO",
        ),
    ] = ""
    to: Annotated[
        str,
        field(
            "给谁：persona、某个窗口、在板上留过话或读过的人；不写就是给任何人",
            "for whom: persona, a window, somebody who wrote or read here; not said: for anybody",
            metavar="WHO",
        ),
    ] = ""
    window: Window = ""
    task: Annotated[bool, field("转交一件事", "it hands something over")] = False
    re: Annotated[int, field("答哪一条", "the note that it answers", metavar="N")] = 0
    reader: Annotated[
        str,
        field(
            "以谁的身份读（persona、窗口、人名）：只看没读过的，并记下读到哪",
            "as whom to read (persona, a window, a name): shows what is unread, and remembers how far",
            metavar="WHO",
        ),
    ] = ""
    limit: Limit = 20
    since: Since = 0


class OnBaton(OnPersona, kw_only=True):
    action: Action = "read"
    text: Annotated[
        str | None, field("做到哪", "where it got to", positional=True, metavar="TEXT")
    ] = None
    next: Annotated[str, field("下一步", "what is next", metavar="TEXT")] = ""
    avoid: Annotated[str, field("别重复什么", "what is not to be repeated", metavar="TEXT")] = ""
    window: Window = ""
    limit: Limit = 1


class OnStream(OnPersona, kw_only=True):
    action: Action = "read"
    text: Words = None
    window: Window = ""
    limit: Limit = 20
    since: Since = 0


class OnLive(OnPersona, kw_only=True):
    action: Annotated[
        Do, field("读；或现在就同步（write）", "read; or synchronise now (write)", positional=True)
    ] = "read"
    window: Annotated[
        str,
        field(
            "你在哪个窗口：看别的窗口说了什么，不看它自己的",
            "the window that you are in: shows what was said in the others, not in it",
            metavar="ID",
        ),
    ] = ""
    of: Annotated[
        str, field("只看这个窗口说了什么", "only what was said in this window", metavar="ID")
    ] = ""
    limit: Limit = 20
    since: Since = 0


class OnDigest(OnPersona, kw_only=True):
    action: Annotated[
        Do, field("读；或现在就重写（write）", "read; or render anew (write)", positional=True)
    ] = "read"


class OnReceipts(OnPersona, kw_only=True):
    action: Annotated[
        Literal["read"], field("读（由钩子写入）", "read (hooks write it)", positional=True)
    ] = "read"
    window: Window = ""
    how: Annotated[
        Literal["typed", "injected"] | None,
        field("只看有人键入的，或被塞进来的", "only what a person typed, or what was put in"),
    ] = None
    limit: Limit = 30
    since: Since = 0


class OnWindows(OnPersona, kw_only=True):
    action: Annotated[
        Literal["list", "retire", "revive", "add"], field("做什么", "what to do", positional=True)
    ] = "list"
    id: Annotated[str | None, field("哪个窗口", "the window", positional=True, metavar="ID")] = None
    transcript: Annotated[
        str | None, field("add：它的会话文件", "add: its transcript", metavar="FILE")
    ] = None
    host: Annotated[
        Literal["claude", "codex", "gemini", "other"], field("add：它的宿主", "add: its host")
    ] = "other"
    origin: Annotated[
        str, field("add：由哪个窗口分出来", "add: the window that it was forked from", metavar="ID")
    ] = ""
    all: Annotated[bool, field("也列已退下的", "list retired ones, too")] = False


class OnArchive(OnPersona, kw_only=True):
    action: Annotated[
        Literal["run", "status", "verify"],
        field(
            "归档；看还有几天；逐字节核对",
            "copy; how it stands and what leaves when; read back and compare",
            positional=True,
        ),
    ] = "run"
    folder: Annotated[
        str | None,
        field(
            "也收这个文件夹里的会话文件",
            "also the transcripts in this folder",
            flag="from",
            metavar="DIR",
        ),
    ] = None
    host: Annotated[
        Literal["claude", "codex", "gemini", "other"],
        field("那个文件夹是谁的", "whose that folder is"),
    ] = "other"


class OnIndex(OnPersona, kw_only=True):
    action: Annotated[
        Literal["build", "rebuild", "status"],
        field(
            "更新、从头重建、还是看状态", "bring up to date, make anew, or look", positional=True
        ),
    ] = "build"
    words: Annotated[bool, field("只做词索引，不算向量", "words only, no vectors")] = False


class OnSearch(OnPersona, kw_only=True):
    text: Annotated[str, field("要找的字词", "what to look for", positional=True, metavar="TEXT")]
    kind: Annotated[
        list[Kind],
        field("只找这一类（可多次）", "only this kind (repeatable)"),
    ] = msgspec.field(default_factory=list)
    window: Window = ""
    limit: Annotated[int, field("最多几条", "at most so many", metavar="N")] = 20
    after: Annotated[
        str | None, field("接着上一页", "go on after the last page", metavar="CURSOR")
    ] = None
    words: Annotated[bool, field("只按词，不按意思", "by words only, not by meaning")] = False


class OnGuard(OnPersona, kw_only=True):
    file: Annotated[
        str | None,
        field(
            "看这个会话文件的最后一轮（不写就看所有窗口）",
            "judge the last turn of this transcript (else every window)",
            positional=True,
            metavar="FILE",
        ),
    ] = None


class OnContext(OnPersona, kw_only=True):
    window: Window = ""
    file: Annotated[
        str | None,
        field("量这个会话文件", "measure this transcript", positional=True, metavar="FILE"),
    ] = None
