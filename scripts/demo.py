"""`make demo`: commits the example books chapter by chapter with the real commands, imports the example
cards into a library, and lets a week of the example persona pass.

Works on copies in demo/ (or the next free demo-N/), so that the examples stay as they are, and
ends with what to look at.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CLEW = [sys.executable, "-m", "clew.faces.cli.main"]
ZH = any(
    (os.environ.get(name) or "").lower().startswith("zh")
    for name in ("CLEW_LANG", "LC_ALL", "LANG")
)


def say(zh: str, en: str) -> None:
    print(zh if ZH else en, flush=True)


def clew(*arguments: str) -> dict[str, Any]:
    """Run one command; stop the demo with its own words when it refuses."""
    done = subprocess.run(
        [*CLEW, *arguments, "--json"], capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        sys.exit(f"clew {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return dict(json.loads(done.stdout))


def free_folder() -> Path:
    """demo/, or demo-2/ …: what somebody tried out in an earlier one is not ours to delete."""
    number = 1
    while (ROOT / f"demo{f'-{number}' if number > 1 else ''}").exists():
        number += 1
    return ROOT / f"demo{f'-{number}' if number > 1 else ''}"


def tell_book(source: Path, out: Path) -> Path:
    """Copy one example and commit it chapter by chapter."""
    book = out / source.name
    shutil.copytree(source, book)
    print(f"\n── {source.name} " + "─" * 40, flush=True)
    project = ("--project", str(book))
    clew("novel", "init", *project, "--input", str(book / "事务" / "init.json"))
    for transaction in sorted((book / "事务").glob("第*章.json")):
        document = json.loads(transaction.read_text(encoding="utf-8"))
        chapter = str(document["chapter"])
        checked = clew("chapter", "check", *project, "--chapter", chapter)
        done = clew(
            "chapter", "commit", *project, "--chapter", chapter, "--input", str(transaction)
        )
        length = checked["length"]
        actual, target, result = length["actual"], length["target"], document["delta"]["result"]
        revision = done["state_revision"]
        say(
            f"  第{chapter:>2}章  {actual:>5} 字（目标 {target}）→ 修订 {revision:>2}  {result}",
            f"  ch. {chapter:>2}  {actual:>5} chars (target {target}) → revision {revision:>2}  {result}",
        )
    clew("novel", "check", *project)
    stats = clew("novel", "stats", *project)
    late, hidden = ", ".join(stats["overdue"]), ", ".join(stats["unrevealed"])
    say(
        f"  核对无误。逾期未回收的伏笔：{late}；读者还不知道的事：{hidden}",
        f"  Everything agrees. Overdue foreshadows: {late}; unknown to the reader: {hidden}",
    )
    return book


def main() -> int:
    from demo_cards import tell_cards
    from demo_persona import tell_persona

    out = free_folder()
    out.mkdir()
    books = [
        tell_book(source, out)
        for source in sorted((ROOT / "examples").iterdir())
        if (source / "事务").is_dir()
    ]
    library = tell_cards(out).relative_to(ROOT)
    persona = tell_persona(out).relative_to(ROOT)
    first = books[-1].relative_to(ROOT)
    last = clew("novel", "stats", "--project", str(books[-1]))["last_committed_chapter"]
    clew_command = ".venv/bin/clew"
    print()
    say("看看这些：", "Look at these:")
    for path, zh, en in (
        ("追踪/上下文.md", "下一章要用的状态卡", "the card for the next chapter"),
        ("追踪/伏笔.md", "伏笔：哪些埋着，哪些回收了", "foreshadows: planted, resolved, overdue"),
        (
            "追踪/时间线/作者真相.md",
            "作者真相；旁边的 读者已知.md 是读者的版本",
            "the truth; 读者已知.md beside it is the reader's",
        ),
        ("追踪/逐章记录", "每章一页的记录", "one record a chapter"),
        (
            "追踪/_history.jsonl",
            "每一次改动，可回看可撤销",
            "every change, to look back on and to undo",
        ),
    ):
        print(f"  {first / path}   {zh if ZH else en}")
    print()
    say("再试试：", "Try these:")
    for command in (
        "novel stats",
        "novel history --character 汪小满",
        f"novel at {last // 2}",
        f"novel diff 6 {last}",
        "novel undo",
        "novel redo",
        "novel check",
    ):
        print(f"  {clew_command} {command} --project {first}")
    for command in ("card list", "card show 沈砚", "card diff 沈砚", "library search 渡"):
        print(f"  {clew_command} {command} --library {library}")
    for command in ("persona status", "persona diary show --days 30", "persona refusal list"):
        print(f"  {clew_command} {command} --home {persona}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
