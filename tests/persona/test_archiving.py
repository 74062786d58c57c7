"""The archive: byte for byte, in steps, never less than before (F28, and the deletion after 30 days)."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scribe import SESSION, Scribe, text
from somebody import Clock, again, begin

from clew.persona import archived, archiving, registering
from clew.persona.archive import MANIFEST, Copy, Manifest, Source, leaves_at, plan
from clew.persona.home import Home

PROJECT = ".claude/projects/-x"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return begin(tmp_path / "林昭", Clock())


@pytest.fixture
def talk(tmp_path: Path, home: Home) -> tuple[Scribe, Path]:
    """A conversation of two turns, in a registered window."""
    scribe = Scribe().person("在吗").persona(text("在。"))
    path = scribe.write(tmp_path / PROJECT)
    registering.act(home, "add", SESSION, transcript=str(path), host="claude")
    return scribe, path


def copy_of(home: Home) -> bytes:
    return (Path(home.root) / f"archive/claude/{SESSION}.jsonl").read_bytes()


def codes(home: Home) -> list[str]:
    return [note.code for note in home.notes]


def test_a_transcript_is_copied_byte_for_byte(home: Home, talk: tuple[Scribe, Path]) -> None:
    path = talk[1]
    path.write_bytes(b"\xff\0not json\r\n" + path.read_bytes() + b"torn")
    done = archiving.run(home)
    assert copy_of(home) == path.read_bytes()
    assert (done.copied, done.bytes) == (1, path.stat().st_size)
    assert archived.verify(home) == []


def test_what_was_added_is_copied_and_nothing_else(home: Home, talk: tuple[Scribe, Path]) -> None:
    scribe, path = talk
    archiving.run(home)
    before = path.stat().st_size
    scribe.person("后来呢").persona(text("去了渡口。")).write(path.parent)
    done = archiving.run(home)
    assert done.bytes == path.stat().st_size - before
    assert copy_of(home) == path.read_bytes()
    assert archiving.run(home).copied == 0


def test_f28_a_transcript_that_its_host_deleted_stays_in_the_archive_and_is_told_once(
    home: Home, talk: tuple[Scribe, Path]
) -> None:
    archiving.run(home)
    data = talk[1].read_bytes()
    talk[1].unlink()
    assert archiving.run(home).vanished == [str(talk[1])]
    assert "transcript_vanished" in codes(home)
    assert copy_of(home) == data
    assert archiving.run(home).vanished == []
    assert [e.kind for e in home.read_events()].count("transcript_vanished") == 1
    row = archiving.standing(home).rows[0]
    assert row.gone and row.bytes == len(data)


@pytest.mark.parametrize("how", ["empty", "shorter", "other beginning", "other end"])
def test_b5_a_rewritten_transcript_gets_a_copy_beside_the_old_one(
    home: Home, talk: tuple[Scribe, Path], how: str
) -> None:
    path = talk[1]
    archiving.run(home)
    old = path.read_bytes()
    new = {
        "empty": b"",
        "shorter": old[: len(old) // 2],
        "other beginning": b"X" + old,
        "other end": old[:-3] + b"XX\n" + b"more\n",
    }[how]
    path.write_bytes(new)
    assert archiving.run(home).anew == 1
    folder = Path(home.root) / "archive/claude"
    assert copy_of(home) == old
    assert (folder / f"{SESSION}~2.jsonl").read_bytes() == new
    assert archived.verify(home) == []


def test_what_subagents_and_tools_said_lies_beside_and_is_kept_too(
    home: Home, talk: tuple[Scribe, Path]
) -> None:
    folder = talk[1].parent / SESSION
    (folder / "subagents").mkdir(parents=True)
    (folder / "subagents/a1.jsonl").write_bytes(b"{}\n")
    (folder / "tool-results").mkdir()
    (folder / "tool-results/r1.txt").write_bytes(b"ok")
    (folder / "tool-results/away").symlink_to("/etc/passwd")
    archiving.run(home)
    kept = Path(home.root) / f"archive/claude/{SESSION}"
    assert (kept / "subagents/a1.jsonl").read_bytes() == b"{}\n"
    assert (kept / "tool-results/r1.txt").read_bytes() == b"ok"
    assert not (kept / "tool-results/away").exists()


def test_nothing_of_the_archive_is_readable_by_others(
    home: Home, talk: tuple[Scribe, Path]
) -> None:
    os.umask(0o000)
    try:
        archiving.run(home)
    finally:
        os.umask(0o022)
    for path in Path(home.root).rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_home_from_elsewhere_names_no_file_but_transcripts(home: Home, tmp_path: Path) -> None:
    """What a folder names outside of itself is read for nothing else than what it says it is."""
    secret = tmp_path / "secret.json"
    secret.write_text('{"token": "x"}')
    registering.act(home, "add", SESSION)
    path = Path(home.root) / "windows.json"
    register = json.loads(path.read_text())
    for named in (str(secret), "/etc/passwd", "../secret.json", f"{tmp_path}/{SESSION}/id_rsa"):
        register["windows"][0]["transcript"] = named
        path.write_text(json.dumps(register))
        assert archiving.run(home).looked == 0
    assert not (Path(home.root) / "archive/other").exists()


@pytest.mark.parametrize("what", ["link", "folder", "pipe"])
def test_what_is_no_regular_file_is_no_transcript(
    home: Home, talk: tuple[Scribe, Path], tmp_path: Path, what: str
) -> None:
    path = talk[1]
    path.unlink()
    if what == "link":
        path.symlink_to("/etc/passwd")
    elif what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    assert archiving.run(home).copied == 0


def test_a_copy_that_was_cut_off_by_a_kill_goes_on_where_the_manifest_says(
    home: Home, talk: tuple[Scribe, Path]
) -> None:
    scribe, path = talk
    archiving.run(home)
    copied = Path(home.root) / f"archive/claude/{SESSION}.jsonl"
    with copied.open("ab") as file:
        file.write(b"half of wh")  # written, and killed before the manifest was
    scribe.person("后来呢").write(path.parent)
    archiving.run(again(home))
    assert copy_of(home) == path.read_bytes()
    assert archived.verify(home) == []


def test_a_run_whose_time_is_up_goes_on_next_time(home: Home, talk: tuple[Scribe, Path]) -> None:
    path = talk[1]
    path.write_bytes(path.read_bytes() + b"x" * (3 << 20) + b"\n")
    asked: list[int] = []

    def going_on() -> bool:
        asked.append(1)
        return len(asked) < 2

    done = archiving.run(home, going_on=going_on)
    assert not done.complete and 0 < done.bytes < path.stat().st_size
    assert archiving.standing(home).behind == path.stat().st_size - done.bytes
    assert archiving.run(home).complete
    assert copy_of(home) == path.read_bytes()


@pytest.mark.parametrize(
    ("damage", "reason"), [("cut", "bytes"), ("flip", "checksum"), ("gone", "gone")]
)
def test_a_damaged_copy_is_found_and_a_new_one_begun(
    home: Home, talk: tuple[Scribe, Path], damage: str, reason: str
) -> None:
    archiving.run(home)
    copied = Path(home.root) / f"archive/claude/{SESSION}.jsonl"
    data = copied.read_bytes()
    if damage == "cut":
        copied.write_bytes(data[:10])
    elif damage == "flip":
        copied.write_bytes(b"Y" + data[1:])
    else:
        copied.unlink()
    (fault,) = archived.verify(home)
    assert fault.code == "archive_damaged" and reason in str(fault.facts["reason"])
    if damage == "flip":  # which is seen by whoever reads all of it
        assert archiving.renew(home, [str(fault.facts["file"])]) == [fault.facts["file"]]
    else:
        archiving.run(home)
    assert (copied.parent / f"{SESSION}~2.jsonl").read_bytes() == talk[1].read_bytes()
    assert archived.verify(home) == []
    told = [(note.code, note.facts["file"]) for note in home.notes[-1:]]
    assert told == [("archive_superseded", fault.facts["file"])]


def test_a_copy_whose_original_is_gone_stays_damaged(home: Home, talk: tuple[Scribe, Path]) -> None:
    archiving.run(home)
    copied = Path(home.root) / f"archive/claude/{SESSION}.jsonl"
    copied.write_bytes(b"Y" + copied.read_bytes()[1:])
    talk[1].unlink()
    (fault,) = archived.verify(home)
    assert archiving.renew(home, [str(fault.facts["file"])]) == []
    assert [one.code for one in archived.verify(home)] == ["archive_damaged"]


def test_a_manifest_that_cannot_be_read_is_no_empty_one(
    home: Home, talk: tuple[Scribe, Path]
) -> None:
    """B10, B12, B13: what cannot be read never becomes a default that is saved over it."""
    from clew.kernel.errors import Corrupt

    archiving.run(home)
    path = Path(home.root) / MANIFEST
    for broken in (b"", b"\0" * 200, path.read_bytes()[:40], path.read_bytes() + b"garbage"):
        path.write_bytes(broken)
        with pytest.raises(Corrupt):
            archiving.run(again(home))
        assert path.read_bytes() == broken


@pytest.mark.parametrize(
    ("days", "left"), [(None, 30), (7, 7), (0, 0), (-1, 30), ("7", 30), (True, 30), (10**9, 30)]
)
def test_the_days_that_are_left_go_by_the_hosts_own_setting(
    home: Home, talk: tuple[Scribe, Path], tmp_path: Path, days: object, left: int
) -> None:
    if days is not None:
        (tmp_path / ".claude/settings.json").write_text(json.dumps({"cleanupPeriodDays": days}))
    moment = home.now().timestamp()
    os.utime(talk[1], (moment, moment))
    row = archiving.standing(home).rows[0]
    assert row.days_left == left and row.behind == talk[1].stat().st_size


def test_a_folder_that_somebody_names_is_searched(home: Home, tmp_path: Path) -> None:
    old = tmp_path / "旧会话"
    Scribe("one").person("在吗").write(old)
    (old / "deep").mkdir()
    (old / "deep/two.json").write_text("[]")
    (old / "notes.txt").write_text("x")
    done = archiving.run(home, archiving.search(home, str(old), "other"))
    assert done.copied == 2
    names = sorted(path.name for path in (Path(home.root) / "archive/other").iterdir())
    assert names == ["one.jsonl", "two.json"]
    assert (old / "one.jsonl").exists()


# ---- planning (pure) -------------------------------------------------------------------------------


def test_a_file_that_nobody_touches_leaves_after_its_days() -> None:
    now = datetime(2026, 3, 10, tzinfo=UTC)
    changed = int(datetime(2026, 3, 1, tzinfo=UTC).timestamp() * 1e9)
    end, left = leaves_at(changed, 30, now)
    assert (end, left) == (datetime(2026, 3, 31, tzinfo=UTC), 21)
    assert leaves_at(changed, 3, now)[1] == 0


@given(st.integers(0, 100), st.integers(0, 100), st.booleans(), st.booleans(), st.booleans())
def test_a_plan_never_writes_over_what_the_source_no_longer_has(
    size: int, known: int, same_head: bool, agrees: bool, document: bool
) -> None:
    source = Source("/s", size, "h" if same_head else "other", document, crc=1)
    copy = Copy(source="/s", file="archive/x", size=known, head="h", crc=1, document=document)
    step = plan(source, copy, tail_agrees=agrees)
    if document:
        assert (step.act == "begin_anew") == (size < known)
        assert (step.act == "none") == (size == known)
    elif not same_head or size < known or not agrees:
        assert step.act == "begin_anew"
    else:
        assert step == (("none", 0) if size == known else ("copy_on", known))
    assert plan(source, None).act == "begin"


def test_the_manifest_holds_one_present_copy_of_a_source() -> None:
    first = Copy(source="/s", file="a")
    known = Manifest().having(first).having(Copy(source="/s", file="a", superseded=True))
    known = known.having(Copy(source="/s", file="b"))
    present = known.of("/s")
    assert len(known.copies) == 2 and present is not None and present.file == "b"
