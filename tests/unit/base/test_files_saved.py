"""Files that are saved while they are read are an error: their digest may be of other bytes.

The save comes at a known moment: `saved_before` calls it where a reader begins, after the digest
was taken.
"""

import gzip
import importlib.util
import os
import shutil

import pytest
from reader_samples import WN_ROWS, WN_TABLES, database

import celab
from celab import InputError
from celab.base import io
from celab.base.errors import LexiconError
from celab.exact import weights
from celab.lexicon import catalog, store
from celab.lexicon.source import Group, Provenance, Thesaurus
from celab.metrics import language_model
from celab.pivot import building, pivot_table
from celab.words import compounds

PAIR = ("买伞", ["购雨伞"])
ONE, OTHER = "买\t购\n", "伞\t雨伞\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def saved_before(monkeypatch):
    """Saves come before the calls of a function, as long as there are some left."""

    def arrange(owner, name, saves):
        left, whole = iter(saves), getattr(owner, name)

        def hooked(*args, **settings):
            if (save := next(left, None)) is not None:
                save()
            return whole(*args, **settings)

        monkeypatch.setattr(owner, name, hooked)

    return arrange


def save_in_place(path, data):
    with open(path, "r+b") as file:
        file.truncate(0)
        file.write(data)


def replace(path, data):
    beside = path.with_name(f"{path.name}.new")
    beside.write_bytes(data)
    os.replace(beside, path)


SAVES = [save_in_place, replace]


# ---- lexicons ---------------------------------------------------------------------------------


def plain(path, rows):
    replace(path, rows.encode())


def compressed(path, rows):
    replace(path, gzip.compress(rows.encode(), mtime=0))


def stored(path, rows):
    groups = [Group("1", tuple(row.split("\t"))) for row in rows.splitlines()]
    origin = Provenance(name="a", format="tsv", origin="", licence="", version="", digest="0" * 64)
    store.write(Thesaurus(name="a", sources=[origin], groups=groups), path)


def folder_of_wordnet(path, rows):
    path.mkdir(exist_ok=True)
    lines = (
        f"{k:08} 05 n 02 {' 0 '.join(row.split())} 0 000 | .\n"
        for k, row in enumerate(rows.splitlines())
    )
    replace(path / "data.noun", "".join(lines).encode())


def database_of_wn(path, rows):
    a, b = rows.split()
    words = WN_ROWS.replace("有趣+的", a).replace("好玩", b)
    replace(path, database(WN_TABLES + words))


KINDS = {
    "a.tsv": plain,
    "a.tsv.gz": compressed,
    "a.lex": stored,
    "wordnet": folder_of_wordnet,
    "wn.db": database_of_wn,
}


def in_effect(path):
    """The score and the signature of a new metric."""
    metric = celab.TeslaCelab(lexicon=path, script="keep")
    return metric.sentence_score(*PAIR).score, str(metric.signature)


@pytest.mark.parametrize("name", KINDS)
def test_a_lexicon_saved_after_its_digest_was_taken(tmp_path, cache, saved_before, name):
    path, write = tmp_path / name, KINDS[name]
    known = {}
    for rows in (OTHER, ONE):
        write(path, rows)
        known[rows] = in_effect(path)
    assert known[ONE] != known[OTHER] and 0 < known[ONE][0] < 1
    shutil.rmtree(cache)
    saved_before(catalog, "_load_source", [lambda: write(path, OTHER)])
    with pytest.raises(LexiconError) as error:
        in_effect(path)
    assert str(error.value) == (
        f"lexicon {path} was saved while it was read; try again when it is complete"
    )
    assert not cache.exists()
    for rows in (OTHER, ONE):  # what is cached now is right
        write(path, rows)
        assert in_effect(path) == known[rows]


def test_a_lexicon_that_is_gone_when_it_is_read(tmp_path, saved_before):
    path = tmp_path / "a.tsv"
    path.write_text(ONE, "utf-8")
    saved_before(catalog, "_load_source", [path.unlink])
    with pytest.raises(LexiconError):
        in_effect(path)


def test_the_lexicon_of_tesla_m(tmp_path, saved_before):
    path = tmp_path / "a.tsv"
    plain(path, ONE)
    saved_before(catalog, "_load_source", [lambda: plain(path, OTHER)])
    with pytest.raises(LexiconError, match="was saved while it was read"):
        celab.TeslaM(analysis="surface", lexicon=path).sentence_score("买 伞", ["购 雨伞"])


def test_what_python_and_the_command_line_read(tmp_path, saved_before, capsys):
    from celab.cli import lexicon

    path = tmp_path / "a.tsv"
    plain(path, ONE)
    saved_before(catalog, "_load_source", [lambda: plain(path, OTHER)])
    with pytest.raises(LexiconError, match="was saved while it was read"):
        celab.lexicon.open(path)
    for words in (["info", str(path)], ["build", "-q", str(path), "-o", str(tmp_path / "b.lex")]):
        plain(path, ONE)
        saved_before(catalog, "_load_source", [lambda: plain(path, OTHER)])
        assert lexicon.main(words) == 2
        assert "was saved while it was read" in capsys.readouterr().err
    assert not (tmp_path / "b.lex").exists()


# ---- the other files with a digest ------------------------------------------------------------


@pytest.mark.parametrize("save", SAVES)
@pytest.mark.parametrize("reader", ["counts_from", "Splitter"])  # before and after it is read
def test_counts(tmp_path, saved_before, save, reader):
    path = tmp_path / "counts.tsv"
    path.write_bytes(b"regen\t5\nschirm\t3\n")
    other = b"regen\t5\nschirm\t3\nregenschirm\t9\n"
    saved_before(compounds, reader, [lambda: save(path, other)])
    with pytest.raises(InputError, match="was saved while it was read"):
        compounds.Compounds(path)
    splitter = compounds.Compounds(path)
    assert splitter("Regenschirm") == ("Regenschirm",)
    assert splitter.name == f"compounds@counts@{io.sha256_of(path)[:12]}"


ARPA = (
    "\\data\\\nngram 1=4\nngram 2=1\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t买\t-0.2\n"
    "-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> 买\n\n\\end\\\n"
)


@pytest.mark.skipif(importlib.util.find_spec("kenlm") is None, reason="kenlm is not installed")
@pytest.mark.parametrize("save", SAVES)
def test_language_models(tmp_path, saved_before, save):
    path = tmp_path / "lm.arpa"
    path.write_text(ARPA, "utf-8")
    other = ARPA.replace("-0.2\t<s>", "-0.1\t<s>").encode()
    saved_before(language_model, "check_header", [lambda: save(path, other)])
    with pytest.raises(celab.InputError, match="was saved while it was read"):
        language_model.LanguageModel(path)
    assert language_model.LanguageModel(path).digest == io.sha256_of(path)


@pytest.mark.parametrize("save", SAVES)
def test_sources_of_pivot_tables(tmp_path, saved_before, save):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"man\thomme\t1\n")
    saved_before(building.Gathered, "_add", [lambda: save(path, b"man\tmari\t1\n")])
    with pytest.raises(InputError, match="was saved while it was read"):
        celab.pivot.build(path, tmp_path / "t.pivot", lang="en")
    assert not (tmp_path / "t.pivot").exists()
    table = celab.pivot.build(path, tmp_path / "t.pivot", lang="en")
    assert table.about.sources[0].digest == io.sha256_of(path)


@pytest.mark.parametrize("save", SAVES)
def test_sentences_of_pivot_tables(tmp_path, saved_before, save):
    paths = [tmp_path / name for name in ("en", "fr", "links")]
    for path, text in zip(paths, (b"man\n", b"homme\n", b"0-0\n"), strict=True):
        path.write_bytes(text)
    saved_before(building, "_links", [lambda: save(paths[1], b"mari\n")])
    with pytest.raises(InputError, match="was saved while it was read"):
        celab.pivot.build(paths[:2], tmp_path / "t.pivot", lang="en", alignment=paths[2])
    table = celab.pivot.build(paths[:2], tmp_path / "t.pivot", lang="en", alignment=paths[2])
    assert [found.phrase for found in table.lookup("man")] == ["mari"]
    assert [s.digest for s in table.about.sources] == [io.sha256_of(path) for path in paths]


def test_files_that_are_read_once(tmp_path, saved_before):
    # Their digests are of what was read, so a save before or after makes no difference.
    path = tmp_path / "weights.tsv"
    path.write_bytes("买\t0.5\n".encode())
    saved_before(weights, "WeightTable", [lambda: path.write_bytes("买\t0.25\n".encode())])
    first, second = (weights.read(str(path)) for _ in range(2))
    assert (first.weigh("买"), second.weigh("买")) == (
        50,
        25,
    ) and first.signature_id != second.signature_id
    tables = []
    for word in ("homme", "mari"):
        plain(tmp_path / "a.tsv", f"man\t{word}\t1\n")
        tables.append(tmp_path / f"{word}.pivot")
        celab.pivot.build(tmp_path / "a.tsv", tables[-1], lang="en")
    replaced = lambda: shutil.copy(tables[1], tables[0])  # noqa: E731
    saved_before(pivot_table, "load_arrays", [replaced])
    table = pivot_table.load_table(tables[0])
    assert table.lookup("man")[0].phrase == "mari"
    assert table.digest == pivot_table.load_table(tables[1]).digest
