"""Findings about outputs and references, and the rules that produce them.

finding       findings, their kinds and producers, and their tables and gates
translations  outputs that may not be translations, and lines without an output
markup        placeholders, tags and lengths that must survive translation
references    references made from outputs, twins, shifted lines, mixed scripts
differences   edits between an output and its reference, by kind, with rates
glossary_terms, marked_errors
              terms and marked errors as findings; other packages find them
suggestions   pairs of words that the lexicon lacks
"""
