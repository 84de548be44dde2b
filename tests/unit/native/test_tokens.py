"""The tokens kernel against its twin, which states the rule."""

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from oracle import tokens as twin
from oracle.character_ranges import disagreements, header_ranges

from celab._native import tokens as native
from celab._native.tokens import Sentences, Vocabulary
from celab.base.text.tokens import TOKENIZER_IDS, cut

HEADER = ROOT / "celab" / "_native" / "character_ranges.h"

ALPHABETS = {
    "han": "买雨伞傘，。𠮷\U00030000",
    "latin": "abZéßªɐ",
    "digits": "019٣൭𝟗",
    "joiners": ".,':-",
    "marks": "\u0301\u0308\u20e3\ufe0f\u3099\u200c\u1160\uff9e",
    "joined": "\u200d\U0001f3fd\U000e0067",
    "emoji": "👨👩👧❤☂🏴㊗⌚",
    "flags": "🇨🇳🇭",
    "wide": "Ｔ５．，：－＇！",
    "spaces": " \t\u3000\u00a0\u2003\u2028\u0085\u200b\u2060\ufeff",
    "controls": "\x00\x1b\x7f\x9f",
    "unpaired": "\ud800\udfff",
    "edges": "\U0010ffff\ufffe",
    "clusters": "น\u0e49\u0e33ລ\u0eb3ក\u17d2មေ\u1031က\u1039",
}
# A quarter of the characters from anywhere; the others often enough to meet.
characters = st.one_of(
    st.sampled_from("".join(ALPHABETS.values())),
    st.sampled_from("".join(ALPHABETS[name] for name in ("latin", "joiners", "joined", "emoji"))),
    st.sampled_from("".join(ALPHABETS[name] for name in ("latin", "digits", "joiners", "marks"))),
    st.characters(),
)
texts = st.text(characters, max_size=12)


def folded(text, fold):
    return twin.fold_width(text) if fold else text


def is_separator(character):
    return twin.character_class(character) == twin.SPACE


@pytest.mark.parametrize(
    ("tokenize", "text", "expected"),
    [
        ("char", "用iPhone15拍 Ｔ恤１，０００", "用|iPhone15|拍|T|恤|1,000"),
        ("char", "cafe\u0301s か\u3099 👍🏽👍", "cafe\u0301s|か\u3099|👍🏽|👍"),
        ("char", "", ""),
        ("char", " \t\u200b\ufeff", ""),
        ("char", "买雨伞", "买|雨|伞"),
        ("char", "用 iPhone 15、Wi-Fi 6", "用|iPhone|15|、|Wi-Fi|6"),
        ("char", "3.5% 1,000 12:30", "3.5|%|1,000|12:30"),
        ("char", "-5 U.S. a--b", "-|5|U.S|.|a|-|-|b"),
        ("char", "don't ab\u200bcd", "don't|ab|cd"),
        ("char", "e\u0301cole e\u0301's", "e\u0301cole|e\u0301's"),
        ("char", "\u0301a \u0301", "\u0301|a|\u0301"),
        ("char", "12،٣٤", "12|،|٣٤"),
        ("char", "\U00020000\U0002a6d6", "\U00020000|\U0002a6d6"),
        ("char", "\U0001f1e8\U0001f1f3\U0001f1ef", "\U0001f1e8\U0001f1f3|\U0001f1ef"),
        ("char", "\U0001f1e8\ufe0f\U0001f1f3", "\U0001f1e8\ufe0f|\U0001f1f3"),
        ("char", "\U0001f468\u200d\U0001f469x", "\U0001f468\u200d\U0001f469|x"),
        ("char", "\U0001f600\u200d\u0301\U0001f600", "\U0001f600\u200d\u0301|\U0001f600"),
        ("char", "1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("char", "\uff76\uff9e\u1112\u1161\u11ab", "\uff76\uff9e|\u1112\u1161\u11ab"),
        ("char", "a\u200d.b\u200d\U0001f600c", "a\u200d.b\u200d\U0001f600|c"),
        ("cluster", "น\u0e49\u0e33ใจ", "น\u0e49\u0e33|ใ|จ"),  # am goes with its consonant
        ("cluster", "ນ\u0ecd\u0eb3 3.5", "ນ\u0ecd\u0eb3|3.5"),
        ("cluster", "ក\u17d2មេង", "ក\u17d2មេ|ង"),  # the second consonant stands below the first
        ("cluster", "မန\u1039တလေး", "မ|န\u1039တ|လေး"),  # Mandalay
        ("cluster", "\u0e33", "\u0e33"),
        ("cluster", "ab\u0e33c", "ab\u0e33|c"),
        ("letter", "Ein Haus.", "E|i|n| |H|a|u|s|."),
        ("letter", "  a \u3000\t b ", "a| |b"),
        ("letter", "9,5%", "9|,|5|%"),
        ("letter", "cafe\u0301s", "c|a|f|e\u0301|s"),
        ("letter", "👍🏽 ok", "👍🏽| |o|k"),
        ("letter", "น\u0e49\u0e33", "น\u0e49\u0e33"),
        ("letter", "\t\u3000\u200b", ""),
        ("space", " 买\t雨伞\n", "买|雨伞"),
        ("space", "买\u3000雨\u200b伞\x00", "买|雨|伞"),
    ],
)
def test_examples(tokenize, text, expected):
    assert cut(text, tokenize=tokenize) == [token for token in expected.split("|") if token]


@given(texts, st.sampled_from(["char", "cluster", "letter"]), st.booleans())
def test_the_kernel_cuts_as_the_twin_does(text, tokenize, fold):
    assert cut(text, tokenize=tokenize, fold=fold) == twin.tokens(folded(text, fold), tokenize)


@given(texts, st.booleans())
def test_space_cuts_as_splitting_does(text, fold):
    blanked = "".join(" " if is_separator(c) else c for c in folded(text, fold))
    expected = [word for word in blanked.split(" ") if word]
    assert cut(text, tokenize="space", fold=fold) == expected


@given(texts, st.sampled_from(list(TOKENIZER_IDS)), st.booleans())
def test_nothing_is_lost_but_separators(text, tokenize, fold):
    kept = "".join(c for c in folded(text, fold) if not is_separator(c))
    found = cut(text, tokenize=tokenize, fold=fold)
    assert "".join(token for token in found if token != " ") == kept


@given(texts, st.sampled_from(["char", "cluster", "letter"]), st.booleans())
def test_cutting_tokens_again_changes_nothing(text, tokenize, fold):
    tokens = [token for token in cut(text, tokenize=tokenize, fold=fold) if token != " "]
    assert [cut(token, tokenize=tokenize, fold=fold) for token in tokens] == [[t] for t in tokens]
    assert cut(" ".join(tokens), tokenize="space", fold=fold) == tokens


def test_header_has_the_twins_classes():
    assert disagreements(HEADER.read_text(encoding="utf-8")) == []


def test_kernel_has_the_headers_classes():
    classes = np.zeros(0x110000, int)
    for first, last, kind in header_ranges(HEADER.read_text(encoding="utf-8")):
        classes[first : last + 1] = kind
    assert [native.character_class(c) for c in range(0x110000)] == classes.tolist()
    with pytest.raises(ValueError):
        native.character_class(0x110000)


# ---- ids --------------------------------------------------------------------------------------


def ids_of(texts, vocabulary, how=1, fold=True):
    sentences = Sentences(texts, vocabulary, None, how, fold, 4)
    return [sentences.tokens(s).tolist() for s in range(len(sentences))]


@given(
    st.lists(texts, max_size=4),
    st.lists(texts, max_size=4),
    st.sampled_from(sorted(set(TOKENIZER_IDS.values()))),
    st.booleans(),
)
def test_ids_are_equal_where_tokens_are(one, other, how, fold):
    vocabulary = Vocabulary()
    ids = ids_of(one, vocabulary, how, fold) + ids_of(other, vocabulary, how, fold)
    tokens = [native.cut(text, how, fold) for text in one + other]
    assert [len(row) for row in ids] == [len(row) for row in tokens]
    pairs = {(i, t) for row in zip(ids, tokens, strict=True) for i, t in zip(*row, strict=True)}
    assert len(pairs) == len({i for i, _ in pairs}) == len({t for _, t in pairs})
    assert all(i == ord(t) for i, t in pairs if len(t) == 1)


@given(st.lists(texts, max_size=3), st.lists(texts, max_size=3), st.lists(texts, max_size=3))
def test_a_vocabulary_knows_what_its_ancestors_know(first, second, third):
    chain = [Vocabulary()]
    ids = ids_of(first, chain[0])
    for more in (second, third):
        chain.append(Vocabulary(chain[-1]))
        ids += ids_of(more, chain[-1])
    assert chain[2].parent is chain[1] and chain[1].parent is chain[0] and chain[0].parent is None
    assert ids_of(first + second + third, Vocabulary(chain[2])) == ids
    long_tokens = [t for text in first + second + third for t in native.cut(text, 1, True)]
    assert sum(map(len, chain)) == len({token for token in long_tokens if len(token) > 1})


def test_a_vocabulary_with_children_cannot_grow():
    parent = Vocabulary()
    known = parent.add("known")
    child = Vocabulary(parent)
    assert parent.add("known") == child.add("known") == known
    with pytest.raises(ValueError):
        parent.add("neither here nor there")
    assert child.add("neither here nor there") == known + 1


def test_many_long_tokens_keep_their_ids():
    # The table of long tokens grows several times on the way.
    vocabulary = Vocabulary()
    words = [f"word{n}" for n in range(5000)]
    ids = ids_of([" ".join(words)], vocabulary)[0]
    assert len(set(ids)) == len(words) == len(vocabulary)
    assert ids_of(words[::-1], vocabulary) == [[i] for i in reversed(ids)]


def test_lengths_of_a_batch():
    sentences = Sentences(["买雨伞", "", "a.b 买"], Vocabulary(), None, 1, True, 4)
    assert sentences.lengths().tolist() == [3, 0, 2]


@pytest.mark.parametrize("sentence", [-1, 1])
def test_no_such_sentence(sentence):
    sentences = Sentences(["买"], Vocabulary(), None, 1, True, 4)
    for ask in (sentences.tokens, sentences.words):
        with pytest.raises(IndexError):
            ask(sentence)


def test_what_is_no_text_is_refused():
    with pytest.raises(TypeError):
        Sentences(["买", 3], Vocabulary(), None, 1, True, 4)
    with pytest.raises(ValueError):
        Vocabulary().add("买")
