"""One name, one number: every door gives the same score, signature and title for the same name."""

import contextlib
import inspect
import re
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest
from conftest import ROOT, each_pair

import celab
from celab.base.signature import Signature
from celab.cli.main import COMMANDS
from celab.metrics.mean import Mean
from celab.metrics.registry import METRICS, RECOMMENDED, arguments_of, metric_class, title_of
from doors.doors import DOORS, Texts, same_signature

# The second Chinese output is longer than the limit of the recommended settings.
TEXTS = {
    "zh": Texts(
        ("我有个闺女。", "他买伞，他买了一把伞，去北京"), ("我有一个女儿。", "他买雨伞去北京")
    ),
    "ja": Texts(("傘を買った。", "東京へ行く"), ("雨傘を買いました。", "東京に行きます")),
    "ko": Texts(("우산을 샀다.", "서울에 간다"), ("우산을 샀습니다.", "서울로 갑니다")),
    "de": Texts(("Der Schirm ist neu.", "Er geht"), ("Der Regenschirm ist neu.", "Er geht aus")),
    "en": Texts(("He bought an umbrella.", "He goes"), ("He bought the umbrella.", "He went")),
    "th": Texts(("ฉันซื้อร่ม", "เขาไป"), ("ผมซื้อร่ม", "เขาไปแล้ว")),
}
# Of several sentences, for metrics of discourse.
DISCOURSE = Texts(
    (
        "The river rose. So the bridge closed. But drivers crossed the bridge.",
        "The coach shouted. The team lost. Then the team won the game.",
    ),
    (
        "Drivers crossed the bridge. The river rose. But the bridge closed.",
        "The team lost. The coach shouted. So the team won the game.",
    ),
)
# Of speech, where each option of transcripts changes what counts.
TRANSCRIPTS = Texts(
    ("<unk> 今天二十三度了，it’s ok", "um we won't go [laughter] 去东京吧"),
    ("今天23度 it's ok", "we will not go 去北京"),
)
OF_TRANSCRIPTS = {
    "tags": "drop",
    "apostrophes": "fold",
    "numerals": "digits",
    "contractions": "expand",
    "fillers": "drop",
}
ZH = TEXTS["zh"].hyps, [TEXTS["zh"].refs]
# Options over a preset: one of its own, one that it lacks, another lexicon, none, grades.
GIVEN = (
    {"decay": 0.6},
    {"max_order": 2},
    {"lexicon": None},
    {"lexicon": "default"},
    {"length_limit": 1.1},
    {"grades": {"words.tsv": 1, "more.tsv": 0.6}},
)
CASES = [
    *(("celab", {"lang": lang}) for lang in TEXTS),
    *(("celab-recommended", {"lang": lang}) for lang in TEXTS),
    *((name, {}) for name in METRICS if name != "tesla-b" and "model" not in arguments_of(name)),
    *(("celab-recommended", given) for given in GIVEN),
    ("celab-recommended", {"lang": "de", "grades": {"words.tsv": 1, "more.tsv": 0.6}}),
    ("celab", {"grades": {"=": 1, "#": 0.5}}),
    ("celab", {"lexicon": ["zh-core", "lists/own.tsv"], "grades": {"zh-core": 1, "own": 0.6}}),
    ("tesla-b", {"lang": "zh", "pivots": ["table.pivot"]}),
    ("tesla-f", {"model": "tesla-f.json"}),
    ("dicomer", {"model": "dicomer.json"}),
    ("dicomer", {"lang": "en", "model": "dicomer.json", "features": "ce"}),
    ("cremer", {"model": "cremer.json"}),
]
# Languages as people write them.
WRITTEN = {"zh-CN": "zh", "zh-TW": "zh", "zh_Hans": "zh", "cmn": "zh", "jp": "ja"}
CASES += [
    *(("celab", {"lang": lang}) for lang in WRITTEN),
    *((name, {"lang": "zh-CN"}) for name in ("celab-recommended", "tesla-m", "tesla-s", "chrf")),
    *(("bleu", {"lang": lang}) for lang in ("zh_Hans", "jp")),
    ("tesla-b", {"lang": "zh-CN", "pivots": ["table.pivot"]}),
    ("tesla-f", {"lang": "cmn", "model": "tesla-f.json"}),
]
# sacreBLEU's options.
CASES += [
    ("bleu", {"tokenize": "char", "lowercase": True}),
    ("bleu", {"smooth_method": "floor", "smooth_value": 0.125}),
    ("chrf", {"char_order": 3, "whitespace": True, "lowercase": True}),
    ("chrf++", {"eps_smoothing": True}),
    ("ter", {"no_punct": True, "case_sensitive": True}),
    ("cer", {"punctuation": "keep", "case": "keep", "script": "keep"}),
    ("mer", {"lang": "jp", "width": "keep"}),
    ("rouge2", {"punctuation": "drop", "opencc": "tw2sp"}),
]
CASES += [
    *(("mer", {name: value}) for name, value in OF_TRANSCRIPTS.items()),
    *((name, OF_TRANSCRIPTS) for name in ("cer", "mer", "rouge1", "rougeL")),
    ("mer", {"tags": "brackets"}),
]
# What gives no score by the name of a metric, and why.
NO_DOORS = {
    "celab": {
        "Mean": "takes metrics",
        "align": "cuts text, without metrics",
        "board": "shows scores that are stored",
        "check": "finds outputs that may not be translations, and gives no score",
        "unwrap": "takes texts out of answers, without metrics",
        **{entry.class_name: "the door `class`" for entry in METRICS.values()},
        "Pem": "is a metric of its own, without names",
        "lexicon": "reads lexicons",
        "terms": "looks for terms; the metric only says what stands in their place",
        "pivot": "reads tables",
        "report": "shows results",
        "significance": "tests scores",
        "split_compound": "splits words",
        "testing": "asserts by the door `celab.compare`, and gives no score",
    },
    "commands": {
        "align": "cuts text, without metrics",
        "board": "shows scores that are stored",
        "check": "finds outputs that may not be translations, and gives no score",
        "para": "PEM, without names",
        "pivot": "builds tables",
        "serve": "starts the server: the doors `POST …`",
        "terms": "looks for terms; the metric only says what stands in their place",
    },
    "addresses": {"/columns": "reads the columns of a table", "/lookup": "reads lexicons"},
}


@cache
def expected_score(case):
    """Return the metric of a case, by its place in `CASES`, and the score of its texts."""
    name, options = CASES[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        metric = expected(name, options)
    texts = texts_of(options)
    return metric, metric.corpus_score(texts.hyps, [texts.refs])


def texts_of(options):
    """Return texts in the language of the options."""
    if options.get("model") in ("dicomer.json", "cremer.json"):
        return DISCOURSE
    if not OF_TRANSCRIPTS.keys().isdisjoint(options):
        return TRANSCRIPTS
    lang = options.get("lang", "zh")
    return TEXTS[WRITTEN.get(lang, lang)]


def expected(name, options):
    """Return the metric of a name, put together by hand from its class and the preset's views."""
    options = {k: v for k, v in options.items() if (k, v) != ("lexicon", "default")}
    if "lang" in options:
        options["lang"] = WRITTEN.get(options["lang"], options["lang"])
    if not METRICS[name].preset:
        return metric_class(name)(**options)
    lang = options.get("lang", "zh")
    views = []
    for preset in RECOMMENDED.get(lang, ({},)):
        view = {"lang": lang} | preset | options
        if "grades" in options and "lexicon" not in options:
            if preset.get("lexicon", "") is None:
                del view["grades"]
            else:
                view.pop("lexicon", None)
        views.append(metric_class(name)(**view))
    return views[0] if len(views) == 1 else Mean(views)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The files that options name."""
    folder = tmp_path_factory.mktemp("doors")
    words = "闺女\t女儿\nSchirm\tRegenschirm\n"
    (folder / "words.tsv").write_text(words, "utf-8")
    (folder / "more.tsv").write_text(f"{words}伞\t雨伞\nneu\talt\n", "utf-8")
    (folder / "lists").mkdir()
    (folder / "lists" / "own.tsv").write_text("有个\t有一个\n", "utf-8")
    return folder


@pytest.fixture(scope="module", autouse=True)
def files(folder):
    """Work in that folder: one for the session, since a worker may return to this module."""
    with contextlib.chdir(folder):
        yield


def values_of(options):
    """Return what sets a case apart from others: its language, and which options it has."""
    lang = options.get("lang", "zh")
    return f"lang {WRITTEN.get(lang, lang)}", f"written {lang in WRITTEN}", *options


@cache
def make_files(name):
    """Make what metrics with a model, and TESLA-B, read."""
    if name == "tesla-b":
        phrases = {"雨伞": [("umbrella", 1.0)], "伞": [("umbrella", 1.0)]}
        with open("phrases.tsv", "w", encoding="utf-8") as file:
            for phrase, translations in phrases.items():
                for translation, probability in translations:
                    print(phrase, translation, probability, sep="\t", file=file)
        celab.pivot.build("phrases.tsv", "table.pivot", lang="zh")
    if name == "tesla-f":
        DOORS["celab train"].open("celab", {}, TEXTS["zh"])
        Path("model.json").rename("tesla-f.json")
    if name in ("dicomer", "cremer"):
        pytest.importorskip("sklearn", reason="scikit-learn (extra train) is not installed")
        pytest.importorskip("HanTa", reason="HanTa (extra en) is not installed")
        topics = [[*pair] * 5 for pair in zip(DISCOURSE.hyps, DISCOURSE.refs, strict=True)]
        ratings = [[2, 1] * 5] * 2
        if name == "dicomer":
            celab.Dicomer(lang="en").fit(topics, ratings).save("dicomer.json")
        else:
            fitted = celab.Cremer(lang="en").fit(topics, DISCOURSE.refs, ratings)
            fitted.save("cremer.json")


@pytest.mark.parametrize(
    ("door", "name", "options"),
    each_pair(
        [(name, *case) for name, door in DOORS.items() for case in CASES if door.takes(*case)],
        lambda case: (case[0], f"name {case[1]}", *values_of(case[2])),
    ),
    ids=str,
)
def test_a_name_is_the_same_metric_through_every_door(door, name, options):
    if options.get("lang") == "de" and not find_spec("HanTa"):
        pytest.skip("the extra de is not installed")
    make_files(name)
    metric, score = expected_score(CASES.index((name, options)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = DOORS[door].open(name, options, texts_of(options))
    digits = 9 if answer.digits is None else answer.digits
    if answer.system is not None:
        assert answer.system == pytest.approx(score.score, abs=0.51 * 10**-digits)
    if answer.segments is not None:
        scores = score.segments.scores.tolist()
        assert list(answer.segments) == pytest.approx(scores, abs=0.51 * 10**-digits)
    if answer.signature is not None:
        assert same_signature(answer.signature, score.signature)
    for view in getattr(metric, "parts", (metric,)) if answer.features else ():
        assert any(same_signature(feature, view.signature) for feature in answer.features)
    if answer.title is not None:
        given = {k: v for k, v in options.items() if k != "lang" and v != "default"}
        assert answer.title.startswith(title_of(name).rstrip(")"))
        assert (answer.title == title_of(name)) == (not METRICS[name].preset or not given)


def test_the_texts_show_a_limit_of_length():
    limits = (("celab-recommended", {}), ("celab-recommended", {"length_limit": 1.1}))
    scores = [expected_score(CASES.index(case))[1].score for case in limits]
    assert len({*scores, celab.recommended(length_limit=1000).corpus_score(*ZH).score}) == 3


def test_titles_name_the_options_that_replace_a_preset():
    titles = {
        "TESLA-CELAB (recommended)": {"jobs": 2, "lexicon": "zh-core"},
        "TESLA-CELAB (recommended, max_order 2)": {"max_order": 2},
        "TESLA-CELAB (recommended, lexicon none, f 1)": {"lexicon": None, "f": 1.0},
        "TESLA-CELAB (recommended, grades words.tsv:1+more.tsv:0.6)": {
            "grades": {"words.tsv": 1, "more.tsv": 0.6}
        },
    }
    for title, options in titles.items():
        metric = celab.recommended("zh", **options)
        assert title_of(metric.signature) == title
        assert metric.corpus_score(["伞"], [["伞"]]).name == title


def test_two_metrics_never_share_a_heading():
    metrics = {"a": celab.TeslaCelab(), "b": celab.TeslaCelab(f=1.0), "c": celab.recommended()}
    compared = celab.compare(["买伞"], ["买"], ["买雨伞"], metrics)
    names = [metric.name for metric in compared.metrics.values()]
    assert names == ["a", "b", "TESLA-CELAB (recommended)"]


def test_scores_of_references_that_decide_weights_keep_the_title():
    metric = celab.recommended("zh", weights="references")
    score = metric.corpus_score(["买伞", "去"], [["买雨伞", "去北京"]])
    assert score.name == "TESLA-CELAB (recommended, weights references)"


# ---- no door is forgotten -----------------------------------------------------------------------


def test_every_public_function_and_class_that_scores_is_a_door():
    for name in celab.__all__:
        value = getattr(celab, name)
        is_error = inspect.isclass(value) and issubclass(value, Exception | Warning)
        is_result = name in ("Score", "SegmentScore", "__version__", "integrations")
        if is_error or is_result:
            continue
        assert f"celab.{name}" in DOORS or name in NO_DOORS["celab"], name
        assert isinstance(value, ModuleType) or callable(value)


def test_every_adapter_is_a_door():
    adapters = [module.name for module in iter_modules(celab.integrations.__path__)]
    adapters += ["evaluate"]  # a folder that Hugging Face's package loads
    for name in adapters:
        assert f"celab.integrations.{name}" in DOORS, name


def test_every_command_that_scores_is_a_door():
    for command in COMMANDS:
        is_door = any(door.startswith(f"celab {command}") for door in DOORS)
        assert is_door != (command in NO_DOORS["commands"]), command


def test_every_address_that_scores_is_a_door():
    source = (ROOT / "celab" / "serve" / "app.py").read_text("utf-8")
    addresses = re.findall(r'@post\(\s*"([^"]+)"', source)
    assert "/score" in addresses
    for address in addresses:
        assert (f"POST {address}" in DOORS) != (address in NO_DOORS["addresses"]), address


def test_the_version_and_the_references_are_all_that_signatures_may_differ_in():
    metric = Signature("celab", [("refs", "1"), ("n", "4"), ("v", "0.5.0")])
    assert same_signature(metric, "celab|n:4") and not same_signature(metric, "celab|n:3")
