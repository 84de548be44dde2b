"""Rewards for verl: how it calls them, what a ground truth may be, the scale, and the log."""

import importlib.util
import inspect
import logging
import math
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

import celab
from celab.integrations import verl
from celab.integrations.verl import compute_score, compute_score_batched

REF = "第二天早上，他们带着雨伞去了火车站。"
GOOD = "第二天早晨，他们带伞去了火车站。"
SOURCE = "The next morning they took their umbrellas to the station."


def expected(texts, refs, **settings):
    return celab.integrations.reward(**({"unit": True} | settings))(texts, reference=refs)


def call_with_kwargs(raw_fn, extra_kwargs, *args, **kwargs):
    """As verl 0.9.1 calls a function with its `reward_kwargs`."""
    return raw_fn(*args, **{**kwargs, **extra_kwargs})


def test_a_sample_by_name_and_by_position():
    (value,) = expected([GOOD], [REF], metric="chrf")
    assert 0.3 < value < 0.7
    called = partial(call_with_kwargs, compute_score, {"metric": "chrf"})
    by_name = called(
        data_source="set",
        solution_str=f"<think>Rain.</think>{GOOD}",
        ground_truth=REF,
        extra_info={"index": 3, "num_turns": None, "rollout_reward_scores": {}},
        reward_router_address="127.0.0.1:80",
        reward_model_tokenizer=object(),
    )
    assert by_name == called("set", GOOD, REF, None) == called("set", GOOD, REF, {}) == value
    assert type(by_name) is float


def test_a_batch_is_its_samples():
    texts = [GOOD, REF, "<think>伞", "抱歉，我无法翻译。"]
    refs = np.array([REF, {"reference": REF}, REF, np.array([REF, GOOD], object)], object)
    infos = np.array([{"source": SOURCE}, None, {"index": 1}, {"source": None}], object)
    batch = compute_score_batched(
        data_sources=np.array(["set"] * 4, object),
        solution_strs=texts,
        ground_truths=refs,
        extra_infos=infos,
        answer=None,
    )
    assert batch == [compute_score("set", *s) for s in zip(texts, refs, infos, strict=True)]
    assert batch[1:] == [1.0, 0.0, 0.0] and 0.5 < batch[0] < 1
    assert compute_score_batched([], [], []) == []


TRUTHS = {
    "a str": REF,
    "NumPy's str": np.str_(REF),
    "a list": [REF],
    "an array": np.array([REF, None], object),
    "a dict": {"reference": REF, "source": SOURCE},
    "a dict with a list": {"reference": [REF, math.nan]},
    "a dict with an array": {"reference": np.array([REF], object), "source": math.nan},
}


@pytest.mark.parametrize("truth", TRUTHS)
def test_a_ground_truth_is_what_parquet_gives(truth):
    assert compute_score("set", GOOD, TRUTHS[truth]) == expected([GOOD], [REF])[0]


def test_several_references():
    for truth in ([REF, GOOD], {"reference": np.array([REF, GOOD], object)}):
        (value,) = expected([GOOD], [[REF, GOOD]], metric="bleu")
        assert compute_score("set", GOOD, truth, metric="bleu") == value == pytest.approx(1.0)


NOTHING = [None, math.nan, np.float64("nan"), "", " \n", [], [None, ""], {"reference": None}]


def test_no_reference_is_0_and_the_log_counts_it(caplog, monkeypatch):
    monkeypatch.setattr(verl, "_COUNT", verl._Count())
    with caplog.at_level(logging.WARNING, verl.__name__):
        assert compute_score("set", GOOD, REF) > 0 and not caplog.messages
        for truth in NOTHING:
            assert compute_score("set", GOOD, truth) == 0.0
        batch = compute_score_batched(["set"] * 9, [GOOD] * 9, [*NOTHING, REF])
    assert batch == [0.0] * len(NOTHING) + [compute_score("set", GOOD, REF)]
    start = "reward 0 for samples without a reference or a proved score: "
    counts = ("1 of 2", "2 of 3", "4 of 5", "8 of 9", "16 of 18")
    assert caplog.messages == [f"{start}{count} so far" for count in counts]


def test_a_score_that_is_not_proved_is_0():
    hurried = {"metric": "celab", "lexicon": None, "script": "keep", "time_limit": 1e-9}
    hard = "set", "雨雨伞雨伞雨伞", "伞雨伞"
    assert compute_score(*hard, **hurried) == 0.0
    with pytest.raises(celab.SolverError):
        compute_score(*hard, **hurried, on_error="raise")


@pytest.mark.parametrize("metric", ["celab", "bleu", "chrf", "cer", "mer", "ter", "rouge2"])
def test_every_metric_is_from_0_to_1_and_higher_is_better(metric):
    texts = [REF, GOOD, "火车", "完全不同的句子" * 20]
    values = compute_score_batched(["set"] * 4, texts, [REF] * 4, metric=metric)
    assert values == expected(texts, [REF] * 4, metric=metric)
    identical, good, short, long = values
    assert identical == pytest.approx(1.0)
    assert 1 > good > short >= long >= 0


def test_the_source_is_in_either_dict():
    assert compute_score("set", SOURCE, "伞", metric="chrf") >= 0
    known = [({"reference": SOURCE, "source": SOURCE}, None), (SOURCE, {"source": SOURCE})]
    for truth, info in known:  # a name stays as it is in the reference: it is no copy
        assert compute_score("set", SOURCE, truth, info) == 1.0
    copied = {"answer": "think", "source": "en", "lang": "zh"}
    text = f"</think>{SOURCE}"
    assert compute_score("set", text, {"reference": REF, "en": SOURCE}, **copied) == 0.0
    with pytest.raises(celab.InputError, match="neither extra_info nor ground_truth has 'en'"):
        compute_score("set", text, REF, {"source": SOURCE}, **copied)


def test_one_sample_may_be_without_a_source():
    settings = {"metric": "chrf", "source": "src"}
    (value,) = expected([GOOD], [REF], metric="chrf")
    for absent in (None, math.nan):
        assert compute_score("set", GOOD, REF, {"src": absent}, **settings) == value
        assert compute_score("set", GOOD, {"reference": REF, "src": absent}, **settings) == value
    infos = [{"src": None}, {"src": SOURCE}, {}, None]
    batch = compute_score_batched(["set"] * 4, [GOOD] * 4, [REF] * 4, infos, **settings)
    assert batch == [value] * 4
    with pytest.raises(celab.InputError, match="neither extra_info nor ground_truth has 'src'"):
        compute_score_batched(["set"] * 2, [GOOD] * 2, [REF] * 2, [{}, None], **settings)


def test_settings_have_the_names_of_those_of_a_reward():
    defaults = inspect.signature(celab.integrations.reward).parameters
    settings = {k: p.default for k, p in defaults.items() if p.kind is not p.VAR_KEYWORD}
    assert {"metric", "reference", "source", "answer", "lang", "guard", "unit"} < set(settings)
    value = compute_score("set", GOOD, REF, **settings, jobs=1)
    assert [value] == expected([GOOD], [REF], unit=False)
    renamed = {"metric": "chrf", "reference": "zh", "unit": False}
    assert compute_score("set", GOOD, {"zh": REF}, **renamed) == pytest.approx(
        celab.score(GOOD, REF, "chrf").score
    )


def test_settings_may_be_of_other_classes():
    class Items(list):
        """As OmegaConf's lists, which are no plain ones."""

    ours = {"metric": "celab", "lexicon": ["zh-core"]}
    first = compute_score("set", GOOD, REF, **ours)
    assert compute_score("set", GOOD, REF, metric="celab", lexicon=Items(["zh-core"])) == first
    made = verl._reward.cache_info().misses
    for lexicon in (["zh-core"], ("zh-core",), Items(["zh-core"])):
        compute_score("set", GOOD, REF, metric="celab", lexicon=lexicon)
    assert verl._reward.cache_info().misses == made


@pytest.mark.parametrize(
    ("truth", "settings", "message"),
    [
        (REF, {"anser": "think"}, "has no setting 'anser'; did you mean 'answer'?"),
        (REF, {"answer": "thnk"}, "answer is 'thnk'; did you mean 'think'?"),
        ({"zh": REF}, {}, "a ground_truth has no key 'reference'; its keys are: zh"),
        (5, {}, "segment 1 is of type int; it must be a sequence"),
    ],
)
def test_what_is_wrong_for_every_sample_is_an_error(truth, settings, message):
    with pytest.raises((celab.InputError, celab.OptionError)) as error:
        compute_score("set", GOOD, truth, **settings)
    assert str(error.value).endswith(message)


def test_lists_of_other_lengths_are_an_error():
    with pytest.raises(celab.InputError, match="extra_infos has 1 items, but there are 2"):
        compute_score_batched(["set"] * 2, [GOOD] * 2, [REF] * 2, [{}])
    with pytest.raises(celab.InputError, match="has 1 rows, but there are 2 completions"):
        compute_score_batched(["set"] * 2, [GOOD] * 2, [REF])


def test_processes_and_threads_get_the_same():
    called = partial(call_with_kwargs, compute_score, {"answer": "boxed", "metric": "chrf"})
    sample = ("set", f"\\boxed{{{GOOD}}}", REF, {"index": 1})
    assert pickle.loads(pickle.dumps(called))(*sample) == called(*sample) > 0.2
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(called, *sample).result() == called(*sample)
    with ThreadPoolExecutor(4) as pool:
        assert {*pool.map(lambda _: called(*sample), range(12))} == {called(*sample)}


def test_the_file_can_be_loaded_by_its_path():
    # As verl loads `path=/…/verl.py`: the module has another name and is in no list.
    spec = importlib.util.spec_from_file_location("custom_module_1", verl.__file__)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.compute_score("set", GOOD, REF) == compute_score("set", GOOD, REF)
