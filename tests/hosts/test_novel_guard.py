"""The guard of a novel in the real hosts: a model asks for a tool call that breaks the ledger, and reads
why it was not run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from model_wire import Call, Reply
from sandbox import Sandbox

from clew.testing.novel import init_document

pytestmark = pytest.mark.hosts
VIEW, DENIED = "追踪/上下文.md", "ledger_by_hand"
SHELL = f"cd 追踪 && echo 改一笔 >> {Path(VIEW).name}"
PATCH = "*** Begin Patch\n*** Add File: 正文/第003章_渡口.md\n+灯\n*** End Patch\n"


@pytest.fixture
def book(box: Sandbox) -> Path:
    """A book in the project, without a chapter."""
    start = box.project / "init.json"
    start.write_text(json.dumps(init_document()), "utf-8")
    box.clew("novel", "init", "--project", str(box.project), "--input", str(start))
    start.unlink()
    return box.project


def test_claude_reads_where_the_book_stands_and_why_a_shell_write_was_stopped(
    box: Sandbox, book: Path
) -> None:
    box.clew("agent", "install", "claude", "--novel", "--yes")
    before = (book / VIEW).read_bytes()
    box.server.say(
        Reply(calls=(Call("Bash", {"command": SHELL, "description": "note"}),)),
        Reply(
            calls=(
                Call("Write", {"file_path": str(book / "正文/第003章_渡口.md"), "content": "灯"}),
            )
        ),
        Reply(calls=(Call("Bash", {"command": "ls 追踪", "description": "look"}),)),
        "知道了。",
    )
    done = box.claude("--allowedTools", "Bash,Write", "--", "改一下账")
    assert done["result"] == "知道了。"
    told, shell, write, look = box.server.main
    assert "clew novel context" in told.text
    assert DENIED in shell.results()[0] and "→" in shell.results()[0]
    assert "previous_unwritten" in write.results()[1]
    assert Path(VIEW).name in look.results()[2], "what breaks nothing is run"
    assert (book / VIEW).read_bytes() == before
    assert not (book / "正文/第003章_渡口.md").exists()


def test_codex_reads_why_a_shell_write_and_a_patch_were_stopped(box: Sandbox, book: Path) -> None:
    box.clew("agent", "install", "codex", "--novel", "--yes")
    before = (book / VIEW).read_bytes()
    box.server.say(
        Reply(calls=(Call("exec_command", {"cmd": SHELL}),)),
        Reply(calls=(Call("apply_patch", {"input": PATCH}),)),
        Reply(calls=(Call("exec_command", {"cmd": "ls 追踪"}),)),
        "知道了。",
    )
    done = box.codex("--dangerously-bypass-hook-trust", "-m", "gpt-5.5", "改一下账")
    assert "知道了。" in done.stdout
    told, shell, patch, look = box.server.main
    assert "clew novel context" in told.text
    assert DENIED in shell.results()[0]
    assert "previous_unwritten" in patch.results()[1]
    assert Path(VIEW).name in look.results()[2]
    assert (book / VIEW).read_bytes() == before
    assert not (book / "正文/第003章_渡口.md").exists()


def test_codex_reads_why_a_write_within_a_script_of_tool_calls_was_stopped(
    box: Sandbox, book: Path
) -> None:
    box.clew("agent", "install", "codex", "--novel", "--yes")
    before = (book / VIEW).read_bytes()
    script = (
        f"const r = await tools.exec_command({json.dumps({'cmd': SHELL})});\n"
        f"const p = await tools.apply_patch({json.dumps(PATCH)});\ntext(r); text(p);"
    )
    box.server.say(Reply(calls=(Call("exec", {"input": script}),)), "知道了。")
    done = box.codex("--dangerously-bypass-hook-trust", "-m", "gpt-6-astra", "改一下账")
    assert "知道了。" in done.stdout
    assert DENIED in box.server.main[1].results()[0]
    assert (book / VIEW).read_bytes() == before
    assert not (book / "正文/第003章_渡口.md").exists()


def test_gemini_reads_why_a_shell_write_was_stopped(box: Sandbox, book: Path) -> None:
    box.clew("agent", "install", "gemini", "--novel", "--yes")
    before = (book / VIEW).read_bytes()
    body = str(book / "正文/第003章_渡口.md")
    box.server.say(
        Reply(calls=(Call("run_shell_command", {"command": SHELL, "description": "note"}),)),
        Reply(calls=(Call("write_file", {"file_path": body, "content": "灯"}),)),
        Reply(calls=(Call("run_shell_command", {"command": "ls 追踪", "description": "look"}),)),
        "知道了。",
    )
    assert "知道了。" in box.gemini("--yolo", "-p", "改一下账").stdout
    told, shell, write, look = box.server.main
    assert "clew novel context" in told.text
    assert DENIED in shell.results()[0]
    assert "previous_unwritten" in write.results()[1]
    assert Path(VIEW).name in look.results()[2]
    assert (book / VIEW).read_bytes() == before
    assert not Path(body).exists()


@pytest.mark.parametrize("host", ["claude", "codex", "gemini"])
def test_a_persona_and_a_novel_in_one_project_are_both_heard(
    box: Sandbox, book: Path, host: str
) -> None:
    box.begin()
    box.clew("agent", "install", host, "--novel", "--yes")
    box.clew("agent", "install", host, "--persona", "林昭", "--yes")
    if host == "claude":
        box.claude("一")
    elif host == "codex":
        box.codex("--dangerously-bypass-hook-trust", "一")
    else:
        box.gemini("-p", "一")
    asked = box.server.main[0].text
    assert "clew novel context" in asked
    assert "守灯的人，住在渡口。" in asked
