"""Open Multilingual Wordnet: old rows, joints of Chinese words, languages."""

import pytest
from reader_samples import read, words

# ---- Open Multilingual Wordnet ------------------------------------------------------------------


def test_omw_old_rows_have_no_language(write_source):
    assert read(
        "omw", write_source("90000001-n\tlemma\tin_time\n90000001-n\tlemma\ton time\n")
    ) == {"90000001-n": "in time on time"}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("cmn:lemma\t中意+的人", ["中意的人"]),
        ("cmn:lemma\t有声有色 +的", ["有声有色的", "有声有色"]),
        ("cmn:lemma\t好+地+的", ["好地的", "好地"]),
        ("cmn:lemma\t目的", ["目的"]),
        ("cmn:lemma\t+的", ["+的"]),
        ("cmn:lemma\tC++", ["C++"]),
        ("cmn:lemma\tB+树", ["B树"]),
        ("qcn:lemma\t快+的", ["快的", "快"]),
        ("jpn:lemma\t快+的", ["快+的"]),
        ("deu:lemma\tA+_B", ["A+ B"]),
        ("arb:lemma:root\tكتب", []),
    ],
)
def test_omw_joints_are_chinese(row, expected, write_source):
    content = f"90000001-n\t{row}\n" + "".join(
        f"90000001-n\t{row.split(':')[0]}:lemma\t{other}\n" for other in "xy"
    )
    assert words("omw", write_source(content)) == [[*expected, "x", "y"]]


@pytest.mark.parametrize(
    ("language", "n_groups"), [(None, 2), ("zh", 1), ("de", 1), ("ko", 0), ("cmn", 1)]
)
def test_omw_keeps_to_the_language(language, n_groups, write_source):
    rows = [(1, "cmn", "甲"), (1, "cmn", "乙"), (2, "deu", "a"), (2, "deu", "b")]
    content = "".join(f"9000000{i}-n\t{code}:lemma\t{word}\n" for i, code, word in rows)
    assert len(words("omw", write_source(content, language=language))) == n_groups
