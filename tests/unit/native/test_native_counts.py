"""The counts kernel counts what its slow twin counts."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from oracle import counts as oracle

from celab._native.counts import CodePoints, FoldedTexts, Phrases
from celab.base.languages import EAST_ASIAN, HIRAGANA, RANGES
from celab.base.text.counts import MARKS, TRAITS, count_texts, count_traits

HOSTILE = [
    "",
    "\0",
    "a\0b\0",
    "\ud800",
    "\udfff买\ud83d",
    "𠮷野家\U0010ffff",
    "e\u0301\u0323ﬃ㈱ﷺ",
    "ẞßŉǰΐİı\u212a",
    "\u200b\u2060\ufeff\u3000\x1c\x85",
    "``` <think>{'k': \"v\"}</think>\n～：》“”",
    "ｶﾞﾗｽすき家の한국어ไทยລາວខ្មែรမြန်မာ",
]
characters = st.one_of(
    st.sampled_from("ab AＡ１2买買伞の。,\n"),
    st.characters(exclude_categories=[]),
    st.sampled_from("".join(HOSTILE)),
)
texts = st.one_of(st.text(characters, max_size=30), st.sampled_from(HOSTILE))
short = st.text("ab买買 ", max_size=12)
RANGE_PATTERNS = {
    name: f"[{''.join(f'{chr(first)}-{chr(last)}' for first, last in ranges)}]"
    for name, ranges in (RANGES | {"hiragana": HIRAGANA, "east-asian": EAST_ASIAN}).items()
}


@given(st.lists(texts, max_size=5))
@example(HOSTILE)
@example([])
def test_traits_are_those_of_the_twin(sides):
    counts = count_traits(CodePoints(sides))
    for trait in TRAITS:
        expected = [oracle.n_with_trait(text, trait, RANGE_PATTERNS, MARKS) for text in sides]
        assert counts.of(trait).tolist() == expected, trait
        assert counts.totals(len(sides))[trait] == sum(expected)
        edges = [(text.strip()[:1], text.strip()[-1:]) for text in sides]
        for is_edge, place in ((counts.begins_with(trait), 0), (counts.ends_with(trait), 1)):
            alone = [
                bool(edge[place])
                and oracle.n_with_trait(edge[place], trait, RANGE_PATTERNS, MARKS) > 0
                for edge in edges
            ]
            assert is_edge.tolist() == alone, trait
    words = [len(re.sub(r"[\W_]+", "", text.casefold())) for text in sides]
    assert counts.n_words().tolist() == words


def test_ranges_of_characters_have_the_traits_of_the_twin():
    letters = [*map(chr, (*range(0x10000), *range(0x10000, 0x110000, 97)))]
    counts = count_traits(CodePoints(letters))
    for trait, holds in {
        "dense": lambda x: not x.isspace(),
        "letter": str.isalpha,
        "Han": re.compile(RANGE_PATTERNS["Han"]).match,
        "Hangul": re.compile(RANGE_PATTERNS["Hangul"]).match,
        "word": lambda x: sum(map(str.isalnum, x.casefold())) & 1,
    }.items():
        assert counts.of(trait).astype(bool).tolist() == [bool(holds(x)) for x in letters], trait


@given(
    st.lists(st.tuples(short, st.integers(0, 7), short), min_size=1, max_size=4),
    st.integers(1, 3),
    st.integers(1, 8),
    st.integers(2, 5),
    st.sampled_from([0.0, 0.2, 0.5, 1.0]),
)
@example([("ab", 4, "aab")], 2, 8, 5, 0.0)
@example([("ab", 4, "aab")], 2, 8, 5, 0.8)
@example([("ab", 2, "abcccc")], 1, 8, 2, 0.5)
def test_repetitions_are_those_of_the_twin(parts, shortest, longest, times, filled):
    sides = [before[:3] + before * n + after for before, n, after in parts]
    rules = shortest, longest, times, filled
    expected = [oracle.repeats(text, *rules) for text in sides]
    assert CodePoints(sides).repeats(*rules).tolist() == expected


@given(st.lists(texts, max_size=4), st.lists(st.text("ab买", min_size=1, max_size=4), max_size=5))
@example(["abab买"], ["aba", "b买", "bab买买", "ba"])
def test_phrases_are_found_wherever_they_are(sides, phrases):
    symbols = np.zeros(0x110000, np.uint8)
    for number, letter in enumerate("ab买", 1):
        symbols[ord(letter)] = number
    index = Phrases([tuple(phrases[:2]), tuple(phrases[2:])], symbols, 4)
    expected = [
        sum(any(x in text for x in part) << k for k, part in enumerate((phrases[:2], phrases[2:])))
        for text in sides
    ]
    assert index.find(CodePoints(sides)).tolist() == expected
    assert [index.sets_in(text) for text in sides] == expected


@given(st.lists(texts, max_size=5))
@example(HOSTILE)
@example(["abcd" * 400, "买" * 300])
def test_folded_texts_and_grams_are_those_of_the_twin(sides):
    counts = count_texts(sides)
    folded = [*map(oracle.fold, sides)]
    assert [counts.text(i) for i in range(len(sides))] == folded
    assert counts.lengths().tolist() == [*map(len, folded)]
    assert counts.n_wide().tolist() == [sum(x >= "\u2e80" for x in text) for text in folded]
    assert counts.grams().tolist() == [oracle.grams(text) for text in folded]
    for offset in (-1, 0, 2):
        pairs = [(i, i + offset) for i in range(len(sides))]
        expected = [
            sum(map(min, oracle.grams(folded[i]), oracle.grams(folded[j])))
            if 0 <= j < len(sides)
            else 0
            for i, j in pairs
        ]
        assert counts.shared_grams(counts, offset).tolist() == expected


@given(st.lists(st.tuples(short, short), min_size=1, max_size=4), st.integers(-1, 5))
@example([("abab", "baba"), ("aaaa", "a"), ("", "ab"), ("买ab买", "ab买")], 3)
def test_edits_are_those_of_the_twin(pairs, most):
    left, right = (count_texts([pair[k] for pair in pairs]) for k in (0, 1))
    folded = [(left.text(i), right.text(i)) for i in range(len(pairs))]
    distances = [oracle.distance(*pair) for pair in folded]
    bounds = np.full(len(pairs), most, np.int64), np.full(len(pairs), 8 * most, np.int64)
    expected = [distance if distance <= most else -1 for distance in distances]
    assert left.edits(right, *bounds).tolist() == expected
    none = np.full(len(pairs), -1, np.int64)
    assert (left.edits(right, bounds[0], none) == -1).all()  # too many grams differ


def test_a_line_of_ten_megabytes():
    line = "买雨伞" * 1_200_000
    letters = CodePoints([line, "买"])
    assert count_traits(letters).of("Han").tolist() == [3_600_000, 1]
    assert letters.repeats(2, 30, 5).tolist() == [True, False]
    counts = count_texts([line])
    assert counts.lengths().tolist() == [3_600_000] and counts.grams().max() == 255
    none = np.zeros(1, np.int64)
    assert counts.edits(counts, none, none).tolist() == [0]


def test_characters_without_a_class_are_counted():
    classes = np.zeros(0x110000, np.uint8)
    classes[ord("a")], classes[ord("b")] = 1, 2
    for known, n_unknown in (0, 6), (1, 6), (2, 3), (3, 1):
        *_, counted = CodePoints(["aab", "", "cab"]).count(classes, np.ones(known, np.uint32), 1)
        assert counted == n_unknown


def test_what_does_not_fit_is_refused():
    letters, table = CodePoints(["a"]), np.zeros(0x110000, np.uint8)
    with pytest.raises(TypeError):
        CodePoints([1])
    for refused in (
        lambda: letters.unknown(table[1:]),
        lambda: letters.count(table[1:], np.zeros(2, np.uint32), 1),
        lambda: letters.count(table, np.zeros(2, np.uint32), 33),
        lambda: letters.repeats(0, 3, 5),
        lambda: Phrases([("a",)], table, 2),  # a letter without a number
        lambda: Phrases([()] * 9, table, 2),
        lambda: FoldedTexts(letters, np.zeros(3, np.uint32)),
        lambda: count_texts(["a"]).edits(count_texts([]), *[np.zeros(1, np.int64)] * 2),
    ):
        with pytest.raises(ValueError):
            refused()
    with pytest.raises(IndexError):
        count_texts(["a"]).text(1)
    assert FoldedTexts(letters, np.zeros(0x110000, np.uint32)).unknown == [ord("a")]
