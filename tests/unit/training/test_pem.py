"""PEM and `celab para`: figures against slow versions, models, and bad input."""

import json
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle import training as oracle
from test_feature_weights import ARPA

import celab
from celab.base.text.tokens import cut
from celab.training.pem import _difference

TEXT = st.text("买雨伞了, ab", min_size=1, max_size=12).filter(str.strip)
PAIRS = [("买雨伞", "买伞"), ("我要买伞", "我想买雨伞"), ("去北京", "去上海"), ("来了", "来了")]


@given(TEXT, TEXT)
def test_difference_is_one_minus_f1_of_all_ngrams(source, candidate):
    expected = oracle.difference(*(cut(text, tokenize="char") for text in (source, candidate)))
    assert _difference([source], [candidate])[0] == pytest.approx(expected)


def test_meaning_is_tesla_celab_with_f_1_or_the_pivot_f1(tmp_path):
    sources, candidates = zip(*PAIRS, strict=True)
    for pem, metric in (
        (celab.Pem("zh"), celab.recommended("zh", f=1.0, length_limit=1000)),
        (celab.Pem(length_limit=1.1), celab.recommended("zh", f=1.0, length_limit=1.1)),
        (celab.Pem(lexicon="cilin", weights="unit"), celab.TeslaCelab(decay=0.3, f=1.0)),
        (celab.Pem("ja"), celab.TeslaCelab(lang="ja", f=1.0)),
    ):
        found = pem.scores(sources, candidates)
        expected = metric.corpus_score(candidates, [sources]).segments.scores
        assert found.meaning.tolist() == expected.tolist()
    assert (found.fluency, found.score) == (None, None)
    assert found.meaning[3] == 1 and found.difference[3] == 0
    rows = "Hello ,\tBonjour ,\t9\nHello ,\tSalut ,\t1\nMorning ,\tBonjour ,\t1\nsir\tmonsieur\t1\n"
    (tmp_path / "t.tsv").write_text(rows, "utf-8")
    celab.pivot.build(tmp_path / "t.tsv", tmp_path / "t.pivot", lang="en")
    pem = celab.Pem(pivot=tmp_path / "t.pivot")
    found = pem.scores(["Hello , Querrien ."], ["Morning , sir ."])
    assert found.meaning.tolist() == pytest.approx([0.38])  # the paper's example
    assert pem.signature.startswith("pem|meaning:pivot:t@")
    with pytest.raises(celab.OptionError):
        celab.Pem("zh", pivot=tmp_path / "t.pivot")


def test_one_score_by_regression(tmp_path):
    svm = pytest.importorskip("sklearn.svm")
    pytest.importorskip("kenlm")
    (tmp_path / "lm.arpa").write_text(ARPA, "utf-8")
    sources, candidates = zip(*PAIRS * 6, strict=True)
    wanted = [len(text) / 5 for text in candidates]
    plain = celab.Pem(lexicon=None, lm=tmp_path / "lm.arpa")
    path = tmp_path / "m.json"
    found = plain.fit(sources, candidates, wanted, path).scores(sources, candidates)
    values = np.stack(found[:3], axis=1)
    spread = values.std(axis=0)
    theirs = svm.SVR().fit(values / spread, wanted)
    assert found.score == pytest.approx(theirs.predict(values / spread))
    told = json.loads(path.read_text("utf-8"))
    slow = oracle.svr(
        values[0] / spread, told["vectors"], told["coefficients"], told["gamma"], told["intercept"]
    )
    assert found.score[0] == pytest.approx(slow)
    again = celab.Pem(lexicon=None, model=path)  # which names the language model itself
    assert again.scores(sources, candidates).score.tolist() == found.score.tolist()
    assert "|model:" in again.signature
    with pytest.raises(celab.InputError, match=r"was trained with pem\|.*lex:none.*, but here it"):
        celab.Pem(model=path)
    (tmp_path / "lm.arpa").write_text(ARPA.replace("-0.9", "-0.8"), "utf-8")
    with pytest.raises(celab.InputError, match=r"of digest \w+, but here it has"):
        celab.Pem(lexicon=None, model=path)
    told = json.loads(path.read_text("utf-8")) | {"coefficients": [1, "x"]}
    (tmp_path / "lm.arpa").write_text(ARPA, "utf-8")
    path.write_text(json.dumps(told), "utf-8")
    with pytest.raises(celab.InputError):
        celab.Pem(lexicon=None, model=path)
    with pytest.raises(celab.InputError):
        celab.Pem(lexicon=None).fit(*zip(*PAIRS, strict=True), [1, 2, 3, 4], path)


def test_training_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    sources, candidates = zip(*PAIRS * 6, strict=True)
    with pytest.raises(celab.OptionError, match=r"\[train\]"):
        celab.Pem(lexicon=None).fit(sources, candidates, [0.0] * 24, tmp_path / "m.json")
