"""Studies that compare methods for positive and unlabeled tables, and their results."""
