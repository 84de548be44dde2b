"""Reviews that were written in an HTML report → reviews of the outputs of a corpus.

The page saves them in two formats, which are read here:

    TSV   a header and a line per review: system, segment, severity, category, star, note, output
    JSON  {"format": "celab-reviews", "version": 1, "categories": [...], "reviews": [{...}, ...]},
          where a review has the same keys

`segment` is the name of a segment, as all outputs call it. Files of older versions have its place
in the report, from 1; a file is read so if more of its reviews are then of outputs that the corpus
has. `output` is the text that was reviewed: a review of another text than the corpus has is stale,
and never shown with that output.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from celab.base import io
from celab.base.dicts import JsonObject
from celab.base.errors import InputError, suggest
from celab.base.frozen import dataclass
from celab.base.json_files import (
    Boolean,
    JsonError,
    List,
    Name,
    Object,
    ShapeError,
    Text,
    Whole,
    check,
    parse_json,
)
from celab.base.numbers import is_digits
from celab.base.options import LIMITS, Limits
from celab.corpus import Corpus
from celab.corpus.model import SegmentName
from celab.evaluation.judges.places import few

FORMAT, VERSION = "celab-reviews", 1
SEVERITIES = ("neutral", "minor", "major", "critical")
COLUMNS = ("system", "segment", "severity", "category", "star", "note", "output")
STARS = {"1": True, "0": False, "": False}
EXPECTED = "reviews are TSV or JSON that the HTML report saves"
_SEVERITY = Text("|".join(("", *SEVERITIES)), right=f"{', '.join(SEVERITIES)} or empty")
_MOST_DIGITS = 18
_REVIEW = Object(
    {
        "system": Text(),
        "segment": Name(),
        "severity": _SEVERITY,
        "category": Text(),
        "star": Boolean(),
        "note": Text(),
        "output": Text(),
    }
)
_FILE = Object(
    {"format": Text(choices=(FORMAT,)), "version": Whole(1)}
    | {"categories": List(Text()), "reviews": List(_REVIEW)}
)


@dataclass(frozen=True, slots=True)
class Review:
    """What a reader of a report says of one output.

    Attributes:
        where: its place in the file, such as `line 2`.
        system: name of the system.
        segment: name of the segment, or, in files of older versions, its place, from 1.
        severity: one of `SEVERITIES`, or empty.
        category: kind of the error, such as `Accuracy/Omission`, or empty.
        star: whether it has a star.
        note: a text, or empty.
        output: the output that was reviewed.
        place: place of the segment in the corpus, from 0; None if the review is stale.
    """

    where: str
    system: str
    segment: SegmentName
    severity: str
    category: str
    star: bool
    note: str
    output: str
    place: int | None = None

    def to_dict(self) -> JsonObject:
        """Return the review as the page saves it, with its place."""
        return {name: getattr(self, name) for name in ("where", *COLUMNS)}


@dataclass(frozen=True, slots=True)
class Reviews:
    """The reviews of a file, sorted by whether the corpus has the outputs that were reviewed.

    Attributes:
        file: name of the file.
        current: reviews of outputs that are as they were reviewed.
        stale: reviews of outputs that have changed, or that the corpus does not have.
        categories: the categories to choose from; empty if the file has no list of its own.
    """

    file: str
    current: tuple[Review, ...]
    stale: tuple[Review, ...]
    categories: tuple[str, ...] = field(default=())

    @property
    def warnings(self) -> list[str]:
        """A warning that names stale reviews; none if there are none."""
        if not self.stale:
            return []
        n = len(self.stale)
        places = [
            f"{review.where}: segment {review.segment} of {review.system}" for review in self.stale
        ]
        start = "1 review is of an output" if n == 1 else f"{n} reviews are of outputs"
        return [
            f"{self.file}: {start} that the texts do not have ({few(places)}); the report lists"
            f" {'it' if n == 1 else 'them'} apart"
        ]


def read_reviews(path: io.AnyPath, corpus: Corpus, limits: Limits = LIMITS) -> Reviews:
    """Read reviews, and find their outputs in a corpus."""
    name = io.display_name(path)
    text = io.read_text(path, limits=limits).lstrip("\ufeff")
    categories: tuple[str, ...] = ()
    if text.lstrip().startswith("{"):
        reviews, categories = _json(text, name)
    else:
        reviews = [*_table(text, name)]
    first: dict[tuple[str, str], str] = {}
    for review in reviews:
        place = (review.system, str(review.segment))
        if place in first:
            raise InputError(
                f"{name}, {review.where}: segment {review.segment} of {review.system} has a review"
                f" already ({first[place]}); an output has one"
            )
        first[place] = review.where
    known = {review.system for review in reviews} & corpus.systems.keys()
    if reviews and not known:
        names = list(dict.fromkeys(review.system for review in reviews))
        raise InputError(
            f"{name}: its systems are {few(names)}, the outputs are of"
            f" {few(list(corpus.systems))}; they must have names in common"
        )
    placed = _placed(reviews, corpus)
    stale = tuple(review for review in placed if review.place is None)
    current = tuple(review for review in placed if review.place is not None)
    return Reviews(name, current, stale, categories)


def _placed(reviews: Sequence[Review], corpus: Corpus) -> list[Review]:
    """Return the reviews with the places of their outputs, by name or by number."""
    # A table has spaces in place of tabs and line ends.
    names = {_joined(str(name)): place for place, name in enumerate(corpus.names)}
    by_name, by_number = [], []
    for review in reviews:
        name = str(review.segment)
        exact = corpus.place_of(name)
        place = names.get(_joined(name)) if exact is None else exact
        by_name.append(_with_place(review, place, corpus))
        number = int(name) - 1 if is_digits(name) and len(name) <= _MOST_DIGITS else None
        by_number.append(_with_place(review, number, corpus))
    return max(by_name, by_number, key=_n_current)  # the first, if both have as many


def _n_current(reviews: Sequence[Review]) -> int:
    return sum(review.place is not None for review in reviews)


def _with_place(review: Review, place: int | None, corpus: Corpus) -> Review:
    """Return the review with a place, if the output there is the one that was reviewed."""
    outputs = corpus.systems.get(review.system, ())
    if place is None or not 0 <= place < len(outputs):
        return review
    is_current = _joined(outputs[place]) == _joined(review.output)
    return replace(review, place=place) if is_current else review


def _joined(text: str) -> str:
    return " ".join(text.split())


def page_data(reviews: Reviews, corpus: Corpus) -> JsonObject:
    """Return what the script of a page needs: places and reviews, those that are stale apart."""
    places = {system: i for i, system in enumerate(corpus.systems)}
    return {
        "reviews": [
            [
                places[review.system],
                review.place,
                {
                    "severity": review.severity,
                    "category": review.category,
                    "star": review.star,
                    "note": review.note,
                },
            ]
            for review in reviews.current
        ],
        "stale_reviews": [review.to_dict() for review in reviews.stale],
        "reviews_file": reviews.file,
        **({"categories": list(reviews.categories)} if reviews.categories else {}),
    }


# ---- formats ----


def _json(text: str, name: str) -> tuple[list[Review], tuple[str, ...]]:
    try:
        value = parse_json(text)
        check(value, _FILE)
    except (JsonError, ShapeError) as error:
        raise InputError(f"{name}: {error}; {EXPECTED}") from None
    if value["version"] != VERSION:
        raise InputError(f"{name}: its version is {value['version']}, and celab reads {VERSION}")
    reviews = [Review(f"reviews[{i}]", **fields) for i, fields in enumerate(value["reviews"])]
    return reviews, tuple(value["categories"])


def _table(text: str, name: str) -> Iterator[Review]:
    header, *lines = io.split_lines(text)
    columns = header.split("\t")
    for column in COLUMNS:
        if column not in columns:
            raise InputError(f"{name}, line 1: the column {column} is missing; {EXPECTED}")
    for column in columns:
        if columns.count(column) > 1:
            raise InputError(f"{name}, line 1: the column {column!r} occurs twice")
        if column not in COLUMNS:
            raise InputError(
                f"{name}, line 1: the column {column[:40]!r} is unknown; the columns are"
                f" {', '.join(COLUMNS)}"
            )
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        cells = line.split("\t")
        if len(cells) != len(columns):
            raise InputError(
                f"{name}, line {number}: {len(cells)} columns, but the header has {len(columns)}"
            )
        yield _review(dict(zip(columns, cells, strict=True)), name, f"line {number}")


def _review(row: Mapping[str, str], name: str, where: str) -> Review:
    segment, severity, star = (row[key].strip() for key in ("segment", "severity", "star"))
    if not segment:
        raise InputError(f"{name}, {where}: segment is empty; it must be the name of a segment")
    if severity and severity not in SEVERITIES:
        raise InputError(
            f"{name}, {where}: severity is {severity[:40]!r}; {suggest(severity, SEVERITIES)}"
        )
    if star not in STARS:
        raise InputError(f"{name}, {where}: star is {star[:40]!r}; it must be 1, 0 or empty")
    return Review(
        where,
        row["system"],
        int(segment) if is_digits(segment) and len(segment) <= _MOST_DIGITS else segment,
        severity,
        row["category"].strip(),
        STARS[star],
        row["note"].strip(),
        row["output"],
    )
