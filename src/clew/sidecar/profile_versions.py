"""Two profiles of the same name and version: what of a state the second would not keep. Pure.

A state is mended by the profile that reads it. When a field changes its type, or loses values, under
the same version, states in the field lose what they hold without a word; so the version has to go up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clew.kernel.faults import Fault
from clew.sidecar.profile import Compiled
from clew.sidecar.profile_lines import Path


def unbumped(old: dict[str, Any], found: Compiled) -> list[Fault]:
    """A fault (`profile_clash`) for every field of `old`, a compiled profile, that the new one takes
    otherwise although its version is the same or lower. Fields that are new, or gone (they are kept
    in the state), are none."""
    new = found.profile
    if old.get("name") != new["name"] or new["version"] > old.get("version", 0):
        return []
    before = len(found.sheet.faults)
    for path, zh, en in _differences(old.get("fields", {}), new["fields"], ("fields",)):
        found.sheet.clash(
            path,
            f"{zh}，而 version 仍是 {new['version']}，现有的状态会丢掉它的值；"
            f"把 version 提到 {old['version'] + 1}，字段换个新名字",
            f"{en}, but version is still {new['version']}, and states that exist would lose its "
            f"value; raise version to {old['version'] + 1} and give the field a new name",
        )
    faults = found.sheet.faults[before:]
    del found.sheet.faults[before:]
    return faults


def _differences(
    old: dict[str, Any], new: dict[str, Any], path: Path
) -> Iterator[tuple[Path, str, str]]:
    for name, spec in new.items():
        if name in old:
            yield from _difference(old[name], spec, (*path, name))


def _difference(
    old: dict[str, Any], new: dict[str, Any], path: Path
) -> Iterator[tuple[Path, str, str]]:
    kinds = old["type"], new["type"]
    if kinds[0] != kinds[1] and set(kinds) != {"enum", "scale"} and kinds[1] != "text":
        yield (
            (*path, "type"),
            f"类型从 {kinds[0]} 变成 {kinds[1]}",
            f"was {kinds[0]}, is {kinds[1]}",
        )
        return
    if kinds[1] == "text" and kinds[0] in ("bool", "int", "object", "list", "map"):
        yield (*path, "type"), f"类型从 {kinds[0]} 变成 text", f"was {kinds[0]}, is text"
        return
    gone = [value for value in old.get("values", []) if value not in new.get("values", [value])]
    if gone:
        listed = ", ".join(gone)
        yield (*path, "values"), f"取值少了 {listed}", f"no longer takes {listed}"
    if old.get("null") and not new.get("null"):
        yield (*path, "null"), "不再能为 null", "can no longer be null"
    yield from _differences(old.get("fields", {}), new.get("fields", {}), (*path, "fields"))
    if "items" in old and "items" in new:
        yield from _difference(old["items"], new["items"], (*path, "items"))
