"""What all parts of Equations stand on: the derivation, its record, and the functions that runs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from inspect import CO_VARKEYWORDS
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..formalisms.derivation import Derivation

if TYPE_CHECKING:
    from ..compiled.functions import Functions
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr


def _reading(method: FunctionType, position: int) -> Callable[..., Any]:
    """A method whose `parameters`, by name or at a position, are in SI units before anything else sees them."""

    @wraps(method)
    def read(self: Any, *given: Any, **options: Any) -> Any:
        if options.get("parameters"):
            options["parameters"] = _in_si(self, options["parameters"])
        elif position < len(given):
            given = (*given[:position], _in_si(self, given[position]), *given[position + 1 :])
        return method(self, *given, **options)

    return read


def _in_si(equations: Derived, given: Any) -> Any:
    from ..model.unit import si_values

    return si_values(equations.derivation.model.parameters, given)


@dataclass(frozen=True, repr=False)
class Derived:
    """A derivation and what follows from it alone.

    What `Equations` give, by name:

    >>> import polhode as ph
    >>> s = ph.System("pendulum")
    >>> m, l = s.parameter("m", 2), s.parameter("l", 1)
    >>> _ = s.joint("q", s.ground, s.body("bob", m, com=(0, 0, -l)), ph.Revolute("y"), speeds=["u"])
    >>> e = s.derive()
    >>> e.coordinates, e.speeds, e.states, e.q, e.u, e.z, e.tau, e.udot
    (['q'], ['u'], [], Vector([q]), Vector([u]), Vector([]), Vector([tau_u]), Vector([u']))
    >>> e.mass_matrix, e.inverse_mass_matrix, e.coriolis_matrix, e.bias == e.gravity_terms
    (Matrix([[l**2*m]]), Matrix([[1/(l**2*m)]]), Matrix([[0]]), True)
    >>> e.inverse_dynamics, e.forward_dynamics == e.accelerations, e.forcing, e.efforts
    (Vector([981*l*m*sin(q)/100 + l**2*m*u']), True, Vector([tau_u - 981*l*m*sin(q)/100]), Vector([tau_u]))
    >>> e.kinetic_energy, e.potential_energy, e.mass_moment[0], e.state_rates[0], e.z_rates, e.momentum[1][0]
    (l**2*m*u**2/2, -981*l*m*cos(q)/100, m, u, Vector([]), -l*m*u*cos(q))
    >>> e.formalism, e.passes, e.system.name, e.tree.speeds, "m" in e.symbols, e.constraints, e.dependent_speeds
    ('auto', None, 'pendulum', ['u'], True, None, None)
    >>> e.agrees_with(s.derive("kane")), "l^{2}" in e.latex("M"), e.operations("bias").total, e.record.mass_matrix
    (True, True, 1, Matrix([[l**2*m]]))
    >>> e.simulate(1, start={"q": 0.1}).status, e.sweep({"l": [1, 2]}, 1, workers=1).shape
    ('done', (2,))
    >>> e.reaction("q").force[1], list(e.power().ports), e.assemble({"q": 1}).q.tolist()
    (0, ['effort u'], [1.0])
    >>> e.dropped
    Dropped(nothing was dropped)
    >>> q, u = e.stepper(dt=0.1).step()
    >>> len(e.sensitivities(1, ["l"], start={"q": 0.1}).t)
    201
    >>> list(e.gradient(1, ["l"], of=e.q[0], start={"q": 0.1}))
    ['l']
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     [path.name for path in e.export("c", folder)][:2]
    ['pendulum_forward_dynamics.h', 'pendulum_forward_dynamics.c']

    Constraints and prescribed motions have their own:

    >>> _ = s.constrain_speed(e.u[0] - ph.sin(s.time))
    >>> e = s.derive()
    >>> len(e.multipliers), len(e.constraint_pivots), e.stabilisation_rate, len(e.stabilised_dynamics)
    (1, 1, alpha_stabilisation, 1)
    >>> s = ph.System("crank")
    >>> _ = s.joint("q", s.ground, s.body("crank", 0, inertia=(1, 1, 1)), ph.Revolute("y"))
    >>> _ = s.prescribe("q", ph.sin(s.time))
    >>> s.derive().driving_force("q")
    -sin(t)
    """

    def __init_subclass__(cls) -> None:
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and not name.startswith("_"):
                code = method.__code__
                taken = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
                if "parameters" in taken or code.co_flags & CO_VARKEYWORDS:
                    setattr(cls, name, _reading(method, (*taken, "parameters").index("parameters") - 1))

    derivation: Derivation

    @property
    def record(self) -> EquationsOfMotion:
        """The equations as the formalism gave them: graphs only."""
        return self.derivation.equations

    @cached_property
    def _functions(self) -> Functions:
        """The functions that runs share, compiled or loaded once."""
        from ..compiled.functions import Functions

        return Functions(self.derivation)

    def native_function(
        self, variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
    ) -> Callable[..., Any]:
        """Expressions, the `roots`, as one native function of an array (…, variables); all other symbols are `known`.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> x = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
        >>> e, v = s.derive(), x.u[0]
        >>> energy = e.native_function([v], [e.kinetic_energy, v], {e.system.parameters["m"].symbol: 2.0})
        >>> energy([[1.0], [3.0]]).tolist()
        [[1.0, 1.0], [9.0, 3.0]]
        """
        import numpy as np

        from ..codegen.plan import plan
        from ..errors import understood
        from ..expr import Expr, as_expr
        from ..native import compile_program

        place, cure = "native_function", "Give a list of symbols, a list of expressions, and values by symbols."
        with understood("what a function is made of", (variables, roots, known), place=place, cure=cure):
            made, values = [as_expr(root) for root in roots], {x: float(value) for x, value in dict(known).items()}
            if not all(isinstance(x, Expr) for x in (*variables, *values)):
                raise TypeError
        program = plan("values", [("x", list(variables))], [("y", (len(made),), made)], list(values))
        return compile_program(program, parameters=np.array([*values.values()], dtype=np.float64))

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        from .notebook_equations import bundle_of

        return bundle_of(self)  # type: ignore[arg-type] # nobody holds a Derived but as Equations
