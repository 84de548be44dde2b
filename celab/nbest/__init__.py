"""Tuning and reranking: candidates of a decoder → the best one, or the score of each.

nbest       a file of n-best lists → sentences with their candidates and features
mbr         a sentence → its candidates in the order of their expected utility, as text or JSON
tuning      n-best lists and references → weights
references  a metric and references, loaded once → scores of candidates as they come, by the
            protocol of `celab stream`
"""
