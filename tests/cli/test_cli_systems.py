"""Several metrics and several systems on the command line."""

import json

import numpy as np
import pytest

from celab.cli import score

REFS1 = ["买雨伞", "今天天气很好", "我在北京", ""]
REFS2 = ["", "今天天气不错", "我住在北京", "谢谢你"]
HYPS = ["买雨伞", "今天天气很好", "", "谢谢"]
FILES = ["ref1.zh", "ref2.zh", "hyp.zh"]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, lines in zip(FILES, (REFS1, REFS2, HYPS), strict=True):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")


TAGGED = "Der|der|ART Hund|Hund|NN\n"


def test_a_flag_of_one_of_the_metrics_is_taken(tmp_path, capsys):
    (tmp_path / "a.txt").write_text(TAGGED, "utf-8")
    files = ["a.txt", "a.txt", "--analysis", "tagged", "--lexicon", "none", "--quiet"]
    assert score.main(["-m", "celab", "tesla-m", "--alpha", "0.5", "--f", "1", *files]) == 0
    *_, first, second = capsys.readouterr().out.splitlines()
    assert "|f:1|" in first and "|alpha:0.5|" in second


# Several systems.


@pytest.fixture
def systems(tmp_path):
    """Twenty segments; a is right, b and c are wrong in every other, the same way."""
    refs = [f"今天{n}点买雨伞" for n in "一二三四五六七八九十"] * 2
    poor = [ref if n % 2 else "谢谢" for n, ref in enumerate(refs)]
    for name, lines in {"ref": refs, "a": refs, "b": poor, "c": poor}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return ["-r", "ref", "-s", "b", "a", "c", "--lexicon", "none", "--quiet"]


def test_all_pairs_have_p_values_and_seeds_count(systems, capsys):
    found = {}
    for test in ("bootstrap", "randomization"):
        for seed in ("0", "1"):
            given = [*systems, "--json", "--test", test, "--resamples", "200", "--seed", seed]
            assert score.main(given) == 0
            found[test, seed] = json.loads(capsys.readouterr().out)["tests"]["celab"]
    for (test, seed), one in found.items():
        assert (one["test"], one["seed"], one["resamples"]) == (test, int(seed), 200)
        assert one["systems"] == ["a", "b", "c"]
        p = np.array(one["p_values"])
        assert (p == p.T).all() and p[1, 2] == 1.0 and p[0, 1] < 0.05
    assert score.main([*systems, "--seed", "0", "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert score.main([*systems, "--seed", "0", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == again


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


def test_one_system_of_several_is_explained_by_name(systems, capsys):
    assert score.main([*systems, "--explain", "1"]) == 2
    assert "there are 3 systems (b, a, c)" in capsys.readouterr().err
    assert score.main([*systems, "--explain", "1", "--only-systems", "a"]) == 0
    assert "segment 1 of 20: a against ref" in capsys.readouterr().out
