"""A state file on the disk: found, judged, mended, replaced. Knows bytes and names, not events.

Beside `x.json` lie `x.json.bak` (the last good copy), `x.json.lock`, `x.json.pending` (changes that
wait), and what was set aside: `x.json.broken-<time>`, `x.json.old-<time>`. `x.json.tmp` and
`x.json.restoring` are new files on their way. At every instant a kill or a power cut leaves the old
or the new state under the first name: a broken one is moved away only when what takes its place is
durable as `.restoring`. Every call goes through `kernel.files`. Standard library only, Python 3.9.

Links: a state may lie behind a symbolic link; it is replaced at the link's target, which must belong
to this user, must be a state (or nothing yet), and must not leave `inside` where that is given. What
lies beside a state is never read through a link.
"""

from __future__ import annotations

from clew.sidecar.engine_values import BOOK
from clew.sidecar.messages import reason, reason_of, word
from clew.sidecar.pending import is_ours
from clew.sidecar.section import Section
from clew.sidecar.statefile import LIMIT, BrokenState, decode, encode, salvage, speaks_of_off

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from clew.kernel.files import Files

    Word = dict[str, Any]


KEPT = 32
"""So many files that were set aside with values that did not fit; no more are made."""


class UnreadableError(OSError):
    """A file that is there and is not to be touched. `reason` is a key of `messages.REASONS`."""

    def __init__(self, why: str, path: str) -> None:
        self.reason = why
        super().__init__(1, why, path)


class Look:
    """What lies there. `kind`: `missing`, `good`, `broken`, or `staged` (good, and half mended).
    `why` says what is broken, or of a good one that it `stays_off`."""

    __slots__ = ("data", "kind", "raw", "why")

    def __init__(
        self, kind: str, raw: dict[str, Any] | None = None, data: bytes = b"", why: str = ""
    ) -> None:
        self.kind = kind
        self.raw = raw
        self.data = data
        self.why = why


class Keeping:
    """One state file. `fields`: the names that a state has; `former`: those that it may have from
    before; `active`: the one for opting in."""

    def __init__(
        self,
        path: str,
        *,
        fields: Callable[[], set[str]],
        former: Callable[[], set[str]] = set,
        active: str,
        version: int,
        files: Files,
        now: Callable[[], str],
        inside: str = "",
        ours: Callable[[str], bool] = is_ours,
    ) -> None:
        self._given = path
        self._fields = fields
        self._former = former
        self._active = active
        self._version = version
        self._files = files
        self._now = now
        self._inside = inside
        self._ours = ours
        self.real = files.resolve(path)
        """The file itself, behind any link."""
        self.is_trusted = True
        """Whether anything may be made beside it, as far as the last look told."""

    # ---- looking -------------------------------------------------------------------------------

    def look(self) -> Look:
        """What lies there now. Raises `UnreadableError`, or `OSError` from the system."""
        linked = self._check_links()
        for _ in range(3):
            found = self._files.stat(self.real)
            if found is None:
                staged = self._read_good(self.real + ".restoring")
                if staged is not None:
                    return Look("staged", staged)
                if self._files.stat(self.real) is None:
                    return Look("missing")
                continue  # somebody mended it while we looked
            if found.kind != "file":
                self.is_trusted = found.kind != "other"
                raise UnreadableError("not_a_file", self.real)
            try:
                data = self._files.read(self.real, 0, LIMIT + 1 if found.size > LIMIT else -1)
            except FileNotFoundError:
                continue
            return self._judged(data, linked)
        raise UnreadableError("not_a_file", self.real)

    def _judged(self, data: bytes, linked: bool) -> Look:
        try:
            raw = decode(data)
        except BrokenState as error:
            if linked and self.copy() is None:
                # Whatever the link leads to was never ours: it is not moved out of the way.
                self.is_trusted = False
                raise UnreadableError("link_no_state", self.real) from None
            return Look("broken", None, data, error.reason)
        if not self._is_state(raw):
            self.is_trusted = not linked
            raise UnreadableError("foreign", self.real)
        doubtful = not self.is_off(raw) and self._is_doubtful(raw)
        if doubtful:
            raw[self._active] = False
        return Look("good", raw, data, "stays_off" if doubtful else "")

    def _is_doubtful(self, raw: dict[str, Any]) -> bool:
        """Whether parts are missing that every save writes, and no copy confirms that it is on: a
        hole in a file can join the name of the switch to another field's `true`."""
        book = raw.get(BOOK)
        if isinstance(book, dict):
            version = book.get("schema_version")
            if version != self._version or self._fields() <= raw.keys():
                return False
        elif self._files.stat(self.real + ".bak") is None:
            return False  # no save of ours was ever here: another program's file is taken over
        return self.is_off(self.copy())

    def _is_state(self, raw: dict[str, Any]) -> bool:
        """Some other program's JSON may share a name or two with a profile."""
        if isinstance(raw.get(BOOK), dict):
            return True
        if self._active not in raw:
            return False
        fields = self._fields()
        shared = len(fields & raw.keys())
        if 2 * shared >= len(fields):
            return True
        return 2 * (shared + len(self._former() & raw.keys())) >= len(raw)

    def check(self) -> None:
        """Nothing is made, not even a lock, where a state may not be. Raises `UnreadableError`."""
        self._check_links()
        found = self._files.stat(self.real)
        if found is not None and found.kind == "other":
            self.is_trusted = False
            raise UnreadableError("not_a_file", self.real)

    def _check_links(self) -> bool:
        self.real = self._files.resolve(self._given)
        self.is_trusted = False
        linked = self._judged_links()
        self.is_trusted = True
        return linked

    def _judged_links(self) -> bool:
        if self._inside:
            root = self._files.resolve(self._inside).rstrip("/")
            if not self.real.startswith(root + "/"):
                raise UnreadableError("link_outside", self._given)
        found = self._files.stat(self._given)
        linked = found is not None and found.kind == "link"
        if linked and not self._ours(self.real):
            raise UnreadableError("link_owner", self._given)
        return linked

    def copy(self) -> dict[str, Any] | None:
        """The last good copy, or None where there is none that can be read."""
        return self._read_good(self.real + ".bak")

    def _read_good(self, path: str) -> dict[str, Any] | None:
        try:
            found = self._files.stat(path)
            if found is None or found.kind != "file":
                return None
            raw = decode(self._files.read(path, 0, LIMIT + 1))
        except (OSError, BrokenState):
            return None
        return raw if self._is_state(raw) else None

    def is_settled(self, look: Look) -> bool:
        """Whether nothing that lies beside a good state could switch it on again after a no."""
        if look.kind != "good":
            return True
        left = self._files.stat(self.real + ".restoring")
        if left is not None and left.kind == "file":
            return False
        if not self.is_off(look.raw):
            return True
        copy = self.copy()
        return copy is None or self.is_off(copy)

    def settle(self, look: Look) -> None:
        """What somebody switched off by hand is off in its copy, too, and a mending that was left
        undone is over. The lock must be held. Raises OSError."""
        self._drop_restoring()
        copy = self.copy()
        if not self.is_off(look.raw) or copy is None or self.is_off(copy):
            return
        copy[self._active] = False
        try:
            self._put(self.real + ".bak", encode(copy))
        except OSError:
            self._files.remove(self.real + ".bak")

    def _drop_restoring(self) -> None:
        found = self._files.stat(self.real + ".restoring")
        if found is not None and found.kind != "dir":
            self._files.remove(self.real + ".restoring")

    # ---- mending -------------------------------------------------------------------------------

    def rescue(self, look: Look) -> tuple[dict[str, Any] | None, list[Word]]:
        """What can be gone on from when a file is broken, and what to say of it."""
        raw, note = self.copy(), word("sidecar_recovered", file=self.real + ".bak")
        off = raw is not None and self.is_off(raw)
        if raw is not None and not off and speaks_of_off(look.data, self._active):
            raw[self._active] = False
        if raw is None:
            raw = salvage(look.data, self._active)
            if raw is None or not self._is_state(raw):
                return None, [word("sidecar_anew")]
            note = word("sidecar_salvaged", file=self.real)
        notes = [note]
        if not off and self.is_off(raw):
            notes.append(word("sidecar_stays_off"))
        return raw, notes

    def is_off(self, raw: dict[str, Any] | None) -> bool:
        """Whether a state is anything but switched on."""
        return raw is None or raw.get(self._active) is not True

    def mend(self, look: Look) -> tuple[Look, list[Word]]:
        """Put something good, or nothing, in the place of a broken file, which is kept. The lock
        must be held."""
        files, real = self._files, self.real
        if look.kind == "staged":
            files.replace(real + ".restoring", real)
            files.sync_dir(self.folder)
            return Look("good", look.raw), [word("sidecar_recovered", file=real + ".bak")]
        raw, notes = self.rescue(look)
        kept = self.aside("broken")
        told = word("sidecar_broken", file=real, kept=kept, **reason(look.why))
        if raw is None:
            if files.stat(real + ".bak") is not None:
                files.replace(real + ".bak", self.aside("broken", ".bak"))
            files.replace(real, kept)
            files.sync_dir(self.folder)
            return Look("missing"), [told, *notes]
        data = encode(raw)
        if self.is_off(raw):
            self._put(real + ".bak", data)  # so that no later damage finds an older yes
        self._create(real + ".restoring", data)
        files.sync_dir(self.folder)
        files.replace(real, kept)
        files.sync_dir(self.folder)  # before anything takes its place
        files.replace(real + ".restoring", real)
        files.sync_dir(self.folder)
        return Look("good", raw, data), [told, *notes]

    # ---- writing -------------------------------------------------------------------------------

    @property
    def folder(self) -> str:
        """The folder of the file itself."""
        return self.real.rpartition("/")[0] or "/"

    def section(self, timeout: float, *, make: bool = False) -> Section:
        """The lock of this state. `make`: also the folder that it lies in. Raises
        `UnreadableError` where a state may not be."""
        self.check()
        prepare = self.make_folder if make else None
        lock = self.real + ".lock"
        return Section(self._files, lock, timeout=timeout, note=self._now(), prepare=prepare)

    def make_folder(self) -> None:
        """Make the folders that are missing, for this user alone."""
        missing = []
        folder = self.folder
        while self._files.stat(folder) is None:
            missing.append(folder)
            folder = folder.rpartition("/")[0] or "/"
        for path in reversed(missing):
            self._files.make_dir(path, 0o700)
            self._files.sync_dir(path.rpartition("/")[0] or "/")

    def save(self, look: Look, state: dict[str, Any], *, keep_old: bool) -> list[Word]:
        """Replace the state and its good copy; the lock must be held. `keep_old`: what the state
        held before does not live on in the new one, so the file is kept as well.

        The copy goes first when the state is off, so that at no instant an older yes could be
        found after a no. Raises OSError when the state could not be replaced, and ValueError when
        it cannot be written as JSON.
        """
        data = encode(state)
        notes: list[Word] = []
        self._drop_restoring()
        if look.kind == "missing" and self._files.stat(self.real + ".bak") is not None:
            # The copy of a state that somebody deleted: of no use to the new one, and not ours to
            # write over.
            self._files.replace(self.real + ".bak", self.aside("old"))
        if keep_old and look.data:
            kept = self.aside("broken")
            self._create(kept, look.data)
            notes.append(word("sidecar_values_kept", kept=kept))
        off = self.is_off(state)
        turned = off and not self.is_off(look.raw)
        no_copy = False
        if off:
            told = self._save_copy(data, turned=turned)
            notes += told
            no_copy = turned and bool(told)
        self._put(self.real, data, gone=self.real + ".bak" if no_copy else "")
        if not off:
            notes += self._save_copy(data, turned=False)
        return notes

    def may_keep(self) -> bool:
        """Whether another copy of what a file held is of use: the first ones hold what was lost,
        and a program that does the same again at every turn would fill the disk."""
        start = self.real.rpartition("/")[2] + ".broken-"
        return sum(name.startswith(start) for name in self._files.names(self.folder)) < KEPT

    def _save_copy(self, data: bytes, *, turned: bool) -> list[Word]:
        try:
            self._put(self.real + ".bak", data, durable=turned)
        except OSError as error:
            return [word("sidecar_no_copy", **reason_of(error))]
        return []

    def _put(self, path: str, data: bytes, *, durable: bool = True, gone: str = "") -> None:
        """One atomic replace. Not durable (only for the copy, when the state itself is whole): after
        a power cut the old content may be there, or none. `gone`: a file that goes once the new one
        is on the disk, and before it is in its place."""
        temporary = self.real + ".tmp"
        try:
            self._create(temporary, data, durable=durable)
        except (IsADirectoryError, PermissionError):
            # A folder under this name: not ours to remove, and not to be stopped by.
            found = self._files.stat(temporary)
            if found is None or found.kind != "dir":
                raise
            self._files.replace(temporary, self.aside("old", ".tmp"))
            self._create(temporary, data, durable=durable)
        try:
            if gone:
                self._files.remove(gone)
                self._files.sync_dir(self.folder)
            if not durable:
                # A rename over a file that is there makes ext4 write the new one out at once.
                self._files.remove(path)
            self._files.replace(temporary, path)
        except OSError:
            self._discard(temporary)
            raise
        if durable:
            self._files.sync_dir(self.folder)

    def _create(self, path: str, data: bytes, *, durable: bool = True) -> None:
        try:
            try:
                self._files.create(path, data, 0o600)
            except FileExistsError:  # whoever made it is dead: the lock is ours
                self._files.remove(path)
                self._files.create(path, data, 0o600)
            if durable:
                self._files.sync(path)
        except OSError:
            self._discard(path)
            raise

    def _discard(self, path: str) -> None:
        try:
            self._files.remove(path)
        except OSError:
            return  # the next one takes its place

    def set_aside(self) -> str:
        """Take the state away, with its copy; where it is kept, or nothing when there was none. The
        lock must be held."""
        kept = ""
        for path, end in ((".restoring", ""), ("", ""), (".bak", ".bak")):
            if self._files.stat(self.real + path) is not None:
                name = self.aside("old", end)
                self._files.replace(self.real + path, name)
                kept = kept or name
        if kept:
            self._files.sync_dir(self.folder)
        return kept

    def aside(self, kind: str, end: str = "") -> str:
        """A free name beside the state: `x.json.broken-20260508T101234Z`."""
        stem = f"{self.real}.{kind}-{self.moment()}"
        name = stem + end
        number = 0
        while self._files.stat(name) is not None:
            number += 1
            name = f"{stem}-{number}{end}"
        return name

    def moment(self) -> str:
        """The present moment as names have it."""
        return self._now().replace("-", "").replace(":", "")
