"""Generates docs/errors/: one page for each registered fault code, and the index by group.

    python scripts/error_pages.py            writes the pages, removes orphaned ones
    python scripts/error_pages.py --check    exit 1 when a page is stale, missing or orphaned

Every module of the package is imported, so that every room has registered its codes.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import sys
from pathlib import Path
from string import Formatter
from typing import Any, Final, NamedTuple

from error_examples import (
    CHECK,
    CHECK_PROFILE,
    COMMIT,
    DRAFT,
    EXAMPLES,
    EXPORT,
    FACTS,
    LOOK,
    NOTE_EN,
    NOTE_ZH,
    SAVE,
    TRUST,
    Example,
)  # fmt: skip
from pages import DOCS, cell, settle, wants_check

import clew
from clew.kernel.faults import Code, Fault, registered

OUT: Final = DOCS / "errors"
_SKIPPED: Final = ("clew.testing",)
"""Test tools of the package: they register nothing and need hypothesis."""


class Group(NamedTuple):
    """Codes that are read together."""

    en: str
    zh: str
    modules: tuple[str, ...]
    commands: tuple[str, ...]
    """The way out where a code names none of its own."""


GROUPS: Final = (
    Group("Input documents", "输入文档", ("clew.kernel.faults", "clew.kernel.document"), (COMMIT,)),
    Group("Disk, paths, command line", "磁盘、路径、命令行", ("clew.kernel.errors",), (CHECK,)),
    Group("Lock and journal", "锁与日志", ("clew.kernel.lock", "clew.kernel.vault"), (CHECK,)),
    Group("Backup", "备份",
          ("clew.kernel.archive", "clew.kernel.backup", "clew.kernel.manifest", "clew.kernel.restore"),
          (SAVE,)),
    Group("The demo", "演示", ("clew.faces.demo",), ("clew demo",)),
    Group("Trust", "信任", ("clew.kernel.trust",), (TRUST,)),
    Group("Novel: the transaction", "小说：逐章事务",
          ("clew.novel.codes.transactions", "clew.novel.transaction"), (DRAFT, COMMIT)),
    Group("Novel: chapters, lengths, changes", "小说：章节、字数、改动",
          ("clew.novel.codes.chapters",), (LOOK,)),
    Group("Novel: drafts and manuscripts", "小说：草稿与旧稿", ("clew.novel.codes.drafts",), (DRAFT,)),
    Group("Novel: the book folder", "小说：书目录", ("clew.novel.codes.book",), (CHECK,)),
    Group("Novel: export and publication", "小说：导出与发布",
          ("clew.novel.export", "clew.novel.publish", "clew.novel.commit"), (EXPORT,)),
    Group("Novel: prose checks", "小说：正文检查",
          ("clew.novel.prosefile", "clew.novel.prose", "clew.novel.proofreading"), (LOOK,)),
    Group("Novel: before a chapter", "小说：动笔之前",
          ("clew.novel.context", "clew.novel.who", "clew.novel.writing"), ("clew novel context",)),
    Group("Novel: continuity", "小说：连贯性", ("clew.novel.codes.lint",), ("clew novel lint",)),
    Group("Writing agents", "写作 Agent",
          ("clew.novel.guard", "clew.faces.agents", "clew.faces.cli.agent",
           "clew.faces.cli.agent_place"),
          ("clew agent status claude",)),
    Group("The state of a skill", "技能的状态",
          ("clew.sidecar.messages", "clew.sidecar.codes", "clew.faces.cli.sidecar_wire"),
          ("clew sidecar doctor",)),
    Group("Persona: the pulse", "人格：脉搏",
          ("clew.persona.pulse", "clew.persona.wake"), ("clew persona next",)),
    Group("Persona", "人格", ("clew.persona",), ("clew persona check",)),
    Group("Cards and lorebooks", "角色卡与世界书", ("clew.books.cards",), ("clew card list",)),
    Group("The library", "书库", ("clew.books",), ("clew library check",)),
    Group("The index", "索引",
          tuple(f"clew.kernel.index_{part}" for part in ("refresh", "search", "store", "text")),
          ("clew library reindex",)),
    Group("Novel: writing skills", "小说：写作技能", ("clew.novel.shims",), (CHECK,)),
    Group("Sidecar: profiles", "附带状态：档案", ("clew.sidecar.profile_codes",), (CHECK_PROFILE,)),
)  # fmt: skip
_EXITS: Final = {
    0: ("a note beside an answer, no refusal", "随答案附上的提示，不是拒绝"),
    1: ("you have something to decide or to mend", "要由人决定或修改"),
    2: ("bad input, or a state that is not as it must be", "输入有误，或状态不对"),
    3: ("something that is needed is missing", "缺少需要的东西"),
}


def load() -> dict[str, Code]:
    """Import every module of the package and return every registered code."""
    for found in pkgutil.walk_packages(clew.__path__, "clew."):
        if not found.name.startswith(_SKIPPED):
            importlib.import_module(found.name)
    return dict(registered())


def owners() -> dict[str, str]:
    """The module whose source registers each code."""
    out = {}
    root = Path(clew.__path__[0])
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            if named and node.func.id == "Code" and node.args:  # type: ignore[attr-defined]
                first = node.args[0]  # type: ignore[attr-defined]
                if isinstance(first, ast.Constant):
                    out[str(first.value)] = ".".join(p for p in parts if p != "__init__")
    return out


def group_of(module: str) -> Group:
    """The group of a module's codes; a module that no group names is one of its own."""
    for group in GROUPS:
        if any(module == m or module.startswith(f"{m}.") for m in group.modules):
            return group
    return Group(module, module, (module,), (CHECK,))


def example_of(code: Code) -> Fault:
    """A fault of that code with plausible facts. Raises LookupError when a fact is unknown."""
    given = EXAMPLES.get(code.code, Example())
    templates = (code.zh, code.en, code.hint_zh, code.hint_en)
    wanted = {name for t in templates for _, name, _, _ in Formatter().parse(t) if name}
    facts: dict[str, Any] = dict(given.facts)
    for name in sorted(wanted - {"path"} - facts.keys()):
        if name not in FACTS:
            raise LookupError(
                f"{code.code}: no example for {{{name}}} in scripts/error_examples.py"
            )
        facts[name] = FACTS[name]
    path = given.path or (FACTS["path"] if "path" in wanted else "")
    return Fault(code.code, path, **facts)


def way_out(code: Code, group: Group) -> tuple[str, str, tuple[str, ...]]:
    """What to do next, in Chinese and English, and the commands that do it."""
    given = EXAMPLES.get(code.code, Example())
    fault = example_of(code)
    if code.exit == 0:
        zh, en = fault.hint("zh") or NOTE_ZH, fault.hint("en") or NOTE_EN
        return zh, en, given.commands
    zh = fault.hint("zh") or given.zh or code.about_zh
    en = fault.hint("en") or given.en or code.about_en
    return zh, en, given.commands or group.commands


def page(code: Code, group: Group, module: str) -> str:
    """The page of one code."""
    fault = example_of(code)
    zh, en, commands = way_out(code, group)
    exit_en, exit_zh = _EXITS[code.exit]
    lines = [
        f"# {code.code}",
        "",
        f"| exit code · 退出码 | {code.exit}: {exit_en} · {exit_zh} |",
        "|---|---|",
        f"| group · 分组 | [{group.en} · {group.zh}](README.md) |",
        f"| registered in · 登记于 | `{module}` |",
        "",
        "## What it means · 含义",
        "",
        code.about_en,
        "",
        code.about_zh,
        "",
        "## What clew says · 提示原文",
        "",
        "```text",
        f"en: {code.en}",
        *([f"    hint: {code.hint_en}"] if code.hint_en else []),
        f"zh: {code.zh}",
        *([f"    下一步：{code.hint_zh}"] if code.hint_zh else []),
        "```",
        "",
        "## What to do next · 怎么办",
        "",
        en,
        "",
        zh,
        "",
    ]
    if commands:
        lines += ["```console", *(f"$ {command}" for command in commands), "```", ""]
    place = "`notes` of an answer · 答案的 `notes`" if code.exit == 0 else (
        "`faults` of a refusal · 拒绝答案的 `faults`"
    )  # fmt: skip
    lines += ["## Example · 例子", "", f"One item in {place}:", ""]
    for lang in ("en", "zh"):
        shown = json.dumps(fault.to_dict(lang), ensure_ascii=False, indent=2)
        lines += ["```json", shown, "```", ""]
    return "\n".join(lines).rstrip() + "\n"


def index(codes: dict[str, Code], where: dict[str, str]) -> str:
    """The index of every page, by group."""
    lines = [
        "# Faults and notes · 错误与提示",
        "",
        "Every code that an answer of clew can hold, in two languages, with the way out. Codes and",
        "JSON paths never depend on the language. These pages are written by",
        "`scripts/error_pages.py` from the registry of codes; change the code, not the page.",
        "",
        "clew 的答案里可能出现的每一个代码，以及出路。代码和 JSON 路径不随语言变化。",
        "",
        "| exit · 退出码 | |",
        "|---:|---|",
        *(f"| {number} | {en} · {zh} |" for number, (en, zh) in _EXITS.items()),
        "",
    ]
    groups: dict[Group, list[Code]] = {}
    for code in codes.values():
        groups.setdefault(group_of(where[code.code]), []).append(code)
    order = [g for g in GROUPS if g in groups] + sorted(g for g in groups if g not in GROUPS)
    for group in order:
        lines += [
            f"## {group.en} · {group.zh}",
            "",
            "| code | exit | meaning | 含义 |",
            "|---|---:|---|---|",
        ]
        for code in sorted(groups[group]):
            link = f"[{code.code}]({code.code}.md)"
            lines.append(
                f"| {link} | {code.exit} | {cell(code.about_en)} | {cell(code.about_zh)} |"
            )
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def build() -> dict[Path, str]:
    """Every page by path."""
    codes, where = load(), owners()
    unknown = sorted(set(codes) - set(where))
    if unknown:
        raise LookupError(f"codes that no module's source registers: {unknown}")
    pages = {
        OUT / f"{name}.md": page(code, group_of(where[name]), where[name])
        for name, code in codes.items()
    }
    pages[OUT / "README.md"] = index(codes, where)
    return pages


def main() -> int:
    check = wants_check(__doc__ or "")
    pages = build()
    orphans = [path for path in sorted(OUT.glob("*")) if path not in pages]
    return settle(pages, orphans, check=check)


if __name__ == "__main__":
    sys.exit(main())
