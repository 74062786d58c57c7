"""Rules between the bodies and the ledger: who is on stage, and who the transaction says was.

Pure. Source: the design of the ledger (Lint, in the prose). Imported chapters that were never
recorded have no transaction, so nothing is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from clew.novel.lint import storytime
from clew.novel.lint.body import Body
from clew.novel.lint.cast import is_han, surname_of
from clew.novel.lint.chronicle import Step
from clew.novel.lint.fates import Fate, fates_of
from clew.novel.lint.model import OTHERS, Book, Found, Words, places
from clew.novel.lint.stage import Act
from clew.novel.lint.storytime import When

_CLEARLY: Final = 3
"""Weight from which somebody clearly is on stage: 2 for speaking, 1 for an act and for every further
clause that is about him; at least one act or speech among them."""

_DATE: Final = 40
"""Characters at the beginning of a paragraph in which a date says when it is told of."""

_LATELY: Final = 10
"""So many chapters after somebody left, 师傅 still means him where that was his alone; later on it may
be another."""


def retired_on_stage(book: Book) -> Iterator[Found]:
    """Somebody acts in a body after the chapter in which he retired or died."""
    fates = fates_of(book.state, book.chronicle)
    for chapter in book.asked() if fates else ():
        gone = {name: fate for name in fates if (fate := _fate_in(fates[name], chapter))}
        body = book.bodies.get(chapter) if gone else None
        if (
            body is None
            or chapter <= book.state.imported_through_chapter
            or _is_memory(book, chapter)
        ):
            continue
        told = {row.name for step in book.accounts.get(chapter, ())
                for row in step.transaction.delta.character_changes}  # fmt: skip
        lately = {name for name, fate in gone.items() if chapter - fate.since <= _LATELY}
        by_office = book.office_acts(body) if lately else {}
        seen_by = {name: acts for name, acts in by_office.items() if name in lately}
        for name, seen in (seen_by | book.acts(body)).items():
            if name in gone and (gone[name].dead or name not in told):
                seen = _not_before(book, body, gone[name], seen)
                if seen:
                    yield _on_stage_again(body, gone[name], seen)


def _fate_in(fates: list[Fate], chapter: int) -> Fate | None:
    return next((fate for fate in fates if fate.holds(chapter)), None)


def _on_stage_again(body: Body, fate: Fate, seen: list[Act]) -> Found:
    name, clause, since = seen[0].name, seen[0].clause, fate.since
    zh_what, en_what = ("已死", "is dead") if fate.dead else ("已退役", "is retired")
    zh_when = f"自第 {since} 章起" if since else "开篇之前就"
    en_when = f"since chapter {since}" if since else "since before the book begins"
    zh_said = f"「{fate.words}」" if fate.words else "退役"
    en_said = f"“{fate.words}”" if fate.words else "retired"
    return Found(
        (name, body.chapter),
        Words(
            f"{name}{zh_when}{zh_what}，第 {body.chapter} 章却在场：{clause}",
            f"{name} {en_what} {en_when}, and acts in chapter {body.chapter}: {clause}",
        ),
        Words(
            f"正文里说话或行动 {len(seen)} 处；账本记的是{zh_said}",
            f"speaks or acts at {places(len(seen))}; the ledger says {en_said}",
        ),
        characters=(name,),
        chapters=(since, body.chapter) if since else (body.chapter,),
        place=body.place(seen[0].at),
    )


def _not_before(book: Book, body: Body, fate: Fate, seen: list[Act]) -> list[Act]:
    """Those acts that the text does not date before somebody's end: a chapter or a scene of another
    time line says its year, and need not say that it is a memory."""
    end = book.positions.get(fate.since)
    ended = storytime.when(end.story_time) if end is not None else None
    if ended is None:
        return seen
    here = book.positions.get(body.chapter)
    told = storytime.when(here.story_time) if here is not None else None
    if told is not None and told.scheme == ended.scheme and storytime.before(told, ended):
        return []
    past = _dated_before(body, ended)
    return [act for act in seen if not past[body.locate(act.at)[0]]]


def _dated_before(body: Body, ended: When) -> list[bool]:
    """Which paragraphs are told of a time before another one, by the dates that they begin with."""
    out: list[bool] = []
    scene, past = -1, False
    for paragraph in body.paragraphs:
        if paragraph.scene != scene:
            scene, past = paragraph.scene, False
        dated = storytime.when(paragraph.text.strip()[:_DATE])
        if dated is not None and dated.scheme == ended.scheme and ended.has_year:
            past = storytime.before(dated, ended)
        out.append(past)
    return out


def _is_memory(book: Book, chapter: int) -> bool:
    """Whether the author marked a chapter as told out of order."""
    return any(
        storytime.is_meant(step.transaction.context.position.story_time)
        or storytime.is_meant(step.transaction.chapter_title)
        for step in book.accounts.get(chapter, ())
        if step.last == chapter
    )


def on_stage_not_in_transaction(book: Book) -> Iterator[Found]:
    """Somebody clearly acts in a committed body and is in no part of its transaction."""
    for chapter, steps, body in book.recorded():
        told = _people_of(book, steps)
        for name, seen in book.acts(body).items():
            if name in told:
                continue
            weights = {act.at: act.weight for act in seen}
            for who, at in book.subjects(body):
                if who == name:
                    weights.setdefault(at, 1)
            if sum(weights.values()) < _CLEARLY:
                continue
            yield Found(
                (name, chapter),
                Words(
                    f"第 {chapter} 章里{name}在场：{seen[0].clause}，这一章的事务却没有提到",
                    f"{name} is on stage in chapter {chapter} ({seen[0].clause}), "
                    "yet its transaction does not know",
                ),
                Words(
                    f"正文里说话或行动 {len(seen)} 处；character_changes、快照、事件的 characters 里都没有",
                    f"speaks or acts at {places(len(seen))}; is in no character_changes, "
                    "snapshot or event",
                ),
                characters=(name,),
                chapters=(chapter,),
                place=body.place(seen[0].at),
            )


def _people_of(book: Book, steps: list[Step]) -> set[str]:
    """Everybody whom the transactions of a chapter speak of."""
    written: set[str] = set()
    for step in steps:
        delta = step.transaction.delta
        written |= {row.name for row in delta.character_changes}
        written |= {*step.transaction.character_snapshots, *delta.retired_characters}
        for event in delta.timeline_events:
            written |= set(event.characters)
    return {book.cast.resolve(name) or name for name in written}


def in_transaction_not_on_stage(book: Book) -> Iterator[Found]:
    """A transaction changes somebody whom the body names by no name or alias."""
    missing = [
        (chapter, row)
        for chapter, steps, body in book.recorded()
        for row in steps[-1].transaction.delta.character_changes
        if not book.cast.names_in(row.name, body.text) and _is_name(book, row.name)
    ]
    told_by_i = {chapter for chapter, _ in missing if book.bodies[chapter].first_person}
    narrator = _narrator(book) if told_by_i else None
    for chapter, row in missing:
        name = row.name
        if name == narrator and chapter in told_by_i:
            continue
        yield Found(
            (name, chapter),
            Words(
                f"第 {chapter} 章的事务改了{name}，正文里却没有这个人",
                f"the transaction of chapter {chapter} changes {name}, whom the body never names",
            ),
            Words(
                f"事务写的是「{row.change}」；正文里没有这个名字、别名，也没有姓加称呼",
                f"the transaction says “{row.change}”; neither name nor alias is in the body",
            ),
            characters=(name,),
            chapters=(chapter,),
        )


def _is_name(book: Book, name: str) -> bool:
    """A passing figure may be described (灰布长衫客) where the text says it in other words."""
    if name in book.cast.core:
        return True
    return len(name) < 4 and surname_of(name) != "" if is_han(name) else name[:1].isupper()


def _narrator(book: Book) -> str | None:
    """Whoever says 我 in a book of the first person: he is in the text without his name."""
    missing: dict[str, int] = {}
    first_person = 0
    for _, steps, body in book.recorded(reach=OTHERS):
        if not body.first_person:
            continue
        first_person += 1
        for row in steps[-1].transaction.delta.character_changes:
            missing[row.name] = missing.get(row.name, 0) + 1
    return max(missing, key=lambda name: (missing[name], name)) if first_person else None
