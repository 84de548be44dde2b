"""The options of each metric, as fields of dataclasses that the metrics inherit.

`celab.base.options` says what an option is. Flags are made of these classes, also for metrics that
are not imported.

>>> TeslaCelabOptions(case="lower").signature_parts()[:3]
[('n', '4'), ('f', '0.25'), ('tok', 'char')]
>>> TeslaCelabOptions(case="upper")
Traceback (most recent call last):
celab.base.errors.OptionError: case is 'upper'; choose from keep, lower
"""

# Classes whose names end in Data have no constructor: metrics inherit their fields, and nothing is
# only one of them.
#
# Annotations are evaluated here, so that `inspect.signature` of a metric in another module has the
# types and not their names.

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

from celab.base.arguments import Arguments
from celab.base.errors import OptionError, Setting, nearest
from celab.base.options import MAX_ORDER, AnyPath, Options, option

# The values of options that are words.
Tokenize = Literal["char", "letter", "cluster", "space", "parts"]
FoldOrKeep = Literal["fold", "keep"]
Case = Literal["keep", "lower"]
Script = Literal["auto", "keep", "simplified", "traditional"]
OpenCC = Literal["t2s", "tw2s", "tw2sp", "hk2s"]
CilinLines = Literal["all", "="]
Links = Literal["paper", "release-2012"]
Similarities = Literal["ms+pos", "ms", "lem", "pos", "ms+lem", "lem+pos", "ms+lem+pos"]
Average = Literal["arithmetic", "geometric"]
Combine = Literal["mean", "max"]
Unit = Literal["char", "word"]
Punctuation = Literal["drop", "keep"]
Tags = Literal["keep", "drop", "brackets"]
Numerals = Literal["keep", "digits"]
Contractions = Literal["keep", "expand"]
Analysis = Literal["tagged", "surface", "rjieba"]
Smoothing = Literal["exp", "floor", "add-k", "none"]
RoleFeatures = Literal["lin", "c", "e", "ce"]
Kernel = Literal[
    "linear", "polynomial", "rbf"
]  # the names of `celab.trained.regression`, which loads NumPy
SacrebleuTokenizer = Literal[
    "13a",
    "zh",
    "char",
    "intl",
    "none",
    "ja-mecab",
    "ko-mecab",
    "flores101",
    "flores200",
    "spBLEU-1K",
    "spm",
]

# Sets of defaults of TESLA-CELAB; the first is the default.
PROFILES = ("paper", "recommended")
PROFILE_HELP = (
    "default settings of celab; those of the 2012 paper, or those recommended for the language;"
    " other options override them"
)

# Options of TESLA-CELAB whose defaults depend on the language.
LANGUAGE_DEFAULTS: dict[str, Arguments] = {
    "zh": {},
    "ja": {"script": "keep"},  # 買 and 傘 are Japanese, too
    "ko": {"script": "keep"},
    "de": {"tokenize": "parts", "case": "lower", "script": "keep"},
    "en": {"tokenize": "letter", "script": "keep"},
    **{lang: {"tokenize": "cluster", "script": "keep"} for lang in ("th", "lo", "km", "my")},
}

# Defaults with tokenize="letter", whatever the language.
_LETTERS = {"max_order": MAX_ORDER, "case": "keep"}

# Options of normalization, which several metrics have.
_WIDTH: Arguments = {
    "help": "fold full-width ASCII and the ideographic space, or keep them; ja: half-width kana,"
    " too; th: the vowel am in two letters, too",
    "key": "width",
    "choices": get_args(FoldOrKeep),
}
_CASE: Arguments = {
    "help": "keep letters as they are, or convert them to lower case",
    "key": "case",
    "choices": get_args(Case),
}
_SCRIPT: Arguments = {
    "help": "Chinese script; auto: convert texts with Traditional characters to Simplified;"
    " keep: convert nothing; or convert everything to one script",
    "key": "script",
    "choices": get_args(Script),
}
_OPENCC: Arguments = {
    "help": "OpenCC conversion to Simplified; tw2s, tw2sp: from Taiwan, tw2sp with its words;"
    " hk2s: from Hong Kong",
    "key": "conv",
    "choices": get_args(OpenCC),
}
_PUNCTUATION: Arguments = {
    "help": "tokens without a letter or digit; drop or keep them",
    "key": "punct",
    "choices": get_args(Punctuation),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaCelabOptions(Options):
    """Options of TESLA-CELAB. The lexicon is not among them, because it is data."""

    by_language = LANGUAGE_DEFAULTS

    max_order: int | None = option(
        None,
        "longest n-gram, in tokens; 6 with --tokenize letter",
        fallback=4,
        key="n",
        between=(1, MAX_ORDER),
    )
    f: float = option(0.25, "weight of precision; recall weighs 1", key="f", between=(0.0, 1e6))
    tokenize: Tokenize | None = option(
        None,
        "tokenization; char: characters, Latin words and numbers; letter: letters, digits"
        " and the spaces between words; cluster: as char, with the letter clusters of Thai, Lao,"
        " Khmer and Burmese; space: already tokenized; parts: words and parts of compounds"
        " (German)",
        fallback="char",
        key="tok",
        choices=get_args(Tokenize),
    )
    width: FoldOrKeep = option("fold", **_WIDTH)
    case: Case | None = option(None, fallback="keep", **_CASE)
    umlauts: FoldOrKeep = option(
        "keep",
        "keep umlauts and ß, or fold them: Größe as Groesse, Übung as Uebung",
        key="uml",
        choices=("keep", "fold"),
        omit_default_from_signature=True,
    )
    script: Script | None = option(None, fallback="auto", **_SCRIPT)
    opencc: OpenCC = option("t2s", **_OPENCC)
    cilin_lines: CilinLines = option(
        "all",
        "lines of a Cilin file that make synonyms; all, or '=' lines only",
        key="lines",
        choices=get_args(CilinLines),
    )
    links: Links = option(
        "paper",
        "linking rules; paper: the three rules of 2012; release-2012: those of the"
        " authors' program",
        key="links",
        choices=get_args(Links),
    )
    weights: AnyPath = option(
        "unit",
        "weights of n-grams; unit: all the same; information: by how rare their characters"
        " are (Chinese, Japanese); references: by how few references have their tokens; or a table"
        " of tokens and weights, separated by tabs",
        key="weights",
        omit_default_from_signature=True,
        metavar="NAME|PATH",
    )
    decay: float | None = option(
        None,
        "factor of an n-gram's weight for each token after the first, with at most two decimals",
        fallback=1.0,
        other_defaults="0.5 with weights other than unit",
        key="decay",
        between=(0.01, 1.0),
        omit_default_from_signature=True,
    )
    length_limit: float | None = option(
        None,
        "maximum length ratio of output and reference, beyond which the score falls in"
        " proportion, with at most two decimals (default: no limit)",
        key="len",
        between=(1.0, 1000.0),
        omit_default_from_signature=True,
        metavar="X",
    )


def lexicon_names() -> Iterable[str]:
    """Return the names of lexicons, for completion in a shell; a file is one, too."""
    from celab.lexicon import catalog

    return (*catalog.EXTERNAL_LEXICONS, *catalog.bundled_names(), "none")


def language_names() -> Iterable[str]:
    """Return the codes of the languages that have defaults, for completion in a shell."""
    return LANGUAGE_DEFAULTS


_LEXICON: Arguments = {
    "default": "default",
    "help": "synonym lexicon (default: by language); cilin for Chinese, de-core for German, wordnet"
    " for English, none with --tokenize letter; also zh-core, the path of a .lex file or of a"
    " source in a known format, or none; several are merged",
    "metavar": "NAME|PATH",
    "group": "Lexicon",
    "items": "lexicons",
    "repeats": True,
    "known_names": lexicon_names,
}
_LANG: Arguments = {
    "default": None,
    "help": "target language (default: zh); celab: zh, ja, ko, de (compound parts as tokens), en"
    " (letters), th, lo, km or my (letter clusters); tesla-m and tesla-b: de, en or zh; tesla-s:"
    " zh, ja, ko, de or en; bleu and ter: any, for the tokenization; cer, mer and"
    " ROUGE: any; Chinese script is converted only for zh",
    "metavar": "LANG",
    "file": "none",
    "known_names": language_names,
}
_COUNTS: Arguments = {
    "default": None,
    "help": "German: a corpus, or a table of words and counts, for splitting compounds (default:"
    " wordfreq's)",
    "metavar": "FILE",
}


@dataclass(frozen=True, init=False, kw_only=True, eq=False, repr=False)
class TeslaCelabData(Options):
    """Inputs of TESLA-CELAB: its language and files."""

    lexicon: AnyPath | Sequence[AnyPath] | None = option(**_LEXICON)
    lang: str | None = option(**_LANG)
    counts: AnyPath | None = option(**_COUNTS)
    grades: Mapping[str, float] | float | None = option(
        None,
        "credits of synonyms, from the finest grade to the coarsest (default: full credit), such"
        " as '=:1,#:0.7,Cilin level 4:0.3' or 'zh-core:1,my.tsv:0.6', or one credit for the whole"
        " lexicon; a key is a part of Cilin, or the name or path of a lexicon, whose credit is that"
        " of the synonyms that it adds",
        metavar="CREDITS",
        group="Lexicon",
    )


def language_defaults(lang: str | None, **explicit: object) -> Arguments:
    """Return the defaults of a language; `explicit` options win, unless they are None.

    >>> language_defaults("de", case="keep", script=None)
    {'tokenize': 'parts', 'case': 'keep', 'script': 'keep'}
    >>> language_defaults("en", max_order=None)
    {'tokenize': 'letter', 'script': 'keep', 'max_order': 6, 'case': 'keep'}
    """
    if lang is not None and lang not in LANGUAGE_DEFAULTS:
        if close := nearest(lang, LANGUAGE_DEFAULTS):
            raise OptionError("lang", lang, f"did you mean {close!r}?")
        raise OptionError(
            "lang",
            lang,
            (
                f"TESLA-CELAB supports {', '.join(LANGUAGE_DEFAULTS)}; for other languages, give ",
                Setting("tokenize", "letter"),
                ", or ",
                Setting("tokenize", "space"),
                " for text that is tokenized, without ",
                Setting("lang"),
            ),
        )
    explicit = {name: value for name, value in explicit.items() if value is not None}
    options = LANGUAGE_DEFAULTS[lang or "zh"] | explicit
    return options | _LETTERS | explicit if options.get("tokenize") == "letter" else options


_ALPHA: Arguments = {
    "default": 0.8,
    "help": "weight of recall in F",
    "key": "alpha",
    "between": (0.0, 1.0),
}
_DISCOUNT: Arguments = {
    "default": 0.1,
    "help": "factor of an n-gram's weight for each function word",
    "key": "discount",
    "between": (0.001, 1.0),
}
_COMBINE: Arguments = {
    "help": "score over the references of a segment; their mean, or the highest",
    "key": "combine",
    "choices": get_args(Combine),
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaMOptions(Options):
    """Options of TESLA-M, without language, analysis and lexicon."""

    max_order: int = option(3, "longest n-gram, in words", key="n", between=(1, 6))
    alpha: float = option(**_ALPHA)
    discount: float = option(**_DISCOUNT)
    similarities: Similarities = option(
        "ms+pos",
        "word similarities, joined by +; ms: lemma, synonyms, tag; lem: lemma; pos: tag",
        key="sim",
        choices=get_args(Similarities),
    )
    average: Average = option(
        "arithmetic",
        "mean over the F of all orders and similarities",
        key="avg",
        choices=get_args(Average),
    )
    combine: Combine = option("mean", **_COMBINE)


@dataclass(frozen=True, init=False, kw_only=True, eq=False, repr=False)
class WordData(Options):
    """Language and analysis of a metric of words."""

    lang: str | None = option(**_LANG)
    analysis: Analysis | None = option(
        None,
        "tesla-m, tesla-s, tesla-b: analyzer to use instead of the default one of the language:"
        " word|lemma|TAG in the text, surface forms only, or words by rjieba (Chinese)",
        choices=get_args(Analysis),
    )
    separator: str | None = option(
        None,
        "tesla-m, tesla-s, tesla-b: separator in tagged words (default: |)",
        metavar="TEXT",
        file="none",
    )
    function_tags: Sequence[str] | None = option(
        None,
        "tesla-m, tesla-s, tesla-b: tags of function words in tagged text, separated by commas",
        metavar="TAGS",
        items="tags",
        file="none",
    )


@dataclass(frozen=True, init=False, kw_only=True, eq=False, repr=False)
class TeslaMData(WordData):
    """Inputs of TESLA-M: language, analysis and files."""

    lexicon: AnyPath | Sequence[AnyPath] | None = option(**_LEXICON)
    counts: AnyPath | None = option(**_COUNTS)


@dataclass(frozen=True, init=False, kw_only=True, eq=False, repr=False)
class TeslaBData(TeslaMData):
    """Inputs of TESLA-B: those of TESLA-M, and pivot tables."""

    pivots: Any = option(
        (),
        "tesla-b: pivot table, made by celab pivot build; may be repeated",
        metavar="FILE",
        repeats=True,
    )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TeslaFData(Options):
    """Inputs of TESLA-F: its model, and the language that the model must be for."""

    model: AnyPath | None = option(
        None,
        "tesla-f, dicomer, cremer: model, made by celab train",
        metavar="FILE",
        positional=True,
    )
    lang: str | None = option(**_LANG, positional=True)


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DiscourseData(TeslaFData):
    """Inputs of DICOMER and CREMER: the model, its language, and relations."""

    relations: AnyPath | None = option(
        None,
        "dicomer, cremer: folder with relations.json and parses.json of the texts, as of CoNLL 2016"
        " (default: relations by connectives)",
        metavar="FOLDER",
    )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class BaselineData(Options):
    """The language that decides the tokenization of a baseline."""

    lang: str | None = option(**_LANG, positional=True)


# sacreBLEU's tokenization for a language. Its own for Japanese and Korean need more packages, and
# to 13a a sentence of Thai, Lao, Khmer or Burmese, which has no white space, is one word.
TOKENIZERS = {"zh": "zh"} | dict.fromkeys(("ja", "ko", "th", "lo", "km", "my"), "char")
OTHER_TOKENIZER = "13a"
CUT_BY_TER = ("zh", "ja", "ko")  # TER cuts characters of these scripts alone
_BLEU_DEFAULTS = {
    lang: {"tokenize": TOKENIZERS.get(lang, OTHER_TOKENIZER)} for lang in LANGUAGE_DEFAULTS
}
_TER_DEFAULTS = {lang: {"asian_support": True, "normalized": True} for lang in CUT_BY_TER}
SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}  # sacreBLEU's defaults; the others have no value


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BleuOptions(Options):
    """Options of sacreBLEU's BLEU, with its names and flags."""

    by_language = _BLEU_DEFAULTS

    tokenize: SacrebleuTokenizer | None = option(
        None,
        "sacreBLEU's tokenization; ja-mecab, ko-mecab, flores101, flores200 and spBLEU-1K need more"
        " packages or files",
        fallback="zh",
        other_defaults="13a in other languages",
        key="tok",
        choices=get_args(SacrebleuTokenizer),
        metavar="NAME",
        flags="--bleu-tokenize -tok",
    )
    lowercase: bool = option(
        False, "convert letters to lower case", key="case", flags="--lowercase -lc"
    )
    smooth_method: Smoothing = option(
        "exp",
        "smoothing of n-gram orders without a match",
        key="smooth",
        choices=get_args(Smoothing),
    )
    smooth_value: float | None = option(
        None,
        "value of the smoothing floor or add-k",
        fallback=0.1,
        other_defaults="1 with add-k",
        key="value",
        between=(0.0, 1e6),
        flags="--smooth-value -sv",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChrfOptions(Options):
    """Options of sacreBLEU's chrF and chrF++, with its names and flags."""

    char_order: int = option(
        6, "longest n-gram, in characters", key="nc", between=(1, 20), flags="--chrf-char-order -cc"
    )
    beta: int = option(
        2,
        "recall weighs beta² as much as precision",
        key="beta",
        between=(0, 100),
        flags="--chrf-beta",
    )
    whitespace: bool = option(
        False, "count white space as characters", key="space", flags="--chrf-whitespace"
    )
    lowercase: bool = option(
        False, "convert letters to lower case", key="case", flags="--chrf-lowercase"
    )
    eps_smoothing: bool = option(
        False,
        "epsilon smoothing of orders without n-grams, instead of leaving them out",
        key="eff",
        flags="--chrf-eps-smoothing",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ChrfWordOptions(Options):
    """The option of chrF that chrF++ does not have, because it is chrF with words."""

    word_order: int = option(
        0,
        "longest n-gram, in words; 2 makes chrF++",
        key="nw",
        between=(0, 20),
        flags="--chrf-word-order -cw",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TerOptions(Options):
    """Options of sacreBLEU's TER, with its names and flags."""

    by_language = _TER_DEFAULTS

    case_sensitive: bool = option(False, "keep case", key="case", flags="--ter-case-sensitive")
    asian_support: bool | None = option(
        None,
        "if text is normalized, cut Asian text into characters; if punctuation is dropped, drop"
        " that of Asian text, too; the default for zh, ja and ko",
        fallback=False,
        key="asian",
        flags="--ter-asian-support",
    )
    no_punct: bool = option(False, "drop punctuation", key="punct", flags="--ter-no-punct")
    normalized: bool | None = option(
        None,
        "normalize and tokenize; the default for zh, ja and ko",
        fallback=False,
        key="norm",
        flags="--ter-normalized",
    )


# Units that TESLA-S counts, by language.
SUMMARY_UNITS = {"zh": "char", "ja": "char", "ko": "char", "de": "word", "en": "word"}
_SCRIPT_DEFAULTS = {lang: {"script": "keep"} for lang in LANGUAGE_DEFAULTS if lang != "zh"}
_UNIT_DEFAULTS = {lang: {"unit": unit} for lang, unit in SUMMARY_UNITS.items()}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TeslaSOptions(Options):
    """Options of TESLA-S, without language and analysis."""

    by_language = _UNIT_DEFAULTS

    unit: Unit | None = option(
        None, "unit of n-grams", fallback="char", key="unit", choices=get_args(Unit)
    )
    skip: int = option(
        4, "maximum number of units between the two of a skip bigram", key="skip", between=(0, 100)
    )
    across: bool = option(False, "let skip bigrams cross line breaks in a summary", key="across")
    alpha: float = option(**_ALPHA)
    discount: float = option(**_DISCOUNT)
    case: Case = option("lower", **_CASE)
    punctuation: Punctuation = option("drop", **_PUNCTUATION)
    combine: Combine = option("max", **_COMBINE)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DicomerOptions(Options):
    """Options of DICOMER."""

    features: RoleFeatures | None = option(
        None,
        "features of a text; lin: role transitions; c: also pairs of roles in a cell; e: also roles"
        " of explicit relations, separately; ce: all",
        fallback="ce",
        key="features",
        choices=get_args(RoleFeatures),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CremerOptions(DicomerOptions):
    """Options of CREMER: those of DICOMER, and the kernel."""

    kernel: Kernel | None = option(
        None,
        "kernel of the support vector regression",
        fallback="rbf",
        key="kernel",
        choices=get_args(Kernel),
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CharacterOptions(Options):
    """Options of CER and MER: how texts are normalized."""

    by_language = _SCRIPT_DEFAULTS
    umlauts: ClassVar = "keep"

    width: FoldOrKeep = option("fold", **_WIDTH)
    case: Case = option("lower", **_CASE)
    script: Script | None = option(None, fallback="auto", **_SCRIPT)
    opencc: OpenCC = option("t2s", **_OPENCC)
    punctuation: Punctuation = option("drop", **_PUNCTUATION)
    tags: Tags = option(
        "keep",
        "marks of transcripts, such as <unk>, [laughter] and %HESITATION; count them as text, drop"
        " them, or drop all that is in brackets, as Whisper's normalizers do",
        key="tags",
        choices=get_args(Tags),
        omit_default_from_signature=True,
    )
    apostrophes: FoldOrKeep = option(
        "keep",
        "write ’ and similar characters as ', so that it’s and it's are one word",
        key="apos",
        choices=("keep", "fold"),
        omit_default_from_signature=True,
    )
    numerals: Numerals = option(
        "keep",
        "write Chinese numerals in digits: 二十三 as 23, 百分之五十 as 50%, and even 一起 as 1起",
        key="num",
        choices=get_args(Numerals),
        omit_default_from_signature=True,
    )
    contractions: Contractions = option(
        "keep",
        "expand English contractions and titles, as Whisper's normalizer: won't as will not, 's as"
        " is, Dr as doctor; apostrophes are folded",
        key="contr",
        choices=get_args(Contractions),
        omit_default_from_signature=True,
    )
    fillers: Punctuation = option(
        "keep",
        "drop the words hmm, mm, mhm, mmm, uh and um, as Whisper's normalizer",
        key="fill",
        choices=("keep", "drop"),
        omit_default_from_signature=True,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RougeOptions(CharacterOptions):
    """Options of ROUGE: those of CER, but punctuation counts."""

    punctuation: Punctuation = option("keep", **_PUNCTUATION)
