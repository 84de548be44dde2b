"""The first screen: the verdict with its evidence, and a table of systems that fits."""

import pytest
from opening import opened, report_pages

from celab import Campaign

pytestmark = pytest.mark.browser

REFS = ["他买了一把雨伞", "我们明天去北京", "天气很好"] * 10
SYSTEMS = {
    "first": [*REFS[:-1], "天气不好"],
    "second": ["他买了一把伞子", "我们后天去北京", "天气不错"] * 10,
    "silent": [*REFS[:6], *[""] * 24],
}
PEOPLE = {"first": [50 + i for i in range(30)], "second": [90.0] * 30, "silent": [10.0] * 30}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "first.html"
    campaign = Campaign.from_lists(SYSTEMS, REFS).score(["celab", "chrf"])
    campaign.with_scores({"human": PEOPLE}).test(n_resamples=50).html(path, lang="zh")
    return path.as_uri()


def first_lines(page):
    texts = "[...document.querySelectorAll('.of-metric:not([hidden]) .answer > *')]"
    return page.run(f"{texts}.map((node) => node.innerText)")


def columns(page):
    cells = "[...document.querySelectorAll('.of-metric:not([hidden]) .board thead th')]"
    return page.run(f"{cells}.filter((x) => x.offsetParent).map((x) => x.innerText)")


def wait_until_nothing_is_cut(page):
    """Waits: columns leave when the browser has told the page its new width."""
    node = "document.querySelector('.of-metric:not([hidden]) .board').parentElement"
    page.until(f"{node}.scrollWidth <= {node}.clientWidth")


def test_the_verdict_is_that_of_metric_and_people(opened):
    page = opened()
    verdict, evidence = first_lines(page)
    assert verdict == "first leads by TESLA-CELAB; people prefer second."
    lead, people, apart = evidence.split(" · ")
    assert " against second, p " in lead
    assert people.startswith("people: second 90.00, first 64.50, p ")
    assert apart == "1 of 3 pairs ordered differently"
    page.click(".metrics [data-metric='1']")
    assert first_lines(page)[0] == "first leads by chrF2; people prefer second."


def test_few_words_stand_before_the_systems(opened):
    """A reader of twelve systems with people has read at most 90 words when the table begins."""
    before = (
        "[...document.querySelectorAll('header, .contents, .answer')]"
        ".filter((node) => node.checkVisibility() &&"
        " node.compareDocumentPosition(document.querySelector('.board'))"
        " & Node.DOCUMENT_POSITION_FOLLOWING).map((node) => node.innerText).join(' ')"
    )
    words = opened(width=1440).run(before).split()
    assert "prefer" in words and "Segments" in words
    assert len(words) <= 90


def test_links_lead_to_the_evidence(opened):
    page = opened()
    page.click(".leads [data-pair]")
    assert page.run("[two.a, two.b].map((select) => select.selectedOptions[0].text)") == [
        "second",
        "first",
    ]
    assert page.run("document.activeElement.id") == "pair-heading"
    assert page.text("#compared .verdict") == "first leads by TESLA-CELAB."
    lead, people = page.text("#compared .evidence").split(" · ")
    assert lead.startswith("A − B = −0.")
    assert people.startswith("people: A 90.00, B 64.50, p ")
    page.click(".leads [href='#outputs-heading']")
    assert page.run("document.activeElement.id") == "outputs-heading"
    sentence = page.text("#outputs-heading ~ .of-metric:not([hidden])")
    assert sentence.startswith("Without 24 outputs that are not translations, silent passes first")
    page.click(".contents [href='#matrix-0']")
    assert page.run("document.activeElement.id") == "matrix-0"
    assert page.run("document.querySelector('.all-pairs').open")
    page.until("document.querySelector('.contents [aria-current]').innerText === 'Significance'")


def test_segments_on_which_people_disagree_are_opened(opened):
    page = opened("a=second&search=伞")
    page.click(".leads [data-view*=disagree]")
    page.until("location.hash === '#sort=disagree%3Ahuman&order=descending'")
    assert page.run("filters.sort.selectedOptions[0].text") == "most disagreement with people"
    assert "places" in page.run("filters.sort.title")
    link = ".leads [data-view*=segment]"
    name = page.text(link)
    page.click(link)
    page.until("document.getElementById('segment').open")
    assert page.text("#segment-heading").strip() == name


def test_a_heading_says_what_its_column_is(opened):
    page = opened()
    legend = "#scoreboard-0-interval"
    shown = f"document.querySelector('{legend}').checkVisibility()"
    assert not page.run(shown)
    page.click(f"[popovertarget='{legend[1:]}']")
    page.until(shown)
    assert page.text(legend) == "95%, from 50 bootstrap resamples of the segments (seed 12345)."
    page.press("Escape")
    page.until(f"!{shown}")


def test_outputs_that_are_not_translations_have_their_cost_beside_them(opened):
    page = opened()
    row = "document.querySelector('#kinds-of-outputs tbody tr:last-child')"
    cost = f"[...{row}.cells].filter((x) => x.offsetParent).at(-1).innerText"
    assert page.run(cost) == "1.0000 +0.8000 ▲2"
    page.click(".metrics [data-metric='1']")
    page.until(f"{cost} !== '1.0000 +0.8000 ▲2'")
    assert page.run(cost).startswith("100.00 +")


def test_headings_end_where_their_numbers_end(opened):
    page = opened(width=1440)
    for name in ("metric-0", "judge-0"):
        ends = page.run(
            "[...document.querySelectorAll('.of-metric:not([hidden])"
            f" tr:not(.axes) > [data-column={name}]')]"
            ".map((cell) => {"
            " const range = document.createRange();"
            " const small = cell.querySelector('small');"
            " range.setStart(cell, 0); small ? range.setEndBefore(small) : range.setEndAfter(cell);"
            " return Math.max(...[...range.getClientRects()].map((x) => x.right)); })"
        )
        assert max(ends) - min(ends) < 6


def test_columns_leave_in_a_fixed_order_and_can_be_chosen(opened):
    page = opened(width=1440)
    wait_until_nothing_is_cut(page)
    everything = columns(page)
    assert everything[-1] == "Segment scores"
    widths = [1000, 390]
    for width in widths:
        page.resize(width, 800)
        page.until("document.documentElement.clientWidth <= " + str(width))
        page.until("!document.querySelector('.board [data-column=segments]').offsetParent")
        wait_until_nothing_is_cut(page)
        assert {"System", "TESLA-CELAB", "95% interval"} <= set(columns(page))
        assert set(columns(page)) < set(everything)
    assert "Segment scores" not in columns(page)
    page.click("details.columns summary")
    page.click("details.columns input[value=segments]")
    assert "Segment scores" in columns(page)
    page.click("details.columns input[value=segments]")
    assert "Segment scores" not in columns(page)


@pytest.mark.parametrize("media", ["screen", "print"])
def test_numbers_of_clusters_are_whole(opened, media):
    page = opened(width=390)
    page.page.emulate_media(media=media)
    wide = page.run(
        "[...document.querySelectorAll('.of-metric:not([hidden]) .board .group')]"
        ".map((cell) => cell.getBoundingClientRect().width)"
    )
    assert wide and min(wide) >= 28  # 1.8rem: the bracket and a number


def test_no_section_is_out_of_sight_beside_many_metrics(browser, tmp_path):
    path = tmp_path / "many.html"
    metrics = ["celab", "celab-recommended", "chrf", "bleu", "ter"]
    Campaign.from_lists(SYSTEMS, REFS).score(metrics).test(n_resamples=50).html(path)
    with report_pages(browser) as open_page:
        page = open_page(path.as_uri(), width=1000)
        bar = "document.querySelector('.contents')"
        assert page.run(f"{bar}.scrollWidth") == page.run(f"{bar}.clientWidth")
        lines = "new Set([...document.querySelectorAll('.contents a')].map((a) => a.offsetTop))"
        assert page.run(f"{lines}.size") == 1
        assert page.run(f"{bar}.offsetHeight") > 80  # two lines, and a link leads below them
        page.click(".contents a[href='#pair-heading']")
        top = "document.getElementById('pair-heading').getBoundingClientRect().top"
        page.until(f"{top} > {bar}.offsetHeight && {top} < {bar}.offsetHeight + 60")
        # So does a link into the list, before anything was scrolled.
        page = open_page(path.as_uri(), "search=伞", width=1000)
        top = "document.getElementById('segments-heading').getBoundingClientRect().top"
        page.until(f"{top} > {bar}.offsetHeight && {top} < {bar}.offsetHeight + 60")


def test_contents_fade_where_there_is_more_of_them(opened):
    page = opened(width=390)
    bar = "document.querySelector('.contents')"
    page.until(f"{bar}.classList.contains('more')")
    assert page.run(f"getComputedStyle({bar}, '::after').position") == "sticky"
    page.run(f"{bar}.scrollTo({{left: 9999, behavior: 'instant'}})")
    page.until(f"!{bar}.classList.contains('more')")


def test_intervals_are_printed(opened):
    page = opened(width=720)
    page.page.emulate_media(media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert "95% interval" in columns(page)
    wait_until_nothing_is_cut(page)


def test_the_verdict_changes_its_language(opened):
    page = opened("page=zh")
    assert first_lines(page)[0] == "按 TESLA-CELAB，first 领先；人工评分则是 second 更高。"
    assert "人工" in columns(page)
    page.click("[data-language=en]")
    assert first_lines(page)[0].startswith("first leads by TESLA-CELAB")
    assert "People" in columns(page)
