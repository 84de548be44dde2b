"""Text before it is scored: escapes, normalization, tokens."""
