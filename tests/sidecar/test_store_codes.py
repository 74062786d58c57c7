"""What the store says is in the registry of codes, whole, and travels as faults."""

from __future__ import annotations

import pytest

from clew.kernel.faults import registered
from clew.sidecar.codes import fault_of
from clew.sidecar.messages import REASONS, WORDS, exit_of, reason, reason_of, word

FACTS = {"file": "/s/x.json", "kept": "/s/x.json.old", "found": 2, "names": "turn", "name": "turn",
         "allowed": ["a", "b"], "path": "a.b", **reason("full")}  # fmt: skip


@pytest.mark.parametrize("code", sorted(WORDS))
def test_a_word_says_the_same_as_its_fault(code: str) -> None:
    known = registered()[code]
    assert known.exit == exit_of(code)
    assert known.about_zh and known.about_en
    said, fault = word(code, **FACTS), fault_of(word(code, **FACTS))
    for lang, text in (("zh", said["zh"]), ("en", said["en"])):
        assert "{" not in text and "<" not in fault.message(lang)
        assert fault.message(lang) == text
    assert fault.code == code


def test_what_the_engine_refuses_travels_with_its_own_sentence() -> None:
    fault = fault_of({"code": "not_enough", "path": "wallet", "zh": "不够", "en": "too little"})
    assert (fault.code, fault.path) == ("sidecar_refused", "wallet")
    assert (fault.message("zh"), fault.message("en")) == ("不够", "too little")


def test_a_path_is_never_cut() -> None:
    path = "/very" * 60 + "/long.json"
    assert path in word("sidecar_recovered", file=path)["en"]


def test_nothing_in_a_fact_steers_a_terminal() -> None:
    said = word("sidecar_recovered", file="\x1b[2J\r\n")
    assert said["en"].isprintable()


@pytest.mark.parametrize("number", [1, 2, 5, 13, 21, 27, 28, 30, 999, None])
def test_every_error_of_the_system_has_a_reason(number: int | None) -> None:
    error = OSError() if number is None else OSError(number, "text")
    assert reason_of(error)["reason"] in REASONS
