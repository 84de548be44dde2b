"""`corpus_scores`: all systems together have the scores that each has alone."""

import pytest

import celab
from celab.base.errors import InputError

REFS = [
    ["买雨伞", "今天天气不错", "你好，世界", "雨雨伞雨伞"],
    ["买把伞", "", "世界你好", "伞雨伞"],
]
SYSTEMS = {
    "a": ["买伞", "今天的天气很好", "你好世界", "雨伞雨伞雨雨伞"],
    "b": ["賣雨傘", "今天天氣不錯", "", "傘"],
    "c": ["买雨伞", "今天天气不错", "你好，世界", "雨雨伞雨伞"],
}

METRICS = {
    "celab": lambda **run: celab.TeslaCelab(**run),
    "two threads": lambda **run: celab.TeslaCelab(jobs=2, **run),
    "check": lambda **run: celab.TeslaCelab(solver="check", lexicon=None, **run),
    "weights": lambda **run: celab.TeslaCelab(weights="information", **run),
    "by references": lambda **run: celab.TeslaCelab(weights="references", **run),
    "grades": lambda **run: celab.TeslaCelab(lexicon="zh-core", grades=0.5, **run),
    "letters": lambda **run: celab.TeslaCelab(tokenize="letter", **run),
    "mean": lambda **run: celab.Mean(
        [celab.TeslaCelab(max_order=n, weights="references", **run) for n in (1, 2)]
    ),
    "tesla-m": lambda **run: celab.TeslaM(analysis="surface", **run),
}


@pytest.mark.parametrize("make", [pytest.param(make, id=name) for name, make in METRICS.items()])
def test_each_system_has_the_score_it_has_alone(make):
    metric = make()
    together = metric.corpus_scores(SYSTEMS, REFS)
    assert list(together) == list(SYSTEMS)
    assert together == {name: metric.corpus_score(hyps, REFS) for name, hyps in SYSTEMS.items()}
    assert metric.corpus_scores(list(SYSTEMS.values()), REFS) == list(together.values())


@pytest.mark.parametrize("batch", [1, 2, 512])
def test_batches_change_nothing(batch, monkeypatch):
    metric = celab.TeslaCelab()
    expected = metric.corpus_scores(SYSTEMS, REFS)
    monkeypatch.setattr("celab.metrics.celab._FEWEST_IN_BATCH", batch)
    monkeypatch.setattr("celab.metrics.celab._MOST_PAIRS", batch)
    assert metric.corpus_scores(SYSTEMS, REFS) == expected


@pytest.mark.parametrize("name", ["celab", "tesla-m", "mean"])
def test_progress_ends_with_all_segments_of_all_systems(name):
    told = {}
    METRICS[name]().corpus_scores(SYSTEMS, REFS, progress=told.__setitem__)
    assert told == dict.fromkeys(SYSTEMS, 4)


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ({}, "no systems given"),
        ("买伞", "no systems given"),
        ({"a": ["买伞"]}, "system 'a': the hypothesis has 1 segment but reference 1 has 4"),
        ({"a": SYSTEMS["a"], "b": [1] * 4}, "system 'b': hypothesis 1 is of type int"),
        (["买伞"], "system '1': a corpus is a sequence"),
    ],
)
def test_wrong_input_is_named(systems, message):
    with pytest.raises(InputError, match=message):
        celab.TeslaCelab().corpus_scores(systems, REFS)
