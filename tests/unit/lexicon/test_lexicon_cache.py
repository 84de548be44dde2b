"""Compiled lexicons as files: made once, never trusted when damaged or stale."""

import os
import shutil
import subprocess
import sys
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest

import celab
import celab.lexicon.lexicon
from celab import LexiconError, TeslaCelab
from celab.base import io
from celab.base.options import info_of
from celab.base.text.normalize import Normalization, Normalizer
from celab.lexicon.compiled import MAGIC
from celab.lexicon.lexicon import open_lexicon
from celab.metrics.options import TeslaCelabOptions

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


def test_metrics_share_the_arrays_of_a_file_until_it_changes(source, folder):
    TeslaCelab(lexicon=source)  # compiles it
    first, second = (TeslaCelab(lexicon=source).engine.lexicon for _ in range(2))
    assert first._word_group is second._word_group
    (path,) = folder.iterdir()
    path.write_bytes(path.read_bytes())
    third = TeslaCelab(lexicon=source).engine.lexicon
    assert third._word_group is not first._word_group
    assert third._word_group.tolist() == first._word_group.tolist()


def flipped(content, at):
    return content[:at] + bytes([content[at] ^ 0x10]) + content[at + 1 :]


DAMAGE = {
    "empty": lambda content: b"",
    "magic alone": lambda content: content[: len(MAGIC)],
    "head alone": lambda content: content[:48],
    "half": lambda content: content[: len(content) // 2],
    "one byte short": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "bit in arrays": lambda content: flipped(content, len(content) * 2 // 3),
}


def test_a_sound_file_of_another_lexicon_is_replaced(source, make_lexicon, folder, no_compiling):
    right = answers(source)
    (name,) = files(folder)
    answers(make_lexicon(["买 伞"], "other.tsv"))
    (other,) = set(files(folder)) - {name}
    shutil.copy(folder / other, folder / name)
    assert answers(source) == right
    no_compiling()
    assert answers(source) == right


def test_another_content_or_version_of_celab_is_compiled_anew(make_lexicon, folder, monkeypatch):
    assert answers(make_lexicon(["买 购"]))[3] == 0.0
    assert answers(make_lexicon(["买 伞"]))[3] == 1.0
    assert len(files(folder)) == 2
    newer = partial(celab.lexicon.compiled.LexiconRecipe, compiler="another")
    monkeypatch.setattr(celab.lexicon.lexicon, "LexiconRecipe", newer)
    answers(make_lexicon(["买 伞"]))
    assert len(files(folder)) == 3


# Those that say how words are read; the others work on what is read: what normalization takes,
# which lines of Cilin are read, and what the length of a word counts.
SHAPING = {"cilin_lines", "tokenize", *(spec.name for spec in fields(Normalization))}


@pytest.mark.parametrize("spec", fields(TeslaCelabOptions), ids=lambda spec: spec.name)
def test_each_way_to_read_words_has_its_file(source, folder, spec):
    others = {"weights": "information", "decay": 0.5, "length_limit": 2.0}
    default = info_of(spec).default
    values = info_of(spec).choices or [default, others.get(spec.name) or default + 1]
    for value in values:
        options = TeslaCelabOptions(**{spec.name: value})
        tokens = {"tokenize": options.tokenize, "max_order": options.max_order}
        open_lexicon(source, Normalizer.of(options), options.cilin_lines, **tokens)
    assert len(files(folder)) == (len(values) if spec.name in SHAPING else 1)


EDITS = {
    "a word": lambda data: data.replace("洋伞".encode(), "阳伞".encode()),
    "a line more": lambda data: data + "0\tx\t买\t伞\n".encode(),
    "truncated": lambda data: data[:-1],
    "head alone": lambda data: data[: data.index(b"\n", 20) + 1],
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_an_edited_lex_file_is_refused_though_its_compiled_form_is_cached(source, edit):
    path = source.with_name("k.lex")
    celab.lexicon.build(source, path)
    data, right = path.read_bytes(), answers(path)
    path.write_bytes(edit(data))
    for make in (answers, lambda path: celab.TeslaM(analysis="surface", lexicon=path)):
        with pytest.raises(LexiconError):
            make(path)
    path.write_bytes(data)
    assert answers(path) == right


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_a_file_that_is_wrong_is_replaced(source, folder, no_compiling, change):
    right = answers(source)
    (name,) = files(folder)
    good = (folder / name).read_bytes()
    (folder / name).write_bytes(change(good))
    assert answers(source) == right
    assert (folder / name).read_bytes() == good and files(folder) == [name]
    no_compiling()
    assert answers(source) == right


@pytest.mark.skipif(sys.platform == "win32", reason="there are no FIFOs")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_file_is_left_alone(source, folder, make):
    right = answers(source)
    (name,) = files(folder)
    (folder / name).unlink()
    make(folder / name)
    assert answers(source) == right
    assert not (folder / name).is_file()


def test_a_file_of_absurd_length_is_replaced(source, folder):
    right = answers(source)
    (name,) = files(folder)
    with open(folder / name, "r+b") as file:
        file.truncate(1 << 33)  # it has no blocks on the disk
    assert answers(source) == right
    assert (folder / name).stat().st_size < 1 << 22


@pytest.mark.parametrize("change", [lambda path: os.truncate(path, 0), os.unlink])
def test_a_lexicon_in_use_does_not_change_with_its_file(source, folder, change):
    metric = TeslaCelab(lexicon=source)
    (name,) = files(folder)
    change(folder / name)
    assert metric.sentence_score("买伞", ["购买雨伞"]).score == 1.0


def test_a_compiled_lexicon_cannot_be_named(source, folder):
    answers(source)
    (name,) = files(folder)
    with pytest.raises(LexiconError):
        answers(folder / name)


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
    assert not io.cache_folder().exists() and files(source.parent) == before


def test_the_users_cache_folder_is_the_default(monkeypatch, tmp_path):
    monkeypatch.delenv("CELAB_LEXICONS")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert io.cache_folder() == tmp_path / "celab"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert io.cache_folder() == Path.home() / ".cache" / "celab"


# ---- several at once --------------------------------------------------------------------------


BUILD = """
import sys, celab
print("ready", flush=True)
sys.stdin.readline()
metric = celab.TeslaCelab()
print(metric.sentence_score("我买了一把伞", ["我购买一把雨伞了"]))
"""


@pytest.mark.thorough
def test_processes_that_build_at_once_do_not_disturb_each_other(folder, no_compiling):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-X", "utf8", "-c", BUILD]
    builders = [subprocess.Popen(command, encoding="utf-8", **pipes) for _ in range(2)]
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
    assert [builder.returncode for builder in builders] == [0] * 2
    (name,) = files(folder)
    assert name.startswith("cilin-") and name.endswith(".lexc")
    no_compiling()
    score = TeslaCelab().sentence_score("我买了一把伞", ["我购买一把雨伞了"])
    assert said == [f"{score}\n"] * 2
