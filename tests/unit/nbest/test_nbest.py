"""N-best lists: what is read, in which order, and what is refused."""

import gzip
import json
import math

import pytest

from celab.base.errors import InputError
from celab.nbest.nbest import Candidate, NBestList

MOSES = """\
0 ||| 买 雨伞 ||| LM0= -9.5 WordPenalty0= -2 ||| -3.25
0 ||| 买 伞 ||| LM0= -8 WordPenalty0= -2 ||| -4 ||| 0-0 1-1

1 |||  ||| LM0= 0 ||| 0
12 ||| 好
12 ||| 很 好 ||| f1 f2
"""


@pytest.fixture
def read(tmp_path):
    def read(text, name="nbest.txt", **settings):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return NBestList(path, **settings)

    return read


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def test_moses_format(read):
    found = list(read(MOSES))
    assert [sentence.id for sentence in found] == [0, 1, 12]
    first, second, third = (sentence.candidates for sentence in found)
    assert first == (
        Candidate("买 雨伞", 1, -3.25, ("LM0= -9.5 WordPenalty0= -2", "-3.25")),
        Candidate("买 伞", 2, -4.0, ("LM0= -8 WordPenalty0= -2", "-4", "0-0 1-1")),
    )
    assert second == (Candidate("", 4, 0.0, ("LM0= 0", "0")),)
    assert third == (Candidate("好", 5), Candidate("很 好", 6, None, ("f1 f2",)))


def test_a_file_can_be_gone_through_again_and_knows_its_size(read):
    nbest = read(MOSES)
    assert list(nbest) == list(nbest)
    assert (len(nbest), nbest.n_candidates, nbest.ids) == (3, 5, [0, 1, 12])


def test_sentences_are_made_one_by_one(read):
    nbest = read(MOSES)
    nbest.lines[-1] = "no candidate"  # only who comes so far will see it
    sentences = iter(nbest)
    assert next(sentences).id == 0
    assert next(sentences).id == 1
    with pytest.raises(InputError):
        next(sentences)


def test_jsonl(read):
    text = lines(
        {"id": "a", "text": "买伞", "score": -1.5},
        {"id": "a", "hyp": "买|||伞", "logprob": -2},
        {"id": 7, "translation": "好\n的", "weight": 0.25, "score": 9, "more": [1]},
        {"id": 7, "mt": "", "weight": 0},
        {"id": "7", "hypothesis": "好", "score": None},
    )
    found = list(read("\n" + text))
    assert [sentence.id for sentence in found] == ["a", 7, "7"]
    assert [c.text for s in found for c in s.candidates] == ["买伞", "买|||伞", "好\n的", "", "好"]
    scores = [c.score for s in found for c in s.candidates]
    assert scores == [-1.5, -2, math.log(0.25), -math.inf, None]
    assert [c.line for s in found for c in s.candidates] == [2, 3, 4, 5, 6]


def test_compressed_files_other_encodings_and_dos_lines(read):
    expected = next(iter(read(MOSES))).candidates
    packed = read(gzip.compress(MOSES.encode()), "nbest.txt.gz")
    chinese = read(MOSES.encode("gb18030"), encoding="gb18030")
    dos = read(b"\xef\xbb\xbf" + MOSES.replace("\n", "\r\n").encode())
    for nbest in (packed, chinese, dos):
        assert next(iter(nbest)).candidates == expected
