"""The commands, one file each, and what they share: arguments, terminal, progress.

Nothing imports this package. A command imports what it works with when it starts to work, so that
`--help` answers at once.
"""
