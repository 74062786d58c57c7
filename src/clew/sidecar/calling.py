"""How a sidecar command is written: its verb, its options, what is wrong with them.

By hand and not with argparse, which would cost a command a third of its start. Pure. Standard
library only, Python 3.9: bundles carry it.
"""

from __future__ import annotations

from clew.sidecar.messages import word
from clew.sidecar.place import SCOPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

COMMON = {
    "profile": True, "file": True, "scope": True, "session": True, "state_dir": True, "lang": True,
    "strict": False, "json": False, "help": False,
}  # fmt: skip
"""Options of every verb, and whether a value follows."""

# verb: its own options, and the names of its arguments (`?` at the end: may be left out).
VERBS: dict[str, tuple[dict[str, bool], tuple[str, ...]]] = {
    "read": ({"field": True, "all": False, "hook": False}, ()),
    "event": ({"arg": True, "id": True}, ("NAME",)),
    "turn": ({"chars": True, "tools": True, "id": True, "hook": False}, ()),
    "set": ({"force": False}, ("FIELD", "VALUE")),
    "patch": ({"force": False}, ("FILE",)),
    "show": ({"all": False}, ()),
    "reset": ({}, ()),
    "pause": ({}, ()),
    "resume": ({}, ()),
}
_MANY = ("arg",)
_ID_CHARS = 100


class Call:
    """One command line. `options` holds what was given: a text, True, or a list for `--arg`."""

    __slots__ = ("options", "verb", "words")

    def __init__(self, verb: str, words: list[str], options: dict[str, Any]) -> None:
        self.verb = verb
        self.words = words
        self.options = options

    def text(self, name: str) -> str:
        """The value of an option, or an empty text."""
        return str(self.options.get(name, ""))

    def flag(self, name: str) -> bool:
        """Whether an option without a value was given."""
        return name in self.options

    def environ(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """The environment with what `--state-dir` says in the place of its variable."""
        folder = self.text("state_dir")
        return {**given, "CLEW_STATE_DIR": folder} if folder else given

    def number(self, name: str) -> int:
        """A count, 0 when it was not given; it has been checked."""
        return int(self.options.get(name, 0))


class CallError(ValueError):
    """A command that was written wrongly. `word` says how."""

    def __init__(self, zh: str, en: str) -> None:
        self.word = word("sidecar_usage", reason_zh=zh, reason_en=en)
        super().__init__(en)


def parse(
    argv: list[str], verbs: Mapping[str, tuple[dict[str, bool], tuple[str, ...]]] = VERBS
) -> Call:
    """Read a command line. Raises `CallError`."""
    verb = argv[0] if argv else ""
    if verb not in verbs:
        known = ", ".join(verbs)
        raise CallError(
            f"没有命令 {verb}；可用：{known}", f"no such command {verb}; known: {known}"
        )
    own, names = verbs[verb]
    takes = {**COMMON, **own}
    words: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(argv[1:])
    for given in rest:
        if not given.startswith("--") or given == "--":
            words += list(rest) if given == "--" else [given]
            continue
        name, equals, value = given[2:].partition("=")
        name = name.replace("-", "_")
        if name not in takes:
            known = " ".join(f"--{n.replace('_', '-')}" for n in takes)
            raise CallError(
                f"{verb} 没有选项 {given}；可用：{known}",
                f"{verb} has no option {given}; known: {known}",
            )
        if not takes[name]:
            if equals:
                raise CallError(f"--{name} 不带值", f"--{name} takes no value")
            options[name] = True
            continue
        if not equals:
            found = next(rest, None)
            if found is None:
                raise CallError(f"--{name} 缺值", f"--{name} needs a value")
            value = found
        if name in _MANY:
            options.setdefault(name, []).append(value)
        else:
            options[name] = value
    call = Call(verb, words, options)
    if not call.flag("help"):
        _check(call, names)
    return call


def _check(call: Call, names: tuple[str, ...]) -> None:
    most = len(names)
    least = sum(not name.endswith("?") for name in names)
    if not least <= len(call.words) <= most:
        shape = " ".join([call.verb, *(f"[{n[:-1]}]" if n[-1] == "?" else n for n in names)])
        raise CallError(f"写法：{shape}", f"usage: {shape}")
    for name in ("chars", "tools", "turns"):
        value = call.options.get(name)
        if value is not None and not (value.isascii() and value.isdigit() and len(value) <= 12):
            raise CallError(
                f"--{name} 要非负整数：{value}", f"--{name} takes a whole number: {value}"
            )
    scope = call.options.get("scope")
    if scope is not None and scope not in SCOPES:
        known = ", ".join(SCOPES)
        raise CallError(f"--scope 可用：{known}", f"--scope takes one of: {known}")
    if call.options.get("lang", "en") not in ("zh", "en"):
        raise CallError("--lang 可用：zh, en", "--lang takes one of: zh, en")
    if len(call.text("id")) > _ID_CHARS:
        raise CallError("--id 最多 100 字", "--id takes at most 100 characters")


def arguments(pairs: list[str]) -> dict[str, str]:
    """The texts of `--arg k=v`. Raises `CallError`."""
    out: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or key in out:
            raise CallError(
                f"--arg 写作 名=值，各一次：{pair}", f"--arg is name=value, each once: {pair}"
            )
        out[key] = value
    return out
