"""Glossaries: what is read from each format; error lines are in tests/golden/errors.toml.

Term bases and spreadsheets are glossaries, too.
"""

import warnings

import pytest
from workbooks import workbook

from celab.base.errors import InputError, InputWarning
from celab.terminology.glossary import Term, load_glossary, parse, read

SOURCE = "cloud platform\t云平台 | 云端\t云台\tsee the console\n"


def terms(text, name="terms.tsv", lang="zh"):
    return [(t.source, t.targets, t.forbidden, t.note) for t in parse(text, name, lang).terms]


def test_columns_by_order():
    assert terms(f"GPU\tGPU\n\n{SOURCE}") == [
        ("GPU", ("GPU",), (), ""),
        ("cloud platform", ("云平台", "云端"), ("云台",), "see the console"),
    ]


def test_columns_by_header_in_any_order():
    text = "Note\tTarget terms\tSource\nnew\t云平台|云平台\tcloud\n"
    assert terms(text) == [("cloud", ("云平台",), (), "new")]


def test_a_first_line_with_one_known_name_is_a_term():
    assert terms("note\t备注\n") == [("note", ("备注",), (), "")]


@pytest.mark.parametrize(
    "header",
    [
        "English\tChinese",
        "EN\tZH",
        "en-US\tzh_CN",
        "英文\t中文",
        "English term\tChinese (Simplified)",
    ],
)
def test_a_first_line_that_names_two_languages_is_a_header(header):
    assert terms(f"{header}\nserver\t服务器\n") == [("server", ("服务器",), (), "")]
    swapped = "\t".join(reversed(header.split("\t")))
    assert terms(f"{swapped}\n服务器\tserver\n") == [("server", ("服务器",), (), "")]
    noted = f"{header}\tnote\nserver\t服务器\tnew\n"
    assert terms(noted) == [("server", ("服务器",), (), "new")]
    with pytest.raises(InputError):
        terms(f"{header}\nserver\tサーバー\n", lang="ja")


def test_a_language_and_its_name_are_a_term():
    assert terms("English\t英语\n") == [("English", ("英语",), (), "")]


def test_a_first_line_that_may_be_a_header_is_warned_about():
    rows = "server\t服务器\ncloud\t云\n"
    with pytest.warns(InputWarning):
        assert len(terms(f"Term A\tTerm B\n{rows}")) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(terms(f"GPU\tGPU\n{rows}")) == 3


def test_csv_may_be_separated_by_semicolons():
    for header in ("", "source;target\n", "English;Chinese\n"):
        assert terms(f"{header}server;服务器|主机\n", "a.csv") == [
            ("server", ("服务器", "主机"), (), "")
        ]


def test_csv_quotes_commas():
    assert terms('"cloud, public","公有云|公共云"\n', "a.csv") == [
        ("cloud, public", ("公有云", "公共云"), (), "")
    ]


def test_rows_may_lack_last_columns_and_have_empty_ones():
    assert terms("cloud\t云\t\t\t\t\n") == [("cloud", ("云",), (), "")]


def test_terms_that_differ_in_capitals_are_different():
    assert len(terms("US\t美国\nus\t我们\n")) == 2


def test_wmt25_lines_are_merged_with_all_their_targets():
    lines = (
        '{"en": "a", "zh": "b", "proper": {"ferry": ["渡轮"]}, "random": {"a": ["b"]}}\n\n'
        '{"en": "c", "zh": "d", "proper": {"Ferry": "轮渡", "museum": ["博物馆"]}}\n'
    )
    assert terms(lines, "terms.jsonl") == [
        ("ferry", ("渡轮", "轮渡"), (), ""),
        ("museum", ("博物馆",), (), ""),
    ]


def test_wmt_inputs_and_dictionaries():
    expected = [("ferry", ("渡轮", "轮渡"), (), "")]
    for text in (
        '{"en": "The ferry", "terms": {"ferry": ["渡轮", "轮渡"]}}',
        '{\n "proper": {"ferry": ["渡轮", "轮渡"]},\n "random": {}\n}\n',
        '{"ferry": "渡轮|轮渡"}',
        '[{"proper": {"ferry": ["渡轮", "轮渡"]}}]',
    ):
        assert terms(text, "terms.json") == expected


def test_samples_of_the_shared_tasks(pytestconfig):
    folder = pytestconfig.rootpath.parent / "shared" / "data" / "formats"
    if not folder.is_dir():
        pytest.skip("the samples are not there")
    assert [term.source for term in read(folder / "terms-wmt25.jsonl", "zh").terms] == [
        "ferry",
        "museum",
    ]
    (ferry,) = read(folder / "terms-wmt26.json", "zh").terms
    assert len(ferry.targets) == 2


def test_names_stay_in_latin_letters_and_chinese_names_have_dots():
    text = "iPhone\tiPhone\nSiso\t维森特・西索|维森特·西索\n"
    assert len(terms(text)) == 2


@pytest.mark.parametrize(
    ("target", "lang"),
    [("서버", "zh"), ("сервер", "xx"), ("サーバー", "ja"), ("服务器", "ja"), ("Server", "de")],
)
def test_scripts_of_targets(target, lang):
    if target == "서버":
        with pytest.raises(InputError):
            terms(f"server\t{target}\n", lang=lang)
    else:
        assert terms(f"server\t{target}\n", lang=lang)


def test_from_python():
    listed = load_glossary([Term("GPU", ("显卡",), ("图卡",), "n")], "zh")
    assert load_glossary(listed, "zh") is listed
    assert load_glossary({"GPU": ["显卡"]}, "zh").terms == (Term("GPU", ("显卡",)),)


def test_the_digest_is_of_what_counts():
    one, other, third = (
        load_glossary([Term("GPU", ("显卡",), (), note)], "zh").digest for note in ("", "x", "")
    )
    assert one == other == third
    assert load_glossary([Term("GPU", ("显卡", "GPU"))], "zh").digest != one


TBX = """\
<?xml version="1.0"?>
<tbx type="TBX-Basic" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="c1">
 <langSec xml:lang="en"><termSec><term>ferry</term></termSec>
  <termSec><term>old boat</term>
   <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec></langSec>
 <langSec xml:lang="zh-Hans">
  <termSec><term>渡轮</term></termSec>
  <termSec><term>轮<hi>渡</hi></term>
   <termNote type="administrativeStatus">admittedTerm-admn-sts</termNote></termSec>
  <termSec><term>渡船</term>
   <termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termSec></langSec>
</conceptEntry>
<conceptEntry id="c2"><langSec xml:lang="en"><termSec><term>pier</term></termSec></langSec>
</conceptEntry></body></text></tbx>
"""
OLD = """\
<martif type="TBX"><text><body><termEntry id="1">
<langSet xml:lang="en-US"><tig><term>AT&amp;T</term></tig></langSet>
<langSet xml:lang="zh-CN"><ntig><termGrp><term>电话公司</term></termGrp></ntig></langSet>
</termEntry></body></text></martif>
"""


def test_deprecated_terms_are_forbidden():
    (term,) = parse(TBX, "terms.tbx", "zh").terms
    assert (term.source, term.targets, term.forbidden) == ("ferry", ("渡轮", "轮渡"), ("渡船",))


def test_the_other_style_and_the_old_version():
    other = TBX.replace('termNote type="administrativeStatus"', "min:administrativeStatus")
    other = other.replace("</termNote>", "</min:administrativeStatus>")
    assert parse(other, "terms.tbx", "zh") == parse(TBX, "terms.tbx", "zh")
    (term,) = parse(OLD, "terms.xml", "zh").terms
    assert (term.source, term.targets) == ("AT&T", ("电话公司",))


def test_sections_inside_comments_delete_no_term():
    text = TBX.replace("<term>渡轮", "<!-- <![CDATA[ --><term>渡轮").replace(
        "轮<hi>", "<![CDATA[轮]]><hi>"
    )
    text = text.replace("<term>渡船", "<!-- x --><term>渡船")
    assert parse(text, "terms.tbx", "zh") == parse(TBX, "terms.tbx", "zh")


def test_a_term_of_two_concepts_has_the_targets_of_both():
    second = TBX.split("<conceptEntry")[1].replace("渡船", "船").replace("渡轮", "渡船")
    both = TBX.replace("</body>", f"<conceptEntry{second}</body>")
    (term,) = parse(both, "terms.tbx", "zh").terms
    assert (term.targets, term.forbidden) == (("渡轮", "轮渡", "渡船"), ("船",))


def test_published_samples(shared):
    for name in ("tbx-basic.tbx", "tbx-basic-dct.tbx"):
        path = shared / "data" / "formats" / name
        if not path.is_file():
            pytest.skip("../shared/data/formats is not here: the published samples cannot be read")
        (term,) = read(path, "zh").terms
        assert (term.targets, term.forbidden) == (("渡轮", "轮渡"), ("渡船",))


def test_a_spreadsheet_is_a_table(tmp_path):
    path = tmp_path / "terms.xlsx"
    path.write_bytes(workbook([["source", "target", "forbidden"], ["ferry", "渡轮|轮渡", "渡船"]]))
    (term,) = read(path, "zh").terms
    assert (term.targets, term.forbidden) == (("渡轮", "轮渡"), ("渡船",))
    path.write_bytes(workbook([["source", "target"], ["ferry", "渡轮"], ["pier"]]))
    with pytest.raises(InputError):
        read(path, "zh")
