"""The layer of expression: verbatim samples of speech, read before speaking.

`voice.md` is for people: each block quote is one sample, kept to the letter; a line `— …` below it
says where it was said; everything else is a note. A file without a block quote has a sample in each
paragraph that is no heading. Which samples are read changes with the civil date, so that all of them
have their turn. Rules: persona seed section 1; docs/persona.md.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from clew.kernel.errors import Refused
from clew.kernel.faults import Fault
from clew.kernel.text import byte_length, clean, has_surrogate
from clew.persona.decoding import text_of
from clew.persona.home import Home
from clew.persona.model import VOICE

SAMPLE_BYTES: Final = 4000


class Sample(NamedTuple):
    """Something that was really said."""

    text: str
    source: str = ""


def parse(text: str) -> list[Sample]:
    """The samples of a `voice.md`, in their order."""
    out: list[Sample] = []
    quote: list[str] = []
    lines = text.split("\n")
    for number, line in enumerate([*lines, ""]):
        if line.startswith(">"):
            quote.append(line[1:].removeprefix(" "))
            continue
        if quote:
            if source := re.match(r"\s*(?:—+|--)\s*(\S.*)", line):
                out.append(Sample("\n".join(quote), source[1].strip()))
            elif number < len(lines) or any(quote):
                out.append(Sample("\n".join(quote)))
            quote = []
    found = [one for one in out if one.text.strip()]
    quoted = re.search(r"^>", text, re.MULTILINE)
    return found if quoted else _paragraphs(text)


def _paragraphs(text: str) -> list[Sample]:
    shown = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    parts = (part.strip("\n") for part in re.split(r"\n\s*\n", shown))
    return [Sample(part) for part in parts if part.strip() and not part.lstrip().startswith("#")]


def render(sample: Sample) -> str:
    """A sample as it stands in `voice.md`."""
    quoted = "\n".join(f"> {line}".rstrip(" ") if not line else f"> {line}"
                       for line in sample.text.split("\n"))  # fmt: skip
    return f"{quoted}\n— {sample.source}\n" if sample.source else f"{quoted}\n"


def add(home: Home, text: str, *, source: str = "") -> Sample:
    """Add a sample at the end of `voice.md`. Raises `Refused` (`entry_text`, `text_too_long`)."""
    body = text.replace("\r\n", "\n").strip("\n")
    if not body.strip():
        raise Refused(Fault("empty_text", "$.what"))
    if has_surrogate(body) or has_surrogate(source):
        raise Refused(Fault("bad_text", "$.what"))
    if (size := byte_length(body)) > SAMPLE_BYTES:
        raise Refused(Fault("too_large", "$.what", file=VOICE, found=size, limit=SAMPLE_BYTES))
    sample = Sample(body, clean(source))
    with home.change() as change:
        before = change.read(VOICE) or b""
        gap = b"" if not before else b"\n" if before.endswith(b"\n") else b"\n\n"
        change.write(VOICE, before + gap + render(sample).encode())
        change.event("voice", bytes=size, source=sample.source)
    return sample


def read(home: Home) -> list[Sample]:
    """The samples of a home."""
    return parse(text_of(home.read(VOICE), VOICE))


def of_day(samples: Sequence[Sample], date: str, count: int, seed: str) -> list[Sample]:
    """The samples to read on a civil date, in the order of the file."""
    if len(samples) <= count:
        return list(samples)

    def place(number: int) -> bytes:
        return hashlib.sha256(f"voice|{seed}|{date}|{number}".encode()).digest()

    chosen = sorted(range(len(samples)), key=place)[:count]
    return [samples[number] for number in sorted(chosen)]
