"""Compiled lexicons as files: made once, never trusted when damaged or stale."""

import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

import celab.lexicon.lexicon
from celab import LexiconError, TeslaCelab
from celab.lexicon.compiled import MAGIC
from celab.lexicon.lexicon import cache_folder, open_lexicon
from celab.options import TeslaCelabOptions

GROUPS = ["雨伞 伞 洋伞", "买 购买", "卡拉OK KTV", "𠮷利 吉利"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache folder."""
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def source(make_lexicon):
    return make_lexicon(GROUPS)


def answers(lexicon, **options):
    metric = TeslaCelab(lexicon=lexicon, **options)
    pairs = [("买伞", "购买雨伞"), ("卡拉OK", "KTV"), ("𠮷利", "吉利"), ("买", "伞")]
    return [metric.sentence_score(hyp, [ref]).score for hyp, ref in pairs]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def no_compiling(monkeypatch):
    """From the call on, whoever compiles fails."""

    def forbid():
        def refuse(*args, **kwargs):
            raise AssertionError("compiled, not loaded")

        monkeypatch.setattr(celab.lexicon.lexicon, "compile_groups", refuse)

    return forbid


def test_the_second_time_nothing_is_compiled(source, folder, no_compiling):
    first = answers(source)
    assert first == [1.0, 1.0, 1.0, 0.0]
    (name,) = files(folder)
    assert name.startswith("synonyms.tsv-") and name.endswith(".lexc")
    no_compiling()
    assert answers(source) == first
    assert files(folder) == [name]


def test_a_lexicon_of_no_groups_is_refused(tmp_path):
    empty = tmp_path / "cilin.txt"
    empty.write_text("Aa01A01@ 伞\n", encoding="utf-8")
    with pytest.raises(LexiconError, match="holds no group of two or more words"):
        answers(empty)


def flipped(content, at):
    damaged = bytearray(content)
    damaged[at] ^= 0x10
    return bytes(damaged)


DAMAGE = {
    "empty": lambda content: b"",
    "something else": lambda content: b"not a lexicon at all",
    "magic alone": lambda content: content[: len(MAGIC)],
    "head alone": lambda content: content[:48],
    "half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "bit in magic": lambda content: flipped(content, 0),
    "bit in digest": lambda content: flipped(content, 9),
    "bit in length": lambda content: flipped(content, 41),
    "bit in index": lambda content: flipped(content, 60),
    "bit in arrays": lambda content: flipped(content, len(content) * 2 // 3),
    "last bit": lambda content: flipped(content, len(content) - 1),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_replaced(source, folder, no_compiling, damage):
    right = answers(source)
    (name,) = files(folder)
    good = (folder / name).read_bytes()
    (folder / name).write_bytes(damage(good))
    assert answers(source) == right
    assert (folder / name).read_bytes() == good and files(folder) == [name]
    no_compiling()
    assert answers(source) == right


def test_a_sound_file_of_another_lexicon_is_replaced(source, make_lexicon, folder, no_compiling):
    right = answers(source)
    (name,) = files(folder)
    answers(make_lexicon(["买 伞"], "other.tsv"))
    (other,) = set(files(folder)) - {name}
    shutil.copy(folder / other, folder / name)
    assert answers(source) == right
    no_compiling()
    assert answers(source) == right


def test_changed_content_is_compiled_anew(make_lexicon, folder):
    assert answers(make_lexicon(["买 购"]))[3] == 0.0
    assert answers(make_lexicon(["买 伞"]))[3] == 1.0
    assert len(files(folder)) == 2


# Those that say how words are read; the others work on what is read.
SHAPING = {"width", "case", "umlauts", "script", "opencc", "cilin_lines"}


@pytest.mark.parametrize("spec", fields(TeslaCelabOptions), ids=lambda spec: spec.name)
def test_each_way_to_read_words_has_its_file(source, folder, spec):
    values = spec.metadata["choices"] or [spec.default, spec.default + 1]
    for value in values:
        open_lexicon(source, TeslaCelabOptions(**{spec.name: value}))
    assert len(files(folder)) == (len(values) if spec.name in SHAPING else 1)


def test_another_version_of_celab_compiles_anew(source, folder, monkeypatch):
    answers(source)
    monkeypatch.setattr(celab.lexicon.lexicon, "__version__", "99")
    answers(source)
    assert len(files(folder)) == 2


# ---- where nothing can be kept ----------------------------------------------------------------


def test_a_folder_that_cannot_be_made_is_no_obstacle(source, tmp_path, monkeypatch):
    right = answers(source)
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "file" / "cache"))
    assert answers(source) == right


def test_a_failed_write_leaves_nothing_behind(source, folder, monkeypatch):
    def refuse(*args):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    assert answers(source) == [1.0, 1.0, 1.0, 0.0]
    assert files(folder) == []


def test_a_user_without_a_home_is_no_obstacle(source, monkeypatch):
    for name in ("CELAB_LEXICONS", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)  # what Python does without one
    monkeypatch.chdir(source.parent)
    before = files(source.parent)
    assert answers(source) == [1.0, 1.0, 1.0, 0.0]
    assert not cache_folder().exists()
    assert files(source.parent) == before


def test_the_users_cache_folder_is_the_default(monkeypatch, tmp_path):
    monkeypatch.delenv("CELAB_LEXICONS")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "celab"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "celab"


# ---- several at once --------------------------------------------------------------------------


def test_a_lexicon_in_use_outlives_its_file(source, folder):
    metric = TeslaCelab(lexicon=source)
    (name,) = files(folder)
    (folder / name).unlink()
    assert metric.sentence_score("买伞", ["购买雨伞"]).score == 1.0


BUILD = """
import sys, celab
print("ready", flush=True)
sys.stdin.readline()
metric = celab.TeslaCelab()
print(metric.sentence_score("我买了一把伞", ["我购买一把雨伞了"]))
"""


def test_processes_that_build_at_once_do_not_disturb_each_other(folder, no_compiling):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-X", "utf8", "-c", BUILD]
    builders = [subprocess.Popen(command, encoding="utf-8", **pipes) for _ in range(4)]
    try:
        for builder in builders:
            assert builder.stdout.readline() == "ready\n"
        for builder in builders:
            builder.stdin.write("go\n")
            builder.stdin.flush()
        said = [builder.communicate(timeout=60)[0] for builder in builders]
    finally:
        for builder in builders:
            builder.kill()
    assert [builder.returncode for builder in builders] == [0] * 4
    (name,) = files(folder)
    assert name.startswith("cilin-") and name.endswith(".lexc")
    no_compiling()
    score = TeslaCelab().sentence_score("我买了一把伞", ["我购买一把雨伞了"])
    assert said == [f"{score}\n"] * 4
