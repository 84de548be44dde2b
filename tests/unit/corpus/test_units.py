"""Files of translation tools: inline codes, ids, languages, units that are left out."""

import json
import re

import pytest
from commands import refusal, run
from workbooks import workbook

import celab
from celab import corpus
from celab.base.errors import InputError, LimitError
from celab.corpus import Fields, Limits
from celab.corpus.formats.sheets import sheet_text

XLIFF = """\
<xliff version="1.2"><file original="{file}" source-language="en" target-language="zh"><body>
{units}
</body></file></xliff>
"""
UNIT = (
    '<trans-unit id="{id}" {more}><source>{source}</source><target>{target}</target></trans-unit>'
)


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(name, content):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return name

    return write


@pytest.fixture
def read(write):
    """Read a file as reference and system."""

    def read(name, content, **options):
        write(name, content)
        return corpus.read(name, name, **options)

    return read


def xliff(*units, file="a.docx"):
    """XLIFF 1.2 of units with id, source, target and attributes."""
    texts = [
        UNIT.format(id=name, source=source, target=target, more=" ".join(more))
        for name, source, target, *more in units
    ]
    return XLIFF.format(file=file, units="\n".join(texts))


def test_inline_codes_are_no_text(read):
    texts = read(
        "a.xlf",
        xliff(
            ("1", 'Buy <g id="1">an <x id="2"/>umbrella</g>', '买<g id="1">雨<x id="2"/>伞</g>'),
            (
                "2",
                '<bpt id="1">&lt;b a="<sub>x</sub>"></bpt>Hi<ept id="1"/>',
                '<ph id="3">{0}</ph>好',
            ),
            ("3", "<mrk mtype='term'>Tea</mrk>", 'A<x id="9" ctype="lb"/>B'),
        ),
    )
    assert texts.hyps == ["买雨伞", "好", "A B"]
    assert texts.source == ["Buy an umbrella", "Hi", "Tea"]
    assert texts.codes.systems["a"] == [
        ('<g id="1">', '<x id="2">'),
        ('<ph id="3">',),
        ('<x id="9">',),
    ]
    assert texts.codes.source[1:] == [('<bpt id="1">', '<ept id="1">'), ()]
    assert texts.codes.are_out


def test_white_space_of_indentation_is_no_text(read):
    texts = read("a.xlf", xliff(("1", "a", "\n   买 伞\n   吧\n "), ("2", "b", " 好 ")))
    assert texts.hyps == ["买 伞 吧", " 好 "]
    kept = xliff(("1", "a", "\n 买 ")).replace("<target", '<target xml:space="preserve"')
    assert read("b.xlf", kept).hyps == ["\n 买 "]


def test_processing_instructions_are_no_text(read):
    texts = read("a.xlf", xliff(("1", "a", '买<?pi a="x" > b?>雨<x id="1"/>伞<?end?>。')))
    assert texts.hyps == ["买雨伞。"]


def test_sections_inside_comments_delete_no_unit(read):
    # The comments have the beginning of a CDATA section, and the section that of a comment.
    comment, section = "<!-- <![CDATA[ -->", "<![CDATA[<!-- & ]]>"
    texts = [f"{comment}甲", f"乙{section}", "丙<!-- ]]> -->", "丁"]
    expected = ["甲", "乙<!-- & ", "丙", "丁"]
    units = [(f"{number}", "a", text) for number, text in enumerate(texts)]
    assert read("a.xlf", xliff(*units)).hyps == expected
    assert read("a.tmx", memory(*({"en-US": "a", "zh": text} for text in texts))).hyps == expected


@pytest.mark.parametrize("encoding", ["gbk", "big5", "shift_jis", "utf-16", "gb18030"])
def test_the_declared_encoding_is_read(read, encoding):
    text = "明日雨天" if encoding == "shift_jis" else "雨"
    declared = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    assert read("a.xlf", (declared + xliff(("1", "a", text))).encode(encoding)).hyps == [text]


def test_a_document_type_is_named_and_prefixes_are_not_names(read):
    names = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n'
    assert read("a.tmx", names + memory({"en-US": "a", "zh": "甲&amp;&#20057;"})).hyps == ["甲&乙"]
    prefixed = re.sub("<(/?)", r"<\1x:", xliff(("1", "a", '甲<g id="1">乙</g>')))
    texts = read("a.xlf", prefixed.replace("<x:xliff", '<x:xliff xmlns:x="urn:x"'))
    assert (texts.hyps, texts.codes.systems["a"]) == (["甲乙"], [('<g id="1">',)])


def test_units_that_are_no_translations_are_left_out_and_counted(read):
    texts = read(
        "a.xlf",
        xliff(
            ("1", "a", "一"),
            ("2", "b", "二", 'translate="no"'),
            ("3", "c", " "),
        ).replace(
            "</body>",
            '<trans-unit id="4"><source>d</source></trans-unit>'
            '<trans-unit id="5"><source>e</source><target state="new">e</target></trans-unit>'
            '<group translate="no"><trans-unit id="6"><source>f</source><target>f</target>'
            "</trans-unit>"
            "</group></body>",
        ),
    )
    assert [segment.id for segment in texts.segments] == ["1"]
    assert texts.n_untranslated == {
        "a.xlf": {"not to translate": 2, "untranslated": 2, "in state new": 1}
    }


def test_text_beside_the_marked_segments_of_a_target_is_not_lost(read):
    marked = '<mrk mtype="seg" mid="0">{}</mrk>'
    unit = (
        f'<trans-unit id="7"><source>One.</source><seg-source>{marked.format("One.")}</seg-source>'
        f"<target>{marked.format('一。')}{{}}</target></trans-unit>"
    )
    codes = ' <x id="1"/><ph id="2">二</ph>\n'
    assert read("a.xlf", XLIFF.format(file="a", units=unit.format(codes))).hyps == ["一。"]
    with pytest.raises(InputError, match="line 2: '二。' is in no <mrk"):
        read("a.xlf", XLIFF.format(file="a", units=unit.format('<g id="1">二。</g>')))


def test_a_state_that_leaves_out_a_translation_is_named(write):
    write("human.xlf", xliff(("1", "a", "一"), ("2", "b", "二")))
    machine = xliff(("1", "a", "一"), ("2", "b", "两")).replace(
        "<target>两", '<target state="needs-translation" state-qualifier="leveraged-mt">两'
    )
    write("engine.xlf", machine)
    assert "has 1 unit that cannot be scored (1 in state needs-translation)" in refusal(
        "score", "human.xlf", "engine.xlf"
    )
    done = run("score", "--skip-missing", "human.xlf", "engine.xlf", encoding="utf-8")
    assert "1 unit left out (1 in state needs-translation)" in done.stderr
    write("engine.xlf", machine.replace("needs-translation", "needs-review-translation"))
    assert corpus.read("human.xlf", "engine.xlf").hyps == ["一", "两"]


def test_segments_that_are_marked_have_ids_of_their_own(read):
    unit = """<trans-unit id="7"><source>One. Two.</source>
    <seg-source><mrk mtype="seg" mid="0">One.</mrk> <mrk mtype="seg" mid="1">Two.</mrk></seg-source>
    <target><mrk mtype="seg" mid="0">一<x id="1"/>。</mrk>
    <mrk mtype="seg" mid="1"><mrk mtype="term">二</mrk>。</mrk></target>
    </trans-unit>"""
    texts = read("a.xlf", XLIFF.format(file="a.docx", units=unit))
    assert [tuple(segment)[:2] for segment in texts.segments] == [
        ("a.docx", "7/0"),
        ("a.docx", "7/1"),
    ]
    assert texts.hyps == ["一。", "二。"]
    assert texts.source == ["One.", "Two."]
    assert texts.codes.systems["a"] == [('<x id="1">',), ()]


MARKED = """<trans-unit id="7"><source>One. Two.</source>
<seg-source><mrk mtype="seg"{0}>One.</mrk> <mrk mtype="seg"{1}>Two.</mrk></seg-source>
<target><mrk mtype="seg"{0}>一。</mrk>
<mrk mtype="seg"{1}>二。</mrk></target></trans-unit>"""


def test_marks_without_ids_are_counted(read):
    texts = read("a.xlf", XLIFF.format(file="a.docx", units=MARKED.format("", "")))
    assert [segment.id for segment in texts.segments] == ["7/1", "7/2"]
    assert (texts.source, texts.hyps) == (["One.", "Two."], ["一。", "二。"])


def test_marks_of_one_id_name_both_places(read):
    marked = MARKED.format(' mid="s"', ' mid="s"').replace('mid="s">Two', 'mid="t">Two')
    with pytest.raises(
        InputError, match=r"a\.xlf, line 5: a second <mrk> of s; the first is in line 4; keep one"
    ):
        read("a.xlf", XLIFF.format(file="a.docx", units=marked))


def test_xliff_2(read):
    texts = read(
        "a.xlf",
        """<?xml version="1.0"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0"
 xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"
 version="2.0" srcLang="en" trgLang="zh"><file id="f1">
<unit id="u1"><mtc:matches><mtc:match ref="#m1"><source>No</source><target>不</target></mtc:match>
</mtc:matches><segment id="s1" state="final"><source>Hi <pc id="1">all</pc></source>
<target>大家<pc id="1">好</pc></target></segment><ignorable><source> </source></ignorable>
<segment><source>Bye<ph id="2"/></source><target>再见<ph id="2"/></target></segment></unit>
<unit id="u2"><segment><source>Tea</source><target>茶</target></segment></unit>
<unit id="u3"><segment state="initial"><source>Tea</source><target>Tea</target></segment></unit>
</file></xliff>""",
    )
    assert [tuple(segment)[:2] for segment in texts.segments] == [
        ("f1", "u1/s1"),
        ("f1", "u1/2"),
        ("f1", "u2"),
    ]
    assert texts.hyps == ["大家好", "再见", "茶"]
    assert texts.source == ["Hi all", "Bye", "Tea"]
    assert texts.n_untranslated == {"a.xlf": {"in state initial": 1}}


def test_lengths_count_in_characters_only(read):
    texts = read(
        "a.xlf",
        xliff(
            ("1", "a", "一", 'maxwidth="5" size-unit="char"'),
            ("2", "b", "二", 'maxwidth="40" size-unit="pixel"'),
            ("3", "c", "三", 'maxwidth="40"'),
        ),
    )
    assert texts.codes.max_lengths == {0: 5}


def test_the_header_of_a_catalog_is_no_unit(read):
    header = ("0", "Language: en", "Language: zh", 'restype="x-gettext-domain-header"')
    texts = read("a.xlf", xliff(header, ("1", "a", "一")))
    assert texts.hyps == ["一"]
    assert texts.n_untranslated == {}


def test_files_are_joined_by_id_in_any_order(write):
    write("ref.xlf", xliff(("1", "a", "一"), ("2", "b", "二")))
    write("A.xlf", xliff(("2", "b", "两"), ("1", "a", "壹")))
    write("B.xlf", xliff(("1", "a", "一")))
    assert corpus.read("ref.xlf", "A.xlf").hyps == ["壹", "两"]
    with pytest.raises(InputError, match="segment 2"):
        corpus.read("ref.xlf", ["A.xlf", "B.xlf"])
    texts = corpus.read("ref.xlf", ["A.xlf", "B.xlf"], skip_missing=True)
    assert texts.systems == {"A": ["壹"], "B": ["一"]}


def test_different_sources_under_one_id_name_both_files(write):
    write("ref.xlf", xliff(("1", "a  b", "一")))
    write("A.xlf", xliff(("1", "a b", "一")))
    write("B.xlf", xliff(("1", "c", "一")))
    assert corpus.read("ref.xlf", "A.xlf").source == ["a  b"]
    with pytest.raises(
        InputError,
    ):
        corpus.read("ref.xlf", ["A.xlf", "B.xlf"])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("de.xlf", xliff(("1", "a", "eins")).replace('"zh"', '"de"')),
        ("de.po", 'msgid ""\nmsgstr "Language: de\\n"\nmsgid "a"\nmsgstr "eins"\n'),
    ],
)
def test_another_target_language_is_refused_if_it_is_known(write, name, content):
    write(name, content)
    assert corpus.read(name, name).hyps == ["eins"]
    assert corpus.read(name, name, lang="de").hyps == ["eins"]
    with pytest.raises(InputError):
        corpus.read(name, name, lang="zh")


TWO_CASES = [
    {"en": "Tea", "zh-CN": "茶", "zh-TW": "茶水"},
    {"EN": "Rain", "ZH-CN": "雨", "zh_TW": "雨水"},
]


@pytest.mark.parametrize("pair", ["en-zh-CN", "en-zh_CN", "en-US-zh-CN", "zh-CN", "EN-ZH-CN"])
def test_codes_that_differ_in_case_are_one_language(read, pair):
    texts = read("a.tmx", memory(*TWO_CASES), language_pair=pair)
    assert (texts.hyps, texts.source) == (["茶", "雨"], ["Tea", "Rain"])


def test_the_region_of_a_target_chooses_the_language(write):
    write("a.tmx", memory(*TWO_CASES))
    done = run("score", "-qb", "-l", "en-zh-TW", "a.tmx", "a.tmx", encoding="utf-8")
    assert (done.returncode, done.stdout, done.stderr) == (0, "1.0000\n", "")
    assert "2 languages that may be meant by zh: zh-CN, zh-TW" in refusal(
        "score", "-l", "en-zh", "a.tmx", "a.tmx"
    )


def memory(*units):
    """TMX of units with texts by language."""
    texts = [
        "<tu>"
        + "".join(f'<tuv xml:lang="{lang}"><seg>{text}</seg></tuv>' for lang, text in unit.items())
        + "</tu>"
        for unit in units
    ]
    return f'<tmx version="1.4"><header srclang="en-US"/><body>{"".join(texts)}</body></tmx>'


def test_languages_of_a_memory(read):
    content = memory(
        {"en-US": "tea", "zh-CN": "茶", "de": "Tee"}, {"en-US": "a<hi>ll</hi>", "de": "jeder"}
    )
    assert read("a.tmx", content).hyps == ["茶"]
    texts = read("a.tmx", content, lang="de")
    assert (texts.source, texts.hyps) == (["tea", "all"], ["Tee", "jeder"])
    texts = read("a.tmx", content, lang="zh", language_pair="de-zh")
    assert (texts.source, texts.hyps) == (["Tee"], ["茶"])
    assert texts.n_untranslated == {"a.tmx": {"untranslated": 1}}
    with pytest.raises(InputError):
        read("a.tmx", content, lang="ja")
    two = memory({"en": "tea", "zh-CN": "软件", "zh-TW": "軟體"})
    with pytest.raises(InputError, match=r"may be meant by zh: zh-CN, zh-TW; name .*language_pair"):
        read("a.tmx", two, lang="zh")
    assert read("a.tmx", two, language_pair="en-zh-TW").hyps == ["軟體"]


def test_plural_forms_and_contexts_are_segments(read):
    texts = read(
        "a.po",
        'msgctxt "menu"\nmsgid "Open"\nmsgstr "打开"\n\nmsgid "Open"\nmsgstr "开"\n\n'
        'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d Datei"\nmsgstr[1] "%d Dateien"\n'
        '#, c-format, fuzzy\nmsgid "x"\nmsgstr "y"\n#~ msgid "old"\n#~ msgstr "alt"\n',
    )
    assert [segment.id for segment in texts.segments] == [
        "menu\x04Open",
        "Open",
        "%d file[0]",
        "%d file[1]",
    ]
    assert texts.source == ["Open", "Open", "%d file", "%d files"]
    assert texts.n_untranslated == {"a.po": {"fuzzy": 1}}


def test_a_language_without_plural_has_the_plural_as_its_source(read):
    texts = read("a.po", 'msgid "%d file"\nmsgid_plural "%d files"\nmsgstr[0] "%d 个文件"\n')
    assert texts.source == ["%d files"]


def test_flags_of_an_obsolete_entry_are_not_those_of_the_next(read):
    texts = read(
        "a.po", '#, fuzzy\n#~ msgid "old"\n#~ msgstr "旧"\n\nmsgid "Open"\nmsgstr "打开"\n'
    )
    assert (texts.hyps, texts.n_untranslated) == (["打开"], {})


CATALOG = '# 譯者\r\n\r\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset={}\\n"\n\n'


@pytest.mark.parametrize("charset", ["GBK", "utf-8", "Big5", "Shift_JIS"])
def test_the_header_of_a_catalog_names_its_encoding(write, charset):
    entry = 'msgid "Open"\nmsgstr "開"\n'
    write("a.po", (CATALOG.format(charset) + entry).encode(charset))
    assert corpus.read("a.po", "a.po").hyps == ["開"]


def test_a_template_names_no_encoding(write):
    entry = 'msgid "Open"\nmsgstr "打\\xe5\\xbc\\x80"\n'
    write("a.pot", (CATALOG.format("CHARSET") + entry).encode())
    assert corpus.read("a.pot", "a.pot").hyps == ["打开"]


def test_a_catalog_that_is_not_in_its_encoding_gets_the_likely_one(write):
    entry = 'msgid "Open"\nmsgstr "我们今天去北京"\n'
    write("a.po", (CATALOG.format("UTF-8") + entry).encode("gb18030"))
    with pytest.raises(InputError, match="gb18030"):
        corpus.read("a.po", "a.po")


@pytest.mark.parametrize(
    ("charset", "escaped"), [("GBK", r"\xc4\343"), ("utf-8", r'\xe4"' + '\n"' + r"\xbd\xa0")]
)
def test_escaped_bytes_are_in_the_encoding_of_the_catalog(write, charset, escaped):
    entry = f'msgid "you"\nmsgstr "{escaped}们\\x41"\n'
    write("a.po", (CATALOG.format(charset) + entry).encode(charset))
    assert corpus.read("a.po", "a.po").hyps == ["你们A"]
    write("a.po", (CATALOG.format("utf-8") + 'msgid "you"\nmsgstr "\\xc4"\n').encode())
    with pytest.raises(InputError, match="line 7"):
        corpus.read("a.po", "a.po")


def test_a_bilingual_file_alone_is_a_system_where_no_reference_is_needed(write):
    write("engine.xlf", xliff(("1", "Delete %s", "删除")))
    texts = corpus.read("engine.xlf", needs_refs=False)
    assert (texts.systems, texts.source, texts.refs) == ({"engine": ["删除"]}, ["Delete %s"], [])
    done = run("check", "-q", "--segments", "engine.xlf", encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1:] == ["engine\t1\tplaceholder\t删除\t\t%s\t"]
    # A reference stays one, and so does a table whose columns are named.
    assert "no system output" in refusal("check", "-r", "engine.xlf")
    write("t.jsonl", '{"src": "An umbrella", "ref": "雨伞"}\n')
    done = run("check", "-q", "--json", "t.jsonl", input="伞\n", encoding="utf-8")
    (row,) = json.loads(done.stdout)["system"]
    assert (done.returncode, row["system"]) == (0, "standard input")


def test_only_tags_of_subtitles_are_codes(read):
    texts = read(
        "a.srt",
        "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<i>x < y</i>\n<unk> {sic}\n\n"
        "2\n00:00:02,000 --> 00:00:03,000 X1:0\n<font color=red>好</font>\n",
    )
    assert texts.hyps == ["x < y\n<unk> {sic}", "好"]
    assert texts.codes.systems["a"][0] == ("{\\an8}", "<i>", "</i>")


def test_cues_of_webvtt(read):
    texts = read(
        "a.vtt",
        "WEBVTT\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE\n00:09 is no cue\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start\n<v.loud Ann>买 &amp; 卖</v>\n\n"
        "end\n01:00:02.000 --> 01:00:03.000\n<00:00:02.500>好&nbsp;\n",
    )
    assert [segment.id for segment in texts.segments] == ["intro", "end"]
    assert texts.hyps == ["买 & 卖", "好\u00a0"]


@pytest.mark.parametrize("header", ["WEBVTT", "WEBVTT - film\nKind: captions", "WEBVTT\n1"])
def test_the_header_of_webvtt_ends_at_the_first_cue(read, header):
    texts = read(
        "a.vtt", f"{header}\n00:01.000 --> 00:02.000\n买伞\n\n2\n00:03.000 --> 00:04.000\n卖伞\n"
    )
    assert texts.hyps == ["买伞", "卖伞"]
    assert [segment.id for segment in texts.segments] == ["1", "2"]


def test_formats_are_known_by_their_content(write):
    write("film.txt", "1\n00:00:01,000 --> 00:00:02,000\n好\n")
    write("a.txt", "好\n")
    assert corpus.read("a.txt", "film.txt").hyps == ["好"]
    with pytest.warns(celab.InputWarning):
        assert len(corpus.read("film.txt", "film.txt", format="plain").hyps) == 3


def test_a_cue_of_subrip_may_have_blank_lines_and_arrows(read):
    cue = "1\n00:00:01,000 --> 00:00:02,000\n好\n\n甲 --> 乙\n"
    assert read("a.srt", cue).hyps == ["好\n\n甲 --> 乙"]


def test_a_number_in_the_text_of_a_cue_is_no_counter(read):
    cues = "1\n00:00:01,000 --> 00:00:02,000\n3\n2\n\n1\n\n2\n00:00:02,000 --> 00:00:03,000\n"
    assert read("a.srt", f"{cues}3\n12:30 - 13:00\n\n2024\n").hyps == [
        "3\n2\n\n1",
        "3\n12:30 - 13:00\n\n2024",
    ]


@pytest.mark.parametrize("name", ["film.srt", "film.vtt", "zh.po"])
def test_names_of_catalogs_and_subtitles_are_no_lies(write, name):
    for begin in ("好", "<b>好</b>", '{"a": "好"}', '["好"]'):
        write(name, f"{begin}\n")
        with pytest.raises(InputError):
            corpus.read(name, name)
    write(name, "好\n")
    assert corpus.read(name, name, format="plain").hyps == ["好"]


QT = '<!DOCTYPE TS>\n<TS version="2.1">\n<context><name>Menu</name></context></TS>\n'
RUBY = "zh:\n  save: 保存\n"
TYPESCRIPT = "// texts\nexport default { save: '保存' }\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("zh.ts", QT),
        ("zh.yml", RUBY),
        ("zh.ts", TYPESCRIPT),
        ("zh.js", "'use strict';\nmodule.exports = { save: '保存' };\n"),
        ("zh.mjs", "/* © */ const zh = { save: '保存' };\n"),
        ("zh.php", "<?php\nreturn ['save' => '保存'];\n"),
        ("zh.ftl", "### menu\n-brand = 伞\nsave = 保存\n"),
    ],
)
def test_programs_and_texts_in_other_formats_are_refused(write, name, content):
    write(name, content)
    with pytest.raises(InputError, match=rf"{name} (is a program|has keys and texts of an app)"):
        corpus.read(name, name)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("all.strings", "保存文件\n打开\n"),
        ("a.properties", "他说：好\n"),
        ("a.txt", "menu.save=保存\n"),
        ("a.txt", "<resources> is the first element\n"),
        ("a.txt", "# 标题\n"),
        ("news.ts", "Xana u lava ku hlaya?\n"),
        ("poem.js", "雨伞\n"),
    ],
)
def test_texts_without_keys_are_plain(read, name, content):
    assert read(name, content).hyps == content.splitlines()


def test_subtitles_are_aligned_by_their_texts(write):
    write("ref.zh", "今天天气很好。\n他买了一把雨伞。\n")
    write(
        "film.srt",
        "1\n00:00:01,000 --> 00:00:02,000\n<i>今天天气很好。他</i>\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\n买了一把雨伞。\n",
    )
    texts = corpus.read("ref.zh", "film.srt", align=True)
    assert texts.hyps == ["今天天气很好。", "他买了一把雨伞。"]
    assert texts.codes.are_out


def test_a_signature_says_that_codes_are_out(write):
    write("plain.xlf", xliff(("1", "a", "买雨伞")))
    write("codes.xlf", xliff(("1", "a", '买<x id="1"/>伞')))
    signatures = [
        celab.Campaign.read("plain.xlf", name).score("chrf").scores["chrf"][system].signature
        for name, system in (("plain.xlf", "plain"), ("codes.xlf", "codes"))
    ]
    assert [signature.part("codes") for signature in signatures] == [None, "out"]


# ---- spreadsheets -------------------------------------------------------------------------------


def test_the_first_sheet_is_a_table(write):
    write(
        "a.xlsx",
        workbook(
            [
                ["id", "src", "ref", "hyp"],
                ["2", "Tea", "茶\n水", ""],
                [],
                ["1", "AT&T", "AT&T", "<b>"],
            ]
        ),
    )
    texts = corpus.read("a.xlsx")
    assert [segment.id for segment in texts.segments] == ["2", "1"]
    assert (texts.refs, texts.hyps) == ([["茶\n水", "AT&T"]], ["", "<b>"])
    fields = Fields(ref=["3"], hyp=["4"])
    assert corpus.read("a.xlsx", fields=fields).refs == texts.refs


@pytest.mark.parametrize("prefix", ["rel", "ns1"])
def test_the_first_sheet_is_that_of_its_relationship_whatever_its_prefix(write, prefix):
    write("a.xlsx", workbook([["ref", "hyp"], ["甲", "乙"]], prefix=prefix))
    assert corpus.read("a.xlsx").hyps == ["乙"]


def test_a_sheet_that_is_hidden_is_passed_over(write):
    write("a.xlsx", workbook([["ref", "hyp"], ["甲", "乙"]], is_hidden=True))
    assert corpus.read("a.xlsx").hyps == ["乙"]


def test_the_values_of_cells(write):
    cells = (
        '<c t="n"><v>1</v></c><c><v>1.50</v></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>'
        '<c t="str"><f>A1</f><v>f_x000D_</v></c><c s="1"><v>45000</v></c>'
        '<c t="inlineStr"><is><r><t>丰</t></r><r><t>富</t></r><rPh><t>x</t></rPh></is></c>'
    )
    assert json.loads(sheet_text(workbook([], more=f'<row r="4">{cells}</row>'), "a")) == [
        4,
        *("1", "1.50", "1", None, "f\r", "45000", "丰富"),
    ]


def test_a_formula_without_a_result_is_no_text_of_a_column_that_is_read(write):
    rows = {
        "B2": '<c r="A2"><v>1</v></c><c r="B2"><f>A2</f></c>',
        "B2, an error": '<c r="A2"><v>1</v></c><c r="B2" t="e"><f>A2</f><v>#REF!</v></c>',
        "all of the row": '<c r="A2"><f>B2</f></c>',
    }
    for more in rows.values():
        write("a.xlsx", workbook([["ref", "hyp"]], more=f'<row r="2">{more}</row>'))
        with pytest.raises(InputError, match=r"row 2: '(ref|hyp)' has a formula without a result"):
            corpus.read("a.xlsx")
    cells = '<c r="A2"><v>1</v></c><c r="B2"><v>2</v></c><c r="C2"><f>A2</f></c>'
    write("a.xlsx", workbook([["ref", "hyp", "note"]], more=f'<row r="2">{cells}</row>'))
    assert corpus.read("a.xlsx").hyps == ["2"]
    cells = '<c r="A2"><v>1</v></c><c r="B2" t="str"><f>A2</f><v></v></c>'
    write("a.xlsx", workbook([["ref", "hyp"]], more=f'<row r="2">{cells}</row>'))
    with pytest.warns(celab.InputWarning, match="no text"):
        assert corpus.read("a.xlsx").hyps == [""]


def test_a_workbook_cannot_fill_the_memory(write):
    # A long string that is stored once, in many cells.
    write("a.xlsx", workbook([["ref", "hyp"], *[["长" * 1000] * 2] * 100]))
    assert len(corpus.read("a.xlsx").hyps) == 100
    with pytest.raises(LimitError):
        corpus.read("a.xlsx", limits=Limits(max_file=100_000))
    with pytest.raises(LimitError):
        corpus.read("a.xlsx", limits=Limits(max_file=9000))
