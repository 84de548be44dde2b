"""Texts of the pages: each has its Chinese, and each Chinese text is used."""

import ast
import json
import re
from dataclasses import fields
from pathlib import Path

from markupsafe import Markup

from celab.agreement import results as agreement
from celab.base.options import info_of
from celab.findings import differences as errors_of_room
from celab.findings.finding import of_texts
from celab.findings.markup import MARKUP
from celab.findings.translations import CHECKS, sentence
from celab.findings.translations.outputs import TOTAL
from celab.metrics.options import TeslaCelabOptions
from celab.people import disagreement
from celab.report import html
from celab.report.html import agreement as pages_of_agreement
from celab.report.html import (
    check_page,
    example,
    facts,
    headline,
    picture,
    terms_page,
    views,
)
from celab.report.html import differences as kinds_of_differences
from celab.report.html import page as pages
from celab.report.html.page import Words, playground_translations
from celab.systems import board, verdict, worth
from celab.tables import palette
from celab.tables import sentences as shared_sentences
from celab.terminology import results as term_results

FOLDER = Path(html.__file__).parent / "templates"
PACKAGE = Path(html.__file__).parents[2]
# Modules whose phrases the report says.
SENTENCES = (
    headline,
    verdict,
    sentence,
    facts,
    picture,
    example,
    worth,
    views,
    kinds_of_differences,
    errors_of_room,
)
SENTENCES += (
    disagreement,
    board,
    check_page,
    terms_page,
    term_results,
)  # and pages without scores
STRING = r'"((?:[^"\\]|\\.)*)"'
# Signs, formats and names that are the same in both languages.
SAME = {"A", "B", "A − B", "A ◂ ▸ B", "P", "R", "S", "F", "TSV", "Markdown", "LaTeX", "SVG"}
SAME |= {"Python", "curl", "f", "PNG", "MQM"}


def sources():
    names = [path for kind in ("*.js", "*.j2") for path in FOLDER.glob(kind)]
    return {path.name: path.read_text("utf-8") for path in names}


def constants_of(module):
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


def phrases_of(module):
    """Return the texts that a module makes phrases of."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    made = [x.args[0] for x in calls if getattr(x.func, "id", "") == "Phrase"]
    return {text.value for text in made if isinstance(text, ast.Constant)}


def said_texts():
    """Return the texts that the pages say, by the file that has them."""
    texts = {}
    for name, source in sources().items():
        texts_of_file = set()
        # A call may choose one of two texts.
        for call in re.finditer(r"\b(?:say|phrase|text|saying|attributes|copyButton)\(", source):
            arguments = source[call.end() : call.end() + 700]
            arguments = re.sub(r"^\[[^]]*\], ", "", arguments)  # names of attributes
            arguments = re.sub(r"^(?:await )?[\w.() ]*\? ", "", arguments)
            arguments = re.sub(r"^\(\) => [^,]+, ", "", arguments)
            if match := re.match(rf"\s*{STRING}", arguments):
                texts_of_file.add(match[1])
                if other := re.match(
                    rf"\s*(?:: |if [\w.]+ else ){STRING}", arguments[match.end() :]
                ):
                    texts_of_file.add(other[1])
        for singular, plural in re.findall(
            r'\b(?:countText|words\.count)\([^"]*?"([\w ]+)"(?:, "(\w+)")?\)', source
        ):
            texts_of_file |= {f"{{0}} {singular}", f"{{0}} {plural or singular + 's'}"}
        for texts_by_value in re.findall(r"words\.say\(\{(.*?)\}\[", source):
            texts_of_file |= set(re.findall(rf": {STRING}", texts_by_value))
        for units in re.findall(r'const what = .* "(\w+)" : "(\w+)"', source):
            texts_of_file |= {f"{{0}} {unit}{plural}" for unit in units for plural in ("", "s")}
        for headings in re.findall(r"\btable\(\[(.*?)\]", source):
            texts_of_file |= {text.removeprefix("#") for text in re.findall(STRING, headings)}
        texts_of_file |= set(re.findall(r'\bdata(?:set\.|-)copy ?= ?"([A-Z0-9%][^"{]*)"', source))
        texts[name] = texts_of_file
    texts["views.py"] = {
        section.title
        for sections in (views.SECTIONS, check_page.SECTIONS, terms_page.SECTIONS)
        for section in sections
    }
    source = Path(views.__file__).read_text("utf-8")
    texts["views.py"] |= set(re.findall(r'\("([^"]+\.)"', source))
    for module in SENTENCES:
        texts[module.__name__] = {text for text in constants_of(module) if "{0}" in str(text)}
        texts[module.__name__] |= phrases_of(module)
        texts[module.__name__] -= {x for row in views.SECTIONS for x in row.chinese.values()}
    titles, sentences = kinds_of_differences.ERROR_TITLES, errors_of_room.SENTENCES
    texts["kinds of errors"] = {*titles.values(), *sentences.values(), *facts.NOUNS.values()}
    texts["outputs.py"] = {"system", TOTAL}
    checks = [*CHECKS.values(), *MARKUP.values()]
    texts["checks"] = {text for check in checks for text in (check.name, check.meaning)}
    texts["sentences.py"] = constants_of(shared_sentences) - {shared_sentences.__doc__}
    matches = palette.MATCHES | palette.ERRORS
    texts["palette.py"] = {match.title for match in matches.values()}
    return texts


def test_every_text_has_its_chinese():
    chinese = playground_translations()
    missing = {
        name: sorted(text for text in texts if text not in chinese and text not in SAME)
        for name, texts in said_texts().items()
    }
    assert {name: texts for name, texts in missing.items() if texts} == {}
    assert sum(map(len, said_texts().values())) > 200


def test_every_chinese_text_is_used():
    said = set().union(*said_texts().values())
    everything = "\n".join([*sources().values(), Path(pages.__file__).read_text("utf-8")])
    for module in (agreement, html, pages_of_agreement, *SENTENCES):  # texts of phrases
        said |= constants_of(module)
    options = fields(TeslaCelabOptions)
    said |= {info_of(option).help for option in options}
    for each in of_texts():
        said |= {*each.chinese}.union(*(kind.texts for kind in each.kinds.values()))
    said |= {option.name.replace("_", " ") for option in options}
    said |= {f"n-grams of the {side}" for side in ("reference", "hypothesis")}

    def is_used(text):
        # What is said by a variable stands elsewhere as a string: a heading, a unit to count.
        unit = text.removeprefix("{0} ").removesuffix("s") if text.startswith("{0} ") else text
        return text in said or any(f'"{x}"' in everything for x in (text, f"#{text}", unit))

    assert [text for text in playground_translations() if not is_used(text)] == []


def written_texts(source, name):
    """Return the texts in a file of code, without those whose value is their Chinese."""
    if not name.endswith(".py"):
        return re.findall(STRING, source)
    tree = ast.parse(source)
    keys = {
        id(key)
        for node in ast.walk(tree)
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if re.search("[一-鿿]", str(getattr(value, "value", "")))
    }
    constants = (x for x in ast.walk(tree) if isinstance(x, ast.Constant) and id(x) not in keys)
    return [str(node.value) for node in constants]


def test_a_sentence_stands_in_one_file():
    """What several places say has a name in `celab/tables/sentences.py`."""
    sentences_said = {
        text for text in playground_translations() if len(text.split()) > 4 and text[-1] == "."
    }
    places = {}
    for path in [*FOLDER.glob("*.js"), *FOLDER.glob("*.j2"), *PACKAGE.rglob("*.py")]:
        for text in {*written_texts(path.read_text("utf-8"), path.name)} & sentences_said:
            places.setdefault(text, set()).add(path.name)
    assert {text: names for text, names in places.items() if len(names) > 1} == {}
    assert len(places) > 100


def test_translations_have_the_same_places():
    for text, chinese in playground_translations().items():
        places = [set(re.findall(r"\{\d\}", side)) for side in (text, chinese)]
        assert places[0] == places[1], text
        assert chinese == chinese.strip() or text != text.strip() or "{" in text, text


def test_punctuation_is_chinese():
    for text, chinese in playground_translations().items():
        assert not re.search(r"[一-鿿][,;:?!()]|[,;:?!()][一-鿿]", chinese), (text, chinese)


def test_the_file_has_no_text_twice():
    pairs = json.loads((FOLDER / "zh.json").read_text("utf-8"), object_pairs_hook=list)
    texts = [text for text, _ in pairs]
    assert len(texts) == len(set(texts))


def test_what_is_said_can_be_said_again():
    chinese = Words("zh")
    said = chinese.say("{0} ranks {1} first.", "chrF2", "<b>\u202e")
    assert isinstance(said, Markup)
    assert 'data-say="{0} ranks {1} first."' in said
    assert '<bdi data-slot="0">chrF2</bdi>' in said
    assert r'<bdi data-slot="1">&lt;b&gt;\u202e</bdi>' in said
    assert "data-" not in chinese.fixed.say("{0} ranks {1} first.", "a", "b")
    attributes = chinese.attributes(["title"], "rank {0} by {1}", "2", '"x"')
    assert attributes.startswith('title="按 &#34;x&#34; 排第 2 名" data-says="')
    assert chinese.count(1234, "segment").striptags() == "1,234 个句段"
    sentences = [chinese.say("All segments are explained.")] * 2
    assert chinese.joined(sentences).striptags() == "所有句段都有解释。" * 2


def test_chinese_words_are_used_as_agreed():
    # 链接 is a URL, never an alignment; n-gram has no translation; Latin letters have spaces.
    links = {"Copy link", "Link", "Texts, scores, picture and link"}
    agreed = {"链接": links, "n 元组": set(), "括线": set(), "得分自": set()}
    texts = playground_translations()
    for word, places in agreed.items():
        assert {text for text, chinese in texts.items() if word in chinese} == places
    for text, chinese in texts.items():
        assert not re.search(r"[一-鿿][A-Za-z]|[A-Za-z][一-鿿]", chinese), (text, chinese)
