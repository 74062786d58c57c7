"""Faults are values: what is wrong, where, what is allowed, what to do next. In two languages.

A fault carries a *code* and the facts; its sentences come from the registry of codes, so that
command line, Python, MCP and HTTP say the same thing and `docs/errors/<code>.md` explains it.
Rooms register their own codes. Standard library only: the sidecar bundle carries this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

LANGUAGES: Final = ("zh", "en")


class Code(NamedTuple):
    """One kind of fault, as the registry and the pages in docs/errors/ know it."""

    code: str
    exit: int
    """1: the user must act; 2: bad input or broken state; 3: something needed is missing."""
    zh: str
    en: str
    hint_zh: str = ""
    hint_en: str = ""
    about_zh: str = ""
    about_en: str = ""


_REGISTRY: dict[str, Code] = {}


def register(*codes: Code) -> None:
    """Add codes to the registry. A code is registered once, by one room."""
    for code in codes:
        if code.code in _REGISTRY and _REGISTRY[code.code] != code:
            raise ValueError(f"code registered twice: {code.code}")
        _REGISTRY[code.code] = code


def registered() -> Mapping[str, Code]:
    """Every registered code by name (the reference documentation and its test walk this)."""
    return dict(_REGISTRY)


_LATER: list[str] = []


def register_later(module: str) -> None:
    """Name a module that registers codes when it is imported. It is, as soon as a code is asked for
    that nobody knows yet: sentences are needed by refusals only, and cost every start otherwise."""
    if module not in _LATER:
        _LATER.append(module)


def spec(code: str) -> Code:
    """The registered `Code` of that name; KeyError when a room forgot to register it."""
    if code not in _REGISTRY and _LATER:
        from importlib import import_module

        for module in _LATER:
            import_module(module)
    return _REGISTRY[code]


_SHOWN: Final = ("file", "line", "found", "limit", "cut_chars", "allowed")
_EXCERPT: Final = 120
_LISTED: Final = 20


def excerpt(value: object, limit: int = _EXCERPT) -> object:
    """What was found, never at length: long texts are cut, containers are named by kind and size."""
    if isinstance(value, str):
        clean = value.encode("utf-8", "replace").decode("utf-8")
        return clean if len(clean) <= limit else clean[: limit - 1] + "…"
    if isinstance(value, bool) or value is None or isinstance(value, float):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= 64 else f"<{value.bit_length()}-bit integer>"
    if isinstance(value, dict):
        return f"<object, {len(value)} keys>"
    if isinstance(value, list | tuple):
        return f"<list, {len(value)} items>"
    return f"<{type(value).__name__}>"


TURNING: Final = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""Characters that break a line or turn the order in which text is shown."""
_CONTROL: Final = dict.fromkeys((*range(32), *range(127, 160), *TURNING), "�")


def plain(text: str) -> str:
    """Text that a terminal only shows: control characters cannot steer it, nor turn what is shown."""
    return text.translate(_CONTROL)


class Both(NamedTuple):
    """A fact that is a phrase: said in the language of the sentence that it fills."""

    zh: str
    en: str


def _said(fact: Any, lang: str) -> Any:
    return (fact.zh if lang == "zh" else fact.en) if isinstance(fact, Both) else fact


class Fault:
    """One thing that is wrong.

    `code` is stable and language-free, `path` a JSON path (`$.delta.result`) or empty. `facts` fill
    the sentences; of them `file`, `line`, `found`, `limit`, `cut_chars` and `allowed` are also
    shown as fields of their own.
    """

    __slots__ = ("code", "facts", "path")

    def __init__(self, code: str, path: str = "", **facts: Any) -> None:
        self.code = code
        self.path = path
        self.facts = facts

    def message(self, lang: str = "en") -> str:
        """The sentence in `lang` (`zh` or `en`)."""
        entry = spec(self.code)
        return _fill(entry.zh if lang == "zh" else entry.en, self._words(lang))

    def hint(self, lang: str = "en") -> str:
        """The next step in `lang`, or an empty string."""
        entry = spec(self.code)
        return _fill(entry.hint_zh if lang == "zh" else entry.hint_en, self._words(lang))

    def to_dict(self, lang: str = "en") -> dict[str, Any]:
        """The machine answer; keys that do not apply are left out."""
        out: dict[str, Any] = {"code": self.code}
        if self.path:
            out["path"] = self.path
        out["message"] = self.message(lang)
        for key in _SHOWN:
            if key in self.facts and self.facts[key] is not None:
                value = _said(self.facts[key], lang)
                if isinstance(value, list | tuple):
                    most = len(value) if key == "allowed" else _LISTED
                    out[key] = [excerpt(_said(item, lang)) for item in value[:most]]
                    if len(value) > most:
                        out[key].append(f"… ({len(value)})")
                else:
                    out[key] = value if key in ("allowed", "file") else excerpt(value)
        hint = self.hint(lang)
        if hint:
            out["hint"] = hint
        return out

    def _words(self, lang: str) -> dict[str, Any]:
        comma = "、" if lang == "zh" else ", "
        words: dict[str, Any] = {"path": plain(self.path)}
        for key, fact in self.facts.items():
            value = _said(fact, lang)
            if key == "allowed" and isinstance(value, list | tuple):
                words[key] = plain(", ".join(str(v) for v in value))
            elif isinstance(value, list | tuple):
                more = f"…（{len(value)}）" if len(value) > _LISTED else ""
                words[key] = plain(comma.join(str(excerpt(v)) for v in value[:_LISTED])) + more
            elif key == "reason" and isinstance(value, str):
                words[key] = plain(value)
            else:
                word = value if key == "file" else excerpt(value)
                words[key] = plain(word) if isinstance(word, str) else word
        return words

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fault) and (self.code, self.path, self.facts) == (
            other.code,
            other.path,
            other.facts,
        )

    def __hash__(self) -> int:
        return hash((self.code, self.path))

    def __repr__(self) -> str:
        return f"Fault({self.code!r}, {self.path!r}, {self.facts!r})"


class _Blank(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return f"<{key}>"


def _fill(template: str, words: Mapping[str, Any]) -> str:
    # The template is ours and the words are only ever substituted, so a brace in a user's text
    # stays a brace.
    return template.format_map(_Blank(words)) if "{" in template else template


def worst_exit(faults: Iterable[Fault]) -> int:
    """The exit code of several faults together: the largest of theirs, 2 when there are none."""
    return max((spec(f.code).exit for f in faults), default=2)


register(
    Code(
        "wrong_type",
        2,
        "{path} 的类型不对：应为 {expected}，实际是 {found}",
        "{path} has the wrong type: {expected} expected, found {found}",
        about_zh="这个位置的 JSON 值类型不符合格式。",
        about_en="The JSON value at this place is of another type than the format asks for.",
    ),
    Code(
        "missing_field",
        2,
        "{path} 缺失",
        "{path} is missing",
        "补上这个字段；期望的类型是 {expected}。",
        "Add this field; {expected} is expected.",
        about_zh="必填字段没有给出。",
        about_en="A required field was not given.",
    ),
    Code(
        "unknown_field",
        2,
        "{parent} contains unsupported fields: {name}（不支持的字段）",
        "{parent} contains unsupported fields: {name}",
        "删掉它，或改用允许的字段：{allowed}",
        "Remove it, or use one of: {allowed}",
        about_zh="对象里出现了格式之外的键。每一层都拒绝未知键，以免拼错的字段被静默丢掉。",
        about_en="An object holds a key outside the format. Unknown keys are refused at every level, "
        "so that a misspelt field is never dropped in silence.",
    ),
    Code(
        "text_too_long",
        2,
        "{path} 超长：现 {found} 字节，上限 {limit} 字节，至少删 {cut_chars} 字",
        "{path} is too long: {found} bytes of {limit}; cut at least {cut_chars} characters",
        "压缩这段文字后重交。",
        "Shorten this text and submit again.",
        about_zh="文字按 UTF-8 字节计上限（一个汉字 3 字节）。cut_chars 是从末尾数至少要删的字数。",
        about_en="Texts are capped in UTF-8 bytes (a Chinese character is 3). cut_chars is the least "
        "number of characters to cut, counted from the end.",
    ),
    Code(
        "empty_text",
        2,
        "{path} 不能为空",
        "{path} must not be empty",
        about_zh="清理空白后这段文字什么都不剩。",
        about_en="Nothing is left of this text after white space is trimmed.",
    ),
    Code(
        "not_allowed",
        2,
        "{path} 的值 {found} 不在允许范围内：{allowed}",
        "{path} has the value {found}; allowed: {allowed}",
        about_zh="这个字段只接受列出的取值。",
        about_en="This field takes one of the listed values.",
    ),
    Code(
        "out_of_range",
        2,
        "{path} 的值 {found} 超出范围：{allowed}",
        "{path} is {found}, out of range: {allowed}",
        about_zh="数字必须落在所列范围内。",
        about_en="The number must lie in the range given.",
    ),
    Code(
        "too_many_items",
        2,
        "{path} 有 {found} 项，上限 {limit} 项",
        "{path} has {found} items, at most {limit} are allowed",
        "先合并语义重叠的项，或请作者取舍。",
        "Merge items that overlap, or ask the author which to drop.",
        about_zh="列表条数超过上限。工具从不替作者删条目。",
        about_en="A list holds more items than its cap. clew never drops one for the author.",
    ),
    Code(
        "duplicate_item",
        2,
        "{path} 重复：{found}",
        "{path} repeats {found}",
        about_zh="这个列表里的名字或编号必须唯一；名字按 NFC 加大小写折叠比较。",
        about_en="Names or ids in this list must be unique; names are compared after NFC and casefold.",
    ),
    Code(
        "bad_name",
        2,
        "{path} 不能作为文件名：{found}（{reason}）",
        "{path} cannot be a file name: {found} ({reason})",
        '名字里不能有 < > : " / \\ | ? * 和控制字符，不能以点或空格结尾，也不能是 CON、NUL 这类系统保留名。',
        'A name has none of < > : " / \\ | ? * and no control characters, does not end in a dot or '
        "space, and is not a reserved name such as CON or NUL.",
        about_zh="人名、卷名会成为文件名，因此要在所有系统上安全。",
        about_en="Names of characters and volumes become file names and must be safe everywhere.",
    ),
    Code(
        "bad_id",
        2,
        "{path} 的编号 {found} 不合格式：{allowed}",
        "{path} is not a valid id: {found}; expected {allowed}",
        "写成 {allowed}，只用半角数字。",
        "Write it as {allowed}, with ASCII digits.",
        about_zh="伏笔编号是 F 加至少三位半角数字，时间线编号是 E 加至少三位。全角数字会被拒绝。",
        about_en="A foreshadow id is F and three or more ASCII digits, an event id E and three or "
        "more. Fullwidth digits are refused.",
    ),
    Code(
        "bad_json",
        2,
        "{file}:{line}:{column} 不是合法 JSON：{reason_zh}",
        "{file}:{line}:{column} is not valid JSON: {reason}",
        "改好这一处，再运行同一条命令：{found}",
        "Mend this place and run the same command again: {found}",
        about_zh="文件不能解析为 JSON。",
        about_en="The file cannot be parsed as JSON.",
    ),
    Code(
        "bad_encoding",
        2,
        "{file} 不是合法 UTF-8（第 {offset} 字节）",
        "{file} is not valid UTF-8 (byte {offset})",
        "用 UTF-8 重新保存该文件。",
        "Save the file as UTF-8.",
        about_zh="所有 JSON 与 Markdown 都按 UTF-8 读取，允许 BOM。",
        about_en="All JSON and Markdown is read as UTF-8; a byte order mark is accepted.",
    ),
    Code(
        "duplicate_key",
        2,
        "{path} 里键 {found} 出现了两次",
        "{path} holds the key {found} twice",
        "删掉其中一个；两个值不会被猜着合并。",
        "Remove one of them; clew does not guess which one was meant.",
        about_zh="JSON 对象里的重复键。多数解析器会静默取后者，这里一律拒绝。",
        about_en="A repeated key in a JSON object. Most parsers keep the last one in silence; clew refuses.",
    ),
    Code(
        "bad_number",
        2,
        "{path} 的数字不可用：{found}",
        "{path} is not a usable number: {found}",
        about_zh="NaN、Infinity 与超大整数一律拒绝。",
        about_en="NaN, Infinity and huge integers are refused.",
    ),
    Code(
        "bad_text",
        2,
        "{path} 含有孤立代理项，不是合法文字",
        "{path} holds a lone surrogate and is not valid text",
        "重新生成这段文字。",
        "Write this text again.",
        about_zh="字符串里有 U+D800–U+DFFF 的孤立代理项，无法写成 UTF-8。",
        about_en="The string holds a lone surrogate (U+D800–U+DFFF) and cannot be written as UTF-8.",
    ),
    Code(
        "too_deep",
        2,
        "{file} 嵌套超过 {limit} 层",
        "{file} is nested deeper than {limit} levels",
        about_zh="嵌套深度在解析前就量出，过深直接拒绝。",
        about_en="Nesting is measured before parsing; too deep an input is refused.",
    ),
    Code(
        "too_large",
        2,
        "{file} 有 {found} 字节，上限 {limit} 字节",
        "{file} has {found} bytes, at most {limit} are read",
        "缩短它，或拆成几份。",
        "Shorten it, or split it.",
        about_zh="输入文件超过上限，未读取。",
        about_en="The input file is larger than the cap and was not read.",
    ),
    Code(
        "unsupported_schema",
        2,
        "{path} 的 schema_version 是 {found}，本版本只支持 {allowed}（unsupported schema）",
        "{path} has schema_version {found}; this version supports {allowed} (unsupported schema)",
        about_zh="文件不是本版本认识的格式。",
        about_en="The file is of a format that this version does not know.",
    ),
    Code(
        "newer_schema",
        2,
        "{file} 由更新版本的格式写成（schema_version {found}，本版本支持到 {limit}），未作任何改动",
        "{file} was written in a newer format (schema_version {found}; this version knows up to "
        "{limit}); nothing was changed",
        "升级 clew 后再试。",
        "Upgrade clew and try again.",
        about_zh="宁可拒绝，也不降级改写看不懂的文件。",
        about_en="clew refuses rather than rewrite a file that it does not fully understand.",
    ),
)
