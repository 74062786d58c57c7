"""Where compiled profiles are found: those of the package, and those that the user took in.

A profile that is taken in (`clew sidecar init FILE.toml`) is checked, compiled and laid as JSON
beside the states, so that a turn reads one small file and compiles nothing. A profile is data:
nothing in it is run. Not part of bundles, which carry their own profile.
"""

from __future__ import annotations

import json
import os

from clew.sidecar.messages import exit_of, reason, reason_of, word
from clew.sidecar.place import absolute, is_name, state_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from clew.kernel.faults import Fault
    from clew.sidecar.profile import Compiled

    Profile = dict[str, Any]
    Word = dict[str, Any]

SHIPPED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "profiles")
FORMAT = 1
"""Of the compiled form, as `profile` writes it."""
_CAP = 4 * 1024 * 1024


class ShelfError(Exception):
    """There is no such profile, or it cannot be used. `words` say why."""

    def __init__(self, *words: Word, exit: int | None = None) -> None:
        self.words = list(words)
        self.exit = max(exit_of(item["code"]) for item in words) if exit is None else exit
        super().__init__(words[0]["en"])


class DamagedProfileError(ShelfError):
    """There is a profile of this `name`, or may be one, and it cannot be used. `active`: its switch,
    as far as that can be told."""

    def __init__(self, path: str, name: str, active: str = "active") -> None:
        self.name = name
        self.active = active
        super().__init__(word("sidecar_profile_unreadable", file=path))


def own_folder(environ: Mapping[str, str], cwd: str) -> str:
    """Where profiles that the user took in lie."""
    return f"{state_folder(environ, cwd)}/profiles"


def names(environ: Mapping[str, str], cwd: str) -> list[str]:
    """All profiles that can be named."""
    found: set[str] = set()
    for folder in (SHIPPED, own_folder(environ, cwd)):
        try:
            found.update(n[:-5] for n in os.listdir(folder) if n.endswith(".json"))
        except OSError:
            continue
    return sorted(filter(is_name, found))


def find(given: str, environ: Mapping[str, str], cwd: str) -> Profile:
    """A profile by name (the user's own come first), or from a TOML file. Raises `ShelfError`."""
    if given.endswith(".toml") or "/" in given or os.sep in given:
        return from_file(absolute(given, environ, cwd))
    if is_name(given):
        own = f"{own_folder(environ, cwd)}/{given}.json"
        closed = _is_closed(own)
        for path in (f"{SHIPPED}/{given}.json",) if closed else (own, f"{SHIPPED}/{given}.json"):
            profile = _compiled(path, given)
            if profile is not None:
                return profile
        if closed:
            raise DamagedProfileError(own, given)
    raise unknown(given, environ, cwd)


def unknown(given: str, environ: Mapping[str, str], cwd: str) -> ShelfError:
    """That there is no such profile."""
    return ShelfError(word("sidecar_no_profile", name=given, allowed=names(environ, cwd)))


def the_one(environ: Mapping[str, str], cwd: str) -> str:
    """The profile that is meant when none is named: `CLEW_SIDECAR`, or the only one that has or
    had a state in the user's folder. Raises `ShelfError` when there are none or several."""
    given = environ.get("CLEW_SIDECAR")
    if given:
        return given
    try:
        found = os.listdir(state_folder(environ, cwd))
    except OSError:
        found = []
    known = names(environ, cwd)
    there = [name for name in known if any(each.startswith(f"{name}.json") for each in found)]
    if len(there) == 1:
        return there[0]
    if len(known) == 1:
        return known[0]
    raise ShelfError(word("sidecar_which_profile", allowed=there or known))


def from_file(path: str) -> Profile:
    """Check and compile a TOML file. Raises `ShelfError` with every fault and its line."""
    return checked_file(path).profile


def checked_file(path: str) -> Compiled:
    """A TOML file, checked: the compiled profile, its cases, its lines. Raises `ShelfError`."""
    from clew.kernel.errors import ClewError
    from clew.sidecar.profile import compiled

    try:
        with open(path, "rb") as handle:
            data = handle.read(_CAP)
        return compiled(data.decode("utf-8-sig"), path)
    except OSError as error:
        raise ShelfError(word("sidecar_no_file", file=path, **reason_of(error))) from None
    except UnicodeDecodeError:
        raise ShelfError(word("sidecar_no_file", file=path, **reason("not_utf8"))) from None
    except ClewError as error:
        raise ShelfError(*map(word_of, error.faults), exit=error.exit_code) from None


def broken_promises(path: str, environ: Mapping[str, str], cwd: str) -> list[Word]:
    """What a TOML file takes otherwise than the profile of its name that was taken in before, under
    the same version: states that exist would lose values. Raises `ShelfError`."""
    from clew.sidecar.profile_versions import unbumped

    found = checked_file(path)
    name = found.profile["name"]
    try:
        before = _compiled(f"{own_folder(environ, cwd)}/{name}.json", name)
    except DamagedProfileError:
        return []  # nothing can be held against it, and taking this one in mends it
    return [word_of(fault) for fault in unbumped(before, found)] if before else []


def take_in(profile: Profile, environ: Mapping[str, str], cwd: str) -> str:
    """Lay a compiled profile beside the states; returns the file. Raises OSError."""
    folder = own_folder(environ, cwd)
    path = f"{folder}/{profile['name']}.json"
    os.makedirs(folder, 0o700, exist_ok=True)
    temporary = f"{path}.tmp-{os.getpid()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(json.dumps(profile, ensure_ascii=False, indent=1) + "\n")
            out.flush()
            os.fsync(out.fileno())
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    return path


def word_of(fault: Fault) -> Word:
    """A fault of the registry, in the shape that the store and the engine speak in."""
    zh, en = fault.to_dict("zh"), fault.to_dict("en")
    out = {name: fact for name, fact in en.items() if name not in ("message", "hint")}
    out["zh"], out["en"] = zh["message"], en["message"]
    if "hint" in en:
        out["hint_zh"], out["hint_en"] = zh["hint"], en["hint"]
    return out


def is_shipped(name: str) -> bool:
    """Whether the package brings a profile of this name."""
    return is_name(name) and os.path.exists(f"{SHIPPED}/{name}.json")


def _is_closed(path: str) -> bool:
    """Whether the folder of a file cannot be looked into, so that nobody knows what is in it."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return False


def _compiled(path: str, name: str) -> Profile | None:
    try:
        with open(path, encoding="utf-8") as handle:
            profile = json.loads(handle.read(_CAP))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError):
        raise DamagedProfileError(path, name) from None
    if not _is_whole(profile, name):
        active = profile.get("active") if isinstance(profile, dict) else None
        raise DamagedProfileError(path, name, active if isinstance(active, str) else "active")
    return profile  # type: ignore[no-any-return]


_PARTS = {
    "version": int, "unversioned": int, "active": str, "turn": str, "title": dict, "fields": dict,
    "phases": list, "rules": list, "stocks": dict, "ledgers": dict, "guards": dict, "events": dict,
    "migrations": list,
}  # fmt: skip
_OF_EVENTS = {"args": dict, "while_off": bool, "require": list, "change": list}


def _is_whole(profile: Any, name: str) -> bool:
    """Whether something that was read back has every part that the engine takes for granted."""
    return (
        isinstance(profile, dict)
        and profile.get("format") == FORMAT
        and profile.get("name") == name
        and all(isinstance(profile.get(part), kind) for part, kind in _PARTS.items())
        and profile["active"] in profile["fields"]
        and profile["turn"] in profile["events"]
        and all(isinstance(spec, dict) and isinstance(spec.get("type"), str)
                for spec in profile["fields"].values())
        and all(isinstance(event, dict)
                and all(isinstance(event.get(part), kind) for part, kind in _OF_EVENTS.items())
                for event in profile["events"].values())
        and all(isinstance(part, dict) for kind in ("guards", "ledgers", "stocks")
                for part in profile[kind].values())
        and all(isinstance(part, dict) for kind in ("phases", "rules", "migrations")
                for part in profile[kind])
    )  # fmt: skip
