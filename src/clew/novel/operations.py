"""What `clew novel` offers to every face.

Each operation opens the book, calls one function of the room and returns its answer. Modules are
imported where they are used: a command pays for what it does, not for what the room can do.
"""

from __future__ import annotations

import os
from typing import Any, Final

from clew.kernel.errors import Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation
from clew.novel.opening import document_of, open_book
from clew.novel.requests import (
    AdoptRequest,
    AtRequest,
    BackfillRequest,
    CommitRequest,
    DiffRequest,
    DraftRequest,
    HistoryRequest,
    InitRequest,
    OnBook,
    RecoverRequest,
    RenderRequest,
    ShimsRequest,
    UndoRequest,
)


def _init(host: Host, request: InitRequest) -> Any:
    from clew.novel import start

    ledger = open_book(host, request.project or ".", writes=True)
    if request.from_manuscript or request.new is not None:
        from clew.novel import drafting

        return drafting.from_manuscript(
            ledger, host.notes, title=request.new, new_book=not request.from_manuscript,
            out=_out(host, request.out), force=request.force,
        )  # fmt: skip
    return start.init(ledger, document_of(host, request), host.notes)


def _out(host: Host, path: str | None) -> str | None:
    return os.path.join(host.cwd, path) if path else None


def _adopt(host: Host, request: AdoptRequest) -> Any:
    from clew.novel import start

    ledger = open_book(host, request.project, writes=not request.dry_run)
    return start.adopt(ledger, host.notes, dry_run=request.dry_run)


def _check(host: Host, request: OnBook) -> Any:
    from clew.novel import check

    return check.check(open_book(host, request.project), host.notes)


def _draft(host: Host, request: DraftRequest) -> Any:
    from clew.novel import drafting

    ledger = open_book(host, request.project)
    return drafting.draft(
        ledger, request.chapter, host.notes, out=_out(host, request.out), force=request.force
    )


def _backfill(host: Host, request: BackfillRequest) -> Any:
    from clew.novel import drafting

    ledger = open_book(host, request.project, writes=True)
    given = request.document is not None or request.input is not None
    document = document_of(host, request) if given else None
    return drafting.backfill(ledger, host.notes, chapter=request.chapter, document=document)


def _commit(host: Host, request: CommitRequest) -> Any:
    from clew.novel import commit

    ledger = open_book(host, request.project, writes=True)
    return commit.commit(ledger, document_of(host, request), host.notes)


def _render(host: Host, request: RenderRequest) -> Any:
    from clew.novel import check

    ledger = open_book(host, request.project, writes=True)
    return check.render(ledger, host.notes, prune=request.prune)


def _history(host: Host, request: HistoryRequest) -> Any:
    from clew.novel import mend, timetravel

    ledger = open_book(host, request.project, writes=request.action == "repair")
    if request.action == "repair":
        return mend.repair(ledger, host.notes)
    return timetravel.entries(ledger, character=request.character, foreshadow=request.foreshadow)


def _at(host: Host, request: AtRequest) -> Any:
    from clew.novel import timetravel

    if (request.chapter is None) == (request.revision is None):
        raise Usage(
            Fault("usage", reason=Both("给章号 N 或 --revision R 其一", "give N or --revision R"))
        )
    ledger = open_book(host, request.project)
    return timetravel.at(ledger, chapter=request.chapter, revision=request.revision)


def _diff(host: Host, request: DiffRequest) -> Any:
    from clew.novel import timetravel

    ledger = open_book(host, request.project)
    return timetravel.diff(ledger, request.a, request.b, revisions=request.revisions)


def _undo(host: Host, request: UndoRequest) -> Any:
    from clew.novel import mend, timetravel

    ledger = open_book(host, request.project, writes=True)
    turn = mend.restore if request.to_history else timetravel.undo
    return turn(ledger, host.notes)


def _redo(host: Host, request: OnBook) -> Any:
    from clew.novel import timetravel

    return timetravel.redo(open_book(host, request.project, writes=True), host.notes)


def _recover(host: Host, request: RecoverRequest) -> Any:
    from clew.novel import mend

    return mend.recover(
        open_book(host, request.project, writes=True), host.notes, keep=request.keep
    )


def _stats(host: Host, request: OnBook) -> Any:
    from clew.novel import check

    return check.stats(open_book(host, request.project), host.notes)


def _shims(host: Host, request: ShimsRequest) -> Any:
    from clew.novel import shims

    skill = os.path.join(host.cwd, request.skill)
    return shims.run(request.action, skill, host.interpreter)


_N: Final = "clew.novel"
OPERATIONS: Final = (
    Operation(
        "novel.init", InitRequest, f"{_N}.start:Started", _init, "write",
        "开账：新书或导入的书，绝不覆盖已有账本", "start a ledger; never over an existing one",
        "clew novel init --project . --input .story/work/init.json",
    ),
    Operation(
        "novel.adopt", AdoptRequest, f"{_N}.start:Takeover", _adopt, "write",
        "接管别的工具或手工改动过的账本", "take over a ledger of another tool, or one changed outside",
        "clew novel adopt --dry-run",
    ),
    Operation(
        "novel.backfill", BackfillRequest, f"{_N}.drafting:Backfilled", _backfill, "write",
        "逐章补记导入的旧章", "record imported chapters one by one", "clew novel backfill",
    ),
    Operation(
        "novel.check", OnBook, f"{_N}.check:Checked", _check, "read",
        "核对 追踪/ 下的一切与账本一致", "hold everything under 追踪/ against the ledger",
        "clew novel check",
    ),
    Operation(
        "novel.draft", DraftRequest, f"{_N}.drafting:Drafted", _draft, "write",
        "按当前账本预填逐章事务", "prefill a chapter's transaction", "clew novel draft --chapter 10",
    ),
    Operation(
        "novel.commit", CommitRequest, f"{_N}.commit:Committed", _commit, "write",
        "提交一份逐章事务（不计字数）", "commit a transaction (no word count)",
        "clew novel commit --input .story/work/第010章/tracking.json",
    ),
    Operation(
        "novel.render", RenderRequest, f"{_N}.check:Rendered", _render, "write",
        "重建全部视图与逐章记录，不产生新修订", "rebuild views and records, no new revision",
        "clew novel render",
    ),
    Operation(
        "novel.history", HistoryRequest, f"{_N}.timetravel:Listing", _history, "read",
        "列出每一次改动；history repair 修断链", "list every change; `history repair` mends a broken chain",
        "clew novel history --character 江晨",
    ),
    Operation(
        "novel.at", AtRequest, f"{_N}.timetravel:Moment", _at, "read",
        "第 N 章刚写完时的状态", "the state right after chapter N", "clew novel at 9",
    ),
    Operation(
        "novel.diff", DiffRequest, f"{_N}.timetravel:Difference", _diff, "read",
        "两章之间变了什么", "what changed between two chapters", "clew novel diff 3 9",
    ),
    Operation(
        "novel.undo", UndoRequest, f"{_N}.timetravel:Turned", _undo, "write",
        "撤销上一次提交（成为新修订）", "take back the last commit, as a new revision",
        "clew novel undo",
    ),
    Operation(
        "novel.redo", OnBook, f"{_N}.timetravel:Turned", _redo, "write",
        "重做上一次撤销", "bring back what undo took back", "clew novel redo",
    ),
    Operation(
        "novel.recover", RecoverRequest, f"{_N}.mend:Recovered", _recover, "write",
        "恢复时遇到被改动的文件：决定保留哪一份", "decide on files that were edited during a crash",
        "clew novel recover --keep journal",
        lambda answer: 1 if answer.status == "needs_decision" else 0,
    ),
    Operation(
        "novel.stats", OnBook, f"{_N}.check:Stats", _stats, "read",
        "章数、字数、角色、伏笔（含逾期）", "chapters, lengths, characters, foreshadows (and overdue)",
        "clew novel stats",
    ),
    Operation(
        "novel.shims", ShimsRequest, f"{_N}.shims:Shims", _shims, "write",
        "让写作技能按原路径调用 clew", "let a writing skill call clew by the paths it knows",
        "clew novel shims install --skill ~/.claude/skills/story-long-write",
    ),
)  # fmt: skip
