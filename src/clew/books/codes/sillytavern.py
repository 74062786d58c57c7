"""Codes of a SillyTavern data folder: finding it, and what is damaged in it."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "not_sillytavern", 3,
        "{file} 不像 SillyTavern 的数据文件夹（里面没有 characters/）",
        "{file} does not look like a data folder of SillyTavern (there is no characters/ in it)",
        "给出 SillyTavern 的安装目录，或其中的 data/default-user。",
        "Name the folder where SillyTavern is installed, or its data/default-user.",
        about_zh="可以给安装目录、data/用户名，或旧版的 public。",
        about_en="The folder of an installation will do, data/USER, or public of an old one.",
    ),
    Code(
        "several_users", 2,
        "{file} 里有几位用户：{allowed}",
        "{file} has several users: {allowed}",
        "指明其中一个文件夹。",
        "Name one of these folders.",
        about_zh="每次导入一位用户的数据。",
        about_en="One user's data is imported at a time.",
    ),
    Code(
        "no_source_folder", 3,
        "没有文件夹 {file}",
        "there is no folder {file}",
        "核对路径；盘没挂上也会这样。给出 SillyTavern 的安装目录，或其中的 data/用户名。",
        "Check the path; a disk that is not there looks like this, too. Name the folder where SillyTavern is "
        "installed, or its data/USER.",
        about_zh="要读的文件夹不在；什么也没有导入。",
        about_en="The folder that was to be read is not there. Nothing was imported.",
    ),
    Code(
        "users_besides", 0,
        "读的是 {file}；这里还有别的用户：{found}",
        "{file} was read; there are other users beside it: {found}",
        "要他们的卡片，再对那个文件夹运行一次同样的命令。",
        "For their cards run the same command with that folder.",
        about_zh="提示：每次导入一位用户的数据，默认是 default-user。",
        about_en="A note: one user's data is imported at a time, default-user unless another is named.",
    ),
    Code(
        "settings_broken", 0,
        "{file} 读不出来（{reason}），标签未导入",
        "{file} cannot be read ({reason}); tags were not imported",
        about_zh="提示：卡片照常导入，只缺 SillyTavern 里加的标签。",
        about_en="A note: cards are imported as usual, without the tags that SillyTavern keeps.",
    ),
    Code(
        "world_missing", 0,
        "{file} 链接的世界书 {name} 不在 worlds/ 里",
        "{file} links the lorebook {name}, which is not in worlds/",
        about_zh="提示：改名或删除世界书后，SillyTavern 按名字的链接会断。",
        about_en="A note: SillyTavern links by name, which breaks when a lorebook is renamed or deleted.",
    ),
    Code(
        "world_not_given", 0,
        "{file} 给 {name} 配了世界书 {found}，而它不在 worlds/ 里",
        "{file} gives {name} the lorebook {found}, which is not in worlds/",
        about_zh="损坏报告：角色的附加世界书或用户身份的世界书，按名字链接，改名或删除后就断了。",
        about_en="Of the damage report: an additional lorebook of a character, or the one of a persona. "
        "Such links go by name and break when one is renamed or deleted.",
    ),
    Code(
        "chats_alone", 0,
        "{file} 里有 {found} 份聊天，characters/ 里没有这个角色",
        "{file} holds {found} chats, and there is no such character in characters/",
        about_zh="损坏报告：角色被删除或改名，聊天还在，SillyTavern 里看不到它们。",
        about_en="Of the damage report: the character was deleted or renamed. The chats are there, and "
        "SillyTavern does not show them.",
    ),
    Code(
        "group_chat_alone", 0,
        "群聊 {file} 不属于任何群组",
        "the group chat {file} belongs to no group",
        about_zh="损坏报告：群组删掉了，聊天还在，SillyTavern 里看不到它。",
        about_en="Of the damage report: its group is gone. The chat is there, and SillyTavern does not "
        "show it.",
    ),
    Code(
        "chat_unreadable", 0,
        "聊天 {file} 读不了（{reason}）",
        "the chat {file} cannot be read ({reason})",
        about_zh="损坏报告：这份聊天没有读成。",
        about_en="Of the damage report: this chat could not be read.",
    ),
    Code(
        "chat_empty", 0,
        "聊天 {file} 里没有消息",
        "the chat {file} holds no messages",
        about_zh="损坏报告：可能是保存失败留下的空文件。",
        about_en="Of the damage report: it may be what a failed save has left.",
    ),
    Code(
        "chat_broken_lines", 0,
        "聊天 {file} 有 {found} 行不是 JSON（第 {line} 行）",
        "{found} lines of the chat {file} are no JSON (line {line})",
        "先备份这个文件：SillyTavern 读取时丢掉坏行，下次保存就真的没了。",
        "Copy this file first: SillyTavern drops such lines when it reads, and its next save makes that "
        "permanent.",
        about_zh="损坏报告：坏行里的文字往往还能找回。",
        about_en="Of the damage report: the text of such lines can often be saved.",
    ),
    Code(
        "chat_shrunken", 0,
        "聊天 {file} 只有 {found} 条消息，备份 {name} 有 {limit} 条",
        "the chat {file} has {found} messages, its backup {name} has {limit}",
        "若不是你删的，趁备份还没被轮换掉，先复制出来。",
        "If you did not delete them, copy the backup before it is rotated away.",
        about_zh="损坏报告：聊天比它的某个备份短。",
        about_en="Of the damage report: the chat is shorter than a backup of it.",
    ),
    Code(
        "chat_gone", 0,
        "备份 {file}（{found} 条消息）没有对应的聊天",
        "there is no chat for the backup {file} ({found} messages)",
        about_zh="损坏报告：聊天被删除、改写，或从未存下。",
        about_en="Of the damage report: the chat was deleted, written over, or never saved.",
    ),
    Code(
        "checkpoint_dead", 0,
        "聊天 {file} 第 {line} 行的存档点或分支指向不存在的 {name}",
        "a checkpoint or branch in line {line} of the chat {file} leads to {name}, which is not there",
        about_zh="损坏报告：SillyTavern 按文件名链接，改名或删除后就断了。",
        about_en="Of the damage report: SillyTavern links by file name, which breaks when one is renamed "
        "or deleted.",
    ),
    Code(
        "parent_dead", 0,
        "聊天 {file} 是 {name} 的分支，而它不在了",
        "the chat {file} is a branch of {name}, which is not there",
        about_zh="损坏报告：上级聊天被改名或删除。",
        about_en="Of the damage report: the chat that it came from was renamed or deleted.",
    ),
    Code(
        "group_broken", 0,
        "群组 {file} 读不出来（{reason}）",
        "the group {file} cannot be read ({reason})",
        about_zh="损坏报告：群组文件损坏。",
        about_en="Of the damage report: the group's file is damaged.",
    ),
    Code(
        "group_chat_gone", 0,
        "群组 {file} 的聊天 {name} 不在了",
        "the chat {name} of the group {file} is not there",
        about_zh="损坏报告：群组列出的聊天文件不存在。",
        about_en="Of the damage report: the group names a chat that does not exist.",
    ),
    Code(
        "group_member_gone", 0,
        "群组 {file} 的成员 {name} 不在了",
        "the member {name} of the group {file} is not there",
        about_zh="损坏报告：成员的角色文件被改名或删除。",
        about_en="Of the damage report: the member's file was renamed or deleted.",
    ),
)  # fmt: skip
