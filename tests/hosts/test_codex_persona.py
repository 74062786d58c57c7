"""A persona in the real Codex: what the model got, and what its home knows afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox, events, wait_for, windows

pytestmark = pytest.mark.hosts
CARD, REFUSAL = "守灯的人，住在渡口。", "不装作记得"
TRUST = "--dangerously-bypass-hook-trust"
"""Stands for a person who has looked at the hooks."""


@pytest.fixture
def home(box: Sandbox) -> Path:
    """A persona whose hooks are installed in the project."""
    home = box.begin()
    box.clew("agent", "install", "codex", "--persona", "林昭", "--yes")
    return home


def test_hooks_that_nobody_looked_at_do_nothing_and_the_turn_goes_on(
    box: Sandbox, home: Path
) -> None:
    box.server.say("照常。")
    assert "照常。" in box.codex("一").stdout
    assert CARD not in box.server.main[0].text
    assert windows(home) == {}


def test_the_model_gets_the_card_and_the_refusals_and_the_home_gets_the_session(
    box: Sandbox, home: Path
) -> None:
    box.server.say("灯亮着。")
    assert "灯亮着。" in box.codex(TRUST, "今晚冷吗").stdout
    asked = box.server.main[0].text
    assert CARD in asked
    assert asked.count(REFUSAL) == 2, "once in the card, once in the turn"
    heard = wait_for(lambda: events(home, "words"))
    (ident,) = windows(home)
    assert f"--window {ident}" in asked
    assert [(event["window"], event["facts"]["words"]) for event in heard] == [(ident, 4)]
    assert heard[0]["facts"]["ref"], "a turn has an id of its own"
    assert windows(home)[ident]["transcript"].endswith(f"{ident}.jsonl")


def test_resumed_forked_and_ended_sessions_are_known_as_such(box: Sandbox, home: Path) -> None:
    box.server.say("一起守。")
    box.codex(TRUST, "一")
    (first,) = wait_for(lambda: windows(home))
    box.server.forget()
    box.codex("resume", first, TRUST, "二")
    assert REFUSAL in box.server.main[0].last
    box.codex("fork", first, TRUST, "三")
    box.tick(home)
    found = wait_for(lambda: all(one["ended"] for one in windows(home).values()) and windows(home))
    (fork,) = set(found) - {first}
    assert (found[fork]["state"], found[fork]["origin"]) == ("forked", first)
    sources = [event["facts"]["source"] for event in events(home, "opened")]
    assert sources == ["startup", "resume", "fork"]
    said = [
        line["text"] for line in box.clew("persona", "live", "read", "--home", str(home))["lines"]
    ]
    assert said.count("一起守。") == 1, "what the copy holds was said once"


@pytest.mark.parametrize(
    ("reply", "shape"),
    [(Reply(thinking="我想说：灯还亮着。"), "salvageable"), (Reply(sealed=True), "gone")],
    ids=["kept", "gone"],
)
def test_an_answer_that_stayed_in_the_thinking_is_asked_for_once(
    box: Sandbox, home: Path, reply: Reply, shape: str
) -> None:
    box.server.say(reply, "灯还亮着。", "多余")
    assert "灯还亮着。" in box.codex(TRUST, "在吗").stdout
    assert box.server.left() == 1
    assert "没有正文" in box.server.main[1].last
    assert [event["facts"]["shape"] for event in events(home, "answer_lost")] == [shape]


def test_a_turn_with_a_tool_is_no_lost_answer(box: Sandbox, home: Path) -> None:
    box.server.say(Reply(calls=(Call("exec_command", {"cmd": "echo 灯"}),)), "好了。")
    assert "好了。" in box.codex(TRUST, "看一眼").stdout
    assert "灯" in box.server.main[1].results()[0]
    box.tick(home)
    assert events(home, "answer_lost") == []


def test_a_compaction_is_recorded_and_followed_by_the_card(box: Sandbox, home: Path) -> None:
    box.server.say(Reply(calls=(Call("exec_command", {"cmd": "echo 灯"}),)), "好了。")
    done = box.codex(TRUST, "-c", "model_auto_compact_token_limit=12", "看一眼")
    assert "好了。" in done.stdout
    assert "clamping" not in done.stderr, "no hook asks for more time than the host gives"
    summary = next(one for one in box.server.asked if not one.main)
    assert "systemMessage" not in summary.last
    assert wait_for(lambda: events(home, "compacting"))
    assert [event["facts"]["source"] for event in events(home, "opened")] == ["startup", "compact"]
    assert "不含压缩前的最后一段" in box.server.main[-1].text


def test_what_was_said_is_archived_byte_for_byte_and_found(box: Sandbox, home: Path) -> None:
    box.server.say("西边第三盏灯还没点。")
    box.codex(TRUST, "渡口那边怎么样")
    wait_for(lambda: windows(home))
    box.tick(home)
    (ident,) = windows(home)
    (rollout,) = (box.home / ".codex" / "sessions").rglob("*.jsonl")
    (copy,) = (home / "archive" / "codex").rglob("*.jsonl")
    assert rollout.read_bytes().startswith(copy.read_bytes())
    live = box.clew("persona", "live", "read", "--home", str(home))["lines"]
    assert [(line["who"], line["text"]) for line in live] == [
        ("person", "渡口那边怎么样"),
        ("persona", "西边第三盏灯还没点。"),
    ]
    found = box.clew("persona", "search", "第三盏", "--kind", "transcript", "--home", str(home))
    assert ident in str(found)


@pytest.mark.parametrize("harm", ["gone", "no toml"])
def test_a_broken_home_breaks_no_turn(box: Sandbox, home: Path, harm: str) -> None:
    if harm == "gone":
        home.rename(home.with_name("elsewhere"))
    else:
        (home / "persona.toml").write_bytes(b"\xff\xfe nonsense [")
    box.server.say("照常。")
    assert "照常。" in box.codex(TRUST, "一").stdout


def test_a_card_of_any_size_reaches_the_model_in_words(box: Sandbox, home: Path) -> None:
    (home / "identity.md").write_text("# 林昭\n\n" + "渡口的灯一盏一盏亮起来。" * 3_000, "utf-8")
    box.codex(TRUST, "一")
    assert "渡口的灯一盏一盏亮起来。" in box.server.main[0].text
    assert (
        f"--home {home}" in box.server.main[0].text or f"--home '{home}'" in box.server.main[0].text
    )


def test_uninstall_leaves_nothing_behind(box: Sandbox, home: Path) -> None:
    box.codex(TRUST, "一")
    box.clew("agent", "uninstall", "codex", "--persona", "--yes")
    assert not (box.project / ".codex").exists()
