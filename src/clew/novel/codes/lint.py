"""Codes of `lint`: silencing findings, and the author's file of aliases."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "unknown_rule", 2,
        "没有叫 {found} 的规则；可选 {allowed}",
        "there is no rule {found}; known: {allowed}",
        "clew novel lint 不带 --rule 跑全部规则；逗号隔开可以写几条。",
        "`clew novel lint` without --rule runs them all; several are separated by commas.",
        about_zh="每条规则在 docs/lint.zh-CN.md 里有一节。",
        about_en="Each rule has a section in docs/lint.md.",
    ),
    Code(
        "no_such_finding", 2,
        "现在没有 {found} 这一条；相近的：{allowed}",
        "there is no finding {found} now; close to it: {allowed}",
        "键照 clew novel lint 打印的写；已经沉默过、现在没有的，用 --unsilence 撤掉。",
        "Write the key as `clew novel lint` prints it; one that was silenced and is gone is taken back "
        "with --unsilence.",
        about_zh="沉默只对现有的一条起作用：写错的键会让真正的那条继续出现，或让以后的一条悄悄不见。",
        about_en="Only what is found now can be silenced: a key with a slip would leave the real finding "
        "there, or hide a later one unseen.",
    ),
    Code(
        "not_silenced", 2,
        "{found} 没有被沉默过；被沉默的有：{allowed}",
        "{found} is not silenced; silenced are: {allowed}",
        "clew novel lint --all 列出沉默的各条和理由。",
        "`clew novel lint --all` lists what is silenced, with the reasons.",
        about_zh="只能撤掉还在生效的沉默。",
        about_en="Only a silence that holds can be taken back.",
    ),
    Code(
        "silence_without_reason", 2,
        "沉默 {found} 要写理由：--reason TEXT",
        "to silence {found} takes a reason: --reason TEXT",
        "写给半年后的自己看：为什么这样是对的。",
        "Write it for yourself in half a year: why it is right as it stands.",
        about_zh="理由随历史保存，clew novel lint --all 会列出来。",
        about_en="The reason is kept in the history, and `clew novel lint --all` shows it.",
    ),
    Code(
        "aliases_bare_key", 0,
        "{file} 第 {line} 行：TOML 里汉字做键要加引号，应写成 {allowed}",
        "{file}, line {line}: TOML wants quotes around a key that is not ASCII; write {allowed}",
        "照着改这一行；这次已按加了引号来读。",
        "Change this line; it was read as if the quotes were there.",
        about_zh="提示：TOML 规定不加引号的键只能是英文字母、数字、下划线和短横线，表名也一样。",
        about_en="A note: TOML allows only ASCII letters, digits, _ and - in a key without quotes, and the "
        "name of a table is a key.",
    ),
    Code(
        "aliases_unreadable", 0,
        "{file} 第 {line} 行读不懂，别名没有采用：{reason}",
        "{file} cannot be read at line {line}, and no alias was used: {reason}",
        "每行写成 \"江晨\" = [\"小江\", \"江三爷\"]，引号、逗号、方括号都用英文的。",
        'Write each line as "Nell Harker" = ["Nell", "Miss Harker"].',
        about_zh="提示：没有别名时，lint 只认账本里的名字和从名字得出的简称，其余发现可能不准。",
        about_en="A note: without aliases lint knows the ledger's names and what follows from them only, "
        "and may be wrong about the rest.",
    ),
    Code(
        "aliases_too_many", 0,
        "{file} 里的别名太多，只用了前 {limit} 个",
        "{file} lists too many other names; only the first {limit} are used",
        "只留正文里真会用到的叫法。",
        "Keep those by which the text really calls people.",
        about_zh="提示：每个别名都要在每一段文字里查找。",
        about_en="A note: each name is looked for in every text.",
    ),
    Code(
        "aliases_no_names", 0,
        "{file} 第 {line} 行：{found} 后面应是一个名字或名字的列表，没有采用",
        "{file}, line {line}: {found} must be one name or a list of names; it was not used",
        "写成 \"{found}\" = [\"小名\", \"称号\"]。",
        'Write "{found}" = ["one name", "another"].',
        about_zh="提示：一个人一行，右边是他在正文里的各种叫法。",
        about_en="A note: one line for each person, with what the text calls him on the right.",
    ),
    Code(
        "aliases_unknown_name", 0,
        "{file} 里的 {found} 不是账本里的名字",
        "{file} names {found}: not in the ledger",
        "左边写账本里的名字，例如 {allowed}；还没写到的人可以先留着。",
        "The left side is a name of the ledger, such as {allowed}; somebody who is still to come may "
        "stay.",
        about_zh="提示：左边的名字要与 character_changes 或快照里的一字不差，否则这一行指不到任何人。",
        about_en="A note: the left side must be a name of some character_changes or snapshot, letter by "
        "letter; otherwise the line means nobody.",
    ),
    Code(
        "aliases_shared", 0,
        "{file} 里的 {found} 同时指 {allowed}，不当作任何人",
        "{file} gives {found} to {allowed}; it is taken for nobody",
        "若真是两人共用的称呼，这样就好；否则删掉一处。",
        "If both are called so, leave it; otherwise take one out.",
        about_zh="提示：一个称呼指两个人时，不能凭它断定是谁。",
        about_en="A note: what two people are called says nothing about which of them is meant.",
    ),
)  # fmt: skip
