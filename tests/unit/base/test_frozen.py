"""Frozen dataclasses behave as those of the standard library, whose methods they share."""

import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

from celab.base import frozen

DECORATORS = {"standard": dataclasses.dataclass, "ours": frozen.dataclass}


def classes(dataclass, **options):
    """A class with all kinds of fields, one that inherits, and one with methods of its own."""

    @dataclass(frozen=True, **options)
    class Text:
        words: tuple[str, ...]
        lang: str = "zh"
        memo: dict[str, int] = field(default_factory=dict, compare=False)
        notes: str = field(default="", repr=False)
        cache: dict[str, int] = field(default_factory=dict, init=False, compare=False)
        state: str = field(default="new", init=False)
        later: str = field(init=False, repr=False, compare=False)
        size: int = field(kw_only=True, default=1)

    @dataclass(frozen=True, **options)
    class Named(Text):
        name: str = ""

    @dataclass(frozen=True, **options)
    class Loose:
        number: int

        def __eq__(self, other):
            return abs(self.number - other.number) < 2

        def __repr__(self):
            return "loose"

    @dataclass(frozen=True, eq=False, repr=False, **options)
    class Unique:
        number: int

        def __init__(self, text):
            object.__setattr__(self, "number", int(text))

        def __post_init__(self):
            raise AssertionError("the constructor above does not call this")

    return Text, Named, Loose, Unique


def outcomes(dataclass, **options):
    """What can be told of the classes from outside."""
    text, named, loose, unique = classes(dataclass, **options)
    first, second = text(("买", "伞")), text(("买", "伞"), memo={"a": 1})
    yield first == second, first != second, hash(first) == hash(second)
    yield first == text(("买", "伞"), "ja"), first == text(("买", "伞"), notes="new")
    yield first == named(("买", "伞")), first == 1, named(("买",), name="a") == named(("买",))
    yield repr(first), repr(second), repr(named(("买",), name="a"))
    yield loose(1) == loose(2), repr(loose(1)), hash(loose(1)) == hash(loose(1))
    yield unique(1) == unique(1), "<locals>.Unique object" in repr(unique(1))
    yield [each.name for each in fields(named)], text.__match_args__
    yield replace(first, lang="ja").lang, hasattr(first, "__dict__")
    yield (
        first.cache,
        first.cache is first.cache,
        first.cache is second.cache,
        hasattr(first, "later"),
    )
    yield str(inspect.signature(named)), named("a", size=2).size, unique("3").number
    for positional, keywords in [((), {}), (("a", "b", {}, "", "c", 2), {}), (("a",), {"new": 1})]:
        with pytest.raises(TypeError) as caught:
            named(*positional, **keywords)
        yield str(caught.value)


@pytest.mark.parametrize("options", [{}, {"slots": True}], ids=["dict", "slots"])
def test_ours_are_as_the_standard_ones(options):
    standard, ours = ([*outcomes(each, **options)] for each in DECORATORS.values())
    assert ours == standard


@pytest.mark.parametrize("dataclass", DECORATORS.values(), ids=DECORATORS)
def test_nothing_is_written_to_them(dataclass):
    text, *_ = classes(dataclass, slots=True)
    made = text(("买",))
    with pytest.raises(FrozenInstanceError):
        made.lang = "ja"
    with pytest.raises(FrozenInstanceError):
        del made.lang
    with pytest.raises(TypeError):
        hash(text(["买"]))


def test_a_class_that_changes_is_a_standard_one():
    @frozen.dataclass
    class Count:
        number: int = 0

    count = Count()
    count.number += 1
    assert count == Count(1) and repr(count).endswith("Count(number=1)")
    with pytest.raises(TypeError):
        hash(count)


@frozen.dataclass(frozen=True, slots=True)
class Pickled:
    """At the top of a module, so that it can be pickled."""

    word: str
    n: int = field(default=1, compare=False)


def test_they_are_pickled():
    copy = pickle.loads(pickle.dumps(Pickled("伞", 2)))
    assert copy == Pickled("伞") and copy.n == 2
