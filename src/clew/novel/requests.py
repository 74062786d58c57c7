"""The requests of the novel room: field names, types and help, the same on every face."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from clew.kernel.operations import field

Project = Annotated[
    str | None,
    field("书目录；默认取最近的、含 追踪/ 或 正文/ 的上级文件夹",
          "the book folder; by default the nearest one upward that holds 追踪/ or 正文/",
          metavar="DIR"),
]  # fmt: skip
Input = Annotated[str | None, field("事务 JSON 文件", "the JSON file to read", metavar="FILE")]
Document = Annotated[Any, field("事务本身", "the document itself", hidden=True)]
Number = Annotated[int, field("章号", "chapter number", metavar="N")]
MinChars = Annotated[
    int | None, field("作者字数下限（与 --max-chars 同给）", "author's lower bound", metavar="A")
]
MaxChars = Annotated[
    int | None, field("作者字数上限（与 --min-chars 同给）", "author's upper bound", metavar="B")
]
Force = Annotated[bool, field("作者明确拍板", "the author has decided")]


class OnBook(msgspec.Struct, kw_only=True):
    """A request that concerns one book folder."""

    project: Project = None


class InitRequest(OnBook, kw_only=True):
    input: Input = None
    document: Document = None
    from_manuscript: Annotated[
        bool,
        field(
            "从 大纲/ 与 正文/ 写出 init 草稿",
            "write a draft of the init document from 大纲/ and 正文/",
        ),
    ] = False
    new: Annotated[
        str | None,
        field(
            "新书：写出 init 草稿，书名 TITLE",
            "a new book: write a draft of the init document",
            metavar="TITLE",
        ),
    ] = None
    out: Annotated[
        str | None, field("草稿写到哪里", "where to write the draft", metavar="FILE")
    ] = None
    force: Annotated[bool, field("覆盖已有草稿", "replace an existing draft")] = False


class AdoptRequest(OnBook, kw_only=True):
    dry_run: Annotated[bool, field("只说会接管什么", "only say what would be taken over")] = False


class CommitRequest(OnBook, kw_only=True):
    input: Input = None
    document: Document = None


class DraftRequest(OnBook, kw_only=True):
    chapter: Number
    out: Annotated[str | None, field("草稿写到哪里", "where to write it", metavar="FILE")] = None
    force: Annotated[
        bool, field("覆盖别的章或别的模式的草稿", "replace a draft of another chapter or mode")
    ] = False


class BackfillRequest(OnBook, kw_only=True):
    chapter: Annotated[
        int | None,
        field("章号；不给则看进度", "chapter; without it the progress is shown", metavar="N"),
    ] = None
    input: Input = None
    document: Document = None


class RenderRequest(OnBook, kw_only=True):
    prune: Annotated[
        bool,
        field("把不属于账本的文件移到一边（不删除）", "move stray files aside, never delete them"),
    ] = False


class HistoryRequest(OnBook, kw_only=True):
    action: Annotated[
        Literal["list", "repair"],
        field(
            "list 或 repair（断链后重立基线）", "list, or repair a broken chain", positional=True
        ),
    ] = "list"
    character: Annotated[
        str | None, field("只看这个角色", "only what touched this character", metavar="NAME")
    ] = None
    foreshadow: Annotated[
        str | None, field("只看这条伏笔", "only what touched this foreshadow", metavar="ID")
    ] = None


class AtRequest(OnBook, kw_only=True):
    chapter: Annotated[int | None, field("章号", "chapter", positional=True, metavar="N")] = None
    revision: Annotated[int | None, field("修订号", "revision", metavar="R")] = None


class DiffRequest(OnBook, kw_only=True):
    a: Annotated[int, field("前一章", "the earlier chapter", positional=True, metavar="A")]
    b: Annotated[int, field("后一章", "the later chapter", positional=True, metavar="B")]
    revisions: Annotated[bool, field("A、B 是修订号", "A and B are revisions")] = False


class UndoRequest(OnBook, kw_only=True):
    to_history: Annotated[
        bool,
        field(
            "把 state 恢复成历史所载，现状留档",
            "put back what the history says, the present state is kept aside",
        ),
    ] = False


class RecoverRequest(OnBook, kw_only=True):
    keep: Annotated[
        Literal["disk", "journal"] | None,
        field("保留哪一份；不给则两份都列出", "which one stays; without it both are shown"),
    ] = None


class ShimsRequest(msgspec.Struct, kw_only=True):
    action: Annotated[
        Literal["install", "status", "uninstall"],
        field("install、status 或 uninstall", "install, status or uninstall", positional=True),
    ]
    skill: Annotated[
        str,
        field(
            "技能目录（含 scripts/）",
            "the skill folder (the one that holds scripts/)",
            metavar="DIR",
        ),
    ]


class ChapterRequest(OnBook, kw_only=True):
    chapter: Number
    min_chars: MinChars = None
    max_chars: MaxChars = None


class ChapterCheckRequest(OnBook, kw_only=True):
    chapter: Annotated[
        int | None,
        field("章号（--explain 时不用）", "chapter number (not with --explain)", metavar="N"),
    ] = None
    min_chars: MinChars = None
    max_chars: MaxChars = None
    fix_punctuation: Annotated[
        bool,
        field(
            "显示标点修正的差异，不改文件",
            "show what would put the punctuation right; changes nothing",
        ),
    ] = False
    write: Annotated[
        bool,
        field(
            "与 --fix-punctuation 同给：改正文，原文留档",
            "with --fix-punctuation: change the body, the old one is kept",
        ),
    ] = False
    explain: Annotated[
        str | None,
        field("解释一条正文规则，不需要书", "explain a prose rule; needs no book", metavar="RULE"),
    ] = None


class ChapterCommitRequest(ChapterRequest, kw_only=True):
    input: Input = None
    document: Document = None


class AcceptRequest(ChapterCommitRequest, kw_only=True):
    force: Force = False


class MeasureRequest(msgspec.Struct, kw_only=True):
    file: Annotated[str, field("正文文件", "the body file", metavar="FILE")]
    chapter: Annotated[
        str | None, field("章号，原样带回", "chapter, passed through", metavar="N")
    ] = None
    case_id: Annotated[
        str | None, field("用例编号，原样带回", "case id, passed through", metavar="ID")
    ] = None


class CountRequest(MeasureRequest, kw_only=True):
    target: Annotated[int | None, field("目标字数", "length target", metavar="T")] = None
    min_chars: MinChars = None
    max_chars: MaxChars = None


class CheckpointRequest(CountRequest, kw_only=True):
    project: Project = None
