"""Transcripts with the ids of utterances: what is read, what is recognized, and what is not."""

import pytest

import celab
from celab.corpus import read
from celab.corpus.formats.utterances import MIN_LINES, find_ids, may_have_ids
from celab.corpus.lines import open_lines
from celab.corpus.model import FilePart

KALDI = "A-001 今天天气很好\nA-002 去北京\nB-001 买雨伞\nB-002 好\n"
TRN = "今天天气很好 (A-001)\n去北京 (A-002)\n买雨伞 (B-001)\n好 (B-002)\n"
OTHER = "B-001 买伞\nB-002\nA-001\t今天 天气 真 好\nA-002 去北京\n"  # in another order
OTHER_TRN = ";; by hand\n买伞 (B-001)\n(B-002)\n今天 天气 真 好 (A-001)\n\n去北京 (A-002)\n"


def parts(*texts):
    kinds = ["reference", *["system"] * (len(texts) - 1)]
    return [
        FilePart(role=kind, name=f"{n}.txt", where=f"{n}.txt", texts=text.splitlines())
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
    "only systems": ("买伞\n好\n今天\n去\n", KALDI),
    "numbers of clauses": ("1.1 We agree\n1.2 You agree\n2.1 They do\n2.2 It is\n3.1 No\n",) * 2,
    "times": ("10:30 Tea\n10:45 Talk\n11:15 Lunch\n12:00 Walk\n12:30 End\n",) * 2,
    "ratios": ("1:2 is half\n1:3 is less\n1:4 is little\n1:5 is least\n1:6 is no more\n",) * 2,
    "tokens": ("AB-1234\nAB-1235\nAB-1236\nAB-1237\nAB-1238\nAB-1239\n",) * 2,
    "names": ("COVID-19 is a disease.\nF-16 jets (USAF) fly.\n",) * 2,
    "compounds": ('"Well-known" authors write.\nX-ray images (CT) help.\n',) * 2,
    "many compounds": ("X-ray a\nT-shirt b\nE-mail c\nU-turn d\nG-force e\nK-pop f\n",) * 2,
    "choices": ("T-34 tanks { a / b } (uh) go\nMig-29 jets (USAF) fly\n",) * 2,
    "one line": ("A-1 买\n", "A-1 买\n"),
    "Chinese": ("GPT-4是模型\nR2-D2是机器人\nB-52是飞机\n",) * 2,
    "dialogue": ("- 买\n- 伞\n- 好\n",) * 2,
}


@pytest.mark.parametrize("case", NO_IDS)
def test_what_is_no_id_is_text(case):
    given = parts(*NO_IDS[case])
    assert find_ids(given) == (given, "")


SURE = {
    "two of one shape": "utt1 买伞\nutt2 去北京\n",
    "LibriSpeech": "1089-134686-0000 he hoped\n1089-134686-0001 stuff it\n121-121726-0000 also\n"
    "121-121726-0001 a\n610-70968-0000 he\n",
    "five of many shapes": "a1 买\nab-2 去\nx_3 好\nd.4.e5 不\n6f 是\n",
    "words in parentheses": "A-1 (uh) 买\nA-2 { 去 / 到 }\nA-3 好\n",
}


@pytest.mark.parametrize("case", SURE)
def test_what_surely_are_ids_are_recognized(case):
    found, formats = find_ids(parts(SURE[case], SURE[case]))
    lines = [line.split(" ", 1) for line in SURE[case].splitlines()]
    assert formats == "kaldi"
    ids = [key.id for key in found[0].keys]
    assert [*map(list, zip(ids, found[0].texts, strict=True))] == lines


def test_a_source_with_ids_is_joined_by_them(write):
    write(ref=KALDI, hyp=OTHER, plain="To Beijing\nGood\nRain\nFine\n")
    write(src="B-002 Good\nA-002 To Beijing\nB-001 Umbrella\nA-001 Fine day\n")
    corpus = read(["ref"], ["hyp"], source="src")
    assert [segment.id for segment in corpus.segments] == ["B-002", "A-002", "B-001", "A-001"]
    assert corpus.source == ["Good", "To Beijing", "Umbrella", "Fine day"]
    assert corpus.refs == [["好", "去北京", "买雨伞", "今天天气很好"]]
    corpus = read(["ref"], ["hyp"], source="plain")
    assert corpus.source == ["To Beijing", "Good", "Rain", "Fine"]
    assert corpus.refs == [["今天天气很好", "去北京", "买雨伞", "好"]]


@pytest.mark.parametrize(
    ("ref", "hyp", "what"),
    [
        (KALDI, "今天\n去北京\n买伞\n好\n", "hyp, line 1: there is no id"),
        (KALDI, "A-001 今天\n\n去北京\nB-001 买伞\n", "hyp, line 3: there is no id"),
        (KALDI, OTHER + "A-001 买\n", "hyp, line 5: its id, A-001, is that of line 3"),
        (TRN, OTHER_TRN.replace("(A-001)", ""), "hyp, line 4: there is no id"),
        (TRN, OTHER_TRN + "好 (B-002)\n", "hyp, line 7: its id, B-002, is that of line 3"),
    ],
)
def test_a_system_without_ids_of_its_own_is_an_error(write, ref, hyp, what):
    write(ref=ref, hyp=hyp)
    with pytest.raises(celab.InputError) as error:
        read(["ref"], ["hyp"])
    format = "kaldi" if ref is KALDI else "trn"
    assert str(error.value) == (
        f"{what}, but each line of ref has its own, such as A-001; use format='{format}' if both"
        " have ids, or format='plain' if they are text"
    )
    if len(hyp.splitlines()) == 4:
        assert read(["ref"], ["hyp"], format="plain").by_line


def test_choices_of_kaldi_are_words(write):
    write(ref="A-1 (uh) 买\n", hyp="A-1 { 买 / 卖 }\n")
    corpus = read(["ref"], ["hyp"], format="kaldi")
    assert (corpus.refs, corpus.systems) == ([["(uh) 买"]], {"hyp": ["{ 买 / 卖 }"]})


def test_files_that_are_streamed_are_read_whole_if_they_have_ids():
    assert may_have_ids(KALDI) and may_have_ids(TRN)
    assert not any(may_have_ids(ref) for case, (ref, _) in NO_IDS.items() if case in ("words",))
    assert not may_have_ids("\n".join(KALDI.split("\n")[: MIN_LINES - 1]) + "\nA-0")
    assert may_have_ids(TRN.replace("\n", "\r\n"))


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
@pytest.mark.parametrize("text", ["A-1 买伞\nA-2 去北京", "买伞 (A-1)\n去北京 (A-2)"])
def test_two_lines_with_ids_are_not_streamed(write, text, end):
    write(ref=text.replace("\n", end or "\n") + end, words="买伞\n去北京" + end)
    assert open_lines([("ref", None), ("ref", None)]) is None
    files = open_lines([("words", None), ("words", None)])
    assert files is not None
    for file in files:
        file.close()


def test_a_missing_utterance_is_named(write):
    write(ref=KALDI, hyp="A-001 今天\nB-001 买伞\nB-002 好\n")
    with pytest.raises(celab.CelabError) as error:
        read(["ref"], ["hyp"])
    assert "hyp is missing 1 segment (segment A-002), joined by id of utterance" in str(error.value)
    assert "; use missing='empty' to count them as deletions, or missing='skip'" in str(error.value)
    for settings in ({"skip_missing": True}, {"missing": "skip"}):
        corpus = read(["ref"], ["hyp"], **settings)
        assert corpus.n_left_out == 1 and corpus.refs == [["今天天气很好", "买雨伞", "好"]]
    corpus = read(["ref"], ["hyp"], missing="empty")
    assert (corpus.n_left_out, corpus.missing) == (0, {"hyp": ["A-002"]})
    assert corpus.hyps == ["今天", "", "买伞", "好"]


def test_signatures_say_what_missing_utterances_are_taken_for(write):
    write(ref=KALDI, hyp="A-001 今天\nB-001 买伞\nB-002 好\n")
    signatures = {}
    for name in ("empty", "skip", "skip_missing"):
        settings = {name: True} if name == "skip_missing" else {"missing": name}
        campaign = celab.Campaign.read("ref", "hyp", **settings).score("cer", check=False)
        signatures[name] = campaign.scores["cer"]["hyp"].signature
    assert str(signatures["empty"]).endswith("|missing:empty")
    assert str(signatures["skip"]).endswith("|missing:skip")
    assert signatures["skip_missing"] == signatures["skip"].without("missing")


def test_a_system_without_any_of_the_utterances_is_no_silence(write):
    write(ref=KALDI, hyp=OTHER.replace("A-", "C-").replace("B-0", "D-0"))
    with pytest.raises(celab.InputError, match="is missing 4 segments"):
        read(["ref"], ["hyp"], missing="empty", format="kaldi")


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
