"""Wiktionary: what its readers share, and the wikitext that its editions are written in.

`words` decides what is a word, and what is dialect, and reads sense numbers; both
readers, `readers/wiktextract.py` and `readers/wiktionary_dump.py`, need it. `german` and `chinese`
make groups of a page's wikitext, each for its edition; what they share is in `wikitext`.
"""

LICENSE = "CC BY-SA 4.0 and GFDL (Wiktionary)"
