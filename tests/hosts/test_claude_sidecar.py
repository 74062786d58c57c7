"""The hooks of a skill's state in the real Claude Code: facts before a prompt, a turn counted once."""

from __future__ import annotations

import json

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox

pytestmark = pytest.mark.hosts
PROFILE = "study-companion"


def turns(box: Sandbox) -> int:
    """The turns that were counted."""
    state = box.home / ".claude" / "state" / f"{PROFILE}.json"
    return int(json.loads(state.read_text("utf-8"))["_clew"]["turns"])


def test_the_model_reads_the_facts_while_it_is_on_and_a_turn_counts_once(box: Sandbox) -> None:
    box.clew("sidecar", "init", PROFILE)
    box.clew("sidecar", "wire", PROFILE, "--yes")
    box.claude("一")
    assert PROFILE not in box.server.main[0].text, "nothing is said while it is off"

    box.clew("sidecar", "resume", "--profile", PROFILE)
    box.server.forget()
    box.server.say(Reply(calls=(Call("Bash", {"command": "true", "description": "x"}),)), "好。")
    assert box.claude("--allowedTools", "Bash", "--", "二")["result"] == "好。"
    assert PROFILE in box.server.main[0].text
    assert turns(box) == 1
    box.claude("三")
    assert turns(box) == 2


def test_a_broken_state_breaks_no_turn_and_removal_gives_the_bytes_back(box: Sandbox) -> None:
    folder = box.project / ".claude"
    folder.mkdir()
    (folder / "settings.json").write_bytes(b'{"model":  "sonnet"}')
    box.clew("sidecar", "init", PROFILE)
    box.clew("sidecar", "resume", "--profile", PROFILE)
    box.clew("sidecar", "wire", PROFILE, "--yes")
    state = box.home / ".claude" / "state" / f"{PROFILE}.json"
    assert state.exists()
    state.write_bytes(b"\xff nonsense")
    box.server.say("照常。")
    assert box.claude("一")["result"] == "照常。"
    box.clew("sidecar", "wire", PROFILE, "--remove", "--yes")
    assert (folder / "settings.json").read_bytes() == b'{"model":  "sonnet"}'
