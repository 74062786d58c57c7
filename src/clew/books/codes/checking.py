"""Codes of what is damaged or missing in a library, and of what a repair did."""

from __future__ import annotations

from clew.kernel.faults import Code, register

register(
    Code(
        "record_broken", 2,
        "{file} 读不出来：{reason}",
        "{file} cannot be read: {reason}",
        "运行 clew library check 看全貌，clew library repair 从书架历史或它的源文件恢复它。",
        "See the whole with `clew library check`; `clew library repair` restores it from the history, or "
        "from its source files.",
        about_zh="书库里的一份 JSON 文档损坏或被改坏。文件原样不动。",
        about_en="A JSON document of the library is damaged, or was edited into something else. The "
        "file is left as it is.",
    ),
    Code(
        "version_broken", 2,
        "{file} 不可用：{reason}",
        "{file} cannot be used: {reason}",
        "运行 clew library repair：能从保留的源文件重新读出的，会恢复。",
        "Run `clew library repair`: what can be read again from the kept source file is restored.",
        about_zh="版本文件一经写下不再改动，字节要与记录的摘要一致。",
        about_en="A version's file never changes; its bytes must have the digest that was recorded.",
    ),
    Code(
        "hit_damaged", 0,
        "{name} 的版本文件 {file} 不可用（{reason}），没有引用其中的文字",
        "the version file {file} of {name} cannot be used ({reason}); no text of it is shown",
        "运行 clew library repair：能从保留的源文件重新读出的，会恢复。",
        "Run `clew library repair`: what can be read again from the kept source file is restored.",
        about_zh="提示：搜索只引用字节与记录的摘要一致的版本文件；这一张按标题或先前的索引找到。",
        about_en="A note: a search quotes only version files whose bytes have the digest that was "
        "recorded. This one was found by its title, or by the index from before.",
    ),
    Code(
        "change_completed", 0,
        "上次对书库的改动被中断，已补完：{found}",
        "an interrupted change of the library was completed: {found}",
        about_zh="提示：崩溃、强行结束或断电之后，下一条命令会先补完已提交的改动，或撤掉没提交的。",
        about_en="A note: after a crash, a kill or a power cut the next command first completes what was "
        "committed, or drops what was not.",
    ),
    Code(
        "source_gone", 3,
        "{name} 的源文件不在了：{file}",
        "the source file of {name} is gone: {file}",
        "卡片本身完好。再导入一次原文件就会补回（留在原处的，导入时加 --keep copy）。",
        "The card itself is whole. Import the file again, and it is put back (with --keep copy where it "
        "was left in its place).",
        about_zh="保留的源文件，或留在原处的源文件，被移走或删除；卡的内容在版本文件里，不受影响，只是少了图片。",
        about_en="A source that was kept here, or left in its place, was moved or deleted. The card lies in "
        "the version's file and is not touched by that; its picture is missing.",
    ),
    Code(
        "source_changed", 2,
        "{name} 的源文件与导入时不同：{file}",
        "the source file of {name} is not what was imported: {file}",
        "卡片本身完好。书库里的副本坏了，就删掉它再导入一次原文件；留在原处的变了，再导入会成为新版本。",
        "The card itself is whole. Where the copy here is damaged, delete it and import the file again; "
        "where the file in its place has changed, importing it makes a new version.",
        about_zh="源文件的摘要与导入时记录的不一致，因此不用它。",
        about_en="The digest of the source file is not the one that was recorded, so it is not used.",
    ),
    Code(
        "source_back", 0,
        "{name} 的源文件 {file} 不见了或不完整，已补回",
        "the source file {file} of {name} was gone or cut, and is back",
        about_zh="提示：再次导入同样的文件时，书库里缺的那份副本会补上。",
        about_en="A note: importing the same file again puts back the copy that the library lacks.",
    ),
    Code(
        "book_broken", 2,
        "{file} 读不出来：{reason}",
        "{file} cannot be read: {reason}",
        "从备份恢复这个文件；书库里的其余内容不受影响。",
        "Restore this file from a backup; nothing else of the library is touched by it.",
        about_zh="一本书的文档损坏或被改坏。书没有第二份记录，clew 不猜，也不动它。",
        about_en="The document of a book is damaged, or was edited into something else. It is kept nowhere "
        "twice, so clew neither guesses nor touches it.",
    ),
    Code(
        "book_lost", 2,
        "《{name}》的设计书不见了：{file}",
        "the book in which {name} was designed is gone: {file}",
        "从备份恢复它；卡片本身完好。",
        "Restore it from a backup. The card itself is whole.",
        about_zh="资产记得它是在哪本书里设计的，那本书的文档却不在了。",
        about_en="An asset remembers the book in which it was designed, and that book's document is gone.",
    ),
    Code(
        "book_folder_empty", 0,
        "{file} 是空的书文件夹",
        "{file} is the empty folder of a book",
        "若那里原来有书，从备份恢复它的 project.json；否则可以删掉。",
        "If a book was there, restore its project.json from a backup; else remove the folder.",
        about_zh="提示：新建书时被强行结束会留下空文件夹；书的文档丢了也是这样，二者从外面看不出区别。",
        about_en="A note: a kill while a book was begun leaves an empty folder, and so does the loss of a "
        "book's document. From outside they look the same.",
    ),
    Code(
        "shelf_line_broken", 0,
        "{file} 里有一行读不出来",
        "a line of {file} cannot be read",
        "运行 clew library check。",
        "Run `clew library check`.",
        about_zh="提示：书架历史有一行损坏；其余各行照常使用。",
        about_en="A note: a line of the shelf's history is damaged; the others are used as usual.",
    ),
    Code(
        "asset_lost", 2,
        "{name} 的文档 {file} 不见了，书架历史里还有",
        "the document {file} of {name} is gone; the shelf's history still has it",
        "clew library repair 恢复它。",
        "`clew library repair` restores it.",
        about_zh="资产的文档和书架历史互为备份。",
        about_en="The documents of assets and the shelf's history can each be rebuilt from the other.",
    ),
    Code(
        "asset_untold", 2,
        "{file} 里有几个版本，但没有文档，书架历史里也没有",
        "{file} holds several versions, and neither a document nor the history tells of them",
        "clew library repair 用这些文件重新建起它。",
        "`clew library repair` makes the asset again from these files.",
        about_zh="文档和历史里的那几行一起丢了。源文件和版本文件还在，足以重建卡片；标题、标签和状态则按新卡。",
        about_en="The document and its lines of the history were lost together. The source and version "
        "files are there and are enough for the card; title, labels and state are those of a new one.",
    ),
    Code(
        "asset_unlisted", 2,
        "{name}（{file}）不在书架历史里，列表和搜索看不到它",
        "{name} ({file}) is not in the shelf's history, so that lists and searches do not see it",
        "clew library repair 把它登记回去。",
        "`clew library repair` takes it in again.",
        about_zh="历史文件丢失或被旧版本覆盖后会这样。",
        about_en="This is so when the history was lost, or replaced by an older copy.",
    ),
    Code(
        "asset_differs", 2,
        "{name} 的文档 {file} 与书架历史不一致",
        "the document {file} of {name} is not what the shelf's history says",
        "若是你改的，clew library repair 以文档为准；否则先用备份里的文件换回去。",
        "If you edited it, `clew library repair` takes the document; else put the one of a backup back "
        "first.",
        about_zh="文档在 clew 之外被改动过。",
        about_en="The document was changed by something other than clew.",
    ),
    Code(
        "history_line_broken", 2,
        "{file} 第 {line} 行读不出来",
        "line {line} of {file} cannot be read",
        "clew library repair 留档后移出坏行，缺的部分由文档补回。",
        "`clew library repair` keeps it aside and takes it out; the documents fill what it said.",
        about_zh="书架历史的一行损坏。",
        about_en="A line of the shelf's history is damaged.",
    ),
    Code(
        "shelf_torn", 0,
        "{file} 末尾有 {found} 字节残行，未采用",
        "{file} ends in {found} bytes of a torn line, which were not used",
        about_zh="提示：断电可能留下半行；下一次改动会把它留档。",
        about_en="A note: a power cut can leave half a line; the next change keeps it aside.",
    ),
    Code(
        "stray_on_shelf", 1,
        "{file} 不是书库的文件",
        "{file} is no file of the library",
        "若是卡片，用 clew card import 导入它，再把原件移走；否则移走即可。",
        "If it is a card, import it with `clew card import` and move the file away; else move it away.",
        about_zh="书架里的文件名都是编号；直接放进去的文件不会被当作卡片，也不会被删除。",
        about_en="Names on the shelf are ids. A file that is put there by hand is not taken for a card, "
        "and never deleted.",
    ),
    Code(
        "import_leftovers", 0,
        "有 {found} 处中断的导入留下的副本（如 {file}），没有文档引用它们",
        "{found} copies were left by an import that was killed (such as {file}); no document names them",
        "再导入一次会接着用；clew library repair 会补完导入，或把它们移到一边。",
        "The next import uses them; `clew library repair` completes the import, or moves them aside.",
        about_zh="提示：书库是完整的，这些只占空间。",
        about_en="A note: the library is whole, these only take up room.",
    ),
    Code(
        "pin_dangling", 2,
        "《{name}》（{file}）钉住的 {found} 不存在",
        "{name} ({file}) pins {found}, which does not exist",
        "从备份恢复那张卡，或给这本书另选一张。",
        "Restore that card from a backup, or choose another one for the book.",
        about_zh="书引用的卡或版本不在书架上。",
        about_en="The card or version that a book uses is not on the shelf.",
    ),
    Code(
        "library_mended", 0,
        "{file}：{reason}",
        "{file}: {reason}",
        about_zh="提示：修复做了什么。被替换的内容都已留档。",
        about_en="A note on what a repair did. What it replaced is kept aside.",
    ),
)  # fmt: skip
