"""The rules between fields: what a transaction may say of a ledger.

Pure. Source: the seed's 约束, one function a rule, named in its docstring. Rules judge what
`validate` left standing, so that a fault of shape in one field does not hide a broken rule in
another: an author gets every fault in one answer. Code pages: docs/errors/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clew.kernel.document import child
from clew.kernel.faults import Both, Fault
from clew.kernel.text import portable_key
from clew.kernel.validate import BAD, validate
from clew.novel.meanings import choice, one_of
from clew.novel.model import INPUT_SCHEMA, Chaptered, Init, State
from clew.novel.transaction import tolerate

_FORESHADOW_NEEDS: Final[Mapping[str, str | Both]] = {
    "summary": "string", "planted_chapter": "integer",
    "status": one_of("已埋", "已回收", "已过期", "放弃"), "importance": one_of("高", "中", "低"),
}  # fmt: skip
_EVENT_NEEDS: Final[Mapping[str, str | Both]] = {
    "story_time": "string", "objective_fact": "string", "reader_knowledge": "string",
    "reveal_status": one_of("未揭示", "部分揭示", "已揭示"),
}  # fmt: skip


class Judged:
    """A document as far as it is right: `value` (plain data), faults and notes so far."""

    def __init__(self, document: Any, kind: Any) -> None:
        plain, self.notes, faults = tolerate(document)
        value, shape = validate(plain, kind)
        self.value: dict[str, Any] = value if isinstance(value, dict) else {}
        self.shape_ok = not shape
        self.faults: list[Fault] = [*faults, *map(choice, shape)]
        self._bad = {fault.path for fault in self.faults}

    def right(self, path: str) -> bool:
        """True when nothing is wrong at this very place."""
        return path not in self._bad

    def part(self, *names: str) -> dict[str, Any]:
        """An object inside, empty when it is missing or wrong."""
        found: Any = self.value
        for name in names:
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, dict) else {}

    def rows(self, holder: Mapping[str, Any], key: str, path: str) -> Iterator[tuple[str, Any]]:
        """The right items of a list, each with its path."""
        for index, item in enumerate(holder.get(key) or ()):
            if item is not BAD:
                yield child(child(path, key), index), item


def judge_chapter(document: Any, state: State) -> Judged:
    """Judge a transaction against the state it will change. Nothing is applied."""
    # 调用方的逐章 JSON 不写 wordcount: whatever it is, that it is there is the one fault.
    counted = isinstance(document, dict) and document.get("wordcount") is not None
    if counted:
        document = {key: value for key, value in document.items() if key != "wordcount"}
    judged = Judged(document, Chaptered)
    if counted:
        judged.faults.append(Fault("wordcount_in_input", "$.wordcount"))
    for rule in _CHAPTER_RULES:
        judged.faults.extend(rule(judged, state))
    judged.notes.extend(_notes(judged, state))
    return judged


def judge_init(document: Any) -> Judged:
    """Judge the document that starts a ledger."""
    judged = Judged(document, Init)
    judged.faults.extend(_input_schema(judged))
    last = judged.value.get("last_chapter")
    if not isinstance(last, int):
        return judged
    judged.faults.extend(position(judged, judged.part("context"), last))
    judged.faults.extend(
        active(judged, judged.part("context"), set(judged.part("character_snapshots")))
    )
    judged.faults.extend(recent(judged, last))
    for key, rule in (("foreshadow", foreshadow_row), ("timeline_events", event_row)):
        rows = list(judged.rows(judged.value, key, "$"))
        if rows and last == 0:
            judged.faults.append(Fault("nothing_written_yet", child("$", key), found=len(rows)))
            continue
        for path, row in rows:
            if row.get("action") == "delete":
                place = child(path, "action")
                judged.faults.append(
                    Fault("not_allowed", place, found="delete", allowed=["upsert"])
                )
            judged.faults.extend(rule(judged, row, path, last))
    return judged


# ---- rules of a chapter's transaction ------------------------------------------------------------


def _input_schema(judged: Judged, state: State | None = None) -> Iterator[Fault]:
    """Input documents have schema_version 1."""
    found = judged.value.get("schema_version")
    if isinstance(found, int) and found != INPUT_SCHEMA:
        yield Fault("unsupported_schema", "$.schema_version", found=found, allowed=INPUT_SCHEMA)


def _revision(judged: Judged, state: State) -> Iterator[Fault]:
    """构造事务前把当前 state_revision 原样写入 expected_state_revision."""
    found = judged.value.get("expected_state_revision")
    if isinstance(found, int) and found != state.state_revision:
        path = "$.expected_state_revision"
        yield Fault("stale_revision", path, found=found, allowed=state.state_revision)


def _number(judged: Judged, state: State) -> Iterator[Fault]:
    """An append writes the chapter after the last; a revision an existing one."""
    chapter, mode, last = (
        judged.value.get("chapter"),
        judged.value.get("mode"),
        state.last_committed_chapter,
    )
    if not isinstance(chapter, int):
        return
    if mode == "append" and chapter != last + 1:
        yield Fault("wrong_chapter", "$.chapter", found=chapter, allowed=last + 1)
    if mode == "revision" and chapter > last:
        yield Fault("unwritten_chapter", "$.chapter", found=chapter, allowed=f"1..{last}")


def _context(judged: Judged, state: State) -> Iterator[Fault]:
    """Where the story stands, and active characters that have a snapshot after the merge."""
    context = judged.part("context")
    if not context:
        return
    yield from position(judged, context, _last_after(judged, state))
    retired = set(_names(judged, "retired_characters"))
    after = {*state.characters, *judged.part("character_snapshots")} - retired
    for fault in active(judged, context, after):
        if fault.facts["found"] in retired:
            yield Fault("retired_still_active", fault.path, found=fault.facts["found"])
        else:
            yield fault


def _characters(judged: Judged, state: State) -> Iterator[Fault]:
    """Snapshots belong to changed characters; a core character that changed needs one."""
    delta = judged.part("delta")
    snapshots = judged.part("character_snapshots")
    retired = set(_names(judged, "retired_characters"))
    by_key = {portable_key(name): name for name in state.characters}
    changed = set()
    for path, row in judged.rows(delta, "character_changes", "$.delta"):
        name = row.get("name")
        if not isinstance(name, str):
            continue
        changed.add(name)
        yield from _same_name(name, by_key, child(path, "name"))
        core = name in state.characters
        if (
            core
            and name not in snapshots
            and name not in retired
            and judged.right(child("$.character_snapshots", name))
        ):
            yield Fault("snapshot_missing", child(path, "name"), found=name)
    for name in snapshots:
        path = child("$.character_snapshots", name)
        yield from _same_name(name, by_key, path)
        if name not in changed and judged.right("$.delta.character_changes"):
            yield Fault("snapshot_without_change", path, found=name)


def _retired(judged: Judged, state: State) -> Iterator[Fault]:
    """Retirement: only of a character with a snapshot, not updated now, and only in an append."""
    delta = judged.part("delta")
    snapshots = judged.part("character_snapshots")
    revision = judged.value.get("mode") == "revision"
    rows = list(judged.rows(delta, "retired_characters", "$.delta"))
    if revision and rows:
        yield Fault("retire_in_append", "$.delta.retired_characters", found=len(rows))
    for path, name in rows:
        if name in snapshots:
            yield Fault("retired_and_updated", path, found=name)
        elif name not in state.characters:
            yield Fault("retired_unknown", path, found=name)


def _context_items(judged: Judged, state: State) -> Iterator[Fault]:
    """漏写不会被当成删除: what is gone from the context is declared, word for word."""
    context, delta = judged.part("context"), judged.part("delta")
    sides = ("long_term_constraints", "continuity_risks")
    if not context or not all(judged.right(f"$.context.{side}") for side in sides):
        return
    now = {item for side in sides for item in context.get(side, ()) if item is not BAD}
    # A bad item may be the very one that seems to be gone.
    if any(item is BAD for side in sides for item in context.get(side, ())):
        return
    before = [*state.context.long_term_constraints, *state.context.continuity_risks]
    declared = {row: path for path, row in judged.rows(delta, "retired_context_items", "$.delta")}
    revision = judged.value.get("mode") == "revision"
    for item in dict.fromkeys(before):
        if item in now:
            continue
        if revision:
            yield Fault("retire_in_append", "$.context", found=item)
        elif item not in declared:
            yield Fault("retired_context_items", "$.delta.retired_context_items", found=item)
    for item, path in declared.items():
        if item in now:
            yield Fault("retired_still_in_context", path, found=item)


def _foreshadows(judged: Judged, state: State) -> Iterator[Fault]:
    """伏笔.md 只呈现已经埋设过的当前状态."""
    for path, row in judged.rows(judged.part("delta"), "foreshadow_changes", "$.delta"):
        if row.get("action") != "delete":
            yield from foreshadow_row(judged, row, path, _last_after(judged, state))


def _events(judged: Judged, state: State) -> Iterator[Fault]:
    """部分/完全揭示只能填写已经发生的实际章节."""
    for path, row in judged.rows(judged.part("delta"), "timeline_events", "$.delta"):
        if row.get("action") != "delete":
            yield from event_row(judged, row, path, _last_after(judged, state))


_CHAPTER_RULES: Final = (
    _input_schema, _revision, _number, _context, _characters, _retired,
    _context_items, _foreshadows, _events,
)  # fmt: skip


def _notes(judged: Judged, state: State) -> Iterator[Fault]:
    """What is allowed but worth saying."""
    delta = judged.part("delta")
    known = {*state.context.long_term_constraints, *state.context.continuity_risks}
    snapshots = judged.part("character_snapshots")
    for path, row in judged.rows(delta, "character_changes", "$.delta"):
        name = row.get("name")
        if isinstance(name, str) and name not in state.characters and name not in snapshots:
            near = [other for other in state.characters if _near(name, other)]
            if near:
                yield Fault("near_name", child(path, "name"), found=name, allowed=near)
    for path, item in judged.rows(delta, "retired_context_items", "$.delta"):
        if item not in known:
            yield Fault("nothing_to_retire", path, found=item)
    for key, rows in (
        ("foreshadow_changes", state.foreshadow),
        ("timeline_events", state.timeline),
    ):
        for path, row in judged.rows(delta, key, "$.delta"):
            if row.get("action") == "delete" and row.get("id") not in rows:
                yield Fault("nothing_to_delete", path, found=row.get("id"))


def _near(name: str, other: str) -> bool:
    """Whether two names differ by white space and dots only, or by one character."""
    a, b = ("".join(c for c in n if c.isalnum()) for n in (name, other))
    if a == b:
        return True
    return len(a) == len(b) > 1 and sum(x != y for x, y in zip(a, b, strict=True)) == 1


# ---- parts ---------------------------------------------------------------------------------------


def _last_after(judged: Judged, state: State) -> int:
    """The last chapter that exists once this transaction is in."""
    append = judged.value.get("mode") != "revision"  # a misspelt mode hides no other rule
    return state.last_committed_chapter + (1 if append else 0)


def _names(judged: Judged, key: str) -> list[str]:
    return [row for _, row in judged.rows(judged.part("delta"), key, "$.delta")]


def _same_name(name: str, by_key: Mapping[str, str], path: str) -> Iterator[Fault]:
    other = by_key.get(portable_key(name))
    if other is not None and other != name:
        yield Fault("name_conflict", path, found=name, allowed=[other])


def position(judged: Judged, context: Mapping[str, Any], last: int) -> Iterator[Fault]:
    """The volume began in a chapter that exists."""
    start = (context.get("position") or {}).get("volume_start_chapter")
    if isinstance(start, int) and start > max(1, last):
        path = "$.context.position.volume_start_chapter"
        yield Fault("out_of_range", path, found=start, allowed=f"1..{max(1, last)}")


def active(judged: Judged, context: Mapping[str, Any], known: set[str]) -> Iterator[Fault]:
    """Active characters have a snapshot."""
    for path, name in judged.rows(context, "active_character_names", "$.context"):
        if name not in known:
            yield Fault("active_without_snapshot", path, found=name)


def recent(judged: Judged, last: int) -> Iterator[Fault]:
    """The recent chapters ascend and exist."""
    previous = 0
    for path, row in judged.rows(judged.part("context"), "recent_chapters", "$.context"):
        number = row.get("chapter")
        if isinstance(number, int) and not previous < number <= last:
            span = f"{previous + 1}..{last}"
            yield Fault("out_of_range", child(path, "chapter"), found=number, allowed=span)
        previous = number if isinstance(number, int) else previous


def _needs(
    judged: Judged, row: Mapping[str, Any], path: str, needed: Mapping[str, str | Both]
) -> Iterator[Fault]:
    for key, expected in needed.items():
        place = child(path, key)
        if row.get(key) is None and judged.right(place):
            yield Fault("missing_field", place, expected=expected)


def foreshadow_row(
    judged: Judged, row: Mapping[str, Any], path: str, through: int
) -> Iterator[Fault]:
    """A foreshadow was planted in a chapter that exists, and is resolved after that."""
    yield from _needs(judged, row, path, _FORESHADOW_NEEDS)
    planted, planned = row.get("planted_chapter"), row.get("planned_resolution_chapter")
    if isinstance(planted, int) and planted > through:
        place = child(path, "planted_chapter")
        yield Fault("planted_in_future", place, found=planted, allowed=f"1..{through}")
    if isinstance(planted, int) and isinstance(planned, int) and planned < planted:
        place = child(path, "planned_resolution_chapter")
        yield Fault("resolved_before_planted", place, found=planned, allowed=f">= {planted}")


def event_row(judged: Judged, row: Mapping[str, Any], path: str, through: int) -> Iterator[Fault]:
    """What is unrevealed names no chapter, what is revealed one that exists."""
    yield from _needs(judged, row, path, _EVENT_NEEDS)
    status, chapter = row.get("reveal_status"), row.get("reveal_chapter")
    place = child(path, "reveal_chapter")
    if not judged.right(place):
        return
    if not isinstance(status, str):
        if isinstance(chapter, int) and chapter > through:
            yield Fault("revealed_in_future", place, found=chapter, allowed=f"1..{through}")
        return
    if status == "未揭示":
        if chapter is not None:
            yield Fault("unrevealed_with_chapter", place, found=chapter)
    elif chapter is None:
        yield Fault("revealed_without_chapter", place, found=status, allowed=f"1..{through}")
    elif chapter > through:
        yield Fault("revealed_in_future", place, found=chapter, allowed=f"1..{through}")
