"""Readers of translators' files against other programs, in an environment of their own.

The environment has translate-toolkit and a package with catalogs, Django; `make test-integrations`
makes it and runs these tests. The catalogs are also converted to XLIFF and TMX by the toolkit, so
that all files are written by others.

Texts of apps are written by the toolkit, and by packages of npm: strings-file and plist (Apple),
android-string-resource, dot-properties (Java), chrome-i18n and i18next-conv. What they write
wrongly is named. No second package was found that writes ARB, which is Dart's, and none at all that
writes `.xcstrings`, which is Xcode's: PyPI, npm and Debian were searched.

Transcripts of speech are written by MeetEval (Kaldi's `text`, `.stm`, `.ctm`) and by rover of
Debian's sctk (`.ctm`); sclite of sctk reads them (`tests/integrations/test_sclite.py`). Others that
write `text` or `.stm`, such as lhotse, need PyTorch, and no package was found that writes `.trn`.

`CELAB_TRANSLATION_FILES` names a folder of other people's files, which are compared as they are.
There are XLIFF 1.2 and 2.0 in the sources of Symfony, SRT and WebVTT in those of webvtt-py and
pysrt and in the packages srt2vtt and subtitles-parser of npm, PO in those of polib. WebVTT is
read by webvtt-py, SRT by aeidon through the toolkit. Texts of apps are in the packages react-native
(Android) and @openui5/sap.m (Java) of npm, and homeassistant of PyPI (JSON).
"""

import html
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT

from celab import corpus
from celab.base.errors import InputError

NODE_MODULES = ROOT / ".venv" / "toolkit" / "npm" / "node_modules"
PYTHON = ROOT / ".venv" / "toolkit" / "bin" / "python"
FOLDER = os.environ.get("CELAB_TRANSLATION_FILES")
# How many files of each kind the folder has at least, if it is made as above.
LEAST = {"xliff 1": 40, "xliff 2": 5, ".srt": 15, ".vtt": 20, ".po": 20}
SUBTITLE_TAG = re.compile(r"</?(?:[biusc]|font|v|lang|ruby|rt)\b[^<>]*>|\{\\[^}]*\}")
LANGUAGES = ("zh_Hans", "ja", "de", "ru")
N_CATALOGS = 24
LEAST_FILES = 40
CONVERTERS = {"xlf": ["translate.convert.po2xliff"], "tmx": ["translate.convert.po2tmx", "-l"]}

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(), reason="no translate-toolkit: make test-integrations"
)


def run(*words, lines=""):
    """Return what the other Python prints."""
    command = [PYTHON, *map(str, words)]
    done = subprocess.run(command, input=lines, text=True, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def catalogs():
    """Return catalogs of the packages beside the toolkit, of several languages and sizes."""
    site = Path(run("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    per_language = N_CATALOGS // len(LANGUAGES)
    chosen = {}
    for lang in LANGUAGES:
        paths = sorted(site.rglob(f"{lang}/LC_MESSAGES/*.po"), key=lambda path: path.stat().st_size)
        chosen |= dict.fromkeys(paths[-per_language:], lang)
    return chosen


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The catalogs, and what the toolkit makes of them, with the language of each."""
    folder = tmp_path_factory.mktemp("converted")
    by_path = catalogs()
    for number, (path, lang) in enumerate([*by_path.items()][::2]):
        for suffix, (module, *flag) in CONVERTERS.items():
            made = folder / f"{number}.{suffix}"
            words = [*flag, lang.replace("_", "-")] if flag else []
            run("-m", module, "--progress=none", *words, path, made)
            by_path[made] = lang
    return by_path


def plain(text):
    """Return a text whose white space does not matter."""
    return None if text is None else " ".join(text.split())


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_segments_are_those_of_translate_toolkit(files):
    assert len(files) >= LEAST_FILES, "the environment has too few catalogs; install django there"
    script = Path(__file__).with_name("toolkit_segments.py")
    expected = json.loads(run(script, *files))
    wrong, n_segments = {}, 0
    for path, lang in files.items():
        texts = corpus.read(path, path, lang=lang.split("_")[0])
        rows = [[plain(a), plain(b)] for a, b in zip(texts.source, texts.hyps, strict=True)]
        theirs = [[plain(source), plain(target)] for source, target in expected[str(path)]]
        # Which source a plural form has is a choice of each reader.
        ours = [
            [None if theirs[k : k + 1] and theirs[k][0] is None else source, target]
            for k, (source, target) in enumerate(rows)
        ]
        n_segments += len(theirs)
        if ours != theirs:
            differing = [pair for pair in zip(ours, theirs, strict=False) if pair[0] != pair[1]]
            wrong[path] = len(ours), len(theirs), differing[:1]
    assert n_segments > 1000
    assert not wrong, "\n".join(f"{path}: {difference}" for path, difference in wrong.items())


def kind_of(path):
    if path.suffix not in (".xlf", ".xliff"):
        return path.suffix
    is_second = re.search(rb"<xliff[^>]*version=.2", path.read_bytes())
    return "xliff 2" if is_second else "xliff 1"


def subtitle(text, suffix):
    """Return the text of a cue as another program gives it, without tags and entities."""
    text = SUBTITLE_TAG.sub("", text)
    return html.unescape(text) if suffix == ".vtt" else text


def rows_of(path):
    """Return source and translation of each segment, or "" if the file is refused."""
    try:
        texts = corpus.read(path, path)
    except InputError:
        return ""
    sources = texts.source or [None] * len(texts.hyps)
    return [[plain(a), plain(b)] for a, b in zip(sources, texts.hyps, strict=True)]


@pytest.mark.skipif(not FOLDER, reason="CELAB_TRANSLATION_FILES names no folder")
@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_segments_of_other_peoples_files():
    suffixes = {".xlf", ".xliff", ".srt", ".vtt", ".po", ".tmx"}
    paths = [path for path in sorted(Path(FOLDER).rglob("*")) if path.suffix in suffixes]
    script = Path(__file__).with_name("toolkit_segments.py")
    expected = json.loads(run(script, lines="\n".join(map(str, paths))))
    wrong, equal = {}, Counter()
    for path in paths:
        theirs, ours = expected[str(path)], rows_of(path)
        if isinstance(theirs, str) or not theirs or not ours:
            continue  # not what its name says, damaged, without a translation, in another encoding
        if path.suffix in (".srt", ".vtt"):
            theirs = [[None, subtitle(text, path.suffix)] for _, text in theirs]
            ours = [[None, text] for _, text in ours]
        theirs = [[plain(a), plain(b)] for a, b in theirs if b.strip()]
        pairs = zip(ours, theirs, strict=False)
        is_equal = all(a == b or (b[0] is None and a[1] == b[1]) for a, b in pairs)
        if is_equal and len(ours) == len(theirs):
            equal[kind_of(path)] += 1
        else:
            wrong[path] = len(ours), len(theirs)
    assert not wrong
    assert all(equal[kind] >= n for kind, n in LEAST.items()), equal


# ---- texts of apps ----

TEXTS = {
    "menu_save": "保存“全部”文件",
    "quote": 'Don\'t "stop" \\ here',
    "breaks": "一\n二\t三",
    "tags": "点<b>这里</b> 和 <i>那里</i>",
    "format": "%1$s 与 %d，{name}，100%",
    "edges": " 两端有空格 ",
    "emoji": "好的👍",
    "equal": "a=b; c: #d // e /* f */ @string ?x",
    "dollar": "$NAME$ ${x} {{y}}",
}
# What a program does not write as the format says: five digits after \\u; white space at the ends
# or a tab that is neither escaped nor in quotation marks; a backslash that is not escaped; spaces
# before tags.
WRITTEN_WRONGLY = {
    "messages_zh.properties": {"emoji"},
    "messages8_zh.properties": {"edges"},
    "strings.xml of npm": {"edges", "breaks", "quote", "tags"},
    "Localizable.strings of npm": {"quote"},
}
WRITE_BY_NPM = """
const fs = require('fs'), texts = JSON.parse(fs.readFileSync(0));
fs.writeFileSync('Localizable.strings', require('strings-file').compile(texts));
fs.writeFileSync('zh.properties', require('dot-properties').stringify(texts));
require('android-string-resource').js2asr(texts, (_, xml) => fs.writeFileSync('strings.xml', xml));
const rule = {NSStringFormatSpecTypeKey: 'NSStringPluralRuleType', NSStringFormatValueTypeKey: 'd'};
const plural = text => ({NSStringLocalizedFormatKey: '%#@n@', n: {...rule, other: text}});
const forms = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, plural(text)]));
fs.writeFileSync('Localizable.stringsdict', require('plist').build(forms));
const messages = Object.entries(texts).map(([key, text]) => [key, {locales: {zh_CN: text}}]);
const meta = {format: 'monolith', dest: './_locales/', locales: ['zh_CN']};
fs.writeFileSync('dictionary.json', JSON.stringify({meta, database: Object.fromEntries(messages)}));
fs.writeFileSync('texts.json', JSON.stringify(texts));
"""
# Programs of npm: the words after their names.
COMMANDS_OF_NPM = {
    "chrome-i18n": ["--file", "dictionary.json"],
    "i18next-conv": ["--quiet", "-l", "zh", "-s", "texts.json", "-t", "zh.po"],
    "i18next-conv ": ["--quiet", "-l", "zh", "-s", "zh.po", "-t", "zh.json"],
}
FILES_OF_NPM = {
    "Localizable.strings": "{}",
    "zh.properties": "{}",
    "strings.xml": "{}",
    "Localizable.stringsdict": "{}[other]",
    "_locales/zh_CN/messages.json": "{}",
    "zh.json": "{}",
}
MARKS = re.compile(r"</?xliff:g[^>]*>|<!\[CDATA\[|\]\]>")


def texts_by_key(path):
    """Return the texts of a file of an app by key, or the line of an error."""
    try:
        read = corpus.read(path, path)
    except InputError as error:
        return str(error)
    return dict(zip((segment.id for segment in read.segments), read.hyps, strict=True))


@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_texts_of_apps_that_translate_toolkit_writes(tmp_path):
    script = Path(__file__).with_name("toolkit_keys.py")
    theirs = json.loads(run(script, "write", tmp_path, lines=json.dumps(TEXTS)))
    assert len(theirs) == 9
    for path, expected in theirs.items():
        wrong = WRITTEN_WRONGLY.get(Path(path).name, set())
        right = {key: text for key, text in TEXTS.items() if key not in wrong}
        ours = {key: text for key, text in texts_by_key(path).items() if key not in wrong}
        assert ours == right, path
        theirs_by_key = {key.lstrip("."): text for key, text in expected.items()}
        assert {key: text for key, text in theirs_by_key.items() if key in right} == right, path


@pytest.mark.skipif(not NODE_MODULES.exists(), reason="no packages of npm: make test-integrations")
@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_texts_of_apps_that_packages_of_npm_write(tmp_path):
    subprocess.run(
        ["node", "-e", WRITE_BY_NPM],
        input=json.dumps(TEXTS),
        text=True,
        check=True,
        cwd=tmp_path,
        env=os.environ | {"NODE_PATH": str(NODE_MODULES)},
        timeout=120,
    )
    for name, words in COMMANDS_OF_NPM.items():
        program = NODE_MODULES / ".bin" / name.strip()
        subprocess.run([program, *words], cwd=tmp_path, check=True, timeout=120)
    for name, form in FILES_OF_NPM.items():
        wrong = WRITTEN_WRONGLY.get(f"{name} of npm", set())
        expected = {form.format(key): text for key, text in TEXTS.items() if key not in wrong}
        ours = texts_by_key(tmp_path / name)
        assert {key: text for key, text in ours.items() if key.split("[")[0] not in wrong} == (
            expected
        ), name


def comparable(texts):
    """Return how often a file has each text, with those of plural forms."""
    rows = Counter()
    for text in texts.values():
        forms = text if isinstance(text, list) else [text]
        rows.update(plain(MARKS.sub("", form)) for form in forms if form.strip())
    return rows


@pytest.mark.skipif(not FOLDER, reason="CELAB_TRANSLATION_FILES names no folder")
@pytest.mark.filterwarnings("ignore::celab.InputWarning")
def test_texts_of_other_peoples_apps():
    suffixes = {".xml", ".strings", ".stringsdict", ".arb", ".json", ".properties"}
    paths = [path for path in sorted(Path(FOLDER).rglob("*")) if path.suffix in suffixes]
    script = Path(__file__).with_name("toolkit_keys.py")
    expected = json.loads(run(script, lines="\n".join(map(str, paths))))
    wrong, equal = {}, Counter()
    for path in paths:
        theirs, ours = expected[str(path)], texts_by_key(path)
        if isinstance(theirs, str) or isinstance(ours, str) or not theirs:
            continue  # not what its name says, damaged or without texts
        if comparable(theirs) == comparable(ours):
            equal[path.suffix] += 1
        else:
            wrong[path] = (
                comparable(theirs) - comparable(ours),
                comparable(ours) - comparable(theirs),
            )
    assert not wrong
    assert all(equal[suffix] >= 5 for suffix in (".xml", ".json", ".properties")), equal


# ---- transcripts of speech ----

UTTERANCES = {
    "talk1_0001": ["今天", "天气", "很", "好"],
    "talk1_0002": ["去", "北京", "it's", "3.5"],
    "talk1_0003": [],
    "talk2_0001": ["买", "雨伞"],
}
WRITE_BY_MEETEVAL = """
import json, sys
from decimal import Decimal
from meeteval.io import CTM, STM, CTMLine, KeyedText, SegLST, STMLine
segments, words, rows = [], [], []
for place, (name, texts) in enumerate(json.load(sys.stdin).items()):
    file, start = name.split("_")[0], Decimal(10 * place)
    segments.append(STMLine(file, "1", "spk", start, start + 10, " ".join(texts)))
    rows.append({"session_id": name, "words": " ".join(texts)})
    for number, word in enumerate(texts):
        words.append(CTMLine(file, "1", start + number, Decimal("0.5"), word, Decimal("0.9")))
STM(segments).dump("ref.stm")
CTM(words).dump("hyp.ctm")
KeyedText.new(SegLST(rows)).dump("text")
"""
ROVER = shutil.which("rover", path="/usr/lib/sctk/bin:/usr/local/bin:/usr/bin")


def test_transcripts_that_meeteval_and_rover_write(tmp_path):
    subprocess.run(
        [PYTHON, "-c", WRITE_BY_MEETEVAL],
        input=json.dumps(UTTERANCES),
        text=True,
        check=True,
        cwd=tmp_path,
        timeout=120,
    )
    expected = [" ".join(words) for words in UTTERANCES.values()]
    stm, ctm, text = tmp_path / "ref.stm", tmp_path / "hyp.ctm", tmp_path / "text"
    outputs = [ctm]
    if ROVER is not None:
        words = ["-h", "hyp.ctm", "ctm"]
        command = [ROVER, *words, *words, "-o", "rover.ctm", "-m", "maxconf"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=120)
        outputs.append(tmp_path / "rover.ctm")
    for output in outputs:
        texts = corpus.read(stm, output, blank_refs=True)
        assert texts.joined_by == "time (stm, ctm)"
        assert [plain(line) for line in texts.hyps] == [plain(line) for line in texts.refs[0]]
        assert [plain(line) for line in texts.hyps] == expected, output.name
    texts = corpus.read(text, text, blank_refs=True)
    assert [plain(line) for line in texts.hyps] == expected
    assert [segment.id for segment in texts.segments] == [*UTTERANCES]
