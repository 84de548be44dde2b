"""Texts of other scripts: as they are written, in the direction in which they are read."""

import pytest
from opening import report_pages

from celab import Campaign

pytestmark = pytest.mark.browser

GERMAN = ["Bitte machen Sie die Tür zu", "Wir fahren nach Köln"]
ARABIC = ["ذهب الولد إلى المدرسة في الصباح", "الطقس جميل اليوم"]


@pytest.fixture
def opened(browser, tmp_path):
    with report_pages(browser) as open_page:

        def open_report(metric, lang, refs, outputs):
            path = tmp_path / f"{lang}.html"
            Campaign.from_lists({"A": outputs}, [refs]).score(metric, lang=lang).html(
                path, lang=lang
            )
            return open_page(path.as_uri(), "segment=1&system=A")

        yield open_report


def test_tokens_are_written_as_in_the_text(opened):
    page = opened("celab", "de", GERMAN, ["Bitte die Türe zu machen", GERMAN[1]])
    tokens = "[...document.querySelectorAll('.aligned .{} .token .t')].map((x) => x.textContent)"
    assert page.run(tokens.format("reference")) == GERMAN[0].split()
    assert page.run(tokens.format("hypothesis")) == ["Bitte", "die", "Türe", "zu", "machen"]


def test_a_text_in_another_chinese_script_is_shown_as_it_is(opened):
    page = opened("celab", "zh", ["我們買了雨傘", "你好"], ["我们买了雨伞", "你好"])
    tokens = (
        "[...document.querySelectorAll('.aligned .reference .token .t')].map((x) => x.textContent)"
    )
    assert "".join(page.run(tokens)) == "我們買了雨傘"


def test_the_grid_of_arabic_runs_from_right_to_left(opened):
    page = opened("chrf", "ar", ARABIC, ["مضى الولد إلى البيت في المساء", ARABIC[1]])
    lefts = page.run(
        "[...document.querySelectorAll('.aligned-outputs .base td')].filter((x) => x.textContent)"
        ".map((x) => x.getBoundingClientRect().left)"
    )
    assert len(lefts) == 6 and lefts == sorted(lefts, reverse=True)
