"""The wake rules of a persona: the table `[wake]` of `persona.toml`. Pure.

Whole numbers only (minutes, percent, counts): they are judged by `clew.kernel.validate`, and
`rule_faults` adds what types cannot say. Periods, the cap of five, the gap of eighty minutes, the two
levels of dice and once a day are the seed's (persona seed, section 2). Where the seed gives no number
(the widths of jitter, the hours of quiet and of the peak, the percentages, the gap and cap of the
opener) the defaults are ours, and meant to be edited.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct, field

from clew.kernel.document import child
from clew.kernel.faults import Code, Fault, register
from clew.kernel.validate import ident, items

Entry = Literal["interactive", "autonomous", "monologue", "resident", "opener", "explore"]
ENTRIES: Final[tuple[Entry, ...]] = (
    "interactive", "autonomous", "monologue", "resident", "opener", "explore",
)  # fmt: skip
"""The six ways to wake, in the order of the seed's table."""
SELF: Final[tuple[Entry, ...]] = ENTRIES[1:]
"""Those that come of themselves."""

Minutes = Annotated[int, Meta(ge=0, le=1440)]
Period = Annotated[int, Meta(ge=1, le=1440)]
Percent = Annotated[int, Meta(ge=0, le=100)]
Cap = Annotated[int, Meta(ge=1, le=1000)]
Time = Annotated[str, ident(r"([01]?\d|2[0-3]):[0-5]\d|24:00", "HH:MM", 5)]


class Span(Struct, omit_defaults=True, frozen=True, kw_only=True):
    """A stretch of the day by the wall clock, the end excluded. It may cross midnight; one that
    ends where it starts is empty."""

    start: Time
    end: Time


class EntryRule(Struct, omit_defaults=True, frozen=True, kw_only=True):
    """When one entry may wake. The subclasses below carry the defaults of each entry."""

    enabled: bool = True
    period_minutes: Period = 60
    """How far the moments at which it may come are apart, counted from the day's first moment."""
    jitter_minutes: Minutes = 0
    """Each of them comes up to this much later; never across midnight or an edge of quiet hours."""
    gap_minutes: Minutes = 0
    """At least this long after the last one."""
    cap: Cap | None = None
    """At most this many on one civil date."""
    peak_percent: Percent = 100
    """How likely it comes at a moment within `wake.peak`."""
    valley_percent: Percent = 100
    """How likely it comes at any other moment."""
    quiet: bool = False
    """Keeps the quiet hours."""
    alone: bool = True
    """Comes only while no person is there."""


class Autonomous(EntryRule, omit_defaults=True, frozen=True, kw_only=True):
    """One step forward on the self-made list; never without an open intent."""

    period_minutes: Period = 25
    jitter_minutes: Minutes = 5
    gap_minutes: Minutes = 20
    cap: Cap | None = 5


class Monologue(EntryRule, omit_defaults=True, frozen=True, kw_only=True):
    """One line to itself."""

    gap_minutes: Minutes = 80


class Resident(EntryRule, omit_defaults=True, frozen=True, kw_only=True):
    """The beat of the body: comes when there is mail, and otherwise by the dice, to say a line."""

    period_minutes: Period = 10
    peak_percent: Percent = 2
    valley_percent: Percent = 1
    alone: bool = False


class Opener(EntryRule, omit_defaults=True, frozen=True, kw_only=True):
    """A question to the person, unasked."""

    period_minutes: Period = 20
    gap_minutes: Minutes = 120
    cap: Cap | None = 3
    peak_percent: Percent = 25
    valley_percent: Percent = 8
    quiet: bool = True


class Explore(EntryRule, omit_defaults=True, frozen=True, kw_only=True):
    """One look outside; looked at every half hour, once a day."""

    period_minutes: Period = 30
    jitter_minutes: Minutes = 20
    cap: Cap | None = 1
    quiet: bool = True
    alone: bool = False


class WakeRules(Struct, omit_defaults=True, frozen=True, kw_only=True):
    """When the entries may wake. `interactive` has no rule: it comes when a person speaks."""

    quiet: Span = field(default_factory=lambda: Span(start="23:00", end="07:00"))
    peak: Annotated[list[Span], items(12)] = field(
        default_factory=lambda: [
            Span(start="11:30", end="13:30"),
            Span(start="19:00", end="22:30"),
        ]
    )
    present_minutes: Minutes = 10
    """So long after a person's last word they still count as being there."""
    autonomous: Autonomous = field(default_factory=Autonomous)
    monologue: Monologue = field(default_factory=Monologue)
    resident: Resident = field(default_factory=Resident)
    opener: Opener = field(default_factory=Opener)
    explore: Explore = field(default_factory=Explore)

    def of(self, entry: Entry) -> EntryRule:
        """The rule of one of the entries that come of themselves."""
        rule: EntryRule = getattr(self, entry)
        return rule


def minute_of(time: str) -> int:
    """Minutes from the start of the day, 0..1440."""
    hours, _, minutes = time.partition(":")
    return int(hours) * 60 + int(minutes)


def within(span: Span, minute: int) -> bool:
    """Whether a minute of the day (0..1439) lies in a span."""
    start, end = minute_of(span.start), minute_of(span.end)
    if start == end or (start, end) == (1440, 0):
        return False
    return start <= minute < end if start < end else minute >= start or minute < end


def rule_faults(rules: WakeRules, path: str = "$.wake") -> list[Fault]:
    """What the types cannot say: every rule that contradicts itself."""
    faults = []
    for entry in SELF:
        rule = rules.of(entry)
        if rule.jitter_minutes > rule.period_minutes:
            faults.append(
                Fault(
                    "wake_jitter", child(child(path, entry), "jitter_minutes"),
                    found=rule.jitter_minutes, limit=rule.period_minutes,
                )
            )  # fmt: skip
    return faults


register(
    Code(
        "wake_jitter", 2,
        "{path} 为 {found} 分钟，超过了周期 {limit} 分钟",
        "{path} is {found} minutes, more than the period of {limit}",
        "把抖动改成不大于周期的分钟数。",
        "Make the jitter no longer than the period.",
        about_zh="抖动比周期还长，两次醒来的先后就会颠倒。",
        about_en="With a jitter longer than the period two wakes could change places.",
    ),
)  # fmt: skip
