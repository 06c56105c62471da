"""A forest engine in numba: binning, histogram, splitting, grower, predictor, forest."""
