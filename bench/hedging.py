"""What does an output gain by saying more than one translation?

    python bench/hedging.py [--segments N] [--ter] [SET ...]

Outputs of real systems are put side by side, mixed at their differences, repeated or stuffed, and
the gain is the score of the result less that of the best of its parts: by the recommended settings,
by these without their limit of length, by the settings of the paper, and by chrF, BLEU and TER
(whose sign is turned round, and which takes hours on long segments), all from 0 to 1. Without
data, the systems of examples/campaign.

Each limited score of the table is checked against the unlimited scores of its segments, times the
factor that the lengths of the texts say.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
from data import data_folder, lines
from measure import Failed, say, table, target, write

import celab

SETS = {
    "wmt24-enzh-esa": "zh",
    "wmt21-enzh-sys": "zh",
    "wmt24-enja-esa-news-speech": "ja",
    "wmt21-enja-sys": "ja",
    "wmt21-ende-mqm": "de",
    "enko-mqm-globalvoices": "ko",
    "wmt21-zhen-mqm": "en",
}
EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "campaign"
SPACED = ("de", "ko", "en")  # languages with spaces between words
N_FREQUENT = 60  # characters that stuff an output
N_LISTED = 4  # candidates; twelve take half an hour, and lose more
NOTHING, LITTLE = 0.003, 0.01  # most gain that recommended settings should give
Texts = list[str]


@dataclass(frozen=True)
class Set:
    """A test set: references and the outputs of systems, the best first by recommended settings."""

    name: str
    lang: str
    refs: Texts
    systems: dict[str, Texts]


@dataclass(frozen=True)
class Trick:
    """A way to make one output of several; `parts` are those whose best score it must not beat."""

    name: str
    parts: tuple[int, ...]
    make: Callable[[Sequence[str]], str]
    most: float  # gain


def read(name: str, n_segments: int) -> Set:
    """Return a set of the data folder, or the bundled example, with its first segments."""
    if name == EXAMPLE.name:
        folder, reference, outputs, lang = EXAMPLE, "ref.zh", "systems/*", "zh"
    else:
        folder, reference, outputs = data_folder() / name, "ref-A.txt", "hyp/*.txt"
        lang = SETS[name]
    systems = {
        path.stem: lines(path)[:n_segments]
        for path in sorted(folder.glob(outputs))
        if path.is_file()
    }
    return Set(name, lang, lines(folder / reference)[:n_segments], systems)


def mixed(a: str, b: str, spaced: bool, most: float = np.inf) -> str:
    """Return `a` with what `b` has instead where they differ, until `most` times its length."""
    left, right = ([f"{word} " for word in text.split()] if spaced else [*text] for text in (a, b))
    text, left_over = "", (most - 1) * len(a)
    for _, a1, a2, b1, b2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        text += "".join(left[a1:a2])
        other = "".join(right[b1:b2])
        if left[a1:a2] != right[b1:b2] and len(other) <= left_over:
            text, left_over = text + other, left_over - len(other)
    return text.strip()


def with_synonyms(text: str, lexicon: dict[str, str]) -> str:
    """Return a text with the synonyms of its longest lexicon words after each of them."""
    out, start = "", 0
    while start < len(text):
        stop = next(
            (
                s
                for s in range(min(start + 6, len(text)), start + 1, -1)
                if text[start:s] in lexicon
            ),
            start + 1,
        )
        word = text[start:stop]
        out, start = out + word + lexicon.get(word, ""), stop
    return out


def tricks(data: Set, lexicon: dict[str, str]) -> Iterator[Trick]:
    """Yield the tricks; each takes the outputs of the chosen systems for a segment."""
    spaced = data.lang in SPACED
    gap = " " if spaced else ""
    frequent = "".join(
        c for c, _ in Counter("".join(data.refs)).most_common(N_FREQUENT) if c != " "
    )
    yield Trick("repeated", (0,), lambda p: p[0] + gap + p[0], NOTHING)
    yield Trick(
        f"and the {N_FREQUENT} most frequent characters",
        (0,),
        lambda p: p[0] + gap + frequent,
        NOTHING,
    )
    if lexicon:
        yield Trick(
            "a lexicon's synonyms after each word",
            (0,),
            lambda p: with_synonyms(p[0], lexicon),
            LITTLE,
        )
    if len(data.systems) < 3:
        return
    yield Trick("2 side by side", (0, 1), lambda p: gap.join(p[:2]), NOTHING)
    yield Trick("3 side by side", (0, 1, 2), lambda p: gap.join(p[:3]), NOTHING)
    yield Trick("with a slash", (0, 1), lambda p: " / ".join(p[:2]), NOTHING)
    yield Trick("in brackets", (0, 1), lambda p: f"{p[0]}（{p[1]}）", NOTHING)
    n = min(N_LISTED, len(data.systems))
    yield Trick(f"list of {n} candidates", tuple(range(n)), lambda p: "\n".join(p[:n]), NOTHING)
    yield Trick("mixed", (0, 1), lambda p: mixed(p[0], p[1], spaced), LITTLE)
    for most in (1.1, 1.2, 1.3):
        yield Trick(
            f"mixed until {most} times",
            (0, 1),
            lambda p, most=most: mixed(p[0], p[1], spaced, most),
            LITTLE,
        )


def synonyms(metric: celab.TeslaCelab) -> dict[str, str]:
    """Return up to two synonyms of each word of the metric's lexicon."""
    lexicon = metric.engine.lexicon
    if lexicon is None:
        return {}
    words: dict[str, list[str]] = {}
    for group in range(lexicon.n_groups):
        members = [*lexicon.members(group)]
        for word in members:
            words.setdefault(word, []).extend(w for w in members if w != word)
    return {word: "".join(dict.fromkeys(others[:2])) for word, others in words.items() if others}


def metrics(lang: str, has_ter: bool = False) -> dict[str, celab.Metric]:
    """Return the metrics of the table by their headings."""
    return {
        "recommended": celab.recommended(lang),
        "no limit": celab.recommended(lang, length_limit=1000),
        "paper": celab.TeslaCelab(lang=lang),
        "chrF": celab.Chrf(lang),
        "BLEU": celab.Bleu(lang),
        **({"TER": celab.Ter(lang)} if has_ter else {}),
    }


def goodness(metric: celab.Metric, score: float) -> float:
    """Return a score from 0 to 1 of which more is better."""
    share = score / metric.scale
    return share if metric.higher_is_better else -share


def check(data: Set, texts: Texts, by: dict[str, celab.Metric]) -> None:
    """Raise unless each limited segment is the unlimited one times its factor of length."""
    pairs = zip(views(by["recommended"]), views(by["no limit"]), strict=True)
    for limited, free in pairs:
        scores, others = (
            m.corpus_score(texts, [data.refs]).segments.scores for m in (limited, free)
        )
        n_hyp, n_ref = (
            [len(limited.engine.tokens(t)) for t in limited.engine.prepare(side)]
            for side in (texts, data.refs)
        )
        limit = limited.options.length_limit
        factors = [
            min(1.0, max(limit * r, r + 2) / max(o, 1)) for o, r in zip(n_hyp, n_ref, strict=True)
        ]
        if not np.allclose(scores, others * factors, rtol=0, atol=1e-12):
            raise Failed(f"{data.name}: a limited score is not that of its length")


def views(metric: celab.Metric) -> Sequence[celab.TeslaCelab]:
    """Return the metric, or the parts of a mean."""
    return getattr(metric, "parts", (metric,))


def measure(
    data: Set, by: dict[str, celab.Metric]
) -> Iterator[tuple[str, Trick, float, list[float]]]:
    """Yield for each trick and choice of systems its length and its gain by each metric."""
    scores = {
        heading: {
            name: goodness(m, s.score)
            for name, s in m.corpus_scores(data.systems, [data.refs]).items()
        }
        for heading, m in by.items()
    }
    ranked = sorted(data.systems, key=scores["recommended"].__getitem__, reverse=True)
    choices = {"best": ranked, "worst": ranked[::-1]} if len(ranked) > 2 else {"only": ranked}
    lexicon = synonyms(views(by["recommended"])[-1])
    for which, names in choices.items():
        for trick in tricks(data, lexicon):
            outputs = zip(*(data.systems[name] for name in names), strict=True)
            texts = [trick.make(parts) for parts in outputs]
            gains = []
            for heading, metric in by.items():
                best = max(scores[heading][names[part]] for part in trick.parts)
                gains.append(goodness(metric, metric.corpus_score(texts, [data.refs]).score) - best)
            ratio = sum(map(len, texts)) / max(1, sum(map(len, data.refs)))
            check(data, texts, by)
            yield which, trick, ratio, gains


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--segments", type=int, default=250, help="of each set (default: %(default)s)"
    )
    parser.add_argument("--ter", action="store_true", help="measure TER, too")
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"{', '.join(SETS)} (default: all)")
    given = parser.parse_args()
    there = [name for name in SETS if (data_folder() / name).is_dir()]
    rows, greatest = [], {}
    for name in given.sets or there or [EXAMPLE.name]:
        data = read(name, given.segments)
        by = metrics(data.lang, given.ter)
        for which, trick, ratio, gains in measure(data, by):
            gain = gains[0]
            kind = trick.most, trick.name.partition(" until")[0]
            greatest[kind] = max(greatest.get(kind, -np.inf), gain)
            rows.append(
                [f"{data.name}, {which}", trick.name, f"{ratio:.2f}", *(f"{g:+.4f}" for g in gains)]
            )
    say(f"Gain over the best part; the first {given.segments} segments of each set, one reference.")
    table(["systems", "trick", "length", *by], rows)
    for (most, name), gain in greatest.items():
        target(
            f"{name}: recommended settings give at most {most}: {gain:+.4f}",
            gain <= most,
        )
    write("hedging", ", ".join(given.sets or there or [EXAMPLE.name]), {}, {"rows": rows})


if __name__ == "__main__":
    main()
