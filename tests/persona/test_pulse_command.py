"""A program as a runner: its prompt, its answer, its end."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from heart import alive, code_of, started, stopping

from clew.persona.pulse import command
from clew.persona.pulse.answers import read_answer
from clew.persona.pulse.outcome import Meanwhile, Outcome, estimated

ECHO = "sys.stdout.write('听到：' + sys.stdin.read())\n"


# ---- a program -------------------------------------------------------------------------------------


def test_a_program_reads_the_prompt_from_its_input(tmp_path: Path) -> None:
    found = command.run(started(tmp_path, ECHO), "今天 $(date) `id` 好", Meanwhile())
    assert (code_of(found), found.text) == ("ok", "听到：今天 $(date) `id` 好")
    assert found.tokens == estimated("今天 $(date) `id` 好", found.text)


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ([], ["P"]),
        (["{prompt}", "--last"], ["P", "--last"]),
        (["--ask={prompt}"], ["--ask={prompt}", "P"]),  # never within an argument
    ],
)
def test_a_prompt_is_one_argument_of_its_own(
    tmp_path: Path, extra: list[str], expected: list[str]
) -> None:
    prompt = "a b; rm -rf / && $(x) 'q' \"w\"\n第二行"
    base = started(tmp_path, "print(json.dumps(sys.argv[1:]))\n", prompt_by="argument")
    found = command.run(base._replace(argv=[*base.argv, *extra]), prompt, Meanwhile())
    assert json.loads(found.text) == [prompt if word == "P" else word for word in expected]


def test_a_prompt_goes_by_a_file_that_only_the_owner_reads_and_that_is_gone_afterwards(
    tmp_path: Path,
) -> None:
    body = "p = sys.argv[1]\nprint(oct(os.stat(p).st_mode & 0o777), open(p, encoding='utf-8').read())\n"
    found = command.run(started(tmp_path, body, prompt_by="file"), "你好", Meanwhile())
    assert found.text == "0o600 你好"
    assert not (tmp_path / "prompt").exists()


def test_a_prompt_that_is_too_long_for_an_argument_starts_nothing(tmp_path: Path) -> None:
    body = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    found = command.run(started(tmp_path, body, prompt_by="argument"), "字" * 50_000, Meanwhile())
    assert code_of(found) == "prompt_too_long"
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("sys.exit(3)\n", "runner_failed"),
        ("sys.stderr.write('first\\nno credit left\\n'); sys.exit(1)\n", "runner_failed"),
        ("pass\n", "runner_silent"),
        ("print('   \\n\\t')\n", "runner_silent"),
        ("os.kill(os.getpid(), 9)\n", "runner_failed"),
    ],
)
def test_what_a_program_does_wrong_is_an_answer(tmp_path: Path, body: str, expected: str) -> None:
    found = command.run(started(tmp_path, body), "x", Meanwhile())
    assert code_of(found) == expected
    assert found.fault is not None
    assert found.fault.message("zh")
    if "credit" in body:
        assert "no credit left" in found.fault.message()


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    found = command.run(started(tmp_path, "", argv=["no-such-program-here"]), "x", Meanwhile())
    assert code_of(found) == "runner_missing"


def test_a_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    body = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pids')!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(600)\n"
    )
    before = time.monotonic()
    found = command.run(started(tmp_path, body, timeout=2.0), "x", Meanwhile())
    assert code_of(found) == "runner_timeout"
    assert time.monotonic() - before < 15
    pids = [int(word) for word in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    until = time.monotonic() + 5
    while any(alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(alive(pid) for pid in pids)


def test_what_a_program_leaves_running_is_ended_too(tmp_path: Path) -> None:
    body = (
        "import subprocess\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid)\n"
    )
    found = command.run(started(tmp_path, body), "x", Meanwhile())
    until = time.monotonic() + 5
    while alive(int(found.text)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not alive(int(found.text))


def test_a_program_that_ignores_being_asked_is_ended_all_the_same(tmp_path: Path) -> None:
    body = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)\n"
    found = command.run(started(tmp_path, body, timeout=1.0), "x", Meanwhile())
    assert code_of(found) == "runner_timeout"


def test_a_program_that_talks_without_end_is_cut_and_does_not_fill_the_memory(
    tmp_path: Path,
) -> None:
    body = "b = 'x' * 65536\nfor _ in range(200): sys.stdout.write(b)\n"
    found = command.run(started(tmp_path, body), "x", Meanwhile())
    assert len(found.text) == 4_000_000


def test_a_program_that_never_reads_its_input_is_no_failure(tmp_path: Path) -> None:
    found = command.run(started(tmp_path, "print('ok')\n"), "长" * 400_000, Meanwhile())
    assert (code_of(found), found.text) == ("ok", "ok")


def test_a_wish_to_leave_ends_a_program(tmp_path: Path) -> None:
    found = command.run(started(tmp_path, "time.sleep(600)\n"), "x", stopping())
    assert code_of(found) == "runner_stopped"


# ---- what programs say --------------------------------------------------------------------------------


def test_the_answer_of_claude_as_json() -> None:
    out = json.dumps({
        "type": "result", "subtype": "success", "is_error": False, "result": "理完了一页。",
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 5, "output_tokens": 4,
                  "cache_read_input_tokens": 9000, "service_tier": "standard"},
    })  # fmt: skip
    assert read_answer("claude", out, "p", "claude") == Outcome("理完了一页。", 19)
    assert read_answer("claude", f"[{out}]", "p", "claude").text == "理完了一页。"


@pytest.mark.parametrize(
    ("form", "out", "expected"),
    [
        ("claude", "not json", "runner_answer"),
        ("claude", "{}", "runner_answer"),
        ("claude", "[]", "runner_answer"),
        ("claude", '{"type":"result","is_error":true,"result":"limit"}', "runner_failed"),
        ("claude", '{"type":"result","is_error":false,"result":""}', "runner_silent"),
        ("claude", '{"type":"result","is_error":false,"result":null}', "runner_silent"),
        ("codex", "", "runner_answer"),
        ("codex", "plain text", "runner_answer"),
        ("codex", '{"type":"turn.completed"}', "runner_silent"),
        ("codex", '{"type":"turn.failed","error":{"message":"no"}}', "runner_failed"),
        ("codex", "[" * 9000, "runner_answer"),
        ("text", "", "runner_silent"),
    ],
)
def test_an_answer_that_is_none(form: str, out: str, expected: str) -> None:
    assert code_of(read_answer(form, out, "p", "x")) == expected  # type: ignore[arg-type]


def test_the_answer_of_codex_is_its_last_message_and_its_usage_is_added_up() -> None:
    events = [
        {"type": "thread.started", "thread_id": "t"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "…"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
        {"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 5}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "last"}},
        {"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 1}},
    ]
    out = "\n".join(["warning: x", *(json.dumps(one) for one in events)])
    assert read_answer("codex", out, "p", "codex") == Outcome("last", 116)
