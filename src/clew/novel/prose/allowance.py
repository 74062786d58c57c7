"""How an author keeps what a blocking rule stops at.

Pure. A rule cannot know that a sentence is meant, and whoever reads a finding (a writing agent most
of all) must not be left with rewriting as the only way: the answer itself says which line in the
book's prose file lets this text stand, and that it is the author who decides so. What the keys mean
is `settings`.
"""

from __future__ import annotations

import re
from typing import Final

from clew.novel.prose.model import Message, Rule

SETTINGS: Final = "正文/.clew-prose.toml"
SKIP_COMMENT: Final = "<!-- clew:prose-skip -->"
_RAISED: Final = 3
_ESCAPED: Final = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]')


def toml_text(text: str) -> str:
    """A text as TOML writes it, on one line. A lone surrogate, which no file can hold, becomes U+FFFD."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if char in '"\\':
        return f"\\{char}"
    return "\ufffd" if "\ud800" <= char <= "\udfff" else f"\\u{ord(char):04x}"


def how_to_keep(rule: Rule, text: str) -> Message:
    """The ways to let a text stand that a rule stops at, to go behind the rule's advice."""
    line = f"literals = [{toml_text(text)}]"
    zh = f"作者认定要留的，在 {SETTINGS} 开头写 {line}（已有 literals 就加进同一个列表）"
    en = (
        f"If the author means it, {line} at the top of {SETTINGS} keeps it "
        "(add it to the list if there is one)"
    )
    if rule.family == "style" and "hits" in rule.limits:
        key = f'"{rule.id}.hits" = {_RAISED}'
        zh += f"；一章里容许几处，在 [thresholds] 下写 {key}"
        en += f"; {key} under [thresholds] allows a few in a chapter"
    if rule.family == "style":
        zh += f"；整章都是有意的，章首写 {SKIP_COMMENT}"
        en += f"; {SKIP_COMMENT} on top of the chapter keeps its whole manner"
    return Message(zh + "。", en + ".")


def with_keeping(rule: Rule, text: str) -> Message:
    """A rule's advice, and how the text is kept where it may be meant."""
    if not rule.meant:
        return rule.advice
    keep = how_to_keep(rule, text)
    return Message(f"{rule.advice.zh}{keep.zh}", f"{rule.advice.en} {keep.en}")
