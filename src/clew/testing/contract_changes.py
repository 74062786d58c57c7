"""The part of the vault contract on logs, on moving and on keeping what is overwritten."""

from __future__ import annotations

from clew.kernel.errors import Refused
from clew.testing.contract import LOG, A, B, Contract, refusal, tree


class ChangesContract(Contract):
    """Logs, moves and copies set aside."""

    # ---- logs ------------------------------------------------------------------------------------

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

    # ---- moving and keeping ----------------------------------------------------------------------

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
