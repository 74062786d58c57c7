"""What the parts of the vault contract share: a scope, a few files, and words for a change.

The suite itself is `clew.testing.vault_contract`. Plain assertions and the standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from clew.kernel.errors import ClewError
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


class Contract:
    """The store under test and how the tests speak to it."""

    scope: Scope = SCOPE

    def make_vault(self) -> Vault:
        """A new, empty store."""
        raise NotImplementedError

    def raw(self, vault: Vault, path: str) -> bytes | None:
        """The bytes that the store itself holds at `path`; read past the vault where possible."""
        return vault.reader(self.scope).read(path)

    def change(self, vault: Vault, *steps: Callable[[Transaction], object]) -> Transaction:
        """Run `steps` in one transaction and return it, finished."""
        with vault.transaction(self.scope) as tx:
            for step in steps:
                step(tx)
        return tx

    def change_within(self, vault: Vault, timeout: float) -> None:
        """An empty transaction that waits at most `timeout` seconds for the lock."""
        with vault.transaction(self.scope, timeout=timeout):
            pass

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
