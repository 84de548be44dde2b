"""Readers on the published files, against the counts in ../shared/lexicons/README.md."""

import re
import tarfile

import pytest

from celab.lexicon.model import Settings
from celab.lexicon.readers import groups, reader
from celab.lexicon.source import SourceFile

# senses, synsets, synsets of two or more words, words
OMW = {
    "wn-data-cmn.tab": (79_797, 42_300, 19_969, 61_525),
    "wn-data-qcn.tab": (8_069, 4_913, 1_619, 3_206),
    "wn-wikt-cmn.tab": (19_079, 12_130, 4_559, 16_171),
    "wn-wikt-deu.tab": (29_616, 19_675, 6_340, 24_554),
    "wn-wikt-jpn.tab": (19_479, 12_685, 4_610, 16_792),
    "wn-wikt-kor.tab": (9_268, 6_287, 2_186, 8_469),
}


@pytest.fixture(scope="module")
def lexicons(shared):
    folder = shared / "lexicons"
    if not folder.is_dir():
        pytest.skip("../shared/lexicons is not here: the published thesauri cannot be read")
    return folder


def read(name, path, **settings):
    """All groups by label; strict, because published files are in order."""
    source = SourceFile(path, path.name, Settings(strict=True, **settings))
    head = source.head()
    assert reader(name).recognises(path, head)
    found = list(groups(name, source))
    by_label = {group.label: group.words for group in found}
    assert len(by_label) == len(found)
    assert all(len(set(words)) == len(words) > 1 for words in by_label.values())
    return by_label, reader(name).provenance(source, head)


def rows(path, separator):
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split(separator)


@pytest.mark.parametrize("name", OMW)
def test_omw(name, lexicons):
    synsets = {}
    n_senses = 0
    for synset, _, word in rows(lexicons / name, "\t"):
        synsets.setdefault(synset, []).append(word)
        n_senses += 1
    several = {synset: words for synset, words in synsets.items() if len(set(words)) > 1}
    n_words = len({word for words in synsets.values() for word in words})
    assert (n_senses, len(synsets), len(several), n_words) == OMW[name]

    groups, (origin, licence, _) = read("omw", lexicons / name)
    # Joints make two forms of one; spaces about a word make one form of two.
    forms = {
        synset: {
            re.sub(r" ?\+", "", form).strip()
            for word in words
            for form in (word, re.sub(r" ?\+[的地]$", "", word))
        }
        for synset, words in synsets.items()
    }
    expected = {synset: words for synset, words in forms.items() if len(words) > 1}
    assert {label: set(words) for label, words in groups.items()} == expected
    assert len(groups) == {"wn-data-cmn.tab": 23_317, "wn-wikt-cmn.tab": 4_558}.get(
        name, len(several)
    )
    assert origin
    assert licence == ("CC BY-SA" if "wikt" in name else "wordnet")


def test_omw_of_another_language_is_empty(lexicons):
    assert read("omw", lexicons / "wn-wikt-kor.tab", language="zh")[0] == {}
    assert len(read("omw", lexicons / "wn-data-qcn.tab", language="zh")[0]) == 1_619


def test_wordnet(lexicons, tmp_path):
    with tarfile.open(lexicons / "wordnet-3.0-dict.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    groups, (origin, licence, version) = read("wordnet", tmp_path / "wordnet")
    assert (origin, version) == ("Princeton WordNet", "3.0")
    assert licence.startswith("WordNet 3.0 licence")
    n_groups = {"noun": 40_061, "verb": 5_726, "adj": 6_803, "adv": 1_221}
    n_indexed = {"noun": 117_798, "verb": 11_529, "adj": 21_479, "adv": 4_481}
    for part in n_groups:
        mine = {label: words for label, words in groups.items() if label.startswith(part + " ")}
        assert len(mine) == n_groups[part]
        # The index is another file: each of its lines names a word and its synsets.
        indexed = {}
        for line in (tmp_path / "wordnet" / f"index.{part}").read_text("ascii").split("\n"):
            if line and not line.startswith("  "):
                word, *fields = line.split()
                indexed[word.replace("_", " ")] = set(fields)
        assert len(indexed) == n_indexed[part]
        for label, words in mine.items():
            assert all(label.split()[1] in indexed[word.lower()] for word in words)


def test_openthesaurus(lexicons):
    path = lexicons / "openthesaurus-de.txt"
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    synsets = {i: line.split(";") for i, line in enumerate(lines, 1) if line[0] != "#"}
    assert (len(synsets), sum(map(len, synsets.values()))) == (34_379, 137_438)
    groups, provenance = read("openthesaurus", path)
    assert provenance == (
        "OpenThesaurus, http://www.openthesaurus.de",
        "LGPL 2.1 or later",
        "2016-04-24",
    )
    # One synset starts with the sign of a comment; 103 others have terms with gaps (Deputat...).
    assert groups["line 18149"] == ("#", "Rautenzeichen", "Gartenzaun", "Lattenzaun")
    assert len(groups) == 34_379 + 1 - 103
    words = {word for group in groups.values() for word in group}
    assert not any(re.search(r"[()\[\];…]|\.\.\.|\s\s", word) for word in words)
    for number, terms in synsets.items():
        if group := groups.get(f"line {number}"):  # what has no notes or gaps stays as it is
            assert {t for t in terms if re.fullmatch(r"\w+(?:[ -]\w+)*", t)} <= set(group)


def test_sudachi(lexicons):
    path = lexicons / "sudachi-synonyms.txt"
    cells = list(rows(path, ","))
    groups = {}
    for row in cells:
        groups.setdefault(row[0], []).append(row)
    n_words = len({row[8] for row in cells})
    assert (len(cells), len(groups), n_words) == (67_311, 24_862, 64_304)
    kept = {f"group {g}": {r[8] for r in rs if r[2] != "2"} for g, rs in groups.items()}
    found, provenance = read("sudachi", path)
    assert {label: set(words) for label, words in found.items()} == {
        label: words for label, words in kept.items() if len(words) > 1
    }
    assert len(found) == 24_745
    assert provenance[1] == "Apache-2.0"
