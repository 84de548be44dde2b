"""Dicts with values of many types, named by what they hold.

JSON that is read is checked by its shape first (`celab.base.json_files`).
"""

from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""What is written as an object of JSON, or was read as one and checked."""

Arguments: TypeAlias = dict[str, Any]
"""Arguments of a call by name; the function that they are for checks them."""

Variables: TypeAlias = dict[str, Any]
"""Variables of a template by name; the template alone knows what it needs."""
