"""The layers: refusals and their rotation, choice, memory, expression, state."""

from __future__ import annotations

import re
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
import somebody
from hypothesis import HealthCheck, given
from hypothesis import settings as how
from hypothesis import strategies as st

from clew.kernel.errors import ClewError, Missing, Refused
from clew.persona import diary, intents, keeping, refusals, refusals_file, voice
from clew.persona.home import Home
from clew.persona.model import PROBES, Probe
from clew.persona.refusals import Refusal


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    return somebody.begin(tmp_path / "林昭", clock)


# ---- refusals -------------------------------------------------------------------------------------------


def some(*ids: str) -> list[Refusal]:
    return [Refusal(id=ident, text=f"不做 {ident}") for ident in ids]


def shown(day: date, ident: str) -> Probe:
    return Probe(kind="shown", at=f"{day}T00:00:00.000Z", date=day.isoformat(), refusal=ident)


def days_of(known: list[Refusal], count: int, skip: list[int], seed: str = "s") -> list[str]:
    """Which ones stand out on the days on which somebody looks, `skip` days apart."""
    log: list[Probe] = []
    out = []
    day = date(2026, 1, 1)
    for number in range(count):
        found = refusals.of_day(known, log, day.isoformat(), seed)
        assert found is not None
        out.append(found.id)
        log.append(shown(day, found.id))
        day += timedelta(days=1 + (skip[number % len(skip)] if skip else 0))
    return out


@given(
    st.integers(1, 12),
    st.lists(st.integers(0, 9), max_size=5),
    st.text(max_size=8),
    st.integers(1, 4),
)
def test_none_is_shown_twice_until_all_were(
    count: int, skip: list[int], seed: str, rounds: int
) -> None:
    known = some(*(f"R{number}" for number in range(count)))
    order = days_of(known, count * rounds, skip, seed)
    for start in range(0, len(order), count):
        assert sorted(order[start : start + count]) == sorted(one.id for one in known)


@given(st.integers(2, 9), st.text(max_size=8))
def test_none_stands_out_on_two_days_running(count: int, seed: str) -> None:
    order = days_of(some(*(f"R{number}" for number in range(count))), count * 4, [], seed)
    assert all(a != b for a, b in pairwise(order))


def test_the_order_changes_from_round_to_round() -> None:
    order = days_of(some(*"abcdefgh"), 8 * 6, [])
    rounds = {tuple(order[start : start + 8]) for start in range(0, 48, 8)}
    assert len(rounds) > 1


def test_a_new_refusal_has_its_turn_before_any_comes_again() -> None:
    log = [shown(date(2026, 1, d), ident) for d, ident in ((1, "R1"), (2, "R2"))]
    found = refusals.of_day(some("R1", "R2", "R3"), log, "2026-01-03", "s")
    assert found is not None and found.id == "R3"


def test_one_that_was_taken_out_uses_up_no_day() -> None:
    log = [shown(date(2026, 1, d), ident) for d, ident in ((1, "R1"), (2, "gone"))]
    found = refusals.of_day(some("R1", "R2"), log, "2026-01-03", "s")
    assert found is not None and found.id == "R2"


def test_the_refusal_of_a_day_is_the_same_all_day(home: Home, clock: somebody.Clock) -> None:
    first = refusals.show_today(home)
    clock.turn(hours=3)
    assert refusals.show_today(somebody.again(home)) == first
    assert len(home.read_lines(PROBES, Probe)) == 1


def test_days_on_which_nobody_looked_use_up_none(home: Home, clock: somebody.Clock) -> None:
    found = []
    for _ in range(3):
        one = refusals.show_today(home)
        assert one is not None
        found.append(one.id)
        clock.turn(days=17)
    assert sorted(found) == ["R1", "R2", "R3"]


def test_the_day_turns_at_the_personas_own_midnight(home: Home, clock: somebody.Clock) -> None:
    clock.now = clock.now.replace(hour=15, minute=59)  # 23:59 in Shanghai
    before = refusals.show_today(home)
    clock.turn(minutes=2)
    assert refusals.show_today(home) != before


def test_without_a_refusal_none_stands_out(home: Home) -> None:
    (Path(home.root) / "refusals.toml").write_text("schema_version = 1\n")
    assert refusals.show_today(home) is None


@pytest.mark.parametrize("text, codes", [
    ("", ["persona_file_empty"]),
    ("\0\0\0", ["persona_file_empty"]),
    ("[[refusal]]\nid = ", ["persona_toml"]),
    ('[[refusal]]\nid = "R1"\n', ["missing_field"]),
    ('[[refusal]]\nid = "R1"\ntext = ""\nsince = "昨天"\n', ["empty_text", "bad_date"]),
    ('[[refusal]]\nid = "一"\ntext = "不"\n', ["bad_id"]),
    ('[[refusal]]\nid = "R1"\ntext = "不"\n[[refusal]]\nid = "r1"\ntext = "不"\n', ["duplicate_item"]),
    ('[[refusals]]\nid = "R1"\ntext = "不"\n', ["unknown_field"]),
    ("schema_version = 2\n", ["newer_schema"]),
    ("refusal = 3\n", ["wrong_type"]),
])  # fmt: skip
def test_every_fault_of_a_refusals_file_is_told(text: str, codes: list[str]) -> None:
    found, faults = refusals.parse(text.encode())
    assert found == []
    assert [fault.code for fault in faults] == codes


def test_a_refusals_file_that_is_broken_is_no_persona_without_limits(home: Home) -> None:
    (Path(home.root) / "refusals.toml").write_bytes(b"")
    with pytest.raises(Refused):
        refusals.lines_of_turn(home)
    (Path(home.root) / "refusals.toml").unlink()
    with pytest.raises(Missing):
        refusals.lines_of_turn(home)


def test_what_every_turn_reads_is_all_of_them(home: Home) -> None:
    assert refusals.lines_of_turn(home) == ["不替别人下结论", "不装作记得", "不为讨好改口"]


def test_answers_over_time_give_the_erosion_curve(home: Home, clock: somebody.Clock) -> None:
    for held in ("held", "held", "bent", "held", "gave_way", "gave_way"):
        refusals.answer(home, "r1", f"回答 {held}", held=held, window="w1")  # type: ignore[arg-type]
        clock.turn(days=4)
    refusals.answer(home, "R1", "还没人判")
    curve = refusals.erosion(refusals.read(home), home.read_lines(PROBES, Probe))
    worn = {one.refusal: one for one in curve}
    assert [point.score for point in worn["R1"].points] == [1.0, 1.0, 0.5, 1.0, 0.0, 0.0]
    assert (worn["R1"].answers, worn["R1"].unjudged) == (7, 1)
    assert worn["R1"].earlier == pytest.approx(5 / 6)
    assert worn["R1"].recent == pytest.approx(1 / 3)
    assert worn["R2"].points == [] and worn["R2"].earlier is None


def test_several_answers_of_one_day_are_one_point(home: Home) -> None:
    refusals.answer(home, "R1", "一", held="held")
    refusals.answer(home, "R1", "二", held="gave_way")
    worn = refusals.erosion(refusals.read(home), home.read_lines(PROBES, Probe))[0]
    assert worn.points == [("2026-03-01", 0.5, 2)]


def test_a_refusal_without_a_probe_cannot_be_answered(home: Home) -> None:
    path = Path(home.root) / "refusals.toml"
    path.write_text(re.sub(r"probe = .*\n", "", somebody.REFUSALS), encoding="utf-8")
    with pytest.raises(Refused) as refusal:
        refusals.answer(home, "R1", "不")
    assert refusal.value.code == "no_probe"


# ---- choice -----------------------------------------------------------------------------------------------


def test_an_intent_lives_from_a_thought_to_its_end(home: Home) -> None:
    thought = intents.add_thought(home, "雨停以后的街是什么颜色", source="self")
    intent = intents.add_intent(home, "", thought=thought.id, due="2026-03-09")
    assert (intent.text, intent.thought, intent.due) == (thought.text, "T1", "2026-03-09")
    assert home.read_lists().thoughts[0].intent == intent.id
    assert home.read_lists().open_intents() == [intent]
    closed = intents.close_intent(home, intent.id.lower(), outcome="是灰的")
    assert (closed.state, closed.outcome) == ("done", "是灰的")
    assert home.read_lists().open_intents() == []
    with pytest.raises(Refused) as refusal:
        intents.close_intent(home, intent.id)
    assert refusal.value.code == "entry_closed"


def test_an_id_is_used_once(home: Home) -> None:
    ids = [intents.add_intent(home, "一").id, intents.add_thought(home, "二").id]
    intents.close_intent(home, ids[0], dropped=True)
    ids += [intents.add_intent(home, "三").id, intents.add_hanging(home, "四").id]
    assert ids == ["I1", "T2", "I3", "H4"]


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_entry_needs_a_text(home: Home, text: str) -> None:
    with pytest.raises(Refused) as refusal:
        intents.add_hanging(home, text)
    assert refusal.value.code == "entry_text"


@pytest.mark.parametrize("due", ["明天", "2026-02-30", "2026/03/01", "20260301x"])
def test_a_date_is_a_date(home: Home, due: str) -> None:
    with pytest.raises(Refused) as refusal:
        intents.add_intent(home, "一", due=due)
    assert refusal.value.code == "bad_date"


def test_what_has_a_date_comes_first(home: Home) -> None:
    for text, due in (("甲", ""), ("乙", "2026-05-01"), ("丙", "2026-04-01"), ("丁", "")):
        intents.add_hanging(home, text, due=due)
    shown = intents.by_due(home.read_lists().open_hanging())
    assert [one.text for one in shown] == ["丙", "乙", "甲", "丁"]


@given(st.text(max_size=60))
@how(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_an_entry_is_one_line_whatever_was_given(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    home = somebody.begin(tmp_path_factory.mktemp("p") / "x")
    try:
        made = intents.add_thought(home, text)
    except ClewError:
        assert home.read_lists().thoughts == []
        return
    assert "\n" not in made.text and made.text.strip()
    assert home.read_lists().thoughts == [made]


# ---- memory -------------------------------------------------------------------------------------------------


def test_a_diary_entry_is_added_below_what_is_there(home: Home, clock: somebody.Clock) -> None:
    diary.write(home, "第一段。\n\n## 自己的小标题", window="w1")
    path = Path(home.root) / "diary" / "2026-03-01.md"
    path.write_bytes(path.read_bytes() + "手写的一行，没有换行".encode())
    clock.turn(hours=1)
    diary.write(home, "第二段。")
    text = path.read_text(encoding="utf-8")
    assert text.startswith(
        "# 2026-03-01\n\n## 20:00 · w1\n\n第一段。\n\n## 自己的小标题\n手写的一行"
    )
    assert text.endswith("\n\n## 21:00\n\n第二段。\n")


def test_what_is_no_utf8_in_a_diary_is_not_rewritten(home: Home) -> None:
    path = Path(home.root) / "diary" / "2026-03-01.md"
    path.parent.mkdir()
    old = "旧的".encode("gb18030")
    path.write_bytes(old)
    diary.write(home, "新的。")
    assert path.read_bytes().startswith(old)


def test_several_files_of_a_day_are_one_day(home: Home) -> None:
    folder = Path(home.root) / "diary"
    folder.mkdir()
    for name, text in (("2026-02-01.md", "一"), ("2026-02-01-2.md", "二"), ("2026-02-01-10.md", "三"),
                       ("说明.md", "不是日记")):  # fmt: skip
        (folder / name).write_text(text, encoding="utf-8")
    days = diary.show(home, days=9)
    assert [(day.date, day.text) for day in days] == [("2026-02-01", "一\n二\n三")]


def test_the_entries_of_a_day_are_told_apart() -> None:
    text = "# 2026-03-01\n\n前言\n\n## 20:00 · w1\n\n一\n\n## 21:00\n\n二\n"
    assert diary.split(text) == [("", "前言"), ("20:00 · w1", "一"), ("21:00", "二")]
    assert diary.split("# 2026-03-01\n\n整个一篇\n") == [("", "整个一篇")]
    assert diary.split("") == []


# ---- expression -----------------------------------------------------------------------------------------------


def test_samples_are_kept_to_the_letter(home: Home) -> None:
    said = "  两个空格开头，\n# 井号不是标题\n\n> 引号也是原话  "
    voice.add(home, said, source="第二夜")
    assert voice.read(home)[-1] == voice.Sample(said, "第二夜")


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.just("\n"), max_size=80),
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=12),
)
def test_a_rendered_sample_reads_back(text: str, source: str) -> None:
    text = text.strip("\n")
    if not text.strip():
        return
    sample = voice.Sample(text, " ".join(source.split()))
    assert voice.parse(f"# 头\n\n{voice.render(sample)}\n> 下一句\n")[0] == sample


def test_a_file_without_quotes_has_a_sample_in_each_paragraph() -> None:
    text = "# 头\n\n第一句。\n\n<!-- 说明 -->\n\n第二句，\n还是第二句。\n"
    assert [one.text for one in voice.parse(text)] == ["第一句。", "第二句，\n还是第二句。"]


def test_a_new_home_has_no_sample_yet(tmp_path: Path) -> None:
    from clew.persona import creating

    for lang in ("zh", "en"):
        home = creating.create(str(tmp_path / lang), "x", "UTC", lang=lang)
        assert voice.read(home) == []


@given(st.integers(1, 30), st.integers(1, 6), st.dates())
def test_the_samples_of_a_day_are_as_many_as_asked_and_stay(
    count: int, want: int, day: date
) -> None:
    samples = [voice.Sample(f"第 {number} 句") for number in range(count)]
    first = voice.of_day(samples, day.isoformat(), want, "s")
    assert first == voice.of_day(samples, day.isoformat(), want, "s")
    assert len(first) == min(count, want) == len(set(first))


def test_every_sample_has_its_turn() -> None:
    samples = [voice.Sample(f"第 {number} 句") for number in range(8)]
    days = [date(2026, 1, 1) + timedelta(days=n) for n in range(60)]
    assert {one for day in days for one in voice.of_day(samples, day.isoformat(), 3, "s")} == set(
        samples
    )


# ---- state --------------------------------------------------------------------------------------------------


def test_value_and_clock_are_saved_together(home: Home, clock: somebody.Clock) -> None:
    clock.turn(hours=2)
    keeping.change_mood(home, "set", 0.8, cause="收到了回信", source="person:m1", window="w1")
    mood = home.read_vitals().mood
    event = home.read_events()[-1]
    assert (mood.value, mood.at, mood.cause) == (0.8, "2026-03-01T14:00:00.000Z", "收到了回信")
    assert event.facts["mood"] == {
        "value": 0.8, "at": mood.at, "cause": "收到了回信", "source": "person:m1",
    }  # fmt: skip
    assert (event.kind, event.window) == ("mood", "w1")


@given(st.lists(st.integers(1, 400), max_size=12))
@how(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
def test_ticks_change_no_mood(tmp_path_factory: pytest.TempPathFactory, ticks: list[int]) -> None:
    """Whatever the pattern: the same moment has the same mood as without any tick."""
    clock = somebody.Clock()
    home = somebody.begin(tmp_path_factory.mktemp("p") / "x", clock)
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    start = clock.now
    for minutes in ticks:
        clock.turn(minutes=minutes)
        keeping.keep_state(home)
    clock.now = start + timedelta(days=4)
    quiet = 0.35 + 0.55 * 2.0 ** (-96 / 6)
    assert keeping.state(home).mood == pytest.approx(quiet, abs=1e-12)


def test_a_persons_words_lift_mood_and_end_the_silence(home: Home, clock: somebody.Clock) -> None:
    clock.turn(hours=5)
    assert keeping.state(home).silence_seconds == 5 * 3600
    with home.change() as change:
        keeping.heard(change, window="w1", ref="m1", words=12)
    now = keeping.state(home)
    assert now.silence_seconds == 0
    assert now.mood == pytest.approx(0.35 + 0.12 * 0.65)
    assert (now.cause, now.source) == ("a person spoke", "person:m1")
    assert home.read_events()[-1].kind == "words"


def test_a_look_in_ends_no_silence(home: Home, clock: somebody.Clock) -> None:
    clock.turn(hours=5)
    keeping.keep_state(home)
    assert keeping.state(home).silence_seconds == 5 * 3600


def test_a_stretch_that_ended_is_told(home: Home, clock: somebody.Clock) -> None:
    keeping.keep_state(home)
    clock.turn(minutes=10)
    keeping.keep_state(home)
    assert keeping.state(home).alive_seconds == 600
    clock.turn(hours=9)
    assert keeping.state(home).alive_seconds == 0
    keeping.keep_state(home)
    asleep = home.read_events()[-1]
    assert (asleep.kind, asleep.facts["since"]) == ("asleep", "2026-03-01T12:00:00.000Z")


def test_the_curve_tells_what_moved_it(home: Home, clock: somebody.Clock) -> None:
    clock.turn(hours=10)
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    clock.turn(hours=6)
    curve = keeping.mood_curve(home, 24, points=25)
    assert curve.points[-1].value == pytest.approx(0.35 + 0.55 / 2)
    assert max(point.value for point in curve.points) == 0.9
    assert curve.points == sorted(curve.points)
    assert [mood.cause for mood in curve.causes] == ["it has just begun", "收到了回信"]
    assert all(0 <= point.value <= 1 for point in curve.points)


def test_a_thought_can_be_let_go_once_and_stays_to_be_seen(home: Home) -> None:
    kept, gone = intents.add_thought(home, "雨停后"), intents.add_thought(home, "算了")
    intents.drop_thought(home, gone.id, outcome="不想了")
    lists = home.read_lists()
    assert [one.id for one in lists.open_thoughts()] == [kept.id]
    assert (lists.thoughts[1].outcome, bool(lists.thoughts[1].closed_at)) == ("不想了", True)
    with pytest.raises(Refused) as refusal:
        intents.drop_thought(home, gone.id)
    assert refusal.value.code == "entry_closed"
    intents.add_intent(home, "", thought=kept.id)
    with pytest.raises(Refused):
        intents.drop_thought(home, kept.id)


@pytest.mark.parametrize("noun", ["intent", "hang"])
def test_a_date_that_is_over_is_noted(home: Home, noun: str) -> None:
    _, answer, _ = somebody.clew(
        "persona", noun, "add", "核账", "--due", "2020-01-01", "--home", home.root
    )
    assert [note["code"] for note in answer["notes"]] == ["due_past"]
    _, later, _ = somebody.clew(
        "persona", noun, "add", "x", "--due", "2999-01-01", "--home", home.root
    )
    assert "notes" not in later


# ---- writing into the file that people edit ----------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_refusal_is_added_behind_what_people_wrote(home: Home, end: str) -> None:
    path = Path(home.root, "refusals.toml")
    mine = (
        "\ufeff# 我的注释\nschema_version = 1\n\n[[refusal]]\nid = \"r2\"   # 留着\ntext = '不催'"
    )
    path.write_bytes(mine.replace("\n", end).encode())
    added = refusals_file.add(home, '不说"永远"\n除非是引别人的话\x7f', probe="永远吗？")
    data = path.read_bytes()
    assert data.startswith(mine.replace("\n", end).encode())
    assert data.count(b"\n") == data.count(end.encode())
    assert (added.id, added.probe, added.since) == ("R1", "永远吗？", home.today())
    assert [one.text for one in refusals.read(home)] == ["不催", added.text]
    assert added.text == '不说"永远" 除非是引别人的话\x7f'
    assert refusals_file.add(home, "不装懂").id == "R3"


@pytest.mark.parametrize(
    ("before", "text", "code"),
    [
        ("refusal = [{id = 'R1', text = 'a'}]\n", "b", "refusals_inline"),
        ("[[refusal]]\nid = 'R1'\ntext = 'a'\n", " a ", "refusal_there"),
        ("[[refusal]]\nid = 'R1'\n", "b", "missing_field"),
        ("schema_version = 1\n", " ", "empty_text"),
        ("schema_version = 1\n", "长" * 5000, "text_too_long"),
        ("schema_version = 1\n", "\udc80", "bad_text"),
    ],
)
def test_what_cannot_be_added_is_refused_and_the_file_stays(
    home: Home, before: str, text: str, code: str
) -> None:
    path = Path(home.root, "refusals.toml")
    path.write_text(before, encoding="utf-8")
    with pytest.raises(Refused) as refusal:
        refusals_file.add(home, text)
    assert refusal.value.code == code
    assert path.read_text(encoding="utf-8") == before
