"""A profile of errors: where outputs differ from their reference, by kind.

diff_units  texts → the units that are compared
aligning    units of two texts → which of them are matched
diff        matches → what is equal, moved, missing and extra
kinds       differences → edits of eight kinds
profile     the edits of all systems: counts, rates, intervals, tests, tables
"""
