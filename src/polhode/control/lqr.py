"""The linear-quadratic regulator: the linear law that takes the least ∫ (xᵀQ x + cᵀR c) dt about an operating point.

R. E. Kalman, *Contributions to the theory of optimal control* (1960). For the error that is integrated as well:
E. J. Davison and H. W. Smith, *Pole assignment in linear time-invariant multivariable systems with constant
disturbances* (1971).

    c = c₀ - K δx - K_I ξ,      ξ̇ = δy

    the papers   here
    x            δx, deviations from the references: coordinates, small turns, speeds, first-order states
    u            c, inputs and efforts; c₀ holds the operating point
    P            P of the Riccati equation

From sample to sample the mechanism is taken with inputs that are held (C. F. Van Loan, 1978), and the sum is least.

The deviations are δx = x - r with references r, by default at the operating point; the reference of a coordinate's
rate is the rate of its reference, that of a stored orientation its value at the operating point.

    continuous    AᵀP + P A - P B R⁻¹ Bᵀ P + Q = 0,              K = R⁻¹ Bᵀ P
    from sample to sample    P = AᵀP A - AᵀP B (R + BᵀP B)⁻¹ BᵀP A + Q,    K = (R + BᵀP B)⁻¹ BᵀP A

A stabilising solution exists where every mode that does not decay is reached by an input, and none that keeps its size
is unseen by the cost (V. Kučera, *A contribution to matrix quadratic equations*, 1972). Modes are tested one by one by
the rank of [A - λ, B] (V. M. Popov, V. Belevitch, M. L. J. Hautus).

Gains scheduled along a family of equilibria: a linear regulator at each, and tables between them.

W. J. Rugh and J. S. Shamma, *Research on gain scheduling* (2000).

    c = c₀(r) - K(σ) (x - x₀(r))

σ is the scheduling variable. A coordinate or a speed is held at each value in turn, with the inputs that this takes;
the law is then led to the equilibrium at which it is as wanted, r = ref_σ, with gains for where it is (or, scheduled by
its reference, for where it is wanted). A parameter takes each value, and the law knows it: r = σ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..equilibria import EquilibriumMethods
from ..errors import PolhodeError, check_kind, check_known, fault_at, listed, numbers, shown, understood, unknown
from ..expr import Expr, Vector, as_expr, directional, evaluate, substitute, symbol, table
from ..expr.opaque.table import KINDS
from ..expr.spelling import spelled
from ..laws.controller import Controller
from ..laws.law import ControllerState, Law, Reference, integral_name, sample_time_of
from ..laws.named_symbols import controls_of
from ..linear.displacements import displaced_from
from ..linear.linear import Linear
from ..linear.operating_point import parameter_values, state_names
from ..model.reading import list_of
from ..model.records import Parameter
from ..notebook import complex_text
from .state_equations import check_no_quaternions
from .weights import Floats, weights

#: Singular values below this part of the matrices' size are rounding; and so near is a mode to one that keeps its size.
_NOTHING, _EDGE = 1e-9, 1e-7
#: States with less than this part of a mode are not named in sentences about it.
_PART = 0.05


@dataclass(frozen=True, eq=False)
class Riccati:
    """The solution P of a Riccati equation, the gain K, and the poles of A - B K."""

    P: Floats
    K: Floats
    poles: np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


def solve_riccati(
    A: Floats, B: Floats, Q: Floats, R: Floats, names: Sequence[str], place: str, sampled: bool = False
) -> Riccati:
    """The stabilising solution; where there is none, a sentence that names the mode."""
    from scipy.linalg import solve_continuous_are, solve_discrete_are

    for mode in unreached(A, B, sampled):
        message = f"no input reaches the mode with the {mode.in_words(names, sampled)}, which does not decay."
        raise PolhodeError(message, place, "Add an input, or leave these states out: states=[…].", "E-CONTROL-SINGULAR")
    for mode in unreached(A.T, Q, sampled):
        if mode.is_at_edge(sampled):
            message = f"the cost does not see the mode with the {mode.in_words(names, sampled)}, which keeps its size."
            raise PolhodeError(message, place, "Give one of these states a weight.", "E-CONTROL-SINGULAR")
    cure = "Scale the weights: those of states and inputs should be of like size."
    message = "no stabilising solution of the Riccati equation was found."
    try:
        P = (solve_discrete_are if sampled else solve_continuous_are)(A, B, Q, R)
    except (np.linalg.LinAlgError, ValueError) as error:
        raise PolhodeError(message, place, cure, "E-CONTROL-FAILED") from error
    P = (P + P.T) / 2
    K = np.linalg.solve(R + B.T @ P @ B, B.T @ P @ A) if sampled else np.linalg.solve(R, B.T @ P)
    poles = np.linalg.eigvals(A - B @ K).astype(np.complex128)
    size = np.abs(poles) - 1 if sampled else poles.real
    if not (np.isfinite(K).all() and size.max(initial=-1.0) < 0):
        raise PolhodeError(message, place, cure, "E-CONTROL-FAILED")
    return Riccati(P, K, poles[np.argsort(-size, kind="stable")])


@dataclass(frozen=True)
class Mode:
    """An eigenvalue, and how much of each state is in its left eigenvector."""

    eigenvalue: complex
    parts: tuple[float, ...]

    def in_words(self, names: Sequence[str], sampled: bool) -> str:
        """The mode in words."""
        if abs(self.eigenvalue.imag) > _EDGE * (1 + abs(self.eigenvalue)):
            number = f"{self.eigenvalue.real:.4g} ± {abs(self.eigenvalue.imag):.4g}i"
        else:
            number = f"{self.eigenvalue.real if abs(self.eigenvalue.real) > _EDGE else 0.0:.4g}"
        unit = "" if sampled else " 1/s"
        states = [name for name, part in zip(names, self.parts, strict=True) if part > _PART * max(self.parts)]
        return f"eigenvalue {number}{unit} (in {listed(states)})"

    def is_at_edge(self, sampled: bool) -> bool:
        """Whether the mode neither grows nor decays."""
        size = abs(self.eigenvalue) - 1 if sampled else self.eigenvalue.real
        return abs(size) <= _EDGE * (1 + abs(self.eigenvalue))


def unreached(A: Floats, B: Floats, sampled: bool) -> Iterator[Mode]:
    """The modes that do not decay and that no column of B reaches."""
    scale = max(float(np.abs(A).max(initial=0.0)), float(np.abs(B).max(initial=0.0)), 1e-300)
    for value in np.linalg.eigvals(A).tolist():
        size = abs(value) - 1 if sampled else value.real
        if size < -_EDGE * (1 + abs(value)) or value.imag < 0:
            continue
        pencil = np.hstack([A - value * np.eye(len(A)), B])
        left, sizes, _ = np.linalg.svd(pencil)
        if sizes[-1] <= _NOTHING * scale:
            yield Mode(complex(value), tuple(np.abs(left[:, -1]).tolist()))


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


def deviations(linear: Linear, inputs: Sequence[str] | None, states: Sequence[str] | None, place: str) -> Deviations:
    """Deviations from a steady operating point, and A and B there in numbers; of all states, or those named."""
    check_kind(Linear, "a set of linear equations, as equations.linearize(…) returns it", linear, place)
    if not linear.is_equilibrium:
        message = next((x for x in linear.notices if "no equilibrium" in x), "this state is no equilibrium.")
        cure = "Find one with equations.equilibrium(free=[…]), the inputs that hold it among what is free."
        raise PolhodeError(message, place, cure, "E-CONTROL-FAILED")
    ports = linear if inputs is None else linear.with_ports(inputs)
    A, B = linear.state_space()
    equations, every = linear.equations, dict(zip(linear.controls, range(len(linear.controls)), strict=True))
    symbols = [*equations.tau, *(entry.symbol for entry in equations.system.inputs.values())]
    chosen = {name: symbols[every[name]] for name in ports.inputs}
    if not chosen:
        raise PolhodeError("there is no input to control with.", place, "Name inputs: inputs=[…].", "E-CONTROL-MISSING")
    kept = _kept(linear, states, A, place)
    values, reference = _of_states(linear, kept)
    names, steady = tuple(linear.states[k] for k in kept), tuple(linear.point.values[x] for x in chosen.values())
    A, B = A[np.ix_(kept, kept)], B[np.ix_(kept, [every[name] for name in chosen])]
    return Deviations(names, values, reference, chosen, steady, A, B)


def _kept(linear: Linear, states: Sequence[str] | None, A: Floats, place: str) -> list[int]:
    """The indices of the states that are regulated; the rest must not act on them, nor may they run on."""
    names = linear.states
    if states is None:
        kept = list(range(len(names)))
    else:
        chosen = list_of(states, "a list of states", f"{place} states")
        _check_states(chosen, names, f"{place} states")
        kept = [k for k, name in enumerate(names) if name in chosen]
        if not kept:
            raise PolhodeError("no state is to be regulated.", f"{place} states", "Name some.", "E-CONTROL-MISSING")
    left = [k for k in range(len(names)) if k not in kept]
    acting = [names[j] for j in left if np.abs(A[kept, j]).max(initial=0.0) > 1e-12 * np.abs(A).max(initial=1.0)]
    if acting:
        message = f"{listed(acting)} cannot be left out: other states depend on it."
        raise PolhodeError(message, f"{place} states", "Name these states as well.", "E-CONTROL-DEPENDENCE")
    equations, values = linear.equations, linear.point.values
    rates = substitute([as_expr(rate) for rate in equations.all_coordinate_rates], values)
    moved = substitute([as_expr(entry) for entry in linear.moved.back @ Vector(rates)], values)
    slopes = evaluate(moved, parameter_values(equations, linear.given))  # of displacements at the operating point
    running = [names[k] for k, slope in enumerate(slopes) if abs(slope) > 1e-9 and k in kept]
    if running:
        message = f"{listed(running)} runs on in this steady motion, and cannot be held."
        cure = f"Name the states that are to be held: states={[names[k] for k in kept if names[k] not in running]}."
        raise PolhodeError(message, place, cure, "E-CONTROL-UNSUPPORTED")
    return kept


def _check_states(states: Iterable[str], names: Sequence[str], place: str) -> None:
    check_known("state", states, names, place=place, code="E-CONTROL-NAME")


def _of_states(linear: Linear, kept: Sequence[int]) -> tuple[tuple[Expr, ...], tuple[Reference, ...]]:
    equations, at = linear.equations, linear.point.values
    parameters, names = parameter_values(equations, linear.given), linear.states
    coordinates = {spelled(q): q for q in equations.q}
    symbols = [*map(coordinates.get, linear.displacements), *equations.u, *equations.z]  # a turn has none
    named = {x: names[k] for k in kept if (x := symbols[k]) is not None}
    rates = dict(zip(equations.q, equations.coordinate_rates, strict=True))
    wanted: dict[Expr, Expr] = {}
    references: list[Reference] = []
    for x, name in named.items():
        if x in wanted:
            continue
        rate = rates.get(x)
        order = int(rate in named)
        (start,) = evaluate([at[x]], parameters)
        references.append(Reference(name, order, Fraction(start), x))
        wanted[x] = references[-1].symbols[0]
        if rate is not None and order:
            wanted[rate] = references[-1].symbols[1]
    moved = displaced_from(equations, at)
    values = [moved[names[k]] if (x := symbols[k]) is None else as_expr(x - wanted[x]) for k in kept]
    return tuple(values), tuple(references)


class LQR(Controller):
    """A linear-quadratic regulator about the operating point of linear equations.

    `Q` weighs states and `R` inputs: one number, numbers by name (states that are not named have none) or in order, or
    a matrix. `integral` weighs integrals of the deviations of states, by name, which take out what a constant
    disturbance leaves. `states` are those to regulate, if not all. With `sample_time` the law is that of a sampled
    mechanism. Every state has a reference, at the operating point where none is given.

    >>> import polhode as ph
    >>> from polhode.model.samples.underactuated import cart_pole
    >>> regulator = ph.control.LQR(cart_pole().derive().linearize(), Q={"x": 1, "theta": 1}, R=1)
    >>> regulator.K.round(3).tolist()
    [[-1.0, -30.78, -1.969, -6.487]]
    """

    def __init__(
        self,
        linear: Linear,
        Q: Any = 1,
        R: Any = 1,
        inputs: Sequence[str] | None = None,
        integral: Mapping[str, float] | None = None,
        *,
        states: Sequence[str] | None = None,
        sample_time: float | None = None,
    ) -> None:
        self.deviations = deviations(linear, inputs, states, self.name)
        super().__init__(linear.equations, parameters=linear.given)
        self.sample_time = None if sample_time is None else sample_time_of(sample_time, self.name)
        deviation, self._integrated = self.deviations, _integrated(integral, self.deviations, self.name)
        self.Q = weights("Q", Q, deviation.names, self.name)
        self.R = weights("R", R, [*deviation.inputs], self.name, positive=True)
        A, B = deviation.A, deviation.B
        if self.sample_time is not None:
            A, B = held(A, B, self.sample_time)
        names, size, count = deviation.names, len(A), len(self._integrated)
        rows = np.zeros((count, size + count))  # integrals of deviations are states too
        rows[range(count), [names.index(name) for name in self._integrated]] = self.sample_time or 1.0
        if self.is_sampled:
            rows[:, size:] = np.eye(count)
        self.A = np.vstack([np.hstack([A, np.zeros((size, count))]), rows])
        self.B = np.vstack([B, np.zeros((count, B.shape[1]))])
        self.states = (*names, *map(integral_name, self._integrated))
        weight = np.zeros_like(self.A)
        weight[: len(self.Q), : len(self.Q)] = self.Q
        weight[len(self.Q) :, len(self.Q) :] = np.diag([*self._integrated.values()])
        self._whole = weight
        self.solution: Riccati = solve_riccati(self.A, self.B, weight, self.R, self.states, self.name, self.is_sampled)

    @property
    def is_sampled(self) -> bool:
        """Whether the law was made for a sample time."""
        return self.sample_time is not None

    @property
    def K(self) -> Floats:
        """The gain: a row for each input, a column for each of `states`, integrals last."""
        return self.solution.K

    @property
    def P(self) -> Floats:
        """xᵀP x is the least cost from x on."""
        return self.solution.P

    @property
    def poles(self) -> NDArray[np.complex128]:
        """The eigenvalues of the closed loop, slowest first; with a sample time those from sample to sample."""
        return self.solution.poles

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, the rows of K."""
        return [*self.deviations.inputs]

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences of the modes that grow by themselves and that the cost does not see."""
        decay = "it is brought to decay as fast as it grew, at the least effort."
        unseen = unreached(self.A.T, self._whole, self.is_sampled)
        modes = (mode.in_words(self.states, self.is_sampled) for mode in unseen)
        return tuple(f"The cost does not see the mode with the {mode}; {decay}" for mode in modes)

    def _sentences(self) -> list[str]:
        poles = f"Poles of the loop: {', '.join(map(complex_text, self.poles.tolist()))}."
        return [poles, *super()._sentences(), *self.notices]

    def design(self) -> Law:
        """c = c₀ - K δx - K_I ξ."""
        deviation = self.deviations
        by_name = dict(zip(deviation.names, deviation.values, strict=True))
        integrals = {symbol(integral_name(name), "state"): by_name[name] for name in self._integrated}
        T, condition = self.sample_time, "the state is far from the operating point of the linear equations"
        states = tuple(
            ControllerState(x, rate=rate) if T is None else ControllerState(x, update=x + as_expr(T) * rate)
            for x, rate in integrals.items()
        )
        controls, gains = feedback(self.K, [*deviation.values, *integrals], self.states, deviation)
        return Law(controls, states, deviation.reference, parameters=gains, sample_time=T, conditions=(condition,))


def feedback(
    K: Floats, values: Sequence[Any], names: Sequence[str], deviation: Deviations, word: str = "K"
) -> tuple[dict[Expr, Expr], dict[str, Parameter]]:
    """c = c₀ - K v, with the entries of K as parameters of the law."""
    controls: dict[Expr, Expr] = {}
    parameters: dict[str, Parameter] = {}
    for (name, control), steady, row in zip(deviation.inputs.items(), deviation.steady, K.tolist(), strict=True):
        total = steady
        for state, value, entry in zip(names, values, row, strict=True):
            gain = symbol(f"{word}_{name}_{state}", "parameter")
            parameters[gain.name] = Parameter(gain, Fraction(entry))
            total = total - gain * value
        controls[control] = as_expr(total)
    return controls, parameters


def held(A: Floats, B: Floats, sample_time: float) -> tuple[Floats, Floats]:
    """The mechanism from sample to sample, with inputs that are held between them."""
    from scipy.linalg import expm

    size, count = B.shape
    blocks = expm(np.block([[A, B], [np.zeros((count, size + count))]]) * sample_time)
    return blocks[:size, :size], blocks[:size, size:]


def _integrated(integral: Any, deviation: Deviations, place: str) -> dict[str, float]:
    """Weights of integrals by the names of states."""
    if integral is None:
        return {}
    cure = "Give weights by the names of states, for example integral={'x': 1}."
    with understood("weights by name", integral, place=f"{place} integral", cure=cure):
        integral_weights = {str(name): float(value) for name, value in dict(integral).items()}
    _check_states(integral_weights, deviation.names, f"{place} integral")
    wrong = [name for name, value in integral_weights.items() if not (np.isfinite(value) and value > 0)]
    if wrong:
        message = f"the weight {integral_weights[wrong[0]]:g} of the integral of '{wrong[0]}' is not positive."
        raise PolhodeError(message, f"{place} integral", cure, "E-CONTROL-NUMBER")
    return integral_weights


class GainSchedule(Controller):
    """Linear-quadratic regulators at several equilibria, and tables of their gains between these.

    `over` names one parameter, coordinate or speed and ascending values of it. `design` is a function from linear
    equations to an `LQR`, else `Q`, `R` and `inputs` are those of `LQR`. Equilibria are found with `free` unknown: by
    default the inputs where a coordinate or speed is held, and the coordinates where a parameter changes. With
    `by_reference` gains are those for what is wanted, not for what is measured. `kind` is how tables are read.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> _ = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    >>> made = GainSchedule(s.derive(), over={"a": [0, 0.5, 1.0, 1.5]}, inputs=["tau_a"])
    >>> made.K[:, 0, 0].round(2).tolist(), made.law
    ([0.02, 0.03, 0.05, 0.32], Law(tau_a; of a, a', ref_a and ref_a'))
    """

    def __init__(
        self,
        equations: EquilibriumMethods,
        over: Mapping[str, Any],
        design: Callable[[Linear], LQR] | None = None,
        Q: Any = 1,
        R: Any = 1,
        inputs: Sequence[str] | None = None,
        *,
        free: Sequence[str] | None = None,
        start: Mapping[str, float] | None = None,
        sample_time: float | None = None,
        by_reference: bool = False,
        kind: str = "pchip",
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        if not isinstance(equations, EquilibriumMethods):
            raise fault_at(self.name)(
                "a schedule needs equations that find their equilibria.", "Give what system.derive() returns.",
                "E-CONTROL-MISSING",
            )  # fmt: skip
        kinds = [kind for kind in KINDS if kind != "held"]
        check_known("kind of table", [kind], kinds, place=self.name, code="E-CONTROL-NAME")
        self.kind, self.by_reference = kind, by_reference
        self.variable, self.values = _over(over, self.name)
        table, names = self.equations.system.parameters, {spelled(x): x for x in (*self.equations.q, *self.equations.u)}
        self.is_parameter = self.variable in table
        if not self.is_parameter and self.variable not in names:
            what, place = "parameter, coordinate or speed", f"{self.name} over"
            raise unknown(what, self.variable, [*names, *table], place=place, code="E-CONTROL-NAME")
        check_no_quaternions(self.equations, self.name)
        self.symbol: Expr = table[self.variable].symbol if self.is_parameter else names[self.variable]
        self._given: dict[str, Any] = {"free": free, "start": start, "parameters": parameters}

        def regulator(linear: Linear) -> LQR:
            if design is None:
                return LQR(linear, Q, R, inputs, sample_time=sample_time)
            lqr = design(linear)
            check_kind(LQR, "an LQR", lqr, f"{self.name} design")
            return lqr

        self.equilibria = self._steady(equations, self.values, inputs)
        self.regulators = [regulator(equations.linearize(at)) for at in self.equilibria]
        first = self.regulators[0]
        if any(regulator.states != first.states or regulator.inputs != first.inputs for regulator in self.regulators):
            message = "the regulators at the equilibria have not the same states and inputs."
            raise PolhodeError(message, self.name, "Design them alike.", "E-CONTROL-TWICE")
        if len(first.states) != len(first.deviations.names):
            cure = "Leave out integral=…."
            raise PolhodeError("integrals are not scheduled.", self.name, cure, "E-CONTROL-UNSUPPORTED")
        self.K: Floats = np.array([regulator.K for regulator in self.regulators])
        self._check_between(equations, regulator, inputs)

    def _steady(self, equations: EquilibriumMethods, values: Floats, inputs: Sequence[str] | None) -> list[Any]:
        """The equilibria at values, each sought from the one before."""
        free, start = self._given["free"], self._given["start"]
        if free is None and not self.is_parameter:
            free = [*controls_of(self.equations, inputs, self.name)]
        poses: list[Any] = []
        sought = self.equations.coordinates if free is None else free
        for value in values.tolist():
            parameters = {**(self._given["parameters"] or {})}
            fixed = {} if self.is_parameter else {self.variable: value}
            if self.is_parameter:
                parameters[self.variable] = value
            if poses:
                start = {name: poses[-1][name] for name in sought if name not in fixed}
            poses.append(equations.equilibrium(free, given=fixed or None, start=start, parameters=parameters or None))
        return poses

    def _check_between(self, equations: EquilibriumMethods, regulator: Callable[[Linear], LQR], inputs: Any) -> None:
        """Refuse gains that do not hold the equilibria halfway between those that they were made for."""
        middle = np.array([(a + b) / 2 for a, b in pairwise(self.values.tolist())])
        read = _tables(self.values, self.K.reshape(len(self.K), -1), self.kind)
        for value, pose in zip(middle.tolist(), self._steady(equations, middle, inputs), strict=True):
            lqr = regulator(equations.linearize(pose))
            K = np.array([row(value) for row in read]).reshape(self.K.shape[1:])
            poles = np.linalg.eigvals(lqr.A - lqr.B @ K)
            size = np.abs(poles).max() - 1 if lqr.is_sampled else poles.real.max()
            if size >= 0:
                at = f"at {self.variable} = {value:.4g}, between two values"
                message = f"{at}, gains that are read from the tables do not hold the equilibrium."
                raise PolhodeError(message, f"{self.name} over", "Give more values.", "E-CONTROL-FAILED")

    def _sentences(self) -> list[str]:
        ends = f"from {self.values[0]:g} to {self.values[-1]:g}"
        tables = f"Gains are tables over {self.variable} {ends}, made at {len(self.values)} equilibria."
        return [tables, *super()._sentences()]

    def design(self) -> Law:
        """c = c₀(r) - K(σ) (x - x₀(r)), all of tables."""
        first = self.regulators[0]
        names = first.deviations.names
        rates = dict(zip(self.equations.q, self.equations.coordinate_rates, strict=True))
        references: tuple[Reference, ...] = ()
        if not self.is_parameter:
            order = int(rates.get(self.symbol) in {*self.equations.u})
            references = (Reference(self.variable, order, Fraction(float(self.values[0])), self.symbol),)
        wanted = self.symbol if self.is_parameter else references[0].symbols[0]
        rate = references[0].symbols[1] if references and references[0].order else as_expr(0)
        measured = wanted if self.by_reference else self.symbol
        symbols_of = state_names(self.equations)
        symbols = [symbols_of[name] for name in names]
        steady = np.array([[at[name] for name in (*names, *first.inputs)] for at in self.equilibria])
        along = (as_expr(curve(wanted)) for curve in _tables(self.values, steady, self.kind))
        named = zip((*names, *first.inputs), along, strict=True)
        at = [wanted if name == self.variable else value for name, value in named]
        for x, value in zip(symbols, at, strict=False):
            moving = rates.get(x)
            if moving in symbols and references:  # the equilibrium moves as its reference does
                (slope,) = directional([value], {wanted: rate})
                k = symbols.index(moving)
                at[k] = as_expr(at[k] + slope)
        gains = [curve(measured) for curve in _tables(self.values, self.K.reshape(len(self.K), -1), self.kind)]
        controls: dict[Expr, Expr] = {}
        for j, control in enumerate(first.deviations.inputs.values()):
            total = at[len(names) + j]
            for i, x in enumerate(symbols):
                total = total - gains[j * len(names) + i] * (x - at[i])
            controls[control] = as_expr(total)
        ends = f"{self.values[0]:g} and {self.values[-1]:g}"
        condition = f"{self.variable} is not between {ends}, as gains are held there"
        return Law(controls, reference=references, sample_time=first.sample_time, conditions=(condition,))


def _tables(x: Floats, columns: Floats, kind: str) -> list[Callable[[Any], Any]]:
    """A function for each column of values; one that does not change is a number."""

    def constant(value: float) -> Callable[[Any], Any]:
        return lambda x: as_expr(value) if isinstance(x, Expr) else value

    return [constant(float(y[0])) if not np.ptp(y) else table(x, y, kind=kind) for y in columns.T]


def _over(over: Any, place: str) -> tuple[str, Floats]:
    """The scheduling variable and its values."""
    check_kind(Mapping, "values by the name of one variable", over, f"{place} over")
    if len(over) != 1:
        message = f"gains are scheduled over one variable, not {len(over)}."
        raise PolhodeError(message, f"{place} over", "Give over={name: values}.", "E-CONTROL-SHAPE")
    ((name, values),) = over.items()
    array = numbers(values, "a list of numbers", dims=[1], place=f"{place} over", cure="Give ascending values.")
    if len(array) < 2 or np.diff(array).min() <= 0:
        message = f"{shown(values)} are not two or more ascending values."
        raise PolhodeError(message, f"{place} over", "Give ascending values.", "E-CONTROL-NUMBER")
    return str(name), array
