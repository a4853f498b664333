"""What a model file led to before: the digest of its model and the keys of its derivations, under the file's key.

A file that is listed here was read without complaint, and so were its equations derived, by this very polhode.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...files.cache import default_cache
from ...formats.model_file import ModelFile

if TYPE_CHECKING:
    from ...formalisms.derivation import Derivation


def known_file(key: str) -> tuple[str, frozenset[str]] | None:
    """The digest of the model and the keys of its derivations, or None where the file is not known."""
    payload = default_cache().find(key)
    if payload is None:
        return None
    try:
        found = json.loads(payload)
        return str(found["model"]), frozenset(map(str, found["derivations"]))
    except (ValueError, KeyError, TypeError):
        return None


def remember_file(derivation: Derivation) -> None:
    """Note what the file of a derivation led to."""
    file = derivation.source
    if not isinstance(file, ModelFile) or derivation.rows is not None:
        return
    digest, known = known_file(file.key) or ("", frozenset())
    if digest != file.digest or derivation.key not in known:
        record = {"model": file.digest, "derivations": sorted({*known, derivation.key})}
        default_cache().keep(file.key, json.dumps(record).encode())
