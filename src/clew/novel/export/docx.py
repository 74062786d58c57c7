"""The book as a Word document, by python-docx (the extra `docx`).

Volumes and chapters are headings, so that Word's navigation and its table of contents find them;
East Asian fonts are named beside the Latin ones, and the first line of a Chinese paragraph is
indented by two characters whatever its size. Opens no file of the book.
"""

from __future__ import annotations

import io
import zipfile
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from clew.kernel.errors import Missing
from clew.kernel.faults import Code, Fault, register
from clew.novel.export.archive import packed
from clew.novel.export.inline import sound, spans
from clew.novel.export.manuscript import (
    Block,
    Break,
    Heading,
    Item,
    Listing,
    Manuscript,
    Panel,
    Paragraph,
    Quote,
    Table,
)

if TYPE_CHECKING:
    from docx.document import Document
    from docx.styles.style import ParagraphStyle
    from docx.table import Table as WordTable
    from docx.text.paragraph import Paragraph as WordParagraph

_BODY: Final = "Body Text"
_QUOTED: Final = "Quote"
_FACES: Final = {True: ("Times New Roman", "宋体"), False: ("Times New Roman", "SimSun")}
_HEAD: Final = {True: ("Arial", "黑体"), False: ("Georgia", "SimHei")}
_STRESS: Final = ("Times New Roman", "楷体")
_DEEPEST: Final = 9


def word(book: Manuscript, moment: datetime, *, page_breaks: bool = False) -> bytes:
    """The book as .docx, made at `moment`; each chapter on a new page with `page_breaks`.

    Raises `Missing` (`missing_library`) where python-docx is not installed.
    """
    try:
        import docx
    except ImportError as error:
        raise Missing(
            Fault("missing_library", found="python-docx", allowed="pip install python-docx")
        ) from error
    document = docx.Document()
    _set_styles(document, book)
    _set_properties(document, book, moment)
    writer = _Writer(document, chinese=book.chinese)
    writer.line(book.title, "Title", marked=False)
    if book.author:
        writer.line(book.author, "Subtitle", marked=False)
    level = 2 if book.titled else 1
    for volume in book.volumes:
        if volume.title:
            head = writer.line(volume.title, "Heading 1", marked=False)
            head.paragraph_format.page_break_before = True
        for number, chapter in enumerate(volume.chapters):
            head = writer.line(chapter.heading, f"Heading {level}", marked=False)
            # A volume's first chapter stays under the volume's own heading.
            if page_breaks and not (volume.title and number == 0):
                head.paragraph_format.page_break_before = True
            for block in chapter.blocks:
                writer.block(block, level)
    return _steady(document, moment)


class _Writer:
    """Writes at the end of a document.

    Paragraphs and tables are put there without the library's own search for that end and for their
    style: a book has a hundred thousand of them, and each would look through all before it.
    """

    def __init__(self, document: Document, *, chinese: bool) -> None:
        from docx.enum.text import WD_ALIGN_PARAGRAPH
        from docx.oxml import OxmlElement
        from docx.oxml.ns import qn
        from docx.oxml.table import CT_Tbl
        from docx.shared import Emu
        from docx.text.paragraph import Paragraph as WordParagraph

        self._document = document
        self._chinese = chinese
        self._end = document.element.body.sectPr
        self._styles: dict[str, str] = {}
        self._element = OxmlElement
        self._paragraph = WordParagraph
        self._centre = WD_ALIGN_PARAGRAPH.CENTER
        self._east = qn("w:eastAsia")
        self._breaks: dict[str, Any] = {}
        self._new_table = CT_Tbl.new_tbl
        page: Any = document.sections[-1]
        self._width = Emu(page.page_width - page.left_margin - page.right_margin)

    def line(self, text: str, style: str, *, marked: bool = True) -> WordParagraph:
        """A paragraph of that style; `marked` text holds inline marks."""
        element: Any = self._element("w:p")
        element.style = self._style(style)
        self._end.addprevious(element)
        place = self._paragraph(element, self._document)
        self._runs(place, text, marked=marked)
        return place

    def _style(self, name: str) -> str:
        if name not in self._styles:
            self._styles[name] = self._document.styles[name].style_id
        return self._styles[name]

    def block(self, block: Block, level: int) -> None:
        """One block of a chapter whose heading has that level."""
        match block:
            case Paragraph(text):
                self.line(text, _BODY)
            case Heading(deep, text):
                self.line(text, f"Heading {min(_DEEPEST, level + deep - 1)}")
            case Break(mark):
                self._break(mark or "* * *")
            case Quote(paragraphs):
                for text in paragraphs:
                    self.line(text, _QUOTED)
            case Listing(items):
                for item in items:
                    self._item(item)
            case Panel(lines):
                self._panel(lines)
            case Table():
                self._table(block)

    def _break(self, mark: str) -> None:
        from copy import deepcopy

        if mark in self._breaks:
            self._end.addprevious(deepcopy(self._breaks[mark]))
            return
        place = self.line(mark, _BODY, marked=False)
        place.alignment = self._centre
        _indent(place, chars=0)
        self._breaks[mark] = place._p

    def _grid(self, rows: int, columns: int) -> WordTable:
        from docx.table import Table as WordTable

        element: Any = self._new_table(rows, columns, self._width)
        element.tblStyle_val = self._style("Table Grid")
        self._end.addprevious(element)
        return WordTable(element, self._document)

    def _item(self, item: Item) -> None:
        from docx.shared import Pt

        sign = "•" if item.number is None else f"{item.number}."
        place = self.line(f"{sign} ", "List Paragraph", marked=False)
        self._runs(place, item.text, marked=True)
        place.paragraph_format.left_indent = Pt(21 * (item.depth + 1))

    def _panel(self, lines: tuple[str, ...]) -> None:
        cell = self._grid(1, 1).cell(0, 0)
        for number, line in enumerate(lines):
            place = cell.paragraphs[0] if number == 0 else cell.add_paragraph()
            self._runs(place, line, marked=False)
        self.line("", _BODY)  # two tables without a paragraph between them are one

    def _table(self, found: Table) -> None:
        width = max(map(len, found.rows))
        table = self._grid(len(found.rows), width)
        for row, cells in zip(found.rows, table.rows, strict=True):
            for text, cell in zip(row, cells.cells, strict=False):
                self._runs(cell.paragraphs[0], text, marked=True)
        self.line("", _BODY)

    def _runs(self, place: WordParagraph, text: str, *, marked: bool) -> None:
        if not marked:
            place.add_run(sound(text))
            return
        for span in spans(text):
            run = place.add_run(sound(span.text))
            if span.strong:
                run.bold = True
            if span.em and self._chinese:  # Chinese has no italics: it changes the face
                run.font.name = _STRESS[0]
                run.font.element.rPr.rFonts.set(self._east, _STRESS[1])
            elif span.em:
                run.italic = True


# ---- styles and properties -----------------------------------------------------------------------


def _set_styles(document: Document, book: Manuscript) -> None:
    from docx.shared import Pt, RGBColor

    styles: Any = document.styles
    faces, heads = _FACES[book.chinese], _HEAD[book.chinese]
    normal = styles["Normal"]
    _face(normal, faces)
    normal.font.size = Pt(12)
    normal.paragraph_format.line_spacing = 1.5
    normal.paragraph_format.space_after = Pt(0)
    for name in ("Title", "Subtitle", *(f"Heading {n}" for n in range(1, _DEEPEST + 1))):
        _face(styles[name], heads)
        styles[name].font.color.rgb = RGBColor(0, 0, 0)
        styles[name].font.italic = False
    for name in ("Title", "Subtitle", "Heading 1", "Heading 2"):
        styles[name].paragraph_format.alignment = 1  # centred
    body = styles[_BODY]
    body.paragraph_format.space_after = Pt(0 if book.chinese else 6)
    _indent(body, chars=2 if book.chinese else 0)
    quote = styles[_QUOTED]
    quote.font.italic = not book.chinese
    quote.font.color.rgb = RGBColor(0, 0, 0)
    quote.paragraph_format.left_indent = Pt(24)
    _language(document, book.language)


def _face(style: ParagraphStyle, names: tuple[str, str]) -> None:
    from docx.oxml.ns import qn

    latin, asian = names
    style.font.name = latin
    fonts = style.element.rPr.rFonts
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)  # a theme's face would win over a named one
    fonts.set(qn("w:eastAsia"), asian)


def _indent(place: Any, *, chars: int) -> None:
    """Indent the first line by so many characters, of a style or of one paragraph."""
    from docx.oxml.ns import qn
    from docx.shared import Pt

    place.paragraph_format.first_line_indent = Pt(12 * chars)
    indent = place.paragraph_format.element.pPr.ind
    indent.set(qn("w:firstLineChars"), str(100 * chars))


def _language(document: Document, language: str) -> None:
    """Which dictionary Word proofreads with."""
    from docx.oxml.ns import qn

    found = next(document.styles.element.iter(qn("w:lang")), None)
    if found is not None:
        asian = {"zh": "zh-CN", "ja": "ja-JP"}.get(language, language)
        east = language.partition("-")[0] in ("zh", "ja", "ko")
        found.set(qn("w:eastAsia" if east else "w:val"), asian)


def _set_properties(document: Document, book: Manuscript, moment: datetime) -> None:
    about = document.core_properties
    about.title = sound(book.title)[:255]
    about.author = sound(book.author)[:255]
    about.language = book.language
    about.identifier = book.identifier
    about.comments = ""
    about.last_modified_by = ""
    about.revision = 1
    about.created = about.modified = moment.astimezone(UTC).replace(tzinfo=None)


def _steady(document: Document, moment: datetime) -> bytes:
    """The document's bytes, dated by `moment` alone."""
    raw = io.BytesIO()
    document.save(raw)
    with zipfile.ZipFile(raw) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return packed(members, moment)


register(
    Code(
        "missing_library",
        3,
        "缺少 Python 库 {found}，没有导出",
        "the Python library {found} is not installed; nothing was exported",
        "装上它：{allowed}；或者改用 --to epub、markdown、txt，这些不需要任何库。",
        "Install it: {allowed}; or use --to epub, markdown or txt, which need none.",
        about_zh="Word 文档由 python-docx 写出，它是可选依赖。",
        about_en="Word documents are written by python-docx, which is an optional dependency.",
    ),
)
