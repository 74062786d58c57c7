"""CHARX: a card with its files in one archive, also behind a JPEG or a program.

`card.json` is the card; the members that its assets name are assets; `module.risum`, `x_meta/` and
everything else is kept as it is and handed on.

Pure. Rules: Character Card V3, CHARX; RisuAI's JPEG with an archive behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from clew.books.cards import payload
from clew.books.cards.archive import Archive, Member, unpacked
from clew.books.cards.report import Asset, Limits, Report
from clew.books.model import Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

CARD: Final = "card.json"
EMBEDDED: Final = ("embeded://", "embedded://")
"""How an asset of the archive is named; the first spelling is the specification's."""
IN_PNG: Final = "__asset:"
"""How an asset in a chunk of a PNG is named."""
_KNOWN: Final = (
    (
        "manifest.json",
        Both(
            "Backyard 角色包（BYAF），请在那里导出为 PNG 卡片",
            "a Backyard archive (BYAF); export it there as a PNG card",
        ),
    ),
    ("story.json", Both("KoboldAI 故事包", "a KoboldAI story")),
    ("character.json", Both("没有 card.json 的角色包", "a character archive without card.json")),
    ("word/document.xml", Both("Word 文档", "a Word document")),
    ("META-INF/container.xml", Both("EPUB 电子书", "an EPUB")),
)


def card_member(archive: Archive, report: Report) -> Member:
    """The member that is the card.

    Raises `Refused`: `member_refused`, `archive_ambiguous`, `not_a_card`.
    """
    for name, why in archive.refused:
        if name == CARD:
            raise Refused(Fault("member_refused", file=report.file, name=name, reason=why))
    if CARD in archive.members:
        return archive.members[CARD]
    inner = [
        one for name, one in archive.members.items() if name.lower().rpartition("/")[2] == CARD
    ]
    if len(inner) == 1:
        report.repair("card_elsewhere", found=inner[0].name)
        return inner[0]
    if inner:
        raise Refused(Fault("archive_ambiguous", file=report.file, name=CARD))
    names = {name.lower().rpartition("/")[2] for name in archive.members} | set(archive.members)
    for name, why in archive.refused:
        if name.replace("\\", "/").rpartition("/")[2].lower() == CARD:
            raise Refused(Fault("member_refused", file=report.file, name=name, reason=why))
    what = next((word for name, word in _KNOWN if name in names), None)
    cards = [n for n in archive.members if n.lower().endswith((".png", ".charx", ".json"))]
    if what is None and len(cards) > 1:
        what = Both(
            f"装着 {len(cards)} 个文件的压缩包，先解开再导入",
            f"an archive of {len(cards)} files; unpack it first",
        )
    raise Refused(
        Fault(
            "not_a_card",
            file=report.file,
            found=what or Both("没有 card.json 的压缩包", "an archive without card.json"),
        )
    )


def document(data: bytes, one: Member, report: Report, limits: Limits) -> Any:
    """The JSON of the card member. Raises `Refused`."""
    if one.size > limits.json_bytes:
        raise Refused(
            Fault(
                "too_large",
                file=f"{report.file}/{one.name}",
                found=one.size,
                limit=limits.json_bytes,
            )
        )
    raw, sound = unpacked(data, one)
    if not sound:
        report.repair("checksum_wrong", one.name, name=one.name)
    return payload.document(raw, one.name, report, limits, coded=False)


def assets(data: bytes, archive: Archive, main: Member, report: Report) -> tuple[Asset, ...]:
    """Every other member, each loaded when it is asked for; what is no member is told."""
    for name, why in archive.refused:
        report.refuse(Fault("member_refused", file=report.file, name=name, reason=why))
    return tuple(
        Asset(one.name, one.size, _loader(data, one))
        for one in archive.members.values()
        if one.name != main.name
    )


def _loader(data: bytes, one: Member) -> Callable[[], bytes]:
    def load() -> bytes:
        out, sound = unpacked(data, one)
        if not sound:
            raise Refused(
                Fault(
                    "member_damaged",
                    name=one.name,
                    reason=Both("校验和不对", "its checksum is wrong"),
                )
            )
        return out

    return load


def tell_assets(card: Card, found: tuple[Asset, ...], report: Report) -> None:
    """Lines about assets: how many there are, which are not there, which the card does not name."""
    paths = {asset.path for asset in found}
    named = {path for row in card.assets if (path := asset_path(row.uri)) is not None}
    if named & paths:
        report.take("assets_taken", "$.data.assets", found=len(named & paths))
    if named - paths:
        report.keep("assets_missing", "$.data.assets", found=sorted(named - paths))
    if paths - named:
        report.keep("members_kept", found=sorted(paths - named))


def asset_path(uri: str) -> str | None:
    """The path of the embedded file that an asset's URI names, or None when it names none."""
    for scheme in (*EMBEDDED, IN_PNG):
        if uri.startswith(scheme):
            return uri[len(scheme) :]
    return None
