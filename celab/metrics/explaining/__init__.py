"""Explanations: where the score of a segment comes from.

explanation  the results
explain      a solution of the program → links and n-grams
unmatched    words without a match, why, and the score if they were synonyms
drawing      explanations → marked tokens, links and reasons
columns      links → pieces of both sentences in order
printed      drawings → text for a terminal
"""
