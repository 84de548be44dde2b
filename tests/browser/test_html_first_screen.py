"""The first screen: the verdict with its evidence, and a table of systems that fits."""

import pytest
from opening import opened, report_pages

from celab import Campaign

pytestmark = pytest.mark.browser

REFS = ["昨天下午他买了一把雨伞", "我们明天去北京", "天气很好"] * 10
SYSTEMS = {
    "first": [*REFS[:-1], "天气不好"],
    "second": ["昨天下午他买了一把伞子", "我们后天去北京", "天气不错"] * 10,
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
    """Return the sentence, then each line of evidence with its label."""
    texts = (
        "[...document.querySelectorAll('.of-metric:not([hidden]) .answer :is(h1, .sure > div)')]"
    )
    return page.run(f"{texts}.map((node) => node.innerText.replace(/\\s+/g, ' '))")


def columns(page):
    cells = "[...document.querySelectorAll('.of-metric:not([hidden]) .board thead th')]"
    return page.run(f"{cells}.filter((x) => x.offsetParent).map((x) => x.innerText)")


def is_open(page, part):
    return page.run(f"document.getElementById('part-{part}').open")


def wait_until_nothing_is_cut(page):
    """Waits: columns leave when the browser has told the page its new width."""
    node = "document.querySelector('.of-metric:not([hidden]) .board').parentElement"
    page.until(f"{node}.scrollWidth <= {node}.clientWidth")


def test_the_sentence_is_that_of_metric_and_people(opened):
    page = opened()
    sentence, overlap, people = first_lines(page)
    assert sentence == "first is closest to the reference, but people rate second higher."
    assert overlap.startswith("Overlap first leads second by 0.")
    assert people.startswith("People second leads first by 25.5 (p ")
    page.click(".metrics [data-metric='1']")
    assert first_lines(page)[0] == sentence
    assert "scale 0–100)" in first_lines(page)[1]


def test_names_have_the_colors_of_their_dots(opened):
    page = opened()
    color = "getComputedStyle(document.querySelector('{0}')).{1}"
    for kind in "mh":
        name, dot = (
            page.run(color.format(f".answer h1 .{kind}", "color")),
            page.run(color.format(f"svg.dot.{kind} circle", "fill")),
        )
        assert name == dot
    assert page.run(
        "[...document.querySelectorAll('.answer h1 :is(.m, .h)')]"
        ".filter((x) => x.checkVisibility()).map((x) => x.innerText)"
    ) == [
        "first",
        "second",
    ]
    assert page.count(".of-metric:not([hidden]) svg.dot.m") == 1
    assert page.count(".of-metric:not([hidden]) svg.dot.h") == 1


def test_few_words_stand_on_the_first_screen(opened):
    page = opened("", closed=True)
    words = page.run(
        "(() => { const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);"
        " const words = []; while (walker.nextNode()) { const node = walker.currentNode;"
        " if (!node.parentElement.checkVisibility() || node.parentElement.closest('script, style'))"
        " continue; const range = document.createRange(); range.selectNodeContents(node);"
        " const box = range.getBoundingClientRect();"
        " if (box.width && box.top < innerHeight)"
        " words.push(...node.textContent.split(/\\s+/).filter((x) => /[\\p{L}\\p{N}]/u.test(x))); }"
        " return words; })()"
    )
    assert "closest" in words and "Trust" in words
    assert len(words) <= 266
    assert not [word for word in words if word == "0"]
    assert not page.run("[...document.querySelectorAll('details.part')].some((part) => part.open)")


def test_links_lead_to_the_evidence(opened):
    page = opened(closed=True)
    page.click(".facts [data-pair]")
    assert is_open(page, "pair") and not is_open(page, "outputs")
    assert page.run("[two.a, two.b].map((select) => select.selectedOptions[0].text)") == [
        "second",
        "first",
    ]
    assert page.run("document.activeElement.id") == "pair-heading"
    assert page.text("#compared .verdict") == "first leads by TESLA-CELAB."
    lead, people = page.text("#compared .evidence").split(" · ")
    assert lead.startswith("A − B = −0.")
    assert people.startswith("people: A 90.00, B 64.50, p ")
    page.click(".dots-row .c-broken a")
    page.until("location.hash.includes('kind=not+translations')")
    assert is_open(page, "segments")
    page.click(".contents [href='#data-heading']")
    assert page.run("document.activeElement.id") == "data-heading" and is_open(page, "data")


def test_segments_on_which_people_disagree_are_opened(opened):
    page = opened("a=second&search=伞")
    page.click(".facts [data-view*=disagree]")
    page.until("location.hash === '#sort=disagree%3Ahuman&order=descending'")
    assert page.run("filters.sort.selectedOptions[0].text") == "most disagreement with people"
    assert "places" in page.run("filters.sort.title")
    link = ".example [data-view*=segment]"
    name = page.text(link)
    page.click(link)
    page.until("document.getElementById('segment').open")
    assert page.text("#segment-heading").strip() == f"Segment {name}"


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
        assert {"System", "Score", "95% interval"} <= set(columns(page))
        assert set(columns(page)) < set(everything)
    assert "Segment scores" not in columns(page)
    page.click("details.columns summary")
    page.click("details.columns input[value=segments]")
    assert "Segment scores" in columns(page)
    page.click("details.columns input[value=segments]")
    assert "Segment scores" not in columns(page)


def test_nothing_is_out_of_sight_beside_many_metrics(browser, tmp_path):
    path = tmp_path / "many.html"
    metrics = ["celab", "celab-recommended", "chrf", "bleu", "ter"]
    Campaign.from_lists(SYSTEMS, REFS).score(metrics).test(n_resamples=50).html(path)
    with report_pages(browser) as open_page:
        page = open_page(path.as_uri(), width=390)
        assert page.run("document.documentElement.scrollWidth") == 390
        buttons = "[...document.querySelectorAll('.metrics button, .contents a')]"
        edges = f"{buttons}.map((node) => node.getBoundingClientRect().right)"
        assert max(page.run(edges)) <= 390 and page.count(".metrics button") == len(metrics)


def test_intervals_are_printed(opened):
    page = opened(width=720)
    page.page.emulate_media(media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert "95% interval" in columns(page)
    wait_until_nothing_is_cut(page)


def test_the_sentence_changes_its_language(opened):
    page = opened("page=zh")
    assert first_lines(page)[0] == "first 最接近参考译文，但人工评分是 second 更高。"
    assert "人工" in columns(page)
    page.click("[data-language=en]")
    assert first_lines(page)[0].startswith("first is closest to the reference")
    assert "People" in columns(page)
