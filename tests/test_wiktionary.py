"""Wiktionary, extracted and raw: which words become groups, and what is refused.

The excerpts are in the form of the true files, with content made up for the tests.
"""

import bz2
import gzip
import json
import re
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab import LexiconError
from celab.thesaurus.files import SourceFile
from celab.thesaurus.model import Settings
from celab.thesaurus.readers import recognise, wiktextract, wiktionary_dump
from celab.thesaurus.readers.wiktextract import fitting, sense_numbers


def source_of(tmp_path, content, name, **settings):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return SourceFile(path, name, Settings(**settings))


def read(module, source):
    return [(group.label, " ".join(group.words)) for group in module.read(source)]


# ──── extracted ────


def jsonl(*entries):
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def entry(word, lang_code="zh", **more):
    return {"word": word, "lang_code": lang_code, "pos": "noun", **more}


def extracted(tmp_path, *entries, **settings):
    return read(wiktextract, source_of(tmp_path, jsonl(*entries), "x.jsonl", **settings))


def kept(tmp_path, *items, lang_code="zh", head="頭詞"):
    """The synonyms that are left of one sense's."""
    groups = extracted(tmp_path, entry(head, lang_code, senses=[{"synonyms": list(items)}]))
    return groups[0][1].split()[1:] if groups else []


# As the Chinese edition has it: scripts as tags, pronunciation aside.
CHINESE_ENTRY = entry(
    "電腦",
    lang="漢語",
    senses=[
        {"glosses": ["用於計算的機器"]},
        {
            "glosses": ["泛指會計算的東西"],
            "synonyms": [
                {"word": "計算機", "roman": "jìsuànjī", "tags": ["Traditional-Chinese"]},
                {"word": "计算机", "roman": "jìsuànjī", "tags": ["Simplified-Chinese"]},
                {"word": "電算機", "tags": ["Cantonese", "dated"]},
                {"word": "其他形式", "tags": ["alternative"]},
            ],
        },
    ],
    synonyms=[
        {"word": "微機", "sense": "用於計算的機器"},
        {"word": "主機", "sense": "別的意思"},
        {"word": "機器"},
    ],
)
# As the German edition has it: all in one list, by the numbers that senses have there.
GERMAN_ENTRY = entry(
    "Messe",
    "de",
    lang="Deutsch",
    senses=[
        {"glosses": ["Ausstellung"], "sense_index": "1"},
        {"glosses": ["Feier"], "sense_index": "2a"},
        {"glosses": ["Tisch an Bord"], "sense_index": "2b"},
    ],
    synonyms=[
        {"sense_index": "1", "word": "Schau"},
        {"sense_index": "1, 2a", "word": "Veranstaltung"},
        {"sense_index": "2b", "word": "Tafelrunde", "tags": ["colloquial"]},
        {"sense_index": ["2b"], "word": "Bordtisch"},
        {"word": "Ereignis"},
    ],
)


def test_chinese_synonyms_by_sense(tmp_path):
    assert extracted(tmp_path, CHINESE_ENTRY) == [
        ("電腦 (noun), sense 2", "電腦 計算機 计算机"),
        ("電腦 (noun), sense 1", "電腦 微機"),
        ("電腦 (noun), sense “別的意思”", "電腦 主機"),
    ]


def test_german_synonyms_by_sense_index(tmp_path):
    assert extracted(tmp_path, GERMAN_ENTRY) == [
        ("Messe (noun), sense 1", "Messe Schau Veranstaltung"),
        ("Messe (noun), sense 2a", "Messe Veranstaltung"),
        ("Messe (noun), sense 2b", "Messe Tafelrunde Bordtisch"),
    ]


def test_list_without_sense_is_an_option(tmp_path):
    without, with_it = (extracted(tmp_path, GERMAN_ENTRY, top_level=t) for t in (False, True))
    assert [g for g in with_it if g not in without] == [
        ("Messe (noun), no sense", "Messe Ereignis")
    ]


def test_sense_index_of_a_sense_and_of_an_item_meet(tmp_path):
    senses = [{"sense_index": "3", "synonyms": [{"word": "Fest"}]}]
    synonyms = [{"sense_index": "3", "word": "Feier"}]
    assert extracted(tmp_path, entry("Fete", "de", senses=senses, synonyms=synonyms)) == [
        ("Fete (noun), sense 3", "Fete Fest Feier")
    ]


@pytest.mark.parametrize(
    ("language", "words"),
    [("zh", {"甲", "乙"}), ("de", {"Haus"}), ("cmn", {"乙"}), ("ja", set())],
)
def test_language_filters_by_code(tmp_path, language, words):
    entries = [
        entry(word, code, senses=[{"synonyms": [{"word": word * 2}]}])
        for word, code in [("甲", "zh"), ("乙", "cmn"), ("丙", "yue"), ("Haus", "de")]
    ]
    found = extracted(tmp_path, *entries, language=language)
    assert {words.split()[0] for _, words in found} == words
    assert len(extracted(tmp_path, *entries)) == 4


@pytest.mark.parametrize(
    "tags",
    [
        *(["Cantonese"], ["Hakka"], ["Min-Nan"], ["Min Dong"], ["Wu"], ["Hokkien"], ["Teochew"]),
        *(["Gan"], ["Xiang"], ["Jin"], ["dialectal"], ["Classical-Chinese"], ["regional"]),
        *(["obsolete"], ["archaic"], ["Northeastern-Mandarin"], ["Southern-Min"]),
        *(["Mandarin", "Chengdu"], ["Traditional-Chinese", "Cantonese"]),
        *(["alternative"], ["alt-of"], ["Pinyin"], ["romanization"], ["misspelling"]),
    ],
)
def test_dropped_by_tag(tmp_path, tags):
    assert kept(tmp_path, {"word": "別詞", "tags": tags}, {"word": "同詞"}) == ["同詞"]


@pytest.mark.parametrize(
    "tag", ["粵語", "闽南语", "客家話", "吳語", "四川方言", "文言", "其他形式"]
)
def test_dropped_by_a_tag_in_chinese(tmp_path, tag):
    assert kept(tmp_path, {"word": "別詞", "raw_tags": [tag]}, {"word": "同詞"}) == ["同詞"]


@pytest.mark.parametrize(
    "tags",
    [
        ["Traditional-Chinese"],
        ["Simplified-Chinese"],
        ["Taiwan"],
        ["Mandarin", "Taiwan"],
        ["Standard-Chinese", "formal"],
        ["colloquial"],
        ["Taiwanese-Mandarin"],
    ],
)
def test_kept_despite_its_tag(tmp_path, tags):
    assert kept(tmp_path, {"word": "軟體", "tags": tags}) == ["軟體"]


def test_both_scripts_in_one_item(tmp_path):
    items = [{"word": "軟體 / 软体"}, {"word": "程式／程序"}]
    assert kept(tmp_path, *items) == ["軟體", "软体", "程式", "程序"]


@pytest.mark.parametrize(
    "word",
    [
        *(
            "",
            " ",
            "ruǎntǐ",
            "App",
            "(口)語",
            "軟體（台）",
            "從…到…",
            "越A越B",
            "把X當Y",
            "～頭",
            "〔書〕語",
        ),
        *("Thesaurus:死亡", "，", "軟\ud800", "軟\u0007體", "軟" * 1000),
    ],
)
def test_of_no_use_in_chinese(word):
    assert fitting(word, "zh") == []


@pytest.mark.parametrize("word", ["T恤", "X光", "卡拉OK", "3D打印", "𠮷野家", "〇", "A片"])
def test_chinese_words_with_latin_letters(word):
    assert fitting(word, "zh") == [word]


@pytest.mark.parametrize(
    "word",
    [
        *(
            "jmdm. etwas sagen",
            "etw. tun",
            "etw.",
            "jmdn.",
            "jemanden loben",
            "es … haben",
            "so ...",
        ),
        *("give someone up", "X out of Y", "know one's place", "lose oneself in", "(sich) setzen"),
    ],
)
def test_phrases_that_leave_something_open(word):
    assert fitting(word, "de") == []


@pytest.mark.parametrize(
    "word", ["etwas", "jemand", "someone", "X", "Vitamin C", "sich setzen", "S-Bahn", "und/oder"]
)
def test_words_that_look_open(word):
    assert fitting(word, "de") == [word]


def test_spaces_and_invisible_characters_go():
    assert fitting("  ein\u00adsam \u00a0 sein\u200b ", "de") == ["einsam sein"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1", "1"),
        ("1, 3", "1 3"),
        ("1–3", "1 2 3"),
        ("1-3, 5", "1 2 3 5"),
        ("1a", "1a"),
        ("2a, b", "2a 2b"),
        ("1a–c", "1a 1b 1c"),
        ("1a–2b", "1a 2b"),
        ("1; 2", "1 2"),
        ("3–1", ""),
        ("*", ""),
        ("", ""),
        ("?", ""),
        ("a", ""),
        ("1, 1", "1"),
        ("99999999", ""),
    ],
)
def test_sense_numbers(text, numbers):
    assert sense_numbers(text) == numbers.split()


def test_sense_numbers_are_bounded():
    assert len(sense_numbers("1–999, " * 100_000)) <= 60


def test_gzip_and_progress(tmp_path):
    content = gzip.compress(jsonl(CHINESE_ENTRY).encode())
    source = source_of(tmp_path, content, "x.jsonl.gz")
    seen = []
    source.progress = seen.append
    assert len(read(wiktextract, source)) == 3
    assert seen[-1] == source.size


BAD_LINES = ['{"word": "雨', "{not json}", "[" * 100_000, "[1]", "null", "1" * 5000, "\x00"]


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_bad_line_is_skipped_and_counted(tmp_path, line):
    content = f"{jsonl(GERMAN_ENTRY)}\n{line}\n{jsonl(GERMAN_ENTRY)}"
    source = source_of(tmp_path, content, "x.jsonl")
    assert len(read(wiktextract, source)) == 6
    assert len(source.skipped) == 1 and source.skipped[0].startswith("line 3: ")
    with pytest.raises(LexiconError, match=r"line 3: "):
        read(wiktextract, source_of(tmp_path, content, "x.jsonl", strict=True))


def test_line_that_is_no_text_is_skipped(tmp_path):
    source = source_of(tmp_path, b'{"word": "\xff"}\r\n' + jsonl(GERMAN_ENTRY).encode(), "x.jsonl")
    assert len(read(wiktextract, source)) == 3
    assert source.skipped == ["line 1: not valid JSON; it must be one object"]


def test_endless_line_fills_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(wiktextract, "LONGEST_LINE", 1000)
    content = '{"a": "' + "x" * 5000 + '"}\n' + jsonl(entry("a", "de"), CHINESE_ENTRY)[:-30]
    source = source_of(tmp_path, content, "x.jsonl")
    read(wiktextract, source)
    assert source.skipped[0] == "line 1: too long a line; it must be one object"
    assert source.skipped[1:] and source.skipped[1].startswith("line 3: not valid JSON")


def test_truncated_gzip(tmp_path):
    content = gzip.compress(jsonl(*[CHINESE_ENTRY] * 50).encode())
    with pytest.raises(LexiconError, match="cut short"):
        read(wiktextract, source_of(tmp_path, content[:-20], "x.jsonl.gz"))


def test_redirects_and_words_without_synonyms_are_silent(tmp_path):
    source = source_of(tmp_path, jsonl({"title": "a", "redirect": "b"}, entry("c")), "x.jsonl")
    assert read(wiktextract, source) == [] and source.skipped == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=10,
)
WORD = st.sampled_from(["甲", "乙/丙", "Haus", "…", "", "\ud800"]) | JSON
ITEM = JSON | st.fixed_dictionaries(
    {},
    optional={
        "word": WORD, "tags": st.lists(WORD) | JSON, "raw_tags": JSON, "roman": WORD,
        "sense": WORD, "sense_index": st.sampled_from(["1", "1–3", 2, ["1", None]]) | JSON,
    },
)  # fmt: skip
ENTRY = JSON | st.fixed_dictionaries(
    {},
    optional={
        "word": WORD, "lang_code": st.sampled_from(["zh", "de"]) | JSON, "pos": WORD,
        "synonyms": st.lists(ITEM) | JSON,
        "senses": JSON | st.lists(
            JSON | st.fixed_dictionaries({"synonyms": st.lists(ITEM) | JSON, "glosses": JSON})
        ),
    },
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wiktionary")


@given(st.lists(ENTRY.map(json.dumps) | st.text(), max_size=4), st.booleans())
def test_any_line_makes_proper_groups_or_none(folder, lines, top_level):
    content = "\n".join(lines).encode(errors="surrogatepass")
    source = source_of(folder, content, "x.jsonl", top_level=top_level)
    for group in wiktextract.read(source):
        assert len(set(group.words)) == len(group.words) > 1
        assert all(word and word.isprintable() for word in group.words)


# ──── raw ────

HEADER = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" version="0.11" xml:lang="{code}">
  <siteinfo>
    <sitename>Wiktionary</sitename>
    <dbname>{code}wiktionary</dbname>
    <base>https://{code}.wiktionary.org/wiki/Main</base>
    <generator>MediaWiki 1.44.0-wmf.1</generator>
    <case>case-sensitive</case>
    <namespaces>
      <namespace key="0" case="case-sensitive" />
      <namespace key="10" case="case-sensitive">Template</namespace>
      <namespace key="110" case="case-sensitive">Thesaurus</namespace>
    </namespaces>
  </siteinfo>
"""


def page(title, text, ns=0, redirect=""):
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"""\
  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>7</id>
{redirect}    <revision>
      <id>8</id>
      <parentid>6</parentid>
      <timestamp>2024-02-03T04:05:06Z</timestamp>
      <contributor><username>Jemand</username><id>9</id></contributor>
      <comment>made up</comment>
      <origin>8</origin>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{len(text.encode())}" sha1="x" xml:space="preserve">{escaped}</text>
      <sha1>x</sha1>
    </revision>
  </page>
"""


def dump(code, *pages):
    return HEADER.format(code=code) + "".join(pages) + "</mediawiki>\n"


def raw(tmp_path, content, name="x-pages-articles.xml", **settings):
    return read(wiktionary_dump, source_of(tmp_path, content, name, **settings))


GERMAN = """\
{{{{Siehe auch|[[tisch]]}}}}
== Tisch ({{{{Sprache|{language}}}}}) ==
=== {{{{Wortart|Substantiv|Deutsch}}}}, {{{{m}}}} ===

{{{{Deutsch Substantiv Übersicht
|Genus=m
|Nominativ Singular=Tisch
}}}}

{{{{Worttrennung}}}}
:Tisch, {{{{Pl.}}}} Ti·sche

{{{{Bedeutungen}}}}
:[1] [[Platte]] auf Beinen
:[2] {{{{K|übertragen}}}} [[Runde]]

{{{{Herkunft}}}}
:von [[Scheibe]]{{{{QS Herkunft|unbelegt}}}}

{{{{Synonyme}}}}
{synonyms}

{{{{Sinnverwandte Wörter}}}}
:[1] [[Bank]], [[Pult]]

{{{{Gegenwörter}}}}
:[1] [[Stuhl]]

{{{{Oberbegriffe}}}}
:[1] [[Möbel]]

==== {{{{Übersetzungen}}}} ====
{{{{Ü-Tabelle|Ü-Liste=
*{{{{en}}}}: [1] {{{{Ü|en|table}}}}
}}}}
"""


def german(tmp_path, synonyms, language="Deutsch"):
    text = GERMAN.format(synonyms=synonyms, language=language)
    return raw(tmp_path, dump("de", page("Tisch", text)))


def german_words(tmp_path, line):
    found = german(tmp_path, f":[1] {line}")
    return found[0][1].removeprefix("Tisch ") if found else ""


def test_german_senses(tmp_path):
    assert german(tmp_path, ":[1] [[Tafel]]\n:[2] [[Messe]], [[Tafelrunde]]") == [
        ("Tisch, sense 1", "Tisch Tafel"),
        ("Tisch, sense 2", "Tisch Messe Tafelrunde"),
    ]


@pytest.mark.parametrize(
    ("mark", "senses"),
    [
        ("[1, 3]", "1 3"),
        ("[1,3]", "1 3"),
        ("[1–3]", "1 2 3"),
        ("[1a]", "1a"),
        ("[2a, b]", "2a 2b"),
        ("[1] [2]", "2"),
    ],
)
def test_german_sense_marks(tmp_path, mark, senses):
    found = german(tmp_path, f":{mark} [[Tafel]]")
    assert found == [(f"Tisch, sense {sense}", "Tisch Tafel") for sense in senses.split()]


def test_german_lines_of_one_sense_are_one_group(tmp_path):
    lines = ":[1] [[Tafel]]\n:[1, 2] [[Platte]]\n::''regional:'' [[Brett]]; [2] [[Runde]]"
    assert german(tmp_path, lines) == [
        ("Tisch, sense 1", "Tisch Tafel Platte Brett"),
        ("Tisch, sense 2", "Tisch Platte Brett Runde"),
    ]


def test_german_line_without_a_sense(tmp_path):
    lines = ":[[Tafel]]\n:[*] [[Platte]], [[Brett]]"
    assert german(tmp_path, lines) == [
        ("Tisch, no sense", "Tisch Tafel"),
        ("Tisch, no sense", "Tisch Platte Brett"),
    ]
    text = GERMAN.format(synonyms=lines, language="Deutsch").replace(":[2] {{K", ":''{{K")
    assert raw(tmp_path, dump("de", page("Tisch", text))) == [
        ("Tisch, sense 1", "Tisch Tafel Platte Brett")
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("''umgangssprachlich:'' [[Brett]]", "Brett"),
        ("''[[Bürowesen]]:'' [[Brett]]", "Brett"),
        ("''ugs.'': [[Brett]]; ''Schweiz:'' [[Platte]]", "Brett Platte"),
        ("{{ugs.|:}} [[Brett]]", "Brett"),
        ("{{K|ugs.|regional}} [[Brett]], {{QS Synonyme|fehlt}}", "Brett"),
        ("umgangssprachlich: [[Brett]]", "Brett"),
        ("auch [[Brett]], oder [[Platte]]", "Brett Platte"),
        ("[[Brett]] (''norddeutsch''), [[Platte]] (selten)", "Brett Platte"),
        ("[[Brett]]<ref>{{Literatur|Titel=[[Buch]], Band 2}}</ref>, [[Platte]]", "Brett Platte"),
        ("[[Brett]]<ref name=\"a\" />, [[Platte]]", "Brett Platte"),
        ("[[Brett]]<!-- , [[Pult]] -->", "Brett"),
        ("<!-- [[Pult]]\n:[1] [[Bank]] -->[[Brett]]", "Brett"),
        ("[[setzen|sich setzen]]", "sich setzen"),
        ("[[Brett#Brett (Deutsch)|Brett]], [[Platte#Bedeutungen]]", "Brett Platte"),
        ("'''[[Brett]]''', [[Platte]]chen", "Brett Plattechen"),
        ("[[Brett]] / [[Platte]]/[[Scheibe]]", "Brett Platte Scheibe"),
        ("[[Brett, Platte]]; [[und/oder]]", "Brett, Platte und/oder"),
        ("[[runder]] [[Tisch]]", "runder Tisch"),
        ("in [[Brand]] [[setzen]]", "in Brand setzen"),
        ("[[Brett]], [[Platte]] usw.", "Brett Platte"),
        ("[[Brett]].", "Brett"),
        ("[[Brett]]&nbsp;", "Brett"),
        ("<small>[[Brett]]</small>", "Brett"),
        ("<nowiki>[[Brett]]</nowiki>", ""),
        ("siehe [[Brett]]", ""),
        ("[[Verzeichnis:Deutsch/Tische]], [[:en:table]], [[Datei:T.jpg|mini]]", ""),
        ("jemandem [[Brett]]er geben, [[etwas]] [[tischen]]", ""),
        ("es … [[tun]], [[auf]] den [[Tisch]] …", ""),
        ("[[etwas]]", "etwas"),
        ("(sich) [[setzen]]", ""),
        ("Brett", ""),
        ("—", ""),
        ("[[Tisch]]", ""),
        ("[[Brett", ""),
        ("''[[Brett]]", "Brett"),
    ],
)  # fmt: skip
def test_german_lines(tmp_path, line, words):
    assert german_words(tmp_path, line) == words


@pytest.mark.parametrize("language", ["Englisch", "Plattdeutsch", "Deutsch der Schweiz"])
def test_german_entries_alone(tmp_path, language):
    assert german(tmp_path, ":[1] [[Tafel]]", language) == []


def test_german_entries_beside_others(tmp_path):
    texts = [
        GERMAN.format(synonyms=f":[1] [[{word}]]", language=language)
        for word, language in [("board", "Englisch"), ("Tafel", "Deutsch"), ("bord", "Dänisch")]
    ]
    assert raw(tmp_path, dump("de", page("Tisch", "\n".join(texts)))) == [
        ("Tisch, sense 1", "Tisch Tafel")
    ]


def test_german_homonyms_are_not_mixed(tmp_path):
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    text += GERMAN.format(synonyms=":[1] [[Runde]]", language="Deutsch")
    assert raw(tmp_path, dump("de", page("Tisch", text))) == [
        ("Tisch, sense 1", "Tisch Tafel"),
        ("Tisch, sense 1", "Tisch Runde"),
    ]


CHINESE = """\
{{{{also|电脑}}}}
=={language}==
{{{{zh-forms|s=电脑}}}}

===發音===
{{{{zh-pron|m=diànnǎo}}}}

===名詞===
{{{{head|zh|名詞}}}}

# 會[[計算]]的[[機器]]。
{inline}
# 其他意思。
#* '''2001'''，某人，《書》
#: {{{{ux|zh|買了一臺'''電腦'''。}}}}

===={heading}====
{section}

====反義詞====
* {{{{zh-l|人腦}}}}

===參考===
* [[書]]
"""


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


@pytest.mark.parametrize("code", ["de", "zh"])
def test_only_pages_of_words(tmp_path, code):
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    if code == "zh":
        text = CHINESE.format(
            inline="#: {{syn|zh|計算機}}", section="", language="漢語", heading="同義詞"
        )
    redirect = '    <redirect title="b" />\n'
    pages = [
        page("頭一", text),
        page("Template:a", text, 10),
        page("Thesaurus:a", text, 110),
        page("頭二", text, 0, redirect),
        page("空", ""),
        page("頭三", text),
    ]
    found = raw(tmp_path, dump(code, *pages))
    assert [label for label, _ in found] == ["頭一, sense 1", "頭三, sense 1"]


SMALL = dump("de", page("Tisch", GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")))
FOUND = [("Tisch, sense 1", "Tisch Tafel")]


def test_bz2_in_several_streams(tmp_path):
    half = len(SMALL) // 2
    content = bz2.compress(SMALL[:half].encode()) + bz2.compress(SMALL[half:].encode())
    source = source_of(tmp_path, content, "x.xml.bz2")
    seen = []
    source.progress = seen.append
    assert read(wiktionary_dump, source) == FOUND
    assert seen[-1] == source.size


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_cut_short(tmp_path, share):
    many = SMALL.replace("</mediawiki>", "  <!-- z -->\n" * 3000 + "</mediawiki>").encode()
    packed = bz2.compress(many)
    for content, name in [(packed, "x.xml.bz2"), (SMALL.encode(), "x.xml")]:
        with pytest.raises(LexiconError, match="cut short"):
            raw(tmp_path, content[: int(len(content) * share)], name)


def test_damaged_bz2(tmp_path):
    packed = bytearray(bz2.compress(SMALL.encode()))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(LexiconError, match="damaged"):
        raw(tmp_path, bytes(packed), "x.xml.bz2")


LAUGHS = (
    '<!DOCTYPE mediawiki [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 12))
    + "]>"
)
EXTERNAL = '<!DOCTYPE mediawiki [<!ENTITY a11 SYSTEM "file:///etc/hostname">]>'


@pytest.mark.parametrize("dtd", [LAUGHS, EXTERNAL, "<!DOCTYPE mediawiki>"], ids=len)
@pytest.mark.parametrize(
    "before", ["", '<?xml version="1.0"?>\n', "\ufeff", "<!-- -->", " " * 5000]
)
def test_a_dtd_is_refused(tmp_path, dtd, before):
    content = before + dtd + SMALL.replace("[[Tafel]]", "[[&a11;]]")
    source = source_of(tmp_path, content, "x.xml")
    assert recognise(source, source.head()) is wiktionary_dump
    with pytest.raises(LexiconError, match=r"has a DTD|does not begin"):
        read(wiktionary_dump, source)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_dtd_in_another_encoding_is_refused(tmp_path, encoding):
    content = f'<?xml version="1.0" encoding="{encoding}"?>{LAUGHS}{SMALL}'.encode(encoding)
    with pytest.raises(LexiconError, match="does not begin"):
        raw(tmp_path, content)


@pytest.mark.parametrize("encoding", ["cp037", "utf-7", "latin-1", "utf-16"])
def test_a_declared_encoding_must_be_utf_8(tmp_path, encoding):
    with pytest.raises(LexiconError, match="is UTF-8"):
        raw(tmp_path, f'<?xml version="1.0" encoding="{encoding}"?>{SMALL}')


def test_an_xml_declaration_is_fine(tmp_path):
    assert raw(tmp_path, f"\ufeff<?xml version='1.0' encoding='UTF-8'?>\n{SMALL}") == FOUND


def test_an_entity_without_a_dtd_is_refused(tmp_path):
    with pytest.raises(LexiconError, match="undefined entity"):
        raw(tmp_path, SMALL.replace("[[Tafel]]", "[[&a;]]"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<ns>0</ns>", "<ns>x</ns>"),
        ("<ns>0</ns>", "<ns></ns>"),
        ("<title>Tisch</title>", "<title></title>"),
        ("<title>Tisch</title>", "<surprise/>"),
        ("<sha1>x</sha1>", "<surprise/>"),
        ("2024-02-03T04:05:06Z", "gestern"),
        ("</revision>", "</page>"),
        ("  <page>", "  <sheet>"),
        ("<siteinfo>", "<sites>"),
        ("</mediawiki>", ""),
        ("Tafel", "\x01"),
    ],
)
def test_what_is_no_dump_is_an_error(tmp_path, old, new):
    assert old in SMALL
    with pytest.raises(LexiconError, match="cut short or is no dump"):
        raw(tmp_path, SMALL.replace(old, new, 1))


def test_bytes_that_are_no_utf_8(tmp_path):
    with pytest.raises(LexiconError, match="no dump"):
        raw(tmp_path, SMALL.encode().replace(b"Tafel", b"\xff\xfe"))


@pytest.mark.parametrize("wiki", ["enwiktionary", "dewiki", "wiktionary", "frwiktionary", "dewikt"])
def test_other_wikis_are_refused(tmp_path, wiki):
    content = SMALL.replace("dewiktionary", wiki)
    with pytest.raises(LexiconError, match=f"dump of '{wiki}'; it must be of dewiktionary or"):
        raw(tmp_path, content)


def test_edition_without_a_database_name(tmp_path):
    content = re.sub("<dbname>.*</dbname>", "", SMALL)
    assert raw(tmp_path, content) == FOUND
    assert raw(tmp_path, re.sub("<base>.*</base>", "", content)) == FOUND
    with pytest.raises(LexiconError, match="'dewikipedia'"):
        raw(tmp_path, content.replace("wiktionary.org", "wikipedia.org"))


def test_language_must_be_the_editions(tmp_path):
    assert raw(tmp_path, SMALL, language="de") == FOUND
    with pytest.raises(LexiconError, match="reads the language 'de' only, not 'zh'"):
        raw(tmp_path, SMALL, language="zh")


@pytest.mark.parametrize("missing", ["mwxml", "mwparserfromhell"])
def test_packages_that_are_not_there(tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(LexiconError, match=rf"{missing} .*pip install celab\[wiktionary\]"):
        raw(tmp_path, SMALL)


def test_a_page_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(wiktionary_dump, "LONGEST_PAGE", 100_000)
    pages = [page(f"Tisch{i}", "x" * 900) for i in range(300)]
    assert raw(tmp_path, dump("de", *pages)) == []
    with pytest.raises(LexiconError, match="a page of more than"):
        raw(tmp_path, dump("de", page("Tisch", "x" * 200_000)))


def test_the_root_keeps_no_pages(tmp_path, monkeypatch):
    import mwxml

    roots = []
    kind = mwxml.element_iterator.ElementIterator
    make = kind.from_file
    monkeypatch.setattr(kind, "from_file", lambda f: roots.append(make(f)) or roots[-1])
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    source = source_of(tmp_path, dump("de", *[page("Tisch", text)] * 1000), "x.xml")
    left = [len(roots[0].element) for _ in wiktionary_dump.read(source)]
    assert len(left) == 1000 and max(left) < 50  # those of one read of the file


HOSTILE = [
    "{{",
    "[[",
    "''",
    "[1",
    "<ref>",
    "<",
    "(",
    ",",
    " ",
    "auch ",
    "{{syn|zh|",
    "[[a|",
    "=",
    "[1]",
]
HOSTILE += ["#", "<!--", "{{{", "{|", "\n:", "\n#: {{syn|zh|a", "&", "'''''", "<b>", "/", "<a:"]


@pytest.mark.parametrize("bit", HOSTILE)
@pytest.mark.parametrize("code", ["de", "zh"])
def test_no_page_takes_long(tmp_path, bit, code):
    junk = bit * 30_000
    if code == "de":
        text = GERMAN.format(synonyms=f":[1] {junk}\n:[2] [[Tafel]]", language="Deutsch")
    else:
        text = CHINESE.format(
            inline=f"#: {junk}", section=f"* {junk}", language="漢語", heading="同義詞"
        )
    began = time.process_time()
    raw(tmp_path, dump(code, page("Tisch", text)))
    assert time.process_time() - began < 20


WIKITEXT = st.lists(
    st.sampled_from(
        [
            *(
                "{{",
                "}}",
                "[[",
                "]]",
                "|",
                "''",
                "\n",
                ":",
                "[1]",
                "[1–3]",
                "#",
                "*",
                "=",
                ";",
                ",",
            ),
            *(
                "== A ({{Sprache|Deutsch}}) ==\n",
                "\n{{Synonyme}}\n",
                "==漢語==\n",
                "====同義詞====\n",
            ),
            *("{{syn|zh|", "{{zh-l|", "{{col3|zh|", "詞", "Wort", "<ref>", "</ref>", "<!--", "-->"),
        ]
    )
    | st.text(st.characters(blacklist_categories=["Cs", "Cc", "Cn"]), max_size=3),
    max_size=40,
).map("".join)


@given(WIKITEXT, st.sampled_from(["de", "zh"]))
def test_any_wikitext_makes_proper_groups_or_none(folder, text, code):
    source = source_of(folder, dump(code, page("詞", text)), "x.xml")
    for group in wiktionary_dump.read(source):
        assert len(set(group.words)) == len(group.words) > 1
        assert all(word and word.isprintable() for word in group.words)


# ──── both ────


@pytest.mark.parametrize(
    ("name", "content", "module", "facts"),
    [
        (
            "x.jsonl", jsonl(CHINESE_ENTRY), wiktextract,
            ("Wiktionary, Chinese edition, by wiktextract", ""),
        ),
        (
            "x.jsonl", jsonl({"title": "a", "redirect": "b"}, GERMAN_ENTRY), wiktextract,
            ("Wiktionary, German edition, by wiktextract", ""),
        ),
        (
            "x.jsonl", jsonl(entry("cat", "en", lang="English", senses=[])), wiktextract,
            ("Wiktionary, English edition, by wiktextract", ""),
        ),
        (
            "dewiktionary-20240601-pages-articles.xml", SMALL, wiktionary_dump,
            ("Wiktionary, German edition, dump", "20240601"),
        ),
        (
            "zhwiktionary-latest.xml", dump("zh"), wiktionary_dump,
            ("Wiktionary, Chinese edition, dump", "MediaWiki 1.44.0-wmf.1"),
        ),
    ],
)  # fmt: skip
def test_recognised_by_content(tmp_path, name, content, module, facts):
    source = source_of(tmp_path, content, name)
    head = source.head()
    assert recognise(source, head) is module
    origin, licence, version = module.provenance(source, head)
    assert (origin, version) == facts and "CC BY-SA" in licence


@pytest.mark.parametrize("content", ["", "{}", "雨伞\t伞\n", "<LexicalResource/>", "[1]"])
@pytest.mark.parametrize("module", [wiktextract, wiktionary_dump])
def test_not_taken_for_it(module, content):
    assert not module.recognises(Path("x"), content)
