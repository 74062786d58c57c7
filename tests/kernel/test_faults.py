"""Faults: two languages for every code, sentences that no text of a user can break or flood."""

from __future__ import annotations

import importlib
import json
import pkgutil
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import clew.kernel
from clew.kernel.document import parse
from clew.kernel.errors import Refused
from clew.kernel.faults import (
    LANGUAGES,
    Code,
    Fault,
    excerpt,
    register,
    registered,
    spec,
    worst_exit,
)
from clew.kernel.validate import validate

for _module in pkgutil.iter_modules(clew.kernel.__path__):
    importlib.import_module(f"clew.kernel.{_module.name}")
CODES = sorted(registered().values())
ANY_TEXT = st.text(max_size=20)


def names_in(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


# ---- the registry ------------------------------------------------------------------------------


CONSTANTS = (
    "_旧追踪存档", "时间线", "角色状态", "上下文", "逐章记录", "追踪", "正文", "大纲", "_原稿_", "设定", "标题",
    "字数目标：2400", "字数目标", "字数口径", "字数范围", "第NNN章", "第001章", "未揭示", "已埋", "细纲", "卷纲",
    "别名",
)  # fmt: skip
"""Names of the format: folders, files, field labels and values that are Chinese in any language."""


def without_constants(text: str) -> str:
    for word in CONSTANTS:
        text = text.replace(word, "")
    return text


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.code)
def test_every_code_speaks_both_languages_and_explains_itself(code: Code) -> None:
    for chinese in (code.zh, code.about_zh):
        assert any("\u4e00" <= c <= "\u9fff" for c in chinese) or "{reason}" in chinese
    for english in (code.en, code.hint_en, code.about_en):
        assert not any("\u4e00" <= c <= "\u9fff" for c in without_constants(english))
    assert code.en
    assert code.about_en
    assert bool(code.hint_zh) == bool(code.hint_en)


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.code)
def test_both_languages_tell_the_same_facts(code: Code) -> None:
    # A kind of file is named in each language by a fact of its own.
    chinese = {name.removesuffix("_zh") for name in names_in(code.zh)}
    assert chinese == names_in(code.en)


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.code)
def test_codes_are_plain_words_with_an_exit_code(code: Code) -> None:
    assert code.code.replace("_", "").isalnum()
    assert code.code == code.code.lower()
    assert code.code.isascii()
    assert code.exit in (0, 1, 2, 3)


def test_a_code_is_registered_once() -> None:
    again = spec("wrong_type")
    register(again)
    with pytest.raises(ValueError, match="wrong_type"):
        register(again._replace(en="something else"))
    assert spec("wrong_type") == again


def test_the_registry_cannot_be_changed_through_its_answer() -> None:
    before = len(registered())
    dict(registered()).clear()
    registered().clear()  # type: ignore[attr-defined]
    assert len(registered()) == before


def test_a_code_that_nobody_registered_is_a_mistake_of_the_room() -> None:
    with pytest.raises(KeyError):
        Fault("no_such_code").message()


# ---- sentences ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES, ids=lambda c: c.code)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sentence_never_fails_for_want_of_a_fact(code: Code, lang: str) -> None:
    fault = Fault(code.code)
    assert fault.message(lang)
    json.dumps(fault.to_dict(lang))


@pytest.mark.parametrize(
    "text", ["{", "}", "{}", "{path}", "{0}", "{path.__class__}", "{x!r:>9}", "%s"]
)
def test_a_brace_in_the_text_of_a_user_stays_a_brace(text: str) -> None:
    fault = Fault("not_allowed", f"$.{text}", found=text, allowed=[text])
    for lang in LANGUAGES:
        assert fault.message(lang).count(text) >= 3
    assert Fault("unknown_field", "$", parent=text, name=text, allowed=[text]).hint().endswith(text)


@given(ANY_TEXT, ANY_TEXT, st.sampled_from([c.code for c in CODES]))
def test_any_text_can_stand_in_a_sentence(path: str, found: str, code: str) -> None:
    fault = Fault(code, path, found=found, file=found, reason=found, name=found, allowed=[found])
    for lang in LANGUAGES:
        assert fault.message(lang)
        json.dumps(fault.to_dict(lang))


def test_languages_differ_and_codes_do_not() -> None:
    fault = Fault("empty_text", "$.title")
    assert fault.message("zh") == "$.title 不能为空"
    assert fault.message("en") == "$.title must not be empty"
    assert fault.to_dict("zh")["code"] == fault.to_dict("en")["code"]


def test_keys_that_do_not_apply_are_left_out() -> None:
    assert Fault("empty_text", "$.title").to_dict() == {
        "code": "empty_text", "path": "$.title", "message": "$.title must not be empty",
    }  # fmt: skip
    assert "path" not in Fault("usage", reason="no").to_dict()
    assert "limit" not in Fault("usage", reason="no", limit=None).to_dict()


def test_a_length_fault_shows_its_numbers_as_fields() -> None:
    fault = Fault("text_too_long", "$.delta.result", found=131, limit=120, cut_chars=4)
    shown = fault.to_dict()
    assert (shown["found"], shown["limit"], shown["cut_chars"]) == (131, 120, 4)
    assert shown["hint"]


def test_faults_are_equal_when_they_say_the_same() -> None:
    one, other = Fault("usage", "$", reason="x"), Fault("usage", "$", reason="x")
    assert one == other
    assert len({one, other}) == 1
    assert one != Fault("usage", "$", reason="y")
    assert one != "usage"
    assert "usage" in repr(one)


@pytest.mark.parametrize(
    ("codes", "worst"),
    [([], 2), (["bom_ignored"], 0), (["bad_json", "missing_file"], 3), (["bad_json"], 2)],
)
def test_the_worst_fault_decides_the_exit_code(codes: list[str], worst: int) -> None:
    assert worst_exit([Fault(code) for code in codes]) == worst


# ---- excerpts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ("short", "short"),
        ("x" * 120, "x" * 120),
        ("x" * 121, "x" * 119 + "…"),
        ("a\ud800b", "a?b"),
        (True, True),
        (None, None),
        (1.5, 1.5),
        (2**64 - 1, 2**64 - 1),
        (2**64, "<65-bit integer>"),
        (2**20_000, "<20001-bit integer>"),
        ({"a": 1}, "<object, 1 keys>"),
        ([1, 2], "<list, 2 items>"),
        (b"x", "<bytes>"),
    ],
    ids=lambda _: "",
)
def test_an_excerpt_shows_what_was_found_but_never_at_length(value: Any, want: Any) -> None:
    assert excerpt(value) == want


HUGE: dict[str, Any] = {
    "text": "字" * 100_000,
    "surrogates": "\ud800" * 100_000,
    "number": 10**90_000,
    "object": {"k" * 9_999: 1},
}


@pytest.mark.parametrize("value", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("code", ["not_allowed", "wrong_type", "duplicate_item", "bad_id"])
def test_an_answer_never_repeats_the_input_at_length(value: Any, code: str) -> None:
    fault = Fault(
        code, "$.a", found=value, expected="string", allowed=["a"], name=value, parent="$"
    )
    for lang in LANGUAGES:
        assert len(json.dumps(fault.to_dict(lang))) < 3_000


def test_a_long_list_in_a_sentence_is_cut() -> None:
    fault = Fault("duplicate_item", "$.cast", found=["x" * 99] * 9_999)
    for lang in LANGUAGES:
        assert len(json.dumps(fault.to_dict(lang))) < 5_000
    assert fault.to_dict()["found"][-1] == "… (9999)"


def test_a_machine_is_told_the_names_in_a_list_and_not_their_number() -> None:
    fault = Fault("retired_layout", found=("摘要", "角色状态.md"))
    assert fault.to_dict()["found"] == ["摘要", "角色状态.md"]


def test_an_answer_about_a_huge_key_is_short() -> None:
    key = "k" * 100_000
    _, faults = validate({key: "x"}, dict[str, int])
    with pytest.raises(Refused) as caught:
        parse(b'{"%b": NaN}' % key.encode(), "x.json")
    for fault in [*faults, *caught.value.faults]:
        for lang in LANGUAGES:
            assert len(json.dumps(fault.to_dict(lang))) < 3_000


def test_a_path_with_a_lone_surrogate_can_be_printed() -> None:
    _, (fault,) = validate({"\ud800": "x"}, dict[str, int])
    assert json.dumps(fault.to_dict(), ensure_ascii=False).encode("utf-8")
