"""The page of `celab meta` in a browser."""

import json
import re
from itertools import pairwise

import pytest
from commands import EXAMPLES

from celab.agreement import meta
from celab.report.html.agreement import Section, evaluations_page, meta_page

pytestmark = pytest.mark.browser

ROWS = [("wmt", "TESLA-CELAB", 0.495, 0.4851, 0.5059), ("wmt", "chrF2", 0.498, 0.4882, 0.5073)]


@pytest.mark.parametrize("width", [1280, 390])
def test_labels_of_axes_do_not_touch(browser, tmp_path, width):
    path = tmp_path / "meta.html"
    section = Section(name="wmt", metrics=(), verdict=["TESLA-CELAB has the highest r, 0.5."])
    overview = {"acc*eq of segments": ROWS, "Pearson of systems": ROWS}
    path.write_text(meta_page([section], overview), "utf-8")
    page = browser.open(path.as_uri(), width)
    axes = page.run(
        "[...document.querySelectorAll('.axis')].map((axis) => [...axis.querySelectorAll('text')]"
        ".map((x) => x.getBoundingClientRect()).map(({left, right}) => [left, right]))"
    )
    tall = "[...document.querySelectorAll('.overviews tbody th bdi')].map((x) => x.offsetHeight)"
    assert max(page.run(tall)) < 30  # a name of a metric is on one line
    assert len(axes) == 2
    for labels in axes:
        assert len(labels) >= 3
        assert all(right < left for (_, right), (left, _) in pairwise(labels))
    verdict, first = page.run(
        "['.answer', '.overviews'].map((x) =>"
        " document.querySelector(x).getBoundingClientRect().top)"
    )
    assert verdict < first
    assert page.run("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.fixture(scope="module")
def judged_page(tmp_path_factory):
    evaluation = meta.evaluate(f"{EXAMPLES}/judged", ["celab", "chrf", "ter"], n_resamples=40)
    path = tmp_path_factory.mktemp("meta") / "meta.html"
    path.write_text(evaluations_page(evaluation), "utf-8")
    return path.as_uri()


def shown_texts(page):
    return page.run("document.body.innerText")


def test_its_language_can_be_changed(browser, judged_page):
    page = browser.open(judged_page)
    english = shown_texts(page)
    page.click("[data-language=zh]")
    page.until("document.documentElement.lang === 'zh-CN'")
    chinese = shown_texts(page)
    assert page.run("document.title").startswith("celab：评测指标与人工评价的对比")
    words = set(re.findall("[A-Za-z]{4,}", chinese))
    names = set(re.findall("[A-Za-z]{4,}", "".join(re.findall(r"\S+\|\S+", chinese))))
    assert words - names <= {
        *("celab", "judged", "CELAB", "TESLA", "Pearson", "Spearman", "Kendall", "human", "kappa"),
        *("alpha", "beta", "gamma", "delta", "chrF", "bootstrap"),
    }
    assert page.run("location.hash") == "#page=zh"
    assert page.count(".scatter [aria-label*=人工评分]") >= 4
    page.click("[data-language=en]")
    page.until("document.documentElement.lang === 'en'")
    assert shown_texts(page) == english
    assert page.complaints() == [] and page.requests() == []
    page.close()
    again = browser.open(f"{judged_page}#page=zh")
    assert shown_texts(again) == chinese
    again.close()


COPIED = """(async (selector, name) => {
  let copied = null;
  navigator.clipboard.writeText = async (text) => { copied = text; };
  const menu = document.querySelector(selector);
  for (const button of menu.querySelectorAll("button"))
    if (button.textContent === name) button.click();
  await new Promise((done) => setTimeout(done));
  return copied;
})"""


def copied(page, selector, name):
    return page.run(f"{COPIED}({json.dumps(selector)}, {json.dumps(name)})")


def test_it_has_the_menus_of_the_report(browser, judged_page):
    page = browser.open(judged_page)
    table = copied(page, ".scroll + .take", "TSV").splitlines()
    assert table[0].startswith("metric\tconsistency\tties half\tPearson")
    assert [row.split("\t")[0] for row in table[1:]] == ["TESLA-CELAB", "chrF2", "TER"]
    figure = copied(page, ".overviews .take", "TSV").splitlines()
    assert figure[0] == "metric\tvalue\t95% interval"
    assert re.fullmatch(r"TESLA-CELAB\t0\.833\t0\.\d{3}–\d\.\d{3}", figure[1])
    assert copied(page, ".overviews .take", "SVG").startswith("<?xml")
    systems = copied(page, "figure .take", "Markdown").splitlines()
    assert systems[0] == "| System | human score | TESLA-CELAB |"
    assert systems[1] == "| --- | ---: | ---: |"
    drawing = copied(page, "figure .take", "SVG")
    assert "human score" in drawing and "alpha" in drawing
    assert copied(page, ".signature:has(> code)", "Copy").startswith("celab|refs:2|n:4|")
    assert page.complaints() == []
    page.close()


def test_a_copied_figure_names_the_set(browser, tmp_path):
    path = tmp_path / "meta.html"
    rows = [*ROWS, ("other", "chrF2", 0.4, 0.3, 0.5)]
    path.write_text(meta_page((), {"Pearson of systems": rows}), "utf-8")
    page = browser.open(path.as_uri())
    assert copied(page, ".overviews .take", "TSV").splitlines()[1:] == [
        "wmt: TESLA-CELAB\t0.495\t0.485–0.506",
        "wmt: chrF2\t0.498\t0.488–0.507",
        "other: chrF2\t0.400\t0.300–0.500",
    ]
    page.close()
