"""What can be copied from the report: tables, charts, segments, the signature."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from urllib.parse import quote_plus

import opening
import pytest
from campaigns import run, text_table
from opening import metric
from reports import BAD, GOOD, REFS, SOURCE, texts

from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Chrf
from celab.report.html import campaign_page
from celab.tables.cells import p_value
from celab.tables.formats import latex, markdown, tsv
from celab.tables.view import TABLES

pytestmark = pytest.mark.browser

A, B = "a_1 & 50% | $x^2$", r"b~{*}\`<c>`"  # signs of LaTeX, Markdown and HTML
FORMATS = {"TSV": tsv, "Markdown": markdown, "LaTeX": latex}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def metrics(metric):
    return {"celab": metric, "chrf": Chrf()}


@pytest.fixture(scope="module")
def campaign(metrics):
    files = {"ref_files": ["r.zh"], "system_files": {A: "a b.zh", B: "c.zh"}}
    good = [*GOOD[:4], "他们\t明天\n来"]
    corpus = replace(texts(), systems={A: good, B: BAD}, **files)
    return run(metrics, corpus, n_resamples=50)


@pytest.fixture(scope="module")
def address(campaign, metrics, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    page = campaign_page(campaign, metrics, lang="zh", flags={"celab": ["--f", "0.5"]})
    path.write_text(page, "utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address):
    with opening.report_pages(browser) as open_report:

        def open_page(state=""):
            page = open_report(address, state)
            page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
            return page

        yield open_page


def copied(page, menu, name):
    """Open the menu that stands at a place, choose an item, and return the clipboard."""
    details = page.page.locator(menu).first
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    details.get_by_role("button", name=name, exact=True).click()
    page.until(f"document.querySelector('{menu} [data-say={name}]').textContent === 'Copied'")
    return page.run("navigator.clipboard.readText()")


def board(campaign):
    """Return the table of systems by the first metric, as it should be copied.

    Of five segments there are neither groups nor ranks.
    """
    of_celab, of_chrf = campaign.scores["celab"], campaign.scores["chrf"]
    compared = campaign.comparisons["celab"]
    rows = []
    for name in compared.systems:
        low, high = campaign.interval("celab", name)
        score = of_celab[name]
        scores = sorted(score.segments.scores)
        without = score.of_segments(campaign.outputs.translations(name))
        n_outputs = len(scores) - len(campaign.outputs.translations(name))
        rows.append(
            [
                name,
                f"{score.score:.4f}",
                f"{low:.4f}–{high:.4f}",
                f"{campaign.lengths.ratio(name):.2f}",
                f"{n_outputs} ({without - score.score:+.4f})" if n_outputs else "",
                f"{of_chrf[name].score:.2f}",
                f"{scores[2]:.4f}",
                f"{score.precision:.4f}",
                f"{score.recall:.4f}",
            ]
        )
    names = ["System", "TESLA-CELAB", "95% interval", "Length", "Broken", "chrF2"]
    names += ["Median of the segments", "Precision", "Recall"]
    return text_table(headings=names, rows=rows, right={1, 3, 4, 5, 7, 8})


@pytest.mark.parametrize("name", FORMATS)
def test_the_table_of_systems_is_copied_as_the_command_line_writes_it(opened, campaign, name):
    written = copied(opened(), ".board-menu", name)
    assert written == FORMATS[name](board(campaign))
    assert A in written if name == "TSV" else A not in written


def test_ranks_are_copied(browser, metric, tmp_path):
    segments = [Segment("", str(i + 1)) for i in range(20)]
    systems = {A: [*REFS] * 4, B: [*BAD] * 4}
    corpus = Corpus(segments=segments, systems=systems, refs=[[*REFS] * 4], ref_names=["ref"])
    path = tmp_path / "report.html"
    path.write_text(campaign_page(run({"celab": metric}, corpus), {"celab": metric}), "utf-8")
    with opening.report_pages(browser) as open_report:
        page = open_report(path.as_uri())
        page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        head, *rows = copied(page, ".board-menu", "TSV").splitlines()
        said = page.text(".answer h1")
    assert head.split("\t")[:2] == ["Rank", "System"]
    assert [row.split("\t")[:2] for row in rows] == [["1", A], ["2", B]]
    assert said == f"{A} is closest to the reference."  # without 4 outputs, too few are left


def test_the_matrix_has_p_values(opened, campaign):
    compared = campaign.comparisons["celab"]
    names, p = compared.systems, p_value(compared.p_values[0, 1])
    table = text_table(
        headings=["Row against column", *names],
        rows=[[names[0], "", p], [names[1], "", ""]],
        right={1, 2},
    )
    page = opened()
    for name, write in FORMATS.items():
        assert copied(page, ".matrix-menu", name) == write(table)


def test_buckets_are_copied_with_their_intervals(opened, campaign):
    page = opened("by=document")
    lines = copied(page, ".by-bucket .take", "TSV").splitlines()
    head, *rows = [line.split("\t") for line in lines]
    wanted = [
        "Document",
        "Segments",
        "A",
        "B",
        "A − B",
        "95% interval",
        "A higher / equal / B higher",
    ]
    assert head == wanted
    of = [score.segments.scores for score in campaign.scores["celab"].values()]
    parts = [slice(0, 3), slice(3, 5)]
    parts.sort(key=lambda part: -abs((of[0][part] - of[1][part]).mean()))
    for (name, count, a, b, apart, interval, shares), part in zip(rows, parts, strict=True):
        n = part.stop - part.start
        difference = of[0][part] - of[1][part]
        margin = 1.96 * difference.std(ddof=1) / n**0.5
        ends = [difference.mean() - margin, difference.mean() + margin]
        assert name == ("second" if part.start else "first") and int(count) == n
        assert [float(a), float(b)] == pytest.approx(
            [of[0][part].mean(), of[1][part].mean()], abs=1e-4
        )
        assert float(apart) == pytest.approx(difference.mean(), abs=1e-4)
        shown = [float(end) for end in interval.replace("−", "-").split(" to ")]
        assert shown == pytest.approx(ends, abs=1e-4)
        assert sum(map(int, shares.split(" / "))) == n


def test_n_grams_are_copied(opened):
    page = opened()
    page.click(".only-one > summary")
    page.until("document.querySelector('.only-one table')")
    lines = copied(page, ".only-one .take", "TSV").splitlines()
    shown = page.run(
        "[...document.querySelector('.only-one table').rows].map((row) =>"
        " [...row.cells].map((x) => x.textContent).join('\\t'))"
    )
    assert lines == shown and len(lines) > 1


def test_segments_are_copied_as_they_are_listed(opened, campaign):
    page = opened(f"a={quote_plus(A)}&sort=segment")
    page.run("document.querySelector('[data-sort=score]').click()")
    page.run("document.querySelector('[data-sort=score]').click()")
    scores = campaign.scores["celab"][A].segments.scores
    order = sorted(range(5), key=lambda s: (-scores[s], s))
    hyps = campaign.corpus.systems[A]
    rows = [
        [
            str(s + 1),
            "first" if s < 3 else "second",
            A,
            f"{scores[s]:.4f}",
            SOURCE[s],
            REFS[s],
            hyps[s],
        ]
        for s in order
    ]
    headings = ["Segment", "Document", "System", "TESLA-CELAB", "Source", "Reference", "Output"]
    table = text_table(headings=headings, rows=rows, right={0, 3})
    for name, write in FORMATS.items():
        assert copied(page, ".chips .take", name) == write(table)


def parsed(text):
    """Return an SVG file that says itself how it looks."""
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg" and root.get("viewBox")
    assert float(root.get("width")) > 0 < float(root.get("height"))
    assert "var(" not in text
    for node in root.iter():
        in_page = ("class", "style", "data-", "aria-", "on")
        assert not [name for name in node.attrib if name.startswith(in_page)]
    return root


def test_charts_are_copied_as_svg_that_stands_alone(opened, browser, campaign, tmp_path):
    page = opened("by=document")
    menus = {"scatter": ".pair-scatter .take", "systems": ".board-menu", "by": ".by-bucket .take"}
    files = {name: copied(page, menu, "SVG") for name, menu in menus.items()}
    roots = {name: parsed(text) for name, text in files.items()}
    dots = "".join(
        node.get("d")
        for node in roots["scatter"].iter(f"{SVG}path")
        if node.get("stroke-linecap") == "round"
    )
    assert dots.count("h0") == 5
    said = [node.text for node in roots["systems"].iter(f"{SVG}text")]
    scores = [f"{score.score:.4f}" for score in campaign.scores["celab"].values()]
    assert {A, B, *scores} <= set(said)
    drawn = [node for node in roots["systems"].iter(f"{SVG}svg") if node.get("x") is not None]
    assert len(drawn) == 2 * 2 + 2  # intervals and histograms, and the axes below
    colors = {node.get("fill") for root in roots.values() for node in root.iter()}
    assert "rgb(132, 146, 163)" in colors  # the bars of the palette
    for name, text in files.items():
        path = tmp_path / f"{name}.svg"
        path.write_text(text, "utf-8")
        alone = browser.open(path.as_uri())
        box = "document.documentElement.getBoundingClientRect()"
        assert alone.run(f"{box}.width") == pytest.approx(float(roots[name].get("width")), abs=1)
        assert alone.complaints() == []
        alone.close()


def test_a_chart_can_be_saved(opened):
    page = opened()
    page.click(".pair-scatter .take summary")
    with page.page.expect_download() as download:
        page.page.locator(".pair-scatter").get_by_role("button", name="Save SVG").click()
    assert download.value.suggested_filename == "segments.svg"
    parsed(download.value.path().read_text("utf-8"))


def test_a_segment_has_link_text_and_command(opened, browser, campaign):
    page = opened(f"segment=4&system={quote_plus(A)}")
    link = copied(page, ".bar .take", "Link")
    again = browser.open(link)
    again.until("document.getElementById('segment').open")
    assert again.text("#segment-heading").startswith("Segment 4")
    assert A in again.text("dialog h3")
    again.close()
    scores = campaign.scores["celab"]
    assert copied(page, ".bar .take", "Text") == (
        "Segment 4 (second)\n"
        f"Source: {SOURCE[3]}\n"
        f"Reference: {REFS[3]}\n"
        f"{A} (TESLA-CELAB {scores[A].segments.scores[3]:.4f}): {GOOD[3]}\n"
        f"{B} (TESLA-CELAB {scores[B].segments.scores[3]:.4f}): {BAD[3]}\n"
    )
    said = {node.text for node in parsed(copied(page, ".bar .take", "SVG")).iter(f"{SVG}text")}
    assert {*GOOD[3], *REFS[3]} <= said
    command = "celab explain 4 -r r.zh -s 'a b.zh' -m celab --f 0.5"
    assert copied(page, ".bar .take", "Command") == command


def test_a_signature_can_be_copied_without_the_clipboard_interface(opened, campaign):
    page = opened()
    page.run("window.clipboard = navigator.clipboard")
    page.run("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click(".signature .copy")
    page.until("document.querySelector('.signature .copy').textContent === 'Copied'")
    signature = next(iter(campaign.scores["celab"].values())).signature
    assert page.run("window.clipboard.readText()") == signature
    assert page.run("document.activeElement.className") == "copy"
    # Nothing outside a modal dialog can be selected.
    page.resize(390, 800)
    page.run("location.hash = 'segment=1'")
    page.until("document.querySelector('dialog:modal')")
    page.click(".bar .take summary")
    page.page.locator(".bar").get_by_role("button", name="Link").click()
    page.until("document.querySelector('.bar [data-say=Link]').textContent === 'Copied'")
    assert page.run("window.clipboard.readText()").endswith(f"#segment=1&system={quote_plus(A)}")
    assert page.count("textarea.unseen") == 0


def test_menus_work_by_keyboard_and_have_names(opened):
    page = opened("segment=1")
    page.run("document.querySelector('.bar .take summary').focus()")
    page.press("Enter")
    page.press("Tab")
    assert page.run("document.activeElement.textContent") == "Finding"
    page.press("Escape")
    assert not page.run("document.querySelector('.bar .take').open")
    assert page.run("document.activeElement.ariaLabel") == "Copy as: Segment 1"
    assert page.run("document.getElementById('segment').open")
    names = page.run("[...document.querySelectorAll('.take summary')].map((x) => x.ariaLabel)")
    assert len(names) == len(set(names)) and all(name.startswith("Copy") for name in names)


def test_all_formats_of_the_menu_are_those_of_the_command_line():
    assert set(FORMATS) == set(TABLES.values())
