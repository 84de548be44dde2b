"""Edits of each kind against the error spans that people have marked.

    python bench/error_profile.py FOLDER LANG

FOLDER has ref-A.txt, hyp/*.txt and spans-appraise.csv. An edit is inside a span if its text in the
output touches the span; what is omitted is a place between two characters. A span is hit by a kind
if an edit of that kind touches it. Only judged outputs count.
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import accumulate
from pathlib import Path

from celab import Campaign
from celab.findings.differences.diff import KINDS, differences, edits
from celab.people.error_spans import read_spans


def touches(edit: tuple[int, int], span: tuple[int, int]) -> bool:
    """Return whether an edit, or the place of an omission, is at least partly inside a span."""
    return edit[0] < span[1] and span[0] < max(edit[1], edit[0] + 1)


def measure(folder: Path, lang: str) -> None:
    """Print a row for each kind, and one for all of them."""
    systems = sorted((folder / "hyp").glob("*.txt"))
    corpus = Campaign.read(folder / "ref-A.txt", systems).corpus
    file = folder / "spans-appraise.csv"
    by_output: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for judgment in read_spans(file, corpus):
        marked = by_output.setdefault((judgment.system, judgment.segment or 0), [])
        marked += [error.place for error in judgment.spans if error.place is not None]
    inside, hits = Counter[str](), Counter[str]()
    seen: dict[str, set[tuple[str, int, int]]] = {kind: set() for kind in (*KINDS, "any")}
    names = list(corpus.systems)
    for name, of_system in zip(
        names, differences(corpus.refs[0], [*corpus.systems.values()]), strict=True
    ):
        for segment, difference in enumerate(of_system):
            if (name, segment) not in by_output:
                continue
            starts = [0, *accumulate(map(len, difference.hyp.texts))]
            for edit in edits(difference, lang):
                place = starts[edit.hyp[0]], starts[edit.hyp[1]]
                touched = [
                    k for k, span in enumerate(by_output[name, segment]) if touches(place, span)
                ]
                for kind in (edit.kind, "any"):
                    hits[kind] += 1
                    inside[kind] += bool(touched)
                    seen[kind].update((name, segment, k) for k in touched)
    report(corpus.systems, by_output, file.name, hits, inside, seen)


def report(
    systems: dict[str, list[str]],
    by_output: dict[tuple[str, int], list[tuple[int, int]]],
    file: str,
    hits: Counter[str],
    inside: Counter[str],
    seen: dict[str, set[tuple[str, int, int]]],
) -> None:
    """Print the table."""
    n_spans = sum(map(len, by_output.values()))
    marked = sum(len({i for span in x for i in range(*span)}) for x in by_output.values())
    characters = sum(len(systems[name][segment]) for name, segment in by_output)
    print(f"{file}: {len(by_output)} outputs, {n_spans} spans with a place")
    print(f"share of characters in a span: {marked / characters:.1%}")
    for kind in (*KINDS, "any"):
        if hits[kind]:
            print(
                f"{kind}\t{hits[kind]}\t{inside[kind] / hits[kind]:.1%}"
                f"\t{len(seen[kind])}\t{len(seen[kind]) / n_spans:.1%}"
            )


if __name__ == "__main__":
    measure(Path(sys.argv[1]), sys.argv[2])
