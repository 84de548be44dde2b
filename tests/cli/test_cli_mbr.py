"""`celab mbr`, as it is typed and from within."""

import gzip
import json
import os
import random
import subprocess
import sys

import pytest

import celab
from celab.base.version import __version__
from celab.cli import mbr, progress

COMMAND = [sys.executable, "-m", "celab.cli.mbr"]
LISTS = """\
0 ||| 卖伞 ||| LM0= -9 ||| -1.5
0 ||| 买伞 ||| LM0= -8 ||| -2.5
0 ||| 买雨伞 ||| LM0= -7 ||| -3.5
1 ||| 天气好 ||| LM0= -1 ||| -1
1 ||| 天气好 ||| LM0= -2 ||| -2
2 ||| 好的
"""
BEST = "买雨伞\n天气好\n好的\n"
SIGNATURE = celab.TeslaCelab(lexicon=None).signature


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = os.path.dirname(os.path.abspath(celab.__path__[0]))
    monkeypatch.setenv("PYTHONPATH", here)  # commands run the package that is being tested
    (tmp_path / "lists.txt").write_text(LISTS, "utf-8")
    (tmp_path / "lists.txt.gz").write_bytes(gzip.compress(LISTS.encode()))
    records = [
        {"id": f"s{line.split(' ||| ')[0]}", "text": line.split(" ||| ")[1]}
        for line in LISTS.splitlines()
    ]
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    (tmp_path / "lists.jsonl").write_text("".join(lines), "utf-8")


@pytest.fixture
def run(capsysbinary):
    def run(*arguments, lexicon=("--lexicon", "none")):
        code = mbr.main([*lexicon, *arguments])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def test_the_best_translation_of_each_sentence_is_a_line():
    done = subprocess.run(
        [*COMMAND, "--lexicon", "none", "lists.txt"], capture_output=True, timeout=60
    )
    assert done.returncode == 0
    assert done.stdout.decode() == BEST
    assert done.stderr.decode() == (
        f"celab mbr: lists.txt, 3 sentences, 6 candidates; {SIGNATURE}\n"
    )


@pytest.mark.parametrize("name", ["lists.txt.gz", "lists.jsonl"])
def test_compressed_lists_and_jsonl(name, run):
    assert run("--quiet", name) == (0, BEST, "")


def test_standard_input():
    done = subprocess.run(
        [*COMMAND, "--lexicon", "none", "-"], input=LISTS.encode(), capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout.decode()) == (0, BEST)
    assert done.stderr.startswith(b"celab mbr: standard input, 3 sentences, 6 candidates; ")


def utilities(*texts):
    """By their definition."""
    metric = celab.TeslaCelab(lexicon=None)
    return [
        sum(metric.sentence_score(hyp, [ref]).score for ref in texts) / len(texts) for hyp in texts
    ]


def test_reranked_lists_keep_what_they_had(run):
    code, out, _ = run("--nbest", "lists.txt")
    a, b, c = utilities("卖伞", "买伞", "买雨伞")
    assert a < b < c
    assert code == 0
    assert out == (
        f"0 ||| 买雨伞 ||| LM0= -7 ||| -3.5 ||| {c:.6f}\n"
        f"0 ||| 买伞 ||| LM0= -8 ||| -2.5 ||| {b:.6f}\n"
        f"0 ||| 卖伞 ||| LM0= -9 ||| -1.5 ||| {a:.6f}\n"
        "1 ||| 天气好 ||| LM0= -1 ||| -1 ||| 1.000000\n"
        "1 ||| 天气好 ||| LM0= -2 ||| -2 ||| 1.000000\n"
        "2 ||| 好的 |||  |||  ||| 1.000000\n"
    )


def test_a_reranked_list_is_a_list_again(run, tmp_path):
    _, out, _ = run("--nbest", "lists.txt")
    (tmp_path / "again.txt").write_text(out, "utf-8")
    assert run("--quiet", "again.txt") == (0, BEST, "")
    again = run("--nbest", "again.txt")[1].splitlines()
    assert [line.rsplit(" ||| ", 1)[0] for line in again] == out.splitlines()


def test_json_has_every_digit(run):
    code, out, _ = run("--json", "lists.jsonl")
    report = json.loads(out)
    assert code == 0
    assert list(report) == ["celab_version", "signature", "weights", "sentences"]
    assert report["celab_version"] == __version__
    assert report["signature"] == SIGNATURE
    first = report["sentences"][0]
    assert (first["id"], first["best"]) == ("s0", "买雨伞")
    expected = utilities("卖伞", "买伞", "买雨伞")
    for one in first["candidates"]:
        assert list(one) == ["text", "expected", "line"]
        assert one["expected"] == pytest.approx(expected[one["line"] - 1], abs=1e-15)
    assert [one["line"] for one in first["candidates"]] == [3, 2, 1]


def test_weights_by_the_models_scores(run):
    assert run("--weights", "softmax", "lists.txt")[0] == 2  # sentence 2 has none
    lines = LISTS.splitlines(keepends=True)[:5]
    with open("scored.txt", "w", encoding="utf-8") as file:
        file.writelines(lines)
    code, out, _ = run("--weights", "softmax", "--scale", "9", "--json", "scored.txt")
    report = json.loads(out)
    assert code == 0
    assert (report["weights"], report["scale"]) == ("softmax", 9.0)
    assert report["sentences"][0]["best"] == "卖伞"  # nearly all weight is its own
    assert run("--quiet", "scored.txt")[1] == "买雨伞\n天气好\n"


UNPROVED = ["-m", "tesla-m", "--analysis", "surface", "--solver", "highs", "--on-error", "skip"]
UNPROVED += ["--time-limit", "1e-9"]


def test_what_is_not_proved_is_no_choice(run):
    code, out, err = run(*UNPROVED, "lists.txt")
    assert (code, out) == (3, "\n\n\n")
    told = "3 sentences without a choice, because no optimum was proved: 0, 1, 2"
    assert err.endswith(f"; {told}\n")
    assert run(*UNPROVED, "--quiet", "lists.txt") == (3, "\n\n\n", f"celab mbr: {told}\n")
    assert run(*UNPROVED, "--quiet", "--nbest", "lists.txt")[:2] == (3, "")
    code, out, _ = run(*UNPROVED, "--json", "lists.txt")
    sentences = json.loads(out)["sentences"]
    assert code == 3
    assert sentences == [{"id": i, "best": None, "candidates": []} for i in range(3)]
    assert run(*UNPROVED, "-o", "best.txt", "lists.txt")[:2] == (3, "")
    with open("best.txt", "rb") as file:
        assert file.read() == b"\n\n\n"


def test_many_sentences_without_a_choice_are_not_all_named(run, tmp_path):
    (tmp_path / "many.txt").write_text("".join(f"{i} ||| a\n" for i in range(7)), "utf-8")
    _, _, err = run(*UNPROVED, "--quiet", "many.txt")
    assert err.endswith("no optimum was proved: 0, 1, 2, 3, 4, ...\n")


def test_without_skip_it_is_an_error_in_the_words_of_the_command(run):
    limited = [word for word in UNPROVED if word not in ("--on-error", "skip")]
    code, out, err = run(*limited, "lists.txt")
    assert (code, out) == (2, "")
    assert "a longer --time-limit, or --on-error skip" in err
    assert "time_limit" not in err and "on_error" not in err


def test_the_output_may_be_a_file(run):
    assert run("--quiet", "-o", "best.txt", "lists.txt") == (0, "", "")
    with open("best.txt", encoding="utf-8") as file:
        assert file.read() == BEST
    code, out, err = run("-o", "absent/best.txt", "lists.txt")
    assert (code, out) == (2, "")
    assert err.startswith("celab mbr: error: absent/best.txt cannot be written")


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
def test_other_metrics(name, run):
    code, out, err = run("-m", name, "lists.txt", lexicon=())
    assert code == 0
    assert out.splitlines()[1:] == ["天气好", "好的"]
    assert f"; {name}|" in err


def test_options_reach_the_metric(run):
    assert "|f:1|" in run("--f", "1", "lists.txt")[2]
    code, _, err = run("-m", "tesla-m", "--analysis", "surface", "--jobs", "2", "lists.txt")
    assert code == 0
    assert "words:surface" in err


def test_sentences_without_candidates_are_named(run):
    with open("gaps.txt", "w", encoding="utf-8") as file:
        file.write("1 ||| a\n3 ||| b\n")
    code, out, err = run("gaps.txt")
    assert (code, out) == (0, "a\nb\n")
    assert "; no candidates, so no output line, for 0, 2; " in err
    with open("gaps.txt", "w", encoding="utf-8") as file:
        file.write("5 ||| a\n1000000000000 ||| b\n")
    assert "for 0, 1, 2, 3, 4, ...; " in run("gaps.txt")[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no file is given; use celab mbr NBEST"),
        (
            ["lists.txt", "other.txt"],
            "lists.txt and other.txt are given; use celab mbr NBEST",
        ),
        (["-m", "celab", "chrf", "lists.txt"], "--metric is celab, chrf; give one metric"),
        (["-m", "comet", "lists.txt"], "--metric is 'comet'; it must be one of: celab,"),
        (["--nbest", "--json", "lists.txt"], "--nbest and --json are both given; choose one"),
        (["--scale", "2", "lists.txt"], "--scale is 2.0, but --weights is uniform; it must be"),
        (["--weights", "equal", "lists.txt"], "--weights is 'equal'; it must be one of: uni"),
        (
            ["--weights", "softmax", "--scale", "0", "lists.txt"],
            "--scale is 0.0; it must be a number above 0",
        ),
        (["none.txt"], "none.txt does not exist; it must be a text file"),
        (["bad.txt"], "bad.txt, line 2: 'b' has no |||; it must be id ||| text"),
        (
            ["lines.jsonl"],
            "lines.jsonl, line 1: the translation 'a\\nb' contains a line break; use --json",
        ),
        (
            ["--nbest", "bars.jsonl"],
            "bars.jsonl, line 1: 'a ||| b' cannot be written in Moses format; use --json",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line_and_code_2(arguments, message, run, tmp_path):
    (tmp_path / "bad.txt").write_text("0 ||| a\nb\n", "utf-8")
    (tmp_path / "lines.jsonl").write_text('{"id": 0, "text": "a\\nb"}\n', "utf-8")
    (tmp_path / "bars.jsonl").write_text('{"id": 0, "text": "a ||| b"}\n', "utf-8")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(f"celab mbr: error: {message}")
    assert err.count("\n") == 1


def test_what_lines_cannot_hold_json_can(run, tmp_path):
    (tmp_path / "odd.jsonl").write_text('{"id": "|||", "text": "a ||| \\nb"}\n', "utf-8")
    code, out, _ = run("--json", "odd.jsonl")
    (sentence,) = json.loads(out)["sentences"]
    assert (code, sentence["id"], sentence["best"]) == (0, "|||", "a ||| \nb")


def test_help_answers_and_names_the_formats(capsysbinary):
    assert mbr.main(["--help"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert out.startswith("usage: celab mbr [options] NBEST")
    assert "|||" in out


def test_the_bar_is_told_of_each_sentence(run, monkeypatch):
    told = []

    class Bar(progress.ProgressBar):
        def __call__(self, done, total=None):
            if self.is_seen:
                told.append((self.what, done, self.total))

    monkeypatch.setattr(progress, "ProgressBar", Bar)
    monkeypatch.setattr(progress, "is_welcome", lambda quiet: not quiet)
    assert run("lists.txt")[1] == BEST
    assert told == [("reranking", 1, 3), ("reranking", 2, 3), ("reranking", 3, 3)]
    told.clear()
    run("--quiet", "lists.txt")
    assert told == []


def test_interrupted(run, monkeypatch):
    def wait(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("celab.family.reranking.mbr.rerank", wait)
    assert run("lists.txt") == (130, "", "celab mbr: interrupted\n")


def test_a_hundred_sentences_with_a_hundred_candidates(run, tmp_path):
    rng = random.Random(5)
    words = ["今天", "天气", "很好", "我", "买", "雨伞", "北京", "的"]
    lines, sentences = [], []
    for number in range(100):
        kinds = ["".join(rng.choices(words, k=rng.randint(3, 7))) for _ in range(12)]
        texts = rng.choices(kinds, k=100)
        sentences.append(texts)
        lines += [f"{number} ||| {text} ||| f= 1 ||| {-i}\n" for i, text in enumerate(texts)]
    (tmp_path / "many.txt").write_text("".join(lines), "utf-8")
    code, out, err = run("many.txt")
    assert code == 0
    assert "100 sentences, 10000 candidates" in err
    chosen = out.splitlines()
    assert len(chosen) == 100
    metric = celab.TeslaCelab(lexicon=None)
    for number in (0, 42, 99):
        texts = sentences[number]
        kinds = sorted(set(texts))
        risk = {
            hyp: sum(texts.count(ref) * metric.sentence_score(hyp, [ref]).score for ref in kinds)
            for hyp in kinds
        }
        best = max(risk.values())
        assert risk[chosen[number]] == pytest.approx(best, abs=1e-9)
        assert chosen[number] == next(t for t in texts if risk[t] > best - 1e-9)
