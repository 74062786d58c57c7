"""A persona in the real Gemini CLI: what the model got, and what its home knows afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox, events, wait_for, windows

from clew.persona.channels import live
from clew.persona.home import open_home

pytestmark = pytest.mark.hosts
CARD, REFUSAL = "守灯的人，住在渡口。", "不装作记得"


@pytest.fixture
def home(box: Sandbox) -> Path:
    """A persona whose hooks are installed in the project."""
    home = box.begin()
    box.clew("agent", "install", "gemini", "--persona", "林昭", "--yes")
    return home


def test_the_model_gets_the_card_and_the_refusals_and_the_home_gets_the_session(
    box: Sandbox, home: Path
) -> None:
    box.server.say("灯亮着。")
    done = box.gemini("-p", "今晚冷吗")
    assert "灯亮着。" in done.stdout
    asked = box.server.main[0].text
    assert CARD in asked
    assert asked.count(REFUSAL) == 2, "once in the card, once in the turn"
    heard = wait_for(lambda: events(home, "words"))
    (ident,) = windows(home)
    assert f"--window {ident}" in asked
    assert [(event["window"], event["facts"]["words"]) for event in heard] == [(ident, 4)], (
        "the card that stands before the prompt is not what a person said"
    )
    assert windows(home)[ident]["transcript"].endswith(f"-{ident[:8]}.jsonl")


def test_nothing_is_told_of_a_compression_that_does_not_come(box: Sandbox, home: Path) -> None:
    done = box.gemini("-p", "一")
    assert "交接棒" not in done.stdout + done.stderr
    box.tick(home)
    assert events(home, "compacting") == []


def test_a_resumed_session_is_the_same_window_and_one_that_ended_has_ended(
    box: Sandbox, home: Path
) -> None:
    box.gemini("-p", "一")
    (first,) = wait_for(lambda: windows(home))
    box.server.forget()
    box.gemini("--resume", first, "-p", "二")
    assert REFUSAL in box.server.main[0].last
    box.tick(home)
    assert wait_for(lambda: windows(home)[first]["ended"])
    assert list(windows(home)) == [first]
    assert [event["facts"]["source"] for event in events(home, "opened")] == ["startup", "resume"]


def test_what_was_said_is_archived_byte_for_byte_and_found_and_said_once(
    box: Sandbox, home: Path
) -> None:
    box.server.say("西边第三盏灯还没点。")
    box.gemini("-p", "渡口那边怎么样")
    (ident,) = wait_for(lambda: windows(home))
    box.tick(home)
    box.server.say("点好了。")
    box.gemini("--resume", ident, "-p", "点了吗")
    box.clew("persona", "archive", "run", "--home", str(home))
    # A resume in another minute leaves a file beside it that holds nothing but its head.
    session = Path(windows(home)[ident]["transcript"])
    (copy,) = (home / "archive" / "gemini").rglob("*.jsonl")
    assert session.read_bytes() == copy.read_bytes()
    live.sync(open_home(str(home)))  # the pulse would in two minutes
    said = box.clew("persona", "live", "read", "--home", str(home))["lines"]
    assert [(line["who"], line["text"]) for line in said] == [
        ("person", "渡口那边怎么样"),
        ("persona", "西边第三盏灯还没点。"),
        ("person", "点了吗"),
        ("persona", "点好了。"),
    ]
    found = box.clew("persona", "search", "第三盏", "--kind", "transcript", "--home", str(home))
    assert ident in str(found)


def test_a_turn_with_a_tool_is_no_lost_answer(box: Sandbox, home: Path) -> None:
    call = Call("run_shell_command", {"command": "echo 灯", "description": "x"})
    box.server.say(Reply(calls=(call,)), "好了。")
    assert "好了。" in box.gemini("--yolo", "-p", "看一眼").stdout
    assert "灯" in box.server.main[1].results()[0]
    box.tick(home)
    assert events(home, "answer_lost") == []


def test_thinking_without_an_answer_is_asked_for_by_the_host_itself(
    box: Sandbox, home: Path
) -> None:
    box.server.say(Reply(thinking="我想说：灯还亮着。"), "灯还亮着。")
    assert "灯还亮着。" in box.gemini("-p", "在吗").stdout
    assert len(box.server.main) == 2
    box.tick(home)
    assert events(home, "answer_lost") == []


@pytest.mark.parametrize("harm", ["gone", "no toml"])
def test_a_broken_home_breaks_no_turn(box: Sandbox, home: Path, harm: str) -> None:
    if harm == "gone":
        home.rename(home.with_name("elsewhere"))
    else:
        (home / "persona.toml").write_bytes(b"\xff\xfe nonsense [")
    box.server.say("照常。")
    assert "照常。" in box.gemini("-p", "一").stdout


def test_uninstall_gives_every_byte_back(box: Sandbox) -> None:
    box.begin()
    folder = box.project / ".gemini"
    folder.mkdir()
    before = b'{"ui": {"theme": "Default"},\n "x": [1, 2]}'
    (folder / "settings.json").write_bytes(before)
    box.clew("agent", "install", "gemini", "--persona", "林昭", "--yes")
    box.gemini("-p", "一")
    box.clew("agent", "uninstall", "gemini", "--persona", "--yes")
    assert (folder / "settings.json").read_bytes() == before
    assert [file.name for file in folder.rglob("*") if file.is_file()] == ["settings.json"]
