"""What a file's bytes are taken for: a mark, what the caller says, a declaration, UTF-8."""

import codecs

import pytest

from celab import corpus
from celab.base.errors import InputError
from celab.base.text.scripts import likely_codec

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


SENTENCES = {
    "zh": (
        "他昨天在商店里买了一把雨伞。\n我们明天要去北京旅游，希望天气会好。\n这个问题不简单。\n"
    ),
    "zh-Hant": (
        "他昨天在商店裡買了一把雨傘。\n我們明天要去北京旅遊，希望天氣會好。\n這個問題不簡單。\n"
    ),
    "ja": (
        "昨日、店で傘を一本買いました。\n"
        "明日は北京へ旅行に行くつもりです。\n"
        "この問題の答えは簡単ではない。\n"
    ),
    "ko": ("어제 가게에서 우산을 하나 샀습니다.\n내일 우리는 베이징으로 여행을 갈 것입니다.\n"),
    "th": ("เมื่อวานเขาซื้อร่มหนึ่งคันที่ร้านค้า\nพรุ่งนี้เราจะไปเที่ยวปักกิ่ง\nคำตอบของปัญหานี้ไม่ง่ายเลย\n"),
    "de": (
        "Gestern hat er im Geschäft einen Schirm gekauft.\n"
        "Morgen fahren wir mit dem Zug nach München.\n"
    ),
    "fr": (
        "Hier, il a acheté un parapluie à la boutique.\n"
        "Nous irons à Pékin en été, où il fera beau.\n"
    ),
    "ru": ("Вчера он купил зонт в магазине.\nЗавтра мы поедем в Пекин.\n"),
    "ar": ("اشترى مظلة من المتجر أمس.\n"),
    "vi": ("Hôm qua anh ấy đã mua một chiếc ô ở cửa hàng.\n"),
    "terse": ("服务器配置\n数据库连接\n"),
    "katakana": ("コンピュータのサーバーをインストールする。\n"),
    "bilingual": (
        "The weather is fine today\t今天天气很好\nHe bought an umbrella\t他买了一把雨伞\n"
    ),
}
ENCODINGS = (
    "gb18030 gbk big5 cp950 big5hkscs euc-jp shift_jis cp932 euc-kr cp949 johab utf-16-le utf-16-be"
    " utf-32-le latin-1 cp1252 iso8859-2 cp437 cp850 mac-roman tis-620 cp874 koi8-r cp1251 cp1256"
).split()
HINTED = {
    *(("zh", codec) for codec in ("gb18030", "gbk", "utf-16-le", "utf-16-be")),
    *(("zh-Hant", codec) for codec in ("gb18030", "gbk", "big5", "cp950", "utf-16-le")),
    *(("ja", codec) for codec in ("euc-jp", "shift_jis", "cp932", "utf-16-le", "utf-16-be")),
    *(("ko", codec) for codec in ("euc-kr", "cp949", "utf-16-le")),
    *(("th", codec) for codec in ("tis-620", "cp874")),
    *(("de", codec) for codec in ("latin-1", "cp1252", "utf-16-le")),
    ("bilingual", "gb18030"),
}


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_an_encoding_is_hinted_at_only_if_it_gives_the_text(monkeypatch, name, encoding):
    monkeypatch.setattr("celab.base.text.scripts._SAMPLE_BYTES", 1000)  # the last is longer
    lines = SENTENCES[name].splitlines(keepends=True)
    for text in (SENTENCES[name], *lines, SENTENCES[name] * 50):
        try:
            data = text.encode(encoding)
        except UnicodeEncodeError:  # the encoding has no such characters
            assert (name, encoding) not in HINTED
            continue
        hint = likely_codec(data)
        assert not hint or data.decode(hint) == text
        assert hint or (name, encoding) not in HINTED or text in lines


def test_an_encoding_that_fails_later_is_not_hinted_at():
    data = (SENTENCES["ja"] * 2000).encode("euc-jp")
    assert likely_codec(data) == "euc-jp"
    assert likely_codec(data + b"\x80\n") == ""
