"""The views of a state: 上下文.md, 伏笔.md, 时间线/*.md, 角色状态/*.md.

Pure: the same state always gives the same text, and nothing but the state goes in. The card keeps
the seven sections of the seed (续写状态卡固定格式). Only the card names the revision, so that a
change of two characters touches two character files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from clew.novel.model import ACTIVE_FORESHADOWS, Event, Foreshadow, Snapshot, State, id_number

FOLDER: Final = "追踪"
CARD: Final = f"{FOLDER}/上下文.md"
FORESHADOWS: Final = f"{FOLDER}/伏笔.md"
TRUTH: Final = f"{FOLDER}/时间线/作者真相.md"
READER: Final = f"{FOLDER}/时间线/读者已知.md"
CHARACTERS: Final = f"{FOLDER}/角色状态"
_NOTICE: Final = "由 clew 从账本生成，改动请提交事务。"
_WEIGHT: Final = {"高": 0, "中": 1, "低": 2}


_BLOCK: Final = 64


class Memo:
    """The tables of the timeline as they were last rendered, in blocks of rows, and the characters.

    A block of equal rows has the same text, so rendering again costs what changed. Rows that two
    states share are equal at once, by identity. Without effect on any text.
    """

    def __init__(self) -> None:
        self._blocks: dict[str, list[tuple[list[Event], bytes]]] = {}
        self._characters: dict[str, tuple[Snapshot, bytes]] = {}
        self._order: tuple[list[str], list[str]] = ([], [])
        self._card: tuple[State | None, bytes] = (None, b"")

    def card(self, state: State) -> bytes:
        """The context card: weighed before a commit, and written by it."""
        if self._card[0] is not state:
            self._card = (state, card(state).encode())
        return self._card[1]

    def order(self, timeline: Mapping[str, Event]) -> list[str]:
        """The ids by number. Where ids were only added at the end, the known order is kept."""
        ids = list(timeline)
        known, ordered = self._order
        added = ids[len(known) :]
        if ids[: len(known)] == known and len(added) < _BLOCK:
            fresh = sorted(added, key=id_number)
            if not known or not fresh or id_number(fresh[0]) > id_number(ordered[-1]):
                ordered = ordered + fresh
                self._order = (ids, ordered)
                return ordered
        ordered = sorted(ids, key=id_number)
        self._order = (ids, ordered)
        return ordered

    def character(self, name: str, snapshot: Snapshot) -> bytes:
        """The page of one character."""
        known = self._characters.get(name)
        if known is None or known[0] is not snapshot:
            known = self._characters[name] = (snapshot, character(name, snapshot).encode())
        return known[1]

    def lines(self, table: str, rows: list[Event], line: Callable[[Event], str]) -> list[bytes]:
        """The lines of a table; the lines of a block come as one text."""
        old = self._blocks.get(table, [])
        new = []
        for number, at in enumerate(range(0, len(rows), _BLOCK)):
            block = rows[at : at + _BLOCK]
            if number < len(old) and old[number][0] == block:
                new.append(old[number])
            else:
                new.append((block, "\n".join(map(line, block)).encode()))
        self._blocks[table] = new
        return [text for _, text in new]


def render(state: State, memo: Memo | None = None) -> dict[str, bytes]:
    """Every view of a state as UTF-8, by path within the book. `memo` makes rendering again cheap."""
    memo = memo or Memo()
    rows = [state.timeline[ident] for ident in memo.order(state.timeline)]
    views = {
        CARD: memo.card(state),
        FORESHADOWS: foreshadows(state).encode(),
        TRUTH: _truth(rows, memo),
        READER: _reader(rows, memo),
    }
    for name, snapshot in state.characters.items():
        views[character_path(name)] = memo.character(name, snapshot)
    return views


def _by_number(timeline: Mapping[str, Event]) -> list[Event]:
    return [timeline[ident] for ident in sorted(timeline, key=id_number)]


def character_path(name: str) -> str:
    """Where a character's view lies."""
    return f"{CHARACTERS}/{name}.md"


def card(state: State) -> str:
    """续写状态卡: what the next chapter needs, in seven sections, at most 12 288 bytes."""
    context, place = state.context, state.context.position
    last = state.last_committed_chapter
    out = [
        f"# 写作连续性上下文 — {state.book_title}",
        "",
        f"> 状态修订：{state.state_revision}。{_NOTICE}",
        "",
        "## 当前位置",
        f"- 当前章：{f'第{last}章' if last else '尚未开篇'}",
        f"- 卷：{place.volume}（始于第{place.volume_start_chapter}章）",
        f"- 故事时间：{place.story_time}",
        f"- 场景：{place.scene}",
        "",
        *_section("长期约束", context.long_term_constraints),
        *_section(
            "核心角色状态", [_card_line(state, name) for name in context.active_character_names]
        ),
        *_section("活跃伏笔", _card_foreshadows(state)),
        *_section("近三章速记", [f"第{r.chapter}章｜{r.summary}" for r in context.recent_chapters]),
        *_section("下一章承诺", context.next_chapter_commitments),
        *_section("连贯性风险", context.continuity_risks),
    ]
    return "\n".join(out[:-1]) + "\n"


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", *(f"- {line}" for line in lines or ["无"]), ""]


def _card_line(state: State, name: str) -> str:
    snapshot = state.characters[name]
    return f"{name}｜{snapshot.identity}｜{snapshot.state}｜目标：{snapshot.goal}"


def active_foreshadows(state: State) -> list[Foreshadow]:
    """Planted and open, by what the next chapter needs: due or overdue first, then importance,
    planned chapter (open ones last), id."""
    coming = state.last_committed_chapter + 1

    def need(row: Foreshadow) -> tuple[bool, int, int, int]:
        planned = row.planned_resolution_chapter or 1 << 60
        return (planned > coming, _WEIGHT[row.importance], planned, id_number(row.id))

    return sorted((r for r in state.foreshadow.values() if r.status == "已埋"), key=need)


def _card_foreshadows(state: State) -> list[str]:
    rows = active_foreshadows(state)
    lines = []
    for row in rows[:ACTIVE_FORESHADOWS]:
        planned = row.planned_resolution_chapter
        due = f"第{planned}章" if planned else "回收章未定"
        lines.append(
            f"{row.id}｜{row.summary}｜埋第{row.planted_chapter}章｜{due}｜{row.importance}"
        )
    more = len(rows) - len(lines)
    if more:
        lines.append(f"另有 {more} 条未列，见 伏笔.md")
    return lines


def foreshadows(state: State) -> str:
    """伏笔.md: every foreshadow that was planted, by number."""
    out = [
        "# 伏笔当前状态",
        "",
        f"> {_NOTICE}",
        "",
        "| ID | 内容 | 埋设章 | 计划回收章 | 状态 | 重要度 | 最近变更章 |",
        "|---|---|---:|---:|---|---|---:|",
    ]
    for row in sorted(state.foreshadow.values(), key=lambda r: id_number(r.id)):
        planned = row.planned_resolution_chapter
        out.append(
            f"| {row.id} | {row.summary} | 第{row.planted_chapter}章 | "
            f"{f'第{planned}章' if planned else '—'} | {row.status} | {row.importance} | "
            f"第{row.updated_chapter}章 |"
        )
    return "\n".join(out) + "\n"


def truth(state: State) -> str:
    """时间线/作者真相.md: what really happened, and what the reader was told of it."""
    return _truth(_by_number(state.timeline), Memo()).decode()


def _truth(rows: list[Event], memo: Memo) -> bytes:
    head = [
        "# 作者真相时间线",
        "",
        f"> {_NOTICE}",
        "",
        "| ID | 首次登记章 | 故事时间 | 客观事实 | 读者当前认知 | 揭示状态 | 实际揭示章 |",
        "|---|---:|---|---|---|---|---:|",
    ]
    return _page(head, memo.lines(TRUTH, rows, _truth_row))


def _page(head: list[str], rows: list[bytes]) -> bytes:
    return b"\n".join(["\n".join(head).encode(), *rows, b""])


def _truth_row(row: Event) -> str:
    who = f"（涉及：{'、'.join(row.characters)}）" if row.characters else ""
    told = f"第{row.reveal_chapter}章" if row.reveal_chapter else "—"
    return (
        f"| {row.id} | 第{row.first_recorded_chapter}章 | {row.story_time} | "
        f"{row.objective_fact}{who} | {row.reader_knowledge} | {row.reveal_status} | {told} |"
    )


def reader(state: State) -> str:
    """时间线/读者已知.md: what the reader knows."""
    return _reader(_by_number(state.timeline), Memo()).decode()


def _reader(rows: list[Event], memo: Memo) -> bytes:
    head = [
        "# 读者已知时间线",
        "",
        f"> {_NOTICE}",
        "",
        "| ID | 读者当前认知 | 认知截至章 |",
        "|---|---|---:|",
    ]
    return _page(head, memo.lines(READER, rows, _reader_row))


def _reader_row(row: Event) -> str:
    return f"| {row.id} | {row.reader_knowledge} | 第{row.updated_chapter}章 |"


def character(name: str, snapshot: Snapshot) -> str:
    """角色状态/{name}.md: one character as of now."""
    out = [
        f"# {name}｜当前状态",
        "",
        f"- 身份：{snapshot.identity}",
        f"- 位置：{snapshot.location}",
        f"- 当前目标：{snapshot.goal}",
        f"- 身心状态：{snapshot.state}",
        "",
        *_section("能力与资源", snapshot.abilities_resources),
        *_section("关键关系", snapshot.relationships),
        *_section("已知信息", snapshot.knowledge),
        *_section("未结事项", snapshot.open_threads),
    ]
    return "\n".join(out[:-1]) + "\n"
