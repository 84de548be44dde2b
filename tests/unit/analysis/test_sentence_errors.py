"""What the caller of an analysis is told: which sentence is wrong, and how far the work is."""

import pickle

import pytest

from celab.analysis.languages import Cached
from celab.analysis.model import SentenceError
from celab.analysis.tagged import Tagged
from celab.base.errors import InputError

RIGHT = "it must be word|lemma|TAG, and only the word may hold '|'"


def caught_from(analyse, sentences):
    with pytest.raises(SentenceError) as caught:
        analyse(sentences)
    return caught.value


def test_the_sentence_and_what_is_wrong_are_apart():
    error = caught_from(Tagged().analyse, ["a|a|DT", "a|a|DT dog|NN"])
    assert (error.sentence, error.stream) == (2, None)
    assert error.what == f"token 'dog|NN' has 2 of the three fields; {RIGHT}"
    assert str(error) == f"sentence 2: {error.what}"
    assert isinstance(error, InputError)


def test_the_number_is_that_in_the_list_that_was_given():
    cached = Cached(Tagged())
    good = [f"{i}|{i}|CD" for i in range(250)]
    cached.analyse(good)
    assert caught_from(cached.analyse, [*good, *good, "b"]).sentence == 501
    assert caught_from(cached.analyse, ["c|c|NN", "c|c|NN", "b"]).sentence == 3


@pytest.mark.parametrize(
    ("stream", "beginning"),
    [(0, "sentence 2 of the hypotheses: "), (1, "sentence 2 of reference 1: ")],
)
def test_a_metric_can_say_of_which_stream_it_is(stream, beginning):
    error = SentenceError(2, "token 'x' is bad").of(stream)
    assert (error.sentence, error.stream) == (2, stream)
    assert str(error) == f"{beginning}token 'x' is bad"


def test_it_can_be_sent_from_a_worker():
    error = pickle.loads(pickle.dumps(SentenceError(2, "bad").of(1)))
    assert (error.sentence, error.what, error.stream) == (2, "bad", 1)


def test_progress_is_told_of_new_sentences():
    told = []
    cached = Cached(Tagged())
    sentences = [f"{i}|{i}|CD" for i in range(150)]
    for some in (sentences, [*sentences, "a|a|DT"]):
        cached.analyse(some, lambda *done: told.append(done))
    assert told == [(100, 150), (150, 150), (1, 1)]
