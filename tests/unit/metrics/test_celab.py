"""TESLA-CELAB by language: German parts and umlauts, letters, and what a language decides."""

import importlib.metadata
import itertools
import re
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pairs import prepared

import celab
from celab.base.errors import OptionError
from celab.base.text.normalize import Normalizer, fold_umlauts
from celab.base.text.tokens import cut
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.options import TeslaCelabOptions
from celab.words import compounds
from celab.words.compounds import WordParts

# The three forms of the paper's figure 5.
FORMS = ["Schirm kaufen", "Regenschirm kaufen", "Regen schirm kaufen"]


@pytest.fixture(scope="module")
def plain():
    return celab.TeslaCelab(lexicon=None, lang="de")


@pytest.fixture
def umbrella(make_lexicon):
    return make_lexicon(["Regenschirm Schirm"])


def equal(metric, hyp, ref):
    found = metric.sentence_score(hyp, [ref])
    return (found.score, found.precision, found.recall) == (1.0, 1.0, 1.0)


# ---- figure 5 ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("hyp", "ref"), list(itertools.product(FORMS, repeat=2)))
def test_the_three_forms_are_equal_by_the_lexicon(umbrella, hyp, ref):
    assert equal(celab.TeslaCelab(lexicon=umbrella, lang="de"), hyp, ref)
    assert equal(celab.TeslaCelab(lang="de"), hyp, ref)


def test_without_a_lexicon_the_first_differs(plain):
    # By hand: schirm, kaufen and both together are 3 of 3 and of 6 n-grams, so 3.75 / 6.75.
    for other in FORMS[1:]:
        found = plain.sentence_score(FORMS[0], [other])
        assert (found.precision, found.recall) == (1.0, 0.5)
        assert found.score == pytest.approx(5 / 9, rel=1e-15)
    assert equal(plain, FORMS[1], FORMS[2]) and equal(plain, FORMS[2], FORMS[1])


def test_as_words_only_those_of_equal_text_are_equal():
    words = celab.TeslaCelab(lexicon=None, lang="de", tokenize="space")
    pairs = {pair for pair in itertools.permutations(FORMS, 2) if equal(words, *pair)}
    assert pairs == set(itertools.permutations(FORMS[1:]))


# ---- parts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parted"),
    [
        ("Der Verkehrsunfall, gestern.", "der verkehr unfall , gestern ."),
        ("Schulhaus", "schule haus"),
        ("Regenschirm-Verleih", "regen schirm verleih"),
        ("Regen‑Schirm", "regen schirm"),  # a hyphen that keeps the line
        ("Re\u00adgen\u00adschirm", "regen schirm"),
        ("Haupt- und Nebensatz", "haupt - und nebensatz"),
        ("Covid-19, 2010-2012", "covid 19 , 2010-2012"),
        ("1990er-Jahre", "1990er jahre"),
        ("http://a-b.de/x-y z.B. 3,5", "http://a-b.de/x-y z.b. 3,5"),
        ("Wie geht’s?", "wie geht's ?"),
        ("A\u0308rztekammer", "ärzte kammer"),
        (" \t", ""),
        ("", ""),
    ],
)
def test_text_in_parts(plain, text, parted):
    assert prepared(plain, [text]) == [parted]


def test_linking_elements_are_lost_in_the_lexicon_too(plain, make_lexicon):
    crash = make_lexicon(["Verkehrsunfall Karambolage"])
    metric = celab.TeslaCelab(lexicon=crash, lang="de")
    for form in ("Verkehrsunfall", "Verkehr unfall", "Verkehr-Unfall"):
        assert equal(metric, f"ein {form} heute", "ein Karambolage heute")
        assert equal(metric, f"ein {form} heute", "ein Verkehrsunfall heute")
    assert not equal(plain, "Verkehrsunfall", "Karambolage")


def test_words_of_several_tokens_and_with_hyphens_are_found(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("in Kauf nehmen\thinnehmen\nE-Mail\tNetzpost\n", "utf-8")
    metric = celab.TeslaCelab(lexicon=path, lang="de")
    assert equal(metric, "das in Kauf nehmen", "das hinnehmen")
    for form in ("E-Mail", "Email", "E Mail"):
        assert equal(metric, f"eine {form} senden", "eine Netzpost senden")


def test_a_word_that_is_split_otherwise_has_a_lexicon_of_its_own(umbrella, tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    options = TeslaCelabOptions(tokenize="parts", script="keep")

    class Splitter:
        def __init__(self, name, at):
            self.name, self.at = name, at

        def __call__(self, word):
            return (word[: self.at], word[self.at :]) if len(word) > self.at else (word,)

    def finds(lexicon, word):
        return lexicon.native.find(np.array([ord(letter) for letter in word], np.int32)) >= 0

    respellings = [WordParts(Splitter(f"at-{n}", n)) for n in (4, 6, 4)]
    made = [open_lexicon(umbrella, Normalizer.of(options, respell)) for respell in respellings]
    assert len(list((tmp_path / "cache").iterdir())) == 2
    assert [finds(one, "RegeNschirm") for one in made] == [True, False, True]
    assert [finds(one, "RegensChirm") for one in made] == [False, True, False]


# ---- case and umlauts -------------------------------------------------------------------------


def test_case(plain):
    keep = celab.TeslaCelab(lexicon=None, lang="de", case="keep")
    assert equal(plain, "der Arme", "Der arme")
    assert not equal(keep, "der Arme", "Der arme")
    # A part of a noun is a noun, so that it can be found by itself.
    assert prepared(keep, ["Regenschirm"]) == ["Regen Schirm"]
    assert keep.sentence_score("Schirm", ["Regenschirm"]).precision == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Über die Straße", "Ueber die Strasse"),
        ("Größe", "GROESSE"),
        ("Scho\u0308n", "schoen"),
        ("Ärztekammer", "Aerztekammer"),
        ("Frauenärztekongress", "Frauenaerztekongress"),
        ("Schlüsselbund", "Schluesselbund"),
    ],
)
def test_umlauts(plain, one, other):
    fold = celab.TeslaCelab(lexicon=None, lang="de", umlauts="fold")
    assert equal(fold, one, other) and equal(fold, other, one)
    assert not equal(plain, one, other)


def test_umlauts_of_lexicon_words_are_folded_too(make_lexicon):
    lexicon = make_lexicon(["Ärztekammer Standesvertretung"])
    pair = "die Aerztekammer sagt", "die Standesvertretung sagt"
    assert equal(celab.TeslaCelab(lexicon=lexicon, lang="de", umlauts="fold"), *pair)
    assert not equal(celab.TeslaCelab(lexicon=lexicon, lang="de"), *pair)


@given(st.text("äöüßÄÖÜẞaouAOUse\u0308 ", max_size=12))
def test_no_umlaut_is_left(text):
    folded = fold_umlauts(text)
    assert not set("äöüßÄÖÜẞ") & set(folded) and fold_umlauts(folded) == folded
    assert fold_umlauts(text.lower()) == folded.lower()


# ---- what a language decides ------------------------------------------------------------------


def test_what_is_given_wins_over_the_language(umbrella):
    metric = celab.TeslaCelab(
        lexicon=umbrella, lang="de", tokenize="char", case="keep", script="auto"
    )
    options = metric.options
    assert (options.tokenize, options.case, options.script) == ("char", "keep", "auto")
    assert metric.engine.respell is None and "split:" not in metric.signature
    assert prepared(metric, ["Regenschirm"]) == ["Regenschirm"]
    space = celab.TeslaCelab(lang="de", tokenize="space")
    assert space.options.case == "lower" and "lex:de-core@" in space.signature


def test_a_missing_package_is_named(monkeypatch):
    def absent(name):
        raise importlib.metadata.PackageNotFoundError(name)

    with monkeypatch.context() as patched:
        patched.setattr(importlib.metadata, "version", absent)
        with pytest.raises(OptionError):
            celab.TeslaCelab(lexicon=None, lang="de")
        # Who splits nothing needs nothing.
        celab.TeslaCelab(lexicon=None, lang="de", tokenize="space")
    # One that is there, but cannot be imported.
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    compounds.splitter_for.cache_clear()
    with pytest.raises(OptionError):
        celab.TeslaCelab(lexicon=None, lang="de").sentence_score("Regenschirm", ["Schirm"])


# ---- the whole road ---------------------------------------------------------------------------


def test_an_explanation_has_parts_for_tokens(umbrella):
    metric = celab.TeslaCelab(lexicon=umbrella, lang="de")
    found = metric.explain("Schirm kaufen", "Regenschirm kaufen")
    assert found.hyp_tokens == ("schirm", "kaufen")
    assert found.ref_tokens == ("regen", "schirm", "kaufen")
    assert found.score == 1.0
    synonyms = [piece for link in found.links for piece in link.pieces if piece.kind == "synonym"]
    assert synonyms and all(piece.groups for piece in synonyms)


SENTENCES = [
    "Der Regenschirm liegt neben dem Schreibtisch, denn es gab einen Verkehrsunfall.",
    "Ein Schirm liegt beim Tisch; es gab einen Unfall im Strassenverkehr.",
    "Die Bundesregierung hat die Krankenversicherung neu geregelt.",
    "Neu geregelt hat die Regierung des Bundes die Versicherung der Kranken.",
    "Kauf dir einen Schirm, kauf dir einen Regenschirm, kauf dir Regen!",
]


def test_the_reduction_agrees_with_the_whole_program():
    hyps, refs = zip(*itertools.product(SENTENCES, repeat=2), strict=True)
    metric = celab.TeslaCelab(lang="de", solver="check")  # raises where they differ
    found = metric.corpus_score(hyps, [refs])
    for segment, hyp, ref in zip(found.segments, hyps, refs, strict=True):
        assert (segment.score == 1.0) == (hyp == ref)


WORDS = ["Regenschirm", "Schirm", "Regen", "schirm", "regen", "kaufen", "Verkehrsunfall", "Unfall"]
GROUPS = [["Regenschirm", "Schirm"], ["Verkehrsunfall", "Crash"], ["kaufen", "Unfall kaufen"]]
text = st.lists(st.sampled_from([*WORDS, "Crash", "-", ","]), min_size=1, max_size=7).map(" ".join)


@given(text, text)
def test_parts_are_text_tokenized_before(plain, hyp, ref):
    # A law: with the lexicon's words in parts as well, `space` gives the same.
    before = celab.TeslaCelab(lexicon=None, tokenize="space", script="keep")
    ready = prepared(plain, [hyp, ref])
    found = plain.sentence_score(hyp, [ref])
    assert found == before.sentence_score(ready[0], [ready[1]])
    turned = plain.sentence_score(ref, [hyp])
    assert (turned.precision, turned.recall) == (found.recall, found.precision)


@pytest.fixture(scope="module")
def with_groups(tmp_path_factory, plain):
    folder = tmp_path_factory.mktemp("lexicons")
    lines = ["\t".join(group) for group in GROUPS]
    in_parts = ["\t".join(prepared(plain, group)) for group in GROUPS]
    (folder / "words.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "parts.tsv").write_text("\n".join(in_parts) + "\n", "utf-8")
    return (
        celab.TeslaCelab(lexicon=folder / "words.tsv", lang="de"),
        celab.TeslaCelab(lexicon=folder / "parts.tsv", tokenize="space", script="keep"),
    )


@given(text, text)
def test_a_lexicon_in_parts_is_one_tokenized_before(with_groups, plain, hyp, ref):
    metric, before = with_groups
    ready = prepared(plain, [hyp, ref])
    found = metric.sentence_score(hyp, [ref])
    assert found == before.sentence_score(ready[0], [ready[1]])
    assert found.score >= plain.sentence_score(hyp, [ref]).score - 1e-12


class Whole:
    """A splitter that splits nothing."""

    name = "whole"

    def __call__(self, word):
        return (word,)


@given(st.lists(st.text("aB'-‐.:/3é\u0301\u00ad\ud800 \t,", max_size=12), max_size=3))
def test_nothing_is_lost_but_spaces_and_hyphens(texts):
    parts = WordParts(Whole())
    found = parts(texts)
    assert found == [parts([one])[0] for one in texts]

    def kept(text):
        return re.sub(r"[\s\u00ad\-‐]", "", unicodedata.normalize("NFC", text))

    soft = [one.replace("\u00ad", "") for one in texts]
    assert [kept(one) for one in found] == [kept(one) for one in soft]


LETTERS = celab.TeslaCelab(lang="en")
GIVEN = celab.TeslaCelab(tokenize="space", lexicon=None, script="keep", max_order=6)
texts = st.text("abH '.é\u0301\t9", max_size=14)


def spelled(text):
    """Text whose letters are tokens already; ␣ stands for a space."""
    return " ".join(cut(text, tokenize="letter")).replace("   ", " ␣ ")


@given(texts, texts.filter(str.strip))
def test_letters_score_as_tokens_that_are_given(hyp, ref):
    hyp, ref = (text.replace("e\u0301", "é").replace("\u0301", "") for text in (hyp, ref))
    if not ref.strip():
        return
    found, expected = (
        m.sentence_score(*pair)
        for m, pair in ((LETTERS, (hyp, [ref])), (GIVEN, (spelled(hyp), [spelled(ref)])))
    )
    assert (found.score, found.recall) == (expected.score, expected.recall)


@pytest.mark.parametrize("lang", ["en", "de", "th"])
def test_both_spellings_of_a_letter_with_a_mark_are_one(lang):
    metric = celab.TeslaCelab(lang=lang, tokenize="letter")
    assert metric.sentence_score("Cafe\u0301", ["Café"]).score == 1.0
    assert len(metric.explain("Cafe\u0301", "Café").hyp_tokens) == 4


def test_lexicon_words_are_found_among_letters(tmp_path):
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text("big\tlarge\ncafe\u0301\tinn\n", "utf-8")
    metric = celab.TeslaCelab(lang="en", lexicon=str(lexicon))
    assert metric.sentence_score("big", ["large"]).score == 1.0
    assert metric.sentence_score("inn", ["café"]).score == 1.0
    assert metric.sentence_score("big h", ["large"]).score < 1.0
    assert "|lex:words.tsv@" in metric.signature


def test_synonyms_are_the_words_of_the_texts_as_these_spell_them(tmp_path):
    lexicon = tmp_path / "words.tsv"
    lexicon.write_text("伞\t雨伞\t阳伞\n买\t购\n", "utf-8")
    metric = celab.TeslaCelab(lexicon=str(lexicon))
    sides = [["他買了雨傘 。"], ["她买伞。"]]
    found = metric.scorer(sides).synonyms(sides)
    assert sorted(map(sorted, found)) == [["买", "買"], ["伞", "傘", "雨傘"]]
    assert celab.TeslaCelab(lexicon=None).scorer(sides).synonyms(sides) == []
    both = celab.Mean([metric, celab.TeslaCelab(lexicon=None)])
    assert both.scorer(sides).synonyms(sides) == found
    assert celab.Chrf().scorer(sides).synonyms(sides) == []
