"""What hosts really send (docs/hosts.md): the words of their own versions, in and out."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "persona"))
from scribe import Scribe
from somebody import begin

from clew.faces.hooks import persona, session
from clew.faces.hooks import persona_contract as contract
from clew.faces.hooks.session import Call
from clew.kernel.clock import system_clock
from clew.persona import taking, watching
from clew.persona.answer_guard import Verdict
from clew.persona.channels import live, reading
from clew.persona.channels.lines import Receipt, Said
from clew.persona.home import Home, open_home
from clew.persona.windows import FILE, Window, Windows

SHAPES = Path(__file__).parent.parent / "persona" / "transcripts" / "shapes"
FIRST, FORK = "0b9f2c1e-1111-4222-8333-444455556666", "7c285294-3b13-4676-8d2c-d149abf78a45"
RECORD = "61124e00-0000-4000-8000-00000000000{}"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("CLEW_LANG")
    begin(tmp_path / "林 昭", system_clock)  # type: ignore[arg-type]
    return open_home(tmp_path / "林 昭")


def run(home: Home, event: str, host: str, *, behind: bool = True, **told: Any) -> bytes:
    """One event, as a host tells it."""
    call = Call([event, "--host", host], home.root, cwd="/")
    given = {"session_id": FIRST, "cwd": "/x", "hook_event_name": event, **told}
    out = session.answer(call, json.dumps(given).encode())
    if behind and call.later is not None:
        persona.take_up(call, contract.Told(event, host), home.root)
    return out


def window(home: Home, ident: str = FIRST) -> Window:
    found = (home.load(FILE, Windows) or Windows()).find(ident)
    assert found is not None
    return found


def receipts(home: Home) -> list[Receipt]:
    return reading.last(home, "receipts", Receipt, 100)


def test_a_session_whose_last_turn_is_taken_up_after_its_end_has_ended(home: Home) -> None:
    run(home, "UserPromptSubmit", "claude", prompt="一")
    # `claude -p` ends at once: the marks of both wait when somebody comes.
    run(home, "Stop", "claude", behind=False, last_assistant_message="好")
    run(home, "SessionEnd", "claude", reason="other")
    taking.take_up(home)
    found = window(home)
    assert found.seen <= found.ended


def test_a_turn_that_is_taken_up_late_does_not_open_a_window_that_ended(home: Home) -> None:
    run(home, "UserPromptSubmit", "claude", prompt="一", behind=False)
    (late,) = (Path(home.root) / ".clew/marks").glob("*.json")
    kept = late.read_bytes()
    taking.take_up(home)
    run(home, "SessionEnd", "claude")
    taking.take_up(home)
    late.write_bytes(kept.replace(b'"words"', b'"done"'))
    taking.take_up(home)
    assert window(home).ended


def test_codex_names_a_turn_by_its_own_word(home: Home) -> None:
    run(home, "UserPromptSubmit", "codex", prompt="一", turn_id="01a22e9f-c536")
    assert [one.prompt for one in receipts(home)] == ["01a22e9f-c536"]


def test_codex_says_that_there_was_no_message_and_is_taken_at_its_word(
    home: Home, tmp_path: Path
) -> None:
    ident = "01a22e9f-d6f6-7f63-9df6-37b92fc5829d"
    path = tmp_path / f"rollout-2026-11-30T22-42-36-{ident}.jsonl"
    reasoning = {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": "灯还亮着"}],
    }
    prompt = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "在吗"}],
    }
    lines = [
        json.dumps(
            {"timestamp": "2026-11-30T22:42:37.000Z", "type": "response_item", "payload": one}
        )
        for one in (prompt, reasoning)
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    told = {"session_id": ident, "transcript_path": str(path)}
    absent = run(home, "Stop", "codex", **told)
    assert absent == b"", "where nothing is told the file may not be whole yet"
    out = run(home, "Stop", "codex", last_assistant_message=None, **told)
    assert json.loads(out)["decision"] == "block"
    assert [one.facts["shape"] for one in home.read_events() if one.kind == "answer_lost"] == [
        "salvageable"
    ]


def test_the_card_that_gemini_puts_before_a_prompt_is_not_what_a_person_said(home: Home) -> None:
    prompt = "<hook_context># 林昭\n&gt; 灯</hook_context>\n\n在吗"
    run(home, "BeforeAgent", "gemini", prompt=prompt)
    assert [(one.chars, one.how) for one in receipts(home)] == [(2, "typed")]


def test_gemini_is_about_to_compress_only_when_somebody_asked(home: Home) -> None:
    assert json.loads(run(home, "PreCompress", "gemini", trigger="auto")) == {}
    assert [one.kind for one in home.read_events() if one.kind == "compacting"] == []
    out = run(home, "PreCompress", "gemini", trigger="manual")
    assert "systemMessage" in json.loads(out)
    assert [one.kind for one in home.read_events() if one.kind == "compacting"] == ["compacting"]


def test_a_session_of_gemini_is_followed(home: Home, tmp_path: Path) -> None:
    data = (SHAPES / "gemini-0.61.0.jsonl").read_bytes()
    ident = json.loads(data.splitlines()[0])["sessionId"]
    path = tmp_path / f"session-2026-11-30T22-57-{ident[:8]}.jsonl"
    path.write_bytes(data.replace(b"2026-11-30T22:57", f"{ago(hours=1)[:16]}".encode()))
    run(
        home,
        "SessionStart",
        "gemini",
        session_id=ident,
        transcript_path=str(path),
        source="startup",
    )
    live.sync(home)
    said = [one.text for one in reading.last(home, "live", Said, 10)]
    assert said == ["渡口那边怎么样", "西边第三盏灯还没点。", "点上", "点好了。"]


def ago(**by: float) -> str:
    """A moment that is not long past, as hosts write it."""
    return (system_clock() - timedelta(**by)).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def copied(folder: Path) -> tuple[Path, Path]:
    """A session, and a copy of it that went on, as Claude Code writes it: the same records."""
    old = [
        {"type": "user", "uuid": RECORD.format(1), "timestamp": ago(hours=2),
         "message": {"role": "user", "content": "一"}},
        {"type": "assistant", "uuid": RECORD.format(2), "timestamp": ago(hours=1),
         "message": {"id": "m1", "role": "assistant", "stop_reason": "end_turn",
                     "content": [{"type": "text", "text": "一起守。"}]}},
    ]  # fmt: skip
    new = {**old[0], "uuid": RECORD.format(3), "message": {"role": "user", "content": "二"}}
    paths = []
    for ident, records in ((FIRST, old), (FORK, [*old, new])):
        scribe = Scribe(ident)
        for record in records:
            scribe.add({**record, "sessionId": ident})
        paths.append(scribe.write(folder))
    return paths[0], paths[1]


def test_a_fork_that_its_host_opened_under_the_old_name_is_found_and_told(
    home: Home, tmp_path: Path
) -> None:
    first, fork = copied(tmp_path)
    run(home, "SessionStart", "claude", transcript_path=str(first), source="startup")
    run(home, "SessionStart", "claude", transcript_path=str(first), source="resume")
    of_fork = {"session_id": FORK, "transcript_path": str(fork)}
    run(home, "UserPromptSubmit", "claude", prompt="二", **of_fork)
    run(home, "Stop", "claude", last_assistant_message="好", **of_fork)
    assert (window(home, FORK).state, window(home, FORK).origin) == ("forked", FIRST)
    assert window(home).state == "current"
    said = json.loads(run(home, "UserPromptSubmit", "claude", prompt="三", **of_fork))
    assert f"--window {FORK}" in said["hookSpecificOutput"]["additionalContext"]
    again = json.loads(run(home, "UserPromptSubmit", "claude", prompt="四", **of_fork))
    assert FORK not in again["hookSpecificOutput"]["additionalContext"], "told once"


def test_what_a_fork_copied_is_neither_said_nor_lost_a_second_time(
    home: Home, tmp_path: Path
) -> None:
    first, fork = copied(tmp_path)
    run(home, "SessionStart", "claude", transcript_path=str(first))
    run(home, "SessionStart", "claude", session_id=FORK, transcript_path=str(fork))
    live.sync(home)
    assert [one.text for one in reading.last(home, "live", Said, 10)] == ["一", "一起守。", "二"]
    lost = [Verdict("gone", RECORD.format(9))]
    with home.change() as change:
        assert len(watching.keep(change, FIRST, lost)) == 1
        assert watching.keep(change, FORK, lost) == []


def test_windows_with_short_record_names_are_told_apart(home: Home) -> None:
    run(home, "SessionStart", "claude")
    run(home, "SessionStart", "claude", session_id=FORK)
    lost = [Verdict("gone", "msg_1")]
    with home.change() as change:
        assert len(watching.keep(change, FIRST, lost)) == 1
        assert len(watching.keep(change, FORK, lost)) == 1, "a number is no name"


def test_of_a_new_conversation_everything_is_followed_whatever_its_host_writes_between(
    home: Home, tmp_path: Path
) -> None:
    path = tmp_path / f"{FIRST}.jsonl"
    run(home, "SessionStart", "claude", transcript_path=str(path))
    later = window(home).opened
    scribe = Scribe(FIRST)
    scribe.person("派人看看", timestamp=later)
    # Claude Code 2.1.332 keeps each request that it makes, with every tool of it.
    scribe.add({"type": "api-request-shape", "sessionId": FIRST, "tools": "x" * 200_000})
    scribe.persona({"type": "text", "text": "都好。"}, timestamp=later)
    path.write_bytes(scribe.data)
    live.sync(home)
    assert [one.text for one in reading.last(home, "live", Said, 10)] == ["派人看看", "都好。"]


def test_of_a_conversation_that_was_there_before_the_end_is_followed(
    home: Home, tmp_path: Path
) -> None:
    scribe = Scribe(FIRST).person("好一会儿以前", timestamp=ago(hours=3))
    scribe.add({"type": "api-request-shape", "sessionId": FIRST, "tools": "x" * 200_000})
    scribe.persona({"type": "text", "text": "方才"}, timestamp=ago(hours=2))
    path = tmp_path / f"{FIRST}.jsonl"
    path.write_bytes(scribe.data)
    run(home, "SessionStart", "claude", transcript_path=str(path))
    live.sync(home)
    assert [one.text for one in reading.last(home, "live", Said, 10)] == ["方才"]
