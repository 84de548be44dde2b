"""Wiktionary, extracted: which items are words, which make groups, and what is refused.

The entries are in the form of the true files, with content made up for the tests.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from celab.lexicon.readers import dictionaries, groups, recognize
from celab.lexicon.readers.dictionaries import fitting, sense_numbers
from celab.lexicon.source import ReaderSettings, SourceFile


def jsonl(*entries):
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


def entry(word, lang_code="zh", **more):
    return {"word": word, "lang_code": lang_code, "pos": "noun", **more}


def source_of(tmp_path, content, name, **settings):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return SourceFile(path, name, ReaderSettings(**settings))


def read(source):
    return [(group.label, " ".join(group.words)) for group in groups("wiktextract", source)]


def extracted(tmp_path, *entries, **settings):
    return read(source_of(tmp_path, jsonl(*entries), "x.jsonl", **settings))


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


DIALECTS = "Cantonese Hakka Min-Nan Min_Dong Wu Hokkien Teochew Gan Xiang Jin dialectal regional"
DIALECTS += " Classical-Chinese Northeastern-Mandarin Southern-Min Mandarin,Chengdu"
OTHER_FORMS = "obsolete archaic alternative alt-of Pinyin romanization misspelling"
STANDARD = "Traditional-Chinese Simplified-Chinese Taiwan Mandarin,Taiwan Standard-Chinese,formal"
STANDARD += " colloquial Taiwanese-Mandarin"


@pytest.mark.parametrize(
    ("field", "all_tags", "remaining"),
    [
        ("tags", f"{DIALECTS} {OTHER_FORMS} Traditional-Chinese,Cantonese", ["同詞"]),
        ("raw_tags", "粵語 闽南语 客家話 吳語 四川方言 文言 其他形式", ["同詞"]),
        ("tags", STANDARD, ["別詞", "同詞"]),
    ],
)
def test_tags_say_which_words_are_standard(tmp_path, field, all_tags, remaining):
    for tags in all_tags.split():
        item = {"word": "別詞", field: tags.replace("_", " ").split(",")}
        assert kept(tmp_path, item, {"word": "同詞"}) == remaining, tags


def test_both_scripts_in_one_item(tmp_path):
    items = [{"word": "軟體 / 软体"}, {"word": "程式／程序"}]
    assert kept(tmp_path, *items) == ["軟體", "软体", "程式", "程序"]


CHINESE_WORDS = ["T恤", "X光", "卡拉OK", "3D打印", "𠮷野家", "〇", "A片", "軟" * 100]
NOT_CHINESE = [
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
]
NOT_CHINESE += ["〔書〕語", "Thesaurus:死亡", "，", "軟\ud800", "軟\u0007體", "軟" * 101]
WHOLE_PHRASES = [
    "etwas",
    "jemand",
    "someone",
    "X",
    "Vitamin C",
    "sich setzen",
    "S-Bahn",
    "und/oder",
]
OPEN_PHRASES = ["jmdm. etwas sagen", "etw. tun", "etw.", "jmdn.", "jemanden loben", "es … haben"]
OPEN_PHRASES += ["so ...", "give someone up", "X out of Y", "know one's place", "lose oneself in"]
OPEN_PHRASES += ["(sich) setzen"]


def test_which_texts_are_words():
    for language, words in (("zh", CHINESE_WORDS), ("de", WHOLE_PHRASES)):
        assert [fitting(word, language) for word in words] == [[word] for word in words]
    for language, texts in (("zh", NOT_CHINESE), ("de", OPEN_PHRASES)):
        assert {text: fitting(text, language) for text in texts} == {text: [] for text in texts}
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
    assert len(sense_numbers("1–999, " * 100_000)) <= 60


def test_endless_line_fills_no_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(dictionaries, "MAX_LINE", 1000)
    content = '{"a": "' + "x" * 5000 + '"}\n' + jsonl(entry("a", "de"), CHINESE_ENTRY)[:-30]
    source = source_of(tmp_path, content, "x.jsonl")
    read(source)
    assert source.skipped[0] == "line 1: too long a line; it must be one object"
    assert source.skipped[1:] and source.skipped[1].startswith("line 3: not valid JSON")


def test_redirects_and_words_without_synonyms_are_silent(tmp_path):
    source = source_of(tmp_path, jsonl({"title": "a", "redirect": "b"}, entry("c")), "x.jsonl")
    assert read(source) == [] and source.skipped == []


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
    ("content", "edition"),
    [
        (jsonl(CHINESE_ENTRY), "Chinese"),
        (jsonl({"title": "a", "redirect": "b"}, GERMAN_ENTRY), "German"),
        (jsonl(entry("cat", "en", lang="English", senses=[])), "English"),
    ],
)
def test_editions_are_recognized(write_source, content, edition):
    source = write_source(content)
    assert recognize(source, source.head()) == "wiktextract"
    origin = dictionaries.wiktextract_provenance(source, source.head())[0]
    assert origin == f"Wiktionary, {edition} edition, by wiktextract"
