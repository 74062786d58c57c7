"""The contract suite of a vault: a store that passes it may call itself one.

Subclass `VaultContract` in a test module, give `make_vault`, and the test runner collects the
methods. Plain assertions and the standard library only, so that it runs under any runner; a pytest
suite calls `pytest.register_assert_rewrite` on the four modules for telling failures.

Rules: the docstrings of `clew.kernel.vault` (documents, logs, views; all or nothing; one revision
for a reader; bounded waiting that names the holder; paths that stay inside).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

from clew.kernel.errors import ClewError, Refused
from clew.kernel.log import Tail
from clew.kernel.vault import Reader, Transaction
from clew.testing.contract import (
    LOG,
    SCOPE,
    UNSAFE_PATHS,
    A,
    B,
    GivenUpError,
    refusal,
    tree,
)
from clew.testing.contract_changes import ChangesContract
from clew.testing.contract_together import TogetherContract

__all__ = ["LOG", "SCOPE", "A", "B", "GivenUpError", "VaultContract", "refusal", "tree"]


class VaultContract(ChangesContract, TogetherContract):
    """What every vault does. Subclasses give `make_vault`."""

    # ---- reading ---------------------------------------------------------------------------------

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

    # ---- all or nothing --------------------------------------------------------------------------

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

    # ---- paths -----------------------------------------------------------------------------------

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
