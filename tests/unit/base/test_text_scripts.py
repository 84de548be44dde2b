"""Japanese scored as Chinese is warned about, by every way in."""

import subprocess
import sys
import warnings

import pytest
from commands import refusal, run, write_lines

import celab

JAPANESE = ["私は学生です。", "東京は日本の首都である。", "明日、北京に行きます。"]
CHINESE = ["我是学生。", "东京是日本的首都。", "明天去北京。"]
FEW_KANA = ["优の良品在大阪", "我在すき家吃饭", "他喜欢ポケモン和スーパーマリオ", "北京"]


@pytest.fixture
def japanese(tmp_path):
    return [str(write_lines(tmp_path / name, *JAPANESE)) for name in ("ref.ja", "hyp.ja")]


IN_PYTHON = {
    "corpus_score": lambda: celab.TeslaCelab().corpus_score(JAPANESE, [JAPANESE]),
    "corpus_scores": lambda: celab.TeslaCelab().corpus_scores({"A": JAPANESE}, [JAPANESE]),
    "sentence_score": lambda: celab.TeslaCelab().sentence_score(JAPANESE[0], JAPANESE[:1]),
    "method explain": lambda: celab.TeslaCelab().explain(JAPANESE[0], JAPANESE[0]),
    "pairwise": lambda: celab.TeslaCelab().pairwise(JAPANESE, JAPANESE),
    "explain": lambda: celab.explain(JAPANESE[0], JAPANESE[0]),
    "compare": lambda: celab.compare(JAPANESE, JAPANESE[::-1], JAPANESE, ["bleu"]),
    "TESLA-S": lambda: celab.TeslaS(lang="zh").corpus_score(JAPANESE, [JAPANESE]),
    "Mean": lambda: celab.Mean([celab.TeslaCelab()]).corpus_score(JAPANESE, [JAPANESE]),
}


@pytest.mark.parametrize("score", IN_PYTHON.values(), ids=IN_PYTHON)
def test_japanese_as_chinese_is_warned_about_in_python(score):
    with pytest.warns(celab.InputWarning, match=r"as in Japanese.* lang='ja'\??$") as seen:
        score()
    assert len(seen) == 1
    assert seen[0].filename == __file__  # the caller's line, not one of ours


@pytest.mark.parametrize("chosen", [(), ("-W", "always")])
def test_a_plain_program_is_warned(chosen):
    # In a process of its own: the filters of pytest hide those that importing NumPy adds.
    score = f"import celab; celab.TeslaCelab().corpus_score({JAPANESE}, [{JAPANESE}])"
    done = subprocess.run(
        [sys.executable, *chosen, "-c", score], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr.count("InputWarning") == 1 and "as in Japanese" in done.stderr


@pytest.mark.parametrize(
    "score",
    [
        lambda: celab.TeslaCelab(lang="ja").corpus_score(JAPANESE, [JAPANESE]),
        lambda: celab.TeslaCelab(tokenize="letter").corpus_score(JAPANESE, [JAPANESE]),
        lambda: celab.compare(JAPANESE, JAPANESE[::-1], JAPANESE, ["chrf"]),
        lambda: celab.compare(JAPANESE, JAPANESE[::-1], JAPANESE, ["bleu"], lang="ja"),
        lambda: celab.TeslaCelab().corpus_score(CHINESE, [CHINESE]),
        lambda: celab.TeslaCelab().corpus_score([*CHINESE, *FEW_KANA], [[*CHINESE, *FEW_KANA]]),
        *(lambda text=text: celab.TeslaCelab().sentence_score(text, [text]) for text in FEW_KANA),
    ],
)
def test_there_is_no_warning_about_other_text_or_languages(score):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        score()


@pytest.mark.parametrize(
    "arguments",
    [
        ["score"],
        ["score", "--lang", "zh"],
        ["score", "--segments"],
        ["score", "-m", "bleu"],
        ["explain", "1"],
        ["stream"],
    ],
)
def test_japanese_as_chinese_is_warned_about_on_the_command_line(japanese, arguments):
    command, *rest = arguments
    files = japanese[: 1 if command == "stream" else 2]
    done = run(command, *rest, *files, encoding="utf-8")
    (told,) = (line for line in done.stderr.split("\n") if "warning" in line)
    assert done.returncode == 0 and "as in Japanese; did you mean --lang ja?" in told
    assert all(path in told for path in files) and told.endswith("; did you mean --lang ja?")
    assert "; did you mean --lang ja?; --strict makes this an error" in refusal(
        command, *rest, "--strict", *files
    )
    quiet = run(command, *rest, *files, "--lang", "ja", "--strict") if "zh" not in rest else None
    assert quiet is None or quiet.returncode == 0


def test_a_japanese_file_among_chinese_ones_is_named(japanese, tmp_path):
    done = run("score", write_lines(tmp_path / "ref.zh", *CHINESE), japanese[1], encoding="utf-8")
    assert f"warning: {japanese[1]}: " in done.stderr
    assert "check that these are the right files" in done.stderr and "--lang" not in done.stderr


def test_japanese_as_chinese_is_warned_about_in_other_commands(judged, japanese, tmp_path):
    for path in (*judged.glob("ref-*.txt"), *judged.glob("hyp/*.txt")):
        write_lines(path, *(JAPANESE * 2)[:5])
    lines = (
        f"{k} ||| {candidate} ||| LM0= -{len(candidate)} ||| -1"
        for k, text in enumerate(JAPANESE)
        for candidate in (text, text[:-3])
    )
    nbest = write_lines(tmp_path / "list.txt", *lines)
    pairs = write_lines(tmp_path / "pairs.tsv", *(f"{text}\t{text}" for text in JAPANESE))
    for arguments in (
        ("meta", "-m", "celab", judged),
        ("mbr", nbest),
        ("tune", nbest, "-r", japanese[0]),
        ("para", pairs),
    ):
        done = run(*arguments, encoding="utf-8")
        assert "warning: " in done.stderr and "did you mean --lang ja?\n" in done.stderr
        assert "--strict makes this an error" in refusal(*arguments, "--strict")


def test_japanese_as_chinese_is_warned_about_on_dask(japanese):
    pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    from celab import distributed

    data = pandas.DataFrame({"hypothesis": JAPANESE, "reference": JAPANESE})
    with pytest.warns(celab.InputWarning, match="^hypothesis, reference: .* use lang='ja'$"):
        distributed.total(data)
    with pytest.warns(celab.InputWarning, match=r"ref\.ja"):  # which needs no beginning otherwise
        distributed.total(
            {japanese[0]: japanese[0], "hyp": japanese[1]},
            hypothesis="hyp",
            references=japanese[:1],
            metric=celab.TeslaCelab(script="keep"),
        )
