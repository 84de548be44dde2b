"""Phrases are their English text, and keep what another language needs."""

import pickle

from campaigns import text_table

from celab.report.html.page import Words
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.formats import text


def test_a_phrase_is_its_english_text():
    phrase = Phrase("{1} after {0}, {0}", "a", "b")
    assert phrase == "b after a, a" and isinstance(phrase, str)
    again = pickle.loads(pickle.dumps(phrase))
    assert (again.pattern, again.values) == ("{1} after {0}, {0}", ("a", "b"))
    tables = [text_table([name, "r"], [["m", "0.5"]]) for name in (Phrase("metric"), "metric")]
    assert text(tables[0]) == text(tables[1])


def test_phrases_in_phrases_are_translated():
    phrase = Phrase("{0}: {1}", "甲{0}", quantity(2, "system"))
    assert phrase == "甲{0}: 2 systems"  # a value is no pattern
    chinese = Words("zh")
    assert chinese.plain(phrase) == "甲{0}：2 个系统"
    assert chinese.phrase(phrase).striptags() == "甲{0}：2 个系统"
    assert chinese.phrase(phrase).count("data-say=") == 2
    assert Words("en").plain(phrase) == phrase


def test_other_texts_stay_as_they_are():
    assert Words("zh").phrase("metric<1>\u202e") == r"<bdi>metric&lt;1&gt;\u202e</bdi>"
    assert Words("zh").plain("metric") == "metric"


def test_lists():
    assert listed([]) == "" and listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b, c"
    assert Words("zh").plain(listed(["a", "b", "c"])) == "a、b、c"
    assert Words("zh").plain(listed(["a", "b"], "; ")) == "a；b"
