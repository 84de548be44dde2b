"""Laws that every metric keeps with any options on any text, tried on random ones.

draw        metrics from all their options, and texts for them
laws        the laws, each a function of a case
test_laws   the laws in `make test`
run         the laws for as long as you like: `python tests/properties/run.py --minutes 30`
"""
