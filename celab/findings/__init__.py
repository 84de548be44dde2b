"""What is said about outputs and references: one model of findings, and the rules that make them.

finding       a finding, its kind, the list of producers, the tables and gates of all findings
translations  outputs that may not be translations, and lines without an output
markup        placeholders, tags and lengths that must survive translation
references    references made from outputs, twins, shifted lines, mixed scripts
differences   edits between an output and its reference, by kind, with rates
glossary_terms, marked_errors
              terms and marked errors that other packages found, as findings
suggestions   pairs of words that the lexicon lacks
"""
