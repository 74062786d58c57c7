"""`clew hook … --persona`: the hosts' own JSON in and out, nothing lost, and nothing that stops a host."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent.parent / "persona"))
from scribe import SESSION, Scribe, text, thinking
from somebody import REFUSALS, begin

from clew.faces.hooks import persona, session
from clew.faces.hooks import persona_contract as contract
from clew.faces.hooks.session import Call
from clew.kernel.clock import system_clock
from clew.persona import marks, prepared, taking
from clew.persona.channels import reading, writing
from clew.persona.channels.lines import Receipt, Said
from clew.persona.home import Home, open_home
from clew.persona.windows import FILE, Window, Windows

HOOK = [sys.executable, "-P", "-m", "clew.faces.cli.main", "hook"]
CAP = 10_000
"""Characters after which a host cuts what a hook says."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.delenv("CLEW_LANG")  # the persona's name decides
    begin(tmp_path / "林 昭", system_clock)  # type: ignore[arg-type]
    return open_home(tmp_path / "林 昭")


def told(event: str, **more: Any) -> dict[str, Any]:
    """What Claude Code gives a hook."""
    return {
        "session_id": SESSION, "transcript_path": f"/nowhere/{SESSION}.jsonl", "cwd": "/x",
        "permission_mode": "default", "hook_event_name": event, **more,
    }  # fmt: skip


class Heard:
    """What a host saw."""

    def __init__(self, code: int, out: bytes, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def context(self) -> str:
        """What is put before the agent."""
        words = self.json["hookSpecificOutput"]["additionalContext"]
        assert len(words) <= CAP
        return str(words)


def run(
    home: Home | str, event: str, data: Any, *more: str, behind: bool = True, wake: str = ""
) -> Heard:
    """Run the hook in this process, and take up what it left, as its own process does behind it."""
    root = home.root if isinstance(home, Home) else home
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    call = Call([event, *more], root, cwd="/", wake=wake)
    out = session.answer(call, raw)
    if behind and call.later is not None:
        persona.take_up(call, contract.Told(event, call.host or "claude"), root)
    return Heard(0, out, "\n".join(call.notes))


def process(
    home: Home | str,
    event: str,
    data: Any,
    *more: str,
    env: dict[str, str] | None = None,
    waits: bool = True,
) -> Heard:
    """Run the hook as a host does, and wait until its marks were taken up."""
    root = home.root if isinstance(home, Home) else home
    raw = data if isinstance(data, bytes) else json.dumps(data).encode()
    done = subprocess.run(
        [*HOOK, event, "--persona", root, *more], input=raw, capture_output=True, timeout=30,
        check=False, cwd="/", env={**os.environ, **(env or {})},
    )  # fmt: skip
    end = time.monotonic() + 20
    folder = Path(root) / marks.FOLDER
    while waits and event != "SessionEnd" and time.monotonic() < end:
        if not folder.is_dir() or not any(folder.iterdir()):
            break
        time.sleep(0.02)
    return Heard(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def receipts(home: Home) -> list[Receipt]:
    return reading.last(home, "receipts", Receipt, 1_000)


def window(home: Home, ident: str = SESSION) -> Window:
    found = (home.load(FILE, Windows) or Windows()).find(ident)
    assert found is not None
    return found


def kinds(home: Home) -> list[str]:
    return [event.kind for event in home.read_events()]


# ---- a home that is not there -----------------------------------------------------------------------


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "BeforeAgent"])
def test_a_home_that_is_gone_is_told_to_the_agent_and_not_passed_over(
    tmp_path: Path, event: str
) -> None:
    heard = run(str(tmp_path / "gone"), event, told(event))
    assert "[no_persona]" in heard.context and "no persona.toml" in heard.err


@pytest.mark.parametrize("event", ["Stop", "PreCompact", "SessionEnd"])
def test_a_home_that_is_gone_stops_no_turn_and_is_told_to_the_person(
    tmp_path: Path, event: str
) -> None:
    heard = run(str(tmp_path / "gone"), event, told(event, last_assistant_message="好"))
    assert (heard.code, heard.out) == (0, b"") and heard.err


def test_a_mark_that_cannot_be_left_is_told_and_no_archiving_is_promised(home: Home) -> None:
    folder = Path(home.root, marks.FOLDER)
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    heard = run(home, "PreCompact", told("PreCompact"))
    assert heard.out == b"" and ".clew/marks" in heard.err
    assert (
        "不装作记得"
        in run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
    )


# ---- an opening ------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["startup", "resume", "clear"])
def test_an_opening_that_lies_ready_says_and_records_the_same(home: Home, source: str) -> None:
    first = run(home, "SessionStart", told("SessionStart", source="startup"))
    heard = run(home, "SessionStart", told("SessionStart", source=source, session_id="0b9f-2"))
    assert (Path(home.root) / prepared.CARD).is_file() and heard.err == ""
    cards = [
        re.sub(r"\d\d:\d\d", "", one.context).replace(ident, "WINDOW")
        for one, ident in ((first, SESSION), (heard, "0b9f-2"))
    ]
    assert cards[0] == cards[1]
    opened = [event for event in home.read_events() if event.kind == "opened"]
    assert [(one.window, one.facts["source"]) for one in opened] == [
        (SESSION, "startup"),
        ("0b9f-2", source),
    ]
    assert window(home, "0b9f-2").state == "current"


def test_after_a_compaction_the_card_is_made_anew(home: Home) -> None:
    run(home, "SessionStart", told("SessionStart", source="startup"))
    run(home, "PreCompact", told("PreCompact"))
    heard = run(home, "SessionStart", told("SessionStart", source="compact"))
    assert "渡口的守灯人" in heard.context and "clew persona baton write" in heard.context


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
def test_an_opening_gives_the_card_and_registers_the_window(home: Home, source: str) -> None:
    writing.hand_over(home, "核完三月", next_="核四月")
    heard = run(home, "SessionStart", told("SessionStart", source=source))
    assert (heard.code, heard.err) == (0, "")
    assert heard.json["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    for words in ("渡口的守灯人", "不替别人下结论", "不装作记得", "核完三月", "核四月"):
        assert words in heard.context
    assert (window(home).host, window(home).cwd) == ("claude", "/x")
    # The agent's own commands must reach this home, and say which window they come from.
    last = heard.context.splitlines()[-1]
    assert f"--home {home.root}" in last or f"--home '{home.root}'" in last
    assert f"--window {window(home).id}" in last


def test_an_opening_names_a_home_with_a_strange_path_so_that_a_shell_takes_it() -> None:
    data = json.dumps(told("SessionStart")).encode()
    told_ = contract.read(data, "SessionStart", "claude")
    for folder in ("/a b/it's 家", "/plain", "/$HOME/`x`"):
        said = json.loads(contract.opening(told_, "card " * 3_000, folder, "en"))
        text = said["hookSpecificOutput"]["additionalContext"]
        assert len(text) < 10_000
        words = shlex.split(text.splitlines()[-1].split("persona take ")[1].split(";")[0])
        assert words == ["--home", folder]


def test_b29_after_a_compaction_identity_and_refusals_are_there_again(home: Home) -> None:
    writing.hand_over(home, "核完三月")
    run(home, "SessionStart", told("SessionStart", source="startup"))
    heard = run(home, "PreCompact", told("PreCompact", trigger="auto"))
    assert heard.out == b"", "Claude Code takes what is said here for instructions to its summary"
    heard = run(home, "PreCompact", told("PreCompact", trigger="auto"), "--host", "codex")
    assert "交接棒" in heard.json["systemMessage"]
    again = run(home, "SessionStart", told("SessionStart", source="compact"))
    assert "不替别人下结论" in again.context and "不含压缩前的最后一段" in again.context
    writing.hand_over(home, "核完四月")
    assert (
        "不含压缩前"
        not in run(home, "SessionStart", told("SessionStart", source="compact")).context
    )


def test_a_compaction_archives_the_transcript_first(home: Home, tmp_path: Path) -> None:
    path = Scribe().person("在吗").write(tmp_path)
    process(home, "PreCompact", told("PreCompact", transcript_path=str(path)))
    kept = Path(home.root) / f"archive/claude/{SESSION}.jsonl"
    end = time.monotonic() + 10
    while not kept.exists() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.1)
    assert kept.read_bytes() == path.read_bytes()


def test_a_fork_is_registered_with_its_origin(home: Home, tmp_path: Path) -> None:
    path = Scribe("new-1").person("在吗", forkedFrom={"sessionId": "old-1"}).write(tmp_path)
    data = told("SessionStart", source="fork", transcript_path=str(path), session_id="new-1")
    run(home, "SessionStart", data)
    assert (window(home, "new-1").state, window(home, "new-1").origin) == ("forked", "old-1")


# ---- a turn ----------------------------------------------------------------------------------------


def test_each_turn_reads_all_refusals_the_one_of_the_day_first_and_the_date(home: Home) -> None:
    """B18: the agent is told the date, and does not have to guess it."""
    for _ in range(2):  # made, then read as it lies ready
        words = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
        first, *rest = [line for line in words.splitlines() if line.startswith("- ")]
        assert first.startswith("- 今天这一条：") and len(rest) == 2
        for refusal in ("不替别人下结论", "不装作记得", "不为讨好改口"):
            assert refusal in words
        assert home.today() in words and "Asia/Shanghai" in words


def test_a_persons_words_are_recorded_by_their_time_and_not_by_what_they_say(home: Home) -> None:
    before = home.read_vitals()
    data = told("UserPromptSubmit", prompt="只有你知道的事", prompt_id="p1")
    heard = process(home, "UserPromptSubmit", data)
    assert (heard.code, heard.err) == (0, "") and "不装作记得" in heard.context
    after = home.read_vitals()
    assert after.last_word_at > before.last_word_at and after.mood.value > before.mood.value
    (one,) = receipts(home)
    assert (one.how, one.evidence, one.chars, one.prompt) == ("typed", "none", 7, "p1")
    for path in Path(home.root).rglob("*"):
        assert not path.is_file() or "只有你知道" not in path.read_bytes().decode(
            "utf-8", "replace"
        )


@pytest.mark.parametrize(
    ("more", "wake", "how", "evidence", "source"),
    [
        ({"prompt": "推进一步"}, "autonomous", "injected", "wake", "autonomous"),
        ({"prompt": "<task-notification>x</task-notification>"}, "", "injected", "markup", ""),
        ({"prompt": "醒一醒", "prompt_source": "cron"}, "", "injected", "host", "cron"),
        ({"prompt": "在吗", "prompt_source": "typed"}, "", "typed", "host", "typed"),
        ({"prompt": "醒一醒，看看有什么要做"}, "", "injected", "timer", "c1"),
        ({"prompt": "醒一醒，别的"}, "", "typed", "none", ""),
    ],
)
def test_a_receipt_tells_what_was_typed_from_what_was_put_in(
    home: Home, more: dict[str, str], wake: str, how: str, evidence: str, source: str
) -> None:
    timers = [{"id": "c1", "cron": "*/25 * * * *", "prompt": "醒一醒，看看有什么要做"}]
    run(home, "Stop", told("Stop", last_assistant_message="好", session_crons=timers))
    before = home.read_vitals().last_word_at
    run(home, "UserPromptSubmit", told("UserPromptSubmit", **more), wake=wake)
    one = receipts(home)[-1]
    assert (one.how, one.evidence, one.source) == (how, evidence, source)
    assert (home.read_vitals().last_word_at > before) == (how == "typed")


def test_b8_two_sessions_at_once_are_told_apart(home: Home) -> None:
    running = [
        subprocess.Popen(
            [*HOOK, "UserPromptSubmit", "--persona", home.root], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        for _ in range(12)
    ]  # fmt: skip
    for number, one in enumerate(running):
        data = told("UserPromptSubmit", session_id=f"w{number % 3}", prompt="x" * (number + 1))
        assert one.stdin is not None
        one.stdin.write(json.dumps(data).encode())
        one.stdin.close()
    for one in running:
        assert one.stdout is not None and one.stderr is not None
        assert (
            "不装作记得" in json.loads(one.stdout.read())["hookSpecificOutput"]["additionalContext"]
        )
        assert one.stderr.read() == b""
        one.stdout.close()
        one.stderr.close()
        assert one.wait(30) == 0
    end = time.monotonic() + 20
    while taking.waiting(home) and time.monotonic() < end:
        time.sleep(0.05)
    found = receipts(home)
    assert sorted((one.window, one.chars) for one in found) == sorted(
        (f"w{n % 3}", n + 1) for n in range(12)
    )
    assert [one.n for one in found] == list(range(1, 13))


def test_a_mark_whose_process_was_killed_is_taken_up_by_the_next(home: Home) -> None:
    name = marks.leave(home.root, "words", session=SESSION, host="claude", chars=3, start=1)
    assert taking.take_up(home) == 1
    assert [one.mark for one in receipts(home)] == [name]
    # Killed between the change and the removal: the mark is there again, and does nothing.
    (Path(home.root) / marks.FOLDER / name).write_text('{"kind": "words", "chars": 3}')
    assert taking.take_up(home) == 1
    assert len(receipts(home)) == 1 and taking.waiting(home) == []


@pytest.mark.parametrize(
    "data", [b"", b"\0" * 50, b"[]", b'{"kind": 7}', b'{"kind": "words', b"{}"]
)
def test_a_mark_that_makes_no_sense_is_cleared_away(home: Home, data: bytes) -> None:
    folder = Path(home.root) / marks.FOLDER
    folder.mkdir(parents=True)
    (folder / "1.json").write_bytes(data)
    assert taking.take_up(home) == 0 and list(folder.iterdir()) == []


def test_what_lies_ready_counts_only_while_its_inputs_are_what_they_were(home: Home) -> None:
    first = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="一")).context
    assert "不撒谎" not in first
    path = Path(home.root) / "refusals.toml"
    path.write_text(REFUSALS + '\n[[refusal]]\nid = "R4"\ntext = "不撒谎"\n', encoding="utf-8")
    assert "不撒谎" in run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="二")).context
    writing.note(home, "灯油没了", by="阿灯")
    assert (
        "1 条未读" in run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="三")).context
    )


@pytest.mark.parametrize("broken", [b"", b"\0" * 64, b"[[refusal]]\nid = 7\n", b"\xff\xfe"])
def test_b11_refusals_that_cannot_be_read_are_told_and_never_taken_for_none(
    home: Home, broken: bytes
) -> None:
    run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="一"))
    (Path(home.root) / "refusals.toml").write_bytes(broken)
    for event in ("UserPromptSubmit", "SessionStart"):
        heard = run(home, event, told(event, prompt="二"), behind=False)
        assert heard.code == 0 and "clew [" in heard.context


@pytest.mark.parametrize("event", ["UserPromptSubmit", "SessionStart"])
def test_a_fault_is_told_in_the_language_of_the_persona(home: Home, event: str) -> None:
    """Everything else that the hook says here is Chinese; its faults were English."""
    for name in ("refusals.toml", "persona.toml"):
        (Path(home.root) / name).write_bytes(b"x =")
        heard = run(home, event, told(event, source="startup", prompt="二"), behind=False)
        assert f"{name} 第 1 行" in heard.context and f"{name} 第 1 行" in heard.err


@pytest.mark.parametrize("ready", [b"", b"{}", b"[", b"7", b'{"lang": "zh"}', b"\xff" * 2_000_000])
def test_a_broken_text_that_lies_ready_is_made_anew(home: Home, ready: bytes) -> None:
    (Path(home.root) / ".clew").mkdir(exist_ok=True)
    (Path(home.root) / marks.TURN).write_bytes(ready)
    words = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
    assert "不装作记得" in words


def test_many_refusals_stay_within_the_limit_and_what_is_left_out_is_said(home: Home) -> None:
    more = "".join(f'\n[[refusal]]\nid = "X{n}"\ntext = "{"不" * 150}{n}"\n' for n in range(100))
    (Path(home.root) / "refusals.toml").write_text(REFUSALS + more, encoding="utf-8")
    words = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
    assert len(words) <= 4_000 and "clew persona refusal list" in words


# ---- the end of a turn -----------------------------------------------------------------------------

WORDS = "他后来去了渡口，没有回来。"


@pytest.fixture
def lost(tmp_path: Path) -> Path:
    """A transcript whose last turn left its answer in the thinking."""
    return Scribe().person("后来呢").persona(thinking(WORDS)).write(tmp_path, old=False)


def test_a_turn_without_an_answer_goes_on_once(home: Home, lost: Path) -> None:
    data = told(
        "Stop", transcript_path=str(lost), last_assistant_message="", stop_hook_active=False
    )
    heard = run(home, "Stop", data)
    assert heard.json["decision"] == "block" and str(len(WORDS)) in heard.json["reason"]
    assert reading.last(home, "live", Said, 1)[0].text == WORDS
    assert run(home, "Stop", data).out == b""  # told already
    assert kinds(home).count("answer_lost") == 1


def test_the_guard_is_silent_where_the_host_asked_again(home: Home, lost: Path) -> None:
    data = told("Stop", transcript_path=str(lost), last_assistant_message="", stop_hook_active=True)
    assert run(home, "Stop", data).out == b""
    assert "answer_lost" not in kinds(home)


@pytest.mark.parametrize("message", ["好", None])
def test_a_turn_that_ended_with_words_is_left_alone(
    home: Home, tmp_path: Path, message: str | None
) -> None:
    path = Scribe().person("后来呢").persona(text("去了渡口。")).write(tmp_path, old=False)
    data = told("Stop", transcript_path=str(path), last_assistant_message=message)
    assert run(home, "Stop", data).out == b""
    assert window(home).transcript == str(path)


def test_a_transcript_that_may_not_be_written_to_its_end_is_no_lost_answer(
    home: Home, tmp_path: Path
) -> None:
    path = Scribe().person("后来呢").persona(thinking(WORDS), stop=None).write(tmp_path, old=False)
    data = told("Stop", transcript_path=str(path))
    assert run(home, "Stop", data).out == b""


def test_timers_that_are_gone_are_told_at_the_next_turn_once(home: Home) -> None:
    """F30 and the seven days: what a session's timers lose, their owner hears."""
    timers = [{"id": "c1", "cron": "*/25 * * * *", "recurring": True}]
    for crons in (timers, []):
        run(home, "Stop", told("Stop", last_assistant_message="好", session_crons=crons))
    assert kinds(home).count("timer") == 1
    turns = [run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
             for _ in range(2)]  # fmt: skip
    assert "c1" in turns[0] and "c1" not in turns[1]


def test_a_timer_that_is_gone_is_told_with_what_sets_it_up_again(home: Home) -> None:
    """Only its id was told, and the host had forgotten the rest."""
    timers = [{"id": "c1", "cron": "0 9 * * *", "recurring": True, "prompt": "去看\n- 灯"}]
    for crons in (timers, []):
        run(home, "Stop", told("Stop", last_assistant_message="好", session_crons=crons))
    words = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="在吗")).context
    assert words.splitlines()[-1] == "clew：定时 c1（0 9 * * * 「去看 - 灯」）不在了"
    (event,) = [one for one in home.read_events() if one.kind == "timer"]
    assert (event.facts["schedule"], event.facts["prompt"]) == ("0 9 * * *", "去看\n- 灯")


# ---- notes for one window ----------------------------------------------------------------------------


def test_a_note_that_was_left_for_a_window_is_told_there_until_it_is_read(home: Home) -> None:
    """A task handed to a window waited on the board, and nothing ever said so."""
    other = told("UserPromptSubmit", prompt="在吗", session_id="22223333-other")
    mine = told("UserPromptSubmit", prompt="在吗")
    run(home, "UserPromptSubmit", mine)
    run(home, "UserPromptSubmit", other)
    writing.note(home, "专给你的话", by="阿灯", to=SESSION, task=True)
    line = f"clew persona board read --reader {SESSION}"
    for _ in range(2):  # made anew, and as it lies ready
        assert line in run(home, "UserPromptSubmit", mine).context
        assert "留言板" not in run(home, "UserPromptSubmit", other).context
        opened = run(home, "SessionStart", told("SessionStart", source="resume")).context
        assert line in opened and "转交 1 件" in opened
    assert "专给你的话" not in opened, "a note is read, not put before an agent"
    with home.change() as change:
        reading.mark(change, SESSION, 1)
    assert "留言板" not in run(home, "UserPromptSubmit", mine).context
    assert "留言板" not in run(home, "SessionStart", told("SessionStart", source="clear")).context


def test_nothing_is_said_to_be_archived_where_a_host_names_no_transcript(home: Home) -> None:
    data = told("PreCompact", transcript_path=None)
    said = run(home, "PreCompact", data, "--host", "codex").json["systemMessage"]
    assert "正在归档" not in said and "没有归档" in said
    said = run(home, "PreCompact", told("PreCompact"), "--host", "codex").json["systemMessage"]
    assert "正在归档" in said


# ---- the end of a session --------------------------------------------------------------------------


def test_b33_the_end_of_a_session_only_drops_a_mark(home: Home) -> None:
    run(home, "SessionStart", told("SessionStart", source="startup"))
    before = (Path(home.root) / FILE).read_bytes()
    assert run(home, "SessionEnd", told("SessionEnd", reason="other"), behind=False).out == b""
    assert (Path(home.root) / FILE).read_bytes() == before
    assert [mark.kind for mark in taking.waiting(home)] == ["ended"]
    taking.take_up(home)
    assert window(home).ended and window(home).state == "current"
    run(home, "SessionStart", told("SessionStart", source="resume"))
    assert window(home).ended == ""


# ---- other hosts -----------------------------------------------------------------------------------


def test_gemini_is_answered_in_its_own_shapes(home: Home, tmp_path: Path) -> None:
    gemini = ("--host", "gemini")
    assert "渡口的守灯人" in run(home, "SessionStart", told("SessionStart"), *gemini).context
    heard = run(home, "BeforeAgent", told("BeforeAgent", prompt="在吗"), *gemini)
    assert heard.json["hookSpecificOutput"]["hookEventName"] == "BeforeAgent"
    assert receipts(home)[-1].host == "gemini"
    for event, more in (("AfterAgent", {"prompt_response": "好"}), ("SessionEnd", {})):
        assert run(home, event, told(event, **more), *gemini).json == {}
    assert "systemMessage" in run(home, "PreCompress", told("PreCompress"), *gemini).json
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"sessionId": SESSION, "messages": [
        {"type": "user", "content": "后来呢"},
        {"type": "gemini", "id": "m1", "content": "", "thoughts": [{"description": WORDS}]}]}))  # fmt: skip
    data = told("AfterAgent", prompt_response="", transcript_path=str(path))
    assert run(home, "AfterAgent", data, *gemini).json["decision"] == "deny"


def test_codex_is_answered_as_claude_code_is(home: Home) -> None:
    data = told("UserPromptSubmit", prompt="在吗")
    assert "不装作记得" in run(home, "UserPromptSubmit", data, "--host", "codex").context
    assert receipts(home)[-1].host == "codex"


# ---- nothing stops a host --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "event", ["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"]
)
@pytest.mark.parametrize(
    "data",
    [b"", b"null", b"[]", b"\xff\xfe", b"{", b'{"session_id": 7, "prompt": []}', b"[" * 100_000,
     b'{"hook_event_name": "Nothing"}'],
    ids=["empty", "null", "list", "no text", "torn", "wrong types", "deep", "unknown event"],
)  # fmt: skip
def test_any_input_is_answered_with_exit_code_0_and_no_traceback(
    home: Home, event: str, data: bytes
) -> None:
    heard = run(home, event, data)
    if heard.out:
        assert "decision" not in heard.json
    if event == "UserPromptSubmit" and b"Nothing" not in data:
        assert "不装作记得" in heard.context
    if data[:1] != b"{" or data == b"{":
        assert receipts(home) == []


@pytest.mark.parametrize("data", [b"", b"\xff{", b"[" * 100_000])
def test_a_process_that_is_told_nonsense_ends_well(home: Home, data: bytes) -> None:
    heard = process(home, "UserPromptSubmit", data)
    assert heard.code == 0 and "Traceback" not in heard.err and "不装作记得" in heard.context


def test_a_wake_of_the_pulse_is_known_by_its_environment(home: Home) -> None:
    data = told("UserPromptSubmit", prompt="推进一步")
    process(home, "UserPromptSubmit", data, env={"CLEW_WAKE": "autonomous"})
    assert receipts(home)[-1].evidence == "wake"


def test_a_huge_prompt_is_recorded_by_its_length(home: Home) -> None:
    words = "长" * 2_000_000
    heard = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt=words))
    assert heard.code == 0 and receipts(home)[-1].chars == 2_000_000
    heard = run(home, "UserPromptSubmit", b'{"prompt": "' + b"x" * 17_000_000 + b'"}')
    assert heard.code == 0 and "不装作记得" in heard.context


@pytest.mark.parametrize("what", ["no home", "no name", "broken settings", "a file"])
def test_a_persona_that_is_not_there_is_told_on_stderr(tmp_path: Path, what: str) -> None:
    folder = tmp_path / "x"
    if what == "broken settings":
        folder.mkdir()
        (folder / "persona.toml").write_bytes(b"\0\0")
    elif what == "a file":
        folder.write_bytes(b"")
    name = "nobody" if what == "no name" else str(folder)
    for event in ("SessionStart", "UserPromptSubmit", "SessionEnd"):
        heard = process(
            name, event, told(event, prompt="x"), env={"HOME": str(tmp_path)}, waits=False
        )
        assert heard.code == 0 and "Traceback" not in heard.err


@pytest.mark.parametrize(
    "path", ["../../etc/passwd", "/etc/passwd", "x\0y", "/dev/zero", 7, "/x/other.jsonl"]
)
def test_a_path_that_cannot_be_the_sessions_transcript_is_not_kept(
    home: Home, path: object
) -> None:
    for event in ("SessionStart", "UserPromptSubmit", "Stop"):
        run(home, event, told(event, transcript_path=path, last_assistant_message="x", prompt="x"))
    assert window(home).transcript == ""


@pytest.mark.parametrize("ident", ["../x", "a/b", "", 7, None, "灯", "x" * 300, ".hidden", "a\nb"])
def test_an_id_that_cannot_be_a_sessions_becomes_no_window_and_no_path(
    home: Home, ident: object
) -> None:
    for event in ("SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"):
        heard = run(
            home, event, told(event, session_id=ident, prompt="x", last_assistant_message="x")
        )
        assert heard.code == 0
    assert (home.load(FILE, Windows) or Windows()).windows == []
    assert receipts(home)[-1].window == ""


def test_b10_a_register_that_cannot_be_read_stays_and_stops_nothing(home: Home) -> None:
    path = Path(home.root) / FILE
    for broken in (b"", b"\0" * 80, b'{"schema_version": 1, "win', b'{"schema_version": 1}garbage'):
        path.write_bytes(broken)
        assert "渡口的守灯人" in run(home, "SessionStart", told("SessionStart")).context
        heard = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="x"), behind=False)
        assert heard.code == 0 and "不装作记得" in heard.context
        assert path.read_bytes() == broken


def test_words_of_a_subagent_are_nobodys(home: Home) -> None:
    heard = run(home, "UserPromptSubmit", told("UserPromptSubmit", prompt="x", agent_id="a1"))
    assert heard.out == b"" and receipts(home) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = ["session_id", "transcript_path", "cwd", "hook_event_name", "prompt", "prompt_id", "source",
        "prompt_source", "last_assistant_message", "stop_hook_active", "session_crons", "agent_id"]  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.sampled_from(["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"]),
    st.dictionaries(st.sampled_from(KEYS), JSON),
)
def test_no_values_of_any_type_are_a_failure(
    home: Home, event: str, more: dict[str, object]
) -> None:
    more.setdefault("hook_event_name", event)
    call = Call([event], home.root, locale="en")
    out = session.answer(call, json.dumps(more).encode())
    if out:
        answer = json.loads(out)
        assert out.isascii() and set(answer) <= {"hookSpecificOutput", "systemMessage"}
    taking.take_up(home)


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"session_id": "../x"}'])
def test_an_opening_that_belongs_to_no_window_is_shown_and_not_recorded(
    home: Home, data: bytes
) -> None:
    for _ in range(2):  # made anew, and found ready
        assert "渡口的守灯人" in run(home, "SessionStart", data).context
    assert [one for one in home.read_events() if one.kind == "opened"] == []


def test_what_a_hook_says_about_moments_goes_by_the_clock_of_the_persona(home: Home) -> None:
    from clew.persona import turning

    said = turning.after_compaction(
        "2026-03-01T16:30:00.000Z", "2026-03-01T15:00:00.000Z", home.zone, "en"
    )
    assert "2026-03-02 00:30 (Asia/Shanghai)" in said and "2026-03-01 23:00" in said
    assert not re.search(r"\d:\d\d(\.\d+)?Z", said)
    writing.hand_over(home, "核完三月", window=SESSION)
    heard = run(home, "PreCompact", told("PreCompact"), "--host", "codex")
    assert "不到一分钟前" in heard.json["systemMessage"]
