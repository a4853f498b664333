"""Compiled functions kept on disk: what was compiled before is loaded without equations, plan or compiler.

An entry is filed under the equations' mark, what was asked for, and the machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...files.cache import default_cache
from ...files.version import word_of
from ..native.machine import machine
from ..native.serialise import can_be_filed, file_code, file_function, unfile_code, unfile_function
from .origins import remember_file

if TYPE_CHECKING:
    from ...codegen.ir.program import Program
    from ...formalisms.derivation import Derivation
    from ..functions import Planned
    from ..native.backends import Code
    from ..native.compiled import Compiled
    from ..quantities import Asked


@dataclass(frozen=True)
class Kept:
    """A compiled function, its parameters in order with the model's values, None where it has none, and where unit
    quaternions begin among the coordinates."""

    compiled: Compiled
    parameters: Mapping[str, float | None]
    quaternions: tuple[int, ...]


@dataclass(frozen=True)
class Place:
    """Where a function of some equations is kept."""

    mark: str
    name: Asked
    bake: bool

    def key(self, part: str = "function") -> str:
        """The cache's key of the function, or of another part of it."""
        return word_of(self.mark, part, repr(self.name), str(self.bake), machine())


def kept_function(
    derivation: Derivation, name: Asked, bake: bool, backend: str, planned: Callable[[], Planned]
) -> Kept:
    """A function of some equations, from the disk where it is known, else planned, compiled and kept."""
    place = Place(derivation.key, name, bake)
    found = _find(place, lambda: planned().program, backend)
    if found is not None:
        return found
    from ..native import compile_program

    table = derivation.model.parameters
    values = {key: table[key].value for key in planned().parameters}
    made = Kept(
        compile_program(planned().program, backend=backend),
        {key: None if value is None else float(value) for key, value in values.items()},
        tuple(derivation.equations.tree.quaternions),
    )
    if can_be_filed(made.compiled):
        _keep(place, made)
        remember_file(derivation)
    return made


def _find(place: Place, program: Callable[[], Program], backend: str) -> Kept | None:
    payload = default_cache().find(place.key())
    if payload is None:
        return None
    line, _, function = payload.partition(b"\n")
    try:
        record = json.loads(line)
        values = {str(name): None if value is None else float.fromhex(value) for name, value in record["parameters"]}
        compiled = unfile_function(function, program, lambda: _lanes(place, program), backend)
        return Kept(compiled, values, tuple(map(int, record["quaternions"])))
    except (KeyError, TypeError, ValueError, OSError):
        return None


def _keep(place: Place, kept: Kept) -> None:
    values = [[name, None if value is None else value.hex()] for name, value in kept.parameters.items()]
    payload = (
        json.dumps({"parameters": values, "quaternions": kept.quaternions}).encode()
        + b"\n"
        + file_function(kept.compiled)
    )
    default_cache().keep(place.key(), payload)


def _lanes(place: Place, program: Callable[[], Program]) -> Code:
    """The code for many states at once, kept beside the function once it was wanted."""
    key = place.key("lanes")
    payload = default_cache().find(key)
    if payload is not None:
        try:
            return unfile_code(payload)
        except (KeyError, TypeError, ValueError, OSError):
            pass
    from ..native.backends import lane_code

    made = lane_code(program(), default_cache())
    default_cache().keep(key, file_code(made))
    return made
