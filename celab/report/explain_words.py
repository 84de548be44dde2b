"""An explanation by words → what the terminal shows of it: both sentences, and every match.

The marks under the sentences are of single words by the first similarity: `=` equal lemmas, `~`
lemmas of one group, `t` equal tags only, `.` unmatched. A function word's weight is discounted.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from celab.explanation import Feature, WordExplanation, WordOf, WordPair
from celab.report.alignment import WORD_MARKS
from celab.report.cells import COLOURS, Cell, Page, chained, in_rows, legend, plain_table, visible

# Of a longer sentence only the matches of single words are listed.
LISTED_WORDS = 40


def draw(page: Page, explanation: WordExplanation) -> None:
    """All but the title and the numbers at the end."""
    for label in ("ref", "hyp"):
        page.show(*in_rows([label], ([[cell]] for cell in cells(explanation, label)), page.width))
    page.show(legend(WORD_MARKS))
    draw_links(page, explanation)


def cells(explanation: WordExplanation, side: str) -> list[Cell]:
    """The words of one side, `ref` or `hyp`, over their marks."""
    words: Sequence[WordOf] = getattr(explanation, f"{side}_words")
    kinds = ["unmatched"] * len(words)
    # How they were matched as unigrams by the first similarity; the heaviest link counts.
    links = explanation.features[0].links if explanation.features else ()
    for link in sorted(links, key=lambda link: link.weight):
        for pair in link.pairs:
            kinds[getattr(pair, side)] = pair.kind
    return [
        Cell.of(visible(word.form), kind, WORD_MARKS[kind])
        for word, kind in zip(words, kinds, strict=True)
    ]


def draw_links(page: Page, explanation: WordExplanation) -> None:
    """The figures of every feature, and what was matched."""
    page.show("", _features(explanation))
    longest = max(len(explanation.ref_words), len(explanation.hyp_words))
    for feature in explanation.features:
        if feature.order == 1 or longest <= LISTED_WORDS:
            page.show("", f"matched by {feature.similarity}, order {feature.order}")
            page.show(_links(explanation, feature) if feature.links else "nothing")


def _features(explanation: WordExplanation) -> Table:
    # S and the weights of the bags, and what they make.
    table = plain_table("order", "by", "matched", "of hyp", "of ref", "precision", "recall", "F")
    for x in explanation.features:
        numbers = (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
        table.add_row(str(x.order), x.similarity, *(f"{number:.4f}" for number in numbers))
    return table


def _links(explanation: WordExplanation, feature: Feature) -> Table:
    table = plain_table("weight", "alike", "reference", "hypothesis", "words")
    ref_words, hyp_words = explanation.ref_words, explanation.hyp_words
    for link in feature.links:
        kinds = {pair.kind for pair in link.pairs}
        colour = COLOURS[next(kind for kind in ("tag", "synonym", "equal") if kind in kinds)]
        table.add_row(
            f"{link.weight:.4g}",
            f"{link.similarity:.3f}",
            Text(_forms(ref_words[slice(*link.ref)]), colour),
            Text(_forms(hyp_words[slice(*link.hyp)]), colour),
            chained(
                (_pair(pair, ref_words[pair.ref], hyp_words[pair.hyp]), pair.kind, pair.groups)
                for pair in link.pairs
            ),
        )
    return table


def _forms(words: Sequence[WordOf]) -> str:
    return " ".join(visible(word.form) for word in words)


def _pair(pair: WordPair, ref: WordOf, hyp: WordOf) -> str:
    # Such as `Schirm~Regenschirm`: lemmas, or the tags where only these are equal.
    if pair.kind == "tag":
        return f"{visible(ref.lemma)}/{visible(hyp.lemma)} {visible(ref.tag)}"
    return f"{visible(ref.lemma)}{WORD_MARKS[pair.kind]}{visible(hyp.lemma)}"
