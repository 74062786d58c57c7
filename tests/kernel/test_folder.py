"""What a folder on a real disk adds to the contract: links, names, modes, edits by others."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

import pytest

from clew.kernel import journal
from clew.kernel.errors import ChangedOutside, ClewError, Refused, StorageFailed
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Transaction
from clew.testing.vault_contract import LOG, SCOPE, A, B, refusal

SLOT = f"{SCOPE.private}/journal.slot"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def on_disk(root: Path) -> dict[str, bytes | str]:
    """Every entry below a folder: bytes of files, targets of links, `/` for folders."""
    found: dict[str, bytes | str] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = str(path.readlink())
        else:
            found[name] = "/" if path.is_dir() else path.read_bytes()
    return found


def put(root: Path, path: str, data: bytes = b"1") -> Path:
    """Write a file past the vault, as another program would."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def write(vault: FolderVault, path: str, data: bytes, truth: bool = True) -> None:
    with vault.transaction(SCOPE) as tx:
        tx.write(path, data, truth=truth)


# ---- symbolic links ----------------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    put(tmp_path, "outside/secret.json", b"secret")
    return tmp_path / "outside"


def linked(root: Path, outside: Path) -> None:
    (root / "book/ledger").mkdir(parents=True)
    (root / "book/ledger/file.json").symlink_to(outside / "secret.json")
    (root / "book/ledger/folder").symlink_to(outside)
    (root / "book/ledger/dangling.json").symlink_to(outside / "new.json")


LINKS = ("book/ledger/file.json", "book/ledger/folder/secret.json", "book/ledger/dangling.json")
CHANGES: dict[str, Callable[[Transaction, str], object]] = {
    "read": lambda tx, path: tx.read(path),
    "tail": lambda tx, path: tx.tail(path),
    "write truth": lambda tx, path: tx.write(path, b"x", truth=True),
    "write a view": lambda tx, path: tx.write(path, b"x"),
    "append": lambda tx, path: tx.append(path, b"x"),
    "remove": lambda tx, path: tx.remove(path),
    "move to": lambda tx, path: tx.move(A, path),
    "move from": lambda tx, path: tx.move(path, "book/ledger/moved"),
    "set aside": lambda tx, path: tx.set_aside(path),
}


@pytest.mark.parametrize("path", LINKS)
def test_a_link_that_leads_outside_is_not_read(root: Path, outside: Path, path: str) -> None:
    linked(root, outside)
    reader = FolderVault(root).reader(SCOPE)
    for read in (reader.read, reader.tail):
        with refusal(Refused) as caught:
            read(path)
        assert caught.codes == ["unsafe_path"]


@pytest.mark.parametrize("step", CHANGES)
def test_a_change_through_a_link_that_leads_outside_is_refused_whole(
    root: Path, outside: Path, step: str
) -> None:
    linked(root, outside)
    put(root, A, b"old")
    before, kept = on_disk(root), on_disk(outside)
    vault = FolderVault(root)
    for path in LINKS:
        with refusal(Refused) as caught, vault.transaction(SCOPE) as tx:
            tx.write(B, b"new", truth=True)
            CHANGES[step](tx, path)
        assert caught.codes == ["unsafe_path"]
        assert on_disk(outside) == kept
        assert on_disk(root) == before
    assert not vault.pending(SCOPE)
    write(vault, B, b"the next change goes through")
    assert (root / B).read_bytes() == b"the next change goes through"


def test_the_names_of_a_folder_outside_are_not_listed(root: Path, outside: Path) -> None:
    linked(root, outside)
    with refusal(Refused) as caught:
        FolderVault(root).reader(SCOPE).names("book/ledger/folder")
    assert caught.codes == ["unsafe_path"]


def test_a_private_folder_that_is_a_link_to_the_outside_is_refused(
    root: Path, outside: Path
) -> None:
    (root / "book/ledger").mkdir(parents=True)
    (root / SCOPE.private).symlink_to(outside)
    with refusal(Refused):
        write(FolderVault(root), A, b"1")
    assert on_disk(outside) == {"secret.json": b"secret"}


def test_a_lock_file_that_is_a_link_to_the_outside_is_refused(root: Path, outside: Path) -> None:
    (root / "book/ledger").mkdir(parents=True)
    (root / SCOPE.lock).symlink_to(outside / "secret.json")
    with refusal(Refused):
        write(FolderVault(root), A, b"1")
    assert on_disk(outside) == {"secret.json": b"secret"}


def test_a_link_that_stays_inside_is_followed_and_stays_a_link(root: Path) -> None:
    put(root, "book/ledger/real.json", b"old")
    put(root, "book/ledger/real/x.md", b"x")
    (root / A).symlink_to("real.json")
    (root / "book/ledger/alias").symlink_to("real")
    vault = FolderVault(root)
    assert vault.reader(SCOPE).read(A) == b"old"
    assert vault.reader(SCOPE).names("book/ledger/alias") == ["x.md"]
    write(vault, A, b"new")
    write(vault, "book/ledger/alias/y.md", b"y")
    assert (root / A).is_symlink()
    assert (root / "book/ledger/real.json").read_bytes() == b"new"
    assert (root / "book/ledger/real/y.md").read_bytes() == b"y"


def test_a_vault_may_itself_be_reached_through_a_link(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    write(FolderVault(tmp_path / "alias"), A, b"1")
    assert FolderVault(root).reader(SCOPE).read(A) == b"1"


# ---- names -------------------------------------------------------------------------------------

NFC = "Zoë"
NFD = unicodedata.normalize("NFD", NFC)


def test_a_file_is_found_under_its_nfd_name_and_written_in_place(root: Path) -> None:
    put(root, f"book/ledger/{NFD}.md", b"old")
    vault, path = FolderVault(root), f"book/ledger/{NFC}.md"
    assert vault.reader(SCOPE).read(path) == b"old"
    write(vault, path, b"new")
    assert not (root / f"book/ledger/{NFC}.md").exists()
    assert vault.reader(SCOPE).read(path) == b"new"


def test_a_file_in_a_folder_with_an_nfd_name_is_found(root: Path) -> None:
    put(root, f"book/ledger/{NFD}/{NFD}/x.md", b"x")
    reader = FolderVault(root).reader(SCOPE)
    assert reader.read(f"book/ledger/{NFC}/{NFC}/x.md") == b"x"
    assert reader.names(f"book/ledger/{NFC}/{NFC}") == ["x.md"]


def test_a_new_file_goes_into_the_folder_that_is_there_under_its_nfd_name(root: Path) -> None:
    put(root, f"book/ledger/{NFD}/old.md", b"old")
    vault = FolderVault(root)
    write(vault, f"book/ledger/{NFC}/new.md", b"new")
    assert vault.reader(SCOPE).names(f"book/ledger/{NFC}") == ["new.md", "old.md"]
    assert not (root / f"book/ledger/{NFC}").exists(), "a second folder of the same name"


def test_names_are_given_in_nfc(root: Path) -> None:
    put(root, f"book/ledger/x/{NFD}.md")
    assert FolderVault(root).reader(SCOPE).names("book/ledger/x") == [f"{NFC}.md"]


def test_a_link_that_leads_outside_under_its_nfd_name_is_refused(root: Path, outside: Path) -> None:
    (root / "book/ledger").mkdir(parents=True)
    (root / f"book/ledger/{NFD}").symlink_to(outside)
    vault = FolderVault(root)
    for call in (vault.reader(SCOPE).read, lambda path: write(vault, path, b"x")):
        with refusal(Refused) as caught:
            call(f"book/ledger/{NFC}/secret.json")
        assert caught.codes == ["unsafe_path"]
    assert on_disk(outside) == {"secret.json": b"secret"}


def test_a_target_that_is_there_under_its_nfd_name_is_taken(root: Path) -> None:
    put(root, f"book/ledger/{NFD}.md", b"there")
    put(root, A, b"1")
    before = on_disk(root)
    with refusal(Refused) as caught, FolderVault(root).transaction(SCOPE) as tx:
        tx.move(A, f"book/ledger/{NFC}.md")
    assert caught.codes == ["target_exists"]
    assert on_disk(root) == before


# ---- modes -------------------------------------------------------------------------------------


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o640, 0o664, 0o666, 0o755])
def test_the_mode_of_a_file_is_kept_when_it_is_replaced(root: Path, mode: int) -> None:
    file = put(root, A)
    log = put(root, LOG, b"1\n")
    file.chmod(mode)
    log.chmod(mode)
    with FolderVault(root).transaction(SCOPE) as tx:
        tx.write(A, b"new", truth=True)
        tx.append(LOG, b"2")
    assert file.read_bytes() == b"new"
    assert (oct(mode_of(file)), oct(mode_of(log))) == (oct(mode), oct(mode))


def test_new_files_and_folders_take_the_modes_of_the_scope(root: Path) -> None:
    scope = SCOPE._replace(file_mode=0o600, dir_mode=0o700)
    with FolderVault(root).transaction(scope) as tx:
        tx.write(A, b"1", truth=True)
        tx.write("book/ledger/x/view.md", b"1")
        tx.append(LOG, b"1")
    for path in root.rglob("*"):
        want = 0o700 if path.is_dir() else 0o600
        assert oct(mode_of(path)) == oct(want), path


def test_usual_files_are_readable_by_others(root: Path) -> None:
    write(FolderVault(root), A, b"1")
    assert oct(mode_of(root / A)) == oct(0o644)
    assert oct(mode_of(root / "book/ledger")) == oct(0o755)


# ---- loose files -------------------------------------------------------------------------------


def test_a_loose_file_is_written_whole_and_leaves_nothing_else(root: Path) -> None:
    vault = FolderVault(root)
    vault.write_loose("drafts/deep/第一章.md", b"one")
    vault.write_loose("drafts/deep/第一章.md", b"two")
    assert on_disk(root) == {
        "drafts": "/", "drafts/deep": "/", "drafts/deep/第一章.md": b"two",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["link/x.md", "link/new/x.md", "../x.md", "/x.md"])
def test_a_loose_file_outside_is_refused_and_nothing_is_made(
    root: Path, outside: Path, path: str
) -> None:
    (root / "link").symlink_to(outside)
    with refusal(Refused) as caught:
        FolderVault(root).write_loose(path, b"x")
    assert caught.codes == ["unsafe_path"]
    assert on_disk(outside) == {"secret.json": b"secret"}
    assert list(on_disk(root)) == ["link"]


def test_a_loose_file_that_cannot_be_put_in_place_leaves_no_staged_file(root: Path) -> None:
    (root / "x.md").mkdir()
    with refusal(StorageFailed):
        FolderVault(root).write_loose("x.md", b"x")
    assert on_disk(root) == {"x.md": "/"}


def test_what_a_killed_process_left_of_a_loose_file_is_cleared_away(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, check=True, text=True)  # fmt: skip
    dead, living = int(done.stdout), os.getppid()
    kept = [f"y.md.clew-{dead}.tmp", f"x.md.clew-{living}.tmp", "x.md.clew-1x.tmp", "x.md.tmp"]
    for name in (*kept, f"x.md.clew-{dead}.tmp"):
        (root / name).write_bytes(b"half")
    FolderVault(root).write_loose("x.md", b"x")
    assert sorted(on_disk(root)) == sorted([*kept, "x.md"])


@pytest.mark.parametrize("name", ["x" * 255, "字" * 85, "x" * 240 + ".md"])
def test_a_loose_file_may_have_the_longest_name_there_is(root: Path, name: str) -> None:
    FolderVault(root).write_loose(name, b"x")
    FolderVault(root).write_loose(name, b"y")
    assert on_disk(root) == {name: b"y"}


# ---- what is left behind -----------------------------------------------------------------------


def test_a_refused_change_leaves_no_folder_and_no_lock(root: Path) -> None:
    vault = FolderVault(root)
    with refusal(Refused), vault.transaction(SCOPE) as tx:
        assert (root / SCOPE.lock).exists()
        tx.write(A, b"1", truth=True)
        raise Refused.of("unsafe_path", file="x", reason="")
    assert on_disk(root) == {}


def test_folders_that_were_there_stay_when_a_change_is_refused(root: Path) -> None:
    (root / "book").mkdir()
    with refusal(Refused), FolderVault(root).transaction(SCOPE) as tx:
        tx.write("../x", b"1")
    assert on_disk(root) == {"book": "/"}


def test_a_finished_change_leaves_no_lock_and_no_staged_file(root: Path) -> None:
    vault = FolderVault(root)
    write(vault, A, b"1")
    write(vault, A, b"2")
    assert set(on_disk(root / SCOPE.private)) == {".gitignore", "journal.slot", "stage"}
    assert not (root / SCOPE.lock).exists()


def test_the_private_folder_ignores_itself(root: Path) -> None:
    write(FolderVault(root), A, b"1")
    rules = (root / SCOPE.private / ".gitignore").read_text("utf-8").splitlines()
    assert [rule for rule in rules if not rule.startswith("#")] == ["*"]


def test_an_ignore_file_of_the_user_is_left_alone(root: Path) -> None:
    mine = put(root, f"{SCOPE.private}/.gitignore", b"# mine\n")
    write(FolderVault(root), A, b"1")
    assert mine.read_bytes() == b"# mine\n"


def test_reading_writes_nothing(root: Path) -> None:
    put(root, A)
    before = on_disk(root)
    vault = FolderVault(root)
    assert vault.snapshot(SCOPE, lambda look: look.read(A)) == b"1"
    vault.settle(SCOPE)
    assert not vault.pending(SCOPE)
    assert on_disk(root) == before


def test_files_of_others_are_left_alone(root: Path) -> None:
    put(root, "book/ledger/notes.txt", b"mine")
    put(root, "book/ledger/x/y.txt", b"mine")
    vault = FolderVault(root)
    with vault.transaction(SCOPE) as tx:
        tx.write("book/ledger/x/view.md", b"view")
    with vault.transaction(SCOPE) as tx:
        tx.remove("book/ledger/x/view.md")
    assert (root / "book/ledger/notes.txt").read_bytes() == b"mine"
    assert on_disk(root / "book/ledger/x") == {"y.txt": b"mine"}


# ---- edits meanwhile ---------------------------------------------------------------------------


@pytest.mark.parametrize("look", ["read", "tail"])
def test_an_edit_between_reading_and_publishing_gives_the_change_up(root: Path, look: str) -> None:
    put(root, A, b"old\n")
    put(root, B, b"old")
    with refusal(ChangedOutside) as caught, FolderVault(root).transaction(SCOPE) as tx:
        getattr(tx, look)(A)
        put(root, A, b"edited by hand\n")
        if look == "read":
            tx.write(A, b"new", truth=True)
        else:
            tx.append(A, b"new")
        tx.write(B, b"new", truth=True)
    assert caught.codes == ["edited_meanwhile"]
    assert caught.error.faults[0].facts["file"] == A
    files = {k: v for k, v in on_disk(root).items() if v != "/"}
    assert files == {A: b"edited by hand\n", B: b"old"}


def test_a_file_that_appears_meanwhile_gives_the_change_up(root: Path) -> None:
    with refusal(ChangedOutside), FolderVault(root).transaction(SCOPE) as tx:
        assert tx.read(A) is None
        put(root, A, b"made by hand")
        tx.write(A, b"new", truth=True)
    assert (root / A).read_bytes() == b"made by hand"


def test_an_edit_between_two_readings_gives_the_change_up(root: Path) -> None:
    put(root, A, b"old")
    with refusal(ChangedOutside), FolderVault(root).transaction(SCOPE) as tx:
        old = tx.read(A)
        put(root, A, b"edited by hand")
        tx.read(A)
        assert old is not None
        tx.write(A, old + b" and new", truth=True)
    assert (root / A).read_bytes() == b"edited by hand"


def test_an_edit_of_a_file_that_the_change_does_not_touch_is_no_matter(root: Path) -> None:
    put(root, A, b"old")
    with FolderVault(root).transaction(SCOPE) as tx:
        tx.read(A)
        put(root, A, b"edited by hand")
        tx.write(B, b"new", truth=True)
    assert (root / A).read_bytes() == b"edited by hand"
    assert (root / B).read_bytes() == b"new"


def test_a_target_that_appears_meanwhile_is_not_overwritten_by_a_move(root: Path) -> None:
    put(root, A, b"mine")
    with refusal(ClewError), FolderVault(root).transaction(SCOPE) as tx:
        tx.move(A, "book/ledger/moved.json")
        put(root, "book/ledger/moved.json", b"made by hand")
    assert (root / "book/ledger/moved.json").read_bytes() == b"made by hand"
    assert (root / A).read_bytes() == b"mine"


# ---- settling ----------------------------------------------------------------------------------


class CountingFiles(Files):
    """Notes which files are synced."""

    def __init__(self) -> None:
        self.synced: list[str] = []

    def sync(self, path: str) -> None:
        self.synced.append(path.rpartition("/")[2])
        super().sync(path)


def status(root: Path) -> str:
    slot = journal.load(Files(), str(root / SLOT))
    assert slot is not None
    return slot.status


def test_settling_syncs_the_truth_of_the_last_change_once(root: Path) -> None:
    files = CountingFiles()
    vault = FolderVault(root, files=files)
    with vault.transaction(SCOPE) as tx:
        tx.write(A, b"1", truth=True)
        tx.write("book/ledger/view.md", b"1")
        tx.append(LOG, b"1")
    assert status(root) == "done"
    files.synced.clear()
    vault.settle(SCOPE)
    assert sorted(files.synced) == ["a.json", "history.jsonl"], "views need no sync"
    assert status(root) == "settled"
    files.synced.clear()
    vault.settle(SCOPE)
    assert files.synced == []
    assert not vault.pending(SCOPE)


def test_an_unsettled_change_is_synced_before_the_next_commit_point(root: Path) -> None:
    files = CountingFiles()
    vault = FolderVault(root, files=files)
    write(vault, A, b"1")
    files.synced.clear()
    write(vault, B, b"2")
    assert files.synced == ["a.json", "journal.slot"]


def test_a_change_of_one_document_and_one_log_stands_on_four_syncs_at_most(root: Path) -> None:
    files = CountingFiles()
    vault = FolderVault(root, files=files)
    for number in range(3):
        files.synced.clear()
        with vault.transaction(SCOPE) as tx:
            tx.write(A, b"%d" % number, truth=True)
            tx.append(LOG, b"%d" % number)
    assert len(files.synced) <= 4


def test_a_lock_file_that_cannot_be_removed_is_freed_all_the_same(root: Path) -> None:
    class Sticky(Files):
        def remove(self, path: str) -> None:
            if path.endswith(".lock"):
                raise OSError(13, "Permission denied", path)
            super().remove(path)

    write(FolderVault(root, files=Sticky()), A, b"1")
    assert (root / A).read_bytes() == b"1"
    with FolderVault(root).transaction(SCOPE, timeout=0.5) as tx:
        tx.write(B, b"2", truth=True)


def test_settling_neither_waits_nor_fails_nor_leaves_anything(root: Path) -> None:
    vault = FolderVault(root)
    vault.settle(SCOPE)
    assert on_disk(root) == {}
    write(vault, A, b"1")
    with vault.transaction(SCOPE):
        vault.settle(SCOPE)
        assert status(root) == "done"


# ---- the disk says no --------------------------------------------------------------------------


class DamagedSlot(Files):
    """The disk cannot read the journal back."""

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
        if path.endswith("journal.slot"):
            raise OSError(5, "Input/output error", path)
        return super().read(path, offset, limit)


@pytest.mark.parametrize("call", ["reader", "snapshot", "transaction", "pending"])
def test_a_journal_that_cannot_be_read_is_an_error_of_the_family(root: Path, call: str) -> None:
    write(FolderVault(root), A, b"1")
    vault = FolderVault(root, files=DamagedSlot())
    with refusal(StorageFailed) as caught:
        if call == "reader":
            vault.reader(SCOPE)
        elif call == "snapshot":
            vault.snapshot(SCOPE, lambda look: look.read(A))
        elif call == "pending":
            vault.pending(SCOPE)
        else:
            write(vault, A, b"2")
    assert caught.codes == ["io_failed"]


def test_a_folder_where_a_file_should_be_is_an_error_of_the_family(root: Path) -> None:
    (root / A).mkdir(parents=True)
    vault = FolderVault(root)
    with refusal(StorageFailed):
        vault.reader(SCOPE).read(A)
    with refusal(StorageFailed):
        write(vault, A, b"1")
    assert (root / A).is_dir()


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_reading_a_folder_as_a_file_leaks_no_descriptor(root: Path) -> None:
    (root / A).mkdir(parents=True)
    reader = FolderVault(root).reader(SCOPE)
    before = open_descriptors()
    for _ in range(20):
        with refusal(StorageFailed):
            reader.read(A)
    assert open_descriptors() <= before


def test_a_pipe_is_an_error_and_never_a_hang(root: Path) -> None:
    (root / "book/ledger").mkdir(parents=True)
    os.mkfifo(root / A)
    with refusal(StorageFailed):
        FolderVault(root).reader(SCOPE).read(A)


def test_a_file_where_a_folder_should_be_is_an_error_of_the_family(root: Path) -> None:
    put(root, "book/ledger", b"a file")
    with refusal():
        write(FolderVault(root), A, b"1")
    assert (root / "book/ledger").read_bytes() == b"a file"


def test_a_full_disk_before_the_commit_point_changes_nothing(root: Path) -> None:
    class Full(Files):
        def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
            if "/stage/" in path:
                raise OSError(28, "No space left on device", path)
            super().create(path, data, mode)

    write(FolderVault(root), A, b"old")
    with refusal(StorageFailed) as caught, FolderVault(root, files=Full()).transaction(SCOPE) as tx:
        tx.write(A, b"new", truth=True)
        tx.append(LOG, b"line")
    assert caught.codes == ["disk_full"]
    vault = FolderVault(root)
    assert (root / A).read_bytes() == b"old"
    assert not (root / LOG).exists()
    assert not vault.pending(SCOPE)


def test_a_full_disk_at_the_log_takes_the_change_back(root: Path) -> None:
    class Full(Files):
        def write_at(self, path: str, offset: int, data: bytes) -> None:
            if path.endswith(".jsonl"):
                super().write_at(path, offset, data[:3])
                raise OSError(28, "No space left on device", path)
            super().write_at(path, offset, data)

    with FolderVault(root).transaction(SCOPE) as tx:
        tx.write(A, b"old", truth=True)
        tx.append(LOG, b"line 1")
    with refusal(StorageFailed) as caught, FolderVault(root, files=Full()).transaction(SCOPE) as tx:
        tx.write(A, b"new", truth=True)
        tx.append(LOG, b"line 2")
    assert caught.codes == ["disk_full"]
    vault = FolderVault(root)
    assert vault.reader(SCOPE).read(A) == b"old"
    assert vault.reader(SCOPE).read(LOG) == b"line 1\n"
    assert not vault.pending(SCOPE)
    write(vault, A, b"again")
    assert vault.reader(SCOPE).read(A) == b"again"


def test_copies_set_aside_at_one_moment_do_not_collide(root: Path) -> None:
    moment = datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC)
    vault = FolderVault(root, clock=lambda: moment)
    for number in range(3):
        put(root, LOG, b"1\ntorn %d" % number)
        put(root, A, b"edit %d" % number)
        with vault.transaction(SCOPE) as tx:
            tx.append(LOG, b"2")
            tx.set_aside(A)
            tx.write(A, b"rendered")
    kept = [d for p, d in on_disk(root / SCOPE.private / "aside").items() if d != "/"]
    want = [w % n for w in (b"edit %d", b"torn %d") for n in range(3)]
    assert sorted(kept, key=str) == want


def test_a_file_at_rest_is_read_once_and_an_edit_is_seen(tmp_path: Path) -> None:
    """Files that lie still are not read again by a process that stays; one that changed is."""

    class Counting(Files):
        reads: ClassVar[list[str]] = []

        def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes:
            self.reads.append(path)
            return super().read(path, offset, limit)

    vault = FolderVault(tmp_path, files=Counting())
    page = tmp_path / "a.md"
    page.write_bytes(b"one")
    os.utime(page, ns=(1, 1))
    time.sleep(0.06)  # file times have steps: only what lies still for longer is trusted
    for _ in range(2):
        assert vault.reader(SCOPE).read("a.md") == b"one"
    assert len([p for p in Counting.reads if p.endswith("a.md")]) == 1
    page.write_bytes(b"two")
    os.utime(page, ns=(1, 1))  # the same size and time: the entry itself has changed all the same
    assert vault.reader(SCOPE).read("a.md") == b"two"
    assert vault.reader(SCOPE).read("a.md") == b"two"
    page.unlink()
    assert vault.reader(SCOPE).read("a.md") is None
