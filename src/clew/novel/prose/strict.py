"""What stands for a dash or an ellipsis in a Chinese book that uses neither.

Pure. Such a book says `strict = true` (see `ProseConfig`); —— and …… are standard marks, so that no
other book is changed by this. The mark is replaced by what the place asks for: nothing beside another
mark, a full stop where the sentence ends, 到 between numbers, a colon before an explanation, else a
comma. Where leaving it out would leave nothing (“……”, a line of its own) the author has to say what
is meant, and the mark stays; so does a single — that joins two names.
"""

from __future__ import annotations

import re
from typing import Final

_ONE: Final = r"(?:[—―]+|-{2,}|…+|\.{3,}|。{2,})"
_MARK: Final = re.compile(rf"[ \t]{{0,2}}{_ONE}(?:[ \t]{{0,2}}{_ONE})*[ \t]{{0,2}}")
_HAN: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_WORDLY: Final = re.compile(r"[\w<>!/\\|=+*#]", re.ASCII)
_OPENING: Final = "“‘「『（《【〈("
_CLOSING: Final = "”’」』）》】〉)"
_STOPS: Final = "，。！？；：、,.!?;:"
_REASON: Final = re.compile(
    "(?:因为|原来|就是|也就是说|换句话说|毕竟|只因|正是|这是|那是|这便是|那便是|包括|比如|例如)"
)
_ANNOUNCED: Final = re.compile(
    "(?:原因|答案|真相|理由|结论|办法|问题|条件|规矩|秘密|目的|意思|结果|名字)$"
)


def unmarked(text: str) -> str:
    """A line without dashes and ellipses, as far as it is clear what replaces them."""
    return _MARK.sub(lambda found: _instead(found, text), text)


def _instead(found: re.Match[str], text: str) -> str:
    start, end = found.span()
    before, after = text[start - 1 : start], text[end : end + 1]
    at_start, at_end = not text[:start].strip() if start < 40 else False, not after
    opened, closed = before in _OPENING and before != "", after in _CLOSING and after != ""
    mark = found[0].strip(" \t")
    if mark[0] in "-." and (_WORDLY.match(before) or _WORDLY.match(after)):
        return found[0]  # an option, a version, a path
    if (at_start or opened) and (at_end or closed):
        return found[0]
    if mark == "—" and _HAN.match(before) and _HAN.match(after):
        return found[0]
    if at_start:
        return found[0][: len(found[0]) - len(found[0].lstrip(" \t"))]
    if opened:
        return ""
    if at_end or closed:
        return "" if before in _STOPS else "。"
    if before in _STOPS or after in _STOPS:
        return ""
    if before.isdigit() and after.isdigit() and mark[0] in "—―-":
        return "到"
    if _REASON.match(text, end) or _ANNOUNCED.search(text[max(0, start - 4) : start]):
        return "："
    return "，"
