"""What may be done with a chapter's length: the actions, the accept floor, the one compression.

Pure: numbers and digests in, decisions out. The rules are those of the tracking protocol
(«运行工具»: `chapter check` and `chapter accept-current-length`): a chapter that is too short is
never padded, one that is too long is cut once before it may be accepted as it is, and the author's
`--force` skips both refusals.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from clew.novel.wordcount import CharRange, internal_band, status_of, user_band

AcceptRefusal = Literal["BELOW_ACCEPT_FLOOR", "COMPRESSION_REQUIRED"]
Action = Literal[
    "commit", "compress-once", "accept-current-length", "revise-outline-or-target", "discard"
]


class Compression(msgspec.Struct, frozen=True, kw_only=True):
    """How many characters one cutting pass has to take out to come back into each band."""

    mode: str = "single_pass_remove_only"
    remove_to_internal_band: CharRange
    remove_to_user_band: CharRange


class Baseline(msgspec.Struct, frozen=True):
    """The over-long body as first seen; proves later that one compression took place."""

    body_sha256: str
    actual: int


def available_actions(status: str) -> tuple[Action, ...]:
    """What an author may do with a chapter of this length status; nothing for an invalid one.

    There is deliberately no action that pads a chapter that is too short.
    """
    if status in ("internal_pass", "borderline"):
        return ("commit",)
    if status == "over":
        return ("compress-once", "accept-current-length", "revise-outline-or-target", "discard")
    if status == "under":
        return ("accept-current-length", "revise-outline-or-target", "discard")
    return ()


def compression(
    actual: int, target: int, author_range: CharRange | None = None
) -> Compression | None:
    """How much one cutting pass has to remove; None unless the chapter is over its band."""
    if status_of(actual, target, author_range) != "over":
        return None
    inner, outer = internal_band(target, author_range), user_band(target, author_range)
    return Compression(
        remove_to_internal_band=CharRange(actual - inner.max, actual - inner.min),
        remove_to_user_band=CharRange(actual - outer.max, actual - outer.min),
    )


def next_baseline(baseline: Baseline | None, *, body_sha256: str, actual: int) -> Baseline:
    """The baseline after a check saw an over-long body: the first one is kept while the chapter
    does not grow beyond it, and replaced when it does."""
    if baseline is None or actual > baseline.actual:
        return Baseline(body_sha256, actual)
    return baseline


def compressed_once(
    baseline: Baseline | None,
    *,
    body_sha256: str,
    actual: int,
    target: int,
    author_range: CharRange | None = None,
) -> bool:
    """Whether an over-long chapter has been cut since its baseline: the body changed, and at least
    half of what was too much (one character at the very least) is gone."""
    if baseline is None or body_sha256 == baseline.body_sha256:
        return False
    excess = baseline.actual - user_band(target, author_range).max
    return actual <= baseline.actual - max(1, -(-excess // 2))


def accept_refusal(
    *,
    actual: int,
    target: int,
    body_sha256: str,
    author_range: CharRange | None = None,
    baseline: Baseline | None = None,
) -> AcceptRefusal | None:
    """Why a chapter outside its band may not be accepted as it is, or None if it may.

    Too short: refused below half the target. Too long: refused until it was compressed once. The
    author's `--force` skips this question. Inside the band there is nothing to accept; the caller
    answers that case.
    """
    status = status_of(actual, target, author_range)
    if status == "under" and 2 * actual < target:
        return "BELOW_ACCEPT_FLOOR"
    if status == "over" and not compressed_once(
        baseline,
        body_sha256=body_sha256,
        actual=actual,
        target=target,
        author_range=author_range,
    ):
        return "COMPRESSION_REQUIRED"
    return None
