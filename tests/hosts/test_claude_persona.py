"""A persona in the real Claude Code: what the model got, and what its home knows afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox, events, wait_for, windows

pytestmark = pytest.mark.hosts
CARD, REFUSAL = "守灯的人，住在渡口。", "不装作记得"
CAP = 10_000
"""Characters after which Claude Code puts a file in the place of what a hook said."""


@pytest.fixture
def home(box: Sandbox) -> Path:
    """A persona whose hooks are installed in the project."""
    home = box.begin()
    box.clew("agent", "install", "claude", "--persona", "林昭", "--yes")
    return home


def test_the_model_gets_the_card_and_the_refusals_and_the_home_gets_the_session(
    box: Sandbox, home: Path
) -> None:
    box.server.say("灯亮着。")
    done = box.claude("今晚冷吗")
    assert done["result"] == "灯亮着。"
    asked = box.server.main[0].text
    assert CARD in asked
    assert f"--window {done['session_id']}" in asked
    assert asked.count(REFUSAL) == 2, "once in the card, once in the turn"

    heard = wait_for(lambda: events(home, "words"))
    assert [(event["window"], event["facts"]["words"]) for event in heard] == [
        (done["session_id"], 4)
    ]
    assert [event["facts"]["source"] for event in events(home, "opened")] == ["startup"]
    assert all("今晚冷吗" not in file.read_text("utf-8") for file in home.rglob("*.json*")), (
        "a hook writes down that a person spoke, not what"
    )


def test_each_turn_reads_the_refusals_anew_and_a_resumed_session_is_the_same_window(
    box: Sandbox, home: Path
) -> None:
    first = box.claude("一")["session_id"]
    box.tick(home)
    assert wait_for(lambda: windows(home)[first]["ended"])
    (home / "refusals.toml").write_text(
        (home / "refusals.toml").read_text("utf-8").replace(REFUSAL, "不装作忘了"), "utf-8"
    )
    box.server.forget()
    assert box.claude("--resume", first, "二")["session_id"] == first
    assert "不装作忘了" in box.server.main[0].last
    found = wait_for(lambda: len(events(home, "words")) == 2 and windows(home))
    assert list(found) == [first]
    assert [event["facts"]["source"] for event in events(home, "opened")] == ["startup", "resume"]


def test_a_forked_session_is_a_fork_of_its_window_and_is_told_so(box: Sandbox, home: Path) -> None:
    box.server.say("一起守。")
    first = box.claude("一")["session_id"]
    fork = box.claude("--resume", first, "--fork-session", "二")["session_id"]
    assert fork != first
    found = wait_for(lambda: windows(home).get(fork, {}).get("origin") and windows(home))
    assert (found[fork]["state"], found[fork]["origin"]) == ("forked", first)
    assert found[first]["state"] == "current"
    box.server.forget()
    box.claude("--resume", fork, "三")
    assert f"--window {fork}" in box.server.main[0].last
    box.tick(home)
    said = [
        line["text"] for line in box.clew("persona", "live", "read", "--home", str(home))["lines"]
    ]
    assert said.count("一起守。") == 1, "what the copy holds was said once"


def test_a_session_that_ended_has_ended(box: Sandbox, home: Path) -> None:
    ident = box.claude("一")["session_id"]
    box.tick(home)
    assert wait_for(lambda: windows(home)[ident]["ended"])
    assert windows(home)[ident]["seen"] <= windows(home)[ident]["ended"]


def test_an_answer_that_stayed_in_the_thinking_is_kept_and_asked_for(
    box: Sandbox, home: Path
) -> None:
    lost = Reply(thinking="我想说：灯还亮着，你慢慢走。")
    box.server.say(lost, lost, "灯还亮着。")  # after the first one Claude Code asks again by itself
    done = box.claude("在吗")
    assert done["result"] == "灯还亮着。"
    assert len(box.server.main) == 3
    assert "没有正文" in box.server.main[2].last
    kept = events(home, "answer_lost")
    assert [(event["window"], event["facts"]["shape"]) for event in kept] == [
        (done["session_id"], "salvageable")
    ]
    live = box.clew("persona", "live", "read", "--home", str(home))["lines"]
    assert [line["text"] for line in live if line.get("salvaged")] == [
        "我想说：灯还亮着，你慢慢走。"
    ]


def test_an_answer_of_which_nothing_was_kept_is_told_as_that(box: Sandbox, home: Path) -> None:
    sealed = Reply(sealed=True)
    box.server.say(sealed, sealed, "在。")
    assert box.claude("在吗")["result"] == "在。"
    assert [event["facts"]["shape"] for event in events(home, "answer_lost")] == ["gone"]


def test_a_turn_is_made_to_go_on_once_and_no_more(box: Sandbox, home: Path) -> None:
    box.server.say(*[Reply(sealed=True)] * 6)
    done = box.claude("在吗", code=None)
    assert box.server.left() > 0, "the model is not asked for ever"
    assert len(events(home, "answer_lost")) == 1
    assert "hook" not in str(done.get("result", "")).lower()


def test_a_turn_with_a_tool_is_no_lost_answer(box: Sandbox, home: Path) -> None:
    box.server.say(
        Reply(calls=(Call("Bash", {"command": "echo 灯", "description": "x"}),)), "好了。"
    )
    done = box.claude("--allowedTools", "Bash", "--", "看一眼")
    assert done["result"] == "好了。"
    assert "灯" in box.server.main[1].results()[0]
    assert wait_for(lambda: events(home, "words"))
    assert events(home, "answer_lost") == []


def test_what_was_said_is_archived_byte_for_byte_and_followed_and_found(
    box: Sandbox, home: Path
) -> None:
    box.server.say("西边第三盏灯还没点。")
    ident = box.claude("渡口那边怎么样")["session_id"]
    box.tick(home)
    (copy,) = (home / "archive" / "claude").glob("*.jsonl")
    assert box.transcripts()[0].read_bytes().startswith(copy.read_bytes())
    live = box.clew("persona", "live", "read", "--home", str(home))["lines"]
    assert [(line["who"], line["text"]) for line in live] == [
        ("person", "渡口那边怎么样"),
        ("persona", "西边第三盏灯还没点。"),
    ]
    found = box.clew("persona", "search", "第三盏", "--kind", "transcript", "--home", str(home))
    assert ident in str(found)


def test_a_subagent_is_not_the_persona(box: Sandbox, home: Path) -> None:
    task = {
        "description": "看灯", "prompt": "去看第三盏灯", "subagent_type": "general-purpose",
        "run_in_background": False,
    }  # fmt: skip
    box.server.say(Reply(calls=(Call("Agent", task),)), "副手看过了。", "都好。")
    done = box.claude("--allowedTools", "Agent", "--", "派人看看")
    assert done["result"] == "都好。"
    assert [CARD in asked.text for asked in box.server.main] == [True, False, True]
    box.tick(home)
    assert list(windows(home)) == [done["session_id"]]
    live = box.clew("persona", "live", "read", "--home", str(home))["lines"]
    assert [line["text"] for line in live] == ["派人看看", "都好。"]
    folder = home / "archive" / "claude" / done["session_id"] / "subagents"
    assert list(folder.glob("*.jsonl")), "what it wrote is kept all the same"


def test_an_answer_that_the_limit_cut_off_is_left_to_its_host(box: Sandbox, home: Path) -> None:
    box.server.say(Reply(thinking="想到一半", cut=True), "想完了。", "多余")
    assert box.claude("想")["result"] == "想完了。"
    assert box.server.left() == 1
    box.tick(home)
    assert events(home, "answer_lost") == []


def test_a_card_of_any_size_reaches_the_model_in_words_not_as_a_file(
    box: Sandbox, home: Path
) -> None:
    (home / "identity.md").write_text("# 林昭\n\n" + "渡口的灯一盏一盏亮起来。" * 3_000, "utf-8")
    assert (home / "identity.md").stat().st_size > 100_000
    (home / "refusals.toml").write_text(
        "schema_version = 1\n"
        + "".join(
            f'\n[[refusal]]\nid = "R{n}"\ntext = "{"不说满话" * 40}{n}"\nsince = 2026-03-01\nprobe = "p"\n'
            for n in range(100)
        ),
        "utf-8",
    )
    box.claude("一")
    asked = box.server.main[0]
    assert "渡口的灯一盏一盏亮起来。" in asked.text
    assert "clew persona refusal list" in asked.last
    assert "persisted-output" not in asked.text
    written = [json.loads(line) for line in box.transcripts()[0].read_text("utf-8").splitlines()]
    told = [
        text
        for one in written
        if one.get("attachment", {}).get("type") == "hook_additional_context"
        for text in one["attachment"]["content"]
    ]
    assert len(told) == 2
    assert all(len(text) <= CAP for text in told)


def test_a_compaction_is_recorded_and_followed_by_the_card_and_nothing_of_ours_is_in_its_summary(
    box: Sandbox, home: Path
) -> None:
    ident = box.claude("一")["session_id"]
    box.claude("--resume", ident, "又")
    box.server.forget()
    box.server.say("<summary>守了一夜灯。</summary>")
    box.claude("--resume", ident, "/compact")
    (asked,) = box.server.main
    assert "systemMessage" not in asked.last
    assert wait_for(lambda: [event["window"] for event in events(home, "compacting")]) == [ident]
    sources = [event["facts"]["source"] for event in events(home, "opened")]
    assert sources == ["startup", "resume", "resume", "compact"]
    assert wait_for(lambda: list((home / "archive" / "claude").glob(f"{ident}*.jsonl")))
    box.server.forget()
    box.claude("--resume", ident, "二")
    asked = box.server.main[0]
    assert "交接棒还没有写过，不含压缩前的最后一段" in asked.text


def test_the_timers_of_a_session_are_known_as_its_host_tells_them(box: Sandbox, home: Path) -> None:
    crons = (
        Call("CronCreate", {"cron": "*/7 * * * *", "prompt": "看看灯", "recurring": True}),
        Call("CronCreate", {"cron": "30 9 1 1 *", "prompt": "拜年", "recurring": False}),
    )
    # Newer versions hand the tool out only when it was looked up; older ones have no such lookup.
    box.server.say(Reply(calls=(Call("ToolSearch", {"query": "select:CronCreate"}),)))
    box.server.say(Reply(calls=crons), "设好了。")
    done = box.claude("--allowedTools", "CronCreate,ToolSearch", "--", "设两个闹钟")
    assert done["result"] == "设好了。"
    timers = wait_for(lambda: windows(home)[done["session_id"]]["timers"])
    assert [(one["schedule"], one["prompt"], one["recurring"]) for one in timers] == [
        ("*/7 * * * *", "看看灯", True),
        ("30 9 1 1 *", "拜年", False),
    ]
    # Whether a resumed session still has them differs by version: what is told then is what is so.
    box.server.forget()
    box.claude("--resume", done["session_id"], "二")
    box.tick(home)
    left = {one["id"] for one in windows(home)[done["session_id"]]["timers"]}
    told = {event["facts"]["timer"] for event in events(home, "timer")}
    assert told == {one["id"] for one in timers} - left


@pytest.mark.parametrize("harm", ["gone", "no toml", "no rights", "a file"])
def test_a_broken_home_breaks_no_turn(box: Sandbox, home: Path, harm: str) -> None:
    if harm == "gone":
        home.rename(home.with_name("elsewhere"))
    elif harm == "no toml":
        (home / "persona.toml").write_bytes(b"\xff\xfe nonsense [")
    elif harm == "no rights":
        for file in home.iterdir():
            file.chmod(0)
    else:
        home.rename(home.with_name("elsewhere"))
        home.write_text("x", "utf-8")
    box.server.say("照常。")
    assert box.claude("一")["result"] == "照常。"


def test_uninstall_gives_every_byte_back_after_real_sessions(box: Sandbox) -> None:
    box.begin()
    folder = box.project / ".claude"
    folder.mkdir()
    before = b'{\r\n\t"model": "sonnet",\r\n\t"hooks": {"Stop": []}\r\n}'
    (folder / "settings.json").write_bytes(before)
    box.clew("agent", "install", "claude", "--persona", "林昭", "--yes")
    box.claude("一")
    box.clew("agent", "uninstall", "claude", "--persona", "--yes")
    assert (folder / "settings.json").read_bytes() == before
    assert [file.name for file in folder.rglob("*") if file.is_file()] == ["settings.json"]
