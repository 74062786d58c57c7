"""The chapter commands of `storyctl` on a booklet, and the seed's sets of keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from booklet import Answer, Booklet, call

from clew.faces.cli.storyctl import main
from clew.testing.novel import tree

CHECK = {
    "schema", "status", "chapter", "length", "quality", "compression", "state_revision",
    "tracking_committed", "next_chapter_started", "available_actions",
}  # fmt: skip
COMMITTED = CHECK | {"wordcount", "mode", "work_dir_removed"}
ERROR = {"schema", "status", "error_code", "message", "faults"}
REFUSAL = ERROR | {"chapter", "length", "quality", "compression", "available_actions"}
LENGTH = {
    "schema", "metric", "chapter", "case_id", "target", "actual", "internal_band", "user_band",
    "signed_error_pct", "absolute_error_pct", "band_source", "status", "invalid_reason",
}  # fmt: skip
QUALITY = {"status", "blocking_findings", "advisories", "semantic_advisories", "tool_errors"}
RECORD = {"metric", "target", "actual", "status", "resolution", "body_sha256"}
UNDER = ["accept-current-length", "revise-outline-or-target", "discard"]
OVER = ["compress-once", *UNDER]


def check(book: Booklet, *more: object, number: int = 1) -> Answer:
    return call(main, "chapter", "check", "--project", book.root, "--chapter", number, *more)


def commit(book: Booklet, path: Path, *more: object, number: int = 1) -> Answer:
    return call(
        main, "chapter", "commit", "--project", book.root, "--chapter", number, "--input", path, *more
    )  # fmt: skip


def accept(book: Booklet, path: Path, *more: object, number: int = 1) -> Answer:
    verb = "accept-current-length"
    return call(
        main, "chapter", verb, "--project", book.root, "--chapter", number, "--input", path, *more
    )  # fmt: skip


def refused(book: Booklet, code: str, run: Callable[[], Answer], exit_code: int = 2) -> Any:
    """The error that a command answers; the whole book is as it was before."""
    before = tree(book.root)
    answer = run()
    assert tree(book.root) == before
    assert (answer.code, answer.json["error_code"]) == (exit_code, code), answer
    assert answer.json["schema"] == "story-chapter-error/v1"
    assert answer.json["status"] == "error"
    assert answer.json["message"]
    return dict(answer.json)
