"""Copies, boards and findings: commands and Python give the same rows, scores and verdicts."""

import json

import commands
import pytest
from conftest import ROOT
from generated_texts import campaign
from scores_json import systems_of

import celab

SYSTEMS = "ABC"
APP = ROOT / "examples" / "app"


def printed(command, *words, code=0):
    done = commands.run(command, *map(str, words), "--json", "-q", encoding="utf-8")
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A reference whose first eight segments are copies of A."""
    monkeypatch.chdir(tmp_path)
    ref, systems = campaign(60, SYSTEMS)
    ref[:8] = systems["A"][:8]
    for name, side in {"ref": ref, **systems}.items():
        (tmp_path / f"{name}.zh").write_text("".join(f"{line}\n" for line in side), "utf-8")
    return ["ref.zh"], [f"{name}.zh" for name in SYSTEMS]


def scores_of(scored):
    by_system = scored.scores["chrf"]
    return {name: (score.score, score.signature) for name, score in by_system.items()}


def printed_scores(data):
    figures = {system["name"]: system["metrics"]["chrf"] for system in systems_of(data)}
    return {name: (values["score"], values["signature"]) for name, values in figures.items()}


def score_command(files, *flags):
    return printed("score", "-r", *files[0], "-s", *files[1], "-m", "chrf", *flags)


def test_without_copies(files):
    whole = celab.Campaign.read(*files)
    expected = scores_of(whole.without_copies().score("chrf"))
    assert printed_scores(score_command(files, "--without-copies")) == expected
    assert all("|copies:8-dropped@" in signature for _, signature in expected.values())
    texts = whole.corpus.systems
    by_hand = celab.Campaign.from_lists(
        {name: texts[name][8:] for name in texts}, [whole.corpus.refs[0][8:]]
    )
    by_hand_scores = scores_of(by_hand.score("chrf"))
    assert {name: score for name, (score, _) in expected.items()} == {
        name: score for name, (score, _) in by_hand_scores.items()
    }


def test_copies_of_aligned_texts_are_the_same_copies(files, tmp_path):
    for name in SYSTEMS:  # line ends within segments, and none between them
        path = tmp_path / f"{name}.zh"
        lines = path.read_text("utf-8").splitlines()
        path.write_text("".join(f"{line[:9]}\n{line[9:]}" for line in lines), "utf-8")
    campaign_of_texts = celab.Campaign.read(*files, align=True)
    (row,) = campaign_of_texts.score("chrf").outputs.references
    assert (row.system, row.copies, row.others) == ("A", 8, 0)
    assert list(row.segments) == [*range(1, 9)]
    (stored,) = score_command(files, "--align")["reference_copies"]
    assert (stored["system"], stored["segments"]) == ("A", "1,2,3,4,5,6,7,8")
    expected = scores_of(campaign_of_texts.without_copies().score("chrf"))
    assert printed_scores(score_command(files, "--align", "--without-copies")) == expected
    assert all(
        "|align:" in signature and "|copies:8-dropped@" in signature
        for _, signature in expected.values()
    )


def store(files, version, system, where):
    """Store the scores of a system as a version, as a team does every week."""
    words = ["-r", *files[0], "-s", system, "-m", "celab", "chrf", "--segments"]
    labels = ["--label", f"version={version}", "--label", "set=news", "--names", "model"]
    done = commands.run("score", *words, *labels, "--json", "-q", "-o", str(where))
    assert done.returncode == 0, done.stderr


@pytest.fixture
def results(files, tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    for version, system in {"v1": "B.zh", "v2": "B.zh", "v10": "A.zh"}.items():
        store(files, version, system, folder / f"{version}.json")
    return folder


def test_a_board(results):
    board = celab.board(results)
    assert board.to_dict() == printed("board", results)
    cells = {(cell.version, cell.metric): cell for cell in board.cells}
    assert [cell.change for cell in board.cells if cell.version == "v1"] == [None, None]
    rerun = cells["v2", "celab"]
    assert (rerun.change, rerun.mark) == (0, None)
    assert (cells["v10", "celab"].change > 0, cells["v10", "celab"].mark) == (True, "better")


def test_the_board_against_a_version(results):
    against = celab.board(results, against="v10")
    assert against.to_dict() == printed("board", results, "--against", "v10")
    assert {cell.version for cell in against.cells if cell.mark == "worse"} == {"v1", "v2"}


def findings_of(outputs):
    kinds = {x.kind for x in outputs.findings}
    return [row for row in outputs.to_dict()["finding"] if row["kind"] in kinds]


def test_findings():
    engines = [APP / "engine-a.xlf", APP / "engine-b.xlf"]
    whole = celab.Campaign.read([APP / "human.xlf"], engines).corpus
    data = printed("check", "-r", APP / "human.xlf", "-s", *engines)
    assert {row["kind"] for row in data["finding"]} == {"placeholder", "tags", "length"}
    assert data["finding"] == printed("check", "-s", *engines)["finding"]
    # Lists have neither inline codes nor greatest lengths.
    by_function = celab.check(whole.systems, whole.refs, whole.source)
    names = whole.names
    rows = [row | {"segment": names[row["segment"] - 1]} for row in findings_of(by_function)]
    placeholders = [row for row in data["finding"] if row["kind"] == "placeholder"]
    assert [row for row in rows if row["kind"] == "placeholder"] == placeholders != []


@pytest.mark.parametrize(
    ("engine", "kinds", "code"),
    [
        ("engine-a", "placeholder,tags,length", 0),
        ("engine-b", "placeholder,tags", 1),
        ("engine-b", "length", 1),
        ("engine-b", "empty,repeated", 0),
    ],
)
def test_a_gate_of_findings(engine, kinds, code):
    words = ["-s", APP / f"{engine}.xlf", "--fail-on", kinds]
    data = printed("check", *words, code=code)
    counted = [row for row in data["finding"] if row["kind"] in kinds.split(",")]
    assert data["gate"]["failed"] == (code == 1) == bool(counted)
    scored = printed("score", "-m", "chrf", "-r", APP / "human.xlf", *words, code=code)
    assert scored["gate"]["reason"] == data["gate"]["reason"]
    pair = ["-s", APP / "human.xlf", *words[1:]]  # the first system is the reference itself
    compared = printed("compare", "-m", "chrf", "-r", APP / "human.xlf", *pair, code=code)
    assert compared["gate"]["failed"] == data["gate"]["failed"]
