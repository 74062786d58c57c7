"""A small room on top of the kernel, for the crash tests: four revisions, each with a document, a
log line and views, and between them everything a transaction can do.

Revision 1 starts the book. 2 overwrites, removes a truth, adds a view in a new folder, moves the
user's old folder away and sets a hand-written file aside before writing over it. 3 adds a truth in
a new folder and removes a view. 4 is the change that comes after a crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from functools import cache

from clew.kernel import log
from clew.kernel.files import Files
from clew.kernel.folder import FolderVault
from clew.kernel.vault import Reader, Scope

ROOT = "/v"
SCOPE = Scope("book", "book", "book/.lock", "book/.private")
STATE, LOG = "book/truth/state.json", "book/truth/history.jsonl"
DRAFT, PART = "book/truth/draft.json", "book/parts/three/part.json"
OUTLINE = "book/outline.md"
USERS = {
    "book/mine.md": "我的笔记\n".encode(),
    "book/views/a/mine.md": b"mine, among the views\n",
    "book/truth/mine.json": b"{}\n",
}
OLD = {"one.md": b"old one\n", "deep/two.md": b"old two\n"}
HAND = b"written by hand\n"
VIEWS = ("book/views/a/one.md", "book/views/b/two.md", "book/views/c/three.md", OUTLINE)
BASE = {
    **{f"{ROOT}/{path}": data for path, data in USERS.items()},
    **{f"{ROOT}/book/old/{path}": data for path, data in OLD.items()},
    f"{ROOT}/{OUTLINE}": HAND,
}


def state(n: int) -> bytes:
    return json.dumps({"revision": n, "text": f"第{n}版" * 20}).encode() + b"\n"


def entries(n: int) -> list[bytes]:
    """The log lines that revision `n` adds: two at 3, one at all others."""
    return [
        json.dumps({"revision": n, "line": "行" * (n + i + 8)}).encode()
        for i in range(2 if n == 3 else 1)
    ]


@cache
def truth(n: int) -> dict[str, bytes | None]:
    """What a reader finds at revision `n`, whole."""
    return {
        STATE: state(n) if n else None,
        LOG: b"".join(e + b"\n" for i in range(1, n + 1) for e in entries(i)) or None,
        DRAFT: b'{"draft":1}\n' if n == 1 else None,
        PART: b'{"part":3}\n' if n >= 3 else None,
    }


@cache
def views(n: int) -> dict[str, bytes]:
    """The views of revision `n`; the outline is the user's own until revision 2."""
    paths = [p for i, p in enumerate(VIEWS) if n > (0, 0, 1, 1)[i] and not (i == 1 and n >= 3)]
    return {path: f"{path} at {n}\n".encode() * 4 for path in paths}


def revision(reader: Reader) -> int:
    data = reader.read(STATE)
    return int(json.loads(data)["revision"]) if data is not None else 0


def seen(reader: Reader, allowed: Collection[int]) -> int:
    """The revision that a reader sees, which must be one of `allowed` and whole."""
    found = {path: reader.read(path) for path in (STATE, LOG, DRAFT, PART)}
    whole = [n for n in range(7) if truth(n) == found]
    assert whole, f"neither old nor new: {found}"
    assert whole[0] in allowed, f"revision {whole[0]}, not one of {list(allowed)}"
    lines, torn = log.lines(found[LOG] or b"")
    assert lines == [entry for i in range(1, whole[0] + 1) for entry in entries(i)]
    assert torn == b""
    last = reader.tail(LOG).line
    assert last == (lines[-1] if lines else None)
    return whole[0]


def vault(files: Files, boot: str, root: str = ROOT) -> FolderVault:
    moment = datetime(2030, 1, 1, tzinfo=UTC)
    if boot != "boot-1":
        moment += timedelta(hours=1)

    def clock() -> datetime:
        nonlocal moment
        moment += timedelta(milliseconds=1)
        return moment

    return FolderVault(root, files=files, clock=clock, boot=lambda: boot)


class Stale(Exception):
    """The room's own check: the change was built on another revision."""


def commit(room: FolderVault, n: int) -> None:
    """Go from revision `n - 1` to `n`, rendering all views when recovery asks for it."""
    with room.transaction(SCOPE, timeout=0) as tx:
        if revision(tx) != n - 1:
            raise Stale
        tx.write(STATE, state(n), truth=True)
        for entry in entries(n):
            tx.append(LOG, entry)
        if n == 1:
            tx.write(DRAFT, b'{"draft":1}\n', truth=True)
        elif n == 2:
            tx.remove(DRAFT, truth=True)
            tx.move("book/old", "book/archive/v1/old")
            tx.set_aside(OUTLINE)
        elif n == 3:
            tx.write(PART, b'{"part":3}\n', truth=True)
        for path, data in views(n).items():
            if tx.recovery.views_stale or views(n - 1).get(path) != data:
                tx.write(path, data)
        _drop_views(tx.read, tx.remove, n)
        tx.rendered = True


def repair(room: FolderVault) -> None:
    """What any command does first: recovery, and all views again when it asks for it."""
    with room.transaction(SCOPE, timeout=0) as tx:
        n = revision(tx)
        if tx.recovery.views_stale:
            for path, data in views(n).items():
                tx.write(path, data)
            _drop_views(tx.read, tx.remove, n)
            tx.rendered = True


def _drop_views(read: Callable[[str], bytes | None], remove: Callable[[str], None], n: int) -> None:
    for path in VIEWS[:3]:
        if path not in views(n) and read(path) is not None:
            remove(path)


def check_tree(tree: dict[str, bytes], n: int, root: str = ROOT) -> None:
    """Every file of the book is what it must be at revision `n`; nothing of the user's is lost."""
    book = {p[len(root) + 1 :]: data for p, data in tree.items() if p.startswith(root + "/")}
    private = {p: d for p, d in book.items() if p.startswith(SCOPE.private + "/")}
    old = "book/archive/v1/old" if n >= 2 else "book/old"
    expected = {
        **USERS,
        **{f"{old}/{name}": data for name, data in OLD.items()},
        OUTLINE: HAND,
        **views(n),
        **{path: data for path, data in truth(n).items() if data is not None},
    }
    found = {p: d for p, d in book.items() if p not in private and p != SCOPE.lock}
    assert found == expected, _difference(found, expected)
    if n >= 2:
        asides = [d for p, d in private.items() if "/aside/" in p and p.endswith(OUTLINE)]
        assert HAND in asides, f"the hand-written file was not kept: {asides}"


def _difference(found: dict[str, bytes], expected: dict[str, bytes]) -> str:
    missing = sorted(set(expected) - set(found))
    extra = sorted(set(found) - set(expected))
    other = sorted(p for p in set(found) & set(expected) if found[p] != expected[p])
    return f"missing {missing}, unexpected {extra}, different {[(p, found[p]) for p in other]}"
