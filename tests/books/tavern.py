"""A SillyTavern data folder for tests, written file by file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import deck


class Tavern:
    """A data folder, written file by file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("characters", "worlds", "chats", "groups", "group chats", "backups"):
            (root / name).mkdir(parents=True)

    def put(self, name: str, data: bytes | str | Any) -> Path:
        if isinstance(data, str):
            data = data.encode()
        elif not isinstance(data, bytes):
            data = json.dumps(data, ensure_ascii=False).encode()
        return deck.put(self.root, name, data)

    def chat(self, name: str, *messages: dict[str, Any], **meta: Any) -> Path:
        head = {"user_name": "u", "character_name": "c", "chat_metadata": meta}
        lines = [json.dumps(line, ensure_ascii=False) for line in (head, *messages)]
        return self.put(name, "\n".join(lines))

    def state(self) -> dict[str, tuple[bytes, int, int]]:
        return {
            path.as_posix(): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_nlink)
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def mes(text: str, **more: Any) -> dict[str, Any]:
    return {"name": "c", "is_user": False, "mes": text, "send_date": f"at {text}", **more}
