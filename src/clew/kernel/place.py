"""A vault's folder on disk: from vault paths to real ones, and what its journal says.

Policy on links: a path may pass through symbolic links as long as it stays inside the vault;
one that leads outside is refused. Names are found in any Unicode normal form.
"""

from __future__ import annotations

from typing import Final
from unicodedata import is_normalized

from clew.kernel import journal
from clew.kernel.clock import Clock, stamp
from clew.kernel.errors import Refused, storage_failed
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files, Stat
from clew.kernel.text import nfc
from clew.kernel.vault import Scope

_SLOT: Final = "journal.slot"
_ATTEMPTS: Final = 20


class Place:
    """Where a vault lies, and the means to reach it."""

    def __init__(self, root: str, files: Files, clock: Clock, boot: str) -> None:
        self.root = root
        self.files = files
        self.clock = clock
        self.boot = boot
        self._folders: dict[str, str] = {}
        self._contents: dict[str, tuple[Stat, bytes]] = {}

    # ---- paths ---------------------------------------------------------------------------------

    def forget(self) -> None:
        """Look at folders anew: at the start of each change and each look."""
        self._folders.clear()

    def real(self, path: str) -> str:
        """The real path of a safe vault path. Raises `Refused` when a link leads outside."""
        return self.locate(path)[0]

    def locate(self, path: str) -> tuple[str, Stat | None]:
        """The real path, and what is there. Raises `Refused` when a link leads outside."""
        folder, _, name = path.rpartition("/")
        found = f"{self._folder(folder)}/{name}"
        entry = self.files.stat(found)
        if entry is not None and entry.kind == "link":
            found = self._inside(self.files.resolve(found), path)
            entry = self.files.stat(found)
        elif entry is None and not path.isascii() and not is_normalized("NFD", path):
            # Only names that have another normal form can be there under it.
            found = self._inside(self.files.resolve(self._other_form(path)), path)
            entry = self.files.stat(found)
        return found, entry

    def _folder(self, folder: str) -> str:
        if not folder:
            return self.root
        known = self._folders.get(folder)
        if known is None:
            above, _, name = folder.rpartition("/")
            known = f"{self._folder(above)}/{name}"
            entry = self.files.stat(known)
            if entry is not None and entry.kind == "link":
                known = self._inside(self.files.resolve(known), folder)
            self._folders[folder] = known
        return known

    def _inside(self, found: str, path: str) -> str:
        if found != self.root and not found.startswith(self.root.rstrip("/") + "/"):
            raise Refused(
                Fault(
                    "unsafe_path",
                    file=path,
                    reason=Both("符号链接指向书外", "a link leads outside"),
                )
            )
        return found

    def _other_form(self, path: str) -> str:
        """The path as far as it is there, in the normal forms in which it is there."""
        current = self.root
        parts = path.split("/")
        for number, part in enumerate(parts):
            names = self.files.names(current)
            same = (n for n in names if nfc(n) == part)
            match = part if part in names else next(same, None)
            if match is None:
                return "/".join([current, *parts[number:]])
            current = f"{current}/{match}"
        return current

    def read(self, real: str, found: Stat) -> bytes:
        """The content of a file as it was just found; one that is unchanged is not read again."""
        known = self._contents.get(real)
        if known is not None and known[0] == found:
            return known[1]
        data = self.files.read(real)
        if self.files.at_rest(found):
            self._contents[real] = (found, data)
        else:
            self._contents.pop(real, None)
        return data

    def make_dirs(self, path: str, mode: int) -> list[str]:
        """Make the folders above a vault path; returns those that were made, outermost first."""
        made: list[str] = []
        for attempt in range(_ATTEMPTS):
            try:
                self._make_dirs(path, mode, made)
                break
            except FileNotFoundError as error:
                # A change that was given up takes the folders that it made away again: from the top.
                if attempt + 1 == _ATTEMPTS:
                    raise storage_failed(error, path) from error
                self._folders.clear()
        return list(dict.fromkeys(made))

    def _make_dirs(self, path: str, mode: int, made: list[str]) -> None:
        current = self.root
        for part in path.split("/")[:-1]:
            current = f"{current}/{part}"
            if self.files.stat(current) is not None:
                continue
            here = self.real(current[len(self.root) + 1 :])
            if self.files.stat(here) is not None:
                continue  # there under another normal form
            try:
                self.files.make_dir(here, mode)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise storage_failed(error, current[len(self.root) + 1 :]) from error
            made.append(here)
            self._folders.clear()

    def aside(self, scope: Scope, path: str) -> str:
        """A free place for a copy of `path` in the private folder."""
        moment = stamp(self.clock()).replace(":", "").replace("-", "")
        for number in range(10_000):
            suffix = f"-{number}" if number else ""
            found = f"{scope.private}/aside/{moment}{suffix}/{path}"
            if self.files.stat(self.real(found)) is None:
                return found
        raise OSError(17, "no free name to set a file aside", path)

    # ---- the journal ---------------------------------------------------------------------------

    def slot_path(self, scope: Scope) -> str:
        return f"{self.private(scope)}/{_SLOT}"

    def private(self, scope: Scope) -> str:
        """The real private folder. Raises `Refused` when a link leads outside."""
        return self.real(scope.private)

    def stage(self, scope: Scope) -> str:
        """The real folder in which new files wait. Raises `Refused` when a link leads outside."""
        return self.real(f"{scope.private}/stage")

    def slot(self, scope: Scope) -> journal.Slot | None:
        """The scope's slot without its body."""
        return journal.load(self.files, self.slot_path(scope))

    def lost_slot(self, scope: Scope) -> bool:
        """True where changes were made and the slot that would tell of the last one is gone."""
        return self.files.stat(self.private(scope)) is not None

    def pending(self, scope: Scope) -> bool:
        """True when a change is to be completed, or views may be lost since another boot."""
        slot = self.slot(scope)
        if slot is None:
            return self.lost_slot(scope)
        if slot.header is None or slot.status in ("armed", "views"):
            return True
        return slot.header.boot != self.boot

    def mark(self, scope: Scope) -> tuple[str, int]:
        """Changes whenever something was or is being published."""
        slot = self.slot(scope)
        if slot is None or slot.header is None:
            return ("", 0)
        # `settled` shows the same files as `done`: a reader need not read again.
        status = "done" if slot.status == "settled" else slot.status
        return (status, slot.header.sequence)

    def overlay(self, scope: Scope) -> dict[str, bytes | None]:
        """Truth of a committed change that may not be in place: read it from the journal."""
        slot = self.slot(scope)
        if slot is None or slot.header is None or slot.status in ("settled", "views", "refused"):
            return {}
        if slot.status == "done" and slot.header.boot == self.boot:
            return {}
        images = journal.body(self.files, self.slot_path(scope), slot)
        if images is None:
            return {}
        out: dict[str, bytes | None] = {}
        for item in slot.header.replaces:
            if item.truth:
                out[item.path] = _cut(images, item.image) if item.image else None
        for line in slot.header.appends:
            try:
                data = self.files.read(self.real(line.path))
            except FileNotFoundError:
                data = b""
            out[line.path] = data[: line.offset] + _cut(images, line.image)
        return out


def _cut(images: bytes, image: tuple[int, int]) -> bytes:
    return images[image[0] : image[0] + image[1]]
