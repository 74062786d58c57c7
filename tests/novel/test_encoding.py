"""`StateText` gives exactly the canonical bytes, whatever was encoded before."""

from __future__ import annotations

from random import Random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from clew.novel.encoding import StateText
from clew.novel.history import encode_state
from clew.testing.novel import Story, histories, init_document, started

HOSTILE = '\n  "timeline": {}\\n  "characters": {}'


@given(story=histories())
def test_every_state_of_a_book_has_the_canonical_bytes(story: Story) -> None:
    text = StateText()
    for state in story.states:
        assert text.encode(state) == encode_state(state)


@given(story=histories(), order=st.randoms(use_true_random=False))
def test_the_order_in_which_states_come_does_not_matter(story: Story, order: Random) -> None:
    states = list(story.states) * 2
    order.shuffle(states)
    text = StateText()
    for state in states:
        assert text.encode(state) == encode_state(state)


def test_a_title_that_looks_like_a_table_is_a_title() -> None:
    state = msgspec.structs.replace(started(init_document()), book_title=HOSTILE)
    text = StateText()
    assert text.encode(state) == text.encode(state) == encode_state(state)
