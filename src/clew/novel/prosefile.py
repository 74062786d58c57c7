"""A book's prose settings and external detectors: `正文/.clew-prose.toml` or `.story/prose.toml`.

May read these files and run a detector's command, the latter only when the folder is trusted
(`clew trust`): a book from elsewhere runs nothing. Source: the seed (`tool_unavailable`) and the
prose section of the design.

    strict = true                        # block —— and …… too
    off = ["meta-leak"]                  # rules not to run
    literals = ["TODO 酒馆"]             # texts that are meant as they stand
    [thresholds]
    repeat_sentence_times = 4
    [detectors.house-style]
    command = ["python3", "style.py"]    # gets the chapter's path, prints {"findings": [...]}
    timeout = 20                         # seconds
"""

from __future__ import annotations

import dataclasses
import subprocess
import tomllib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from clew.kernel.document import parse
from clew.kernel.errors import Missing, Refused
from clew.kernel.faults import Code, Fault, register
from clew.novel.book import read_text
from clew.novel.ledger import Ledger
from clew.novel.prose.check import check
from clew.novel.prose.model import Finding, Message, ProseConfig

FILES: Final = ("正文/.clew-prose.toml", ".story/prose.toml")
_TIMEOUT: Final = 20.0
_OUTPUT: Final = 4_000_000
_THRESHOLDS: Final = tuple(
    f.name for f in dataclasses.fields(ProseConfig) if f.name not in ("off", "literals", "strict")
)

Trusted = Callable[[str, tuple[str, ...]], bool]
"""Whether a folder, with the content of its naming files, may run what it names."""


class Detector(NamedTuple):
    """An external checker that a book names."""

    name: str
    command: tuple[str, ...]
    timeout: float


class Settings(NamedTuple):
    """What a book's prose file says."""

    config: ProseConfig
    detectors: tuple[Detector, ...]
    sources: tuple[str, ...]


class Judged(NamedTuple):
    """All findings on one body, and the detectors that could not give theirs."""

    findings: tuple[Finding, ...]
    tool_errors: tuple[str, ...]


def settings(ledger: Ledger) -> Settings:
    """Read the book's prose files; the second overrides the first. Raises `Refused` with every
    fault of a file that is not what it must be."""
    merged: dict[str, Any] = {}
    sources = []
    for path in FILES:
        try:
            data = read_text(ledger, path).data
        except Missing:
            continue
        try:
            merged |= tomllib.loads(data.decode("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise Refused(Fault("bad_prose_file", file=path, reason=str(error))) from None
        sources.append(path)
    return _parse(merged, tuple(sources))


def _parse(data: dict[str, Any], sources: tuple[str, ...]) -> Settings:
    file = sources[-1] if sources else FILES[0]
    faults: list[Fault] = []

    def wrong(key: str, expected: str) -> None:
        faults.append(Fault("bad_prose_file", file=file, reason=f"{key}: {expected}"))

    def texts(key: str) -> frozenset[str]:
        found = data.pop(key, [])
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            wrong(key, "a list of strings")
            return frozenset()
        return frozenset(found)

    def table(key: str) -> dict[str, Any]:
        found = data.pop(key, {})
        if not isinstance(found, dict):
            wrong(key, "a table")
            return {}
        return found

    off, literals = texts("off"), texts("literals")
    strict = data.pop("strict", False)
    if not isinstance(strict, bool):
        wrong("strict", "true | false")
    limits: dict[str, int] = {}
    for key, value in table("thresholds").items():
        if (
            key not in _THRESHOLDS
            or isinstance(value, bool)
            or not isinstance(value, int)
            or value < 1
        ):
            wrong(f"thresholds.{key}", f"one of {', '.join(_THRESHOLDS)}, a whole number >= 1")
        else:
            limits[key] = value
    detectors = []
    for name, entry in table("detectors").items():
        fields = dict(entry) if isinstance(entry, dict) else {}
        command, timeout = fields.pop("command", None), fields.pop("timeout", _TIMEOUT)
        for key in fields:
            wrong(f"detectors.{name}.{key}", "command | timeout")
        if (
            not isinstance(command, list)
            or not command
            or not all(isinstance(c, str) for c in command)
        ):
            wrong(f"detectors.{name}.command", "a list of strings")
        elif (
            isinstance(timeout, bool)
            or not isinstance(timeout, int | float)
            or not 0 < timeout <= 600
        ):
            wrong(f"detectors.{name}.timeout", "seconds, at most 600")
        else:
            detectors.append(Detector(name, tuple(command), float(timeout)))
    for key in data:
        wrong(key, "strict | off | literals | thresholds | detectors")
    if faults:
        raise Refused(*faults)
    return Settings(
        ProseConfig(off=off, literals=literals, strict=strict, **limits), tuple(detectors), sources
    )


def judge(ledger: Ledger, path: str, data: bytes, notes: list[Fault], trusted: Trusted) -> Judged:
    """Run the built-in rules and the book's own detectors over one body."""
    found = settings(ledger)
    findings = list(check(data.decode("utf-8", "replace"), config=found.config))
    broken = []
    if found.detectors and not trusted(ledger.root, found.sources):
        notes.append(Fault("detectors_untrusted", found=[d.name for d in found.detectors]))
    else:
        for detector in found.detectors:
            extra, error = _run(ledger, detector, path)
            findings += extra
            if error:
                broken.append(f"{detector.name}: {error}")
    return Judged(tuple(findings), tuple(broken))


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
        "bad_prose_file", 2,
        "{file} 的设置不对：{reason}",
        "{file} is not right: {reason}",
        about_zh="正文/.clew-prose.toml 或 .story/prose.toml 里有拼错的键或不对的值。",
        about_en="A misspelt key or a wrong value in 正文/.clew-prose.toml or .story/prose.toml.",
    ),
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
