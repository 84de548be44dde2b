"""Length ratios: the same in JSON, tables, data frames and pages, and the lines about systems."""

import json
from pathlib import Path

import commands
import pytest
from scores_json import systems_of

import celab
from celab.findings.translations.screening import Lengths, length_line
from celab.systems import stored

REFS = [["买 一把雨伞。", "去北京"], ["买伞", " "]]  # mean lengths 4 and 3
SYSTEMS = {"A": ["买伞", "去 北\u3000京"], "both": ["买一把雨伞，买伞！", "到北京去，去北京。" * 2]}
RATIOS = {"A": 5 / 7, "both": 27 / 7}


def twin(texts, refs):
    """Return the ratio of all outputs, the obvious way."""
    sides = [[len("".join(text.split())) for text in side] for side in (texts, *refs)]
    n_outputs, *n_refs = sides
    means = [
        sum(present) / len(present) if (present := [n for n in column if n]) else 0
        for column in zip(*n_refs, strict=True)
    ]
    return sum(n_outputs) / sum(means)


def test_every_result_has_the_ratios():
    campaign = celab.Campaign.from_lists(SYSTEMS, REFS).score(["chrf", "celab"], lexicon=None)
    assert {name: twin(texts, REFS) for name, texts in SYSTEMS.items()} == pytest.approx(RATIOS)
    systems = {row["name"]: row["length_ratio"] for row in systems_of(campaign.to_dict())}
    assert systems == pytest.approx(RATIOS)
    frame = campaign.to_dataframe("pandas", level="system")
    assert frame["length_ratio"].tolist() == pytest.approx([*RATIOS.values()] * 2)
    frame = campaign.to_dataframe("pandas")
    assert frame["length_ratio"].tolist() == pytest.approx([2 / 4, 3 / 3, 9 / 4, 18 / 3] * 2)
    page = campaign.html()
    assert f'"length_ratio":[{RATIOS["A"]},{RATIOS["both"]}]' in page.replace(", ", ",")


def test_a_segment_without_a_reference_has_no_ratio():
    lengths = Lengths.of_texts({"A": ["去", "去"]}, [["", "北京"]])
    assert lengths.ratios("A") == [None, 0.5]
    assert Lengths.of_texts({"A": ["去"]}, [[" "]]).ratio("A") is None


def test_tables_of_the_command_have_a_column(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFS[0], **SYSTEMS}.items():
        Path(f"{name}.zh").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = ["-r", "ref.zh", "-s", "A.zh", "both.zh", "--lexicon", "none"]
    shown = commands.run("score", *files, "--details", "-m", "celab", "chrf", encoding="utf-8")
    headings = [line.split() for line in shown.stdout.splitlines() if "system" in line.split()]
    assert [line[-1] for line in headings[:2]] == ["length", "interval"]  # once
    rows = [line.split() for line in shown.stdout.splitlines() if "both" in line and "[" in line]
    assert rows[0][-1] == "3.00"
    batches = commands.run(
        "score", "ref.zh", "both.zh", "--segments", "--lexicon", "none", encoding="utf-8"
    )
    whole = commands.run("score", *files, "--segments", encoding="utf-8")
    assert [line.split("\t")[-1] for line in batches.stdout.splitlines()] == [
        *("length_ratio", "1.5", "6.0")
    ]
    rows = [line.split("\t") for line in whole.stdout.splitlines()]
    assert [row[-1] for row in rows if row[0] == "both"] == ["1.5", "6.0"]
    for done in (batches, whole):
        assert "both: outputs are 3.00 times as long as the references" in done.stderr


def test_a_line_names_the_limit_that_lowers_the_scores_of_long_outputs():
    campaign = celab.Campaign.from_lists(SYSTEMS, REFS).score("celab", lexicon=None)
    limited = celab.TeslaCelab(lexicon=None, length_limit=1.3).corpus_score(SYSTEMS["both"], REFS)
    advice = "--length-limit 1.3 lowers the scores of long outputs"
    assert [*campaign.length_lines()] == [
        f"both: outputs are 3.86 times as long as the references; {advice}"
    ]
    assert limited.score < campaign.scores["celab"]["both"].score
    for metric, settings in {"celab-recommended": {}, "celab": {"length_limit": 2}}.items():
        (line,) = campaign.score(metric, lexicon=None, **settings).length_lines()
        assert line == "both: outputs are 3.86 times as long as the references"


@pytest.mark.parametrize(
    ("ratio", "others", "said"),
    [
        (0.66, [], True),
        (0.68, [], False),
        (1.5, [0.9], False),
        (1.51, [], True),
        (1.25, [1.0, 1.02, 1.01], True),
        (1.25, [1.0, 1.02], False),  # too few to say what is usual
        (1.25, [1.1, 1.1, 1.1], False),
        (0.8, [1.0, 1.0, 1.0], True),
        (1.19, [0.7, 0.7, 0.7], False),  # the others are short
    ],
)
def test_systems_that_get_a_line(ratio, others, said):
    assert bool(length_line("A", (1000 * ratio, 1000), others)) == said
    assert not length_line("A", (10 * ratio, 10), others)  # a few characters
    assert not length_line("A", (1000 * ratio, 0), others)


def test_results_of_before_have_no_ratio_and_are_read(tmp_path):
    data = celab.Campaign.from_lists({"A": SYSTEMS["A"]}, REFS).score("chrf").to_dict()
    for ratio in ({"length_ratio": None}, {}, {"length_ratio": 1.5}):
        system = {k: v for k, v in data["system"][0].items() if k != "length_ratio"} | ratio
        (tmp_path / "a.json").write_text(json.dumps(data | {"system": [system]}), "utf-8")
        assert stored.read(tmp_path / "a.json", "")["system"] == [system]


@pytest.mark.parametrize(("n_output", "is_said"), [(24, False), (25, True)])
def test_a_difference_of_a_few_characters_says_nothing(n_output, is_said):
    assert bool(length_line("A", (n_output, 10))) == is_said
