"""The playground of `celab serve`: presets, two translations, what is copied and kept, the tour."""

import json
import subprocess
import sys
from urllib.parse import quote
from xml.etree import ElementTree

import chromium
import pytest
from test_playground import playground, port, replace_text, texts

import celab
from celab.metrics.baselines import Chrf

pytestmark = pytest.mark.browser

REF, A, B = "下午要下雨。你最好买把雨伞。", "下午会下雨。你最好买伞。", "今天下午有雨。带上雨具吧。"
BOTH = f"ref={quote(REF)}&hyp={quote(A)}&hyp={quote(B)}"
READY = "document.querySelector('.aligned') && !document.querySelector('.waiting')"
PRESETS = {
    "Paper": lambda **settings: celab.TeslaCelab(**settings),
    "Recommended": lambda **settings: celab.recommended(**settings),
    "No synonyms": lambda **settings: celab.TeslaCelab(lexicon=None, **settings),
}


def figures(page):
    """Return the scores of each preset, by its name."""
    page.until("[...document.querySelectorAll('#presets b')].every((x) => x.textContent !== '–')")
    return dict(
        page.run(
            "[...document.querySelectorAll('#presets button')].map((x) =>"
            " [x.firstChild.textContent, [...x.querySelectorAll('b')].map((y) => y.textContent)])"
        )
    )


def copied(page, selector):
    """Click a button that copies; return the clipboard."""
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(selector)
    page.until("[...document.querySelectorAll('.copy')].some((x) => x.textContent === 'Copied')")
    return page.run("navigator.clipboard.readText()")


def attempts(page):
    return page.run(
        "[...document.querySelectorAll('#attempts li')].map((x) =>"
        " [...x.querySelectorAll('bdi')].map((y) => y.textContent))"
    )


# ---- presets ------------------------------------------------------------------------------------


def test_presets_show_their_scores_side_by_side(playground):
    page = playground(BOTH)
    expected = {
        name: [f"{make().sentence_score(text, [REF]).score:.4f}" for text in (A, B)]
        for name, make in PRESETS.items()
    }
    assert figures(page) == expected
    assert len({tuple(scores) for scores in expected.values()}) == 3
    for number, name in enumerate(PRESETS, 1):
        page.click(f"#presets button:nth-child({number})")
        page.until(f"document.querySelector('.value b').textContent === '{expected[name][0]}'")
        pressed = page.text("#presets [aria-pressed=true] span")
        assert pressed == name and page.count("#presets [aria-pressed=true]") == 1
    replace_text(page, "#hyps-0", REF)
    page.until("document.querySelector('#presets b').textContent === '1.0000'")


def test_other_settings_leave_the_presets(playground):
    page = playground()
    page.click("#presets button:nth-child(2)")
    page.until("document.querySelector('#result .signature').textContent.includes('information')")
    assert not page.run("document.querySelector('#settings details').open")
    page.click("#settings summary")
    values = page.run("['weights', 'decay', 'lexicon'].map((x) => settings.elements[x].value)")
    assert values == ["information", "0.3", ""]
    assert "zh-core" in page.text("#settings [name=lexicon] option")
    page.page.select_option("#settings [name=weights]", "unit")
    page.until("!document.querySelector('#presets [aria-pressed=true]')")
    expected = celab.recommended(weights="unit").sentence_score("买伞", ["买雨伞"]).score
    page.until(f"document.querySelector('.value b').textContent === '{expected:.4f}'")


def test_defaults_that_follow_other_settings_are_shown(playground):
    page = playground("ref=ein Haus&hyp=das Haus")
    page.click("#settings summary")
    for name, value, other, default in (
        ("tokenize", "letter", "max_order", "6"),
        ("weights", "information", "decay", "0.5"),
        ("tokenize", "char", "max_order", "4"),
    ):
        page.page.select_option(f"#settings [name={name}]", value)
        page.until(f"settings.elements.{other}.value === '{default}'")
    page.page.select_option("#settings [name=tokenize]", "letter")
    page.until("settings.elements.max_order.value === '6'")
    page.page.select_option("#settings [name=max_order]", "4")  # no default here
    page.until("document.querySelector('#result .signature').textContent.includes('|n:4|')")
    assert "max_order=4" in page.text("#code")


def test_a_preset_survives_a_reload_and_gives_code_that_runs(playground):
    page = playground(f"{BOTH}&option-profile=%22recommended%22&option-f=2")
    expected = [celab.recommended(f=2).sentence_score(text, [REF]).score for text in (A, B)]
    page.until("document.querySelector('#code').textContent.includes('recommended')")
    done = subprocess.run([sys.executable, "-c", page.text("#code")], capture_output=True)
    assert [float(line) for line in done.stdout.split()] == expected
    page.click("[data-form=Command]")
    assert page.text("#code").endswith(" --profile recommended --f 2")
    page.click("[data-form=curl]")
    settings = json.loads(page.text("#code").split(" -d ", 1)[1].strip()[1:-1])["settings"]
    assert settings == {"profile": "recommended", "f": 2}


def test_the_mean_of_two_metrics_shows_both(playground):
    hyp, ref = "ein Haus am Meer", "das Haus am See"
    score = celab.recommended("de").sentence_score(hyp, [ref]).score  # compiles the lexicon, too
    page = playground(
        f"ref={quote(ref)}&hyp={quote(hyp)}&hyp=Haus&option-lang=%22de%22"
        "&option-profile=%22recommended%22"
    )
    page.until("document.querySelectorAll('#alignment .aligned').length === 2")
    assert page.text(".value b") == f"{score:.4f}"
    page.click("#settings summary")
    # The parts differ in these, so neither value is shown.
    values = page.run("['tokenize', 'max_order', 'decay'].map((x) => settings.elements[x].value)")
    assert values == ["", "", ""]
    assert page.run("settings.elements.f.value") == "1"


# ---- two translations ---------------------------------------------------------------------------


def lines(page):
    """Return the tokens of A, the reference and B, with what is framed."""
    return page.run(
        "[...document.querySelectorAll('#versus .line')].map((x) => [x.querySelector('.name')"
        ".textContent, ...['.t', '.only .t'].map((y) => [...x.querySelectorAll(y)]"
        ".map((z) => z.textContent).join(''))])"
    )


def test_two_translations_stand_around_the_reference(playground):
    page = playground(f"ref={quote(REF)}&hyp={quote(A)}")
    assert not page.page.locator("#versus").is_visible()
    page.click("[data-more=hyps]")
    assert page.run("document.activeElement.id") == "hyps-1"
    assert page.run("[...document.querySelectorAll('.field label')].map((x) => x.textContent)") == [
        "Reference",
        "Translation A",
        "Translation B",
    ]
    page.type(B)
    page.until("!document.getElementById('versus').hidden")
    (first, second) = (celab.TeslaCelab().sentence_score(text, [REF]).score for text in (A, B))
    assert page.text("#versus .summary") == f"A {first:.4f} · B {second:.4f}"
    (name, a, _), (_, ref, framed), (other, b, nothing) = lines(page)
    assert (name, a, ref, other, b, nothing) == ("A", A, REF, "B", B, "")
    assert framed == "你最好买伞"
    marks = page.run(
        "[...document.querySelectorAll('#versus .line:nth-child(2) .only .m')]"
        ".map((x) => x.textContent)"
    )
    assert set(marks) == {"", "B"}  # B misses it; a run has one letter
    page.click("#fields .remove")  # of A
    page.until("document.getElementById('versus').hidden")
    assert texts(page) == [REF, B]


def test_links_of_both_translations_name_their_own_groups(playground):
    page = playground(
        f"ref={quote('医生马上来')}&hyp={quote('大夫马上来')}&hyp={quote('医生立刻来')}"
    )
    metric = celab.TeslaCelab()
    for side, text, place in ((1, "大夫马上来", 1), (3, "医生立刻来", 3)):
        page.hover(f"#versus .line:nth-child({side}) .token:nth-child({place})")
        status = page.text(f"#versus .said:nth-of-type({1 if side == 1 else 2})")
        links = metric.explain(text, "医生马上来").links
        labels = {label for link in links for piece in link.pieces for label in piece.groups}
        assert labels and all(label in status for label in labels), status


def test_the_panel_of_unmatched_words_names_groups_of_its_translation(playground):
    ref, first, second = "医生马上来", "大夫马上来", "护士立刻来"
    page = playground(f"ref={quote(ref)}&hyp={quote(first)}&hyp={quote(second)}&chosen=2")
    words = celab.TeslaCelab().explain(second, ref, unmatched=True).unmatched
    best = max(words, key=lambda word: word.score or 0)
    assert page.text(".unmatched .words b") == page.text(".unmatched dt") == best.word
    (group,) = best.groups
    assert page.text(".unmatched dt + dd").startswith(f"{group.label}: ")


def test_a_third_translation_is_compared_when_it_is_chosen(playground):
    page = playground(f"{BOTH}&hyp={quote('下午要下雨')}&chosen=3")
    assert [line[0] for line in lines(page)] == ["A", "ref", "C"]
    page.click("#hyps-0")
    page.until("document.querySelector('#versus-heading').textContent.startsWith('A and B')")


# ---- what is copied -----------------------------------------------------------------------------


def test_the_copied_link_opens_the_same_view(playground, port):
    page = playground(BOTH)
    replace_text(page, "#hyps-1", "买 & 卖=#%")
    page.click("#presets button:nth-child(3)")
    link = copied(page, ".adding .copy")
    assert link.startswith(f"http://127.0.0.1:{port}/#")
    other = playground(link.partition("#")[2])
    assert texts(other) == [REF, A, "买 & 卖=#%"]
    assert other.text("#presets [aria-pressed=true] span") == "No synonyms"


@pytest.mark.parametrize("drawing", ["#versus", "#alignment"])
@pytest.mark.parametrize("dark", [False, True])
def test_the_copied_drawing_is_svg_that_stands_alone(playground, browser, tmp_path, drawing, dark):
    hostile = "<b>&\"'\u202e买伞"
    page = playground(f"ref={quote(REF)}&hyp={quote(A)}&hyp={quote(hostile)}&chosen=2")
    page.page.emulate_media(color_scheme="dark" if dark else "light")
    text = copied(page, f"{drawing} .take button")
    outside = [name for name in ("var(", " class=", " style=", "href", "url(") if name in text]
    assert outside == []
    root = ElementTree.fromstring(text)
    svg = "{http://www.w3.org/2000/svg}"
    assert root.tag == f"{svg}svg"
    assert {child.tag.removeprefix(svg) for child in root} == {"title", "rect", "text", "line"}
    written = "".join(child.text for child in root.iter(f"{svg}text"))
    for token in (*REF, "<", "\\u202e", "synonym", "missing"):
        assert token in written
    assert root.find(f"{svg}rect").get("fill") == (
        "rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)"
    )
    path = tmp_path / "alignment.svg"
    path.write_text(text, "utf-8")
    alone = browser.open(path.as_uri())
    width, height = (float(root.get(name)) for name in ("width", "height"))
    boxes = alone.run(
        "[...document.querySelectorAll('text, rect, line')].map((x) => x.getBBox())"
        ".map((x) => [x.x, x.y, x.x + x.width, x.y + x.height])"
    )
    assert len(boxes) > 2 * len(REF)
    outside = [box for box in boxes if min(box[:2]) < 0 or box[2] > width or box[3] > height]
    assert outside == []
    assert alone.complaints() == []
    alone.close()


# ---- what is kept -------------------------------------------------------------------------------


def test_the_last_ten_attempts_are_kept_and_reopened(playground, port):
    page = playground()
    assert not page.page.locator("#attempts").is_visible()
    page.click("#presets button:nth-child(2)")
    for number in range(12):
        replace_text(page, "#hyps-0", f"买伞{number}")
        page.press("Tab")
    assert [hyp for _, hyp in attempts(page)] == [f"买伞{number}" for number in range(11, 1, -1)]
    page.page.goto(f"http://127.0.0.1:{port}/")  # without the fragment
    page.page.reload()
    page.until(READY)
    assert texts(page) == ["买雨伞", "买伞"]
    assert page.text("#attempts summary") == "Last attempts (10)"
    page.click("#attempts summary")
    page.click("#attempts li:nth-child(4) button")
    page.until("document.querySelector('#hyps-0').value === '买伞8'")
    assert page.text("#presets [aria-pressed=true] span") == "Recommended"  # as it was then
    replace_text(page, "#hyps-0", "买伞2")
    page.press("Tab")
    assert [hyp for _, hyp in attempts(page)][:2] == ["买伞2", "买伞11"]  # none is listed twice
    page.click("#attempts ol ~ button")
    page.until("document.getElementById('attempts').hidden")
    assert page.run("localStorage.length") == 0


def test_two_tabs_share_the_attempts(playground, port):
    page = playground()
    other = chromium.Page(page.page.context.new_page(), f"http://127.0.0.1:{port}/")
    other.until(READY)
    replace_text(page, "#hyps-0", "买把伞")
    page.press("Tab")
    other.until("document.querySelectorAll('#attempts li').length === 1")
    replace_text(other, "#hyps-0", "买雨具")
    other.press("Tab")
    page.until("document.querySelectorAll('#attempts li').length === 2")
    assert attempts(page) == attempts(other) == [["买雨伞", "买雨具"], ["买雨伞", "买把伞"]]
    assert other.complaints() == []


def test_steps_of_the_tour_are_no_attempts(playground):
    page = playground()
    for number in (2, 3, 1):
        page.click(f"#steps button:nth-child({number})")
    page.click("#presets button")
    page.click("#steps button:nth-child(2)")
    assert attempts(page) == []
    replace_text(page, "#hyps-0", "雨具")
    page.click("#steps button:nth-child(2)")
    assert attempts(page) == [["雨伞", "雨具"]]


@pytest.mark.parametrize(
    "script",
    [
        "Object.defineProperty(window, 'localStorage',"
        " { get() { throw new DOMException('refused', 'SecurityError'); } })",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }",
        "localStorage.setItem('celab-attempts', '{')",
        "localStorage.setItem('celab-attempts', '[1, null, {}, \"x\", [2]]')",
    ],
)
def test_the_page_works_without_storage(playground, script):
    page = playground()
    page.page.add_init_script(script)
    page.page.reload()
    page.until(READY)
    assert attempts(page) == []
    replace_text(page, "#hyps-0", "买把伞")
    page.press("Tab")
    assert attempts(page) == [["买雨伞", "买把伞"]]
    page.click("#attempts summary")
    page.click("#attempts ol ~ button")
    assert attempts(page) == []


# ---- the picture --------------------------------------------------------------------------------


def test_the_picture_has_computed_figures(playground):
    page = playground()
    chrf = Chrf().sentence_score("买伞", ["买雨伞"]).score / 100
    score = celab.TeslaCelab(lexicon="zh-core").sentence_score("买伞", ["买雨伞"]).score
    assert page.text("#picture-caption b") == f"chrF {chrf:.2f} · TESLA-CELAB {score:.2f}"
    ngrams = page.run(
        "[...document.querySelectorAll('#picture-ngrams .token')].map((x) =>"
        " [x.firstChild.textContent, x.dataset.state])"
    )
    assert ngrams == [[text, "equal"] for text in ("买", "雨", "伞", "买雨", "雨伞", "买雨伞")]
    assert page.count("#picture .link-drawn") == 2
    assert page.run("picture.getAttribute('aria-label')") == "买雨伞 / 买伞: 买 = 买, 雨伞 ~ 伞"


def test_the_picture_moves_only_where_motion_is_wanted(playground):
    page = playground()
    moving = "document.getAnimations().filter((x) => /draw|count/.test(x.animationName)).length"
    page.page.emulate_media(reduced_motion="reduce")
    page.page.reload()
    page.until(READY)
    assert page.run(moving) == 0
    page.page.emulate_media(reduced_motion="no-preference")
    page.page.reload()
    page.until(f"{moving} === 8")
    page.run("document.getAnimations().forEach((x) => { x.playbackRate = 20; })")
    page.until(f"{moving} === 0")
    tints = page.run(
        "[...document.querySelectorAll('#picture-ngrams .token')].map((x) =>"
        " getComputedStyle(x).backgroundColor)"
    )
    assert set(tints) == {"rgb(223, 243, 236)"}


# ---- the tour -----------------------------------------------------------------------------------


def step(page):
    return page.run(
        "[...document.querySelectorAll('#steps button')]"
        ".findIndex((x) => x.ariaPressed === 'true') + 1"
    )


def test_buttons_and_arrow_keys_turn_the_steps(playground):
    page = playground("step=1")
    assert page.run("back.disabled") and not page.run("next.disabled")
    page.click("#next")
    assert step(page) == 2
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert step(page) == 4
    page.press("ArrowLeft")
    assert step(page) == 3 and "third rule" in page.text("#lesson")
    page.click("#back")
    page.click("#back")
    assert step(page) == 1 and page.run("document.activeElement.id") == "next"
    page.press("ArrowLeft")
    assert step(page) == 1
    for _ in range(9):
        page.press("ArrowRight")
    assert step(page) == page.count("#steps button")
    assert page.run("next.disabled && document.activeElement.id === 'back'")


def test_arrow_keys_move_what_has_the_focus(playground):
    page = playground("step=2")
    for selector in ("#hyps-0", "#settings [name=lang]", "#code", "[name=word]"):
        page.run(f"document.querySelector({json.dumps(selector)}).focus()")
        page.press("ArrowRight")
        page.press("ArrowLeft")
        assert page.text("#lesson").startswith(("The second rule", "Choose a step"))
    page = playground("step=2")
    page.run("document.querySelector('#alignment .token[tabindex=\"0\"]').focus()")
    for _ in range(5):  # more than there are tokens
        page.press("ArrowRight")
    page.press("Control+ArrowRight")
    assert step(page) == 2


def test_arrow_keys_do_not_replace_own_texts(playground):
    page = playground(BOTH)
    page.press("ArrowRight")
    assert texts(page) == [REF, A, B]
    assert page.run("back.disabled && !next.disabled")


# ---- on a phone ---------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "zh"])
def test_targets_are_large_enough_on_a_phone(playground, language):
    page = playground(f"{BOTH}&page={language}", 390)
    replace_text(page, "#hyps-0", "很长的译文" * 40)
    page.press("Tab")
    page.run("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
    page.until(READY)
    assert page.count("#attempts li") == 1
    small = page.run(
        "[...document.querySelectorAll('button, [role=button], summary, select, input, textarea')]"
        ".filter((x) => {"
        " const box = x.getBoundingClientRect();"
        " return box.width && (box.width < 24 || box.height < 24); }).map((x) => x.outerHTML)"
    )
    assert small == []
    page.until("document.documentElement.scrollWidth <= innerWidth")
