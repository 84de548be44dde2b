"""Whatever the bytes: a corpus whose lists are aligned, or an `InputError` of one line."""

import gzip
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbooks import workbook

from celab import corpus
from celab.base.errors import InputError
from celab.corpus import FORMATS, Corpus, Fields
from celab.corpus.lines import batches, open_lines
from fuzz import inputs

SEEDS = [
    b"<refset setid=s><doc docid=d><seg id=1>a &amp; b</seg></doc></refset>"
    b"<tstset sysid=t><doc docid=d><seg id=1>c</seg></doc></tstset>",
    b'<?xml version="1.0" encoding="gb2312"?><mteval><refset refid="r"><doc docid="d" genre="g">'
    b'<p><seg id="1">\xd6\xd0</seg></p></doc></refset></mteval>',
    b'<!DOCTYPE mteval SYSTEM "x.dtd" [<!ENTITY a "b">]><mteval><refset></refset></mteval>',
    b'<dataset id="x"><collection id="c"><doc id="d"><src><seg id="1">s</seg></src>'
    b'<ref translator="A"><seg id="1"><![CDATA[r]]></seg></ref><!-- x -->'
    b'<hyp system="h"><seg id="1">h</seg></hyp></doc></collection></dataset>',
    b'{"id": 1, "doc": "d", "ref": ["a", null], "hyp": "b", "src": "c"}\n{"id": 2, "ref": "a"}\n',
    b'{"doc_id": 1, "doc": {"translation": {"en": "s", "zh": "r"}}, "target": "[\'r\', \'q\']",'
    b' "filtered_resps": [" h"], "filter": "none"}\n',
    b'{"eval": {"model": "m"}, "samples": [{"id": 1, "epoch": 1, "input": [{"role": "user",'
    b' "content": "s"}], "target": ["r"], "output": {"completion": "h"}}]}',
    b'{"spec": {"completion_fns": ["m"]}}\n{"sample_id": "1", "type": "match", "data":'
    b' {"expected": "r", "sampled": "h"}}\n',
    b'{"translation": {"en": "s", "zh": "r"}, "prediction": "h"}\n',
    b"target\tprediction\nr\th\n",
    b"a\tb\tc\n\xe4\xbc\x9e\t\t1\n",
    "买伞\n好\r\n".encode("utf-16"),
    "买伞\n好\n".encode("gb18030"),
    b'# v1\n{"hyp": "b"}\n',
    b"text\n\xe4\xbc\x9e\n",
    b"id;ref;hyp\n1;\xe4\xbc\x9e;a\n",
    b"ref,1,2\na,b,c\n",
    b'["a", "b"]\n',
    b'{"spec": {"completion_fns": ["m"]}}\n'
    + b'{"sample_id": "1", "type": "match", "data": {"expected": "r", "sampled": "h"}}\n' * 2,
    b"a\rb\r",
    b"%PDF-1.7\n",
    b'/* c */\n"a" = "b";\n',
    b'<resources>\n<string name="a">b</string>\n</resources>\n',
    b'{\n"@@locale": "zh",\n"a": "b"\n}\n',
    b'<xliff version="1.2"><file original="d" target-language="zh"><body><trans-unit id="1"'
    b' maxwidth="9" size-unit="char"><source>s<x id="1"/></source><seg-source><mrk mtype="seg"'
    b' mid="0">s</mrk></seg-source><target state="final"><mrk mtype="seg" mid="0">t<bpt id="1">'
    b"&lt;b></bpt></mrk></target></trans-unit></body></file></xliff>",
    b'<xliff version="2.0" srcLang="en" trgLang="zh"><file id="f"><unit id="u"><segment id="s">'
    b'<source>s</source><target><pc id="1">t</pc></target></segment><ignorable><source> </source>'
    b"</ignorable></unit></file></xliff>",
    b'<tmx version="1.4"><header srclang="en"/><body><tu tuid="1"><tuv xml:lang="en"><seg>s</seg>'
    b'</tuv><tuv xml:lang="zh"><seg>t<ph x="1">a<sub>b</sub></ph></seg></tuv></tu></body></tmx>',
    b'# c\nmsgid ""\nmsgstr "Language: zh\\n"\n\n#, fuzzy\nmsgctxt "c"\nmsgid "%d a"\n'
    b'msgid_plural "%d as"\nmsgstr[0] "t"\n\nmsgid "b"\nmsgstr "u\\t\\x41"\n',
    b'msgid ""\nmsgstr "Content-Type: text/plain; charset=GBK\\n"\n#, fuzzy\n#~ msgid "o"\n'
    b'#~ msgstr "p"\nmsgid "b\\n"\nmsgstr "\xd6\xd0\\xd6\\320"\n',
    b"WEBVTT\n1\n00:01.000 --> 00:02.000\na\n",
    b"1\n00:00:01,000 --> 00:00:02,500\n<i>a</i>\nb\n\n"
    b"2\n00:00:03,000 --> 00:00:04,000\n{\\an8}c\n",
    b"WEBVTT\n\nNOTE x\n\nid\n00:01.000 --> 00:02.000 align:start\n<v Ann>a &amp; b\n",
    workbook([["id", "ref", "hyp"], ["1", "r", "h"]]),
]
PIECES = [
    *b"</seg> <seg> </doc> <refset> </refset> <tstset> </tstset> <dataset> </dataset>".split(),
    *b'<ref> </ref> <!-- --> <![CDATA[ ]]> &# &lt; ; < > " { } [ ] , 1 a \\ud800'.split(),
    *(b"<seg id=1>", b"<doc docid=d>", b"<hyp system=x>", b"<!DOCTYPE x", b"<?xml "),
    *(b" encoding='big5'?>", b'"ref":', b'"hyp":', b'"id":', b'"a"'),
    *(b'"filtered_resps":', b'"target":'),
    *(b"<trans-unit id='1'>", b"<target>", b"</target>", b"<mrk mtype='seg'>", b"<g>", b"<tu>"),
    *(
        b"msgid ",
        b'msgstr "a"',
        b"#, fuzzy\n",
        b"-->",
        b"\n\n",
        b"\\xd6",
        b"charset=",
        b"00:00:01,000 --> 00:00:00,000",
    ),
    *(b"\n", b"\t", b" ", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xd6\xd0"),
]
FIELDS = [Fields(), Fields([1], [2]), Fields(["a"], ["b"], "c"), Fields(["ref"], ["hyp"], id="id")]
FIELDS += [Fields(["ref"], ["rest"]), Fields([1], ["2-"]), Fields(["a"], ["b"], system="c")]
ENCODINGS = [None, "gb18030", "utf-16", "big5", "iso2022_jp", "hz", "utf-32", "cp1252"]


SEED = st.sampled_from(SEEDS)
CHANCE = st.randoms(use_true_random=False)
BROKEN = st.one_of(SEED, st.builds(inputs.damaged, CHANCE, SEED, st.just(PIECES)))
FILES = st.one_of(
    st.binary(max_size=60), BROKEN, st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join)
)


def check(refs, hyps, **options):
    try:
        texts = corpus.read(refs, hyps, **options)
    except InputError as error:
        assert "\n" not in str(error)
        return None
    assert isinstance(texts, Corpus)
    sides = [*texts.systems.values(), *texts.refs, *([texts.source] if texts.source else [])]
    assert {len(side) for side in sides} == {len(texts.segments)}
    assert len(texts.segments) > 0
    assert len(set(texts.segments)) == len(texts.segments)
    assert len(texts.ref_names) == len(texts.refs) > 0 < len(texts.systems)
    for text in [text for side in sides for text in side]:
        text.encode()
    return texts


def check_streamed(refs, hyp, encoding=None):
    """What is read a few lines at a time is what is read whole, or both are refused."""

    def streamed():
        files = open_lines([(str(path), encoding) for path in (*refs, hyp)])
        if files is None:
            return None
        try:
            hyps, sides = [], [[] for _ in refs]
            for batch, batch_sides in batches(files[-1], files[:-1], 2):
                hyps += batch
                for side, texts in zip(sides, batch_sides, strict=True):
                    side += texts
            return sides, hyps
        finally:
            for file in files:
                file.close()

    try:
        found = streamed()
    except InputError:
        found = InputError
    if found is None:  # it is read whole
        return
    try:
        texts = corpus.read(refs, hyp, encoding=encoding)
        expected = texts.refs, texts.hyps
    except InputError:
        expected = InputError
    assert found == expected


@given(
    FILES,
    FILES,
    st.booleans(),
    st.sampled_from([None, None, *FORMATS]),
    st.sampled_from(ENCODINGS),
    st.sampled_from(FIELDS),
    st.booleans(),
)
def test_any_bytes(tmp_path_factory, ref, hyp, alone, format, encoding, fields, skip_missing):
    folder = tmp_path_factory.getbasetemp()
    (folder / "fuzz-ref.tsv").write_bytes(ref)
    (folder / "fuzz-hyp").write_bytes(hyp)
    check(
        [folder / "fuzz-ref.tsv"],
        () if alone else [folder / "fuzz-hyp"],
        format=format,
        encoding=encoding,
        fields=fields,
        skip_missing=skip_missing,
    )
    check_streamed([folder / "fuzz-ref.tsv"], folder / "fuzz-hyp", encoding)


@given(BROKEN)
def test_bytes_that_are_almost_right(tmp_path_factory, data):
    folder = tmp_path_factory.getbasetemp()
    (folder / "fuzz-all").write_bytes(data)
    (folder / "fuzz-all.gz").write_bytes(gzip.compress(data))
    plain = check([folder / "fuzz-all"], ())
    packed = check([folder / "fuzz-all.gz"], ())
    assert (plain is None) == (packed is None)
    check([folder / "fuzz-all"], [folder / "fuzz-all"])


def test_some_of_the_seeds_are_read(tmp_path):
    # Else the tests above could pass by refusing everything.
    read = 0
    for number, data in enumerate(SEEDS):
        (tmp_path / f"seed{number}.tsv").write_bytes(data)
        fields = Fields(["a"], ["b"]) if data.startswith(b"a\t") else Fields()
        read += (
            check([tmp_path / f"seed{number}.tsv"], (), fields=fields, skip_missing=True)
            is not None
        )
    assert read == 10


def test_seeds_of_one_side_are_read(tmp_path):
    formats = set()
    for data in SEEDS[-9:]:
        (tmp_path / "seed").write_bytes(data)
        texts = check([tmp_path / "seed"], [tmp_path / "seed"])
        formats.add(texts is not None and texts.hyps != [])
    assert formats == {True}


@pytest.mark.parametrize("seed", range(3))
def test_the_published_sample_with_damage(tmp_path, shared, seed):
    path = shared / "data" / "formats" / "converted-wmt22-enzh-ref.sgm"
    if not path.is_file():
        pytest.skip("../shared/data/formats is not here: the published samples cannot be read")
    chance = random.Random(seed)
    whole = path.read_bytes()
    for _ in range(40):
        (tmp_path / "r").write_bytes(inputs.damaged(chance, whole, PIECES))
        tst = path.with_name("converted-wmt22-enzh-tst.sgm")
        check([tmp_path / "r"], [tst], skip_missing=chance.random() < 0.5)
