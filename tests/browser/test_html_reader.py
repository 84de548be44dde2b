"""The table of systems, selections that follow each other, and the segment beside the list."""

import pytest
from campaigns import run
from opening import address, campaign, metric, opened, uncover
from reports import BAD_IN_URL, REFS, SCRIPT, places

from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Chrf
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

WORDS = ["买雨伞", "今天天气不错", "他们明天来", "我们去公园散步", "他昨天买了一台新电脑"]


def top(page, selector):
    """Return where an element begins, from the top of the page."""
    return page.run(f"document.querySelector({selector!r}).getBoundingClientRect().top + scrollY")


@pytest.fixture(scope="module")
def many(metric, tmp_path_factory):
    """The address of a report on 29 systems by two metrics, on 30 segments."""
    n = 30
    refs = [WORDS[s % 5] for s in range(n)]
    systems = {
        f"system {k}": [
            ref if (s * 7 + k) % 29 > k else ref[: k % 3 + 1] for s, ref in enumerate(refs)
        ]
        for k in range(29)
    }
    corpus = Corpus(
        segments=[Segment("", str(s + 1)) for s in range(n)],
        systems=systems,
        refs=[refs],
        ref_names=["ref"],
    )
    metrics = {"celab": metric, "chrf": Chrf()}
    path = tmp_path_factory.mktemp("page") / "many.html"
    page = campaign_page(run(metrics, corpus, n_resamples=50), metrics, lang="zh")
    path.write_text(page, "utf-8")
    return path.as_uri()


def test_with_29_systems_results_are_near_the_top(browser, many):
    page = browser.open(many)
    assert top(page, "svg.dot") < 300 and top(page, ".facts") < 1400
    assert top(page, "#pair-heading") < 2600
    uncover(page)
    assert page.count(".board") == 2  # one for each metric, of which one is shown
    assert page.page.locator(".board:visible").count() == 1
    page.run("location.hash = 'segment=3&system=system+4'")
    page.until("document.querySelector('.aligned')")
    inner = "document.querySelector('.inner').getBoundingClientRect().top"
    assert (
        page.run(f"document.querySelector('.against').getBoundingClientRect().top - {inner}") < 250
    )
    order = page.run(
        "[...document.querySelectorAll('.inner > .against, .summary, .aligned, .orders, .outputs,"
        " .all-links')].map((x) => x.classList[0])"
    )
    assert order == ["against", "outputs", "summary", "aligned", "orders", "all-links"]
    assert not page.run("document.querySelector('.all-links').open")
    page.close()


def test_names_bars_boxes_and_cells_select(opened, campaign):
    page = opened()
    page.click(".board .name button")
    page.until("location.hash.includes('a=good')")
    of_good = campaign.scores["celab"]["good"].segments.scores
    # What lost most, of its score and of the length of its reference, is first; what looks broken
    # comes after that.
    order = sorted(
        range(5), key=lambda s: ((of_good[s] - 1) * len(REFS[s]) * (1e-6 if s == 2 else 1), s)
    )
    assert places(page) == [s + 1 for s in order]
    assert page.run("document.activeElement.dataset.place") == "0"  # arrow keys move in the list
    page.page.go_back()
    page.until("!location.hash.includes('a=good')")
    low, high = page.run(
        "(({low, high}) => [low, high])(document.querySelector('.histogram g').dataset)"
    )
    page.page.locator(".histogram g .bar").first.click()
    page.until("location.hash.includes('min=')")
    assert sorted(places(page)) == [
        s + 1 for s in range(5) if float(low) <= of_good[s] <= float(high)
    ]
    assert page.text("[data-chip=min]") == f"Score: {low}–{high} ×"
    page.click("#chips [type=reset]")
    page.until("!location.hash.includes('min=')")
    assert page.count("#chips button") == 0
    page.page.locator(".board input").nth(1).check()
    page.page.locator(".board input").nth(0).check()
    page.until("two.a.value === '1' && two.b.value === '0'")
    page.click(".matrix button")
    page.until("two.a.value === '0' && two.b.value === '1'")
    assert page.run("document.activeElement.id") == "pair-heading"


def test_dragging_in_the_scatter_lists_an_area(opened, campaign):
    page = opened()
    page.run("document.querySelector('svg.segments').scrollIntoView({block: 'center'})")
    box = page.page.locator("svg.segments").bounding_box()

    def place(a, b):
        scale = box["width"] / 320
        return box["x"] + (44 + b * 268) * scale, box["y"] + (320 - 44 - a * 268) * scale

    page.page.mouse.move(*place(0.3, 0.0))
    page.page.mouse.down()
    page.page.mouse.move(*place(0.6, 0.2))
    page.page.mouse.move(*place(1.0, 0.5))
    page.page.mouse.up()
    page.until("location.hash.includes('box=')")
    assert not page.run("document.getElementById('segment').open")
    ends = page.run("new URLSearchParams(location.hash.slice(1)).get('box')").split(",")
    b0, b1, a0, a1 = map(float, ends)
    assert (b0, b1, a0, a1) == pytest.approx((0, 0.5, 0.3, 1), abs=0.02)
    of = campaign.scores["celab"]
    pairs = zip(of["good"].segments.scores, of[SCRIPT].segments.scores, strict=True)
    wanted = [s + 1 for s, (a, b) in enumerate(pairs) if a0 <= a <= a1 and b0 <= b <= b1]
    assert sorted(places(page)) == wanted and wanted
    assert page.text("[data-chip=box]").startswith("Area: A ")
    page.click("[data-chip=box]")
    page.until("!location.hash.includes('box=')")


def test_arrow_keys_move_the_segment_beside_the_list(opened):
    page = opened("a=good&sort=segment")
    page.click(".row")
    page.until("document.querySelector('.aligned')")
    left, right = page.run(
        "['.list', '#segment'].map((x) => document.querySelector(x).getBoundingClientRect().x)"
    )
    assert left < right and not page.run("document.getElementById('segment').matches(':modal')")
    page.press("ArrowDown")
    page.until("document.getElementById('segment-heading').textContent.startsWith('Segment 2')")
    assert page.run("document.activeElement.dataset.place") == "1"
    assert page.run("document.querySelector('.row.chosen').dataset.place") == "1"
    page.press("Enter")
    assert page.run("document.activeElement.className") == "inner"
    page.resize(900, 800)
    page.until("document.getElementById('segment').matches(':modal')")
    assert page.text("#segment-heading").startswith("Segment 2")
    page.resize(1280, 800)
    page.until("!document.getElementById('segment').matches(':modal')")
    assert page.run("document.getElementById('segment').open")
    page.press("Escape")
    page.until("!document.getElementById('segment').open")


def test_opening_a_segment_keeps_the_rows_of_the_list(opened):
    page = opened("sort=segment", width=1440)
    page.run("document.querySelectorAll('.row').forEach((row) => { row.isKept = true; })")
    page.run("location.hash = 'sort=segment&segment=2&system=good'")
    page.until("document.querySelector('#segment .aligned')")
    rows = "[...document.querySelectorAll('.row')]"
    assert page.run(f"{rows}.every((row) => row.isKept)")
    assert page.run(f"{rows}.map((row) => row.matches('.chosen'))")[:3] == [False, True, False]


# Clicks the fourth row in sight; where it stands in the list before and in the first frame of the
# segment, and how much of the list rows cover in that frame.
FIRST_FRAME = """new Promise((done) => {
  const list = document.getElementById("rows");
  const edges = (row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return [top, bottom].map((y) => Math.round(y - list.getBoundingClientRect().top));
  };
  const rows = () => [...list.querySelectorAll(".row")];
  const row = rows().filter((each) => edges(each)[0] >= 0)[3];
  const before = edges(row)[0];
  row.click();
  requestAnimationFrame(() => {
    const covered = rows().map(edges).map(([top, bottom]) =>
      Math.max(0, Math.min(bottom, list.clientHeight) - Math.max(top, 0)));
    done([before, edges(row)[0], covered.reduce((x, y) => x + y) / list.clientHeight]);
  });
})"""


@pytest.mark.parametrize("scrolled", [0, 3000])
def test_rows_are_in_sight_in_the_first_frame_of_a_segment(browser, many, scrolled):
    page = browser.open(many + "#rows=outputs", width=1440)
    page.run(f"document.getElementById('rows').scrollTop = {scrolled}")
    page.until(f"document.querySelector('[data-place=\"{scrolled // 60 + 4}\"]')")
    before, after, covered = page.run(FIRST_FRAME)
    assert page.run("document.getElementById('segment').open")
    assert before == after  # below the pointer
    assert covered == pytest.approx(1, abs=0.02)
    page.close()


def test_tables_that_are_drawn_later_show_that_there_is_more(opened):
    page = opened(width=390)
    page.until("document.querySelector('.by-bucket .scroll.more')")
    page.run("location.hash = 'search=伞'")
    page.until("document.getElementById('selection')")
    page.until("document.querySelector('.by-bucket .scroll.more')")


def test_paper_does_not_wait_for_what_is_drawn_later(opened):
    page = opened("segment=1&system=good", width=1440)
    printed = """new Promise((done) => {
      addEventListener("hashchange", async () => {
        const before = document.querySelectorAll("#segment .aligned").length;
        dispatchEvent(new Event("beforeprint"));
        for (let turn = 0; turn < 9; turn++) await null; // promises, but no frame
        done([before, document.querySelectorAll("#segment .aligned").length]);
      }, { once: true });
      location.hash = "segment=2&system=good";
    })"""
    assert page.run(printed) == [0, 1]
    page.run("dispatchEvent(new Event('afterprint'))")


def test_a_segment_says_in_one_sentence_what_is_missing(opened, metric):
    page = opened("segment=5&system=" + BAD_IN_URL)
    page.until("document.querySelector('.summary')")
    found = metric.explain("他们后天不来了", "他们明天来")
    covered = sum(ngram.cover for ngram in found.ref_ngrams)
    said = page.text(".summary")
    counts = f"{covered:g} of {len(found.ref_ngrams)} n-grams of the reference are covered."
    assert said == f"Missing: 明 (in 明天). {counts}"
    widths = page.run(
        "[...document.querySelectorAll('.orders td:nth-child(2) .meter')].map((x) =>"
        " x.firstChild.getBoundingClientRect().width / (x.clientWidth))"
    )
    orders = [{1}, {2}, {3}, {4}, {1, 2, 3, 4}]
    by_order = [
        [n.cover for n in found.ref_ngrams if n.span[1] - n.span[0] in order] for order in orders
    ]
    shares = [sum(covers) / len(covers) for covers in by_order]
    assert widths == pytest.approx(shares, abs=0.02)


def test_nothing_found_is_said_and_can_be_undone(opened):
    page = opened("search=nowhere")
    assert page.page.locator("#nothing").is_visible() and page.count(".row") == 0
    page.click("#nothing button")
    page.until("document.querySelectorAll('.row').length === 5")
    assert not page.page.locator("#nothing").is_visible()


def test_hits_of_a_search_are_marked(opened):
    page = opened("a=good&search=天气")
    assert page.text(".row mark") == "天气" and page.text(".row .of-hyp bdi") == "今天天气很好"
    page = opened("a=good&search=UMBRELLA&segment=1&system=good")
    assert page.text(".source mark") == "umbrella"


def test_small_buckets_are_gray_and_bars_have_the_length_of_the_difference(opened):
    page = opened("by=score")
    assert page.count(".buckets tr.few") == page.count(".buckets tbody tr") > 1
    rows = page.run(
        "[...document.querySelectorAll('.buckets tbody tr')].map((row) =>"
        " [row.cells[4].textContent, row.querySelector('rect').getAttribute('class'),"
        " Number(row.querySelector('rect').getAttribute('width'))])"
    )
    means = [float(text.replace("−", "-")) for text, _, _ in rows]
    assert [kind for _, kind, _ in rows] == ["of-a" if mean > 0 else "of-b" for mean in means]
    apart = [(width, abs(mean)) for (_, _, width), mean in zip(rows, means, strict=True) if mean]
    (first, a), (second, b) = apart[:2]
    assert first / second == pytest.approx(a / b, rel=0.01)
