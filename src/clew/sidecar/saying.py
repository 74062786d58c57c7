"""How an answer of a sidecar command looks: one line of JSON for machines, lines for people.

Pure. Standard library only, Python 3.9: the command line of the package and every bundle print what
this gives. Nothing that stands in a state can steer a terminal.
"""

from __future__ import annotations

import json

from clew.sidecar.engine_words import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Word = dict[str, Any]

PROGRAM = "clew sidecar"
_WIDE = 160


class Reply:
    """What a command says. `answer` is the JSON object (or `text`, where a bare value was asked
    for, or neither), `told` goes to stderr, `exit` is the exit code."""

    __slots__ = ("answer", "exit", "text", "told")

    def __init__(
        self,
        answer: dict[str, Any] | None = None,
        *,
        text: str | None = None,
        told: list[Word] | None = None,
        exit: int = 0,
    ) -> None:
        self.answer = answer
        self.text = text
        self.told = told if told is not None else []
        self.exit = exit


def said(item: Word, lang: str, program: str = PROGRAM) -> dict[str, Any]:
    """A word in one language: its code and facts, `message`, and `hint` where there is one. Hints
    call the next step as `program`; nothing else is touched, facts are somebody's data."""
    out = {
        name: fact
        for name, fact in item.items()
        if name not in ("zh", "en") and not name.endswith(("_zh", "_en"))
    }
    out["message"] = item[lang]
    if item.get(f"hint_{lang}"):
        out["hint"] = item[f"hint_{lang}"].replace(PROGRAM, program)
    return out


def finished(reply: Reply, lang: str, program: str = PROGRAM) -> dict[str, Any] | None:
    """The JSON object of a reply. A refusal has the shape that every face of clew gives one."""
    answer = reply.answer
    if answer is None or answer.get("status") != "error":
        return answer
    faults = [said(problem, lang, program) for problem in answer["faults"]]
    return {
        "status": "error",
        "error_code": faults[0]["code"],
        "message": faults[0]["message"],
        "faults": faults,
    }


def printed(
    reply: Reply, lang: str, *, machine: bool, program: str = PROGRAM, terminal: bool = False
) -> tuple[str, str]:
    """The texts for stdout and for stderr. `program` is how a next step is called; `terminal`:
    bare values are shown to a person."""
    out, err = reply.text or "", ""
    if terminal:
        out = "".join(char if char == "\n" or is_calm(char) else "\ufffd" for char in out)
    answer = finished(reply, lang, program)
    if answer is not None and machine:
        out += json.dumps(answer, ensure_ascii=False, separators=(",", ":")) + "\n"
    elif answer is not None and answer["status"] == "error":
        err += _sentences(answer["faults"], "")
    elif answer is not None:
        out += _for_people(answer)
    notes = [said(note, lang, program) for note in reply.told]
    err += _sentences(notes, "提示：" if lang == "zh" else "note: ")
    return out, err


def is_calm(char: str) -> bool:
    """Whether a character leaves a terminal as it is: no control, no change of the direction."""
    code = ord(char)
    return (
        code >= 0x20 and not 0x7F <= code < 0xA0
        and not 0x202A <= code <= 0x202E and not 0x2066 <= code <= 0x2069
        and not 0xD800 <= code < 0xE000
    )  # fmt: skip


def _sentences(words: list[dict[str, Any]], head: str) -> str:
    lines = []
    for item in words:
        lines.append(f"{head}{plain(item['message'], 2_000)}\n")
        if item.get("hint"):
            lines.append(f"  → {item['hint']}\n")
    return "".join(lines)


def _for_people(answer: dict[str, Any]) -> str:
    lines = []
    for name, value in answer.items():
        if name in ("state", "changed") and isinstance(value, dict):
            lines += [
                f"{name}:",
                *(f"  {plain(key)}  {_short(item)}" for key, item in value.items()),
            ]
        elif name == "guards" and isinstance(value, dict):
            lines.append("guards:")
            for guard, seen in value.items():
                mark = "●" if seen["open"] else "○"
                lines.append(f"  {mark} {plain(guard)}  {plain(seen['message'], _WIDE)}")
        elif name not in ("notes", "mended"):  # those are on stderr
            lines.append(f"{name}: {_short(value)}")
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return plain(text, _WIDE)
