"""Terms in texts, in the most obvious way: every span, every matching.

A phrase is a tuple of tokens and is found wherever a text has these tokens. Of finds that overlap
the longest is taken, then the leftmost, and what overlaps it is dropped, until nothing is left. A
matching gives some occurrences a hit each, of a phrase that is a target of their term, and no hit
to two. The best has the most pairs; of these, the one that leaves out the latest occurrences; of
these, the one that gives the first occurrence the earliest hit, then the second, and so on.

A term is (source tokens, tuple of targets, tuple of forbidden phrases), all as tuples of tokens.
"""

from itertools import product


def found(tokens, phrases):
    """All (start, stop, phrase) of a text."""
    tokens = tuple(tokens)
    return [
        (start, stop, tokens[start:stop])
        for start in range(len(tokens))
        for stop in range(start + 1, len(tokens) + 1)
        if tokens[start:stop] in phrases
    ]


def length(find):
    return sum(map(len, find[2]))


def disjoint(finds):
    """Those that are left if the longest, then the leftmost, drives out what overlaps it."""
    left, chosen = list(finds), []
    while left:
        best = min(left, key=lambda find: (-length(find), find[0]))
        chosen.append(best)
        left = [find for find in left if find[1] <= best[0] or find[0] >= best[1]]
    return sorted(chosen)


def matchings(occurrences, hits):
    """Every matching, as a tuple with the number of each occurrence's hit, or None."""
    choices = [
        [None, *(h for h, accepting in enumerate(hits) if term in accepting)]
        for term in occurrences
    ]
    for chosen in product(*choices):
        used = [hit for hit in chosen if hit is not None]
        if len(used) == len(set(used)):
            yield chosen


def best_matching(occurrences, hits):
    """The matching that the rules choose."""

    def rank(chosen):
        is_left_out = tuple(hit is None for hit in chosen)
        return sum(is_left_out), is_left_out, tuple(hit or 0 for hit in chosen)

    return list(min(matchings(occurrences, hits), key=rank))


def counts(glossary, source, output):
    """For each term: occurrences, right ones, and forbidden uses, in one segment."""
    sources = {term[0]: number for number, term in enumerate(glossary)}
    phrases = {phrase for _, targets, forbidden in glossary for phrase in (*targets, *forbidden)}
    occurrences = [sources[phrase] for _, _, phrase in disjoint(found(source, sources))]
    hits = [phrase for _, _, phrase in disjoint(found(output, phrases))]
    accepting = [
        {number for number, (_, targets, _) in enumerate(glossary) if phrase in targets}
        for phrase in hits
    ]
    matched = best_matching(occurrences, accepting)
    result = {number: [0, 0, 0] for number in range(len(glossary))}
    for term, hit in zip(occurrences, matched, strict=True):
        result[term][0] += 1
        result[term][1] += hit is not None
    for number, phrase in enumerate(hits):
        guilty = [term for term in occurrences if phrase in glossary[term][2]]
        if number not in matched and guilty:
            result[guilty[0]][2] += 1
    return result
