"""Continuity findings: where the prose and the ledger, or two chapters, do not agree.

Pure. `run(book, RULES)` gives findings; none blocks a commit, and each can be silenced with a
reason. Reading files and silencing are the business of `clew.novel.lint_operations`. Source: the
design of the ledger (Lint).
"""
