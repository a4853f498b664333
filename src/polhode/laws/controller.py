"""What every controller is: a mechanism, the law that was designed for it, and what can be done with that.

A controller of one's own is a subclass with one method, `design`, which returns a `Law`. Whatever is done with laws
(runs in continuous time or sampled, source code, proofs) is then done with it too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..dynamics.equations import EquationsOfMotion
from ..dynamics.synopsis import joints_of_one_speed
from ..errors import PolhodeError, by_name, check_kind, check_pickles, shown, unknown, warn
from ..expr import Expr
from ..expr.spelling import spelled
from ..expr.typeset import Typeset
from ..formalisms.derivation import Derived, record_of
from ..model.reading import number_of
from ..model.unit import si_values
from .law import Law
from .named_symbols import Named, Range, limits_of, rated_efforts, saturated, told_unlimited

if TYPE_CHECKING:
    from ..compiled.law_function import LawFunction


class Controller(Typeset, ABC):
    """A controller of a mechanism: its `equations`, and nominal values of `parameters` that are not the model's.

    In time it is continuous, or asked every `sample_time` seconds; the `discretisation` steps its states, "euler" or
    "rk4". Source is written into the folder `path`, names with a `prefix`.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
    >>> class Brake(Controller):
    ...     def design(self):
    ...         return Law({tau: -3 * u for tau, u in zip(self.equations.tau, self.equations.u)})
    >>> brake = Brake(s.derive())
    >>> brake.law.controls, brake.name, brake.design().is_static
    ({tau_v: -3*v}, 'Brake', True)
    >>> brake.nominal_law.parameters  # a law with the mass in it would have 'nominal m'
    {}
    >>> brake.law_within({}) is brake.nominal_law  # an observer's would know the limits
    True
    >>> from tempfile import mkdtemp
    >>> [path.suffix for path in brake.export("numpy", mkdtemp())]
    ['.py', '.json']
    """

    def __init__(self, equations: Derived | EquationsOfMotion, *, parameters: Mapping[str, Any] | None = None) -> None:
        self.equations = record_of(equations, self.name)
        self.nominal = nominal_values(self.equations, parameters, self.name)

    @property
    def name(self) -> str:
        """What the controller is called in sentences."""
        return type(self).__name__

    @abstractmethod
    def design(self) -> Law:
        """The law, with the mechanism's own symbols and parameters."""

    @cached_property
    def law(self) -> Law:
        """The law as it was designed, with the mechanism's own parameters: to be read, and to prove things of."""
        made = self.design()
        check_kind(Law, "a law", made, f"{self.name}.design")
        _check_gains(made, self.equations, self.name)
        return made

    @cached_property
    def nominal_law(self) -> Law:
        """The law with nominal parameters of its own for those of the mechanism: what a run and source code take."""
        return self.law.with_nominal(self.equations.system.parameters, self.nominal)

    def law_within(self, limits: Mapping[Expr, Range]) -> Law:
        """The nominal law for controls that are kept within limits, by others than the law."""
        return self.nominal_law

    def compile(
        self,
        *,
        sample_time: float | None = None,
        discretisation: str = "euler",
        limits: Any = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> LawFunction:
        """The law as a native function of what is measured and wanted, for loops of one's own; one state or a batch.

        Where the controller has states, it gives them at the next sample too. `limits` are those of controls, as in
        `simulate`: numbers, or "model".

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> _ = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"), speeds=["v"])
        >>> class Brake(Controller):
        ...     def design(self):
        ...         return Law({tau: -3 * u for tau, u in zip(self.equations.tau, self.equations.u)})
        >>> f = Brake(s.derive()).compile()
        >>> f(u=[2.0]), f({"v": [1.0, 2.0]}).tolist()
        (array([-6.]), [[-3.0], [-6.0]])
        """
        from ..compiled.law_function import LawFunction

        law, _ = limited_law(self, limits)
        return LawFunction(law, self.equations, sample_time, discretisation, parameters)

    def export(
        self,
        target: str,
        path: str | Path,
        *,
        prefix: str | None = None,
        sample_time: float | None = None,
        discretisation: str = "euler",
        limits: Any = None,
    ) -> list[Path]:
        """Write the law as source code for a target such as `c`, without dependencies; see `compiled.law_export`.

        The sample time is a parameter of the set-up where states of the controller have rates. `limits` are those of
        controls, as in `simulate`: numbers, or "model".
        """
        from ..compiled.law_export import export_law

        how: dict[str, Any] = {"prefix": prefix, "sample_time": sample_time, "discretisation": discretisation}
        law, kept = limited_law(self, limits)
        return export_law(law, self.name, self.equations, target, path, limits=kept, **how)

    def __getstate__(self) -> dict[str, Any]:
        check_pickles(vars(self), self.name)
        return vars(self)

    @property
    def _readable(self) -> int:
        return self.law._readable

    def _formulas(self) -> list[tuple[str, Expr]]:
        return self.law._formulas()

    def _names(self) -> dict[Expr, str]:
        return self.law._names()

    def _sentences(self) -> list[str]:
        return self.law._sentences()

    def __repr__(self) -> str:
        controls = ", ".join(map(spelled, self.law.controls))
        return f"{self.name}({controls} of '{self.equations.system.name}')"


def _check_gains(law: Law, equations: EquationsOfMotion, place: str) -> None:
    """Refuse gains with names of the mechanism's parameters: a run could not tell which of the two a value is for."""
    both = [name for name in law.parameters if name in equations.system.parameters]
    if both:
        raise PolhodeError(
            f"the gain '{both[0]}' has the name of a parameter of '{equations.system.name}'.",
            place=place,
            cure="Give that parameter another name.",
            code="E-CONTROL-122",
        )


def nominal_values(equations: EquationsOfMotion, given: Any, place: str) -> dict[str, Fraction]:
    """What a controller or observer takes parameters of the mechanism to be, where that is not as in the model."""
    table = equations.system.parameters
    return named_numbers(si_values(table, given), "parameter", table, f"{place} parameters")


def named_numbers(given: Any, kind: str, known: Collection[str], place: str) -> dict[str, Fraction]:
    """Exact numbers by names that are known; none where nothing is given."""
    found: dict[str, Fraction] = {}
    for name, value in by_name(given, place, f"a dictionary of numbers by the names of {kind}s").items():
        if name not in known:
            raise unknown(kind, name, known, place=place, code="E-CONTROL-240")
        made = number_of(value, f"{place} '{name}'")
        if not made.is_number:
            raise PolhodeError(
                f"{shown(value)} for '{name}' is not a number.",
                place=place,
                cure="Give a number.",
                code="E-CONTROL-241",
            )
        found[name] = Fraction(made.data)
    return found


def limited_law(controller: Controller, given: Any) -> tuple[Law, dict[Expr, Range]]:
    """The nominal law with its controls within limits, given as in `simulate`, and what these are.

    Parameters of the mechanism in limits of the model are nominal ones too.
    """
    equations, law = controller.equations, controller.nominal_law
    if given is None:
        return law, {}
    named = Named.controls(law, joints_of_one_speed(equations))
    limits = limits_of(given, named, rated_efforts(equations.system))
    told = told_unlimited(given, named, limits)
    if told:
        warn(f"{controller.name}: {told}", code="W-LOOP-001")
    law = controller.law_within(limits)
    kept = replace(law, controls={x: saturated(value, limits.get(x)) for x, value in law.controls.items()})
    return kept.with_nominal(equations.system.parameters, controller.nominal), limits
