"""Gates: when they fail, what they say, and baselines that cannot be compared."""

import json

import numpy as np
import pytest

import celab
from celab.base.errors import OptionError
from celab.statistics.resampling import mean_of
from celab.systems import baseline
from celab.systems.baseline import Baseline, check_number
from celab.testing import assert_not_worse

REFS = [f"第{n}天早上，他们带着雨伞去了火车站。" for n in range(40)]
OLD = [f"第{n}天早晨，他们带伞去了火车站。" for n in range(40)]
WORSE = [f"第{n}天，他们去了。" for n in range(40)]
SLIGHT = [OLD[0].replace("早晨", "晚上"), *OLD[1:]]  # worse, not significantly


def compared(old, new, metric="celab", **settings):
    return celab.compare(old, new, REFS[: len(old)], metric, names=("old", "new"), **settings)


@pytest.mark.parametrize(
    ("old", "new", "margin", "failed", "words"),
    [
        (OLD, WORSE, None, True, "which is significant (p < 0.001)"),
        (OLD, WORSE, 1.0, True, "which is significant"),
        (OLD, SLIGHT, None, False, "which is not significant"),
        (OLD, SLIGHT, 0.0, True, "which is more than the margin 0"),
        (OLD, SLIGHT, 0.5, False, "which is not significant"),
        (WORSE, OLD, 0.0, False, "higher than old"),
        (OLD, OLD, 0.0, False, "which is not a loss"),
    ],
)
def test_worse_is_significantly_lower_or_by_more_than_the_margin(old, new, margin, failed, words):
    result = baseline.not_worse(compared(old, new), margin=margin)
    assert result.failed is failed
    assert words in result.reason
    assert result.metric == "celab"
    assert result.significant is (old is not new and SLIGHT is not new)


def test_worse_is_higher_if_lower_is_better():
    pair = compared(OLD, WORSE, "ter")
    assert baseline.not_worse(pair).failed
    assert "higher than old" in baseline.not_worse(pair).reason
    assert not baseline.not_worse(compared(WORSE, OLD, "ter")).failed


def test_the_first_metric_decides():
    assert baseline.not_worse(compared(OLD, WORSE, ["chrf", "celab"])).metric == "chrf"


def test_few_segments_need_a_margin():
    few = compared(OLD[:19], WORSE[:19])
    with pytest.raises(celab.InputError):
        baseline.not_worse(few)
    assert baseline.not_worse(few, margin=0.01).failed
    assert baseline.not_worse(few, margin=0.01).significant is False
    assert not baseline.not_worse(compared(OLD[:20], OLD[:20])).failed


def test_no_system_may_score_less():
    scored = celab.Campaign.from_lists({"A": OLD, "B": WORSE}, REFS).score(["celab", "chrf"])
    score = scored.scores["celab"]["B"].score
    assert not baseline.not_under(scored, score).failed
    low = baseline.not_under(scored, float(np.nextafter(score, 1)))
    assert low.failed
    assert low.facts() == {
        "failed": True,
        "reason": f"TESLA-CELAB is less than {score:g}: B {score:.4f}",
        "metric": "celab",
        "significant": None,
    }


# ---- baselines ----


def written(folder, systems=None, refs=REFS, metrics="celab", **settings):
    """Write a baseline, and return its path."""
    scored = celab.Campaign.from_lists(systems or {"old": OLD}, refs).score(metrics, **settings)
    path = folder / "base.json"
    path.write_text(scored.to_json(), "utf-8")
    return path


def scored(new=WORSE, refs=REFS, metrics="celab", name="new", **settings):
    return celab.Campaign.from_lists({name: new}, refs).score(metrics, **settings)


def test_a_baseline_gives_what_the_texts_give(tmp_path):
    metrics = ["celab", "tesla-s"]
    texts = [*OLD[:-1], ""]
    path = written(tmp_path, {"old": texts}, metrics=metrics)
    from_file = Baseline.read(path).compare(scored(metrics=metrics))
    from_texts = compared(texts, WORSE, metrics)
    assert from_file.names == ("old", "new")
    for name in metrics:
        ours, theirs = from_file[name].to_dict(), from_texts[name].to_dict()
        for a, b in zip(ours["advantage"], theirs["advantage"], strict=True):
            assert a.pop("output_a") == "(not in the baseline)"
            b.pop("output_a")
        assert ours == theirs
    assert from_file.outputs == from_texts.outputs
    assert from_file.outputs.kinds == {"old": {"empty": [39]}, "new": {}}


def test_a_baseline_of_the_same_name_and_with_several_references(tmp_path):
    refs = [REFS, [*OLD[:20], *[None] * 20]]
    path = written(tmp_path, refs=refs)
    pair = Baseline.read(path).compare(scored(refs=refs, name="old"))
    assert pair.names == ("old (baseline)", "old")


def test_a_baseline_without_skipped_segments(tmp_path):
    path = written(tmp_path)
    data = json.loads(path.read_text("utf-8"))
    (figures,) = data["system"]
    data["segment"][3] |= dict.fromkeys(("score", "precision", "recall"))
    rest = [row["score"] for row in data["segment"] if row["score"] is not None]
    figures["score"] = mean_of(np.array(rest))
    figures["signature"] += "|skipped:1"
    path.write_text(json.dumps(data), "utf-8")
    base = Baseline.read(path)
    assert base.scores["celab"].n_skipped == 1
    assert base.compare(scored())["celab"].difference.n_segments == 39


def _set(data, *keys, value):
    for key in keys[:-1]:
        data = data[key]
    data[keys[-1]] = value


METRIC = ("system", 0)
DAMAGED = {
    "a newer format": (lambda d: _set(d, "format", value=3), "its format is 3"),
    "none": (lambda d: d.pop("format"), "it has no format"),
    "without segments": (lambda d: d.pop("segment"), "segments"),
    "another score": (lambda d: _set(d, *METRIC, "score", value=0.5), "not the mean of its"),
    "no digest": (lambda d: _set(d, "test_set", value="x"), "test_set"),
    "a kind that is none": (
        lambda d: _set(d, "output", value=[{"system": "old", "segment": 1, "kind": "odd"}]),
        "outputs have the unknown kind 'odd'",
    ),
    "a segment that is none": (
        lambda d: _set(d, "output", value=[{"system": "old", "segment": 41, "kind": "empty"}]),
        "outputs of the kind 'empty'",
    ),
    "a figure that is none": (
        lambda d: _set(d, "segment", 0, "score", value="high"),
        r"segment\[0\].score is 'high'",
    ),
    "not a mean": (
        lambda d: _set(d, *METRIC, "signature", value="bleu|nrefs:1"),
        "cannot include celab, which is not a mean",
    ),
    "not a number": (lambda d: _set(d, *METRIC, "signature", value="celab|refs:x"), "not a mean"),
    "no metric": (lambda d: _set(d, "judge", value=[{"metric": "celab"}]), "it has no metrics"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_baselines_are_refused(tmp_path, name):
    damage, message = DAMAGED[name]
    path = written(tmp_path)
    data = json.loads(path.read_text("utf-8"))
    damage(data)
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(celab.InputError, match=f"base.json.*{message}"):
        Baseline.read(path)


@pytest.mark.parametrize(
    ("new", "message"),
    [
        ({"refs": [*REFS[:-1], "别的"]}, "other references"),
        ({"refs": [REFS[1], REFS[0], *REFS[2:]]}, "other references"),
        ({"new": WORSE[:-1], "refs": REFS[:-1]}, "40 segments.*39 segments"),
        (
            {"metrics": celab.TeslaCelab(max_order=3)},
            "settings differ: n:4 in the baseline, n:3 now",
        ),
        ({"metrics": "tesla-s"}, "it has no scores by tesla-s, only by celab"),
        ({"metrics": "bleu"}, "cannot include BLEU, which is not a mean"),
    ],
)
def test_a_baseline_is_refused_if_references_or_settings_differ(tmp_path, new, message):
    base = Baseline.read(written(tmp_path))
    with pytest.raises(celab.InputError, match=message):
        base.compare(scored(**new))


# ---- celab.testing ----


def test_assert_not_worse_has_a_message_for_developers(tmp_path):
    assert_not_worse(OLD, WORSE, REFS)
    assert_not_worse(SLIGHT, OLD, REFS)
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(WORSE, OLD, REFS)
    first, second, *rest = str(caught.value).splitlines()
    assert first.startswith("new scores 0.")
    assert first.endswith("which is significant (p < 0.001)")
    assert second == "segments that lost most (from 1):"
    assert len(rest) == 3 * 4
    assert rest[1].startswith("    reference: 第")
    with pytest.raises(AssertionError) as caught:
        assert_not_worse(WORSE, OLD, REFS, most_different=7)
    assert len(str(caught.value).splitlines()) == 2 + 7 * 4
    with pytest.raises(AssertionError, match="more than the margin 0"):
        assert_not_worse(SLIGHT, OLD, REFS, margin=0)


def test_assert_not_worse_takes_metrics_settings_and_baselines(tmp_path):
    with pytest.raises(AssertionError, match="by chrF2"):
        assert_not_worse(WORSE, OLD, REFS, "chrf", n_resamples=200, seed=1)
    path = written(tmp_path)
    assert_not_worse(OLD, path, REFS)
    with pytest.raises(AssertionError):
        assert_not_worse(WORSE, str(path), REFS, "celab", n_resamples=200)
    with pytest.raises(celab.InputError):
        assert_not_worse(WORSE, path, REFS, celab.TeslaCelab(max_order=2))
    with pytest.raises(celab.InputError):
        assert_not_worse(OLD[:2], OLD[:2], REFS[:2])


@pytest.mark.parametrize(
    ("least", "wanted"), [({}, "a number"), ({"least": 2}, "a number of 2 or more")]
)
def test_a_number_that_is_none_is_refused(least, wanted):
    with pytest.raises(OptionError) as error:
        check_number("x", "a", **least)
    assert str(error.value).endswith(f"it must be {wanted}")
