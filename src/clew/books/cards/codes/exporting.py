"""Codes of what an export leaves out or adds, and of what a good card would not have."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "field_left_out", 0,
        "{path}：{found} 没有这个字段，不写出",
        "{path}: {found} has no such field; it is left out",
        about_zh="目标格式装不下。",
        about_en="The target cannot hold it.",
    ),
    Code(
        "field_rides_along", 0,
        "{path}：{found} 不认识，仍写在文件里，{found} 的程序会忽略",
        "{path}: {found} does not know it; it stays in the file, and programs of {found} skip it",
        about_zh="再读回来时还在。",
        about_en="It is there again when the file is read back.",
    ),
    Code(
        "field_translated", 0,
        "{path}：{found} 用自己的写法表示",
        "{path}: {found} says it in its own way",
        about_zh="意思还在，只是换了地方或写法：正则写成 /…/，编号变成整数，大小写写成 caseSensitive。",
        about_en="The meaning stays, in another place or form: patterns become /…/, ids whole numbers, "
        "case_sensitive caseSensitive.",
    ),
    Code(
        "decorators_left_out", 0,
        "{path}：{found} 条内容开头的 @@ 装饰器不写出",
        "{path}: the @@ decorators of {found} entries are left out",
        about_zh="V3 要求回填 V2 时去掉装饰器，否则会进入提示词。",
        about_en="V3 asks for this when a card goes into V2, where they would reach the prompt.",
    ),
    Code(
        "private_left_out", 0,
        "{path}：私人记录 {found} 不导出",
        "{path}: the private note {found} is never exported",
        about_zh="chat 是上一次聊天的标题，会泄露私事。",
        about_en="chat is the title of the last chat and tells private things.",
    ),
    Code(
        "fields_filled", 0,
        "{path}：{limit} 要求的字段按空值补上：{found}",
        "{path}: fields that {limit} asks for are filled in, empty: {found}",
        about_zh="缺少的必填字段按规范的默认值写出。",
        about_en="Required fields that are missing are written with their defaults.",
    ),
    Code(
        "picture_left_out", 0,
        "JSON 装不下图片",
        "JSON cannot hold the picture",
        about_zh="要带图片请导出为 PNG 或 CHARX。",
        about_en="Export as PNG or CHARX to take it along.",
    ),
    Code(
        "assets_left_out", 0,
        "装不下随卡文件：{found}",
        "embedded files that it cannot hold: {found}",
        about_zh="要带素材请导出为 CHARX，或 V3 的 PNG。",
        about_en="Export as CHARX, or as PNG of V3, to take them along.",
    ),
    Code(
        "members_left_out", 0,
        "装不下或不可信的内容：{found}",
        "content that it cannot hold, or that is not safe: {found}",
        about_zh="别的程序存在原文件里的东西，例如 module.risum。",
        about_en="What other programs keep in the original file, such as module.risum.",
    ),
    Code(
        "copied_unchanged", 0,
        "原样带上，不含你的修改：{found}",
        "copied as they are, without your changes: {found}",
        about_zh="别的程序自己的副本，clew 不改写。",
        about_en="Copies of other programs, which clew does not rewrite.",
    ),
    Code(
        "picture_converted", 0,
        "{found} 图片转成 PNG",
        "the {found} picture is converted to PNG",
        about_zh="像素重新编码，需要 Pillow。",
        about_en="Its pixels are encoded again; this needs Pillow.",
    ),
    Code(
        "placeholder_drawn", 0,
        "这张卡没有图片，画了一个线团代替",
        "the card has no picture; a ball of thread is drawn in its place",
        about_zh="占位图由卡片内容决定，同一张卡总是同一幅。",
        about_en="The drawing depends on the card's content: the same card, the same picture.",
    ),
)  # fmt: skip

register(
    Code(
        "name_empty", 0,
        "{path} 是空的：一些程序会看不见这张卡",
        "{path} is empty: some programs lose such a card",
        about_zh="V1 起名字就是必填。",
        about_en="A name has been required since V1.",
    ),
    Code(
        "name_long", 0,
        "{path} 有 {found} 个字，超过 {limit} 个会被许多程序截断",
        "{path} has {found} characters; many programs cut names over {limit}",
        about_zh="名字会出现在每一轮对话里。",
        about_en="The name stands in every turn of a chat.",
    ),
    Code(
        "name_no_file", 0,
        "{path} 不能直接作文件名：{reason_zh}",
        "{path} cannot be a file name as it is: {reason}",
        about_zh="有的程序用名字作文件名；clew 不这样做。",
        about_en="Some programs name files by it; clew does not.",
    ),
    Code(
        "description_empty", 0,
        "{path} 和 personality 都是空的",
        "{path} and personality are empty",
        about_zh="模型对这个角色一无所知。",
        about_en="The model would know nothing about the character.",
    ),
    Code(
        "macro_open", 0,
        "{path} 里的 {{{{ 和 }}}} 数目不等",
        "{path} has not as many {{{{ as }}}}",
        about_zh="有一个宏没有写完。",
        about_en="A macro is not closed.",
    ),
    Code(
        "script_in_notes", 0,
        "{path} 里有脚本：clew 只当文字显示",
        "{path} holds a script: clew shows it as text",
        about_zh="文件里的文字只是数据，从不运行。",
        about_en="Text of a file is data and is never run.",
    ),
    Code(
        "greeting_empty", 0,
        "{path} 是空的",
        "{path} is empty",
        about_zh="没有开场白，或某个备选开场白是空的。",
        about_en="There is no first message, or an alternate one is empty.",
    ),
    Code(
        "greeting_repeated", 0,
        "{path} 与前面的开场白相同",
        "{path} repeats an earlier greeting",
        about_zh="重复的备选开场白没有用处。",
        about_en="A repeated greeting is of no use.",
    ),
    Code(
        "tag_repeated", 0,
        "{path} 重复：{found}",
        "{path} repeats {found}",
        about_zh="标签比较时不分大小写。",
        about_en="Tags are compared without case.",
    ),
    Code(
        "entry_ids_repeated", 0,
        "{path} 的编号重复：{found}",
        "{path} has ids more than once: {found}",
        about_zh="有的程序按编号找条目，重复的会丢失；clew 给每条一个自己的编号。",
        about_en="Programs that find entries by id lose one of them; clew tells them apart.",
    ),
    Code(
        "entry_without_keys", 0,
        "{path}（{found}）没有关键词，也不是常驻，永远不会出现",
        "{path} ({found}) has no keys and is not constant: it never comes up",
        about_zh="加上关键词，或设为常驻。",
        about_en="Give it keys, or make it constant.",
    ),
    Code(
        "entry_without_content", 0,
        "{path}（{found}）没有内容",
        "{path} ({found}) has no content",
        about_zh="内容为空的条目什么也不加入。",
        about_en="An entry without content adds nothing.",
    ),
    Code(
        "icon_main_unclear", 0,
        "{path} 里名为 main 的图标有 {found} 个，应恰好一个",
        "{path} has {found} icons named main; there must be one",
        about_zh="有多个图标时，V3 要求恰好一个叫 main。",
        about_en="Of several icons V3 wants exactly one to be named main.",
    ),
    Code(
        "background_main_unclear", 0,
        "{path} 里名为 main 的背景有 {found} 个，最多一个",
        "{path} has {found} backgrounds named main; there may be one",
        about_zh="V3 允许至多一个背景叫 main。",
        about_en="V3 allows at most one background named main.",
    ),
)  # fmt: skip
