"""Weights of n-grams: against the whole program in Fractions, by laws, and what is refused."""

from __future__ import annotations

import json
import pickle
import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import links as twin_links
from pairs import LINKS, ORDERS, group_lists, metric_for, random_groups

import celab
from celab._native.cover import cover_pairs, pair_program
from celab.cli import mbr
from celab.exact import weights
from celab.metrics.explaining import printed
from celab.nbest.mbr import rerank
from celab.nbest.nbest import Candidate, Sentence

COMMAND = mbr
TWINS = {"paper": twin_links.phrase_links, "release-2012": twin_links.release_2012_links}
LETTERS = "甲乙丙"
SMALL = st.text(LETTERS, min_size=1, max_size=5)
DECAYS = st.sampled_from([1.0, 0.5, 0.3, 0.75])


def written(folder, table, name="table.tsv"):
    """A table of weights in hundredths, as a file."""
    path = Path(folder) / name
    path.write_text("".join(f"{t}\t{w / 100:.2f}\n" for t, w in table.items()), "utf-8")
    return path


def plain():
    return celab.TeslaCelab(lexicon=None, max_order=1)


def weighted(folder, groups, table, **options):
    path = written(folder, table)
    return metric_for(Path(folder), groups, weights=path, script="keep", **options)


@pytest.mark.parametrize("letters", ["甲乙", "甲乙丙", "甲乙丙丁戊"])
@pytest.mark.parametrize("links", TWINS)
@pytest.mark.parametrize("order", [2, 4, 6])
def test_the_reduction_agrees_with_the_whole_program(letters, links, order, tmp_path):
    # 18 × 2 lexicons × 15 pairs; `check` raises where the two differ in a bit.
    rng = random.Random(f"weights {letters} {links} {order}")
    for _ in range(2):
        table = {letter: rng.choice((0, 1, 7, 50, 99, 100)) for letter in letters}
        table[letters[0]] = 13
        metric = weighted(
            tmp_path,
            random_groups(rng, letters),
            table,
            max_order=order,
            links=links,
            solver="check",
            decay=rng.choice((0.5, 0.7, 1.0)),
        )
        hyps = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(15)]
        refs = [letters[0] + "".join(rng.choices(letters, k=rng.randint(0, 13))) for _ in hyps]
        metric.corpus_score(hyps, [refs])


@pytest.mark.parametrize("table", [{"甲": 100, "乙": 37}, {"甲": 1, "乙": 0}, {"甲": 0, "乙": 63}])
@pytest.mark.parametrize(
    ("hyp", "ref"), [("甲乙" * 20, "乙甲甲" * 9), ("甲甲乙" * 15, "甲乙" * 30)]
)
def test_repetitive_pairs_agree_too(hyp, ref, table, tmp_path):
    metric = weighted(tmp_path, [["甲", "乙乙"]], table, solver="check", decay=0.9)
    metric.sentence_score(hyp, [ref])


def test_each_step_of_the_proof_is_reached(tmp_path):
    rng = random.Random(5)
    table = {letter: rng.randint(1, 100) for letter in "甲乙丙丁"}
    metric = weighted(tmp_path, [*random_groups(rng, "甲乙丙丁"), ["甲", "乙"]], table)
    hyps, refs = (["".join(rng.choices("甲乙丙丁", k=14)) for _ in range(400)] for _ in range(2))
    vocabulary, (ref,) = metric.engine.references([refs])
    hyp = metric.engine.hypotheses(hyps, vocabulary)
    each = np.arange(400, dtype=np.int32)
    steps = cover_pairs(hyp, ref, 4, False, each, each)[1]
    assert set(steps.ravel().tolist()) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("options", [{"weights": "information"}, {"weights": "references"}])
def test_real_pairs_agree_too(options, shared):
    folder = shared / "data" / "wmt21-enzh-sys"
    if not folder.is_dir():
        pytest.skip("wmt21-enzh-sys is not in ../shared/data")
    refs, hyps = (
        path.read_text("utf-8").splitlines()[::20]
        for path in (folder / "ref-A.txt", min((folder / "hyp").glob("*.txt")))
    )
    celab.TeslaCelab(solver="check", **options).corpus_score(hyps, [refs])


# ---- laws ----

TEXTS = st.lists(st.tuples(SMALL, SMALL), min_size=1, max_size=4)


def values_of(metric, pairs):
    hyps, refs = zip(*pairs, strict=True)
    return metric.corpus_score(hyps, [refs]).segments.values


@examples(30)
@given(
    TEXTS,
    group_lists(LETTERS),
    ORDERS,
    st.fixed_dictionaries({letter: st.integers(1, 20) for letter in LETTERS}),
    st.integers(2, 5),
    DECAYS,
)
def test_scaling_all_weights_changes_no_bit(pairs, groups, order, table, factor, decay):
    with tempfile.TemporaryDirectory() as folder:
        options = {"max_order": order, "decay": decay}
        one = weighted(folder, groups, table, **options)
        scaled = {letter: factor * weight for letter, weight in table.items()}
        other = weighted(folder, groups, scaled, **options)
    assert np.array_equal(values_of(one, pairs), values_of(other, pairs))


@examples(30)
@given(TEXTS, group_lists(LETTERS), ORDERS, LINKS, st.integers(1, 100))
def test_equal_weights_give_the_bits_of_unit_weights(pairs, groups, order, links, weight):
    with tempfile.TemporaryDirectory() as folder:
        options = {"max_order": order, "links": links}
        same = weighted(folder, groups, dict.fromkeys(LETTERS, weight), decay=1.0, **options)
        unit = metric_for(Path(folder), groups, script="keep", **options)
    assert np.array_equal(values_of(same, pairs), values_of(unit, pairs))


def test_a_token_of_weight_0_counts_for_nothing(tmp_path):
    metric = weighted(tmp_path, [], {"甲": 100, "乙": 0}, max_order=1)
    assert metric.sentence_score("甲", ["甲乙"]).score == 1.0
    assert metric.sentence_score("乙", ["甲乙"]).score == 0.0
    _, (ref,) = metric.engine.references([["甲乙"]])
    assert ref.weights.ngrams(ref, 0).tolist() == [100, 0]


def test_a_side_that_weighs_nothing(tmp_path):
    metric = weighted(tmp_path, [["甲", "乙"]], {"甲": 100, "乙": 0})
    found = metric.sentence_score("乙", ["甲"])
    assert (found.score, found.precision, found.recall) == (1.0, 0.0, 1.0)
    message = r"segment 2 has no reference that weighs anything: .*table.tsv"
    with pytest.raises(celab.InputError, match=message):
        metric.corpus_score(["甲", "甲"], [["甲", "乙乙"], ["甲", ""]])
    assert np.isnan(metric.pairwise(["甲"], ["甲", "乙"])).tolist() == [[False, True]]


def test_a_reference_that_weighs_nothing_is_absent_wherever_it_is_used(tmp_path):
    metric = weighted(tmp_path, [], {"甲": 100, "乙": 0}, max_order=1)
    # In an explanation.
    hyp, refs = "甲丙", ["乙乙", "甲"]
    found, expected = (
        metric.scorer([[ref] for ref in refs]).explain(hyp, refs),
        metric.sentence_score(hyp, refs),
    )
    assert (found.index, found.score) == ((1,), expected.score)
    with pytest.raises(celab.InputError):
        metric.explain(hyp, "乙")
    # In a mean, whichever part says so.
    for parts in ([metric, plain()], [plain(), metric]):
        mean = celab.Mean(parts)
        assert [ref.index for ref in mean.sentence_score(hyp, refs).references] == [1]
        assert mean.sentence_score(hyp, refs).score == mean.sentence_score(hyp, ["甲"]).score
        assert np.isnan(mean.pairwise([hyp], refs)).tolist() == [[True, False]]
        assert mean.scorer([[ref] for ref in refs]).explain(hyp, refs).index == (1,)
    # Among candidates.
    texts = ["乙乙", "甲丙", "甲"]
    candidates = tuple(Candidate(text, line) for line, text in enumerate(texts, 1))
    reranked = rerank(metric, Sentence("list", 0, candidates))
    utilities = metric.pairwise(texts, texts[1:])
    assert reranked.expected == pytest.approx(utilities.mean(axis=1), abs=1e-12)


# ---- explanations ----


@pytest.mark.parametrize("options", [{"weights": "information"}, {"decay": 0.5}, {}])
def test_explanations_add_up(options):
    metric = celab.TeslaCelab(**options)
    found = metric.explain("他去北京买伞，伞。", "他到北京买了雨伞，好。")
    sums = []
    for ngrams, rate in ((found.ref_ngrams, found.recall), (found.hyp_ngrams, found.precision)):
        covered, total = (sum(n.cover * n.weight for n in ngrams), sum(n.weight for n in ngrams))
        assert covered / total == pytest.approx(rate, abs=1e-9)
        sums.append((covered, total))
    (c_ref, n_ref), (c_hyp, n_hyp) = sums
    assert (c_ref + c_hyp / 4) / (n_ref + n_hyp / 4) == pytest.approx(found.score, abs=1e-9)
    table, decay = metric.engine.table, metric.options.decay
    for n in found.ref_ngrams:
        tokens = found.ref_tokens[slice(*n.span)]
        mean = sum(table.weigh(t) / 100 if table else 1 for t in tokens) / len(tokens)
        assert n.weight == pytest.approx(decay ** (len(tokens) - 1) * mean)
    assert found.to_dict()["ref_ngrams"][0]["weight"] == found.ref_ngrams[0].weight
    text = printed.explanation("", found.drawing(), width=80, color=False, ngrams=True)
    assert (f"with weights; {c_ref:.4f} of {n_ref:.4f} covered" in text) == bool(options)


# ---- tables ----


def test_information_weighs_rare_characters_more():
    table = weights.load_table("information", None)
    assert 0 < table.weigh("的") < table.weigh("北") < table.weigh("伞") < 100
    assert table.weigh("傘") == table.weigh("伞")  # Traditional as Simplified
    for symbol in ("。", "，", "“", "$", "☂", "🇨🇳", "👩‍👩‍👧", "……", "——"):
        assert table.weigh(symbol) == 10, symbol
    for whole in ("iPhone", "2021", "3.5", "A", "あ", "한", "雨伞", "\u0e34", "\u0301\u0301"):
        assert table.weigh(whole) == 100, whole
        assert whole == "雨伞" or table.letters[ord(whole[0])] == 100  # as the kernel has it
    assert table.weigh("伞\ufe00") == table.weigh("伞")
    n = sum(len(line.split("\t")[1]) for line in _lines_of_the_table())
    assert 6000 < n < 12000


def test_japanese_weighs_scripts():
    table = weights.load_table("information", "ja")
    expected = {"傘〇": 65, "の": 30, "ァンー": 50, "・。": 10, "Ａ": 100}
    for tokens, weight in expected.items():
        assert {table.weigh(token) for token in tokens} == {weight}


def _lines_of_the_table():
    from importlib import resources

    return (
        resources.files("celab.words").joinpath("characters-zh.txt").read_text("utf-8").splitlines()
    )


def test_signatures_name_table_and_decay(tmp_path):
    path = written(tmp_path, {"甲": 50})

    def signed(**options):
        signature = celab.TeslaCelab(lexicon=None, **options).signature
        return [part for part in signature.split("|") if part.startswith(("weights", "decay"))]

    assert signed() == signed(weights="unit", decay=1) == []
    (named,) = signed(weights=path, decay=1.0)
    assert named.startswith("weights:table.tsv-")
    written(tmp_path, {"甲": 51})
    assert signed(weights=path, decay=1.0) != [named]
    odd = written(tmp_path, {"甲": 50}, "my table|2.tsv")
    assert signed(weights=odd, decay=1.0) == [named.replace("table.tsv", "my_table_2.tsv")]


REFS = ["我去北京", "我去南京。", "他来北京。", "雨伞"]
HYPS = ["我到北京", "我去南京", "她来北京。", "伞"]


def test_references_decide_their_weights(tmp_path):
    metric = celab.TeslaCelab(lexicon=None, weights="references")
    whole = metric.corpus_score(HYPS, [REFS])
    table = weights.of_references(tuple(ref) for ref in REFS)
    assert f"|weights:{table.signature_id}|" in whole.signature
    assert table.weights == {"京": 32, "北": 57, "去": 57, "我": 57}
    same = celab.TeslaCelab(lexicon=None, weights=written(tmp_path, table.weights))
    assert np.array_equal(whole.segments.values, same.corpus_score(HYPS, [REFS]).segments.values)
    found = metric.scorer([REFS]).explain(HYPS[2], [REFS[2]])
    assert found.against[0].signature == metric.scorer([REFS]).signature
    # one reference alone: all its words weigh 1
    unit = celab.TeslaCelab(lexicon=None, decay=0.5)
    pair = "我去", ["我去京"]
    assert metric.sentence_score(*pair) == unit.sentence_score(*pair)


def test_a_pickled_metric_reads_its_table_again(tmp_path):
    path = written(tmp_path, {"甲": 50})
    metric = celab.TeslaCelab(lexicon=None, weights=path)
    assert pickle.loads(pickle.dumps(metric)) == metric
    pickled = pickle.dumps(metric)
    written(tmp_path, {"甲": 51})
    with pytest.raises(celab.OptionError, match=r"weights:table\.tsv-"):
        pickle.loads(pickled)


def test_kernels_refuse_weights_that_do_not_fit(tmp_path):
    plain = celab.TeslaCelab(lexicon=None, script="keep")
    vocabulary, (ref,) = plain.engine.references([["甲"]])
    hyp = plain.engine.hypotheses(["甲"], vocabulary)
    factor = np.ones(4, np.int32)
    letters = np.ones(0x110000, np.uint8)
    with pytest.raises(ValueError):
        weights.Weights(ref, letters[:5], len, factor)
    with pytest.raises(ValueError):
        weights.Weights(ref, letters, len, factor[:2])
    ref.weights = weights.Weights(ref, letters, len, factor)
    with pytest.raises(ValueError):
        cover_pairs(hyp, ref, 4, False, np.zeros(1, np.int32), np.zeros(1, np.int32))
    with pytest.raises(IndexError):
        ref.weights.ngrams(ref, 1)
    links = np.zeros((0, 4), np.int32)
    with pytest.raises(ValueError):
        pair_program(links, 1, 1, 4, np.ones(2, np.int64), np.ones(1, np.int64))
    with pytest.raises(ValueError):
        pair_program(links, 1, 1, 4, np.ones(1, np.int64), np.ones(2, np.int64))


# ---- commands ----


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref").write_text("".join(f"{line}\n" for line in REFS), "utf-8")
    Path("hyp").write_text("".join(f"{line}\n" for line in HYPS), "utf-8")


def test_mbr_names_them_ngram_weights(files, run):
    Path("nbest").write_text("0 ||| 买伞。 ||| x ||| 1\n0 ||| 买雨伞。 ||| x ||| 2\n", "utf-8")
    flags = "--weights", "softmax", "--ngram-weights", "information"
    told = run("nbest", *flags, "--lexicon", "none", "--json")
    assert json.loads(told.out)["weights"] == "softmax"
    assert "|weights:information-" in told.err
