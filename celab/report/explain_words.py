"""An explanation by words → a view for the terminal: both sentences, and every match.

The marks under the sentences are of single words by the first similarity: `=` equal lemmas, `~`
lemmas of one group, `t` equal tags only, `.` unmatched. A function word's weight is discounted.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from celab.explanation import Explanation, Feature, WordExplanation, WordLink, WordOf
from celab.report import explain
from celab.report.cells import NARROWEST, Cell, in_rows, on_page, visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

MARKS = {"equal": "=", "synonym": "~", "tag": "t", "unmatched": "."}
COLOURS = {"equal": "green", "synonym": "yellow", "tag": "cyan", "unmatched": "red"}
# Of a longer sentence only the matches of single words are listed.
LISTED_WORDS = 40


def view_of(
    title: str, explanation: Explanation | WordExplanation, *, width: int, colour: bool
) -> str:
    """The view of either kind."""
    if isinstance(explanation, WordExplanation):
        return view(title, explanation, width=width, colour=colour)
    return explain.view(title, explanation, width=width, colour=colour)


def view(title: str, explanation: WordExplanation, *, width: int, colour: bool) -> str:
    """All there is to see of one hypothesis against one reference."""
    from rich.text import Text

    width = max(width, NARROWEST)
    page = io.StringIO()
    console = on_page(page, width, colour)

    def show(*lines: Text) -> None:
        for line in lines:
            console.print(line, soft_wrap=True)

    ref_kinds, hyp_kinds = _kinds(explanation)
    show(Text(visible(title)), Text())
    show(*in_rows("ref", _sentence(explanation.ref_words, ref_kinds), width))
    show(*in_rows("hyp", _sentence(explanation.hyp_words, hyp_kinds), width))
    show(_legend(), Text())
    console.print(_features(explanation))
    longest = max(len(explanation.ref_words), len(explanation.hyp_words))
    for feature in explanation.features:
        if feature.order == 1 or longest <= LISTED_WORDS:
            show(Text(), Text(f"matched by {feature.similarity}, order {feature.order}"))
            console.print(_links(explanation, feature)) if feature.links else show(Text("nothing"))
    numbers = (f"{name} {value:.4f}" for name, value in (
        ("score", explanation.score), ("precision", explanation.precision),
        ("recall", explanation.recall)))  # fmt: skip
    show(Text(), Text("  ".join(numbers)), Text(explanation.signature))
    return "".join(line.rstrip() + "\n" for line in page.getvalue().split("\n")[:-1])


def _kinds(explanation: WordExplanation) -> tuple[list[str], list[str]]:
    # How the words of each side were matched as unigrams by the first similarity.
    ref = ["unmatched"] * len(explanation.ref_words)
    hyp = ["unmatched"] * len(explanation.hyp_words)
    if explanation.features:
        for link in sorted(explanation.features[0].links, key=lambda link: link.weight):
            for pair in link.pairs:
                ref[pair.ref] = hyp[pair.hyp] = pair.kind
    return ref, hyp


def _sentence(words: Sequence[WordOf], kinds: Sequence[str]) -> Iterator[Cell]:
    from rich.cells import cell_len

    for word, kind in zip(words, kinds, strict=True):
        text = visible(word.form)
        yield Cell(text, MARKS[kind] * cell_len(text), COLOURS[kind])


def _legend() -> Text:
    from rich.text import Text

    names = {"equal": "equal", "synonym": "synonym", "tag": "tag only", "unmatched": "unmatched"}
    parts = [Text(f"{mark} {names[kind]}", COLOURS[kind]) for kind, mark in MARKS.items()]
    return Text("     ").append_text(Text("  ").join(parts))


def _table(*headings: str) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _features(explanation: WordExplanation) -> Table:
    # S and the weights of the bags, and what they make.
    table = _table("order", "by", "matched", "of hyp", "of ref", "precision", "recall", "F")
    for x in explanation.features:
        numbers = (x.total, x.hyp_weight, x.ref_weight, x.precision, x.recall, x.f)
        table.add_row(str(x.order), x.similarity, *(f"{number:.4f}" for number in numbers))
    return table


def _links(explanation: WordExplanation, feature: Feature) -> Table:
    from rich.text import Text

    table = _table("weight", "alike", "reference", "hypothesis", "words")
    for link in feature.links:
        colour = COLOURS[_kind(link)]
        ref = " ".join(visible(word.form) for word in explanation.ref_words[slice(*link.ref)])
        hyp = " ".join(visible(word.form) for word in explanation.hyp_words[slice(*link.hyp)])
        table.add_row(
            f"{link.weight:.4g}", f"{link.similarity:.3f}", Text(ref, colour), Text(hyp, colour),
            _words(explanation, link),
        )  # fmt: skip
    return table


def _kind(link: WordLink) -> str:
    kinds = {pair.kind for pair in link.pairs}
    return next(kind for kind in ("tag", "synonym", "equal") if kind in kinds)


def _words(explanation: WordExplanation, link: WordLink) -> Text:
    # Such as `Schirm~Regenschirm [de-core 12]`: lemmas, or the tags where only these are equal.
    from rich.text import Text

    shown = Text()
    for pair in link.pairs:
        ref, hyp = explanation.ref_words[pair.ref], explanation.hyp_words[pair.hyp]
        text = f"{visible(ref.lemma)}{MARKS[pair.kind]}{visible(hyp.lemma)}"
        if pair.kind == "tag":
            text = f"{visible(ref.lemma)}/{visible(hyp.lemma)} {visible(ref.tag)}"
        shown.append(" " if shown else "").append(text, COLOURS[pair.kind])
        if pair.groups:
            shown.append(f" [{visible(', '.join(pair.groups))}]")
    return shown
