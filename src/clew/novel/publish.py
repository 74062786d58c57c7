"""Marking chapters as published.

A mark is a line of the history that makes no revision (`marks`); it holds the SHA-256 of the body
that readers got, so that a later change of it is seen. Source: the design of the ledger (publish).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from clew.kernel.document import digest
from clew.kernel.errors import ChangedOutside, ClewError, Missing, Refused
from clew.kernel.faults import Code, Fault, register
from clew.kernel.vault import Reader
from clew.novel import book, marks
from clew.novel.history import PATH, Publication
from clew.novel.ledger import Ledger
from clew.novel.model import State

_TRIES: Final = 20
Outcome = Literal["published", "republished", "already", "withdrawn", "not_published"]


class PublishedChapter(msgspec.Struct, frozen=True):
    """What became of one chapter. `republished`: readers had another text before."""

    chapter: int
    outcome: Outcome
    body_sha256: str
    """Of the body that readers have now; of a withdrawn chapter, that they had."""


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """Chapters that were marked. `written` is false when nothing had to be."""

    status: str = "ok"
    state_revision: int
    written: bool
    chapters: list[PublishedChapter]


class _Before(NamedTuple):
    state: State
    published: Mapping[int, Publication]
    last: str
    """The digest of the history's last line."""


def publish(
    ledger: Ledger, chapter: int, through: int, notes: list[Fault], *, force: bool = False
) -> Published:
    """Mark the chapters from `chapter` to `through` as published with their bodies as they are.

    All or none. A chapter that readers have in this very text is `already`. Raises `Refused` with
    every chapter that is not committed (`publish_uncommitted`), has not exactly one body, or whose
    body is newer than its record (`body_newer`, unless `force`); and what loading a ledger raises.
    """
    return _judged(ledger, lambda before: _publish(ledger, before, chapter, through, notes, force))


def _judged(ledger: Ledger, put: Callable[[_Before], Published]) -> Published:
    """Judge and mark; judge anew where somebody changed the ledger between the two."""
    for _ in range(_TRIES):
        try:
            return put(ledger.look(lambda reader: _before(ledger, reader)))
        except marks.OvertakenError:
            continue
    raise ChangedOutside(Fault("edited_meanwhile", file=PATH))


def _publish(
    ledger: Ledger, before: _Before, chapter: int, through: int, notes: list[Fault], force: bool
) -> Published:
    last = before.state.last_committed_chapter
    faults: list[Fault] = []
    if through > last:
        faults.append(Fault("publish_uncommitted", found=max(chapter, last + 1), limit=last))
    bodies = book.bodies(ledger)
    rows, wanted = [], []
    for number in range(chapter, min(through, last) + 1):
        try:
            sha = _body(ledger, number, bodies.get(number, []), before.state, force=force)
        except ClewError as error:
            faults += error.faults
            continue
        known = before.published.get(number)
        if known is not None and known.body_sha256 == sha:
            rows.append(PublishedChapter(number, "already", sha))
            continue
        rows.append(PublishedChapter(number, "republished" if known else "published", sha))
        wanted.append(Publication(number, sha))
    if faults:
        raise Refused(*faults)
    return _put(ledger, before, rows, wanted, notes)


def withdraw(ledger: Ledger, chapter: int, through: int, notes: list[Fault]) -> Published:
    """Take the marks of these chapters back, all or none."""
    return _judged(ledger, lambda before: _withdraw(ledger, before, chapter, through, notes))


def _withdraw(
    ledger: Ledger, before: _Before, chapter: int, through: int, notes: list[Fault]
) -> Published:
    rows, wanted = [], []
    # A chapter that was published and then undone is marked, and not committed.
    committed = range(chapter, min(through, before.state.last_committed_chapter) + 1)
    marked = (number for number in before.published if chapter <= number <= through)
    for number in sorted({chapter, *committed, *marked}):
        known = before.published.get(number)
        if known is None:
            rows.append(PublishedChapter(number, "not_published", ""))
            continue
        rows.append(PublishedChapter(number, "withdrawn", known.body_sha256))
        wanted.append(Publication(number, known.body_sha256, withdrawn=True))
    return _put(ledger, before, rows, wanted, notes)


def _before(ledger: Ledger, reader: Reader) -> _Before:
    loaded = ledger.load(reader)
    return _Before(loaded.state, marks.read(ledger, reader).published, loaded.last_digest)


def _put(
    ledger: Ledger,
    before: _Before,
    rows: list[PublishedChapter],
    wanted: list[Publication],
    notes: list[Fault],
) -> Published:
    revision = before.state.state_revision
    if wanted:
        revision = marks.put(ledger, notes, *wanted, judged=before.last)
    return Published(state_revision=revision, written=bool(wanted), chapters=rows)


def _body(ledger: Ledger, chapter: int, names: list[str], state: State, *, force: bool) -> str:
    """The digest of a chapter's body."""
    if len(names) != 1:
        allowed = [f"{book.BODIES}/{name}" for name in names]
        fault = Fault(
            "not_one_file", chapter=chapter, found=len(names), kind_zh="正文", kind="body",
            allowed=allowed or [f"{book.BODIES}/第{chapter:03d}章_….md"],
        )  # fmt: skip
        if names:
            raise Refused(fault)
        raise Missing(fault, *book.called_otherwise(ledger, book.BODIES, chapter))
    source = book.read_text(ledger, f"{book.BODIES}/{names[0]}")
    sha = digest(source.data)
    record = state.wordcount_records.get(str(chapter))
    if record is not None and record.body_sha256 != sha and not force:
        raise Refused(Fault("body_newer", file=source.path, chapter=chapter))
    return sha


def changed(published: Mapping[int, Publication], bodies: Mapping[int, str]) -> list[int]:
    """Published chapters whose body (digests by chapter) is no longer what readers got, or gone."""
    return sorted(n for n, mark in published.items() if bodies.get(n) != mark.body_sha256)


register(
    Code(
        "publish_uncommitted",
        1,
        "第 {found} 章还没有提交（已提交到第 {limit} 章），没有标记",
        "chapter {found} is not committed yet (committed through {limit}); nothing was marked",
        "先用 clew chapter commit 提交这一章。",
        "Commit the chapter first with `clew chapter commit`.",
        about_zh="只有提交过的章才算定稿；发布标记写进账本的历史。",
        about_en="Only a committed chapter is final; the mark is a line of the ledger's history.",
    ),
    Code(
        "body_newer",
        1,
        "{file} 在提交之后改过，账本记的不是这份正文；没有标记",
        "{file} was changed after it was committed; the ledger counted another text; nothing was marked",
        "先以 revision 重新提交第 {chapter} 章；确认只是改了字句，可加 --force。",
        "Commit chapter {chapter} again as a revision; add --force if only wording changed.",
        about_zh="发布的正文应当就是账本核对过的那一份，否则后文会和读者看到的对不上。",
        about_en="What is published should be what the ledger was told of, or later chapters will not "
        "agree with what readers have.",
    ),
)
