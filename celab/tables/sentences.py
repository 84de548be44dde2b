"""Sentences that several places say: terminal, pages and their scripts.

A sentence that one place says stands there, as a `Phrase` or in `words.say`. The Chinese of both is
in `celab/report/html/templates/zh.json`.
"""

OVERLAP = "Scores measure overlap with the references, not quality."
TOO_FEW = "Fewer than {0} segments, no verdict."
# Copies in references.
COPIES_OF_SYSTEM = "{0} of {1} references are copies or close edits of outputs of {2}"
KEEPS_RANK = "{0}; without them it keeps rank {1}."
CHANGES_RANK = "{0}; without them it has rank {1} instead of {2}."
COPIES_IN_REFERENCE = "{0}: {1} of {2} segments are copies or close edits of outputs of {3}."
OTHER_SYSTEMS = "Other systems: at most {0}."
WITHOUT_COPIES = "Without the copies in all references, {0} has {1} ({2})."
CHOOSE_COPIES = "Choose “reference-copy” among the filters of outputs to list them."
# Outputs.
COUNT_IN_SCORES = "They count in every score."
ONE_BROKEN = "1 output that looks broken"
BROKEN = "{0} outputs that look broken"
ERRORS_ALONE = "The file lists errors alone, so all outputs count as judged."
# Segments and their links.
NO_SEGMENT = "No segment matches these filters."
EVERY_TOKEN = "Every token of the reference is matched, but not every n-gram."
FRAMED = (
    "Framed: what only one of the two translations matched. A letter names the translation that"
    " misses it."
)
