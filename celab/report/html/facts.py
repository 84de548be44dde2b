"""Facts of a report, each with its evidence, and the next steps that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from celab.base.arguments import JsonObject, Variables
from celab.people.disagreement import PEOPLE, RankComparison
from celab.report.html.headline import names_with_and, pair_of
from celab.statistics.difference import MIN_SEGMENTS
from celab.tables import cells
from celab.tables.cells import Phrase, listed, quantity
from celab.tables.sentences import OVERLAP

NOUNS = {  # kinds of differences in a sentence
    "omitted": "omissions",
    "replaced": "replacements",
    "latin": "Latin words left",
    "number": "differences in numbers",
    "added": "additions",
    "punctuation": "differences in punctuation",
    "moved": "moved words",
    "term": "missed terms",
}


class EvidenceLink(NamedTuple):
    """A link to evidence: its text, the section, and two systems to compare, or a view of the list.

    The systems are numbered as in the data of the page.
    """

    text: str
    section: str = "segments"
    pair: tuple[int, int] | None = None
    view: JsonObject | None = None


class Fact(NamedTuple):
    """A heading, its explanation, and a link with a text."""

    heading: Phrase
    sentences: Sequence[Phrase]
    link: EvidenceLink | None = None


class NextStep(NamedTuple):
    """A next step: a link or none, the text behind it, and the words of a command."""

    link: EvidenceLink | None
    text: Phrase | None = None
    command: str = ""


def broken_fact(metric: Variables) -> Fact | None:
    """Return the fact about broken outputs: number, kinds, and effect on scores."""
    checked = metric["campaign"].outputs
    if checked is None or not checked.n_flagged:
        return None
    flagged = checked.flagged
    of_systems, kinds = flagged.count("system"), flagged.count("kind")
    total = of_systems.total()
    name, most = of_systems.most_common(1)[0]
    count = (
        Phrase("1 output looks broken")
        if total == 1
        else Phrase("{0} outputs look broken", f"{total:,}")
    )
    heading = Phrase("{0}, {1} of {2}", count, str(most), name) if 1 < most < total else count
    if most == total and len(metric["names"]) > 1:
        heading = Phrase("{0}, of {1}", count, name)
    common = kinds.most_common(2)
    named = listed([Phrase("{1} ({0})", str(n), Phrase(kind)) for kind, n in common])
    sentences = [Phrase("Most often: {0}." if len(kinds) > 2 else "Kinds: {0}.", named)]
    cost = metric["costs"].get(name)
    if cost is not None and cost["moved"] > 0:
        places = cost["rank"], str(cost["place"])
        pattern = "Without them {2} would be at place {0} by score, not {1}."
        sentences.append(Phrase(pattern, *places, name))
    # The link lists segments, and several systems may have such an output in one of them.
    n_segments = len({row.segment for row in flagged.rows})
    text = Phrase("Read it") if total == 1 else Phrase("Read the {0}", f"{total:,}")
    if n_segments < total:
        text = Phrase("Read the {0} outputs in {1}", f"{total:,}", quantity(n_segments))
    return Fact(heading, sentences, EvidenceLink(text, view={"kind": "not translations"}))


def differs_fact(metric: Variables) -> Fact | None:
    """Return the fact about a kind of edit that one of two systems has significantly more of."""
    pair, browsed = pair_of(metric), metric["browsed"]
    if pair is None:
        return None
    a, b = pair
    names, errors = browsed["systems"], browsed["errors"]
    i, j = names.index(a), names.index(b)
    place = list(combinations(range(len(names)), 2)).index((min(i, j), max(i, j)))
    more: dict[str, list[Phrase]] = {a: [], b: []}
    found = []
    for k, kind in enumerate(errors["kinds"]):
        apart = errors["rates"][i][k][1] - errors["rates"][j][k][1]
        if errors["pairs"][place][k][1]:
            found.append((abs(apart), kind, a if apart > 0 else b))
    for size, kind, name in sorted(found, reverse=True)[:2]:
        figure = cells.score(size, 1)
        more[name].append(Phrase("{0} (+{1})", Phrase(NOUNS[kind]), figure))
    sentences = [
        Phrase(
            "{0} has more {2} in 1,000 characters than {1}.",
            *(name, b if name == a else a, names_with_and(kinds)),
        )
        for name, kinds in more.items()
        if kinds
    ]
    if not sentences:
        sentences = [Phrase("No kind of difference is significantly more frequent in one of them.")]
    majors = _major_errors(metric)
    if majors and (majors.get(a) or majors.get(b)):
        counts = str(majors.get(a, 0)), str(majors.get(b, 0))
        sentences.append(
            Phrase("People mark major errors: {0} in {1}, {2} in {3}.", counts[0], a, counts[1], b)
        )
    link = EvidenceLink(Phrase("{0} against {1}", a, b), "pair", (i, j))
    return Fact(Phrase("What differs"), sentences, link)


def _major_errors(metric: Variables) -> dict[str, int]:
    spans = metric["campaign"].spans
    counts: dict[str, int] = {}
    for span in () if spans is None else spans.spans:
        if "major" in span.severity.lower() or "critical" in span.severity.lower():
            counts[span.system] = counts.get(span.system, 0) + 1
    return counts


def lowest_fact(metric: Variables) -> Fact | None:
    """Return the domain or the lengths on which one system scores lowest."""
    buckets = metric["browsed"]["buckets"]
    kind = "domain" if "domain" in buckets else "length"
    labels, numbers = buckets[kind]
    scores = next(iter(metric["of_system"].values())).segments.scores
    numbers = np.asarray(numbers)
    means = {
        k: float(np.nanmean(scores[numbers == k]))
        for k in range(len(labels))
        if (numbers == k).sum() >= MIN_SEGMENTS
    }
    if len(means) < 2:
        return None
    worst = (min if metric["higher"] else max)(means, key=means.__getitem__)
    n, name = max(metric["digits"] - 1, 0), labels[worst]
    heading = (
        Phrase("Lowest: domain {0}", name)
        if kind == "domain"
        else Phrase("Lowest: {0} characters", name)
    )
    count = quantity(int((numbers == worst).sum()))
    value = cells.score(means[worst], n, "page")
    whole = cells.score(float(np.nanmean(scores)), n, "page")
    text = Phrase("Its {0} have {1} on average, all segments {2}.", count, value, whole)
    view: JsonObject = {"domain": int(worst)} if kind == "domain" else {"bucket": f"length:{worst}"}
    return Fact(heading, [text], EvidenceLink(Phrase("Read its {0}", count), view=view))


FREE = Phrase("Overlap can under-rate free translations: do not rank strong systems by it alone.")


def trust_fact(metric: Variables) -> Fact:
    """Return the fact about the reliability of the order of systems by the metric."""
    ranks: RankComparison | None = metric["ranks"]
    if ranks is None:
        sentences = [Phrase(OVERLAP), FREE]
        if metric["judge"] is None:
            sentences.insert(1, Phrase("No people’s scores are given."))
        return Fact(Phrase("Trust"), sentences)
    agreed = ranks.n_pairs - ranks.n_apart
    judge = Phrase("people") if ranks.judge == PEOPLE else ranks.judge
    pattern = "Overlap and {0} order {1} of {2} pairs alike."
    if ranks.n_pairs == 1:
        text = Phrase(
            "Overlap and {0} order the two alike."
            if agreed
            else "Overlap and {0} order the two differently.",
            judge,
        )
    else:
        text = Phrase(pattern, judge, str(agreed), str(ranks.n_pairs))
    link = None
    if (key := metric["listed_judge"]) is not None:
        view = {"sort": f"disagree:{key}", "order": "descending"}
        link = EvidenceLink(Phrase("Where they disagree"), view=view)
    return Fact(Phrase("Trust"), [text, FREE], link)


def steps_of(metric: Variables) -> Iterator[NextStep]:
    """Yield at most three next steps."""
    names, pair, key = metric["names"], pair_of(metric), metric["listed_judge"]
    if key is not None:
        view = {"sort": f"disagree:{key}", "order": "descending"}
        judge = Phrase("people") if key == PEOPLE else metric["judge"]["name"]
        text = Phrase("Read the segments on which overlap and {0} disagree most", judge)
        yield NextStep(
            EvidenceLink(text, view=view), Phrase("references of 10 characters or more come first.")
        )
    elif pair is not None:
        numbers = names.index(pair[0]), names.index(pair[1])
        text = Phrase("Read the segments on which {0} and {1} differ most", *pair)
        yield NextStep(EvidenceLink(text, view={"a": numbers[0], "b": numbers[1]}))
    else:
        text = Phrase("Read the segments that lost most")
        yield NextStep(EvidenceLink(text, view={"sort": "worst"}))
    checked = metric["campaign"].outputs
    if checked is not None and checked.n_flagged:
        name, n = checked.flagged.count("system").most_common(1)[0]
        common = checked.flagged.where(system=name).count("kind").most_common(2)
        kinds = listed([Phrase("{1} ({0})", str(count), Phrase(kind)) for kind, count in common])
        number = names.index(name)
        view = {"a": number, "kind": "not translations"}
        pattern = "Repair the outputs of {0}" if n > 1 else "Repair an output of {0}"
        yield NextStep(
            EvidenceLink(Phrase(pattern, name), view=view),
            Phrase("{0} of them look broken: {1}.", str(n), kinds)
            if n > 1
            else Phrase("it looks broken: {0}.", kinds),
        )
    others = [judge for judge in metric["browsed"].get("judges", ()) if judge["key"] != PEOPLE]
    if not others:
        has_people = bool(metric["browsed"].get("judges"))
        text = Phrase("Report people’s scores, or a trained metric, beside overlap:")
        if not has_people:
            text = Phrase("Add people’s scores, or a trained metric:")
        command = "--scores COMET=comet.json" if has_people else "--human human.tsv"
        yield NextStep(None, text, command)
