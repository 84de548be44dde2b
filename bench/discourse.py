"""Does DICOMER order texts as people do, and does CREMER?

Summaries of English product reviews with ratings (`../shared/data/summ-en-readability`, from
OpinSummEval, research use, not part of this repository): 60 products × 14 summarizers, rated for
readability, coherence, relevance and sentiment. DICOMER learns from one half of the systems on one
half of the products and scores the other half of both: Kendall's τ with the ratings within a
product, the mean of 30 splits and its standard error. CREMER learns the mean of the four ratings
from four fifths of the products, with all systems.

Then original texts against the same sentences, or the same lines, in another order: documents of
five lines or more of WMT24 English–Chinese, English sources and Chinese references, 20 orders each,
weights learnt from four fifths of the documents with C = 10: the share of pairs in which the
original has the higher score, the mean of three draws of the orders, with its standard error over
documents. `python bench/discourse.py` prints the tables of docs/other-metrics.md, in Markdown.
"""

from __future__ import annotations

import csv

import numpy as np
from data import FOLDER, lines
from measure import Failed, write
from scipy.stats import kendalltau

import celab
from celab.trained.ranking import Consistency, rank_weights, sparse_rows, split_folds
from celab.trained.relations import split_sentences
from celab.trained.roles import role_matrix, shares

SUMMARIES = FOLDER.parent / "summ-en-readability"
DOCUMENTS = FOLDER.parent / "wmt24-enzh-esa"
FEATURES = {"LIN": "lin", "LIN + C": "c", "LIN + E": "e", "DICOMER": "ce"}
RATINGS = ("readability", "coherence", "relevance", "sentiment")
SPLITS, FOLDS, DRAWS, ORDERS, MIN_LINES = 30, 5, 3, 20, 5
COST = 10.0  # for orders
AIM = 0.17  # τ of DICOMER with readability


def main() -> None:
    for folder in (SUMMARIES, DOCUMENTS):
        if not folder.is_dir():
            raise Failed(f"{folder} is not there")
    summaries, ratings = read_summaries()
    found: dict[str, dict[str, list[float]]] = {}
    for what in ("readability", "coherence"):
        found[what] = {
            name: unseen(celab.Dicomer(lang="en", features=features), summaries, ratings[what])
            for name, features in FEATURES.items()
        }
    print(f"\n| τ, other systems and products | {' | '.join(FEATURES)} |")
    print(f"|---|{'---:|' * len(FEATURES)}")
    for what, by_name in found.items():
        print(f"| {what} | {' | '.join(map(with_error, by_name.values()))} |")
    together = cremer(summaries, np.mean([ratings[name] for name in RATINGS], axis=0))
    print("\n| τ with the mean rating, other products | |\n|---|---:|")
    for name, value in together.items():
        print(f"| {name} | {value:.3f} |")
    orders = {
        f"{lang}, {unit}": original_first(lang, documents(file), unit)
        for lang, file in (("en", "src.txt"), ("zh", "ref-A.txt"))
        for unit in ("sentences", "lines")
    }
    print(f"\n| original before permuted | {' | '.join(FEATURES)} |")
    print(f"|---|{'---:|' * len(FEATURES)}")
    for lang, by_name in orders.items():
        print(f"| {lang} | {' | '.join(map(with_error, by_name.values()))} |")
    facts = {"unseen": found, "cremer": together, "orders": orders}
    write("discourse", f"{SUMMARIES.name}, {DOCUMENTS.name}", {}, facts)
    if (reached := float(np.mean(found["readability"]["DICOMER"]))) < AIM:
        raise Failed(f"τ of DICOMER with readability is {reached:.3f}; it must be {AIM}")


def error(values: list[float]) -> float:
    """Return the standard error of the mean."""
    return float(np.std(values, ddof=1) / len(values) ** 0.5)


def with_error(values: list[float]) -> str:
    return f"{np.mean(values):.3f} ± {error(values):.3f}"


def read_summaries() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return summaries, systems × products, and the ratings of each kind."""
    systems = sorted(path.stem for path in (SUMMARIES / "hyp").glob("*.txt"))
    texts = np.array([lines(SUMMARIES / "hyp" / f"{name}.txt") for name in systems], object)
    ratings = {name: np.full(texts.shape, np.nan) for name in RATINGS}
    with (SUMMARIES / "human-seg.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            place = systems.index(row["system"]), int(row["segment"])
            for name in RATINGS:
                ratings[name][place] = float(row[name])
    return texts, ratings


def tau(scores: np.ndarray, ratings: np.ndarray) -> float:
    """Return the mean of τ within a product (columns), of those that people do not all tie."""
    columns = zip(scores.T, ratings.T, strict=True)
    return float(np.nanmean([kendalltau(a, b).statistic for a, b in columns if np.ptp(b)]))


def unseen(metric: celab.Dicomer, texts: np.ndarray, ratings: np.ndarray) -> list[float]:
    """Return τ on the systems and products of each split that were not learnt from."""
    found = []
    for seed in range(SPLITS):
        rng = np.random.default_rng(seed)
        halves = [np.array_split(rng.permutation(n), 2) for n in texts.shape]
        (of_systems, other_systems), (of_products, other_products) = halves
        learnt = metric.fit(
            [texts[of_systems, k].tolist() for k in of_products],
            [ratings[of_systems, k].tolist() for k in of_products],
        )
        held = np.ix_(other_systems, other_products)
        values = learnt.values(texts[held].ravel().tolist()).reshape(texts[held].shape)
        found.append(tau(values, ratings[held]))
    return found


def cremer(texts: np.ndarray, ratings: np.ndarray) -> dict[str, float]:
    """Return τ on products that were not learnt from, by kernel, and of the two features."""
    refs = lines(SUMMARIES / "ref-A.txt")
    scores: dict[str, np.ndarray] = {}
    products = np.arange(texts.shape[1])
    rng = np.random.default_rng(2012)
    folds = split_folds(products, FOLDS, rng)
    kernels = {f"CREMER, {kernel}": kernel for kernel in ("linear", "polynomial", "rbf")}
    for fold in folds:
        rest = np.setdiff1d(products, fold)
        of_rest = [texts[:, k].tolist() for k in rest]
        rated = [ratings[:, k].tolist() for k in rest]
        held = texts[:, fold].ravel().tolist()
        sides = [[refs[k] for _ in range(len(texts)) for k in fold]]
        for name, kernel in kernels.items():
            learnt = celab.Cremer(lang="en", kernel=kernel)
            learnt = learnt.fit(of_rest, [refs[k] for k in rest], rated)
            values = scores.setdefault(name, np.zeros(texts.shape))
            score = learnt.scorer(sides)(held, sides)
            values[:, fold] = score.segments.scores.reshape(len(texts), -1)
            if kernel == "linear":
                of_both = learnt.figures(held, sides).T.reshape(2, len(texts), -1)
                for feature, figures in zip(("TESLA-S", "DICOMER"), of_both, strict=True):
                    scores.setdefault(feature, np.zeros(texts.shape))[:, fold] = figures
    return {name: tau(values, ratings) for name, values in scores.items()}


def documents(name: str) -> list[str]:
    """Return the documents of a file that have enough lines, each with the sentences in a line."""
    by_document: dict[str, list[str]] = {}
    with (DOCUMENTS / "docs.tsv").open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        for row, line in zip(rows, lines(DOCUMENTS / name), strict=True):
            by_document.setdefault(row["document"], []).append(line)
    return ["\n".join(of) for of in by_document.values() if len(of) >= MIN_LINES]


def cut(text: str, unit: str) -> list[str]:
    """Return the sentences or the lines of a text."""
    return split_sentences(text) if unit == "sentences" else text.splitlines()


def original_first(lang: str, texts: list[str], unit: str) -> dict[str, list[float]]:
    """Return for each document how often the original has the higher score; ties are half.

    The mean over draws of orders and of folds, by the names of the features.
    """
    n, found = len(texts), {name: np.zeros(len(texts)) for name in FEATURES}
    owner = np.repeat(np.arange(n), ORDERS)
    first = np.arange(n) * (ORDERS + 1)
    metric = celab.Dicomer(lang=lang)
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        ordered = []
        for parts in (cut(text, unit) for text in texts):
            orders = [np.arange(len(parts)), *(rng.permutation(len(parts)) for _ in range(ORDERS))]
            ordered += ["\n".join(parts[k] for k in order) for order in orders]
        discourses = metric.discourses(ordered)
        folds = split_folds(np.arange(n), FOLDS, rng)
        for name, features in FEATURES.items():
            of_texts = [shares(role_matrix(text, features), features) for text in discourses]
            _, rows = sparse_rows(of_texts)
            others = np.setdiff1d(np.arange(rows.shape[0]), first)
            difference = rows[np.repeat(first, ORDERS)] - rows[others]
            for fold in folds:
                held = np.isin(owner, fold)
                margins = difference[held] @ rank_weights(difference[~held], COST)
                for document in fold:
                    share = Consistency.of(margins[owner[held] == document])
                    found[name][document] += share.ties_half / DRAWS
    return {name: values.tolist() for name, values in found.items()}


if __name__ == "__main__":
    main()
