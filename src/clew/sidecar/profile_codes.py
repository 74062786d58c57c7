"""The fault codes of profiles: what is wrong in the TOML file that a skill author wrote.

Each names the line. Where only the table is known (something is missing from it), the sentence says
that the line is where the table begins.
"""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "profile_toml", 2,
        "{file} 第 {line} 行不是合法 TOML：{reason}",
        "{file}, line {line} is not valid TOML: {reason}",
        "改好这一处再查；语法不通时，后面的内容无法检查。",
        "Mend this place and check again; nothing behind a syntax error can be checked.",
        about_zh="配置文件不能解析为 TOML。",
        about_en="The profile cannot be parsed as TOML.",
    ),
    Code(
        "profile_key", 2,
        "{where}：{path} 不是这里的键；可用：{allowed}",
        "{where}: {path} is no key of this table; known: {allowed}",
        "改成可用的键，或删掉它。",
        "Use one of the known keys, or remove it.",
        about_zh="配置语言很小，一页说完；不在其中的键一律拒绝，以免拼错的键被静默忽略。",
        about_en="The language of profiles fits on one page. A key outside it is refused, so that a "
        "misspelt one is never ignored in silence.",
    ),
    Code(
        "profile_missing", 2,
        "{where}：缺少 {path}（{reason}）",
        "{where}: {path} is missing ({reason})",
        "在这张表里补上它。",
        "Add it to this table.",
        about_zh="这张表缺一个必需的键。行号是表开始的地方，因为缺的键没有自己的行。",
        about_en="A table lacks a key that it needs. The line is where the table begins: what is not "
        "there has no line of its own.",
    ),
    Code(
        "profile_value", 2,
        "{where}：{path} 的值 {found} 不行，应为{reason}",
        "{where}: {path} cannot be {found}; expected: {reason}",
        about_zh="这个键的值类型不对，或不在允许范围内。",
        about_en="The value of this key is of the wrong type, or not one that is allowed.",
    ),
    Code(
        "profile_name", 2,
        "{where}：{path} 提到的 {found} 没有定义；已有：{allowed}",
        "{where}: {path} names {found}, which is not declared; declared: {allowed}",
        "先声明它，或改成已有的名字。",
        "Declare it, or use a name that is declared.",
        about_zh="配置里提到的字段、事件、护栏、账目、库存、刻度或参数不存在。",
        about_en="A field, event, guard, ledger, stock, scale or argument that is named does not exist.",
    ),
    Code(
        "profile_clash", 2,
        "{where}：{path}：{reason}",
        "{where}: {path}: {reason}",
        about_zh="两处声明互相冲突，或一处声明做不到它要做的事。",
        about_en="Two declarations contradict each other, or one cannot do what it is there for.",
    ),
    Code(
        "profile_case", 1,
        "{where}：用例“{name}”没有通过：{reason}",
        "{where}: the case “{name}” fails: {reason}",
        "改配置或改用例，直到两者说的是同一件事。",
        "Change the profile or the case until both say the same.",
        about_zh="配置自带的用例与引擎的结果不符。",
        about_en="A test case of the profile does not come out as it says.",
    ),
)  # fmt: skip
