"""All systems by all metrics: scored, compared two by two, over versions, and kept.

campaign         files → scores → tests → report
results          scores of all systems, wherever they were made, and comparisons
view             their tables, and lines beside them
reported         what all such results can do: text, tables and JSON
pair             two systems in detail
segment_order    which segments say enough, and lost most
significance     paired tests of lists of scores
external_scores  scores of other judges beside those of our metrics
stored           rows and JSON of scores
baseline         a stored result, read again as a baseline, and limits that scores must keep
board            stored results of many test sets and versions
functions        the functions for Python callers
"""
