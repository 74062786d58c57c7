"""A state after a transaction, and the texts of views and records.

Pure. The texts are those of clew but for the line on who made a file: here it names the revision.
"""

from __future__ import annotations

from benchmarks.baseline.rules import LEVELS, Json


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
