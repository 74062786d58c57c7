"""The live channel and the guards at work: what transcripts say, once, from where the last look ended."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from scribe import SESSION, Scribe, text, thinking, tool
from somebody import Clock, again, begin

from clew.kernel.errors import Missing
from clew.persona import marks, registering, watching
from clew.persona.channels import live, reading
from clew.persona.channels.lines import Said
from clew.persona.context_guard import ContextLimits, judged, measured
from clew.persona.home import Home
from clew.persona.windows import FILE, Windows


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", Clock())


def talk(home: Home, folder: Path, scribe: Scribe, *, old: bool = True) -> Path:
    path = scribe.write(folder, old=old)
    registering.act(home, "add", scribe.session, transcript=str(path), host="claude")
    return path


def said(home: Home, window: str = "") -> list[tuple[str, str]]:
    return [(one.who, one.text) for one in reading.last(home, "live", Said, 100, window=window)]


def window(home: Home, ident: str = SESSION) -> object:
    return (home.load(FILE, Windows) or Windows()).find(ident)


# ---- live ------------------------------------------------------------------------------------------


def test_each_side_sees_what_the_other_said(home: Home, tmp_path: Path) -> None:
    talk(home, tmp_path, Scribe("w1").person("在吗").persona(thinking("想"), text("在。")))
    talk(home, tmp_path, Scribe("w2").person("雨停了").result().persona(tool(), stop="tool_use"))
    assert live.sync(home).lines == 3
    assert said(home, "w1") == [("person", "在吗"), ("persona", "在。")]
    assert said(home, "w2") == [("person", "雨停了")]


def test_nothing_is_taken_twice(home: Home, tmp_path: Path) -> None:
    scribe = Scribe().person("一").persona(text("壹"))
    talk(home, tmp_path, scribe)
    live.sync(home)
    assert live.sync(again(home)).lines == 0
    scribe.person("二").write(tmp_path)
    scribe.lines += scribe.lines[:2]  # F22: written again
    scribe.write(tmp_path)
    assert live.sync(again(home)).lines == 1
    assert [words for _, words in said(home)] == ["一", "壹", "二"]


def test_of_a_long_conversation_only_the_end_is_taken(home: Home, tmp_path: Path) -> None:
    scribe = Scribe()
    for number in range(400):
        scribe.person(f"第{number}句" + "长" * 200, timestamp="2026-03-01T02:00:00.000Z")
    talk(home, tmp_path, scribe)
    count = live.sync(home).lines
    assert 0 < count < 200
    assert said(home)[-1][1].startswith("第399句")


def test_a_rewritten_transcript_is_followed_from_its_end(home: Home, tmp_path: Path) -> None:
    path = talk(home, tmp_path, Scribe().person("一").person("二"))
    live.sync(home)
    path.write_bytes(Scribe().person("全新").data[:-1].replace(b"u1", b"n1") + b"\n")
    live.sync(home)
    assert said(home)[-1] == ("person", "全新")


def test_a_document_that_its_host_rewrites_is_followed_by_its_messages(
    home: Home, tmp_path: Path
) -> None:
    path = tmp_path / "session.json"
    messages = [{"id": "1", "type": "user", "content": "在吗"}]
    path.write_text(json.dumps({"sessionId": "g1", "messages": messages}))
    registering.act(home, "add", "g1", transcript=str(path), host="gemini")
    live.sync(home)
    messages.append({"id": "2", "type": "gemini", "content": "在。"})
    path.write_text(json.dumps({"sessionId": "g1", "messages": messages}))
    assert live.sync(home).lines == 1
    assert live.sync(home).lines == 0
    assert said(home) == [("person", "在吗"), ("persona", "在。")]


def test_what_is_long_is_cut_and_the_cut_is_told(home: Home, tmp_path: Path) -> None:
    talk(home, tmp_path, Scribe().persona(text("长" * 5_000)))
    live.sync(home)
    (line,) = reading.last(home, "live", Said, 1)
    assert (len(line.text), line.cut_chars) == (2_000, 3_000)


def test_a_retired_window_is_not_followed(home: Home, tmp_path: Path) -> None:
    talk(home, tmp_path, Scribe().person("一"))
    registering.act(home, "retire", SESSION)
    assert live.sync(home).windows == 0 and said(home) == []


def test_a_transcript_that_vanished_is_no_failure(home: Home, tmp_path: Path) -> None:
    talk(home, tmp_path, Scribe().person("一")).unlink()
    assert live.periodic(home) == {"windows": 1, "lines": 0}
    assert watching.guard_periodic(home) == {"turns": 0, "lost": 0}


# ---- the answer guard ------------------------------------------------------------------------------

WORDS = "他后来去了渡口，没有回来。"


def test_a_lost_answer_is_brought_back_once_and_the_window_is_told(
    home: Home, tmp_path: Path
) -> None:
    scribe = Scribe().person("在吗").persona(text("在。")).person("后来呢").persona(thinking(WORDS))
    path = talk(home, tmp_path, scribe)
    before = path.read_bytes()
    (lost,) = watching.guard(home).lost
    assert (lost.kind, lost.words) == ("salvageable", WORDS)
    (line,) = reading.last(home, "live", Said, 5)
    assert line.salvaged and line.text == WORDS and line.who == "persona"
    assert [e.facts["shape"] for e in home.read_events() if e.kind == "answer_lost"] == [
        "salvageable"
    ]
    assert WORDS in marks.told(home.root, SESSION)
    assert marks.told(home.root, SESSION) == ""
    assert watching.guard(again(home)).lost == []
    assert path.read_bytes() == before


def test_a_turn_that_is_still_being_written_is_left_alone(home: Home, tmp_path: Path) -> None:
    scribe = Scribe().person("后来呢").persona(thinking(WORDS))
    path = talk(home, tmp_path, scribe, old=False)
    assert watching.guard(home).lost == []
    scribe.person("continue", isMeta=True).persona(text("去了渡口。")).write(tmp_path)
    assert watching.guard(home).lost == []
    assert path.exists()


def test_a_turn_is_lost_once_the_next_prompt_has_come(home: Home, tmp_path: Path) -> None:
    scribe = Scribe().person("后来呢").persona(thinking("", "x")).person("？")
    talk(home, tmp_path, scribe, old=False)
    (lost,) = watching.guard(home).lost
    assert lost.kind == "gone" and lost.words == ""
    assert said(home) == []


def test_the_guard_goes_on_where_it_stopped(home: Home, tmp_path: Path) -> None:
    scribe = Scribe().person("一").persona(text("壹"))
    talk(home, tmp_path, scribe)
    assert watching.guard(home).turns == 1
    scribe.person("二").persona(text("贰")).write(tmp_path)
    assert watching.guard(home).turns == 1
    assert watching.guard(home).turns == 0


def test_the_last_turn_of_any_transcript_can_be_judged(home: Home, tmp_path: Path) -> None:
    document = tmp_path / "a.json"
    document.write_text(json.dumps([{"role": "user", "content": "后来呢"},
                                    {"role": "assistant", "content": "", "reasoning": WORDS}]))  # fmt: skip
    turn = watching.last_turn(home, str(document))
    assert turn is not None and turn.last is not None and turn.last.thinking == WORDS
    assert watching.last_turn(home, str(tmp_path / "none.jsonl")) is None


# ---- the context guard -----------------------------------------------------------------------------


def test_turns_and_bytes_count_from_the_last_compaction() -> None:
    from scribe import read_from

    from clew.persona.transcripts.reading import steps

    scribe = Scribe().person("一").person("二").boundary().person("三").persona(text("叁"))
    one = measured(steps(read_from(scribe.data)), ContextLimits())
    assert (one.turns, one.turns_in_all, one.compactions, one.responses) == (1, 3, 1, 1)
    assert one.bytes < one.bytes_in_all == len(scribe.data)


@pytest.mark.parametrize(
    ("turns", "size", "light", "reasons"),
    [(0, 0, "green", []), (149, 7_999_999, "green", []), (150, 0, "yellow", ["turns"]),
     (0, 8_000_000, "yellow", ["bytes"]), (300, 8_000_000, "red", ["turns"]),
     (300, 20_000_000, "red", ["turns", "bytes"])],
)  # fmt: skip
def test_the_light_goes_by_the_limits(
    turns: int, size: int, light: str, reasons: list[str]
) -> None:
    assert judged(turns, size, ContextLimits()) == (light, reasons)


def test_a_limit_of_zero_is_none() -> None:
    none = ContextLimits(yellow_turns=0, red_turns=0, yellow_bytes=0, red_bytes=0)
    assert judged(10**9, 10**12, none) == ("green", [])


def test_a_light_that_changed_is_an_event_and_told_once(home: Home, tmp_path: Path) -> None:
    scribe = Scribe()
    for number in range(160):
        scribe.person(f"第{number}句")
    talk(home, tmp_path, scribe)
    assert watching.context_periodic(home) == {"light": "yellow", "windows": 1}
    watching.context_periodic(again(home))
    assert [e.kind for e in home.read_events()].count("context_light") == 1


def test_a_transcript_that_is_named_is_measured(home: Home, tmp_path: Path) -> None:
    path = Scribe().person("一").write(tmp_path)
    found = watching.measure(home, str(path), ContextLimits())
    assert found.windows[0].turns == 1
    with pytest.raises(Missing):
        watching.measure(home, os.fspath(tmp_path / "none"), ContextLimits())


def test_a_conversation_of_last_year_is_no_look_at_the_present(home: Home, tmp_path: Path) -> None:
    scribe = Scribe("w1")
    scribe.person("去年的话", timestamp="2025-03-02T10:00:00.000Z").person("现在的话")
    path = talk(home, tmp_path, scribe)
    assert live.sync(home).lines == 1 and said(home) == [("person", "现在的话")]
    scribe.person("晚到的", timestamp="2025-03-02T10:00:00.000Z")
    scribe.write(path.parent)
    assert live.sync(again(home)).lines == 1, "what is added later was said since"


def test_a_window_sees_the_others_and_not_itself(home: Home, tmp_path: Path) -> None:
    for name in ("w1", "w2"):
        talk(home, tmp_path, Scribe(name).person(f"{name} 的话"))
    live.sync(home)
    apart = reading.last(home, "live", Said, 9, apart="w1")
    assert [one.window for one in apart] == ["w2"]
