"""Figures of agreement: worked by hand, by scipy on copied segments, and as published."""

from __future__ import annotations

import dataclasses
import math
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy  # loads scipy.stats when it is used
from hypothesis import given
from hypothesis import strategies as st
from oracle import statistics as slow

from celab.agreement import dataset, measurement
from celab.agreement import results as report
from celab.agreement.dataset import HumanJudgments, pack_judges, wins
from celab.agreement.scores import MetricScores, Preference, as_wmt25_rows, score
from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.metrics.factory import make_metric
from celab.people.score_files import Judgment
from celab.report.html import agreement as html_agreement
from celab.report.html.agreement import evaluations_page
from celab.statistics import correlation, resampling
from celab.statistics.correlation import ranking_kappa

NAN = float("nan")
PEOPLE = [[90, 70], [80, 70], [60, 75]]
METRIC = [[0.9, 0.5], [0.8, 0.4], [0.8, 0.6]]


def rows_of(by_judge):
    """Rows as of a file, from a matrix for each judge."""
    return [
        Judgment(where="", system=system, segment=s, score=score, judge=judge)
        for judge, matrix in by_judge.items()
        for system, row in zip("abcdefgh", matrix, strict=False)
        for s, score in enumerate(row)
        if not math.isnan(score)
    ]


def judged(human_seg=None, shape=None, human_sys=None, judges=None, rankings=None, pairs=()):
    """A set without texts; `shape` is that of the judgments, `rankings` are negated."""
    n_systems, n_segments = np.shape(human_seg) if shape is None else shape
    systems = {name: [""] * n_segments for name in "abcdefgh"[:n_systems]}
    corpus = Corpus(
        segments=[Segment("", str(i)) for i in range(n_segments)],
        systems=systems,
        refs=[],
        ref_names=["A"],
    )
    people = HumanJudgments.of(
        tuple(systems),
        n_segments,
        rows_of(judges or ({} if human_seg is None else {"": human_seg})),
        [
            Judgment(where="", system=name, segment=None, score=score)
            for name, score in (human_sys or {}).items()
        ],
        rows_of({name: -np.array(ranks) for name, ranks in (rankings or {}).items()}),
        [Preference(*one) for one in pairs],
    )
    return dataset.Dataset(
        name="set", corpus=corpus, systems=tuple(systems), references=("A",), people=people
    )


def scored(segments, name="m", **more):
    matrix = np.array(segments, float)
    return MetricScores(
        name=name,
        signature=f"{name}|v",
        systems=matrix.mean(axis=1),
        segments=matrix,
        statistics=matrix[:, :, None],
        **more,
    )


ALL = [name for names in measurement.FIGURES.values() for name in names]


def known(figures):
    return {name: figure for name, figure in figures.items() if figure.value is not None}


def values(figures):
    return {name: figure.value for name, figure in figures.items()}


def test_lower_is_better():
    opposite = scored(-np.array(METRIC), "n", higher_is_better=False)
    found = measurement.measure(judged(PEOPLE), [scored(METRIC), opposite], n_resamples=50)
    m, n = found.metrics["m"], found.metrics["n"]
    assert values(m.figures) == pytest.approx(values(n.figures))
    assert n.scores == pytest.approx({"a": -0.7, "b": -0.6, "c": -0.7})  # its own units
    assert {figure.p for figure in n.figures.values()} == {1.0}  # never greater, being equal


@pytest.mark.parametrize("n_resamples", [40, 1000, 2000])
def test_resamples_move_no_figure(n_resamples):
    random = np.random.default_rng(1)
    people = random.normal(size=(4, 30)) + 0.3 * np.arange(4)[:, None]
    metric = people + random.normal(size=people.shape)
    found = measurement.measure(judged(people), [scored(metric)], n_resamples=n_resamples)
    figures = values(found.metrics["m"].figures)
    # As version 0.3.0 with its default, 1,000 resamples.
    assert figures[measurement.SOFT] == pytest.approx(0.8806666666666667, abs=1e-15)
    default = measurement.measure(judged(people), [scored(metric)]).metrics["m"].figures
    assert figures == values(default)


def by_scipy(people, metric):
    """All figures of one resample, by plain loops and scipy; None is an absent judgment."""
    found = {}
    means = [[x for x in row if not math.isnan(x)] for row in people]
    if len(people) > 1 and all(means):
        x, y = [np.mean(row) for row in metric], [np.mean(row) for row in means]
        found |= correlations(x, y, "")
        pairs = [(i, j) for i in range(len(x)) for j in range(i) if y[i] != y[j]]
        right = [(x[i] - x[j]) * (y[i] - y[j]) > 0 for i, j in pairs]
        found["pairwise_accuracy"] = np.mean(right) if pairs else NAN
    both = [
        (m, p)
        for ms, ps in zip(metric, people, strict=True)
        for m, p in zip(ms, ps, strict=True)
        if not math.isnan(p)
    ]
    found |= correlations(*zip(*both, strict=True), "flat_")
    concordant = discordant = tied = 0
    taus = []
    for ms, ps in zip(np.transpose(metric), np.transpose(people), strict=True):
        here = [(m, p) for m, p in zip(ms, ps, strict=True) if not math.isnan(p)]
        for i in range(len(here)):
            for j in range(i):
                product = np.sign(here[i][0] - here[j][0]) * np.sign(here[i][1] - here[j][1])
                concordant += product > 0
                discordant += product < 0
                tied += here[i][0] == here[j][0] and here[i][1] != here[j][1]
        if len(here) > 1:
            taus.append(correlations(*zip(*here, strict=True), "")["kendall"])
    n_pairs = concordant + discordant + tied
    found["consistency"] = concordant / n_pairs if n_pairs else NAN
    found["consistency_half"] = (concordant + tied / 2) / n_pairs if n_pairs else NAN
    found["wmt14_tau"] = (concordant - discordant) / n_pairs if n_pairs else NAN
    defined = [tau for tau in taus if not math.isnan(tau)]
    gaps = [[None if math.isnan(x) else x for x in row] for row in people]
    found["acc_eq"] = (slow.calibrated_accuracy(gaps, metric) or [NAN])[0]
    found["mean_tau_b"] = np.mean(defined) if defined else NAN
    return found


def correlations(x, y, prefix):
    if len(set(x)) < 2 or len(set(y)) < 2:
        return dict.fromkeys((f"{prefix}{n}" for n in ("pearson", "spearman", "kendall")), NAN)
    return {
        f"{prefix}pearson": scipy.stats.pearsonr(x, y).statistic,
        f"{prefix}spearman": scipy.stats.spearmanr(x, y).statistic,
        f"{prefix}kendall": scipy.stats.kendalltau(x, y).statistic,
    }


@pytest.mark.parametrize("n_systems", [1, 4])
def test_errors_and_p_values_by_copied_segments(n_systems):
    random = np.random.default_rng(7)
    people = random.integers(0, 5, (n_systems, 9)).astype(float)
    people[-1, 2:4] = NAN
    metrics = [random.integers(0, 6, people.shape) / 8 for _ in range(2)]  # sums are exact
    scores = [scored(metrics[0], "base"), scored(metrics[1], "other")]
    found = measurement.measure(judged(people), scores, n_resamples=40, seed=3)
    weights = next(resampling.chunks(9, 40, seed=3)).astype(int)
    drawn = [np.repeat(np.arange(9), row) for row in weights]
    copies = [[by_scipy(people[:, s], metric[:, s]) for s in drawn] for metric in metrics]
    for name, metric, of_metric in zip(("base", "other"), metrics, copies, strict=True):
        figures = known(found.metrics[name].figures)
        assert set(figures) == set(measurement.ACROSS if n_systems == 1 else ALL)
        for figure, number in figures.items():
            if figure == measurement.SOFT:  # tests/unit/statistics/test_statistics_wmt.py
                continue
            assert number.value == pytest.approx(by_scipy(people, metric)[figure], abs=1e-12)
            again = np.array([one[figure] for one in of_metric])
            again = again[~np.isnan(again)]
            assert number.error == pytest.approx(again.std(ddof=1), abs=1e-10)
            assert number.interval == pytest.approx(np.quantile(again, [0.025, 0.975]), abs=1e-10)
            if name == "base":
                assert number.p is None
            else:
                pairs = [(b[figure], a[figure]) for b, a in zip(*copies, strict=True)]
                chance = np.mean([not other > base + 1e-9 for base, other in pairs])
                assert number.p == pytest.approx(chance)


@st.composite
def lists(draw):
    n = draw(st.integers(2, 12))
    numbers = st.lists(st.integers(-3, 3), min_size=n, max_size=n)
    n_segments = draw(st.integers(1, 5))
    where = draw(st.lists(st.integers(0, n_segments - 1), min_size=n, max_size=n))
    row = st.lists(st.integers(0, 3), min_size=n_segments, max_size=n_segments)
    weights = draw(st.lists(row.filter(any), min_size=1, max_size=3))
    return draw(numbers), draw(numbers), where, weights


@given(lists())
def test_weights_are_copies(drawn):
    x, y, where, weights = drawn
    arrays = np.array(x, float), np.array(y, float), np.array(where), np.array(weights, float)
    found = {
        name: getattr(correlation, f"flat_{name}")(*arrays)
        for name in ("pearson", "spearman", "kendall")
    }
    for b, row in enumerate(weights):
        chosen = [i for i in range(len(x)) for _ in range(row[where[i]])]
        wanted = correlations([x[i] for i in chosen], [y[i] for i in chosen], "")
        for name, number in wanted.items():
            assert found[name][b] == pytest.approx(number, abs=1e-9, nan_ok=True), name


def test_blocks_do_not_matter(monkeypatch):
    random = np.random.default_rng(1)
    arrays = random.integers(0, 9, 60) * 1.0, random.normal(size=60), random.integers(0, 20, 60)
    weights = next(resampling.chunks(20, 40, seed=1))
    whole = [
        getattr(correlation, f"flat_{name}")(*arrays, weights) for name in ("spearman", "kendall")
    ]
    monkeypatch.setattr(correlation, "MAX_BLOCK_NUMBERS", 100)
    again = [
        getattr(correlation, f"flat_{name}")(*arrays, weights) for name in ("spearman", "kendall")
    ]
    np.testing.assert_allclose(whole, again, rtol=1e-12)


def test_scores_of_systems_are_resampled_if_they_are_the_means():
    scores = [scored(METRIC)]
    means = {"a": 80.0, "b": 75.0, "c": 67.5}
    same = measurement.measure(judged(PEOPLE, human_sys=means), scores, n_resamples=50)
    alone = measurement.measure(judged(PEOPLE), scores, n_resamples=50)
    other = measurement.measure(
        judged(PEOPLE, human_sys=means | {"a": 81.0}), scores, n_resamples=50
    )
    assert same.people.systems_from == "human-sys.tsv, means of human-seg.tsv"
    assert alone.people.systems_from == "human-seg.tsv"
    assert other.people.systems_from == "human-sys.tsv"
    assert same.metrics["m"].figures["pearson"] == alone.metrics["m"].figures["pearson"]
    drawn = resampling.scores_of(METRIC, n_resamples=50).scores
    fixed = [np.corrcoef(row, [81, 75, 67.5])[0, 1] for row in drawn if len(set(row)) > 1]
    error = other.metrics["m"].figures["pearson"].error
    assert error == pytest.approx(np.std(fixed, ddof=1))


def test_systems_without_a_score_take_no_part_on_system_level():
    people = [*PEOPLE, [NAN, NAN]]
    metric = [*METRIC, [0.1, 0.1]]
    given_some = {"a": 3.0, "b": 2.0, "d": 1.0}
    found = measurement.measure(
        judged(people, human_sys=given_some), [scored(metric)], n_resamples=40
    )
    assert found.human == given_some
    assert found.n_pairs == 5
    assert found.metrics["m"].figures["pairwise_accuracy"].value == 1


def test_a_metric_known_by_systems_only_has_no_errors():
    alone = MetricScores(
        name="comet",
        signature="comet|given",
        systems=np.array([3.0, 2.0, 1.0]),
        segments=None,
        statistics=None,
    )
    found = measurement.measure(judged(PEOPLE), [scored(METRIC), alone], n_resamples=40)
    one = found.metrics["comet"]
    assert set(known(one.figures)) == set(measurement.SYSTEM)
    assert one.figures["spearman"] == measurement.Figure(1.0)
    turned = measurement.measure(judged(PEOPLE), [alone, scored(METRIC)], n_resamples=40)
    assert turned.metrics["m"].figures["spearman"].p is None


def test_scores_of_systems_only():
    people = {"a": 3.0, "b": 2.0, "c": 1.0}
    found = measurement.measure(judged(shape=(3, 2), human_sys=people), [scored(METRIC)])
    assert (found.n_pairs, found.people.n_translations) == (0, 0)
    assert set(known(found.metrics["m"].figures)) == set(measurement.SYSTEM)
    assert found.metrics["m"].figures["pairwise_accuracy"].value == pytest.approx(1 / 3)


def test_what_is_not_defined_is_none():
    found = measurement.measure(judged(PEOPLE), [scored(np.ones((3, 2)))], n_resamples=40)
    assert found.metrics["m"].figures["pearson"] == measurement.Figure(None)
    assert found.metrics["m"].figures["consistency"].value == 0  # it predicts nothing
    assert found.metrics["m"].figures["mean_tau_b"].value is None


RANKINGS = {
    "p": [[-1, -1], [-2, -1], [-3, -2]],
    "q": [[-2, NAN], [-1, NAN], [-3, NAN]],
}


def test_rankings_by_hand():
    # p has a > b > c and a = b > c; q has b > a > c on the first segment. The metric's order is
    # a > b > c and b > a > c. Right are p's 3 and 2, q's 2 of 3.
    metric = [[3, 2], [2, 3], [1, 1]]
    dataset_of = judged(shape=(3, 2), rankings=RANKINGS)
    found = measurement.measure(dataset_of, [scored(metric)], n_resamples=40)
    assert (found.n_pairs, found.people.pairs_from) == (8, "rankings.tsv")
    one = found.metrics["m"].figures
    assert set(known(one)) == {*measurement.SYSTEM, *measurement.PAIRS, "acc_eq"}
    assert one["consistency"].value == pytest.approx(7 / 8)
    assert one["wmt14_tau"].value == pytest.approx(6 / 8)
    # Wins: a 2 + 1 + 1 of 2 + 2 + 1, b 1 + 2 + 1 of the same, c none of 6.
    assert found.human == pytest.approx({"a": 4 / 5, "b": 4 / 5, "c": 0})
    # Three pairs on the first segment, of which the judges order a, b unlike.
    kappa = found.people.kappa["rankings.tsv"]
    assert (kappa.observed, kappa.n_cases) == (pytest.approx(2 / 3), 3)
    assert kappa.kappa == pytest.approx(1 / 3)


def test_preferences_by_hand():
    # The metric has a > b = c on the first segment and c > a > b on the second.
    pairs = [(0, "a", "b"), (0, "b", "a"), (0, "b", "c"), (1, "c", "b"), (1, "c", "b")]
    found = measurement.measure(judged(shape=(3, 2), pairs=pairs), [scored(METRIC)], n_resamples=40)
    one = found.metrics["m"].figures
    assert found.n_pairs == 5
    assert one["consistency"].value == pytest.approx(3 / 5)
    assert one["consistency_half"].value == pytest.approx(3.5 / 5)
    assert one["wmt14_tau"].value == pytest.approx(2 / 5)
    assert found.human == pytest.approx({"a": 1 / 2, "b": 2 / 5, "c": 2 / 3})


@given(st.integers(2, 4), st.integers(1, 4), st.integers(0, 2**32))
def test_all_pairs_of_scores_as_preferences(n_systems, n_segments, seed):
    random = np.random.default_rng(seed)
    people, metric = random.integers(0, 3, (2, n_systems, n_segments)).astype(float)
    pairs = [
        (s, "abcd"[i], "abcd"[j])
        for s in range(n_segments)
        for i in range(n_systems)
        for j in range(n_systems)
        if people[i, s] > people[j, s]
    ]
    by_scores = judged(people).people.counts(metric)
    by_pairs = judged(people, pairs=pairs).people.counts(metric)
    for one, other in zip(by_scores[:3], by_pairs[:3], strict=True):
        np.testing.assert_array_equal(one, other)


def test_figures_of_the_wmt_metrics_tasks():
    random = np.random.default_rng(1)
    people = random.integers(0, 4, (4, 60)) + np.arange(4.0)[:, None]
    good = people + random.normal(size=people.shape) / 2
    noise = random.normal(size=people.shape)
    scores = [scored(noise, "noise"), scored(good, "good"), scored(good, "twin")]
    scores.append(
        MetricScores(
            name="systems", signature="", systems=np.arange(4.0), segments=None, statistics=None
        )
    )
    found = measurement.measure(judged(people), scores, n_resamples=200)
    assert set(found.p_between) == set(measurement.COMPARED)
    for name in measurement.COMPARED:
        clusters = [one.clusters.get(name) for one in found.metrics.values()]
        assert clusters == [2, 1, 1, None], name
        p = found.p_between[name]
        assert p["good"]["noise"] < 0.05 < p["noise"]["good"]
        assert p["good"]["twin"] == p["twin"]["good"] == 1
        assert "systems" not in p
    figures = found.metrics["good"].figures
    assert figures["soft_pairwise_accuracy"].value > 0.95
    assert figures["soft_pairwise_accuracy"].p == 0
    assert 0 < found.metrics["good"].epsilon < 2
    assert found.metrics["systems"].figures["acc_eq"].value is None
    assert found.metrics["noise"].figures["acc_eq"].error > 0


def test_domains():
    labeled = dataclasses.replace(judged(PEOPLE), labels={"domain": ["news", "speech"]})
    alone = MetricScores(
        name="alone", signature="", systems=np.arange(3.0), segments=None, statistics=None
    )
    found = measurement.measure(labeled, [alone, scored(METRIC)], n_resamples=40, by="domain")
    assert list(found.groups) == ["news", "speech"]
    news = found.groups["news"]
    assert (news.n_segments, news.n_pairs, news.base) == (1, 3, "m")
    assert list(news.metrics) == ["m"]  # scores of systems only are of the whole set
    assert news.metrics["m"].figures["consistency"].value == pytest.approx(2 / 3)
    assert news.human == {"a": 90, "b": 80, "c": 60}
    tables = {table.title: table for table in report.figure_tables(found)}
    table = tables["consistency by group"]
    rows = [table.texts(row)[:2] for row in table.shown_rows()]
    assert rows == [["news", "1"], ["speech", "1"]]
    row = found.to_dict()["group_figure"][0]
    assert (row["group"], row["metric"], row["pairs"]) == ("news", "m", 3)


def test_rankings_go_before_scores():
    found = measurement.measure(
        judged(np.zeros((3, 2)), rankings=RANKINGS), [scored(METRIC)], n_resamples=40
    )
    assert (found.n_pairs, found.people.n_translations) == (8, 6)
    assert found.people.systems_from == "human-seg.tsv"


def test_kappa_of_scores():
    people = {"p": [[3, 3, 1], [1, 2, 2]], "q": [[5, 2, 1], [4, 3, 3]]}
    dataset_of = judged(shape=(2, 3), judges=people)
    assert dataset_of.people.segments.tolist() == [[4, 2.5, 1], [2.5, 2.5, 2.5]]
    kappa = dataset_of.people.kappa["human-seg.tsv"]
    assert (kappa.n_cases, kappa.kappa) == (3, pytest.approx(1 / 3))
    one_judge = judged(shape=(2, 1), judges={"p": [[4], [2.5]]})
    assert one_judge.people.kappa == {}


@given(st.integers(2, 5), st.integers(1, 5), st.integers(1, 4), st.integers(0, 2**32))
def test_packing_changes_neither_kappa_nor_wins(n_judges, n_segments, n_systems, seed):
    random = np.random.default_rng(seed)
    scores = random.integers(0, 3, (n_judges, n_systems + 1, n_segments)).astype(float)
    scores[random.random(scores.shape) < 0.4] = NAN
    systems = "abcdefgh"[: n_systems + 1]
    sets = pack_judges(rows_of(dict(enumerate(scores))), systems, n_segments)
    most = max((~np.isnan(scores).all(axis=1)).sum(axis=0))
    assert len(sets) == most
    if len(sets) > 1:
        assert ranking_kappa(sets) == ranking_kappa(list(scores))
    shape = scores.shape[1:]
    np.testing.assert_array_equal(wins(sets, shape), wins(list(scores), shape))


def test_stars_and_the_base():
    better = scored(PEOPLE, "best")
    worse = scored([[1, 2], [2, 2], [3, 1]], "worst")
    found = measurement.measure(judged(PEOPLE), [better, worse], against="worst", n_resamples=100)
    assert found.base == "worst"
    assert found.metrics["worst"].figures["consistency"].p is None
    assert found.metrics["best"].figures["consistency"].p == 0
    assert found.metrics["best"].figures["consistency"].stars == "**"
    turned = measurement.measure(judged(PEOPLE), [better, worse], n_resamples=100)
    assert turned.metrics["worst"].figures["consistency"].p == 1
    assert turned.metrics["worst"].figures["consistency"].stars == ""
    with pytest.raises(InputError):
        measurement.measure(judged(PEOPLE), [better, better])


@pytest.mark.parametrize(
    ("p", "stars"), [(None, ""), (0.0, "**"), (0.0099, "**"), (0.01, "*"), (0.049, "*"), (0.05, "")]
)
def test_stars(p, stars):
    assert measurement.Figure(0.5, p=p).stars == stars


def test_the_page_draws_metrics_against_people(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        html_agreement, "meta_page", lambda x, *_, **__: drawn.extend(x[0].metrics) or ""
    )
    evaluations_page(measurement.measure(judged(PEOPLE), [scored(METRIC)], n_resamples=40))
    (one,) = drawn
    assert (one.name, one.higher_is_better) == ("m", True)
    assert [(s, h, round(m, 9)) for s, h, m in one.systems] == [
        ("a", 80, 0.7),
        ("b", 75, 0.6),
        ("c", 67.5, 0.7),
    ]


def test_the_verdict_names_the_metric_that_agrees_best():
    better, worse = scored(METRIC), scored(METRIC, "chrf")
    evaluation = measurement.measure(judged(PEOPLE), [better, worse], n_resamples=50)
    sentences = report.verdict(evaluation)
    assert sentences[0].startswith("m orders ") and "of the pairs of 3 systems" in sentences[0]
    assert "chance: 50%" in sentences[0]
    for sentence in sentences:
        assert sentence.endswith(("but not significantly more than chrF2.", "is chrF2, 1.000."))
    (alone, *_) = report.verdict(measurement.measure(judged(PEOPLE), [better], n_resamples=40))
    assert alone.startswith("m orders ") and alone.endswith("chance: 50%).")
    assert "chrF2" in evaluations_page(evaluation) and ">chrf<" not in evaluations_page(evaluation)


# The smallest published sets that have, in all, several systems, several references, and people's
# scores of systems and of segments.
SETS = {
    "wmt24-enja-esa-news-speech": "ja",
    "wmt21-ende-mqm": "de",
    "mlqe20-enzh-da-dev": "zh",
    "enko-mqm-globalvoices": "ko",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("wmt24-enja-esa-news-speech", marks=pytest.mark.thorough),
        pytest.param("wmt21-ende-mqm", marks=pytest.mark.thorough),
        "mlqe20-enzh-da-dev",
        "enko-mqm-globalvoices",
    ],
)
def test_published_figures_to_every_digit(shared, name):
    folder = shared / "data" / name
    if not folder.is_dir():
        pytest.skip(f"../shared/data/{name} is not here")
    one = dataset.read(folder)
    metrics = {metric: make_metric(metric, lang=SETS[name]) for metric in ("bleu", "chrf")}
    found = measurement.measure(one, score(metrics, one.corpus), n_resamples=40)
    label = re.escape("+".join(one.references))
    readme = (folder / "README.md").read_text("utf-8")
    n_compared = 0
    for metric, known in (("bleu", "BLEU"), ("chrf", "chrF")):
        figures = found.metrics[metric]
        if row := re.search(rf"^\| {label} \| {known} \| (.*) \|$", readme, re.MULTILINE):
            pearson, spearman, right = row[1].split(" | ")
            n_systems = len(found.human)
            assert f"{figures.figures['pearson'].value:.3f}" == pearson
            assert f"{figures.figures['spearman'].value:.3f}" == spearman
            accuracy = figures.figures["pairwise_accuracy"].value
            assert f"{accuracy:.3f} of {n_systems * (n_systems - 1) // 2}" == right
            n_compared += 1
        row = re.search(
            rf"^\| {label} \| human-seg.tsv \| sent{known} \| (.*) \|$", readme, re.MULTILINE
        )
        if row:
            *pairs, pearson, spearman, kendall, n = row[1].split(" | ")
            assert found.people.n_translations == int(n)
            assert f"{figures.figures['flat_pearson'].value:.3f}" == pearson
            assert f"{figures.figures['flat_spearman'].value:.3f}" == spearman
            assert f"{figures.figures['flat_kendall'].value:.3f}" == kendall
            if pairs:
                assert f"{figures.figures['consistency'].value:.3f}" == pairs[0]
                assert found.n_pairs == int(pairs[2])
            n_compared += 1
    assert n_compared >= 2  # of two metrics, at a level or two


def test_a_metric_of_systems_alone_has_no_rows_of_segments():
    metric = SimpleNamespace(segments=None)
    assert as_wmt25_rows(metric, ["x"], "en-zh", "set", {}) == []
