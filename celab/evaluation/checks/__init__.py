"""Outputs that are not translations.

rules      the kinds and their rules
screening  outputs of a corpus → those that a rule finds
outputs    the outputs of systems, by kind
view       tables and lines that show them
"""
