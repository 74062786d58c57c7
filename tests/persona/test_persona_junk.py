"""Junk in any file of a home: every command answers, nothing outside is touched, the junk is kept."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import somebody
from scribe import Scribe, text
from somebody import clew

from clew.kernel.clock import system_clock
from clew.persona import archiving, diary, intents, registering
from clew.persona.channels import writing
from clew.persona.home import Home

FILES = (
    "persona.toml", "identity.md", "voice.md", "refusals.toml", "refusals.jsonl", "intents.json",
    "vitals.json", "events.jsonl", "wake.jsonl", "outbox.jsonl", "lease.json", "pulse.json",
    "windows.json", "archive/manifest.json", "channels/board.jsonl", "channels/baton.jsonl",
    "channels/digest.md", "channels/read.json", "index.sqlite", ".clew/looks.json", ".clew/turn.json",
    ".clew/journal.slot", "diary/2026-02-28.md",
)  # fmt: skip
JUNK = {
    "not UTF-8": b"\xff\xfe\x00\x9f\n", "NaN": b'{"n": NaN, "schema_version": NaN}\n', "nothing": b"",
    "twice": b'{"n": 1, "n": 2, "schema_version": 1, "schema_version": 1}\n', "NULs": b"\0" * 700,
    "deep": b"[" * 50_000, "a long number": b'{"n": ' + b"9" * 5000 + b"}\n",
}  # fmt: skip
LINES = (
    ("status",), ("opening",), ("check",), ("diary", "show", "--days", "3"), ("board", "read"),
    ("search", "灯"), ("next",), ("tick",), ("board", "write", "在"), ("diary", "write", "在"),
    ("intent", "add", "在"), ("archive", "run"), ("outbox",), ("check", "--mend"), ("status",),
)  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = somebody.begin(tmp_path / "p", system_clock)  # type: ignore[arg-type]
    diary.write(made, "雨停了")
    writing.note(made, "账")
    writing.hand_over(made, "数完了")
    intents.add_intent(made, "把故事讲完")
    path = Scribe().person("灯亮吗").persona(text("在。")).write(tmp_path / "host")
    registering.act(made, "add", path.stem, transcript=str(path), host="claude")
    archiving.run(made)
    for line in (("tick",), ("pause",), ("resume",), ("search", "灯")):
        assert clew("persona", *line, "--home", made.root)[0] == 0
    return made


def answered(home: Home, *line: str) -> None:
    """A command ends with an answer. A mistake of the program would come out of `clew` here."""
    code, answer, err = clew("persona", *line, "--home", home.root, "--lang", "en")
    assert code in (0, 1, 2, 3), (line, code)
    if isinstance(answer, dict) and answer.get("status") == "error":
        assert answer["faults"] and all(fault["message"] for fault in answer["faults"]), line
    assert "Traceback" not in err


def kept(home: Home, path: str, data: bytes) -> bool:
    """Whether bytes are still where they were (with more behind them), or laid aside."""
    root = Path(home.root)
    places = [root / path, *(root / ".clew").rglob("*"), *root.glob("*.aside-*")]
    return any(p.is_file() and data.strip() in p.read_bytes() for p in places)


@pytest.mark.parametrize("path", FILES)
def test_bytes_that_are_no_document_are_answered_and_kept(home: Home, path: str) -> None:
    there = Path(home.root) / path
    sound = there.read_bytes() if there.is_file() else None
    derived = path.endswith((".sqlite", "digest.md")) or path.startswith(".clew")
    for junk in JUNK.values():
        there.parent.mkdir(exist_ok=True)
        there.write_bytes(junk)
        for line in LINES:
            answered(home, *line)
        assert derived or kept(home, path, junk)
        if sound is not None:
            there.write_bytes(sound)


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("path", FILES)
def test_what_is_no_file_is_answered_and_never_followed(
    home: Home, tmp_path: Path, path: str, kind: str
) -> None:
    if kind == "pipe" and not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    outside = tmp_path / "outside"
    outside.write_text("别人的")
    there = Path(home.root) / path
    there.unlink(missing_ok=True)
    if kind == "folder":
        there.mkdir()
    elif kind == "link":
        there.symlink_to(outside)
    else:
        os.mkfifo(there)
    for line in LINES:
        answered(home, *line)
    assert outside.read_text() == "别人的"
