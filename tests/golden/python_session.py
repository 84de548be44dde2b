"""The Python side of the golden files: names, small texts and what is shown of a result."""

import json
import tomllib
import warnings
from pathlib import Path

from frozen import GOLDEN
from shell import folded

import celab

TEXTS = tomllib.loads((GOLDEN / "texts.toml").read_text(encoding="utf-8"))


def namespace(folder):
    """Names that the lines of a golden file may use."""

    def lines(name):
        return (folder / name).read_text(encoding="utf-8").splitlines()

    def write(name, content):
        Path(folder, name).write_text(content, encoding="utf-8")

    public = {name: getattr(celab, name) for name in celab.__all__}
    return {**public, "lines": lines, "write": write, "show": show, "as_json": as_json}


def as_json(result):
    """The JSON of a result, broken into lines."""
    return "\n".join(folded(json.loads(result.to_json())))


def evaluate(line, names):
    """What a line shows: the value of an expression, or the error; a statement shows nothing."""
    try:
        code = compile(line, "<golden>", "eval")
    except SyntaxError:
        exec(line, names)
        return ""
    value, seen = outcome(lambda: eval(code, names))
    shown = "" if value is None else f"{shown_value(value)}\n"
    return shown + "".join(f"{text}\n" for text in seen)


def outcome(call):
    """The value of a call, and our warnings as text; of an error, its class and its message."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            value = call()
        except (celab.CelabError, TypeError, AttributeError) as error:
            value = f"{type(error).__name__}: {error}"
    ours = [warning for warning in seen if "site-packages" not in warning.filename]
    return value, [f"{warning.category.__name__}: {warning.message}" for warning in ours]


def show(metric, language):
    """The metric's signature, and its scores of the small texts of a language."""
    hyps, *refs = TEXTS[language].values()
    score = metric.corpus_score(hyps, refs)
    figures = [_figures(score), *map(_figures, score.segments)]
    return "\n".join([metric.get_signature(), *figures])


def shown_value(value):
    """A score with all digits of all segments, a metric by its signature, others as Python does."""
    if isinstance(value, str):
        return value
    if isinstance(value, celab.Score):
        return "\n".join(_score_lines(value))
    if hasattr(value, "get_signature"):
        return value.get_signature()
    return repr(value)


def _score_lines(score):
    yield score.signature
    yield f"system {_figures(score)}"
    for number, segment in enumerate(score.segments, 1):
        yield f"{number} {_figures(segment)}"
        if len(segment.references) > 1:
            for reference in segment.references:
                yield f"  against {reference.index}: {_figures(reference)}"


def _figures(value):
    figures = (value.score, value.precision, value.recall)
    return " ".join(repr(figure) for figure in figures if figure is not None)
