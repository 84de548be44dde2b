"""Significance of differences and correlation with human scores: arrays in, numbers out.

`resampling` draws the segments again, and `significance` compares systems on these draws. `pairs`
counts how two sides order pairs of systems, and `correlation` compares lists of scores.

Throughout, a row is a system and a column a segment, greater is better, and NaN means
that there is no human score.
"""
