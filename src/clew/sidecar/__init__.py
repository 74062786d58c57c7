"""Sidecar state: the small, lasting state of one agent skill, kept by a declared profile.

A profile (one TOML file, compiled to JSON) says what the state holds, which events change it and
when a guarded action is open; `engine` applies it, purely; the store keeps the file. Room rules:
`engine`, `engine_*` and the store are standard library only and run on Python 3.9, so that they
can be bundled into one file beside a skill.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from clew.sidecar.api import Sidecar

__all__ = ["open"]


def open(profile: str | Mapping[str, Any], **how: Any) -> Sidecar:
    """The state of one skill: `with clew.sidecar.open("smoking-persona") as s: s.event("reply")`.

    `profile` is a name, a path of a TOML file, or a compiled profile. Options (`scope`, `session`,
    `file`, `timeout`) are those of `clew.sidecar.api.Sidecar`, which is loaded now and not before.
    """
    from clew.sidecar.api import Sidecar

    return Sidecar(profile, **how)
