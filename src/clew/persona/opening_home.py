"""From a request to an open home: named, near, or the only one of the library."""

from __future__ import annotations

from typing import Any, Final, Protocol

import msgspec

from clew.kernel.errors import Usage, refuse
from clew.kernel.faults import Both, Fault, excerpt
from clew.kernel.operations import Host
from clew.kernel.text import byte_length, cut_chars, has_surrogate
from clew.persona.finding import ENVIRONMENT, find_home
from clew.persona.home import Home

_PLACES: Final = ("home", "persona", "file", "folder", "out", "card")
"""Fields that name a file: those may hold any bytes that the system allows."""
_WORD_BYTES: Final = 2000
_WORDS: Final = ("window", "source", "note", "thought", "by", "to")


class Named(Protocol):
    """A request that says which persona is meant."""

    persona: str | None
    home: str | None


def folder_of(host: Host, request: Named) -> str:
    """The folder of the home that is meant. Raises as `find_home` does."""
    return find_home(
        request.home or request.persona, environ={ENVIRONMENT: host.persona}, cwd=host.cwd,
        library=host.library,
    )  # fmt: skip


def home_of(host: Host, request: Named) -> Home:
    """The home of a request, open; what it notes is shown by the face, and what it changed is
    synced after the answer. Raises as `find_home` and `open_home` do, and `Refused` (`bad_text`,
    `text_too_long`) for words of the request that no file can hold."""
    refuse(_words_faults(request))
    home = Home(folder_of(host, request), clock=host.clock, lock_timeout=host.lock_timeout)
    home.notes = host.notes
    home.read_settings()
    host.later.append(home.settle)
    return home


def only(request: Any, *used: str) -> None:
    """Refuse what was given beside an action that has no use for it: passing it over would look like
    obeying it. `used` are the fields that the action does use. Raises `Usage`."""
    given = []
    for one in msgspec.structs.fields(type(request)):
        value = getattr(request, one.name)
        if one.name in ("persona", "home", "action", *used) or value == one.default:
            continue
        extra = _told(one.type)
        word = extra.get("positional")
        given.append(repr(str(excerpt(str(value)))) if word else f"--{extra.get('flag', one.name)}")
    if given:
        listed = ", ".join(given)
        reason = Both(
            f"{request.action} 用不上 {listed}", f"{request.action} has no use for {listed}"
        )
        raise Usage(Fault("usage", reason=reason))


def _told(kind: Any) -> dict[str, Any]:
    """What `field` says of a request's field."""
    out: dict[str, Any] = {}
    for meta in getattr(kind, "__metadata__", ()):
        out |= getattr(meta, "extra", None) or {}
    return out


def _words_faults(request: Any) -> list[Fault]:
    """What was typed may be any bytes; what is written down is text."""
    faults = []
    for name in request.__struct_fields__:
        value = getattr(request, name)
        if not isinstance(value, str) or name in _PLACES:
            continue
        if has_surrogate(value):
            faults.append(Fault("bad_text", f"$.{name}"))
        elif name in _WORDS and (size := byte_length(value)) > _WORD_BYTES:
            cut = cut_chars(value, _WORD_BYTES)
            faults.append(
                Fault("text_too_long", f"$.{name}", found=size, limit=_WORD_BYTES, cut_chars=cut)
            )
    return faults
