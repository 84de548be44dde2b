"""Words and segments with times: which words go to which segments, and what is not read."""

from functools import partial

import pytest

import celab
from celab import corpus
from celab.corpus.formats.timed import may_have_times
from celab.corpus.lines import open_lines

read = partial(corpus.read, blank_refs=True)  # there is silence

# The words, and where they go, are those of NIST's sclite 2.10, but for words outside of segments.
STM = """\
;; CATEGORY "0" "" ""
a 1 spk1 0.0 2.0 <o,f0,male> 今天天气很好
a 1 spk1 2.0 4.0 <o,f0,male> 我们 明天 去 北京 meeting
a 1 spk2 4.0 6.0 IGNORE_TIME_SEGMENT_IN_SCORING
a 1 spk2 6.0 8.0 <o,f0,male>
a 1 spk2 8.0 10.0 谢谢 大家
b A spk3 0.0 2.0 <NA> 买雨伞
"""
CTM = """\
;; by a recognizer
a 1 1.75 0.5 我们 0.9
a 1 0.6 0.5 天气
a 1 0.1 0.5 今天
a 1 1.2 0.5 真 0.8 lex spk1
a 1 3.0 0.5 北京
a 1 4.5 0.3 不算
a 1 6.5 0.3 多
A 1 8.2 0.3 谢谢
a 1 9.5 1.0 大家
b a 0.1 0.3 买
"""
TEXTS = ["今天 天气 真", "我们 北京", "多", "谢谢 大家", "买"]
IDS = ["1:0-2", "1:2-4", "1:6-8", "1:8-10", "A:0-2"]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write files in the working folder: text__stm is text.stm."""
    monkeypatch.chdir(tmp_path)

    def write_files(**texts):
        for name, text in texts.items():
            (tmp_path / name.replace("__", ".")).write_text(text, "utf-8")

    return write_files


@pytest.mark.parametrize("names", [("ref.stm", "hyp.ctm"), ("ref", "hyp"), ("ref.stm", "hyp")])
def test_words_go_to_the_segment_that_holds_their_middle(write, names):
    write(**{name.replace(".", "__"): text for name, text in zip(names, (STM, CTM), strict=True)})
    texts = read(names[:1], names[1:])
    assert texts.joined_by == "time (stm, ctm)"
    assert [(segment.document, segment.id) for segment in texts.segments] == [
        ("b" if n == "A:0-2" else "a", n) for n in IDS
    ]
    assert texts.refs[0][2:] == ["", "谢谢 大家", "买雨伞"]
    assert texts.hyps == TEXTS
    # By hand: 很 is 真; 好, 明天去, meeting and 雨伞 are lost; 多 is too much.
    edits = celab.Mer().corpus_score(texts.hyps, texts.refs).edits
    assert edits == {"substituted": 1, "deleted": 7, "inserted": 1, "reference": 21}


@pytest.mark.parametrize("format", ["stm", "ctm"])
def test_a_given_format_reads_what_is_not_recognized(write, format):
    ref, hyp = "a 1 s 0 2 买伞\n", "a 1 0 1 买\n"
    write(ref=ref, hyp=hyp, ref__stm=ref, hyp__ctm=hyp)
    assert read(["ref"], ["hyp"]).by_line
    for names in (("ref", "hyp"), ("ref.stm", "hyp.ctm")):
        texts = read(names[:1], names[1:], format=format)
        assert (texts.refs, texts.hyps) == ([["买伞"]], ["买"])


def test_a_system_may_have_the_segments_themselves(write):
    write(ref__stm=STM, hyp__stm=STM.replace("谢谢 大家", "谢谢"))
    texts = read(["ref.stm"], ["hyp.stm"])
    assert texts.joined_by == "time (stm)"
    assert texts.hyps[3] == "谢谢" and texts.hyps[:3] == texts.refs[0][:3]


@pytest.mark.parametrize("ref", ["utt_2 好\nutt_1 买雨伞\n", "好 (utt_2)\n买雨伞 (utt_1)\n"])
@pytest.mark.parametrize("name", ["hyp", "hyp__ctm"])
def test_recordings_may_be_utterances(write, ref, name):
    write(ref=ref, **{name: "utt_1 1 0.5 0.1 伞\nutt_2 1 0.0 0.1 好\nutt_1 1 0.0 0.5 买\n"})
    texts = read(["ref"], [name.replace("__", ".")])
    assert texts.joined_by in ("id of utterance (kaldi, ctm)", "id of utterance (trn, ctm)")
    assert (texts.refs, texts.hyps) == ([["好", "买雨伞"]], ["好", "买 伞"])


def test_channels_without_segments(write):
    write(hyp__ctm="a 1 0 1 买\na 2 0 1 伞\n")
    texts = read(["hyp.ctm"], ["hyp.ctm"])
    assert [segment.id for segment in texts.segments] == ["a/1", "a/2"]
    write(ref="a_1 买\na_2 伞\n", hyp__ctm="a_1 1 0 1 买\na_1 2 0 1 伞\n")
    with pytest.raises(celab.InputError, match="has several channels of a_1, which"):
        read(["ref"], ["hyp.ctm"])


def test_words_outside_of_all_segments_count_in_none(write):
    more = "a 1 9.9 3.0 外\nb A 2.0 0.2 远\n"
    write(ref__stm=STM, hyp__ctm=CTM + more)
    what = "hyp.ctm: 2 words of 12 are outside of all segments of ref.stm and count in none:"
    with pytest.warns(celab.InputWarning, match=rf"{what} 外 \(line 12\), 远 \(line 13\)"):
        texts = read(["ref.stm"], ["hyp.ctm"])
    assert texts.hyps == TEXTS


def test_of_two_neighbors_the_later_has_a_word_between_them(write):
    write(ref__stm="a 1 s 1.0 2.0 买\na 1 s 2.0 3.0 伞\n", hyp__ctm="a 1 1.75 .5 间\na 1 3 0 后\n")
    assert read(["ref.stm"], ["hyp.ctm"]).hyps == ["", "间 后"]


def test_a_recording_that_a_system_lacks_is_missing(write):
    write(ref__stm=STM, hyp__ctm=CTM.replace("b a 0.1 0.3 买\n", ""))
    with pytest.raises(celab.CelabError) as error:
        read(["ref.stm"], ["hyp.ctm"])
    assert "hyp.ctm is missing 1 segment (document b segment A:0-2), joined by time" in str(
        error.value
    )


REFUSED = {
    "another recording": (
        *(STM, CTM + "c 1 0.0 0.1 买\n"),
        "hyp.ctm, line 12: ref.stm has no c 1; there are a 1, b A",
    ),
    "overlapping segments": (
        *(STM + "a 1 spk2 1.0 2.5 好\n", CTM),
        "hyp.ctm, line 2: the middle of 我们 is in two segments of ref.stm, a 1:1-2.5 and a 1:2-4",
    ),
    "a segment twice": (STM + "a 1 spk2 0.0 2.0 好\n", CTM, "has 1 segment more than once"),
    "the end first": (
        *("a 1 s 2.0 1.5 好\n", CTM),
        "ref.stm, line 1: the segment ends at 1.5, before it starts, at 2.0",
    ),
    "a word without a time": (STM, CTM + "买\n", "hyp.ctm, line 12: this is no word of .ctm; it"),
    "no words": (STM, ";; nothing\n", "hyp.ctm holds no system; it must hold at least one word"),
    "no segments": (";; nothing\n", CTM, "ref.stm holds no reference; it must hold at least one"),
    "an alternation": (
        *("a 1 s 0.0 2.0 { 嗯 / 啊 / @ } 好\n", CTM),
        r"ref.stm, line 1: { 嗯 / 啊 / @ } is an alternation",
    ),
    "an optional word": ("a 1 s 0.0 2.0 (呃) 好\n", CTM, "ref.stm, line 1: (呃) is an optional"),
    "an alternation of words": (
        *(STM, "a 1 * * <ALT_BEGIN>\n"),
        "hyp.ctm, line 1: <ALT_BEGIN> is of an alternation",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_read_names_the_line(write, case):
    ref, hyp, message = REFUSED[case]
    write(ref__stm=ref, hyp__ctm=hyp)
    with pytest.raises(celab.InputError) as error:
        read(["ref.stm"], ["hyp.ctm"])
    assert message in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "I bought 2 3 umbrellas\nHe bought 4 5 hats\n",  # numbers without a point
        "a 1 0.5 0.5 买\n",  # one line
        "utt 1 0.5 0.5 买 a b c d e f\nutt 1 0.5 0.5 伞\n",
        "a 1 s 0.5 1.0 买\n伞\n",
    ],
)
def test_text_with_numbers_is_text(write, text):
    write(ref=text, hyp=text)
    assert read(["ref"], ["hyp"]).by_line


def test_files_with_times_are_not_streamed(write):
    write(ref=STM, hyp=CTM)
    assert may_have_times(STM) and may_have_times(CTM)
    assert open_lines([("ref", None), ("hyp", None)]) is None


@pytest.mark.parametrize("names", [("ids", "ref.stm"), ("plain", "ref.stm")])
def test_segments_with_times_are_not_joined_by_order(write, names):
    lines = ["今天", "我们", "谢谢", "好", "买"]
    ids = "".join(f"utt_{n} {line}\n" for n, line in enumerate(lines))
    write(ref__stm=STM, ids=ids, plain="".join(f"{line}\n" for line in lines))
    with pytest.raises(celab.InputError) as error:
        read(names[:1], names[1:])
    assert f"ref.stm is .stm, whose segments have times, but {names[0]} has no times" in str(
        error.value
    )


def test_fields_are_no_columns_of_transcripts(write):
    write(ref__stm=STM, hyp__ctm=CTM, ids="utt_1 买\nutt_2 伞\n")
    for names, settings in ((("ref.stm", "hyp.ctm"), {}), (("ids", "ids"), {"format": "kaldi"})):
        with pytest.raises(celab.InputError, match=r"names columns, but \S+ has none"):
            read(names[:1], names[1:], fields=corpus.Fields(id="id"), **settings)


def test_words_with_times_are_not_aligned_by_text(write):
    write(ref__stm=STM, hyp__ctm=CTM)
    with pytest.raises(celab.InputError, match="whose words have times"):
        read(["ref.stm"], ["hyp.ctm"], align=True)
