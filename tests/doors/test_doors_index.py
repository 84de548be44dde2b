"""Python counts from 0: `outputs[index]` is the text of a row, in every data frame and list."""

import inspect
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.metrics.scores import Score
from celab.tables.result import Result

pandas = pytest.importorskip("pandas", reason="pandas is not installed")

SOURCE = ["He bought an umbrella", "Go to %s", "It rains", "The umbrella is red", "Where is it?"]
REFS = ["他买了雨伞", "去%s", "下雨了", "雨伞是红的", "在哪里？"]
SYSTEMS = {
    "A": ["他买了阳伞", "去", "I cannot translate this.", "雨伞是红的", "在哪儿？"],
    "B": ["他买雨伞", "去%s", "", "伞红", "In the station, where else?"],
}
LABELS = ["e", "c", "x", "a", "b"]
KEPT = [4, 1, 2, 0]  # other numbers than names, and in another order
SPANS = "system\tsegment\tstart\tend\tseverity\nA\t0\t3\t5\tmajor\nB\t3\t0\t1\tminor\n"


def of_frame():
    frame = pandas.DataFrame({"source": SOURCE, "ref": REFS, **SYSTEMS}, index=LABELS)
    return celab.Campaign.from_dataframe(frame, [*SYSTEMS], "ref", source="source")


def of_columns():
    columns = {name: pandas.Series(texts, index=LABELS) for name, texts in SYSTEMS.items()}
    return celab.Campaign.from_lists(columns, pandas.Series(REFS, index=LABELS), source=SOURCE)


def of_lists():
    return celab.Campaign.from_lists(SYSTEMS, REFS, source=SOURCE)


def kept(campaign):
    return celab.Campaign(campaign.corpus.keep(KEPT))


ORIGINS = {
    "lists": of_lists,
    "frame": of_frame,
    "columns": of_columns,
    "kept lists": lambda: kept(of_lists()),
    "kept frame": lambda: kept(of_frame()),
}


@pytest.fixture(params=ORIGINS)
def campaign(request):
    scored = ORIGINS[request.param]().score(["celab", "chrf"])
    return scored.add_terms({"umbrella": "雨伞"})


def labels_of(campaign):
    """Return what `index` calls the segments, in their order."""
    corpus = campaign.corpus
    return [*range(len(corpus.segments))] if corpus.index is None else [*corpus.index]


def has_the_score(campaign, row, place):
    if row.get("metric") == "terms":
        return
    hyp, ref = campaign.corpus.systems[row["system"]][place], campaign.corpus.refs[0][place]
    expected = celab.score([hyp], [ref], row.get("metric", "chrf")).score
    assert row["score"] == pytest.approx(expected)


def has_both_scores(campaign, row, place):
    if row["metric"] == "terms":
        return
    for name, texts in zip("ab", campaign.corpus.systems.values(), strict=True):
        score = celab.score([texts[place]], [campaign.corpus.refs[0][place]], row["metric"]).score
        assert row[name] == pytest.approx(score)


def has_the_text(campaign, row, place):
    assert row["text"] == campaign.corpus.systems[row["system"]][place]


def has_the_occurrence(campaign, row, place):
    assert row["found"] in campaign.corpus.source[place]


def has_the_edits(campaign, row, place):
    texts = campaign.corpus.systems[row["system"]][place], campaign.corpus.refs[0][place]
    n_edits = sum(row[kind] for kind in campaign.error_profile().kinds)
    assert bool(n_edits) == (texts[0] != texts[1])


FRAMES = {
    "Campaign": (lambda x: x.to_dataframe(), has_the_score),
    "Score": (lambda x: x.scores["chrf"]["A"].to_dataframe("A"), has_the_score),
    "PairComparison": (
        lambda x: x.compare("A", "B").to_dataframe(level="segment"),
        has_both_scores,
    ),
    "Outputs": (lambda x: x.outputs.to_dataframe(), has_the_text),
    "Findings": (lambda x: x.findings().to_dataframe(), has_the_text),
    "ErrorProfile": (lambda x: x.error_profile().to_dataframe(level="segment"), has_the_edits),
    "TermResult": (
        lambda x: celab.terms({"umbrella": "雨伞"}, x).to_dataframe(level="miss"),
        has_the_occurrence,
    ),
}
OF_THEIR_OWN = {"SpanReport", "SystemScores", "Alignment"}  # tests
WITHOUT_SEGMENTS = {"Board", "Evaluation", "Comparison", "Gate"}


def frame_rows(frame):
    """Return the rows of a data frame, in which `index` stands before `segment`."""
    columns = list(frame.columns)
    assert columns.index("index") + 1 == columns.index("segment") and len(frame)
    return frame.to_dict("records")


@pytest.mark.parametrize("name", FRAMES)
def test_outputs_of_the_index_are_the_text_of_the_row(campaign, name):
    make, check = FRAMES[name]
    labels, names = labels_of(campaign), campaign.corpus.names
    for row in frame_rows(make(campaign)):
        place = labels.index(row["index"])
        check(campaign, row, place)
        if name != "Score":  # which numbers the segments
            assert row["segment"] == names[place]


def test_the_text_of_a_span_is_in_the_output_of_its_index(tmp_path):
    path = tmp_path / "spans.tsv"
    path.write_text(SPANS, "utf-8")
    for make in (of_lists, of_frame):
        marked = make().score("celab").with_spans(path)
        labels = labels_of(marked)
        for row in frame_rows(marked.spans.to_dataframe()):
            output = SYSTEMS[row["system"]][labels.index(row["index"])]
            assert row["text"] == output[int(row["start"]) : int(row["end"])] != ""


def test_the_lines_of_an_alignment_are_those_of_the_index():
    aligned = celab.align("他买了伞。在哪儿？", ["他买了雨伞。", "下雨了。", "在哪里？"])
    rows = frame_rows(aligned.to_dataframe())
    assert [aligned.lines[row["index"]] for row in rows] == [row["text"] for row in rows]
    assert aligned.blank and not any(aligned.lines[place] for place in aligned.blank)


def has_segments(kind):
    """Return whether a data frame of a result may have segments."""
    if kind.tables is Result.tables:
        return kind.to_dataframe is not Result.to_dataframe
    source = inspect.getsource(sys.modules[kind.__module__])
    return "segment_columns(" in source or "INDEX" in source


def test_every_frame_with_segments_is_tried():
    def subclasses(kind):
        return {kind, *(x for child in kind.__subclasses__() for x in subclasses(child))}

    kinds = subclasses(Result) - subclasses(Score) | {Score}
    ours = (kind for kind in kinds if kind.__module__.startswith("celab."))
    frames = {kind.__name__ for kind in ours if has_segments(kind)}
    frames.add("Outputs")  # whose table is that of its findings
    frames |= {"Campaign", "SystemScores"}  # whose tables are those of all scores
    # Parts of a `Score` and of a comparison, which have their frames.
    frames -= {"Segments", "SegmentScore", "MetricComparison"}
    assert frames <= {*FRAMES} | OF_THEIR_OWN | WITHOUT_SEGMENTS
    assert {*FRAMES} | OF_THEIR_OWN <= frames


TEXTS = st.sampled_from(["", "去北京", "I cannot translate this.", "去去去去去去去去去去去去"])


@given(st.lists(TEXTS, min_size=1, max_size=8))
def test_kinds_index_the_outputs(outputs):
    checked = celab.check({"m": outputs}, ["去北京吧"] * len(outputs))
    kinds = checked.kinds("m")
    for kind, places in kinds.items():
        for place in places:
            assert celab.check([outputs[place]], ["去北京吧"]).kinds("system") == {kind: [0]}
    flagged = {place for places in kinds.values() for place in places}
    assert flagged == {place for place, kind in enumerate(checked.by_segment("m")) if kind}
    assert [row["index"] for row in checked.to_dataframe().to_dict("records")] == sorted(flagged)


def test_differences_and_comparisons_have_places():
    compared = of_lists().score("chrf").compare("A", "B")
    missed = celab.terms({"umbrella": "雨伞"}, of_lists())
    assert missed.misses and missed.places
    for miss in missed.misses:
        assert miss.found in SOURCE[miss.place] and "雨伞" not in SYSTEMS[miss.system][miss.place]
    assert all(place.found in SOURCE[place.place] for place in missed.places)
    for row in (*compared["chrf"].a_better, *compared["chrf"].b_better):
        assert row.texts == (SYSTEMS["A"][row.place], SYSTEMS["B"][row.place])
    kinds = compared.outputs.kinds
    assert kinds == {"A": {"refusal": [2]}, "B": {"empty": [2], "other-language": [4]}}
    rows = compared.to_dict()["output"]  # files count from 1
    names = {(row["kind"], row["segment"]) for row in rows if row["system"] == "B"}
    assert names == {("empty", 3), ("other-language", 5)}


def column(texts, *labels):
    return pandas.Series(texts, index=list(labels))


def as_frame(texts):
    return texts if isinstance(texts, list) else pandas.DataFrame(texts)


LEFT, RIGHT = column(["买伞", "去"], 0, 7), column(["买雨伞", "去北京"], 0, 2)
PAIRS = {
    "score": lambda a, b: celab.score(a, b),
    "score of several references": lambda a, b: celab.score(["买", "去"], [a, b]),
    "check": lambda a, b: celab.check({"m": a}, b),
    "check of systems": lambda a, b: celab.check({"m": a, "n": b}, ["买", "去"]),
    "check with a source": lambda a, b: celab.check(["买", "去"], a, b),
    "compare": lambda a, b: celab.compare(a, b, ["买", "去"]),
    "compare with documents": lambda a, b: celab.compare(["x", "y"], a, a, documents=b),
    "corpus_score": lambda a, b: celab.Chrf().corpus_score(a, [b]),
    "corpus_scores": lambda a, b: celab.Chrf().corpus_scores([["买", "去"], a], [b]),
    "scorer": lambda a, b: celab.Chrf().scorer([["买", "去"]])(a, [b]),
    "from_lists": lambda a, b: celab.Campaign.from_lists({"m": a}, [b]),
    "unwrap": lambda a, b: celab.unwrap(a, b),
    "align": lambda a, b: celab.align({"买雨伞": "买", "去北京": "去"}, a, documents=b),
    "one column": lambda a, b: celab.score(*map(as_frame, (a, b))),
}


@pytest.mark.parametrize("way", PAIRS)
def test_columns_of_different_indexes_are_an_error(way):
    with pytest.raises(celab.InputError, match=r"different indexes: row 1, .* is [27] and [27]; "):
        PAIRS[way](LEFT, RIGHT)
    PAIRS[way](LEFT, column(RIGHT.tolist(), 0, 7))
    PAIRS[way](LEFT.tolist(), RIGHT)


def test_numbers_of_different_indexes_are_an_error():
    a, b = column([0.5, 0.7], 0, 7), column([0.4, 0.2], 0, 2)
    for test in (celab.significance.paired_bootstrap, celab.significance.paired_randomization):
        with pytest.raises(celab.InputError, match="different indexes"):
            test(a, b)
        assert test(a, b.tolist()).n_segments == 2


def test_labels_of_other_types_are_kept():
    labels = [("a", 1), ("b", 2)]
    frame = pandas.DataFrame({"mt": ["买伞", ""], "ref": ["买雨伞", "去"]})
    frame.index = pandas.MultiIndex.from_tuples(labels)
    campaign = celab.Campaign.from_dataframe(frame, "mt", "ref").score("chrf")
    assert campaign.to_dataframe("pandas")["index"].tolist() == labels
    missing = pandas.DataFrame({"mt": ["买伞", "去"], "ref": ["买", "去"]}, index=[float("nan"), 1])
    assert len(celab.score(missing["mt"], missing["ref"]).segments) == 2
