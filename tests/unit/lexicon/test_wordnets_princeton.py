"""English synonyms by themselves: where WordNet is looked for, and what happens without it."""

import tarfile

import pytest
from reader_samples import WN_DATABASE, WN_LMF, WORDNET, provenance, put

import celab
from celab.base.errors import LexiconError
from celab.lexicon import catalog
from celab.lexicon.readers import wordnets
from celab.lexicon.source import ReaderSettings
from celab.words.analyzers import CachedAnalyzer, analyzer
from celab.words.hanover import English

VARIABLES = ("CELAB_WORDNET", "WNSEARCHDIR", "WNHOME", "WN_DATA_DIR")


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """No WordNet of the machine's: neither variables nor places."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(wordnets, "PLACES", (str(tmp_path / "place"), str(tmp_path / "other")))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))


def placed(path, words="rain_shelter 0 brolly"):
    path.mkdir(parents=True)
    put(path / "data.noun", WORDNET["data.noun"].replace("rain_shelter 0 brolly", words))
    return path


def test_the_order_of_places(tmp_path, monkeypatch):
    home = tmp_path / "home" / ".wn_data"
    home.mkdir(parents=True)
    put(home / "wn.db", WN_DATABASE)
    assert catalog.installed_path("wordnet") == home / "wn.db"
    other = placed(tmp_path / "other")
    assert catalog.installed_path("wordnet") == other
    place = placed(tmp_path / "place")
    assert catalog.installed_path("wordnet") == place
    monkeypatch.setenv("WNHOME", str(tmp_path / "wnhome"))
    assert catalog.installed_path("wordnet") == place  # a variable that leads nowhere
    dictionary = placed(tmp_path / "wnhome" / "dict")
    assert catalog.installed_path("wordnet") == dictionary
    monkeypatch.setenv("WNSEARCHDIR", str(placed(tmp_path / "searched")))
    assert catalog.installed_path("wordnet") == tmp_path / "searched"
    monkeypatch.setenv("CELAB_WORDNET", str(placed(tmp_path / "ours")))
    assert catalog.installed_path("wordnet") == tmp_path / "ours"
    monkeypatch.setenv("CELAB_WORDNET", str(tmp_path / "wnhome"))
    assert catalog.installed_path("wordnet") == dictionary


def test_it_is_named_wordnet_wherever_it_lies(tmp_path):
    placed(tmp_path / "place")
    located = catalog.locate("wordnet")
    assert located.signature_id == f"wordnet@{catalog.digest_of(tmp_path / 'place')[:12]}"
    thesaurus = catalog.load(located)
    assert thesaurus.groups[0].words == ("rain shelter", "brolly")
    assert (thesaurus.name, thesaurus.sources[0].format) == ("wordnet", "wordnet")
    thesaurus = catalog.load(catalog.locate(placed(tmp_path / "my words", "ice_cream 0 icecream")))
    assert thesaurus.groups[0].words == ("ice cream", "icecream")
    assert thesaurus.name == "my_words"


def test_of_a_database_only_english_is_taken(tmp_path, monkeypatch):
    monkeypatch.setenv("WN_DATA_DIR", str(tmp_path))
    put(tmp_path / "wn.db", WN_DATABASE)
    located = catalog.locate("wordnet")
    for settings in (None, ReaderSettings()):
        assert [g.words for g in catalog.load(located, settings).groups] == [
            ("rain shelter", "umbrella")
        ]
    chinese = catalog.load(located, ReaderSettings(language="zh"))  # who asks for it gets it
    assert [g.words for g in chinese.groups] == [("有趣的", "有趣", "好玩")]


def test_our_variable_may_name_a_file_but_must_lead_somewhere(tmp_path, monkeypatch):
    placed(tmp_path / "place")
    put(tmp_path / "probe.xml", WN_LMF.replace('"de"', '"en"'))
    monkeypatch.setenv("CELAB_WORDNET", str(tmp_path / "probe.xml"))
    thesaurus = catalog.load(catalog.locate("wordnet"))
    assert thesaurus.groups[0].words == ("Schirm", "Regenschirm")
    assert thesaurus.sources[0].format == "wn-lmf"
    monkeypatch.setenv("CELAB_WORDNET", str(tmp_path))
    with pytest.raises(LexiconError):
        catalog.locate("wordnet")


def test_without_wordnet_its_name_is_an_error_that_says_what_to_do():
    for find in (catalog.locate, catalog.locate_with_fallback):
        with pytest.raises(LexiconError):
            find("wordnet")


def test_without_wordnet_the_default_is_none_with_a_notice():
    assert catalog.DEFAULTS["en"] == "wordnet"
    found, notice = catalog.locate_with_fallback("wordnet", is_default=True)
    assert found == []
    assert notice.startswith("lexicon 'wordnet' is not installed: ")
    assert notice.endswith("; no synonyms are used")


def test_tesla_m_does_without_wordnet_unless_it_is_named():
    with pytest.warns(UserWarning, match="no synonyms are used"):
        assert celab.TeslaM(lang="en", analysis="surface").signature.part("lex") == "none"
    with pytest.raises(LexiconError):
        celab.TeslaM(lang="en", analysis="surface", lexicon="wordnet")


def test_nothing_is_said_about_what_is_there(tmp_path):
    placed(tmp_path / "place")
    found, notice = catalog.locate_with_fallback("wordnet", is_default=True)
    assert ([one.name for one in found], notice) == (["wordnet"], "")
    assert catalog.locate_with_fallback(["wordnet", "de-core"])[1] == ""
    assert catalog.locate_with_fallback(None) == ([], "")


def test_a_lexicon_may_stand_in_for_one_that_is_named_alone(monkeypatch):
    monkeypatch.setattr(catalog, "installed_path", lambda name: None)
    found, notice = catalog.locate_with_fallback("cilin")
    assert [one.name for one in found] == ["zh-core"]
    assert notice.endswith(f"{found[0].signature_id} is used instead")
    with pytest.raises(LexiconError):
        catalog.locate_with_fallback(["cilin", "zh-core"])
    with pytest.raises(LexiconError):
        catalog.locate_with_fallback("nope", is_default=True)


@pytest.mark.parametrize(
    ("word", "lemma"),
    [("Christmas", "christmas"), ("US", "US"), ("I", "i"), ("O'Brien", "o'brien"), ("dog", "dog")],
)
def test_lexicon_words_are_spelt_as_english_lemmas(word, lemma):
    assert English.spelt(word) == lemma


def test_the_cache_spells_as_the_analyzer_within():
    pytest.importorskip("HanTa")
    assert CachedAnalyzer(analyzer("en")).spelt("Christmas") == "christmas"
    assert CachedAnalyzer(analyzer("surface")).spelt("Schirm") == "schirm"
    assert CachedAnalyzer(analyzer("tagged")).spelt("Schirm") == "Schirm"


@pytest.fixture(scope="module")
def published(shared, tmp_path_factory):
    path = shared / "lexicons" / "wordnet-3.0-dict.tar.xz"
    if not path.is_file():
        pytest.skip("../shared/lexicons is not here: WordNet 3.0 cannot be read")
    folder = tmp_path_factory.mktemp("published")
    with tarfile.open(path) as archive:
        archive.extractall(folder, filter="data")
    return folder / "wordnet"


@pytest.mark.thorough
def test_wordnet_3_0_knows_the_lemmas_of_sentences(published, monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setenv("CELAB_WORDNET", str(published))
    english = CachedAnalyzer(analyzer("en"))
    thesaurus = catalog.load(catalog.locate("wordnet"))
    groups = {}
    for number, group in enumerate(thesaurus.groups):
        for word in group.words:
            groups.setdefault(english.spelt(word), set()).add(number)
    assert {"ice cream", "icecream"} <= set(groups)
    sides = english.analyze(["Xmas cars were bought quickly.", "Christmas autos purchased rapidly"])
    lemmas = [{w.form: w.lemma for w in side} for side in sides]
    for one, other in [
        ("Xmas", "Christmas"),
        ("cars", "autos"),
        ("bought", "purchased"),
        ("quickly", "rapidly"),
    ]:
        assert groups[lemmas[0][one]] & groups[lemmas[1][other]], (one, other)
    assert not groups["car"] & groups["christmas"]
    assert "us" not in groups and "US" in groups


def test_wordnet_without_header_says_nothing(write_source):
    assert provenance("wordnet", write_source({"data.verb": WORDNET["data.adj"]})) == ("", "", "")
