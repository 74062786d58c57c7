"""What all tests share: the profile of the property tests, and telling failures of shipped suites.

`quick` is the profile of every run: derandomized, so that a failure is everybody's failure. Set
`CLEW_HYPOTHESIS=soak` for many fresh examples.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite(
    "clew.testing.contract",
    "clew.testing.contract_changes",
    "clew.testing.contract_together",
    "clew.testing.vault_contract",
)

settings.register_profile(
    "quick",
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak",
    max_examples=3_000,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("CLEW_HYPOTHESIS", "quick"))
