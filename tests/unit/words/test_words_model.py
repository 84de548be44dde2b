"""Words of sentences: the tagged form, three languages, and the cache around them."""

import pickle
import subprocess
import sys
from unittest.mock import Mock

import pytest
from conftest import ROOT

import celab
from celab.base.errors import InputError, OptionError, SentenceError
from celab.words import analyzers, model
from celab.words.analyzers import FUNCTION_TAGS, LANGUAGES, CachedAnalyzer, Tagged, analyzer
from celab.words.model import Word

PACKAGES = {"de": ("HanTa", "simplemma"), "en": ("HanTa",), "zh": ("jieba",)}


@pytest.fixture
def words_of():
    """Words of one sentence, in a language whose packages are here."""

    def analyzed(lang, sentence, **options):
        for package in PACKAGES[lang]:
            pytest.importorskip(package)
        return analyzer(lang, **options).analyze([sentence])[0]

    return analyzed


def fields(words, *names):
    return [tuple(getattr(word, name) for name in names) for word in words]


# Tagged


def test_tagged_words():
    assert Tagged().analyze(["The|the|DT  dogs|dog|NNS", ""]) == [
        (Word("The", "the", "DT", True), Word("dogs", "dog", "NNS", False)),
        (),
    ]


@pytest.mark.parametrize("blank", [" ", "\u3000", "\u200b", "\t"])
def test_a_blank_tagged_sentence_is_an_absent_reference(blank):
    assert Tagged().analyze([blank]) == [()]
    metric = celab.TeslaM(analysis="tagged", lexicon=None)
    alone = metric.sentence_score("a|a|NN", ["a|a|NN"])
    assert metric.sentence_score("a|a|NN", ["a|a|NN", blank]).score == alone.score
    assert metric.sentence_score(blank, ["a|a|NN"]).score == 0.0


def test_a_word_may_hold_the_separator():
    assert Tagged().analyze(["a|b|a|NN"]) == [(Word("a|b", "a", "NN", False),)]
    assert Tagged("_/").analyze(["x_y_/x_/NN"]) == [(Word("x_y", "x", "NN", False),)]


@pytest.mark.parametrize("token", ["dog", "dog|NN", "|dog|NN", "dog||NN", "dog|dog|", "||"])
def test_a_field_that_is_missing_is_an_error_with_sentence_and_token(token):
    cached = CachedAnalyzer(Tagged())
    good = [f"{i}|{i}|CD" for i in range(250)]
    cached.analyze(good)
    for sentences in (["a|a|DT", f"a|a|DT {token}"], [*good, *good, token]):
        for analyze in (Tagged().analyze, cached.analyze):
            with pytest.raises(SentenceError) as caught:
                analyze(sentences)
            error = caught.value
            assert (error.sentence, error.stream) == (len(sentences), None)
            assert error.what.startswith(f"token {token!r} has ")
            assert str(error) == f"sentence {len(sentences)}: {error.what}"


@pytest.mark.parametrize(
    ("stream", "beginning"),
    [(0, "sentence 2 of the hypotheses: "), (1, "sentence 2 of reference 1: ")],
)
def test_a_metric_can_say_of_which_stream_an_error_is(stream, beginning):
    error = pickle.loads(pickle.dumps(SentenceError(2, "token 'x' is bad").of(stream)))
    assert (error.sentence, error.what, error.stream) == (2, "token 'x' is bad", stream)
    assert str(error) == f"{beginning}token 'x' is bad"


def test_placeholders_of_treetagger_are_no_lemmas():
    (words,) = Tagged().analyze(["Foo|<unknown>|NN 12|@card@|CARD"])
    assert [word.lemma for word in words] == ["Foo", "12"]


def test_function_tags_are_an_option_and_in_the_name():
    tagged = Tagged(function_tags=["NN"])
    assert fields(tagged.analyze(["a|a|DT b|b|NN"])[0], "function") == [(False,), (True,)]
    assert Tagged().name == Tagged("/").name == "tagged"
    assert tagged.name.startswith("tagged@")
    assert tagged.name != Tagged(function_tags=["DT"]).name
    assert tagged.name == Tagged(function_tags={"NN"}).name


def test_default_function_tags_over_three_tag_sets():
    assert set("DT IN CC MD ART APPR KON VAFIN DET ADP".split()) <= FUNCTION_TAGS
    content = "NN NNS VB VBZ JJ RB CD NE VVFIN ADJA ADV CARD NOUN PROPN VERB ADJ NUM X"
    assert not FUNCTION_TAGS & set(content.split())


# Surface


def test_surface_forms():
    (words,) = analyzer("surface").analyze(["Štastný nový-rok, 3.5!"])
    assert words[1] == Word("nový-rok", "nový-rok", "", False)
    assert fields(words, "lemma") == [("štastný",), ("nový-rok",), (",",), ("3.5",), ("!",)]


# German


def lemmas(words):
    """Return forms and lemmas, with a star after function words."""
    return " ".join(f"{word.form}/{word.lemma}{'*' * word.function}" for word in words)


def test_german_words(words_of):
    words = words_of("de", "Die Männer kauften z.B. 3,5 Kilo, weil es in Berlin geregnet hatte.")
    assert lemmas(words) == (
        "Die/der* Männer/Mann kauften/kaufen z.B./z.b. 3,5/3,5 Kilo/Kilo ,/,* weil/weil* es/es*"
        " in/in* Berlin/Berlin geregnet/regnen hatte/haben* ./.*"
    )
    assert [words[i].tag for i in (0, 1, 2, 12)] == ["ART", "NN", "VVFIN", "VAFIN"]


def test_german_names_keep_their_form_and_decomposed_text_is_composed(words_of):
    words = words_of("de", "Bei SAS arbeiten viele Ma\u0308nner.")
    assert fields(words, "form", "lemma")[1] == ("SAS", "SAS")
    assert fields(words, "form", "lemma")[4] == ("Männer", "Mann")


def split_umbrella(word):
    return ("Regen", "schirm") if word == "Regenschirm" else (word,)


def test_german_compounds_are_split_before_tagging(words_of):
    words = words_of("de", "Er kauft einen Regenschirm.", splitter=split_umbrella)
    assert fields(words, "form", "lemma", "tag")[3:5] == [
        ("Regen", "Regen", "NN"),
        ("Schirm", "Schirm", "NN"),
    ]
    offered = []
    words_of("de", "Peter kauft Schirme.", splitter=lambda word: offered.append(word) or (word,))
    assert offered == ["Schirme"]  # only nouns
    assert analyzer("de", splitter=split_umbrella).name == f"{analyzer('de').name},split"


def test_remembering_words_changes_nothing(words_of):
    words_of("de", "")
    from HanTa import HanoverTagger

    from celab.words.hanover import German, Hanover

    plain = HanoverTagger.HanoverTagger(German.model)
    german = German()
    for sentence in ("Die Regenschirmverkäuferin lacht", "regenschirmverkäuferin Lacht die"):
        forms = sentence.split()
        expected = plain.tag_sent(forms)
        for _ in range(2):  # the second time from memory
            found = [
                (form, Hanover._lemma(german, form, number), plain.int2tag[number])
                for form, number in zip(*german._numbered(forms), strict=True)
            ]
            assert found == expected


def test_a_very_long_word_takes_no_time(words_of):
    (word,) = words_of("de", "x" * 20_000)
    assert word.lemma == word.form


# English


def test_english_words(words_of):
    words = words_of("en", "The men didn’t buy 1,000 umbrellas: it's O'Brien who can't.")
    assert lemmas(words) == (
        "The/the* men/man did/do* n't/not* buy/buy 1,000/1,000 umbrellas/umbrella :/:* it/it*"
        " 's/be* O'Brien/o'brien who/who* ca/can* n't/not* ./.*"
    )


def test_names_in_capitals_are_not_other_words(words_of):
    assert ("US", "US") in fields(words_of("en", "They left the US."), "form", "lemma")
    assert ("us", "we") in fields(words_of("en", "They left us."), "form", "lemma")
    assert ("Queen", "queen") in fields(words_of("en", "They saw Queen Anne."), "form", "lemma")


# Chinese


CHINESE = "他/他* 在/在* 北京/北京 买/买 了/了* iPhone/iphone"
CHINESE_TAGS = ["r", "p", "ns", "v", "ul", "eng"]


def test_chinese_words(words_of):
    words = words_of("zh", "他在北京买了 iPhone，但是没有带雨伞。")
    assert lemmas(words[:6]) == CHINESE
    assert [word.tag for word in words[:6]] == CHINESE_TAGS
    assert "但是" in [word.form for word in words if word.function]


def test_jieba_says_nothing_and_leaves_no_file(tmp_path):
    pytest.importorskip("jieba")
    script = (
        "from celab.words.chinese import Chinese, jieba_tagger\n"
        "Chinese().analyze(['他买雨伞'])\n"
        "import jieba.posseg; ours, shared = jieba_tagger(), jieba.posseg.dt\n"
        "assert ours.word_tag_tab == shared.word_tag_tab is not ours.word_tag_tab\n"
        "assert vars(ours).keys() == vars(shared).keys()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
        cwd=ROOT,
        env={"TMPDIR": str(tmp_path), "PATH": ""},
    )
    assert (done.stdout, done.stderr, list(tmp_path.iterdir())) == ("", "", [])


def test_words_that_others_add_to_jieba_do_not_matter(words_of):
    words_of("zh", "")
    import jieba

    from celab.words.chinese import jieba_tagger

    assert jieba_tagger().tokenizer is not jieba.dt
    assert not jieba.dt.initialized


def test_words_by_rjieba():
    pytest.importorskip("rjieba")
    rjieba = analyzer("zh", "rjieba")
    assert rjieba.name.startswith("rjieba-")
    words, blank = rjieba.analyze(["他在北京买了 iPhone，", " \t"])
    assert blank == ()
    assert lemmas(words) == f"{CHINESE} ，/，"
    assert [word.tag for word in words] == [*CHINESE_TAGS, "x"]


def test_words_that_others_add_to_rjieba_do_not_matter():
    shared = pytest.importorskip("rjieba")
    shared.add_word("他在", 10**6, "n")
    assert analyzer("zh", "rjieba").forms("他在") == ["他", "在"]


def test_rjieba_needs_text():
    pytest.importorskip("rjieba")
    with pytest.raises(
        InputError, match=r"^sentence 2: character 2 is '\\ud800', a lone surrogate"
    ):
        analyzer("zh", "rjieba").analyze(["他", "他\ud800"])


def test_rjieba_is_never_taken_silently(monkeypatch):
    pytest.importorskip("jieba")
    pytest.importorskip("rjieba")
    ours, theirs = (
        celab.TeslaM(lang="zh", analysis=analysis, lexicon=None).signature
        for analysis in ("rjieba", None)
    )
    assert "|words:rjieba-" in ours
    assert "|words:jieba-" in theirs
    missing = model.importlib.metadata.PackageNotFoundError("rjieba")
    monkeypatch.setattr(model.importlib.metadata, "version", Mock(side_effect=missing))
    with pytest.raises(OptionError):
        celab.TeslaM(lang="zh", analysis="rjieba", lexicon=None)


# By language


@pytest.mark.parametrize("lang", LANGUAGES)
def test_names_have_versions_and_fit_a_signature(lang, words_of):
    words_of(lang, "")
    name = analyzer(lang).name
    assert all(f"{package}-" in name for package in PACKAGES[lang])
    assert not set(name) & set("|: ")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_blank_sentences_are_sentences(lang, words_of):
    assert words_of(lang, "") == words_of(lang, " \t ") == ()


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_missing_package_or_module_names_the_extra(lang, monkeypatch):
    missing = model.importlib.metadata.PackageNotFoundError("package")
    with monkeypatch.context() as patch:
        patch.setattr(model.importlib.metadata, "version", Mock(side_effect=missing))
        with pytest.raises(OptionError, match=rf"pip install .*\[{lang}\]"):
            analyzer(lang)
    for module, package in (("no_such.module", "no_such"), ("HanTa.HanoverTagger", "HanTa")):
        monkeypatch.setitem(sys.modules, module, None)
        message = rf"^package '{package}' is not .* pip install .*\[{lang}\]\"$"
        with pytest.raises(OptionError, match=message):
            model.loaded(lang, module)


def test_nothing_heavy_is_imported_before_a_sentence_is_analyzed():
    script = (
        "import sys\n"
        "from celab.words.analyzers import analyzer\n"
        "for name in ('de', 'en', 'zh', 'tagged', 'surface'):\n"
        "    try: analyzer(name)\n"
        "    except ValueError: pass\n"
        "print([name for name in ('HanTa', 'simplemma', 'jieba') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert done.stdout == "[]\n"


# CachedAnalyzer


class Counting(model.Analyzer):
    """Slow in name only; remembers in which order it was asked."""

    slow = True
    name = "counting-1"

    def __init__(self):
        self.asked = []

    def _words(self, sentence, number):
        self.asked.append(sentence)
        return tuple(Word(form, form, "", False) for form in sentence.split())


def test_each_sentence_is_analyzed_once_and_order_is_kept():
    counting = Counting()
    cached = CachedAnalyzer(counting)
    assert cached.name == "counting-1"
    assert [len(words) for words in cached.analyze(["b c", "a", "b c", ""])] == [2, 1, 2, 0]
    assert [words[0].form for words in cached.analyze(["a", "d", "b c"])] == ["a", "d", "b"]
    assert counting.asked == ["b c", "a", "", "d"]
    told = []
    sentences = [str(i) for i in range(150)]
    for several in (sentences, [*sentences, "e"]):
        cached.analyze(several, lambda *done: told.append(done))
    assert told == [(100, 150), (150, 150), (1, 1)]  # of new sentences


def test_old_sentences_are_forgotten_but_not_during_a_call():
    counting = Counting()
    cached = CachedAnalyzer(counting, remembered=2)
    assert len(cached.analyze(["a", "b", "c"])) == 3
    cached.analyze(["c", "b", "a"])
    assert counting.asked == ["a", "b", "c", "a"]


def test_workers_give_the_same_words_in_the_same_order(monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setattr(analyzers, "MIN_SENTENCES_FOR_WORKERS", 100)
    sentences = [f"It is {i} miles" for i in range(250)]
    told = []
    found = CachedAnalyzer(analyzer("en")).analyze(
        sentences, lambda done, _: told.append(done), jobs=2
    )
    assert found == analyzer("en").analyze(sentences)
    assert told == [100, 200, 250]


@pytest.mark.parametrize(
    ("slow", "n_new", "worth"), [(True, 2001, True), (False, 2001, False), (True, 2000, False)]
)
def test_workers_only_where_they_pay(slow, n_new, worth):
    counting = Counting()
    counting.slow = slow
    assert CachedAnalyzer(counting)._worth_workers(n_new) is worth


def test_what_cannot_be_pickled_stays_here(words_of):
    words_of("de", "")
    assert not CachedAnalyzer(analyzer("de", splitter=lambda word: (word,)))._worth_workers(5000)
    assert pickle.loads(pickle.dumps(analyzer("de", splitter=split_umbrella))).splitter


def test_if_workers_do_not_come_up_the_work_is_done_here(monkeypatch):
    def broken(self, chunks, jobs):
        yield self.analyzer.analyze(chunks[0])
        raise analyzers.BrokenProcessPool

    counting = Counting()
    counting.slow = True
    monkeypatch.setattr(CachedAnalyzer, "_by_workers", broken)
    sentences = [str(i) for i in range(3000)]
    found = CachedAnalyzer(counting).analyze(sentences, jobs=2)
    assert [words[0].form for words in found] == sentences
    assert counting.asked == sentences
