"""The solution of a cone problem: Newton's method from the start, and what comes in between where it does not converge.

Frictionless problems, and those with friction on lines, have an exact solution by Lemke's method; for circles its
solution in polygons is another start.
"""

from __future__ import annotations

from ...native.language import counted, native
from .cone_problem import ACCURACY, ConeProblem, begin_cones, choose_modes, newton, split, update
from .lemke import LinearComplementarity, start_in_polygons

#: Newton steps in a row, steps by splitting between two such rows, and rows.
_STEPS, _SPLITTINGS, _ROUNDS = 12, 200, 6


@native
def solve_cones(problem: ConeProblem, linear: LinearComplementarity) -> int:
    """Solve from problem.force; 0, or 1 where it does not converge to `ACCURACY`."""
    begin_cones(problem)
    newton(problem, _STEPS, 0)
    if problem.residual > ACCURACY and start_in_polygons(problem, linear) == 0:
        update(problem)
        newton(problem, _STEPS, 0)
    for k in counted(_ROUNDS):
        if problem.residual > ACCURACY:
            split(problem, _SPLITTINGS)
            newton(problem, _STEPS, k % 2)
    choose_modes(problem)
    return 0 if problem.residual <= ACCURACY else 1
