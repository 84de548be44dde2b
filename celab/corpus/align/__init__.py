"""Text whose lines are not the lines of the reference → one line for each segment.

alignment   a text and references → cuts, and the result
characters  texts as arrays of characters, and where they may be cut
edits       cuts by edit alignment
objective   what makes a cut good
cuts        the best cuts among candidates
times       times of subtitles as bounds of cuts
cutting     a text and segments → cuts, by text and times
resegment   systems whose outputs are texts → a corpus
"""
