"""Answers of language models: the translation inside, and refusals.

wordings    the phrases of refusals, prefaces and notes, by language; whether an answer refuses
forms       the forms in which a translation is wrapped; answers and corpora → the texts inside
"""
