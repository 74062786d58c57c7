"""What the files of an older persona are, by their names and contents, and what becomes of them. Pure.

Diaries by the date in their path, samples, refusals and identity by their names in Chinese or
English, transcripts by their ending. What is not recognised is left where it is and told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final, Literal

from clew.kernel.text import clean
from clew.persona.refusals import Refusal
from clew.persona.voice import Sample
from clew.persona.voice import parse as parse_voice

Role = Literal["identity", "voice", "refusals", "diary", "transcripts", "skip"]
ROLES: Final[tuple[Role, ...]] = (
    "identity", "voice", "refusals", "diary", "transcripts", "skip",
)  # fmt: skip
TEXTS: Final = (".md", ".markdown", ".txt")
_DATE: Final = re.compile(r"(?<!\d)((?:19|20)\d{2})[-_./年]?(\d{1,2})[-_./月]?(\d{1,2})日?(?!\d)")
_WORDS: Final[tuple[tuple[Role, re.Pattern[str]], ...]] = (
    ("refusals", re.compile(r"refus|boundar|(?<![a-z])limits|拒绝|不做|边界|底线", re.IGNORECASE)),
    ("voice", re.compile(r"voice|samples?(?![a-z])|语气|口吻|样本|原话|说话", re.IGNORECASE)),
    (
        "identity",
        re.compile(r"identity|(?<![a-z])soul(?![a-z])|persona|profile|身份|人设|设定|我是谁", re.IGNORECASE),
    ),
)  # fmt: skip
_TALK: Final = re.compile(
    r"(?<![a-z])(?:chat|conversation|dialogue|transcript)s?(?![a-z])|聊天|对话|会话", re.IGNORECASE
)
_BULLET: Final = re.compile(
    r"\s*(?:[-*+•·]|\d{1,3}[.、)）]|[（(]\d{1,3}[)）])\s*(?:\[[ xX]\]\s*)?(\S.*)"
)
_BODY: Final = re.compile(r"<!--.*?-->|^#[^\n]*$", re.DOTALL | re.MULTILINE)


def role_of(path: str) -> Role | None:
    """What a file is, by its path below the folder; None where it is not recognised."""
    name = path.rpartition("/")[2].casefold()
    if name.endswith(".jsonl"):
        return "transcripts"
    kind = "." + name.rpartition(".")[2]
    if kind not in (*TEXTS, ".toml", ".json"):
        return None
    if kind in TEXTS and _TALK.search(name):
        return "transcripts"
    if kind in TEXTS and date_of(path) is not None:
        return "diary"
    stem = name.rpartition(".")[0]
    for role, words in _WORDS:
        if words.search(stem) and (role == "refusals" or kind != ".toml"):
            return role if role != "identity" or kind in TEXTS else None
    return None


def date_of(path: str) -> str | None:
    """The civil date in a file's name, or in its name and the folders above it (`2025/03/04.md`)."""
    parts = path.rpartition(".")[0].split("/")
    for text in (parts[-1], "/".join(parts[-3:])):
        for found in _DATE.finditer(text):
            try:
                return date(int(found[1]), int(found[2]), int(found[3])).isoformat()
            except ValueError:
                continue
    return None


def mapping(lines: Iterable[str]) -> tuple[list[tuple[str, Role]], list[str]]:
    """The roles that somebody gave (`ROLE=PATH`), the longest path first, and what made no sense."""
    out: list[tuple[str, Role]] = []
    wrong: list[str] = []
    for line in lines:
        word, is_there, path = line.partition("=")
        role = next((one for one in ROLES if one == word.strip()), None)
        path = path.strip().strip("/")
        path = path.removeprefix("./")
        if role is None or not is_there or not path or ".." in path.split("/"):
            wrong.append(line)
        else:
            out.append((path, role))
    return sorted(out, key=lambda one: -len(one[0])), wrong


def given_role(path: str, given: Sequence[tuple[str, Role]]) -> Role | None:
    """The role that somebody gave to a file, or to a folder above it."""
    return next((role for p, role in given if path == p or path.startswith(f"{p}/")), None)


# ---- contents ---------------------------------------------------------------------------------------


def decode(data: bytes) -> tuple[str | None, str]:
    """A text in UTF-8, or in the older Chinese encoding; and in which. None: it is no text."""
    if b"\0" in data[:4096]:
        return None, ""
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding).replace("\r\n", "\n"), encoding
        except UnicodeDecodeError:
            continue
    return None, ""


def samples_in(text: str, name: str) -> list[Sample]:
    """Samples of speech in a file: block quotes, list items, else paragraphs; or strings of JSON."""
    source = name.rpartition("/")[2]
    if name.casefold().endswith(".json"):
        found = [Sample(one) for one in _strings(text)]
    elif re.search(r"^>", text, re.MULTILINE):
        found = parse_voice(text)
    else:
        items = entries_in(text)[0]
        found = [Sample(one.strip().strip('“”"「」')) for one in items] or parse_voice(text)
    return [Sample(one.text, one.source or source) for one in found if one.text.strip()]


def refusals_in(text: str, name: str) -> list[str]:
    """What somebody does not do, in a list of a file: items, else lines; or strings of JSON."""
    if name.casefold().endswith(".json"):
        return [clean(one) for one in _strings(text) if clean(one)]
    items = entries_in(text)[0]
    lines = [line for line in text.split("\n") if not line.lstrip().startswith("#")]
    return [clean(one) for one in items or lines if clean(one)]


def entries_in(text: str) -> tuple[list[str], int]:
    """The items of a list, each with everything that belongs to it: what is indented more than it, lines,
    paragraphs and items. And how many lines of a list belong to none of its items."""
    out: list[list[str]] = []
    outside = 0
    depth, open_ = 0, False
    for line in text.split("\n"):
        if not line.strip():
            continue
        inset = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        if line.lstrip().startswith("#"):
            open_ = False
        elif open_ and inset > depth:
            found = _BULLET.match(line)
            out[-1].append(found[1] if found else line.strip())
        elif found := _BULLET.match(line):
            out.append([found[1]])
            depth, open_ = inset, True
        else:
            open_ = False
            outside += 1
    return ["\n".join(one) for one in out], outside if out else 0


def _strings(text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return []
    return list(_strings_of(found, 0))


def _strings_of(value: Any, depth: int) -> Iterable[str]:
    if isinstance(value, str):
        yield value.encode("utf-8", "replace").decode("utf-8")
    elif isinstance(value, list) and depth < 4:
        for one in value:
            yield from _strings_of(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        keys = ("text", "content", "line", "refusal", "rule")
        told = [value[key] for key in keys if isinstance(value.get(key), str)]
        for one in told[:1] or [v for v in value.values() if isinstance(v, list)]:
            yield from _strings_of(one, depth + 1)


def is_blank(text: str) -> bool:
    """Whether an identity card says nothing yet: headings and comments only."""
    return not _BODY.sub("", text).strip()


def refusal_entries(texts: Sequence[str], known: Sequence[Refusal], since: str) -> str:
    """The TOML of refusals that are not known yet, with ids of their own."""
    taken = {one.id.casefold() for one in known}
    said = {one.text for one in known}
    out = []
    number = 1
    for text in dict.fromkeys(texts):
        if text in said:
            continue
        while f"r{number}" in taken:
            number += 1
        taken.add(f"r{number}")
        words = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
        out.append(f'\n[[refusal]]\nid = "R{number}"\ntext = {words}\nsince = {since}\n')
    return "".join(out)
