"""The record of what was put into a project: `clew-agent.json` in the host's folder.

It names each file with its hash and says how the settings file was edited, so that `uninstall` takes
away exactly that. It travels with the project and may come from anyone: a path in it counts only
below the skill's folder, an edit only while the settings are the very bytes that it left.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from clew.kernel.document import digest, encode, parse
from clew.kernel.errors import Corrupt, NewerSchema, Refused
from clew.kernel.faults import Both, Code, Fault, register

NAME: Final = "clew-agent.json"
SCHEMA: Final = 1
_Sha256 = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
_At = Annotated[int, Meta(ge=0)]


class Edited(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the settings file was edited. `edits` (position, text before, text after) leads from the
    content with hash `before` to the one with hash `after`; None where no edit takes it back."""

    created: bool
    made: tuple[str, ...]
    """The containers that were not there: `hooks`, `hooks.PreToolUse` …"""
    before: _Sha256
    after: _Sha256
    edits: tuple[tuple[_At, str, str], ...] | None


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was put into one host's folder. Paths are relative to it."""

    format: Literal["clew-agent"]
    schema_version: Literal[1]
    agent: str
    skill: str
    files: dict[str, _Sha256]
    folders: tuple[str, ...]
    settings: Edited


def load(data: bytes, file: str) -> Record:
    """Read a record. Raises `Corrupt` or `NewerSchema`; it is never taken for an absent one."""
    try:
        value, _ = parse(data, file)
        version = value.get("schema_version") if isinstance(value, dict) else None
        if type(version) is int and version > SCHEMA:
            raise NewerSchema(Fault("newer_schema", file=file, found=version, limit=SCHEMA))
        return msgspec.convert(value, Record)
    except Refused as error:
        reason: Any = Both(error.faults[0].message("zh"), error.faults[0].message("en"))
    except msgspec.ValidationError as error:
        reason = str(error)
    raise Corrupt(Fault("agent_record_unreadable", file=file, reason=reason))


def dump(record: Record) -> bytes:
    """The bytes of a record."""
    return encode(record)


def sha(data: bytes) -> str:
    """The hash by which a file is known again."""
    return digest(data)


register(
    Code(
        "agent_record_unreadable", 2,
        "安装记录 {file} 无法读取（{reason}），什么都没动",
        "the record of what was installed, {file}, cannot be read ({reason}); nothing was changed",
        "把它改名留档，再运行 clew agent install claude --novel；之后照常可以卸载。",
        "Move it aside and run `clew agent install claude --novel`; after that it can be uninstalled as "
        "usual.",
        about_zh="记录写明装了什么、改了哪里。读不懂的记录从不当作没有。",
        about_en="The record says what was put in and edited. One that makes no sense is never taken for "
        "an absent one.",
    ),
)  # fmt: skip
