"""Significance of differences and correlation with human scores: arrays in, numbers out.

`resampling` draws the segments again, and `significance` compares systems on these draws.
`correlation` compares lists of scores and counts how two sides order pairs of systems, `wmt` has
the figures of the WMT metrics tasks, and `mert` finds the weights of features that score best.

Throughout, a row is a system and a column a segment, greater is better, and NaN means
that there is no human score.
"""
