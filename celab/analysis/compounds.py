"""Compounds: a German noun → its parts, by the frequencies of the parts.

After P. Koehn and K. Knight, Empirical Methods for Compound Splitting, EACL 2003: of all splits of
a word into parts p₁ … pₙ, the word itself among them, the one with the greatest geometric mean

    (count(p₁) · … · count(pₙ)) ^ (1/n)

Between two parts may stand a linking element (`LINKS`), or a final e of the first may be missing;
parts are given without the one and with the other. Frequencies alone split too much (Frei-tag,
Verkehr-sun-fall). Koehn and Knight ask a tagger and a parallel text which parts are content words;
here written lists say which words are no parts (`FUNCTION_WORDS`, `PREFIXES`, `SUFFIXES`) and which
short ones are (`SHORT_NOUNS`), and only a word that is written like a noun is looked at.

>>> split_compound("Verkehrsunfall")
('Verkehr', 'unfall')
>>> split_compound("Schulhaus"), split_compound("Freitag")
(('Schule', 'haus'), ('Freitag',))
>>> Splitter({"regen": 5, "schirm": 3, "regenschirm": 1}).split("Regenschirm")
('Regen', 'schirm')
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from math import inf, log
from typing import NamedTuple

from celab.corpus import DECOMPRESS, name_of, read_lines
from celab.errors import InputError, OptionError

LANGUAGES = ("de",)
LINKS = ("s", "es", "n", "en", "er", "e")


def _fold(text: str) -> str:
    """Lower case with ss for ß, as `wordfreq` has it, and umlauts in one piece."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


def _words(text: str) -> frozenset[str]:
    return frozenset(map(_fold, text.split()))


# No part of a compound, though each is frequent by itself.
FUNCTION_WORDS = _words(
    """
    aber alle allem allen aller allerdings alles also andere anderem anderen anderer anderes auch
    außerdem bald beide beiden beim beinahe bereits bevor bist bloß dabei dadurch dafür dagegen
    daher dahin damals damit danach daneben dann daran darauf daraus darf darin darum darunter
    darüber dass davon davor dazu dein deine deinem deinen deiner deines dem den denen denn dennoch
    der deren derer des deshalb dessen deswegen dich die dies diese diesem diesen dieser dieses doch
    dort durfte eben ebenso ehe eher eine einem einen einer eines einige einigen einmal erst etwa
    etwas euch euer eure eurem euren eurer falls fast gegen genau genug gerade gern gibt habe haben
    hast hatte hatten hätte hätten hier hinaus ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres immer
    indem irgend irgendwann ist jede jedem jeden jedenfalls jeder jedes jedoch jemand jene jenem
    jenen jener jenes jetzt kann kein keine keinem keinen keiner keines konnte konnten könnte
    könnten können leider manche manchem manchen mancher manches manchmal mehr mehrere mein meine
    meinem meinen meiner meines mich muss musste mussten möchte müssen natürlich nein nicht nichts
    noch nämlich obwohl oder oft ohne schon sehr seid seien sein seine seinem seinen seiner seines
    seit sich sind sobald sogar solche solchem solchen solcher sollen sollte sollten somit sondern
    sonst sowie statt trotz trotzdem und uns unser unsere unserem unseren unserer viel viele vielen
    vieler vielleicht wann waren warum weil weiter weitere weiteren welche welchem welchen welcher
    welches wenig wenige weniger wenn werde werden weshalb wessen will wird wirst wohl wollen wollte
    worden wurde wurden während wäre wären würde würden zumindest zwar zwischen
    aufm ausm
    """
)
# Prepositions and adverbs that are also prefixes of verbs and of nouns made from them: Übergang,
# Voraussetzung, Rückkehr hold no word that could stand for the whole. Foreign ones likewise.
PREFIXES = _words(
    """
    durch empor entgegen fehl fort gegenüber haupt herab heran herauf heraus herbei herein herum
    herunter hervor hinauf hinein hinter hinzu inne miss nach nahe neben nieder ober quer rück
    sonder unter voran voraus vorbei vorher vorüber wider wieder zurück zusammen über überein
    anti extra hyper inter kombi kontra mega meta mikro mini mono multi para poly pseudo semi super
    supra tele trans ultra vize
    """
)
# Endings that are also words, or are counted as such. They may open a compound (Haftstrafe), ...
SUFFIXES = _words(
    """
    artig barer baren chen chens eien enden ender endes erei erin erinnen erweise fach hafte haften
    heit heiten ieren iert ierte ierung ierungen igen igkeit innen isch ische ischen ismus isten
    istin ität itäten keit keiten lein leins lich liche lichen licher lichkeit ling linge lings lose
    losen losigkeit mals maßen nisse nissen oren orin same samen samkeit sche schaft schaften ster
    ionen ation ationen tion tionen sion sionen ration rationen tümer tums ungen voll volle vollen
    wärts weise ment mente ator atoren anten enzen enten euren iere
    """
)
# ... and these nouns may close one after a linking element: Woche-n-ende, but no Studier-ende.
AFTER_LINK = frozenset({"ende", "haft"})
# Three letters say little: Verkehr-sun-fall. These are parts all the same, ...
SHORT_NOUNS = _words(
    """
    abo akt amt arm art ast axt bad bau box bus bär cup dom eck eid eis fan fee gas hai heu hof hut
    job klo kuh kur lob lok mix mut not ohr oma opa ort ost rad rat reh ruf see ski süd tag tal tau
    tee tod ton tor typ tür uhr wal weg wut zeh zoo zug öl
    """
)
# ... and these at the beginning, ...
SHORT_OPENINGS = _words("alt ess gen neu pop roh rot")
# ... where adjectives of any length stand: Reinform, but no Lohn-s-teuer.
ADJECTIVES = _words(
    """
    breit früh hohl hübsch jung klein kurz lang langsam leicht rasch rein schief schlank schlau
    schmal schnell schwach schwer spät stark steil stolz streng teuer tief
    """
)
# Past tenses are no parts, but may look like a noun in -e: Sprach(e)-kurs, but no Lief-er-wagen.
PAST_TENSES = _words(
    """
    begann blieb fand fiel fuhr galt gewann ging hielt lief nahm rief saß schien schlief schrieb
    sprach stieg traf trat trug verlor warf wuchs
    """
)
# Compounds of old, whose parts mean nothing any more; they may be parts: Freitag-abend.
WHOLE = _words("montag dienstag donnerstag freitag samstag sonntag")

_BARRED = FUNCTION_WORDS | PREFIXES
_OPENINGS = SUFFIXES | SHORT_OPENINGS | ADJECTIVES
_WHOLE = tuple(sorted(WHOLE))
_LETTERS = re.compile(r"[^\W\d_]+")
_COUNTED = re.compile(r"[^\t]+\t\d+(\.\d+)?\s*")
_CACHED = 1 << 17
_STRICTER = {1: 100.0, 2: 10.0, 3: 10.0, 4: 10.0, 5: 3.0}  # times the floor, by letters
_RARER = 10.0  # a stem stands for a word in -e if it is so much rarer itself: schul, not haus
_EQUAL = 1e-9  # of logarithms: means closer than this are equal


def split_compound(word: str, lang: str = "de") -> tuple[str, ...]:
    """The parts of a compound by the frequencies of `wordfreq`; the word alone if it is none.

    >>> split_compound("Regenschirm", lang="de")
    ('Regen', 'schirm')
    """
    return splitter_for(lang).split(word)


class Compounds:
    """`split_compound` for German, as an object that can be sent to another process."""

    name = "compounds"

    def __call__(self, word: str) -> tuple[str, ...]:
        """The parts of the word."""
        return split_compound(word)


@cache
def splitter_for(lang: str) -> Splitter:
    """The splitter of a language, with the frequencies of `wordfreq`; made once."""
    if lang not in LANGUAGES:
        raise OptionError(
            f"compounds of language {lang!r} cannot be split; supported: {', '.join(LANGUAGES)}"
        )
    try:
        from wordfreq import get_frequency_dict
    except ImportError:
        raise OptionError(
            "splitting compounds needs the package wordfreq, which is not installed; "
            f"pip install celab[{lang}], or name a corpus to count"
        ) from None
    return Splitter(get_frequency_dict(lang))


def counts_from(path: str | os.PathLike[str]) -> dict[str, float]:
    """Counts of lower-cased words, from a corpus or from a table of words and counts.

    A file is a table if it is named `.tsv` or its first line is a word, a tab and a number; blank
    lines and lines that begin with # are skipped then. Everything else is text, of which the runs
    of letters are counted. Either may be compressed.
    """
    lines = read_lines(path)
    name = name_of(os.fspath(path))
    stem, suffix = os.path.splitext(os.fspath(path).lower())
    if suffix in DECOMPRESS:
        suffix = os.path.splitext(stem)[1]
    counts: Mapping[str, float]
    if suffix == ".tsv" or _COUNTED.fullmatch(lines[0]):
        counts = _read_table(lines, name)
    else:
        counter = Counter[str]()
        for line in lines:
            counter.update(_LETTERS.findall(unicodedata.normalize("NFC", line).lower()))
        counts = counter
    if not counts:
        raise InputError(f"{name} has no words; it must be a text, or lines of word, tab, count")
    return dict(counts)


def _read_table(lines: list[str], name: str) -> dict[str, float]:
    counts: defaultdict[str, float] = defaultdict(float)
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.startswith("#"):
            continue
        word, *rest = line.split("\t")
        try:
            (count,) = map(float, rest)
        except ValueError:
            count = -1.0
        if not (word.strip() and 0 <= count < inf):
            raise InputError(
                f"{name}, line {number}: {line[:60]!r} is not a word, a tab and a count; "
                "the count must be a number that is not negative"
            )
        counts[unicodedata.normalize("NFC", word.strip()).lower()] += count
    return counts


class Splitter:
    """Splits words by the counts of their parts, which may be any positive numbers.

    `minimum` is the length of the shortest part in letters, but for `short`, the shorter words that
    are parts all the same. A part needs `floor` occurrences in a million words, three times as many
    if it has five letters, ten times if fewer. `nouns` says that only what is written like a noun
    is split. Case, ß for ss and the composition of umlauts make no difference to the counts.
    """

    def __init__(
        self,
        counts: Mapping[str, float],
        *,
        minimum: int = 4,
        floor: float = 0.3,
        nouns: bool = True,
        short: Collection[str] = SHORT_NOUNS,
    ) -> None:
        if minimum < 1:
            raise OptionError(f"minimum is {minimum}; the shortest part must have a letter")
        if not 0 <= floor < inf:
            raise OptionError(f"floor is {floor}; it must be a number that is not negative")
        self._nouns = nouns
        self._cached = lru_cache(maxsize=_CACHED)(self._split)
        self._counts: defaultdict[str, float] = defaultdict(float)
        for word, count in counts.items():
            self._counts[_fold(word)] += count
        self._total = sum(self._counts.values())
        if counts and not 0 < self._total < inf:
            raise InputError(
                f"the counts of {len(counts)} words add up to {self._total}; "
                "they must be positive numbers"
            )
        self._parts = _parts(self._counts, self._total, minimum, floor * 1e-6, short)
        lengths = [len(key) for key in self._parts] or [0]
        self._shortest, self._longest = min(lengths), max(lengths)

    def split(self, word: str) -> tuple[str, ...]:
        """The parts, spelled as in the word; the word alone if it is not split."""
        return self._cached(word)

    def _split(self, word: str) -> tuple[str, ...]:
        whole = _fold(word)
        if not whole.isalpha() or whole in _BARRED or (self._nouns and not _like_noun(word)):
            return (word,)
        steps, end = self._steps(word), 2 * len(word)
        if not any(step.target == end for options in steps.values() for step in options):
            return (word,)
        # The greatest mean on a path, by W. Dinkelbach (1967): with a mean to beat taken off each
        # step, a longest path is above zero if and only if some path has a greater mean.
        count = self._counts.get(whole, 0.0)
        if count > 0:
            mean = log(count / self._total)
        else:
            mean = min(step.score for options in steps.values() for step in options) - 1.0
        found: list[tuple[int, _Step]] = []
        while (path := _longest_path(steps, end, mean))[0] > _EQUAL * len(path[1]):
            found = path[1]
            mean += path[0] / len(found)
        return tuple(_spelled(word, node, step) for node, step in found) or (word,)

    def _steps(self, word: str) -> dict[int, list[_Step]]:
        """By node in ascending order: the parts that may stand there, and where they lead.

        Node 2i is the place before letter i, 2i + 1 the same after a linking s, es, n or en.
        """
        lower, n = word.lower(), len(word)
        plain = lower.isascii() or (len(lower) == n and _fold(lower) == lower)
        longest = self._longest if plain else 3 * self._longest  # letters that fold to less
        reached = bytearray(2 * n + 1)
        reached[0] = True
        steps: dict[int, list[_Step]] = {}
        for node in range(2 * n):
            if not reached[node]:
                continue
            start, linked = divmod(node, 2)
            options: list[_Step] = []
            inside = 0
            if lower.startswith(_WHOLE, start):
                inside = start + max(len(w) for w in _WHOLE if lower.startswith(w, start))
            for stop in range(
                start + self._shortest if plain else start + 1, min(start + longest, n) + 1
            ):
                key = lower[start:stop] if plain else _fold(word[start:stop])
                part = self._parts.get(key)
                if part is None or stop < inside or (start and part.place > linked):
                    continue
                if stop == n:
                    if start and part.word > -inf:
                        options.append(_Step(2 * n, part.word, n, False))
                    continue
                score, restored = max((part.word, False), (part.stem, True))
                options.append(_Step(2 * stop, score, stop, restored))
                for link in LINKS:
                    after = stop + len(link)
                    if after < n and lower.startswith(link, stop):
                        target = 2 * after + (link[-1] in "sn")
                        if link == "s":  # nothing else follows a stem: Hilf(e)-s-mittel
                            options.append(_Step(target, score, stop, restored))
                        elif part.word > -inf:
                            options.append(_Step(target, part.word, stop, False))
            for step in options:
                reached[step.target] = True
            steps[node] = options
        return steps


class _Part(NamedTuple):
    """What a string may be: logarithms of the shares of the word, and of the word with an e."""

    word: float
    stem: float
    place: int


class _Step(NamedTuple):
    """A part with what links it to the next: the node it leads to, and where the part ends."""

    target: int
    score: float
    stop: int
    restored: bool


def _parts(
    counts: Mapping[str, float], total: float, minimum: int, floor: float, short: Collection[str]
) -> dict[str, _Part]:
    shorter = {_fold(word) for word in short} | SHORT_OPENINGS if short else frozenset[str]()
    words: dict[str, float] = {}
    for word, count in counts.items():
        needed = floor * _STRICTER.get(len(word), 1.0)
        if (
            count > 0
            and count >= needed * total
            and (len(word) >= minimum or word in shorter)
            and word.isalpha()
            and word not in _BARRED
            and word not in PAST_TENSES
        ):
            words[word] = log(count / total)
    parts = {word: _Part(score, -inf, _place(word)) for word, score in words.items()}
    for word, score in words.items():
        stem = word[:-1]
        ratio = 1.0 if stem in PAST_TENSES else _RARER
        rarer = counts.get(stem, 0.0) * ratio <= counts[word]
        frequent = len(stem) > 3 or counts[word] >= 100 * floor * total  # Erd(e), but no Ank(e)
        if word[-1] == "e" and len(stem) > 2 and rarer and frequent and stem not in _BARRED:
            parts[stem] = _Part(words.get(stem, -inf), score, _place(stem))
    return parts


def _place(word: str) -> int:
    """Where a part may stand: anywhere 0, else only first or, 1, after a linking s or n."""
    if word in AFTER_LINK:
        return 1
    return 2 if word in _OPENINGS else 0


def _longest_path(
    steps: Mapping[int, list[_Step]], end: int, mean: float
) -> tuple[float, list[tuple[int, _Step]]]:
    """The length of a longest path to the end if each step costs `mean`, and its steps."""
    best = {0: 0.0}
    came: dict[int, tuple[int, _Step]] = {}
    for node, options in steps.items():
        here = best[node] - mean
        for step in options:
            if here + step.score > best.get(step.target, -inf):
                best[step.target] = here + step.score
                came[step.target] = node, step
    path: list[tuple[int, _Step]] = []
    node = end
    while node:
        path.append(came[node])
        node = came[node][0]
    return best[end], path[::-1]


def _spelled(word: str, node: int, step: _Step) -> str:
    part = word[node // 2 : step.stop]
    if not step.restored:
        return part
    return part + ("E" if part.isupper() else "e")


def _like_noun(word: str) -> bool:
    return word[0].isupper() and word[1:].islower()
