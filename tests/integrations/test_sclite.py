"""Counts of errors beside NIST's sclite, of Debian's package sctk."""

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import celab
from celab import corpus

SCLITE = shutil.which("sclite", path="/usr/lib/sctk/bin:/usr/local/bin:/usr/bin")
ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SEED, N_UTTERANCES = 7460, 200
WORDS = "Excel GPT-4 it's Beijing 3.5 2024 ok well-known".split()

pytestmark = pytest.mark.skipif(
    SCLITE is None, reason="sclite is not installed: apt-get install sctk (Debian)"
)


def counted_by_sclite(folder, ref, hyp, *options):
    """Substitutions, deletions, insertions and tokens of the references, of all utterances."""
    done = subprocess.run(
        [
            SCLITE,
            *("-r", *ref, "-h", *hyp, "-e", "utf-8", "-c", "NOASCII"),
            *(*options, "-o", "rsum", "stdout"),
        ],
        cwd=folder,
        capture_output=True,
        timeout=300,
        check=True,
    )
    # | Sum   |  #utterances  #words | correct  substituted  deleted  inserted  errors …
    (numbers,) = re.findall(r"\| *Sum *\|([0-9 |]+)", done.stdout.decode("utf-8", "replace"))
    _, n_words, _, substituted, deleted, inserted, *_ = map(int, re.findall("[0-9]+", numbers))
    return {
        "substituted": substituted,
        "deleted": deleted,
        "inserted": inserted,
        "reference": n_words,
    }


def counted(folder, ref, hyp, **settings):
    """Edits by MER, and what joined the files."""
    texts = corpus.read([folder / ref], [folder / hyp], blank_refs=True, **settings)
    return celab.Mer(script="keep").corpus_score(texts.hyps, texts.refs).edits, texts.joined_by


@pytest.fixture(scope="module")
def utterances():
    """Utterances and what was recognized: a tenth of the tokens is changed, and some are lost."""
    rng = random.Random(SEED)
    characters = re.findall("[一-龥]", (EXAMPLES / "ref1.zh").read_text("utf-8"))
    rows = []
    for _ in range(N_UTTERANCES):
        tokens = [
            rng.choice(WORDS) if rng.random() < 0.1 else rng.choice(characters)
            for _ in range(rng.randrange(30))
        ]
        output = []
        for token in tokens:
            change = rng.random()
            if change < 0.04:
                output.append(rng.choice(characters))
            elif change > 0.96:
                output += [token, rng.choice(WORDS)]
            elif not 0.04 <= change < 0.08:
                output.append(token)
        rows.append((spaced(tokens, rng), [] if rng.random() < 0.05 else output))
    return rows


def spaced(tokens, rng):
    """Join words of characters, with spaces around the others."""
    text = ""
    for token in tokens:
        is_apart = token.isascii() or text[-1:].isascii() or rng.random() < 0.5
        text += f" {token}" if is_apart else token
    return text.strip()


def test_the_examples(tmp_path):
    ref, hyp = (EXAMPLES / "asr" / name for name in ("ref.stm", "hyp.ctm"))
    expected = counted_by_sclite(tmp_path, (ref, "stm"), (hyp, "ctm"))
    edits, joined_by = counted(tmp_path, ref, hyp)
    assert (edits, joined_by) == (expected, "time (stm, ctm)")
    assert expected == {"substituted": 1, "deleted": 3, "inserted": 0, "reference": 23}


def test_utterances_with_ids(tmp_path, utterances):
    rng = random.Random(SEED)
    ids = [f"spk{n % 7}_{n:04}" for n in range(len(utterances))]
    rows = [(id, ref, " ".join(hyp)) for id, (ref, hyp) in zip(ids, utterances, strict=True)]
    for name, place in (("ref", 1), ("hyp", 2)):
        rng.shuffle(rows)
        kaldi = "".join(f"{row[0]} {row[place]}".rstrip() + "\n" for row in rows)
        trn = ";; shuffled\n" + "".join(f"{row[place]} ({row[0]})\n" for row in rows)
        (tmp_path / f"{name}.text").write_text(kaldi, "utf-8")
        (tmp_path / f"{name}.trn").write_text(trn, "utf-8")
    expected = counted_by_sclite(tmp_path, ("ref.trn", "trn"), ("hyp.trn", "trn"), "-i", "spu_id")
    assert min(expected.values()) > 50
    for suffixes in (("trn", "trn"), ("text", "text"), ("text", "trn")):
        edits, _ = counted(tmp_path, f"ref.{suffixes[0]}", f"hyp.{suffixes[1]}")
        assert edits == expected, suffixes


def test_words_with_times(tmp_path, utterances):
    rng = random.Random(SEED)
    segments, words, lines = [], [], 0
    for n, (ref, hyp) in enumerate(utterances):
        recording, start = f"talk{n // 50}", 10 * (n % 50)
        is_ignored = rng.random() < 0.1
        text = "IGNORE_TIME_SEGMENT_IN_SCORING" if is_ignored else ref
        labels = rng.choice(["<o,f0,male> ", ""])
        segments.append(f"{recording} 1 spk{n % 3} {start}.00 {start + 10}.00 {labels}{text}\n")
        # A word may reach into the next segment; its middle does not, or is where the next begins.
        times = sorted(rng.randrange(1, 1000) for _ in hyp)
        for time, word in zip(times, hyp, strict=True):
            duration = rng.randrange(2 * (1000 - time)) if time < 1000 else 0
            confidence = rng.choice(["", f" {rng.random():.2f}"])
            words.append(
                f"{recording} 1 {start + time / 100:.2f} {duration / 100:.2f} {word}{confidence}\n"
            )
            lines += 1
    (tmp_path / "ref.stm").write_text(f";; made\n{''.join(segments)}", "utf-8")
    (tmp_path / "hyp.ctm").write_text("".join(words), "utf-8")
    expected = counted_by_sclite(tmp_path, ("ref.stm", "stm"), ("hyp.ctm", "ctm"))
    assert min(expected.values()) > 50 and lines > 1000
    for names in (("ref.stm", "hyp.ctm"), ("ref", "hyp")):
        for old, new in zip(("ref.stm", "hyp.ctm"), names, strict=True):
            if old != new:
                (tmp_path / new).write_bytes((tmp_path / old).read_bytes())
        edits, joined_by = counted(tmp_path, *names)
        assert (edits, joined_by) == (expected, "time (stm, ctm)")
