"""Nothing that can be typed is ever answered with a traceback, a bug report or an unknown code."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from booklet import Booklet, call

from clew.faces.cli import storyctl, tracking_commit
from clew.faces.cli.main import main

_NOUNS = ["novel", "chapter", "wordcount", "backup", "trust", "", "Novel", "-", "--", "小说"]
_VERBS = [
    "init", "adopt", "backfill", "check", "draft", "commit", "render", "history", "at", "diff",
    "undo", "redo", "recover", "stats", "shims", "accept-current-length", "measure", "checkpoint",
    "create", "verify", "restore", "list", "repair", "install", "status", "uninstall",
]  # fmt: skip
_FLAGS = [
    "--project", "--input", "--chapter", "--revision", "--out", "--force", "--dry-run", "--prune",
    "--from-manuscript", "--character", "--foreshadow", "--revisions", "--to-history", "--keep",
    "--skill", "--min-chars", "--max-chars", "--file", "--case-id", "--target", "--json", "--lang",
    "--lock-timeout", "--help", "--revoke", "--list", "--what", "-x", "--project=", "--chapter=1",
]  # fmt: skip
_VALUES = [
    "0", "1", "2", "-1", "1.5", "１", "²", "9" * 40, "9" * 5000, "", " ", "x", "江晨", "F001", "zh",
    "en", "fr", "nan", "1e9", "disk", "journal", ".", "正文", "正文/第001章_渡口.md", "tx.json",
    "none.json", "skill", "a.zip", "out", "{}", "%s", "{file}", "[red]", "\n", "\udcff", "e\u0301",
    "第001章", "x" * 3000, "--", "\u202e",
]  # fmt: skip


def _words(rng: random.Random, *, nouns: list[str]) -> list[str]:
    words = [rng.choice(nouns), rng.choice(_VERBS)] if nouns else [rng.choice(_VERBS)]
    for _ in range(rng.randrange(5)):
        words.append(rng.choice(_FLAGS))
        if rng.random() < 0.8:
            words.append(rng.choice(_VALUES))
    if rng.random() < 0.3:
        words.insert(rng.randrange(len(words) + 1), rng.choice(_VALUES + _VERBS))
    return words


@pytest.fixture
def shelf(book: Booklet, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = book.ready(1)
    (book.root / "tx.json").write_bytes(path.read_bytes())
    (book.root / "skill" / "scripts").mkdir(parents=True)
    monkeypatch.chdir(book.root)
    return book.root


@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("script", ["clew", "storyctl", "tracking_commit"])
def test_a_few_hundred_command_lines(
    shelf: Path, monkeypatch: pytest.MonkeyPatch, lang: str, script: str
) -> None:
    monkeypatch.setenv("CLEW_LANG", lang)
    nouns = {
        "clew": _NOUNS,
        "storyctl": ["wordcount", "chapter", "novel", ""],
        "tracking_commit": [],
    }
    entry = {"clew": main, "storyctl": storyctl.main, "tracking_commit": tracking_commit.main}
    rng = random.Random(f"{script} {lang}")
    bad = []
    for _ in range(250):
        argv = _words(rng, nouns=nouns[script])
        try:
            answer = call(entry[script], *argv)
        except Exception as error:  # noqa: BLE001 - every one of them is a finding
            bad.append((argv, repr(error)[:120]))
            continue
        if answer.code not in (0, 1, 2, 3):
            bad.append((argv, f"exit {answer.code}"))
        words = ("Traceback", "bug of its own", "自身的错误")
        if any(word in answer.err or word in answer.text for word in words):
            bad.append((argv, answer.err[-200:]))
        if script == "tracking_commit" and answer.code != 0 and answer.out:
            bad.append((argv, "stdout after a refusal"))
    assert not bad, "\n".join(f"{[w[:40] for w in argv]}: {why}" for argv, why in bad)
