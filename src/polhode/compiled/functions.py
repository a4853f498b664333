"""Functions: the equations of a derivation as native functions of NumPy arrays.

Each function is planned and compiled when it is first called. Arrays may be one state or a batch with a leading axis.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Never, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..calls import public_functions
from ..codegen.ir.program import Program
from ..compiled import reactions
from ..errors import PolhodeError, ValueMissing, by_name, check_kind, name_list, no_attribute, understood, unknown
from ..formalisms.derivation import Derivation
from ..native import compile_program
from ..native.arrays import stretch, unit_quaternions
from ..native.backends import check_backend
from .catalogue import Planned, catalogued, plan_of
from .quantities import (
    BiasAccelerationOf,
    DrivingForceOf,
    FrameAccelerationOf,
    FrameVelocityOf,
    FunctionKey,
    JacobianOf,
    PoseOf,
    ReactionOf,
    label_of,
)
from .store import StoredFunction
from .values import check_lengths, counted, given_states, in_si, parameter_sets, real_numbers, stacked

if TYPE_CHECKING:
    from typing import Unpack

    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from ..formalisms.derivation import Derivation
    from .closed_loop import Laws
    from .store import Facts, StoredFunction
    from .values import CallOptions, TimeOptions

Floats: TypeAlias = NDArray[np.float64]


#: What a function takes besides its arrays, and inverse_dynamics beyond that.
_OPTIONS = ("z", "t", "inputs", "multipliers", "parameters", "actuated")
#: Functions with so many sets of laws are kept for the next call.
_MOST_LAWS = 8
#: What other libraries, and the equations, call what is here or there.
_ELSEWHERE = {
    "rnea": "f.inverse_dynamics(q, u, udot)", "aba": "f.forward_dynamics(q, u, tau)", "crba": "f.mass_matrix(q)",
    "forward_kinematics": 'f.pose("tool", q)', "nonlinear_effects": "f.bias(q, u)",
    "simulate": "a method of the equations: equations.simulate(…)",
    "inverse_kinematics": "a method of the equations: equations.inverse_kinematics(…)",
}  # fmt: skip


@public_functions
class Functions:
    """Compiled functions of the equations of one derivation. They pickle: as the derivation and these options.

    Arrays are q, u, z, efforts `tau` and accelerations `udot`; options the time `t`, `inputs` and `parameters` by name,
    `multipliers` of constraints, for reactions `at`, `frame` and `on`; fixed steps can `normalise` quaternions.

    >>> import polhode as ph
    >>> s = ph.System("slider")
    >>> m = s.parameter("m", 2)
    >>> _ = s.joint("x", s.ground, s.body("block", mass=m), ph.Prismatic("x"))
    >>> f = s.derive().compile()
    >>> f.forward_dynamics([0.0], [0.0], [6.0]).tolist()
    [3.0]
    >>> f.forward_dynamics([0.0], [0.0], [6.0], parameters={"m": 3}).tolist()
    [2.0]
    """

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise for unknown functions, with our name for those of other libraries."""
            raise no_attribute(self, name, _ELSEWHERE)

    def __init__(
        self,
        derivation: Derivation,
        *,
        bake: bool = False,
        cache: bool = True,
        backend: str = "auto",
        laws: Laws | None = None,
    ) -> None:
        check_backend(backend)
        self.derivation = derivation
        self.bake, self.laws = bake, laws
        self._options: dict[str, Any] = {"cache": cache, "backend": backend}
        self._plans: dict[FunctionKey, Planned] = {}
        self._stored: dict[FunctionKey, StoredFunction] = {}
        self._compiled: dict[FunctionKey, Any] = {}
        self._defaults: dict[FunctionKey, Any] = {}
        self._driven: dict[str, Functions] = {}
        self._quaternions: tuple[int, ...] | None = None

    def __repr__(self) -> str:
        return f"Functions('{self.derivation.synopsis.system}')"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Functions, bake=self.bake, laws=self.laws, **self._options), (self.derivation,)

    @property
    def equations(self) -> EquationsOfMotion:
        """The equations, derived when they are first needed."""
        return self.derivation.equations

    def keeping(self, rows: Sequence[int]) -> Functions:
        """The functions of the same equations with some rows of the constraints alone.

        functions.keeping([0, 2])
        """
        return Functions(self.derivation.keeping(rows), bake=self.bake, laws=self.laws, **self._options)

    def driven(self, laws: Laws | Mapping[Expr, Any]) -> Functions:
        """The same functions with laws, expressions of time and state, in place of some efforts and inputs."""
        from .closed_loop import Laws, laws_of

        put_in = laws if isinstance(laws, Laws) else laws_of(self.equations, laws)
        return self._kept(put_in.digest, self.derivation, put_in)

    def of(self, derivation: Derivation) -> Functions:
        """The functions of another derivation, with the same options; kept for the next call."""
        check_kind(Derivation, "a derivation, as equations.derivation is", derivation, "of")
        return self._kept(derivation.key, derivation, None)

    def _kept(self, key: str, derivation: Derivation, laws: Laws | None) -> Functions:
        if key not in self._driven:
            if len(self._driven) >= _MOST_LAWS:
                self._driven.pop(next(iter(self._driven)))
            self._driven[key] = Functions(derivation, bake=self.bake, laws=laws, **self._options)
        return self._driven[key]

    def planned(self, name: FunctionKey) -> Planned:
        """The plan of a function, computed at its first use."""
        catalogued(name)
        if self._options["cache"]:
            return self._stored_function(name).plan()
        if name not in self._plans:
            self._plans[name] = plan_of(self.equations, name, self.bake, laws=self.laws)
        return self._plans[name]

    def program(self, name: FunctionKey) -> Program:
        """The program of a function."""
        return self.planned(name).program

    def native(self, name: FunctionKey) -> Any:
        """The compiled form of a function, as the runtime has it."""
        try:
            return self._compiled[name]
        except (KeyError, TypeError):
            catalogued(name)
        if name not in self._compiled:
            if self._options["cache"] and self._options["backend"] in ("auto", "llvm"):
                self._compiled[name] = self._stored_function(name).compiled(self._options["backend"])
            else:
                self._compiled[name] = self.compiled(self.program(name))
        return self._compiled[name]

    def _stored_function(self, name: FunctionKey) -> StoredFunction:
        return self._stored.setdefault(name, StoredFunction(self.derivation, name, self.bake, self.laws))

    def _facts(self, name: FunctionKey) -> Facts | None:
        """What is known of a stored function without equations."""
        try:
            return self._stored[name].facts
        except (KeyError, TypeError):
            return None

    def compiled(self, program: Program) -> Any:
        """A program of one's own in the compiled form that these functions have."""
        return compile_program(program, **self._options)

    # ---- values ----------------------------------------------------------------------------------------------

    def parameter_values(self, name: FunctionKey, given: Mapping[str, Any] | None = None) -> Floats:
        """The parameters of a function in its order: given values first, then the model's defaults."""
        facts = self._facts(name)
        if facts and isinstance(given, Mapping | None) and not given and None not in facts.parameters.values():
            return np.array(list(facts.parameters.values()), dtype=np.float64)
        catalogued(name)
        return self.values_of(tuple(facts.parameters) if facts else self.planned(name).parameters, given)

    def values_of(self, order: Sequence[str], given: Mapping[str, Any] | None = None) -> Floats:
        """Parameters in an order: given values first, then the model's defaults."""
        table = self.derivation.model.parameters
        given = {key: counted(key, value) for key, value in in_si(table, by_name(given, "parameters")).items()}
        with understood("a list of names", order, place="parameters"):
            strange = [key for key in (*given, *order) if key not in table]
        if strange:
            raise unknown("parameter", strange[0], table, place="parameters", code="E-VALUE-NAME")
        missing = [key for key in order if key not in given and table[key].value is None]
        if missing:
            raise ValueMissing(
                f"{'parameter' if len(missing) == 1 else 'parameters'} "
                f"{', '.join(repr(key) for key in missing)} of system '{self.derivation.model.name}' "
                f"{'has' if len(missing) == 1 else 'have'} no value.",
                place="parameters",
                cure=f"Give parameters={{{missing[0]!r}: …}}, or a default in the model.",
                code="E-VALUE-MISSING",
            )
        return parameter_sets({key: given.get(key, table[key].value) for key in order}, given)

    def input_values(self, given: Mapping[str, Any] | ArrayLike | None = None) -> Floats:
        """The inputs as an array, the model's defaults where none is given."""
        table = self.derivation.synopsis.inputs
        if given is not None and not isinstance(given, Mapping):
            return real_numbers(given, "inputs")
        given = dict(given or {})
        for key in given:
            if key not in table:
                raise unknown("input", key, table, place="inputs", code="E-VALUE-NAME")
        if not table:
            return np.zeros(0)
        if any(isinstance(value, str) for value in given.values()):
            given = in_si(self.derivation.model.inputs, given)
        return stacked([real_numbers(given.get(key, value), f"input '{key}'") for key, value in table.items()])

    def evaluate(
        self,
        name: FunctionKey,
        *arrays: ArrayLike,
        z: Mapping[str, Any] | ArrayLike | None = None,
        t: ArrayLike = 0.0,
        inputs: Mapping[str, Any] | ArrayLike | None = None,
        multipliers: ArrayLike | str | None = None,
        parameters: Mapping[str, Any] | None = None,
        **strange: Never,
    ) -> Any:
        """A function of its arrays in the order of the catalogue: its output, or a tuple where there are several.

        Quaternions of any length stand for the orientation that they have at unit length. Where first-order states
        enter, `z` must be given, as an array or by name. Where the forces of constraints enter, `multipliers` must be:
        an array, one for each row of them, or "zero".
        """
        if strange:
            catalogued(name)
            raise unknown("option", next(iter(strange)), _OPTIONS, place=label_of(name), code="E-CALL-NAME")
        if isinstance(parameters, Mapping) and not parameters:
            parameters = None
        native = self._with_defaults(name) if parameters is None else self.native(name)
        extra = native.arrays[len(arrays) :]
        if z is not None or "z" in extra:  # where it makes no difference it must be one all the same
            names = list(self.derivation.synopsis.states)
            is_fit = type(z) is np.ndarray and z.dtype == np.float64 and z.shape[-1:] == (len(names),)
            states: Floats = np.asarray(z) if is_fit else given_states(names, label_of(name), z)
        if extra:
            computed: dict[str, Callable[[], Floats]] = {
                "z": lambda: states,
                "t": lambda: real_numbers(t, "t")[..., None],
                "inputs": lambda: self.input_values(inputs),
                "multipliers": lambda: self._given_multipliers(name, multipliers),
            }
            arrays = (*arrays, *(computed[array]() for array in extra if array in computed))
        values = None if parameters is None else self.parameter_values(name, parameters)
        if parameters:
            from ..model.body import check_values

            check_values(self.derivation.model, parameters)
        if values is not None and values.ndim == 2:
            check_lengths(parameters, len(values), dict(zip(native.arrays, arrays, strict=False)))
        if self._quaternions is None:
            facts = self._facts(name)  # a function out of the cache needs no equations
            self._quaternions = facts.quaternions if facts else tuple(self.equations.quaternions)
        if not (self._quaternions and arrays):
            return native(*arrays) if values is None else native(*arrays, parameters=values)
        q, lengths = unit_quaternions(arrays[0], self._quaternions)
        result = native(q, *arrays[1:], parameters=values)
        if lengths:
            outputs = result if isinstance(result, tuple) else (result,)
            for entries, (output, shape) in zip(outputs, native.outline.outputs, strict=True):
                if output in catalogued(name).rates:
                    stretch(entries, len(shape), self._quaternions, lengths)
        return result

    def _given_multipliers(self, name: FunctionKey, multipliers: ArrayLike | str | None) -> Floats:
        """Multipliers for the rows of the constraints, as they are given."""
        constraints = self.equations.constraints
        rows = [] if constraints is None else constraints.names
        if multipliers is None or (isinstance(multipliers, str) and multipliers != "zero"):
            raise PolhodeError(
                "with constraints the efforts depend on their multipliers λ, as τ = M u̇ + bias - Aᵀλ."
                if multipliers is None
                else f"multipliers is {multipliers!r}, which is no number.",
                place=label_of(name),
                cure=f'Give multipliers=[…] ({len(rows)} of them) or multipliers="zero"; inverse_dynamics also takes '
                "actuated=[…], the speeds that efforts act on.",
                code="E-CODE-MISSING",
            )
        return np.zeros(len(rows)) if isinstance(multipliers, str) else real_numbers(multipliers, "multipliers")

    def _with_defaults(self, name: FunctionKey) -> Any:
        """The compiled function with the model's own parameter values."""
        try:
            return self._defaults[name]
        except (KeyError, TypeError):
            catalogued(name)
        native = self.native(name)
        values = self.parameter_values(name)
        self._defaults[name] = native.with_parameters(values) if len(values) else native
        return self._defaults[name]

    # ---- the functions ---------------------------------------------------------------------------------------

    def forward_dynamics(
        self,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        z: Mapping[str, Any] | ArrayLike | None = None,
        **more: Unpack[TimeOptions],
    ) -> Floats:
        """Accelerations u̇ for efforts tau (none by default), where first-order states have the values z."""
        effort = self._no_effort("forward_dynamics") if tau is None else tau
        return self._one("forward_dynamics", q, u, effort, z=z, **more)

    def inverse_dynamics(
        self,
        q: ArrayLike,
        u: ArrayLike,
        udot: ArrayLike,
        *,
        actuated: Sequence[str] | None = None,
        **more: Unpack[CallOptions],
    ) -> Floats:
        """Efforts tau that give the accelerations udot; with dependent speeds, tau as brought to the independent ones.

        With multipliers of constraints tau is not determined, and the call says which is meant: that for given ones,
        `multipliers=[…]` or "zero" (as if there were no constraints), or, with `actuated`, that which acts on some
        speeds alone and moves the mechanism so, whatever the constraints carry.
        """
        if actuated is not None:
            return reactions.actuated_efforts(self, q, u, udot, actuated, **more)
        if more.get("multipliers") is not None and "multipliers" not in self.native("inverse_dynamics").arrays:
            cure = "Leave them out."
            raise PolhodeError("these equations have no multipliers.", "inverse_dynamics", cure, "E-CODE-UNSUPPORTED")
        return self._one("inverse_dynamics", q, u, udot, **more)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats, Floats]:
        """∂τ/∂q, ∂τ/∂u and ∂τ/∂u̇; columns of ∂/∂q are along unit speeds (see `Equations`)."""
        return self._three("inverse_dynamics_derivatives", q, u, udot, **more)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, u: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats, Floats]:
        """∂u̇/∂q, ∂u̇/∂u and ∂u̇/∂τ; columns of ∂/∂q are along unit speeds (see `Equations`)."""
        effort = self._no_effort("forward_dynamics_derivatives") if tau is None else tau
        return self._three("forward_dynamics_derivatives", q, u, effort, **more)

    def derivatives(self, of: str, by: Sequence[str], *arrays: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """∂(`of`)/∂s by parameters, inputs or efforts, a column each; the arrays are those of the function itself.

        >>> import polhode as ph
        >>> s = ph.System("slider")
        >>> _ = s.joint("x", s.ground, s.body("block", mass=s.parameter("m", 2)), ph.Prismatic("x"))
        >>> s.derive().compile().derivatives("forward_dynamics", ["m", "tau_x"], [0.0], [0.0], [6.0]).tolist()
        [[-1.5, 0.5]]
        """
        from .variations import DerivativesOf

        key = DerivativesOf(of, tuple(name_list(by, "a list of names", place="derivatives", cure='Give ["l", "m"].')))
        if key.arrays[len(arrays) :] == ("tau",):
            arrays = (*arrays, self._no_effort(key))
        return self._one(key, *arrays, **more)

    def reaction(
        self,
        name: str,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        at: str | None = None,
        frame: str | None = None,
        on: str | None = None,
        udot: ArrayLike | None = None,
        **more: Unpack[CallOptions],
    ) -> tuple[Floats, Floats]:
        """Torque and force that a joint or constraint carries, for efforts tau or, with `udot`, for a given motion."""
        torque, force = reactions.evaluate(self, ReactionOf(name, at, frame, on), q, u, tau, udot=udot, **more)
        return torque, force

    def driving_force(
        self,
        coordinate: str,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        *,
        udot: ArrayLike | None = None,
        **more: Unpack[CallOptions],
    ) -> Floats:
        """The effort that makes a prescribed coordinate move as prescribed."""
        effort: Floats = reactions.evaluate(self, DrivingForceOf(coordinate), q, u, tau, udot=udot, **more)
        return effort

    def _no_effort(self, name: FunctionKey) -> Floats:
        return np.zeros(sum(array.size for array in self.native(name).outline.arrays if array.name == "tau"))

    def state_rates_jacobian(
        self, x: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats]:
        """∂ẋ/∂x by the coordinates as they are stored, speeds and first-order states, and ∂ẋ/∂t."""
        effort = self._no_effort("state_rates_jacobian") if tau is None else tau
        return self._two("state_rates_jacobian", x, effort, **more)

    def z_rates(self, q: ArrayLike, u: ArrayLike, z: ArrayLike, **more: Unpack[TimeOptions]) -> Floats:
        """ż(q, u, z, t, inputs) of the first-order states."""
        return self._one("z_rates", q, u, z, **more)

    def mass_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """M(q)."""
        return self._one("mass_matrix", q, **more)

    def coriolis_matrix(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """C(q, u), by which velocity terms are C u and Ṁ - 2C is skew."""
        return self._one("coriolis_matrix", q, u, **more)

    def bias(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """tau - M u̇."""
        return self._one("bias", q, u, **more)

    def state_rates(self, x: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]) -> Floats:
        """The rates of the state x = (q, u, z) for efforts tau (none by default)."""
        return self._one("state_rates", x, self._no_effort("state_rates") if tau is None else tau, **more)

    def coordinate_rates(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """q̇ = Γ(q) u."""
        return self._one("coordinate_rates", q, u, **more)

    def energy(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Kinetic and potential energy."""
        return self._two("energy", q, u, **more)

    def momentum(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Angular momentum about the ground's origin and linear momentum, in ground components."""
        return self._two("momentum", q, u, **more)

    def regressor(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Unpack[CallOptions]
    ) -> tuple[Floats, Floats]:
        """Y(q, u, u̇) of the standard parameters, and the efforts that other loads take: τ = Y π + known."""
        return self._two("regressor", q, u, udot, **more)

    def multipliers(
        self, q: ArrayLike, u: ArrayLike, tau: ArrayLike | None = None, **more: Unpack[CallOptions]
    ) -> Floats:
        """λ of the independent constraints: their forces on the speeds are Aᵀλ."""
        effort = np.zeros(len(self.equations.tau)) if tau is None else tau
        return self._one("multipliers", q, u, effort, **more)

    def constraint_values(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """φ(q, t) of the constraints on the position."""
        return self._one("constraint_values", q, **more)

    def constraint_rates(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """A u + a of all constraints."""
        return self._one("constraint_rates", q, u, **more)

    def constraint_matrix(self, q: ArrayLike, u: ArrayLike | None = None, **more: Unpack[CallOptions]) -> Floats:
        """A(q, t), a row for each constraint and a column for each speed of the tree.

        Where a constraint is not linear in the speeds, it is A(q, u, t), and `u` must be given.
        """
        takes_speeds = "u" in self.native("constraint_matrix").arrays
        if takes_speeds and u is None:
            message = "a constraint is not linear in the speeds, so that A depends on them."
            raise PolhodeError(message, "constraint_matrix", "Give the speeds: u=[…].", "E-CODE-DEPENDENCE")
        return self._one("constraint_matrix", q, *((u,) if takes_speeds and u is not None else ()), **more)

    # ---- frames and mass centres -----------------------------------------------------------------------------------

    if TYPE_CHECKING:

        def _one(self, name: FunctionKey, *arrays: ArrayLike, **more: Any) -> Floats: ...

        def _two(self, name: FunctionKey, *arrays: ArrayLike, **more: Any) -> tuple[Floats, Floats]: ...

        def _three(self, name: FunctionKey, *arrays: ArrayLike, **more: Any) -> tuple[Floats, Floats, Floats]: ...

    else:  # `evaluate` itself, without a call in between
        _one = _two = _three = evaluate

    def poses(self, q: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Position and rotation matrix of every body in the ground, bodies in the order of the model."""
        return self._two("poses", q, **more)

    def pose(self, name: str, q: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Position and rotation matrix of a body or frame in the ground."""
        return self._two(PoseOf(name), q, **more)

    def jacobian(self, name: str, q: ArrayLike, orientation: str | None = None, **more: Unpack[CallOptions]) -> Floats:
        """The 6×n Jacobian of a body's or frame's origin, in ground components; see `Equations.jacobian`."""
        return (key := JacobianOf(name, orientation)).checked(self._one(key, q, **more))

    def frame_velocity(self, name: str, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """ω over v of the origin of a body or frame, in ground components."""
        return self._one(FrameVelocityOf(name), q, u, **more)

    def frame_acceleration(
        self, name: str, q: ArrayLike, u: ArrayLike, udot: ArrayLike, **more: Unpack[CallOptions]
    ) -> Floats:
        """ω̇ over v̇ of the origin of a body or frame, in ground components."""
        return self._one(FrameAccelerationOf(name), q, u, udot, **more)

    def bias_acceleration(self, name: str, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """J̇ u of a body or frame: its acceleration where no speed changes."""
        return self._one(BiasAccelerationOf(name), q, u, **more)

    def center_of_mass(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """The mass centre of all bodies, in ground components."""
        return self._one("center_of_mass", q, **more)

    def centroidal_momentum(self, q: ArrayLike, u: ArrayLike, **more: Unpack[CallOptions]) -> tuple[Floats, Floats]:
        """Angular momentum about the mass centre and linear momentum, in ground components."""
        return self._two("centroidal_momentum", q, u, **more)

    def centroidal_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """A_G, 6×n, with A_G u the momenta about the mass centre, angular over linear."""
        return self._one("centroidal_matrix", q, **more)

    def inverse_mass_matrix(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """M⁻¹(q)."""
        return self._one("inverse_mass_matrix", q, **more)

    def gravity_terms(self, q: ArrayLike, **more: Unpack[CallOptions]) -> Floats:
        """What gravity adds to M u̇: the efforts that carry the weight."""
        return self._one("gravity_terms", q, **more)


def native_function(
    variables: Sequence[Expr], roots: Sequence[Expr], known: Mapping[Expr, float]
) -> Callable[..., Any]:
    """The `roots` as one native function of an array (…, variables); all other symbols are `known`."""
    from ..codegen.plan import plan
    from ..expr import Expr, as_expr

    where, cure = "native_function", "Give a list of symbols, a list of expressions, and values by symbols."
    with understood("what a function is made of", (variables, roots, known), place=where, cure=cure):
        entries, values = [as_expr(root) for root in roots], {x: float(value) for x, value in dict(known).items()}
        if not all(isinstance(x, Expr) for x in (*variables, *values)):
            raise TypeError
    program = plan("values", [("x", list(variables))], [("y", (len(entries),), entries)], list(values))
    return compile_program(program, parameters=np.array([*values.values()], dtype=np.float64))
