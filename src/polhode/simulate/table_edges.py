"""Tables that jump: the slopes of straight lines, where a potential, a track or a prescribed motion is such a table.

Their jumps are left to the control of the steps, which shortens them there; a reader of the run is told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..codegen.passes.switches import jumping_tables
from .jump_sources import has_tables
from .rates import Rates
from .state import Floats


def edges_met(rates: Rates, times: Floats, states: Floats, driven: Floats) -> list[str]:
    """A sentence for each table that jumped between the samples of a run."""
    functions = rates.functions
    made = jumping_tables(functions.program(rates.of)) if has_tables(functions.equations.system) else None
    if made is None or len(times) < 2:
        return []
    program, tables = made
    efforts = len(rates.tau.names)
    known: dict[str, Any] = {"x": states, "t": times[:, None], "alpha": rates.alpha}
    known |= {"tau": driven[:, :efforts], "inputs": driven[:, efforts:]}
    native = functions.compiled(program).with_parameters(functions.parameter_values(rates.of, rates.given))
    arguments = np.asarray(native(*(known[name] for name in native.arrays)))
    told = {}
    for (name, jumps), values in zip(tables, arguments.T, strict=True):
        met = np.flatnonzero(np.diff(np.searchsorted(jumps, values)))
        if len(met):
            told[name] = (
                f"{name} jumped {'once' if len(met) == 1 else f'{len(met)} times or more'}, first before "
                f"t = {times[met[0] + 1]:.6g} s, inside a step; the kinds cubic and pchip do not, but at their ends."
            )
    return list(told.values())
