"""What every corpus format must do, checked with its sample in tests/corpus_samples.py."""

import gzip
import re

import pytest
from corpus_samples import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from celab import corpus
from celab.corpus import FORMATS, Fields, Segment
from celab.corpus.formats import BEGIN, may_be_structured

every_format = pytest.mark.parametrize("name", FORMATS)
pytestmark = pytest.mark.filterwarnings("ignore::celab.InputWarning")


@pytest.fixture
def sample(name):
    if name not in SAMPLES:
        pytest.fail(f"tests/corpus_samples.py has no sample of {name}")
    return SAMPLES[name]


@pytest.fixture
def read(sample, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def read(content, **options):
        (tmp_path / sample.file).write_bytes(
            content if isinstance(content, bytes) else content.encode()
        )
        return read_file(sample, sample.file, **options)

    return read


def read_file(sample, path, **options):
    options.setdefault("fields", sample.fields)
    return corpus.read([path], [path] if sample.has_one_side else (), **options)


@every_format
def test_the_sample_is_read_with_and_without_its_format(name, sample, read):
    texts = read(sample.content)
    assert texts.refs == [[sample.text, "AT&T"]]
    if sample.has_one_side:
        assert texts.hyps == texts.refs[0]
    else:
        assert texts.hyps == ["伞", "ATT"]
        assert texts.source == ["An umbrella", "AT&T"]
    document = sample.document if sample.has_ids else ""
    assert texts.segments == [Segment(document, name) for name in sample.ids]
    assert texts.by_line != sample.has_ids
    assert read(sample.content, format=name) == texts


CHANGES = {
    "CR LF": lambda text: text.replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "gzip": lambda text: gzip.compress(text.encode()),
    "no last line end": lambda text: text.rstrip("\n"),
    "UTF-16": lambda text: text.replace("encoding='utf-8'", "").encode("utf-16"),
}


@every_format
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_line_ends_encodings_and_compression_change_nothing(name, sample, read, change):
    assert read(change(sample.content)) == read(sample.content)


@every_format
def test_the_caller_may_name_the_encoding(name, sample, read):
    content = sample.content.encode("gb18030")
    assert read(content, encoding="gb18030") == read(sample.content)


# ---- round trip ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


TEXT = "ab&<>;#x1'\"{}[]\\,:|/=! \u3000\t\u00a0\u0085\u2028é伞𠀀👨‍👩"


@every_format
@given(data=st.data())
def test_what_is_written_is_read(name, scratch, data):
    sample = SAMPLES[name]
    letters = "".join(sorted(set(TEXT) - set(sample.cannot_hold)))
    n_segments = data.draw(st.integers(1, 12))
    texts = st.lists(st.text(letters, max_size=12), min_size=n_segments, max_size=n_segments)
    # A reference must have text.
    refs = [
        [f"伞{text}" for text in data.draw(texts)]
        for _ in range(1 if sample.has_one_side else data.draw(st.integers(1, 3)))
    ]
    systems = {
        f"h{i}": data.draw(texts) for i in range(data.draw(st.integers(1, sample.most_systems)))
    }
    sides = [("ref", f"r{i}", ref) for i, ref in enumerate(refs)]
    fields = Fields()
    if not sample.has_one_side:
        source = data.draw(texts)
        sides = [("src", "src", source), *sides, *(("hyp", *side) for side in systems.items())]
        # JSON has the references in a list.
        columns = [f"r{i}" for i in range(len(refs))] if sample.fields.ref else []
        fields = Fields(ref=columns, hyp=list(systems), source="src" if columns else None)
    path = scratch / sample.file
    path.write_bytes(sample.write(sides).encode())
    read = read_file(sample, path, format=name, fields=fields)

    def kept(lines):
        if sample.strips_spaces:
            return [line.strip(" \t\r\n") for line in lines]
        if not sample.collapses_spaces:
            return lines
        return [re.sub(r"[ \t]+", " ", line).strip(" ") for line in lines]

    assert read.refs == list(map(kept, refs))
    if not sample.has_one_side:
        assert list(read.systems.values()) == list(map(kept, systems.values()))
        assert read.source == kept(source)


def test_what_may_be_a_catalog_or_subtitles_is_known_by_its_first_character():
    for sign in filter(str.strip, map(chr, range(0x10000))):
        if may_be_structured(sign):
            assert sign in BEGIN or sign.isdecimal(), sign
