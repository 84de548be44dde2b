"""The German edition's wikitext: which words of a page become groups, by which senses."""

import pytest
from wiktionary_sources import GERMAN, HOSTILE, dump, page, raw


def german(tmp_path, synonyms, language="Deutsch"):
    text = GERMAN.format(synonyms=synonyms, language=language)
    return raw(tmp_path, dump("de", page("Tisch", text)))


def german_words(tmp_path, line):
    found = german(tmp_path, f":[1] {line}")
    return found[0][1].removeprefix("Tisch ") if found else ""


def test_german_senses(tmp_path):
    assert german(tmp_path, ":[1] [[Tafel]]\n:[2] [[Messe]], [[Tafelrunde]]") == [
        ("Tisch, sense 1", "Tisch Tafel"),
        ("Tisch, sense 2", "Tisch Messe Tafelrunde"),
    ]


@pytest.mark.parametrize(
    ("mark", "senses"),
    [
        ("[1, 3]", "1 3"),
        ("[1,3]", "1 3"),
        ("[1–3]", "1 2 3"),
        ("[1a]", "1a"),
        ("[2a, b]", "2a 2b"),
        ("[1] [2]", "2"),
    ],
)
def test_german_sense_marks(tmp_path, mark, senses):
    found = german(tmp_path, f":{mark} [[Tafel]]")
    assert found == [(f"Tisch, sense {sense}", "Tisch Tafel") for sense in senses.split()]


def test_german_lines_of_one_sense_are_one_group(tmp_path):
    lines = ":[1] [[Tafel]]\n:[1, 2] [[Platte]]\n::''regional:'' [[Brett]]; [2] [[Runde]]"
    assert german(tmp_path, lines) == [
        ("Tisch, sense 1", "Tisch Tafel Platte Brett"),
        ("Tisch, sense 2", "Tisch Platte Brett Runde"),
    ]


def test_german_line_without_a_sense(tmp_path):
    lines = ":[[Tafel]]\n:[*] [[Platte]], [[Brett]]"
    assert german(tmp_path, lines) == [
        ("Tisch, no sense", "Tisch Tafel"),
        ("Tisch, no sense", "Tisch Platte Brett"),
    ]
    text = GERMAN.format(synonyms=lines, language="Deutsch").replace(":[2] {{K", ":''{{K")
    assert raw(tmp_path, dump("de", page("Tisch", text))) == [
        ("Tisch, sense 1", "Tisch Tafel Platte Brett")
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("''umgangssprachlich:'' [[Brett]]", "Brett"),
        ("''[[Bürowesen]]:'' [[Brett]]", "Brett"),
        ("''ugs.'': [[Brett]]; ''Schweiz:'' [[Platte]]", "Brett Platte"),
        ("{{ugs.|:}} [[Brett]]", "Brett"),
        ("{{K|ugs.|regional}} [[Brett]], {{QS Synonyme|fehlt}}", "Brett"),
        ("umgangssprachlich: [[Brett]]", "Brett"),
        ("auch [[Brett]], oder [[Platte]]", "Brett Platte"),
        ("[[Brett]] (''norddeutsch''), [[Platte]] (selten)", "Brett Platte"),
        ("[[Brett]]<ref>{{Literatur|Titel=[[Buch]], Band 2}}</ref>, [[Platte]]", "Brett Platte"),
        ('[[Brett]]<ref name="a" />, [[Platte]]', "Brett Platte"),
        ("[[Brett]]<!-- , [[Pult]] -->", "Brett"),
        ("<!-- [[Pult]]\n:[1] [[Bank]] -->[[Brett]]", "Brett"),
        ("[[setzen|sich setzen]]", "sich setzen"),
        ("[[Brett#Brett (Deutsch)|Brett]], [[Platte#Bedeutungen]]", "Brett Platte"),
        ("'''[[Brett]]''', [[Platte]]chen", "Brett Plattechen"),
        ("[[Brett]] / [[Platte]]/[[Scheibe]]", "Brett Platte Scheibe"),
        ("[[Brett, Platte]]; [[und/oder]]", "Brett, Platte und/oder"),
        ("[[runder]] [[Tisch]]", "runder Tisch"),
        ("in [[Brand]] [[setzen]]", "in Brand setzen"),
        ("[[Brett]], [[Platte]] usw.", "Brett Platte"),
        ("[[Brett]].", "Brett"),
        ("[[Brett]]&nbsp;", "Brett"),
        ("<small>[[Brett]]</small>", "Brett"),
        ("<nowiki>[[Brett]]</nowiki>", ""),
        ("siehe [[Brett]]", ""),
        ("[[Verzeichnis:Deutsch/Tische]], [[:en:table]], [[Datei:T.jpg|mini]]", ""),
        ("jemandem [[Brett]]er geben, [[etwas]] [[tischen]]", ""),
        ("es … [[tun]], [[auf]] den [[Tisch]] …", ""),
        ("[[etwas]]", "etwas"),
        ("(sich) [[setzen]]", ""),
        ("Brett", ""),
        ("—", ""),
        ("[[Tisch]]", ""),
        ("[[Brett", ""),
        ("''[[Brett]]", "Brett"),
    ],
)
def test_german_lines(tmp_path, line, words):
    assert german_words(tmp_path, line) == words


@pytest.mark.parametrize("language", ["Englisch", "Plattdeutsch", "Deutsch der Schweiz"])
def test_german_entries_alone(tmp_path, language):
    assert german(tmp_path, ":[1] [[Tafel]]", language) == []


def test_german_entries_beside_others(tmp_path):
    texts = [
        GERMAN.format(synonyms=f":[1] [[{word}]]", language=language)
        for word, language in [("board", "Englisch"), ("Tafel", "Deutsch"), ("bord", "Dänisch")]
    ]
    assert raw(tmp_path, dump("de", page("Tisch", "\n".join(texts)))) == [
        ("Tisch, sense 1", "Tisch Tafel")
    ]


def test_german_homonyms_are_not_mixed(tmp_path):
    text = GERMAN.format(synonyms=":[1] [[Tafel]]", language="Deutsch")
    text += GERMAN.format(synonyms=":[1] [[Runde]]", language="Deutsch")
    assert raw(tmp_path, dump("de", page("Tisch", text))) == [
        ("Tisch, sense 1", "Tisch Tafel"),
        ("Tisch, sense 1", "Tisch Runde"),
    ]


@pytest.mark.parametrize("bit", HOSTILE)
def test_german_line_of_junk_is_read_to_its_end(tmp_path, bit):
    found = german(tmp_path, f":[1] {bit * 10_000}\n:[2] [[Tafel]]")
    # A comment that is left open, and a line that is none of the list, take the next line along.
    is_lost = bit in ("<!--", "\n#: {{syn|zh|a")
    assert found == ([] if is_lost else [("Tisch, sense 2", "Tisch Tafel")])
