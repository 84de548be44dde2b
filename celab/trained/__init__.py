"""Metrics that are learnt from human ratings, and how they learn."""
