"""The record of unilateral rows, which native code and Python share."""

from __future__ import annotations

from ...native.kinds import Array, Code, Integers, Struct
from .cone_problem import ConeProblem


class Unilateral(Struct):
    """The rows of a run: what its right-hand side puts out of them, their laws and their modes."""

    count: int  # groups
    size: int  # rows
    first_speed: int  # in the state
    speeds: int
    free_rates: Code
    free_project: Code
    is_constrained: int  # 1 if there are other constraints
    rows: Array  # W: `speeds` numbers a row
    responses: Array  # what a unit of force in each row adds to u̇, alike
    drift: Array  # γ
    gaps: Array
    velocities: Array  # W u
    problem: ConeProblem  # G, b and λ; its friction is that of the modes at hand
    modes: Integers
    directions: Array  # of slip, two numbers a group, from where its mode began
    slow: Array  # slip speeds below which a direction is held
    kinetic: Array
    static: Array
    stribeck: Array  # speeds; 0 for none
    displacement: Array  # of the state's length
    rates_there: Array
