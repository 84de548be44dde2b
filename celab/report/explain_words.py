"""An explanation by words → what the terminal shows of it: both sentences, and every match.

The marks under the sentences are of single words by the first similarity: `=` equal lemmas, `~`
lemmas of one group, `t` equal tags only, `.` unmatched. A function word's weight is discounted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from rich.table import Table
from rich.text import Text

from celab.analysis.model import Word
from celab.metrics.explanation import Feature, WordExplanation, WordPair
from celab.report import tables
from celab.report.alignment import WORD_MARKS, word_states
from celab.report.cells import COLOURS, Cell, Page, chained, in_rows, legend, plain_table, visible

# For longer sentences, only matches of single words are listed.
LISTED_WORDS = 40


def draw(page: Page, explanation: WordExplanation) -> None:
    """All but the title and the numbers at the end."""
    for label in ("ref", "hyp"):
        page.show(*in_rows([label], ([[cell]] for cell in cells(explanation, label)), page.width))
    page.show(legend(WORD_MARKS))
    draw_links(page, explanation)


def cells(explanation: WordExplanation, side: str) -> list[Cell]:
    """The words of one side, `ref` or `hyp`, over their marks."""
    words: Sequence[Word] = getattr(explanation, f"{side}_words")
    states = word_states(explanation, side)
    return [
        Cell.of(visible(word.form), state, WORD_MARKS[state])
        for word, state in zip(words, states, strict=True)
    ]


def draw_links(page: Page, explanation: WordExplanation) -> None:
    """The figures of every feature, and what was matched."""
    features = feature_table(explanation)
    table = plain_table(*features.headings)
    for row in features.rows:
        table.add_row(*row)
    page.show("", table)
    longest = max(len(explanation.ref_words), len(explanation.hyp_words))
    for feature in explanation.features:
        if feature.order == 1 or longest <= LISTED_WORDS:
            page.show("", f"matched by {feature.similarity}, order {feature.order}")
            page.show(_links(explanation, feature) if feature.links else "nothing")


def feature_table(explanation: WordExplanation) -> tables.Table:
    """A row per feature: total similarity, weights of both bags, and the resulting figures."""
    headings = ["order", "by", "matched", "hyp weight", "ref weight", "precision", "recall", "F"]
    rows = [
        [
            str(x.order),
            x.similarity,
            *(
                f"{v:.4f}"
                for v in (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
            ),
        ]
        for x in explanation.features
    ]
    return tables.Table(headings, rows, right=range(2, 8))


def _links(explanation: WordExplanation, feature: Feature) -> Table:
    table = plain_table("weight", "similarity", "reference", "hypothesis", "words")
    ref_words, hyp_words = explanation.ref_words, explanation.hyp_words
    for link in feature.links:
        kinds = {pair.kind for pair in link.pairs}
        colour = COLOURS[next(kind for kind in ("tag", "synonym", "equal") if kind in kinds)]
        table.add_row(
            f"{link.weight:.4g}",
            f"{link.similarity:.3f}",
            Text(_forms(ref_words, [pair.ref for pair in link.pairs]), colour),
            Text(_forms(hyp_words, [pair.hyp for pair in link.pairs]), colour),
            chained(
                (_pair(pair, ref_words[pair.ref], hyp_words[pair.hyp]), pair.kind, pair.groups)
                for pair in link.pairs
            ),
        )
    return table


def _forms(words: Sequence[Word], places: Sequence[int]) -> str:
    # With dots where a skip bigram leaves words out.
    text = visible(words[places[0]].form)
    for before, at in pairwise(places):
        text += f"{' ' if at == before + 1 else ' … '}{visible(words[at].form)}"
    return text


def _pair(pair: WordPair, ref: Word, hyp: Word) -> str:
    # Such as `Schirm~Regenschirm`: lemmas, or the tags where only these are equal.
    if pair.kind == "tag":
        return f"{visible(ref.lemma)}/{visible(hyp.lemma)} {visible(ref.tag)}"
    return f"{visible(ref.lemma)}{WORD_MARKS[pair.kind]}{visible(hyp.lemma)}"
