"""Documents: text whose lines are not the lines of the reference."""
