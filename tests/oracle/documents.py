"""All ways to cut a text at the segments of a reference, tried one by one.

The twin of `celab.corpus.align.objective` and `celab.corpus.align.cutting`: features are counted on
strings, and every non-decreasing choice of candidates is tried. The classes of characters are
those of `celab.corpus.align.characters`, and the cuts of the edit alignment are taken as given.
"""

import math
from collections import Counter
from itertools import pairwise, product

from celab.corpus.align.characters import CharacterKind

LETTERS = (
    CharacterKind.LETTER,
    CharacterKind.DIGIT,
    CharacterKind.IDEOGRAPH,
    CharacterKind.HIRAGANA,
    CharacterKind.KATAKANA,
)
UNSPACED = (CharacterKind.IDEOGRAPH, CharacterKind.HIRAGANA, CharacterKind.KATAKANA)


def rounded(value):
    return round(value * 1024) / 1024  # both round half to even


def ngrams(text, order):
    return Counter(text[i : i + order] for i in range(len(text) - order + 1))


class Twin:
    def __init__(self, text, refs, edit_cuts):
        self.text, self.refs, self.edit_cuts = text, refs, edit_cuts
        self.kinds = text.kinds.tolist()
        self.whole = "".join(ref.folded for ref in refs)
        self.ratio = len(text) / max(1, len(self.whole))

    def rarity(self, gram):
        spread = sum(gram in ref.folded for ref in self.refs)
        return rounded(1 - math.log(max(spread, 1)) / math.log(len(self.refs) + 1))

    def segment(self, number, start, end):
        ref, piece = self.refs[number], self.text.folded[start:end]
        values = {}
        for order in (1, 2, 3):
            common = ngrams(piece, order) & ngrams(ref.folded, order)
            values[f"common{order}"] = sum(n * self.rarity(gram) for gram, n in common.items())
        expected = self.ratio * len(ref)
        values["length"] = rounded(min(abs(end - start - expected) / math.sqrt(expected + 4), 6.0))
        values["blank"] = start == end
        solid = self.text.solid[start:end]
        values["unbalanced"] = (quotes(solid) != quotes(ref.solid)) + min(
            abs(brackets(solid) - brackets(ref.solid)), 2
        )
        return values

    def stands(self, character, by_mark):
        """How often a character stands before (or after) a mark, and the rate of all of them."""
        sides = [(ref.folded, list(ref.kinds)) for ref in self.refs]
        hits = all_hits = total = 0
        for text, kinds, bounded in [
            *((text, kinds, True) for text, kinds in sides),
            (self.text.folded, list(self.text.kinds), False),
        ]:
            for place, letter in enumerate(text):
                other = place + by_mark
                hit = bounded if not 0 <= other < len(text) else kinds[other] not in LETTERS
                hits += hit and letter == character
                all_hits += hit
                total += 1
        rate = max(all_hits, 1) / total
        count = (self.whole + self.text.folded).count(character)
        return rounded(math.log((hits / rate + 2) / (count + 2)))

    def pair(self, place):
        both = self.text.folded[place - 1 : place + 1]
        # Pairs are counted in the references put together, and in the text.
        count = sum(
            side[i : i + 2] == both
            for side in (self.whole, self.text.folded)
            for i in range(len(side) - 1)
        )
        return rounded(math.log(count))

    def cut(self, number, place):
        values = {"distance": rounded(min(abs(place - self.edit_cuts[number]), 20) / 10)}
        if not 0 < place < len(self.text):
            return values
        folded, ref, following = self.text.folded, self.refs[number], self.refs[number + 1]
        a, b = self.kinds[place - 1], self.kinds[place]
        x, y = ref.kinds[-1], following.kinds[0]
        before, after = folded[:place], folded[place:]
        last, first = before[-1] == ref.folded[-1], after[0] == following.folded[0]
        unspaced = a in UNSPACED and b in UNSPACED
        return values | {
            "last_mark": last and a not in LETTERS,
            "last_letter": last and a in LETTERS,
            "last_two": len(before) > 1 and len(ref) > 1 and before[-2:] == ref.folded[-2:],
            "first_mark": first and b not in LETTERS,
            "first_letter": first and b in LETTERS,
            "first_two": len(after) > 1
            and len(following) > 1
            and after[:2] == following.folded[:2],
            "after_end": a == CharacterKind.END,
            "after_closer": a == CharacterKind.CLOSER,
            "after_comma": a == CharacterKind.COMMA,
            "after_symbol": a == CharacterKind.SYMBOL,
            "after_letter": a == CharacterKind.LETTER,
            "after_closed_end": a == CharacterKind.CLOSER
            and place > 1
            and self.kinds[place - 2] == CharacterKind.END,
            "same_end": a == x or (a in UNSPACED and x in UNSPACED),
            "no_marks": a in LETTERS and x in LETTERS,
            "end_only": a == CharacterKind.END != x,
            "end_missing": a != CharacterKind.END == x,
            "comma_only": a == CharacterKind.COMMA != x,
            "before_mark": b not in LETTERS and b != CharacterKind.CLOSER,
            "before_closer": b == CharacterKind.CLOSER,
            "before_digit": b == CharacterKind.DIGIT,
            "before_letter": b == CharacterKind.LETTER,
            "same_start": b == y or (b in UNSPACED and y in UNSPACED),
            "alphabets": (a in UNSPACED and b == CharacterKind.LETTER)
            or (b in UNSPACED and a == CharacterKind.LETTER),
            "pair": self.pair(place) if unspaced else 0,
            "repeated_pair": unspaced and self.pair(place) > 0,
            "ending": self.stands(before[-1], 1) if a in LETTERS else 0,
            "starting": self.stands(after[0], -1) if b in LETTERS else 0,
            "before_hiragana": a in UNSPACED and b == CharacterKind.HIRAGANA,
            "katakana": a == b == CharacterKind.KATAKANA,
        }

    def value(self, cuts, weights):
        places = [0, *cuts, len(self.text)]
        features = [self.segment(i, *span) for i, span in enumerate(pairwise(places))]
        features += [self.cut(i, place) for i, place in enumerate(cuts)]
        return sum(weights[name] * value for each in features for name, value in each.items())


def quotes(text):
    return sum(text.count(quote) for quote in '"＂') % 2


def brackets(text):
    return sum(c in "（「『【《〈“„([" for c in text) - sum(c in "）」』】》〉”)]" for c in text)


def all_cuts(columns):
    """Every non-decreasing choice of one candidate for each cut."""
    for cuts in product(*columns):
        if all(a <= b for a, b in pairwise(cuts)):
            yield list(cuts)


def candidates(text, edit_cuts, near=16, marked=8, far=400):
    """The candidates of each cut, place by place."""
    places = [place for place in range(len(text) + 1) if text.may_cut[place]]
    columns = []
    for cut in edit_cuts:
        marks = [
            place
            for place in places
            if 0 < place < len(text) and text.kinds[place - 1] not in LETTERS
        ]
        before = [place for place in marks if place < cut][-marked:]
        after = [place for place in marks if place >= cut][:marked]
        column = {place for place in places if abs(place - cut) <= near}
        column |= {place for place in before + after if abs(place - cut) <= far}
        column.add(min(place for place in places if place >= cut))
        columns.append(sorted(column))
    return columns
