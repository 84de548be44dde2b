"""Why not matched?, in the report: the panel says what the metric computes."""

import pytest
from opening import address, campaign, metric, opened, report_pages
from reports import BAD, BAD_IN_URL, GOOD, REFS

import celab
from celab.tables.palette import shown_state

pytestmark = pytest.mark.browser
TEXT = "document.querySelector('.unmatched').textContent"


def words(hyp, ref):
    return celab.TeslaCelab().explain(hyp, ref, unmatched=True).unmatched


def test_the_panel_has_plausible_words_first(browser, tmp_path):
    hyp, ref = "他在雨里买了一张飞机旅行票。", "他买了一张机旅游票。"
    best = max(words(hyp, ref), key=lambda word: (word.plausible, word.score or 0))
    assert (best.word, best.nearest_word, best.plausible) == ("旅游", "旅行", True)
    celab.Campaign.from_lists({"A": [hyp]}, [[ref]]).score().html(tmp_path / "report.html")
    before = celab.TeslaCelab().sentence_score(hyp, [ref]).score
    with report_pages(browser) as open_report:
        page = open_report((tmp_path / "report.html").as_uri(), "segment=1&system=A")
        shown = page.run(TEXT)
        assert best.word in shown and best.nearest_word in shown
        assert page.text(".unmatched .gain b") == f"{before:.4f} → {best.score:.4f}"
        assert all(group.label in shown for group in best.groups)
        asked = "[...document.querySelectorAll('.token.asked .t')].map((x) => x.textContent)"
        assert page.run(f"{asked}.join('')") == best.word


def test_what_the_metric_matches_is_neither_missing_nor_extra(browser, tmp_path):
    scored = celab.Campaign.from_lists({"A": [GOOD[0]]}, [[REFS[0]]]).score(["celab", "chrf"])
    for explained in (0, 1):
        scored.html(tmp_path / "report.html", explained=explained)
        with report_pages(browser) as open_report:
            address = (tmp_path / "report.html").as_uri()
            page = open_report(address, "segment=1&system=A")
            for place in (".row", ".against", ".aligned-outputs"):
                assert page.text(f"{place} .synonym") == "雨"
                assert page.count(f"{place} :is(.missing, .extra)") == 0
            page = open_report(address, "metric=chrf&segment=1&system=A")
            assert page.text(".against .extra") == "雨"  # chrF has no lexicon
            assert page.count(".key .synonym") == 0


def test_tokens_have_the_marks_of_the_terminal(browser, tmp_path):
    pairs = [("今天机器坏了", "坏了机器"), ("坏人看书", "看好人书坏"), (REFS[4], BAD[4])]
    refs, hyps = ([*side] for side in zip(*pairs, strict=True))
    celab.Campaign.from_lists({"A": hyps}, refs).score("celab").html(tmp_path / "report.html")
    with report_pages(browser) as open_report:
        address = (tmp_path / "report.html").as_uri()
        for number, (ref, hyp) in enumerate(pairs, 1):
            page = open_report(address, f"segment={number}&system=A")
            for sentence in celab.explain(hyp, [ref]).against[0].drawing().sentences:
                side = {"ref": "reference", "hyp": "hypothesis"}[sentence.label]
                drawn = page.run(
                    f"[...document.querySelectorAll('.aligned .{side} .token')]"
                    ".map((x) => x.dataset.state)"
                )
                assert drawn == [shown_state(state, sentence.label) for state in sentence.states]


def test_choosing_a_token_changes_the_panel(opened):
    page = opened(f"segment=5&system={BAD_IN_URL}")
    before = page.run(TEXT)
    chosen = next(word for word in words(BAD[4], REFS[4]) if word.side == "hyp")
    token = f".aligned .hypothesis .token.why >> nth={0}"
    page.page.click(token)
    page.until(f"{TEXT} !== {before!r}")
    assert page.text(".unmatched .words b") == chosen.word
    assert page.page.get_attribute(token, "aria-pressed") == "true"
    # By the keyboard as well.
    page.page.focus(".aligned .reference .token.why >> nth=0")
    page.page.keyboard.press("Enter")
    page.until(f"{TEXT} === {before!r}")


def test_the_line_of_a_lexicon_is_copied_where_two_words_stand_in_one_place(
    opened, browser, tmp_path
):
    # Words that are merely near are no candidates for a lexicon.
    merely_near = opened(f"segment=5&system={BAD_IN_URL}")
    assert merely_near.count(".unmatched") == 1
    assert merely_near.count(".unmatched .copy") == merely_near.count(".unmatched .gain") == 0
    assert not any(word.plausible for word in words(BAD[4], REFS[4]))
    scored = celab.Campaign.from_lists({"A": ["他买了旅行票。"]}, [["他买了旅游票。"]]).score()
    with report_pages(browser) as open_report:
        scored.html(tmp_path / "report.html")
        page = open_report((tmp_path / "report.html").as_uri(), "segment=1&system=A")
        page.run(
            "(() => { Object.defineProperty(navigator, 'clipboard', { value: { writeText: (text) =>"
            " { window.copied = text; return Promise.resolve(); } } }); return true; })()"
        )
        assert (
            page.count(".unmatched .copy") == 0
        )  # before a person has said that they are the same
        page.page.click(".unmatched [data-same]")
        page.page.click(".unmatched .copy")
        page.until("window.copied !== undefined")
        assert page.run("window.copied") == "旅游\t旅行\n"


def test_there_is_no_panel_where_all_is_matched(opened):
    page = opened("segment=2&system=good")
    assert BAD[1] == GOOD[1] == REFS[1]
    assert page.run("document.querySelector('.unmatched') === null")


def test_a_word_that_is_too_long_says_so(browser, tmp_path):
    (tmp_path / "own.tsv").write_text("云端系统\t云计算平台\n", "utf-8")
    with pytest.warns(celab.InputWarning):
        own = celab.TeslaCelab(lexicon=tmp_path / "own.tsv")
    scored = celab.Campaign.from_lists({"A": ["用云端系统"]}, [["用云计算平台"]]).score(own)
    told = {
        "en": "云计算平台 has 5 characters; --max-order is 4.",
        "zh": "“云计算平台”有 5 个字，而 --max-order 为 4。",
    }
    with report_pages(browser) as open_page:
        for lang, text in told.items():
            scored.html(tmp_path / f"{lang}.html", report_lang=lang)
            page = open_page((tmp_path / f"{lang}.html").as_uri(), "segment=1&system=A")
            assert text in page.run(TEXT)
            # It would not help to write the line that the lexicon has.
            assert page.run("document.querySelector('.unmatched .gain, .unmatched .copy') === null")
