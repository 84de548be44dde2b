"""The profile of errors: units, alignment, moved text, kinds, rates."""

import random
import re
from itertools import pairwise, product

import pytest
from campaigns import LIBRARIES
from oracle.runs import heaviest_runs

from celab import Campaign, Chrf
from celab.base.errors import OptionError
from celab.findings.differences import diff
from celab.findings.differences.diff import KINDS, DiffVocabulary, differences, edits


def edits_of(ref, hyp, lang="zh"):
    ((difference,),) = differences([ref], [[hyp]])
    return [
        (
            edit.kind,
            "".join(difference.ref.texts[slice(*edit.ref)]),
            "".join(difference.hyp.texts[slice(*edit.hyp)]),
        )
        for edit in edits(difference, lang)
    ]


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("", []),
        ("買 傘", ["買", " ", "傘"]),
        ("don't pay 3,500.50!", ["don't", " ", "pay", " ", "3,500.50", "!"]),
        ("カ\u3099ス・ー", ["カ\u3099", "ス", "・", "ー"]),
        ("น้ำ", ["น้", "ำ"]),
        ("ÄÖ-x—y", ["ÄÖ-x", "—", "y"]),
        ("a\u3000\n b", ["a", "\u3000\n ", "b"]),
    ],
)
def test_units(text, units):
    assert DiffVocabulary().units(text).texts == units


def test_units_of_either_width_are_equal():
    vocabulary = DiffVocabulary()
    assert vocabulary.units("ＡＢＣ！").keys == vocabulary.units("ABC!").keys


def test_units_are_those_of_the_pattern():
    pattern = re.compile("cm*|[wm]+(?:j[wm]+)*|s+|.", re.DOTALL)
    classes = {"c": "买", "m": "\u3099", "w": "x", "j": "-", "s": " ", "o": "！"}
    for kinds in product(classes, repeat=5):
        text = "".join(map(classes.get, kinds))
        units = [text[slice(*unit.span())] for unit in pattern.finditer("".join(kinds))]
        assert DiffVocabulary().units(text).texts == units


def matched(x, y):
    return [(i + k, j + k) for i, j, n in diff.align(x, y) for k in range(n)]


def test_equal_ends_are_matched_and_the_heaviest_runs_between_them():
    vocabulary = DiffVocabulary()
    draw = random.Random(3)
    texts = ["".join(draw.choices("买卖伞，", k=draw.randint(0, 6))) for _ in range(60)]
    for x, y in product(texts[:12], texts):
        ends = vocabulary.units(f"始{x}终"), vocabulary.units(f"起{y}末")
        assert diff.align(*ends) == heaviest_runs(ends[0].keys, ends[0].weights, ends[1].keys)
        both = vocabulary.units(f"始始{x}终"), vocabulary.units(f"始始{y}终")
        inside = matched(vocabulary.units(x), vocabulary.units(y))
        last = [len(side.keys) - 1 for side in both]
        expected = [(0, 0), (1, 1), *((i + 2, j + 2) for i, j in inside), (last[0], last[1])]
        assert matched(*both) == expected


@pytest.mark.parametrize(
    "x, y, runs",
    [  # each is another if a match of content, of a sign or of a space counts one more or less
        ("甲。乙。甲 ", "。。 ", [(1, 0, 1), (3, 1, 1), (5, 2, 1)]),
        (" ，甲。", "甲乙 。，。", [(2, 0, 1), (3, 5, 1)]),
        ("乙  乙。甲", "，  乙 ", [(1, 1, 2)]),
        ("， ，乙 ", "乙，，", [(0, 1, 1), (2, 2, 1)]),
        ("乙。， ，", "， 乙", [(0, 2, 1)]),
    ],
)
def test_content_counts_more_than_signs_and_signs_more_than_spaces(x, y, runs):
    vocabulary = DiffVocabulary()
    assert diff.align(vocabulary.units(x), vocabulary.units(y)) == runs


def test_runs_are_as_long_as_they_can_be():
    vocabulary = DiffVocabulary()
    draw = random.Random(5)
    texts = ["".join(draw.choices("他买了雨伞去北京。", k=draw.randint(1, 60))) for _ in range(30)]
    for x, y in pairwise(map(vocabulary.units, texts)):
        runs = diff.align(x, y)
        assert all(n > 0 and x.keys[i : i + n] == y.keys[j : j + n] for i, j, n in runs)
        for (i, j, n), (after, other, _) in pairwise(runs):
            assert i + n <= after and j + n <= other and (i + n, j + n) != (after, other)


def test_long_texts_are_cut_at_what_both_have_once(monkeypatch):
    vocabulary = DiffVocabulary()
    texts = [chr(0x4E00 + i) for i in range(3000)]
    x = vocabulary.units("".join(texts))
    y = vocabulary.units("".join(texts[:1000] + ["买"] * 50 + texts[1100:]))
    long = vocabulary.units("".join(["始", *texts[:1000], *["买"] * 50, *texts[1100:], "末"]))
    monkeypatch.setattr(diff, "MAX_DIFF_CELLS", 20_000)
    assert diff.align(x, y) == [(0, 0, 1000), (1100, 1050, 1900)]
    assert diff.align(x, long) == [(0, 1, 1000), (1100, 1051, 1900)]


@pytest.mark.parametrize(
    ("ref", "hyp", "found"),
    [
        ("他买了雨伞", "他买了雨伞", []),
        ("他买了雨伞", "他 买了雨伞", []),
        ("他昨天买了雨伞", "他买了雨伞", [("omitted", "昨天", "")]),
        ("他买了雨伞", "他昨天买了雨伞", [("added", "", "昨天")]),
        ("他买了雨伞", "他卖了雨伞", [("replaced", "买", "卖")]),
        ("他买了雨伞……", "他买了雨伞...", [("punctuation", "……", "...")]),
        ("他买了3把伞", "他买了5把伞", [("number", "3", "5")]),
        ("他买了1,000把伞", "他买了1000把伞", [("replaced", "1,000", "1000")]),
        ("他买了雨伞", "他买了umbrella", [("latin", "雨伞", "umbrella")]),
        ("他用USB充电", "他用usb充电", [("replaced", "USB", "usb")]),
        ("昨天我们在北京买了雨伞", "我们在北京买了雨伞昨天", [("moved", "昨天", "昨天")]),
        ("天地山，水火木", "春夏秋，冬东西", [("replaced", "天地山，水火木", "春夏秋，冬东西")]),
        ("天地，水火", "春夏，冬东", [("replaced", "天地", "春夏"), ("replaced", "水火", "冬东")]),
        (
            "比赛结束后他就离开了体育场馆",
            "比赛毕他就离开了体育场馆",
            [("replaced", "结束后", "毕")],
        ),
    ],
)
def test_kinds(ref, hyp, found):
    assert edits_of(ref, hyp) == found


def test_latin_is_left_only_in_other_scripts():
    assert edits_of("Er kauft", "Er buys", "de") == [("replaced", "kauft", "buys")]


def test_a_word_of_four_letters_can_be_moved_alone():
    assert edits_of("Auto fährt gut", "fährt gut Auto", "de") == [("moved", "Auto", "Auto")]
    kinds = [kind for kind, *_ in edits_of("Rad fährt gut", "fährt gut Rad", "de")]
    assert kinds == ["omitted", "added"]


def test_nothing_of_one_character_is_moved():
    found = edits_of("はこの本を読む", "本をこのは読む", "ja")
    assert all(len(ref) > 1 for kind, ref, _ in found if kind == "moved")


@pytest.fixture(scope="module")
def profile():
    refs = ["他昨天买了雨伞", "我们明天去北京"] * 15
    systems = {"A": refs, "B": ["他买了雨伞", "我们明天去东京"] * 15}
    return Campaign.from_lists(systems, refs).error_profile(n_resamples=100)


def test_rates_are_edits_per_thousand_characters(profile):
    assert profile.n_characters == 30 * 7
    rows = {(row.system, row.kind): row for row in profile.rates}
    assert {kind for _, kind in rows} == {*KINDS} - {"term"}
    omitted = rows["B", "omitted"]
    assert (omitted.count, omitted.rate) == (15, pytest.approx(1000 * 15 / 210))
    assert omitted.low < omitted.rate < omitted.high
    assert rows["B", "replaced"].count == 15
    assert all(row.count == row.rate == 0 for row in profile.rates if row.system == "A")


def test_two_systems_are_tested(profile):
    tests = profile.compare("A", "B")
    assert tests["omitted"].significant and tests["omitted"].p < 0.05
    assert not tests["moved"].significant and tests["moved"].p == 1
    assert [row.a for row in tests.values()] == [
        row.b for row in profile.compare("B", "A").values()
    ]
    with pytest.raises(OptionError):
        profile.compare("A", "C")


def test_few_segments_are_not_significant():
    refs = ["他昨天买了雨伞"] * 5
    made = Campaign.from_lists({"A": refs, "B": ["他买了雨伞"] * 5}, refs).error_profile()
    assert made.test == "exact"
    assert not any(row.significant for row in made.compare("A", "B").values())


def test_json_has_a_row_per_system_and_kind(profile):
    data = profile.to_dict()
    assert data["n_characters"] == 210
    assert {tuple(row) for row in data["error_profile"]} == {
        ("system", "kind", "count", "rate", "low", "high")
    }
    assert len(data["error_profile"]) == 14


@pytest.mark.parametrize("library", LIBRARIES)
def test_frames(profile, library):
    frame = profile.to_dataframe(library)
    assert list(frame.columns) == ["system", "kind", "count", "rate", "low", "high"]
    frame = profile.to_dataframe(library, level="segment")
    assert list(frame.columns) == ["system", "index", "segment", *profile.kinds]
    assert frame["omitted"].sum() == 15


def test_a_missed_term_is_an_edit():
    refs = ["他买了雨伞", "雨伞很贵"]
    campaign = Campaign.from_lists({"A": ["他买了阳伞", "雨伞很贵"], "B": refs}, refs)
    campaign = campaign.score("chrf").add_terms({"umbrella": "雨伞"})
    counts = {(row.system, row.kind): row.count for row in campaign.error_profile().rates}
    assert (counts["A", "term"], counts["B", "term"]) == (1, 0)


def test_the_first_reference_with_text_counts():
    campaign = Campaign.from_lists({"A": ["去北京", "买伞"]}, [[None, "买伞"], ["去北京", "卖伞"]])
    assert sum(row.count for row in campaign.error_profile().rates) == 0


def test_people_see_systems_by_kinds_and_programs_a_row_for_each(profile):
    assert str(profile).splitlines()[0].split() == ["system", *profile.kinds]
    rows = profile.render("tsv").splitlines()[1:]
    assert len(rows) == 14 and rows[7].split("\t")[3] == repr(profile.rates[7].rate)


def test_every_run_that_both_have_once_is_an_anchor():
    x = [9, *range(8)]
    assert diff._anchors(x, x, 2) == [(2 + i, 2 + i) for i in range(9 - diff.ANCHOR + 1)]
    assert diff._anchors(x, [8, *x], 2) == [(2 + i, 3 + i) for i in range(9 - diff.ANCHOR + 1)]
    assert diff._anchors(x, x[::-1], 2) == []


@pytest.mark.parametrize("metrics", [["chrf"], {"chrf": Chrf(lang="de")}])
def test_differences_are_those_of_the_language_that_was_scored(metrics):
    refs = ["Wir haben das alte Haus am Fluss gekauft", "Er vergaß den Regenschirm"]
    hyps = ["Wir haben das neue Haus am See gekauft", "Er fand den Regenschirm"]
    lang = "de" if isinstance(metrics, list) else None  # else it is that of the metric
    scored = Campaign.from_lists({"A": hyps}, refs).score(metrics, lang=lang)
    kinds = {row.kind for row in scored.findings(differences=True).rows}
    assert kinds == {"replaced"}
