"""Laws of terms: against the slow twin, and how one more term, or another order, changes counts."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st
from oracle import terms as oracle

import celab
from celab.corpus import Corpus, Segment
from celab.terminology.glossary import Glossary, Term
from celab.terminology.occurrences import TermFinder, match
from celab.terminology.term_tokens import PhraseIndex, disjoint

LETTERS = "甲乙丙丁"
texts = st.text(LETTERS, max_size=9)
phrases = st.text(LETTERS, min_size=1, max_size=3)


@st.composite
def glossaries(draw, most=5):
    sources = draw(st.lists(phrases, min_size=1, max_size=most, unique=True))
    terms = []
    for source in sources:
        targets = draw(st.lists(phrases, min_size=1, max_size=2, unique=True))
        others = phrases.filter(lambda phrase, targets=targets: phrase not in targets)
        terms.append(Term(source, tuple(targets), tuple(draw(st.lists(others, max_size=1)))))
    return terms


def counts(terms, source, output):
    """Occurrences, right ones and forbidden uses of each term, by number."""
    finder = TermFinder(Glossary(tuple(terms)), "zh", "zh")
    found = finder.in_source([source])
    (use,) = finder.use(found, [output])
    result = {number: [0, 0, 0] for number in range(len(terms))}
    for occurrence, phrase in zip(found[0], use.rendered, strict=True):
        result[occurrence.term][0] += 1
        result[occurrence.term][1] += phrase is not None
    for term, _ in use.forbidden:
        result[term][2] += 1
    return result


def tokens(terms):
    return [
        (tuple(t.source), tuple(map(tuple, t.targets)), tuple(map(tuple, t.forbidden)))
        for t in terms
    ]


@given(glossaries(), texts, texts)
def test_counts_are_those_of_the_twin(terms, source, output):
    assert counts(terms, source, output) == oracle.counts(tokens(terms), source, output)


@given(st.lists(st.lists(st.sampled_from(["a", "bb", "c"]), min_size=1, max_size=3)), st.data())
def test_finds_are_those_of_the_twin(several, data):
    text = data.draw(st.lists(st.sampled_from(["a", "bb", "c"]), max_size=12))
    unique = list(dict.fromkeys(map(tuple, several)))
    found = disjoint(PhraseIndex(unique).find(text), text)
    expected = oracle.disjoint(oracle.found(text, set(unique)))
    assert [(f.start, f.stop, unique[f.phrases[0]]) for f in found] == expected


@given(
    st.lists(st.integers(0, 3), max_size=6),
    st.lists(st.frozensets(st.integers(0, 3), max_size=3), max_size=5),
)
def test_matching_is_that_of_the_twin(occurrences, hits):
    assert match(occurrences, hits) == oracle.best_matching(occurrences, hits)


def overlap(finds, others):
    """Whether any of some finds overlaps any of others."""
    return any(a[0] < b[1] and b[0] < a[1] for a in finds for b in others)


@given(glossaries(), texts, texts, st.integers(0, 4))
def test_one_more_term_changes_no_other_unless_they_overlap_or_share_a_target(
    terms, source, output, number
):
    assume(len(terms) > 1)
    new = terms[number % len(terms)]
    others = [term for term in terms if term is not new]
    new_phrases = {*map(tuple, new.targets), *map(tuple, new.forbidden)}
    old_phrases = {tuple(p) for term in others for p in (*term.targets, *term.forbidden)}
    assume(not new_phrases & old_phrases)
    sources = {tuple(term.source) for term in others}
    assume(not overlap(oracle.found(source, {tuple(new.source)}), oracle.found(source, sources)))
    assume(not overlap(oracle.found(output, new_phrases), oracle.found(output, old_phrases)))
    before, after = counts(others, source, output), counts([*others, new], source, output)
    assert [after[k] for k in range(len(others))] == [before[k] for k in range(len(others))]


@st.composite
def corpora(draw):
    n_segments = draw(st.integers(1, 4))
    sides = st.lists(texts, min_size=n_segments, max_size=n_segments)
    segments = [Segment(draw(st.sampled_from("xy")), str(k)) for k in range(n_segments)]
    systems = {name: draw(sides) for name in "AB"}
    source = draw(sides)
    return Corpus(
        segments=segments, systems=systems, refs=[draw(sides)], ref_names=["ref"], source=source
    )


def check(terms, corpus, **settings):
    settings = {"source_lang": "zh", "n_resamples": 40} | settings
    return celab.terms(terms, corpus, **settings)


def occurs(terms, corpus):
    return any(term.source in text for term in terms for text in corpus.source)


@given(glossaries(), corpora())
def test_figures_add_up(terms, corpus):
    assume(occurs(terms, corpus))
    result = check(terms, corpus)
    totals = {name: [0, 0, 0] for name in corpus.systems}
    for name, hyps in corpus.systems.items():
        for source, hyp in zip(corpus.source, hyps, strict=True):
            of_terms = oracle.counts(tokens(terms), source, hyp).values()
            totals[name] = [sum(row) for row in zip(totals[name], *of_terms, strict=True)]
    for figures in result.systems:
        assert [figures.occurrences, figures.right, figures.forbidden] == totals[figures.name]
        assert figures.accuracy == figures.right / figures.occurrences
        rows = [row.systems[figures.name] for row in result.terms]
        assert sum(row.right for row in rows) == figures.right
        assert sum(row.forbidden for row in rows) == figures.forbidden
        missed = [miss for miss in result.misses if miss.system == figures.name]
        assert len(missed) == figures.occurrences - figures.right
    accuracies = [figures.accuracy for figures in result.systems]
    assert accuracies == sorted(accuracies, reverse=True)
    assert [row.accuracy for row in result.terms] == sorted(row.accuracy for row in result.terms)


@given(glossaries(), corpora(), st.randoms())
def test_neither_the_order_of_segments_nor_of_systems_nor_of_terms_matters(terms, corpus, rng):
    assume(occurs(terms, corpus))
    order = rng.sample(range(len(corpus.segments)), len(corpus.segments))
    names = rng.sample(list(corpus.systems), 2)
    moved = Corpus(
        segments=[corpus.segments[k] for k in order],
        systems={name: [corpus.systems[name][k] for k in order] for name in names},
        refs=[[side[k] for k in order] for side in corpus.refs],
        ref_names=corpus.ref_names,
        source=[corpus.source[k] for k in order],
    )
    one, other = check(terms, corpus), check(rng.sample(terms, len(terms)), moved)

    def figures(result):
        return {
            f.name: (f.right, f.occurrences, f.forbidden)
            for f in result.systems + result.references
        }

    assert figures(one) == figures(other)
    for system in corpus.systems:
        assert {row.source: row.systems[system].right for row in one.terms} == {
            row.source: row.systems[system].right for row in other.terms
        } or shares_a_target(terms)


def shares_a_target(terms):
    targets = [phrase for term in terms for phrase in (*term.targets, *term.forbidden)]
    return len(set(targets)) < len(targets)


@given(glossaries(), corpora())
def test_a_system_beside_others_is_as_alone(terms, corpus):
    assume(occurs(terms, corpus))
    together = check(terms, corpus)
    for name, hyps in corpus.systems.items():
        alone = Corpus(
            segments=corpus.segments,
            systems={name: hyps},
            refs=corpus.refs,
            ref_names=corpus.ref_names,
            source=corpus.source,
        )
        figures, others = check(terms, alone)[name], together[name]
        assert (figures.right, figures.interval) == (others.right, others.interval)
        assert figures.forbidden == others.forbidden and figures.varied == others.varied
