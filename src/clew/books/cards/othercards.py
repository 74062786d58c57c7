"""Cards of programs that do not write the Tavern formats: Pygmalion and text-generation-webui, as
JSON or YAML, and Agnai.

Their fields go where V3 has a place for them; everything else is kept beside the card, under the
names that it had.

Pure. YAML needs PyYAML (the extra `cards`); every scalar is read as text and aliases are refused, so
that no document grows while it is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clew.books.cards import repair
from clew.books.cards.oddvalues import as_text
from clew.books.cards.report import Limits, Report
from clew.books.model import V1_FIELDS, Card
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Both, Fault

_PYGMALION: Final = {
    "char_name": "name",
    "char_persona": "description",
    "world_scenario": "scenario",
    "char_greeting": "first_mes",
    "example_dialogue": "mes_example",
}
_TEXTGEN: Final = (
    ("name", ("name", "bot", "<|bot|>", "char_name")),
    ("description", ("context", "char_persona", "persona")),
    ("scenario", ("world_scenario", "scenario")),
    ("first_mes", ("greeting", "char_greeting")),
    ("mes_example", ("example_dialogue", "example_dialogues")),
)
_NODES: Final = 20_000
"""Values in one YAML document: a character has a few dozen, and the parser is slow."""
_AGNAI: Final = {
    "name": "name",
    "greeting": "first_mes",
    "scenario": "scenario",
    "sampleChat": "mes_example",
    "description": "creator_notes",
    "systemPrompt": "system_prompt",
    "postHistoryInstructions": "post_history_instructions",
    "alternateGreetings": "alternate_greetings",
    "tags": "tags",
    "creator": "creator",
    "characterVersion": "character_version",
}


def is_pygmalion(value: Mapping[str, Any]) -> bool:
    """True for the JSON of Pygmalion and its tools."""
    named = bool({"char_name", "name"} & value.keys())
    return named and bool(value.keys() & (_PYGMALION.keys() - {"char_name", "example_dialogue"}))


def is_textgen(value: Mapping[str, Any]) -> bool:
    """True for a character of text-generation-webui."""
    named = any(value.get(key) for key in _TEXTGEN[0][1])
    return named and bool({"context", "greeting"} & value.keys())


def is_agnai(value: Mapping[str, Any]) -> bool:
    """True for a character of Agnai."""
    persona = value.get("persona")
    shaped = isinstance(persona, dict) and "attributes" in persona
    return (shaped and "name" in value) or {"greeting", "sampleChat"} <= value.keys()


def of_pygmalion(value: Mapping[str, Any], path: str, report: Report) -> Card:
    """The card of a Pygmalion JSON."""
    data = {new: value[old] for old, new in _PYGMALION.items() if old in value}
    rest = {key: item for key, item in value.items() if key not in _PYGMALION}
    for name in V1_FIELDS:  # tools write the usual word beside theirs
        if name not in data and name in rest:
            data[name] = rest.pop(name)
    return _card(data, rest, "pygmalion", path, report)


def of_textgen(value: Mapping[str, Any], path: str, report: Report) -> Card:
    """The card of a text-generation-webui character."""
    data: dict[str, Any] = {}
    rest = dict(value)
    for new, names in _TEXTGEN:
        for name in names:
            if rest.get(name) and new not in data:
                data[new] = rest.pop(name)
    return _card(data, rest, "textgen", path, report)


def of_agnai(value: Mapping[str, Any], path: str, report: Report) -> Card:
    """The card of an Agnai character."""
    data = {new: value[old] for old, new in _AGNAI.items() if value.get(old) is not None}
    used = {*_AGNAI, "persona", "kind", "characterBook"}
    persona = value.get("persona")
    if persona is not None:
        data["description"] = _persona(persona, str(as_text(value.get("name")) or ""))
        # Agnai's own V2 exports keep the persona here.
        data["extensions"] = {"agnai": {"persona": persona}}
    book = value.get("characterBook")
    if isinstance(book, dict):
        from clew.books.cards.lorefiles import of_agnai as book_of

        data["character_book"] = book_of(book, f"{path}.characterBook", report).data
    rest = {
        key: item
        for key, item in value.items()
        if key not in used or (key in _AGNAI and item is None)
    }
    return _card(data, rest, "agnai", path, report)


def _persona(persona: Any, name: str) -> str:
    """Agnai's attributes as the text that Agnai makes of them."""
    attributes = persona.get("attributes") if isinstance(persona, dict) else None
    if not isinstance(attributes, dict):
        return str(as_text(persona) or "")
    kind = persona.get("kind")
    rows = [
        (
            key,
            [str(as_text(v) or "") for v in (values if isinstance(values, list) else [values])],
        )
        for key, values in attributes.items()
    ]
    if kind == "text" or kind is None:
        return "\n".join(part for _, values in rows for part in values)
    if kind == "wpp":
        inner = "\n".join(
            f"{key}({' + '.join(chr(34) + v + chr(34) for v in values)})" for key, values in rows
        )
        return f'[character("{name}") {{\n{inner}\n}}]'
    if kind == "sbf":
        return (
            f"[ character: {name}; "
            + "; ".join(f"{key}: {', '.join(values)}" for key, values in rows)
            + " ]"
        )
    if kind == "boostyle":
        return " + ".join([name, *(part for _, values in rows for part in values)])
    return "\n".join(f"{key}: {', '.join(values)}" for key, values in rows)


def _card(data: dict[str, Any], rest: dict[str, Any], spec: str, path: str, report: Report) -> Card:
    if rest:
        report.keep("unknown_keys", path, found=list(rest))
    return Card(repair.card_data(data, path, report), rest, spec=spec)


class _Refusal(Exception):
    """A document that is not composed further."""

    def __init__(self, reason: Both) -> None:
        super().__init__(reason.en)
        self.reason = reason


def _yaml_reason(problem: str) -> Both:
    return Both(f"语法有误（{problem}）", problem)


def yaml_mapping(text: str, report: Report, limits: Limits) -> dict[str, Any] | None:
    """The mapping that a YAML text spells, every scalar as text; None when it is no mapping.

    Raises `Missing` (`card_library_missing`) without PyYAML, and `Refused` (`bad_yaml`, `too_large`).
    """
    if len(text) > limits.yaml_bytes:
        raise Refused(
            Fault("too_large", file=report.file, found=len(text), limit=limits.yaml_bytes)
        )
    try:
        import yaml  # type: ignore[import-untyped]
    except ImportError as error:
        raise Missing(
            Fault(
                "card_library_missing",
                file=report.file,
                found="PyYAML",
                allowed="pip install pyyaml",
            )
        ) from error

    class Loader(yaml.BaseLoader):  # type: ignore[misc]
        """Scalars as text, nesting counted, no aliases."""

        level = nodes = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise _Refusal(Both("有别名（*）", "it has an alias"))
            self.level += 1
            self.nodes += 1
            if self.level > limits.depth or self.nodes > _NODES:
                raise _Refusal(Both("嵌套过深，或值太多", "too deep, or too many values"))
            node = super().compose_node(parent, index)
            self.level -= 1
            return node

    try:
        value = yaml.load(text, Loader)
    except _Refusal as refused:
        raise Refused(Fault("bad_yaml", file=report.file, line=1, reason=refused.reason)) from None
    except (yaml.YAMLError, RecursionError, ValueError, AttributeError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        raise Refused(
            Fault(
                "bad_yaml", file=report.file, line=mark.line + 1 if mark else 1,
                reason=_yaml_reason(str(getattr(error, "problem", None) or error)[:120]),
            )
        ) from None  # fmt: skip
    return value if isinstance(value, dict) and all(isinstance(k, str) for k in value) else None
