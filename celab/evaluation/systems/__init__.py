"""All systems by all metrics.

campaign  files → scores → tests → report
scored    scores of all systems, wherever they were made, and comparisons
view      tables and lines that show them
stored    their rows and their JSON
gate      a stored result, read again as a baseline, and limits that scores must keep
"""
