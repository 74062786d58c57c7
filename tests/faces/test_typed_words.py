"""Words and options of a command line: in any order, and named in a refusal as they were typed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "persona"))
import screen
import somebody

from clew.faces.cli.main import main
from clew.kernel.clock import system_clock


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLEW_LANG", "en")
    return somebody.begin(tmp_path / "林昭", system_clock).root  # type: ignore[arg-type]


def ok(*argv: object) -> Any:
    code, answer, err = somebody.clew("persona", *argv)
    assert code == 0, (argv, answer, err)
    return answer


def test_words_may_stand_behind_options(home: str) -> None:
    note = ok("board", "--home", home, "write", "--to", "persona", "在吗", "--task")["notes"][0]
    assert (note["text"], note["to"], note["task"]) == ("在吗", "persona", True)
    baton = ok("baton", "write", "--next", "核四月", "核完三月", "--home", home)["batons"][0]
    assert (baton["done"], baton["next"]) == ("核完三月", "核四月")
    mood = ok("mood", "--home", home, "set", "--cause", "好", "--source=self", "0.5")["state"]
    assert mood["cause"] == "好"


@pytest.mark.parametrize(
    "words", [("mood", "set", "-1", "--cause", "a"), ("board", "read", "--limit", "-3")]
)
def test_a_number_with_a_sign_is_a_word(home: str, words: tuple[str, ...]) -> None:
    code, answer, _ = somebody.clew("persona", *words, "--home", home)
    assert code == 2 and "unrecognized" not in answer["message"]


def test_behind_two_dashes_everything_is_a_word(home: str) -> None:
    note = ok("board", "write", "--home", home, "--", "--to")["notes"][0]
    assert note["text"] == "--to"


@pytest.mark.parametrize("verb", ["board", "baton", "stream", "live", "digest", "receipts"])
def test_a_channel_without_a_verb_is_read(home: str, verb: str) -> None:
    assert ok(verb, "--home", home) == ok(verb, "read", "--home", home)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("intent", "add", "事", "--due", "明天"), "--due"),
        (("board", "read", "--limit", "0"), "--limit"),
        (("init", "x", "--zone", "Mars/X"), "--zone"),
        (("diary", "show", "25:00"), "TEXT|DATE"),
    ],
)
def test_a_refusal_names_what_was_typed(home: str, words: tuple[str, ...], said: str) -> None:
    more = () if words[0] == "init" else ("--home", home)
    shown = screen.show(main, "persona", *words, *more)
    assert f"1. {said} " in screen.plain(shown.err) and "$." not in shown.err
    code, answer, _ = somebody.clew("persona", *words, *more)
    assert code == 2 and answer["faults"][0]["path"].startswith("$.")
