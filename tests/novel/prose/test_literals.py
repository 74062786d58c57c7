"""The texts that a book means as they stand are found all at once, however many there are."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from clew.novel.prose.check import check
from clew.novel.prose.literals import Literals
from clew.novel.prose.model import ProseConfig
from clew.novel.prose.punctuation import fix

TEXTS = st.text(alphabet="ab灯\U00020000", max_size=30)
WORDS = st.sets(st.text(alphabet="ab灯\U00020000", min_size=1, max_size=6), max_size=8)


@given(WORDS, TEXTS)
def test_the_longest_text_that_ends_anywhere_is_known(words: set[str], text: str) -> None:
    wanted = [
        min((end - len(w) for w in words if text[:end].endswith(w)), default=end)
        for end in range(len(text) + 1)
    ]
    assert Literals(words).starts(text) == wanted


@given(WORDS, TEXTS, st.data())
def test_a_span_is_covered_where_one_of_the_texts_covers_it(
    words: set[str], text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    spans = [
        (at, at + len(word))
        for word in words
        for at in range(len(text))
        if text.startswith(word, at)
    ]
    wanted = any(first <= start and end <= last for first, last in spans)
    assert (Literals(words).reach(text)[end] <= start) == wanted


def test_many_texts_at_many_hits_cost_no_product() -> None:
    def seconds(count: int, lines: int) -> float:
        texts = frozenset(f"他把第{n}盏灯——放下……了" for n in range(count))
        body = "".join(f"他把第{n + 10**6}盏灯——放下......了,又走--了。\n" for n in range(lines))
        config = ProseConfig(literals=texts, strict=True, findings_per_rule=10**6)
        start = time.process_time()
        assert check(body, lang="zh", config=config)
        fix(body, strict=True, literals=texts)
        return time.process_time() - start

    few = max(min(seconds(1, 400) for _ in range(2)), 0.01)
    assert seconds(2_000, 400) < few * 8
