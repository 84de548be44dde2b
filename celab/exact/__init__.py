"""The programs of the metrics and their proved optima."""
