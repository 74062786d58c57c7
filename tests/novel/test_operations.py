"""The registry: what every face offers is complete, in both languages, and means the same."""

from __future__ import annotations

import json
import shlex
import typing
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from clew.faces.cli.parse import noun_parser, request_of
from clew.faces.cli.rooms import rendering
from clew.kernel.errors import Usage
from clew.kernel.operations import ROOMS, Host, Operation, every, of_noun
from clew.testing.novel import begin_book, chapter, init_document, state_of, tree

ALL = every()


def named(name: str) -> Operation:
    return next(op for op in ALL if op.name == name)


def chinese(text: str) -> bool:
    return any("\u4e00" <= c <= "\u9fff" for c in text)


def answer_of(operation: Operation) -> Any:
    module, name = operation.answer.split(":")
    return getattr(import_module(module), name)


def metas(hint: Any) -> dict[str, Any]:
    """What a field says of itself, through `Annotated` and `| None`."""
    found: dict[str, Any] = {}
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        for note in notes:
            found |= getattr(note, "extra", None) or {}
        return found | metas(inner)
    for inner in get_args(hint):
        found |= metas(inner)
    return found


# ---- completeness --------------------------------------------------------------------------------


def test_the_operations_are_those_of_the_seed_and_the_design() -> None:
    mine = [op.name for op in ALL if op.name.split(".")[0] in ("novel", "chapter", "wordcount")]
    assert sorted(mine) == sorted([
        "novel.init", "novel.adopt", "novel.backfill", "novel.check", "novel.draft", "novel.commit",
        "novel.render", "novel.history", "novel.at", "novel.diff", "novel.undo", "novel.redo",
        "novel.recover", "novel.stats", "novel.shims", "novel.context", "novel.who", "novel.impact",
        "novel.lint", "novel.export", "novel.publish", "chapter.check", "chapter.commit",
        "chapter.accept-current-length", "wordcount.measure", "wordcount.check",
        "wordcount.checkpoint",
    ])  # fmt: skip
    assert {op.name.split(".")[0] for op in ALL} == set(ROOMS)


@pytest.mark.parametrize("operation", ALL, ids=lambda op: op.name)
def test_an_operation_says_what_it_does_in_both_languages(operation: Operation) -> None:
    assert chinese(operation.summary("zh"))
    english = operation.summary("en").replace("追踪/", "")  # a folder's name in any language
    assert english and not chinese(english)
    assert operation.mode in ("read", "write")


@pytest.mark.parametrize("operation", ALL, ids=lambda op: op.name)
def test_every_field_has_help_in_both_languages(operation: Operation) -> None:
    hints = get_type_hints(operation.request, include_extras=True)
    assert hints
    for name, hint in hints.items():
        extra = metas(hint)
        assert chinese(extra["zh"]), name
        assert extra["en"], name


@pytest.mark.parametrize("operation", ALL, ids=lambda op: op.name)
def test_the_example_is_a_command_line_that_parses(operation: Operation) -> None:
    clew, noun, verb, *rest = shlex.split(operation.example)
    assert (clew, f"{noun}.{verb}") == ("clew", operation.name)
    space = noun_parser(noun, of_noun(noun), "en").parse_args([verb, *rest])
    assert space.operation is operation or space.operation.name == operation.name
    request = request_of(space, operation.request)
    assert isinstance(request, operation.request)


@pytest.mark.parametrize("operation", ALL, ids=lambda op: op.name)
def test_the_answer_is_a_type_that_exists_and_has_a_schema(operation: Operation) -> None:
    kind = answer_of(operation)
    assert issubclass(kind, msgspec.Struct)
    assert msgspec.json.schema(kind)


@pytest.mark.parametrize("operation", ALL, ids=lambda op: op.name)
def test_the_request_has_a_schema_that_names_its_fields(operation: Operation) -> None:
    schema = msgspec.json.schema(operation.request)
    properties = schema["$defs"][operation.request.__name__]["properties"]
    assert set(properties) == set(operation.request.__struct_fields__)
    for field in properties.values():
        assert "description" in field or any("description" in p for p in field.get("anyOf", []))


def test_every_operation_has_a_rendering_and_every_rendering_an_operation() -> None:
    assert [op.name for op in ALL if rendering(op) is None] == []


def test_a_question_about_a_decision_leaves_with_1() -> None:
    """`recover` that found edited files and `chapter check` that found faults want an answer."""
    recover = named("novel.recover")
    recovered = answer_of(recover)
    assert recover.exit_of(recovered(pending=False)) == 0
    assert recover.exit_of(recovered(status="needs_decision", pending=True)) == 1


def test_hidden_fields_are_no_options() -> None:
    for operation in ALL:
        noun, verb = operation.name.split(".")
        parser = noun_parser(noun, of_noun(noun), "en")
        with pytest.raises(Usage):
            parser.parse_args([verb, "--document", "{}"])


# ---- from what was typed to a request ------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name", "fields"),
    [
        ("novel check", "novel.check", {"project": None}),
        ("novel at 9", "novel.at", {"chapter": 9, "revision": None}),
        ("novel at --revision 4", "novel.at", {"chapter": None, "revision": 4}),
        ("novel diff 3 9 --revisions", "novel.diff", {"a": 3, "b": 9, "revisions": True}),
        ("novel history repair", "novel.history", {"action": "repair"}),
        ("novel history", "novel.history", {"action": "list"}),
        ("novel recover --keep disk", "novel.recover", {"keep": "disk"}),
        ("novel undo --to-history", "novel.undo", {"to_history": True}),
        ("novel init --from-manuscript --force", "novel.init", {"from_manuscript": True, "force": True}),
        ("novel render --prune", "novel.render", {"prune": True}),
        ("novel shims status --skill d", "novel.shims", {"action": "status", "skill": "d"}),
        ("chapter check --chapter 7 --min-chars 1 --max-chars 2", "chapter.check",
         {"chapter": 7, "min_chars": 1, "max_chars": 2}),
        ("wordcount measure --file f --chapter 序", "wordcount.measure", {"file": "f", "chapter": "序"}),
    ],
)  # fmt: skip
def test_options_become_fields(line: str, name: str, fields: dict[str, object]) -> None:
    noun, *rest = shlex.split(line)
    space = noun_parser(noun, of_noun(noun), "en").parse_args(rest)
    request = request_of(space, space.operation.request)
    assert space.operation.name == name
    assert {key: getattr(request, key) for key in fields} == fields


@pytest.mark.parametrize(
    "line",
    [
        "novel draft", "novel draft --chapter", "novel draft --chapter x", "novel draft --chapter -1",
        "novel draft --chapter 1.0", "novel draft --chapter 1_0", "novel draft --chapter １",
        "novel draft --chap 1", "novel recover --keep both", "novel history undo", "novel check extra",
        "novel shims --skill d", "novel shims install", "novel diff 1", "chapter commit",
        "novel draft --chapter " + "9" * 20, "wordcount measure",
    ],
)  # fmt: skip
def test_what_does_not_fit_is_usage(line: str) -> None:
    noun, *rest = shlex.split(line)
    with pytest.raises(Usage) as refused:
        noun_parser(noun, of_noun(noun), "en").parse_args(rest)
    assert refused.value.code == "usage"


# ---- running without a face ----------------------------------------------------------------------


def test_a_document_may_be_handed_in_instead_of_a_file(tmp_path: Path) -> None:
    host = Host(cwd=str(tmp_path))
    init = named("novel.init")
    started = init.run(host, init.request(project=".", document=init_document()))
    assert isinstance(started, answer_of(init))
    commit = named("novel.commit")
    from clew.novel.ledger import Ledger

    document = chapter(state_of(Ledger(tmp_path)))
    done = commit.run(host, commit.request(document=document))
    assert (done.state_revision, done.chapter) == (1, 1)
    assert len(host.later) == 2  # what may be done after the answer was given


def test_reading_operations_change_nothing(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    from clew.novel.commit import commit

    commit(ledger, chapter(state_of(ledger)), [])
    host = Host(cwd=ledger.root)
    before = tree(ledger.root)
    for name, fields in {
        "novel.check": {}, "novel.history": {}, "novel.at": {"chapter": 1},
        "novel.diff": {"a": 0, "b": 1, "revisions": True}, "novel.stats": {},
    }.items():  # fmt: skip
        operation = named(name)
        answer = operation.run(host, operation.request(**fields))
        assert operation.mode == "read"
        assert isinstance(answer, answer_of(operation))
        assert json.loads(msgspec.json.encode(answer))
        assert operation.exit_of(answer) == 0
    assert tree(ledger.root) == before
    assert (host.notes, host.later) == ([], [])


def test_answers_are_json_that_reads_back_as_their_type(tmp_path: Path) -> None:
    ledger = begin_book(tmp_path / "书")
    host = Host(cwd=ledger.root)
    for name in ("novel.check", "novel.stats", "novel.render"):
        operation = named(name)
        answer = operation.run(host, operation.request())
        again = msgspec.json.decode(msgspec.json.encode(answer), type=answer_of(operation))
        assert again == answer


def test_type_hints_of_every_answer_resolve() -> None:
    for operation in ALL:
        assert typing.get_type_hints(answer_of(operation))
