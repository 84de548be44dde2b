"""Terms of a glossary in texts: whether systems render them as the glossary says.

glossary      a file → terms, each with its target terms and the forbidden ones
term_tokens   texts → tokens, by the rules of a language, and where phrases are in them
occurrences   a glossary and parallel texts → occurrences, hits, renderings
accuracy      renderings of all systems → accuracy, consistency, misses
results       the result, tables and lines that show it, and its findings
api           the function for Python callers
"""
