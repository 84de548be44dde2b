"""The metrics: options, scorers, explanations, and the registry of names."""
