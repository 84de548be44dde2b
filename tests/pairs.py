"""Random pairs for the kernels: few letters, so that things repeat, and random synonym groups."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import strategies as st

import celab

ORDERS = st.integers(1, 6)
LINKS = st.sampled_from(["paper", "release-2012"])


def words(letters: str, longest: int = 3) -> st.SearchStrategy[str]:
    return st.text(letters, min_size=1, max_size=longest)


def group_lists(letters: str) -> st.SearchStrategy[list[list[str]]]:
    group = st.lists(words(letters), min_size=2, max_size=4, unique=True)
    return st.lists(group, max_size=4)


def random_groups(rng: random.Random, letters: str) -> list[list[str]]:
    def word() -> str:
        return "".join(rng.choices(letters, k=rng.choice((1, 1, 2, 2, 3))))

    groups = [sorted({word() for _ in range(rng.randint(2, 4))}) for _ in range(rng.randint(0, 5))]
    return [group for group in groups if len(group) > 1]


def metric_for(folder: Path, groups: list[list[str]], **options: object) -> celab.TeslaCelab:
    """TESLA-CELAB with just these synonyms."""
    if not groups:
        return celab.TeslaCelab(lexicon=None, **options)  # type: ignore[arg-type]
    path = folder / "groups.tsv"
    path.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
    return celab.TeslaCelab(lexicon=path, **options)  # type: ignore[arg-type]


def prepared(metric, texts):
    """A side as the engine reads it."""
    return metric.engine.prepare(texts)


def sides_of(metric, hyps, refs):
    """Texts that need no preparation, as the kernels want them: hypotheses, references."""
    vocabulary, (ref,) = metric.engine.references([refs])
    return metric.engine.hypotheses(hyps, vocabulary), ref
