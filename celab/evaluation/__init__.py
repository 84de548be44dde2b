"""Systems: scored, compared, and correlated with human judgments."""
