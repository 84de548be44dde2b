"""How fast is TESLA-M from strings, on a first and on a second run, against sentence chrF?

German news of WMT21 (wmt21-ende-mqm of the data folder, for research use, see
bench/reproduction.md): 8 systems × 527 segments against reference A, one thread.

- first run: with an empty cache folder, once, in processor time, with where it goes;
- second run: a new metric, which finds the words of all sentences in the cache folder;
- matching: analyzed words in, segment scores out.

The last two are compared with sacreBLEU's sentence chrF, from strings. HanTa alone is also measured
on some sentences, since the first run replaces its slow methods by a kernel.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from data import FOLDER, lines
from HanTa import HanoverTagger
from measure import Failed, in_turns, number_from_command_line, summary, table, target, write
from sacrebleu.metrics import CHRF

import celab
from celab.exact import bags
from celab.metrics import bag_scorer
from celab.words.hanover import German

ROUNDS = 10
CHECKED = 20  # segments of each system
HANTA = 100  # sentences
GERMAN = FOLDER.parent / "wmt21-ende-mqm"


def main() -> None:
    rounds = number_from_command_line("rounds", ROUNDS, __doc__)
    if not GERMAN.is_dir():
        print(f"{GERMAN} is not there; TESLA-M cannot be measured without German text")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CELAB_LEXICONS"] = folder  # where words are remembered
        measure(rounds)


def measure(rounds: int) -> None:
    refs = lines(GERMAN / "ref-A.txt")
    systems = {path.stem: lines(path) for path in sorted((GERMAN / "hyp").glob("*.txt"))}
    n_pairs = len(refs) * len(systems)
    metric = celab.TeslaM(lang="de")

    steps = first_run(metric, refs, systems)
    first = sum(steps.values())
    n_sentences = len({*refs, *(hyp for hyps in systems.values() for hyp in hyps)})
    ours, alone = steps["analysis"] / n_sentences, hanta_alone(refs)
    print(f"first run: {n_pairs} pairs, {n_sentences} sentences\n")
    table(
        ["", "processor s", "share"],
        [
            [name, f"{t:.2f}", f"{t / first:.0%}"]
            for name, t in (steps | {"first run": first}).items()
        ],
    )
    print(
        f"analysis: {1e3 * ours:.2f} ms per sentence; HanTa alone, first tagging only:"
        f" {1e3 * alone:.1f} ms, {alone / ours:.0f} times as long\n"
    )

    scores = score_all(metric, refs, systems)
    check(scores, refs, systems)
    names, chrf = list(systems), CHRF()

    def again(_: int) -> None:
        if score_all(celab.TeslaM(lang="de"), refs, systems) != scores:
            raise Failed("the scores are not bit-equal from run to run")

    words = [numbered(metric, refs, hyps) for hyps in systems.values()]
    seconds = in_turns(
        {
            "matching": lambda _: [match(metric, *one) for one in words],
            "second run": again,
            "chrF": lambda turn: [
                chrf.sentence_score(hyp, [ref]).score
                for hyp, ref in zip(systems[names[turn % len(names)]], refs, strict=True)
            ],
        },
        rounds,
    )
    counts = dict.fromkeys(seconds, n_pairs) | {"chrF": len(refs)}
    rates = {name: [counts[name] / t for t in times] for name, times in seconds.items()}
    ratios = {
        name: [a / b for a, b in zip(rate, rates["chrF"], strict=True)]
        for name, rate in rates.items()
    }
    print(f"segments a second, medians of {rounds} rounds\n")
    table(
        ["", "segments/s", "times chrF", "lowest", "highest"],
        [
            [
                name,
                f"{statistics.median(rate):,.0f}",
                *(
                    f"{x:.2f}"
                    for x in (statistics.median(ratios[name]), min(ratios[name]), max(ratios[name]))
                ),
            ]
            for name, rate in rates.items()
        ],
    )
    ratio = statistics.median(ratios["matching"])
    target(f"matching at least as fast as chrF: {ratio:.1f} times", ratio >= 1)
    ratio = statistics.median(ratios["second run"])
    target(f"second run 3 times as fast as chrF: {ratio:.1f} times", ratio >= 3)
    figures: dict[str, Any] = {
        f"{name}, segments/s": summary(rate, "1/s") for name, rate in rates.items()
    }
    figures |= {f"{name} / chrF": summary(some, "ratio") for name, some in ratios.items()}
    figures |= {f"first run: {name}": summary([t], "s") for name, t in steps.items()}
    figures |= {
        "first run": summary([first], "s"),
        "first run, analysis per sentence": summary([ours], "s"),
        "HanTa alone, per sentence": summary([alone], "s"),
    }
    facts = {"signature": metric.signature, "pairs": n_pairs, "sentences": n_sentences}
    write("words", GERMAN.name, figures, facts)


def score_all(metric: celab.TeslaM, refs: list[str], systems: dict[str, list[str]]) -> list[Any]:
    return [metric.corpus_score(hyps, [refs]) for hyps in systems.values()]


def numbered(metric: celab.TeslaM, refs: list[str], hyps: list[str]) -> tuple[Any, ...]:
    """Return the arguments of the kernel for one system."""
    words = metric.scorer([refs])._words
    sides, groups = metric.synonyms.number([words(hyps), words(refs)])
    return *sides, groups


def match(metric: celab.TeslaM, hyp: Any, ref: Any, groups: Any) -> np.ndarray:
    """Segment scores of analyzed words."""
    matched, _ = metric.matcher.match(hyp, ref, groups, metric.run, str)
    return bags.score_precision_recall(metric.matcher.features(matched))


def check(scores: list[Any], refs: list[str], systems: dict[str, list[str]]) -> None:
    """A sample again, by the kernel and by the whole program in HiGHS."""
    judge = celab.TeslaM(lang="de", solver="check")  # raises SolverError if the two differ
    draw = np.random.default_rng(7)
    for (name, hyps), score in zip(systems.items(), scores, strict=True):
        chosen = draw.permutation(len(hyps))[:CHECKED].tolist()
        found = judge.corpus_score([hyps[i] for i in chosen], [[refs[i] for i in chosen]])
        if not np.array_equal(found.segments.figures, score.segments.figures[chosen]):
            raise Failed(f"{name}: the checked scores are not those of the timed runs")
    print(f"checked: {CHECKED * len(scores)} segments equal the whole program's\n")


def first_run(
    metric: celab.TeslaM, refs: list[str], systems: dict[str, list[str]]
) -> dict[str, float]:
    """Seconds of processor time of each step, from strings, with nothing read or remembered."""
    names = ("models and dictionaries", "analysis", "matching", "the rest")
    spent = dict.fromkeys(names, 0.0)

    def clocked(name: str, door: Any) -> Any:
        def call(*arguments: Any) -> Any:
            began = time.process_time()
            try:
                return door(*arguments)
            finally:
                spent[name] += time.process_time() - began

        return call

    words = metric.analyzer
    began = time.process_time()
    # A noun, so that the dictionary of nouns and the counts of compounds are read, too.
    clocked("models and dictionaries", words.analyzer.analyze)(["Ein Regenschirm."])
    with (
        mock.patch.object(words, "analyze", clocked("analysis", words.analyze)),
        mock.patch.object(bag_scorer, "match_bags", clocked("matching", bag_scorer.match_bags)),
    ):
        score_all(metric, refs, systems)
    spent["the rest"] = time.process_time() - began - sum(spent.values())
    return spent


def hanta_alone(refs: list[str]) -> float:
    """Seconds of processor time that HanTa takes for a sentence, as it is installed."""
    forms = [German().forms(ref) for ref in refs[:HANTA]]
    tagger = HanoverTagger.HanoverTagger(str(Path(HanoverTagger.__file__).with_name(German.model)))
    began = time.process_time()
    for tokens in forms:
        tagger.tag_sent(tokens)
    return (time.process_time() - began) / len(forms)


if __name__ == "__main__":
    main()
