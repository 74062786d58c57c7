"""What a whole ledger may hold: rules for a state that another tool kept, or that someone changed.

Pure. Source: the schema-4 state format. A state of our own bytes was judged before it was written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clew.kernel.document import child
from clew.kernel.faults import Fault
from clew.novel.model import STATE_SCHEMA, State, id_number
from clew.novel.rules import Judged, active, event_row, foreshadow_row, position, recent
from clew.novel.wordcount import CharRange, status_of


def judge_state(document: Any) -> Judged:
    """Judge a whole state: one that another tool kept, or a file of ours that someone changed."""
    judged = Judged(document, State)
    schema = judged.value.get("schema_version")
    if isinstance(schema, int) and schema != STATE_SCHEMA:
        code = "newer_schema" if schema > STATE_SCHEMA else "unsupported_schema"
        fault = Fault(code, "$.schema_version", file="_tracking-state.json", found=schema,
                      limit=STATE_SCHEMA, allowed=STATE_SCHEMA)  # fmt: skip
        # Nothing else is worth saying of a format that this version does not know.
        judged.faults[:] = [fault]
        return judged
    last = judged.value.get("last_committed_chapter")
    if not isinstance(last, int):
        return judged
    imported = judged.value.get("imported_through_chapter")
    if isinstance(imported, int) and imported > last:
        path = "$.imported_through_chapter"
        judged.faults.append(Fault("out_of_range", path, found=imported, allowed=f"0..{last}"))
    context = judged.part("context")
    judged.faults.extend(position(judged, context, last))
    judged.faults.extend(active(judged, context, set(judged.part("characters"))))
    judged.faults.extend(recent(judged, last))
    for key, rule in (("foreshadow", foreshadow_row), ("timeline", event_row)):
        rows = judged.part(key)
        if rows and last == 0:
            judged.faults.append(Fault("nothing_written_yet", child("$", key), found=len(rows)))
            continue
        for name, row in rows.items():
            path = child(child("$", key), name)
            if row.get("id", name) != name:
                place = child(path, "id")
                judged.faults.append(Fault("not_allowed", place, found=row["id"], allowed=[name]))
            judged.faults.extend(rule(judged, row, path, last))
            for field in ("updated_chapter", "first_recorded_chapter"):
                if isinstance(row.get(field), int) and row[field] > last:
                    place = child(path, field)
                    judged.faults.append(
                        Fault("out_of_range", place, found=row[field], allowed=f"1..{last}")
                    )
    for number in judged.part("wordcount_records"):
        path = child("$.wordcount_records", number)
        # Compared as text: Python refuses to read a number of thousands of digits.
        if (len(number), number) > (len(str(last)), str(last)):
            judged.faults.append(Fault("out_of_range", path, found=number, allowed=f"1..{last}"))
        else:
            row = judged.value["wordcount_records"][number]
            judged.faults.extend(_length_record(row, path))
    return judged


def _length_record(row: Mapping[str, Any], path: str) -> Iterator[Fault]:
    """Status and resolution of a word-count record follow from its numbers."""
    actual, target, span = row.get("actual"), row.get("target"), row.get("author_range")
    if not isinstance(actual, int) or not isinstance(target, int):
        return
    bounds: CharRange | None = None
    if isinstance(span, dict):
        low, high = span.get("min"), span.get("max")
        if not isinstance(low, int) or not isinstance(high, int):
            return
        if low > high:
            yield Fault(
                "out_of_range", child(path, "author_range"), found=low, allowed=f"<= {high}"
            )
            return
        bounds = CharRange(low, high)
    status = status_of(actual, target, bounds)
    within = status in ("internal_pass", "borderline")
    resolution = "within_user_band" if within else "accepted_current_length"
    for key, value in (("status", status), ("resolution", resolution)):
        if key in row and row[key] != value:
            yield Fault("not_allowed", child(path, key), found=row[key], allowed=[value])


def overdue(state: State) -> list[str]:
    """Foreshadows whose planned chapter has passed while they are still 已埋, by number."""
    last = state.last_committed_chapter
    late = [
        row.id
        for row in state.foreshadow.values()
        if row.status == "已埋"
        and row.planned_resolution_chapter is not None
        and row.planned_resolution_chapter <= last
    ]
    return sorted(late, key=id_number)
