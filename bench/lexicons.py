"""Which lexicon agrees best with people, for Chinese, and is the difference more than chance?

Each lexicon scores the three human-judged sets of the data folder; without them there is nothing
to do. All are compared with Cilin on the same resamples of the segments: the error of a difference
is much less than that of either figure. The tables go to docs/agreement.md, between marks.
"""

from __future__ import annotations

import textwrap
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from data import data_folder, lines
from measure import (
    HERE,
    Failed,
    markdown,
    number_from_command_line,
    summary,
    table,
    versions,
    write,
    write_between,
)
from scipy import stats

import celab
from celab.errors import LexiconError

SHARED = HERE.parents[1] / "shared"
DATA = data_folder()
RESAMPLES = 1000
SEED = 2012
BEYOND = 2.0  # standard errors of a difference
SAME = 1e-9  # scores no further apart are one score
BASE = "cilin"
PAGE = HERE.parent / "docs" / "agreement.md"
SETS = ("wmt24-enzh-esa", "wmt21-enzh-sys", "mlqe20-enzh-da-dev")

LEXICONS = SHARED / "lexicons"
SINGLE: dict[str, Any] = {
    "cow": LEXICONS / "wn-data-cmn.tab",
    "cwn": LEXICONS / "wn-data-qcn.tab",
    "wiktionary": LEXICONS / "wn-wikt-cmn.tab",
    "cedict": "cedict",
    "zh-core": "zh-core",
}
COMBINED = (("cilin", "wiktionary"), ("cilin", "zh-core"))
WHAT = {
    "none": "no lexicon",
    "cilin": "all lines of Cilin, the default",
    "cilin =": "only its lines of synonyms, marked `=`",
    "cow": "Chinese Open Wordnet, `wn-data-cmn.tab`",
    "cwn": "Chinese Wordnet, `wn-data-qcn.tab`, Traditional",
    "wiktionary": "`wn-wikt-cmn.tab`: Wiktionary's translations on wordnet's synsets",
    "cedict": "CC-CEDICT: entries that share a gloss",
    "zh-core": "our own",
}


def main() -> None:
    resamples = number_from_command_line("resamples", RESAMPLES, __doc__)
    found = [name for name in SETS if (DATA / name).is_dir()]
    for name in SETS:
        if name not in found:
            print(f"{name} is not in {DATA}; left out")
    if not found:
        print("none of the human-judged sets is there, so there is nothing to measure")
        return
    sets = [HumanSet.read(DATA / name, resamples) for name in found]
    scored, skipped = score_all(sets)
    if BASE not in scored:
        print(f"{BASE} is not there, so there is nothing to compare with")
        return
    for one in sets:
        one.measure(scored)
        print(f"\n{one.title}\n")
        table(*one.rows())
    tally, verdict = judge(sets, scored)
    print("\n".join(tally), verdict, sep="\n\n")
    write_between("lexicons", section(sets, scored, skipped, tally, verdict, resamples), PAGE)
    write(
        "lexicons",
        ", ".join(found),
        {f"scoring, {name}": summary([one.seconds], "s") for name, one in scored.items()},
        {
            "resamples": resamples,
            "scipy": scipy.__version__,
            "signatures": {name: one.signature for name, one in scored.items()},
            "groups": {name: one.n_groups for name, one in scored.items()},
            "not scored": skipped,
            "sets": {one.name: one.found for one in sets},
            "beyond the errors": tally,
            "verdict": verdict,
        },
    )


@dataclass(slots=True)
class Scored:
    """All sets with one lexicon: a matrix each, a row a system, a column a segment."""

    signature: str
    n_groups: int
    seconds: float
    scores: dict[str, np.ndarray]


@dataclass(slots=True)
class HumanSet:
    """Systems, segments, and what people thought of them."""

    name: str
    refs: list[list[str]]
    systems: dict[str, list[str]]
    human_system: np.ndarray | None  # one number a system
    human_segment: np.ndarray | None  # a row a system, a column a segment
    draws: np.ndarray  # a row a resample, of segment numbers; the first row is the set itself
    found: dict[str, dict[str, Any]] = field(default_factory=dict)  # by lexicon, by figure

    @classmethod
    def read(cls, folder: Path, resamples: int) -> HumanSet:
        systems = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
        refs = [lines(path) for path in sorted(folder.glob("ref-*.txt"))]
        n = len(refs[0])
        if {len(side) for side in (*refs, *systems.values())} != {n}:
            raise Failed(f"{folder.name}: the files differ in their numbers of lines")
        by_system = by_segment = None
        if (folder / "human-sys.tsv").is_file() and len(systems) > 1:
            rows = {row[0]: float(row[1]) for row in cells(folder / "human-sys.tsv")}
            by_system = np.array([rows[name] for name in systems])
        if (folder / "human-seg.tsv").is_file():
            by_segment = np.full((len(systems), n), np.nan)
            number = {name: i for i, name in enumerate(systems)}
            for system, segment, score, *_ in cells(folder / "human-seg.tsv"):
                by_segment[number[system], int(segment)] = float(score)
            if np.isnan(by_segment).any():
                raise Failed(f"{folder.name}: not every segment is judged")
        drawn = np.random.default_rng(SEED).integers(n, size=(resamples, n))
        return cls(
            folder.name, refs, systems, by_system, by_segment, np.vstack((np.arange(n), drawn))
        )

    @property
    def title(self) -> str:
        n = len(self.refs[0])
        return (
            f"{self.name}: {len(self.systems)} system{'s' * (len(self.systems) > 1)} × {n}"
            f" segments, {len(self.refs)} reference{'s' * (len(self.refs) > 1)}"
        )

    def measure(self, scored: dict[str, Scored]) -> None:
        """Fills `found`: each figure, its error, and both of its difference from Cilin's."""
        weights = counts(self.draws)
        values = {
            name: self.figures(one.scores[self.name], weights) for name, one in scored.items()
        }
        none = scored["none"].scores[self.name]
        for name, one in scored.items():
            self.found[name] = {}
            for figure, resampled in values[name].items():
                difference = resampled - values[BASE][figure]
                self.found[name][figure] = {
                    "value": float(resampled[0]),
                    "error": float(resampled[1:].std(ddof=1)),
                    "difference": float(difference[0]),
                    "error of the difference": float(difference[1:].std(ddof=1)),
                }
            changed = np.abs(one.scores[self.name] - none) > SAME
            self.found[name]["changed"] = float(changed.mean())
            self.check(one.scores[self.name], self.found[name])

    def figures(self, scores: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
        """By name, one number for each row of draws."""
        if len(self.systems) == 1:
            return self._across_segments(scores[0], weights)
        n = scores.shape[1]
        of_metric = weights @ scores.T / n
        # Where the judgments of segments are not known, people's scores are taken as given.
        if self.human_segment is not None:
            of_people = weights @ self.human_segment.T / n
        else:
            of_people = np.broadcast_to(self.human_system, of_metric.shape)
        found = {
            "Pearson": pearson(of_metric, of_people),
            "Spearman": pearson(ranks(of_metric), ranks(of_people)),
        }
        if self.human_segment is not None:
            right, counted = ordered_pairs(scores, self.human_segment)
            found["consistency"] = (weights @ right) / (weights @ counted)
        return found

    def _across_segments(self, scores: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
        people = self.human_segment[0]
        x, y = scores[self.draws], people[self.draws]
        return {
            "Pearson": pearson(x, y),
            "Spearman": pearson(ranks(x), ranks(y)),
            "Kendall": kendall(scores, people, weights),
        }

    def check(self, scores: np.ndarray, found: dict[str, Any]) -> None:
        """The figures of the set itself again, by scipy and by plain loops."""
        if len(self.systems) == 1:
            pair = scores[0].round(12), self.human_segment[0]
        elif self.human_segment is not None:
            pair = scores.mean(axis=1), self.human_segment.mean(axis=1)
            if np.abs(pair[1] - self.human_system).max() > 1e-3:
                raise Failed(f"{self.name}: human-sys.tsv is not the mean of human-seg.tsv")
        else:
            pair = scores.mean(axis=1), self.human_system
        again = {
            "Pearson": stats.pearsonr(*pair).statistic,
            "Spearman": stats.spearmanr(*pair).statistic,
            "Kendall": stats.kendalltau(*pair).statistic,
        }
        if "consistency" in found:
            right = counted = 0
            for metric, people in zip(
                scores.T.tolist(), self.human_segment.T.tolist(), strict=True
            ):
                for i in range(len(people)):
                    for j in range(i):
                        counted += people[i] != people[j]
                        apart = metric[i] - metric[j]
                        right += abs(apart) > SAME and apart * (people[i] - people[j]) > 0
            again["consistency"] = right / counted
        for figure in found.keys() & again.keys():
            if abs(found[figure]["value"] - again[figure]) > 1e-9:
                raise Failed(f"{self.name}: {figure} is {found[figure]['value']}, {again[figure]}")

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Headings, and a row a lexicon. What is beyond the errors has a mark."""
        names = [name for name in next(iter(self.found.values())) if name != "changed"]
        headings = ["", *(h for name in names for h in (name, f"− {BASE}'s")), "changed"]
        rows = []
        for lexicon, found in self.found.items():
            row = [lexicon]
            for name in names:
                one = found[name]
                row.append(f"{one['value']:.3f} ± {one['error']:.3f}")
                apart = round(one["difference"], 4) + 0.0  # no -0
                apart = f"{apart:+.4f} ± {one['error of the difference']:.4f}"
                row.append("" if lexicon == BASE else apart + " *" * (beyond(one) != 0))
            rows.append([*row, f"{found['changed']:.1%}"])
        return headings, rows


def score_all(sets: Sequence[HumanSet]) -> tuple[dict[str, Scored], dict[str, str]]:
    """The lexicons that can be had, and why the others cannot."""
    wanted: dict[str, tuple[Any, dict[str, str]]] = {
        "none": (None, {}),
        "cilin": ("cilin", {}),
        "cilin =": ("cilin", {"cilin_lines": "="}),
    }
    wanted |= {name: (spec, {}) for name, spec in SINGLE.items()}
    scored: dict[str, Scored] = {}
    skipped: dict[str, str] = {}
    for name, (spec, options) in wanted.items():
        try_one(name, spec, options, sets, scored, skipped)
    specs = {"cilin": "cilin", **SINGLE}
    for names in COMBINED:
        missing = [name for name in names if name not in scored]
        if missing:
            skipped[" + ".join(names)] = f"{missing[0]} is not there"
        else:
            try_one(" + ".join(names), [specs[n] for n in names], {}, sets, scored, skipped)
    everything = [name for name in specs if name in scored]
    if len(everything) > 1:
        try_one("all", [specs[name] for name in everything], {}, sets, scored, skipped)
    for name, why in skipped.items():
        print(f"{name} is left out: {why}")
    return scored, skipped


def try_one(
    name: str,
    spec: Any,
    options: dict[str, str],
    sets: Sequence[HumanSet],
    scored: dict[str, Scored],
    skipped: dict[str, str],
) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # another lexicon would stand in for this one
            metric = celab.TeslaCelab(lexicon=spec, **options)
    except (LexiconError, UserWarning) as error:
        skipped[name] = str(error).replace(f"{SHARED.parent}/", "../")
        return
    began = time.perf_counter()
    scores = {
        one.name: np.array(
            [
                metric.corpus_score(hyps, one.refs).segments.figures[:, 0]
                for hyps in one.systems.values()
            ]
        )
        for one in sets
    }
    seconds = time.perf_counter() - began
    if "none" in scored:  # a synonym only adds links, and these never lower an optimum
        for one in sets:
            least = (scores[one.name] - scored["none"].scores[one.name]).min()
            if least < -SAME:
                raise Failed(f"{name}: a score of {one.name} is {-least} lower than without it")
    n_groups = metric.engine.lexicon.n_groups if metric.engine.lexicon else 0
    scored[name] = Scored(metric.signature, n_groups, seconds, scores)
    print(f"{name}: {n_groups:,} groups, scored in {seconds:.1f} s", flush=True)


def judge(sets: Sequence[HumanSet], scored: dict[str, Scored]) -> tuple[list[str], str]:
    """What is beyond the errors, and which lexicon, if any, should be the default.

    A lexicon wins a set if it is better than Cilin in at least one figure and worse in none, always
    beyond the errors. A lexicon that fails this rule would fail any stricter one.
    """
    won, tally = [], []
    for name in scored:
        signs = [[beyond(f) for k, f in one.found[name].items() if k != "changed"] for one in sets]
        if all(max(some) > 0 and min(some) >= 0 for some in signs):
            won.append(name)
        flat = [sign for some in signs for sign in some]
        if any(flat):
            better, worse = flat.count(1), flat.count(-1)
            tally.append(
                f"{name}: {better} of {len(flat)} figures better than Cilin's, {worse} worse"
            )
    if len(sets) < len(SETS):
        return tally, "Not all three sets are there, so nothing is decided."
    if won:
        return tally, f"Better than Cilin on all three sets, beyond the errors: {', '.join(won)}."
    return tally, (
        "No lexicon is better than Cilin on all three sets beyond the errors:"
        " Cilin stays the default."
    )


def beyond(figure: dict[str, float]) -> int:
    """1 or -1 if a difference is more than its error can explain, else 0."""
    error = BEYOND * figure["error of the difference"]
    difference = figure["difference"]
    return int(difference > error + SAME) - int(difference < -error - SAME)


def counts(draws: np.ndarray) -> np.ndarray:
    """How often each resample has each segment."""
    n_rows, n = draws.shape
    flat = draws + n * np.arange(n_rows)[:, None]
    return np.bincount(flat.ravel(), minlength=n_rows * n).reshape(n_rows, n).astype(float)


def pearson(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Row by row."""
    x = x - x.mean(axis=1, keepdims=True)
    y = y - y.mean(axis=1, keepdims=True)
    return (x * y).sum(axis=1) / np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))


def ranks(x: np.ndarray) -> np.ndarray:
    """Row by row; scores that only rounding tells apart are ties."""
    return stats.rankdata(x.round(12), axis=1)


def kendall(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Tau-b of each resample, by sums over all pairs of segments, each as often as it was drawn.

    With A and B the signs of the differences, w' (A ∘ B) w is agreements minus disagreements, and
    w' A² w and w' B² w are the pairs that either side tells apart.
    """
    x = x.round(12)
    a, b = np.sign(x[:, None] - x), np.sign(y[:, None] - y)

    def over_pairs(matrix: np.ndarray) -> np.ndarray:
        return ((weights @ matrix) * weights).sum(axis=1)

    return over_pairs(a * b) / np.sqrt(over_pairs(a * a) * over_pairs(b * b))


def ordered_pairs(scores: np.ndarray, human: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each segment: pairs of systems ordered as by people, and pairs that people tell apart."""
    i, j = np.triu_indices(len(scores), 1)
    apart = scores[i] - scores[j]
    metric = np.where(np.abs(apart) > SAME, np.sign(apart), 0.0)
    people = np.sign(human[i] - human[j])
    return (metric * people > 0).sum(axis=0).astype(float), (people != 0).sum(axis=0).astype(float)


ABOUT = """
Correlation of TESLA-CELAB with human judgments, by lexicon. Pearson, Spearman and Kendall are
computed on the scores of systems or, if there is only one system, of segments. Consistency is the
share of pairs of translations of one segment, without human ties, that the metric orders as people
do; a tie of the metric counts as wrong. Changed is the share of segments whose score differs from
that without a lexicon. ± is the bootstrap standard error over {resamples:,} resamples of the
segments, the same for all lexicons. Systems are fixed, and so are human scores of systems if there
are none of segments (WMT21). `*` marks a difference from Cilin of more than {beyond:g} standard
errors; without any true difference, one in twenty would be marked. A lexicon wins a set if it is
better than Cilin by that much in at least one figure, and worse in none.
"""


def section(
    sets: Sequence[HumanSet],
    scored: dict[str, Scored],
    skipped: dict[str, str],
    tally: list[str],
    verdict: str,
    resamples: int,
) -> list[str]:
    used = versions()
    packages = ", ".join(f"{name} {used[name]}" for name in ("celab", "opencc", "numpy"))
    about = " ".join(ABOUT.split()).format(resamples=resamples, beyond=BEYOND)
    everything = " + ".join(name for name in ("cilin", *SINGLE) if name in scored)
    what = WHAT | {"all": everything}
    rows = [[name, what.get(name, ""), f"{one.n_groups:,}"] for name, one in scored.items()]
    text = [
        f"{time.strftime('%Y-%m-%d')}; {packages}, scipy {scipy.__version__}; by"
        " `python bench/lexicons.py`.",
        "",
        *textwrap.wrap(about, 104, break_on_hyphens=False),
        "",
        *markdown(["lexicon", "what it is", "groups"], rows, left=2),
        "",
    ]
    for one in sets:
        starred = [line.replace(" *", " \\*") for line in markdown(*one.rows())]
        text += [f"**{one.title}**", "", *starred, ""]
    text += ["Beyond the errors:", "", *(f"- {line}" for line in tally), ""] if tally else []
    text += [f"**{verdict}**", ""]
    if skipped:
        text += ["Not scored:", "", *(f"- {name}: {why}" for name, why in skipped.items()), ""]
    return text[:-1]


def cells(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in lines(path)[1:]]


if __name__ == "__main__":
    main()
