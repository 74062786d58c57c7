"""Codes of the book folder: capacity, views, records, history, time travel."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "over_capacity", 2,
        "{file} 会有 {found} 字节，超过 hard cap of {limit} bytes，至少压掉 {cut_bytes} 字节",
        "{file} would have {found} bytes, over its hard cap of {limit} bytes; cut at least {cut_bytes} bytes",
        "上下文先压短角色状态行，再减人数；快照与逐章记录删次要条目。",
        "For the card shorten the characters' lines, then list fewer; for snapshots and records drop "
        "minor items.",
        about_zh="容量在任何写入之前检查：上下文.md 12288 字节，角色快照 8192 字节，逐章记录 3072 字节。",
        about_en="Capacity is checked before any write: the card 12288 bytes, a snapshot 8192, a "
        "chapter record 3072.",
    ),
    Code(
        "near_capacity", 0,
        "{kind_zh}（{kind} {file}）有 {found} 字节，目标 ≤{limit}",
        "{kind} {file} has {found} bytes, the target is {limit}",
        about_zh="提示：离硬上限还有余地，但该压缩了。",
        about_en="A note: not yet at the hard cap, but it is time to condense.",
    ),
    Code(
        "record_exists", 2,
        "chapter delta {chapter} already exists with different content：{file} 已存在且内容不同",
        "chapter delta {chapter} already exists with different content: {file}",
        "若是手写或别的工具留下的，移走或删掉该文件后重跑原事务。",
        "If it was written by hand or left by another tool, move it away and run the same transaction.",
        about_zh="append 不覆盖已有的、内容不同的逐章记录。",
        about_en="An append does not overwrite an existing chapter record with other content.",
    ),
    Code(
        "ledger_exists", 2,
        "{file} 已存在；init 绝不覆盖已初始化的项目",
        "{file} exists; init never overwrites an initialised project",
        "续写用 commit；接管别的工具留下的追踪用 clew novel adopt。",
        "Use commit to go on, or `clew novel adopt` to take over another tool's ledger.",
        about_zh="init 只在没有 _tracking-state.json 时运行。",
        about_en="init only runs where there is no _tracking-state.json.",
    ),
    Code(
        "not_adopted", 0,
        "{file} 由别的工具写成，尚未接管：视图未逐字比较，没有历史",
        "{file} was kept by another tool and is not adopted: views were not compared, there is no history",
        "下一次提交会自动接管；也可以先看 clew novel adopt --dry-run。",
        "The next commit adopts it; `clew novel adopt --dry-run` shows what that takes over.",
        about_zh="提示：可以照常提交。接管之后才有回看、撤销和逐字核对。",
        about_en="A note: commits work as usual. Looking back, undo and the comparison of views come "
        "with the adoption.",
    ),
    Code(
        "state_lost", 2,
        "{file} 不见了，历史还在",
        "{file} is gone, the history is still there",
        "clew novel undo --to-history 从历史完整恢复它。",
        "`clew novel undo --to-history` restores it whole.",
        about_zh="历史里有重建 state 所需的一切；读不到 state 绝不当作空账本。",
        about_en="The history holds all that rebuilds the state; a lost state is never an empty ledger.",
    ),
    Code(
        "history_without_state", 2,
        "{file} 还在，但 _tracking-state.json 不见了；init 不会另起炉灶",
        "{file} is there but _tracking-state.json is gone; init does not start over",
        "clew novel undo --to-history 从历史恢复 state；确要重来请先把 追踪/ 整个移走。",
        "`clew novel undo --to-history` restores the state; to start over move 追踪/ away first.",
        about_zh="历史能完整重建 state，因此丢了 state 不等于丢了账本。",
        about_en="The history rebuilds the state whole, so a lost state is not a lost ledger.",
    ),
    Code(
        "ledger_missing", 2,
        "{file} 不存在，先运行 init",
        "{file} does not exist; run init first",
        "新书：clew novel init --input init.json；已有正文：clew novel init --from-manuscript。",
        "New book: `clew novel init --input init.json`; with a manuscript: `clew novel init --from-manuscript`.",
        about_zh="这个书目录还没有追踪账本。",
        about_en="This book folder has no ledger yet.",
    ),
    Code(
        "no_book", 3,
        "从 {file} 往上找不到书目录（含 追踪/ 或 正文/ 的文件夹）",
        "no book folder (one that holds 追踪/ or 正文/) at or above {file}",
        "用 --project 指定书目录；新书先 clew novel init --new 书名。",
        "Name the book folder with --project; a new book starts with `clew novel init --new TITLE`.",
        about_zh="命令默认使用最近的、含 追踪/ 或 正文/ 的上级文件夹。",
        about_en="Commands use the nearest folder upward that holds 追踪/ or 正文/.",
    ),
    Code(
        "body_name", 0,
        "正文/ 里有文件像章节，但文件名不合格式，没有算进去：{rows}",
        "files in 正文/ look like chapters, but not by their names, and were left out: {rows}",
        "改成箭头后面的名字（不是 Markdown 的先另存为 UTF-8 纯文本）；不是章节的移到别处。",
        "Rename them as the arrows say (save what is no Markdown as UTF-8 text first); move away what is "
        "no chapter.",
        about_zh="提示：正文只认 正文/第001章_标题.md 这样的名字：半角数字，章号全书连续，不放在分卷的文件夹里。",
        about_en="A note: a body is 正文/第001章_Title.md and nothing else: ASCII digits, numbered through "
        "the whole book, not in a folder for each volume.",
    ),
    Code(
        "outline_name", 0,
        "大纲/ 里有文件像某一章的细纲，但文件名不合格式，没有读：{rows}",
        "files in 大纲/ look like outlines of chapters, but not by their names, and were not read: {rows}",
        "改成箭头后面的名字（不是 Markdown 的先另存为 UTF-8 纯文本）。",
        "Rename them as the arrows say (save what is no Markdown as UTF-8 text first).",
        about_zh="提示：细纲只认 大纲/细纲_第001章_标题.md 这样的名字；全书大纲、卷纲不在此列。",
        about_en="A note: an outline of a chapter is 大纲/细纲_第001章_Title.md; outlines of the book or of a "
        "volume are something else.",
    ),
    Code(
        "no_such_chapter", 2,
        "没有第 {found} 章可看；可用：{allowed}",
        "there is no chapter {found} to look at; available: {allowed}",
        "clew novel stats 列出写到了哪一章。",
        "`clew novel stats` says how far the book has come.",
        about_zh="可以是已提交的章；context 还可以是紧接着要写的下一章，lint 可以是任何有正文的章。",
        about_en="A committed chapter; for `context` also the next one to be written, for `lint` any that "
        "has a body.",
    ),
    Code(
        "published_chapter_undone", 0,
        "第 {chapter} 章已经发布：撤销的只是账本，读者手里的正文没有变",
        "chapter {chapter} is published: only the ledger was taken back, readers still have its text",
        "平台上也撤下了，就运行 clew novel publish --chapter {chapter} --withdraw；撤错了用 clew novel redo。",
        "If it is taken down there too, run `clew novel publish --chapter {chapter} --withdraw`; `clew novel "
        "redo` brings the commit back.",
        about_zh="提示：发布标记不随撤销消失，正文也从不触碰。",
        about_en="A note: a mark of publication outlives an undo, and bodies are never touched.",
    ),
    Code(
        "retired_layout", 2,
        "发现旧版追踪结构（retired tracking files）：{found}",
        "retired tracking files are present: {found}",
        "它们不参与解析。新开账本时 init 会把它们移入 追踪/_旧追踪存档/；已有账本请自行移走。",
        "They are never parsed. A new init moves them to 追踪/_旧追踪存档/; beside an existing ledger move "
        "them away yourself.",
        about_zh="旧结构与现行账本并存会造成两个权威，因此 commit 与 check 直接拒绝。",
        about_en="An old layout beside the ledger would be a second authority, so commit and check refuse.",
    ),
    Code(
        "view_differs", 2,
        "derived view differs from _tracking-state.json：{file} 与账本不一致",
        "derived view differs from _tracking-state.json: {file}",
        "运行 clew novel render 重建（手改的内容会留档在 追踪/.clew/aside/），或提交该章的 revision。",
        "Run `clew novel render` (the edited text is kept in 追踪/.clew/aside/), or commit a revision.",
        about_zh="派生视图完全由账本生成，禁止手改。",
        about_en="Views are rendered from the ledger and not edited by hand.",
    ),
    Code(
        "view_missing", 2,
        "派生视图缺失：{file}",
        "derived view is missing: {file}",
        "运行 clew novel render 重建。",
        "Run `clew novel render`.",
        about_zh="视图可以随时重建。",
        about_en="A view can be rebuilt at any time.",
    ),
    Code(
        "stray_file", 2,
        "{file} 不属于账本（没有对应的角色）",
        "{file} does not belong to the ledger (no such character)",
        "运行 clew novel render --prune 把它移到一边（不删除），或自行移走。",
        "Run `clew novel render --prune` to move it aside (never deleted), or move it yourself.",
        about_zh="角色状态/ 里的文件集合要与账本的角色一致；工具从不删除不是它写的文件。",
        about_en="The files in 角色状态/ must be the ledger's characters; clew never deletes a file it did "
        "not make.",
    ),
    Code(
        "record_missing", 2,
        "逐章记录缺失：{file}",
        "chapter record is missing: {file}",
        "运行 clew novel render，从历史恢复。",
        "Run `clew novel render` to restore it from the history.",
        about_zh="导入截止章之后的每一章都要有逐章记录。",
        about_en="Every chapter after the imported ones has a record.",
    ),
    Code(
        "record_differs", 2,
        "逐章记录 {file} 与历史不一致（被改动过）",
        "chapter record {file} differs from the history (it was edited)",
        "运行 clew novel render 恢复（改动会留档），内容要变请提交 revision。",
        "Run `clew novel render` to restore it (the edit is kept aside); to change it commit a revision.",
        about_zh="逐章记录是历史的一部分。",
        about_en="Chapter records are part of the history.",
    ),
    Code(
        "record_name", 2,
        "逐章记录 {file} 的文件名不规范或超出已写章（应为 {allowed}）",
        "chapter record {file} has no canonical name or is beyond the last chapter (expected {allowed})",
        about_zh="文件名是 第NNN章.md，至少三位数字。",
        about_en="The name is 第NNN章.md with three or more digits.",
    ),
    Code(
        "changed_outside", 2,
        "账本被 clew 以外的工具或手改动过：{file} 是修订 {found}，历史止于修订 {limit}，内容对不上",
        "the ledger was changed by something other than clew: {file} is at revision {found}, the history "
        "ends at revision {limit}, and they do not agree",
        "核对后二选一：clew novel adopt（以现状为新基线）或 clew novel undo --to-history（恢复历史所载，现状留档）。",
        "Look at the differences, then either `clew novel adopt` (take it as the new baseline) or "
        "`clew novel undo --to-history` (restore what the history says; the other is kept aside).",
        about_zh="state 的摘要与历史最后一行不符。clew 不猜哪个对。",
        about_en="The state's digest is not that of the last line of the history. clew does not guess.",
    ),
    Code(
        "history_broken", 2,
        "{file} 第 {line} 行起断链：{reason}",
        "{file} is broken at line {line}: {reason}",
        "运行 clew novel history repair：所有行原样留档，以现在的 state 为新基线。",
        "Run `clew novel history repair`: every line is kept aside and the present state becomes the "
        "new baseline.",
        about_zh="常见原因：git 合并或网盘把两份历史拼在一起。",
        about_en="Usual cause: a git merge or a cloud folder joined two histories.",
    ),
    Code(
        "history_torn", 2,
        "{file} 末尾有 {found} 字节残行，未采用",
        "{file} ends in {found} bytes of a torn line, which were not used",
        "下一次提交会把残行留档。",
        "The next commit keeps them aside.",
        about_zh="断电可能留下半行；半行从不被当作已提交。",
        about_en="A power cut can leave half a line; it is never taken for a commit.",
    ),
)  # fmt: skip
