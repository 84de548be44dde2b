"""Fuzzing: random inputs, what must hold of them, and a driver for long runs."""
