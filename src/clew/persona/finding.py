"""Where a persona lives: from a name, a folder, the place where somebody stands, or the library.

Looks at the disk, writes nothing, and never guesses between two. Rules: docs/persona.md.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from clew.kernel.errors import ClewError, Missing, Refused
from clew.kernel.faults import Both, Fault
from clew.kernel.files import Files
from clew.kernel.text import nfc
from clew.persona.home import Home
from clew.persona.model import PERSONAS, SETTINGS

LIBRARY_MARK: Final = "library.json"
ENVIRONMENT: Final = "CLEW_PERSONA"
"""The environment variable that names a persona or its folder."""


def find_home(
    given: str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    cwd: str = "",
    library: str = "",
) -> str:
    """The folder of a persona that is named: a folder, or a name in the library; else the one of
    `CLEW_PERSONA`; else the nearest home upward of `cwd`; else the only one in the library.

    `library` is the user's own; a library that lies upward of `cwd` comes first. Never guesses:
    raises `Missing` (`no_persona`, `no_such_persona`), `Refused` (`several_personas`).
    """
    cwd = cwd or str(Path.cwd())
    given = given or (environ or {}).get(ENVIRONMENT) or None
    if given:
        return _named(given, cwd, library)
    here = _upward(cwd, SETTINGS)
    if here is not None:
        return here
    known = list_homes(cwd=cwd, library=library)
    if not known:
        raise Missing(Fault("no_persona", file=cwd))
    if len(known) > 1:
        names = [posixpath.basename(folder) for folder in known]
        raise Refused(Fault("several_personas", allowed=names))
    return known[0]


def _named(given: str, cwd: str, library: str) -> str:
    folder = posixpath.normpath(posixpath.join(cwd, Path(given).expanduser().as_posix()))
    if (Path(folder) / SETTINGS).is_file():
        return folder
    known = list_homes(cwd=cwd, library=library)
    wanted = nfc(given).casefold()
    for home in known:
        if nfc(posixpath.basename(home)).casefold() == wanted:
            return home
    if "/" in given or "\\" in given or given in (".", ".."):
        raise Missing(Home(folder).unsettled())
    for home in known:
        if _name_in(home) == wanted:
            return home
    names = [posixpath.basename(home) for home in known]
    none = Both("一个也没有", "none")
    raise Missing(Fault("no_such_persona", found=given, allowed=names or none))


def _name_in(home: str) -> str:
    try:
        return nfc(Home(home).settings.name).casefold()
    except ClewError:
        return ""


def personas_folder(*, cwd: str, library: str) -> str:
    """Where the personas of the nearest library (or the user's) live."""
    found = _upward(cwd, LIBRARY_MARK) or library
    return posixpath.join(Path(found).expanduser().as_posix(), PERSONAS) if found else ""


def list_homes(*, cwd: str, library: str) -> list[str]:
    """The homes in the library, by name."""
    folder = personas_folder(cwd=cwd, library=library)
    if not folder:
        return []
    names = Files().names(folder)
    return [f"{folder}/{name}" for name in names if (Path(folder) / name / SETTINGS).is_file()]


def _upward(start: str, name: str) -> str | None:
    here = Path(start).absolute()
    return next((one.as_posix() for one in (here, *here.parents) if (one / name).is_file()), None)
