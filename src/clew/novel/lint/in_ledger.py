"""Rules within the ledger: foreshadows and events.

Pure. Source: the design of the ledger (Lint, in the ledger). What a later transaction put right is
no finding any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from clew.kernel.text import clean, nfc
from clew.novel.lint.cast import is_han
from clew.novel.lint.chronicle import Step
from clew.novel.lint.model import Book, Found, Words, in_order
from clew.novel.model import (
    Event,
    EventChange,
    Foreshadow,
    ForeshadowChange,
    id_number,
)
from clew.novel.state_rules import overdue

SILENT: Final = 30
"""Chapters after which a weighty foreshadow is forgotten."""
_RANK: Final = {"未揭示": 0, "部分揭示": 1, "已揭示": 2}

# ---- foreshadows ---------------------------------------------------------------------------------


def overdue_foreshadow(book: Book) -> Iterator[Found]:
    """The planned chapter has passed and the foreshadow is still 已埋."""
    for ident in overdue(book.state):
        row = book.state.foreshadow[ident]
        planned, last = row.planned_resolution_chapter, book.last
        yield Found(
            (ident,),
            Words(
                f"伏笔 {ident}「{row.summary}」计划第 {planned} 章回收，已写到第 {last} 章仍是已埋",
                f"foreshadow {ident} (“{row.summary}”) was to be resolved in chapter {planned}; "
                f"chapter {last} is written and it is still 已埋 (planted)",
            ),
            Words(
                f"埋于第 {row.planted_chapter} 章，最近变更在第 {row.updated_chapter} 章",
                f"planted in chapter {row.planted_chapter}, last changed in {row.updated_chapter}",
            ),
            ids=(ident,),
            chapters=in_order(row.planted_chapter, planned, last),
        )


def foreshadow_silent(book: Book) -> Iterator[Found]:
    """A foreshadow of high importance has not been touched for 30 chapters."""
    for ident in sorted(book.state.foreshadow, key=id_number):
        row = book.state.foreshadow[ident]
        silent = book.last - row.updated_chapter
        if row.status != "已埋" or row.importance != "高" or silent < SILENT:
            continue
        yield Found(
            (ident, row.updated_chapter),
            Words(
                f"重要伏笔 {ident}「{row.summary}」已有 {silent} 章没有动静",
                f"foreshadow {ident} (“{row.summary}”) is important and has been silent for "
                f"{silent} chapters",
            ),
            Words(
                f"最近变更在第 {row.updated_chapter} 章，已写到第 {book.last} 章",
                f"last changed in chapter {row.updated_chapter}; chapter {book.last} is written",
            ),
            ids=(ident,),
            chapters=in_order(row.updated_chapter, book.last),
        )


class _Turn(NamedTuple):
    """A transaction that changed a row which was there before."""

    before: Foreshadow | ForeshadowChange
    told: int
    """The chapter whose transaction had said `before`."""
    after: ForeshadowChange
    step: Step

    @property
    def corrects(self) -> bool:
        """Whether it puts right the very record that had said otherwise."""
        return not self.step.appends and self.step.chapter == self.told


def _turns(book: Book) -> dict[str, list[_Turn]]:
    """The turns of every foreshadow since it was last registered anew."""
    rows: dict[str, tuple[Foreshadow | ForeshadowChange, int]] = {}
    found: dict[str, list[_Turn]] = {}

    def follow(steps: tuple[Step, ...]) -> None:
        for step in steps:
            for row in step.transaction.delta.foreshadow_changes:
                before = rows.pop(row.id, None)
                if row.action == "delete":
                    found.pop(row.id, None)
                    continue
                if before is not None:
                    found.setdefault(row.id, []).append(_Turn(*before, row, step))
                rows[row.id] = (row, step.chapter)

    follow(book.chronicle.earlier)
    if (baseline := book.chronicle.baseline) is not None:
        rows = {i: (row, row.updated_chapter) for i, row in baseline.foreshadow.items()}
    follow(book.chronicle.steps)
    return dict(sorted(found.items(), key=lambda entry: id_number(entry[0])))


def foreshadow_reopened(book: Book) -> Iterator[Found]:
    """A foreshadow that was 已回收 is 已埋 again."""
    for ident, turns in _turns(book).items():
        now = book.state.foreshadow.get(ident)
        if now is None or now.status != "已埋":
            continue
        last = next(
            (t for t in reversed(turns) if t.before.status == "已回收" != t.after.status), None
        )
        if last is None or _newest(last, book):
            continue
        chapter, told = last.step.chapter, last.told
        yield Found(
            (ident, chapter),
            Words(
                f"伏笔 {ident}「{now.summary}」已在第 {told} 章回收，第 {chapter} 章又成了已埋",
                f"foreshadow {ident} (“{now.summary}”) was resolved in chapter {told} and is 已埋 "
                f"again since chapter {chapter}",
            ),
            Words(
                f"第 {told} 章的事务写已回收，第 {chapter} 章的事务写{last.after.status}",
                f"the transaction of chapter {told} says 已回收, that of chapter {chapter} says "
                f"{last.after.status}",
            ),
            ids=(ident,),
            chapters=in_order(told, chapter),
        )


def _newest(turn: _Turn, book: Book) -> bool:
    """A correction of the newest chapter: nothing was built on what it takes back."""
    return turn.corrects and turn.step.chapter == turn.step.last


def foreshadow_replanted(book: Book) -> Iterator[Found]:
    """The chapter in which a foreshadow was planted is another one than before."""
    for ident, turns in _turns(book).items():
        now = book.state.foreshadow.get(ident)
        moves = [
            t
            for t in turns
            if t.before.planted_chapter != t.after.planted_chapter and not t.corrects
        ]
        if now is None or not moves or now.planted_chapter == moves[0].before.planted_chapter:
            continue
        first, last = moves[0], moves[-1]
        chapter, was = last.step.chapter, first.before.planted_chapter
        yield Found(
            (ident, chapter),
            Words(
                f"伏笔 {ident}「{now.summary}」的埋设章从第 {was} 章变成了第 {now.planted_chapter} 章",
                f"foreshadow {ident} (“{now.summary}”) was planted in chapter {was}, and now in "
                f"chapter {now.planted_chapter}",
            ),
            Words(
                f"第 {first.told} 章的事务写埋于第 {was} 章，第 {chapter} 章的事务改了它",
                f"the transaction of chapter {first.told} says chapter {was}; that of chapter "
                f"{chapter} changed it",
            ),
            ids=(ident,),
            chapters=in_order(was, now.planted_chapter, chapter),
        )


# ---- events --------------------------------------------------------------------------------------


class _Drop(NamedTuple):
    """A transaction that told the reader less of an event than was told before."""

    told: int
    status: str
    step: Step


def event_unrevealed(book: Book) -> Iterator[Found]:
    """What the reader was told of an event is taken back."""
    drops: dict[str, _Drop] = {}
    rows: dict[str, tuple[str, int]] = {}

    def follow(steps: tuple[Step, ...]) -> None:
        for step in steps:
            for row in step.transaction.delta.timeline_events:
                _reveal(row, step, rows, drops)

    follow(book.chronicle.earlier)
    if (baseline := book.chronicle.baseline) is not None:
        rows.clear()
        rows.update((i, (e.reveal_status, _told_in(e))) for i, e in baseline.timeline.items())
    follow(book.chronicle.steps)
    for ident, drop in sorted(drops.items(), key=lambda entry: id_number(entry[0])):
        now = book.state.timeline.get(ident)
        if now is None or _RANK[now.reveal_status] >= _RANK[drop.status]:
            continue
        chapter = drop.step.chapter
        yield Found(
            (ident, chapter),
            Words(
                f"事件 {ident} 在第 {drop.told} 章{drop.status}，第 {chapter} 章又退回{now.reveal_status}",
                f"event {ident} was {drop.status} in chapter {drop.told}, and is back to "
                f"{now.reveal_status} since chapter {chapter}",
            ),
            Words(
                f"事实：「{now.objective_fact}」；读者读过的，收不回来",
                f"the fact: “{now.objective_fact}”; what was read cannot be unread",
            ),
            ids=(ident,),
            characters=tuple(now.characters),
            chapters=in_order(drop.told, chapter),
        )


def _told_in(event: Event) -> int:
    return event.reveal_chapter or event.updated_chapter


def _reveal(
    row: EventChange, step: Step, rows: dict[str, tuple[str, int]], drops: dict[str, _Drop]
) -> None:
    status = row.reveal_status
    known = rows.get(row.id)
    if row.action == "delete" or status is None:
        rows.pop(row.id, None)
        drops.pop(row.id, None)
        return
    if known is not None and _RANK[status] < _RANK[known[0]]:
        corrects = not step.appends and step.chapter == known[1] == step.last
        if not corrects:
            if row.id not in drops:
                drops[row.id] = _Drop(known[1], known[0], step)
            return  # the most that was told stays told
    rows[row.id] = (status, row.reveal_chapter or step.chapter)


_GROUP: Final = re.compile(
    "众|们$|等人|等$|群|所有|全体|各|双方|两人|二人|几人|路人|百姓|村民|镇民|居民|士兵|官兵|警士|衙役|伙计|观众|围观|弟子$|"
    "手下|随从|下人|家丁|侍卫|保镖|记者|读者|老板娘$|一家|家人|父母|夫妇|高层|某|几个|两个|一个|数名|[0-9]名|人$"
)


def event_unknown_character(book: Book) -> Iterator[Found]:
    """An event names somebody whom no transaction ever registered."""
    told: dict[str, list[EventChange]] = {}
    for step in book.chronicle.every():
        for row in step.transaction.delta.timeline_events:
            if row.id in book.state.timeline and row.action == "upsert":
                told.setdefault(row.id, []).append(row)
    unknown: dict[str, list[str]] = {}
    for ident in sorted(told, key=id_number):
        for who in book.state.timeline[ident].characters:
            if book.cast.resolve(who) is None and _is_somebody(who):
                unknown.setdefault(nfc(clean(who)), []).append(ident)
    for who, idents in unknown.items():
        chapters = in_order(*(book.state.timeline[i].first_recorded_chapter for i in idents))
        near = [name for name in book.cast.names if _one_off(who, name)]
        yield Found(
            (who,),
            Words(
                f"事件 {'、'.join(idents)} 写到{who}，账本里从来没有登记过这个人",
                f"event {', '.join(idents)} names {who}, whom the ledger never registered",
            ),
            Words(
                f"与登记过的{'、'.join(near)}只差一字" if near else
                "不在任何 character_changes、快照里，也不是谁的别名",
                f"one letter away from {', '.join(near)}" if near else
                "in no character_changes and no snapshot, and nobody's alias",
            ),
            ids=tuple(idents),
            characters=(who,),
            chapters=chapters,
        )  # fmt: skip


def _is_somebody(text: str) -> bool:
    """Whether an entry of `characters` is one person's name, not a crowd or a description."""
    if is_han(text):
        return not _GROUP.search(text) and "的" not in text and len(text) <= 5
    return any(char.isupper() for char in text[:1]) or any(map(is_han, text[:1]))


def _one_off(one: str, other: str) -> bool:
    return len(one) == len(other) > 1 and sum(a != b for a, b in zip(one, other, strict=True)) == 1
