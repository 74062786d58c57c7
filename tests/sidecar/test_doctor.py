"""The doctor: one check for each row of the table of troubles, and for what lies around a state."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from clew.kernel.files import Files
from clew.sidecar import doctor
from clew.sidecar.doctor import Check, examine, told
from clew.sidecar.store import Store
from clew.testing.sidecar import PROFILE, event, on, on_disk, store, ticks

CHECKS = ["session", "outside", "lawful", "writing", "waiting", "active", "lock", "modes", "version",
          "kept"]  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tally.json"


def found(at: Store, name: str, files: Files | None = None) -> Check:
    checks = {check.check: check for check in examine(at, files)}
    assert list(checks) == CHECKS
    assert all(check.zh and check.en for check in checks.values())
    assert all(
        check.mend_zh and check.mend_en for check in checks.values() if check.verdict == "bad"
    )
    return checks[name]


def test_a_sound_state_passes_every_check(path: Path) -> None:
    ticks(on(path), 2)
    before = {p.name: p.read_bytes() for p in path.parent.iterdir()}
    assert {check.verdict for check in examine(store(path))} == {"ok"}
    assert {p.name: p.read_bytes() for p in path.parent.iterdir()} == before, "it only looks"


# ---- row 1: a new session begins although there was an old one -----------------------------------


def test_row_1_the_file_does_not_exist(path: Path) -> None:
    assert found(store(path), "session").verdict == "note"
    ticks(on(path), 2)
    path.unlink()
    check = found(store(path), "session")
    assert "tally.json.bak" in check.en and str(path) in check.mend_en


def test_row_1_the_json_is_broken(path: Path) -> None:
    ticks(on(path), 2)
    path.write_bytes(b'{"active": true')
    check = found(store(path), "session")
    assert check.verdict == "bad" and "not whole JSON" in check.en and "a good copy" in check.en
    assert path.read_bytes() == b'{"active": true', "the doctor mends nothing"


def test_row_1_reading_fails(path: Path) -> None:
    path.mkdir(parents=True)
    check = found(store(path), "session")
    assert check.verdict == "bad" and "cannot be read" in check.en


# ---- row 2: a field was changed though nobody meant it -------------------------------------------


def test_row_2_a_field_that_another_program_changed(path: Path) -> None:
    ticks(on(path), 2)
    state = on_disk(path)
    path.write_text(json.dumps({**state, "name": "somebody else", "secret": "hush"}), "utf-8")
    check = found(store(path), "outside")
    assert check.verdict == "note"
    assert "name: '' → 'somebody else'" in check.en
    assert "hush" not in check.en + check.zh and "secret: '<string>'" in check.en


def test_row_2_a_save_that_was_interrupted_is_no_edit_by_others(path: Path) -> None:
    ticks(on(path), 2)
    before = path.with_name("tally.json.bak").read_bytes()
    ticks(store(path), 1)
    path.with_name("tally.json.bak").write_bytes(before)
    check = found(store(path), "outside")
    assert check.verdict == "ok" and "interrupted" in check.en


def test_row_2_a_value_that_the_profile_does_not_allow(path: Path) -> None:
    on(path)
    path.write_text(json.dumps({**on_disk(path), "count": "many"}), "utf-8")
    check = found(store(path), "lawful")
    assert check.verdict == "bad" and "count" in check.en


# ---- row 3: numbers do not rise ------------------------------------------------------------------


class Refusing(Files):
    def __init__(self, number: int) -> None:
        self.number = number

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        raise OSError(self.number, os.strerror(self.number), path)


@pytest.mark.parametrize(
    ("number", "word"),
    [(errno.ENOSPC, "full"), (errno.EACCES, "permission"), (errno.EROFS, "read-only"),
     (errno.EIO, "failed")],
)  # fmt: skip
def test_row_3_writing_fails_and_why(number: int, word: str, path: Path) -> None:
    on(path)
    check = found(store(path), "writing", Refusing(number))
    assert check.verdict == "bad" and word in check.en
    assert check.mend_en


def test_row_3_little_space_is_left(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on(path)
    monkeypatch.setattr(doctor, "_free_bytes", lambda folder: 20_480)
    assert "20 KB" in found(store(path), "writing").en


def test_row_3_changes_that_wait_are_counted(path: Path) -> None:
    at = on(path)
    entry = {**at.entry("event", name="tick", args={}), "rev": 1}
    at.keep([entry, {**entry, "id": "b"}])
    check = found(store(path), "waiting")
    assert check.verdict == "note" and ": 2," in check.en and entry["at"] in check.en


def test_row_3_the_folder_is_not_there_yet(path: Path) -> None:
    assert found(store(path), "writing").verdict == "ok"
    assert not path.parent.exists()


# ---- row 4: it goes on though the user opted out -------------------------------------------------


def test_row_4_what_the_switch_says(path: Path) -> None:
    at = on(path)
    check = found(at, "active")
    assert "active is true" in check.en and check.mend_en == "clew sidecar pause"
    event(at, "opt_out")
    assert "active is false" in found(at, "active").en
    path.write_bytes(b"")
    assert "active is false" in found(at, "active").en
    path.unlink()
    assert "active is false" in found(at, "active").en


# ---- the surroundings ----------------------------------------------------------------------------


def test_who_holds_the_lock(path: Path) -> None:
    at = on(path)
    with at.keeping.section(1):
        check = found(store(path), "lock")
    assert check.verdict == "bad" and f"pid={os.getpid()}" in check.en


def test_a_lock_that_is_no_file(path: Path) -> None:
    on(path)
    lock = path.with_name("tally.json.lock")
    lock.unlink()
    lock.mkdir()
    check = found(store(path), "lock")
    assert check.verdict == "bad" and str(lock) in check.mend_en


def test_a_state_that_others_can_read(path: Path) -> None:
    on(path)
    path.chmod(0o644)
    assert found(store(path), "modes").verdict == "note"


def test_a_state_of_another_version(path: Path) -> None:
    at = on(path)
    state = on_disk(path)
    state["_clew"]["schema_version"] = 99
    path.write_text(json.dumps(state), "utf-8")
    assert "newer" in found(at, "version").en
    del state["_clew"]
    path.write_text(json.dumps(state), "utf-8")
    assert found(at, "version").verdict == "note"


def test_what_was_set_aside_is_named(path: Path) -> None:
    ticks(on(path), 1)
    path.write_bytes(b"junk")
    store(path).read()
    check = found(store(path), "kept")
    assert check.verdict == "note" and "tally.json.broken-" in check.en


def test_both_languages_say_the_same_checks(path: Path) -> None:
    path.mkdir(parents=True)
    checks = examine(Store(str(path), PROFILE))
    zh, en = told(checks, "zh"), told(checks, "en")
    assert [(c["check"], c["verdict"]) for c in zh] == [(c["check"], c["verdict"]) for c in en]
    assert all(one["message"] != other["message"] for one, other in zip(zh, en, strict=True))


# ---- what the doctor must not do -----------------------------------------------------------------


def test_D1_nothing_private_inside_an_object_or_a_list_is_told(path: Path) -> None:
    profile = json.loads(json.dumps(PROFILE))
    hidden = {"type": "text", "default": "", "private": True}
    shape = {"type": "object", "fields": {"shown": {"type": "text", "default": ""}, "kept": hidden}}
    profile["fields"] |= {
        "box": shape,
        "log": {"type": "list", "items": shape},
        "people": {"type": "map", "items": shape},
    }
    at = Store(str(path), profile)
    at.change(at.switch(on=True))
    inside = {"shown": "a", "kept": "HUSH"}
    whole = {**on_disk(path), "box": inside, "log": [inside], "people": {"bob": inside}}
    path.write_text(json.dumps(whole), "utf-8")
    check = found(Store(str(path), profile), "outside")
    assert "box" in check.en and "HUSH" not in check.en + check.zh
    for broken in ({"box": "HUSH"}, {"log": ["HUSH"]}, {"people": {"bob": ["HUSH"]}},
                   {"log": {"a": "HUSH"}}, {"secret": ["HUSH"]}):  # fmt: skip
        path.write_text(json.dumps({**whole, **broken}), "utf-8")
        again = Store(str(path), profile)
        words = json.dumps([told(examine(again), lang) for lang in ("zh", "en")])
        assert "HUSH" not in words + json.dumps(again.read_only().notes)
        done = again.change(again.entry("turn"))
        assert "HUSH" not in json.dumps([done.notes, done.said["changed"]])


@pytest.mark.parametrize("kind", ["a link in a circle", "a file for a folder", "a device"])
def test_E4_the_doctor_answers_whatever_lies_there(kind: str, path: Path) -> None:
    if kind == "a file for a folder":
        path.parent.write_text("", "utf-8")
    else:
        path.parent.mkdir()
        path.symlink_to(path if kind == "a link in a circle" else "/dev/null")
    check = found(store(path), "writing" if kind == "a device" else "session")
    assert check.verdict == ("note" if kind == "a file for a folder" else "bad")
