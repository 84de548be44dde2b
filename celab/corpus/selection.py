"""Words of a command → segments of a corpus, by the names that all outputs call them."""

from __future__ import annotations

from collections.abc import Sequence

from celab.base.errors import OptionError
from celab.base.options import is_digits
from celab.corpus.model import Corpus

_MOST_DIGITS = 9


def select(corpus: Corpus, text: str) -> list[int]:
    """Return the places of segments, from 0, each once, in the order of the text.

    The text is the name of a segment, or a list of names and of ranges of numbers. A name is tried
    as a whole first, because an id may have commas and dashes.

    >>> from celab.corpus.model import Segment
    >>> ids = ["a-1", "7", "8", "9", "x,y"]
    >>> corpus = Corpus([Segment("", name) for name in ids], {}, [], [])
    >>> select(corpus, "x,y"), select(corpus, "8-9,a-1"), select(corpus, "1")
    ([4], [2, 3, 0], [0])
    """
    if corpus.place_of(text) is not None:
        return _places(corpus, [text])
    selected = [_names(corpus, part, text) for part in text.split(",")]
    return [*dict.fromkeys(place for names in selected for place in _places(corpus, names))]


def _names(corpus: Corpus, part: str, text: str) -> Sequence[str | int]:
    """Return the names in a part of a list; those of a range are numbers."""
    if corpus.place_of(part) is not None:
        return [part]
    first, dash, last = part.partition("-")
    ends = (first, last if dash else first)
    if not all(is_digits(end) and len(end) <= _MOST_DIGITS for end in ends):
        if part.strip() and not corpus.by_line:
            return [part]
        raise OptionError(
            f"the segments are {text!r}; they must be numbers and ranges, such as 5,9-12,"
            " before the files"
        )
    numbers = range(int(ends[0]), int(ends[1]) + 1)
    if not numbers or (numbers[0] < 1 and corpus.place_of("0") is None):
        raise OptionError(
            f"the segments are {text!r}; they are counted from 1, and the first of a range"
            " must not be greater than the last"
        )
    return numbers


def _places(corpus: Corpus, names: Sequence[str | int]) -> list[int]:
    places = []
    for name in (names[-1], *names):  # the last first, because a range may be long
        place = corpus.place_of(str(name))
        if place is None:
            raise OptionError(f"no segment {name}; there are {len(corpus.segments)}")
        places.append(place)
    return places[1:]
