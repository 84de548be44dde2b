"""The report in Chinese: as it is written, after the switch, and after the switch back."""

from dataclasses import replace

import opening
import pytest
import reports
from campaigns import run
from opening import metric
from reports import REFS

from celab import Mean, TeslaCelab
from celab.corpus import Corpus, Segment
from celab.metrics.baselines import Chrf, Ter
from celab.report.html import campaign_page

pytestmark = pytest.mark.browser

GOOD = [*reports.GOOD[:2], "图", *reports.GOOD[3:]]
BAD = [*reports.BAD[:2], "", *reports.BAD[3:]]
SYSTEMS = {"甲": GOOD, "乙": BAD, "丙": REFS, "丁": REFS[::-1], "戊": GOOD[1:] + GOOD[:1]}
SOURCE = ["源文"] * 5
# What may stay: names of metrics, formats, keys and programs.
NAMES = ["TESLA-CELAB", "TESLA-M", "chrF2", "TER", "Mean", "TSV", "Markdown", "LaTeX", "SVG", "PNG"]
NAMES += [
    "WMT24",
    "URL",
    "Tab",
    "Esc",
    "celab",
    "mean",
    "bootstrap",
    "EN",
    "Python",
    "n-gram",
    "JSON",
]
STAY = (
    "noscript, code, pre, kbd, script, style, .signature code, .equation .fraction, small[lang=en],"
    " .unmatched dd"
)
ENGLISH = """((names, stay) => {
  const english = [];
  const look = (text, node) => {
    for (const name of names) text = text.replaceAll(name, "");
    if (/[A-Za-z]{2,}/.test(text)) english.push(`${text.trim()} in ${node.outerHTML.slice(0, 80)}`);
  };
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    if (!node.parentElement.closest(stay)) look(node.textContent, node.parentElement);
  for (const node of document.querySelectorAll("[title], [aria-label], [placeholder]"))
    for (const name of ["title", "aria-label", "placeholder"])
      look(node.getAttribute(name) ?? "", node);
  return english;
})"""
VIEWS = [
    "",
    "a=甲&b=乙&sort=apart&by=document&bucket=document:0&min=0&least=0.01&search=天",
    "a=甲&b=乙&box=0,1,0,1&by=score",
    "a=甲&b=甲",
    "search=无",
    "a=甲&b=乙&segment=1&system=甲",
    "segment=3&system=乙",
    "metric=chrf&segment=1",
    "metric=ter&segment=1",
    "metric=mean&segment=1&system=甲",
]


@pytest.fixture(scope="module")
def metrics(metric):
    mean = Mean([metric, TeslaCelab(max_order=2, weights="information")])
    return {"celab": metric, "chrf": Chrf(), "ter": Ter(), "mean": mean}


@pytest.fixture(scope="module")
def campaign(metrics):
    segments = [Segment("文一" if i < 3 else "文二", str(i + 1), "新闻") for i in range(5)]
    corpus = Corpus(
        segments=segments,
        systems=SYSTEMS,
        refs=[REFS, GOOD],
        ref_names=["参考一", "参考二"],
        source=SOURCE,
    )
    corpus = replace(corpus, n_left_out=2)
    return run(metrics, corpus, n_resamples=50)


@pytest.fixture(scope="module")
def folder(campaign, metrics, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for language in ("en", "zh"):
        page = campaign_page(campaign, metrics, explained=20, lang="zh", report_lang=language)
        (folder / f"{language}.html").write_text(page, "utf-8")
    return folder


@pytest.fixture
def opened(browser, folder):
    with opening.report_pages(browser) as open_page:
        yield lambda language, state="": open_page((folder / f"{language}.html").as_uri(), state)


def open_all(page):
    """Open everything that can be opened, and point at what shows more."""
    opening.complete(page)
    page.run("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
    page.until("![...document.querySelectorAll('.only-one')].some((x) => x.children.length < 3)")
    page.run("document.querySelectorAll('details').forEach((x) => { x.open = true; })")
    page.run(
        "document.querySelectorAll('.histogram g, .matrix button').forEach((x) =>"
        " x.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})))"
    )
    page.run("dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint'))")


def english(page):
    open_all(page)
    return page.run(f"{ENGLISH}({NAMES}, {STAY!r})")


@pytest.mark.parametrize("state", VIEWS)
def test_the_chinese_page_has_no_english(opened, state):
    page = opened("zh", state)
    assert page.run("document.documentElement.lang") == "zh-CN"
    assert english(page) == []


def test_words_are_explained_in_chinese(browser, tmp_path):
    pytest.importorskip("jieba", reason="Chinese words need jieba")
    from celab import TeslaM

    metrics = {"tesla-m": TeslaM(lang="zh")}
    corpus = Corpus(
        segments=[Segment("", "1")],
        systems={"甲": [GOOD[0]], "乙": [BAD[0]]},
        refs=[REFS[:1]],
        ref_names=["参考"],
    )
    page = campaign_page(run(metrics, corpus, n_resamples=50), metrics, lang="zh", report_lang="zh")
    path = tmp_path / "words.html"
    path.write_text(page, "utf-8")
    opened = browser.open(f"{path.as_uri()}#segment=1&system=甲")
    opened.until("document.querySelector('.stacked')")
    # Tags of words are names.
    assert [text for text in english(opened) if "/ " not in text] == []
    assert opened.complaints() == []
    opened.close()


@pytest.mark.parametrize("flags", [None, {"celab": ["--f", "0.5"]}])
def test_one_system_without_explanations_is_chinese_too(browser, metric, tmp_path, flags):
    segments = [Segment("", str(i + 1)) for i in range(5)]
    corpus = Corpus(segments=segments, systems={"甲": GOOD}, refs=[REFS], ref_names=["参考"])
    corpus = replace(corpus, ref_files=["r.zh"], system_files={"甲": "h.zh"})
    metrics = {"celab": metric}
    page = campaign_page(
        run(metrics, corpus), metrics, explained=0, lang="zh", flags=flags, report_lang="zh"
    )
    path = tmp_path / "one.html"
    path.write_text(page, "utf-8")
    opened = browser.open(f"{path.as_uri()}#segment=1")
    opened.until("document.querySelector('.inner .against')")
    assert english(opened) == []
    assert opened.text("header p").strip() == "celab: 甲 · 5 个句段 · 1 份参考译文"
    assert opened.complaints() == []
    opened.close()


def everything(page):
    """Return all texts and attributes of the page that a reader sees or hears."""
    open_all(page)
    return page.run(
        "[document.title, document.body.innerText.replace(/\\s+/g, ' '),"
        " ...[...document.querySelectorAll('[title], [aria-label], [placeholder]')].map((x) =>"
        " ['title', 'aria-label', 'placeholder'].map((name) => x.getAttribute(name)).join())]"
    )


@pytest.mark.parametrize("state", ["", "a=甲&b=乙&segment=1&system=甲"])
def test_the_switch_makes_the_page_that_would_have_been_written(opened, state):
    written = {language: everything(opened(language, state)) for language in ("en", "zh")}
    assert written["en"] != written["zh"]
    for language, other in (("en", "zh"), ("zh", "en")):
        page = opened(language, state)
        page.run(f"document.querySelector('[data-language={other}]').click()")
        page.until(f"location.hash.includes('page={other}')")
        assert everything(page) == written[other]
        page.run(f"document.querySelector('[data-language={language}]').click()")
        page.until("!location.hash.includes('page=')")
        assert everything(page) == written[language]


def test_the_language_is_kept_in_the_url(opened):
    page = opened("en", "page=zh&a=甲&sort=segment")
    assert page.run("document.documentElement.lang") == "zh-CN"
    assert page.text("#count") == "5 个句段"
    assert page.run("document.querySelector('[aria-pressed=true][data-language]').lang") == "zh-CN"
    page.click(".row")
    page.until("location.hash.includes('segment=1')")
    assert "page=zh" in page.run("location.hash")
    page.press("Escape")
    page.until("!location.hash.includes('segment=')")
    page.click("#chips [type=reset]")
    page.until("!location.hash.includes('a=')")
    assert "page=zh" in page.run("location.hash")
    assert page.run("document.documentElement.lang") == "zh-CN"


def test_what_was_open_stays_open(opened):
    page = opened("en")
    page.click(".only-one > summary")
    page.until("document.querySelector('.only-one table')")
    page.click("[data-language=zh]")
    page.until("document.querySelector('.only-one table')")
    assert page.text(".only-one > summary") == "参考译文中只有一方译出的 n-gram"


def test_both_pages_are_about_as_large(folder, campaign, metrics):
    english, chinese = ((folder / f"{x}.html").stat().st_size for x in ("en", "zh"))
    assert abs(english - chinese) < 8_000
