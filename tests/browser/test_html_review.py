"""Reviews in the report: written by keys and buttons, kept, filtered, saved and read again."""

import json

import opening
import pytest
from opening import address, campaign, metric, opened
from reports import BAD, BAD_IN_URL, GOOD, SCRIPT, listed, places

from celab import Campaign
from celab.base.errors import InputWarning
from celab.corpus import Corpus, Segment
from celab.evaluation.reviews import SEVERITIES, read_reviews

pytestmark = pytest.mark.browser

BAR = "document.querySelector('dialog .review')"
PRESSED = (
    f"[...{BAR}.querySelectorAll('[aria-pressed=true]')].map((button) => button.dataset.review)"
)


def marks(page):
    """Return the marks of reviews in the list, by segment and system."""
    rows = page.run(
        "[...document.querySelectorAll('.row')].filter((row) => row.querySelector('.reviewed'))"
        ".map((row) => [row.querySelector('.c-segment b').textContent,"
        " row.querySelector('.c-system').textContent, row.querySelector('.reviewed').textContent])"
    )
    return sorted(map(tuple, rows))


def saved(page, name):
    """Return the text of the file that the menu of reviews saves."""
    if not page.run("document.getElementById('reviews').open"):
        page.click("#reviews > summary")
    with page.page.expect_download() as download:
        page.page.locator("#reviews").get_by_role("button", name=name).click()
    assert download.value.suggested_filename == f"reviews.{name.split()[1].lower()}"
    return download.value.path().read_text("utf-8")


def reviewed(page):
    """Review two outputs by keys: good of segment 1, and the other system of segment 4."""
    page.press("2")
    page.press("s")
    page.press("c")
    page.type("Accuracy/Mistranslation")
    page.press("Enter")
    page.press("n")
    page.type("雨伞\tnot 伞")
    page.press("Escape")
    page.run(f'location.hash = "rows=outputs&sort=segment&segment=4&system={BAD_IN_URL}"')
    page.until("document.querySelector('#segment-heading').textContent.startsWith('Segment 4')")
    page.press("3")


def test_an_output_is_reviewed_by_keys(opened):
    page = opened("segment=1&system=good&rows=outputs&sort=segment")
    reviewed(page)
    assert page.run(PRESSED) == ["critical"]
    assert marks(page) == [("1", "good", "★ major"), ("4", SCRIPT, "critical")]
    assert page.text("#reviews > summary") == "Reviews (2)"
    assert page.run("document.getElementById('segment').open")  # Esc left the field only
    page.press("3")  # the same key again takes it back
    assert marks(page) == [("1", "good", "★ major")]
    # Keys of the list still work, and what is typed in a search is no review.
    page.run("document.querySelector('#filters [name=search]').focus()")
    page.press("1")
    assert marks(page) == [("1", "good", "★ major")]


def test_buttons_do_what_keys_do(opened):
    page = opened("segment=2&system=good")
    page.click(".review [data-review=star]")
    page.click(".review [data-review=minor]")
    assert page.run(PRESSED) == ["star", "minor"]
    assert page.run("document.activeElement.dataset.review") == "minor"
    page.click(".review [data-review=major]")
    assert page.run(PRESSED) == ["star", "major"]
    page.page.locator(".review [data-review=note]").fill("two\nlines")
    page.page.locator(".review [data-review=category]").fill("Mine")
    page.run("location.hash = 'segment=3&system=good'")
    page.until("document.querySelector('#segment-heading').textContent.startsWith('Segment 3')")
    assert page.run(PRESSED) == []
    assert page.run(f"{BAR}.querySelector('textarea').value") == ""
    page.run("location.hash = 'segment=2&system=good'")
    page.until("document.querySelector('#segment-heading').textContent.startsWith('Segment 2')")
    assert page.run(f"{BAR}.querySelector('textarea').value") == "two\nlines"
    assert page.run(f"{BAR}.querySelector('input').value") == "Mine"


def test_reviews_are_kept_by_the_texts(opened, campaign, metric, tmp_path):
    from celab.report.html import campaign_page

    page = opened("segment=1&system=good&rows=outputs&sort=segment")
    reviewed(page)
    page.page.reload()
    page.until("document.querySelectorAll('.reviewed').length === 2")
    keys = page.run("Object.keys(localStorage)")
    assert len(keys) == 1 and keys[0].startswith("celab-reviews-")
    # Another page of the same texts has the digest of the first, one of other texts has not.
    digest = keys[0].removeprefix("celab-reviews-")
    again = campaign_page(campaign, {"celab": metric}, explained=0, report_lang="zh")
    assert f'"digest":"{digest}"' in again
    for damaged in ("{", '{"reviews": {"0": {"severity": "x"}, "99": null, "1": 3}}', "null", "[]"):
        page.run(f"localStorage.setItem({keys[0]!r}, {damaged!r})")
        page.page.reload()
        page.until("document.querySelector('#reviews > summary')")
        assert marks(page) == []


def test_a_browser_without_storage_says_so(browser, address):
    with opening.report_pages(browser) as open_page:
        page = open_page(address)
        page.page.add_init_script(
            "Object.defineProperty(window, 'localStorage', {get() { throw new Error('no'); }})"
        )
        page.page.goto(f"{address}#segment=1&system=good&rows=outputs")
        page.page.reload()
        page.until("document.querySelector('.review')")
        assert "Save them before you leave" in page.text(".review .notice")
        page.press("1")
        assert marks(page) == [("1", "good", "minor")]
        assert "minor" in saved(page, "Save TSV")


def test_the_list_can_be_limited_to_reviews(opened):
    page = opened("segment=1&system=good&rows=outputs&sort=segment")
    reviewed(page)
    options = "[...document.querySelector('[name=review]').options].map((x) => x.textContent)"
    counts = ["all outputs", "reviewed (2)", "starred (1)", "not reviewed (8)"]
    assert page.run(options) == counts
    page.run("document.querySelector('.more-filters').open = true")
    page.page.locator("#filters [name=review]").select_option("reviewed")
    page.until("document.querySelectorAll('.row').length === 2")
    assert places(page) == [1, 4] and "review=reviewed" in page.run("location.hash")
    page.page.locator("#filters [name=review]").select_option("starred")
    page.until("document.querySelectorAll('.row').length === 1")
    assert listed(page, "system") == ["good"]
    page.click("[data-chip=review]")
    page.until("document.querySelectorAll('.row').length === 10")


def test_saved_reviews_are_read_again(opened, campaign, tmp_path, browser):
    page = opened("segment=1&system=good&rows=outputs&sort=segment")
    reviewed(page)
    files = {name: saved(page, f"Save {name.upper()}") for name in ("tsv", "json")}
    head, *rows = [line.split("\t") for line in files["tsv"].splitlines()]
    assert head == ["system", "segment", "severity", "category", "star", "note", "output"]
    assert rows == [
        ["good", "1", "major", "Accuracy/Mistranslation", "1", "雨伞 not 伞", GOOD[0]],
        [SCRIPT, "4", "critical", "", "0", "", BAD[3]],
    ]
    assert json.loads(files["json"])["reviews"][0]["note"] == "雨伞\tnot 伞"
    for name, text in files.items():
        path = tmp_path / f"reviews.{name}"
        path.write_text(text, "utf-8")
        reviews = read_reviews(path, campaign.corpus)
        assert len(reviews.current) == 2 and not reviews.stale
        campaign.html(tmp_path / f"{name}.html", reviews=path)
        with opening.report_pages(browser) as open_page:
            new = open_page(
                (tmp_path / f"{name}.html").as_uri(), "segment=1&system=good&rows=outputs"
            )
            assert marks(new) == [("1", "good", "★ major"), ("4", SCRIPT, "critical")]
            assert new.run(PRESSED) == ["star", "major"]
            assert new.run(f"{BAR}.querySelector('input').value") == "Accuracy/Mistranslation"
            # What the file has can be taken back, and stays so.
            new.press("2")
            new.press("s")
            new.page.locator(".review [data-review=note]").fill("")
            new.page.locator(".review [data-review=category]").fill("")
            new.page.reload()
            new.until("document.querySelector('.review')")
            assert marks(new) == [("4", SCRIPT, "critical")]
            new.run("localStorage.clear()")


def test_reviews_of_other_texts_stand_apart(browser, campaign, tmp_path):
    path = tmp_path / "reviews.tsv"
    head = "system\tsegment\tseverity\tcategory\tstar\tnote\toutput\n"
    path.write_text(
        f"{head}good\t1\tmajor\t\t0\told\t我买了伞\ngood\t2\tminor\t\t0\t\t你好吗\n", "utf-8"
    )
    with pytest.warns(InputWarning, match="line 2: segment 1 of good"):
        campaign.html(tmp_path / "report.html", reviews=path)
    with opening.report_pages(browser) as open_page:
        page = open_page((tmp_path / "report.html").as_uri(), "segment=1&system=good&rows=outputs")
        assert marks(page) == [("2", "good", "minor")]
        assert page.run(PRESSED) == []
        page.click("#stale-reviews summary")
        assert page.page.locator("#stale-reviews td").all_text_contents() == [
            "line 2",
            "good",
            "1",
            "major",
            "old",
            "我买了伞",
        ]


def test_categories_can_be_edited(opened):
    page = opened("segment=1&system=good")
    options = "[...document.querySelectorAll('#categories option')].map((x) => x.value)"
    assert len(page.run(options)) == 22 and "Accuracy/Omission" in page.run(options)
    page.click("#reviews > summary")
    page.page.locator("#reviews textarea").fill("Meaning\n Names \n\nMeaning")
    page.page.locator("#reviews textarea").blur()
    assert page.run(options) == ["Meaning", "Names"]
    page.page.reload()
    page.until("document.querySelector('.review')")
    assert page.run(options) == ["Meaning", "Names"]
    page.press("1")
    assert json.loads(saved(page, "Save JSON"))["categories"] == ["Meaning", "Names"]
    page.page.on("dialog", lambda dialog: dialog.accept())
    page.page.locator("#reviews").get_by_role("button", name="Remove all").click()
    assert marks(page) == [] and len(page.run(options)) == 22
    assert page.run("localStorage.length") == 0


def test_the_page_and_the_reader_have_the_same_severities(opened):
    page = opened("segment=1&system=good")
    keys = page.run(f"[...{BAR}.querySelectorAll('button')].map((x) => x.dataset.review)")
    assert keys == ["star", *SEVERITIES]


def test_saved_reviews_have_the_names_of_segments(tmp_path, browser):
    segments = [Segment("app", name) for name in ("open", "close")]
    texts = Corpus(segments, {"a": ["打开", "关上"]}, [["打开", "关闭"]], ["ref"])
    report = tmp_path / "report.html"
    Campaign(texts).score("chrf").html(report)
    with opening.report_pages(browser) as open_page:
        page = open_page(report.as_uri(), "segment=2&system=a")
        page.until("document.querySelector('.review')")
        page.press("2")
        files = {name: saved(page, f"Save {name.upper()}") for name in ("tsv", "json")}
    assert files["tsv"].splitlines()[1] == "a\tclose\tmajor\t\t0\t\t关上"
    assert json.loads(files["json"])["reviews"][0]["segment"] == "close"
    for name, text in files.items():
        path = tmp_path / f"reviews.{name}"
        path.write_text(text, "utf-8")
        (review,) = read_reviews(path, texts).current
        assert review.place == 1
