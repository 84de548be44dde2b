"""Files in examples/: clean text, and a campaign in which commands find what was planted."""

import json
from collections import Counter

import pytest
from commands import run
from conftest import ROOT
from scores_json import systems_of

EXAMPLES = ROOT / "examples"
CAMPAIGN = EXAMPLES / "campaign"
SYSTEMS = ("fluent", "literal", "model", "small")
# Outputs of the campaign that are not translations, by system, kind and segment.
PLANTED = {
    "fluent": {},
    "literal": {},
    "model": {
        "refusal": [21, 91],
        "other-language": [63],
        "repeated": [14],
        "too-long": [33, 81],
    },
    "small": {"empty": [92], "copied": [73]},
}
NUMBERS_LOST = [2, 18, 20, 23, 33, 44, 47, 51, 71]  # by small; the other systems keep them all
FILES = ("-r", str(CAMPAIGN / "ref.zh"), "-s", str(CAMPAIGN / "systems"))
SOURCE = ("--source", str(CAMPAIGN / "src.en"))


def text_files():
    return [path for path in sorted(EXAMPLES.rglob("*.*")) if path.suffix != ".pyc"]


def lines_of(path):
    return path.read_text("utf-8").split("\n")[:-1]


@pytest.mark.parametrize("path", text_files(), ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_files_are_clean_text(path):
    text = path.read_bytes().decode("utf-8")  # strict: no other encoding, no damage
    assert not text.startswith("\ufeff")
    assert text.endswith("\n")
    assert "\r" not in text
    spaces = [n for n, line in enumerate(text.split("\n"), 1) if line != line.rstrip()]
    assert spaces == []


def test_every_file_is_listed():
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    unlisted = []
    for path in EXAMPLES.iterdir():
        names = {path.name, f"{path.name}/", f"{path.stem}.*", f"{path.stem.split('-')[0]}-*.sgm"}
        if path.name != "__pycache__" and not any(f"`{name}`" in listed for name in names):
            unlisted.append(path.name)
    assert unlisted == ["README.md"]


def test_all_files_of_the_campaign_have_the_same_segments():
    names = ["src.en", "ref.zh", *(f"systems/{name}.zh" for name in SYSTEMS)]
    assert {name: len(lines_of(CAMPAIGN / name)) for name in names} == dict.fromkeys(names, 100)
    assert {path.stem for path in (CAMPAIGN / "systems").iterdir()} == set(SYSTEMS)
    header, *rows = [line.split("\t") for line in lines_of(CAMPAIGN / "docs.tsv")]
    assert header == ["domain", "document"]
    assert len(rows) == 100
    assert Counter(domain for domain, _ in rows) == {
        "news": 27,
        "product": 28,
        "chat": 18,
        "speech": 27,
    }
    documents = [document for _, document in rows]
    runs = [name for i, name in enumerate(documents) if i == 0 or name != documents[i - 1]]
    assert len(runs) == len(set(runs)) == 11  # each stands together


def test_check_finds_what_was_planted():
    done = run("check", *FILES, *SOURCE, "--filters", "--json", "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = {name: {} for name in SYSTEMS}
    for row in json.loads(done.stdout)["finding"]:
        found[row["system"]].setdefault(row["kind"], []).append(row["segment"])
    assert found["small"].pop("number-lost") == NUMBERS_LOST
    assert found == PLANTED


def test_the_systems_differ_in_character():
    done = run("score", *FILES, *SOURCE, "--json", "-q", encoding="utf-8")
    systems = systems_of(json.loads(done.stdout))
    scores = {system["name"]: system["metrics"]["celab"]["score"] for system in systems}
    assert sorted(scores, key=scores.get) == ["literal", "small", "model", "fluent"]
    glossary = str(CAMPAIGN / "glossary.tsv")
    done = run("terms", glossary, *FILES, *SOURCE, "--json", "-q", encoding="utf-8")
    rows = json.loads(done.stdout)["system"]
    right = {row["system"]: row["right"] for row in rows if row["kind"] == "system"}
    assert right == {"fluent": 29, "model": 28, "small": 20, "literal": 7}


def test_equal_outputs_occur():
    outputs = [lines_of(CAMPAIGN / "systems" / f"{name}.zh") for name in ("fluent", "model")]
    assert sum(a == b for a, b in zip(*outputs, strict=True)) == 8
