"""The requests on a persona's home and layers: names, types and help, the same on every face."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from clew.kernel.operations import field

Strings = list[str]
Persona = Annotated[
    str | None,
    field("哪一个人格：名字或文件夹；默认就近或唯一的那个",
          "which persona: its name or folder; by default the nearest or only one",
          metavar="NAME"),
]  # fmt: skip
HomeFolder = Annotated[str | None, field("家的文件夹", "the folder of its home", metavar="DIR")]
Zone = Annotated[
    str | None, field("时区（IANA 名字）", "its time zone (an IANA name)", metavar="ZONE")
]
Due = Annotated[
    str | None,
    field("到哪一天（人格的日历日）", "by which civil date", metavar="YYYY-MM-DD"),
]
Window = Annotated[str, field("哪个窗口（会话）", "the window (session)", metavar="ID")]
What = Annotated[
    str | None,
    field(
        "正文，或编号（意图 I、念头 T、悬挂 H 共用一个计数：T1 之后是 I2）",
        "a text, or an id (intents I, thoughts T, hanging items H share one counter: after T1 comes I2)",
        positional=True,
        metavar="TEXT|ID",
    ),
]
Outcome = Annotated[str, field("结果怎样", "how it came out", metavar="TEXT")]


class OnPersona(msgspec.Struct, kw_only=True):
    """A request that concerns one persona."""

    persona: Persona = None
    home: HomeFolder = None


class PersonaInit(msgspec.Struct, kw_only=True):
    name: Annotated[
        str | None,
        field("名字，也是家的文件夹名", "its name, and that of its folder", positional=True,
              metavar="NAME"),
    ] = None  # fmt: skip
    zone: Zone = None
    card: Annotated[
        str | None,
        field("从这张角色卡出生（文件，或书库里的卡）",
              "born from this character card (a file, or a card of the library)",
              metavar="FILE|CARD"),
    ] = None  # fmt: skip
    person: Annotated[
        str,
        field("卡里的 {{user}} 是谁", "who the card's {{user}} is", metavar="NAME"),
    ] = ""  # fmt: skip
    host: Annotated[
        Literal["claude", "codex", "gemini", "other"], field("由谁承载", "what carries it")
    ] = "claude"
    home: HomeFolder = None


class PersonaAdopt(OnPersona, kw_only=True):
    folder: Annotated[
        str,
        field("已有文件所在的文件夹（只读它）", "the folder with what is there (read only)",
              positional=True, metavar="DIR"),
    ]  # fmt: skip
    name: Annotated[
        str | None,
        field("还没有家时：名字", "where there is no home yet: its name", metavar="NAME"),
    ] = None
    zone: Zone = None
    map: Annotated[
        Strings,
        field("指明什么是什么（可多次）：identity|voice|refusals|diary|transcripts|skip=相对路径",
              "say what is what (repeatable): identity|voice|refusals|diary|transcripts|skip=PATH",
              metavar="ROLE=PATH"),
    ] = msgspec.field(default_factory=list)  # fmt: skip
    apply: Annotated[
        bool, field("真的复制（不写就只显示）", "copy (without it, only show what would be)")
    ] = False


class PersonaStatus(OnPersona, kw_only=True):
    all: Annotated[bool, field("列出书库里所有人格", "list every persona of the library")] = False


class PersonaOpening(OnPersona, kw_only=True):
    bytes: Annotated[
        int | None, field("最多多少字节（UTF-8）", "at most so many bytes (UTF-8)", metavar="N")
    ] = None
    tokens: Annotated[
        int | None,
        field("最多多少 token（估算）", "at most so many tokens (estimated)", metavar="N"),
    ] = None
    window: Window = ""
    text: Annotated[bool, field("只输出卡片本身", "print the card itself")] = False


class PersonaCheck(OnPersona, kw_only=True):
    mend: Annotated[
        bool,
        field(
            "修复能修复的（被替换的都留档）", "mend what can be mended (what it replaces is kept)"
        ),
    ] = False
    accept_loss: Annotated[
        bool,
        field(
            "与 --mend 一起：认下丢失的日志行和日记，按剩下的重建",
            "with --mend: accept that log lines and diary pages are lost, and build on what is left",
        ),
    ] = False


class PersonaExport(OnPersona, kw_only=True):
    out: Annotated[
        str, field("写到这个 zip 文件", "the zip file to write", positional=True, metavar="FILE")
    ]
    redact: Annotated[
        bool,
        field("脱敏：只留结构、数字与日期", "redacted: structure, numbers and dates only"),
    ] = False


class PersonaIntent(OnPersona, kw_only=True):
    action: Annotated[
        Literal["add", "done", "drop", "list"], field("做什么", "what to do", positional=True)
    ]
    what: What = None
    due: Due = None
    thought: Annotated[
        str, field("由哪个念头来", "the thought that it grows out of", metavar="ID")
    ] = ""
    outcome: Outcome = ""
    source: Annotated[str, field("从哪里来", "where it comes from", metavar="SOURCE")] = ""
    all: Annotated[bool, field("也列已了结的", "list closed ones, too")] = False


class PersonaThought(OnPersona, kw_only=True):
    action: Annotated[
        Literal["add", "drop", "list"], field("做什么", "what to do", positional=True)
    ]
    what: What = None
    outcome: Outcome = ""
    source: Annotated[str, field("从哪里来", "where it comes from", metavar="SOURCE")] = ""
    all: Annotated[
        bool,
        field("也列已成为意图的和放下的", "list those that became intents or were let go, too"),
    ] = False


class PersonaHang(OnPersona, kw_only=True):
    action: Annotated[
        Literal["add", "done", "list"], field("做什么", "what to do", positional=True)
    ]
    what: What = None
    due: Due = None
    window: Window = ""
    outcome: Outcome = ""
    all: Annotated[bool, field("也列已了结的", "list closed ones, too")] = False


class PersonaDiary(OnPersona, kw_only=True):
    action: Annotated[Literal["write", "show"], field("做什么", "what to do", positional=True)]
    what: Annotated[
        str | None,
        field("写的正文；或要看的日期", "the text to write; or the date to show", positional=True,
              metavar="TEXT|DATE"),
    ] = None  # fmt: skip
    file: Annotated[
        str | None, field("从这个文件读正文", "read the text from this file", metavar="FILE")
    ] = None
    window: Window = ""
    days: Annotated[int, field("看最近几天", "how many of the last days", metavar="N")] = 1


class PersonaMood(OnPersona, kw_only=True):
    action: Annotated[
        Literal["show", "set", "raise", "lower"], field("做什么", "what to do", positional=True)
    ] = "show"
    value: Annotated[
        str | None,
        field("0 到 1 的数：设为多少，或推动多少", "a number 0..1: what it becomes, or how far it moves",
              positional=True, metavar="VALUE"),
    ] = None  # fmt: skip
    cause: Annotated[
        str,
        field("因为什么（改变时必须写）", "because of what (needed for a change)", metavar="TEXT"),
    ] = ""
    source: Annotated[
        str,
        field("原因从哪里来：person、self、event:e12 …",
              "where the cause comes from: person, self, event:e12 …", metavar="SOURCE"),
    ] = ""  # fmt: skip
    window: Window = ""
    hours: Annotated[
        int, field("曲线画最近几小时", "how many hours the curve covers", metavar="N")
    ] = 48


class PersonaVoice(OnPersona, kw_only=True):
    action: Annotated[Literal["add", "list"], field("做什么", "what to do", positional=True)]
    what: Annotated[
        str | None, field("原话", "what was really said", positional=True, metavar="TEXT")
    ] = None
    source: Annotated[str, field("哪里说的", "where it was said", metavar="TEXT")] = ""


class PersonaRefusal(OnPersona, kw_only=True):
    action: Annotated[
        Literal["list", "today", "add", "answer", "curve"],
        field("做什么", "what to do", positional=True),
    ]
    refusal: Annotated[
        str | None,
        field(
            "拒绝的编号；add：它不做什么",
            "the id of a refusal; add: what it does not do",
            positional=True,
            metavar="ID|TEXT",
        ),
    ] = None
    probe: Annotated[
        str,
        field(
            "add：试探它还在不在的问题",
            "add: the question that shows whether it still stands",
            metavar="QUESTION",
        ),
    ] = ""
    text: Annotated[
        str | None, field("对试探问题的回答", "the answer to its probe question", metavar="TEXT")
    ] = None
    held: Annotated[
        Literal["held", "bent", "gave_way"] | None,
        field("守住了、松动了、还是退让了", "whether it held, bent, or gave way"),
    ] = None
    window: Window = ""
    note: Annotated[str, field("为什么这样判", "why it is judged so", metavar="TEXT")] = ""
