"""How fast is a Wiktionary dump read, and does memory stay flat however many pages there are?

The dump is made up, of the size and in the form of the German edition's: a third of the pages have
synonyms, the others are inflected forms, other languages, templates and redirects. Each number of
pages is read by a process of its own, so that its peak of memory is its own.
"""

from __future__ import annotations

import bz2
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measure import HERE, Failed, number_from_command_line, table, target, write

from celab.thesaurus.files import SourceFile
from celab.thesaurus.model import Settings
from celab.thesaurus.readers import wiktionary_dump

PAGES = 200_000
SHARES = (0.1, 0.5, 1.0)
SEED = 20240601

HEADER = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="de">
  <siteinfo>
    <sitename>Wiktionary</sitename>
    <dbname>dewiktionary</dbname>
    <base>https://de.wiktionary.org/wiki/Wiktionary:Hauptseite</base>
    <generator>made up for celab's benchmark</generator>
    <case>case-sensitive</case>
    <namespaces><namespace key="0" case="case-sensitive" /></namespaces>
  </siteinfo>
"""
PAGE = """\
  <page>
    <title>{title}</title>
    <ns>{ns}</ns>
    <id>{number}</id>
{redirect}    <revision>
      <id>{number}</id>
      <parentid>1</parentid>
      <timestamp>2024-06-01T00:00:00Z</timestamp>
      <contributor><username>Bench</username><id>1</id></contributor>
      <comment>made up</comment>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text bytes="{size}" sha1="0" xml:space="preserve">{text}</text>
      <sha1>0</sha1>
    </revision>
  </page>
"""
WORD = """\
== {title} ({{{{Sprache|{language}}}}}) ==
=== {{{{Wortart|Substantiv|{language}}}}}, {{{{n}}}} ===

{{{{Deutsch Substantiv Übersicht
|Genus=n
|Nominativ Singular={title}
|Nominativ Plural={title}e
}}}}

{{{{Bedeutungen}}}}
{meanings}

{synonyms}{{{{Sinnverwandte Wörter}}}}
:[1] [[{title}sache]], [[{title}ding]]

{{{{Beispiele}}}}
{examples}

==== {{{{Übersetzungen}}}} ====
{{{{Ü-Tabelle|Ü-Liste=
{translations}
}}}}
"""
SYLLABLES = (
    "bar",
    "bel",
    "dor",
    "fen",
    "gar",
    "hal",
    "kir",
    "lum",
    "mer",
    "nor",
    "pel",
    "ros",
    "sam",
)


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read(Path(sys.argv[2]))))
        return
    n_pages = number_from_command_line("pages", PAGES, __doc__)
    rows, figures = [], {}
    found = {}
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as folder:
        for share in SHARES:
            n = round(n_pages * share)
            path = Path(folder) / f"dewiktionary-20240601-{n}.xml.bz2"
            n_bytes, n_groups = generate(path, n)
            done = subprocess.run(
                [sys.executable, str(HERE / "wiktionary.py"), "--read", str(path)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            result = json.loads(done.stdout)
            if result["groups"] != n_groups:
                raise Failed(f"{n} pages hold {n_groups} groups, {result['groups']} were read")
            result |= {
                "bytes": n_bytes,
                "compressed bytes": path.stat().st_size,
                "pages/s": n / result["seconds"],
                "MB/s": n_bytes / 1e6 / result["seconds"],
            }
            path.unlink()
            found[n] = result
            rows.append(
                [f"{n:,}", f"{n_bytes / 1e6:.0f}", f"{n_groups:,}", f"{result['seconds']:.1f}",
                 f"{result['pages/s']:,.0f}", f"{result['MB/s']:.1f}", f"{result['MiB']:.1f}"]
            )  # fmt: skip
            units = {"seconds": "s", "pages/s": "pages/s", "MB/s": "MB/s", "MiB": "MiB"}
            for key, unit in units.items():
                value = result[key]
                one = {"median": value, "min": value, "max": value, "n": 1, "unit": unit}
                figures[f"{n} pages, {key}"] = one
    print("checked: the number of groups\n")
    table(["pages", "MB", "groups", "seconds", "pages/s", "MB/s", "peak MiB"], rows)
    first, *_, last = (result["MiB"] for result in found.values())
    more = last / first - 1
    target(f"ten times the pages take under 10% more memory: {100 * more:+.1f}%", more < 0.1)
    facts = {"groups": {n: result["groups"] for n, result in found.items()}}
    write("wiktionary", f"a dump made up of {n_pages} pages, seed {SEED}", figures, facts)


def read(path: Path) -> dict[str, float]:
    """All groups of a dump, counted and forgotten."""
    began = time.perf_counter()
    source = SourceFile(path, path.name, Settings(language="de"), progress=lambda _: None)
    n_groups = sum(1 for _ in wiktionary_dump.read(source))
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"groups": n_groups, "seconds": seconds, "MiB": peak}


def generate(path: Path, n_pages: int) -> tuple[int, int]:
    """Writes a dump; how many bytes it has unpacked, and how many groups."""
    n_bytes = n_groups = 0
    with bz2.open(path, "wb", compresslevel=1) as file:
        for part, groups in pages(n_pages):
            data = part.encode()
            file.write(data)
            n_bytes += len(data)
            n_groups += groups
    return n_bytes, n_groups


def pages(n_pages: int) -> Iterator[tuple[str, int]]:
    """The parts of a dump, each with the number of groups in it."""
    chance = random.Random(SEED)
    yield HEADER, 0
    for number in range(n_pages):
        title = word(chance).capitalize() + str(number)
        kind = chance.choices(("synonyms", "plain", "foreign", "template", "redirect"),
                              (35, 40, 15, 5, 5))[0]  # fmt: skip
        text, groups = wikitext(title, kind, chance)
        if kind != "synonyms":
            groups = 0
        yield PAGE.format(
            title=title, number=number + 1, ns=10 if kind == "template" else 0,
            redirect='    <redirect title="x" />\n' if kind == "redirect" else "",
            text=text.replace("<", "&lt;"), size=len(text.encode()),
        ), groups  # fmt: skip
    yield "</mediawiki>\n", 0


def wikitext(title: str, kind: str, chance: random.Random) -> tuple[str, int]:
    """A page's text, and how many of its senses have synonyms."""
    n_senses = chance.randint(1, 4)
    lines = []
    for sense in range(1, n_senses + 1):
        words = [f"[[{word(chance).capitalize()}]]" for _ in range(chance.randint(1, 3))]
        note = chance.choice(["", "", "''umgangssprachlich:'' ", "{{ugs.|:}} "])
        lines.append(f":[{sense}] {note}{', '.join(words)}<ref>Buch, Seite {sense}</ref>")
    text = WORD.format(
        title=title,
        language="Dänisch" if kind == "foreign" else "Deutsch",
        meanings="\n".join(f":[{i}] [[Wort]] für {word(chance)}" for i in range(1, n_senses + 1)),
        synonyms="" if kind == "plain" else "{{Synonyme}}\n" + "\n".join(lines) + "\n\n",
        examples="\n".join(
            f":[1] {' '.join(word(chance) for _ in range(12))} ''{title}.''<ref>Buch</ref>"
            for _ in range(3)
        ),
        translations="\n".join(f"*{{{{en}}}}: [1] {{{{Ü|en|{word(chance)}}}}}" for _ in range(8)),
    )
    return text, n_senses


def word(chance: random.Random) -> str:
    return "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))


if __name__ == "__main__":
    main()
