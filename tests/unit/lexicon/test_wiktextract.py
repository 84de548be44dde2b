"""Wiktionary, extracted: which items are words, which make groups, and what is refused.

The entries are in the form of the true files, with content made up for the tests.
"""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wiktionary_sources import read, source_of

from celab import LexiconError
from celab.lexicon.readers import groups, recognise, wiktextract
from celab.lexicon.wiktionary.words import fitting, sense_numbers


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
    monkeypatch.setattr(wiktextract, "MAX_LINE", 1000)
    content = '{"a": "' + "x" * 5000 + '"}\n' + jsonl(entry("a", "de"), CHINESE_ENTRY)[:-30]
    source = source_of(tmp_path, content, "x.jsonl")
    read(wiktextract, source)
    assert source.skipped[0] == "line 1: too long a line; it must be one object"
    assert source.skipped[1:] and source.skipped[1].startswith("line 3: not valid JSON")


def test_truncated_gzip(tmp_path):
    content = gzip.compress(jsonl(*[CHINESE_ENTRY] * 50).encode())
    with pytest.raises(LexiconError, match="cannot be decompressed"):
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
        "word": WORD,
        "tags": st.lists(WORD) | JSON,
        "raw_tags": JSON,
        "roman": WORD,
        "sense": WORD,
        "sense_index": st.sampled_from(["1", "1–3", 2, ["1", None]]) | JSON,
    },
)
ENTRY = JSON | st.fixed_dictionaries(
    {},
    optional={
        "word": WORD,
        "lang_code": st.sampled_from(["zh", "de"]) | JSON,
        "pos": WORD,
        "synonyms": st.lists(ITEM) | JSON,
        "senses": JSON
        | st.lists(
            JSON | st.fixed_dictionaries({"synonyms": st.lists(ITEM) | JSON, "glosses": JSON})
        ),
    },
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("wiktionary")


@given(st.lists(ENTRY.map(json.dumps) | st.text(), max_size=4), st.booleans())
def test_any_line_makes_proper_groups_or_none(folder, lines, top_level):
    content = "\n".join(lines).encode(errors="surrogatepass")
    source = source_of(folder, content, "x.jsonl", top_level=top_level)
    for group in groups("wiktextract", source):
        assert len(set(group.words)) == len(group.words) > 1
        assert all(word and word.isprintable() for word in group.words)


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        (
            "x.jsonl",
            jsonl(CHINESE_ENTRY),
            ("Wiktionary, Chinese edition, by wiktextract", ""),
        ),
        (
            "x.jsonl",
            jsonl({"title": "a", "redirect": "b"}, GERMAN_ENTRY),
            ("Wiktionary, German edition, by wiktextract", ""),
        ),
        (
            "x.jsonl",
            jsonl(entry("cat", "en", lang="English", senses=[])),
            ("Wiktionary, English edition, by wiktextract", ""),
        ),
    ],
)
def test_recognised_by_content(tmp_path, name, content, facts):
    source = source_of(tmp_path, content, name)
    head = source.head()
    assert recognise(source, head) == "wiktextract"
    origin, licence, version = wiktextract.provenance(source, head)
    assert (origin, version) == facts and "CC BY-SA" in licence


@pytest.mark.parametrize("content", ["", "{}", "雨伞\t伞\n", "<LexicalResource/>", "[1]"])
def test_not_taken_for_it(content):
    assert not wiktextract.recognises(Path("x"), content)
