"""Judges beside our metrics: other metrics, people, and the errors that they have marked."""
