"""Whatever lies in the folder or comes as input: a clear answer, never a traceback, nothing lost."""

from __future__ import annotations

import json
import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.kernel.errors import ChangedOutside, ClewError, Corrupt, Missing, Refused, StorageFailed
from clew.kernel.faults import Fault
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.novel import views
from clew.novel.book import body, outline, read_input
from clew.novel.check import check, render, stats
from clew.novel.commit import commit
from clew.novel.ledger import HISTORY, STATE, Ledger, record_path
from clew.novel.mend import repair, restore
from clew.novel.start import adopt, init
from clew.novel.timetravel import at, diff, entries, redo, undo
from clew.testing.novel import (
    Document,
    begin_book,
    chapter,
    event,
    foreshadow,
    init_document,
    refusal,
    snapshot,
    state_of,
    tree,
)

Run = Callable[[Ledger], object]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book folder of three chapters, one of them imported, with outside places beside it."""
    folder = tmp_path / "book"
    ledger = begin_book(
        folder, init_document(1, character_snapshots={"江晨": snapshot(), "Zoë": snapshot()})
    )
    for _ in range(2):
        commit(ledger, chapter(state_of(ledger), changes=["江晨"]), [])
    return folder


def _next(folder: Path) -> Document:
    return chapter(state_of(Ledger(folder)))


def _every(document: Document) -> dict[str, Run]:
    return {
        "check": lambda b: check(b, []),
        "commit": lambda b: commit(b, document, []),
        "render": lambda b: render(b, []),
        "prune": lambda b: render(b, [], prune=True),
        "stats": stats,
        "undo": lambda b: undo(b, []),
        "redo": lambda b: redo(b, []),
        "adopt": lambda b: adopt(b, []),
        "dry run": lambda b: adopt(b, [], dry_run=True),
        "entries": entries,
        "at": lambda b: at(b, chapter=2),
        "diff": lambda b: diff(b, 1, 3),
        "restore": lambda b: restore(b, []),
        "repair": lambda b: repair(b, []),
        "init": lambda b: init(b, init_document(), []),
    }


COMMANDS = list(_every({}))


def _answer(folder: Path, run: Run) -> ClewError | None:
    """Run a command: its refusal, or None when it was carried out. Anything else is a failure."""
    try:
        run(Ledger(folder, lock_timeout=0.3))
    except ClewError as error:
        assert all(f.message(lang) for f in error.faults for lang in ("zh", "en"))
        assert json.dumps(error.to_dict("zh"), ensure_ascii=False).encode()
        return error
    return None


def _lost(
    before: dict[str, bytes], after: dict[str, bytes], *, but: tuple[str, ...] = ()
) -> list[str]:
    """Files whose content stands nowhere any more."""
    kept = set(after.values())
    return [
        path
        for path, data in before.items()
        if data not in kept and not path.startswith(("追踪/.clew/", *but))
    ]


# ---- unknown files, edited views -----------------------------------------------------------------


MINE = {
    "追踪/备忘.md": "我的备忘\n", "追踪/角色状态/备忘.txt": "文本\n", "追踪/角色状态/路人.md": "我的路人\n",
    "追踪/逐章记录/读后.md": "读后\n", "追踪/时间线/草稿.md": "草稿\n", "追踪/旧/深/处.md": "深\n",
    "追踪/上下文.md.bak": "备份\n", "追踪/.hidden": "藏\n", "追踪/_tracking-state.json.orig": "{}\n",
    ".story/作者记忆/一.md": "记忆\n", "正文/第001章_题.md": "正文\n", "大纲/大纲.md": "纲\n",
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_files_that_are_not_ours_are_never_changed_by_any_command(book: Path, name: str) -> None:
    document = _next(book)
    for path, text in MINE.items():
        (book / path).parent.mkdir(parents=True, exist_ok=True)
        (book / path).write_text(text, "utf-8")
    before = tree(book)
    _answer(book, _every(document)[name])
    after = tree(book)
    assert (
        _lost(
            before,
            after,
            but=(STATE, HISTORY, views.CARD, "追踪/角色状态/江晨", "追踪/逐章记录/第"),
        )
        == []
    )
    for path in MINE:
        if not (name == "prune" and path == "追踪/角色状态/路人.md"):
            assert after[path] == before[path]


@pytest.mark.parametrize(
    "name", ["commit", "render", "prune", "undo", "adopt", "restore", "repair"]
)
def test_edits_of_any_view_or_record_are_kept_by_whatever_overwrites_them(
    book: Path, name: str
) -> None:
    document = _next(book)
    edited = {}
    for path in [*views.render(state_of(Ledger(book))), record_path(2), record_path(3)]:
        edited[path] = f"我改过 {path}\n".encode()
        (book / path).write_bytes(edited[path])
    assert _answer(book, _every(document)[name]) is None
    assert set(edited.values()) <= set(tree(book).values())


def test_two_edits_of_one_view_one_after_the_other_are_both_kept(book: Path) -> None:
    for text in ("第一次\n", "第二次\n"):
        (book / views.CARD).write_text(text, "utf-8")
        render(Ledger(book), [])
    kept = set(tree(book).values())
    assert {"第一次\n".encode(), "第二次\n".encode()} <= kept


@pytest.mark.parametrize("name", ["check", "commit", "undo", "render", "at", "entries"])
def test_a_checkout_with_windows_line_ends_works_as_it_stands(book: Path, name: str) -> None:
    document = _next(book)
    for path in (book / "追踪").rglob("*"):
        if path.is_file() and ".clew" not in path.parts:
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert _answer(book, _every(document)[name]) is None
    assert _answer(book, lambda b: check(b, [])) is None
    assert not [p for p in tree(book) if "/aside/" in p]


def test_file_names_that_a_system_decomposed_are_found(book: Path) -> None:
    document = chapter(
        state_of(Ledger(book)), changes=["Zoë"], snapshots={"Zoë": snapshot(goal="走")}
    )
    folder = book / "追踪/角色状态"
    (folder / "Zoë.md").rename(folder / (unicodedata.normalize("NFD", "Zoë") + ".md"))
    assert _answer(book, lambda b: check(b, [])) is None
    commit(Ledger(book), document, [])
    assert len(list(folder.glob("Z*"))) == 1
    assert "走" in next(folder.glob("Z*")).read_text("utf-8")
    commit(Ledger(book), chapter(state_of(Ledger(book)), retired_characters=["Zoë"]), [])
    assert list(folder.glob("Z*")) == []
    check(Ledger(book), [])


def test_a_name_that_the_author_typed_decomposed_is_the_same_character(book: Path) -> None:
    typed = unicodedata.normalize("NFD", "Zoë")
    document = chapter(
        state_of(Ledger(book)), character_changes=[{"name": typed, "change": "走了"}],
        character_snapshots={typed: snapshot(goal="走")}, active_character_names=[typed],
    )  # fmt: skip
    commit(Ledger(book), document, [])
    assert set(state_of(Ledger(book)).characters) == {"江晨", "Zoë"}
    check(Ledger(book), [])


# ---- input ---------------------------------------------------------------------------------------


def _input(folder: Path, data: bytes) -> Any:
    path = folder / ".story/work/tracking.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return read_input(str(path))


BAD_INPUT: list[tuple[str, bytes, str]] = [
    ("nothing", b"", "bad_json"),
    ("half", b'{"schema_version": 1,', "bad_json"),
    ("not UTF-8", b'{"a": "\xff"}', "bad_encoding"),
    ("UTF-16", '{"a": 1}'.encode("utf-16"), "bad_encoding"),
    ("a lone surrogate", b'{"a": "\\ud800"}', "bad_text"),
    ("a lone surrogate in a key", b'{"\\udc00": 1}', "bad_text"),
    ("NaN", b'{"a": NaN}', "bad_number"),
    ("Infinity", b'{"a": [-Infinity]}', "bad_number"),
    ("too large a fraction", b'{"a": 1e999}', "bad_number"),
    ("five thousand digits", b'{"a": ' + b"9" * 5000 + b"}", "bad_number"),
    ("a key twice", b'{"a": 1, "a": 2}', "duplicate_key"),
    ("65 deep", b"[" * 65 + b"]" * 65, "too_deep"),
    ("a million deep", b"[" * 1_000_000, "too_deep"),
    ("10 MB", b'{"a": "' + b"x" * 10_000_000 + b'"}', "too_large"),
    ("a trailing comma", b'{"a": 1,}', "bad_json"),
    ("a NUL", b'{"a": "\x00"}', "bad_json"),
    ("NULs", b"\x00" * 100, "bad_json"),
]


@pytest.mark.parametrize(
    ("data", "code"), [row[1:] for row in BAD_INPUT], ids=[row[0] for row in BAD_INPUT]
)
def test_input_that_is_no_proper_json_is_refused_plainly(
    tmp_path: Path, data: bytes, code: str
) -> None:
    with pytest.raises(Refused) as caught:
        _input(tmp_path, data)
    assert [f.code for f in caught.value.faults] == [code]
    assert len(caught.value.faults[0].message("zh")) < 400


def test_a_byte_order_mark_is_a_note(book: Path) -> None:
    data = b"\xef\xbb\xbf" + json.dumps(_next(book), ensure_ascii=False).encode()
    value, notes = _input(book, data)
    assert [n.code for n in notes] == ["bom_ignored"]
    assert commit(Ledger(book), value, []).chapter == 4


def test_several_oddities_of_the_text_are_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        _input(tmp_path, b'{"a": NaN, "b": ["\\ud800"], "c": {"d": 1, "d": 2}}')
    assert sorted((f.code, f.path) for f in caught.value.faults) == [
        ("bad_number", "$.a"), ("bad_text", "$.b[0]"), ("duplicate_key", "$.c"),
    ]  # fmt: skip


def test_an_input_that_is_missing_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Missing):
        read_input(str(tmp_path / "no.json"))
    with pytest.raises(ClewError):
        read_input(str(tmp_path))


@pytest.mark.parametrize("name", ["con", "CON", "a/b", "..", ".", "../../etc/passwd", "/etc/passwd",
                                  "a\\b", "C:", "名.", "x\x00y", "*", "n" * 181, "字" * 61, " ", ""])  # fmt: skip
def test_a_name_that_could_leave_the_book_is_refused_everywhere(book: Path, name: str) -> None:
    document = chapter(
        state_of(Ledger(book)), character_changes=[{"name": name, "change": "变"}],
        character_snapshots={name: snapshot()}, active_character_names=[name],
        retired_characters=[name],
    )  # fmt: skip
    document["context"]["position"]["volume"] = name
    error = refusal(book.parent, lambda: commit(Ledger(book), document, []))
    paths = {f.path for f in error.faults if f.code in ("bad_name", "empty_text", "text_too_long")}
    assert len(paths) == 5
    new = book.parent / "new"
    new.mkdir()
    start = init_document(character_snapshots={name: snapshot()})
    assert refusal(book.parent, lambda: init(Ledger(new), start, [])).faults


@pytest.mark.parametrize("rows", ["names", "foreshadows", "events", "constraints", "snapshots"])
def test_ten_thousand_items_are_answered_and_not_at_length(book: Path, rows: str) -> None:
    many = range(10_000)
    fields: dict[str, Any] = {
        "names": {"active_character_names": [f"人{n}" for n in many]},
        "foreshadows": {"foreshadow_changes": [foreshadow(f"F{n:03}", 99) for n in many]},
        "events": {"timeline_events": [event(f"E{n:03}", 99) for n in many]},
        "constraints": {"long_term_constraints": ["条"] * 10_000},
        "snapshots": {"character_snapshots": {f"人{n}": snapshot() for n in many}},
    }[rows]  # fmt: skip
    document = chapter(state_of(Ledger(book)), **fields)
    error = refusal(book, lambda: commit(Ledger(book), document, []))
    assert error.faults
    assert all(len(f.message("zh")) < 400 for f in error.faults[:100])


def test_a_chapter_cannot_hold_two_thousand_plants_for_its_record_has_a_cap(book: Path) -> None:
    rows = [foreshadow(f"F{n:05}", 1) for n in range(1, 2001)]
    document = chapter(state_of(Ledger(book)), foreshadow_changes=rows)
    error = refusal(book, lambda: commit(Ledger(book), document, []))
    assert [(f.code, f.facts["limit"]) for f in error.faults] == [("over_capacity", 3072)]


def test_a_ledger_of_ten_thousand_rows_is_taken_over_checked_and_moved_on(book: Path) -> None:
    state = json.loads((book / STATE).read_bytes())
    for number in range(1, 10_001):
        row = foreshadow(f"F{number:05}", 1) | {"updated_chapter": 1}
        del row["action"]
        state["foreshadow"][row["id"]] = row
    (book / STATE).write_text(json.dumps(state, ensure_ascii=False), "utf-8")
    adopt(Ledger(book), [])
    check(Ledger(book), [])
    commit(Ledger(book), chapter(state_of(Ledger(book))), [])
    assert "另有 9992 条未列" in (book / views.CARD).read_text("utf-8")


@pytest.mark.parametrize("names", [["Amy", "AMY"], ["straße", "STRASSE"], ["Zoë", "ZOË"]])
def test_names_that_are_one_file_on_some_systems_are_refused(
    tmp_path: Path, names: list[str]
) -> None:
    cast = {name: snapshot() for name in names}
    error = refusal(
        tmp_path, lambda: init(Ledger(tmp_path), init_document(character_snapshots=cast), [])
    )
    assert [f.code for f in error.faults] == ["duplicate_item"]
    ledger = begin_book(tmp_path, init_document(character_snapshots={names[0]: snapshot()}))
    document = chapter(state_of(ledger), changes=[names[1]])
    error = refusal(tmp_path, lambda: commit(ledger, document, []))
    assert [(f.code, f.facts["allowed"]) for f in error.faults] == [("name_conflict", [names[0]])]


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
JSON = st.recursive(LEAVES, _grown, max_leaves=10)
PATHS = [
    ("delta",), ("context",), ("context", "position"), ("delta", "character_changes"),
    ("delta", "foreshadow_changes"), ("delta", "timeline_events"), ("delta", "retired_characters"),
    ("context", "active_character_names"), ("character_snapshots",), ("chapter",), ("mode",),
    ("expected_state_revision",), ("delta", "retired_context_items"), ("delta", "result"),
]  # fmt: skip


@settings(max_examples=max(40, settings().max_examples // 2))
@given(value=JSON, place=st.sampled_from(PATHS))
def test_any_json_in_any_place_of_a_transaction_is_answered(
    tmp_path_factory: pytest.TempPathFactory, value: Any, place: tuple[str, ...]
) -> None:
    ledger = _shared(tmp_path_factory)
    state = state_of(ledger)
    document = chapter(state)
    holder = document
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    try:
        commit(ledger, document, [])
    except ClewError as error:
        assert error.faults
        assert state_of(ledger) == state
    else:
        check(ledger, [])


_BOOKS: dict[int, Ledger] = {}


def _shared(factory: pytest.TempPathFactory) -> Ledger:
    """One book for all examples: each is answered on whatever the ones before left."""
    if id(factory) not in _BOOKS:
        _BOOKS[id(factory)] = begin_book(
            factory.mktemp("fuzz"), init_document(1, character_snapshots={"江晨": snapshot()})
        )
    return _BOOKS[id(factory)]


# ---- links, folders where files should be --------------------------------------------------------


LINKED = [
    "追踪", "追踪/上下文.md", "追踪/角色状态", "追踪/角色状态/江晨.md", "追踪/逐章记录",
    "追踪/逐章记录/第004章.md", "追踪/时间线", "追踪/_tracking-state.json", "追踪/_history.jsonl",
    "追踪/.clew", "追踪/.clew/journal.slot", "追踪/.clew/stage", "追踪/.clew/aside",
    "追踪/.tracking-commit.lock", "正文", "大纲",
]  # fmt: skip


class _Recording(Files):
    """The real files; remembers where new ones were made, even those that are gone again."""

    def __init__(self) -> None:
        self.made: list[str] = []

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        self.made.append(os.path.realpath(path))
        super().create(path, data, mode)


@pytest.mark.parametrize("kind", ["moved out", "elsewhere", "dangling"])
@pytest.mark.parametrize("path", LINKED)
def test_no_link_leads_a_command_out_of_the_book(book: Path, path: str, kind: str) -> None:
    """Neither what lies outside changes nor is anything made there, be it for a moment only."""
    document = _next(book)
    (book / views.FORESHADOWS).write_text("手改过，要留档\n", "utf-8")
    outside = book.parent / "outside"
    outside.mkdir()
    (outside / "mine.md").write_text("我的\n", "utf-8")
    place, target = book / path, outside / "target"
    if kind == "moved out" and place.exists():
        shutil.move(place, target)
    elif place.is_dir():
        shutil.rmtree(place)
        target.mkdir()
    elif place.exists():
        place.unlink()
        target.write_text("别处的\n", "utf-8")
    if kind == "dangling":
        shutil.rmtree(target, ignore_errors=True)
        target.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
    before = tree(outside)
    files = _Recording()
    for run in _every(document).values():
        _answer(book, lambda b, run=run: run(
            Ledger(book, vault=FolderVault(book, files=files), lock_timeout=0.3)))  # fmt: skip
        assert tree(outside) == before
    assert [made for made in files.made if not made.startswith(f"{os.path.realpath(book)}/")] == []


class _Full(Files):
    """A disk on which no file can be made."""

    def create(self, path: str, data: bytes, mode: int = 0o644) -> None:
        raise OSError(28, "No space left on device", path)


def test_cleaning_up_after_a_failure_does_not_reach_out_of_the_book(book: Path) -> None:
    document = _next(book)
    outside = book.parent / "outside"
    outside.mkdir()
    (outside / "mine.md").write_text("我的\n", "utf-8")
    shutil.rmtree(book / "追踪/.clew/stage", ignore_errors=True)
    (book / "追踪/.clew/stage").symlink_to(outside)
    full = Ledger(book, vault=FolderVault(book, files=_Full()))
    with pytest.raises(ClewError):
        commit(full, document, [])
    assert (outside / "mine.md").read_text("utf-8") == "我的\n"


@pytest.mark.parametrize("folder", ["正文", "大纲"])
@pytest.mark.parametrize("whole", [True, False], ids=["the folder", "one file"])
def test_a_body_or_outline_that_lies_outside_is_refused(
    book: Path, folder: str, whole: bool
) -> None:
    outside = book.parent / "outside"
    outside.mkdir()
    name = "第001章_题.md" if folder == "正文" else "细纲_第001章_题.md"
    (outside / name).write_text("# 第1章：别人的秘密\n", "utf-8")
    if whole:
        (book / folder).symlink_to(outside)
    else:
        (book / folder).mkdir()
        (book / folder / name).symlink_to(outside / name)
    read = body if folder == "正文" else outline
    error = refusal(book, lambda: read(Ledger(book), 1))
    assert isinstance(error, Refused)
    assert error.code == "unsafe_path"
    assert "秘密" not in str(error)


@pytest.mark.parametrize("path", ["追踪/上下文.md", "追踪/_tracking-state.json", "追踪"])
def test_a_link_within_the_book_is_followed_or_refused_but_nothing_is_lost(
    book: Path, path: str
) -> None:
    document = _next(book)
    place = book / path
    target = book / "里面"
    shutil.move(place, target)
    place.symlink_to(target)
    before = tree(book)
    for run in (lambda b: check(b, []), lambda b: commit(b, document, [])):
        _answer(book, run)
    after = tree(book)
    assert [p for p in before if p not in after] == []


@pytest.mark.parametrize(
    "path",
    ["追踪/_tracking-state.json", "追踪/_history.jsonl", "追踪/上下文.md", "追踪/角色状态/江晨.md",
     "追踪/逐章记录/第002章.md", "追踪/逐章记录/第004章.md", "追踪/.tracking-commit.lock",
     "追踪/.clew/journal.slot"],
)  # fmt: skip
def test_a_folder_where_a_file_should_be_is_an_answer(book: Path, path: str) -> None:
    document = _next(book)
    place = book / path
    if place.is_file():
        place.unlink()
    place.mkdir()
    (place / "mine.txt").write_text("我的\n", "utf-8")
    for run in _every(document).values():
        _answer(book, run)
        assert (place / "mine.txt").read_text("utf-8") == "我的\n"


@pytest.mark.parametrize(
    "path", ["追踪", "追踪/角色状态", "追踪/逐章记录", "追踪/时间线", "追踪/.clew", "正文"]
)
def test_a_file_where_a_folder_should_be_is_an_answer(book: Path, path: str) -> None:
    document = _next(book)
    place = book / path
    shutil.rmtree(place, ignore_errors=True)
    place.write_text("我的\n", "utf-8")
    for run in _every(document).values():
        _answer(book, run)
        assert place.read_text("utf-8") == "我的\n"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(
    "path", ["追踪/上下文.md", "追踪/_tracking-state.json", "追踪/_history.jsonl"]
)
def test_a_pipe_where_a_file_should_be_does_not_hang(book: Path, path: str) -> None:
    document = _next(book)
    (book / path).unlink()
    os.mkfifo(book / path)
    for run in _every(document).values():
        _answer(book, run)
    assert (book / path).is_fifo()


# ---- the authority is damaged --------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\x00" * 500, b"{", b"null", b"[]", b"{}", b"\xff\xfe\x00"])
def test_a_damaged_state_is_corrupt_and_never_taken_for_a_new_book(book: Path, data: bytes) -> None:
    document = _next(book)
    (book / STATE).write_bytes(data)
    for name in ("check", "commit", "render", "undo", "at", "adopt", "dry run", "repair", "stats"):
        error = refusal(book, lambda name=name: _every(document)[name](Ledger(book)))
        assert isinstance(error, Corrupt), name
        assert error.exit_code == 2
    assert refusal(book, lambda: init(Ledger(book), init_document(), [])).code == "ledger_exists"


@pytest.mark.parametrize("data", [b"", b"\x00" * 500, b"{", b"{}"])
def test_a_damaged_state_is_restored_from_the_history(book: Path, data: bytes) -> None:
    state = state_of(Ledger(book))
    (book / STATE).write_bytes(data)
    restore(Ledger(book), [])
    assert state_of(Ledger(book)) == state
    assert data in tree(book).values()
    check(Ledger(book), [])


def test_a_state_that_is_gone_is_never_started_over_and_comes_back(book: Path) -> None:
    document, state = _next(book), state_of(Ledger(book))
    (book / STATE).unlink()
    for name in ("check", "commit", "render", "undo", "at", "adopt", "repair", "stats"):
        error = refusal(book, lambda name=name: _every(document)[name](Ledger(book)))
        assert error.code == "state_lost", name
    assert refusal(book, lambda: init(Ledger(book), init_document(), [])).code == (
        "history_without_state"
    )
    restore(Ledger(book), [])
    assert state_of(Ledger(book)) == state
    check(Ledger(book), [])


def test_a_history_that_is_gone_leaves_a_ledger_that_is_adopted_again(book: Path) -> None:
    state = state_of(Ledger(book))
    (book / HISTORY).unlink()
    assert check(Ledger(book), []).adopted is False
    notes: list[Fault] = []
    commit(Ledger(book), chapter(state), notes)
    assert [n.code for n in notes] == ["adopted_first"]
    check(Ledger(book), [])
    assert at(Ledger(book), revision=2).state == state


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_a_history_cut_in_its_last_line_has_two_ways_out(book: Path, keep: float) -> None:
    path = book / HISTORY
    *lines, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines) + last[: int(len(last) * keep)])
    document = chapter(at_revision(book))
    error = refusal(book, lambda: commit(Ledger(book), document, []))
    assert isinstance(error, ChangedOutside)
    other = book.parent / "other"
    shutil.copytree(book, other)
    state = json.loads((book / STATE).read_bytes())
    adopt(Ledger(book), [])
    assert json.loads((book / STATE).read_bytes()) == state
    check(Ledger(book), [])
    restore(Ledger(other), [])
    assert state_of(Ledger(other)).state_revision == 1
    commit(Ledger(other), chapter(state_of(Ledger(other))), [])
    check(Ledger(other), [])
    for folder in (book, other):
        assert last[: int(len(last) * keep)] in tree(folder).values()


def at_revision(folder: Path) -> Any:
    """The state on disk, whatever the history says of it."""
    ledger = Ledger(folder)
    return ledger.judge((folder / STATE).read_bytes())


def test_a_history_cut_in_an_earlier_line_is_broken_and_repaired(book: Path) -> None:
    path = book / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    broken = lines[0] + lines[1][:99] + b"\n" + lines[2]
    path.write_bytes(broken)
    error = refusal(book, lambda: check(Ledger(book), []))
    assert [(f.code, f.facts["line"]) for f in error.faults] == [("history_broken", 2)]
    repair(Ledger(book), [])
    assert broken in tree(book).values()
    check(Ledger(book), [])


def _merged(folder: Path) -> bytes:
    """Two branches appended a chapter each; the merge left the markers in."""
    path = folder / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    data = b"".join(
        [
            *lines[:2],
            b"<<<<<<< HEAD\n",
            lines[2],
            b"=======\n",
            lines[2],
            b">>>>>>> theirs\n",
            lines[2],
        ]
    )
    path.write_bytes(data)
    return data


@pytest.mark.parametrize("name", COMMANDS)
def test_a_history_that_git_merged_is_an_answer_for_every_command(book: Path, name: str) -> None:
    document = _next(book)
    _merged(book)
    _answer(book, _every(document)[name])


def test_revising_an_imported_chapter_on_a_merged_history_is_an_answer(book: Path) -> None:
    document = chapter(state_of(Ledger(book)), 1)
    data = _merged(book)
    _answer(book, lambda b: commit(b, document, []))
    assert (book / HISTORY).read_bytes().startswith(data)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_a_blank_line_in_the_history_is_an_answer(book: Path, name: str, where: str) -> None:
    document = _next(book)
    path = book / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert({"start": 0, "middle": 2, "end": 3}[where], b"\n")
    path.write_bytes(b"".join(lines))
    _answer(book, _every(document)[name])


@pytest.mark.parametrize("where", ["start", "middle", "end"])
def test_a_blank_line_in_the_history_does_not_stop_a_revision_of_an_imported_chapter(
    book: Path, where: str
) -> None:
    document = chapter(state_of(Ledger(book)), 1)
    path = book / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    lines.insert({"start": 0, "middle": 2, "end": 3}[where], b"\n")
    path.write_bytes(b"".join(lines))
    _answer(book, lambda b: commit(b, document, []))


@pytest.mark.parametrize("line", [1, 2])
def test_a_line_that_names_a_wrong_digest_is_named(book: Path, line: int) -> None:
    path = book / HISTORY
    lines = path.read_bytes().splitlines(keepends=True)
    row = json.loads(lines[line])
    row["previous"] = "0" * 64
    lines[line] = (
        json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    )
    path.write_bytes(b"".join(lines))
    error = refusal(book, lambda: check(Ledger(book), []))
    assert ("history_broken", line + 1) in [(f.code, f.facts.get("line")) for f in error.faults]


def test_a_last_line_that_names_another_state_is_a_change_outside(book: Path) -> None:
    path = book / HISTORY
    *lines, last = path.read_bytes().splitlines(keepends=True)
    row = json.loads(last)
    row["state_sha256"] = "0" * 64
    path.write_bytes(b"".join(lines) + json.dumps(row, sort_keys=True).encode() + b"\n")
    error = refusal(book, lambda: check(Ledger(book), []))
    assert "changed_outside" in [f.code for f in error.faults]


def test_a_state_edited_by_hand_has_two_ways_out_and_both_keep_it(book: Path) -> None:
    document = _next(book)
    raw = (book / STATE).read_bytes().replace("镇定".encode(), "慌张".encode())
    (book / STATE).write_bytes(raw)
    for name in ("check", "commit", "render", "undo", "at"):
        error = refusal(book, lambda name=name: _every(document)[name](Ledger(book)))
        assert [f.code for f in error.faults] == ["changed_outside"], name
    other = book.parent / "other"
    shutil.copytree(book, other)
    adopt(Ledger(book), [])
    assert (book / STATE).read_bytes() == raw
    check(Ledger(book), [])
    restore(Ledger(other), [])
    assert b"\xe6\x85\x8c" not in (other / STATE).read_bytes()
    assert raw in tree(other).values()
    check(Ledger(other), [])


@pytest.mark.parametrize(
    "old", ['"state_revision": 2', '"last_committed_chapter": 3', '"importance"', '"江晨"']
)
def test_a_state_edited_into_nonsense_is_answered_with_every_fault(book: Path, old: str) -> None:
    text = (book / STATE).read_text("utf-8")
    (book / STATE).write_text(text.replace(old, '"state_revision": -1' if "rev" in old else '"x": 1' if
                                           "last" in old else '"../逃"'), "utf-8")  # fmt: skip
    before = tree(book)
    for name in ("check", "adopt", "dry run"):
        _answer(book, _every({})[name])
        if name == "check":
            assert tree(book) == before


@pytest.mark.parametrize("data", [b"", b"garbage", b"clew1 armed" + b"\x00" * 200, b"\x00" * 4096])
@pytest.mark.parametrize("name", ["check", "commit", "undo", "render"])
def test_a_damaged_journal_does_not_stop_the_ledger(book: Path, data: bytes, name: str) -> None:
    document = _next(book)
    (book / "追踪/.clew/journal.slot").write_bytes(data)
    assert _answer(book, _every(document)[name]) is None
    assert _answer(book, lambda b: check(b, [])) is None


def test_a_private_folder_that_was_deleted_is_made_again(book: Path) -> None:
    document = _next(book)
    shutil.rmtree(book / "追踪/.clew")
    assert commit(Ledger(book), document, []).chapter == 4
    assert (book / "追踪/.clew/.gitignore").read_text("utf-8").endswith("*\n")
    check(Ledger(book), [])


@pytest.mark.parametrize(
    "text", ["", "pid=999999999\n", "pid=999999999\nhost=nowhere\n", "垃圾", "\x00"]
)
def test_a_lock_file_left_behind_never_blocks_for_ever(book: Path, text: str) -> None:
    document = _next(book)
    lock = book / "追踪/.tracking-commit.lock"
    lock.write_text(text, "utf-8")
    os.utime(lock, (1, 1))
    assert _answer(book, lambda b: commit(b, document, [])) is None
    assert not lock.exists()


def test_a_read_only_state_is_still_replaced_and_keeps_its_mode(book: Path) -> None:
    document = _next(book)
    (book / STATE).chmod(0o444)
    assert commit(Ledger(book), document, []).chapter == 4
    assert (book / STATE).stat().st_mode & 0o777 == 0o444


def test_errors_of_the_disk_stay_in_the_family(book: Path) -> None:
    (book / STATE).unlink()
    (book / STATE).mkdir()
    assert refusal(book, lambda: check(Ledger(book), [])).code == "io_failed"
    error = refusal(book, lambda: stats(Ledger(book)))
    assert isinstance(error, StorageFailed)
    assert error.code == "io_failed"
