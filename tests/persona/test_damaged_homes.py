"""A home of which something lies at a wrong place or is gone: told in one word, and the rest is mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import somebody
from scribe import SESSION, Scribe, text

from clew.kernel.errors import ClewError, Corrupt, Missing, Refused
from clew.persona import adopting, archived, archiving, checking, keeping, mending, registering
from clew.persona.archive import MANIFEST, Manifest
from clew.persona.decoding import decoded
from clew.persona.edits import why_unread
from clew.persona.finding import find_home
from clew.persona.home import Home
from clew.persona.model import EVENTS, LISTS, SETTINGS, VITALS, Vitals
from clew.persona.pulse.pausing import PULSE


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = somebody.begin(tmp_path / "林昭")
    source = Scribe().person("在吗").persona(text("在。")).write(tmp_path)
    registering.act(home, "add", SESSION, transcript=str(source), host="claude")
    archiving.run(home)
    home.settle()
    return home


def codes(home: Home) -> list[tuple[str, str]]:
    return [(fault["code"], str(fault["file"])) for fault in checking.check(home).faults]


# ---- something of another kind --------------------------------------------------------------------------


@pytest.mark.parametrize("path", [VITALS, LISTS, EVENTS, MANIFEST])
def test_what_lies_at_a_wrong_place_keeps_nothing_else_from_being_mended(
    home: Home, path: str
) -> None:
    Path(home.root, path).unlink()
    Path(home.root, path).mkdir(mode=0o755)
    Path(home.root, PULSE).write_bytes(b"{")
    Path(home.root, PULSE).chmod(0o600)
    assert ("persona_wrong_kind", path) in codes(home)
    assert not any(code == "persona_mode_open" for code, _ in codes(home))
    assert mending.mend(home).mended == [PULSE]
    assert ("persona_wrong_kind", path) in codes(home)


@pytest.mark.parametrize("path", [VITALS, EVENTS])
def test_every_command_says_what_lies_there(home: Home, path: str) -> None:
    Path(home.root, path).unlink()
    Path(home.root, path).mkdir()
    with pytest.raises(Corrupt) as wrong:
        keeping.change_mood(home, "raise", 0.1, cause="信", source="self")
    assert [fault.code for fault in wrong.value.faults] == ["persona_wrong_kind"]
    with pytest.raises(Corrupt) as read:
        home.read(path)
    assert read.value.code == "persona_wrong_kind"


# ---- a persona.toml that is gone ------------------------------------------------------------------------


def test_lost_settings_are_told_as_that_and_everything_else_is_looked_at(home: Home) -> None:
    Path(home.root, SETTINGS).unlink()
    Path(home.root, VITALS).write_bytes(b"{")
    lost = Home(home.root)
    found = codes(lost)
    assert ("persona_toml_lost", home.root) in found and ("persona_file_broken", VITALS) in found
    told = next(f for f in checking.check(lost, "zh").faults if f["code"] == "persona_toml_lost")
    assert "backup" in told["hint"] and "zone" in told["hint"]


def test_nothing_leads_to_another_persona_where_settings_are_lost(home: Home) -> None:
    Path(home.root, SETTINGS).unlink()
    with pytest.raises(Refused) as begun:
        somebody.begin(Path(home.root))
    with pytest.raises(Refused) as adopted:
        adopting.adopt(None, home.root)
    with pytest.raises(Missing) as named:
        find_home(home.root, cwd=home.root)
    with pytest.raises(Missing) as opened:
        Home(home.root).read_settings()
    for error in (begun, adopted, named, opened):
        assert error.value.code == "persona_toml_lost"


def test_a_folder_that_never_was_a_home_is_none(tmp_path: Path) -> None:
    with pytest.raises(Missing) as found:
        Home(tmp_path).read_settings()
    assert found.value.code == "no_persona"


# ---- a manifest that is gone ----------------------------------------------------------------------------


def test_a_lost_manifest_is_told_and_made_again_from_the_copies(home: Home) -> None:
    before = home.load(MANIFEST, Manifest)
    assert before is not None
    Path(home.root, MANIFEST).unlink()
    assert codes(home) == [("archive_unlisted", MANIFEST)]
    assert [fault.code for fault in archived.verify(home)] == ["archive_unlisted"]
    assert archiving.standing(home).files == 1
    assert MANIFEST in mending.mend(home).mended
    after = home.load(MANIFEST, Manifest)
    assert after is not None
    one, other = before.copies[0], after.copies[0]
    assert (one.source, one.file, one.size, one.crc, one.head) == (
        other.source, other.file, other.size, other.crc, other.head,
    )  # fmt: skip
    assert codes(home) == []


def test_a_run_without_a_manifest_makes_no_second_copy(home: Home) -> None:
    Path(home.root, MANIFEST).unlink()
    registering.act(home, "add", "0b9f-other", host="codex")
    done = archiving.run(home)
    assert done.copied == 0
    files = sorted(p.name for p in Path(home.root, "archive").rglob("*") if p.is_file())
    assert files == [f"{SESSION}.jsonl", "manifest.json"]


# ---- in the reader's language ---------------------------------------------------------------------------


@pytest.mark.parametrize("data", [
    b"{", b"nonsense", b"[]", b'{"mood": 3}', b'{"schema_version":1,"born_at":"2026-03-01T12:00:00.000Z"}',
    b'{"mood":{"value":7,"at":"2026-03-01T12:00:00.000Z","cause":"x","source":"self"},"born_at":""}',
    b"\xff\xfe{}",
])  # fmt: skip
def test_why_a_document_cannot_be_read_is_said_in_chinese(data: bytes) -> None:
    with pytest.raises(ClewError) as wrong:
        decoded(data, Vitals, VITALS)
    message = wrong.value.faults[0].message("zh")
    said = message.partition("：")[2]
    assert any("一" <= char <= "鿿" for char in said), message
    assert "JSON is" not in said and "Input" not in said and "Expected" not in said


def test_an_unknown_reason_is_told_as_it_is() -> None:
    assert why_unread(ValueError("odd")).zh == "odd"


def test_a_broken_line_is_explained_in_chinese(home: Home) -> None:
    with Path(home.root, EVENTS).open("ab") as file:
        file.write(b'{"n":\n')
    faults = checking.check(home, "zh").faults
    assert [f["code"] for f in faults] == ["persona_line_broken"]
    assert "内容不完整" in json.dumps(faults, ensure_ascii=False)
