"""The report of an import: as values for machines, and as a page for people.

Everything in it that came from a file is data: the page escapes it, runs no script and loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, Final, Literal

import msgspec

from clew.books.library import Library
from clew.books.targets import REPORT_KEY
from clew.kernel.faults import Fault

Outcome = Literal["taken", "updated", "skipped", "refused"]
IGNORED: Final = 500
"""Files that are no cards whose names are told; all of them are counted."""
LINES: Final = 20
"""Lines of one file that are told."""
_WORDS: Final = {
    "repaired": ("修好", "repaired"), "kept": ("保留", "kept"), "refused": ("拒绝", "refused"),
    "note": ("提示", "note"),
}  # fmt: skip
_OUTCOMES: Final = {
    "taken": ("已导入", "taken"), "updated": ("新版本", "new version"),
    "skipped": ("已有", "known"), "refused": ("拒绝", "refused"),
}  # fmt: skip


class Item(msgspec.Struct, kw_only=True):
    """One file, and what became of it."""

    file: str
    outcome: Outcome
    id: str = ""
    title: str = ""
    kind: str = ""
    lines: list[dict[str, Any]] = []
    """What was repaired, kept without being understood, or refused, each with `what`."""


class Imported(msgspec.Struct, kw_only=True):
    """What an import did."""

    status: str = "ok"
    library: str
    taken: int = 0
    updated: int = 0
    """Files that had changed and gave a new version."""
    skipped: int = 0
    """Files that are on the shelf already."""
    repaired: int = 0
    """Files of which something had to be repaired."""
    kept: int = 0
    """Files of which something was kept without being understood."""
    refused: int = 0
    ignored: int = 0
    """Files of a folder that are no cards and no lorebooks."""
    ignored_files: list[str] = []
    """Their names, as far as they are listed; `ignored` counts all of them."""
    ignored_why: list[dict[str, Any]] = []
    """Of those that look like a card and are none: what they were found to be."""
    dry_run: bool = False
    """Whether nothing was written: the counts are of what an import would do."""
    report: str = ""
    """Where the whole report was written."""
    items: list[Item] = []

    def pass_over(self, name: str, why: Fault | None = None, lang: str = "en") -> None:
        """Count a file that is nothing of ours, with what it was found to be."""
        self.ignored += 1
        if len(self.ignored_files) < IGNORED:
            self.ignored_files.append(name)
            if why is not None:
                self.ignored_why.append({"file": name, **why.to_dict(lang)})

    def add(self, item: Item) -> None:
        """Count a file and keep its line."""
        self.items.append(item)
        setattr(self, item.outcome, getattr(self, item.outcome) + 1)
        if item.outcome in ("taken", "updated"):
            words = {line["what"] for line in item.lines}
            self.repaired += "repaired" in words
            self.kept += "kept" in words


def lines_of(lines: Iterable[tuple[str, Fault]], lang: str) -> list[dict[str, Any]]:
    """Lines for machines, each with the word for what was done."""
    out: list[dict[str, Any]] = []
    for word, fault in lines:
        if len(out) == LINES:
            break
        out.append({"what": word, **fault.to_dict(lang)})
    return out


def write_report(
    path: str, report: Imported, lang: str, damage: Sequence[dict[str, Any]] = ()
) -> None:
    """Write the report to a file: HTML when its name ends so, else JSON. Replaces an older one.

    Raises `StorageFailed`; the import itself is done. Whether it may stand there is asked before the
    import (`clew.books.targets.allow_report`).
    """
    from clew.kernel.document import encode
    from clew.kernel.folder import FolderVault

    report.report = path
    if path.lower().endswith((".html", ".htm")):
        data = page(report, lang, damage).encode("utf-8", "backslashreplace")
    else:
        whole = {REPORT_KEY: "import"} | msgspec.to_builtins(report) | {"damage": list(damage)}
        data = encode(_readable(whole))
    folder, _, name = path.rpartition("/")
    FolderVault(folder or ".").write_loose(name, data)


def keep_report(
    library: Library, path: str, report: Imported, lang: str, damage: Sequence[dict[str, Any]] = ()
) -> None:
    """Write the report of an import that is done; where that fails there is a note, and the answer
    still tells what was imported."""
    from clew.books.targets import not_written
    from clew.kernel.errors import ClewError

    try:
        write_report(path, report, lang, damage)
    except ClewError as error:
        report.report = ""
        library.notes.append(not_written(path, error))


def _readable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _readable(item) for key, item in value.items()}
    return [_readable(item) for item in value] if isinstance(value, list) else value


def page(report: Imported, lang: str, damage: Sequence[dict[str, Any]] = ()) -> str:
    """The report as one HTML file without scripts, that loads nothing."""
    zh = lang == "zh"
    number = 0 if zh else 1
    heading = "导入报告" if zh else "Import report"
    counts = (
        ("已导入" if zh else "taken", report.taken),
        ("新版本" if zh else "new versions", report.updated),
        ("已有" if zh else "known", report.skipped),
        ("有修复" if zh else "with repairs", report.repaired),
        ("拒绝" if zh else "refused", report.refused),
        ("不是卡片" if zh else "no cards", report.ignored),
    )
    head = "".join(f"<li><b>{count}</b> {escape(word)}</li>" for word, count in counts)
    rows = []
    for item in report.items:
        told = "".join(
            f"<li><i>{escape(_WORDS.get(line['what'], ('', ''))[number])}</i> "
            f"{escape(_clean(line['message']))}</li>"
            for line in item.lines
        )
        rows.append(
            f'<tr class="{escape(item.outcome)}"><td>{escape(_OUTCOMES[item.outcome][number])}</td>'
            f"<td>{escape(_clean(item.file))}</td><td>{escape(_clean(item.title))}</td>"
            f"<td>{f'<ul>{told}</ul>' if told else ''}</td></tr>"
        )
    names = ("结果", "文件", "标题", "说明") if zh else ("outcome", "file", "title", "notes")
    return _PAGE.format(
        lang="zh-CN" if zh else "en", heading=escape(heading), counts=head,
        library=escape(_clean(report.library)),
        names="".join(f"<th>{escape(name)}</th>" for name in names), rows="\n".join(rows),
        damage=_damage(damage, zh=zh) + _passed_over(report, zh=zh),
    )  # fmt: skip


def _damage(found: Sequence[dict[str, Any]], *, zh: bool) -> str:
    if not found:
        return ""
    rows = "".join(f"<li>{escape(_clean(one['message']))}</li>" for one in found)
    return f"<h2>{'损坏' if zh else 'Damage'}</h2><ul>{rows}</ul>"


def _passed_over(report: Imported, *, zh: bool) -> str:
    """The files that are no cards, folded together: there may be many."""
    if not report.ignored:
        return ""
    why = {row["file"]: f" <i>{escape(_clean(row['message']))}</i>" for row in report.ignored_why}
    rows = "".join(
        f"<li>{escape(_clean(name))}{why.get(name, '')}</li>" for name in report.ignored_files
    )
    left = report.ignored - len(report.ignored_files)
    more = f"<p>{f'还有 {left} 个' if zh else f'and {left} more'}</p>" if left else ""
    head = (
        f"不是卡片的文件：{report.ignored}" if zh else f"Files that are no cards: {report.ignored}"
    )
    return f"<details><summary>{head}</summary><ul>{rows}</ul>{more}</details>"


def _clean(text: str) -> str:
    """Text that any file can hold: surrogates and control characters shown, not kept."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(c if c.isprintable() or c in " \n\t" else "\ufffd" for c in text)


_PAGE: Final = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="generator" content="clew import report">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{heading}</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem;
  color: #222; background: #fdfdfb; }}
h1 {{ font-size: 1.4rem; }}
.counts {{ display: flex; flex-wrap: wrap; gap: 1.5rem; list-style: none; padding: 0; }}
.counts b {{ font-size: 1.3rem; }}
table {{ border-collapse: collapse; width: 100%; }}
th, td {{ text-align: left; vertical-align: top; padding: .35rem .6rem; border-top: 1px solid #ddd;
  overflow-wrap: anywhere; }}
td ul {{ margin: 0; padding-left: 1.1rem; }}
.refused td:first-child {{ color: #a11; }}
.taken td:first-child, .updated td:first-child {{ color: #272; }}
.skipped {{ color: #777; }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #ddd; background: #1b1b1a; }} th, td {{ border-color: #444; }}
  .refused td:first-child {{ color: #f88; }}
  .taken td:first-child, .updated td:first-child {{ color: #8c8; }}
}}
</style>
</head>
<body>
<h1>{heading}</h1>
<p>{library}</p>
<ul class="counts">{counts}</ul>
<table>
<thead><tr>{names}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
{damage}
</body>
</html>
"""
