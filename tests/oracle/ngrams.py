"""N-grams of a sentence: the spans [start, stop) of 1 to max_order tokens, by position not type.

They come by order, then by position: all unigrams from left to right, then all bigrams, ...

>>> spans(3, 2)
[(0, 1), (1, 2), (2, 3), (0, 2), (1, 3)]
"""

Span = tuple[int, int]


def spans(n_tokens: int, max_order: int) -> list[Span]:
    """Every n-gram of a sentence of `n_tokens` tokens, as (start, stop)."""
    return [
        (start, start + order)
        for order in range(1, max_order + 1)
        for start in range(n_tokens - order + 1)
    ]
