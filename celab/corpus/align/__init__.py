"""Text whose lines are not the lines of the reference → one line for each segment.

alignment   a text and references → cuts, and the result
characters  texts as arrays of characters, where they may be cut, and times of subtitles as bounds
objective   the value of cuts, as a sum of weighted features
cutting     a text and segments → cuts: edit alignment, then the best among candidates
resegment   systems whose outputs are texts → a corpus
"""
