"""Text that is nearly JSON made strict: comments, single quotes, bare keys, the words of Python and
JavaScript, JSON5's numbers and escapes, commas too many.

One pass over the tokens. Nothing is run and nothing is guessed: a text that has something else in it
gives None. Pure. Rules: JSON5 1.0.0, and what Python's `repr` writes.
"""

from __future__ import annotations

import re
from typing import Final

from clew.kernel.faults import Both

_TOKEN: Final = re.compile(
    r"""(?P<space>[\s\ufeff\0]+)
      | (?P<comment>//[^\n\r]*+|/\*[\s\S]*?\*/|\#[^\n\r]*+)
      | (?P<double>"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+")
      | (?P<single>'[^'\\]*+(?:\\[\s\S][^'\\]*+)*+')
      | (?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|Infinity|NaN)(?![\w$]))
      | (?P<word>[^\W\d][\w$]*|\$[\w$]*)
      | (?P<mark>[\[\]{},:;])""",
    re.VERBOSE,
)
_STRICT_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z")
_WORDS: Final = {
    "true": "true", "false": "false", "null": "null", "True": "true", "False": "false",
    "None": "null", "undefined": "null",
}  # fmt: skip
_ESCAPE: Final = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|u\{([0-9a-fA-F]{1,6})\}|(\r\n|[\s\S]))"
)
_SIMPLE: Final = {
    '"': '\\"', "\\": "\\\\", "/": "/", "b": "\\b", "f": "\\f", "n": "\\n", "r": "\\r", "t": "\\t",
    "v": "\\u000b", "0": "\\u0000", "a": "\\u0007", "'": "'", "`": "`", "\n": "", "\r": "", "\r\n": "", "\u2028": "",
    "\u2029": "",
}  # fmt: skip
_PLAIN_ESCAPES: Final = re.compile(r'\\(?![\\"/bfnrtu])')
_SLIPS: Final = {
    "space": Both("JSON 不认的空白", "white space that JSON has not"),
    "comment": Both("注释", "comments"),
    "single": Both("单引号", "single quotes"),
    "escape": Both("JSON 没有的转义", "escapes that JSON has not"),
    "key": Both("没有引号的键", "keys without quotes"),
    "word": Both("None、True 之类的词", "words such as None and True"),
    "number": Both("JSON 没有的数字写法", "numbers that JSON has not"),
    "comma": Both("多余的逗号", "commas too many"),
}
_LEADING: Final = re.compile(
    r"""(?:\s+|//[^\n]*+\n|/\*[\s\S]*?\*/|```[\w-]*\s*?\n
      |(?:export\s+default|module\.exports\s*=|(?:const|let|var)\s+[\w$]+\s*=)\s)*""",
    re.VERBOSE,
)


def opened(text: str) -> str:
    """A text from its first brace or bracket on, where only comments, a fence of Markdown or the
    assignment of a script stand before it; else as it is."""
    found = _LEADING.match(text)
    rest = text[found.end() :] if found is not None else text
    return rest if found is not None and found.end() and rest[:1] in ("{", "[") else text


def strict(text: str) -> tuple[str, Both] | None:
    """The text as JSON, up to the end of its first value, and what had to be mended; None where it
    is something else."""
    out: list[str] = []
    slips: dict[str, None] = {}
    depth = at = 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at = token.end()
        kind, said = token.lastgroup, token[0]
        if kind == "space":
            if said.strip(" \t\r\n"):
                slips["space"] = None
            continue
        if kind == "comment":
            slips["comment"] = None
            continue
        if kind == "mark":
            if said == ";":
                return None
            if said in "]}" and out and out[-1] == ",":
                slips["comma"] = None
                out.pop()
            depth += (said in "[{") - (said in "]}")
            out.append(said)
        elif kind in ("double", "single"):
            out.append(_string(said, slips))
        elif kind == "number":
            out.append(_number(said, slips))
        else:
            word = _word(said, text, at, slips)
            if word is None:
                return None
            out.append(word)
        if depth == 0:
            break
    if depth or not out or not slips:
        return None
    named = [_SLIPS[slip] for slip in slips]
    zh, en = "、".join(one.zh for one in named), ", ".join(one.en for one in named)
    return " ".join(out) + text[at:], Both(f"不是严格的 JSON：{zh}", f"not strict JSON: {en}")


def _string(said: str, slips: dict[str, None]) -> str:
    if said[0] == "'":
        slips["single"] = None
    elif not _PLAIN_ESCAPES.search(said):
        return said
    else:
        slips["escape"] = None
    inner = _ESCAPE.sub(_escape, said[1:-1])
    if said[0] == "'":
        inner = re.sub(r'(\\.)|"', lambda one: one[1] or '\\"', inner)
    return f'"{inner}"'


def _escape(found: re.Match[str]) -> str:
    code = found[1] or found[2] or found[3]
    if code is not None:
        number = int(code, 16)
        if number > 0x10FFFF:
            return "\ufffd"
        if number < 0x20 or number in (0x22, 0x5C) or 0xD800 <= number <= 0xDFFF:
            return f"\\u{number:04x}"
        return chr(number)
    if found[4] is None:
        return found[0]
    # A backslash that escapes nothing was meant as one: `C:\Users`.
    return _SIMPLE.get(found[4], f"\\\\{found[4]}")


def _number(said: str, slips: dict[str, None]) -> str:
    if _STRICT_NUMBER.match(said):
        return said
    if said.endswith(("NaN", "Infinity")):
        return said.lstrip("+") if said != "-NaN" else "NaN"  # told as what it is by the parser
    slips["number"] = None
    sign = "-" if said[0] == "-" else ""
    bare = said.lstrip("+-")
    if bare[:2].lower() == "0x":
        return f"{sign}{int(bare[2:40], 16)}"
    whole, power, exponent = bare.partition("e") if "e" in bare else bare.partition("E")
    left, dot, right = whole.partition(".")
    left = left.lstrip("0") or "0"
    return f"{sign}{left}{f'.{right}' if dot and right else ''}{power}{exponent}"


def _word(said: str, text: str, at: int, slips: dict[str, None]) -> str | None:
    """A bare word: a key, or one of the constants."""
    follows = re.compile(r"\s*+:").match(text, at)
    if follows is not None:
        slips["key"] = None
        return f'"{said}"'
    if said in _WORDS:
        if said not in ("true", "false", "null"):
            slips["word"] = None
        return _WORDS[said]
    return None
