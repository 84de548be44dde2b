"""The page of outputs that were checked: sentences, sections, data and what a file may be."""

import base64
import hashlib
import json
import re
from html import unescape

import pytest

import celab
from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.findings.finding import Findings
from celab.findings.references import MixedScripts, References
from celab.findings.references.shifts import Shift
from celab.findings.references.twins import Twins
from celab.findings.translations.outputs import Outputs, StreamedOutputs
from celab.report.html.check_page import remarks, sentences
from celab.report.html.page import translations

NASTY = "</script><script>document.title = 'run'</script><!-- & \" '"
REFS = ["他买了一把雨伞", "我们明天去北京", "今天的天气很好", "她在学校里读书", "请打开这个文件"]
SOURCE = ["He bought %s", "We go to Beijing", "Nice day", "She reads at school", "Open this file"]


def checked(systems=None, refs=REFS, source=SOURCE):
    systems = systems or {
        "A": ["他买了 %s", *REFS[1:]],
        "B": ["", "I cannot translate {0}.", *REFS[2:]],
    }
    segments = [Segment("", str(n + 1)) for n in range(5)]
    sides = [] if refs is None else [refs]
    corpus = Corpus(
        segments=segments,
        systems=systems,
        refs=sides,
        ref_names=["ref"] * len(sides),
        source=source,
    )
    return Outputs.of_corpus(corpus, "zh", filters=True, findings=True)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def said(result):
    return [str(sentence.text) for sentence in sentences(result)]


def test_sentences_say_what_was_found():
    assert said(checked())[:2] == [
        "2 of 10 outputs may not be translations, all by B: empty (1), refusal (1).",
        "1 output of B loses or adds what must survive: placeholder (1).",
    ]


@pytest.mark.parametrize(
    ("systems", "sentence"),
    [
        ({"A": REFS}, "All 5 outputs look like translations (10 kinds)."),
        ({"A": ["", *REFS[1:]]}, "1 of 5 outputs may not be a translation: empty, by A."),
        ({"A": ["", "", *REFS[2:]]}, "2 of 5 outputs may not be translations: empty (2)."),
        (
            {"A": ["", "", *REFS[2:]], "B": ["", *REFS[1:]]},
            "3 of 10 outputs may not be translations: empty (3); A has 2 of them.",
        ),
        (
            {"A": ["", *REFS[1:]], "B": ["", *REFS[1:]], "C": REFS},
            "2 of 15 outputs may not be translations: empty (2); A, B have 1 each.",
        ),
    ],
)
def test_sentences_on_kinds(systems, sentence):
    assert sentence in said(checked(systems))


def test_sentences_on_findings():
    three = {"A": ["甲", "乙 %s", "丙", *REFS[3:]], "B": ["甲 {0}", *REFS[1:]]}
    assert said(checked(three))[0] == (
        "3 outputs lose or add what must survive: placeholder (3); A has 2 of them."
    )
    assert said(checked({"A": ["甲", "乙 %s", *REFS[2:]]}))[0] == (
        "2 outputs of A lose or add what must survive: placeholder (2)."
    )
    nothing = "No placeholder or tag is lost or added, and no output is too long."
    assert nothing in said(checked({"A": ["%s", *REFS[1:]]}))


def test_what_must_be_fixed_is_first_and_there_are_no_zeros():
    page = checked({"A": REFS, "B": ["", *REFS[1:]], "C": ["", *REFS[1:]]}).html()
    assert page.index('id="outputs-heading"') < page.index('id="listing-heading"')
    table = re.search('id="kinds-of-outputs".*?</table>', page, re.S)[0]
    cells = re.findall(r"<th scope=\"(?:col|row)\"[^>]*>(?:<[^>]*>)*([^<]+)", table)
    assert cells == ["System", "empty", "B", "C"]
    assert 'id="kinds-of-outputs"' not in checked({"A": REFS}).html()


def test_without_a_source_or_a_reference_less_is_said():
    assert len(said(checked(source=None))) == 2
    assert said(checked({"A": ["", *REFS[1:]]}, refs=None)) == [
        "1 of 5 outputs may not be a translation: empty, by A.",
        "No placeholder or tag is lost or added, and no output is too long.",
    ]
    assert said(checked({"A": ["%s", *REFS[1:]]}, refs=None))[0] == (
        "All 5 outputs look like translations (8 kinds)."
    )


def test_the_gravest_remark_about_references_is_said():
    result = checked({"A": REFS})
    assert said(result)[1] == (
        "ref and the outputs of A are equal in 5 of 5 segments: is the reference given as a system?"
    )
    page = result.html()
    assert 'href="#sides-heading"' in page and "References made from outputs" in page


@pytest.mark.parametrize(
    ("remark", "sentence"),
    [
        (
            Shift(name="a", reference="r", offset=1, first=3, last=9, is_to_end=True),
            "a fits r one segment later from segment 3 on: is one",
        ),
        (
            Shift(name="a", reference="r", offset=1, first=3, last=9, is_to_end=False),
            "a fits r one segment later from segment 3 to 9: is",
        ),
        (
            Shift(name="a", reference="r", offset=-1, first=3, last=9, is_to_end=True),
            "a fits r one segment earlier from segment 3 on: is",
        ),
        (
            Shift(name="a", reference="r", offset=-1, first=3, last=9, is_to_end=False),
            "a fits r one segment earlier from segment 3 to 9:",
        ),
        (
            Shift(name="a", reference="r", offset=0, first=1, last=9, is_to_end=True),
            "Most segments of a fit others of r better: are they in another order?",
        ),
        (Twins("references", ("a", "b"), 5, 6), "References a and b are equal in 5 of 6 segments"),
        (Twins("systems", ("a", "b"), 5, 6), "Systems a and b are equal in 5 of 6 segments: are"),
        (MixedScripts("r", "Simplified", ("a",), "Traditional"), "a: Traditional characters,"),
        (MixedScripts("r", "Traditional", ("a",), "Simplified"), "a: Simplified characters,"),
    ],
)
def test_every_remark_is_a_sentence(remark, sentence):
    field = {Shift: "shifts", Twins: "twins", MixedScripts: "scripts"}[type(remark)]
    noticed = References(**{field: (remark,)})
    result = Outputs(
        n_segments=5,
        has_source=False,
        table=Findings((), ("a",), (), ()),
        reference_problems=noticed,
    )
    (text,) = remarks(result)
    assert text.startswith(sentence)


def test_only_texts_that_are_listed_are_in_the_page():
    data = data_of(checked().html())
    assert data["hyps"] == [{}, {"0": "", "1": "I cannot translate {0}."}]
    nothing = checked({"A": REFS}).html()
    assert "celab check: A" in nothing
    assert data["source"] == {"0": SOURCE[0], "1": SOURCE[1]}
    assert data["findings"] == [
        {"check": "outputs", "kind": "empty", "rows": "40"},
        {"check": "outputs", "kind": "refusal", "rows": "10"},
        {"check": "markup", "kind": "placeholder", "rows": [3], "span": [[19, 22]]}
        | {"text": ["{0}"], "note": ["added"]},
    ]


def test_nothing_becomes_markup_and_only_the_own_script_runs():
    result = checked({NASTY: [NASTY, *REFS[1:]]}, source=[f"%s {NASTY}", *SOURCE[1:]])
    page = result.html()
    assert page.count("<script") == 2 and "document.title = 'run'</script>" not in page
    script = re.search("<script>(.*?)</script>", page, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = unescape(re.search('Content-Security-Policy" content="([^"]*)"', page)[1])
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert data_of(page)["systems"] == [NASTY]


def test_it_is_written_in_either_language(tmp_path):
    path = tmp_path / "check.html"
    assert checked().html(path, report_lang="zh") == str(path)
    page = path.read_text("utf-8")
    assert '<html lang="zh-CN">' in page and "10 条译文中有 2 条可能不是译文" in re.sub(
        "<[^>]*>", "", page
    )
    said = {unescape(text) for text in re.findall(r'data-say="([^"]*)"', page)}
    assert {text for text in said if re.search("[A-Za-z]{2}", text)} <= set(translations("zh"))


def test_it_replaces_no_text_that_was_read(tmp_path):
    for name, lines in (("ref", REFS), ("hyp", REFS)):
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    corpus = celab.Campaign.read(tmp_path / "ref", tmp_path / "hyp").corpus
    result = Outputs.of_corpus(corpus)
    for name in ("ref", "hyp"):
        with pytest.raises(InputError):
            result.html(tmp_path / name)


def test_outputs_of_a_stream_have_no_page():
    with pytest.raises(InputError):
        StreamedOutputs("zh").add_batch(["甲"], [["甲"]]).html()


def test_json_and_equality_are_of_the_findings_alone():
    result = checked()
    assert {"corpus", "lang"}.isdisjoint(result.to_dict())
    assert result == checked()


def test_outputs_of_a_campaign_have_their_findings_on_the_page():
    campaign = celab.Campaign.from_lists(
        {"A": ["他买了伞"]}, ["他买了 %s"], source=["He bought %s"]
    )
    outputs = campaign.score("chrf").outputs
    assert outputs.findings == ()
    (found,) = data_of(outputs.html())["findings"]
    assert (found["kind"], found["text"]) == ("placeholder", ["%s"])
