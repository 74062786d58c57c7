"""Documents of the pulse, the windows and the archive that cannot be read: what each is made again as.

They hold no word of anybody. What is put in their place errs on the side of doing nothing twice and losing
nothing: a pulse whose pause nobody can read stands still, notes count as unread, copies stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from clew.kernel.errors import ClewError
from clew.kernel.faults import Both
from clew.persona.archive import MANIFEST, Manifest
from clew.persona.channels.reading import MARKS, Marks
from clew.persona.decoding import decoded
from clew.persona.pulse.lease import LEASE, Lease
from clew.persona.pulse.pausing import PULSE, Pulse
from clew.persona.windows import FILE as WINDOWS
from clew.persona.windows import Window, Windows

Read = Callable[[str], bytes | None]


class Remade(NamedTuple):
    """What is put in the place of a document: nothing, where `value` is None."""

    path: str
    value: Any
    what: Both


def _windows(manifest: Manifest | None) -> Windows:
    """The windows that the archive knows; any other registers itself at its next turn."""
    found: dict[str, Window] = {}
    for copy in manifest.copies if manifest is not None else ():
        main = copy.file.count("/") == 2 and not copy.superseded
        host: Any = copy.host if copy.host in ("claude", "codex", "gemini") else "other"
        if main and copy.window and copy.first and copy.last:
            found[copy.window] = Window(
                id=copy.window, host=host, opened=copy.first, seen=copy.last, transcript=copy.source
            )
    return Windows(windows=list(found.values()))


DOCUMENTS: Final[tuple[tuple[str, type[Any], Both], ...]] = (
    (MANIFEST, Manifest, Both("空的清单；已有的副本不动", "an empty list; the copies stay as they are")),
    (WINDOWS, Windows, Both("档案里有的窗口", "the windows that the archive knows")),
    (MARKS, Marks, Both("都算未读", "everything counts as unread")),
    (LEASE, Lease, Both("脉搏没有主人", "nobody has the pulse")),
    (PULSE, Pulse, Both("暂停着；clew persona resume 继续", "paused; clew persona resume goes on")),
)  # fmt: skip


def unreadable(read: Read) -> list[ClewError]:
    """What is wrong with those that are there."""
    out = []
    for path, kind, _ in DOCUMENTS:
        try:
            decoded(read(path), kind, path)
        except ClewError as error:
            out.append(error)
    return out


def remade(read: Read) -> list[Remade]:
    """What those that cannot be read are made again as. Raises `NewerSchema`: that one is whole."""
    out: list[Remade] = []
    manifest: Manifest | None = None
    for path, kind, what in DOCUMENTS:
        try:
            found = decoded(read(path), kind, path)
            manifest = found if path == MANIFEST else manifest
        except ClewError as error:
            if error.code != "persona_file_broken":
                raise
            values: dict[str, Any] = {
                MANIFEST: Manifest(), WINDOWS: _windows(manifest), MARKS: Marks(), LEASE: None,
                PULSE: Pulse(paused=True, by="check --mend"),
            }  # fmt: skip
            out.append(Remade(path, values[path], what))
    return out
