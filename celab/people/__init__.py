"""Judges beside our metrics: other metrics, people, and the errors that they have marked.

score_files    files of scores → rows
annotations    files of people's annotations → judgments with error spans
matching       judgments → the systems and segments of a corpus
reading        files and values of judges → their scores of the systems of a corpus
disagreement   where a metric and another judge order systems, or outputs, differently
error_spans    which of the marked errors a metric saw
"""
