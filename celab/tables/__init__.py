"""What results show, and its formats: text, TSV, Markdown, LaTeX, notebook, data frame.

cells      figures → text; phrases that a page can say in another language
view       tables, lines and drawings, of which a view consists; a view → one of the formats
record     columns of a result → a table and a data frame
templating templates of HTML; a view → HTML for notebooks
result     what all results can do: be printed, become JSON and data frames
palette    colors and marks of matches; two texts, with what only one of them has in color
"""
