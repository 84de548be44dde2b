"""Lines about references, shifted lines, and the name of a segment in all outputs."""

import json
from pathlib import Path

import pytest
from commands import run
from generated_texts import campaign
from scores_json import systems_of

N = 60
ROLES = ("-r", "ref-A.zh", "-s", "A.zh", "B.zh", "C.zh", "-m", "chrf")
LINE = "ref-A: 8 of 60 segments are copies of outputs: A 8"


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """A reference whose first segments are copies of A, and a shifted output."""
    monkeypatch.chdir(tmp_path)
    ref, systems = campaign(N, "ABC")
    ref[:8] = systems["A"][:8]
    texts = systems["B"]
    shifted = [*texts[:20], *texts[21:], texts[-1]]
    for name, side in {"ref-A": ref, **systems, "shifted": shifted}.items():
        (tmp_path / f"{name}.zh").write_text("".join(f"{line}\n" for line in side), "utf-8")
    return ref, systems


def said(command, *arguments):
    done = run(command, *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_score_says_it(quiet):
    _, errors = said("score", *ROLES, *quiet)
    assert f"{LINE} (score -8.82 without them)\n" in errors


@pytest.mark.parametrize("flags", [("-b",), ("--no-check",), ("-b", "--without-copies")])
def test_it_can_be_left_out(flags):
    assert "copies" not in said("score", *ROLES, *flags)[1]


def test_other_commands_say_it():
    assert LINE in said("compare", "-r", "ref-A.zh", "-s", "A.zh", "B.zh", "-m", "chrf", "-q")[1]
    assert LINE in said("check", "-r", "ref-A.zh", "-s", "A.zh", "B.zh", "C.zh")[0]
    assert "copies" not in said("compare", *ROLES[:5], *ROLES[6:], "--no-check")[1]


def test_json_has_the_rows():
    found = json.loads(said("check", *ROLES[:6], "--json")[0])
    (row,) = found["reference_copies"]
    assert (row["reference"], row["system"], row["copies"], row["near"]) == ("ref-A", "A", 8, 0)
    assert row["segments"] == "1,2,3,4,5,6,7,8" and row["others"] == 0 and row["p"] < 0.001
    assert json.loads(said("score", *ROLES, "--json")[0])["reference_copies"] == [row]
    nothing = json.loads(said("check", "ref-A.zh", "B.zh", "--json")[0])
    assert nothing["reference_copies"] == nothing["twins"] == nothing["shift"] == []
    assert "reference_copies" not in json.loads(said("score", "ref-A.zh", "B.zh", "--json")[0])


def test_without_copies():
    out, errors = said("score", *ROLES, "--without-copies", "--json")
    found = json.loads(out)
    parts = [system["metrics"]["chrf"]["signature"] for system in systems_of(found)]
    assert all("|copies:8-dropped@" in part for part in parts) and len({*parts}) == 1
    assert f"{LINE}; dropped for all systems" in errors and "52 segments" in errors
    rows = said("score", *ROLES[:6], "-m", "chrf", "--without-copies", "--segments", "-q")[0]
    assert rows.splitlines()[1].split("\t")[1] == "9"
    nothing = said("score", "ref-A.zh", "B.zh", "-m", "chrf", "--without-copies")
    assert "no segment is dropped" in nothing[1] and "copies:" not in nothing[0]


WARNING = "shifted.zh fits ref-A.zh one line later from line 21 on: is a line missing there?"


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("score", ("ref-A.zh", "shifted.zh", "-m", "chrf")),
        ("score", ("ref-A.zh", "shifted.zh", "-m", "chrf", "--segments")),
        ("compare", ("-r", "ref-A.zh", "-s", "shifted.zh", "A.zh", "-m", "chrf")),
        ("check", ("ref-A.zh", "shifted.zh")),
    ],
)
def test_shifted_lines(command, arguments):
    assert f"warning: {WARNING}" in said(command, *arguments, "-q")[1]
    done = run(command, *arguments, "--strict")
    assert done.returncode == 2 and WARNING in done.stderr.decode()


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("score", ("ref-A.zh", "sorted.zh", "-m", "chrf")),
        ("score", ("ref-A.zh", "sorted.zh", "-m", "cer")),
        ("score", ("ref-A.zh", "sorted.zh", "-m", "chrf", "--segments")),
        ("compare", ("-r", "ref-A.zh", "-s", "sorted.zh", "A.zh", "-m", "chrf")),
        ("check", ("ref-A.zh", "sorted.zh")),
    ],
)
def test_sorted_lines(files, command, arguments):
    Path("sorted.zh").write_text("".join(f"{x}\n" for x in sorted(files[1]["B"])), "utf-8")
    line = "most lines of sorted.zh fit another line of ref-A.zh much better than their own"
    assert f"warning: {line}: are they in another order?" in said(command, *arguments, "-q")[1]
    assert run(command, *arguments, "--strict").returncode == 2
    found = json.loads(said("check", "ref-A.zh", "sorted.zh", "--json")[0])
    assert [shift["offset"] for shift in found["shift"]] == [0]


def test_segments_in_batches():
    assert "copies" not in said("score", "ref-A.zh", "B.zh", "-m", "chrf", "--segments")[1]
    (line,) = [
        line
        for line in said("score", "A.zh", "A.zh", "-m", "chrf", "--segments")[1].splitlines()
        if "copies" in line
    ]
    assert line == "celab-score: finding: A: 60 of 60 segments are copies of outputs: A 60"


def write_ids(tmp_path, ref, systems):
    """Write files with ids in which the third segment of B is missing."""
    for name, texts in {"ref": ref, **systems}.items():
        key = "ref" if name == "ref" else "hyp"
        rows = [
            json.dumps({"id": f"s-{i}", key: text}, ensure_ascii=False)
            for i, text in enumerate(texts, 1)
            if (name, i) != ("B", 3)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join([*rows, ""]), "utf-8")


def test_a_segment_has_one_name(tmp_path, files):
    ref, systems = files
    systems["B"][6] = ""
    write_ids(tmp_path, ref, systems)
    roles = ("-r", "ref.jsonl", "-s", "A.jsonl", "B.jsonl", "--skip-missing", "-q")
    table = said("score", *roles, "-m", "chrf", "--segments")[0]
    ids = [line.split("\t")[1] for line in table.splitlines() if line.startswith("B\t")]
    assert ids[:4] == ["s-1", "s-2", "s-4", "s-5"]
    assert "\ts-7\tempty\t" in said("check", *roles, "--segments")[0]
    scored = json.loads(said("score", *roles, "-m", "chrf", "--json", "--segments")[0])
    assert systems_of(scored)[1]["outputs"] == {"empty": ["s-7"]}
    assert scored["segment"][2]["segment"] == "s-4"
    compared = json.loads(said("compare", *roles, "-m", "chrf", "--json")[0])
    assert {"system": "B", "segment": "s-7", "kind": "empty"} in compared["output"]
    assert compared["advantage"][0]["segment"].startswith("s-")
    for name in ("s-7", "7"):
        explained = json.loads(said("explain", name, *roles, "--lexicon", "none", "--json")[0])
        assert {row["segment"] for row in explained["explanations"]} == {"s-7"}
    assert "segment s-7 of 59" in said("explain", "s-7", *roles, "--lexicon", "none")[0]
    done = run("explain", "3", *roles, "--lexicon", "none")
    assert done.returncode == 2 and "no segment 3; there are 59" in done.stderr.decode()
