"""The pulse of a persona: looking, waking, and what it takes to do so at most once.

The decision is pure (`clew.persona.wake`); this part reads the home, reserves, runs and records. A
tick is idempotent and needs no daemon: an operating system's timer, a hook or a person may call it.
Rules: persona seed sections 2 and 8; docs/pulse.md.
"""
