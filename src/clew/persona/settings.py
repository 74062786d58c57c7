"""`persona.toml`: what people write down about a persona, judged key by key, all faults at once.

Pure: text in, settings and faults out; `clew.persona.home` reads the file. Secrets have no place in
it: a key is named by the environment variable that holds it. What names a command, an endpoint or a
file outside (`[runner]`, `[endpoint]`, `[embedding]`, `[[pins]]`) does nothing until the home is
trusted. Rules: docs/persona.md.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, field

from clew.kernel.document import child
from clew.kernel.faults import Both, Fault
from clew.kernel.text import nfc
from clew.kernel.validate import ident, items, name, text, validate
from clew.persona.context_guard import ContextLimits
from clew.persona.model import SCHEMA, SETTINGS
from clew.persona.wake.rules import WakeRules, rule_faults

SETTINGS_BYTES: Final = 262_144
_ENV: Final = r"[A-Za-z_][A-Za-z0-9_]{0,99}"
_LARGE: Final = 1_000_000
_MACHINE: Final = ("localtime", "posixrules", "Factory")
"""Names in the folder of zones that mean whatever the machine was set to."""

Hosts = Literal["claude", "codex", "gemini", "other"]
Short = Annotated[str, text(200)]
Words = Annotated[list[Annotated[str, text(4096)]], items(64)]


class Quotas(Struct, omit_defaults=True, kw_only=True):
    """How much goes into what a window reads. Bytes are UTF-8, a Chinese character is 3."""

    opening_bytes: Annotated[int, Meta(ge=1000, le=_LARGE)] = 9000
    samples: Annotated[int, Meta(ge=1, le=20)] = 3
    diary_bytes: Annotated[int, Meta(ge=0, le=_LARGE)] = 1800


class MoodRules(Struct, omit_defaults=True, kw_only=True):
    """The law of mood. `[mood]` holds the only fractions in the file."""

    baseline: float = 0.35
    """Where mood sinks to when nobody is there, 0..1."""
    half_life_hours: float = 6.0
    """How long until half of the way to the baseline is gone."""
    person_speaks: float = 0.12
    """The impulse of a person's words, 0..1 of what is left to 1."""
    impulse_most: float = 0.5
    """No single impulse is larger."""
    noise: float = 0.0
    """Amplitude of a slow seeded wave; 0 switches it off."""
    noise_step_hours: float = 3.0
    """The distance of the fixed points of that wave."""


class Presence(Struct, omit_defaults=True, kw_only=True):
    """What counts as one stretch of being there."""

    gap_minutes: Annotated[int, Meta(ge=1, le=1440)] = 20
    """A longer silence of the pulse and of every window ends the stretch."""


class Runner(Struct, omit_defaults=True, kw_only=True):
    """What a wake does."""

    kind: Literal["outbox", "command", "endpoint"] = "outbox"
    command: Words = []
    """The program and its arguments; used after `clew trust` only."""
    prompt: Literal["stdin", "file", "argument"] = "stdin"
    """How the prompt reaches the program; `argument`: as one argument of its own, the last."""
    answer: Literal["text", "claude", "codex"] = "text"
    """How its answer is read: plain text, `claude --output-format json`, `codex exec --json`."""
    max_tokens: Annotated[int, Meta(ge=1, le=1_000_000)] = 1024
    """How long an answer of the endpoint may be."""
    timeout_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 600
    runs_per_day: Annotated[int, Meta(ge=0, le=1000)] = 12
    tokens_per_day: Annotated[int, Meta(ge=0, le=100_000_000)] = 200_000


class Endpoint(Struct, omit_defaults=True, kw_only=True):
    """An OpenAI-compatible service; used after `clew trust` only."""

    url: Annotated[str, text(2000)]
    model: Annotated[str, text(200)]
    key_env: Annotated[str, ident(_ENV, "NAME", 100)] | None = None
    """The environment variable that holds the key."""


class Pin(Struct, omit_defaults=True, kw_only=True):
    """A place that holds the id of the present window: a file and a key in it."""

    file: Annotated[str, text(1000)]
    key: Annotated[str, text(500)]


class _Sheet(Struct, kw_only=True):
    """What `validate` judges; the fractions of `[mood]` are judged here."""

    schema_version: Literal[1] = 1
    id: Annotated[str, name()]
    name: Annotated[str, text(200)]
    zone: Annotated[str, text(100)]
    host: Hosts = "claude"
    born: Annotated[str, text(40)] | None = None
    about: Annotated[str, text(2000)] | None = None
    quotas: Quotas | None = None
    presence: Presence | None = None
    wake: WakeRules | None = None
    context: ContextLimits | None = None
    runner: Runner | None = None
    endpoint: Endpoint | None = None
    embedding: Endpoint | None = None
    pins: Annotated[list[Pin], items(100)] | None = None


class Settings(Struct, frozen=True, kw_only=True):
    """A `persona.toml` that holds together."""

    id: str
    name: str
    zone: str
    """An IANA name; never taken from the machine."""
    host: Hosts
    born: str
    about: str
    quotas: Quotas = field(default_factory=Quotas)
    mood: MoodRules = field(default_factory=MoodRules)
    presence: Presence = field(default_factory=Presence)
    wake: WakeRules = field(default_factory=WakeRules)
    context: ContextLimits = field(default_factory=ContextLimits)
    runner: Runner = field(default_factory=Runner)
    endpoint: Endpoint | None = None
    embedding: Endpoint | None = None
    pins: tuple[Pin, ...] = ()

    def names_outside(self) -> tuple[str, ...]:
        """What in the file does nothing until the home is trusted."""
        found = ["runner"] if self.runner.kind != "outbox" else []
        found += ["endpoint"] if self.endpoint is not None else []
        found += ["embedding"] if self.embedding is not None else []
        return (*found, *(["pins"] if self.pins else []))


def parse(data: bytes, file: str = SETTINGS) -> tuple[Settings | None, list[Fault]]:
    """Read the settings: what they say, or every fault. Never raises, and never fills in what a
    broken file may have meant: without a sound file there are no settings."""
    raw, faults = parse_toml(data, file)
    if faults:
        return None, faults
    version = raw.get("schema_version")
    if isinstance(version, int) and version > SCHEMA:
        return None, [Fault("newer_schema", file=file, found=version, limit=SCHEMA)]
    mood = _mood(raw.pop("mood", {}), faults)
    table = plain(raw)
    value, found = validate(table, _Sheet)
    faults += found
    if isinstance(value, dict):
        _sense(value, faults)
    for fault in faults:
        fault.facts.setdefault("file", file)
        if fault.code == "unknown_field" and fault.facts["parent"] == "$":
            fault.facts["allowed"] = [*fault.facts["allowed"], "mood"]
    if faults:
        return None, faults
    sheet = msgspec.convert(_verbatim(value, table), _Sheet)
    if sheet.wake is not None and (faults := rule_faults(sheet.wake)):
        for fault in faults:
            fault.facts.setdefault("file", file)
        return None, faults
    return Settings(
        id=sheet.id, name=sheet.name, zone=sheet.zone, host=sheet.host, born=sheet.born or "",
        about=sheet.about or "", quotas=sheet.quotas or Quotas(), mood=mood,
        presence=sheet.presence or Presence(), wake=sheet.wake or WakeRules(),
        context=sheet.context or ContextLimits(),
        runner=sheet.runner or Runner(), endpoint=sheet.endpoint, embedding=sheet.embedding,
        pins=tuple(sheet.pins or ()),
    ), []  # fmt: skip


def parse_toml(
    data: bytes, file: str, limit: int = SETTINGS_BYTES
) -> tuple[dict[str, Any], list[Fault]]:
    """A table that a person wrote, or why it is none. An empty file is a broken one."""
    if len(data) > limit:
        return {}, [Fault("too_large", file=file, found=len(data), limit=limit)]
    if not data.strip(b"\0 \t\r\n"):
        return {}, [Fault("persona_file_empty", file=file)]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return {}, [Fault("bad_encoding", file=file, offset=error.start)]
    try:
        return tomllib.loads(text.replace("\r\n", "\n")), []
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")
        line = re.match(r"line (\d+)", place)
        number = int(line[1]) if line else text.count("\n") + 1
        return {}, [Fault("persona_toml", file=file, line=number, reason=reason)]
    except ValueError:  # an integer of more digits than Python reads
        return {}, [Fault("persona_toml", file=file, line=0, reason="number")]
    except RecursionError:
        return {}, [Fault("too_deep", file=file, limit=64)]


def plain(value: Any) -> Any:
    """TOML's own dates and times as the text that they stand for."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def zone_fault(zone: str, path: str = "$.zone") -> Fault | None:
    """Why a time zone cannot be used, or None when it can."""
    from zoneinfo import ZoneInfo

    known = zone not in _MACHINE and not zone.startswith(("posix/", "right/"))
    try:
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError):  # a folder, a path, a name that nobody knows
        known = False
    return None if known else Fault("bad_zone", path, found=zone)


def _verbatim(value: dict[str, Any], table: Mapping[str, Any]) -> dict[str, Any]:
    """Words of a command and places of pins as they were written: judged as texts, not cleaned."""
    if "command" in table.get("runner", {}):
        value["runner"]["command"] = table["runner"]["command"]
    for one, raw in zip(value.get("pins") or (), table.get("pins") or (), strict=True):
        one["file"], one["key"] = raw["file"], raw["key"]
    return value


def _sense(value: dict[str, Any], faults: list[Fault]) -> None:
    """What types cannot say."""
    if isinstance(zone := value.get("zone"), str) and (found := zone_fault(zone)) is not None:
        faults.append(found)
    if isinstance(ident := value.get("id"), str):
        value["id"] = nfc(ident)
    runner = value.get("runner")
    if isinstance(runner, dict):
        if runner.get("kind") == "command" and not runner.get("command"):
            faults.append(Fault("missing_field", "$.runner.command", expected="array"))
        if runner.get("kind") == "endpoint" and not isinstance(value.get("endpoint"), dict):
            faults.append(Fault("missing_field", "$.endpoint", expected="object"))
    for key in ("endpoint", "embedding"):
        found_at = value.get(key)
        url = found_at.get("url") if isinstance(found_at, dict) else None
        if isinstance(url, str) and (reason := _url_reason(url)) is not None:
            faults.append(Fault("bad_endpoint", f"$.{key}.url", reason=reason))


def _url_reason(url: str) -> Both | None:
    if not re.match(r"https?://[^/\s]+", url):
        return Both("要以 http:// 或 https:// 开头", "it begins with http:// or https://")
    if "@" in url.split("//", 1)[1].split("/", 1)[0]:
        return Both("网址里不能写用户名和密码", "no user name or password in it")
    return None


_SPANS: Final[Mapping[str, tuple[float, float]]] = {
    "baseline": (0.0, 1.0),
    "half_life_hours": (0.01, 8760.0),
    "person_speaks": (0.0, 1.0),
    "impulse_most": (0.0, 1.0),
    "noise": (0.0, 0.5),
    "noise_step_hours": (0.1, 168.0),
}


def _mood(raw: Any, faults: list[Fault]) -> MoodRules:
    if not isinstance(raw, dict):
        found = "array" if isinstance(raw, list) else type(raw).__name__
        faults.append(Fault("wrong_type", "$.mood", expected="object", found=found))
        return MoodRules()
    numbers: dict[str, float] = {}
    for key, value in raw.items():
        path = child("$.mood", key)
        span = _SPANS.get(key)
        if span is None:
            faults.append(
                Fault("unknown_field", path, parent="mood", name=key, allowed=list(_SPANS))
            )
        elif isinstance(value, bool) or not isinstance(value, int | float):
            faults.append(Fault("wrong_type", path, expected="number", found=type(value).__name__))
        elif not math.isfinite(value) or not span[0] <= value <= span[1]:
            allowed = f"{span[0]:g}..{span[1]:g}"
            faults.append(Fault("out_of_range", path, found=str(value), allowed=allowed))
        else:
            numbers[key] = float(value)
    return MoodRules(**numbers)
