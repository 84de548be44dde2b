"""Features of candidates: n-best lists → names and numbers; weights → weighted sums.

    Moses   LM0= -9.5 TM0= -1 -2    named, several values of a name are TM0.1, TM0.2
            lm=-9.5 tm=-1           as Joshua writes them
            -9.5 -1                 without names: 1, 2
    JSONL   "features": {"LM0": -9.5, "TM0": [-1, -2]} or [-9.5, -1]

All candidates have the same features. A weights file is JSON with an object `weights`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from celab.base import io
from celab.base.errors import InputError, suggest
from celab.base.json_files import JsonError, read_json
from celab.base.numbers import GREATEST, decimal
from celab.family.reranking.nbest import Candidate, NBestList, Sentence, abbreviate

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


def place(sentence: Sentence, candidate: Candidate) -> str:
    """Return the place of a candidate, for errors."""
    if not sentence.where:
        return f"sentence {sentence.id}, candidate {candidate.line}"
    return f"{sentence.where}, line {candidate.line}"


def features_of(sentence: Sentence, candidate: Candidate) -> dict[str, float]:
    """Return the features of a candidate by name."""
    where = place(sentence, candidate)
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
            features, weights, place(sentence, candidate), "the weights name others"
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
    weights = content.get("weights") if isinstance(content, dict) else None
    if not isinstance(weights, dict) or not weights:
        raise InputError(f"{name} has no weights; it must be {right}")
    return check_weights(weights, name)


def check_weights(weights: Mapping[str, object], where: str) -> dict[str, float]:
    """Return the weights as finite numbers; they must not all be 0."""
    if not isinstance(weights, Mapping):
        raise InputError(f"{where} are of type {type(weights).__name__}; they must be a dict")
    numbers = {key: _number(value, f"{where}: weight {key}") for key, value in weights.items()}
    if not math.fsum(map(abs, numbers.values())):
        raise InputError(f"{where}: all weights are 0; at least one must not be")
    return numbers
