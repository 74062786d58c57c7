"""The requests of the library: field names, types and help, the same on every face."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from clew.kernel.operations import field

Folder = Annotated[
    str | None,
    field("书库文件夹；默认取最近的上级书库，没有就用主目录下的 clew",
          "the library; by default the nearest one upward, else `clew` in the home folder",
          metavar="DIR"),
]  # fmt: skip
Name = Annotated[
    str,
    field("标题、编号或编号的开头，可加 @版本", "title, id or the beginning of an id, with @version",
          positional=True, metavar="CARD"),
]  # fmt: skip
Encoding = Annotated[
    str,
    field("不是 UTF-8 的文件按这种编码读：gb18030、big5、shift_jis、euc_kr …（默认自己判断）",
          "read files that are not UTF-8 as this: gb18030, big5, shift_jis, euc_kr … (found out by default)",
          metavar="NAME"),
]  # fmt: skip
Names = Annotated[
    list[str],
    field("标题、编号或编号的开头（可写几个）", "titles, ids or beginnings of ids (several may be given)",
          positional=True, metavar="CARD"),
]  # fmt: skip
Book = Annotated[
    str,
    field("书名、编号或编号的开头", "title, id or the beginning of an id", positional=True,
          metavar="BOOK"),
]  # fmt: skip
Limit = Annotated[int, field("最多列几条", "how many at most", metavar="N")]
Strings = list[str]


class OnLibrary(msgspec.Struct, kw_only=True):
    """A request that concerns one library."""

    library: Folder = None


class LibraryInit(msgspec.Struct, kw_only=True):
    folder: Annotated[
        str | None,
        field("新书库放在哪里（默认主目录下的 clew）", "where it is to be (default: `clew` in the home folder)",
              positional=True, metavar="DIR"),
    ] = None  # fmt: skip
    library: Folder = None
    title: Annotated[str, field("书库的名字", "a name for the library", metavar="TITLE")] = ""


class LibraryCheck(OnLibrary, kw_only=True):
    deep: Annotated[
        bool,
        field("逐个读出源文件核对摘要", "also read every source file and compare its digest"),
    ] = False


class LibrarySearch(OnLibrary, kw_only=True):
    text: Annotated[str, field("要找的文字", "what to look for", positional=True, metavar="TEXT")]
    kind: Annotated[
        Literal["card", "world"] | None, field("只找卡片或世界书", "only cards, or only lorebooks")
    ] = None
    trash: Annotated[bool, field("也找回收站", "look in the trash, too")] = False
    limit: Limit = 20
    after: Annotated[
        str | None,
        field("从上一页的 next 接着列", "go on behind a page: its `next`", metavar="CURSOR"),
    ] = None


class LibraryImport(OnLibrary, kw_only=True):
    folder: Annotated[
        str,
        field(
            "SillyTavern 的安装或数据文件夹", "SillyTavern's folder", positional=True, metavar="DIR"
        ),
    ]
    program: Annotated[
        Literal["sillytavern"], field("来自哪个程序", "which program it belongs to", flag="from")
    ] = "sillytavern"
    keep: Annotated[
        Literal["auto", "copy", "reference"],
        field("源文件复制还是留在原处；auto：超过 1 GB 就留在原处",
              "copy source files, or leave them in place; auto: leave them when it is over 1 GB"),
    ] = "auto"  # fmt: skip
    dry_run: Annotated[bool, field("只看损坏报告，不导入", "only look for damage")] = False
    report: Annotated[
        str | None,
        field("报告写到 FILE（.html 或 .json）", "write the report to FILE (.html or .json)",
              metavar="FILE"),
    ] = None  # fmt: skip


class BookList(OnLibrary, kw_only=True):
    kind: Annotated[str | None, field("只列这种书", "only books of this kind", metavar="KIND")] = (
        None
    )
    state: Annotated[Literal["active", "trashed", "all"], field("哪些状态", "which state")] = (
        "active"
    )


class BookNew(OnLibrary, kw_only=True):
    title: Annotated[str, field("书名", "its title", positional=True, metavar="TITLE")]
    kind: Annotated[
        Literal["novel", "forum", "weird_rules", "custom"], field("哪一种", "which kind")
    ] = "novel"
    folder: Annotated[
        str | None,
        field("账本所在的书目录", "the book folder that the novel ledger keeps", metavar="DIR"),
    ] = None


class OnBook(OnLibrary, kw_only=True):
    book: Book


class BookPurge(OnBook, kw_only=True):
    yes: Annotated[
        bool,
        field(
            "真的删除；不给则只列出会删什么", "really delete; without it only told what would go"
        ),
    ] = False


class BookStage(OnLibrary, kw_only=True):
    book: Book
    stage: Annotated[str, field("阶段", "the stage", positional=True, metavar="STAGE")]


class CardImport(OnLibrary, kw_only=True):
    paths: Annotated[
        Strings, field("文件或文件夹", "files or folders", positional=True, metavar="PATH")
    ]
    report: Annotated[
        str | None,
        field("报告写到 FILE（.html 或 .json）", "write the report to FILE (.html or .json)",
              metavar="FILE"),
    ] = None  # fmt: skip
    encoding: Encoding = ""
    dry_run: Annotated[
        bool, field("只说会怎样，什么也不写", "only tell what it would do; nothing is written")
    ] = False


class CardNew(OnLibrary, kw_only=True):
    title: Annotated[str, field("卡名", "its title", positional=True, metavar="TITLE")]


class CardList(OnLibrary, kw_only=True):
    tag: Annotated[
        Strings, field("带有这个标签（可多次）", "with this tag (repeatable)", metavar="TAG")
    ] = msgspec.field(default_factory=list)
    creator: Annotated[str | None, field("作者", "by this creator", metavar="NAME")] = None
    title: Annotated[str | None, field("标题里有", "whose title holds", metavar="TEXT")] = None
    favourite: Annotated[bool, field("只列收藏", "favourites only")] = False
    spec: Annotated[
        str | None,
        field("来自哪种格式：v1、v2、v3、tavernai …；世界书：worldinfo、lorebook_v3 …",
              "of this format: v1, v2, v3, tavernai …; lorebooks: worldinfo, lorebook_v3 …",
              metavar="SPEC"),
    ] = None  # fmt: skip
    used_in: Annotated[
        str | None,
        field("用在这本书里（* 为任意）", "used in this book (* for any)", metavar="BOOK"),
    ] = None
    unused: Annotated[bool, field("没有书用到的", "used in no book")] = False
    kind: Annotated[Literal["card", "world"], field("卡片或世界书", "cards or lorebooks")] = "card"
    state: Annotated[
        Literal["active", "archived", "trashed", "all"], field("哪些状态", "which state")
    ] = "active"
    sort: Annotated[Literal["added", "updated", "title"], field("排序", "in which order")] = "added"
    limit: Limit = 100
    offset: Annotated[int, field("跳过前几条", "how many to pass over", metavar="N")] = 0


class OnCard(OnLibrary, kw_only=True):
    card: Name


class CardShow(OnCard, kw_only=True):
    all: Annotated[
        bool,
        field("不截断：全文、全部开场白、全部世界书条目",
              "nothing cut: whole texts, every greeting, every entry of its lorebook"),
    ] = False  # fmt: skip


class CardDiff(OnCard, kw_only=True):
    a: Annotated[
        int | None,
        field("前一版（默认是后一版的来处）", "the earlier version", positional=True, metavar="A"),
    ] = None
    b: Annotated[
        int | None, field("后一版（默认当前版）", "the later version", positional=True, metavar="B")
    ] = None


class CardEdit(OnCard, kw_only=True):
    set: Annotated[
        Strings,
        field(
            "把一处改成这段文字（可多次）",
            "set a place to a text (repeatable)",
            metavar="PATH=TEXT",
        ),
    ] = msgspec.field(default_factory=list)
    set_json: Annotated[
        Strings,
        field("把一处改成 JSON 值（可多次）", "set a place to a JSON value (repeatable)",
              metavar="PATH=JSON"),
    ] = msgspec.field(default_factory=list)  # fmt: skip
    remove: Annotated[
        Strings, field("去掉一处（可多次）", "take a place out (repeatable)", metavar="PATH")
    ] = msgspec.field(default_factory=list)
    source: Annotated[
        str | None,
        field(
            "整个换成这个文件里的卡",
            "take the card of this file instead",
            metavar="FILE",
            flag="from",
        ),
    ] = None
    encoding: Encoding = ""
    picture: Annotated[
        str | None,
        field("换图片（PNG、JPEG、WEBP）", "another picture (PNG, JPEG, WEBP)", metavar="FILE"),
    ] = None
    back_to: Annotated[
        int | None,
        field(
            "回到旧版的内容（成为新版）", "an older version's content, as a new one", metavar="N"
        ),
    ] = None
    note: Annotated[str, field("为什么改", "why", metavar="TEXT")] = ""
    expect: Annotated[
        int | None,
        field("当前必须还是这一版", "the version that must still be current", metavar="N"),
    ] = None


class CardRename(OnCard, kw_only=True):
    title: Annotated[str, field("新标题", "the new title", positional=True, metavar="TITLE")]


class CardMark(OnCard, kw_only=True):
    favourite: Annotated[
        Literal["yes", "no"] | None,
        field("收藏：yes 或 no", "a favourite: yes or no"),
    ] = None
    tag: Annotated[
        Strings, field("加标签（可多次）", "add a label (repeatable)", metavar="TAG")
    ] = msgspec.field(default_factory=list)
    untag: Annotated[
        Strings, field("去标签（可多次）", "remove a label (repeatable)", metavar="TAG")
    ] = msgspec.field(default_factory=list)


class OnCards(OnLibrary, kw_only=True):
    cards: Names


class CardPurge(OnCards, kw_only=True):
    yes: Annotated[
        bool,
        field(
            "真的删除；不给则只列出会删什么", "really delete; without it only told what would go"
        ),
    ] = False


class CardExport(OnCard, kw_only=True):
    to: Annotated[
        Literal["png", "json", "charx"] | None,
        field("容器；默认看 --out 的扩展名，没有就是 png（世界书只有 json）",
              "the kind of file; default: what --out ends with, else png (lorebooks: json only)"),
    ] = None  # fmt: skip
    spec: Annotated[
        Literal["v1", "v2", "v3", "worldinfo"],
        field("格式，默认 v3（世界书：v2、v3、worldinfo）",
              "the format, v3 by default (lorebooks: v2, v3, worldinfo)"),
    ] = "v3"  # fmt: skip
    out: Annotated[
        str, field("文件或已有的文件夹（默认当前文件夹）", "a file, or a folder that exists (default: here)",
                   metavar="FILE"),
    ] = "."  # fmt: skip
    dry_run: Annotated[bool, field("只列出会丢什么", "only tell what would be lost")] = False
    strict: Annotated[
        bool,
        field("会丢东西就不写（补上空字段、画占位图不算丢）",
              "write nothing when anything would be lost (what is added loses nothing)"),
    ] = False  # fmt: skip
    force: Annotated[bool, field("覆盖已有的文件", "replace a file that is there")] = False
