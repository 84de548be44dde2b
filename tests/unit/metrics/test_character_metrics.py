"""CER, MER and ROUGE agree with jiwer, rouge-score and programs of our own."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from oracle import edits as slow
from oracle import shared_ngrams

import celab
from celab.base.text.tokens import CharacterTokens, Vocabulary
from celab.cli import main
from celab.metrics.factory import make_metric
from celab.metrics.options import CharacterOptions
from celab.metrics.scores import Score

COMMAND = main
# Characters of all kinds: Han, kana, Hangul, astral, composed and with marks, words, white space.
PIECES = [
    *"中文的了和〇々字ﾊﾟカか한국어𠀀𠮷aBß3٣éΣİ①👍。，！?.,'-:%_ \t\u3000",
    *("e\u0301", "か\u3099", "n\u0303\u0323", "ab", "GPT-4", "3.5", "don't", "привет", "Ελλάς"),
    *(
        "ที่",
        "नि",
        "👨\u200d👩\u200d👧",
        "🇨🇳",
        "ＡＢ",
        "１２",
        "\u200d",
        "\u0301",
        "\ue000",
        "\U000f0000",
    ),
]
TRADITIONAL = [*PIECES, "買", "週", "豈"]


def texts(seed, pieces=PIECES, n=1500):
    """Return random texts, some of them empty, and edited copies of them."""
    draw = random.Random(seed)
    refs = [draw.choices(pieces, k=draw.choice((0, 1, 3, 8, 12))) for _ in range(n)]
    hyps = []
    for ref in refs:
        hyp = list(ref) if draw.random() < 0.8 else draw.choices(pieces, k=5)
        for _ in range(draw.randint(0, 4)):
            at = draw.randint(0, len(hyp))
            hyp[at : at + draw.randint(0, 1)] = draw.choices(pieces, k=draw.randint(0, 1))
        hyps.append(hyp)
    return ["".join(hyp) for hyp in hyps], ["".join(ref) for ref in refs]


@pytest.mark.parametrize("name", ["cer", "mer"])
@pytest.mark.parametrize("punctuation", ["drop", "keep"])
def test_error_rates_are_those_of_the_table(name, punctuation):
    hyps, refs = texts(1)
    metric = celab.Cer if name == "cer" else celab.Mer
    score = metric(punctuation=punctuation).corpus_score(hyps, [refs])
    unit = "char" if name == "cer" else "mixed"
    pairs = [
        [slow.cut(text, unit, punctuation) for text in pair]
        for pair in zip(hyps, refs, strict=True)
    ]
    expected = [[*slow.count_edits(hyp, ref), len(ref)] for hyp, ref in pairs]
    assert score.statistics.tolist() == expected
    *edits, length = np.sum(expected, axis=0).tolist()
    assert score.score == 100 * sum(edits) / length
    assert score.edits == dict(
        zip(("substituted", "deleted", "inserted", "reference"), (*edits, length), strict=True)
    )


@pytest.mark.parametrize("metric", [celab.Cer(), celab.Mer(punctuation="keep")])
def test_error_rates_are_those_of_jiwer(metric):
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    hyps, refs = texts(2)
    cut = [[metric.tokens.cut(text) for text in side] for side in (hyps, refs)]
    numbers: dict[str, str] = {}  # words, because jiwer changes white space inside tokens
    hyp_words, ref_words = (
        [" ".join(numbers.setdefault(t, f"w{len(numbers)}") for t in tokens) for tokens in side]
        for side in cut
    )
    theirs = jiwer.process_words(ref_words, hyp_words)
    score = metric.corpus_score(hyps, [refs])
    n_edits = theirs.substitutions + theirs.deletions + theirs.insertions
    assert score.statistics[:, :-1].sum() == n_edits
    assert score.score == pytest.approx(100 * theirs.wer, rel=1e-12)


@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL"])
def test_rouge_is_that_of_the_twins(name):
    hyps, refs = texts(3)
    score = Scored(name, hyps, refs)
    for segment, hyp, ref in zip(score.segments, score.hyp_tokens, score.ref_tokens, strict=True):
        order = {"rouge1": 1, "rouge2": 2}.get(name)
        if order is None:
            shared, totals = slow.longest_common(hyp, ref), (len(hyp), len(ref))
        else:
            shared = shared_ngrams.count_shared(hyp, [ref], order)[-1]
            totals = tuple(max(0, len(side) - order + 1) for side in (hyp, ref))
        expected = 200 * shared / max(sum(totals), 1)
        assert segment.score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL"])
def test_rouge_is_that_of_rouge_score(name):
    rouge_scorer = pytest.importorskip(
        "rouge_score.rouge_scorer", reason="rouge-score is not installed"
    )
    hyps, refs = texts(4)
    scored = Scored(name, hyps, refs)

    class Tokens:
        @staticmethod
        def tokenize(text):
            return scored.metric.tokens.cut(text)

    theirs = rouge_scorer.RougeScorer([name], tokenizer=Tokens)
    for segment, hyp, ref in zip(scored.segments, scored.hyps, scored.refs, strict=True):
        expected = theirs.score(ref, hyp)[name]
        found = segment.precision, segment.recall, segment.score
        assert found == pytest.approx([100 * value for value in expected], rel=1e-12)


class Scored:
    """The score of the texts that have a token in the reference, and these."""

    def __init__(self, name, hyps, refs):
        self.metric = make_metric(name)
        pairs = [pair for pair in zip(hyps, refs, strict=True) if self.metric.is_reference(pair[1])]
        self.hyps, self.refs = ([*side] for side in zip(*pairs, strict=True))
        self.segments = self.metric.corpus_score(self.hyps, [self.refs]).segments
        cut = [[slow.cut(text, "mixed", "keep") for text in s] for s in (self.hyps, self.refs)]
        self.hyp_tokens, self.ref_tokens = cut


@pytest.mark.parametrize("unit", ["char", "mixed"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"punctuation": "keep", "case": "keep"},
        {"width": "keep", "script": "keep"},
        {"script": "traditional"},
        {"opencc": "tw2sp"},
    ],
)
@pytest.mark.parametrize("lang", ["zh", "ja", "th"])
def test_texts_translated_by_the_table_are_those_that_are_cut(unit, options, lang):
    tokens = CharacterTokens(CharacterOptions(**options), unit, lang)
    sides = texts(5, TRADITIONAL, n=300)
    sides[0].extend(chr(code) for code in range(0x3000) if code < 0x700 or code >= 0x2000)
    for side in sides:
        vocabulary = Vocabulary()
        ids = tokens.encode(side, vocabulary)
        expected = [[vocabulary[t] for t in tokens.cut(text)] for text in side]
        assert [ids.text(k).tolist() for k in range(len(ids))] == expected


def test_a_segment_without_reference_is_all_insertions():
    for silence in ("", "。", None, " \n"):
        score = celab.Cer().corpus_score(["好的", "去"], [[silence, "去吧"]])
        assert score.statistics.tolist() == [[0, 0, 2, 0], [0, 1, 0, 2]]
        assert (score.score, score.segments.scores.tolist()) == (150.0, [100.0, 50.0])
    assert celab.Cer().corpus_score(["。", "去"], [["", "去"]]).score == 0


def test_of_several_references_the_fewest_edits_count():
    metric = celab.Cer()
    # One edit of two characters, and two edits of five.
    refs = [["去哪"], ["去哪里好呀"], [""]]
    assert metric.corpus_score(["去吧"], refs).statistics.tolist() == [[1, 0, 0, 2]]
    # Of equally many edits, the longest.
    assert metric.corpus_score(["去吧"], [["去"], ["去吧呀"]]).statistics[0, -1] == 3
    assert celab.RougeL().sentence_score("去吧", ["去", "去吧呀"]).score == 80


def test_mer_is_the_mixed_rate():
    score = celab.Mer().corpus_score(["打开 word 文件"], [["打开 Excel 文件。"]])
    assert score.score == 20  # one of five
    assert "|tok:mixed|" in score.signature


def test_options_change_what_counts():
    pair = ["Hello，世界"], [["hello 世界"]]
    assert celab.Cer().corpus_score(*pair).score == 0
    assert celab.Cer(case="keep").corpus_score(*pair).statistics[0, 0] == 1
    assert celab.Cer(punctuation="keep").corpus_score(*pair).statistics[0, 2] == 1
    traditional = ["買傘"], [["买伞"]]
    assert celab.Cer().corpus_score(*traditional).score == 0
    assert celab.Cer(script="keep").corpus_score(*traditional).score == 100
    assert celab.Cer(lang="ja").corpus_score(*traditional).score == 100


def test_edits_of_a_corpus_with_silence(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("你好。\n\n去北京\n", encoding="utf-8")
    Path("hyp.txt").write_text("你号\n嗯\n去北京\n", encoding="utf-8")
    edits = {"substituted": 1, "deleted": 0, "inserted": 1, "reference": 5}
    stored = json.loads(run("score", "-q", "-m", "cer", "ref.txt", "hyp.txt", "--json").out)
    (system,) = stored["system"]
    assert {name: system[name] for name in edits} == edits
    assert stored["output"] == []
    assert "substituted = 1" in run("score", "-q", "-m", "cer", "ref.txt", "hyp.txt").out
    details = run(
        "score", "-q", "-m", "cer", "--details", "-r", "ref.txt", "-s", "hyp.txt", "ref.txt"
    )
    assert "substituted  deleted  inserted  reference" in details.out
    assert "40.00" in run("compare", "-q", "-m", "cer", "ref.txt", "hyp.txt", "ref.txt").out
    rows = run("score", "-q", "-m", "cer", "--segments", "ref.txt", "hyp.txt").out
    assert rows.splitlines()[2].split("\t")[:2] == ["2", "100.0"]
    run("score", "-m", "cer", "chrf", "ref.txt", "hyp.txt", code=2)  # chrF needs text


def test_a_stream_of_empty_references_writes_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("。\n\n", encoding="utf-8")
    Path("hyp.txt").write_text("好\n嗯\n", encoding="utf-8")
    for output in (["-o", "out.tsv"], []):
        done = run("score", "-m", "cer", "--segments", *output, "ref.txt", "hyp.txt", code=2)
        assert "no reference has a character that cer counts" in done.err
        assert done.out == ""
    assert not Path("out.tsv").exists()


def test_silent_batches_of_a_stream_are_written_with_the_next(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("celab.cli.batches.STREAM_BATCH", 2)
    Path("ref.txt").write_text("。\n\n\n去\n\n", encoding="utf-8")
    Path("hyp.txt").write_text("嗯\n" * 5, encoding="utf-8")
    rows = run("score", "-q", "-m", "cer", "--segments", "ref.txt", "hyp.txt").out.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["segment", "1", "2", "3", "4", "5"]


def test_a_campaign_of_files_with_silence(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("去\n\n", encoding="utf-8")
    Path("hyp.txt").write_text("去\n嗯\n", encoding="utf-8")
    campaign = celab.Campaign.read("ref.txt", "hyp.txt")
    assert campaign.score("cer").scores["cer"]["hyp"].score == 100
    for metrics in ("chrf", ["cer", "celab"]):
        with pytest.raises(celab.InputError, match=r"^line 2 is blank in ref\.txt"):
            campaign.score(metrics)
    assert len(celab.Campaign.read("ref.txt", "hyp.txt", skip_missing=True).corpus.segments) == 1


def test_equal_transcripts_are_no_copies(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"今天我们去北京第{number}次看展览馆\n" for number in range(100, 160)]
    Path("ref.txt").write_text("".join(lines), encoding="utf-8")
    Path("hyp.txt").write_text("".join(["一切都好\n"] * 30 + lines[30:]), encoding="utf-8")
    copies = "30 of 60 segments are copies"
    for flags in ([], ["--segments"]):
        assert copies not in run("score", "-m", "cer", *flags, "ref.txt", "hyp.txt").err
        assert copies in run("score", "-m", "chrf", *flags, "ref.txt", "hyp.txt").err
    assert copies in run("score", "-m", "cer", "chrf", "--", "ref.txt", "hyp.txt").err
    assert "is the reference given" not in run("score", "-m", "cer", "ref.txt", "ref.txt").err
    refused = run("score", "-m", "cer", "--fail-on", "reference-copy", "ref.txt", "hyp.txt", code=2)
    assert "an output that equals its reference is the aim of cer" in refused.err


def test_parts_of_a_corpus_may_be_silent():
    scorer = celab.Cer().scorer([["", "去"]])
    parts = [scorer(["嗯"], [[""]]), scorer(["去"], [["去"]])]
    assert Score.joined(parts).score == 100
    with pytest.raises(celab.InputError):
        Score.joined(parts[:1] * 2)


def test_explanations_by_edits_are_shown():
    segment = celab.explain("打开word", ["开 Excel", "打开Excel。"], "mer")
    assert (segment.score, segment.index) == (pytest.approx(100 / 3), (0, 1))
    assert [len(pair.edits) for pair in segment.against] == [2, 1]
    assert "best of 2 references: score 33.33\n" in str(segment)
    assert segment.to_dict()["precision"] is None
    shown = segment._repr_html_()
    assert "substituted" in shown
    assert "n-grams" not in shown
    silent = celab.Cer().explain("嗯", "。")
    assert (silent.score, [edit.kind for edit in silent.edits]) == (100, ["inserted"])
    assert celab.explain("嗯", [""], "cer").score == 100


def test_frequent_edits_of_a_system(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ref.txt").write_text("来啦啦。\n好的\n用Excel\n", encoding="utf-8")
    Path("hyp.txt").write_text("来喇喇\n好\n用 Word嗯\n", encoding="utf-8")
    stored = run("score", "-q", "-m", "mer", "--error-profile", "--json", "ref.txt", "hyp.txt")
    keys = ("kind", "reference", "output", "count")
    assert [tuple(x[k] for k in keys) for x in json.loads(stored.out)["frequent_edits"]] == [
        ("substituted", "啦", "喇", 2),
        ("substituted", "excel", "word", 1),
        ("deleted", "的", "", 1),
        ("inserted", "", "嗯", 1),
    ]
    run("score", "-q", "-m", "mer", "--html", "page.html", "ref.txt", "hyp.txt")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<td><bdi>啦 → 喇 2</bdi>, <bdi>excel → word 1</bdi></td>" in page
    campaign = celab.Campaign.from_lists({"A": ["喇"], "B": ["啦"]}, [["啦"], ["拉"]])
    profile = campaign.score(["chrf", "cer"]).error_profile(n_resamples=40)
    assert [(x.system, x.text) for x in profile.frequent] == [("A", "啦 → 喇 1")]
    assert not campaign.score("chrf").error_profile(n_resamples=40).frequent
