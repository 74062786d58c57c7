"""Codes of chapter files: drafts, outlines, lengths, and notes on what was done."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "recount_needed", 2,
        "第 {chapter} 章已有字数记录，而正文或目标已改过：修订须走 chapter commit 重新计数",
        "chapter {chapter} has a word-count record and its body or target changed: revise it through "
        "`chapter commit`, which counts again",
        "clew chapter commit --chapter {chapter} --input …",
        "clew chapter commit --chapter {chapter} --input …",
        about_zh="已有字数记录的章节，正文变了，记录就不再对得上。",
        about_en="Where a chapter has a word-count record, a changed body makes it untrue.",
    ),
    Code(
        "wordcount_stale", 2,
        "第 {chapter} 章的 wordcount record is stale：正文或目标在检查之后变了",
        "the wordcount record is stale: the body or target of chapter {chapter} changed after the check",
        "重跑同一条命令。",
        "Run the same command again.",
        about_zh="检查与提交看的必须是同一份正文。",
        about_en="The check and the commit must see the same bytes.",
    ),
    Code(
        "chapter_mismatch", 2,
        "事务写的是第 {found} 章，命令指定的是第 {allowed} 章",
        "the transaction is for chapter {found}, the command for chapter {allowed}",
        about_zh="--chapter 与事务里的 chapter 必须一致。",
        about_en="--chapter and the transaction's chapter must agree.",
    ),
    Code(
        "nothing_to_undo", 1,
        "没有可以撤销的提交",
        "there is no commit to undo",
        about_zh="已经回到初始或接管时的状态。",
        about_en="This is the state as it was initialised or adopted.",
    ),
    Code(
        "nothing_to_redo", 1,
        "没有可以重做的撤销",
        "there is no undo to redo",
        about_zh="撤销之后一旦有新提交，就不能再重做。",
        about_en="A new commit after an undo ends redoing.",
    ),
    Code(
        "no_such_point", 1,
        "历史里没有这个点：{found}（可用：{allowed}）",
        "the history has no such point: {found} (available: {allowed})",
        about_zh="导入的章节在接管之前没有逐章历史。",
        about_en="Imported chapters have no history of their own.",
    ),
    Code(
        "draft_exists", 1,
        "{file} 已有第 {found} 章的草稿，不覆盖",
        "{file} already holds a draft for {found}; it was not overwritten",
        "确认不要了再加 --force。",
        "Add --force if you do not want it any more.",
        about_zh="草稿里可能有已填的内容。",
        about_en="A draft may hold work already done.",
    ),
    Code(
        "not_one_file", 2,
        "第 {chapter} 章的{kind_zh}应恰好一个，找到 {found} 个：{allowed}",
        "chapter {chapter} must have exactly one {kind}, found {found}: {allowed}",
        about_zh="每章恰好一个细纲、一个正文；_原稿_ 备份不算。",
        about_en="Each chapter has exactly one outline and one body; _原稿_ backups do not count.",
    ),
    Code(
        "bad_outline", 2,
        "{file}:{line} {reason}",
        "{file}:{line} {reason}",
        "细纲开头照这样写：{head}。作者范围另写一行，在目标旁边、不代替目标：字数范围：2000-2600。",
        "The outline begins like this: {head}. A range is a line of its own beside the target: Length range: "
        "2000-2600.",
        about_zh="目标字数、口径或作者范围缺失、冲突或写法不对。",
        about_en="The length target, metric or author range is missing, in conflict or misspelt.",
    ),
    Code(
        "quality_blocked", 1,
        "正文有 {found} 处必须先改的问题：{where}",
        "the body has {found} findings that must be mended first: {where}",
        "逐条修改后重跑 chapter check。有意这样写的句子由作者决定放行，不必改写：在 正文/.clew-prose.toml 开头写 "
        '`literals = ["原句"]`，或在 `[thresholds]` 下调该规则的阈值；整章有意，章首写 `<!-- clew:prose-skip -->`。',
        "Mend each of them and run `chapter check` again. A sentence that is meant need not be rewritten, by "
        'the author\'s decision: `literals = ["the text"]` at the top of 正文/.clew-prose.toml, or the rule\'s '
        "threshold under `[thresholds]`, or `<!-- clew:prose-skip -->` on top of a chapter whose manner is meant.",
        about_zh="阻止提交的有：写作助手的应答与控制符、没填的占位与模板字段、大纲用语、断尾、逐字重复、乱码；"
        "中文章节还有几种确凿的腔调（否定一种情绪来肯定另一种、「声音不大，却……」、连排的「没有」、"
        "预告或封口的结尾）；严格标点的书还有 —— 与 ……。"
        "更正实事的句子不在其内。全部规则见 docs/prose-rules.md。",
        about_en="What blocks: replies and control marks of a writing assistant, empty placeholders and template "
        "fields, labels of the outline, a torn end, verbatim repeats, lost characters; in Chinese chapters also "
        "a few turns that are sure to be a manner (one feeling denied for another, “not loud, yet …”, rows of "
        "denied feelings, endings like a trailer or a seal); in a strict book —— and ……. Corrections of fact are "
        "left alone. All rules: docs/prose-rules.md.",
    ),
    Code(
        "length_over_band", 2,
        "字数 {found} 超出 {allowed}，至少删 {cut_chars} 字",
        "the length {found} is over {allowed}; cut at least {cut_chars} characters",
        "只删不加地压缩一遍再检查；或改细纲目标；或由作者决定 accept-current-length。",
        "Cut once without adding and check again; or change the outline's target; or let the author "
        "decide on accept-current-length.",
        about_zh="chapter commit 只接受生效区间内的章节。",
        about_en="`chapter commit` accepts chapters within the effective band only.",
    ),
    Code(
        "length_under_band", 2,
        "字数 {found} 不足 {allowed}，还差至少 {missing} 字",
        "the length {found} is under {allowed}; at least {missing} characters are missing",
        "由作者接着写；或改细纲目标；或由作者决定 accept-current-length。工具不自动补写。",
        "Write on; or change the outline's target; or let the author decide on accept-current-length. "
        "clew never pads a chapter.",
        about_zh="chapter commit 只接受生效区间内的章节。",
        about_en="`chapter commit` accepts chapters within the effective band only.",
    ),
    Code(
        "length_in_band", 2,
        "字数 {found} 在 {allowed} 内，直接 chapter commit",
        "the length {found} is within {allowed}; use `chapter commit`",
        about_zh="accept-current-length 只用于带外的章节。",
        about_en="accept-current-length is for chapters outside the band.",
    ),
    Code(
        "below_accept_floor", 2,
        "字数 {found} 低于目标一半（{limit}），不能按现长接受",
        "the length {found} is below half the target ({limit}) and is not accepted as it is",
        "补写，或作者明确拍板时加 --force。",
        "Write on, or add --force when the author has decided.",
        about_zh="低于目标一半多半是没写完。",
        about_en="Below half the target a chapter is most likely unfinished.",
    ),
    Code(
        "compression_required", 2,
        "超长章节要先做一次净删压缩（现 {found} 字，上限 {limit} 字）",
        "an over-long chapter is compressed once first (now {found}, at most {limit})",
        "只删不加地压缩一遍再检查；作者明确拍板时加 --force。",
        "Cut once without adding, then check again; add --force when the author has decided.",
        about_zh="先证明做过一次压缩，才可以按现长接受。",
        about_en="One compression must have been made before an over-long chapter is accepted.",
    ),
    Code(
        "empty_body", 1,
        "正文为空或无法计数：{file}",
        "the body is empty or cannot be counted: {file}",
        about_zh="空正文是 invalid，不是质量问题。",
        about_en="An empty body is `invalid`, not a finding of quality.",
    ),
    Code(
        "work_kept", 0,
        "{file} 不是 clew 写的，已移到 {found}",
        "{file} was not made by clew; it was moved to {found}",
        about_zh="提示：提交成功后该章的草稿目录会删除，里面别人放的文件会留档。",
        about_en="A note: a committed chapter's scratch folder is removed; files that others put there "
        "are kept aside.",
    ),
    Code(
        "sections_emptied", 0,
        "修订后第 {chapter} 章记录的这些栏目被清空：{found}",
        "the revision empties sections of the record of chapter {chapter}: {found}",
        about_zh="提示：修订是整份重算，漏写的项会从记录里消失。",
        about_en="A note: a revision writes the record anew; what is left out disappears from it.",
    ),
    Code(
        "layout_archived", 0,
        "旧追踪结构已原样移入 {file}：{found}",
        "the retired layout was moved to {file} as it was: {found}",
        about_zh="提示：旧内容留给作者查阅，不参与解析。",
        about_en="A note: the old files are kept for the author and never parsed.",
    ),
    Code(
        "adopted_first", 0,
        "这本账由别的工具写成，已先接管为历史基线（修订 {found}）",
        "this ledger was kept by another tool; it was adopted as the baseline first (revision {found})",
        about_zh="提示：接管不改动 state 内容。",
        about_en="A note: adopting does not change the state.",
    ),
    Code(
        "repaired", 0,
        "上次写入被中断，已自动补完：{found}",
        "an interrupted change was completed: {found}",
        about_zh="提示：崩溃或断电之后的下一条命令会自行修复。",
        about_en="A note: the next command after a crash or power cut repairs by itself.",
    ),
    Code(
        "edit_set_aside", 0,
        "{file} 与账本不一致，已留档到 {found} 并重建",
        "{file} differed from the ledger; it was kept at {found} and rebuilt",
        about_zh="提示：手改的视图不会丢，但也不会生效。",
        about_en="A note: an edited view is not lost, but it does not count either.",
    ),
    Code(
        "already_committed", 0,
        "这份事务正是历史的最后一行，已经提交过",
        "this very transaction is the last line of the history: already committed",
        about_zh="提示：重跑同一事务是安全的。",
        about_en="A note: running the same transaction again is safe.",
    ),
    Code(
        "many_active", 0,
        "活跃角色 {found} 人；较早的同类工具上限是 6 人",
        "{found} active characters; older tools of this format allow 6",
        about_zh="提示：只影响与旧工具混用。",
        about_en="A note: it only matters where an older tool reads the same ledger.",
    ),
    Code(
        "views_pending", 0,
        "账本已提交，但这些视图没能写出：{found}；下一条命令会重建",
        "the commit is done, but these views could not be written: {found}; the next command renders them",
        about_zh="提示：视图不是权威，可随时重建。",
        about_en="A note: views are not the authority and can be rendered at any time.",
    ),
)  # fmt: skip
