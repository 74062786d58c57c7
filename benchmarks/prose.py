"""What the prose checks cost: a chapter, a long file, and one line without end, in both languages.

`python -m benchmarks.prose` prints the table of docs/performance.md. The text is that of the example
books, over and over, each round with its own numbers, so that it is prose and no two rounds are
alike. Every number is a median; nothing is written unless `--write` names the page.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Final, NamedTuple

from benchmarks.novel import ROOT, machine
from benchmarks.page import fill
from clew.novel.prose.check import check, rules_for
from clew.novel.prose.model import ProseConfig
from clew.novel.prose.outline_copy import check_against
from clew.novel.prose.punctuation import fix
from clew.novel.prose.text import Language, read_body

BOOKS: Final[dict[Language, str]] = {"zh": "洪字十七号", "en": "The Cancelled Leaf"}
NAMES: Final = {"zh": "Chinese", "en": "English"}
CHAPTER: Final = 5_000
FILE: Final = 200_000
LINE: Final = 1_000_000
OUTLINE: Final = 2_000
TARGET_MS: Final = 50.0
"""A chapter is checked in the low tens of milliseconds."""
GROWTH: Final = 1.6
"""How much dearer a character of a long file may be than one of a chapter."""
_HEADING: Final = re.compile(r"^#.*$", re.MULTILINE)


class Sizes(NamedTuple):
    """The texts of one language. All lengths are in characters of the file, spaces included."""

    chapter: str
    file: str
    line: str
    outline: str


def paragraphs(language: Language) -> Iterator[str]:
    """The example book's paragraphs without end; each round begins its own with its number."""
    folder = ROOT / "examples" / BOOKS[language] / "正文"
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.md")))
    own = [line for line in _HEADING.sub("", text).split("\n") if line.strip()]
    for number in count():
        for line in own:
            yield f"{number}号：{line}" if language == "zh" else f"In {1900 + number}, {line}"


def text_of(language: Language, size: int, join: str = "\n\n") -> str:
    """Prose of about `size` characters that ends with a whole paragraph."""
    parts: list[str] = []
    length = 0
    for part in paragraphs(language):
        parts.append(part)
        length += len(part) + len(join)
        if length >= size:
            break
    return join.join(parts)


def texts(language: Language) -> Sizes:
    """Everything that is measured in one language."""
    return Sizes(
        text_of(language, CHAPTER),
        text_of(language, FILE),
        text_of(language, LINE, " "),
        text_of(language, OUTLINE, "\n- "),
    )


def timed(work: Callable[[], Any], runs: int) -> float:
    """The median of so many runs, in milliseconds."""
    found = []
    for _ in range(runs):
        start = perf_counter()
        work()
        found.append((perf_counter() - start) * 1000)
    return median(found)


def measure(language: Language, runs: int) -> dict[str, float]:
    """Milliseconds of each piece of work."""
    have = texts(language)
    few = max(1, runs // 5)
    out = {
        "check": timed(lambda: check(have.chapter, lang=language), runs),
        "outline": timed(lambda: check_against(have.chapter, have.outline, lang=language), runs),
        "repair": timed(lambda: fix(have.chapter, language=language), runs),
        "check, file": timed(lambda: check(have.file, lang=language), few),
        "check, line": timed(lambda: check(have.line, lang=language), 1),
        "repair, line": timed(lambda: fix(have.line, language=language), 1),
    }
    per_char = [out["check"] / len(have.chapter), out["check, file"] / len(have.file)]
    return out | {"growth": per_char[1] / per_char[0]}


def slowest(language: Language, size: int, runs: int) -> list[tuple[str, float]]:
    """The rules by what each costs on a text of this size, in milliseconds, the dearest first."""
    body = read_body(text_of(language, size), language)
    config = ProseConfig()
    costs = [
        (rule.id, timed(lambda rule=rule: list(rule.hits(body, config)), runs))  # type: ignore[misc]
        for rule in rules_for(language)
    ]
    return sorted(costs, key=lambda cost: -cost[1])


def table(results: dict[Language, dict[str, float]]) -> list[str]:
    """The results as a Markdown table."""
    labels = {
        "check": f"all rules, a chapter of {CHAPTER:,} characters, ms",
        "outline": f"… held against an outline of {OUTLINE:,}, ms",
        "repair": "… its punctuation put right, ms",
        "check, file": f"all rules, a file of {FILE:,}, ms",
        "growth": "… a character of it, against one of the chapter",
        "check, line": f"all rules, one line of {LINE:,}, ms",
        "repair, line": "… its punctuation put right, ms",
    }
    lines = [
        f"|  | {' | '.join(NAMES[lang] for lang in results)} |",
        "|---|" + "---:|" * len(results),
    ]
    for key, label in labels.items():
        mark = "×" if key == "growth" else ""
        cells = " | ".join(f"{found[key]:,.1f}{mark}" for found in results.values())
        lines.append(f"| {label} | {cells} |")
    return lines


def missed(results: dict[Language, dict[str, float]]) -> list[str]:
    """The targets that were not reached, in words."""
    out = []
    for language, found in results.items():
        whole = found["check"] + found["outline"]
        if whole > TARGET_MS:
            out.append(f"{NAMES[language]}: a chapter takes {whole:.0f} ms, not {TARGET_MS:.0f}")
        if found["growth"] > GROWTH:
            out.append(f"{NAMES[language]}: a long file is {found['growth']:.1f} times as dear")
    return out


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prose", description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="runs of each measurement")
    parser.add_argument("--rules", action="store_true", help="what each rule costs, and no table")
    parser.add_argument("--assert", dest="strict", action="store_true",
                        help="exit 1 when a target is missed")  # fmt: skip
    parser.add_argument("--write", type=Path, metavar="FILE",
                        help="put the table between the marks of this page")  # fmt: skip
    given = parser.parse_args(argv)
    languages: tuple[Language, ...] = ("zh", "en")
    if given.rules:
        for language in languages:
            print(NAMES[language])
            for rule, cost in slowest(language, CHAPTER, given.runs):
                print(f"  {cost:8.2f} ms  {rule}")
        return 0
    results = {language: measure(language, given.runs) for language in languages}
    page = [f"Measured on {machine(ROOT)}.", "", *table(results)]
    print("\n".join(page))
    if given.write:
        fill(given.write, "prose", page)
    short = missed(results)
    for line in short:
        print(f"target missed: {line}")
    return 1 if short and given.strict else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
