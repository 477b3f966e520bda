"""Models of one's own: factor graphs whose scores are learned from examples."""
