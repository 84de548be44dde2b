"""Flags for other judges: scores of other metrics and of people, and error spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from celab.base.errors import OptionError
from celab.cli.arguments import Parser

if TYPE_CHECKING:
    from celab.cli.requests import TextRequest

HUMAN = "human"  # the name of the judge that `--human` gives


def add_judges(parser: Parser) -> None:
    """Add the flags for scores and error spans of others."""
    add = parser.group("Other judges")
    add(
        "--scores NAME=FILE",
        "scores of another metric, shown beside ours; COMET's JSON or printed lines, MetricX's JSON"
        " Lines, mt-metrics-eval's .seg.score or .sys.score, or a TSV table with system, segment"
        " and score; or a folder with a file per system",
        action="append",
        whole=True,
    )
    add(
        "--lower-is-better NAME",
        "lower is better for this external metric; files of MetricX say it",
        action="append",
    )
    add(
        "--human FILE",
        "human scores, shown beside ours; a table as for --scores, or judgments as for --spans",
        whole=True,
    )
    add(
        "--spans FILE",
        "errors that people have marked; adds a table of those that the metric saw; MQM TSV,"
        " .seg.rating, Appraise CSV, Pearmut, XCOMET's JSON, or TSV with system, segment, start,"
        " end, severity, category",
        whole=True,
    )
    add_count_from(add)


def add_count_from(add: Callable[..., object]) -> None:
    """Add `--count-from` to a group of flags."""
    add(
        "--count-from",
        "number of the first segment in tables of judgments that have neither segment 0 nor, as the"
        " last, the number of segments (default: the one that the table has)",
        type=lambda text: int(text) if text in ("0", "1") else text,
        choices=(0, 1),
    )


def score_files(scores: Sequence[str], lower_is_better: Sequence[str]) -> dict[str, str]:
    """Return the files of external metrics, by name."""
    paths: dict[str, str] = {}
    for text in scores:
        name, _, path = text.partition("=")
        if not name or not path or "," in name:
            raise OptionError(
                f"--scores is {text!r}; it must be NAME=FILE, such as comet=comet.tsv"
            )
        if name in paths:
            raise OptionError(f"--scores gives {name} twice; each name must be given once")
        paths[name] = path
    for name in lower_is_better:
        if name not in paths:
            raise OptionError(
                f"--lower-is-better is {name!r}; it must be a name that --scores gives"
            )
    return paths


def judge_files(request: TextRequest) -> dict[str, str]:
    """Return the files of all judges, by name; people are the last."""
    paths = score_files(request.scores or (), request.lower_is_better or ())
    if request.human is not None:
        if HUMAN in paths:
            raise OptionError(f"--scores gives {HUMAN}, which is the name for --human")
        paths[HUMAN] = request.human
    return paths
