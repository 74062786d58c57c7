"""The benchmark book: 30 characters, 100 foreshadows, one event and two snapshots a chapter.

Pure and deterministic: `opening` is the document that starts the book, `chapter` one chapter's
transaction. The texts are as long as those of a real ledger, so that bytes and times mean something.
"""

from __future__ import annotations

from typing import Any, Final

TITLE: Final = "运河账"
CAST: Final = 30
FORESHADOWS: Final = 100
ACTIVE: Final = 6
_PLACES: Final = 17
_LASTING: Final = [f"设定{n}：守闸人天黑以后不开闸，坏了规矩便丢差事" for n in range(1, 6)]
_RISKS: Final = [f"风险{n}：两本账的欠款数目在各章里必须一致" for n in range(1, 5)]


def who(number: int) -> str:
    """The name of a character."""
    return f"船客{number % CAST:03d}"


def opening() -> dict[str, Any]:
    """The document that starts the book, before chapter 1."""
    return {
        "schema_version": 1,
        "book_title": TITLE,
        "last_chapter": 0,
        "context": {
            **_context(0),
            "recent_chapters": [],
            "next_chapter_commitments": ["写出第一夜"],
        },
        "character_snapshots": {who(n): _snapshot(n, 0) for n in range(CAST)},
        "foreshadow": [],
        "timeline_events": [],
    }


def chapter(number: int, revision: int) -> dict[str, Any]:
    """The transaction of one chapter, built on `revision`.

    Foreshadows are planted in the first 100 chapters and touched again in turn; every fourth is
    then resolved, every third has a planned chapter.
    """
    changed = list(dict.fromkeys((number % CAST, (number * 7 + 1) % CAST)))
    thread = (number - 1) % FORESHADOWS + 1
    resolved = number > FORESHADOWS and thread % 4 == 0
    return {
        "schema_version": 1,
        "mode": "append",
        "chapter": number,
        "chapter_title": f"夜航{number}",
        "expected_state_revision": revision,
        "delta": {
            "result": f"第{number}章：守闸人在船舱里翻出缺页的账，船主始终不肯开口。",
            "character_changes": [
                {"name": who(n), "change": f"第{number}章起不再隐瞒，肯说实话"} for n in changed
            ],
            "foreshadow_changes": [
                {
                    "action": "upsert",
                    "id": f"F{thread:03d}",
                    "summary": f"线索{thread}：缺掉的那一页账究竟被谁收着",
                    "planted_chapter": thread,
                    "planned_resolution_chapter": number + 40 if thread % 3 == 0 else None,
                    "status": "已回收" if resolved else "已埋",
                    "importance": ("高", "中", "低")[thread % 3],
                }
            ],
            "timeline_events": [
                {
                    "action": "upsert",
                    "id": f"E{number:03d}",
                    "story_time": f"开河后第{number}夜",
                    "objective_fact": f"第{number}夜沉在闸口的船是船主自己凿穿",
                    "reader_knowledge": f"读者只见到第{number}夜有船沉在闸口",
                    "reveal_status": "未揭示",
                    "reveal_chapter": None,
                    "characters": [who(n) for n in changed],
                }
            ],
            "constraints": [f"第{number}章以后账本是缺页的"],
            "next_chapter_commitments": [f"第{number + 1}章说清沉船"],
        },
        "context": _context(number),
        "character_snapshots": {who(n): _snapshot(n, number) for n in changed},
    }


def _context(number: int) -> dict[str, Any]:
    return {
        "position": {
            "volume": f"卷{1 + number // 200}",
            "volume_start_chapter": max(1, number // 200 * 200),
            "story_time": f"开河后第{number}夜",
            "scene": f"{number % _PLACES}号船闸",
        },
        "long_term_constraints": list(_LASTING),
        "active_character_names": [who(number + n) for n in range(ACTIVE)],
        "continuity_risks": list(_RISKS),
    }


def _snapshot(person: int, number: int) -> dict[str, Any]:
    return {
        "identity": f"运河边第{person}户的人，从前在闸上记账",
        "location": f"{number % _PLACES}号船闸值房",
        "goal": f"到第{number + 5}章为止还清{person + 3}两旧欠的银子",
        "state": f"第{number}章之后：右手缠着布，头脑清楚，仍提防着船主",
        "abilities_resources": [f"旧账抄页{n}" for n in range(4)],
        "relationships": [f"同{who(person + n)}有一笔没算清的账，只谈公事" for n in range(3)],
        "knowledge": [f"晓得第{max(1, number - n)}章沉船的真实缘由在哪" for n in range(3)],
        "open_threads": [f"第{number}章托人捎的信还在路上{n}" for n in ("", "，没人接")],
    }
