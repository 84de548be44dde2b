"""Benchmark: pairs of sentences → what each solver needs for them, and whether all of them agree.

pairs, generate    files or a recipe → pairs, and a generated lexicon
programs           pairs' whole programs as blocks of one, kept in a file
solvers            a program → an optimal vertex, one function a solver
worker, process    one solver in a process of its own, asked for one round after another
measure, growth    pairs → times, sizes, steps and differences; the same at several lengths
report, plot       all of these → tables, JSON, SVG or PNG
"""
