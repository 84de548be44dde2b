"""Texts that are made from a seed: systems that translate independently, and their references."""

import random

CHARACTERS = "".join(map(chr, range(0x4E00, 0x4F80)))


def sentence(draw, length=24):
    """Return a text of Chinese characters."""
    return "".join(draw.choice(CHARACTERS) for _ in range(length))


def varied(text, draw, share=0.3):
    """Return the text with a share of its characters replaced, so that the rest is common."""
    letters = list(text)
    for place in draw.sample(range(len(text)), round(share * len(text))):
        letters[place] = draw.choice(CHARACTERS)
    return "".join(letters)


def campaign(n_segments=100, systems="ABCD", seed=1):
    """Return a reference and the outputs of systems that agree with it nowhere."""
    draw = random.Random(seed)
    ref = [sentence(draw) for _ in range(n_segments)]
    return ref, {name: [varied(text, draw) for text in ref] for name in systems}
