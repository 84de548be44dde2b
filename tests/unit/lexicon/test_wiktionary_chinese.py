"""The Chinese edition's wikitext: which words of a page become groups, by which senses."""

import pytest
from wiktionary_sources import CHINESE, HOSTILE, dump, page, raw

from celab.lexicon.wiktionary.wikitext import sections


def chinese(tmp_path, inline="", section="", language="漢語", heading="同義詞", senses=2):
    text = CHINESE.format(inline=inline, section=section, language=language, heading=heading)
    if senses == 1:
        text = text.replace("# 其他意思。\n", "")
    return raw(tmp_path, dump("zh", page("電腦", text)))


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{syn|zh|計算機|電子計算機}}", "計算機 電子計算機"),
        ("{{synonyms|zh|計算機}}", "計算機"),
        ("{{syn|cmn|計算機}}", "計算機"),
        ("{{syn|zh|計算機/计算机}}", "計算機 计算机"),
        ("{{syn|zh|計算機//计算机|電子計算機／电子计算机}}", "計算機 计算机 電子計算機 电子计算机"),
        ("{{syn|zh|wuu:電老虎|yue:電佬|nan-hbl:電頭|計算機|cmn:微機}}", "計算機 微機"),
        ("{{syn|zh|計算機|tr1=jìsuànjī|q1=正式|微機|t2=小的}}", "計算機 微機"),
        ("{{syn|zh|電佬|q1=粵語|計算機}}", "計算機"),
        ("{{syn|zh|電佬<q:Cantonese>|計算機<tr:jìsuànjī><t:機器>}}", "計算機"),
        ("{{syn|zh|計算機|;|Thesaurus:機器}}", "計算機 機器"),
        ("{{syn|zh|[[計算機]]|{{zh-l|微機}}}}", "計算機 微機"),
        ("{{syn|zh|jìsuànjī|PC||從…到…}}", ""),
        ("{{syn|ja|計算機}}", ""),
        ("{{syn|yue|計算機}}", ""),
        ("{{ant|zh|人腦}}", ""),
        ("{{syn|zh}}", ""),
        ("{{syn", ""),
    ],
)
def test_chinese_inline(tmp_path, template, words):
    found = chinese(tmp_path, f"#: {template}")
    assert found == ([("電腦, sense 1", f"電腦 {words}")] if words else [])


def test_chinese_senses_are_counted(tmp_path):
    inline = (
        "## 小的。\n##: {{syn|zh|微機}}\n## 大的。\n##: {{syn|zh|主機}}\n# 又。\n#: {{syn|zh|機}}"
    )
    assert chinese(tmp_path, inline) == [
        ("電腦, sense 1.1", "電腦 微機"),
        ("電腦, sense 1.2", "電腦 主機"),
        ("電腦, sense 2", "電腦 機"),
    ]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ("* {{zh-l|計算機}}\n* {{zh-l|微機|微机|tr=wēijī}}", "計算機 微機 微机"),
        ("* {{zh-l|計算機/计算机|jìsuànjī|某種機器}}", "計算機 计算机"),
        ("* {{zh-l|計算機|某種機器}}", "計算機"),
        ("* {{l|zh|計算機}}、{{l|zh|微機|微機的顯示}}", "計算機 微機"),
        ("* {{l|yue|電佬}}, {{l|zh|計算機}}", "計算機"),
        ("{{col3|zh|計算機/计算机|微機;wēijī|PC}}", "計算機 计算机 微機"),
        ("{{col3|zh\n|計算機\n|{{zh-l|微機}}\n|title=列表}}", "計算機 微機"),
        ("{{col4|zh|計算機|wuu:電老虎}}\n{{col-auto|zh|微機}}", "計算機 微機"),
        ("* [[計算機]]、[[微機#漢語|微機]]；[[主機]]", "計算機 微機 主機"),
        ("* [[計算機]]／[[计算机]]", "計算機 计算机"),
        ("{{syn-saurus|zh|機器}}", "機器"),
        ("* [[Thesaurus:機器]]", "機器"),
        ("{{zh-dial}}\n* {{zh-l|計算機}}", "計算機"),
        ("{{zh-dial|電腦}}", ""),
        ("* 粵語：[[電佬]]、[[電頭]]\n* [[計算機]]", "計算機"),
        ("* [[粵語]]：[[電佬]]\n* ''閩南語''：[[電頭]]", ""),
        ("* {{zh-l|電佬}} {{q|粵語}}, {{zh-l|計算機}} {{q|正式}}", "計算機"),
        ("* {{qualifier|吳語}} {{zh-l|電佬}}", ""),
        ("* {{lb|zh|Cantonese}} [[電佬]]", ""),
        ("* [[計算機]]（方言）、[[微機]]", "微機"),
        ("* '''[[計算機]]'''<ref>[[書]]</ref><!-- [[不]] -->", "計算機"),
        ("* [[:Category:機器]] [[w:機器|機器]] [[File:a.png]]", ""),
        ("* 計算機", ""),
        ("* {{zh-l|}} {{zh-l}} {{l}} {{l|zh}} {{col3}} [[]] {{", ""),
    ],
)
def test_chinese_sections(tmp_path, section, words):
    found = chinese(tmp_path, section=section, senses=1)
    assert found == ([("電腦, sense 1", f"電腦 {words}")] if words else [])


def test_chinese_section_that_names_senses(tmp_path):
    section = "* {{sense|機器}} [[計算機]]\n* {{s|2}} [[頭腦]]\n* [[微機]]、[[微電腦]]\n* [[主機]]"
    assert chinese(tmp_path, section=section) == [
        ("電腦, sense “機器”", "電腦 計算機"),
        ("電腦, sense 2", "電腦 頭腦"),
        ("電腦, no sense", "電腦 微機 微電腦"),
        ("電腦, no sense", "電腦 主機"),
    ]


@pytest.mark.parametrize(
    ("heading", "counts"),
    [("同義詞", 1), ("同义词", 1), ("近義詞", 0), ("衍生詞", 0), ("相關詞彙", 0)],
)
def test_chinese_headings(tmp_path, heading, counts):
    assert len(chinese(tmp_path, section="* [[計算機]]", heading=heading)) == counts


@pytest.mark.parametrize(
    ("language", "counts"),
    [("漢語", 1), ("汉语", 1), (" 官話 ", 1), ("日語", 0), ("粵語", 0), ("跨語言", 0)],
)
def test_chinese_entries_alone(tmp_path, language, counts):
    assert len(chinese(tmp_path, "#: {{syn|zh|計算機}}", language=language)) == counts


@pytest.mark.parametrize("bit", HOSTILE)
def test_chinese_line_of_junk_is_read_to_its_end(tmp_path, bit):
    junk = bit * 10_000
    found = chinese(tmp_path, f"#: {junk}", f"* {junk}\n* [[計算機]]")
    is_lost = bit == "<!--"  # a comment that is left open takes the rest along
    assert found == ([] if is_lost else [("電腦, no sense", "電腦 計算機")])


@pytest.mark.parametrize("piece", ["{{a|", "[[a|", "<b>", "<b "])
def test_lines_of_open_brackets_are_left_out(piece):
    few, fine = f"* {piece * 20}", "* [[伞]] {{q|a}} <b>x</b>"
    ((_, _, lines),) = sections(f"* {piece * 50}\n{few}\n{fine}")
    assert lines == [few.rstrip(), fine]
