"""Lexicons of users: words that can never match, and comments inside words."""

from __future__ import annotations

import pickle
import warnings

import pytest
from commands import run

import celab
import celab.lexicon.lexicon

LONG = "云平台\t云计算平台\n云服务\t云计算服务\n雨伞\t伞\n"
COMMENTED = "雨具\t雨伞 # umbrella\n买\t购\n车\t轿车  #car\t汽车\n"


def warned(make, *arguments, **options):
    """The warnings of a call."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        make(*arguments, **options)
    assert all(warning.category is celab.InputWarning for warning in seen)
    assert all(warning.filename == __file__ for warning in seen)  # where the caller is
    return [str(warning.message) for warning in seen]


@pytest.fixture(autouse=True)
def cold(tmp_path, monkeypatch):
    """An empty cache folder."""
    monkeypatch.setenv("CELAB_LEXICONS", str(tmp_path / "cache"))


@pytest.fixture
def no_compiling(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("compiled, not loaded")

    return lambda: monkeypatch.setattr(celab.lexicon.lexicon, "compile_groups", refuse)


def test_words_that_are_too_long_are_counted_whether_compiled_now_or_before(put, no_compiling):
    put("my.tsv", LONG)
    expected = [
        "my.tsv: 2 words are longer than max_order=4 and can never match, such as 云计算平台"
        " (5 characters); use shorter words or a greater max_order"
    ]
    assert warned(celab.TeslaCelab, lexicon="my.tsv") == expected
    no_compiling()
    assert warned(celab.TeslaCelab, lexicon="my.tsv") == expected
    assert warned(celab.TeslaCelab, lexicon="my.tsv", max_order=5) == []
    (many,) = warned(celab.TeslaCelab, lexicon="my.tsv", max_order=2)
    assert many.startswith("my.tsv: 4 words are longer than max_order=2 ")


def test_only_the_words_of_a_users_file_are_counted(put, no_compiling):
    put("my.tsv", LONG)
    put("other.tsv", "破坏\t毁坏破坏公物\n")
    named = [name for name in ("cilin", "zh-core", "wordnet") if _is_there(name)]
    assert warned(celab.TeslaCelab, lexicon=named) == []
    expected = [
        ("my.tsv: 2 words are ", "云计算平台 (5 characters)"),
        ("other.tsv: 1 word is longer than max_order=4 and can never match: ", "毁坏破坏公物 (6 "),
    ]
    for again in (False, True):
        if again:
            no_compiling()
        seen = warned(celab.TeslaCelab, lexicon=["my.tsv", "cilin", "other.tsv"])
        assert len(seen) == 2
        for text, (start, example) in zip(seen, expected, strict=True):
            assert text.startswith(start) and example in text


def test_a_word_that_cilin_has_as_well_is_still_the_users(put):
    put("both.tsv", "布里斯托尔\t城\n")
    (text,) = warned(celab.TeslaCelab, lexicon=["both.tsv", "cilin"])
    assert text.startswith("both.tsv: 1 word is ")


def _is_there(name):
    try:
        celab.lexicon.open(name)
    except celab.LexiconError:
        return False
    return True


def test_files_of_grades_and_lex_files_are_the_users(put):
    put("my.tsv", LONG)
    celab.lexicon.build("my.tsv", "my.lex")
    (text,) = warned(celab.TeslaCelab, lexicon="my.lex")
    assert text.startswith("my.lex: 2 words are longer ")
    (text,) = warned(celab.TeslaCelab, grades={"my.tsv": 0.5})
    assert text.startswith("my.tsv: 2 words are longer ")


@pytest.mark.parametrize(
    ("groups", "options", "example"),
    [
        ("iPhone手机壳\tiPhone套\n", {}, None),  # a Latin word is one token
        ("iPhone手机保护套\tiPhone套\n", {}, "iPhone手机保护套 (6 tokens)"),
        ("ab cd ef gh ij\tx\n", {}, "abcdefghij (5 tokens)"),
        ("ab cd ef gh ij\tabcdefghij\tx\n", {}, None),  # the shorter way to write it
        ("云 计算 平台\t云\n", {"tokenize": "space"}, None),
        ("云 计 算 平 台\t云\n", {"tokenize": "space"}, "云计算平台 (5 characters)"),
        ("umbrella\tbrolly\n", {"lang": "en"}, "umbrella (8 characters)"),
        ("สวัสดีครับ\tดี\n", {"lang": "th"}, "สวัสดีครับ (7 tokens)"),  # marks join letters
        ("ｉＰｈｏｎｅ\tiPad\n", {"width": "fold"}, None),
    ],
)
def test_lengths_are_in_tokens(put, groups, options, example):
    put("my.tsv", groups)
    seen = warned(celab.TeslaCelab, lexicon="my.tsv", **options)
    assert [f" and can never match: {example};" in text for text in seen] == [True] * bool(example)


def test_lengths_of_german_are_in_parts(put):
    put("my.tsv", "Regenschirm\tSchirm\nin der Lage sein\tkönnen\n")
    assert warned(celab.TeslaCelab, lexicon="my.tsv", lang="de") == []
    (text,) = warned(celab.TeslaCelab, lexicon="my.tsv", lang="de", max_order=3)
    assert "1 word is longer than max_order=3 and can never match: inderlagesein (4 tokens)" in text


def test_a_copy_does_not_warn_again(put):
    put("my.tsv", LONG + COMMENTED)
    with pytest.warns(celab.InputWarning):
        metric = celab.TeslaCelab(lexicon="my.tsv")
    assert warned(pickle.loads, pickle.dumps(metric)) == []


def test_comments_in_words_are_said_with_their_line(put, no_compiling):
    put("my.tsv", COMMENTED + "# a comment\nC#\tC Sharp\n雨\t雪\t# a gloss\n")
    expected = [
        "my.tsv, line 1: the word '雨伞 # umbrella' has a comment in it, like 1 more word; write a"
        " tab before #"
    ]
    assert warned(celab.lexicon.open, "my.tsv") == expected
    for spec in ("my.tsv", ["zh-core", "my.tsv"]):
        assert warned(celab.TeslaCelab, lexicon=spec) == expected
    no_compiling()
    for spec in ("my.tsv", ["zh-core", "my.tsv"]):
        assert warned(celab.TeslaCelab, lexicon=spec) == expected
    with pytest.raises(celab.LexiconError, match=r"^lexicon my\.tsv, line 1: the word '雨伞 # umb"):
        celab.lexicon.open("my.tsv", strict=True)


def test_tesla_m_warns_each_time(put):
    put("my.tsv", COMMENTED)
    for _ in range(2):
        (text,) = warned(celab.TeslaM, lexicon="my.tsv")
        assert text.startswith("my.tsv, line 1: the word ")


def test_commands_say_it_in_one_line_each(put):
    put("my.tsv", LONG + COMMENTED)
    put("text.zh", "买伞\n")
    arguments = ["-q", "-m", "celab", "celab-recommended", "--lexicon", "my.tsv"]
    lines = [
        "celab-score: warning: my.tsv, line 4: the word '雨伞 # umbrella' has a comment in it,"
        " like 1 more word; write a tab before #",
        "celab-score: warning: my.tsv: 2 words are longer than --max-order 4 and can never match,"
        " such as 云计算平台 (5 characters); use shorter words or a greater --max-order",
    ]
    done = run("score", *arguments, "text.zh", "text.zh", encoding="utf-8")
    assert done.returncode == 0 and done.stderr.splitlines() == lines  # once for both metrics
    done = run("lexicon", "info", "my.tsv", encoding="utf-8")
    assert done.returncode == 0 and done.stderr.startswith("celab lexicon: warning: my.tsv, line 4")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("comment", ["# ", "#" * 1000, " " * 70 + "#", "\n", "#" * 70_000])
def test_comments_before_the_first_group_may_be_long(put, encoding, comment):
    text = f"{comment}\n" * (70_000 // (len(comment) + 1) + 2) + "雨具\t雨伞\n"
    put("my.tsv", text.encode(encoding))
    assert celab.lexicon.open("my.tsv").groups[0].words == ("雨具", "雨伞")
    assert celab.TeslaCelab(lexicon="my.tsv").sentence_score("雨具", ["雨伞"]).score == 1.0


def test_only_comments_are_empty_however_long(put):
    put("my.tsv", "# nothing\n" * 10_000)
    with pytest.raises(celab.LexiconError, match=r"^lexicon my\.tsv is empty; it must contain"):
        celab.lexicon.open("my.tsv")
