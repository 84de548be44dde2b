"""Adapters with the real packages: `make test-integrations` installs them, other runs skip."""

import asyncio
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import celab

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
HYPS = ["买伞", "去北京", "下星期。"]
REFS = [["买雨伞", "去北京旅游", "下周。"], ["买把伞", None, "下个星期。"]]
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(ROOT),
    "HF_HUB_OFFLINE": "1",
    "HF_EVALUATE_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_UPDATE_DOWNLOAD_COUNTS": "false",
}


def needs(package, how="make test-integrations"):
    """Skip a test without a package, and say how to get it."""
    return pytest.mark.skipif(not find_spec(package), reason=f"{package} is not installed: {how}")


def run(*command, cwd, **settings):
    """Return what a command prints; it must succeed."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        cwd=cwd,
        text=True,
        env=ENVIRONMENT | settings,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs("lm_eval")
def test_a_task_of_lm_evaluation_harness(tmp_path):
    answer = "lol"  # what the harness's dummy model says to everything
    refs = ["lol，下雨了", "带女儿去 lol", "机场"]
    lines = (json.dumps({"source": "x", "reference": ref}, ensure_ascii=False) for ref in refs)
    task = (EXAMPLES / "lm_eval" / "celab_zh.yaml").read_text("utf-8")
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(lines) + "\n", "utf-8")
    (tmp_path / "celab_zh.yaml").write_text(
        task.replace("examples/lm_eval/celab_zh.jsonl", str(data)), "utf-8"
    )
    plugin = (EXAMPLES / "lm_eval" / "celab_plugin.py").read_text("utf-8")
    (tmp_path / "celab_plugin.py").write_text(plugin, "utf-8")
    run(
        *("-m", "lm_eval", "--model", "dummy", "--tasks", "celab_zh"),
        *("--include_path", str(tmp_path), "--output_path", str(tmp_path / "results")),
        cwd=tmp_path,
        HF_HOME=str(tmp_path / "cache"),
    )
    (written,) = (tmp_path / "results").rglob("results_*.json")
    results = json.loads(written.read_text("utf-8"))["results"]["celab_zh"]
    for name, metric in (
        ("celab", celab.TeslaCelab()),
        ("celab_recommended", celab.recommended("zh")),
    ):
        expected = metric.corpus_score([answer] * len(refs), [refs]).score
        assert expected > 0
        assert results[f"{name},none"] == expected


@needs("lm_eval")
def test_several_references_and_options_of_lm_evaluation_harness():
    from lm_eval.api.registry import get_metric, get_metric_aggregation, is_higher_better

    import celab.integrations.lm_eval

    rows = [[ref for ref in row if ref] for row in zip(*REFS, strict=True)]
    items = list(zip(rows, HYPS, strict=True))
    expected = celab.TeslaCelab().corpus_score(HYPS, REFS).score
    assert get_metric_aggregation("celab")(items) == expected
    assert is_higher_better("celab_recommended")
    collect = get_metric("celab")
    items = [
        collect(references=[ref], predictions=[hyp], lexicon=None)
        for ref, hyp in zip(REFS[0], HYPS, strict=True)
    ]
    expected = celab.TeslaCelab(lexicon=None).corpus_score(HYPS, REFS[:1]).score
    assert get_metric_aggregation("celab")(items) == expected
    with pytest.raises(celab.InputError):
        get_metric_aggregation("celab")([1.0, 0.0])


@needs("inspect_ai")
@pytest.mark.parametrize("recommended", [False, True])
def test_a_scorer_of_inspect(recommended, tmp_path):
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from celab.integrations.inspect_ai import celab as scorer

    samples = [Sample(input="x", target=[ref]) for ref in REFS[0]]
    outputs = [ModelOutput.from_content("mockllm/model", hyp) for hyp in HYPS]
    for output in outputs:
        output.usage = ModelUsage()  # or a tokenizer would be downloaded to count tokens
    (log,) = eval(
        Task(dataset=MemoryDataset(samples), scorer=scorer(recommended=recommended)),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(tmp_path),
        display="none",
        max_connections=1,
        max_samples=1,
    )
    assert log.status == "success", log.error
    metric = celab.recommended("zh") if recommended else celab.TeslaCelab()
    expected = metric.corpus_score(HYPS, REFS[:1])
    assert log.results.scores[0].metrics["mean"].value == pytest.approx(expected.score, abs=1e-15)
    scores = [sample.scores["celab"] for sample in log.samples]
    assert [score.value for score in scores] == expected.segments.scores.tolist()
    assert "= equal" in scores[0].explanation
    assert scores[0].metadata["signature"] == str(metric.signature)


@needs("inspect_ai")
def test_german_has_no_alignment_but_a_score():
    pytest.importorskip("wordfreq", reason="German needs the extra de")
    from types import SimpleNamespace

    from celab.integrations.inspect_ai import celab as scorer

    score = asyncio.run(
        scorer(lang="de", recommended=True)(
            SimpleNamespace(output=SimpleNamespace(completion="ein Schirm")), ["ein Regenschirm"]
        )
    )
    expected = celab.recommended("de").sentence_score("ein Schirm", ["ein Regenschirm"])
    assert score.value == expected.score


@needs("evaluate")
def test_the_module_for_hugging_face(tmp_path):
    # In a process of its own, with caches of its own: it takes seconds to import.
    script = """
import celab, evaluate
module = evaluate.load(celab.integrations.evaluate_module())
found = module.compute(predictions=["买伞", "去"], references=[["买雨伞"], ["去北京"]])
score = celab.TeslaCelab().corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
print(found["score"] == score.score)
found = module.compute(predictions=["买伞"], references=["买雨伞"], metric="celab", lexicon=None)
print(round(found["recall"], 4), len(found["scores"]), "|lex:none|" in found["signature"])
"""
    printed = run("-c", script, cwd=tmp_path, HF_HOME=str(tmp_path))
    assert printed.split("\n") == ["True", "0.3333 1 True", ""]


def test_the_files_of_a_space_are_complete():
    folder = Path(celab.integrations.evaluate_module())
    assert {path.name for path in folder.glob("*.*")} == {
        "README.md",
        "app.py",
        "celab.py",
        "requirements.txt",
    }
    head = (folder / "README.md").read_text("utf-8").split("---")[1]
    assert "sdk: gradio" in head and "app_file: app.py" in head


@needs("mbrs", "pip install mbrs, which brings PyTorch")
def test_a_metric_of_mbrs():
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.metrics import get_metric

    import celab.integrations.mbrs

    cls = get_metric("celab")
    metric = cls(cls.Config())
    ours = celab.TeslaCelab()
    matrix = metric.pairwise_scores(HYPS, REFS[0])
    assert matrix.numpy() == pytest.approx(ours.pairwise(HYPS, REFS[0]), abs=1e-7)
    assert metric.corpus_score(HYPS, REFS[:1]) == ours.corpus_score(HYPS, REFS[:1]).score
    assert metric.score(HYPS[0], REFS[0][0]) == ours.sentence_score(HYPS[0], [REFS[0][0]]).score
    decoded = DecoderMBR(DecoderMBR.Config(), metric).decode(HYPS, HYPS)
    assert decoded.idx == [int(ours.pairwise(HYPS, HYPS).mean(axis=1).argmax())]


@needs("trl", "pip install trl, which brings PyTorch")
def test_a_reward_of_trl(tmp_path):
    from datasets import Dataset
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast
    from trl import GRPOConfig, GRPOTrainer

    # A model of single characters with random weights: nothing is downloaded.
    tokens = ["<pad>", "<eos>", "<unk>", *dict.fromkeys("买雨伞去北京旅游下周。umbrela ")]
    words = models.WordLevel({token: i for i, token in enumerate(tokens)}, unk_token="<unk>")
    characters = Tokenizer(words)
    characters.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=characters, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
    )
    sizes = {"n_positions": 64, "n_embd": 8, "n_layer": 1, "n_head": 1}
    model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokens), **sizes))
    rows = {"prompt": ["umbrella ", "a "], "source": ["umbrella", "a"], "reference": REFS[0][:2]}
    seen = []
    reward = celab.integrations.reward("chrf")

    def watched(**columns):
        seen.append((columns, reward(**columns)))
        return seen[-1][1]

    trainer = GRPOTrainer(
        model=model,
        reward_funcs=[reward, watched],
        args=GRPOConfig(
            output_dir=str(tmp_path),
            max_steps=1,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=6,
            logging_steps=1,
            report_to=[],
            use_cpu=True,
            bf16=False,
        ),
        train_dataset=Dataset.from_dict(rows),
        processing_class=tokenizer,
    )
    trainer.train()
    (logged,) = (row for row in trainer.state.log_history if "rewards/chrf_reward/mean" in row)
    assert logged["rewards/chrf_reward/mean"] == pytest.approx(logged["rewards/watched/mean"])
    for columns, values in seen:
        assert {"prompts", "completions", "source", "reference"} <= set(columns)
        assert len(values) == len(columns["completions"]) == 2
        assert all(0 <= value <= 100 for value in values)


# Sheets as three packages write them: titles in merged cells, formulas without results, rich text.

HEADER = ["题号", "原文", "参考译文", "张　三", "李四", "分数"]
ROWS = [
    [1, "An umbrella.", "买雨伞。", "买伞。", "买雨具。", 90],
    [2, "Go home.", "回家。", "回家吧。", None, 85.5],
]
SHEET_SYSTEMS = {"张 三": ["买伞。", "回家吧。"], "李四": ["买雨具。", ""]}


def openpyxl_sheet(path):
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "期中"
    sheet.append(["翻译练习"])
    sheet.merge_cells("A1:F1")
    sheet.append([None, "教师"])
    sheet.append(HEADER)
    for row in ROWS:
        sheet.append(["=ROW()-3", *row[1:]])
    second = book.create_sheet("期末")
    for row in (HEADER, *reversed(ROWS)):
        second.append(row)
    book.create_sheet("空")
    hidden = book.create_sheet("藏")
    hidden.append(HEADER)
    hidden.sheet_state = "hidden"
    book.save(path)


def xlsxwriter_sheet(path):
    import xlsxwriter

    book = xlsxwriter.Workbook(path)
    sheet, bold = book.add_worksheet("班级"), book.add_format({"bold": True})
    sheet.merge_range("A1:F1", "翻译练习", bold)
    for number, row in enumerate([HEADER, *ROWS], 1):
        for column, value in enumerate(row):
            if value is None:
                sheet.write_blank(number, column, None, bold)
            elif column == 3 and number > 1:
                sheet.write_rich_string(number, column, bold, value[:1], value[1:])
            elif column == 0 and number > 1:
                sheet.write_formula(number, column, "=ROW()-2", None, number - 1)
            else:
                sheet.write(number, column, value)
    sheet.write_comment("D3", "好")
    book.close()


def pandas_sheet(path):
    import pandas

    pandas.DataFrame(ROWS, columns=HEADER).to_excel(path)


@pytest.mark.parametrize(
    ("package", "write"),
    [
        pytest.param("openpyxl", openpyxl_sheet, marks=needs("openpyxl")),
        pytest.param("xlsxwriter", xlsxwriter_sheet, marks=needs("xlsxwriter")),
        pytest.param("pandas", pandas_sheet, marks=[needs("pandas"), needs("openpyxl")]),
    ],
)
@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_sheets_of_packages(tmp_path, package, write):
    path = tmp_path / f"{package}.xlsx"
    write(path)
    first = 5 if package == "pandas" else 4  # after the index
    for words in (["rest"], ["张三-李四"], [f"{first}-{first + 1}"], ["李四", "张　三"]):
        texts = celab.corpus.read(path, fields=celab.corpus.Fields(hyp=words))
        assert texts.systems == SHEET_SYSTEMS, words
        assert texts.refs == [["买雨伞。", "回家。"]]
    if package == "openpyxl":
        with pytest.warns(celab.InputWarning, match="the sheet 期末 has the same columns"):
            celab.corpus.read(path, fields=celab.corpus.Fields(hyp=["李四"]))
        other = celab.corpus.read(path, sheet="期末", fields=celab.corpus.Fields(hyp=["李四"]))
        assert other.hyps == ["", "买雨具。"]


@needs("pandas")
@needs("openpyxl")
def test_a_melted_frame_is_read_in_long_form(tmp_path):
    import pandas

    frame = pandas.DataFrame(ROWS, columns=HEADER)
    frame = frame.melt(HEADER[:3], HEADER[3:5], var_name="姓名", value_name="译文")
    for index in (True, False):
        frame.to_excel(tmp_path / "long.xlsx", index=index)
        texts = celab.corpus.read(tmp_path / "long.xlsx", fields=celab.corpus.Fields(system="姓名"))
        assert texts.systems == SHEET_SYSTEMS
