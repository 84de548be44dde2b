"""Whether text is Japanese, to notice when it is scored as Chinese.

Both are written in Han characters, so the script alone does not tell them apart. Kana do, but
Chinese text also has some: names of brands, mostly katakana, の as a stylish 的, and what a system
left untranslated. Hiragana other than の count, because Japanese grammar is written in them.
In Japanese of WMT 21 and 24 they are 36% or more of the Han characters and kana of every file; in
Chinese that was translated from Japanese, 1% or less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from celab.base.errors import Setting, warn

LEAST = 0.2  # share of hiragana among Han characters and kana
_DISTINCT = 3  # different hiragana; a brand such as すき家 has fewer
_SAMPLE = 100  # texts of a side that are looked at
_MOST = 1000  # characters of a text
# Patterns are compiled when they are needed.
_HIRAGANA = "[\u3041-\u306d\u306f-\u3096]"  # without の
_EAST_ASIAN = (
    "[\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d\u3005-\u3007\u3400-\u9fff\uf900-\ufaff]"
)


def hiragana_share(texts: Iterable[str]) -> float | None:
    """Return the share of hiragana if the texts, taken together, are Japanese, else None.

    >>> hiragana_share(["私は学生です。"])
    0.5
    >>> hiragana_share(["我在すき家吃饭", "优の良品"])
    """
    text = "".join(text[:_MOST] for text in texts)
    if re.search(_HIRAGANA, text) is None:  # quick for Chinese
        return None
    hiragana = re.findall(_HIRAGANA, text)
    share = len(hiragana) / len(re.findall(_EAST_ASIAN, text))
    return share if share >= LEAST and len(set(hiragana)) >= _DISTINCT else None


def sample(texts: Sequence[str], size: int = _SAMPLE) -> Sequence[str]:
    """Return a sample of the texts, evenly spaced, of at most `size`."""
    return texts[:: -(-len(texts) // size)] if len(texts) > size else texts


def warn_if_japanese(*sides: Sequence[str], where: str = "the texts") -> None:
    """Warn with `InputWarning` if a sample of texts, which are read as Chinese, is Japanese."""
    share = hiragana_share(text for side in sides for text in sample(side))
    if share is not None:
        warn(
            (
                f"{where}: {share:.0%} of the Han characters and kana are hiragana, as in Japanese,"
                " but they are scored as Chinese; use ",
                Setting("lang", "ja"),
            )
        )
