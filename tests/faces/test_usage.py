"""A line that does not fit: told in the user's language, with a guess at what was meant."""

from __future__ import annotations

import re

import pytest

from clew.faces.cli.parse import noun_parser
from clew.faces.cli.rooms import _verb_first
from clew.faces.cli.storyctl import _parser as storyctl
from clew.faces.cli.usage import Parser, _in_chinese
from clew.kernel.errors import Usage
from clew.kernel.operations import of_noun

_HAN = re.compile(r"[\u4e00-\u9fff]")


def refused(lang: str, *words: str, noun: str = "card") -> dict[str, object]:
    with pytest.raises(Usage) as caught:
        noun_parser(noun, of_noun(noun), lang).parse_args(list(words))
    fault: dict[str, object] = caught.value.faults[0].to_dict(lang)
    return fault


@pytest.mark.parametrize(
    ("words", "zh", "en"),
    [
        (["shwo"], "没有这个命令：shwo。是不是 show？", "no such command: shwo. Did you mean show?"),
        (["list", "--favorite"], "是不是 --favourite", "Did you mean --favourite"),
        (["list", "--favorite=1"], "是不是 --favourite", "Did you mean --favourite"),
        (["list", "--kind", "wrld"], "--kind 不能是 wrld。是不是 world？", "--kind cannot be wrld. "),
        (["show"], "还缺：CARD", "the following arguments are required: CARD"),
        ([], "还缺：命令", "the following arguments are required: VERB"),
        (["list", "--tag"], "--tag：后面要有一个值", "--tag: expected one argument"),
        (["list", "--limit", "x"], "要不小于 0 的整数：'x'", "0 or more, expected: 'x'"),
        (["list", "--limit", "-1"], "要不小于 0 的整数", "whole number, 0 or more"),
        (["list", "--lock-timeout", "-1"], "要 0 到 3600 秒", "0..3600 seconds"),
        (["list", "--lock-timeout", "9999"], "要 0 到 3600 秒", "0..3600 seconds"),
        (["list", "月", "光"], "用引号括起来", "in quotation marks"),
        (["list", "--unused=1"], "不能带值：'1'", "ignored explicit argument '1'"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_told_in_either_language(words: list[str], zh: str, en: str) -> None:
    chinese, english = refused("zh", *words), refused("en", *words)
    assert zh in str(chinese["message"])
    assert en in str(english["message"])
    assert not _HAN.search(str(english["message"]).replace("月 光", ""))


def test_what_is_allowed_is_a_list_for_machines() -> None:
    assert refused("en", "list", "--kind", "x")["allowed"] == ["card", "world"]
    assert "where-used" in refused("zh", "x")["allowed"]  # type: ignore[operator]


def test_a_word_that_is_like_nothing_gets_no_guess() -> None:
    assert "Did you mean" not in str(refused("en", "qqqqqqq")["message"])


def test_between_numbers_nothing_is_guessed_and_all_are_named() -> None:
    for lang, guess in (("zh", "是不是"), ("en", "Did you mean")):
        said = str(refused(lang, "timers", "install", "--every", "0", noun="persona")["message"])
        assert guess not in said and "30" in said and "60" in said


def test_a_huge_word_is_not_echoed_at_length() -> None:
    assert len(str(refused("zh", "山" * 100_000)["message"])) < 300
    assert len(str(refused("zh", "list", "--" + "x" * 100_000)["message"])) < 400


def test_help_speaks_one_language(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        noun_parser("novel", of_noun("novel"), "zh").parse_args(["commit", "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("用法：clew novel commit")
    assert "选项:" in shown and "通用选项:" in shown and "显示这份说明" in shown
    for word in ("usage:", "options:", "positional", "show this help"):
        assert word not in shown


def test_a_terminal_that_says_it_has_no_columns_gets_a_page_of_the_usual_width(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.get_terminal_size", lambda: __import__("os").terminal_size((0, 0)))
    with pytest.raises(SystemExit):
        noun_parser("card", of_noun("card"), "en").parse_args(["list", "--help"])
    assert max(map(len, capsys.readouterr().out.splitlines())) > 60


def test_the_parsers_below_one_speak_its_language() -> None:
    with pytest.raises(Usage) as caught:
        storyctl("zh").parse_args(["chapter", "chek"])
    assert "是不是 check" in str(caught.value.faults[0].message("zh"))


def test_a_complaint_that_is_not_known_stays_as_it_is() -> None:
    assert _in_chinese("argument --x: something new") == "--x：something new"
    assert _in_chinese("something new") == "something new"


def test_options_that_were_typed_wrong_are_guessed_from_the_command_that_was_typed() -> None:
    parser = Parser(prog="p", allow_abbrev=False)
    verbs = parser.add_subparsers(dest="verb")
    verbs.add_parser("a", allow_abbrev=False).add_argument("--colour")
    verbs.add_parser("b", allow_abbrev=False).add_argument("--color-of-b")
    with pytest.raises(Usage, match="--colour"):
        parser.parse_args(["a", "--color", "red"])
    space = parser.parse_args(["a", "--colour", "red"])
    assert vars(space) == {"verb": "a", "colour": "red"}


@pytest.mark.parametrize(
    ("argv", "ordered"),
    [
        (["--lang", "zh", "list"], ["list", "--lang", "zh"]),
        (["--json", "--lang=en", "edit", "--", "-x"], ["edit", "--json", "--lang=en", "--", "-x"]),
        (["--lang", "zh"], []),
        (["list", "--json"], ["list", "--json"]),
        (["--help"], ["--help"]),
    ],
)
def test_common_options_may_stand_before_the_verb(argv: list[str], ordered: list[str]) -> None:
    assert _verb_first(argv) == ordered
