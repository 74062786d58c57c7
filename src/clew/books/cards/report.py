"""What a reading answers with: the report, the limits that it kept, the value `Read`.

Every line is a `Fault` (a code, a place, facts; sentences in two languages). Lines of one kind at
like places become one line with a count, so that a book of two thousand entries with the same slip
is told once.

Pure. Values in, values out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from clew.kernel.faults import Both, Fault

if TYPE_CHECKING:
    from clew.books.lore import Lorebook
    from clew.books.model import Card

_INDEX: Final = re.compile(r"\[\d+\]")
_LINES: Final = 200
MEBI: Final = 1 << 20


class Limits(NamedTuple):
    """How a file is read: how much of it, so that time and memory are bounded, and in which encoding.

    Sizes are bytes. What is over a limit is refused with its size, never read in part in silence.
    """

    file_bytes: int = 512 * MEBI
    """A whole file."""
    text_bytes: int = 64 * MEBI
    """One text chunk of a PNG as it is stored, and all card chunks of one file together."""
    json_bytes: int = 32 * MEBI
    """One JSON document, decoded and unpacked."""
    loose_bytes: int = MEBI
    """One text that is nearly JSON: mending it is slow, and nobody writes a megabyte by hand."""
    yaml_bytes: int = MEBI
    """One YAML document: its parser is slow."""
    depth: int = 128
    """Levels of nesting."""
    values: int = 1_000_000
    """Values in one document."""
    chunks: int = 100_000
    """Chunks of one PNG."""
    members: int = 20_000
    """Members of one archive."""
    member_bytes: int = 128 * MEBI
    """One member of an archive, unpacked."""
    ratio: int = 200
    """What unpacks to more than this many times its packed size, and to more than 8 MiB, is a bomb."""
    encoding: str = ""
    """What texts are written in that are not UTF-8; empty: it is found out."""


class Report:
    """What was taken, what was repaired, what was kept without being understood, what was refused."""

    __slots__ = ("_lines", "file", "kept", "refused", "repaired", "taken")

    def __init__(self, file: str = "") -> None:
        self.file = file or "(bytes)"
        self.taken: list[Fault] = []
        self.repaired: list[Fault] = []
        self.kept: list[Fault] = []
        self.refused: list[Fault] = []
        self._lines: dict[tuple[Any, ...], Fault] = {}

    def take(self, code: str, path: str = "", **facts: Any) -> None:
        """A line about something that is now in the card or book."""
        self._add(self.taken, Fault(code, path, **facts))

    def repair(self, code: str, path: str = "", **facts: Any) -> None:
        """A line about something that was not as its format says and was read as what it means."""
        self._add(self.repaired, Fault(code, path, **facts))

    def keep(self, code: str, path: str = "", **facts: Any) -> None:
        """A line about something that is kept as it is, and not understood or not used."""
        self._add(self.kept, Fault(code, path, **facts))

    def refuse(self, fault: Fault) -> None:
        """A line about something that was not read."""
        self._add(self.refused, fault)

    def repaired_paths(self) -> frozenset[str]:
        """The paths of all repairs; `[*]` stands for several indexes."""
        return frozenset(fault.path for fault in self.repaired)

    def absorb(self, other: Report) -> None:
        """Add every line of another report."""
        self.taken += other.taken
        self.repaired += other.repaired
        self.kept += other.kept
        self.refused += other.refused

    def _add(self, lines: list[Fault], fault: Fault) -> None:
        fault.facts.setdefault("file", self.file)
        fault.facts["more"] = ""
        general = _INDEX.sub("[*]", fault.path)
        key = (id(lines), fault.code, general, str(fault.facts.get("expected", "")))
        known = self._lines.get(key) if general != fault.path else None
        if known is not None:
            known.path = general
            times = known.facts["times"] = known.facts.get("times", 1) + 1
            known.facts["more"] = Both(f"（共 {times} 处）", f" ({times} places)")
            return
        if len(lines) == _LINES:
            lines.append(Fault("more_lines", file=self.file, limit=_LINES))
        if len(lines) > _LINES:
            return
        self._lines[key] = fault
        lines.append(fault)

    def __iter__(self) -> Iterator[tuple[str, Fault]]:
        """Every line with the word for its list."""
        for word in ("taken", "repaired", "kept", "refused"):
            for fault in getattr(self, word):
                yield word, fault

    def to_dict(self, lang: str = "en") -> dict[str, list[dict[str, Any]]]:
        """The machine answer."""
        words = ("taken", "repaired", "kept", "refused")
        return {word: [fault.to_dict(lang) for fault in getattr(self, word)] for word in words}


class Asset(NamedTuple):
    """A file that came inside the card's file: an image, a sound, a module of another program."""

    path: str
    """Where it lies: a path in the archive, or the key of its chunk in a PNG."""
    size: int
    """Bytes, unpacked."""
    load: Callable[[], bytes]
    """Its bytes. Raises `Refused` when they are damaged or unpack to more than they say."""


class Read(NamedTuple):
    """What was read from a file: at most one of `card` and `lorebook`, and always a report."""

    card: Card | None
    lorebook: Lorebook | None
    kind: str
    """The container: `json`, `yaml`, `png`, `jpeg`, `webp`, `charx` (also behind a JPEG or a
    program), or empty when the file is none of these."""
    spec: str
    """The format of the card or book, as `Card.spec` and `Lorebook.spec` name it."""
    report: Report
    assets: tuple[Asset, ...] = ()
    title: str = ""
    """What to call it: its name, or else its nickname, or else the file's name."""

    @property
    def ok(self) -> bool:
        """True when there is a card or a lorebook."""
        return self.card is not None or self.lorebook is not None
