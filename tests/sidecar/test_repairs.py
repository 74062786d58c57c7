"""What is mended on reading keeps what it can, says nothing private, and is mended once."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from typing import Any

import pytest
from worked import NOW, SMALL, SMOKING, STUDY, begun, codes, did, small

from clew.kernel.errors import Refused
from clew.sidecar import engine
from clew.sidecar.engine_shape import ITEMS
from clew.sidecar.profile import compiled
from clew.sidecar.profile_versions import unbumped

# ---- nothing private in a note ---------------------------------------------------------------------

PRIVATE = small(
    SMALL.replace("version = 1", "version = 2")
    + """
[fields.box]
type = "object"
[fields.box.fields]
open = { type = "text", max = 5, null = true }
hidden = { type = "text", null = true, private = true }
[fields.log]
type = "list"
keep_last = 5
[fields.log.items]
type = "object"
[fields.log.items.fields]
shown = { type = "int" }
hidden = { type = "text", private = true }
[fields.people]
type = "map"
[fields.people.items]
type = "object"
[fields.people.items.fields]
shown = { type = "int" }
hidden = { type = "text", private = true }
[fields.names]
type = "map"
private = true
items = { type = "int" }
[fields.pin]
type = "int"
min = 0
max = 9999
default = 1
private = true
[fields.code]
type = "enum"
values = ["SECRET-a", "SECRET-b"]
default = "SECRET-a"
private = true
[events.add_pin]
args.by = { type = "int" }
change = [{ add = "pin", by = { arg = "by" } }]
[[migrations]]
to = 2
drop = ["old_secret"]
rename = { old_box = "box" }
"""
)


@pytest.mark.parametrize(
    "raw",
    [
        {"box": "SECRET"},
        {"box": ["SECRET"]},
        {"old_box": "SECRET"},
        {"box": {"open": ["SECRET"], "hidden": None}},
        {"box": {"open": 5, "hidden": {"SECRET": 1}}},
        {"log": {"a": "SECRET"}},
        {"log": [{"shown": "x", "hidden": "SECRET"}, "SECRET", ["SECRET"]]},
        {"log": [{"shown": 1, "hidden": ["SECRET"]}]},
        {"people": {"al": {"shown": "SECRET", "hidden": "SECRET"}}},
        {"people": {"al": "SECRET"}},
        {"people": "SECRET"},
        {"names": {"SECRET": "x"}},
        {"names": ["SECRET"]},
        {"pin": "SECRET"},
        {"code": "SECRET"},
        {"old_secret": "SECRET"},
        {"old_secret": {"deep": ["SECRET"]}},
    ],
    ids=str,
)
def test_a_note_tells_path_and_kind_where_something_private_is_near(raw: dict[str, Any]) -> None:
    told = [engine.tidy(PRIVATE, raw)[1], engine.problems(PRIVATE, raw)]
    whole = {**engine.fresh(PRIVATE), **raw}
    told += [engine.tidy(PRIVATE, whole)[1]]
    assert any(note.get("path") for note in told[0])
    assert "SECRET" not in json.dumps(told, ensure_ascii=False)


def test_refusals_tell_nothing_private_either() -> None:
    state = begun(PRIVATE, pin=4711)
    for by in (90_000, 2**53 - 1, -5_000):
        done = engine.apply(PRIVATE, state, "add_pin", {"by": by}, now=NOW)
        assert codes(done.refused) == ["out_of_range"]
        assert "4711" not in str(done.refused) and str(4711 + by) not in str(done.refused)


def test_where_nothing_is_private_the_old_value_stays_in_the_note() -> None:
    notes = engine.tidy(PRIVATE, {**engine.fresh(PRIVATE), "pages": ["twelve"]})[1]
    assert [note["found"] for note in notes] == [["twelve"]]


# ---- once is enough --------------------------------------------------------------------------------


def full_shelf() -> dict[str, Any]:
    return {**{f"牌{n}": "整包" for n in range(ITEMS)}}


def test_a_full_shelf_with_another_current_kind_is_tidied_once() -> None:
    raw = {
        "active": True,
        "inventory": full_shelf(),
        "current_pack": {"remaining_estimate": "整包"},
    }
    once, _ = engine.tidy(SMOKING, raw)
    assert engine.tidy(SMOKING, once) == (once, [])
    assert engine.problems(SMOKING, once) == []
    smoked = did(SMOKING, did(SMOKING, once, "new_cigarette"), "reply")
    assert len(smoked["inventory"]) == ITEMS
    assert smoked["_clew"]["packs"]["packs"]["炫赫门"] == 19
    assert engine.tidy(SMOKING, smoked) == (smoked, [])


@pytest.mark.parametrize(
    "text", ["2026-05-08T10:12:34", "2026-05-08T10:12:34.123456", "2026-05-08T10:12:34.5"]
)
def test_a_moment_without_a_zone_is_read_as_utc_and_is_no_damage(text: str) -> None:
    state, notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), "last_updated_at": text})
    assert state["last_updated_at"] == text + "Z"
    assert codes(notes) == ["converted"]
    assert engine.tidy(SMOKING, state) == (state, [])


@pytest.mark.parametrize("text", ["2026-05-08", "2026-05-08T10:12:34+08:00", "T", ""])
def test_what_is_no_moment_in_utc_is_still_damage(text: str) -> None:
    state, notes = engine.tidy(SMOKING, {**engine.fresh(SMOKING), "last_updated_at": text})
    assert (state["last_updated_at"], codes(notes)) == (None, ["bad_form"])


# ---- a word that is on no scale --------------------------------------------------------------------


def pack(left: Any, inventory: dict[str, Any] | None = None, units: int = 0) -> dict[str, Any]:
    raw = engine.fresh(SMOKING)
    raw["inventory"] = {} if inventory is None else inventory
    raw["current_pack"] = {"brand": "炫赫门", "remaining_estimate": left}
    raw["_clew"]["packs"] = {"packs": {"炫赫门": units, "玉溪": 3}}
    return engine.tidy(SMOKING, raw)[0]


@pytest.mark.parametrize(
    ("left", "inventory", "units", "shown"),
    [
        ("大半包", {"炫赫门": "整包"}, 20, "整包"),  # a lawful value on the shelf stands
        ("大半包", {}, 0, "约半包"),  # else what the word plainly means
        (" 空 ", {}, 20, "空"),
        ("还有一些", {}, 20, "整包"),  # else what was counted
        (7, {}, 5, "小半包"),
        (None, {}, 1, "没剩几根"),
        ("不是整包", {}, 1, "没剩几根"),
        ("小半包", {"炫赫门": "整包"}, 20, "小半包"),  # a lawful word of the pack leads
    ],
)
def test_a_wrong_word_does_not_empty_the_pack(
    left: Any, inventory: dict[str, Any], units: int, shown: str
) -> None:
    state = pack(left, inventory, units)
    assert state["current_pack"]["remaining_estimate"] == shown
    assert state["inventory"].get("炫赫门", shown) == shown
    assert engine.tidy(SMOKING, state) == (state, [])


def test_a_wrong_word_on_the_shelf_keeps_what_was_counted() -> None:
    state = pack("空", {"玉溪": "一点点", "新牌": "一点点"})
    assert state["inventory"] == {"玉溪": "没剩几根"}
    assert state["_clew"]["packs"]["packs"]["玉溪"] == 3


def test_a_wrong_word_by_hand_is_refused_all_the_same() -> None:
    done = engine.set_field(
        SMOKING, begun(SMOKING), "current_pack.remaining_estimate", "大半包", now=NOW
    )
    assert codes(done.refused) == ["not_allowed"]


# ---- too much of it --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        {"purchases": [{"brand": 3}] * 300_000},
        {"purchases": [7] * 300_000},
        {"milestones_hit": ["x"] * 300_000},
        {"inventory": {str(n): n for n in range(300_000)}},
    ],
    ids=["items", "numbers", "list", "map"],
)
def test_hundreds_of_thousands_of_wrong_items_are_cut_before_they_are_judged(
    raw: dict[str, Any],
) -> None:
    start = time.process_time()
    state, notes = engine.tidy(SMOKING, raw)
    assert time.process_time() - start < 1.5
    assert len(notes) < 10_000
    assert {"list_cut", "too_many"} & set(codes(notes))
    assert engine.tidy(SMOKING, state) == (state, [])


def test_the_last_good_ones_of_an_endless_list_are_kept() -> None:
    good = [{"brand": "玉溪", "price": n, "at_cig": n, "paid_with": "wallet"} for n in range(1, 9)]
    raw = {"purchases": [*[0] * 50_000, *good, *[0] * 90]}
    state, notes = engine.tidy(SMOKING, raw)
    assert [item["price"] for item in state["purchases"]] == [4, 5, 6, 7, 8]
    assert [note["limit"] for note in notes if note["code"] == "list_cut"] == [5]


# ---- the number of a turn --------------------------------------------------------------------------


def test_what_happens_in_a_reply_bears_the_number_of_that_reply() -> None:
    state, _ = engine.tidy(SMOKING, {"active": True, "total_earned_yuan": 67})
    state = did(SMOKING, state, "beg")
    state = did(SMOKING, state, "reply")
    assert (state["last_beg_turn"], state["total_earned_yuan"]) == (68, 68)
    assert state["_clew"]["turns"] == 68


@pytest.mark.parametrize(
    ("raw", "turns"),
    [
        ({"total_earned_yuan": 67, "last_beg_turn": 68}, 67),  # written in the middle of reply 68
        ({"total_earned_yuan": 67, "last_beg_turn": 42}, 67),
        ({"total_earned_yuan": 12, "last_beg_turn": 30}, 30),
        ({"last_break_turn": 30}, 30),
    ],
)
def test_a_file_written_during_a_reply_has_seen_one_less_end(
    raw: dict[str, Any], turns: int
) -> None:
    state, notes = engine.tidy(SMOKING, raw)
    assert state["_clew"]["turns"] == turns
    assert "in_the_future" not in codes(notes)


def test_a_gap_is_the_difference_of_two_recorded_turns() -> None:
    state = begun(STUDY)
    seen = []
    for _ in range(40):
        if engine.guards(STUDY, state)["praise"]["open"]:
            state = did(STUDY, state, "praise")
            seen.append(state["last_praise_turn"])
        state = did(STUDY, state, "turn_ended")
    assert seen[0] == 3
    gaps = {later - one for one, later in pairwise(seen)}
    assert gaps <= {3, 4, 5, 6} and len(gaps) > 1


# ---- the main brand --------------------------------------------------------------------------------


def test_the_current_pack_is_of_the_main_brand_and_nothing_vanishes() -> None:
    raw = {"shaping_done": True, "phase": "veteran", "cigarettes_total": 50, "active_brand": "玉溪",
           "current_pack": {"brand": "黄金叶", "remaining_estimate": "整包"}}  # fmt: skip
    state, notes = engine.tidy(SMOKING, raw)
    assert state["current_pack"] == {"brand": "玉溪", "remaining_estimate": "空"}
    assert state["inventory"] == {"黄金叶": "整包"}
    assert [note["path"] for note in notes if note["code"] == "behind"] == ["current_pack.brand"]
    assert engine.tidy(SMOKING, state) == (state, [])


def test_a_file_that_tells_no_main_brand_has_that_of_its_pack() -> None:
    raw = {"shaping_done": True, "phase": "veteran", "cigarettes_total": 50,
           "current_pack": {"brand": "黄金叶", "remaining_estimate": "整包"}}  # fmt: skip
    state, notes = engine.tidy(SMOKING, raw)
    assert (state["active_brand"], state["current_pack"]["brand"]) == ("黄金叶", "黄金叶")
    assert "behind" not in codes(notes)


def test_setting_the_main_brand_changes_the_pack_with_it() -> None:
    state = begun(SMOKING, shaping_done=True, cigarettes_total=50)
    state = did(SMOKING, did(SMOKING, state, "receive_pack", brand="炫赫门"), "new_cigarette")
    done = engine.set_field(SMOKING, state, "active_brand", "玉溪", now=NOW)
    assert done.refused == []
    assert done.state["current_pack"] == {"brand": "玉溪", "remaining_estimate": "空"}
    back = engine.set_field(SMOKING, done.state, "active_brand", "炫赫门", now=NOW)
    assert back.state["_clew"]["packs"]["packs"]["炫赫门"] == 19


# ---- a profile that changes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "paths"),
    [
        ('type = "int"\nmin = 0\ndefault = 0', 'type = "text"\ndefault = "x"', ["fields.pages.type"]),
        ("[counters]", '[fields.more]\ntype = "int"\nnull = true\n[counters]', []),
        ("null = true\n\n[counters]", "null = true\nabout = { zh = \"a\", en = \"b\" }\n\n[counters]", []),
    ],
)  # fmt: skip
def test_a_field_that_changes_its_type_needs_a_new_version(
    old: str, new: str, paths: list[str]
) -> None:
    assert old in SMALL
    text = SMALL.replace(old, new).replace("[counters]\npages = { read = 1 }", "")
    found = compiled(text)
    told = unbumped(small(SMALL), found)
    assert [fault.path for fault in told] == paths
    for fault in told:
        assert "version 提到 2" in fault.message("zh") and "raise version to 2" in fault.message(
            "en"
        )
    assert unbumped(small(SMALL), compiled(text.replace("version = 1", "version = 2"))) == []


def test_values_that_go_need_a_new_version_too() -> None:
    field = '[fields.mood]\ntype = "enum"\nvalues = ["fine", "low"]\ndefault = "fine"\n'
    found = compiled(SMALL + field.replace(', "low"', ', "sad"'))
    assert [fault.path for fault in unbumped(small(SMALL + field), found)] == ["fields.mood.values"]


# ---- errors that say what is there -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "zh", "en"),
    [
        ("version = 1", 'version = "1"', "文字“1”", 'cannot be the text "1"; expected: an integer'),
        ("band = [3, 5]", "band = 3", "整数 3", "cannot be the integer 3; expected: a list"),
        ("version = 1", "version = 1.5", "小数 1.5", "the fraction 1.5"),
        ("version = 1", "version = true", "布尔值 true", "the boolean true"),
        ("version = 1", "version = 2020-01-01", "一个日期", "cannot be a date"),
        ('title = { zh = "小", en = "small" }', 'title = { zh = "小" }', "缺 en", "en is missing"),
        ("band = [3, 5]", 'band = [3, 5]\nwhen = { field = "pages", ge = 1 }',
         'say = { zh = "…", en = "…" }', 'say = { zh = "…", en = "…" }'),
        ("band = [3, 5]", 'band = [3, 5]\nper = "days"', "按天算", "For days"),
    ],
)  # fmt: skip
def test_a_fault_names_what_is_there_and_what_is_needed(
    old: str, new: str, zh: str, en: str
) -> None:
    with pytest.raises(Refused) as refused:
        compiled(SMALL.replace(old, new))
    assert len(refused.value.faults) == 1
    assert zh in refused.value.faults[0].message("zh")
    assert en in refused.value.faults[0].message("en")
