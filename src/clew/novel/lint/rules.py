"""The rules of `lint`, in the order in which they are told.

Pure data. One rule is one function, one entry here, one entry in docs/lint.md and one planted
mistake in the tests. `next` says what to do about a finding; `{…}` are filled from it.
"""

from __future__ import annotations

from typing import Final

from clew.novel.lint import in_chapters, in_ledger, in_names, in_prose, in_time, knowledge
from clew.novel.lint.model import Rule, Words

RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "retired-on-stage", "contradiction",
        Words("已退役或已死的人出场", "a retired or dead character on stage"),
        Words("改正文；若他确实回来了，在这一章的事务里重新交快照（clew novel draft --chapter {chapter}）",
              "change the body; if he did come back, hand in a snapshot again with this chapter "
              "(clew novel draft --chapter {chapter})"),
        in_prose.retired_on_stage, "bodies",
    ),
    Rule(
        "name-near-miss", "doubt",
        Words("名字差一个字", "a name one slip away from another"),
        Words("改正文；若是另一个人，登记他，或写进 设定/别名.toml",
              "correct the body; if it is somebody else, register him or add him to 设定/别名.toml"),
        in_names.name_near_miss, "bodies",
    ),
    Rule(
        "unregistered-name", "doubt",
        Words("反复出现却没有登记的人", "somebody keeps appearing and is not registered"),
        Words("在下一章的 character_changes 里登记，或在 设定/别名.toml 里说明是谁",
              "register him in the next character_changes, or say in 设定/别名.toml who it is"),
        in_names.unregistered_name, "bodies",
    ),
    Rule(
        "on-stage-not-in-transaction", "doubt",
        Words("正文里在场，事务里没有", "on stage in the body, not in the transaction"),
        Words("修订这一章，补上他的变化：clew novel draft --chapter {chapter}",
              "revise the chapter and add what changed for him: clew novel draft --chapter {chapter}"),
        in_prose.on_stage_not_in_transaction, "bodies",
    ),
    Rule(
        "in-transaction-not-on-stage", "doubt",
        Words("事务里有变化，正文里没有这个人", "changed by the transaction, not in the body"),
        Words("修订这一章，去掉这条变化（clew novel draft --chapter {chapter}），或把他的叫法写进 设定/别名.toml",
              "revise the chapter and take the change out (clew novel draft --chapter {chapter}), or "
              "add what he is called to 设定/别名.toml"),
        in_prose.in_transaction_not_on_stage, "bodies",
    ),
    Rule(
        "overdue-foreshadow", "reminder",
        Words("伏笔超期未回收", "an overdue foreshadow"),
        Words("在下一章回收，或在下一次事务里改 planned_resolution_chapter 或 status（放弃、已过期）",
              "resolve it in the next chapter, or change planned_resolution_chapter or status (放弃, "
              "已过期) in the next transaction"),
        in_ledger.overdue_foreshadow, "ledger",
    ),
    Rule(
        "foreshadow-reopened", "contradiction",
        Words("回收了的伏笔又变回已埋", "a resolved foreshadow is open again"),
        Words("在下一次事务里把 {id} 写回已回收；新的悬念另起编号（clew novel history --foreshadow {id}）",
              "hand {id} in as 已回收 again; a new question gets an id of its own "
              "(clew novel history --foreshadow {id})"),
        in_ledger.foreshadow_reopened, "ledger",
    ),
    Rule(
        "foreshadow-replanted", "contradiction",
        Words("伏笔的埋设章变了", "a foreshadow planted in another chapter than before"),
        Words("在下一次事务里把 {id} 的 planted_chapter 改回去（clew novel history --foreshadow {id}）",
              "hand {id} in with its old planted_chapter (clew novel history --foreshadow {id})"),
        in_ledger.foreshadow_replanted, "ledger",
    ),
    Rule(
        "foreshadow-silent", "reminder",
        Words("重要伏笔长久没有动静", "an important foreshadow is silent"),
        Words("近几章里提它一次，并在事务里更新 {id}；或降低 importance",
              "touch it in one of the next chapters and update {id}, or lower its importance"),
        in_ledger.foreshadow_silent, "ledger",
    ),
    Rule(
        "event-unrevealed", "contradiction",
        Words("揭示过的事又退回未揭示", "a revealed event is unrevealed again"),
        Words("在下一次事务里把 {id} 的 reveal_status 写回去；若那一章改写后不再揭示，沉默这一条",
              "hand {id} in with its old reveal_status; if that chapter was rewritten and no longer "
              "tells it, silence this"),
        in_ledger.event_unrevealed, "ledger",
    ),
    Rule(
        "event-unknown-character", "doubt",
        Words("事件里有没登记过的人", "an event names somebody unknown"),
        Words("改事件的 characters，或在 character_changes 里登记他，或写进 设定/别名.toml",
              "correct the event's characters, register him in character_changes, or add him to "
              "设定/别名.toml"),
        in_ledger.event_unknown_character, "ledger",
    ),
    Rule(
        "knowledge-unexplained", "contradiction",
        Words("知道了没有来由的事", "knowledge that nothing explains"),
        Words("从快照的 knowledge 里去掉，或把他加进 {id} 的 characters，或写一件他得知此事的事件",
              "take it out of the snapshot's knowledge, add him to the characters of {id}, or record "
              "an event that tells him"),
        knowledge.knowledge_unexplained, "ledger",
    ),
    Rule(
        "two-places", "contradiction",
        Words("同一时间身处两地", "in two places at one story time"),
        Words("改其中一处的 location 或 story_time，或在变化里写明他怎样过去的",
              "change one location or story time, or say in the change how he got there"),
        in_time.two_places, "ledger",
    ),
    Rule(
        "story-time-gap", "contradiction",
        Words("故事时间倒退而没有标明", "story time goes back unmarked"),
        Words("改这一章的 position.story_time；若是有意，在里面写上「回忆」或「倒叙」",
              "change position.story_time of the chapter; if it is meant, write “flashback” into it"),
        in_time.story_time_gap, "ledger",
    ),
    Rule(
        "character-absent", "reminder",
        Words("活跃角色久未出现", "an active character has been away"),
        Words("让他出场，或把他移出 active_character_names，或用 retired_characters 退役",
              "bring him on, take him out of active_character_names, or retire him with "
              "retired_characters"),
        in_chapters.character_absent, "bodies",
    ),
    Rule(
        "title-twice", "reminder",
        Words("章名重复", "a title used twice"),
        Words("改其中一章的章名：clew novel draft --chapter {chapter}",
              "change one of the titles: clew novel draft --chapter {chapter}"),
        in_chapters.title_twice, "ledger",
    ),
    Rule(
        "body-newer", "reminder",
        Words("正文比字数记录新", "a body newer than its record"),
        Words("重新核对并提交这一章：clew chapter check --chapter {chapter}，再 clew chapter commit",
              "check and commit the chapter again: clew chapter check --chapter {chapter}, then "
              "clew chapter commit"),
        in_chapters.body_newer, "bodies",
    ),
)  # fmt: skip

BY_ID: Final = {rule.id: rule for rule in RULES}
