"""References that are not independent of the systems, and lines that are not the same lines.

copies   references made from the output of a system, and the test
twins    sides that are equal in almost all segments
shifts   lines that fit the neighbors of their references
looks    all of it, of a corpus, Traditional beside Simplified Chinese, and lines about it
"""
