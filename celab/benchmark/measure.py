"""Measure: pairs → the time of each stage and each solver, sizes, steps and differences.

Everything starts at tokens and ends at values, the optima of the pairs' whole programs. The
reduction's values are the standard: a solver with a value that differs by more than 1e-6 of it, or
of 1, is wrong. Seconds are processor time of one thread, because the wall-clock time on a busy
machine includes other work. All solvers run in every round, because the load changes.

The pairs are sentences of files, or generated from options and a seed. A generated reference is a
sequence of units: words of a generated lexicon, and single characters that are in none of its
words. A hypothesis keeps a share of these units in runs, half of the kept words as another word of
their group. It replaces all other units, and swaps two parts of the sentence.

>>> options = TextOptions(pairs=2, length=6, overlap=1.0, density=0.0, repetition=0.0)
>>> pairs = generate(options)
>>> [sorted(hyp) == sorted(ref) for hyp, ref in zip(pairs.hyps, pairs.refs, strict=True)]
[True, True]
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from itertools import count, cycle
from pathlib import Path
from statistics import mean, median
from typing import Any, ClassVar

import numpy as np

from celab._native.cover import cover_pairs
from celab._native.tokens import Sentences
from celab.base import io
from celab.base.arguments import JsonObject
from celab.base.arrays import F64, I8
from celab.base.errors import InputError
from celab.base.options import Options, option
from celab.base.run import Progress, split
from celab.base.text.tokens import is_blank
from celab.base.version import __version__
from celab.benchmark.solvers import Solver, WorkerError, solve_all, timed
from celab.exact.engine import Pairs
from celab.exact.solve import Program
from celab.metrics.celab import TeslaCelab

Figures = JsonObject  # a part of the JSON object that is reported
TOLERANCE = 1e-6
REDUCTION = "reduction"
STEPS = ("settled", "apart", "bounded", "priced", "program")  # as cover_pairs numbers them
STAGES = ("normalise", "tokens", "links and cover", "HiGHS on the rest", "whole programs")
LENGTHS = (10, 20, 40, 80, 160)  # for growth
MOST_PAIRS = 25  # of each length
_COMPLETE = ("agrees", "wrong")  # states of solvers that completed all rounds
_ALWAYS_SHOWN = ("name", "package", "version", "how", "state", "why")
_TICK = 1e-9  # seconds; a clock that is coarse may say 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions(Options):
    """How long to measure."""

    heading: ClassVar[str] = "Measurement"

    rounds: int = option(3, "rounds; all solvers take turns in each", between=(1, 10_000))
    timeout: float = option(120.0, "seconds for a solver and all its rounds", between=(1e-3, 1e6))


def stages_of(pairs: TextPairs, metric: TeslaCelab) -> tuple[Callable[[], Any], ...]:
    """Return the metric's work on all pairs, one function a stage, each on what the last one left.

    normalize → tokenize → cover → coverage, which is cover and HiGHS on the rest
                         → programs, for the other solvers
    """
    engine, texts = metric.engine, (list(pairs.hyps), list(pairs.refs))

    def normalize() -> list[list[str]]:
        return [engine.prepare(side) for side in texts]

    def tokenize() -> tuple[Sentences, Sentences]:
        vocabulary, (ref,) = engine.references([refs], keep=False)
        return engine.hypotheses(hyps, vocabulary), ref

    def cover() -> tuple[object, ...]:
        in_order = np.arange(len(pairs), dtype=np.int32)
        release = engine.release_2012_links
        return cover_pairs(hyp, ref, engine.max_order, release, in_order, in_order)

    def coverage() -> F64:
        aligned = Pairs.in_order(hyp, ref, lambda p: f"pair {p + 1}")
        return engine.combine_grades(engine.cover_by_grade(aligned, metric.run)).amounts

    def programs() -> list[tuple[Program, int]]:
        return [engine.joint_program(hyp, p, ref, p) for p in range(len(pairs))]

    hyps, refs = normalize()
    hyp, ref = tokenize()
    return normalize, tokenize, cover, coverage, programs


@dataclass(slots=True)
class Outcome:
    """Outcome of a solver on all pairs."""

    name: str
    package: str
    version: str
    how: str
    state: str = "agrees"  # or: wrong, failed, crashed, timed out
    why: str = ""
    times: list[tuple[float, float, float]] = field(default_factory=list)  # of each round
    greatest_difference: float = 0.0  # from the reduction's values
    wrong: list[int] = field(default_factory=list)  # numbers of pairs, counted from 1
    used: float = 0.0  # seconds of its time limit

    def add(self, times: tuple[float, float, float], values: F64, right: F64) -> None:
        """Add a round: seconds from tokens to values, those in the solver, wall-clock seconds."""
        self.times.append(times)
        difference = np.abs(values - right)
        self.greatest_difference = max(self.greatest_difference, float(difference.max()))
        wrong = np.flatnonzero(difference > TOLERANCE * np.maximum(1.0, right))
        if len(wrong):
            self.state = "wrong"
            self.wrong = sorted({*self.wrong, *(wrong + 1).tolist()})
            self.why = (
                f"{len(self.wrong)} of {len(right)} pairs; the value of pair {wrong[0] + 1} is"
                f" {right[wrong[0]]:g}, not {values[wrong[0]]:.10g}"
            )


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Solvers to compare with the reduction."""

    metric: TeslaCelab
    solvers: Sequence[Solver]
    options: MeasureOptions

    def measure(self, pairs: TextPairs, progress: Progress | None = None) -> Figures:
        """Measure the reduction and all solvers, in turns; `progress` counts those of solvers."""
        work = stages_of(pairs, self.metric)
        _, (_, ref), (_, steps, rest), coverage, joint = (stage() for stage in work)
        programs, (first, n_links) = [program for program, _ in joint], joint[0]
        values = coverage @ first.cost[[n_links, -1]]  # columns: links, then n-grams of each side
        reduction = Outcome(REDUCTION, "celab", __version__, "exact reduction, HiGHS on the rest")
        outcomes = [Outcome(s.name, s.package, version(s.package), s.how) for s in self.solvers]
        stages: list[list[float]] = []  # seconds, in each round
        turns = count(1)
        for _ in range(self.options.rounds):
            times = np.array([timed(stage)[1:] for stage in work])
            (*before, cover, whole, writing), (*_, wall, writing_wall) = times.T.tolist()
            # HiGHS is called from within the reduction, so its time is the difference.
            cover = min(cover, whole) if len(rest) else whole
            stages.append([*before, cover, whole - cover, writing])
            reduction.add((whole, whole - cover, wall), values, values)
            for outcome, solver in zip(outcomes, self.solvers, strict=True):
                if outcome.state in _COMPLETE:
                    self._ask(outcome, solver, programs, (writing, writing_wall), values)
                if progress is not None:
                    progress(next(turns), self.options.rounds * len(outcomes))
        outcomes = [reduction, *outcomes]
        mean_length = float(ref.lengths().mean())
        sizes = zip(*((len(p.cost), len(p.row_upper), len(p.index)) for p in programs), strict=True)
        return {
            "corpus": {"origin": pairs.origin, "pairs": len(pairs), "mean_length": mean_length},
            "signature": self.metric.signature,
            "rounds": self.options.rounds,
            "agree": not any(outcome.wrong for outcome in outcomes),
            "solvers": solver_figures(outcomes, len(pairs)),
            "sizes": {
                name: {"median": median(counts), "mean": mean(counts), "max": max(counts)}
                for name, counts in zip(("columns", "rows", "nonzeros"), sizes, strict=True)
            },
            # A pair counts by the harder of its halves.
            "steps": {"halves": _shares(steps.reshape(-1)), "pairs": _shares(steps.max(axis=1))},
            "stages": dict(zip(STAGES, map(_spread, np.transpose(stages)), strict=True)),
        }

    def _ask(
        self,
        outcome: Outcome,
        solver: Solver,
        programs: Sequence[Program],
        writing: tuple[float, float],
        right: F64,
    ) -> None:
        """Add a round of a solver, or why there is none; `writing` is the time of the programs."""
        began = time.monotonic()
        try:
            values, seconds, wall = solve_all(solver, programs, self.options.timeout - outcome.used)
            times = (writing[0] + seconds, seconds, writing[1] + wall)
            outcome.add(times, np.array(values), right)
        except WorkerError as error:
            is_late = error.state == "timed out"
            outcome.state = error.state
            outcome.why = f"after {self.options.timeout:g} s" if is_late else error.why
        outcome.used += time.monotonic() - began

    def grow(
        self, pairs: TextPairs, lengths: Sequence[int], progress: Progress | None = None
    ) -> dict[int, Figures]:
        """Return a measurement of at most `MOST_PAIRS` pairs for each length, from the shortest on.

        A solver that fails at one length is not asked for longer ones.
        """
        growth: dict[int, Figures] = {}
        able = self
        n_turns = len(lengths) * self.options.rounds * len(self.solvers)
        shares = split(progress, n_turns, [1] * len(lengths))
        for length, share in zip(sorted(lengths), shares, strict=True):
            sample = pairs.of_length(length, min(len(pairs), MOST_PAIRS))
            growth[length] = able.measure(sample, share)
            complete = {row["name"] for row in growth[length]["solvers"] if "seconds" in row}
            able = replace(
                able, solvers=[solver for solver in able.solvers if solver.name in complete]
            )
        return growth


def solver_figures(outcomes: Sequence[Outcome], n_pairs: int) -> list[Figures]:
    """Return a row per solver; only those that completed all rounds have times and differences."""
    complete = [outcome for outcome in outcomes if outcome.state in _COMPLETE]
    times = {outcome.name: np.array(outcome.times).T for outcome in complete}
    by_median = sorted(times, key=lambda name: np.median(times[name][0]))
    fastest, slowest = times[by_median[0]], times[by_median[-1]]
    solvers = []
    for outcome in outcomes:
        row: Figures = {name: getattr(outcome, name) for name in _ALWAYS_SHOWN}
        if outcome.name in times:
            seconds, solver_seconds, wall_seconds = times[outcome.name]
            row |= {
                "seconds": seconds.tolist(),
                "solver_seconds": solver_seconds.tolist(),
                "wall_seconds": wall_seconds.tolist(),
                "greatest_difference": outcome.greatest_difference,
                "wrong": outcome.wrong,
                "pairs_per_second": _spread(n_pairs / seconds.clip(_TICK)),
                "speedup": float(np.median(slowest[0] / seconds.clip(_TICK))),
                "slowdown": _spread(seconds / fastest[0].clip(_TICK)),
                "wall_slowdown": _spread(wall_seconds / fastest[2].clip(_TICK)),
            }
        solvers.append(row)
    return solvers


def _spread(values: F64) -> dict[str, float]:
    return {name: float(getattr(np, name)(values)) for name in ("median", "min", "max")}


def _shares(steps: I8) -> dict[str, float]:
    counts = np.bincount(steps, minlength=len(STEPS)) / len(steps)
    return dict(zip(STEPS, counts.tolist(), strict=True))


_SHARE = 0.0, 1.0
_GROUPS, _WORDS_IN_GROUP, _WORD_LENGTHS = 20, (2, 5), (1, 2, 2, 2, 3)
_RUN = 4  # units, on average, that are kept or replaced together
_IN_WORDS = 30  # characters that all words are made of; few, so that words overlap
_Unit = tuple[str, list[str]]  # the text, and its group of synonyms; a character has none


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions(Options):
    """How many pairs there are, and what generated ones are like."""

    heading: ClassVar[str] = "Pairs"

    pairs: int = option(100, "number of pairs; files are sampled", between=(1, 100_000))
    length: int = option(40, "mean reference length, in tokens", between=(1, 10_000))
    overlap: float = option(0.6, "share of the reference that the hypothesis keeps", between=_SHARE)
    density: float = option(
        0.5, "share of the reference's tokens in words with synonyms", between=_SHARE
    )
    repetition: float = option(
        0.2, "share of the other tokens that repeat an earlier one", between=_SHARE
    )
    seed: int = option(1, "random seed", between=(0, 2**32))


@dataclass(frozen=True, slots=True)
class TextPairs:
    """Hypotheses and their references, none of them blank, and the options of generated ones."""

    origin: str
    hyps: Sequence[str]
    refs: Sequence[str]
    options: TextOptions | None = field(default=None, kw_only=True)
    groups: Sequence[Sequence[str]] = field(default=(), kw_only=True)  # synonyms

    def __len__(self) -> int:
        return len(self.hyps)

    def of_length(self, length: int, n: int) -> TextPairs:
        """Return `n` pairs of this length: generated anew, or consecutive pairs joined and cut."""
        if self.options is not None:
            return generate(replace(self.options, length=length, pairs=n))
        source = cycle(zip(self.hyps, self.refs, strict=True))
        drawn: list[tuple[str, str]] = []
        while len(drawn) < n:
            hyp = ref = ""
            while min(len(hyp), len(ref)) < length:
                more_hyp, more_ref = next(source)
                hyp, ref = hyp + more_hyp.strip(), ref + more_ref.strip()
            drawn.append((hyp[:length], ref[:length]))
        return TextPairs(self.origin, *zip(*drawn, strict=True))

    def generated_metric(self) -> TeslaCelab:
        """Return the metric for generated pairs, with their groups of synonyms as its lexicon."""
        if self.options is None or not self.groups:
            return TeslaCelab(lexicon=None, script="keep")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"generated-{self.options.seed}.tsv")
            io.write(path, "".join("\t".join(words) + "\n" for words in self.groups))
            return TeslaCelab(lexicon=path, script="keep")


def sample(
    origin: str, systems: Sequence[Sequence[str]], refs: Sequence[str], n: int, seed: int
) -> TextPairs:
    """Return `n` pairs from all systems, in their order; all pairs if there are fewer."""
    everything = (pair for hyps in systems for pair in zip(hyps, refs, strict=True))
    candidates = [pair for pair in everything if not any(map(is_blank, pair))]
    if not candidates:
        raise InputError(f"{origin}: all pairs have a blank side; at least one must have text")
    if n < len(candidates):
        chosen = sorted(random.Random(seed).sample(range(len(candidates)), n))
        candidates = [candidates[i] for i in chosen]
    return TextPairs(origin, *zip(*candidates, strict=True))


def generate(options: TextOptions) -> TextPairs:
    """Generate pairs; equal options give equal pairs."""
    writer = _Writer(options)
    origin = (
        f"generated text (overlap {options.overlap:g}, density {options.density:g}, repetition"
        f" {options.repetition:g}, seed {options.seed})"
    )
    sides = zip(*(writer.pair() for _ in range(options.pairs)), strict=True)
    return TextPairs(
        origin, *sides, options=options, groups=writer.groups if options.density else ()
    )


class _Writer:
    """The lexicon and the random number generator. Its calls, in this order, make the text."""

    def __init__(self, options: TextOptions) -> None:
        self.options = options
        self.draw = random.Random(options.seed)
        # Level 1 of GB 2312: the characters in common use, all of them Simplified.
        characters = [
            bytes((a, b)).decode("gb2312") for a in range(0xB0, 0xD7) for b in range(0xA1, 0xFF)
        ]
        self.draw.shuffle(characters)
        self.in_words, self.plain = characters[:_IN_WORDS], characters[_IN_WORDS:]
        self.groups = [self._group() for _ in range(_GROUPS)]
        mean = sum(sum(map(len, group)) / len(group) for group in self.groups) / _GROUPS
        # The share of units that are words; the share of tokens, several in a word, is `density`.
        self.share = options.density / (mean - options.density * (mean - 1))

    def pair(self) -> tuple[str, str]:
        """Return a hypothesis and its reference."""
        least = (self.options.length + 1) // 2
        n_tokens = self.draw.randint(least, 2 * self.options.length - least)
        used: set[str] = set()  # the hypothesis's own characters are not the reference's
        seen: list[str] = []
        ref: list[_Unit] = []
        while n_tokens > 0:
            unit = self._word() if self._happens(self.share) else ("", [])
            if not 0 < len(unit[0]) <= n_tokens:
                unit = self._character(seen, used)
            ref.append(unit)
            n_tokens -= len(unit[0])
        seen = []
        hyp: list[str] = []
        keeps = self._happens(self.options.overlap)
        for text, group in ref:
            if self._happens(1 / _RUN):
                keeps = self._happens(self.options.overlap)
            if not keeps:
                text, _ = self._word() if group else self._character(seen, used)
            elif not group:
                seen.append(text)
            elif self._happens(0.5):
                text = self.draw.choice(group)
            hyp.append(text)
        a, b, c = sorted(self.draw.randint(0, len(hyp)) for _ in range(3))
        hyp = hyp[:a] + hyp[b:c] + hyp[a:b] + hyp[c:]
        return "".join(hyp), "".join(text for text, _ in ref)

    def _happens(self, probability: float) -> bool:
        return self.draw.random() < probability

    def _group(self) -> list[str]:
        n_words = self.draw.randint(*_WORDS_IN_GROUP)
        words: dict[str, None] = {}
        while len(words) < n_words:
            length = self.draw.choice(_WORD_LENGTHS)
            words["".join(self.draw.choices(self.in_words, k=length))] = None
        return list(words)

    def _word(self) -> _Unit:
        group = self.draw.choice(self.groups)
        return self.draw.choice(group), group

    def _character(self, seen: list[str], used: set[str]) -> _Unit:
        # One that was seen, likelier the more often it was, or one that the pair does not have yet.
        if seen and self._happens(self.options.repetition):
            character = self.draw.choice(seen)
        else:
            if len(used) == len(self.plain):  # the sentence is longer than there are characters
                used.clear()
            while (character := self.draw.choice(self.plain)) in used:
                pass
            used.add(character)
        seen.append(character)
        return character, []
