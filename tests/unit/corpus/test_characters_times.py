"""Times of subtitles as bounds of cuts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab import corpus
from celab.base.errors import InputError, InputWarning
from celab.corpus.align.alignment import Clock, align_document
from celab.corpus.align.characters import TimedCues, time_bounds

REFS = ["好的", "好的", "我们走吧", "好的"]
REF_TIMES = [(1000, 2000), (9000, 10000), (20000, 22000), (30000, 31000)]


def clock(milliseconds):
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02},{rest:03}"


def srt(texts, times):
    return "\n".join(
        f"{number}\n{clock(start)} --> {clock(end)}\n{text}\n"
        for number, (text, (start, end)) in enumerate(zip(texts, times, strict=True), 1)
    )


@pytest.fixture
def align(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def align(refs, ref_times, texts, times, **options):
        (tmp_path / "ref.srt").write_text(srt(refs, ref_times), "utf-8")
        (tmp_path / "hyp.srt").write_text(srt(texts, times), "utf-8")
        return corpus.read("ref.srt", "hyp.srt", align=True, **options)

    return align


def test_times_decide_where_texts_leave_a_choice(align):
    # The second cue is the translation of the third segment, and two segments have none.
    texts = align(REFS, REF_TIMES, ["行", "出发", "行"], [REF_TIMES[0], *REF_TIMES[2:]])
    assert texts.hyps == ["行", "", "出发", "行"]
    texts = align(REFS, REF_TIMES, ["行", "行", "出发"], REF_TIMES[:3])
    assert texts.hyps == ["行", "行", "出发", ""]


def test_a_cue_over_two_segments_is_cut_by_its_text(align):
    texts = align(
        ["他买了雨伞。", "我们去北京。", "好的"],
        [(0, 4000), (4000, 8000), (20000, 21000)],
        ["他买了伞。我们去", "北京。好", "行"],
        [(0, 6000), (6000, 8000), (20000, 21000)],
    )
    assert texts.hyps == ["他买了伞。", "我们去北京。好", "行"]


def test_borders_with_the_same_times_are_cuts(align):
    times = [(0, 900), (900, 1500), (1500, 2600)]
    words = ["雨伞在", "这里。北", "京"]
    assert align(["雨伞在这里", "北京"], [(0, 900), (900, 2600)], words, times).hyps == [
        "雨伞在",
        "这里。北京",
    ]


def test_times_that_differ_a_little_do_not_matter(align):
    refs = [f"第{n}段说的是{name}。" for n, name in enumerate("天地山水火木金土", 1)]
    hyps = [ref.replace("说的是", "讲") for ref in refs]
    times = [(3000 * n, 3000 * n + 2500) for n in range(len(refs))]
    whole = "".join(hyps)
    cues = [whole[start : start + 5] for start in range(0, len(whole), 5)]
    step = times[-1][1] // len(cues)
    for shift in (0, 300, 900):
        own = [(step * n + shift, step * (n + 1) + shift) for n in range(len(cues))]
        assert align(refs, times, cues, own).hyps == hyps


@pytest.mark.parametrize(
    ("over", "begins", "bounds"), [(4000, 6000, [[2], [5]]), (4001, 5999, [[0], [6]])]
)
def test_a_cue_is_on_one_side_of_a_cut_by_a_second(over, begins, bounds):
    spans = [(0, over), (over, begins), (begins, 9000)]
    cues = TimedCues.of(["一二", "三四五", "六"], spans)
    assert [bound.tolist() for bound in time_bounds([(0, 5000), (5000, 9000)], cues)] == bounds


def test_times_of_another_clock_are_not_used(align):
    refs = [f"第{n}段说的是{name}。" for n, name in enumerate("天地山水火木金土", 1)]
    hyps = [ref.replace("说的是", "讲") for ref in refs]
    times = [(3000 * n, 3000 * n + 2500) for n in range(len(refs))]
    late = [(start + 60_000, end + 60_000) for start, end in times]
    with pytest.warns(InputWarning):
        texts = align(refs, times, hyps, late)
    assert texts.hyps == hyps
    assert "align-times" not in signature(texts)


def signature(texts):
    campaign = celab.Campaign(texts).score("celab", check=False)
    return str(next(iter(campaign.scores["celab"].values())).signature)


def test_signatures_say_that_times_were_used(align, tmp_path):
    texts = align(REFS, REF_TIMES, ["行", "出发", "行"], [REF_TIMES[0], *REF_TIMES[2:]])
    assert signature(texts).endswith("|align:edit+dp-1|align-times:1")
    (tmp_path / "hyp.txt").write_text("行\n出发\n行\n", "utf-8")
    plain = corpus.read("ref.srt", "hyp.txt", align=True)
    assert signature(plain).endswith("|align:edit+dp-1")
    both = celab.Campaign(corpus.read("ref.srt", ["hyp.srt", "hyp.txt"], align=True))
    assert len(both.score("celab", check=False).scores["celab"]) == 2


def test_other_cues_have_the_score_of_the_text(align, tmp_path):
    refs = ["今天天气很好。", "他买了一把雨伞。", "我们明天去北京。"]
    hyps = ["天气今天很好。", "他买了把伞。", "明天我们去北京。"]
    times = [(0, 2000), (2000, 4000), (4000, 6000)]
    cues = [(0, 1000), (1000, 3000), (3000, 6000)]
    texts = align(refs, times, ["天气今天", "很好。他买了", "把伞。明天我们去北京。"], cues)
    assert texts.hyps == hyps
    (tmp_path / "ref.txt").write_text("\n".join(refs) + "\n", "utf-8")
    (tmp_path / "hyp.txt").write_text("\n".join(hyps) + "\n", "utf-8")
    expected = celab.Campaign.read("ref.txt", "hyp.txt").score("celab").scores["celab"]
    scores = celab.Campaign(texts).score("celab").scores["celab"]
    assert [score.score for score in scores.values()] == [
        score.score for score in expected.values()
    ]


def test_overlapping_cues_and_references_do_not_cross(align):
    times = [(0, 9000), (1000, 2000), (1000, 1000), (3000, 4000)]
    cues = [(0, 8000), (500, 600), (600, 600), (3500, 3600)]
    hyps = align(["牌子", "走吧", "好", "再见"], times, ["牌", "走", "行", "拜"], cues).hyps
    assert "".join(hyps) == "牌走行拜"


LATER = [(start + 8000, end + 8000) for start, end in REF_TIMES]


@pytest.mark.parametrize("times", [LATER, [*REF_TIMES[1:], (40000, 41000)]])
def test_cues_at_other_times_are_not_joined_by_counter(tmp_path, monkeypatch, times):
    monkeypatch.chdir(tmp_path)
    for name, spans in {"ref.srt": REF_TIMES, "hyp.srt": times}.items():
        (tmp_path / name).write_text(srt(REFS, spans), "utf-8")
    why = r"the times of hyp\.srt and ref\.srt differ: of 4 cues .*, [34] do not .*; align"
    for options in ({}, {"skip_missing": True}):
        with pytest.raises(InputError, match=why):
            corpus.read("ref.srt", "hyp.srt", **options)
    assert corpus.read("ref.srt", "hyp.srt", align=True).hyps
    with pytest.raises(InputError):
        corpus.read("ref.srt", "ref.srt", source="hyp.srt")
    with pytest.raises(InputError):
        corpus.read(["ref.srt", "hyp.srt"], "ref.srt")


def test_most_cues_at_the_same_times_are_joined_by_counter(tmp_path):
    times = [(0, 1500), (9900, 11000), (20000, 22000), (40000, 41000)]
    paths = [tmp_path / "ref.srt", tmp_path / "hyp.srt"]
    for path, spans in zip(paths, [REF_TIMES, times], strict=True):
        path.write_text(srt(REFS, spans), "utf-8")
    assert corpus.read(*paths).hyps == REFS


def test_cues_without_duration_are_at_the_same_time(tmp_path):
    path = tmp_path / "a.srt"
    path.write_text(srt(REFS, [(start, start) for start, _ in REF_TIMES]), "utf-8")
    assert corpus.read(path, path).hyps == REFS


TEXTS = st.text("甲乙。“” aB1", min_size=1, max_size=6).filter(str.strip)
SPANS = st.tuples(st.integers(0, 9000), st.integers(0, 4000)).map(lambda x: (x[0], x[0] + x[1]))
CUES = st.lists(st.tuples(TEXTS, SPANS), min_size=1, max_size=5).map(
    lambda cues: sorted(cues, key=lambda cue: cue[1][0])
)


def solid(lines):
    return "".join("".join(lines).split())


@given(CUES, CUES)
def test_no_text_is_lost_whatever_the_times(refs, cues):
    (sides, spans), (texts, times) = (zip(*side, strict=True) for side in (refs, cues))
    clock = Clock(TimedCues.of(texts, times), [spans])
    document = align_document("\n".join(texts), [sides], "", clock)
    assert solid(document.lines) == solid(texts)
    assert len(document.lines) == len(sides)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_cues_with_the_times_of_the_reference_are_its_segments(pairs):
    refs, texts = zip(*pairs, strict=True)
    spans = [(5000 * n, 5000 * n + 4000) for n in range(len(pairs))]
    clock = Clock(TimedCues.of(texts, spans), [spans])
    document = align_document("\n".join(texts), [refs], "", clock)
    if document.uses_times and solid(refs) != solid(texts):
        assert [solid(line) for line in document.lines] == [solid(text) for text in texts]
