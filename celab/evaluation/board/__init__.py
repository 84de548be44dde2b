"""A board: stored scores of many test sets, systems and versions, side by side.

reading     files of `celab score --json` → stored scores
columns     stored scores → columns of comparable scores
changes     columns → differences between versions, tested
board       the result, `celab.board`, and its tables
"""
