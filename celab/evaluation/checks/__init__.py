"""Outputs that are not translations.

rules    the kinds and their rules
outputs  the outputs of systems, by kind
view     tables and lines that show them
"""
