"""Training of metrics on human judgments.

feature_weights  judged pairs → weights of TESLA-F
rated_texts      rated texts of topics → models of DICOMER and CREMER
pem              PEM, a score of paraphrases without a reference
"""
