"""Scores of other judges (people, external metrics) in notes, tables and JSON of a campaign.

In the JSON of `celab score`, a judge is a metric like others; systems that it has not scored have
no row. In addition there are

    judges         for each: higher_is_better, and `absent`: systems without a score, and for each
                   system the numbers of segments without a score, from 1
    disagreements  for each pair of judges: segment, document, systems, scores by both, size
    spans          see `celab.people.error_spans`
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import combinations
from operator import itemgetter

import numpy as np

from celab.base.arguments import JsonObject
from celab.base.text.escapes import visible
from celab.corpus.model import SegmentName, names_of
from celab.metrics.judge_score import JudgeScore, is_testable
from celab.metrics.scores import Score
from celab.people.disagreement import (
    PEOPLE,
    Disagreement,
    RankComparison,
    compare_ranks,
    comparison_to_show,
    disagreement_rows,
    disagreement_table,
    disagreements,
    judge_pairs,
)
from celab.people.error_spans import OF_SYSTEMS, SeenSpan, SystemSpans
from celab.people.matching import first_names
from celab.systems.results import Comparison, Scored
from celab.tables import cells
from celab.tables.result import plain
from celab.tables.table import NAME, SEGMENT, TEXT, Column, Table
from celab.tables.view import Line, line

MAX_SEGMENTS_NAMED = 5  # when they have no score
MAX_LINKED_SEGMENTS = 3  # where a metric and a judge disagree


def judges_of(scored: Scored) -> dict[str, Mapping[str, JudgeScore]]:
    """Return the scores of other judges, by judge and system."""
    return {
        name: {
            system: score for system, score in by_system.items() if isinstance(score, JudgeScore)
        }
        for name, by_system in scored.scores.items()
        if any(isinstance(score, JudgeScore) for score in by_system.values())
    }


def compared_score(scored: Scored, metric: str, system: str) -> float:
    """Return a system's score; by another judge, its score on the segments that are compared."""
    by_system, comparison = scored.scores[metric], scored.comparisons.get(metric)
    score = by_system[system]
    if not isinstance(score, JudgeScore) or comparison is None:
        return score.score
    if all(other.segments.scored.all() for other in by_system.values()):
        return score.score
    return float(comparison.scores[comparison.systems.index(system)])


def absent(scored: Scored, judge: Mapping[str, Score]) -> tuple[list[str], dict[str, list[int]]]:
    """Return the systems without a score, and the segments without one, from 1, by system."""
    systems = [name for name in scored.system_names if name not in judge]
    segments = {
        name: (np.flatnonzero(~score.segments.scored) + 1).tolist()
        for name, score in judge.items()
        if score.segments.scored.any() and not score.segments.scored.all()
    }
    return systems, segments


def notes(scored: Scored) -> Iterator[Line]:
    """Yield notes on systems, segments and tests without scores of other judges."""
    for name, judge in judges_of(scored).items():
        systems, segments = absent(scored, judge)
        if systems:
            yield line(
                f"{name}: no score of ", first_names([*map(visible, systems)], MAX_SEGMENTS_NAMED)
            )
        for system, numbers in segments.items():
            word = f"segment{'s' if len(numbers) > 1 else ''}"
            names = first_names([*map(str, numbers)], MAX_SEGMENTS_NAMED)
            yield line(f"{name}: no score of {word} {names} of ", visible(system))
        if all(not score.segments.scored.any() for score in judge.values()):
            yield line(f"{name}: scores of systems only, so no interval and no test")
        elif not all(score.is_mean for score in judge.values()):
            yield line(
                f"{name}: system scores are not means of the segment scores, so there is no"
                " interval and no test"
            )
        elif len(judge) > 1 and not is_testable(judge):
            yield line(f"{name}: no segment has a score for all systems, so there is no test")


def disagreements_by_pair(scored: Scored) -> dict[tuple[str, str], tuple[Disagreement, ...]]:
    """Return the segments on which the first metric and other judges disagree most."""
    scores, segments = scored.scores, scored.segments
    return {
        (first, second): disagreements(
            scores[first], scores[second], segments, telling=scored.telling
        )
        for first, second in judge_pairs(scores)
    }


def details(scored: Scored) -> Iterator[Table]:
    """Yield a table for each pair of judges, of the segments on which they disagree most."""
    for (first, second), rows in disagreements_by_pair(scored).items():
        names = [next(iter(scored.scores[name].values())).name for name in (first, second)]
        digits = [next(iter(scored.scores[name].values())).digits for name in (first, second)]
        if rows:
            yield disagreement_table(names, digits, rows)


def program_tables(scored: Scored) -> Iterator[Table]:
    """Yield what JSON has of other judges, nothing without any.

    `judge` has a row per judge, `absent` one for each system and segment that a judge has no score
    of, `disagreement` the segments on which the first metric and another judge disagree most, and
    `span`, `span_system` and `span_kind` the errors that people have marked.
    """
    judges = judges_of(scored)
    if judges:
        rows = [
            (name, next(iter(judge.values())).higher_is_better) for name, judge in judges.items()
        ]
        columns = [
            Column("", TEXT, itemgetter(0), "metric"),
            Column("", TEXT, itemgetter(1), "higher_is_better"),
        ]
        yield Table(name="judge", columns=columns, rows=rows)
        columns = [
            Column("", TEXT, itemgetter(0), "metric"),
            Column("", NAME, itemgetter(1), "system"),
            Column("", SEGMENT, itemgetter(2), "segment"),
        ]
        yield Table(name="absent", columns=columns, rows=[*_absent_rows(scored, judges)])
    pairs = disagreements_by_pair(scored)
    if pairs:
        both = [(*names, row) for names, rows in pairs.items() for row in rows]
        yield disagreement_rows(both, scored.index)
    if scored.spans is not None:
        tables = (part for part in scored.spans.tables() if isinstance(part, Table))
        yield from (table.for_programs() for table in tables if table.is_stored)


def _absent_rows(
    scored: Scored, judges: Mapping[str, Mapping[str, Score]]
) -> Iterator[tuple[str, str, SegmentName | None]]:
    """Yield judge, system and segment; no segment if the judge has no score of the system."""
    names = names_of(scored.segments)
    for name, judge in judges.items():
        systems, segments = absent(scored, judge)
        yield from ((name, system, None) for system in systems)
        for system, numbers in segments.items():
            yield from ((name, system, names[number - 1]) for number in numbers)


def page_data(scored: Scored) -> JsonObject:
    """Return data about other judges for the script of a page; empty without any.

    Systems and segments are numbered from 0, as in the other data of the page, and lists of systems
    have its order. Empty parts are absent:

    judges         key, name, signature, higher (whether higher is better) and digits; for each
                   system: systems, its score; intervals, both ends; groups, the number of its
                   cluster; scores, those of its segments; and for systems 0 and 1, 0 and 2, …
                   1 and 2, …: pairs, p as text. What is not known is null
    span_summary   file and metric; n_outputs, n_spans, n_seen, n_without_place, n_runs,
                   n_unexplained; counts, for each kind of span: category, severity, number, seen,
                   cost. `celab.people.error_spans` defines the figures
    """
    values: JsonObject = {}
    if judges := judges_of(scored):
        values["judges"] = [_page_judge(scored, name, judge) for name, judge in judges.items()]
    if (report := scored.spans) is not None:
        values["span_summary"] = {
            "file": report.file,
            "metric": report.metric,
            **{
                spec.name: getattr(report, spec.name)
                for spec in fields(SystemSpans)
                if spec.name not in OF_SYSTEMS
            },
            "counts": [
                [row.category, row.severity, row.spans, row.seen, round(row.cost, 6)]
                for row in report.counts
            ],
        }
    return values


def _page_judge(scored: Scored, name: str, judge: Mapping[str, JudgeScore]) -> JsonObject:
    first, systems = next(iter(judge.values())), scored.system_names
    comparison = scored.comparisons.get(name)
    groups: dict[str, int] = {}
    if comparison is not None and not comparison.too_few:
        groups = dict(zip(comparison.systems, comparison.groups.tolist(), strict=True))
    return {
        "key": name,
        "name": first.name,
        "signature": first.signature,
        "higher": first.higher_is_better,
        "digits": first.digits,
        "systems": [
            plain(compared_score(scored, name, system)) if system in judge else None
            for system in systems
        ],
        "intervals": [plain(scored.interval(name, system)) for system in systems],
        "groups": [groups.get(system) for system in systems],
        "scores": [
            plain(np.round(judge[system].segments.scores, 6))
            if system in judge and judge[system].n_scored
            else None
            for system in systems
        ],
        "pairs": [_pair_p(comparison, pair) for pair in combinations(systems, 2)],
    }


def _pair_p(comparison: Comparison | None, pair: tuple[str, str]) -> str | None:
    """Return p of the difference between two systems as text; None if it is not tested."""
    if comparison is None or not {*pair} <= {*comparison.systems}:
        return None
    i, j = map(comparison.systems.index, pair)
    return comparison.difference(i, j).p_text


def judgments_data(scored: Scored, places: Sequence[int]) -> JsonObject:
    """Return the scores and spans of other judges for some segments; empty without any."""
    values: JsonObject = {}
    names = names_of(scored.segments)
    if judges := judges_of(scored):
        values["judgments"] = [
            {
                "judge": name,
                "segment": names[place],
                "system": system,
                "score": plain(float(score.segments.scores[place])),
            }
            for place in places
            for name, judge in judges.items()
            for system, score in judge.items()
        ]
    if scored.spans is not None:
        values["spans"] = plain([span for span in scored.spans.spans if span.place in places])
    return values


def judgments_text(scored: Scored, places: Sequence[int]) -> str:
    """Return the scores and spans of other judges for some segments, as lines for a terminal."""
    lines, names = [], names_of(scored.segments)
    for place in places:
        name_of_segment = visible(str(names[place]))
        for name, judge in judges_of(scored).items():
            known = [
                f"{visible(system)} {cells.score(value, score.digits)}"
                for system, score in judge.items()
                if not np.isnan(value := float(score.segments.scores[place]))
            ]
            scores = ", ".join(known) or "no score"
            lines.append(f"segment {name_of_segment} by {visible(name)}: {scores}\n")
        for span in () if scored.spans is None else scored.spans.spans:
            if span.place == place:
                lines.append(f"segment {name_of_segment}, {_span_text(span)}\n")
    return "".join(lines)


def _span_text(span: SeenSpan) -> str:
    kind = ", ".join(visible(part) for part in (span.severity, span.category) if part)
    if span.start is None or span.end is None:
        return f"error of {visible(span.system)}: {kind}; no place in the output"
    place = f"characters {span.start + 1}-{span.end}"
    seen = "seen" if span.seen else "not seen"
    return f"error of {visible(span.system)}, {place}: {visible(span.text)} ({kind}); {seen}"


# ---- ranks ----


def rankings(scored: Scored, metric: str) -> list[RankComparison]:
    """Return comparisons of the ranks by a metric and by each other judge, people first."""
    judges = judges_of(scored)
    if metric in judges or metric not in scored.scores:
        return []
    of_metric = scored.scores[metric]
    own = next(iter(of_metric.values()))
    compared = []
    for name, of_judge in sorted(judges.items(), key=lambda item: item[0] != PEOPLE):
        other = next(iter(of_judge.values()))
        ranks = compare_ranks(
            (own.name, other.name),
            {system: score.score for system, score in of_metric.items()},
            {system: compared_score(scored, name, system) for system in of_judge},
            higher_is_better=(own.higher_is_better, other.higher_is_better),
        )
        if ranks is not None:
            rows = disagreements(
                of_metric, of_judge, scored.segments, MAX_LINKED_SEGMENTS, scored.telling
            )
            ranks = replace(ranks, disagreed=[(row.place, row.systems[0]) for row in rows])
            if (comparison := scored.comparisons.get(name)) is not None:
                i, j = map(comparison.systems.index, (ranks.rival, ranks.judge_first))
                ranks = replace(ranks, difference=comparison.difference(j, i))
            compared.append(ranks)
    return compared


def rankings_by_metric(scored: Scored) -> dict[str, RankComparison]:
    """Return by metric the comparison of ranks that a page shows first; empty without judges."""
    ranks = {metric: comparison_to_show(rankings(scored, metric)) for metric in scored.scores}
    return {metric: compared for metric, compared in ranks.items() if compared is not None}


def rank_lines(scored: Scored) -> Iterator[str]:
    """Yield a line for each judge that does not rank the first metric's first system first."""
    for ranks in rankings(scored, next(iter(scored.scores), "")):
        if not ranks.agrees:
            yield visible(ranks.line)
