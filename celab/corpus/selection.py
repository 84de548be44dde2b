"""Words of a command → segments of a corpus, by the names that all outputs call them."""

from __future__ import annotations

from collections.abc import Iterator

from celab.base.errors import OptionError
from celab.base.numbers import is_digits
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
    if (place := corpus.place_of(text)) is not None:
        return [place]
    places = (place for part in text.split(",") for place in _part(corpus, part, text))
    return [*dict.fromkeys(places)]


def _part(corpus: Corpus, part: str, text: str) -> Iterator[int]:
    if (place := corpus.place_of(part)) is not None:
        yield place
        return
    first, dash, last = part.partition("-")
    ends = (first, last if dash else first)
    n_segments = len(corpus.segments)
    if not all(is_digits(end) and len(end) <= _MOST_DIGITS for end in ends):
        if corpus.by_line or not part.strip():
            raise OptionError(
                f"the segments are {text!r}; they must be numbers and ranges, such as 5,9-12,"
                " before the files"
            )
        raise OptionError(f"no segment {part}; there are {n_segments}")
    numbers = range(int(ends[0]), int(ends[1]) + 1)
    if not numbers or (numbers[0] < 1 and corpus.place_of("0") is None):
        raise OptionError(
            f"the segments are {text!r}; they are counted from 1, and the first of a range"
            " must not be greater than the last"
        )
    for number in (numbers[-1], *numbers):  # the last first: a range may be long
        if corpus.place_of(str(number)) is None:
            raise OptionError(f"no segment {number}; there are {n_segments}")
    yield from (corpus.place_of(str(number)) or 0 for number in numbers)
