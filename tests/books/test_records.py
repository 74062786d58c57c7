"""Documents: the seed's fields under the seed's names, and a history that is the assets."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.books import bookrecords, records
from clew.books.bookrecords import (
    DECODE_BOOK,
    DECODE_SESSION,
    CardBook,
    CardRef,
    PersistedBookSession,
    PlayBook,
    cycle_of,
)
from clew.books.library import decoded
from clew.books.lifecycle import CYCLES, FIRST
from clew.books.records import DECODE_ASSET, DECODE_LINE, Asset, Version, folded, line_of
from clew.kernel.document import encode, encode_line
from clew.kernel.errors import ClewError

AT = "2026-05-01T08:00:00.000Z"
SEED = {
    CardBook: "id title orchestratorId lifecycleStage designTrace designArtifacts messages "
    "runSkillManifest readiness createdAt updatedAt",
    PlayBook: "id title orchestratorId lifecycleStage cardRef worldRef contextProfile "
    "runSkillManifest playTrace runState messages snapshotIds createdAt updatedAt",
    bookrecords.Novel: "id title orchestratorId lifecycleStage currentContentId historyContentIds "
    "designTrace sessionIds createdAt updatedAt",
    Asset: "id cardBookId title tags runSkillManifest confirmedAt",
    bookrecords.DesignTraceEntry: "at type skillId tool summary outputTags",
    bookrecords.PlayTraceEntry: "at turn type skillId summary",
    bookrecords.RunState: "turn variables eventStream",
    CardRef: "assetId version",
}  # fmt: skip


@pytest.mark.parametrize("kind", SEED, ids=lambda kind: kind.__name__)
def test_every_field_of_the_seed_is_there_under_its_name(kind: type[msgspec.Struct]) -> None:
    names = {field.encode_name for field in msgspec.structs.fields(kind)}
    assert set(SEED[kind].split()) <= names


@pytest.mark.parametrize(
    "kind", [CardBook, PlayBook, Asset, bookrecords.Novel, PersistedBookSession,
             bookrecords.BookContentRecord, bookrecords.RunSnapshot, records.LibraryMark]
)  # fmt: skip
def test_every_document_has_room_for_an_owner_a_schema_and_a_revision(
    kind: type[msgspec.Struct],
) -> None:
    names = {field.encode_name for field in msgspec.structs.fields(kind)}
    assert {"owner", "schema_version", "revision", "createdAt", "updatedAt"} <= names


def books() -> list[Any]:
    common = {"id": "b1", "title": "书", "created_at": AT, "updated_at": AT, "owner": "me"}
    return [
        CardBook(**common, asset_id="c1"),
        PlayBook(
            **common, card_ref=CardRef(asset_id="c1", version="2"), cast=[CardRef(asset_id="c2")]
        ),
        bookrecords.Roleplay(**common, card_ref=CardRef(asset_id="c1", version="2")),
        *(kind(**common, folder="x") for kind in bookrecords.PROJECTS.values()),
    ]


@pytest.mark.parametrize("book", books(), ids=lambda book: type(book).__name__)
def test_a_book_comes_back_as_what_it_is(book: Any) -> None:
    assert DECODE_BOOK.decode(encode(book)) == book
    assert book.lifecycle_stage == FIRST[cycle_of(book)]
    stages = set(CYCLES[cycle_of(book)])
    field = next(f for f in msgspec.structs.fields(type(book)) if f.name == "lifecycle_stage")
    assert set(field.type.__args__) == stages


def test_a_session_comes_back(tmp_path: object) -> None:
    session = PersistedBookSession(
        id="s1", book_id="b1", phase="waiting_user", waiting_reason="review", created_at=AT,
        updated_at=AT, runtime={"x": [1]},
    )  # fmt: skip
    assert DECODE_SESSION.decode(encode(session)) == session


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "record_broken"),
        (b"{", "record_broken"),
        (b"[]", "record_broken"),
        (b'{"kind":"novel"}', "record_broken"),
        (b'{"kind":"poem","id":"b"}', "record_broken"),
        (b'{"schema_version":2,"kind":"new"}', "newer_schema"),
        (b"\xff", "record_broken"),
        (b"[" * 10_000, "record_broken"),
    ],
)
def test_a_broken_document_is_refused_with_its_place(data: bytes, code: str) -> None:
    with pytest.raises(ClewError) as broken:
        decoded(DECODE_BOOK, data, "books/b/project.json")
    assert broken.value.code == code
    assert "books/b/project.json" in broken.value.faults[0].message("zh")


def version(number: int) -> Version:
    return Version(number=number, content_hash=f"h{number}", file_sha256="f", made="edited", at=AT)


def asset(ident: str, title: str, revision: int, numbers: range) -> Asset:
    return Asset(
        id=ident, kind="card", title=title, revision=revision, current=numbers[-1],
        versions=[version(n) for n in numbers], created_at=AT, updated_at=AT,
    )  # fmt: skip


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["edit", "rename", "purge"])), max_size=30
    )
)
def test_all_lines_of_an_asset_together_are_the_asset(steps: list[tuple[str, str]]) -> None:
    assets: dict[str, Asset] = {}
    raw: list[bytes] = []
    for number, (ident, what) in enumerate(steps):
        before = assets.get(ident)
        count = len(before.versions) if before is not None else 0
        if what == "purge" and before is not None:
            gone = assets.pop(ident)
            raw.append(
                encode_line(line_of(msgspec.structs.replace(gone, versions=[]), "purged", AT))
            )
            continue
        fresh = count + (what == "edit" or before is None)
        after = asset(
            ident, f"t{number}", (before.revision if before else 0) + 1, range(1, fresh + 1)
        )
        assets[ident] = after
        raw.append(encode_line(line_of(after, "edited" if what == "edit" else "renamed", AT)))
    lines = [DECODE_LINE.decode(line) for line in raw]
    assert folded(lines) == assets
    assert all(len(line.asset.versions) <= 1 for line in lines), (
        "a line does not grow with the versions"
    )


def test_a_document_is_written_the_same_way_each_time() -> None:
    one = asset("c1", "沈砚", 3, range(1, 3))
    assert encode(DECODE_ASSET.decode(encode(one))) == encode(one)
    assert list(json.loads(encode(one))) == sorted(json.loads(encode(one)))
