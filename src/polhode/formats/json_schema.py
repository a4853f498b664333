"""The JSON Schema of the model file, for editors and other programs."""

from __future__ import annotations

from typing import Any

from .vocabulary import model_record


def schema() -> dict[str, Any]:
    """The schema of the model file (JSON Schema, draft 2020-12), with every type that is registered.

    >>> schema()["title"]
    'polhode model file'
    """
    made = model_record().model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **made, "title": "polhode model file"}
