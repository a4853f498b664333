"""The solution of a cone problem: Newton's method from the start, and what comes after it where it does not converge.

Frictionless problems, and those with friction on lines, have an exact solution by Lemke's method. For circles steps by
splitting follow, and from where these end Newton's method with Levenberg's shift; so do they in large problems whose
start is far from a solution. Where that fails too Newton's method begins at Lemke's solution with squares for circles.
"""

from __future__ import annotations

from ...native.language import counted, native
from .cone_problem import ACCEPTED, ACCURACY, ConeProblem, begin_cones, choose_modes, newton, split, update
from .lemke import LinearComplementarity, start_on_lines

#: Problems with more rows are large; of these the residual of a start that is near, Newton's steps and the shift there.
_LARGE, _NEAR, _NEAR_STEPS, _NEAR_SHIFT = 36, 0.5, 20, 10.0
#: Newton steps from other starts.
_STEPS = 12
#: Steps by splitting, at first and more each time; Newton steps after these, their shift and its factor; and rounds.
_FEW, _MANY, _SHIFTED, _SHIFT, _FALL, _ROUNDS = 20, 100, 80, 3.0, 0.5, 8


@native
def solve_cones(problem: ConeProblem, linear: LinearComplementarity) -> int:
    """Solve from problem.force to `ACCURACY`; 0, or 1 where the residual is above `ACCEPTED`."""
    circles = begin_cones(problem)
    for i in range(problem.size):
        problem.start[i] = problem.force[i]
    if problem.size <= _LARGE or circles == 0:
        newton(problem, _STEPS, 0.0)
    elif problem.residual < _NEAR:
        newton(problem, _NEAR_STEPS, _NEAR_SHIFT)
    if problem.residual > ACCURACY and circles == 0 and start_on_lines(problem, linear) == 0:
        update(problem)
        newton(problem, _STEPS, 0.0)
    shift = _SHIFT
    for k in counted(_ROUNDS):
        if problem.residual > ACCURACY:
            for j in range(problem.size):
                problem.force[j] = problem.start[j]
            split(problem, _MANY * k + _FEW)
            newton(problem, _SHIFTED, shift)
            shift = _FALL * shift
    if problem.residual > ACCEPTED and circles > 0 and start_on_lines(problem, linear) == 0:
        update(problem)
        newton(problem, _SHIFTED, 0.0)
    choose_modes(problem)
    return 0 if problem.residual <= ACCEPTED else 1
