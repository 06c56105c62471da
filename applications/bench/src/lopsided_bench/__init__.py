"""Studies: what to compare, how to run it, and what the results say."""
