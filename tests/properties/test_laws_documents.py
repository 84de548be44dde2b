"""Laws of `celab.align`, on texts that hypothesis draws."""

import unicodedata
import warnings
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import celab
from celab.base.errors import InputWarning
from celab.corpus.align.characters import Characters, join_lines

WORDS = (
    "买雨伞 我们 明天去北京 。 ， “好！” （是） Regen schirm 3.5 ไป น้ำ おはよう テスト 🙂 @user"
).split()
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
LINES = st.tuples(SENTENCES, st.sampled_from(["", " "])).map(lambda pair: pair[1].join(pair[0]))
REFS = st.lists(LINES, min_size=1, max_size=6)
FREE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TEXTS = st.one_of(st.lists(LINES, max_size=6).map("\n".join), FREE)


def align(*arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # that little is covered
        return celab.align(*arguments, **settings)


def solid(text):
    return "".join(text.split())


@given(TEXTS, REFS)
def test_joining_gives_the_text_back(text, refs):
    aligned = align(text, refs)
    assert len(aligned.lines) == len(refs)
    assert solid("".join(aligned.lines)) == solid(text)
    whole = aligned.documents[0].text
    rest = 0
    for line, cut in zip(aligned.lines, aligned.cuts, strict=True):
        assert line == line.strip() and line in whole[rest:cut]  # with all white space inside
        rest = cut
    assert all("\n" not in line for line in aligned.lines)


@given(REFS)
def test_a_text_equal_to_the_reference_keeps_its_lines(refs):
    lines = [ref.strip() for ref in refs]
    assert align(join_lines(refs), refs).lines == lines
    assert align(refs, refs).lines == lines
    assert align("\n".join(refs), refs).coverage == 1


@given(TEXTS, REFS)
def test_cuts_are_monotone_and_blank_segments_are_listed(text, refs):
    aligned = align(text, refs)
    assert all(a <= b for a, b in pairwise(aligned.cuts))
    assert aligned.blank == [i for i, line in enumerate(aligned.lines) if not line]
    assert 0 <= aligned.coverage <= 1


@given(TEXTS, REFS)
def test_line_ends_mean_nothing(text, refs):
    assert align(text, refs).lines == align(join_lines(text.split("\n")), refs).lines
    assert align(text, refs).lines == align(text.split("\n"), refs).lines


@given(st.dictionaries(st.sampled_from("abc"), st.tuples(TEXTS, REFS), min_size=1), st.randoms())
def test_no_cut_crosses_a_document(documents, random):
    names = [name for name, (_, refs) in documents.items() for _ in refs]
    refs = [ref for _, own in documents.values() for ref in own]
    texts = [(name, text) for name, (text, _) in documents.items()]
    random.shuffle(texts)  # documents match by name, in any order
    aligned = align(dict(texts), refs, documents=names)
    expected = [line for text, own in documents.values() for line in align(text, own).lines]
    assert aligned.lines == expected


@given(TEXTS, REFS)
def test_cuts_respect_words_clusters_and_punctuation(text, refs):
    assume(solid(text) != solid("".join(refs)))  # such a text keeps the reference's lines
    aligned = align(text, refs)
    whole = Characters.of(aligned.documents[0].text)
    place = 0
    for line in aligned.lines:
        place += len(solid(line))
        assert whole.may_cut[place]


@given(st.lists(LINES, max_size=6).map("".join), REFS)
def test_case_width_and_script_do_not_matter(text, refs):
    assume(solid(text) != solid("".join(refs)))
    wide = str.maketrans(
        {
            chr(code): chr(code + 0xFEE0)
            for code in range(ord("0"), ord("z") + 1)
            if chr(code).isalnum()
        }
    )
    simple = {"买": "買", "伞": "傘", "们": "們"}
    plain = align(text, refs)
    for other in (text.upper(), text.translate(wide), text.translate(str.maketrans(simple))):
        changed = align(other, refs)
        assert [len(line) for line in changed.lines] == [len(line) for line in plain.lines]


@given(TEXTS, REFS, st.lists(LINES, min_size=6, max_size=6))
def test_a_document_is_cut_by_the_first_reference_that_has_it(text, refs, others):
    aligned = align(text, [refs, others[: len(refs)]])
    assert aligned.lines == align(text, refs).lines
    blank = [" "] * len(refs)
    second = align(text, [blank, refs])
    assert second.lines == aligned.lines and second.documents[0].reference == 1


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_marks_stay_with_their_letters(form):
    text = unicodedata.normalize(form, "Größe é. Öl über")
    lines = align(text, ["Größe.", "Öl"]).lines
    assert not any(unicodedata.combining(line[0]) for line in lines if line)
