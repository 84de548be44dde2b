"""Bundle: our own lexicons, from `lexicons/*.tsv` into the package. The build calls this."""

from __future__ import annotations

from pathlib import Path

from celab.lexicon import store
from celab.lexicon.catalogue import Located, load
from celab.lexicon.files import digest_of


def bundle(sources: Path, into: Path) -> list[Path]:
    """Makes a `.lex` file of each source; the bytes depend on the sources alone."""
    into.mkdir(exist_ok=True)
    made = []
    for path in sorted(sources.glob("*.tsv")):
        thesaurus = load(Located(path.stem, path, digest_of(path)), format_name="tsv")
        target = into / f"{path.stem}.lex"
        text = store.text_of(thesaurus)
        if not target.exists() or target.read_text("utf-8") != text:
            store.save_text(text, target)
        made.append(target)
    return made
