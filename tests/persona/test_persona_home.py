"""The home: one transaction for documents and logs, private modes, time that never goes back."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import somebody

from clew.kernel.errors import ClewError, Corrupt, Missing, NewerSchema, Refused
from clew.persona import diary, intents, keeping, mending, refusals, voice
from clew.persona.archive import Manifest
from clew.persona.finding import find_home, list_homes
from clew.persona.home import Home, open_home
from clew.persona.model import EVENTS, LISTS, VITALS, Lists, Vitals
from clew.persona.windows import Windows


@pytest.fixture
def clock() -> somebody.Clock:
    return somebody.Clock()


@pytest.fixture
def home(tmp_path: Path, clock: somebody.Clock) -> Home:
    return somebody.begin(tmp_path / "林昭", clock)


def everything(home: Home) -> None:
    """Something in every layer."""
    intents.add_intent(home, "把故事讲完")
    intents.add_thought(home, "雨停以后")
    intents.add_hanging(home, "那封信")
    diary.write(home, "今天没有人来。")
    voice.add(home, "我在。")
    refusals.show_today(home)
    refusals.answer(home, "R1", "不。")
    keeping.keep_state(home)
    keeping.change_mood(home, "raise", 0.2, cause="收到了回信", source="self")


# ---- one transaction --------------------------------------------------------------------------------


def test_documents_and_log_lines_become_visible_together(home: Home) -> None:
    with home.change() as change:
        vitals = change.load(VITALS, Vitals)
        change.event("words", window="w1", words=12)
        change.append("channels/board.jsonl", {"text": "一"})
        change.append("channels/board.jsonl", {"text": "二"})
        change.write("identity.md", "# 新".encode())
        change.save(VITALS, vitals)
    assert home.read_events(last=1)[0].facts == {"words": 12}
    assert (home.read("channels/board.jsonl") or b"").count(b"\n") == 2
    assert home.read_text("identity.md") == "# 新"
    assert home.read_vitals().revision == 2


def test_nothing_of_a_change_that_fails_is_there(home: Home) -> None:
    before = {path: home.read(path) for path in (EVENTS, VITALS, LISTS)}
    with pytest.raises(RuntimeError), home.change() as change:
        change.event("words")
        change.append("channels/board.jsonl", {"text": "一"})
        change.save(VITALS, change.load(VITALS, Vitals))
        raise RuntimeError("on the way")
    assert {path: home.read(path) for path in before} == before
    assert home.read("channels/board.jsonl") is None


def test_a_change_reads_what_it_wrote(home: Home) -> None:
    with home.change() as change:
        change.write("a.md", b"1")
        assert change.read("a.md") == b"1"
        change.remove("a.md")
        assert change.read("a.md") is None


def test_events_are_counted_on_within_and_across_changes(home: Home) -> None:
    with home.change() as change:
        numbers = [change.event("a").n, change.event("b").n]
    with somebody.again(home).change() as change:
        numbers.append(change.event("c").n)
    assert numbers == [2, 3, 4]


def test_a_refused_operation_leaves_no_trace(home: Home) -> None:
    before = home.read(EVENTS)
    for act in (
        lambda: intents.add_intent(home, "  "),
        lambda: intents.close_intent(home, "I9"),
        lambda: diary.write(home, "\n"),
        lambda: keeping.change_mood(home, "set", 0.5, cause="", source="self"),
        lambda: keeping.change_mood(home, "set", 0.5, cause="因为", source="event:e99"),
    ):
        with pytest.raises(ClewError):
            act()
    assert home.read(EVENTS) == before


# ---- private ------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="modes")
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_nothing_of_a_home_can_be_read_by_others(tmp_path: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        home = somebody.begin(tmp_path / "家", somebody.Clock())
        everything(home)
        with home.change() as change:
            change.append("channels/board.jsonl", {"text": "一"})
    finally:
        os.umask(old)
    root = Path(home.root)
    # What the test itself wrote stands in for an editor, which makes files as it likes.
    ours = [p for p in root.rglob("*") if p.name not in ("identity.md", "refusals.toml")]
    wrong = {
        str(path.relative_to(root)): oct(path.stat().st_mode & 0o777)
        for path in [root, *ours]
        if path.stat().st_mode & (0o077 if path.is_dir() else 0o177)
    }
    assert wrong == {}
    assert root.stat().st_mode & 0o777 == 0o700


def test_a_new_library_may_be_shared_but_its_personas_are_nobodys_business(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        somebody.begin(tmp_path / "clew" / "personas" / "林昭")
    finally:
        os.umask(old)
    modes = {p: (tmp_path / p).stat().st_mode & 0o777 for p in ("clew", "clew/personas")}
    assert modes == {"clew": 0o755, "clew/personas": 0o700}


# ---- time ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone, moment, date", [
    ("Asia/Shanghai", datetime(2026, 3, 1, 19, 53, tzinfo=UTC), "2026-03-02"),
    ("America/Chicago", datetime(2026, 3, 1, 1, 0, tzinfo=UTC), "2026-02-28"),
    ("Pacific/Apia", datetime(2026, 3, 1, 12, 0, tzinfo=UTC), "2026-03-02"),
    ("America/New_York", datetime(2026, 11, 1, 5, 30, tzinfo=UTC), "2026-11-01"),
    ("America/New_York", datetime(2026, 11, 1, 6, 30, tzinfo=UTC), "2026-11-01"),
    ("UTC", datetime(2026, 3, 1, 0, 0, tzinfo=UTC), "2026-03-01"),
])  # fmt: skip
def test_civil_dates_are_those_of_the_personas_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str, moment: datetime, date: str
) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")  # the machine's zone has no say
    home = somebody.begin(tmp_path / "a", somebody.Clock(moment), zone=zone)
    assert home.today() == date
    assert home.read_events()[0].date == date


def test_a_clock_that_was_set_back_is_recorded_once_and_the_present_is_written(
    home: Home, clock: somebody.Clock
) -> None:
    keeping.change_mood(home, "raise", 0.2, cause="收到了回信", source="self")
    before = home.read_events()[-1].at
    clock.turn(days=-2)
    for text in ("一", "二", "三"):
        intents.add_thought(home, text)
        clock.turn(minutes=1)
    events = home.read_events()
    assert [event.kind for event in events[2:]] == ["clock_back", "thought", "thought", "thought"]
    assert events[2].facts["mark"] == before and events[2].facts["seconds"] == 2 * 86400
    assert [event.at for event in events[2:]] == [
        "2026-02-27T12:00:00.000Z", "2026-02-27T12:00:00.000Z", "2026-02-27T12:01:00.000Z",
        "2026-02-27T12:02:00.000Z",
    ]  # fmt: skip
    assert [event.n for event in events] == list(range(1, len(events) + 1))


def test_a_second_jump_back_is_another_event(home: Home, clock: somebody.Clock) -> None:
    clock.turn(hours=-5)
    intents.add_thought(home, "一")
    clock.turn(hours=-5)
    intents.add_thought(home, "二")
    assert [e.kind for e in home.read_events()].count("clock_back") == 2


def test_time_running_backwards_changes_no_mood(home: Home, clock: somebody.Clock) -> None:
    keeping.change_mood(home, "set", 0.9, cause="收到了回信", source="self")
    clock.turn(days=-30)
    assert keeping.state(home).mood == 0.9
    assert keeping.keep_state(home).mood == 0.9
    assert keeping.state(home).silence_seconds == 0


def test_dust_between_two_clocks_is_no_jump(home: Home, clock: somebody.Clock) -> None:
    clock.turn(seconds=-30)
    intents.add_thought(home, "一")
    assert [e.kind for e in home.read_events()] == ["born", "thought"]


# ---- reading --------------------------------------------------------------------------------------------


def test_a_newer_home_is_left_alone(home: Home) -> None:
    path = Path(home.root) / VITALS
    told = json.loads(path.read_bytes()) | {"schema_version": 2}
    path.write_text(json.dumps(told))
    before = path.read_bytes()
    with pytest.raises(NewerSchema):
        keeping.keep_state(home)
    assert path.read_bytes() == before


def test_lines_that_cannot_be_read_are_noted_and_do_not_stop_the_log(home: Home) -> None:
    path = Path(home.root) / EVENTS
    path.write_bytes(path.read_bytes() + b'{"n": "x"}\nnoise\n')
    assert len(home.read_events()) == 1
    assert [note.code for note in home.notes] == ["persona_lines_unread"]
    intents.add_thought(home, "一")
    assert home.read_events()[-1].n == 2


def test_a_torn_line_is_set_aside_and_never_served(home: Home) -> None:
    path = Path(home.root) / EVENTS
    path.write_bytes(path.read_bytes() + b'{"n": 2, "at": "2026')
    assert len(home.read_events()) == 1
    intents.add_thought(home, "一")
    assert [event.kind for event in home.read_events()] == ["born", "thought"]
    kept = list((Path(home.root) / ".clew" / "aside").rglob("*.torn"))
    assert len(kept) == 1


def test_reading_works_where_nothing_can_be_written(home: Home) -> None:
    if os.geteuid() == 0:
        pytest.skip("root writes everywhere")
    Path(home.root).chmod(0o500)
    try:
        assert keeping.state(home).mood == pytest.approx(0.35)
    finally:
        Path(home.root).chmod(0o700)


# ---- finding --------------------------------------------------------------------------------------------


@pytest.fixture
def library(tmp_path: Path) -> Path:
    for name in ("林昭", "阿九"):
        somebody.begin(tmp_path / "lib" / "personas" / name)
    settings = tmp_path / "lib" / "personas" / "阿九" / "persona.toml"
    settings.write_text(
        settings.read_text(encoding="utf-8").replace('name = "林昭"', 'name = "Nine"'),
        encoding="utf-8",
    )
    return tmp_path / "lib"


def test_a_home_is_found_by_folder_name_and_place(tmp_path: Path, library: Path) -> None:
    where = {"cwd": str(tmp_path), "library": str(library)}
    zhao = f"{library}/personas/林昭"
    assert find_home("林昭", **where) == zhao
    assert find_home("nine", **where) == f"{library}/personas/阿九"
    assert find_home(zhao, **where) == zhao
    assert find_home("lib/personas/林昭", **where) == zhao
    assert find_home(None, cwd=f"{zhao}", library="") == zhao
    assert find_home(None, environ={"CLEW_PERSONA": "林昭"}, **where) == zhao
    assert [Path(one).name for one in list_homes(**where)] == ["林昭", "阿九"]


def test_nobody_is_guessed(tmp_path: Path, library: Path) -> None:
    where = {"cwd": str(tmp_path), "library": str(library)}
    with pytest.raises(Refused) as several:
        find_home(None, **where)
    assert several.value.code == "several_personas"
    with pytest.raises(Missing) as wrong:
        find_home("没有", **where)
    assert wrong.value.faults[0].facts["allowed"] == ["林昭", "阿九"]
    with pytest.raises(Missing):
        find_home(None, cwd=str(tmp_path), library="")
    with pytest.raises(Missing):
        find_home("../..", **where)


def test_the_only_one_is_taken(tmp_path: Path) -> None:
    somebody.begin(tmp_path / "personas" / "林昭")
    found = find_home(None, cwd="/", library=str(tmp_path))
    assert found == f"{tmp_path}/personas/林昭"


def test_a_folder_that_is_no_home_is_told(tmp_path: Path) -> None:
    with pytest.raises(Missing) as missing:
        open_home(tmp_path)
    assert missing.value.code == "no_persona"


def test_documents_that_are_gone_are_not_taken_for_defaults(home: Home) -> None:
    (Path(home.root) / LISTS).unlink()
    with pytest.raises(Missing):
        intents.add_intent(home, "一")
    assert not (Path(home.root) / LISTS).exists()
    (Path(home.root) / LISTS).write_bytes(b"")
    with pytest.raises(Corrupt):
        home.load(LISTS, Lists)


@pytest.mark.parametrize(("path", "data", "reason"), [
    ("intents.json", b"{}", "none of the fields"), ("intents.json", b'{"n": 1}', "none of the fields"),
    ("intents.json", b'{"schema_version": 1, "intents": []}', "no revision"),
    ("intents.json", b'{"revision": 3, "intents": [], "intents": []}', "twice"),
    ("archive/manifest.json", b'{"copies": [], "copies": []}', "twice"),
    ("windows.json", b'{"n": 1}', "none of the fields"),
])  # fmt: skip
def test_what_passes_for_an_empty_document_is_none(
    tmp_path: Path, path: str, data: bytes, reason: str
) -> None:
    home = somebody.begin(tmp_path / "x")
    (Path(home.root) / path).parent.mkdir(exist_ok=True)
    (Path(home.root) / path).write_bytes(data)
    kinds = {"intents.json": Lists, "archive/manifest.json": Manifest, "windows.json": Windows}
    with pytest.raises(Corrupt) as broken:
        home.load(path, kinds[path])
    assert broken.value.code == "persona_file_broken" and reason in str(broken.value)
    mended = mending.mend(home)
    assert path in mended.mended and home.load(path, kinds[path]) is not None


def test_an_edit_that_is_whole_counts(tmp_path: Path) -> None:
    home = somebody.begin(tmp_path / "x")
    intents.add_intent(home, "一")
    path = Path(home.root) / "intents.json"
    path.write_bytes(json.dumps(json.loads(path.read_bytes()) | {"mine": True}).encode())
    assert [one.text for one in home.read_lists().intents] == ["一"]
