"""Everything selects: facets with counts, judges, spans of people, documents and terms."""

import pytest
from opening import report_pages
from reports import places

from celab.corpus import Corpus, Segment
from celab.evaluation.campaign import Campaign

pytestmark = pytest.mark.browser

REFS = [
    "渡轮早上七点开船",
    "港口今天关闭",
    "船员在甲板上等待",
    "天气预报说有雨",
    "请带上雨伞",
    "晚上不再有渡轮，请大家明天早上再来港口",
]
SYSTEMS = {
    "first": [
        "渡轮上午七点出发",
        "港口今天关闭",
        "水手在甲板上等",
        "天气预报说下雪",
        "请带上雨伞",
        "晚上没有渡船，请明天早上再来港口",
    ],
    "second": [
        "渡船早上七点开船",
        "海港今天开放",
        "船员在甲板上等待",
        "预报有雨",
        "",
        "晚上不再有渡轮，请大家明天早上再来港口",
    ],
}
SOURCE = [
    "The ferry leaves at seven in the morning",
    "The harbor is closed today",
    "The crew waits on deck",
    "The forecast says rain",
    "Take an umbrella",
    "No ferry in the evening, please come to the harbor tomorrow morning",
]
DOMAINS = ["news", "news", "speech", "speech", "speech", "news"]
DOCUMENTS = ["ferry", "ferry", "crew", "crew", "crew", "late"]


def corpus():
    rows = zip(DOCUMENTS, DOMAINS, strict=True)
    segments = [Segment(name, str(i), domain=domain) for i, (name, domain) in enumerate(rows, 1)]
    return Corpus(segments, SYSTEMS, [REFS], ["ref"], SOURCE)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "selection.html"
    Campaign(corpus()).score(["celab", "chrf"]).test(n_resamples=50).html(path, lang="zh")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    with report_pages(browser) as open_page:
        yield lambda state="", **size: open_page(address, state, **size)


def choices(page, name):
    return page.run(f"[...filters.{name}.options].map((x) => x.textContent)")


def test_every_facet_has_counts_of_what_the_other_filters_leave(opened):
    page = opened()
    assert choices(page, "domain") == ["all domains", "news (6)", "speech (6)"]
    assert choices(page, "document") == ["all documents", "ferry (4)", "crew (6)", "late (2)"]
    assert sorted(choices(page, "a")) == ["all systems", "first", "second"]
    page.page.select_option("#filters [name=domain]", "0")
    page.until("document.querySelectorAll('.row').length === 6")
    assert choices(page, "domain") == ["all domains", "news (6)", "speech (6)"]  # its own choices
    assert choices(page, "document") == ["all documents", "ferry (4)", "crew (0)", "late (2)"]
    assert choices(page, "kind")[:2] == ["all outputs", "no translation (0)"]
    assert sorted(choices(page, "a")) == ["all systems", "first (3)", "second (3)"]
    lengths = choices(page, "bucket")
    assert lengths[0] == "all lengths"
    assert sum(int(text.split("(")[1].rstrip(")")) for text in lengths[1:]) == 6


def test_a_length_is_chosen_in_the_form_and_kept_in_the_url(opened):
    page = opened("sort=segment")
    longest = page.run("filters.bucket.options[filters.bucket.options.length - 1].value")
    page.page.select_option("#filters [name=bucket]", longest)
    page.until("location.hash.includes('bucket=length')")
    page.until("document.querySelectorAll('.row').length === 2")
    assert places(page) == [6, 6]
    again = opened(page.run("location.hash.slice(1)"))
    assert places(again) == [6, 6] and again.run("filters.bucket.value") == longest
    again.click("#chips [type=reset]")
    again.until("!location.hash.includes('=')")
    assert again.count(".row") == 12 and again.run("filters.bucket.value") == ""


def test_the_table_of_systems_follows_the_filters(opened):
    page = opened()
    assert page.count(".taken") == page.count(".of-selection") == 0
    taken = (
        "[...document.querySelectorAll('.of-metric:not([hidden]) .board tbody tr')].map((row) =>"
        " [row.querySelectorAll('.taken').length > 0, row.querySelector('.of-selection')?.textContent])"
    )
    page = opened("domain=speech")
    scores = page.run("JSON.parse(document.getElementById('data').textContent).metrics[0]")
    means = [sum(row[2:5]) / 3 for row in scores["scores"]]
    assert page.run(taken) == [[True, f"{means[i]:.4f}"] for i in scores["ranked"]]
    assert "the 3 segments that the filters leave" in page.text("#selected-0")
    page.run("document.querySelector(\".metrics [data-metric='1']\").click()")
    page.until(
        "document.querySelector('#selected-1') && !document.getElementById('selected-1').hidden"
    )
    page.click("#chips [type=reset]")
    page.until("document.getElementById('selected-1').hidden")
    assert page.run(taken) == [[False, None]] * 2
