"""Closed loops: a mechanism and the law that controls it become one thing to run.

In continuous time the law is made part of the mechanism: its states are first-order states of a model that has these
beside its own, its parameters are parameters of that model, and its controls are laws of efforts and inputs. So every
method, batch, event and sensitivity works on closed loops. A law that is sampled stays outside (`sampled_law`); its
parameters alone are added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from ...compiled.functions import Functions
from ...dynamics.equations import EquationsOfMotion
from ...errors import PolhodeError, fault_at, shown, understood, unknown
from ...expr import Expr, Function, as_expr, evaluate, free_symbols, is_zero, substitute
from ...expr.calls import sampled, samples_of
from ...expr.exact import sqrt
from ...expr.spelling import described, spelled
from ...laws.controller import Controller, Observed
from ...laws.law import Curve, Law, check_unit_length, nominal_name
from ...laws.named_symbols import Named, Range, limits_of, rated_efforts, saturated, unlimited_notice
from ...model.model import Model
from ...model.records import Parameter, State
from ..settings import LOOP_OPTIONS
from ..trajectory.trajectory import Trajectory
from .actuation import tables_of_time

if TYPE_CHECKING:
    from ...compiled.catalogue import Planned
    from ...formalisms.derivation import Derivation
    from ...laws.law import ControllerState, Reference
    from ...model.model import Model
    from .sampled_law import Sampling

fault = fault_at("controller")

#: Programs of sampled laws by what they were made of, as long as the law lives.
_PLANNED: WeakKeyDictionary[Law, dict[tuple[Any, ...], tuple[Planned, WeakKeyDictionary[Functions, Any]]]] = (
    WeakKeyDictionary()
)
_MOST_PLANS = 8
#: Options that need samples.
_OF_SAMPLES = ("delay", "quantisation", "noise", "seed", "discretisation")


@dataclass(frozen=True, eq=False, repr=False)
class ClosedLoop:
    """A law as it runs, what its references are, the limits of its controls, and how it is sampled, if it is."""

    controller: str
    law: Law
    curves: Mapping[Expr, Expr]
    limits: Mapping[Expr, Range] = field(default_factory=dict)
    sampling: Sampling | None = None
    has_observer: bool = False
    unlimited: str = ""  # notice of controls without limits in the model, where limits="model"
    lengths: Mapping[str, Expr] = field(default_factory=dict)  # by which reference quaternions were divided
    starts: Mapping[str, float] = field(default_factory=dict)  # of a sampled controller's states, where they are given

    def __repr__(self) -> str:
        how = "in continuous time" if self.sampling is None else f"every {self.sampling.sample_time:g} s"
        return f"ClosedLoop({self.controller} {how})"

    @property
    def how(self) -> Sampling:
        """How the law is sampled."""
        if self.sampling is None:
            raise PolhodeError("the law is not sampled.", "controller", "Give sample_time=…", "E-CONTROL-UNSUPPORTED")
        return self.sampling

    def compiled(self, functions: Functions) -> tuple[Any, tuple[str, ...]]:
        """The sampled law as a native function, and its parameters; recent ones are stored for later runs."""
        from ...compiled.closed_loop import plan_sampled

        how, plans, derivation = self.how, _PLANNED.setdefault(self.law, {}), functions.derivation
        tables = (self.curves, self.limits, how.quantisation, dict.fromkeys(how.noise))
        key = (derivation.key, how.sample_time, how.discretisation, *(tuple(table.items()) for table in tables))
        if key not in plans:
            if len(plans) >= _MOST_PLANS:
                plans.pop(next(iter(plans)))
            planned = plan_sampled(
                self.law, derivation.equations, self.curves, how.sample_time, how.discretisation, self.limits,
                how.quantisation, tuple(how.noise),
            )  # fmt: skip
            plans[key] = planned, WeakKeyDictionary()
        planned, compiled = plans[key]
        if functions not in compiled:
            compiled[functions] = functions.compiled(planned.program)
        return compiled[functions], planned.parameters


def close(derivation: Derivation, options: Mapping[str, Any]) -> tuple[Derivation, dict[str, Any]]:
    """The derivation and options of a run with its loop closed; unchanged without a controller."""
    controller = options.get("controller")
    if controller is None:
        lonely = [name for name in LOOP_OPTIONS if options.get(name) is not None]
        if lonely:
            message = f"'{lonely[0]}' is of a controller, and there is none."
            raise PolhodeError(message, "simulate", "Give controller=…", "E-CONTROL-MISSING")
        return derivation, dict(options)
    if isinstance(controller, ClosedLoop):
        return derivation, dict(options)
    if not isinstance(controller, Controller | Law):
        cure = "Give one of polhode.control, or its law; a Python function goes to tau= or inputs=."
        raise fault(f"{shown(controller)} is no controller.", cure, "E-CONTROL-TYPE")
    law, name = (controller, "law") if isinstance(controller, Law) else (controller.nominal_law, controller.name)
    equations, system = derivation.equations, derivation.model
    given_limits, named = options.get("limits"), Named.controls(law, derivation.synopsis.joints)
    limits = limits_of(given_limits, named, rated_efforts(system))
    if limits and isinstance(controller, Controller):
        law = controller.law_within(limits)
    law = _with_values_of(law, system)
    _check_fit(law, equations)
    curves, lengths = curves_of(law, options.get("reference"), system)
    sampling = _sampling(law, options, derivation)
    unlimited = unlimited_notice(given_limits, named, limits)
    loop = ClosedLoop(name, law, curves, limits, sampling, isinstance(controller, Observed), unlimited, lengths)
    run_options = {key: value for key, value in options.items() if key not in LOOP_OPTIONS}
    run_options |= {"controller": loop, "parameters": _nominal_as_given(law, system, options.get("parameters"))}
    running = law if sampling is not None else law.with_values({**law.measured, **curves})
    acting = _acting(loop, running, run_options, Named.controls(law, derivation.synopsis.joints))
    model = _extended(system, law, () if sampling is not None else running.states)
    if sampling is None:
        run_options |= acting | {"start": _start(run_options.get("start"), running, len(system.states))}
    if model is system:
        return derivation, run_options
    closed, functions = derivation.extended(model), options.get("functions")
    if not isinstance(functions, Functions):
        return closed, run_options
    functions = functions.of(closed)
    return functions.derivation, run_options | {"functions": functions}


def _acting(loop: ClosedLoop, law: Law, options: Mapping[str, Any], named: Named) -> dict[str, Any]:
    """Efforts and inputs of a run: the law's, within limits, and others by name; raise if one is given twice."""
    acting = {}
    for option, kind in (("tau", "effort"), ("inputs", "input")):
        signals, controls = options.get(option), {x: value for x, value in law.controls.items() if x.data[0] == kind}
        acting[option] = signals
        if not controls:
            continue
        if signals is not None and not isinstance(signals, Mapping):
            message = f"{option} is {shown(signals)}, and the controller gives some of the {kind}s."
            raise PolhodeError(message, option, "Give the others by name.", "E-CONTROL-TYPE")
        both = [key for key in signals or () if key in named.symbols or (isinstance(key, str) and key in named.by_name)]
        both = [key for key in both if named.find(key, option).data[0] == kind]
        if both:
            message = f"the {kind} '{both[0]}' is given, and the controller gives it too."
            raise PolhodeError(message, option, "Leave it to one of them.", "E-CONTROL-TWICE")
        laws = {symbol.name: saturated(value, loop.limits.get(symbol)) for symbol, value in controls.items()}
        acting[option] = {**(signals or {}), **laws}
    return acting


def _with_values_of(law: Law, system: Model) -> Law:
    """The law with the mechanism's values for nominal parameters that have none."""
    values = {nominal_name(name): parameter.value for name, parameter in system.parameters.items()}
    parameters = {
        name: replace(parameter, value=values[name]) if parameter.value is None and name in values else parameter
        for name, parameter in law.parameters.items()
    }
    return law if parameters == law.parameters else replace(law, parameters=parameters)


def _nominal_as_given(law: Law, system: Model, parameters: Any) -> Any:
    """Parameters of a run, with what is given of the mechanism's for nominal ones that have no other value."""
    if not isinstance(parameters, Mapping):
        return parameters
    nominal_values = {
        nominal: parameters[name]
        for name in parameters
        if isinstance(name, str)
        and (nominal := nominal_name(name)) in law.parameters
        and law.parameters[nominal].value is None
    }
    return {**nominal_values, **parameters}


def _check_fit(law: Law, equations: EquationsOfMotion) -> None:
    """Refuse a law that gives, or is given, what the mechanism does not have."""
    system = equations.system
    acting = [*equations.tau, *(signal.symbol for signal in system.inputs.values())]
    for control in law.controls:
        if control not in acting:
            message = f"system '{system.name}' has no {described(control)}, which the law gives."
            cure = "Run it on a mechanism with these names: " + ", ".join(map(spelled, acting)) + "."
            raise fault(message, cure, "E-CONTROL-NAME")
    available = {system.time, *(state.symbol for state in law.states), *law.measured}
    available |= {symbol for joint in system.joints.values() for symbol in (*joint.q, *joint.u)}
    available |= {*equations.q, *equations.u}
    available |= {x.symbol for table in (system.states, system.parameters, law.parameters) for x in table.values()}
    available |= {symbol for reference in law.reference for symbol in reference.symbols}
    available -= {*equations.omitted}
    unexpected = [symbol for symbol in free_symbols(law.expressions) if symbol not in available]
    if unexpected:
        message = f"system '{system.name}' has no {described(unexpected[0])}, which the law depends on."
        raise fault(message, "Design it on a model with the names of this one.", "E-CONTROL-NAME")


def _sampling(law: Law, options: Mapping[str, Any], derivation: Derivation) -> Sampling | None:
    """How the law is sampled; None in continuous time."""
    if options.get("sample_time") is not None or law.sample_time is not None:
        from .sampled_law import sampling_of

        return sampling_of(law, options, derivation.synopsis)
    if law.is_sampled:
        raise fault("the law goes from sample to sample.", "Give sample_time=…, in seconds.", "E-CONTROL-UNSUPPORTED")
    timed = [name for name in _OF_SAMPLES if options.get(name) is not None]
    if timed:
        message = f"'{timed[0]}' needs sample_time: in continuous time the law is part of the mechanism."
        raise PolhodeError(message, timed[0], "Give sample_time=…, in seconds.", "E-CONTROL-MISSING")
    return None


def _extended(plant: Model, law: Law, states: Sequence[ControllerState]) -> Model:
    """The model with the law's parameters, and the controller's states as first-order states."""
    system, cure = plant, "Call one of them by another name."
    for name, p in law.parameters.items():
        there = plant.parameters.get(name)
        if there is None:
            system = system.with_record("parameters", name, Parameter(p.symbol, p.value, p.unit))
        elif there.value != p.value:
            both = f"system '{plant.name}' and the controller both have a parameter '{name}', with different values."
            raise fault(both, cure, "E-CONTROL-TWICE")
    used = {*plant.states, *(q.name for joint in plant.joints.values() for q in joint.q)}
    for state in states:
        name = state.symbol.name
        if name in used:
            message = f"system '{plant.name}' and the controller both have a state or coordinate '{name}'."
            raise fault(message, cure, "E-CONTROL-TWICE")
        system = system.with_record("states", name, State(state.symbol, state.rate, state.start, state.unit))
    return system


def _start(start: Any, law: Law, state_count: int) -> Any:
    """The start of a run; where first-order states are given as an array, the controller's come behind them."""
    if isinstance(start, tuple) and len(start) == 3 and law.states and np.shape(start[2]) == (state_count,):
        return (*start[:2], [*start[2], *(float(state.start) for state in law.states)])
    return start


# ---- references ----------------------------------------------------------------------------------------------
# A reference is given as a number, an expression of time, samples, or another run; its derivatives are exact.

_CURVE = 'Give a number, an expression of time (also as text), or sampled(times, values, "cubic").'


def curves_of(law: Law, motions: Any, system: Model) -> tuple[dict[Expr, Expr], dict[str, Expr]]:
    """References and their derivatives as expressions of time, by symbol; lengths by which quaternions are divided."""
    by_name = _by_name(law, motions, system)
    curves = {reference.name: _curve(reference, by_name, system) for reference in law.reference}
    lengths: dict[str, Expr] = {}
    for name, four in law.orientations.items():
        square = as_expr(sum(curves[reference.name] * curves[reference.name] for reference in four))
        if is_zero(square - 1):
            continue
        if not free_symbols([curves[reference.name] for reference in four]):
            check_unit_length(evaluate([square], {})[0] ** 0.5, name)
        lengths[name] = as_expr(sqrt(square))
        curves |= {reference.name: as_expr(curves[reference.name] / lengths[name]) for reference in four}
    by_symbol: dict[Expr, Expr] = {}
    for reference in law.reference:
        curve = curves[reference.name]
        for symbol in reference.symbols:
            by_symbol[symbol], curve = curve, curve.diff(system.time)
    return by_symbol, lengths


def _by_name(law: Law, curves: Any, system: Model) -> dict[str, Any]:
    """The given curve of each reference by name; the motion of a frame or joint gives all references of it."""
    frames = dict.fromkeys(reference.orientation or (reference.position or ("",))[0] for reference in law.reference)
    frames.pop("", None)
    if _is_motion(curves) and len(frames) == 1:
        curves = dict.fromkeys(frames, curves)
    if isinstance(curves, Mapping):
        curves = {key.name if isinstance(key, Expr) else key: value for key, value in curves.items()}
        for name in [name for name in curves if name in frames]:
            curves = _components(law, name, curves.pop(name), system) | curves
    names = [reference.name for reference in law.reference]
    if curves is None:
        return {}
    if isinstance(curves, Trajectory):
        return {name: _of_run(curves, name) for name in names}
    planned = None if isinstance(curves, Mapping | Function) else getattr(curves, "reference", None)
    planned = planned() if callable(planned) else planned
    if isinstance(planned, Mapping):  # of a motion that was planned: it may have more than these
        return {name: planned[name] for name in names if name in planned}
    if isinstance(curves, Mapping):
        for name in curves:
            if name not in names and name in system.joints and _is_motion(curves[name]):
                message = f"a motion is given for joint '{name}', which stores its orientation otherwise."
                cure = f'Store it with storage="quaternion", or give each of {", ".join(names)} by its name.'
                raise PolhodeError(message, f"reference '{name}'", cure, "E-CONTROL-UNSUPPORTED")
            if name not in names:
                raise unknown("reference", name, [*names, *frames], place="reference", code="E-CONTROL-NAME")
        return dict(curves)
    if len(names) == 1:
        return {names[0]: curves}
    if isinstance(curves, list | tuple | np.ndarray) and len(curves) == len(names):
        return dict(zip(names, curves, strict=True))
    if not names:
        cure = "Leave the reference out."
        raise PolhodeError("the controller follows no reference.", "reference", cure, "E-CONTROL-SHAPE")
    message = f"{shown(curves)} is one curve, and there are {len(names)} references."
    raise PolhodeError(message, "reference", f"Give them by name: {', '.join(names)}.", "E-CONTROL-SHAPE")


def _components(law: Law, name: str, motion: Any, system: Model) -> dict[str, Any]:
    """Curves of the references of a frame or joint, by name, from its motion as an orientation or pose."""
    if not _is_motion(motion):
        cure = "Give a RotationSpline, a PoseSpline or a ph.Rotation, or each reference by its name."
        raise PolhodeError(f"{shown(motion)} is no motion of '{name}'.", "reference", cure, "E-CONTROL-TYPE")
    motion = motion(system.time) if isinstance(motion, Curve) else motion
    components = dict(zip((r.name for r in law.orientations.get(name, ())), motion.quaternion, strict=False))
    for reference in law.reference:
        if reference.position is not None and reference.position[0] == name and hasattr(motion, "p"):
            components[reference.name] = motion.p[reference.position[1]]
    return components


def _is_motion(value: Any) -> bool:
    """Whether a value is a planned motion, or the orientation or pose that one has at a time."""
    return isinstance(value, Curve) or hasattr(value, "quaternion")


def _of_run(run: Trajectory, name: str) -> Function:
    """A cubic through the samples of a value of a run."""
    values = run[name]
    if len(values) < 4:
        message = f"the run has {len(values)} samples, too few for a curve."
        raise PolhodeError(message, f"reference '{name}'", "Give a run with more samples.", "E-CONTROL-SHAPE")
    return sampled(run.t, values, "cubic", name=name)


def _curve(wanted: Reference, curves: Mapping[str, Any], system: Model) -> Expr:
    """One reference as an expression of time and of parameters of the mechanism."""
    place = f"reference '{wanted.name}'"
    if wanted.name not in curves:
        if wanted.default is not None:
            return as_expr(wanted.default)
        cure = f"Give reference={{{wanted.name!r}: …}}. {_CURVE}"
        raise PolhodeError("there is no curve for it.", place, cure, "E-CONTROL-MISSING")
    curve = _expression(curves[wanted.name], wanted, system, place)
    available = {system.time, *(parameter.symbol for parameter in system.parameters.values())}
    others = [symbol for symbol in free_symbols([curve]) if symbol not in available]
    if [symbol.data[0] for symbol in others] == ["symbol"] and others[0].name == system.time.name:
        (curve,), others = substitute([curve], {others[0]: system.time}), []  # another symbol for the time
    if others:
        message = f"it depends on the {others[0].data[0]} '{others[0].name}'."
        cure = "A reference is a function of time, system.time, and of parameters of the mechanism."
        raise PolhodeError(message, place, cure, "E-CONTROL-DEPENDENCE")
    for table in tables_of_time([curve], system.time):
        most, joined = table.points.smoothness + 1, table.points.kind
        if wanted.order > most:  # the derivative has impulses that no table shows
            better = "linear" if wanted.order == 1 else "cubic" if wanted.order <= 3 else ""
            message = f"the law takes derivative {wanted.order} of it, and samples that are joined {joined} have "
            cure = "Give an expression of time, as polhode.planning.quintic makes."
            cure = f'Join them smoothly: sampled(times, values, "{better}").' if better else cure
            raise PolhodeError(f"{message}{most or 'none'}.", place, cure, "E-CONTROL-UNSUPPORTED")
    return curve


def _expression(value: Any, wanted: Reference, system: Model, place: str) -> Expr:
    with understood("a curve in time", value, place=place, cure=_CURVE):
        if isinstance(value, Trajectory):
            value = _of_run(value, wanted.name)
        if isinstance(value, str):
            from ...formats.texts import expression_of

            return expression_of(value, system, "parameter")
        if isinstance(value, tuple | list) and len(value) == 2 and all(np.ndim(part) == 1 for part in value):
            times, values = value
            value = samples_of(times, values, "cubic" if wanted.order else "linear", wanted.name, place)
        if isinstance(value, Function):
            return as_expr(value(system.time))
        if isinstance(value, bool):
            raise TypeError
        if callable(value) and not isinstance(value, Expr):
            message = "a Python function has no derivatives here, and would be called at every step."
            raise PolhodeError(message, place, _CURVE, "E-CONTROL-UNSUPPORTED")
        return as_expr(value)
