"""Benchmark: pairs of sentences → how long each solver takes for them, and whether all agree.

solvers   a linear program → an optimum; each solver in a process of its own
measure   pairs → figures: times, sizes, steps and differences; the same at several lengths
report    figures → JSON, tables, SVG or PNG
"""
