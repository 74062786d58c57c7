"""The vault: the tree of documents and logs, and what every store of it must do.

A *document* is one JSON file; a *log* is append-only JSONL; a *view* is text rendered from them.
A *scope* is what changes together: a ledger, a book of cards, a persona. A transaction on a scope
is all or nothing over several documents, logs and views. `clew.testing.vault_contract` is the
suite that a store passes to call itself a vault.

Paths are relative to the vault, with forward slashes, NFC.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Code, Fault, register
from clew.kernel.log import Tail
from clew.kernel.text import nfc

T = TypeVar("T")


class Scope(NamedTuple):
    """What changes together, and where its lock and private files lie."""

    name: str
    folder: str
    """Everything of the scope lies below this folder."""
    lock: str
    private: str
    """Journal, files set aside, derived indexes: not for version control."""
    file_mode: int = 0o644
    dir_mode: int = 0o755


class Recovery(NamedTuple):
    """What an interrupted change left, and what was done about it."""

    rolled_forward: tuple[str, ...] = ()
    """Truth that the journal completed."""
    set_aside: tuple[str, ...] = ()
    """Copies of torn files that were replaced."""
    views_stale: bool = False
    """Views may be lost or half new: the room renders them again in this transaction."""
    ours: frozenset[str] = frozenset()
    """Digests of views that clew itself wrote last, or kept aside: not edits of a person."""
    gone: tuple[str, ...] = ()
    """Views that the last change removed, which may still be there."""


class Report(NamedTuple):
    """What a finished transaction did."""

    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    failed_views: tuple[str, ...] = ()
    """Views that the disk refused after the change was committed; the next command renders them."""


class Reader(Protocol):
    """A consistent look at the vault."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or None when there is none."""
        ...

    def names(self, folder: str) -> list[str]:
        """Names of the files and folders in a folder, sorted; empty when there is none."""
        ...

    def tail(self, path: str) -> Tail:
        """The last whole line of a log, read from its end."""
        ...


class Transaction(Reader, Protocol):
    """Changes that are published together when the `with` block ends, or not at all."""

    recovery: Recovery
    report: Report
    rendered: bool
    """Set by the room once it has rendered again what `recovery.views_stale` asks for. Until then
    the next command is asked again."""

    def write(self, path: str, data: bytes, *, truth: bool = False) -> None:
        """Replace a file. `truth` is kept in the journal and synced; a view can be rendered."""
        ...

    def append(self, path: str, line: bytes) -> None:
        """Add one line to a log; several calls add several lines, in their order."""
        ...

    def remove(self, path: str, *, truth: bool = False) -> None:
        """Delete a file that clew made."""
        ...

    def move(self, source: str, target: str) -> None:
        """Rename a file or folder to a place that is free."""
        ...

    def set_aside(self, path: str) -> str:
        """Keep a copy of a file's present content in the private folder; returns where."""
        ...


class Vault(Protocol):
    """A store of documents and logs."""

    def reader(self, scope: Scope) -> Reader:
        """A look without a lock, through the journal where a change is not yet published."""
        ...

    def snapshot(self, scope: Scope, look: Callable[[Reader], T], *, timeout: float = 10.0) -> T:
        """Run `look` so that everything it reads belongs to one revision."""
        ...

    def transaction(
        self, scope: Scope, *, timeout: float = 10.0, keep: str | None = None
    ) -> AbstractContextManager[Transaction]:
        """Lock, recover, change, publish. Raises `Locked`, `ChangedOutside`, `StorageFailed`.

        `keep` (`disk` or `journal`) decides files that recovery found edited meanwhile.
        """
        ...

    def pending(self, scope: Scope) -> bool:
        """True when an interrupted change waits to be completed."""
        ...


@lru_cache(maxsize=4096)
def safe_path(path: str) -> str:
    """The path in NFC, or `Refused` (`unsafe_path`) when it is absolute, climbs out, or holds what no
    path may hold on every system."""
    parts = nfc(path).split("/")
    if path.startswith("/") or ".." in parts:
        reason = Both("是绝对路径，或含 ..", "it is absolute or holds ..")
    elif "\\" in path:
        reason = Both(
            "含有反斜杠，有的系统把它当作目录分隔",
            "it holds a backslash, which parts folders on some systems",
        )
    elif "\0" in path or "" in parts or "." in parts:
        reason = Both(
            "有空的或写作 . 的一段，或含有 NUL", "a part of it is empty or a dot, or it holds a NUL"
        )
    else:
        return "/".join(parts)
    raise Refused(Fault("unsafe_path", file=path, reason=reason))


def facts_of_conflict(path: str, **more: Any) -> Fault:
    """The fault of a file that someone edited while a change waited in the journal."""
    return Fault("recovery_conflict", file=path, **more)


register(
    Code(
        "recovery_conflict", 2,
        "上次写入被中断，恢复时发现 {file} 已被别处改动，未覆盖",
        "a change was interrupted, and {file} was edited before it could be completed; left alone",
        "用 clew novel recover --keep disk（保留磁盘上的）或 --keep journal（采用日志里的）决定，另一份会被留档。",
        "Decide with `clew novel recover --keep disk` or `--keep journal`; the other one is kept aside.",
        about_zh="崩溃恢复只会覆盖与写入前或写入后完全一致、或断电造成的残缺文件；其余一律视为有人改过。",
        about_en="Recovery only overwrites a file that equals its content before or after the change, "
        "or that a power cut tore. Anything else was edited by someone and is left alone.",
    ),
    Code(
        "edited_meanwhile", 2,
        "{file} 在本次写入过程中被别的程序改动，本次写入已放弃",
        "{file} was changed by another program during this change, which was given up",
        "重跑同一条命令。",
        "Run the same command again.",
        about_zh="锁只挡得住遵守锁的程序；发布前会再比一次文件。",
        about_en="The lock only stops programs that honour it; files are compared again before publishing.",
    ),
    Code(
        "target_exists", 2,
        "{file} 已存在，未移动任何东西",
        "{file} exists already; nothing was moved",
        about_zh="归档目标已被占用。",
        about_en="The place that something should move to is taken.",
    ),
    Code(
        "publish_incomplete", 2,
        "改动已写入日志但 {file} 未能落盘（{reason}）；下一条命令会自动补完",
        "the change is safe in the journal, but {file} could not be put in place ({reason}); the next "
        "command completes it",
        "排除原因后运行任意 clew 命令。",
        "Remove the cause and run any clew command.",
        about_zh="提交点已过，改动不会丢失。",
        about_en="The commit point is passed and the change cannot be lost.",
    ),
)  # fmt: skip
