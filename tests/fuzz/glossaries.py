"""Glossaries of any bytes: TSV, CSV, JSON, JSON Lines and TBX, whole and damaged."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from celab.base.errors import InputError
from celab.corpus import Corpus, Segment
from celab.terminology.api import terms
from celab.terminology.glossary import read
from fuzz import inputs
from fuzz.target import Target

SEEDS = {
    "g.tsv": "source\ttarget\tforbidden\tnote\numbrella\t雨伞|伞\t洋伞\tmasculine\nrain\t雨\n",
    "g.csv": 'umbrella,雨伞|伞\n"rain, heavy","大雨"\n',
    "g.json": '{"umbrella": ["雨伞", "伞"], "rain": "雨"}\n',
    "w.json": '[{"proper": {"umbrella": ["雨伞"]}, "random": {}}, {"proper": {"rain": ["雨"]}}]\n',
    "g.jsonl": '{"en": "x", "terms": {"umbrella": "雨伞"}}\n{"en": "y", "terms": {"rain": "雨"}}\n',
    "plain": "umbrella\t雨伞\n",
    "g.tbx": '<tbx xml:lang="en"><text><body><conceptEntry><langSec xml:lang="en"><termSec>'
    '<term>umbrella</term></termSec></langSec><langSec xml:lang="zh"><termSec><term>雨伞</term>'
    '<termNote type="administrativeStatus">preferredTerm-admn-sts</termNote></termSec></langSec>'
    "</conceptEntry></body></text></tbx>\n",
}
PIECES = [
    *b'{ } [ ] , : " | \t \n \\ "terms": "proper": "a" null 1 source target'.split(b" "),
    *(b"<term>", b"</term>", b"</termSec>", b"<langSec xml:lang='zh'>", b"&amp;", b"<", b">"),
    *(b"\xff", b"\0", b"\xef\xbb\xbf", b'"\\ud800"', b"\t\t", b"\r\n", "伞".encode()),
    *(b"[" * 3000, b'{"a":' * 3000),
]
LANGUAGES = ("zh", "ja", "de", "en")
TEXTS = Corpus(
    segments=[Segment("", "1"), Segment("", "2")],
    systems={"A": ["他买雨伞", "下雨了"]},
    refs=[["他买了雨伞", "下大雨了"]],
    ref_names=["ref"],
    source=["He bought an umbrella", "Heavy rain"],
)


def make_glossary(rng: Random) -> Any:
    name = rng.choice(list(SEEDS))
    kind = rng.randrange(4)
    if kind == 0:
        data = rng.randbytes(rng.randint(0, 80))
    elif kind == 1:
        data = b"".join(rng.choices(PIECES, k=rng.randint(0, 30)))
    elif kind == 2:
        rows = [f"{inputs.text(rng, 8)}\t{inputs.text(rng, 8)}" for _ in range(rng.randint(1, 4))]
        data = "\n".join(rows).encode("utf-8", "replace")
    else:
        data = inputs.damaged(rng, SEEDS[name].encode(), PIECES)
    return name, data, rng.choice(LANGUAGES)


def check_glossary(case: Any, folder: Path) -> bool:
    name, data, lang = case
    path = folder / name
    path.write_bytes(data)
    glossary = read(path, lang)
    assert glossary.terms and all(term.source and term.targets for term in glossary.terms)
    again = read(path, lang)
    assert again == glossary and again.digest == glossary.digest
    try:
        found = terms(glossary, TEXTS, lang=lang, n_resamples=40)
    except InputError as error:
        assert "none of its terms is in the source" in str(error)
        return True
    assert found.n_terms == len(glossary.terms)
    for figures in (*found.systems, *found.references):
        assert 0 <= figures.right <= figures.occurrences
    return True


TARGETS = {"glossary": Target(make_glossary, check_glossary)}
