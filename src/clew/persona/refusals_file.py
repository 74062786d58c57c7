"""Writing into `refusals.toml`, which people edit: an entry is put behind what is there, and not a byte of
theirs changes. Rules: persona seed section 1.
"""

from __future__ import annotations

import json
from typing import Final

from clew.kernel.errors import Refused
from clew.kernel.faults import Code, Fault, register
from clew.persona import refusals
from clew.persona.home import Home
from clew.persona.keeping import one_line
from clew.persona.model import REFUSALS
from clew.persona.refusals import Refusal

TEXT_BYTES: Final = 1200
PROBE_BYTES: Final = 2000


def add(home: Home, text: str, *, probe: str = "") -> Refusal:
    """Write down one more thing that it does not do, with the question that shows whether it still stands.

    Its id is the first free one of R1, R2, …; `since` is the persona's civil date. Raises `Refused`
    (`empty_text`, `bad_text`, `text_too_long`, `refusal_there`, `refusals_inline`, and every fault of the
    file), `Missing` (`persona_text_missing`).
    """
    words = one_line(text, "$.refusal", TEXT_BYTES)
    question = one_line(probe, "$.probe", PROBE_BYTES) if probe.strip() else ""
    with home.change() as change:
        before = change.read(REFUSALS)
        known = refusals.of_bytes(before)
        for one in known:
            if one.text == words:
                raise Refused(Fault("refusal_there", "$.refusal", found=one.id))
        taken = {one.id.casefold() for one in known}
        ident = next(f"R{n}" for n in range(1, len(known) + 2) if f"r{n}" not in taken)
        entry = _entry(ident, words, change.date, question)
        after = _behind(before or b"", entry)
        found, faults = refusals.parse(after)
        if faults:
            inline = any(fault.code == "persona_toml" for fault in faults)
            raise Refused(*([Fault("refusals_inline", file=REFUSALS)] if inline else faults))
        change.write(REFUSALS, after)
        change.event("refusal", refusal=ident, what="add")
    return found[-1]


def _entry(ident: str, text: str, since: str, probe: str) -> list[str]:
    lines = ["", "[[refusal]]", f'id = "{ident}"', f"text = {_quoted(text)}", f"since = {since}"]
    return [*lines, f"probe = {_quoted(probe)}"] if probe else lines


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's, but that DEL is a control character too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _behind(before: bytes, lines: list[str]) -> bytes:
    """The file with these lines at its end, in its own kind of line ends."""
    end = "\r\n" if b"\r\n" in before else "\n"
    start = before if before.endswith(b"\n") else before + end.encode()
    return start + "".join(f"{line}{end}" for line in lines).encode()


register(
    Code(
        "refusal_there", 2,
        "这一条已经有了：{found}",
        "this one is there already: {found}",
        "要改字句就改 refusals.toml 里的那一条。",
        "To change its words, edit that entry of refusals.toml.",
        about_zh="同一句话写两遍，轮换和磨损曲线会各算各的。",
        about_en="The same words twice would have two turns a round and two erosion curves.",
    ),
    Code(
        "refusals_inline", 2,
        "{file} 的条目写成了 refusal = [ … ]，后面接不上新的一条",
        "the entries of {file} are written as `refusal = [ … ]`; none can be put behind them",
        "改成每条一段 [[refusal]]，或把新的一条写进那对方括号里。",
        "Write each as a section [[refusal]], or put the new one between those brackets.",
        about_zh="clew 只在文件末尾追加，不改动人写的任何一个字节。",
        about_en="clew only adds at the file's end, and changes no byte that a person wrote.",
    ),
)  # fmt: skip
