"""JSON requests → answers: scores, explanations, words of lexicons, reports.

Requests name lexicons of the catalogue only; no path that they hold is ever opened.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
from collections.abc import Collection, Sequence
from dataclasses import Field, fields
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from celab import files
from celab._native.watch import check
from celab.campaign import run
from celab.corpus import Limits, read
from celab.errors import CelabError, InputError, LimitError, meant
from celab.lexicon import catalogue, lookup
from celab.lexicon.catalogue import DEFAULTS, STAND_INS
from celab.lexicon.model import Thesaurus
from celab.metrics.celab import TeslaCelab
from celab.options import USUAL, TeslaCelabOptions
from celab.report.html import page
from celab.report.html.data import SETTINGS
from celab.report.html.encoding import Labels, segment
from celab.weights import NAMES as WEIGHTS

TIME_LIMIT = 5.0  # seconds for a pair
MOST_TEXT = 20_000  # characters of a text
MOST_REFERENCES = 10
MOST_WORD = 100  # characters of a word that is looked up
MOST_FILE = 64 << 20  # bytes of a file, decompressed
EXPLAINED = 500  # pairs of a report
OPTIONS = fields(TeslaCelabOptions)
FILE = ("name", "data")  # the strings that a file is made of
KINDS: dict[type, str] = {list: "a list", dict: "an object", type(None): "null"}


def lexicons() -> list[str]:
    """The lexicons that are here, by name."""
    installed = (name for name in catalogue.BROUGHT if catalogue.installed_path(name) is not None)
    return [*installed, *catalogue.bundled_names()]


def score(request: dict[str, Any]) -> dict[str, Any]:
    """`POST /score`.

    >>> score({"reference": "买雨伞", "hypothesis": "买伞"})["score"]
    1.0
    """
    metric, hyp, refs = _pair(request)
    found = metric.corpus_score([hyp], [[ref] for ref in refs])
    return {name: getattr(found, name) for name in ("score", "precision", "recall", "signature")}


def explain(request: dict[str, Any]) -> dict[str, Any]:
    """`POST /explain`: where the score comes from, as `celab.report.html.encoding` writes it."""
    metric, hyp, refs = _pair(request)
    labels = Labels()
    encoded = segment(metric.stream([[ref] for ref in refs]).explain(hyp, refs), labels)
    options = metric.options
    settings = {name: getattr(options, name) for name in SETTINGS if hasattr(options, name)}
    return encoded | {
        "labels": list(labels), "settings": settings, "signature": metric.signature,
    }  # fmt: skip


def look_up(request: dict[str, Any]) -> dict[str, Any]:
    """`POST /lookup`: the groups of a word."""
    _only(request, ("word", "lexicon"))
    word = _text(request, "word", MOST_WORD).strip()
    name = _lexicon(request.get("lexicon", DEFAULTS["zh"]))
    if not isinstance(name, str):
        raise InputError("lexicon must be the name of one lexicon")
    groups = lookup(word, _thesaurus(name)) if word else []
    return {"word": word, "groups": [{"label": one.label, "words": one.words} for one in groups]}


def report(request: dict[str, Any]) -> str:
    """`POST /report`: files → the report of `celab score --html`, as a page.

    The files go to a temporary folder under names of our own, because formats are recognised there.
    """
    _only(request, ("references", "systems", "settings"))
    settings = _settings(request.get("settings", {}))
    with TemporaryDirectory(prefix="celab-") as folder:
        sides = [
            [_stored(Path(folder, f"{side}{n}"), one) for n, one in enumerate(_list(request, side))]
            for side in ("references", "systems")
        ]
        try:
            texts = read(*sides, limits=Limits(max_file=MOST_FILE))
            campaign = run({"celab": _metric(settings)}, texts, progress=lambda *_: check())
            lang = str(settings.get("lang") or "zh")
            return campaign.html(explained=EXPLAINED, lang=lang, progress=lambda *_: check())
        except CelabError as error:
            inside = re.compile(re.escape(folder) + rf"{re.escape(os.sep)}\w+{re.escape(os.sep)}")
            raise type(error)(inside.sub("", str(error))) from None


def playground() -> tuple[str, str]:
    """The page, and its content security policy."""
    options = [
        {"name": spec.name, "default": spec.default, "kind": type(spec.default).__name__}
        | {key: spec.metadata[key] for key in ("help", "between")}
        | {"choices": choices_of(spec)}
        for spec in OPTIONS
    ]
    data = {
        "lang": "zh", "labels": [], "options": options, "usual": USUAL, "lexicons": lexicons(),
        "defaults": {lang: DEFAULTS.get(lang) for lang in USUAL}, "most": MOST_TEXT,
    }  # fmt: skip
    return page.playground(data)


def _pair(request: dict[str, Any]) -> tuple[TeslaCelab, str, list[str]]:
    _only(request, ("reference", "hypothesis", "settings"))
    hyp = _text(request, "hypothesis", MOST_TEXT)
    given = request.get("reference")
    if isinstance(given, list):
        if not 1 <= len(given) <= MOST_REFERENCES:
            raise InputError(
                f"reference is a list of {len(given)}; it must have 1 to {MOST_REFERENCES}"
            )
        named = {f"reference {n}": one for n, one in enumerate(given, 1)}
        refs = [_text(named, name, MOST_TEXT) for name in named]
    else:
        refs = [_text(request, "reference", MOST_TEXT)]
    return _metric(_settings(request.get("settings", {}))), hyp, refs


def _settings(given: object) -> dict[str, Any]:
    # The arguments of the metric; it checks the values of options itself.
    if not isinstance(given, dict):
        raise InputError(f"settings is {_kind(given)}; it must be an object")
    _only(given, ("lang", "lexicon", *(spec.name for spec in OPTIONS)), "a setting")
    made: dict[str, Any] = {}
    for name, value in given.items():
        if isinstance(value, dict):
            raise InputError(f"{name} is an object; it must be a single value")
        if name == "lang" and value is not None and not isinstance(value, str):
            raise InputError(f"lang is {_kind(value)}; it must be one of: {', '.join(USUAL)}")
        if name == "weights" and value not in WEIGHTS:
            raise InputError(f"weights is {value!r}; {meant(str(value), WEIGHTS)}")
        if value is not None:
            made[name] = _lexicon(value) if name == "lexicon" else value
    return made


def choices_of(spec: Field[Any]) -> Sequence[str] | None:
    """The values of an option that is a word. Weights must have a name: no file is read here."""
    choices: Sequence[str] | None = spec.metadata["choices"]
    return WEIGHTS if spec.name == "weights" else choices


def _lexicon(given: object) -> str | list[str] | None:
    if given == "none":
        return None
    names: list[Any] = given if isinstance(given, list) else [given]
    here = lexicons()
    for name in names:
        if name not in here and not (given == name and name in STAND_INS):
            raise InputError(f"lexicon is {name!r}; {meant(str(name), [*here, 'none'])}")
    return names if isinstance(given, list) else str(given)


def _metric(settings: dict[str, Any]) -> TeslaCelab:
    return _kept(json.dumps(settings, sort_keys=True)).metric()


class _Kept:
    """A metric, made by the first request that needs it; the next ones wait for it."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings, self.lock = settings, Lock()
        self.made: TeslaCelab | None = None

    def metric(self) -> TeslaCelab:
        with self.lock:
            if self.made is None:
                self.made = TeslaCelab(**self.settings, time_limit=TIME_LIMIT)
            return self.made


@lru_cache(maxsize=8)
def _kept(settings: str) -> _Kept:  # as JSON, in which 1 and true differ
    return _Kept(json.loads(settings))


@lru_cache(maxsize=4)
def _thesaurus(name: str) -> Thesaurus:
    found, _ = catalogue.located_or_stand_in(name)
    return catalogue.load(found[0])


def _only(request: dict[str, Any], known: Collection[str], what: str = "a field") -> None:
    for name in request:
        if name not in known:
            raise InputError(f"{name!r} is not {what} here; {meant(name, known)}")


def _text(request: dict[str, Any], name: str, most: int) -> str:
    text = request.get(name)
    if not isinstance(text, str):
        seen = f"is {_kind(text)}" if name in request else "is missing"
        raise InputError(f"{name} {seen}; it must be a string")
    if len(text) > most:
        raise LimitError(f"{name} has {len(text):,} characters; it may have {most:,}")
    return text


def _list(request: dict[str, Any], name: str) -> list[Any]:
    given = request.get(name, [])
    if not isinstance(given, list):
        raise InputError(f"{name} is {_kind(given)}; it must be a list")
    return given


def _stored(folder: Path, given: object) -> Path:
    # A file of the request in a folder of its own; its name has no separators and no leading dots.
    if not isinstance(given, dict) or not all(isinstance(given.get(k), str) for k in FILE):
        raise InputError(f"a file must be an object with the strings {' and '.join(FILE)}")
    name = re.sub(r"[^\w.-]+", "_", given["name"]).lstrip(".")[-60:] or "text"
    try:
        content = base64.b64decode(given["data"], validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"{name}: data is not base64") from None
    folder.mkdir()
    with files.written(folder / name) as file:
        file.write(content)
    return folder / name


def _kind(value: object) -> str:
    return KINDS.get(type(value), repr(value))
