"""Documents: stable bytes out, careful reading in."""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.kernel.document import (
    DEPTH,
    INPUT_BYTES,
    child,
    digest,
    encode,
    encode_line,
    parse,
)
from clew.kernel.errors import Refused

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=20,
)


def refused(data: bytes | str) -> list[tuple[str, str]]:
    raw = data.encode() if isinstance(data, str) else data
    with pytest.raises(Refused) as caught:
        parse(raw, "x.json")
    return [(fault.code, fault.path) for fault in caught.value.faults]


# ---- stable bytes ------------------------------------------------------------------------------


@given(VALUES)
def test_bytes_are_those_of_the_standard_library_sorted_and_indented(value: Any) -> None:
    plain = json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    assert encode(value) == plain.encode("utf-8")


@given(VALUES)
def test_a_log_line_is_the_same_value_on_one_line(value: Any) -> None:
    line = encode_line(value)
    assert b"\n" not in line
    assert line == json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode("utf-8")


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert parse(encode(value), "x.json") == (value, [])
    assert encode(parse(encode(value), "x.json")[0]) == encode(value)


def test_the_order_of_keys_does_not_matter() -> None:
    assert encode({"b": 1, "a": {"d": 1, "c": 2}}) == encode({"a": {"c": 2, "d": 1}, "b": 1})
    assert encode({"b": 1, "人": 2, "a": []}) == (
        b'{\n  "a": [],\n  "b": 1,\n  "\xe4\xba\xba": 2\n}\n'
    )


def test_a_digest_is_sha_256_in_hex() -> None:
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_large_and_small_data_have_the_same_kind_of_digest() -> None:
    for size in (0, 1, 65_535, 65_536, 65_537, 300_000):
        for fill in (b"a", b"b"):
            data = fill * size
            for _ in range(2):
                assert digest(data) == hashlib.sha256(data).hexdigest()
            assert digest(bytes(bytearray(data))) == digest(data)


def test_digests_are_right_in_many_threads_at_once() -> None:
    wrong: list[object] = []

    def work(seed: int) -> None:
        try:
            for number in range(150):
                data = b"%d %d " % (seed, number % 7) + b"x" * 66_000
                if digest(data) != hashlib.sha256(data).hexdigest():
                    wrong.append(seed)
        except RuntimeError as error:
            wrong.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert wrong == []


@pytest.mark.parametrize(
    ("key", "want"),
    [("a", "$.a"), ("人", "$.人"), (3, "$[3]"), ("a b", '$["a b"]'), ('"', '$["\\""]'), ("", '$[""]'),
     ("0", '$["0"]'), ("a.b", '$["a.b"]')],
)  # fmt: skip
def test_paths_of_members(key: str | int, want: str) -> None:
    assert child("$", key) == want


# ---- careful reading ---------------------------------------------------------------------------


def test_a_byte_order_mark_is_ignored_with_a_note() -> None:
    value, notes = parse(b'\xef\xbb\xbf{"a": 1}', "x.json")
    assert value == {"a": 1}
    assert [note.code for note in notes] == ["bom_ignored"]
    assert "x.json" in notes[0].message("zh")
    assert parse(b'{"a": "\xef\xbb\xbf"}', "x.json") == ({"a": "\ufeff"}, [])


def test_two_byte_order_marks_are_one_too_many() -> None:
    assert refused(b"\xef\xbb\xbf\xef\xbb\xbf{}") == [("bad_json", "")]


def test_repeated_keys_are_refused_with_the_path_of_their_object() -> None:
    text = '{"a": [{"b": {"x": 1, "y": 2, "x": 3, "x": 4}}], "c": {"人": 1, "人": 1}, "a2": 1}'
    with pytest.raises(Refused) as caught:
        parse(text.encode(), "x.json")
    found = [(f.code, f.path, f.facts["found"]) for f in caught.value.faults]
    assert found == [("duplicate_key", "$.a[0].b", "x"), ("duplicate_key", "$.c", "人")]


@pytest.mark.parametrize("key", ["a", "\\u0061"])
def test_a_key_repeated_by_an_escape_is_repeated(key: str) -> None:
    assert refused(f'{{"a": 1, "{key}": 2}}') == [("duplicate_key", "$")]


@pytest.mark.parametrize(
    "number",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5_000, "-" + "9" * 5_000,
     "1" * 100_000, "1e400", "9" * 400 + ".5"],
    ids=lambda number: f"{number[:9]} {len(number)}",
)  # fmt: skip
def test_numbers_that_cannot_be_kept_are_refused_with_their_path(number: str) -> None:
    start = time.process_time()
    assert refused(f'{{"a": [0, {number}]}}') == [("bad_number", "$.a[1]")]
    assert time.process_time() - start < 1.0


@pytest.mark.parametrize("number", ["0", "-1", "9007199254740993", "1e3", "0.1", "-0.0", "1e-999"])
def test_usual_numbers_are_read(number: str) -> None:
    assert parse(number.encode(), "x.json") == (json.loads(number), [])


def test_the_answer_to_a_huge_number_is_short() -> None:
    with pytest.raises(Refused) as caught:
        parse(b"[" + b"7" * 50_000 + b"]", "x.json")
    assert len(json.dumps(caught.value.to_dict())) < 2_000


def test_lone_surrogates_are_refused_in_keys_and_values() -> None:
    text = '{"a": "\\ud800", "b": {"\\udfff": 1}, "c": ["ok", "x\\udc00y"], "d": "\\ud83d\\ude00"}'
    assert refused(text) == [("bad_text", "$.a"), ("bad_text", "$.b"), ("bad_text", "$.c[1]")]


def test_a_pair_of_surrogates_is_a_character() -> None:
    assert parse(b'"\\ud83d\\ude00"', "x.json")[0] == "😀"


def test_all_that_is_wrong_comes_in_one_answer() -> None:
    assert refused('{"a": NaN, "a": "\\ud800", "b": 1e999}') == [
        ("duplicate_key", "$"), ("bad_text", "$.a"), ("bad_number", "$.b"),
    ]  # fmt: skip


# ---- depth and size ----------------------------------------------------------------------------


@pytest.mark.parametrize(("opened", "closed"), [("[", "]"), ('{"a":', "}")])
def test_sixty_four_levels_are_read_and_one_more_is_refused(opened: str, closed: str) -> None:
    def nested(levels: int) -> bytes:
        return (opened * levels + "1" + closed * levels).encode()

    parse(nested(DEPTH), "x.json")
    assert refused(nested(DEPTH + 1)) == [("too_deep", "")]
    assert refused(nested(100_000)) == [("too_deep", "")]
    assert refused((opened * 1_000_000).encode()[:3_000_000]) == [("too_deep", "")]


def test_brackets_side_by_side_are_not_deep() -> None:
    assert parse(b"[" + b"[],{}," * 1_000 + b"0]", "x.json")[0][-1] == 0


@pytest.mark.parametrize(
    "text",
    ["[" * 200, '\\"' + "[{" * 200, '\\\\\\"[' * 200, "\\\\" * 3, "[\\n[" * 100],
    ids=lambda text: text[:4],
)
def test_brackets_inside_strings_do_not_count(text: str) -> None:
    raw = f'["{text}"]'
    assert parse(raw.encode(), "x.json")[0] == json.loads(raw)


def test_brackets_after_a_string_that_ends_in_a_backslash_do_count() -> None:
    deep = '["\\\\", ' + "[" * 64 + "]" * 64 + "]"
    assert refused(deep) == [("too_deep", "")]


@pytest.mark.parametrize(
    "data",
    [b'"' + b'\\"' * 100_000, b'"' + b"\\" * 200_001, b'["' + b"\\\\" * 100_000, b'"' * 200_001,
     b'"' + b'\\"[' * 100_000, b'["a\\' * 50_000],
    ids=lambda data: f"{data[:4]!r} {len(data)}",
)  # fmt: skip
def test_unclosed_strings_with_many_escapes_are_refused_in_linear_time(data: bytes) -> None:
    start = time.process_time()
    with pytest.raises(Refused):
        parse(data, "x.json")
    assert time.process_time() - start < 1.0


def test_too_large_an_input_is_refused_unread() -> None:
    start = time.process_time()
    assert refused(b'"' + b"x" * 10_000_000 + b'"') == [("too_large", "")]
    assert time.process_time() - start < 0.5


def test_the_limit_of_size_is_inclusive_and_can_be_set() -> None:
    data = b'"' + b"x" * (INPUT_BYTES - 2) + b'"'
    assert len(parse(data, "x.json")[0]) == INPUT_BYTES - 2
    assert refused(data + b" ") == [("too_large", "")]
    with pytest.raises(Refused) as caught:
        parse(b"[1, 2]", "x.json", limit=5)
    fault = caught.value.faults[0].to_dict()
    assert (fault["code"], fault["found"], fault["limit"]) == ("too_large", 6, 5)


# ---- what is no JSON ---------------------------------------------------------------------------


@given(
    st.sampled_from(
        ['{"a": [1, "x"],\n"b": "y"}\n', '[\n{"甲": "乙\u2028"}\n]', '\n\n"x"', "[1,\r\n2]"]
    ),
    st.integers(0, 40),
    st.sampled_from(["", "\n", "\r\n", "\u2028", " \n\n", "\x0b", "，"]),
)
def test_json_that_breaks_off_anywhere_is_told_with_its_place(
    text: str, cut: int, tail: str
) -> None:
    try:
        parse((text[:cut] + tail).encode(), "x.json")
    except Refused as error:
        (fault,) = error.faults
        assert fault.code == "bad_json"
        assert fault.facts["found"] and fault.hint("zh") and fault.hint("en")
        assert fault.facts["line"] <= (text[:cut] + tail).count("\n") + 1


@pytest.mark.parametrize("data", [b'{"a": 1,\n', b"[1,", b'{"a":\n\n', b"[\n"])
def test_a_file_that_breaks_off_is_told_as_one(data: bytes) -> None:
    with pytest.raises(Refused) as caught:
        parse(data, "x.json")
    assert "ends too early" in caught.value.faults[0].message("en")


def test_bad_json_is_named_by_line_and_column() -> None:
    with pytest.raises(Refused) as caught:
        parse('{\n  "沈砚": 1,\n  x\n}'.encode(), "状态.json")
    fault = caught.value.faults[0]
    assert (fault.code, fault.facts["line"], fault.facts["column"]) == ("bad_json", 3, 3)
    assert fault.message("en").startswith("状态.json:3:3 ")


@pytest.mark.parametrize("data", [b"", b" ", b"{", b"[1,]", b"{'a': 1}", b"1 2", b"\0", b"// x"])
def test_what_is_not_json_is_refused(data: bytes) -> None:
    assert refused(data) == [("bad_json", "")]


@pytest.mark.parametrize(
    ("data", "offset"), [(b'"\xff"', 1), ("文".encode("gbk"), 0), (b'"\xed\xa0\x80"', 1)]
)
def test_what_is_not_utf_8_is_refused_with_the_byte(data: bytes, offset: int) -> None:
    with pytest.raises(Refused) as caught:
        parse(data, "x.json")
    fault = caught.value.faults[0]
    assert (fault.code, fault.facts["offset"]) == ("bad_encoding", offset)


def test_the_byte_that_is_named_is_that_of_the_file_with_its_mark() -> None:
    with pytest.raises(Refused) as caught:
        parse(b'\xef\xbb\xbf"\xff"', "x.json")
    assert caught.value.faults[0].facts["offset"] == 4


SNIPPETS = st.lists(
    st.sampled_from(
        [
            '"',
            "\\",
            "[",
            "]",
            "{",
            "}",
            ":",
            ",",
            "1",
            "-",
            "e9",
            "NaN",
            "\\ud800",
            "a",
            " ",
            "null",
        ]
    ),
    max_size=20,
).map(lambda parts: "".join(parts).encode())


@given(st.one_of(st.binary(max_size=30), SNIPPETS))
def test_any_bytes_are_read_or_refused_and_nothing_else_happens(data: bytes) -> None:
    try:
        value, _ = parse(data, "x.json")
    except Refused as error:
        assert error.exit_code == 2
        for lang in ("zh", "en"):
            json.dumps(error.to_dict(lang)).encode()
    else:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        assert value == json.loads(text)
