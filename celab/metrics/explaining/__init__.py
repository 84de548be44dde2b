"""Explanations: where the score of a segment comes from.

explanation  the results
explain      a solution of the program → links and n-grams
unmatched    words without a match, and the score if they were synonyms
drawing      what is shown of an explanation
columns      links → pieces of both sentences in order
reasons      why words are not matched, in words
printed      drawings → text for a terminal
"""
