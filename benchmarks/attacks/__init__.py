"""The kinds of attack that `benchmarks/attack.py` runs, and what judges them."""
