"""Vectors: from a real server on a real socket, or from a model that is installed; else words alone."""

from __future__ import annotations

import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from somebody import Clock, begin, clew, settings

from clew.kernel.errors import StorageFailed
from clew.persona.channels import writing
from clew.persona.home import Home
from clew.persona.memory import embedders, vectors
from clew.persona.memory.embedders import Endpointed
from clew.persona.memory.words import Memory
from clew.persona.settings import Endpoint

MEANINGS = {
    "灯": (1.0, 0.1, 0.0),
    "光": (1.0, 0.2, 0.0),
    "账": (0.0, 0.1, 1.0),
    "钱": (0.0, 0.2, 1.0),
}


def meaning(text: str) -> list[float]:
    """A small model: the sum of what its characters mean."""
    found = [MEANINGS[char] for char in text if char in MEANINGS] or [(0.0, 1.0, 0.0)]
    return [sum(column) for column in zip(*found, strict=True)]


class Service:
    """An embedding service on this machine. What it was asked is kept; how it answers can be changed."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.heads: list[dict[str, str]] = []
        self.answer: bytes | None = None
        self.status = 200
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(size))
                service.asked.append({"path": self.path, **body})
                service.heads.append(dict(self.headers))
                rows = [{"index": n, "embedding": meaning(t)} for n, t in enumerate(body["input"])]
                data = json.dumps({"data": rows[::-1]}).encode()
                data = data if service.answer is None else service.answer
                self.send_response(service.status)
                if service.status in (301, 302, 307):
                    self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                return

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def service() -> Iterator[Service]:
    one = Service()
    yield one
    one.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLEW_LANG", "en")
    found = begin(tmp_path / "林昭", Clock())
    for words in ("光落在墙上", "账还没核", "没有人来"):
        writing.think(found, words)
    return found


def endpoint(service: Service, key: str | None = None) -> Endpoint:
    return Endpoint(url=service.url, model="small", key_env=key)


def configured(home: Home, service: Service) -> None:
    settings(home, embedding=f'url = "{service.url}"\nmodel = "small"')


def test_what_is_near_in_meaning_is_found_without_a_common_word(
    home: Home, service: Service
) -> None:
    embedder = Endpointed(endpoint(service), "")
    with Memory(home) as memory, vectors.Vectors(home) as kept:
        memory.refresh()
        assert kept.build(memory, embedder) == (3, 0)
        near = kept.nearest(memory, embedder, "灯", 2)
    assert near[0].text == "光落在墙上" and near[0].likeness is not None and near[0].likeness > 90
    assert (Path(home.root) / vectors.FILE).stat().st_mode & 0o777 == 0o600


def test_a_text_is_sent_once_and_again_only_when_it_changed(home: Home, service: Service) -> None:
    embedder = Endpointed(endpoint(service), "")
    with Memory(home) as memory, vectors.Vectors(home) as kept:
        memory.refresh()
        kept.build(memory, embedder)
        writing.think(home, "钱也没数")
        memory.refresh()
        assert kept.build(memory, embedder) == (1, 0)
    assert [len(one["input"]) for one in service.asked] == [3, 1]
    assert {(one["path"], one["model"]) for one in service.asked} == {("/v1/embeddings", "small")}


def test_what_is_gone_from_the_memory_has_no_vector(home: Home, service: Service) -> None:
    embedder = Endpointed(endpoint(service), "")
    with Memory(home) as memory, vectors.Vectors(home) as kept:
        memory.refresh()
        kept.build(memory, embedder)
        (Path(home.root) / "channels/stream.jsonl").unlink()
        memory.refresh()
        kept.build(memory, embedder)
        assert kept.known(embedder.name) == {}


def test_damaged_vectors_are_made_anew(home: Home, service: Service) -> None:
    embedder = Endpointed(endpoint(service), "")
    for _ in range(2):
        with Memory(home) as memory, vectors.Vectors(home) as kept:
            memory.refresh()
            kept.build(memory, embedder)
            assert len(kept.known(embedder.name)) == 3
        (Path(home.root) / vectors.FILE).write_bytes(b"\0" * 8192)


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"{}", b'{"data": []}', b'{"data": [{"embedding": []}]}', b"\xff", b"[" * 9_999,
     b'{"data": [{"index": 0, "embedding": [0, 0]}]}', b'{"data": [{"embedding": ["a"]}]}',
     b'{"data": [{"embedding": [1e999]}]}', b'{"data": [{"embedding": [true]}]}',
     b'{"data": [{"index": 5, "embedding": [1]}]}', b'{"data": 7}'],
)  # fmt: skip
def test_an_answer_without_vectors_is_told_as_a_fault(service: Service, answer: bytes) -> None:
    service.answer = answer
    with pytest.raises(StorageFailed) as caught:
        Endpointed(endpoint(service), "").embed(["灯"])
    assert caught.value.code == "embedding_failed"


@pytest.mark.parametrize("status", [301, 307, 400, 401, 429, 500])
def test_a_refusal_is_told_and_no_redirect_is_followed(service: Service, status: int) -> None:
    service.status = status
    with pytest.raises(StorageFailed) as caught:
        Endpointed(endpoint(service), "geheim").embed(["灯"])
    assert str(status) in caught.value.faults[0].message("en")
    assert "geheim" not in str(caught.value)


def test_a_service_that_drips_keeps_nobody_waiting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        stop = threading.Event()

        def drip() -> None:
            with suppress(OSError):
                taken, _ = server.accept()
                with taken:
                    taken.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n")
                    while not stop.wait(0.05):
                        taken.sendall(b" ")

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        with pytest.raises(StorageFailed):
            Endpointed(Endpoint(url=url, model="small"), "", seconds=0.5).embed(["灯"])
        stop.set()
        thread.join(5)


def test_nobody_at_the_other_end_is_told() -> None:
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(StorageFailed) as caught:
            Endpointed(Endpoint(url=url, model="small"), "", seconds=2).embed(["灯"])
    assert caught.value.code == "embedding_failed"


def test_the_key_goes_where_it_belongs_and_nowhere_else(home: Home, service: Service) -> None:
    settings(home, embedding=f'url = "{service.url}"\nmodel = "small"\nkey_env = "THE_KEY"')
    none, why = embedders.choose(home.settings, trusted=True, secret=lambda name: None)
    assert none is None and "THE_KEY" in why.en
    found, _ = embedders.choose(home.settings, trusted=True, secret={"THE_KEY": "geheim"}.get)
    assert found is not None
    found.embed(["灯"])
    assert service.heads[0]["Authorization"] == "Bearer geheim"


def test_an_endpoint_is_inert_until_its_home_is_trusted(home: Home, service: Service) -> None:
    configured(home, service)
    code, status, _ = clew("persona", "index", "--home", home.root)
    assert (code, status["meaning"], status["vectors"]) == (0, "words_alone", None)
    assert "trust" in status["why"] and service.asked == []
    assert clew("trust", home.root)[0] == 0
    _, status, _ = clew("persona", "index", "--home", home.root)
    assert (status["meaning"], status["vectors"], status["made"]) == ("vectors", 3, 3)
    _, found, _ = clew("persona", "search", "灯", "--home", home.root)
    assert found["hits"] == [] and found["near"][0]["text"] == "光落在墙上"
    _, found, _ = clew("persona", "search", "账", "--words", "--home", home.root)
    assert len(found["hits"]) == 1 and found["near"] == []


def test_words_are_found_while_the_service_is_down(home: Home, service: Service) -> None:
    configured(home, service)
    clew("trust", home.root)
    service.status = 500
    code, found, _ = clew("persona", "search", "账", "--home", home.root)
    assert code == 0 and len(found["hits"]) == 1
    assert found["notes"][0]["code"] == "embedding_failed"


def test_without_an_embedder_status_says_words_alone(home: Home) -> None:
    code, status, _ = clew("persona", "index", "status", "--home", home.root)
    assert (code, status["meaning"], status["vectors"]) == (0, "words_alone", None)
    assert status["why"] == "no [embedding] is configured"
    assert vectors.periodic(home) == {"vectors": 0, "why": "no [embedding] is configured"}


def test_a_local_model_is_used_where_its_package_is_installed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "model2vec.py").write_text(
        "class StaticModel:\n"
        "    @classmethod\n"
        "    def from_pretrained(cls, folder):\n"
        "        assert folder == '/models/small'\n"
        "        return cls()\n"
        "    def encode(self, texts):\n"
        "        return [[float('灯' in t or '光' in t), float('账' in t), 0.1] for t in texts]\n",
        encoding="utf-8",
    )
    secret = {embedders.LOCAL: "/models/small"}.get
    missing, why = embedders.choose(home.settings, trusted=False, secret=secret)
    if missing is None:
        assert "package" in why.en
    monkeypatch.syspath_prepend(str(site))
    found, why = embedders.choose(home.settings, trusted=False, secret=secret)
    assert found is not None and why.en == "a local model"
    with Memory(home) as memory, vectors.Vectors(home) as kept:
        memory.refresh()
        assert kept.build(memory, found) == (3, 0)
        assert kept.nearest(memory, found, "灯", 1)[0].text == "光落在墙上"
    sys.modules.pop("model2vec", None)
