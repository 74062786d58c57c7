"""The documentation says what is true: its commands parse, its Python runs, its links lead
somewhere, and what is generated is fresh.
"""

from __future__ import annotations

import doctest
import importlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from clew.faces.cli import agent, backup, demo, sidecar, storyctl, tracking_commit, trust
from clew.faces.cli.parse import noun_parser
from clew.kernel.errors import Usage
from clew.kernel.operations import ROOMS, every, of_noun

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*DOCS.rglob("*.md"), *(p for p in ROOT.glob("*.md") if p.name != "CHANGELOG.md")],
    key=lambda path: path.as_posix(),
)
GENERATORS = ("error_pages.py", "format_tables.py", "cli_reference.py")


def script(name: str) -> ModuleType:
    """One of the generators, as a module."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / "scripts"))


def blocks(page: Path, language: str) -> Iterator[str]:
    """The fenced blocks of one language."""
    yield from re.findall(
        rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


def commands(page: Path, program: str) -> Iterator[list[str]]:
    """The arguments of every `$ program …` line, up to the first pipe or redirection."""
    for block in blocks(page, "console"):
        for line in block.splitlines():
            if line.startswith(f"$ {program} "):
                words = shlex.split(line[2:])[1:]
                ends = [i for i, word in enumerate(words) if word in ("|", ">", ">>", "&&", "2>")]
                yield words[: ends[0]] if ends else words


def named(found: Iterator[list[str]] | list[list[str]]) -> list[str]:
    return sorted({json.dumps(words, ensure_ascii=False) for words in found})


ALL = {
    program: named([words for page in PAGES for words in commands(page, program)])
    for program in ("clew", "storyctl", "tracking_commit")
}
OF_ROOMS = [line for line in ALL["clew"] if json.loads(line)[0] in ROOMS]
OTHERS = [line for line in ALL["clew"] if line not in OF_ROOMS]


def parses(parser: object, words: list[str]) -> bool:
    try:
        parser.parse_args(words)  # type: ignore[attr-defined]
    except SystemExit as done:
        return done.code == 0  # --help
    except Usage:
        return False
    return True


@pytest.mark.parametrize("line", OF_ROOMS)
def test_every_command_of_the_docs_parses(line: str) -> None:
    noun, *words = json.loads(line)
    assert parses(noun_parser(noun, of_noun(noun), "en"), words)


@pytest.mark.parametrize("line", ALL["storyctl"])
def test_every_storyctl_line_of_the_docs_parses(line: str) -> None:
    assert parses(storyctl._parser("en"), json.loads(line))


@pytest.mark.parametrize("line", ALL["tracking_commit"])
def test_every_tracking_commit_line_of_the_docs_parses(line: str) -> None:
    assert parses(tracking_commit._parser("en"), json.loads(line))


@pytest.mark.parametrize("line", OTHERS)
def test_commands_outside_the_registry_are_called_rightly(
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLEW_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("HOME", str(tmp_path))
    noun, *words = json.loads(line)
    if noun == "--version":
        return
    if noun == "demo":
        assert parses(demo._parser("en"), words)
        return
    faces = {"agent": agent, "backup": backup, "sidecar": sidecar, "trust": trust}
    face = faces[noun].main
    face([*words, "--json"])
    answer = json.loads(capfd.readouterr().out)
    # Most lines name files that are not here; a wrong option would be a `usage` fault.
    assert answer.get("error_code") != "usage", answer


def test_the_docs_hold_commands_of_every_kind() -> None:
    assert len(OF_ROOMS) > 40
    assert {json.loads(line)[0] for line in OTHERS} >= {"backup", "trust"}
    assert ALL["storyctl"] and ALL["tracking_commit"]


@pytest.mark.parametrize("operation", every(), ids=lambda operation: operation.name)
def test_every_operation_is_documented_in_both_languages(operation: object) -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    noun, verb = operation.name.split(".", 1)  # type: ignore[attr-defined]
    section = page.split(f"### clew {noun} {verb}\n", 1)[1].split("\n### ", 1)[0]
    assert operation.zh in section  # type: ignore[attr-defined]
    assert operation.en[1:] in section  # type: ignore[attr-defined]
    assert f"$ {operation.example}" in section  # type: ignore[attr-defined]


def slug(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    plain = re.sub(r"[`*\[\]]|\(.*?\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        there = page.parent / file if file else page
        if not there.exists():
            broken.append(target)
        elif anchor and there.suffix == ".md":
            headings = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE)
            if anchor not in {slug(heading) for heading in headings}:
                broken.append(target)
    assert broken == []


@pytest.mark.parametrize("script", GENERATORS)
def test_generated_pages_are_fresh(script: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / script), "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"run `make docs`:\n{done.stderr}"


@pytest.mark.skipif(sys.platform != "linux", reason="needs a pseudo-terminal and bash")
@pytest.mark.parametrize("name", ["novel.md", "novel.zh-CN.md"])
def test_a_guide_prints_what_its_commands_print(name: str, tmp_path: Path) -> None:
    transcripts = script("transcripts")
    assert DOCS / name in transcripts.guides()
    text = (DOCS / name).read_text(encoding="utf-8")
    # When this fails for a good reason: python scripts/transcripts.py, and read what it wrote.
    assert transcripts.played(text, tmp_path).splitlines() == text.splitlines()


def test_the_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = tmp_path / "The Cancelled Leaf"
    shutil.copytree(ROOT / "examples" / book.name, book)
    monkeypatch.chdir(book)
    source = "\n".join(blocks(DOCS / "python.md", "python"))
    example = doctest.DocTestParser().get_doctest(source, {}, "docs/python.md", "python.md", 0)
    assert len(example.examples) > 40
    told: list[str] = []
    results = doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert results.failed == 0, "".join(told)


def test_both_guides_have_the_same_chapters() -> None:
    chapters = [
        len(re.findall(r"^## ", (DOCS / name).read_text(encoding="utf-8"), re.MULTILINE))
        for name in ("novel.md", "novel.zh-CN.md")
    ]
    assert chapters[0] == chapters[1]


def test_every_decision_is_in_the_index() -> None:
    index = (DOCS / "decisions" / "README.md").read_text(encoding="utf-8")
    files = sorted(p.name for p in (DOCS / "decisions").glob("0*.md"))
    assert [name for name in files if f"({name})" not in index] == []
    numbers = [name[:4] for name in files]
    assert len(numbers) == len(set(numbers)) >= 13


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pages_name_no_path_of_one_machine(page: Path) -> None:
    assert str(ROOT) not in page.read_text(encoding="utf-8")
