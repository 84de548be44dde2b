"""What the task needs: its target, and the metrics, which the import registers."""

import celab.integrations.lm_eval  # noqa: F401


def reference(doc: dict[str, str]) -> str:
    """Return the reference of a document."""
    return doc["reference"]
