"""Any walk over the shelf leaves a library that agrees with itself; an index made anew agrees with it."""

from __future__ import annotations

from typing import Any

import cardfiles
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.books import assets, bookshelf, cards, discarding, versions
from clew.books.assets import Edit
from clew.books.checking import check
from clew.books.library import Library, start_library
from clew.books.listing import Wanted, catalog, list_assets
from clew.books.shelving import Ready, Shelving
from clew.books.staging import Incoming
from clew.kernel.errors import ClewError
from clew.kernel.folder import FolderVault
from clew.testing.disk import Disk

ROOT = "/no-such-place/library"
STEPS = ("new", "edit", "back", "rename", "mark", "archive", "trash", "restore", "purge", "play")
TITLES = st.text(min_size=1, max_size=6).filter(lambda text: text.split() != [])


def library() -> Library:
    disk = Disk.from_tree({"/no-such-place/library/mine.txt": b"mine"})
    made = Library(ROOT, vault=FolderVault(ROOT, files=disk))
    start_library(made, "")
    return made


def edited(text: str) -> Any:
    def make(old: versions.Content) -> versions.Content:
        assert old.card is not None
        return old._replace(card=cards.set(old.card, "description", text))

    return make


def step(shelf: Library, what: str, ident: str, text: str) -> None:
    """One change; refusals are part of the walk."""
    match what:
        case "edit":
            assets.edit(shelf, ident, Edit(edited(text)))
        case "back":
            assets.edit(shelf, ident, Edit(lambda old: old, made="restored", base=1))
        case "rename":
            assets.rename(shelf, ident, text)
        case "mark":
            assets.mark(shelf, ident, favourite=len(text) % 2 == 0, add=[text])
        case "archive" | "trash" | "restore":
            assets.set_state(shelf, ident, what)  # type: ignore[arg-type]
        case "purge":
            discarding.purge(shelf, ident, really=True)
        case "play":
            bookshelf.new_play(shelf, text, ident)


@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 3), TITLES), max_size=14))
def test_any_walk_leaves_a_sound_library(walk: list[tuple[str, int, str]]) -> None:
    shelf = library()
    made = [assets.new_card(shelf, "first").id]
    for what, which, text in walk:
        try:
            if what == "new":
                made.append(assets.new_card(shelf, text).id)
            else:
                step(shelf, what, made[which % len(made)], text)
        except ClewError as refused:
            assert all(fault.message("zh") and fault.message("en") for fault in refused.faults)
    found = check(shelf, deep=True)
    assert found.findings == [], found.findings
    everything = Wanted(states=("active", "archived", "trashed"))
    before = list_assets(shelf, everything, limit=100)
    catalog(shelf).index.discard()
    assert list_assets(shelf, everything, limit=100) == before
    assert found.cards == before.total


def test_a_commit_may_hold_the_same_card_many_times() -> None:
    """Within one batch: the same bytes, the same content, and nothing twice."""
    from clew.books.gathering import Candidate
    from clew.books.known import Known
    from clew.books.records import SourceFile
    from clew.books.reporting import Item

    shelf = library()
    data = cardfiles.card_png(cardfiles.v2())
    read = cards.read(data, name="a.png")
    content = versions.Content(read.card, None, {})
    packed = versions.pack(content)
    with Incoming(shelf) as incoming:
        ready = []
        for number in range(3):
            paths = incoming.reserve(), incoming.reserve()
            incoming.write(paths[0], packed)
            incoming.write(paths[1], data)
            source = SourceFile(file="0" * 32 + ".png", sha256="a" * 64, size=len(data), kind="png")
            ready.append(Ready(Item(file=f"{number}", outcome="refused"), Candidate("", "", 0), "card",
                               content, "沈砚", packed, paths[0], source, paths[1]))  # fmt: skip
        with shelf.changing() as tx:
            shelving = Shelving(shelf, tx, incoming, Known(shelf))
            done = [shelving.shelve(one) for one in ready]
    assert [one.outcome for one in done] == ["taken", "skipped", "skipped"]
    assert len({one.id for one in done}) == 1
    assert len(list_assets_ids(shelf)) == 1


def list_assets_ids(shelf: Library) -> list[str]:
    return shelf.look(lambda reader: shelf.asset_ids(reader))
