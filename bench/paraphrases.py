"""How well do PEM's figures agree with people on Chinese paraphrases?

BQ-Para (`../shared/data/para-bq`, from ParaScore; texts for research use, not part of this
repository): sources with about ten candidates each and a human score from 0 to 1. Pearson's r and
Spearman's ρ over all candidates, and the share of pairs of candidates of one source that are in
the order of people, ties of the metric half right. Regressions are trained and tested by source in
five folds. The pivot table is CC-CEDICT's. With --lm FILE (ARPA, by characters), also fluency.
The table is for bench/agreement.md, in Markdown.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
from data import FOLDER
from measure import Failed, write
from scipy.stats import pearsonr, spearmanr

import celab
from celab.metrics.factory import make_metric
from celab.trained.regression import Regression

PAIRS = FOLDER.parent / "para-bq" / "pairs.tsv"
FOLDS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lm", help="language model in ARPA format, by characters")
    lm = parser.parse_args().lm
    if not PAIRS.is_file():
        raise Failed(f"{PAIRS} is not there")
    with PAIRS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    sources, candidates = ([row[name] for row in rows] for name in ("source", "candidate"))
    people = np.array([float(row["score"]) for row in rows])
    group = np.unique(sources, return_inverse=True)[1]

    found = celab.Pem(lm=lm).scores(sources, candidates)
    with tempfile.TemporaryDirectory() as name:
        table = celab.pivot.build("cedict", Path(name, "t.pivot"), lang="zh", pivot_lang="en")
        pivot = celab.Pem(pivot=table).scores(sources, candidates).meaning
    paper = celab.TeslaCelab(f=1.0).corpus_score(candidates, [sources]).segments.scores
    without = celab.TeslaCelab(lexicon=None, f=1.0)
    without = without.corpus_score(candidates, [sources]).segments.scores
    chrf = make_metric("chrf").corpus_score(candidates, [sources]).segments.scores
    columns = {
        "meaning: TESLA-CELAB, recommended settings, f = 1": found.meaning,
        "meaning: TESLA-CELAB, Cilin, f = 1": paper,
        "meaning: TESLA-CELAB without synonyms, f = 1": without,
        "meaning: pivot F1, CC-CEDICT": pivot,
        "1 − difference (target F1, characters)": 1 - found.difference,
        "chrF": chrf,
    }
    rest = [found.difference]
    if found.fluency is not None:
        columns["fluency"] = found.fluency
        rest.append(found.fluency)
    what = "difference" + " + fluency" * (len(rest) > 1)
    for called, meaning in (("TESLA-CELAB", found.meaning), ("pivot F1", pivot)):
        values = np.stack([meaning, *rest], axis=1)
        columns[f"regression: {called} + {what}"] = held_out(values, people, group)
    figures = {name: agreement(column, people, group) for name, column in columns.items()}
    print(f"{len(rows):,} candidates of {group.max() + 1} sources\n")
    print("| | r | ρ | within a source |\n|---|---|---|---|")
    for name, (r, rho, within) in figures.items():
        print(f"| {name} | {r:.3f} | {rho:.3f} | {within:.3f} |")
    write("paraphrases", "BQ-Para in ../shared/data", {}, {"agreement": figures})


def held_out(values: np.ndarray, people: np.ndarray, group: np.ndarray) -> np.ndarray:
    fold = np.random.default_rng(1).permutation(group.max() + 1)[group] % FOLDS
    scores = np.empty(len(people))
    for k in range(FOLDS):
        trained = Regression.fit(values[fold != k], people[fold != k])
        scores[fold == k] = trained.predict(values[fold == k])
    return scores


def agreement(
    scores: np.ndarray, people: np.ndarray, group: np.ndarray
) -> tuple[float, float, float]:
    right: list[float] = []
    for number in range(group.max() + 1):
        for i, j in combinations(np.flatnonzero(group == number), 2):
            if people[i] != people[j]:
                ahead = (scores[i] - scores[j]) * (people[i] - people[j])
                right.append(0.5 if abs(scores[i] - scores[j]) < 1e-9 else float(ahead > 0))
    return (
        float(pearsonr(scores, people)[0]),
        float(spearmanr(scores, people)[0]),
        float(np.mean(right)),
    )


if __name__ == "__main__":
    main()
