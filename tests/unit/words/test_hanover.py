"""HanTa's models on our kernel: the same as HanTa gives, and as all paths one by one give."""

from functools import cache
from pathlib import Path

import pytest
from conftest import ROOT, examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.lattice import paths

from celab._native.lattice import Chain, Morphemes
from celab.words import hanover
from celab.words.hanover import English, German, Hanover
from celab.words.morphology import COMPARED_VERSIONS, TaggerModel

pytest.importorskip("HanTa")
from HanTa import HanoverTagger

NOTHING = ([], [])
LANGUAGES = pytest.mark.parametrize("language", [German, English])
WIDE = 1000  # a beam that leaves nothing out


@cache
def plain(language):
    """HanTa as it is, one per language."""
    return HanoverTagger.HanoverTagger(str(Path(HanoverTagger.__file__).with_name(language.model)))


@cache
def fast(language):
    return TaggerModel(plain(language), 1)


@cache
def morphemes(language):
    tables = plain(language).LP_m_t.values()
    return sorted({text for table in tables for text in list(table)[::10]})


@st.composite
def words(draw, language):
    """Morphemes joined, and letters that make no sense."""
    known = st.sampled_from(morphemes(language))
    parts = draw(st.lists(known | st.text("aeinrstßü-1.'語", max_size=4), min_size=1, max_size=4))
    return "".join(parts)[:25] or "x"


# Against HanTa


@LANGUAGES
@given(data=st.data())
@examples(60)
def test_words_are_those_of_hanta(language, data):
    word, slow = data.draw(words(language)).lower(), plain(language)
    found = slow.analyze_forward(word)
    assert fast(language).analyze_forward(word) == found
    for tag in [*(tag for tag, _ in found[:2]), data.draw(st.sampled_from(sorted(slow.int2tag)))]:
        expected = slow.analyze_viterbi(word, -tag)
        assert fast(language).analyze_viterbi(word, -tag) == expected


@LANGUAGES
@given(data=st.data())
@examples(30)
def test_sentences_are_those_of_hanta(language, data):
    frequent = st.sampled_from(list(plain(language).cache))
    some = st.lists(frequent | frequent.map(str.title) | words(language), min_size=1, max_size=12)
    forms = data.draw(some)
    assert fast(language).tag_sent_viterbi(forms) == plain(language).tag_sent_viterbi(forms)


@pytest.mark.parametrize(
    ("language", "folder"), [(German, "wmt21-ende-mqm"), (English, "wmt21-zhen-mqm")]
)
def test_real_text_is_that_of_hanta(language, folder):
    files = sorted((ROOT.parent / "shared" / "data" / folder).glob("hyp/*.txt"))
    if not files:
        pytest.skip(f"../shared/data/{folder} is not there")
    analyzer = language()
    for number, file in enumerate(files):
        sentence = file.read_text("utf-8").split("\n")[number * 7]
        forms = analyzer.forms(sentence)
        tagger = hanover._tagger(analyzer.lang, analyzer.model)
        found = [
            (form, Hanover._lemma(analyzer, form, tag), tagger.int2tag[tag])
            for form, tag in zip(forms, tagger.tag_sent_viterbi(forms), strict=True)
        ]
        assert found == plain(language).tag_sent(forms)


def test_a_word_that_cannot_be_cut():
    assert fast(German).analyze_forward("") == plain(German).analyze_forward("")
    assert fast(German).analyze_viterbi("x", -999) == plain(German).analyze_viterbi("x", -999)


def test_a_text_that_is_too_long_for_hanta():
    model, n = fast(German), 250_000
    assert model._sentence.path([model._values("Hund", True)] * n) == []
    assert len(model.tag_sent_viterbi(["Hund"] * n)) == n


def test_the_installed_version_was_compared(monkeypatch):
    tagger = hanover._tagger("de", German.model)
    assert tagger.tag_sent_viterbi.__self__.__class__ is TaggerModel
    expected = German().tagged(["Die", "Regenschirme", "lachten"])
    hanover._tagger.cache_clear()
    hanover._word.cache_clear()
    monkeypatch.setattr(hanover, "version", lambda name: "99")
    try:
        assert (
            hanover._tagger("de", German.model).tag_sent_viterbi.__self__.__class__
            is not TaggerModel
        )
        assert German().tagged(["Die", "Regenschirme", "lachten"]) == expected
    finally:
        hanover._tagger.cache_clear()
    assert "99" not in COMPARED_VERSIONS


# Against all paths


@st.composite
def chains(draw):
    n = draw(st.integers(2, 5))
    labels = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weight = st.integers(-9, 0).map(float)
    to_any = st.dictionaries(st.integers(0, n - 1), weight, max_size=3)
    arcs, finals = (draw(st.lists(to_any, min_size=n, max_size=n)) for _ in range(2))
    return labels, *(
        [(list(some), list(some.values())) for some in each] for each in (arcs, finals)
    )


def pairs_of(each):
    return [list(zip(*one, strict=True)) for one in each]


def check(chain, n, value, found, best_of):
    """`found` is (label, end) of each step, and one of the best paths."""
    labels, arcs, finals = chain
    every = list(paths(n, pairs_of(arcs), pairs_of(finals), value))
    best = max((worth for worth, _ in every), default=None)
    steps = [[(labels[s], end) for s, end in steps] for worth, steps in every if worth == best]
    assert found in [best_of(one) for one in steps] if steps else found == []


@given(chain=chains(), data=st.data())
def test_a_chain_finds_a_best_path(chain, data):
    n = data.draw(st.integers(1, 4))
    value = st.lists(st.tuples(st.integers(0, max(chain[0])), st.integers(-9, 0).map(float)))
    values = [data.draw(value) for _ in range(n)]
    by_label = [dict(each) for each in values]

    def worth(i, j, state):
        if j > i + 1:
            return None
        return by_label[i].get(chain[0][state]) if by_label[i] else 0.0

    found = Chain(*chain, WIDE).path(values)
    check(chain, n, worth, found, lambda steps: [label for label, _ in steps[:-1]])


@given(chain=chains(), data=st.data())
def test_morphemes_are_a_best_path(chain, data):
    labels, whole = range(max(chain[0]) + 1), st.integers(-9, 0).map(float)
    table = st.dictionaries(st.text("ab", min_size=1, max_size=3), whole, max_size=4)
    known = {label: data.draw(table) for label in labels}
    lengths = st.lists(whole, min_size=25, max_size=25)
    new = {
        label: (data.draw(lengths), {"": data.draw(whole)} | data.draw(table))
        for label in data.draw(st.sets(st.sampled_from(labels)))
    }
    word, strict = data.draw(st.text("ab", max_size=6)), data.draw(st.booleans())
    allowed = [data.draw(st.booleans()) for _ in labels]

    def worth(i, j, state):
        label, text = chain[0][state], word[i:j]
        if not allowed[label]:
            return None
        if text in known[label]:
            return known[label][text]
        if strict or label not in new or (len(text) < 3 and len(word) > 3):
            return None
        by_length, endings = new[label]
        ending = next(text[k:] for k in range(1, len(text) + 1) if text[k:] in endings)
        total = by_length[len(text)] + endings[ending]
        return total - 4.6 if text == word else total

    finals = [[(s, w) for s, w in each if allowed[chain[0][s]]] for each in pairs_of(chain[2])]
    finals = [([s for s, _ in each], [w for _, w in each]) for each in finals]
    found = Morphemes(Chain(*chain, WIDE), known, new).path(word, strict, bytes(allowed))
    check((*chain[:2], finals), len(word), worth, found, lambda steps: steps)


def test_only_states_near_the_best_go_on():
    # Four states after the first item; the last of them is the only way on.
    arcs = [
        ([1, 2, 3, 4], [-1.0, -1.0, -1.0, -1.5]),
        NOTHING,
        NOTHING,
        NOTHING,
        ([5], [0.0]),
        NOTHING,
    ]
    finals = [*[NOTHING] * 5, ([5], [0.0])]
    items = [[], []]
    assert Chain(list(range(6)), arcs, finals, 3).path(items) == [4, 5]
    assert Chain(list(range(6)), arcs, finals, 1).path(items) == [4, 5]  # less than 1 below
    arcs[0][1][3] = -2.5
    assert Chain(list(range(6)), arcs, finals, 3).path(items) == [4, 5]  # the fourth itself
    assert Chain(list(range(6)), arcs, finals, 2).path(items) == []


# Bad input


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], [], 1), "needs states"),
        (([0], [NOTHING], [NOTHING], 0), "needs states"),
        (([0], [NOTHING], [], 1), "needs states"),
        (([-1], [NOTHING], [NOTHING], 1), "from 0"),
        (([0], [([1], [0.0])], [NOTHING], 1), "leads to no state"),
        (([0], [([0], [])], [NOTHING], 1), "shorter"),
    ],
)
def test_a_bad_chain(arguments, message):
    with pytest.raises(ValueError, match=message):
        Chain(*arguments)


def test_bad_morphemes_and_values():
    chain = Chain([0], [NOTHING], [NOTHING], 1)
    with pytest.raises(ValueError):
        chain.path([[(1, 0.0)]])
    with pytest.raises(ValueError):
        Morphemes(chain, {1: {}}, {})
    for new in ({1: ([0.0] * 25, {"": 0.0})}, {0: ([0.0], {"": 0.0})}, {0: ([0.0] * 25, {})}):
        with pytest.raises(ValueError):
            Morphemes(chain, {}, new)
    with pytest.raises(ValueError):
        Morphemes(chain, {}, {}).path("a", True, b"")
