"""Habits: a wording that is fine once and wears a reader out by the tenth time.

Pure. `Density` is a rule's `search`: it counts matches in a whole chapter, and is silent below two
thresholds at once, so that neither a short chapter nor a long one is judged by a few words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from clew.novel.prose.model import Hit, ProseConfig
from clew.novel.prose.text import Body, LineKind, Part


@dataclass(frozen=True, slots=True)
class Density:
    """Finds the first match in a chapter that has at least `hits` of them, and at least `per_1000`
    for each 1000 visible characters of narrative.

    `rule` is the id of the rule it searches for: a book changes its thresholds by
    `<rule>.hits` and `<rule>.per_1000`. The hit's values are `times` and `per_1000`, and `words`:
    the three matches that occur most, for the message.
    """

    rule: str
    pattern: re.Pattern[str]
    hits: int
    per_1000: float
    part: Part = "narrative"

    @property
    def limits(self) -> Mapping[str, float]:
        """Both thresholds by name, as `Rule.limits` wants them."""
        return {"hits": self.hits, "per_1000": self.per_1000}

    def __call__(self, body: Body, config: ProseConfig) -> Iterator[Hit]:
        first: Hit | None = None
        seen: dict[str, int] = {}
        for line in body.lines:
            if line.kind is not LineKind.NARRATIVE:
                continue
            for found in self.pattern.finditer(line.part(self.part)):
                seen[found[0]] = seen.get(found[0], 0) + 1
                first = first or Hit(line, found.start(), found.end())
        times = sum(seen.values())
        if first is None or times < config.limit(self.rule, "hits", self.hits):
            return
        rate = per_1000(times, body)
        if rate < config.limit(self.rule, "per_1000", self.per_1000):
            return
        words = most_frequent(seen, body)
        yield first._replace(values={"times": times, "per_1000": f"{rate:.1f}", "words": words})


def per_1000(times: int, body: Body) -> float:
    """How often for each 1000 visible characters of narrative; 0 in a body without any."""
    return 1000 * times / body.narrative_chars if body.narrative_chars else 0.0


def most_frequent(seen: Mapping[str, int], body: Body, count: int = 3, chars: int = 24) -> str:
    """The matches that occur most, in the order of their first appearance where they tie."""
    ranked = sorted(seen, key=lambda word: -seen[word])[:count]
    return ("、" if body.language == "zh" else ", ").join(word[:chars] for word in ranked)
