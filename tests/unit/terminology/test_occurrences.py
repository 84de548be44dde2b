"""Where terms are found: whole words, inflected forms, substrings, width, case and script."""

from importlib.metadata import PackageNotFoundError

import pytest

from celab.metrics.options import TeslaCelabOptions
from celab.terminology.glossary import Glossary, Term
from celab.terminology.occurrences import TermFinder
from celab.terminology.term_tokens import Reading, guess_language
from celab.words import model


def finder(*terms, lang="zh", source_lang="en", **options):
    made = tuple(
        Term(*((t,) if isinstance(t, str) else t)) if not isinstance(t, Term) else t for t in terms
    )
    chosen = TeslaCelabOptions(**options) if options else None
    return TermFinder(Glossary(made), lang, source_lang, chosen)


def found(text, *sources, source_lang="en"):
    """The occurrences of terms in a source, as the text has them."""
    made = finder(*[Term(source, ("甲",)) for source in sources], source_lang=source_lang)
    (occurrences,) = made.in_source([text])
    return made.found_texts(occurrences, text, in_source=True)


def right(source, output, *terms, **settings):
    """Which occurrences are right, and by which phrase."""
    made = finder(*terms, **settings)
    occurrences = made.in_source([source])
    (use,) = made.use(occurrences, [output])
    return [None if phrase is None else made.phrases[phrase] for phrase in use.rendered]


def forbidden(source, output, *terms, **settings):
    made = finder(*terms, **settings)
    (use,) = made.use(made.in_source([source]), [output])
    return [made.phrases[used.phrase] for used in use.forbidden]


GPU = Term("GPU", ("显卡", "GPU"))


# ---- the source ----


@pytest.mark.parametrize(
    ("text", "source", "expected"),
    [
        ("The server, a Server and SERVER.", "server", ["server", "Server", "SERVER"]),
        ("Servers: client-server, server's", "server", ["Servers", "server", "server"]),
        ("observer servery", "server", []),
        ("us in the US", "US", ["US"]),
        ("the html of HTML", "HTML", ["HTML"]),
        ("two GPUs, one GPU", "GPU", ["GPUs", "GPU"]),
        ("cloud\u3000platforms", "cloud platform", ["cloud\u3000platforms"]),
        ("ｃｌｏｕｄ ｐｌａｔｆｏｒｍ", "cloud platform", ["ｃｌｏｕｄ ｐｌａｔｆｏｒｍ"]),
        ("cafe\u0301s", "café", ["cafés"]),
        ("the cafe\u0301 is open", "café", ["café"]),
    ],
)
def test_english_sources(text, source, expected):
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    assert found(text, source) == expected


def test_german_adjectives_and_nouns_are_inflected():
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    pytest.importorskip("simplemma", reason="simplemma is not installed")
    text = "Die Server der künstlichen Intelligenz und die Häuser"
    terms = ("künstliche Intelligenz", "Haus")
    assert found(text, *terms, source_lang="de") == ["künstlichen Intelligenz", "Häuser"]


def test_without_an_analyzer_forms_are_as_written(monkeypatch):
    def lacking(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", lacking)
    assert model  # `cited` asks for the version
    assert Reading("en").analyzer is None
    assert found("servers and a Server, GPUs", "server", "GPU") == ["Server", "GPUs"]


def test_other_languages_are_whole_words_as_written():
    assert found("les serveurs du serveur", "serveur", source_lang="fr") == ["serveur"]


def test_chinese_sources_are_substrings_in_either_script():
    assert found("用雲平台和云平台", "云平台", source_lang="zh") == ["雲平台", "云平台"]
    assert found("OpenAI用AI", "AI", source_lang="zh") == ["AI"]


def test_of_overlapping_terms_the_longest_then_the_leftmost():
    assert found("the cloud platform team", "cloud platform", "platform", "platform team") == [
        "cloud platform"
    ]
    assert found("a b c", "a b", "b c", source_lang=None) == ["a b"]


def test_the_form_itself_goes_before_an_inflected_one():
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    made = finder(Term("server", ("甲",)), Term("servers", ("乙",)))
    (occurrences,) = made.in_source(["server and servers"])
    assert [one.term for one in occurrences] == [0, 1]


# ---- the output ----


def test_each_occurrence_needs_its_own_hit():
    assert right("GPU, GPU and GPU", "显卡和GPU", GPU) == ["显卡", "GPU", None]


def test_a_target_inside_a_longer_one_is_no_hit():
    platform, cloud = Term("platform", ("平台",)), Term("cloud platform", ("云平台",))
    assert right("the platform", "云平台", platform, cloud) == [None]
    assert right("the platform", "云平台", platform) == ["平台"]


def test_terms_that_share_a_target_are_matched_as_well_as_possible():
    # Alone, `AI` could take either; the other term has only one.
    first, second = Term("AI", ("智能", "人工智能")), Term("intelligence", ("智能",))
    assert right("AI and intelligence", "智能和人工智能", first, second) == ["人工智能", "智能"]


def test_ties_go_to_the_first_occurrence():
    first, second = Term("AI", ("智能",)), Term("intelligence", ("智能",))
    assert right("intelligence and AI", "智能", first, second) == ["智能", None]


def test_width_script_and_case_are_those_of_scores():
    assert right("a GPU", "用ＧＰＵ", GPU) == ["GPU"]
    assert right("a GPU", "用顯卡", GPU) == ["显卡"]
    assert right("a GPU", "用gpu", GPU) == [None]
    assert right("a GPU", "用gpu", GPU, case="lower") == ["GPU"]
    assert right("a GPU", "用ＧＰＵ", GPU, width="keep") == [None]
    assert right("a GPU", "用顯卡", GPU, script="keep") == [None]


def test_half_width_kana_and_the_vowel_am_are_those_of_scores():
    server = Term("server", ("サーバ",))
    assert right("server", "ｻｰﾊﾞが動く", server, lang="ja") == ["サーバ"]
    assert right("server", "ｻｰﾊﾞが動く", server, lang="ja", width="keep", script="keep") == [None]
    assert right("server", "ｻｰﾊﾞ", server) == [None]  # Chinese
    assert right("water", "น้ํา", Term("water", ("น้ำ",)), lang="th") == ["น้ำ"]


def test_what_is_found_is_as_the_text_has_it():
    assert found("古いｻｰﾊﾞとｻｰﾊﾞｰ", "サーバ", "サーバー", source_lang="ja") == ["ｻｰﾊﾞ", "ｻｰﾊﾞｰ"]
    assert found("ดื่มนํ้าดื่มน้ำ", "น้ำ", source_lang="th") == ["นํ้า", "น้ำ"]


def test_white_space_does_not_matter_except_between_words():
    server = Term("GPU server", ("GPU服务器", "Open AI"))
    assert right("GPU server", "GPU 服 务 器", server) == ["GPU服务器"]
    assert right("GPU server", "OpenAI", server) == [None]
    assert right("GPU server", "GPU服\u200b务器", server) == ["GPU服务器"]


def test_english_targets_are_inflected_whole_words():
    pytest.importorskip("HanTa", reason="HanTa is not installed")
    term = Term("服务器", ("server",))
    settings = {"lang": "en", "source_lang": "zh"}
    assert right("服务器", "Two Servers.", term, **settings) == ["server"]
    assert right("服务器", "an observer", term, **settings) == [None]


def test_forbidden_terms_count_where_the_term_occurs_and_no_target_is_meant():
    region = Term("region", ("地域",), ("区域",))
    area = Term("area", ("区域",))
    assert forbidden("the region", "区域和区域", region) == ["区域", "区域"]
    assert forbidden("the city", "区域", region) == []
    assert forbidden("the region of an area", "区域", region, area) == []
    assert forbidden("the region of an area", "区域和区域", region, area) == ["区域"]


def test_a_target_goes_before_a_forbidden_term_inside_it():
    bucket = Term("bucket", ("存储桶",), ("桶",))
    assert right("a bucket", "存储桶", bucket) == ["存储桶"]
    assert forbidden("a bucket", "存储桶", bucket) == []


def test_references_give_occurrences_of_the_first_term_that_has_the_target():
    made = finder(Term("AI", ("智能",)), Term("smart", ("智能", "聪明")))
    (occurrences,) = made.in_reference(["聪明的智能"])
    assert [one.term for one in occurrences] == [1, 0]


def test_long_lines_take_no_quadratic_time():
    # Without kinds of hits there would be more than a thousand million pairs.
    first, second = Term("AI", ("智能",)), Term("smart", ("智能", "聪明"))
    n = 20_000
    rendered = right("AI smart " * n, "智能" * n + "聪明" * n, first, second, source_lang="fr")
    assert rendered == ["智能", "聪明"] * n


@pytest.mark.parametrize(
    ("texts", "lang"),
    [
        (["The state of the art is in the book."], "en"),
        (["Das ist nicht der Hund und die Katze."], "de"),
        (["买一把雨伞"], "zh"),
        (["傘を買いました"], "ja"),
        (["우산을 샀다"], "ko"),
        (["Le chat est sur la table"], None),
        ([""], None),
    ],
)
def test_guesses(texts, lang):
    assert guess_language(texts) == lang


def test_the_other_script_may_be_forbidden_if_scripts_are_kept():
    term = Term("server", ("服务器",), ("服務器",))
    assert forbidden("server", "服務器", term, script="keep")
