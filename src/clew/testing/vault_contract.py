"""The contract suite of a vault: a store that passes it may call itself one.

Subclass `VaultContract` in a test module, give `make_vault`, and the test runner collects the
methods. Plain assertions and the standard library only, so that it runs under any runner; a pytest
suite calls `pytest.register_assert_rewrite("clew.testing.vault_contract")` for telling failures.

Rules: the docstrings of `clew.kernel.vault` (documents, logs, views; all or nothing; one revision
for a reader; bounded waiting that names the holder; paths that stay inside).
"""

from __future__ import annotations

import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from clew.kernel.errors import ClewError, Locked, Refused
from clew.kernel.log import Tail
from clew.kernel.vault import Reader, Scope, Transaction, Vault

SCOPE: Final = Scope(
    name="ledger",
    folder="book/ledger",
    lock="book/ledger/.ledger.lock",
    private="book/ledger/.clew",
)
"""The scope that the suite works on, unless a subclass names another."""

A: Final = "book/ledger/a.json"
B: Final = "book/ledger/b.json"
LOG: Final = "book/ledger/history.jsonl"

UNSAFE_PATHS: Final = (
    "",
    "/etc/passwd",
    "..",
    "../outside.json",
    "book/../../outside.json",
    "book/ledger/..",
    "book/./a.json",
    "book//a.json",
    "book/ledger/",
    "book\\ledger\\a.json",
    "..\\outside.json",
    "book/ledger/a\0.json",
)


class GivenUpError(Exception):
    """What the suite raises inside a transaction to see it given up."""


class Caught:
    """Holds the error that `refusal` caught."""

    error: ClewError

    @property
    def codes(self) -> list[str]:
        return [fault.code for fault in self.error.faults]


@contextmanager
def refusal(kind: type[ClewError] = ClewError) -> Iterator[Caught]:
    """The block must raise an error of this kind, which is then held by what is yielded."""
    caught = Caught()
    try:
        yield caught
    except kind as error:
        caught.error = error
        return
    raise AssertionError(f"{kind.__name__} was expected, nothing was raised")


def tree(reader: Reader, folder: str = "") -> dict[str, bytes]:
    """Every file below `folder` with its bytes; an empty folder is shown with a final slash."""
    found: dict[str, bytes] = {}
    for name in reader.names(folder):
        path = f"{folder}/{name}" if folder else name
        if reader.names(path):
            found |= tree(reader, path)
            continue
        try:
            data = reader.read(path)
        except ClewError:
            data = None
        found[path if data is not None else f"{path}/"] = data or b""
    return found


class VaultContract:
    """What every vault does. Subclasses give `make_vault`."""

    scope: Scope = SCOPE

    def make_vault(self) -> Vault:
        """A new, empty store."""
        raise NotImplementedError

    def raw(self, vault: Vault, path: str) -> bytes | None:
        """The bytes that the store itself holds at `path`; read past the vault where possible."""
        return vault.reader(self.scope).read(path)

    # ---- what the tests say in one word --------------------------------------------------------

    def change(self, vault: Vault, *steps: Callable[[Transaction], object]) -> Transaction:
        """Run `steps` in one transaction and return it, finished."""
        with vault.transaction(self.scope) as tx:
            for step in steps:
                step(tx)
        return tx

    def put(self, vault: Vault, **files: bytes) -> None:
        """Documents `book/ledger/<name>.json` with these bytes."""
        with vault.transaction(self.scope) as tx:
            for name, data in files.items():
                tx.write(f"book/ledger/{name}.json", data, truth=True)

    def look(self, vault: Vault, path: str) -> bytes | None:
        return vault.reader(self.scope).read(path)

    def all(self, vault: Vault) -> dict[str, bytes]:
        return tree(vault.reader(self.scope))

    def kept_aside(self, vault: Vault) -> list[bytes]:
        """Everything that the private folder keeps besides the store's own records."""
        aside = f"{self.scope.private}/aside"
        return sorted(tree(vault.reader(self.scope), aside).values())

    # ---- reading -------------------------------------------------------------------------------

    def test_an_empty_vault_reads_as_nothing_and_reading_leaves_nothing(self) -> None:
        vault = self.make_vault()
        reader = vault.reader(self.scope)
        assert reader.read(A) is None
        assert reader.names("") == []
        assert reader.names("book/ledger") == []
        assert reader.tail(LOG) == Tail(None, 0, 0, b"")
        assert vault.snapshot(self.scope, lambda look: look.read(A)) is None
        assert not vault.pending(self.scope)
        assert self.all(vault) == {}

    def test_what_was_written_is_read_back_byte_for_byte(self) -> None:
        vault = self.make_vault()
        data = bytes(range(256)) * 300
        self.put(vault, a=data, b=b"")
        assert self.look(vault, A) == data
        assert self.raw(vault, A) == data
        assert self.look(vault, B) == b"", "an empty file is a file"
        assert vault.snapshot(self.scope, lambda look: look.read(A)) == data
        assert self.change(vault).read(A) == data

    def test_documents_and_views_are_both_readable(self) -> None:
        vault = self.make_vault()
        self.change(
            vault,
            lambda tx: tx.write(A, b"truth", truth=True),
            lambda tx: tx.write(B, b"view"),
        )
        assert (self.look(vault, A), self.look(vault, B)) == (b"truth", b"view")

    def test_names_are_sorted_and_hold_files_and_folders(self) -> None:
        vault = self.make_vault()
        self.change(
            vault,
            lambda tx: tx.write("book/ledger/x/2.md", b"2"),
            lambda tx: tx.write("book/ledger/x/1.md", b"1"),
            lambda tx: tx.write("book/ledger/x/deep/er/3.md", b"3"),
            lambda tx: tx.write("book/ledger/xy.md", b"not in x"),
        )
        reader = vault.reader(self.scope)
        assert reader.names("book/ledger/x") == ["1.md", "2.md", "deep"]
        assert reader.names("book/ledger/x/deep") == ["er"]
        assert reader.names("") == ["book"]
        assert reader.names("book/ledger/none") == []
        assert reader.names("book/ledger/xy.md") == []
        assert reader.read("book/ledger/x/deep/er/3.md") == b"3"

    def test_names_are_stored_in_nfc_and_found_in_any_form(self) -> None:
        vault = self.make_vault()
        name = "Zoë 가"
        nfd = unicodedata.normalize("NFD", name)
        assert nfd != name
        self.change(vault, lambda tx: tx.write(f"book/ledger/{nfd}/{nfd}.md", b"one", truth=True))
        self.change(vault, lambda tx: tx.write(f"book/ledger/{name}/{name}.md", b"two", truth=True))
        reader = vault.reader(self.scope)
        assert reader.names(f"book/ledger/{name}") == [f"{name}.md"]
        assert reader.names(f"book/ledger/{nfd}") == [f"{name}.md"]
        assert reader.read(f"book/ledger/{nfd}/{nfd}.md") == b"two"
        assert [n for n in reader.names("book/ledger") if not n.startswith(".")] == [name]

    def test_chinese_names_are_kept_as_they_are(self) -> None:
        vault = self.make_vault()
        self.change(vault, lambda tx: tx.write("book/ledger/角色状态/沈砚.md", "沈砚".encode()))
        assert vault.reader(self.scope).names("book/ledger/角色状态") == ["沈砚.md"]

    def test_the_tail_is_the_last_whole_line(self) -> None:
        for data, want in (
            (b"", Tail(None, 0, 0, b"")),
            (b"torn", Tail(None, 0, 0, b"torn")),
            (b"one\n", Tail(b"one", 0, 4, b"")),
            (b"one\ntwo\n", Tail(b"two", 4, 8, b"")),
            (b"one\ntwo\nto", Tail(b"two", 4, 8, b"to")),
            (b"one\r\ntwo\r\n", Tail(b"two", 5, 10, b"")),
            (b"one\n\0\0\0", Tail(b"one", 0, 4, b"\0\0\0")),
        ):
            vault = self.make_vault()
            self.change(vault, lambda tx, data=data: tx.write(LOG, data, truth=True))  # type: ignore[misc]
            assert vault.reader(self.scope).tail(LOG) == want, data

    def test_blank_lines_at_the_end_of_a_log_are_no_lines(self) -> None:
        vault = self.make_vault()
        self.change(vault, lambda tx: tx.write(LOG, b"one\ntwo\n\n\r\n", truth=True))
        assert vault.reader(self.scope).tail(LOG).line == b"two"

    def test_the_tail_of_a_long_log_is_found(self) -> None:
        vault = self.make_vault()
        long = b"x" * 200_000
        self.change(vault, lambda tx: tx.write(LOG, b"first\n" + long + b"\n", truth=True))
        assert vault.reader(self.scope).tail(LOG) == Tail(long, 6, 6 + len(long) + 1, b"")

    # ---- all or nothing ------------------------------------------------------------------------

    def test_documents_logs_and_views_are_published_together(self) -> None:
        vault = self.make_vault()
        with vault.transaction(self.scope) as tx:
            tx.write(A, b"1", truth=True)
            tx.append(LOG, b"line 1")
            tx.write(B, b"view 1")
            reader = vault.reader(self.scope)
            assert reader.read(A) is None
            assert reader.read(B) is None
            assert reader.tail(LOG).line is None
        assert (self.look(vault, A), self.look(vault, B)) == (b"1", b"view 1")
        assert self.look(vault, LOG) == b"line 1\n"
        assert not vault.pending(self.scope)

    def test_reads_inside_a_change_see_what_was_there_before_it(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"old")
        with vault.transaction(self.scope) as tx:
            tx.write(A, b"new", truth=True)
            tx.append(LOG, b"line")
            assert tx.read(A) == b"old"
            assert tx.tail(LOG).line is None

    def test_an_exception_in_the_block_leaves_nothing(self) -> None:
        for error in (GivenUpError(), KeyboardInterrupt(), ClewError.of("usage", reason="no")):
            vault = self.make_vault()
            self.change(
                vault,
                lambda tx: tx.write(A, b"old", truth=True),
                lambda tx: tx.write("book/ledger/old/x.md", b"x"),
                lambda tx: tx.append(LOG, b"line"),
            )
            before = self.all(vault)
            try:
                with vault.transaction(self.scope) as tx:
                    tx.write(A, b"new", truth=True)
                    tx.write("book/ledger/new/y.md", b"y")
                    tx.append(LOG, b"line 2")
                    tx.set_aside(A)
                    tx.move("book/ledger/old", "book/ledger/moved")
                    tx.remove("book/ledger/old/x.md")
                    raise error
            except type(error) as out:
                assert out is error
            assert self.all(vault) == before
            assert not vault.pending(self.scope)

    def test_an_exception_in_the_first_change_leaves_no_folder_and_no_lock(self) -> None:
        vault = self.make_vault()
        try:
            with vault.transaction(self.scope) as tx:
                tx.write(A, b"new", truth=True)
                raise GivenUpError
        except GivenUpError:
            pass
        assert self.all(vault) == {}

    def test_a_vault_is_usable_after_a_change_was_given_up(self) -> None:
        vault = self.make_vault()
        try:
            with vault.transaction(self.scope) as tx:
                tx.write(A, b"given up", truth=True)
                raise GivenUpError
        except GivenUpError:
            pass
        self.put(vault, a=b"kept")
        assert self.look(vault, A) == b"kept"

    def test_the_report_lists_only_files_whose_content_changed(self) -> None:
        vault = self.make_vault()
        first = self.change(
            vault,
            lambda tx: tx.write(A, b"same", truth=True),
            lambda tx: tx.write(B, b"old"),
            lambda tx: tx.append(LOG, b"1"),
            lambda tx: tx.remove("book/ledger/never.md"),
        ).report
        assert set(first.written) == {A, B, LOG}
        assert first.removed == ()
        second = self.change(
            vault,
            lambda tx: tx.write(A, b"same", truth=True),
            lambda tx: tx.write(B, b"new"),
        ).report
        assert second.written == (B,)
        third = self.change(vault, lambda tx: tx.remove(A, truth=True)).report
        assert (third.written, third.removed) == ((), (A,))
        assert self.look(vault, A) is None

    def test_a_change_of_nothing_touches_nothing(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"same")
        before = self.all(vault)
        report = self.change(vault, lambda tx: tx.write(A, b"same", truth=True)).report
        assert (report.written, report.removed, report.set_aside) == ((), (), ())
        assert self.all(vault) == before

    def test_the_last_word_on_a_file_counts(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"old", b=b"old")
        self.change(
            vault,
            lambda tx: tx.remove(A, truth=True),
            lambda tx: tx.write(A, b"new", truth=True),
            lambda tx: tx.write(B, b"new", truth=True),
            lambda tx: tx.remove(B, truth=True),
        )
        assert (self.look(vault, A), self.look(vault, B)) == (b"new", None)

    def test_an_ordinary_change_recovers_nothing(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"1")
        recovery = self.change(vault).recovery
        assert (recovery.rolled_forward, recovery.set_aside) == ((), ())
        assert not recovery.views_stale

    # ---- logs ----------------------------------------------------------------------------------

    def test_lines_are_appended_in_order(self) -> None:
        vault = self.make_vault()
        for number in range(4):
            self.change(vault, lambda tx, n=number: tx.append(LOG, b"%d" % n))  # type: ignore[misc]
        assert self.look(vault, LOG) == b"0\n1\n2\n3\n"

    def test_several_lines_for_one_log_in_one_change_are_all_kept(self) -> None:
        vault = self.make_vault()
        self.change(vault, lambda tx: tx.append(LOG, b"1"), lambda tx: tx.append(LOG, b"2"))
        assert self.look(vault, LOG) == b"1\n2\n"

    def test_a_line_with_a_newline_of_its_own_is_a_mistake_of_the_caller(self) -> None:
        vault = self.make_vault()
        try:
            self.change(vault, lambda tx: tx.append(LOG, b"1\n2"))
        except ValueError:
            assert self.look(vault, LOG) is None
            return
        raise AssertionError("ValueError was expected")

    def test_a_torn_end_is_replaced_by_the_next_line_and_kept_aside(self) -> None:
        for torn in (b'{"chapter": 3, "res', b"t", b"\0" * 70):
            vault = self.make_vault()
            self.change(vault, lambda tx, t=torn: tx.write(LOG, b"one\n" + t, truth=True))  # type: ignore[misc]
            self.change(vault, lambda tx: tx.append(LOG, b"two"))
            assert self.look(vault, LOG) == b"one\ntwo\n"
            assert self.kept_aside(vault) == [torn]

    # ---- moving and keeping --------------------------------------------------------------------

    def test_a_file_is_moved(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"1")
        self.change(vault, lambda tx: tx.move(A, "book/ledger/old/a.json"))
        assert self.look(vault, A) is None
        assert self.look(vault, "book/ledger/old/a.json") == b"1"

    def test_a_folder_is_moved_with_all_that_is_in_it(self) -> None:
        vault = self.make_vault()
        self.change(
            vault,
            lambda tx: tx.write("book/ledger/v1/x.md", b"x"),
            lambda tx: tx.write("book/ledger/v1/deep/y.md", b"y"),
        )
        self.change(vault, lambda tx: tx.move("book/ledger/v1", "book/ledger/archive/v1"))
        reader = vault.reader(self.scope)
        assert reader.names("book/ledger/v1") == []
        assert tree(reader, "book/ledger/archive") == {
            "book/ledger/archive/v1/x.md": b"x",
            "book/ledger/archive/v1/deep/y.md": b"y",
        }

    def test_a_move_to_a_place_that_is_taken_is_refused(self) -> None:
        vault = self.make_vault()
        self.change(
            vault,
            lambda tx: tx.write(A, b"a", truth=True),
            lambda tx: tx.write(B, b"b", truth=True),
            lambda tx: tx.write("book/ledger/full/x.md", b"x"),
        )
        before = self.all(vault)
        for target in (B, "book/ledger/full"):
            with refusal(Refused) as caught:
                self.change(
                    vault,
                    lambda tx: tx.write("book/ledger/c.json", b"c", truth=True),
                    lambda tx, target=target: tx.move(A, target),  # type: ignore[misc]
                )
            assert caught.codes == ["target_exists"]
            assert self.all(vault) == before

    def test_two_moves_to_one_place_are_refused(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"a", b=b"b")
        before = self.all(vault)
        with refusal(Refused) as caught:
            self.change(
                vault,
                lambda tx: tx.move(A, "book/ledger/c.json"),
                lambda tx: tx.move(B, "book/ledger/c.json"),
            )
        assert caught.codes == ["target_exists"]
        assert self.all(vault) == before

    def test_a_move_of_what_is_not_there_is_refused_and_nothing_else_happens(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"old")
        with refusal():
            self.change(
                vault,
                lambda tx: tx.write(A, b"new", truth=True),
                lambda tx: tx.append(LOG, b"line"),
                lambda tx: tx.move("book/ledger/none.json", "book/ledger/moved.json"),
            )
        assert self.look(vault, A) == b"old"
        assert not self.look(vault, LOG)

    def test_a_file_can_be_moved_away_and_written_anew_in_one_change(self) -> None:
        for new in (b"new", b"old"):
            vault = self.make_vault()
            self.put(vault, a=b"old")
            self.change(
                vault,
                lambda tx: tx.move(A, "book/ledger/archive/a.json"),
                lambda tx, new=new: tx.write(A, new, truth=True),  # type: ignore[misc]
            )
            assert self.look(vault, "book/ledger/archive/a.json") == b"old"
            assert self.look(vault, A) == new

    def test_a_folder_can_be_moved_away_and_filled_anew_in_one_change(self) -> None:
        vault = self.make_vault()
        path = "book/ledger/views/x.md"
        self.change(vault, lambda tx: tx.write(path, b"old", truth=True))
        self.change(
            vault,
            lambda tx: tx.move("book/ledger/views", "book/ledger/archive"),
            lambda tx: tx.write(path, b"new", truth=True),
        )
        assert self.look(vault, "book/ledger/archive/x.md") == b"old"
        assert self.look(vault, path) == b"new"

    def test_set_aside_keeps_the_bytes_of_a_file_that_is_overwritten(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"edited by hand")
        with vault.transaction(self.scope) as tx:
            place = tx.set_aside(A)
            tx.write(A, b"rendered")
        assert place.startswith(f"{self.scope.private}/")
        assert self.look(vault, place) == b"edited by hand"
        assert self.look(vault, A) == b"rendered"
        assert tx.report.set_aside == (place,)

    def test_set_aside_keeps_the_bytes_when_nothing_else_changes(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"edited by hand")
        with vault.transaction(self.scope) as tx:
            place = tx.set_aside(A)
        assert self.look(vault, place) == b"edited by hand"

    def test_each_copy_that_is_set_aside_has_a_place_of_its_own(self) -> None:
        vault = self.make_vault()
        places = set()
        for number in range(3):
            self.put(vault, a=b"edit %d" % number)
            with vault.transaction(self.scope) as tx:
                places.add(tx.set_aside(A))
                tx.write(A, b"rendered")
        assert self.kept_aside(vault) == [b"edit 0", b"edit 1", b"edit 2"]
        assert len(places) == 3

    def test_each_torn_end_is_kept(self) -> None:
        vault = self.make_vault()
        for number in range(3):
            torn = b"torn %d" % number
            self.change(vault, lambda tx, t=torn: tx.write(LOG, b"1\n" + t, truth=True))  # type: ignore[misc]
            self.change(vault, lambda tx: tx.append(LOG, b"2"))
        assert self.kept_aside(vault) == [b"torn 0", b"torn 1", b"torn 2"]

    # ---- paths ---------------------------------------------------------------------------------

    def test_unsafe_paths_are_refused_by_every_call(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"1")
        before = self.all(vault)
        reads: tuple[Callable[[Reader, str], object], ...] = (
            lambda look, path: look.read(path),
            lambda look, path: look.tail(path),
            lambda look, path: look.names(path or ".."),
        )
        writes: tuple[Callable[[Transaction, str], object], ...] = (
            *reads,
            lambda tx, path: tx.write(path, b"x", truth=True),
            lambda tx, path: tx.write(path, b"x"),
            lambda tx, path: tx.append(path, b"x"),
            lambda tx, path: tx.remove(path, truth=True),
            lambda tx, path: tx.move(path, "book/ledger/moved"),
            lambda tx, path: tx.move(A, path),
            lambda tx, path: tx.set_aside(path),
        )
        for path in UNSAFE_PATHS:
            for read in reads:
                with refusal(Refused) as caught:
                    read(vault.reader(self.scope), path)
                assert caught.codes == ["unsafe_path"], path
            for write in writes:
                with refusal(Refused) as caught, vault.transaction(self.scope) as tx:
                    write(tx, path)
                assert caught.codes == ["unsafe_path"], path
        assert self.all(vault) == before

    # ---- many at once --------------------------------------------------------------------------

    def test_a_held_lock_is_waited_for_no_longer_than_asked_and_its_holder_is_named(self) -> None:
        vault = self.make_vault()
        with vault.transaction(self.scope) as tx:
            tx.write(A, b"1", truth=True)
            start = time.monotonic()
            with refusal(Locked) as caught, vault.transaction(self.scope, timeout=0.2):
                raise AssertionError("two transactions at once")
            assert 0.15 <= time.monotonic() - start < 2.0
        fault = caught.error.faults[0]
        assert fault.code == "locked"
        assert fault.facts["file"] == self.scope.lock
        owner = str(fault.facts["owner"])
        assert owner.strip("?, ")
        assert owner in fault.message("en")
        assert owner in fault.message("zh")
        assert self.look(vault, A) == b"1"

    def test_a_change_waits_for_the_one_before_it(self) -> None:
        vault = self.make_vault()
        done: list[bytes | None] = []

        def second() -> None:
            with vault.transaction(self.scope) as tx:
                done.append(tx.read(A))

        thread = threading.Thread(target=second)
        with vault.transaction(self.scope) as tx:
            thread.start()
            time.sleep(0.1)
            assert done == []
            tx.write(A, b"first", truth=True)
        thread.join(10)
        assert done == [b"first"]

    def test_a_waiting_change_goes_through_when_the_first_ever_is_given_up(self) -> None:
        vault = self.make_vault()
        errors: list[BaseException] = []

        def second() -> None:
            try:
                self.put(vault, a=b"second")
            except ClewError as error:
                errors.append(error)

        thread = threading.Thread(target=second)
        try:
            with vault.transaction(self.scope) as tx:
                tx.write(A, b"first", truth=True)
                thread.start()
                time.sleep(0.1)
                raise GivenUpError
        except GivenUpError:
            thread.join(10)
        assert errors == []
        assert self.look(vault, A) == b"second"

    def test_threads_that_count_together_lose_nothing(self) -> None:
        vault = self.make_vault()

        def count() -> None:
            for _ in range(8):
                with vault.transaction(self.scope, timeout=30.0) as tx:
                    tx.write(A, b"%d" % (int(tx.read(A) or b"0") + 1), truth=True)

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert self.look(vault, A) == b"32"

    def test_a_snapshot_never_mixes_two_revisions(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"0", b=b"0")
        stop = threading.Event()
        seen: list[list[tuple[bytes | None, bytes | None, bytes | None]]] = [[], []]

        def watch(into: list[tuple[bytes | None, bytes | None, bytes | None]]) -> None:
            while not stop.is_set():
                into.append(
                    vault.snapshot(
                        self.scope, lambda look: (look.read(A), look.read(B), look.tail(LOG).line)
                    )
                )

        watchers = [threading.Thread(target=watch, args=(into,)) for into in seen]
        for watcher in watchers:
            watcher.start()
        for number in range(1, 41):
            data = b"%d" % number
            with vault.transaction(self.scope, timeout=30.0) as tx:
                tx.write(A, data, truth=True)
                tx.write(B, data, truth=True)
                tx.append(LOG, data)
        stop.set()
        for watcher in watchers:
            watcher.join(30)
        for looks in seen:
            assert looks
            assert {look for look in looks if look[0] != look[1]} == set()
            assert {look for look in looks if look[2] not in (look[0], None)} == set()
            revisions = [int(look[0] or b"-1") for look in looks]
            assert revisions == sorted(revisions), "a reader went back in time"

    def test_a_reader_that_is_always_overtaken_never_gets_a_mix(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"0", b=b"0")

        def overtaken(look: Reader) -> tuple[bytes | None, bytes | None]:
            first = look.read(A)
            number = b"%d" % (int(first or b"0") + 1)
            with vault.transaction(self.scope, timeout=0.05) as tx:
                tx.write(A, number, truth=True)
                tx.write(B, number, truth=True)
            return first, look.read(B)

        try:
            first, second = vault.snapshot(self.scope, overtaken)
        except ClewError:
            return  # giving up, or keeping the writer out, is an honest answer
        assert first == second

    def test_a_snapshot_passes_on_what_its_look_raises(self) -> None:
        vault = self.make_vault()
        self.put(vault, a=b"1")

        def look(reader: Reader) -> None:
            raise GivenUpError

        try:
            vault.snapshot(self.scope, look)
        except GivenUpError:
            self.put(vault, a=b"2")  # the reader's lock is gone
            assert self.look(vault, A) == b"2"
            return
        raise AssertionError("GivenUpError was expected")

    def test_scopes_do_not_wait_for_each_other(self) -> None:
        vault = self.make_vault()
        other = Scope("cards", "book/cards", "book/cards/.cards.lock", "book/cards/.clew")
        with vault.transaction(self.scope) as tx:
            tx.write(A, b"1", truth=True)
            with vault.transaction(other, timeout=0.2) as cards:
                cards.write("book/cards/c.json", b"c", truth=True)
        reader = vault.reader(other)
        assert (reader.read(A), reader.read("book/cards/c.json")) == (b"1", b"c")
