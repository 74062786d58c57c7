"""Codes of what an import takes and leaves, where files may be written, and a shelf that is short."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "library_left_out", 0,
        "{file} 在书库 {found} 里，书库自己的文件没有导入",
        "{file} lies in the library {found}; a library's own files are not imported",
        "要它的卡片：先逐张导出 clew card export 卡片 --library {found} --out 文件夹，再导入。",
        "To have its cards, export them with `clew card export CARD --library {found} --out DIR` and "
        "import what was written.",
        about_zh="提示：书库里的版本文件和源文件已经是卡片，再当文件导入只会得到重复的卡。"
        "书库文件夹里你自己放的文件照常导入。",
        about_en="A note: what a library keeps are cards already; imported as files, each would come "
        "again. Files of your own that lie in a library's folder are imported as usual.",
    ),
    Code(
        "dead_link", 3,
        "{file} 是一个链接，指向的文件不在",
        "{file} is a link to a file that is not there",
        "恢复它指向的文件，或删掉这个链接。",
        "Bring back what it leads to, or delete the link.",
        about_zh="文件夹里的链接会照读；指向的文件没了，就没有可读的。",
        about_en="Links to files in a folder are read. Where the file is gone there is nothing to read.",
    ),
    Code(
        "picture_cut", 2,
        "{file} 没有传完：{kind} 在图片中间就断了，到断处为止没有卡片",
        "{file} is cut off: the {kind} ends before its end, and there is no card in what is left",
        "重新下载或复制一次。",
        "Download or copy it again.",
        about_zh="PNG 缺结尾。卡片若写在断处之后，就随着丢了；完整的文件里多半还有。",
        about_en="The end of the PNG is missing. A card that stood behind the cut is lost with it; the "
        "whole file most likely has it.",
    ),
    Code(
        "inside_library", 2,
        "{file} 在书库 {found} 自己的地方，不能往那里写",
        "{file} is among the files that the library {found} keeps for itself; nothing is written there",
        "写到别处：书库的 assets/、books/、sessions/、library.json 和 index.sqlite 由 clew 管理。",
        "Write it somewhere else: assets/, books/, sessions/, library.json and index.sqlite are clew's.",
        about_zh="报告和导出从不写进书库自己的文件，加 --force 也不行：那会毁掉卡片或整个书库。",
        about_en="No report and no export is written over a library's own files, not even with --force: "
        "it would cost a card, or the library.",
    ),
    Code(
        "report_taken", 2,
        "{file} 已有一个不是报告的文件，没有覆盖；什么也没有导入",
        "there is a file at {file} that is no report; it was not replaced, and nothing was imported",
        "给报告另起一个名字。",
        "Give the report another name.",
        about_zh="--report 只覆盖以前的导入报告，从不覆盖别的文件。",
        about_en="--report replaces an older report of an import, and never any other file.",
    ),
    Code(
        "no_report_folder", 3,
        "没有文件夹 {file}，报告无处可写；什么也没有导入",
        "there is no folder {file} to write the report in; nothing was imported",
        "先建好它，或把报告写到别处。",
        "Make it first, or write the report somewhere else.",
        about_zh="导入之前先看报告写不写得成，免得导完却没有报告。",
        about_en="Whether the report can be written is asked before the import begins.",
    ),
    Code(
        "report_not_written", 2,
        "报告 {file} 没有写成：{reason}",
        "the report {file} was not written: {reason}",
        "导入的结果就在这里；要报告就再运行一次同样的命令。",
        "What was imported is told here. For a report run the same command again.",
        about_zh="报告和导入是两回事：已导入的不受影响。",
        about_en="A report is one thing and an import another: what was imported stays imported.",
    ),
    Code(
        "shelf_short", 0,
        "书架历史 {file} 不全，少了 {found} 项；列出的内容是按卡片自己的文档来的",
        "the shelf's history {file} is short of {found}; what is shown comes from the cards' own documents",
        "什么都没有丢：clew library repair 按文档补全历史。",
        "Nothing is lost: `clew library repair` makes the history whole again from the documents.",
        about_zh="assets/shelf.jsonl 不见了、被截短，或少了几行。卡片都在；补全之前列表和搜索会慢一些。",
        about_en="assets/shelf.jsonl is missing, cut short, or has lost lines. The cards are there; lists "
        "and searches are slower until it is mended.",
    ),
    Code(
        "no_such_label", 0,
        "{name} 没有 {found} 这个标签",
        "{name} has no label {found}",
        "clew card show 列出它的标签。",
        "`clew card show` lists its labels.",
        about_zh="提示：--untag 只去掉你自己加的标签，不分大小写。",
        about_en="A note: --untag removes labels of your own, compared without case.",
    ),
    Code(
        "tag_of_card", 0,
        "{found} 是 {name} 这张卡自己写的标签，--untag 不改卡片的内容",
        "{found} is a tag that {name} itself carries; --untag does not change what a card says",
        "要改卡片自己的标签：clew card edit 卡片 --set-json 'tags=[…]'",
        "To change the card's own tags: clew card edit CARD --set-json 'tags=[…]'",
        about_zh="提示：你加的标签和卡片自带的标签分开存放；改卡片就是新的一版。",
        about_en="A note: your labels and the tags of the card are kept apart. To change the card is a "
        "new version.",
    ),
)  # fmt: skip
