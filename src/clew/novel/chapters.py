"""The closing of a chapter: `chapter check`, `chapter commit`, `chapter accept-current-length`.

Source: the seed (运行工具: `chapter …`, 作者字数范围). The body, the outline and the findings are taken
from one read; under the lock the same bytes are read again, and other bytes are refused. A check
saves no approval. What is said about a chapter beside its status is `chapter_advice`; repairs of its
punctuation are `proofreading`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from clew.kernel.document import UNREADABLE, digest
from clew.kernel.errors import ClewError, Missing, Refused
from clew.kernel.faults import Fault
from clew.novel import acceptance, book, wordcount
from clew.novel.acceptance import Baseline, Compression
from clew.novel.book import Source
from clew.novel.chapter_advice import advise, outside_band
from clew.novel.commit import Committed, commit
from clew.novel.ledger import Ledger
from clew.novel.model import WordRecord
from clew.novel.outline import Outline, head
from clew.novel.proofreading import Repair, repair
from clew.novel.prose.model import Finding, Message
from clew.novel.prosefile import Trusted, judge
from clew.novel.wordcount import CharRange, LengthResult

CheckStatus = Literal["ready", "needs_decision", "blocked", "invalid", "tool_unavailable"]
EXITS: Final[dict[str, int]] = {
    "ready": 0, "needs_decision": 0, "blocked": 1, "invalid": 1, "tool_unavailable": 3,
}  # fmt: skip


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """The prose findings of one body."""

    status: Literal["pass", "fail", "unavailable"]
    blocking_findings: list[Finding]
    advisories: list[Finding]
    semantic_advisories: int
    tool_errors: list[str]


class ChapterCheck(msgspec.Struct, frozen=True, kw_only=True):
    """`story-chapter-check/v1`. Ours beside the seed's keys, and left out where there is nothing to
    say: `advice`, what to do first; `faults` of body and outline; `punctuation`, the repair that was
    asked for, with `punctuation_fixed` (whether the file was changed)."""

    schema: str = "story-chapter-check/v1"
    status: CheckStatus
    chapter: int
    length: LengthResult
    quality: Quality
    compression: Compression | None
    state_revision: int
    tracking_committed: bool
    next_chapter_started: bool
    available_actions: list[str]
    advice: list[Message] | UnsetType = UNSET
    faults: list[dict[str, Any]] | UnsetType = UNSET
    punctuation_fixed: bool | UnsetType = UNSET
    punctuation: Repair | UnsetType = UNSET


class ChapterCommitted(ChapterCheck, frozen=True, kw_only=True):
    """A check and what was committed on it."""

    wordcount: WordRecord
    mode: str
    work_dir_removed: str | None
    work_dir_cleanup_error: str | UnsetType = UNSET


class ChapterRefused(Refused):
    """A chapter that may not be committed as it is; `checked` says everything about it."""

    def __init__(self, checked: ChapterCheck, *faults: Fault) -> None:
        super().__init__(*faults)
        self.checked = checked


class _Seen(NamedTuple):
    """A chapter's files as read, with what was found in them."""

    body: Source
    outline_source: Source
    outline: Outline
    range: CharRange | None
    answer: ChapterCheck
    faults: tuple[Fault, ...]


def check_chapter(
    ledger: Ledger,
    chapter: int,
    notes: list[Fault],
    *,
    author_range: CharRange | None = None,
    punctuation: Literal["show", "write"] | None = None,
    trusted: Trusted,
    lang: str = "zh",
) -> ChapterCheck:
    """Read body and outline now and say what may be done. Raises when a file is missing.

    The first check that sees an over-long chapter without blocking findings notes its length in
    the scratch folder: it proves later that one compression took place. `punctuation` shows or
    writes the repair of the body's marks; once written, the answer is about the body as it is then.
    """
    seen = _see(ledger, chapter, notes, author_range, trusted, lang)
    answer = seen.answer
    if punctuation is not None:
        repaired = repair(ledger, seen.body, notes, write=punctuation == "write")
        if repaired.written:
            seen = _see(ledger, chapter, [], author_range, trusted, lang)
        answer = msgspec.structs.replace(
            seen.answer, punctuation_fixed=repaired.written, punctuation=repaired
        )
    if answer.length.status == "over" and answer.quality.status == "pass":
        _note_baseline(ledger, chapter, seen)
    return answer


def commit_chapter(
    ledger: Ledger,
    chapter: int,
    document: Any,
    notes: list[Fault],
    *,
    author_range: CharRange | None = None,
    trusted: Trusted,
    lang: str = "zh",
) -> ChapterCommitted:
    """Commit a chapter whose length is in its band and whose body has no blocking finding."""
    seen = _see(ledger, chapter, notes, author_range, trusted, lang)
    _refuse_unsound(seen)
    if seen.answer.status != "ready":
        raise ChapterRefused(seen.answer, outside_band(seen.answer.length))
    return _commit(ledger, chapter, document, notes, seen)


def accept_chapter(
    ledger: Ledger,
    chapter: int,
    document: Any,
    notes: list[Fault],
    *,
    author_range: CharRange | None = None,
    force: bool = False,
    trusted: Trusted,
    lang: str = "zh",
) -> ChapterCommitted:
    """Commit a chapter outside its band as it is, by the author's decision.

    Refused below half the target and before one compression, unless `force`.
    """
    seen = _see(ledger, chapter, notes, author_range, trusted, lang)
    _refuse_unsound(seen)
    length = seen.answer.length
    assert length.actual is not None and length.target is not None and length.user_band is not None
    if seen.answer.status == "ready":
        span = f"{length.user_band.min}..{length.user_band.max}"
        raise ChapterRefused(
            seen.answer, Fault("length_in_band", found=length.actual, allowed=span)
        )
    refusal = acceptance.accept_refusal(
        actual=length.actual, target=length.target, body_sha256=digest(seen.body.data),
        author_range=seen.range, baseline=_baseline(ledger, chapter),
    )  # fmt: skip
    if refusal == "BELOW_ACCEPT_FLOOR" and not force:
        fault = Fault("below_accept_floor", found=length.actual, limit=-(-length.target // 2))
        raise ChapterRefused(seen.answer, fault)
    if refusal == "COMPRESSION_REQUIRED" and not force:
        limit = length.user_band.max
        raise ChapterRefused(
            seen.answer, Fault("compression_required", found=length.actual, limit=limit)
        )
    return _commit(ledger, chapter, document, notes, seen)


def _refuse_unsound(seen: _Seen) -> None:
    answer = seen.answer
    if answer.status == "tool_unavailable":
        found = answer.quality.tool_errors
        raise ChapterRefused(answer, Fault("tool_unavailable", found=found))
    if answer.status == "blocked":
        blocking = answer.quality.blocking_findings
        where = [f"{f.line}:{f.column} [{f.rule}] {f.excerpt[:24]}" for f in blocking[:3]]
        raise ChapterRefused(answer, Fault("quality_blocked", found=len(blocking), where=where))
    if answer.status == "invalid":
        raise ChapterRefused(answer, *(seen.faults or (Fault("empty_body", file=seen.body.path),)))


def _see(
    ledger: Ledger,
    chapter: int,
    notes: list[Fault],
    author_range: CharRange | None,
    trusted: Trusted,
    lang: str,
) -> _Seen:
    state = ledger.look(ledger.load).state
    faults: list[Fault] = []
    sources: list[Any] = []
    read: tuple[Callable[[Ledger, int], Any], ...] = (book.body, book.outline)
    for one in read:
        try:
            sources.append(one(ledger, chapter))
        except (Missing, Refused) as error:
            faults += error.faults
    if faults:
        raise Refused(*faults)
    body: Source = sources[0]
    outline_source, outline = sources[1]
    wanted = author_range if author_range is not None else outline.author_range
    length = wordcount.length_result(
        body.data, target=outline.target, author_range=wanted, chapter=chapter,
        invalid_reason=_outline_reason(outline, author_range),
    )  # fmt: skip
    judged = judge(ledger, body.path, body.data, notes, trusted, outline=outline_source.data)
    # Neither an empty body nor one in another encoding is prose that could be judged.
    empty = length.invalid_reason in ("EMPTY_BODY", "INVALID_BODY")
    findings = () if empty else judged.findings
    blocking = [f for f in findings if f.severity == "blocking"]
    advisories = [f for f in findings if f.severity == "advisory"]
    quality = Quality(
        status="unavailable" if judged.tool_errors else "fail" if blocking else "pass",
        blocking_findings=blocking,
        advisories=advisories,
        semantic_advisories=sum(1 for f in advisories if f.review != "mechanical"),
        tool_errors=list(judged.tool_errors),
    )
    status = _status(quality, length)
    problems = tuple(
        Fault(
            "bad_outline",
            file=outline_source.path,
            line=p.line,
            reason=p.zh if lang == "zh" else p.en,
            head=head(chapter, english=outline.english),
        )
        for p in outline.problems
        if p.field != "title"
    )
    if status == "invalid" and length.invalid_reason in ("EMPTY_BODY", "INVALID_BODY"):
        problems = (Fault("empty_body", file=body.path), *problems)
    last = state.last_committed_chapter
    advice = advise(status, length, blocking, advisories, judged.tool_errors)
    answer = ChapterCheck(
        status=status,
        chapter=chapter,
        length=length,
        quality=quality,
        compression=(
            acceptance.compression(length.actual, length.target, wanted)
            if length.status == "over"
            and quality.status == "pass"
            and length.actual
            and length.target
            else None
        ),
        state_revision=state.state_revision,
        tracking_committed=last >= chapter,
        next_chapter_started=last > chapter,
        available_actions=_actions(status, length),
        advice=advice or UNSET,
        faults=[fault.to_dict(lang) for fault in problems] if problems else UNSET,
    )
    return _Seen(body, outline_source, outline, wanted, answer, problems)


def _outline_reason(outline: Outline, given: CharRange | None) -> wordcount.InvalidReason | None:
    reason = outline.invalid_reason
    # A range given for this run replaces the outline's own, right or wrong.
    return None if reason == "INVALID_RANGE" and given is not None else reason


def _status(quality: Quality, length: LengthResult) -> CheckStatus:
    if quality.status == "unavailable":
        return "tool_unavailable"
    if quality.status == "fail":
        return "blocked"
    if length.status == "invalid":
        return "invalid"
    return "ready" if length.status in ("internal_pass", "borderline") else "needs_decision"


def _actions(status: CheckStatus, length: LengthResult) -> list[str]:
    if status not in ("ready", "needs_decision"):
        return []
    return list(acceptance.available_actions(length.status))


def _commit(
    ledger: Ledger, chapter: int, document: Any, notes: list[Fault], seen: _Seen
) -> ChapterCommitted:
    found = document.get("chapter") if isinstance(document, dict) else None
    if isinstance(found, int) and found != chapter:
        raise Refused(Fault("chapter_mismatch", "$.chapter", found=found, allowed=chapter))

    def counted() -> WordRecord:
        if (
            book.body(ledger, chapter) != seen.body
            or book.outline(ledger, chapter)[0] != seen.outline_source
        ):
            raise Refused(Fault("wordcount_stale", chapter=chapter))
        length = seen.answer.length
        assert length.actual is not None and length.target is not None
        return wordcount.word_record(
            actual=length.actual, target=length.target, body_sha256=digest(seen.body.data),
            author_range=seen.range,
        )  # fmt: skip

    done = commit(ledger, document, notes, counted=counted)
    removed, error = _clear_work(ledger, chapter, notes)
    return _answer(seen.answer, done, removed, error)


def _answer(
    checked: ChapterCheck, done: Committed, removed: str | None, error: str | UnsetType
) -> ChapterCommitted:
    assert done.wordcount is not None
    last = done.last_committed_chapter
    known = {name: getattr(checked, name) for name in ChapterCheck.__struct_fields__}
    known |= {
        "state_revision": done.state_revision,
        "tracking_committed": last >= checked.chapter,
        "next_chapter_started": last > checked.chapter,
        "advice": UNSET,  # it was about what is done now
    }
    return ChapterCommitted(
        **known, wordcount=done.wordcount, mode=done.mode,
        work_dir_removed=removed, work_dir_cleanup_error=error,
    )  # fmt: skip


# ---- the scratch folder --------------------------------------------------------------------------


def _baseline_path(chapter: int) -> str:
    return f"{book.work_folder(chapter)}/over_length_baseline.json"


def _baseline(ledger: Ledger, chapter: int) -> Baseline | None:
    try:
        return msgspec.json.decode(
            book.read_text(ledger, _baseline_path(chapter)).data, type=Baseline
        )
    except (Missing, *UNREADABLE):
        return (
            None  # without a sound baseline no compression is proven, and acceptance asks for one
        )


def _note_baseline(ledger: Ledger, chapter: int, seen: _Seen) -> None:
    actual = seen.answer.length.actual
    assert actual is not None
    before = _baseline(ledger, chapter)
    after = acceptance.next_baseline(before, body_sha256=digest(seen.body.data), actual=actual)
    if after != before:
        ledger.vault.write_loose(_baseline_path(chapter), msgspec.json.encode(after) + b"\n")


_OURS: Final = ("tracking.json", "over_length_baseline.json")


def _clear_work(
    ledger: Ledger, chapter: int, notes: list[Fault]
) -> tuple[str | None, str | UnsetType]:
    """成功时自动删除该章目录: the chapter's scratch folder, and its parents when they are empty.

    What lies there beside the transaction and the baseline was made by someone else: it goes aside.
    """
    files = ledger.vault.files
    path = book.work_folder(chapter)
    try:
        real = ledger.vault.real(path)
        if files.stat(real) is None:
            return None, UNSET
        for name in files.names(real):
            if name in _OURS:
                files.remove(f"{real}/{name}")
            else:
                kept = ledger.vault.lay_aside(ledger.scope, path, name)
                notes.append(Fault("work_kept", file=f"{path}/{name}", found=kept))
        files.remove_dir(real)
        for parent in (".story/work", ".story"):
            folder = ledger.vault.real(parent)
            if not files.names(folder):
                files.remove_dir(folder)
    except (OSError, ClewError) as error:
        return None, str(error)
    return path, UNSET
