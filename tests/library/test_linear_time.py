"""Text that is made to be slow is not: patterns and loops take time in proportion to its length."""

import random
import time
import unicodedata
from itertools import product
from pathlib import Path

import pytest

from celab import corpus
from celab.analysis.compounds import Splitter
from celab.analysis.hanover import English, German
from celab.analysis.tagged import Surface
from celab.base.errors import InputError
from celab.base.nfc import compose
from celab.base.text.normalize import fold_umlauts
from celab.lexicon.model import Settings
from celab.lexicon.readers import openthesaurus, wiktionary_dump
from celab.lexicon.source import SourceFile
from celab.lexicon.wiktionary import chinese
from celab.lexicon.wiktionary.words import sense_numbers

N = 200_000  # characters: each of these took minutes
LONGEST = 3.0  # seconds of the processor, so that a busy machine is not blamed

MARKS = "a" + "\u0315\u0300" * (N // 2)
SOURCE = SourceFile(Path("dump"), "dump", Settings())


def tokens(sentence):
    return German.token.findall(sentence), English.token.findall(sentence)


def dump_head(head):
    return wiktionary_dump.provenance(SOURCE, head)


@pytest.mark.parametrize(
    ("function", "text"),
    [
        pytest.param(compose, MARKS, id="marks"),
        pytest.param(compose, "\u0f73" * N, id="marks that are two"),
        pytest.param(fold_umlauts, MARKS, id="umlauts"),
        pytest.param(lambda text: Surface().analyze([text]), MARKS, id="surface"),
        pytest.param(tokens, "+" * N, id="signs"),
        pytest.param(tokens, "._" * (N // 2), id="dots"),
        pytest.param(tokens, "a@" * (N // 2), id="addresses"),
        pytest.param(lambda word: Splitter({word: 1}).split(word + word), "H" + "a" * N, id="word"),
        pytest.param(sense_numbers, f"1,{' ' * N}!", id="senses"),
        pytest.param(chinese._BEFORE_COLON.match, "'" * N, id="before a colon"),
        pytest.param(
            lambda head: openthesaurus.provenance(SOURCE, head),
            "#" + "http://Lesser General Public License" * 1800,
            id="openthesaurus",
        ),
        pytest.param(dump_head, f"<generator>{' ' * 60_000}", id="dump"),
        pytest.param(dump_head, "<mediawiki" * 6500, id="dump of openings"),
    ],
)
def test_time_grows_with_the_length(function, text):
    began = time.process_time()
    function(text)
    assert time.process_time() - began < LONGEST


def test_many_systems_in_a_file(put):
    systems = "".join(f'<tstset sysid="{i}"><seg id="1">b</seg></tstset>' for i in range(20_000))
    path = put("set", f'<refset><seg id="1">a</seg></refset>{systems}')
    began = time.process_time()
    assert len(corpus.read(path).systems) == 20_000
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


def test_the_composed_form_is_unicodes():
    marks = [chr(c) for c in range(0x110000) if unicodedata.combining(chr(c))]
    assert not any(mark.isalnum() or mark.isspace() for mark in marks)
    others = ["a", "é", "각", "ᄀ", "ᅡ", "。", "≠", "\u0338", "\u0344", "\u0f73", "\u0f81"]
    choose = random.Random(11)
    for n, share in product((10, 60, 300), (0.5, 0.9, 0.99)):
        text = "".join(
            choose.choice(marks if choose.random() < share else others) for _ in range(n)
        )
        assert compose(text) == unicodedata.normalize("NFC", text)
