"""A law as a native function, for loops of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import PolhodeError, ShapeError, ValueMissing, by_name, fault_at, unknown
from ..expr import Expr
from ..expr.spelling import spelled
from ..laws.law import check_unit_length
from ..model.unit import si_values
from ..native.quaternions import unit_quaternions
from .control_law import SAMPLE_TIME, PlannedLaw, on_mechanism, plan_law
from .parameter_sets import parameter_sets
from .values import real_numbers, stacked

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from ..laws.law import Law

fault = fault_at("law")

Floats = NDArray[np.float64]


class LawFunction:
    """controls, or (controls, next states), of what is measured, what is wanted, the controller's states and time.

    `measured` are the measurements, `reference` what is wanted with its derivatives, `controls` and `states` the rest,
    all as symbols in the order of arrays. A leading axis of any array is that of a batch.
    """

    def __init__(
        self,
        law: Law,
        equations: EquationsOfMotion,
        sample_time: float | None = None,
        discretisation: str = "euler",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        from ..native import compile_program

        self.planned: PlannedLaw = plan_law(law, equations, sample_time, discretisation)
        self.law, self._equations = law, equations
        self.measured, self.reference = self.planned.entries["measured"], self.planned.entries["reference"]
        self.states, self.controls = self.planned.entries["states"], self.planned.entries["controls"]
        values = parameter_values(self.planned, by_name(parameters, "parameters"))
        self.native = compile_program(self.planned.planned.program).with_parameters(values)
        self._measuring: Any = None

    def __call__(
        self,
        measured: Mapping[Any, Any] | ArrayLike | None = None,
        *,
        q: ArrayLike | None = None,
        u: ArrayLike | None = None,
        z: ArrayLike | None = None,
        reference: Mapping[Any, Any] | ArrayLike | None = None,
        states: Mapping[Any, Any] | ArrayLike | None = None,
        t: ArrayLike = 0.0,
    ) -> Any:
        """The controls (…, controls) and, where the controller has states, those of the next sample (…, states).

        measured    an array in the order of `self.measured`, or by name; or instead the mechanism's q, u and z
        reference   an array in the order of `self.reference`, or by name: a number, or it and its derivatives; what is
                    not given is at its default, derivatives at zero
        states      an array, or by name; where the controller starts, unless given
        """
        time = real_numbers(t, "t")
        given = {
            "measured": lambda: self._measured(measured, (q, u, z), time),
            "reference": lambda: self._reference(reference),
            "states": lambda: self._states(states),
            "t": lambda: time[..., None],
        }
        return self.native(*(given[name]() for name in self.native.arrays))

    def __repr__(self) -> str:
        return f"LawFunction({', '.join(map(spelled, self.controls))} of {', '.join(map(spelled, self.measured))})"

    def _measured(self, given: Any, state: Sequence[Any], t: Floats) -> Floats:
        if given is None:
            return self._on_state(state, t)
        if any(part is not None for part in state):
            raise fault(
                "what is measured is given, and the mechanism's state too.",
                "Give measured=…, or q=…, u=… and z=….",
                "E-LOOP-040",
            )
        if isinstance(given, Mapping):
            return stacked(_in_order(given, self.measured, "measured", {}))
        return real_numbers(given, "measured")

    def _on_state(self, state: Sequence[Any], t: Floats) -> Floats:
        """What is measured on the mechanism at a state."""
        from ..native import compile_program
        from .planning import plan_outputs

        e = self._equations
        if self._measuring is None:
            entries = on_mechanism(e, [self.law.measurements[each] for each in self.measured])
            planned = plan_outputs(e, "measured", ("q", "u"), [("measurements", (len(entries),), entries)])
            values = {name: e.system.parameters[name].value for name in planned.parameters}
            self._measuring = compile_program(planned.program).with_parameters(_numbers(values))
        arrays = {"q": (state[0], len(e.q)), "u": (state[1], len(e.u)), "z": (state[2], len(e.z))}
        known = {"t": t[..., None]}
        for name, (given, size) in arrays.items():
            if given is None and size and _is_read(name, self.law, e):
                raise fault(
                    f"the law measures {name}, which is not given.", f"Give {name}=…, or measured=…", "E-LOOP-041"
                )
            known[name] = np.zeros(size) if given is None else real_numbers(given, name)
        if e.quaternions:
            known["q"], _ = unit_quaternions(known["q"], tuple(e.quaternions))
        return np.asarray(self._measuring(*(known[name] for name in self._measuring.arrays)))

    def _reference(self, given: Any) -> Floats:
        array = self._reference_array(given)
        for name, four in self.law.orientations.items():
            places = [self.reference.index(each.symbols[0]) for each in four]
            if array.shape[-1] == len(self.reference):  # another length is refused where the law is called
                lengths = np.linalg.norm(array[..., places], axis=-1).ravel()
                check_unit_length(float(lengths[np.abs(lengths - 1.0).argmax()]), name)
        return array

    def _reference_array(self, given: Any) -> Floats:
        if given is not None and not isinstance(given, Mapping):
            array = real_numbers(given, "reference")
            return array if array.ndim else array[None]
        names = [each.name for each in self.law.reference]
        by_name = {key.name if isinstance(key, Expr) else key: value for key, value in (given or {}).items()}
        for name in by_name:
            if name not in names:
                raise unknown("reference", name, names, place="reference", code="E-LOOP-042")
        columns: list[Any] = []
        for each in self.law.reference:
            value = by_name.get(each.name, each.default)
            if value is None:
                raise PolhodeError(
                    "it is not given.", place=f"reference '{each.name}'", cure="Give a number.", code="E-LOOP-043"
                )
            entries = list(value) if isinstance(value, tuple | list) else [value]
            if len(entries) > each.order + 1:
                raise ShapeError(
                    f"{len(entries)} numbers are given; the law knows derivatives up to {each.order}.",
                    place=f"reference '{each.name}'",
                    cure="A batch is given as an array for each derivative.",
                    code="E-LOOP-044",
                )
            columns += entries + [0.0] * (each.order + 1 - len(entries))
        return stacked([real_numbers(column, "reference") for column in columns])

    def _states(self, given: Any) -> Floats:
        start = {each.symbol: float(each.start) for each in self.law.states}
        if given is None or isinstance(given, Mapping):
            return stacked(_in_order(given or {}, self.states, "states", start))
        return real_numbers(given, "states")


def _in_order(
    given: Mapping[Any, Any], symbols: Sequence[Expr], place: str, default: Mapping[Expr, float]
) -> list[Floats]:
    by_name = {spelled(each): each for each in symbols} | {each.name: each for each in symbols if place == "states"}
    found: dict[Expr, Any] = dict(default)
    for key, value in given.items():
        symbol = key if isinstance(key, Expr) and key in symbols else by_name.get(key)
        if symbol is None:
            what = "measurement" if place == "measured" else "state"
            raise unknown(what, key, by_name, place=place, code="E-LOOP-045")
        found[symbol] = value
    missing = [each for each in symbols if each not in found]
    if missing:
        raise PolhodeError(
            f"{spelled(missing[0])} is not given.", place=place, cure="Give every one of them.", code="E-LOOP-046"
        )
    return [real_numbers(found[each], place) for each in symbols]


def _is_read(name: str, law: Law, equations: EquationsOfMotion) -> bool:
    from ..expr import free_symbols

    own = {"q": equations.q, "u": equations.u, "z": equations.z}[name]
    met = {*free_symbols(on_mechanism(equations, law.measurements.values()))}
    return any(each in met for each in own)


def parameter_values(planned: PlannedLaw, given: Mapping[str, Any]) -> Floats:
    """The parameters of a law in the order of its program: as given, or as the controller has them."""
    for name in given:
        if name not in planned.parameters and name not in planned.law.parameters:
            raise unknown("parameter of the law", name, planned.parameters, place="parameters", code="E-LOOP-047")
    read = si_values(planned.parameters, given)
    return _numbers({name: read.get(name, each.value) for name, each in planned.parameters.items()})


def _numbers(values: Mapping[str, Any]) -> Floats:
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueMissing(
            f"the {'sample time' if missing[0] == SAMPLE_TIME else repr(missing[0])} has no value.",
            place="law",
            cure="Give sample_time=…, in seconds."
            if missing[0] == SAMPLE_TIME
            else f"Give parameters={{{missing[0]!r}: …}}.",
            code="E-LOOP-048",
        )
    return parameter_sets(values, {})
