"""The reward for training: TRL's shape, the guard, threads."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import celab
from celab.evaluation.checks import CHECKS
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
    with pytest.raises(celab.OptionError):
        celab.integrations.reward("ter")


def test_a_blank_reference_costs_only_its_own_reward():
    reward, plain = (celab.integrations.reward("chrf", guard=guard) for guard in (True, False))
    completions, blank = [GOOD, CASES["refusal"], REF], ["", None, "  ", [], [None, " "]]
    for absent in blank:
        for rewarded in (reward, plain):
            first, missing, last = rewarded(completions, reference=[REF, absent, [REF, None]])
            assert (first, last) == tuple(rewarded([GOOD, REF], reference=[REF, REF]))
            assert missing is None
    assert reward(completions[:1] * 5, reference=blank, source=[None] * 5) == [None] * 5


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
