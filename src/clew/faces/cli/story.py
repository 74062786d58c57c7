"""The shapes that the seed fixes for chapter errors: `story-chapter-error/v1`."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from clew.kernel.errors import ClewError

_CODES: Final = {
    "usage": "INVALID_ARGUMENT",
    "quality_blocked": "QUALITY_BLOCKED",
    "length_over_band": "LENGTH_OUT_OF_BAND",
    "length_under_band": "LENGTH_OUT_OF_BAND",
    "length_in_band": "INVALID_ARGUMENT",
    "below_accept_floor": "BELOW_ACCEPT_FLOOR",
    "compression_required": "COMPRESSION_REQUIRED",
    "tool_unavailable": "TOOL_UNAVAILABLE",
    "unknown_prose_rule": "INVALID_ARGUMENT",
}


def chapter_error(error: ClewError, lang: str) -> dict[str, Any]:
    """A refusal of a chapter command: the seed's keys, with `faults` and the findings beside."""
    from clew.novel.chapters import ChapterRefused

    plain = error.to_dict(lang)
    plain["schema"] = "story-chapter-error/v1"
    plain["error_code"] = _CODES.get(error.code, "CHECK_FAILED")
    if isinstance(error, ChapterRefused):
        checked = msgspec.to_builtins(error.checked)
        for key in ("chapter", "length", "quality", "compression", "available_actions"):
            plain[key] = checked[key]
    return plain


def exit_code(error: ClewError) -> int:
    """The seed's exit code of a refused chapter command: 3 for a missing tool, else 2."""
    return 3 if error.code == "tool_unavailable" else 2
