"""The solution of a cone problem: Newton's method from the start, and what comes after it where it does not converge.

Frictionless problems, and those with friction on lines, have an exact solution by Lemke's method. For circles proximal
steps follow, which approach a solution by problems that are easier, and then steps by splitting.
"""

from __future__ import annotations

from ...native.language import counted, native
from .cone_problem import ACCURACY, ConeProblem, approach, begin_cones, choose_modes, newton, split, update
from .lemke import LinearComplementarity, start_on_lines

#: Newton steps in a row, steps by splitting between two such rows, and rows.
_STEPS, _SPLITTINGS, _ROUNDS = 12, 200, 6


@native
def solve_cones(problem: ConeProblem, linear: LinearComplementarity) -> int:
    """Solve from problem.force; 0, or 1 where it does not converge to `ACCURACY`."""
    circles = begin_cones(problem)
    for i in range(problem.size):
        problem.centre[i] = problem.force[i]
    newton(problem, _STEPS, 0, ACCURACY)
    if problem.residual > ACCURACY and circles == 0 and start_on_lines(problem, linear) == 0:
        update(problem)
        newton(problem, _STEPS, 0, ACCURACY)
    if problem.residual > ACCURACY:
        for j in range(problem.size):
            problem.force[j] = problem.centre[j]
        approach(problem)
    for k in counted(_ROUNDS):
        if problem.residual > ACCURACY:
            split(problem, _SPLITTINGS)
            newton(problem, _STEPS, k % 2, ACCURACY)
    choose_modes(problem)
    return 0 if problem.residual <= ACCURACY else 1
