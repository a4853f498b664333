"""`polhode schema`: the schema of model files, for editors."""

from __future__ import annotations

from ..formats import schema
from .show import as_json


def run() -> None:
    """Print it."""
    as_json(schema())
