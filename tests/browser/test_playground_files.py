"""Reports of the playground: columns that are chosen, texts that are aligned, one button."""

import pytest
from test_playground import playground, port
from workbooks import workbook

import celab

pytestmark = pytest.mark.browser

SOURCES = ["He bought an umbrella.", "We go to Beijing tomorrow."]
REFS = ["他买了雨伞。", "我们明天去北京。"]
HYPS = ["他买了一把伞。", "明天我们去北京。"]
PATIENCE = 120_000  # milliseconds for a report on a busy machine
READ = "!document.querySelector('#files [aria-busy=true]')"
KINDS = "[...document.querySelectorAll('#files .columns select')].map((x) => x.value)"


def drop(page, **files):
    """Choose files, by name without its dot, and wait until their columns are shown."""
    payloads = [
        {
            "name": name.replace("_", "."),
            "mimeType": "",
            "buffer": data if isinstance(data, bytes) else data.encode(),
        }
        for name, data in files.items()
    ]
    page.page.set_input_files("#report [name=files]", payloads)
    page.until(f"document.querySelectorAll('#files > li').length === {len(files)} && {READ}")


def report_of(page, button="#report > p:last-child button", status="#made"):
    """Click a button; return the report that opens, which the link leads to, too."""
    with page.page.context.expect_page(timeout=PATIENCE) as opening:
        page.click(button)
    opened = opening.value
    opened.wait_for_selector("main")
    page.until(f"document.querySelector({status!r} + ' a')")
    path = page.page.locator(f"{status} a").first.get_attribute("href")
    assert opened.url.partition("#")[0].endswith(path)
    text = opened.inner_text("body") + opened.content()
    opened.close()
    return text


def score_of(hyps, refs=REFS):
    return f"{celab.TeslaCelab().corpus_score(hyps, [refs]).score:.4f}"


def test_a_workbook_asks_for_its_columns(playground):
    page = playground()
    rows = [["English", "人工", "GPT", "Qwen"], *zip(SOURCES, REFS, HYPS, HYPS[::-1], strict=True)]
    drop(page, a_xlsx=workbook([list(row) for row in rows]))
    assert page.run(KINDS) == ["source", "reference", "system", "system"]
    assert page.text("#files .columns small") == SOURCES[0]
    page.page.select_option("#files [name=column-0-3]", "")
    text = report_of(page)
    assert score_of(HYPS) in text and SOURCES[0] in text
    page.page.select_option("#files [name=column-0-2]", "")
    page.click("#report > p:last-child button")
    page.until("document.querySelector('#made').textContent.startsWith('Give a reference')")


def test_a_table_without_names_is_read_by_number(playground):
    page = playground("page=zh")
    lines = [
        f"{source}\t{ref}\t{hyp}" for source, ref, hyp in zip(SOURCES, REFS, HYPS, strict=True)
    ]
    drop(page, a_tsv="\n".join(lines) + "\n")
    assert page.run(KINDS) == ["source", "reference", "system"]
    assert not page.run("document.querySelector('#files input').checked")
    assert page.text("#files .columns b") == "第 1 列"
    text = report_of(page)
    assert score_of(HYPS) in text and "句段" in text  # in the language of the page


def test_a_table_and_a_text_are_scored_together(playground):
    page = playground()
    rows = [f"{ref},{hyp}" for ref, hyp in zip(REFS, HYPS, strict=True)]
    drop(page, b_csv="\n".join(["参考译文,译文", *rows]) + "\n", c_txt="\n".join(REFS) + "\n")
    text = report_of(page)
    assert score_of(HYPS) in text and score_of(REFS) in text


def test_lengths_that_differ_offer_alignment(playground):
    page = playground()
    drop(page, ref_txt="\n".join(REFS) + "\n", a_txt="".join(HYPS) + "\n")
    page.click("#report > p:last-child button")
    page.page.wait_for_selector("#made button", timeout=PATIENCE)
    assert page.text("#made .notice").startswith("a.txt has 1 line but ref.txt has 2")
    assert "cuts them anew" in page.text("#made")
    text = report_of(page, "#made button")
    assert score_of(HYPS) in text and "align:edit" in text
    page._complaints[:] = [text for text in page._complaints if "400" not in text]


def test_one_button_makes_the_report_of_the_texts(playground):
    page = playground("ref=买雨伞&hyp=买伞&hyp=去%0A北京")
    text = report_of(page, "[data-report]", "[data-report] + span")
    expected = [
        celab.TeslaCelab().sentence_score(hyp, ["买雨伞"]).score for hyp in ("买伞", "去\n北京")
    ]
    assert all(f"{score:.4f}" in text for score in expected)
