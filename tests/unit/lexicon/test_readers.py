"""Readers of thesauri, all of them: who takes which file for its own, and what damage does."""

import gzip
import importlib.util
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_samples import (
    CEDICT,
    MYTHES,
    OMW,
    OPENTHESAURUS,
    PAIRS,
    SAMPLES,
    SUDACHI,
    WN_LMF,
    provenance,
    put,
    read,
)

from celab import LexiconError
from celab.lexicon.model import Settings
from celab.lexicon.readers import FORMATS, groups, reader
from celab.lexicon.source import SourceFile

OURS = ["omw", "wn-lmf", "wordnet", "openthesaurus", "mythes", "cedict", "sudachi", "pairs"]


def is_written(name):
    return importlib.util.find_spec(f"celab.lexicon.readers.{FORMATS[name]}") is not None


WRITTEN = [name for name in FORMATS if is_written(name)]


# ---- recognition --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_a_format_is_recognised_by_its_reader_alone(name, write_source):
    source = write_source(SAMPLES[name])
    by = [other for other in WRITTEN if reader(other).recognises(source.path, source.head())]
    # Plain groups are anything with a tab, or one word to begin with: they stand almost last.
    if name in WRITTEN:
        assert by[0] == name
        assert set(by) - {"tsv"} == {name} - {"tsv"}
    else:
        assert by == []


@pytest.mark.parametrize("name", [*OURS, "cilin", "tsv"])
@pytest.mark.parametrize("content", ["", "\n \n", "\x00", "# only a comment\n", {}, {"a": "b"}])
def test_nothing_is_not_recognised(name, content, write_source):
    source = write_source(content)
    if not (name == "tsv" and content == "\x00"):
        assert not reader(name).recognises(source.path, source.head())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("omw", OMW.split("\n", 1)[1]),
        ("omw", OMW.replace("cmn:", "")),
        ("wn-lmf", WN_LMF.split("\n", 2)[2]),
        ("openthesaurus", OPENTHESAURUS[OPENTHESAURUS.index("Schirm") :]),
        ("mythes", MYTHES.replace("UTF-8", "ISO8859-15").encode("iso8859-15")),
        ("cedict", CEDICT[CEDICT.index("雨傘") :]),
        ("pairs", "a,b\n"),
        ("pairs", "ein Schirm;der Regenschirm\n# x\n\nBerlin, Stadt;Hauptstadt\n"),
        ("pairs", '"a";"b"\nc;d\n'),
    ],
)
def test_a_header_is_not_needed(name, content, write_source):
    source = write_source(content)
    by = [other for other in WRITTEN if reader(other).recognises(source.path, source.head())]
    assert name in by
    assert set(by) <= {name, "tsv"}


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("change", ["crlf", "bom", "gzip", "no end"])
def test_line_ends_marks_and_compression_change_nothing(name, change, write_source):
    def changed(text):
        if change == "crlf":
            return text.replace("\n", "\r\n")
        if change == "bom":
            return "\ufeff" + text
        return gzip.compress(text.encode()) if change == "gzip" else text.rstrip("\n")

    sample = SAMPLES[name]
    is_folder = isinstance(sample, dict)
    plain = write_source(sample, "plain")
    other = write_source(
        {k: changed(v) for k, v in sample.items()} if is_folder else changed(sample), "other"
    )
    assert reader(name).recognises(other.path, other.head())
    assert read(name, other) == read(name, plain)
    assert provenance(name, other) == provenance(name, plain)
    assert other.skipped == plain.skipped == []


# ---- damage -------------------------------------------------------------------------------------

DAMAGED = [
    ("omw", OMW + "nonsense\n", "line 10: 'nonsense' is not a row"),
    ("omw", OMW + "9-n\tcmn:lemma\t甲\n", "line 10: '9-n.* is not a row"),
    ("omw", OMW + "90000001-n\tcmn:lemma\t \n", "line 10: synset 90000001-n .* without a word"),
    ("wn-lmf", WN_LMF.replace('writtenForm="Monitor"', ""), "line 17: entry 'w3' has a lemma"),
    ("wn-lmf", WN_LMF.replace(' synset="probe-2-n"', ""), "line 9: sense 'w1-2' names no synset"),
    ("wordnet", {"data.adv": "nonsense\n"}, "data.adv, line 1: 'nonsense' is not a synset"),
    ("wordnet", {"data.adv": "00000001 02 r 02 a 0 b\n"}, "data.adv, line 1"),
    ("wordnet", {"data.adv": "00000001 02 r 02 (a) 0 b 0 000 | x\n"}, "data.adv, line 1"),
    ("openthesaurus", OPENTHESAURUS + "allein\n", "line 15: 'allein' is one term"),
    ("mythes", MYTHES + "nonsense\n", "line 8: 'nonsense' is not an entry"),
    ("mythes", MYTHES + "x|1\nnonsense\n", "line 9: 'nonsense' is not a meaning"),
    ("cedict", CEDICT + "甲 [jia3] /x/\n", "line 17: '甲 .* is not an entry"),
    ("sudachi", SUDACHI + "900001,1,0\n", "line 9: '900001,1,0' has no group"),
    ("sudachi", SUDACHI + "x,1,0,1,0,0,0,(),傘,,\n", "line 9: "),
    ("sudachi", SUDACHI + '900001,1,0,1,0,0,0,(),"傘,,\n', "line 9: .* is not valid CSV"),
    ("pairs", PAIRS + "a\n", "line 5: 'a' is not a pair"),
    ("pairs", PAIRS + "a,b,c\n", "line 5: 'a,b,c' is not a pair"),
    ("pairs", PAIRS + 'a,"b\nc,d\n', "line 5: 'a,\"b' is not a pair"),
    ("pairs", PAIRS + "a,\n", "line 5: 'a,' is not a pair"),
]


@pytest.mark.parametrize(("name", "content", "why"), DAMAGED)
def test_what_cannot_be_read_is_skipped_and_told(name, content, why, write_source):
    source = write_source(content)
    kept = read(name, source)
    assert re.search(why, source.skipped[0])
    with pytest.raises(LexiconError, match=why):
        read(name, write_source(content, strict=True))
    if isinstance(content, str) and content.startswith(SAMPLES[name]):  # the rest stays
        assert len(source.skipped) == 1
        assert kept.items() >= read(name, write_source(SAMPLES[name])).items()


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("readers")


def mutations(sample):
    """Lines of the sample, whole or cut, in any order, with noise among them."""
    noise = st.text("\t |;,:/[]()+#\"'<>&\n\r\x00\ufeff0129-abé的伞𠀀\u2028", max_size=12)
    lines = sample.split("\n")
    cut = st.builds(
        lambda line, i, j: line[i:] + line[:j],
        st.sampled_from(lines),
        st.integers(0, 40),
        st.integers(0, 40),
    )
    pieces = st.lists(st.one_of(st.sampled_from(lines), cut, noise), max_size=12)
    return pieces.map("\n".join)


def anything(name):
    sample = SAMPLES[name]
    text = "".join(sample.values()) if isinstance(sample, dict) else sample
    noise = st.one_of(mutations(text), st.text(max_size=80)).map(
        lambda s: s.encode(errors="replace")
    )
    return st.one_of(noise, st.builds(bytes.__add__, noise, st.binary(max_size=30)))


@pytest.mark.parametrize("name", OURS)
@given(data=st.data(), strict=st.booleans(), language=st.sampled_from([None, "zh", "de"]))
def test_any_text_is_read_or_refused(name, scratch, data, strict, language):
    content = data.draw(anything(name))
    if name == "mythes" and data.draw(st.booleans()):
        content = data.draw(st.sampled_from([b"UTF-8\n", b"ISO8859-1\n"])) + content
    if name == "wordnet":
        path = scratch / "wordnet"
        put(path, {"data.verb": content})
    else:
        path = scratch / name
        put(path, content)
    source = SourceFile(path, name, Settings(strict=strict, language=language))
    try:
        head = source.head()
        reader(name).recognises(path, head)
        reader(name).provenance(source, head)
        found = list(groups(name, source))
    except LexiconError as error:
        assert "\n" not in str(error)
        return
    assert not (strict and source.skipped)
    for group in found:
        assert group.label
        assert len(set(group.words)) == len(group.words) >= 2
        assert all(word == word.strip() != "" for word in group.words)
