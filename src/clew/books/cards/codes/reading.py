"""Codes of the lines that a reading reports: taken, repaired, kept."""

from __future__ import annotations

from clew.kernel.faults import Code, register

# ---- taken

register(
    Code(
        "card_taken", 0,
        "角色卡 {name}（{found}，{kind}）",
        "the card {name} ({found}, {kind})",
        about_zh="读出了一张角色卡；括号里是规格和容器。",
        about_en="A card was read; in brackets its specification and its container.",
    ),
    Code(
        "lorebook_taken", 0,
        "世界书 {name}（{found}），{times} 条",
        "the lorebook {name} ({found}), entries: {times}",
        about_zh="读出了一本世界书，独立的或卡片自带的。",
        about_en="A lorebook was read, on its own or inside a card.",
    ),
    Code(
        "assets_taken", 0,
        "随卡文件 {found} 个",
        "embedded files: {found}",
        about_zh="卡片的 assets 指向的文件，随卡保存。",
        about_en="Files that the card's assets name; they are kept with it.",
    ),
    Code(
        "archive_behind", 0,
        "卡片在附加于文件之后的压缩包里（从第 {found} 字节起）",
        "the card lies in an archive behind the file (from byte {found})",
        about_zh="RisuAI 导出的 JPEG 后面接着一个 ZIP；自解压程序也是这样。",
        about_en="RisuAI exports a JPEG with a ZIP behind it; self-extracting programs look the same.",
    ),
    Code(
        "more_lines", 0,
        "{file}：这一类超过 {limit} 行，其余略去",
        "{file}: more than {limit} lines of this kind; the rest is left out",
        about_zh="报告每类最多列出这么多行。",
        about_en="A report lists at most that many lines of a kind.",
    ),
)  # fmt: skip

# ---- repaired

register(
    Code(
        "type_repaired", 0,
        "{path} 应为{expected}，写的是 {found}，读作 {after}{more}",
        "{path} should be {expected}; it says {found} and was read as {after}{more}",
        about_zh="值的类型不对，按原意转换；原文件保持原样。",
        about_en="A value of the wrong type was read as what it means; the file is kept as it was.",
    ),
    Code(
        "key_renamed", 0,
        "{path} 的键 {found} 读作 {after}{more}",
        "the key {found} of {path} was read as {after}{more}",
        about_zh="条目里用了 World Info 的键名，换成 V2 的。",
        about_en="An entry used World Info's names; it now has those of V2.",
    ),
    Code(
        "position_moved", 0,
        "{path} 的位置 {found} 不认识，移到扩展 position_as_read 里保存{more}",
        "{path} has the unknown position {found}; it is kept in the extension position_as_read{more}",
        about_zh="V2 只有 before_char 和 after_char；SillyTavern 的编号写进 extensions.position。",
        about_en="V2 has before_char and after_char; SillyTavern's numbers go to extensions.position.",
    ),
    Code(
        "entry_dropped", 0,
        "{path} 不是对象而是 {found}，略去{more}",
        "{path} is no object but {found}, and was left out{more}",
        about_zh="列表里的这一项什么也没说。",
        about_en="This item of a list says nothing that could be kept.",
    ),
    Code(
        "entry_repaired", 0,
        "{path} 只有一段文字，读作没有关键词的条目{more}",
        "{path} is a bare text and was read as an entry without keys{more}",
        about_zh="条目写成了字符串。",
        about_en="An entry was written as a text.",
    ),
    Code(
        "world_info_in_card", 0,
        "{path} 是 World Info 的写法，转换为卡片世界书",
        "{path} is written as World Info and was turned into a card's lorebook",
        about_zh="有的工具把 SillyTavern 的世界书原样塞进卡片。",
        about_en="Some tools put SillyTavern's file into a card as it is.",
    ),
    Code(
        "read_as_encoding", 0,
        "{file} 不是 UTF-8，按 {found} 读取{doubt}",
        "{file} is not UTF-8 and was read as {found}{doubt}",
        "文字看起来不对，就指明编码：clew card import … --encoding 编码；已导入的用 "
        "clew card edit 编号 --from 文件 --encoding 编码。原文件原样保存着。",
        "If the text looks wrong, say what it is: `clew card import … --encoding NAME`, or for a card that "
        "is in already `clew card edit ID --from FILE --encoding NAME`. The file itself is kept as it was.",
        about_zh="先看 BOM 与 NUL 字节；没有就逐一用 GB 18030、Big5、Shift-JIS、EUC-KR、EUC-JP、Windows-1251、"
        "Windows-1252 试解，取写出来最像人话的一种。很短的文字可能猜错，所以差不多的也列出来。",
        about_en="Byte order marks and NUL bytes tell. Without them GB 18030, Big5, Shift-JIS, EUC-KR, "
        "EUC-JP, Windows-1251 and Windows-1252 are tried, and what reads most like something that people "
        "write is taken. Very short texts may be taken for another, so others nearly as likely are named.",
    ),
    Code(
        "read_as_asked", 0,
        "{file} 不是 UTF-8，按你指定的 {found} 读取",
        "{file} is not UTF-8 and was read as {found}, as you said",
        about_zh="--encoding 只用于不是 UTF-8 的文件。",
        about_en="--encoding is for files that are not UTF-8; the others are read as what they are.",
    ),
    Code(
        "encoded_twice", 0,
        "{file} 的文字被编码了两次（乱码），已还原",
        "the text of {file} was encoded twice (mojibake) and was put right",
        about_zh="UTF-8 的字节被当成 Windows-1252 又存了一遍；只有全文都是这样才还原。",
        about_en="Bytes of UTF-8 were taken for Windows-1252 and saved again; put right only where all of "
        "the text is so.",
    ),
    Code(
        "damaged_characters", 0,
        "{file} 有 {found} 处字节损坏，换成了 �",
        "damaged bytes in {file}, which became �: {found}",
        about_zh="多数字节是 UTF-8，少数坏掉。",
        about_en="Most bytes are UTF-8, a few are damaged.",
    ),
    Code(
        "json_mended", 0,
        "{file} 的 JSON 有小毛病：{reason}",
        "the JSON of {file} has a slip: {reason}",
        about_zh="不严格但含义清楚的 JSON。",
        about_en="JSON that breaks a rule and is still clear.",
    ),
    Code(
        "repeated_key", 0,
        "{path} 的键 {found} 出现不止一次，取最后一个{more}",
        "{path} holds the key {found} more than once; the last one counts{more}",
        about_zh="与浏览器的做法一致。",
        about_en="As every browser does.",
    ),
    Code(
        "not_a_number", 0,
        "{path} 是 {found}，不是 JSON 数字，读作空值{more}",
        "{path} is {found}, which is no JSON number, and was read as null{more}",
        about_zh="Python 会写出 NaN 与 Infinity，别的程序读不了。",
        about_en="Python writes NaN and Infinity; other programs cannot read them.",
    ),
    Code(
        "base64_mended", 0,
        "{path} 的编码不规范：{reason}",
        "{path} is not encoded as it should be: {reason}",
        about_zh="卡片块应是标准 base64 的 UTF-8 JSON。",
        about_en="A card's chunk should be standard base64 of UTF-8 JSON.",
    ),
    Code(
        "checksum_wrong", 0,
        "{name} 的校验和不对，内容仍可读",
        "the checksum of {name} is wrong; it could be read all the same",
        about_zh="多半是别的工具改了内容却没有重算。",
        about_en="Most likely a tool changed it and did not count again.",
    ),
    Code(
        "chunk_unusual", 0,
        "卡片在 {found} 块 {name} 里，通常是 tEXt 块 chara 或 ccv3",
        "the card is in the {found} chunk {name}; usual is tEXt, chara or ccv3",
        about_zh="有些程序只认小写的 tEXt 块。",
        about_en="Some programs know lower-case tEXt chunks only.",
    ),
    Code(
        "chunk_behind", 0,
        "卡片（{name}）在图片结束块之后，多数程序不会去看",
        "the card ({name}) stands behind the end of the picture, where most programs do not look",
        about_zh="IEND 之后的内容不属于图片；导出时写到通常的位置。",
        about_en="What follows IEND is no part of the picture; an export writes it where it belongs.",
    ),
    Code(
        "png_cut", 0,
        "{file} 没有结束块，可能被截断",
        "{file} has no end chunk and may be cut short",
        about_zh="卡片已读出，图片可能不完整。",
        about_en="The card was read; the picture may not be whole.",
    ),
    Code(
        "card_elsewhere", 0,
        "card.json 不在压缩包的根目录，而在 {found}",
        "card.json is not at the root of the archive but at {found}",
        about_zh="规范要求放在根目录。",
        about_en="The specification wants it at the root.",
    ),
    Code(
        "spec_assumed", 0,
        "{file} 没有写明规格，按 {after} 读取",
        "{file} does not say its specification and was read as {after}",
        about_zh="缺少 spec，但有 data。",
        about_en="There is data but no spec.",
    ),
    Code(
        "spec_version_odd", 0,
        "{path} 写的是 {found}，读作 {after}",
        "{path} says {found} and was read as {after}",
        about_zh="版本应是 \"2.0\" 或 \"3.0\" 这样的文字。",
        about_en="The version should be a text such as \"2.0\" or \"3.0\".",
    ),
    Code(
        "data_missing", 0,
        "{file} 自称 V2 或 V3，但没有 data；字段从外层读取",
        "{file} says that it is V2 or V3 but has no data; its fields were read from the root",
        about_zh="字段写在了外层。",
        about_en="The fields stand at the root.",
    ),
    Code(
        "data_was_text", 0,
        "{path} 是一段 JSON 文字，已解析",
        "{path} was a text of JSON and was parsed",
        about_zh="data 被编码了两次。",
        about_en="data was encoded twice.",
    ),
    Code(
        "field_from_root", 0,
        "{path} 缺失，取自外层的同名字段",
        "{path} was missing and was taken from the copy beside data",
        about_zh="data 优先；data 没有说的才看外层副本。",
        about_en="data comes first; the copy beside it counts where data says nothing.",
    ),
    Code(
        "name_missing", 0,
        "这张卡没有名字，显示为 {after}",
        "the card has no name; it is shown as {after}",
        "给它起个名字：编辑 name。",
        "Give it one: edit name.",
        about_zh="名字为空的卡在一些程序里导入后看不见；卡片本身不改动。",
        about_en="Some programs lose cards without a name; the card itself is not changed.",
    ),
    Code(
        "name_misleads", 0,
        "{file} 的扩展名是 {after}，内容是 {found}",
        "{file} is called {after} but is {found}",
        about_zh="按内容读取，不看扩展名。",
        about_en="It was read by content, not by extension.",
    ),
)  # fmt: skip

# ---- kept

register(
    Code(
        "unknown_keys", 0,
        "{path} 有不认识的键，原样保留：{found}",
        "{path} has unknown keys, kept as they are: {found}",
        about_zh="导出到同一规格时原样写回。",
        about_en="An export to the same specification writes them back.",
    ),
    Code(
        "extensions_kept", 0,
        "别的程序的扩展，原样保留：{found}",
        "extensions of other programs, kept as they are: {found}",
        about_zh="extensions 里的内容属于各自的程序。",
        about_en="What stands in extensions belongs to its program.",
    ),
    Code(
        "odd_value_kept", 0,
        "{path} 是 {found}，按 {after} 使用，原样保留",
        "{path} is {found}; it counts as {after} and is kept as written",
        about_zh="扩展里的值不改写，只在使用时转换。",
        about_en="Values of extensions are not rewritten, only read with care.",
    ),
    Code(
        "surrogate_kept", 0,
        "{path} 含有孤立代理项，作为转义保留",
        "{path} holds a lone surrogate, kept as an escape",
        about_zh="它是合法的 JSON，但不能写成 UTF-8。",
        about_en="It is lawful JSON that cannot be written as UTF-8.",
    ),
    Code(
        "newer_spec", 0,
        "{path} 的规格 {found} 比本版本认识的新；认识的字段照常读取，其余保留",
        "{path} says {found}, newer than this version knows; known fields were read, others kept",
        about_zh="按 V3 规范的要求，新版本的卡不拒绝。",
        about_en="V3 asks that newer cards are not refused.",
    ),
    Code(
        "root_copies_differ", 0,
        "外层副本与 data 不一致，以 data 为准：{found}",
        "copies beside data differ from it, and data counts: {found}",
        about_zh="外层的值原样保留。",
        about_en="The copies are kept as they are.",
    ),
    Code(
        "cards_disagree", 0,
        "{file} 里有两张不一致的卡：采用 {name}，{path} 在这些字段上不同：{found}",
        "{file} holds two cards that disagree: {name} was taken, {path} differs in {found}",
        about_zh="先取能读的 ccv3；同名的取修改日期最新的；日期分不出先后时取第一个。",
        about_en="A readable ccv3 comes first; of one name the newest by modification date; where "
        "dates do not decide, the first.",
    ),
    Code(
        "candidate_unreadable", 0,
        "{path} 读不出来，用了另一份：{reason}",
        "{path} could not be read, another copy was used: {reason}",
        about_zh="文件里不止一份卡片，其中一份损坏。",
        about_en="The file holds more than one copy of a card, and one is damaged.",
    ),
    Code(
        "chunks_kept", 0,
        "别的文本块，原样保留：{found}",
        "other text chunks, kept as they are: {found}",
        about_zh="PNG 导出不动这些块。",
        about_en="An export to PNG does not touch them.",
    ),
    Code(
        "members_kept", 0,
        "卡片没有提到的文件，原样保留：{found}",
        "files that the card does not name, kept as they are: {found}",
        about_zh="例如 module.risum 与 x_meta；CHARX 导出原样带上。",
        about_en="Such as module.risum and x_meta; an export to CHARX carries them along.",
    ),
    Code(
        "assets_missing", 0,
        "{path} 指向的文件不在这里：{found}",
        "{path} names files that are not here: {found}",
        about_zh="卡片提到的素材没有随文件一起来。",
        about_en="Assets that the card names did not come with it.",
    ),
    Code(
        "trailing_bytes", 0,
        "PNG 结束之后还有 {found} 字节，原样保留",
        "{found} bytes after the end of the PNG, kept as they are",
        about_zh="有的工具在图片之后附加数据。",
        about_en="Some tools put data behind the picture.",
    ),
    Code(
        "rest_of_file", 0,
        "{file} 是 {found}：只读取其中的世界书",
        "{file} is {found}: only its lorebook was read",
        about_zh="故事和设置不在这里导入，原文件保留。",
        about_en="The story and its settings are not imported here; the file is kept.",
    ),
)  # fmt: skip
