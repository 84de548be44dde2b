"""Fixtures: small pages of `celab check` and `celab terms`."""

import pytest
from reports import IMAGE, SCRIPT

import celab
from celab.corpus import Corpus, Segment
from celab.corpus.model import InlineCodes
from celab.findings.translations.outputs import Outputs

REFS = ["他买了一把雨伞", "我们明天去北京", "今天的天气很好", "她在学校里读书", "请打开文件"] * 2
SOURCE = ["He bought %s", "We go <b>now</b>", "Nice day", "She reads.", "Open this file"] * 2
GOOD = ["他买了 %s", "我们<b>现在</b>去", *REFS[2:5]] * 2
BAD = ["", "我们去", "I cannot translate that.", IMAGE, "打开" * 400, "他买了{0}", *REFS[6:]]


@pytest.fixture(scope="module")
def check_address(tmp_path_factory):
    segments = [Segment("first" if k < 5 else "second", str(k + 1)) for k in range(10)]
    codes = InlineCodes([("<g>",), *[()] * 9], {"good": [()] * 10, SCRIPT: [()] * 10})
    systems = {"good": GOOD, SCRIPT: BAD}
    corpus = Corpus(
        segments=segments,
        systems=systems,
        refs=[REFS],
        ref_names=["ref"],
        source=SOURCE,
        codes=codes,
    )
    path = tmp_path_factory.mktemp("page") / "check.html"
    Outputs.of_corpus(corpus, "zh", filters=True, findings=True).html(path)
    return path.as_uri()


@pytest.fixture(scope="module")
def terms_address(tmp_path_factory):
    segments = [Segment("d", str(k + 1)) for k in range(60)]
    source = [f"The region {IMAGE} of the server" if k else "A region" for k in range(60)]
    right, wrong = ["服务器的地域"] * 60, ["服务器的区域"] * 60
    corpus = Corpus(
        segments=segments,
        systems={"good": right, SCRIPT: wrong},
        refs=[right],
        ref_names=["ref"],
        source=source,
    )
    folder = tmp_path_factory.mktemp("page")
    glossary = folder / "glossary.tsv"
    glossary.write_text("source\ttarget\tforbidden\nregion\t地域\t区域\nserver\t服务器\n", "utf-8")
    celab.terms(glossary, corpus, source_lang="en").html(folder / "terms.html")
    return (folder / "terms.html").as_uri()
