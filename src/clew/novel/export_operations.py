"""What `clew novel` offers for getting the book out: `export` and `publish`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from clew.kernel.errors import Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation, field
from clew.novel.opening import open_book
from clew.novel.requests import Number, OnBook

if TYPE_CHECKING:
    from clew.novel.export.gather import Wish


class _Export(OnBook, kw_only=True):
    to: Annotated[
        Literal["epub", "markdown", "docx", "txt"],
        field("导出成什么格式", "the format to export to"),
    ]
    out: Annotated[
        str | None,
        field(
            "写到哪里：文件、文件夹，或 - 表示标准输出；默认 导出/书名",
            "where to write it: a file, a folder, or - for standard output; by default 导出/TITLE",
            metavar="FILE",
        ),
    ] = None
    chapter: Annotated[int | None, field("只导出这一章", "this chapter only", metavar="N")] = None
    through: Annotated[int | None, field("导出到第几章", "the last chapter", metavar="B")] = None
    title: Annotated[
        str | None,
        field("书名；默认取账本或文件夹名", "the title; else the ledger's or the folder's name"),
    ] = None
    author: Annotated[str | None, field("作者名", "the author's name", metavar="NAME")] = None
    language: Annotated[
        str | None,
        field(
            "语言标签，如 zh、en；默认看正文",
            "a tag like zh or en; else told by the text",
            metavar="TAG",
        ),
    ] = None
    cover: Annotated[
        str | None,
        field("封面图片（PNG、JPEG），epub", "cover image (PNG, JPEG), epub", metavar="FILE"),
    ] = None
    clipboard: Annotated[
        bool, field("放到剪贴板（txt、markdown）", "put it on the clipboard (txt, markdown)")
    ] = False
    blank_lines: Annotated[
        bool, field("段落之间空一行（txt）", "a blank line between paragraphs (txt)")
    ] = False
    no_headings: Annotated[
        bool, field("不要书名、卷名、章名（txt）", "no title, volume or chapter headings (txt)")
    ] = False
    page_breaks: Annotated[
        bool, field("每章另起一页（docx）", "each chapter on a new page (docx)")
    ] = False
    force: Annotated[
        bool, field("覆盖不是 clew 写的文件", "replace a file that clew did not write")
    ] = False


# `from` is a word of Python's own, and the right name of the option.
ExportRequest = msgspec.defstruct(
    "ExportRequest",
    [("from", Annotated[int | None, field("从第几章起", "the first chapter", metavar="A")], None)],
    bases=(_Export,),
    module=__name__,
    kw_only=True,
)


class PublishRequest(OnBook, kw_only=True):
    chapter: Number
    through: Annotated[int | None, field("一直到这一章", "through this chapter", metavar="M")] = (
        None
    )
    withdraw: Annotated[bool, field("取消发布标记", "take the mark back")] = False
    force: Annotated[
        bool,
        field("正文比账本记的新，也照现在的标记", "mark a body that is newer than its record"),
    ] = False


def _export(host: Host, request: Any) -> Any:
    from clew.novel.export import edition

    ledger = open_book(host, request.project)
    how = edition.How(
        to=request.to,
        out=request.out if request.out == edition.STDOUT else _path(host, request.out),
        cover=_path(host, request.cover),
        force=request.force,
        clipboard=request.clipboard,
        blank_lines=request.blank_lines,
        headings=not request.no_headings,
        page_breaks=request.page_breaks,
    )
    return edition.make(ledger, _wish(request), how, host.notes)


def _path(host: Host, path: str | None) -> str | None:
    return os.path.join(host.cwd, path) if path else None


def _wish(request: Any) -> Wish:
    from clew.novel.export.gather import Wish

    first, through = getattr(request, "from"), request.through
    if request.chapter is not None:
        if first is not None or through is not None:
            reason = Both(
                "--chapter 与 --from、--through 只能给一种",
                "give --chapter, or --from and --through",
            )
            raise Usage(Fault("usage", reason=reason))
        first = through = request.chapter
    return Wish(first, through, request.title, request.author, request.language)


def _publish(host: Host, request: PublishRequest) -> Any:
    from clew.novel import publish

    through = request.chapter if request.through is None else request.through
    if not 1 <= request.chapter <= through:
        shown = f"--chapter {request.chapter} --through {through}"
        reason = Both(f"{shown}：要 1 ≤ N ≤ M", f"{shown}: 1 ≤ N ≤ M is wanted")
        raise Usage(Fault("usage", reason=reason))
    ledger = open_book(host, request.project, writes=True)
    if request.withdraw:
        return publish.withdraw(ledger, request.chapter, through, host.notes)
    return publish.publish(ledger, request.chapter, through, host.notes, force=request.force)


_N: Final = "clew.novel"
OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "novel.export", ExportRequest, f"{_N}.export.edition:Exported", _export, "write",
        "把正文导出成电子书、Word、Markdown 或纯文本", "make an e-book, a Word document, Markdown or text",
        "clew novel export --to epub --author 林渡",
    ),
    Operation(
        "novel.publish", PublishRequest, f"{_N}.publish:Published", _publish, "write",
        "标记已发布的章，记下发布时的正文", "mark chapters as published, with the body as it is now",
        "clew novel publish --chapter 1 --through 3",
    ),
)  # fmt: skip
