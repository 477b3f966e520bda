"""Trees over the words of a sentence."""
