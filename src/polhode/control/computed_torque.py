"""Computed torque: the equations of motion are turned around, so that errors obey linear equations of one's own choice.

    c:  B c = M(q) a + bias(q, u, t),    a:  ë + Kd ė + Kp e (+ Ki ∫e) = 0

B. R. Markiewicz, "Analysis of the computed torque drive method and comparison with conventional position servo for a
computer-controlled manipulator" (1973); J. J. Craig, *Introduction to Robotics* (1989). M and
the bias are never made: inverse dynamics at u̇ = a takes fewer operations.

Potential shaping, to set points, without inverting the mechanism:

    B c = bias(q, 0) - ∂V_d/∂q Γ - Kd u,    V = T + V_d,    V̇ = -uᵀ Kd u

M. Takegaki and S. Arimoto, "A new feedback method for dynamic control of manipulators" (1981). Efforts carry what the
mechanism's own potential asks for, gravity and springs, and put another in its place; with V_d = ½ eᵀ Kp e this is PD
control with gravity compensation. The set point stays where it is.

Operational space control: a frame follows a path in space, as if it were a body of its own.

    A F = ẍ* - J̇ u - J M⁻¹ τ₀,    B c = τ₀ + bias + Jᵀ F,    A = J M⁻¹ Jᵀ
    ẍ* = ẍ_r + Kd (ẋ_r - ẋ) + Kp (x_r - x)

O. Khatib, "A unified approach for motion and force control of robot manipulators: the operational space formulation"
(1987). A⁻¹ is the mass Λ that the frame feels like, F the force on it. τ₀ are efforts that a
posture asks for; what of them would move the frame is taken back by F, which is the projection by the dynamically
consistent inverse M⁻¹ Jᵀ Λ, without making it. With damping δ, A + δ 1 is solved in place of A: near singular poses the
frame then lags behind, and efforts stay finite (Y. Nakamura and H. Hanafusa, 1986).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any

from ..dynamics.equations import EquationsOfMotion, mass_factors
from ..dynamics.frame_motion import bias_acceleration, frame_velocity
from ..errors import PolhodeError, listed, shown
from ..expr import Expr, Matrix, Vector, as_expr, free_symbols, gradient, independent_columns, is_zero, symbol
from ..expr.spelling import spelled
from ..formalisms.derivation import Derived
from ..geometry.elimination import factor_symmetric
from ..geometry.rotations.quaternion import conjugate, from_quaternion, product
from ..geometry.rotations.scalars import scaled
from ..laws.controller import named_numbers
from ..laws.law import ControllerState, Reference, integral_name
from ..model.reading import number_of, pose_of
from .lyapunov import ErrorDynamics, LyapunovFunction, quadratic, rate_along
from .model_based import ModelBased, TrackingController, Written, step, tracking


class ComputedTorque(TrackingController):
    """Every coordinate follows its reference, with errors that obey ë + kd ė + kp e = 0.

    Gains are a number for all, one for each in order or by name, or a matrix; `ki` adds an integral. References are
    named as coordinates are; an orientation is wanted as the four components of its unit quaternion.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    >>> c = ComputedTorque(s.derive(), kp=100, kd=20)
    >>> print(c)
    e_x = ref_x - x
    a_v = ref_x'' + kp*e_x + kd*(ref_x' - v)
    tau_v = m*a_v
    >>> print(c.error_dynamics)
    e'' + Kd e' + Kp e = 0: proved, for all values of parameters and states
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kp: Any = None,
        kd: Any = None,
        ki: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        names = self.tracking.names
        self.kp, self.kd = self.gains("kp", kp, names), self.gains("kd", kd, names)
        self.ki = None if ki is None else self.gains("ki", ki, names)
        diagonals = [] if self.ki is None else [_diagonal(gain) for gain in (self.ki, self.kp, self.kd)]
        for name, low, mid, high in zip(names, *diagonals, strict=True) if diagonals else ():
            if low >= mid * high:  # by Routh and Hurwitz
                large = f"the integral gain {low:g} of '{name}' is too large"
                message = f"{large}: errors grow, with kp = {mid:g}, kd = {high:g}."
                raise PolhodeError(message, self.name, f"Give ki below kp kd = {mid * high:g}.", "E-CONTROL-NUMBER")

    def write(self) -> Written:
        """Errors, accelerations and controls."""
        followed = self.tracking
        errors = {step("e", name): error for name, error in followed.errors.items()}
        kept = [symbol(integral_name(name), "state") for name in followed.names] if self.ki else []
        terms = [self.kd.times(followed.rates), self.kp.times(list(errors))]
        if self.ki:
            terms.append(self.ki.times(kept))
        wanted = followed.accelerations_for([-sum(row) for row in zip(*terms, strict=True)])
        accelerations = {step("a", u.name): a for u, a in zip(self.equations.u, wanted, strict=True)}
        states = [ControllerState(x, rate=error) for x, error in zip(kept, errors, strict=False)]
        forces = self.actuation.required(list(accelerations))
        return self._law_of_forces(forces, {**errors, **accelerations}, states, self.kp, self.kd, self.ki)

    @cached_property
    def error_dynamics(self) -> ErrorDynamics:
        """ë + Kd ė + Kp e (+ Ki ∫e) along the closed loop, which is to be zero."""
        errors = list(self.tracking.errors.values())
        first = rate_along(self.equations, self.law, errors)
        second = rate_along(self.equations, self.law, first)
        total = [self.kd.times(first), self.kp.times(errors), second]
        if self.ki:
            total.append(self.ki.times([state.symbol for state in self.law.states]))
        left = [as_expr(sum(row)) for row in zip(*total, strict=True)]
        more = (" + Ki ∫e", r" + K_i \int e\,\mathrm{d}t") if self.ki else ("", "")
        formula = (f"e'' + Kd e' + Kp e{more[0]} = 0", rf"\ddot{{e}} + K_d \dot{{e}} + K_p e{more[1]} = 0")
        return ErrorDynamics(dict(self.tracking.errors), tuple(left), formula, self.tracking.conditions)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = ½ ėᵀė + ½ eᵀ Kp e, which decreases at ėᵀ Kd ė."""
        if self.ki:
            message = "with an integral the error's linear equation is proved, and no Lyapunov function is given."
            raise PolhodeError(message, self.name, "Use error_dynamics.", "E-CONTROL-UNSUPPORTED")
        e, rates = list(self.tracking.errors.values()), self.tracking.rates
        V = (quadratic(Matrix.identity(len(e)), rates) + quadratic(self.kp.matrix, e)) / 2
        return self._prove(
            V,
            quadratic(self.kd.matrix, rates),
            formula=("1/2 e'ᵀe' + 1/2 eᵀ Kp e", r"\tfrac12 \dot{e}^T \dot{e} + \tfrac12 e^T K_p e"),
            rate_formula=("-e'ᵀ Kd e'", r"-\dot{e}^T K_d \dot{e}"),
            conclusion="Errors decay exponentially, for where e' stays zero, Kp e is zero.",
        )


def _diagonal(gains: Any) -> list[float]:
    values: dict[Expr, Any] = {parameter.symbol: parameter.value for parameter in gains.parameters.values()}
    return [float(values[gains.matrix[k][k]]) for k in range(len(gains.matrix))]


class PotentialShaping(ModelBased):
    """The mechanism moves as if its potential energy were `potential`, an expression of coordinates, with damping `kd`.

    >>> import polhode as ph
    >>> s = ph.System("pendulum", gravity=(0, 0, -10))
    >>> m, l = s.parameter("m", 1), s.parameter("l", 1)
    >>> hinge = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["w"])
    >>> c = PotentialShaping(s.derive(), 5 * ph.cos(hinge.q[0]), kd=2)  # it stands on its head
    >>> print(c.lyapunov)
    V = T + V_d
    V' = -uᵀ Kd u: proved, for all values of parameters and states
    V is least at q = 3.142.
    V > 0 but at the goal and W >= 0: checked by number at nominal parameters, not known for others.
    The mechanism comes to rest where V_d has a minimum.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        potential: Any,
        kd: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.actuation.check_full()
        self.potential = number_of(potential, f"{self.name} potential")
        allowed = {*self.equations.q, *(parameter.symbol for parameter in self.equations.system.parameters.values())}
        others = [x for x in free_symbols([self.potential]) if x not in allowed]
        if others:
            message = f"the potential depends on {spelled(others[0])}, which is no coordinate or parameter."
            raise PolhodeError(message, self.name, "Give an expression of equations.q.", "E-CONTROL-DEPENDENCE")
        self.kd = self.gains("kd", kd, [u.name for u in self.equations.u])

    @cached_property
    def _pull(self) -> list[Expr]:
        """∂V_d/∂q Γ: what the wanted potential does on the speeds, reversed."""
        slope = Vector(gradient(self.potential, list(self.equations.q)))
        return [as_expr(entry) for entry in self.equations.kinematic_matrix.T @ slope]

    def write(self) -> Written:
        """Controls that carry the weight, pull and damp."""
        u = list(self.equations.u)
        parts = zip(self.actuation.at_rest(), self._pull, self.kd.times(u), strict=True)
        controls = self.actuation.solved([held - pull - damping for held, pull, damping in parts])
        return Written(controls, parameters=self.kd.parameters)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = T + V_d."""
        conclusion = "The mechanism comes to rest where V_d has a minimum."
        return self._proof(self.potential, ("T + V_d", "T + V_d"), conclusion)

    def _proof(self, potential: Expr, formula: tuple[str, str], conclusion: str) -> LyapunovFunction:
        e, u = self.equations, list(self.equations.u)
        act = self.actuation
        moving = zip(act.required([0] * len(u)), e.coriolis_matrix @ Vector(u), act.at_rest(), strict=True)
        friction = Vector([as_expr(total - natural - still) for total, natural, still in moving])
        rubs = not all(is_zero(x) for x in friction)
        proof = self._prove(
            e.kinetic_energy + potential,
            quadratic(self.kd.matrix, u) + friction.dot(u),
            is_constant=True,
            formula=formula,
            rate_formula=("-uᵀ Kd u - uᵀ d", r"-u^T K_d u - u^T d") if rubs else ("-uᵀ Kd u", r"-u^T K_d u"),
            conclusion=conclusion,
        )
        more = ("the loads d that depend on speeds drive the mechanism, uᵀ d < 0",) if rubs else ()
        return replace(proof, conditions=(*proof.conditions, *more))


class PDGravity(PotentialShaping):
    """Proportional and derivative control of each coordinate, with gravity and springs compensated: to a set point.

    >>> import polhode as ph
    >>> s = ph.System("lift")
    >>> _ = s.joint("z", s.ground, s.body("cab", s.parameter("m", 300)), ph.Prismatic("z"), speeds=["v"])
    >>> c = PDGravity(s.derive(), kp=8000, kd=2000)
    >>> print(c)
    e_z = ref_z - z
    tau_v = kp*e_z - kd*v + 9.81*m
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        kp: Any = None,
        kd: Any = None,
        *,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, 0, kd, inputs=inputs, parameters=parameters)
        self.tracking = tracking(self.equations, 0, self.name)
        self.kp = self.gains("kp", kp, self.tracking.names)

    def write(self) -> Written:
        """Errors, and controls that carry the weight, pull and damp."""
        e = {step("e", name): error for name, error in self.tracking.errors.items()}
        pull = self.tracking.by_speeds.T @ Vector(self.kp.times(list(e)))
        parts = zip(self.actuation.at_rest(), pull, self.kd.times(self.equations.u), strict=True)
        return Written(
            self.actuation.solved([held - gravity - damping for held, gravity, damping in parts]),
            e,
            reference=self.tracking.reference,
            parameters={**self.kp.parameters, **self.kd.parameters},
            conditions=self.tracking.conditions,
            singular=self.tracking.singular,
        )

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = T + ½ eᵀ Kp e."""
        shaped = quadratic(self.kp.matrix, list(self.tracking.errors.values())) / 2
        return self._proof(
            as_expr(shaped),
            ("T + 1/2 eᵀ Kp e", r"T + \tfrac12 e^T K_p e"),
            "The mechanism comes to rest at the set point, for it can rest nowhere else.",
        )


_AXES = ("x", "y", "z")
_TURNS = ("turn x", "turn y", "turn z")
_QUATERNION = ("e0", "e1", "e2", "e3")


class OperationalSpace(ModelBased):
    """The origin of a frame follows references x, y, z in ground components, with errors that obey ë + kd ė + kp e = 0.

    `axes` leaves directions out, "xz" for an arm in that plane. `orientation` is one that the frame is to keep, a
    rotation as joints take it, or "reference": then e0, e1, e2, e3, its unit quaternion, are references too; its gains
    are those of "turn x", "turn y" and "turn z". Freedoms that are left over need `posture_kd`, and may have
    `posture_kp` and `posture`, coordinates to go to: dampers and springs, in units of efforts. `damping` keeps efforts
    finite near singular poses.
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        frame: str,
        kp: Any = None,
        kd: Any = None,
        *,
        axes: str = "xyz",
        orientation: Any = None,
        posture: Mapping[str, Any] | None = None,
        posture_kp: Any = None,
        posture_kd: Any = None,
        damping: Any = 0,
        inputs: Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, inputs=inputs, parameters=parameters)
        self.actuation.check_full()
        e = self.equations
        e.located(frame)
        self.frame = frame
        names = tuple(axes) if isinstance(axes, str | list | tuple) else ()
        if not names or any(axis not in _AXES or names.count(axis) > 1 for axis in names):
            message, cure = f"{shown(axes)} does not name axes of space.", "Give axes='xyz', or fewer."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-NAME")
        self.axes = tuple(axis for axis in _AXES if axis in names)
        self.follows_orientation = isinstance(orientation, str)
        if isinstance(orientation, str) and orientation != "reference":
            cure = 'Give a rotation, or "reference" to have it follow one.'
            raise PolhodeError(f"the orientation {shown(orientation)} is not known.", self.name, cure, "E-CONTROL-NAME")
        is_kept = orientation is not None and not self.follows_orientation
        self._kept = pose_of((0, 0, 0), orientation, f"{self.name} orientation").R if is_kept else None
        turns = _TURNS if orientation is not None else ()
        self.names = (*self.axes, *turns)
        self._rows = [*(3 + _AXES.index(axis) for axis in self.axes), *range(len(turns))]
        self.kp, self.kd = self.gains("kp", kp, self.names), self.gains("kd", kd, self.names)
        reached = independent_columns(self._jacobian.T)
        if len(reached) < len(self.names):
            lost = listed([name for k, name in enumerate(self.names) if k not in reached])
            beside = f" beside {listed(self.names[k] for k in reached)}" if reached else ""
            message = f"'{self.frame}' cannot be moved along {lost}{beside}."
            cure = "Leave directions out: axes='xy', or give no orientation."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-SINGULAR")
        speeds = [u.name for u in e.u]
        self.posture_kd = None if posture_kd is None else self.gains("posture_kd", posture_kd, speeds)
        self.posture_kp = None if posture_kp is None else self.gains("posture_kp", posture_kp, speeds)
        self.posture = self._posture(posture)
        self.damping = named_numbers({"damping": damping}, "option", ["damping"], self.name)["damping"]
        if self.damping < 0:
            cure = "Give a small number, such as 0.01."
            raise PolhodeError(f"the damping {shown(damping)} is negative.", self.name, cure, "E-CONTROL-NUMBER")

    def _posture(self, values: Any) -> dict[str, Fraction]:
        """Set points of coordinates, by name, for the freedoms that the frame leaves; zero where not given."""
        e = self.equations
        left = len(e.u) - len(self.names)
        if left and self.posture_kd is None:
            message = f"'{self.frame}' leaves {left} of the {len(e.u)} freedoms of '{e.system.name}' to themselves."
            cure = "Give posture_kd=… to damp them, and posture_kp=… to bring them to a posture."
            raise PolhodeError(message, self.name, cure, "E-CONTROL-UNSUPPORTED")
        if self.posture_kp is None:
            return {}
        home = {q.name: Fraction(0) for q in self._coordinates()}
        return home | named_numbers(values, "coordinate", home, f"{self.name} posture")

    def _coordinates(self) -> list[Expr]:
        """The coordinate whose rate each speed is."""
        e = self.equations
        by_rate = {rate: q for q, rate in zip(e.q, e.coordinate_rates, strict=True)}
        lacking = [u.name for u in e.u if u not in by_rate]
        if lacking:
            message = f"the speed '{lacking[0]}' is not the rate of a coordinate, which could be brought to a posture."
            raise PolhodeError(message, self.name, "Give posture_kd alone.", "E-CONTROL-UNSUPPORTED")
        return [by_rate[u] for u in e.u]

    @cached_property
    def _jacobian(self) -> Matrix:
        J = self.equations.jacobian(self.frame)
        return Matrix([J[row] for row in self._rows]).map(as_expr)

    @cached_property
    def _columns(self) -> list[Any]:
        """The columns of M⁻¹ Jᵀ."""
        factors = mass_factors(self.equations, self.equations.mass_matrix)
        return [factors.solve(list(row)) for row in self._jacobian]

    @cached_property
    def reference(self) -> tuple[Reference, ...]:
        """The frame's position, its orientation where that is followed, and the posture."""
        e = self.equations
        p = e.pose(self.frame).p
        references = [
            Reference(axis, 2, quantity=as_expr(p[k]), unit="m", position=(self.frame, k))
            for k, axis in enumerate(_AXES)
            if axis in self.axes
        ]
        if self.follows_orientation:
            references += [Reference(name, 2, orientation=self.frame) for name in _QUATERNION]
        coordinates = {q.name: q for q in e.q}
        return (*references, *(Reference(name, 0, value, coordinates[name]) for name, value in self.posture.items()))

    @cached_property
    def _errors(self) -> tuple[list[Expr], list[Expr], list[Expr]]:
        """Errors, their rates (of an orientation: ω_r - ω), and accelerations of the reference."""
        e = self.equations
        p, V = e.pose(self.frame).p, frame_velocity(e, self.frame)
        at = {wanted.name: wanted.symbols for wanted in self.reference}
        errors = [as_expr(at[axis][0] - p[_AXES.index(axis)]) for axis in self.axes]
        rates = [as_expr(at[axis][1] - V[3 + _AXES.index(axis)]) for axis in self.axes]
        forward = [as_expr(at[axis][2]) for axis in self.axes]
        if len(self.names) > len(self.axes):
            R, w = e.pose(self.frame).R, Vector(V[:3])
            if self._kept is None:
                r, rd, rdd = ([at[name][order] for name in _QUATERNION] for order in range(3))
                w_r, alpha_r = (Vector(scaled(2, product(rate, conjugate(r))[1:])) for rate in (rd, rdd))
                R_r = from_quaternion(r)
            else:
                R_r, w_r, alpha_r = self._kept, Vector([0, 0, 0]), Vector([0, 0, 0])
            lacking = Vector([0, 0, 0])
            for column, wanted in zip(R.columns, R_r.columns, strict=True):
                lacking = lacking + column.cross(wanted)
            errors += [as_expr(x / 2) for x in lacking]
            rates += [as_expr(x) for x in w_r - w]
            forward += [as_expr(x) for x in alpha_r]
        return errors, rates, forward

    def write(self) -> Written:
        """Errors, accelerations of the frame, efforts of the posture, the force on the frame, and controls."""
        e, J = self.equations, self._jacobian
        errors, rates, forward = self._errors
        errors_by_step = {step("e", name): error for name, error in zip(self.names, errors, strict=True)}
        terms = zip(forward, self.kd.times(rates), self.kp.times(list(errors_by_step)), strict=True)
        accelerations = {step("a", name): as_expr(sum(term)) for name, term in zip(self.names, terms, strict=True)}
        held, bias = self._held(), bias_acceleration(e, self.frame)
        drift = {step("h", name): as_expr(bias[row]) for name, row in zip(self.names, self._rows, strict=True)}
        efforts = [step("p", u.name) for u in e.u] if held else [as_expr(0)] * len(e.u)
        moved = [Vector(column).dot(efforts) for column in self._columns]
        right = [as_expr(a - h - m) for a, h, m in zip(accelerations, drift, moved, strict=True)]
        feels, A = self._mobility()
        factors = factor_symmetric(A)
        solved = factors.solve(right)
        forces = {step("F", name): as_expr(F) for name, F in zip(self.names, solved, strict=True)}
        pushed = J.T @ Vector(list(forces))
        parts = zip(self.actuation.required([0] * len(e.u)), efforts, pushed, strict=True)
        done = [as_expr(sum(part)) for part in parts]
        gains = [self.kp, self.kd, *(gain for gain in (self.posture_kp, self.posture_kd) if gain)]
        lost = () if self.damping else (f"'{self.frame}' cannot be moved in some direction",)
        return Written(
            self.actuation.solved(done),
            {**errors_by_step, **accelerations, **drift, **held, **feels, **forces},
            reference=self.reference,
            parameters={name: parameter for gain in gains for name, parameter in gain.parameters.items()},
            conditions=lost,
            singular=tuple((words, as_expr(prod(factors.pivots, start=as_expr(1)))) for words in lost),
            errors={name: error for name, error in zip(self.names, errors, strict=True) if name in _TURNS},
        )

    def _mobility(self) -> tuple[dict[Expr, Expr], list[list[Expr]]]:
        """J M⁻¹ Jᵀ, with the damping: steps for its entries, and the matrix of these."""
        J, columns = self._jacobian, self._columns
        steps: dict[Expr, Expr] = {}
        A = [[as_expr(0)] * len(J) for _ in J]
        for i, row in enumerate(J):
            for j in range(i + 1):
                value = as_expr(row.dot(columns[j]) + (self.damping if i == j else 0))
                if not is_zero(value):
                    pair = (self.names[j], self.names[i])
                    A[i][j] = A[j][i] = step("A", ("" if len("".join(pair)) == 2 else " ").join(pair))
                    steps[A[i][j]] = value
        return steps, A

    def _held(self) -> dict[Expr, Expr]:
        """τ₀ = Kp (q_r - q) - Kd u, in steps; none where no freedom is left."""
        e = self.equations
        if self.posture_kd is None or len(e.u) == len(self.names):
            return {}
        forces = [as_expr(-x) for x in self.posture_kd.times(e.u)]
        if self.posture_kp is not None:
            lacking = [Reference(q.name).symbols[0] - q for q in self._coordinates()]
            forces = [as_expr(a + b) for a, b in zip(forces, self.posture_kp.times(lacking), strict=True)]
        return {step("p", u.name): x for u, x in zip(e.u, forces, strict=True)}

    @cached_property
    def error_dynamics(self) -> ErrorDynamics:
        """ė̇ + Kd ė + Kp e along the closed loop; of an orientation, ė is ω_r - ω."""
        errors, rates, _ = self._errors
        second = rate_along(self.equations, self.law, rates)
        left = zip(second, self.kd.times(rates), self.kp.times(errors), strict=True)
        formula = ("e'' + Kd e' + Kp e = 0", r"\ddot{e} + K_d \dot{e} + K_p e = 0")
        named = dict(zip(self.names, errors, strict=True))
        return ErrorDynamics(named, tuple(as_expr(sum(row)) for row in left), formula, self.law.conditions)

    @cached_property
    def lyapunov(self) -> LyapunovFunction:
        """V = ½ ėᵀė + ½ eᵀ Kp e of the position, and of a kept orientation ½ ω² + ½ kp tr(1 - R_rᵀ R) beside it."""
        errors, rates, _ = self._errors
        count = len(self.axes)
        block = Matrix([row[:count] for row in self.kp.matrix[:count]])
        V = (quadratic(Matrix.identity(len(rates)), rates) + quadratic(block, errors[:count])) / 2
        formula = ("1/2 e'ᵀe' + 1/2 eᵀ Kp e", r"\tfrac12 \dot{e}^T \dot{e} + \tfrac12 e^T K_p e")
        if len(self.names) > count:
            turns = {self.kp.matrix[k][k] for k in range(count, count + 3)}
            if self._kept is None or not self.kp.is_diagonal or len(turns) > 1:
                return super().lyapunov
            R = self.equations.pose(self.frame).R
            together = sum(column.dot(wanted) for column, wanted in zip(R.columns, self._kept.columns, strict=True))
            V = V + self.kp.matrix[count][count] * (3 - together) / 2
            turned = " + 1/2 kp tr(1 - R_rᵀR)", r" + \tfrac12 k_p \operatorname{tr}(1 - R_r^T R)"
            formula = (formula[0] + turned[0], formula[1] + turned[1])
        return self._prove(
            V,
            quadratic(self.kd.matrix, rates),
            formula=formula,
            rate_formula=("-e'ᵀ Kd e'", r"-\dot{e}^T K_d \dot{e}"),
            conclusion="The frame's errors go to zero; what its other freedoms do is not said.",
        )
