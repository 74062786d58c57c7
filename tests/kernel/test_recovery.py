"""A process that dies half-way: the next one finds the old or the new revision, whole.

The full enumeration of crash states is a promise of its own; here are the named cases.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from clew.kernel.errors import ChangedOutside, StorageFailed
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.log import Tail
from clew.testing.vault_contract import LOG, SCOPE, A, B, refusal, tree

VIEW = "book/ledger/view.md"
BOOT = "boot-1"
AFTER_POWER_CUT = "boot-2"


class KilledError(BaseException):
    """The process is gone."""


class MortalFiles(Files):
    """Files of a process that is killed when `at` says so; afterwards it changes nothing more,
    and the system closes its lock file, as after `kill -9`."""

    def __init__(self, at: Callable[[str, str], bool]) -> None:
        self.at = at
        self.dead = False

    def _live(self, call: str, path: str) -> None:
        self.dead = self.dead or self.at(call, path)
        if self.dead:
            raise KilledError

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self._live("create", path)
        super().create(path, data, mode)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        commit = offset == 0 and path.endswith("journal.slot")
        self._live("commit" if commit else "write_at", path)
        super().write_at(path, offset, data)

    def truncate(self, path: str, size: int) -> None:
        self._live("truncate", path)
        super().truncate(path, size)

    def replace(self, source: str, target: str) -> None:
        self._live("replace", target)
        super().replace(source, target)

    def remove(self, path: str) -> None:
        if self.dead:
            return  # the lock file stays; that its handle is closed after this is the system's doing
        self._live("remove", path)
        super().remove(path)

    def remove_dir(self, path: str) -> None:
        if not self.dead:
            super().remove_dir(path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = FolderVault(tmp_path, boot=lambda: BOOT)
    with vault.transaction(SCOPE) as tx:
        tx.write(A, b"a1", truth=True)
        tx.write(B, b"b1", truth=True)
        tx.write(VIEW, b"view 1")
        tx.append(LOG, b"line 1")
    return tmp_path


def at(root: Path, boot: str = BOOT) -> FolderVault:
    return FolderVault(root, boot=lambda: boot)


def killed_at(root: Path, call: str, ending: str) -> None:
    """Run the change from revision 1 to 2 in a process that dies at this call on this file."""
    files = MortalFiles(lambda c, path: c == call and path.endswith(ending))
    vault = FolderVault(root, files=files, boot=lambda: BOOT)
    with pytest.raises(KilledError), vault.transaction(SCOPE) as tx:
        tx.write(A, b"a2", truth=True)
        tx.write(B, b"b2", truth=True)
        tx.write(VIEW, b"view 2")
        tx.append(LOG, b"line 2")
    assert (root / SCOPE.lock).exists(), "a killed process leaves its lock file"


def truth(vault: FolderVault) -> tuple[bytes | None, bytes | None, bytes | None]:
    look = vault.reader(SCOPE)
    return look.read(A), look.read(B), look.read(LOG)


OLD = (b"a1", b"b1", b"line 1\n")
NEW = (b"a2", b"b2", b"line 1\nline 2\n")

BEFORE_COMMIT = [("create", "stage/0"), ("create", "stage/2"), ("commit", "journal.slot")]
AFTER_COMMIT = [
    ("write_at", "history.jsonl"),
    ("replace", "a.json"),
    ("replace", "b.json"),
    ("replace", "view.md"),
]


@pytest.mark.parametrize(("call", "ending"), BEFORE_COMMIT)
def test_a_change_killed_before_its_commit_point_never_happened(
    root: Path, call: str, ending: str
) -> None:
    killed_at(root, call, ending)
    vault = at(root)
    assert not vault.pending(SCOPE)
    assert truth(vault) == OLD
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == ()
    assert truth(vault) == OLD


@pytest.mark.parametrize(("call", "ending"), AFTER_COMMIT)
def test_a_change_killed_after_its_commit_point_is_read_and_completed(
    root: Path, call: str, ending: str
) -> None:
    killed_at(root, call, ending)
    vault = at(root)
    assert vault.pending(SCOPE)
    assert truth(vault) == NEW, "a reader reads through the journal"
    assert vault.snapshot(SCOPE, lambda look: look.tail(LOG).line) == b"line 2"
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.views_stale
        assert tx.recovery.set_aside == ()
        tx.write(VIEW, b"view 2")
        tx.rendered = True
    assert not vault.pending(SCOPE)
    assert truth(vault) == NEW
    assert (root / A).read_bytes() == b"a2"
    assert (root / VIEW).read_bytes() == b"view 2"


def test_recovery_names_the_truth_that_it_completed(root: Path) -> None:
    killed_at(root, "replace", "b.json")
    with at(root).transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == (B,)
    with at(root).transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == ()


def test_recovery_is_known_until_a_change_ends_well(root: Path) -> None:
    killed_at(root, "replace", "view.md")
    vault = at(root)
    with pytest.raises(ZeroDivisionError), vault.transaction(SCOPE):
        raise ZeroDivisionError
    assert vault.pending(SCOPE), "the views are still to be rendered"
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.views_stale
    assert vault.pending(SCOPE), "nobody said that they are rendered"
    with vault.transaction(SCOPE) as tx:
        tx.rendered = True
    assert not vault.pending(SCOPE)


def test_views_that_the_killed_process_wrote_are_known_as_ours(root: Path) -> None:
    killed_at(root, "replace", "view.md")
    with at(root).transaction(SCOPE) as tx:
        for view in (b"view 1", b"view 2"):
            assert hashlib.sha256(view).hexdigest() in tx.recovery.ours


def test_staged_files_of_a_killed_process_are_replaced(root: Path) -> None:
    killed_at(root, "commit", "journal.slot")
    stage = root / SCOPE.private / "stage"
    assert (stage / "0").read_bytes() == b"a2"
    vault = at(root)
    with vault.transaction(SCOPE) as tx:
        tx.write(A, b"a3", truth=True)
        tx.write(VIEW, b"view 3")
    assert truth(vault) == (b"a3", b"b1", b"line 1\n")
    assert (root / VIEW).read_bytes() == b"view 3"


def test_the_first_change_ever_can_be_killed_too(tmp_path: Path) -> None:
    for number, (call, ending) in enumerate(
        [("create", ".gitignore"), ("create", "journal.slot"), *BEFORE_COMMIT]
    ):
        root = tmp_path / str(number)
        root.mkdir()
        killed_at(root, call, ending)
        vault = at(root)
        assert truth(vault) == (None, None, None)
        with vault.transaction(SCOPE) as tx:
            tx.write(A, b"a1", truth=True)
        assert truth(vault) == (b"a1", None, None)


def test_a_removal_killed_after_its_commit_point_is_completed(root: Path) -> None:
    files = MortalFiles(lambda c, path: c == "remove" and path.endswith("b.json"))
    with (
        pytest.raises(KilledError),
        FolderVault(root, files=files, boot=lambda: BOOT).transaction(SCOPE) as tx,
    ):
        tx.write(A, b"a2", truth=True)
        tx.remove(B, truth=True)
    vault = at(root)
    reader = vault.reader(SCOPE)
    assert (reader.read(A), reader.read(B)) == (b"a2", None)
    assert "b.json" not in reader.names("book/ledger"), "names and read tell the same story"
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == (B,)
    assert not (root / B).exists()


def test_a_new_file_is_named_by_a_reader_before_it_is_in_place(root: Path) -> None:
    files = MortalFiles(lambda c, path: c == "replace" and path.endswith("new.json"))
    with (
        pytest.raises(KilledError),
        FolderVault(root, files=files, boot=lambda: BOOT).transaction(SCOPE) as tx,
    ):
        tx.write("book/ledger/deep/new.json", b"new", truth=True)
    reader = at(root).reader(SCOPE)
    assert reader.names("book/ledger/deep") == ["new.json"]
    assert reader.read("book/ledger/deep/new.json") == b"new"


def test_a_tail_read_through_the_journal_is_the_tail_after_recovery(root: Path) -> None:
    killed_at(root, "write_at", "history.jsonl")
    vault = at(root)
    through = vault.reader(SCOPE).tail(LOG)
    with vault.transaction(SCOPE):
        pass
    assert through == vault.reader(SCOPE).tail(LOG) == Tail(b"line 2", 7, 14, b"")


def test_a_torn_end_is_kept_although_the_process_died_over_it(root: Path) -> None:
    (root / LOG).write_bytes(b"line 1\ntorn")
    killed_at(root, "replace", "a.json")
    vault = at(root)
    with vault.transaction(SCOPE):
        pass
    assert truth(vault) == NEW
    assert list(tree(vault.reader(SCOPE), f"{SCOPE.private}/aside").values()) == [b"torn"]


@pytest.mark.parametrize("ending", ["moved.json", "a.json"])
def test_a_move_killed_half_way_is_completed(root: Path, ending: str) -> None:
    files = MortalFiles(lambda c, path: c == "replace" and path.endswith(ending))
    with (
        pytest.raises(KilledError),
        FolderVault(root, files=files, boot=lambda: BOOT).transaction(SCOPE) as tx,
    ):
        tx.move(VIEW, "book/ledger/old/moved.json")
        tx.write(A, b"a2", truth=True)
    vault = at(root)
    with vault.transaction(SCOPE):
        pass
    assert not (root / VIEW).exists()
    assert (root / "book/ledger/old/moved.json").read_bytes() == b"view 1"
    assert (root / A).read_bytes() == b"a2"


def test_a_file_moved_away_and_written_anew_is_no_conflict_after_a_kill(root: Path) -> None:
    files = MortalFiles(lambda c, path: c == "replace" and path.endswith("/a.json"))
    with (
        pytest.raises(KilledError),
        FolderVault(root, files=files, boot=lambda: BOOT).transaction(SCOPE) as tx,
    ):
        tx.move(A, "book/ledger/old/kept")
        tx.write(A, b"a2", truth=True)
    with at(root).transaction(SCOPE):
        pass
    assert (root / A).read_bytes() == b"a2"
    assert (root / "book/ledger/old/kept").read_bytes() == b"a1"


# ---- edited while a change waited --------------------------------------------------------------


def aside(vault: FolderVault) -> list[bytes]:
    return sorted(tree(vault.reader(SCOPE), f"{SCOPE.private}/aside").values())


def conflicted(root: Path) -> FolderVault:
    killed_at(root, "write_at", "history.jsonl")
    (root / A).write_bytes(b"edited by hand")
    (root / LOG).write_bytes(b"line 1\nby another tool\n")
    return at(root)


def test_files_edited_meanwhile_are_left_alone_and_all_are_named(root: Path) -> None:
    vault = conflicted(root)
    for _ in range(2):
        with refusal(ChangedOutside) as caught, vault.transaction(SCOPE):
            raise AssertionError("never entered")
        assert caught.codes == ["recovery_conflict", "recovery_conflict"]
        assert {f.facts["file"] for f in caught.error.faults} == {A, LOG}
        assert "--keep" in caught.error.hint
    assert (root / A).read_bytes() == b"edited by hand"
    assert (root / B).read_bytes() == b"b1", "nothing is recovered by halves"
    assert (root / LOG).read_bytes() == b"line 1\nby another tool\n"
    assert aside(vault) == []
    assert not (root / SCOPE.lock).exists()


def test_keeping_the_disk_keeps_the_journal_aside(root: Path) -> None:
    vault = conflicted(root)
    with vault.transaction(SCOPE, keep="disk") as tx:
        assert tx.recovery.rolled_forward == (B,)
        assert len(tx.recovery.set_aside) == 2
        tx.rendered = True
    assert truth(vault) == (b"edited by hand", b"b2", b"line 1\nby another tool\n")
    assert aside(vault) == [b"a2", b"line 2\n"]
    assert not vault.pending(SCOPE)


def test_keeping_the_journal_keeps_the_disk_aside(root: Path) -> None:
    vault = conflicted(root)
    with vault.transaction(SCOPE, keep="journal") as tx:
        assert set(tx.recovery.rolled_forward) == {A, B, LOG}
        tx.rendered = True
    look = vault.reader(SCOPE)
    assert (look.read(A), look.read(B)) == (b"a2", b"b2")
    assert look.read(LOG) == b"line 1\nline 2\n"
    assert b"edited by hand" in aside(vault)
    assert b"line 1\nby another tool\n" in aside(vault)
    assert not vault.pending(SCOPE)


@pytest.mark.parametrize(
    ("other", "want"),
    [
        (b"", b"line 2\n"),
        (b"line 0\n", b"line 0\nline 2\n"),
        (b"line 1\n" + b"x" * 40, b"line 1\nline 2\n"),
        (b"line 1\nanother\n{}\n", b"line 1\nline 2\n"),
    ],
)
def test_a_log_kept_from_the_journal_has_whole_lines_and_ends_in_the_line(
    tmp_path: Path, other: bytes, want: bytes
) -> None:
    vault = at(tmp_path)
    with vault.transaction(SCOPE) as tx:
        tx.append(LOG, b"line 1")
    killed_at(tmp_path, "write_at", "history.jsonl")
    (tmp_path / LOG).write_bytes(other)
    with vault.transaction(SCOPE, keep="journal"):
        pass
    assert (tmp_path / LOG).read_bytes() == want


def test_a_file_deleted_meanwhile_is_a_conflict_too(root: Path) -> None:
    killed_at(root, "write_at", "history.jsonl")
    (root / A).unlink()
    with refusal(ChangedOutside) as caught, at(root).transaction(SCOPE):
        pass
    assert [f.facts["file"] for f in caught.error.faults] == [A]
    with at(root).transaction(SCOPE, keep="disk"):
        pass
    assert not (root / A).exists()
    assert b"a2" in aside(at(root))


def test_an_edit_of_a_view_is_no_conflict(root: Path) -> None:
    killed_at(root, "replace", "view.md")
    (root / VIEW).write_bytes(b"edited by hand")
    with at(root).transaction(SCOPE) as tx:
        assert tx.recovery.views_stale
        assert tx.read(VIEW) == b"edited by hand"


# ---- after a power cut -------------------------------------------------------------------------


def test_after_another_boot_the_views_are_stale(root: Path) -> None:
    vault = at(root, AFTER_POWER_CUT)
    assert vault.pending(SCOPE)
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.views_stale
        assert tx.recovery.rolled_forward == ()
        tx.rendered = True
    assert not vault.pending(SCOPE)
    assert truth(vault) == OLD


@pytest.mark.parametrize("torn", [b"", b"\0\0", b"a", b"a\0"])
def test_a_document_torn_by_a_power_cut_is_completed_and_kept(root: Path, torn: bytes) -> None:
    (root / A).write_bytes(torn)
    vault = at(root, AFTER_POWER_CUT)
    assert truth(vault) == OLD, "a reader reads through the journal"
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == (A,)
    assert truth(vault) == OLD
    assert aside(vault) == ([torn] if torn else [])


@pytest.mark.parametrize("rest", [b"", b"li", b"line 1", b"\0\0\0\0\0\0\0", b"lin\0\0\0\0"])
def test_a_log_torn_by_a_power_cut_is_completed(root: Path, rest: bytes) -> None:
    (root / LOG).write_bytes(rest)
    vault = at(root, AFTER_POWER_CUT)
    with vault.transaction(SCOPE) as tx:
        assert tx.recovery.rolled_forward == (LOG,)
    assert truth(vault) == OLD


def test_a_document_lost_by_a_power_cut_is_completed(root: Path) -> None:
    (root / B).unlink()
    vault = at(root, AFTER_POWER_CUT)
    assert truth(vault) == OLD
    with vault.transaction(SCOPE):
        pass
    assert (root / B).read_bytes() == b"b1"


def test_a_torn_document_on_the_same_boot_was_edited_by_someone(root: Path) -> None:
    killed_at(root, "write_at", "history.jsonl")
    (root / A).write_bytes(b"")
    with refusal(ChangedOutside), at(root).transaction(SCOPE):
        pass
    assert (root / A).read_bytes() == b""


def test_a_torn_slot_is_a_change_that_never_happened(root: Path) -> None:
    slot = root / SCOPE.private / "journal.slot"
    whole = slot.read_bytes()
    for torn in (b"", whole[:20], whole[:100], b"\0" * len(whole), whole[:60] + b"\0" * 500):
        slot.write_bytes(torn)
        vault = at(root, AFTER_POWER_CUT)
        assert truth(vault) == OLD
        with vault.transaction(SCOPE) as tx:
            assert tx.recovery.rolled_forward == ()
        with vault.transaction(SCOPE) as tx:
            tx.append("book/ledger/other.jsonl", b"x")
            tx.rendered = True
        assert not vault.pending(SCOPE)


# ---- a disk that can only be read --------------------------------------------------------------


class ReadOnlyFiles(Files):
    """Files on a disk that is mounted read-only (root is not stopped by modes)."""

    def _no(self, path: str) -> OSError:
        return OSError(30, "Read-only file system", path)

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        raise self._no(path)

    def write_at(self, path: str, offset: int, data: bytes) -> None:
        raise self._no(path)

    def truncate(self, path: str, size: int) -> None:
        raise self._no(path)

    def sync(self, path: str) -> None:
        raise self._no(path)

    def replace(self, source: str, target: str) -> None:
        raise self._no(target)

    def remove(self, path: str) -> None:
        raise self._no(path)

    def remove_dir(self, path: str) -> None:
        raise self._no(path)

    def make_dir(self, path: str, mode: int = 0o755) -> None:
        raise self._no(path)

    def lock_create(self, path: str) -> int | None:
        if Path(path).exists():
            return None
        raise self._no(path)

    def lock_open(self, path: str) -> int | None:
        if not Path(path).exists():
            return None
        raise self._no(path)


@pytest.mark.parametrize(("call", "ending"), AFTER_COMMIT)
def test_on_a_read_only_disk_the_reader_reads_through_the_journal(
    root: Path, call: str, ending: str
) -> None:
    killed_at(root, call, ending)
    before = {p: p.read_bytes() for p in root.rglob("*") if p.is_file()}
    vault = FolderVault(root, files=ReadOnlyFiles(), boot=lambda: BOOT)
    assert truth(vault) == NEW
    assert vault.snapshot(SCOPE, lambda look: (look.read(A), look.read(B))) == (b"a2", b"b2")
    assert vault.reader(SCOPE).tail(LOG).line == b"line 2"
    assert vault.pending(SCOPE)
    vault.settle(SCOPE)
    with refusal(StorageFailed) as caught, vault.transaction(SCOPE):
        raise AssertionError("never entered")
    assert caught.codes == ["read_only_disk"]
    assert {p: p.read_bytes() for p in root.rglob("*") if p.is_file()} == before


def test_a_first_change_on_a_read_only_disk_is_refused(tmp_path: Path) -> None:
    vault = FolderVault(tmp_path, files=ReadOnlyFiles())
    assert vault.snapshot(SCOPE, lambda look: look.read(A)) is None
    with refusal(StorageFailed) as caught, vault.transaction(SCOPE) as tx:
        tx.write(A, b"1", truth=True)
    assert caught.codes == ["read_only_disk"]
    assert list(tmp_path.iterdir()) == []
