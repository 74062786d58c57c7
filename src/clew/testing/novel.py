"""Documents and histories of the novel ledger to test with: lawful by construction.

Builders (`init_document`, `chapter`, `snapshot`, `foreshadow`, `event`) give the plain JSON that an
author hands in, small enough to read in a failing test. Strategies (`transactions`, `init_documents`,
`histories`) give whatever the seed's 约束 allow against a state that evolves: appends, revisions,
plants, resolutions, deletions, reveals, both retirements, context items. `refusal` proves that what
was refused has changed nothing.

Needs hypothesis. Only the functions under "files" touch any. Rules: the seed (初始化事务, 逐章事务,
约束).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec
from hypothesis import strategies as st

from clew.kernel.clock import Clock
from clew.kernel.errors import ClewError
from clew.kernel.text import clean, nfc
from clew.novel.apply import apply, begin
from clew.novel.ledger import Ledger
from clew.novel.model import Chaptered, Init, State
from clew.novel.rules import judge_chapter, judge_init
from clew.novel.start import init

Document = dict[str, Any]
_CONTEXT: Final = (
    "position", "long_term_constraints", "active_character_names", "continuity_risks",
)  # fmt: skip
_LISTS: Final = (
    "character_changes", "foreshadow_changes", "timeline_events", "constraints",
    "next_chapter_commitments", "retired_context_items", "retired_characters",
)  # fmt: skip


# ---- files ---------------------------------------------------------------------------------------


def tree(folder: str | os.PathLike[str]) -> dict[str, bytes]:
    """Everything below a folder: files by path, folders by path and `/`, links by path and `@`.

    Two equal trees have the same names and the same bytes.
    """
    out: dict[str, bytes] = {}
    top = Path(folder)
    for here, folders, files in os.walk(top):
        for name in [*folders, *files]:
            path = Path(here) / name
            shown = path.relative_to(top).as_posix()
            if path.is_symlink():
                out[f"{shown}@"] = os.fsencode(path.readlink())
            elif path.is_dir():
                out[f"{shown}/"] = b""
            else:
                out[shown] = path.read_bytes()
    return out


def refusal(folder: str | os.PathLike[str], run: Callable[[], object]) -> ClewError:
    """The error with which `run` is refused. Fails unless it is refused and the folder is as it
    was, every name and every byte."""
    before = tree(folder)
    try:
        answer = run()
    except ClewError as error:
        after = tree(folder)
        changed = [p for p in {**before, **after} if before.get(p) != after.get(p)]
        assert not changed, f"refused with {error.code}, yet changed: {sorted(changed)}"
        return error
    raise AssertionError(f"not refused: {answer!r}")


def ticking_clock() -> Clock:
    """A clock that goes on by one second with every look at it."""
    moment = datetime(2030, 1, 1, tzinfo=UTC)

    def now() -> datetime:
        nonlocal moment
        moment += timedelta(seconds=1)
        return moment

    return now


def begin_book(folder: str | os.PathLike[str], document: Document | None = None) -> Ledger:
    """A ledger started in a folder (made if need be), by default with `init_document()`."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    ledger = Ledger(folder, clock=ticking_clock(), lock_timeout=2.0)
    init(ledger, init_document() if document is None else document, [])
    return ledger


def state_of(ledger: Ledger) -> State:
    """The present state of a ledger."""
    return ledger.look(ledger.load).state


# ---- builders ------------------------------------------------------------------------------------


def snapshot(**fields: Any) -> Document:
    """A character snapshot; `fields` replace its entries."""
    return {
        "identity": "渡口伙计", "location": "三号码头", "goal": "找回旧账", "state": "镇定",
        "abilities_resources": [], "relationships": [], "knowledge": [], "open_threads": [],
        **fields,
    }  # fmt: skip


def init_document(last_chapter: int = 0, **fields: Any) -> Document:
    """A document that starts a book; `fields` replace entries of it or of its context by name."""
    context: Document = {
        "position": {
            "volume": "第一卷", "volume_start_chapter": 1, "story_time": "立秋前夜",
            "scene": "三号码头",
        },
        "long_term_constraints": ["夜里不许点明火"], "active_character_names": [],
        "continuity_risks": [], "recent_chapters": [], "next_chapter_commitments": [],
    }  # fmt: skip
    document: Document = {
        "schema_version": 1, "book_title": "渡口旧账", "last_chapter": last_chapter,
        "context": context, "character_snapshots": {}, "foreshadow": [], "timeline_events": [],
    }  # fmt: skip
    for name, value in fields.items():
        (context if name in context else document)[name] = value
    return document


def foreshadow(ident: str, planted: int, due: int | None = None, **fields: Any) -> Document:
    """A foreshadow that is planted; `fields` replace its entries."""
    return {
        "action": "upsert", "id": ident, "summary": f"{ident}的半本旧账", "planted_chapter": planted,
        "planned_resolution_chapter": due, "status": "已埋", "importance": "中", **fields,
    }  # fmt: skip


def event(ident: str, revealed: int | None = None, **fields: Any) -> Document:
    """A timeline event, revealed in chapter `revealed` or not yet; `fields` replace its entries."""
    return {
        "action": "upsert", "id": ident, "story_time": "立秋", "objective_fact": f"{ident}账房换了人",
        "reader_knowledge": "读者只见空椅子", "characters": [], "reveal_chapter": revealed,
        "reveal_status": "未揭示" if revealed is None else "已揭示", **fields,
    }  # fmt: skip


def chapter(
    state: State,
    number: int | None = None,
    *,
    changes: Mapping[str, str] | Iterable[str] = (),
    snapshots: Mapping[str, Document] | None = None,
    **fields: Any,
) -> Document:
    """A lawful transaction for `state`: its next chapter, or the revision of chapter `number`.

    It hands over the present context. `changes` are the characters that change (a core one hands
    in its present snapshot again unless `snapshots` holds another or it retires now); `fields`
    replace entries of the delta, of the context or of the transaction by name.
    """
    append = number is None or number > state.last_committed_chapter
    written = state.last_committed_chapter + 1 if number is None else number
    words = changes if isinstance(changes, Mapping) else dict.fromkeys(changes, "有了变化")
    delta: Document = {"result": f"第{written}章写完", **{name: [] for name in _LISTS}}
    delta["character_changes"] = [{"name": n, "change": c} for n, c in words.items()]
    present = msgspec.to_builtins(state.context)
    context: Document = {name: present[name] for name in _CONTEXT}
    retired = fields.get("retired_characters", ())
    kept = {
        name: msgspec.to_builtins(state.characters[name])
        for name in words
        if name in state.characters and name not in retired
    }
    document: Document = {
        "schema_version": 1,
        "mode": "append" if append else "revision",
        "chapter": written,
        "chapter_title": f"章题{written}",
        "expected_state_revision": state.state_revision,
        "delta": delta,
        "context": context,
        "character_snapshots": kept | dict(snapshots or {}),
    }
    for name, value in fields.items():
        place = delta if name in delta else context if name in context else document
        place[name] = value
    return document


# ---- strategies ----------------------------------------------------------------------------------

_NAMES: Final = (
    "江晨", "周薄森", "O'Brien", nfc("Zoë"), "阿·达", "李 四", "ß先生", "𠮷野", "第001章",
)  # fmt: skip
_IDS: Final = ("001", "002", "003", "004", "101", "999", "1000")
_ALPHABET: Final = "旧账江晨渡口，。；：、｜|#-*_`{}\"\\'/<> \n\t\u3000aZ9é\u0301😀"


def texts(most: int = 24) -> st.SearchStrategy[str]:
    """Text an author may write, at most `most` characters: every kind of mark that could break a
    table, a heading, a bullet or a JSON string; not empty once cleaned."""
    return st.text(alphabet=_ALPHABET, min_size=1, max_size=most).filter(lambda t: bool(clean(t)))


def snapshots() -> st.SearchStrategy[Document]:
    """Character snapshots."""
    items = st.lists(texts(), max_size=2)
    return st.fixed_dictionaries(
        {key: texts() for key in ("identity", "location", "goal", "state")},
        optional=dict.fromkeys(
            ("abilities_resources", "relationships", "knowledge", "open_threads"), items
        ),
    )


def _positions(last: int) -> st.SearchStrategy[Document]:
    return st.fixed_dictionaries(
        {
            "volume": st.sampled_from(["第一卷", "第二卷·军宣"]),
            "volume_start_chapter": st.integers(1, max(1, last)),
            "story_time": texts(),
            "scene": texts(),
        }
    )


def _foreshadows(through: int) -> st.SearchStrategy[Document]:
    def row(planted: int) -> st.SearchStrategy[Document]:
        return st.fixed_dictionaries(
            {
                "action": st.just("upsert"),
                "id": st.sampled_from([f"F{n}" for n in _IDS]),
                "summary": texts(),
                "planted_chapter": st.just(planted),
                "planned_resolution_chapter": st.none() | st.integers(planted, planted + 9),
                "status": st.sampled_from(["已埋", "已埋", "已回收", "已过期", "放弃"]),
                "importance": st.sampled_from(["高", "中", "低"]),
            }
        )

    return st.integers(1, through).flatmap(row)


def _events(through: int) -> st.SearchStrategy[Document]:
    def row(revealed: int | None) -> st.SearchStrategy[Document]:
        how = ["未揭示"] if revealed is None else ["部分揭示", "已揭示"]
        return st.fixed_dictionaries(
            {
                "action": st.just("upsert"),
                "id": st.sampled_from([f"E{n}" for n in _IDS]),
                "story_time": texts(),
                "objective_fact": texts(),
                "reader_knowledge": texts(),
                "reveal_status": st.sampled_from(how),
                "reveal_chapter": st.just(revealed),
                "characters": st.lists(st.sampled_from(_NAMES), max_size=3),
            }
        )

    return (st.none() | st.integers(1, through)).flatmap(row)


def _rows(
    draw: st.DrawFn, fresh: st.SearchStrategy[Document], known: Iterable[str]
) -> list[Document]:
    strategy = fresh
    if ids := sorted(known):
        gone = st.sampled_from(ids).map(lambda i: {"action": "delete", "id": i})
        strategy = fresh | gone
    return draw(st.lists(strategy, max_size=2, unique_by=lambda row: str(row["id"])))


def _kept(draw: st.DrawFn, items: list[str], cap: int, *, all_of_them: bool) -> list[str]:
    kept = items if all_of_them else [i for i in items if draw(st.integers(0, 3))]
    new = draw(st.lists(texts(), max_size=min(2, cap - len(kept))))
    return draw(st.permutations([*kept, *new]))


@st.composite
def transactions(draw: st.DrawFn, state: State) -> Document:
    """Lawful transactions for a state: the next chapter, or the revision of one that exists."""
    last = state.last_committed_chapter
    append = last == 0 or bool(draw(st.integers(0, 3)))
    number = last + 1 if append else draw(st.integers(1, last))
    through = last + 1 if append else last
    changed = draw(st.lists(st.sampled_from(_NAMES), max_size=3, unique=True))
    core = sorted(state.characters)
    retired = draw(st.lists(st.sampled_from(core), max_size=1)) if core and append else []
    handed = {
        name: draw(snapshots())
        for name in changed
        if name not in retired and (name in state.characters or draw(st.booleans()))
    }
    after = sorted({*core, *handed} - set(retired))
    active = draw(st.lists(st.sampled_from(after), max_size=4, unique=True)) if after else []
    old = state.context
    constraints = _kept(draw, old.long_term_constraints, 6, all_of_them=not append)
    risks = _kept(draw, old.continuity_risks, 5, all_of_them=not append)
    now = {clean(item) for item in (*constraints, *risks)}
    dropped = {*old.long_term_constraints, *old.continuity_risks} - now
    items = st.lists(texts(), max_size=2)
    return {
        "schema_version": 1,
        "mode": "append" if append else "revision",
        "chapter": number,
        "chapter_title": draw(texts()),
        "expected_state_revision": state.state_revision,
        "delta": {
            "result": draw(texts()),
            "character_changes": [{"name": n, "change": draw(texts())} for n in changed],
            "foreshadow_changes": _rows(draw, _foreshadows(through), state.foreshadow),
            "timeline_events": _rows(draw, _events(through), state.timeline),
            "constraints": draw(items),
            "next_chapter_commitments": draw(items),
            "retired_context_items": sorted(dropped),
            "retired_characters": retired,
        },
        "context": {
            "position": draw(_positions(through)),
            "long_term_constraints": constraints,
            "active_character_names": active,
            "continuity_risks": risks,
        },
        "character_snapshots": handed,
    }


@st.composite
def init_documents(draw: st.DrawFn) -> Document:
    """Lawful documents that start a book, new or imported."""
    last = draw(st.sampled_from([0, 0, 1, 4, 998]))
    cast = draw(st.dictionaries(st.sampled_from(_NAMES), snapshots(), max_size=2))
    items = st.lists(texts(), max_size=3)
    through = max(1, last)
    return init_document(
        last,
        position=draw(_positions(last)),
        long_term_constraints=draw(items),
        continuity_risks=draw(items),
        next_chapter_commitments=draw(items),
        active_character_names=sorted(cast),
        character_snapshots=cast,
        foreshadow=_rows(draw, _foreshadows(through), ()) if last else [],
        timeline_events=_rows(draw, _events(through), ()) if last else [],
    )


class Story(NamedTuple):
    """A book from its first document on, and the state after each of them."""

    init: Document
    transactions: list[Document]
    states: list[State]
    """One more than there are transactions: the first is the state of `init`."""


def started(document: Document) -> State:
    """The state that a lawful init document makes."""
    judged = judge_init(document)
    assert not judged.faults, judged.faults
    return begin(msgspec.convert(judged.value, Init))


def applied(state: State, document: Document) -> State:
    """The state that a lawful transaction makes of `state`."""
    judged = judge_chapter(document, state)
    assert not judged.faults, judged.faults
    return apply(state, msgspec.convert(judged.value, Chaptered)).state


@st.composite
def histories(draw: st.DrawFn, most: int = 5) -> Story:
    """A lawful init document and up to `most` lawful transactions, each for the state before it."""
    first = draw(init_documents())
    states = [started(first)]
    documents: list[Document] = []
    for _ in range(draw(st.integers(1, most))):
        documents.append(draw(transactions(states[-1])))
        states.append(applied(states[-1], documents[-1]))
    return Story(first, documents, states)
