"""Why not matched: the words, their nearest words, the reasons, and the scores as synonyms."""

import pytest

import celab
from celab.lexicon.lexicon import LocalLexicon
from celab.metrics.explaining.columns import alone_texts, missing, reason_text

HYP, REF = "下星期我要带女儿去北京旅行。", "下周我想带闺女去北京旅游。"


def lexicon(tmp_path, *groups):
    path = tmp_path / "own.tsv"
    path.write_text("".join("\t".join(group) + "\n" for group in groups), "utf-8")
    return path


def unmatched(hyp, ref, **options):
    return celab.TeslaCelab(**options).explain(hyp, ref, unmatched=True).unmatched


def test_a_word_has_its_groups_its_nearest_word_and_the_score_as_synonyms(tmp_path):
    ref, hyp = unmatched(HYP, REF)
    assert (ref.side, ref.word, ref.nearest_word, ref.reason) == ("ref", "旅游", "旅行", "apart")
    assert (hyp.side, hyp.word, hyp.nearest_word, hyp.reason) == ("hyp", "旅行", "旅游", "apart")
    (group,) = ref.groups
    assert group.label == "cilin Hj48B01=" and "游览" in group.words and "旅游" not in group.words
    own = lexicon(tmp_path, ("旅游", "旅行"))
    expected = celab.TeslaCelab(lexicon=["cilin", own]).sentence_score(HYP, [REF]).score
    before = celab.TeslaCelab().sentence_score(HYP, [REF]).score
    assert ref.score == hyp.score == expected > before


def test_nothing_is_said_unless_it_is_asked_for():
    metric = celab.TeslaCelab()
    assert metric.explain(HYP, REF).unmatched == ()
    assert metric.explain("买伞", "买雨伞", unmatched=True).unmatched == ()


@pytest.mark.parametrize(
    ("hyp", "ref", "groups", "reason"),
    [
        ("买伞", "买车", None, "no lexicon"),
        ("买伞", "买车", [("伞", "雨伞")], "unknown"),
        ("买伞", "买车", [("伞", "雨伞"), ("车", "汽车")], "apart"),
        ("买", "买车", [("车", "汽车")], "alone"),
    ],
)
def test_reasons(tmp_path, hyp, ref, groups, reason):
    words = unmatched(hyp, ref, lexicon=groups and lexicon(tmp_path, *groups))
    assert {word.reason for word in words} == {reason}
    assert all((word.score is None) == (reason == "alone") for word in words)


def test_synonyms_without_credit_gain_nothing(tmp_path):
    own = lexicon(tmp_path, ("车", "轿"))
    words = unmatched("买车", "买轿", lexicon=own, grades=0.0)
    assert [(word.word, word.reason) for word in words] == [("轿", "no gain"), ("车", "no gain")]


LONG = ("云端系统", "云计算平台")


@pytest.mark.parametrize(
    ("hyp", "ref", "expected"),
    [
        ("用云端系统。", "用云计算平台。", [("ref", (1, 6), (1, 5)), ("hyp", (1, 5), (1, 6))]),
        ("用云计算平台。", "用云端系统。", [("ref", (1, 5), (1, 6)), ("hyp", (1, 6), (1, 5))]),
        # Its synonym is matched, letter by letter.
        ("用云端系统", "端系统云计算平台", [("ref", (3, 8), (1, 5))]),
        # Each has its own synonym.
        (
            "云端系统和云端系统",
            "云计算平台和云计算平台",
            [
                ("ref", (0, 5), (0, 4)),
                ("ref", (6, 11), (5, 9)),
                ("hyp", (0, 4), (0, 5)),
                ("hyp", (5, 9), (6, 11)),
            ],
        ),
    ],
)
def test_synonyms_that_are_too_long_to_be_matched(tmp_path, hyp, ref, expected):
    with pytest.warns(celab.InputWarning):
        words = unmatched(hyp, ref, lexicon=["cilin", lexicon(tmp_path, LONG)])
    long = [word for word in words if word.reason == "too long"]
    assert [(word.side, word.span, word.nearest) for word in long] == expected
    for word in long:
        assert {word.word, word.nearest_word} == set(LONG) and word.score is None
        assert [group.label for group in word.groups] == ["own.tsv line 1"]
    # As long as the longest n-gram, they are matched.
    metric = celab.TeslaCelab(lexicon=lexicon(tmp_path, LONG), max_order=5)
    words = metric.explain(hyp, ref, unmatched=True).unmatched
    assert not set(LONG) & {word.word for word in words}


def test_a_long_word_without_its_synonym_is_cut_as_before(tmp_path):
    hyp, ref = "用手机。", "用云计算平台。"
    with pytest.warns(celab.InputWarning):
        words = unmatched(hyp, ref, lexicon=["cilin", lexicon(tmp_path, LONG)])
    others = lexicon(tmp_path, ("云端系统", "云端"))
    assert words == unmatched(hyp, ref, lexicon=["cilin", others])


def test_a_long_word_takes_the_place_of_words_that_overlap_it(tmp_path):
    groups = [("甲乙", "子"), ("丁戊", "丑"), ("乙丙丁", "寅卯辰")]
    with pytest.warns(celab.InputWarning):
        words = unmatched(
            "午寅卯辰未", "甲乙丙丁戊", lexicon=lexicon(tmp_path, *groups), max_order=2
        )
    assert [(word.word, word.span) for word in words if word.side == "ref"] == [
        ("甲", (0, 1)),
        ("乙丙丁", (1, 4)),
        ("戊", (4, 5)),
    ]


@pytest.mark.parametrize(
    ("groups", "hyp", "ref", "text"),
    [
        (LONG, "用云端系统", "用云计算平台", "云计算平台 has 5 characters; --max-order is 4"),
        (
            ("云端系统软件", "云计算平台"),
            "用云端系统软件",
            "用云计算平台",
            "云计算平台 has 5 characters and 云端系统软件 has 6 characters; --max-order is 4",
        ),
        (
            ("iPhone手机保护壳", "外套"),
            "买外套",
            "买iPhone手机保护壳",
            "iPhone手机保护壳 has 6 tokens; --max-order is 4",
        ),
    ],
)
def test_the_reason_has_the_lengths(tmp_path, groups, hyp, ref, text):
    with pytest.warns(celab.InputWarning):
        metric = celab.TeslaCelab(lexicon=lexicon(tmp_path, groups))
    explanation = metric.explain(hyp, ref, unmatched=True)
    (pair,) = missing(explanation.unmatched)
    assert reason_text(pair, explanation.signature) == text


def test_punctuation_is_near_to_punctuation_only():
    words = unmatched("买伞!", "买车。", lexicon=None)
    assert [(word.word, word.nearest_word) for word in words] == [
        ("车", "伞"),
        ("。", "!"),
        ("伞", "车"),
        ("!", "。"),
    ]


@pytest.mark.parametrize(
    ("between", "reason"), [("一二三四五六", "no lexicon"), ("一二三四五六七", "alone")]
)
def test_a_word_far_from_its_place_is_not_near(between, reason):
    words = unmatched(f"甲{between}", f"{between}乙", lexicon=None)
    assert [(word.word, word.reason) for word in words] == [("乙", reason), ("甲", reason)]


def test_runs_of_unknown_tokens_are_words_up_to_the_longest_ngram():
    words = unmatched("甲乙丙丁戊己", "一二三四五六", lexicon=None)
    assert [word.word for word in words] == ["一二三四", "五六", "甲乙丙丁", "戊己"]


def test_tokens_of_several_letters_are_words_by_themselves():
    words = unmatched("买 Data Center", "买 Big Apple", lexicon=None)
    assert [word.word for word in words] == ["Big", "Apple", "Data", "Center"]
    words = unmatched("die Stadt errichtet eine Brücke", "die Stadt baut ein Haus", lang="de")
    assert [(word.word, word.nearest_word) for word in words if word.side == "ref"] == [
        ("baut", "errichtet"),
        ("ein", "eine"),
        ("haus", "brücke"),
    ]


def test_letters_have_no_words():
    assert unmatched("a cat", "a dog", lang="en") == ()


def test_fewer_pairs_can_be_scored():
    scorer = celab.TeslaCelab(lexicon=None).scorer([["买车去了。"]])
    told = scorer.explain("卖伞去了!", ["买车去了。"], unmatched=True, n_what_if=1)
    scores = [word.score for word in told.against[0].unmatched]
    assert sum(score is not None for score in scores) == 2  # of one pair, seen from both sides


def test_grades_give_two_synonyms_the_credit_of_the_finest(tmp_path):
    options = {"lexicon": lexicon(tmp_path, ("伞", "雨伞")), "grades": 0.5}
    (word, _) = unmatched("买车", "买枪", **options)
    own = tmp_path / "two.tsv"
    own.write_text("伞\t雨伞\n车\t枪\n", "utf-8")
    metric = celab.TeslaCelab(**options | {"lexicon": own})
    assert word.score == metric.sentence_score("买车", ["买枪"]).score


def test_a_local_lexicon_has_the_groups_of_its_words():
    whole = celab.TeslaCelab().engine.lexicon
    local = LocalLexicon(whole, dict.fromkeys(["伞", "雨伞", "电话"])).with_synonyms("伞", "电话")

    def are_synonyms(lexicon, a, b):
        return bool(lexicon.groups_of(lexicon.find(a)) & lexicon.groups_of(lexicon.find(b)))

    assert are_synonyms(whole, "伞", "雨伞") and are_synonyms(local, "伞", "雨伞")
    assert are_synonyms(local, "伞", "电话") and not are_synonyms(whole, "伞", "电话")
    assert not are_synonyms(local, "雨伞", "电话")
    assert local.find("旅游") == -1


def test_a_group_lists_its_words():
    whole = celab.TeslaCelab().engine.lexicon
    (group,) = whole.sorted_groups(whole.find("雨伞"))
    assert {"伞", "雨伞"} <= set(whole.members(group))
    assert all(whole.find(word) >= 0 for word in whole.members(group))


@pytest.mark.parametrize(
    ("hyp", "ref", "pairs", "alone"),
    [
        # Between the same matches, and alike in length.
        ("新展览的中心。", "新展览的焦点。", [("焦点", "中心")], []),
        # Another place.
        ("土地,新展览的", "新展览的焦点", [], ["焦点", "土地"]),
        # One character against two; twice as many characters.
        ("新展览的水。", "新展览的焦点。", [], ["焦点", "水"]),
        ("新展览的龙门石窟。", "新展览的焦点。", [], ["焦点", "龙门石窟"]),
        # Words of letters have as many as their script needs.
        ("新展览的Hongxing。", "新展览的焦点。", [("焦点", "Hongxing")], []),
        # A place of more tokens says little.
        ("新甲乙丙丁中心。", "新焦点。", [("焦点", "中心")], ["甲乙丙丁"]),
        ("新甲乙丙丁戊中心。", "新焦点。", [], ["焦点", "甲乙丙丁, 戊, 中心"]),
    ],
)
def test_only_words_in_one_place_and_of_like_length_are_suggested(tmp_path, hyp, ref, pairs, alone):
    own = lexicon(tmp_path, ("焦点", "焦距"), ("中心", "正中"), ("土地", "田地"))
    explanation = celab.TeslaCelab(lexicon=own).explain(hyp, ref, unmatched=True)
    assert [(pair.ref, pair.hyp) for pair in missing(explanation.unmatched)] == pairs
    texts = alone_texts(explanation.unmatched)
    assert [text.partition(": ")[2] for text in texts] == alone
    words = {word for text in alone for word in text.split(", ")}
    assert words <= {word.word for word in explanation.unmatched if not word.plausible}
    assert all(word.nearest for word in explanation.unmatched if word.plausible)


def test_plausible_pairs_are_scored_first(tmp_path):
    own = lexicon(tmp_path, ("焦点", "焦距"), ("中心", "正中"))
    scorer = celab.TeslaCelab(lexicon=own).scorer([["甲乙丙丁新展览的焦点。"]])
    told = scorer.explain(
        "新展览的中心。戊己庚辛", ["甲乙丙丁新展览的焦点。"], unmatched=True, n_what_if=1
    )
    scored = {word.word for word in told.against[0].unmatched if word.score is not None}
    assert scored == {"焦点", "中心"}
