"""Reports: a table of results as one page."""
