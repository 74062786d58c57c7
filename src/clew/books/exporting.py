"""Exporting a version: into a file that is new, with everything that it cannot hold told first.

The file carries the picture and the other content of what was imported, where the target can hold
them; text chunks of a PNG are exchanged and nothing else. Where a file that was imported is gone,
what the library knows of it decides what is lost. Writes the one file that was asked for, never over
another one unless told to, and never among the files of a library.
"""

from __future__ import annotations

import posixpath
import re
from typing import Any, Final, Literal

import msgspec

from clew.books import cards, versions
from clew.books.assets import clean_name
from clew.books.cards.carrier import carried
from clew.books.cards.charx import asset_path
from clew.books.cards.export import CONTAINERS
from clew.books.cards.report import Limits
from clew.books.library import Library
from clew.books.listing import named
from clew.books.model import Card
from clew.books.targets import refuse_own
from clew.kernel.errors import Missing, Refused, storage_failed
from clew.kernel.faults import TURNING, Both, Fault
from clew.kernel.files import Files
from clew.kernel.folder import replace_whole
from clew.kernel.text import NAME_BYTES, byte_length, name_fault

LIMITS: Final = Limits()
_FORBIDDEN: Final = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
_LORE: Final = {"v2": "character_book", "v3": "lorebook_v3", "worldinfo": "worldinfo"}
_UNSEEN: Final = dict.fromkeys((*TURNING, 0x200B, 0x2060, 0xFEFF))
"""What a file's name does without: it turns the order in which a name is shown, or is not seen."""
_DRAWN: Final = Both("画了一个线团代替", "a ball of thread is drawn in its place")
_WITHOUT: Final = Both("导出里没有它", "the file does not hold it")
_ANOTHER: Final = Both("用了另一版的图片", "the picture of another version is used")
_UNNAMED: Final = Both("，以及卡里没有提到的内容", ", and whatever the card does not name")
_CONTENT: Final = Both("里面的全部内容", "whatever was in it")
_HARMLESS: Final = frozenset(
    [
        "placeholder_drawn",
        "fields_filled",
        "copied_unchanged",
        "trailing_bytes",
        "private_left_out",
        "field_translated",
        "icon_added",
        "export_misnamed",
    ]
)
"""Lines that tell what is added or copied, or what no export ever takes along: nothing of the card is
lost by them."""


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
    why_not: Literal["", "dry_run", "there_already"] = ""
    """Why nothing was written: it was asked not to, or the file is there, byte for byte."""
    losses: list[dict[str, Any]]
    """What the file does not hold, or not where other programs look for it."""
    lossless: bool
    remarks: list[dict[str, Any]] = []
    """What is added or copied along, by which nothing of the card is lost."""


def export(
    library: Library,
    name: str,
    container: str | None = None,
    spec: str = "v3",
    *,
    out: str,
    dry_run: bool = False,
    force: bool = False,
    strict: bool = False,
    lang: str = "en",
) -> Exported:
    """Write a version to a file. `out` is a file, or a folder that exists. Without a `container`
    the name in `out` decides, and else a card is a PNG, a lorebook a JSON file.

    Raises `Refused`: `export_taken` when another file is there (`force` replaces it),
    `inside_library` where it would lie among a library's own files, with `strict` the line of
    everything that would be lost, `not_allowed`, `charx_is_v3`; `Missing` (`no_such_asset`,
    `no_such_version`).
    """
    asset, number = named(library, name)
    version = versions.version_of(asset, number)
    found = library.look(lambda reader: versions.content(reader, asset, version.number))
    told: list[Fault]
    if found.lorebook is not None:
        container = container or "json"
        target = _lore_target(container, spec)
        told = cards.lorebook_losses(found.lorebook, target)
        _allow(told, strict=strict)
        data = cards.write_lorebook(found.lorebook, target)
    else:
        assert found.card is not None
        container = container or _by_name(out) or "png"
        has = versions.carrier(library, asset, version)
        library.notes += [note for note in has.notes if note not in library.notes]
        how: dict[str, Any] = {"source": has.source, "picture": has.picture, "limits": LIMITS}
        told = _with_gone(
            cards.losses(found.card, spec, container, **how), found.card, container, has
        )
        _allow(told, strict=strict)
        data = cards.write(found.card, spec, container, **how)
    path = _target(out, file_name(asset.title, asset.id), container)
    refuse_own(path)
    told += _misnamed(path, container)
    written = not dry_run and _write(path, data, force=force)
    losses = [fault for fault in told if fault.code not in _HARMLESS]
    return Exported(
        id=asset.id, title=asset.title, version=version.number, file=path, container=container,
        spec=spec, bytes=len(data), written=written,
        why_not="" if written else "dry_run" if dry_run else "there_already",
        losses=[fault.to_dict(lang) for fault in losses], lossless=not losses,
        remarks=[fault.to_dict(lang) for fault in told if fault.code in _HARMLESS],
    )  # fmt: skip


def _lore_target(container: str, spec: str) -> str:
    """The format of a lorebook's file. Raises `Refused` with everything that it cannot be."""
    faults = []
    if container != "json":
        faults.append(Fault("not_allowed", "to", found=container, allowed=("json",)))
    if spec not in _LORE:
        faults.append(Fault("not_allowed", "spec", found=spec, allowed=tuple(_LORE)))
    if faults:
        raise Refused(*faults)
    return _LORE[spec]


def _allow(told: list[Fault], *, strict: bool) -> None:
    losses = [fault for fault in told if fault.code not in _HARMLESS]
    if strict and losses:
        raise Refused(*losses)


def _with_gone(told: list[Fault], card: Card, container: str, has: versions.Carrier) -> list[Fault]:
    """The lines of an export with what is lost because a file that was imported is gone."""
    gone = [one for one in has.lost if one.kind not in versions.WITHOUT_PICTURE]
    if not gone:
        return told
    out = [fault for fault in told if fault.code != "placeholder_drawn"]
    there = carried(card, has.source, has.picture, LIMITS)
    if has.lost_picture is not None:
        instead = _ANOTHER if there.picture is not None else _WITHOUT
        if container == "png" and instead is _WITHOUT:
            instead = _DRAWN
        name = has.lost_picture.name or has.lost_picture.file
        out.append(Fault("picture_gone", name=name, after=instead))
    named = {path for row in card.assets if (path := asset_path(row.uri)) is not None}
    missing = sorted(named - {one.path for one in there.assets})
    packed = any(one.kind == "charx" for one in gone)  # what else was in it, nobody knows
    if missing or packed:
        more = _UNNAMED if missing and packed else _CONTENT if packed else ""
        name = gone[0].name or gone[0].file
        out.append(Fault("members_gone", name=name, found=missing, after=more))
    return out


def _by_name(out: str) -> str:
    """The kind of file that a name asks for, or an empty text."""
    extension = _extension(out)
    return extension if extension in CONTAINERS else ""


def _extension(path: str) -> str:
    stem, _, extension = path.rpartition("/")[2].rpartition(".")
    return extension.lower() if stem else ""


def _misnamed(path: str, container: str) -> list[Fault]:
    """A remark where the name that was asked for says that the file is something else."""
    extension = _extension(path)
    if extension == container or not (extension.isascii() and extension.isalnum()):
        return []
    return [Fault("export_misnamed", file=path, after=f".{extension}", found=container.upper())]


def file_name(title: str, ident: str) -> str:
    """A name for a file that is safe on every system: the title where it can be, else the id."""
    shown = clean_name(title).translate(_UNSEEN)
    name = _FORBIDDEN.sub("_", shown).strip(" .")
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
            raise Missing(Fault("no_such_folder", file=folder))
        replace_whole(files, files.resolve(path), data)
    except OSError as error:
        raise storage_failed(error, path) from error
    return True
