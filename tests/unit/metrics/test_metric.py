"""Edges that all metrics share: absent texts, progress, matrices of pairs, segments."""

import numpy as np
import pytest

import celab
from celab.base.errors import InputError, SolverError
from celab.exact import engine
from celab.metrics import base
from celab.metrics.factory import make_metric

METRICS = {
    "celab": celab.TeslaCelab(lexicon=None),
    "tesla-m": celab.TeslaM(analysis="surface", lexicon=None),
    "mean": celab.Mean([celab.TeslaCelab(lexicon=None, max_order=n) for n in (1, 2)]),
}
PLAIN = METRICS["celab"]


@pytest.mark.parametrize(
    ("make", "language", "reads_chinese"),
    [
        (lambda: celab.TeslaCelab(), "zh", True),
        (lambda: celab.TeslaCelab(tokenize="space"), "zh", False),  # with the Chinese lexicon
        (lambda: celab.TeslaCelab(tokenize="space", lang="zh"), "zh", True),
        (lambda: celab.TeslaCelab(lang="ja"), "ja", False),
        (lambda: celab.TeslaM(analysis="surface"), None, False),
        (lambda: celab.TeslaM(analysis="surface", lang="zh"), "zh", True),
        (lambda: celab.TeslaS(lang="zh"), "zh", True),
        (lambda: celab.TeslaS(), None, False),
        (lambda: make_metric("bleu"), None, True),  # tokenized as Chinese, but for any language
        (lambda: make_metric("bleu", lang="de"), None, False),
        (lambda: make_metric("chrf"), None, False),
        (lambda: celab.Mean([celab.TeslaCelab(tokenize="space"), PLAIN]), "zh", True),
        (lambda: celab.Mean([celab.TeslaCelab(tokenize="space")]), "zh", False),
    ],
)
def test_the_language_and_whether_texts_are_read_as_chinese(make, language, reads_chinese):
    metric = make()
    assert (metric.language, metric.reads_chinese) == (language, reads_chinese)


def test_the_default_lexicon_does_not_depend_on_tokens():
    default = celab.TeslaCelab(tokenize="space").signature
    assert default == celab.TeslaCelab(tokenize="space", lang="zh").signature
    assert default.part("lex").startswith("cilin@")


@pytest.mark.parametrize("absent", ["", " \u3000", "\u200b", None])
def test_an_absent_reference_is_not_counted(absent):
    alone = PLAIN.sentence_score("买伞", ["买雨伞"])
    assert PLAIN.sentence_score("买伞", [absent, "买雨伞"]).score == alone.score


@pytest.mark.parametrize("hyp", ["", "  ", "\u3000"])
def test_an_empty_hypothesis_scores_zero(hyp):
    segment = PLAIN.sentence_score(hyp, ["买雨伞"])
    assert (segment.score, segment.precision, segment.recall) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("name", METRICS)
def test_progress_ends_with_all_segments(name):
    hyps, numbers, by_system = ["甲"] * 1000, [], {}
    METRICS[name].corpus_score(hyps, [hyps], progress=numbers.append)
    assert numbers == sorted(numbers) and numbers[-1] == 1000
    METRICS[name].corpus_scores({"a": hyps, "b": hyps}, [hyps], progress=by_system.__setitem__)
    assert by_system == {"a": 1000, "b": 1000}


def test_segments_slice_compare_and_cannot_be_changed():
    score = PLAIN.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]])
    assert [s.score for s in score.segments] == [1.0, 0.0, 1.0]
    assert len(score.segments[1:]) == 2
    assert score.segments[-1] == score.segments[0]
    assert score.segments == PLAIN.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]]).segments
    with pytest.raises(ValueError, match="read-only"):
        score.segments.values[0, 0, 0] = 2.0


@pytest.mark.parametrize("most", [1, 2, 1024])
@pytest.mark.parametrize(
    ("hyps", "refs", "where"),
    [
        (["a|a|N", "b|b|N", "bad"], ["a|a|N", " ", "b|b|N"], "sentence 3 of the hypotheses"),
        (["a|a|N", "b|b|N"], ["a|a|N", " ", "bad"], "sentence 3 of reference 1"),
    ],
)
def test_an_error_in_a_sentence_has_its_number_in_the_list(hyps, refs, where, most, monkeypatch):
    monkeypatch.setattr(base, "_MOST_PAIRS", most)
    with pytest.raises(InputError, match=f"^{where}: "):
        celab.TeslaM(analysis="tagged").pairwise(hyps, refs)


@pytest.mark.parametrize("links", ["paper", "release-2012"])
@pytest.mark.parametrize("most", [1, 5, 4096])
def test_half_of_a_square_matrix_is_the_other_half_turned(links, most, monkeypatch):
    monkeypatch.setattr("celab.metrics.celab_scorer._MOST_IN_MATRIX", most)
    metric = celab.TeslaCelab(links=links, script="keep")
    texts = ["买雨伞", "买伞", "", "ＡＢＣ 3.5", "匹夫来", "那个人来了", "雨雨伞雨伞雨伞", "伞雨伞"]
    square = metric.pairwise(texts, texts)
    rectangular = metric.pairwise(texts, [*texts, "好"])[:, :-1]
    assert np.array_equal(square, rectangular, equal_nan=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_equal_candidates_have_equal_rows_and_columns(jobs):
    metric = celab.TeslaCelab(script="keep", jobs=jobs)
    distinct = ["买雨伞", "去买伞", "", "雨伞", "去买雨伞"]
    chosen = [4, 0, 1, 0, 2, 4, 3, 2]
    texts = [distinct[k] for k in chosen]
    square = metric.pairwise(distinct, distinct)
    assert len(np.unique(square[~np.isnan(square)])) > len(distinct)
    assert np.array_equal(metric.pairwise(texts, texts), square[chosen][:, chosen], equal_nan=True)
    assert np.array_equal(metric.pairwise(texts, distinct), square[chosen], equal_nan=True)


def test_an_unproved_pair_has_its_numbers_in_the_lists(monkeypatch):
    cover_pairs = engine.cover_pairs

    def fail_once(hyp, ref, order, release, hyp_at, ref_at, time_limit, failed, *options):
        for p, (h, r) in enumerate(zip(hyp_at, ref_at, strict=True)):
            if {hyp.texts[h], ref.texts[r]} == {"买伞", "雨"}:
                failed[p] = TimeoutError()
        return cover_pairs(hyp, ref, order, release, hyp_at, ref_at, time_limit, failed, *options)

    monkeypatch.setattr(engine, "cover_pairs", fail_once)
    hyps, refs = ["雨伞", "伞", "买伞", "伞", "雨"], ["伞", "雨"]
    with pytest.raises(SolverError, match=r"^hypothesis 3, reference 2: "):
        PLAIN.pairwise(hyps, refs)
    with pytest.raises(SolverError, match=r"^hypothesis (3, reference 5|5, reference 3): "):
        PLAIN.pairwise(hyps, hyps)
