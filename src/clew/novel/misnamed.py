"""Files of 正文/ and 大纲/ that look like a chapter's and that the format does not know by their names.

Pure and light: standard library only, because the hook asks it, too. What counts as a chapter's file is
decided in `filenames` and by nothing here; this module only sees who was left out (`第一章 起风.md`,
`3.md`, `第二章 落雨.txt`, `Chapter Four.md`) and says the name that the file should have. A file of a
chapter that has its own file already is a copy or a draft beside it, and is not named.

Only what can hardly be anything else is one, because the guard keeps such a file from being begun out
of turn: a number with a chapter's word (第二十章, Chapter 20, ch20), a bare number that is the whole
name (`20.md`) or padded before a title (`020_灯.md`). A plan of 2026, a list of 18 names, and whatever
calls itself a note, a draft, a backup or a list (`第二十章备忘.txt`) are their author's own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

from clew.novel.filenames import body_number, body_title, outline_number

_ENDINGS: Final = (".md", ".markdown", ".txt", ".text", ".docx", ".doc", ".odt", ".rtf")
_BACKUP: Final = "_原稿_"
_LONGEST: Final = 255
"""No file system has longer names."""
_GAP: Final = r"[\s_.\-·—–:：、，]*"
_NUMERAL: Final = "[0-9]{1,6}|[〇零一二两三四五六七八九十百千廿卅]{1,9}"
_WORDS: Final = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
# After a number comes the end of the name or something that parts it from a title: 3.5.md, 1-10.md
# and 2026-05-01.md are no chapters.
_PARTED: Final = r"[\s_.\-·—–:：、，]+(?![0-9]).*"
# Only 章 bears a title right behind it (第一节课 is none), and not what is about a chapter (第三章的伏笔)
# or about several (第3章至第9章).
_ABOUT: Final = "[节節程法纲綱的]|[之以][前后後]|[里中][的面]|[要待需][改写寫补補查]"
_SEVERAL: Final = rf"{_GAP}[至到和与與及~～]?{_GAP}第?\s*(?:{_NUMERAL})\s*[章回话話]"
_CHINESE: Final = (
    rf"第\s*({_NUMERAL})\s*"
    rf"(?:章(?!{_ABOUT}|{_SEVERAL})|[回话話节節](?={_PARTED}\Z|\Z))(.*)"
)
_ENGLISH: Final = (
    rf"(?i:chapter|chap|ch){_GAP}([0-9]{{1,6}}|(?i:{'|'.join(reversed(_WORDS))}))(|{_PARTED})"
)
_BARE: Final = rf"([0-9]{{1,3}}(?=\Z)|0[0-9]{{2,4}})(|{_PARTED})"
_LISTED: Final = rf"([0-9]{{1,4}})(|{_PARTED})"
"""A bare number beside the word for an outline."""
_VOLUME_FOLDER: Final = r".*[卷部篇集].*|(?i:volume|vol|part|book)\b.*"
_OUTLINE_WORD: Final = "细纲|章纲|大纲|提纲|细綱|(?i:outline)"
_UNNUMBERED: Final = (
    "序章|序幕|楔子|引子|尾声|终章|后记|番外[^/]{0,40}|"
    "(?i:prologue|epilogue|interlude|afterword|foreword)"
)
_SHEET: Final = (
    "备忘录?|备份|[草废初旧弃残底原存改手]?稿件?|[大细提章总卷]纲|梗概|副本|拷贝|"
    "修改意见|设定集?|札记|批注|待办"
)
"""What a sheet of the desk calls itself; as the end of a title it is hardly ever the story's."""
_DESK: Final = (
    f"{_SHEET}|笔记|计划|规划|安排|[名清书]单|名册|列表|目录|人名|姓名|名字|资料|素材|灵感|想法|点子|思路|评语|"
    "意见|反馈|讨论|问题|疑问|说明|总结|小结|摘要|概要|简介|统计|字数|检查|校对|润色|修改|修订|改写|写作|人物|"
    "角色|章节|时间[线表]?|进度|关系|年度|片段|节选|删[减除节掉]?|剩余|备[用选]|[旧新]?版本?|第[0-9一二三四五六七八九十]+版|"
    "临时|测试|待[定改写补]|未[完用]|弃用|[存归]档|参考|表|卡|最终|定|的|和|与"
)
_SHEET_EN: Final = "notes?|drafts?|backups?|bak|orig|outlines?|to-?do|wip|synopsis|scraps|tmp|temp"
_DESK_EN: Final = (
    f"{_SHEET_EN}|cop(?:y|ies)|plans?|planning|lists?|names?|characters?|cast|ideas?|thoughts|summary|old|"
    "new|cuts?|deleted|unused|scenes?|final|rev(?:ision)?s?|versions?|edits?|edited|feedback|comments?|"
    "review|timeline|research|chapters?|beats?|of|for|and|to|word ?counts?|stats"
)
_MARKS: Final = r"[\s_.\-·—–:：、，+&()（）\[\]【】#0-9]|[vV](?=[0-9])"
_SHEETS: Final = re.compile(
    rf"(?:{_MARKS}|{_DESK}|(?<![A-Za-z])(?i:{_DESK_EN})(?![A-Za-z]))*+"
    rf"|.*(?:{_SHEET}|(?<![A-Za-z])(?i:{_SHEET_EN})(?![A-Za-z]))(?:{_MARKS})*+"
)
"""A title that is the desk's: of its words only, or ending in one that is nothing else."""
_DIGITS: Final = {char: number for number, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "两": 2,
}  # fmt: skip
_UNITS: Final = {"十": 10, "百": 100, "千": 1000}


class Misnamed(NamedTuple):
    """A file that was left out."""

    name: str
    chapter: int
    """0 where it gives none that a chapter can have (楔子)."""
    right: str
    """The name that it should have; `第NNN章_楔子.md` where the chapter is for the author to say."""


def misnamed_bodies(names: Iterable[str]) -> list[Misnamed]:
    """The files of 正文/ that look like bodies and do not count, by chapter and name."""
    known: set[int] = set()
    others: list[str] = []
    for name in names:
        number = body_number(name)
        if number is None:
            others.append(name)
        else:
            known.add(number)
    return _sorted(_body(name, known) for name in others)


def misnamed_outlines(names: Iterable[str]) -> list[Misnamed]:
    """The files of 大纲/ that look like outlines of chapters and do not count."""
    known: set[int] = set()
    others: list[str] = []
    for name in names:
        number = outline_number(name)
        if number is None:
            others.append(name)
        else:
            known.add(number)
    return _sorted(_outline(name, known) for name in others)


def is_volume_folder(name: str) -> bool:
    """Whether something in 正文/ may be a folder that holds the bodies of a volume."""
    plain = unicodedata.normalize("NFC", name)
    return set(".\\").isdisjoint(plain) and re.fullmatch(_VOLUME_FOLDER, plain) is not None


def misnamed_in_folder(folder: str, names: Iterable[str], taken: set[int]) -> list[Misnamed]:
    """Every body in a folder below 正文/: chapters are numbered through the whole book and lie flat.

    `taken` are the chapters that others have; those found here are added. A number that another
    chapter has (each volume counts from 1) is for the author to say.
    """
    found = []
    for name in sorted(names):
        number = body_number(name)
        own = Misnamed(name, number, _label(number, body_title(name))) if number else None
        one = own or _body(name, ())
        if one is None:
            continue
        right = one.right
        if one.chapter in taken:
            right = re.sub("^第[0-9]+章", "第NNN章", right)
        taken.add(one.chapter)
        found.append(Misnamed(f"{folder}/{name}", one.chapter, right))
    return found


def body_guess(name: str) -> Misnamed | None:
    """The body that a file of 正文/ looks like; None for one that looks like none or gives no
    chapter, and for those that the format knows."""
    found = _body(name, ()) if body_number(name) is None else None
    return found if found is not None and found.chapter else None


def _sorted(found: Iterable[Misnamed | None]) -> list[Misnamed]:
    return sorted(
        (one for one in found if one is not None), key=lambda one: (one.chapter, one.name)
    )


def _body(name: str, known: Collection[int]) -> Misnamed | None:
    stem = _stem(name)
    if stem is None:
        return None
    found = _numbered(stem)
    if found is None:
        if re.fullmatch(_UNNUMBERED, stem) is None or _of_the_desk(stem.removeprefix("番外")):
            return None
        return Misnamed(name, 0, f"第NNN章_{stem}.md")
    number, title = found
    return None if number in known else Misnamed(name, number, _label(number, title))


def _outline(name: str, known: Collection[int]) -> Misnamed | None:
    stem = _stem(name)
    if stem is None:
        return None
    bare, named = re.subn(rf"{_GAP}(?:{_OUTLINE_WORD}){_GAP}", " ", stem, count=1)
    found = _numbered(bare.strip(), _LISTED if named else _BARE)
    if found is None or found[0] in known or found[0] == 0:
        return None
    return Misnamed(name, found[0], f"细纲_{_label(*found)}")


def _label(number: int, title: str) -> str:
    label = f"第{number:03d}章" if number else "第NNN章"
    title = title.replace("\\", "＼")  # no name of the format holds one
    return f"{label}_{title}.md" if title else f"{label}.md"


def _stem(name: str) -> str | None:
    """The name without its ending; None for a file that holds no text."""
    if len(name) > _LONGEST:
        return None
    plain = unicodedata.normalize("NFC", name)
    if plain.startswith((".", "~")) or _BACKUP in plain:
        return None
    stem, dot, ending = plain.rpartition(".")
    # 第三章 (without any ending) is a chapter, too; 3 is not.
    if not dot:
        return None if plain.isdecimal() else plain
    return stem.strip() if f".{ending.lower()}" in _ENDINGS else None


def _numbered(stem: str, bare: str = _BARE) -> tuple[int, str] | None:
    """The number that a name begins with, and the title after it."""
    plain = stem.translate(_HALF)
    for pattern in (_CHINESE, _ENGLISH, bare):
        found = re.fullmatch(pattern, plain)
        if found is not None:
            number = _value(found[1])
            title = found[2].strip(" \t\u3000_.-·—–:：、，")
            return None if number is None or _of_the_desk(title) else (number, title)
    return None


def _of_the_desk(title: str) -> bool:
    """Whether a title says that the file is a note, a draft, a backup, a list."""
    return title != "" and _SHEETS.fullmatch(title) is not None


_HALF: Final = {ord("０") + n: ord("0") + n for n in range(10)}


def _value(text: str) -> int | None:
    """The value of a numeral: digits, Chinese (二十一, 一〇三, 廿二) or English words."""
    if text.isascii():
        if text.isdigit():
            return int(text)
        word = text.lower()
        return _WORDS.index(word) + 1 if word in _WORDS else None
    plain = text.replace("廿", "二十").replace("卅", "三十")
    if not any(char in _UNITS for char in plain):
        return int("".join(str(_DIGITS[char]) for char in plain))
    total = unit = 0
    for char in plain:
        if char in _UNITS:
            total += (unit or 1) * _UNITS[char]
            unit = 0
        else:
            unit = _DIGITS[char]
    return total + unit
