"""Options of a run: their types, for a type checker, and samples, steps and tolerances, checked before it starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from ..codegen.fixed_steps import METHODS as TABLEAUX
from ..compiled.functions import Functions
from ..errors import LimitError, PolhodeError, check_kind, number, unknown, whole_number
from ..native.backends import say_once
from ..ode.native_code import method_code
from .guard import Guard, Stop
from .initial_state import Floats
from .rates import Rates

if TYPE_CHECKING:
    from ..dynamics.synopsis import Synopsis
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from .events import Crossing, Event

_FIXED_STEP, _SPECTRAL_RADIUS = 1e-3, 0.8
_RATE, _FEWEST, _MOST = 100.0, 200, 20_000
#: More than this is refused: steps of a fixed length, and bytes of samples.
MOST_STEPS, MOST_BYTES = 10**9, 4 * 10**9
#: Tolerances beyond this overflow where methods take them for the scale of a state.
LOOSEST = 1e100
#: A step that had to change by more than this part of itself is worth a word.
_AS_ASKED = 1e-2


# ---- methods ----


@dataclass(frozen=True)
class Method:
    """A method with step-size control: implicit or not, native or a solver of SciPy or SUNDIALS."""

    is_implicit: bool = False
    is_multistep: bool = False
    is_native: bool = False
    needs_series: bool = False


_MULTISTEP = Method(is_implicit=True, is_multistep=True)
#: Methods with step-size control by their names, those of SciPy behind "scipy."
ADAPTIVE = {
    **dict.fromkeys(("TP86", "DOP853", "RK45", "RK23"), Method(is_native=True)),
    "taylor": Method(is_native=True, needs_series=True),
    **dict.fromkeys(("Rodas5P", "Radau"), Method(is_implicit=True, is_native=True)),
    **dict.fromkeys(("scipy.DOP853", "scipy.RK45", "scipy.RK23"), Method()),
    "scipy.LSODA": _MULTISTEP,
    "scipy.Radau": Method(is_implicit=True),
    **dict.fromkeys(("scipy.BDF", "ida", "cvode", "cvode.Adams"), _MULTISTEP),
}
#: What SciPy has in the place of a native method that it does not have.
_SCIPYS = {"Rodas5P": "Radau"}


EXPLICIT = (*TABLEAUX, "semi_implicit_euler")
_UNCONSTRAINED = ("gauss4", "gauss6", "lie4")
FIXED = (*EXPLICIT, *_UNCONSTRAINED, "generalised_alpha")


def check_fit(method: Any, derivation: Derivation) -> None:
    """Refuse a method that there is not, or that cannot step a mechanism."""
    if isinstance(method, str) and (method == "auto" or method in ADAPTIVE):
        return
    if method not in METHODS:
        raise unknown_method(method)
    from ..constraints import PseudoSpeeds

    equations = derivation.equations
    reason, dependent_speeds = "", equations.dependent_speeds
    if method in _UNCONSTRAINED and equations.constraints is not None:
        reason = "it does not keep constraints"
    elif method == "lie4" and not equations.quaternions:
        reason = "it turns quaternions, of which there are none (without them it is rk4)"
    moving = isinstance(dependent_speeds, PseudoSpeeds) and bool(dependent_speeds.moving_pivots)
    if moving or (isinstance(dependent_speeds, PseudoSpeeds) and method not in EXPLICIT):
        reason = "it is written in pseudo-velocities, which adaptive methods look after"
    cure = "." if moving or method in EXPLICIT else ' or "rk4".'
    if reason:
        message = f"the method {method} is not for system '{equations.system.name}': {reason}."
        raise PolhodeError(message, "method", f'Use method="auto"{cure}', "E-RUN-UNSUPPORTED")


#: Laws of impact: of the mean velocity (v⁺ + e v⁻)/(1 + e), of normal velocities, of normal impulses.
IMPACT_LAWS = ("moreau", "newton", "poisson")
#: All methods by their names.
METHODS = ("auto", *ADAPTIVE, *FIXED)


@dataclass(frozen=True)
class Control:
    """Settings of step-size control."""

    method: str = "auto"
    rtol: float = 1e-9
    atol: float = 1e-9
    largest_step: float = np.inf
    most_steps: int = 1_000_000
    may_switch: bool = False  # to a method for stiff mechanisms, and back
    fixed_step: float = 0.0  # its length, where a method has fixed steps
    spectral_radius: float | None = None  # of fast oscillations, where a method has one to choose


def resolved(control: Control, rates: Rates, guard: Guard, has_events: bool = False) -> Control:
    """The settings with "auto" resolved: Taylor series for small smooth rates without checks of each step."""
    if control.method != "auto":
        return control
    is_watched = has_events or guard.watches_charts or guard.watches_steps
    can_be = not is_watched and not len(rates.breaks) and np.isinf(control.largest_step)
    is_best = can_be and is_taylor_faster(rates.length, control.rtol) and rates.has_series
    return replace(control, method="taylor" if is_best else explicit_method(rates, guard), may_switch=True)


#: Instructions at which Taylor steps and those of TP86 cost the same at a tolerance, and beyond which TP86 is faster.
_EQUAL_AT, _TOLERANCE, _ORDER, _MOST_INSTRUCTIONS = 45.0, 1e-9, 8, 250


def is_taylor_faster(length: int, rtol: float) -> bool:
    """True if Taylor steps cost less than TP86's, for rates of so many instructions and a relative tolerance.

    To an error ε, TP86 takes steps in proportion to ε^(-1/8), of twelve evaluations each; Taylor steps become dearer,
    but hardly more. Measured at equal error, on chains of one to six pendulums, tops, free bodies and robots, the two
    are equal near L = 45 (1e-9 / rtol)^(1/8) instructions.
    """
    equal = _EQUAL_AT * (_TOLERANCE / rtol) ** (1 / _ORDER) if rtol > 0.0 else np.inf
    return length <= min(_MOST_INSTRUCTIONS, equal)


def explicit_method(rates: Rates, guard: Guard) -> str:
    """TP86 for smooth rates.

    DOP853 is the more careful of the two where a kink or the end of a chart is to be felt, and has no stage beyond the
    end of its step, which would see what does not yet hold.
    """
    is_rough = len(rates.breaks) or guard.watches_charts or rates.has_contacts or not rates.is_smooth
    return "DOP853" if is_rough else "TP86"


def check_contacts(method: str) -> None:
    """Refuse methods that cannot step from one change of contacts to the next."""
    adaptive = ADAPTIVE.get(method)
    is_native = adaptive is not None and adaptive.is_native and not adaptive.needs_series
    if method != "auto" and method not in EXPLICIT and not is_native:
        message = f"the method {method} does not step mechanisms with contacts, stops or dry friction."
        raise PolhodeError(message, "method", 'Use method="auto", DOP853, RK45, RK23 or Radau.', "E-RUN-UNSUPPORTED")


def working(name: str, rates: Rates) -> str:
    """The name of the method to use: SciPy's, with one warning, if native code is not available."""
    method = ADAPTIVE[name]
    if not method.is_native:
        return name
    if method.needs_series:
        _check_series(name, rates)
    theirs = _SCIPYS.get(name, name if f"scipy.{name}" in ADAPTIVE else "DOP853")
    try:
        code = rates.stepper(name)
        if isinstance(code, str):
            method_code(code)
    except OSError as problem:
        say_once(f"the run is by SciPy's {theirs}: native code does not work here ({problem}).")
        return f"scipy.{theirs}"
    return name if rates.can_run_natively else f"scipy.{theirs}"


def _check_series(name: str, rates: Rates) -> None:
    """Refuse rates without Taylor series; rates with corners are refused where their code is made."""
    messages = {
        "there are constraints": rates.is_constrained,
        "a controller in Python acts": not rates.is_autonomous,
        "there are forces that jump": rates.signs is not None,
    }
    for what, is_so in messages.items():
        if is_so:
            message = f"the method {name!r} needs smooth rates, all in the equations, but {what}."
            raise PolhodeError(message, cure='Take method="DOP853".', code="E-RUN-UNSUPPORTED")


#: Discontinuities that stand in the equations are found; those inside a user's own code are not.
_SMOOTH = "A controller or function of your own that jumps, such as np.sign, must be made smooth: no method helps."


def underflow(t: float, control: Control, message: str | None) -> Stop:
    """Why a run ended where no step was short enough."""
    advice = (
        f"{_SMOOTH} Or allow larger rtol and atol."
        if ADAPTIVE[control.method].is_implicit
        else f'The mechanism may be stiff: then take method="Rodas5P" or "Radau". {_SMOOTH}'
    )
    reason = (message or "the solver gave up").rstrip(".")
    return Stop(
        "step_underflow",
        f"at t = {t:.6g} s {control.method} found no step small enough ({reason[0].lower()}{reason[1:]}).",
        advice,
    )


def too_many(t: float, control: Control) -> Stop:
    """Why a run ended that took as many steps as it may."""
    return Stop(
        "too_many_steps",
        f"at t = {t:.6g} s the run had taken {control.most_steps:,} steps, as many as allowed.",
        "Allow more with max_steps, or give a longer step."
        if control.fixed_step
        else f'Allow more with max_steps; a stiff mechanism needs method="Rodas5P" or "Radau" instead. {_SMOOTH}'
        if not ADAPTIVE[control.method].is_implicit
        else f"Allow more with max_steps, or larger rtol and atol. {_SMOOTH}",
    )


# ---- samples and steps ----


def check_kinds(functions: Any, progress: Any, audit: Any) -> None:
    """Refuse options of the wrong kind before a run, rather than after it."""
    if functions is not None:
        check_kind(Functions, "what equations.compile() gives", functions, "functions")
    if progress is not None and not isinstance(progress, bool):
        check_kind(Callable, "True, False, None or a function of the fraction done", progress, "progress")
    if not isinstance(audit, bool):
        number(audit, "True, False or a tolerance", least=0.0, place="audit")


def refuse_others(options: Mapping[str, Any], allowed: Any, name: str) -> None:
    """Refuse options that a TypedDict does not have, as Python does keywords."""
    for key in options.keys() - allowed.__annotations__.keys():
        raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")


_LISTS: Any = (list, tuple, set, frozenset)


def check_held(hold: Any, place: str, coordinates: Sequence[str]) -> None:
    """Refuse what is no list of coordinates."""
    check_kind(_LISTS, "a list of coordinates", hold, f"{place} hold", "Give hold=[…].")
    for name in hold:
        if name not in coordinates:
            raise unknown("coordinate", name, coordinates, place=f"{place} hold", code="E-RUN-NAME")


def row_width(names: Synopsis) -> int:
    """Numbers that a run stores at each sample."""
    return 1 + sum(map(len, (names.coordinates, names.speeds, names.states, names.efforts, names.inputs)))


def times_of(duration: Any, samples: Any, rate: Any, width: int) -> Floats:
    """The times of the samples to keep, of `width` numbers each: the start and the end are among them."""
    seconds = number(duration, "seconds ≥ 0", least=0.0, place="duration")
    if samples is not None and rate is not None:
        raise PolhodeError("samples and a rate of them are given.", "rate", "Give one of the two.", "E-RUN-TWICE")
    if samples is not None and np.ndim(samples) > 0:
        return _given_times(samples, seconds)
    if samples is not None:
        wanted = np.nan if isinstance(samples, bool) else _number(samples)
    elif rate is not None:
        wanted = np.rint(seconds * number(rate, "samples a second, > 0", above=0.0, place="rate")) + 1.0
    else:
        wanted = round(min(max(seconds * _RATE, _FEWEST), _MOST)) + 1.0
    least = 2.0 if seconds else 1.0  # the start and the end
    if samples is not None and not (wanted >= least and wanted == np.rint(wanted)):
        cure = "Give a whole number ≥ 2."
        raise PolhodeError(f"{samples!r} samples cannot be kept.", "samples", cure, "E-RUN-NUMBER")
    if wanted * width * 8.0 > MOST_BYTES:
        message = f"{wanted:.3g} samples of {width} numbers would take {wanted * width * 8e-9:.3g} GB."
        cure = f"Keep fewer, up to {MOST_BYTES * 1e-9:g} GB; steps may be shorter than samples are apart."
        raise LimitError(message, "samples" if rate is None else "rate", cure, "E-RUN-SIZE")
    if not seconds > 0.0:
        return np.zeros(1)
    last = max(1, int(wanted) - 1)
    times = np.arange(last + 1, dtype=np.float64) * np.float64(seconds / last)  # as np.linspace has them
    times[-1] = seconds
    return times


def _number(value: Any) -> float:
    """The number that a value is, or nan."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def _given_times(samples: Any, duration: float) -> Floats:
    try:
        times = np.asarray(samples, dtype=np.float64)
    except (TypeError, ValueError):
        cure = "Give how many, or a list of times in seconds."
        raise PolhodeError("sample times must be numbers.", "samples", cure, "E-RUN-TYPE") from None
    if times.ndim != 1 or not np.isfinite(times).all() or (np.diff(times) <= 0).any():
        raise PolhodeError("sample times must increase.", "samples", "Sort them, each once.", "E-RUN-NUMBER")
    if len(times) and (times[0] < 0.0 or times[-1] > duration):
        message = f"sample times must lie between 0 and {duration:g} s."
        raise PolhodeError(message, "samples", "Give earlier times, or a longer run.", "E-RUN-NUMBER")
    return np.unique(np.concatenate([[0.0], times, [duration]]))


def grid_of(duration: float, step: Any) -> tuple[float, int, tuple[str, ...]]:
    """A step that fits the duration exactly, as near to the given one as can be, how many there are, and notices."""
    wanted = _FIXED_STEP if step is None else number(step, "seconds > 0", above=0.0, place="step")
    if duration / wanted > MOST_STEPS:
        raise LimitError(
            f"a run of {duration:g} s in steps of {wanted:g} s would take {duration / wanted:.3g} steps, more than "
            f"{MOST_STEPS:,}.",
            place="step",
            cure="Give a longer step, or a method with step-size control.",
            code="E-RUN-SIZE",
        )
    if step is not None and 0.0 < duration < wanted * (1.0 - 1e-9):
        message = f"the step of {wanted:g} s is longer than the run of {duration:g} s."
        cure = f"Give a step that the motion can be followed with, for example {_FIXED_STEP:g}."
        raise PolhodeError(message, "step", cure, "E-RUN-NUMBER")
    steps = max(1, round(duration / wanted))
    h = duration / steps
    far = step is not None and duration > 0.0 and abs(h - wanted) > _AS_ASKED * wanted
    return h, steps, (f"the step is {h:.6g} s, not {wanted:g} s, to end at {duration:g} s.",) if far else ()


_OF_STEPS = ("method", "step", "rtol", "atol", "max_steps", "max_step", "spectral_radius")


def _damping(method: str, spectral_radius: Any) -> float | None:
    """The spectral radius of fast oscillations, for the method that has one."""
    if method == "generalised_alpha":
        default, most = _SPECTRAL_RADIUS if spectral_radius is None else spectral_radius, np.nextafter(1.0, 2.0)
        return number(default, "a number from 0 to 1", least=0.0, below=most, place="spectral_radius")
    if spectral_radius is not None:
        message = f"the method {method} has no spectral radius to choose."
        cure = 'Use method="generalised_alpha", or leave it out.'
        raise PolhodeError(message, "spectral_radius", cure, "E-RUN-UNSUPPORTED")
    return None


def steps_of(duration: float, options: Mapping[str, Any]) -> tuple[Control, dict[str, float], tuple[str, ...]]:
    """Step-size control for these options, its entries in the run's info, and notices."""
    method, step, rtol, atol, max_steps, max_step, radius = (options[name] for name in _OF_STEPS)
    damping = _damping(method, radius)
    most_steps = 0
    if max_steps is not None:
        most_steps = whole_number(max_steps, "a whole number ≥ 1", least=1, place="max_steps")
    if method not in FIXED:
        bounds = [  # `step` is another name of `max_step` here
            number(value, "seconds > 0", above=0.0, place=place)
            for place, value in (("step", step), ("max_step", max_step))
            if value is not None and value != np.inf
        ]
        usual, within = Control(), f"below {LOOSEST:g}"
        rtol, atol = usual.rtol if rtol is None else rtol, usual.atol if atol is None else atol
        control = Control(
            method,
            number(rtol, f"a number ≥ 1e-13 and {within}", least=1e-13, below=LOOSEST, place="rtol"),
            number(atol, f"a number > 0 and {within}", above=0.0, below=LOOSEST, place="atol"),
            min(bounds, default=np.inf),
            most_steps or usual.most_steps,
        )
        return control, {"rtol": control.rtol, "atol": control.atol}, ()
    for place, value in (("max_step", max_step), ("rtol", rtol), ("atol", atol)):
        if value is not None:
            raise PolhodeError(f"the method {method} has fixed steps.", place, "Give step=…", "E-RUN-UNSUPPORTED")
    h, _, notices = grid_of(duration, step)
    facts = {"step": h} if damping is None else {"step": h, "spectral_radius": damping}
    control = Control(method, most_steps=most_steps or 2 * MOST_STEPS, fixed_step=h, spectral_radius=damping)
    return control, facts, notices


def unknown_method(method: Any, offered: Sequence[str] = METHODS) -> PolhodeError:
    """The error of a method that there is not; of those that are offered the nearest is named."""
    from difflib import get_close_matches

    lower = {name.lower(): name for name in offered}
    close = get_close_matches(str(method).lower(), lower, n=1)
    message = f"there is no method {method!r}."
    cure = f"Did you mean {lower[close[0]]!r}?" if close else f"Choose one of {', '.join(offered)}."
    return PolhodeError(message, "method", cure, "E-RUN-NAME")


#: The options of a run that are about its controller.
LOOP_OPTIONS = (
    "controller", "reference", "sample_time", "delay", "limits", "quantisation", "noise", "seed", "discretisation",
)  # fmt: skip


def closing(derivation: Derivation, **options: Any) -> tuple[Derivation, dict[str, Any]]:
    """The derivation and the options of a run with its loop closed, where there is a controller."""
    if not [name for name in LOOP_OPTIONS if options.get(name) is not None]:
        return derivation, options
    from .control.controlled import close

    return close(derivation, options)


class ActingKeys(TypedDict, total=False):
    """Options of a run: what acts, and events."""

    inputs: Any
    tau: Any
    rtol: float | None
    atol: float | None
    events: Sequence[Event | Crossing | Expr]
    until: Any
    on: Mapping[Any, Any] | None
    functions: Functions | None


class StartKeys(TypedDict, total=False):
    """Options of a run: start, parameters, controller."""

    start: Any
    speeds: Any
    parameters: Mapping[str, Any] | None
    controller: Any
    reference: Any
    limits: Any


class SamplingKeys(TypedDict, total=False):
    """Options of a run: method, and sampling of a law."""

    method: str
    sample_time: float | None
    delay: float | None
    quantisation: Mapping[Any, float] | None
    noise: Mapping[Any, float] | None
    seed: Any
    discretisation: str | None


class OrbitOptions(ActingKeys, total=False):
    """Options of a run in `Equations.periodic_orbit` and `.orbit_branch`; see `polhode.simulate.simulate`."""

    rate: float | None
    max_step: float | None
    max_steps: int | None


class SmoothOptions(StartKeys, OrbitOptions, total=False):
    """Options of a run in `Equations.sensitivities` and `.gradient`; see `polhode.simulate.simulate`."""

    step: float | None
    samples: Any
    hold: Sequence[str]
    impacts: str


class RunOptions(SmoothOptions, SamplingKeys, total=False):
    """Options of `Equations.simulate` besides the duration; see `polhode.simulate.simulate`."""

    spectral_radius: float | None
    progress: bool | Callable[[float], object] | None
    audit: bool | float
    watch_energy: bool


#: What options are that are not given.
DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(RunOptions.__annotations__), "method": "auto", "events": (), "hold": (), "audit": False,
    "watch_energy": True, "impacts": "moreau",
}  # fmt: skip


class StepperOptions(StartKeys, ActingKeys, SamplingKeys, total=False):
    """Options of `Equations.stepper`; see `polhode.simulate.stepper`."""

    dt: float | None
    substeps: int
    batch: int | None
    threads: int | None
    impacts: str


class AssemblyOptions(TypedDict, total=False):
    """Options of `Equations.assemble` besides the state; see `polhode.simulate.assemble`."""

    hold: Sequence[str]
    parameters: Mapping[str, Any] | None
    time: float
