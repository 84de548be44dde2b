"""Answers to requests: scores, explanations, words of lexicons, reports.

The arguments have been checked by `celab.serve.models`. Lexicons are chosen by name; no path in a
request is ever opened. Metrics and thesauri are cached, so that the server can load them before it
asks for an answer: loading may take longer than an answer may.
"""

from __future__ import annotations

import base64
import copy
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from functools import lru_cache, wraps
from typing import ParamSpec, cast

from celab.base import io
from celab.base.arguments import Arguments, JsonObject
from celab.base.errors import CelabError, InputError, LimitError, Setting, describe
from celab.base.io.text import MARKS
from celab.base.messages import listening, warn
from celab.base.options import PER_LINE, Spec, info_of
from celab.base.text.scripts import likely_codec, warn_if_japanese
from celab.corpus import Corpus, Fields, Limits, Segment, read
from celab.corpus.preview import columns_of
from celab.exact.weights import NAMES as WEIGHTS
from celab.findings.translations.outputs import FlaggedOutput, Outputs
from celab.lexicon import catalog, lookup
from celab.lexicon.catalog import DEFAULTS
from celab.lexicon.source import Thesaurus
from celab.metrics.base import N_WHAT_IF
from celab.metrics.baselines import Chrf
from celab.metrics.celab import TeslaCelab
from celab.metrics.factory import make_metric
from celab.metrics.mean import Mean
from celab.metrics.options import LANGUAGE_DEFAULTS, PROFILES, TeslaCelabOptions, language_defaults
from celab.metrics.registry import RECOMMENDED, title_of
from celab.report.html import page
from celab.report.html.data import shown_settings
from celab.report.html.explanations import Labels, segment
from celab.serve import LIMITS, MAX_COLUMNS, MAX_REFERENCES, MAX_SYSTEMS, MAX_TEXT
from celab.systems.campaign import Campaign

MAX_EXPLAINED_PAIRS = 500  # pairs in a report
# An explanation scores the texts again for each pair of unmatched words, as if they were synonyms:
# 100 such scores of long texts would take up to 10 s, longer than an answer may. This is the most
# characters that all these scores together may read.
MAX_WHAT_IF = 50_000
OPTIONS = fields(TeslaCelabOptions)
CHUNK = 1 << 20  # bytes that are decompressed at a time, to count them

P = ParamSpec("P")


def _with_warnings(answer: Callable[P, JsonObject]) -> Callable[P, JsonObject]:
    """Add the warnings of this request to its answer, if there are any."""

    @wraps(answer)
    def answer_with_warnings(*args: P.args, **kwargs: P.kwargs) -> JsonObject:
        with listening(_as_words) as messages:
            body = answer(*args, **kwargs)
        said = messages.texts("warning")
        return body | {"warnings": said} if said else body

    return answer_with_warnings


def message_of(error: Exception) -> str:
    """Return the message of an error, with the names that settings have in a request.

    A hint is left out if it names an option that a request does not have.

    >>> message_of(InputError("a.zh has no ids", hint=("use ", Setting("skip_missing", True))))
    'a.zh has no ids'
    """
    hint = getattr(error, "hint", "")
    settings = [part.name for part in hint if isinstance(part, Setting)]
    if not _OWN_DEFAULTS.keys() >= {*settings} - {"lang"}:
        error = copy.copy(error)
        error.hint = ""  # type: ignore[attr-defined]
    return describe(error, _as_words)


def _as_words(setting: Setting) -> str:
    """Return a setting as messages of the server call it."""
    name = "language" if setting.name == "lang" else setting.name
    return f"{name} {setting.value}" if setting.has_value else name


def lexicons() -> list[str]:
    """Return the names of the installed lexicons."""
    installed = (
        name for name in catalog.EXTERNAL_LEXICONS if catalog.installed_path(name) is not None
    )
    return [*installed, *catalog.bundled_names()]


def choices_of(option: Spec) -> Sequence[str] | None:
    """Return the values of an option that is a word. Weights are named: no file is read here."""
    choices: Sequence[str] | None = info_of(option).choices
    return WEIGHTS if option.name == "weights" else choices


@_with_warnings
def score(
    hypothesis: str,
    references: Sequence[str],
    settings: Arguments,
    time_limit: float = LIMITS.pair_seconds,
) -> JsonObject:
    """Answer `POST /score`.

    >>> score("买伞", ["买雨伞"], {})["score"]
    1.0
    """
    metric = _metric(settings, time_limit)
    sides = [[text] for text in references]
    if metric.treats_text_as_chinese:
        warn_if_japanese([hypothesis, *references])
    # Not `corpus_score`, which looks whether a text is the name of a file: clients would learn
    # which files the server has.
    result = metric.scorer(sides)([hypothesis], sides)
    names = ("score", "precision", "recall", "signature")
    pair = Corpus(
        segments=[Segment("", "1")],
        systems={"": [hypothesis]},
        refs=sides,
        ref_names=[""] * len(sides),
    )
    outputs = Outputs.of_corpus(pair, metric.language)
    (output,) = outputs.systems[""] or [FlaggedOutput(1, "", "")]
    return {
        **{name: getattr(result, name) for name in names},
        "output": output.kind,
        "form": output.form,
        **({"findings": [x.kind for x in outputs.findings]} if outputs.findings else {}),
    }


@_with_warnings
def explain(
    hypothesis: str,
    references: Sequence[str],
    settings: Arguments,
    time_limit: float = LIMITS.pair_seconds,
) -> JsonObject:
    """Answer `POST /explain`: the alignment, as `celab.report.html.explanations` writes it."""
    metric = _metric(settings, time_limit)
    labels = Labels()
    if metric.treats_text_as_chinese:
        warn_if_japanese([hypothesis, *references])
    scorer = metric.scorer([[text] for text in references])
    n_characters = sum(map(len, (hypothesis, *references)))
    n_what_if = min(N_WHAT_IF, MAX_WHAT_IF // max(1, n_characters))
    explained = scorer.explain(hypothesis, references, unmatched=True, n_what_if=n_what_if)
    encoded = segment(explained, labels)
    about: JsonObject = {"settings": shown_settings(metric), "signature": metric.signature}
    if isinstance(metric, Mean):
        about["parts"] = [
            {"signature": part.signature, "settings": shown_settings(part)} for part in metric.parts
        ]
    return encoded | {"labels": list(labels)} | about


@_with_warnings
def look_up(word: str, lexicon: str) -> JsonObject:
    """Answer `POST /lookup`: the synonym groups of a word."""
    word, (thesaurus, warning) = word.strip(), load_thesaurus(lexicon)
    warn(warning)
    groups = lookup(word, thesaurus) if word else []
    listed = [{"label": group.label, "words": group.words} for group in groups]
    return {"word": word, "groups": listed}


@_with_warnings
def columns(
    folder: str,
    table: tuple[str, str],
    lang: str = "zh",
    unpacked_bytes: int = LIMITS.unpacked_bytes,
) -> JsonObject:
    """Answer `POST /columns`: the columns of a table, whose file is written to the folder."""
    with _stored(folder, unpacked_bytes, [table]) as [[path]]:
        read = columns_of(path, lang, Limits(max_file=unpacked_bytes))
    columns = [
        {"name": column.name, "text": column.text, "kind": column.role or ""}
        for column in read.columns[:MAX_COLUMNS]
    ]
    return {"columns": columns, "has_names": read.has_names}


@_with_warnings
def report(
    folder: str,
    references: Sequence[tuple[str, str]],
    systems: Sequence[tuple[str, str]],
    settings: Arguments,
    fields: Arguments | None = None,
    no_header: bool = False,
    align: bool = False,
    report_lang: str = "en",
    time_limit: float = LIMITS.pair_seconds,
    unpacked_bytes: int = LIMITS.unpacked_bytes,
    segments: int = LIMITS.segments,
) -> JsonObject:
    """Answer `POST /report`: the page of `celab score --html`, from names and contents of files.

    The files are written to the folder. `time_limit` is that of each pair, in seconds.
    """
    lang = str(settings.get("lang") or "zh")
    with _stored(folder, unpacked_bytes, references, systems) as sides:
        texts = read(
            *sides,
            fields=Fields(**fields or {}),
            no_header=no_header,
            align=align,
            lang=lang,
            limits=Limits(max_file=unpacked_bytes),
        )
        _check_corpus(texts, segments)
        campaign = Campaign(texts).score(_metric(settings, time_limit))
        if len(texts.systems) > 1:
            campaign = campaign.test()
    page = campaign.html(explained=MAX_EXPLAINED_PAIRS, lang=lang, report_lang=report_lang)
    return {"html": page}


@contextmanager
def _stored(
    folder: str, unpacked_bytes: int, *sides: Sequence[tuple[str, str]]
) -> Iterator[list[list[str]]]:
    """Write files to a folder; messages inside the block have their names without the folder."""
    separator = re.escape(os.sep)
    inside = re.compile(rf"{re.escape(folder)}{separator}[\w-]+{separator}")

    def renamed(text: str) -> str:
        return inside.sub("", text)

    paths = [_store(os.path.join(folder, f"side{n}-"), files) for n, files in enumerate(sides)]
    try:
        _check_unpacked([path for side in paths for path in side], unpacked_bytes)
        with listening(_as_words) as messages:
            yield paths
        warn(*map(renamed, messages.texts("warning")))
    except CelabError as error:
        error.message, error.hint, error.place = renamed(message_of(error)), "", ""
        raise


def _store(prefix: str, files: Sequence[tuple[str, str]]) -> list[str]:
    # Names come from clients: without separators and leading dots, no file can leave its folder.
    # Each file has a folder of its own, because two may have the same name.
    paths = []
    for n, (name, data) in enumerate(files):
        safe_name = re.sub(r"[^\w.-]+", "_", name).lstrip(".")[-60:] or "text"
        try:
            content = base64.b64decode(data, validate=True)
        except ValueError:
            raise InputError(f"{safe_name}: data is not base64") from None
        content = _as_utf8(safe_name, content)
        os.mkdir(f"{prefix}{n}")
        paths.append(os.path.join(f"{prefix}{n}", safe_name))
        io.write(paths[-1], content)
    return paths


def _as_utf8(name: str, content: bytes) -> bytes:
    """Return a text in UTF-8 if its encoding can be detected, such as GBK; else the content itself.

    Compressed files, and files that declare their encoding, are left to the reader.
    """
    is_packed = content.startswith((b"PK", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))
    declares = content.lstrip().startswith(b"<?xml") or b"charset=" in content
    if is_packed or declares:
        return content
    try:
        content.decode()
    except UnicodeDecodeError:
        if not content.startswith(tuple(MARKS)) and (codec := likely_codec(content)):
            warn(f"{name} is read as {codec}")
            return content.decode(codec).encode()
    return content


def playground() -> tuple[str, str]:
    """Return the page and its content security policy."""
    options = [
        {
            "name": option.name,
            "default": info_of(option).default,
            "kind": info_of(option).value_type.__name__,
            "help": info_of(option).help,
            "between": info_of(option).between,
            "choices": choices_of(option),
        }
        for option in OPTIONS
    ]
    return page.playground(
        {
            "lang": "zh",
            "labels": [],
            "options": options,
            "usual": {profile: _defaults_by_language(profile) for profile in PROFILES},
            "lexicons": lexicons(),
            "most": MAX_TEXT,
            "picture": _picture(),
        }
    )


def _defaults_by_language(profile: str) -> dict[str, JsonObject]:
    """Return the values of options that are not set, by language, where the options' own differ.

    A mean has several values of an option if its parts differ in it.
    """
    recommended = RECOMMENDED if profile == "recommended" else {}
    by_language = {}
    for lang in LANGUAGE_DEFAULTS:
        parts = [_defaults_of(lang, settings) for settings in recommended.get(lang, ({},))]
        by_language[lang] = {
            name: list(dict.fromkeys(part.get(name, default) for part in parts))
            for name, default in _OWN_DEFAULTS.items()
            if any(part.get(name, default) != default for part in parts)
        }
    return by_language


_OWN_DEFAULTS = {option.name: info_of(option).default for option in OPTIONS} | {"lexicon": None}


def _defaults_of(lang: str, settings: Arguments) -> Arguments:
    lexicon = {"lexicon": DEFAULTS.get(lang)} | settings
    return language_defaults(lang, **settings) | lexicon


def _picture() -> JsonObject:
    """Return the example that the page shows first: a fully linked pair, and its scores."""
    hypothesis, references = "买伞", ["买雨伞"]
    settings = {"lexicon": "zh-core"}  # part of the package, unlike the default
    chrf = Chrf().sentence_score(hypothesis, references).score / Chrf.scale
    celab = score(hypothesis, references, settings)["score"]
    return {
        "explanation": explain(hypothesis, references, settings),
        "scores": {"chrF": chrf, title_of("celab"): celab},
    }


def _check_unpacked(paths: Sequence[str], limit: int) -> None:
    # A small compressed file can hold a very large one, so sizes are counted before any is read.
    size = 0
    for path in paths:
        with io.reading(path, InputError, "a text file"), io.open_binary(path) as stream:
            while chunk := stream.read(CHUNK):
                lines_or_tags = max(chunk.count(b"\n"), chunk.count(b"<"))
                size += len(chunk) + PER_LINE * lines_or_tags
                if size > limit:
                    raise LimitError(
                        f"the files have more than {limit:,} bytes after decompression, counting"
                        f" {PER_LINE} more for each line or tag"
                    )


def _check_corpus(texts: Corpus, segments: int) -> None:
    for name, number, limit in (
        ("systems", len(texts.systems), MAX_SYSTEMS),
        ("references", len(texts.refs), MAX_REFERENCES),
        ("segments", len(texts.segments), segments),
    ):
        if number > limit:
            raise LimitError(f"the files have {number:,} {name}; a report may have {limit:,}")


def _metric(settings: Arguments, time_limit: float) -> TeslaCelab | Mean:
    metric, warnings = load_metric(key_of(settings), time_limit)
    warn(*warnings)  # every request has them, not only the first
    return metric


def key_of(settings: Arguments) -> str:
    """Return the settings as JSON, in which 1 and true differ."""
    return json.dumps(settings, sort_keys=True)


@lru_cache(maxsize=8)
def load_metric(key: str, time_limit: float) -> tuple[TeslaCelab | Mean, tuple[str, ...]]:
    """Return a metric with its lexicon, and warnings, for `score`, `explain` and `report`."""
    with listening(_as_words) as messages:
        settings = json.loads(key) | {"time_limit": time_limit}
        metric = cast("TeslaCelab | Mean", make_metric("celab", **settings))
    return metric, tuple(messages.texts("warning"))


@lru_cache(maxsize=4)
def load_thesaurus(name: str) -> tuple[Thesaurus, str]:
    """Return a lexicon for `look_up`, and a warning if it is not the requested one, or ""."""
    located, warning = catalog.locate_with_fallback(name)
    return catalog.load(located[0]), warning
