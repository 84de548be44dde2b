"""What does a reward by overlap not see?

    python bench/unseen.py

1. A mistake is put into the reference, which stays right otherwise: a negation is left out, a digit
   is another one, a word is replaced by its opposite, he and she change places. The reward of the
   result is compared with those of the outputs of real systems for the same segments that people
   rate highest.
2. Of two outputs for one segment that people rate far apart, how often is the worse rewarded more?
3. A second translation by people is rewarded against the first, and so are systems.

It needs wmt24-enzh-esa and wmt21-enzh-sys in the data folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from data import data_folder, lines
from measure import say, table

import celab

METRICS = ("celab-recommended", "chrf", "bleu")
FAR = 25  # points of 100
_NEGATION = re.compile(
    "不(?=会|能|是|想|要|可|应|需|愿|知道|喜欢|允许|再|得)|没有?(?=[\u4e00-\u9fff])"
)
_OPPOSITES = (
    "增加减少 上升下降 提高降低 支持反对 之前之后 以前以后 成功失败 允许禁止 最大最小 最高最低"
    " 开始结束 更多更少 更大更小 接受拒绝 喜欢讨厌 安全危险 容易困难"
).split()
_OPPOSITE = {a: b for pair in _OPPOSITES for a, b in ((pair[:2], pair[2:]), (pair[2:], pair[:2]))}
_ANY_OPPOSITE = re.compile("|".join(_OPPOSITE))
_HE_AND_SHE = str.maketrans("他她", "她他")
MISTAKES: dict[str, Callable[[str], str]] = {
    "a negation is left out": lambda text: _NEGATION.sub("", text, count=1),
    "a digit is another one": lambda text: re.sub(r"\d", _other_digit, text, count=1),
    "the opposite of a word": lambda text: _ANY_OPPOSITE.sub(
        lambda word: _OPPOSITE[word[0]], text, count=1
    ),
    "he is she": lambda text: text.translate(_HE_AND_SHE),
}


def _other_digit(digit: re.Match[str]) -> str:
    return str(int(digit[0]) % 9 + 1)


def rewards(texts: Sequence[str], refs: Sequence[str]) -> dict[str, list[float]]:
    """Return the rewards of texts by each metric, from 0 to 1."""
    made = {name: celab.integrations.reward(name, lang="zh", unit=True) for name in METRICS}
    return {name: reward(texts, reference=refs) for name, reward in made.items()}


def mistakes(refs: list[str], best: list[str]) -> list[list[str]]:
    """Return rows: a mistake, the number of segments, rewards of it, and of the best output."""
    rows = []
    for name, change in MISTAKES.items():
        wrong = [change(ref) for ref in refs]
        places = [k for k, (a, b) in enumerate(zip(wrong, refs, strict=True)) if a != b]
        sides = [[side[k] for k in places] for side in (wrong, best, refs)]
        of_wrong, of_best = rewards(sides[0], sides[2]), rewards(sides[1], sides[2])
        more = np.mean(np.greater(of_wrong[METRICS[0]], of_best[METRICS[0]]))
        figures = [np.mean(r[m]) for m in METRICS for r in (of_wrong, of_best)]
        rows.append([name, str(len(places)), *(f"{x:.3f}" for x in figures), f"{more:.0%}"])
    return rows


def main() -> None:
    folder = data_folder() / "wmt24-enzh-esa"
    refs = lines(folder / "ref-A.txt")
    systems = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    rated: dict[int, dict[str, float]] = {}
    for row in lines(folder / "human-seg.tsv")[1:]:
        system, segment, score, *_ = row.split("\t")
        rated.setdefault(int(segment), {})[system] = float(score)
    highest = [max(rated[k], key=rated[k].__getitem__) for k in sorted(rated)]
    kept = [refs[k] for k in sorted(rated)]
    best = [systems[name][k] for k, name in zip(sorted(rated), highest, strict=True)]
    say(f"A mistake in the reference, and the output that people rate highest ({folder.name}).")
    heads = [f"{m}, {what}" for m in METRICS for what in ("mistake", "best output")]
    table(["mistake", "segments", *heads, "rewarded more"], mistakes(kept, best))

    scores = {name: rewards(texts, refs) for name, texts in systems.items()}
    rows = []
    for metric in METRICS:
        wrong = pairs = 0.0
        for k, by in rated.items():
            for a, b in combinations(by, 2):
                if abs(by[a] - by[b]) >= FAR:
                    good, bad = (a, b) if by[a] > by[b] else (b, a)
                    values = [scores[name][metric][k] for name in (good, bad)]
                    pairs += 1
                    wrong += values[0] < values[1] or 0.5 * (values[0] == values[1])
        rows.append([metric, f"{pairs:.0f}", f"{wrong / pairs:.1%}"])
    say(f"Pairs of outputs that people rate {FAR} points apart or more, ties half.")
    table(["metric", "pairs", "the worse is rewarded more"], rows)

    folder = data_folder() / "wmt21-enzh-sys"
    refs, second = lines(folder / "ref-A.txt"), lines(folder / "ref-B.txt")
    systems = {path.stem: lines(path) for path in sorted((folder / "hyp").glob("*.txt"))}
    human = dict(line.split("\t")[:2] for line in lines(folder / "human-sys.tsv")[1:])
    judged = sorted((n for n in systems if n in human), key=lambda n: -float(human[n]))
    rows = []
    of_second = rewards(second, refs)
    of_systems = {name: rewards(systems[name], refs) for name in judged}
    for metric in METRICS:
        means = [float(np.mean(of_systems[name][metric])) for name in judged]
        mine = float(np.mean(of_second[metric]))
        figures = [f"{figure:.3f}" for figure in (mine, max(means), np.median(means))]
        rows.append([metric, *figures, f"{sum(mean > mine for mean in means)} of {len(means)}"])
    say(f"A second translation by people ({folder.name}, {len(refs)} segments).")
    table(["metric", "by people", "best system", "median system", "systems rewarded more"], rows)


if __name__ == "__main__":
    main()
