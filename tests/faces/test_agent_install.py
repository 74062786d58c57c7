"""`clew agent`: what goes into a project is shown first, put there once, and taken away exactly."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from booklet import CLEW, Answer, call, process
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.faces.agents import hosts, jsontext, record, skills
from clew.faces.agents import settings as entries
from clew.faces.cli.agent import main
from clew.kernel.errors import Refused
from clew.testing.novel import tree

SKILL = ".claude/skills/clew-novel/SKILL.md"
RECORD = f".claude/{record.NAME}"


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of a user whose shell finds a clew."""
    home = tmp_path_factory.mktemp("home")
    (home / "bin").mkdir()
    (home / "bin/clew").write_text("#!/bin/sh\n", encoding="utf-8")
    (home / "bin/clew").chmod(0o755)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{home}/bin:{os.environ['PATH']}")
    return home


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "我的 书"
    root.mkdir()
    return root


def agent(verb: str, project: Path, *more: str) -> Answer:
    novel = ["--novel"] if verb == "install" else []
    return call(main, verb, "claude", *novel, "--project", project, "--json", *more)


def install(project: Path, *more: str) -> Answer:
    answer = agent("install", project, "--yes", *more)
    assert answer.code == 0, answer.text
    return answer


def status(project: Path) -> Any:
    return agent("status", project).json


def settings_of(project: Path) -> Any:
    return json.loads((project / ".claude/settings.json").read_text(encoding="utf-8"))


def write(project: Path, text: str | bytes, name: str = ".claude/settings.json") -> Path:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


# ---- shown first ---------------------------------------------------------------------------------


def test_without_yes_a_program_gets_the_difference_and_nothing_is_written(project: Path) -> None:
    answer = agent("install", project)
    assert answer.code == 1 and answer.json["status"] == "needs_confirmation"
    assert tree(project) == {}
    diff = answer.json["diff"]
    assert "+++ b/.claude/settings.json" in diff and f"+++ b/{SKILL}" in diff
    assert {c["path"] for c in answer.json["changes"]} >= {".claude/settings.json", SKILL, RECORD}


def test_a_dry_run_shows_the_same_and_writes_nothing(project: Path) -> None:
    write(project, '{\n  "model": "x"\n}\n')
    before = tree(project)
    answer = agent("install", project, "--dry-run", "--yes")
    assert answer.code == 0 and answer.json["dry_run"] is True
    assert answer.json["diff"] == agent("install", project).json["diff"] != ""
    assert tree(project) == before


def test_what_is_taken_away_is_named_and_not_printed_line_by_line(project: Path) -> None:
    write(project, '{\n  "model": "x"\n}\n')
    install(project)
    shown = agent("uninstall", project).json["diff"]
    assert f"--- a/{SKILL}\n+++ /dev/null\n@@ -1," in shown
    assert shown.count("+++ /dev/null") == 3
    assert "# Writing a novel with clew" not in shown
    assert "PreToolUse" in shown  # of the settings every line that goes
    assert len(shown.splitlines()) < 60


def test_every_line_that_is_written_was_shown(project: Path) -> None:
    shown = agent("install", project).json["diff"]
    install(project)
    for path in (project / ".claude").rglob("*"):
        if path.is_file() and path.name != record.NAME:
            for line in path.read_text(encoding="utf-8").splitlines():
                assert f"+{line}\n" in shown


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("word", "written"), [("y\n", True), ("是\n", True), ("n\n", False), ("\n", False)]
)
def test_a_person_is_asked(project: Path, word: str, written: bool) -> None:
    import pty

    parent, child = pty.openpty()
    line = [
        sys.executable,
        "-m",
        CLEW,
        "agent",
        "install",
        "claude",
        "--novel",
        "--project",
        str(project),
    ]
    with subprocess.Popen(line, stdin=child, stdout=child, stderr=child, cwd=project) as running:
        os.close(child)
        os.write(parent, word.encode())
        seen = b""
        try:
            while data := os.read(parent, 65536):
                seen += data
        except OSError:  # the terminal is gone with the process
            seen += b""
        code = running.wait(timeout=30)
    os.close(parent)
    text = seen.decode("utf-8", "replace")
    assert "[y/N]" in text and "hook PreToolUse" in text.replace("\r\n", "")
    assert (code == 0) == written == (project / SKILL).exists()


# ---- what is put there ---------------------------------------------------------------------------


def test_the_skill_is_the_shipped_one_and_comes_with_the_package(project: Path) -> None:
    install(project)
    shipped = skills.shipped()
    assert "SKILL.md" in shipped and any(name.startswith("references/") for name in shipped)
    for name, data in shipped.items():
        assert (project / ".claude/skills/clew-novel" / name).read_bytes() == data
    assert files("clew").joinpath("skills", "clew-novel", "SKILL.md").is_file()


def test_the_hooks_run_and_guard_the_book(project: Path) -> None:
    from booklet import Booklet

    book = Booklet(project).begin()
    install(project)
    hooks = settings_of(project)["hooks"]
    assert set(hooks) == {"PreToolUse", "SessionStart"}
    (group,) = hooks["PreToolUse"]
    assert set(group["matcher"].split("|")) == {
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Bash",
    }
    (handler,) = group["hooks"]
    data = {
        "hook_event_name": "PreToolUse", "cwd": str(book.root), "tool_name": "Write",
        "tool_input": {"file_path": "追踪/上下文.md"},
    }  # fmt: skip
    done = subprocess.run(  # as a host runs it: by a shell
        handler["command"], shell=True, input=json.dumps(data).encode(), capture_output=True,
        check=False, cwd=book.root,
    )  # fmt: skip
    assert done.returncode == 0
    assert json.loads(done.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"


@pytest.mark.parametrize(
    "python", ["/usr/bin/python3", "/a b/py'thon", "/日本 語/$HOME/`x`/py", 'a"b;c']
)
def test_a_command_line_survives_the_shell_whatever_the_path_is(python: str) -> None:
    line = hosts.command(python, "PreToolUse")
    assert shlex.split(line) == [python, "-P", "-m", "clew.faces.cli.main", "hook", "PreToolUse"]
    assert hosts.interpreter_of(line, "PreToolUse") == python


MODULE = "-P -m clew.faces.cli.main hook"


@pytest.mark.parametrize(
    "line",
    ["clew hook PreToolUse", f"python {MODULE} Stop", f"cd /x && python {MODULE} PreToolUse", "'",
     f"python {MODULE} PreToolUse --lang zh", "", 7, None, f"x 'y {MODULE} PreToolUse"],
)  # fmt: skip
def test_a_command_line_of_somebody_else_is_not_ours(line: Any) -> None:
    assert hosts.interpreter_of(line, "PreToolUse") is None


# ---- once, and away again ------------------------------------------------------------------------

STANDARD = [
    {},
    {"model": "opus", "permissions": {"allow": ["Bash(ls:*)"], "deny": []}},
    {"hooks": {}},
    {"hooks": {"PreToolUse": []}},
    {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}, "env": {"A": "b"}},
    {
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]
        }
    },
]


@pytest.mark.parametrize("before", STANDARD, ids=str)
def test_a_second_run_finds_nothing_to_do_and_uninstall_leaves_every_byte(
    project: Path, before: dict[str, Any]
) -> None:
    write(project, json.dumps(before, indent=2, ensure_ascii=False) + "\n")
    write(project, "mine", ".claude/skills/other/SKILL.md")
    untouched = tree(project)
    install(project)
    there = tree(project)
    again = install(project)
    assert again.json["changes"] == [] and tree(project) == there
    value = settings_of(project)
    for key, item in before.items():
        if key != "hooks":
            assert value[key] == item
    assert list(value)[: len(before)] == list(before)
    gone = agent("uninstall", project, "--yes")
    assert gone.code == 0 and tree(project) == untouched
    assert agent("uninstall", project, "--yes").json["changes"] == []


def test_where_nothing_was_nothing_is_left(project: Path) -> None:
    install(project)
    assert agent("uninstall", project, "--yes").code == 0
    assert tree(project) == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text(max_size=6)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
HANDLERS = st.lists(
    st.fixed_dictionaries({"type": st.just("command"), "command": st.text(max_size=8)}), max_size=2
)
GROUPS = st.lists(
    st.fixed_dictionaries({"hooks": HANDLERS}, optional={"matcher": st.text(max_size=5)}) | JSON,
    max_size=3,
)
HOOKS = st.dictionaries(
    st.sampled_from(["PreToolUse", "SessionStart", "Stop", "钩子"]), GROUPS, max_size=3
)
OBJECTS = st.builds(
    lambda base, hooks, at: dict(
        [
            *list(base.items())[:at],
            *([("hooks", hooks)] if hooks is not None else []),
            *list(base.items())[at:],
        ]
    ),
    st.dictionaries(st.text(max_size=6).filter(lambda key: key != "hooks"), JSON, max_size=4),
    st.none() | HOOKS,
    st.integers(0, 4),
)


@st.composite
def layouts(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    """A settings object and one of its many texts."""
    value = draw(OBJECTS)
    indent = draw(st.sampled_from([None, 1, 2, 3, 4, "\t"]))
    separators = (
        draw(st.sampled_from([None, (",", ":"), (" , ", " : ")])) if indent is None else None
    )
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    text = draw(st.sampled_from(["", "\ufeff"])) + draw(st.sampled_from(["", "\n", "  "])) + text
    return value, text + draw(st.sampled_from(["", "\n", "\n\n \t"]))


CLAUDE = hosts.CLAUDE


@given(layouts())
def test_any_settings_come_back_to_the_byte(layout: tuple[dict[str, Any], str]) -> None:
    before, text = layout
    _, value = entries.judge(text.encode(), "s")
    done = entries.install(text, value, CLAUDE, "/py")
    _, after = entries.judge(done.text.encode(), "s")
    assert entries.state(after, CLAUDE, "/py") == "installed"
    assert entries.install(done.text, after, CLAUDE, "/py").edits == []
    assert jsontext.undo(done.text, done.edits) == text
    # Everything else is where it was, in its order.
    for key, item in before.items():
        if key != "hooks":
            assert after[key] == item
    assert [key for key in after if key in before] == list(before)
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups


@given(layouts(), st.sampled_from(["{", "["]))
def test_any_settings_lose_our_entries_and_nothing_else(
    layout: tuple[dict[str, Any], str], opening: str
) -> None:
    """Without the record of the edits: somebody edited the file since."""
    before, text = layout
    _, value = entries.judge(text.encode(), "s")
    done = entries.install(text, value, CLAUDE, "/py")
    out = entries.uninstall(done.text, CLAUDE, entries.made(value, CLAUDE))
    assert entries.judge(out.encode(), "s")[1] == before
    if "\n" in text.strip() and "hooks" not in before:
        assert out == text


@given(layouts())
def test_another_interpreter_takes_the_place_of_the_first(
    layout: tuple[dict[str, Any], str],
) -> None:
    _, text = layout
    _, value = entries.judge(text.encode(), "s")
    first = entries.install(text, value, CLAUDE, "/py").text
    _, there = entries.judge(first.encode(), "s")
    assert entries.state(there, CLAUDE, "/other") == "outdated"
    moved = entries.install(first, there, CLAUDE, "/other").text
    _, now = entries.judge(moved.encode(), "s")
    assert entries.state(now, CLAUDE, "/other") == "installed"
    assert entries.uninstall(moved, CLAUDE, entries.made(value, CLAUDE)) == entries.uninstall(
        first, CLAUDE, entries.made(value, CLAUDE)
    )


# ---- what others edit ----------------------------------------------------------------------------


def test_edits_around_ours_stay_and_only_ours_goes(project: Path) -> None:
    write(project, '{\n    "model": "opus"\n}\n')
    install(project)
    value = settings_of(project)
    value["hooks"]["PreToolUse"].insert(
        0, {"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}
    )
    value["hooks"]["SessionStart"][0]["hooks"].append({"type": "command", "command": "also mine"})
    value["theme"] = "dark"
    write(project, json.dumps(value, indent=4))
    assert status(project)["state"] == "edited"
    assert install(project).json["changes"] == []
    assert agent("uninstall", project, "--yes").code == 0
    assert settings_of(project) == {
        "model": "opus",
        "hooks": {
            "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}],
            "SessionStart": [{"hooks": [{"type": "command", "command": "also mine"}]}],
        },
        "theme": "dark",
    }
    assert not (project / SKILL).exists() and not (project / RECORD).exists()


def test_an_edited_skill_file_is_kept_and_told(project: Path) -> None:
    install(project)
    mine = (project / SKILL).read_text(encoding="utf-8") + "\nmine\n"
    (project / SKILL).write_text(mine, encoding="utf-8")
    found = status(project)
    assert found["state"] == "edited"
    assert {p["path"]: p["state"] for p in found["parts"]}[SKILL] == "edited"
    for verb in ("install", "uninstall"):
        answer = agent(verb, project, "--yes")
        assert {"path": SKILL, "change": "keep"} in answer.json["changes"]
        assert [n["code"] for n in answer.json["notes"]] == ["agent_file_kept"]
        assert (project / SKILL).read_text(encoding="utf-8") == mine
    assert sorted(p for p in tree(project) if not p.endswith("/")) == [SKILL]


def test_a_skill_of_an_older_version_is_updated_and_what_it_dropped_goes(
    project: Path, tmp_path: Path
) -> None:
    from clew.faces.agents.install import Place

    older = {
        "SKILL.md": b"old",
        "references/gone.md": b"old too",
        "references/answers.md": b"old three",
    }
    place = Place(str(project), CLAUDE, skills.NOVEL, older)
    place.carry_out(place.plan_install(sys.executable))
    write(project, "edited", ".claude/skills/clew-novel/references/answers.md")
    assert status(project)["state"] == "outdated"
    answer = install(project)
    kinds = {c["path"].rsplit("/", 1)[1]: c["change"] for c in answer.json["changes"]}
    assert (
        kinds["SKILL.md"] == "update"
        and kinds["gone.md"] == "remove"
        and kinds["answers.md"] == "keep"
    )
    assert (project / SKILL).read_bytes() == skills.shipped()["SKILL.md"]
    assert install(project).json["changes"] == [
        {"path": ".claude/skills/clew-novel/references/answers.md", "change": "keep"}
    ]


def test_without_the_record_ours_is_known_by_its_content(project: Path) -> None:
    write(project, '{"a": 1}')
    install(project)
    (project / RECORD).unlink()
    assert status(project)["state"] == "installed"
    assert agent("uninstall", project, "--yes").code == 0
    assert settings_of(project) == {"a": 1} and not (project / SKILL).exists()


def test_a_record_that_was_lost_is_written_anew(project: Path) -> None:
    install(project)
    (project / RECORD).unlink()
    install(project)
    assert agent("uninstall", project, "--yes").code == 0
    assert [p for p in tree(project) if not p.endswith("/")] in ([], [".claude/settings.json"])


@pytest.mark.parametrize("data", [b"", b"\0" * 30, b"{", b"[]", b'{"format": "x"}', b"\xff"])
def test_a_record_that_makes_no_sense_is_never_taken_for_none(project: Path, data: bytes) -> None:
    install(project)
    write(project, data, RECORD)
    before = tree(project)
    for verb in ("install", "uninstall", "status"):
        answer = agent(verb, project, *(["--yes"] if verb != "status" else []))
        assert answer.code == 2 and answer.json["error_code"] == "agent_record_unreadable"
    assert tree(project) == before


def test_a_record_of_a_newer_version_is_left_alone(project: Path) -> None:
    install(project)
    value = json.loads((project / RECORD).read_text(encoding="utf-8"))
    write(project, json.dumps({**value, "schema_version": 2, "more": 1}), RECORD)
    assert agent("uninstall", project, "--yes").json["error_code"] == "newer_schema"


def test_a_record_from_elsewhere_reaches_no_other_file(project: Path) -> None:
    secret = write(project, "do not delete", "notes.md")
    (project / ".claude").mkdir(exist_ok=True)
    write(project, "neither", ".claude/agents/a.md")
    install(project)
    value = json.loads((project / RECORD).read_text(encoding="utf-8"))
    for path in (
        "../notes.md",
        "agents/a.md",
        "skills/clew-novel/../../../notes.md",
        "skills/x.md",
    ):
        file = project / ".claude" / path
        if file.exists():
            value["files"][path] = record.sha(file.read_bytes())
    value["folders"] += ["agents", "..", "../.."]
    write(project, json.dumps(value), RECORD)
    assert agent("uninstall", project, "--yes").code == 0
    assert secret.exists() and (project / ".claude/agents/a.md").exists()


OWN = '{"permissions": {"deny": ["Bash(rm:*)"]}, "model": "x"}\n'
HOOKED = '{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "evil"}]}]}}\n'


@pytest.mark.parametrize(
    ("before", "edits"),
    [
        (OWN, []),
        (HOOKED, [[0, HOOKED, OWN]]),
        ("{}\n", [[0, "{}\n", OWN]]),
        ("", [[0, "", OWN]]),
        ("{}", [[0, "{}", OWN[:-1]]]),
    ],
)
@pytest.mark.parametrize("created", [True, False])
@pytest.mark.parametrize("again", [True, False])
def test_a_record_from_elsewhere_takes_nothing_but_our_entries_out_of_the_settings(
    project: Path, before: str, edits: list[Any], created: bool, again: bool
) -> None:
    settings = write(project, OWN)
    install(project)
    settings.write_text(OWN, encoding="utf-8")
    value = json.loads((project / RECORD).read_text(encoding="utf-8"))
    value["settings"] = {
        "created": created, "made": ["hooks", "model"], "edits": edits,
        "before": record.sha(before.encode()), "after": record.sha(OWN.encode()),
    }  # fmt: skip
    write(project, json.dumps(value), RECORD)
    if again:
        install(project)
    assert agent("uninstall", project, "--yes").code == 0
    assert json.loads(settings.read_text(encoding="utf-8")) == json.loads(OWN)


def test_settings_that_grew_after_we_made_them_are_not_deleted(project: Path) -> None:
    install(project)
    path = project / ".claude/settings.json"
    path.write_text(
        path.read_text(encoding="utf-8").replace("{", '{\n  "a": 1,', 1), encoding="utf-8"
    )
    assert agent("uninstall", project, "--yes").code == 0
    assert settings_of(project) == {"a": 1}


def test_settings_that_are_no_text_are_refused_though_a_record_names_them(project: Path) -> None:
    install(project)
    value = json.loads((project / RECORD).read_text(encoding="utf-8"))
    data = b'{"a": "\xff"}'
    value["settings"]["after"] = record.sha(data)
    write(project, json.dumps(value), RECORD)
    write(project, data)
    for verb in ("install", "uninstall"):
        answer = agent(verb, project, "--yes")
        assert (answer.code, answer.json["error_code"]) == (2, "bad_encoding")


# ---- what is refused -----------------------------------------------------------------------------

BROKEN = {
    "empty": b"", "NULs": b"\0" * 40, "cut": b'{"hooks": {', "garbage after": b"{}x", "comments": b"// x\n{}",
    "a trailing comma": b'{"a": 1,}', "a list": b"[]", "hooks is a list": b'{"hooks": []}',
    "an event is an object": b'{"hooks": {"PreToolUse": {}}}', "twice": b'{"hooks": {}, "hooks": {}}',
    "bad UTF-8": b'{"a": "\xff"}', "a surrogate": b'{"a": "\\ud800"}', "deep": b"[" * 100 + b"]" * 100,
    "ours a thousand times": json.dumps(
        {"hooks": {"PreToolUse": [{"hooks": [{"command": "p -P -m clew.faces.cli.main hook PreToolUse"}] * 1000}]}}
    ).encode(),
    "NaN": b'{"a": NaN}', "too large": b'{"a": "' + b"x" * 4_000_000 + b'"}',
}  # fmt: skip


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_settings_that_are_no_json_are_refused_and_never_overwritten(
    project: Path, data: bytes
) -> None:
    write(project, data)
    before = tree(project)
    for verb in ("install", "uninstall", "status"):
        answer = agent(verb, project, *(["--yes"] if verb != "status" else []))
        assert answer.code == 2 and answer.json["status"] == "error"
        assert len(answer.out) < 4000
    assert tree(project) == before


@pytest.mark.skipif(os.name == "nt", reason="pipes in the file system")
@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_refused_and_not_waited_for(project: Path, make: Any) -> None:
    (project / ".claude").mkdir()
    make(project / ".claude/settings.json")
    answer = agent("install", project, "--yes")
    assert answer.code == 2 and answer.json["error_code"] == "io_failed"
    assert list((project / ".claude").iterdir()) == [project / ".claude/settings.json"]


def test_a_change_between_showing_and_writing_is_noticed(project: Path) -> None:
    from clew.faces.agents.install import Place
    from clew.kernel.errors import ChangedOutside

    write(project, '{"a": 1}\n')
    place = Place(str(project), CLAUDE, skills.NOVEL, skills.shipped())
    plan = place.plan_install(sys.executable)
    for name, data in ((".claude/settings.json", '{"a": 2}\n'), (SKILL, "mine")):
        kept = tree(project)
        write(project, data, name)
        before = tree(project)
        with pytest.raises(ChangedOutside, match="changed by another program"):
            place.carry_out(plan)
        assert tree(project) == before
        for path in [p for p in before if p not in kept and not p.endswith("/")]:
            (project / path).unlink()
        write(project, '{"a": 1}\n')


def test_two_at_once_leave_one_whole_installation(project: Path) -> None:
    write(project, '{\n  "a": 1\n}\n')
    line = [
        sys.executable,
        "-m",
        CLEW,
        "agent",
        "install",
        "claude",
        "--novel",
        "--yes",
        "--project",
        str(project),
    ]
    running = [
        subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    answers = [json.loads(child.communicate(timeout=60)[0]) for child in running]
    assert any(answer["status"] == "ok" for answer in answers)
    for answer in answers:
        assert answer["status"] == "ok" or answer["error_code"] == "agent_file_changed"
    assert status(project)["state"] == "installed"
    assert len(settings_of(project)["hooks"]["PreToolUse"]) == 1
    assert agent("uninstall", project, "--yes").code == 0
    assert (project / ".claude/settings.json").read_text(encoding="utf-8") == '{\n  "a": 1\n}\n'


@pytest.mark.skipif(os.name == "nt", reason="kill -9")
@pytest.mark.parametrize("delay", [0.02, 0.05, 0.08, 0.1, 0.12, 0.14, 0.16, 0.2])
def test_a_kill_leaves_the_old_or_the_new_and_the_next_run_completes(
    project: Path, delay: float
) -> None:
    old = '{\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}\n'
    path = write(project, old)
    line = [
        sys.executable,
        "-m",
        CLEW,
        "agent",
        "install",
        "claude",
        "--novel",
        "--yes",
        "--project",
        str(project),
    ]
    with subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
    now = path.read_text(encoding="utf-8")
    value = json.loads(now)
    assert now == old or entries.state(value, CLAUDE, sys.executable) == "installed"
    install(project)
    assert status(project)["state"] == "installed"
    assert not [p for p in tree(project) if ".tmp" in p]
    assert agent("uninstall", project, "--yes").code == 0
    assert {p for p in tree(project) if not p.endswith("/")} == {".claude/settings.json"}
    assert path.read_text(encoding="utf-8") == old


@pytest.mark.parametrize("left", ["", "clew-agent.lock", f"{record.NAME}.clew-99.tmp"])
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_what_a_run_that_was_killed_at_its_beginning_left_goes_with_the_rest(
    project: Path, left: str, verb: str
) -> None:
    (project / ".claude").mkdir()
    if left:
        write(project, "x" if left.endswith(".tmp") else "clew\npid=99\n", f".claude/{left}")
        os.utime(project / ".claude" / left, (0, 0))
    if verb == "install":
        install(project)
    assert agent("uninstall", project, "--yes").code == 0
    assert tree(project) == {}


@pytest.mark.parametrize("at", range(1, 40))
def test_a_disk_that_fails_anywhere_is_told_as_it_is(project: Path, at: int) -> None:
    from clew.faces.agents.install import Place
    from clew.kernel.errors import StorageFailed
    from clew.testing.faulty import FaultyFiles

    files = FaultyFiles(at, stays=True)
    place = Place(str(project), CLAUDE, skills.NOVEL, skills.shipped(), files=files)
    try:
        place.carry_out(place.plan_install(sys.executable))
    except StorageFailed as failed:
        written = [name for name in tree(project) if not name.endswith(("/", ".lock"))]
        assert failed.code == ("agent_half_done" if written else "disk_full")
        assert all(fault.message("zh") and fault.message("en") for fault in failed.faults)
        assert written or ".claude/" not in tree(project)
    install(project)
    assert agent("uninstall", project, "--yes").code == 0
    assert tree(project) == {}


@pytest.mark.parametrize("step", range(6))
def test_a_stop_after_any_step_is_completed_by_the_next_run(project: Path, step: int) -> None:
    from clew.kernel.files import Files

    class Stopped(BaseException):
        pass

    old = '{\n\t"a": 1.50\n}'
    path = write(project, old)
    left = [step]

    class Stopping(Files):
        def replace(self, source: str, target: str) -> None:
            if left[0] == 0:
                raise Stopped
            left[0] -= 1
            super().replace(source, target)

    from clew.faces.agents.install import Place

    place = Place(str(project), CLAUDE, skills.NOVEL, skills.shipped(), files=Stopping())
    try:
        place.carry_out(place.plan_install(sys.executable))
    except Stopped:
        assert path.read_text(encoding="utf-8") == old
    install(project)
    assert status(project)["state"] == "installed"
    assert agent("uninstall", project, "--yes").code == 0
    assert {p: d for p, d in tree(project).items() if not p.endswith("/")} == {
        ".claude/settings.json": old.encode()
    }


# ---- places --------------------------------------------------------------------------------------


def test_the_home_is_written_only_when_it_is_asked_for(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tree(home)
    answer = agent("install", home, "--yes")
    assert answer.code == 2 and answer.json["error_code"] == "home_needs_user"
    monkeypatch.chdir(home)
    assert (
        call(main, "install", "claude", "--novel", "--yes", "--json").json["error_code"]
        == "home_needs_user"
    )
    assert tree(home) == before
    done = call(main, "install", "claude", "--novel", "--user", "--yes", "--json")
    assert done.code == 0 and (home / SKILL).exists()
    assert call(main, "status", "claude", "--user", "--json").json["state"] == "installed"
    assert call(main, "uninstall", "claude", "--user", "--yes", "--json").code == 0
    assert tree(home) == before


@pytest.mark.parametrize("name", [".claude", ".claude/settings.json", ".claude/skills"])
def test_a_link_that_leads_out_of_the_project_is_refused(
    project: Path, home: Path, name: str
) -> None:
    outside = home / ".claude"
    outside.mkdir()
    (outside / "settings.json").write_text("{}", encoding="utf-8")
    (outside / "skills").mkdir()
    link = project / name
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(outside if name == ".claude" else outside / name.split("/")[1])
    before = tree(home)
    answer = agent("install", project, "--yes")
    assert answer.code == 2 and answer.json["error_code"] == "unsafe_path"
    assert tree(home) == before and not (project / RECORD).exists()


def test_a_link_inside_the_project_is_followed_and_stays(project: Path) -> None:
    (project / "config").mkdir()
    (project / "config/settings.json").write_text('{"a": 1}', encoding="utf-8")
    (project / ".claude").mkdir()
    (project / ".claude/settings.json").symlink_to("../config/settings.json")
    install(project)
    assert (project / ".claude/settings.json").is_symlink()
    assert entries.state(settings_of(project), CLAUDE, sys.executable) == "installed"
    agent("uninstall", project, "--yes")
    assert (project / "config/settings.json").read_text(encoding="utf-8") == '{"a": 1}'


def test_permission_bits_of_the_settings_stay(project: Path) -> None:
    path = write(project, "{}\n")
    path.chmod(0o600)
    install(project)
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_project_is_the_nearest_book_or_where_one_stands(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "正文").mkdir()
    (project / "大纲/卷一").mkdir(parents=True)
    monkeypatch.chdir(project / "大纲/卷一")
    assert call(main, "install", "claude", "--novel", "--json").json["folder"] == str(project)
    bare = project.parent / "empty"
    bare.mkdir()
    monkeypatch.chdir(bare)
    assert call(main, "install", "claude", "--novel", "--json").json["folder"] == str(bare)


# ---- status and words ----------------------------------------------------------------------------


def test_status_says_when_the_python_is_gone(project: Path) -> None:
    assert status(project)["state"] == "missing"
    install(project)
    found = status(project)
    assert (found["state"], found["command"]) == (
        "installed",
        hosts.command(sys.executable, "PreToolUse"),
    )
    path = project / ".claude/settings.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace(sys.executable, "/gone/python"), encoding="utf-8")
    answer = agent("status", project)
    assert answer.code == 1 and answer.json["state"] == "broken"
    assert "/gone/python" in json.dumps(answer.json["notes"], ensure_ascii=False)
    install(project)
    assert status(project)["state"] == "installed"


def test_status_and_install_say_when_an_agent_would_not_find_clew(
    project: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "notes" not in agent("install", project).json
    monkeypatch.setenv("PATH", "/nowhere")
    assert [n["code"] for n in install(project).json["notes"]] == ["clew_not_on_path"]
    found = status(project)
    assert found["clew"] is None and [n["code"] for n in found["notes"]] == ["clew_not_on_path"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["install", "claude"], "usage"),
        (["install", "emacs", "--novel"], "agent_unknown"),
        (["install", "claude", "--novel", "--user", "--project", "."], "usage"),
        (["install", "claude", "--novel", "--project", "/no/such/folder"], "missing_file"),
        (["status"], "usage"),
        ([], "usage"),
    ],
)
def test_a_wrong_call_says_what_is_right(line: list[str], code: str, lang: str) -> None:
    answer = call(main, *line, "--json")
    assert answer.code in (2, 3) and answer.json["error_code"] == code
    chinese = any("\u4e00" <= c <= "\u9fff" for c in answer.json["message"])
    assert chinese == (lang == "zh") or code == "usage"


@pytest.mark.parametrize(
    ("host", "file", "event"),
    [
        ("codex", ".codex/hooks.json", "PreToolUse"),
        ("gemini", ".gemini/settings.json", "BeforeTool"),
    ],
)
def test_the_other_hosts_are_served_in_their_own_words_and_get_their_bytes_back(
    host: str, file: str, event: str, project: Path
) -> None:
    (project / file).parent.mkdir()
    (project / file).write_text('{"hooks": {"AfterTool": []}, "x": 1.50}', encoding="utf-8")
    before = tree(project)
    line = [host, "--project", str(project), "--json"]
    assert call(main, "install", *line, "--novel").json["status"] == "needs_confirmation"
    done = call(main, "install", *line, "--novel", "--yes")
    notes = [note["code"] for note in done.json.get("notes", [])]
    assert notes == (["hook_review_needed"] if host == "codex" else [])
    hooks = json.loads((project / file).read_text(encoding="utf-8"))["hooks"]
    assert set(hooks) == {event, "SessionStart", "AfterTool"}
    command = hooks[event][0]["hooks"][0]["command"]
    assert f" hook {event}" in command
    gone = command.replace(sys.executable, "/gone/python")
    code = subprocess.run(["bash", "-c", gone], capture_output=True, check=False).returncode
    assert code == (1 if host == "gemini" else 127), "Gemini blocks on every code but 0 and 1"
    assert (project / f".{host}/skills/clew-novel/SKILL.md").is_file()
    assert call(main, "status", *line).json["state"] == "installed"
    assert call(main, "install", *line, "--novel").json["changes"] == []
    assert call(main, "uninstall", *line, "--yes").code == 0
    assert tree(project) == before


@pytest.mark.parametrize("verb", ["", "install", "status", "uninstall"])
def test_help_is_in_both_languages(verb: str, lang: str) -> None:
    answer = call(main, *([verb] if verb else []), "--help")
    assert answer.code == 0
    assert any("\u4e00" <= c <= "\u9fff" for c in answer.text) == (lang == "zh")


def test_the_nouns_are_known(project: Path) -> None:
    answer = process(CLEW, "agent", "status", "claude", "--project", project)
    assert answer.code == 0 and answer.json["state"] == "missing"
    assert "agent" in process(CLEW, "--help").text and "hook" in process(CLEW, "--help").text


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=40) | JSON.map(json.dumps))
def test_any_settings_file_is_judged_without_an_error(text: str) -> None:
    try:
        judged, value = entries.judge(text.encode("utf-8", "surrogatepass"), "s")
    except Refused:
        return
    assert json.loads(entries.install(judged, value, CLAUDE, "/py").text)["hooks"]
