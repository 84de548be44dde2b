"""N-best lists: what is read, in which order, and what is refused."""

import gzip
import json
import math

import pytest

from celab.base.errors import InputError, OptionError
from celab.family.reranking.nbest import Candidate, NBestList

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
    with pytest.raises(InputError, match="line 6"):
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


def test_a_format_can_be_chosen(read):
    with pytest.raises(InputError, match="is not a JSON object"):
        read(MOSES, format="jsonl")
    with pytest.raises(InputError, match=r"has no \|\|\|"):
        read('{"id": 0, "text": "a"}', format="moses")
    with pytest.raises(OptionError, match=r"^format is 'tsv'; it must be one of: moses, jsonl$"):
        read(MOSES, format="tsv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 ||| a\nb\n", "nbest.txt, line 2: 'b' has no |||; it must be id ||| text"),
        ("x ||| a\n", "nbest.txt, line 1: the id is 'x'; it must be a whole number"),
        ("-1 ||| a\n", "nbest.txt, line 1: the id is '-1'; it must be a whole number"),
        ("１ ||| a\n", "nbest.txt, line 1: the id is '１'; it must be a whole number"),
        (
            "1" * 5000 + " ||| a\n",
            f"nbest.txt, line 1: the id is '{'1' * 39}...; it must be a whole number",
        ),
        (
            "0 ||| a ||| f ||| high\n",
            "nbest.txt, line 1: the total score is 'high'; it must be a number such as"
            " -1.5, from -1e100 to 1e100",
        ),
        (
            "0 ||| a ||| f ||| nan\n",
            "nbest.txt, line 1: the total score is 'nan'; it must be a number such as"
            " -1.5, from -1e100 to 1e100",
        ),
        (
            "0 ||| a\n1 ||| b\n0 ||| c\n",
            "nbest.txt, line 3: sentence 0 occurs again after others; its candidates must be"
            " consecutive",
        ),
        ("\n \n", "nbest.txt has only blank lines; it must have candidates"),
        ("", "nbest.txt is empty; it must have at least one line"),
        (
            b"0 ||| a\n0 ||| \xff\n",
            "nbest.txt, line 2: byte 0xFF is not part of a UTF-8 character; the text must be"
            " UTF-8, or give its encoding",
        ),
        (
            '{"id": 0, "text": "a"}\n[1]\n',
            "nbest.txt, line 2: '[1]' is not a JSON object; each line must be one",
        ),
        (
            '{"id": 0, "text": "a"}\n{"id": ' + "9" * 50,
            'nbest.txt, line 2: \'{"id": ' + "9" * 32 + "... is not a JSON object;"
            " each line must be one",
        ),
        (
            '{"text": "a"}',
            "nbest.txt, line 1: 'id' is None; it must be a text or a whole number",
        ),
        (
            '{"id": true, "text": "a"}',
            "nbest.txt, line 1: 'id' is True; it must be a text or a whole number",
        ),
        (
            '{"id": 1.5, "text": "a"}',
            "nbest.txt, line 1: 'id' is 1.5; it must be a text or a whole number",
        ),
        (
            '{"id": 1, "text": ["a"]}',
            "nbest.txt, line 1: the translation is ['a']; one of the fields text, hyp, hypothesis,"
            " translation, mt must hold a text",
        ),
        (
            '{"id": 1, "text": "\\ud800"}',
            "nbest.txt, line 1: '\\ud800' has half of a surrogate pair; write both halves",
        ),
        (
            '{"id": 1, "text": "a", "score": "1"}',
            "nbest.txt, line 1: 'score' is '1'; it must be a number from -1e100 to 1e100",
        ),
        (
            '{"id": 1, "text": "a", "logprob": NaN}',
            "nbest.txt, line 1: 'logprob' is nan; it must be a number from -1e100 to 1e100",
        ),
        (
            '{"id": 1, "text": "a", "score": false}',
            "nbest.txt, line 1: 'score' is False; it must be a number from -1e100 to 1e100",
        ),
        (
            '{"id": 1, "text": "a", "weight": -0.5}',
            "nbest.txt, line 1: 'weight' is -0.5; it must be a number of 0 or more, at most 1e100",
        ),
    ],
)
def test_errors_name_file_and_line(text, message, read, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        read(text)
    assert str(caught.value).replace(f"{tmp_path}/", "") == message


def test_a_number_too_large_for_a_float_is_refused(read):
    with pytest.raises(InputError, match="'score' is 1000"):
        read('{"id": 1, "text": "a", "score": 1' + "0" * 400 + "}")
