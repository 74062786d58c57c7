"""The shipped skill is true: its commands run, its limits are those of the types, its codes exist."""

from __future__ import annotations

import importlib
import json
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from booklet import Booklet, call
from msgspec import Meta

import clew
from clew.faces.agents import skills
from clew.faces.cli import agent
from clew.faces.cli.main import main
from clew.faces.cli.parse import noun_parser
from clew.kernel.errors import Usage
from clew.kernel.faults import registered
from clew.kernel.operations import ROOMS, of_noun
from clew.novel import acceptance, chapters, guide, model
from clew.testing.novel import snapshot

TEXTS = {name: data.decode("utf-8") for name, data in skills.shipped().items()}
SKILL = TEXTS["SKILL.md"]
TRANSACTION = TEXTS["references/transaction.md"]
ANSWERS = TEXTS["references/answers.md"]
PERSON = "林晚"


def lines_of(text: str) -> list[str]:
    """The command lines of the fenced blocks, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line]


def inline(text: str) -> list[str]:
    """The commands that stand in a sentence."""
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [found for found in re.findall(r"`(clew [^`]+)`", plain) if "…" not in found]


def words(line: str, chapter: int = 2) -> list[str]:
    """The arguments of a printed line, with its placeholders filled in."""
    line = line.replace("NNN", f"{chapter:03d}").replace("NAME", PERSON).replace("TITLE", "新书")
    return [re.sub(r"\AN\Z", str(chapter), word) for word in shlex.split(line)[1:]]


def parsed(line: str) -> bool:
    noun, *rest = words(line)
    if len(rest) == 1 and noun in ROOMS:  # a command that is only named
        return f"{noun}.{rest[0]}" in [operation.name for operation in of_noun(noun)]
    parser: Any = agent._parser("en") if noun == "agent" else noun_parser(noun, of_noun(noun), "en")
    try:
        parser.parse_args(rest)
    except Usage:
        return False
    return noun == "agent" or noun in ROOMS


# ---- the frontmatter -----------------------------------------------------------------------------


def test_the_frontmatter_is_what_every_host_reads() -> None:
    head, body = re.fullmatch(r"---\n(.*?)\n---\n(.*)", SKILL, re.DOTALL).groups()  # type: ignore[union-attr]
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert set(fields) == {"name", "description"}
    assert fields["name"] == skills.NOVEL and re.fullmatch(
        r"[a-z0-9]+(-[a-z0-9]+)*", fields["name"]
    )
    assert 40 < len(fields["description"]) <= 1024
    # A plain scalar of YAML: no ": ", no " #", no quote or indicator in front.
    assert ": " not in fields["description"] and " #" not in fields["description"]
    assert re.match(r"[A-Z]", fields["description"]) and re.search(r"[\u4e00-\u9fff]", head)
    assert len(body.splitlines()) < 200


@pytest.mark.parametrize("name", TEXTS)
def test_the_skill_stands_on_its_own(name: str) -> None:
    text = TEXTS[name]
    assert not re.search(r"src/|docs/|(?<!\.story)/work/|/home/|/usr/", text)
    assert len(text) < 7_000
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        there = f"references/{target}" if name != "SKILL.md" else target
        assert there in TEXTS, target


# ---- the commands --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", sorted({c for text in TEXTS.values() for c in (*lines_of(text), *inline(text))})
)
def test_every_command_of_the_skill_parses(line: str) -> None:
    assert parsed(line)


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Booklet:
    """A book whose chapter 1 is committed, and the outline of 2. The agent stands in it."""
    book = Booklet(tmp_path / "渡口 旧账").begin(
        character_snapshots={PERSON: snapshot()}, active_character_names=[PERSON]
    )
    monkeypatch.chdir(book.root)
    path = book.ready(1)
    done = call(main, "chapter", "commit", "--chapter", 1, "--input", path)
    assert done.code == 0, done.text
    book.outline(2)
    return book


def run(line: str, chapter: int = 2) -> Any:
    answer = call(main, *words(line, chapter))
    assert answer.code == 0, (line, answer.text, answer.err)
    return answer.json


def fill(book: Booklet, drafted: Any) -> None:
    """Fill in what the draft asks for, as a writing agent does."""
    path = Path(drafted["draft"])
    document = json.loads(path.read_text(encoding="utf-8"))
    for wanted in drafted["fill"]:
        keys = wanted["path"].removeprefix("$.").split(".")
        place = document
        for key in keys[:-1]:
            place = place[key]
        if place.get(keys[-1]) == "":
            place[keys[-1]] = "账房夜里点了灯"
    path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")


def test_the_loop_of_the_skill_is_the_loop(written: Booklet) -> None:
    steps = lines_of(SKILL)
    names = [" ".join(words(line)[:2]) for line in steps]
    assert names[:8] == [
        "novel context", "novel who", "chapter check", "novel lint", "novel draft", "chapter commit",
        "novel check", "novel lint",
    ]  # fmt: skip

    def through(part: list[str], chapter: int) -> None:
        for line in part:
            found = run(line, chapter)
            if words(line)[1] == "draft":
                fill(written, found)
            if words(line)[1] == "check" and words(line)[0] == "chapter":
                assert found["status"] == "ready"

    through(steps[:2], 2)
    written.body(2)
    through(steps[2:8], 2)
    assert written.state().last_committed_chapter == 2
    assert not written.path(".story/work/第002章").exists()

    assert names[8:10] == ["novel impact", "novel context"]
    through(steps[8:10], 1)
    written.body(1, count=380)
    through(steps[2:8], 1)
    assert written.state().last_committed_chapter == 2
    assert written.state().wordcount_records["1"].actual == 380

    revision = written.revision
    through(steps[10:], 2)
    assert names[10:12] == ["novel undo", "novel redo"]
    assert written.revision == revision + 2
    assert names[-3:] == ["novel export", "novel export", "novel publish"]
    assert run("clew novel stats")["published"] == 1


def test_the_ways_out_of_the_answers_are_taken(written: Booklet) -> None:
    for line in lines_of(ANSWERS):
        answer = call(main, *words(line))
        refused = answer.json.get("error_code")
        assert refused not in ("usage", "INVALID_ARGUMENT", "internal"), (line, answer.text)


def test_the_length_the_skill_speaks_of_is_accepted(written: Booklet) -> None:
    written.body(2, count=300)
    line = next(line for line in lines_of(SKILL) if "chapter check" in line)
    assert run(line)["status"] == "needs_decision"
    fill(written, run("clew novel draft --chapter N"))
    accept = next(line for line in lines_of(ANSWERS) if "accept-current-length" in line)
    assert run(accept)["wordcount"]["resolution"] == "accepted_current_length"


# ---- the tables ----------------------------------------------------------------------------------


def rows(text: str) -> Iterator[tuple[str, str]]:
    """The first cell of each row of a table, and the whole row."""
    for line in text.splitlines():
        if line.startswith("| `"):
            yield line.split("|")[1].strip(), line


def test_every_field_of_a_transaction_stands_in_the_reference_with_its_limit() -> None:
    found = {
        name: row for cell, row in rows(TRANSACTION) for name in re.findall(r"`([^`]+)`", cell)
    }
    for key, chars in guide.limits_chars().items():
        if key == "whole_record":
            assert f"{chars} 字" in TRANSACTION and str(model.RECORD_BYTES) in TRANSACTION
            continue
        key = key.replace("character_snapshots.", "character_snapshots.*.")
        key = re.sub(r"^delta\.(foreshadow_changes|timeline_events)\.", "", key)
        key = key.replace("delta.character_changes.change", "delta.character_changes[].change")
        row = found.get(key) or found[f"{key}[]"]
        # `story_time` stands in two tables with one limit.
        assert f"{chars} 字" in row and f"{_cap(key)} bytes" in row, key
    for kind in (model.Delta, model.ForeshadowChange, model.EventChange, model.CommitContext,
                 model.Position, model.Snapshot, model.CharacterChange):  # fmt: skip
        for field in kind.__struct_fields__:
            assert re.search(rf"[`.]{field}(\[\])?[`.]", TRANSACTION), field


def _cap(key: str) -> int:
    """The cap in bytes, from the types."""
    name = key.rsplit(".", 1)[-1].removesuffix("[]")
    for kind in (model.Delta, model.ForeshadowChange, model.EventChange, model.CommitContext,
                 model.Position, model.Snapshot, model.CharacterChange, model.Chaptered):  # fmt: skip
        hint = get_type_hints(kind, include_extras=True).get(name)
        if hint is not None and (found := guide._cap(hint)):
            return found
    raise AssertionError(key)


@pytest.mark.parametrize(
    "kind", [model.Delta, model.CommitContext, model.EventChange], ids=lambda k: k.__name__
)
def test_every_count_stands_in_the_reference(kind: type[msgspec.Struct]) -> None:
    found = {
        name: row for cell, row in rows(TRANSACTION) for name in re.findall(r"`([^`]+)`", cell)
    }
    for field, hint in get_type_hints(kind, include_extras=True).items():
        counts = [
            (meta.extra or {}).get("items") for meta in get_args(hint) if isinstance(meta, Meta)
        ]
        for count in counts:
            if isinstance(count, int):
                row = next(
                    row for name, row in found.items() if name.split(".")[-1] == f"{field}[]"
                )
                assert re.search(rf"\b{count} (items|names)", row), (field, count)


@pytest.mark.parametrize(
    "values", [model.ForeshadowStatus, model.Importance, model.RevealStatus, model.Action]
)
def test_every_value_of_a_choice_stands_in_the_reference(values: Any) -> None:
    assert all(f"`{value}`" in TRANSACTION for value in get_args(values))


def test_the_codes_statuses_and_actions_exist() -> None:
    for found in pkgutil.walk_packages(clew.__path__, "clew."):
        if not found.name.startswith("clew.testing"):
            importlib.import_module(found.name)
    statuses = set(get_args(chapters.CheckStatus))
    actions = set(get_args(acceptance.Action))
    known = set(registered()) | statuses | actions
    for cell, _ in [*rows(ANSWERS), *(r for r in rows(SKILL) if "status" not in r[0])]:
        for name in re.findall(r"`([^`]+)`", cell):
            assert name in known, name
    told = " ".join(cell for cell, _ in (*rows(SKILL), *rows(ANSWERS)))
    assert all(f"`{name}`" in told for name in statuses | actions)


# ---- the page about it ---------------------------------------------------------------------------

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("page", ["agents.md", "agents.zh-CN.md"])
def test_the_commands_of_the_page_parse_and_its_settings_are_answered(page: str) -> None:
    from clew.faces.hooks import contract

    text = (DOCS / page).read_text(encoding="utf-8")
    lines = [line.partition("#")[0].rstrip() for line in lines_of(text) if line.startswith("clew ")]
    assert len(lines) == 7
    for line in (*lines, *(one for one in inline(text) if len(one.split()) > 2)):
        if not line.startswith("clew hook"):
            assert parsed(line), line
    for block in re.findall(r"^```json\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for event, groups in json.loads(block)["hooks"].items():
            assert event in contract.EVENTS
            assert groups[0]["hooks"][0]["command"].endswith(f"hook {event}")
            tools = groups[0].get("matcher", "").split("|")
            known = (*contract._FILE_TOOLS, *contract._SHELL_TOOLS, contract._PATCH_TOOL, "")
            assert set(tools) <= set(known)
    codes = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text)) - {
        "write_file",
        "run_shell_command",
        "apply_patch",
    }
    assert codes <= set(registered()) | {"needs_confirmation"}


def test_both_pages_have_the_same_chapters() -> None:
    counts = [
        re.findall(r"^(#+) ", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)
        for page in ("agents.md", "agents.zh-CN.md")
    ]
    assert counts[0] == counts[1]
