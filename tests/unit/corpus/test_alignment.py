"""`celab.align` on cases that were read, one by one."""

import numpy as np
import pytest

import celab
from celab.base.errors import InputWarning
from celab.corpus.align import cutting
from celab.corpus.align.alignment import _listed
from celab.corpus.align.characters import Characters, join_lines


@pytest.mark.parametrize(
    ("text", "refs", "lines"),
    [
        # A closing quote stays with its sentence, whichever kind of quote it is.
        (
            "他说：“我们走吧。”她没有回答。",
            ["他说：“走吧。”", "她不回答。"],
            ["他说：“我们走吧。”", "她没有回答。"],
        ),
        (
            '他说："我们走吧。"她没有回答。',
            ['他说："走吧。"', "她不回答。"],
            ['他说："我们走吧。"', "她没有回答。"],
        ),
        (
            "「行こう。」と言った。雨だ。",
            ["「行くぞ。」と言った。", "雨が降る。"],
            ["「行こう。」と言った。", "雨だ。"],
        ),
        # A headline without punctuation.
        (
            "新画廊展览开幕2022年的作品很多",
            ["新画廊开展", "2022年的作品有很多"],
            ["新画廊展览开幕", "2022年的作品很多"],
        ),
        # Words of German and English are whole.
        (
            "Wir gehen morgen nach Berlin. Er kauft einen Schirm",
            ["Morgen fahren wir nach Berlin.", "Er hat einen Schirm gekauft."],
            ["Wir gehen morgen nach Berlin.", "Er kauft einen Schirm"],
        ),
        # Korean, and Thai clusters.
        (
            "우리는 내일 서울에 간다. 비가 온다.",
            ["내일 우리는 서울에 간다.", "비가 와요."],
            ["우리는 내일 서울에 간다.", "비가 온다."],
        ),
        ("ฉันดื่มน้ำ เขากินข้าว", ["ฉันดื่มน้ำเย็น", "เขากินข้าว"], ["ฉันดื่มน้ำ", "เขากินข้าว"]),
        # A segment that the output leaves out.
        (
            "他买了雨伞。我们明天去北京。",
            ["他买了雨伞。", "她哭了，什么话也不说。", "我们明天去北京。"],
            ["他买了雨伞。", "", "我们明天去北京。"],
        ),
    ],
)
def test_cases(text, refs, lines):
    assert celab.align(text, refs).lines == lines


def test_a_reference_without_text_gets_none():
    aligned = celab.align("买伞。去北京。", ["买雨伞。", " ", "去北京吧。"])
    assert aligned.lines == ["买伞。", "", "去北京。"] and aligned.blank == []


def test_an_empty_text_leaves_every_segment_blank():
    with pytest.warns(InputWarning, match="covers 0% of the reference; is it the right file"):
        aligned = celab.align(" \n", ["买雨伞。", "去北京。"])
    assert aligned.lines == ["", ""] and aligned.blank == [0, 1] and aligned.cuts == [0, 0]


def test_another_text_is_a_warning():
    refs = ["买雨伞。", "去北京。", "今天下雨。"]
    with pytest.warns(InputWarning):
        celab.align("This is quite another language, and nothing of it is in the reference.", refs)


def test_lines_are_joined_by_script():
    assert join_lines(["Er sagt", "es.", "“Ja”", "买", "伞 ", "", "3", "USD"]) == (
        "Er sagt es.“Ja”买伞3 USD"
    )


@pytest.mark.parametrize(
    ("mark", "distance", "is_candidate"),
    [("。", 18, True), ("。", 400, True), ("。", 401, False), ("カ", 18, False), ("，", 18, True)],
)
@pytest.mark.parametrize("side", [-1, 1])
def test_a_text_may_be_cut_near_a_place_and_after_punctuation(mark, distance, is_candidate, side):
    cut = 500
    letters = ["买"] * 1000
    letters[cut + side * distance - 1] = mark
    (found,) = cutting.candidates(Characters.of("".join(letters)), np.array([cut]))
    near = {*range(cut - cutting.NEAR_CHARACTERS, cut + cutting.NEAR_CHARACTERS + 1)}
    assert {*found.tolist()} == near | ({cut + side * distance} if is_candidate else set())


def test_the_ends_of_a_text_are_no_marks():
    (found,) = cutting.candidates(Characters.of("。" + "买" * 49 + "。"), np.array([25]))
    assert found.tolist() == [
        1,
        *range(25 - cutting.NEAR_CHARACTERS, 25 + cutting.NEAR_CHARACTERS + 1),
    ]


def test_only_so_many_marks_are_candidates_of_a_cut():
    text = ("买" * 19 + "。") * 40
    (found,) = cutting.candidates(Characters.of(text), np.array([401]))
    far = [place for place in found.tolist() if abs(place - 401) > cutting.NEAR_CHARACTERS]
    n = cutting.N_AFTER_MARKS
    assert far == [*range(400 - 20 * (n - 1), 400, 20), *range(420, 401 + 20 * n, 20)]


def test_long_texts_are_aligned_in_blocks(monkeypatch):
    """Blocks between anchors, and without any in proportion, give the ends of equal texts."""
    refs = [f"第{n}段，说的是{n * 7919}号。" for n in range(400)]
    text, ends = "".join(refs), []
    for ref in refs:
        ends.append((ends or [0])[-1] + len(ref))
    monkeypatch.setattr(cutting, "MAX_CHARACTERS_AT_ONCE", 300)
    assert cutting.edit_cuts(text, ends, text).tolist() == ends
    assert len(cutting._blocks(text, text)) > 10
    shifted = "前言。" * 30 + text
    assert cutting.edit_cuts(text, ends, shifted)[-1] == len(shifted)
    right = sum(
        cut == end + 90
        for cut, end in zip(cutting.edit_cuts(text, ends, shifted), ends, strict=True)
    )
    assert right >= 395
    other = "x" * 2000
    cuts = cutting.edit_cuts(text, ends, other).tolist()
    assert cuts == sorted(cuts) and cuts[-1] == 2000
    assert (
        max(
            max(b - a for a, b in zip(*block, strict=True))
            for block in cutting._blocks(text, other)
        )
        <= 300
    )


def test_an_alignment_prints_and_is_a_data_frame():
    refs = ["他买了雨伞。", "她哭了，什么话也不说。", "我们去北京。", "今天下雨。"]
    names = ["a", "a", "a", "b"]
    texts = {"b": "今天下雨了。", "a": "他买了雨伞。我们去北京。"}
    aligned = celab.align(texts, refs, documents=names)
    assert repr(aligned) == "<Alignment of 4 segments in 2 documents, 1 without text, 54% covered>"
    assert str(aligned).split("\n") == [
        "document  segments  without text  coverage",
        "a                3             1    0.5000",
        "b                1             0    0.7500",
        "",
        "segments without text: 2",
    ]
    found = aligned.to_dict()
    assert [row["segment"] for row in found["segment"] if not row["text"]] == [2]
    assert found["document"][1] == {"document": "b", "segments": 1, "blank": 0, "coverage": 0.75}
    assert found["format"] == 2 and "index" not in found["segment"][0]
    assert "0.7500" in aligned._repr_html_()
    frame = aligned.to_dataframe("pandas")
    assert list(frame.columns) == ["document", "index", "segment", "text", "start", "end"]
    assert frame["text"].tolist() == ["他买了雨伞。", "", "我们去北京。", "今天下雨了。"]
    assert frame["start"].tolist() == [0, 6, 6, 0] and frame["end"].tolist() == [6, 6, 12, 6]


def test_three_documents_are_listed():
    assert _listed("abc") == "documents a, b, c"
    assert _listed("abcd") == "documents a, b, c and 1 more"


@pytest.mark.parametrize(
    ("text", "may_cut"),
    [("好:(坏", True), ("好(坏", False), (":好(坏", False)],
)
def test_a_sad_face_may_end_a_segment(text, may_cut):
    assert Characters.of(text).may_cut[text.index("坏")] == may_cut
