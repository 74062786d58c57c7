"""The straightforward way to keep the same ledger: what clew is measured against.

One commit reads the whole state, checks all of it and the transaction, applies it, renders every
view and writes every file that differs. The revision stands in every character's file, as is usual
for rendered files. Rules and texts follow the same contract as clew's, so that the content is the
same; nothing here is slow on purpose, and only what it needs is imported. Standard library only.
"""

from benchmarks.baseline.content import views
from benchmarks.baseline.tool import check, commit, encode

__all__ = ["check", "commit", "encode", "views"]
