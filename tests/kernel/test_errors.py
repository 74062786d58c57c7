"""One family of exceptions, each with faults and an exit code."""

from __future__ import annotations

import errno
import os
import pickle

import pytest

from clew.kernel import errors
from clew.kernel.errors import (
    ChangedOutside,
    ClewError,
    Corrupt,
    Locked,
    Missing,
    NewerSchema,
    Refused,
    Stale,
    StorageFailed,
    Usage,
    refuse,
    storage_failed,
)
from clew.kernel.faults import Fault

FAMILY = [
    Refused, Stale, Locked, ChangedOutside, Corrupt, NewerSchema, Missing, StorageFailed, Usage,
]  # fmt: skip


@pytest.mark.parametrize("kind", FAMILY)
def test_the_family_is_a_tree_of_one_level(kind: type[ClewError]) -> None:
    assert kind.__bases__ == (ClewError,)
    assert kind.__name__ in (errors.__doc__ or ""), "the tree on top of the module shows it"
    assert kind.__name__ in errors.__all__
    assert isinstance(kind.of("usage", reason="x"), kind)


def test_the_tree_on_top_of_the_module_shows_nothing_else() -> None:
    shown = {
        line.split("── ")[1].split()[0]
        for line in (errors.__doc__ or "").splitlines()
        if "── " in line
    }
    assert shown == {kind.__name__ for kind in FAMILY}


def test_an_error_without_a_fault_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="fault"):
        Refused()


def test_the_first_fault_speaks_for_the_error() -> None:
    error = Refused(Fault("missing_field", "$.a", expected="string"), Fault("empty_text", "$.b"))
    assert (error.code, error.path) == ("missing_field", "$.a")
    assert error.hint == "Add this field; string is expected."
    assert str(error) == "$.a is missing; $.b must not be empty"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Refused.of("empty_text", "$.a"), 2),
        (Missing.of("missing_file", file="x"), 3),
        (Refused(Fault("empty_text", "$.a"), Fault("missing_file", file="x")), 3),
        (Locked.of("locked", file="x", owner="pid 1", limit=1), 2),
        (Usage.of("usage", reason="x"), 2),
    ],
)
def test_exit_codes(error: ClewError, code: int) -> None:
    assert error.exit_code == code


def test_the_answer_of_every_face() -> None:
    error = Refused(Fault("empty_text", "$.a"))
    assert error.to_dict() == {
        "status": "error",
        "error_code": "empty_text",
        "message": "$.a must not be empty",
        "faults": [{"code": "empty_text", "path": "$.a", "message": "$.a must not be empty"}],
    }
    assert error.to_dict("zh")["message"] == "$.a 不能为空"


def test_several_faults_are_counted_in_the_message_and_listed() -> None:
    error = Refused(*(Fault("empty_text", f"$.a[{n}]") for n in range(9)))
    assert error.to_dict("en")["message"] == "9 faults: $.a[0] must not be empty"
    assert error.to_dict("zh")["message"] == "共 9 处问题：$.a[0] 不能为空"
    assert len(error.to_dict()["faults"]) == 9


def test_refuse_raises_all_faults_and_nothing_for_none() -> None:
    refuse([])
    with pytest.raises(Refused) as caught:
        refuse(Fault("empty_text", f"$[{n}]") for n in range(3))
    assert [fault.path for fault in caught.value.faults] == ["$[0]", "$[1]", "$[2]"]


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EACCES, "permission_denied"),
        (errno.EPERM, "permission_denied"),
        (errno.EROFS, "read_only_disk"),
        (errno.EIO, "io_failed"),
        (errno.EMFILE, "io_failed"),
    ],
)
def test_what_the_system_says_becomes_a_code_that_names_the_file(number: int, code: str) -> None:
    error = storage_failed(OSError(number, os.strerror(number)), "追踪/a.json")
    assert isinstance(error, StorageFailed)
    assert (error.code, error.exit_code) == (code, 2)
    for lang in ("zh", "en"):
        assert "追踪/a.json" in error.to_dict(lang)["message"]


def test_an_error_of_the_system_without_a_number_is_told_too() -> None:
    error = storage_failed(OSError("odd"), "a")
    assert error.code == "io_failed"
    assert "odd" in str(error)


def test_an_error_survives_the_way_from_one_process_to_another() -> None:
    error = Refused(Fault("empty_text", "$.a"), Fault("usage", reason="x"))
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is Refused
    assert back.faults == error.faults
