"""Views of results and their formats: text, TSV, Markdown, LaTeX, notebook, data frame.

cells      figures → text
tables     tables, lines and drawings, of which a view consists; how a table is written
renderers  a view → one of the formats
frames     columns of a result → a data frame
markup     templates of HTML
notebook   a view → HTML for notebooks
rows       texts over their marks, for a terminal
palette    colors and marks of matches
phrases    texts that a page can say in another language
ink        two texts, with what only one of them has in color
"""
