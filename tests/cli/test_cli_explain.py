"""Which segments `celab explain` shows: several words, and the worst."""

import json
import re

import commands
import pytest

import celab

REFS = ["今天天气很好", "去北京", "买雨伞", "好", "谢谢大家"]
HYPS = {"A": ["今天天气真好", "去背景", "买雨伞", "不", "谢谢大家"]}
HYPS["B"] = ["今天天气很好", "去北京", "卖鱼", "好", "谢大家"]


@pytest.fixture
def explained(tmp_path, monkeypatch):
    """Run the command in a folder with files; return the names of the segments, in order."""
    monkeypatch.chdir(tmp_path)
    for name, lines in {"ref": REFS, **HYPS}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        rows = "".join(f"utt_{n} {line}\n" for n, line in enumerate(lines, 1))
        (tmp_path / f"{name}.text").write_text(rows, "utf-8")

    def run(*words, metric="cer"):
        done = commands.run("explain", "-q", "-m", metric, *words, encoding="utf-8")
        if "--json" in words:
            return [row["segment"] for row in json.loads(done.stdout)["explanations"]]
        return re.findall(r"^segment (\S+) of", done.stdout, re.MULTILINE) or done.stderr

    return run


@pytest.mark.parametrize("files", [("ref.txt", "A.txt"), ("-r", "ref.txt", "-s", "A.txt")])
@pytest.mark.parametrize("words", ["4 2", "4,2", "4 2-2 2", "4 2,4"])
def test_segments_may_be_several_words(explained, words, files):
    assert explained(*words.split(), *files) == ["4", "2"]


@pytest.mark.parametrize("files", [("ref.text", "A.text"), ("-r", "ref.text", "-s", "A.text")])
def test_ids_may_be_several_words(explained, files):
    assert explained("utt_3", "utt_1", "2", *files) == ["utt_3", "utt_1", "utt_2"]


def test_a_file_that_is_called_as_a_number_is_a_file(explained, tmp_path):
    for name in ("7", "8"):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in REFS), "utf-8")
    assert explained("1", "7", "8") == ["1"]


def test_a_name_without_a_file_is_an_error(explained):
    assert "rf.txt: no such file" in explained("1", "3", "rf.txt", "A.txt")


def test_the_segments_that_lost_most_are_shown(explained, tmp_path):
    # By hand: rates times letters are 1 · 1, 2/3 · 3, 1/6 · 6 and nothing, so numbers of errors.
    shown = explained("--worst", "9", "ref.txt", "A.txt", "--json")
    errors = [celab.Cer().sentence_score(a, [ref]) for a, ref in zip(HYPS["A"], REFS, strict=True)]
    lost = [
        error.score * sum(map(str.isalnum, ref)) for error, ref in zip(errors, REFS, strict=True)
    ]
    assert [lost[number - 1] for number in shown] == sorted(lost, reverse=True)
    assert explained("--worst", "3", "ref.txt", "A.txt") == [*map(str, shown[:3])]


@pytest.mark.parametrize("metric", ["cer", "celab"])
def test_short_references_come_last(explained, tmp_path, metric):
    lines = {
        "ref": ["雨伞", "我们明天坐火车去北京旅行。", "他昨天在商店里买了一把新的雨伞。", "回家"],
        "A": ["扇子", "我们明天坐火车去北京看。", "她前天在超市借过两张旧纸。", "回家"],
    }
    for name, texts in lines.items():
        (tmp_path / f"{name}.long").write_text("".join(f"{text}\n" for text in texts), "utf-8")
    shown = explained("--worst", "9", "ref.long", "A.long", metric=metric)
    assert shown == ["3", "2", "1", "4"]


def test_of_several_systems_the_mean_decides(explained):
    metric, rates = celab.Cer(), []
    for place, ref in enumerate(REFS):
        scores = [metric.sentence_score(side[place], [ref]).score for side in HYPS.values()]
        rates.append(sum(scores))
    lengths = [sum(map(str.isalnum, ref)) for ref in REFS]
    expected = sorted(range(len(REFS)), key=lambda place: -rates[place] * lengths[place])[:3]
    shown = explained("--worst", "3", "-r", "ref.txt", "-s", "A.txt", "B.txt")
    assert shown == [str(place + 1) for place in expected]


def test_a_score_lost_what_it_lacks_of_a_full_one(explained):
    # 去背景 for 去北京 lacks more of three letters than 不 for 好 of one.
    shown = explained("--worst", "1", "-r", "ref.txt", "-s", "A.txt", metric="celab")
    assert shown == ["2"]
