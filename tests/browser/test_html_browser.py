"""The HTML report in a browser: it opens, sorts, filters, shows segments, runs no foreign code."""

import json
import re
import subprocess
from dataclasses import replace
from urllib.parse import quote

import pytest
from campaigns import run
from opening import address, campaign, complete, metric, opened, uncover
from reports import BAD, BAD_IN_URL, GOOD, IMAGE, REFS, SCRIPT, TITLE, listed, places, texts

from celab import Campaign, Mean, TeslaCelab
from celab.corpus import Corpus, Segment
from celab.report.html import campaign_page
from celab.tables.table import Table

pytestmark = pytest.mark.browser


def test_it_opens_and_lists_every_segment(opened):
    page = opened()
    assert page.run("document.title") == TITLE
    assert page.text("#count") == "5 segments"
    assert page.count(".row") == 5
    page.click("#mode [data-rows=outputs]")
    page.until("location.hash === '#rows=outputs'")
    assert page.text("#count") == "10 outputs"
    assert page.count(".row") == 10
    assert page.count(".histogram") == 2 and page.count(".interval") == 2


def test_it_runs_no_foreign_script(opened):
    page = opened("segment=3&system=good")
    page.click("[data-view=texts]")
    assert IMAGE in page.text(".outputs") and SCRIPT in page.text(".outputs")
    assert page.count("img") == 0
    assert page.run("document.title") == TITLE
    assert page.count("script") == 3  # data, a block of explanations, the script


def test_the_policy_stops_what_would_get_in(browser, address):
    page = browser.open(address)
    page.run(
        "(() => { const made = document.createElement('script');"
        "made.textContent = 'document.title = \"hacked\"'; document.body.append(made);"
        "const image = document.createElement('img'); image.src = 'file:///x.png';"
        "document.body.append(image); })()"
    )
    page.until("true")
    assert page.run("document.title") == TITLE
    assert any("Content Security Policy" in said for said in page.complaints())
    page.close()


def test_a_click_on_a_heading_sorts(opened, campaign):
    page = opened("a=good&sort=segment")
    page.click("[data-sort=score]")
    page.until("document.querySelector('.c-score[aria-sort=ascending]')")
    scores = [float(text) for text in listed(page, "score")]
    assert scores == sorted(scores)
    assert scores == pytest.approx(
        sorted(campaign.scores["celab"]["good"].segments.scores.tolist()), abs=1e-4
    )
    page.click("[data-sort=score]")
    page.until("document.querySelector('.c-score[aria-sort=descending]')")
    assert [float(text) for text in listed(page, "score")] == scores[::-1]
    assert "sort=score" in page.run("location.hash")


def test_filters_leave_what_fits(opened, campaign):
    page = opened("a=good&sort=segment&min=0.99")
    of_good = campaign.scores["celab"]["good"].segments.scores
    assert places(page) == [s + 1 for s in range(5) if of_good[s] >= 0.99]
    assert page.text("#count") == f"{(of_good >= 0.99).sum()} of 5 segments"
    assert sorted(places(opened("a=good&max=0.99"))) == [
        s + 1 for s in range(5) if of_good[s] <= 0.99
    ]
    assert sorted(places(opened("a=good&document=second"))) == [4, 5]
    assert places(opened("a=good&search=UMBRELLA")) == [1]
    assert places(opened("a=good&search=不错")) == [4]
    assert places(opened("a=good&search=后天")) == []  # which the other system says


def test_two_systems_are_compared(opened, campaign):
    page = opened(
        f"a=good&b={SCRIPT.replace('=', '%3D')}&sort=difference&order=descending&least=0.01"
    )
    of = campaign.scores["celab"]
    apart = of["good"].segments.scores - of[SCRIPT].segments.scores
    wanted = sorted((s for s in range(5) if abs(apart[s]) >= 0.01), key=lambda s: -apart[s])
    assert places(page) == [s + 1 for s in wanted] and wanted
    shown = [text.split()[1].replace("−", "-") for text in listed(page, "difference")]
    assert [float(text) for text in shown] == pytest.approx(apart[wanted].tolist(), abs=1e-4)


def test_two_systems_have_a_section_of_their_own(opened, campaign):
    page = opened()
    found = campaign.compare("good", SCRIPT, n_resamples=50)["celab"]
    assert page.run("[two.a.value, two.b.value]") == ["0", "1"]  # the best two
    shares = "[...document.querySelectorAll('.shares span')].map(x => x.textContent)"
    counts = {"good": found.wins, "equal": found.ties, SCRIPT: found.losses}
    wanted = [f"{name} {count}" for name, count in counts.items() if count]
    assert page.run(shares) == wanted
    assert page.count("#compared .verdict") == 0  # the page opens with it
    page.click("[name=swap]")
    page.until("two.a.value === '1'")
    assert page.run(shares) == wanted[::-1]
    assert "a=%3Cscript" in page.run("location.hash") and "b=good" in page.run("location.hash")


def test_choosing_two_systems_sorts_by_the_size_of_the_difference(opened, campaign):
    page = opened()
    page.run("two.b.dispatchEvent(new Event('change', {bubbles: true}))")
    page.until("location.hash.includes('a=good')")
    of = campaign.scores["celab"]
    apart = abs(of["good"].segments.scores - of[SCRIPT].segments.scores)
    assert places(page) == [s + 1 for s in sorted(range(5), key=lambda s: (-apart[s], s))]


def test_a_dot_opens_its_segment(opened, campaign):
    page = opened()
    of = campaign.scores["celab"]
    a, b = of["good"].segments.scores[3], of[SCRIPT].segments.scores[3]
    x, y = page.run(
        "(() => { const drawing = document.querySelector('svg.segments');"
        "drawing.scrollIntoView({block: 'center'}); const box = drawing.getBoundingClientRect();"
        f"const at = (value) => 44 + value * (320 - 44 - 8);"
        f"return [box.x + at({b}) * box.width / 320,"
        f" box.y + (320 - at({a})) * box.width / 320]; }})()"
    )
    page.page.mouse.move(x, y)
    page.until("document.querySelector('.pair-scatter .note').textContent.startsWith('Segment 4')")
    page.page.mouse.click(x, y)
    page.until("document.getElementById('segment').open")
    assert page.text("#segment-heading").startswith("Segment 4")
    assert "b=%3Cscript" in page.run("location.hash")


def test_both_translations_are_stacked(opened, metric):
    page = opened(f"a=good&b={BAD_IN_URL}&segment=4&system=good")
    lines = page.run(
        "[...document.querySelectorAll('.versus .line')].map((line) =>"
        " [...line.querySelectorAll('.token .t')].map((x) => x.textContent).join(''))"
    )
    assert lines == [GOOD[3], REFS[3], BAD[3]]
    matched = []
    for text in (GOOD[3], BAD[3]):
        pieces = [p for link in metric.explain(text, REFS[3]).links for p in link.pieces]
        matched.append({at for piece in pieces for at in range(*piece.ref)})
    only = page.run(
        "[...document.querySelectorAll('.versus .line:nth-child(2) .token')].map((x) =>"
        " x.classList.contains('only') ? { A: 'B', B: 'A' }[x.dataset.by] : '')"
    )
    wanted = [
        "A" if at in matched[0] - matched[1] else "B" if at in matched[1] - matched[0] else ""
        for at in range(len(REFS[3]))
    ]
    assert only == wanted and "A" in only
    framed = page.run(
        "[...document.querySelectorAll('.versus .line:first-child .token')].map((x) =>"
        " x.classList.contains('only'))"
    )
    pieces = [p for link in metric.explain(GOOD[3], REFS[3]).links for p in link.pieces]
    alone = matched[0] - matched[1]
    in_good = {at for p in pieces if alone & set(range(*p.ref)) for at in range(*p.hyp)}
    assert [at for at, is_framed in enumerate(framed) if is_framed] == sorted(in_good)
    page.hover(".versus .line:nth-child(2) .token")
    page.until("document.querySelector('.versus .lit')")
    said = page.run("[...document.querySelectorAll('.versus ~ .said')].map(x => x.textContent)")
    assert [text[:3] for text in said] == ["A: ", "B: "]


def test_of_a_mean_the_first_part_is_stacked(browser, metric, tmp_path):
    metrics = {"mean": Mean([metric, TeslaCelab(max_order=2)])}
    path = tmp_path / "mean.html"
    found = run(metrics, texts(), n_resamples=50)
    path.write_text(campaign_page(found, metrics, lang="zh"), "utf-8")
    page = browser.open(f"{path.as_uri()}#a=good&b={BAD_IN_URL}&segment=1&system=good")
    page.until("document.querySelectorAll('.versus .line').length === 3")
    assert page.count(".versus .only") > 0
    page.press("Escape")
    page.until("!document.getElementById('segment').open")
    page.click(".only-one summary")
    page.until("document.querySelectorAll('.only-one tbody tr').length")
    assert page.complaints() == []
    page.close()


def test_buckets_list_their_segments(opened, campaign):
    page = opened("by=document&sort=segment")
    rows = page.run(
        "[...document.querySelectorAll('.buckets tbody tr')].map((row) =>"
        " [...row.cells].map((cell) => cell.textContent))"
    )
    found = campaign.compare("good", SCRIPT, n_resamples=50)["celab"]
    most_different_first = sorted(found.by_document, key=lambda part: -abs(part.a - part.b))
    assert [row[:4] for row in rows] == [
        [part.label, str(part.n_segments), f"{part.a:.4f}", f"{part.b:.4f}"]
        for part in most_different_first
    ]
    page.click("[data-bucket='1']")
    page.until("location.hash.includes('bucket=document%3A1')")
    assert places(page) == [4, 5]
    assert page.text("[data-chip=bucket]") == "Document: second ×"
    page.click("[data-chip=bucket]")
    page.until("!location.hash.includes('bucket')")
    page.run("document.querySelector(\"[data-bucket='0']\").focus()")
    page.press("Enter")
    page.until("location.hash.includes('bucket=document%3A0')")
    assert places(page) == [1, 2, 3]
    assert page.run("document.activeElement.dataset.place") == "0"  # arrow keys move in the list
    assert sorted(places(opened("a=good&bucket=length:9"))) == [1, 2, 3, 4, 5]  # there is none
    page.click("[data-by=length]")
    page.until("document.querySelector('.buckets caption').textContent.includes('length')")
    assert page.run("document.activeElement.dataset.by") == "length"


def test_a_bucket_keeps_the_focus_when_the_pair_is_drawn_again(opened):
    page = opened("by=document")
    page.run("void (globalThis.before = document.querySelector(\"[data-bucket='0']\"))")
    page.run("before.focus()")
    page.run("void (location.hash += '&min=0.1')")
    page.until("!before.isConnected")
    assert page.run("document.activeElement.dataset.bucket") == "0"


def test_n_grams_that_only_one_has_are_counted_in_all_segments(browser, tmp_path):
    """Explanations, of which this report has none, do not decide what is counted."""
    path = tmp_path / "ngrams.html"
    refs = [*REFS, *["天气很好"] * 30]
    systems = {"A": [*GOOD, *["天气很好"] * 20, *["很好"] * 10], "B": [*BAD, *["今天好"] * 30]}
    scored = Campaign.from_lists(systems, refs).score("celab").test(n_resamples=50)
    scored.html(path, lang="zh", explained=0)
    page = browser.open(path.as_uri())
    page.click(".only-one summary")
    page.until("document.querySelector('.only-one table')")
    rows = page.run(
        "[...document.querySelectorAll('.only-one table')].map((one) =>"
        " [...one.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent)))"
    )
    assert rows[0][0] == ["天气很好", "20", "0", "6"] or rows[0][0][:3] == ["很好", "30", "0"]
    for text, a, b, place in rows[0] + rows[1]:
        has = [[text in output for output in outputs] for outputs in systems.values()]
        only = [(x, y) for x, y, ref in zip(*has, refs, strict=True) if text in ref and x != y]
        assert [int(a), int(b)] == [sum(side) for side in zip(*only, strict=True)]
        assert text in refs[int(place) - 1] and not re.search(r"[^\w]", text)
    for side in rows:
        texts = [row[0] for row in side]
        assert len(texts) <= 15
        assert not any(x in y for x in texts for y in texts if x != y)  # none is nested
    page.close()


def test_the_contents_keep_the_view(opened):
    page = opened("a=good", height=500, closed=True)
    page.click(".contents a[href='#segments-heading']")
    page.until("document.activeElement.id === 'segments-heading'")
    assert page.run("location.hash") == "#a=good"
    assert page.run("document.getElementById('part-segments').open")
    assert 0 <= page.run("document.activeElement.getBoundingClientRect().top") < 500


def test_a_wide_matrix_shows_that_there_is_more(browser, metric, tmp_path):
    systems = {f"system {k}": [GOOD[k % 5], *GOOD[1:]] for k in range(29)}
    corpus = Corpus(
        segments=[Segment("", str(s + 1)) for s in range(5)],
        systems=systems,
        refs=[REFS],
        ref_names=["ref"],
    )
    path = tmp_path / "many.html"
    found = run({"celab": metric}, corpus, n_resamples=50)
    path.write_text(campaign_page(found, {"celab": metric}, explained=0), "utf-8")
    page = browser.open(path.as_uri(), width=390)
    around = "document.querySelector('.matrix').parentElement"
    assert page.count(".board tbody tr") == page.count(".board .histogram") == 29
    page.click("#matrix-heading")
    page.until(f"{around}.classList.contains('more')")
    page.run(f"{around}.scrollLeft = 1e6")
    page.until(f"!{around}.classList.contains('more')")
    assert page.run("document.documentElement.scrollWidth") <= 390
    page.close()


def test_typing_searches_and_reset_forgets(opened):
    page = opened()
    page.click("[name=search]")
    page.type("天气")
    page.until("document.getElementById('count').textContent.startsWith('1 of 5 segments')")
    assert "search=" in page.run("location.hash")
    page.click("[type=reset]")
    page.until("document.getElementById('count').textContent === '5 segments'")
    assert page.run("document.querySelector('[name=search]').value") == ""


def test_a_segment_shows_where_its_score_comes_from(opened, metric):
    page = opened("segment=1&system=good")
    explanation = metric.explain(GOOD[0], REFS[0])
    assert page.run("document.getElementById('segment').open")
    tokens = page.run(
        "[...document.querySelectorAll('.side.hypothesis .token .t')].map(x => x.textContent)"
    )
    assert tokens == list(explanation.hyp_tokens)
    assert page.count(".links tbody tr") == len(explanation.links)
    label = next(g for link in explanation.links for piece in link.pieces for g in piece.groups)
    assert label in page.text(".links")
    equations = page.text(".equations")
    n_ref, n_hyp = len(explanation.ref_ngrams), len(explanation.hyp_ngrams)
    c_ref, c_hyp = (
        round(sum(n.cover for n in side), 4)
        for side in (explanation.ref_ngrams, explanation.hyp_ngrams)
    )
    assert f"{c_ref:g} + 0.25 · {c_hyp:g}" in equations
    assert f"{n_ref} + 0.25 · {n_hyp}" in equations
    assert f"{explanation.score:.4f}" in equations
    states = page.run(
        "[...document.querySelectorAll('.side.reference .token')].map(x => x.dataset.state)"
    )
    assert len(states) == len(REFS[0]) and {"equal", "synonym"} <= set(states)


def test_pointing_at_a_token_shows_its_link(opened):
    page = opened("segment=1&system=good")
    page.hover(".side.reference .token[data-state=synonym]")
    page.until("document.querySelector('.token.lit')")
    pieces = "[...document.querySelectorAll('.side.{} .token.piece .t')].map(x => x.textContent)"
    assert page.run(pieces.format("reference")) == ["伞"]
    assert page.run(pieces.format("hypothesis")) == ["雨", "伞"]
    said = page.text(".said")
    assert "伞 ~ " in said and "synonym: cilin" in said
    page.hover(".side.reference .token[data-state=equal]")
    page.until("document.querySelector('.token.from[data-state=equal]')")
    assert page.run(pieces.format("reference")) == page.run(pieces.format("hypothesis"))


def test_everything_can_be_done_by_keyboard(opened):
    page = opened("a=good&sort=segment")
    page.run("document.querySelector('.row').focus()")
    page.press("ArrowDown")
    page.press("ArrowDown")
    page.press("ArrowUp")
    assert page.run("document.activeElement.dataset.place") == "1"
    page.press("Enter")
    page.until("document.getElementById('segment').open")
    assert page.text("#segment-heading").startswith("Segment 2")
    page.press("j")
    page.until("document.getElementById('segment-heading').textContent.startsWith('Segment 3')")
    page.press("k")
    page.until("document.getElementById('segment-heading').textContent.startsWith('Segment 2')")
    page.until("document.querySelector('.aligned .token')")
    page.run("document.querySelector('.aligned .token').focus()")
    page.press("ArrowRight")
    assert page.count(".token.from") == 1 and page.count(".token.lit") > 1
    page.press("Escape")
    page.until("!document.getElementById('segment').open && !location.hash.includes('segment=')")
    assert page.run("document.activeElement.dataset.place") == "1"


def test_n_grams_are_listed_when_asked_for(opened):
    page = opened("segment=5&system=good")
    assert page.count(".ngram") == 0
    page.click("dialog summary:text('n-grams of the reference')")
    page.until("document.querySelectorAll('.ngram').length")
    assert page.count(".ngrams") == 4
    assert page.count(".ngram") == 5 + 4 + 3 + 2


def test_an_output_that_is_not_explained_has_its_command(browser, metric, tmp_path):
    corpus = replace(texts(), ref_files=["r.zh"], system_files={"good": "a b.zh", SCRIPT: "c.zh"})
    path = tmp_path / "report.html"
    campaign = run({"celab": metric}, corpus, n_resamples=50)
    flags = {"celab": ["--f", "0.5"]}
    path.write_text(campaign_page(campaign, {"celab": metric}, explained=4, flags=flags), "utf-8")
    page = browser.open(f"{path.as_uri()}#a=good")
    explained = page.run("JSON.parse(data.textContent).metrics[0].places[0]")
    place = next(place for place in range(5) if place not in explained)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.run(f"location.hash = 'a=good&segment={place + 1}&system=good'")
    page.until("document.querySelector('.command .copy')")
    assert page.run("document.querySelector('.against .of-hyp bdi').textContent") == GOOD[place]
    page.click(".command summary")
    command = f"celab explain {place + 1} -r r.zh -s 'a b.zh' -m celab --f 0.5"
    assert page.text(".inner .command pre") == command
    page.click(".command .copy")
    page.until("document.querySelector('.command .copy').textContent === 'Copied'")
    assert page.run("navigator.clipboard.readText()") == command
    page.close()


@pytest.mark.parametrize("state", ["", "segment=1&system=good", "a=good&b=good&sort=difference"])
def test_a_narrow_screen_does_not_scroll_sideways(opened, state):
    page = opened(state, width=360, height=740)
    assert page.run("document.documentElement.scrollWidth") <= 360
    if "segment" in state:
        assert page.run("document.querySelector('.inner').scrollWidth") <= 360


def test_of_twenty_thousand_segments_few_rows_are_drawn(browser, metric, tmp_path):
    n = 20_000
    hyps = [f"{GOOD[s % 5]}{s}" for s in range(n)]
    refs = [REFS[s % 5] for s in range(n)]
    segments = [Segment("", str(s + 1)) for s in range(n)]
    corpus = Corpus(
        segments=segments, systems={"a": hyps, "b": hyps[::-1]}, refs=[refs], ref_names=["ref"]
    )
    path = tmp_path / "large.html"
    found = run({"celab": metric}, corpus, n_resamples=40)
    path.write_text(campaign_page(found, {"celab": metric}, explained=20), "utf-8")
    page = browser.open(path.as_uri())
    assert page.text("#count") == "20,000 segments"
    assert page.count(".row") < 60
    for change in (
        "document.querySelector('[data-sort=score]').click()",
        "location.hash = 'a=a&b=b&sort=difference'",
        "location.hash = 'a=a&search=19999'",
    ):
        page.run(
            f"new Promise(done => {{ {change}; requestAnimationFrame(() => setTimeout(done)); }})"
        )
        assert page.count(".row") < 60
    page.until("document.getElementById('count').textContent === '1 of 20,000 segments'")
    page.run("location.hash = ''")
    page.until("document.getElementById('count').textContent === '20,000 segments'")
    uncover(page)
    page.run("document.querySelector('.row').focus()")
    page.press("End")
    page.until("document.activeElement.dataset.place === '19999'")
    assert page.count(".row") < 60
    page.close()


RIGHT_TO_LEFT = "אבג 12"
OVERRIDE = "evil\u202e\u009b\x1b[31m"
MIXED = """(() => {
  // Text nodes with a name of this page beside other text, and characters that are obeyed.
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent.closest("script, style, title")) continue;
    const text = node.textContent;
    if (/[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u202a-\\u202e]/.test(text))
      found.push(text);
    if (!text.includes("אבג") || parent.matches("option")) continue;
    const alone = text === "אבג 12" && (parent.childNodes.length === 1);
    const isolated = getComputedStyle(parent).unicodeBidi === "isolate";
    if (!alone || !(isolated || parent.matches("dd, td, .t"))) found.push(parent.outerHTML);
  }
  for (const node of document.querySelectorAll("[title], [aria-label]"))
    for (const name of ["title", "aria-label"])
      if (/[\\u001b\\u009b\\u202e]/.test(node.getAttribute(name) ?? "")) found.push(node.outerHTML);
  return found;
})()"""


def test_names_and_texts_cannot_reorder_or_hide_what_stands_beside_them(browser, tmp_path):
    texts = Corpus(
        segments=[Segment(RIGHT_TO_LEFT, "1"), Segment(OVERRIDE, "2")],
        systems={RIGHT_TO_LEFT: ["买雨伞", f"天{OVERRIDE}"], OVERRIDE: ["买", "天气"]},
        refs=[["买伞", f"天气{OVERRIDE}"], ["买伞", "天"]],
        ref_names=[RIGHT_TO_LEFT, OVERRIDE],
        source=[OVERRIDE, RIGHT_TO_LEFT],
    )
    metrics = {"celab": TeslaCelab()}
    path = tmp_path / "names.html"
    path.write_text(campaign_page(run(metrics, texts, n_resamples=50), metrics, lang="zh"), "utf-8")
    shown = r"evil\u202e\x9b\x1b[31m"
    state = f"a={RIGHT_TO_LEFT}&b={quote(OVERRIDE)}&by=document&bucket=document:0"
    segment = f"{state}&segment=1&system={RIGHT_TO_LEFT}"
    for view in ("", state, segment, "segment=2", "page=zh", f"page=zh&{segment}"):
        page = browser.open(f"{path.as_uri()}#{view}")
        complete(page)
        page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.run(MIXED) == []
        assert shown in page.text("body") and page.text("title").endswith(shown)
        assert page.complaints() == []
        page.close()


def test_the_playground_shows_controls_as_escapes(browser):
    serving = pytest.importorskip("serving", reason="celab[serve] is not installed")
    typed = "买伞\u202e\u200b\\"
    with serving.serve() as port:
        page = browser.open(f"http://127.0.0.1:{port}/")
        page.until("document.querySelector('.aligned')")
        page.run("document.getElementById('hyps-0').focus()")
        page.run("document.getElementById('hyps-0').select()")
        page.type(typed)
        page.until("document.querySelector('#alignment').textContent.includes('\\\\u202e')")
        assert page.run(MIXED) == []
        codes = {}
        for form in ("Python", "Command", "curl"):
            page.click(f"[data-form={form}]")
            codes[form] = page.text("#code")
            assert codes[form].replace("\n", "").isprintable()
        page.close()
    python = codes["Python"].splitlines()[-1]
    assert eval(python[python.index('"') : python.index(", [")]) == typed
    line = codes["Command"].splitlines()[1].partition(" > ")[0]
    assert subprocess.run(["sh", "-c", line], capture_output=True).stdout == f"{typed}\n".encode()
    sent = codes["curl"].partition(" -d '")[2][:-1]
    assert json.loads(sent)["hypothesis"] == typed
