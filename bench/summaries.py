"""How well does TESLA-S agree with people on summaries, and how fast is it?

Chinese and German summaries (`../shared/data/summ-zh` and `summ-de`, research use, not part of this
repository): 90 documents × 2 systems with marks for coverage and focus. Pearson's r over all
summaries; documents are drawn again 1,000 times for intervals, and for the share of the draws in
which TESLA-S has the higher r (as in the paper, section 3.3). ROUGE is rouge-score's on the same
tokens. Then segments a second against sacreBLEU's sentence chrF, from strings, one thread, on the
Chinese summaries and on the translations of `bench/data.py`.
"""

from __future__ import annotations

import csv
import statistics
from pathlib import Path
from typing import Any

import numpy as np
from data import FOLDER, Data, lines, load
from measure import Failed, in_turns, number_from_command_line, summary, table, target, write
from rouge_score import rouge_scorer
from sacrebleu.metrics import CHRF

import celab
from celab.metrics.factory import make_metric

ROUNDS = 10
DRAWS = 1000
CHECKED = 30  # segments of each system
JUDGED = {"coverage": "human-seg.tsv", "focus": "human-seg-focus.tsv"}


class Tokens:
    """The units of TESLA-S, for rouge-score."""

    def __init__(self, metric: celab.TeslaS) -> None:
        self.metric = metric

    def tokenize(self, text: str) -> list[str]:
        return [word.form for word in self.metric.explain("", text).ref_words]


class Rouge:
    """ROUGE-1, -2, -L (F1), and as in ROUGE-SU4 the recall of unigrams and skip bigrams."""

    def __init__(self, kind: str, units: celab.TeslaS) -> None:
        self.kind, self.units = kind, units
        if kind != "su4":
            self.scorer = rouge_scorer.RougeScorer([kind], tokenizer=Tokens(units))

    def scores(self, hyps: list[str], refs: list[str]) -> list[float]:
        return [self.score(hyp, ref) for hyp, ref in zip(hyps, refs, strict=True)]

    def score(self, hyp: str, ref: str) -> float:
        if self.kind != "su4":
            return float(self.scorer.score(ref, hyp)[self.kind].fmeasure)
        found = self.units.explain(hyp, ref).features
        return sum(one.total for one in found) / sum(one.ref_weight for one in found)


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    facts: dict[str, Any] = {}
    for lang in ("zh", "de"):
        folder = FOLDER.parent / f"summ-{lang}"
        if not folder.is_dir():
            print(f"{folder} is not there; agreement on it cannot be measured")
            continue
        facts[f"summ-{lang}"] = agreement(folder, metrics_for(lang))
    figures = {}
    chinese = FOLDER.parent / "summ-zh"
    sets = [load()]
    if chinese.is_dir():
        systems = {path.stem: lines(path) for path in sorted((chinese / "hyp").glob("*.txt"))}
        sets.append(Data("summ-zh", lines(chinese / "ref-A.txt"), systems))
    for data in sets:
        figures |= speed(data, rounds)
    write("summaries", ", ".join(data.origin for data in sets), figures, facts)


def metrics_for(lang: str) -> dict[str, Any]:
    """Return metrics by name; the first, TESLA-S with its defaults, is the baseline."""
    main_one = celab.TeslaS(lang=lang)
    plain = celab.TeslaS(lang=lang, discount=1.0)
    other = (
        {"TESLA-S, words": celab.TeslaS(lang=lang, unit="word")}
        if lang == "zh"
        else {"TESLA-S without discount": plain}
    )
    rouge = {
        f"ROUGE-{kind[5:].upper()} F1": Rouge(kind, plain)
        for kind in ("rouge1", "rouge2", "rougeL")
    }
    return {
        "TESLA-S": main_one,
        **other,
        **rouge,
        "ROUGE-SU4-like recall": Rouge("su4", plain),
        "chrF": make_metric("chrf", lang=lang),
        "TESLA-CELAB": celab.TeslaCelab(lang=lang),
    }


def agreement(folder: Path, metrics: dict[str, Any]) -> dict[str, Any]:
    """Prints r with its interval, and how often TESLA-S is above; returns the same."""
    refs = lines(folder / "ref-A.txt")
    systems = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    scores = {
        name: np.array([scores_of(metric, hyps, refs) for hyps in systems.values()])
        for name, metric in metrics.items()
    }
    draws = np.random.default_rng(2012).integers(len(refs), size=(DRAWS, len(refs)))
    draws = np.concatenate((np.arange(len(refs))[None], draws))  # the first: all documents
    found: dict[str, Any] = {name: {} for name in metrics}
    first = next(iter(metrics))
    for what, file in JUDGED.items():
        people = marks(folder / file, list(systems), len(refs))
        rs = {
            name: np.array([pearson(of[:, some], people[:, some]) for some in draws])
            for name, of in scores.items()
        }
        for name, r in rs.items():
            low, high = np.quantile(r[1:], (0.025, 0.975)).tolist()
            above = float((rs[first][1:] > r[1:]).mean())
            found[name][what] = {"r": float(r[0]), "low": low, "high": high, "below": above}
    print(f"\n{folder.name}: {len(refs)} documents × {len(systems)} systems\n")
    print(f"| | {' | '.join(f'{what} r (95%) | above' for what in JUDGED)} |")
    print("|---|" + "---|" * 2 * len(JUDGED))
    for name, by_mark in found.items():
        cells = [name]
        for one in by_mark.values():
            share = "" if name == first else f"{one['below']:.1%}"
            cells += [f"{one['r']:.3f} ({one['low']:.3f} to {one['high']:.3f})", share]
        print(f"| {' | '.join(cells)} |")
    return found


def scores_of(metric: Any, hyps: list[str], refs: list[str]) -> list[float]:
    if isinstance(metric, Rouge):
        return metric.scores(hyps, refs)
    found: list[float] = metric.corpus_score(hyps, [refs]).segments.scores.tolist()
    return found


def marks(path: Path, systems: list[str], n: int) -> np.ndarray:
    found = np.full((len(systems), n), np.nan)
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found[systems.index(row["system"]), int(row["segment"])] = float(row["score"])
    if np.isnan(found).any():
        raise SystemExit(f"{path} has no mark for some summaries")
    return found


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    return float(np.corrcoef(x.ravel(), y.ravel())[0, 1])


def speed(data: Data, rounds: int) -> dict[str, Any]:
    """Segments a second of TESLA-S and of sacreBLEU's sentence chrF."""
    one, two = celab.TeslaS(lang="zh"), celab.TeslaS(lang="zh", jobs=2)
    scores = {name: one.corpus_score(hyps, [data.refs]) for name, hyps in data.systems.items()}
    judge = celab.TeslaS(lang="zh", solver="check")  # raises SolverError if the two differ
    draw = np.random.default_rng(7)
    for name, hyps in data.systems.items():
        chosen = draw.permutation(len(hyps))[:CHECKED].tolist()
        found = judge.corpus_score([hyps[i] for i in chosen], [[data.refs[i] for i in chosen]])
        if not np.array_equal(found.segments.figures, scores[name].segments.figures[chosen]):
            raise Failed(f"{name}: the checked scores are not those of the timed runs")
    names, chrf = list(data.systems), CHRF()

    def again(metric: celab.TeslaS) -> None:
        for name, hyps in data.systems.items():
            if metric.corpus_score(hyps, [data.refs]) != scores[name]:
                raise Failed("the scores are not bit-equal from run to run, or with two threads")

    def by_chrf(turn: int) -> None:
        for hyp, ref in zip(data.systems[names[turn % len(names)]], data.refs, strict=True):
            chrf.sentence_score(hyp, [ref])

    seconds = in_turns(
        {"TESLA-S": lambda _: again(one), "TESLA-S, 2 jobs": lambda _: again(two), "chrF": by_chrf},
        rounds,
    )
    counts = dict.fromkeys(seconds, data.n_pairs) | {"chrF": len(data.refs)}
    rates = {name: [counts[name] / t for t in times] for name, times in seconds.items()}
    ratios = {
        name: [a / b for a, b in zip(rate, rates["chrF"], strict=True)]
        for name, rate in rates.items()
    }
    print(f"\n{data.origin}: segments a second, medians of {rounds} rounds\n")
    table(
        ["", "segments/s", "times chrF", "lowest", "highest"],
        [
            [
                name,
                f"{statistics.median(rate):,.0f}",
                f"{statistics.median(ratios[name]):.2f}",
                f"{min(ratios[name]):.2f}",
                f"{max(ratios[name]):.2f}",
            ]
            for name, rate in rates.items()
        ],
    )
    target(f"{data.origin}: at least chrF's speed", statistics.median(ratios["TESLA-S"]) >= 1)
    return {f"{data.origin}, {name}": summary(of, "times chrF") for name, of in ratios.items()}


if __name__ == "__main__":
    main()
