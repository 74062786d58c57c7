"""The example books, committed as `make demo` does, to plant mistakes in.

Built once in a run and copied for each test.
"""

from __future__ import annotations

import atexit
import json
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clew.kernel.faults import Fault
from clew.kernel.operations import Host, find
from clew.novel.chapter_operations import ChapterCommitRequest
from clew.novel.commit import commit
from clew.novel.ledger import Ledger
from clew.novel.lint.answer import Linted
from clew.novel.lint.model import Finding
from clew.novel.linting import lint
from clew.novel.start import init
from clew.testing.novel import Document, chapter, state_of, ticking_clock

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
ZH = "洪字十七号"
EN = "The Cancelled Leaf"
BASELINE = {ZH: {"overdue-foreshadow:F005"}, EN: {"overdue-foreshadow:F002"}}
"""What an editor would say of the books as they are."""


_SHELF = TemporaryDirectory(prefix="clew-lint-")
atexit.register(_SHELF.cleanup)


@cache
def _built(name: str) -> Path:
    root = Path(_SHELF.name) / name
    shutil.copytree(EXAMPLES / name, root)
    ledger = Ledger(root, clock=ticking_clock())
    init(ledger, json.loads((root / "事务" / "init.json").read_text(encoding="utf-8")), [])
    operation = find("chapter", "commit")
    assert operation is not None
    for path in sorted((root / "事务").glob("第*章.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        request = ChapterCommitRequest(
            project=str(root), chapter=document["chapter"], document=document
        )
        operation.run(Host(cwd=str(root), clock=ledger.clock), request)
    return root


def example(name: str, folder: Path) -> Ledger:
    """A committed example book of one's own."""
    root = folder / name
    shutil.copytree(_built(name), root)
    return Ledger(root, clock=ticking_clock())


def body_path(ledger: Ledger, number: int) -> Path:
    """The body of a chapter."""
    (path,) = Path(ledger.root, "正文").glob(f"第{number:03d}章*.md")
    return path


def add(ledger: Ledger, number: int, *paragraphs: str, top: bool = False) -> None:
    """Put paragraphs at the end of a body, or below its heading."""
    path = body_path(ledger, number)
    heading, _, rest = path.read_text(encoding="utf-8").partition("\n")
    parts = [heading, *paragraphs, rest.strip()] if top else [heading, rest.strip(), *paragraphs]
    path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")


def replace(ledger: Ledger, number: int, old: str, new: str, times: int = 1) -> None:
    """Replace a text of a body. Fails when it is not there often enough."""
    path = body_path(ledger, number)
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= times
    path.write_text(text.replace(old, new, times), encoding="utf-8")


def write_body(ledger: Ledger, number: int, *paragraphs: str, title: str = "续") -> None:
    """Write the body of a chapter."""
    text = "\n\n".join([f"# 第{number}章 {title}", *paragraphs]) + "\n"
    Path(ledger.root, "正文").mkdir(exist_ok=True)
    Path(ledger.root, "正文", f"第{number:03d}章_{title}.md").write_text(text, encoding="utf-8")


def tell(ledger: Ledger, number: int | None = None, **fields: Any) -> Document:
    """Commit the next chapter's transaction, or the revision of chapter `number`."""
    document = chapter(state_of(ledger), number, **fields)
    commit(ledger, document, [])
    return document


def retell(ledger: Ledger, change: Callable[[Document], None]) -> None:
    """Begin an example's ledger anew, every transaction as its author wrote it but for `change`."""
    root = Path(ledger.root)
    shutil.rmtree(root / "追踪")
    init(ledger, json.loads((root / "事务" / "init.json").read_text(encoding="utf-8")), [])
    for path in sorted((root / "事务").glob("第*章.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document)
        commit(ledger, document, [])


def linted(ledger: Ledger, *rules: str, **how: Any) -> Linted:
    """The answer of lint, which has nothing to note."""
    notes: list[Fault] = []
    answer = lint(ledger, notes, rules=rules, **how)
    assert not notes
    return answer


def found(ledger: Ledger, *rules: str) -> dict[str, Finding]:
    """Findings by key; without rules those of all but `body-newer`, which every edit calls up."""
    answer = linted(ledger, *rules)
    return {f.key: f for f in answer.findings if rules or f.rule != "body-newer"}


Plant = Callable[[Ledger], None]
