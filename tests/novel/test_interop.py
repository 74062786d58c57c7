"""Living beside other tools of schema 4: their books are taken over whole, ours are lawful to them.

The books of another tool are built here from the format's description, not by our own code; so is
the validator that every state we write has to satisfy.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from clew.kernel.errors import ClewError, Corrupt, NewerSchema
from clew.kernel.faults import Fault
from clew.novel import views
from clew.novel.check import check
from clew.novel.commit import commit
from clew.novel.history import encode_state
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.start import adopt, init
from clew.novel.timetravel import at, undo
from clew.testing.novel import (
    Document,
    Story,
    chapter,
    event,
    foreshadow,
    histories,
    refusal,
    snapshot,
    state_of,
    tree,
)

FEW = settings(max_examples=max(10, settings().max_examples // 5))

# ---- a book as another tool leaves it ------------------------------------------------------------


def _peer_state(*, words: bool = True, overlay: bool = False) -> Document:
    context = {
        "position": {"volume": "第一卷", "volume_start_chapter": 1, "story_time": "立秋",
                     "scene": "三号码头"},
        "long_term_constraints": ["夜里不许点明火"], "active_character_names": ["江晨"],
        "continuity_risks": ["老周的话只能信一半"],
        "recent_chapters": [{"chapter": n, "summary": f"第{n}章写完"} for n in (3, 4, 5)],
        "next_chapter_commitments": ["账房上船"],
    }  # fmt: skip
    state: Document = {
        "schema_version": 4, "book_title": "渡口旧账", "last_committed_chapter": 5,
        "imported_through_chapter": 3, "state_revision": 2 + overlay, "context": context,
        "characters": {"江晨": snapshot(knowledge=["账房换了人"]), "老周": snapshot()},
        "foreshadow": {
            "F001": _stored(foreshadow("F001", 2, 4), updated=4),
            "F1000": _stored(foreshadow("F1000", 5, status="已回收"), updated=5),
        },
        "timeline": {"E001": _stored(event("E001", characters=["江晨", "没登记的人"]), updated=5) | {
            "first_recorded_chapter": 4}},
    }  # fmt: skip
    if words:
        state["wordcount_records"] = {
            "4": {"metric": "visible_chars_v1", "target": 1200, "actual": 1350, "status": "borderline",
                  "resolution": "within_user_band", "body_sha256": sha256(BODY).hexdigest()},
            "5": {"metric": "visible_chars_v1", "target": 1200, "actual": 1350,
                  "status": "internal_pass", "resolution": "within_user_band",
                  "body_sha256": "0" * 64, "author_range": {"min": 1000, "max": 1400}},
        }  # fmt: skip
    return state


BODY = "# 第4章 题\n\n船来了。\n".encode()


def _stored(row: Document, updated: int) -> Document:
    return {k: v for k, v in row.items() if k != "action"} | {"updated_chapter": updated}


def _peer_record(number: int) -> str:
    return (
        f"# 第{number:03}章 · 章题{number}\n\n- 结果：第{number}章写完\n- 下一章承诺：无\n\n"
        "## 角色变化\n- 江晨｜核心｜变了\n\n## 伏笔变化\n- 无\n\n## 时间与揭示\n- 无\n\n"
        "## 连贯性约束\n- 无\n\n## 本章退役登记\n- 旧的约束\n"
    )


def _peer_views(state: Document) -> dict[str, str]:
    """Another tool's views: its own notices, a revision line in each, in every character file too."""
    head = f"> 状态修订：{state['state_revision']}。这是别的工具写的说明。"
    out = {
        "上下文.md": f"# 写作连续性上下文 — {state['book_title']}\n\n{head}\n\n## 当前位置\n- 当前章：第5章\n",
        "伏笔.md": f"# 伏笔当前状态\n\n{head}\n\n| ID | 内容 |\n|---|---|\n| F001 | 半本旧账 |\n",
        "时间线/作者真相.md": f"# 作者真相时间线\n\n{head}\n",
        "时间线/读者已知.md": f"# 读者已知时间线\n\n{head}\n",
    }
    for name, row in state["characters"].items():
        out[f"角色状态/{name}.md"] = (
            f"# {name}｜当前状态\n\n- 状态修订：{state['state_revision']}\n"
            f"- 截至章节：第{state['last_committed_chapter']}章\n- 身份：{row['identity']}\n"
        )
    return out


Writer = Callable[[Document], bytes]
LAYOUTS: dict[str, Writer] = {
    "as the format says": lambda s: (
        json.dumps(s, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode(),
    "compact": lambda s: json.dumps(s, ensure_ascii=False, separators=(",", ":")).encode(),
    "escaped, four spaces": lambda s: json.dumps(s, indent=4).encode(),
    "CRLF checkout": lambda s: (
        json.dumps(s, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    ).replace("\n", "\r\n").encode(),
    "BOM": lambda s: b"\xef\xbb\xbf" + json.dumps(s, ensure_ascii=False, indent=2).encode(),
}  # fmt: skip


def _write_peer(
    folder: Path, state: Document, write: Writer = LAYOUTS["as the format says"], ends: str = "\n"
) -> Ledger:
    top = folder / "追踪"
    last, imported = state["last_committed_chapter"], state["imported_through_chapter"]
    texts = _peer_views(state)
    for number in range(imported + 1, last + 1):
        texts[f"逐章记录/第{number:03}章.md"] = _peer_record(number)
    for path, text in texts.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(text.replace("\n", ends).encode())
    (top / "_tracking-state.json").write_bytes(write(state))
    (folder / "正文").mkdir(exist_ok=True)
    (folder / "正文/第004章_题.md").write_bytes(BODY)
    (folder / "正文/第005章_题.md").write_bytes(BODY)
    return Ledger(folder)


def _values(folder: Path) -> Any:
    return json.loads((folder / STATE).read_text("utf-8"))


def _with_words(state: Document) -> Document:
    return {"wordcount_records": {}} | state


# ---- the rules of schema 4, written down once more -----------------------------------------------


def _text(value: Any, cap: int) -> bool:
    return (
        isinstance(value, str)
        and bool(value)
        and value == re.sub(r"\s+", " ", value.replace("|", "｜")).strip()
        and len(value.encode()) <= cap
    )


def _texts(value: Any, count: int | None, cap: int) -> bool:
    return (
        isinstance(value, list)
        and (count is None or len(value) <= count)
        and all(_text(item, cap) for item in value)
    )


def _name(value: Any) -> bool:
    stem = value.split(".", 1)[0].upper() if isinstance(value, str) else ""
    reserved = {
        "CON",
        "PRN",
        "AUX",
        "NUL",
        *(f"{d}{n}" for d in ("COM", "LPT") for n in range(1, 10)),
    }
    return (
        _text(value, 180)
        and value == unicodedata.normalize("NFC", value)
        and not re.search(r'[<>:"/\\|?*\x00-\x1f]', value)
        and value not in (".", "..")
        and value[-1] not in ". "
        and stem not in reserved
    )


def _unique(names: list[str]) -> bool:
    return len({unicodedata.normalize("NFC", n).casefold() for n in names}) == len(names)


def _int(value: Any, low: int, high: int | None = None) -> bool:
    return type(value) is int and value >= low and (high is None or value <= high)


def _keys(value: Any, keys: str) -> bool:
    return isinstance(value, dict) and set(value) == set(keys.split())


def _length_status(record: Document) -> str:
    actual, target = record["actual"], record["target"]
    if span := record.get("author_range"):
        if span["min"] <= actual <= span["max"]:
            return "internal_pass"
        return "under" if actual < span["min"] else "over"
    for status, percent in (("internal_pass", 12), ("borderline", 15)):
        low, high = -(-target * (100 - percent) // 100), target * (100 + percent) // 100
        if low <= actual <= high:
            return status
    return "under" if actual < target else "over"


def _violations(state: Any) -> list[str]:
    """What schema 4 holds against a state: §by§ from the format's description."""
    top = (
        "schema_version book_title last_committed_chapter imported_through_chapter state_revision "
        "context characters foreshadow timeline wordcount_records"
    )
    if not _keys(state, top):
        return ["keys"]
    bad: list[str] = []

    def need(good: bool, what: str) -> None:
        if not good:
            bad.append(what)

    last = state["last_committed_chapter"]
    need(state["schema_version"] == 4, "schema")
    need(_text(state["book_title"], 240), "title")
    need(_int(last, 0) and _int(state["imported_through_chapter"], 0, last), "chapters")
    need(_int(state["state_revision"], 0), "revision")
    context = state["context"]
    need(
        _keys(
            context,
            "position long_term_constraints active_character_names continuity_risks recent_chapters "
            "next_chapter_commitments",
        ),
        "context",
    )
    place = context["position"]
    need(_keys(place, "volume volume_start_chapter story_time scene"), "position")
    need(_name(place["volume"]) and _int(place["volume_start_chapter"], 1, max(1, last)), "volume")
    need(_text(place["story_time"], 240) and _text(place["scene"], 240), "time and scene")
    need(_texts(context["long_term_constraints"], 6, 384), "constraints")
    need(_texts(context["continuity_risks"], 5, 384), "risks")
    need(_texts(context["next_chapter_commitments"], 5, 384), "commitments")
    active = context["active_character_names"]
    need(len(active) <= 20 and all(map(_name, active)) and _unique(active), "active")
    need(all(name in state["characters"] for name in active), "active without snapshot")
    recent = context["recent_chapters"]
    numbers = [row["chapter"] for row in recent]
    need(len(recent) <= 3 and numbers == sorted(set(numbers)), "recent")
    need(
        all(_keys(r, "chapter summary") and _text(r["summary"], 360) for r in recent), "recent rows"
    )
    need(all(_int(n, 1, last) for n in numbers), "recent numbers")
    need(_unique(list(state["characters"])) and all(map(_name, state["characters"])), "names")
    for name, row in state["characters"].items():
        lists = ("abilities_resources", "relationships", "knowledge", "open_threads")
        need(_keys(row, "identity location goal state " + " ".join(lists)), f"snapshot {name}")
        need(_text(row["identity"], 240) and _text(row["location"], 240), f"{name} identity")
        need(_text(row["goal"], 300) and _text(row["state"], 300), f"{name} goal")
        need(all(_texts(row[key], None, 384) for key in lists), f"{name} lists")
    need(last > 0 or not (state["foreshadow"] or state["timeline"]), "rows before chapter 1")
    for ident, row in state["foreshadow"].items():
        fields = "id summary planted_chapter planned_resolution_chapter status importance updated_chapter"
        need(_keys(row, fields) and row["id"] == ident, ident)
        need(re.fullmatch(r"F[0-9]{3,}", ident) is not None and len(ident) <= 24, f"{ident} id")
        need(_text(row["summary"], 360), f"{ident} summary")
        planted, planned = row["planted_chapter"], row["planned_resolution_chapter"]
        need(_int(planted, 1, last), f"{ident} planted")
        need(planned is None or _int(planned, planted), f"{ident} planned")
        need(row["status"] in ("已埋", "已回收", "已过期", "放弃"), f"{ident} status")
        need(row["importance"] in ("高", "中", "低"), f"{ident} importance")
        need(_int(row["updated_chapter"], 1, last), f"{ident} updated")
    for ident, row in state["timeline"].items():
        fields = (
            "id story_time objective_fact reader_knowledge reveal_status reveal_chapter characters "
            "first_recorded_chapter updated_chapter"
        )
        need(_keys(row, fields) and row["id"] == ident, ident)
        need(re.fullmatch(r"E[0-9]{3,}", ident) is not None and len(ident) <= 24, f"{ident} id")
        need(_text(row["story_time"], 240), f"{ident} time")
        need(_text(row["objective_fact"], 480) and _text(row["reader_knowledge"], 480), ident)
        need(row["reveal_status"] in ("未揭示", "部分揭示", "已揭示"), f"{ident} status")
        hidden = row["reveal_status"] == "未揭示"
        revealed = row["reveal_chapter"]
        need(revealed is None if hidden else _int(revealed, 1, last), f"{ident} reveal")
        need(_texts(row["characters"], 12, 120), f"{ident} people")
        for key in ("first_recorded_chapter", "updated_chapter"):
            need(_int(row[key], 1, last), f"{ident} {key}")
    for key, row in state["wordcount_records"].items():
        fields = "metric target actual status resolution body_sha256"
        author = " author_range" if "author_range" in row else ""
        need(_keys(row, fields + author), f"record {key}")
        need(re.fullmatch(r"[1-9][0-9]*", key) is not None and int(key) <= last, f"record {key}")
        need(row["metric"] == "visible_chars_v1", f"record {key} metric")
        need(_int(row["target"], 1, 2**53 - 1) and _int(row["actual"], 1), f"record {key} numbers")
        need(row["status"] == _length_status(row), f"record {key} status")
        within = row["status"] in ("internal_pass", "borderline")
        wanted = "within_user_band" if within else "accepted_current_length"
        need(row["resolution"] == wanted, f"record {key} resolution")
        need(re.fullmatch(r"[0-9a-f]{64}", row["body_sha256"]) is not None, f"record {key} sha")
    return bad


def test_the_validator_knows_a_lawful_state_from_others() -> None:
    assert _violations(_peer_state()) == []
    wrong = _peer_state()
    wrong["context"]["recent_chapters"][0]["summary"] = "字" * 121
    wrong["foreshadow"]["F001"]["planted_chapter"] = 6
    wrong["wordcount_records"]["4"]["status"] = "internal_pass"
    assert _violations(wrong) == ["recent rows", "F001 planted", "F001 planned", "record 4 status"]


# ---- taking over ---------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", list(LAYOUTS))
@pytest.mark.parametrize("words", [True, False], ids=["counted", "uncounted"])
def test_adopting_loses_nothing(tmp_path: Path, layout: str, words: bool) -> None:
    state = _peer_state(words=words)
    ends = "\r\n" if layout == "CRLF checkout" else "\n"
    ledger = _write_peer(tmp_path, state, LAYOUTS[layout], ends)
    before = tree(tmp_path)
    taken = adopt(ledger, [])
    assert _values(tmp_path) == _with_words(state)
    assert taken.missing_records == [] and taken.chapter_records == 2
    after = tree(tmp_path)
    for number in (4, 5):
        assert after[record_path(number)] == before[record_path(number)]
    kept = set(after.values())
    lost = [p for p, d in before.items() if p != STATE and d not in kept]
    assert lost == []  # every view of the other tool stands somewhere
    check(ledger, [])
    assert _violations(_values(tmp_path)) == []


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_a_commit_adopts_first_and_says_so(tmp_path: Path, layout: str) -> None:
    state = _peer_state()
    ends = "\r\n" if layout == "CRLF checkout" else "\n"
    ledger = _write_peer(tmp_path, state, LAYOUTS[layout], ends)
    before = tree(tmp_path)
    notes: list[Fault] = []
    done = commit(ledger, chapter(state_of(ledger), changes=["江晨"]), notes)
    assert (done.last_committed_chapter, done.state_revision) == (6, 3)
    assert notes[0].code == "adopted_first"
    assert {n.code for n in notes[1:]} == {"edit_set_aside"}
    after = tree(tmp_path)
    assert [p for p, d in before.items() if p != STATE and d not in set(after.values())] == []
    kinds = [json.loads(line)["kind"] for line in (tmp_path / HISTORY).read_bytes().splitlines()]
    assert kinds == ["adopt", "append"]
    assert json.loads(encode_state(at(ledger, revision=2).state)) == state
    undo(ledger, [])
    assert _values(tmp_path) == state | {"state_revision": 4}
    check(ledger, [])


def test_a_refused_commit_does_not_adopt(tmp_path: Path) -> None:
    ledger = _write_peer(tmp_path, _peer_state())
    document = chapter(state_of(ledger), 9)
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert error.code == "wrong_chapter"


def test_a_dry_run_says_what_would_be_taken_over_and_changes_nothing(tmp_path: Path) -> None:
    ledger = _write_peer(tmp_path, _peer_state())
    (tmp_path / record_path(4)).unlink()
    before = tree(tmp_path)
    said = adopt(ledger, [], dry_run=True)
    assert tree(tmp_path) == before
    assert said.dry_run
    assert (said.book_title, said.state_revision) == ("渡口旧账", 2)
    assert (said.last_committed_chapter, said.imported_through_chapter) == (5, 3)
    assert said.characters == ["江晨", "老周"]
    assert (said.open_foreshadows, said.overdue_foreshadows, said.events) == (1, ["F001"], 1)
    assert (said.chapter_records, said.missing_records) == (1, [record_path(4)])
    assert said.changed_bodies == [5]
    assert said.set_aside == []


def test_what_is_taken_over_is_what_the_dry_run_said(tmp_path: Path) -> None:
    ledger = _write_peer(tmp_path, _peer_state())
    said, done = adopt(ledger, [], dry_run=True), adopt(ledger, [])
    assert (said.characters, said.overdue_foreshadows, said.changed_bodies) == (
        done.characters, done.overdue_foreshadows, done.changed_bodies,
    )  # fmt: skip


def test_views_of_the_other_tool_are_kept_aside_and_named(tmp_path: Path) -> None:
    state = _peer_state()
    ledger = _write_peer(tmp_path, state)
    texts = _peer_views(state)
    notes: list[Fault] = []
    taken = adopt(ledger, notes)
    named = {n.facts["file"]: n.facts["found"] for n in notes}
    assert set(named) == {f"追踪/{path}" for path in texts}
    assert sorted(named.values()) == sorted(taken.set_aside)
    for path, text in texts.items():
        assert (tmp_path / named[f"追踪/{path}"]).read_text("utf-8") == text
        mine = (tmp_path / "追踪" / path).read_bytes()
        assert mine == views.render(state_of(ledger))[f"追踪/{path}"]


def test_an_overlay_record_of_an_imported_chapter_is_taken_over_too(tmp_path: Path) -> None:
    ledger = _write_peer(tmp_path, _peer_state(overlay=True))
    (tmp_path / record_path(2)).write_text(_peer_record(2), "utf-8")
    assert adopt(ledger, []).chapter_records == 3
    check(ledger, [])
    commit(ledger, chapter(state_of(ledger), 2, result="改写"), [])
    text = (tmp_path / record_path(2)).read_text("utf-8")
    assert "- 结果：改写" in text
    assert text.endswith("## 本章退役登记\n- 旧的约束\n")
    undo(ledger, [])
    assert (tmp_path / record_path(2)).read_text("utf-8") == _peer_record(2)


@pytest.mark.parametrize("first", [adopt, None], ids=["adopted", "commit adopts"])
def test_a_revision_keeps_the_retirements_that_the_other_tool_recorded(
    tmp_path: Path, first: Callable[..., object] | None
) -> None:
    ledger = _write_peer(tmp_path, _peer_state(words=False))
    if first:
        first(ledger, [])
    commit(ledger, chapter(state_of(ledger), 5, result="改写"), [])
    text = (tmp_path / record_path(5)).read_text("utf-8")
    assert text.endswith("## 本章退役登记\n- 旧的约束\n")
    check(ledger, [])


def test_names_that_the_other_tool_stored_decomposed_become_one_file(tmp_path: Path) -> None:
    state = _peer_state()
    decomposed = unicodedata.normalize("NFD", "Zoë")
    state["characters"][decomposed] = snapshot()
    state["context"]["active_character_names"] = [decomposed]
    ledger = _write_peer(tmp_path, state)
    raw = (tmp_path / STATE).read_bytes()
    adopt(ledger, [])
    assert "Zoë" in state_of(ledger).characters
    assert raw in tree(tmp_path).values()  # what reading changed is kept as it was
    check(ledger, [])


def test_texts_that_reading_cleans_are_kept_as_they_were(tmp_path: Path) -> None:
    state = _peer_state()
    state["book_title"] = "渡口|旧账\n"
    ledger = _write_peer(tmp_path, state)
    raw = (tmp_path / STATE).read_bytes()
    notes: list[Fault] = []
    adopt(ledger, notes)
    assert state_of(ledger).book_title == "渡口｜旧账"
    assert raw in tree(tmp_path).values()
    assert STATE in [n.facts["file"] for n in notes]


def test_six_or_more_active_characters_are_taken_over(tmp_path: Path) -> None:
    state = _peer_state()
    cast = {f"人{n}": snapshot() for n in range(6)}
    state["characters"] |= cast
    state["context"]["active_character_names"] = list(cast)
    ledger = _write_peer(tmp_path, state)
    adopt(ledger, [])
    assert state_of(ledger).context.active_character_names == list(cast)


def test_a_lock_file_that_the_other_tool_left_behind_blocks_nobody(tmp_path: Path) -> None:
    ledger = _write_peer(tmp_path, _peer_state())
    (tmp_path / "追踪/.tracking-commit.lock").write_text("pid=999999999", "utf-8")
    adopt(ledger, [])
    assert not (tmp_path / "追踪/.tracking-commit.lock").exists()


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [5, 7])
def test_a_newer_schema_is_left_untouched_by_every_command(tmp_path: Path, schema: int) -> None:
    state = _peer_state() | {"schema_version": schema, "verdicts": {}}
    ledger = _write_peer(tmp_path, state)
    other = _write_peer(tmp_path.parent / f"{tmp_path.name}-ok", _peer_state())
    document = chapter(state_of(other))
    runs: list[Callable[[], object]] = [
        lambda: adopt(ledger, []), lambda: adopt(ledger, [], dry_run=True),
        lambda: commit(ledger, document, []), lambda: check(ledger, []), lambda: undo(ledger, []),
        lambda: at(ledger, revision=2),
    ]  # fmt: skip
    for run in runs:
        error = refusal(tmp_path, run)
        assert isinstance(error, NewerSchema | Corrupt)
        assert [(f.code, f.facts["found"]) for f in error.faults] == [("newer_schema", schema)]
    assert "升级" in error.faults[0].hint("zh")
    assert refusal(tmp_path, lambda: init(ledger, {}, [])).code == "ledger_exists"


def test_unknown_keys_are_refused_each_with_its_path(tmp_path: Path) -> None:
    state = _peer_state()
    state["gaps"] = {}
    state["context"]["mood"] = "暗"
    state["characters"]["江晨"]["age"] = 20
    state["foreshadow"]["F001"]["note"] = ""
    state["timeline"]["E001"]["place"] = ""
    state["wordcount_records"]["4"]["event_id"] = 1
    ledger = _write_peer(tmp_path, state)
    for run in (lambda: adopt(ledger, []), lambda: check(ledger, [])):
        error = refusal(tmp_path, run)
        assert sorted((f.code, f.path) for f in error.faults) == [
            ("unknown_field", "$.characters.江晨.age"),
            ("unknown_field", "$.context.mood"),
            ("unknown_field", "$.foreshadow.F001.note"),
            ("unknown_field", "$.gaps"),
            ("unknown_field", "$.timeline.E001.place"),
            ("unknown_field", '$.wordcount_records["4"].event_id'),
        ]


@pytest.mark.parametrize(
    ("damage", "codes"),
    [
        (lambda s: s["characters"].pop("江晨"), {"active_without_snapshot"}),
        (lambda s: s["foreshadow"].update({"F００２": s["foreshadow"]["F001"]}), {"bad_id"}),
        (lambda s: s["characters"].update({"a/b": snapshot()}), {"bad_name"}),
        (lambda s: s["characters"].update({"Amy": snapshot(), "AMY": snapshot()}),
         {"duplicate_item"}),
        (lambda s: s["context"]["recent_chapters"][2].update(summary="字" * 160),
         {"text_too_long"}),
        (lambda s: s.update(last_committed_chapter=3.0), {"wrong_type"}),
        (lambda s: s.pop("state_revision"), {"missing_field"}),
    ],
)  # fmt: skip
def test_a_state_that_breaks_its_own_rules_is_not_taken_over(
    tmp_path: Path, damage: Callable[[Document], object], codes: set[str]
) -> None:
    state = _peer_state()
    ledger = _write_peer(tmp_path, state)
    damage(state)
    (tmp_path / STATE).write_bytes(LAYOUTS["as the format says"](state))
    error = refusal(tmp_path, lambda: adopt(ledger, []))
    assert isinstance(error, Corrupt)
    assert {f.code for f in error.faults} == codes


# ---- ours to them --------------------------------------------------------------------------------


@FEW
@given(story=histories(most=4))
def test_every_state_we_write_is_lawful_schema_4(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder)
    init(ledger, story.init, [])
    assert _violations(_values(folder)) == []
    for document in story.transactions:
        commit(ledger, document, [])
        assert _violations(_values(folder)) == []
        raw = (folder / STATE).read_bytes()
        canonical = json.dumps(_values(folder), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        assert raw == canonical.encode()
        number = state_of(ledger).state_revision
        assert f"状态修订：{number}" in (folder / views.CARD).read_text("utf-8")
    undo(ledger, [])
    assert _violations(_values(folder)) == []


@FEW
@given(story=histories(most=2))
def test_a_book_of_ours_can_go_to_another_tool_and_come_back(
    tmp_path_factory: pytest.TempPathFactory, story: Story
) -> None:
    folder = tmp_path_factory.mktemp("book")
    ledger = Ledger(folder)
    init(ledger, story.init, [])
    for document in story.transactions:
        commit(ledger, document, [])
    state = _values(folder) | {"state_revision": 50}
    (folder / STATE).write_bytes(LAYOUTS["compact"](state))
    mine = Ledger(folder)
    with pytest.raises(ClewError) as caught:
        check(mine, [])
    assert caught.value.code == "changed_outside"
    adopt(mine, [])
    assert _values(folder) == state
    commit(mine, chapter(state_of(mine)), [])
    assert state_of(mine).state_revision == 51
    check(mine, [])
