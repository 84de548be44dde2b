"""Campaigns for the tests of reports."""

from celab.evaluation.campaign import Campaign


def run(metrics, corpus, **test):
    """Scores, and a test if there are several systems."""
    campaign = Campaign(corpus).score(metrics)
    return campaign.test(**test) if len(corpus.systems) > 1 else campaign
