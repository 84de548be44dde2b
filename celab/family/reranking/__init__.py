"""Tuning and reranking: candidates of a decoder → the best one, or the score of each.

nbest       a file of n-best lists → sentences with their candidates
mbr         a sentence → its candidates in the order of their expected utility
features    candidates → their features, and weights → the sums of weighted features
tuning      n-best lists and references → weights
written     reranked candidates → lines, Moses' format, JSON
references  a metric and references, loaded once → scores of candidates as they come
requests    a line of the protocol of `celab stream` → a request; scores → a line
"""
