"""The two small files that let a writing skill call clew by the paths it knows.

A skill runs `scripts/storyctl.py` and `scripts/tracking_commit.py` with python3, python or py -3.
`install` puts files there that forward to clew, and keeps what they replace; `uninstall` puts that
back byte for byte; `status` says when an update of the skill put its own files back.
"""

from __future__ import annotations

import os
from typing import Final, Literal

import msgspec

from clew.kernel.document import digest
from clew.kernel.errors import Missing, refuse, storage_failed
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault

SCRIPTS: Final = ("storyctl", "tracking_commit")
_KEPT: Final = ".before-clew"
_MARK: Final = "# clew shim 1"


class Shim(msgspec.Struct, frozen=True):
    """One of the two files. `installed`: ours is there; `replaced`: something else is;
    `missing`: nothing is."""

    path: str
    state: Literal["installed", "outdated", "replaced", "missing"]
    kept: str | None
    """Where the file that it replaced is kept."""


class Shims(msgspec.Struct, frozen=True, kw_only=True):
    """The two files of a skill."""

    status: str = "ok"
    action: str
    shims: list[Shim]


def text(name: str, interpreter: str) -> str:
    """The shim: runs on any Python 3, hands everything on unchanged, returns the exit code."""
    return f"""#!/usr/bin/env python3
{_MARK}
# Forwards to clew. `clew novel shims uninstall` takes it away and puts the old file back.
import os
import subprocess
import sys

PYTHON = {interpreter!r}
MODULE = "clew.faces.cli.{name}"


def main():
    if os.path.exists(PYTHON):
        command = [PYTHON, "-P", "-m", MODULE]  # -P: no module of the book gets in
    else:
        command = [{name!r}]  # clew was moved or installed anew: its console script is on PATH
    try:
        return subprocess.call(command + sys.argv[1:])
    except OSError as error:
        sys.stderr.write("ERROR: clew is gone (%s): 重新安装，或 reinstall it\\n" % error)
        return 3


if __name__ == "__main__":
    sys.exit(main())
"""


def run(action: Literal["install", "status", "uninstall"], skill: str, interpreter: str) -> Shims:
    """Do one of the three. Raises `Missing` when the skill folder is not there."""
    files = Files()
    if not os.path.isdir(skill):  # noqa: PTH112
        raise Missing(Fault("missing_file", file=skill))
    vault = FolderVault(skill, files=files)
    try:
        if action == "install":
            for name in SCRIPTS:
                _install(vault, name, interpreter)
        elif action == "uninstall":
            foreign = [
                n for n in SCRIPTS if _read(vault, _path(n)) and not _ours(_read(vault, _path(n)))
            ]
            refuse(Fault("shim_replaced", file=_path(name)) for name in foreign)
            for name in SCRIPTS:
                _uninstall(vault, name)
    except OSError as error:
        raise storage_failed(error, skill) from error
    return Shims(action=action, shims=[_look(vault, name, interpreter) for name in SCRIPTS])


def _path(name: str) -> str:
    return f"scripts/{name}.py"


def _read(vault: FolderVault, path: str) -> bytes | None:
    real = vault.real(path)
    return vault.files.read(real) if vault.files.stat(real) is not None else None


def _ours(data: bytes | None) -> bool:
    return data is not None and _MARK.encode() in data[:200]


def _install(vault: FolderVault, name: str, interpreter: str) -> None:
    path, found = _path(name), _read(vault, _path(name))
    kept = path + _KEPT
    if found is not None and not _ours(found):
        before = _read(vault, kept)
        if before is not None and before != found:
            # An update of the skill put a newer file there: the older kept one stays as well.
            vault.write_loose(f"{kept}-{digest(before)[:8]}", before)
        vault.write_loose(kept, found, vault.files.mode(vault.real(path)) or 0o644)
    vault.write_loose(path, text(name, interpreter).encode(), 0o755)


def _uninstall(vault: FolderVault, name: str) -> None:
    path, found = _path(name), _read(vault, _path(name))
    kept = _read(vault, path + _KEPT)
    if kept is not None:
        vault.write_loose(path, kept, vault.files.mode(vault.real(path + _KEPT)) or 0o644)
        vault.files.remove(vault.real(path + _KEPT))
    elif found is not None:
        vault.files.remove(vault.real(path))


def _look(vault: FolderVault, name: str, interpreter: str) -> Shim:
    path = _path(name)
    found, kept = _read(vault, path), _read(vault, path + _KEPT)
    state: Literal["installed", "outdated", "replaced", "missing"]
    if found is None:
        state = "missing"
    elif not _ours(found):
        state = "replaced"
    else:
        state = "installed" if found == text(name, interpreter).encode() else "outdated"
    return Shim(path, state, path + _KEPT if kept is not None else None)


register(
    Code(
        "shim_replaced", 1,
        "{file} 已不是 clew 的转发文件（技能更新把原文件放回来了），未改动",
        "{file} is not clew's shim any more (an update of the skill put its own file back); left alone",
        "需要 clew 接手就再运行一次 install；不需要就什么也不用做。",
        "Run install again if clew should take over; otherwise there is nothing to do.",
        about_zh="uninstall 只移走自己放的文件。",
        about_en="uninstall only takes away a file that clew put there.",
    ),
)  # fmt: skip
