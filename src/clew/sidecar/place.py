"""Where the state of a skill lies: by scope, by option, by environment.

The environment and the working folder are handed in; only `project_root` looks at files. Standard
library only, Python 3.9. Paths have forward slashes.
"""

from __future__ import annotations

import os
import zlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

SCOPES = ("user", "project", "session")
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_.")


class Place:
    """A state file, and the folder that its real path may not leave (empty: none)."""

    __slots__ = ("inside", "path")

    def __init__(self, path: str, inside: str = "") -> None:
        self.path = path
        self.inside = inside


def home(environ: Mapping[str, str]) -> str:
    """The user's home folder."""
    return environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~")


def state_folder(environ: Mapping[str, str], cwd: str) -> str:
    """`CLEW_STATE_DIR`, or `.claude/state` in the home folder."""
    given = environ.get("CLEW_STATE_DIR")
    return absolute(given or "~/.claude/state", environ, cwd)


def locate(
    profile: str,
    *,
    scope: str = "user",
    session: str = "",
    file: str = "",
    environ: Mapping[str, str],
    cwd: str,
) -> Place:
    """The state file of a profile. Raises ValueError for a name that cannot be a file's, an
    unknown scope, or the scope `session` without one."""
    if not is_name(profile):
        raise ValueError(f"profile: {profile!r}")
    if file:
        return Place(absolute(file, environ, cwd))
    if scope == "user":
        return Place(f"{state_folder(environ, cwd)}/{profile}.json")
    if scope == "session" and session:
        return Place(
            f"{state_folder(environ, cwd)}/sessions/{session_name(session)}/{profile}.json"
        )
    if scope == "project":
        root = project_root(environ, cwd)
        return Place(f"{root}/.claude/state/{profile}.json", root)
    raise ValueError(f"scope: {scope!r}")


def working_folder() -> str:
    """The working folder; the root where somebody has removed it under us."""
    try:
        return os.getcwd()
    except OSError:
        return os.path.abspath(os.sep)


def is_name(text: str) -> bool:
    """Whether a profile's name is a plain file name: lower case letters, digits, `-`, `_`, `.`."""
    return 0 < len(text) <= 80 and text[0] not in "._-" and set(text) <= _SAFE


def session_name(session: str) -> str:
    """A folder name for a session id, whatever is in it; ids that differ get names that differ."""
    if is_name(session):
        return session
    kept = "".join(char if char in _SAFE else "_" for char in session.lower())[:40].lstrip("._-")
    return f"{kept or 's'}-{zlib.crc32(session.encode('utf-8', 'surrogatepass')):08x}"


def project_root(environ: Mapping[str, str], cwd: str) -> str:
    """The project around a folder: what the agent's host says, else the nearest folder with
    `.claude` or `.git`. A work tree of git belongs to the project that it was made from, so that
    its state is not left behind with it; but only when that project knows it, too: a file that was
    unpacked from somewhere names any folder."""
    given = environ.get("CLAUDE_PROJECT_DIR")
    root = absolute(given, environ, cwd) if given else _nearest(cwd, home(environ))
    try:
        with open(f"{root}/.git", encoding="utf-8") as handle:
            words = handle.read(4096)
    except (OSError, ValueError):
        return root
    given = os.path.join(root, words.partition("gitdir:")[2].strip())
    main, found, name = given.partition("/.git/worktrees/")
    return main if found and name and _knows(given, f"{root}/.git") else root


def _knows(entry: str, tree: str) -> bool:
    """Whether git's own entry of a work tree leads back to it."""
    try:
        with open(f"{entry}/gitdir", encoding="utf-8") as handle:
            back = handle.read(4096).strip()
        return bool(back) and os.path.samefile(os.path.join(entry, back), tree)
    except (OSError, ValueError):
        return False


def runtime_rooms(environ: Mapping[str, str]) -> list[str]:
    """Private folders of the running session, for what the state's own disk does not take."""
    given = environ.get("XDG_RUNTIME_DIR", "")
    out = [given] if given.startswith("/") else []
    base = next((v for v in map(environ.get, ("TMPDIR", "TEMP", "TMP")) if v), "/tmp")
    who = getattr(os, "geteuid", lambda: "user")()
    return [*out, absolute(f"{base}/clew-{who}", environ, "/")]


def _nearest(folder: str, home_folder: str) -> str:
    current = folder
    while True:
        # The home folder's own `.claude` is the user's, no project's.
        own = current != home_folder and os.path.isdir(f"{current}/.claude")
        if own or os.path.exists(f"{current}/.git"):
            return current
        above = os.path.dirname(current)
        if above == current:
            return folder
        current = above


def absolute(path: str, environ: Mapping[str, str], cwd: str) -> str:
    """A path that a person typed: `~` is the home folder, anything relative starts at `cwd`."""
    if path == "~" or path.startswith("~/"):
        path = home(environ) + path[1:]
    path = os.path.normpath(os.path.join(cwd, path))
    return path.replace("\\", "/") if os.name == "nt" else path
