"""The page of `celab serve` in a browser: the tour, its URL, and code that can be trusted."""

import pytest

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def port():
    serving = pytest.importorskip("serving", reason="celab[serve] is not installed")
    from celab.serve import answers

    for settings in ({}, {"profile": "recommended"}, {"lexicon": None}):
        answers.explain("买伞", ["买雨伞"], settings)  # on a busy machine, lexicons load slowly
    with serving.serve() as port:
        yield port


@pytest.fixture
def playground(browser, port):
    """Open the page with a fragment; it must complain of nothing."""
    pages = []

    def open_page(fragment="", width=1280):
        pages.append(browser.open(f"http://127.0.0.1:{port}/#{fragment}", width))
        pages[-1].until("document.querySelector('.aligned') && !document.querySelector('.waiting')")
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.complaints() == []
        page.close()


def texts(page):
    return page.run("[...document.querySelectorAll('.field textarea')].map((x) => x.value)")


def replace_text(page, selector, text):
    page.click(selector)
    page.press("Control+a")
    page.type(text)


def linked(page):
    """Return the pieces of all links, such as 雨伞~伞."""
    return page.run(
        "[...document.querySelectorAll('.links .piece-pair')].map((x) => [...x.childNodes]"
        ".filter((y) => y.nodeName !== 'SMALL' && y.nodeName !== 'ABBR')"
        ".map((y) => y.textContent).join('').trim())"
    )


def test_the_last_step_has_no_wrong_link_and_another_step_names_its_own(playground):
    page = playground()
    n_steps = page.count("#steps button")
    page.click(f"#steps button:nth-child({n_steps})")
    page.until("document.querySelector('#result').textContent.includes('戒')")
    synonyms = {piece for piece in linked(page) if "~" in piece}
    assert synonyms == {"医生~大夫", "马上~立刻"}
    page.click(f"#steps button:nth-child({n_steps - 1})")
    page.until("document.querySelector('#result').textContent.includes('午')")
    assert "把~下" in linked(page)
    assert "把" in page.text("#lesson") and "下雨" in page.text("#lesson")
    page.until("document.querySelector('.token.lit')")
    assert "把" in page.text(".said")


def test_the_page_opens_with_the_default_settings(playground):
    page = playground()
    assert texts(page) == ["买雨伞", "买伞"]
    assert page.text(".value b") == "1.0000"  # as README says
    assert page.text("#presets [aria-pressed=true] span") == "Paper"
    assert page.count("#steps [aria-pressed=true]") == 0
    page.click("#next")
    page.until("document.querySelector('#steps [aria-pressed=true]')")
    assert page.text("#steps [aria-pressed=true]").startswith("1 ")


def test_texts_and_alignment_are_in_sight_before_the_tour(playground):
    page = playground()
    bottom = "document.querySelector('#alignment .aligned').getBoundingClientRect().bottom"
    assert page.run(bottom) < 900
    tops = page.run(
        "['fields', 'alignment', 'result', 'code', 'files', 'steps', 'picture'].map((id) =>"
        " document.getElementById(id).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)


def test_an_output_that_is_not_a_translation_has_its_kind(playground):
    page = playground("ref=我不能去北京。&hyp=I%27m sorry, but I can%27t help with that.&hyp=我去")
    kinds = (
        "[...document.querySelectorAll('.value')]"
        ".map((x) => x.querySelector('.kind')?.textContent ?? '')"
    )
    assert page.run(kinds) == ["refusal", ""]


def test_an_edit_leaves_the_tour_in_either_language(playground):
    page = playground("step=1")
    lesson = page.text("#lesson")
    assert lesson.startswith("Both texts")
    replace_text(page, "#hyps-0", "买把伞")
    page.until("!document.querySelector('#steps [aria-pressed=true]')")
    assert page.text("#lesson").startswith("Choose a step")
    page.click("#language")
    assert page.text("#lesson").startswith("选择一个步骤")
    page.click("#steps button")
    assert page.text("#lesson").startswith("“买雨伞”")
    page.click("[data-more=hyps]")
    assert page.text("#lesson").startswith("选择一个步骤")


def test_texts_settings_and_language_survive_a_reload(playground):
    page = playground()
    page.click("#steps button:nth-child(5)")
    replace_text(page, "#refs-0", "买一把雨伞 & “雨衣”=#")
    page.click("[data-more=hyps]")
    page.type("买雨衣")
    page.click("#settings summary")
    page.page.select_option("[name=lexicon]", "none")
    page.page.select_option("[name=max_order]", "2")
    page.click("#language")
    page.click("[data-form=curl]")
    page.until("location.hash.includes('option-max_order=2') && location.hash.includes('curl')")
    before = texts(page), page.run("document.getElementById('fields').innerText")
    page.page.reload()
    page.until("document.querySelector('.aligned') && !document.querySelector('.waiting')")
    assert (texts(page), page.run("document.getElementById('fields').innerText")) == before
    assert page.run("document.documentElement.lang") == "zh-CN"
    assert page.run("document.querySelector('[name=max_order]').value") == "2"
    assert page.run("document.querySelector('[name=lexicon]').value") == "none"
    assert page.run("document.querySelector('.field.chosen textarea').id") == "hyps-1"
    assert page.text("#code").startswith("curl")


def test_a_fragment_by_hand_cannot_break_the_page(playground):
    page = playground("ref=买&hyp=买&option-lang=%22xx%22&option-none=1&chosen=9&step=99&code=x")
    assert texts(page) == ["买", "买"]
    page = playground("step=99&page=fr")
    assert page.text("#lesson").startswith("Choose a step")


def test_right_to_left_text_does_not_reorder_the_code(playground):
    page = playground("ref=אבג&hyp=דהו")
    page.until("document.getElementById('code').textContent.includes('אבג')")
    code = page.text("#code")
    assert code.splitlines()[-1] == 'print(metric.sentence_score("דהו", ["אבג"]).score)'
    # The hypothesis stands left of the reference, as the characters of the code do.
    left, right = page.run(
        "[...document.querySelectorAll('#code bdi')].map((x) => x.getBoundingClientRect().left)"
    )
    assert left < right
    directions = page.run(
        "[...document.querySelectorAll('#code, #code bdi')].map((x) =>"
        " getComputedStyle(x).unicodeBidi)"
    )
    assert set(directions) == {"isolate"}
