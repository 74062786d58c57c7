"""The Python interface: the same words, what waits in memory, what is raised and what is not."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

import clew.sidecar
from clew.kernel.errors import Refused
from clew.kernel.files import Files
from clew.sidecar.api import Sidecar, SidecarWarning
from clew.testing.sidecar import PROFILE, event, on_disk, store

NAME = "smoking-persona"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state.json"


@pytest.fixture
def skill(file: Path) -> Sidecar:
    opened = clew.sidecar.open(NAME, file=file)
    opened.resume()
    return opened


def no_space(self: Files, path: str, *_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def test_it_reads_as_the_command_line_writes(file: Path) -> None:
    with clew.sidecar.open(NAME, file=file) as s:
        assert s.read()["active"] is False and s.status == "fresh"
        s.resume()
        s.event("borrow", amount=20)
        said = s.turn(chars=10, tools=1)
        assert set(said["guards"]) == {"beg", "break", "invite"}
        assert s.field("wallet_yuan") == 21
        assert s.field("current_pack.brand") == "炫赫门"
        assert "_clew" not in s.read()
        assert s.path == str(file)
    assert on_disk(file)["debt_yuan"] == 20
    with clew.sidecar.open(NAME, file=file) as again:
        assert (again.read()["debt_yuan"], again.status) == (20, "ok")


def test_a_refusal_is_raised_with_every_fault_in_both_languages(skill: Sidecar) -> None:
    with pytest.raises(Refused) as caught:
        skill.patch({"user_smokes": 3, "nothing": 1})
    assert len(caught.value.faults) == 2
    zh, en = (caught.value.to_dict(lang) for lang in ("zh", "en"))
    assert zh["message"] != en["message"]
    assert {fault["path"] for fault in en["faults"]} == {"user_smokes", "nothing"}
    with pytest.raises(Refused):
        skill.set("wallet_yuan", 1_000)
    with pytest.raises(Refused):
        skill.event("no such event")
    with pytest.raises(KeyError):
        skill.field("nothing.there")
    with pytest.raises(Refused, match="nobody"):
        clew.sidecar.open("nobody")


def test_writes_that_fail_are_kept_in_memory_and_saved_by_the_next_call(
    skill: Sidecar, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", no_space)
        skill.turn()
        skill.turn()
        assert skill.unsaved == 2
        assert {note["code"] for note in skill.notes} == {"sidecar_in_memory"}
        assert skill.read()["wallet_yuan"] == 2
        assert skill.field("wallet_yuan") == 2
        with pytest.raises(Refused):
            skill.event("repay", amount=5)
        assert skill.unsaved == 2
    assert on_disk(file)["wallet_yuan"] == 0
    assert list(file.parent.glob("*.pending")) == []
    skill.turn()
    assert skill.unsaved == 0
    assert on_disk(file)["wallet_yuan"] == 3


def test_closing_saves_what_is_in_memory_or_queues_it(
    skill: Sidecar, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", no_space)
        skill.turn()
        skill.close()
    assert file.with_name("state.json.pending").exists()
    with clew.sidecar.open(NAME, file=file) as s:
        assert s.read()["wallet_yuan"] == 1
        s.turn()
    assert on_disk(file)["wallet_yuan"] == 2
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", no_space)
        s.turn()
    s.close()
    assert on_disk(file)["wallet_yuan"] == 3
    s.close()
    assert on_disk(file)["wallet_yuan"] == 3


def test_what_is_lost_at_the_end_is_warned_of(
    skill: Sidecar, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("create", "write_at", "make_dir"):
        monkeypatch.setattr(Files, name, no_space)
    skill.turn()
    with pytest.warns(SidecarWarning, match="1 changes .* lost"):
        skill.close()


def test_two_open_at_once_see_each_others_changes(skill: Sidecar, file: Path) -> None:
    with clew.sidecar.open(NAME, file=file) as other:
        other.turn()
        skill.turn()
        assert other.field("wallet_yuan") == skill.field("wallet_yuan") == 2


def test_an_opt_out_elsewhere_holds_for_events_in_memory(
    skill: Sidecar, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", no_space)
        skill.event("borrow", amount=20)
    with clew.sidecar.open(NAME, file=file) as other:
        other.pause()
    skill.turn()
    assert on_disk(file)["debt_yuan"] == 0
    assert "sidecar_late_refused" in {note["code"] for note in skill.notes}


def test_events_in_memory_do_not_begin_a_session_that_was_deleted(
    skill: Sidecar, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Files, "create", no_space)
        skill.pause()
        skill.resume()
    file.unlink()
    skill.turn()
    assert skill.read()["active"] is False
    assert not file.exists()


def test_a_compiled_profile_a_toml_file_and_scopes(tmp_path: Path) -> None:
    environ = {"CLEW_STATE_DIR": str(tmp_path), "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    with Sidecar(PROFILE, environ=environ) as s:
        s.resume()
        s.event("tick")
        assert s.path == f"{tmp_path}/tally.json"
    with Sidecar(PROFILE, scope="session", session="x", environ=environ) as s:
        assert s.read()["count"] == 0
    toml = clew.sidecar.__path__[0] + f"/profiles/{NAME}.toml"
    with Sidecar(toml, environ=environ) as s:
        assert s.path.endswith(f"{NAME}.json")
    with pytest.raises(ValueError, match="scope"):
        Sidecar(PROFILE, scope="moon", environ=environ)


def test_a_whole_state_and_a_reset(file: Path) -> None:
    with Sidecar(PROFILE, file=file) as s:
        s.resume()
        s.write({**s.read(), "name": "whole"})
        assert on_disk(file)["name"] == "whole"
        assert Path(s.reset()).exists()
        assert s.read()["name"] == ""


def test_public_leaves_private_fields_out(file: Path) -> None:
    with Sidecar(PROFILE, file=file) as s:
        assert "secret" in s.read() and "secret" not in s.public()


def test_a_field_that_is_damaged_is_told_in_notes(file: Path) -> None:
    event(store(file), "opt_in")
    file.write_bytes(b"torn")
    with Sidecar(PROFILE, file=file) as s:
        assert s.read()["active"] is True
        assert s.status == "recovered"
        assert s.notes[0]["code"] == "sidecar_broken" and s.notes[0]["zh"]
