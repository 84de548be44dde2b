"""Human judgments, marked errors, and scores of external metrics.

score_files    files of scores → rows
annotations    files of people's annotations → judgments with error spans
matching       judgments → the systems and segments of a corpus
reading        files and values of judges → scores of the systems of a corpus
disagreement   systems, or outputs, that a metric and another judge order differently
error_spans    marked errors that a metric detected
"""
