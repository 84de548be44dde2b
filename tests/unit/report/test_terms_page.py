"""The page of a glossary: sentences, the report's section of terms, data and hostile texts."""

import json
import re
from html import unescape

import pytest

import celab
from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.report.html.findings import findings_in
from celab.report.html.page import translations
from celab.report.html.terms_page import sentences

NASTY = "</script><script>document.title = 'run'</script>"
SOURCE = ["A GPU is fast.", "It has two servers.", "The GPU is new.", "A server."] * 6
GOOD = ["显卡很快。", "它有两台服务器。", "显卡是新的。", "一台服务器。"] * 6
BAD = ["处理器很快。", "它有两台主机。", "显卡是新的。", "一台服务器。"] * 6
GLOSSARY = "source\ttarget\tforbidden\nGPU\t显卡\nserver\t服务器\t主机\n"


def result_of(systems, folder, glossary=GLOSSARY, n=24, refs=GOOD, document="d"):
    path = folder / "glossary.tsv"
    path.write_text(glossary, "utf-8")
    segments = [Segment(document, str(k + 1)) for k in range(n)]
    texts = {name: lines[:n] for name, lines in systems.items()}
    corpus = Corpus(
        segments=segments, systems=texts, refs=[refs[:n]], ref_names=["ref"], source=SOURCE[:n]
    )
    return celab.terms(path, corpus, source_lang="en")


@pytest.fixture
def result(tmp_path):
    return result_of({"B": BAD, "A": GOOD}, tmp_path)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def said(result):
    data = data_of(result.html())
    return [str(sentence.text) for sentence in sentences(result, data)]


def test_sentences_say_what_was_found(result):
    first, second, third = said(result)
    assert re.fullmatch(
        r"A renders 24 of 24 occurrences as the glossary says \(1\.0000\), significantly more than"
        r" B \(0\.\d{4}; p [=<] 0\.\d+\)\.",
        first,
    )
    assert re.fullmatch(r"(GPU|server) is missed most often, in \d+ of \d+ places.*", second)
    assert third == "Uses of forbidden terms: 6, of which B has 6."


def test_other_verdicts(tmp_path):
    lead = "A renders 24 of 24 occurrences as the glossary says (1.0000)"
    alone, none = said(result_of({"A": GOOD}, tmp_path))
    assert (alone, none) == (f"{lead}.", "No occurrence is missed.")
    assert said(result_of({"A": GOOD, "B": GOOD}, tmp_path))[0] == f"{lead}, as many as B."
    three = {"A": GOOD, "B": GOOD, "C": GOOD}
    assert said(result_of(three, tmp_path))[0] == f"{lead}, as many as B, C."
    few = said(result_of({"A": GOOD, "B": BAD}, tmp_path, n=4))[0]
    assert few.endswith("fewer than 20 segments have a term, no verdict.")
    near = [GOOD[0], GOOD[1], "处理器是新的。", *GOOD[3:]]
    assert (
        ", but not significantly more than B (0.9583; p "
        in said(result_of({"A": GOOD, "B": near}, tmp_path))[0]
    )
    once = ["显卡很快。", "它有两台主机。", *GOOD[2:]]
    assert said(result_of({"A": once}, tmp_path))[2] == "A forbidden term is used once, by A."


def test_several_renderings_are_said_if_none_is_forbidden(tmp_path):
    glossary = "GPU\t显卡|图形处理器\nserver\t服务器\n"
    varied = ["图形处理器很快。", *GOOD[1:]]
    result = result_of({"A": varied, "B": GOOD}, tmp_path, glossary)
    assert said(result)[-1] == "A renders 1 of 2 repeated terms in several ways within a document."
    tied = result_of({"A": varied, "B": varied}, tmp_path, glossary)
    shown = "A, B each render 1 of their repeated terms in several ways within a document."
    assert said(tied)[-1] == shown


def test_the_best_system_is_first_and_the_section_is_the_reports(result):
    page = result.html()
    data = data_of(page)
    assert data["systems"] == ["A", "B"]
    number = [term for term, _ in data["glossary"]].index("server")
    found = [x for x in findings_in(data) if x.value == number]
    assert [(x.kind, x.note) for x in found[:2]] == [("right", "服务器"), ("forbidden", "主机")]
    assert 'id="terms-of-systems"' in page and 'id="concordance"' in page
    assert "forbidden" in {x.kind for x in findings_in(data) if (x.system, x.segment) == (1, 1)}
    assert set(data["hyps"][0]) == {str(k) for k in range(24)}
    parts = re.findall(r'<summary id="([\w-]+)-heading">', page)
    assert parts == ["accuracy", "terms", "listing", "notes"]


def test_nothing_becomes_markup(tmp_path):
    lines = [NASTY, *GOOD[1:]]
    page = result_of({NASTY: lines}, tmp_path, f"GPU\t显卡|{NASTY}\n", document=NASTY).html()
    assert page.count("<script") == 2
    assert data_of(page)["systems"] == [NASTY]


def test_everything_has_its_chinese(result):
    page = result.html(report_lang="zh")
    texts = {unescape(text) for text in re.findall(r'data-say="([^"]*)"', page)}
    texts |= {
        json.loads(unescape(record))[1] for record in re.findall(r'data-says="([^"]*)"', page)
    }
    assert {text for text in texts if re.search("[A-Za-z]{2}", text)} <= set(translations("zh"))
    assert "按术语表翻译" in page and '<html lang="zh-CN">' in page


def test_it_replaces_neither_glossary_nor_text(result):
    with pytest.raises(InputError):
        result.html(result.glossary)
