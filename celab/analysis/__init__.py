"""Words for the word-level metrics: sentences in, tagged and lemmatised words out."""
