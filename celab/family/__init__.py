"""Built on metrics: training of TESLA-F, DICOMER and CREMER, and PEM, a score of paraphrases."""
