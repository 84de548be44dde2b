"""sacreBLEU's metrics beside ours: the same numbers, of one corpus and of many resamples."""

from __future__ import annotations

import pickle
import shutil
from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from commands import refusal, run, write_lines
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU, CHRF, TER

import celab
from celab.base.errors import InputError, OptionError
from celab.metrics import sacrebleu_counts
from celab.metrics.baselines import Bleu, Chrf, ChrfPlusPlus, Ter
from celab.metrics.factory import make_metric
from celab.metrics.sacrebleu_counts import BaselineScorer

BASELINES = ("bleu", "chrf", "chrf++", "ter")
WORDS = st.lists(st.sampled_from("a bb ccc dd. 买 雨伞 x".split()), max_size=8).map(" ".join)
REFERENCE = WORDS.filter(bool)
CORPUS = st.lists(st.tuples(WORDS, REFERENCE, REFERENCE), min_size=1, max_size=5)


def theirs(name, lang="zh", **more):
    if name == "bleu":
        return BLEU(tokenize="zh" if lang == "zh" else "13a", **more)
    if name == "ter":
        return TER(normalized=lang == "zh", asian_support=lang == "zh")
    return CHRF(word_order=2 * (name == "chrf++"))


@pytest.mark.parametrize("name", BASELINES)
@examples(15)
@given(CORPUS)
def test_the_numbers_are_sacrebleus(name, corpus):
    hyps, *refs = map(list, zip(*corpus, strict=True))
    found = make_metric(name).corpus_score(hyps, refs)
    assert found.score == pytest.approx(theirs(name).corpus_score(hyps, refs).score, abs=1e-9)
    sentence = theirs(name, **{"effective_order": True} if name == "bleu" else {})
    for s, (hyp, *some) in enumerate(corpus):
        expected = sentence.sentence_score(hyp, some).score
        assert found.segments[s].score == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", BASELINES)
def test_scores_of_sums_are_scores_of_corpora(name):
    rng = np.random.default_rng(3)
    hyps, refs = (
        [" ".join(rng.choice("a b c d e f".split(), rng.integers(1, 9))) for _ in range(40)]
        for _ in range(2)
    )
    found = make_metric(name, lang="en").corpus_score(hyps, [refs])
    chosen = rng.integers(40, size=(5, 40))
    sums = np.stack([found.statistics[rows].sum(axis=0) for rows in chosen])
    expected = [
        theirs(name, "en").corpus_score([hyps[s] for s in rows], [[refs[s] for s in rows]]).score
        for rows in chosen
    ]
    assert found.aggregate(sums, 40) == pytest.approx(expected, abs=1e-9)
    assert found.of_segments(np.array([0, 1])) == pytest.approx(
        theirs(name, "en").corpus_score(hyps[:2], [refs[:2]]).score
    )


@pytest.mark.parametrize(("name", "moves"), [("bleu", True), ("ter", True), ("chrf", False)])
def test_a_blank_reference_is_absent_as_none_is_in_sacrebleu(name, moves):
    # docs/score-and-compare.md: sacreBLEU keeps a blank line as a reference of length 0.
    hyps, first = ["去", "去北京去北京旅游"], ["去北京旅游", "去北京去北京旅游"]
    found = make_metric(name).corpus_score(hyps, [first, ["", "去了北京"]]).score
    absent = theirs(name).corpus_score(hyps, [first, [None, "去了北京"]]).score
    blank = theirs(name).corpus_score(hyps, [first, ["", "去了北京"]]).score
    assert found == pytest.approx(absent, abs=1e-9)
    assert (found != pytest.approx(blank, abs=1e-9)) == moves


def test_references_may_be_absent_and_signatures_are_sacrebleus():
    metric = make_metric("bleu")
    found = metric.corpus_score(["买 雨伞", "a"], [["买 雨伞", ""], ["买 伞", "a"]])
    expected = BLEU(tokenize="zh").corpus_score(
        ["买 雨伞", "a"], [["买 雨伞", None], ["买 伞", "a"]]
    )
    assert found.score == pytest.approx(expected.score)
    assert found.signature.startswith("bleu|nrefs:var|case:mixed|eff:no|tok:zh|smooth:exp|version:")
    assert str(found).startswith("BLEU = ") and found.precision is None
    assert found.segments[0].references == ()
    assert make_metric("bleu", lang="de").signature.startswith("bleu|case:mixed|eff:no|tok:13a|")
    assert not make_metric("ter").corpus_score(["a"], [["a"]]).higher_is_better
    with pytest.raises(InputError):
        metric.corpus_score(["a", "b"], [["a", " "]])


@pytest.mark.parametrize(
    ("lang", "hyp", "ref"),
    [
        ("ja", "昨日傘を買った", "昨日は傘を買った"),
        ("th", "ฉันซื้อร่มเมื่อวานนี้", "ฉันซื้อร่มเมื่อวาน"),
        ("lo", "ຂ້ອຍຊື້ຄັນຮົ່ມມື້ວານນີ້", "ຂ້ອຍຊື້ຄັນຮົ່ມມື້ວານ"),
        ("km", "ខ្ញុំបានទិញឆ័ត្រម្សិលមិញ", "ខ្ញុំបានទិញឆ័ត្រកាលពីម្សិលមិញ"),
        ("my", "ငါမနေ့ကထီးဝယ်ခဲ့တယ်", "မနေ့ကငါထီးဝယ်ခဲ့တယ်"),
    ],
)
def test_text_without_white_space_is_cut_into_characters(lang, hyp, ref):
    found = make_metric("bleu", lang=lang).corpus_score([hyp], [[ref]])
    expected = BLEU(tokenize="char").corpus_score([hyp], [[ref]])
    assert found.score == pytest.approx(expected.score) and expected.score > 25
    assert "|tok:char|" in found.signature
    # sacreBLEU's TER cuts the characters of Chinese and Japanese only.
    asian = "yes" if lang == "ja" else "no"
    assert f"|norm:{asian}|punct:yes|asian:{asian}|" in make_metric("ter", lang=lang).signature


@pytest.mark.parametrize(
    "hyps", [["买雨伞", "今天天气好"], ["甲", "乙"], ["", ""], ["我在北京 x", "y"]]
)
def test_details_are_sacrebleus(hyps):
    refs = [["买伞", "今天天气很好"]]
    found = make_metric("bleu").corpus_score(hyps, refs)
    expected = BLEU(tokenize="zh").corpus_score(hyps, refs)
    shown = Bleu.details(found)
    assert f"{shown['precisions']} (BP = {shown['BP']} ratio = {shown['ratio']}" in str(expected)
    assert f"hyp_len = {shown['hyp_len']} ref_len = {shown['ref_len']})" in str(expected)
    for name in ("chrf", "chrf++"):
        details = Chrf.details if name == "chrf" else ChrfPlusPlus.details
        theirs_now = theirs(name, "zh")
        assert details(make_metric(name).corpus_score(hyps, refs)) == {
            "char order": str(theirs_now.char_order),
            "word order": str(theirs_now.word_order),
            "beta": str(theirs_now.beta),
        }


# ---- TER on Chinese text ----

LONG = ["雨伞" * 100] * 500  # hours of sacreBLEU's time


@pytest.fixture
def started(monkeypatch):
    """Raises when sacreBLEU starts to count."""

    def start(*_):
        raise InputError("it has started")

    monkeypatch.setattr(sacrebleu_counts, "_counts", start)


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize(
    "score",
    [
        lambda: Ter().corpus_score(LONG, [LONG]),
        lambda: Ter().corpus_scores({"A": LONG, "B": LONG}, [LONG]),
        lambda: celab.compare(LONG, LONG, LONG, ["ter"]),
    ],
)
def test_slow_ter_is_said_before_it_starts_in_python(score):
    with (
        pytest.warns(celab.InputWarning, match=r"^TER may take about .*, or use chrf$") as seen,
        pytest.raises(InputError, match="it has started"),
    ):
        score()
    assert len(seen) == 1


def scored_by_ter(tmp_path, texts):
    """Yields commands that score by TER, each with its references."""
    text, other = (write_lines(tmp_path / name, *texts) for name in ("long.zh", "other.zh"))
    folder = tmp_path / "set"
    (folder / "hyp").mkdir(parents=True)
    for copy in ("ref-A.txt", "hyp/a.txt", "hyp/b.txt"):
        shutil.copy(text, folder / copy)
    write_lines(folder / "human-sys.tsv", "a\t1", "b\t2")
    yield text, "score", "-m", "ter", text, other
    yield text, "compare", "-m", "ter", text, other, text
    yield folder / "ref-A.txt", "meta", "-m", "ter", folder


@pytest.mark.usefixtures("started")
def test_slow_ter_is_said_before_it_starts_on_the_command_line(tmp_path):
    for slow, command, *words in scored_by_ter(tmp_path, LONG[:20]):
        done = run(command, "-q", *words, encoding="utf-8")
        warned, error = done.stderr.rstrip().split("\n")
        assert "warning: " in warned and f"{slow}" in warned and ": TER may take about " in warned
        assert "error: " in error and "it has started" in error
        told = refusal(command, "--strict", *words)
        assert "TER may take about " in told and "--strict makes this an error" in told


@pytest.mark.usefixtures("started")
def test_ter_of_more_than_ten_minutes_must_be_asked_for_on_the_command_line(tmp_path):
    for slow, command, *words in scored_by_ter(tmp_path, LONG):
        told = refusal(command, *words)  # one line, before it starts
        assert f"error: {slow}: TER may take about " in told
        assert told.endswith("; leave it out, or use chrf; add --slow to run it anyway")
        done = run(command, "-q", "--strict", "--slow", *words, encoding="utf-8")
        warned, error = done.stderr.rstrip().split("\n")
        assert f"warning: {slow}: TER may take about " in warned and "it has started" in error


def test_the_slowest_metric_is_last_but_the_columns_are_as_asked_for(monkeypatch, tmp_path):
    text = write_lines(tmp_path / "text.zh", "买雨伞", "去北京")
    order, real = [], BaselineScorer._score

    def score_and_note(self, *arguments):
        order.append(self.metric.name)
        return real(self, *arguments)

    monkeypatch.setattr(BaselineScorer, "_score", score_and_note)
    scored = celab.Campaign.read(text, text).score(["ter", "chrf"])
    assert order == ["chrf", "ter"] and list(scored.scores) == list(scored.metrics)
    assert list(scored.scores) == ["ter", "chrf"]
    done = run("score", "-m", "ter", "chrf", "--tsv", text, text, encoding="utf-8")
    assert done.stdout.startswith("system\tter\tchrf\t")


def test_the_time_of_ter_is_estimated_from_any_number_of_texts():
    assert Ter().estimate_seconds([[]]) == 0
    alone = Ter().estimate_seconds([["雨" * 200]])
    assert Ter().estimate_seconds([["雨" * 200] * 50]) == pytest.approx(50 * alone)


def test_quick_ter_is_not_warned_about():
    assert Ter().slow_warning([["我们明天去北京"] * 1000]) == ""
    assert Ter().slow_warning([["a sentence of seven words , say"] * 10_000], n_systems=20) == ""
    assert Ter().slow_warning([[text[:40] for text in LONG]], n_systems=1) == ""
    assert "about 27 minutes" in Ter().slow_warning([LONG])
    assert "about 2 hours" in Ter().slow_warning([LONG], n_systems=5)


OPTIONS = [
    (Bleu, BLEU, {"tokenize": "13a", "lowercase": True}),
    (Bleu, BLEU, {"tokenize": "char", "smooth_method": "add-k", "smooth_value": 0.5}),
    (Chrf, CHRF, {"char_order": 4, "word_order": 1, "beta": 1, "whitespace": True}),
    (ChrfPlusPlus, CHRF, {"beta": 3, "lowercase": True, "eps_smoothing": True}),
    (Ter, TER, {"asian_support": False, "normalized": False, "no_punct": True}),
    (Ter, TER, {"asian_support": True, "normalized": True, "case_sensitive": True}),
]


@pytest.mark.parametrize(("kind", "theirs", "options"), OPTIONS)
def test_options_are_sacrebleus(kind, theirs, options):
    hyps, refs = ["The Cat sat.", "去 北京"], [["the cat sat on it", "去北京 吧"], ["A cat", "到"]]
    metric = kind(**options)
    found = metric.corpus_score(hyps, refs)
    own = theirs(**options | ({"word_order": 2} if kind is ChrfPlusPlus else {}))
    expected = own.corpus_score(hyps, refs)
    assert found.score == pytest.approx(expected.score, abs=1e-9)
    signature = f"{kind.name}|{own.get_signature()}"
    assert found.signature.without("beta", "value") == signature
    if theirs is not TER:
        assert found.name == expected.name
    for copy in (pickle.loads(pickle.dumps(metric)), replace(metric), kind(**metric.arguments())):
        assert copy == metric and copy.corpus_score(hyps, refs) == found
    assert metric != kind() and metric.arguments() == {"lang": None} | options
    assert pickle.loads(pickle.dumps(found)).aggregate(found.statistics.sum(axis=0), 2) == (
        found.score
    )


def test_what_sacrebleus_signature_leaves_out_is_in_ours():
    assert Chrf(beta=3).signature.startswith("chrf|beta:3|case:mixed|")
    assert Chrf(beta=3) != Chrf() and "beta" not in Chrf().signature
    near = [Bleu(smooth_method="floor", smooth_value=value) for value in (0.1, 0.101, 0.104)]
    assert "|smooth:floor[0.10]|" in near[2].signature and len({*near}) == 3
    assert near[0].signature.part("value") is None and near[1].signature.part("value") == "0.101"


def test_details_follow_the_options():
    hyps, refs = ["今天天气", "买 x"], [["今天天气很好", "买伞"]]
    for options in ({"smooth_method": "add-k"}, {"smooth_method": "none"}, {"lowercase": True}):
        shown = Bleu.details(Bleu(**options).corpus_score(hyps, refs))
        expected = BLEU(tokenize="zh", **options).corpus_score(hyps, refs)
        assert f"{shown['precisions']} (BP = {shown['BP']} " in str(expected)
    score = Chrf(char_order=3, word_order=1, beta=4).corpus_score(hyps, refs)
    assert Chrf.details(score) == {"char order": "3", "word order": "1", "beta": "4"}
    assert score.name == "chrF4+"


def test_what_follows_the_language_can_be_given():
    assert Bleu().options.tokenize == "zh" and Bleu("fr").options.tokenize == "13a"
    assert Bleu("zh", tokenize="13a").options.tokenize == "13a"
    assert (Ter().options.asian_support, Ter("en").options.asian_support) == (True, False)
    with pytest.raises(OptionError):
        Bleu(smooth_value=0.5)
    with pytest.raises(OptionError):
        Chrf(char_order=0)
    with pytest.raises(OptionError):
        Chrf(word_order=-1)


COUNTED = ["买买买伞，3.5米", "买伞", "a a a b", "A  a", "(aaaa) aaaa. aa", "\ud800x", "买\u3000伞"]


@pytest.mark.filterwarnings("ignore:.*almost no Chinese characters")
@pytest.mark.parametrize(
    ("theirs", "metric"),
    [
        (CHRF(), Chrf()),
        (CHRF(char_order=2, beta=1), Chrf(char_order=2, beta=1)),
        (CHRF(whitespace=True), Chrf(whitespace=True)),
        (CHRF(lowercase=True, eps_smoothing=True), Chrf(lowercase=True, eps_smoothing=True)),
        (CHRF(word_order=2), ChrfPlusPlus()),
        (BLEU(tokenize="zh"), Bleu()),
        (BLEU(tokenize="13a", lowercase=True), Bleu(lang="en", lowercase=True)),
    ],
)
def test_counts_are_sacrebleus(theirs, metric):
    """Also where the references of a segment are one, two or three, and one of them is best."""
    sides = [COUNTED, [*COUNTED[1:], ""], ["", "", *COUNTED[2:]]]
    for hyp, n_refs in product(["", *COUNTED], (1, 2, 3)):
        hyps, refs = [hyp] * len(COUNTED), sides[:n_refs]
        expected = theirs._extract_corpus_statistics(hyps, [[x or None for x in s] for s in refs])
        assert metric.corpus_score(hyps, refs).statistics.tolist() == expected


# ---- all pairs ----

VARIANTS = [
    *(("chrf", options) for options in ({}, {"word_order": 1}, {"eps_smoothing": True})),
    *(("chrf", options) for options in ({"whitespace": True}, {"lowercase": True, "beta": 3})),
    *(("chrf++", options) for options in ({}, {"char_order": 2})),
    *(("bleu", options) for options in ({}, {"smooth_method": "none"}, {"lowercase": True})),
]


@pytest.mark.parametrize(("name", "options"), VARIANTS)
@pytest.mark.parametrize("size", [128, 2])
def test_pairs_have_the_scores_of_sentences(name, options, size, monkeypatch):
    monkeypatch.setattr(sacrebleu_counts, "_MAX_BATCH_TEXTS", size)
    metric = make_metric(name, **options)
    texts = ["买买买伞", "买伞", "a a a b", "A a", "", "aaaa aaaa aa", "x"]
    refs = ["买买伞", " ", *texts, "a"]
    for columns in (texts, refs):  # a square, whose sides are the same, and others
        found = metric.pairwise(texts, columns)
        for (h, r), score in np.ndenumerate(found):
            if columns[r].strip():
                assert score == metric.sentence_score(texts[h], [columns[r]]).score
            else:
                assert np.isnan(score)


def test_each_text_is_read_once_for_all_pairs(monkeypatch):
    read, real = [], CHRF._extract_reference_info

    def extract(self, refs):
        read.extend(refs)
        return real(self, refs)

    monkeypatch.setattr(CHRF, "_extract_reference_info", extract)
    texts = ["买伞", "买雨伞", "天气好"]
    Chrf().pairwise(texts, [*texts, "好"])
    assert sorted(read) == sorted([*texts, "好"])


def test_long_texts_are_counted_in_small_blocks():
    texts, blocks = ["买" * 100_000, "伞"], []
    for rows, columns, *_, matched in sacrebleu_counts.count_pairs(
        texts, texts, lambda t: [Counter(t)]
    ):
        blocks.append((rows.stop - rows.start, columns.stop - columns.start))
        assert matched.shape == (1, 1, 1)
    assert blocks == [(1, 1)] * 4
