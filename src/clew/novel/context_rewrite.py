"""What the card of a rewrite says of the chapter itself: what it established, what relies on it.

Pure: lines by key, each a whole item of the card.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clew.novel import history
from clew.novel.impact import Impact
from clew.novel.meanings import MEANINGS
from clew.novel.model import Delta
from clew.novel.standing import Standing, delta_of

Line = tuple[str, str]


def established(standing: Standing, lines: Sequence[bytes], chapter: int, lang: str) -> list[Line]:
    """What a chapter says now, by its latest transaction that stands; by its chapter record where
    another tool kept the ledger then."""
    commits = standing.of(chapter)
    if commits:
        return list(_words_of(delta_of(commits[-1]), zh=lang == "zh"))
    text = history.record_of(lines, chapter) or ""
    rows = (row.strip().removeprefix("- ") for row in text.splitlines())
    kept = (row for row in rows if row and row != "无" and not row.startswith("#"))
    return [(str(number), row) for number, row in enumerate(kept, 1)]


def _words_of(delta: Delta, *, zh: bool) -> Iterator[Line]:
    gone = "删除登记" if zh else "taken off the ledger"

    def row(key: str, label_zh: str, label: str, *parts: str | None) -> Line:
        said = ("｜" if zh else " · ").join(part for part in parts if part)
        return key, f"{label_zh}：{said}" if zh else f"{label}: {said}"

    def status(value: str | None) -> str | None:
        return value if zh or value is None else MEANINGS[value]

    yield row("result", "结果", "result", delta.result)
    for change in delta.character_changes:
        yield row(change.name, "人物", "character", change.name, change.change)
    for planted in delta.foreshadow_changes:
        said = [status(planted.status), planted.summary]
        said = [gone] if planted.action == "delete" else said
        yield row(planted.id, "伏笔", "foreshadow", planted.id, *said)
    for event in delta.timeline_events:
        told = [status(event.reveal_status), event.objective_fact]
        told = [gone] if event.action == "delete" else told
        yield row(event.id, "事件", "event", event.id, *told)
    for label_zh, label, items in (
        ("约束", "constraint", delta.constraints),
        ("承诺", "promise", delta.next_chapter_commitments),
        ("退役", "retired", [*delta.retired_context_items, *delta.retired_characters]),
    ):
        for number, item in enumerate(items, 1):
            yield row(f"{label}/{number}", label_zh, label, item)


def relied_on(reach: Impact, lang: str) -> list[Line]:
    """What later chapters go on with, and what came to hold in the chapter and still does."""
    bar = "｜" if lang == "zh" else " · "
    rows = []
    for row in reach.touched:
        # That a main character changes again later is no reason; that one came or went here is.
        steady = row.kind == "character" and row.how == ["changed"]
        if (row.later or row.kind == "constraint") and not steady:
            key = [] if row.key == row.text else [row.key]
            text = [] if row.kind == "character" else [row.text]
            rows.append((row.key, bar.join([*key, row.reason, *text])))
    return rows
