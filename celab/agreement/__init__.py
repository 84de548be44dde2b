"""Meta-evaluation: do metrics agree with people?

layout       a folder → the files of its data set
dataset      these files → texts, and judgments as arrays: scores of systems, rankings, κ
scores       TSV files, or metrics and texts → scores of all systems
measurement  judgments and scores → figures with errors and p-values
results      the figures, and the tables that show them
meta         the function for Python callers
"""
