"""A lorebook: what a story knows about its world, entry by entry, to be put into a prompt on cue.

Kept like a card: `data` is a V3 lorebook with every unknown key, `root` what stood beside it in its
file, `spec` where it came from. `Lorebook.entries` gives typed `Entry` values with one reading of
what V2, V3, SillyTavern, RisuAI, NovelAI, Agnai and KoboldAI say in different places; the engine that
activates them works on these. Decorators are parsed here, since exports strip them.

Pure, and cheap to import. Rules: V2 `character_book`, V3 Lorebook and its decorators; docs/cards.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

BOOK_SPECS: Final = (
    "lorebook_v3", "character_book", "worldinfo", "novelai", "agnai", "risu", "aidungeon", "kobold",
)  # fmt: skip
"""Where a lorebook can come from; `Lorebook.spec`. The first three are also written."""

POSITIONS: Final = (
    "before_char", "after_char", "an_top", "an_bottom", "at_depth", "em_top", "em_bottom", "outlet",
)  # fmt: skip
"""Where an entry goes, in the order of SillyTavern's numbers: before or after the character,
above or below the author's note, at a depth of the chat, above or below the example messages, or
at a named outlet."""
LOGICS: Final = ("and_any", "not_all", "not_any", "and_all")
"""How secondary keys count, in the order of SillyTavern's numbers."""
ROLES: Final = ("system", "user", "assistant")
ORDER: Final = 100
DEPTH: Final = 4
MATCHES: Final = (
    ("match_persona_description", "matchPersonaDescription"),
    ("match_character_description", "matchCharacterDescription"),
    ("match_character_personality", "matchCharacterPersonality"),
    ("match_character_depth_prompt", "matchCharacterDepthPrompt"),
    ("match_scenario", "matchScenario"),
    ("match_creator_notes", "matchCreatorNotes"),
)

_DECORATOR: Final = re.compile(r"(@@@?)([A-Za-z][A-Za-z0-9_]*)[ \t]*(.*)\Z")


class Decorator(NamedTuple):
    """One `@@name value,value` line, with the `@@@` lines that stand in for it where a program does
    not know it."""

    name: str
    values: tuple[str, ...]
    text: str
    """The value as it is written, where commas mean nothing."""
    fallbacks: tuple[Decorator, ...] = ()


def decorated(content: str) -> tuple[tuple[Decorator, ...], str]:
    """The decorators at the top of an entry's content, and the content without them.

    Empty lines between and after decorators go with them. A `@@@` line without a line before it
    counts as an ordinary one. Repeated names are all given; who uses them takes the first.
    """
    if not content.lstrip().startswith("@@"):
        return (), content
    found: list[Decorator] = []
    lines = content.split("\n")
    taken = 0
    for line in lines:
        bare = line.strip()
        match = _DECORATOR.match(bare)
        if match is None and bare:
            break
        taken += 1
        if match is None:
            continue
        text = match[3].strip()
        values = tuple(part.strip() for part in text.split(",")) if text else ()
        one = Decorator(match[2].lower(), values, text)
        if match[1] == "@@@" and found:
            found[-1] = found[-1]._replace(fallbacks=(*found[-1].fallbacks, one))
        else:
            found.append(one)
    if not found:
        return (), content
    return tuple(found), "\n".join(lines[taken:])


class Entry(NamedTuple):
    """One entry, read once: what it says wherever its format says it.

    Where a value is None, the format leaves it to the book or to the program.
    """

    uid: str
    """Its identity in this book: unique, the same at each reading."""
    place: int
    """Which of the file's entries it is, from 0."""
    name: str
    comment: str
    keys: tuple[str, ...]
    secondary_keys: tuple[str, ...]
    exclude_keys: tuple[str, ...]
    content: str
    """Without decorators."""
    decorators: tuple[Decorator, ...]
    enabled: bool
    constant: bool
    selective: bool
    logic: str
    use_regex: bool
    case_sensitive: bool | None
    whole_words: bool | None
    order: float
    """Lower is higher up in the prompt."""
    priority: float | None
    """Lower is dropped first when the budget is used up."""
    position: str
    depth: int
    role: str
    outlet: str
    scan_depth: int | None
    probability: float
    """0 to 100; 100 where no chance is asked for."""
    group: str
    group_weight: float
    group_override: bool
    group_scoring: bool
    ignore_budget: bool
    exclude_recursion: bool
    prevent_recursion: bool
    delay_until_recursion: int
    """0: at once; n: only from the n-th level of recursion."""
    sticky: int
    cooldown: int
    delay: int
    """Messages that it stays, rests, or waits for."""
    sources: tuple[str, ...]
    """Texts beside the chat in which keys are looked for: `persona_description`, `scenario` …"""
    triggers: tuple[str, ...]


class Lorebook:
    """A lorebook. See the module for what it keeps."""

    __slots__ = ("data", "root", "spec")

    def __init__(
        self, data: dict[str, Any], root: dict[str, Any] | None = None, *, spec: str = "lorebook_v3"
    ) -> None:
        self.data = data
        self.root = root if root is not None else {}
        self.spec = spec

    @property
    def name(self) -> str:
        return text(self.data.get("name"))

    @property
    def description(self) -> str:
        return text(self.data.get("description"))

    @property
    def scan_depth(self) -> int | None:
        """How many of the latest messages are searched for keys."""
        return whole(self.data.get("scan_depth"))

    @property
    def token_budget(self) -> int | None:
        """How many tokens its entries may fill."""
        return whole(self.data.get("token_budget"))

    @property
    def recursive_scanning(self) -> bool | None:
        """Whether the content of entries can bring in other entries."""
        return flag(self.data.get("recursive_scanning"))

    @property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Its entries as they are kept."""
        value = self.data.get("entries")
        return (
            tuple(row for row in value if isinstance(row, dict)) if isinstance(value, list) else ()
        )

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Its entries as typed values, in the order of the file."""
        seen: dict[str, int] = {}
        return tuple(
            _entry(row, index, _uid(row, index, seen)) for index, row in enumerate(self.rows)
        )

    def canonical(self) -> bytes:
        """The bytes that are hashed; see `Card.canonical`. `root` does not count."""
        from clew.books.cards.fields import said_book
        from clew.books.cards.values import encode

        return encode(said_book(self.data), ordered=True).encode("utf-8")

    @property
    def content_hash(self) -> str:
        """SHA-256 of `canonical()` in lower-case hex."""
        from hashlib import sha256

        return sha256(self.canonical()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lorebook) and self.canonical() == other.canonical()

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        return f"Lorebook({self.name!r}, {len(self.rows)} entries, spec={self.spec!r})"


def text(value: Any) -> str:
    """A text, or an empty one for everything else."""
    return value if isinstance(value, str) else ""


def texts(value: Any) -> tuple[str, ...]:
    """The texts of a list that are not empty."""
    return (
        tuple(v for v in value if isinstance(v, str) and v.strip())
        if isinstance(value, list)
        else ()
    )


def real(value: Any) -> float | None:
    """A finite number, also one spelt as text; None for everything else."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) < 1e15 else None


def percent(value: Any) -> float | None:
    """A chance, 0 to 100 where it is in bounds: a number, also with the sign behind it."""
    return real(value.rstrip(" %％") if isinstance(value, str) else value)


def whole(value: Any) -> int | None:
    """A whole number, also one spelt as text; None for everything else."""
    number = real(value)
    return None if number is None else int(number)


def flag(value: Any) -> bool | None:
    """A truth value, also one spelt as text or number; None for everything else."""
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}.get(value.strip().lower())
    if isinstance(value, bool):
        return value
    number = real(value)
    return None if number is None else number != 0


def _uid(row: dict[str, Any], index: int, seen: dict[str, int]) -> str:
    ident = row.get("id")
    base = "" if ident is None or isinstance(ident, bool | dict | list) else str(ident)
    # `0` and "0" are one id to some programs and two to others: the second gets a name of its own.
    base = base or f"#{index}"
    uid = base
    while uid in seen:
        uid = f"{base}~{seen[base]}"
        seen[base] += 1
    seen[uid] = 1
    return uid


def _entry(row: dict[str, Any], index: int, uid: str) -> Entry:
    inner = row.get("extensions")
    inner = inner if isinstance(inner, dict) else {}

    def of(*names: str) -> Any:
        """The first of these keys that says something, in the extensions or beside them."""
        for place in (inner, row):
            for name in names:
                if place.get(name) is not None:
                    return place[name]
        return None

    decorators, content = decorated(text(row.get("content")))
    chance = percent(of("probability"))
    if chance is None or flag(of("useProbability", "use_probability")) is False:
        chance = 100.0
    delayed = of("delay_until_recursion", "delayUntilRecursion")
    depth = whole(of("depth"))
    weight = real(of("group_weight", "groupWeight"))
    order = real(row.get("insertion_order"))
    role = whole(of("role"))
    if role is None or not 0 <= role < len(ROLES):
        role = ROLES.index(of("role")) if of("role") in ROLES else 0
    logic = whole(of("selectiveLogic", "selective_logic"))
    enabled = flag(row.get("enabled"))
    return Entry(
        uid=uid,
        place=index,
        name=text(row.get("name")),
        comment=text(row.get("comment")),
        keys=texts(row.get("keys")),
        secondary_keys=texts(row.get("secondary_keys")),
        exclude_keys=tuple(_excluded(inner, decorators)),
        content=content,
        decorators=decorators,
        enabled=True if enabled is None else enabled,
        constant=bool(flag(row.get("constant"))),
        selective=bool(flag(row.get("selective"))),
        logic=LOGICS[logic] if logic is not None and 0 <= logic < len(LOGICS) else LOGICS[0],
        use_regex=bool(flag(row.get("use_regex"))),
        case_sensitive=flag(of("case_sensitive", "caseSensitive")),
        whole_words=flag(of("match_whole_words", "matchWholeWords")),
        order=ORDER if order is None else order,
        priority=real(row.get("priority")),
        position=_position(inner.get("position"), row.get("position")),
        depth=DEPTH if depth is None else depth,
        role=ROLES[role],
        outlet=text(of("outlet_name", "outletName")),
        scan_depth=whole(of("scan_depth", "scanDepth")),
        probability=min(100.0, max(0.0, chance)),
        group=text(of("group")),
        group_weight=100.0 if weight is None else weight,
        group_override=bool(flag(of("group_override", "groupOverride"))),
        group_scoring=bool(flag(of("use_group_scoring", "useGroupScoring"))),
        ignore_budget=bool(flag(of("ignore_budget", "ignoreBudget"))),
        exclude_recursion=bool(flag(of("exclude_recursion", "excludeRecursion"))),
        prevent_recursion=bool(flag(of("prevent_recursion", "preventRecursion"))),
        delay_until_recursion=int(delayed) if isinstance(delayed, bool) else whole(delayed) or 0,
        sticky=whole(of("sticky")) or 0,
        cooldown=whole(of("cooldown")) or 0,
        delay=whole(of("delay")) or 0,
        sources=tuple(snake[6:] for snake, camel in MATCHES if flag(of(snake, camel))),
        triggers=texts(of("triggers")),
    )


def _position(inner: Any, outer: Any) -> str:
    """SillyTavern's number where there is one, else the two words of V2."""
    number = whole(inner)
    if number is not None and 0 <= number < len(POSITIONS):
        return POSITIONS[number]
    return outer if isinstance(outer, str) and outer in POSITIONS else POSITIONS[0]


def _excluded(inner: dict[str, Any], decorators: tuple[Decorator, ...]) -> Iterator[str]:
    """Keys that keep an entry out: V3's decorator, and KoboldAI's `keyanti`."""
    for decorator in decorators:
        if decorator.name == "exclude_keys":
            yield from filter(None, decorator.values)
            break
    kobold = inner.get("koboldai")
    anti = kobold.get("keyanti") if isinstance(kobold, dict) else None
    if isinstance(anti, str):
        yield from filter(None, (part.strip() for part in anti.split(",")))
