"""What the engine says: one sentence in each language for every code. Pure.

Standard library only, Python 3.9 syntax and API: it is carried inside bundles. A word is a plain
dict: `code`, `path`, the facts that apply (`found`, `allowed`, numbers), `zh` and `en`.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Word = dict[str, Any]

_EXCERPT = 80
_LISTED = 24

# code: (what a person reads in Chinese, in English). Names in braces are facts.
WORDS = {
    # what a value can be wrong in
    "missing_field": ("{path} 缺失", "{path} is missing"),
    "wrong_type": (
        "{path} 的类型不对：应为 {expected}，实际是 {found}",
        "{path} has the wrong type: {expected} expected, found {found}",
    ),
    "not_allowed": (
        "{path} 的值 {found} 不在允许范围内：{allowed}",
        "{path} has the value {found}; allowed: {allowed}",
    ),
    "out_of_range": (
        "{path} 的值 {found} 超出范围：{allowed}",
        "{path} is {found}, out of range: {allowed}",
    ),
    "bad_form": (
        "{path} 的值 {found} 写法不对：应为 {expected}",
        "{path} has the value {found}; expected {expected}",
    ),
    "bad_text": (
        "{path} 含有不成文字的代码点",
        "{path} holds code points that are no text",
    ),
    "too_long": (
        "{path} 有 {found} 字，上限 {limit} 字",
        "{path} has {found} characters, at most {limit} are allowed",
    ),
    "too_many": (
        "{path} 有 {found} 项，上限 {limit} 项",
        "{path} holds {found} items, at most {limit} are allowed",
    ),
    "unknown_field": (
        "没有 {path} 这个字段；可用：{allowed}",
        "there is no field {path}; known: {allowed}",
    ),
    # why a change is refused
    "unknown_event": (
        "没有 {path} 这个事件；可用：{allowed}",
        "there is no event {path}; known: {allowed}",
    ),
    "unknown_argument": (
        "事件 {event} 没有参数 {path}；可用：{allowed}",
        "the event {event} takes no argument {path}; known: {allowed}",
    ),
    "missing_argument": (
        "事件 {event} 缺参数 {path}（{expected}）",
        "the event {event} needs the argument {path} ({expected})",
    ),
    "not_active": (
        "当前是停用状态，事件 {event} 未执行；用户同意后先用 opt_in",
        "the state is switched off and {event} was not applied; opt_in comes first, once the user agrees",
    ),
    "requirement": ("{say_zh}", "{say_en}"),
    "rule": ("{say_zh}", "{say_en}"),
    "guard_closed": (
        "{guard} 还不能做：{reason_zh}",
        "{guard} is not open: {reason_en}",
    ),
    "bookkeeping": (
        "{path} 由程序记账，不能手改",
        "{path} is kept by the program and cannot be set",
    ),
    "by_event_only": (
        "{path} 是账目，只能由事件改变：{allowed}",
        "{path} belongs to a ledger; only events change it: {allowed}",
    ),
    "not_enough": (
        "{path} 只有 {found}，不够 {needed}",
        "{path} holds {found}, less than {needed}",
    ),
    "too_much": (
        "{path} 是 {found}，不能减 {needed}",
        "{path} is {found}; {needed} cannot be taken off",
    ),
    "not_positive": (
        "数额必须是正整数，现为 {found}",
        "the amount must be a positive integer, not {found}",
    ),
    "none_left": (
        "{path} 里没有可取的 {kind}",
        "{path} has no {kind} left to take",
    ),
    "needs_phase": (
        "{path} 要到条件满足时才成为 {found}",
        "{path} becomes {found} only when its condition holds",
    ),
    "held_by_phase": (
        "{path} 由条件决定，现在是 {expected}，不能设成 {found}",
        "{path} follows its condition and is {expected}; it cannot be set to {found}",
    ),
    "in_the_future": (
        "{path} 记的是第 {found} 轮，现在才到第 {limit} 轮",
        "{path} names turn {found}, and this is turn {limit}",
    ),
    "behind": (
        "{path} 与 {expected} 不一致：{found}",
        "{path} differs from what it follows, {expected}: {found}",
    ),
    # what an event that is never refused could not do in full
    "clamped": (
        "{path} 已到边界，停在 {found}",
        "{path} is at its bound and stays at {found}",
    ),
    # what tidying did
    "not_an_object": (
        "状态文件不是 JSON 对象（{found}），按新会话处理",
        "the state is not a JSON object ({found}); a new session begins",
    ),
    "item_dropped": (
        "{path} 不完整，已略去：{found}",
        "{path} is not whole and was left out: {found}",
    ),
    "list_cut": (
        "{path} 有 {found} 项，按规定只留最近 {limit} 项",
        "{path} held {found} items; the last {limit} are kept",
    ),
    "converted": (
        "{path} 的 {found} 已改写成规定的类型",
        "{path} was {found} and is now written in the declared type",
    ),
    "renamed": ("{old} 已改名为 {path}", "{old} is now called {path}"),
    "dropped": ("{path} 已按迁移规则删除：{found}", "{path} was dropped by a migration: {found}"),
    "filled": ("{path} 按迁移规则补为 {found}", "{path} was filled in by a migration: {found}"),
    "newer_version": (
        "状态由更新的版本写成（{found}，本版本为 {limit}）；不认识的字段原样保留",
        "the state was written by a newer version ({found}; this is {limit}); "
        "fields that are not known here are kept",
    ),
    "taken_over": (
        "接手了没有记账信息的状态文件，回复数从 {found} 起算",
        "a state without bookkeeping was taken over; its turns start at {found}",
    ),
    "difference": (
        "接手时账目 {ledger} 的{side_zh}差 {found}，已记录并保留",
        "as taken over, {side_en} of the ledger {ledger} is off by {found}; recorded and kept",
    ),
    "unbalanced": (
        "账目 {ledger} 的{side_zh}在程序之外被改过，现差 {found}，已记录",
        "{side_en} of the ledger {ledger} was changed outside and is now off by {found}; recorded",
    ),
    "moved_phase": ("{path} 已成为 {found}", "{path} is now {found}"),
    "bookkeeping_mended": (
        "记账信息 {path} 损坏，已重建",
        "the bookkeeping at {path} was damaged and is rebuilt",
    ),
    # why a guard is open or not
    "ready": ("可以做", "open"),
    "off": ("当前是停用状态", "the state is switched off"),
    "waiting": (
        "距上次还差 {left}（{unit_zh}，间隔 {gap}）",
        "{left} {unit_en} to go (the gap is {gap})",
    ),
    "condition": ("{say_zh}", "{say_en}"),
}

# What is told of a state although nothing in it is wrong.
TOLD = frozenset(("difference", "newer_version", "taken_over"))
# What may happen to a value that is handed in, or follow from it, without a refusal.
LENIENT = TOLD | {"converted", "list_cut", "moved_phase"}


def word(code: str, path: str = "", **facts: Any) -> Word:
    """One problem, note or reason. Facts whose names end in `_zh` or `_en` fill the sentences only."""
    out: Word = {"code": code}
    if path:
        out["path"] = path.encode("utf-8", "replace").decode("utf-8")
    shown = {"path": plain(path)}
    for name, fact in facts.items():
        if name[-3:] not in ("_zh", "_en"):
            out[name] = fact
        shown[name] = told(fact)
    zh, en = WORDS[code]
    out["zh"] = zh.format_map(shown)
    out["en"] = en.format_map(shown)
    return out


def told(fact: Any) -> str:
    """A fact as it stands in a sentence: never at length, never able to steer a terminal."""
    if isinstance(fact, (list, tuple)) and all(isinstance(item, str) for item in fact):
        text = ", ".join(fact[:_LISTED]) + (" …" if len(fact) > _LISTED else "")
        return plain(text, 600)
    if isinstance(fact, str):
        return plain(fact)
    if fact is None or isinstance(fact, bool):
        return {None: "null", True: "true", False: "false"}[fact]
    if isinstance(fact, int):
        return str(fact) if fact.bit_length() <= 64 else f"<{fact.bit_length()}-bit integer>"
    if isinstance(fact, float):
        return repr(fact)
    return f"<{kind_of(fact)}>"


def plain(text: str, limit: int = _EXCERPT) -> str:
    """Text that can be shown: no control characters, no lone surrogates, not longer than `limit`."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "�" for char in text)


def kind_of(found: Any) -> str:
    """The JSON kind of a value, in the words of JSON."""
    for kind, name in ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"),
                       (dict, "object"), (list, "list")):  # fmt: skip
        if isinstance(found, kind):
            return name
    return "null" if found is None else type(found).__name__
