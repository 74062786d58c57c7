"""What to do about a chapter, in words, beside the status and the actions of a check.

Pure. The seed fixes statuses and actions («运行工具», `chapter check`); whoever only knows those has
to guess what they ask of this body. Each finding carries its own advice; this is about the whole.
"""

from __future__ import annotations

from collections.abc import Sequence

from clew.kernel.faults import Fault
from clew.novel.prose.model import Finding, Message
from clew.novel.prose.text import Language
from clew.novel.wordcount import LengthResult


def outside_band(length: LengthResult) -> Fault:
    """How far a length is from its band, and what may be done about it."""
    assert length.actual is not None and length.user_band is not None
    actual, band = length.actual, length.user_band
    span = f"{band.min}..{band.max}"
    if actual > band.max:
        return Fault("length_over_band", found=actual, allowed=span, cut_chars=actual - band.max)
    return Fault("length_under_band", found=actual, allowed=span, missing=band.min - actual)


def advise(
    status: str,
    length: LengthResult,
    blocking: Sequence[Finding],
    advisories: Sequence[Finding],
    tool_errors: Sequence[str],
) -> list[Message]:
    """What to do, the first thing first. Empty for a chapter that is ready as it is, and where the
    faults of the answer say it already."""
    out: list[Message] = []
    if status == "tool_unavailable":
        out.append(_told(Fault("tool_unavailable", found=list(tool_errors))))
    if blocking:
        number = len(blocking)
        kept = any(finding.advice and "literals" in finding.advice.zh for finding in blocking)
        out.append(
            Message(
                f"先处理必须改的 {number} 处（它们阻止提交；每处写有行、列、原文和改法），再运行一次 chapter check。"
                + (
                    "其中有作者可能就要这样写的，改法里写着怎样放行：由作者决定，不要替他决定。"
                    if kept
                    else ""
                ),
                f"First see to the {number} places that must be mended (they block a commit; each names "
                "line, column, text and remedy), then run `chapter check` again."
                + (
                    " Where the author may mean it, the remedy says how it is kept: the author "
                    "decides that."
                    if kept
                    else ""
                ),
            )
        )
    if length.invalid_reason == "INVALID_BODY":
        out.append(
            Message(
                "正文不是 UTF-8 编码，读不出来：用 UTF-8 重新保存后再检查。",
                "The body is not UTF-8 and cannot be read: save it as UTF-8 and check again.",
            )
        )
    if length.status in ("over", "under") and status in ("needs_decision", "blocked"):
        out.append(_told(outside_band(length)))
    if any(_mendable(finding) for finding in (*blocking, *advisories)):
        out.append(
            Message(
                "标点可以交给 chapter check --fix-punctuation：先看差异，再加 --write。",
                "Punctuation: `chapter check --fix-punctuation` shows what it would change, and "
                "changes it with --write.",
            )
        )
    if advisories and status == "ready":
        reading = sum(1 for finding in advisories if finding.review != "mechanical")
        out.append(
            Message(
                f"可以提交。另有 {len(advisories)} 条建议，其中 {reading} 条要读过上下文再定；不改也能提交。",
                f"Ready to commit. There are {len(advisories)} suggestions, of which {reading} need to be "
                "read in their place; none has to be followed.",
            )
        )
    return out


def _mendable(finding: Finding) -> bool:
    """Whether `--fix-punctuation` does something about it. It leaves what is not sure: `。。` may be a
    full stop or an ellipsis, and a line of nothing but …… is for the author to fill."""
    strict = finding.rule.startswith("punctuation-") and finding.severity == "blocking"
    if not (strict or finding.rule.endswith("-shape") or finding.rule == "fullwidth-punctuation"):
        return False
    # Its patterns are dear to compile, and most checks have nothing to repair.
    from clew.novel.prose.punctuation import fix

    language: Language = "en" if finding.rule == "fullwidth-punctuation" else "zh"
    return bool(fix(finding.excerpt, language=language, strict=strict).lines)


def _told(fault: Fault) -> Message:
    return Message(
        f"{fault.message('zh')}。{fault.hint('zh')}", f"{fault.message('en')}. {fault.hint('en')}"
    )
