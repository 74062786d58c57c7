"""What was typed, as values: texts from a command line in the types that a profile declares. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles.
"""

from __future__ import annotations

from clew.sidecar.engine_values import spec_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Profile = dict[str, Any]


def event_args(profile: Profile, name: str, texts: dict[str, str]) -> dict[str, Any]:
    """Arguments that were typed as texts, in the types that the event declares. What cannot be
    read stays a text, so that `apply` says what is wrong with it."""
    event = profile["events"].get(name, {"args": {}})
    return {key: from_text(event["args"].get(key), text) for key, text in texts.items()}


def field_value(profile: Profile, path: str, text: str) -> Any:
    """A value that was typed as a text, in the type of the field at a dotted path."""
    return from_text(spec_at(profile, path)[0], text)


def from_text(spec: dict[str, Any] | None, text: str) -> Any:
    """A typed text as a value of a spec: `null`, `true`, `false`, numbers, JSON for the rest."""
    if spec is None:
        return text
    if text == "null" and spec.get("null"):
        return None
    kind = spec["type"]
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower(), text)
    if kind in ("int", "object", "list", "map"):
        import json

        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text
