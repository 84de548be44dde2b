"""Term bases and spreadsheets as glossaries."""

import pytest
from workbooks import workbook

from celab.base.errors import InputError
from celab.evaluation.terms.glossary import parse, read

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
