"""Codes of drafts: prefilled transactions, the draft of an init document, backfilled chapters."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "draft_chapter", 2,
        "第 {found} 章没有可写的草稿；可选 {allowed}",
        "there is no draft to write for chapter {found}; possible: {allowed}",
        "已提交的章得到修订草稿，下一章得到新章草稿；章号不能跳。",
        "A committed chapter gets a revision draft, the next one an append draft; numbers do not skip.",
        about_zh="draft 只面向已提交的章和紧接着的下一章。",
        about_en="draft serves the committed chapters and the one that comes next.",
    ),
    Code(
        "draft_committed", 2,
        "找不到 {file}：第 {chapter} 章已经在修订 {found} 提交，提交成功后草稿会自动删除",
        "{file} does not exist: chapter {chapter} is committed in revision {found}, and a draft is removed "
        "once it is committed",
        "不用再交。核对用 clew novel history；要改这一章，先 clew novel draft --chapter {chapter} 起修订草稿。",
        "Nothing is left to do. `clew novel history` shows it; to change the chapter draft a revision with "
        "`clew novel draft --chapter {chapter}`.",
        about_zh="超时或中断之后重跑提交命令，而上一次其实成功了，就会看到这一条。",
        about_en="Seen where the command is run again after a time-out or an interruption, and the first "
        "run had done it.",
    ),
    Code(
        "draft_unreadable", 1,
        "{file} 里已有内容，但不是能读懂的草稿，没有覆盖",
        "{file} holds something that cannot be read as a draft; it was not overwritten",
        "修好它再跑，或加 --force 重写：旧内容会以 .before-时间 为名留在旁边。",
        "Mend it and run again, or add --force to start over: the old text is kept beside it as "
        ".before-<time>.",
        about_zh="草稿可能只是少了一个逗号，里面的内容仍是作者的，所以不覆盖。",
        about_en="A draft may lack nothing but a comma, and what it holds is the author's work.",
    ),
    Code(
        "draft_kept", 0,
        "{file} 的草稿就是按当前修订写的，原样保留",
        "the draft in {file} was made for the present revision and was left as it is",
        about_zh="提示：重复运行 draft 不会动已经填过的内容。",
        about_en="A note: running draft again never touches what was filled in.",
    ),
    Code(
        "draft_merged", 0,
        "{file} 的草稿按修订 {found} 写成，已换成修订 {allowed} 的上下文，填过的内容保留",
        "the draft in {file} was made for revision {found}; its context is now that of revision "
        "{allowed}, and what was filled in was kept",
        about_zh="提示：上下文取自当前账本，与旧草稿不同的地方列在 differences 里，请核对。",
        about_en="A note: the context comes from the ledger as it is; `differences` lists what the old "
        "draft said instead.",
    ),
    Code(
        "draft_aside", 0,
        "原来的内容留在 {found}",
        "what was there before is kept as {found}",
        about_zh="提示：草稿被重写或有内容被去掉时，旧文件留在旁边。",
        about_en="A note: the old file stays beside a draft that was replaced or lost a part.",
    ),
    Code(
        "draft_snapshot_dropped", 0,
        "这些角色已不在账本里，草稿去掉了他们的快照：{found}",
        "these characters are no longer in the ledger; their snapshots were taken out of the draft: "
        "{found}",
        "要让角色回来，请在草稿里重新写上快照。",
        "To bring a character back, write the snapshot into the draft again.",
        about_zh="提示：把退役角色的旧快照交上去会让他复活，所以不沿用。",
        about_en="A note: an old snapshot of a retired character would bring the character back.",
    ),
    Code(
        "draft_without_record", 0,
        "第 {chapter} 章没有可读的逐章记录，草稿的 delta 留空",
        "chapter {chapter} has no chapter record that can be read; the draft's delta is empty",
        "照正文填写这一章确立的内容。",
        "Fill in what the chapter established, from its body.",
        about_zh="提示：导入的章节在补记之前没有逐章记录。",
        about_en="A note: an imported chapter has no record until it is backfilled.",
    ),
    Code(
        "draft_row_skipped", 0,
        "第 {chapter} 章记录里的 {found} 与现在的账本对不上（登记后已删除，或删除后又登记），草稿没有带上",
        "the record of chapter {chapter} names {found}, which the ledger contradicts (deleted since, or "
        "recorded again since); left out of the draft",
        about_zh="提示：带上它们会改动现在的账本；需要时请自行写进 delta。",
        about_en="A note: they would change the ledger as it is now. Write them in yourself if you mean to.",
    ),
    Code(
        "draft_character_gone", 0,
        "第 {chapter} 章记录里的核心角色 {found} 现在没有快照（已退役），草稿不带他们的快照",
        "core characters in the record of chapter {chapter} have no snapshot now (they retired): {found}; "
        "the draft hands in none for them",
        about_zh="提示：变化照旧保留；再交快照会让退役的角色回到账本。",
        about_en="A note: the change is kept; a snapshot would bring the retired character back.",
    ),
    Code(
        "title_differs", 0,
        "第 {chapter} 章在大纲里叫 {found}，记录里叫 {allowed}；草稿沿用记录里的",
        "the outline calls chapter {chapter} {found}, its record {allowed}; the draft keeps the record's",
        "改名请改草稿的 chapter_title。",
        "To rename the chapter change chapter_title in the draft.",
        about_zh="提示：修订草稿原样提交时不会改动记录。",
        about_en="A note: a revision draft that is committed unchanged leaves the record as it was.",
    ),
    Code(
        "not_imported", 2,
        "{path} 是第 {found} 章，不在导入范围内（{allowed}）",
        "{path} is chapter {found}, which was not imported (imported: {allowed})",
        "导入范围之后的章用 clew novel draft 和 commit。",
        "For later chapters use `clew novel draft` and `commit`.",
        about_zh="backfill 只补记 init 时导入的旧章，导入截止章从不改变。",
        about_en="backfill records chapters that were imported at init; where the import ended never changes.",
    ),
    Code(
        "backfill_mode", 2,
        "{path} 是 {found}；补记导入的章只能用 {allowed}",
        "{path} is {found}; an imported chapter is recorded with {allowed}",
        about_zh="导入的章已经在账本里，补记是给它加一份覆盖记录，不是追加新章。",
        about_en="An imported chapter exists already; backfilling adds a record to it and appends nothing.",
    ),
    Code(
        "no_manuscript", 3,
        "{file} 下没有章节正文，也没有细纲",
        "there are no chapter bodies and no outlines in {file}",
        "正文放在 正文/第001章_标题.md，细纲放在 大纲/细纲_第001章_标题.md；"
        "还没动笔的新书用 clew novel init --new 书名。",
        "Bodies are 正文/第001章_Title.md, outlines 大纲/细纲_第001章_Title.md; a book of which nothing is "
        "written yet starts with `clew novel init --new TITLE`.",
        about_zh="没有稿子可读；新书用 clew novel init --new 书名 得到 init 草稿。",
        about_en="There is no manuscript to read; `clew novel init --new TITLE` drafts a new book.",
    ),
    Code(
        "bodies_there", 0,
        "正文/ 里已有 {found} 章正文：这不是空白的新书，草稿按导入到第 {limit} 章来写",
        "there are bodies of {found} chapters in 正文/: this is no empty book, and the draft imports them "
        "through chapter {limit}",
        "书名取自大纲或文件夹、其余一样：clew novel init --from-manuscript；真要从头写，先把旧正文移走。",
        "`clew novel init --from-manuscript` does the same with the title of the outline or the folder; to "
        "begin from nothing move the old bodies away first.",
        about_zh="提示：init --new 是给还没动笔的书用的。",
        about_en="A note: `init --new` is for a book of which nothing is written.",
    ),
    Code(
        "init_draft_kept", 0,
        "{file} 已有初始化草稿，原样保留",
        "{file} holds a draft of the init document already; it was left as it is",
        "要按现在的稿子重写，加 --force（旧文件会留在旁边）。",
        "Add --force to write it anew from the manuscript (the old file stays beside it).",
        about_zh="提示：草稿里可能有作者填过的内容。",
        about_en="A note: the draft may hold work already done.",
    ),
    Code(
        "manuscript_gap", 0,
        "正文缺第 {found} 章，导入只到第 {limit} 章",
        "the manuscript lacks chapter {found}; it is imported through chapter {limit} only",
        "补上缺的章再跑，或在草稿里自行决定 last_chapter。",
        "Add what is missing and run again, or decide on last_chapter in the draft yourself.",
        about_zh="提示：章号要连续，缺口之后的章不算已写。",
        about_en="A note: chapters are numbered without gaps; what comes after one does not count as written.",
    ),
    Code(
        "odd_encoding", 0,
        "{file} 不是 UTF-8，看起来是 {found}；字数和人名按 {found} 读出",
        "{file} is not UTF-8, it looks like {found}; lengths and names were read as {found}",
        "把文件另存为 UTF-8，否则字数检查和提交读不了它。",
        "Save the file as UTF-8; counting and committing cannot read it otherwise.",
        about_zh="提示：旧稿常见 GBK 或 UTF-16。clew 不改写正文，只说明是哪个文件。",
        about_en="A note: old manuscripts are often GBK or UTF-16. clew names the file and leaves it alone.",
    ),
)  # fmt: skip
