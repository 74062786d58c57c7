"""A Python that is gone (a virtual environment that was moved) breaks no turn of any host."""

from __future__ import annotations

import json
import sys

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox

from clew.testing.novel import init_document

pytestmark = pytest.mark.hosts
TRUST = "--dangerously-bypass-hook-trust"


@pytest.fixture(params=["gone", "without clew"])
def broken(request: pytest.FixtureRequest, box: Sandbox) -> str:
    """An interpreter that is not there, or one that has no clew."""
    if request.param == "gone":
        return "/gone/bin/python"
    bare = box.home / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n', "utf-8")
    bare.chmod(0o755)
    return str(bare)


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_a_turn_with_a_tool_goes_on(box: Sandbox, broken: str, host: str) -> None:
    box.begin()
    start = box.project / "init.json"
    start.write_text(json.dumps(init_document()), "utf-8")
    box.clew("novel", "init", "--project", str(box.project), "--input", str(start))
    for what in (["--novel"], ["--persona", "林昭"]):
        box.clew("agent", "install", host, *what, "--yes")
    settings = next(
        box.project / f".{host}" / name
        for name in ("hooks.json", "settings.json")
        if (box.project / f".{host}" / name).exists()
    )
    text = settings.read_text("utf-8")
    assert sys.executable in text
    settings.write_text(text.replace(sys.executable, broken), "utf-8")
    if host == "claude":
        box.server.say(Reply(calls=(Call("Bash", {"command": "echo 灯", "description": "x"}),)))
        box.server.say("照常。")
        assert box.claude("--allowedTools", "Bash", "--", "一")["result"] == "照常。"
    elif host == "codex":
        box.server.say(Reply(calls=(Call("exec_command", {"cmd": "echo 灯"}),)), "照常。")
        assert "照常。" in box.codex(TRUST, "一").stdout
    else:
        call = Call("run_shell_command", {"command": "echo 灯", "description": "x"})
        box.server.say(Reply(calls=(call,)), "照常。")
        assert "照常。" in box.gemini("--yolo", "-p", "一").stdout
    assert "灯" in box.server.main[1].results()[0], "the tool was run"
    assert box.clew("agent", "status", host, "--novel", code=1)["state"] in ("broken", "outdated")
