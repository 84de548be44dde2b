"""Several metrics and several systems on the command line."""

import json

import pytest

from celab.cli import score


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
    found = {one["name"]: one["metrics"] for one in json.loads(capsys.readouterr().out)["systems"]}
    assert [row[0] for row in rows] == ["a", "b", "c"]
    for row in rows:
        cells = dict(zip(headings, row, strict=True))
        for metric, values in found[row[0]].items():
            assert cells[metric] == repr(values["score"])
            assert cells[f"group {metric}"] == str(values["group"])
            assert cells[f"signature {metric}"] == values["signature"]
    assert score.main([*systems, *flags]) == 0
    table = [line.split() for line in capsys.readouterr().out.splitlines()[:4]]
    assert table[0] == ["system", "TESLA-CELAB", "TER", "chrF2"]
    assert table[1] == ["a", "1.0000*", "(1)", "0.00*", "(1)", "100.00*", "(1)"]
    assert table[2][1:] == table[3][1:] and "*" not in "".join(table[2])
    tied = ["-r", "ref", "-s", "b", "c", "--lexicon", "none", "--quiet", "--markdown"]
    assert score.main(tied) == 0
    assert capsys.readouterr().out.count("**<sup>1</sup>") == 2
