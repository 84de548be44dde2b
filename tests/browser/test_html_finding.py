"""A finding is copied as Markdown and as HTML with the picture of the alignment."""

import pytest
from opening import address, campaign, metric, opened
from reports import BAD, BAD_IN_URL, GOOD, REFS, SOURCE

pytestmark = pytest.mark.browser

HTML = (
    "navigator.clipboard.read().then(([item]) => item.getType('text/html'))"
    ".then((blob) => blob.text())"
)


def copied(page):
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".bar .take summary")
    page.page.locator(".bar").get_by_role("button", name="Finding").click()
    page.until("document.querySelector('.bar [data-say=Finding]').textContent === 'Copied'")
    return page.run("navigator.clipboard.readText()")


def test_texts_scores_review_and_link_are_copied(opened, browser, campaign):
    page = opened("segment=4&system=good")
    page.press("2")
    page.press("n")
    page.type("*very* good\nor not")
    page.press("Escape")
    score = campaign.scores["celab"]["good"].segments.scores[3]
    text = copied(page)
    link = page.run("location.href")
    assert text == (
        "**Segment 4 (second)**\n\n"
        f"- Source: {SOURCE[3]}\n"
        f"- Reference: {REFS[3]}\n"
        f"- **good (TESLA-CELAB {score:.4f})**: {GOOD[3]}\n"
        "- Review: major\n"
        "- Note: \\*very\\* good or not\n"
        f"\n<{link.rpartition('/')[2]}>\n"  # the folder is of this machine
    )
    again = browser.open(link)
    again.until("document.getElementById('segment').open")
    assert again.text("#segment-heading").startswith("Segment 4")
    again.close()
    html = page.run(HTML)
    assert "data:image/png;base64," in html and GOOD[3] in html and "segment=4" in html


def test_both_outputs_of_a_pair_are_copied(opened):
    page = opened(f"a=good&b={BAD_IN_URL}&segment=1&system=good")
    text = copied(page)
    assert GOOD[0] in text and BAD[0] in text
    assert r"\<script\>document.title" in text


def test_without_rich_text_the_markdown_is_copied(opened):
    page = opened("segment=2&system=good")
    page.run("delete window.ClipboardItem")
    assert copied(page).startswith("**Segment 2 (first)**")
