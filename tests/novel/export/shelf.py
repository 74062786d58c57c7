"""Books on disk and manuscripts in memory, as the tests of exporting need them."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hypothesis import strategies as st

from clew.novel.export.inline import plain
from clew.novel.export.manuscript import (
    Block,
    Break,
    Chapter,
    Heading,
    Listing,
    Manuscript,
    Panel,
    Paragraph,
    Quote,
    Table,
    Volume,
)
from clew.novel.export.reading import read

MOMENT = datetime(2030, 5, 6, 7, 8, 9, tzinfo=UTC)
XHTML = "{http://www.w3.org/1999/xhtml}"
OPF = "{http://www.idpf.org/2007/opf}"
DC = "{http://purl.org/dc/elements/1.1/}"
NCX = "{http://www.daisy.org/z3986/2005/ncx/}"
EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = {"zh": ROOT / "examples" / "洪字十七号", "en": ROOT / "examples" / "The Cancelled Leaf"}

ODD = """# 第1章 渡口 & <灯>

　　“你好”，他说：**站住**！*轻声*地，\\*不是强调\\*，5 < 6 && 7 > 3。
　　𠮷野家的灯笼🏮亮着，Zoë 与 O'Brien。
<script>alert("x")</script>
&emsp;&emsp;A&amp;B &lt;标签&gt; &bogus; ]]> <!-- 作者自己的话 -->
***
◇◇◇

> 信里写着：
>
> 别来。

## 二

- 力量：5
  - 臂力
1. 头一条
2. 第二条

```系统
叮！

恭喜<宿主>
```

| 属性 | 值 |
|---|---|
| 力量 | 5 |
"""
"""Every kind of block, and characters that markup would trip over."""


class Shelf:
    """A book folder without a ledger."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("正文", "大纲"):
            (root / name).mkdir(parents=True, exist_ok=True)

    def body(self, number: int, text: str | bytes, title: str = "渡口") -> Path:
        path = self.root / "正文" / f"第{number:03d}章_{title}.md"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def outline(self, number: int, title: str) -> Path:
        path = self.root / "大纲" / f"细纲_第{number:03d}章_题.md"
        path.write_text(f"# 第{number}章：{title}\n", encoding="utf-8")
        return path


def chapter(body: str, number: int = 1, *, english: bool = False, title: str = "渡口") -> Chapter:
    """A chapter from a body's text."""
    heading = f"Chapter {number}: {title}" if english else f"第{number}章 {title}"
    found = read(body, lines_are_paragraphs=not english)
    return Chapter(number, heading, title, found.blocks)


def manuscript(*chapters: Chapter, **fields: Any) -> Manuscript:
    """A book of one volume without a title; `fields` replace its own."""
    return Manuscript(
        **{
            "title": "渡口旧账",
            "author": "林渡",
            "language": "zh",
            "identifier": "urn:uuid:00000000-0000-5000-8000-000000000001",
            "volumes": (Volume("", chapters),),
            **fields,
        }
    )


def told(blocks: tuple[Block, ...]) -> list[tuple[str, ...]]:
    """What readers read of blocks, by kind: inline marks resolved."""
    return [_told(block) for block in blocks]


def _told(block: Block) -> tuple[str, ...]:
    match block:
        case Paragraph(text):
            return ("paragraph", plain(text))
        case Heading(_, text):
            return ("heading", plain(text))
        case Break(mark):
            return ("break", mark)
        case Quote(paragraphs):
            return ("quote", *map(plain, paragraphs))
        case Listing(items):
            return ("list", *(f"{item.number}|{plain(item.text)}" for item in items))
        case Panel(lines):
            return ("panel", *lines)
        case Table(rows):
            return ("table", *(plain(cell) for row in rows for cell in row))


def letters(text: str) -> str:
    """The letters of a text in their order: what no edition may lose."""
    return "".join(char for char in text if unicodedata.category(char)[0] == "L")


def squeezed(text: str) -> str:
    """A text without any white space."""
    return re.sub(r"\s+", "", text)


def members(data: bytes) -> dict[str, bytes]:
    """The files in a ZIP, in their order."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def tree_of(data: bytes) -> ElementTree.Element:
    """An XML document; fails unless it is well-formed."""
    return ElementTree.fromstring(data)


def text_of(element: ElementTree.Element) -> str:
    """All the text in an element."""
    return "".join(element.itertext())


def texts(alphabet: str, most: int = 120) -> st.SearchStrategy[str]:
    """Bodies made of these characters."""
    return st.text(alphabet=alphabet, max_size=most)


MARKED = "江晨渡口ab。，“”！?：1.\n\n  \u3000*_#>-+|~`\\<>&;!"
"""What can make or break a block or a stress."""
ANY = st.text(alphabet=st.characters(codec="utf-8"), max_size=200) | texts(MARKED)
