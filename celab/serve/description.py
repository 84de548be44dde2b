"""The OpenAPI description of the endpoints; the settings are those of `celab.options`."""

from __future__ import annotations

from typing import Any

from celab.options import USUAL
from celab.serve import answers
from celab.version import __version__

ERRORS = {
    "400": "The request is not valid JSON, a field has a wrong type, or a setting a wrong value.",
    "403": "Host or Origin is not that of this server.",
    "413": "The request or a text is too long.",
    "415": "The content type is not application/json.",
    "422": "The pair is too long to be scored or explained.",
    "503": "There was no answer within the time limit.",
}


def openapi() -> dict[str, Any]:
    """The description, as OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "celab", "version": __version__,
            "description": "TESLA-CELAB scores of translations. Texts are in UTF-8.",
        },
        "paths": {
            "/score": _path("Score a translation", "Pair", "Score"),
            "/explain": _path("Show where a score comes from", "Pair", "Explanation"),
            "/lookup": _path("Show the synonym groups of a word", "Word", "Groups"),
        },
        "components": {"schemas": {
            "Pair": _object(
                {
                    "reference": {
                        "description": "one reference, or a list of them",
                        "oneOf": [_TEXT, {"type": "array", "items": _TEXT, "minItems": 1,
                                          "maxItems": answers.MOST_REFERENCES}],
                    },
                    "hypothesis": _TEXT | {"description": "the translation"},
                    "settings": {"$ref": "#/components/schemas/Settings"},
                },
                "reference", "hypothesis",
            ),
            "Settings": _object(_settings()),
            "Score": _object(
                {name: {"type": "number", "minimum": 0, "maximum": 1} for name in _FIGURES}
                | {"signature": {"type": "string", "description": "what to cite with the score"}},
                *_FIGURES, "signature",
            ),
            "Explanation": {"type": "object", "description": "as the HTML report stores it; the"
                            " format may change between versions"},
            "Word": _object({"word": {"type": "string", "maxLength": answers.MOST_WORD},
                             "lexicon": {"type": "string"}}, "word"),
            "Groups": _object({"word": {"type": "string"}, "groups": {"type": "array", "items":
                _object({"label": {"type": "string"},
                         "words": {"type": "array", "items": {"type": "string"}}})}}),
            "Error": _object({"error": {"type": "string", "description": "one line"}}, "error"),
        }},
    }  # fmt: skip


_TEXT: dict[str, Any] = {"type": "string", "maxLength": answers.MOST_TEXT}
_FIGURES = ("score", "precision", "recall")


def _settings() -> dict[str, Any]:
    made: dict[str, Any] = {
        "lang": {"type": "string", "enum": [*USUAL], "description": "target language",
                 "default": "zh"},
        "lexicon": {"description": "name of a lexicon, a list of names, or none (default: that of"
                    " the language)", "oneOf": [{"type": "string"}, {"type": "array", "items":
                    {"type": "string"}}], "examples": [*answers.lexicons(), "none"]},
    }  # fmt: skip
    kinds = {int: "integer", float: "number", str: "string"}
    for spec in answers.OPTIONS:
        told = spec.metadata
        made[spec.name] = {"description": told["help"], "default": spec.default}
        if kind := kinds.get(type(spec.default)):
            made[spec.name]["type"] = kind
        if choices := answers.choices_of(spec):
            made[spec.name]["enum"] = list(choices)
        if told["between"]:
            made[spec.name] |= zip(("minimum", "maximum"), told["between"], strict=True)
    return made


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "object", "properties": properties}
    return made | {"required": list(required), "additionalProperties": False}


def _path(summary: str, asked: str, answered: str) -> dict[str, Any]:
    def content(name: str) -> dict[str, Any]:
        return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}

    errors = {
        status: {"description": what, "content": content("Error")}
        for status, what in ERRORS.items()
    }
    found = {"200": {"description": "The answer.", "content": content(answered)}}
    return {"post": {"summary": summary, "requestBody": {
        "required": True, "content": content(asked)}, "responses": found | errors}}  # fmt: skip
