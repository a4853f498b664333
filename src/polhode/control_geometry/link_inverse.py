"""The efforts of motors behind elastic gears from the motion of the links alone.

The torque that a link needs is that of its spring, so that the motion of the links says how far the springs are wound,
and with that where the rotors are; differentiated in time, how they move. For the reduced model (278), in the letters
of C. Mladenova, "Group Theory in the Problems of Modeling and Control of Multi-Body Systems", (281), (282):

    q̄_2 = q_m/Γ = q̄_1 + K⁻¹ (H q̄̈_1 + h_1 + h_2),    u = J_m q̄̈_2 + K (q̄_2 - q̄_1)

takes the links' motion up to its fourth derivative. In the full model (360) the row of a link holds the accelerations
of the rotors beyond it, which ride on the links that it carries: the rotors are found from the tip inward, each up to
two derivatives later than the one before, so that an arm of n joints may need 2 (n + 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compiled.functions import native_function
from ..dynamics.equations import EquationsOfMotion
from ..dynamics.whole import check_all_coordinates
from ..errors import check_known, fault_at, listed, understood
from ..expr import (
    Expr,
    Vector,
    as_expr,
    derivative,
    directional,
    evaluate,
    free_symbols,
    is_zero,
    quiet_collector,
    substitute,
    symbol,
)
from ..expr.spelling import described, further_rate, latex_name, spelled_latex
from ..expr.typeset import Typeset
from ..linear.operating_point import parameter_values

Floats = NDArray[np.float64]
Named: TypeAlias = "Mapping[str, Any] | None"
_PLACE = "link inverse dynamics"
fault = fault_at(_PLACE)


@dataclass(frozen=True, eq=False, repr=False)
class LinkInverse(Typeset):
    """Efforts and rotor motions as functions of the links' motion.

    `motion` holds the symbols of the links' coordinates, speeds, accelerations and further derivatives, as far as they
    are needed; `order` is the highest. `efforts` are by the name of their speed: those of the rotors, and of joints
    without an elastic motor. `rotors` are angle, speed and acceleration by the rotor's name.
    """

    equations: EquationsOfMotion
    motion: tuple[Vector, ...]
    efforts: dict[str, Expr]
    rotors: dict[str, tuple[Expr, Expr, Expr]]

    def __repr__(self) -> str:
        return f"LinkInverse({', '.join(self.efforts)}; derivatives of the links' motion up to {self.order})"

    def _formulas(self) -> list[tuple[str, Expr]]:
        efforts = [(spelled_latex(symbol(name, "effort")), value) for name, value in self.efforts.items()]
        return [*((latex_name(name), value) for name, (value, _, _) in self.rotors.items()), *efforts]

    @property
    def order(self) -> int:
        """The highest derivative of the links' motion that the efforts depend on."""
        return len(self.motion) - 1

    def efforts_at(
        self, motion: Any, parameters: Named = None, *, time: Any = None, inputs: Named = None, z: Named = None
    ) -> dict[str, Floats]:
        """The efforts by name for numbers of the motion: an axis of orders, one of links, and perhaps one of times.

        Where there are more coordinates than speeds the orders are a list. `time`, and `inputs` and states `z` by name,
        are numbers or one for each time; they are needed where the efforts depend on them. Inputs count as constant in
        time where the motion is differentiated. The first call compiles a native function, which serves the later ones.
        """
        return self._numbers("efforts", motion, parameters, time, inputs or {}, z or {})

    def rotors_at(
        self, motion: Any, parameters: Named = None, *, time: Any = None, inputs: Named = None, z: Named = None
    ) -> dict[str, Floats]:
        """The angles of the rotors by name, likewise."""
        return self._numbers("rotors", motion, parameters, time, inputs or {}, z or {})

    def _numbers(self, what: str, motion: Any, parameters: Named, *at: Any) -> dict[str, Floats]:
        rows, shape = self._rows(motion)
        names, needed, fixed, function = self._compiled(what)
        columns = self._columns(needed, shape, *at)
        states = np.concatenate([*(row.reshape(len(row), -1) for row in rows), *columns.values()])
        values = self._model_values if parameters is None else parameter_values(self.equations, parameters, _PLACE)
        evaluate([x for x in fixed if x not in values], {})  # raises where a value is missing
        results = function(np.ascontiguousarray(states.T), parameters=np.array([values[x] for x in fixed]))
        return {name: column.reshape(shape) for name, column in zip(names, results.T, strict=True)}

    @cached_property
    def _model_values(self) -> dict[Expr, float]:
        return parameter_values(self.equations, None)

    def _compiled(self, what: str) -> tuple[Sequence[str], set[Expr], list[Expr], Callable[..., Any]]:
        """Names of values, symbols in them, the parameters among these, and a native function, compiled once."""
        kept: dict[str, Any] = vars(self).setdefault("_functions", {})
        if what not in kept:
            values = self.efforts if what == "efforts" else {name: angle for name, (angle, _, _) in self.rotors.items()}
            used = {*free_symbols(values.values())}
            fixed = [entry.symbol for entry in self.equations.system.parameters.values() if entry.symbol in used]
            varied = [*(x for order in self.motion for x in order), *(x for x in self._words() if x in used)]
            function = native_function(varied, [*values.values()], dict.fromkeys(fixed, 0.0))
            kept[what] = [*values], used, fixed, function
        compiled: tuple[Sequence[str], set[Expr], list[Expr], Callable[..., Any]] = kept[what]
        return compiled

    def _rows(self, motion: Any) -> tuple[list[Floats], tuple[int, ...]]:
        """The motion by orders, and the shape of the result."""
        sizes = [len(order) for order in self.motion]
        cure = f"Give an array of {len(sizes)} orders of derivatives of {sizes[0]} coordinates."
        if sizes[0] != sizes[1]:
            cure = f"Give a list: {sizes[0]} coordinates, {sizes[1]} speeds, and {len(sizes) - 2} derivatives of these."
        with understood("the motion of the links", motion, place=_PLACE, cure=cure):
            rows = [np.asarray(row, dtype=np.float64) for row in motion]
            shapes = {row.shape[1:] for row in rows}
            if [row.shape[:1] for row in rows] != [(size,) for size in sizes] or len(shapes) != 1:
                raise ValueError
            shape = shapes.pop()
            if len(shape) > 1:
                raise ValueError
        return rows, shape

    def _columns(
        self, needed: set[Expr], shape: tuple[int, ...], time: Any, of_inputs: Mapping[str, Any], z: Mapping[str, Any]
    ) -> dict[Expr, Floats]:
        """Values of time, inputs and states on which the result depends."""
        system, words = self.equations.system, self._words()
        inputs = {name: entry.symbol for name, entry in system.inputs.items()}
        states = {name: entry.symbol for name, entry in system.states.items()}
        values: dict[Expr, Any] = {} if time is None else {system.time: time}
        for kind, table, given_values in (("input", inputs, of_inputs), ("state", states, z)):
            for name, value in given_values.items():
                check_known(kind, [name], table, place=_PLACE, code="E-JOINT-NAME")
                values[table[name]] = value
        lacking = [x for x in words if x in needed and x not in values]
        if lacking:
            message = f"the result depends on {_phrase(lacking[0])}, which is not given."
            raise fault(message, f"Give {words[lacking[0]]}, a number or one for each time.", "E-JOINT-MISSING")
        return {x: _column(x, values[x], shape) for x in words if x in needed}

    def _words(self) -> dict[Expr, str]:
        """Time, inputs and states in words."""
        system = self.equations.system
        words = {entry.symbol: f"inputs={{{name!r}: …}}" for name, entry in system.inputs.items()}
        words |= {entry.symbol: f"z={{{name!r}: …}}" for name, entry in system.states.items()}
        return {system.time: "time=…"} | words


def _phrase(x: Expr) -> str:
    return "time" if x.data[0] == "time" else f"the {described(x)}"


def _column(x: Expr, value: Any, shape: tuple[int, ...]) -> Floats:
    count = f"{shape[0]} of them, one for each time" if shape else "one for the one instant of the motion"
    with understood(f"a number for {_phrase(x)}", value, place=_PLACE, cure=f"Give a number, or {count}."):
        return np.broadcast_to(np.asarray(value, dtype=np.float64), shape).reshape(1, -1)


def link_inverse(equations: EquationsOfMotion) -> LinkInverse:
    """The inverse dynamics of an arm with elastic joints from the motion of its links."""
    check_all_coordinates(equations, "the inverse dynamics behind elastic gears")
    with quiet_collector():
        return _Elimination(equations).solved()


class _Elimination:
    """Solve for rotors one after the other, first where a link depends on no other rotor."""

    def __init__(self, equations: EquationsOfMotion) -> None:
        self.equations = equations
        names = [u.name for u in equations.u]
        self.motors = [motor for motor in equations.system.motors.values() if motor.is_elastic]
        self._check(names)
        self.row = dict(zip(names, equations.inverse_dynamics, strict=True))
        self.symbols = {
            name: (equations.q[equations.coordinates.index(name)], u, ud)
            for name, u, ud in zip(names, equations.u, equations.udot, strict=True)
            if name in {motor.rotor for motor in self.motors}
        }
        rotor_symbols = {x for rotor in self.symbols.values() for x in rotor}
        self.flow: dict[Expr, Any] = {
            q: rate for q, rate in zip(equations.q, equations.coordinate_rates, strict=True) if q not in rotor_symbols
        }
        self.flow |= dict(zip(equations.z, equations.z_rates, strict=True))
        self.flow[equations.system.time] = as_expr(1)
        links = [k for k, u in enumerate(equations.u) if u not in rotor_symbols]
        self.orders = [
            Vector([q for q in equations.q if q not in rotor_symbols]),
            Vector([equations.u[k] for k in links]),
            Vector([equations.udot[k] for k in links]),
        ]
        self.flow |= dict(zip(self.orders[1], self.orders[2], strict=True))
        self.known: dict[Expr, Expr] = {}

    def _check(self, names: Sequence[str]) -> None:
        equations = self.equations
        if not self.motors:
            cure = "Use inverse_dynamics, or give a motor a stiffness."
            raise fault(f"system '{equations.system.name}' has no elastic motor.", cure, "E-JOINT-UNSUPPORTED")
        gone = [motor.joint for motor in self.motors if not {motor.joint, motor.rotor} <= {*names}]
        if equations.constraints is not None or gone:
            raise fault(
                "it needs links and rotors that move freely; here "
                + (f"'{gone[0]}' or its rotor has no speed of its own." if gone else "constraints act on them."),
                "Use inverse_dynamics, which takes the motions of links and rotors.",
                "E-JOINT-UNSUPPORTED",
            )

    def solved(self) -> LinkInverse:
        waiting = list(self.motors)
        rotors: dict[str, tuple[Expr, Expr, Expr]] = {}
        while waiting:
            foreign = {motor.joint: self._foreign(motor.joint, motor.rotor) for motor in waiting}
            damped = [motor for motor in waiting if not {*foreign[motor.joint]}.isdisjoint(self.symbols[motor.rotor])]
            ready = [motor for motor in waiting if not foreign[motor.joint]]
            if damped and not ready:
                raise fault(
                    f"the link of '{damped[0].joint}' depends on the speed of its rotor, by damping or as it "
                    "carries it: the rotor's motion does not follow from the link's without integration.",
                    "Leave out the damping, or give inverse_dynamics the motions of the rotors too.",
                    "E-JOINT-UNSUPPORTED",
                )
            if not ready:
                message = (
                    f"the links of {listed([repr(motor.joint) for motor in waiting])} depend on each other's rotors."
                )
                cure = 'Write coupling="reduced", or give inverse_dynamics the motions of the rotors too.'
                raise fault(message, cure, "E-JOINT-UNSUPPORTED")
            for motor in ready:
                rotors[motor.rotor] = self._rotor(motor.joint, motor.rotor)
            for motor in ready:  # together, so that rotors that are found at once do not wait for each other
                self.known |= dict(zip(self.symbols[motor.rotor], rotors[motor.rotor], strict=True))
                waiting.remove(motor)
        driven = {motor.joint for motor in self.motors}
        names = [name for name in self.row if name not in driven]
        efforts = dict(zip(names, substitute([self.row[name] for name in names], self.known), strict=True))
        used = {*free_symbols([*efforts.values(), *(x for symbols in rotors.values() for x in symbols)])}
        while len(self.orders) > 3 and used.isdisjoint(self.orders[-1]):
            self.orders.pop()
        return LinkInverse(self.equations, tuple(self.orders), efforts, rotors)

    def _needed(self, joint: str) -> Expr:
        """The equation of a link (zero effort) with the known rotors substituted."""
        return substitute([self.row[joint]], self.known)[0]

    def _foreign(self, joint: str, rotor: str) -> list[Expr]:
        """Symbols of unknown rotors, other than its own angle, in a link's equation."""
        row = self._needed(joint)
        others = {x for group in self.symbols.values() for x in group if x not in self.known} - {self.symbols[rotor][0]}
        return [x for x in free_symbols([row]) if x in others and not is_zero(derivative([row], x)[0])]

    def _rotor(self, joint: str, rotor: str) -> tuple[Expr, Expr, Expr]:
        """Angle, speed and acceleration of a rotor: the row of the link is linear in the angle."""
        row, angle = self._needed(joint), self.symbols[rotor][0]
        (slope,) = derivative([row], angle)
        unfelt = {x: as_expr(0) for both in self.symbols.values() for x in both}  # what stands in the row cancels there
        slope, rest = substitute([slope, row], unfelt)
        theta = as_expr(-rest / slope)
        speed = self._rate(theta)
        return theta, speed, self._rate(speed)

    def _rate(self, value: Expr) -> Expr:
        """The derivative in time, with symbols for derivatives of the links' motion that are new."""
        highest = self.orders[-1]
        if not {*free_symbols([value])}.isdisjoint(highest):
            count = len(self.orders) - 2
            further = Vector([further_rate(x, count) for x in self.orders[2]])
            self.flow |= dict(zip(highest, further, strict=True))
            self.orders.append(further)
        return directional([value], self.flow)[0]
