"""A SillyTavern data folder as a source that is only read: cards, worlds, tags, favourites.

Nothing is ever written there, and no file of ours shares its content with one of theirs: a hard link
would let an edit over there change a version here, since a program that writes into a file in place
changes every name of it. Files are copied, or, where a copy would waste a gigabyte, left in place:
the card itself is kept here in full either way, and the picture is used only as long as its bytes are
those that were imported. Again tomorrow only what changed is read. Rules: docs/library.md, decision
0022; the layout of SillyTavern's data folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from clew.books import cards
from clew.books.assets import change
from clew.books.bulk import LIMITS, Import, Progress
from clew.books.cardindex import spoken
from clew.books.cards.report import MEBI
from clew.books.damage import Damage, damage, stem_of, unread
from clew.books.gathering import Candidate, Follows
from clew.books.layout import version_file
from clew.books.library import Library
from clew.books.model import Card
from clew.books.records import Asset
from clew.books.reporting import Imported
from clew.kernel.errors import ClewError, Missing, Refused, storage_failed
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files

PROGRAM: Final = "sillytavern"
WASTE: Final = 1024 * MEBI
"""From here on pictures are left in place unless a copy is asked for."""
_SETTINGS_BYTES: Final = 64 * MEBI
_CHARACTERS: Final = (".png", ".apng", ".json", ".webp", ".jpg", ".jpeg", ".charx", ".yaml", ".yml")
Keep = Literal["auto", "copy", "reference"]


class FromSillyTavern(msgspec.Struct, kw_only=True):
    """What was taken from a data folder, and what is damaged in it."""

    status: str = "ok"
    folder: str
    """The data folder of the user whose cards these are."""
    kept: str
    """`copy`: source files were copied; `reference`: they were left in place."""
    imported: Imported
    damage: Damage


class Settings(NamedTuple):
    """What `settings.json` says of cards."""

    labels: dict[str, tuple[str, ...]]
    """Tags by the name of a character's file."""
    worlds: dict[str, tuple[str, ...]]
    """Names of additional lorebooks by the stem of a character's file."""
    chosen: tuple[str, ...]
    """Names of the lorebooks that are used in every chat."""
    personas: dict[str, str]
    """Names of the lorebooks of personas, by the name of the persona."""
    faults: list[Fault]


def data_folder(path: str) -> str:
    """The data folder that a path means: itself, or one inside an installation.

    Raises `Refused` (`not_sillytavern`, `several_users`), `Missing` (`no_source_folder`).
    """
    if not Path(path).is_dir():
        raise Missing(Fault("no_source_folder", file=path))
    for inside in ("", "/data/default-user", "/default-user", "/public"):
        if Path(f"{path}{inside}/characters").is_dir():
            return f"{path}{inside}" if inside else path
    for inside in ("/data", ""):
        users = _users(f"{path}{inside}")
        if len(users) == 1:
            return users[0]
        if users:
            raise Refused(Fault("several_users", file=path, allowed=users))
    raise Refused(Fault("not_sillytavern", file=path))


def _users(folder: str) -> list[str]:
    return [
        f"{folder}/{name}"
        for name in Files().names(folder)
        if not name.startswith(".") and Path(f"{folder}/{name}/characters").is_dir()
    ]


def import_folder(
    library: Library,
    path: str,
    *,
    keep: Keep = "auto",
    dry_run: bool = False,
    lang: str = "en",
    progress: Progress = lambda done, of, name: None,
) -> FromSillyTavern:
    """Import what is new or changed in a data folder, and look for damage in it.

    `dry_run` only looks for damage. Raises `Refused` (`not_sillytavern`, `several_users`), `Missing`
    (`no_source_folder`), `Locked`, `StorageFailed`.
    """
    given = data_folder(path)
    folder = Files().resolve(given)
    if given != path:
        besides = [user for user in _users(given.rpartition("/")[0]) if user != given]
        if besides:
            library.notes.append(Fault("users_besides", file=given, found=besides))
    settings = read_settings(folder)
    worlds = list(_candidates(folder, "worlds", (".json",), {}, {}))
    characters = list(
        _candidates(folder, "characters", _CHARACTERS, settings.labels, settings.worlds)
    )
    there = {stem_of(one.path) for one in worlds}
    found = damage(folder, there, lang=lang, progress=progress)
    found.tell(settings.faults, lang)
    found.tell(_missing("settings.json", settings.chosen, there), lang)
    found.tell(_given(settings.personas, there), lang)
    run = Import(library, lang=lang, progress=progress)
    kept = _way(run, characters, keep)
    if not dry_run:
        run.take(worlds)
        run.world_ids = {
            stem_of(one.path): run.placed[one.path] for one in worlds if one.path in run.placed
        }
        run.copy = kept == "copy"
        run.take(characters)
        run.known.catch_up()
    for one in (*worlds, *characters):
        found.tell(_settled(run, one, there), lang)
    return FromSillyTavern(folder=folder, kept=kept, imported=run.report, damage=found)


def _way(run: Import, characters: list[Candidate], keep: Keep) -> str:
    if keep != "auto":
        return keep
    fresh = sum(one.size for one in characters if not run.is_unchanged(one))
    return "reference" if fresh > WASTE else "copy"


def _candidates(
    root: str,
    folder: str,
    extensions: tuple[str, ...],
    labels: dict[str, tuple[str, ...]],
    worlds: dict[str, tuple[str, ...]],
) -> Iterator[Candidate]:
    for name in Files().names(f"{root}/{folder}"):
        path = f"{root}/{folder}/{name}"
        if not name.lower().endswith(extensions):
            continue
        try:
            stat = Path(path).stat()
        except OSError:
            continue  # gone meanwhile, or a link that leads nowhere
        if stat.st_mode & 0o170000 != 0o100000:
            continue
        shown = f"{folder}/{name}"
        yield Candidate(
            path, shown, stat.st_size, stat.st_mtime_ns,
            follows=Follows(PROGRAM, _plain(root), _plain(shown)), labels=labels.get(name, ()),
            worlds=worlds.get(stem_of(name), ()),
        )  # fmt: skip


def _plain(text: str) -> str:
    """A path as documents can hold it."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# ---- damage of the files themselves ------------------------------------------------------------


def _settled(run: Import, one: Candidate, there: set[str]) -> list[Fault]:
    """What is wrong with a character or lorebook as it lies there now, whether it is imported, was
    imported long ago, or never can be: why it cannot be read, and links that lead nowhere. A link
    that led nowhere when the card was imported, and does lead somewhere now, is made."""
    kept = _kept(run, one)
    if kept is not None:
        asset, world = kept
        asked = (world, *one.worlds)
        fresh = [run.world_ids[n] for n in asked if n in run.world_ids]
        if any(ident not in asset.worlds for ident in fresh):
            joined = list(dict.fromkeys((*asset.worlds, *fresh)))
            change(run.library, asset.id, "linked", lambda old: replace(old, worlds=joined))
        return _missing_of(one, world, there)
    if one.size > LIMITS.file_bytes:
        return [Fault("too_large", file=one.name, found=one.size, limit=LIMITS.file_bytes)]
    try:
        read = cards.read(Files().read(one.path), name=one.name, limits=LIMITS)
    except OSError as error:
        return list(storage_failed(error, one.name).faults)
    world = read.card.world if read.card is not None else ""
    return [*read.report.refused, *_missing_of(one, world, there)]


def _missing_of(one: Candidate, world: str, there: set[str]) -> list[Fault]:
    """The lorebooks of a card that are missing: the one that it names, and those that the settings
    give it."""
    given = [name for name in dict.fromkeys(one.worlds) if name not in there]
    return [
        *_missing(one.name, (world,), there),
        *(Fault("world_not_given", file="settings.json", name=one.name, found=n) for n in given),
    ]


def _given(worlds: dict[str, str], there: set[str]) -> list[Fault]:
    """A line for each persona whose lorebook is missing."""
    return [
        Fault("world_not_given", file="settings.json", name=persona, found=world)
        for persona, world in worlds.items()
        if world not in there
    ]


def _kept(run: Import, one: Candidate) -> tuple[Asset, str] | None:
    """The asset that was made from this very file, and the lorebook that the card names; None where
    there is none, or its version cannot be read: then the file over there is."""
    if one.follows is None or not run.is_unchanged(one):
        return None
    place = run.known.sources.get(run.known.origins[one.follows].sha256)
    if place is None:
        return None
    try:
        asset = run.library.asset(run.library.glance(), place.id)
    except ClewError:
        return None  # `check` tells of it
    version = asset.version(place.version) if asset is not None else None
    if asset is None or version is None:
        return None
    data = spoken(run.library, version_file(place.id, place.version), version.file_sha256)
    return None if data is None else (asset, Card(data).world)


def _missing(file: str, asked: Iterable[str], there: set[str]) -> list[Fault]:
    """A line for each lorebook that is asked for and is not there."""
    names = dict.fromkeys(name for name in asked if name and name not in there)
    return [Fault("world_missing", file=file, name=name) for name in names]


# ---- settings ---------------------------------------------------------------------------------


def read_settings(folder: str) -> Settings:
    """Tags, and which lorebooks belong to a character. What cannot be read is told."""
    path = f"{folder}/settings.json"
    files = Files()
    faults: list[Fault] = []
    value: Any = None
    try:
        found = files.stat(path)
        if found is not None and found.size > _SETTINGS_BYTES:
            faults.append(
                Fault("too_large", file="settings.json", found=found.size, limit=_SETTINGS_BYTES)
            )
        elif found is not None:
            value = json.loads(files.read(path).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        faults.append(Fault("settings_broken", file="settings.json", reason=unread(error)))
    if not isinstance(value, dict):
        if value is not None:
            faults.append(
                Fault(
                    "settings_broken",
                    file="settings.json",
                    reason=Both("不是 JSON 对象", "no JSON object"),
                )
            )
        return Settings({}, {}, (), {}, faults)
    return Settings(
        _labels(value), _extra_worlds(value), _chosen(value), _persona_worlds(value), faults
    )


def _labels(settings: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    names = {
        row["id"]: row["name"]
        for row in _rows(settings.get("tags"))
        if isinstance(row.get("id"), str)
        and isinstance(row.get("name"), str)
        and row["name"].strip()
    }
    tagged = settings.get("tag_map")
    return {
        file: tuple(dict.fromkeys(" ".join(names[i].split()) for i in ids if _known(i, names)))
        for file, ids in (tagged.items() if isinstance(tagged, dict) else ())
        if isinstance(ids, list)
    }


def _known(ident: Any, names: dict[str, str]) -> bool:
    return isinstance(ident, str) and ident in names


def _extra_worlds(settings: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """`world_info.charLore`: lorebooks of a character beside its main one."""
    return {
        row["name"]: tuple(one for one in row["extraBooks"] if isinstance(one, str))
        for row in _rows(_world_info(settings).get("charLore"))
        if isinstance(row.get("name"), str) and isinstance(row.get("extraBooks"), list)
    }


def _chosen(settings: dict[str, Any]) -> tuple[str, ...]:
    """`world_info.globalSelect`: lorebooks that are used in every chat."""
    names = _world_info(settings).get("globalSelect")
    return tuple(n for n in names if isinstance(n, str)) if isinstance(names, list) else ()


def _persona_worlds(settings: dict[str, Any]) -> dict[str, str]:
    """`power_user.persona_descriptions`: the lorebook of a persona."""
    user = settings.get("power_user")
    user = user if isinstance(user, dict) else {}
    told, names = user.get("persona_descriptions"), user.get("personas")
    names = names if isinstance(names, dict) else {}
    return {
        str(names.get(avatar) or avatar): row["lorebook"]
        for avatar, row in (told.items() if isinstance(told, dict) else ())
        if isinstance(row, dict) and isinstance(row.get("lorebook"), str) and row["lorebook"]
    }


def _world_info(settings: dict[str, Any]) -> dict[str, Any]:
    for place in (settings.get("world_info_settings"), settings):
        info = place.get("world_info") if isinstance(place, dict) else None
        if isinstance(info, dict) and ("charLore" in info or "globalSelect" in info):
            return info
    return {}


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
