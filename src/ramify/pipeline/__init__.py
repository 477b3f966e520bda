"""From raw text to trees: segmenter, taggers and parser in one model."""
