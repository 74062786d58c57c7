"""Showing an answer: one JSON line for machines, a rendering for people; notes to stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import msgspec

from clew.faces import config
from clew.faces.cli.guard import UnheardError
from clew.kernel.errors import ClewError, storage_failed
from clew.kernel.faults import TURNING, Fault

_WRITTEN: Final = ("publish_incomplete", "agent_half_done")
"""Refusals that come after the commit point."""
_NARROW: Final = 20
_WIDTH: Final = 80
_STEERING: Final = re.compile(r"\x1b(?!\[[0-9;]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
"""What reaches a terminal from nobody: of escapes rich makes its own colours."""
_UNSEEN: Final = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160), *TURNING), "\ufffd")
"""What a text itself may not hold: its own colours would hide it, or forge our marks."""
Rendering = Callable[[Any, str], Any]
"""Makes something that rich can print from an answer and a language."""


def emit(answer: Any) -> None:
    """Write an answer as one line of JSON: UTF-8 bytes whatever the console's code page is."""
    try:
        data = msgspec.json.encode(answer)
    except UnicodeEncodeError:
        # A path that is no text was typed (any bytes may be a file name): shown, not a failure.
        data = msgspec.json.encode(_shown(_built(answer)))
    _write(data + b"\n")


def _built(answer: Any) -> Any:
    """An answer as plain values; JSON that it holds as it is to be written (`msgspec.Raw`) stays."""
    return msgspec.to_builtins(answer, builtin_types=(msgspec.Raw,))


def raw(answer: Any) -> str | None:
    """The text that an answer is asked to be instead of itself (`--out -`); None for any other."""
    found = getattr(answer, "raw", None)
    return found() if found is not None else None


def pour(text: str) -> None:
    """Write a text as it is: UTF-8 bytes whatever the console's code page is."""
    _write(text.encode("utf-8", "backslashreplace"))


def _write(data: bytes) -> None:
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except (OSError, AttributeError, ValueError) as error:  # full, or closed before we started
        raise UnheardError(str(error)) from error


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if isinstance(value, dict):
        return {_shown(key): _shown(item) for key, item in value.items()}
    return value


def complain(text: str) -> None:
    """Write to stderr, whatever is in it."""
    sys.stderr.write(_shown(text))


def show(
    answer: Any, notes: Sequence[Fault], lang: str, *, machine: bool, rendering: Rendering | None
) -> None:
    """Print an answer and its notes."""
    if machine or rendering is None:
        plain = _built(answer)
        if notes:
            plain["notes"] = [note.to_dict(lang) for note in notes]
        emit(plain)
    else:
        shown = rendering(answer, lang)
        # Nothing is cut off at the terminal's edge; a text that asks not to be wrapped stays whole.
        whole = getattr(shown, "no_wrap", None) is True
        _console(sys.stdout).print(_Plain(shown), crop=False, soft_wrap=whole)
    tell(notes, lang)


def drawn(answer: Any, lang: str, rendering: Rendering | None) -> str:
    """An answer as a terminal of the usual width shows it, without colours."""
    import io

    from rich.console import Console

    out = io.StringIO()
    if rendering is not None:
        console = Console(file=out, no_color=True, highlight=False, width=_WIDTH)
        console.print(_Plain(rendering(answer, lang)), crop=False)
    return out.getvalue().rstrip("\n")


def told(shown: Any) -> None:
    """Print a rendering to stderr, for a question that follows it."""
    _console(sys.stderr).print(_Plain(shown))


def tell(notes: Sequence[Fault], lang: str) -> None:
    """Notes go to stderr: what was tolerated, repaired or set aside."""
    for note in notes:
        complain(f"{'提示' if lang == 'zh' else 'note'}: {note.message(lang)}\n")
        hint = note.hint(lang)
        if hint:
            complain(f"  → {hint}\n")


def refuse(
    error: ClewError, notes: Sequence[Fault], lang: str, *, machine: bool, writes: bool = False
) -> int:
    """Print a refusal with every fault; returns the exit code."""
    if machine:
        plain = error.to_dict(lang)
        if notes:
            plain["notes"] = [note.to_dict(lang) for note in notes]
        emit(plain)
    else:
        _console(sys.stderr).print(_Plain(faults(error.faults, lang, writes=writes)))
    tell(notes, lang)
    return error.exit_code


def family(error: Exception) -> ClewError:
    """An error of the operating system that nobody turned into ours is turned here."""
    if isinstance(error, OSError):
        return storage_failed(error, str(error.filename or ""))
    assert isinstance(error, ClewError)
    return error


def faults(found: Sequence[Fault], lang: str, *, writes: bool) -> Any:
    """Every fault with its place and its next step, as a person reads them."""
    from rich.console import Group
    from rich.text import Text

    zh = lang == "zh"
    count = len(found)
    head = f"{count} 处问题" if zh else f"{count} fault{'s' * (count > 1)}"
    if writes and found[0].code not in _WRITTEN:
        head = f"未写入任何东西：{head}" if zh else f"nothing was written: {head}"
    rows = [Text(head, style="bold red")]
    for number, fault in enumerate(found, 1):
        line = Text()
        line.append(f"{number:>3}. ", style="dim")
        line.append(fault.message(lang))
        line.append(f"  [{fault.code}]", style="dim")
        rows.append(line)
        hint = fault.hint(lang)
        if hint:
            rows.append(Text(f"     → {hint}", style="cyan"))
    return Group(*rows)


class _Plain:
    """A rendering whose texts only show: it is looked at before rich puts its own escapes around
    them, which are all that may pass."""

    def __init__(self, shown: Any) -> None:
        self._shown = shown

    def __rich_console__(self, console: Any, options: Any) -> Iterator[Any]:
        from rich.segment import Segment

        for segment in console.render(self._shown, options):
            if not segment.control:
                yield Segment(segment.text.translate(_UNSEEN), segment.style)

    def __rich_measure__(self, console: Any, options: Any) -> Any:
        from rich.measure import Measurement

        return Measurement.get(console, options, self._shown)


class _Shown:
    """A terminal that texts of a book cannot steer: only the escapes that rich makes pass."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return int(self._stream.write(_STEERING.sub("\ufffd", text)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _console(stream: Any) -> Any:
    from rich.console import Console

    shown: Any = _Shown(stream)
    console = Console(file=shown, no_color=not config.colour(stream), highlight=False)
    if console.width < _NARROW:  # a terminal that does not tell its size
        console.width = _WIDTH
    return console
