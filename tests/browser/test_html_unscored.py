"""The pages of `celab check` and `celab terms` in a browser: filters, marks, languages, widths."""

import pytest
from opening import report_pages
from unscored import REFS, check_address, terms_address

import celab

pytestmark = pytest.mark.browser


@pytest.fixture
def opened(browser):
    with report_pages(browser) as open_page:
        yield open_page


def listed(page):
    return page.run("[...document.querySelectorAll('#listed > li')].map((x) => x.dataset.segment)")


def choose(page, name, value):
    page.run(f"""(() => {{ const field = document.querySelector("[name={name}]");
      field.value = {value!r}; field.dispatchEvent(new Event("input", {{bubbles: true}})); }})()""")
    page.until(f"location.hash.includes({name!r})")


def test_what_was_lost_is_marked_in_the_source_and_what_was_added_in_the_output(
    opened, check_address
):
    page = opened(check_address, "finding=placeholder")
    assert listed(page) == ["6"]
    assert page.run("document.querySelector('#listed .of-other .run.missing').textContent") == "%s"
    added = page.run("document.querySelector('#listed .of-hyp bdi > .run.extra').textContent")
    assert added == "{0}"
    badges = page.run("document.querySelector('#listed .badges').textContent")
    assert badges.split() == ["placeholder", "lost", "%s", "added", "{0}"]


def test_filters_are_counted_and_kept_in_the_address(opened, check_address):
    page = opened(check_address)
    everything = listed(page)
    options = "[...document.querySelectorAll('[name=finding] option')].map((x) => x.innerText)"
    assert page.run(options) == ["all outputs", "any finding (5)", "placeholder (1)", "tags (4)"]
    choose(page, "finding", "tags")
    page.until("document.querySelectorAll('#listed > li').length === 4")
    assert page.run("location.hash") == "#finding=tags"
    assert page.run("document.querySelector('#count').textContent") == "4 outputs in 4 segments"
    page.click(".chip")
    page.until("location.hash === ''")
    assert listed(page) == everything


def test_a_count_lists_its_outputs_and_back_returns(opened, check_address):
    page = opened(check_address)
    before = listed(page)
    page.click("#kinds-of-outputs [data-view*=refusal] button")
    page.until("location.hash.includes('kind=refusal')")
    assert listed(page) == ["3"]
    assert page.run("document.activeElement.id") == "listing-heading"
    page.run("history.back()")
    page.until("!location.hash.includes('refusal')")
    assert listed(page) == before


def test_a_code_that_was_lost_is_named_and_a_long_text_is_cut(opened, check_address):
    page = opened(check_address, "finding=tags")
    assert "<g>" in page.run("document.querySelector('#listed .badges').textContent")
    page = opened(check_address, "kind=repeated")
    assert page.run("document.querySelector('#listed .of-hyp bdi').innerText.length") < 900
    assert page.count("#listed .of-hyp .plain") == 0  # 800 characters are shown whole


def test_links_of_the_sentences_lead_to_their_evidence(opened, check_address, terms_address):
    page = opened(check_address)
    for section in ("outputs", "findings"):
        page.click(f".answer [href='#{section}-heading']")
        page.until(f"document.activeElement.id === '{section}-heading'")
    page = opened(terms_address)
    page.click(".answer [data-view*=term]")
    page.until("location.hash === '#term=0'")
    assert page.run("document.activeElement.id") == "terms-heading"
    assert page.count(".concordance tbody tr") == 60


def test_terms_are_the_reports_part_with_misses(opened, terms_address):
    page = opened(terms_address)
    assert page.run("document.querySelector('#count').textContent") == (
        "60 outputs in 60 segments; the first 40 segments are shown"
    )
    page.click("#more")
    page.until("document.querySelectorAll('#listed > li').length === 60")
    page.click("#terms-of-systems .misses button")
    page.until("location.hash.includes('missed')")
    assert page.count("#listed > li") == 40
    badge = page.run("document.querySelector('#listed .badges').textContent")
    assert badge.split() == ["region", "→", "区域", "(forbidden)"]
    assert page.run("document.querySelector('#listed .of-ref mark').textContent") == "地域"
    page.click(".concordance .rendering")
    page.until("location.hash.includes('segment=1')")
    assert listed(page) == ["1"]
    assert page.run("document.querySelector('#listed .of-hyp .who').textContent") == "good"


@pytest.mark.parametrize("address", ["check_address", "terms_address"])
def test_it_says_everything_in_chinese_and_back(opened, address, request):
    page = opened(request.getfixturevalue(address))
    english = page.run("document.body.innerText")
    page.click("[data-language=zh]")
    page.until("document.documentElement.lang === 'zh-CN'")
    chinese = page.run("document.body.innerText")
    assert "依据" in chinese and "Evidence" not in chinese and "Segment" not in chinese
    assert page.run("location.hash") == "#page=zh"
    page.click("[data-language=en]")
    page.until("document.documentElement.lang === 'en'")
    assert page.run("document.body.innerText") == english


@pytest.mark.parametrize("address", ["check_address", "terms_address"])
@pytest.mark.parametrize("width", [1440, 1000, 390])
def test_nothing_is_wider_than_the_window(opened, address, width, request):
    page = opened(request.getfixturevalue(address), "page=zh", width=width)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("document.title") != "hacked"


def test_an_unknown_view_is_the_whole_page(opened, check_address):
    whole = listed(opened(check_address))
    page = opened(check_address, "kind=nothing&finding=x&term=9&segment=77&a=nobody")
    assert listed(page) == whole


def test_a_page_without_outputs_to_list_has_no_list(opened, tmp_path):
    result = celab.check(REFS[:3], REFS[:3])
    result.html(tmp_path / "clean.html")
    page = opened((tmp_path / "clean.html").as_uri())
    assert page.count("#listed") == 0 and page.count(".answer h1") == 1
