"""Lexicons: synonym groups, from any of the usual sources to what the kernels walk.

    readers, wiktionary   a source in its own format → groups of synonyms
    merge, store          several sources → one, kept in a `.lex` file with its provenance
    catalogue, fetch      names and paths → lexicons that are there, or can be downloaded
    compiled, lexicon     groups → arrays that kernels walk, cached on disk

The build makes the bundled lexicons with this package, so everything but `compiled`, `lexicon` and
`fetch` needs only the standard library; nothing is imported here.
"""
