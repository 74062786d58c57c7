"""`clew persona check`: whatever is wrong with a home is told, each with its path and a next step."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import somebody
from scribe import SESSION, Scribe, text

from clew.persona import archiving, checking, diary, mending
from clew.persona.channels import writing
from clew.persona.home import Home
from clew.persona.memory.words import Memory


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = somebody.begin(tmp_path / "林昭")
    diary.write(made, "雨停了。")
    writing.note(made, "灯笼铺的账还没核")
    path = Scribe().person("你好").persona(text("在。")).write(tmp_path / "host")
    archiving.run(made, archiving.search(made, str(path.parent), "claude"))
    with Memory(made) as memory:
        memory.refresh()
    for one in Path(made.root).rglob("*"):
        one.chmod(0o700 if one.is_dir() else 0o600)
    return made


def told(home: Home) -> list[tuple[str, str]]:
    """Code and path of every fault; each says what to do."""
    checked = checking.check(home, "zh")
    assert checked.status == ("found" if checked.faults else "ok")
    for fault in checked.faults:
        assert fault["file"] and fault.get("hint"), fault
    return [(fault["code"], fault["file"]) for fault in checked.faults]


def archived_copy(home: Home) -> Path:
    return Path(home.root) / f"archive/claude/{SESSION}.jsonl"


def test_a_home_with_everything_in_it_is_sound(home: Home) -> None:
    assert told(home) == []


@pytest.mark.parametrize("damage", ["gone", "changed", "cut"])
def test_a_damaged_copy_of_the_archive_is_told_and_mended(home: Home, damage: str) -> None:
    copy = archived_copy(home)
    data = copy.read_bytes()
    if damage == "gone":
        copy.unlink()
    else:
        copy.write_bytes(data[:-9] if damage == "cut" else data[:30] + b"?" + data[31:])
    path = f"archive/claude/{SESSION}.jsonl"
    assert told(home) == [("archive_damaged", path)]
    assert mending.mend(home).status == "ok"
    assert told(home) == []
    assert (copy.parent / f"{SESSION}~2.jsonl").read_bytes() == data


@pytest.mark.parametrize("name", ["index.sqlite", "vectors.sqlite"])
@pytest.mark.parametrize("data", [b"junk", b"\0" * 9000, b"SQLite format 3\0" + b"\x01" * 4096])
def test_an_index_that_is_junk_is_told_and_made_again(home: Home, name: str, data: bytes) -> None:
    path = Path(home.root) / name
    path.write_bytes(data)
    path.chmod(0o600)
    assert told(home) == [("persona_index_damaged", name)]
    assert mending.mend(home).status == "ok"
    with Memory(home) as memory:
        memory.refresh()
        assert [hit.kind for hit in memory.search("雨")[0]] == ["diary"]


def test_a_damaged_page_within_an_index_is_told(home: Home) -> None:
    path = Path(home.root) / "index.sqlite"
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xff" * 8192 + data[12288:])
    assert told(home) == [("persona_index_damaged", "index.sqlite")]


@pytest.mark.parametrize("path", ["diary", "channels", "archive"])
def test_a_file_in_the_place_of_a_folder_is_told(home: Home, path: str) -> None:
    there = Path(home.root) / path
    there.rename(there.with_name("kept"))
    there.write_bytes(b"x")
    there.chmod(0o600)
    assert ("persona_wrong_kind", path) in told(home)


@pytest.mark.parametrize("path", [
    "persona.toml", "identity.md", "voice.md", "refusals.toml", "vitals.json", "intents.json",
    "events.jsonl", "channels/board.jsonl", "wake.jsonl", "outbox.jsonl", "windows.json",
    "lease.json", "pulse.json", "index.sqlite", "diary/2026-03-01.md",
])  # fmt: skip
def test_a_folder_in_the_place_of_a_file_is_told_and_hides_nothing(home: Home, path: str) -> None:
    there = Path(home.root) / path
    if there.exists():
        there.rename(there.with_name("kept"))
    there.mkdir(mode=0o700)
    (Path(home.root) / "diary/2026-02-01.md").write_bytes(b"\xff\xfe\xff")
    (Path(home.root) / "diary/2026-02-01.md").chmod(0o600)
    found = told(home)
    assert ("persona_wrong_kind", path) in found
    assert ("bad_encoding", "diary/2026-02-01.md") in found


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_told_and_not_waited_for(home: Home) -> None:
    os.mkfifo(Path(home.root) / "outbox.jsonl", 0o600)
    assert told(home) == [("persona_wrong_kind", "outbox.jsonl")]


def test_a_link_that_leads_out_is_told(home: Home, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.jsonl").write_bytes(b"")
    (Path(home.root) / "outbox.jsonl").symlink_to(tmp_path / "elsewhere.jsonl")
    checked = checking.check(home)
    assert [(f["code"], f["file"]) for f in checked.faults] == [("unsafe_path", "outbox.jsonl")]


@pytest.mark.parametrize("line", [b"\xff\xfe\x00", b'{"n": 7}', b'{"n": NaN}', b"[]", b'"x"'])
@pytest.mark.parametrize("name", ["board", "baton", "stream", "live", "receipts"])
def test_a_line_of_a_channel_that_nobody_can_read_is_told(
    home: Home, name: str, line: bytes
) -> None:
    path = Path(home.root) / f"channels/{name}.jsonl"
    before = path.read_bytes() if path.exists() else b""
    path.write_bytes(before + line + b"\n")
    path.chmod(0o600)
    number = before.count(b"\n") + 1
    (fault,) = checking.check(home).faults
    assert (fault["code"], fault["file"], fault["line"]) == (
        "persona_line_broken", f"channels/{name}.jsonl", number,
    )  # fmt: skip


@pytest.mark.parametrize("path", ["vitals.json", "channels", f"archive/claude/{SESSION}.jsonl"])
def test_what_others_could_read_is_told_and_closed(home: Home, path: str) -> None:
    (Path(home.root) / path).chmod(0o755 if path == "channels" else 0o644)
    assert told(home) == [("persona_mode_open", path)]
    assert mending.mend(home).status == "ok"


def test_what_may_be_left_unwritten_is_a_note(home: Home) -> None:
    (Path(home.root) / "refusals.toml").write_text('[[refusal]]\nid = "R1"\ntext = "不"\n')
    (Path(home.root) / "voice.md").write_text("# 语气\n")
    checked = checking.check(home)
    assert (checked.status, checked.faults) == ("ok", [])
    assert {note["code"] for note in checked.notes} == {"no_probe", "no_samples"}


def test_every_damage_at_once_is_told_at_once(home: Home) -> None:
    root = Path(home.root)
    archived_copy(home).unlink()
    (root / "index.sqlite").write_bytes(b"junk")
    (root / "diary").rename(root / "kept")
    (root / "diary").write_bytes(b"")
    (root / "diary").chmod(0o600)
    (root / "channels/board.jsonl").write_bytes(b"\xff\n")
    (root / "vitals.json").write_bytes(b'{"mood": NaN}')
    (root / "identity.md").chmod(0o644)
    assert {code for code, _ in told(home)} == {
        "archive_damaged", "persona_index_damaged", "persona_wrong_kind", "persona_line_broken",
        "persona_file_broken", "persona_mode_open", "log_cut",
    }  # fmt: skip
