"""Laws of DICOMER and CREMER, on drawn texts of several sentences."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.corpus import Corpus, Segment
from celab.trained.relations import split_sentences
from celab.trained.roles import NAMES, ORDERS, role_matrix, shares

pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
pytest.importorskip("HanTa", reason="HanTa (extra en) is not installed")

# Connectives of all classes, at the head of sentences and within them, or none.
HEADS = ("", "But ", "So ", "Then ", "For example, ", "If it rained, ", "However, ")
SUBJECTS = ("the river", "the mayor", "drivers", "a bakery")
VERBS = ("closed", "crossed", "praised", "sold")
TAILS = ("", " because the bridge fell", " and the team won", " when snow melted the road")


@st.composite
def sentences(draw):
    head, subject, verb, other, tail = (
        draw(st.sampled_from(words)) for words in (HEADS, SUBJECTS, VERBS, SUBJECTS, TAILS)
    )
    text = f"{head}{subject} {verb} {other}{tail}."
    return text[0].upper() + text[1:]


texts = st.lists(sentences(), min_size=1, max_size=6)
corpora = st.lists(texts, min_size=1, max_size=5)


@pytest.fixture(scope="module", params=["lin", "c", "e", "ce"])
def dicomer(request):
    rated = [
        [" ".join(x) for x in (of_topic, of_topic[::-1])]
        for of_topic in (
            ["The river closed the road.", "So drivers praised the mayor.", "But snow fell."],
            ["A bakery sold bread.", "Then drivers crossed the bridge.", "However, it closed."],
        )
    ]
    return celab.Dicomer(lang="en", features=request.param).fit(rated, [[2, 1], [2, 1]])


@given(corpora)
def test_a_text_is_scored_alone_whatever_stands_beside_it(dicomer, corpus):
    hyps = [" ".join(of_text) for of_text in corpus]
    values = dicomer.values(hyps).tolist()
    assert values == [dicomer.score(hyp) for hyp in hyps]
    assert dicomer.values(hyps[::-1]).tolist() == values[::-1]
    assert dicomer.scorer([hyps])(hyps, [hyps[::-1]]).segments.scores.tolist() == values
    assert all(map(math.isfinite, values))


@given(texts)
def test_a_score_is_the_sum_of_what_is_explained(dicomer, of_text):
    explanation = dicomer.explain(" ".join(of_text))
    assert explanation.score == dicomer.score(" ".join(of_text))
    assert explanation.score == math.fsum(x.product for x in explanation.transitions)
    assert explanation.n_sentences == len(of_text)
    assert all(len(roles) == len(of_text) for roles in explanation.roles.values())
    assert str(explanation).count("\n") > 2


@given(texts)
def test_a_line_break_is_a_space_between_sentences(dicomer, of_text):
    assert split_sentences(" ".join(of_text)) == of_text
    assert dicomer.score("\n".join(of_text)) == dicomer.score(" ".join(of_text))
    assert dicomer.score("  \n".join(of_text) + "\n") == dicomer.score(" ".join(of_text))


@given(texts)
def test_shares_of_a_length_are_all_of_it(dicomer, of_text):
    (discourse,) = dicomer.discourses([" ".join(of_text)])
    numbers, values = shares(role_matrix(discourse, "ce"), "ce")
    names = [NAMES[number] for number in numbers.tolist()]
    for order in ORDERS:
        of_order = [
            v
            for name, v in zip(names, values, strict=True)
            if name.count("→") == order - 1 and "+" not in name
        ]
        assert sum(of_order) == pytest.approx(1.0 if len(of_text) >= order else 0.0)
    in_cells = [v for name, v in zip(names, values, strict=True) if "+" in name]
    assert sum(in_cells) == pytest.approx(1.0 if in_cells else 0.0)


@given(corpora)
def test_lines_of_documents_are_their_texts(dicomer, corpus):
    lines = [(f"d{k}", line) for k, of_text in enumerate(corpus) for line in of_text]
    segments = [Segment(name, str(k)) for k, (name, _) in enumerate(lines)]
    joined = Corpus(
        segments=segments, systems={"A": [line for _, line in lines]}, refs=[], ref_names=[]
    ).join_documents()
    assert joined.names == [f"d{k}" for k in range(len(corpus))]
    whole = dicomer.values([" ".join(of_text) for of_text in corpus])
    assert dicomer.values(joined.hyps).tolist() == whole.tolist()
    assert joined.join_documents() == joined


@given(corpora)
def test_a_model_scores_the_same_from_its_file(dicomer, tmp_path_factory, corpus):
    path = tmp_path_factory.getbasetemp() / "law.json"
    dicomer.save(path)
    hyps = [" ".join(of_text) for of_text in corpus]
    assert np.array_equal(celab.Dicomer.load(path).values(hyps), dicomer.values(hyps))


@pytest.fixture(scope="module", params=["linear", "polynomial", "rbf"])
def cremer(request):
    heads = [[f"The river {verb} the road.", "So drivers praised it."] for verb in VERBS * 3]
    rated = [[" ".join(of_topic), " ".join(of_topic[::-1])] for of_topic in heads]
    refs = [f"Drivers {verb} a road." for verb in VERBS * 3]
    ratings = [[2 + k % 3, 1] for k in range(len(rated))]
    return celab.Cremer(lang="en", kernel=request.param).fit(rated, refs, ratings)


@given(corpora)
def test_responsiveness_is_scored_alone_whatever_stands_beside_it(cremer, corpus):
    hyps = [" ".join(of_text) for of_text in corpus]
    refs = [of_text[0] for of_text in corpus]
    values = cremer.scorer([refs])(hyps, [refs]).segments.scores.tolist()
    alone = [cremer.scorer([[ref]])([hyp], [[ref]]) for hyp, ref in zip(hyps, refs, strict=True)]
    assert values == pytest.approx([score.score for score in alone], abs=1e-12)
    assert all(map(math.isfinite, values))
