"""All pages by axe-core, the checker of accessibility, in light and dark, wide and narrow.

It is one file of JavaScript from npm, which `make .venv/node/installed` gets.
"""

import json

import pytest
from campaigns import text_table
from conftest import ROOT
from opening import address, campaign, complete, metric
from unscored import check_address, terms_address

import celab
from celab.base.errors import InputWarning
from celab.report.html.agreement import Against, Section, meta_page
from celab.systems import stored

AXE = ROOT / ".venv" / "node" / "node_modules" / "axe-core" / "axe.min.js"
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not AXE.exists(), reason="no axe-core: make .venv/node/installed"),
]
LOOKS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]
B = "%3Cscript%3Edocument.title%20%3D%20%27hacked%27%3C%2Fscript%3E"
STATES = [
    "",
    f"a=good&b={B}&sort=apart&by=score&bucket=length:0",
    f"a=good&b={B}&segment=1&system=good",
    "page=zh",
    f"page=zh&a=good&b={B}&segment=1&system=good",
]
# Opens details, also those of menus that are inside others; true when all are open and drawn.
ALL_OPEN = """(() => {
  const closed = [...document.querySelectorAll("details:not([open])")];
  for (const details of closed) details.open = true;
  const ngrams = [...document.querySelectorAll(".only-one")];
  return !closed.length && ngrams.every((details) => details.querySelector("table"));
})()"""


def violations(page, colors):
    """What axe finds: rule, how often, and one element."""
    page.page.emulate_media(color_scheme=colors, reduced_motion="reduce")
    page.run(f"(() => {{ {AXE.read_text('utf-8')}; window.axe = axe; }})()")
    found = page.run(
        "axe.run(document, {resultTypes: ['violations']}).then((all) => JSON.stringify("
        "all.violations.map((one) => [one.id, one.nodes.length, one.nodes[0].html,"
        " one.nodes[0].failureSummary])))"
    )
    return json.loads(found)


@pytest.mark.parametrize(("width", "colors"), LOOKS)
@pytest.mark.parametrize("state", STATES)
def test_the_report_has_no_violations(browser, address, state, width, colors):
    page = browser.open(f"{address}#{state}", width, 900)
    complete(page)
    page.until(ALL_OPEN)
    assert violations(page, colors) == []
    page.close()


@pytest.mark.parametrize(("width", "colors"), LOOKS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_meta_evaluation_has_no_violations(browser, tmp_path, width, colors, language):
    path = tmp_path / "meta.html"
    points = [("a", 1.0, 2.0), ("b", 2.0, 3.0), ("c", 2.5, 2.9)]
    tables = [
        (
            "wide",
            text_table(headings=[f"column {k}" for k in range(12)], rows=[["0.123 ± 0.456"] * 12]),
        )
    ]
    figures = {"r": [("set", "m", 0.5, 0.25, 0.75), ("other", "m", 0.5, 0.25, 0.75)]}
    texts = {
        "remarks": ["m of 2"],
        "signatures": [("m", "m|options")],
        "verdict": ["m is highest."],
    }
    made = meta_page(
        [Section(name="", metrics=[Against("m", points)], tables=tables, **texts)], figures
    )
    path.write_text(made, "utf-8")
    page = browser.open(f"{path.as_uri()}#page={language}", width, 900)
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert violations(page, colors) == []
    page.close()


@pytest.mark.parametrize(("width", "colors"), LOOKS)
def test_a_board_has_no_violations(browser, tmp_path, width, colors):
    for version in ("v1", "v2"):
        scored = celab.Campaign.from_lists({version: ["他买伞"] * 30}, ["他买雨伞"] * 30).score(
            "chrf"
        )
        written = stored.to_json_line(scored, labels={"set": "news", "version": version})
        (tmp_path / f"{version}.json").write_text(written, "utf-8")
    celab.board(tmp_path).html(tmp_path / "board.html")
    page = browser.open((tmp_path / "board.html").as_uri(), width, 900)
    assert violations(page, colors) == []
    page.close()


@pytest.mark.parametrize(("width", "colors"), LOOKS)
@pytest.mark.parametrize("state", ["", "page=zh&finding=any", "page=zh&term=0"])
def test_pages_without_scores_have_no_violations(
    browser, check_address, terms_address, state, width, colors
):
    for page_address in (check_address, terms_address):
        page = browser.open(f"{page_address}#{state}", width, 900)
        page.until(ALL_OPEN)
        assert violations(page, colors) == []
        page.close()


@pytest.mark.parametrize(("width", "colors"), LOOKS)
@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "page=zh&step=6",
        "ref=买雨伞&ref=买把伞&hyp=他买伞&hyp=卖雨衣&option-profile=%22recommended%22",
        "ref=das Haus&hyp=ein Haus&option-lang=%22de%22&option-profile=%22recommended%22",
    ],
)
def test_the_playground_has_no_violations(browser, playground, fragment, width, colors):
    page = browser.open(f"{playground}#{fragment}", width, 900)
    page.until("document.querySelector('.aligned') && !document.querySelector('.waiting')")
    if "hyp" in fragment:  # own texts are kept when the tour begins, and can be reopened
        page.click("#steps button")
        page.until("!document.querySelector('.waiting')")
        page.run("document.querySelector('#attempts li button').click()")
        page.until("document.querySelector('.aligned') && !document.querySelector('.waiting')")
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert violations(page, colors) == []
    page.close()


@pytest.mark.parametrize(("width", "colors"), LOOKS)
def test_problems_in_the_playground_have_no_violations(browser, playground, width, colors):
    page = browser.open(f"{playground}#ref=买雨伞&hyp=买伞&hyp={'雨' * 20_001}", width, 900)
    page.until("document.querySelector('.problem') && !document.querySelector('.waiting')")
    assert violations(page, colors) == []
    page.close()


@pytest.fixture(scope="module")
def playground():
    """The address of the page of `celab serve`."""
    import threading

    pytest.importorskip("fastapi", reason="celab[serve] is not installed")
    pytest.importorskip("uvicorn", reason="celab[serve] is not installed")
    from celab.serve import answers
    from celab.serve import app as serving

    settings = {"lang": "de", "profile": "recommended"}
    answers.explain("ein Haus", ["das Haus"], settings)  # lexicons may take long to compile
    listening, server = serving.listen(0), serving.make_server()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    server.should_exit = True
    thread.join(60)
    listening.close()
