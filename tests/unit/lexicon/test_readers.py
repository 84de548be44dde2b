"""What every lexicon reader must do, checked with its sample in tests/reader_samples.py."""

import bz2
import gzip
import lzma
import re
import tarfile

import pytest
from reader_samples import SAMPLES, provenance

from celab import LexiconError
from celab.lexicon import catalog, store
from celab.lexicon.readers import FORMATS, groups, reader, recognize
from celab.lexicon.source import ReaderSettings, SourceFile

every_format = pytest.mark.parametrize("name", FORMATS)


@pytest.fixture
def sample(name):
    if name not in SAMPLES:
        pytest.fail(f"tests/reader_samples.py has no sample of {name}")
    return SAMPLES[name]


def read(name, source):
    return {group.label: group.words for group in groups(name, source)}


def damage(kind):
    return [
        pytest.param(name, *case, id=f"{name} {number}")
        for name in FORMATS
        if name in SAMPLES
        for number, case in enumerate(getattr(SAMPLES[name], kind))
    ]


# ---- the sample ---------------------------------------------------------------------------------


@every_format
def test_the_sample_has_its_groups_and_provenance(name, sample, write_source):
    source = write_source(sample.content)
    assert list(read(name, source).items()) == list(sample.groups.items())
    assert provenance(name, source) == sample.provenance
    assert source.skipped == []
    assert read(name, write_source(sample.content, strict=True)) == sample.groups


def generality(name):
    return reader(name).generality


@every_format
def test_a_format_is_recognized_by_its_reader_alone(name, sample, write_source):
    for number, content in enumerate((sample.content, *sample.variants)):
        source = write_source(content, f"source {number}")
        head = source.head()
        assert recognize(source, head) == name
        # A more general format may recognize it as well, since it is tried later.
        by = {
            other
            for other in FORMATS
            if reader(other).recognizes(source.path, head) and generality(other) <= generality(name)
        }
        assert by == {name}, f"{by - {name}} recognize the sample of {name}, too"


@every_format
def test_what_only_resembles_a_format_is_not_recognized(name, sample, write_source):
    for number, content in enumerate(sample.others):
        source = write_source(content, f"source {number}")
        assert not reader(name).recognizes(source.path, source.head())


@every_format
@pytest.mark.parametrize("content", ["", "\n \n", "\x00", "# only a comment\n", {}, {"a": "b"}])
def test_nothing_is_not_recognized(name, content, write_source):
    source = write_source(content)
    if not (name == "tsv" and content == "\x00"):
        assert not reader(name).recognizes(source.path, source.head())


CHANGES = {
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2 of two streams": lambda text: (
        bz2.compress(text[:99].encode()) + bz2.compress(text[99:].encode())
    ),
    "xz": lambda text: lzma.compress(text.encode()),
    "no last line end": lambda text: text.rstrip("\n"),
}


@every_format
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_line_ends_marks_and_compression_change_nothing(name, sample, change, write_source):
    content = sample.content
    if isinstance(content, bytes):
        pytest.skip("the format is binary")
    files = content if isinstance(content, dict) else {"file": content}
    changed = {file: change(text) for file, text in files.items()}
    source = write_source(changed if isinstance(content, dict) else changed["file"])
    assert recognize(source, source.head()) == name
    assert read(name, source) == sample.groups
    assert provenance(name, source) == sample.provenance
    assert source.skipped == []


@every_format
def test_progress_goes_to_the_end_of_the_file(name, sample, write_source):
    source = write_source(sample.content)
    seen = []
    source.progress = lambda n_bytes, total=None: seen.append(n_bytes)
    read(name, source)
    assert seen == sorted(seen)
    assert seen[-1] == source.size


@every_format
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_cut_off_file_is_refused(name, sample, compress, write_source):
    if not isinstance(sample.content, str):
        pytest.skip("the format is binary, or a folder")
    source = write_source(compress(sample.content.encode())[:-9])
    with pytest.raises(LexiconError):
        read(name, source)
    with pytest.raises(LexiconError) as caught:
        catalog.load(catalog.locate(source.path))
    assert str(source.path) in str(caught.value)


@every_format
def test_the_groups_survive_being_stored(name, sample, write_source, tmp_path):
    source = write_source(sample.content)
    thesaurus = catalog.load(catalog.locate(source.path))
    (origin,) = thesaurus.sources
    assert (origin.format, origin.origin, origin.licence, origin.version) == (
        name,
        *sample.provenance,
    )
    store.write(thesaurus, tmp_path / "x.lex")
    stored = catalog.load(catalog.locate(tmp_path / "x.lex"))
    assert stored.groups == thesaurus.groups
    assert stored.sources == thesaurus.sources
    assert {group.label: group.words for group in stored.groups} == sample.groups


# ---- damage -------------------------------------------------------------------------------------


@every_format
def test_the_sample_has_damaged_variants(name, sample):
    assert sample.skipped or sample.refused


@pytest.mark.parametrize(("name", "content", "why"), damage("skipped"))
def test_what_cannot_be_read_is_skipped_and_named(name, sample, content, why, write_source):
    source = write_source(content)
    assert read(name, source).items() >= sample.groups.items()
    (message,) = source.skipped
    assert re.search(why, message)
    assert source.n_skipped == 1
    with pytest.raises(LexiconError, match=why):
        read(name, write_source(content, strict=True))


@pytest.mark.parametrize(("name", "content", "why"), damage("refused"))
@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.usefixtures("sample")
def test_a_source_that_cannot_be_read_is_refused(name, content, why, strict, write_source):
    with pytest.raises(LexiconError, match=why) as caught:
        read(name, write_source(content, strict=strict))
    assert "\n" not in str(caught.value)


# ---- any content --------------------------------------------------------------------------------


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


def read_published(name, path, **settings):
    """All groups by label; strict, because published files are in order."""
    source = SourceFile(path, path.name, ReaderSettings(strict=True, **settings))
    head = source.head()
    assert reader(name).recognizes(path, head)
    found = list(groups(name, source))
    by_label = {group.label: group.words for group in found}
    assert len(by_label) == len(found)
    assert all(len(set(words)) == len(words) > 1 for words in by_label.values())
    return by_label, reader(name).provenance(source, head)


def rows(path, separator):
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split(separator)


# The others are of the same kinds, and larger.
SMALL = ("wn-data-qcn.tab", "wn-wikt-kor.tab")


@pytest.mark.parametrize(
    "name",
    [name if name in SMALL else pytest.param(name, marks=pytest.mark.thorough) for name in OMW],
)
def test_omw(name, lexicons):
    synsets = {}
    n_senses = 0
    for synset, _, word in rows(lexicons / name, "\t"):
        synsets.setdefault(synset, []).append(word)
        n_senses += 1
    several = {synset: words for synset, words in synsets.items() if len(set(words)) > 1}
    n_words = len({word for words in synsets.values() for word in words})
    assert (n_senses, len(synsets), len(several), n_words) == OMW[name]

    groups, (origin, licence, _) = read_published("omw", lexicons / name)
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
    assert read_published("omw", lexicons / "wn-wikt-kor.tab", language="zh")[0] == {}
    assert len(read_published("omw", lexicons / "wn-data-qcn.tab", language="zh")[0]) == 1_619


@pytest.mark.thorough
def test_wordnet(lexicons, tmp_path):
    with tarfile.open(lexicons / "wordnet-3.0-dict.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    groups, (origin, licence, version) = read_published("wordnet", tmp_path / "wordnet")
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


@pytest.mark.thorough
def test_openthesaurus(lexicons):
    path = lexicons / "openthesaurus-de.txt"
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    synsets = {i: line.split(";") for i, line in enumerate(lines, 1) if line[0] != "#"}
    assert (len(synsets), sum(map(len, synsets.values()))) == (34_379, 137_438)
    groups, provenance = read_published("openthesaurus", path)
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


@pytest.mark.thorough
def test_sudachi(lexicons):
    path = lexicons / "sudachi-synonyms.txt"
    cells = list(rows(path, ","))
    groups = {}
    for row in cells:
        groups.setdefault(row[0], []).append(row)
    n_words = len({row[8] for row in cells})
    assert (len(cells), len(groups), n_words) == (67_311, 24_862, 64_304)
    kept = {f"group {g}": {r[8] for r in rs if r[2] != "2"} for g, rs in groups.items()}
    found, provenance = read_published("sudachi", path)
    assert {label: set(words) for label, words in found.items()} == {
        label: words for label, words in kept.items() if len(words) > 1
    }
    assert len(found) == 24_745
    assert provenance[1] == "Apache-2.0"
