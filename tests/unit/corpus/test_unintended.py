"""Input that would give a number which nobody meant: it is refused, or a warning says so."""

import csv
import io
import itertools
import json
import os
import pickle
import shutil
import threading
import warnings
from dataclasses import replace

import numpy as np
import pytest
from commands import run
from conftest import ROOT
from hypothesis import example, given
from hypothesis import strategies as st
from oracle.digests import digest

import celab
import celab.exact.weights
from celab._native.digests import add_digests
from celab.base.errors import InputError
from celab.base.numbers import decimal
from celab.corpus import Corpus, Fields, Segment
from celab.corpus.formats.quoting import rows_of
from celab.metrics import baselines
from celab.metrics.baselines import BaselineScorer, Chrf, Ter
from celab.metrics.checks import check_corpus
from celab.metrics.scores import Score

EXAMPLES = str(ROOT / "examples")
REF, REF2, A, B = (
    os.path.join(EXAMPLES, name) for name in ("ref1.zh", "ref2.zh", "hyp1.zh", "hyp2.zh")
)
# Spellings that Python's float reads, or int, and nobody means.
ODD = ("1_0", "٣", "0.٣", "１", "1e308", "inf", "-nan", "0x1p3")


def write(path, *lines):
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def error_of(command, *arguments, **settings):
    done = run(command, *arguments, encoding="utf-8", **settings)
    assert done.returncode == 2, done.stderr
    assert done.stdout == "" and done.stderr.count("\n") == 1
    return done.stderr


# ---- celab compare: which file is a reference ----


def test_compare_refuses_a_third_system_that_looks_like_a_reference():
    told = error_of("compare", REF, REF2, A, B)
    assert f"celab compare -r {REF} {REF2} -s {A} {B}" in told
    assert f"celab score -r {REF} -s {REF2} {A} {B}" in told
    for files in (["-r", REF, REF2, "-s", A, B], [REF, REF2, "-s", A, B], [REF, A, B]):
        done = run("compare", "-m", "chrf", *files, encoding="utf-8")
        assert done.returncode == 0 and done.stderr.startswith("celab compare: 2 systems")


# ---- references one list per segment ----

HYPS = ["买伞", "去北京", "你好吗"]
BY_SEGMENT = [["买雨伞", "买一把伞"], ["去北京", "到北京去"], ["你好", "您好吗"]]


@pytest.mark.parametrize(
    ("refs", "call"),
    [
        (BY_SEGMENT, "list(zip(*refs))"),
        ([tuple(one[:1]) for one in BY_SEGMENT], "list(zip(*refs))"),
        ([["买雨伞"], *BY_SEGMENT[1:]], "list(itertools.zip_longest(*refs))"),
    ],
)
def test_references_by_segment_are_answered_with_the_right_call(refs, call):
    metric = celab.TeslaCelab(lexicon=None)
    with pytest.raises(InputError) as caught:
        metric.corpus_score(HYPS, refs)
    assert str(caught.value).endswith(f"these look like one list per segment: pass {call}")
    right = eval(call, {"refs": refs, "itertools": itertools})  # the call works as it is shown
    score = metric.corpus_score(HYPS, right)
    for hyp, some, segment in zip(HYPS, refs, score.segments, strict=True):
        assert segment.score == metric.sentence_score(hyp, list(some)).score


def test_other_lists_get_no_advice_about_their_shape():
    square = [["甲", "乙"], ["丙", "丁"]]
    assert check_corpus(["甲", "丙"], square) == (["甲", "丙"], square)
    with pytest.raises(InputError, match=r"reference 2 has 2$"):
        check_corpus(HYPS, [HYPS, HYPS[:2]])


@pytest.mark.parametrize(
    ("refs", "call"),
    [
        ([["买雨伞", "买一把伞"]], "refs[0]"),
        ([["买雨伞"], ["买一把伞"]], "[ref[0] for ref in refs]"),
    ],
)
def test_nested_references_of_a_sentence_are_answered_with_the_right_call(refs, call):
    metric = celab.TeslaCelab()
    for score in (metric.sentence_score, celab.explain):
        with pytest.raises(InputError) as caught:
            score("买伞", refs)
        assert str(caught.value).endswith(f"for one sentence, pass {call}")
    right = eval(call, {"refs": refs})
    expected = metric.sentence_score("买伞", ["买雨伞", "买一把伞"])
    assert metric.sentence_score("买伞", right) == expected
    with pytest.raises(InputError, match=r"pass one str per reference$"):
        metric.sentence_score("买伞", [["买", "伞"], "雨伞"])
    with pytest.raises(InputError, match=r"hyp is of type list.*corpus_score takes several$"):
        metric.sentence_score(["买伞"], ["买雨伞"])


# ---- numbers ----


@pytest.fixture
def judged(tmp_path):
    folder = tmp_path / "judged"
    shutil.copytree(os.path.join(EXAMPLES, "judged"), folder)
    return folder


def replace_score(path, line, score):
    """Writes `score` in the last column of a line, counted from 1."""
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[line - 1] = "\t".join([*lines[line - 1].split("\t")[:-1], score])
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("absent", ["None", "nan", "NaN", ""])
def test_human_scores_may_be_missing(judged, absent):
    table = judged / "human-seg.tsv"
    replace_score(table, 3, absent)
    done = run("meta", "-m", "chrf", "--json", judged, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    lines = table.read_text(encoding="utf-8").split("\n")
    table.write_text("\n".join([*lines[:2], *lines[3:]]), encoding="utf-8")
    assert run("meta", "-m", "chrf", "--json", judged, encoding="utf-8").stdout == done.stdout


@pytest.mark.parametrize("number", [*ODD, "nan", "None", ""])
def test_odd_scores_are_refused_with_their_line(judged, tmp_path, number):
    systems = sorted(path.stem for path in (judged / "hyp").iterdir())
    rows = [f"{name}\t{k}\t0.{k}" for name in systems for k in range(5)]
    table = write(tmp_path / "outside.tsv", "system\tsegment\tscore", *rows)
    arguments = ("meta", "-m", "chrf", "--scores", f"outside={table}", judged)
    assert run(*arguments).returncode == 0
    replace_score(table, 4, number)
    assert f"{table}, line 4: " in error_of(*arguments)
    if number in ODD:
        replace_score(judged / "human-seg.tsv", 3, number)
        told = error_of("meta", "-m", "chrf", judged)
        assert f"human-seg.tsv, line 3: score is {number!r}; it must be a number" in told


@pytest.mark.parametrize("number", ODD)
def test_odd_numbers_are_refused_wherever_a_file_has_numbers(tmp_path, number):
    ref = write(tmp_path / "ref.zh", "买雨伞")
    nbest = write(tmp_path / "list.txt", f"0 ||| 买伞 ||| LM0= {number} ||| -1")
    assert f"{nbest}, line 1: feature LM0 is " in error_of("tune", nbest, "-r", ref)
    write(nbest, f"0 ||| 买伞 ||| LM0= -1 ||| {number}")
    assert f"{nbest}, line 1: the total score is {number!r}" in error_of("mbr", nbest)
    weights = write(tmp_path / "weights.tsv", f"伞\t{number}")
    assert f"{weights}, line 1: the weight" in error_of("score", "--weights", weights, REF, A)
    counts = write(tmp_path / "counts.tsv", f"Regen\t{number}")
    with pytest.raises(InputError, match=r"line 1: .* is not a word, a tab and a count"):
        celab.TeslaCelab(lang="de", counts=counts)


@pytest.mark.parametrize("number", ODD)
@pytest.mark.parametrize(
    "flag", ["--max-order", "--f", "--explain", "--max-line", "--resamples", "--jobs", "--grades"]
)
def test_odd_numbers_are_refused_on_the_command_line(flag, number):
    assert flag in error_of("score", flag, number, REF, A)


def test_odd_numbers_of_columns_are_names(tmp_path):
    table = write(tmp_path / "t.tsv", "a\tb\tc", "买伞\t买伞\t买伞")
    told = error_of("score", "--ref-fields", "٣", "--hyp-fields", "a", table)
    assert "has no '٣' for the reference; there are: a, b, c" in told


def test_ordinary_numbers_are_read_as_python_reads_them():
    for text in ("0", "-1", "+1.5", ".5", "1.", "2e-3", "1E+2", "0.1", "123456789.123456789"):
        assert decimal(text) == float(text)


# ---- Japanese scored as Chinese ----

JAPANESE = ["私は学生です。", "東京は日本の首都である。", "明日、北京に行きます。"]
CHINESE = ["我是学生。", "东京是日本的首都。", "明天去北京。"]
FEW_KANA = ["优の良品在大阪", "我在すき家吃饭", "他喜欢ポケモン和スーパーマリオ", "北京"]


@pytest.fixture
def japanese(tmp_path):
    return [str(write(tmp_path / name, *JAPANESE)) for name in ("ref.ja", "hyp.ja")]


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
    with pytest.warns(celab.InputWarning, match="as in Japanese.* use lang='ja'$") as seen:
        score()
    assert len(seen) == 1
    assert seen[0].filename == __file__  # the caller's line, not one of ours


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
    assert "; did you mean --lang ja?; --strict makes this an error" in error_of(
        command, *rest, "--strict", *files
    )
    quiet = run(command, *rest, *files, "--lang", "ja", "--strict") if "zh" not in rest else None
    assert quiet is None or quiet.returncode == 0


def test_a_japanese_file_among_chinese_ones_is_named(japanese, tmp_path):
    done = run("score", write(tmp_path / "ref.zh", *CHINESE), japanese[1], encoding="utf-8")
    assert f"warning: {japanese[1]}: " in done.stderr
    assert "check that these are the right files, or use --lang ja" in done.stderr


def test_japanese_as_chinese_is_warned_about_in_other_commands(judged, japanese, tmp_path):
    for path in (*judged.glob("ref-*.txt"), *judged.glob("hyp/*.txt")):
        write(path, *(JAPANESE * 2)[:5])
    lines = (
        f"{k} ||| {candidate} ||| LM0= -{len(candidate)} ||| -1"
        for k, text in enumerate(JAPANESE)
        for candidate in (text, text[:-3])
    )
    nbest = write(tmp_path / "list.txt", *lines)
    pairs = write(tmp_path / "pairs.tsv", *(f"{text}\t{text}" for text in JAPANESE))
    for arguments in (
        ("meta", "-m", "celab", judged),
        ("mbr", nbest),
        ("tune", nbest, "-r", japanese[0]),
        ("para", pairs),
    ):
        done = run(*arguments, encoding="utf-8")
        assert "warning: " in done.stderr and "did you mean --lang ja?\n" in done.stderr
        assert "--strict makes this an error" in error_of(*arguments, "--strict")


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


# ---- TSV with the quoting of CSV ----

QUOTED_TEXTS = ['他说"买雨伞"。', "去北京", '"你好"', "a,b", "5 \t 6", "一\n二", ""]


def cells_of(text):
    """The rows that are read, and the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        rows = [cells for _, cells in rows_of(text, "t.tsv")]
    return rows, [str(one.message) for one in seen]


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_that_pandas_writes_are_read_as_they_were(quoting, end):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"hyp": QUOTED_TEXTS, "ref": QUOTED_TEXTS[::-1]})
    text = frame.to_csv(sep="\t", quoting=quoting, lineterminator=end)
    rows, warned = cells_of(text)
    pairs = zip(QUOTED_TEXTS, QUOTED_TEXTS[::-1], strict=True)
    expected = [["", "hyp", "ref"], *([str(k), *pair] for k, pair in enumerate(pairs))]
    assert rows == expected and warned == []
    numbers = [number for number, _ in rows_of(text, "t.tsv")]
    assert numbers == [1, 2, 3, 5, 6, 7, 8, 10]  # the lines on which the rows begin


@pytest.mark.parametrize(
    ("rows", "doubtful"),
    [
        (['"Hello," he said.', '"Yes."'], None),
        (['"I am here.', 'And you?"', 'a 5" disk'], None),
        (['He said "yes".'], None),
        (["“好”"], None),
        (['""Yes""', '"No"'], None),
        (['"""Yes"" he said"', 'say "no"', 'say "go"'], None),
        (["x", '"Yes."'], 3),  # speech, or a needless pair of marks
        (['"I am here.', 'And you?"'], 2),  # two lines, or one cell
        (['"say ""yes"""', 'say "no"'], 3),  # the last was not quoted
        (['"say ""yes"""', '"no"'], 3),
        (['"a, b"', '"say ""yes"""', "c, d"], 2),
    ],
)
def test_marks_that_are_text_stay_and_doubtful_lines_are_named(rows, doubtful):
    rows = [["id", "text"], *([str(number), cell] for number, cell in enumerate(rows, 1))]
    found, warned = cells_of("".join("\t".join(row) + "\n" for row in rows))
    assert found == rows
    if doubtful is None:
        assert warned == []
    else:
        (message,) = warned
        assert message.startswith(f"t.tsv, line {doubtful}: ")
        assert message.endswith("convert the file to JSON Lines")


def test_spreadsheets_also_quote_cells_with_commas():
    text = 'id\ttext\n1\t"a, b"\n2\t"say ""yes"""\n3\tc\n'
    assert cells_of(text) == ([["id", "text"], ["1", "a, b"], ["2", 'say "yes"'], ["3", "c"]], [])


@given(st.lists(st.lists(st.text('a",\t\n 1', max_size=5), min_size=2, max_size=2), min_size=1))
def test_what_the_csv_module_writes_is_never_misread_in_silence(rows):
    written = io.StringIO()
    csv.writer(written, delimiter="\t", lineterminator="\n").writerows([["x", "y"], *rows])
    found, warned = cells_of(written.getvalue())
    assert found == [["x", "y"], *rows] or warned


@given(st.lists(st.text('a", ', max_size=6), min_size=1, max_size=4))
@example(texts=['"""a', '"'])  # one quoted cell, or two lines
def test_lines_of_text_stay_unless_their_marks_are_paired(texts):
    lines = [f"{k}\tx\t{text}" for k, text in enumerate(texts)]
    found, _ = cells_of("\n".join(["id\tref\thyp", *lines]))
    if found[1:] != [[str(k), "x", text] for k, text in enumerate(texts)]:
        assert any(text[:1] == text[-1:] == '"' and text != '"' for text in texts)
        assert any('""' in text for text in texts)


FIELDS = ["--ref-fields", "ref", "--hyp-fields", "hyp"]


def test_quoted_tables_score_as_the_texts_do(tmp_path):
    texts = ['他说"买雨伞"。', "去北京", '"你好"，他说']
    refs = ['他说"买伞"。', "去北京", '"你好吗"，他说']
    table = tmp_path / "t.tsv"
    with open(table, "w", encoding="utf-8", newline="") as file:
        rows = [("hyp", "ref"), *zip(texts, refs, strict=True)]
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    ref, hyp = write(tmp_path / "ref.zh", *refs), write(tmp_path / "hyp.zh", *texts)
    for flags in ([], ["--segments"]):
        quoted = run("score", "-q", "--strict", *flags, *FIELDS, table, encoding="utf-8")
        plain = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
        assert quoted.returncode == 0 and quoted.stderr == ""
        assert quoted.stdout == plain.stdout
    read = celab.Campaign.read(table, fields=Fields(ref=["ref"], hyp=["hyp"])).corpus
    assert (read.refs, [*read.systems.values()]) == ([refs], [texts])


def test_doubtful_quoting_is_warned_about_in_python_and_on_the_command_line(tmp_path):
    table = write(tmp_path / "t.tsv", "hyp\tref", "去北京\t去北京", '"买伞"\t买雨伞')
    done = run("score", *FIELDS, table, encoding="utf-8")
    assert done.returncode == 0
    assert f"celab-score: warning: {table}, line 3: a cell is in quotation marks" in done.stderr
    assert "--strict makes this an error" in error_of("score", "--strict", *FIELDS, table)
    with pytest.warns(celab.InputWarning, match=r"t\.tsv, line 3: "):
        celab.Campaign.read(table, fields=Fields(ref=["ref"], hyp=["hyp"]))


def test_quoted_cells_in_other_tables(tmp_path):
    pairs = write(tmp_path / "pairs.tsv", "source\tcandidate", '"他说""买""。"\t"他说""卖""。"')
    (row,) = json.loads(run("para", "--json", pairs, encoding="utf-8").stdout)["pairs"]
    assert (row["source"], row["candidate"]) == ('他说"买"。', '他说"卖"。')
    weights = write(tmp_path / "weights.tsv", '""""\t0.5', "伞\t0.2")
    assert celab.exact.weights.read(str(weights)).weights == {'"': 50, "伞": 20}


# ---- scores that cannot be compared ----

OTHERS = ["卖伞", "去", "你好"]
REFERENCES = [["买雨伞", "去北京", "你好吗"]]
TWO = [*REFERENCES, ["买一把伞", "到北京去", "您好"]]


@pytest.fixture(scope="module")
def scores():
    score = celab.TeslaCelab().corpus_score
    return {
        "usual": score(HYPS, REFERENCES),
        "settings": celab.TeslaCelab(max_order=3).corpus_score(OTHERS, REFERENCES),
        "metric": Chrf().corpus_score(OTHERS, REFERENCES),
        "references": score(OTHERS, [["买雨伞", "去北京", "你好吧"]]),
        "n_references": score(OTHERS, TWO),
        "order": score(OTHERS[::-1], [REFERENCES[0][::-1]]),
        "segments": score(OTHERS[:2], [REFERENCES[0][:2]]),
        "same": score(OTHERS, REFERENCES),
    }


WRONG = {
    "settings": "have different settings, n:4 and n:3; score both with the same",
    "metric": "are scores of different metrics, celab and chrf",
    "references": "have different references, first in segment 3; score both on the same test set",
    "n_references": "have 1 and 2 references; score both with the same references",
    "order": "have different references in another order, first in segment 1",
    "segments": "have 3 and 2 segments; score both on the same test set",
}


def paired_tests(a, b):
    """Return every way to test a difference; all must refuse or take the same scores."""
    texts = HYPS[: len(a.segments)]
    segments = [Segment("", str(k)) for k in range(len(texts))]
    corpus = Corpus(segments, {"a": texts, "b": texts}, [texts], ["ref"])
    campaign = celab.Campaign(corpus, scores={"metric": {"a": a, "b": b}})
    return [
        lambda: celab.significance.paired_bootstrap(a, b, n_resamples=50),
        lambda: celab.significance.paired_randomization(a, b, n_resamples=50),
        lambda: campaign.test(n_resamples=50),
        lambda: campaign.compare("a", "b", n_resamples=50),
    ]


@pytest.mark.parametrize("what", WRONG)
def test_scores_that_cannot_be_compared_are_refused(scores, what):
    for test in paired_tests(scores["usual"], scores[what]):
        with pytest.raises(InputError, match=f"^a and b {WRONG[what]}"):
            test()
    for test in paired_tests(scores[what], scores["usual"]):
        with pytest.raises(InputError, match=r"^a and b "):
            test()


def test_scores_are_compared_by_what_they_have(scores):
    by_hand = replace(scores["same"], digests=None)
    before = pickle.loads(pickle.dumps(scores["same"]))
    object.__delattr__(before, "digests")  # as one that was pickled without it
    unproved = replace(scores["same"], signature=scores["same"].signature.with_part("skipped", 1))
    for other in (scores["same"], by_hand, before, unproved):
        for test in paired_tests(scores["usual"], other):
            test()
    for test in paired_tests(replace(scores["usual"], digests=None), scores["settings"]):
        with pytest.raises(InputError, match="different settings"):
            test()


def test_the_digest_of_references_travels(scores):
    metric, score = celab.TeslaCelab(), scores["usual"]
    parts = [metric.corpus_score(HYPS[p], [REFERENCES[0][p]]) for p in (slice(1), slice(1, 3))]
    many = metric.corpus_scores({"A": HYPS, "B": OTHERS}, REFERENCES)
    for other in (
        pickle.loads(pickle.dumps(score)),
        Score.joined(parts),
        metric.scorer(REFERENCES)(HYPS, REFERENCES),
        many["A"],
        many["B"],
    ):
        assert other.digests.tolist() == score.digests.tolist()
        assert other.test_set == score.test_set == score.to_dict()["test_set"]
    assert Score.joined([parts[0], replace(parts[1], digests=None)]).digests is None
    assert score.test_set != scores["order"].test_set
    two = metric.corpus_score(HYPS, TWO), metric.corpus_score(HYPS, TWO[::-1])
    assert two[0].digests.tolist() == two[1].digests.tolist()  # the order of references is nothing


def test_digests_tell_texts_apart():
    texts = ["", "a", "b", "ab", "ba", "aa", "a\0", "\0", "\0\0", "买伞", "伞买", "\U0001f602"]
    digests = np.zeros(len(texts), np.uint64)
    add_digests(digests, texts)
    assert len(set(digests.tolist())) == len(texts) and digests[0] == 0
    assert digests.tolist() == [digest(text) for text in texts]  # the same on every machine
    with pytest.raises(ValueError, match="one number per text"):
        add_digests(digests, texts[1:])
    with pytest.raises(TypeError, match="must be a str, not int"):
        add_digests(digests[:1], [1])


# ---- TER on Chinese text ----

LONG = ["雨伞" * 100] * 500  # hours of sacreBLEU's time


@pytest.fixture
def started(monkeypatch):
    """Raises when sacreBLEU starts to count."""

    def start(*_):
        raise InputError("it has started")

    monkeypatch.setattr(baselines, "_counts", start)


@pytest.mark.usefixtures("started")
@pytest.mark.parametrize(
    "score",
    [
        lambda: Ter().corpus_score(LONG, [LONG]),
        lambda: Ter().corpus_scores({"A": LONG, "B": LONG}, [LONG]),
        lambda: celab.compare(LONG, LONG, LONG, ["ter"]),
    ],
)
def test_slow_ter_is_said_before_it_starts_in_python(score):
    with (
        pytest.warns(celab.InputWarning, match=r"^TER may take about .*, or use chrf$") as seen,
        pytest.raises(InputError, match="it has started"),
    ):
        score()
    assert len(seen) == 1


def scored_by_ter(tmp_path, texts):
    """Yields commands that score by TER, each with its references."""
    text, other = (write(tmp_path / name, *texts) for name in ("long.zh", "other.zh"))
    folder = tmp_path / "set"
    (folder / "hyp").mkdir(parents=True)
    for copy in ("ref-A.txt", "hyp/a.txt", "hyp/b.txt"):
        shutil.copy(text, folder / copy)
    write(folder / "human-sys.tsv", "a\t1", "b\t2")
    yield text, "score", "-m", "ter", text, other
    yield text, "compare", "-m", "ter", text, other, text
    yield folder / "ref-A.txt", "meta", "-m", "ter", folder


@pytest.mark.usefixtures("started")
def test_slow_ter_is_said_before_it_starts_on_the_command_line(tmp_path):
    for slow, command, *words in scored_by_ter(tmp_path, LONG[:20]):
        done = run(command, "-q", *words, encoding="utf-8")
        warned, error = done.stderr.rstrip().split("\n")
        assert "warning: " in warned and f"{slow}" in warned and ": TER may take about " in warned
        assert "error: " in error and "it has started" in error
        told = error_of(command, "--strict", *words)
        assert "TER may take about " in told and "--strict makes this an error" in told


@pytest.mark.usefixtures("started")
def test_ter_of_more_than_ten_minutes_must_be_asked_for_on_the_command_line(tmp_path):
    for slow, command, *words in scored_by_ter(tmp_path, LONG):
        told = error_of(command, *words)  # one line, before it starts
        assert f"error: {slow}: TER may take about " in told
        assert told.endswith("; leave it out, or use chrf; --slow scores by it all the same\n")
        done = run(command, "-q", "--strict", "--slow", *words, encoding="utf-8")
        warned, error = done.stderr.rstrip().split("\n")
        assert f"warning: {slow}: TER may take about " in warned and "it has started" in error


def test_the_slowest_metric_is_last_but_the_columns_are_as_asked_for(monkeypatch, tmp_path):
    text = write(tmp_path / "text.zh", "买雨伞", "去北京")
    order, real = [], BaselineScorer._score

    def score_and_note(self, *arguments):
        order.append(self.metric.name)
        return real(self, *arguments)

    monkeypatch.setattr(BaselineScorer, "_score", score_and_note)
    scored = celab.Campaign.read(text, text).score(["ter", "chrf"])
    assert order == ["chrf", "ter"] and list(scored.scores) == list(scored.metrics)
    assert list(scored.scores) == ["ter", "chrf"]
    done = run("score", "-m", "ter", "chrf", "--tsv", text, text, encoding="utf-8")
    assert done.stdout.startswith("system\tter\tchrf\t")


def test_quick_ter_is_not_warned_about():
    assert Ter().slowness([["我们明天去北京"] * 1000]) == ""
    assert Ter().slowness([["a sentence of seven words , say"] * 10_000], n_systems=20) == ""
    assert Ter().slowness([[text[:40] for text in LONG]], n_systems=1) == ""
    assert "about 27 minutes" in Ter().slowness([LONG])
    assert "about 2 hours" in Ter().slowness([LONG], n_systems=5)


# ---- files that are hardly what is meant ----

DOUBTFUL = [
    ("t.tsv", "id\thyp\n1\t买伞\n", "is read as plain text, tabs included; name its columns, or "),
    ("t.txt", '{\n"hyp": "买伞", "id": "1"}\n', "is read as plain text, but it is JSON"),
    ("t.txt", "买伞\r去北京\r", "is one line with 2 parts that end in a carriage return"),
    ("t.txt", "\n \n", "has no text, only blank lines; check that it is the right file"),
    ("t.txt", "买@@ 伞\n去 北@@ 京\n", "has marks of subwords (@@ or ▁) in 100% of its lines"),
    ("t.txt", "▁买 伞\n去\n", "has marks of subwords (@@ or ▁) in 50% of its lines"),
    ("t.txt", "0 ||| 买伞 ||| -1\n1 ||| 去 ||| -1\n", "looks like an n-best list"),
    ("t.txt", "\ufffd\ufffd伞\n去\n", "has 2 replacement characters (U+FFFD) in 2 lines"),
]


NUL = "NUL characters are dropped; remove them, or give the right encoding, such as utf-16"


@pytest.mark.parametrize("flags", [[], ["--segments"]])
@pytest.mark.parametrize("line", [2, 1500, 15_000])  # in any batch of a long file
def test_nul_characters_are_warned_about(tmp_path, flags, line):
    lines = ["买雨伞"] * 25_000
    ref = write(tmp_path / "ref.zh", *lines)
    lines[line - 1] = lines[-1] = "买\0雨伞"
    hyp = write(tmp_path / "hyp.zh", *lines)
    told = f"{hyp}, line {line}: {NUL}"
    done = run("score", "-q", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0 and done.stderr == f"celab-score: warning: {told}\n"
    done = run("score", "--strict", *flags, ref, hyp, "-o", tmp_path / "out", encoding="utf-8")
    assert done.returncode == 2 and done.stderr.endswith(f"{told}; --strict makes this an error\n")
    with pytest.warns(celab.InputWarning) as seen:
        celab.Campaign.read(ref, hyp)
    assert [str(warning.message) for warning in seen] == [told]


def test_nul_characters_of_json_and_of_nbest_lists_are_warned_about(tmp_path):
    table = write(tmp_path / "t.jsonl", r'{"ref": "买伞", "hyp": "买\u0000伞"}')
    flags = ["-q", "--ref-fields", "ref", "--hyp-fields", "hyp"]
    assert f", line 1: {NUL}" in run("score", *flags, table, encoding="utf-8").stderr
    nbest = write(tmp_path / "nbest.txt", "0 ||| 买伞", "0 ||| 买\0伞")
    for command, *arguments in (("mbr", nbest), ("tune", nbest, "-r", nbest)):
        if command == "mbr":
            done = run(command, "-q", *arguments, encoding="utf-8")
            assert done.returncode == 0 and f"{nbest}, line 2: {NUL}" in done.stderr
        assert f"{nbest}, line 2: {NUL}; --strict" in error_of(command, "--strict", *arguments)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs")
@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--weights", "pipe"], "pipe is a pipe; it must be a regular file"),
        (["--lang", "de", "--counts", "pipe"], "pipe is a pipe; it must be a regular file"),
        (["-m", "tesla-f", "--model", "pipe"], "model pipe is a pipe; it must be a file of"),
        (["-m", "tesla-b", "--pivot", "pipe"], "pivot table pipe is a pipe; it must be a .pivot"),
    ],
)
def test_pipes_are_not_waited_for(put, flags, told):
    text = put("text.zh", "买伞\n")
    os.mkfifo("pipe")
    # A reader would get an empty file, not wait for ever.
    writer = threading.Thread(target=lambda: open("pipe", "wb").close())
    writer.start()
    try:
        assert told in error_of("score", *flags, text, text)
    finally:
        reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
        writer.join()
        os.close(reader)


@pytest.mark.parametrize(("name", "content", "told"), DOUBTFUL)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_files_that_are_hardly_what_is_meant_are_warned_about(tmp_path, name, content, told, flags):
    hyp = tmp_path / name
    hyp.write_bytes(content.encode())
    ref = write(tmp_path / "ref.zh", *["买雨伞", "去北京"][: content.count("\n") or 1])
    done = run("score", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert f"warning: {hyp} {told}" in done.stderr
    assert f"{hyp} {told}" in error_of("score", "--strict", *flags, ref, hyp)
    with pytest.warns(celab.InputWarning) as seen:
        celab.Campaign.read(ref, hyp)
    assert f"{hyp} {told}" in str(seen[0].message)
    assert {warning.filename for warning in seen} == {__file__}


def test_a_table_may_be_meant_as_plain_text(tmp_path):
    table = write(tmp_path / "t.tsv", "id\thyp", "1\t买伞")
    assert f"{table} is read as plain text, " in error_of("score", "--strict", table, table)
    assert run("score", "--strict", "--format", "plain", table, table).returncode == 0
    with pytest.warns(celab.InputWarning, match="name its columns, or give format='plain'$"):
        celab.Campaign.read(table, table)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("t.tsv", "id\thyp\n1\t买伞\n", "is read as plain text, tabs included"),
        ("t.csv", "id,hyp\n1,买伞\n", "is not plain text"),
        ("t.json", '[{"hyp": "买伞"},\n {"hyp": "去"}]\n', "is not plain text"),
    ],
)
def test_references_of_a_stream_are_plain_text(tmp_path, name, content, told):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    assert f"{path} {told}" in error_of("stream", "--strict", path)


@pytest.mark.parametrize(
    "content",
    [
        "买伞\r\n去北京\r\n",
        "买伞\r\n去\r北京\n",
        "买伞\n\n",
        "买伞\n去\t北京\n",
        "[买伞]\n{去}\n",
        '["买伞"\n去\n',
        "写到 a@@b.cn\n去\n",
        "1 | 买伞\n去\n",
    ],
)
@pytest.mark.parametrize("flags", [[], ["--segments"]])
def test_other_files_are_not_warned_about(tmp_path, content, flags):
    hyp, ref = tmp_path / "hyp.tsv", write(tmp_path / "ref.zh", "买雨伞", "去北京")
    hyp.write_bytes(content.encode())
    done = run("score", "--strict", *flags, ref, hyp, encoding="utf-8")
    assert done.returncode == 0, done.stderr
