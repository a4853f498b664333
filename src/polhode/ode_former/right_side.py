"""What every integrator calls: rates and projection, plain where they can be trusted, else across a singular pose."""

from __future__ import annotations

from ..codegen.llvm.builder import Function
from .projection import plain_projection_function
from .run_record import plain_rates_function
from .singular_pose import passing_functions


def right_side_functions(fused: bool) -> list[Function]:
    """ph_rates(run, t, x, f) and ph_project(run, t, x), and what they consist of."""
    return [plain_rates_function(fused), plain_projection_function(fused), *passing_functions(fused)]
