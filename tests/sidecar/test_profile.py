"""The checker of profiles: every fault at once, each with its line; and a compiled form that is the
same for the same text.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from worked import PROFILES, SMALL

from clew.kernel.errors import Refused
from clew.kernel.faults import Fault
from clew.sidecar.cases import failures
from clew.sidecar.profile import compiled

BASE = (
    SMALL
    + """
[scales]
cup = ["full", "half", "empty"]

[fields.mood]
type = "enum"
values = ["fine", "low"]
default = "fine"

[fields.note]
type = "text"
null = true

[fields.cup]
type = "scale"
scale = "cup"
default = "empty"

[fields.kind]
type = "text"
default = "tea"

[fields.cupboard]
type = "map"
items = { type = "scale", scale = "cup" }

[fields.coins]
type = "int"
min = 0
default = 0

[fields.got]
type = "int"
min = 0
default = 0

[fields.days]
type = "list"
keep_last = 3
items = { type = "date" }

[fields.visits]
type = "list"
keep_last = 3
[fields.visits.items]
type = "object"
[fields.visits.items.fields]
day = { type = "date" }
who = { type = "text", null = true }

[ledgers.purse]
purse = "coins"
earned = "got"

[stocks.cups]
size = 10
scale = "cup"
from = [8, 1, 0]
kind = "kind"
left = "cup"
shelf = "cupboard"

[events.visit]
[events.visit.args]
day = { type = "date" }
who = { type = "text", optional = true }
"""
)


def faults(text: str) -> list[Fault]:
    """Every fault of a profile, none when it holds together."""
    try:
        compiled(text, "p.toml")
    except Refused as refused:
        for fault in refused.faults:
            for lang in ("zh", "en"):
                words = fault.message(lang)
                assert words and "<" + "reason>" not in words and "p.toml" in words
        return list(refused.faults)
    return []


def test_the_base_of_these_tests_holds_together() -> None:
    assert faults(BASE) == []


def adding(more: str) -> Callable[[str], str]:
    return lambda text: f"{text}\n{more}\n"


def changing(old: str, new: str) -> Callable[[str], str]:
    def work(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return work


def on_visit(change: str) -> Callable[[str], str]:
    return adding(f"[[events.visit.change]]\n{change}")


FIELD = adding
CASES: list[tuple[Callable[[str], str], list[tuple[str, str, str]]]] = [
    # edit, and the faults: code, path, and a text that stands in the line
    # ---- keys and shapes
    (changing("keep_last = 3", "keep_lats = 3"), [("profile_key", "fields.days.keep_lats", "keep_lats")]),
    (adding("[colour]\nx = 1"), [("profile_key", "colour", "[colour]")]),
    (changing('name = "small"\n', ""), [("profile_missing", "profile.name", "[profile]")]),
    (changing('name = "small"', 'name = "Small One"'), [("profile_value", "profile.name", "Small One")]),
    (changing("version = 1", "version = 0"), [("profile_value", "profile.version", "version = 0")]),
    (changing("version = 1", "version = 1.5"), [("profile_value", "profile.version", "1.5")]),
    (changing('title = { zh = "小", en = "small" }', 'title = "small"'),
     [("profile_value", "profile.title", "title")]),
    (adding("[events.Bad-Name]"), [("profile_value", "events.Bad-Name", "Bad-Name")]),
    (changing("[fields.note]", "[fields.note]\nprivate = 1"),
     [("profile_value", "fields.note.private", "private = 1")]),
    # ---- fields
    (changing('type = "text"\nnull = true', 'type = "string"\nnull = true'),
     [("profile_value", "fields.note.type", '"string"')]),
    (changing('type = "text"\nnull = true', 'type = "text"'),
     [("profile_missing", "fields.note.default", "[fields.note]")]),
    (changing('type = "text"\nnull = true', 'type = "text"\nnull = true\nmin = 2'),
     [("profile_clash", "fields.note.min", "min = 2")]),
    (changing('values = ["fine", "low"]\n', ""), [("profile_missing", "fields.mood.values", "[fields.mood]")]),
    (changing('values = ["fine", "low"]', 'values = ["fine", "fine"]'),
     [("profile_value", "fields.mood.values", "values")]),
    (changing('default = "fine"', 'default = "good"'), [("profile_value", "fields.mood.default", '"good"')]),
    (changing('default = "fine"', 'default = "fine"\nbehaves_as = { low = "bad" }'),
     [("profile_name", "fields.mood.behaves_as.low", "behaves_as")]),
    (changing('scale = "cup"\ndefault', 'scale = "mug"\ndefault'),
     [("profile_name", "fields.cup.scale", "mug")]),
    (changing("[fields.pages]\ntype = \"int\"\nmin = 0", '[fields.pages]\ntype = "int"\nmin = 3'),
     [("profile_value", "fields.pages.default", "default = 0")]),
    (adding('[fields.turns]\ntype = "int"\ndefault = 0'), [("profile_clash", "fields.turns", "fields.turns")]),
    (adding('[fields.odd]\ntype = "int"\ndefault = 0\nmin = 5\nmax = 1'),
     [("profile_value", "fields.odd.max", "max = 1")]),
    (adding('[fields.odd]\ntype = "object"'), [("profile_missing", "fields.odd.fields", "[fields.odd]")]),
    (adding('[fields.odd]\ntype = "list"'), [("profile_missing", "fields.odd.items", "[fields.odd]")]),
    (adding('[fields.odd]\ntype = "list"\nitems = { type = "int" }\nkeep_last = 0'),
     [("profile_value", "fields.odd.keep_last", "keep_last = 0")]),
    (adding('[fields.odd]\ntype = "object"\nfields = { a = { type = "int" } }'),
     [("profile_missing", "fields.odd.fields.a.default", "fields = { a")]),
    # ---- the special fields
    (changing('active = "active"', 'active = "pages"'), [("profile_value", "profile.active", "active =")]),
    (changing('active = "active"', 'active = "nowhere"'), [("profile_name", "profile.active", "nowhere")]),
    (changing('[fields.active]\ntype = "bool"\ndefault = false', '[fields.active]\ntype = "bool"\ndefault = true'),
     [("profile_value", "profile.active", 'active = "active"')]),
    (changing('turn = "beat"', 'turn = "visit"'), [("profile_clash", "profile.turn", "turn =")]),
    (changing('turn = "beat"', 'turn = "tock"'), [("profile_name", "profile.turn", "tock")]),
    (changing('turn = "beat"', 'turn = "beat"\nupdated = "note"'), [("profile_value", "profile.updated", "updated")]),
    # ---- phases, counters, stocks, ledgers, guards
    (adding('[phases.note]\nx = { field = "pages", ge = 3 }'), [("profile_value", "phases.note", "[phases.note]")]),
    (adding('[phases.mood]\nhigh = { field = "pages", ge = 3 }'), [("profile_name", "phases.mood.high", "high")]),
    (adding('[phases.mood]\nlow = { field = "pagse", ge = 3 }'), [("profile_name", "phases.mood.low.field", "pagse")]),
    (changing("pages = { read = 1 }", "pages = { reed = 1 }"), [("profile_name", "counters.pages.reed", "reed")]),
    (changing("pages = { read = 1 }", "pages = { read = 0 }"), [("profile_value", "counters.pages.read", "read = 0")]),
    (changing("pages = { read = 1 }", "note = { read = 1 }"), [("profile_value", "counters.note", "note =")]),
    (changing("from = [8, 1, 0]", "from = [8, 1]"), [("profile_value", "stocks.cups.from", "from")]),
    (changing("from = [8, 1, 0]", "from = [1, 8, 0]"), [("profile_value", "stocks.cups.from", "from")]),
    (changing("size = 10", "size = 7"), [("profile_value", "stocks.cups.size", "size = 7")]),
    (changing('left = "cup"', 'left = "mood"'), [("profile_value", "stocks.cups.left", "left =")]),
    (changing('earned = "got"', 'earned = "coins"'), [("profile_clash", "ledgers.purse.earned", "earned")]),
    (changing('earned = "got"', 'earned = "got"\ndebt = "pages"'),
     [("profile_clash", "counters.pages", "pages ="), ("profile_clash", "ledgers.purse", "[ledgers.purse]")]),
    (changing("[fields.got]\ntype = \"int\"\nmin = 0\ndefault = 0", '[fields.got]\ntype = "int"\nmin = 0\ndefault = 3'),
     [("profile_clash", "ledgers.purse", "[ledgers.purse]")]),
    (changing("band = [3, 5]", "band = [5, 3]"), [("profile_value", "guards.wave.band", "band")]),
    (changing("band = [3, 5]", "band = [0, 3]"), [("profile_value", "guards.wave.band", "band")]),
    (changing("band = [3, 5]", "band = [3, 5]\nper = \"note\""), [("profile_value", "guards.wave.per", "per")]),
    (changing("band = [3, 5]", 'band = [3, 5]\nwhen = { field = "pages", ge = 1 }'),
     [("profile_missing", "guards.wave.say", "[guards.wave]")]),
    (changing('last = "last_wave_turn"', 'last = "pages"'), [("profile_value", "guards.wave.last", "last =")]),
    (adding("[guards.idle]\nband = [1, 2]"), [("profile_clash", "guards.idle", "[guards.idle]")]),
    (changing('uses = "wave"', 'uses = "waev"'),
     [("profile_clash", "guards.wave", "[guards.wave]"), ("profile_name", "events.wave.uses", "waev")]),
    # ---- events
    (on_visit('set = "nope"\nto = 1'), [("profile_name", "events.visit.change[0].set", "nope")]),
    (on_visit('set = "mood"\nto = "sad"'), [("profile_value", "events.visit.change[0].to", '"sad"')]),
    (on_visit('set = "mood"\nto = 3'), [("profile_value", "events.visit.change[0].to", "to = 3")]),
    (on_visit('set = "note"\nto = { arg = "when" }'), [("profile_name", "events.visit.change[0].to.arg", "when")]),
    (on_visit('set = "note"\nto = { field = "pages" }'), [("profile_value", "events.visit.change[0].to", "to =")]),
    (on_visit('set = "coins"\nto = 3'), [("profile_clash", "events.visit.change[0].set", "coins")]),
    (on_visit('set = "cupboard"\nto = "x"'), [("profile_clash", "events.visit.change[0].set", "cupboard")]),
    (on_visit('add = "pages"\nby = 1'), [("profile_clash", "events.visit.change[0].add", "pages")]),
    (on_visit('set = "active"\nto = true'), [("profile_clash", "events.visit.change[0].set", "active")]),
    (on_visit('add = "note"\nby = 1'), [("profile_value", "events.visit.change[0].add", "note")]),
    (on_visit('raise = "mood"'), [("profile_value", "events.visit.change[0].raise", "mood")]),
    (on_visit('record = "note"\nitem = 1'), [("profile_value", "events.visit.change[0].record", "note")]),
    (on_visit('record = "days"\nitem = "today"'), [("profile_value", "events.visit.change[0].item", "today")]),
    (on_visit('record = "visits"\nitem = { who = { arg = "who" } }'),
     [("profile_missing", "events.visit.change[0].item.day", "item =")]),
    (on_visit('record = "visits"\nitem = { day = { arg = "day" }, why = 1 }'),
     [("profile_key", "events.visit.change[0].item.why", "item =")]),
    (on_visit('earn = "bank"\namount = 1'), [("profile_name", "events.visit.change[0].earn", "bank")]),
    (on_visit('borrow = "purse"\namount = 1'), [("profile_clash", "events.visit.change[0].borrow", "borrow")]),
    (on_visit('earn = "purse"\namount = { arg = "day" }'),
     [("profile_value", "events.visit.change[0].amount", "amount")]),
    (on_visit('earn = "purse"'), [("profile_missing", "events.visit.change[0].amount", "[[events.visit.change]]")]),
    (on_visit('earn = "purse"\namount = 1\ncolour = 2'), [("profile_key", "events.visit.change[0].colour", "colour")]),
    (on_visit('take = "tins"'), [("profile_name", "events.visit.change[0].take", "tins")]),
    (on_visit('switch = "cups"\nkind = 3'), [("profile_value", "events.visit.change[0].kind", "kind = 3")]),
    (on_visit('paint = "note"'), [("profile_clash", "events.visit.change[0]", "[[events.visit.change]]")]),
    (on_visit('set = "note"\nclear = "note"\nto = "x"'),
     [("profile_clash", "events.visit.change[0]", "[[events.visit.change]]")]),
    (on_visit('clear = "note"\nwhen = { field = "note" }'),
     [("profile_clash", "events.visit.change[0].when", "when =")]),
    (on_visit('clear = "note"\nwhen = { field = "note", ge = "a" }'),
     [("profile_value", "events.visit.change[0].when.ge", "when =")]),
    (on_visit('clear = "note"\nwhen = { field = "mood", in = ["fine", "sad"] }'),
     [("profile_value", "events.visit.change[0].when.in[1]", "when =")]),
    (on_visit('clear = "note"\nwhen = { all = [{ field = "mood", eq = "low" }, 3] }'),
     [("profile_value", "events.visit.change[0].when.all[1]", "when =")]),
    (on_visit('clear = "note"\nwhen = { field = "mood", eq = "low", also = 1 }'),
     [("profile_key", "events.visit.change[0].when.also", "when =")]),
    (on_visit('clear = "note"\nwhen = { field = "pages", key = "x", eq = 1 }'),
     [("profile_value", "events.visit.change[0].when.field", "when =")]),
    (on_visit('clear = "note"\nwhen = { days = [{ arg = "day" }], ge = 1 }'),
     [("profile_value", "events.visit.change[0].when.days", "when =")]),
    (on_visit('clear = "note"\nwhen = { latest = "visits.name", eq = "x" }'),
     [("profile_value", "events.visit.change[0].when.latest", "when =")]),
    (on_visit('clear = "note"\nwhen = { plus = [1, { field = "note" }], eq = 1 }'),
     [("profile_value", "events.visit.change[0].when.plus[1]", "when =")]),
    (adding('[[events.visit.require]]\nthat = { field = "pages", ge = 1 }'),
     [("profile_missing", "events.visit.require[0].say", "[[events.visit.require]]")]),
    (on_visit('switch = "cups"\nkind = "x"\nempty = 1'), [("profile_value", "events.visit.change[0].empty", "empty")]),
    (adding('[guards.g]\nband = [1, 1]\nwhen = { arg = "x", eq = 1 }\nsay = { zh = "a", en = "b" }\n'
            '[events.g]\nuses = "g"'),
     [("profile_clash", "guards.g.when.arg", "when =")]),
    # ---- rules and migrations
    (adding('[[rules]]\nid = "r"\nmust = { field = "mood", eq = "low" }\nmend = [{ set = "mood", to = "fine" }]\n'
            'say = { zh = "a", en = "b" }'), [("profile_clash", "rules[0].mend", "mend")]),
    (adding('[[rules]]\nid = "r"\nmust = { field = "mood", eq = "low" }\nmend = [{ set = "mood", to = "low" }]\n'
            'say = { zh = "a", en = "b" }'), [("profile_clash", "fields.mood", "[fields.mood]")]),
    (adding('[[rules]]\nid = "r"\nmust = { field = "pages", lt = 9 }\nmend = [{ clear = "pages" }]\n'
            'say = { zh = "a", en = "b" }'), [("profile_clash", "rules[0].mend[0].clear", "mend")]),
    (adding('[[rules]]\nid = "r"\nmust = { field = "note", null = true }\nmend = [{ add = "mood", by = 1 }]\n'
            'say = { zh = "a", en = "b" }'), [("profile_value", "rules[0].mend[0].add", "mend")]),
    (adding('[[migrations]]\nto = 2'), [("profile_value", "migrations[0].to", "to = 2")]),
    (adding('[[migrations]]\nto = 1\nrename = { mood = "note" }'),
     [("profile_clash", "migrations[0].rename.mood", "rename")]),
    (adding('[[migrations]]\nto = 1\nrename = { old = "nowhere" }'),
     [("profile_name", "migrations[0].rename.old", "nowhere")]),
    (adding('[[migrations]]\nto = 1\ndefault = { active = true }'),
     [("profile_clash", "migrations[0].default.active", "active")]),
    (adding('[[migrations]]\nto = 1\ndrop = ["mood"]'), [("profile_clash", "migrations[0].drop[0]", "drop")]),
    (adding('[[simulate]]\nevent = "fly"'), [("profile_name", "simulate[0].event", "fly")]),
    (adding('[[simulate]]\nevent = "visit"\nargs = { day = "x" }'),
     [("profile_value", "simulate[0].args.day", "args")]),
    (adding("[[case]]\nsteps = [{ evnt = \"read\" }]"),
     [("profile_missing", "case[0].name", "[[case]]"), ("profile_key", "case[0].steps[0].evnt", "evnt")]),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "expected"), CASES)
def test_a_fault_is_told_with_its_line(
    edit: Callable[[str], str], expected: list[tuple[str, str, str]]
) -> None:
    text = edit(BASE)
    lines = text.split("\n")
    found = faults(text)
    assert [(fault.code, fault.path) for fault in found] == [
        (code, path) for code, path, _ in expected
    ]
    for fault, (_, _, shown) in zip(found, expected, strict=True):
        assert shown in lines[fault.facts["line"] - 1]


def test_all_faults_are_told_in_one_go_in_the_order_of_the_file() -> None:
    text = BASE
    for old, new in (
        ("version = 1", 'version = "one"'),
        ("pages = { read = 1 }", "pages = { reed = 1 }"),
        ("band = [3, 5]", "band = [5, 3]"),
        ('default = "fine"', 'default = "good"'),
        ("keep_last = 3", "keep_lats = 3"),
        ('earned = "got"', 'earned = "gold"'),
        ("from = [8, 1, 0]", "from = [8]"),
    ):
        text = changing(old, new)(text)
    text = on_visit('set = "mooood"\nto = 1')(text)
    assert [(fault.code, fault.path) for fault in faults(text)] == [
        ("profile_value", "profile.version"),
        ("profile_name", "counters.pages.reed"),
        ("profile_value", "guards.wave.band"),
        ("profile_value", "fields.mood.default"),
        ("profile_key", "fields.days.keep_lats"),
        ("profile_name", "ledgers.purse.earned"),
        ("profile_value", "stocks.cups.from"),
        ("profile_name", "events.visit.change[0].set"),
    ]


def test_a_field_that_is_wrong_is_one_fault_however_often_it_is_used() -> None:
    text = (PROFILES / "smoking-persona.toml").read_text(encoding="utf-8")
    broken = text.replace(
        '[fields.cigarettes_total]\ntype = "int"', '[fields.cigarettes_total]\ntype = "number"'
    )
    assert [(fault.code, fault.path) for fault in faults(broken)] == [
        ("profile_value", "fields.cigarettes_total.type")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[profile\n", 1),
        ("[profile]\nname = \n", 2),
        ("a = 1\na = 2\n", 2),
        ('[profile]\nname = "x\n', 2),
        ("x = [" * 5000, None),
    ],
)
def test_a_text_that_is_no_toml_is_one_fault_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(Refused) as refused:
        compiled(text, "p.toml")
    assert len(refused.value.faults) == 1
    if line is not None:
        assert refused.value.faults[0].code == "profile_toml"
        assert refused.value.faults[0].facts["line"] == line


def test_an_empty_profile_names_everything_that_is_missing() -> None:
    assert [fault.path for fault in faults("")] == ["profile", "fields", "events"]


def test_a_huge_text_is_refused_unread() -> None:
    with pytest.raises(Refused) as refused:
        compiled("# " + "x" * 1_000_001)
    assert refused.value.code == "too_large"


def test_a_failing_case_is_told_with_its_line_and_reason() -> None:
    text = BASE + '\n[[case]]\nname = "wrong"\ngiven = { active = true }\n' + (
        'steps = [{ event = "read", times = 2 }]\nexpect = { pages = 3 }\n'
    )  # fmt: skip
    told = failures(compiled(text, "p.toml"))
    assert [fault.code for fault in told] == ["profile_case"]
    assert "pages is 2, not 3" in told[0].message("en")
    assert "pages 应为 3，是 2" in told[0].message("zh")
    assert text.split("\n")[told[0].facts["line"] - 1] == "[[case]]"


@pytest.mark.parametrize(
    "case",
    [
        'steps = [{ event = "read", refused = "not_active" }, { event = "opt_in" }, { event = "read" }]',
        'file = \'{"active": tru\'',
        'given = { active = true }\nsteps = [{ event = "wave", refused = "guard_closed" }]',
        "null = [\"pages\"]",
        'open = ["wave"]',
        'closed = ["nothing"]',
        'notes = ["renamed"]',
        'steps = [{ set = "pages", to = -1 }]',
        'steps = [{ merge = { nothing = 1 } }]',
        "expect = { active = 0 }",
    ],
)  # fmt: skip
def test_a_case_that_does_not_hold_fails(case: str) -> None:
    told = failures(compiled(f'{BASE}\n[[case]]\nname = "c"\n{case}\n'))
    holds = case.startswith('steps = [{ event = "read", refused')
    assert bool(told) is not holds


SHIPPED = [path.read_text(encoding="utf-8") for path in sorted(PROFILES.glob("*.toml"))]
_VALUES = ["1", "-1", '"x"', "[]", "{}", "true", "[1]", "[[]]", '["a"]', "{ a = 1 }", '""']


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_a_broken_profile_is_refused_whatever_is_broken_in_it(data: st.DataObject) -> None:
    lines = data.draw(st.sampled_from([BASE, *SHIPPED])).splitlines()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        if "=" in lines[at] and data.draw(st.booleans()):
            key = lines[at].split("=")[0]
            lines[at] = f"{key}= {data.draw(st.sampled_from(_VALUES))}"
        else:
            del lines[at]
    try:
        assert compiled("\n".join(lines)).profile["name"]
    except Refused as error:
        assert all(fault.to_dict("zh")["message"] for fault in error.faults)


def test_a_scale_with_a_value_that_is_no_text_is_told_where_it_stands() -> None:
    with pytest.raises(Refused) as told:
        compiled(BASE.replace('["full", "half", "empty"]', "[1]"))
    assert any("scales.cup" in fault.path for fault in told.value.faults)
