"""Readers of translators' files against translate-toolkit, in an environment of its own.

The environment has translate-toolkit and a package with catalogs, such as Django. The catalogs are
also converted to XLIFF and TMX by the toolkit, so that all files are written by others:

    python -m venv ENV && ENV/bin/pip install translate-toolkit django
    CELAB_TRANSLATE_TOOLKIT=ENV/bin/python pytest tests/oracle/test_translation_files.py
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from celab import corpus

PYTHON = os.environ.get("CELAB_TRANSLATE_TOOLKIT")
LANGUAGES = ("zh_Hans", "ja", "de", "ru")
N_CATALOGS = 24
LEAST_FILES = 40
CONVERTERS = {"xlf": ["translate.convert.po2xliff"], "tmx": ["translate.convert.po2tmx", "-l"]}

pytestmark = pytest.mark.skipif(
    not PYTHON, reason="CELAB_TRANSLATE_TOOLKIT names no Python with translate-toolkit"
)


def run(*words):
    """Return what the other Python prints."""
    done = subprocess.run([PYTHON, *map(str, words)], text=True, capture_output=True, timeout=600)
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
