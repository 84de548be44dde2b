"""Agreement with people: a judged set and scores of metrics → how far they agree.

    dataset    a folder → texts, and judgements as arrays: scores of systems, sets of rankings, κ
    scores     TSV files → rows; metrics and texts, or rows → scores of all systems
    agreement  all of it → figures with errors and p-values

Matrices are systems × segments, as in `celab.statistics`.
"""
