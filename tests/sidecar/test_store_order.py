"""One order for all that waits, wherever it waits; no opt-in that waited undoes a later opt-out; an
opt-out that nothing refuses and no later damage undoes."""

from __future__ import annotations

import copy
import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from clew.kernel.files import Files
from clew.sidecar.store import Store
from clew.testing.sidecar import NOW, PROFILE, event, names, on, on_disk, store, ticks


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "tally.json"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    made = tmp_path / "run"
    made.mkdir(mode=0o700)
    return made


def codes(notes: list[dict[str, Any]]) -> set[str]:
    return {note["code"] for note in notes}


class Full(Files):
    """Nothing can be written below a folder, but (`tail`) for a line of a change that waits."""

    def __init__(self, folder: Path, *, tail: bool = False) -> None:
        self.folder = str(folder)
        self.tail = tail

    def _refuse(self, path: str) -> None:
        if path.startswith(self.folder) and not (self.tail and path.endswith(".pending")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._refuse(path)
        super().create(path, data, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        self._refuse(path)
        super().write_at(path, offset, data)


class Clinging(Files):
    """Files of a folder can be read, and neither renamed nor removed."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def remove(self, path: str) -> None:
        if path.startswith(self.folder) and ".taken" in path:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        super().remove(path)


def switch(at: Store, *, on: bool) -> Any:
    return at.change(at.switch(on=on))


# ---- by hand, then damage ------------------------------------------------------------------------


@pytest.mark.parametrize("seen_by", ["turn", "read"])
@pytest.mark.parametrize("junk", [b"", b"\0" * 40, b"garbage", b"[1]"])
def test_A1_an_opt_out_by_hand_outlives_later_damage(seen_by: str, junk: bytes, path: Path) -> None:
    ticks(on(path), 2)
    path.write_text(json.dumps({**on_disk(path), "active": False}), "utf-8")
    if seen_by == "turn":
        store(path).change(store(path).entry("turn"))
    else:
        assert store(path).read().state["active"] is False
    path.write_bytes(junk)
    loaded = store(path).read()
    assert loaded.state["active"] is False and loaded.state["count"] == 2


def test_A1_what_else_was_changed_by_hand_is_still_to_be_seen_in_the_copy(path: Path) -> None:
    on(path)
    path.write_text(json.dumps({**on_disk(path), "active": False, "name": "by hand"}), "utf-8")
    store(path).read()
    saved = on_disk(path.with_name("tally.json.bak"))
    assert saved["active"] is False and saved["name"] == ""


# ---- one order -----------------------------------------------------------------------------------


def test_A2_a_pause_beside_the_state_is_not_undone_by_an_earlier_resume_in_a_room(
    path: Path, room: Path
) -> None:
    event(on(path), "opt_out")
    rooms = [str(room)]
    assert str(room) in switch(store(path, Full(path.parent), rooms=rooms), on=True).waits
    waits = switch(store(path, Full(path.parent, tail=True), rooms=rooms), on=False).waits
    assert waits == f"{path}.pending"
    assert store(path, rooms=rooms).read().state["active"] is False
    event(store(path, rooms=rooms), "tick")
    assert on_disk(path)["active"] is False


def test_A2_the_last_of_several_switches_counts_when_all_of_them_waited(
    path: Path, room: Path
) -> None:
    on(path)
    rooms = [str(room)]
    switch(store(path, Full(path.parent, tail=True), rooms=rooms), on=False)
    switch(store(path, Full(path.parent), rooms=rooms), on=True)
    assert store(path, rooms=rooms).read().state["active"] is True
    event(store(path, rooms=rooms), "tick")
    assert on_disk(path)["active"] is True and on_disk(path)["count"] == 1


def test_A2_a_resume_that_waited_unseen_does_not_undo_a_pause_that_was_saved(
    path: Path, room: Path
) -> None:
    event(on(path), "opt_out")
    switch(store(path, Full(path.parent), rooms=[str(room)]), on=True)
    assert switch(store(path), on=False).saved, "another environment does not see the room"
    at = store(path, rooms=[str(room)])
    assert at.read().state["active"] is False
    done = event(at, "tick")
    assert "sidecar_late_refused" in codes(done.notes)
    assert on_disk(path)["active"] is False
    assert at.read().state["active"] is False


def test_A2_a_resume_that_waited_does_not_undo_a_pause_by_hand(path: Path, room: Path) -> None:
    on(path)
    rooms = [str(room)]
    switch(store(path, Full(path.parent), rooms=rooms), on=True)
    path.write_text(json.dumps({**on_disk(path), "active": False}), "utf-8")
    assert store(path, rooms=rooms).read().state["active"] is False
    event(store(path, rooms=rooms), "tick")
    assert on_disk(path)["active"] is False


def test_A2_a_resume_kept_in_memory_does_not_undo_a_later_pause(path: Path) -> None:
    event(on(path), "opt_out")
    held = store(path, Full(path.parent), queue=False)
    [entry] = switch(held, on=True).unsaved
    switch(store(path), on=False)
    done = store(path, queue=False).change(entry)
    assert done.refused and on_disk(path)["active"] is False


def test_A2_a_resume_that_waited_still_counts_where_nobody_opted_out_since(path: Path) -> None:
    event(on(path), "opt_out")
    switch(store(path, Full(path.parent, tail=True)), on=True)
    event(store(path), "tick")
    assert on_disk(path)["active"] is True


def test_C2_what_waits_in_two_places_is_applied_in_the_order_in_which_it_was_sent(
    path: Path, room: Path
) -> None:
    on(path)
    rooms = [str(room)]
    first = store(path, Full(path.parent), rooms=rooms)
    first.change(first.entry("set", path="name", value="first"))
    second = store(path, Full(path.parent, tail=True), rooms=rooms)
    second.change(second.entry("set", path="name", value="second"))
    assert store(path, rooms=rooms).read().state["name"] == "second"
    event(store(path, rooms=rooms), "tick")
    assert on_disk(path)["name"] == "second"


def test_a_clock_that_is_set_back_does_not_turn_the_lines_of_one_place_around(path: Path) -> None:
    on(path)
    for moment, value in ((900, "first"), (100, "second")):
        at = store(path, Full(path.parent, tail=True), tick=lambda moment=moment: moment)
        at.change(at.entry("set", path="name", value=value))
    event(store(path), "tick")
    assert on_disk(path)["name"] == "second"


# ---- opting out cannot be refused ----------------------------------------------------------------

OBSTACLES: dict[str, dict[str, Any]] = {
    "a change that overflows": {"change": [{"add": "done_times", "by": 1}]},
    "a requirement": {"require": [{"that": {"field": "count", "ge": 99},
                                   "say": {"zh": "不许走", "en": "you cannot leave"}}]},
    "a guard": {"uses": "rest"},
    "an argument": {"args": {"why": {"type": "text"}}},
    "an event that leaves it on": {"change": [{"set": "active", "to": True}]},
}  # fmt: skip


@pytest.mark.parametrize("kind", OBSTACLES)
def test_A3_a_profile_cannot_refuse_an_opt_out(kind: str, path: Path) -> None:
    profile = copy.deepcopy(PROFILE)
    profile["fields"]["done_times"] = {"type": "int", "min": 0, "max": 1, "default": 0}
    profile["events"]["opt_out"].update(OBSTACLES[kind])
    at = Store(str(path), profile, now=lambda: NOW)
    for _ in range(4):
        switch(at, on=True)
        event(at, "reply")
        done = switch(at, on=False)
        assert done.saved and not done.refused
        assert on_disk(path)["active"] is False


# ---- what a mending left behind ------------------------------------------------------------------


@pytest.mark.parametrize("by", ["save", "read"])
def test_A4_a_mending_that_was_left_undone_does_not_come_back(by: str, path: Path) -> None:
    at = on(path)
    path.with_name("tally.json.restoring").write_bytes(path.read_bytes())
    if by == "save":
        switch(at, on=False)
    else:
        at.read()
    path.unlink()
    loaded = store(path).read()
    assert (loaded.status, loaded.state["active"]) == ("fresh", False)


# ---- lines that cannot be removed ----------------------------------------------------------------


@pytest.mark.parametrize("count", [3, 90])
def test_C1_lines_that_cannot_be_removed_are_applied_once_and_block_nothing(
    count: int, path: Path, room: Path
) -> None:
    on(path)
    rooms = [str(room)]
    for _ in range(count):
        event(store(path, Full(path.parent), rooms=rooms), "tick")
    clinging = store(path, Clinging(room), rooms=rooms)
    done = event(clinging, "tick")
    assert done.saved and "sidecar_late_stuck" in codes(done.notes)
    for _ in range(70):
        done = event(clinging, "tick")
        assert done.saved and done.notes == []
    for _ in range(70):
        event(store(path), "tick")  # another environment, which does not see the room
    assert on_disk(path)["count"] == count + 141
    assert store(path, rooms=rooms).read().state["count"] == count + 141
    event(store(path, rooms=rooms), "tick")
    assert on_disk(path)["count"] == count + 142
    event(store(path, rooms=rooms), "tick")
    assert list((room / "clew-sidecar").iterdir()) == []
    assert "stuck" not in on_disk(path)["_clew"]


# ---- links and other people's files --------------------------------------------------------------


@pytest.mark.parametrize("beside", [".bak", ".restoring", ".pending", ".pending.taken"])
def test_D2_what_lies_beside_a_state_is_not_read_through_a_link(
    beside: str, path: Path, tmp_path: Path
) -> None:
    private = tmp_path / "private" / "tally.json"
    at = on(private)
    at.change(at.entry("set", path="name", value="mine"))
    if "pending" in beside:
        event(store(private, Full(private.parent, tail=True)), "tick")
    path.parent.mkdir()
    if beside == ".bak":
        path.write_text("{", "utf-8")
    target = private.with_name("tally.json.pending") if "pending" in beside else private
    path.with_name(f"tally.json{beside}").symlink_to(target)
    loaded = store(path).read()
    assert loaded.state["name"] == "" and loaded.state["active"] is False
    store(path).change(store(path).entry("turn"))
    assert store(path).read().state["active"] is False


def test_D2_nothing_is_made_where_a_project_links_outside(tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    outside.mkdir()
    (project / ".claude").symlink_to(outside)
    path = project / ".claude" / "state" / "tally.json"
    at = store(path, inside=str(project))
    done = event(at, "opt_in")
    assert done.lost and list(outside.iterdir()) == []


def test_D2_no_lock_is_made_beside_a_device(tmp_path: Path) -> None:
    link = tmp_path / "tally.json"
    link.symlink_to("/dev/null")
    before = sorted(Path("/dev").iterdir())
    done = event(store(link), "opt_in")
    assert done.lost and sorted(Path("/dev").iterdir()) == before


FOREIGN: dict[str, dict[str, Any]] = {
    "one name": {"name": "pkg", "version": "1.0.0", "count": "x"},
    "the switch and much else": {"active": True, "a": 1, "b": 2, "c": 3},
    "no switch": {"count": 1, "name": "x"},
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_D2_another_programs_file_is_no_state(kind: str, path: Path) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps(FOREIGN[kind]), "utf-8")
    assert store(path).read().status == "unreadable"
    event(store(path), "opt_in")
    assert on_disk(path) == FOREIGN[kind]


# ---- copies and temporary files ------------------------------------------------------------------


def test_E3_a_program_that_damages_the_state_at_every_turn_does_not_fill_the_disk(
    path: Path,
) -> None:
    at = on(path)
    for _ in range(50):
        path.write_text(json.dumps({**on_disk(path), "count": "many"}), "utf-8")
        assert event(at, "tick").saved
    kept = [name for name in names(path.parent) if ".broken-" in name]
    assert 0 < len(kept) <= 32


def test_E3_a_moment_that_every_save_writes_anew_is_not_worth_a_copy(path: Path) -> None:
    at = on(path)
    for _ in range(3):
        path.write_text(json.dumps({**on_disk(path), "last_updated_at": 5}), "utf-8")
        assert event(at, "tick").saved
    assert names(path.parent) == ["tally.json", "tally.json.bak"]


def test_E4_a_folder_under_the_name_of_the_temporary_file_blocks_nothing(path: Path) -> None:
    at = on(path)
    path.with_name("tally.json.tmp").mkdir()
    assert event(at, "tick").saved and on_disk(path)["count"] == 1


def test_E4_an_opt_out_that_is_lost_takes_the_good_copy_with_it_no_more(path: Path) -> None:
    on(path)
    done = switch(store(path, Full(path.parent)), on=False)
    assert done.lost and done.before["active"] is True
    assert path.with_name("tally.json.bak").exists()


def test_E4_an_opt_out_whose_copy_cannot_be_written_leaves_no_older_yes(path: Path) -> None:
    class NoCopy(Files):
        def replace(self, source: str, target: str) -> None:
            if target.endswith(".bak"):
                raise OSError(errno.EIO, "no copy", target)
            super().replace(source, target)

    on(path)
    done = switch(store(path, NoCopy()), on=False)
    assert done.saved and "sidecar_no_copy" in codes(done.notes)
    assert on_disk(path)["active"] is False
    assert not path.with_name("tally.json.bak").exists()


@pytest.mark.parametrize("back", ["", "elsewhere/.git", "/"])
def test_D2_a_work_tree_that_its_project_does_not_know_is_none(back: str, tmp_path: Path) -> None:
    from clew.sidecar.place import project_root

    victim, unpacked = tmp_path / "victim", tmp_path / "unpacked"
    entry = victim / ".git" / "worktrees" / "x"
    unpacked.mkdir()
    entry.mkdir(parents=True)
    if back:
        (entry / "gitdir").write_text(back + "\n", "utf-8")
    (unpacked / ".git").write_text(f"gitdir: {entry}\n", "utf-8")
    assert project_root({"HOME": str(tmp_path)}, str(unpacked)) == str(unpacked)
    (entry / "gitdir").write_text(f"{unpacked}/.git\n", "utf-8")
    assert project_root({"HOME": str(tmp_path)}, str(unpacked)) == str(victim)
