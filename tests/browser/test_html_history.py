"""Back and Forward in the report, and the report on paper."""

import re

import pytest
from campaigns import run
from opening import address, campaign, metric, opened
from reports import BAD, BAD_IN_URL, GOOD, REFS, places

from celab.corpus import Corpus, Segment
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser


def n_entries(page):
    return page.run("history.length")


def test_back_closes_a_segment_and_stays_in_the_report(opened):
    page = opened("a=good&sort=segment")
    before = n_entries(page)
    page.click(".row:nth-child(3)")
    page.until("location.hash.includes('segment=3')")
    assert n_entries(page) == before + 1
    page.press("j")
    page.press("j")
    page.until("location.hash.includes('segment=5')")
    assert n_entries(page) == before + 1  # moving on is no entry of its own
    page.page.go_back()
    page.until("!document.getElementById('segment').open")
    assert page.run("location.hash") == "#a=good&sort=segment"
    page.page.go_forward()
    page.until("document.getElementById('segment').open")
    assert page.text("#segment-heading").startswith("Segment 5")


def test_closing_a_segment_leaves_no_entry_to_step_over(opened):
    page = opened("a=good")
    page.click("[data-bucket='0']")
    page.until("location.hash.includes('bucket')")
    listed = page.run("location.hash")
    page.click(".row")
    page.until("document.getElementById('segment').open")
    page.press("Escape")
    page.until("!document.getElementById('segment').open")
    page.until(f"location.hash === {listed!r}")
    page.page.go_back()
    page.until("location.hash === '#a=good'")
    assert sorted(places(page)) == [1, 2, 3, 4, 5]


def test_a_pair_is_an_entry_but_typing_is_none(opened):
    page = opened()
    before = n_entries(page)
    page.click("[name=search]")
    page.type("天气")
    page.until("location.hash.includes('search=')")
    assert n_entries(page) == before
    page.run("two.b.dispatchEvent(new Event('change', {bubbles: true}))")
    page.until("location.hash.includes('a=good')")
    assert n_entries(page) == before + 1
    page.click("[name=swap]")
    page.until("two.a.value === '1'")
    page.page.go_back()
    page.until("two.a.value === '0'")
    page.page.go_back()
    page.until("!location.hash.includes('a=good')")
    assert page.run("document.querySelector('[name=search]').value") == "天气"


def n_pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


@pytest.fixture(scope="module")
def long_report(metric, tmp_path_factory):
    n = 500
    segments = [Segment("", str(s + 1)) for s in range(n)]
    systems = {"good": (GOOD * 100)[:n], "bad": (BAD * 100)[:n]}
    corpus = Corpus(segments=segments, systems=systems, refs=[(REFS * 100)[:n]], ref_names=["ref"])
    path = tmp_path_factory.mktemp("page") / "long.html"
    campaign = run({"celab": metric}, corpus, n_resamples=50)
    path.write_text(campaign_page(campaign, {"celab": metric}, explained=20), "utf-8")
    return campaign, path.as_uri()


def test_on_paper_are_the_results_and_the_lowest_segments(browser, long_report):
    campaign, address = long_report
    page = browser.open(f"{address}#rows=outputs")
    assert n_pages(page.page.pdf(format="A4")) <= 6
    assert page.text("#count") == "1,000 outputs"
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.page.emulate_media(media="print")
    assert page.count(".row") == 20
    shown = page.run("[...document.querySelectorAll('.row .c-score')].map((x) => x.textContent)")
    both = campaign.scores["celab"].values()
    lowest = sorted(value for score in both for value in score.segments.scores)[:20]
    assert [float(text) for text in shown] == pytest.approx(lowest, abs=1e-4)
    assert "980 more not printed" in page.page.locator("#printed").inner_text()
    heights = page.run("(({scrollHeight, clientHeight}) => [scrollHeight, clientHeight])(rows)")
    assert heights[0] <= heights[1]
    page.page.emulate_media(media="screen")
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.text("#count") == "1,000 outputs" and page.count(".row") > 8
    assert not page.page.locator("#printed").is_visible()
    page.close()


def test_a_chosen_order_is_printed(browser, long_report):
    _, address = long_report
    page = browser.open(f"{address}#a=good&b=bad&sort=apart&order=descending")
    first = places(page)[0]
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert places(page)[0] == first and page.count(".row") == 20
    assert page.text("#printed") == "The first 20; 480 more not printed."
    page.close()


def test_an_open_segment_is_printed_alone(opened):
    page = opened(f"a=good&b={BAD_IN_URL}&segment=1&system=good")
    assert n_pages(page.page.pdf(format="A4")) <= 2
