"""What must survive translation: placeholders, tags, greatest lengths, white space at the ends.

placeholders  text → the placeholders in it
icu           messages of ICU: arguments, selectors, plural categories
tags          text and inline codes → tags
rules         source and output → what is lost and added, by kind
marking       findings → places in source and output
"""
