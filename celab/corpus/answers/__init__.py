"""Answers of language models: the translation inside, and refusals.

wordings    the phrases of refusals, prefaces and notes, by language
refusals    whether an answer refuses to translate
forms       the forms in which a translation is wrapped; an answer → the text inside
unwrapping  texts and corpora → the texts inside
"""
