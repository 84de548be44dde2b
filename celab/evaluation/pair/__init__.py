"""Two systems, compared in detail."""
