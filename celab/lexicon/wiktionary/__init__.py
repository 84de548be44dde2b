"""Wiktionary: what its readers share, and the wikitext that its editions are written in.

`words` tells words from what is none, dialects from the standard, and reads sense numbers; both
readers, `readers/wiktextract.py` and `readers/wiktionary_dump.py`, need it. `german` and `chinese`
make groups of a page's wikitext, each for its edition; what they share is in `wikitext`.
"""

LICENCE = "CC BY-SA 4.0 and GFDL (Wiktionary)"
