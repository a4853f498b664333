"""Rates whose signs are held still, as native code: what they are signs of is computed apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.passes.switches import Switched, switched
from ..compiled.functions import Functions
from .jump_sources import sources
from .state import Floats


class Signs:
    """A native function of the catalogue with its signs as they are in `modes`, called as the function itself is."""

    def __init__(self, functions: Functions, made: Switched, parameters: Floats) -> None:
        self.smooth = functions.compiled(made.smooth).with_parameters(parameters)
        self.values = functions.compiled(made.values).with_parameters(parameters)
        self.arrays = self.smooth.arrays[:-1]
        self.depends_on = made.depends_on
        self.modes = np.zeros(made.count)

    def __call__(self, *arrays: Floats) -> Any:
        return self.smooth(*arrays, self.modes)


def signs_of(functions: Functions, name: str, parameters: Floats) -> Signs | None:
    """The function with its signs held still; None where it has none."""
    if not sources(functions.equations.system):
        return None
    made = switched(functions.program(name))
    return None if made is None else Signs(functions, made, parameters)
