"""Chinese in the other script than its language is written in."""

import pytest
from commands import run

import celab
from celab.findings.wrong_script import characters, wrong_characters


@pytest.mark.parametrize(
    ("output", "source", "script", "expected"),
    [
        ("这个设置", "", "Traditional", "这个设"),
        ("這個設定", "", "Traditional", ""),
        ("這個設定", "", "Simplified", "這個設"),
        ("皇后在里面几次", "", "Traditional", ""),
        ("著作於乾", "", "Simplified", ""),
        ("繁體中文", "", "Simplified", ""),
        ("简体中文 / 繁體中文", "", "Traditional", ""),
        ("人名張三", "張三", "Simplified", ""),
        ("保存", "", "Traditional", ""),
    ],
)
def test_characters_tell_the_script(output, source, script, expected):
    assert wrong_characters(output, source, script) == expected


def test_no_character_tells_both_scripts():
    simplified, traditional = characters()
    assert not simplified & traditional
    assert len(simplified) > 1500
    assert len(traditional) > 2000


@pytest.mark.parametrize("lang", ["zh", "zh-CN", "zh-TW"])
def test_a_language_with_a_script_decides(lang):
    checked = celab.check(["这个设置"], ["這個設定"], ["This setting"], lang=lang)
    kinds = [row.kind for row in checked.table.rows]
    assert ("wrong-script" in kinds) == (lang == "zh-TW")


def test_the_name_of_a_file_of_any_format_tells_the_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hyp.zh-TW.txt").write_text("这个设置\n")
    (tmp_path / "src.en").write_text("This setting\n")
    done = run(
        "check", "-q", "--source", "src.en", "-s", "hyp.zh-TW.txt", "--fail-on", "wrong-script"
    )
    assert done.returncode == 1
    assert "wrong-script" in done.stderr.decode()
