"""The size of the cache: what is removed first, what never is, and other processes beside it."""

import os

import pytest

from celab import TeslaCelab
from celab.base import io
from celab.base.options import Size
from celab.cli import lexicon as command
from celab.lexicon import compiled

FILE_BYTES = 1 << 16  # less than a compiled lexicon


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty cache folder with the folders of other things."""
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    for name in ("fetched", "words"):
        (tmp_path / "cache" / name).mkdir(parents=True)
        (tmp_path / "cache" / name / "a.lexc").write_bytes(bytes(FILE_BYTES))
    return tmp_path / "cache"


@pytest.fixture
def use(make_lexicon):
    """Make a metric with the lexicon of this name, whose group is the name and a word."""

    def use(name):
        return TeslaCelab(lexicon=make_lexicon([f"{name} x"], f"{name}.tsv"), script="keep")

    return use


def names(folder):
    return {path.name.partition(".")[0] for path in folder.glob("*.lexc")}


def set_used(folder, **times):
    for name, time in times.items():
        (path,) = folder.glob(f"{name}.*")
        os.utime(path, ns=(time, time))


def size_of(folder, *names):
    return sum(path.stat().st_size for name in names for path in folder.glob(f"{name}.*"))


def test_the_least_recently_used_go_first(use, folder, monkeypatch):
    for name in "abc":
        use(name)
    set_used(folder, a=3, b=1, c=2)
    monkeypatch.setenv("CELAB_CACHE_SIZE", str(size_of(folder, "a", "c", "b")))
    use("d")
    assert names(folder) == set("acd")
    set_used(folder, a=3, c=2, d=4)
    monkeypatch.setenv("CELAB_CACHE_SIZE", str(size_of(folder, "a", "d")))
    use("e")
    assert names(folder) == set("de")


@pytest.mark.parametrize("is_in_memory", [True, False])
def test_a_use_is_remembered(use, folder, monkeypatch, is_in_memory):
    use("a"), use("b")
    set_used(folder, a=1, b=2)
    use("a")  # reads it
    if is_in_memory:
        set_used(folder, a=1)
        use("a")
        use("a")
    (path,) = folder.glob("a.*")
    assert path.stat().st_mtime_ns > 2
    monkeypatch.setenv("CELAB_CACHE_SIZE", str(size_of(folder, "a", "b")))
    use("c")
    assert names(folder) == set("ac")


def test_memory_keeps_the_last_few(use):
    for name in "abcdef":
        use(name), use(name)
    assert len(compiled._kept) == compiled._MAX_FILES_IN_MEMORY


@pytest.mark.parametrize("size", ["0", "1", "1K"])
def test_what_was_just_written_stays(use, folder, monkeypatch, size):
    use("a")
    monkeypatch.setenv("CELAB_CACHE_SIZE", size)
    use("b")
    assert names(folder) == {"b"}


def test_other_things_stay(use, folder, monkeypatch):
    def others():
        return sorted(path for path in folder.rglob("*") if path.suffix != ".lexc" or path.is_dir())

    (folder / "notes.txt").write_bytes(bytes(FILE_BYTES))
    (folder / "folder.lexc").mkdir()
    (folder / "link.lexc").symlink_to(folder / "notes.txt")
    before = others()
    monkeypatch.setenv("CELAB_CACHE_SIZE", "0")
    use("a"), use("b")
    compiled.clear()
    assert others() == before and (folder / "link.lexc").is_symlink()
    assert (folder / "fetched" / "a.lexc").exists() and (folder / "words" / "a.lexc").exists()
    assert not [path for path in folder.glob("*.lexc") if path.is_file() and not path.is_symlink()]


# ---- beside other processes -------------------------------------------------------------------


def test_what_another_process_removes_is_compiled_again(use, folder, monkeypatch):
    whole = compiled.load_arrays
    right = use("a").sentence_score("a", ["x"]).score
    compiled._kept.clear()

    def load(types, magic, key, path):
        path.unlink()
        return whole(types, magic, key, path)

    monkeypatch.setattr(compiled, "load_arrays", load)
    assert use("a").sentence_score("a", ["x"]).score == right == 1.0
    assert names(folder) == {"a"}


def test_what_another_process_removes_while_files_are_listed(use, folder, monkeypatch):
    for name in "ab":
        use(name)
    listed = compiled.files()
    next(folder.glob("b.*")).unlink()
    monkeypatch.setattr(compiled, "files", lambda: listed)
    compiled.prune(folder / "none", 0)
    assert names(folder) == set()


def test_what_is_being_written_stays(use, folder):
    use("a")
    with io.open_atomic(folder / "b.tsv-0.lexc") as file:
        file.write(b"x")
        compiled.prune(folder / "none", 0)
        compiled.clear()
    assert (folder / "b.tsv-0.lexc").read_bytes() == b"x"
    assert not names(folder) - {"b"}


def test_a_folder_that_is_not_there(use, tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "none"))
    assert compiled.files() == [] and compiled.clear() == (0, 0)


# ---- the limit --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "size"), [(None, "500M"), ("", "500M"), ("200M", "200M"), ("2g", "2G"), ("0", "0")]
)
def test_the_limit(monkeypatch, text, size):
    monkeypatch.delenv("CELAB_CACHE_SIZE", raising=False)
    if text is not None:
        monkeypatch.setenv("CELAB_CACHE_SIZE", text)
    assert compiled.limit() == Size(size)


def test_the_command_shows_and_clears(use, folder, capsys):
    use("a"), use("b")
    size = size_of(folder, "a", "b")
    assert command.main(["cache"]) == 0
    shown = f"{size / 2**20:.1f}M"
    assert capsys.readouterr().out == (
        f"{folder}\n  compiled   2 lexicons, {shown}; the limit is 500M\n"
    )
    assert command.main(["cache", "--clear"]) == 0
    assert capsys.readouterr().out == (
        f"{folder}\n  removed    2 lexicons, {shown}\n"
        "  compiled   0 lexicons, 0.0M; the limit is 500M\n"
    )
    assert (folder / "words" / "a.lexc").exists()
