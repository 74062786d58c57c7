"""What a text costs grows with its length, whatever it repeats."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from clew.novel import survey
from clew.novel.export.docx import word
from clew.novel.export.manuscript import Chapter, Manuscript, Volume
from clew.novel.export.reading import read
from clew.novel.lastwords import last_words
from clew.novel.lint import stagewords
from clew.novel.misnamed import body_guess
from clew.novel.outline import body_number

RECALL = re.compile(stagewords.RECALL_ZH)
OPENING = re.compile(stagewords.OPENING_ZH)
TASKS: dict[str, tuple[str, Callable[[str], object]]] = {
    "spaces before no outline's word": (" ", lambda t: survey.book_title(f"# 书{t}x")),
    "dashes before no outline's word": ("- ", lambda t: survey.book_title(f"# 书{t}x")),
    "a title of spaces": (" ", lambda t: survey.book_title(f"书名：a{t}b")),
    "a title of stars": ("* ", lambda t: survey.book_title(f"书名：a{t}b")),
    "a volume of spaces": (" ", lambda t: survey.volume_at([("卷纲_a.md", f"# a{t}b")], 1, english=False)),
    "a range that does not end": (
        " ",
        lambda t: survey.volume_at([("卷纲_a.md", f"# a\n第1{t}-{t}x")], 1, english=False),
    ),
    "a range of noughts": (
        "0",
        lambda t: survey.volume_at([("卷纲_a.md", f"# a\n第{t}x 第1-{t}x")], 1, english=False),
    ),
    "months ago": ("两", lambda t: RECALL.search(t)),
    "years ago": ("百", lambda t: OPENING.search(t)),
    "full stops": (".", lambda t: last_words(f"a{t}x", 300)),
    "a name of blanks": ("_ ", lambda t: body_guess(f"第三章{t}.txt")),
    "a name of notes": ("备忘", lambda t: (body_guess(f"第三章{t}x.txt"), body_number(t))),
}  # fmt: skip


def grows(run: Callable[[int], object], small: int, large: int) -> bool:
    """Whether the larger size costs far more than its share."""

    def seconds(size: int) -> float:
        start = time.process_time()
        run(size)
        return time.process_time() - start

    base = max(min(seconds(small) for _ in range(2)), 0.003)
    return seconds(large) > base * (large / small) * 5


@pytest.mark.parametrize("name", TASKS)
def test_a_text_that_repeats_itself_costs_what_its_length_costs(name: str) -> None:
    piece, run = TASKS[name]
    assert not grows(lambda size: run(piece * (size // len(piece))), 4_000, 32_000)


BLOCKS = {
    "breaks": "---\n\n一\n\n",
    "panels": "```系统\n叮\n```\n\n",
    "tables": "| 甲 | 乙 |\n|---|---|\n| 丙 | 丁 |\n\n",
    "lists": "- 一\n",
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_word_document_costs_what_its_blocks_cost(name: str) -> None:
    pytest.importorskip("docx")

    def make(count: int) -> object:
        blocks = read(BLOCKS[name] * count, lines_are_paragraphs=True).blocks
        book = Manuscript(
            title="书", language="zh", identifier="urn:uuid:1",
            volumes=(Volume("", (Chapter(1, "第1章", "", blocks),)),),
        )  # fmt: skip
        return word(book, datetime(2030, 1, 1, tzinfo=UTC))

    make(1)
    assert not grows(make, 250, 1_500)
