"""What options of files and answers mean is the same for every door."""

import json
from pathlib import Path

import commands
import pytest
from workbooks import workbook

import celab
from celab import corpus
from celab.integrations import reward, verl

REFS = ["他买了一把雨伞。", "我们明天去北京。", "今天天气很好。"]
HYPS = {
    "A": ["他买雨伞。", "我们去北京。", "天气好。"],
    "B": ["他买伞。", "明天去北京。", "今天很好。"],
}
HEADER = ["id", "ref", *HYPS]
ROWS = [[str(n), ref, *(HYPS[name][n] for name in HYPS)] for n, ref in enumerate(REFS)]


def lines(*rows):
    return "".join("\t".join(row) + "\n" for row in rows)


LONG = lines(
    ["system", "id", "ref", "hyp"],
    *([name, str(n), REFS[n], HYPS[name][n]] for name in HYPS for n in (2, 0, 1)),
)
# Files, words of the command line, parameters of Python, and what is read.
FILES = {
    "sheet": (
        {"texts.xlsx": workbook([HEADER, *ROWS])},
        ["--sheet", "1", "--hyp-fields", "A,B"],
        {"sheet": "1", "fields": corpus.Fields(hyp=["A", "B"])},
        HYPS,
    ),
    "system-field": (
        {"texts.tsv": LONG},
        ["--system-field", "system"],
        {"fields": corpus.Fields(system="system")},
        HYPS,
    ),
    "missing-empty": (
        {"texts.tsv": LONG.replace(f"B\t1\t{REFS[1]}\t{HYPS['B'][1]}\n", "")},
        ["--system-field", "system", "--missing", "empty"],
        {"fields": corpus.Fields(system="system"), "missing": "empty"},
        HYPS | {"B": [HYPS["B"][0], "", HYPS["B"][2]]},
    ),
    "missing-skip": (
        {"texts.tsv": LONG.replace(f"B\t1\t{REFS[1]}\t{HYPS['B'][1]}\n", "")},
        ["--system-field", "system", "--missing", "skip"],
        {"fields": corpus.Fields(system="system"), "missing": "skip"},
        {name: [texts[0], texts[2]] for name, texts in HYPS.items()},
    ),
}


def printed(command, *words):
    done = commands.run(command, *words, "-q", encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("option", FILES)
@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_files_are_read_alike(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    files, flags, parameters, expected = FILES[option]
    ((name, content),) = files.items()
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())

    texts = corpus.read([name], **parameters)
    in_id_order = sorted(range(len(texts.refs[0])), key=lambda n: texts.segments[n].id)
    found = {side: [hyps[n] for n in in_id_order] for side, hyps in texts.systems.items()}
    assert found == expected
    campaign = celab.Campaign.read([name], **parameters).score("chrf")
    scores = {side: score.score for side, score in campaign.scores["chrf"].items()}
    signature = campaign.scores["chrf"]["A"].signature

    of_score = printed("score", "-r", name, *flags, "-m", "chrf", "--json")["system"]
    assert {row["system"]: row["score"] for row in of_score} == scores
    words = [name, "-m", "chrf", *flags, "--json"]
    (compared,) = printed("compare", *words)["metric"]
    assert (compared["a"], compared["b"]) == (scores["A"], scores["B"])
    assert compared["signature"] == of_score[0]["signature"] == signature
    assert ("missing:" in compared["signature"]) == option.startswith("missing")
    checked = printed("check", "-r", name, *flags, "--json")
    assert [row["system"] for row in checked["system"]] == [*expected]
    Path("human.tsv").write_text("system\tscore\nA\t1\nB\t2\n", "utf-8")
    meta = printed("meta", "-r", name, "--human", "human.tsv", *flags, "-m", "chrf", "--json")
    of_meta = {row["system"]: row["score"] for row in meta["score"] if row["metric"] == "chrf"}
    assert of_meta == pytest.approx(scores)
    explained = printed("explain", "0", "-r", name, *flags, "-m", "cer", "--json")
    assert [row["system"] for row in explained["explanations"]] == [*expected]


ANSWERS = {
    "think": "<think>也许是伞。</think>{}",
    "answer": "好的：<answer>{}</answer>",
    "boxed": "\\boxed{{{}}}",
    "fence": "```\n{}\n```",
    "json:text": '{{"text": "{}"}}',
    "tag:zh": "<zh>{}</zh>",
    "final": "<|channel|>final<|message|>{}",
}


@pytest.mark.parametrize("metric", ["celab", "chrf", "cer"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_rewards_take_the_asked_form(metric, answer):
    texts = [ANSWERS[answer].format(text) for text in HYPS["A"]]
    settings = {"metric": metric, "unit": True}
    bare = reward(**settings)(HYPS["A"], reference=REFS)
    assert reward(**settings, answer=answer)(texts, reference=REFS) == bare
    one_by_one = [
        verl.compute_score("set", text, ref, None, metric=metric, answer=answer)
        for text, ref in zip(texts, REFS, strict=True)
    ]
    batch = verl.compute_score_batched(
        data_sources=["set"] * 3,
        solution_strs=texts,
        ground_truths=REFS,
        extra_infos=[None] * 3,
        metric=metric,
        answer=answer,
    )
    assert [*one_by_one] == [*batch] == bare
