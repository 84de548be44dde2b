"""One glossary, one accuracy: the function, the campaign and the three commands agree."""

import json
import re
from pathlib import Path

import commands
import pytest
from conftest import ROOT
from scores_json import systems_of

import celab

FOLDER = ROOT / "examples" / "terms"
FILES = ["-r", str(FOLDER / "ref.zh"), "-s", *(str(FOLDER / f"{name}.zh") for name in "AB")]
GLOSSARY = str(FOLDER / "glossary.tsv")
# The part of a page that has the command line.
COMMAND = r'<p><span data-say="The command:">.*?</div>\n'


def printed(command, *words):
    done = commands.run(command, *words, "--json", "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def from_function(source):
    files = [FOLDER / "ref.zh"], [FOLDER / "A.zh", FOLDER / "B.zh"]
    campaign = celab.Campaign.read(*files, source=source)
    result = celab.terms(GLOSSARY, campaign)
    return {f.name: (f.accuracy, f.interval) for f in result.systems}, result


def from_campaign(source):
    files = [FOLDER / "ref.zh"], [FOLDER / "A.zh", FOLDER / "B.zh"]
    campaign = celab.Campaign.read(*files, source=source).score("chrf").add_terms(GLOSSARY)
    scores = campaign.scores["terms"]
    tested = campaign.test()
    return {name: (score.score, tested.interval("terms", name)) for name, score in scores.items()}


def from_terms(source):
    data = printed("terms", GLOSSARY, *FILES, *source)
    return {f["system"]: (f["accuracy"], (f["low"], f["high"])) for f in data["system"][:2]}


def from_score(source):
    data = printed("score", *FILES, *source, "-m", "chrf", "--terms", GLOSSARY)
    figures = {system["name"]: system["metrics"]["terms"] for system in systems_of(data)}
    return {name: (f["score"], tuple(f["interval"])) for name, f in figures.items()}


def from_compare(source):
    data = printed("compare", *FILES, *source, "-m", "chrf", "--terms", GLOSSARY)
    return next(row for row in data["metric"] if row["metric"] == "terms")


@pytest.mark.parametrize("has_source", [True, False])
def test_every_door_gives_the_same_accuracy(has_source):
    path = FOLDER / "src.en" if has_source else None
    flags = ["--source", str(path)] if has_source else []
    expected, result = from_function(path)
    assert result.rule == ("source" if has_source else "reference")
    assert from_campaign(path) == from_terms(flags) == from_score(flags) == expected
    compared = from_compare(flags)
    assert (compared["a"], compared["b"]) == (expected["A"][0], expected["B"][0])
    assert compared["p"] == result["B"].p
    assert compared["signature"] == result.signature


def test_the_html_page_of_the_command_is_that_of_the_function(tmp_path):
    page = tmp_path / "terms.html"
    source = ["--source", str(FOLDER / "src.en")]
    done = commands.run("terms", GLOSSARY, *FILES, *source, "--html", str(page))
    assert done.returncode == 0
    files = [FOLDER / "ref.zh"], [FOLDER / "A.zh", FOLDER / "B.zh"]
    campaign = celab.Campaign.read(*files, source=FOLDER / "src.en")
    of_command = Path(page).read_text("utf-8")
    of_command, n_removed = re.subn(COMMAND, "", of_command, flags=re.DOTALL)
    assert n_removed == 1  # only the command knows what was typed
    assert of_command == celab.terms(GLOSSARY, campaign).html()
