"""Who listens hears what is said, in this thread and those that `Run` starts."""

import warnings

import pytest

import celab
from celab.base.errors import Setting
from celab.base.messages import (
    Message,
    about,
    choose,
    finding,
    knows_texts,
    listening,
    note,
    say,
    take_note_of_texts,
    warn,
)
from celab.base.run import Run
from celab.cli.flags import as_flag


def test_levels_are_taken_one_after_the_other_and_once():
    with listening() as messages:
        note("2 systems")
        warn("a lexicon is replaced")
        finding("A: 1 output is empty")
        warn("a file is odd")
        assert [each.text for each in messages.take("warning", "finding")] == [
            "a lexicon is replaced",
            "a file is odd",
            "A: 1 output is empty",
        ]
        warn("late")
        assert [each.text for each in messages.take("warning", "note")] == ["late", "2 systems"]
    assert messages.texts("warning") == ["a lexicon is replaced", "a file is odd", "late"]


def test_each_is_said_once_and_empty_texts_are_not():
    with listening() as messages:
        warn("odd", "", "odd")
        finding("odd")
        note("")
    assert [message.level for message in messages.take("warning", "finding", "note")] == [
        "warning",
        "finding",
    ]


def test_a_strict_listener_takes_a_warning_for_an_error_but_a_hint():
    with listening() as messages:
        choose(strict=True, quiet=False)
        warn("is that meant?", is_hint=True)
        finding("A: 1 output is empty")
        with pytest.raises(celab.OptionError, match=r"^a file is odd; --strict"):
            warn("a file is odd")
    assert messages.texts("warning") == ["is that meant?"]


def test_a_quiet_listener_drops_notes_alone():
    with listening() as messages:
        choose(strict=False, quiet=True)
        note("2 systems")
        finding("A: 1 output is empty")
    assert messages.take("note", "finding", "warning") == [
        Message("finding", "A: 1 output is empty")
    ]


def test_settings_are_spelled_as_the_listener_spells_them():
    said = "use ", Setting("time_limit")
    with listening(as_flag) as messages:
        warn(said)
    with pytest.warns(celab.InputWarning, match="^use time_limit$"):
        warn(said)
    assert messages.texts("warning") == ["use --time-limit"]


def test_without_a_listener_only_warnings_are_shown():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        say(Message("warning", "odd"), Message("finding", "empty"), Message("note", "read"))
    assert [str(warning.message) for warning in shown] == ["odd"]
    assert shown[0].filename == __file__  # at the caller


def test_threads_are_heard_where_they_were_started():
    def work(n):
        warn(f"item {n}")

    with listening() as outer, listening() as messages:
        assert [*Run(jobs=4).map_in_order(work, range(20))] == [*range(20)]
    assert sorted(messages.texts("warning")) == sorted(f"item {n}" for n in range(20))
    assert outer.texts("warning") == []


def test_metrics_do_not_say_what_a_command_has_said_of_the_texts():
    english, chinese = ["Every letter of this text is Latin."] * 3, ["每个字都是汉字。"] * 3
    metric = celab.TeslaCelab(lexicon=None)
    with listening() as messages:
        metric.corpus_score(english, [chinese])
    assert "almost no Chinese characters" in messages.texts("warning")[0]
    with listening() as messages:
        choose(strict=True, quiet=False)
        take_note_of_texts()
        assert knows_texts()
        metric.corpus_score(english, [chinese])
    assert messages.texts("warning") == []
    assert not knows_texts()


def test_messages_about_a_data_set_name_it():
    with listening() as messages:
        for place in ("s1", "s2"):
            with about(place):
                finding("A: 4 outputs are unwrapped")
        finding("A: 4 outputs are unwrapped")
    said = messages.take("finding")
    assert [message.place for message in said] == ["s1", "s2", ""]
