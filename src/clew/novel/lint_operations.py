"""`clew novel lint`: continuity findings, and silencing them with a reason.

Reads the ledger, the bodies that the rules ask for, and 设定/别名.toml. Writes only with `--silence`
and `--unsilence`: a line of the history that makes no revision. Source: the design of the ledger
(Lint). The rules themselves are pure: `clew.novel.lint`.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from clew.kernel.errors import Usage
from clew.kernel.faults import Both, Fault
from clew.kernel.operations import Host, Operation, field
from clew.novel.opening import open_book
from clew.novel.requests import OnBook


class LintRequest(OnBook, kw_only=True):
    rule: Annotated[
        str | None,
        field(
            "只跑这条规则（逗号隔开可写几条）",
            "run this rule only (several separated by commas)",
            metavar="R",
        ),
    ] = None
    chapter: Annotated[
        int | None,
        field("只看牵涉这一章的发现", "only findings that concern this chapter", metavar="N"),
    ] = None
    all: Annotated[
        bool, field("连同已沉默的各条和理由", "also what is silenced, with the reasons")
    ] = False
    silence: Annotated[
        str | None,
        field(
            "沉默这一条（要给 --reason）", "silence this finding (takes --reason)", metavar="KEY"
        ),
    ] = None
    unsilence: Annotated[
        str | None,
        field("撤掉沉默", "take a silence back", metavar="KEY"),
    ] = None
    reason: Annotated[
        str | None, field("为什么这样是对的", "why it is right as it stands", metavar="TEXT")
    ] = None


def _lint(host: Host, request: LintRequest) -> Any:
    from clew.novel import linting

    marks = [key for key in (request.silence, request.unsilence) if key is not None]
    if len(marks) > 1:
        _wrong("--silence 与 --unsilence 不能同给", "--silence and --unsilence exclude each other")
    if marks and (request.rule or request.chapter is not None):
        _wrong(
            "--silence 与 --unsilence 只认键，不与 --rule、--chapter 同用",
            "--silence and --unsilence take the key alone, without --rule and --chapter",
        )
    if request.reason is not None and request.silence is None:
        _wrong("--reason 要与 --silence 同用", "--reason goes with --silence")
    ledger = open_book(host, request.project, writes=bool(marks))
    if request.silence is not None:
        return linting.silence(ledger, host.notes, request.silence, request.reason)
    if request.unsilence is not None:
        return linting.unsilence(ledger, host.notes, request.unsilence)
    rules = [name.strip() for name in (request.rule or "").split(",") if name.strip()]
    return linting.lint(
        ledger, host.notes, rules=rules, chapter=request.chapter, everything=request.all
    )


def _wrong(zh: str, en: str) -> None:
    raise Usage(Fault("usage", reason=Both(zh, en)))


OPERATIONS: Final[tuple[Operation, ...]] = (
    Operation(
        "novel.lint", LintRequest, "clew.novel.lint.answer:Linted", _lint, "write",
        "查前后矛盾：人名、在场、伏笔、揭示、时间（不拦提交；--silence 才会写）",
        "continuity findings: names, who is on stage, foreshadows, reveals, time (blocks nothing; "
        "writes with --silence only)",
        "clew novel lint --rule name-near-miss",
    ),
)  # fmt: skip
