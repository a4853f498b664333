"""What a model file led to before: for each formalism the mark of its equations, filed under the file's content.

A file that is listed here was read without complaint, and so were its equations derived, by this very polhode.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ...files.cache import default_cache

if TYPE_CHECKING:
    from ...dynamics.equations import Equations


def marks_of(word: str) -> dict[str, str] | None:
    """The marks by formalism, or None where the file is not known."""
    payload = default_cache().find(word)
    if payload is None:
        return None
    try:
        found = json.loads(payload)
    except ValueError:
        return None
    return {str(name): str(mark) for name, mark in found.items()} if isinstance(found, dict) else None


def remember_origin(equations: Equations) -> None:
    """Note what the file of these equations led to, if they are of a file as it is and derived in the usual way."""
    from ...formalisms import usual_passes

    system, formalism = equations.system, equations.formalism
    usual = usual_passes(formalism)
    if not system.origin or equations.is_narrowed or (equations.passes, equations.binding) != (usual, None):
        return
    marks = marks_of(system.origin) or {}
    if marks.get(formalism) != equations.mark:
        marks[formalism] = equations.mark
        default_cache().keep(system.origin, json.dumps(marks).encode())
