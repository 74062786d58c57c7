"""Help: every command in both languages, built from the registry alone."""

from __future__ import annotations

import pytest
from booklet import STORYCTL, call, process

from clew.faces.cli import storyctl
from clew.faces.cli.main import main
from clew.kernel.operations import ROOMS, Operation, every, of_noun


def squeezed(text: str) -> str:
    """Text without spaces and line ends: argparse wraps where it likes."""
    return "".join(text.split())


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("noun", ROOMS)
def test_the_help_of_a_noun_lists_its_commands_with_what_they_do(noun: str, lang: str) -> None:
    answer = call(main, noun, "--help", "--lang", lang)
    assert (answer.code, answer.err) == (0, "")
    for operation in of_noun(noun):
        assert operation.name.split(".")[1] in answer.text
        assert squeezed(operation.summary(lang)) in squeezed(answer.text)


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("operation", every(), ids=lambda o: o.name)
def test_the_help_of_a_command_shows_fields_options_and_an_example(
    operation: Operation, lang: str
) -> None:
    noun, verb = operation.name.split(".")
    answer = call(main, noun, verb, "--help", "--lang", lang)
    text = squeezed(answer.text)
    assert (answer.code, answer.err) == (0, "")
    assert squeezed(operation.summary(lang)) in text
    assert squeezed(operation.example) in text
    for option in ("--json", "--lang", "--lock-timeout"):
        assert option in text
    assert ("通用选项" in text) == (lang == "zh")
    for line in ("--document", "Annotated", "msgspec", "%("):
        assert line not in answer.text


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize(
    "line",
    [["backup"], ["backup", "create"], ["backup", "verify"], ["backup", "restore"], ["trust"]],
    ids=lambda line: " ".join(line),
)
def test_backup_and_trust_have_help_in_both_languages(
    monkeypatch: pytest.MonkeyPatch, line: list[str], lang: str
) -> None:
    monkeypatch.setenv("CLEW_LANG", lang)
    answer = call(main, *line, "--help")
    assert answer.code == 0
    chinese = any("\u4e00" <= c <= "\u9fff" for c in answer.text)
    assert chinese == (lang == "zh")


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("line", [["backup", "create"], ["trust"]], ids=lambda line: " ".join(line))
def test_the_lang_option_counts_for_help_too(line: list[str], lang: str) -> None:
    answer = call(main, *line, "--lang", lang, "--help")
    assert answer.code == 0
    assert any("\u4e00" <= c <= "\u9fff" for c in answer.text) == (lang == "zh")


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_every_option_of_a_command_says_what_it_means(lang: str) -> None:
    import argparse

    from clew.faces.cli.parse import arguments

    for operation in every():
        parser = argparse.ArgumentParser(add_help=False)
        arguments(parser, operation.request, lang)
        for action in parser._actions:
            assert action.help, (operation.name, action.dest)


def test_storyctl_has_help_at_every_level() -> None:
    assert call(storyctl.main, "--help").code == 0
    for line in (["chapter"], ["wordcount"], ["chapter", "check"], ["wordcount", "measure"]):
        answer = call(storyctl.main, *line, "--help")
        assert answer.code == 0
        assert line[-1] in answer.text
    assert process(STORYCTL, "--help").code == 0


@pytest.mark.parametrize("before", [["--lang", "zh"], ["--lang=zh"]])
def test_the_language_may_stand_before_the_noun(before: list[str]) -> None:
    from booklet import call

    from clew.faces.cli.main import main

    helped = call(main, *before, "chapter", "--help")
    assert helped.code == 0 and "查正文质量与字数" in helped.text
    said = call(main, *before, "novel", "undo", "--project", "/no/such/folder")
    assert "找不到" in said.json["message"]
    later = call(main, *before, "novel", "undo", "--project", "/no/such/folder", "--lang", "en")
    assert "does not exist" in later.json["message"]
    assert "用法" in call(main, *before, "--help").text
    assert call(main, *before, "nonsense").code == 2
