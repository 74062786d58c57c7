"""From a request type to command-line arguments, and back: names and help come from the types."""

from __future__ import annotations

import argparse
import types
from collections.abc import Sequence
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from clew.faces.cli.usage import Parser
from clew.kernel.errors import ClewError
from clew.kernel.faults import Fault
from clew.kernel.operations import Operation


def common(parser: argparse.ArgumentParser, lang: str) -> None:
    """The options that every command has."""
    zh = lang == "zh"
    group = parser.add_argument_group("通用选项" if zh else "common options")
    group.add_argument(
        "--json", action="store_true", help="输出一行 JSON" if zh else "answer one line of JSON"
    )
    group.add_argument("--lang", choices=("zh", "en"), help="语言" if zh else "language")
    group.add_argument(
        "--lock-timeout", type=_seconds, default=10.0, metavar="S",
        help="最多等锁几秒（默认 10）" if zh else "seconds to wait for the lock (default 10)",
    )  # fmt: skip


def noun_parser(noun: str, operations: Sequence[Operation], lang: str) -> Parser:
    """The parser of a noun with these verbs: only what may be needed, each costs start-up."""
    parser = Parser(prog=f"clew {noun}", lang=lang, allow_abbrev=False)
    verbs = parser.add_subparsers(
        dest="verb", required=True, metavar="命令" if lang == "zh" else "VERB"
    )
    for operation in operations:
        verb = operation.name.split(".", 1)[1]
        sub = verbs.add_parser(
            verb, help=operation.summary(lang), description=operation.summary(lang),
            epilog=("例：" if lang == "zh" else "example: ") + operation.example, allow_abbrev=False,
        )  # fmt: skip
        arguments(sub, operation.request, lang)
        common(sub, lang)
        sub.set_defaults(operation=operation)
    return parser


def arguments(parser: argparse.ArgumentParser, request: type[msgspec.Struct], lang: str) -> None:
    """One argument for each field of a request."""
    for field in msgspec.structs.fields(request):
        kind, extra = _plain(field.type)
        if extra.get("hidden"):
            continue
        how: dict[str, Any] = {"help": extra.get(lang, ""), "default": None}
        if kind is bool:
            how["action"] = "store_true"
            how["default"] = False
        else:
            how["metavar"] = extra.get("metavar")
            if get_origin(kind) is list:
                # Several words, or a flag that is given several times.
                if extra.get("positional"):
                    how["nargs"] = "+" if field.required else "*"
                else:
                    how["action"] = "append"
            elif get_origin(kind) is Literal:
                how["choices"] = get_args(kind)
                how.pop("metavar")
            elif kind is int:
                how["type"] = _whole
        if extra.get("positional"):
            if not field.required:
                how.setdefault("nargs", "?")
            parser.add_argument(field.name, **how)
        else:
            if field.required:
                how["required"] = True
            flag = extra.get("flag") or field.name
            parser.add_argument(f"--{flag.replace('_', '-')}", dest=field.name, **how)


def as_typed(error: ClewError, kind: type[msgspec.Struct]) -> ClewError:
    """A refusal for people: a field of the request (`$.due`) is named as it is typed (`--due`). Where a
    request has a document of its own, its places are that document's."""
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    if "input" in fields:
        return error
    faults = []
    for fault in error.faults:
        field = fields.get(fault.path.removeprefix("$."))
        if field is None or not fault.path.startswith("$."):
            faults.append(fault)
            continue
        extra = _plain(field.type)[1]
        flag = str(extra.get("flag") or field.name).replace("_", "-")
        name = str(extra.get("metavar") or field.name) if extra.get("positional") else f"--{flag}"
        faults.append(Fault(fault.code, name, **fault.facts))
    return type(error)(*faults)


def request_of(space: argparse.Namespace, kind: type[msgspec.Struct]) -> msgspec.Struct:
    """The request that was typed; fields that were not keep their defaults."""
    given = {
        field.name: getattr(space, field.name)
        for field in msgspec.structs.fields(kind)
        if getattr(space, field.name, None) is not None
    }
    return kind(**given)


def _plain(hint: Any) -> tuple[Any, dict[str, Any]]:
    extra: dict[str, Any] = {}
    while get_origin(hint) is Annotated:
        hint, *metas = get_args(hint)
        for meta in metas:
            if isinstance(meta, msgspec.Meta):
                extra |= meta.extra or {}
    if get_origin(hint) in (Union, types.UnionType):
        inner = [k for k in get_args(hint) if k is not types.NoneType]
        hint, more = _plain(inner[0])
        extra |= more
    return hint, extra


def _seconds(text: str) -> float:
    # Waiting is bounded: not forever, and not backwards.
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"0..3600 seconds expected: {text!r}")
    return value


def _whole(text: str) -> int:
    # argparse would take "1_000" and "٣"; a chapter number is ASCII digits.
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        raise argparse.ArgumentTypeError(f"whole number, 0 or more, expected: {text!r}")
    return int(text)


def after(argv: list[str], flag: str) -> str | None:
    """What follows a flag, before anything is parsed."""
    for at, word in enumerate(argv):
        if word == flag and at + 1 < len(argv):
            return argv[at + 1]
        if word.startswith(f"{flag}="):
            return word.split("=", 1)[1]
    return None
