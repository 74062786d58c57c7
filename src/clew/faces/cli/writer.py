"""placeholder for renderings"""
from __future__ import annotations
from typing import Final
from clew.faces.cli.answer import Rendering
RENDERINGS: Final[dict[str, Rendering]] = {}
