"""The table of findings, and a check that is added at run time: it is found everywhere."""

import json
import re
import sys
from types import ModuleType

import pytest
from conftest import ROOT

import celab
from celab.cli.main import main
from celab.findings.finding import (
    PRODUCERS,
    Check,
    Entry,
    Finding,
    FindingKind,
    Findings,
    Needs,
    Producer,
    Subject,
)
from celab.findings.markup import MARKUP
from celab.findings.translations import CHECKS
from celab.serve import answers

REFS = ["买雨伞", "去北京", "他说什么？"]
OUTPUTS = {"A": ["买雨伞，", "去北京", "他说什么"], "B": ["买雨伞", "去北京", "他说什么?!"]}
SOURCE = ["Buy an umbrella", "Go to Beijing", "What does he say?"]
NAME, MEANING = "ends-in-comma", "the output ends in a comma"


@pytest.fixture
def comma(monkeypatch):
    check = Check(
        name=NAME,
        meaning=MEANING,
        rule=lambda output, expected: (
            "fullwidth" if output.endswith("，") else output.endswith(",")
        ),
        needs=Needs.NOTHING,
        chinese=("以逗号结尾", "译文以逗号结尾"),
    )
    monkeypatch.setitem(CHECKS, NAME, check)
    return check


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, lines in {"ref": REFS, "src": SOURCE, **OUTPUTS}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return ["-r", "ref.txt", "-s", "A.txt", "B.txt", "--source", "src.txt"]


def run(capsys, *words):
    code = main([*words])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_row_makes_a_check_of_the_command(comma, files, capsys):
    code, out, _ = run(capsys, "check", *files)
    sentence, _, heading, first = out.splitlines()[:4]
    assert code == 0 and sentence == f"1 of 6 outputs may not be a translation: {NAME}, by A."
    assert (heading.split(), first.split()) == (["system", NAME], ["A", "1"])
    assert (
        "A\t1\tends-in-comma\t买雨伞，\tfullwidth\n"
        in run(capsys, "check", *files, "--segments")[1]
    )
    listed = run(capsys, "check", *files, "--segments", "--markdown")[1]
    assert f"| A | 1 | {NAME} | 买雨伞， | fullwidth |" in listed
    data = json.loads(run(capsys, "check", *files, "--json")[1])
    row = {"segment": 1, "kind": NAME, "text": "买雨伞，", "form": "fullwidth"}
    assert data["finding"] == [{"system": "A", **row}]
    assert [row[NAME] for row in data["system"]] == [1, 0]
    for command in (["check"], ["score", "-m", "chrf"]):
        code, _, err = run(capsys, *command, *files, "--fail-on", NAME)
        assert code == 1 and f"gate failed: 1 finding: A 1 {NAME}" in err
    scored = json.loads(run(capsys, "score", *files, "--json", "-m", "chrf")[1])
    assert scored["output"][0]["kind"] == NAME
    assert (
        f"A: 1 of 3 outputs may not be a translation (1 {NAME})"
        in run(capsys, "score", *files, "-m", "chrf")[2]
    )


def test_a_row_makes_a_check_of_python_pages_and_the_server(comma):
    checked = celab.check(OUTPUTS, REFS, SOURCE)
    assert checked.kinds("A") == {NAME: [0]}
    assert checked.to_dataframe()["kind"].to_list() == [NAME]
    assert checked.to_dataframe(level="system")[NAME].to_list() == [1, 0]
    for page in (checked.html(), celab.Campaign.from_lists(OUTPUTS, REFS).score("chrf").html()):
        assert MEANING in page and "译文以逗号结尾" in page
        assert re.search(rf'"{NAME}"', page)  # in the data of the filters
    assert answers.score("买雨伞，", ["买雨伞"], {})["output"] == NAME


def test_a_row_makes_a_check_of_markup(monkeypatch, files, capsys):
    def compare(pair):
        return [x for x in "?？" if x in pair.source and x not in pair.output], []

    check = Check(
        name="question", meaning="a question mark is lost", rule=compare, needs=Needs.SOURCE
    )
    monkeypatch.setitem(MARKUP, "question", check)
    for command in (["check"], ["score", "-m", "chrf"]):  # which asks it for the gate alone
        code, _, err = run(capsys, *command, *files, "--fail-on", "question")
        assert code == 1 and "gate failed: 1 finding: A 1 question" in err
    assert "A\t3\tquestion\t他说什么\t\t?\t\n" in run(capsys, "check", *files, "--segments")[1]


@pytest.fixture
def doubled(monkeypatch):
    def find(subject):
        for system, outputs in subject.corpus.systems.items():
            for place, output in enumerate(outputs):
                if signs := re.findall(r"[?!？！]{2}", output):
                    yield Finding(system, place, "", "doubled-sign", text=output, note=signs[0])

    kind = FindingKind(
        name="doubled-sign", meaning="signs in a row", chinese=("重复标点", "标点连用")
    )
    module = ModuleType("punctuation_producer")
    module.PRODUCER = Producer(
        name="punctuation",
        title="Punctuation",
        kinds={kind.name: kind},
        find=find,
        chinese={"Punctuation": "标点"},
    )
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(PRODUCERS, "punctuation", Entry(module.__name__))


def test_a_line_makes_a_producer_of_commands(doubled, files, capsys):
    code, out, _ = run(capsys, "check", *files)
    assert code == 0 and re.search(r"^system +doubled-sign$", out, re.MULTILINE)
    listed = run(capsys, "check", *files, "--segments")[1]
    assert "B\t3\tdoubled-sign\t他说什么?!\t?!" in listed
    found = json.loads(run(capsys, "check", *files, "--json")[1])["finding"]
    row = {"system": "B", "segment": 3, "kind": "doubled-sign", "text": "他说什么?!"}
    assert found == [row | {"form": "?!"}]
    code, _, err = run(capsys, "check", *files, "--fail-on", "doubled-sign")
    assert code == 1 and "gate failed: 1 finding: B 1 doubled-sign" in err
    err = run(capsys, "score", *files, "-m", "chrf")[2]
    assert "Punctuation: B 1 doubled-sign; see celab check --segments" in err
    compare = ["compare", *files, "--json", "-m", "chrf", "--fail-on", "doubled-sign"]
    code, out, err = run(capsys, *compare)
    assert code == 1 and "1 finding: B 1 doubled-sign, where A has none of that kind" in err
    compared = json.loads(out)
    rows = [(row["system"], row["segment"], row["kind"]) for row in compared["finding"]]
    assert rows == [("B", 3, "doubled-sign")]


def test_a_line_makes_a_producer_of_python_pages_and_the_server(doubled):
    checked = celab.check(OUTPUTS, REFS, SOURCE)
    scored = celab.Campaign.from_lists(OUTPUTS, REFS).score("chrf")
    assert checked.to_dataframe()["kind"].to_list() == ["doubled-sign"]
    assert scored.findings().count("check", "kind") == {("punctuation", "doubled-sign"): 1}
    for page in (checked.html(), scored.html()):
        assert all(text in page for text in ("Punctuation", "标点连用", "signs in a row"))
        assert re.search(r'"check":"punctuation","kind":"doubled-sign",.*"note":\["\?!"\]', page)
    assert answers.score("买雨伞！！", ["买雨伞"], {})["findings"] == ["doubled-sign"]


def test_differences_are_findings_on_request():
    scored = celab.Campaign.from_lists({"A": ["他买了伞", ""]}, ["他买了雨伞", "去"]).score("chrf")
    rows = scored.findings(differences=True).of("differences").rows
    assert [(x.segment, x.kind, x.value) for x in rows] == [(0, "omitted", 1), (1, "omitted", 1)]


def test_what_is_there_is_all_that_is_needed_or_not():
    corpus = celab.Campaign.from_lists({"A": OUTPUTS["A"]}, REFS).corpus
    subject = Subject(corpus=corpus, glossary=object())
    assert subject.has(Needs.NOTHING) and subject.has(Needs.REFERENCE | Needs.GLOSSARY)
    assert not subject.has(Needs.SOURCE) and not subject.has(Needs.TEXTS)
    assert not subject.has(Needs.REFERENCE | Needs.SPANS)


def test_a_check_has_a_rule():
    with pytest.raises(TypeError):
        Check(name="x", meaning="a check without a rule")


def test_names_of_kinds_differ(monkeypatch, files, capsys):
    monkeypatch.setitem(
        CHECKS, "tags", Check(name="tags", meaning="a second one", rule=lambda *_: False)
    )
    with pytest.raises(ValueError):
        celab.check(OUTPUTS, REFS, SOURCE)


ROWS = (
    Finding("A", 0, "outputs", "empty"),
    Finding("A", 1, "outputs", "empty"),
    Finding("B", 1, "outputs", "empty"),
    Finding("B", 1, "terms", "missed", note="GPU"),
)
TABLE = Findings(
    ROWS,
    ("A", "B", "C"),
    ["x", "y"],
    (
        FindingKind(name="empty", meaning="no text", check="outputs"),
        FindingKind(name="missed", meaning="a miss", check="terms"),
    ),
)


def test_all_verdicts_have_a_column_and_other_kinds_if_they_were_found():
    kinds = [FindingKind(name=name, meaning="") for name in ("empty", "refusal")]
    kinds += [FindingKind(name=name, meaning="", verdict=False) for name in ("missed", "forbidden")]
    table = Findings(ROWS, ("A",), ["x", "y"], tuple(kinds)).table()
    assert [*table.values()] == ["system", "empty", "refusal", "missed"]


def test_counts_filters_and_differences():
    assert TABLE.count("kind") == {"empty": 3, "missed": 1}
    assert TABLE.count("system", "check") == {
        ("A", "outputs"): 2,
        ("B", "outputs"): 1,
        ("B", "terms"): 1,
    }
    assert TABLE.where(system=["A", "C"], segment=1).rows == ROWS[1:2]
    assert TABLE.of("terms").rows == ROWS[3:] and TABLE.of("outputs", verdict=False).rows == ()
    assert TABLE.difference("A", "B").rows == ROWS[:1]
    assert TABLE.difference("C", "A").rows == ()
    assert TABLE.of_one("A", "B").rows == (ROWS[0], ROWS[3])
    assert TABLE.segments("A") == {"empty": ["x", "y"]} and TABLE.segments("C") == {}


def test_outlets_have_the_names_of_segments():
    rows = [[*row.values()] for row in TABLE.table().records()]
    assert rows == [["A", 2, 0], ["B", 1, 1], ["C", 0, 0]]
    frame = TABLE.to_dataframe()
    assert frame["segment"].to_list() == ["x", "y", "y", "y"]
    assert frame["check"].to_list()[-1] == "terms"
    assert TABLE.to_dataframe(level="system")["missed"].to_list() == [0, 1, 0]
    assert TABLE.to_dict()["finding"][3]["segment"] == "y"


def test_a_gate_of_findings():
    assert TABLE.gate(["missed"]).reason == "1 finding: B 1 missed"
    assert not TABLE.where(system="A").gate(["missed"]).failed
    with pytest.raises(celab.OptionError):
        TABLE.gate(["mised"])


CAMPAIGN = ROOT / "examples" / "campaign"


@pytest.fixture(scope="module")
def terms():
    files = sorted((CAMPAIGN / "systems").glob("*.zh"))
    corpus = celab.corpus.read([CAMPAIGN / "ref.zh"], files, source=CAMPAIGN / "src.en")
    return celab.terms(CAMPAIGN / "glossary.tsv", corpus)


def test_misses_and_forbidden_terms_are_findings(terms):
    for figures in terms.systems:
        counts = terms.table.where(system=figures.name).count("kind")
        assert counts["missed"] == figures.occurrences - figures.right
        assert counts["forbidden"] == figures.forbidden


@pytest.mark.parametrize(
    ("least", "failed"), [(0.0, False), (0.2413, False), (0.2415, True), (1.0, True)]
)
def test_a_gate_of_the_accuracy_of_terms(terms, least, failed):
    gate = terms.gate(least=least)
    assert gate.failed is failed
    assert terms.gate(["missed"], least=0.0).reason.endswith("small 9 missed")


def test_a_comparison_has_what_only_one_system_has():
    scored = celab.Campaign.from_lists({"A": ["", "去", ""], "B": ["", "", "他"]}, REFS).score(
        "chrf"
    )
    compared = scored.compare("A", "B")
    rows = compared.to_dict()["finding"]
    assert [(row["system"], row["segment"]) for row in rows] == [("A", 3), ("B", 2)]
    same = celab.compare(REFS, REFS, REFS, "chrf")
    assert not same.findings and "finding" not in same.to_dict()


def test_what_is_noticed_about_references_is_a_finding(tmp_path, monkeypatch, capsys):
    lines = [f"第{n}天早上，他们带着{n * 7}把雨伞去了火车站，然后坐车去北京。" for n in range(12)]
    (tmp_path / "ref.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "A.txt").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    code, _, err = run(capsys, "check", "ref.txt", "A.txt", "--fail-on", "twin,shifted")
    assert code == 1 and "gate failed: 1 finding: A 1 twin" in err
    checked = celab.check({"A": lines}, lines)
    assert checked.table.of("references").count("kind")["reference-copy"] == 12
    assert len(checked.to_dataframe()) == 0  # nothing about outputs themselves
