"""Every page at three widths, light and dark, in both languages, with names of forty characters."""

import json
from pathlib import Path

import pytest
from opening import uncover

import celab
from celab import Campaign
from celab.corpus import Corpus, Segment
from celab.findings.translations.outputs import Outputs

pytestmark = pytest.mark.browser

REFS = [
    "昨天下午他在商店里买了一把雨伞",
    "我们明天早上坐火车去北京开会",
    "今天的天气很好我们出去玩",
] * 8
SOURCE = ["He bought an umbrella.", "We take the train to Beijing.", "The weather is nice."] * 8
NAMES = [f"a-system-with-a-name-of-forty-letters-{k:02}" for k in range(5)]
NAMES.append("四十个字的系统名称" * 4 + "完整无缺")
HUMAN = {name: [90.0 - 5 * k + i % 3 for i in range(24)] for k, name in enumerate(NAMES)}
WIDTHS = [(390, 844), (1280, 900), (1920, 1080)]
PAGES = ("several", "pair", "one", "check", "terms", "board")
WORDS = {"several": 266, "pair": 266, "one": 237, "check": 304, "terms": 230, "board": 218}


def outputs(k):
    """Return the outputs of a system, which has k texts of its own and is empty once."""
    texts = [ref if i % (k + 1) else ref[: 4 + k] + "伞子" for i, ref in enumerate(REFS)]
    return ["" if i == 5 and k == 2 else text for i, text in enumerate(texts)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    systems = {name: outputs(k) for k, name in enumerate(NAMES)}
    for name, n in (("several", 6), ("pair", 2), ("one", 1)):
        chosen = dict(list(systems.items())[:n])
        campaign = Campaign.from_lists(chosen, REFS, source=SOURCE).score(["celab", "chrf"])
        if n > 1:
            campaign = campaign.with_scores({"human": {x: HUMAN[x] for x in chosen}})
            campaign = campaign.test(n_resamples=50)
        campaign.html(folder / f"{name}.html", lang="zh", command="celab score")
    corpus = Corpus(
        segments=[Segment("d", str(k + 1)) for k in range(24)],
        systems=systems,
        refs=[REFS],
        ref_names=["ref"],
        source=SOURCE,
    )
    Outputs.of_corpus(corpus, "zh", filters=True, findings=True).html(folder / "check.html")
    glossary = folder / "glossary.tsv"
    glossary.write_text("umbrella\t雨伞\ntrain\t火车\n", "utf-8")
    celab.terms(glossary, corpus, source_lang="en").html(folder / "terms.html")
    versions = folder / "versions"
    versions.mkdir()
    for k in range(3):
        scored = Campaign.from_lists({NAMES[0]: outputs(k)}, REFS).score("celab").bootstrap()
        labels = {"version": f"{NAMES[k]}", "set": NAMES[-1]}
        stored = scored.to_dict() | {"labels": labels}
        (versions / f"{k}.json").write_text(json.dumps(stored), "utf-8")
    celab.board(versions).html(folder / "board.html")
    return folder


def open_page(browser, folder, name, size, *, dark=False, language="en", closed=False):
    address = f"{(Path(folder) / f'{name}.html').as_uri()}#page={language}"
    page = browser.open(address, *size, dark=dark)
    if not closed:
        uncover(page)
    return page


# Words of headings and of buttons that stand on two lines; a name may be longer than a line.
BROKEN = """(() => {
  const broken = [];
  for (const node of document.querySelectorAll("th, h1, h2, h3, h4, dt, button, summary")) {
    if (!node.checkVisibility() || node.closest(".unseen")) continue;
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      for (const { 0: word, index } of text.textContent.matchAll(/[A-Za-z]{2,24}/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
        if (tops.size > 1) broken.push(word);
      }
    }
  }
  return broken;
})()"""

WORDS_IN_SIGHT = """(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let n = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const node = text.parentElement;
    if (!node.checkVisibility() || node.closest("script, style, .unseen")) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const box = range.getBoundingClientRect();
    const words = text.textContent.match(/\\S*[\\p{L}\\p{N}]\\S*/gu) ?? [];
    if (box.width && box.top < innerHeight) n += words.length;
  }
  return n;
})()"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", WIDTHS, ids=lambda size: str(size[0]))
@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_broken_or_out_of_sight(browser, folder, name, size, language):
    dark = language == "zh"
    page = open_page(browser, folder, name, size, dark=dark, language=language)
    assert page.run("document.documentElement.scrollWidth") <= size[0]
    assert page.run(BROKEN) == []
    assert page.complaints() == [] and page.requests() == []
    sizes = page.run(
        "[...document.querySelectorAll('.dots svg text, .bars svg text')]"
        ".filter((node) => node.checkVisibility())"
        ".map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert min(sizes, default=10) >= 10
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_the_first_screen_has_one_sentence_and_few_words(browser, folder, name):
    page = open_page(browser, folder, name, (1280, 900), closed=True)
    assert (
        page.run("[...document.querySelectorAll('h1')].filter((x) => x.checkVisibility()).length")
        == 1
    )
    assert page.text("h1").strip().endswith(".")
    assert 0 < page.run(WORDS_IN_SIGHT) <= WORDS[name]
    page.close()


@pytest.mark.parametrize("name", PAGES)
def test_names_are_whole_in_the_picture(browser, folder, name):
    page = open_page(browser, folder, name, (390, 844))
    cut = page.run(
        "[...document.querySelectorAll('.dots .c-name, .example dt')]"
        ".filter((node) => node.scrollWidth > node.clientWidth + 1).length"
    )
    assert cut == 0
    page.close()


# Names on two lines that would fit on one.
CUT = """[...document.querySelectorAll(":is(h1, .sure, .facts, .next, tbody th) bdi")]
  .filter((node) => node.checkVisibility() && !node.closest(".unseen, .text"))
  .filter((node) => node.textContent.length < 20 && node.getBoundingClientRect().height
    > 1.9 * parseFloat(getComputedStyle(node).fontSize)).map((node) => node.textContent)"""


def test_names_with_hyphens_stay_whole(browser, tmp_path):
    names = ["GPT-4", "Gemini-1.5-Pro", "Claude-3.5"]
    systems = {name: outputs(k) for k, name in enumerate(names)}
    campaign = Campaign.from_lists(systems, REFS, source=SOURCE).score("celab")
    campaign.test(n_resamples=50).html(tmp_path / "named.html", lang="zh", command="celab score")
    for width in range(330, 430, 20):
        page = open_page(browser, tmp_path, "named", (width, 844))
        assert page.run(CUT) == []
        page.close()
