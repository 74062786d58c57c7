"""`设定/别名.toml`: what people are called in the text, by the ledger's name for them.

    ["别名"]
    "江晨" = ["小江", "江三爷"]

The author's own file, read and never written. A table `别名` or `aliases`, or no table at all; one
other name or a list of them. TOML wants quotes around a key that is not ASCII: where they are missing
the file is understood all the same and the fault says which lines want them. What cannot be
understood costs a note, never the command.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from clew.kernel.errors import ClewError
from clew.kernel.faults import Both, Fault
from clew.kernel.text import clean, nfc
from clew.novel import book, tomltext
from clew.novel.ledger import Ledger
from clew.novel.tomltext import TomlError

PATH: Final = "设定/别名.toml"
TABLES: Final = ("别名", "aliases")
NAMES: Final = 3_000
"""So many other names are read: each is looked for in every text."""
_NOT_BARE: Final = frozenset("\"'#=[]{},")
_HINTS: Final = (
    (re.compile("[“”„]"), Both('引号要用英文的 "', 'quotation marks must be plain "')),
    (re.compile("，|、"), Both("逗号要用英文的 ,", "commas must be plain ,")),
    (re.compile("［|］|【|】"), Both("方括号要用英文的 [ ]", "brackets must be plain [ ]")),
    (re.compile("＝"), Both("等号要用英文的 =", "the equals sign must be plain =")),
)


class Aliases(NamedTuple):
    """What the file says, as far as it can be understood."""

    called: dict[str, tuple[str, ...]]
    """By the ledger's name: what else the person is called."""
    faults: list[Fault]


def read(ledger: Ledger) -> Aliases:
    """The aliases of a book; none where there is no such file. Raises nothing."""
    try:
        if ledger.vault.files.stat(ledger.vault.real(PATH)) is None:
            return Aliases({}, [])
        data = book.read_text(ledger, PATH).data
    except ClewError as error:
        return Aliases({}, list(error.faults))
    except OSError as error:
        return Aliases({}, [Fault("aliases_unreadable", file=PATH, line=0, reason=str(error))])
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        reason = Both("这一行不是 UTF-8", "this line is not UTF-8")
        return Aliases({}, [Fault("aliases_unreadable", file=PATH, line=line, reason=reason)])


def parse(text: str) -> Aliases:
    """The aliases of a text, and every fault of it."""
    quoted, faults = _quoted(text.replace("\r\n", "\n").replace("\r", "\n"))
    try:
        document = tomltext.loads(quoted)
    except TomlError as error:
        return Aliases({}, [*faults, _unreadable(quoted, error)])
    called: dict[str, dict[str, None]] = {}
    left = NAMES
    wrong: list[str] = []
    tables = [document[name] for name in TABLES if name in document] or [document]
    for table in tables:
        if not isinstance(table, Mapping):
            wrong.append(next(name for name in TABLES if name in document))
            continue
        for name, value in table.items():
            others = _others(value)
            if others is None or not clean(name):
                wrong.append(name)
            else:
                known = called.setdefault(nfc(clean(name)), {})
                known |= dict.fromkeys(others[: max(0, left)])
                left -= len(others)
    faults += _no_names(quoted, wrong)
    if left < 0:
        faults.append(Fault("aliases_too_many", file=PATH, limit=NAMES))
    return Aliases({name: tuple(others) for name, others in called.items()}, faults)


def _quoted(text: str) -> tuple[str, list[Fault]]:
    """The text with quotes around the keys that want them, and the faults of those that lacked them.

    Lines are looked at one by one, so what goes on over several lines is left as it is.
    """
    lines: list[str] = []
    faults: list[Fault] = []
    for number, line in enumerate(text.split("\n"), 1):
        indent = line[: len(line) - len(line.lstrip())]
        plain, _, remark = line.strip().partition("#")
        before, equals, after = line.strip().partition("=")
        table = plain.startswith("[") and plain.rstrip().endswith("]")
        key = plain.strip()[1:-1].strip() if table else before.strip() if equals else ""
        if key.isascii() or not _NOT_BARE.isdisjoint(key):
            lines.append(line)
            continue
        right = f'["{key}"]' if table else f'"{key}"{before[len(before.rstrip()) :]}={after}'
        faults.append(Fault("aliases_bare_key", file=PATH, line=number, found=key, allowed=right))
        lines.append(indent + right + (f" #{remark}" if table and remark else ""))
    return "\n".join(lines), faults


def _others(value: Any) -> list[str] | None:
    """The names of one entry; None when it holds anything else."""
    others = [value] if isinstance(value, str) else value
    if not isinstance(others, list) or not all(isinstance(other, str) for other in others):
        return None
    return [nfc(clean(other)) for other in others if clean(other)]


def _unreadable(text: str, error: TomlError) -> Fault:
    lines = text.split("\n")
    line = lines[error.line - 1] if error.line <= len(lines) else ""
    known = [both for pattern, both in _HINTS if error.syntax and pattern.search(line)]
    reason = Both(
        "；".join(both.zh for both in known or [error.reason]),
        "; ".join(both.en for both in known or [error.reason]),
    )
    return Fault("aliases_unreadable", file=PATH, line=error.line, reason=reason)


def _no_names(text: str, names: list[str]) -> list[Fault]:
    """Entries that hold no names. The parser does not say where they stood."""
    at: dict[str, int] = {}
    for number, line in enumerate(text.split("\n") if names else (), 1):
        key = line.partition("=")[0].strip().strip("[]").strip().strip("\"'")
        at.setdefault(key, number)
    return [
        Fault("aliases_no_names", file=PATH, line=at.get(name, 1), found=name) for name in names
    ]
