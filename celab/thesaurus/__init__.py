"""Thesaurus: what others wrote, in any of the usual formats, as groups of synonyms.

A reader takes a source apart into groups; `merge` puts those of several sources together; `store`
keeps them, with where they came from, in one `.lex` file. This room needs nothing but the standard
library, so that the build can make the bundled lexicons with it; `celab.lexicon` makes of the
groups what the kernels walk.
"""
