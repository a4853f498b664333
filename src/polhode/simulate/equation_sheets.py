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
    from .trajectory import Trajectory

#: With more speeds than this there are no equations: they would be too long.
MOST_SPEEDS = 12
#: Leaves of a formula that is still read, and of one that is still worth bringing to a readable form.
_READ, _FORMED = 160, 800
#: Beyond so many leaves a part of an equation of motion is given a name.
_NAMED = 60
_LENGTH = 40_000


def sheets_of(run: Trajectory, scene: Scene, wanted: bool = True) -> list[Sheet]:
    """For each body the equations of motion of its joint, where its mass centre is, and how it turns."""
    equations = run.mechanism.equations
    if not wanted or len(equations.u) > MOST_SPEEDS:
        return []
    carrier = {joint.child: joint for joint in equations.system.joints.values()}
    made = []
    for number, body in enumerate(scene.bodies):
        if body.name != GROUND and body.name in equations.system.bodies:
            lines = list(_lines(equations, body.name, carrier.get(body.name)))
            made += [Sheet(number, lines)] if lines else []
    return made


def _lines(equations: EquationsOfMotion, body: str, joint: Joint | None) -> Iterator[tuple[str, str]]:
    if joint is not None:
        for k in (k for k, u in enumerate(equations.u) if u in joint.u):
            yield from _motion(equations, joint, k)
    pose = equations.pose(body)
    yield from _vector("Mass centre", "<mi>r</mi>", pose.point(equations.system.bodies[body].com))
    yield from _vector("Angular velocity", "<mi>&#969;</mi>", real_part(equations.velocity_screw(body)))


def _vector(words: str, letter: str, entries: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """A vector in ground components, as a column; none where it is too long."""
    formed = [_formed(as_expr(entry)) for entry in entries]
    if all(_leaves(entry) <= _READ for entry in formed):
        rows = "".join(f"<mtr><mtd><mrow>{mathml(entry)}</mrow></mtd></mtr>" for entry in formed)
        column = f'<mrow><mo>(</mo><mtable displaystyle="true">{rows}</mtable><mo>)</mo></mrow>'
        yield f"{words}, ground components", mathml_equation(letter, column)


def _motion(equations: EquationsOfMotion, joint: Joint, k: int) -> Iterator[tuple[str, str]]:
    """Σ M u̇ + bias = τ, the row of one speed; parts that are long or shared have names."""
    words = f"Equation of motion, joint {joint.name}"
    try:
        row, bias = equations.mass_matrix[k], equations.bias[k]
        effort = as_expr(equations.efforts[k])
    except PolhodeError:
        return
    terms = [(_formed(as_expr(entry)), rate) for entry, rate in zip(row, equations.udot, strict=True)]
    inertia = as_expr(sum(entry * rate for entry, rate in terms))
    total = inertia + _formed(as_expr(bias))
    if _leaves(total) > 4 * _READ:
        yield words, _too_long(_leaves(total))
        return
    parts, (left, right) = mathml_parts([total, effort], _NAMED)
    formulas = [mathml_equation(left, _with_multipliers(equations, right))]
    formulas += [mathml_equation(name, body) for name, body in parts]
    if sum(map(len, formulas)) <= _LENGTH:
        yield words, "".join(formulas)
    else:
        yield words, _too_long(_leaves(total))


def _with_multipliers(equations: EquationsOfMotion, effort: str) -> str:
    """What the constraints add, where they are kept by multipliers."""
    constraints = equations.constraints
    if constraints is None or not constraints.rows or equations.dependent_speeds is not None:
        return effort
    return f"{effort}<mo>+</mo><mtext>constraint forces</mtext>"


def _formed(value: Expr) -> Expr:
    """An expression in readable form, if it is not so long that this takes time."""
    return normal(value) if _leaves(value) <= _FORMED else value


def _leaves(value: Expr) -> int:
    return leaf_counts(topological([value]))[id(value)]


def _too_long(leaves: int) -> str:
    return f'<math display="block"><mtext>too long to be read here: {leaves:,} symbols or more</mtext></math>'
