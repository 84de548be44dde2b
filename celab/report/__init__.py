"""Scores and explanations → text. One module per output format; no arithmetic but rounding.

Every function returns the whole text, so that the command line can print all of it or nothing.
`celab.report.html` makes the HTML reports; `Campaign.html` calls it.
"""
