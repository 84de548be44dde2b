"""Pages without scores: sentences, sections of the report, and a list of outputs with their texts.

The script of such a page gets an object like that of the report (`data`), with these differences:

names, segments, source  by the place of a segment, from 0, only of those that the page needs
refs, hyps      a list of such objects, one for each reference or system
n_segments      number of all segments
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from celab.base.dicts import JsonObject, Variables
from celab.base.view.cells import Phrase, listed, quantity
from celab.report.html.localization import Words
from celab.report.html.page import UNSCORED_SCRIPT, UNSCORED_STYLE, rendered

if TYPE_CHECKING:
    from celab.corpus import Corpus
    from celab.report.html.views import PageSection

MOST_NAMED = 4  # systems in the title


class Evidence(NamedTuple):
    """A sentence of the result, the section that has its evidence, and the text of the link.

    `view` is what the script chooses there, such as {"term": "0"}.
    """

    text: Phrase
    section: str
    link: Phrase
    view: Mapping[str, str] | None = None


def named_systems(systems: Sequence[str]) -> str:
    """Return the systems by their names, or their number if these are many."""
    if len(systems) <= MOST_NAMED:
        return listed(systems)
    return quantity(len(systems), "system")


def unscored_page(
    corpus: Corpus,
    heading: Phrase,
    sections: Sequence[PageSection],
    page: Variables,
    data: JsonObject,
    *,
    report_lang: str,
) -> str:
    """Return a page: its sections, from the variables `page`, and the list, from `data`."""
    drawn = [section.drawn(page) for section in sections]
    shown = [*filter(None, drawn)]
    view = page | {
        "title": Words(report_lang).plain(heading),
        "heading_of_page": heading,
        "corpus": corpus,
        "sections": shown,
        "contents": [
            {"heading": view["heading"], "title": section.title}
            for section, view in zip(sections, drawn, strict=True)
            if view is not None
        ],
    }
    return rendered(
        "unscored.html.j2",
        view,
        data,
        styles=UNSCORED_STYLE,
        first_script=UNSCORED_SCRIPT,
        language=report_lang,
    )


def texts_data(
    corpus: Corpus,
    lang: str,
    systems: Sequence[str],
    outputs: Iterable[tuple[int, int]],
) -> JsonObject:
    """Return the texts of outputs, by numbers of system and segment."""
    of_system: list[dict[int, str]] = [{} for _ in systems]
    for system, place in sorted(outputs):
        of_system[system][place] = corpus.systems[systems[system]][place]
    shown = sorted({place for texts in of_system for place in texts})

    def at_places(texts: Sequence[object]) -> Mapping[int, str]:
        return {place: str(texts[place]) for place in shown}

    documents = {segment.document: None for segment in corpus.segments}
    numbers = {document: number for number, document in enumerate(documents)}
    return {
        "lang": lang,
        "n_segments": len(corpus.segments),
        "systems": [*systems],
        "references": [*corpus.ref_names],
        "names": at_places(corpus.names),
        "documents": [*documents],
        "segments": {place: numbers[corpus.segments[place].document] for place in shown},
        "source": None if corpus.source is None else at_places(corpus.source),
        "refs": [at_places(texts) for texts in corpus.refs],
        "hyps": of_system,
        "metrics": [{}],  # scripts of the report look here for the order of systems
    }
