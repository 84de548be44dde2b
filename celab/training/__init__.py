"""What is learnt from people's judgments, and what is made with it.

feature_weights  judged pairs → weights of TESLA-F
rated_texts      rated texts of topics → models of DICOMER and CREMER
pem              PEM, a score of paraphrases without a reference
"""
