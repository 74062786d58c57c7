"""The fault codes of cards and lorebooks, in two languages. Importing this package registers them.

Exit 0 are lines of a report: what was taken, repaired, kept, what an export leaves out, what a good
card would not have. Exit 2 are refusals.
"""

from clew.books.cards.codes import exporting, reading, refusing

__all__ = ["exporting", "reading", "refusing"]
