"""Transcripts of an agent's host, read for what the persona needs and never edited.

`lines` reads any size of file with bounded memory, `claude`, `codex` and `chat` know three ways of
writing a conversation down and give the same `Piece`s, `turns` joins these into turns. Pure: the
caller lends a function that reads bytes. The formats are their hosts' own affair and change at any
release, so an unknown record is skipped, a broken one resynchronised, and none raises.
"""
