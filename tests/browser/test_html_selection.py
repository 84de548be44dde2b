"""Everything selects: facets with counts, judges, spans of people, documents and terms."""

import itertools
import re

import pytest
from opening import opened, opener
from reports import places, with_omission

from celab.corpus import Corpus, Segment
from celab.systems.campaign import Campaign

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
        "桌子在甲板上等",
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
    return Corpus(segments=segments, systems=SYSTEMS, refs=[REFS], ref_names=["ref"], source=SOURCE)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "selection.html"
    Campaign(corpus()).score(["celab", "chrf"]).test(n_resamples=50).html(path, lang="zh")
    return path.as_uri()


def choices(page, name):
    return page.run(f"[...filters.{name}.options].map((x) => x.textContent)")


def test_every_facet_has_counts_of_what_the_other_filters_leave(opened):
    page = opened()
    assert choices(page, "domain") == ["all domains", "news (6)", "speech (6)"]
    assert choices(page, "document") == ["all documents", "ferry (4)", "crew (6)", "late (2)"]
    assert sorted(choices(page, "a")) == ["all systems", "first", "second"]
    page.run("document.querySelector('.more-filters').open = true")
    page.page.select_option("#filters [name=domain]", "0")
    page.until("document.querySelectorAll('.row').length === 3")
    assert choices(page, "domain") == ["all domains", "news (6)", "speech (6)"]  # its own choices
    assert choices(page, "document") == ["all documents", "ferry (4)", "crew (0)", "late (2)"]
    assert choices(page, "kind")[:2] == ["all outputs", "empty (0)"]
    assert sorted(choices(page, "a")) == ["all systems", "first (3)", "second (3)"]
    lengths = choices(page, "bucket")
    assert lengths[0] == "all lengths"
    assert sum(int(text.split("(")[1].rstrip(")")) for text in lengths[1:]) == 6


def test_a_length_is_chosen_in_the_form_and_kept_in_the_url(opened):
    page = opened("sort=segment")
    longest = page.run("filters.bucket.options[filters.bucket.options.length - 1].value")
    page.run("document.querySelector('.more-filters').open = true")
    page.page.select_option("#filters [name=bucket]", longest)
    page.until("location.hash.includes('bucket=length')")
    page.until("document.querySelectorAll('.row').length === 1")
    assert places(page) == [6]
    again = opened(page.run("location.hash.slice(1)"))
    assert places(again) == [6] and again.run("filters.bucket.value") == longest
    again.click("#chips [type=reset]")
    again.until("!location.hash.includes('=')")
    assert again.count(".row") == 6 and again.run("filters.bucket.value") == ""


def test_the_table_of_systems_follows_the_filters(opened):
    page = opened()
    assert page.count(".taken") == page.count(".of-selection") == 0
    taken = (
        "[...document.querySelectorAll('.of-metric:not([hidden]) .board tbody tr')].map((row) =>"
        " [row.querySelectorAll('.taken').length > 0,"
        " row.querySelector('.of-selection')?.textContent])"
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


COMET = {
    "first": [0.9, 0.95, 0.2, 0.6, 0.9, 0.7],
    "second": [0.8, 0.3, 0.9, 0.85, None, 0.9],
}
HUMAN = {"first": [80, 99, 75, 20, 100, 60], "second": [90, 10, 100, 80, 0, 95]}


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    campaign = Campaign(corpus()).score(["celab", "chrf"])
    campaign = campaign.with_scores({"COMET": COMET, "human": HUMAN}).test(n_resamples=50)
    campaign.html(folder / "judged.html", lang="zh")
    return (folder / "judged.html").as_uri()


opened_judged = opener("judged")


def column(page, selector):
    return page.run(f"[...document.querySelectorAll('{selector}')].map((x) => x.textContent)")


def test_judges_are_columns_of_both_tables(opened_judged):
    page = opened_judged("sort=segment&a=second")
    heads = column(page, ".of-metric:not([hidden]) .board th.judge")
    assert heads == ["COMET", "People"]
    assert len(column(page, ".of-metric:not([hidden]) .board td.judge")) == 4
    cells = column(page, ".row .c-judge")
    assert [cells[0], cells[1]] == ["COMET 0.8000", "People 90.00"]
    assert cells[8] == "COMET –"  # not known
    pair = opened_judged("sort=segment&a=first&b=second")
    assert column(pair, ".row .c-judge")[0] == "COMET A 0.9000B 0.8000"
    read = opened_judged("segment=2&system=first")
    assert read.text(".judgments") == "COMET 0.9500People 99.00"


def test_the_list_begins_where_judges_disagree_most(opened_judged):
    page = opened_judged("a=first")
    page.page.select_option("#filters [name=sort]", "disagree:COMET")
    page.until("location.hash.includes('order=descending')")
    figures = page.run("JSON.parse(document.getElementById('data').textContent).metrics[0].scores")
    known = [(s, i) for s in range(2) for i in range(6) if COMET[list(COMET)[s]][i] is not None]

    def place(value):
        values = [value(*output) for output in known]
        below = {v: sum(w < v for w in values) for v in values}
        equal = {v: values.count(v) for v in values}
        share = len(known) - 1
        return {o: (below[value(*o)] + (equal[value(*o)] - 1) / 2) / share for o in known}

    own = place(lambda s, i: figures[s][i])
    theirs = place(lambda s, i: COMET[list(COMET)[s]][i])
    sizes = {i + 1: abs(own[0, i] - theirs[0, i]) for i in range(6)}
    equal = [i for i in sizes if SYSTEMS["first"][i - 1] == REFS[i - 1]]
    assert equal == [2, 5]
    # References of a few letters are after the others.
    short = [i for i in sizes if sum(map(str.isalnum, REFS[i - 1])) < 10]
    assert 0 < len(short) < len(sizes)
    assert places(page) == sorted(sizes, key=lambda i: (i in equal, i in short, -sizes[i], i))

    def weight(i):
        return 0.001 if i in short else 1

    above = {i + 1: own[0, i] - theirs[0, i] for i in range(6) if i + 1 not in equal}
    page.click("[data-sort='disagree:COMET']")  # the metric high, the judge low
    page.until("location.hash.includes('sort=above%3ACOMET&order=descending')")
    assert places(page) == [*sorted(above, key=lambda i: (-above[i] * weight(i), i)), *equal]
    page.click("[data-sort='disagree:COMET']")  # the other way round
    page.until("location.hash.includes('sort=below%3ACOMET&order=descending')")
    assert places(page) == [*sorted(above, key=lambda i: (above[i] * weight(i), i)), *equal]
    page.click("[data-sort='judge:human']")
    page.until("location.hash.includes('judge%3Ahuman')")
    assert places(page) == [4, 6, 3, 1, 2, 5]
    last = opened_judged("a=second&sort=judge:COMET&order=descending")
    assert places(last)[-1] == 5  # unknown: last in either direction


def test_of_two_systems_the_order_is_what_counts(opened_judged):
    page = opened_judged("a=first&b=second&sort=disagree:human&order=descending")
    figures = page.run("JSON.parse(document.getElementById('data').textContent).metrics[0].scores")
    turned = [
        i + 1
        for i in range(6)
        if (figures[0][i] - figures[1][i]) * (HUMAN["first"][i] - HUMAN["second"][i]) < 0
    ]
    assert turned and set(places(page)[: len(turned)]) == set(turned)


def test_a_judge_is_an_axis_of_the_scatter_and_its_area_a_filter(opened_judged):
    page = opened_judged("a=first&b=second&sort=segment")
    page.click("[data-axis=COMET]")
    page.until("location.hash.includes('axis=COMET')")
    drawn = "[...document.querySelectorAll('svg.segments .dots')].map((x) => x.getAttribute('d'))"
    equal, first, second = page.run(drawn)
    assert (first.count("h0"), second.count("v6"), equal.count("M")) == (6, 5, 1)
    box = opened_judged("a=first&b=second&sort=segment&axis=COMET&box=0.15,0.35,0,1")
    assert places(box) == [2, 3]  # an output of B, and one of A
    assert box.text("[data-chip=box]").startswith("Area: TESLA-CELAB 0.0000–1.0000, COMET 0.1500")
    assert page.run(drawn)[1].count("h0") == 6  # other dots stay in sight
    box.click("[data-axis='']")
    box.until("!location.hash.includes('box')")


def test_scores_of_a_judge_are_spread_by_place(opened_judged):
    page = opened_judged("a=first&b=second&axis=human")
    dots = page.run(
        "[...document.querySelectorAll('svg.segments .dots')].map((x) => x.getAttribute('d'))"
    )
    across = sorted(float(x) for path in dots[1:] for x in re.findall(r"M([0-9.]+)", path))
    steps = [after - before for before, after in itertools.pairwise(across)]
    assert len(across) == 12 and max(steps) - min(steps) < 0.3  # whatever the scores are
    labels = column(page, "svg.segments text")
    assert {"0", "100"} <= set(labels)


SPANS = [
    ("first", 0, 6, 8, "minor", "style"),
    ("first", 2, 0, 2, "major", "accuracy"),
    ("first", 2, 5, 6, "critical", "accuracy"),  # matched: not seen
    ("second", 1, 0, 2, "minor", "terms"),  # a synonym: not seen
]


@pytest.fixture(scope="module")
def spanned(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spans")
    rows = [("system", "segment", "start", "end", "severity", "category"), *SPANS]
    lines = ["\t".join(map(str, row)) for row in rows]
    (folder / "spans.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    campaign = Campaign(corpus()).score(["celab", "chrf"]).with_spans(folder / "spans.tsv")
    campaign = campaign.test(n_resamples=50)
    with_omission(campaign, "second", 1, "major").html(folder / "spans.html", lang="zh")
    return (folder / "spans.html").as_uri()


opened_spanned = opener("spanned")


def drawn_spans(page, where):
    return page.run(
        f"[...document.querySelectorAll('{where} .error-span')].map((x) =>"
        " [[...x.classList].at(-1), x.textContent, getComputedStyle(x).textDecorationStyle])"
    )


def test_errors_of_people_are_drawn_over_texts_and_tokens(opened_spanned):
    page = opened_spanned("a=first&sort=segment")
    assert drawn_spans(page, ".row:nth-child(1)") == [["minor", "出发", "dotted"]]
    # 桌 is extra, and the metric matches 子 with 员: the span lies over two marks.
    cut = [["major", "桌", "solid"], ["major", "子", "solid"], ["critical", "上", "double"]]
    assert drawn_spans(page, ".row:nth-child(3)") == cut
    explained = opened_spanned("segment=3&system=first")
    tokens = [
        [node[0], node[1]] for node in drawn_spans(explained, "#segment .aligned .hypothesis")
    ]
    assert tokens == [span[:2] for span in cut]
    form = [["major", "桌子", "solid"], ["critical", "上", "double"]]
    diff = opened_spanned("metric=chrf&segment=3&system=first")
    assert drawn_spans(diff, "#segment .against .of-hyp") == form
    assert diff.text(".marked-errors h4") == "2 marked errors, 1 seen by TESLA-CELAB"
    cells = column(diff, ".marked-errors tbody td")
    assert cells[:4] == ["桌子", "major", "accuracy", "seen"]
    assert cells[5:9] == ["上", "critical", "accuracy", "not seen"]


def test_categories_of_people_are_counted_by_system(opened_spanned):
    page = opened_spanned()
    table = "#categories-of-people"
    assert column(page, f"{table} thead th")[1:] == ["accuracy", "style", "terms", "omission"]
    rows = {
        row[0]: row[1:]
        for row in page.run(
            f"[...document.querySelectorAll('{table} tbody tr')].map((row) =>"
            " [...row.cells].map((x) => x.textContent.trim()))"
        )
    }
    assert rows == {"first": ["2", "1", "0", "0"], "second": ["0", "0", "1", "1"]}
    page.click(f"{table} [data-view*=accuracy] button")
    page.until("location.hash.includes('marked=category%3Aaccuracy')")
    assert places(page) == [3]
    assert page.text("[data-chip=marked]") == "Marked errors: accuracy ×"


def test_the_legend_has_errors_of_people(opened_spanned):
    page = opened_spanned("segment=3&system=first")
    levels = column(page, ".inner > .key .error-span")
    assert levels == ["minor", "major", "critical"]


def test_an_error_without_a_place_is_named(opened_spanned):
    page = opened_spanned("segment=2&system=second")
    assert "no place in the output" in column(page, ".marked-errors tbody td")


def test_a_severity_of_marked_errors_lists_its_outputs(opened_spanned):
    page = opened_spanned()
    assert "1 of 4 marked errors are seen by TESLA-CELAB" in page.text("#part-spans")
    assert page.count("#errors-by-kind") == 0  # no kind has five marks
    count = page.text("#errors-by-system tbody button")
    page.click("#errors-by-system tbody button")
    page.until("location.hash.includes('marked=')")
    assert len(places(page)) <= int(count)
    assert page.text("[data-chip=marked]").startswith("Marked errors: ")


def bars(page, selector):
    """Return the places of the bars of each strip, by their classes; a bar is 6 wide."""
    paths = page.run(
        f"[...document.querySelectorAll('{selector}')].map((x) => [...x.querySelectorAll("
        "'.bar, .of-a, .of-b')].map((path) => ['class', 'd'].map((name) =>"
        " path.getAttribute(name))))"
    )
    starts = [[(kind, re.findall(r"M([\d.]+) [\d.]+h4.5", d)) for kind, d in one] for one in paths]
    return [{kind: [int(float(x) // 6) for x in xs] for kind, xs in one if xs} for one in starts]


def click_bar(page, selector, place, n):
    strip = page.page.locator(selector).first
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    strip.click(position={"x": box["width"] * (place + 0.5) / n, "y": box["height"] / 2})


def test_a_segment_stands_among_its_neighbors(opened):
    page = opened("segment=4&system=first&domain=speech")
    assert page.text(".in-document h4") == "In document crew: 2 of 3"
    outputs = column(page, ".neighbors td:last-child")
    assert outputs == SYSTEMS["first"][2:5]  # of its document only, in running order
    assert page.text(".neighbors [aria-current]").startswith("2 / 3")
    assert bars(page, ".in-document .strip") == [{"bar": [0, 2], "bar current": [1]}]
    page.click("[data-neighbor='2']")
    page.until("location.hash.includes('segment=3')")
    assert page.text(".in-document h4") == "In document crew: 1 of 3"
    page.page.go_back()
    page.until("location.hash.includes('segment=4')")
    click_bar(page, ".in-document .strip", 2, 3)
    page.until("location.hash.includes('segment=5')")
    limited = opened("segment=4&system=first&search=雪")
    assert bars(limited, ".in-document .strip") == [{"bar left-out": [0, 2], "bar current": [1]}]


def test_documents_have_strips_of_differences(opened):
    page = opened("a=first&b=second&by=document")
    scores = page.run("JSON.parse(document.getElementById('data').textContent).metrics[0].scores")
    wanted = ["of-a" if a >= b else "of-b" for a, b in zip(*scores, strict=True)]
    page.page.locator(".buckets").scroll_into_view_if_needed()
    page.until("document.querySelectorAll('.buckets .strip').length === 3")  # when in sight
    found = bars(page, ".buckets .strip")
    kinds = [{at: kind for kind, places in one.items() for at in places} for one in found]
    parts = {"ferry": slice(0, 2), "crew": slice(2, 5), "late": slice(5, 6)}
    apart = {
        name: abs(sum(a - b for a, b in zip(scores[0][part], scores[1][part], strict=True)))
        / (part.stop - part.start)
        for name, part in parts.items()
    }
    ordered = sorted(parts, key=lambda name: -apart[name])
    assert column(page, ".buckets tbody button") == ordered  # most different first
    drawn = [[one[at] for at in sorted(one)] for one in kinds]
    assert drawn == [wanted[parts[name]] for name in ordered]
    assert "of-a" in wanted and "of-b" in wanted
    heights = page.run(
        "[...document.querySelectorAll('.buckets tbody tr')].map((x) => x.offsetHeight)"
    )
    assert max(heights) < 40  # a line each
    place = ordered.index("ferry")
    click_bar(page, f".buckets tr:nth-child({place + 1}) .strip", 1, 2)
    page.until("location.hash.includes('segment=2')")


GLOSSARY = {"ferry": "渡轮", "harbor": ["港口", "海港"]}


@pytest.fixture(scope="module")
def with_terms(tmp_path_factory):
    path = tmp_path_factory.mktemp("terms") / "terms.html"
    campaign = Campaign(corpus()).score(["celab"]).add_terms(GLOSSARY, source_lang="en")
    campaign.test(n_resamples=50).html(path, lang="zh")
    return path.as_uri()


opened_terms = opener("with_terms")


def test_terms_are_counted_by_system_and_shown_in_context(opened_terms):
    page = opened_terms()
    rows = page.run(
        "[...document.querySelectorAll('#terms-of-systems tbody tr')].map((row) =>"
        " [...row.cells].map((x) => x.textContent))"
    )
    assert rows == [
        ["ferry", "渡轮", "2", "1", "1"],
        ["harbor", "港口, 海港", "2", "2", "2 ×2"],
    ]
    assert page.text("#concordance") == ""
    page.click("#terms-of-systems tbody tr:nth-child(2) th button")
    page.until("location.hash.includes('term=1')")
    shown = page.run(
        "[...document.querySelectorAll('.concordance tbody tr')].map((row) =>"
        " [...row.cells].map((x) => x.textContent))"
    )
    assert shown[0] == ["2", "The ", "harbor", " is closed today", "✓ 港口", "✓ 海港"]
    assert [row[0] for row in shown] == ["2", "6"] and sorted(set(places(page))) == [2, 6]
    page.click(".concordance tbody tr button")
    page.until("location.hash.includes('segment=2')")


def test_the_outputs_that_miss_a_term_are_listed(opened_terms):
    page = opened_terms()
    assert choices(page, "term") == ["all terms", "ferry (4)", "harbor (4)"]
    page.click("#terms-of-systems tbody tr:nth-child(1) [data-view*='\"a\":1'] button")
    page.until("location.hash.includes('missed')")
    assert places(page) == [1]
    assert page.text("[data-chip=term]") == "Term: ferry, missed ×"
    again = opened_terms("term=0&domain=speech")
    assert again.count(".row") == 0 and again.count(".concordance tbody tr") == 0
    assert opened_terms("term=9").count(".row") == 6  # there is none
