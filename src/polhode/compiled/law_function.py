"""A law as a native function, for loops of one's own.

Laws of controllers as source code without dependencies: set-up of parameters, and the law from sample to sample.

    control_law_setup(p, w)                                              once, from the parameters
    control_law(measured, reference, states, t, w, controls, next_states)   at every sample

Arrays of nothing are left out. All is read before anything is written, so that next_states may be states.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..codegen.printers.targets import target_of
from ..dynamics.equations import EquationsOfMotion
from ..errors import PolhodeError, ShapeError, ValueMissing, by_name, fault_at, unknown
from ..expr import Expr, free_symbols
from ..expr.spelling import described, is_reference, spelled
from ..laws.law import Law, check_unit_length
from ..laws.named_symbols import Range
from ..model.unit import si_values
from ..native.arrays import unit_quaternions
from .catalogue import plan_outputs
from .closed_loop import SAMPLE_TIME, PlannedLaw, on_mechanism, plan_law
from .export import check_value, folder_of, in_comments, in_json, names_before, shortened, write_together
from .values import parameter_sets, real_numbers, stacked

_WORDS = {
    "measured": "what is measured", "reference": "what is wanted and its derivatives in time",
    "states": "states of the controller", "controls": "efforts and inputs",
    "next_states": "states of the controller at the next sample", "t": "time",
}  # fmt: skip


def export_law(
    law: Law,
    controller: str,
    equations: EquationsOfMotion,
    target: str,
    folder: str | Path,
    prefix: str | None = None,
    sample_time: float | None = None,
    discretisation: str = "euler",
    limits: Mapping[Expr, Range] | None = None,
) -> list[Path]:
    """Write a law as source code for a target such as `c`; all files, or none. `limits` are those that it keeps."""
    render, target_folder = target_of(target).files, folder_of(folder)
    plan = plan_law(law, equations, sample_time, discretisation, _notes(law))
    program, system = plan.planned.program, equations.system.name
    program = replace(program, name=shortened(names_before(system, prefix) + program.name))
    _check_free(target_folder / f"{program.name}.json", controller, system)
    kept = limits or {}
    files = render(program, _preface(plan, controller, system, kept))
    files[f"{program.name}.json"] = _sidecar(plan, controller, system, program.name, kept)
    return write_together(target_folder, files)


def _check_free(sidecar: Path, controller: str, system: str) -> None:
    """Refuse to write over the law of another controller, or of another mechanism."""
    try:
        there = json.loads(sidecar.read_text(encoding="utf-8"))
        names = there["controller"], there["system"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if names != (controller, system):
        message = f"{sidecar.name} is there already, of {names[0]} for {names[1]}."
        cure = 'Give another folder, or names of its own: prefix="…".'
        raise PolhodeError(message, "export", cure, "E-CONTROL-TWICE")


def _notes(law: Law) -> dict[int, str]:
    """What values mean, by fingerprint."""
    symbols = [*law.measurements, *(symbol for wanted in law.reference for symbol in wanted.symbols)]
    symbols += [state.symbol for state in law.states]
    notes = {symbol.fp: _words(symbol) for symbol in symbols}
    for control, value in law.controls.items():
        notes.setdefault(value.fp, described(control))
    return notes


def _words(symbol: Expr) -> str:
    """A symbol in words: the effort on something, the reference of something and its derivatives."""
    return _plain(symbol) if is_reference(symbol) else described(symbol)


def _plain(symbol: Expr) -> str:
    """A symbol as it is spelled, in letters that comments may hold."""
    return _in_letters(spelled(symbol))


def _in_letters(name: str) -> str:
    return name.replace("'", " dot")


def _preface(plan: PlannedLaw, controller: str, system: str, limits: Mapping[Expr, Range]) -> list[str]:
    program = plan.planned.program
    inputs = [_line(array.name, array.size, plan.entries.get(array.name, ())) for array in program.arrays]
    inputs.append(
        f"p: {program.parameters} (parameters, for the set-up): {', '.join(map(_in_letters, plan.parameters))}"
    )
    outputs = [_line(output.name, len(output.slots), plan.entries.get(output.name, ())) for output in program.outputs]
    notes = [f"{_plain(x)} is kept from {_end(low)} to {_end(high)}." for x, (low, high) in limits.items()]
    notes += [f"The law does not hold where {condition}." for condition in plan.law.conditions]
    head = [f"The law of {controller} for {system}.", "Radians and SI units."]
    return in_comments(program, head, inputs, outputs, notes, of="law")


def _line(name: str, size: int, entries: Sequence[Expr]) -> str:
    words = f"{name}: {size} ({_WORDS.get(name, name)})"
    return f"{words}: {', '.join(map(_plain, entries))}" if entries else words


def _end(limit: float | Expr) -> str:
    """A limit as a comment may hold it."""
    return _in_letters(str(limit)) if isinstance(limit, Expr) else f"{limit:.17g}"


def _sidecar(plan: PlannedLaw, controller: str, system: str, symbol: str, limits: Mapping[Expr, Range]) -> str:
    """JSON with the user's own names, the parameters' defaults, where states start, and the driver's check value."""
    program, law = plan.planned.program, plan.law
    often = plan.parameters[SAMPLE_TIME].value if SAMPLE_TIME in plan.parameters else law.sample_time
    kept = {"limits": {spelled(x): [_number(end) for end in ends] for x, ends in limits.items()}} if limits else {}
    return in_json(
        program,
        {"format": "polhode-controller/1", "controller": controller, "system": system, "symbol": symbol},
        lambda name: [spelled(x) for x in plan.entries.get(name, ())],
        plan.parameters,
        lambda name: [spelled(x) for x in plan.entries[name]],
        reference=[
            {"name": r.name, "order": r.order, "default": None if r.default is None else float(r.default)}
            for r in law.reference
        ],
        states=[{"name": state.symbol.name, "start": float(state.start), "unit": state.unit} for state in law.states],
        **kept,
        sample_time=None if often is None else float(often),
        does_not_hold_where=[*law.conditions],
        check_value=check_value(program),
    )


def _number(limit: float | Expr) -> float | str | None:
    """A limit as JSON has it: a number, an expression of parameters as text, or nothing."""
    if isinstance(limit, Expr):
        return str(limit)
    return limit if isfinite(limit) else None


fault = fault_at("law")

Floats = NDArray[np.float64]


class LawFunction:
    """controls, or (controls, next states), of measurements, references, the controller's states and time.

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
        inputs = {
            "measured": lambda: self._measured(measured, (q, u, z), time),
            "reference": lambda: self._reference(reference),
            "states": lambda: self._states(states),
            "t": lambda: time[..., None],
        }
        return self.native(*(inputs[name]() for name in self.native.arrays))

    def __repr__(self) -> str:
        return f"LawFunction({', '.join(map(spelled, self.controls))} of {', '.join(map(spelled, self.measured))})"

    def _measured(self, measured: Any, state: Sequence[Any], t: Floats) -> Floats:
        if measured is None:
            return self._on_state(state, t)
        if any(part is not None for part in state):
            message = "what is measured is given, and the mechanism's state too."
            raise fault(message, "Give measured=…, or q=…, u=… and z=….", "E-CONTROL-TWICE")
        if isinstance(measured, Mapping):
            return stacked(_in_order(measured, self.measured, "measured", {}))
        return real_numbers(measured, "measured")

    def _on_state(self, state: Sequence[Any], t: Floats) -> Floats:
        """What is measured on the mechanism at a state."""
        from ..native import compile_program

        e = self._equations
        if self._measuring is None:
            entries = on_mechanism(e, [self.law.measurements[x] for x in self.measured])
            planned = plan_outputs(e, "measured", ("q", "u"), [("measurements", (len(entries),), entries)])
            values = {name: e.system.parameters[name].value for name in planned.parameters}
            self._measuring = compile_program(planned.program).with_parameters(_numbers(values))
        arrays = {"q": (state[0], len(e.q)), "u": (state[1], len(e.u)), "z": (state[2], len(e.z))}
        inputs = {"t": t[..., None]}
        for name, (array, size) in arrays.items():
            if array is None and size and _is_read(name, self.law, e):
                message = f"the law measures {name}, which is not given."
                raise fault(message, f"Give {name}=…, or measured=…", "E-CONTROL-MISSING")
            inputs[name] = np.zeros(size) if array is None else real_numbers(array, name)
        if e.quaternions:
            inputs["q"], _ = unit_quaternions(inputs["q"], tuple(e.quaternions))
        return np.asarray(self._measuring(*(inputs[name] for name in self._measuring.arrays)))

    def _reference(self, values: Any) -> Floats:
        array = self._reference_array(values)
        for name, four in self.law.orientations.items():
            places = [self.reference.index(reference.symbols[0]) for reference in four]
            if array.shape[-1] == len(self.reference):  # another length is refused where the law is called
                lengths = np.linalg.norm(array[..., places], axis=-1).ravel()
                check_unit_length(float(lengths[np.abs(lengths - 1.0).argmax()]), name)
        return array

    def _reference_array(self, values: Any) -> Floats:
        if values is not None and not isinstance(values, Mapping):
            array = real_numbers(values, "reference")
            return array if array.ndim else array[None]
        names = [reference.name for reference in self.law.reference]
        by_name = {key.name if isinstance(key, Expr) else key: value for key, value in (values or {}).items()}
        for name in by_name:
            if name not in names:
                raise unknown("reference", name, names, place="reference", code="E-CONTROL-NAME")
        columns: list[Any] = []
        for reference in self.law.reference:
            value = by_name.get(reference.name, reference.default)
            if value is None:
                cure = "Give a number."
                raise PolhodeError("it is not given.", f"reference '{reference.name}'", cure, "E-CONTROL-MISSING")
            entries = list(value) if isinstance(value, tuple | list) else [value]
            if len(entries) > reference.order + 1:
                message = f"{len(entries)} numbers are given; the law takes derivatives up to order {reference.order}."
                cure = "A batch is given as an array for each derivative."
                raise ShapeError(message, f"reference '{reference.name}'", cure, "E-CONTROL-SHAPE")
            columns += entries + [0.0] * (reference.order + 1 - len(entries))
        return stacked([real_numbers(column, "reference") for column in columns])

    def _states(self, states: Any) -> Floats:
        start = {state.symbol: float(state.start) for state in self.law.states}
        if states is None or isinstance(states, Mapping):
            return stacked(_in_order(states or {}, self.states, "states", start))
        return real_numbers(states, "states")


def _in_order(
    values: Mapping[Any, Any], symbols: Sequence[Expr], place: str, default: Mapping[Expr, float]
) -> list[Floats]:
    by_name = {spelled(x): x for x in symbols} | {x.name: x for x in symbols if place == "states"}
    by_symbol: dict[Expr, Any] = dict(default)
    for key, value in values.items():
        symbol = key if isinstance(key, Expr) and key in symbols else by_name.get(key)
        if symbol is None:
            what = "measurement" if place == "measured" else "state"
            raise unknown(what, key, by_name, place=place, code="E-CONTROL-NAME")
        by_symbol[symbol] = value
    missing = [x for x in symbols if x not in by_symbol]
    if missing:
        cure = "Give every one of them."
        raise PolhodeError(f"{spelled(missing[0])} is not given.", place, cure, "E-CONTROL-MISSING")
    return [real_numbers(by_symbol[x], place) for x in symbols]


def _is_read(name: str, law: Law, equations: EquationsOfMotion) -> bool:
    symbols = {"q": equations.q, "u": equations.u, "z": equations.z}[name]
    met = {*free_symbols(on_mechanism(equations, law.measurements.values()))}
    return any(x in met for x in symbols)


def parameter_values(planned: PlannedLaw, given: Mapping[str, Any]) -> Floats:
    """The parameters of a law in the order of its program: as given, or as the controller has them."""
    for name in given:
        if name not in planned.parameters and name not in planned.law.parameters:
            raise unknown("parameter of the law", name, planned.parameters, place="parameters", code="E-CONTROL-NAME")
    read = si_values(planned.parameters, given)
    return _numbers({name: read.get(name, parameter.value) for name, parameter in planned.parameters.items()})


def _numbers(values: Mapping[str, Any]) -> Floats:
    missing = [name for name, value in values.items() if value is None]
    if missing:
        raise ValueMissing(
            f"the {'sample time' if missing[0] == SAMPLE_TIME else repr(missing[0])} has no value.",
            place="law",
            cure="Give sample_time=…, in seconds."
            if missing[0] == SAMPLE_TIME
            else f"Give parameters={{{missing[0]!r}: …}}.",
            code="E-CONTROL-MISSING",
        )
    return parameter_sets(values, {})
