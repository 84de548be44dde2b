"""Analyzers by language, and a cache for any of them.

>>> words = CachedAnalyzer(analyzer("surface"))
>>> [word.lemma for word in words.analyze(["Ein Hund"])[0]]
['ein', 'hund']

`Tagged` reads `word|lemma|TAG`, tokens separated by spaces, so that TreeTagger, Stanford, stanza or
spaCy can be used instead of our analyzers.

>>> Tagged().analyze(["The|the|DT dogs|dog|NNS"])[0]  # doctest: +NORMALIZE_WHITESPACE
(Word(form='The', lemma='the', tag='DT', function=True),
 Word(form='dogs', lemma='dog', tag='NNS', function=False))

Tokens are split from the right, so that a word may hold the separator; a lemma and a tag may not.
TreeTagger's placeholders `<unknown>`, `@card@` and `@ord@` are not lemmas: all unknown words would
be equal. The word itself is used instead.

**Function words** are decided by the tag. The papers give no list, only that it is decided by part
of speech (2010, section 3); in figure 1 of 2011 an interjection and punctuation count as function
words. The rule here: the closed classes of Universal Dependencies but numbers, and interjections,
punctuation and symbols; pronominal adverbs (`WRB`, `PWAV`, `PROAV`) because they are pro-forms.
Verb particles (`RP`, `PTKVZ`) are `ADP` there, so they count. Adverbs, negating ones too, do not
where the tag set calls them adverbs. `FUNCTION_TAGS` is the union over three tag sets, which agree
wherever they share a tag.

`Surface` is for languages without an analyzer, and never a default. Every word has the
same empty tag, so that `s_pos` is 1 for any two words, and `s_ms` at least 1/2: leave `s_pos` out
of the similarities, or keep this in mind.

>>> Surface().analyze(["Dobrý den!"])[0][1]
Word(form='den', lemma='den', tag='', function=False)
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import json
import os
import pickle
import re
import sqlite3
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path

from celab._native.tokens import is_blank
from celab.base import io
from celab.base.errors import InputError, OptionError, SentenceError, Setting
from celab.base.run import Progress, blocked_interrupts
from celab.base.version import __version__
from celab.words.hanover import German
from celab.words.model import Analyzer, Word

UD_FUNCTION_TAGS = frozenset(
    ["ADP", "AUX", "CCONJ", "CONJ", "DET", "INTJ", "PART", "PRON", "PUNCT", "SCONJ", "SYM"]
)
# `PP`, `PP$`, `IN/that`, `SENT` are TreeTagger's; the verbs be, have, do have no tag of their
# own in Penn's set, and TreeTagger's for them (VB, VBD …) are other verbs in Penn's.
_PENN = (
    "CC DT EX IN IN/that LS MD PDT POS PP PP$ PRP PRP$ RP SYM TO UH WDT WP WP$ WRB"
    " . , : '' `` \" ( ) -LRB- -RRB- # $ HYPH NFP SENT"
)
PENN_FUNCTION_TAGS = frozenset(_PENN.split())
FUNCTION_TAGS = UD_FUNCTION_TAGS | PENN_FUNCTION_TAGS | German.function_tags

NO_LEMMA = frozenset({"<unknown>", "@card@", "@ord@"})

# A run of letters, digits and their marks, with single hyphens, apostrophes or full stops inside;
# else one character that is not a space.
SURFACE_TOKEN = re.compile(r"\w+(?:[-'’.,]\w+)*|[^\w\s]")


class Tagged(Analyzer):
    """Reads words, lemmas and tags from the sentence itself."""

    def __init__(
        self, separator: str = "|", function_tags: Collection[str] = FUNCTION_TAGS
    ) -> None:
        if not separator or any(character.isspace() for character in separator):
            raise OptionError(
                "separator", separator, "it must be one or more characters, none a space"
            )
        if isinstance(function_tags, str):
            raise OptionError(
                (Setting("function_tags"), f" is the text {function_tags!r}"),
                hint="it must be a list of tags",
            )
        self.separator = separator
        self.function_tags = frozenset(function_tags)
        # The name identifies the set of function words; the separator changes no word.
        tags = " ".join(sorted(self.function_tags)).encode("utf-8", "surrogatepass")
        own = self.function_tags != FUNCTION_TAGS
        self.name = f"tagged@{hashlib.sha256(tags).hexdigest()[:12]}" if own else "tagged"

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        if is_blank(sentence):  # an absent reference, or no output
            return ()
        tokens = sentence.rstrip("\r\n").split(" ")
        return tuple(self._word(token, number) for token in tokens if token)

    def _word(self, token: str, number: int) -> Word:
        fields = token.rsplit(self.separator, 2)
        if len(fields) < 3 or not all(fields):
            form = self.separator.join(("word", "lemma", "TAG"))
            raise SentenceError(
                number,
                f"token {token!r} has {sum(map(bool, fields))} of the three fields;"
                f" it must be {form}, and only the word may hold {self.separator!r}",
            )
        word, lemma, tag = fields
        return Word(word, word if lemma in NO_LEMMA else lemma, tag, tag in self.function_tags)


class Surface(Analyzer):
    """Words as in the text; the lemma is the form in lower case."""

    name = "surface"
    spelt = staticmethod(str.lower)

    def _words(self, sentence: str, number: int) -> tuple[Word, ...]:
        forms = SURFACE_TOKEN.findall(unicodedata.normalize("NFC", sentence))
        return tuple(Word(form, form.lower(), "", False) for form in forms)


# Words are remembered on disk, so that the next run need not analyze the same sentences again.
#
# One SQLite file for each analyzer in the cache folder, named by a digest of the analyzer's name,
# which has the versions of its tools and models, of celab's version and of the table. Only its
# owner may read it. A row is the digest of a sentence, its words, and a digest of both: a row with
# another digest is damaged, and the sentence is analyzed as if it were not there.
# `CELAB_REMEMBER=0` in the environment turns this off.

MAX_MEMORY_BYTES = 1 << 29  # nothing is added to a larger file
_WORDS_PER_QUERY = 500  # SQLite allows 999 parameters
_DAMAGE = (sqlite3.Error, OSError, UnicodeDecodeError)  # the last: damaged text
_TABLE = """CREATE TABLE IF NOT EXISTS
    words (key BLOB PRIMARY KEY, words TEXT, digest BLOB) WITHOUT ROWID"""

Words = tuple[Word, ...]


class Memory:
    """The words of sentences by one analyzer."""

    def __init__(self, analyzer: str) -> None:
        name = blake2b(f"{analyzer}|{__version__}|{_TABLE}".encode(), digest_size=8).hexdigest()
        self.path: Path | None = io.cache_folder() / "words" / f"{name}.sqlite"
        if os.environ.get("CELAB_REMEMBER", "1") == "0":
            self.path = None
        self._words: dict[tuple[str, str, str, bool], Word] = {}

    def recall(self, sentences: Sequence[str]) -> dict[str, Words]:
        """Return the words of the sentences that are remembered."""
        known: dict[str, Words] = {}
        if self.path is None or not sentences or not self.path.is_file():
            return known
        by_key = {_key(text): text for text in sentences}
        keys = list(by_key)
        with suppress(*_DAMAGE), closing(self._connect("ro")) as file:
            for i in range(0, len(keys), _WORDS_PER_QUERY):
                batch = keys[i : i + _WORDS_PER_QUERY]
                marks = ",".join("?" * len(batch))
                rows = file.execute(
                    f"SELECT key, words, digest FROM words WHERE key IN ({marks})", batch
                )
                for key, text, digest in rows:
                    if key in by_key and digest == _digest(key, text):
                        cells = zip(*json.loads(text), strict=True)
                        known[by_key[key]] = tuple(self._shared(cells))
        return known

    def remember(self, known: Mapping[str, Words]) -> None:
        """Add the words of these sentences, if the file can be written."""
        if self.path is None or not known:
            return
        with suppress(*_DAMAGE):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if not self.path.exists():
                os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            if not self.path.is_file() or self.path.stat().st_size > MAX_MEMORY_BYTES:
                return
            written = [(_key(text), _written(words)) for text, words in known.items()]
            rows = [(key, words, _digest(key, words)) for key, words in written]
            with closing(self._connect("rw")) as file, file:
                file.execute(_TABLE)
                file.executemany("INSERT OR REPLACE INTO words VALUES (?, ?, ?)", rows)

    def _connect(self, mode: str) -> sqlite3.Connection:
        assert self.path is not None
        return sqlite3.connect(f"{self.path.as_uri()}?mode={mode}", uri=True, timeout=1.0)

    def _shared(self, cells: Iterable[tuple[str, str, str, str]]) -> Iterator[Word]:
        # The same word is the same object, which saves most of the time.
        for form, lemma, tag, function in cells:
            key = (form, lemma, tag, function == "1")
            word = self._words.get(key)
            if word is None:
                word = self._words[key] = Word(*key)
            yield word


def _key(sentence: str) -> bytes:
    return blake2b(sentence.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _digest(key: bytes, words: object) -> bytes:
    """Return the digest of a row, by which a damaged row is recognized."""
    return blake2b(key + str(words).encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _written(words: Words) -> str:
    functions = "".join("01"[word.function] for word in words)
    columns = ([getattr(word, name) for word in words] for name in ("form", "lemma", "tag"))
    return json.dumps([*columns, functions])


# Imported only when needed.
LANGUAGES = {"de": "hanover.German", "en": "hanover.English", "zh": "chinese.Chinese"}
ANY_LANGUAGE = {"surface": "analyzers.Surface", "tagged": "analyzers.Tagged"}
# Analyzers that replace the default one of their language.
FOR_ONE_LANGUAGE = {"rjieba": ("zh", "chinese.Rjieba")}

SENTENCES_PER_TASK = 100  # a sentence takes a few hundredths of a second at worst
MIN_SENTENCES_FOR_WORKERS = 2000  # starting processes takes longer than the analysis of fewer
MAX_WORKERS = 60  # Windows allows 61


def analyzer(lang: str | None, analysis: str | None = None, **options: object) -> Analyzer:
    """Return the analyzer for a language, or the one that `analysis` names."""
    own, place = FOR_ONE_LANGUAGE.get(analysis or "", (lang, None))
    if lang != own:
        raise OptionError(
            (
                Setting("analysis"),
                f" is {analysis!r}, which is for language {own!r}, but ",
                Setting("lang"),
                f" is {lang!r}",
            ),
            hint=("give ", Setting("lang", own)),
        )
    name = analysis or str(lang)
    place = place or (LANGUAGES | ANY_LANGUAGE).get(name)
    if place is None:
        raise OptionError(
            f"there is no word analysis for language {name!r}, only for {', '.join(LANGUAGES)}",
            hint=(
                "use ",
                Setting("analysis", "tagged"),
                " for words analyzed by another tool, or ",
                Setting("analysis", "surface"),
                " to compare forms only",
            ),
        )
    module, kind = place.split(".")
    make_analyzer: Callable[..., Analyzer] = getattr(
        importlib.import_module(f"celab.words.{module}"), kind
    )
    known = inspect.signature(make_analyzer).parameters
    for option in options:
        if option not in known:
            raise OptionError(
                f"the analysis {name!r} has no option {option!r};"
                f" its options: {', '.join(known) or 'none'}"
            )
    return make_analyzer(**options)


class CachedAnalyzer:
    """An analyzer that analyzes each sentence once, a slow one in worker processes.

    The words of a slow analyzer are also remembered on disk (`Memory`).

    Workers start only for more than 2,000 new sentences, and only if `jobs` is more than 1, the
    analyzer is `slow` and can be pickled. They are new processes that import the main module
    (spawn), which a script must therefore keep from running again by `if __name__ == "__main__"`;
    if they do not start, the work is done in this process. The oldest remembered sentences are
    dropped first.
    """

    def __init__(self, analyzer: Analyzer, remembered: int = 50_000) -> None:
        self.analyzer = analyzer
        self.name, self.spelt = analyzer.name, analyzer.spelt
        self.remembered = remembered
        self._known: dict[str, tuple[Word, ...]] = {}
        self._memory = (
            Memory(f"{type(analyzer).__name__}|{analyzer.name}") if analyzer.lasting else None
        )

    def analyze(
        self, sentences: Sequence[str], progress: Progress | None = None, jobs: int = 1
    ) -> list[tuple[Word, ...]]:
        """Return the words of each sentence, in the order of the sentences.

        `progress` is called with (done, total), which count new sentences.
        """
        # Other threads may share this cache and evict entries meanwhile.
        remembered = ((text, self._known.get(text)) for text in sentences)
        known = {text: words for text, words in remembered if words is not None}
        new = list(dict.fromkeys(text for text in sentences if text not in known))
        if self._memory is not None:
            recalled = self._memory.recall(new)
            known |= recalled
            self._known |= recalled
            new = [text for text in new if text not in recalled]
        n_done = 0
        try:
            for chunk in self._by_chunk(new, jobs):
                for words in chunk:
                    known[new[n_done]] = self._known[new[n_done]] = words
                    n_done += 1
                if progress is not None:
                    progress(n_done, len(new))
        except InputError:
            self.analyzer.analyze(sentences)  # so that the error has the number in the whole list
            raise
        finally:
            if self._memory is not None:
                self._memory.remember({text: known[text] for text in new[:n_done]})
        for text in list(self._known)[: max(0, len(self._known) - self.remembered)]:
            self._known.pop(text, None)
        return [known[text] for text in sentences]

    def _by_chunk(self, new: list[str], jobs: int) -> Iterator[list[tuple[Word, ...]]]:
        chunks = [new[i : i + SENTENCES_PER_TASK] for i in range(0, len(new), SENTENCES_PER_TASK)]
        n_done = 0
        if jobs > 1 and self._worth_workers(len(new)):
            with suppress(BrokenProcessPool):  # the rest is done here
                for words in self._by_workers(chunks, jobs):
                    n_done += 1
                    yield words
        for chunk in chunks[n_done:]:
            yield self.analyzer.analyze(chunk)

    def _worth_workers(self, n_new: int) -> bool:
        if not self.analyzer.slow or n_new <= MIN_SENTENCES_FOR_WORKERS:
            return False
        try:
            pickle.dumps(self.analyzer)
        except (pickle.PicklingError, AttributeError, TypeError):  # such as a lambda within
            return False
        return True

    def _by_workers(self, chunks: list[list[str]], jobs: int) -> Iterable[list[tuple[Word, ...]]]:
        n_workers, spawn = min(jobs, len(chunks), MAX_WORKERS), get_context("spawn")
        with ProcessPoolExecutor(n_workers, spawn, _start_worker, (self.analyzer,)) as pool:
            with blocked_interrupts():
                done = pool.map(_work, chunks)
            try:
                yield from done
            except KeyboardInterrupt:
                for process in list((pool._processes or {}).values()):
                    process.terminate()
                raise


def _start_worker(analyzer: Analyzer) -> None:
    global _analyzer
    _analyzer = analyzer


def _work(sentences: list[str]) -> list[tuple[Word, ...]]:
    return _analyzer.analyze(sentences)


_analyzer: Analyzer  # a worker's own, set when it starts
