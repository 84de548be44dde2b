"""What a file's bytes are taken for: a mark, what the caller says, a declaration, UTF-8."""

import codecs

import pytest

from celab import corpus
from celab.base.errors import InputError, OptionError

TEXT = "买雨伞，\r\n今天下雨。\n\n"
LINES = ["买雨伞，", "今天下雨。", ""]
REFSET = "<refset><doc docid=d><seg id=1>买雨伞</seg></doc></refset>"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        ("UTF8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("GBK", "gb18030"),
        ("gb2312", "gbk"),
        ("utf-16", "utf-16"),
        ("utf-16-be", "utf-16-be"),
        ("utf-16le", "utf-16-le"),
        ("utf-32", "utf-32"),
    ],
)
def test_the_caller_names_the_encoding(put, encoding, written):
    assert corpus.read_lines(put("t", TEXT.encode(written)), encoding) == LINES


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("big5", "買雨傘"),
        ("big5hkscs", "買雨傘嘅"),
        ("shift_jis", "傘を買う"),
        ("euc-kr", "우산"),
        ("gb18030", "𠮷㐀é"),
        ("gbk", "镕囍"),
    ],
)
def test_other_scripts(put, encoding, text):
    ref, hyp = put("r", text.encode(encoding)), put("h", f"{text}\n".encode(encoding))
    texts = corpus.read([ref], hyp, encoding=encoding)
    assert texts.hyps == texts.refs[0] == [text]


@pytest.mark.parametrize("encoding", [None, "gb18030", "utf-16-le"])
@pytest.mark.parametrize(
    ("mark", "codec"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_wins(put, mark, codec, encoding):
    assert corpus.read_lines(put("t", mark + TEXT.encode(codec)), encoding) == LINES


@pytest.mark.parametrize(
    ("label", "codec"),
    [("gb2312", "gb18030"), ("GB18030", "gb18030"), ("Big5", "big5"), ("utf-8", "utf-8")],
)
@pytest.mark.parametrize("quote", "\"'")
def test_xml_declares_its_encoding(put, label, codec, quote):
    text = REFSET.replace("买雨伞", "雨傘")
    declaration = f"<?xml version={quote}1.0{quote} encoding={quote}{label}{quote}?>\n"
    path = put("r.xml", (declaration + text).encode(codec))
    assert corpus.read([path], put("h", b"a\n")).refs == [["雨傘"]]


def test_what_the_caller_says_overrules_a_declaration(put):
    path = put("r.xml", f'<?xml version="1.0" encoding="utf-8"?>{REFSET}'.encode("gb18030"))
    assert corpus.read([path], put("h", b"a\n"), encoding="gb18030").refs == [["买雨伞"]]


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", [True, False])
def test_xml_in_utf_16(put, codec, mark):
    text = f'<?xml version="1.0" encoding="UTF-16"?>\n{REFSET}'
    data = ("\ufeff" * mark + text).encode(codec)
    assert corpus.read([put("r.xml", data)], put("h", b"a\n")).refs == [["买雨伞"]]


@pytest.mark.parametrize("label", ["utf-16", "klingon", "rot13", "zlib", "punycode", "utf-7"])
def test_a_declaration_that_cannot_be_right(put, label):
    path = put("r.xml", f'<?xml version="1.0" encoding="{label}"?>{REFSET}'.encode())
    with pytest.raises(InputError) as caught:
        corpus.read([path], put("h", b"a\n"))
    assert str(caught.value) == (
        f"r.xml declares the encoding {label!r}, in which it cannot be read; "
        "give the right encoding"
    )
    assert corpus.read([path], "h", encoding="utf-8").refs == [["买雨伞"]]


@pytest.mark.parametrize(
    "encoding",
    ["", "rot13", "hex", "idna", "punycode", "unicode_escape", "undefined", "utf-7", "a\0b", "伞"],
)
def test_an_encoding_that_is_none(put, encoding):
    with pytest.raises(OptionError) as caught:
        corpus.read_lines(put("t", b"a\n"), encoding)
    assert str(caught.value).startswith(f"encoding is {encoding!r}; it must be one that Python")
