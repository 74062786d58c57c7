"""The language of profiles as data: every table, its keys, their shapes. One page, no more.

The checker walks it, the JSON Schema of the language is made from it, and the guide's page of
grammar is tested against it. Shapes: `bool`, `int`, `text`, `name` (`a_b1`), `slug`, `path` (names
joined by dots), `words` (a sentence in `zh` and `en`), `literal` (any value but a date), `value`,
`condition`, `change`, and `list X`, `each X` (a table of free names), `keyed X` (a table with free
texts as keys), or the name of a table below.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Key(NamedTuple):
    """One key of a table."""

    shape: str
    needed: bool
    zh: str
    en: str


def _key(shape: str, zh: str, en: str) -> Key:
    return Key(shape.rstrip("!"), shape.endswith("!"), zh, en)


TABLES: Final[dict[str, dict[str, Key]]] = {
    "file": {
        "profile": _key("profile!", "名字、版本与几个特殊字段", "name, version, and the fields with a part"),
        "scales": _key("each list text", "模糊刻度，从满到空", "fuzzy scales, from full to empty"),
        "fields": _key("each field!", "状态的字段", "the fields of the state"),
        "phases": _key("each keyed condition", "阶段字段：值 = 条件", "phase fields: value = condition"),
        "counters": _key("each each value", "计数字段：事件 = 加多少", "counters: event = by how much"),
        "stocks": _key("each stock", "按刻度显示的库存", "stocks, shown on a scale"),
        "ledgers": _key("each ledger", "收支平衡的账目", "ledgers, which balance"),
        "guards": _key("each guard", "隔一段才能做一次的事", "what may be done once in a while"),
        "rules": _key("list rule", "字段之间必须成立的关系", "what must hold between fields"),
        "events": _key("each event!", "有名字的改动", "named changes"),
        "migrations": _key("list migration", "从旧版本来的改名、补值、删除", "from older versions"),
        "simulate": _key("list move", "模拟时每轮依次尝试的事件", "events that a simulation tries each turn"),
        "case": _key("list case", "配置自带的用例", "the profile's own test cases"),
    },
    "profile": {
        "name": _key("slug!", "名字，也是状态文件名", "the name, and the name of the file"),
        "version": _key("int!", "状态格式的版本", "the version of the state's format"),
        "unversioned": _key("int", "没有版本号的文件算哪个版本（默认 1）", "the version of a file that tells none (1)"),
        "title": _key("words!", "标题", "a title"),
        "about": _key("words", "说明", "what it is for"),
        "active": _key("path!", "启用开关（bool 字段）", "the switch, a bool field"),
        "turn": _key("name!", "每轮结束时的事件", "the event of a turn's end"),
        "updated": _key("path", "记录最近改动时间的字段", "the field that tells the last change"),
        "turns_from": _key("path", "接手旧文件时，轮数从这个字段起算", "where turns start in a taken-over file"),
    },
    "field": {
        "type": _key("text!", "类型", "bool int text slug enum scale date stamp object list map"),
        "about": _key("words", "说明", "what it means"),
        "default": _key("literal", "默认值", "its value before anything set it"),
        "null": _key("bool", "可以为 null（没有默认值时就是 null）", "may be null, and is without a default"),
        "private": _key("bool", "绝不向用户显示", "never shown to the user"),
        "min": _key("int", "整数下限", "least integer"),
        "max": _key("int", "整数上限，或文字、条目的最多个数", "greatest integer; most characters or items"),
        "values": _key("list text", "枚举的取值；阶段按此顺序", "values of an enum; phases go in this order"),
        "behaves_as": _key("keyed text", "条件把某值当作另一值", "conditions take a value for another"),
        "scale": _key("name", "刻度的名字", "the name of its scale"),
        "fields": _key("each field", "对象的成员", "members of an object"),
        "items": _key("field", "列表或映射的每一项", "each item of a list or map"),
        "keep_last": _key("int", "列表只留最近几项", "how many of the latest items a list keeps"),
    },
    "argument": {
        "type": _key("text!", "类型", "bool int text slug enum scale date stamp"),
        "about": _key("words", "说明", "what it means"),
        "optional": _key("bool", "可以不给", "may be left out"),
        "default": _key("literal", "不给时的值", "its value when it is not given"),
        "min": _key("int", "整数下限", "least integer"),
        "max": _key("int", "整数上限，或最多字数", "greatest integer, or most characters"),
        "values": _key("list text", "枚举的取值", "values of an enum"),
        "scale": _key("name", "刻度的名字", "the name of its scale"),
    },
    "stock": {
        "size": _key("int!", "一整份有多少单位", "units of a whole one"),
        "scale": _key("name!", "显示用的刻度", "the scale that shows it"),
        "from": _key("list int!", "刻度每个值至少多少单位", "least units of each value of the scale"),
        "kind": _key("path!", "当前种类的字段", "the field of the current kind"),
        "left": _key("path!", "当前种类余量的字段", "the field of what is left of it"),
        "shelf": _key("path!", "各种类余量的映射", "the map of what is left of each kind"),
        "main": _key("path", "主要种类的字段，当前种类跟着它", "the field of the main kind; it leads the current one"),
    },
    "ledger": {
        "purse": _key("path!", "余额", "what is there"),
        "earned": _key("path!", "累计收入", "total earned"),
        "spent": _key("path", "累计支出（不写就由程序记账）", "total spent (else the bookkeeping keeps it)"),
        "debt": _key("path", "欠款", "what is owed"),
        "borrowed": _key("path", "累计借入", "total borrowed"),
        "repaid": _key("path", "累计归还", "total repaid"),
        "spent_from": _key("path", "接手旧文件时，求已支出的 列表.成员", "list.member of past spending"),
    },
    "guard": {
        "about": _key("words", "说明", "what it guards"),
        "per": _key("path", "按什么计：turns（默认）、chars、tools 或整数字段", "turns, chars, tools, int field"),
        "band": _key("list int!", "两次之间隔多少：[最少, 最多]", "gap between two: [least, most]"),
        "first": _key("list int", "第一次之前隔多少", "gap before the first"),
        "last": _key("path", "记录上次轮号的字段", "the field that names the last turn"),
        "when": _key("condition", "另须成立的条件", "what must hold besides"),
        "say": _key("words", "条件不成立时的说法（有 when 就要写）", "why not, when `when` does not hold"),
    },
    "rule": {
        "id": _key("name!", "名字", "its name"),
        "when": _key("condition", "在什么情况下", "in which case"),
        "must": _key("condition!", "必须成立", "what must hold"),
        "mend": _key("list change!", "不成立时怎样改（只用 set、clear）", "what to change else (set and clear only)"),
        "say": _key("words!", "说法", "the rule in a sentence"),
    },
    "event": {
        "about": _key("words", "说明", "what happened"),
        "args": _key("each argument", "参数", "its arguments"),
        "while_off": _key("bool", "停用时也能用", "also while switched off"),
        "uses": _key("name", "用掉哪个护栏的一次", "the guard that it uses"),
        "require": _key("list need", "须成立的条件", "what must hold before"),
        "change": _key("list change", "依次做的改动", "the changes, in their order"),
    },
    "need": {
        "when": _key("condition", "在什么情况下", "in which case"),
        "that": _key("condition!", "须成立", "what must hold"),
        "say": _key("words!", "不成立时的说法", "why not"),
    },
    "migration": {
        "to": _key("int!", "迁移到哪个版本", "the version that it leads to"),
        "rename": _key("keyed path", "旧名 = 新名", "old name = new name"),
        "default": _key("keyed literal", "旧文件缺这个字段时补什么", "value for a field that older files lack"),
        "drop": _key("list path", "删掉的字段", "fields that go"),
    },
    "move": {
        "event": _key("name!", "事件", "the event"),
        "args": _key("keyed literal", "参数", "its arguments"),
        "every": _key("int", "每几轮试一次（默认 1）", "tried every so many turns (1)"),
        "when": _key("condition", "条件", "only when"),
    },
    "case": {
        "name": _key("text!", "名字", "its name"),
        "file": _key("text", "开始时的状态文件（JSON 文字）", "the state file to begin with, as JSON"),
        "given": _key("keyed literal", "开始时与默认不同的字段", "fields that differ from the defaults"),
        "steps": _key("list step", "依次做的事", "what is done"),
        "expect": _key("keyed literal", "结束时的字段", "fields at the end"),
        "null": _key("list path", "结束时为 null 的字段", "fields that are null at the end"),
        "open": _key("list name", "结束时能做的护栏", "guards that are open at the end"),
        "closed": _key("list name", "结束时不能做的护栏", "guards that are closed at the end"),
        "notes": _key("list text", "读入时应有的提示代码", "codes of the notes on reading"),
    },
    "step": {
        "event": _key("name", "事件", "an event"),
        "args": _key("keyed literal", "参数", "its arguments"),
        "turns": _key("int", "经过几轮", "so many turns pass"),
        "chars": _key("int", "每轮写了多少字", "characters that each turn wrote"),
        "tools": _key("int", "每轮调用几次工具", "tool calls of each turn"),
        "set": _key("path", "手改的字段", "a field set by hand"),
        "to": _key("literal", "改成什么", "to what"),
        "merge": _key("keyed literal", "JSON 合并补丁", "a JSON merge patch"),
        "times": _key("int", "重复几次（默认 1）", "how often (1)"),
        "refused": _key("text", "应被拒绝，代码如此", "must be refused with this code"),
    },
}  # fmt: skip

TYPES: Final = (
    "bool", "int", "text", "slug", "enum", "scale", "date", "stamp", "object", "list", "map",
)  # fmt: skip

OPERATORS: Final[dict[str, tuple[str, str]]] = {
    "eq": ("等于", "equal"),
    "ne": ("不等于", "not equal"),
    "ge": ("至少", "at least"),
    "gt": ("大于", "more than"),
    "le": ("至多", "at most"),
    "lt": ("小于", "less than"),
    "in": ("是其中之一", "one of a list"),
    "null": ("是否为 null", "null, or not"),
}

VALUES: Final[dict[str, tuple[str, str, tuple[str, ...]]]] = {
    "arg": ("事件的参数", "an argument of the event", ()),
    "field": ("字段；`key` 取映射里的一项", "a field; `key` takes an entry of a map", ("key",)),
    "count": ("列表或映射的项数", "how many a list or map holds", ()),
    "latest": (
        "列表最后一项（`列表.成员`）；空时用 `or`",
        "the last item of a list (`list.member`); `or` when it is empty",
        ("or",),
    ),
    "plus": ("相加", "the sum", ()),
    "minus": ("第一个减去其余", "the first less the others", ()),
    "min": ("最小", "the least", ()),
    "max": ("最大", "the greatest", ()),
    "days": ("从一天到另一天有几天", "days from one day to another", ()),
    "monday": ("那一周的星期一", "the Monday of that week", ()),
}

CHANGES: Final[dict[str, tuple[str, str, tuple[str, ...], tuple[str, ...]]]] = {
    # change: (中文, English, keys that it needs, keys that it may have besides `when`)
    "set": ("把字段设为 `to`；`key` 设映射里的一项", "set a field to `to`; `key` an entry of a map", ("to",), ("key",)),
    "clear": ("设回 null 或默认值；`key` 去掉映射里的一项", "null or the default; `key` takes one out", (), ("key",)),
    "add": ("整数字段加 `by`", "add `by` to an integer", ("by",), ()),
    "raise": ("刻度往满处移 `by` 格", "up a scale by `by` steps (1)", (), ("by",)),
    "lower": ("刻度往空处移 `by` 格", "down a scale by `by` steps (1)", (), ("by",)),
    "record": ("往列表末尾添 `item`", "append `item` to a list", ("item",), ()),
    "earn": ("账目收入 `amount`", "a ledger earns `amount`", ("amount",), ()),
    "borrow": ("账目借入 `amount`", "a ledger borrows `amount`", ("amount",), ()),
    "repay": ("账目归还 `amount`", "a ledger repays `amount`", ("amount",), ()),
    "spend": ("账目支出 `amount`", "a ledger spends `amount`", ("amount",), ()),
    "stock": ("库存添 `units` 单位的 `kind`（默认一整份）", "add `units` of `kind` (whole)", ("kind",), ("units",)),
    "take": ("从当前种类取 `units` 单位（默认 1）", "take `units` of the current kind (1)", (), ("units",)),
    "switch": ("换成 `kind`；`empty`：空的也换", "make `kind` current (`empty`: always)", ("kind",), ("empty",)),
}  # fmt: skip
