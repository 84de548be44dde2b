"""Built on metrics: training, paraphrases, reranking and tuning."""
