"""Rewards for training with verl, whose configuration names this module.

    reward.custom_reward_function.path=pkg://celab.integrations.verl
    +reward.custom_reward_function.reward_kwargs.answer=think

`compute_score` is called once for each sample, by names or by position, `compute_score_batched`
once for a batch. They are functions of a module, so that other processes can get them. Settings are
those of `celab.integrations.reward`, and rewards are from 0 to 1 for every metric: with an error
rate, 1 less the rate.

verl ends a run whose reward function fails, and has no mark for a sample without a reward. So a
sample without a reference, or whose score is not proved in time, gets 0, and the log says how many
there were.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from celab.base.errors import InputError
from celab.base.options import is_list
from celab.base.text.sequences import is_missing, items_of
from celab.integrations.rewards import Reward, reward
from celab.metrics.registry import METRICS, arguments_of, canonical_name

__all__ = ["compute_score", "compute_score_batched"]

# verl passes arguments of its own with this prefix, such as reward_router_address.
_VERL_PREFIX = "reward_"
_log = logging.getLogger(__name__)


def compute_score(
    data_source: object,
    solution_str: str,
    ground_truth: object,
    extra_info: object = None,
    **settings: Any,
) -> float:
    """Return the reward of a sample, from 0 to 1.

    Parameters:
        data_source: name of the data set, which is not used.
        solution_str: the completion.
        ground_truth: the reference, several in a list or an array, or a dict with "reference". If
            it is None, NaN or blank, the reward is 0 and the log counts it.
        extra_info: a dict, which may have the source of the sample as "source".
        settings: as of `celab.integrations.reward`; unit is True and on_error "skip" by
            default, and reference and source are the keys in the dicts. Arguments that begin with
            "reward_" are verl's own.

    >>> compute_score("wmt", "<think>Rain…</think>买伞", "买雨伞", {"index": 0}, answer="think")
    1.0
    >>> compute_score("wmt", "买伞去", {"reference": ["买雨伞去", "我买把伞去"]}, metric="cer")
    0.75
    """
    return compute_score_batched(
        [data_source], [solution_str], [ground_truth], [extra_info], **settings
    )[0]


def compute_score_batched(
    data_sources: object,
    solution_strs: Sequence[str],
    ground_truths: Sequence[object],
    extra_infos: Sequence[object] | None = None,
    **settings: Any,
) -> list[float]:
    """Return the rewards of samples, from 0 to 1; parameters are lists of those of `compute_score`.

    >>> compute_score_batched(["wmt"] * 2, ["买伞", "<think>买伞"], ["买雨伞", "买雨伞"])
    [1.0, 0.0]
    """
    own = {name: _plain(v) for name, v in settings.items() if not name.startswith(_VERL_PREFIX)}
    rewarded = _reward(_Settings(own))
    truths = items_of(ground_truths, "ground_truths")
    infos = [None] * len(truths) if extra_infos is None else items_of(extra_infos, "extra_infos")
    if len(infos) != len(truths):
        raise InputError(
            f"extra_infos has {len(infos)} items, but there are {len(truths)} ground_truths"
        )
    columns = {rewarded.reference: [_reference(truth, rewarded.reference) for truth in truths]}
    sources = [
        _source(info, truth, rewarded.source) for info, truth in zip(infos, truths, strict=True)
    ]
    key = rewarded.source
    if key is not None and truths and not _has_key(key, infos, truths):
        raise InputError(f"neither extra_info nor ground_truth has {key!r}, the source")
    if key is not None or any(source is not None for source in sources):
        columns[key or "source"] = sources
    values = rewarded(solution_strs, **columns)
    _COUNT.add(len(values), values.count(None))
    return [0.0 if value is None else value for value in values]


def _plain(value: Any) -> Any:
    """Return a setting as lists and dicts, whatever the classes of the configuration are."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [*map(_plain, value)] if is_list(value) else value


class _Settings(dict[str, Any]):
    """Settings, hashable as the cache key of `_reward`."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self))  # their values may be lists


@lru_cache(maxsize=16)
def _reward(settings: _Settings) -> Reward:
    """Return the reward of these settings, which is made once in each process."""
    own: dict[str, Any] = {"metric": "celab-recommended", "unit": True, **settings}
    metric = own["metric"]
    name = canonical_name(metric) if isinstance(metric, str) else ""
    if name in METRICS and "on_error" in arguments_of(name):
        own.setdefault("on_error", "skip")
    return reward(**own)


def _reference(truth: object, key: str) -> object:
    if not isinstance(truth, Mapping):
        return truth
    if key not in truth:
        keys = ", ".join(map(str, truth)) or "none"
        raise InputError(f"a ground_truth has no key {key!r}; its keys are: {keys}")
    return truth[key]


def _source(info: object, truth: object, key: str | None) -> object:
    for known in (info, truth):
        if isinstance(known, Mapping) and not is_missing(source := known.get(key or "source")):
            return source
    return None


def _has_key(key: str, *columns: Sequence[object]) -> bool:
    """Return whether a dict of these columns has the key, whatever its value is."""
    return any(isinstance(row, Mapping) and key in row for rows in columns for row in rows)


class _Count:
    """The number of samples without a reward, for the log."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._samples = self._without = self._logged = 0

    def add(self, n_samples: int, n_without: int) -> None:
        """Add samples; the log has a line whenever the number without a reward has doubled."""
        with self._lock:
            self._samples += n_samples
            self._without += n_without
            if n_without == 0 or self._without < 2 * self._logged:
                return
            self._logged = self._without
            _log.warning(
                "reward 0 for samples without a reference or a proved score: %d of %d so far",
                self._without,
                self._samples,
            )


# One count for all calls in this process.
_COUNT = _Count()
