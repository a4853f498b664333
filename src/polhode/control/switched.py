"""Two controllers in one: one far from a state, another near it, such as a swing-up and the regulator that catches.

    d = Σ ((x - x₀)/width)²,    c = c_far + w (c_near - c_far)

In continuous time w goes from 1 at d = 1 to 0 at d = leave², so that the law is continuous. With a sample time the
controller has a state, w = 1 or 0, with hysteresis: near takes over where d < 1, and lets go where d > leave² alone.
K. J. Åström and K. Furuta, "Swinging up a pendulum by energy control" (2000), for catching a pendulum so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from ..errors import PolhodeError, check_kind, check_known, listed, shown
from ..expr import Expr, as_expr, symbol
from ..expr.exact import atan2, cos, maximum, minimum, sign, sin
from ..expr.spelling import spelled
from ..laws.controller import Controller, named_numbers
from ..laws.law import ControllerState, Law, Reference, sample_time_of
from ..model.reading import list_of


class Switched(Controller):
    """The controls of `near` within widths of a state, those of `far` beyond.

    `within` has widths of coordinates and speeds, by name as they are written (theta, theta'), and `at` where they are
    measured from, zero where nothing is said. `near` keeps the controls, or some of them, as far as `leave` times the
    widths. `turning` names angles that may be whole turns away, which `near` is not to see.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> e = cart_pole().derive()
    >>> swing = ph.control.EnergyControl(e, {"theta": 0}, ke=80, kp=1, kv=1, limit=8)
    >>> class Balance(Controller):
    ...     def design(self):
    ...         (x, theta), (v, w) = self.equations.q, self.equations.u
    ...         return Law({self.equations.system.inputs["F"].symbol: x + 31 * theta + 2 * v + 7 * w})
    >>> Switched(swing, Balance(e), within={"theta": 0.4, "theta'": 2}, turning=["theta"])
    Switched(F of 'cart-pole')
    """

    def __init__(
        self,
        far: Controller,
        near: Controller,
        within: Mapping[str, Any] | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        leave: Any = 2,
        turning: Sequence[str] = (),
        sample_time: float | None = None,
    ) -> None:
        for controller, what in ((far, "far"), (near, "near")):
            check_kind(Controller, "a controller", controller, f"{self.name} {what}")
        twice = [name for name in far.nominal if near.nominal.get(name, far.nominal[name]) != far.nominal[name]]
        if twice:
            value, other = (float(controller.nominal[twice[0]]) for controller in (far, near))
            message = f"{far.name} takes '{twice[0]}' to be {value:g}, and {near.name} {other:g}."
            raise PolhodeError(message, self.name, "Give both the same parameters.", "E-CONTROL-TWICE")
        super().__init__(far.equations, parameters={**far.nominal, **near.nominal})
        if {*far.law.controls} != {*near.law.controls}:
            gives, gives_too = (listed(map(spelled, controller.law.controls)) for controller in (far, near))
            message = f"{far.name} gives {gives}, and {near.name} {gives_too}."
            raise PolhodeError(message, self.name, "Give two controllers of the same inputs.", "E-CONTROL-TWICE")
        self.far, self.near = far, near
        e = self.equations
        self._known = {spelled(x): x for x in (*e.q, *e.u, *e.z)}
        self.within, self.at = self._numbers("within", within), self._numbers("at", at)
        wrong = [x for x, width in self.within.items() if width <= 0]
        if wrong or not self.within:
            message = f"the width of {spelled(wrong[0])} is not positive." if wrong else "no width is given."
            cure = "Give within={…}: widths of coordinates and speeds by name."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-NUMBER")
        self.turning = []
        for name in list_of(turning, "a list of names", f"{self.name} turning"):
            check_known("coordinate", [name], self._known, place=f"{self.name} turning", code="E-CONTROL-NAME")
            self.turning.append(self._known[name])
        self.leave = named_numbers({"leave": leave}, "option", ["leave"], self.name)["leave"]
        if self.leave <= 1:
            cure = "Give a factor on the widths, such as 2: beyond it the far controller takes over again."
            raise PolhodeError(f"leave={shown(leave)} is not above 1.", self.name, cure, "E-CONTROL-NUMBER")
        self.sample_time = None if sample_time is None else sample_time_of(sample_time, self.name)
        if self.sample_time is not None and any(state.rate for c in (far, near) for state in c.law.states):
            message = "a sampled switch of laws with states in continuous time."
            cure = "Leave sample_time out, or give laws that are sampled themselves."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-UNSUPPORTED")

    def _numbers(self, word: str, table: Any) -> dict[Expr, Fraction]:
        values = named_numbers(table, "state", self._known, f"{self.name} {word}")
        return {self._known[name]: value for name, value in values.items()}

    def _principal_angles(self) -> dict[Expr, Expr]:
        """Angles within half a turn of where they are measured from."""
        centres = {q: as_expr(self.at.get(q, 0)) for q in self.turning}
        return {q: as_expr(at + atan2(sin(q - at), cos(q - at))) for q, at in centres.items()}

    @property
    def distance(self) -> Expr:
        """d."""
        seen = self._principal_angles()
        parts = [(seen.get(x, x) - self.at.get(x, 0)) / width for x, width in self.within.items()]
        return as_expr(sum(part * part for part in parts))

    def design(self) -> Law:
        """Both laws, weighed."""
        far, near = _apart(self.far.law, self.near.law.with_values(self._principal_angles()), self.name)
        d, edge = self.distance, self.leave * self.leave
        states = (*far.states, *near.states)
        if self.sample_time is None:
            weight = as_expr(maximum(minimum((edge - d) / (edge - 1), as_expr(1)), as_expr(0)))
        else:
            is_near = symbol("is near", "state")
            weight = as_expr(maximum(_step(1 - d), is_near * _step(edge - d)))
            states = (*states, ControllerState(is_near, update=weight))
        controls = {c: as_expr(value + weight * (near.controls[c] - value)) for c, value in far.controls.items()}
        times = [T for T in (self.sample_time, far.sample_time, near.sample_time) if T is not None]
        if len({*times}) > 1:
            message = f"the laws are sampled every {listed(f'{T:g} s' for T in times)}."
            raise PolhodeError(message, self.name, "Give one sample time to all.", "E-CONTROL-TWICE")
        reference, conditions = _merged(far.reference, near.reference, self.name), (*far.conditions, *near.conditions)
        measured, parameters = {**far.measured, **near.measured}, {**far.parameters, **near.parameters}
        return Law(controls, states, reference, measured, parameters, times[0] if times else None, conditions)


def _step(x: Any) -> Any:
    """1 where x is positive, 0 where it is negative."""
    return (1 + sign(as_expr(x))) / 2


def _apart(far: Law, near: Law, place: str) -> tuple[Law, Law]:
    """The laws with parameters of their own: a gain that both have by one name gets two."""
    shared = [name for name in far.parameters if name in near.parameters]
    clash = {state.symbol for state in far.states} & {state.symbol for state in near.states}
    if clash:
        cure = "Give laws with states of their own."
        raise PolhodeError(f"both laws have a state {spelled(next(iter(clash)))}.", place, cure, "E-CONTROL-TWICE")
    return _renamed(far, shared, "far"), _renamed(near, shared, "near")


def _renamed(law: Law, names: Sequence[str], word: str) -> Law:
    marked = {name: symbol(f"{word} {name}", "parameter") for name in names}
    fresh = law.with_values({law.parameters[name].symbol: x for name, x in marked.items()})
    renamed = {name: replace(x, symbol=marked[name]) if name in marked else x for name, x in law.parameters.items()}
    return replace(fresh, parameters={marked[name].name if name in marked else name: x for name, x in renamed.items()})


def _merged(far: Sequence[Reference], near: Sequence[Reference], place: str) -> tuple[Reference, ...]:
    """References by name, each up to the higher of its orders."""
    merged = {reference.name: reference for reference in far}
    for reference in near:
        other = merged.setdefault(reference.name, reference)
        if other.default != reference.default and None not in (other.default, reference.default):
            message = f"the laws want '{reference.name}' at different places where no curve is given."
            raise PolhodeError(message, place, "Give both the same operating point.", "E-CONTROL-TWICE")
        default = reference.default if other.default is None else other.default
        merged[reference.name] = replace(other, order=max(other.order, reference.order), default=default)
    return tuple(merged.values())
