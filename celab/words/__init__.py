"""Words for the word-level metrics: sentences in, tagged and lemmatized words out."""
