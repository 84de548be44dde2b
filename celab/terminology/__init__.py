"""Terms of a glossary in texts.

glossary  a file → terms, each with its target terms and the forbidden ones
readings  texts → tokens, by the rules of a language
phrases   phrases in tokens → where they are found, and which of them are disjoint
matching  occurrences of terms and hits of their targets → which belong together
finding   all of it: a glossary and parallel texts → occurrences, hits, renderings
"""
