"""The chapter record `逐章记录/第NNN章.md`: what one chapter changed, for people to read.

Pure. Source: the seed (章节记录: 目标 ≤1536 字节, 硬上限 3072) and the record format of schema 4.
A record cannot rebuild the state; the history can, and it keeps the record's text too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from clew.novel.model import Chaptered, EventChange, ForeshadowChange, chapter_label

RETIRED: Final = "## 本章退役登记"
SECTIONS: Final = ("## 角色变化", "## 伏笔变化", "## 时间与揭示", "## 连贯性约束")


def render(
    tx: Chaptered, core: Collection[str], dropped_items: Iterable[str], carried: Iterable[str] = ()
) -> str:
    """The record of a transaction.

    `core` are the names with a snapshot after it; those retired in it count as core too.
    `carried` are the retirement lines of the record that a revision replaces.
    """
    delta = tx.delta
    heart = {*core, *delta.retired_characters}
    out = [f"# {chapter_label(tx.chapter)} · {tx.chapter_title}", "", f"- 结果：{delta.result}"]
    out += _commitments(delta.next_chapter_commitments)
    changes = (
        f"{row.name}｜{'核心' if row.name in heart else '临时'}｜{row.change}"
        for row in delta.character_changes
    )
    for heading, lines in zip(
        SECTIONS,
        (
            changes,
            map(_foreshadow, delta.foreshadow_changes),
            map(_event, delta.timeline_events),
            delta.constraints,
        ),
        strict=True,
    ):
        out += ["", heading, *_bullets(lines)]
    retired = [
        *carried,
        *(f"- {item}" for item in dropped_items),
        *(f"- 角色状态：{name}" for name in delta.retired_characters),
    ]
    if retired:
        out += ["", RETIRED, *retired]
    return "\n".join(out) + "\n"


def _commitments(items: list[str]) -> list[str]:
    # An item with a `；` of its own would read as two.
    if any("；" in item for item in items):
        return ["- 下一章承诺：", *(f"  - {item}" for item in items)]
    return [f"- 下一章承诺：{'；'.join(items) or '无'}"]


def _bullets(lines: Iterable[str]) -> list[str]:
    return [f"- {line}" for line in lines] or ["- 无"]


def _foreshadow(row: ForeshadowChange) -> str:
    if row.action == "delete":
        return f"{row.id}｜删除当前登记"
    planned = row.planned_resolution_chapter
    return f"{row.id}｜{row.status}｜{row.summary}｜回收{f'第{planned}章' if planned else '未定'}"


def _event(row: EventChange) -> str:
    if row.action == "delete":
        return f"{row.id}｜删除当前登记"
    return (
        f"{row.id}｜{row.story_time}｜事实：{row.objective_fact}"
        f"｜读者：{row.reader_knowledge}｜{row.reveal_status}"
    )


def sections(text: str) -> dict[str, list[str]]:
    """The lines under each `## ` heading of a record, without `- 无`."""
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith("## "):
            current = found.setdefault(line.strip(), [])
        elif current is not None and line.strip() and line.strip() != "- 无":
            current.append(line)
    return found


def retirement_lines(text: str) -> list[str]:
    """The retirement lines of an existing record, kept unchanged by a revision."""
    return sections(text).get(RETIRED, [])


def core_names(text: str) -> set[str]:
    """Names that an existing record marks as core characters."""
    rows = (line.removeprefix("- ").split("｜") for line in sections(text).get(SECTIONS[0], []))
    return {row[0] for row in rows if len(row) > 2 and row[1] == "核心"}


def emptied(before: str, after: str) -> list[str]:
    """Headings that held something before a revision and hold nothing after it."""
    old, new = sections(before), sections(after)
    return [name[3:] for name, lines in old.items() if lines and not new.get(name)]
