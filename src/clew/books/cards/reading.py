"""`read`: a file's bytes to a card or a lorebook, by content and never by extension alone.

Every container and format has its own module; this one finds out which, and makes every refusal a
line in the report. Nothing a file can hold raises out of `read`.

Pure (an open file is only read). Rules: docs/cards.md.
"""

from __future__ import annotations

import re
from typing import Final

from clew.books.cards import archive, charx, exif, png, pngcard
from clew.books.cards.encoding import text_of
from clew.books.cards.jsontext import parse, unquoted
from clew.books.cards.loosejson import opened
from clew.books.cards.payload import document
from clew.books.cards.png import SIGNATURE, Source, scan
from clew.books.cards.report import Asset, Limits, Read, Report
from clew.books.cards.shapes import recognised
from clew.books.lore import Lorebook
from clew.books.model import Card, seen
from clew.kernel.errors import ClewError, Refused
from clew.kernel.faults import Both, Fault

_HEAD: Final = 16
_TAIL: Final = 66_000
_PICTURE: Final = ("png", "jpeg", "webp")
_OTHERS: Final = (
    (b"GIF8", Both("没有卡片的 GIF 图片", "a GIF picture, which holds no card")),
    (b"BM", Both("没有卡片的 BMP 图片", "a BMP picture, which holds no card")),
    (b"\x89PNG", Both("被改坏的 PNG（换行符被转换过）", "a PNG whose line ends were converted")),
    (b"\x1f\x8b", Both("gzip 压缩文件，先解开", "a gzip file; unpack it first")),
    (b"\x28\xb5\x2f\xfd", Both("zstd 压缩文件，先解开", "a zstd file; unpack it first")),
    (b"7z\xbc\xaf", Both("7z 压缩包，先解开", "a 7z archive; unpack it first")),
    (b"Rar!", Both("RAR 压缩包，先解开", "a RAR archive; unpack it first")),
    (b"%PDF", Both("PDF 文件", "a PDF")),
    (b"SQLite format 3", Both("SQLite 数据库", "an SQLite database")),
    (b"RISUSAVE", Both("RisuAI 整库存档", "a save of all of RisuAI")),
    (b"\0RISUSAVE", Both("RisuAI 整库存档", "a save of all of RisuAI")),
    (b"II*\0", Both("没有卡片的 TIFF 图片", "a TIFF picture, which holds no card")),
    (b"MM\0*", Both("没有卡片的 TIFF 图片", "a TIFF picture, which holds no card")),
)  # fmt: skip
_PROGRAMS: Final = (b"MZ", b"\x7fELF", b"#!")
_EXTENSIONS: Final = {
    "png": ("png",), "apng": ("png",), "jpg": ("jpeg", "charx"), "jpeg": ("jpeg", "charx"),
    "webp": ("webp",), "json": ("json",), "charx": ("charx",), "yaml": ("yaml",), "yml": ("yaml",),
}  # fmt: skip
_JSON: Final = re.compile(r"""[{\[]|"\s*(?:\\+"\s*){0,4}[{\[]""")
_CODED: Final = re.compile(
    r"""(?:data:[^,]{0,200};base64,)?["']?(?:eyJ|ew|W3|ZXlK|77u/)[A-Za-z0-9+/_-]{13,}[A-Za-z0-9+/_=\s-]*["']?\Z"""
)
"""Base64 of JSON, and base64 of that."""
_PICTURE_CODED: Final = re.compile(r"(?:data:image/[^,]{0,80},)?(?:iVBORw0KGgo|/9j/|UklGR)")
_YAML_NAME: Final = re.compile(
    r"""^["']?(?:name|bot|char_name|<\|bot\|>)["']?[ \t]*:""", re.MULTILINE
)
_YAML_MORE: Final = re.compile(
    r"""^["']?(?:context|greeting|char_persona|char_greeting|persona|example_dialogue|first_mes)["']?[ \t]*:""",
    re.MULTILINE,
)
_YAML_SPEC: Final = re.compile(r"""^["']?spec["']?[ \t]*:[ \t]*["']?chara_card""", re.MULTILINE)


def read(
    source: bytes | Source,
    *,
    name: str = "",
    limits: Limits = Limits(),  # noqa: B008 - immutable
    encoding: str = "",
) -> Read:
    """What the bytes of a file hold. Never raises for anything that they could be.

    `source` may be an open file: a PNG is then read without its pixels. `name` is the file's name;
    it stands in the report, and in `Read.title` where the card has no name of its own. `encoding`
    is what the text is written in where it is not UTF-8 (`guessing.NAMES`); empty, it is found out.
    """
    if encoding:
        limits = limits._replace(encoding=encoding)
    reading = _Reading(source, name, limits)
    found: Card | Lorebook | None = None
    try:
        found = reading.read()
    except ClewError as refused:
        for fault in refused.faults:
            reading.report.refuse(fault)
    return reading.answer(found)


class _Reading:
    """One reading: what is known so far, so that a refusal can still say what the file was."""

    def __init__(self, source: bytes | Source, name: str, limits: Limits) -> None:
        self.source = source
        self.name = name
        self.limits = limits
        self.report = Report(name)
        self.kind = ""
        self.assets: tuple[Asset, ...] = ()

    def read(self) -> Card | Lorebook:
        if not isinstance(self.source, bytes):
            self.source.seek(0)
            if self.source.read(8) == SIGNATURE:
                return self._png(self.source)
        data = self._whole()
        if not data.strip(b"\0 \t\r\n"):
            raise Refused(Fault("empty_file", file=self.report.file))
        if data.startswith(SIGNATURE):
            return self._png(data)
        if data.startswith(b"\xff\xd8\xff"):
            return self._photo(data, "jpeg")
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return self._photo(data, "webp")
        if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            self.kind = "charx"
            return self._archive(data)
        return self._behind(data) or self._text(data)

    def _whole(self) -> bytes:
        if isinstance(self.source, bytes):
            data = self.source
        else:
            self.source.seek(0)
            data = self.source.read(self.limits.file_bytes + 1)
            self.source = data
        if len(data) > self.limits.file_bytes:
            limit = self.limits.file_bytes
            raise Refused(Fault("too_large", file=self.report.file, found=len(data), limit=limit))
        return data

    # ---- containers

    def _png(self, source: bytes | Source) -> Card | Lorebook:
        self.kind = "png"
        found = scan(source, self.limits)
        card = pngcard.chosen(source, found, self.report, self.limits)
        pngcard.tell_others(found, self.report)
        if card is not None:
            self.assets = pngcard.assets(source, found, self.limits)
            if found.trailing and isinstance(card, Card):
                self._compare_behind(card)
            return card
        book = pngcard.lorebook(source, found, self.report, self.limits)
        if book is not None:
            return book
        other = pngcard.unnamed(source, found, self.report, self.limits)
        if other is not None:
            return other[0]
        # A WEBP whose comment was a card keeps it there when it is converted.
        block = png.exif(source, found, self.limits)
        commented = self._commented(list(exif.comments(block)))
        if commented is not None:
            return commented
        if found.trailing:
            behind = self._behind(self._whole())
            if behind is not None:
                return behind
        if not found.ended:  # what stood behind the cut is not known: that, and no lack, is told
            report = self.report
            report.repaired = [line for line in report.repaired if line.code != "png_cut"]
            raise Refused(Fault("picture_cut", file=report.file, kind="PNG"))
        names = list(dict.fromkeys(one.keyword for one in found.texts()))
        raise Refused(
            Fault(
                "picture_without_card",
                file=self.report.file,
                kind="PNG",
                found=names or Both("（无）", "none"),
            )
        )

    def _compare_behind(self, card: Card) -> None:
        """A line when an archive behind the picture holds another card: the picture's counts."""
        data = self._whole()
        if data.rfind(b"PK\x05\x06", max(0, len(data) - _TAIL)) < 0:
            return
        quiet = Report(self.report.file)
        try:
            pack = archive.opened(data, self.limits)
            if pack is None:
                return
            main = charx.card_member(pack, quiet)
            value = charx.document(data, main, quiet, self.limits)
            other = recognised(value, "$", quiet, self.limits)
        except Refused:
            return  # bytes behind the picture, which are told as such
        if isinstance(other, Card):
            pngcard.compare("chara", card, main.name, other, self.report)

    def _photo(self, data: bytes, kind: str) -> Card | Lorebook:
        self.kind = kind
        behind = self._behind(data)
        if behind is not None:
            return behind
        blocks = exif.jpeg_blocks(data) if kind == "jpeg" else exif.webp_blocks(data)
        comments = [comment for block in blocks for comment in exif.comments(block)]
        if kind == "jpeg":
            comments += exif.jpeg_comments(data)
        found = self._commented(comments)
        if found is not None:
            return found
        raise Refused(
            Fault(
                "picture_without_card",
                file=self.report.file,
                kind=kind.upper(),
                found=Both("（无）", "none"),
            )
        )

    def _commented(self, comments: list[bytes]) -> Card | Lorebook | None:
        """The card in one of these comments, or None where none claims to be one. Raises `Refused`
        when those that do are unreadable."""
        faults: list[Fault] = []
        for comment in comments:
            if not comment.strip(b"\0 \t\r\n"):
                continue
            own = Report(self.report.file)
            try:
                value = document(comment, "EXIF UserComment", own, self.limits)
                found = recognised(value, "$", own, self.limits)
            except Refused as refused:
                faults += refused.faults
                continue
            own.repaired = [fault for fault in own.repaired if fault.code != "base64_mended"]
            self.report.absorb(own)
            return found
        if any(fault.code != "payload_unreadable" for fault in faults):
            raise Refused(*faults)
        return None

    def _behind(self, data: bytes) -> Card | Lorebook | None:
        """The card of an archive behind a picture or a program, or None where there is none."""
        program = data.startswith(_PROGRAMS)
        if not program and data.rfind(b"PK\x05\x06", max(0, len(data) - _TAIL)) < 0:
            return None
        try:
            pack = archive.opened(data, self.limits)
        except Refused:
            if program or self.kind not in _PICTURE:
                raise
            return None  # bytes of a picture that look like the end of an archive
        if pack is None or not (program or any(n.endswith(charx.CARD) for n in pack.members)):
            return None
        self.kind = "charx"
        self.report.take("archive_behind", found=pack.start)
        return self._archive(data)

    def _archive(self, data: bytes) -> Card | Lorebook:
        pack = archive.opened(data, self.limits)
        if pack is None:
            raise Refused(
                Fault(
                    "archive_broken",
                    file=self.report.file,
                    reason=Both("没有目录", "its directory is missing"),
                )
            )
        main = charx.card_member(pack, self.report)
        value = charx.document(data, main, self.report, self.limits)
        self.assets = charx.assets(data, pack, main, self.report)
        return recognised(value, "$", self.report, self.limits)

    # ---- texts

    def _text(self, data: bytes) -> Card | Lorebook:
        for magic, what in _OTHERS:
            if data.startswith(magic):
                raise Refused(Fault("not_a_card", file=self.report.file, found=what))
        if data[4:8] == b"ftyp":
            what = Both(
                "没有卡片的 AVIF/HEIC 图片或视频",
                "an AVIF or HEIC picture or a video, without a card",
            )
            raise Refused(Fault("not_a_card", file=self.report.file, found=what))
        if len(data) > self.limits.json_bytes:
            limit = self.limits.json_bytes
            raise Refused(Fault("too_large", file=self.report.file, found=len(data), limit=limit))
        text = text_of(data, "", self.report, self.limits.encoding).strip(" \t\r\n\0\ufeff")
        bare = opened(text)
        if bare is not text:
            said = Both("JSON 前面还有注释或代码", "comments or code before the JSON")
            self.report.repair("json_mended", "$", reason=said)
            text = bare
        if _JSON.match(text):
            self.kind = "json"
            value = parse(text, "$", self.report, self.limits)
            value = unquoted(value, "$", self.report, self.limits)
            return recognised(value, "$", self.report, self.limits)
        if text.startswith("rcc||") or _CODED.match(text):
            self.kind = "json"
            value = document(text.encode("utf-8", "replace"), "$", self.report, self.limits)
            return recognised(value, "$", self.report, self.limits)
        if _YAML_SPEC.search(text) or (_YAML_NAME.search(text) and _YAML_MORE.search(text)):
            from clew.books.cards.othercards import is_textgen, of_textgen, yaml_mapping

            self.kind = "yaml"
            mapping = yaml_mapping(text, self.report, self.limits)
            if mapping is not None and is_textgen(mapping):
                return of_textgen(mapping, "$", self.report)
            if mapping is not None:
                return recognised(mapping, "$", self.report, self.limits)
        if text[:64].lower().startswith(("<!doctype", "<html", "<?xml", "<svg")):
            what = Both("网页或 XML", "a web page or XML")
        elif text.startswith("version https://git-lfs"):
            what = Both(
                "Git LFS 的指针，不是文件本身；先 git lfs pull",
                "a Git LFS pointer and not the file itself; run git lfs pull",
            )
        elif (before := data.find(SIGNATURE, 0, 4096)) > 0:
            what = Both(
                f"前面多了 {before} 字节的 PNG，去掉再导入",
                f"a PNG with {before} bytes before it; take them off",
            )
        elif "\0" in text[:4096]:
            what = Both("未知的二进制文件", "a binary file of an unknown kind")
        elif _PICTURE_CODED.match(text):
            what = Both("base64 编码的图片，先解码", "a picture in base64; decode it first")
        else:
            what = Both("普通文字", "plain text")
        raise Refused(Fault("not_a_card", file=self.report.file, found=what))

    # ---- the answer

    def answer(self, found: Card | Lorebook | None) -> Read:
        """The value, with the lines about the whole file."""
        report = self.report
        if found is None:
            return Read(None, None, self.kind, "", report)
        stem, _, extension = self.name.replace("\\", "/").rpartition("/")[2].rpartition(".")
        usual = _EXTENSIONS.get(extension.lower())
        if usual is not None and self.kind not in usual:
            report.repair("name_misleads", found=self.kind, after=extension)
        title = found.name.strip() if seen(found.name) else ""
        if isinstance(found, Card) and not title and seen(found.nickname):
            title = found.nickname.strip()
        title = title or stem or extension
        if isinstance(found, Lorebook):
            report.take("lorebook_taken", "$", name=title, found=found.spec, times=len(found.rows))
            return Read(None, found, self.kind, found.spec, report, self.assets, title)
        if not seen(found.name):
            report.repair("name_missing", "$.data.name", after=title or Both("（无）", "nothing"))
        report.take("card_taken", "$", name=title, found=found.spec, kind=self.kind)
        book = found.book
        if book is not None:
            report.take("lorebook_taken", "$.data.character_book", name=book.name or title,
                        found="character_book", times=len(book.rows))  # fmt: skip
        charx.tell_assets(found, self.assets, report)
        return Read(found, None, self.kind, found.spec, report, self.assets, title)
