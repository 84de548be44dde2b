"""Scores of other judges: every format, what is absent, and wrong files."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scores_json import systems_of

from celab import Campaign, InputError, InputWarning, OptionError
from celab.agreement import dataset
from celab.base.errors import LimitError
from celab.base.json_files import MAX_BYTES
from celab.base.options import Limits
from celab.corpus import Fields
from celab.corpus.options import Inputs
from celab.people.score_files import rows_of_tools
from celab.systems.baseline import Baseline

A = ["他昨天买了伞。", "水😀和三本书。", "门关了。"]
B = ["他买伞。", "水😀和书。", "门开着。"]
REF = ["他昨天买了雨伞。", "水😀和三本书。", "门关上了。"]
MQM = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"


@pytest.fixture
def campaign():
    return Campaign.from_lists({"A": A, "B": B}, REF)


def comet(mt_a=A, mt_b=B):
    sides = {
        "out/A.txt": zip(mt_a, (0.9, 0.8, 0.7), strict=True),
        "out/B.txt": zip(mt_b, (0.5, 0.9, 0.1), strict=False),
    }
    return json.dumps({f: [{"mt": t, "COMET": s} for t, s in side] for f, side in sides.items()})


def printed():
    rows = [
        f"out/{name}.txt\tSegment {i}\tscore: {s}"
        for name, scores in (("A", (0.9, 0.8, 0.7)), ("B", (0.5, 0.9, 0.1)))
        for i, s in enumerate(scores)
    ]
    return "\n".join([*rows, "out/A.txt\tscore: 0.8", "Predictions saved in: x.json.", ""])


FORMATS = {
    "comet.json": (comet(), [[0.9, 0.8, 0.7], [0.5, 0.9, 0.1]]),
    "comet.txt": (printed(), [[0.9, 0.8, 0.7], [0.5, 0.9, 0.1]]),
    "x.seg.score": ("A 1\nA None\nA 3\nB 4\nB 5\nB 6\n", [[1, np.nan, 3], [4, 5, 6]]),
    "header.tsv": (
        "system\tsegment\tscore\nA.txt\t1\t7\nA.txt\t3\t8\nB\t2\t9\n",
        [[7, np.nan, 8], [np.nan, 9, np.nan]],
    ),
    "mqm.tsv": (
        MQM + f"A\td\t1\t1\tr1\ts\t{A[0]}\tNo-error\tNo-error\n"
        "B\td\t3\t3\tr1\ts\t门<v>开着</v>。\tAccuracy/Mistranslation\tMajor\n"
        "B\td\t3\t3\tr1\ts\t门开着<v>。</v>\tFluency/Punctuation\tminor\n"
        "B\td\t3\t3\tr2\ts\t门开着。\tNo-error\tno-error\n",
        [[0, np.nan, np.nan], [np.nan, np.nan, -2.55]],
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(campaign, tmp_path, name):
    text, expected = FORMATS[name]
    (tmp_path / name).write_text(text, "utf-8")
    scores = campaign.with_scores({"X": tmp_path / name}).scores["X"]
    np.testing.assert_allclose([scores[s].segments.scores for s in "AB"], expected)


def test_metricx_is_lower_better_and_its_system_is_found_by_the_texts(campaign, tmp_path):
    rows = [{"hypothesis": text, "prediction": i} for i, text in enumerate(B)]
    (tmp_path / "out.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    scores = campaign.with_scores({"MetricX": tmp_path / "out.jsonl"}).scores["MetricX"]
    assert list(scores) == ["B"]
    assert scores["B"].score == 1
    assert not scores["B"].higher_is_better


def test_scores_of_systems_have_no_interval_and_no_test(campaign, tmp_path):
    (tmp_path / "k.sys.score").write_text("A 0.8\nother 0.1\nB 0.7\n", "utf-8")
    scored = campaign.score("chrf").with_scores({"K": tmp_path / "k.sys.score"}).test()
    assert scored.interval("K", "A") is None
    assert "K" not in scored.comparisons
    assert "K: scores of systems only, so no interval and no test" in str(scored)
    assert "no test" in str(scored.compare("A", "B"))
    first = systems_of(scored.to_dict())[0]
    assert (first["name"], first["metrics"]["K"]["score"]) == ("A", 0.8)
    assert first["metrics"]["K"]["interval"] == [None, None]


def test_what_is_absent_is_named_and_never_zero(campaign):
    scored = campaign.score("chrf").with_scores({"X": {"A": [1, None, 3]}})
    assert "B" not in scored.scores["X"]
    assert scored.scores["X"]["A"].score == 2
    text = str(scored)
    assert "X: no score of B" in text
    assert "X: no score of segment 2 of A" in text
    data = scored.to_dict()
    assert data["absent"] == [
        {"metric": "X", "system": "B", "segment": None},
        {"metric": "X", "system": "A", "segment": 2},
    ]
    metrics = {system["name"]: set(system["metrics"]) for system in systems_of(data)}
    assert "X" in metrics["A"] and "X" not in metrics["B"]


def test_intervals_are_those_of_the_bootstrap_of_means():
    rng = np.random.default_rng(1)
    values = rng.random((2, 40)).tolist()
    texts = ["伞"] * 40
    scored = Campaign.from_lists({"A": texts, "B": texts}, texts)
    scored = scored.with_scores({"X": dict(zip("AB", values, strict=True))}).test()
    from celab.statistics.resampling import intervals, scores_of

    resampled = scores_of(np.array(values))
    expected = dict(zip("AB", intervals(resampled).tolist(), strict=True))
    for name in "AB":
        assert scored.interval("X", name) == pytest.approx(tuple(expected[name]))


WRONG = {
    "length": ("x.seg.score", "A 1\nA 2\n", "has 2 lines of system A; without a header, each"),
    "system": ("x.tsv", "system\tscore\nC\t1\n", "its systems are C, the outputs are of A, B"),
    "twice": ("x.tsv", "system\tscore\nA\t1\nA.txt\t2\n", "A and A.txt are both system A"),
    "version": (
        "x.json",
        comet(mt_b=["他买伞。", "又一个", "门开着。"]),
        "out/B.txt, segment 2: its translation is '又一个', but segment 2",
    ),
    "unclear": ("x.tsv", "system\tsegment\tscore\nA\t1\t1\n", "unclear whether segments"),
    "number": ("x.tsv", "system\tsegment\tscore\nA\t0\tone\n", "line 2: score is 'one'"),
    "spans": ("x.tsv", "system\tsegment\tstart\tend\nA\t0\t0\t1\n", "has spans, but no scores"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files(campaign, tmp_path, case):
    name, text, message = WRONG[case]
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        campaign.with_scores({"X": tmp_path / name})
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_scores_of_others_stay_when_a_campaign_is_scored(campaign):
    scored = campaign.with_scores({"X": {"A": [1, 2, 3], "B": [3, 2, 1]}}).score("chrf")
    assert list(scored.scores) == ["chrf", "X"]


@pytest.fixture
def samples(shared):
    folder = shared / "data" / "formats"
    if not folder.is_dir():
        pytest.skip("../shared/data/formats is not here: the sample files cannot be read")
    return folder


def sample_campaign(samples, *, has_canary=True):
    folder = samples / "mtme" / "wmt00"
    names = ("references/en-zh.refA", "system-outputs/en-zh/sysA", "system-outputs/en-zh/sysB")
    texts = [(folder / f"{name}.txt").read_text("utf-8").split("\n")[:4] for name in names]
    ref, a, b = [side[0 if has_canary else 1 :] for side in texts]
    return Campaign.from_lists({"sysA": a, "sysB": b}, ref)


NAN = float("nan")
SAMPLES = {
    "comet.json": (False, [[0.9312, 0.7125, 0.9501], [0.9023, 0.8014, 0.5532]]),
    "comet-stdout.txt": (False, [[0.9312, 0.7125, 0.9501], [0.9023, 0.8014, 0.5532]]),
    "metricx.jsonl": (False, [[0.7421875, 5.84375, 0.515625], None]),
    "mqm.tsv": (True, [[NAN, 0, -5, NAN], [NAN, NAN, -1, -5.1]]),
    "esa.csv": (True, [[NAN, 92, 61, NAN], [NAN, NAN, NAN, 40]]),
    "pearmut.jsonl": (False, [[NAN, 61, NAN], [NAN, 88, NAN]]),
    "wmt25-humeval.jsonl": (False, [[NAN, 65.5, NAN], None]),
    "mtme/wmt00/human-scores/en-zh.esa.seg.score": (True, [[NAN, 92, 61, 95], [NAN, 88, NAN, 40]]),
    "mtme/wmt00/human-scores/en-zh.mqm.merged.seg.rating": (True, [[NAN, 0, -5, 0], None]),
    "mtme/wmt00/metric-scores/en-zh/BLEU-refA.seg.score": (
        True,
        [[100, 24.1, 41.6, 19.3], [100, 38.9, 44.0, 27.5]],
    ),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_published_samples_of_scores(samples, name):
    has_canary, expected = SAMPLES[name]
    campaign = sample_campaign(samples, has_canary=has_canary)
    scores = campaign.with_scores({"X": samples / name}).scores["X"]
    rows = {s: e for s, e in zip(("sysA", "sysB"), expected, strict=True) if e is not None}
    assert list(scores) == list(rows)
    for system, row in rows.items():
        np.testing.assert_allclose(scores[system].segments.scores, row)
        assert scores[system].higher_is_better == (name != "metricx.jsonl")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("metric-scores/en-zh/CometKiwi-src.sys.score", [0.8133, 0.7710]),
        ("human-scores/en-zh.esa.sys.score", [82.66666666666667, 64.0]),
    ],
)
def test_published_samples_of_system_scores(samples, name, expected):
    campaign = sample_campaign(samples)
    scores = campaign.with_scores({"X": samples / "mtme" / "wmt00" / name}).scores["X"]
    assert [scores[system].score for system in ("sysA", "sysB")] == expected


def test_json_of_comet_may_be_larger_than_other_json(tmp_path):
    # COMET writes the source and the reference, too, in lines of their own.
    n, long = 1500, "伞" * 2000
    items = [{"src": long, "mt": "买伞", "ref": long, "COMET": i / n} for i in range(n)]
    text = json.dumps({"A.txt": items}, ensure_ascii=False, indent=4)
    assert len(text.encode()) > MAX_BYTES
    (tmp_path / "comet.json").write_text(text, "utf-8")
    campaign = Campaign.from_lists({"A": ["买伞"] * n}, ["买伞"] * n)
    scores = campaign.with_scores({"COMET": tmp_path / "comet.json"}).scores["COMET"]["A"]
    assert scores.segments.scores.tolist() == [i / n for i in range(n)]
    with pytest.raises(LimitError):
        campaign.with_scores({"COMET": tmp_path / "comet.json"}, limits=Limits(max_file=1 << 20))


def test_texts_with_segments_left_out_do_not_fit_numbers(campaign, tmp_path):
    (tmp_path / "x.tsv").write_text("system\tsegment\tscore\nA\t0\t1\n", "utf-8")
    partial = Campaign(replace(campaign.corpus, n_left_out=2))
    with pytest.raises(InputError):
        partial.with_scores({"X": tmp_path / "x.tsv"})


def test_a_baseline_has_the_scores_of_other_judges(campaign, tmp_path):
    ours = Campaign.from_lists({"A": A}, REF).score("celab")
    old = ours.with_scores({"X": {"A": [1, None, 3]}, "K": {"A": 0.5}})
    (tmp_path / "base.json").write_text(old.to_json(), "utf-8")
    baseline = Baseline.read(tmp_path / "base.json")
    assert baseline.metrics == ("celab",)
    new = Campaign.from_lists({"B": B}, REF).score("celab")
    new = new.with_scores({"X": {"B": [3, 3, 4]}, "K": {"B": 0.25}}, lower_is_better=["X"])
    compared = baseline.compare(new)
    direct = campaign.score("celab").with_scores(
        {"X": {"A": [1, None, 3], "B": [3, 3, 4]}, "K": {"A": 0.5, "B": 0.25}},
        lower_is_better=["X"],
    )
    expected = direct.compare("A", "B")
    for name in ("celab", "X", "K"):
        found, other = compared[name], expected[name]
        assert found.difference == other.difference
        assert (found.wins, found.losses) == (other.wins, other.losses)
    assert compared.disagreements == expected.disagreements
    with pytest.raises(InputError):
        baseline.compare(new.with_scores({"Y": {"B": 1.0}}))


def read(campaign, path, door, **settings):
    """Return the scores of A and B on each segment, as a door reads them."""
    if door == "meta":
        folder = path.parent
        for name, texts in {"ref": REF, "A": A, "B": B}.items():
            (folder / f"{name}.zh").write_text("".join(f"{text}\n" for text in texts), "utf-8")
        systems = [str(folder / f"{name}.zh") for name in "AB"]
        texts = Inputs(references=[folder / "ref.zh"], systems=systems)
        judged = dataset.read_files(texts, path, **settings)
        return judged.people.segments.tolist()
    scores = campaign.with_scores({door: path}, **settings).scores[door]
    return [scores[name].segments.scores.tolist() for name in "AB"]


HEADER = "system\tsegment\tscore\n"
DOORS = ("X", "human", "meta")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("judged", [(0, 1, 2), (0,), (2,), (0, 1), (1,), (1, 2)])
def test_numbers_from_0_and_from_1_give_the_same(campaign, tmp_path, door, judged):
    found, is_clear = [], []
    for first in (0, 1):
        rows = "".join(f"{name}\t{i + first}\t{10 * i}\n" for name in "AB" for i in judged)
        path = tmp_path / f"from-{first}.tsv"
        path.write_text(HEADER + rows, "utf-8")
        found.append(read(campaign, path, door, count_from=first))
        # The number 0, or that of the last segment from 1, is evidence; nothing else is.
        is_clear.append(0 in judged if first == 0 else 2 in judged)
        if is_clear[-1]:
            np.testing.assert_array_equal(read(campaign, path, door), found[-1])
        else:
            with pytest.raises(InputError):
                read(campaign, path, door)
    np.testing.assert_array_equal(*found)
    expected = [10 * i if i in judged else np.nan for i in range(3)]
    np.testing.assert_array_equal(found[0], [expected, expected])


@pytest.mark.parametrize("door", DOORS)
def test_numbers_that_contradict_count_from(campaign, tmp_path, door):
    path = tmp_path / "x.tsv"
    for numbers, first, message in (
        ((0, 1), 1, "line 2: segment is 0; it must be from 1 to 3"),
        ((1, 3), 0, "line 3: segment is 3; it must be from 0 to 2"),
    ):
        path.write_text(HEADER + "A\t{}\t1\nB\t{}\t1\n".format(*numbers), "utf-8")
        with pytest.raises(InputError, match=message):
            read(campaign, path, door, count_from=first)
    path.write_text(HEADER + "".join(f"A\t{i}\t{i}\n" for i in range(3)), "utf-8")
    with pytest.warns(InputWarning, match="has all segments, counted from 0; count_from=1 is not"):
        assert read_a(campaign, path, door, count_from=1) == [0, 1, 2]
    for wrong in (2, -1, True, "1"):
        with pytest.raises(OptionError):
            read(campaign, path, door, count_from=wrong)


def read_a(campaign, path, door, **settings):
    if door == "meta":
        return read(campaign, path, door, **settings)[0]
    return campaign.with_scores({door: path}, **settings).scores[door]["A"].segments.scores.tolist()


def test_other_systems_of_a_file_tell_how_it_counts(tmp_path):
    only = Campaign.from_lists({"A": A}, REF)
    (tmp_path / "x.tsv").write_text(HEADER + "A\t1\t5\nC\t0\t6\n", "utf-8")
    scores = only.with_scores({"X": tmp_path / "x.tsv"}).scores["X"]["A"]
    np.testing.assert_array_equal(scores.segments.scores, [np.nan, 5, np.nan])


def test_a_file_is_of_the_system_that_it_is_named_after(tmp_path):
    texts = {"GPT-4": A, "GPT-4.5": A}
    both = Campaign.from_lists(texts, REF)
    rows = "".join(f'{{"hypothesis": "{text}", "prediction": 1}}\n' for text in A)
    for name in texts:
        (tmp_path / f"{name}.jsonl").write_text(rows, "utf-8")
        scores = both.with_scores({"MetricX": tmp_path / f"{name}.jsonl"}).scores["MetricX"]
        assert list(scores) == [name]
    others = Campaign.from_lists({"GPT-4": A, "Aya": A}, REF)
    with pytest.raises(InputError):
        others.with_scores({"MetricX": tmp_path / "GPT-4.5.jsonl"})


def named(tmp_path, files, names=None):
    """Return a campaign of files of one line each."""
    for file in ("ref.zh", *files):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("买伞。\n", "utf-8")
    return Campaign.read([tmp_path / "ref.zh"], [tmp_path / file for file in files], names=names)


def test_names_win_over_files(tmp_path):
    campaign = named(tmp_path, ["A.zh", "B.zh"], ["B", "A"])
    (tmp_path / "x.tsv").write_text("system\tscore\nA\t1\nB\t2\n", "utf-8")
    scores = campaign.with_scores({"X": tmp_path / "x.tsv"}).scores["X"]
    assert {name: score.score for name, score in scores.items()} == {"A": 1, "B": 2}
    (tmp_path / "x.tsv").write_text("system\tscore\nout/A.zh\t1\nB.zh\t2\n", "utf-8")
    scores = campaign.with_scores({"X": tmp_path / "x.tsv"}).scores["X"]
    assert {name: score.score for name, score in scores.items()} == {"B": 1, "A": 2}


@pytest.mark.parametrize(
    ("row", "system"),
    [("A", None), ("A.zh", None), ("x/A", "x/A"), ("y/A.zh", "y/A"), ("/data/y/A.zh", None)],
)
def test_a_name_that_fits_two_systems(tmp_path, row, system):
    campaign = named(tmp_path, ["x/A.zh", "y/A.zh"])
    (tmp_path / "s.tsv").write_text(f"system\tscore\n{row}\t1\n", "utf-8")
    if system is not None:
        assert list(campaign.with_scores({"X": tmp_path / "s.tsv"}).scores["X"]) == [system]
        return
    with pytest.raises(InputError) as error:
        campaign.with_scores({"X": tmp_path / "s.tsv"})
    assert f"{row} may be system x/A or y/A; use these names" in str(error.value)


def test_a_shift_of_mqm_is_one_for_the_whole_file(tmp_path):
    # Numbers count a canary line that the texts lack; two neighbors have the same text.
    texts = ["好。", "好。", "门关了。"]
    campaign = Campaign.from_lists({"A": texts}, texts)
    rows = "".join(
        f"A\td\t{i}\t{i}\tr\ts\t{text}\tX\t{severity}\n"
        for i, (text, severity) in enumerate(
            zip(texts, ("major", "minor", "neutral"), strict=True), 2
        )
    )
    (tmp_path / "mqm.tsv").write_text(MQM + rows, "utf-8")
    scores = campaign.with_scores({"X": tmp_path / "mqm.tsv"}).scores["X"]["A"]
    assert scores.segments.scores.tolist() == [-5, -1, 0]


@pytest.mark.parametrize("name", ["mqm.tsv", "comet.json", "x.seg.score", "comet.txt"])
def test_meta_reads_what_campaigns_read(campaign, tmp_path, name):
    (tmp_path / name).write_text(FORMATS[name][0], "utf-8")
    for count_from in (None, 0, 1):  # formats with ids of their own never ask
        found = read(campaign, tmp_path / name, "meta", count_from=count_from)
        np.testing.assert_allclose(found, FORMATS[name][1])


def test_a_judge_who_judges_again_counts_twice_everywhere(campaign, tmp_path):
    rows = "".join(
        f"u,A,{line},TGT,eng,zho,{score},d,False,[],1.0,2.0\n"
        for line, score in ((0, 60), (0, 90), (2, 50))
    )
    (tmp_path / "esa.csv").write_text(rows + rows.replace(",A,", ",B,"), "utf-8")
    for door in DOORS:
        found = read(campaign, tmp_path / "esa.csv", door)
        np.testing.assert_array_equal(found, [[75, np.nan, 50]] * 2)


def test_lower_is_better_is_not_for_people(campaign, tmp_path):
    rows = [
        {"system": s, "hypothesis": t, "prediction": 1}
        for s, x in zip("AB", (A, B), strict=True)
        for t in x
    ]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, rows[:3])), "utf-8")
    with pytest.raises(InputError):
        read(campaign, tmp_path / "m.jsonl", "meta")


UNUSUAL = {
    "bom": "\ufeff" + HEADER + "A\t0\t7\n",
    "crlf": (HEADER + "A\t0\t7\n").replace("\n", "\r\n"),
    "zeros": HEADER + "A\t000\t7\nA\t001\tNaN\n",
    "quoted": '"system"\t"segment"\t"score"\n"A"\t"0"\t"7"\n',
}
MISTAKES = {
    "float": (HEADER + "A\t0.0\t1\n", "line 2: segment is '0.0'; it must be a whole number"),
    "negative": (HEADER + "A\t-1\t1\n", "line 2: segment is '-1'"),
    "other digits": (HEADER + "A\t٣\t1\n", "line 2: segment is '٣'"),
    "no header": ("A\t0\t1\n", "line 1: 3 columns and no header that names score"),
    "commas": (HEADER.replace("\t", ",") + "A,0,1\n", "line 1: 1 column and no header"),
    "mixed": (HEADER + "A\t0,1\n", "line 2: 2 columns, but the header has 3"),
    "repeated": (HEADER + "A\t0\t1\nA\t0\t1\n", "line 3: system A, segment 0 occurs again"),
    "no system": (HEADER + "A\t0\t1\n\t1\t1\n", "line 3: the system is missing"),
    "two counts": (
        HEADER + "A\t0\t1\nA\t1\t1\nA\t2\t1\nB\t3\t1\n",
        "line 5: segment is 3; it must be from 0 to 2",
    ),
    "others": (HEADER + "C\t0\t1\n", "its systems are C, the outputs are of A, B"),
    "far": (HEADER + "A\t9\t1\n", "segment is 9; it must be from 0 to 2, or from 1 to 3"),
    "seg": ("system\tseg_id\tscore\nA\t0\t1\n", "rename seg_id to segment"),
    "model": ("model\tsegment\tscore\nA\t0\t1\n", "rename model to system"),
    "columns": ("system\tscore\tscore\nA\t0\t1\n", "it must have score once"),
    "nothing": (HEADER + "A\t0\tnan\n", "has no score"),
    "comma": (HEADER + "A\t0\t0,9\n", "line 2: score is '0,9'"),
}


@pytest.mark.parametrize("door", DOORS)
def test_unusual_tables(campaign, tmp_path, door):
    for text in UNUSUAL.values():
        (tmp_path / "x.tsv").write_bytes(text.encode())
        found = read_a(campaign, tmp_path / "x.tsv", door)
        np.testing.assert_array_equal(found, [7, np.nan, np.nan])


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes_in_tables(campaign, tmp_path, door, case):
    text, message = MISTAKES[case]
    (tmp_path / "x.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError) as error:
        read(campaign, tmp_path / "x.tsv", door)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("fields", [["recall"], ["precision"], ["precision", "recall"]])
@pytest.mark.parametrize("segment", [0, 1])
def test_a_baseline_whose_segments_lack_figures(tmp_path, fields, segment):
    data = Campaign.from_lists({"A": A}, REF).score("celab").to_dict()
    for field in fields:
        del data["segment"][segment][field]
    (tmp_path / "base.json").write_text(json.dumps(data), "utf-8")
    with pytest.raises(InputError):
        Baseline.read(tmp_path / "base.json")


@pytest.mark.parametrize("end", ["score: 0.8.1", "0.8"])
def test_a_line_that_comet_does_not_print_is_named(end):
    lines = [f"out/A.txt\tSegment {k}\t" for k in range(3)]
    text = f"{lines[0]}score: 0.9\n{lines[1]}{end}\n{lines[2]}score: 0.7\n"
    with pytest.raises(InputError, match=r"^x\.txt, line 2: "):
        rows_of_tools(text, "x.txt")


@pytest.mark.parametrize("ids", [[2, 0, 1], [3, 1, 2], [10, 30, 20]])
def test_numbers_that_are_ids_of_texts_in_another_order_are_the_ids(tmp_path, ids):
    lines = zip(ids, A, B, REF, strict=True)
    rows = "".join(f"{number}\t{ref}\t{a}\t{b}\n" for number, a, b, ref in lines)
    (tmp_path / "texts.tsv").write_text(f"id\tref\tA\tB\n{rows}", "utf-8")
    campaign = Campaign.read(tmp_path / "texts.tsv", fields=Fields(hyp=["A", "B"]))
    path = tmp_path / "scores.tsv"
    path.write_text(HEADER + "".join(f"A\t{n}\t{n}\nB\t{n}\t{-n}\n" for n in sorted(ids)), "utf-8")
    assert read(campaign, path, "human") == [[*map(float, ids)], [-float(n) for n in ids]]
