"""Feedback linearisation: outputs, or the whole state, follow linear equations that are chosen.

A. Isidori, *Nonlinear Control Systems* (1995), sections 4.2, 5.2 and 5.3; C. Mladenova, "Group Theory in the Problems
of Modeling and Control of Multi-Body Systems", (290)-(308). Outputs of vector relative degree r have

    yᵢ^(rᵢ) = bᵢ(x) + Σ Aᵢⱼ(x) cⱼ,     c = A⁻¹ (v - b),     vᵢ = refᵢ^(rᵢ) + Σ kᵢⱼ (refᵢ^(j) - yᵢ^(j))

so that the error of each obeys a linear equation of its own. Where Σ r is the dimension of the state, nothing else
moves; otherwise the rest are the zero dynamics, which are looked at when the law is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ...control_geometry.affine import outputs_of
from ...control_geometry.at_state import Asked
from ...control_geometry.linearizability import Linearizability, linearizability
from ...control_geometry.relative_degree import RelativeDegree, degrees_of
from ...control_geometry.zero_dynamics import ZeroDynamics, zero_dynamics_of
from ...dynamics.equations import EquationsOfMotion
from ...errors import fault_at, warn
from ...expr import (
    Expr,
    as_expr,
    directional,
    evaluate,
    free_symbols,
    is_zero,
    quiet_collector,
    substitute,
    symbol,
)
from ...laws.controller import Controller
from ...laws.law import ControllerState, Law, Reference
from ...linear.operating_point import parameter_values
from ..error_dynamics import ErrorDynamics
from ..lyapunov import closed_loop_flow
from .candidates import linearizing_outputs
from .decoupling import Decoupled, by_decoupling_matrix, further_singular, inputs_of
from .error_coefficients import ErrorCoefficients, error_coefficients, error_equation
from .integrators import ExtendedPlant, extended
from .prolongation import by_prolongation

if TYPE_CHECKING:
    from ...formalisms.derivation import Derived
    from ...linear.operating_point import Values

_PLACE = "feedback_linearize"
fault = fault_at(_PLACE)
#: Expressions with longer texts are not written out in sentences.
_SHORT = 80


class FeedbackLinearization(Controller):
    """A law under which outputs follow linear equations, in symbols; the whole state does where no output is named.

    `outputs` are names or expressions of the state, as many as `inputs`; without any, coordinates are looked for that
    make the whole state linear. Errors decay with `poles` or with `gains` k₀, k₁, …, of which one set serves all
    outputs, or each has its own by name. With `extend`, integrators are put before inputs where that is needed; they
    start where the state `at` has the inputs. At a state that is given the law must exist too.

    >>> import polhode as ph
    >>> s = ph.System("arm", gravity=(0, 0, 0))
    >>> k = s.parameter("k")
    >>> _ = s.joint("j", s.ground, s.body("link", inertia=(1, 1, 2)), ph.Revolute("z"))
    >>> _ = s.motor("j", inertia=3, stiffness=k)
    >>> law = FeedbackLinearization(s.derive())
    >>> law.degrees, law.outputs, law.zero_dynamics.size
    ((4,), {'j': j}, 0)
    >>> law.coordinates["j''"] == k * (s.derive().q[1] - s.derive().q[0]) / 2
    True
    >>> [*law.control], [each.name for each in law.references], law.singular
    (['tau_j rotor'], ['j'], ())
    >>> law.conditions[-1]
    'the span of g, ad_f g, ad_f^2 g, ad_f^3 g has rank 4 of 4.'
    >>> law.error_dynamics.proved, law.error_dynamics.formula[0]
    (True, "e'''' + 4*lambda e''' + 6*lambda**2 e'' + 4*lambda**3 e' + lambda**4 e = 0")
    """

    def __init__(
        self,
        equations: Derived | EquationsOfMotion,
        outputs: Any = None,
        inputs: Sequence[str] | None = None,
        at: Values = None,
        *,
        extend: bool = False,
        poles: Any = None,
        gains: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(equations, parameters=parameters)
        self._asked = Asked(self.equations, inputs, at)
        with quiet_collector():
            self._plant, self._state = self._asked.plant(_PLACE)
            #: The conditions for making the whole state linear, where that was asked for.
            self.linearizability: Linearizability | None = None
            self.degree = self._whole() if outputs is None else self._degree(self._named(outputs), extend)
            _check(self.degree)
            self._errors = self._error_coefficients(poles, gains)
        #: What the user should know: zero dynamics that are unstable or that eigenvalues do not decide.
        self.notices = self._looked_at()

    # ---- the questions -------------------------------------------------------------------------------------------

    def _named(self, outputs: Any) -> dict[str, Expr]:
        return outputs_of(self._plant, outputs)

    def _whole(self) -> RelativeDegree:
        self.linearizability = linearizability(self._plant, self._state)
        return replace(linearizing_outputs(self._plant, self.linearizability), state=self._state)

    def _degree(self, outputs: dict[str, Expr], extend: bool) -> RelativeDegree:
        count = len(self._plant.inputs)
        if len(outputs) != count:
            raise fault(
                f"{count} inputs are to make {len(outputs)} outputs linear.",
                "Give as many outputs as inputs, and name the inputs: inputs=[…].",
                "E-FEEDBACK-012",
            )
        found = degrees_of(self._plant, outputs, self._state)
        return extended(self._plant, outputs, self._state) if extend and not found.exists else found

    def _error_coefficients(self, poles: Any, gains: Any) -> ErrorCoefficients:
        degrees = [degree or 0 for degree in self.degree.degrees]
        return error_coefficients([*self.outputs], degrees, poles, gains, _PLACE)

    def _looked_at(self) -> tuple[str, ...]:
        if self._starts_singular():
            told = "the integrators start where the law does not hold; say where inputs are: at={…}."
            warn(f"{self.name}: {told}", code="W-FEEDBACK-002")
            return (told,)
        if self.degree.total == self.degree.size:
            return ()
        left = self.zero_dynamics
        if left.is_stable is None:
            told = (
                f"{_counted(left.size)} not made linear, and eigenvalues do not tell whether what is left stays bounded"
            )
            return (f"{told}.", *left.notices)
        if left.is_stable:
            return ()
        worst = max(left.eigenvalues if left.eigenvalues is not None else [0j], key=lambda x: x.real)
        told = (
            f"the zero dynamics are unstable: while the outputs follow, what else moves leaves its rest as "
            f"exp({worst.real:.4g} t)."
        )
        warn(f"{self.name}: {told}", code="W-FEEDBACK-001")
        return (told,)

    def _starts_singular(self) -> bool:
        plant = self.degree.plant
        if not isinstance(plant, ExtendedPlant):
            return False
        starts = {each.symbol: each.start for each in plant.integrators}
        return any(map(is_zero, substitute(self.degree.singular, starts)))

    # ---- what was found ------------------------------------------------------------------------------------------

    @property
    def outputs(self) -> dict[str, Expr]:
        """The outputs by name."""
        return self.degree.outputs

    @property
    def degrees(self) -> tuple[int, ...]:
        """The relative degree of each output, after integrators if there are any."""
        return tuple(degree or 0 for degree in self.degree.degrees)

    @property
    def singular(self) -> tuple[Expr, ...]:
        """The law does not exist where one of these vanishes."""
        return (*self.degree.singular, *self._further_singular)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Where the law does not hold, and which conditions for making the whole state linear hold, in words."""
        told = tuple(f"The law does not hold where {each}." for each in self._where_not)
        return (*told, *(self.linearizability.sentences if self.linearizability is not None else ()))

    @property
    def _vanishing(self) -> tuple[tuple[str, Expr], ...]:
        """Where the law does not hold in words, each with what vanishes there."""
        told = [(f"{_text(each)}, as the decoupling matrix is singular there", each) for each in self.degree.singular]
        further = [(f"{_text(each)}, as the law divides by that pivot", each) for each in self._further_singular]
        return (*told, *further)

    @property
    def _where_not(self) -> tuple[str, ...]:
        return tuple(words for words, _ in self._vanishing)

    @cached_property
    def zero_dynamics(self) -> ZeroDynamics:
        """What still moves when the outputs are held."""
        with quiet_collector():
            degree, plant = self.degree, self.degree.plant
            here = self._state or self._asked.state(_PLACE)
            here = plant.state(here) if isinstance(plant, ExtendedPlant) else here
            if degree.total < degree.size:
                offsets = here.exact([*degree.outputs.values()])
                held = {name: as_expr(y - y0) for (name, y), y0 in zip(degree.outputs.items(), offsets, strict=True)}
                degree = degrees_of(plant, held, degree.state)
            return zero_dynamics_of(degree, here)

    @property
    def coordinates(self) -> dict[str, Expr]:
        """The coordinates that follow linear equations: each output and its derivatives below its degree."""
        chains = zip(self.outputs, self._decoupled.chain, strict=True)
        return {name + "'" * order: entry for name, chain in chains for order, entry in enumerate(chain)}

    @property
    def control(self) -> dict[str, Expr]:
        """The controls by the names of the inputs."""
        return {name: self.law.controls[x] for name, x in self._plant.inputs.items()}

    @cached_property
    def error_dynamics(self) -> ErrorDynamics:
        """e^(r) + … + k₁ ė + k₀ e of each output along the closed loop, which is to be zero."""
        errors = {wanted.name: as_expr(wanted.symbols[0] - self.outputs[wanted.name]) for wanted in self.references}
        residuals, equations = [], []
        with quiet_collector():
            flow = closed_loop_flow(self.equations, self.law)
            for (name, error), row in zip(errors.items(), self._errors.coefficients, strict=True):
                chain = [error]
                for _ in row:
                    chain += directional(chain[-1:], flow)
                residuals.append(as_expr(sum((k * e for k, e in zip(row, chain, strict=False)), start=chain[-1])))
                equations.append(error_equation(row, name if len(errors) > 1 else ""))
        text, typeset = zip(*equations, strict=True)
        formula = ", ".join(text), r", \quad ".join(typeset)
        return ErrorDynamics(errors, tuple(residuals), formula, self.law.conditions)

    def _sentences(self) -> list[str]:
        return [*super()._sentences(), *self.notices]

    # ---- the law -------------------------------------------------------------------------------------------------

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """The wanted curves, each with as many derivatives as its output's degree."""
        return tuple(
            Reference(name, degree, quantity=y)
            for (name, y), degree in zip(self.outputs.items(), self.degrees, strict=True)
        )

    @cached_property
    def _wanted(self) -> list[Expr]:
        """Symbols for v, the wanted highest derivatives."""
        return [symbol(f"v {name}", "wanted") for name in self.outputs]

    @cached_property
    def _decoupled(self) -> Decoupled:
        with quiet_collector():
            return by_prolongation(self.degree, self._wanted) or by_decoupling_matrix(self.degree, self._wanted)

    @cached_property
    def _further_singular(self) -> list[Expr]:
        return further_singular(self.degree, self._decoupled)

    def _highest(self) -> list[Expr]:
        """v: the reference's highest derivative, and errors times their coefficients."""
        made = []
        for wanted, chain, row in zip(self.references, self._decoupled.chain, self._errors.coefficients, strict=True):
            total = wanted.symbols[-1]
            for k, r, y in zip(row, wanted.symbols, chain, strict=False):
                total = total + k * (r - y)
            made.append(as_expr(total))
        return made

    def design(self) -> Law:
        """c = A⁻¹ (v - b), and the integrators."""
        with quiet_collector():
            plant, found = self.degree.plant, self._decoupled
            values = dict(zip(self._wanted, self._highest(), strict=True))
            if isinstance(plant, ExtendedPlant):
                own = dict(zip(plant.channels, substitute(found.channels, values), strict=True))
                controls = dict(zip(plant.controls, substitute([*plant.controls.values()], own), strict=True))
                known = parameter_values(self.equations, None)
                rates = substitute([each.rate for each in plant.integrators], own)
                states = tuple(
                    ControllerState(each.symbol, _number(each.start, known), rate)
                    for each, rate in zip(plant.integrators, rates, strict=True)
                )
            else:
                made = substitute(inputs_of(plant, found), values)
                controls, states = dict(zip(plant.inputs.values(), made, strict=True)), ()
            return Law(
                controls,
                states,
                self.references,
                parameters=self._errors.parameters,
                conditions=self._where_not,
                singular=self._vanishing,
            )


def _check(degree: RelativeDegree) -> None:
    if not degree.exists:
        cure = "Put integrators before inputs that appear too early, extend=True, or take other outputs."
        raise fault(
            f"there is {str(degree).rstrip('.')}.",
            "Take other outputs." if None in degree.degrees else cure,
            "E-FEEDBACK-014",
        )
    if degree.exists_at is False:
        raise fault(
            f"the law does not exist at the given state: {str(degree).rstrip('.')}.",
            "Take other outputs, or a state away from there.",
            "E-FEEDBACK-015",
        )


def _counted(count: int) -> str:
    return "one state is" if count == 1 else f"{count} states are"


def _text(each: Expr) -> str:
    text = str(each)
    return f"{text} = 0" if len(text) < _SHORT and "…" not in text else "its determinant vanishes"


def _number(value: Expr, known: Mapping[Expr, float]) -> Fraction:
    """An integrator's start: a number, or an expression of parameters that have values."""
    if value.is_number:
        return Fraction(value.data)
    return Fraction(evaluate([value], dict(known))[0]) if known.keys() >= {*free_symbols([value])} else Fraction(0)
