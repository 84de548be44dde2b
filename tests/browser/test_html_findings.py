"""What must survive translation, in the report: filter, badges, and marks in source and output."""

from functools import partial

import pytest
from campaigns import run
from opening import metric, opened
from reports import SCRIPT

from celab.corpus import Corpus, Segment
from celab.corpus.model import InlineCodes
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

SOURCE = ["Hello %s and %s", "Press <b>OK</b> now", "Delete {bucket}?", "Nice day"]
REFS = ["你好 %s 和 %s", "现在按<b>确定</b>", "删除 {bucket}？", "天气很好"]
BAD = ["你好 %s", "现在按<b>确定", "删除{桶}？", "天气不错"]


@pytest.fixture(scope="module")
def address(metric, tmp_path_factory):
    segments = [Segment("", str(k + 1)) for k in range(4)]
    codes = InlineCodes([*[()] * 3, ("<g>",)], {"good": [()] * 4, SCRIPT: [()] * 4})
    systems = {"good": REFS, SCRIPT: BAD}
    corpus = Corpus(
        segments=segments,
        systems=systems,
        refs=[REFS],
        ref_names=["ref"],
        source=SOURCE,
        codes=codes,
    )
    path = tmp_path_factory.mktemp("page") / "findings.html"
    campaign = run({"celab": metric}, corpus, n_resamples=50)
    path.write_text(campaign_page(campaign, {"celab": metric}, lang="zh"), "utf-8")
    return path.as_uri()


def texts(page, selector):
    return page.run(f"[...document.querySelectorAll({selector!r})].map((x) => x.textContent)")


def test_the_list_marks_what_was_lost_and_added(opened):
    page = opened("finding=any&rows=outputs&sort=segment")
    first = "#rows .row[data-place='0']"
    assert texts(page, f"{first} .of-other .run.missing") == ["%s"]
    assert page.run(f"document.querySelector({first!r}).innerText").count("placeholder") == 1
    assert texts(page, "#rows .of-hyp .run.extra") == ["{桶}"]
    lost = [text for text in texts(page, "#rows .of-other .run.missing") if text.startswith("<g")]
    assert lost == ["<g>", "<g>"]  # an inline code is in neither text


def test_without_the_filter_badges_stay(opened):
    page = opened("rows=outputs&sort=segment")
    assert texts(page, "#rows .row .finding") == [
        "placeholder",
        "tags",
        "placeholder",
        "tags",
        "tags",
    ]
    assert page.count("#rows .of-other") == 0
    titles = page.run("[...document.querySelectorAll('#rows .finding')].map((x) => x.title)")
    assert titles[2] == "placeholder · lost: {bucket} · added: {桶}"


def test_a_segment_has_its_findings(opened):
    page = opened("segment=3&system=" + SCRIPT.replace("=", "%3D"))
    assert texts(page, ".source .run.missing") == ["{bucket}"]
    assert texts(page, ".finding-line") == ["placeholder lost {bucket} added {桶} "]
    assert texts(page, ".markup-findings .against .run.extra") == ["{桶}"]
    page = opened("segment=3&system=good")
    assert page.count(".markup-findings") == page.count(".source .run") == 0


def test_two_systems_keep_their_lines(opened):
    page = opened("a=good&finding=any&b=" + SCRIPT.replace("=", "%3D"))
    assert page.count("#rows .row") == 4
    assert page.count("#rows .of-a") == page.count("#rows .of-b") == 4
