"""A small book for the tests of drafts: a ferry, its old account book, two core characters."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import clew.novel
from clew.kernel.faults import Fault
from clew.novel.apply import begin
from clew.novel.commit import commit
from clew.novel.drafting import Drafted, draft
from clew.novel.ledger import Ledger
from clew.novel.model import Context, Init, Position, State
from clew.novel.start import init


def snapshot(goal: str) -> dict[str, Any]:
    return {
        "identity": "账房学徒", "location": "三号码头", "goal": goal, "state": "警觉",
        "abilities_resources": ["认得三种墨"], "relationships": [], "knowledge": [],
        "open_threads": [],
    }  # fmt: skip


def start(root: Path, *, imported: int = 0) -> Ledger:
    """A book with a ledger: two core characters, `imported` chapters written before."""
    root.mkdir(exist_ok=True)
    recent = [{"chapter": n, "summary": f"第{n}章旧事"} for n in range(1, imported + 1)][-3:]
    document = {
        "schema_version": 1,
        "book_title": "渡口旧账",
        "last_chapter": imported,
        "context": {
            "position": {
                "volume": "第一卷", "volume_start_chapter": 1,
                "story_time": "立秋前夜", "scene": "三号码头",
            },
            "long_term_constraints": ["夜里不许点明火"],
            "active_character_names": ["林晚"],
            "continuity_risks": ["船主不知道账页的事"],
            "recent_chapters": recent,
            "next_chapter_commitments": ["账房上船"],
        },
        "character_snapshots": {"林晚": snapshot("查账"), "船主": snapshot("瞒账")},
    }  # fmt: skip
    ledger = clew.novel.open(root)
    init(ledger, document, [])
    return ledger


def plain_state() -> State:
    """The state of a new book without characters."""
    position = Position(volume="第一卷", volume_start_chapter=1, story_time="立秋", scene="码头")
    return begin(
        Init(book_title="渡口旧账", context=Context(position), last_chapter=0, schema_version=1)
    )


def state_of(ledger: Ledger) -> State:
    return ledger.look(ledger.load).state


def read(drafted: Drafted) -> dict[str, Any]:
    return json.loads(Path(drafted.draft).read_text(encoding="utf-8"))


def write(drafted: Drafted, document: Any) -> None:
    Path(drafted.draft).write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def filled(document: dict[str, Any]) -> dict[str, Any]:
    document["chapter_title"] = document["chapter_title"] or "缺页"
    document["delta"]["result"] = "林晚发现账页少了一张"
    document["context"]["position"] |= {"story_time": "立秋", "scene": "账房"}
    return document


def append(ledger: Ledger, **delta: Any) -> None:
    """Commit the next chapter with these members of its delta."""
    drafted = draft(ledger, state_of(ledger).last_committed_chapter + 1, [])
    document = filled(read(drafted))
    snapshots = {row["name"] for row in delta.get("character_changes", [])}
    known = state_of(ledger).characters
    leaving = set(delta.get("retired_characters", []))
    document["character_snapshots"] = {
        n: snapshot("新目标") for n in snapshots if n in known and n not in leaving
    }
    names = document["context"]["active_character_names"]
    document["context"]["active_character_names"] = [n for n in names if n not in leaving]
    document["delta"] |= delta
    commit(ledger, document, [])


def foreshadow(chapter: int, status: str = "已埋") -> dict[str, Any]:
    return {
        "action": "upsert", "id": "F001", "summary": f"缺页（{status}）", "planted_chapter": chapter,
        "planned_resolution_chapter": 9, "status": status, "importance": "高",
    }  # fmt: skip


def codes(notes: list[Fault]) -> list[str]:
    return [note.code for note in notes]
