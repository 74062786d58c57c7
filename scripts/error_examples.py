"""Plausible facts for every fault code, and the commands that lead out. Data for `error_pages`.

A code that stands not in here still gets a page, with the general facts in `FACTS` and the way out
of its group. `zh` and `en` say what to do where the registry has no hint of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from clew.kernel.faults import Both


class Example(NamedTuple):
    """What one page shows besides the registry's own texts."""

    path: str = ""
    facts: Mapping[str, Any] = {}
    commands: tuple[str, ...] = ()
    zh: str = ""
    en: str = ""


_FILE: Final = ".story/work/第010章/tracking.json"
CHECK: Final = "clew novel check"
DRAFT: Final = "clew novel draft --chapter 10"
COMMIT: Final = f"clew chapter commit --chapter 10 --input {_FILE}"
ACCEPT: Final = f"clew chapter accept-current-length --chapter 10 --input {_FILE}"
LOOK: Final = "clew chapter check --chapter 10"
RENDER: Final = "clew novel render"
INIT: Final = "clew novel init --input .story/work/init.json"
SAVE: Final = "clew backup create 洪字十七号 备份/洪字十七号-0901.zip"
VERIFY: Final = "clew backup verify 备份/洪字十七号-0901.zip"
RESTORE: Final = "clew backup restore 备份/洪字十七号-0901.zip 洪字十七号-恢复"
TRUST: Final = "clew trust 洪字十七号"
EXPORT: Final = "clew novel export --to epub"
PUBLISH: Final = "clew novel publish --chapter 10"

NOTE_ZH: Final = "这是提示：命令已经照常完成，不必处理。"
NOTE_EN: Final = "A note: the command did its work, and nothing has to be done."

FACTS: Final[Mapping[str, Any]] = {
    "more": "",
    "after": "v2",
    "head": "# 第10章：章名 / 字数目标：2400 / 字数口径：visible_chars_v1",
    "times": 12,
    "phase": "design",
    "rows": "第一章 起风.md → 第001章_起风.md",
    "reason_zh": "是系统保留名",
    "kept": "/home/ada/.claude/state/smoking-persona.json.broken-20260508T101234Z",
    "names": "turn, buy",
    "action": "回收", "allowed": "1..10", "chapter": 10, "column": 5, "cut_bytes": 120,
    "cut_chars": 17, "expected": "string", "file": _FILE, "found": 11, "kind": "outline",
    "kind_zh": "细纲", "limit": 360, "line": 12, "meant": "upsert", "name": "note", "offset": 118,
    "owner": "pid 4242, studio, 2026-09-01T08:30:00.000Z", "parent": "delta",
    "path": "$.delta", "reason": "Permission denied",
}  # fmt: skip

_STATE: Final = "追踪/_tracking-state.json"
_HISTORY: Final = "追踪/_history.jsonl"
_RECORD: Final = "追踪/逐章记录/第010章.md"
_VIEW: Final = "追踪/伏笔.md"
_BODY: Final = "正文/第010章_敲门声.md"
_ZIP: Final = "备份/洪字十七号-0901.zip"
_MEMBER: Final = "content/正文/第003章_芦花滩.md"
_PLANTED: Final = "$.delta.foreshadow_changes[0]"
_EVENT: Final = "$.delta.timeline_events[0]"
_AGAIN: Final = (COMMIT,)
_ITEM: Final = "罗敬亭已死，只以字迹、器物和旁人的话出现"

_PROFILE: Final = "book-club.toml"
CHECK_PROFILE: Final = f"clew sidecar check-profile {_PROFILE}"


def _where(line: int, *, table: bool = False) -> Both:
    return Both(
        f"{_PROFILE} 第 {line} 行" + ("起的表" if table else ""),
        f"{_PROFILE}, {'in the table from line' if table else 'line'} {line}",
    )


EXAMPLES: Final[Mapping[str, Example]] = {
    "name_no_file": Example("$.data.name", {"found": "CON", "reason": "is a reserved name"}),
    "type_repaired": Example(
        "$.data.tags", {"expected": "list", "found": "dark, sea", "after": "['dark', 'sea']"}
    ),
    "key_renamed": Example(
        "$.data.character_book.entries[0]", {"found": "key", "after": "keys"}
    ),
    "field_unknown": Example("", {"found": "discription", "near": "description"}),
    "read_as_encoding": Example("", {"file": "old.json", "found": "big5", "doubt": ""}),
    "read_as_asked": Example("", {"file": "old.json", "found": "big5"}),
    "card_cut": Example("chara", {"file": "Mara.png", "reason": "it ends too early"}),
    "chunk_behind": Example("chara", {"name": "chara"}),
    "no_such_file": Example("", {"file": "Mara.png"}),
    "no_such_folder": Example("", {"file": "exports"}),
    "in_already": Example("", {"file": "old.json", "found": "c24a370f28922bc1eb85c", "name": "big5"}),
    "field_translated": Example("$.data.entries[*].case_sensitive", {"found": "World Info"}),
    "several_assets": Example("", {
        "found": "Mara", "near": "c24a370f", "more": "",
        "allowed": ["c24a370f (v2, png, Mara.png, 2026-05-01)", "c79e5b9f (v3, json, mara.json, 2026-05-02)"],
    }),
    "runner_failed": Example("", {"found": "claude"}),
    "runner_timeout": Example("", {"found": "claude"}),
    "endpoint_failed": Example("", {"file": "http://127.0.0.1:11434"}),
    "timer_refused": Example("", {"found": "systemctl --user enable --now clew-persona.timer"}),
    "name_misleads": Example("", {"file": "Mara.png", "found": "webp", "after": "png"}),
    "name_missing": Example("$.data.name", {"after": "Mara"}),
    "odd_value_kept": Example("$.data.extensions.fav", {"found": "true", "after": "true"}),
    "spec_version_odd": Example("$.spec_version", {"found": "chara_card_v3", "after": "3.0"}),
    "impossible_step": Example("", {"found": "export", "allowed": "archive"}),
    "budget_too_small": Example(
        "$.budget", {"found": 300, "limit": 728, "chapter": 14, "kind": "bytes", "kind_zh": "字节"},
        ("clew novel context --budget 4096",),
    ),
    "unknown_character": Example("", {"found": "小曼", "allowed": ["小满"]}, ("clew novel who 小满",)),
    "ambiguous_name": Example(
        "", {"found": "老板", "allowed": ["邬世昌", "佘师傅"]}, ("clew novel who 邬世昌",)
    ),
    "no_such_chapter": Example("", {"found": 77, "allowed": "1..14"}, ("clew novel stats",)),
    "no_such_finding": Example(
        "", {"found": "overdue-foreshadow:F050", "allowed": ["overdue-foreshadow:F005"]}
    ),
    "unknown_rule": Example("", {"found": "overdue", "allowed": ["overdue-foreshadow"]}),
    "aliases_bare_key": Example(
        "", {"file": "设定/别名.toml", "line": 3, "found": "江晨", "allowed": '"江晨" = ["小江"]'}
    ),
    "aliases_shared": Example("", {"found": "师父", "allowed": ["江晨", "林晚"]}),
    # ---- writing agents
    "previous_uncommitted": Example(
        facts={"file": "正文/第014章_封库.md", "chapter": 14, "found": 13, "limit": 12,
               "reason": "clew novel draft --chapter 13"},
        commands=("clew chapter check --chapter 13", "clew novel draft --chapter 13"),
    ),
    "previous_unwritten": Example(
        facts={"file": "正文/第014章_封库.md", "chapter": 14, "found": 13, "limit": 12,
               "name": "正文/第013章_满期.md"},
        commands=("clew novel context --chapter 13",),
    ),
    "outline_first": Example(
        facts={"file": "正文/第014章_封库.md", "chapter": 14, "name": "大纲/细纲_第014章_封库.md"},
        commands=("clew novel context --chapter 14",),
    ),
    "ledger_by_hand": Example(
        facts={"file": "追踪/上下文.md", "reason": "clew novel draft --chapter 13"},
        commands=("clew novel draft --chapter 13", RENDER),
    ),
    "agent_record_unreadable": Example(facts={"file": ".claude/clew-agent.json"}),
    "agent_file_changed": Example(facts={"file": ".claude/settings.json"}),
    "agent_file_kept": Example(facts={"file": ".claude/skills/clew-novel/SKILL.md"}),
    "agent_unknown": Example(facts={"name": "emacs", "allowed": ["claude", "codex", "gemini"]}),
    "lines_ahead": Example(
        facts={"file": "events.jsonl", "found": 3, "since": "2028-01-05T10:12:34Z", "until": "2028-01-05T10:31:00Z"}),
    "clock_was_ahead": Example(facts={"until": "2028-01-05T10:31:00Z"}),
    "hook_review_needed": Example(facts={"file": ".codex/hooks.json"}),
    "home_needs_user": Example(facts={"file": "/home/lin"}),
    "clew_not_on_path": Example(facts={"found": "/home/lin/books/.venv/bin/clew"}),
    "hook_python_gone": Example(
        facts={"file": ".claude/settings.json", "found": "/home/lin/old/.venv/bin/python",
               "name": "clew agent install claude --novel"}
    ),
    "hook_home_gone": Example(
        facts={"file": ".claude/settings.json", "found": "/home/lin/clew/personas/林昭", "name": "claude"}
    ),
    "agent_both": Example(facts={"name": "claude"}),
    "agent_which_persona": Example(
        facts={"allowed": ["林昭", "小满"],
               "name": "clew agent install claude --persona 林昭 · clew agent install claude --persona 小满"}
    ),
    "no_such_reader": Example("$.to", {"found": "阿登", "allowed": ["persona", "阿灯"]}),
    "no_such_note": Example("$.re", {"found": 99, "limit": 12}),
    # ---- sidecar: profiles
    "profile_toml": Example(facts={"file": _PROFILE, "line": 7, "reason": "Invalid value"}),
    "profile_key": Example(
        "fields.notes.keep_lats",
        {"file": _PROFILE, "line": 35, "where": _where(35), "allowed": ("type", "keep_last", "items")},
    ),
    "profile_missing": Example(
        "fields.book.default",
        {"file": _PROFILE, "line": 17, "where": _where(17, table=True),
         "reason": Both("没有值时用什么：default，或 null = true",
                        "what it is without a value: default, or null = true")},
    ),
    "profile_value": Example(
        "guards.summary.band",
        {"file": _PROFILE, "line": 57, "where": _where(57), "found": "[6, 4]",
         "reason": Both("[最少, 最多]，1..1000000", "[least, most], 1..1000000")},
    ),
    "profile_name": Example(
        "counters.chapter.read",
        {"file": _PROFILE, "line": 49, "where": _where(49), "found": "read",
         "allowed": ("turn_ended", "start_book", "read_chapter")},
    ),
    "profile_clash": Example(
        "events.read_chapter.change[0].set",
        {"file": _PROFILE, "line": 75, "where": _where(75),
         "reason": Both("chapter 归计数管，不能在这里改",
                        "chapter belongs to its counter and cannot be changed here")},
    ),
    "profile_case": Example(
        "case[0]",
        {"file": _PROFILE, "line": 84, "where": _where(84), "name": "a chapter needs a book",
         "reason": Both("chapter 应为 3，是 2", "chapter is 2, not 3")},
    ),
    # ---- input documents
    "wrong_type": Example(
        f"{_PLANTED}.planted_chapter", {"expected": "integer", "found": "string"}, _AGAIN,
        "改成所要求的类型后重交。", "Write a value of the expected type and submit again."),
    "missing_field": Example("$.delta.result", {"expected": "string"}, (DRAFT, COMMIT)),
    "unknown_field": Example(
        "$.context.recent_chapters",
        {"parent": "context", "name": "recent_chapters",
         "allowed": ["active_character_names", "continuity_risks", "long_term_constraints", "position"]},
        (DRAFT, COMMIT)),
    "text_too_long": Example(
        "$.delta.result", {"found": 411, "limit": 360, "cut_chars": 17}, _AGAIN),
    "empty_text": Example("$.context.position.scene", {}, _AGAIN,
        "补上这段文字后重交。", "Fill in this text and submit again."),
    "not_allowed": Example(
        f"{_PLANTED}.status", {"found": "已完成", "allowed": ["已埋", "已回收", "已过期", "放弃"]}, _AGAIN,
        "改用列出的取值之一后重交。", "Use one of the listed values and submit again."),
    "out_of_range": Example(
        "$.context.position.volume_start_chapter", {"found": 12, "allowed": "1..10"}, _AGAIN,
        "改到所列范围内后重交。", "Choose a number within the range and submit again."),
    "too_many_items": Example(
        "$.context.long_term_constraints", {"found": 7, "limit": 6}, _AGAIN),
    "duplicate_item": Example(
        "$.delta.foreshadow_changes[2].id", {"found": "F003"}, _AGAIN,
        "合并或去掉重复的一项后重交。", "Merge the two, or drop one, and submit again."),
    "bad_name": Example(
        "$.delta.character_changes[0].name",
        {"found": "汪/小满", "reason": "含有不可用的字符 / a character that no file name may have"}, _AGAIN),
    "bad_id": Example(
        f"{_PLANTED}.id", {"found": "F００1", "allowed": "F001, F002 … (F + 3 or more digits)"}, _AGAIN),
    "bad_json": Example(
        "", {"file": _FILE, "line": 12, "column": 5, "reason": "there is a comma after the last item",
             "reason_zh": "最后一项后面多了逗号", "found": '"constraints": [],}'}, _AGAIN),
    "bad_encoding": Example("", {"file": _FILE, "offset": 118}, _AGAIN),
    "duplicate_key": Example("$.delta", {"found": "constraints"}, _AGAIN),
    "bad_number": Example(
        "$.chapter", {"found": "NaN"}, _AGAIN,
        "写成普通整数后重交。", "Write a plain whole number and submit again."),
    "bad_text": Example("$.delta.result", {}, _AGAIN),
    "too_deep": Example(
        "", {"file": _FILE, "limit": 64}, (DRAFT,),
        "这不像一份事务：用 draft 重新生成后再填。",
        "This does not look like a transaction: make a fresh draft and fill it in."),
    "too_large": Example(
        "", {"file": _FILE, "found": 10_485_760, "limit": 4_000_000}, (DRAFT,),
        "核对文件是否写错；正常的事务远小于上限。",
        "See whether it is the right file; a lawful transaction is far below the cap."),
    "unsupported_schema": Example(
        "$.schema_version", {"found": 2, "allowed": 1}, (DRAFT, COMMIT),
        "事务与 init 文档写 schema_version 1；state 是 4。",
        "Transactions and init documents have schema_version 1, a state has 4."),
    "newer_schema": Example(
        "$.schema_version", {"file": "_tracking-state.json", "found": 5, "limit": 4}, ("clew --version",)),
    "bom_ignored": Example("", {"file": _FILE}),
    # ---- disk, paths, command line
    "disk_full": Example("", {"file": _STATE}, _AGAIN),
    "permission_denied": Example("", {"file": _STATE, "reason": "Permission denied"}, _AGAIN),
    "read_only_disk": Example(
        "", {"file": "追踪/.tracking-commit.lock"}, (CHECK, "clew novel stats"),
        "换到可写的磁盘再写；只读命令在这里照常可用。",
        "Write on another disk; commands that only read work here."),
    "io_failed": Example(
        "", {"file": _STATE, "reason": "Input/output error"}, (CHECK,),
        "检查磁盘与挂载，先做一份备份，再重跑。",
        "Look after the disk and its mount, make a backup, then run the command again."),
    "unsafe_path": Example(
        "", {"file": "正文/第003章_芦花滩.md", "reason": "符号链接指向书外 / a link leads outside"}, (CHECK,),
        "把文件本身放进书目录，或改用书内的相对路径。",
        "Put the file itself into the book folder, or name a relative path inside it."),
    "missing_file": Example("", {"file": _FILE}, (DRAFT,)),
    "usage": Example(
        "", {"reason": "缺少 --input FILE / --input FILE is missing"}, ("clew novel commit --help",)),
    # ---- lock, journal
    "locked": Example(
        "", {"file": "追踪/.tracking-commit.lock", "owner": FACTS["owner"], "limit": 10.0},
        (f"{COMMIT} --lock-timeout 60",)),
    "recovery_conflict": Example(
        "", {"file": _STATE, "size": 5628},
        ("clew novel recover", "clew novel recover --keep journal", "clew novel recover --keep disk")),
    "edited_meanwhile": Example("", {"file": _STATE}, _AGAIN),
    "target_exists": Example(
        "", {"file": "追踪/_旧追踪存档/时间线.md"}, (INIT,),
        "把占住位置的文件移走或改名，再重跑。",
        "Move or rename what is in the place, then run the command again."),
    "publish_incomplete": Example("", {"file": _STATE, "reason": "Permission denied"}, (CHECK,)),
    # ---- backup
    "archive_foreign": Example("", {"file": "下载/照片.zip"}, (SAVE,)),
    "archive_cut": Example("", {"file": _ZIP}, (VERIFY,)),
    "archive_manifest_damaged": Example("", {"file": "clew-backup.json", "reason": "CRC / zlib"}, (VERIFY,)),
    "archive_member_damaged": Example("", {"file": _MEMBER}, (VERIFY,)),
    "archive_member_missing": Example("", {"file": _MEMBER}, (VERIFY,)),
    "archive_member_extra": Example("", {"file": "content/多出来的.md"}, (VERIFY,)),
    "archive_member_repeated": Example("", {"file": _MEMBER}, (VERIFY,)),
    "archive_member_unsafe": Example(
        "", {"file": "../../.bashrc", "reason": "路径越出文件夹 / the path leads outside the folder"}, (VERIFY,)),
    "archive_member_bomb": Example("", {"file": "content/大.bin", "found": 10_737_418_240}, (VERIFY,)),
    "restore_target_taken": Example("", {"file": "洪字十七号"}, (RESTORE,)),
    "restore_no_room": Example("", {"file": "/", "found": 48_000_000, "limit": 12_000_000}, (RESTORE,)),
    "restore_names_merge": Example("", {"file": "设定/Note.md"}, (RESTORE,)),
    "restore_differs": Example("", {"file": "正文/第003章_芦花滩.md"}, (VERIFY, RESTORE)),
    "backup_exists": Example("", {"file": _ZIP}, (SAVE,)),
    "backup_inside_folder": Example("", {"file": "洪字十七号/备份.zip"}, (SAVE,)),
    "backup_bad_name": Example(
        "", {"file": "设定/a\\b.md", "reason": "反斜线 / a backslash"}, (SAVE,)),
    "backup_folder_changing": Example("", {"file": "正文/第010章_敲门声.md"}, (SAVE,)),
    "backup_link_outside": Example("", {"file": "设定/资料", "found": "/home/lin/资料"}),
    "backup_names_alike": Example("", {"file": "设定/Note.md", "found": "设定/note.md"}),
    "backup_skipped_lock": Example("", {"file": "追踪/.tracking-commit.lock"}),
    "backup_skipped_stage": Example("", {"file": "追踪/.clew/stage/0"}),
    "backup_skipped_special": Example("", {"file": ".story/agent.sock"}),
    "backup_skipped_asked": Example("", {"file": "素材/录音"}),
    # ---- trust
    "not_trusted": Example("", {"file": "洪字十七号"}, (TRUST,)),
    "trust_changed": Example("", {"file": "洪字十七号", "found": "正文/.clew-prose.toml"}, (TRUST,)),
    "trust_store_unreadable": Example(
        "", {"file": "~/.config/clew/trusted.json", "reason": "不是合法 JSON / not valid JSON"}, (TRUST,)),
    "trust_store_exposed": Example("", {"file": "~/.config/clew/trusted.json"}, (TRUST,)),
    "trust_store_inside": Example(
        "", {"file": "/home/lin", "found": "/home/lin/.config/clew/trusted.json"}, (TRUST,)),
    # ---- the transaction
    "stale_revision": Example(
        "$.expected_state_revision", {"found": 9, "allowed": 10}, (DRAFT, COMMIT)),
    "wrong_chapter": Example("$.chapter", {"found": 12, "allowed": 10}, (DRAFT,)),
    "unwritten_chapter": Example(
        "$.chapter", {"found": 12, "allowed": "1..10"}, (DRAFT,),
        "先按顺序提交前面的章；还没提交的章用 append。",
        "Commit the chapters before it first; a chapter that is not committed is appended."),
    "wordcount_in_input": Example("$.wordcount", {}, (COMMIT,)),
    "name_conflict": Example(
        "$.character_snapshots.nell harker", {"found": "nell harker", "allowed": ["Nell Harker"]}, _AGAIN),
    "snapshot_missing": Example(
        "$.delta.character_changes[1].name", {"found": "葛明堂"}, (DRAFT, COMMIT)),
    "snapshot_without_change": Example("$.character_snapshots.葛明堂", {"found": "葛明堂"}, _AGAIN),
    "active_without_snapshot": Example(
        "$.context.active_character_names[2]", {"found": "佘师傅"}, _AGAIN),
    "retired_still_active": Example("$.delta.retired_characters[0]", {"found": "佟桂生"}, _AGAIN),
    "retired_and_updated": Example("$.delta.retired_characters[0]", {"found": "佟桂生"}, _AGAIN),
    "retired_unknown": Example("$.delta.retired_characters[0]", {"found": "佘师傅"}, _AGAIN),
    "retire_in_append": Example("$.context", {"found": _ITEM}, (DRAFT, COMMIT)),
    "retired_context_items": Example("$.delta.retired_context_items", {"found": _ITEM}, _AGAIN),
    "retired_still_in_context": Example("$.delta.retired_context_items[0]", {"found": _ITEM}, _AGAIN),
    "nothing_to_retire": Example("$.delta.retired_context_items[0]", {"found": _ITEM}),
    "nothing_to_delete": Example(_PLANTED, {"found": "F031"}),
    "planted_in_future": Example(f"{_PLANTED}.planted_chapter", {"found": 14, "allowed": "1..10"}, _AGAIN),
    "resolved_before_planted": Example(
        f"{_PLANTED}.planned_resolution_chapter", {"found": 7, "allowed": ">= 9"}, _AGAIN,
        "写一个不早于埋设章的章号，或写 null。", "Name a chapter that is not before the planting, or null."),
    "unrevealed_with_chapter": Example(f"{_EVENT}.reveal_chapter", {"found": 20}, _AGAIN),
    "revealed_without_chapter": Example(
        f"{_EVENT}.reveal_chapter", {"found": "已揭示", "allowed": "1..10"}, _AGAIN,
        "填写实际揭示的章号，或把状态改为 未揭示。",
        "Name the chapter in which it was revealed, or set the status to 未揭示."),
    "revealed_in_future": Example(
        f"{_EVENT}.reveal_chapter", {"found": 20, "allowed": "1..10"}, _AGAIN,
        "填写已经写到的章号；计划写在细纲里。",
        "Name a chapter that is written; a plan belongs in the outline."),
    "nothing_written_yet": Example("$.foreshadow", {"found": 2}, (INIT,)),
    "synonym_read": Example(f"{_PLANTED}.action", {"found": "新增", "meant": "upsert"}),
    "action_contradicts": Example(
        f"{_PLANTED}.status", {"found": "已埋", "action": "回收", "allowed": "已回收"}, _AGAIN),
    # ---- chapters and lengths
    "recount_needed": Example("", {"chapter": 10}, (COMMIT,)),
    "wordcount_stale": Example("", {"chapter": 10}, (COMMIT,)),
    "chapter_mismatch": Example(
        "$.chapter", {"found": 9, "allowed": 10}, (COMMIT,),
        "给对应的那份事务，或改 --chapter。", "Hand in the transaction of that chapter, or change --chapter."),
    "nothing_to_undo": Example(
        "", {}, ("clew novel history",),
        "没有要做的事；历史里只有基线。", "Nothing is to be done: the history holds a baseline only."),
    "nothing_to_redo": Example(
        "", {}, ("clew novel history",),
        "没有要做的事；要找回旧内容，看 history 与 at。",
        "Nothing is to be done; to look at older content use `history` and `at`."),
    "no_such_point": Example(
        "", {"found": 40, "allowed": "0..13"}, ("clew novel history", "clew novel at 9"),
        "用所列范围里的章号，或从 history 里选修订号。",
        "Use a chapter within the range, or choose a revision from the history."),
    "aliases_too_many": Example("", {"file": "设定/别名.toml", "limit": 3000}, ("clew novel lint",)),
    "agent_half_done": Example(
        "", {"found": 3, "limit": 9, "reason": "No space left on device"},
        ("clew agent install claude --novel",)),
    "not_one_file": Example(
        "", {"chapter": 10, "found": 2, "kind": "outline", "kind_zh": "细纲",
             "allowed": ["大纲/细纲_第010章_敲门声.md", "大纲/细纲_第010章_旧稿.md"]}, (LOOK,),
        "每章只留一个：把多余的移走，或把缺的补上。",
        "Keep one for each chapter: move the other away, or add the one that is missing."),
    "bad_outline": Example(
        "", {"file": "大纲/细纲_第010章_敲门声.md", "line": 3,
             "reason": "字数目标写了两个不同的数 / two different length targets"}, (LOOK,)),
    "quality_blocked": Example("", {"found": 2, "where": ["7:1 【待补】", "31:4 TODO"]}, (LOOK,)),
    "length_over_band": Example("", {"found": 1620, "allowed": "1020..1380", "cut_chars": 240}, (LOOK, ACCEPT)),
    "length_under_band": Example("", {"found": 900, "allowed": "1020..1380", "missing": 120}, (LOOK, ACCEPT)),
    "length_in_band": Example(
        "", {"found": 1210, "allowed": "1020..1380"}, (COMMIT,),
        "改用 chapter commit。", "Use `chapter commit`."),
    "below_accept_floor": Example("", {"found": 480, "limit": 600}, (LOOK, f"{ACCEPT} --force")),
    "compression_required": Example("", {"found": 1620, "limit": 1500}, (LOOK, f"{ACCEPT} --force")),
    "empty_body": Example(
        "", {"file": _BODY}, (LOOK,), "写出正文后重跑。", "Write the body, then run the command again."),
    "sections_emptied": Example("", {"chapter": 10, "found": ["伏笔变化"]}),
    "layout_archived": Example("", {"file": "追踪/_旧追踪存档", "found": ["_tracking-meta.json", "时间线.md"]}),
    "adopted_first": Example("", {"found": 57}),
    "repaired": Example("", {"found": [_STATE]}),
    "edit_set_aside": Example(
        "", {"file": _VIEW, "found": "追踪/.clew/aside/20260901T083000.000Z/追踪/伏笔.md"}),
    "already_committed": Example(),
    "many_active": Example("", {"found": 9}),
    "views_pending": Example("", {"found": ["追踪/上下文.md"]}, (RENDER,)),
    # ---- drafts and manuscripts
    "draft_exists": Example("", {"file": _FILE, "found": 9}, (f"{DRAFT} --force",)),
    "draft_chapter": Example("", {"found": 14, "allowed": "1..11"}, (DRAFT,)),
    "draft_unreadable": Example("", {"file": _FILE}, (DRAFT, f"{DRAFT} --force")),
    "draft_kept": Example("", {"file": _FILE}),
    "draft_merged": Example("", {"file": _FILE, "found": 8, "allowed": 9}),
    "draft_aside": Example("", {"file": _FILE, "found": f"{_FILE}.before-20260901T083000"}),
    "draft_snapshot_dropped": Example("", {"found": ["佟桂生"]}),
    "draft_without_record": Example("", {"chapter": 3}),
    "draft_row_skipped": Example("", {"chapter": 3, "found": ["F006"]}),
    "draft_character_gone": Example("", {"chapter": 3, "found": ["佟桂生"]}),
    "title_differs": Example("", {"chapter": 3, "found": "芦花滩头", "allowed": "芦花滩"}),
    "not_imported": Example("$.chapter", {"found": 12, "allowed": "1..10"}, ("clew novel backfill", DRAFT)),
    "backfill_mode": Example(
        "$.mode", {"found": "append", "allowed": "revision"}, ("clew novel backfill --chapter 3",),
        "把 mode 改成 revision。", "Set mode to revision."),
    "no_manuscript": Example(
        "", {"file": "洪字十七号"}, ("clew novel init --from-manuscript", INIT)),
    "init_draft_kept": Example(
        "", {"file": ".story/work/init.json"}, ("clew novel init --from-manuscript --force",)),
    "manuscript_gap": Example("", {"found": 5, "limit": 4}, ("clew novel init --from-manuscript --force",)),
    "odd_encoding": Example("", {"file": "正文/第003章_芦花滩.md", "found": "gb18030"}),
    # ---- the book folder
    "over_capacity": Example(
        "", {"file": "追踪/上下文.md", "found": 12_901, "limit": 12_288, "cut_bytes": 613}, _AGAIN),
    "near_capacity": Example(
        "", {"file": _RECORD, "found": 1_790, "limit": 1_536, "kind": "chapter record", "kind_zh": "逐章记录"}),
    "record_exists": Example("", {"file": _RECORD, "chapter": 10}, _AGAIN),
    "ledger_exists": Example("", {"file": _STATE}, (CHECK, "clew novel adopt --dry-run")),
    "history_without_state": Example("", {"file": _HISTORY}, ("clew novel undo --to-history",)),
    "state_lost": Example("", {"file": _STATE}, ("clew novel undo --to-history",)),
    "not_adopted": Example("", {"file": _STATE}, ("clew novel adopt --dry-run",)),
    "near_name": Example("$.delta.character_changes[0].name", {"found": "汪 小满", "allowed": ["汪小满"]}),
    "ledger_missing": Example("", {"file": _STATE}, (INIT, "clew novel init --from-manuscript")),
    "no_book": Example("", {"file": "/home/lin/下载"}, ("clew novel check --project 洪字十七号",)),
    "retired_layout": Example("", {"found": ["_tracking-meta.json", "时间线.md"]}, (INIT, CHECK)),
    "view_differs": Example("", {"file": _VIEW}, (RENDER,)),
    "view_missing": Example("", {"file": _VIEW}, (RENDER,)),
    "stray_file": Example("", {"file": "追踪/角色状态/草稿.md"}, ("clew novel render --prune",)),
    "record_missing": Example("", {"file": _RECORD}, (RENDER,)),
    "record_differs": Example("", {"file": _RECORD}, (RENDER, DRAFT)),
    "record_name": Example(
        "", {"file": "追踪/逐章记录/第7章.md", "allowed": "第007章.md"}, (CHECK, RENDER),
        "按括号里的名字改名；超出已写章的文件移走。再 render。",
        "Rename it as expected, or move a file beyond the last chapter away; then render."),
    "changed_outside": Example(
        "", {"file": _STATE, "found": 11, "limit": 10},
        ("clew novel adopt --dry-run", "clew novel adopt", "clew novel undo --to-history")),
    "history_broken": Example(
        "", {"file": _HISTORY, "line": 8,
             "reason": "与上一行的摘要对不上 / the digest of the line before does not match"},
        ("clew novel history repair",)),
    "history_torn": Example("", {"file": _HISTORY, "found": 212}, (CHECK,)),
    # ---- prose settings, shims
    "bad_prose_file": Example(
        "", {"file": "正文/.clew-prose.toml", "reason": "strict: true | false"}, (LOOK,),
        "改正这个键后重跑。", "Mend this key and run the command again."),
    "detectors_untrusted": Example("", {"found": ["house-style"]}, (TRUST,)),
    "tool_unavailable": Example("", {"found": ["house-style: python3 not found"]}, (LOOK,)),
    "shim_replaced": Example(
        "", {"file": "scripts/storyctl.py"},
        ("clew novel shims install --skill ~/.claude/skills/story-long-write",)),
    # ---- export and publication
    "export_exists": Example(
        "", {"file": "导出/洪字十七号.epub"},
        ("clew novel export --to epub --out 洪字十七号-新.epub", "clew novel export --to epub --force")),
    "export_not_remembered": Example(
        "", {"file": ".story/exports.json", "reason": "Permission denied"}),
    "export_nothing": Example(
        "", {"allowed": ["1–13"]}, ("clew novel export --to txt --from 1 --through 13",)),
    "export_gap": Example("", {"found": ["4", "7–9"]}),
    "export_empty_chapter": Example("", {"found": [_BODY]}),
    "characters_dropped": Example("", {"found": [f"{_BODY} (U+0000)"]}),
    "heading_differs": Example("", {"found": [f"{_BODY} (第10章 敲门 → 第10章 敲门声)"]}),
    "cover_unusable": Example(
        "", {"file": "封面.webp", "allowed": ["PNG", "JPEG"]}, (f"{EXPORT} --cover 封面.png",)),
    "missing_library": Example(
        "", {"found": "python-docx", "allowed": "pip install python-docx"}, (EXPORT,)),
    "no_clipboard": Example(
        "", {"found": ["xclip"], "allowed": ["wl-copy", "xclip", "xsel", "pbcopy", "clip.exe"]},
        ("clew novel export --to txt --chapter 10 --out -",)),
    "publish_uncommitted": Example("", {"found": 11, "limit": 10}, (COMMIT, PUBLISH)),
    "body_newer": Example("", {"file": _BODY, "chapter": 10}, (DRAFT, COMMIT, PUBLISH)),
    "published_chapter_revised": Example("", {"chapter": 10}, (PUBLISH,)),
}  # fmt: skip
