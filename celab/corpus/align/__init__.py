"""Text whose lines are not the lines of the reference → one line for each segment.

alignment   a text and references → cuts, and the result
characters  texts as arrays of characters, and where they may be cut
edits       cuts by edit alignment
objective   what makes a cut good
cuts        the best cuts among candidates
resegment   systems whose outputs are texts → a corpus
"""
