"""clew: durable, checked, rebuildable state for characters and stories.

Files are the truth; every change is one checked transaction; everything else can be rebuilt.
Importing this package loads nothing: the rooms (`clew.novel`) are loaded when they are used.
"""

from __future__ import annotations

__all__ = ["__version__"]
__version__ = "0.1.0"
