"""Books and sessions of a library as types: every field of the seed, under the seed's own names.

Lists that grow (traces, messages, artifacts) are fields of the types and lie in files of their own
beside the book's document: `APART` says where.

Pure. Rules: book-storage seed sections 2 to 7.
"""

from __future__ import annotations

from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import field

from clew.books.records import Document, Part, RunSkillManifest

# ---- what was written and accepted, step by step ----------------------------------------------


class InstanceReadiness(Part, kw_only=True):
    """Whether a design has what a play needs."""

    ready: bool
    missing: list[str] = field(default_factory=list)
    """Tags without an accepted item."""
    at: str = ""


class ContextProfile(Part, kw_only=True):
    """How the context of a turn is put together; the variant chosen at the start of a play."""

    name: str
    policies: dict[str, str] = field(default_factory=dict)
    """By tag: `latest`, `concat`, `tail_lines_N`, `tail_tokens_N`."""
    isolation: Literal["none", "role_pov", "blind_review"] = "none"
    token_budget: int = 0
    """0: the model's own limit."""


Status: TypeAlias = Literal[
    "draft", "under_review", "accepted", "rejected", "revision_requested", "superseded"
]


class TaggedArtifact(Part, kw_only=True):
    """One item of the blackboard: a tag (`对象.内容.阶段`) and what stands there."""

    id: str
    tag: str
    content: str
    status: Status = "draft"
    source: str = ""
    """The skill or person that wrote it."""
    accepted_by: str = ""
    """The event of the trace that accepted it."""
    scope: str = ""
    dependencies: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""


class DesignTraceEntry(Part, kw_only=True):
    """One step of how a card was made."""

    at: str
    type: Literal[
        "user_input", "agent_tool", "skill_invoked", "user_confirmed", "user_rejected", "declare_ready"
    ]  # fmt: skip
    skill_id: str = ""
    tool: str = ""
    summary: str
    output_tags: list[str] = field(default_factory=list)


class PlayTraceEntry(Part, kw_only=True):
    """One step of how a card was played."""

    at: str
    turn: int | None = None
    type: Literal["user_input", "skill_invoked", "artifact", "snapshot"]
    skill_id: str = ""
    summary: str


class PersistedChatMessage(Part, kw_only=True):
    """A message of a conversation. `parent` and `id` make all of them one tree."""

    id: str
    role: Literal["user", "assistant", "system"]
    content: str
    at: str
    parent: str = ""
    name: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


# ---- books ------------------------------------------------------------------------------------


class _Kept(Document, kw_only=True):
    """What every book has besides its stage."""

    title: str
    orchestrator_id: str = "clew"
    state: Literal["active", "trashed"] = "active"


class CardRef(Part, kw_only=True):
    """A card that is used: pinned to one version, so that a newer one changes nothing."""

    asset_id: str
    version: str = ""
    """A number as text; empty only in what was not yet pinned."""


class WorldRef(Part, kw_only=True):
    """A lorebook that is used."""

    asset_id: str = ""
    version: str = ""


class Persona(Part, kw_only=True):
    """Who the user is in a play."""

    name: str = ""
    description: str = ""


class RunState(Part, kw_only=True):
    """Where a play stands."""

    turn: int = 0
    variables: dict[str, Any] = field(default_factory=dict)
    event_stream: str = ""


class CardBook(_Kept, kw_only=True, tag_field="kind", tag="character_card_design"):
    """Making a card: the process, the drafts, the talk."""

    lifecycle_stage: Literal["design", "archived"] = "design"
    design_trace: list[DesignTraceEntry] = field(default_factory=list)
    design_artifacts: list[TaggedArtifact] = field(default_factory=list)
    messages: list[PersistedChatMessage] = field(default_factory=list)
    run_skill_manifest: RunSkillManifest | None = None
    readiness: InstanceReadiness | None = None
    asset_id: str = ""
    """The asset that it exports to."""


class PlayBook(_Kept, kw_only=True, tag_field="kind", tag="character_card_play"):
    """Playing a card: the conversation, its turns, variables and snapshots."""

    lifecycle_stage: Literal["play", "archived"] = "play"
    card_ref: CardRef
    cast: list[CardRef] = field(default_factory=list)
    """Further cards of a play with several characters."""
    world_ref: WorldRef | None = None
    persona: Persona | None = None
    author_note: str = ""
    context_profile: ContextProfile | None = None
    run_skill_manifest: RunSkillManifest | None = None
    play_trace: list[PlayTraceEntry] = field(default_factory=list)
    run_state: RunState = field(default_factory=RunState)
    messages: list[PersistedChatMessage] = field(default_factory=list)
    snapshot_ids: list[str] = field(default_factory=list)


class Roleplay(PlayBook, kw_only=True, tag="roleplay"):
    """The same, begun as a role play without a design."""


class _Project(_Kept, kw_only=True):
    lifecycle_stage: Literal["design", "play", "done"] = "design"
    current_content_id: str | None = None
    history_content_ids: list[str] = field(default_factory=list)
    design_trace: list[DesignTraceEntry] = field(default_factory=list)
    design_artifacts: list[TaggedArtifact] = field(default_factory=list)
    session_ids: list[str] = field(default_factory=list)
    folder: str = ""
    """A book folder that the novel ledger keeps: relative to the library, or absolute."""


class Novel(_Project, kw_only=True, tag_field="kind", tag="novel"):
    """A novel; its text lies in `folder`, or in contents of its own."""


class Forum(_Project, kw_only=True, tag_field="kind", tag="forum"):
    """A forum that is written."""


class WeirdRules(_Project, kw_only=True, tag_field="kind", tag="weird_rules"):
    """A story told in rules."""


class CustomProject(_Project, kw_only=True, tag_field="kind", tag="custom"):
    """Anything else."""


ProjectBook: TypeAlias = Novel | Forum | WeirdRules | CustomProject
Book: TypeAlias = CardBook | PlayBook | Roleplay | Novel | Forum | WeirdRules | CustomProject
PROJECTS: Final[dict[str, type[ProjectBook]]] = {
    "novel": Novel, "forum": Forum, "weird_rules": WeirdRules, "custom": CustomProject,
}  # fmt: skip
APART: Final = {
    "designTrace": "traces.jsonl", "playTrace": "traces.jsonl", "messages": "messages.jsonl",
    "designArtifacts": "design-artifacts.json",
}  # fmt: skip
"""Fields that lie beside `project.json`, in files that grow."""


class BookContentRecord(Document, kw_only=True):
    """An outline or chapter of a project. A novel that the ledger keeps has pointers only."""

    book_id: str
    kind: Literal["outline", "chapter"]
    title: str = ""
    number: int | None = None
    text: str = ""
    pointer: str = ""
    """The file that holds the text instead, within the book's folder."""


class RunSnapshot(Document, kw_only=True):
    """A place to come back to. `instance` holds what was designed, `run` also what was played."""

    book_id: str
    kind: Literal["instance", "run"]
    name: str
    node: str = ""
    """The message at which it was made."""
    run_state: RunState | None = None
    blackboard: list[TaggedArtifact] = field(default_factory=list)


class PersistedBookSession(Document, kw_only=True):
    """A working copy that is open."""

    book_id: str
    phase: Literal["idle", "running", "waiting_user", "done", "error"] = "idle"
    waiting_reason: str = ""
    blackboard: list[TaggedArtifact] = field(default_factory=list)
    messages: list[PersistedChatMessage] = field(default_factory=list)
    runtime: dict[str, Any] = field(default_factory=dict)


def cycle_of(book: Book) -> str:
    """The life cycle that a book follows, as `clew.books.lifecycle` names it."""
    if isinstance(book, CardBook):
        return "card_book"
    return "play_book" if isinstance(book, PlayBook) else "project_book"


DECODE_BOOK: Final = msgspec.json.Decoder(Book)
DECODE_SESSION: Final = msgspec.json.Decoder(PersistedBookSession)
