"""Closed loops: efforts and inputs that follow laws, put into the graphs, and laws of controllers as programs.

A function of the catalogue with laws takes the same arrays as without: those entries of τ and the inputs that a law
gives are not read. What is left is a function of time and state.

Two programs come of the law of a controller that is sampled. `control_law` is the controller alone, as it is compiled
and written as source:

    controls, next_states = control_law(measured, reference, states, t)

`sampled_law` is evaluated by a run at its samples: it takes the mechanism's state, from which it measures, with what
converters and noise make of it, and has the references inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, fault_at, listed
from ..expr import Expr, as_expr, free_symbols, substitute, symbol
from ..expr.exact import floor, sqrt
from ..expr.spelling import spelled
from ..laws.law import Law, discretised
from ..laws.named_symbols import Range, saturated
from ..model.digest import digest_of
from ..model.records import Parameter
from .catalogue import Planned
from .quantities import Outputs

fault = fault_at("laws")


@dataclass(frozen=True, eq=False)
class Laws:
    """What some efforts and inputs are: expressions of time, unknowns, parameters, other efforts and inputs."""

    given: Mapping[Expr, Expr]

    @cached_property
    def digest(self) -> str:
        """A digest of the laws as they are written, under which functions with them are stored."""
        return digest_of([*self.given, *self.given.values()])

    def put_into(self, outputs: Outputs) -> Outputs:
        """The outputs of a function with the laws substituted."""
        roots = iter(substitute([root for _, _, entries in outputs for root in entries], self.given))
        return [(name, shape, [next(roots) for _ in entries]) for name, shape, entries in outputs]


def laws_of(equations: EquationsOfMotion, given: Mapping[Expr, Any]) -> Laws:
    """Laws by the symbols of efforts and inputs, in unknowns alone: dependent symbols are replaced."""
    symbols = [as_expr(entry) for entry in given]
    values = on_mechanism(equations, given.values())
    acting = {*equations.tau, *(entry.symbol for entry in equations.system.inputs.values())}
    allowed = {*equations.q, *equations.u, *equations.z, equations.system.time, *acting}
    allowed |= {parameter.symbol for parameter in equations.system.parameters.values()}
    for control, value in zip(symbols, values, strict=True):
        if control not in acting:
            raise fault(
                f"{spelled(control)} is no effort or input of system '{equations.system.name}'.",
                "Give laws by the symbols in equations.tau, or of the system's inputs.",
                "E-RUN-NAME",
            )
        strange = [met for met in free_symbols([value]) if met not in allowed]
        if strange:
            message = f"it depends on the {strange[0].data[0]} '{strange[0].name}', which this run does not have."
            cure = "Use time, coordinates, speeds, states, parameters, inputs and efforts of this system."
            raise PolhodeError(message, f"the law of the {control.data[0]} '{control.name}'", cure, "E-RUN-DEPENDENCE")
    return Laws(dict(zip(symbols, _resolved(symbols, values), strict=True)))


def _resolved(symbols: list[Expr], values: list[Expr]) -> list[Expr]:
    """Laws without efforts or inputs of other laws."""
    unresolved = set(symbols)
    for _ in symbols:
        if unresolved.isdisjoint(free_symbols(values)):
            return values
        values = substitute(values, dict(zip(symbols, values, strict=True)))
    if unresolved.isdisjoint(free_symbols(values)):
        return values
    circle = [f"'{x.name}'" for x, value in zip(symbols, values, strict=True) if unresolved & {*free_symbols([value])}]
    message = f"the laws of {listed(circle)} depend on each other in a circle."
    raise fault(message, "Write one of them without the others.", "E-RUN-DEPENDENCE")


# ---- laws of controllers --------------------------------------------------------------------------------------

#: What the sample time is called among the parameters of a law.
SAMPLE_TIME = "sample time"


@dataclass(frozen=True, eq=False)
class PlannedLaw:
    """The program of a law, its parameters in order, and the names of its inputs and outputs."""

    planned: Planned
    law: Law
    parameters: Mapping[str, Parameter]
    entries: Mapping[str, tuple[Expr, ...]]  # symbols along each array of the program


def plan_law(
    law: Law,
    equations: EquationsOfMotion,
    sample_time: Any = None,
    discretisation: str = "euler",
    notes: Mapping[int, str] | None = None,
) -> PlannedLaw:
    """The controller alone, sampled: the sample time is a parameter where states have rates."""
    from ..codegen.plan import plan

    sample_time = law.sample_time_as(sample_time)
    T = Parameter(symbol(SAMPLE_TIME, "parameter"), None if sample_time is None else as_expr(sample_time).data, "s")
    sampled = discretised(law, T.symbol, discretisation)
    time = symbol("t", "time")
    order = {x: k for k, x in enumerate((*equations.q, *equations.u, *equations.z))}
    wanted = tuple(x for reference in law.reference for x in reference.symbols)
    entries = {
        "measured": tuple(sorted(law.measurements, key=lambda x: order.get(x, len(order)))),
        "reference": wanted,
        "states": tuple(state.symbol for state in law.states),
        "controls": tuple(law.controls),
        "next_states": tuple(state.symbol for state in law.states),
    }
    outputs = _outputs(sampled)
    met = {*free_symbols(root for _, _, roots in outputs for root in roots)}
    arrays = [(name, entries[name]) for name in ("measured", "reference", "states") if entries[name]]
    arrays += [("t", (time,))] if time in met else []
    table = {**law.parameters, SAMPLE_TIME: T}
    name_of = {entry.symbol: name for name, entry in table.items()}
    names = [*table, *(x.name for x in sorted(met - {*name_of}, key=lambda x: x.name) if x.data[0] == "parameter")]
    table |= {name: Parameter(symbol(name, "parameter")) for name in names if name not in table}
    parameters = {name: table[name] for name in names if table[name].symbol in met}
    program = plan("control_law", arrays, outputs, [parameter.symbol for parameter in parameters.values()], notes)
    return PlannedLaw(Planned(program, tuple(parameters)), law, parameters, entries)


def _outputs(law: Law) -> list[tuple[str, tuple[int, ...], list[Expr]]]:
    controls = [as_expr(control) for control in law.controls.values()]
    outputs: list[tuple[str, tuple[int, ...], list[Expr]]] = [("controls", (len(controls),), controls)]
    if law.states:
        outputs.append(("next_states", (len(law.states),), [as_expr(state.update) for state in law.states]))
    return outputs


def plan_sampled(
    law: Law,
    equations: EquationsOfMotion,
    curves: Mapping[Expr, Expr],
    sample_time: float,
    discretisation: str,
    limits: Mapping[Expr, Range],
    quantisation: Mapping[Expr, float],
    noise: Sequence[Expr],
) -> Planned:
    """A law at the samples of a run, as a function of the state x, time, the controller's states, and noise."""
    from ..codegen.plan import plan

    sampled = discretised(law.with_values(curves), as_expr(sample_time), discretisation)
    x, unit = _state(equations)
    error = {s: symbol(f"{k}", "noise") for k, s in enumerate(noise)}
    measured = substitute(on_mechanism(equations, law.measurements.values()), unit)
    seen = {
        measurement: _rounded(value + error.get(measurement, 0), quantisation.get(measurement))
        for measurement, value in zip(law.measurements, measured, strict=True)
    }
    outputs = [(name, shape, substitute(roots, seen)) for name, shape, roots in _outputs(sampled)]
    outputs[0][2][:] = [
        saturated(_rounded(value, quantisation.get(control)), limits.get(control))
        for control, value in zip(law.controls, outputs[0][2], strict=True)
    ]
    if not law.states:
        outputs.append(("next_states", (0,), []))
    met = {*free_symbols(root for _, _, roots in outputs for root in roots)}
    parameters = {name: p.symbol for name, p in equations.system.parameters.items() if p.symbol in met}
    arrays = [
        ("x", x), ("t", [equations.system.time]), ("states", [state.symbol for state in law.states]),
        ("noise", [*error.values()]),
    ]  # fmt: skip
    return Planned(plan("sampled_law", arrays, outputs, list(parameters.values())), tuple(parameters))


def _state(equations: EquationsOfMotion) -> tuple[list[Expr], dict[Expr, Expr]]:
    """Symbols for the state of a run, and expressions of unit quaternions in these, whose lengths have drifted."""
    x = [*equations.q, *equations.u, *equations.z]
    unit: dict[Expr, Expr] = {}
    for first in equations.quaternions:
        q = x[first : first + 4]
        drifted = [symbol(q_k.name, "drifted coordinate") for q_k in q]
        length = sqrt(sum(raw * raw for raw in drifted))
        unit |= {q_k: as_expr(raw / length) for q_k, raw in zip(q, drifted, strict=True)}
        x[first : first + 4] = drifted
    return x, unit


def on_mechanism(equations: EquationsOfMotion, values: Iterable[Expr]) -> list[Expr]:
    """Expressions in the state of a mechanism alone: coordinates that follow others are replaced."""
    values_q = substitute([as_expr(value) for value in values], equations.tree.followed)
    return [as_expr(entry) for entry in equations.in_independent_speeds(values_q)]


def _rounded(value: Expr, step: float | None) -> Expr:
    """The nearest multiple of a step."""
    if step is None:
        return value
    width = as_expr(step)
    return as_expr(width * floor(value / width + as_expr("1/2")))
