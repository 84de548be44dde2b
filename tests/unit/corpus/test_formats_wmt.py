"""WMT's XML: documents, references and systems in one file, and the published sample."""

import xml.etree.ElementTree as ElementTree

import pytest

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import Segment

WMT = """<dataset id="test">
  <collection id="general">
    <doc origlang="en" id="d1" domain="news">
      <src lang="en"><p><seg id="1">Rain &amp; wind</seg></p><p><seg id="2">Umbrella</seg></p></src>
      <ref lang="zh" translator="A"><p><seg id="1">风雨</seg></p><p><seg id="2">伞</seg></p></ref>
      <ref lang="zh" translator="B">
        <p><seg id="1">雨和风</seg></p><p><seg id="2">雨伞</seg></p></ref>
      <hyp system="one" lang="zh"><p><seg id="1">雨</seg><seg id="2">把
         伞</seg></p></hyp>
      <hyp system="two" lang="zh"><p><seg id="1">风</seg><seg id="2"></seg></p></hyp>
    </doc>
    <doc id="d2">
      <src lang="en"><p><seg id="1">Buy</seg></p></src>
      <ref lang="zh" translator="A"><p><seg id="1">买</seg></p></ref>
      <hyp system="two" lang="zh"><p><seg id="1">买入</seg></p></hyp>
      <hyp system="one" lang="zh"><p><seg id="1">购</seg></p></hyp>
    </doc>
  </collection>
  <collection id="biomedical">
  </collection>
</dataset>
"""
NOT_TRANSLATED = '<doc id="d3"><src lang="en"><seg id="1">x</seg></src></doc>'


def test_one_file_is_a_whole_corpus(put):
    texts = corpus.read([put("all.xml", WMT)])
    assert texts.segments == [
        Segment("d1", "1"),
        Segment("d1", "2"),
        Segment("d2", "1"),
    ]
    assert texts.source == ["Rain & wind", "Umbrella", "Buy"]
    assert texts.ref_names == ["A", "B"]
    assert texts.refs == [["风雨", "伞", "买"], ["雨和风", "雨伞", ""]]
    assert texts.systems == {"one": ["雨", "把 伞", "购"], "two": ["风", "", "买入"]}


def test_the_file_as_reference_and_as_system(put):
    path = put("all.xml", WMT)
    whole = corpus.read([path])
    assert corpus.read([path], [path]) == whole
    against = corpus.read([path], put("hyp.txt", "a\nb\nc\n"), only_refs=["B"], skip_missing=True)
    assert against.refs == [["雨和风", "雨伞"]]
    assert against.hyps == ["a", "b"]


def test_segments_stand_as_in_the_file_whichever_reference_they_have(put):
    path = put(
        "all.xml",
        WMT.replace(
            '<ref lang="zh" translator="A"><p><seg id="1">风雨</seg></p>'
            '<p><seg id="2">伞</seg></p></ref>',
            "",
        ),
    )
    texts = corpus.read([path], put("hyp.txt", "a\nb\nc\n"))
    assert [segment.document for segment in texts.segments] == ["d1", "d1", "d2"]
    assert texts.refs == [["雨和风", "雨伞", ""], ["", "", "买"]]
    assert texts.ref_names == ["B", "A"]
    assert texts.hyps == ["a", "b", "c"]
    assert corpus.read([path], only_refs=["A", "B"]).segments == texts.segments


def test_a_document_that_only_the_source_has_is_no_error_unless_the_source_is_asked_for(put):
    path = put("all.xml", WMT.replace('<doc id="d2">', f'{NOT_TRANSLATED}<doc id="d2">'))
    assert len(corpus.read([path]).segments) == 3
    with pytest.raises(InputError, match=r"has 1 segment that no reference has \(document d3"):
        corpus.read([path], [path], source=path)
    texts = corpus.read([path], [path], source=path, skip_missing=True)
    assert (texts.source, texts.n_left_out) == (["Rain & wind", "Umbrella", "Buy"], 1)


def test_sides_without_a_name_have_that_of_the_file(put):
    path = put("all.xml", WMT.replace(' translator="A"', "").replace(' system="one"', ""))
    texts = corpus.read([path])
    assert texts.ref_names == ["all", "B"]
    assert list(texts.systems) == ["all", "two"]


# The published sample, by another parser and in another format.


@pytest.fixture(scope="module")
def samples(shared):
    folder = shared / "data" / "formats"
    if not folder.is_dir():
        pytest.skip("../shared/data/formats is not here: the published samples cannot be read")
    return folder


@pytest.fixture(scope="module")
def wmt22(samples):
    return corpus.read([samples / "wmttest2022.en-zh.all.xml"])


def test_the_sample_is_what_another_parser_reads(samples, wmt22):
    tree = ElementTree.parse(samples / "wmttest2022.en-zh.all.xml").getroot()
    found = {}
    for doc in tree.iter("doc"):
        for side in doc:
            name = side.get("system") or side.get("translator") or side.tag
            found.setdefault(name, []).extend(seg.text or "" for seg in side.iter("seg"))
    read = {"src": wmt22.source} | wmt22.systems
    read |= dict(zip(wmt22.ref_names, wmt22.refs, strict=True))
    assert len(read) == 16
    assert len(wmt22.segments) == 2037
    assert {name: [" ".join(t.split()) for t in texts] for name, texts in read.items()} == {
        name: [" ".join(t.split()) for t in texts] for name, texts in found.items()
    }


def test_the_sample_in_sgml_is_its_beginning(samples, wmt22):
    paths = {side: samples / f"converted-wmt22-enzh-{side}.sgm" for side in ("src", "ref", "tst")}
    texts = corpus.read([paths["ref"]], [paths["tst"]], source=paths["src"])
    assert texts.segments == wmt22.segments[:116]
    assert len({segment.document for segment in texts.segments}) == 8
    assert texts.ref_names == ["ref-A", "ref-B"]
    assert texts.refs == [ref[:116] for ref in wmt22.refs]
    assert texts.source == wmt22.source[:116]
    assert texts.systems == {name: wmt22.systems[name][:116] for name in ("Online-A", "HuaweiTSC")}
