"""Results of meta-evaluation: how far metrics agree with people on one data set."""

from __future__ import annotations

from dataclasses import field

from celab.base.dicts import JsonObject
from celab.base.frozen import dataclass
from celab.base.result import DataFrame, Level, Result, plain
from celab.base.signature import Signature
from celab.base.view.frames import check_level
from celab.base.view.tables import NORMAL, View, ViewOptions
from celab.evaluation.meta.dataset import Dataset, HumanJudgments
from celab.evaluation.meta.figures import Figure
from celab.evaluation.meta.scores import MetricScores


@dataclass(frozen=True, slots=True)
class MetricAgreement:
    """Agreement of a metric with people: all of `FIGURES`, by name."""

    signature: Signature
    scores: dict[str, float]  # of all systems, in the metric's own units
    higher_is_better: bool
    figures: dict[str, Figure]
    clusters: dict[str, int]  # by figure, for the figures of `COMPARED` tested; 1 is the best
    epsilon: float | None  # tie threshold of acc_eq
    errors: dict[str, float]  # standard errors of the scores of systems with human scores


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """Agreement of all metrics with people, on one data set."""

    dataset: Dataset = field(repr=False)
    people: HumanJudgments = field(repr=False)  # judgments of the segments kept
    n_segments: int  # number of segments that the figures are computed on
    n_skipped: int  # number of segments left out because a score was not proved
    human: dict[str, float]  # human scores, by system; systems without one are left out
    n_pairs: int  # number of pairs of translations that the judges do not tie
    metrics: dict[str, MetricAgreement]
    base: str
    n_resamples: int
    seed: int
    p_between: dict[str, dict[str, dict[str, float]]]  # figure → metric → worse metric → p
    human_errors: dict[str, float]  # standard errors of `human`, if it is resampled
    groups: dict[str, Evaluation] = field(default_factory=dict, repr=False)  # by domain or document
    # Scores by the metrics computed here, for all systems if `every_system` was set.
    computed: tuple[MetricScores, ...] = field(default=(), repr=False, compare=False)

    def to_dataframe(self, library: str | None = None, *, level: Level = "system") -> DataFrame:
        """Return a data frame with a row per metric and figure: metric, figure, value, error.

        Parameters:
            library: "pandas" or "polars" (default: the one that is installed, pandas first).
            level: "system" or "segment": which figures.
        """
        from celab.evaluation.meta.record import RECORD, record_rows

        check_level(level)
        rows = [row for row in record_rows(self) if row.level == level]
        return RECORD.frame(rows, ("metric", "figure", "value", "error"), library)

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the figures of the paper's tables, then others."""
        from celab.evaluation.meta.view import view_of

        return view_of(self, options)

    def to_dict(self) -> JsonObject:
        """Return the content of `--json`."""
        from celab.evaluation.meta.view import as_dict

        return dict(plain(as_dict(self)))

    def __repr__(self) -> str:
        return (
            f"<Evaluation of {', '.join(self.metrics)} on {self.dataset.name}:"
            f" {len(self.human)} systems, {self.n_segments} segments>"
        )
