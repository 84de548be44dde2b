"""Terms of a glossary in texts: whether systems render them as the glossary says.

glossary      a file → terms, each with its target terms and the forbidden ones
readings      texts → tokens, by the rules of a language
phrase_index  phrases in tokens → where they are found, and which of them are disjoint
matching      occurrences of terms and hits of their targets → which belong together
finding       all of it: a glossary and parallel texts → occurrences, hits, renderings
links         what stands in an output instead of a term
accuracy      renderings of all systems → accuracy, consistency, misses
results       the result, and tables and lines that show it
terms         the function for Python callers
"""
