"""Several metrics and several systems on the command line."""

import json

import pytest
from conftest import ROOT
from scores_json import systems_of

from celab.cli import score

CAMPAIGN = ROOT / "examples/campaign"
# Of 12 systems by 3 metrics and people: the answer, a table and its notes; not of signatures.
MOST_LINES, MOST_CHARACTERS = 28, 120


@pytest.fixture
def systems(tmp_path, monkeypatch):
    """Twenty segments; a is right, b and c are wrong in every other, the same way."""
    monkeypatch.chdir(tmp_path)
    refs = [f"今天{n}点买雨伞" for n in "一二三四五六七八九十"] * 2
    poor = [ref if n % 2 else "谢谢" for n, ref in enumerate(refs)]
    for name, lines in {"ref": refs, "a": refs, "b": poor, "c": poor}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ["-r", "ref", "-s", "b", "a", "c", "--lexicon", "none", "--quiet"]


def test_one_table_of_systems_and_metrics(systems, capsys):
    flags = ["-m", "celab", "ter", "chrf"]
    assert score.main([*systems, *flags, "--tsv"]) == 0
    headings, *rows = (line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert headings[:4] == ["system", "celab", "ter", "chrf"]
    assert score.main([*systems, *flags, "--json"]) == 0
    found = {one["name"]: one["metrics"] for one in systems_of(json.loads(capsys.readouterr().out))}
    assert [row[0] for row in rows] == ["a", "b", "c"]
    for row in rows:
        cells = dict(zip(headings, row, strict=True))
        for metric, values in found[row[0]].items():
            assert cells[metric] == repr(values["score"])
            assert cells[f"group {metric}"] == str(values["group"])
            assert cells[f"signature {metric}"] == values["signature"]
    assert score.main([*systems, *flags]) == 0
    answer, _, _, *lines = capsys.readouterr().out.splitlines()
    assert answer == "a is closest to the reference."
    table = [line.split() for line in lines[:4]]
    assert table[0] == ["system", "TESLA-CELAB", "TER", "chrF2"]
    assert table[1] == ["a", "1.0000*", "(1)", "0.00*", "(1)", "100.00*", "(1)"]
    assert table[2][1:] == table[3][1:] and "*" not in "".join(table[2])
    assert table[2][-1] == "(2-3)"  # the ranks that b and c may have
    tied = ["-r", "ref", "-s", "b", "c", "--lexicon", "none", "--quiet", "--markdown"]
    assert score.main(tied) == 0
    assert capsys.readouterr().out.count("**<sup>1-2</sup>") == 2


def lines_of(arguments, capsys):
    """Lines of both streams; long ones, without program and level, are signatures."""
    assert score.main(["-m", "celab", "chrf", "bleu", *map(str, arguments)]) == 0
    captured = capsys.readouterr()
    said = [line.removeprefix("celab-score: ") for line in captured.err.splitlines()]
    texts = [line.partition(": ")[2] for line in said]  # without the level
    lines = [*captured.out.splitlines(), *texts]
    assert len(lines) <= MOST_LINES
    assert [x for x in lines if len(x) > MOST_CHARACTERS and not x.startswith("celab|")] == []
    return lines


def test_all_that_is_said_of_a_campaign_fits_a_screen(tmp_path, capsys):
    paths = sorted((CAMPAIGN / "systems").iterdir())
    files = {f"{path.stem}{n}.zh": path for n in range(3) for path in paths}
    people = ["system\tsegment\tscore\n"]
    for place, (name, path) in enumerate(files.items()):
        lines = path.read_text("utf-8").splitlines()
        lines[place] = ""  # no two systems are equal, and every one has an empty output
        varied = [f"{line}{name[-4]}" if i % 2 else line for i, line in enumerate(lines)]
        (tmp_path / name).write_text("\n".join([*varied, ""]), "utf-8")
        people += [f"{name[:-3]}\t{i}\t{50 + 3 * place}\n" for i in range(1, len(lines) + 1)]
    (tmp_path / "people.tsv").write_text("".join(people), "utf-8")
    inputs = ["-r", CAMPAIGN / "ref.zh", "-s", *(tmp_path / name for name in files)]
    lines = lines_of([*inputs, "--human", tmp_path / "people.tsv"], capsys)
    assert sum(line.startswith("may not be translations: ") for line in lines) == 1
    assert sum(line.startswith("Human scores rank ") for line in lines) == 1


@pytest.mark.thorough
def test_all_that_is_said_of_published_systems_fits_a_screen(shared, capsys):
    data = shared / "data/wmt24-enzh-esa"
    systems = sorted((data / "hyp").iterdir())
    inputs = ["-r", data / "ref-A.txt", "-s", *systems, "--source", data / "src.txt"]
    lines = lines_of([*inputs, "--human", data / "human-seg.tsv"], capsys)
    assert (
        "may not be translations: Gemini-1.5-Pro 21 (+0.0126), Claude-3.5 9 (+0.0076), 8 others 18;"
        " see celab check --segments"
    ) in lines


def test_tables_say_on_how_many_segments_systems_are_compared(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    # The reduction leaves the second of a to HiGHS.
    texts = {"ref": "买雨伞\n伞雨伞\n好\n", "a": "买伞\n雨雨伞雨伞雨伞\n好\n", "b": "伞\n雨\n坏\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    command = ["-r", "ref", "-s", "b", "a", "--resamples=40", "--quiet", "--lexicon=none"]
    assert score.main([*command, "--script=keep", "--time-limit=1e-9", "--on-error=skip"]) == 3
    told = capsys.readouterr().out
    note = "compared on 2 of 3 segments; for the others no optimum was proved\n"
    assert note in told and "|skipped:" not in told
    assert score.main(command) == 0
    assert "compared on" not in capsys.readouterr().out
