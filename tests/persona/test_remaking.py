"""No document that cannot be read is a dead end: `check` names it, `check --mend` makes it again, and no
byte of the old one is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
import somebody
from scribe import SESSION, Scribe

from clew.kernel.errors import NewerSchema
from clew.persona import archiving, registering
from clew.persona.channels import reading, writing
from clew.persona.checking import check
from clew.persona.home import Home
from clew.persona.mending import mend
from clew.persona.pulse import pausing
from clew.persona.pulse.lease import Owner
from clew.persona.pulse.tick import tick
from clew.persona.pulse.view import Means
from clew.persona.windows import FILE, Windows

DOCUMENTS = (
    "windows.json",
    "lease.json",
    "pulse.json",
    "channels/read.json",
    "archive/manifest.json",
)
DAMAGE = (b"", b"\0\0\0", b'{"schema_version":1', b"[]", b'{"windows":7,"token":[],"paused":"x"}')


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = somebody.begin(tmp_path / "林昭")
    path = Scribe().person("在吗").write(tmp_path)
    registering.act(home, "add", SESSION, transcript=str(path), host="claude")
    archiving.run(home)
    writing.note(home, "一", to="persona")
    with home.change() as change:
        reading.mark(change, "persona", 1)
    pausing.pause(home)
    pausing.resume(home)
    tick(home, means())
    return somebody.again(home)


def means() -> Means:
    return Means(Owner.here("tick"), lambda *_: True)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_cannot_be_read_is_told_kept_aside_and_made_again(
    home: Home, name: str, damage: bytes
) -> None:
    path = Path(home.root, name)
    if (
        name in ("pulse.json", "channels/read.json", "windows.json", "archive/manifest.json")
        and damage == DAMAGE[4]
    ):
        damage = b'{"windows":7,"board":7,"copies":7,"paused":"x"}'
    path.write_bytes(damage)
    told = [fault["file"] for fault in check(home).faults if fault["code"] == "persona_file_broken"]
    assert told == [name] and path.read_bytes() == damage
    assert name in mend(home).mended
    aside = [one for one in Path(home.root, ".clew/aside").rglob(path.name) if one.is_file()]
    assert [one.read_bytes() for one in aside] == [damage]
    assert [f for f in check(home).faults if f["code"] == "persona_file_broken"] == []
    assert tick(somebody.again(home), means()).status == "ok"


def test_a_pause_that_nobody_can_read_stays_one(home: Home) -> None:
    Path(home.root, "pulse.json").write_bytes(b"{")
    mend(home)
    assert pausing.state(home).paused
    assert tick(home, means()).paused


def test_b28_windows_that_were_lost_come_back_under_their_own_ids(home: Home) -> None:
    before = (home.load(FILE, Windows) or Windows()).windows
    Path(home.root, FILE).write_bytes(b"{")
    mend(home)
    after = (home.load(FILE, Windows) or Windows()).windows
    assert [(w.id, w.host, w.transcript) for w in after] == [
        (w.id, w.host, w.transcript) for w in before
    ]


def test_notes_of_a_lost_mark_are_unread_again(home: Home) -> None:
    assert reading.unread(home) == []
    Path(home.root, reading.MARKS).write_bytes(b"{")
    mend(home)
    assert [note.text for note in reading.unread(home)] == ["一"]


@pytest.mark.parametrize("name", ["windows.json", "pulse.json", "archive/manifest.json"])
def test_a_document_of_a_newer_clew_is_never_made_again(home: Home, name: str) -> None:
    path = Path(home.root, name)
    path.write_bytes(b'{"schema_version":99}')
    with pytest.raises(NewerSchema):
        mend(home)
    assert path.read_bytes() == b'{"schema_version":99}'


@pytest.mark.parametrize("how", ["gone", "mended"])
def test_an_archive_without_its_manifest_loses_no_copy(
    home: Home, tmp_path: Path, how: str
) -> None:
    copy = Path(home.root, "archive/claude", f"{SESSION}.jsonl")
    kept = copy.read_bytes()
    manifest = Path(home.root, "archive/manifest.json")
    if how == "gone":
        manifest.unlink()
    else:
        manifest.write_bytes(b"{")
        mend(home)
    source = tmp_path / f"{SESSION}.jsonl"
    source.write_text('{"type":"summary"}\n', encoding="utf-8")  # its host has rewritten it
    archiving.run(home)
    assert copy.read_bytes() == kept
    beside = [one.read_bytes() for one in copy.parent.iterdir() if one != copy]
    assert beside == [source.read_bytes()]


def test_a_copy_that_the_manifest_lost_is_taken_up_again(home: Home, tmp_path: Path) -> None:
    copy = Path(home.root, "archive/claude", f"{SESSION}.jsonl")
    Path(home.root, "archive/manifest.json").unlink()
    source = tmp_path / f"{SESSION}.jsonl"
    source.write_bytes(source.read_bytes() + b'{"type":"summary"}\n')
    archiving.run(home)
    assert [one.name for one in copy.parent.iterdir()] == [copy.name]
    assert copy.read_bytes() == source.read_bytes()


def test_nothing_is_mended_where_nothing_is_broken(home: Home) -> None:
    assert mend(home).mended == []
