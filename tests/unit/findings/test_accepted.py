"""Findings that are accepted."""

import json

import pytest
from commands import run

from celab.base.errors import InputError
from celab.findings import accepted

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


@pytest.fixture
def flags(put):
    put("en.json", EN)
    put(
        "zh.json",
        {"name": "Larder", "save": "Save", "open": "打开", "gone": "没有", "sync": "同步"},
    )
    return "check", "-q", "--source", "en.json", "-s", "zh.json"


def test_accepted_findings_are_not_counted(flags, put):
    assert run(*flags, "--write-accepted", "a.json").returncode == 0
    gate = "--accept", "a.json", "--fail-on", "missing,copied"
    assert run(*flags, *gate).returncode == 0
    translated = {"gone": "没有", "sync": "同步", "unit": "{{n}} km"}
    put("zh.json", {"save": "Save", "open": "Open in Larder", **translated})
    done = run(*flags, *gate)
    assert done.returncode == 1
    assert (
        "a.json: 2 accepted findings are gone: zh name copied and zh unit missing"
        in done.stderr.decode()
    )
    assert "1 copied" in done.stderr.decode()
    assert "1 missing" in done.stderr.decode()


def test_an_accepted_text_that_changes_is_looked_at_again(flags, put):
    run(*flags, "--write-accepted", "a.json")
    put(
        "zh.json",
        {"name": "Larder", "save": "Save ", "open": "打开", "gone": "没有", "sync": "同步"},
    )
    done = run(*flags, "--accept", "a.json", "--fail-on", "copied")
    assert done.returncode == 1
    assert "zh save copied" in done.stderr.decode()


def test_a_file_of_accepted_findings_is_not_overwritten(flags, tmp_path):
    run(*flags, "--write-accepted", "a.json")
    before = (tmp_path / "a.json").read_text()
    done = run(*flags, "--write-accepted", "a.json")
    assert done.returncode == 2
    assert "a.json, which exists" in done.stderr.decode()
    assert (tmp_path / "a.json").read_text() == before
    assert run(*flags, "--write-accepted", "a.json", "--overwrite").returncode == 0


def test_systems_that_are_not_checked_are_named(flags, tmp_path):
    run(*flags, "--write-accepted", "a.json")
    text = (tmp_path / "a.json").read_text().replace('"zh"', '"zh-TW"')
    (tmp_path / "a.json").write_text(text)
    assert (
        "zh-TW has accepted findings, but is not checked"
        in run(*flags, "--accept", "a.json").stderr.decode()
    )


@pytest.mark.parametrize("content", ["[]", "{", '{"format": 2, "accepted": []}', '{"format": 1}'])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(InputError, match="must be a file of accepted findings"):
        accepted.read(str(tmp_path / "a.json"))
