"""What a JSON value is: a card or a lorebook of some program, or something else with a name.

Pure. Detection by content: no file name takes part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clew.books.cards import lorefiles, othercards, repair, tavern
from clew.books.cards.fields import BOOK_FIELDS
from clew.books.cards.jsontext import parse, shown
from clew.books.cards.report import Limits, Report
from clew.books.cards.values import child
from clew.books.cards.worldinfo import is_world_info, of_world_info
from clew.books.lore import Lorebook
from clew.books.model import V1_FIELDS, Card
from clew.kernel.errors import Refused
from clew.kernel.faults import Both, Fault

_OURS: Final = ("spec", "spec_version", "data")
_BOOKS: Final = ("character_book", "lorebook", "world", "world_info", "worldInfo", "book")
"""Members in which a lorebook stands where it is not the whole file."""
_CASED: Final = (*_OURS, *V1_FIELDS)
_CHAT: Final = Both("聊天记录", "a chat")
_BACKYARD: Final = Both(
    "Backyard（Faraday）的角色数据，请在那里导出为 PNG 卡片",
    "a character of Backyard (Faraday); export it there as a PNG card",
)
_PRESET: Final = Both("模型或提示词预设", "a preset of a model or a prompt")
_OTHERS: Final[tuple[tuple[frozenset[str], Both], ...]] = tuple(
    (frozenset(keys.split()), what)
    for keys, what in (
        ("user_name character_name", _CHAT),
        ("chat_metadata", _CHAT),
        ("character_names chat_metadata", _CHAT),
        ("internal visible", _CHAT),
        ("data data_visible", _CHAT),
        ("histories", _CHAT),
        ("messages greeting", _CHAT),
        ("mes is_user", _CHAT),
        ("members chats", Both("群组", "a group")),
        ("personas persona_descriptions", Both("人设备份", "a backup of personas")),
        ("prompts prompt_order", _PRESET),
        ("input_sequence output_sequence", _PRESET),
        ("story_string chat_start", _PRESET),
        ("temp rep_pen", _PRESET),
        ("temperature top_p", _PRESET),
        ("scenarioVersion", Both("NovelAI 剧本", "a NovelAI scenario")),
        ("storyContainerVersion", Both("NovelAI 故事", "a NovelAI story")),
        ("gamestarted actions", Both("KoboldAI 存档", "a KoboldAI save")),
        ("ga cm ca", Both("KoboldAI 分享存档", "a shared KoboldAI save")),
        ("power_user", Both("SillyTavern 设置", "SillyTavern's settings")),
        ("storyCards", Both("AI Dungeon 剧本", "an AI Dungeon scenario")),
        ("aiName", _BACKYARD),
        ("addCharacter", Both("Perchance 的角色", "a character of Perchance")),
        (
            "firstMessage desc",
            Both("RisuAI 的内部角色数据", "a character as RisuAI keeps it inside"),
        ),
        ("keys content", Both("单独一条世界书条目", "a single entry of a lorebook")),
        ("key content", Both("单独一条世界书条目", "a single entry of a lorebook")),
    )
)


def recognised(value: Any, path: str, report: Report, limits: Limits) -> Card | Lorebook:
    """The card or lorebook that a JSON value is. Raises `Refused` (`not_a_card`)."""
    if isinstance(value, list):
        return _of_list(value, path, report, limits)
    if isinstance(value, dict):
        own = Report(report.file)
        straight = tavern.cased(value, _CASED, path, own)
        if straight is not value and tavern.is_card(straight):
            report.absorb(own)
            value = straight
        found = (
            _card(value, path, report, limits)
            or _lorebook(value, path, report)
            or _wrapped(value, path, report, limits)
        )
        if found is not None:
            return found
    raise Refused(Fault("not_a_card", file=report.file, found=_what(value)))


def _card(value: dict[str, Any], path: str, report: Report, limits: Limits) -> Card | None:
    if "messages" in value and not {"spec", "first_mes"} & value.keys():
        return None  # a chat, which may carry the words of its character along
    foreign = not {"spec", "data", "first_mes", "entries", "messages"} & value.keys()
    if foreign and othercards.is_pygmalion(value):
        return othercards.of_pygmalion(value, path, report)
    if foreign and othercards.is_agnai(value):
        return othercards.of_agnai(value, path, report)
    if foreign and othercards.is_textgen(value):
        return othercards.of_textgen(value, path, report)
    if tavern.is_card(value):
        return tavern.of_document(value, path, report, limits)
    return None


def _wrapped(
    value: dict[str, Any], path: str, report: Report, limits: Limits
) -> Card | Lorebook | None:
    """The card or lorebook that stands in one member of an object, as servers answer it; what stands
    beside it is kept beside it. None where there is none; several are refused."""
    cards = [key for key, item in value.items() if isinstance(item, dict) and tavern.is_card(item)]
    if len(cards) > 1:
        what = Both(
            f"{len(cards)} 张卡的对象，先拆开", f"an object of {len(cards)} cards; split it first"
        )
        raise Refused(Fault("not_a_card", file=report.file, found=what, cards=len(cards)))
    if cards:
        key = cards[0]
        name = shown(key[:24])
        reason = Both(f"卡片装在 {name} 里", f"the card stands in {name}")
        report.repair("json_mended", child(path, key), reason=reason)
        rest = {name: item for name, item in value.items() if name not in (key, *_OURS)}
        return tavern.of_document({**rest, **value[key]}, child(path, key), report, limits)
    for key in _BOOKS:
        item = value.get(key)
        rows = item if isinstance(item, list) else None
        if isinstance(item, dict) and isinstance(item.get("entries"), dict | list):
            rows = item["entries"]
        if rows and (_rows_have(rows, "keys", "content") or _rows_have(rows, "key", "content")):
            inner = item if isinstance(item, dict) else {"entries": item}
            rest = {name: other for name, other in value.items() if name != key}
            return _v3_book(inner, child(path, key), report, "character_book", rest)
    cards_of_story = value.get("storyCards")
    if isinstance(cards_of_story, list) and _rows_have(cards_of_story, "keys"):
        report.keep("rest_of_file", path, found=_what(value))
        return lorefiles.of_ai_dungeon(cards_of_story, child(path, "storyCards"), report)
    return None


def _lorebook(value: dict[str, Any], path: str, report: Report) -> Lorebook | None:
    inner = value.get("data")
    spec = value.get("spec")
    named = isinstance(spec, str) and spec.lower().startswith("lorebook")
    if named and isinstance(inner, str) and inner.lstrip().startswith("{"):
        inner = _spelt_book(inner, child(path, "data"), report)
    if named and isinstance(inner, dict):
        rest = {key: item for key, item in value.items() if key not in ("spec", "data")}
        return _v3_book(inner, child(path, "data"), report, "lorebook_v3", rest)
    if value.get("type") == "risu" and isinstance(inner, list):
        return lorefiles.of_risu(value, path, report)
    for key in ("character_book", "lorebook", "data"):
        found = value.get(key)
        if isinstance(found, dict) and isinstance(found.get("entries"), dict | list):
            if "lorebookVersion" in found:
                break  # NovelAI's, below
            rest = {name: item for name, item in value.items() if name != key}
            return _v3_book(found, child(path, key), report, "character_book", rest)
    entries = value.get("entries")
    if "lorebookVersion" in value and isinstance(entries, list):
        return lorefiles.of_novelai(value, path, report)
    if value.get("kind") == "memory" or _rows_have(entries, "keywords", "entry"):
        return lorefiles.of_agnai(value, path, report)
    if isinstance(value.get("lorebook"), dict) and "lorebookVersion" in value["lorebook"]:
        report.keep("rest_of_file", path, found=_what(value))
        return lorefiles.of_novelai(value["lorebook"], child(path, "lorebook"), report)
    saved = value.get("worldinfo")
    if isinstance(saved, list) and saved and _rows_have(saved, "key", "content"):
        report.keep("rest_of_file", path, found=_what(value))
        return lorefiles.of_kobold(saved, child(path, "worldinfo"), report)
    if isinstance(entries, dict | list) and "messages" not in value:
        if is_world_info(value):
            return _world_info(value, path, report)
        if _rows_have(entries, "keys", "content") or (
            not entries
            and ({"name", "extensions"} & value.keys() or value.keys() <= BOOK_FIELDS.keys())
        ):
            return _v3_book(value, path, report, "character_book", {})
    return None


def _world_info(value: dict[str, Any], path: str, report: Report) -> Lorebook:
    """A World Info file, with a line for what is kept of it without being understood."""
    book = of_world_info(value, path, report)
    if book.root:
        report.keep("unknown_keys", path, found=list(book.root))
    tavern.tell_unknown_lore(book.data, path, report)
    return book


def _spelt_book(text: str, path: str, report: Report) -> Any:
    """A lorebook that is written as a text."""
    own = Report(report.file)
    try:
        value = parse(text, path, own, Limits())
    except Refused:
        return None
    report.absorb(own)
    report.repair("data_was_text", path)
    return value


def _v3_book(
    data: dict[str, Any], path: str, report: Report, spec: str, root: dict[str, Any]
) -> Lorebook:
    if is_world_info(data):
        return _world_info(data, path, report)
    book = repair.book_data(data, path, report)
    tavern.tell_unknown_lore(book, path, report)
    return Lorebook(book, root, spec=spec)


def _of_list(value: list[Any], path: str, report: Report, limits: Limits) -> Card | Lorebook:
    rows = [row for row in value if isinstance(row, dict)]
    if rows and (_rows_have(rows, "keys", "value") or _rows_have(rows, "keys", "entry")):
        return lorefiles.of_ai_dungeon(value, path, report)
    if rows and _rows_have(rows, "key", "insertorder"):
        return lorefiles.of_risu({"data": value}, path, report)
    if rows and _rows_have(rows, "uid", "key", "keysecondary"):
        return _world_info({"entries": value}, path, report)
    if rows and _rows_have(rows, "key", "content"):
        return lorefiles.of_kobold(value, path, report)
    if rows and _rows_have(rows, "keys", "content"):
        return _v3_book({"entries": value}, path, report, "character_book", {})
    if len(rows) == 1 and len(value) == 1 and tavern.is_card(rows[0]):
        report.repair(
            "json_mended", path, reason=Both("卡片装在列表里", "the card stands in a list")
        )
        return tavern.of_document(rows[0], f"{path}[0]", report, limits)
    what = Both(f"{len(value)} 项的列表", f"a list of {len(value)} items")
    several = len(value) if rows and sum(map(tavern.is_card, rows[:50])) > 1 else 0
    if several:
        what = Both(
            f"{len(value)} 张卡的列表，先拆开", f"a list of {len(value)} cards; split it first"
        )
    elif rows and _rows_have(rows, "mes", "name"):
        what = _CHAT
    raise Refused(Fault("not_a_card", file=report.file, found=what, cards=several))


def _rows_have(rows: Any, *keys: str) -> bool:
    """True when most rows of a list, or of an object, have these keys."""
    values: Sequence[Any] = (
        list(rows.values())[:50]
        if isinstance(rows, dict)
        else rows[:50]
        if isinstance(rows, list)
        else ()
    )
    told = [row for row in values if isinstance(row, dict)]
    return bool(told) and 2 * sum(all(key in row for key in keys) for row in told) > len(told)


def _what(value: Any) -> str | Both:
    if not isinstance(value, Mapping):
        return Both("单独一个 JSON 值", "a single JSON value")
    if isinstance(inner := value.get("character"), Mapping) and "aiName" in inner:
        return _BACKYARD
    if isinstance(inner := value.get("character"), Mapping) and "definition" in inner:
        return Both(
            "Character.AI 的角色数据，请用工具导出成卡片",
            "a character of Character.AI; export it as a card with a tool",
        )
    if isinstance(inner := value.get("node"), Mapping) and "definition" in inner:
        return Both(
            "Chub 网站接口的回答，请下载卡片本身", "an answer of Chub's server; download the card"
        )
    kind = value.get("type")
    if isinstance(kind, str) and kind.startswith(("risuChat", "risuAllChats")):
        return _CHAT
    for keys, what in _OTHERS:
        if keys <= value.keys():
            return what
    names = [str(key)[:24] for key in list(value)[:6]]
    listed = ", ".join(names) + ("…" if len(value) > 6 else "")
    return (
        Both(f"带有这些键的 JSON：{listed}", f"JSON with the keys {listed}")
        if names
        else Both("空对象", "an empty object")
    )
