"""What stands beside a draft: what to fill in, how long each text may be, how each entry looks.

Pure. Source: the seed (`draft`: 输出各文本字段的字数上限). Lengths are read off the types in `model`,
so a changed cap changes the guide; the examples are documents that the types accept.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args, get_type_hints

import msgspec
from msgspec import Meta

from clew.novel import model


class Fill(msgspec.Struct, frozen=True):
    """One thing for the author to fill in, and where."""

    path: str
    zh: str
    en: str


_HAN_BYTES: Final = 3
_TEXTS: Final[tuple[tuple[str, type[msgspec.Struct], tuple[str, ...]], ...]] = (
    ("", model.Chaptered, ("chapter_title",)),
    ("delta.", model.Delta,
     ("result", "constraints", "next_chapter_commitments", "retired_context_items")),
    ("delta.character_changes.", model.CharacterChange, ("change",)),
    ("delta.foreshadow_changes.", model.ForeshadowChange, ("summary",)),
    ("delta.timeline_events.", model.EventChange,
     ("story_time", "objective_fact", "reader_knowledge", "characters")),
    ("context.position.", model.Position, ("story_time", "scene")),
    ("context.", model.CommitContext, ("long_term_constraints", "continuity_risks")),
    ("character_snapshots.", model.Snapshot,
     ("identity", "location", "goal", "state", "abilities_resources", "relationships",
      "knowledge", "open_threads")),
)  # fmt: skip


def limits_chars() -> dict[str, int]:
    """How many Chinese characters each text may have (its cap in bytes over three); for a list
    this is the cap of each item. `whole_record` is the chapter record as a whole."""
    out = {
        prefix + field: _cap(get_type_hints(kind, include_extras=True)[field]) // _HAN_BYTES
        for prefix, kind, fields in _TEXTS
        for field in fields
    }
    out["whole_record"] = model.RECORD_BYTES // _HAN_BYTES
    return out


def _cap(hint: Any) -> int:
    """The byte cap of the text inside a type."""
    for part in get_args(hint):
        cap = (part.extra or {}).get("text") if isinstance(part, Meta) else _cap(part)
        if cap:
            return int(cap)
    return 0


class _Words(NamedTuple):
    """The texts of the examples in one language."""

    who: str
    other: str
    change: str
    foreshadow: str
    hidden: tuple[str, str, str]
    """Story time, fact, what the reader knows."""
    shown: tuple[str, str, str]
    snapshot: dict[str, str]
    has: str
    ties: str
    knows: str
    open: str


_ZH: Final = _Words(
    "林晚",
    "船主",
    "发现账页被人换过，不再信任船主",
    "渡口旧账缺了中间一页",
    ("立秋前夜", "船主换掉了账页", "读者只见船主深夜进过账房"),
    ("立秋清晨", "林晚发现账页墨色不同", "读者与林晚同时看见墨色不同"),
    {"identity": "渡口账房学徒", "location": "三号码头账房", "goal": "找到缺失的那一页", "state": "疲惫而警觉"},
    "认得三种账房墨",
    "不再信任船主",
    "账页被人换过",
    "换页的人是谁",
)  # fmt: skip
_EN: Final = _Words(
    "Mara Vey",
    "the boatman",
    "Finds that a leaf was exchanged; no longer trusts the boatman",
    "The ferry ledger lacks a leaf in the middle",
    ("the night before the flood", "The boatman exchanged the leaf",
     "The reader saw him go into the counting house at night"),
    ("the morning after", "Mara finds that the ink of the leaf is another",
     "The reader sees the other ink when Mara does"),
    {"identity": "Ferry clerk", "location": "Counting house, pier three", "goal": "Find the missing leaf",
     "state": "Tired, alert"},
    "Knows three kinds of ink",
    "No longer trusts the boatman",
    "The leaf was exchanged",
    "Who exchanged the leaf",
)  # fmt: skip


def shapes(chapter: int, *, english: bool = False) -> dict[str, Any]:
    """An example of every kind of entry, valid for a transaction of `chapter`. The values that the
    format fixes are the same in an English one."""
    say = _EN if english else _ZH
    return {
        "character_changes": [{"name": say.who, "change": say.change}],
        "foreshadow_changes": [
            {
                "action": "upsert",
                "id": "F001",
                "summary": say.foreshadow,
                "planted_chapter": chapter,
                "planned_resolution_chapter": None,
                "status": "已埋",
                "importance": "高",
            },
            {"action": "delete", "id": "F002"},
        ],
        "timeline_events": [
            _event("E001", say.hidden, "未揭示", None, [say.who, say.other]),
            _event("E002", say.shown, "已揭示", chapter, [say.who]),
            {"action": "delete", "id": "E003"},
        ],
        "character_snapshots": {
            say.who: say.snapshot
            | {
                "abilities_resources": [say.has],
                "relationships": [say.ties],
                "knowledge": [say.knows],
                "open_threads": [say.open],
            }
        },
    }


def _event(
    ident: str, texts: tuple[str, str, str], status: str, revealed: int | None, people: list[str]
) -> dict[str, Any]:
    time, fact, known = texts
    return {
        "action": "upsert",
        "id": ident,
        "story_time": time,
        "objective_fact": fact,
        "reader_knowledge": known,
        "reveal_status": status,
        "reveal_chapter": revealed,
        "characters": people,
    }


_TITLE: Final = Fill(
    "$.chapter_title",
    "章名（没有从细纲或正文文件名里找到）",
    "the chapter's title (neither its outline nor the name of its body gave one)",
)
_APPEND: Final = (
    Fill("$.delta.result", "这一章的结果，一句话", "what came of the chapter, in one sentence"),
    Fill(
        "$.context.position.story_time",
        "章末的故事时间（上一章的在 previous_position）",
        "story time at the end of the chapter (that of the last one is in previous_position)",
    ),
    Fill(
        "$.context.position.scene",
        "章末的场景",
        "the scene at the end of the chapter",
    ),
    Fill(
        "$.delta.character_changes",
        "有变化的角色；其中核心角色还要在 character_snapshots 里交完整的新快照",
        "characters that changed; a core one also needs its whole new snapshot in character_snapshots",
    ),
    Fill(
        "$.delta.foreshadow_changes",
        "本章埋下、推进、回收的伏笔",
        "foreshadows planted, moved on or resolved in the chapter",
    ),
    Fill(
        "$.delta.timeline_events",
        "本章发生或揭示的事实；未揭示的 reveal_chapter 写 null",
        "facts that happened or were revealed; an unrevealed one has reveal_chapter null",
    ),
    Fill("$.delta.next_chapter_commitments", "下一章要兑现的事", "what the next chapter owes"),
    Fill(
        "$.context.active_character_names",
        "下一章出场或被直接牵动的核心角色（至多 20 人）",
        "core characters on stage in, or moved by, the next chapter (20 at most)",
    ),
    Fill(
        "$.context",
        "不再有效的约束或风险：从 context 删掉，并逐字列进 delta.retired_context_items",
        "a constraint or risk that no longer holds: take it out of the context and list it word for "
        "word in delta.retired_context_items",
    ),
)
_REVISION: Final = (
    Fill(
        "$.delta",
        "把预填的记录改成修订后仍成立的完整记录；漏写的项会从记录里消失",
        "change the prefilled record into the whole record as it holds after the revision; what is left "
        "out disappears from it",
    ),
    Fill(
        "$.character_snapshots",
        "受影响的核心角色交截至最新一章的快照",
        "core characters that are affected: their snapshots as of the latest chapter",
    ),
    Fill(
        "$.context",
        "保持当前值；修订里不能退役条目或角色",
        "leave as it is now; a revision retires neither items nor characters",
    ),
)
_EMPTY_RESULT: Final = _APPEND[0]
_INIT: Final = (
    Fill("$.book_title", "书名", "the book's title"),
    Fill(
        "$.context.position",
        "最后一章结束时的故事时间与场景；卷名和卷的起始章请核对",
        "story time and scene at the end of the last chapter; check the volume and where it starts",
    ),
    Fill(
        "$.context.recent_chapters",
        "最近几章各用一句话概括（summary）",
        "each of the latest chapters in a sentence (summary)",
    ),
    Fill(
        "$.character_snapshots",
        "核心角色截至现在的快照；names 是从正文里数出来的候选",
        "core characters as of now; `names` are candidates counted in the bodies",
    ),
    Fill(
        "$.context.active_character_names",
        "下一章出场的核心角色，都要有快照",
        "core characters on stage in the next chapter; each needs a snapshot",
    ),
    Fill(
        "$.foreshadow",
        "已经埋下、还没收回的伏笔",
        "foreshadows that are planted and still open",
    ),
    Fill("$.timeline_events", "后文会用到的既成事实", "facts of the past that the story will need"),
)


_NEW: Final = (
    Fill("$.book_title", "书名", "the book's title"),
    Fill(
        "$.context.position",
        "故事开头的时间与场景；卷名请核对",
        "story time and scene where the story opens; check the volume's name",
    ),
    Fill(
        "$.context.long_term_constraints",
        "全书都要守住的设定（可以先空着）",
        "what must hold throughout the book (may stay empty)",
    ),
    Fill(
        "$.character_snapshots",
        "开篇时的核心角色快照（可以先空着，写到哪章再登记）",
        "core characters as the story opens (may stay empty: they can come with their chapter)",
    ),
    Fill(
        "$.context.active_character_names",
        "第一章出场的核心角色，都要有快照",
        "core characters on stage in the first chapter; each needs a snapshot",
    ),
    Fill(
        "$.timeline_events",
        "开篇之前已经发生、后文会用到的事（可以先空着）",
        "what happened before the story opens and will matter later (may stay empty)",
    ),
)


def fill_append(*, untitled: bool) -> list[Fill]:
    """What a new chapter's draft asks for."""
    return [*((_TITLE,) if untitled else ()), *_APPEND]


def fill_revision(*, untitled: bool, blank: bool) -> list[Fill]:
    """What a revision draft asks for; `blank` when there was no result to prefill."""
    return [*((_TITLE,) if untitled else ()), *((_EMPTY_RESULT,) if blank else ()), *_REVISION]


def fill_init(last_chapter: int) -> list[Fill]:
    """What the draft of an init document asks for: of a new book, or of one that is written as far
    as a chapter. Texts left as "" are refused by init."""
    return list(_INIT if last_chapter else _NEW)


def init_shapes(last_chapter: int, *, english: bool = False) -> dict[str, Any]:
    """Examples for the lists of an init document."""
    example = shapes(max(1, last_chapter), english=english)
    upserts = ("foreshadow_changes", "timeline_events")
    foreshadow, events = (
        [{k: v for k, v in row.items() if k != "action"} for row in example[key] if len(row) > 2]
        for key in upserts
    )
    return {
        "character_snapshots": example["character_snapshots"],
        "foreshadow": foreshadow,
        "timeline_events": events,
    }
