"""The straightforward way to keep the same ledger: what clew is measured against.

One commit reads the whole state, checks all of it and the transaction, applies it, renders every
view and writes every file (temporary file, fsync, rename; unchanged content is left alone). The
revision stands in every character's file, as is usual for rendered files. No history, no journal.
Rules and texts follow the same contract as clew's, so that the content is the same; nothing here is
slow on purpose, and only what it needs is imported. Standard library only.

As a command: `python benchmarks/baseline.py commit|check --project DIR [--input FILE]`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
STATUSES: Final = ("已埋", "已回收", "已过期", "放弃")
LEVELS: Final = ("高", "中", "低")
REVEALS: Final = ("未揭示", "部分揭示", "已揭示")
_SPACE: Final = re.compile(r"\s+")
_UNSAFE: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f]')
_FORESHADOW: Final = re.compile(r"F[0-9]{3,}", re.ASCII)
_EVENT: Final = re.compile(r"E[0-9]{3,}", re.ASCII)


class Invalid(Exception):
    """The input or the state breaks a rule."""


# ---- checking ------------------------------------------------------------------------------------


def text(value: Any, cap: int, where: str) -> str:
    """Clean a text and hold it against its cap in UTF-8 bytes."""
    if not isinstance(value, str):
        raise Invalid(f"{where}: a string is expected")
    found = _SPACE.sub(" ", value.replace("|", "｜")).strip()
    if not found:
        raise Invalid(f"{where}: empty")
    if len(found.encode()) > cap:
        raise Invalid(f"{where}: longer than {cap} bytes")
    return found


def name(value: Any, where: str) -> str:
    """A text that can be a file name."""
    found = unicodedata.normalize("NFC", text(value, 180, where))
    if _UNSAFE.search(found) or found.endswith("."):
        raise Invalid(f"{where}: not a safe name")
    return found


def number(value: Any, where: str, low: int = 1, high: int | None = None) -> int:
    """A whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise Invalid(f"{where}: a whole number from {low} is expected")
    if high is not None and value > high:
        raise Invalid(f"{where}: at most {high}")
    return value


def choice(value: Any, allowed: tuple[str, ...], where: str) -> str:
    """One of the listed words."""
    if value not in allowed:
        raise Invalid(f"{where}: one of {allowed} is expected")
    return str(value)


def texts(value: Any, cap: int, where: str, most: int | None = None) -> list[str]:
    """A list of texts."""
    if not isinstance(value, list) or (most is not None and len(value) > most):
        raise Invalid(f"{where}: a list of at most {most} is expected")
    return [text(item, cap, where) for item in value]


def fields(value: Any, allowed: tuple[str, ...], where: str) -> Json:
    """An object without unknown keys."""
    if not isinstance(value, dict):
        raise Invalid(f"{where}: an object is expected")
    unknown = set(value) - set(allowed)
    if unknown:
        raise Invalid(f"{where}: unsupported fields {sorted(unknown)}")
    return value


def position(value: Any, last: int) -> Json:
    row = fields(value, ("scene", "story_time", "volume", "volume_start_chapter"), "position")
    return {
        "scene": text(row.get("scene"), 240, "scene"),
        "story_time": text(row.get("story_time"), 240, "story_time"),
        "volume": name(row.get("volume"), "volume"),
        "volume_start_chapter": number(
            row.get("volume_start_chapter"), "volume_start_chapter", 1, max(1, last)
        ),
    }


def context(value: Any, last: int, whole: bool) -> Json:
    keys: tuple[str, ...] = (
        "position", "active_character_names", "continuity_risks", "long_term_constraints",
    )  # fmt: skip
    if whole:
        keys = (*keys, "next_chapter_commitments", "recent_chapters")
    row = fields(value, keys, "context")
    out = {
        "position": position(row.get("position"), last),
        "active_character_names": [
            name(n, "active") for n in row.get("active_character_names", [])
        ],
        "continuity_risks": texts(row.get("continuity_risks", []), 384, "risks", 5),
        "long_term_constraints": texts(row.get("long_term_constraints", []), 384, "constraints", 6),
    }
    if whole:
        out["next_chapter_commitments"] = texts(
            row.get("next_chapter_commitments", []), 384, "commitments", 5
        )
        out["recent_chapters"] = [
            {
                "chapter": number(item.get("chapter"), "recent", 1, last),
                "summary": text(item.get("summary"), 360, "recent"),
            }
            for item in row.get("recent_chapters", [])
        ]
    return out


_SINGLE: Final = (("identity", 240), ("location", 240), ("goal", 300), ("state", 300))
_MANY: Final = ("abilities_resources", "relationships", "knowledge", "open_threads")


def snapshot(value: Any, where: str) -> Json:
    row = fields(value, (*(key for key, _ in _SINGLE), *_MANY), where)
    out: Json = {key: text(row.get(key), cap, where) for key, cap in _SINGLE}
    for key in _MANY:
        out[key] = texts(row.get(key, []), 384, where)
    return out


def foreshadow(row: Json, last: int) -> Json:
    ident = row.get("id")
    if not isinstance(ident, str) or not _FORESHADOW.fullmatch(ident):
        raise Invalid("foreshadow: bad id")
    planted = number(row.get("planted_chapter"), ident, 1, last)
    planned = row.get("planned_resolution_chapter")
    return {
        "id": ident,
        "summary": text(row.get("summary"), 360, ident),
        "planted_chapter": planted,
        "planned_resolution_chapter": (None if planned is None else number(planned, ident, planted)),
        "status": choice(row.get("status"), STATUSES, ident),
        "importance": choice(row.get("importance"), LEVELS, ident),
    }


def event(row: Json, last: int) -> Json:
    ident = row.get("id")
    if not isinstance(ident, str) or not _EVENT.fullmatch(ident):
        raise Invalid("event: bad id")
    status = choice(row.get("reveal_status"), REVEALS, ident)
    reveal = row.get("reveal_chapter")
    if (reveal is None) != (status == "未揭示"):
        raise Invalid(f"{ident}: reveal_chapter and reveal_status disagree")
    return {
        "id": ident,
        "story_time": text(row.get("story_time"), 240, ident),
        "objective_fact": text(row.get("objective_fact"), 480, ident),
        "reader_knowledge": text(row.get("reader_knowledge"), 480, ident),
        "reveal_status": status,
        "reveal_chapter": None if reveal is None else number(reveal, ident, 1, last),
        "characters": texts(row.get("characters", []), 120, ident, 12),
    }


_FORESHADOW_KEYS: Final = (
    "id", "summary", "planted_chapter", "planned_resolution_chapter", "status", "importance",
)  # fmt: skip
_EVENT_KEYS: Final = (
    "id", "story_time", "objective_fact", "reader_knowledge", "reveal_status", "reveal_chapter",
    "characters",
)  # fmt: skip


def check_state(value: Any) -> Json:
    """Judge a whole state and return it cleaned."""
    row = fields(
        value,
        ("schema_version", "book_title", "last_committed_chapter", "imported_through_chapter",
         "state_revision", "context", "characters", "foreshadow", "timeline", "wordcount_records"),
        "state",
    )  # fmt: skip
    if row.get("schema_version") != 4:
        raise Invalid("state: unsupported schema")
    last = number(row.get("last_committed_chapter"), "last_committed_chapter", 0)
    characters: Json = {}
    for who, found in row.get("characters", {}).items():
        characters[name(who, "characters")] = snapshot(found, who)
    if len({n.casefold() for n in characters}) != len(characters):
        raise Invalid("characters: two names are one")
    rows: Json = {}
    for ident, found in row.get("foreshadow", {}).items():
        fields(found, (*_FORESHADOW_KEYS, "updated_chapter"), ident)
        rows[ident] = foreshadow(found, last)
        rows[ident]["updated_chapter"] = number(found.get("updated_chapter"), ident, 1, last)
    events: Json = {}
    for ident, found in row.get("timeline", {}).items():
        fields(found, (*_EVENT_KEYS, "first_recorded_chapter", "updated_chapter"), ident)
        events[ident] = event(found, last)
        for key in ("first_recorded_chapter", "updated_chapter"):
            events[ident][key] = number(found.get(key), ident, 1, last)
    where = context(row.get("context"), last, whole=True)
    for who in where["active_character_names"]:
        if who not in characters:
            raise Invalid(f"active character without a snapshot: {who}")
    return {
        "schema_version": 4,
        "book_title": text(row.get("book_title"), 240, "book_title"),
        "last_committed_chapter": last,
        "imported_through_chapter": number(row.get("imported_through_chapter"), "imported", 0, last),
        "state_revision": number(row.get("state_revision"), "state_revision", 0),
        "context": where,
        "characters": characters,
        "foreshadow": rows,
        "timeline": events,
        "wordcount_records": row.get("wordcount_records", {}),
    }


def check_transaction(value: Any, state: Json) -> Json:
    """Judge a transaction against the state it is made for and return it cleaned."""
    row = fields(
        value,
        ("schema_version", "mode", "chapter", "chapter_title", "expected_state_revision", "delta",
         "context", "character_snapshots"),
        "transaction",
    )  # fmt: skip
    if row.get("schema_version") != 1 or row.get("mode") != "append":
        raise Invalid("transaction: schema 1 and mode append are expected")
    if row.get("expected_state_revision") != state["state_revision"]:
        raise Invalid("tracking state changed")
    last = state["last_committed_chapter"] + 1
    if row.get("chapter") != last:
        raise Invalid(f"transaction: chapter {last} is expected")
    delta = fields(
        row.get("delta"),
        ("result", "character_changes", "foreshadow_changes", "timeline_events", "constraints",
         "next_chapter_commitments", "retired_characters", "retired_context_items"),
        "delta",
    )  # fmt: skip
    snapshots = {
        name(who, "character_snapshots"): snapshot(found, who)
        for who, found in row.get("character_snapshots", {}).items()
    }
    changes = []
    for found in delta.get("character_changes", []):
        fields(found, ("name", "change"), "character_changes")
        who = name(found.get("name"), "character_changes")
        if who in state["characters"] and who not in snapshots:
            raise Invalid(f"{who}: snapshot missing")
        changes.append({"name": who, "change": text(found.get("change"), 360, who)})
    if set(snapshots) - {found["name"] for found in changes}:
        raise Invalid("a snapshot without a change")
    foreshadows = []
    for found in delta.get("foreshadow_changes", []):
        fields(found, (*_FORESHADOW_KEYS, "action"), "foreshadow_changes")
        foreshadows.append(foreshadow(found, last))
    events = []
    for found in delta.get("timeline_events", []):
        fields(found, (*_EVENT_KEYS, "action"), "timeline_events")
        events.append(event(found, last))
    where = context(row.get("context"), last, whole=False)
    known = {*state["characters"], *snapshots}
    for who in where["active_character_names"]:
        if who not in known:
            raise Invalid(f"active character without a snapshot: {who}")
    now = {*where["long_term_constraints"], *where["continuity_risks"]}
    declared = set(delta.get("retired_context_items", []))
    for item in (
        *state["context"]["long_term_constraints"],
        *state["context"]["continuity_risks"],
    ):
        if item not in now and item not in declared:
            raise Invalid(f"retired_context_items: {item}")
    return {
        "chapter": last,
        "chapter_title": text(row.get("chapter_title"), 240, "chapter_title"),
        "result": text(delta.get("result"), 360, "result"),
        "character_changes": changes,
        "foreshadow_changes": foreshadows,
        "timeline_events": events,
        "constraints": texts(delta.get("constraints", []), 384, "constraints", 6),
        "next_chapter_commitments": texts(
            delta.get("next_chapter_commitments", []), 384, "commitments", 5
        ),
        "context": where,
        "character_snapshots": snapshots,
    }


# ---- applying and rendering ----------------------------------------------------------------------


def apply(state: Json, tx: Json) -> Json:
    """The state after a transaction."""
    chapter = tx["chapter"]
    after = dict(state)
    after["state_revision"] += 1
    after["last_committed_chapter"] = chapter
    after["characters"] = {**state["characters"], **tx["character_snapshots"]}
    after["foreshadow"] = dict(state["foreshadow"])
    for row in tx["foreshadow_changes"]:
        after["foreshadow"][row["id"]] = {**row, "updated_chapter": chapter}
    after["timeline"] = dict(state["timeline"])
    for row in tx["timeline_events"]:
        old = after["timeline"].get(row["id"])
        first = old["first_recorded_chapter"] if old else chapter
        after["timeline"][row["id"]] = {
            **row, "first_recorded_chapter": first, "updated_chapter": chapter,
        }  # fmt: skip
    recent = [*state["context"]["recent_chapters"], {"chapter": chapter, "summary": tx["result"]}]
    after["context"] = {
        **tx["context"],
        "next_chapter_commitments": tx["next_chapter_commitments"],
        "recent_chapters": recent[-3:],
    }
    return after


def notice(state: Json) -> str:
    """The line under every heading."""
    return f"> 状态修订：{state['state_revision']}。"


def bullets(title: str, items: list[str]) -> list[str]:
    return [f"## {title}", *(f"- {item}" for item in items or ["无"]), ""]


def by_number(rows: Json) -> list[Json]:
    return sorted(rows.values(), key=lambda row: int(row["id"][1:]))


def card(state: Json) -> str:
    where = state["context"]["position"]
    last = state["last_committed_chapter"]
    people = []
    for who in state["context"]["active_character_names"]:
        row = state["characters"][who]
        people.append(f"{who}｜{row['identity']}｜{row['state']}｜目标：{row['goal']}")
    threads = [row for row in state["foreshadow"].values() if row["status"] == "已埋"]

    def urgency(row: Json) -> tuple[bool, int, int, int]:
        planned = row["planned_resolution_chapter"] or 1 << 60
        return (planned > last + 1, LEVELS.index(row["importance"]), planned, int(row["id"][1:]))

    threads.sort(key=urgency)
    shown = []
    for row in threads[:8]:
        planned = row["planned_resolution_chapter"]
        due = f"第{planned}章" if planned else "回收章未定"
        shown.append(
            f"{row['id']}｜{row['summary']}｜埋第{row['planted_chapter']}章｜{due}｜{row['importance']}"
        )
    if len(threads) > 8:
        shown.append(f"另有 {len(threads) - 8} 条未列，见 伏笔.md")
    recent = [f"第{r['chapter']}章｜{r['summary']}" for r in state["context"]["recent_chapters"]]
    lines = [
        f"# 写作连续性上下文 — {state['book_title']}", "", notice(state), "",
        "## 当前位置",
        f"- 当前章：{f'第{last}章' if last else '尚未开篇'}",
        f"- 卷：{where['volume']}（始于第{where['volume_start_chapter']}章）",
        f"- 故事时间：{where['story_time']}",
        f"- 场景：{where['scene']}",
        "",
        *bullets("长期约束", state["context"]["long_term_constraints"]),
        *bullets("核心角色状态", people),
        *bullets("活跃伏笔", shown),
        *bullets("近三章速记", recent),
        *bullets("下一章承诺", state["context"]["next_chapter_commitments"]),
        *bullets("连贯性风险", state["context"]["continuity_risks"]),
    ]  # fmt: skip
    return "\n".join(lines[:-1]) + "\n"


def foreshadow_table(state: Json) -> str:
    lines = ["# 伏笔当前状态", "", notice(state), "",
             "| ID | 内容 | 埋设章 | 计划回收章 | 状态 | 重要度 | 最近变更章 |",
             "|---|---|---:|---:|---|---|---:|"]  # fmt: skip
    for row in by_number(state["foreshadow"]):
        planned = row["planned_resolution_chapter"]
        lines.append(
            f"| {row['id']} | {row['summary']} | 第{row['planted_chapter']}章 | "
            f"{f'第{planned}章' if planned else '—'} | {row['status']} | {row['importance']} | "
            f"第{row['updated_chapter']}章 |"
        )
    return "\n".join(lines) + "\n"


def truth_table(state: Json) -> str:
    lines = ["# 作者真相时间线", "", notice(state), "",
             "| ID | 首次登记章 | 故事时间 | 客观事实 | 读者当前认知 | 揭示状态 | 实际揭示章 |",
             "|---|---:|---|---|---|---|---:|"]  # fmt: skip
    for row in by_number(state["timeline"]):
        people = f"（涉及：{'、'.join(row['characters'])}）" if row["characters"] else ""
        told = f"第{row['reveal_chapter']}章" if row["reveal_chapter"] else "—"
        lines.append(
            f"| {row['id']} | 第{row['first_recorded_chapter']}章 | {row['story_time']} | "
            f"{row['objective_fact']}{people} | {row['reader_knowledge']} | "
            f"{row['reveal_status']} | {told} |"
        )
    return "\n".join(lines) + "\n"


def reader_table(state: Json) -> str:
    lines = ["# 读者已知时间线", "", notice(state), "", "| ID | 读者当前认知 | 认知截至章 |",
             "|---|---|---:|"]  # fmt: skip
    lines += [
        f"| {row['id']} | {row['reader_knowledge']} | 第{row['updated_chapter']}章 |"
        for row in by_number(state["timeline"])
    ]
    return "\n".join(lines) + "\n"


def character_file(state: Json, who: str) -> str:
    row = state["characters"][who]
    lines = [
        f"# {who}｜当前状态", "", notice(state), "",
        f"- 身份：{row['identity']}",
        f"- 位置：{row['location']}",
        f"- 当前目标：{row['goal']}",
        f"- 身心状态：{row['state']}",
        "",
        *bullets("能力与资源", row["abilities_resources"]),
        *bullets("关键关系", row["relationships"]),
        *bullets("已知信息", row["knowledge"]),
        *bullets("未结事项", row["open_threads"]),
    ]  # fmt: skip
    return "\n".join(lines[:-1]) + "\n"


def views(state: Json) -> dict[str, str]:
    """Every view, by path below 追踪/."""
    out = {
        "上下文.md": card(state),
        "伏笔.md": foreshadow_table(state),
        "时间线/作者真相.md": truth_table(state),
        "时间线/读者已知.md": reader_table(state),
    }
    for who in state["characters"]:
        out[f"角色状态/{who}.md"] = character_file(state, who)
    return out


def record(state: Json, tx: Json) -> str:
    """The chapter's record."""

    def section(title: str, items: list[str]) -> list[str]:
        return ["", f"## {title}", *(f"- {item}" for item in items or ["无"])]

    threads = []
    for row in tx["foreshadow_changes"]:
        planned = row["planned_resolution_chapter"]
        due = f"第{planned}章" if planned else "未定"
        threads.append(f"{row['id']}｜{row['status']}｜{row['summary']}｜回收{due}")
    lines = [
        f"# 第{tx['chapter']:03d}章 · {tx['chapter_title']}", "",
        f"- 结果：{tx['result']}",
        f"- 下一章承诺：{'；'.join(tx['next_chapter_commitments']) or '无'}",
        *section("角色变化", [
            f"{c['name']}｜{'核心' if c['name'] in state['characters'] else '临时'}｜{c['change']}"
            for c in tx["character_changes"]
        ]),
        *section("伏笔变化", threads),
        *section("时间与揭示", [
            f"{e['id']}｜{e['story_time']}｜事实：{e['objective_fact']}"
            f"｜读者：{e['reader_knowledge']}｜{e['reveal_status']}"
            for e in tx["timeline_events"]
        ]),
        *section("连贯性约束", tx["constraints"]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


# ---- files ---------------------------------------------------------------------------------------


def encode(state: Json) -> str:
    return json.dumps(state, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def put(path: Path, content: str) -> None:
    """Replace a file whole: temporary file, fsync, rename. The same content is left alone."""
    data = content.encode()
    try:
        if path.read_bytes() == data:
            return
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with staged.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    staged.replace(path)


def locked(root: Path, work: Callable[[], Json]) -> Json:
    """Run under a lock file."""
    lock = root / "追踪" / ".tracking-commit.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    try:
        os.write(handle, f"pid={os.getpid()}\n".encode())
        os.close(handle)
        return work()
    finally:
        lock.unlink()


def load(root: Path) -> Json:
    with (root / "追踪" / "_tracking-state.json").open(encoding="utf-8") as handle:
        return check_state(json.load(handle))


def save(root: Path, state: Json) -> None:
    """Write every view, then the state, which is the authority."""
    folder = root / "追踪"
    for path, content in views(state).items():
        put(folder / path, content)
    put(folder / "_tracking-state.json", encode(state))


def commit(root: Path, document: Any) -> Json:
    """Commit one transaction."""

    def work() -> Json:
        state = load(root)
        tx = check_transaction(document, state)
        after = apply(state, tx)
        path = root / "追踪" / "逐章记录" / f"第{tx['chapter']:03d}章.md"
        content = record(after, tx)
        if path.exists() and path.read_text(encoding="utf-8") != content:
            raise Invalid(f"{path.name} already exists with different content")
        if len(card(after).encode()) > 12_288 or len(content.encode()) > 3_072:
            raise Invalid("over capacity")
        put(path, content)
        save(root, after)
        return {"status": "ok", "state_revision": after["state_revision"]}

    return locked(root, work)


def check(root: Path) -> Json:
    """Hold every view against the state, and look that every record is there."""
    state = load(root)
    folder = root / "追踪"
    for path, content in views(state).items():
        if (folder / path).read_text(encoding="utf-8") != content:
            raise Invalid(f"{path} differs")
    records = set(os.listdir(folder / "逐章记录")) if (folder / "逐章记录").is_dir() else set()  # noqa: PTH208
    for chapter in range(state["imported_through_chapter"] + 1, state["last_committed_chapter"] + 1):
        if f"第{chapter:03d}章.md" not in records:
            raise Invalid(f"the record of chapter {chapter} is missing")
    return {"status": "ok", "state_revision": state["state_revision"]}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=("commit", "check"))
    parser.add_argument("--project", type=Path, required=True)
    parser.add_argument("--input", type=Path)
    given = parser.parse_args(argv)
    if given.verb == "check":
        answer = check(given.project)
    else:
        with given.input.open(encoding="utf-8") as handle:
            document = json.load(handle)
        answer = commit(given.project, document)
    sys.stdout.write(json.dumps(answer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
