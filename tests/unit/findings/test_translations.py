"""Outputs that may not be translations: cases of each kind, and both sides of each threshold."""

import inspect
import string
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from oracle.outputs import given_to_many

import celab
from celab.findings.finding import Needs
from celab.findings.translations import CHECKS, Expectation
from celab.findings.translations.outputs import NO_REFERENCE
from celab.findings.translations.screening import Expectations, find

SHARED = ROOT.parent / "shared" / "data"
REF = "第二天早上，他们带着雨伞去了火车站。"
WORDS = "They took their umbrellas to the station"

# (output, references, source, script of the target language, whether the rule applies)
CASES = {
    "empty": [
        ("", [REF], None, "Han", True),
        (" \u3000\t", [REF], None, "Han", True),
        ("\u200b", [REF], None, "Han", True),
        ("📉", ["📉"], None, "Han", False),
        ("。", [REF], None, "Han", False),
    ],
    "filler": [
        ("null", [REF], None, "Han", True),
        (" [None] ", [REF], WORDS, "Han", True),
        ("N/A", ["N/A"], "N/A", "Han", False),
        ("N/A", [REF, "n/a"], WORDS, "Han", False),
        ("None", ["Nothing"], "没有", "Latin", False),  # a translation
        ("None", ["None of them went to the station"], "他们都没去车站", "Latin", False),
        ("null", ["They all went to the station"], "他们都带着雨伞去了火车站", "Latin", True),
        ("翻译失败", [REF], None, "Han", True),
        ("翻译失败", ["翻译未成功"], None, "Han", False),
        ("翻译失败的原因", [REF], None, "Han", False),
        ("<|endoftext|>", [REF], None, "Han", True),
        ("<|endoftext|>", ["标记 <|endoftext|>"], None, "Han", False),
        ("???", [REF], None, "Han", True),
        ("???", ["什么？？"], None, "Han", False),
        ("……", ["……"], None, "Han", False),
        ("。", [REF], None, "Han", False),  # one mark, as of a sentence that is too short
    ],
    "refusal": [
        ("I’m sorry, but I can't help with that.", [REF], None, "Han", True),
        ("抱歉，我无法翻译这段文字。", [REF], None, "Han", True),
        ("申し訳ありませんが、翻訳できません。", [REF], None, "Han", True),
        ("죄송하지만 도와드릴 수 없습니다.", [REF], None, "Han", True),
        ("Als KI-Sprachmodell kann ich das nicht.", [REF], None, "Han", True),
        ("抱歉，我无法去。", ["抱歉，我无法去火车站。"], None, "Han", False),  # a translation
        ("抱歉，我无法帮你。", [REF], "I'm sorry, I cannot help you.", "Han", False),
        (REF * 20 + "I cannot translate this.", [REF], None, "Han", False),  # not at the beginning
        ("请提供需要翻译的文本。", [REF], None, "Han", True),
        ("Please provide the text you would like me to translate.", [REF], None, "Han", True),
        ("请输入需要翻译的文本。", [REF], "Enter a text to translate.", "Han", False),
        ("Basic annotations", [REF], None, "Han", False),
    ],
    "wrapped": [
        (f"译文：{REF}", [REF], WORDS, "Han", True),
        (f"译文：{REF}", [f"译文：{REF}"], WORDS, "Han", False),
        (f"“{REF}”", [REF], WORDS, "Han", True),
        (f"“{REF}”", [REF], None, "Han", False),  # the source may be quoted
        (f"“{REF}”", [REF], f'"{WORDS}"', "Han", False),
        (f"```\n{REF}\n```", [REF], None, "Han", True),
        ("<think>他们", [REF], None, "Han", True),
        (REF, [REF], WORDS, "Han", False),
    ],
    "copied": [
        (WORDS, [REF], WORDS, "Han", True),
        ("they took their umbrellas, to the STATION!", [REF], WORDS, "Han", True),
        (WORDS, [REF], None, "Han", False),  # unknown without a source
        (WORDS, [WORDS], WORDS, "Latin", False),
        (f"{WORDS} 去", [REF], WORDS, "Han", False),
        ("@user5 oh no", ["@user5 噢不"], "@user5 oh no", "Han", True),
        ("OK $abcd lol", ["OK $abcd 哈哈"], "OK $abcd lol", "Han", False),  # two of three are kept
        ("OK lol", ["OK 哈哈"], "OK lol", "Han", True),  # half of them
        ("OK lol", ["OK 哈哈", "OK lol"], "OK lol", "Han", False),
        ("🙌", ["🙏"], "🙌", "Han", False),  # no letter to copy
        ("买雨伞", ["傘を買う"], "买雨伞", "kana", True),
        ("", [REF], " ", "Han", False),
    ],
    "other-language": [
        ("I cannot translate this.", [REF], None, "Han", True),
        ("Ich weiß es nicht.", ["I do not know."], None, "Latin", False),  # the same script
        ("我不知道他说的是什么意思。", ["I do not know what he means."], None, "Latin", True),
        ("abcdefghi", [REF], None, "Han", False),  # nine letters
        ("abcdefghij", [REF], None, "Han", True),  # ten
        ("abcdefghi伞", [REF], None, "Han", False),  # a tenth is Han
        ("abcdefghij伞", [REF], None, "Han", True),
        ("1234567890.", [REF], None, "Han", False),
        ("The Beatles", ["The Beatles 乐队"], None, "Han", False),  # mostly Latin
        ("The Beatles", ["abcde甲壳虫乐队"], None, "Han", True),  # half of it is Han
        ("The Beatles", ["abcdef甲壳虫乐队"], None, "Han", False),
        ("The Beatles", ["甲壳虫乐队", "The Beatles 乐队"], None, "Han", False),
        ("The Beatles", ["甲壳虫乐队", "披头士"], None, "Han", True),
        ("I cannot translate this.", [REF], None, None, False),
        # without a reference: prose without a letter of the language
        ("I cannot say it, because it is late.", [], WORDS, "Han", True),
        ("Microsoft Visual Studio Code", [], WORDS, "Han", False),
        ("gssapi, sspi and cert or 证书", [], WORDS, "Han", False),
        ("翌朝、彼らは傘を持って駅に行きました。", [], WORDS, "Han", True),
        ("SELinux AVC 統計: entry lookups and misses", [], WORDS, "kana", False),
        # Chinese and Japanese
        ("春夏秋冬东南西北中のをに", [REF], None, "Han", True),  # a quarter is kana
        ("春夏秋冬东南西北中外のをに", [REF], None, "Han", False),
        ("明日の朝、傘を持って駅に行きます。", [REF], None, "Han", True),
        ("他最喜欢优の良品的雨伞，每天都带着。", [REF], None, "Han", False),
        (REF * 2, ["翌朝、彼らは傘を持って駅に行きました。"], None, "kana", True),
        ("漢字" * 10, ["翌朝、彼らは傘を持って駅に行きました。"], None, "kana", True),
        ("漢字" * 9 + "漢", ["翌朝、彼らは傘を持って駅に行きました。"], None, "kana", False),
        ("新型感染症対策本部設置", ["新型感染症の対策本部を設置"], None, "kana", False),  # headline
        (
            "翌朝、傘を持って駅へ行った。",
            ["翌朝、彼らは傘を持って駅に行きました。"],
            None,
            "kana",
            False,
        ),
        ("Next morning they left.", ["翌朝、彼らは傘を持って駅に行きました。"], None, "kana", True),
    ],
    "repeated": [
        ("他买了" + "雨伞" * 5, [REF], None, "Han", True),
        ("他买了" + "雨伞" * 4, [REF], None, "Han", False),
        ("很" * 10, [REF], None, "Han", True),
        ("很" * 9, [REF], None, "Han", False),
        ("一二三四五六七八九十" * 15, [REF], None, "Han", True),
        ("他买了雨伞" + "." * 40, [REF], None, "Han", False),  # no letter
        ("他" + "哈哈" * 8, ["哈哈哈哈哈"], None, "Han", False),  # the reference laughs, too
        ("他" + "哈哈" * 8, ["呵呵"], "hahahahaha", "Han", False),
        ("他" + "哈哈" * 8, ["呵呵....."], None, "Han", True),
        ("ha" * 5 + "x" + "".join(map(chr, range(0x4E00, 0x4E00 + 39))), [REF], None, "Han", True),
        ("ha" * 5 + "x" + "".join(map(chr, range(0x4E00, 0x4E00 + 40))), [REF], None, "Han", False),
        ("行\n好\n" * 5, [REF], None, "Han", True),
    ],
    "same-text": [  # `test_one_text_for_many_segments` has the other outputs
        ("好的。", [REF], WORDS, "Han", True),
        ("好的。", [REF, "好的"], WORDS, "Han", False),
        ("OK", [REF], "ok!", "Han", False),
        ("……", [REF], WORDS, "Han", True),
        ("……", ["……"], WORDS, "Han", False),
    ],
    "too-long": [
        ("伞" * 23, ["雨雨雨雨"], None, "Han", True),
        ("伞" * 22, ["雨雨雨雨"], None, "Han", False),
        ("伞 " * 22, ["雨雨雨雨"], None, "Han", False),  # white space does not count
        ("伞" * 23, ["雨雨雨雨", "雨雨雨雨雨"], None, "Han", False),  # the longest reference
        ("伞" * 23, ["雨雨雨雨", ""], None, "Han", True),  # an absent one has no length
    ],
    "too-short": [
        ("雨雨", ["伞" * 19], None, "Han", True),
        ("雨雨", ["伞" * 18], None, "Han", False),
        ("雨雨", ["伞" * 19, "伞"], None, "Han", False),  # the shortest reference
        ("雨雨", ["伞" * 19, " "], None, "Han", True),
    ],
    "number-lost": [
        ("三个人", ["3个人"], "3 people", "Han", True),
        ("３个人", ["3个人"], "3 people", "Han", False),
        ("1200元", ["1,200元"], "1,200 yuan", "Han", False),
        ("12元", ["1,200元"], "1,200 yuan", "Han", True),
        ("三个人", ["三个人"], "3 people", "Han", False),  # nor has the reference
        ("三个人", ["3个人", "三个人"], "3 people", "Han", False),
        ("三个人", ["3个人"], None, "Han", False),
        ("用户", ["@user3"], "@user3", "Han", False),  # that is an address
    ],
    "address-damaged": [
        ("@用户3 你好", ["@user3 你好"], "@user3 hi", "Han", True),
        ("你好@user3", ["@user3 你好"], "@user3 hi", "Han", False),
        ("见 http://a.b/d", ["见http://a.b/c。"], "see http://a.b/c.", "Han", True),
        ("见http://a.b/c。", ["见http://a.b/c。"], "see http://a.b/c.", "Han", False),
        ("写信给 me＠a.org", ["写信给 me@a.org"], "write to me@a.org", "Han", True),
        ("@用户3 你好", ["你好"], "@user3 hi", "Han", False),
        ("@用户3 你好", ["@user3 你好"], None, "Han", False),
    ],
}


@pytest.mark.parametrize(
    ("kind", "output", "references", "source", "script", "applies"),
    [(kind, *case) for kind, cases in CASES.items() for case in cases],
)
def test_each_kind_has_its_rule(kind, output, references, source, script, applies):
    said = CHECKS[kind].rule(output, Expectation(references, source, script))
    assert bool(said) is applies


def test_each_kind_has_a_meaning_an_example_and_a_table():
    assert set(CASES) == set(CHECKS)
    for kind, check in CHECKS.items():
        assert check.meaning and len(check.chinese) == 2
        assert ">>>" in inspect.getdoc(check.rule)
        assert {case[-1] for case in CASES[kind]} == {True, False}


def found(*arguments, **options):
    return [(x.segment, x.kind, x.note) for x in find(*arguments, **options)]


def test_the_first_kind_that_applies_counts():
    long_refusal = "I cannot translate this, because it is not appropriate to do so."
    sources = ["A pity.", long_refusal, "A pity."]
    expected = Expectations([["真可惜。"] * 3], sources, "zh")
    kinds = [finding.kind for finding in find(["", long_refusal, long_refusal], expected)]
    assert kinds == ["empty", "copied", "refusal"]
    expected = Expectations([["真可惜。", *[REF] * 9]])
    assert found([long_refusal, *[REF] * 9], expected) == [(0, "refusal", "")]
    fenced = f"```\n{REF * 9}\n```"  # too long, too
    assert found([fenced], Expectations([[REF]])) == [(0, "wrapped", "fence")]
    repeated = "雨伞" * 30
    assert [f.kind for f in find([repeated], Expectations([["雨伞"]], lang="zh"))] == ["repeated"]


def test_the_language_of_outputs_is_decided_by_the_script_of_the_target_language():
    scripts = {
        lang: Expectations([[REF]], lang=lang)[0].script for lang in ("zh", "ja", "de", "xx")
    }
    assert scripts == {"zh": "Han", "ja": "kana", "de": "Latin", "xx": None}


def test_filters_may_find_an_output_twice():
    expected = Expectations([["@user3 有5个"]], ["@user3 has 5"])
    assert found(["用户三有五个"], expected, verdict=False) == [
        (0, "number-lost", ""),
        (0, "address-damaged", ""),
    ]


PIECES = st.sampled_from(
    [
        "伞",
        "雨伞",
        "ab",
        "の",
        "カ",
        " ",
        "\n",
        ".",
        "I cannot translate",
        "@u1",
        "7",
        "é",
        "“",
        "”",
        "*",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.integers(1, 12)), max_size=5).map(
    lambda parts: "".join(piece * n for piece, n in parts)
)


@given(
    st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=6),
    st.sampled_from(["zh", "ja", "en"]),
)
def test_looking_at_all_outputs_at_once_gives_what_the_rules_give(rows, lang):
    expected = Expectations([[row[1] for row in rows]], [row[2] for row in rows], lang)
    slow = []
    verdicts = [check for check in CHECKS.values() if check.verdict]
    given = given_to_many(*([*side] for side in zip(*rows, strict=True)))
    for number, (row, segment) in enumerate(zip(rows, expected, strict=True)):
        kinds = [check.name for check in verdicts if check.rule(row[0], segment)]
        kinds = [kind for kind in kinds if kind != "same-text" or number in given]
        slow += [(number, kinds[0])] if kinds else []
    assert [x[:2] for x in found([row[0] for row in rows], expected)] == slow


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published data are not in ../shared")
def test_real_outputs_of_language_models():
    def read(path: Path):
        return path.read_text("utf-8").split("\n")[:-1]

    folder = SHARED / "wmt24-enzh-esa"
    expected = Expectations([read(folder / "ref-A.txt")])
    findings = found(read(folder / "hyp" / "Claude-3.5.txt"), expected)
    assert [(place + 1, kind) for place, kind, _ in findings] == [
        (335, "refusal"),
        (343, "too-long"),
        *((number, "refusal") for number in (468, 469, 475, 498, 539, 542, 546)),
    ]


def test_texts_name_the_checks_that_need_a_reference():
    # So do the notes of pages: `check_page.py` and `templates/zh-check.json` of the report.
    needing = [x.name for x in CHECKS.values() if x.verdict and Needs.REFERENCE in x.needs]
    assert f"{' and '.join(needing)}: need a reference" == NO_REFERENCE


# ---- what outputs tell together ----


def kinds_of(outputs, references, sources=None, lang="zh"):
    return Counter(kind for _, kind, _ in found(outputs, Expectations(references, sources, lang)))


HAN = "春夏秋冬东南西北上下左右前后里外红黄蓝绿金木水火土日月山石田风云雨雪江河湖海鱼鸟"
DIFFERENT = [HAN[: n + 1] for n in range(40)]
SOURCES = [string.ascii_letters[: n + 1] for n in range(40)]


@pytest.mark.parametrize("refs", [[], [DIFFERENT]])
@pytest.mark.parametrize("sources", [None, SOURCES])
def test_one_text_for_many_segments(refs, sources):
    if not refs and sources is None:
        return
    same = "好的，没问题。"
    for n, expected in ((4, 0), (5, 5), (21, 21)):
        given = kinds_of([same] * n + DIFFERENT[n:], refs, sources)
        assert given["same-text"] == expected
    few = [side[:4] for side in refs], sources and sources[:4]
    assert kinds_of([same] * 3 + DIFFERENT[3:4], *few)["same-text"] == 3  # most of four
    assert kinds_of([same] * 2 + DIFFERENT[2:4], *few)["same-text"] == 0


def test_one_text_for_segments_that_are_alike_is_a_translation():
    phrases = ["How are you?", "How is it going?", "How do you do?", "How goes it?", "Hi there!"]
    others = DIFFERENT[:20]
    outputs, sources = ["你好吗？"] * 5 + others, [*phrases, *SOURCES[:20]]
    assert not kinds_of(outputs, [], sources)  # they are as long
    assert not kinds_of(outputs, [["你好。"] * 5 + others], sources)  # one reference
    assert not kinds_of(["好的。"] * 25, [others[:1] + ["好的。"] * 24])
    assert kinds_of(["好的。"] * 25, [["好的。"] * 5 + others])["same-text"] == 20
    assert not kinds_of(["好的。"] * 25, [["好的。"] * 5 + others], ["OK"] * 25)["same-text"]


@pytest.mark.parametrize(
    ("pairs", "lang", "expected"),
    [
        ({"Save all files": "Save all files", "Quit": "退出"}, "zh", 1),
        ({"Visual Studio Code": "Visual Studio Code", "Quit": "退出"}, "zh", 0),
        ({"OK": "OK", "USB": "USB", "Quit": "退出", "Save": "保存"}, "zh", 0),
        ({"Save": "Save", "Open": "Open", "Quit": "Quit", "42 %": "42 %"}, "zh", 3),
        ({"Save": "Save", "Open": "Open", "Quit": "Quit"}, "de", 0),  # in one script
        ({"Suba": "Suba", "Hotel and bar": "Hotel and bar"}, "de", 1),
        ({"git add [<path>]": "git add [<path>]"}, "zh", 0),
        ({"我们明天坐火车去北京看朋友。": "我们明天坐火车去北京看朋友。"}, "en", 1),
    ],
)
def test_copies_without_a_reference(pairs, lang, expected):
    assert kinds_of([*pairs.values()], [], [*pairs], lang)["copied"] == expected


URL = "https://a.b/watch?v=1"


@pytest.mark.parametrize(
    ("output", "ref", "source", "kinds"),
    [
        ("Cohren", "科伦", "Cohren", {}),  # a name may stay as it is
        ("Cohren!", "科伦！", "Cohren", {}),
        ("Get lost", "滚开", "Get lost", {"copied": [0]}),
        ("谢谢", "Thanks", "谢谢", {"copied": [0]}),  # no script with spaces
        (f'"{URL}"', URL, URL, {}),
        (f"“{URL}”", f"见 {URL}", f"See {URL}", {"wrapped": [0]}),
        ("“Cohren”", "科伦", "Cohren", {}),
        ("“科伦”", "科伦", "Cohren", {"wrapped": [0]}),
        ("“滚开”", "滚开", "Get lost", {"wrapped": [0]}),
    ],
)
def test_a_name_and_a_quoted_url_are_no_findings(output, ref, source, kinds):
    lang = "en" if ref == "Thanks" else "zh"
    checked = celab.check([output, "好的"], [ref, "好的"], [source, "All right"], lang=lang)
    found = checked.kinds("system")
    assert {kind: places for kind, places in found.items() if 0 in places} == kinds
