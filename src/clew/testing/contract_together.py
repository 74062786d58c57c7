"""The part of the vault contract on many at once: locks, waiting, and readers during commits."""

from __future__ import annotations

import threading
import time

from clew.kernel.errors import ClewError, Locked
from clew.kernel.vault import Reader, Scope
from clew.testing.contract import LOG, A, B, Contract, GivenUpError, refusal


class TogetherContract(Contract):
    """Writers wait for each other; readers see one revision."""

    def test_a_held_lock_is_waited_for_no_longer_than_asked_and_its_holder_is_named(self) -> None:
        vault = self.make_vault()
        with vault.transaction(self.scope) as tx:
            tx.write(A, b"1", truth=True)
            start = time.monotonic()
            with refusal(Locked) as caught:
                self.change_within(vault, 0.2)
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
