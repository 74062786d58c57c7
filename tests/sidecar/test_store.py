"""The store on real files: what each damage ends as, what is kept, what is told."""

from __future__ import annotations

import errno
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.kernel.files import Files
from clew.sidecar import engine
from clew.sidecar.statefile import LIMIT, BrokenState, decode, encode
from clew.sidecar.store import Store
from clew.testing.sidecar import NOW, PROFILE, event, names, on, on_disk, store, ticks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tally.json"


def codes(notes: list[dict[str, Any]]) -> set[str]:
    return {note["code"] for note in notes}


# ---- the ordinary way ----------------------------------------------------------------------------


def test_a_missing_file_is_a_new_session_and_reading_makes_nothing(path: Path) -> None:
    loaded = store(path).read()
    assert (loaded.status, loaded.notes) == ("fresh", [])
    assert loaded.state["active"] is False and loaded.state["count"] == 0
    assert not path.parent.exists()


def test_an_event_that_is_refused_or_changes_nothing_leaves_no_file(path: Path) -> None:
    refused = event(store(path), "tick")
    assert [p["code"] for p in refused.refused] == ["not_active"]
    turn = store(path).change(store(path).entry("turn"))
    assert turn.saved and not turn.refused
    assert not path.exists()


def test_events_are_written_for_this_user_alone(path: Path) -> None:
    ticks(on(path), 3)
    assert on_disk(path)["count"] == 3
    assert names(path.parent) == ["tally.json", "tally.json.bak"]
    for found in (path, path.with_name("tally.json.bak")):
        assert found.stat().st_mode & 0o777 == 0o600
        assert json.loads(found.read_text("utf-8"))["count"] == 3
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(mode=0o755)
    on(folder / "tally.json")
    assert folder.stat().st_mode & 0o777 == 0o755


def test_the_file_is_what_other_programs_expect(path: Path) -> None:
    """UTF-8 as it is, two spaces of indent: the seed's own reader and people read it."""
    at = on(path)
    at.change(at.entry("set", path="name", value="玉溪"))
    text = path.read_text("utf-8")
    assert '\n  "name": "玉溪",\n' in text
    assert text.endswith("}\n")


def test_fields_that_are_not_known_are_kept(path: Path) -> None:
    at = on(path)
    state = on_disk(path)
    state["from_the_future"] = {"a": [1, None]}
    state["_clew"]["schema_version"] = 9
    path.write_text(json.dumps(state), "utf-8")
    done = event(at, "tick")
    assert "newer_version" in codes(done.notes)
    assert on_disk(path)["from_the_future"] == {"a": [1, None]}
    assert on_disk(path)["_clew"]["schema_version"] == 9
    assert on_disk(path)["count"] == 1


def test_a_renamed_field_is_written_back_under_its_new_name(path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"active": True, "count": 7, "title": "old name"}), "utf-8")
    assert store(path).read().state["name"] == "old name"
    assert "title" in on_disk(path), "reading writes nothing"
    event(store(path), "tick")
    assert on_disk(path)["name"] == "old name" and "title" not in on_disk(path)
    assert on_disk(path)["_clew"]["turns"] == 7, "turns go on from what the profile says"
    again = event(store(path), "tick")
    assert again.notes == []


def test_begin_writes_a_new_session_and_migrates_an_old_one(path: Path) -> None:
    store(path).begin()
    assert on_disk(path)["active"] is False
    path.write_text(json.dumps({"active": True, "title": "x"}), "utf-8")
    store(path).begin()
    assert on_disk(path)["name"] == "x"
    before = path.stat().st_mtime_ns
    store(path).begin()
    assert path.stat().st_mtime_ns == before, "nothing to do is nothing written"


def test_an_id_is_applied_once(path: Path) -> None:
    at = on(path)
    for _ in range(3):
        event(at, "tick", "the same")
    assert on_disk(path)["count"] == 1
    entry = at.entry("set", "once", path="name", value="first")
    at.change(entry)
    at.change(at.entry("set", path="name", value="second"))
    at.change(entry)
    assert on_disk(path)["name"] == "second"


# ---- what is broken ------------------------------------------------------------------------------

BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda good: b"",
    "blank": lambda good: b" \n\t\n",
    "cut": lambda good: good[: len(good) // 2],
    "cut before the last brace": lambda good: good.rstrip()[:-1],
    "all NUL": lambda good: bytes(len(good)),
    "NUL from the middle": lambda good: good[:50] + bytes(len(good) - 50),
    "an empty object": lambda good: b"{}",
    "a list": lambda good: b"[" + good + b"]",
    "a text": lambda good: json.dumps(good.decode()).encode(),
    "null": lambda good: b"null",
    "no UTF-8": lambda good: good.replace(b'"name": ""', b'"name": "\xff\xfe"'),
    "garbage behind": lambda good: good + b'"count": 3}',
    "twice": lambda good: good + good,
    "a huge one": lambda good: good.rstrip()[:-1] + b', "x": "' + b"y" * LIMIT + b'"}',
    "a huge number": lambda good: good.replace(b'"count": 2', b'"count": ' + b"9" * 5000),
    "NaN": lambda good: good.replace(b'"count": 2', b'"count": NaN'),
    "infinity": lambda good: good.replace(b'"count": 2', b'"count": 1e999'),
    "nested without end": lambda good: b'{"active":' + b"[" * 100_000,
    "nested too deep": lambda good: b'{"active":' + b"[" * 200 + b"]" * 200 + b"}",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_kept_and_the_good_copy_is_used(kind: str, path: Path) -> None:
    ticks(on(path), 2)
    junk = BROKEN[kind](path.read_bytes())
    path.write_bytes(junk)
    loaded = store(path).read()
    assert loaded.status == "recovered"
    assert loaded.state["count"] == 2
    assert {"sidecar_broken", "sidecar_recovered"} <= codes(loaded.notes)
    [kept] = path.parent.glob("tally.json.broken-*")
    assert kept.name == "tally.json.broken-20260508T101234Z"
    assert kept.read_bytes() == junk
    assert store(path).read().status == "ok"


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_without_a_copy_is_off_unless_all_of_it_can_be_read(
    kind: str, path: Path
) -> None:
    ticks(on(path), 2)
    junk = BROKEN[kind](path.read_bytes())
    path.write_bytes(junk)
    path.with_name("tally.json.bak").unlink()
    loaded = store(path).read()
    whole = kind == "no UTF-8"  # one text is damaged, and all the rest can be read
    assert loaded.state["active"] is whole
    assert loaded.status in ("fresh", "recovered")
    assert loaded.status == "fresh" or loaded.state["count"] == 2, "recovered is what was there"
    assert [p.read_bytes() for p in path.parent.glob("tally.json.broken-*")] == [junk]


def test_nuls_behind_a_whole_object_hide_nothing(path: Path) -> None:
    """What a file system leaves when it had made room for more: the state is all there."""
    ticks(on(path), 2)
    path.write_bytes(path.read_bytes() + bytes(500))
    path.with_name("tally.json.bak").unlink()
    loaded = store(path).read()
    assert loaded.status == "recovered" and "sidecar_salvaged" in codes(loaded.notes)
    assert (loaded.state["active"], loaded.state["count"]) == (True, 2)


def test_each_broken_file_is_kept_under_a_name_of_its_own(path: Path) -> None:
    ticks(on(path), 1)
    for number in range(3):
        path.write_bytes(b"broken %d" % number)
        assert store(path).read().status == "recovered"
    found = {p.read_bytes() for p in path.parent.glob("tally.json.broken-*")}
    assert found == {b"broken 0", b"broken 1", b"broken 2"}


def test_values_of_the_wrong_type_become_defaults_and_the_file_is_kept_once(path: Path) -> None:
    at = on(path)
    state = {**on_disk(path), "count": "many", "marks": {"a": 1}, "name": 3}
    path.write_text(json.dumps(state), "utf-8")
    before = path.read_bytes()
    loaded = store(path).read()
    assert loaded.status == "ok" and "wrong_type" in codes(loaded.notes)
    assert (loaded.state["count"], loaded.state["marks"]) == (0, [])
    done = event(at, "tick")
    assert "sidecar_values_kept" in codes(done.notes)
    assert [p.read_bytes() for p in path.parent.glob("tally.json.broken-*")] == [before]
    assert event(at, "tick").notes == []
    assert len(list(path.parent.glob("tally.json.broken-*"))) == 1


@pytest.mark.parametrize("value", ["true", 1, "yes", [True], None, {"true": True}])
def test_only_true_is_on(value: object, path: Path) -> None:
    on(path)
    path.write_text(json.dumps({**on_disk(path), "active": value}), "utf-8")
    assert store(path).read().state["active"] is False


def test_a_key_that_is_there_twice_never_overrules_a_refusal(path: Path) -> None:
    on(path)
    text = path.read_text("utf-8").replace('"active": true', '"active": false, "active": true')
    path.write_text(text, "utf-8")
    assert store(path).read().state["active"] is False


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_how_an_editor_encodes_it_is_no_damage(encoding: str, path: Path) -> None:
    ticks(on(path), 2)
    path.write_bytes(path.read_text("utf-8").encode(encoding))
    loaded = store(path).read()
    assert (loaded.status, loaded.state["count"]) == ("ok", 2)


def test_a_lone_surrogate_is_written_as_an_escape() -> None:
    state = {"active": True, "x": "\ud800"}
    assert decode(encode(state)) == state


@pytest.mark.parametrize("data", [b"\xff", b"{", b'{"a":1}}', b"[]", b"7"])
def test_decoding_says_what_is_wrong(data: bytes) -> None:
    with pytest.raises(BrokenState) as caught:
        decode(data)
    assert caught.value.reason in {"not_utf8", "not_json", "not_an_object"}


# ---- what cannot be read -------------------------------------------------------------------------


class Refusing(Files):
    """Reads of the state fail, as with permissions that a test as root cannot set."""

    def __init__(self, number: int = errno.EACCES) -> None:
        self.number = number

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        if path.endswith("tally.json"):
            raise OSError(self.number, os.strerror(self.number), path)
        return super().read(path, offset, limit)


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_file_that_cannot_be_read_is_no_new_session(number: int, path: Path) -> None:
    ticks(on(path), 2)
    before = path.read_bytes()
    at = store(path, Refusing(number))
    loaded = at.read()
    assert loaded.status == "unreadable"
    assert loaded.state["active"] is False
    done = event(at, "tick")
    assert not done.saved and done.waits
    assert path.read_bytes() == before
    assert names(path.parent) == ["tally.json", "tally.json.bak", "tally.json.pending"]
    assert event(store(path), "tick").saved
    assert on_disk(path)["count"] == 4, "what waited is in force when it can be read again"


def test_a_folder_in_its_place_is_not_written_over(path: Path) -> None:
    path.mkdir(parents=True)
    assert store(path).read().status == "unreadable"
    done = event(store(path), "opt_in")
    assert not done.saved and path.is_dir()
    with pytest.raises(OSError, match="not_a_file"):
        store(path).begin()


def test_a_pipe_in_its_place_does_not_hang(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    assert store(path).read().status == "unreadable"


def test_some_other_json_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"dependencies": {}}', "utf-8")
    assert store(path).read().status == "unreadable"
    assert not event(store(path), "opt_in").saved
    assert path.read_text("utf-8") == '{"dependencies": {}}'


# ---- links ---------------------------------------------------------------------------------------


def test_a_state_behind_a_link_is_replaced_at_its_target(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles" / "tally.json"
    target.parent.mkdir()
    link = tmp_path / "state" / "tally.json"
    link.parent.mkdir()
    link.symlink_to(target)
    ticks(on(link), 2)
    assert link.is_symlink() and not target.is_symlink()
    assert on_disk(target)["count"] == 2
    assert names(target.parent) == ["tally.json", "tally.json.bak"]
    ticks(store(target), 1)
    assert store(link).read().state["count"] == 3


def test_a_link_to_a_file_that_is_no_state_is_left_alone(tmp_path: Path) -> None:
    target = tmp_path / ".bashrc"
    target.write_text("alias x=y\n", "utf-8")
    link = tmp_path / "tally.json"
    link.symlink_to(target)
    assert store(link).read().status == "unreadable"
    assert not event(store(link), "opt_in").saved
    assert target.read_text("utf-8") == "alias x=y\n"
    assert link.is_symlink()


def test_a_link_to_another_users_file_is_left_alone(path: Path) -> None:
    target = path.with_name("other.json")
    on(target)
    path.symlink_to(target)
    at = store(path, ours=lambda found: not found.endswith("other.json"))
    assert at.read().status == "unreadable"
    assert not event(at, "tick").saved


def test_a_link_out_of_the_project_is_left_alone(tmp_path: Path) -> None:
    outside = tmp_path / "outside" / "tally.json"
    on(outside)
    root = tmp_path / "project"
    (root / ".claude").mkdir(parents=True)
    (root / ".claude" / "state").symlink_to(outside.parent)
    at = store(root / ".claude" / "state" / "tally.json", inside=str(root))
    assert at.read().status == "unreadable"
    assert not event(at, "tick").saved
    assert on_disk(outside)["count"] == 0


# ---- opting out ----------------------------------------------------------------------------------


def test_a_deleted_file_is_a_new_session_and_off(path: Path) -> None:
    ticks(on(path), 2)
    old = path.read_bytes()
    path.unlink()
    loaded = store(path).read()
    assert (loaded.status, loaded.state["active"], loaded.state["count"]) == ("fresh", False, 0)
    on(path)
    assert on_disk(path)["count"] == 0
    assert [p.read_bytes() for p in path.parent.glob("tally.json.old-*")] == [old]


def test_an_opt_out_by_hand_with_a_mistake_stays_an_opt_out(path: Path) -> None:
    """The copy says yes; the broken file, as far as it is legible, says no."""
    at = on(path)
    for text in (
        '{"active": false, "count": 0,}',
        "{'active': False}",
        '{"active":false',
        "active = no",
        '{"active": fals',
        "{“active”：“false”}",
    ):
        path.write_text(text, "utf-8")
        loaded = at.read()
        assert loaded.state["active"] is False, text
        assert "sidecar_stays_off" in codes(loaded.notes)
        event(at, "opt_in")
        assert at.read().state["active"] is True


def test_damage_that_does_not_speak_of_the_switch_keeps_it_on(path: Path) -> None:
    ticks(on(path), 1)
    path.write_text('{"active": true, "count": 1, ', "utf-8")
    assert store(path).read().state["active"] is True


def test_an_opt_out_that_waits_is_in_force_for_every_reader(path: Path) -> None:
    on(path)
    done = event(store(path, Full(path.parent)), "opt_out")
    assert not done.saved and done.lost is False
    assert on_disk(path)["active"] is True
    assert store(path).read().state["active"] is False
    assert store(path).change(store(path).entry("turn")).state["active"] is False
    assert on_disk(path)["active"] is False


def test_reset_needs_a_new_opt_in_and_keeps_the_old_state(path: Path) -> None:
    ticks(on(path), 2)
    old = path.read_bytes()
    kept = store(path).reset()
    assert Path(kept).read_bytes() == old
    loaded = store(path).read()
    assert (loaded.status, loaded.state["active"]) == ("fresh", False)
    assert store(path).reset() == ""


# ---- writing a whole state -----------------------------------------------------------------------


def test_the_last_writer_of_a_whole_state_wins(path: Path) -> None:
    on(path)
    first, second = store(path).read().state, store(path).read().state
    assert store(path).write({**first, "name": "first"}).saved
    assert store(path).write({**second, "name": "second", "count": 4}).saved
    assert (on_disk(path)["name"], on_disk(path)["count"]) == ("second", 4)


def test_a_state_that_was_read_before_an_opt_out_does_not_undo_it(path: Path) -> None:
    at = on(path)
    stale = at.read().state
    event(at, "opt_out")
    done = at.write({**stale, "name": "written late"})
    assert "sidecar_off_kept" in codes(done.notes)
    assert (on_disk(path)["active"], on_disk(path)["name"]) == (False, "written late")
    informed = at.read().state
    at.write({**informed, "active": True})
    assert on_disk(path)["active"] is True


def test_a_whole_state_that_breaks_the_profile_is_refused(path: Path) -> None:
    at = on(path)
    done = at.write({**at.read().state, "count": "x", "name": 3})
    assert {p["path"] for p in done.refused} == {"count", "name"}
    assert on_disk(path)["count"] == 0


def test_a_number_that_json_cannot_hold_is_refused(path: Path) -> None:
    at = on(path)
    done = at.write({**at.read().state, "unknown": float("nan")})
    assert [p["code"] for p in done.refused] == ["sidecar_bad_input"]
    assert on_disk(path)["count"] == 0


def test_a_list_is_cut_when_it_is_written(path: Path) -> None:
    at = on(path)
    at.write({**at.read().state, "marks": list(range(9))})
    assert on_disk(path)["marks"] == [4, 5, 6, 7, 8]


# ---- writes that fail ----------------------------------------------------------------------------


class Full(Files):
    """Nothing can be written below a folder; what is there can be read, renamed and removed, and a
    line can still be put on the end of a file that has room (`tail`)."""

    def __init__(self, folder: Path | None, *, tail: bool = True) -> None:
        self.folder = str(folder) if folder is not None else ""
        self.tail = tail

    def _refuse(self, path: str) -> None:
        if self.folder and path.startswith(self.folder):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._refuse(path)
        super().create(path, data, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        if not (self.tail and path.endswith(".pending")):
            self._refuse(path)
        super().write_at(path, offset, data)


def test_events_on_a_full_disk_arrive_once_at_the_next_turn(path: Path) -> None:
    ticks(on(path), 1)
    full = store(path, Full(path.parent))
    for _ in range(3):
        done = event(full, "tick")
        assert not done.saved and done.waits == str(path) + ".pending"
        assert "sidecar_not_saved" in codes(done.notes)
    assert done.state["count"] == 4, "the answer is as if it were saved"
    assert on_disk(path)["count"] == 1
    assert path.with_name("tally.json.pending").stat().st_mode & 0o777 == 0o600
    assert store(path).read().state["count"] == 4
    done = event(store(path), "tick")
    assert codes(done.notes) == {"sidecar_late"}
    assert sum(n["found"] for n in done.notes) == 3
    assert on_disk(path)["count"] == 5
    assert names(path.parent) == ["tally.json", "tally.json.bak"]


def test_when_nothing_can_be_put_beside_the_state_the_sessions_folder_is_used(
    path: Path, tmp_path: Path
) -> None:
    room = tmp_path / "run"
    room.mkdir(mode=0o700)
    on(path)
    full = store(path, Full(path.parent, tail=False), rooms=[str(room)])
    for _ in range(2):
        done = event(full, "tick")
        assert not done.lost and done.waits.startswith(f"{room}/clew-sidecar/")
    assert store(path, rooms=[str(room)]).read().state["count"] == 2
    event(store(path, rooms=[str(room)]), "tick")
    assert on_disk(path)["count"] == 3
    assert [p.name for p in (room / "clew-sidecar").iterdir()] == []


def test_a_sessions_folder_that_others_can_write_is_not_used(path: Path, tmp_path: Path) -> None:
    room = tmp_path / "run"
    room.mkdir(mode=0o777)
    room.chmod(0o777)
    on(path)
    done = event(store(path, Full(path.parent, tail=False), rooms=[str(room)]), "tick")
    assert done.lost and list(room.iterdir()) == []


def test_waiting_changes_in_the_sessions_folder_belong_to_one_state(
    path: Path, tmp_path: Path
) -> None:
    room = tmp_path / "run"
    room.mkdir(mode=0o700)
    other = tmp_path / "other" / "tally.json"
    on(path)
    on(other)
    event(store(path, Full(path.parent, tail=False), rooms=[str(room)]), "tick")
    event(store(other, rooms=[str(room)]), "tick")
    assert on_disk(other)["count"] == 1
    event(store(path, rooms=[str(room)]), "tick")
    assert on_disk(path)["count"] == 2


def test_where_nothing_can_be_kept_the_answer_says_lost_and_which(path: Path) -> None:
    on(path)
    done = event(store(path, Full(path.parent, tail=False)), "tick")
    assert done.lost and not done.saved
    [told] = [n for n in done.notes if n["code"] == "sidecar_lost"]
    assert told["names"] == "tick" and "tick" in told["en"] and "磁盘已满" in told["zh"]


def test_an_id_that_waits_twice_is_applied_once(path: Path) -> None:
    on(path)
    for _ in range(3):
        event(store(path, Full(path.parent)), "tick", "the same")
    assert store(path).read().state["count"] == 1
    event(store(path), "tick")
    assert on_disk(path)["count"] == 2


def test_a_doubtful_yes_is_written_back_as_no(path: Path) -> None:
    """For readers that know nothing of copies."""
    at = on(path)
    event(at, "opt_out")
    state = {**on_disk(path), "active": True}
    del state["count"]
    path.write_text(json.dumps(state), "utf-8")
    done = at.change(at.entry("turn"))
    assert "sidecar_stays_off" in codes(done.notes)
    assert on_disk(path)["active"] is False
    assert at.change(at.entry("turn")).notes == []


def test_an_event_that_waited_is_judged_when_it_is_taken_in(path: Path) -> None:
    on(path)
    event(store(path, Full(path.parent)), "tick")
    state = on_disk(path)
    path.write_text(json.dumps({**state, "active": False}), "utf-8")
    done = store(path).change(store(path).entry("turn"))
    assert "sidecar_late_refused" in codes(done.notes)
    assert on_disk(path)["count"] == 0
    assert not path.with_name("tally.json.pending").exists()


def test_what_waited_for_a_deleted_state_does_not_begin_a_new_one(path: Path) -> None:
    """An opt-in that waited must not switch on a session that the user began anew."""
    at = on(path)
    event(at, "opt_out")
    event(store(path, Full(path.parent)), "opt_in")
    path.unlink()
    assert store(path).read().state["active"] is False
    done = store(path).change(store(path).entry("turn"))
    assert "sidecar_late_orphan" in codes(done.notes)
    assert store(path).read().state["active"] is False
    assert list(path.parent.glob("tally.json.pending.broken-*")), "and it is kept"


def test_the_first_opt_in_may_wait(path: Path) -> None:
    path.parent.mkdir()
    assert event(store(path, Full(path.parent)), "opt_in").waits
    assert store(path).read().state["active"] is True
    store(path).change(store(path).entry("turn"))
    assert on_disk(path)["active"] is True


@pytest.mark.parametrize(
    "line",
    [b"\n", b"{", b"[]\n", b'{"id": 1}\n', b"\0" * 30, b'{"id":"a","at":"x","rev":0,"op":"rm"}\n',
     b'{"id":"a","at":"x","rev":1,"file":"f","op":"event"}\n', b"[" * 100_000],
)  # fmt: skip
def test_lines_that_cannot_be_used_are_kept_and_keep_nobody_from_saving(
    line: bytes, path: Path
) -> None:
    on(path)
    event(store(path, Full(path.parent)), "tick")
    pending = path.with_name("tally.json.pending")
    pending.write_bytes(pending.read_bytes() + line)
    event(store(path, Full(path.parent)), "tick")
    done = event(store(path), "tick")
    assert done.saved
    assert on_disk(path)["count"] == 3
    assert not pending.exists()
    if line.strip():
        assert "sidecar_late_damaged" in codes(done.notes)
        assert len(list(path.parent.glob("tally.json.pending.broken-*"))) == 1


def test_a_waiting_file_that_cannot_be_read_keeps_nobody_from_saving(path: Path) -> None:
    on(path)
    path.with_name("tally.json.pending").mkdir()
    assert event(store(path), "tick").saved
    assert store(path).read().state["count"] == 1


def test_a_copy_that_cannot_be_written_is_told_and_the_state_is_saved(path: Path) -> None:
    at = on(path)
    bak = path.with_name("tally.json.bak")
    bak.unlink()
    bak.mkdir()
    done = event(at, "tick")
    assert done.saved and "sidecar_no_copy" in codes(done.notes)
    assert on_disk(path)["count"] == 1


# ---- more than one -------------------------------------------------------------------------------


def test_a_lock_that_is_held_puts_the_change_off(path: Path) -> None:
    at = on(path)
    with at.keeping.section(1):
        start = time.monotonic()
        done = event(store(path, timeout=0.2), "tick")
        assert time.monotonic() - start < 5
    assert not done.saved and done.waits
    assert {n["reason"] for n in done.notes if "reason" in n} == {"busy"}
    assert str(os.getpid()) in done.notes[-1]["en"], "it says who holds it"
    event(store(path), "tick")
    assert on_disk(path)["count"] == 2


def test_threads_of_one_process_do_not_lose_events(path: Path) -> None:
    on(path)
    work = [threading.Thread(target=ticks, args=(store(path), 25)) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert on_disk(path)["count"] == 100


def test_a_large_state_still_works(path: Path) -> None:
    at = on(path)
    state = on_disk(path)
    state["kept"] = {f"key {n}": "x" * 100 for n in range(9_000)}
    path.write_text(json.dumps(state), "utf-8")
    assert path.stat().st_size > 1_000_000
    assert event(at, "tick").saved
    assert on_disk(path)["count"] == 1 and len(on_disk(path)["kept"]) == 9_000


def test_whatever_is_read_is_what_the_engine_calls_lawful(path: Path) -> None:
    ticks(on(path), 3)
    assert engine.problems(PROFILE, store(path).read().state) == []
    assert engine.problems(PROFILE, Store(str(path), PROFILE).read().state) == []
    assert on_disk(path)["last_updated_at"] == NOW
