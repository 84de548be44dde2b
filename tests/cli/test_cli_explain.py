"""`celab explain`: where the scores of some segments come from."""

import json
from collections import namedtuple

import pytest
from conftest import ROOT
from rich.cells import cell_len

import celab
from celab.cli import explain, score

REF1, REF2, A, B = (f"examples/{name}.zh" for name in ("ref1", "ref2", "hyp1", "hyp2"))
BOTH = ["-r", REF1, "-s", A, B]
Told = namedtuple("Told", "out err")


@pytest.fixture
def run(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")

    def command(*arguments, code=0):
        assert explain.main(list(map(str, arguments))) == code
        return Told(*capsys.readouterr())

    return command


def test_one_system_is_shown_as_by_score(run, capsys):
    told = run("5", REF1, REF2, A)
    assert score.main(["--explain", "5", REF1, REF2, A]) == 0
    expected = capsys.readouterr()
    assert told.out == expected.out
    assert told.err == expected.err.replace("celab-score", "celab explain")


def test_systems_are_stacked_below_the_reference(run):
    told = run("5", *BOTH)
    assert told.out.startswith(
        "segment 5 of 20 against ref1\n"
        "\n"
        "ref  车 站 附 近 有 一 家 餐 馆 , 菜 又 便 宜 又 好 吃 。\n"
        "\n"
        "hyp1  score 0.8804  precision 0.8871  recall 0.8788\n"
        "hyp  车 站 附 近 有 一 家 饭 馆 , 菜 便 宜 又 好 吃 。\n"
        "     == == == == == == == ~~ ~~ = == == == == == == ==\n"
        "\n"
        "hyp2  score 0.2364  precision 0.2727  recall 0.2273\n"
        "hyp  有 一 个 餐 厅 在 车 站 近 , 食 物 廉 价 和 好 味 。\n"
        "     == == .. == .. ~~ == == == = ~~ .. ~~ ~~ ~~ ~~ .. ==\n"
        "\n"
        "     = equal  ~ synonym  + covered  . unmatched\n"
        "celab|"
    )
    assert told.err == "celab explain: 2 systems, reference examples/ref1.zh, 20 segments\n"


def test_each_reference_has_its_stack(run):
    out = run("5,9-10", "-r", REF1, REF2, "-s", A, B).out
    assert [line for line in out.splitlines() if line.startswith("segment ")] == [
        f"segment {n} of 20 against {ref}" for n in (5, 9, 10) for ref in ("ref1", "ref2")
    ]
    assert out.count("celab|") == 1
    assert "\nhyp1: mean of 2 references: score 0.5298  precision 0.5645" in out
    assert "\nhyp  (empty)\n" in out  # hyp2's segment 10
    one = run("5", "--only-refs", "ref2", "-r", REF1, REF2, "-s", A, B).out
    assert one.count("against") == 1 and "against ref2" in one


def test_it_fits_the_terminal(run, tmp_path):
    long = tmp_path / "long.zh"
    long.write_text("他昨天在车站附近买了一把新雨伞，" * 8 + "\n", "utf-8")
    other = tmp_path / "other.zh"
    other.write_text("我昨天在车站旁边买了一把伞，" * 9 + "\n", "utf-8")
    out = run("1", "--details", "-r", long, "-s", long, other).out
    shown = [line for line in out.splitlines() if not line.startswith("celab|")]
    assert max(map(cell_len, shown)) <= 80
    assert sum(line.startswith("ref  ") for line in shown) == 1
    assert sum(line.startswith("hyp  ") for line in shown) == 2


def test_details_show_links(run):
    assert "weight  reference" not in run("7", *BOTH).out
    out = run("7", "--details", *BOTH).out
    assert out.count("weight  reference") == 2
    assert "降~跌 [cilin Ih06B01=]" in out


def test_words(run):
    tagged = ("--analysis", "tagged", "--lexicon", "none", "-m", "tesla-m")
    ref, hyp = "examples/ref.tagged", "examples/hyp.tagged"
    out = run("1", *tagged, "--details", "-r", ref, "-s", hyp, ref).out
    assert out.startswith("segment 1 of ")
    assert "hyp.tagged  score " in out
    assert "= equal  ~ synonym  t tag only  . unmatched" in out
    assert out.count("order  by") == 2


def test_json(run):
    found = json.loads(run("5,7", "--json", *BOTH).out)["explanations"]
    assert [(row["segment"], row["system"]) for row in found] == [
        (n, system) for n in (5, 7) for system in ("hyp1", "hyp2")
    ]
    first = found[0]
    assert (first["metric"], first["references"]) == ("celab", ["ref1"])
    texts = [(ROOT / path).read_text("utf-8").splitlines()[4] for path in (A, REF1)]
    whole = celab.explain(*texts).to_dict()
    assert {name: first[name] for name in whole} == whole


def test_colour_and_output(run, tmp_path):
    assert "\x1b[" in run("5", "--color", "always", *BOTH).out
    assert "\x1b[" not in run("5", *BOTH).out
    path = tmp_path / "x.txt"
    assert run("5", "-o", path, "--quiet", *BOTH) == ("", "")
    assert path.read_text("utf-8") == run("5", *BOTH).out


def test_controls_in_names_are_escaped(run, tmp_path):
    odd, even = tmp_path / "odd\x1b[31m.zh", tmp_path / "even.zh"
    for path in (odd, even):
        path.write_text("买伞\n", "utf-8")
    out = run("1", "-r", odd, even, "-s", odd, even).out
    assert "\x1b" not in out
    assert "against odd\\x1b[31m\n" in out
    assert "odd\\x1b[31m  score" in out
    assert "odd\\x1b[31m: mean of 2" in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "no segments are given; use celab explain SEGMENTS REF... HYP, or celab explain"),
        (["5"], "no files are given; use celab explain SEGMENTS REF... HYP"),
        ([REF1, A], f"the segments are '{REF1}'; they must be numbers and ranges, such as 5,9-12"),
        (["30", *BOTH], "segment 30 is out of range; there are 20"),
        (["5,19-21", *BOTH], "segment 21 is out of range; there are 20"),
        (["1-999999999", *BOTH], "segment 999999999 is out of range; there are 20"),
        (["0", *BOTH], "the segments are '0'; they are counted from 1"),
        (["9-5", *BOTH], "the first of a range must not be greater than the last"),
        (["5,", *BOTH], "the segments are '5,'; they must be numbers"),
        (["5-", *BOTH], "the segments are '5-'; they must be numbers"),
        (["٣", *BOTH], "the segments are '٣'; they must be numbers"),
        (["5", "-m", "bleu", *BOTH], "--metric is 'bleu', which has no links; celab, tesla-m"),
        (["5", "--details", "--json", *BOTH], "--details and --json are both given"),
        (["5", "-o", A, *BOTH], f"--output is {A}, which is the same file as input {A}"),
        (["5", REF1, "-r", REF1, "-s", A], "is neither a reference nor a system"),
    ],
)
def test_bad_input_is_one_line(run, arguments, told):
    out, err = run(*arguments, code=2)
    assert out == ""
    assert err.startswith("celab explain: error: ")
    assert told in err
    assert len(err.splitlines()) == 1
