"""Outputs in Traditional characters beside Simplified references, or the reverse.

TESLA-CELAB and TESLA-M convert texts to Simplified first, so both are alike. BLEU, chrF and TER
take them as they are, and fall by half. The script of a side is that of nine tenths of the
characters that only one script has, of which there are 20 or more.
"""

from __future__ import annotations

from collections.abc import Mapping

from celab.base.frozen import dataclass
from celab.base.result import Result
from celab.base.view.tables import NORMAL, View, ViewOptions, line

LEAST_CHARACTERS = 20
LEAST_SHARE = 0.9
# Some Simplified characters are Traditional ones, too, such as 后 and 里.
LEAST_TRADITIONAL = 0.6


@dataclass(frozen=True, slots=True)
class MixedScripts(Result):
    """Systems whose Chinese script is not that of the reference: "Simplified" or "Traditional"."""

    reference: str
    script: str
    systems: tuple[str, ...]
    other_script: str

    def view(self, options: ViewOptions = NORMAL) -> View:
        """Return the line about these systems."""
        from celab.evaluation.references.view import scripts_line

        return View([[line(scripts_line(self))]])


def script_of(n_simplified: int, n_traditional: int) -> str | None:
    """Return the Chinese script of a side, or None if it has both, or too little of either.

    >>> script_of(95, 2), script_of(50, 50), script_of(10, 90)
    ('Simplified', None, 'Traditional')
    """
    total = n_simplified + n_traditional
    if total < LEAST_CHARACTERS:
        return None
    if n_simplified >= LEAST_SHARE * total:
        return "Simplified"
    return "Traditional" if n_traditional >= LEAST_TRADITIONAL * total else None


def find_mixed_scripts(
    reference: str, characters: tuple[int, int], systems: Mapping[str, tuple[int, int]]
) -> MixedScripts | None:
    """Return the systems that are in the other script than the reference, if there are any.

    Numbers are those of characters that only Simplified or only Traditional text has.
    """
    script = script_of(*characters)
    scripts = {name: script_of(*numbers) for name, numbers in systems.items()}
    others = tuple(name for name, own in scripts.items() if script and own and own != script)
    if not others or script is None:
        return None
    other = "Simplified" if script == "Traditional" else "Traditional"
    return MixedScripts(reference, script, others, other)
