"""The metrics, by the name the command line and the signature use."""
