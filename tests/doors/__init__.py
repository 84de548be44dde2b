"""Every way to a score, with the same result for the same name."""
