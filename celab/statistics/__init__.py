"""Is a difference more than chance, and does a metric agree with people? Arrays in, numbers out.

This room sees matrices, never a sentence or a file. `resampling` draws the segments again,
`significance` compares systems on these draws, `correlation` and `consistency` compare a metric
with people, and `judges` compares people with each other; `pairs` is what the last two share.

Throughout, a row is a system and a column a segment, greater is better, and NaN stands where
people gave no score.
"""
