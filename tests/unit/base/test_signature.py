"""Signatures as ordered pairs: what is set, taken away and shown."""

import copy
import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import celab
from celab.base.signature import Signature

words = st.text("abc019.@+", min_size=1, max_size=6)
parts = st.lists(st.tuples(st.text("nfv", min_size=1, max_size=3), words), unique_by=lambda p: p[0])


@given(words, parts)
def test_a_text_has_its_parts(name, pairs):
    signature = Signature(name, pairs)
    assert Signature.parse(str(signature)) == signature
    assert Signature.parse(signature).parts == tuple(pairs)
    for other in (pickle.loads(pickle.dumps(signature)), copy.deepcopy(signature)):
        assert other == signature and other.parts == signature.parts
    assert json.loads(json.dumps(signature)) == str(signature)


@given(words, parts, words, words)
def test_a_part_is_set_and_taken_away(name, pairs, key, value):
    signature = Signature(name, pairs).without(key)
    first, last = signature.with_part(key, value, first=True), signature.with_part(key, value)
    assert first.parts[0] == last.parts[-1] == (key, value)
    assert first.without(key) == last.without(key) == signature
    assert first.with_part(key, "x").parts[0] == (key, "x")  # in its place
    assert signature.part(key) is None and first.part(key) == value


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("a|x:1", "a|x:1", None),
        ("a|x:1", "b|x:1", ("a", "b")),
        ("a|x:1", "a|x:2", ("x:1", "x:2")),
        ("a|x:1|y:2", "a|y:2", ("x:1", "without x")),
    ],
)
def test_the_first_difference(one, other, difference):
    assert Signature.parse(one).difference(Signature.parse(other)) == difference


def test_those_of_metrics_can_be_taken_apart():
    mean = celab.Mean([celab.TeslaCelab(lexicon=None, max_order=n) for n in (1, 2)])
    for metric in (mean, celab.TeslaCelab(), celab.TeslaS()):
        assert Signature.parse(str(metric.signature)).parts == metric.signature.parts
