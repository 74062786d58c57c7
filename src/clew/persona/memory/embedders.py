"""What turns a text into a vector: a configured endpoint, or a model that is installed here.

The endpoint speaks the `POST …/embeddings` of OpenAI's interface, over the standard library's HTTP,
and is used only for a home that is trusted: every text that is searched goes there. Where none is
configured, a local model is used whose folder `CLEW_EMBEDDING_MODEL` names and whose package
(model2vec, sentence_transformers) can be imported. Without either, memory has words alone, and says
so.
"""

from __future__ import annotations

import json
import math
import os
import time
from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from clew.kernel.errors import StorageFailed
from clew.kernel.faults import Both, Code, Fault, register

if TYPE_CHECKING:
    from http.client import HTTPResponse

    from clew.persona.settings import Endpoint, Settings

BATCH: Final = 32
SECONDS: Final = 60.0
_ANSWER_BYTES: Final = 64 << 20
_DIMENSIONS: Final = 16_384
LOCAL: Final = "CLEW_EMBEDDING_MODEL"
"""The environment variable that names the folder of a local model. The user's own word, not a
home's, so it needs no trust."""
Vector: TypeAlias = "array[float]"
_PACKAGES: Final = ("model2vec", "sentence_transformers")


class Embedder(Protocol):
    """Makes vectors of texts."""

    name: str
    """Vectors of different names cannot be compared."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text. Raises `StorageFailed` (`embedding_failed`)."""
        ...


def choose(
    settings: Settings, *, trusted: bool, secret: Callable[[str], str | None] = os.environ.get
) -> tuple[Embedder | None, Both]:
    """The embedder that the settings name, or None; and why. `secret` gives the value of an
    environment variable."""
    wanted = settings.embedding
    if wanted is None:
        folder = secret(LOCAL)
        if not folder:
            return None, Both("没有配置 [embedding]", "no [embedding] is configured")
        found = local(folder)
        if found is None:
            return None, Both("没有安装能运行本地模型的包", "no package that runs a local model")
        return found, Both("本地模型", "a local model")
    if not trusted:
        return None, Both(
            "[embedding] 还没有被信任（clew trust）", "[embedding] is not trusted yet (clew trust)"
        )
    if wanted.key_env is not None and not secret(wanted.key_env):
        return None, Both(
            f"环境变量 {wanted.key_env} 没有值", f"the variable {wanted.key_env} is not set"
        )
    key = secret(wanted.key_env) if wanted.key_env is not None else None
    return Endpointed(wanted, key or ""), Both("端点", "an endpoint")


def local(folder: str) -> Embedder | None:
    """A local model in a folder, where a package that can run it is installed."""
    package = next((name for name in _PACKAGES if _importable(name)), None)
    return None if package is None else Local(package, folder)


def _importable(name: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


class Endpointed:
    """An OpenAI-compatible service."""

    def __init__(self, endpoint: Endpoint, key: str, *, seconds: float = SECONDS) -> None:
        self.name = f"{endpoint.url} {endpoint.model}"
        self._url = endpoint.url.rstrip("/")
        self._model = endpoint.model
        self._key = key
        self._seconds = seconds

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        out: list[Vector] = []
        for at in range(0, len(texts), BATCH):
            out += self._batch(list(texts[at : at + BATCH]))
        return out

    def _batch(self, texts: list[str]) -> list[Vector]:
        answer = self._post({"model": self._model, "input": texts, "encoding_format": "float"})
        rows = answer.get("data")
        found: dict[int, Vector] = {}
        for place, row in enumerate(rows if isinstance(rows, list) else []):
            if isinstance(row, dict):
                index = row.get("index")
                vector = _vector(row.get("embedding"))
                if vector is not None:
                    found[index if isinstance(index, int) else place] = vector
        if sorted(found) != list(range(len(texts))) or len({len(v) for v in found.values()}) > 1:
            raise _failed(
                Both("回答里的向量对不上", "its answer does not hold a vector for each text")
            )
        return [found[number] for number in range(len(texts))]

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        from http.client import HTTPException
        from urllib.error import HTTPError
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Stay(HTTPRedirectHandler):
            """A redirect would carry texts and key to somebody whom nobody named."""

            def redirect_request(self, *_: Any) -> None:
                return None

        url = self._url if self._url.endswith("/embeddings") else f"{self._url}/embeddings"
        head = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._key:
            head["Authorization"] = f"Bearer {self._key}"
        request = Request(url, json.dumps(body).encode("ascii"), head, method="POST")
        try:
            with build_opener(Stay).open(request, timeout=self._seconds) as response:
                data = self._body(response)
            value = json.loads(data)
        except HTTPError as error:
            error.close()
            raise _failed(Both(f"HTTP {error.code}", f"HTTP {error.code}")) from None
        except (OSError, HTTPException) as error:
            reason = str(getattr(error, "reason", "") or error or type(error).__name__)[:200]
            raise _failed(Both(reason, reason)) from None
        except (ValueError, RecursionError):
            raise _failed(Both("回答不是 JSON", "its answer is no JSON")) from None
        if not isinstance(value, dict):
            raise _failed(Both("回答不是 JSON 对象", "its answer is no JSON object"))
        return value

    def _body(self, response: HTTPResponse) -> bytes:
        """The whole answer, bounded in size and time: a service that drips keeps nobody waiting."""
        end = time.monotonic() + self._seconds
        data = bytearray()
        while chunk := response.read1(1 << 16):
            data += chunk
            if len(data) > _ANSWER_BYTES:
                raise _failed(Both("回答太长", "its answer is too long"))
            if time.monotonic() > end:
                raise _failed(Both("等得太久", "it takes too long"))
        return bytes(data)


class Local:
    """A model that runs in this process."""

    def __init__(self, package: str, folder: str) -> None:
        self.name = f"{package} {folder}"
        self._package = package
        self._folder = folder
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        from importlib import import_module

        try:
            if self._model is None:
                module = import_module(self._package)
                if self._package == "model2vec":
                    self._model = module.StaticModel.from_pretrained(self._folder)
                else:
                    self._model = module.SentenceTransformer(self._folder, local_files_only=True)
            rows = [list(map(float, row)) for row in self._model.encode(list(texts))]
        except Exception as error:  # noqa: BLE001 - what a foreign package may raise, nobody knows
            reason = f"{type(error).__name__}: {error}"[:200]
            raise _failed(Both(reason, reason)) from None
        found = [_vector(row) for row in rows]
        kept = [vector for vector in found if vector is not None]
        if len(kept) != len(texts):
            raise _failed(Both("模型没有给出向量", "the model gave no vector"))
        return kept


def _vector(value: Any) -> Vector | None:
    """A vector of length 1; None for what is none."""
    if not isinstance(value, list) or not 0 < len(value) <= _DIMENSIONS:
        return None
    if any(isinstance(one, bool) or not isinstance(one, int | float) for one in value):
        return None
    try:
        length = math.sqrt(math.fsum(one * one for one in value))
    except OverflowError:
        return None
    if not length or not math.isfinite(length):
        return None
    return array("f", [one / length for one in value])


def _failed(reason: Both) -> StorageFailed:
    return StorageFailed(Fault("embedding_failed", reason=reason))


register(
    Code(
        "embedding_failed", 2,
        "算不出向量：{reason}；按词搜索不受影响",
        "no vectors: {reason}; searching by words is not affected",
        "检查 persona.toml 的 [embedding]，再运行 clew persona index。",
        "Check [embedding] in persona.toml, then run `clew persona index` again.",
        about_zh="向量由配置的端点或本机安装的模型计算；失败时记忆只按词搜索。",
        about_en="Vectors come from the configured endpoint or from a model that is installed here. "
        "Where that fails, memory is searched by words alone.",
    ),
)  # fmt: skip
