"""Faces: they parse, call one operation and show the result. No rule lives here."""
