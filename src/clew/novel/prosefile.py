"""A book's prose settings and external detectors: `正文/.clew-prose.toml` or `.story/prose.toml`.

May read these files and run a detector's command, the latter only when the folder is trusted
(`clew trust`): a book from elsewhere runs nothing. Source: the seed (`tool_unavailable`) and the
prose section of the design. What the keys mean and may hold is `prose.settings`.

    strict = true                        # block —— and …… too
    off = ["meta-leak"]                  # rules not to run
    literals = ["TODO 酒馆"]             # texts that are meant as they stand
    curly_quotes = true                  # --fix-punctuation also sets straight quotation marks
    [thresholds]
    repeat_sentence_times = 4
    "trailer-ending.chars" = 400         # or: [thresholds.trailer-ending] chars = 400
    [detectors.house-style]
    command = ["python3", "style.py"]    # gets the chapter's path, prints {"findings": [...]}
    timeout = 20                         # seconds

`.deslop-whitelist` in the book's folder holds literals too, one a line, `#` begins a comment.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from clew.kernel.document import parse
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Code, Fault, register
from clew.novel import tomltext
from clew.novel.book import read_text
from clew.novel.ledger import Ledger
from clew.novel.prose import settings as prose_settings
from clew.novel.prose.check import check
from clew.novel.prose.model import Finding, Message, ProseConfig
from clew.novel.prose.outline_copy import check_against
from clew.novel.prose.settings import Detector as Detector
from clew.novel.tomltext import TomlError

FILES: Final = ("正文/.clew-prose.toml", ".story/prose.toml")
WHITELIST: Final = ".deslop-whitelist"
_OUTPUT: Final = 4_000_000

Trusted = Callable[[str, tuple[str, ...]], bool]
"""Whether a folder, with the content of its naming files, may run what it names."""


class Settings(NamedTuple):
    """What a book's prose files say, and which of them there are."""

    config: ProseConfig
    detectors: tuple[Detector, ...]
    sources: tuple[str, ...]
    curly_quotes: bool = False
    contents: tuple[bytes, ...] = ()
    """The bytes of `sources`, as they were read."""


class Judged(NamedTuple):
    """All findings on one body, and the detectors that could not give theirs."""

    findings: tuple[Finding, ...]
    tool_errors: tuple[str, ...]


def settings(ledger: Ledger) -> Settings:
    """Read the book's prose files; the second overrides the first. Raises `Refused` with every
    fault of a file that is not what it must be."""
    merged: dict[str, Any] = {}
    origin: dict[str, str] = {}
    found = {path: data for path in FILES if (data := _read(ledger, path)) is not None}
    for path, data in found.items():
        try:
            given = tomltext.loads(data.decode("utf-8-sig"))
        except TomlError as error:
            raise Refused(Fault("bad_prose_file", file=path, reason=error.reason)) from None
        except UnicodeDecodeError as error:
            raise Refused(Fault("bad_prose_file", file=path, reason=str(error))) from None
        merged |= given
        origin |= dict.fromkeys(given, path)
    extra, faults = _whitelist(ledger)
    listed = merged.get("literals", [])
    if isinstance(listed, list):
        merged |= {"literals": [*listed, *extra]}
        origin.setdefault("literals", WHITELIST)
    parsed = prose_settings.parse(merged, origin)
    if faults or parsed.faults:
        raise Refused(*parsed.faults, *faults)
    return Settings(
        parsed.config, parsed.detectors, tuple(found), parsed.curly_quotes, tuple(found.values())
    )


def _read(ledger: Ledger, path: str) -> bytes | None:
    try:
        return read_text(ledger, path).data
    except Missing:
        return None


def _whitelist(ledger: Ledger) -> tuple[list[str], list[Fault]]:
    """The literals of the whitelist file, one a line."""
    try:
        text = (_read(ledger, WHITELIST) or b"").decode("utf-8-sig")
    except ValueError as error:
        return [], [Fault("bad_prose_file", file=WHITELIST, reason=str(error))]
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")], []


def judge(
    ledger: Ledger,
    path: str,
    data: bytes,
    notes: list[Fault],
    trusted: Trusted,
    *,
    outline: bytes = b"",
) -> Judged:
    """Run the built-in rules and the book's own detectors over one body; `outline` is what it is
    held against. Findings come in the order of the text, those of the detectors after them."""
    found = settings(ledger)
    text = data.decode("utf-8", "replace")
    copied = check_against(text, outline.decode("utf-8", "replace"), config=found.config)
    findings = [*check(text, config=found.config), *copied]
    findings.sort(key=lambda finding: (finding.line, finding.column, finding.rule))
    broken = []
    if found.detectors and not _may_run(ledger, found, trusted):
        notes.append(Fault("detectors_untrusted", found=[d.name for d in found.detectors]))
    else:
        for detector in found.detectors:
            extra, error = _run(ledger, detector, path)
            findings += (finding for finding in extra if finding.rule not in found.config.off)
            if error:
                broken.append(f"{detector.name}: {error}")
    return Judged(tuple(findings), tuple(broken))


def _may_run(ledger: Ledger, found: Settings, trusted: Trusted) -> bool:
    """Whether the folder is trusted as it was read: the files are compared again after the answer,
    so that what runs is what was judged."""
    if not trusted(ledger.root, found.sources):
        return False
    return tuple(_read(ledger, path) for path in found.sources) == found.contents


def _run(ledger: Ledger, detector: Detector, path: str) -> tuple[list[Finding], str]:
    """One detector's findings, or why there are none: never taken for "no findings"."""
    try:
        done = subprocess.run(
            [*detector.command, ledger.vault.real(path)],
            cwd=ledger.root, capture_output=True, timeout=detector.timeout, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        return [], f"{detector.command[0]} not found"
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return [], f"{type(error).__name__}"
    if done.returncode not in (0, 1) or len(done.stdout) > _OUTPUT:
        return [], f"exit {done.returncode}"
    try:
        value, _ = parse(done.stdout, detector.name, limit=_OUTPUT)
        return [_finding(detector.name, row) for row in value["findings"]], ""
    except (Refused, TypeError, KeyError, AttributeError):
        return [], 'output is not {"findings": [...]}'


def _finding(name: str, row: dict[str, Any]) -> Finding:
    message = str(row["message"])[:300]
    line, column = row.get("line", 1), row.get("column", 1)
    if not all(isinstance(n, int) and 0 <= n < 1 << 31 for n in (line, column)):
        raise TypeError("a position is two whole numbers")
    return Finding(
        rule=f"{name}/{str(row.get('type', 'finding'))[:60]}",
        severity="blocking" if row.get("severity") == "blocking" else "advisory",
        review="mechanical" if row.get("review") == "mechanical" else "semantic",
        message=Message(message, message),
        line=line,
        column=column,
        excerpt=str(row.get("excerpt", ""))[:60],
    )


register(
    Code(
        "detectors_untrusted", 0,
        "没有运行这本书自带的检测器 {found}：文件夹未被信任",
        "the book's own detectors {found} were not run: the folder is not trusted",
        "看过它们的命令之后运行 clew trust 书目录。",
        "Look at their commands, then run `clew trust DIR`.",
        about_zh="从别处得来的文件夹在 clew trust 之前不会运行任何命令。",
        about_en="A folder from elsewhere runs nothing before `clew trust`.",
    ),
    Code(
        "tool_unavailable", 3,
        "检测工具不可用：{found}",
        "a detector is not available: {found}",
        "这不是正文的问题：装好或修好检测器，或从 prose 设置里去掉它。",
        "This is no fault of the text: install or mend the detector, or take it out of the settings.",
        about_zh="检测器缺失、超时或输出不对时，绝不当作「没有问题」。",
        about_en="A detector that is missing, too slow or unreadable is never taken for “no findings”.",
    ),
)  # fmt: skip
