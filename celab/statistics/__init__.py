"""Is a difference more than chance, and does a metric agree with people? Arrays in, numbers out.

`resampling` draws the segments again, and `significance` compares systems on these draws. `pairs`
counts how two sides order pairs of systems, and `correlation` compares lists of scores.

Throughout, a row is a system and a column a segment, greater is better, and NaN stands where
people gave no score.
"""
