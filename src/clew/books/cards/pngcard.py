"""Which card a PNG holds: every chunk that claims to be one is read, one is chosen by a stated rule,
and what differs is told.

The rule: a readable `ccv3` outranks `chara`. Of several under one name that disagree, the one with
the newest `modification_date` is taken; where dates do not decide, the first, since programs that
put a card in again put it before the old one.

Pure. Rules: Character Card V2 and V3; docs/cards.md.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable
from typing import Final, NamedTuple

from clew.books.cards.fields import CARD
from clew.books.cards.payload import document
from clew.books.cards.png import Chunk, Scan, Source, read_text
from clew.books.cards.report import MEBI, Asset, Limits, Report
from clew.books.cards.shapes import recognised
from clew.books.cards.values import same
from clew.books.lore import Lorebook
from clew.books.model import V1_FIELDS, Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

CARD_NAMES: Final = ("ccv3", "chara")
ASSET_PREFIX: Final = "chara-ext-asset_"
_LOREBOOK: Final = "naidata"
_MOST: Final = 16
_LOOSE: Final = 2
"""Cards of one file whose text is mended where it is nearly JSON: it takes time."""
_OTHERS: Final = 8 * MEBI
"""Bytes of chunks with other names that are looked into."""
_WORD: Final = 30
"""A longer keyword is no word that somebody gave to a card."""
_LORE: Final = Both("那是一本世界书", "it is a lorebook")
_COMPARED: Final = tuple(
    field.name for field in CARD if field.since <= 2 and field.kind in ("text", "texts", "words")
)


class Candidate(NamedTuple):
    """One chunk that claims to be a card, read."""

    name: str
    place: str
    """`chara`, or `chara[2]` for the second of that name."""
    card: Card | None
    report: Report
    faults: tuple[Fault, ...]
    """Why there is no card."""
    book: Lorebook | None = None
    """A lorebook that stands where a card should."""


def card_chunks(found: Scan) -> list[Chunk]:
    """The chunks that claim to be a card; those behind the end of the picture come last."""
    return [one for one in (*found.texts(), *found.behind) if one.name in CARD_NAMES]


def unnamed(
    source: bytes | Source, found: Scan, report: Report, limits: Limits
) -> tuple[Card | Lorebook, Chunk] | None:
    """The card of a chunk that has another name, where none has the right one: a few tools call it
    `ccv2` or `character`. None where no text is a card."""
    if card_chunks(found):
        return None
    limits = limits._replace(json_bytes=min(limits.json_bytes, _OTHERS), loose_bytes=0)
    room = _OTHERS
    for one in found.texts()[:_MOST]:
        if one.name.startswith(ASSET_PREFIX) or len(one.name) > _WORD or one.length > room:
            continue
        room -= one.length
        own = Report(report.file)
        try:
            made = _card(source, found, one, one.keyword, own, limits)
        except Refused:
            continue  # what it is called, it is
        report.absorb(own)
        return made, one
    return None


def chosen(
    source: bytes | Source, found: Scan, report: Report, limits: Limits
) -> Card | Lorebook | None:
    """The card of a PNG, or None when no chunk claims to be one; a lorebook where nothing else
    stands in its place.

    Raises `Refused` with every reason when all that claim to be one are unreadable.
    """
    candidates = _candidates(source, found, report, limits)
    readable = [one for one in candidates if one.card is not None]
    if not readable:
        book = next((one for one in candidates if one.book is not None), None)
        if book is not None:
            report.absorb(book.report)
            return book.book
        faults = [fault for one in candidates for fault in one.faults]
        if faults:
            raise Refused(*faults)
        return None
    best = _best(readable)
    report.absorb(best.report)
    for one in candidates:
        if one.card is None:
            said = _LORE if one.book is not None else _said(one.faults[0])
            report.keep("candidate_unreadable", one.place, name=one.name, reason=said)
        elif one is not best:
            assert best.card is not None
            compare(best.place, best.card, one.place, one.card, report)
    return best.card


def _said(why: Fault) -> Both:
    return Both(why.message("zh"), why.message("en"))


def _candidates(
    source: bytes | Source, found: Scan, report: Report, limits: Limits
) -> list[Candidate]:
    out: list[Candidate] = []
    chunks = card_chunks(found)
    room = limits.text_bytes
    for one in chunks[:_MOST]:
        again = sum(other.name == one.name for other in out)
        place = one.name if not again else f"{one.name}[{again + 1}]"
        own = Report(report.file)
        try:
            if one.length > room:
                raise Refused(
                    Fault(
                        "chunk_too_large",
                        place,
                        file=report.file,
                        name=one.name,
                        found=one.length,
                        limit=room,
                    )
                )
            room -= one.length
            if len(out) == _LOOSE:
                limits = limits._replace(loose_bytes=0)
            made = _card(source, found, one, place, own, limits)
        except Refused as refused:
            if refused.code == "unpacks_too_large":
                room -= int(refused.faults[0].facts["limit"])  # a second bomb costs no more time
            out.append(Candidate(one.name, place, None, own, refused.faults))
        else:
            if isinstance(made, Lorebook):
                out.append(Candidate(one.name, place, None, own, (), made))
            else:
                out.append(Candidate(one.name, place, made, own, ()))
    if len(chunks) > _MOST:
        report.keep("chunks_kept", found=[f"{len(chunks) - _MOST} × chara/ccv3"])
    return out


def _card(
    source: bytes | Source, found: Scan, one: Chunk, place: str, report: Report, limits: Limits
) -> Card | Lorebook:
    text = read_text(source, one, limits)
    if not text.sound:
        report.repair("checksum_wrong", place, name=one.keyword)
    if one.keyword not in CARD_NAMES or one.kind != b"tEXt":
        report.repair("chunk_unusual", place, name=one.keyword, found=one.kind.decode("latin-1"))
    if one in found.behind:
        report.repair("chunk_behind", place, name=one.keyword)
    # The path of the document begins at its root; the place of the chunk is told beside it.
    value = document(text.data, place, report, limits)
    return recognised(value, "$", report, limits)


def _best(readable: list[Candidate]) -> Candidate:
    # A chunk that some tool left empty outranks nothing.
    telling = [one for one in readable if one.card is not None and _says(one.card)] or readable
    first = [one for one in telling if one.name == "ccv3"] or telling
    newest = max(_date(one) for one in first)
    return next(one for one in first if _date(one) == newest)


def _says(card: Card) -> bool:
    """True when a card has a word of its own in any field that V1 knows."""
    return any(str(card.data.get(name) or "").strip() for name in V1_FIELDS)


def _date(one: Candidate) -> int:
    return (one.card.modification_date or 0) if one.card is not None else 0


def compare(place: str, best: Card, where: str, other: Card, report: Report) -> None:
    """A line when two cards of one file, each with its place, say different things. What a V2 copy
    of a V3 card must lack (newer fields, decorators) is no difference."""
    mine, theirs = best.data, other.data
    differ = [
        name
        for name in _COMPARED
        if not same(mine.get(name) or "", theirs.get(name) or "")
        and not _warned(name, mine, theirs)
    ]
    if (mine.get("character_book") is None) != (theirs.get("character_book") is None):
        differ.append("character_book")
    if differ:
        report.keep("cards_disagree", where, name=place, found=differ)


def _warned(name: str, mine: dict[str, object], theirs: dict[str, object]) -> bool:
    """V3 lets a program write a warning into the notes of the V2 copy."""
    return name == "creator_notes" and str(mine.get(name) or "") in str(theirs.get(name) or "")


def lorebook(
    source: bytes | Source, found: Scan, report: Report, limits: Limits
) -> Lorebook | None:
    """The lorebook that a PNG of NovelAI holds in place of a card."""
    for one in found.texts():
        if one.name == _LOREBOOK:
            value = document(read_text(source, one, limits).data, one.name, report, limits)
            book = recognised(value, "$", report, limits)
            if isinstance(book, Lorebook):
                return book
    return None


def assets(source: bytes | Source, found: Scan, limits: Limits) -> tuple[Asset, ...]:
    """The files that lie in chunks beside the card; loading one reads its chunk."""
    return tuple(
        Asset(asset_key(one), one.length // 4 * 3, _loader(source, one, limits))
        for one in found.texts()
        if one.name.startswith(ASSET_PREFIX)
    )


def asset_key(one: Chunk) -> str:
    """The key of an asset chunk. The specification has a colon before it, RisuAI had none."""
    return one.keyword[len(ASSET_PREFIX) :].removeprefix(":")


def _loader(source: bytes | Source, one: Chunk, limits: Limits) -> Callable[[], bytes]:
    def load() -> bytes:
        text = read_text(source, one, limits)
        try:
            return binascii.a2b_base64(text.data)
        except binascii.Error as error:
            raise Refused(Fault("chunk_damaged", name=one.keyword, reason=str(error))) from None

    return load


def tell_others(found: Scan, report: Report) -> None:
    """Lines about text chunks that are no card, and about how the file ends."""
    names = [
        one.keyword[:40] for one in found.texts()
        if one.name not in CARD_NAMES and not one.name.startswith(ASSET_PREFIX)
    ]  # fmt: skip
    if names:
        report.keep("chunks_kept", found=list(dict.fromkeys(names)))
    if not found.ended:
        report.repair("png_cut")
    left = found.trailing - sum(12 + one.length for one in found.behind if one.name in CARD_NAMES)
    if left:
        report.keep("trailing_bytes", found=left)
