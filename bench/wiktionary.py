"""How fast is a Wiktionary dump read, and does memory stay flat however many pages there are?

The dump is made up, of the size and in the form of the German edition's: a third of the pages have
synonyms, the others have none, or are of other languages, templates and redirects. A process of its
own reads it, so that the peak of memory is the reader's.
"""

from __future__ import annotations

import bz2
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from measure import (
    HERE,
    Failed,
    number_from_command_line,
    peak_memory,
    say,
    summary,
    table,
    target,
    write,
)

from celab.lexicon import readers
from celab.lexicon.model import Settings
from celab.lexicon.source import SourceFile

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
SYLLABLES = ("bar", "bel", "dor", "fen", "gar", "hal", "kir", "lum", "mer", "nor", "pel", "ros")
WORDS = ["".join(parts) for n in (2, 3) for parts in product(SYLLABLES, repeat=n)]


def main() -> None:
    if sys.argv[1:2] == ["--read"]:
        print(json.dumps(read(Path(sys.argv[2]), [int(n) for n in sys.argv[3:]])))
        return
    n_pages = number_from_command_line("pages", PAGES, __doc__)
    stops = [round(n_pages * share) for share in SHARES]
    with tempfile.TemporaryDirectory(prefix="celab-bench-") as folder:
        path = Path(folder) / "dewiktionary-20240601-pages-articles.xml.bz2"
        n_bytes, n_groups = generate(path, stops)
        done = subprocess.run(
            [sys.executable, str(HERE / "wiktionary.py"), "--read", str(path), *map(str, n_groups)],
            capture_output=True,
            text=True,
            check=True,
        )
        n_packed = path.stat().st_size
    found = json.loads(done.stdout)
    if found["groups"] != n_groups[-1]:
        raise Failed(f"the dump holds {n_groups[-1]} groups, {found['groups']} were read")
    say(
        "A generated bzip2 dump in the format of the German edition, read in its own process. The"
        " peak is without the groups, which are read as a stream. Checked: the number of groups."
    )
    rows, figures = [], {}
    for n, size, groups, (seconds, peak) in zip(
        stops, n_bytes, n_groups, found["stops"], strict=True
    ):
        values = {
            "seconds": (seconds, "s"),
            "speed": (n / seconds, "pages/s"),
            "bytes": (size / 1e6 / seconds, "MB/s"),
            "peak of memory": (peak, "MB"),
        }
        for name, (value, unit) in values.items():
            figures[f"{n} pages, {name}"] = summary([value], unit)
        rows.append(
            [
                f"{n:,}",
                f"{size / 1e6:.0f}",
                f"{groups:,}",
                f"{seconds:.1f}",
                f"{n / seconds:,.0f}",
                f"{size / 1e6 / seconds:.1f}",
                f"{peak:.1f}",
            ]
        )
    table(["pages", "MB", "groups", "seconds", "pages/s", "MB/s", "peak MB"], rows)
    more = found["stops"][-1][1] / found["stops"][0][1] - 1
    target(f"ten times the pages take under 10% more memory: {100 * more:+.1f}%", more < 0.1)
    facts = {"groups": n_groups[-1], "bytes": n_bytes[-1], "packed bytes": n_packed}
    write("wiktionary", f"a made-up dump of {n_pages} pages, seed {SEED}", figures, facts)


def read(path: Path, stops: Sequence[int]) -> dict[str, Any]:
    """Counts the groups of a dump; seconds and MB when so many have been read."""
    began = time.perf_counter()
    source = SourceFile(path, path.name, Settings(language="de"), progress=lambda *_: None)
    marks = []
    n_groups = 0
    for n_groups, _ in enumerate(readers.groups("wiktionary-dump", source), 1):
        if n_groups in stops:
            marks.append((time.perf_counter() - began, peak_memory()))
    return {"groups": n_groups, "stops": marks}


def generate(path: Path, stops: Sequence[int]) -> tuple[list[int], list[int]]:
    """Writes a dump; the bytes (unpacked) and the groups of the first so many pages."""
    sizes, counts = [], []
    n_bytes = n_groups = 0
    with bz2.open(path, "wb", compresslevel=1) as file:
        for n, (part, groups) in enumerate(pages(stops[-1])):
            data = part.encode()
            file.write(data)
            n_bytes += len(data)
            n_groups += groups
            if n in stops:  # the header is part 0
                sizes.append(n_bytes)
                counts.append(n_groups)
    return sizes, counts


def pages(n_pages: int) -> Iterator[tuple[str, int]]:
    """The parts of a dump, each with the number of groups in it."""
    chance = random.Random(SEED)
    yield HEADER, 0
    for number in range(n_pages):
        title = chance.choice(WORDS).capitalize() + str(number)
        kind = chance.choices(
            ("synonyms", "plain", "foreign", "template", "redirect"), (35, 40, 15, 5, 5)
        )[0]
        text, groups = wikitext(title, kind, chance)
        if kind != "synonyms":
            groups = 0
        yield (
            PAGE.format(
                title=title,
                number=number + 1,
                ns=10 if kind == "template" else 0,
                redirect='    <redirect title="x" />\n' if kind == "redirect" else "",
                text=text.replace("<", "&lt;"),
                size=len(text.encode()),
            ),
            groups,
        )
    yield "</mediawiki>\n", 0


def wikitext(title: str, kind: str, chance: random.Random) -> tuple[str, int]:
    """A page's text, and how many of its senses have synonyms."""
    n_senses = chance.randint(1, 4)
    lines = []
    for sense in range(1, n_senses + 1):
        words = [
            f"[[{other.capitalize()}]]" for other in chance.choices(WORDS, k=chance.randint(1, 3))
        ]
        note = chance.choice(["", "", "''umgangssprachlich:'' ", "{{ugs.|:}} "])
        lines.append(f":[{sense}] {note}{', '.join(words)}<ref>Buch, Seite {sense}</ref>")
    text = WORD.format(
        title=title,
        language="Dänisch" if kind == "foreign" else "Deutsch",
        meanings="\n".join(
            f":[{i}] [[Wort]] für {chance.choice(WORDS)}" for i in range(1, n_senses + 1)
        ),
        synonyms="" if kind == "plain" else "{{Synonyme}}\n" + "\n".join(lines) + "\n\n",
        examples="\n".join(
            f":[1] {' '.join(chance.choices(WORDS, k=12))} ''{title}.''<ref>Buch</ref>"
            for _ in range(3)
        ),
        translations="\n".join(
            f"*{{{{en}}}}: [1] {{{{Ü|en|{other}}}}}" for other in chance.choices(WORDS, k=8)
        ),
    )
    return text, n_senses


if __name__ == "__main__":
    main()
