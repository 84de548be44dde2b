"""Texts of apps that are their source, missing keys, and placeholders of their formats."""

import json

import pytest
from commands import run

from celab.findings.translations.untranslated import untranslated

EN = {
    "name": "Larder",
    "open": "Open in Larder",
    "save": "Save",
    "sync": "Sync with GitHub",
    "unit": "{{n}} km",
    "gone": "Nothing here",
}


@pytest.fixture
def put(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def put(name, content):
        (tmp_path / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
        return name

    return put


@pytest.mark.parametrize(
    "text", ["January", "Settings", "Sign In", "save as", "One seventh", "Delete Account"]
)
def test_words_are_untranslated(text):
    assert [*untranslated([text], [text])] == [0]


@pytest.mark.parametrize(
    "text",
    (
        "GitHub|PDF|%d km|{name}|<b>%s</b>|https://example.org/save|mp3|Wi-Fi"
        "|Visual Studio Code|12:30|Müller|MB/s|a@example.org|AM"
    ).split("|"),
)
def test_names_units_and_codes_are_not(text):
    assert [*untranslated([text], [text])] == []


def test_other_translations_tell_names_from_words():
    sources = ["Larder", "Open Larder", "Basket", "Open the basket"]
    outputs = ["Larder", "打开 Larder", "Basket", "打开购物篮"]
    assert [*untranslated(sources, outputs)] == [2]


def test_missing_keys_are_no_empty_texts(put):
    put("en.json", EN)
    put("zh.json", {"name": "Larder", "open": "用 Larder 打开", "save": "Save", "sync": ""})
    done = run("check", "-q", "--segments", "--source", "en.json", "-s", "zh.json")
    rows = [line.split("\t")[1:3] for line in done.stdout.decode().splitlines()[1:]]
    assert rows == [
        ["save", "copied"],
        ["sync", "empty"],
        ["unit", "missing"],
        ["gone", "missing"],
    ]
    shown = run("check", "-q", "--source", "en.json", "-s", "zh.json").stdout.decode()
    assert "zh lacks unit and gone" in shown


@pytest.mark.parametrize(("kinds", "code"), [("missing", 1), ("placeholder,tags", 0)])
def test_a_gate_fails_for_missing_keys_if_they_are_named(put, kinds, code):
    put("en.json", {"a": "Open it", "b": "Close it"})
    put("zh.json", {"a": "打开"})
    assert (
        run("check", "-q", "--source", "en.json", "-s", "zh.json", "--fail-on", kinds).returncode
        == code
    )


def test_placeholders_of_a_format(put):
    put("en.json", {"a": "$COUNT$ of {n}", "b": "@:app.name settings", "c": "{0} car | {0} cars"})
    put("zh.json", {"a": "共 {n}", "b": "设置", "c": "{0} 辆车"})
    flags = "check", "-q", "--segments", "--source", "en.json", "-s", "zh.json"
    assert [line.split("\t")[-2] for line in run(*flags).stdout.decode().splitlines()[1:]] == [
        "@:app.name"
    ]
    put("en.json", {"a": {"message": "$COUNT$ files"}, "b": {"message": "$count$ files"}})
    put("zh.json", {"a": {"message": "文件"}, "b": {"message": "$COUNT$ 个文件"}})
    assert [line.split("\t")[-2] for line in run(*flags).stdout.decode().splitlines()[1:]] == [
        "$COUNT$"
    ]
