"""Texts of apps: sources and translations, joined by key."""

import json

import pytest

from celab import corpus
from celab.base.errors import InputError
from celab.base.options import Limits
from celab.corpus import reading
from celab.corpus.options import Inputs

pytestmark = pytest.mark.filterwarnings("ignore::celab.InputWarning")


@pytest.fixture
def put(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def put(path, content):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
        file.write_text(text, encoding="utf-8")
        return path

    return put


def pair(source, *systems, **options):
    """Return the corpus of a source and translations, without references."""
    inputs = Inputs(source=source, systems=systems, **options)
    return reading.read(inputs, Limits(), needs_refs=False)


def android(*rows):
    return f"<resources>{''.join(rows)}</resources>"


def string(name, text):
    return f'<string name="{name}">{text}</string>'


def plurals(name, **forms):
    items = "".join(f'<item quantity="{x}">{text}</item>' for x, text in forms.items())
    return f'<plurals name="{name}">{items}</plurals>'


def ids(texts):
    return [segment.id for segment in texts.segments]


def test_missing_keys_are_named_and_others_left_out(put):
    put("values/strings.xml", android(string("a", "A"), string("b", "B"), string("c", " ")))
    put("values-zh/strings.xml", android(string("b", "乙"), string("old", "旧")))
    texts = pair("values", "values-zh")
    assert ids(texts) == ["a", "b"]
    assert texts.systems == {"values-zh": ["", "乙"]}
    assert texts.missing == {"values-zh": ["a"]}
    assert texts.absent == {"values-zh": frozenset({0})}
    assert texts.extra == {"values-zh": ["old"]}
    assert texts.lang == "zh"


def test_systems_keep_the_keys_that_another_lacks(put):
    put("en.json", {"a": "A", "b": "B"})
    put("zh-CN.json", {"a": "甲"})
    put("zh-TW.json", {"b": "乙"})
    texts = pair("en.json", "zh-CN.json", "zh-TW.json")
    assert texts.systems == {"zh-CN": ["甲", ""], "zh-TW": ["", "乙"]}
    assert texts.missing == {"zh-CN": ["b"], "zh-TW": ["a"]}
    assert texts.tags == {"zh-CN": "zh-CN", "zh-TW": "zh-TW"}


def test_chinese_needs_no_form_for_one(put):
    put("values/strings.xml", android(plurals("n", one="%d file", other="%d files")))
    put("values-zh-rCN/a.xml", android(plurals("n", other="%d 个文件")))
    texts = pair("values", "values-zh-rCN")
    assert ids(texts) == ["n[other]"]
    assert texts.source == ["%d files"]
    assert texts.missing == {"values-zh-rCN": []}


def test_a_language_needs_its_own_forms_of_which_one_may_count_more(put):
    put("values/a.xml", android(plurals("n", one="a file", other="%d files")))
    put("values-ru/a.xml", android(plurals("n", one="%d файл", few="%d файла", other="%d")))
    texts = pair("values", "values-ru")
    assert ids(texts) == ["n[one]", "n[few]", "n[many]", "n[other]"]
    assert texts.source == ["%d files"] * 4
    assert texts.missing == {"values-ru": ["n[many]"]}


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ({"n_one": "1", "n_other": "some"}, {"n_other": "几"}, {"n_other": "some"}),
        ({"n": "1", "n_plural": "some"}, {"n_0": "几"}, {"n_plural": "some"}),
        ({"n": "1", "n_plural": "some"}, {"n": "几"}, {"n": "some"}),
        (
            {"level_0": "low", "level_1": "high"},
            {"level_0": "低"},
            {"level_0": "low", "level_1": "high"},
        ),
        (
            {"reason_one": "x", "step_two": "y"},
            {"reason_one": "甲"},
            {"reason_one": "x", "step_two": "y"},
        ),
    ],
)
def test_plural_forms_of_i18next(put, source, target, expected):
    put("en.json", source)
    put("zh.json", target)
    texts = pair("en.json", "zh.json")
    assert dict(zip(ids(texts), texts.source, strict=True)) == expected


def test_a_folder_has_the_texts_of_all_its_files(put):
    put("en/common.json", {"a": "A"})
    put("en/pages/home.json", {"a": "Home"})
    put("zh/common.json", {"a": "甲"})
    put("zh/pages/home.json", {"a": "首页"})
    put("zh/README.md", "# texts")
    texts = pair("en", "zh")
    assert [(x.document, x.id) for x in texts.segments] == [("common", "a"), ("pages/home", "a")]
    assert texts.hyps == ["甲", "首页"]


def test_keys_of_android_are_those_of_all_files(put):
    put("values/strings.xml", android(string("a", "A")))
    put("values/more.xml", android(string("b", "B")))
    put("values/colors.xml", "<resources><color name='c'>#fff</color></resources>")
    put("values/donottranslate.xml", android(string("key", "x1")))
    put("values-zh/strings.xml", android(string("b", "乙"), string("a", "甲")))
    texts = pair("values", "values-zh")
    assert dict(zip(ids(texts), texts.hyps, strict=True)) == {"a": "甲", "b": "乙"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"zh/a.json": {"b": "乙"}}, "zh has none of the keys of en, such as a"),
        ({"zh/a.json": {"a": "甲"}, "zh/b_de.json": {"a": "A"}}, "several languages"),
        ({"zh/a.json": {"a": "甲"}, "zh/b.json": "[1]"}, "b.json has no texts with keys"),
        (
            {"zh/a.xml": android(string("a", "甲")), "zh/b.xml": android(string("a", "乙"))},
            "another text",
        ),
    ],
)
def test_folders_that_are_no_translation(put, files, message):
    put("en/a.json", {"a": "A"})
    for path, content in files.items():
        put(path, content)
    with pytest.raises(InputError, match=message):
        pair("en", "zh")


def test_programs_in_a_folder_are_left_out_with_a_warning(put):
    put("en/a.json", {"a": "A"})
    put("zh/a.json", {"a": "甲"})
    put("zh/index.ts", "export default {}")
    with pytest.warns(match=r"index.ts is a program"):
        assert pair("en", "zh").hyps == ["甲"]


def test_a_catalog_has_all_languages_and_missing_texts(put):
    def unit(text, state="translated"):
        return {"stringUnit": {"state": state, "value": text}}

    strings = {
        "Save": {"localizations": {"zh-Hans": unit("保存"), "zh-Hant": unit("", "new")}},
        "Tap": {
            "localizations": {
                "en": {"variations": {"device": {"mac": unit("Click"), "other": unit("Tap")}}},
                "zh-Hans": {"variations": {"device": {"mac": unit("点按"), "other": unit("轻点")}}},
                "zh-Hant": unit("點一下"),
            }
        },
    }
    put("a.xcstrings", {"sourceLanguage": "en", "strings": strings})
    texts = reading.read(Inputs(references=["a.xcstrings"]), Limits(), needs_refs=False)
    assert ids(texts) == ["Save", "Tap[device.mac]", "Tap"]
    assert texts.systems["zh-Hant"] == ["", "點一下", "點一下"]
    assert texts.missing["zh-Hans"] == []
    assert texts.missing["zh-Hant"] == ["Save"]
    assert texts.tags == {"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant"}
    one = reading.read(
        Inputs(references=["a.xcstrings"], language_pair="en-zh-Hans"), Limits(), needs_refs=False
    )
    assert one.hyps == ["保存", "点按", "轻点"]


def test_a_root_may_be_the_language(put):
    put("zh-TW.json", {"zh-TW": {"a": "甲"}})
    put("en.json", {"en": {"a": "A"}})
    put("menu.json", {"my": {"a": "甲"}})
    texts = pair("en.json", "zh-TW.json")
    assert ids(texts) == ["a"]
    assert texts.tags == {"zh-TW": "zh-TW"}
    assert ids(corpus.read("menu.json", "menu.json")) == ["my.a"]


def test_a_file_may_have_all_languages(put):
    put("messages.json", {"en": {"a": "A", "b": "B"}, "zh": {"a": "甲"}})
    texts = reading.read(Inputs(references=["messages.json"]), Limits(), needs_refs=False)
    assert texts.source == ["A", "B"]
    assert list(texts.missing.values()) == [["b"]]


def test_properties_are_latin_1_if_they_are_not_utf_8(tmp_path):
    path = tmp_path / "a.properties"
    path.write_bytes("a = caf\xe9\\u4e70\n".encode("latin-1"))
    assert corpus.read([path], path).hyps == ["café买"]


def test_texts_are_scored_by_key_whatever_the_source_has_more(put):
    put("values/a.xml", android(string("a", "A"), plurals("n", one="one", other="many")))
    put("human/values-zh/a.xml", android(string("a", "甲"), plurals("n", other="多")))
    put("engine/values-zh/a.xml", android(plurals("n", other="很多"), string("a", "甲")))
    texts = corpus.read("human/values-zh", "engine/values-zh", source="values")
    assert texts.refs == [["甲", "多"]]
    assert texts.hyps == ["甲", "很多"]
    assert texts.source == ["A", "many"]
