"""Reports: a table of results told as one page."""
