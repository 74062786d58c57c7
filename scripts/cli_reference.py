"""Fills the reference in docs/cli.md from the registry of operations.

    python scripts/cli_reference.py            writes it
    python scripts/cli_reference.py --check    exit 1 when the page is stale

A place names a noun: `<!-- generated: novel -->`. Names, options, help in both languages, examples
and answers come from the registry and the request types, as the command line itself does.
"""

from __future__ import annotations

import sys
import types
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from field_tables import describe, type_named
from pages import DOCS, cell, fill, places, settle, wants_check

from clew.kernel.operations import Operation, of_noun

PAGE: Final = DOCS / "cli.md"
_MODES: Final = {"read": "reads only · 只读", "write": "writes · 写"}


def reference(noun: str) -> str:
    """Every operation of a noun."""
    return "\n\n".join(entry(operation) for operation in of_noun(noun))


def entry(operation: Operation) -> str:
    """One operation: what it does, an example, its options, its answer."""
    noun, verb = operation.name.split(".", 1)
    lines = [
        f"### clew {noun} {verb}",
        "",
        f"{_sentence(operation.en)} {_sentence(operation.zh, '。')} *({_MODES[operation.mode]})*",
        "",
        "```console",
        f"$ {operation.example}",
        "```",
        "",
        *_options(operation.request),
        "",
        *_answer(operation.answer),
    ]
    return "\n".join(lines).rstrip()


def _sentence(text: str, stop: str = ".") -> str:
    return text[0].upper() + text[1:] + stop


def _options(request: type[msgspec.Struct]) -> list[str]:
    hints = get_type_hints(request, include_extras=True)
    rows = ["| option | meaning | 含义 |", "|---|---|---|"]
    for field in msgspec.structs.fields(request):
        kind, extra = _plain(hints[field.name])
        if extra.get("hidden"):
            continue
        shown = _shown(field.name, kind, extra)
        must = " **(required)**" if field.required else ""
        rows.append(f"| `{cell(shown)}` | {cell(extra['en'])}{must} | {cell(extra['zh'])} |")
    return rows if len(rows) > 2 else []


def _shown(name: str, kind: Any, extra: dict[str, Any]) -> str:
    choices = "|".join(get_args(kind)) if get_origin(kind) is Literal else ""
    if extra.get("positional"):
        return choices or str(extra.get("metavar") or name.upper())
    flag = f"--{name.replace('_', '-')}"
    if kind is bool:
        return flag
    return f"{flag} {choices or extra.get('metavar') or name.upper()}"


def _plain(hint: Any) -> tuple[Any, dict[str, Any]]:
    extra: dict[str, Any] = {}
    while get_origin(hint) is Annotated:
        hint, *metas = get_args(hint)
        for meta in metas:
            if isinstance(meta, msgspec.Meta):
                extra |= meta.extra or {}
    if get_origin(hint) in (Union, types.UnionType):
        inner, more = _plain(next(k for k in get_args(hint) if k is not types.NoneType))
        return inner, extra | more
    return hint, extra


def _answer(place: str) -> list[str]:
    kind = type_named(place)
    hints = get_type_hints(kind, include_extras=True)
    fields = [
        f"`{field.encode_name}` ({cell(describe(hints[field.name])[0])})"
        for field in msgspec.structs.fields(kind)
    ]
    return [f"Answer (`{place}`): {', '.join(fields)}."]


def build() -> str:
    """The page with every noun's reference."""
    text = PAGE.read_text(encoding="utf-8")
    for noun in places(text):
        text = fill(text, noun, reference(noun))
    return text


def main() -> int:
    check = wants_check(__doc__ or "")
    return settle({PAGE: build()}, [], check=check)


if __name__ == "__main__":
    sys.exit(main())
