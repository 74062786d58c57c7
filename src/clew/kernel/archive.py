"""The archive around a manifest: a plain ZIP that any program opens, and that clew distrusts.

The first member is the manifest, the others are `content/` and the paths of the folder. Writing
goes through `Files`; reading believes nothing: sizes, packing and places of members are judged
before a byte is unpacked, and what is unpacked is held against the manifest's hash.
Why ZIP: docs/decisions/0010-a-backup-is-a-plain-zip.md.
"""

from __future__ import annotations

import errno
import hashlib
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Set
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from clew.kernel import manifest as manifests
from clew.kernel.errors import Missing, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.manifest import File, Folder, Manifest, shown

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MANIFEST_NAME: Final = "clew-backup.json"
CONTENT: Final = "content/"
BLOCK: Final = 1 << 20
"""Bytes read, packed and written at a time."""
RATIO: Final = 200
"""A member may unpack to this many times its packed size, and `_SLACK` bytes. What packs better
is stored unpacked, so that no archive of ours is ever taken for a bomb."""
_SLACK: Final = 4096
_PACKINGS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FLAGS: Final = 0x0800 | 0x0008 | 0x0006
"""UTF-8 names, sizes after the data, packing hints. Anything else (encryption) is not ours."""
_LOCAL_HEADER: Final = 30
TEMPORARY: Final = ".clew-backup-"
"""How the names of unfinished archives and folders begin."""
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, RuntimeError,
    ValueError, OverflowError, IndexError, KeyError,
)  # fmt: skip
"""What the standard library raises on hostile bytes."""


class Moved(Exception):
    """A file was not the same when it was stored as when it was hashed."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class _Damaged(Exception):
    """The archive is not what it should be at this place."""


@contextmanager
def _doubting() -> Iterator[None]:
    """Every way in which the standard library says that bytes make no sense, as one."""
    try:
        yield
    except _BROKEN as error:
        raise _Damaged from error
    except OSError as error:
        if error.errno != errno.EINVAL:  # a seek to where no file can be is damage, not the disk
            raise
        raise _Damaged from error


class _Sink(io.RawIOBase):
    """A file written through `Files`, for `zipfile`."""

    def __init__(self, files: Files, path: str) -> None:
        self._files, self._path, self._at, self._end = files, path, 0, 0

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._end)[whence]
        return self._at

    def write(self, data: ReadableBuffer) -> int:
        block = bytes(data)
        self._files.write_at(self._path, self._at, block)
        self._at += len(block)
        self._end = max(self._end, self._at)
        return len(block)


def write(
    files: Files,
    path: str,
    manifest: Manifest,
    read: Callable[[str], Iterator[bytes]],
    unpacked: Set[str],
) -> set[str]:
    """Fill the new file at `path` with the archive; `read` gives the blocks of a file.

    Raises `Moved` when a file is not what the manifest says, `OSError` when the disk refuses.
    Returns the paths that pack better than `RATIO` and must go into `unpacked` instead.
    """
    dense: set[str] = set()
    with (
        io.BufferedWriter(_Sink(files, path), BLOCK) as out,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as pack,
    ):
        created = int(datetime.fromisoformat(manifest.created).timestamp())
        data = manifests.encode(manifest)
        pack.writestr(_info(MANIFEST_NAME, 0o644, created * 10**9), data)
        for folder in manifest.folders:
            info = _info(f"{CONTENT}{folder.path}/", folder.mode, created * 10**9)
            info.external_attr = (stat.S_IFDIR | folder.mode) << 16 | 0x10
            info.compress_type = zipfile.ZIP_STORED
            pack.writestr(info, b"")
        for file in manifest.files:
            info = _info(f"{CONTENT}{file.path}", file.mode, file.mtime_ns)
            info.file_size = file.size
            if file.path in unpacked:
                info.compress_type = zipfile.ZIP_STORED
            found, size = hashlib.sha256(), 0
            with pack.open(info, "w") as member:
                for block in read(file.path):
                    size += len(block)
                    if size > file.size:
                        raise Moved(file.path)
                    found.update(block)
                    member.write(block)
            if found.hexdigest() != file.sha256:
                raise Moved(file.path)
            if _too_dense(info):
                dense.add(file.path)
    return dense


def _info(name: str, mode: int, mtime_ns: int) -> zipfile.ZipInfo:
    low, high = datetime(1980, 1, 1, tzinfo=UTC), datetime(2107, 12, 31, tzinfo=UTC)
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=mtime_ns // 10**9)
    except OverflowError:
        moment = low
    moment = min(max(moment, low), high)  # what a ZIP can say; the manifest has it exactly
    info = zipfile.ZipInfo(name, moment.timetuple()[:6])
    info.external_attr = (stat.S_IFREG | mode) << 16
    info.create_system = 3
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _too_dense(info: zipfile.ZipInfo) -> bool:
    return info.file_size > _SLACK + RATIO * info.compress_size


class Opened(NamedTuple):
    """An archive that was opened and judged without unpacking it."""

    manifest: Manifest | None
    manifest_sha256: str
    faults: tuple[Fault, ...]
    members: dict[str, zipfile.ZipInfo]
    """Of the manifest's files, those whose member may be unpacked."""
    pack: zipfile.ZipFile | None

    def blocks(self, file: File) -> Iterator[bytes]:
        """The content of a file; ends early, or with a wrong hash, when it is damaged.

        Never gives more than `file.size` bytes. Use with `Check`.
        """
        assert self.pack is not None
        left = file.size
        try:
            with _doubting(), self.pack.open(self.members[file.path]) as member:
                while left and (block := member.read(min(BLOCK, left))):
                    left -= len(block)
                    yield block
        except _Damaged:
            return


@contextmanager
def opened(files: Files, archive: str) -> Iterator[Opened]:
    """Open and judge an archive. Raises `Missing` when there is none, `OSError` from the disk."""
    real = files.resolve(archive)
    found = files.stat(real)
    if found is None:
        raise Missing(Fault("missing_file", file=shown(archive)))
    if found.kind != "file":
        yield _broken("archive_foreign", archive)
        return
    with Path(real).open("rb") as handle:
        begins = handle.read(_LOCAL_HEADER + len(MANIFEST_NAME))
        ours = begins[:4] == b"PK\3\4" and begins[_LOCAL_HEADER:] == MANIFEST_NAME.encode()
        if not ours:
            yield _broken("archive_foreign", archive)
            return
        try:
            with _doubting():
                pack = zipfile.ZipFile(handle)
        except _Damaged:
            yield _broken("archive_cut", archive)
            return
        with pack:
            yield _judge(pack, archive)


def _broken(code: str, archive: str) -> Opened:
    return Opened(None, "", (Fault(code, file=shown(archive)),), {}, None)


def _judge(pack: zipfile.ZipFile, archive: str) -> Opened:
    infos = pack.infolist()
    first = infos[0] if infos else None
    if first is None or first.filename != MANIFEST_NAME or first.header_offset != 0:
        return _broken("archive_cut", archive)
    data = _manifest_bytes(pack, first)
    if data is None:
        fault = Fault("archive_manifest_damaged", file=MANIFEST_NAME, reason="CRC / zlib")
        return Opened(None, "", (fault,), {}, None)
    manifest, faults = manifests.decode(data, MANIFEST_NAME)
    if manifest is None:
        return Opened(None, "", tuple(faults), {}, None)
    members = _match(infos, pack.start_dir, manifest, faults)
    return Opened(manifest, hashlib.sha256(data).hexdigest(), tuple(faults), members, pack)


def _manifest_bytes(pack: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes | None:
    if info.file_size > manifests.MANIFEST_BYTES or not _plain(info):
        return None
    try:
        with _doubting(), pack.open(info) as member:
            return member.read(info.file_size)
    except _Damaged:
        return None


def _plain(info: zipfile.ZipInfo) -> bool:
    return info.compress_type in _PACKINGS and not info.flag_bits & ~_FLAGS


def _match(
    infos: list[zipfile.ZipInfo], end: int, manifest: Manifest, faults: list[Fault]
) -> dict[str, zipfile.ZipInfo]:
    """Hold the members against the manifest; what may be unpacked is returned."""
    overlapping = _overlapping(infos, end)
    by_name: dict[str, zipfile.ZipInfo] = {}
    for info in infos[1:]:
        if info.orig_filename in by_name:
            faults.append(Fault("archive_member_repeated", file=shown(info.orig_filename)))
        by_name[info.orig_filename] = info
    members: dict[str, zipfile.ZipInfo] = {}
    entries: list[File | Folder] = [*manifest.folders, *manifest.files]
    for entry in entries:
        size = entry.size if isinstance(entry, File) else 0
        found = by_name.pop(CONTENT + entry.path + ("" if isinstance(entry, File) else "/"), None)
        if found is None:
            faults.append(Fault("archive_member_missing", file=shown(entry.path)))
        elif found.header_offset in overlapping or _too_dense(found):
            faults.append(
                Fault("archive_member_bomb", file=shown(entry.path), found=found.file_size)
            )
        elif not _plain(found) or found.file_size != size:
            faults.append(Fault("archive_member_damaged", file=shown(entry.path)))
        elif isinstance(entry, File):
            members[entry.path] = found
    faults.extend(Fault("archive_member_extra", file=shown(name)) for name in by_name)
    return members


def _overlapping(infos: list[zipfile.ZipInfo], end: int) -> set[int]:
    """Where members begin whose bytes reach into the next one: the trick of the densest bombs."""
    ordered = sorted(infos, key=lambda i: i.header_offset)
    ends = [*(i.header_offset for i in ordered[1:]), end]
    return {
        info.header_offset
        for info, limit in zip(ordered, ends, strict=True)
        if not info.header_offset >= 0
        or info.header_offset + _LOCAL_HEADER + info.compress_size > limit
    }


class Check:
    """Counts and hashes blocks on their way."""

    def __init__(self) -> None:
        self._hash, self._size = hashlib.sha256(), 0

    def add(self, block: bytes) -> None:
        self._hash.update(block)
        self._size += len(block)

    def fits(self, file: File) -> bool:
        """Whether what went by is the file that the manifest promises."""
        return self._size == file.size and self._hash.hexdigest() == file.sha256


def resolve_folder(files: Files, folder: str | os.PathLike[str]) -> str:
    """The real path of a folder. Raises `Missing` when it is not one."""
    root = files.resolve(os.fspath(folder))
    found = files.stat(root)
    if found is None or found.kind != "dir":
        raise Missing(Fault("missing_file", file=shown(os.fspath(folder))))
    return root


def resolve_new(files: Files, path: str | os.PathLike[str]) -> str:
    """The path of something to be made: links above it are followed, itself is not."""
    plain = Path(path).absolute()
    parent = resolve_folder(files, plain.parent)
    return f"{parent.rstrip('/')}/{plain.name}"


@contextmanager
def storage(path: str) -> Iterator[None]:
    """Turn what the operating system refuses into the family; `path` when it names no file."""
    try:
        yield
    except OSError as error:
        named = error.filename if isinstance(error.filename, str) else path
        raise storage_failed(error, shown(named)) from error


class Summary(NamedTuple):
    """What an archive holds."""

    name: str
    kind: str
    created: str
    files: int
    folders: int
    links: int
    """Links that a restore makes again; those that lead outside stand in the notes."""
    size: int
    """Bytes of all files, unpacked."""
    manifest_sha256: str
    """Names this archive's content in one line."""
    notes: tuple[Fault, ...]


class Verification(NamedTuple):
    """What reading an archive back said."""

    summary: Summary | None
    """None when the manifest itself cannot be read."""
    faults: tuple[Fault, ...]

    @property
    def ok(self) -> bool:
        return not self.faults


def verify(archive: str | os.PathLike[str], *, files: Files | None = None) -> Verification:
    """Read an archive back completely and name each damaged, missing, extra or unsafe member.

    Whatever is in the file, the answer is faults. Raises `Missing` when there is no such file and
    `StorageFailed` when the disk cannot be read.
    """
    files = files or Files()
    path = os.fspath(archive)
    with storage(path), opened(files, path) as found:
        faults = list(found.faults)
        if found.manifest is None:
            return Verification(None, tuple(faults))
        for file in found.manifest.files:
            if file.path not in found.members:
                continue  # a fault already
            check = Check()
            for block in found.blocks(file):
                check.add(block)
            if not check.fits(file):
                faults.append(Fault("archive_member_damaged", file=shown(file.path)))
        return Verification(_summary(found.manifest, found.manifest_sha256), tuple(faults))


def _summary(manifest: Manifest, sha256: str) -> Summary:
    return Summary(
        manifest.name, manifest.kind, manifest.created, len(manifest.files),
        len(manifest.folders), sum(link.inside for link in manifest.links),
        sum(file.size for file in manifest.files), sha256, tuple(manifests.notes(manifest)),
    )  # fmt: skip
