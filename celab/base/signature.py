"""Signatures: what to cite with a score, as a name and ordered pairs of key and value.

A signature is a `str`, so it can be printed, compared and written to JSON. Code that needs a part
of it asks for that part and never takes the text apart.

>>> signature = Signature("celab", [("n", "4"), ("lex", "cilin@797071bd99dc"), ("v", "0.7.0")])
>>> print(signature.with_part("refs", 2, first=True))
celab|refs:2|n:4|lex:cilin@797071bd99dc|v:0.7.0
>>> signature.name, signature.part("lex"), signature.part("skipped")
('celab', 'cilin@797071bd99dc', None)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

SignaturePart = tuple[str, str]  # key and value; a part without a key is its value


class Signature(str):
    """The name of a metric, and every setting that can change its scores.

    `label` is the name that people know the metric by, if it is another: that of a preset. It is no
    part of the text, so signatures with different labels can be equal.
    """

    __slots__ = ("label", "name", "parts")
    name: str
    parts: tuple[SignaturePart, ...]
    label: str

    def __new__(cls, name: str, parts: Iterable[SignaturePart] = (), label: str = "") -> Signature:  # noqa: D102
        pairs = tuple((key, str(value)) for key, value in parts)
        texts = (f"{key}:{value}" if key else value for key, value in pairs)
        signature = super().__new__(cls, "|".join([name, *texts]))
        signature.name, signature.parts, signature.label = name, pairs, label
        return signature

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Return the signature that a text shows; `|` inside brackets does not separate parts.

        >>> Signature.parse("mean|(celab|n:1)+(celab|n:2)|v:0.7.0").parts
        (('', '(celab|n:1)+(celab|n:2)'), ('v', '0.7.0'))
        """
        pieces, depth = [""], 0
        for character in text:
            depth += (character == "(") - (character == ")")
            if character == "|" and depth <= 0:
                pieces.append("")
            else:
                pieces[-1] += character
        name, *parts = pieces
        return cls(name, map(_pair, parts))

    @classmethod
    def of(cls, signature: str) -> Signature:
        """Return a signature as it is, and a text as the signature that it shows."""
        return signature if isinstance(signature, Signature) else cls.parse(signature)

    @property
    def metric(self) -> str:
        """Name of the metric; the mean of several views of one metric has the name of that metric.

        >>> Signature.parse("mean|(celab|n:1)+(celab|n:2)|v:0.7.0").metric
        'celab'
        >>> Signature.parse("mean|(celab|n:1)+(tesla-m|n:2)|v:0.7.0").metric
        'mean'
        """
        views = self.part("") or ""
        if not views.startswith("("):
            return self.name
        names = {Signature.parse(view).name for view in views[1:-1].split(")+(")}
        return names.pop() if len(names) == 1 else self.name

    def part(self, key: str) -> str | None:
        """Return the value of a key, or None if the signature has no such key."""
        return next((value for k, value in self.parts if k == key), None)

    def with_part(self, key: str, value: object, *, first: bool = False) -> Signature:
        """Return the signature with a part set: in its place, or else as the last or first part."""
        pair = (key, str(value))
        if self.part(key) is not None:
            parts = tuple(pair if p[0] == key else p for p in self.parts)
        else:
            parts = (pair, *self.parts) if first else (*self.parts, pair)
        return Signature(self.name, parts, self.label)

    def without(self, *keys: str) -> Signature:
        """Return the signature without the parts of these keys."""
        parts = (pair for pair in self.parts if pair[0] not in keys)
        return Signature(self.name, parts, self.label)

    def with_label(self, label: str) -> Signature:
        """Return the signature with another label."""
        return Signature(self.name, self.parts, label)

    def difference(self, other: Signature) -> tuple[str, str] | None:
        """Return the first part in which two signatures differ, as each shows it, or None."""
        return next(iter(self.differences(other)), None)

    def differences(self, other: Signature) -> list[tuple[str, str]]:
        """Return all parts in which two signatures differ, as each shows them.

        >>> first = Signature("celab", [("n", "4"), ("v", "0.7.0")])
        >>> first.differences(first.with_part("n", 3).with_part("f", 0.5))
        [('n:4', 'n:3'), ('without f', 'f:0.5')]
        """
        ours, theirs = dict(self.parts), dict(other.parts)
        if self.name != other.name:
            return [(self.name, other.name)]
        keys = (key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key))
        return [(_part_text(key, ours), _part_text(key, theirs)) for key in keys]

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.name, self.parts, self.label


def _pair(piece: str) -> SignaturePart:
    key, colon, value = piece.partition(":")
    return (key, value) if colon and "(" not in key else ("", piece)


def _part_text(key: str, parts: dict[str, str]) -> str:
    if key not in parts:
        return f"without {key}"
    return f"{key}:{parts[key]}" if key else parts[key]
