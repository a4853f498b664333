"""Equations of bodies and of the joints that carry them, as MathML for a page: only what is short enough to be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError
from ..expr import Expr, as_expr, normal, topological
from ..expr.mathml_printer import mathml, mathml_equation, mathml_parts
from ..expr.reading import leaf_counts
from ..geometry.dual import real_part
from ..model.records import GROUND, Joint
from ..view.scene import Scene, Sheet

if TYPE_CHECKING:
    from ..simulate.trajectory.trajectory import Trajectory

#: With more speeds than this there are no equations: they would be too long.
MOST_SPEEDS = 8
#: Leaves of a formula that is still read; of an equation of motion, whose long parts are named beside it.
_READ, _LONGEST = 60, 200
#: Leaves of an expression that is brought to a readable form, and of all of them together: that takes time.
_FORMED, _BUDGET = 36, 300
#: Beyond so many leaves a part of an equation of motion is given a name.
_NAMED = 60


def sheets_of(run: Trajectory, scene: Scene, wanted: bool = True) -> list[Sheet]:
    """For each body the equations of motion of its joint, where its mass centre is, and how it turns."""
    equations = run.mechanism.equations
    if not wanted or len(equations.u) > MOST_SPEEDS:
        return []
    writer = _Writer(equations)
    made = []
    for number, body in enumerate(scene.bodies):
        if body.name != GROUND and body.name in equations.system.bodies:
            lines = list(writer.lines(body.name))
            made += [Sheet(number, lines)] if lines else []
    return made


class _Writer:
    """Writes formulas, in readable form as long as the budget for that lasts."""

    def __init__(self, equations: EquationsOfMotion) -> None:
        self.equations, self.left = equations, _BUDGET
        self.carrier = {joint.child: joint for joint in equations.system.joints.values()}

    def lines(self, body: str) -> Iterator[tuple[str, str]]:
        equations, joint = self.equations, self.carrier.get(body)
        if joint is not None:
            for k in (k for k, u in enumerate(equations.u) if u in joint.u):
                yield from self._motion(joint, k)
        centre = equations.pose(body).point(equations.system.bodies[body].com)
        yield from self._vector("Mass centre", "<mi>r</mi>", centre)
        yield from self._vector("Angular velocity", "<mi>&#969;</mi>", real_part(equations.velocity_screw(body)))

    def _vector(self, words: str, letter: str, entries: Sequence[Any]) -> Iterator[tuple[str, str]]:
        """A vector in ground components, as a column; none where it is too long."""
        formed = [self._formed(as_expr(entry)) for entry in entries]
        if all(_leaves(entry) <= _READ for entry in formed):
            rows = "".join(f"<mtr><mtd><mrow>{mathml(entry)}</mrow></mtd></mtr>" for entry in formed)
            column = f'<mrow><mo>(</mo><mtable displaystyle="true">{rows}</mtable><mo>)</mo></mrow>'
            yield f"{words}, ground components", mathml_equation(letter, column)

    def _motion(self, joint: Joint, k: int) -> Iterator[tuple[str, str]]:
        """Σ M u̇ + bias = τ, the row of one speed; parts that are long or shared have names."""
        equations, words = self.equations, f"Equation of motion, joint {joint.name}"
        try:
            row, bias, effort = equations.mass_matrix[k], as_expr(equations.bias[k]), as_expr(equations.efforts[k])
        except PolhodeError:  # as of equations that were truncated
            return
        terms = [self._formed(as_expr(entry)) * rate for entry, rate in zip(row, equations.udot, strict=True)]
        total = as_expr(sum(terms)) + self._formed(bias)
        if _leaves(total) > _LONGEST:
            note = f"too long to be read here: {_leaves(total):,} symbols or more"
            yield words, f'<math display="block"><mtext>{note}</mtext></math>'
            return
        parts, (left, right) = mathml_parts([total, effort], _NAMED)
        formulas = [(left, _with_multipliers(equations, right)), *parts]
        yield words, "".join(mathml_equation(*sides) for sides in formulas)

    def _formed(self, value: Expr) -> Expr:
        """An expression in readable form, if it is short enough and there have not been too many."""
        leaves = _leaves(value)
        if leaves > min(_FORMED, self.left):
            return value
        self.left -= leaves
        return normal(value)


def _with_multipliers(equations: EquationsOfMotion, effort: str) -> str:
    """What the constraints add, where they are kept by multipliers."""
    constraints = equations.constraints
    if constraints is None or not constraints.rows or equations.dependent_speeds is not None:
        return effort
    return f"{effort}<mo>+</mo><mtext>constraint forces</mtext>"


def _leaves(value: Expr) -> int:
    return leaf_counts(topological([value]))[id(value)]
