"""What `clew chapter` and `clew wordcount` offer to every face: the seed's `storyctl`.

Each operation opens the book, calls one function of the room and returns its answer. Modules are
imported where they are used: a command pays for what it does, not for what the room can do.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from clew.kernel.errors import ClewError, Missing, Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation
from clew.novel.opening import document_of, open_book, range_of
from clew.novel.requests import (
    AcceptRequest,
    ChapterCheckRequest,
    ChapterCommitRequest,
    CheckpointRequest,
    CountRequest,
    MeasureRequest,
)

if TYPE_CHECKING:
    from clew.novel.ledger import Ledger


def _chapter_check(host: Host, request: ChapterCheckRequest) -> Any:
    if request.explain is not None:
        from clew.novel.prose.explain import explain

        return explain(request.explain)
    from clew.novel import chapters

    if request.chapter is None:
        raise Usage(Fault("usage", reason=Both("缺少 --chapter N", "--chapter N is missing")))
    if request.write and not request.fix_punctuation:
        reason = Both("--write 要与 --fix-punctuation 同给", "--write goes with --fix-punctuation")
        raise Usage(Fault("usage", reason=reason))
    bounds = range_of(request)
    ledger = open_book(host, request.project)
    return chapters.check_chapter(
        ledger, request.chapter, host.notes, author_range=bounds,
        punctuation=("write" if request.write else "show") if request.fix_punctuation else None,
        trusted=host.trusted, lang=host.lang,
    )  # fmt: skip


def _chapter_commit(host: Host, request: ChapterCommitRequest) -> Any:
    from clew.novel import chapters

    bounds = range_of(request)
    ledger = open_book(host, request.project, writes=True)
    return chapters.commit_chapter(
        ledger, request.chapter, _draft_of(host, request, ledger), host.notes,
        author_range=bounds, trusted=host.trusted, lang=host.lang,
    )  # fmt: skip


def _draft_of(host: Host, request: Any, ledger: Ledger) -> Any:
    """The transaction. A draft is removed once it is committed: whoever runs the command again,
    unsure after a time-out, is told that it is done."""
    try:
        return document_of(host, request)
    except Missing as missing:
        revision = _committed_in(ledger, request.chapter)
        if missing.code != "missing_file" or revision is None:
            raise
        raise Missing(
            Fault("draft_committed", file=request.input, chapter=request.chapter, found=revision)
        ) from missing


def _committed_in(ledger: Ledger, chapter: int) -> int | None:
    """The revision that last committed a chapter; None where the history does not say."""
    from clew.novel.standing import standing

    try:
        lines, last = ledger.look(
            lambda reader: (
                ledger.lines(reader), ledger.load(reader).state.last_committed_chapter
            )
        )  # fmt: skip
        commits = standing(lines, last).of(chapter)
    except ClewError:  # the missing file is what was asked about
        return None
    return commits[-1].revision if commits else None


def _chapter_accept(host: Host, request: AcceptRequest) -> Any:
    from clew.novel import chapters

    bounds = range_of(request)
    ledger = open_book(host, request.project, writes=True)
    return chapters.accept_chapter(
        ledger, request.chapter, _draft_of(host, request, ledger), host.notes,
        author_range=bounds, force=request.force, trusted=host.trusted, lang=host.lang,
    )  # fmt: skip


def _chapter_exit(answer: Any) -> int:
    if answer.status == "ok":
        return 0  # a rule explained
    from clew.novel import chapters

    return chapters.EXITS[answer.status]


# ---- clew wordcount ------------------------------------------------------------------------------


def _body_bytes(host: Host, path: str) -> bytes | None:
    from clew.kernel.files import Files
    from clew.novel.book import TEXT_BYTES

    files = Files()
    try:
        data = files.read(os.path.join(host.cwd, path), limit=TEXT_BYTES + 1)
    except OSError:
        return None  # answered as INVALID_FILE, in the seed's own shape
    return data if len(data) <= TEXT_BYTES else None


def _measure(host: Host, request: MeasureRequest) -> Any:
    from clew.novel import wordcount

    data = _body_bytes(host, request.file)
    return wordcount.measure(data, chapter=request.chapter, case_id=request.case_id)


def _count(host: Host, request: CountRequest) -> Any:
    from clew.novel import wordcount

    if request.target is None:
        raise Usage(Fault("usage", reason=Both("缺少 --target T", "--target T is missing")))
    return wordcount.length_result(
        _body_bytes(host, request.file), target=request.target, author_range=range_of(request),
        chapter=request.chapter, case_id=request.case_id,
    )  # fmt: skip


def _is_number(text: str | None) -> bool:
    return text is not None and text.isascii() and text.isdigit() and len(text) < 10


def _checkpoint(host: Host, request: CheckpointRequest) -> Any:
    from clew.novel import book, wordcount

    data, bounds, target = _body_bytes(host, request.file), range_of(request), request.target
    reason = None
    if target is None:
        if not _is_number(request.chapter):
            wanted = Both(
                "给 --target T，或 --project DIR --chapter N",
                "give --target, or a project and chapter",
            )
            raise Usage(Fault("usage", reason=wanted))
        _, outline = book.outline(open_book(host, request.project), int(request.chapter or 0))
        target, reason = outline.target, outline.invalid_reason
        bounds = bounds or outline.author_range
        if reason == "INVALID_RANGE" and range_of(request) is not None:
            reason = None
    return wordcount.checkpoint(
        data, target=target, author_range=bounds, chapter=request.chapter, invalid_reason=reason
    )


def _length_exit(answer: Any) -> int:
    reason = answer.invalid_reason
    return 2 if isinstance(reason, str) else 0


_N: Final = "clew.novel"
OPERATIONS: Final = (
    Operation(
        "chapter.check", ChapterCheckRequest, f"{_N}.chapters:ChapterCheck", _chapter_check, "read",
        "查正文质量与字数，给出可执行动作", "check a chapter's body and length, say what may be done",
        "clew chapter check --chapter 10", _chapter_exit,
    ),
    Operation(
        "chapter.commit", ChapterCommitRequest, f"{_N}.chapters:ChapterCommitted", _chapter_commit, "write",
        "计数、复查并提交一章", "count, check again and commit a chapter",
        "clew chapter commit --chapter 10 --input .story/work/第010章/tracking.json",
    ),
    Operation(
        "chapter.accept-current-length", AcceptRequest, f"{_N}.chapters:ChapterCommitted", _chapter_accept,
        "write", "按现有长度接受带外的一章", "commit a chapter outside its band as it is",
        "clew chapter accept-current-length --chapter 10 --input .story/work/第010章/tracking.json",
    ),
    Operation(
        "wordcount.measure", MeasureRequest, f"{_N}.wordcount:Measurement", _measure, "read",
        "数一个文件的可见字符", "count the visible characters of a file",
        "clew wordcount measure --file 正文/第010章_标题.md", _length_exit,
    ),
    Operation(
        "wordcount.check", CountRequest, f"{_N}.wordcount:LengthResult", _count, "read",
        "按目标判断长度", "hold a length against its target",
        "clew wordcount check --file 正文/第010章_标题.md --target 2400", _length_exit,
    ),
    Operation(
        "wordcount.checkpoint", CheckpointRequest, f"{_N}.wordcount:Checkpoint", _checkpoint, "read",
        "还要写多少字", "how many characters are still to be written",
        "clew wordcount checkpoint --file 正文/第010章_标题.md --chapter 10", _length_exit,
    ),
)  # fmt: skip
