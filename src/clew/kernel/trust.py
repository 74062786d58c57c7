"""Trust: whether what a folder names (commands, endpoints, outside files) may be used.

A folder may come from anywhere, so that what it names is inert until its user says otherwise. That
word is kept outside the folder and bound to the folder's real path and to the content of every
naming file: when one changes, appears or goes, the folder is untrusted until it is trusted again.
A store that cannot be read trusts nobody and is never overwritten. Guide: docs/backup-and-trust.md.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from clew.kernel.clock import Clock, stamp, system_clock
from clew.kernel.document import INPUT_BYTES, digest, encode, parse
from clew.kernel.errors import (
    ClewError,
    Corrupt,
    Missing,
    NewerSchema,
    Refused,
    StorageFailed,
    storage_failed,
)
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.files import Files
from clew.kernel.lock import exclusive
from clew.kernel.manifest import shown
from clew.kernel.place import Place
from clew.kernel.text import has_surrogate
from clew.kernel.vault import safe_path

SCHEMA: Final = 1
_STORE_BYTES: Final = 16_000_000
_WINDOWS: Final = os.name == "nt"
_Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class TrustRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was trusted: the folder's real path and the SHA-256 of each naming file in it."""

    folder: str
    files: dict[str, _Sha256]
    trusted_at: str
    """UTC, to the millisecond."""


class _Store(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: Literal["clew-trust"]
    schema_version: Literal[1]
    folders: list[TrustRecord]


class Judgement(NamedTuple):
    """Whether a folder is trusted, and if not, why."""

    trusted: bool
    contents: Mapping[str, bytes]
    """The very bytes of the naming files that were judged; empty when the folder is not trusted.
    Parse these and read nothing again: a file may change between two reads."""
    fault: Fault | None
    """`not_trusted`, `trust_changed`, or why the store or a naming file cannot be used."""


class TrustStore:
    """Which folders are trusted, in one file that the caller places (a user's configuration).

    `path` must lie outside every folder that is ever asked about. `files` and `clock` are
    injectable for tests.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        files: Files | None = None,
        clock: Clock = system_clock,
        timeout: float = 10.0,
    ) -> None:
        self._files = files or Files()
        self._path = self._files.resolve(os.fspath(path))
        self._clock = clock
        self._timeout = timeout

    def trust(
        self, folder: str | os.PathLike[str], naming_files: Iterable[str] = ()
    ) -> TrustRecord:
        """Trust a folder with the present content of its naming files.

        `naming_files` are all the places, relative to the folder, where such a file may stand;
        those that do not exist must stay absent for the trust to last.

        Raises `Missing` (no such folder), `Refused` (`unsafe_path`, `too_large`,
        `trust_store_inside`), `Corrupt`, `NewerSchema` or `StorageFailed` when the store cannot be
        used, `Locked` after the timeout.
        """
        root = self._root(folder)
        if not Path(root).is_dir():
            raise Missing(Fault("missing_file", file=root))
        contents = self._contents(root, naming_files)
        record = TrustRecord(
            root, {p: digest(data) for p, data in contents.items()}, stamp(self._clock())
        )
        with self._changing() as records:
            records[root] = record
        return record

    def is_trusted(self, folder: str | os.PathLike[str], naming_files: Iterable[str] = ()) -> bool:
        """Whether the folder is trusted as it stands now. Never raises for what is on the disk."""
        return self.judge(folder, naming_files).trusted

    def judge(self, folder: str | os.PathLike[str], naming_files: Iterable[str] = ()) -> Judgement:
        """Like `is_trusted`, with the bytes that were judged and the reason when it is not."""
        try:
            root = self._root(folder)
            record = self._load().get(root)
            if record is None:
                return _no(Fault("not_trusted", file=root))
            # A naming file that was trusted counts even when the caller no longer asks about it.
            contents = self._contents(root, {*naming_files, *record.files})
        except ClewError as error:
            return _no(error.faults[0])
        now = {p: digest(data) for p, data in contents.items()}
        changed = sorted(
            p for p in now.keys() | record.files.keys() if now.get(p) != record.files.get(p)
        )
        if changed:
            return _no(Fault("trust_changed", file=root, found=changed))
        return Judgement(True, contents, None)

    def revoke(self, folder: str | os.PathLike[str]) -> bool:
        """Trust a folder no longer; it need not exist. False when it was not trusted.

        Raises what `trust` raises about the store.
        """
        plain = os.fspath(folder)
        # As `list` shows it, too: what lies at that path today may be a link to elsewhere.
        names = {self._files.resolve(plain), plain}
        if not names & self._load().keys():
            return False
        with self._changing() as records:
            found = names & records.keys()
            for name in found:
                del records[name]
        return bool(found)

    def list(self) -> tuple[TrustRecord, ...]:
        """Every record, by folder. Raises what `trust` raises about the store."""
        return tuple(record for _, record in sorted(self._load().items()))

    # ---- the folder ----------------------------------------------------------------------------

    def _root(self, folder: str | os.PathLike[str]) -> str:
        plain = os.fspath(folder)
        if has_surrogate(plain) or "\0" in plain:
            raise Refused(
                Fault(
                    "unsafe_path",
                    file=shown(plain),
                    reason=Both("路径不是合法 UTF-8", "the path is not valid UTF-8"),
                )
            )
        root = self._files.resolve(plain)
        if self._path.startswith(root.rstrip("/") + "/"):
            raise Refused(Fault("trust_store_inside", file=root, found=self._path))
        return root

    def _contents(self, root: str, naming_files: Iterable[str]) -> dict[str, bytes]:
        place = Place(root, self._files, self._clock, "")
        out = {}
        for path in sorted({safe_path(p) for p in naming_files}):
            try:
                real = place.real(path)
                found = self._files.stat(real)
                if found is None:
                    continue
                if found.kind != "file":
                    reason = Both("不是普通文件", "not a regular file")
                    raise Refused(Fault("unsafe_path", file=path, reason=reason))
                data = self._files.read(real, 0, INPUT_BYTES + 1)
            except OSError as error:
                raise storage_failed(error, path) from error
            if len(data) > INPUT_BYTES:
                raise Refused(Fault("too_large", file=path, found=found.size, limit=INPUT_BYTES))
            out[path] = data
        return out

    # ---- the store -----------------------------------------------------------------------------

    def _load(self) -> dict[str, TrustRecord]:
        self._refuse_exposed()
        try:
            data = self._files.read(self._path, 0, _STORE_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise storage_failed(error, self._path) from error
        try:
            value, _ = parse(data, self._path, limit=_STORE_BYTES)
            version = value.get("schema_version") if isinstance(value, dict) else None
            if isinstance(version, int) and version > SCHEMA:
                raise NewerSchema(
                    Fault("newer_schema", file=self._path, found=version, limit=SCHEMA)
                )
            store = msgspec.convert(value, _Store)
        except Refused as error:
            raise self._unreadable(error.faults[0].message()) from error
        except msgspec.ValidationError as error:
            raise self._unreadable(str(error)) from error
        return {record.folder: record for record in store.folders}

    def _unreadable(self, reason: str) -> Corrupt:
        return Corrupt(Fault("trust_store_unreadable", file=self._path, reason=reason))

    def _refuse_exposed(self) -> None:
        """A store that somebody else can write could trust anything in our name."""
        if _WINDOWS:  # pragma: no cover - permission bits say nothing there
            return
        for path in (self._path, posixpath.dirname(self._path)):
            try:
                found = Path(path).stat()
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                raise storage_failed(error, path) from error
            others = stat.S_IMODE(found.st_mode) & (stat.S_IWGRP | stat.S_IWOTH)
            if others or found.st_uid not in (os.getuid(), 0):
                raise StorageFailed(Fault("trust_store_exposed", file=path))

    @contextmanager
    def _changing(self) -> Iterator[dict[str, TrustRecord]]:
        """Read, change and replace the store under its lock. Nothing is written on an error."""
        files, folder = self._files, posixpath.dirname(self._path)
        self._refuse_exposed()
        try:
            self._make_folder(folder)
            with exclusive(
                f"{self._path}.lock", files=files, clock=self._clock, timeout=self._timeout
            ):
                records = self._load()
                yield records
                ordered = [record for _, record in sorted(records.items())]
                # One name for the next content: what a writer that was killed left goes first.
                temporary = f"{self._path}.new"
                files.remove(temporary)
                files.create(temporary, encode(_Store("clew-trust", SCHEMA, ordered)), 0o600)
                files.sync(temporary)
                files.replace(temporary, self._path)
                files.sync_dir(folder)
        except OSError as error:
            raise storage_failed(error, self._path) from error

    def _make_folder(self, folder: str) -> None:
        missing = []
        while self._files.stat(folder) is None:
            missing.append(folder)
            folder = posixpath.dirname(folder)
        for path in reversed(missing):
            self._files.make_dir(path, 0o700)


def _no(fault: Fault) -> Judgement:
    return Judgement(False, {}, fault)


register(
    Code(
        "not_trusted", 1,
        "{file} 尚未被信任：其中指定的命令、网址和外部文件都没有使用",
        "{file} is not trusted: the commands, endpoints and outside files that it names were not used",
        "先看看其中的配置文件，再运行 clew trust {file}。",
        "Look at its configuration files, then run `clew trust {file}`.",
        about_zh="文件夹可能来自任何人。信任记录在文件夹之外，绑定它的真实路径和配置文件的内容；移动文件夹后要重新信任。",
        about_en="A folder may come from anyone. Trust is kept outside of it, bound to its real path "
        "and to the content of its configuration; a folder that was moved is trusted anew.",
    ),
    Code(
        "trust_changed", 1,
        "{file} 里的 {found} 在信任之后有变动（修改、新增或删除），其中指定的命令和外部文件都没有使用",
        "{found} in {file} changed, appeared or went since it was trusted; the commands and outside "
        "files that it names were not used",
        "确认改动是你想要的，再运行 clew trust {file}。",
        "Make sure that the change is wanted, then run `clew trust {file}` again.",
        about_zh="信任的是当时的内容，不是文件名：同步、合并或别人的改动都要重新过目。",
        about_en="What was trusted is the content of then, not the name: a change by sync, merge or "
        "another person is to be looked at again.",
    ),
    Code(
        "trust_store_unreadable", 2,
        "信任记录 {file} 无法读取（{reason}）：当作都未信任，且不会覆盖它",
        "the trust store {file} cannot be read ({reason}): nothing is trusted, and it is left alone",
        "把这个文件改名留档，再用 clew trust 逐个重新信任。",
        "Move the file aside and trust your folders anew with `clew trust`.",
        about_zh="读不懂的记录从不当作空的，否则一次写入就会丢掉全部记录。",
        about_en="A store that makes no sense is never taken for an empty one: the next write would "
        "lose all of it.",
    ),
    Code(
        "trust_store_exposed", 2,
        "别的用户可以改写 {file}，其中的信任记录不算数",
        "{file} can be written by other users, so the trust in it does not count",
        "收回权限后再试：chmod go-w {file}，并确认它属于你。",
        "Take the permission back (chmod go-w {file}), make sure that it is yours, and try again.",
        about_zh="谁能改写信任记录，谁就能以你的名义运行命令。",
        about_en="Who can write the trust store can run commands in your name.",
    ),
    Code(
        "trust_store_inside", 2,
        "信任记录 {found} 在文件夹 {file} 里面，因此不能信任这个文件夹",
        "the trust store {found} lies inside {file}, which therefore cannot be trusted",
        "信任里面那个具体的书或人物文件夹，而不是包着配置目录的上级文件夹。",
        "Trust the book's or persona's own folder, not one that also holds your configuration.",
        about_zh="信任记录必须在被信任的文件夹之外，否则文件夹可以自己带来信任。",
        about_en="Trust must be kept outside the folder, or a folder could bring its own.",
    ),
)  # fmt: skip
