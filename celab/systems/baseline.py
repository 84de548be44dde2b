"""A baseline: JSON of `celab score --json --segments` → the scores of the system in it.

It has only the scores of segments, so that it can be stored where texts must not be. A new system
is compared with it if it has the same references and is scored with the same settings.

`not_worse` and `not_under` return gates for CI.

The first metric decides. The gate fails if the new score has declined significantly (p < 0.05) or,
with a margin, by more than the margin, regardless of p. With fewer than 20 segments no difference
is significant, so that only a margin can decide.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from celab.base import io
from celab.base.arguments import check_number
from celab.base.errors import InputError, OptionError, Setting
from celab.base.signature import Signature
from celab.corpus.model import Corpus, SegmentName
from celab.findings.finding import Finding, Gate
from celab.findings.translations import CHECKS
from celab.metrics.judge_score import JudgeScore
from celab.metrics.scores import Score, Segments
from celab.statistics.difference import NO_VERDICT
from celab.statistics.documents import SIGNATURE_KEY
from celab.statistics.resampling import mean
from celab.systems import stored
from celab.systems.campaign import Campaign
from celab.systems.pair import PairComparison, compare_pair
from celab.systems.results import Scored
from celab.systems.stored import StoredSystem
from celab.tables import cells
from celab.tables.cells import quantity

EXPECTED = stored.EXPECTED
ABSENT = "(not in the baseline)"  # shown instead of the baseline's output, which is not stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """The scores of one system, from a file.

    Attributes:
        file: name of the file, for messages.
        version: the version of celab that wrote it.
        test_set: digest of the references, as `Score.test_set`.
        system: the name of the system.
        scores: score of the system by each metric, with its segments.
        kinds: kind → names of the segments whose outputs may not be translations; None if the
            outputs were not checked.
    """

    file: str
    version: str
    test_set: str
    system: str
    scores: dict[str, Score]
    kinds: dict[str, list[SegmentName]] | None

    @classmethod
    def read(cls, path: io.AnyPath) -> Baseline:
        """Read a baseline, and check it; `InputError` if it is not one."""
        file = io.display_name(path)
        data = stored.read(path, f"a baseline is {EXPECTED}")
        systems = stored.systems_of(data)
        if len(systems) > 1:
            names = ", ".join(system.name for system in systems)
            raise InputError(
                f"it has {len(systems)} systems ({names}); a baseline has one", place=file
            )
        (system,) = systems
        judges = {row["metric"] for row in data.get("judge", ())}
        scores = {
            metric: _score(system, metric, file) for metric in system.scores if metric not in judges
        }
        if not scores:
            raise InputError("it has no metrics", hint=f"a baseline is {EXPECTED}", place=file)
        n_segments = len(next(iter(scores.values())).segments)
        for judge in system.scores:
            if judge in judges:
                scores[judge] = _judge_score(system, judge, n_segments)
        if len({len(score.segments) for score in scores.values()}) != 1:
            raise InputError("its metrics have different numbers of segments", place=file)
        rows = next(iter(system.segments.values()), [])
        known = {row["segment"] for row in rows}
        for kind, segments in (system.kinds or {}).items():
            if kind not in CHECKS:
                raise InputError(
                    f"its outputs have the unknown kind {kind!r}", hint="make it anew", place=file
                )
            if not known.issuperset(segments):
                raise _wrong_kind(kind, n_segments, file)
        return cls(
            file=file,
            version=data["celab_version"],
            test_set=data["test_set"],
            system=system.name,
            scores=scores,
            kinds=system.kinds,
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics, without other judges."""
        return tuple(k for k, score in self.scores.items() if not isinstance(score, JudgeScore))

    def check_score(self, metric: str, score: Score) -> None:
        """Raise `InputError` unless a score can be compared with that of the baseline."""
        if score.aggregate is not mean:  # scores of other judges always are means
            raise InputError(
                f"a baseline cannot include {score.name}, which is not a mean over segments",
                hint="choose other metrics",
                place=self.file,
            )
        old = self.scores.get(metric)
        if old is None:
            raise InputError(
                f"it has no scores by {metric}, only by {', '.join(self.scores)}",
                hint="create a new baseline, or choose other metrics",
                place=self.file,
            )
        if isinstance(old, JudgeScore) and isinstance(score, JudgeScore):
            # Scores of other judges come from a file of their own, and do not depend on references.
            return
        if self.test_set != score.test_set or len(old.segments) != len(score.segments):
            raise InputError(
                f"the baseline has other references (digest {self.test_set},"
                f" {quantity(len(old.segments))}) than this run ({score.test_set},"
                f" {quantity(len(score.segments))})",
                hint="create a new baseline",
                place=self.file,
            )
        # Parts of the signature that describe the scores, not the settings.
        of_scores = "skipped", SIGNATURE_KEY
        if difference := old.signature.without(*of_scores).difference(
            score.signature.without(*of_scores)
        ):
            raise InputError(
                f"settings differ: {' in the baseline, '.join(difference)} now",
                hint="create a new baseline, or use its settings",
                place=self.file,
            )

    def compare(self, scored: Campaign, **settings: Any) -> PairComparison:
        """Compare the baseline, which is the first system, with the only system of a campaign.

        Parameters:
            scored: a campaign of one system, with scores.
            settings: documents, test, n_resamples, seed, resample_by, most_different, as in
                `celab.compare`.
        """
        new = scored.corpus.hyp_name
        name = self.system if self.system != new else f"{self.system} (baseline)"
        scores = {}
        for metric, by_system in scored.scores.items():
            self.check_score(metric, by_system[new])
            score, before = by_system[new], self.scores[metric]
            if isinstance(score, JudgeScore):
                # Fields that the baseline file lacks are copied from the new score.
                shared = ("signature", "n_references", "higher_is_better")
                before = replace(before, **{key: getattr(score, key) for key in shared})
            scores[metric] = (before, score)
        n = len(scored.corpus.segments)
        corpus = replace(
            scored.corpus, systems={name: [ABSENT] * n, new: scored.corpus.systems[new]}
        )
        outputs = None
        if scored.outputs is not None and self.kinds is not None:
            old = [
                Finding(name, self._place_of(segment, kind, corpus), "outputs", kind, text=ABSENT)
                for kind, segments in self.kinds.items()
                for segment in segments
            ]
            new_rows = scored.outputs.table.rows
            rows = (*sorted(old, key=lambda row: row.segment or 0), *new_rows)
            table = replace(scored.outputs.table, rows=rows, systems=(name, new))
            outputs = replace(scored.outputs, table=table)
        # The baseline stores no other findings.
        findings = None if outputs is None else outputs.flagged
        return compare_pair(
            scores,
            corpus,
            (name, new),
            outputs=outputs,
            spans=scored.spans,
            findings=findings,
            **settings,
        )

    def _place_of(self, segment: SegmentName, kind: str, corpus: Corpus) -> int:
        place = corpus.place_of(str(segment))
        if place is None:
            raise _wrong_kind(kind, len(corpus.segments), self.file)
        return place


def _score(system: StoredSystem, metric: str, file: str) -> Score:
    values = system.scores[metric]
    signature = Signature.of(values["signature"])
    if not stored.is_mean(signature):
        raise InputError(
            f"a baseline cannot include {metric}, which is not a mean over segments",
            hint="create it with other metrics",
            place=file,
        )
    rows = system.segments.get(metric)
    if rows is None:
        raise InputError("it has no segments", hint=f"a baseline is {EXPECTED}", place=file)
    has_rates = any(row.get(rate) is not None for row in rows for rate in stored.FIGURES[1:])
    names = stored.FIGURES if has_rates else stored.FIGURES[:1]
    for row in rows:
        known = [name for name in names if row.get(name) is not None]
        if known not in ([], [*names]):
            raise InputError(
                f"segment {row['segment']} by {metric} has {', '.join(known)}; all must have score,"
                " or all score, precision and recall",
                hint="make it anew",
                place=file,
            )
    figures = np.array(
        [[np.nan if row.get(name) is None else row[name] for name in names] for row in rows],
        np.float64,
    )
    scored = ~np.isnan(figures[:, 0])
    combine = "mean" if len(names) > 1 else "all"
    segments = Segments(figures[None], combine, scored=scored)
    plain = signature.without("refs", "skipped", SIGNATURE_KEY)
    score = Score.of(segments, plain, int(signature.part("refs") or 0))
    if score.signature != signature.without(SIGNATURE_KEY) or score.score != values["score"]:
        raise InputError(
            f"its score by {metric} is not the mean of its segments",
            hint="make it anew",
            place=file,
        )
    return score


def _judge_score(system: StoredSystem, judge: str, n_segments: int) -> JudgeScore:
    """Return the score by another judge, who may have scored whole systems only."""
    rows = system.segments.get(judge)
    scores = [None] * n_segments if rows is None else [row["score"] for row in rows]
    segments = np.array([np.nan if score is None else score for score in scores], np.float64)
    score = system.scores[judge]["score"] if rows is None else None
    return JudgeScore.make(judge, "", segments, system=score)


def _wrong_kind(kind: str, n_segments: int, file: str) -> InputError:
    return InputError(
        f"its outputs of the kind {kind!r} name segments that are not among the {n_segments}",
        hint="make it anew",
        place=file,
    )


__all__ = ["Gate", "not_under", "not_worse"]


def not_worse(compared: PairComparison, *, margin: float | None = None) -> Gate:
    """Return the gate of a comparison of an old and a new system, which fails if scores declined.

    Parameters:
        compared: the comparison; its first system is the old one.
        margin: greatest non-significant loss that passes (default: all pass).

    >>> import celab
    >>> compared = celab.compare(["买雨伞"], ["买"], ["买雨伞"], "celab", names=("old", "new"))
    >>> not_worse(compared, margin=0.01).reason
    'new scores 0.2000 by TESLA-CELAB, 0.8000 lower than old (1.0000), which is more than ...'
    """
    if margin is not None:
        check_number("margin", margin, least=0.0)
    metric, figures = next(iter(compared.metrics.items()))
    difference = figures.difference
    if margin is None and difference.too_few:
        raise InputError(
            f"{NO_VERDICT}: there {'is' if difference.n_segments == 1 else 'are'} only"
            f" {difference.n_segments}",
            hint=("give more segments, or ", Setting("margin")),
        )
    old, new = compared.names
    loss = difference.value if difference.higher_is_better else -difference.value
    p, n = f"p {difference.p_text}", figures.digits
    amount, before, after = (cells.score(x, n) for x in (abs(loss), difference.a, difference.b))
    way = "lower" if (loss > 0) == difference.higher_is_better else "higher"
    reason = f"{new} scores {after} by {figures.name}, {amount} {way} than {old} ({before})"
    significant = difference.significant
    if loss > 0 and significant:
        return Gate(True, f"{reason}, which is significant ({p})", metric, True)
    if margin is not None and loss > margin:
        reason += f", which is more than the margin {margin:g} ({p})"
        return Gate(True, reason, metric, significant)
    verdict = f"not significant ({p})" if loss > 0 else f"not a loss ({p})"
    return Gate(False, f"{reason}, which is {verdict}", metric, significant)


def not_under(scored: Scored, least: float) -> Gate:
    """Return the gate that fails if a system's score by the first metric is below `least`."""
    check_number("fail_under", least)
    metric, by_system = next(iter(scored.scores.items()))
    score = next(iter(by_system.values()))
    if not score.higher_is_better:
        raise OptionError(
            "fail_under", least, f"lower is better by {score.name}; choose another first metric"
        )
    low = {name: score for name, score in by_system.items() if score.score < least}
    figures = ", ".join(
        f"{name} {cells.score(score.score, score.digits)}"
        for name, score in (low or by_system).items()
    )
    relation = "less than" if low else "not less than"
    return Gate(bool(low), f"{score.name} is {relation} {least:g}: {figures}", metric, None)
