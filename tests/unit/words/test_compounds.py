"""Compound parts: the list written by hand, the laws of a split, counts from files."""

import csv
import gzip
import hashlib
import importlib.metadata
import itertools
import pickle
import re
import sys
import unicodedata
from collections import Counter
from math import log, nextafter
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from celab.base.errors import InputError, OptionError
from celab.words import analyzers, compounds, model
from celab.words.analyzers import CachedAnalyzer, analyzer
from celab.words.compounds import (
    LINKS,
    Compounds,
    Splitter,
    counts_from,
    split_compound,
    stem_of,
)

GOLDEN = ROOT / "tests" / "golden" / "compounds.tsv"


def golden():
    lines = [line for line in GOLDEN.read_text("utf-8").splitlines() if not line.startswith("# ")]
    for row in csv.DictReader(lines, delimiter="\t"):
        yield row["word"], [tuple(split.split(" ")) for split in row["split"].split("/")]


def joins(word, parts):
    """Whether the parts, with linking elements or without a final e between them, give the word."""
    pattern = "".join(
        f"{re.escape(part)}{'?' if part[-1] in 'eE' else ''}(?:{'|'.join(LINKS)})?"
        for part in parts[:-1]
    )
    return re.fullmatch(pattern + re.escape(parts[-1]), word, re.IGNORECASE) is not None


@pytest.mark.parametrize(("compound", "at_least"), [(True, 130), (False, 70)])
def test_nine_in_ten_are_right(compound, at_least):
    rows = [(word, right) for word, right in golden() if (len(right[0]) > 1) == compound]
    wrong = {
        word: split_compound(word) for word, right in rows if split_compound(word) not in right
    }
    accuracy = 1 - len(wrong) / len(rows)
    kind = "compounds split right" if compound else "words left whole"
    print(f"{kind}: {accuracy:.1%} of {len(rows)}; wrong: {wrong}")
    assert len(rows) >= at_least
    assert accuracy >= 0.90


def test_the_golden_splits_give_their_words():
    for word, right in golden():
        assert all(joins(word, parts) for parts in right), word


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Regenschirm", ("Regen", "schirm")),
        ("Verkehrsunfall", ("Verkehr", "unfall")),
        ("Schulhaus", ("Schule", "haus")),
        ("Straßenbahn", ("Straße", "bahn")),
        ("Bundesverfassungsgericht", ("Bund", "verfassung", "gericht")),
        ("Freitagabend", ("Freitag", "abend")),
        ("Freitag", ("Freitag",)),
        ("folgenden", ("folgenden",)),
        ("Folgenden", ("Folgenden",)),
        ("Voraussetzung", ("Voraussetzung",)),
        ("regenschirm", ("regenschirm",)),
        ("Regen-Schirm", ("Regen-Schirm",)),
        ("", ("",)),
    ],
)
def test_examples(word, parts):
    assert split_compound(word, lang="de") == parts


WORDS_BY_COUNT = {
    20: "schirm unfall bär höhle",
    30: "verkehr straße bahn",
    50: "regen woche",
    80: "haus fall",
    90: "schule ende",
    99: "sun",
    500: "tag frei",
    900: "keit",
    1000: "regenbahn",
}
SMALL = {word: count for count, words in WORDS_BY_COUNT.items() for word in words.split()}


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("Regenschirm", ("Regen", "schirm")),
        ("Regenbahn", ("Regenbahn",)),  # more frequent than its parts
        ("Verkehrsunfall", ("Verkehr", "unfall")),
        ("Regenschirmunfallhaus", ("Regen", "schirm", "unfall", "haus")),
        ("Schulhaus", ("Schule", "haus")),
        ("Hausschul", ("Hausschul",)),  # the last part keeps its e
        ("Straßenbahn", ("Straße", "bahn")),
        ("Strassenbahn", ("Strasse", "bahn")),
        ("Bärenhöhle", ("Bär", "höhle")),
        (unicodedata.normalize("NFD", "Bärenhöhle"), ("Ba\u0308r", "ho\u0308hle")),
        ("Wochenende", ("Woche", "ende")),
        ("Unfallende", ("Unfallende",)),  # like Studier-ende: no linking element
        ("Hauskeit", ("Hauskeit",)),
        ("Freitag", ("Freitag",)),
        ("Sunfall", ("Sunfall",)),  # too short a part
        ("Tagfall", ("Tag", "fall")),
        ("regenschirm", ("regenschirm",)),  # only what is written like a noun is split
        ("SCHULHAUS", ("SCHULHAUS",)),
        ("RegenSchirm", ("RegenSchirm",)),
    ],
)
def test_counts_of_the_users_decide(word, parts):
    assert Splitter(SMALL).split(word) == parts


def test_rare_and_unknown_parts():
    assert Splitter(SMALL | {"x": 1e9}).split("Regenschirm") == ("Regenschirm",)
    assert Splitter({}).split("Regenschirm") == ("Regenschirm",)


TOTAL = 1e7
LEAST_OF_FOUR = 100 * compounds._MIN_FREQUENCY * TOTAL  # for a stem of three letters


@pytest.mark.parametrize(
    ("stem", "count", "is_part"),
    [("Erd", LEAST_OF_FOUR, True), ("Erd", nextafter(LEAST_OF_FOUR, 0), False), ("Woch", 10, True)],
)
def test_a_short_stem_is_of_a_frequent_word(stem, count, is_part):
    counts = {f"{stem}e".lower(): count, "schirm": 50.0}
    counts["x"] = TOTAL - sum(counts.values())
    assert sum(counts.values()) == TOTAL
    parts = (f"{stem}e", "schirm") if is_part else (f"{stem}schirm",)
    assert Splitter(counts).split(f"{stem}schirm") == parts


@pytest.mark.parametrize("count", [float("nan"), float("inf"), -1, 0])
def test_counts_must_be_positive_numbers(count):
    with pytest.raises(InputError):
        Splitter({"regen": count})


def test_another_language_or_a_missing_package_is_refused(monkeypatch):
    with pytest.raises(OptionError):
        split_compound("Regenschirm", lang="en")
    monkeypatch.setitem(sys.modules, "wordfreq", None)
    compounds.splitter_for.cache_clear()
    with pytest.raises(OptionError):
        split_compound("Regenschirm")


# Laws, on an alphabet in which parts, links and folded letters meet often.
VOCABULARY = ["abba", "baba", "nase", "esse", "sabe", "ennse", "bannes", "aßen", "bäbä"]
PIECES = st.sampled_from([*VOCABULARY, *LINKS, "ß", "ss", "ba\u0308ba\u0308", "b", "İ", "ﬁ"])
WORDS = st.one_of(st.text(max_size=30), st.lists(PIECES, max_size=7).map("".join))
COUNTS = st.dictionaries(
    st.sampled_from(VOCABULARY + ["".join(p) for p in itertools.permutations(VOCABULARY, 2)]),
    st.integers(1, 1000),
)


@given(WORDS, COUNTS)
def test_parts_give_the_word_and_splits_are_deterministic(word, counts):
    word = word.capitalize()
    parts = Splitter(counts).split(word)
    assert Splitter(dict(reversed(counts.items()))).split(word) == parts
    assert parts == (word,) or (len(parts) > 1 and joins(word, parts))


@given(st.dictionaries(st.lists(PIECES | PIECES.map(str.upper)).map("".join), st.integers(1, 9)))
def test_counts_of_words_that_fold_alike_are_added(counts):
    expected = Counter()
    for word, count in counts.items():
        expected[compounds.fold(word)] += count
    assert Splitter(counts)._counts == expected


@given(st.lists(PIECES, max_size=6).map("".join))
def test_random_words_do_not_crash_the_real_counts(word):
    assert joins(word.title(), split_compound(word.title()))


def all_splits(text, counts):
    """Every split into counted parts with links between them, by trying all: (parts, mean)."""
    if text in counts:
        yield (text,)
    for i in range(1, len(text)):
        for link in ("", *LINKS):
            rest = text[i + len(link) :]
            if text[:i] in counts and text[i:].startswith(link) and rest:
                yield from ((text[:i], *more) for more in all_splits(rest, counts))


@given(st.lists(st.sampled_from(["abba", "baba", *LINKS]), max_size=5).map("".join), COUNTS)
def test_the_mean_is_the_greatest(word, counts):
    # Without words in -e, whose stems would be parts too.
    counts = {key: count for key, count in counts.items() if key[-1] != "e" and key.isascii()}

    def mean(parts):
        return sum(log(counts[part]) for part in parts) / len(parts)

    found = tuple(map(str.lower, Splitter(counts).split(word.capitalize())))
    best = max((mean(parts) for parts in all_splits(word, counts)), default=None)
    if best is None:
        assert found == (word,)
    else:
        assert mean(found) == pytest.approx(best)


@pytest.mark.parametrize("word", ["Regenschirm" * 200, "Straßenfluss" * 200, "Enenen" * 400])
def test_a_very_long_word_ends(word):
    parts = split_compound(word.capitalize())
    assert joins_linearly(word, parts)


def joins_linearly(word, parts):
    # `joins` without its backtracking: parts occur in order, and nothing long lies between them.
    place = 0
    for part in parts:
        stem = part.lower()
        found = word.lower().find(stem[:-1] if stem.endswith("e") else stem, place)
        if not place <= found <= place + 3:
            return False
        place = found + len(stem) - stem.endswith("e")
    return len(word) - place <= 1


def test_counts_of_a_corpus(tmp_path):
    path = tmp_path / "corpus.de"
    path.write_bytes("Der Regen, der Schirm.\nRegen 12 Ba\u0308r_x\n".encode())
    expected = {"der": 2, "regen": 2, "schirm": 1, "bär": 1, "x": 1}
    assert counts_from(path) == expected
    packed = tmp_path / "corpus.de.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert counts_from(str(packed)) == expected


@pytest.mark.parametrize("name", ["counts.tsv", "counts.txt", "counts.tsv.gz"])
def test_counts_of_a_table(tmp_path, name):
    data = b"Regen\t3\nregen\t2\n\n# note\nSchirm\t1.5\n"
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert counts_from(path) == {"regen": 5, "schirm": 1.5}
    assert Splitter(counts_from(path)).split("Regenschirm") == ("Regen", "schirm")


TABLE = b"regen\t50\nschirm\t20\nbahn\t30\nstrasse\t40\nregenbahn\t1000\n"


@pytest.fixture
def counts(tmp_path):
    path = tmp_path / "my counts.tsv"
    path.write_bytes(TABLE)
    return path


def test_the_frequencies_of_wordfreq_are_named_with_their_version():
    compounds = Compounds()
    assert compounds.name == f"compounds@wordfreq-{importlib.metadata.version('wordfreq')}"
    assert compounds("Regenschirm") == split_compound("Regenschirm") == ("Regen", "schirm")


def test_counts_decide_and_are_named_with_the_digest_of_their_file(counts, tmp_path):
    packed = tmp_path / "my counts.tsv.gz"
    packed.write_bytes(gzip.compress(TABLE))
    for path in (counts, str(counts), packed):
        compounds = Compounds(path)
        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        assert compounds.name == f"compounds@my_counts@{digest[:12]}"
        assert compounds("Regenschirm") == ("Regen", "schirm")
        assert compounds("Regenbahn") == ("Regenbahn",)  # more frequent than its parts
        assert compounds("Straßenbahn") == ("Straße", "bahn")
        assert compounds("Verkehrsunfall") == ("Verkehrsunfall",)  # parts that were not counted


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        ("a/b.tsv", "b"),
        ("b.tsv.gz", "b"),
        ("news.2019.de", "news.2019"),
        ("b", "b"),
        ("B.TSV.XZ", "B"),
        ("a b|c:d@e+f,g.txt", "a_b_c_d_e_f_g"),
        ("\udcff.de", "?"),
    ],
)
def test_a_stem_fits_a_signature(path, stem):
    assert stem_of(path) == stem


def test_a_missing_package_is_told_at_once_unless_counts_are_given(counts, monkeypatch):
    def version(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(model.importlib.metadata, "version", version)
    with pytest.raises(OptionError):
        Compounds()
    assert Compounds(counts)("Regenschirm") == ("Regen", "schirm")


# To another process


def test_what_is_sent_is_short_and_splits_the_same(counts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for splitter in (Compounds(), Compounds(counts.name)):
        splitter("Regenschirm")  # so that there is something not to send
        sent = pickle.dumps(splitter)
        assert len(sent) < 1000
        monkeypatch.chdir("/")  # a path is found from anywhere
        received = pickle.loads(sent)
        assert received.name == splitter.name
        for word in ("Regenschirm", "Regenbahn", "Straßenbahn", "Verkehrsunfall"):
            assert received(word) == splitter(word)
        monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("content", [TABLE + b"haus\t3\n", None])
def test_a_file_that_has_changed_is_refused_there_and_not_here(counts, content):
    compounds = Compounds(counts)
    sent = pickle.dumps(compounds)
    if content is None:
        counts.unlink()
    else:
        counts.write_bytes(content)
    why = ": no such file" if content is None else " has changed while it was in use .sha256"
    with pytest.raises(InputError, match=f"{re.escape(str(counts))}{why}"):
        pickle.loads(sent)("Regenschirm")
    assert compounds("Regenschirm") == ("Regen", "schirm")


def test_workers_split_as_this_process_does(counts, monkeypatch):
    pytest.importorskip("HanTa")
    pytest.importorskip("simplemma")
    monkeypatch.setattr(analyzers, "MIN_SENTENCES_FOR_WORKERS", 100)
    sentences = [f"Die Regenbahn und {i} Regenschirme mit Regenschirm." for i in range(150)]
    german = analyzer("de", splitter=Compounds(counts))
    assert f",{Compounds(counts).name}" in german.name
    by_workers = CachedAnalyzer(german)
    assert by_workers._worth_workers(150)
    found = by_workers.analyze(sentences, jobs=2)
    assert found == german.analyze(sentences)
    forms = [word.form for word in found[0]]
    assert "Regenbahn" in forms and forms[-3:] == ["Regen", "Schirm", "."]
    counts.write_bytes(TABLE + b"haus\t3\n")
    monkeypatch.setattr(analyzers, "MIN_SENTENCES_FOR_WORKERS", 10)
    with pytest.raises(InputError, match="has changed while it was in use"):  # in the only worker
        by_workers.analyze([f"{i} Regenschirme" for i in range(20)], jobs=2)
