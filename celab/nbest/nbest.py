"""N-best lists: a file → sentences, each with the candidates that a decoder proposed for it.

Two formats, recognized by the first character that is not white space:

    Moses   id ||| text ||| features ||| total score
    JSONL   {"id": 0, "text": …, "score": …, "features": {"LM0": …}}

In Moses' format ids are whole numbers, the last two fields may be missing, and more may follow. In
JSONL ids are whole numbers or texts. `candidates` is a list of texts, or of objects, in place of a
line for each. The text is called `text`, `hyp`, `hypothesis`, `translation`
or `mt`. The model's score is `weight` (a probability up to a factor), `logprob` or `score` (its
logarithm up to a constant); the first that is present is used. The candidates of a sentence are
consecutive lines; blank lines are skipped.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from celab.base import io
from celab.base.errors import InputError, OptionError, suggest
from celab.base.json_files import JsonError, read_json
from celab.base.messages import warn
from celab.base.options import GREATEST, LIMITS, Limits, decimal, is_digits
from celab.corpus.formats import nul_warning
from celab.corpus.formats.json_text import check_surrogates, json_object
from celab.tables.result import JSON_FORMAT

MAX_CANDIDATES = 10_000  # distinct texts of a sentence: the scores of all pairs take 800 MB
FORMATS = ("moses", "jsonl")
SEPARATOR = "|||"
TEXTS = ("text", "hyp", "hypothesis", "translation", "mt")
CANDIDATES = "candidates"
SCORES = ("weight", "logprob", "score")
MAX_DIGITS = 4000  # Python's int() refuses more than 4,300
_MAX_SHOWN_CHARACTERS = 40

Id = str | int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A translation of a sentence that a decoder proposed."""

    text: str
    line: int
    score: float | None = None  # the model's log-probability, up to a constant
    rest: tuple[str, ...] = ()  # all fields after the text, if the format is Moses'
    features: object = None  # unchecked, if the format is JSONL


@dataclass(frozen=True, slots=True)
class Sentence:
    """Id of a source sentence, and its candidates in the order of the file."""

    where: str
    id: Id
    candidates: tuple[Candidate, ...]


class NBestList:
    """A file of n-best lists; iteration yields its sentences.

    All lines are checked first, so that an error in the last line is reported before scoring.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,
        encoding: str | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        if format is not None and format not in FORMATS:
            raise OptionError("format", format, f"choose from {', '.join(FORMATS)}")
        path = os.fspath(path)
        self.name = io.display_name(path)
        self.lines = io.read_lines(path, encoding, limits)
        if warning := nul_warning(self.name, self.lines):
            warn(warning)
        first = next((line for line in self.lines if line.strip()), "")
        self.format = format or ("jsonl" if first.lstrip().startswith("{") else "moses")
        self.ids: list[Id] = []
        self.n_candidates = 0
        for sentence in self:
            self.ids.append(sentence.id)
            self.n_candidates += len(sentence.candidates)
        if not self.ids:
            raise InputError(f"{self.name} has only blank lines; it must have candidates")

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Sentence]:
        seen = set[Id]()
        for id, group in groupby(self._candidates(), key=itemgetter(0)):
            candidates = tuple(candidate for _, candidate in group)
            if id in seen:
                raise InputError(
                    f"{self.name}, line {candidates[0].line}: sentence {id} occurs again after"
                    " others; its candidates must be consecutive"
                )
            seen.add(id)
            if (n_texts := len({candidate.text for candidate in candidates})) > MAX_CANDIDATES:
                raise InputError(
                    f"{self.name}, line {candidates[0].line}: sentence {id} has {n_texts} different"
                    f" candidates; at most {MAX_CANDIDATES} are allowed"
                )
            yield Sentence(self.name, id, candidates)

    def _candidates(self) -> Iterator[tuple[Id, Candidate]]:
        parse = _parse_json if self.format == "jsonl" else _parse_moses
        for number, line in enumerate(self.lines, start=1):
            if line.strip():
                yield from parse(line, number, f"{self.name}, line {number}")


def _parse_moses(line: str, number: int, where: str) -> Iterator[tuple[Id, Candidate]]:
    id, *fields = (field.strip() for field in line.split(SEPARATOR))
    if not fields:
        raise InputError(f"{where}: {abbreviate(line)} has no {SEPARATOR}; it must be id ||| text")
    if not is_digits(id) or len(id) >= MAX_DIGITS:
        raise InputError(f"{where}: the id is {abbreviate(id)}; it must be a whole number")
    text, *rest = fields
    total = rest[1] if len(rest) > 1 else ""
    score = decimal(total)
    if total and score is None:
        raise InputError(
            f"{where}: the total score is {abbreviate(total)}; it must be a number"
            " such as -1.5, from -1e100 to 1e100"
        )
    yield int(id), Candidate(text, number, score, tuple(rest))


def _parse_json(line: str, number: int, where: str) -> Iterator[tuple[Id, Candidate]]:
    values = json_object(line)
    if values is None:
        raise InputError(f"{where}: {abbreviate(line)} is not a JSON object; each line must be one")
    id, candidates = values.get("id"), values.get(CANDIDATES)
    if isinstance(id, bool) or not isinstance(id, str | int):
        raise InputError(f"{where}: 'id' is {abbreviate(id)}; it must be a text or a whole number")
    if candidates is None:
        yield id, _candidate(values, id, number, where)
        return
    if not isinstance(candidates, list) or not candidates:
        raise InputError(
            f"{where}: {CANDIDATES!r} is {abbreviate(candidates)}; it must be a list of texts"
        )
    for candidate in candidates:
        of_candidate = candidate if isinstance(candidate, dict) else {"text": candidate}
        yield id, _candidate(of_candidate, id, number, where)


def _candidate(values: Mapping[str, object], id: Id, number: int, where: str) -> Candidate:
    text = next((values[name] for name in TEXTS if name in values), None)
    if not isinstance(text, str):
        raise InputError(
            f"{where}: the translation is {abbreviate(text)}; one of the fields {', '.join(TEXTS)}"
            " must hold a text"
        )
    for part in (str(id), text):
        check_surrogates(where, part)
    return Candidate(text, number, _score(values, where), features=values.get("features"))


def _score(values: Mapping[str, object], where: str) -> float | None:
    name = next((name for name in SCORES if values.get(name) is not None), None)
    if name is None:
        return None
    value = values[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    try:
        score = float(value) if is_number else math.nan  # type: ignore[arg-type]
    except OverflowError:
        score = math.nan
    if not abs(score) <= GREATEST or (name == "weight" and score < 0):
        least = "of 0 or more, at most" if name == "weight" else "from -1e100 to"
        right = f"a number {least} 1e100"
        raise InputError(f"{where}: {name!r} is {abbreviate(value)}; it must be {right}")
    if name == "weight":
        return math.log(score) if score else -math.inf
    return score


def abbreviate(value: object) -> str:
    """Return the repr of a value for a message, cut if it is long."""
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN_CHARACTERS else f"{text[:_MAX_SHOWN_CHARACTERS]}..."


# Features of candidates: n-best lists → names and numbers; weights → weighted sums.
#
#     Moses   LM0= -9.5 TM0= -1 -2    named, several values of a name are TM0.1, TM0.2
#             lm=-9.5 tm=-1           as Joshua writes them
#             -9.5 -1                 without names: 1, 2
#     JSONL   "features": {"LM0": -9.5, "TM0": [-1, -2]} or [-9.5, -1]
#
# All candidates have the same features. A weights file is JSON with a list
# `weight`, whose objects have `feature` and `weight`.

Weights = Mapping[str, float]
NBest = str | os.PathLike[str] | NBestList | Sequence[Any]


def sentences_of(nbest: NBest) -> list[Sentence]:
    """Return the sentences of a file, of several files one after the other, or of plain lists.

    Plain lists have for each sentence a list of candidates, each a text and a dict of features.
    """
    if isinstance(nbest, str | os.PathLike):
        nbest = NBestList(nbest)
    if isinstance(nbest, NBestList):
        return list(nbest)
    if not isinstance(nbest, list | tuple):
        raise InputError(
            f"nbest is of type {type(nbest).__name__}; it must be a path, or a list of candidates"
            " for each sentence"
        )
    if all(isinstance(source, str | os.PathLike | NBestList) for source in nbest):
        return [sentence for source in nbest for sentence in sentences_of(source)]
    return [
        Sentence("", number, tuple(_candidates(candidates, number)))
        for number, candidates in enumerate(nbest)
    ]


def _candidates(candidates: object, sentence: int) -> Iterator[Candidate]:
    pairs = candidates if isinstance(candidates, list | tuple) else [candidates]
    for number, pair in enumerate(pairs, 1):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise InputError(
                f"sentence {sentence}, candidate {number} is of type {type(pair).__name__}; it must"
                " be a text and a dict of features"
            )
        yield Candidate(pair[0], number, features=pair[1])


def location(sentence: Sentence, candidate: Candidate) -> str:
    """Return the location of a candidate for error messages: its file and line, or its number."""
    if not sentence.where:
        return f"sentence {sentence.id}, candidate {candidate.line}"
    return f"{sentence.where}, line {candidate.line}"


def features_of(sentence: Sentence, candidate: Candidate) -> dict[str, float]:
    """Return the features of a candidate by name."""
    where = location(sentence, candidate)
    raw = candidate.features
    if raw is None:
        raw = _parse_features(candidate.rest[0]) if candidate.rest else {}
    if not isinstance(raw, Mapping | list | tuple):
        raise InputError(
            f"{where}: 'features' is {abbreviate(raw)}; it must be an object or a list"
        )
    groups = raw if isinstance(raw, Mapping) else {"": raw}
    features: dict[str, float] = {}
    for name, group in groups.items():
        values = group if isinstance(group, list | tuple) else [group]
        for k, value in enumerate(values, 1):
            key = str(k) if not name else f"{name}.{k}" if len(values) > 1 else str(name)
            features[key] = _number(value, f"{where}: feature {key}")
    if not features:
        raise InputError(f"{where}: no features; each candidate needs at least one")
    return features


def _parse_features(text: str) -> dict[str, list[str | float]]:
    groups: dict[str, list[str | float]] = {}
    name = ""
    for word in text.split():
        value = word
        if "=" in word:
            name, _, value = word.rpartition("=")
        elif word.endswith(":"):
            name, value = word[:-1], ""
        values = groups.setdefault(name, [])
        if value:
            number = decimal(value)
            values.append(value if number is None else number)
    return {name: values or [""] for name, values in groups.items()}


def _number(value: object, what: str) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) <= GREATEST:
            return float(value)
        raise InputError(f"{what} is {abbreviate(value)}; it must be from -1e100 to 1e100")
    raise InputError(f"{what} is {abbreviate(value)}; it must be a number")


def ordered_values(
    values: Mapping[str, float], names: Iterable[str], where: str, why: str
) -> list[float]:
    """Return the values in the order of `names`; both must name the same features."""
    known = dict.fromkeys(names)
    for name in known:
        if name not in values:
            raise InputError(f"{where}: feature {name} is missing; {why}")
    for name in values:
        if name not in known:
            raise InputError(f"{where}: feature {name} is unknown, {suggest(name, known)}; {why}")
    return [values[name] for name in known]


def totals(sentence: Sentence, weights: Weights) -> list[float]:
    """Return the weighted sum of each candidate's features."""
    sums = []
    for candidate in sentence.candidates:
        features = features_of(sentence, candidate)
        values = ordered_values(
            features, weights, location(sentence, candidate), "the weights name others"
        )
        total = 0.0  # added one by one, as in tuning, so that ties are the same
        for name, value in zip(weights, values, strict=True):
            total += weights[name] * value
        sums.append(total)
    return sums


def read_weights(path: str | os.PathLike[str]) -> dict[str, float]:
    """Return the weights in a file that `celab tune` wrote."""
    name, right = io.display_name(path), "a JSON file that celab tune wrote"
    try:
        content, _ = read_json(path, name, right)
    except JsonError:
        content = None
    rows = content.get("weight") if isinstance(content, dict) else None
    if not isinstance(rows, list) or not all(map(_is_weight, rows)) or not rows:
        if isinstance(content, dict) and isinstance(content.get("weights"), dict):
            raise InputError(
                f"{name} is of format 1, and this version reads {JSON_FORMAT}; make it anew:"
                " celab tune NBEST... -r REF... -o FILE"
            )
        raise InputError(f"{name} has no weights; it must be {right}")
    return check_weights({row["feature"]: row["weight"] for row in rows}, name)


def _is_weight(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("feature"), str) and "weight" in row


def check_weights(weights: Mapping[str, object], where: str) -> dict[str, float]:
    """Return the weights as finite numbers; they must not all be 0."""
    if not isinstance(weights, Mapping):
        raise InputError(f"{where} are of type {type(weights).__name__}; they must be a dict")
    numbers = {key: _number(value, f"{where}: weight {key}") for key, value in weights.items()}
    if not math.fsum(map(abs, numbers.values())):
        raise InputError(f"{where}: all weights are 0; at least one must not be")
    return numbers
