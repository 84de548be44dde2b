"""Random metrics, from all their options, and random texts for them.

A `Case` is plain data: its `repr` builds it again. `Recipe.make` makes the metric, writing the
lexicons, tables and models that its arguments hold.

The parameters of a metric are read from its constructor, so that a new one is drawn at once by what
its option declares (choices, or a range), or is an error that asks for a strategy in `STRATEGIES`.
Values that exclude each other by a documented `OptionError` are reconciled in `settle_*`, one rule
for each such error; any other error of a constructor is a failure.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import json
import math
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

from hypothesis import strategies as st

import celab
from celab._native.pivot import UNIT
from celab.base.options import Limits, info_of
from celab.base.run import Run, RunOptions
from celab.base.text.tokens import is_blank
from celab.exact import bags
from celab.lexicon.catalog import bundled_names, installed_path
from celab.lexicon.grades import PARTS
from celab.metrics import tesla_f
from celab.metrics.baselines import check_tokenizer
from celab.metrics.language_model import LanguageModel
from celab.metrics.options import (
    LANGUAGE_DEFAULTS,
    SUMMARY_UNITS,
    BaselineData,
    SacrebleuTokenizer,
    language_defaults,
)
from celab.metrics.registry import METRICS as REGISTERED
from celab.metrics.registry import metric_class
from celab.metrics.tesla_b import _MAX_PIVOT_WORDS_PER_WORD

ROOT = Path(__file__).resolve().parents[2]
Strategy = st.SearchStrategy[Any]
Arguments = dict[str, Any]

# Most of the time of a law goes into drawing its cases, and most of that into making strategies, so
# they are kept, and functions that are called often draw by themselves.
_kept = functools.lru_cache(1 << 12)
below = _kept(lambda n: st.integers(0, n - 1))
one_of = _kept(st.sampled_from)


# ---- data that a constructor takes as a file ----


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="celab-laws-")


@dataclass(frozen=True)
class File:
    """A file that is written when a metric needs it, under a name that its content decides."""

    content: str
    suffix: str

    @property
    def path(self) -> Path:
        """Where the file is; written if it is not there yet."""
        digest = hashlib.sha256(self.content.encode()).hexdigest()[:12]
        path = Path(_folder().name, f"f{digest}{self.suffix}")
        if not path.exists():
            path.write_text(self.content, "utf-8")
        return path

    def with_lines(self, lines: str) -> File:
        """The file with more lines at its end."""
        return File(self.content + lines, self.suffix)


@dataclass(frozen=True)
class Pivot:
    """A pivot table, built from rows of phrase, pivot phrase and count."""

    rows: tuple[tuple[str, str, int], ...]
    lang: str
    pivot_lang: str | None
    unit: str
    case: str

    @property
    def path(self) -> Path:
        """The `.pivot` file."""
        source = File("".join(f"{a}\t{b}\t{n}\n" for a, b, n in self.rows), ".tsv")
        name = hashlib.sha256(repr(self).encode()).hexdigest()[:12]
        path = Path(_folder().name, f"p{name}.pivot")
        if not path.exists():
            celab.pivot.build(
                source.path,
                path,
                lang=self.lang,
                pivot_lang=self.pivot_lang,
                unit=self.unit,
                case=self.case,
                threshold=0.0,
            )
        return path


@dataclass(frozen=True)
class Model:
    """A model of TESLA-F: the metrics of its features, language models, and weights.

    There are more weights than features may need; the first of them count. `sample` is a text
    that all metrics can read.
    """

    metrics: tuple[Recipe, ...]
    language_models: tuple[File, ...]
    weights: tuple[float, ...]
    sample: str

    @property
    def path(self) -> Path:
        """The JSON file, as `celab train` writes it."""
        path = Path(_folder().name, f"m{hashlib.sha256(repr(self).encode()).hexdigest()[:12]}.json")
        if path.exists():
            return path
        sources = tesla_f.sources_of([recipe.make() for recipe in self.metrics])
        models = [LanguageModel(file.path) for file in self.language_models]
        scorers = [source.metric.scorer([[self.sample]]) for source in sources]
        features = tesla_f.Features(sources, models)
        values, _, _ = features.values(scorers, [self.sample], [[self.sample]])
        n_features = values.shape[1]
        content = {
            "format": tesla_f.FORMAT,
            "lang": tesla_f.language_of([source.metric for source in sources]),
            "weights": [self.weights[k % len(self.weights)] for k in range(n_features)],
            "metrics": [tesla_f.describe_source(source, path) for source in sources],
            "models": tesla_f.describe_models(models, path),
        }
        path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
        return path


@dataclass(frozen=True)
class Recipe:
    """A metric by the name of its class and the arguments of its constructor."""

    kind: str
    arguments: Arguments

    def make(self, **instead: Any) -> celab.metrics.base.Metric:
        """A new metric; `instead` replaces some of the arguments."""
        return METRICS[self.kind](**_written(self.arguments | instead))

    def having(self, **instead: Any) -> Recipe:
        """The recipe with other arguments in place of some."""
        return replace(self, arguments=self.arguments | instead)

    def without(self, *names: str) -> Recipe:
        """The recipe without some of its arguments."""
        kept = {name: value for name, value in self.arguments.items() if name not in names}
        return replace(self, arguments=kept)

    def walk(self) -> Iterator[Recipe]:
        """The recipe itself, and those of the metrics that it is made of."""
        yield self
        inner = self.arguments.get("metrics", ())
        if isinstance(model := self.arguments.get("model"), Model):
            inner = model.metrics
        for part in inner:
            yield from part.walk()

    @property
    def is_independent(self) -> bool:
        """Whether a segment's score depends on that segment alone."""
        return not any(part.arguments.get("weights") == "references" for part in self.walk())


def _written(value: Any) -> Any:
    # The value with paths in place of files, and metrics in place of recipes.
    if isinstance(value, File | Pivot | Model):
        return str(value.path)
    if isinstance(value, Recipe):
        return value.make()
    if isinstance(value, dict):
        return {_written(key): _written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_written(item) for item in value]
    return value


# What a metric takes, and what holds for it, follows from its line in the registry and its class.
SURFACE = tuple(name for name, entry in REGISTERED.items() if entry.data is BaselineData)
OF_SACREBLEU = tuple(name for name in SURFACE if hasattr(metric_class(name), "sacrebleu"))
LOWER_IS_BETTER = tuple(name for name in REGISTERED if not metric_class(name).higher_is_better)


def _is_available(tokenizer: str) -> bool:
    try:
        check_tokenizer(tokenizer)
    except celab.OptionError:
        return False
    return True


# sacreBLEU's tokenizations that need packages or models which are not there.
UNAVAILABLE = {name for name in get_args(SacrebleuTokenizer) if not _is_available(name)}


# What has laws of its own in test_laws_discourse.py: they are about texts of several sentences of a
# language whose words are known, of which the texts of cases have neither.
DISCOURSE = ("dicomer", "cremer")
DRAWN = [name for name in REGISTERED if name not in DISCOURSE]
METRICS: dict[str, Callable[..., Any]] = {
    **{name: metric_class(name) for name in DRAWN},
    "celab-recommended": celab.recommended,
    "mean": celab.Mean,
}
PRESETS = tuple(name for name, entry in REGISTERED.items() if entry.preset)


def _declarations(name: str) -> tuple[type[Any], ...]:
    # All metrics that run by `RunOptions` take these, also if they are no flags of the metric.
    entry = REGISTERED[name]
    runs = issubclass(metric_class(name), RunOptions) and Run not in entry.options
    return (entry.data, *entry.options, *((Run,) if runs else ()))


# The classes that declare the options of each constructor, and what it passes its `**settings` to.
# A preset decides the other options.
OPTIONS: dict[str, tuple[type[Any], ...]] = {
    **{name: _declarations(name) for name in DRAWN},
    **dict.fromkeys(PRESETS, (Run,)),
    "mean": (Run,),
}
PASSED_ON: dict[str, Callable[..., Any]] = dict.fromkeys(("mean", *PRESETS), Run)


@functools.cache
def parameters(kind: str) -> list[str]:
    """The names of all arguments that the constructor of a metric takes."""
    names: dict[str, None] = {}
    for function in (METRICS[kind], PASSED_ON.get(kind)):
        if function is not None:
            for name, parameter in inspect.signature(function).parameters.items():
                if parameter.kind is not parameter.VAR_KEYWORD:
                    names[name] = None
    return list(names)


# ---- scenes: what the texts of a case look like ----

# Few characters, so that they repeat and match. Most alphabets have characters that an option is
# about: both scripts, both widths, both cases, marks, umlauts.
ALPHABETS: dict[str, tuple[str, ...]] = {
    "zh": (
        "甲乙丙",
        "甲乙丙丁戊",
        "买卖雨伞買賣傘",
        "发發髮里裏干乾",
        "甲乙aA1Ａ，, ",
        "買伞，。!",
    ),
    "ja": ("買傘雨", "かカ買。", "ーあア漢", "ガカハｶﾊﾞﾟ｡。"),
    "ko": ("가나다", "가나 다라"),
    "de": ("aäuüAÄ", "aAb sß"),
    "en": ("ab", "abc ", "aAé e\u0301"),
    "th": ("กาำ", "กข\u0e34 ", "กาำ\u0e4d\u0e49"),
    "lo": ("ກາຳ",),
    "km": ("កខ\u17d2",),
    "my": ("ကခ\u1039",),
}
VOCABULARIES: dict[str, tuple[str, ...]] = {
    "zh": ("雨伞", "伞", "买", "購", "iPhone", "3.5", "，"),
    "de": ("Regenschirm", "Regen", "Schirm", "Größe", "Groesse", "der", "kauft", "."),
    "en": ("the", "man", "Man", "sir", "good", "day", "umbrella", "."),
}
COUNTS = File("regen\t5\nschirm\t3\nregenschirm\t1\ngröße\t2\n", ".tsv")
UNSPLIT = File("regen\t5\nschirm\t3\nregenschirm\t9\ngröße\t2\n", ".tsv")
# Words that options read in different ways, and a lexicon that makes each a synonym of another.
OPTION_WORDS = (
    "雨傘",
    "雨伞",
    "軟體",
    "程式",
    "裏",
    "Ａ",
    "ｶﾞ",
    "ก\u0e4dา",
    "é",
    "e\u0301",
    "Übung",
    "Groesse",
    "Regenschirm",
    "<unk>",
    "二十三",
    "it’s",
    "uh",
)
OPTION_LEXICON = File(
    "".join(f"Aa01A{k:02}{'=#'[k % 2]} {word} 辛{k}\n" for k, word in enumerate(OPTION_WORDS, 1)),
    ".txt",
)
WORD_TAGS = (("NN", False), ("VB", False), ("DT", True), ("F", True))
ARPA = (
    "\\data\\\nngram 1=5\nngram 2=2\n\n\\1-grams:\n-1.5\t<unk>\n-99\t<s>\t-0.3\n-0.5\t{}\t-0.2\n"
    "-0.9\t{}\n-0.7\t</s>\n\n\\2-grams:\n-0.2\t<s> {}\n-0.1\t{} </s>\n\n\\end\\\n"
)
SLOW_LANGUAGES = (None, "zh", "de", "en")  # those with analyzers and lexicons of their own
BLANKS = (None, "", " ", "\u3000", "\u200b")


@dataclass(frozen=True)
class Scene:
    """The language and the form of the texts: characters, words or tagged words."""

    lang: str | None
    form: str
    alphabet: tuple[str, ...]  # characters, words, or tagged words
    separator: str = "|"
    slow: bool = False  # whether analyzers and lexicons that take seconds to load may be used

    @property
    def words(self) -> tuple[str, ...]:
        """Words for lexicons and tables."""
        if self.form == "tagged":
            return tuple(word.split(self.separator)[1] for word in self.alphabet)
        return tuple(word for word in self.alphabet if word.strip() and not is_blank(word))

    @property
    def anchor(self) -> str:
        """A text with a token that no table of weights has."""
        word = "庚"
        return self.separator.join((word, word, "NN")) if self.form == "tagged" else word

    def joined(self, words: list[str]) -> str:
        """A text of these words, or characters."""
        return ("" if self.form == "chars" else " ").join(words)


def scene_for(draw: Any, kind: str, slow: bool = False) -> Scene:
    """A language that the metric may have, and an alphabet or vocabulary."""
    lang = draw(one_of(SLOW_LANGUAGES if slow else (None, *LANGUAGE_DEFAULTS)))
    forms = ["chars", "words", "tagged"] if kind not in ("celab", *SURFACE, *PRESETS) else ["chars"]
    if (lang or "zh") in VOCABULARIES:
        forms.append("words")
    form = draw(one_of(tuple(forms)))
    separator = "|"
    if form == "chars":
        alphabet = tuple(draw(one_of(ALPHABETS[lang or "zh"])))
    elif form == "words":
        vocabulary = VOCABULARIES.get(lang or "zh", VOCABULARIES["en"])
        alphabet = tuple(draw(_vocabularies(vocabulary)))
    else:
        separator = draw(one_of(("|", "/", "_+")))
        alphabet = tuple(separator.join(word) for word in draw(_TAGGED))
    return Scene(lang, form, alphabet, separator, slow)


@_kept
def _vocabularies(words: tuple[str, ...]) -> Strategy:
    return st.lists(one_of(words), min_size=2, max_size=5)


_TAGGED = st.lists(
    st.tuples(
        one_of(("a", "b", "A", "雨", ".")),
        one_of(("a", "b", "雨")),
        one_of(tuple(tag for tag, _ in WORD_TAGS)),
    ),
    min_size=2,
    max_size=5,
)


# ---- texts ----


@functools.cache
def real_lines(lang: str) -> tuple[tuple[str, ...], ...]:
    """Parallel lines of real text, one tuple of versions for each line; none for some languages."""
    shared = ROOT.parent / "shared" / "data"
    folders = {
        "zh": "wmt21-enzh-sys",
        "ja": "wmt21-enja-sys",
        "ko": "enko-mqm-globalvoices",
        "de": "wmt21-ende-mqm",
        "en": "wmt21-zhen-mqm",
    }
    paths: list[Path] = []
    if lang in folders and (folder := shared / folders[lang]).is_dir():
        paths = sorted(folder.glob("ref-*.txt")) + sorted(folder.glob("hyp/*.txt"))[:3]
    elif lang in ("zh", "de"):
        paths = sorted((ROOT / "examples").glob(f"[rh][ey][fp]*.{lang}"))
    sides = [path.read_text("utf-8").split("\n")[:60] for path in paths]
    return tuple(zip(*sides, strict=False))


def texts(draw: Any, scene: Scene, count: int, longest: int, real: bool = True) -> list[str]:
    """Texts for one segment: random, or versions of one real line."""
    versions = real_lines(scene.lang or "zh") if real and scene.form == "chars" else ()
    if versions and draw(below(5)) == 4:  # last, so that cases shrink to random texts
        line = versions[draw(below(len(versions)))]
        length = draw(one_of((6, 15, 30)))
        return [line[draw(below(len(line)))][:length] for _ in range(count)]
    lengths = [draw(below(longest + 1)) for _ in range(count)]
    return [scene.joined(sequence(draw, scene.alphabet, length)) for length in lengths]


def sequence(draw: Any, items: tuple[str, ...], length: int) -> list[str]:
    """So many of the items in any order."""
    return [items[digit] for digit in digits(draw, len(items), length)]


def digits(draw: Any, base: int, count: int) -> list[int]:
    """So many numbers below the base.

    Several are drawn as one number, which takes less time. It is below 128, because hypothesis
    prefers small numbers in a greater range.
    """
    together = max(1, math.floor(math.log(128, max(2, base))))
    drawn: list[int] = []
    while len(drawn) < count:
        number = draw(below(base**together))
        for _ in range(together):
            number, digit = divmod(number, base)
            drawn.append(digit)
    return drawn[:count]


@dataclass(frozen=True)
class Case:
    """A metric, the outputs of systems, and references, of which some are absent."""

    recipe: Recipe
    systems: tuple[tuple[str, ...], ...]
    refs: tuple[tuple[str | None, ...], ...]
    anchor: str
    seed: int
    variants: tuple[Recipe, ...] = ()  # the recipe with other values of each option

    @property
    def kind(self) -> str:
        """Which metric it is."""
        return self.recipe.kind

    @property
    def hyps(self) -> tuple[str, ...]:
        """The output of the first system."""
        return self.systems[0]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.hyps)

    @property
    def rng(self) -> random.Random:
        """Random choices of a law: the same each time it is tried on this case."""
        return random.Random(self.seed)

    def make(self) -> Any:
        """A new metric."""
        return self.recipe.make()

    def refs_of(self, segment: int) -> list[str | None]:
        """The references of a segment, absent ones too."""
        return [side[segment] for side in self.refs]

    def pool(self) -> list[str]:
        """All texts, each once."""
        sides = [*self.systems, *self.refs]
        return list(dict.fromkeys(text for side in sides for text in side if text is not None))


@st.composite
def cases(
    draw: Any,
    kind: str,
    *,
    slow: bool = False,
    independent: bool = False,
    longest: int = 9,
    most_segments: int = 5,
    varied: bool = False,
) -> Case:
    """A case of a metric; with `independent`, one whose segments do not depend on others.

    With `varied`, it has words that options read in different ways, and variants of the recipe.
    """
    scene = scene_for(draw, kind, slow)
    variants: tuple[Recipe, ...] = ()
    if varied:
        words = (*OPTION_WORDS, *(f"辛{k}" for k, _ in enumerate(OPTION_WORDS, 1)))
        scene = replace(scene, form=draw(one_of(("chars", "words"))), alphabet=words)
        recipe, *others = recipes_for(draw, kind, scene)
        variants = tuple(others)
    else:
        recipe = recipe_for(draw, kind, scene)
    if independent and not recipe.is_independent:
        recipe = _made_independent(recipe)
    if _takes_letters_as_words(recipe):
        longest = min(longest, 2)
    n_systems = 1 + draw(below(3))
    n_refs = draw(one_of((1, 2, 2, 3, 4)))
    columns = []
    for _ in range(1 + draw(below(most_segments))):
        column: list[str | None] = [*texts(draw, scene, n_systems + n_refs, longest)]
        kept = n_systems + draw(below(n_refs))
        for r in range(n_systems, len(column)):
            if r != kept and draw(below(5)) == 4:
                column[r] = draw(one_of(BLANKS))
        text = column[kept]
        if text is None or is_blank(text) or _has_zero_weights(recipe):
            column[kept] = " ".join(filter(None, (text, scene.anchor)))
        columns.append(column)
    sides = list(zip(*columns, strict=True))
    return Case(
        recipe,
        tuple(sides[:n_systems]),
        tuple(sides[n_systems:]),
        scene.anchor,
        draw(below(2**16 + 1)),
        variants,
    )


def _made_independent(recipe: Recipe) -> Recipe:
    # The recipe with unit weights where the references would decide on them.
    arguments = dict(recipe.arguments)
    if arguments.get("weights") == "references":
        arguments["weights"] = "unit"
    if "metrics" in arguments:
        arguments["metrics"] = tuple(map(_made_independent, arguments["metrics"]))
    if isinstance(model := arguments.get("model"), Model):
        parts = tuple(map(_made_independent, model.metrics))
        arguments["model"] = replace(model, metrics=parts)
    return Recipe(recipe.kind, arguments)


def _takes_letters_as_words(recipe: Recipe) -> bool:
    # sacreBLEU's TER, which takes seconds for a sentence of tens of words.
    return any(part.kind == "ter" and part.arguments.get("asian_support") for part in recipe.walk())


def _has_zero_weights(recipe: Recipe) -> bool:
    # Whether a reference may weigh nothing, or lose all its tokens, which makes it absent.
    return any(
        (part.kind in SURFACE and part.kind not in OF_SACREBLEU)
        or isinstance(part.arguments.get("weights"), File)
        for part in recipe.walk()
    )


# ---- options ----


def option_field(kind: str, name: str) -> Any:
    """The field of an options class that declares a parameter, or None."""
    for options in OPTIONS[kind]:
        for field in fields(options):
            if field.name == name:
                return field
    return None


def default_of(kind: str, name: str) -> Any:
    """The default of an option, where no other option decides it."""
    return option_field(kind, name).metadata["option"].default


def declared(field: Any) -> Strategy | None:
    """The values that an option declares valid: its choices, or its range."""
    if field is None:
        return None
    if info_of(field).choices is not None:
        return st.sampled_from(list(info_of(field).choices))
    if isinstance(info_of(field).default, bool):
        return st.booleans()
    if info_of(field).between is not None:
        low, high = info_of(field).between
        if isinstance(info_of(field).default, int):
            return st.integers(low, high)
        return st.floats(low, high, allow_nan=False)
    return None


@_kept
def strategy_for(kind: str, name: str, scene: Scene) -> Strategy:
    """The values of one argument of a metric."""
    own = STRATEGIES.get(f"{kind}.{name}") or STRATEGIES.get(name)
    values = own(scene) if own else declared(option_field(kind, name))
    if values is None:
        raise LookupError(
            f"{kind} has the argument {name!r}, for which tests/properties/draw.py has no"
            " strategy; add one to STRATEGIES"
        )
    return values


@st.composite
def _spellings(draw: Any, letters: tuple[str, ...]) -> str:
    return "".join(sequence(draw, letters, draw(one_of((1, 1, 2, 3)))))


@_kept
def groups(scene: Scene) -> Strategy:
    """Groups of two to four words over the alphabet, as lists."""
    if scene.form == "chars":
        word = _spellings(scene.words)
    else:
        word = st.sampled_from([*scene.words, "a b", "ab"])
    return st.lists(st.lists(word, min_size=2, max_size=4, unique=True), min_size=1, max_size=4)


def tsv(rows: list[list[str]]) -> File:
    """A lexicon of plain groups."""
    return File("".join("\t".join(row) + "\n" for row in rows), ".tsv")


@st.composite
def cilin(draw: Any, scene: Scene) -> File:
    """A lexicon in the format of Cilin, whose codes share their first levels."""
    codes = st.sampled_from(
        ["Aa01A01=", "Aa01A02#", "Aa01A03=", "Aa01B01=", "Aa02A01#", "Ab01A01=", "Ba01A01="]
    )
    rows = draw(groups(scene))
    lines = [f"{draw(codes)} {' '.join(row)}\n" for row in rows]
    return File("".join(lines), ".txt")


def lexicons(scene: Scene) -> Strategy:
    """One lexicon or several, tiny ones unless the scene is slow."""
    tiny = groups(scene).map(tsv)
    several = st.lists(tiny, min_size=1, max_size=3)
    values = [st.none(), tiny, tiny, tiny, several, cilin(scene)]
    if scene.slow:
        values += [st.sampled_from(["default", *bundled_names()])]
    return st.one_of(values)


@dataclass(frozen=True)
class Graded:
    """Grades, and the lexicon that they are parts of."""

    grades: Any
    lexicon: Any = None


@st.composite
def gradings(draw: Any, scene: Scene) -> Graded:
    """One credit for a lexicon, parts of Cilin, or a chain of lexicons."""
    credits = st.sampled_from([0.5, 0.9, 0.7, 1 / 3, 0.25, 0.1, 1.0, 0.0])
    way = draw(st.sampled_from(["chain", "chain", "parts", "whole"]))
    if way == "whole":
        return Graded(draw(credits), draw(st.one_of(groups(scene).map(tsv), cilin(scene))))
    if way == "parts":
        finest_first = ["=", "#", *sorted(PARTS[2:], reverse=True)]
        assert set(finest_first) == set(PARTS)
        keys = draw(st.lists(st.sampled_from(finest_first), min_size=1, max_size=3, unique=True))
        falling = sorted((draw(credits) for _ in keys), reverse=True)
        ordered = sorted(keys, key=finest_first.index)
        return Graded(dict(zip(ordered, falling, strict=True)), draw(cilin(scene)))
    chain = [draw(groups(scene))]
    for _ in range(draw(st.integers(0, 2))):
        more = draw(groups(scene))
        if draw(st.booleans()):  # nested, or any other lexicon
            wider = [[*row, *more[0]] if draw(st.booleans()) else row for row in chain[-1]]
            more = [*wider, *more[1:]]
        chain.append(more)
    files = list(dict.fromkeys(map(tsv, chain)))  # one that adds nothing is the same file
    falling = sorted((draw(credits) for _ in files), reverse=True)
    return Graded(dict(zip(files, falling, strict=True)))


@st.composite
def token_weights(draw: Any, scene: Scene) -> Any:
    """A name of weights, or a table."""
    if draw(st.booleans()):
        return draw(st.sampled_from(["unit", "information", "references"]))
    tokens = st.sampled_from([*scene.words, *"aA1，"]).filter(lambda token: token != "庚")
    weights = st.one_of(st.just(0), st.integers(0, 100))  # what weighs nothing is as good as absent
    rows = draw(st.dictionaries(tokens, weights, min_size=1, max_size=6))
    return File("".join(f"{token}\t{n / 100:.2f}\n" for token, n in rows.items()), ".weights")


@st.composite
def pivots(draw: Any, scene: Scene) -> list[Pivot]:
    """One or two pivot tables of the scene's language, the second perhaps in lower case."""
    lang = scene.lang or "en"
    phrase = st.lists(st.sampled_from(scene.words), min_size=1, max_size=2)
    if scene.form == "chars":
        phrases, unit = phrase.map("".join), "char"
    else:
        phrases, unit = phrase.map(" ".join), "word"
    other = st.lists(st.sampled_from(["x", "y", "der", "."]), min_size=1, max_size=2).map(" ".join)
    row = st.tuples(phrases, other, st.integers(1, 9))
    pivot_lang = st.sampled_from([None, "fr", *(("de", "en") if scene.slow else ())])
    table = st.builds(
        Pivot,
        st.lists(row, min_size=1, max_size=5).map(tuple),
        st.just(lang),
        pivot_lang,
        st.just(unit),
        st.sampled_from(["keep", "lower"]),
    )
    return draw(st.lists(table, min_size=1, max_size=2))


@st.composite
def language_models(draw: Any, scene: Scene) -> tuple[File, ...]:
    """A language model, or none."""
    if draw(st.booleans()) or importlib.util.find_spec("kenlm") is None:
        return ()
    a, b = (draw(st.sampled_from(scene.words)).replace(" ", "") for _ in range(2))
    b = b if b != a else "x"
    return (File(ARPA.format(a, b, a, b), ".arpa"),)


@st.composite
def models(draw: Any, scene: Scene) -> Model:
    """A model of TESLA-F with one or two metrics."""
    kinds = st.sampled_from([x for x in DRAWN if x not in ("tesla-f", *PRESETS)])
    metrics = []
    for _ in range(draw(st.integers(1, 2))):
        metric = recipe_for(draw, draw(kinds), scene, of_one_language=True)
        if metric.kind == "celab":  # each order is a metric of its own
            metric = metric.having(max_order=draw(st.integers(1, 2)))
        metrics.append(metric)
    weights = st.lists(st.floats(-4, 4, allow_subnormal=False), max_size=7)
    return Model(
        tuple(metrics),
        draw(language_models(scene)),
        (draw(st.sampled_from([0.5, -2.0])), *draw(weights)),  # one at least is not 0
        scene.anchor,
    )


@st.composite
def mean_parts(draw: Any, scene: Scene) -> tuple[Recipe, ...]:
    """One to three metrics of one language whose references are combined by their mean."""
    kinds = st.sampled_from(["celab", "celab", "tesla-m", "tesla-s", "tesla-b"])
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        part = recipe_for(draw, draw(kinds), scene, of_one_language=True)
        parts.append(part if part.kind == "celab" else part.having(combine="mean"))
    return tuple(parts)


def tags(scene: Scene) -> Strategy:
    """Tags of function words."""
    return st.lists(st.sampled_from([tag for tag, _ in WORD_TAGS]), max_size=2)


# By the name of a parameter, or by metric and parameter; those without one are drawn as declared.
STRATEGIES: dict[str, Callable[[Scene], Strategy]] = {
    # Of a run. A limit that is reached is a law of its own (`hurried`).
    "jobs": lambda scene: st.sampled_from([1, 2, 3, 0]),
    "solver": lambda scene: st.sampled_from(["auto"] * 10 + ["check", "highs"]),  # these are slow
    "time_limit": lambda scene: st.floats(60.0, 1e9),
    # Of several metrics.
    "lang": lambda scene: st.just(scene.lang),
    "lexicon": lexicons,
    "counts": lambda scene: st.sampled_from([COUNTS, UNSPLIT]),
    "separator": lambda scene: st.just(scene.separator),
    "function_tags": tags,
    "analysis": lambda scene: st.sampled_from(
        ["tagged", "tagged", "surface"] if scene.form == "tagged" else ["surface", "rjieba"]
    ),
    "discount": lambda scene: st.sampled_from([0.001, 0.02, 0.1, 0.3, 0.5, 1.0]),
    # Of one metric.
    "celab.f": lambda scene: st.one_of(
        st.sampled_from([0.0, 0.25, 0.5, 1.0, 3, 1e6]), st.floats(0.0, 10.0)
    ),
    "celab.decay": lambda scene: st.integers(1, 100).map(lambda n: n / 100),
    "celab.length_limit": lambda scene: st.sampled_from([1, 1.0, 1.1, 1.15, 1.3, 2.0, 1000.0]),
    "celab.weights": token_weights,
    "celab.grades": gradings,
    "tesla-b.pivots": pivots,
    "tesla-f.model": models,
    "mean.metrics": mean_parts,
    "bleu.smooth_value": lambda scene: st.sampled_from([0.01, 0.1, 0.125, 0.5, 1.0]),
}
NEEDED = {"tesla-b": "pivots", "tesla-f": "model", "mean": "metrics"}


def recipe_for(draw: Any, kind: str, scene: Scene, of_one_language: bool = False) -> Recipe:
    """A metric with each argument either drawn or left at its default.

    With `of_one_language`, it has the scene's language, so that others can stand beside it.
    """
    return settled(kind, arguments_for(draw, kind, scene, of_one_language), scene)


def arguments_for(draw: Any, kind: str, scene: Scene, of_one_language: bool = False) -> Arguments:
    """Arguments of a metric, which may exclude each other."""
    needed = {NEEDED.get(kind), "lang" if of_one_language else None}
    names = parameters(kind)
    arguments: Arguments = {}
    for name, is_chosen in zip(names, digits(draw, 2, len(names)), strict=True):
        if name in needed or is_chosen:
            arguments[name] = draw(strategy_for(kind, name, scene))
    return arguments


def settled(kind: str, arguments: Arguments, scene: Scene) -> Recipe:
    """A metric by its arguments, without those that exclude others."""
    arguments = dict(arguments)
    if kind in SETTLE:
        SETTLE[kind](arguments, scene)
    return Recipe(kind, arguments)


def recipes_for(draw: Any, kind: str, scene: Scene) -> list[Recipe]:
    """A metric, and the same with each other value of each option.

    A lexicon, if it takes one, is that of the words that options read in different ways. An option
    without choices has one other value. How a metric runs is not varied.
    """

    def with_option_lexicon(arguments: Arguments) -> Arguments:
        if isinstance(grading := arguments.get("grades"), Graded) and grading.lexicon is not None:
            return arguments | {"grades": replace(grading, lexicon=OPTION_LEXICON)}
        return arguments

    lexicon = {"lexicon": OPTION_LEXICON} if "lexicon" in parameters(kind) else {}
    whole = with_option_lexicon(arguments_for(draw, kind, scene) | lexicon)
    recipes = [settled(kind, whole, scene)]
    for name in parameters(kind):
        field = option_field(kind, name)
        if field is None or name in {spec.name for spec in fields(Run)}:
            continue
        values = info_of(field).choices or [draw(strategy_for(kind, name, scene))]
        recipes += [
            settled(kind, with_option_lexicon(whole | {name: value}), scene) for value in values
        ]
    return recipes


# ---- what excludes what: one rule for each documented OptionError ----


def settle_celab(arguments: Arguments, scene: Scene) -> None:
    """TESLA-CELAB."""
    lang = arguments.get("lang")
    if arguments.get("tokenize") == "parts" and lang != "de":
        del arguments["tokenize"]  # "tokenize is 'parts' and lang is …; it must be 'de'"
    effective = language_defaults(
        lang, **{name: arguments.get(name) for name in ("max_order", "tokenize", "case")}
    )
    if effective.get("tokenize") != "parts":
        arguments.pop("counts", None)  # "counts are used only with tokenize='parts'"
    elif not scene.slow:
        arguments.setdefault("counts", COUNTS)  # in place of wordfreq
    if arguments.get("weights") == "information" and lang not in (None, "zh", "ja"):
        del arguments["weights"]  # "there are no information weights"
    grading = arguments.pop("grades", None)
    if grading is not None:
        arguments["grades"] = grading.grades
        arguments.pop("cilin_lines", None)  # "cilin_lines is …, but grades are given"
        arguments.pop("lexicon", None)  # "a lexicon is given that no grade uses"
        if grading.lexicon is not None:
            arguments["lexicon"] = grading.lexicon
    elif "lexicon" not in arguments and not scene.slow:
        arguments["lexicon"] = None  # the language's own takes a second to load
    elif arguments.get("lexicon", "default") == "default" and _lacks_lexicon(lang):
        arguments["lexicon"] = None  # "lexicon 'wordnet' is not installed"
    order = effective.get("max_order", default_of("celab", "max_order"))
    decay = arguments.get("decay")
    if decay is not None and not _decay_is_exact(decay, order):
        arguments["decay"] = round(decay, 1) or 0.5  # "needs numbers too large to be exact"


def settle_recommended(arguments: Arguments, scene: Scene) -> None:
    """TESLA-CELAB with the recommended settings."""
    if not scene.slow or _lacks_lexicon(arguments.get("lang")):
        arguments["lexicon"] = None  # the language's own takes a second to load


@functools.cache
def _lacks_lexicon(lang: str | None) -> bool:
    # Whether the lexicon of a language is not on this machine.
    return lang == "en" and installed_path("wordnet") is None


def _decay_is_exact(decay: float, order: int) -> bool:
    denominator = Fraction(round(100 * decay), 100).denominator
    common = math.lcm(*range(1, order + 1))
    return 100 * common * denominator ** (order - 1) < 2**31


def settle_tesla_m(arguments: Arguments, scene: Scene) -> None:
    """TESLA-M."""
    _settle_words(arguments, scene)
    if "counts" in arguments and (arguments.get("lang") != "de" or "analysis" in arguments):
        del arguments["counts"]  # "counts are used only to split German compounds"
    if arguments.get("lexicon", "default") == "default" and not scene.slow:
        arguments["lexicon"] = None  # the language's own takes a second to load
    order = arguments.get("max_order", default_of("tesla-m", "max_order"))
    most = 2 * order * bags.MAX_UNITS_PER_TEXT
    _settle_discount(arguments, order, most)


def settle_tesla_b(arguments: Arguments, scene: Scene) -> None:
    """TESLA-B."""
    settle_tesla_m(arguments, scene)
    if arguments.get("lang") is not None:  # "pivot table … is for language …, but lang is …"
        arguments["lang"] = scene.lang
    order = arguments.get("max_order", default_of("tesla-b", "max_order"))
    _settle_discount(arguments, order, bags.MAX_UNITS_PER_TEXT * _MAX_PIVOT_WORDS_PER_WORD * UNIT)


def _settle_discount(arguments: Arguments, order: int, most: int) -> None:
    discount = arguments.get("discount", default_of("tesla-m", "discount"))
    if Fraction(repr(discount)).denominator ** order * most >= 2**62:
        arguments["discount"] = 0.5  # "it must have fewer decimals at orders up to …"


def settle_tesla_s(arguments: Arguments, scene: Scene) -> None:
    """TESLA-S."""
    analysis, lang = arguments.get("analysis"), arguments.get("lang")
    unit = arguments.get("unit") or ("word" if analysis else SUMMARY_UNITS.get(lang or "zh"))
    if unit is None:  # "TESLA-S supports …; for other languages, give … unit='char'"
        unit = arguments["unit"] = "char"
    if unit == "char":
        for name in ("analysis", "separator", "function_tags"):  # "… is for words; leave it out"
            arguments.pop(name, None)
    else:
        _settle_words(arguments, scene)


def _settle_words(arguments: Arguments, scene: Scene) -> None:
    # Where words come from. Text that is not tagged cannot be read as tagged.
    lang, analysis = arguments.get("lang"), arguments.get("analysis")
    if analysis == "tagged" and scene.form != "tagged":
        analysis = None
    if analysis == "rjieba" and not (scene.slow and lang == "zh"):
        analysis = None  # "which is for language 'zh'"
    if analysis is None and not (scene.slow and lang in ("de", "en", "zh")):
        analysis = "surface"  # "TESLA-M needs words: give a language, or analysis"
    arguments.pop("analysis", None)
    if analysis is not None:
        arguments["analysis"] = analysis
    if analysis != "tagged":
        for name in ("separator", "function_tags"):  # "the analysis … has no option …"
            arguments.pop(name, None)
    elif scene.separator != "|":
        arguments["separator"] = scene.separator


def settle_tesla_f(arguments: Arguments, scene: Scene) -> None:
    """TESLA-F."""
    langs = {language(part) for part in arguments["model"].metrics} - {None}
    if langs and arguments.get("lang") not in (None, *langs):
        del arguments["lang"]  # "model … is for language …, but lang is …"


def settle_bleu(arguments: Arguments, scene: Scene) -> None:
    """BLEU."""
    if arguments.get("tokenize") in UNAVAILABLE:
        del arguments["tokenize"]  # "tokenize is 'ja-mecab'; it needs …"
    if arguments.get("smooth_method") not in ("floor", "add-k"):
        arguments.pop("smooth_value", None)  # "smooth_value is …; it is for …"


def language(recipe: Recipe) -> str | None:
    """The language of a metric of one part; None if it may have any."""
    if recipe.kind in SURFACE:
        return None
    return recipe.arguments.get("lang") or ("zh" if recipe.kind == "celab" else None)


SETTLE: dict[str, Callable[[Arguments, Scene], None]] = {
    "celab": settle_celab,
    "celab-recommended": settle_recommended,
    "tesla-m": settle_tesla_m,
    "tesla-b": settle_tesla_b,
    "tesla-s": settle_tesla_s,
    "tesla-f": settle_tesla_f,
    "bleu": settle_bleu,
}


def limits(rng: random.Random) -> Limits:
    """Limits of files that no text of a case reaches."""
    low = {field.name: max(1 << 20, info_of(field).between[0]) for field in fields(Limits)}
    return Limits(**{name: rng.randint(least, 1 << 30) for name, least in low.items()})
