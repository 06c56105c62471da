"""Which annual reports are misstated, when few misstatements of earlier years are known yet.

An application of `lopsided`; its command is `lopsided-misstatement`.
"""
