"""The runners: a real program in its own group, a real socket, and nothing without trust."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest
from heart import ALWAYS, alive, decided, intend, lines, means, program, service, tick
from somebody import Clock, begin, clew, settings

from clew.persona.channels import reading, writing
from clew.persona.channels.lines import Note, Thinking
from clew.persona.home import Home
from clew.persona.pulse import outbox, pausing, running
from clew.persona.pulse.coming import coming
from clew.persona.pulse.prompts import ITEMS
from clew.persona.pulse.story import tell

ECHO = "sys.stdout.write('听到：' + sys.stdin.read())\n"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def home(tmp_path: Path, clock: Clock) -> Home:
    made = begin(tmp_path / "home", clock)
    settings(made, **ALWAYS)
    clock.turn(minutes=61)
    return made


# ---- in a home -------------------------------------------------------------------------------------


def by_command(home: Home, tmp_path: Path, body: str, more: str = "") -> None:
    settings(home, runner=f'kind = "command"\ncommand = {program(tmp_path, body)}\n{more}')


def test_nothing_that_a_home_names_runs_before_it_is_trusted(home: Home, tmp_path: Path) -> None:
    by_command(home, tmp_path, f"open({str(tmp_path / 'ran')!r}, 'w')\nprint('x')\n")
    found = tick(home, "monologue", trusted=lambda folder, files: False)
    assert decided(found) == {"monologue": "not_trusted"}
    assert not (tmp_path / "ran").exists()
    told = coming(home, means(home, trusted=lambda folder, files: False))
    assert (told.trusted, told.entries[2].blocked) == (False, "not_trusted")
    assert decided(tick(home, "monologue")) == {"monologue": "done"}
    assert (tmp_path / "ran").exists()


def test_trust_is_asked_about_the_file_that_names_the_program(home: Home, tmp_path: Path) -> None:
    by_command(home, tmp_path, "print('x')\n")
    asked: list[tuple[str, tuple[str, ...]]] = []

    def trusted(folder: str, files: tuple[str, ...]) -> bool:
        asked.append((folder, files))
        return True

    tick(home, "monologue", trusted=trusted)
    assert set(asked) == {(home.root, ("persona.toml",))}


def test_a_program_named_after_the_decision_is_not_run(home: Home, tmp_path: Path) -> None:
    by_command(home, tmp_path, "print('x')\n")
    path = Path(home.root, "persona.toml")

    def trusted(folder: str, files: tuple[str, ...]) -> bool:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("runner.py", "other.py"), encoding="utf-8")
        return True

    found = tick(home, "monologue", trusted=trusted)
    assert [one.code for one in found.decisions] == ["not_trusted"]


def test_what_a_run_says_goes_where_its_entry_speaks(home: Home, tmp_path: Path) -> None:
    intend(home)
    by_command(home, tmp_path, "sys.stdin.read(); print('我说的话')\n")
    tick(home)
    stream = reading.last(home, "stream", Thinking, 9)
    board = reading.last(home, "board", Note, 9)
    assert [one.text for one in stream] == ["我说的话"] * 4
    assert [(one.text, one.by) for one in board] == [("我说的话", "persona")]
    assert outbox.waiting(home) == []
    kinds = [event.facts["entry"] for event in home.read_events() if event.kind == "wake"]
    assert kinds == ["autonomous", "monologue", "resident", "opener", "explore"]


def test_mail_is_answered_on_the_board_and_counts_as_read(home: Home, tmp_path: Path) -> None:
    note = writing.note(home, "在吗？", by="person")
    by_command(home, tmp_path, "t = sys.stdin.read(); print('在' if '在吗？' in t else '?')\n")
    assert decided(tick(home, "resident")) == {"resident": "done"}
    answer = reading.last(home, "board", Note, 1)[0]
    assert (answer.text, answer.re, answer.by) == ("在", note.n, "persona")
    assert reading.unread(home) == []


def test_mail_that_a_prompt_does_not_show_stays_unread_and_wakes_again(
    home: Home, tmp_path: Path, clock: Clock
) -> None:
    for number in range(ITEMS + 3):
        writing.note(home, f"第{number}条", by="person")
    by_command(
        home,
        tmp_path,
        "t = sys.stdin.read(); print('见到' + str(t.count(chr(0x6761) + chr(0x201d))))\n",
    )
    assert decided(tick(home, "resident")) == {"resident": "done"}
    assert [note.text for note in reading.unread(home)] == [
        f"第{n}条" for n in range(ITEMS, ITEMS + 3)
    ]
    clock.turn(minutes=61)
    assert decided(tick(home, "resident")) == {"resident": "done"}
    assert reading.unread(home) == []
    said = [note.text for note in reading.last(home, "board", Note, 99) if note.by == "persona"]
    assert said == [f"见到{ITEMS}", "见到3"]


def test_a_program_has_the_refusals_and_knows_that_it_is_a_wake(home: Home, tmp_path: Path) -> None:
    body = (
        "t = sys.stdin.read(); print(os.environ['CLEW_WAKE'], os.getcwd(), '不替别人下结论' in t)\n"
    )
    by_command(home, tmp_path, body)
    found = tick(home, "explore")
    assert found.decisions[0].text == f"explore {home.root} True"


def test_an_endpoint_gets_the_card_as_its_system_message(home: Home) -> None:
    with service() as server:
        settings(
            home, runner='kind = "endpoint"', endpoint=f'url = "{server.url}"\nmodel = "small"'
        )
        assert decided(tick(home, "monologue")) == {"monologue": "done"}
    system, user = server.seen[0]["messages"]
    assert "不替别人下结论" in system["content"]
    assert "2026-03-01 21:01" in user["content"]
    assert tell(home).runs[0].tokens == 57


def test_the_days_runs_and_tokens_are_capped_failed_ones_too(
    home: Home, tmp_path: Path, clock: Clock
) -> None:
    by_command(home, tmp_path, "sys.exit(1)\n", "runs_per_day = 3\n")
    ran = 0
    for _ in range(17):
        ran += sum(one.outcome == "failed" for one in tick(home, "resident").decisions)
        clock.turn(minutes=10)
    assert ran == 3
    assert lines(home, "reason")[-1]["reason"] == "runs_spent"
    clock.turn(minutes=10)
    assert decided(tick(home, "resident")) == {"resident": "failed"}  # another day


def test_tokens_of_the_day_are_capped(home: Home, tmp_path: Path, clock: Clock) -> None:
    answer = {"type": "result", "is_error": False, "result": "x", "usage": {"output_tokens": 400}}
    body = f"print({json.dumps(json.dumps(answer))})\n"
    by_command(home, tmp_path, body, 'tokens_per_day = 1000\nanswer = "claude"\n')
    for _ in range(6):
        found = tick(home, "resident")
        clock.turn(minutes=10)
    assert decided(found) == {"resident": "tokens_spent"}
    assert coming(home, means(home)).tokens_today == 1200


def test_a_failed_run_is_told_with_its_code(home: Home, tmp_path: Path) -> None:
    by_command(home, tmp_path, "sys.stderr.write('quota'); sys.exit(2)\n")
    found = tick(home, "explore")
    assert found.went_wrong()
    assert (found.decisions[0].code, found.decisions[0].outcome) == ("runner_failed", "failed")
    run = tell(home).runs[0]
    assert (run.state, run.code) == ("failed", "runner_failed")
    assert "quota" in run.detail


def test_a_pause_ends_a_program_that_runs(home: Home, tmp_path: Path) -> None:
    mark = tmp_path / "up"
    by_command(home, tmp_path, f"open({str(mark)!r}, 'w'); time.sleep(600)\n")
    held = means(home)
    held = held._replace(meanwhile=running.meanwhile(home, held))

    def pause() -> None:
        while not mark.exists():
            time.sleep(0.05)
        pausing.pause(home)

    thread = threading.Thread(target=pause)
    thread.start()
    before = time.monotonic()
    found = tick(home, "explore", meanwhile=held.meanwhile)
    thread.join()
    assert [one.code for one in found.decisions] == ["runner_stopped"]
    assert time.monotonic() - before < 20


def test_the_lock_of_a_run_stays_with_the_program_when_its_starter_is_gone(
    home: Home, tmp_path: Path
) -> None:
    mark = tmp_path / "up"
    by_command(
        home, tmp_path, f"open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(600)\n"
    )
    child = os.fork()
    if child == 0:  # a tick that is killed while its program runs
        try:
            tick(home, "explore")
        finally:
            os._exit(1)
    pid = 0
    try:
        while not pid:
            time.sleep(0.05)
            pid = int(mark.read_text() or 0) if mark.exists() else 0
        os.kill(child, 9)
        os.waitpid(child, 0)
        found = tick(home, "monologue")
        assert decided(found) == {"monologue": "busy"}
        assert found.lost == []
    finally:
        if pid:
            os.kill(pid, 9)
    until = time.monotonic() + 5
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert len(tick(home, "autonomous").lost) == 1


def test_the_command_says_what_was_not_run(home: Home, tmp_path: Path) -> None:
    by_command(home, tmp_path, "print('x')\n")
    code, told, err = clew("persona", "tick", "--no-tools", "--home", home.root, "--lang", "en")
    assert code == 0
    assert [note["code"] for note in told["notes"]] == ["not_trusted"]
    assert "not trusted" in err
