"""Which writes of a writing agent the ledger stands against: decided here, asked by a hook.

Two rules. A body 正文/第N章… is not *begun* before chapter N−1 is committed and the outline of N
stands in 大纲/; a body that is there may be edited, and so may any file of a chapter that is
committed. Nothing under 追踪/ is edited by hand: facts travel in a transaction (seed: 权威层与派生层;
新章 append).

`judge_body` and `judge_ledger` are pure. `review` is the small reader around them: it looks at
names and at one number of the state, follows links, and keeps silent where there is no ledger. It
never changes a file. What it cannot read it does not hold against anyone: only a sure violation is
a fault. Imports the standard library and what a fault needs, because an agent waits for it.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Container, Iterable, Iterator
from typing import Any, Final, NamedTuple

from clew.kernel.errors import ClewError
from clew.kernel.faults import Code, Fault, register
from clew.kernel.files import Files
from clew.novel.filenames import body_number, body_title, outline_number
from clew.novel.peek import last_committed, title_in

LEDGER: Final = "追踪"
BODIES: Final = "正文"
OUTLINES: Final = "大纲"
STATE: Final = "_tracking-state.json"
_WORK: Final = ".story/work"
_SLOT: Final = ".clew/journal.slot"
_STATE_BYTES: Final = 64_000_000
_SETTLED: Final = (b"", b"s", b"v", b"r")
"""First letters of a journal slot whose change is wholly in place, or was given up."""
_TRUTH: Final = ("", STATE, "_history.jsonl", ".clew", "逐章记录")
"""What may not be removed either; anything else there is rebuilt, or was never the ledger's."""


class Touch(NamedTuple):
    """A file that a tool is about to write or, with `removes`, to take away."""

    path: str
    """Absolute."""
    removes: bool = False


class Review(NamedTuple):
    """What stands against the touches, and what could not be judged (for stderr, two languages)."""

    faults: list[Fault]
    unsure: list[str]
    title: str = ""
    """The title of the book that the faults are about."""


class Standing(NamedTuple):
    """Where a book stands. `outline` and `body` are those of the next chapter."""

    root: str
    last: int
    outline: bool
    body: bool
    title: str = ""


# ---- the rules -----------------------------------------------------------------------------------


def judge_body(
    chapter: int, last: int, outlines: Container[int], bodies: Container[int]
) -> list[str]:
    """The codes that stand against beginning the body of `chapter`. `last` is the last committed
    chapter; `outlines` and `bodies` are the chapters that have one."""
    if chapter <= last:
        return []  # a committed chapter whose body is written anew
    found = []
    if chapter > last + 1:
        found.append("previous_uncommitted" if last + 1 in bodies else "previous_unwritten")
    if chapter not in outlines:
        found.append("outline_first")
    return found


def judge_ledger(below: str, *, removes: bool) -> list[str]:
    """The codes that stand against touching `below`, a path relative to 追踪/."""
    top = below.split("/", 1)[0]
    lasting = below in _TRUTH or top == ".clew"
    return [] if removes and not lasting else ["ledger_by_hand"]


# ---- the reader ----------------------------------------------------------------------------------


class _Book:
    """A book folder as far as the rules ask about it. Read once a review."""

    def __init__(self, root: str, files: Files) -> None:
        self.root = root
        self.files = files
        self._last: int | None = None
        self._state = b""
        # A name that is no chapter's has the number 0, which is no chapter's either.
        self.outlines = {outline_number(name) or 0: name for name in self.names(OUTLINES)}
        self.bodies = {_body_of(name) for name in self.names(BODIES)}
        self.going: set[int] = set()
        """Chapters whose body is taken away in the same step: another one is it under a new name."""

    def names(self, folder: str) -> list[str]:
        return self.files.names(f"{self.root}/{folder}")

    @property
    def last(self) -> int:
        """The last committed chapter. ValueError when the state does not tell."""
        if self._last is None:
            data = self.state()
            self._last = last_committed(data) if len(data) <= _STATE_BYTES else None
        if self._last is None:
            raise ValueError(f"{LEDGER}/{STATE}")
        return self._last

    def state(self) -> bytes:
        """The bytes of the state."""
        if not self._state:
            self._state = self.files.read(f"{self.root}/{LEDGER}/{STATE}", 0, _STATE_BYTES + 1)
        return self._state

    @property
    def title(self) -> str:
        """The book's title; empty where the state does not tell."""
        try:
            return title_in(self.state())
        except OSError:
            return ""

    def settled(self) -> bool:
        """Whether the state on the disk is the ledger's last word."""
        try:
            slot = self.files.read(f"{self.root}/{LEDGER}/{_SLOT}", 0, 7)
        except OSError:
            slot = b""
        return slot[6:7] in _SETTLED

    def look_again(self) -> None:
        """Read through the journal of a change that is not wholly in place. Costs more, and is
        asked only before something is denied. Raises what the ledger raises."""
        from clew.novel.ledger import SCOPE, Ledger

        ledger = Ledger(self.root)
        loaded = ledger.vault.snapshot(SCOPE, ledger.load, timeout=0.5)
        self._last = loaded.state.last_committed_chapter


def review(touches: Iterable[Touch], cwd: str) -> Review:
    """Hold what a tool is about to touch against the ledgers that it lies in. Never raises for
    what is on the disk."""
    files = Files()
    books: dict[str, _Book] = {}
    faults: list[Fault] = []
    unsure: list[str] = []
    for touch in dict.fromkeys(touches):
        try:
            found = _judged(touch, cwd, files, books)
        except (OSError, ValueError, ClewError) as error:
            # A path that no file can have, a state that does not tell: nothing is sure.
            unsure.append(f"没有判断 / not judged: {error}")
            continue
        faults += [fault for fault in found if fault not in faults]
    title = next((book.title for book in books.values()), "") if faults else ""
    return Review(faults, unsure, title)


def standing(folder: str) -> Standing | None:
    """Where the nearest book at or above a folder stands; None where there is no ledger. Raises
    OSError, ValueError or `ClewError` when its ledger does not tell."""
    files = Files()
    current = os.path.realpath(folder)
    while True:
        if _is_ledger(current, files):
            book = _Book(current, files)
            if not book.settled():
                book.look_again()
            following = book.last + 1
            return Standing(
                current, book.last, following in book.outlines, following in book.bodies, book.title
            )
        parent = os.path.dirname(current)  # noqa: PTH120
        if parent == current:
            return None
        current = parent


def _judged(touch: Touch, cwd: str, files: Files, books: dict[str, _Book]) -> list[Fault]:
    """What stands against one touch, told of the first place where something does."""
    for place in _places(touch.path):
        if found := list(_there(place, touch, cwd, files, books)):
            return found
    return []


def _there(
    place: str, touch: Touch, cwd: str, files: Files, books: dict[str, _Book]
) -> Iterator[Fault]:
    parts = place.split("/")
    for at, part in enumerate(parts[1:], 1):
        root = "/".join(parts[:at]) or "/"
        name = _nfc(part)
        if name not in (LEDGER, BODIES) or not _is_ledger(root, files):
            continue
        if root not in books:
            books[root] = _Book(root, files)
        book = books[root]
        below = "/".join(parts[at + 1 :])
        if name == LEDGER:
            for code in judge_ledger(below, removes=touch.removes):
                yield _fault(code, book, f"{LEDGER}/{below}", 0, cwd)
        elif below and "/" not in below:
            if not touch.removes:
                yield from _begun(below, book, cwd)
            elif files.stat(f"{root}/{part}/{below}") is not None:
                book.going.add(_body_of(below))


def _begun(name: str, book: _Book, cwd: str) -> Iterator[Fault]:
    chapter = _body_of(name)
    if not chapter or chapter in book.going:
        return
    known = (book.outlines, book.bodies)
    codes = judge_body(chapter, book.last, *known)
    composed = _nfc(name)
    if not codes or any(_nfc(other) == composed for other in book.names(BODIES)):
        return  # lawful, or it is there already: an edit
    if not book.settled():
        book.look_again()
        codes = judge_body(chapter, book.last, *known)
    for code in codes:
        yield _fault(code, book, f"{BODIES}/{composed}", chapter, cwd)


def _body_of(name: str) -> int:
    """The chapter of a body, also of one whose name the ledger does not know (第六章_x.md): a chapter
    out of turn is one whatever it is called. 0 for anything else."""
    number = body_number(name)
    if number is None:
        from clew.novel.misnamed import body_guess

        guess = body_guess(name)
        return guess.chapter if guess is not None else 0
    return number


def _title_of(name: str) -> str:
    """The title in the name of a body, however it is written; empty if there is none."""
    if body_number(name) is not None:
        return body_title(name)
    from clew.novel.misnamed import body_guess

    guess = body_guess(name)
    return guess.right.partition("_")[2].removesuffix(".md") if guess is not None else ""


def _is_ledger(root: str, files: Files) -> bool:
    found = files.stat(f"{root}/{LEDGER}/{STATE}")
    return found is not None and found.kind in ("file", "link")


def _places(path: str) -> list[str]:
    """Where a write to a path may land: at the name as it is written, at the name in the folder
    that links lead to, and where a link at the name itself leads."""
    places = [os.path.realpath(path)]
    folder, name = os.path.split(path)
    if name not in ("", ".", ".."):
        places.append(os.path.join(os.path.realpath(folder), name))  # noqa: PTH118
    if ".." not in _plain(path).split("/"):  # after a link it would lead elsewhere
        places.append(os.path.normpath(path))
    return list(dict.fromkeys(map(_plain, places)))


def _nfc(name: str) -> str:
    return unicodedata.normalize("NFC", name)


def _plain(path: str) -> str:
    return path.replace(os.sep, "/")


# ---- what to do instead --------------------------------------------------------------------------


def _fault(code: str, book: _Book, file: str, chapter: int, cwd: str) -> Fault:
    file = file.rstrip("/")
    if code == "ledger_by_hand":
        return Fault(code, file=file, reason=_way_in(book, cwd))
    following = book.last + 1
    facts: dict[str, Any] = {"file": file, "chapter": chapter}
    if code == "outline_first":
        title = _title_of(file.rsplit("/", 1)[1]) or "标题"
        return Fault(code, **facts, name=f"{OUTLINES}/细纲_第{chapter:03d}章_{title}.md")
    facts |= {"found": following, "limit": book.last}
    if code == "previous_unwritten":
        return Fault(code, **facts, name=_body_name(book, following))
    return Fault(code, **facts, reason=_next(book, following, cwd))


def _way_in(book: _Book, cwd: str) -> str:
    """The command by which facts get into a ledger."""
    try:
        return _command(book, cwd, f"clew novel draft --chapter {book.last + 1}")
    except (OSError, ValueError):
        return _command(book, cwd, "clew novel check")  # it says what is wrong with the state


def _body_name(book: _Book, chapter: int) -> str:
    """What the body of a chapter is to be called: by its outline's file name, if there is one."""
    label = f"第{chapter:03d}章"
    title = _nfc(book.outlines.get(chapter, "")).partition("章")[2].removesuffix(".md").strip("_- ")
    return f"{BODIES}/{label}_{title or '标题'}.md"


def _next(book: _Book, chapter: int, cwd: str) -> str:
    """The command that brings an uncommitted chapter on."""
    draft = f"{_WORK}/第{chapter:03d}章/tracking.json"
    if book.files.stat(f"{book.root}/{draft}") is None:
        return _command(book, cwd, f"clew novel draft --chapter {chapter}")
    return _command(book, cwd, f"clew chapter commit --chapter {chapter} --input", draft)


def _command(book: _Book, cwd: str, command: str, file: str = "") -> str:
    """A command line that works from where the agent stands."""
    from shlex import quote

    here = _plain(os.path.realpath(cwd))
    if here == book.root:
        return f"{command} {file}".rstrip()
    command = f"{command} {quote(f'{book.root}/{file}')}" if file else command
    inside = here.startswith(book.root.rstrip("/") + "/")
    return command if inside else f"{command} --project {quote(book.root)}"


register(
    Code(
        "previous_uncommitted", 1,
        "还不能开始 {file}：第 {found} 章写了但没提交（账本写到第 {limit} 章）",
        "{file} is not begun yet: chapter {found} is written but not committed (the ledger ends with "
        "chapter {limit})",
        "先收完第 {found} 章：clew chapter check --chapter {found} 没有阻断项之后，运行 {reason}",
        "Close chapter {found} first: when `clew chapter check --chapter {found}` has nothing blocking, "
        "run `{reason}`",
        about_zh="写作 Agent 的守卫：上一章提交之前不新建下一章的正文。已有的正文随时可以改。",
        about_en="The guard of a writing agent: a body is not begun before the chapter before it is "
        "committed. A body that is there may be edited at any time.",
    ),
    Code(
        "previous_unwritten", 1,
        "还不能开始 {file}：第 {found} 章还没写（账本写到第 {limit} 章）",
        "{file} is not begun yet: chapter {found} is not written (the ledger ends with chapter {limit})",
        "先写 {name}，检查并提交，再写第 {chapter} 章。",
        "Write {name} first, check and commit it, then chapter {chapter}.",
        about_zh="写作 Agent 的守卫：章按顺序写、按顺序提交，中间不跳章。",
        about_en="The guard of a writing agent: chapters are written and committed in their order.",
    ),
    Code(
        "outline_first", 1,
        "还不能开始 {file}：大纲/ 里没有第 {chapter} 章的细纲",
        "{file} is not begun yet: chapter {chapter} has no outline in 大纲/",
        "先写 {name}：一行「# 第{chapter}章：章名」，一行「字数目标：2400」，一行「字数口径：visible_chars_v1」，"
        "再写情节。",
        "Write {name} first: a line `# Chapter {chapter}: Title`, a line `Length target: 2400`, a line "
        "`Length metric: visible_chars_v1`, then the plot.",
        about_zh="写作 Agent 的守卫：先有细纲，再有正文。字数目标也读自细纲。",
        about_en="The guard of a writing agent: first the outline, then the body. The length target is "
        "read from the outline too.",
    ),
    Code(
        "ledger_by_hand", 1,
        "{file} 归 clew 管，不手改",
        "{file} is kept by clew and is not edited by hand",
        "要改的事实写进那一章的事务：{reason}（旧章用它自己的章号），填好后 clew chapter commit。"
        "视图用 clew novel render 重建，撤回用 clew novel undo。",
        "Put the facts into that chapter's transaction: `{reason}` (an earlier chapter: its own number), "
        "fill it in, then `clew chapter commit`. Views are rebuilt by `clew novel render`, a commit is "
        "taken back by `clew novel undo`.",
        about_zh="追踪/ 里的一切由事务改动：手改视图不起作用，手改 state 会被当作外部改动。",
        about_en="Everything under 追踪/ is changed by transactions: an edited view has no effect, an "
        "edited state counts as changed outside.",
    ),
)  # fmt: skip
