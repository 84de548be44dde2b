"""Transcripts with the ids of utterances: what is read, what is recognized, and what is not."""

import pytest

import celab
from celab.corpus import read
from celab.corpus.formats.utterances import MIN_LINES, find_ids, may_have_ids
from celab.corpus.model import FilePart

KALDI = "A-001 今天天气很好\nA-002 去北京\nB-001 买雨伞\nB-002 好\n"
TRN = "今天天气很好 (A-001)\n去北京 (A-002)\n买雨伞 (B-001)\n好 (B-002)\n"
OTHER = "B-001 买伞\nB-002\nA-001\t今天 天气 真 好\nA-002 去北京\n"  # in another order
OTHER_TRN = ";; by hand\n买伞 (B-001)\n(B-002)\n今天 天气 真 好 (A-001)\n\n去北京 (A-002)\n"


def parts(*texts):
    kinds = ["reference", *["system"] * (len(texts) - 1)]
    return [
        FilePart(kind=kind, name=f"{n}.txt", where=f"{n}.txt", texts=text.splitlines())
        for n, (kind, text) in enumerate(zip(kinds, texts, strict=True))
    ]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files in the working folder, and return their names."""
    monkeypatch.chdir(tmp_path)

    def write_files(**texts):
        for name, text in texts.items():
            (tmp_path / name).write_text(text, "utf-8")
        return list(texts)

    return write_files


@pytest.mark.parametrize(
    ("ref", "hyp", "formats"),
    [(KALDI, OTHER, "kaldi"), (TRN, OTHER_TRN, "trn"), (TRN, OTHER, "trn, kaldi")],
)
def test_utterances_are_joined_by_id(write, ref, hyp, formats):
    write(ref=ref, hyp=hyp)
    corpus = read(["ref"], ["hyp"])
    assert corpus.joined_by == f"id of utterance ({formats})"
    assert [segment.id for segment in corpus.segments] == ["A-001", "A-002", "B-001", "B-002"]
    assert corpus.refs == [["今天天气很好", "去北京", "买雨伞", "好"]]
    assert corpus.systems == {"hyp": ["今天 天气 真 好", "去北京", "买伞", ""]}
    # By hand: 很 → 真, 雨 and 好 are lost, of 13 characters.
    score = celab.Cer().corpus_score(corpus.systems["hyp"], corpus.refs)
    assert score.score == pytest.approx(100 * 3 / 13)


@pytest.mark.parametrize("format", ["kaldi", "trn"])
def test_a_given_format_reads_what_is_not_recognized(write, format):
    ref, hyp = ("1 买伞\n", "1 买\n") if format == "kaldi" else ("买伞 (1)\n", "买 (1)\n")
    write(ref=ref, hyp=hyp)
    assert read(["ref"], ["hyp"]).by_line
    corpus = read(["ref"], ["hyp"], format=format)
    assert (corpus.refs, corpus.systems) == ([["买伞"]], {"hyp": ["买"]})


NO_IDS = {
    "words": ("Yes we go\nNo we stay\nSo be it\n", "Yes we go\nNo we stay\nSo be it\n"),
    "numbers": ("1. 买\n2. 伞\n3. 好\n", "1. 买\n2. 伞\n3. 好\n"),
    "one line without": (KALDI + "买伞\n", OTHER + "买伞\n"),
    "an id twice": (KALDI + "A-001 买\n", OTHER + "A-001 买\n"),
    "other ids": (KALDI, OTHER.replace("A-", "C-").replace("B-0", "D-0")),
    "only one file": (KALDI, "买伞\n好\n今天\n去\n"),
    "one line": ("A-1 买\n", "A-1 买\n"),
    "Chinese": ("GPT-4是模型\nR2-D2是机器人\nB-52是飞机\n",) * 2,
    "dialogue": ("- 买\n- 伞\n- 好\n",) * 2,
}


@pytest.mark.parametrize("case", NO_IDS)
def test_what_is_no_id_is_text(case):
    given = parts(*NO_IDS[case])
    assert find_ids(given) == (given, "")


def test_files_that_are_streamed_are_read_whole_if_they_have_ids():
    assert may_have_ids(KALDI) and may_have_ids(TRN)
    assert not any(may_have_ids(ref) for case, (ref, _) in NO_IDS.items() if case in ("words",))
    assert not may_have_ids("\n".join(KALDI.split("\n")[: MIN_LINES - 1]) + "\nA-0")


def test_a_missing_utterance_is_named(write):
    write(ref=KALDI, hyp="A-001 今天\nB-001 买伞\nB-002 好\n")
    with pytest.raises(celab.CelabError) as error:
        read(["ref"], ["hyp"])
    assert "hyp is missing 1 segment (segment A-002), joined by id of utterance" in str(error.value)
    corpus = read(["ref"], ["hyp"], skip_missing=True)
    assert corpus.n_left_out == 1 and corpus.refs == [["今天天气很好", "买雨伞", "好"]]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("去 { 北京 / 南京 } (A-002)", r"\{ 北京 / 南京 \} is an alternation"),
        ("(uh) 去北京 (A-002)", r"\(uh\) is an optional word"),
    ],
)
def test_choices_are_refused_by_name(write, line, what):
    write(ref=TRN.replace("去北京 (A-002)", line), hyp=OTHER_TRN)
    with pytest.raises(celab.InputError, match=f"ref, utterance A-002: {what}"):
        read(["ref"], ["hyp"])
    with pytest.raises(celab.InputError, match=f"ref, line 2: {what}"):
        read(["ref"], ["hyp"], format="trn")


def test_damaged_files_name_the_line(write):
    write(ref=TRN, hyp=OTHER_TRN.replace("(A-001)", "(A-001"))
    with pytest.raises(celab.InputError, match=r"hyp, line 4: there is no id; it must end in one"):
        read(["ref"], ["hyp"], format="trn")
    write(ref=KALDI, hyp=OTHER + "A-001 买\n")
    with pytest.raises(celab.InputError, match="hyp has 1 segment more than once"):
        read(["ref"], ["hyp"], format="kaldi")
