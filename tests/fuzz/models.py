"""What is fuzzed of small files and requests: language models, models, weights, notes, words.

A damaged file is refused with an error of ours, or it means what it says: finite scores in their
range. A request to `celab serve` gets an answer, or an error that is the client's.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import celab
from celab.base.json_files import JsonError, parse_json
from celab.metrics import tesla_f
from celab.metrics.language_model import LanguageModel
from celab.nbest.nbest import read_weights
from celab.words.analyzers import Memory
from celab.words.model import Word
from fuzz import inputs
from fuzz.target import Target

ARPA = (
    "\\data\\\nngram 1=5\nngram 2=3\nngram 3=1\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n"
    "-0.5\t买\t-0.2\n-0.9\t伞\t-0.1\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\t-0.1\n-0.1\t伞 </s>\n"
    "-0.4\t买 伞\t0.2\n\n\\3-grams:\n-0.3\t<s> 买 伞\n\n\\end\\\n"
).encode()
ARPA_PIECES = [
    *rb"\data\ \end\ \1-grams: \2-grams: \3-grams: 99999999 18446744073709551615 -1 0".split(),
    *(b"ngram 1=", b"ngram 4=1", b"\t", b" ", b"\n", b"\n\n", b"\r\n", b"\0", b"mmap lm", b"\xff"),
    *(b"<s>", b"</s>", b"<unk>", "买".encode(), b"nan", b"-inf", b"1e999"),
]
JSON_PIECES = [
    *rb'[ ] { } " , : null true NaN -Infinity 0 -1 1e308 1e999 "" "x" "/etc/passwd" "../x"'.split(),
    *rb'"lang" "weights" "metrics" "models" "arguments" "\ud800"'.split(),
    *(b"[" * 500, b"1" + b"0" * 400, b"\xff"),
]
OTHER_VALUES = [None, True, 0, -1, 1e308, 10**400, "", "x", "../x", "/etc/passwd", [], {}, [[]]]


def _in_range(value: float, low: float, high: float) -> None:
    assert low <= value <= high, value  # not NaN, either


# ---- language models ----


def make_arpa(rng: Random) -> Any:
    data = inputs.damaged(rng, ARPA, ARPA_PIECES) if rng.random() < 0.95 else ARPA
    return data, rng.random() < 0.1, [inputs.text(rng, 12) for _ in range(2)]


def check_arpa(case: Any, folder: Path) -> bool:
    data, is_packed, texts = case
    path = folder / "lm.arpa"
    path.write_bytes(gzip.compress(data) if is_packed else data)
    model = LanguageModel(path)
    for value in model.scores([*texts, "买伞", ""]).tolist():
        _in_range(value, -15.0, 0.0)
    return True


# ---- models and weights ----


def _model(folder: Path) -> dict[str, Any]:
    sources = tesla_f.sources_of([celab.TeslaCelab(lexicon=None, max_order=2)])
    return {
        "format": tesla_f.FORMAT,
        "lang": "zh",
        "weights": [1.0, -2.0, 0.5, 3.0],
        "metrics": [tesla_f.describe_source(one, folder / "model.json") for one in sources],
        "models": [],
    }


def make_model(rng: Random) -> Any:
    return rng.randrange(1 << 30), rng.random() < 0.1, inputs.text(rng, 12)


def changed(rng: Random, value: Any) -> Any:
    """The same with another value somewhere below."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        return value | {key: changed(rng, value[key])}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        return [*value[:at], changed(rng, value[at]), *value[at + 1 :]]
    return rng.choice(OTHER_VALUES)


def check_model(case: Any, folder: Path) -> bool:
    seed, is_packed, text = case
    rng, path = Random(seed), folder / "model.json"
    content = _model(folder)
    if rng.random() < 0.6:
        data = json.dumps(changed(rng, content)).encode()
    else:
        data = inputs.damaged(rng, json.dumps(content).encode(), JSON_PIECES, 2)
    path.write_bytes(gzip.compress(data) if is_packed else data)
    metric = celab.TeslaF(model=path)
    _in_range(metric.sentence_score(text, ["买雨伞"]).score, 0.0, 1.0)
    return True


WEIGHTS = (
    b'{"celab_version": "0.7.0", "format": 2, "weight": [{"feature": "LM0", "weight": 0.25},'
    b' {"feature": "TM0.1", "weight": -0.5}, {"feature": "TM0.2", "weight": 0.25}]}'
)


def make_weights(rng: Random) -> Any:
    return inputs.damaged(rng, WEIGHTS, JSON_PIECES, 2)


def check_weights(case: Any, folder: Path) -> bool:
    (folder / "weights.json").write_bytes(case)
    weights = read_weights(folder / "weights.json")
    for value in weights.values():
        _in_range(value, -1e100, 1e100)
    return True


def make_json(rng: Random) -> Any:
    return b"".join(rng.choices(JSON_PIECES, k=rng.randint(0, 12)))


def check_json(case: Any, folder: Path) -> bool:
    try:
        value = parse_json(case)
    except JsonError as error:
        assert "\n" not in str(error)
        return False
    assert value == json.loads(case)
    return True


# ---- remembered words ----


KNOWN = {"ein Haus": (Word("ein", "ein", "ART", True), Word("Haus", "Haus", "NN", False))}


def make_words(rng: Random) -> Any:
    return rng.randrange(1 << 30), rng.random() < 0.5


def check_words(case: Any, folder: Path) -> bool:
    """A damaged memory gives the right words, or none."""
    seed, is_row = case
    rng = Random(seed)
    memory = Memory("fuzz")
    assert memory.path is not None
    memory.path.unlink(missing_ok=True)
    memory.remember(KNOWN)
    if is_row:
        with sqlite3.connect(memory.path) as file:
            text = json.dumps([["ein"], ["ein"], ["ART"], "1"]).encode()
            row = inputs.damaged(rng, text, JSON_PIECES, 2)
            file.execute("UPDATE words SET words = ?", [row.decode("utf-8", "replace")])
        file.close()
    else:
        data = bytearray(memory.path.read_bytes())
        for _ in range(rng.randint(1, 20)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        memory.path.write_bytes(data)
    recalled = Memory("fuzz").recall(["ein Haus", "zwei"])
    assert recalled.items() <= KNOWN.items()
    memory.remember(KNOWN)
    return bool(recalled)


# ---- requests ----

PAIR = {"hypothesis": "买伞", "reference": ["买雨伞"], "settings": {"lexicon": "none", "f": 0.5}}


def make_request(rng: Random) -> Any:
    path = rng.choice(("/score", "/score", "/explain", "/lookup", "/report", "/x", ""))
    pair = PAIR if rng.random() < 0.6 else PAIR | {"hypothesis": inputs.text(rng, 20)}
    body = json.dumps({"word": "伞"} if path == "/lookup" else changed(rng, pair)).encode()
    if rng.random() < 0.4:
        body = inputs.damaged(rng, body, JSON_PIECES, 2)
    host = rng.choice(
        (b"localhost", b"127.0.0.1:80", b"127.0.0.1:80", b"localhost:8000", b"x", b"")
    )
    kind = rng.choice((*[b"application/json"] * 6, b"text/plain", b""))
    headers = [(b"host", host), (b"content-type", kind)]
    headers += [(b"origin", rng.choice((b"http://x", b"null", b"\xff")))] * (rng.random() < 0.1)
    method = rng.choice(("POST", "POST", "POST", "POST", "GET", "PUT"))
    return method, path, headers, body


def check_request(case: Any, folder: Path) -> bool:
    """An answer in JSON or HTML, or that it took too long; never the error of a bug."""
    from celab.serve import ServerLimits
    from celab.serve.app import Connections, application
    from celab.serve.jobs import Runner

    method, path, headers, body = case
    if "serve" not in _applications:
        _applications["serve"] = application(Runner(ServerLimits()), Connections(ServerLimits()))
        _applications["loop"] = asyncio.new_event_loop()  # to which worker processes belong
    sent: list[Any] = []
    is_read = False

    async def receive() -> Any:
        nonlocal is_read
        if is_read:
            await asyncio.Event().wait()  # the client waits for its answer
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    _applications["loop"].run_until_complete(_applications["serve"](scope, receive, send))
    status = sent[0]["status"]
    answer = b"".join(message.get("body", b"") for message in sent[1:])
    assert status < 500 or status == 503, (status, answer)
    if path in ("/score", "/explain", "/lookup") and method == "POST":
        value = json.loads(answer)
        assert (status == 200) == ("error" not in value)
    return bool(status == 200)


_applications: dict[str, Any] = {}


def _targets() -> dict[str, Target]:
    from importlib.util import find_spec

    targets = {
        "model": Target(make_model, check_model),
        "weights": Target(make_weights, check_weights),
        "json": Target(make_json, check_json),
        "words": Target(make_words, check_words),
    }
    if find_spec("kenlm"):
        targets["arpa"] = Target(make_arpa, check_arpa)
    if find_spec("fastapi"):
        targets["request"] = Target(make_request, check_request)
    return targets


TARGETS = _targets()
