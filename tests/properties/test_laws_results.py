"""Laws of boards and findings: what they do not depend on, and when they say nothing."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scores_json import file_of

import celab
from celab.corpus import Corpus, Segment
from celab.findings.finding import Subject
from celab.findings.markup import find

SCORES = st.lists(st.integers(0, 64).map(lambda n: n / 64), min_size=6, max_size=6)
VERSIONS = ("v1", "v2", "v10")
SIGNATURE = "celab|refs:1|n:4|f:0.25|v:0.5.0"


def stored(test_set, version, scores):
    """Return the JSON of `celab score --json --segments` for one system."""
    values = {"score": sum(scores) / len(scores), "signature": SIGNATURE}
    values["segments"] = [{"score": score} for score in scores]
    return {
        "celab_version": "0.5.0",
        "test_set": "0123456789ab",
        "labels": {"set": test_set, "version": version},
        "systems": [{"name": "model", "metrics": {"celab": values}}],
    }


def write(folder, results):
    paths = []
    for number, result in enumerate(results):
        path = folder / f"{number}.json"
        path.write_text(json.dumps(file_of(result)), "utf-8")
        paths.append(path)
    return paths


@st.composite
def boards(draw):
    sets = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=3, unique=True))
    versions = draw(st.lists(st.sampled_from(VERSIONS), min_size=1, max_size=3, unique=True))
    return [stored(name, version, draw(SCORES)) for name in sets for version in versions]


@settings(max_examples=30, deadline=None)
@given(results=boards(), shuffled=st.randoms(use_true_random=False))
def test_a_board_does_not_depend_on_the_order_of_files(tmp_path_factory, results, shuffled):
    paths = write(tmp_path_factory.getbasetemp(), results)
    cells = {(cell.set, cell.version): cell for cell in celab.board(sorted(paths, key=str)).cells}
    shuffled.shuffle(paths)
    board = celab.board(paths)
    assert {(cell.set, cell.version): cell for cell in board.cells} == cells
    assert len(cells) == len(results)


@settings(max_examples=30, deadline=None)
@given(results=boards())
def test_identical_reruns_have_no_mark(tmp_path_factory, results):
    first = {}
    for result in results:  # every version has the scores of the first of its set
        first.setdefault(result["labels"]["set"], result["systems"])
        result["systems"] = first[result["labels"]["set"]]
    cells = celab.board(write(tmp_path_factory.getbasetemp(), results)).cells
    assert all(cell.mark is None and cell.change in (None, 0) for cell in cells)


PIECES = ("%s", "{name}", "{0}", "<b>", "</b>", "\\n", "买伞", "去 ", "100%")
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
SEGMENTS = st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6)


def corpus_of(rows, order=None):
    order = order or range(len(rows))
    source, *outputs = ([rows[place][side] for place in order] for side in range(3))
    segments = [Segment("", str(place + 1)) for place in order]
    return Corpus(
        segments=segments,
        systems=dict(zip("AB", outputs, strict=True)),
        refs=[],
        ref_names=[],
        source=source,
    )


@given(rows=SEGMENTS, shuffled=st.randoms(use_true_random=False))
def test_findings_do_not_depend_on_the_order_of_segments(rows, shuffled):
    order = [*range(len(rows))]
    shuffled.shuffle(order)
    assert named(corpus_of(rows, order)) == named(corpus_of(rows))


def named(corpus):
    found = find(Subject(corpus=corpus, filters=True))
    return {row._replace(segment=corpus.names[row.segment]) for row in found}


@given(rows=SEGMENTS)
def test_what_one_has_lost_the_other_has_added(rows):
    assume(not any("%%" in text for row in rows for text in row))  # which may become % in outputs
    there = find(Subject(corpus=corpus_of([(a, b, b) for a, b, _ in rows])))
    back = find(Subject(corpus=corpus_of([(b, a, a) for a, b, _ in rows])))
    placeholders = [
        {
            (x.system, x.segment): (sorted(x.value.lost), sorted(x.value.added))
            for x in found
            if is_placeholder(x)
        }
        for found in (there, back)
    ]
    assert {key: pair[::-1] for key, pair in placeholders[1].items()} == placeholders[0]


def is_placeholder(finding):
    return finding.kind == "placeholder"


@pytest.mark.parametrize("filters", [True, False])
@given(texts=st.lists(TEXTS, min_size=1, max_size=6))
def test_a_copy_of_the_source_has_lost_nothing(filters, texts):
    assert [
        *find(Subject(corpus=corpus_of([(text, text, text) for text in texts]), filters=filters))
    ] == []
