"""A gate: scores of systems → whether a check that uses them, as in CI, fails, and why.

The first metric decides. A system is worse if its score is significantly worse (p < 0.05), or, with
a margin, worse by more than that, whatever p is. With fewer than 20 segments no difference is
significant, so that only a margin can decide.
"""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

from celab.base.errors import InputError, OptionError, Setting
from celab.base.view import cells
from celab.base.view.cells import shown
from celab.corpus.model import quantity
from celab.evaluation.tables import Gate
from celab.statistics.significance import FEWEST_SEGMENTS

if TYPE_CHECKING:
    from celab.evaluation.pair.comparison import PairComparison
    from celab.evaluation.systems.scored import Scored

__all__ = ["Gate", "not_under", "not_worse"]


def not_worse(compared: PairComparison, *, margin: float | None = None) -> Gate:
    """Return the gate of a comparison of the old system with the new, which fails if it is worse.

    Parameters:
        compared: the comparison; its first system is the old one.
        margin: greatest loss of score that passes even if it is not significant (default: any).

    >>> import celab
    >>> compared = celab.compare(["买雨伞"], ["买"], ["买雨伞"], "celab", names=("old", "new"))
    >>> not_worse(compared, margin=0.01).reason
    'new scores 0.2000 by TESLA-CELAB, 0.8000 lower than old (1.0000), which is more than ...'
    """
    if margin is not None:
        check_number("margin", margin, least=0.0)
    metric, figures = next(iter(compared.metrics.items()))
    if margin is None and figures.too_few:
        raise InputError(
            f"with {quantity(figures.n_segments)} no difference is called significant, because"
            f" there are fewer than {FEWEST_SEGMENTS}",
            hint=("give more segments, or ", Setting("margin")),
        )
    old, new = compared.names
    loss = figures.difference if figures.higher_is_better else -figures.difference
    p, n = f"p {figures.p_text}", figures.digits
    amount, before, after = (shown(cells.score(x, n)) for x in (abs(loss), figures.a, figures.b))
    way = "lower" if (loss > 0) == figures.higher_is_better else "higher"
    reason = f"{new} scores {after} by {figures.name}, {amount} {way} than {old} ({before})"
    significant = figures.significant
    if loss > 0 and significant:
        return Gate(True, f"{reason}, which is significant ({p})", metric, True)
    if margin is not None and loss > margin:
        reason += f", which is more than the margin {margin:g} ({p})"
        return Gate(True, reason, metric, significant)
    verdict = f"not significant ({p})" if loss > 0 else f"not worse ({p})"
    return Gate(False, f"{reason}, which is {verdict}", metric, significant)


def not_under(scored: Scored, least: float) -> Gate:
    """Return the gate that fails if a system has less than that score by the first metric."""
    check_number("fail_under", least)
    metric, by_system = next(iter(scored.scores.items()))
    score = next(iter(by_system.values()))
    if not score.higher_is_better:
        raise OptionError(
            "fail_under", least, f"lower is better by {score.name}; choose another first metric"
        )
    low = {name: score for name, score in by_system.items() if score.score < least}
    figures = ", ".join(
        f"{name} {shown(cells.score(score.score, score.digits))}"
        for name, score in (low or by_system).items()
    )
    relation = "less than" if low else "not less than"
    return Gate(bool(low), f"{score.name} is {relation} {least:g}: {figures}", metric, None)


def check_number(name: str, value: object, least: float = -math.inf) -> None:
    """Raise `OptionError` unless the value is a finite number of at least that."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    greatest = sys.float_info.max  # which whole numbers can exceed
    if not is_number or not max(least, -greatest) <= value <= greatest:  # type: ignore[operator]
        wanted = "a number" if least == -math.inf else f"a number of {least:g} or more"
        raise OptionError(name, value, f"it must be {wanted}")
