"""Financial misstatements: which firm-years are misstated, when few of them are known yet."""
