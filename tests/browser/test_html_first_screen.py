"""The first screen: sentences with their evidence, and a table of systems that fits."""

import pytest
from opening import report_pages

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


@pytest.fixture
def opened(browser, address):
    with report_pages(browser) as open_page:
        yield lambda state="", **size: open_page(address, state, **size)


def findings(page):
    texts = "[...document.querySelectorAll('.of-metric:not([hidden]) .findings li')]"
    return page.run(f"{texts}.map((node) => node.innerText)")


def columns(page):
    cells = "[...document.querySelectorAll('.of-metric:not([hidden]) .board thead th')]"
    return page.run(f"{cells}.filter((x) => x.offsetParent).map((x) => x.innerText)")


def wait_until_nothing_is_cut(page):
    """Waits: columns leave when the browser has told the page its new width."""
    node = "document.querySelector('.of-metric:not([hidden]) .board').parentElement"
    page.until(f"{node}.scrollWidth <= {node}.clientWidth")


def test_three_sentences_say_what_metric_people_and_outputs_do_to_ranks(opened):
    page = opened()
    metric, people, outputs = findings(page)
    assert metric.startswith("first has the highest TESLA-CELAB score, ")
    assert people.startswith("By people, second has rank 1 and first rank 2 (p ")
    assert outputs.startswith("Without 24 outputs that are not translations, silent passes first")
    page.click(".metrics [data-metric='1']")
    assert findings(page)[0].startswith("first has the highest chrF2 score, ")


def test_a_sentence_leads_to_its_evidence(opened):
    page = opened()
    page.click(".findings [data-pair]")
    assert page.run("[two.a, two.b].map((select) => select.selectedOptions[0].text)") == [
        "second",
        "first",
    ]
    assert page.run("document.activeElement.id") == "pair-heading"
    verdict = page.run("document.querySelector('.judged-pair').innerText")
    assert verdict.startswith("By people: A 90.00, B 64.50 (p ")
    page.click(".findings [href='#outputs-heading']")
    assert page.run("document.activeElement.id") == "outputs-heading"
    page.click(".findings [href='#matrix-0']")
    assert page.run("document.activeElement.id") == "matrix-0"
    assert page.run("document.querySelector('.all-pairs').open")
    page.until("document.querySelector('.contents [aria-current]').innerText === 'Significance'")


def test_the_sentence_on_people_orders_the_list_where_the_metric_is_higher(opened):
    page = opened("a=second&search=伞")
    page.click(".findings [data-view]")
    page.until("location.hash === '#sort=above%3Ahuman&order=descending'")
    assert page.run("filters.sort.selectedOptions[0].text") == "TESLA-CELAB high, people low"
    assert "places" in page.run("filters.sort.title")
    select = "filters.sort"
    assert page.run(f"{select}.scrollWidth <= {select}.clientWidth")


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
            f"[...document.querySelectorAll('.of-metric:not([hidden]) [data-column={name}]')]"
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
    assert everything[-1] == "Recall"
    widths = [1000, 700, 390]
    for width in widths:
        page.resize(width, 800)
        page.until("document.documentElement.clientWidth <= " + str(width))
        wait_until_nothing_is_cut(page)
        assert {"Rank", "System", "TESLA-CELAB"} <= set(columns(page))
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


def test_the_sentences_change_their_language(opened):
    page = opened("page=zh")
    assert findings(page)[1].startswith("按人工评分，second 排第 1，first 排第 2（两者之差 p ")
    assert "人工" in columns(page)
    page.click("[data-language=en]")
    assert findings(page)[1].startswith("By people, second has rank 1")
    assert "People" in columns(page)
