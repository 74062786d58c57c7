"""The damage report: what is wrong among the chats of a SillyTavern data folder."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import deck
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tavern import Tavern, mes

from clew.books import sillytavern
from clew.books.damage import Damage, damage


@pytest.fixture
def tavern(tmp_path: Path) -> Tavern:
    made = Tavern(tmp_path / "data")
    made.put("characters/Mara.png", deck.png("Mara"))
    return made


def take(tavern: Tavern, lang: str = "en") -> Damage:
    return damage(str(tavern.root), lang=lang)


def findings(done: Damage) -> list[str]:
    return deck.codes(done.findings)


def test_sound_chats_are_not_told_of(tavern: Tavern) -> None:
    tavern.chat(
        "chats/Mara/a.jsonl", mes("1"), mes("2", extra={"bookmark_link": "b"}), integrity="i1"
    )
    tavern.chat("chats/Mara/b.jsonl", mes("1"), mes("3"), main_chat="a", integrity="i2")
    tavern.put("chats/Mara/old.jsonl", json.dumps(mes("x")) + "\r\n" + json.dumps(mes("y")))
    tavern.chat("backups/chat_mara_20260101-000000.jsonl", mes("1"), integrity="i1")
    tavern.chat("group chats/g1.jsonl", mes("g"))
    tavern.put("groups/1.json", {"members": ["Mara.png"], "chats": ["g1"]})
    done = take(tavern)
    assert findings(done) == []
    counts = done
    assert (counts.chats, counts.messages, counts.backups, counts.groups) == (4, 7, 1, 1)


def test_a_chat_of_which_no_line_is_json_is_unreadable(tavern: Tavern) -> None:
    tavern.put("chats/Mara/nul.jsonl", b"\0" * 4000)
    tavern.put("chats/Mara/text.jsonl", b"once\nupon a time")
    done, zh = take(tavern), take(tavern, "zh")
    assert findings(done) == ["chat_unreadable"] * 2
    assert "zero bytes" in done.findings[0]["message"] and "零字节" in zh.findings[0]["message"]


def test_chats_that_belong_to_nobody_are_told(tavern: Tavern) -> None:
    tavern.chat("chats/Ghost/a.jsonl", mes("1"))
    tavern.chat("group chats/orphan.jsonl", mes("1"))
    tavern.put("groups/1.json", {"members": [], "chats": []})
    done = take(tavern)
    assert [(row["code"], row["file"]) for row in done.findings] == [
        ("chats_alone", "chats/Ghost"), ("group_chat_alone", "group chats/orphan.jsonl"),
    ]  # fmt: skip
    tavern.put("groups/bad.json", b"{oops")
    zh = take(tavern, "zh")
    assert findings(zh) == ["chats_alone", "group_broken"], "a broken group may be its own"
    assert "Expecting" not in str(zh.findings) and "第 1 行" in zh.findings[1]["message"]


def test_broken_lines_are_counted_and_named(tavern: Tavern) -> None:
    good = json.dumps(mes("1"))
    tavern.put("chats/Mara/a.jsonl", f"{good}\n{{broken\n\n{good}\n{good[:10]}")
    tavern.put("chats/Mara/nul.jsonl", good.encode() + b"\n" + b"\0" * 300)
    tavern.put("chats/Mara/odd.jsonl", good + '\n{"mes": "\\ud83d", "x": NaN}')
    done = take(tavern)
    assert findings(done) == ["chat_broken_lines", "chat_broken_lines"]
    assert [f["found"] for f in done.findings] == [2, 1]
    assert done.findings[0]["line"] == "2, 5"


def test_a_chat_that_is_shorter_than_its_backup(tavern: Tavern) -> None:
    long = [mes(str(n)) for n in range(40)]
    tavern.put("characters/沈砚.png", b"")
    tavern.chat("chats/沈砚/a.jsonl", mes("0"), integrity="id-1")
    for name, count in (("20260101-000000", 30), ("20260102-000000", 40), ("20260103-000000", 1)):
        # All names without Latin letters share one pool of backups.
        tavern.chat(f"backups/chat_____{name}.jsonl", *long[:count], integrity="id-1")
    tavern.chat("chats/沈砚/b.jsonl", mes("p"), mes("q"))
    tavern.chat("backups/chat_____20260104-000000.jsonl", mes("p"), mes("q"), mes("r"))
    done = take(tavern)
    assert sorted(findings(done)) == ["chat_shrunken", "chat_shrunken"]
    assert {(f["found"], f["limit"]) for f in done.findings} == {(1, 40), (2, 3)}


def test_a_backup_whose_chat_is_gone(tavern: Tavern) -> None:
    for count in (2, 3):
        messages = [mes(str(n)) for n in range(count)]
        tavern.chat(f"backups/chat_mara_2026010{count}-000000.jsonl", *messages)
    done = take(tavern)
    assert findings(done) == ["chat_gone"] and done.findings[0]["found"] == 3


def test_dead_checkpoints_branches_and_parents(tavern: Tavern) -> None:
    tavern.chat(
        "chats/Mara/a.jsonl", mes("1", extra={"bookmark_link": "Checkpoint #1"}),
        mes("2", extra={"branches": ["Branch #1", "a", 7]}), main_chat="renamed",
    )  # fmt: skip
    done = take(tavern)
    assert sorted(findings(done)) == ["checkpoint_dead", "checkpoint_dead", "parent_dead"]
    assert {f["line"] for f in done.findings if "line" in f} == {2, 3}


def test_groups_with_missing_chats_and_members(tavern: Tavern) -> None:
    tavern.put("groups/1.json", {"members": ["Mara.png", "gone.png"], "chats": ["g1", "g2"]})
    tavern.put("groups/2.json", b"{")
    tavern.put("groups/3.json", [1])
    tavern.put("group chats/g1.jsonl", b"")
    done = take(tavern)
    assert sorted(findings(done)) == [
        "chat_empty", "group_broken", "group_broken", "group_chat_gone", "group_member_gone",
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_chat_that_cannot_be_read(tavern: Tavern) -> None:
    tavern.chat("chats/Mara/a.jsonl", mes("1")).chmod(0)
    assert "chat_unreadable" in findings(take(tavern))


def test_a_chat_that_is_no_file_is_told_and_not_waited_for(tavern: Tavern) -> None:
    (tavern.root / "chats/Mara").mkdir()
    os.mkfifo(tavern.root / "chats/Mara/pipe.jsonl")
    (tavern.root / "chats/Mara/folder.jsonl").mkdir()
    (tavern.root / "chats/Mara/gone.jsonl").symlink_to("nowhere")
    assert findings(take(tavern)) == ["chat_unreadable"] * 3


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4) | st.just("沈砚.png"),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["tags", "tag_map", "id", "name", "world_info_settings", "world_info", "charLore",
                         "extraBooks", "沈砚.png", "mes", "extra", "chat_metadata", "main_chat",
                         "bookmark_link", "branches", "user_name", "chats", "members", "integrity"]),
        inner, max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


@given(settings=JSON, group=JSON, lines=st.lists(JSON, max_size=4))
def test_no_content_of_any_file_stops_a_look(settings: Any, group: Any, lines: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Tavern(Path(folder) / "data")
        made.put("settings.json", json.dumps(settings))
        made.put("groups/1.json", json.dumps(group))
        for name in ("chats/a/1.jsonl", "backups/chat_a_1.jsonl", "group chats/g.jsonl"):
            made.put(name, "\n".join(map(json.dumps, lines)))
        found = sillytavern.read_settings(str(made.root))
        assert all(isinstance(label, str) for labels in found.labels.values() for label in labels)
        for lang in ("zh", "en"):
            told = damage(str(made.root), lang=lang)
            assert told.chats == 2 and all(one["message"] for one in told.findings)
