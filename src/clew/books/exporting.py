"""Exporting a version: into a file that is new, with everything that it cannot hold told first.

The file carries the picture and the other content of what was imported, where the target can hold
them; text chunks of a PNG are exchanged and nothing else. Writes the one file that was asked for, and
never over another one unless told to.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, Final

import msgspec

from clew.books import cards, versions
from clew.books.assets import clean_name
from clew.books.cards.report import Limits
from clew.books.library import Library
from clew.books.listing import named
from clew.kernel.errors import ClewError, Missing, Refused, storage_failed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.text import NAME_BYTES, byte_length, name_fault

LIMITS: Final = Limits()
_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_LORE: Final = {"v2": "character_book", "v3": "lorebook_v3", "worldinfo": "worldinfo"}


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was written, or would be."""

    status: str = "ok"
    id: str
    title: str
    version: int
    file: str
    container: str
    spec: str
    bytes: int
    written: bool
    """False with `--dry-run`, and where the file is there already, byte for byte."""
    losses: list[dict[str, Any]]
    """What the file does not hold, or not where other programs look for it."""
    lossless: bool


def export(
    library: Library,
    name: str,
    container: str = "png",
    spec: str = "v3",
    *,
    out: str,
    dry_run: bool = False,
    force: bool = False,
    strict: bool = False,
    lang: str = "en",
) -> Exported:
    """Write a version to a file. `out` is a file, or a folder that exists.

    Raises `Refused`: `export_taken` when another file is there (`force` replaces it), with `strict`
    the line of everything that would be lost, `not_allowed`, `charx_is_v3`; `Missing`
    (`no_such_asset`, `no_such_version`).
    """
    asset, number = named(library, name)
    version = versions.version_of(asset, number)
    found = library.look(lambda reader: versions.content(reader, asset, version.number))
    if found.lorebook is not None:
        if spec not in _LORE:
            raise Refused(Fault("not_allowed", "spec", found=spec, allowed=tuple(_LORE)))
        container = "json"
        target = _LORE[spec]
        losses = cards.lorebook_losses(found.lorebook, target)
        if strict and losses:
            raise Refused(*losses)
        data = cards.write_lorebook(found.lorebook, target)
    else:
        assert found.card is not None
        has = versions.carrier(library, asset, version)
        library.notes += has.notes
        how: dict[str, Any] = {"source": has.source, "picture": has.picture, "limits": LIMITS}
        losses = cards.losses(found.card, spec, container, **how)
        if strict and losses:
            raise Refused(*losses)
        data = cards.write(found.card, spec, container, **how)
    path = _target(out, file_name(asset.title, asset.id), container)
    written = not dry_run and _write(path, data, force=force)
    return Exported(
        id=asset.id, title=asset.title, version=version.number, file=path, container=container,
        spec=spec, bytes=len(data), written=written,
        losses=[fault.to_dict(lang) for fault in losses], lossless=not losses,
    )  # fmt: skip


def file_name(title: str, ident: str) -> str:
    """A name for a file that is safe on every system: the title where it can be, else the id."""
    name = _FORBIDDEN.sub("_", clean_name(title)).strip(" .")
    while byte_length(name) > NAME_BYTES - 20:
        name = name[:-1]
    name = name.strip(" .")
    if not name.strip("_"):
        return ident
    return f"_{name}" if name_fault(name) is not None else name


def _target(out: str, name: str, container: str) -> str:
    files = Files()
    found = files.stat(files.resolve(out))
    if found is not None and found.kind == "dir":
        return posixpath.join(out, f"{name}.{container}")
    return out


def _write(path: str, data: bytes, *, force: bool) -> bool:
    files = Files()
    folder = path.replace("\\", "/").rpartition("/")[0]
    try:
        found = files.stat(files.resolve(path))
        if found is not None and found.kind != "file":
            raise Refused(Fault("export_taken", file=path))
        if found is not None:
            if found.size == len(data) and files.read(path) == data:
                return False
            if not force:
                raise Refused(Fault("export_taken", file=path))
        if folder and files.stat(files.resolve(folder)) is None:
            raise Missing(Fault("missing_file", file=folder))
        _replace(files, path, data)
    except OSError as error:
        raise storage_failed(error, path) from error
    return True


def _replace(files: Files, path: str, data: bytes) -> None:
    """Whole or not at all."""
    import os
    from contextlib import suppress

    staged = f"{path}.clew-{os.getpid()}.tmp"
    try:
        files.create(staged, data)
        files.sync(staged)
        files.replace(staged, path)
    except (OSError, ClewError):
        with suppress(OSError):
            files.remove(staged)
        raise
