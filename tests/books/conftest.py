"""Makers of card files (`cardfiles`) are at hand for every test of the books."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cards"))
