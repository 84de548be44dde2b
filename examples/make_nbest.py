"""Invents n-best lists with features, to show tuning: `python examples/make_nbest.py FOLDER`.

A sentence is a sequence of words, and its reference has the first word of each line of `WORDS`. A
candidate has for each word the same one, another one from its line, which means the same, a word
that means something else, or none; and it may repeat words. The features are what models might
say, with noise: `adequacy` falls with wrong and missing words, `fluency` with repeated ones,
`wording` rises with words that are those of the reference, and `length` counts characters.
"""

import random
import sys
from pathlib import Path

WORDS = [
    [["明天", "明日"], ["今天", "今日"], ["昨天", "昨日"]],
    [["医生", "大夫"], ["老师", "教师"], ["孩子", "小孩"], ["妻子", "太太"]],
    [["经常", "常常"], ["马上", "立刻"], ["已经"], ["当然"]],
    [["去"], ["离开"], ["路过"], ["打听"]],
    [["商店", "店铺"], ["公司", "企业"], ["机场"], ["北京"]],
    [["买", "购买"], ["讨论", "商量"], ["喜欢", "喜爱"], ["拿"]],
    [["雨伞", "伞"], ["电影", "影片"], ["价格", "价钱"], ["问题", "难题"]],
]


def lists(n_sentences=200, n_candidates=20, seed=1):
    """N-best lists as `celab.tune` takes them, references, and the errors of each candidate."""
    rng = random.Random(seed)
    nbest, refs, errors = [], [], []
    for _ in range(n_sentences):
        meant = [rng.choice(slot) for slot in WORDS]
        refs.append("".join(words[0] for words in meant))
        candidates = [candidate(meant, rng) for _ in range(n_candidates)]
        nbest.append([(text, features) for text, features, _ in candidates])
        errors.append([n for _, _, n in candidates])
    return nbest, refs, errors


def candidate(meant, rng):
    """Return a text, its features, and how many words are wrong, missing or repeated."""
    words, n_wrong, n_same, n_repeated = [], 0, 0, 0
    for slot, right in zip(WORDS, meant, strict=True):
        how = rng.choices(["same", "other", "wrong", "none"], [4, 3, 2, 1])[0]
        if how in ("wrong", "none"):
            n_wrong += 1
            word = "" if how == "none" else rng.choice([one for one in slot if one != right])[0]
        else:
            word = right[0] if how == "same" else right[-1]
            n_same += word == right[0]
        again = rng.random() < 0.1
        n_repeated += again
        words.append(word * (1 + again))
    text = "".join(words)
    features = {
        "adequacy": round(-n_wrong + rng.gauss(0, 1), 3),
        "fluency": round(-n_repeated + rng.gauss(0, 1), 3),
        "wording": round(n_same + rng.gauss(0, 1), 3),
        "length": len(text),
    }
    return text, features, n_wrong + n_repeated


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    nbest, refs, _ = lists()
    lines = [
        f"{number} ||| {text} ||| {' '.join(f'{k}= {v}' for k, v in features.items())}\n"
        for number, some in enumerate(nbest)
        for text, features in some
    ]
    (folder / "made.nbest").write_text("".join(lines), "utf-8")
    (folder / "made.ref").write_text("".join(f"{ref}\n" for ref in refs), "utf-8")
