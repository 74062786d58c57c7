"""Transcripts as hosts wrote them: real sessions against a model on the loopback interface, with the
paths and the long texts taken out. `shapes/` names the host and its version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clew.kernel.files import Files
from clew.persona import answer_guard, origins
from clew.persona.transcripts import gemini, naming, place
from clew.persona.transcripts.claude import machine_source
from clew.persona.transcripts.piece import Piece
from clew.persona.transcripts.reading import detect, steps
from clew.persona.transcripts.turns import Turn, Turns
from clew.persona.windows import Window, Windows

SHAPES = Path(__file__).parent / "shapes"
CLAUDE = ("claude-2.1.197.jsonl", "claude-2.1.332.jsonl")
CODEX, GEMINI = "codex-0.171.0.jsonl", "gemini-0.61.0.jsonl"
SAID = [
    ("person", "渡口那边怎么样"),
    ("persona", "西边第三盏灯还没点。"),
    ("person", "点上"),
    ("persona", "点好了。"),
    ("person", "在吗"),
]


def read(name: str) -> place.Read:
    return place.reader(Files(), str(SHAPES / name))


def pieces(name: str) -> list[Piece]:
    found = list(steps(read(name)))
    assert sum(step.lost for step in found) == 0
    return [piece for step in found for piece in step.pieces]


def spoken(name: str) -> list[tuple[str, str]]:
    return [(p.who, p.text) for p in pieces(name) if p.who in ("person", "persona") and p.text]


def turns(name: str) -> list[Turn]:
    taken = Turns()
    over = [taken.take(piece) for piece in pieces(name)]
    return [*(one for one in over if one is not None and one.prompt is not None), taken.present]


@pytest.mark.parametrize(
    ("name", "kind"), [*((one, "claude") for one in CLAUDE), (CODEX, "codex"), (GEMINI, "gemini")]
)
def test_a_format_is_known_by_what_its_host_writes(name: str, kind: str) -> None:
    assert detect(read(name)) == kind


@pytest.mark.parametrize("name", CLAUDE)
def test_claude_is_read_as_it_was_said(name: str) -> None:
    assert spoken(name) == [*SAID, ("persona", "在。")]
    kinds = [answer_guard.judge(turn).kind for turn in turns(name)]
    assert kinds == ["spoken", "spoken", "healed"], "the last was asked for again by its host"


def test_codex_is_read_as_it_was_said() -> None:
    assert spoken(CODEX)[:5] == SAID
    assert [answer_guard.judge(turn).kind for turn in turns(CODEX)][:2] == ["spoken", "spoken"]


def test_gemini_is_read_as_it_was_said() -> None:
    assert spoken(GEMINI) == SAID[:4], "what hooks put around a prompt is nobody's word"
    found = turns(GEMINI)
    assert [answer_guard.judge(turn).kind for turn in found] == ["spoken", "spoken"]
    thoughts = [piece.thinking for piece in pieces(GEMINI) if piece.thinking]
    assert thoughts == ["先看一眼。"]
    assert [piece.tools for piece in pieces(GEMINI) if piece.tools] == [1]


def test_a_fork_of_codex_names_where_it_came_from() -> None:
    head = json.loads((SHAPES / CODEX).read_text("utf-8").splitlines()[0])["payload"]["id"]
    assert origins.told(Files(), str(SHAPES / "codex-0.171.0-fork.jsonl")) == head


def test_a_fork_of_claude_is_known_by_the_records_that_it_copied(tmp_path: Path) -> None:
    ids = {}
    for name in ("claude-2.1.197.jsonl", "claude-2.1.197-fork.jsonl"):
        data = (SHAPES / name).read_bytes()
        ids[name] = json.loads(data.splitlines()[-1])["sessionId"]
        (tmp_path / f"{ids[name]}.jsonl").write_bytes(data)
    first, fork = ids.values()
    windows = {
        ident: Window(
            id=ident, host="claude", opened=opened, seen=opened,
            transcript=str(tmp_path / f"{ident}.jsonl"),
        )
        for ident, opened in ((first, "2026-01-01T00:00:00.000Z"), (fork, "2099-01-01T00:00:00.000Z"))
    }  # fmt: skip
    register = Windows(windows=list(windows.values()))
    assert origins.told(Files(), windows[fork].transcript) == "", "the host says nothing"
    assert origins.found(Files(), windows[fork], register) == first
    assert origins.found(Files(), windows[first], register) == ""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/lin/.gemini/tmp/lanterns/chats/session-2026-11-30T22-43-1fc02753.jsonl", True),
        ("/home/lin/.gemini/tmp/lanterns/chats/session-2026-11-30T22-43-4c3be9af.jsonl", False),
        ("/home/lin/.gemini/tmp/lanterns/chats/session-2025-09-01T10-00-1fc02753.json", True),
        ("/home/lin/.claude/projects/-x/1fc02753-a920-420a-8bd1-364bae6e6fa1.jsonl", True),
        ("/home/lin/1fc02753.jsonl", False),
        ("/home/lin/session-1fc02753.jsonl.bak", False),
        ("session-1fc02753.jsonl", False),
    ],
)
def test_a_transcript_is_named_after_its_session(path: str, expected: bool) -> None:
    assert naming.belongs(path, "1fc02753-a920-420a-8bd1-364bae6e6fa1") is expected


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("点上", "点上"),
        ("<hook_context># 卡\n> 灯</hook_context>\n\n点上", "点上"),
        ("<hook_context>a</hook_context>\n<hook_context>b</hook_context>点上\n<hook_context>c</hook_context>",
         "点上"),
        ("看 <hook_context> 这个标签", "看 <hook_context> 这个标签"),
        ("点上 </hook_context>", "点上 </hook_context>"),
        ("<hook_context>没有完", "<hook_context>没有完"),
    ],
)  # fmt: skip
def test_what_gemini_puts_around_a_prompt_is_taken_away(prompt: str, said: str) -> None:
    assert gemini.said_by_person(prompt) == said


def test_a_prompt_that_a_person_gave_on_a_command_line_is_a_persons() -> None:
    assert not machine_source("sdk")
