"""All systems by all metrics.

campaign  files → scores → tests → report
scored    scores of systems with their outputs, wherever they were made
view      tables and lines that show them
stored    their JSON
baseline  a stored result, read again
gate      limits that scores must keep
"""
