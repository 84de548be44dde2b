"""The reward for training: TRL's shape, forms of answers, the guard, threads and processes."""

import inspect
import json
import math
import multiprocessing
import pickle
import re
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from conftest import ROOT

import celab
from celab.corpus.answers.forms import Suspicion, all_insides
from celab.corpus.answers.wordings import AGREEMENT, fold
from celab.findings.translations import CHECKS
from celab.integrations.rewards import WORTHLESS

REF = "第二天早上，他们带着雨伞去了火车站。"
GOOD = "第二天早晨，他们带伞去了火车站。"
SOURCE = "The next morning they took their umbrellas to the station."
CASES = {
    "empty": "",
    "filler": "[ERROR]",
    "refusal": "抱歉，我无法翻译这段内容。",
    "copied": SOURCE,
    "other-language": "Tomorrow they will go there.",
    "repeated": "雨伞" * 30,
}


def test_completions_and_columns_in_floats_out():
    reward = celab.integrations.reward("chrf")
    assert reward.__name__ == "chrf_reward"
    rewards = reward(
        prompts=["x", "y"],
        completions=[GOOD, [{"role": "assistant", "content": REF}]],
        completion_ids=[[1], [2]],
        reference=[REF, [REF, None]],
        trainer_state=None,
    )
    assert [type(value) for value in rewards] == [float, float]
    expected = celab.score([GOOD, REF], [REF, REF], "chrf").segments.scores
    assert rewards == expected.tolist()


@pytest.mark.parametrize("kind", CASES)
def test_what_is_no_translation_gets_nothing(kind):
    assert set(CASES) == WORTHLESS < set(CHECKS)
    reward = celab.integrations.reward("chrf")
    columns = {"reference": [REF, REF], "source": [SOURCE, SOURCE]}
    rewards = reward([CASES[kind], GOOD], **columns)
    assert rewards[0] == 0.0 < rewards[1]
    unguarded = celab.integrations.reward("chrf", guard=False)([CASES[kind], GOOD], **columns)
    assert unguarded[1] == rewards[1]
    assert unguarded[0] >= 0.0


def test_a_wrapped_output_gets_the_lower_score():
    reward = celab.integrations.reward("chrf")
    plain, bare = celab.integrations.reward("chrf", guard=False), "火车站。"
    for inside, note in ((GOOD, "。"), (bare, REF)):  # the note of the second raises the score
        answer = f"{inside}\n\n注：{note}"
        (value,) = reward([answer], reference=[REF], source=[SOURCE])
        assert value == min(plain([answer, inside], reference=[REF] * 2))
    hidden = [f"<think>伞</think>{CASES['refusal']}", "<think>伞", "<think>"]
    assert reward(hidden, reference=[REF] * 3) == [0.0] * 3


def test_columns_may_have_other_names_and_the_source_is_optional():
    reward = celab.integrations.reward("chrf", reference="target", source="english")
    assert reward([SOURCE], target=[SOURCE], english=[SOURCE])[0] == 100.0
    assert reward([GOOD], target=[REF], english=[None])[0] > 0
    with pytest.raises(celab.InputError):
        reward([GOOD], reference=[REF], x=[1])
    with pytest.raises(celab.InputError):
        reward([{}], target=[REF])
    with pytest.raises(celab.OptionError, match="add unit=True"):
        celab.integrations.reward("ter")


def test_a_blank_reference_costs_only_its_own_reward():
    reward, plain = (celab.integrations.reward("chrf", guard=guard) for guard in (True, False))
    completions, blank = [GOOD, CASES["refusal"], REF], ["", None, "  ", [], [None, " "], math.nan]
    for absent in blank:
        for rewarded in (reward, plain):
            first, missing, last = rewarded(completions, reference=[REF, absent, [REF, None]])
            assert (first, last) == tuple(rewarded([GOOD, REF], reference=[REF, REF]))
            assert missing is None
    assert reward(completions[:1] * 6, reference=blank, source=[None] * 6) == [None] * 6


def test_a_score_that_is_not_proved_is_none():
    hurried = {"lexicon": None, "script": "keep", "time_limit": 1e-9, "on_error": "skip"}
    reward, hard = celab.integrations.reward("celab", **hurried), "雨雨伞雨伞雨伞"
    assert reward([hard, f"译文：{hard}", "伞雨伞"], reference=["伞雨伞"] * 3) == [None, None, 1.0]


def test_an_empty_batch_has_no_rewards():
    for guard in (True, False):
        assert celab.integrations.reward("chrf", guard=guard)([], reference=[], source=[]) == []


def test_threads_get_the_same_rewards():
    reward = celab.integrations.reward(jobs=2)
    batch = [GOOD, f"译文：{GOOD}", *CASES.values(), REF[:9]]
    columns = {"reference": [REF] * len(batch), "source": [SOURCE] * len(batch)}
    expected = reward(batch, **columns)
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: reward(batch, **columns), range(12)))
    assert results == [expected] * 12


def test_nothing_else_is_imported():
    code = (
        "import sys, celab; celab.integrations.reward('celab')(['买伞'], reference=['买雨伞']);"
        "print([m for m in ('torch', 'trl', 'datasets', 'pandas', 'evaluate') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# ---- forms of answers ----

THINKING = f"<think>{'Let me think about umbrellas. ' * 10}</think>"
HARMONY = "<|channel|>analysis<|message|>Rain.<|end|><|start|>assistant<|channel|>final<|message|>"
# Answers in the form that was asked for: these are paid what the bare text is paid.
ASKED = {
    None: [
        *("{}", "<think></think>{}", "<think>\n\n</think>\n\n{}", f"{THINKING}\n{{}}"),
        *("Rain.</think>{}", f"{HARMONY}{{}}<|return|>", "analysisRain.assistantfinal{}"),
        *("{}<|im_end|>", "{}<|eot_id|>", "{}</s>", "{}<|endoftext|>"),
    ],
    "think": [f"{THINKING}{{}}", "Rain.</think>\n\n{}<|im_end|>"],
    "answer": ["<answer>{}</answer>", f"{THINKING}Good: <answer>\n{{}}\n</answer> Bye.<|im_end|>"],
    "tag:translate": ["<translate>{}</translate>"],
    "boxed": ["\\boxed{{{}}}", f"{THINKING}So it is $\\boxed{{{{\\text{{{{{{}}}}}}}}}}$."],
    "fence": ["```\n{}\n```", f"{THINKING}Here:\n```text\n{{}}\n```\nBye."],
    "final": [f"{HARMONY}{{}}<|return|>", f"{THINKING}<|begin_of_box|>{{}}<|end_of_box|>"],
    "json:translation": [
        lambda text: json.dumps({"translation": text}),
        lambda text: f"{THINKING}{json.dumps({'n': 1, 'translation': text}, ensure_ascii=False)}",
        lambda text: f"```json\n{json.dumps({'translation': text}, indent=2)}\n```<|im_end|>",
    ],
}
# What nobody asked for: this is paid at most what the bare text is paid.
ADDED = [
    *(
        f"{words}{end}{{}}"
        for words in ("译文如下：", "翻译结果：", "译文：")
        for end in ("", "\n")
    ),
    *("翻译结果如下：{}", "根据要求，翻译如下：{}", "答案：{}", "好的，以下是译文：\n\n{}"),
    *("Here's the translation: {}", "Here's the translation:\n\n{}", "Sure! {}", "Answer: {}"),
    *("Sure! Here is the translation into Chinese:\n{}", "Output: {}", "### Translation\n{}"),
    *("### Translation:\n{}", "**译文：** {}", "**译文：**\n{}", "<translate>{}</translate>"),
    *("```\n{}\n```", "```text\n{}\n```", "译文：\n```\n{}\n```", "<answer>{}</answer>"),
    *("{}\n\n注：原文没有主语。", "{}\n\n（注：此处采用意译。）", "{}（注：译文从简。）"),
    *("{}\n\nNote: I kept the names.", "以下是译文：\n{}\n\n希望对您有帮助！", "\\boxed{{{}}}"),
    "<think>Rain.</think>译文：{}<|im_end|>",
    *("【译文】{}", "<answer>{}", "{}</translation>", "## 译文\n{}\n\n## 说明\n从简。"),
]
CONSENTS = ["好的，{}", "好的！\n\n{}", "没问题，{}", "当然可以。{}", "Okay, {}", "Sure!\n\n{}"]


def completion(form, text):
    return form.format(text) if isinstance(form, str) else form(text)


@pytest.fixture(scope="module", params=["bundled", "published"])
def outputs(request):
    """Outputs of real systems with their references and sources."""
    if request.param == "bundled":
        folder = ROOT / "examples" / "campaign"
        refs, sources = (lines_of(folder / name) for name in ("ref.zh", "src.en"))
        systems = [lines_of(path) for path in sorted((folder / "systems").glob("*.zh"))]
        n = 30
    else:
        folder = ROOT.parent / "shared" / "data" / "wmt24-enzh-esa"
        if not folder.is_dir():
            pytest.skip("../shared/data is not here: its outputs are not rewarded")
        refs, sources = (lines_of(folder / name) for name in ("ref-A.txt", "src.txt"))
        systems = [lines_of(path) for path in sorted((folder / "hyp").glob("*.txt"))]
        n = 90
    rows = [(k * 7 % len(refs), systems[k % len(systems)]) for k in range(2 * n)]
    rows = [
        (row, system) for row, system in rows if system[row].strip() and re.search(r"\w", refs[row])
    ][:n]
    assert len(rows) == n
    columns = {"reference": [refs[row] for row, _ in rows]}
    return [system[row].strip() for row, system in rows], columns, [sources[r] for r, _ in rows]


def lines_of(path):
    return path.read_text("utf-8").removesuffix("\n").split("\n")


@pytest.mark.parametrize("has_source", [True, False])
@pytest.mark.parametrize("metric", ["celab-recommended", "chrf", "bleu", "cer"])
def test_forms_that_were_asked_for_cost_nothing_and_others_never_pay(outputs, metric, has_source):
    texts, columns, sources = outputs
    columns = columns | ({"source": sources} if has_source else {})
    settings = {"metric": metric, "unit": metric == "cer"}
    bare = celab.integrations.reward(**settings)(texts, **columns)
    assert None not in bare and sum(bare) > 0
    for answer, forms in ASKED.items():
        rewarded = celab.integrations.reward(**settings, answer=answer)
        for form in forms:
            completions = [completion(form, text) for text in texts]
            assert rewarded(completions, **columns) == bare, completions[0]
        if answer is not None:  # in another form, or without an end, there is none
            lacking = [*texts[:9], *(f"<think>{text}" for text in texts[:9])]
            assert rewarded(lacking, **{k: v[:9] * 2 for k, v in columns.items()}) == [0.0] * 18
    rewarded = celab.integrations.reward(**settings)
    agreeing = [re.match(AGREEMENT, fold(ref)) is not None for ref in columns["reference"]]
    assert sum(agreeing) < len(agreeing) / 5
    for form in [*ADDED, *CONSENTS]:
        values = rewarded([form.format(text) for text in texts], **columns)
        gains = [value - plain for value, plain in zip(values, bare, strict=True)]
        if form in CONSENTS:  # whose words the others may translate
            gains = [gain for gain, agrees in zip(gains, agreeing, strict=True) if not agrees]
        assert max(gains) <= 0, (form, max(gains))


def test_real_outputs_are_paid_their_scores(outputs):
    texts, columns, sources = outputs
    for metric in ("celab-recommended", "chrf"):
        guarded, plain = (
            celab.integrations.reward(metric, guard=guard)(texts, source=sources, **columns)
            for guard in (True, False)
        )
        differing = [text for text, a, b in zip(texts, guarded, plain, strict=True) if a != b]
        assert differing == []


def test_json_has_the_translation_under_the_key_that_was_asked_for():
    reward = celab.integrations.reward("chrf", answer="json:translation")
    answers = [f'{{"translation": "{GOOD}"}}', f'```json\n{{"translation": "{GOOD}"}}\n```', GOOD]
    answers += [f'{{"text": "{GOOD}"}}', f'<think>{{"translation": "{GOOD}"}}']
    (bare,) = celab.integrations.reward("chrf")([GOOD], reference=[REF])
    assert reward(answers, reference=[REF] * 5) == [bare, bare, 0.0, 0.0, 0.0]


def test_thinking_costs_nothing_and_must_end():
    reward = celab.integrations.reward()
    answers = [f"{THINKING * n}{GOOD}" for n in (0, 1, 5)] + [f"<think>{GOOD}", f"{GOOD}<think>"]
    bare, *others, unfinished, again = reward(answers, reference=[REF] * 5)
    assert bare > 0.5 and others == [bare] * 2
    assert (unfinished, again) == (0.0, 0.0)


def test_a_preface_is_the_text_itself_if_a_reference_has_it():
    reward = celab.integrations.reward("chrf")
    labeled = [f"答案：{REF}", f"答案：{GOOD}"]
    values = reward(labeled, reference=[f"答案：{REF}。"] * 2)
    plain = celab.integrations.reward("chrf", guard=False)(
        labeled, reference=[f"答案：{REF}。"] * 2
    )
    assert values == plain


def test_words_of_consent_never_pay_unless_a_reference_begins_so():
    # 好的， alone raised the reward of 109 of 300 outputs by the default metric.
    text, ref = "他们带伞去了火车站。", "他们带着雨伞，好容易才到了火车站，火车的门关好了。"
    reward = celab.integrations.reward("chrf")
    assert celab.score(f"好的，{text}", ref, "chrf").score > celab.score(text, ref, "chrf").score
    bare, added = reward([text, f"好的，{text}"], reference=[ref] * 2)
    assert added == bare
    (own,) = reward([f"好的，{text}"], reference=[f"好吧，{ref}"])
    assert own == celab.score(f"好的，{text}", f"好吧，{ref}", "chrf").score


def test_messages_may_keep_thinking_apart():
    reward = celab.integrations.reward("chrf", answer="think")
    apart = {"role": "assistant", "content": GOOD, "reasoning_content": "Rain."}
    together = {"role": "assistant", "content": f"<think>Rain.</think>{GOOD}"}
    without = {"role": "assistant", "content": GOOD, "reasoning_content": None}
    values = reward([[apart], [together], [without]], reference=[REF] * 3)
    assert values[0] == values[1] > values[2] == 0.0


def test_messages_may_have_no_text_or_several_parts():
    reward = celab.integrations.reward("chrf")
    contents = [GOOD, [{"type": "text", "text": GOOD[:5]}, {"type": "text", "text": GOOD[5:]}]]
    contents += [None, [], [{"type": "image"}]]
    messages = [[{"role": "assistant", "content": content}] for content in contents]
    messages += [[{"role": "assistant", "tool_calls": []}]]
    bare, parts, *others = reward(messages, reference=[REF] * len(messages))
    assert bare == parts > 0 and others == [0.0] * 4


@pytest.mark.thorough
@pytest.mark.parametrize("piece", ["# ", "<p>", "译文：", "<think></think>", "<|im_end|> "])
def test_what_is_repeated_before_a_translation_takes_no_time(piece):
    reward = celab.integrations.reward("chrf")
    began = time.process_time()
    reward([piece * 20_000 + GOOD], reference=[REF])
    assert time.process_time() - began < 3  # seconds


def test_all_marks_of_headings_in_a_line_are_one_form():
    marked = all_insides(f"{'# ' * 5000}{GOOD}", Suspicion(None, [REF]))
    assert marked == [GOOD]
    long = all_insides(f"{'> ' * 5000}{GOOD}{GOOD * 2000}", Suspicion(None, [REF]))
    assert 5 <= len(long) < 10


# ---- scales and settings ----


@pytest.mark.parametrize("metric", ["celab", "bleu", "chrf", "cer", "mer", "ter", "rouge2"])
def test_a_unit_is_0_to_1_and_higher_is_better(metric):
    reward = celab.integrations.reward(metric, unit=True)
    texts = [REF, GOOD, "火车", "完全不同的句子" * 20]
    identical, good, short, long = reward(texts, reference=[REF] * 4)
    assert identical == pytest.approx(1.0)
    assert 1 > good > short >= long >= 0
    (scores,) = [celab.score(texts, [REF] * 4, metric)]
    share = scores.segments.scores[1] / (1 if metric == "celab" else 100)
    assert good == (share if scores.higher_is_better else 1 - share)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"answer": "boxd"}, "answer is 'boxd'; did you mean 'boxed'?"),
        ({"answr": "boxed"}, "celab-recommended has no setting 'answr'; did you mean 'answer'?"),
        ({"metric": "CHRF", "beta_": 3}, "chrf has no setting 'beta_'; did you mean 'beta'?"),
        ({"metric": "chfr"}, "unknown metric 'chfr'; did you mean 'chrf'?"),
        (
            {"metric": "cer"},
            "lower is better by cer, but a reward must be higher: add unit=True",
        ),
        *(
            (
                {"metric": name, "unit": True},
                f"{name.lower()} cannot be a reward: its scores have no scale from 0 to 1",
            )
            for name in ("dicomer", "CREMER")
        ),
    ],
)
def test_a_wrong_setting_is_one_line(settings, message):
    with pytest.raises(celab.OptionError, match=f"^{re.escape(message)}$"):
        celab.integrations.reward(**settings)


def test_rewards_are_sent_to_other_processes():
    reward = celab.integrations.reward("chrf", answer="boxed", unit=True)
    batch = [f"\\boxed{{{GOOD}}}", GOOD, "<think>"]
    expected = reward(batch, reference=[REF] * 3)
    assert expected[0] > 0.2 and expected[1:] == [0.0, 0.0]
    loaded = pickle.loads(pickle.dumps(reward))
    assert loaded(batch, reference=[REF] * 3) == expected
    assert loaded.__name__ == reward.__name__ == "chrf_reward"
    assert not inspect.iscoroutinefunction(reward)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(reward, batch, reference=[REF] * 3).result() == expected


def test_references_may_be_arrays():
    reward = celab.integrations.reward("chrf")
    expected = reward([GOOD, GOOD], reference=[REF, [REF, GOOD]])
    rows = np.array([REF, None], object), np.array([REF, GOOD, math.nan], object)
    assert reward([GOOD, GOOD], reference=list(rows)) == expected
