"""How far a mechanism is from where a linear law wants it: the states of linear equations as expressions.

    δx = x - r

r are references, at the operating point where no curve is given. The rate of a coordinate is wanted to be that of the
coordinate's reference. A stored orientation is wanted as it is at the operating point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..errors import PolhodeError, check_kind, listed, unknown
from ..expr import Expr, Vector, as_expr, evaluate, substitute
from ..expr.spelling import spelled
from ..laws.law import Reference
from ..linear.displacements import displaced_from
from ..linear.linear import Linear
from ..linear.operating_point import parameter_values
from ..model.reading import list_of
from .weights import Floats


@dataclass(frozen=True, eq=False)
class Deviations:
    """The states of linear equations as deviations from references, and the inputs at the operating point."""

    names: tuple[str, ...]
    values: tuple[Expr, ...]
    reference: tuple[Reference, ...]
    inputs: Mapping[str, Expr]  # symbols by name
    steady: tuple[Expr, ...]  # the inputs that hold the operating point
    A: Floats
    B: Floats

    def places(self, given: Sequence[str], place: str) -> list[int]:
        """Where states are among the names."""
        for name in given:
            if name not in self.names:
                raise unknown("state", name, self.names, place=place, code="E-REGULATOR-020")
        return [self.names.index(name) for name in given]


def deviations(linear: Linear, inputs: Sequence[str] | None, states: Sequence[str] | None, place: str) -> Deviations:
    """Deviations from a steady operating point, and A and B there in numbers; of some states, if asked for."""
    check_kind(Linear, "a set of linear equations, as equations.linearize(…) returns it", linear, place)
    _check_steady(linear, place)
    ports = linear if inputs is None else linear.with_ports(inputs)
    A, B = linear.state_space()
    equations, every = linear.equations, dict(zip(linear.controls, range(len(linear.controls)), strict=True))
    symbols = [*equations.tau, *(entry.symbol for entry in equations.system.inputs.values())]
    chosen = {name: symbols[every[name]] for name in ports.inputs}
    if not chosen:
        raise PolhodeError(
            "there is no input to control with.", place=place, cure="Name inputs: inputs=[…].", code="E-REGULATOR-021"
        )
    kept = _kept(linear, states, A, place)
    values, reference = _of_states(linear, kept)
    return Deviations(
        tuple(linear.states[k] for k in kept),
        values,
        reference,
        chosen,
        tuple(linear.point.values[x] for x in chosen.values()),
        A[np.ix_(kept, kept)],
        B[np.ix_(kept, [every[name] for name in chosen])],
    )


def _check_steady(linear: Linear, place: str) -> None:
    if not linear.is_equilibrium:
        told = [notice for notice in linear.notices if "no equilibrium" in notice]
        raise PolhodeError(
            told[0] if told else "this state is no equilibrium.",
            place=place,
            cure="Find one with equations.equilibrium(free=[…]), the inputs that hold it among what is free.",
            code="E-REGULATOR-022",
        )


def _kept(linear: Linear, states: Sequence[str] | None, A: Floats, place: str) -> list[int]:
    """The indices of the states that are regulated; the rest must not act on them, nor may they run on."""
    names = linear.states
    if states is None:
        kept = list(range(len(names)))
    else:
        given = list_of(states, "a list of states", f"{place} states")
        for name in given:
            if name not in names:
                raise unknown("state", name, names, place=f"{place} states", code="E-REGULATOR-020")
        kept = [k for k, name in enumerate(names) if name in given]
        if not kept:
            raise PolhodeError(
                "no state is to be regulated.", place=f"{place} states", cure="Name some.", code="E-REGULATOR-025"
            )
    left = [k for k in range(len(names)) if k not in kept]
    acting = [names[j] for j in left if np.abs(A[kept, j]).max(initial=0.0) > 1e-12 * np.abs(A).max(initial=1.0)]
    if acting:
        raise PolhodeError(
            f"{listed(acting)} cannot be left out: other states depend on it.",
            place=f"{place} states",
            cure="Name these states as well.",
            code="E-REGULATOR-023",
        )
    running = [names[k] for k in _running(linear) if k in kept]
    if running:
        raise PolhodeError(
            f"{listed(running)} runs on in this steady motion, and cannot be held.",
            place=place,
            cure=f"Name the states that are to be held: states={[names[k] for k in kept if names[k] not in running]}.",
            code="E-REGULATOR-024",
        )
    return kept


def _running(linear: Linear) -> list[int]:
    """The displacements that change at the operating point."""
    equations = linear.equations
    known = linear.point.values
    rates = substitute([as_expr(rate) for rate in equations.all_coordinate_rates], known)
    back = linear.moved.back
    moved = substitute([as_expr(entry) for entry in back @ Vector(rates)], known)
    numbers = evaluate(moved, parameter_values(equations, linear.given))
    return [k for k, number in enumerate(numbers) if abs(number) > 1e-9]


def _of_states(linear: Linear, kept: Sequence[int]) -> tuple[tuple[Expr, ...], tuple[Reference, ...]]:
    equations, at = linear.equations, linear.point.values
    known, names = parameter_values(equations, linear.given), linear.states
    coordinates = {spelled(q): q for q in equations.q}
    symbols = [*map(coordinates.get, linear.displacements), *equations.u, *equations.z]  # a turn has none
    found = {x: names[k] for k in kept if (x := symbols[k]) is not None}
    rates = dict(zip(equations.q, equations.coordinate_rates, strict=True))
    wanted: dict[Expr, Expr] = {}
    references: list[Reference] = []
    for x, name in found.items():
        if x in wanted:
            continue
        rate = rates.get(x)
        order = int(rate in found)
        (start,) = evaluate([at[x]], known)
        references.append(Reference(name, order, Fraction(start), x))
        wanted[x] = references[-1].symbols[0]
        if rate is not None and order:
            wanted[rate] = references[-1].symbols[1]
    moved = displaced_from(equations, at)
    values = [moved[names[k]] if (x := symbols[k]) is None else as_expr(x - wanted[x]) for k in kept]
    return tuple(values), tuple(references)
