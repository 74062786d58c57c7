"""A vault in a folder as the source of an index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Literal

from clew.kernel.clock import system_clock
from clew.kernel.errors import Missing, Refused, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files, Stat
from clew.kernel.folder import FolderVault
from clew.kernel.index_schema import Change, Entry
from clew.kernel.place import Place
from clew.kernel.vault import safe_path

Kind = Literal["document", "log"]


class FolderSource:
    """Documents and logs below the root of a vault.

    `paths` lists the vault paths that belong to the index, from the vault's own names; `kind` says
    what a path is (None: it does not belong to the index), `rows` what a document or a line of a log
    holds.
    """

    def __init__(
        self,
        vault: FolderVault,
        *,
        paths: Callable[[], Iterable[str]],
        kind: Callable[[str], Kind | None],
        rows: Callable[[str, bytes], Iterable[Change]],
    ) -> None:
        self._files: Files = vault.files
        self._place = Place(vault.root, vault.files, system_clock, "")
        self._paths = paths
        self._kind = kind
        self._rows = rows

    def entries(self) -> Iterator[Entry]:
        """Every file. Raises `Missing` when the vault is gone: an unplugged disk is no empty one."""
        self._place.forget()
        found = self._files.stat(self._place.root)
        if found is None or found.kind != "dir":
            raise Missing(Fault("missing_file", file=self._place.root))
        for path in self._paths():
            with suppress(Refused):  # a link that leads out of the vault is none of its files
                kind = self._kind(path)
                found = self._stat(path) if kind else None
                if kind and found is not None:
                    yield Entry(path, kind, found)

    def entry(self, path: str) -> Entry | None:
        """One file as it is now; None when there is none. Raises `Refused` for a link that leads
        out of the vault, `StorageFailed`."""
        kind = self._kind(path)
        found = self._stat(safe_path(path)) if kind else None
        if kind is None or found is None:
            return None
        return Entry(path, kind, found, self._files.at_rest(found))

    def _stat(self, path: str) -> Stat | None:
        try:
            _, found = self._place.locate(path)
        except OSError as error:
            raise storage_failed(error, path) from error
        return found if found is not None and found.kind == "file" else None

    def read(self, path: str, offset: int = 0, limit: int = -1) -> bytes | None:
        """Bytes of a file, None when it is gone. Raises `StorageFailed`, `Refused`."""
        try:
            return self._files.read(self._place.real(path), offset, limit)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise storage_failed(error, path) from error

    def rows(self, path: str, data: bytes) -> Iterable[Change]:
        """What the room makes of it."""
        return self._rows(path, data)
