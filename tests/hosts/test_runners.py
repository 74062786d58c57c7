"""Wakes that really run: the command templates of the pages with the real programs, and an endpoint."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from model_wire import Reply
from sandbox import Sandbox, events, needed, wait_for

from clew.persona import creating

pytestmark = pytest.mark.hosts
CLAUDE = """\
[runner]
kind = "command"
command = ["claude", "-p", "--output-format", "json", "--permission-mode", "plan"]
answer = "claude"
"""
CODEX = """\
[runner]
kind = "command"
command = ["codex", "exec", "--json", "--sandbox", "read-only", "--skip-git-repo-check", "-"]
answer = "codex"
"""
ENDPOINT = """\
[runner]
kind = "endpoint"
timeout_seconds = 5

[endpoint]
url = "{url}/v1"
model = "nobody"
key_env = "NOBODY_KEY"
"""
ONE_LINE = """
[wake.resident]
enabled = false
[wake.opener]
enabled = false
[wake.explore]
enabled = false
"""


def sleeper(box: Sandbox, runner: str) -> Path:
    """A persona of three hours, for whom a line to itself is due."""
    home = box.home / "clew" / "personas" / "林昭"
    home.parent.mkdir(parents=True)
    creating.create(str(home), "林昭", "UTC", clock=lambda: datetime.now(UTC) - timedelta(hours=3))
    (home / "identity.md").write_text("# 林昭\n\n守灯的人，住在渡口。\n", "utf-8")
    settings = home / "persona.toml"
    settings.write_text(settings.read_text("utf-8") + "\n" + runner + ONE_LINE, "utf-8")
    return home


def trusted(box: Sandbox, home: Path) -> None:
    """The user has looked at the home."""
    box.clew("trust", str(home))


def monologue(told: Any) -> Any:
    """What a tick decided about the line to itself."""
    return next(one for one in told["decisions"] if one["entry"] == "monologue")


def ledger(home: Path, kind: str) -> list[Any]:
    """Lines of the wake ledger of a kind."""
    lines = (home / "wake.jsonl").read_text("utf-8").splitlines()
    return [line for line in map(json.loads, lines) if line.get("kind") == kind]


def stream(box: Sandbox, home: Path) -> list[str]:
    """What was said into the stream."""
    read = box.clew("persona", "stream", "read", "--home", str(home))
    return [line["text"] for line in read["lines"]]


def test_nothing_is_started_before_the_home_is_trusted(box: Sandbox) -> None:
    needed("claude")
    home = sleeper(box, CLAUDE)
    box.env |= box.claude_env()
    assert monologue(box.tick(home))["decision"] == "skip"
    assert box.server.asked == []


def test_claude_is_woken_says_a_line_and_is_counted(box: Sandbox) -> None:
    needed("claude")
    home = sleeper(box, CLAUDE)
    trusted(box, home)
    box.clew("agent", "install", "claude", "--persona", "林昭", "--user", "--yes")
    box.env |= box.claude_env()
    box.server.say("雨停了，灯还亮着。")
    assert monologue(box.tick(home))["decision"] == "run"
    assert stream(box, home) == ["雨停了，灯还亮着。"]
    (effect,) = ledger(home, "effect")
    assert (effect["outcome"], effect["tokens"]) == ("done", 15)
    asked = box.server.main[0]
    assert "守灯的人，住在渡口。" in asked.text, "its own hooks opened the session"
    (receipt,) = wait_for(
        lambda: box.clew("persona", "receipts", "read", "--home", str(home))["lines"]
    )
    assert (receipt["how"], receipt["evidence"]) == ("injected", "wake")
    assert events(home, "words") == [], "no person spoke"

    box.server.say("再来一句。")
    assert monologue(box.tick(home))["decision"] == "skip"
    assert stream(box, home) == ["雨停了，灯还亮着。"], "once, whoever looks"


def test_codex_is_woken_says_a_line_and_is_counted(box: Sandbox) -> None:
    needed("codex")
    home = sleeper(box, CODEX)
    trusted(box, home)
    box.env |= box.codex_env()
    box.server.say("雨停了，灯还亮着。")
    assert monologue(box.tick(home))["decision"] == "run"
    assert stream(box, home) == ["雨停了，灯还亮着。"]
    (effect,) = ledger(home, "effect")
    assert (effect["outcome"], effect["tokens"]) == ("done", 15)


@pytest.mark.parametrize("runner", [CLAUDE, CODEX], ids=["claude", "codex"])
def test_the_limit_of_a_day_holds(box: Sandbox, runner: str) -> None:
    name = "claude" if runner is CLAUDE else "codex"
    needed(name)
    home = sleeper(box, runner.replace("[runner]\n", "[runner]\nruns_per_day = 1\n"))
    trusted(box, home)
    box.clew("persona", "intent", "add", "数一遍灯", "--home", str(home))
    box.env |= box.claude_env() if name == "claude" else box.codex_env()
    box.server.say("一", "二", "三")
    told = box.tick(home)["decisions"]
    assert [one["decision"] for one in told].count("run") == 1
    skipped = next(one for one in told if one["entry"] == "monologue")
    assert skipped["reason"] == "runs_spent"
    assert box.server.left() == 2


@pytest.mark.parametrize("status", [500, 429, 401])
def test_a_model_that_refuses_is_a_failed_wake_and_says_nothing(box: Sandbox, status: int) -> None:
    needed("claude")
    home = sleeper(box, CLAUDE.replace("[runner]\n", "[runner]\ntimeout_seconds = 20\n"))
    trusted(box, home)
    box.env |= {**box.claude_env(), "CLAUDE_CODE_MAX_RETRIES": "0"}
    box.server.say(*[Reply("no", status=status)] * 20)
    box.tick(home, code=1)
    assert stream(box, home) == []
    (effect,) = ledger(home, "effect")
    assert (effect["outcome"], effect["code"]) == ("failed", "runner_failed")


def endpoint(box: Sandbox) -> Path:
    """A persona whose wakes ask an endpoint."""
    home = sleeper(box, ENDPOINT.format(url=box.server.url))
    trusted(box, home)
    box.env["NOBODY_KEY"] = "sk-very-secret"
    return home


def test_an_endpoint_is_asked_once_with_the_card_and_counted(box: Sandbox) -> None:
    home = endpoint(box)
    box.server.say("雨停了，灯还亮着。")
    assert monologue(box.tick(home))["decision"] == "run"
    assert stream(box, home) == ["雨停了，灯还亮着。"]
    (asked,) = box.server.asked
    assert asked.headers["Authorization"] == "Bearer sk-very-secret"
    assert asked.body["messages"][0]["role"] == "system"
    assert "守灯的人，住在渡口。" in asked.body["messages"][0]["content"]
    (effect,) = ledger(home, "effect")
    assert effect["tokens"] == 15


@pytest.mark.parametrize(
    "reply",
    [
        Reply("slow down sk-very-secret", status=429),
        Reply("broken", status=500),
        Reply("nobody here", status=404),
        Reply(raw=b"<html>sk-very-secret</html>"),
        Reply(raw=b'data: {"choices": [{"delta": {"content": "x"}}]}\n\ndata: [DONE]\n\n'),
        Reply(raw=b'{"choices": [{"message": {"content": "' + b"a" * 40_000_000 + b'"}}]}'),
        Reply(raw=b'{"choices": [{"message": {"content": ["' + b"[" * 5_000),
        Reply(raw=b"\xff\xfe\x00"),
        Reply(raw=b""),
        Reply("   \n "),
        Reply("late", wait=20),
    ],
    ids=[
        "429",
        "500",
        "404",
        "html",
        "stream",
        "huge",
        "deep",
        "bytes",
        "nothing",
        "blank",
        "late",
    ],
)
def test_what_an_endpoint_does_wrong_is_a_failed_wake_that_tells_no_key(
    box: Sandbox, reply: Reply
) -> None:
    home = endpoint(box)
    box.server.say(reply)
    told = box.tick(home, code=1)
    assert stream(box, home) == []
    assert [one["outcome"] for one in ledger(home, "effect")] == ["failed"]
    written = json.dumps(told) + "".join(
        path.read_text("utf-8", "replace") for path in home.rglob("*.json*")
    )
    assert "sk-very-secret" not in written
