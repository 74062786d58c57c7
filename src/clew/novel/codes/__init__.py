"""The ledger's fault codes, in two languages. Importing this package registers them.

English fragments that the field's tools and skills look for (`tracking state changed`, `unsupported
fields`, `retired_context_items` …) stand in both languages, word for word.
"""

from clew.novel.codes import book, chapters, drafts, lint, transactions

__all__ = ["book", "chapters", "drafts", "lint", "transactions"]
