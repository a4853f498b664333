"""The problem of optimal control of a mechanism, transcribed by direct collocation.

minimise  ∫₀ᵀ L(x, c, t) dt + V(x(T), T)      such that   M u̇ + bias = τ,  q̇ = Γ u,  ż = rate,
          x(0), x(T) in their ranges,  x, c and expressions of them within limits,  T given or within a range
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..compiled.functions import Functions
from ..control.actuation import warn_of_base
from ..errors import (
    PolhodeError,
    by_name,
    check_kind,
    fault_at,
    listed,
    number,
    shown,
    understood,
    unknown,
    whole_number,
)
from ..expr import Expr, as_expr
from ..laws.controls import controls_of
from ..notebook import Cell, Shown, Table
from ..simulate.run import first_state
from .bounds import ANY, Limits, Names, Range, arrays_of, check_inside, range_of, ranges_at_end, read_end, read_limits
from .costs import integrand_of, known_expressions
from .failure import check
from .guess import first_variables
from .ipopt import check_ipyopt, search
from .mesh import Floats, Mesh
from .point_model import PointModel
from .schemes import SCHEMES
from .solution import Solution
from .transcription import Transcription

if TYPE_CHECKING:
    from ..formalisms.derivation import Derivation

fault = fault_at("collocation")

_DYNAMICS = ("auto", "implicit", "explicit")
#: Up to so many speeds explicit dynamics are solved faster, there being fewer variables; beyond, to compile the second
#: derivatives of M⁻¹ costs more than that saves (measured on arms and swing-ups of 1 to 7 speeds).
_FEW_SPEEDS = 4
_MOST_NODES = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Collocation(Shown):
    """An optimal control problem on a mesh: `solve` finds the motion, `with_nodes` puts it on another mesh.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> problem = s.derive().collocation((1, 3), end={"x": 1}, cost="time", limits={"tau_x": 2}, inputs=["tau_x"])
    >>> problem.first_duration, problem.with_nodes(5)
    (2.0, Collocation('slider', 5 nodes: 28 variables, 16 constraints; controls: tau_x))
    >>> len(problem.bounds[0]) == problem.transcription.size, len(problem.row_bounds[0])
    (True, 396)
    >>> round(problem.with_nodes(5).solve().duration, 6)
    1.0
    """

    point: PointModel = field(repr=False)
    mesh: Mesh = field(repr=False)
    names: Names
    start: tuple[Range, ...]
    end: tuple[Range, ...]
    limits: Limits = field(repr=False)
    end_ranges: tuple[tuple[Expr, Range], ...] = field(repr=False)
    durations: Range
    parameters: Mapping[str, Any]
    functions: Functions = field(repr=False)

    @property
    def first_duration(self) -> float:
        """The duration, or one to begin with."""
        low, high = self.durations.lower, self.durations.upper
        return low if self.durations.is_fixed else (low + high) / 2 if np.isfinite(high) else max(2 * low, 1.0)

    def with_nodes(self, nodes: int | Sequence[float]) -> Collocation:
        """The same problem with so many nodes, or with nodes at given shares of the duration, from 0 to 1."""
        return replace(self, mesh=Mesh(self.mesh.scheme, _ends(nodes)))

    @cached_property
    def transcription(self) -> Transcription:
        """The sparse problem, with its exact derivatives in native code."""
        known = None if self.point.is_free else self.first_duration
        return Transcription(self.point, self.mesh, self.functions, known, self.parameters or None)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of all variables."""
        point, mesh = self.point, self.mesh
        every = [*self.limits.state, *[ANY] * len(point.algebraic), *self.limits.controls]
        found = []
        for side, (start, end, all_points) in enumerate(
            zip(arrays_of(self.start), arrays_of(self.end), arrays_of(every), strict=True)
        ):
            y = np.tile(all_points, (mesh.points, 1))
            y[0, : len(start)] = start
            y[mesh.intervals, : len(end)] = end
            duration = [(self.durations.lower, self.durations.upper)[side]] if point.is_free else []
            found.append(np.concatenate([y.reshape(-1), duration]))
        return found[0], found[1]

    @cached_property
    def row_bounds(self) -> tuple[Floats, Floats]:
        """The lower and upper bounds of all constraints."""
        of_rows = arrays_of(
            [Range(0.0, 0.0)] * len(self.point.dynamics) + [each for _, each in self.limits.expressions]
        )
        zeros = np.zeros(self.transcription.defects)
        at_end = arrays_of([each for _, each in self.end_ranges])
        low, high = (
            np.concatenate([zeros, np.tile(each, self.mesh.points), last])
            for each, last in zip(of_rows, at_end, strict=True)
        )
        return low, high

    def solve(
        self,
        guess: Any = None,
        *,
        tolerance: float = 1e-8,
        iterations: int = 1000,
        progress: bool | Callable[[float], object] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Solution:
        """The motion of least cost near the `guess`; raises where none is found, with the last motion in the error.

        guess        "linear" between the ends (by default), a trajectory, values by name, or another solution: on the
                     same mesh the search then goes on where that ended
        tolerance    to which the conditions of an optimum are met
        iterations   how many there may be
        progress     as in `simulate`
        options      more options of IPOPT, by name
        """
        tolerance = number(tolerance, "a number from 0 to 1", above=0.0, below=1.0, place="solve tolerance")
        iterations = whole_number(iterations, "a whole number, 1 or more", least=1, place="solve iterations")
        check_ipyopt()
        first, warm = first_variables(self, guess), None
        if isinstance(guess, Solution) and len(guess.multipliers.constraints) == self.transcription.constraints:
            warm = guess.multipliers
        words = f"optimising {self.functions.derivation.synopsis.system}"
        found = search(
            self.transcription, first, self.bounds, self.row_bounds, tolerance=tolerance,
            iterations=iterations, progress=progress, words=words, warm=warm, options=options,
        )  # fmt: skip
        made = Solution(
            self,
            found.variables,
            found.multipliers,
            found.cost,
            found.status,
            found.message,
            found.iterations,
            found.seconds,
        )
        check(self, made)
        return made

    def __repr__(self) -> str:
        made = self.transcription
        return (
            f"Collocation('{self.functions.derivation.synopsis.system}', {len(self.mesh.ends)} nodes: {made.size} "
            f"variables, {made.constraints} constraints; controls: {', '.join(self.names.controls)})"
        )

    def _cell(self) -> Cell:
        ends = [*zip(self.names.state, self.start, self.end, strict=True)]
        limits = zip(
            (*self.names.state, *self.names.controls), (*self.limits.state, *self.limits.controls), strict=True
        )
        between = [(name, each) for name, each in limits if each != ANY]
        duration = f"duration: {self.durations} s"
        tables = [Table(["state", "start", "end"], ends), Table(["limited", "to"], between)]
        return Cell(repr(self), [duration, *tables])


def collocation(
    derivation: Derivation,
    duration: Any,
    *,
    start: Any = None,
    end: Any = None,
    cost: Any = "effort",
    terminal_cost: Any = None,
    limits: Any = None,
    inputs: Sequence[str] | None = None,
    nodes: int | Sequence[float] = 100,
    scheme: str = "hermite_simpson",
    dynamics: str = "auto",
    parameters: Mapping[str, Any] | None = None,
    functions: Functions | None = None,
) -> Collocation:
    """The problem of moving a mechanism from one state to another at least cost; see `Equations.collocation`.

    Speeds are named as they are spelled: `theta'` for the rate of `theta`, or by names of their own.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    >>> ends = {"start": {"x": 0}, "end": {"x": 1, "x'": 0}}
    >>> best = s.derive().collocation(1, **ends, inputs=["tau_x"], nodes=11).solve()
    >>> best.status, round(best.cost, 6), best["tau_x"].round(6).tolist()[::5]  # ∫(6 - 12 t)² dt
    ('optimal', 12.0, [6.0, 3.0, 0.0, -3.0, -6.0])
    """
    equations = derivation.equations
    _check_supported(derivation)
    for word, name, known in ((scheme, "scheme", SCHEMES), (dynamics, "dynamics", _DYNAMICS)):
        if not isinstance(word, str) or word not in known:
            raise unknown(name, word, known, place="collocation", code="E-OPTIM-030")
    values = by_name(parameters, "parameters")
    for name, value in values.items():
        check_kind(float if np.ndim(value) else object, "one number", value, f"parameters '{name}'")
    functions = functions or Functions(derivation)
    functions.values_of((), values)  # so that what is wrong with them is told here
    times = _durations(duration)
    controls = controls_of(equations, inputs, "collocation")
    if inputs is None:
        warn_of_base(equations, controls, "collocation")
    if not controls:
        raise PolhodeError(
            "there is nothing to choose: no input is a control.",
            place="collocation inputs",
            cure='Name some: inputs=["tau_x"].',
            code="E-OPTIM-031",
        )
    names = Names.of(equations, list(controls))
    read = read_limits(equations, names, list(controls.values()), limits, values)
    given = [key for key, _ in read.expressions]
    made = known_expressions(equations, [integrand_of(cost, controls), *given], "collocation")
    terminal = None
    if terminal_cost is not None:
        with understood("an expression of the last state", terminal_cost, place="terminal_cost"):
            (terminal,) = known_expressions(equations, [as_expr(terminal_cost)], "terminal_cost", at_end=True)
    named, end_ranges = ranges_at_end(end)
    ended = known_expressions(equations, [key for key, _ in end_ranges], "end", at_end=True)
    held = _held(derivation, functions, controls)
    point = PointModel(
        equations,
        controls,
        held,
        made[0],
        tuple(made[1:]),
        _is_implicit(derivation, dynamics),
        not times.is_fixed,
        terminal,
        tuple(ended),
    )
    first = _start(derivation, functions, names, start, values)
    return Collocation(
        point,
        Mesh(SCHEMES[scheme], _ends(nodes)),
        names,
        check_inside(names, first, read.state, "start"),
        check_inside(names, read_end(names, named, "end", [ANY] * len(names.state)), read.state, "end"),
        read,
        end_ranges,
        times,
        values,
        functions,
    )


def _check_supported(derivation: Derivation) -> None:
    """Refuse mechanisms whose states are not free to be varied one by one."""
    equations = derivation.equations
    if equations.quaternions:
        joints = [name for name, _ in derivation.synopsis.orientations]
        raise fault(
            f"the orientation of {listed(repr(name) for name in joints) or 'a joint'} is stored as a quaternion, "
            "whose four components are not independent.",
            'Store it in angles, as in Spherical("321") or Free("321"), or as a vector-parameter.',
            "E-OPTIM-032",
        )


def _is_implicit(derivation: Derivation, dynamics: str) -> bool:
    """Whether accelerations are variables."""
    if dynamics != "auto":
        return dynamics == "implicit"
    equations = derivation.equations
    return len(equations.u) > _FEW_SPEEDS or equations.constraints is not None or equations.small is not None


def _durations(given: Any) -> Range:
    made = range_of(given, "duration", is_symmetric=False)
    if given is None or not made.lower > 0.0 or (made.is_fixed and not np.isfinite(made.lower)):
        raise fault(
            f"the duration {shown(given)} is not positive, or not known.",
            "Give seconds, or (shortest, longest) with a shortest above 0.",
            "E-OPTIM-033",
        )
    return made


def _ends(nodes: Any) -> Floats:
    """The ends of the intervals as shares of the duration."""
    with understood("a number of nodes, or their places from 0 to 1", nodes, place="nodes"):
        if isinstance(nodes, bool | str) or np.iscomplexobj(nodes):
            raise TypeError
        given = np.asarray(nodes, dtype=np.float64)
        if given.ndim == 0 and float(given) == int(given) and 2 <= int(given) <= _MOST_NODES:
            return np.linspace(0.0, 1.0, int(given))
    is_mesh = given.ndim == 1 and 2 <= len(given) <= _MOST_NODES and given[0] == 0.0 and given[-1] == 1.0
    if not is_mesh or not (np.diff(given) > 0.0).all():
        raise PolhodeError(
            f"{shown(nodes)} is no mesh.",
            place="nodes",
            cure=f"Give a number from 2 to {_MOST_NODES}, or numbers that grow from 0 to 1.",
            code="E-OPTIM-034",
        )
    return given


def _held(derivation: Derivation, functions: Functions, controls: Mapping[str, Expr]) -> dict[Expr, float]:
    """Efforts and inputs that are no controls: no effort, and the model's values of inputs."""
    equations, chosen = derivation.equations, {*controls.values()}
    found = {tau: 0.0 for tau in equations.tau if tau not in chosen}
    values = functions.input_values()
    own = [entry.symbol for entry in equations.system.inputs.values()]
    return found | {each: float(value) for each, value in zip(own, values, strict=True) if each not in chosen}


def _start(
    derivation: Derivation, functions: Functions, names: Names, given: Any, parameters: Mapping[str, Any]
) -> tuple[Range, ...]:
    """The ranges of the state at the start, what is not named being at home and at rest, or as constraints have it."""
    coordinates = len(derivation.synopsis.coordinates)
    if not isinstance(given, Mapping):
        begin = first_state(derivation, functions, given, None, (), parameters or None)[0]
        return tuple(Range(float(x), float(x)) for x in (*begin.q, *begin.u, *begin.z))
    ranges = read_end(names, given, "start", [Range(0.0, 0.0)] * len(names.state))
    places = [names.state_place(key, "start") for key in given]
    known = {k: ranges[k].lower for k in places if ranges[k].is_fixed}
    speeds = derivation.synopsis.speeds
    is_speed = range(coordinates, coordinates + len(speeds))
    at = {names.state[k]: value for k, value in known.items() if k not in is_speed}
    moving = {speeds[k - coordinates]: value for k, value in known.items() if k in is_speed}
    loose = [k for k in places if not ranges[k].is_fixed]
    if loose and derivation.synopsis.is_constrained:
        raise PolhodeError(
            f"'{names.state[loose[0]]}' is not fixed at the start, and the constraints of the mechanism need it to be.",
            place="start",
            cure="Give it a value.",
            code="E-OPTIM-035",
        )
    begin = first_state(derivation, functions, at or None, moving or None, (), parameters or None)[0]
    found = [Range(float(x), float(x)) for x in (*begin.q, *begin.u, *begin.z)]
    for k in loose:
        found[k] = ranges[k]
    return tuple(found)
