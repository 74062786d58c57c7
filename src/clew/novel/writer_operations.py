"""What `clew novel` offers to a writer before a chapter: `context`, `who`, `impact`.

Each operation opens the book, calls one function of `writing` and returns its answer. Modules are
imported where they are used.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from clew.kernel.operations import Host, Operation, field
from clew.novel.opening import open_book
from clew.novel.requests import Number, OnBook


class ContextRequest(OnBook, kw_only=True):
    chapter: Annotated[
        int | None,
        field(
            "要写的章；已提交的章即改写它（默认：下一章）",
            "the chapter to write; one that is committed is to be rewritten (default: the next one)",
            metavar="N",
        ),
    ] = None
    budget: Annotated[
        int | None,
        field(
            "最多多少字节（默认 12288）", "at most so many bytes (default 12288)", metavar="BYTES"
        ),
    ] = None
    tokens: Annotated[
        int | None,
        field("最多多少词元（估算）", "at most so many tokens (an estimate)", metavar="N"),
    ] = None
    format: Annotated[
        Literal["text", "json"] | None,
        field(
            "text：只要卡片文字；json：连同各栏条目",
            "text: the card's text alone; json: with the items of every section",
        ),
    ] = None


class WhoRequest(OnBook, kw_only=True):
    name: Annotated[str, field("人名或别名", "a name or an alias", positional=True, metavar="NAME")]
    at: Annotated[
        int | None,
        field("第 N 章刚写完时（默认：现在）", "right after chapter N (default: now)", metavar="N"),
    ] = None


class ImpactRequest(OnBook, kw_only=True):
    chapter: Number


def _context(host: Host, request: ContextRequest) -> Any:
    from clew.novel import writing

    card = writing.context(
        open_book(host, request.project), host.lang, host.notes,
        chapter=request.chapter, budget=request.budget, tokens=request.tokens,
    )  # fmt: skip
    return msgspec.structs.replace(card, sections=[]) if request.format == "text" else card


def _who(host: Host, request: WhoRequest) -> Any:
    from clew.novel import writing

    return writing.who(open_book(host, request.project), request.name, host.notes, at=request.at)


def _impact(host: Host, request: ImpactRequest) -> Any:
    from clew.novel import writing

    return writing.impact(open_book(host, request.project), request.chapter, host.lang, host.notes)


_N: Final = "clew.novel"
OPERATIONS: Final = (
    Operation(
        "novel.context", ContextRequest, f"{_N}.context:Card", _context, "read",
        "下一章（或改写某一章）的续写卡，不超出预算",
        "the card for the next chapter, or for a rewrite, within a budget",
        "clew novel context --budget 6000",
    ),
    Operation(
        "novel.who", WhoRequest, f"{_N}.who:Person", _who, "read",
        "一个人物：现状、知道什么、从第几章起知道",
        "one character: where, wanting what, knowing what since which chapter",
        "clew novel who 江晨 --at 9",
    ),
    Operation(
        "novel.impact", ImpactRequest, f"{_N}.impact:Impact", _impact, "read",
        "改写第 N 章会牵动什么", "what a rewrite of chapter N may touch",
        "clew novel impact --chapter 9",
    ),
)  # fmt: skip
