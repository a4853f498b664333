"""The JSON Schema of the model file, for editors and other programs."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from .vocabulary import model_record


def schema() -> dict[str, Any]:
    """The published schema of the model file (JSON Schema, draft 2020-12).

    >>> schema()["title"]
    'polhode model file'
    """
    text = resources.files(__package__).joinpath("schema.json").read_text(encoding="utf-8")
    published: dict[str, Any] = json.loads(text)
    return published


def schema_of_records() -> dict[str, Any]:
    """The schema as the records imply it; `schema.json` is this, kept in the repository."""
    made = model_record().model_json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **made,
        "title": "polhode model file",
    }
