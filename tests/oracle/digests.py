"""Digests of texts in Python's own numbers, letter by letter."""


def digest(text):
    """The digest of one text, as a number below 2**64."""
    value = len(text)
    for letter in text:
        value = (value ^ ord(letter)) * 0x9E3779B97F4A7C15 % 2**64
        value ^= value >> 32
    return value
