"""Foundations of all other packages: errors, files, options, text, results, signatures."""
