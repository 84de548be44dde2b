"""The list by segment, its filters, keys, orders and links."""

import pytest
from opening import opened, report_pages
from reports import listed, places

from celab import Campaign
from celab.corpus import Corpus, Segment

pytestmark = pytest.mark.browser

REFS = [f"我们第{n}天去北京看天安门广场" for n in "一二三四五六七八九十"] * 3
SYSTEMS = {
    "good": [*REFS[:-1], "I cannot translate this text, sorry."],
    "bad": [text.replace("北京", "上海").replace("广场", "") for text in REFS],
    "equal": list(REFS),
}
PEOPLE = {
    "good": [90.0] * 30,
    "bad": [95.0] * 29 + [10.0],
    "equal": [0.0] * 30,
}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "workbench.html"
    segments = [Segment(f"d{i // 10}", str(i + 1)) for i in range(30)]
    corpus = Corpus(
        segments=segments,
        systems=SYSTEMS,
        refs=[REFS],
        ref_names=["ref"],
        source=["We go to the square"] * 30,
    )
    campaign = Campaign(corpus).score("celab").with_scores({"human": PEOPLE})
    campaign.add_terms({"square": "广场"}, source_lang="en").test(n_resamples=50).html(path)
    return path.as_uri()


def in_sight(page):
    """Return the numbers of the segments whose rows can be seen."""
    return page.run(
        "[...document.querySelectorAll('.row')].filter((row) => {"
        " const {top, bottom} = row.getBoundingClientRect();"
        " return top >= 0 && bottom <= innerHeight; })"
        ".map((row) => Number(row.querySelector('.c-segment b').textContent))"
    )


def test_nine_segments_are_in_sight(opened):
    page = opened(width=1440, height=900)
    page.run("document.getElementById('segments-heading').scrollIntoView()")
    numbers = in_sight(page)
    assert len(numbers) == len(set(numbers)) >= 9


def test_the_evidence_is_closed_and_says_what_is_inside(opened):
    page = opened(width=1440, height=900, closed=True)
    parts = "[...document.querySelectorAll('details.part')]"
    titles = page.run(f"{parts}.map((part) => part.querySelector('h3').innerText)")
    assert titles[0] == "All figures" and titles[-2:] == ["Segments", "Data and command"]
    is_open = page.run(f"{parts}.map((part) => part.open)")
    assert [title for title, each in zip(titles, is_open, strict=True) if each] == []
    page.click(".contents a[href='#segments-heading']")
    assert page.run("document.activeElement.id") == "segments-heading"
    assert len(in_sight(page)) >= 5  # rows have their height when the list is opened


def test_a_row_stands_for_all_systems_of_its_segment(opened):
    page = opened("sort=segment")
    assert places(page)[:3] == [1, 2, 3]
    assert listed(page, "system")[0].startswith("good +2")
    dots = "document.querySelector('.row:first-child .score-strip .all').getAttribute('d')"
    assert page.run(dots).count("h0") == 3
    page.click(".row")
    page.until("location.hash.includes('segment=1')")
    page.click(".all-outputs [data-system='1']")
    page.until("location.hash.includes('system=bad')")
    assert page.count(".row.chosen") == 1
    page.press("j")
    page.until("location.hash.includes('segment=2')")


def test_all_systems_are_second_in_a_segment(opened):
    page = opened("segment=1&system=bad")
    tops = page.run(
        "['.against', '.all-outputs', '.sentences', '.unmatched, .equations']"
        ".map((x) => document.querySelector(`dialog :is(${x})`).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)


def marks(page, place):
    """Return the marks of each line, as pairs of kind and text."""
    return page.run(
        f"[...document.querySelectorAll({place + ' .text-line'!r})].map((line) =>"
        " [...line.querySelectorAll('.run')].map((x) => [x.className, x.textContent]))"
    )


def test_list_and_segment_mark_the_same(opened):
    page = opened("a=bad&sort=segment&segment=1&system=bad")
    listed_marks = marks(page, ".row")[:2]
    assert listed_marks == marks(page, ".inner > .against")
    kinds = [kind for line in listed_marks for kind, _ in line]
    assert kinds == ["run missing", "run missing", "run synonym", "run extra"]


def test_list_and_segment_mark_an_empty_output_the_same(browser, tmp_path):
    texts = {"A": ["", "他们明天来"], "B": ["今天天气不错", "他们明天来"]}
    campaign = Campaign.from_lists(texts, ["今天天气不错", "他们明天来"])
    campaign.score("celab").html(tmp_path / "empty.html")
    with report_pages(browser) as open_page:
        page = open_page((tmp_path / "empty.html").as_uri(), "a=A&sort=segment&segment=1&system=A")
        assert page.text("dialog h3 .kind") == "empty"
        wanted = [[["run missing", "今天天气不错"]], [["run extra", "(empty)"]]]
        assert marks(page, ".row")[:2] == marks(page, ".inner > .against") == wanted
        assert page.text(".aligned-outputs .chosen .missing") == "–"
        assert page.count("dialog .sentences") == 0


def test_the_heading_leads_to_the_arithmetic(opened):
    page = opened("segment=1&system=bad")
    page.click("[data-step=why]")
    assert page.run("document.activeElement.textContent") == "How TESLA-CELAB matched it"


def test_a_refusal_is_plain_text_with_its_kind(opened):
    page = opened("segment=30&system=good")
    assert page.count("dialog h3 .kind") == 1
    assert page.count("dialog .against .run") == 0
    assert page.count("dialog .sentences") == 0


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("state", ["rows=outputs", "a=good", "a=good&b=bad"])
def test_every_list_says_the_kind_of_an_output(opened, state, width):
    page = opened(f"{state}&sort=score", width=width)
    kinds = page.page.locator(".row", has_text="sorry").locator(".kind:visible")
    assert kinds.all_text_contents() == ["refusal"]
    cell = kinds.locator("xpath=ancestor::*[@role='gridcell']").bounding_box()
    kind = kinds.bounding_box()
    assert kind["x"] + kind["width"] <= cell["x"] + cell["width"]
    assert kind["y"] + kind["height"] <= cell["y"] + cell["height"] + 1


def test_a_question_mark_shows_the_keys(opened):
    page = opened()
    page.press("?")
    assert page.run("document.activeElement.id") == "keys"


def test_what_the_url_names_and_the_report_lacks_is_said(opened):
    page = opened("segment=99&a=nobody")
    assert page.text("#unknown") == (
        "No system nobody in this report. No segment 99 in this report."
    )
    assert not opened("segment=3").run("!document.getElementById('unknown').hidden")


def test_disagreement_has_a_direction_and_equal_outputs_are_last(opened):
    page = opened("sort=above:human&order=descending&rows=outputs")
    assert listed(page, "system")[0] != "equal"
    low = opened("sort=below:human&order=descending&rows=outputs")
    assert listed(low, "system")[0] == "bad"


def test_a_term_is_marked_in_the_list(opened):
    page = opened("term=0&a=bad&sort=segment")
    assert page.run("document.querySelector('.row mark').textContent") == "广场"


def test_the_finding_has_scores_of_people_and_no_folder(opened):
    page = opened("segment=1&system=bad")
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".bar .take summary")
    page.page.locator(".bar .take").get_by_role("button", name="Finding").click()
    page.until("document.querySelector('.bar .take').textContent.includes('Copied')")
    text = page.run("navigator.clipboard.readText()")
    assert "People 95.00" in text
    assert "<workbench.html#" in text


def test_a_dot_of_either_system_has_its_row(opened):
    page = opened("a=good&b=bad&segment=20&system=bad")
    row = "document.querySelector('.row.chosen')"
    assert page.run(f"{row}.querySelector('.c-segment b').textContent") == "20"
    inside = "({top, bottom}, box) => top >= box.top - 1 && bottom <= box.bottom + 1"
    boxes = f"{row}.getBoundingClientRect(), rows.getBoundingClientRect()"
    page.until(f"({inside})({boxes})")  # the list follows the segment


def test_a_long_reference_is_cut_into_blocks(browser, tmp_path):
    ref = "".join(chr(0x4E00 + i) for i in range(70))
    texts = {"A": [ref[:30] + "买" + ref[31:]], "B": [ref]}
    Campaign.from_lists(texts, [ref]).score("celab").html(tmp_path / "long.html")
    with report_pages(browser) as open_page:
        page = open_page((tmp_path / "long.html").as_uri(), "segment=1&system=A", width=1440)
        assert page.count(".aligned-outputs") == 4
        around = "document.querySelector('.all-outputs .scroll')"
        assert page.run(f"{around}.scrollWidth <= {around}.clientWidth")
        assert page.page.locator(".aligned-outputs .differs").all_text_contents() == ["买"]
        assert page.count(".aligned-outputs [data-system]") == 2


def test_signs_weigh_less_than_words(browser, tmp_path):
    Campaign.from_lists({"A": ["他买了雨伞..."]}, ["他买了雨伞……"]).score("celab").html(
        tmp_path / "signs.html"
    )
    with report_pages(browser) as open_page:
        page = open_page((tmp_path / "signs.html").as_uri())
        assert page.count(".row .run.extra.signs") == page.count(".row .run.extra") == 1


def test_a_link_to_an_order_leads_to_the_list(opened):
    page = opened("sort=above:human&order=descending", height=700, closed=True)
    page.until("document.getElementById('segments-heading').getBoundingClientRect().top < 200")


def test_nothing_moves_as_choices_change(opened):
    page = opened("sort=segment")
    page.run("document.getElementById('segments-heading').scrollIntoView()")
    places = (
        "[...document.querySelectorAll('#filters > label > :is(select, input)')].map((x) => {"
        " const {left, top, width} = x.getBoundingClientRect();"
        " return [left, top, width].map(Math.round); })"
    )
    before = page.run(places)
    for words in ("上海", "不在任何地方"):
        page.page.fill("#filters [name=search]", words)
        page.until(f"location.hash.includes(encodeURIComponent({words!r}))")
        assert page.run(places) == before


def test_people_have_their_name_in_both_languages(opened):
    page = opened()
    assert page.text("[data-sort='judge:human']") == "People"
    orders = page.run("[...filters.sort.options].map((x) => x.textContent)")
    assert "TESLA-CELAB high, people low" in orders
    chinese = opened("page=zh")
    assert chinese.text("[data-sort='judge:human']") == "人工"
    assert "human" not in chinese.run("document.body.innerText")


def test_terms_are_in_the_order_of_the_ranks(opened):
    page = opened()
    names = "[...document.querySelectorAll('{}')].map((x) => x.textContent)"
    ranked = page.run(names.format(".board tbody th.name"))
    assert ranked == ["equal", "good", "bad"]
    assert page.run(names.format("#terms-of-systems .of-system")) == ranked
    page.click("#terms-of-systems [data-view*='\"a\":1'] button")
    page.until("location.hash.includes('a=bad')")  # the columns know their systems


def test_the_legend_has_every_mark(opened):
    page = opened("segment=1&system=bad")
    marks = "[...document.querySelectorAll('.inner > .key .run')].map((x) => x.className)"
    assert page.run(marks) == [
        *("run missing", "run extra", "run moved", "run synonym", "run missing signs")
    ]


def test_the_picture_of_a_segment_is_copied_as_png(opened):
    for state in ("segment=1&system=bad", "metric=celab&segment=30&system=bad"):
        page = opened(state)
        page.run(
            "(() => { window.ClipboardItem = class { constructor(parts) { this.parts = parts; } };"
            " Object.defineProperty(navigator, 'clipboard', { value: { write: ([item]) =>"
            " { window.copied = item.parts['image/png']; return Promise.resolve(); } } });"
            " return true; })()"
        )
        page.click("dialog .take summary")
        page.page.locator("dialog .take").get_by_role("button", name="PNG").click()
        page.until("window.copied")
        begins = "window.copied.arrayBuffer().then((x) => [...new Uint8Array(x).slice(1, 4)])"
        assert bytes(page.run(begins)) == b"PNG"


def test_a_and_b_differ_on_gray_paper(opened):
    page = opened("a=good&b=bad")
    page.page.emulate_media(media="print")
    light = page.run(
        "['.shares .wins', '.shares .losses'].map((x) => {"
        " const [r, g, b] = getComputedStyle(document.querySelector(x), '::before')"
        ".backgroundColor.match(/[0-9.]+/g).map(Number);"
        " return 0.299 * r + 0.587 * g + 0.114 * b; })"
    )
    assert abs(light[0] - light[1]) > 80


def test_on_a_phone_order_and_search_stand_before_the_list(opened):
    page = opened("sort=segment", width=390, height=844)
    names = (
        "[...document.querySelectorAll('#filters > label :is(select, input)')].map((x) => x.name)"
    )
    assert page.run(names) == ["sort", "search"]
    assert page.count(".more-filters [name=a]") == 1
    page.resize(1280, 900)
    page.until(f"{names}.length > 2")
    assert page.run(names)[:2] == ["a", "b"]
    segment = opened("segment=1&system=bad", width=390, height=844)
    assert segment.count(".texts-of-outputs") == 1  # few columns would fit


def test_terms_and_outputs_of_many_systems_fit_the_paper(browser, tmp_path):
    systems = {f"Some-System-{k}": [*REFS[k:], *[""] * k] for k in range(12)}
    corpus = Corpus(
        segments=[Segment("", str(i + 1)) for i in range(30)],
        systems=systems,
        refs=[REFS],
        ref_names=["ref"],
        source=["the square"] * 30,
    )
    campaign = Campaign(corpus).score("chrf").add_terms({"square": "广场"}, source_lang="en")
    campaign.test(n_resamples=50).html(tmp_path / "many.html")
    with report_pages(browser) as open_page:
        page = open_page((tmp_path / "many.html").as_uri(), width=718)
        page.page.emulate_media(media="print")
        page.run("dispatchEvent(new Event('beforeprint'))")
        tables = "#terms-of-systems table, #kinds-of-outputs table, #kinds-of-errors table"
        ends = f"[...document.querySelectorAll('{tables}')].map((x) => x.getBoundingClientRect())"
        rights = page.run(f"{ends}.map(({{right}}) => right)")
        assert len(rights) == 3 and max(rights) <= 718
