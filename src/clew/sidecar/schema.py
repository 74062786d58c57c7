"""JSON Schema (2020-12): of the state that a profile describes, and of the language of profiles. Pure.

A schema says what single fields may hold and which of the profile's rules can be put that way.
Ledgers, phases and guards are more than a schema can say; `engine.problems` judges them.
"""

from __future__ import annotations

from typing import Any, Final

from clew.sidecar.engine_guards import COUNTED
from clew.sidecar.engine_settle import APPLIED, SEED_CHARS
from clew.sidecar.engine_shape import INT_MOST, ITEMS, KEY_CHARS, SLUG_CHARS, TEXT_CHARS
from clew.sidecar.engine_values import BOOK
from clew.sidecar.profile_grammar import CHANGES, OPERATORS, TABLES, TYPES, VALUES, Key

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"
_DATE: Final = r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"
_STAMP: Final = (
    r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)"
    r"(\.\d{1,9})?(Z|\+00:00)$"
)
_SLUG: Final = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_NAME: Final = r"^[a-z][a-z0-9_]{0,59}$"
_PATH: Final = r"^[a-z][a-z0-9_]{0,59}(\..+)?$"
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": INT_MOST}


def of_state(profile: dict[str, Any]) -> dict[str, Any]:
    """The schema of a state file. Fields that it does not name are allowed: a newer version of the
    profile, or another program, may have written them."""
    fields = profile["fields"]
    schema: dict[str, Any] = {
        "$schema": DRAFT,
        "$id": f"urn:clew:sidecar:{profile['name']}:{profile['version']}",
        "title": profile["title"]["en"],
        "type": "object",
        "required": [*fields, BOOK],
        "properties": {**{name: _field(spec) for name, spec in fields.items()}, BOOK: _book()},
    }
    rules = [rule for rule in map(_rule, profile["rules"]) if rule is not None]
    if rules:
        schema["allOf"] = rules
    return schema


def _field(spec: dict[str, Any]) -> dict[str, Any]:
    schema = _typed(spec)
    if "about" in spec:
        schema["description"] = f"{spec['about']['zh']} / {spec['about']['en']}"
    if spec.get("private"):
        schema["$comment"] = "private: never shown to the user"
    if "default" in spec:
        schema["default"] = spec["default"]
    if spec.get("null"):
        if "enum" in schema:
            schema["enum"] = [*schema["enum"], None]
        schema["type"] = [schema["type"], "null"]
        schema.setdefault("default", None)
    return schema


def _typed(spec: dict[str, Any]) -> dict[str, Any]:
    kind = spec["type"]
    if kind == "bool":
        return {"type": "boolean"}
    if kind == "int":
        low, high = spec.get("min", -INT_MOST), spec.get("max", INT_MOST)
        return {"type": "integer", "minimum": low, "maximum": high}
    if kind in ("enum", "scale"):
        return {"type": "string", "enum": list(spec["values"])}
    if kind == "object":
        members = spec["fields"]
        return {
            "type": "object",
            "required": list(members),
            "properties": {name: _field(member) for name, member in members.items()},
        }
    if kind == "list":
        most = spec.get("keep_last", spec.get("max", ITEMS))
        return {"type": "array", "items": _field(spec["items"]), "maxItems": most}
    if kind == "map":
        return _map(_field(spec["items"]), spec.get("max", ITEMS))
    return {"type": "string", **_TEXTS.get(kind, {"maxLength": spec.get("max", TEXT_CHARS)})}


_TEXTS: Final[dict[str, dict[str, Any]]] = {
    "slug": {"pattern": _SLUG, "maxLength": SLUG_CHARS},
    "date": {"pattern": _DATE, "format": "date"},
    "stamp": {"pattern": _STAMP, "format": "date-time"},
}


def _map(items: dict[str, Any], most: int = ITEMS) -> dict[str, Any]:
    return {
        "type": "object",
        "propertyNames": {"minLength": 1, "maxLength": KEY_CHARS},
        "additionalProperties": items,
        "maxProperties": most,
    }


def _book() -> dict[str, Any]:
    """The bookkeeping, which other readers leave alone."""
    number = {"type": "integer", "minimum": -INT_MOST, "maximum": INT_MOST}
    counts = dict.fromkeys(("revision", *COUNTED), _COUNT)
    opened = {
        "type": "object",
        "required": ["times", "turn", "at", "gap"],
        "properties": {
            "times": {"type": "integer", "minimum": 1},
            "turn": {"type": ["integer", "null"], "minimum": 0},
            "at": {"type": ["integer", "null"]},
            "gap": _COUNT,
        },
    }
    return {
        "type": "object",
        "description": "记账信息，其他程序不要动 / bookkeeping; other programs leave it alone",
        "required": ["schema_version", "seed", *counts, "applied", "opened", "spent", "packs",
                     "differences"],
        "properties": {
            "schema_version": {"type": "integer", "minimum": 1},
            **counts,
            "seed": {"type": ["string", "integer"], "maxLength": SEED_CHARS},
            "applied": {"type": "array", "items": {"type": "string"}, "maxItems": APPLIED},
            "opened": _map(opened),
            "spent": _map(_COUNT),
            "packs": _map(_map(_COUNT, ITEMS + 1)),
            "differences": _map(_map(number)),
        },
    }  # fmt: skip


def _rule(rule: dict[str, Any]) -> dict[str, Any] | None:
    """A rule as `if` and `then`; None where a schema has no word for it."""
    must = _condition(rule["must"])
    if must is None:
        return None
    if rule["when"] is None:
        return must
    when = _condition(rule["when"])
    return None if when is None else {"$comment": rule["id"], "if": when, "then": must}


def _condition(made: dict[str, Any]) -> dict[str, Any] | None:
    for key, word in (("all", "allOf"), ("any", "anyOf")):
        if key in made:
            parts = [_condition(item) for item in made[key]]
            return None if any(part is None for part in parts) else {word: parts}
    if "not" in made:
        inner = _condition(made["not"])
        return None if inner is None else {"not": inner}
    subject = made["of"]
    if not isinstance(subject, dict) or not {"field"} <= set(subject) or "key" in subject:
        return None
    alias = subject.get("behaves_as", {})
    tests = []
    for name, other in made.items():
        if name == "of":
            continue
        test = _test(name, other, alias)
        if test is None:
            return None
        tests.append(test)
    schema: dict[str, Any] = tests[0] if len(tests) == 1 else {"allOf": tests}
    for key in reversed(subject["field"].split(".")):
        schema = {"type": "object", "properties": {key: schema}, "required": [key]}
    return schema


def _test(name: str, other: Any, alias: dict[str, str]) -> dict[str, Any] | None:
    if isinstance(other, dict):
        return None
    if name in ("eq", "in"):
        wanted = other if name == "in" else [other]
        same = [value for value, meant in alias.items() if meant in wanted]
        plain = [value for value in wanted if value not in alias]
        return {"enum": [*plain, *same]}
    if name == "ne":
        inner = _test("eq", other, alias)
        return None if inner is None else {"not": inner}
    if name == "null":
        return {"const": None} if other else {"not": {"const": None}}
    if isinstance(other, bool) or not isinstance(other, int):
        return None  # days are ordered, but a schema cannot say so
    word = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
    return {"type": "integer", word[name]: other}


def of_language() -> dict[str, Any]:
    """The schema of a profile file, read as JSON (an editor for TOML can use it)."""
    defs: dict[str, Any] = {name: _table(keys) for name, keys in TABLES.items() if name != "file"}
    defs["value"] = _value()
    defs["condition"] = _conditions()
    defs["change"] = {"oneOf": [_change(kind) for kind in CHANGES]}
    return {
        "$schema": DRAFT,
        "$id": "urn:clew:sidecar:profile",
        "title": "A sidecar profile",
        **_table(TABLES["file"]),
        "$defs": defs,
    }


def _table(keys: dict[str, Key]) -> dict[str, Any]:
    properties = {}
    for name, key in keys.items():
        properties[name] = {"description": f"{key.zh} / {key.en}", **_shape(key.shape)}
    if keys is TABLES["field"]:
        properties["type"]["enum"] = list(TYPES)
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name, key in keys.items() if key.needed],
        "additionalProperties": False,
    }


def _shape(shape: str) -> dict[str, Any]:
    kind, _, inner = shape.partition(" ")
    if kind == "list":
        return {"type": "array", "items": _shape(inner)}
    if kind == "each":
        return {"type": "object", "propertyNames": {"pattern": _NAME},
                "additionalProperties": _shape(inner)}  # fmt: skip
    if kind == "keyed":
        return {"type": "object", "additionalProperties": _shape(inner)}
    return dict(_SHAPES.get(shape, {"$ref": f"#/$defs/{shape}"}))


_SHAPES: Final[dict[str, dict[str, Any]]] = {
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "text": {"type": "string", "minLength": 1},
    "name": {"type": "string", "pattern": _NAME},
    "slug": {"type": "string", "pattern": _SLUG},
    "path": {"type": "string", "pattern": _PATH},
    "literal": {"type": ["boolean", "integer", "string", "array", "object"]},
    "words": {
        "type": "object",
        "properties": {"zh": {"type": "string"}, "en": {"type": "string"}},
        "required": ["zh", "en"],
        "additionalProperties": False,
    },
}


def _value() -> dict[str, Any]:
    many = {"type": "array", "items": {"$ref": "#/$defs/value"}, "minItems": 1}
    one = {"$ref": "#/$defs/value"}
    forms = []
    for name, (zh, en, extra) in VALUES.items():
        named = {"type": "string"}
        shape = (
            named
            if name in ("arg", "field", "count", "latest")
            else one
            if name == "monday"
            else many
        )
        forms.append({
            "type": "object",
            "description": f"{zh} / {en}",
            "properties": {name: shape, **dict.fromkeys(extra, one)},
            "required": [name],
            "additionalProperties": False,
        })  # fmt: skip
    return {"anyOf": [{"type": ["boolean", "integer", "string"]}, *forms]}


def _conditions() -> dict[str, Any]:
    again = {"$ref": "#/$defs/condition"}
    many = {"type": "array", "items": again, "minItems": 1}
    joined = [
        {
            "type": "object",
            "properties": {key: shape},
            "required": [key],
            "additionalProperties": False,
        }
        for key, shape in (("all", many), ("any", many), ("not", again))
    ]
    tests: dict[str, Any] = {name: {"$ref": "#/$defs/value"} for name in OPERATORS}
    tests["in"] = {"type": "array", "minItems": 1}
    tests["null"] = {"type": "boolean"}
    extra = {key for _, _, keys in VALUES.values() for key in keys}
    subjects = dict.fromkeys((*VALUES, *sorted(extra)), True)
    test = {
        "type": "object",
        "properties": {**subjects, **tests},
        "allOf": [
            {"oneOf": [{"required": [name]} for name in VALUES]},
            {"anyOf": [{"required": [name]} for name in OPERATORS]},
        ],
        "additionalProperties": False,
    }
    return {"anyOf": [*joined, test]}


def _change(kind: str) -> dict[str, Any]:
    zh, en, needed, optional = CHANGES[kind]
    value = {"$ref": "#/$defs/value"}
    members = {"anyOf": [value, {"type": "object", "additionalProperties": value}]}
    keys = {key: members if key == "item" else value for key in (*needed, *optional)}
    return {
        "type": "object",
        "description": f"{zh} / {en}",
        "properties": {kind: {"type": "string"}, **keys, "when": {"$ref": "#/$defs/condition"}},
        "required": [kind, *needed],
        "additionalProperties": False,
    }
