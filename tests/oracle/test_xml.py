"""Readers of XML beside lxml: whole files are read, and what is read has the texts that lxml gives.

Texts have comments, CDATA sections, entities, processing instructions and inline elements, files
have prefixes, document types and encodings, and some are damaged.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from celab import corpus
from celab.base.errors import InputError
from celab.terminology.glossary import read as read_glossary

WORDS = st.text("雨明aB1 \n", max_size=5)
SECTIONS = st.sampled_from(
    [
        *("<!-- x -->", "<!-- <![CDATA[ -->", "<!-- ]]> <target> -->", "<!---->"),
        *("<![CDATA[<!-- ]]>", "<![CDATA[a & <b>]]>", "<![CDATA[]]>", "<![CDATA[-->]]>"),
        *("<?pi?>", "<?pi <!-- ?>", "<?pi <![CDATA[ > ?>"),
        *("&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#38;", "&#x96e8;", "&amp;lt;", ">"),
    ]
)
CODES = st.sampled_from(['<{x}x id="1"/>', '<{x}ph id="2">%s<!-- y --></{x}ph>', "<{x}ph/>"])
PLAIN = st.lists(st.one_of(WORDS, SECTIONS), max_size=6).map("".join)
CODED = st.recursive(
    st.lists(st.one_of(WORDS, SECTIONS, CODES), max_size=6).map("".join),
    lambda inner: st.builds('{}<{{x}}g id="3">{}</{{x}}g>{}'.format, inner, inner, inner),
    max_leaves=6,
)
PROLOG = st.lists(
    st.sampled_from(["<!-- <xliff> -->", "<?pi a>b?>", "\n", "<!-- <![CDATA[ -->"]), max_size=3
).map("".join)
TYPES = ("", '<!DOCTYPE {x}a SYSTEM "a.dtd">', "<!DOCTYPE {x}a PUBLIC '-//a//' \"a[>.dtd\">")
DAMAGE = st.sampled_from(
    [
        *("<!--", "-->", "<![CDATA[", "]]>", "<", "&", "&nbsp;", "&#0;", "<?", "?>", "\x01"),
        *(
            "</{x}g>",
            "<{x}g>",
            "</{x}seg>",
            "<a b='<'/>",
            "<!DOCTYPE a>",
            "<y:g xmlns:y='urn:y'/>",
            '"',
        ),
    ]
)
ENCODINGS = ("utf-8", "utf-16", "gb18030", "big5", "shift_jis")
NATIVE = ("ph",)


def text_of(element):
    """Return the text of an element without codes."""
    text = element.text or ""
    for child in element:
        if isinstance(child.tag, str) and etree.QName(child).localname not in NATIVE:
            text += text_of(child)
        text += child.tail or ""
    return text


def plain(text):
    return " ".join(text.split())


# ---- the formats: texts → XML, its root as lxml reads it → texts by id, file → texts by id ----


def as_xliff(texts):
    units = (
        f'<{{x}}trans-unit id="{k}"><{{x}}source>s</{{x}}source><{{x}}target>{text}</{{x}}target>'
        "</{x}trans-unit>"
        for k, text in enumerate(texts)
    )
    body = "\n<!-- <![CDATA[ -->".join(units)
    return f'<{{x}}xliff {{xmlns}}><{{x}}file original="d">{body}</{{x}}file></{{x}}xliff>'


def units_of(root):
    return {
        unit.get("id"): text_of(target)
        for unit in root.iter("{*}trans-unit")
        for target in unit.findall("{*}target")
    }


def as_tmx(texts):
    units = (
        f'<{{x}}tu tuid="{k}"><{{x}}tuv xml:lang="zh"><{{x}}seg>{text}</{{x}}seg></{{x}}tuv>'
        "</{x}tu>"
        for k, text in enumerate(texts)
    )
    return f"<{{x}}tmx {{xmlns}}><{{x}}body>{''.join(units)}</{{x}}body></{{x}}tmx>"


def segs_of(root):
    return {
        unit.get("tuid"): text_of(text)
        for unit in root.iter("{*}tu")
        for text in unit.findall("{*}tuv/{*}seg")
    }


def as_wmt(texts):
    segs = "".join(f'<{{x}}seg id="{k}">{text}</{{x}}seg>\n' for k, text in enumerate(texts))
    sides = f"<{{x}}ref>{segs}</{{x}}ref><{{x}}hyp>{segs}</{{x}}hyp>"
    return f"<{{x}}dataset {{xmlns}}><{{x}}doc id='d'>{sides}</{{x}}doc></{{x}}dataset>"


def outputs_of(root):
    return {seg.get("id"): text_of(seg) for seg in root.iterfind(".//{*}hyp//{*}seg")}


def as_tbx(texts):
    concepts = (
        f'<{{x}}conceptEntry><{{x}}langSec xml:lang="en"><{{x}}termSec><{{x}}term>t{k}</{{x}}term>'
        '</{x}termSec></{x}langSec><{x}langSec xml:lang="zh"><{x}termSec>'
        f"<{{x}}term>{text}</{{x}}term></{{x}}termSec></{{x}}langSec></{{x}}conceptEntry>"
        for k, text in enumerate(texts)
    )
    return f'<{{x}}tbx xml:lang="en" {{xmlns}}>{"".join(concepts)}</{{x}}tbx>'


def terms_of(root):
    concepts = root.iter("{*}conceptEntry")
    return dict(tuple(map(text_of, concept.iter("{*}term"))) for concept in concepts)


def read_segments(path):
    texts = corpus.read(path, () if path.suffix == ".xml" else path)
    return dict(zip((segment.id for segment in texts.segments), texts.hyps, strict=True))


def read_terms(path):
    return {term.source: "|".join(term.targets) for term in read_glossary(path, "zh").terms}


FORMS = {
    "xlf": (as_xliff, CODED, units_of, read_segments),
    "tmx": (as_tmx, CODED, segs_of, read_segments),
    "xml": (as_wmt, PLAIN, outputs_of, read_segments),
    "tbx": (as_tbx, PLAIN, terms_of, read_terms),
}


@st.composite
def files(draw):
    """Draw the suffix of a file, its bytes, and whether it is whole."""
    suffix = draw(st.sampled_from(list(FORMS)))
    write, texts, *_ = FORMS[suffix]
    prefix = draw(st.sampled_from(["", "x:"]))
    xmlns = 'xmlns:x="urn:x"' if prefix else draw(st.sampled_from(["", 'xmlns="urn:x"']))
    content = write([f"雨{text}" for text in draw(st.lists(texts, min_size=1, max_size=4))])
    content = content.replace("{x}", prefix).replace("{xmlns}", xmlns)
    is_whole = draw(st.booleans())
    if not is_whole:
        position = draw(st.integers(1, len(content)))  # the prolog may have any damage
        damage = draw(DAMAGE).replace("{x}", prefix)
        content = content[:position] + damage + content[position:]
    encoding = draw(st.sampled_from(ENCODINGS))
    head = draw(PROLOG) + draw(st.sampled_from(TYPES)).replace("{x}", prefix) + draw(PROLOG)
    document = f'<?xml version="1.0" encoding="{encoding}"?>{head}{content}'
    return suffix, document.encode(encoding), is_whole


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
@given(files())
def test_texts_are_those_of_lxml(tmp_path_factory, case):
    suffix, data, is_whole = case
    *_, texts_of, read = FORMS[suffix]
    path = tmp_path_factory.getbasetemp() / f"oracle.{suffix}"
    path.write_bytes(data)
    try:
        texts = read(path)
    except InputError as error:
        assert not is_whole, error
        assert "\n" not in str(error)
        return
    parser = etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:  # celab reads no address of a namespace
        assert not is_whole and "is not a valid URI" in str(error), error
        return
    expected = texts_of(root)
    expected = {key: plain(text) for key, text in expected.items() if text.strip()}
    assert {key: plain(text) for key, text in texts.items()} == expected
