"""Filters by findings keep one law: a choice lists the outputs that it names, and counts them."""

import json
import re

import pytest
from opening import report_pages

from celab.corpus import Corpus, Segment
from celab.report.html.findings import findings_in
from celab.systems.campaign import Campaign

pytestmark = pytest.mark.browser

SOURCE = ["The ferry %s leaves", "Press <b>OK</b>", "The harbor is closed", "A ferry", "Rain"]
REFS = ["渡轮 %s 开船了", "请按<b>确定</b>", "港口今天关闭了", "一艘渡轮", "今天有雨，请带上雨伞"]
SYSTEMS = {
    "good": ["渡轮 %s 开船", "请按<b>确定</b>", "港口今天关闭", "一艘渡船", "今天下雨，请带伞"],
    "bad": ["渡船开船了", "请按确定", "", "I cannot translate this.", "有雨"],
}
SPANS = [
    ("system", "segment", "start", "end", "severity", "category"),
    ("good", 0, 0, 2, "minor", "style"),
    ("good", 3, 2, 4, "major", "accuracy"),
    ("bad", 0, 0, 2, "major", "accuracy"),
]
# What is true of the findings of a choice: by the key of the filter, its check and its value.
CHOICES = {
    ("error", "differences"): lambda x, value: x.kind == value,
    ("kind", "outputs"): lambda x, value: value in (x.kind, "not translations"),
    ("finding", "markup"): lambda x, value: value in (x.kind, "any"),
    ("term", "terms"): lambda x, value: x.value == int(value),
    ("marked", "people"): lambda x, value: (
        value in ("any", x.note) or (value == "unseen" and x.value[0] is False)
    ),
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facets")
    lines = ["\t".join(map(str, row)) for row in SPANS]
    (folder / "spans.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    segments = [Segment("", str(number + 1)) for number in range(5)]
    campaign = Campaign(
        Corpus(segments=segments, systems=SYSTEMS, refs=[REFS], ref_names=["ref"], source=SOURCE)
    ).score("celab")
    campaign = campaign.add_terms({"ferry": "渡轮", "harbor": "港口"}, source_lang="en")
    campaign.with_spans(folder / "spans.tsv").test(n_resamples=50).html(folder / "page.html")
    return folder / "page.html"


def choose(page, key, value):
    """Choose a value, and return the numbers of segments and systems that are listed."""
    page.run(
        f"(filters.{key}.value = {value!r},"
        f" filters.{key}.dispatchEvent(new Event('input', {{bubbles: true}})))"
    )
    page.until(f"new URLSearchParams(location.hash.slice(1)).get({key!r}) === {value!r}")
    rows = page.run(
        "[...document.querySelectorAll('.row')].map((row) => ['segment', 'system'].map((name) =>"
        " row.querySelector(`.c-${name} ${name === 'segment' ? 'b' : 'bdi'}`).textContent))"
    )
    return {(int(segment) - 1, system) for segment, system in rows}


@pytest.mark.parametrize(("key", "check"), CHOICES, ids=lambda name: name)
def test_a_choice_lists_what_it_counts(browser, report, key, check):
    text = re.search(r'id="data">(.*?)</script>', report.read_text("utf-8"))[1]
    found = [x for x in findings_in(json.loads(text)) if x.check == check]
    with report_pages(browser) as open_page:
        page = open_page(report.as_uri(), "rows=outputs")
        options = page.run(f"[...filters.{key}.options].map((x) => [x.value, x.textContent])")
        assert len(options) > 2
        for value, shown in options[1:]:
            rows = {
                (x.segment, [*SYSTEMS][x.system]) for x in found if CHOICES[key, check](x, value)
            }
            assert choose(page, key, value) == rows, value
            assert shown.endswith(f"({len(rows)})"), value
            assert page.count(f"[data-chip={key}]") == 1
        page.click(f"[data-chip={key}]")
        page.until(f"!location.hash.includes('{key}=')")
        assert page.count(".row") == 10
