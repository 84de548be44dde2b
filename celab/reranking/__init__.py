"""Tuning and reranking: what a decoder proposes → which proposal is best, or how good each is.

nbest       a file of n-best lists → sentences with their candidates
mbr         a sentence → its candidates in the order of their expected utility
written     reranked candidates → lines, Moses' format, JSON
references  a metric and references, loaded once → scores of candidates as they come
requests    a line of the protocol of `celab-stream` → a request; scores → a line
"""
