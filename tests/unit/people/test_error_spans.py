"""Error spans: offsets of every format, seen or not, and spans outside the text."""

import json
from contextlib import nullcontext

import pytest

from celab import Campaign, InputError
from celab.people.annotations import ends_of
from celab.people.error_spans import read_spans, token_places

A = ["水😀和\t两张卡片。", "门开着。"]
HYPS = [A[0].replace("\t", ""), A[1]]
REF = ["水😀和两张地图。", "门开着。"]
ESA = 'u,A,{},TGT,eng,zho,61,d,False,"[{}]",1.0,2.0\n'


@pytest.fixture
def campaign():
    return Campaign.from_lists({"A": HYPS}, REF)


def esa(line, start, end):
    span = f'{{""start_i"":{start},""end_i"":{end},""severity"":""major""}}'
    return ESA.format(line, span)


COMET = {
    "A.txt": [
        {"mt": HYPS[0], "COMET": 0.5, "errors": [{"start": 5, "end": 7, "severity": "major"}]},
        {"mt": HYPS[1], "COMET": 0.5},
    ]
}
PEARMUT = {
    "annotation": [
        {
            "A": {
                "score": 6,
                "error_spans": [
                    {"start_i": 6, "end_i": 7, "severity": "major"},
                    {"start_i": 9, "end_i": 9, "severity": "minor"},
                ],
            }
        }
    ],
    "item": [{"tgt": {"A": HYPS[0]}}],
    "user_id": "u",
    "item_i": 0,
}
WMT25 = {
    "scores": {"A": {"human1": 6, "errors1": [{"start_i": 6, "end_i": 7, "severity": "major"}]}},
    "tgt_text": {"A": HYPS[0]},
    "doc_id": "d",
}
FILES = {
    "mqm.tsv": "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    f"A\td\t1\tr\ts\t水😀和两张<v>卡片</v>。\tX\tMajor\nA\td\t2\tr\ts\t{HYPS[1]}\tNo-error\tNo-error\n",
    "x.seg.rating": 'A\t{"errors": [{"start": 5, "end": 7, "severity": "major", "score": 5}]}\tr\n'
    'A\t{"errors": []}\n',
    "esa.csv": esa(0, 6, 7),
    "pearmut.jsonl": json.dumps(PEARMUT),
    "wmt25.jsonl": json.dumps(WMT25),
    "comet.json": json.dumps(COMET),
    "plain.tsv": "system\tsegment\tstart\tend\tseverity\nA\t0\t5\t7\tmajor\nA\t1\t\t\t\n",
}


def errors(path, corpus):
    """Return the judgment and the error of each span of a file."""
    return [(x, error) for x in read_spans(path, corpus) for error in x.spans]


@pytest.mark.parametrize("name", FILES)
def test_offsets(campaign, tmp_path, name):
    (tmp_path / name).write_text(FILES[name], "utf-8")
    (_, first), *others = errors(tmp_path / name, campaign.corpus)
    assert (first.place, first.severity) == ((5, 7), "major")
    assert all(error.place is None for _, error in others)


def test_seen_or_not(campaign, tmp_path):
    rows = "system\tsegment\tstart\tend\tseverity\nA\t0\t5\t7\tmajor\nA\t1\t0\t1\tminor\n"
    (tmp_path / "x.tsv").write_text(rows, "utf-8")
    report = campaign.score("celab").with_spans(tmp_path / "x.tsv").spans
    assert [(row.severity, row.spans, row.seen) for row in report.counts] == [
        ("major", 1, 1),
        ("minor", 1, 0),
    ]
    assert report.n_outputs == 2
    assert (report.n_runs, report.n_unexplained) == (1, 0)
    # All that the output lacks touches the span, so the cost is what precision lacks.
    explained = campaign.score("celab").explain([1])["celab"][1]["A"]
    assert report.spans[0].cost == pytest.approx(1 - explained.precision)
    assert report.spans[1].cost == 0


def test_an_unmatched_run_in_no_span(campaign, tmp_path):
    spans = "system\tsegment\tstart\tend\nA\t0\t0\t1\nA\t1\t0\t1\n"
    (tmp_path / "x.tsv").write_text(spans, "utf-8")
    report = campaign.score("celab").with_spans(tmp_path / "x.tsv", segments=[1]).spans
    assert (report.n_runs, report.n_unexplained, report.n_seen) == (1, 1, 0)
    assert (report.n_outputs, len(report.spans)) == (1, 1)


WRONG = {
    "plain.tsv": (
        "system\tsegment\tstart\tend\nA\t0\t5\t99\n",
        "line 2: an error goes from 5 to 99",
    ),
    "esa.csv": (esa(0, 6, 30), "line 1: an error goes from 6 to 30, but the translation has 9"),
    "mqm.tsv": (FILES["mqm.tsv"].replace("水", "火"), "line 2: its translation is '火"),
    "short.tsv": (FILES["mqm.tsv"] + "A\td\n", ": 2 columns, but the header has 8"),
    "open.tsv": (FILES["mqm.tsv"].replace("</v>", ""), "line 2: target has no </v>"),
    "other.tsv": ("a\tb\n1\t2\n", "has no error spans"),
    "reversed.jsonl": (
        json.dumps(PEARMUT).replace('"start_i": 6', '"start_i": 60'),
        "line 1: an error goes from 60 to 7",
    ),
    "huge.jsonl": (
        json.dumps(WMT25).replace('"human1": 6', f'"human1": 1{"0" * 400}'),
        "line 1: human1 is '1000",
    ),
    "list.json": (
        json.dumps(COMET).replace('"errors": [', '"errors": 3, "x": ['),
        "segment 1: errors is '3'; it must be a list",
    ),
    "grouped.jsonl": (
        json.dumps({"en-zh": [PEARMUT]}) + '\n{"en-ja": 3}\n',
        "line 2: en-ja is not a list of annotations",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files(campaign, tmp_path, name):
    text, message = WRONG[name]
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        read_spans(tmp_path / name, campaign.corpus)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("end", "fits"), [(0, True), (-1, False), (True, False), (1.0, False), ("1", False)]
)
def test_an_end_of_a_span_is_a_whole_number(end, fits):
    with nullcontext() if fits else pytest.raises(InputError):
        assert ends_of({"start": end, "end": 7}, "start", "end", "x") == (end, 7)
    with nullcontext() if fits else pytest.raises(InputError):
        assert ends_of({"start": 0, "end": end}, "start", "end", "x") == (0, end)


def test_places_of_tokens_whose_text_was_changed():
    assert token_places("Ｉ買傘", ["I", "买", "伞"]) == [(0, 1), (1, 2), (2, 3)]
    assert token_places("Straße 9", ["strasse", "9"]) == [(0, 6), (7, 8)]


CARD, SUNDAY = ("sysA", "卡片", "major"), ("sysB", "星期天", "major")
SAMPLES = {
    "comet.json": (
        False,
        [CARD, ("sysB", "星期天", "critical"), ("sysB", "关闭", "minor")],
    ),
    "mqm.tsv": (True, [CARD, ("sysB", None, "minor"), SUNDAY, ("sysB", "。", "minor")]),
    "esa.csv": (True, [CARD, SUNDAY, ("sysB", None, "minor")]),
    "pearmut.jsonl": (False, [CARD, ("sysA", None, "minor")]),
    "wmt25-humeval.jsonl": (False, [CARD]),
    "mtme/wmt00/human-scores/en-zh.mqm.merged.seg.rating": (True, [CARD]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_published_samples(shared, name):
    folder = shared / "data" / "formats"
    if not folder.is_dir():
        pytest.skip("../shared/data/formats is not here: the sample files cannot be read")
    has_canary, expected = SAMPLES[name]
    outputs = folder / "mtme" / "wmt00" / "system-outputs" / "en-zh"
    texts = {
        system: (outputs / f"{system}.txt").read_text("utf-8").split("\n")[not has_canary : 4]
        for system in ("sysA", "sysB")
    }
    corpus = Campaign.from_lists(texts, texts["sysA"]).corpus
    marked = [
        (x.system, error.place and texts[x.system][x.segment][slice(*error.place)], error.severity)
        for x, error in errors(folder / name, corpus)
    ]
    assert marked == expected


def test_each_line_of_a_segment_is_named_by_itself(campaign, tmp_path):
    rows = "system\tsegment\tstart\tend\nA\t0\t0\t1\nA\t0\t5\t99\nA\t0\t1\t2\n"
    (tmp_path / "x.tsv").write_text(rows, "utf-8")
    with pytest.raises(InputError, match="line 3"):
        read_spans(tmp_path / "x.tsv", campaign.corpus)
    other = "A\td\t1\tr\ts\t火<v>卡</v>\tX\tMajor\n"
    (tmp_path / "mqm.tsv").write_text(FILES["mqm.tsv"] + other, "utf-8")
    with pytest.raises(InputError, match="line 4: the target is another text"):
        read_spans(tmp_path / "mqm.tsv", campaign.corpus)


@pytest.mark.parametrize("target", ["水😀和两张卡片<v></v>。", "<v> </v>水😀和两张卡片。"])
def test_a_span_without_characters_has_no_place(campaign, tmp_path, target):
    text = FILES["mqm.tsv"].replace("水😀和两张<v>卡片</v>。", target)
    (tmp_path / "mqm.tsv").write_text(text, "utf-8")
    assert [x.place for _, x in errors(tmp_path / "mqm.tsv", campaign.corpus)] == [None]


def test_spans_of_some_systems(tmp_path):
    both = Campaign.from_lists({"A": HYPS, "B": HYPS, "C": HYPS}, REF).score("celab")
    rows = "system\tsegment\tstart\tend\tseverity\nA\t0\t5\t7\tx\nB\t1\t0\t1\ty\nC\t1\t0\t1\ty\n"
    (tmp_path / "x.tsv").write_text(rows, "utf-8")
    scored = both.with_spans(tmp_path / "x.tsv")
    alone = Campaign.from_lists({"A": HYPS, "B": HYPS}, REF).score("celab")
    assert scored.compare("A", "B").spans == alone.with_spans(tmp_path / "x.tsv").spans
    assert scored.spans.n_spans == 3
    assert scored.spans.systems["A"].n_seen == 1
    tables = scored.compare("A", "B").to_dict()
    assert [row["severity"] for row in tables["span_kind"]] == ["x", "y"]


HEADER = "system\tsegment\tstart\tend\tseverity\tcategory\n"


def spans_of(campaign, path, rows):
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), "utf-8")
    return campaign.score("celab").with_spans(path).spans


def test_a_severity_without_a_place_is_an_error(campaign, tmp_path):
    rows = ["A\t0\t\t\tmajor\tomission", "A\t0\t5\t7\tminor\t", "A\t1\t\t\tno-error\t"]
    report = spans_of(campaign, tmp_path / "x.tsv", rows)
    assert (report.n_spans, report.n_without_place, len(report.spans)) == (1, 1, 2)
    assert [(span.severity, span.start) for span in report.spans] == [("major", None), ("minor", 5)]
    assert report.systems["A"].errors == {"major": 1, "minor": 1}
    (row,) = report.to_dict()["span_system"]
    assert (row["errors major"], row["errors minor"]) == (1, 1)
    # Both outputs were judged: segment 1 has a row without an error.
    assert report.systems["A"].n_rated == report.n_outputs == 2
    assert report.systems["A"].per_outputs("major") == 50


def test_a_file_of_errors_alone_counts_all_outputs(campaign, tmp_path):
    report = spans_of(campaign, tmp_path / "x.tsv", ["A\t0\t5\t7\tmajor\t"])
    assert (report.n_outputs, report.systems["A"].n_rated) == (1, 2)
    assert "all outputs count as judged" in str(report)
    path = tmp_path / "x.tsv"
    one = campaign.score("celab").with_spans(path, segments=[1]).spans
    assert one.systems["A"].n_rated == 1


def test_the_tables_have_no_empty_column_and_no_rare_row(tmp_path):
    campaign = Campaign.from_lists({"A": ["门开着。"] * 6, "B": ["门关着。"] * 6}, ["门开着。"] * 6)
    rows = [f"B\t{k}\t1\t2\tmajor\t" for k in range(6)]
    report = spans_of(campaign, tmp_path / "x.tsv", [*rows, "A\t0\t\t\t\t", "B\t0\t0\t1\tminor\t"])
    lines = [" ".join(line.split()) for line in str(report).splitlines()]
    assert lines[2:6] == [
        "system outputs major major/100",
        "A 1 0 0.0",
        "B 6 6 100.0",
        "/100: errors in 100 outputs",
    ]
    assert "1 error of other severities" in lines
    assert "severity spans seen % seen cost" in lines
    assert "1 more of kinds with fewer than 5 spans" in lines
    assert not any(line.startswith("minor") for line in lines)
    assert [row.severity for row in report.counts] == ["major", "minor"]  # programs get all
