"""Errors carry the ink: differences made in the page, the list to read, all systems aligned."""

import json

import pytest
from campaigns import run
from opening import complete, opened
from reports import places

from celab import Campaign, TeslaCelab
from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Chrf
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

LONG = "这座城市的春天来得很早，公园里的花都开了，孩子们在草地上放风筝，老人们在树下下棋，"
REFS = [
    "他们明天来",
    "今天天气不错",
    f"{LONG}一切都很安静",
    "会议在三号楼举行",
    "我们去公园散步",
    "请把门关上",
]
SYSTEMS = {
    "first": [
        "明天他们不来",
        "今天天气很好",
        f"{LONG}一切都很吵闹",
        "会议在三号楼举行",
        "我们去公园散步",
        "I cannot translate this text, because it asks me to close a door.",
    ],
    "second": [
        "他们后天来",
        "今天天气很好",
        f"{LONG}一切都很安静",
        "会议在二号楼召开",
        "我去公园",
        "请关门",
    ],
    "third": ["他们明天来", "今天天气很好", "安静", "", "公园散步", "请把窗关上"],
}
SOURCE = [
    "They come tomorrow",
    "Nice weather today",
    "All is quiet in the city",
    "The meeting takes place in building 3",
    "We walk in the park",
    "Close the door, please",
]
DOMAINS = ["news", "news", "speech", "speech", "speech", "news"]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    segments = [Segment(f"d{i // 2}", str(i + 1), domain=DOMAINS[i]) for i in range(6)]
    corpus = Corpus(
        segments=segments, systems=SYSTEMS, refs=[REFS], ref_names=["ref"], source=SOURCE
    )
    metrics = {"celab": TeslaCelab(), "chrf": Chrf()}
    path = tmp_path_factory.mktemp("page") / "errors.html"
    campaign = run(metrics, corpus, n_resamples=50)
    path.write_text(campaign_page(campaign, metrics, lang="zh", explained=6), "utf-8")
    return path.as_uri()


def runs(page, selector):
    """Return the marked runs below an element: state and text of each."""
    return page.run(
        f"[...document.querySelectorAll({json.dumps(selector)} + ' .run')].map((x) =>"
        " [x.classList[1], x.textContent])"
    )


def listed_texts(page, kind):
    selector = f".row .of-{kind} bdi"
    return page.run(
        f"[...document.querySelectorAll({json.dumps(selector)})].map((x) => x.textContent)"
    )


@pytest.mark.parametrize("metric", ["celab", "chrf"])
def test_every_output_has_its_differences_marked_by_every_metric(opened, metric):
    page = opened(f"metric={metric}&a=second&sort=segment")
    assert page.count(".row") == 6 and page.count(".row .of-ref") == page.count(".row .of-hyp")
    row = ".row:nth-child(4)"
    # 举行 and 召开 are synonyms in the lexicon, which chrF has not.
    marks = ["synonym"] * 2 if metric == "celab" else ["missing", "extra"]
    assert runs(page, f"{row} .of-ref") == [["missing", "三"], [marks[0], "举行"]]
    assert runs(page, f"{row} .of-hyp") == [["extra", "二"], [marks[1], "召开"]]
    assert "no links" not in page.text("body")
    for segment in range(1, 7):
        page.run(f"location.hash = 'metric={metric}&segment={segment}&system=second'")
        complete(page)
        page.until(
            "document.querySelector("
            "'#segment .against .run, #segment .aligned, #segment .against bdi')"
        )


def test_what_stands_elsewhere_is_moved(opened):
    page = opened("metric=chrf&a=first&segment=1&system=first")
    assert runs(page, ".against .of-ref") in ([["moved", "他们"]], [["moved", "明天"]])
    assert ["extra", "不"] in runs(page, ".against .of-hyp")
    assert [state for state, _ in runs(page, ".against")].count("moved") == 2
    explained = opened("metric=celab&segment=1&system=first")
    if explained.count(".aligned .token"):
        assert explained.count(".aligned .token[data-state=moved]") == 4
        assert explained.count(".legend .token[data-state=moved]") == 1
        assert explained.count(".legend .token.cut") == 1  # links across a word boundary


def test_a_run_of_errors_has_one_frame(opened):
    page = opened("metric=celab&segment=3&system=third")
    page.until("document.querySelector('.aligned .token')")
    begins, ends, errors = page.run(
        "['.begins', '.ends', ''].map((x) => document.querySelectorAll("
        "`.aligned .reference .token[data-state=missing]${x}`).length)"
    )
    assert begins == ends and 0 < begins < errors


def test_matched_text_is_quiet_and_errors_are_strong(opened):
    page = opened("metric=chrf&segment=4&system=second")
    quiet, strong = page.run(
        "['.against .of-ref bdi', '.against .of-ref .missing'].map((x) => {"
        " const style = getComputedStyle(document.querySelector(x));"
        " return [style.fontWeight, style.backgroundColor]; })"
    )
    assert quiet == ["400", "rgba(0, 0, 0, 0)"]
    assert strong[0] == "600" and strong[1] != quiet[1]


def test_the_worst_are_first_and_of_two_systems_the_most_different(opened):
    page = opened("a=third")
    data = page.run("JSON.parse(document.getElementById('data').textContent)")
    third = data["systems"].index("third")
    scores = data["metrics"][0]["scores"][third]
    letters = [sum(map(str.isalnum, ref)) for ref in data["refs"][0]]
    lost = {
        number + 1: (1 - score) * n
        for number, (score, n) in enumerate(zip(scores, letters, strict=True))
        if n >= 10
    }
    shown = [place for place in places(page) if place in lost]
    assert shown == sorted(lost, key=lambda place: (-lost[place], place))
    page = opened("a=third&b=second")
    apart = page.run(
        "[...document.querySelectorAll('.row .c-difference')].map((x) =>"
        " Math.abs(Number(x.textContent.replace(/[^0-9.]/g, ''))))"
    )
    assert apart == sorted(apart, reverse=True) and apart[0] > 0
    assert page.count(".row:first-child .text-line") == 3  # reference, A, B


def test_segments_without_words_are_last_among_the_worst(browser, tmp_path):
    path = tmp_path / "slight.html"
    refs = [
        "https://example.org/a",
        "1/3",
        "😀",
        "好",
        "今天天气很好我们出去玩",
        "昨天下午他在那里买了伞",
    ]
    outputs = ["见网页", "三分之一", "笑", "坏", "今天天气不错我们出去玩", "昨天下午他在那里买了伞"]
    scored = Campaign.from_lists({"x": outputs, "y": refs}, refs).score("celab")
    scored.test(n_resamples=50).html(path, lang="zh")
    page = browser.open(f"{path.as_uri()}#a=x")
    page.until("document.querySelectorAll('.row').length === 6")
    assert places(page)[0] == 5 and places(page)[-1] != 4
    page.close()


def test_a_row_shows_its_difference_and_the_hit_of_a_search(opened):
    page = opened("a=first&sort=segment")
    assert (
        listed_texts(page, "ref")[2].startswith("…") and listed_texts(page, "ref")[2][-2:] == "安静"
    )
    assert ["missing", "安静"] in runs(page, ".row:nth-child(3) .of-ref")
    for words, kind in (("下棋", "hyp"), ("QUIET", "other")):
        page = opened(f"a=first&search={words}")
        inside = page.run(
            f"(() => {{ const hit = document.querySelector('.row .of-{kind} mark');"
            " const line = hit.closest('bdi').getBoundingClientRect();"
            " return [hit.textContent, hit.getBoundingClientRect().right <= line.right]; })()"
        )
        assert inside == [words.lower(), True]
    assert page.text(".row .of-other .who") == "Source"  # the field is named


def test_all_systems_are_aligned_and_equal_outputs_share_a_row(opened):
    page = opened("metric=chrf&segment=2&system=first")
    assert page.count(".aligned-outputs tr") == 2  # the reference and one row
    assert page.count(".aligned-outputs th [data-system]") == 3
    cells = (
        "[...document.querySelectorAll('.aligned-outputs tr:nth-child(2) td')].slice(1)"
        ".map((x) => [x.className, x.colSpan, x.textContent])"
    )
    assert page.run(cells) == [["same", 4, ""], ["differs", 2, "很好"], ["rest", 1, ""]]
    page.run("location.hash = 'metric=chrf&segment=5&system=second'")
    page.until("document.querySelectorAll('.aligned-outputs .differs > .missing').length === 3")
    page.click(".aligned-outputs [data-system='2']")
    page.until("location.hash.includes('system=third')")
    page.click("[data-view=texts]")
    assert page.count(".texts-of-outputs tbody tr") == 4


def test_a_is_compared_with_b(opened):
    page = opened("a=second&b=third&sort=segment&segment=6&system=second&metric=chrf")
    page.click("#segment [data-against=pair]")
    page.until("location.hash.includes('against=pair')")
    lines = page.run("[...document.querySelectorAll('.against .who')].map((x) => x.textContent)")
    assert lines == ["A", "B"]
    assert [state for state, _ in runs(page, ".against .of-b")] == ["b"] * len(
        runs(page, ".against .of-b")
    )
    assert page.text(".aligned-outputs .base th") == "A: second"
    assert page.count(".row:first-child .text-line") == 2


def test_every_view_follows_the_filters(opened):
    page = opened("a=first&b=second&domain=news")
    assert page.run("filters.domain.value") == "0" and page.count(".row") == 3
    dots = "[...document.querySelectorAll('.dots')].map((x) => x.getAttribute('d')).join('')"
    assert page.run(dots).count("h0") == 3
    counts = (
        "[...document.querySelectorAll('.buckets tbody tr')].map((x) => x.cells[1].textContent)"
    )
    assert sum(map(int, page.run(counts))) == 3
    assert page.text("#selection") == "Shown for the 3 segments that the filters leave."
    assert page.text("[data-chip=domain]") == "Domain: news ×"


def test_a_link_to_a_list_leads_there_and_a_metric_keeps_the_place(opened):
    page = opened("a=second", height=500, closed=True)
    top = "document.getElementById('segments-heading').getBoundingClientRect().top"
    assert 0 <= page.run(top) < 250
    before = page.run(top)
    page.run("document.querySelector(\".metrics [data-metric='1']\").click()")  # without scrolling
    page.until("location.hash.includes('metric=chrf')")
    assert page.run(top) == pytest.approx(before, abs=2)


def test_systems_are_offered_in_the_order_of_their_rank(opened):
    page = opened()
    ranked = page.run("JSON.parse(data.textContent).metrics[0].ranked")
    assert page.run("[...two.a.options].map((x) => Number(x.value))") == ranked


def test_type_has_six_sizes(opened):
    page = opened("a=second&b=third&segment=5&system=second")
    page.run("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
    sizes = page.run(
        "[...new Set([...document.querySelectorAll("
        "'body *:not(svg *, script, style, option, sup)')]"
        ".filter((x) => [...x.childNodes].some((y) => y.nodeType === 3 && y.textContent.trim()))"
        ".map((x) => parseFloat(getComputedStyle(x).fontSize)))]"
    )
    assert set(sizes) <= {12, 13, 15, 17, 20, 26}, sizes


def test_sections_have_one_right_edge(opened):
    page = opened(width=1440)
    page.run("document.querySelectorAll('.all-pairs').forEach((x) => { x.open = true; })")
    edges = page.run(
        "['header', '.answer', '.board', '#kinds-of-outputs table', '.shares', '.filters', '.grid']"
        ".map((x) => Math.round(document.querySelector(x).getBoundingClientRect().right))"
    )
    assert len(set(edges)) == 1


def test_on_touch_screens_nothing_is_hovered_and_no_key_is_named(browser, address):
    context = browser._browser.new_context(has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(f"{address}#segment=4&system=second")
    page.wait_for_selector(".said")
    assert page.text_content(".said") == "Tap a token to see what it is linked to."
    assert not page.is_visible("#keys kbd")
    context.close()


def test_paper_has_complete_texts(opened):
    page = opened("a=first&sort=segment")
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.page.emulate_media(media="print")
    assert listed_texts(page, "ref") == REFS and listed_texts(page, "hyp") == SYSTEMS["first"]
    widths = "[document.documentElement.scrollWidth, innerWidth]"
    whole, seen = page.run(widths)
    assert whole <= seen
    page.page.emulate_media(media="screen")
    page.run("dispatchEvent(new Event('afterprint'))")
