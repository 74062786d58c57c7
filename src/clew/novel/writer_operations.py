"""placeholder for the room"""
from __future__ import annotations
from typing import Final
from clew.kernel.operations import Operation
OPERATIONS: Final[tuple[Operation, ...]] = ()
