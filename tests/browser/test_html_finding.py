"""A finding is copied as Markdown and as HTML with the picture of the alignment."""

import pytest
from opening import address, campaign, metric, opened, opener
from reports import BAD, BAD_IN_URL, GOOD, REFS, SOURCE, with_omission

from celab.corpus import Corpus, Segment
from celab.systems.campaign import Campaign

pytestmark = pytest.mark.browser

HTML = (
    "navigator.clipboard.read().then(([item]) => item.getType('text/html'))"
    ".then((blob) => blob.text())"
)


def copied(page, done="Copied"):
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".bar .take summary")
    page.click(".bar [data-say=Finding]")
    page.until(f"document.querySelector('.bar [data-say=Finding]').textContent === '{done}'")
    return page.run("navigator.clipboard.readText()")


def test_texts_scores_and_link_are_copied(opened, browser, campaign):
    page = opened("segment=4&system=good")
    score = campaign.scores["celab"]["good"].segments.scores[3]
    text = copied(page)
    link = page.run("location.href")
    assert text == (
        "**Segment 4 (second)**\n\n"
        f"- Source: {SOURCE[3]}\n"
        f"- Reference: {REFS[3]}\n"
        f"- **good (TESLA-CELAB {score:.4f})**: {GOOD[3]}\n"
        f"\n<{link.rpartition('/')[2]}>\n"  # the folder is of this machine
    )
    again = browser.open(link)
    again.until("document.getElementById('segment').open")
    assert again.text("#segment-heading").startswith("Segment 4")
    again.close()
    html = page.run(HTML)
    assert "data:image/png;base64," in html and GOOD[3] in html and "segment=4" in html


def test_a_row_of_the_list_is_opened_and_copied_at_once(opened):
    page = opened("")
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    second = ".row[data-place='1']"
    assert not page.page.is_visible(f"{second} .row-copy")
    page.page.hover(second)
    page.page.click(f"{second} .row-copy")
    page.until("document.querySelector('#segment .bar > .copy').textContent === 'Copied'")
    from_row = page.run("navigator.clipboard.readText()")
    assert page.run("document.querySelector('.row.chosen').dataset.place") == "1"
    assert from_row == copied(page)


def test_both_outputs_of_a_pair_are_copied(opened):
    page = opened(f"a=good&b={BAD_IN_URL}&segment=1&system=good")
    text = copied(page)
    assert GOOD[0] in text and BAD[0] in text
    assert r"\<script\>document.title" in text


def test_without_rich_text_the_markdown_is_copied(opened):
    page = opened("segment=2&system=good")
    page.run("delete window.ClipboardItem")
    assert copied(page).startswith("**Segment 2 (first)**")


REFUSAL = "I'm sorry, but I cannot translate this text."
SPANS = [
    ("system", "segment", "start", "end", "severity", "category"),
    ("first", 2, 2, 4, "major", "accuracy"),
    ("first", 2, 4, 5, "minor", ""),
    ("second", 2, 0, 1, "", ""),
]


@pytest.fixture(scope="module")
def judged_address(tmp_path_factory):
    """Give a report with a refusal and with errors that people have marked."""
    folder = tmp_path_factory.mktemp("judged")
    lines = ["\t".join(map(str, row)) for row in SPANS]
    (folder / "spans.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    systems = {"first": [REFUSAL, "他们后天来"], "second": ["你好吗", "明天他们来"]}
    segments = [Segment("", "1"), Segment("", "2")]
    corpus = Corpus(
        segments=segments, systems=systems, refs=[["你好吗", "他们明天来"]], ref_names=["ref"]
    )
    scored = Campaign(corpus).score(["celab"]).with_spans(folder / "spans.tsv")
    scored = with_omission(scored, "first", 1, "critical")
    scored.html(folder / "report.html", lang="zh")
    return (folder / "report.html").as_uri()


opened_judged = opener("judged_address")


def test_the_tag_of_an_output_that_is_no_translation_is_copied(opened_judged):
    page = opened_judged("segment=1&system=first")
    line = next(line for line in copied(page).splitlines() if REFUSAL in line)
    assert line.startswith("- **first, refusal (TESLA-CELAB ")
    assert "first, refusal (TESLA-CELAB " in page.run(HTML)


def test_errors_that_people_have_marked_are_copied(opened_judged):
    page = opened_judged("a=first&b=second&segment=2&system=first")
    text, html = copied(page), page.run(HTML)
    errors = "后天: major, accuracy; 来: minor; no place in the output: critical, omission"
    first, of_first, second, of_second = text.splitlines()[3:7]
    assert "他们后天来" in first and of_first == f"- Marked errors of first: {errors}"
    assert "明天他们来" in second and of_second == "- Marked errors of second: 明"
    assert f"<span>Marked errors of first</span>: {errors}</li>" in html


def test_tags_and_marked_errors_are_copied_in_chinese(opened_judged):
    page = opened_judged("segment=1&system=first&page=zh")
    assert "- **first，拒绝翻译（TESLA-CELAB " in copied(page, "已复制")
    page = opened_judged("segment=2&system=first&page=zh")
    errors = "后天：严重、accuracy；来：轻微；在译文中无位置：致命、omission"
    assert f"- first 中标注的错误: {errors}\n" in copied(page, "已复制")
