"""Codes of the layers: refusals, intents, thoughts, what hangs, diary, voice, mood, opening."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "cause_needed", 2,
        "心情的改变必须有原因",
        "a change of mood needs a cause",
        '加上 --cause "因为什么"。',
        'Add --cause "because of what".',
        about_zh="没有来源的情绪只是噪声。宁可粗糙，也要有理由。",
        about_en="A mood that comes from nowhere is noise. A rough reason is better than none.",
    ),
    Code(
        "source_needed", 2,
        "心情的原因必须有来源：{found}",
        "the cause of a mood needs a source: {found}",
        "--source 写 {allowed} 之一，后面可以加 :编号，如 event:e12。",
        "Give --source one of {allowed}, with :ID behind it if wanted, like event:e12.",
        about_zh="来源说明原因从哪里来：一个人的话、自己、一件事、一次醒来、一条消息。",
        about_en="The source says where the cause comes from: a person's words, the persona itself, an "
        "event, a wake, a message.",
    ),
    Code(
        "mood_value", 2,
        "{found} 不能用作心情，要的是{allowed}",
        "{found} cannot be used for mood; what is wanted: {allowed}",
        '写一个数，例如 clew persona mood set 0.7 --cause "…" --source self；形容词写进 --cause。',
        'Write a number, as in `clew persona mood set 0.7 --cause "…" --source self`; the word for it goes '
        "into --cause.",
        about_zh="心情在 0 到 1 之间；一次推动的上限另说（mood_push）。",
        about_en="Mood is between 0 and 1; how far one push goes is another matter (mood_push).",
    ),
    Code(
        "mood_push", 2,
        "一次推动 {found} 太多，最多 {limit}",
        "a push of {found} is too much; at most {limit} at once",
        "推得少一点；要直接到某个值，用 clew persona mood set。上限是 persona.toml 里 [mood] 的 impulse_most。",
        "Push less; `clew persona mood set` goes to a value at once. The limit is impulse_most under [mood] of "
        "persona.toml.",
        about_zh="一件事再大，也不该一下子换掉整个心情。",
        about_en="However much happens, one thing does not change a mood from end to end.",
    ),
    Code(
        "no_such_entry", 3,
        "没有编号为 {found} 的{name}（有：{allowed}）",
        "there is no {name} {found} (there are: {allowed})",
        "用同一个命令的 list 看编号。",
        "`list` of the same command shows the ids.",
        about_zh="编号见 list。",
        about_en="`list` shows the ids.",
    ),
    Code(
        "entry_closed", 2,
        "{found} 已经了结了",
        "{found} is closed already",
        about_zh="同一项只能了结一次。",
        about_en="An entry is closed once.",
    ),
    Code(
        "entry_text", 2,
        "要写明内容：{name}",
        "a text is needed: {name}",
        "写在动作后面；几个词要是一项，就加引号。",
        "Write it behind the action; several words that are one go in quotation marks.",
        about_zh="这个动作要带文字或编号。",
        about_en="This action needs a text or an id.",
    ),
    Code(
        "bad_date", 2,
        "{path} 不是日期：{found}",
        "{path} is not a date: {found}",
        "写成 YYYY-MM-DD。",
        "Write it as YYYY-MM-DD.",
        about_zh="日期按人格自己的时区，写成 YYYY-MM-DD。",
        about_en="A date is in the persona's own zone, written YYYY-MM-DD.",
    ),
    Code(
        "no_refusals", 1,
        "refusals.toml 里还没有一条拒绝",
        "there is no refusal in refusals.toml yet",
        "写上第一条；格式见 docs/persona.md。",
        "Write the first one; docs/persona.md shows the format.",
        about_zh="骨架长在“不做什么”上。没有拒绝，人格会被磨平。",
        about_en="The bones are in what it does not do. Without refusals a persona is worn smooth.",
    ),
    Code(
        "refusal_gone", 0,
        "{found} 曾经在 refusals.toml 里，现在不在了",
        "{found} once stood in refusals.toml and does not any more",
        "若不是有意删的，从备份恢复，或照 refusals.jsonl 里的记录补回。",
        "If that was not meant, restore a backup, or write it again: refusals.jsonl knows its id.",
        about_zh="提示：展示过或问过的拒绝条目从文件里消失了。文件被截断时也会这样。",
        about_en="A note: a refusal that was shown or asked about is gone from the file. A file that was "
        "cut short looks like that, too.",
    ),
    Code(
        "no_probe", 1,
        "{found} 没有试探的问题",
        "{found} has no probe question",
        "在 refusals.toml 里给它写 probe。",
        "Write its `probe` in refusals.toml.",
        about_zh="每条拒绝都有一个问题，隔一阵问一次，看它还在不在。",
        about_en="Every refusal has a question that is asked now and then, to see whether it still stands.",
    ),
    Code(
        "no_samples", 1,
        "voice.md 里还没有语气样本",
        "there is no sample of speech in voice.md yet",
        "用 clew persona voice add 加上原话。",
        "Add what was really said with `clew persona voice add`.",
        about_zh="开口前读三条原话，比形容词有用。",
        about_en="Three things that were really said serve better than adjectives.",
    ),
    Code(
        "opening_too_small", 1,
        "开场卡放不下身份和全部拒绝：至少要 {found} {name}，上限是 {limit}",
        "the opening card cannot hold the identity and all refusals: it needs {found} {name} at least, and "
        "the limit is {limit}",
        "用 {allowed} 给到 {found} 以上（默认值是 persona.toml 里 [quotas] 的 opening_bytes），或写短身份卡和拒绝。",
        "Give {found} or more with {allowed} (the default is opening_bytes in [quotas] of persona.toml), or "
        "shorten identity and refusals.",
        about_zh="身份和拒绝从不截断，也从不省略：放不下就说放不下。",
        about_en="Identity and refusals are never cut and never left out: where they do not fit, that "
        "is said.",
    ),
    Code(
        "diary_empty", 2,
        "日记要有内容",
        "a diary entry needs a text",
        "写在命令后面，或用 - 从标准输入读。",
        "Write it behind the command, or use --file.",
        about_zh="空的一天不用写。",
        about_en="A day without words needs no entry.",
    ),
)  # fmt: skip
