"""The requests and answers as pydantic models, and one line for what is wrong with a request.

The OpenAPI description and the messages both come from these models. `Settings` has a field for
each option of TESLA-CELAB (`celab.metrics.options`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic_core import PydanticCustomError

from celab.base.arguments import Arguments, JsonObject
from celab.base.errors import suggest
from celab.base.languages import language_code
from celab.base.options import Spec, info_of
from celab.corpus.answers.forms import FORMS
from celab.findings.translations import verdicts
from celab.lexicon.catalog import DEFAULTS, FALLBACKS
from celab.metrics.options import LANGUAGE_DEFAULTS, PROFILE_HELP, PROFILES
from celab.serve import MAX_FILE_NAME, MAX_LEXICONS, MAX_REFERENCES, MAX_SYSTEMS, MAX_TEXT, MAX_WORD
from celab.serve.answers import OPTIONS, choices_of, lexicons

MAX_SHOWN = 40  # characters of a value that a message shows
NO_LEXICON = "none"
LEXICON_HELP = "name of a lexicon, a list of names, or none (default: that of the language)"


def quoted(value: object) -> str:
    """Return a value as messages show it: JSON's words, and long strings cut.

    >>> quoted(True), quoted({}), quoted("x" * 50)
    ('true', 'an object', "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'")
    """
    if isinstance(value, str):
        return repr(value if len(value) <= MAX_SHOWN else f"{value[:MAX_SHOWN]}…")
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        # A whole number may have thousands of digits.
        is_long = isinstance(value, int) and value.bit_length() > 64
        return "a number of more than 64 bits" if is_long else repr(value)
    return "a list" if isinstance(value, list) else "an object"


def _wrong(kind: str, message: str) -> PydanticCustomError:
    return PydanticCustomError(kind, "{message}", {"message": message})


def _at_most(limit: int) -> Callable[[str], str]:
    """Return a validator of the length of a text."""

    # Not pydantic's `max_length`, which encodes the text and so refuses lone surrogates.
    def check(text: str) -> str:
        if len(text) > limit:
            raise PydanticCustomError("string_too_long", "", {"max_length": limit})
        return text

    return check


def _text(limit: int, description: str | None = None) -> Any:
    schema = Field(description=description, json_schema_extra={"maxLength": limit})
    return Annotated[str, AfterValidator(_at_most(limit)), schema]


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _check_installed(name: object, known: Sequence[str]) -> None:
    if name not in known:
        hint = suggest(name if isinstance(name, str) else "", known)
        raise _wrong("lexicon", f"lexicon is {quoted(name)}; {hint}")


def _installed(name: object) -> object:
    # A default lexicon need not be installed, because another one is used in its place.
    if not isinstance(name, str) or name not in FALLBACKS:
        _check_installed(name, lexicons())
    return name


def _language(value: object) -> object:
    # A value that is not a text is refused later, with the languages.
    return language_code(value) if isinstance(value, str) else value


def _lexicon_setting(value: object) -> object:
    if value == NO_LEXICON:
        return None
    names = value if isinstance(value, list) else [value]
    if len(names) > MAX_LEXICONS:
        raise _wrong("too_long", f"lexicon is a list of {len(names):,}; it may have {MAX_LEXICONS}")
    if not isinstance(value, str) or value not in FALLBACKS:
        known = [*lexicons(), NO_LEXICON]
        for name in names:
            _check_installed(name, known)
    return value


class _Request(BaseModel):
    """An object without unknown fields, whose values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, data: object) -> object:
        # Only the first unknown name is reported: pydantic would make an error for each, and a
        # request may have 100,000.
        for name in data if isinstance(data, dict) else ():
            if name not in cls.model_fields:
                noun = "a setting" if issubclass(cls, _Settings) else "a field"
                if issubclass(cls, _WithSettings) and name in Settings.model_fields:
                    raise _wrong("unknown", f"{quoted(name)} is a setting; give it in settings")
                hint = suggest(name, cls.model_fields)
                raise _wrong("unknown", f"{quoted(name)} is not {noun} here; {hint}")
        return data


class _Settings(_Request):
    @model_validator(mode="before")
    @classmethod
    def _drop_null(cls, data: object) -> object:
        # null stands for the default.
        if not isinstance(data, dict):
            return data
        return {name: value for name, value in data.items() if value is not None}


def _unchanged(value: object, validate: ValidatorFunctionWrapHandler) -> object:
    # pydantic would make 1.0 of 1, and the page and the signature would show a number that was not
    # sent.
    validate(value)
    return value


def _option_type(option: Spec) -> Any:
    info, choices = info_of(option), choices_of(option)
    low, high = info.between or (None, None)
    value_type: Any = Literal[tuple(choices)] if choices else info.value_type
    field = Field(description=info.help, ge=low, le=high)
    return Annotated[value_type, field, WrapValidator(_unchanged)]


_LANG: Any = Literal[tuple(LANGUAGE_DEFAULTS)]
_PROFILE: Any = Literal[PROFILES]
_KIND: Any = Annotated[
    str,
    Field(json_schema_extra=lambda schema: schema.update(enum=["", *verdicts()])),
]
_FORM: Any = Literal[("", *FORMS)]
_LEXICONS = Annotated[list[str], Field(max_length=MAX_LEXICONS)]
_FIELDS: Arguments = {
    "lang": (
        Annotated[_LANG, BeforeValidator(_language), Field(description="target language")],
        "zh",
    ),
    "profile": (Annotated[_PROFILE, Field(description=PROFILE_HELP)], PROFILES[0]),
    "lexicon": (
        Annotated[
            str | list[str] | None,
            BeforeValidator(_lexicon_setting, json_schema_input_type=str | _LEXICONS),
            Field(description=LEXICON_HELP, examples=[*lexicons(), NO_LEXICON]),
        ],
        None,
    ),
    **{option.name: (_option_type(option), info_of(option).default) for option in OPTIONS},
}
Settings: Any = create_model("Settings", __base__=_Settings, **_FIELDS)

Text = _text(MAX_TEXT)


class _WithSettings(_Request):
    settings: Settings = Settings()

    def chosen_settings(self) -> Arguments:
        """Return the profile and the arguments of `TeslaCelab` that the request has."""
        settings = cast(_Settings, self.settings)
        return {name: getattr(settings, name) for name in settings.model_fields_set}


class PairRequest(_WithSettings):
    """A translation and its references."""

    hypothesis: _text(MAX_TEXT, "the translation")  # type: ignore[valid-type]
    reference: Annotated[
        list[Text],  # type: ignore[valid-type]
        Field(description="one reference, or a list of them"),
        Field(min_length=1, max_length=MAX_REFERENCES),
        BeforeValidator(
            _as_list,
            json_schema_input_type=Text
            | Annotated[list[Text], Field(min_length=1, max_length=MAX_REFERENCES)],
        ),
    ]

    def arguments(self) -> Arguments:
        """Return the arguments of `answers.score` and `answers.explain`."""
        return {
            "hypothesis": self.hypothesis,
            "references": self.reference,
            "settings": self.chosen_settings(),
        }

    @property
    def n_characters(self) -> int:
        """Number of characters of all texts."""
        return len(self.hypothesis) + sum(map(len, self.reference))


class WordRequest(_Request):
    """A word to look up."""

    word: _text(MAX_WORD)  # type: ignore[valid-type]
    lexicon: Annotated[str, BeforeValidator(_installed)] = DEFAULTS["zh"]


class UploadedFile(_Request):
    """A text file, plain or compressed."""

    name: _text(MAX_FILE_NAME)  # type: ignore[valid-type]
    data: Annotated[str, Field(description="the content in base64")]


class TableFile(UploadedFile):
    """A workbook, or a CSV or TSV file."""

    lang: _LANG = "zh"

    def arguments(self) -> Arguments:
        """Return the arguments of `answers.columns` that the request has."""
        return {"table": (self.name, self.data), "lang": self.lang}


_COLUMN: Any = _text(MAX_FILE_NAME)


class ReportColumns(_Request):
    """The columns of tables, by name, or by number from 1."""

    ref: Annotated[list[_COLUMN], Field(max_length=MAX_REFERENCES)] = []
    hyp: Annotated[list[_COLUMN], Field(max_length=MAX_SYSTEMS)] = []
    source: _COLUMN | None = None


class ReportRequest(_WithSettings):
    """The files of a report, in any format of `celab score`."""

    references: Annotated[list[UploadedFile], Field(min_length=1, max_length=MAX_REFERENCES)]
    systems: Annotated[list[UploadedFile], Field(max_length=MAX_SYSTEMS)] = []
    fields: Annotated[
        ReportColumns, Field(description="columns of tables; default: by their names")
    ] = ReportColumns()
    no_header: Annotated[
        bool, Field(description="the first row of tables is a segment, not names of columns")
    ] = False
    align: Annotated[
        bool, Field(description="cut the systems' texts at the references' segments first")
    ] = False
    report_lang: Annotated[
        Literal["en", "zh"], Field(description="language of the report itself")
    ] = "en"

    def arguments(self) -> Arguments:
        """Return the arguments of `answers.report` that the request has."""
        return {
            "references": [(file.name, file.data) for file in self.references],
            "systems": [(file.name, file.data) for file in self.systems],
            "settings": self.chosen_settings(),
            "fields": self.fields.model_dump(),
            "no_header": self.no_header,
            "align": self.align,
            "report_lang": self.report_lang,
        }


Figure = Annotated[float, Field(ge=0, le=1)]


class _Answer(BaseModel):
    warnings: Annotated[
        list[str],
        Field(description="why the answer may not be what is meant; absent if there are none"),
    ] = []


class ScoreAnswer(_Answer):
    """A score and its parts."""

    score: Figure
    precision: Figure
    recall: Figure
    signature: Annotated[str, Field(description="what to cite with the score")]
    output: Annotated[
        _KIND,
        Field(description="kind of an output that may not be a translation, else empty"),
    ]
    form: Annotated[_FORM, Field(description="form of a wrapped output, else empty")]
    findings: Annotated[
        list[str], Field(description="kinds of other findings; absent if there are none")
    ] = []


class ExplanationAnswer(_Answer):
    """The data from which the page draws; the format may change between versions."""

    model_config = ConfigDict(extra="allow")


class SynonymGroup(BaseModel):
    """Synonyms."""

    label: str
    words: list[str]


class SynonymsAnswer(_Answer):
    """The synonym groups of a word."""

    word: str
    groups: list[SynonymGroup]


class ColumnSample(BaseModel):
    """A column, by the cells of the first two rows."""

    name: str
    text: str
    kind: Annotated[
        Literal["source", "reference", "system", ""],
        Field(description="the text that it seems to have"),
    ]


class ColumnsAnswer(_Answer):
    """The columns of a table; none if the file is no table."""

    columns: list[ColumnSample]
    has_names: Annotated[bool, Field(description="whether the first row seems to name them")]


class ReportAnswer(_Answer):
    """Where the report is."""

    report: Annotated[str, Field(description="path on this server")]


class Error(BaseModel):
    """Reason why a request is refused."""

    error: Annotated[str, Field(description="one line")]
    can_align: Annotated[
        bool, Field(description="whether align may help; absent if not, or if it is no report")
    ] = False


# ---- messages -----------------------------------------------------------------------------------

_TOO_LONG = ("too_long", "string_too_long")


def _properties() -> dict[str, JsonObject]:
    models: tuple[type[BaseModel], ...] = (
        ReportColumns,
        TableFile,
        WordRequest,
        ReportRequest,
        Settings,
        PairRequest,
    )
    return {
        name: schema
        for model in models
        for name, schema in model.model_json_schema()["properties"].items()
    }


_PROPERTIES = _properties()


def explain_errors(errors: Sequence[Mapping[str, Any]]) -> tuple[int, str]:
    """Return the HTTP status, and one line about the first of pydantic's errors."""
    error = errors[0]
    kind, value, context = error["type"], error.get("input"), error.get("ctx", {})
    status = 413 if kind in _TOO_LONG else 400
    if "message" in context:  # ours
        return status, context["message"]
    name, wanted = _name_and_wanted(error["loc"])
    if not name:
        return 400, "the request must be a JSON object; see /openapi.json"
    if kind == "missing":
        return 400, f"{name} is missing; it must be {wanted}"
    if kind == "string_too_long":
        limit = context["max_length"]
        return 413, f"{name} has {len(cast(str, value)):,} characters; it may have {limit:,}"
    if kind in ("too_long", "too_short"):
        n_items = len(cast(Sequence[object], value))
        return status, f"{name} is a list of {n_items:,}; it must have {_range_of(name)}"
    if kind == "literal_error":
        hint = suggest(value if isinstance(value, str) else "", _PROPERTIES[name]["enum"])
        return 400, f"{name} is {quoted(value)}; {hint}"
    return 400, f"{name} is {quoted(value)}; it must be {wanted}"


def _name_and_wanted(place: Sequence[str | int]) -> tuple[str, str]:
    # ("body", "reference", 1) → "reference 2"; ("body", "systems", 0, "data") → "data of systems 1"
    name, wanted = "", ""
    for part in place[1:]:
        if isinstance(part, int):
            is_text = name == "reference"
            name, wanted = f"{name} {part + 1}", "a string" if is_text else "an object"
        else:
            name = f"{part} of {name}" if " " in name else part
            wanted = _description(_PROPERTIES.get(part, {}))
    return name, wanted


def _description(schema: JsonObject) -> str:
    if "anyOf" in schema:
        return " or ".join(map(_description, schema["anyOf"]))
    if "enum" in schema:
        return f"one of: {', '.join(schema['enum'])}"
    number = {"integer": "a whole number", "number": "a number"}.get(schema.get("type", ""))
    if number:
        return f"{number} from {schema['minimum']} to {schema['maximum']}"
    return {"string": "a string", "array": "a list"}.get(schema.get("type", ""), "an object")


def _range_of(name: str) -> str:
    schema = _PROPERTIES[name]
    schema = next((part for part in schema.get("anyOf", ()) if "maxItems" in part), schema)
    return f"{schema.get('minItems', 0)} to {schema['maxItems']}"
