"""Scores of all systems by all metrics: computed, compared, stored, and shown over versions.

campaign         files → scores → tests → report
results          base class of scores of all systems, and comparisons
view             tables of scores, and lines beside them
reported         text, tables and JSON of scores
pair             two systems in detail
segment_order    the order in which segments are worth reading
significance     paired tests of lists of scores
external_scores  scores of other judges beside those of our metrics
stored           rows and JSON of scores
baseline         a stored result, read again as a baseline, and limits that scores must keep
board            stored results of many test sets and versions
functions        the functions for Python callers
"""
