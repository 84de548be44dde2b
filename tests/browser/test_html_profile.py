"""Kinds of differences: the page draws the differences that the profile counts, and lists them."""

import json
import random

import pytest
from conftest import ROOT
from opening import opened
from reports import places

from celab import Campaign
from celab.findings.differences.diff import differences
from celab.report.html.page import script_of

pytestmark = pytest.mark.browser

REFS = ["他昨天买了雨伞。", "我们明天去北京", "天气很好"] * 8
SYSTEMS = {
    "first": ["他昨天买了雨伞。", "我们明天去北京", "天气很好"] * 8,
    "second": ["他买了雨伞。", "我们明天去Tokyo", "天气很好"] * 8,
    "third": ["雨"] * 24,
}
PIECES = [
    "他昨天",
    "买了",
    "雨伞",
    "，",
    "。",
    " ",
    "3.5",
    "１０",
    "USB-C",
    "don't",
    "カ\u3099",
    "の",
    "น้ำ",
]
PIECES += ["Straße", "…", "!", "！", "한국", "・", "\u3000", "a", "的", "了", "我们", "明天去北京"]
SHARED = ROOT.parent / "shared" / "data" / "wmt24-enja-esa-news-speech"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "profile.html"
    campaign = Campaign.from_lists(SYSTEMS, REFS).score(["celab", "chrf"])
    campaign.test(n_resamples=50).html(path, lang="zh")
    return path.as_uri()


def states(difference):
    """Return what each unit of output and reference is, as `diff.js` has it."""
    sides = []
    for side, name in ((1, "extra"), (0, "missing")):
        units = difference[side]
        marks = ["same"] * len(units.texts)
        for step in difference.steps:
            for i in range(*step[side]):
                marks[i] = name if units.texts[i].strip() else "same"
        for step in difference.moved:
            marks[slice(*step[side])] = ["moved"] * (step[side][1] - step[side][0])
        sides.append(marks)
    return sides


def drawn_pairs():
    draw = random.Random(7)
    texts = ["".join(draw.choices(PIECES, k=draw.randint(0, 14))) for _ in range(400)]
    pairs = [*zip(texts[::2], texts[1::2], strict=True)]
    # Like each other: some pieces are gone, and two have changed places.
    for _ in range(400):
        pieces = draw.choices(PIECES, k=draw.randint(4, 30))
        other = [piece for piece in pieces if draw.random() < 0.85]
        cut = draw.randrange(len(other) + 1)
        pairs.append(("".join(pieces), "".join(other[cut:] + other[:cut])))
    return pairs


def real_pairs():
    if not SHARED.is_dir():
        return []
    refs = (SHARED / "ref-A.txt").read_text("utf-8").split("\n")
    outputs = (SHARED / "hyp" / "Aya23.txt").read_text("utf-8").split("\n")
    return [*zip(refs, outputs, strict=True)]


def states_in_page(browser, path, pairs, synonyms=None):
    """Return what each unit of output and reference is on the page, with and without a metric."""
    script = script_of("matching.js").replace(
        "})();",
        f"const shownMetric = {{ synonyms: {json.dumps(synonyms or [])} }};\n"
        "showMetric(() => shownMetric);\n"
        "Object.assign(window, { difference, matching });\n})();",
    )
    data = '<script id="data" type="application/json">{"lang": "zh"}</script>'
    given = json.dumps(pairs).replace("<", "\\u003c")
    path.write_text(
        f"<meta charset=utf-8>{data}<script>{script}\nconst pairs = {given};</script>", "utf-8"
    )
    page = browser.open(path.as_uri())
    name = "difference" if synonyms is None else "matching"
    found = page.run(
        f"pairs.map(([ref, hyp]) => {name}(ref, hyp)).map((found) =>"
        " [found.states, found.sides.map(({ units }) => units)])"
    )
    page.close()
    return found


def test_the_page_finds_the_differences_that_are_counted(browser, tmp_path):
    pairs = [*drawn_pairs(), *real_pairs()]
    own = [states(*next(differences([ref], [[hyp]]))) for ref, hyp in pairs]
    assert [found for found, _ in states_in_page(browser, tmp_path / "diff.html", pairs)] == own
    assert sum("moved" in side for marks in own for side in marks) > 50


def spread(texts, states):
    """Return the state of each character that is no space."""
    return [
        state
        for text, state in zip(texts, states, strict=True)
        for character in text
        if character.strip()
    ]


@pytest.mark.parametrize("name", ["celab", "celab-recommended"])
def test_nothing_that_the_metric_matches_is_missing_or_extra(browser, tmp_path, name):
    draw = random.Random(11)
    pieces = [
        "他",
        "昨天",
        "买",
        "购买",
        "了",
        "雨伞",
        "伞",
        "，",
        "美丽",
        "漂亮",
        "坏",
        "破坏",
        "的",
    ]
    texts = ["".join(draw.choices(pieces, k=draw.randint(2, 14))) for _ in range(400)]
    pairs = [*zip(texts[::2], texts[1::2], strict=True)]
    refs, hyps = ([*side] for side in zip(*pairs, strict=True))
    metric = Campaign.from_lists({"A": hyps}, refs).score(name).metrics[name]
    scorer = metric.scorer([refs])
    groups = [" ".join(words) for words in scorer.synonyms([refs, hyps])]
    n_unmatched = n_shown = 0
    found = states_in_page(browser, tmp_path / "matching.html", pairs, groups)
    for (ref, hyp), (drawn, units) in zip(pairs, found, strict=True):
        explained = scorer.explain(hyp, [ref]).against[0].sentences[::-1]
        for side, marks, parts in zip(explained, drawn, units, strict=True):
            for own, state in zip(
                spread(parts, marks), spread(side.tokens, side.states), strict=True
            ):
                is_shown = own in ("missing", "extra")
                assert not is_shown or state == "unmatched", (ref, hyp)
                n_unmatched += state == "unmatched"
                n_shown += is_shown
    assert 0.8 * n_unmatched < n_shown < n_unmatched


def test_a_rate_lists_the_outputs_with_such_a_difference(opened):
    page = opened()
    cell = "#kinds-of-errors tbody tr:nth-child(2) td button"
    assert page.text(cell) == "52.6"  # 8 in 8 × 19 characters
    page.click(cell)
    page.until("location.hash.includes('error=omitted')")
    assert places(page)[:3] == [1, 4, 7]
    assert page.text("#count") == "8 of 24 segments"
    assert page.text("#chips [data-chip=error]") == "Difference from the reference: Omitted ×"


def test_what_is_absent_is_no_button(opened):
    page = opened()
    row = "#kinds-of-errors tbody tr:nth-child(1)"
    assert page.count(f"{row} button") == 0
    assert page.text(f"{row} td").strip() == "0.0"


def test_two_systems_have_their_rates_and_tests(opened):
    page = opened("a=first&b=second")
    cells = "[...document.querySelector('.errors-of-pair tbody tr').cells]"
    texts = page.run(f"{cells}.map((cell) => cell.dataset.copy ?? cell.textContent)")
    assert texts[:4] == ["Omitted", "0.0", "−52.6", "52.6"]
    assert page.count(".errors-of-pair tbody tr:first-child b") == 1  # significant
    label = page.run(f"{cells}[2].querySelector('svg').getAttribute('aria-label')")
    found = profile_of_pair()
    low, high = (f"−{-end:.1f}" for end in found.interval)
    assert label == f"−52.6, 95% interval {low} to {high}"


def profile_of_pair():
    campaign = Campaign.from_lists(SYSTEMS, REFS).score("celab").test(n_resamples=50)
    return campaign.error_profile(n_resamples=50).compare("first", "second")["omitted"]


def test_the_table_is_said_in_chinese(opened):
    page = opened("page=zh&error=omitted")
    assert "漏译" in page.text("#kinds-of-errors thead")
    assert page.text("#chips [data-chip=error]") == "与参考译文的差异：漏译 ×"
