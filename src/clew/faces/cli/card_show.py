"""How one card or lorebook looks on a terminal. Everything that came from a file is text, never markup."""

from __future__ import annotations

from shlex import quote
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from clew.books.assets import joined_labels
from clew.faces.cli.novel_parts import pairs, say
from clew.kernel.faults import plain

_LONG: Final = 600
_ENTRIES: Final = 20
_CONTENT: Final = 160
_WHOLE: Final = 10**9
_FIELDS: Final = (
    ("description", "设定", "description"), ("personality", "性格", "personality"),
    ("scenario", "场景", "scenario"), ("first_mes", "开场白", "first message"),
    ("mes_example", "对话示例", "example messages"), ("creator_notes", "作者说明", "creator's notes"),
    ("system_prompt", "系统提示", "system prompt"),
    ("post_history_instructions", "历史后指令", "post-history instructions"),
)  # fmt: skip
STATES: Final = {
    "active": ("", ""), "archived": ("已归档", "archived"), "trashed": ("回收站", "in the trash"),
}  # fmt: skip
MADE: Final = {
    "imported": ("导入", "imported"), "new": ("新建", "new"), "edited": ("修改", "edited"),
    "restored": ("回到旧版", "from an older one"), "exported": ("设计导出", "from a design"),
    "updated": ("原处改过", "changed over there"),
}  # fmt: skip


def word(both: tuple[str, str], lang: str) -> str:
    """One of two languages."""
    return both[0] if lang == "zh" else both[1]


def minute(moment: str) -> str:
    """A moment in UTC (`2026-05-01T08:00:00.000Z`) to the minute."""
    return f"{moment[:10]} {moment[11:16]}Z"


def text(value: Any, limit: int = _LONG, style: str = "") -> Text:
    """A text of a card: never markup, control characters shown, not at length."""
    shown = "\n".join(plain(line) for line in str(value).split("\n"))
    return Text(shown if len(shown) <= limit else shown[: limit - 1] + "…", style=style)


def show(answer: Any, lang: str) -> RenderableType:
    """One card or lorebook: what it says, what belongs to it, what waits."""
    zh = lang == "zh"
    head = text(answer.title, 200, "bold")
    if answer.favourite:
        head.append("  ★", style="yellow")
    state = word(STATES[answer.state], lang)
    if state:
        head.append(f"  {state}", style="yellow")
    version = answer.version
    rows: list[tuple[str, Any]] = [
        ("编号" if zh else "id", answer.id),
        ("版本" if zh else "version", f"{version.number} / {answer.versions}  "
         f"{word(MADE[version.made], lang)}  {version.at}"),
        ("来自" if zh else "from", " ".join(filter(None, (version.spec, plain(version.source))))),
    ]  # fmt: skip
    data = (answer.card or {}).get("data", {}) if answer.card else (answer.lorebook or {})["data"]
    for key, chinese, english in (
        ("creator", "作者", "creator"), ("character_version", "卡片版本", "card version"),
        ("nickname", "别称", "nickname"),
    ):  # fmt: skip
        if data.get(key):
            rows.append((chinese if zh else english, plain(str(data[key]))))
    tags = joined_labels([str(tag) for tag in data.get("tags") or ()], answer.labels)
    if tags:
        rows.append(("标签" if zh else "tags", plain(" · ".join(tags))))
    parts: list[RenderableType] = [
        head,
        *_waiting(answer, lang),
        pairs([*rows, *_worlds(answer, zh)]),
    ]
    limit = _WHOLE if answer.whole else _LONG
    cut = False
    for key, chinese, english in _FIELDS:
        if isinstance(data.get(key), str) and data[key].strip():
            parts += [Text(), say(lang, chinese, english, "dim"), text(data[key], limit)]
            cut = cut or len(data[key]) > limit
    greetings = data.get("alternate_greetings") or ()
    if greetings:
        parts += [Text(), say(lang, f"另有 {len(greetings)} 条开场白", f"{len(greetings)} other greetings",
                              "dim")]  # fmt: skip
        for greeting in greetings if answer.whole else ():
            parts += [text(greeting, limit), Text()]
        cut = cut or not answer.whole
    book = data.get("character_book") if answer.card else data
    entries = (book or {}).get("entries") or ()
    if entries:
        parts += [Text(), say(lang, f"世界书：{len(entries)} 条", f"lorebook: {len(entries)} entries",
                              "dim")]  # fmt: skip
        shown = entries if answer.whole else entries[:_ENTRIES]
        parts += [_entry(entry, answer.whole, lang) for entry in shown]
        cut = cut or (not answer.whole and (len(entries) > _ENTRIES or any(map(_is_cut, entries))))
    if answer.notes_of_card:
        parts.append(Text())
        parts += [text(f"· {note['message']}", style="yellow") for note in answer.notes_of_card]
    if cut:
        named = quote(answer.id[:8])
        parts += [Text(), say(lang, f"全部内容：clew card show {named} --all",
                              f"all of it: clew card show {named} --all", "dim")]  # fmt: skip
    return Group(*parts)


def _waiting(answer: Any, lang: str) -> list[RenderableType]:
    """What is newer over there, and the command that leads to it."""
    parts: list[RenderableType] = []
    short = answer.id[:8]
    for one in answer.waiting:
        where = f"{one.root}/{one.path}"
        if one.what == "version":
            look = f"clew card diff {short} {answer.version.number} {one.version}"
            zh = f"第 {one.version} 版来自 {where}，比当前版新，等你定：{look}"
            en = f"version {one.version} came from {where}, newer than the current one: {look}"
        else:
            again = f"clew library import --from {one.program} {quote(one.root)}"
            zh = f"{where} 在导入之后改过：{again}"
            en = f"{where} was changed since it was imported: {again}"
        parts.append(text(zh if lang == "zh" else en, _LONG, "yellow"))
    return parts


def _worlds(answer: Any, zh: bool) -> list[tuple[str, Any]]:
    titles = []
    for row in answer.linked:
        beside = (
            f" ({row.id[:8]})" if row.id else "（书库里没有）" if zh else " (not in the library)"
        )
        titles.append(f"{plain(row.title)}{beside}")
    return [("世界书" if zh else "lorebooks", " · ".join(titles))] if titles else []


def _is_cut(entry: Any) -> bool:
    content = str(entry.get("content") or "") if isinstance(entry, dict) else ""
    return len(content) > _CONTENT or "\n" in content.strip()


def _entry(entry: Any, whole: bool, lang: str) -> RenderableType:
    """One entry of a lorebook: its keys, what kind it is, the beginning of its content."""
    if not isinstance(entry, dict):
        return text(f"  {entry}", 100)
    keys = ", ".join(str(key) for key in entry.get("keys") or ())
    second = ", ".join(str(key) for key in entry.get("secondary_keys") or ())
    line = text(f"  {keys or entry.get('comment') or entry.get('name') or '—'}", 200, "bold")
    if second and entry.get("selective"):
        line.append_text(text(f" + {second}", 200))
    marks = [
        word(both, lang)
        for on, both in (
            (entry.get("constant") is True, ("常驻", "constant")),
            (entry.get("enabled") is False, ("停用", "disabled")),
            (entry.get("use_regex") is True, ("正则", "regex")),
        )
        if on
    ]
    if marks:
        line.append(f"  [{', '.join(marks)}]", style="dim")
    content = str(entry.get("content") or "")
    if not whole:
        content = " ".join(content.split())
    shown = text(content, _WHOLE if whole else _CONTENT, "dim")
    return Group(line, Padding(shown, (0, 0, 0, 4))) if content else line
