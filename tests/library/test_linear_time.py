"""Text that is made to be slow is not: patterns and loops take time in proportion to its length."""

import re
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import celab
from celab import corpus
from celab.base.errors import InputError
from celab.base.text.normalize import FORMS
from celab.corpus import Corpus, Segment
from celab.corpus.align import characters
from celab.corpus.align import cutting as program
from celab.findings import suggestions
from celab.findings import translations as outputs
from celab.lexicon.readers.dictionaries import sense_numbers
from celab.lexicon.readers.lists import openthesaurus_provenance
from celab.lexicon.source import ReaderSettings, SourceFile
from celab.terminology.glossary import Term
from celab.words.compounds import Splitter
from celab.words.hanover import English, German

pytestmark = pytest.mark.thorough
N = 200_000  # characters: each of these took minutes
LONGEST = 3.0  # seconds of the processor, so that a busy machine is not blamed

SOURCE = SourceFile(Path("source"), "source", ReaderSettings())


def tokens(sentence):
    return German.token.findall(sentence), English.token.findall(sentence)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        pytest.param(FORMS["ja"].fold, "ﾞ" * N, id="sound marks"),
        pytest.param(FORMS["th"].fold, "\u0e4d\u0e48" * (N // 2), id="tone marks"),
        pytest.param(tokens, "+" * N, id="signs"),
        pytest.param(tokens, "._" * (N // 2), id="dots"),
        pytest.param(tokens, "a@" * (N // 2), id="addresses"),
        pytest.param(lambda word: Splitter({word: 1}).split(word + word), "H" + "a" * N, id="word"),
        pytest.param(sense_numbers, f"1,{' ' * N}!", id="senses"),
        pytest.param(
            lambda head: openthesaurus_provenance(SOURCE, head),
            "#" + "http://Lesser General Public License" * 1800,
            id="openthesaurus",
        ),
    ],
)
def test_time_grows_with_the_length(function, text):
    began = time.process_time()
    function(text)
    assert time.process_time() - began < LONGEST


PIECES = ["<!--", "<![CDATA[", "<seg ", '<seg id="', "<!DOCTYPE ", "<doc '", "a", "&", "&#", "<"]
PIECES += ["-->", "<seg id=1/>", " ", "\n", "<doc a", '="', "<?"]


@pytest.mark.parametrize("piece", PIECES)
def test_markup_that_is_left_open(put, piece):
    text = piece * (N // len(piece))
    for data in (f"<refset><doc {text}</refset>", f"<refset><doc {text}>", f"{text}<refset>", text):
        path = put("r.sgm", data)
        began = time.process_time()
        with pytest.raises(InputError):
            corpus.read([path], put("h", "a\n"), format="sgml")
        assert time.process_time() - began < LONGEST


# ---- work, counted ----


def lines_run(function):
    """How many lines of celab a call runs; loops inside of C are not counted."""
    count, folder = 0, str(Path(celab.__file__).parent)

    def trace(frame, event, argument):
        nonlocal count
        if not frame.f_code.co_filename.startswith(folder):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def grows_with_the_length(make, n=150):
    """Whether three times the size takes at most about three times the work."""
    make(10)()  # what is made once
    return lines_run(make(3 * n)) < 3.5 * lines_run(make(n))


def test_many_systems_in_a_file(put):
    def systems(n):
        sets = "".join(f'<tstset sysid="{i}"><seg id="1">b</seg></tstset>' for i in range(n))
        path = put(f"set{n}", f'<refset><seg id="1">a</seg></refset>{sets}')
        return lambda: corpus.read(path)

    assert len(systems(450)().systems) == 450
    assert grows_with_the_length(systems)


def term_check(terms, source, hyp, refs=(), **settings):
    names = [str(k) for k in range(len(refs))]
    texts = Corpus(
        segments=[Segment("", "1")],
        systems={"A": [hyp]},
        refs=[[ref] for ref in refs],
        ref_names=names,
        source=[source],
    )
    settings = {"source_lang": "fr", "lexicon": None} | settings
    return lambda: celab.terms(terms, texts, n_resamples=40, **settings)


def letters(n, first=0):
    return [chr(0x4E00 + k) for k in range(first, first + n)]


def names(n):
    return [f"Q{k}x" for k in range(n)]


def of_names(n):
    pairs = zip(names(n), letters(n), strict=True)
    return [Term(name, (letter,)) for name, letter in pairs]


SEGMENTS = {
    "forbidden": lambda n: term_check([Term("Q", ("乙",), ("丙",))], "Q " * n, "丙" * n),
    "one target": lambda n: term_check(
        [Term(name, ("乙",)) for name in names(n)], " ".join(names(n)), "乙" * (n // 2)
    ),
    "one term": lambda n: term_check(
        [Term("Q", tuple(letters(n))), *of_names(n)],
        "Q " * n + " ".join(names(n)),
        "".join(letters(n)),
        script="keep",
    ),
    "two targets each": lambda n: term_check(
        [Term(f"Q{k}x", tuple(letters(2, k))) for k in range(n)],
        " ".join(names(n)),
        "".join(letters(n + 1)),
        script="keep",
    ),
    "untranslated": lambda n: term_check(of_names(n), " ".join(names(n)), " ".join(names(n))),
    "all missed": lambda n: term_check(
        of_names(n), " ".join(names(n)), "".join(letters(n, 5000)), ["".join(letters(n))]
    ),
}


@pytest.mark.parametrize("make", SEGMENTS.values(), ids=SEGMENTS)
def test_terms_of_a_long_line(make):
    assert grows_with_the_length(make)


@pytest.mark.parametrize("size", [1, 3, 30])
def test_alignment_into_short_segments(size):
    def make(n):
        text = ("".join(letters(10)) * n)[: n * size]
        refs = [text[k : k + size] for k in range(0, len(text), size)]
        return lambda: celab.align(text[::-1][: n // 2] + text, refs)

    assert grows_with_the_length(make)


def test_a_cut_has_few_candidates():
    # So the work of a segment does not depend on the length of the text.
    most = 2 * program.NEAR_CHARACTERS + 2 * program.N_AFTER_MARKS + 2
    for text in ("买" * 3000, "。" * 3000, "a " * 1500, "买。" * 1500):
        cuts = program.candidates(characters.Characters.of(text), np.arange(0, 1500, 7))
        assert max(map(len, cuts)) <= most


@pytest.mark.parametrize("pattern", [outputs._ADDRESS, suggestions._ADDRESS])
@pytest.mark.parametrize("text", ["a" * 900, "a.b_" * 200, "a" * 400 + "@" + "b" * 400])
def test_no_address_is_looked_for_twice_in_a_run(pattern, text):
    # What begins no address is skipped at once, or the next search would begin inside it.
    found = [match[0] for match in re.finditer(pattern, text)]
    assert len(found) <= 2
    assert len("".join(found)) >= len(text) - 1
