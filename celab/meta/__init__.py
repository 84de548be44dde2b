"""Agreement with people: a judged set and scores of metrics → how far they agree.

    table      a TSV of scores → rows, with their line numbers
    dataset    a folder → texts and judgements; describes the layout
    outside    a TSV of scores that another program gave → scores like those of our metrics
    scored     metrics and texts → the scores of all systems
    people     judgements → arrays: scores of systems, sets of rankings, κ
    redrawn    correlations across translations, on every resample
    agreement  all of it → figures with errors and p-values

Matrices are systems × segments, as in `celab.statistics`.
"""
