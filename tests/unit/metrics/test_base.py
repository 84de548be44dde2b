"""What all metrics share: absent texts, progress, matrices; they do not change, and they travel."""

import copy
import os
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

import celab
from celab.base.errors import InputError, LexiconError, SolverError
from celab.base.run import Run
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
    ("make", "language", "treats_text_as_chinese"),
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
def test_the_language_and_whether_texts_are_read_as_chinese(make, language, treats_text_as_chinese):
    metric = make()
    assert (metric.language, metric.treats_text_as_chinese) == (language, treats_text_as_chinese)


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
    hyps, numbers, of_both = ["甲"] * 1000, [], []
    METRICS[name].corpus_score(hyps, [hyps], progress=lambda *call: numbers.append(call))
    assert numbers == sorted(numbers) and numbers[-1] == (1000, 1000)
    assert {total for _, total in numbers} == {1000}
    systems = {"a": hyps, "b": hyps}
    METRICS[name].corpus_scores(systems, [hyps], progress=lambda *call: of_both.append(call))
    assert of_both == sorted(of_both) and of_both[-1] == (2000, 2000)
    assert {total for _, total in of_both} == {2000}


def test_segments_slice_compare_and_cannot_be_changed():
    score = PLAIN.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]])
    assert [s.score for s in score.segments] == [1.0, 0.0, 1.0]
    assert len(score.segments[1:]) == 2
    assert score.segments[-1] == score.segments[0]
    assert score.segments == PLAIN.corpus_score(["甲", "乙", "丙"], [["甲", "甲", "丙"]]).segments
    with pytest.raises(ValueError):
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
    monkeypatch.setattr(base, "_MAX_MATRIX_BATCH_PAIRS", most)
    with pytest.raises(InputError, match=f"^{where}: "):
        celab.TeslaM(analysis="tagged").pairwise(hyps, refs)


@pytest.mark.parametrize("links", ["paper", "release-2012"])
@pytest.mark.parametrize("most", [1, 5, 4096])
def test_half_of_a_square_matrix_is_the_other_half_turned(links, most, monkeypatch):
    monkeypatch.setattr("celab.metrics.celab_scorer._MAX_MATRIX_BATCH_PAIRS", most)
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

    def fail_once(hyp, ref, hyp_at, ref_at, failed, **options):
        for p, (h, r) in enumerate(zip(hyp_at, ref_at, strict=True)):
            if {hyp.texts[h], ref.texts[r]} == {"买伞", "雨"}:
                failed[p] = TimeoutError()
        return cover_pairs(hyp=hyp, ref=ref, hyp_at=hyp_at, ref_at=ref_at, failed=failed, **options)

    monkeypatch.setattr(engine, "cover_pairs", fail_once)
    hyps, refs = ["雨伞", "伞", "买伞", "伞", "雨"], ["伞", "雨"]
    for others, numbers in ((refs, "3, reference 2"), (hyps, "3, reference 5|5, reference 3")):
        with pytest.raises(SolverError, match=f"^hypothesis ({numbers}): "):
            PLAIN.pairwise(hyps, others)


@pytest.fixture
def lexicon(make_lexicon):
    return make_lexicon(["雨伞 伞", "GPT OpenAI"])


@pytest.fixture
def metrics(lexicon):
    return {
        "celab": celab.TeslaCelab(lexicon=lexicon, f=0.5, script="keep"),
        "celab, none": celab.TeslaCelab(lexicon=None, tokenize="space", jobs=2),
        "tesla-m": celab.TeslaM(analysis="surface", lexicon=lexicon, similarities="lem"),
        "tesla-s": celab.TeslaS(analysis="tagged", separator="/", function_tags=["DT"]),
        "chrf": make_metric("chrf", lang="de"),
        "mean": celab.Mean([celab.TeslaCelab(lexicon=lexicon), celab.TeslaCelab(lexicon=None)]),
    }


def test_copies_are_equal(metrics):
    for metric in metrics.values():
        for other in (copy.copy(metric), copy.deepcopy(metric), pickle.loads(pickle.dumps(metric))):
            assert other == metric and hash(other) == hash(metric) and other.run == metric.run


def test_nothing_can_be_set(metrics):
    for metric in metrics.values():
        for attribute in ("jobs", "run", "options", "engine", "new"):
            with pytest.raises(FrozenInstanceError):
                setattr(metric, attribute, None)
        with pytest.raises(FrozenInstanceError):
            del metric.jobs


def test_metrics_are_equal_by_signature(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon)
    assert metric == celab.TeslaCelab(lexicon=str(lexicon), jobs=3)  # run settings move no score
    assert metric != celab.TeslaCelab(lexicon=lexicon, f=0.3)
    assert metric != celab.TeslaCelab(lexicon=None)
    assert metric != celab.TeslaM(analysis="surface")
    assert len({metric, celab.TeslaCelab(lexicon=lexicon), celab.TeslaCelab(lexicon=None)}) == 2


def test_run_settings_are_their_own(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon, jobs=2, on_error="skip")
    assert metric.run == Run(jobs=2, on_error="skip")
    alone = metric.with_run(jobs=1, solver="check")
    assert alone.run == Run(on_error="skip", solver="check") and metric.run.jobs == 2
    assert alone == metric


def test_a_variant_for_another_language_has_its_defaults():
    chinese = celab.TeslaCelab(lexicon=None)
    assert replace(chinese, lang="en") == celab.TeslaCelab(lexicon=None, lang="en")
    german = replace(chinese, lang="de", tokenize="space")
    assert german == celab.TeslaCelab(lexicon=None, lang="de", tokenize="space")
    assert replace(german, tokenize=None) == celab.TeslaCelab(lexicon=None, lang="de")
    assert replace(chinese, weights="references").options.decay == 0.5


def test_fields_are_the_options_as_they_were_given(metrics):
    del metrics["mean"]  # its fields are parts
    for metric in metrics.values():
        options = {spec.name: getattr(metric, spec.name) for spec in fields(metric)}
        assert type(metric)(**options) == metric
        assert all(f"\n        {option}: " in type(metric).__doc__ for option in options)


def test_what_is_loaded_is_left_out_of_pickles(lexicon):
    metric = celab.TeslaCelab(lexicon=lexicon)
    metric.corpus_score(["买伞" * 500] * 20, [["买雨伞" * 500] * 20])
    assert {"engine", "options", "signature"} <= vars(metric).keys()
    assert len(pickle.dumps(metric)) < 2000


def test_a_relative_path_survives_a_change_of_folder(lexicon, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    metric = celab.TeslaCelab(lexicon=os.path.basename(lexicon))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert pickle.loads(pickle.dumps(metric)) == replace(metric) == metric


@pytest.mark.parametrize("kind", ["celab", "tesla-m"])
def test_a_lexicon_that_changed_or_is_gone_is_an_error(lexicon, metrics, kind):
    sent = pickle.dumps(metrics[kind])
    lexicon.write_text("雨伞\t伞\n", "utf-8")
    with pytest.raises(LexiconError, match=r"made with lexicon synonyms\.tsv@\w+, but here it is"):
        pickle.loads(sent)
    lexicon.unlink()
    with pytest.raises(LexiconError):
        pickle.loads(sent)


def test_what_stood_in_for_a_lexicon_is_what_travels(monkeypatch):
    from celab.lexicon import catalog

    monkeypatch.setattr(catalog, "installed_path", lambda name: None)
    with pytest.warns(UserWarning):
        metric = celab.TeslaCelab(lexicon="cilin")
    assert "|lex:zh-core@" in metric.signature
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_a_lexicon_that_is_missing_on_the_other_side_has_no_stand_in(monkeypatch):
    from celab.lexicon import catalog

    if catalog.installed_path("cilin") is None:
        pytest.skip("Cilin is not installed")
    sent = pickle.dumps(celab.TeslaCelab())
    monkeypatch.setattr(catalog, "installed_path", lambda name: None)
    with pytest.raises(LexiconError):
        pickle.loads(sent)


# ---- streams -----------------------------------------------------------------------------------


# ---- what is absent and what is not proved ------------------------------------------------------


# The smallest pair known that the reduction leaves to HiGHS.
HARD = "雨雨伞雨伞雨伞", "伞雨伞"


def test_absent_and_unproved_are_told_apart():
    metric = celab.TeslaCelab(lexicon=None, script="keep", time_limit=1e-9, on_error="skip")
    found = metric.corpus_score([HARD[0], "甲"], [[HARD[1], ""], ["", "甲"]])
    assert found.segments.present.tolist() == [[True, False], [False, True]]
    assert found.segments.scored.tolist() == [False, True]
    assert found.score == 1.0 and found.signature.endswith("|skipped:1")
    matrix = metric.pairwise([HARD[0], "雨"], [HARD[1], "", "伞"])
    assert np.isnan(matrix).tolist() == [[True, True, False], [False, True, False]]
    with pytest.raises(celab.SolverError):
        metric.with_run(on_error="raise").pairwise([HARD[0]], [HARD[1]])


@pytest.mark.parametrize("name", ["celab", "ter"])
def test_a_score_is_a_number_where_one_is_needed(name):
    score = celab.score(["买伞", "去"], ["买雨伞", "去北京"], name)
    for result in (score, score.segments[1]):
        number = result.score
        assert float(result) == number
        assert result >= number and result <= number and number <= result
        assert result > number - 0.1 and result < number + 0.1
        assert not result > number and not result < number
        assert result != number  # equality is that of the whole result
        with pytest.raises(TypeError):
            assert result > result
