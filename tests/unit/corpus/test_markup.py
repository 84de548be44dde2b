"""Markup: mteval's sets in SGML and XML, WMT's XML, and how parts are joined by their ids."""

import html
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab import corpus
from celab.base.errors import InputError, OptionError
from celab.corpus import Segment
from celab.corpus.formats import markup
from celab.corpus.model import TextFile

NIST = """<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<mteval>
<srcset setid="s" srclang="English"><doc docid="d1" genre="nw"><p><seg id="1">An umbrella</seg></p>
<p><seg id="2">AT&amp;T</seg></p></doc></srcset>
<refset setid="s" refid="ref1"><doc docid="d1" genre="nw">
<seg id="1">雨伞</seg><seg id="2">AT&amp;T</seg>
</doc></refset>
<refset setid="s" refid="ref2"><doc docid="d1" genre="nw"><seg id="1">伞</seg><seg id="2">电报</seg>
</doc></refset>
<tstset setid="s" sysid="one"><doc docid="d1" genre="nw"><seg id="2">ATT</seg><seg id="1">把伞</seg>
</doc></tstset>
<tstset setid="s" sysid="two"><doc docid="d1"><seg id="1">雨</seg><seg id="2"/></doc></tstset>
</mteval>
"""
SGML = """<RefSet setid=s srclang=any trglang=zh>
<DOC docid=d1 sysid=ref-A><HL>
<seg id=1> 买  伞
</Seg></HL>
<P>
<seg id = '2' > R&D < 5% & 3 > 2 <unk> </seg>
<P><seg id="3">&lt;p&gt; &#20170;&#x5929; &quot;好&apos; &amp;lt; &nbsp;</SEG>
</DOC>
<doc DOCID="d&amp;2" sysid="ref-A"><!-- <seg id="9">no</seg>
--><seg id="1">雨<![CDATA[<seg>&amp;]]></seg></doc>
</REFSET>
"""
SGML_TEXTS = ["买 伞", "R&D < 5% & 3 > 2 <unk>", "<p> 今天 \"好' &lt; &nbsp;", "雨<seg>&amp;"]
SGML_KEYS = [("d1", "1"), ("d1", "2"), ("d1", "3"), ("d&2", "1")]


def sgml(kind, name, segments, attribute="sysid"):
    """A set with (document, id, text) for each segment, every document opened anew."""
    body = "".join(
        f'<doc docid="{document}" {attribute}="{name}"><seg id="{number}">{text}</seg></doc>\n'
        for document, number, text in segments
    )
    return f'<{kind} setid="s">\n{body}</{kind}>\n'


def keys(texts):
    return [(segment.document, segment.id) for segment in texts.segments]


def message(*arguments, error=InputError, **options):
    with pytest.raises(error) as caught:
        corpus.read(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_one_file_of_nist_xml_is_a_whole_corpus(put):
    texts = corpus.read([put("all.xml", NIST)])
    assert texts.segments == [Segment("d1", "1"), Segment("d1", "2")]
    assert texts.source == ["An umbrella", "AT&T"]
    assert dict(zip(texts.ref_names, texts.refs, strict=True)) == {
        "ref1": ["雨伞", "AT&T"],
        "ref2": ["伞", "电报"],
    }
    assert texts.systems == {"one": ["把伞", "ATT"], "two": ["雨", ""]}
    assert texts.n_left_out == 0


def test_several_files_may_be_given_together_or_by_their_roles(put):
    sets = NIST.replace("</mteval>", "").partition("<mteval>")[2].split("<refset", 1)
    refs, tests = f"<refset{sets[1]}".split("<tstset", 1)
    src, ref = put("src.xml", sets[0]), put("ref.xml", refs)
    tst = put("tst.xml", f"<?xml version='1.0'?>\n<mteval><tstset{tests}</mteval>")
    by_role = corpus.read([ref], [tst], source=src)
    assert by_role == corpus.read([src, ref, tst]) == corpus.read([put("all.xml", NIST)])
    assert corpus.read([ref], [tst]).source is None


def test_a_file_gives_what_its_role_asks_for(put):
    path = put("all.xml", NIST)
    assert corpus.read([path], [path]) == corpus.read([path])
    assert corpus.read([path], put("h.txt", "甲\n乙\n")).systems == {"h": ["甲", "乙"]}
    assert "all.xml holds no reference" not in message([put("s.sgm", SGML)], put("e.txt", "a\n"))
    src = put("src.sgm", "<srcset><doc docid=d><seg id=1>a</seg></doc></srcset>")
    assert message([src], "h.txt").startswith("src.sgm holds no reference, only: source;")
    assert message(["h.txt"], src).startswith("src.sgm holds no system, only: source;")
    assert message([put("s.sgm", SGML)]) == "there is no system output in s.sgm; give at least one"


def test_the_role_of_a_file_wins_over_its_tags(put):
    one = "<{0} setid=n refid=r><doc docid=d sysid=sys1><seg id=1>{1}</seg></doc></{0}>".format
    ref, tst = put("ref.sgm", one("refset", "甲")), put("tst.sgm", one("tstset", "乙"))
    for system, text in ((ref, "甲"), (tst, "乙")):
        for reference in (ref, tst):
            texts = corpus.read([reference], [system])
            assert texts.systems == {"sys1": [text]}  # named as a system is
    assert corpus.read([tst], [ref]).ref_names == ["r"]
    assert corpus.read([ref], [tst], source=ref).source == ["甲"]


def test_odd_sgml_is_read_as_it_is_meant(put):
    texts = corpus.read([put("ref.sgm", SGML)], put("hyp.txt", "1\n2\n3\n4\n"))
    assert texts.ref_names == ["ref-A"]
    assert texts.refs == [SGML_TEXTS]
    assert keys(texts) == SGML_KEYS
    assert texts.hyps == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("markup_text", "text"),
    [
        (" a\t\r\n b ", "a b"),
        ("a\u3000\xa0b\u2028c", "a\u3000\xa0b\u2028c"),
        ("&#10;a&#32;&#x20;b&#9;", "a b"),
        ("&amp;amp;", "&amp;"),
        ("&AMP;&Lt;", "&<"),
        ("&amp &lt AT&T; &;", "&amp &lt AT&T; &;"),
        ("&#0;&#xD800;&#x110000;&#99999999;", "&#0;&#xD800;&#x110000;&#99999999;"),
        ("&#x1F600;&#128512;", "😀😀"),
        ("a <- b -> c --> d", "a <- b -> c --> d"),
        ("<p>a</p> <doc> </refset> <segment>", "<p>a</p> <doc> </refset> <segment>"),
        ("<ſeg id=2>", "<ſeg id=2>"),
        ("a<!-- b -->c", "ac"),
        ("a <!-- b", "a <!-- b"),
        ("<![CDATA[a & b]]> ]]>", "a & b ]]>"),
        ("<!-- <![CDATA[ -->a<![CDATA[ <!-- ]]>b<!-- ]]> -->c", "a <!-- bc"),
        ("a <![CDATA[ b", "a <![CDATA[ b"),
        ("&am<![CDATA[p;]]>", "&amp;"),
        ("", ""),
    ],
)
def test_the_text_of_a_segment(put, markup_text, text):
    ref = put("r.sgm", f"<refset><doc docid=d><seg id=1>{markup_text}</seg></doc></refset>")
    other = sgml("refset", "x", [("d", "1", "伞")])
    hyp = put("h.sgm", sgml("tstset", "y", [("d", "1", "雨")]))
    assert corpus.read([ref, put("r2.sgm", other)], hyp).refs == [[text], ["伞"]]


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("id=1", {"id": "1"}),
        ("ID = '1'", {"id": "1"}),
        ('id="a b"site=x', {"id": "a b", "site": "x"}),
        ("docid=a/b'c id=2", {"docid": "a/b'c", "id": "2"}),
        ('id="a>b" x', {"id": "a>b"}),
        ('id="&quot; &amp;"/', {"id": '" &'}),
        ("", {}),
        ("= = id =", {}),
    ],
)
def test_attributes(attributes, expected):
    file = TextFile(path="x", name="x", text=f"<doc {attributes}>", role=None)
    (tag, *_) = markup.scan(file)
    assert tag.attributes == expected


@pytest.mark.parametrize(
    ("kind", "attributes", "name"),
    [
        ("ref", 'refid="a"><doc docid=d sysid="b" site="c"', "a"),
        ("ref", 'sysid="a"><doc docid=d sysid="b" site="c"', "b"),
        ("ref", 'sysid="a"><doc docid=d site="c"', "c"),
        ("ref", 'sysid="a"><doc docid=d', "a"),
        ("ref", 'site="a"><doc docid=d sysid=""', "a"),
        ("ref", "><doc docid=d", "f"),
        ("tst", 'sysid="a"><system sysid="b">x</system><doc docid=d sysid="c"', "c"),
        ("tst", 'sysid="a"><system sysid="b">x</system><doc docid=d', "a"),
        ("tst", '><system site="s" sysid="b">x</system><doc docid=d', "b"),
        ("tst", 'site="a"><doc docid=d', "a"),
        ("tst", "><doc docid=d", "f"),
    ],
)
def test_names_of_sides(put, kind, attributes, name):
    path = put("f.xml", f"<{kind}set {attributes}><seg id=1>伞</seg></doc></{kind}set>")
    other = put("other", "a\n")
    if kind == "ref":
        assert corpus.read([path], other).ref_names == [name]
    else:
        assert corpus.read([other], path).hyp_name == name


def test_the_name_of_a_reference_in_two_files_tells_the_file(put):
    for name, text in (("r1.sgm", "伞"), ("r2.sgm", "雨")):
        put(name, sgml("refset", "ref", [("d", "1", text)]))
        put(f"t{name}", sgml("tstset", "sys", [("d", "1", text)]))
    texts = corpus.read(["r1.sgm", "r2.sgm"], ["tr1.sgm", "tr2.sgm"])
    assert texts.ref_names == ["ref (r1.sgm)", "ref (r2.sgm)"]
    assert texts.systems == {"sys (tr1.sgm)": ["伞"], "sys (tr2.sgm)": ["雨"]}
    assert (
        message(["r1.sgm"], ["tr1.sgm"] * 2) == "system sys is given twice; each must be given once"
    )
    with pytest.raises(InputError):
        _ = texts.hyps


def test_references_and_systems_are_chosen_by_name(put):
    path = put("all.xml", NIST)
    texts = corpus.read([path], only_refs=["ref2"], only_systems=["two"])
    assert texts.refs == [["伞", "电报"]]
    assert texts.hyps == ["雨", ""]
    swapped = corpus.read([path], only_refs=["ref2", "ref1"])
    assert swapped.ref_names == ["ref2", "ref1"]
    assert message([path], only_refs=["ref3"], error=OptionError) == (
        "unknown reference 'ref3'; did you mean 'ref2'?"
    )
    assert "is empty" in message([path], only_systems=[], error=OptionError)


# Joined by document and id, never by position.

THREE = [("d", "1", "甲"), ("d", "2", "乙"), ("e", "1", "丙")]


def test_the_source_gives_the_order(put):
    late = put("late.sgm", sgml("refset", "a", THREE[1:]))
    early = put("early.sgm", sgml("refset", "b", THREE[:1]))
    tst = put("t.sgm", sgml("tstset", "t", reversed(THREE)))
    source = put("s.sgm", sgml("srcset", "", THREE))
    texts = corpus.read([late, early], tst, source=source)
    assert keys(texts) == [("d", "1"), ("d", "2"), ("e", "1")]
    assert texts.hyps == texts.source == ["甲", "乙", "丙"]
    assert texts.refs == [["", "乙", "丙"], ["甲", "", ""]]
    assert corpus.read([late, early], tst).hyps == ["乙", "丙", "甲"]
    lines = corpus.read([late, early], put("h", "1\n2\n3\n"), source=source)
    assert lines.hyps == ["1", "2", "3"]


def test_missing_and_extra_segments_are_named(put):
    ref = put("r.sgm", sgml("refset", "r", THREE))
    lacks = put("lacks.sgm", sgml("tstset", "t", THREE[:1]))
    assert message([ref], lacks) == (
        "system t in lacks.sgm is missing 2 segments (document d segment 2, document e segment 1);"
        " if its segments are not the references' segments, align them: align=True; if only the"
        " last of a document are missing, use skip_missing=True"
    )
    more = [("x", str(number), "a") for number in range(5)]
    extra = put("extra.sgm", sgml("tstset", "t", [*THREE[1:], *more]))
    said = message([ref], extra)
    assert (
        "is missing 1 segment (document d segment 1) and has 5 segments that no reference" in said
    )
    assert "(document x segment 0, document x segment 1, document x segment 2, and 2 more)" in said
    source = put("s.sgm", sgml("srcset", "", THREE[:2]))
    whole = put("t.sgm", sgml("tstset", "t", THREE))
    assert message([ref], whole, source=source).startswith(
        "s.sgm is missing 1 segment (document e segment 1); use skip_missing=True to ignore it"
    )


def test_skip_missing_takes_what_is_common_and_counts_the_rest(put):
    refs = [
        put("r1.sgm", sgml("refset", "a", THREE[:2])),
        put("r2.sgm", sgml("refset", "b", THREE)),
    ]
    one = put("t1.sgm", sgml("tstset", "one", [*THREE[1:], ("x", "1", "丁")]))
    two = put("t2.sgm", sgml("tstset", "two", THREE))
    texts = corpus.read(refs, [one, two], skip_missing=True)
    assert keys(texts) == [("d", "2"), ("e", "1")]
    assert texts.systems == {"one": ["乙", "丙"], "two": ["乙", "丙"]}
    assert texts.refs == [["乙", ""], ["乙", "丙"]]  # a variable number of references
    assert texts.n_left_out == 2
    other = put("t3.sgm", sgml("tstset", "three", [("y", "1", "a")]))
    assert message(refs, other, skip_missing=True).startswith("no segment has text in every system")


def test_a_segment_without_any_reference_is_named(put):
    blank = [("d", "1", "甲"), ("d", "2", " \u3000 ")]
    ref = put("r.sgm", sgml("refset", "r", blank))
    tst = put("t.sgm", sgml("tstset", "t", THREE[:2]))
    assert message([ref], tst).startswith(
        "1 segment without text in every reference (document d segment 2);"
    )
    texts = corpus.read([ref], tst, skip_missing=True)
    assert (texts.hyps, texts.n_left_out) == (["甲"], 1)


@pytest.mark.parametrize("skip_missing", [False, True])
def test_repeated_segments_are_named(put, skip_missing):
    ref = put("r.sgm", sgml("refset", "r", THREE))
    tst = put("t.sgm", sgml("tstset", "t", [*THREE, *THREE[:2], THREE[0]]))
    assert message([ref], tst, skip_missing=skip_missing) == (
        "system t in t.sgm has 2 segments more than once (document d segment 1, document d segment "
        "2); each must occur once"
    )


def test_lines_meet_ids_by_position_if_they_are_as_many(put):
    tst = put("t.sgm", sgml("tstset", "t", THREE))
    texts = corpus.read([put("r.txt", "a\nb\nc\n")], tst)
    assert texts.refs == [["a", "b", "c"]]
    assert keys(texts) == [("d", "1"), ("d", "2"), ("e", "1")]
    assert message([put("r.txt", "a\nb\n")], tst, skip_missing=True) == (
        "r.txt has 2 lines, system t in t.sgm 3 segments; lines have no ids, so their numbers must"
        " be equal"
    )


def test_lines_that_are_blank_in_the_references_can_be_skipped(put):
    paths = put("r", "a\n\nc\n"), put("h", "1\n2\n3\n")
    texts = corpus.read([paths[0]], [paths[1]], skip_missing=True)
    assert (texts.hyps, texts.refs, texts.n_left_out) == (["1", "3"], [["a", "c"]], 1)
    assert texts.segments == [Segment("", "1"), Segment("", "3")]
    whole = corpus.read(["h"], "h")
    assert list(whole.segments) == [Segment("", "1"), Segment("", "2"), Segment("", "3")]
    assert list(whole.segments[1:]) == list(whole.segments)[1:]
    assert "but r has 3" in message(["r"], put("short", "1\n"), skip_missing=True)


# What is wrong with a file is said with its line.


def test_the_format_can_be_named(put):
    path = put("r.sgm", SGML)
    lines = corpus.read([path], path, format="plain").hyps
    assert lines[0] == "<RefSet setid=s srclang=any trglang=zh>"
    assert "r.txt holds no segment" in message([put("r.txt", "a\n")], format="sgml")
    texts = corpus.read([put("r", "<unk> a\n<b>\n")], put("h", "  <\n<3\n"))
    assert (texts.refs, texts.hyps) == ([["<unk> a", "<b>"]], ["  <", "<3"])


LAUGHS = """<?xml version="1.0"?><!DOCTYPE mteval [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>
<mteval><refset><doc docid="d"><seg id="1">&b;</seg></doc></refset></mteval>"""


@pytest.mark.parametrize("format", [None, "sgml", "wmt"])
@pytest.mark.parametrize(
    "data",
    [
        LAUGHS,
        LAUGHS.replace("mteval", "dataset"),
        LAUGHS.replace("ENTITY", "entity").replace("DOCTYPE", "doctype"),
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><refset>&x;</refset>',
        '<!DOCTYPE r SYSTEM "a.dtd" [<!ELEMENT r ANY>]><refset></refset>',
        "<!DOCTYPE r PUBLIC \"[\" 'x' [%remote;]><refset></refset>",
        '<?xml version="1.0"?><!-- x --><!ENTITY % p SYSTEM "http://localhost/x"><refset></refset>',
        '<!DOCTYPE lolz [<!ENTITY lol "lol">]><lolz>&lol;</lolz>',
        '<refset><!ENTITY x "y"></refset>',
    ],
)
def test_documents_that_declare_entities_are_refused(put, data, format):
    said = message([put("r.xml", data)], format=format)
    assert "never read because they can be malicious" in said or "line 1: broken XML: " in said
    if format == "sgml":
        assert "never read because they can be malicious" in said


def test_a_named_document_type_is_not_fetched(put):
    data = f'<!DOCTYPE mteval PUBLIC "-//[x]//" "http://localhost:1/a.dtd">\n{SGML}'
    assert len(corpus.read([put("r.sgm", data)], put("h", "1\n2\n3\n4\n")).segments) == 4


# Sets that are generated, with the spelling left to chance.

WORDS = st.text(st.sampled_from("伞雨 a&<>\"';#xA\t\n\u3000😀/="), max_size=12)
SPACE = st.sampled_from(["", " ", "\n", "\t\r\n "])


def spelled(draw, text):
    """The text with its special characters written in one of the ways there are."""
    ways = {
        "&": ["&amp;", "&#38;"],
        "<": ["&lt;", "&#x3C;"],
        ">": [">", "&gt;"],
        '"': ['"', "&quot;"],
        "'": ["'", "&apos;"],
        "伞": ["伞", "&#20254;"],
    }
    return "".join(draw(st.sampled_from(ways.get(letter, [letter]))) for letter in text)


@st.composite
def odd_sets(draw):
    count = draw(st.integers(1, 5))
    texts = draw(st.lists(WORDS, min_size=count, max_size=count))
    cased = st.sampled_from([str.lower, str.upper, str.title])

    def tag(name, *attributes):
        name = draw(cased)(name)
        written = "".join(
            f" {draw(cased)(key)}{draw(SPACE)}={draw(SPACE)}{draw(st.sampled_from(quotes))}"
            for key, quotes in attributes
        )
        return f"<{name}{written}{draw(SPACE)}>"

    def quoted(value):
        return [f'"{value}"', f"'{value}'", f"{value} "]

    parts = [tag("refset", ("setid", quoted("s"))), tag("doc", ("docid", quoted("d/1.x")))]
    for number, text in enumerate(texts):
        parts += [draw(SPACE), draw(st.sampled_from(["", "<p>", "<hl>", "</P>", "<!-- x -->"]))]
        parts += [tag("seg", ("id", quoted(number))), draw(SPACE), spelled(draw, text)]
        parts += [draw(SPACE), draw(cased)("</seg>")]
    parts += [draw(SPACE), draw(st.sampled_from(["", "</doc>"])), "</refset>", draw(SPACE)]
    return texts, "".join(parts)


def collapsed(text):
    for letter in "\t\r\n":
        text = text.replace(letter, " ")
    return " ".join(word for word in text.split(" ") if word)


@given(odd_sets())
def test_generated_sgml(tmp_path_factory, case):
    texts, data = case
    folder = tmp_path_factory.mktemp("odd")
    (folder / "r.sgm").write_bytes(data.encode())
    lines = "".join(f"{number}伞\n" for number in range(len(texts)))
    (folder / "plain").write_text(lines, encoding="utf-8")
    paths = str(folder / "r.sgm"), str(folder / "plain")
    read = corpus.read(paths, paths[1])  # the second reference, since texts may be blank
    assert read.refs[0] == [collapsed(text) for text in texts]
    assert keys(read) == [("d/1.x", str(number)) for number in range(len(texts))]


# The published samples.


@pytest.fixture(scope="module")
def samples(shared):
    folder = shared / "data" / "formats"
    if not folder.is_dir():
        pytest.skip("../shared/data/formats is not here: the published samples cannot be read")
    return folder


def test_the_sample_of_cwmt(samples):
    paths = {side: samples / f"niutrans-e2c-{side}.xml" for side in ("src", "ref", "1best")}
    texts = corpus.read([paths["ref"]], [paths["1best"]], source=paths["src"])
    assert texts.hyp_name == "NiuTrans"
    assert texts.ref_names == [f"transorg{number}" for number in range(4)]
    assert keys(texts) == [("news", str(number)) for number in range(1, 11)]
    trees = {side: ElementTree.parse(path).getroot() for side, path in paths.items()}
    found = {
        side: [collapsed(seg.text) for seg in tree.iter("seg")] for side, tree in trees.items()
    }
    assert texts.source == found["src"]
    assert texts.hyps == found["1best"]
    assert [text for ref in texts.refs for text in ref] == found["ref"]


def test_the_sample_of_moses(samples, put):
    ref, src = samples / "moses-test-ref.en.sgm", samples / "moses-test-src.fr.sgm"
    data = ref.read_text(encoding="utf-8")
    plain = [line.partition("> ")[2] for line in data.split("\n") if "<seg" in line]
    plain = [html.unescape(line.removesuffix(" </seg>")) for line in plain]
    tst = put("t.sgm", data.replace("refset", "tstset").replace('"ref"', '"x"'))
    texts = corpus.read([ref], tst, source=src)
    assert len(plain) == 85
    assert texts.refs == [[collapsed(line) for line in plain]]
    assert texts.systems == {"x": texts.refs[0]}
    assert texts.source[0] == "Illhaeusern... enfin"


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


@pytest.mark.parametrize("form", ["wmt", "sgml"])
def test_sections_inside_comments_delete_no_segment(put, form):
    # The comments have the beginning of a CDATA section, and the section that of a comment.
    segs = (
        '<!-- <![CDATA[ --><seg id="1">甲</seg><seg id="2"><![CDATA[<!--]]>乙</seg>'
        '<!-- x --><seg id="3">丙</seg>'
    )
    if form == "wmt":
        data = f'<dataset><doc id="d"><ref>{segs}</ref><hyp system="s">{segs}</hyp></doc></dataset>'
    else:
        data = f"<refset><doc>{segs}</doc></refset><tstset sysid=s><doc>{segs}</doc></tstset>"
    texts = corpus.read([put("all.xml", data)])
    assert texts.refs == [["甲", "<!--乙", "丙"]]
    assert texts.systems == {"s": ["甲", "<!--乙", "丙"]}


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
    with pytest.raises(InputError):
        corpus.read([path], [path], source=path)
    texts = corpus.read([path], [path], source=path, skip_missing=True)
    assert (texts.source, texts.n_left_out) == (["Rain & wind", "Umbrella", "Buy"], 1)


def test_sides_without_a_name_have_that_of_the_file(put):
    path = put("all.xml", WMT.replace(' translator="A"', "").replace(' system="one"', ""))
    texts = corpus.read([path])
    assert texts.ref_names == ["all", "B"]
    assert list(texts.systems) == ["all", "two"]


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


def test_documents_that_are_cut_elsewhere_are_to_be_aligned(put):
    texts = [
        "今天天气很好。",
        "他买了一把雨伞。",
        "我们明天去北京。",
        "书在桌子上。",
        "火车晚点了。",
    ]
    cut = [texts[0] + texts[1], *texts[2:]]
    ref = put(
        "r.sgm", sgml("refset", "r", [(d, str(n), x) for d in "de" for n, x in enumerate(texts, 1)])
    )
    hyp = put(
        "h.sgm", sgml("tstset", "t", [(d, str(n), x) for d in "de" for n, x in enumerate(cut, 1)])
    )
    said = message([ref], hyp)
    assert "is missing 2 segments (document d segment 5, document e segment 5)" in said
    assert "if its segments are not the references' segments, align them: align=True" in said
    assert corpus.read([ref], hyp, align=True).hyps == texts * 2
    # Ids that have a gap are the references' ids, and whole documents may be missing.
    holes = [(d, str(n), x) for d in "de" for n, x in enumerate(texts, 1) if n != 2]
    for lacking in (holes, [row for row in holes if row[0] == "d"]):
        said = message([ref], put("h.sgm", sgml("tstset", "t", lacking)))
        assert said.endswith("use skip_missing=True to ignore them")
    whole = [("d", str(n), x) for n, x in enumerate(texts, 1)]
    said = message([ref], put("h.sgm", sgml("tstset", "t", whole)))
    assert said.endswith("use skip_missing=True to ignore them")
