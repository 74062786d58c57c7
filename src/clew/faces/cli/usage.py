"""The parser of the command line: argparse, in the user's language, and with a guess at what was meant.

A wrong line raises `Usage`, like every other refusal. argparse words its complaints in English only:
they are said in Chinese by their form; one that is not known here stays as it is.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

from clew.kernel.errors import Usage
from clew.kernel.faults import Fault, excerpt

_NARROW: Final = 20
_WIDTH: Final = 80
_FLAGS: Final = "known_flags"
_ZH: Final = (
    (r"the following arguments are required: (.*)", r"还缺：\1"),
    (r"unrecognized arguments: (.*)", r"不认识的参数：\1"),
    (r"expected one argument", "后面要有一个值"),
    (r"expected at least one argument", "后面至少要有一个值"),
    (r"expected at most one argument", "后面最多有一个值"),
    (r"expected (\d+) arguments?", r"后面要有 \1 个值"),
    (r"not allowed with argument (.*)", r"不能和 \1 一起用"),
    (r"one of the arguments (.*) is required", r"这几个里要有一个：\1"),
    (r"ignored explicit argument (.*)", r"不能带值：\1"),
    (r"invalid \w+ value: (.*)", r"这个值不对：\1"),
    (r"whole number, 0 or more, expected: (.*)", r"要不小于 0 的整数：\1"),
    (r"0\.\.3600 seconds expected: (.*)", r"要 0 到 3600 秒：\1"),
)


class _Formatter(argparse.HelpFormatter):
    """Asks the system for the width itself: `shutil` costs as much as the whole parser."""

    def __init__(self, prog: str, *, lang: str = "en") -> None:
        try:
            width = os.get_terminal_size().columns
        except OSError:
            width = _WIDTH
        # A terminal that does not tell its size says 0.
        super().__init__(prog, width=(width if width >= _NARROW else _WIDTH) - 2)
        self._usage = "用法：" if lang == "zh" else "usage: "

    def add_usage(
        self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None
    ) -> None:
        super().add_usage(usage, actions, groups, self._usage if prefix is None else prefix)


class Parser(argparse.ArgumentParser):
    """Raises `Usage` instead of printing and leaving. `lang` is the language of its own words."""

    def __init__(self, *, lang: str = "en", **how: Any) -> None:
        formatter = partial(_Formatter, lang=lang)
        super().__init__(**{"formatter_class": formatter, **how, "add_help": False})
        self.lang = lang
        zh = lang == "zh"
        self._positionals.title = "参数" if zh else "arguments"
        self._optionals.title = "选项" if zh else "options"
        self.add_argument(
            "-h", "--help", action="help", default=argparse.SUPPRESS,
            help="显示这份说明" if zh else "show this help",
        )  # fmt: skip

    def add_subparsers(self, **how: Any) -> Any:
        return super().add_subparsers(
            **{"parser_class": partial(type(self), lang=self.lang), **how}
        )

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        given = None if args is None else self._ordered(args)
        space, extra = super().parse_known_args(given, namespace)
        if not hasattr(space, _FLAGS):  # the innermost parser is the one whose options were typed
            setattr(space, _FLAGS, list(self._option_string_actions))
        return space, extra

    def _ordered(self, args: Sequence[str]) -> list[str]:
        """Options first, then the words: argparse takes a word that may be left out as left out as soon
        as an option comes before it. Any other line stays as it is, for argparse to judge."""
        if self._subparsers is not None:
            return list(args)
        end = args.index("--") if "--" in args else len(args)
        options: list[str] = []
        words: list[str] = []
        rest = iter(args[:end])
        for word in rest:
            if word[:1] != "-" or word == "-" or self._negative_number_matcher.match(word):
                words.append(word)
                continue
            option = self._option_string_actions.get(word.partition("=")[0])
            if option is None or option.nargs not in (None, 0):
                return list(args)
            options.append(word)
            if option.nargs is None and "=" not in word:
                options += [value for value in (next(rest, None),) if value is not None]
        return [*options, *words, *args[end:]]

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        space, extra = self.parse_known_args(args, namespace)
        flags = getattr(space, _FLAGS)
        delattr(space, _FLAGS)
        if extra:
            raise self._refusal(self._extra(extra, flags))
        return space

    def _extra(self, extra: Sequence[str], flags: Sequence[str]) -> str:
        zh = self.lang == "zh"
        said = ("不认识的参数：" if zh else "unrecognized arguments: ") + _cut(" ".join(extra))
        guesses = []
        for word in extra:
            if word.startswith("-"):
                guesses += _near(word.split("=", 1)[0], flags)
        if guesses:
            return said + _meant(guesses, zh=zh)
        if not any(word.startswith("-") for word in extra):
            said += (
                "。几个词要当作一个时，用引号括起来"
                if zh
                else ". Put several words that are one in quotation marks"
            )
        return said

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [] if action.choices is None else [str(choice) for choice in action.choices]
        if action.choices is None or value in action.choices:
            return
        zh = self.lang == "zh"
        name = "/".join(action.option_strings) or action.metavar or action.dest
        found = _cut(str(value))
        if action.nargs == argparse.PARSER:
            said = f"没有这个命令：{found}" if zh else f"there is no such command: {found}"
        else:
            said = f"{name} 不能是 {found}" if zh else f"{name} cannot be {found}"
        near = _near(str(value), choices)
        if not near and action.nargs != argparse.PARSER:
            said += ("，可以是：" if zh else "; it can be: ") + ("、" if zh else ", ").join(choices)
        said += _meant(near, zh=zh)
        raise self._refusal(said, choices)

    def error(self, message: str) -> NoReturn:
        if self.lang == "zh":
            message = _in_chinese(message)
        raise self._refusal(message)

    def _refusal(self, said: str, allowed: Sequence[str] = ()) -> Usage:
        facts: dict[str, Any] = {"allowed": list(allowed)} if allowed else {}
        return Usage(Fault("usage", reason=f"{self.prog}: {said}", **facts))


def _in_chinese(message: str) -> str:
    head, rest = "", message
    named = re.fullmatch(r"argument ([^:]*): (.*)", message, re.DOTALL)
    if named:
        head, rest = f"{named[1]}：", named[2]
    for pattern, said in _ZH:
        found = re.fullmatch(pattern, rest, re.DOTALL)
        if found:
            return head + found.expand(said)
    return head + rest


def _near(word: str, known: Sequence[str]) -> list[str]:
    """The likeliest of the known words, best first. Between numbers nothing is likely: a 0 is no slip
    for a 60."""
    if all(one.isdecimal() for one in known):
        return []
    from difflib import get_close_matches  # only where something is wrong

    return get_close_matches(word[:40], known, n=2)


def _meant(guesses: Sequence[str], *, zh: bool) -> str:
    if not guesses:
        return ""
    return f"。是不是 {' 或 '.join(guesses)}？" if zh else f". Did you mean {' or '.join(guesses)}?"


def _cut(text: str) -> str:
    return str(excerpt(text))
