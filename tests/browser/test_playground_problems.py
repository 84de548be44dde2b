"""The playground with texts of the reader: settings, busy states, problems beside their field."""

import shlex
from urllib.parse import parse_qs, urlsplit

import opening
import pytest
from campaigns import run
from opening import metric
from reports import BAD, BAD_IN_URL, GOOD, REFS, texts
from test_playground import playground, port, replace_text

import celab
from celab.cli import explain
from celab.corpus import Corpus, Segment
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

SETTLED = "document.querySelector('.aligned') && !document.querySelector('.waiting')"
SCORES = "[...document.querySelectorAll('.value b')].map((node) => node.textContent)"
PRESET = "#presets [aria-pressed=true] span"


def test_typing_selects_the_settings_of_the_paper(playground):
    page = playground("step=1")
    assert page.text(PRESET) == "No synonyms"
    replace_text(page, "#hyps-0", "他买伞")
    page.until(SETTLED)
    score = celab.TeslaCelab().sentence_score("他买伞", ["买雨伞"]).score
    assert page.run(SCORES) == [f"{score:.4f}"] and page.text(PRESET) == "Paper"
    assert page.run("document.activeElement.id") == "hyps-0"


def test_a_preset_that_was_chosen_stays_while_typing(playground):
    page = playground()
    page.click("#presets button:nth-child(3)")
    replace_text(page, "#hyps-0", "他买伞")
    page.until(SETTLED)
    assert page.text(PRESET) == "No synonyms"


def test_another_translation_is_scored_by_the_settings_of_the_paper(playground):
    page = playground()
    page.click("[data-more=hyps]")
    page.type("买雨伞")
    page.until(SETTLED)
    assert page.text(PRESET) == "Paper"


def test_old_scores_are_pale_until_new_ones_arrive(playground):
    page = playground("ref=买雨伞&hyp=买伞")
    page.until(SETTLED)
    held = []
    page.page.route("**/score", lambda route: held.append(route))
    page.page.select_option("#settings [name=lang]", "ja")
    page.until("document.querySelector('.value').classList.contains('waiting')")
    assert page.run("document.getElementById('presets').classList.contains('waiting')")
    assert page.run("document.getElementById('presets').ariaBusy") == "true"
    page.page.unroute("**/score")  # which lets those go that were held
    page.until(SETTLED)
    assert page.run("document.getElementById('presets').ariaBusy") == "false"


def test_a_text_that_is_too_long_takes_nothing_from_the_others(playground):
    page = playground("ref=买雨伞&hyp=买伞&hyp=雨伞")
    page.until(SETTLED)
    first, second = page.run(SCORES)
    page.click("#hyps-1")
    page.type("雨" * 20_001)
    page.until("document.querySelector('#hyps-1-problem')")
    assert "20,003 characters" in page.text("#hyps-1-problem")
    assert page.run("document.getElementById('hyps-1').ariaInvalid") == "true"
    page.until("!document.querySelector('.waiting')")
    assert page.run(SCORES) == [first, "–"]
    assert len(page.run("document.getElementById('hyps-1').value")) == 20_003
    box, field = (page.page.locator(x).bounding_box() for x in ("#hyps-1-problem", "#hyps-1"))
    assert abs(box["y"] - field["y"] - field["height"]) < 20  # right below its text
    replace_text(page, "#hyps-1", "雨伞")
    page.until(SETTLED)
    assert page.run(SCORES) == [first, second] and page.count(".problem") == 0


def test_a_reference_is_asked_for_beside_its_field(playground):
    page = playground("ref=买雨伞&hyp=买伞")
    replace_text(page, "#refs-0", " ")
    page.until("document.querySelector('#refs-0-problem')")
    assert page.text("#refs-0-problem") == "Type a reference."
    assert page.run(SCORES) == ["–"]


def test_a_setting_that_the_server_refuses_is_named_beside_its_control(playground):
    page = playground("ref=买雨伞&hyp=买伞&option-f=2")
    page.until(SETTLED)
    page.page.locator("#settings [name=f]").fill("-3")
    page.until("document.querySelector('#setting-f-problem')")
    assert page.text("#setting-f-problem").startswith("f is -3")
    assert page.run("document.activeElement.name") == "f"
    page.page.locator("#settings [name=f]").fill("1")
    page.until(SETTLED)
    assert page.count(".problem") == 0
    page._complaints[:] = [text for text in page._complaints if "400" not in text]


# ---- from a report ----


@pytest.fixture(scope="module")
def page_text(metric):
    campaign = run({"celab": metric}, texts(), n_resamples=50)
    return campaign_page(campaign, {"celab": metric}, lang="zh", flags={"celab": ["--f", "0.5"]})


def test_a_report_of_the_playground_opens_a_segment_there(browser, port, page_text):
    page = browser.open(f"http://127.0.0.1:{port}/")
    page.page.route(
        "**/report/x", lambda route: route.fulfill(body=page_text, content_type="text/html")
    )
    address = f"http://127.0.0.1:{port}/report/x#a=good&b={BAD_IN_URL}&segment=4&system=good"
    page.page.goto(address)
    page.until("document.getElementById('segment').open")
    page.click(".bar .take summary")
    link = page.page.locator(".bar .take a")
    assert link.text_content() == "Open in the playground"
    target = urlsplit(link.get_attribute("href"))
    assert (target.netloc, target.path, target.query) == (f"127.0.0.1:{port}", "/", "")
    assert parse_qs(target.fragment) == {"ref": [REFS[3]], "hyp": [GOOD[3], BAD[3]]}
    page.page.goto(link.get_attribute("href"))
    page.until(SETTLED)
    values = "[...document.querySelectorAll('.field textarea')].map((node) => node.value)"
    assert page.run(values) == [REFS[3], GOOD[3], BAD[3]]
    page.close()


def command(browser, path, state):
    with opening.report_pages(browser) as open_page:
        page = open_page(path.as_uri(), state)
        page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.click(".bar .take summary")
        assert page.count(".bar .take a") == 0
        button = page.page.locator(".bar").get_by_role("button", name="Command with the texts")
        if not button.count():
            return None
        button.click()
        page.until(
            "[...document.querySelectorAll('.bar .copy')].some((x) => x.textContent === 'Copied')"
        )
        return page.run("navigator.clipboard.readText()")


def test_a_report_that_is_a_file_has_a_command_with_the_texts(browser, page_text, tmp_path, capsys):
    path = tmp_path / "report.html"
    path.write_text(page_text, "utf-8")
    text = command(browser, path, "segment=4&system=good")
    words = shlex.split(text)
    assert words == ["celab", "explain", "--text", REFS[3], GOOD[3], *"-m celab --f 0.5".split()]
    assert explain.main(words[2:]) == 0
    assert "score" in capsys.readouterr().out


def test_texts_that_a_command_would_misread_have_none(browser, metric, tmp_path):
    outputs = ["-买", "买'伞", "买\x1b伞"]
    segments = [Segment("", str(i + 1)) for i in range(3)]
    corpus = Corpus(
        segments=segments, systems={"a": outputs}, refs=[["买伞"] * 3], ref_names=["ref"]
    )
    path = tmp_path / "report.html"
    campaign = run({"celab": metric}, corpus, n_resamples=50)
    path.write_text(campaign_page(campaign, {"celab": metric}, lang="zh"), "utf-8")
    assert command(browser, path, "segment=1&system=a") is None
    assert command(browser, path, "segment=3&system=a") is None
    words = shlex.split(command(browser, path, "segment=2&system=a"))
    assert words[2:5] == ["--text", "买伞", "买'伞"] and words[-1] == "zh"
