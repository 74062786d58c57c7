"""What `clew novel lint` answers.

Pure data.
"""

from __future__ import annotations

import msgspec

from clew.novel.lint.model import Finding


class Silenced(msgspec.Struct, frozen=True):
    """A silence that holds. `finding` is null when there is nothing left for it to silence."""

    key: str
    reason: str
    finding: Finding | None = None


class Counts(msgspec.Struct, frozen=True):
    """How many findings there are. `by_rule` counts those that are not silenced."""

    findings: int
    silenced: int
    by_rule: dict[str, int]


class Checked(msgspec.Struct, frozen=True):
    """What was looked at: chapters whose transactions are known, and bodies that were read."""

    chapters: int
    bodies: int


class Marked(msgspec.Struct, frozen=True):
    """A silence that was written now, or taken back (`lifted`)."""

    key: str
    reason: str
    lifted: bool
    state_revision: int


class Linted(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a book. None of them blocks a commit."""

    status: str = "ok"
    findings: list[Finding]
    """Those that are not silenced."""
    silenced: list[Silenced] = []
    """With `--all`: those that are, and silences that have nothing left to silence."""
    counts: Counts
    checked: Checked
    marked: Marked | None = None
