"""What must survive translation: quiet where it should be, and nearly every injected fault seen."""

import random
import re

import pytest

import celab
from celab.base.text.tokens import is_blank
from celab.corpus import Corpus, Segment
from celab.corpus.model import InlineCodes
from celab.findings.finding import Subject
from celab.findings.markup import compare_tags, find, finding_spans
from celab.findings.markup.placeholders import compare_placeholders
from celab.findings.translations.outputs import Outputs

# Three messages, one in the other.
NESTED = "{a, select, x {{b, select, x {{c, select, x {%s} other {TEA}}} other {TEA}}} other {TEA}}"


@pytest.mark.parametrize(
    ("source", "output", "lost", "added"),
    [
        ("Delete {bucket}?", "删除{桶名}？", ["{bucket}"], ["{桶名}"]),
        ("Delete %s?", "删除 % s？", ["%s"], []),
        ("Delete %s?", "删除％s？", ["%s"], []),
        ("Step {0}", "步骤｛0｝", ["{0}"], []),
        ("%d files", "文件", ["%d"], []),
        ("%(n)s of %(m)s", "%(n)s", ["%(m)s"], []),
        ("%-5.2f %@", "%-5.2f", ["%@"], []),
        ("%1$d of %2$d", "第%1$d个", ["%2$d"], []),
        ("{{user}} and ${host}", "{user}和", ["{{user}}", "${host}"], ["{user}"]),
        ("See $t(help)", "参见帮助", ["$t(help)"], []),
        ("%d%% done", "完成 %d％", ["%%"], []),
        ("%d%% of %s", "%s的%d%", ["%%"], []),
        ("Save 50%% today", "今天立减50%", ["%%"], []),
        ("20 %% or 50 %%", "20%% 或 50%", ["%%"], []),
        ("50%% of %s", "50%%", ["%s"], []),
        (r"One\nTwo", "一二", [r"\n"], []),
        ("a &lt; b", "a < b", ["&lt;"], []),
        ("Rain & wind", "风 &amp; 雨", [], ["&amp;"]),
        ("Hello %name%", "你好", ["%name%"], []),
        (
            "{g, select, male {He} other {They}}",
            "{g, select, 男 {他} other {他们}}",
            ["{g, select, male}"],
            ["{g, select, 男}"],
        ),
        (
            "{n, plural, one {# file of {name}} other {# files of {name}}}",
            "{n, plural, one {# 个文件}}",
            ["{name}", "{n, plural, other}"],
            [],
        ),
        (
            "{n, plural, one {# file} other {# files}}",
            "{n, plural, other {个文件}}",
            ["{n, plural, #}"],
            [],
        ),
        ("by {d, date, short}", "截止{d, date, 短}", ["{d, date}"], ["{d, date, 短}"]),
        (
            "{n, number, percent} of it",
            "占{n, number, 百分比}",
            ["{n, number}"],
            ["{n, number, 百分比}"],
        ),
        (NESTED, NESTED.replace("TEA", "茶").replace("%s", "丙"), ["%s"], []),
    ],
)
def test_placeholders_that_are_lost_or_added(source, output, lost, added):
    assert compare_placeholders(source, output, "zh") == (lost, added)


@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("100% sure", "100％ 肯定"),
        ("up 5% since May, 20%off", "自五月以来上涨5%，优惠20%"),
        ("%d%% %s", "%d%%%s"),
        ("%d of %s", "%s的%d"),
        ("%s to %s (%d × %d)", "%s-%s（%dx%d）"),
        ("by %user.name%, %%%total%", "%%%total%，%user.name%著"),
        ("Save 50%% today", "今天立减50%%"),
        ("Save 50%% today", "今天五折"),
        ("Save 50%% today", "今天立减50％"),
        ("100%%%!! lol", "100%!!"),
        ("50%% or 20%", "50%或20%"),
        ("5% up", "上涨5%%"),
        ("if (a) { return b; }", "如果 (a) 那么返回 b"),
        ("See https://a.org/x%20y%2Fz", "参见 a.org"),
        ("Rain &amp; wind", "风和雨"),
        ("{name} took {name}'s bag", "{name} 拿了包"),
        ("%s has %d", "%2$d 属于 %1$s"),
        ("{} of {}", "{1} 中的 {0}"),
        ("{n, plural, one {# file} other {# files}}", "{n, plural, other {# 个文件}}"),
        ("a {sum, number, percent}", "共 {sum, number}"),
        ("by {d, date, short}", "截止{d, date, yyyy年M月d日}"),
        ("{n, number, #.##} of it", "占{n, number, ::percent}"),
        ("{n, plural, one {a file} other {# files}}", "{n, plural, other {{n} 个文件}}"),
        ("{n, plural, one {{n} file} other {{n} files}}", "{n, plural, other {{n, number} 个}}"),
        (NESTED, NESTED.replace("TEA", "茶")),
        ("{n, plural, other {{g, select, a {# x} other {# y}}}}",) * 2,
    ],
)
def test_text_that_is_no_placeholder_and_legal_changes_are_quiet(source, output):
    assert compare_placeholders(source, output, "zh") == ([], [])


def test_plural_categories_are_those_of_the_target_language():
    source, output = "{n, plural, one {#} other {#}}", "{n, plural, one {#} other {#}}"
    assert compare_placeholders(source, output, "de") == ([], [])
    lost = ["{n, plural, few}", "{n, plural, many}"]
    assert compare_placeholders(source, output, "ru") == (lost, [])


@pytest.mark.parametrize(
    ("source", "output", "lost", "added"),
    [
        ("<b>OK</b>", "<b>确定", ["</b>"], []),
        ("a<br>b", "a b", ["<br/>"], []),
        ("a<br>b", "a<br />b", [], []),
        ('<a href="x">y</a>', '<a href="z">y</a>', [], []),
        ("<b><i>x</i></b>", "<i><b>x</b></i>", [], []),
        ("<b><i>x</i></b>", "<b><i>x</b></i>", [], ["</b>"]),
        ("<0>x</0>", "x", ["<0>", "</0>"], []),
        ("1 < 2 and 3 > 1, <3 >_<", "一小于二", [], []),
        ("Write to <ann@example.org> or <name>", "写给我们", [], []),
    ],
)
def test_tags_that_are_lost_or_added(source, output, lost, added):
    assert compare_tags(source, output) == (lost, added)


def corpus(original, output, **codes):
    segments, systems = [Segment("", "1")], {"A": [output]}
    return Corpus(
        segments=segments,
        systems=systems,
        refs=[],
        ref_names=[],
        source=[original],
        codes=InlineCodes(**codes),
    )


def kinds(texts, **options):
    return [(x.kind, *x.value) for x in find(Subject(corpus=texts, **options))]


def test_inline_codes_lengths_and_edges():
    texts = corpus("x", "y", source=[("<x id='1'>",)], systems={"A": [("<x id='2'>",)]})
    assert kinds(texts) == [("tags", ("<x id='1'>",), ("<x id='2'>",))]
    codes = ['<bpt id="1">', '<ept id="1">', "<i>", "</i>", '<sc id="2">', '<ec startRef="2">']
    swapped = [codes[2], *codes[:2], *codes[3:]]
    assert kinds(corpus("x", "y", source=[codes], systems={"A": [swapped]})) == []
    for n in (0, 2, 4):
        swapped = [*codes[:n], codes[n + 1], codes[n], *codes[n + 2 :]]
        texts = corpus("x", "y", source=[codes], systems={"A": [swapped]})
        assert kinds(texts) == [("tags", (), (codes[n + 1],))]
    # A plain text has lost no codes: it cannot have any.
    assert kinds(corpus("x", "y", source=[("<x id='1'>",)])) == []
    assert kinds(corpus("x", "太长了", max_lengths={0: 2})) == [("length", (), ("了",))]
    assert kinds(corpus("x", "长了", max_lengths={0: 2})) == []
    assert kinds(corpus("Name: ", "\n姓名：")) == []
    in_file = {"source": [()], "systems": {"A": [()]}}  # of translators, whose ends are messages'
    for source, output, *found in [
        ("Done\n", "完成", (r"\n",), ()),
        ("Done", "\n完成", (), (r"\n",)),
        ("\nDone\n", "完成", (r"\n", r"\n"), ()),
    ]:
        assert kinds(corpus(source, output, **in_file)) == [("placeholder", *found)]
        assert kinds(corpus(source, output)) == []
    assert kinds(corpus("\nDone\n", "\n完成\n", **in_file)) == []
    assert kinds(corpus("Name: ", "\n姓名："), filters=True) == [("edges", (" ",), ("\n",))]


def test_a_wrapped_output_is_judged_by_the_translation_inside():
    assert kinds(corpus("Delete %s", "<think>The %s, <b>well</b></think>删除 %s")) == []
    assert kinds(corpus("Delete %s", "<think>The %s must stay.</think>删除")) == [
        ("placeholder", ("%s",), ())
    ]
    # Tags around all of an output are what the check is about, and thinking may have no end.
    assert kinds(corpus("Bold", "<b>粗体</b>")) == [("tags", (), ("<b>", "</b>"))]
    assert kinds(corpus("Delete %s", "<think>Delete")) == [("placeholder", ("%s",), ())]


def test_findings_are_rows_beside_the_kinds():
    outputs = celab.check(["", "去北京"], ["买雨伞", "去%s"], ["Buy %s", "To %s"])
    assert outputs.kinds("system") == {"empty": [0]}
    row = {"system": "system", "segment": 2, "kind": "placeholder", "text": "去北京", "form": ""}
    assert outputs.to_dict()["finding"][1:] == [row | {"lost": "%s", "added": ""}]
    assert "placeholder" in str(outputs)
    assert "placeholder" not in str(celab.check(["去%s"], ["去%s"], ["To %s"]))
    assert celab.check(["去"], ["去%s"]).findings == ()


def test_rows_of_findings_have_the_text_of_the_output():
    pandas = pytest.importorskip("pandas")
    outputs = celab.check(["", "去 %d"], ["去%s", "去 %s"], ["Go %s", "Go %s"])
    rows = [
        ["system", 1, "empty", "", "", "", ""],
        ["system", 2, "placeholder", "去 %d", "", "%s", "%d"],
    ]
    table = outputs.to_dataframe()
    assert isinstance(table, pandas.DataFrame)
    assert table.pop("index").tolist() == [0, 1]
    headings = ["system", "segment", "kind", "text", "form", "lost", "added"]
    assert [list(table.columns), *table.values.tolist()] == [headings, *rows]
    printed = outputs.render("tsv").splitlines()
    assert [line.split("\t") for line in printed] == [headings, *([*map(str, row)] for row in rows)]
    assert "lost" not in celab.check([""], ["去"]).to_dataframe().columns


def test_without_a_reference_only_some_kinds_are_decided():
    texts = Corpus(
        segments=[Segment("", "1"), Segment("", "2")],
        systems={"A": ["", "Buy it now, please"]},
        refs=[],
        ref_names=[],
        source=["Buy %s", "Buy it now, please"],
    )
    checked = Outputs.of_corpus(texts, "zh", findings=True)
    assert checked.kinds("A") == {"empty": [0], "copied": [1]}
    assert "too-short" not in str(checked).splitlines()[0]


# ---- injected faults ----------------------------------------------------------------------------

NAMES = ("name", "bucket", "user_id", "count")
SYNTAXES = (
    *("{0}", "{1}", "%s", "%d", "%1$s", "%2$d", "%-5.2f", "%@", "%i", "%lu", "{0:N2}", "{}"),
    *(form % name for name in NAMES for form in ("{%s}", "{{%s}}", "${%s}", "%%(%s)s", "$t(%s)")),
    *("\\n", "\\t", "&lt;", "&#39;", "%total%"),
    "{n, plural, one {# x} other {# xs}}",
    "{g, select, male {he} other {they}}",
)
TAGS = ("<b>", "<i>", "<a>", "<strong>", "<0>", "<code>")
WORDS = {
    "zh": ("请", "删除", "文件", "吗", "今天", "北京", "100%", "，"),
    "ja": ("この", "ファイル", "を", "削除", "します", "か", "。"),
    "de": ("Datei ", "und ", "löschen ", "am ", "Montag ", "100 % ", "für "),
}
FAULTS = ("drop", "wide", "space", "rename", "add")


def damaged(rng, text, placeholder, fault):
    """Return the text with one fault, or None if the placeholder cannot have it."""
    if fault == "drop":
        return text.replace(placeholder, "", 1)
    if fault == "wide":
        marks = str.maketrans("{}%$&\\<>", "｛｝％＄＆＼＜＞")
        return text.replace(placeholder, placeholder.translate(marks), 1)
    if fault == "space":
        if "," in placeholder:
            return None  # ICU takes it
        return text.replace(placeholder, f"{placeholder[:1]} {placeholder[1:]}", 1)
    if fault == "rename":
        names = [name for name in NAMES if name in placeholder]
        return text.replace(names[0], "名字", 1) if names else None
    return text + rng.choice([other for other in SYNTAXES if other not in text])


def sentence(rng, lang, pieces):
    words = [rng.choice(WORDS[lang]) for _ in range(rng.randint(2, 8))]
    for piece in pieces:
        words.insert(rng.randint(0, len(words)), f" {piece} ")
    return "".join(words)


def test_nearly_all_injected_faults_are_seen_and_nothing_else():
    rng = random.Random(50)
    n_seen = n_drawn = 0
    while n_drawn < 2000:
        lang = rng.choice(list(WORDS))
        chosen = rng.sample(SYNTAXES, rng.randint(1, 3))
        pair = rng.choice(TAGS)
        pieces = [*chosen, f"{pair}x{pair.replace('<', '</')}"]
        source, output = (sentence(rng, language, pieces) for language in ("de", lang))
        if re.search(r"%[^%\s]*\s*%", output) and "%%" in output:
            continue  # two signs that happen to meet
        whole = corpus(source, output)
        assert kinds(whole, lang=lang) == [], (source, output)
        if rng.random() < 0.2:
            tag = rng.choice((pair, pair.replace("<", "</")))
            faulty = output.replace(tag, "", 1)
        else:
            faulty = damaged(rng, output, rng.choice(chosen), rng.choice(FAULTS))
        if faulty is None or is_blank(faulty):
            continue
        n_drawn += 1
        n_seen += bool(kinds(corpus(source, faulty), lang=lang))
    assert n_seen >= 0.99 * n_drawn


# ---- places ----


def spans_of(source, output, kind, **corpus):
    texts = Corpus(
        segments=[Segment("", "1")],
        systems={"A": [output]},
        refs=[],
        ref_names=[],
        source=[source],
        **corpus,
    )
    (finding,) = (x for x in find(Subject(corpus=texts, filters=True)) if x.kind == kind)
    return [
        [None if span is None else text[slice(*span)] for span in spans]
        for text, spans in zip((source, output), finding_spans(finding, source), strict=True)
    ], finding


@pytest.mark.parametrize(
    ("kind", "source", "output", "lost", "added"),
    [
        ("placeholder", "%d of %d", "第 %d 个", ["%d"], []),
        ("placeholder", "%s of %s", "%2$s", ["%s"], []),
        ("placeholder", "{} of {}", "{0}", ["{}"], []),
        ("placeholder", "see http://a.b/%s and %s", "见 http://a.b/%s", ["%s"], []),
        ("placeholder", "{g, select, male {He}}", "他", ["{g,", None], []),
        ("tags", "<br>Hi</B>", "你好<i>", ["<br>", "</B>"], ["<i>"]),
        ("tags", "<b><i>x</i></b>", "<b><i>x</b></i>", [], ["</b>"]),
        ("edges", " Name: ", "姓名：\n", [" ", " "], ["\n"]),
    ],
)
def test_findings_have_their_places(kind, source, output, lost, added):
    places, finding = spans_of(source, output, kind)
    assert places == [lost, added]
    assert [*map(len, finding.value)] == [len(lost), len(added)]


def test_of_equal_placeholders_the_last_is_marked():
    texts = Corpus(
        segments=[Segment("", "1")],
        systems={"A": ["%d 个"]},
        refs=[],
        ref_names=[],
        source=["%d of %d"],
    )
    (finding,) = find(Subject(corpus=texts))
    assert finding_spans(finding, "%d of %d") == ([(6, 8)], [])


def test_codes_and_lengths_have_their_places():
    codes = InlineCodes([("<g>",)], {"A": [()]}, max_lengths={0: 2})
    places, finding = spans_of("OK", "好的吧", "tags", codes=codes)
    assert places == [[None], []] and finding.value.lost == ("<g>",)
    assert spans_of("OK", "好的吧", "length", codes=codes)[0] == [[], ["吧"]]
