"""One edition of the book, from the folder to the file, the clipboard or the caller.

Joins what `gather` reads, the writers, and `target`. Writes the edition and nothing else.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from clew.kernel.errors import Missing, Refused, Usage, storage_failed
from clew.kernel.faults import Both, Code, Fault, register
from clew.novel.export import target
from clew.novel.export.gather import Gathered, Wish, gather, range_name
from clew.novel.export.manuscript import Manuscript
from clew.novel.export.package import Cover
from clew.novel.ledger import Ledger
from clew.novel.survey import Span

Format = Literal["epub", "markdown", "docx", "txt"]
_ENDINGS: Final[dict[Format, str]] = {
    "epub": "epub", "markdown": "md", "docx": "docx", "txt": "txt",
}  # fmt: skip
_TEXTS: Final = ("markdown", "txt")
_COVER_BYTES: Final = 20_000_000
STDOUT: Final = "-"


class How(msgspec.Struct, frozen=True, kw_only=True):
    """How an edition is made. Paths are absolute; `out` may be `-` for the answer itself."""

    to: Format
    out: str | None = None
    cover: str | None = None
    force: bool = False
    clipboard: bool = False
    blank_lines: bool = False
    headings: bool = True
    page_breaks: bool = False


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """An edition that was made."""

    status: str = "ok"
    format: str
    file: str | None
    """Within the book, or absolute outside it; null when no file was asked for."""
    written: bool
    """False when the very bytes were there already, or no file was asked for."""
    size: int
    """Bytes."""
    book_title: str
    author: str
    """The name that was given, now or for the last export."""
    language: str
    chapters: int
    visible_chars: int
    """Of what readers read: without headings, marks and comments."""
    volumes: list[str]
    gaps: list[Span]
    uncommitted: list[Span]
    clipboard: str | None = None
    """The tool that took the text."""
    text: str | None = None
    """The text itself, for `--out -`."""

    def raw(self) -> str | None:
        """What goes to standard output as it is instead of this answer."""
        return self.text


def make(ledger: Ledger, wish: Wish, how: How, notes: list[Fault]) -> Exported:
    """Make an edition of the book.

    Raises `Usage` for options that do not go together, what `gather` and `target` raise, `Missing`
    (`missing_library`, `no_clipboard`, `missing_file`), `Refused` (`cover_unusable`).
    """
    _judge(how)
    cover = _cover(ledger, how.cover) if how.cover is not None else None
    if wish.author is None:
        wish = wish._replace(author=target.author(ledger) or None)
    found = gather(ledger, wish, notes)
    to_file = how.out != STDOUT and (how.out is not None or not how.clipboard)
    where = None
    if to_file:
        part = range_name(found.part, found.book.language)
        name = target.file_name(found.book.title, _ENDINGS[how.to], part)
        where = target.place(ledger, name, how.out)
    text = _text(found.book, how) if how.to in _TEXTS else None
    data = text.encode() if text is not None else _bytes(ledger, found.book, how, cover)
    written = where is not None and target.write(
        ledger, where, data, notes, force=how.force, author=found.book.author
    )
    tool = None
    if how.clipboard and text is not None:
        from clew.novel.export import clipboard

        tool = clipboard.copy(text)
    return _answer(
        found, how, where.shown if where else None, written=written, size=len(data), tool=tool,
        text=text if how.out == STDOUT else None,
    )  # fmt: skip


def _judge(how: How) -> None:
    wrong = []
    if how.to not in _TEXTS and (how.clipboard or how.out == STDOUT):
        wrong.append(_only("--clipboard" if how.clipboard else "--out -", "txt", "markdown"))
    if how.cover is not None and how.to != "epub":
        wrong.append(_only("--cover", "epub"))
    if how.blank_lines and how.to != "txt":
        wrong.append(_only("--blank-lines", "txt"))
    if not how.headings and how.to != "txt":
        wrong.append(_only("--no-headings", "txt"))
    if how.page_breaks and how.to != "docx":
        wrong.append(_only("--page-breaks", "docx"))
    if wrong:
        raise Usage(*(Fault("usage", reason=reason) for reason in wrong))


def _only(flag: str, *formats: str) -> Both:
    return Both(
        f"{flag} 只用于 {'、'.join(formats)}", f"{flag} is for {' and '.join(formats)} only"
    )


def _cover(ledger: Ledger, path: str) -> Cover:
    from clew.novel.export.epub import cover_of

    files = ledger.vault.files
    try:
        found = files.stat(files.resolve(path))
        if found is None:
            raise Missing(Fault("missing_file", file=path))
        if found.size > _COVER_BYTES:
            raise Refused(Fault("too_large", file=path, found=found.size, limit=_COVER_BYTES))
        cover = cover_of(files.read(files.resolve(path)))
    except OSError as error:
        raise storage_failed(error, path) from error
    if cover is None:
        raise Refused(Fault("cover_unusable", file=path, allowed=["PNG", "JPEG"]))
    return cover


def _text(book: Manuscript, how: How) -> str:
    if how.to == "txt":
        from clew.novel.export import plain

        return plain.text(book, blank_lines=how.blank_lines, headings=how.headings)
    from clew.novel.export.markdown import markdown

    return markdown(book)


def _bytes(ledger: Ledger, book: Manuscript, how: How, cover: Cover | None) -> bytes:
    if how.to == "epub":
        from clew.novel.export.epub import epub

        return epub(book, ledger.clock(), cover)
    from clew.novel.export.docx import word

    return word(book, ledger.clock(), page_breaks=how.page_breaks)


def _answer(
    found: Gathered,
    how: How,
    file: str | None,
    *,
    written: bool,
    size: int,
    tool: str | None,
    text: str | None,
) -> Exported:
    from clew.novel.export.plain import body
    from clew.novel.wordcount import visible

    chapters = list(found.book.chapters())
    return Exported(
        format=how.to,
        file=file,
        written=written,
        size=size,
        book_title=found.book.title,
        author=found.book.author,
        language=found.book.language,
        chapters=len(chapters),
        visible_chars=sum(
            visible(body(each, indented=False, blank_lines=False)) for each in chapters
        ),
        volumes=[volume.title for volume in found.book.volumes if volume.title],
        gaps=found.gaps,
        uncommitted=found.uncommitted,
        clipboard=tool,
        text=text,
    )


register(
    Code(
        "cover_unusable",
        2,
        "{file} 不能做封面：只认 {allowed}，按文件开头的字节判断",
        "{file} cannot be a cover: {allowed} only, told by its first bytes",
        "换一张 PNG 或 JPEG 图片，或先转换格式。",
        "Name a PNG or JPEG image, or convert this one first.",
        about_zh="阅读器都认的封面格式是 PNG 与 JPEG；改扩展名不算转换。",
        about_en="PNG and JPEG are what every reading system shows; another ending does not convert a "
        "file.",
    ),
)
