"""The digests of texts tell them apart, as their slow twin does."""

import numpy as np
import pytest
from oracle.digests import digest

from celab._native.tokens import add_digests


def test_digests_tell_texts_apart():
    texts = ["", "a", "b", "ab", "ba", "aa", "a\0", "\0", "\0\0", "买伞", "伞买", "\U0001f602"]
    digests = np.zeros(len(texts), np.uint64)
    add_digests(digests, texts)
    assert len(set(digests.tolist())) == len(texts) and digests[0] == 0
    assert digests.tolist() == [digest(text) for text in texts]  # the same on every machine
    with pytest.raises(ValueError):
        add_digests(digests, texts[1:])
    with pytest.raises(TypeError):
        add_digests(digests[:1], [1])
