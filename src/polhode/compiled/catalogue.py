"""Which functions there are: for each its arrays, what it puts out, and the plan of its program.

Nothing heavy is imported when this is loaded: a function that is known on disk needs no expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..codegen.ir.program import Program
from ..errors import PolhodeError, suggestion
from .quantities import FunctionKey, Outputs, Quantity, label_of
from .reactions import ENTRIES

if TYPE_CHECKING:
    from ..codegen.ir.count import Operations
    from ..constraints.rows import Row
    from ..dynamics.equations import EquationsOfMotion
    from ..expr import Expr
    from .closed_loop import Laws

Maker: TypeAlias = "Callable[[EquationsOfMotion], Outputs]"


class Entry(NamedTuple):
    """A function: its arrays, its outputs, and which outputs are, row by row, rates of the coordinates."""

    arrays: tuple[str, ...]
    make: Maker
    rates: tuple[str, ...] = ()
    own: Callable[[EquationsOfMotion], dict[str, list[Expr]]] = lambda equations: {}


def _vector(name: str, field: str) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        entries = list(getattr(equations, field))
        return [(name, (len(entries),), entries)]

    return outputs


def _square(name: str) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        size = len(equations.u)
        return [(name, (size, size), list(getattr(equations, name).entries()))]

    return outputs


def _energy(equations: EquationsOfMotion) -> Outputs:
    return [("kinetic", (), [equations.kinetic_energy]), ("potential", (), [equations.potential_energy])]


def _momentum(equations: EquationsOfMotion) -> Outputs:
    spin, linear = equations.momentum
    return [("angular", (3,), list(spin)), ("linear", (3,), list(linear))]


def _centroidal_momentum(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.centroidal import centroidal_momentum

    spin, linear = centroidal_momentum(equations)
    return [("centroidal", (3,), list(spin)), ("linear", (3,), list(linear))]


def _center_of_mass(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.centroidal import center_of_mass

    return [("center_of_mass", (3,), list(center_of_mass(equations)))]


def _centroidal_matrix(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.centroidal import centroidal_matrix

    return [("centroidal_matrix", (6, len(equations.u)), list(centroidal_matrix(equations).entries()))]


def _poses(equations: EquationsOfMotion) -> Outputs:
    from ..expr import as_expr
    from ..model.records import GROUND

    poses = [equations.pose(name) for name in equations.system.bodies if name != GROUND]
    count = len(poses)
    return [
        ("position", (count, 3), [as_expr(x) for pose in poses for x in pose.p]),
        ("rotation", (count, 3, 3), [as_expr(x) for pose in poses for x in pose.R.entries()]),
    ]


def _regressor(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.regressor import regressor

    record = regressor(equations)
    return [
        ("regressor", record.Y.shape if record.names else (len(equations.u), 0), list(record.Y.entries())),
        ("known", (len(equations.u),), list(record.known)),
    ]


def _stabilised_rates(equations: EquationsOfMotion) -> Outputs:
    entries = [*equations.coordinate_rates, *equations.stabilised_dynamics, *equations.z_rates]
    return [("xdot", (len(entries),), entries)]


def _kept_rates(equations: EquationsOfMotion) -> Outputs:
    from ..expr import as_expr

    step, change = equations.projection_step
    pivots = list(equations.constraint_pivots)
    is_embedded = equations.dependent_speeds is not None
    moved = equations.kept(equations.tree.kinematic_matrix() @ step)
    return [
        *(_vector("xdot", "state_rates")(equations) if is_embedded else _stabilised_rates(equations)),
        ("pivots", (len(pivots),), pivots),
        ("step", (len(step),), list(step)),
        ("change", (len(change),), list(change)),
        ("displacement", (len(equations.q),), [as_expr(entry) for entry in moved]),
    ]


def _contact_rates(base: Maker, row_by_row: bool = False) -> Maker:
    """ẋ without forces of contacts, and the quantities that decide modes of unilateral rows (`ode.unilateral`).

    Where bodies share a twist, this stands for their rows, with axes and arms, if it is not `row_by_row`.
    """

    def outputs(equations: EquationsOfMotion) -> Outputs:
        from ..constraints.unilateral import LAWS, unilateral_rows
        from ..expr import as_expr, directional, jacobian
        from ..kinematics.motion import flow

        base_outputs, tree, rows = base(equations), equations.tree, unilateral_rows(equations.system, equations.tree)
        shared = {} if row_by_row else {"axes": rows.basis.axes, "arms": rows.basis.arms}
        velocities = list(rows.velocities) if row_by_row else rows.basis.velocities
        rates, A = equations.in_independent_speeds(velocities), jacobian(velocities, list(tree.u))
        matrix, along, n = A, flow(tree, equations.system.time), len(equations.q)
        if equations.dependent_speeds is not None:
            along = dict(zip(equations.q, equations.coordinate_rates, strict=True))
            along[equations.system.time] = as_expr(1)
            matrix = jacobian(rates, list(equations.u))
        shared |= {f"{name}_rates": directional(entries, along) for name, entries in shared.items()}
        accelerations = next(entries for title, _, entries in base_outputs if title == "xdot")[n : n + len(equations.u)]
        moved = [
            directional(accelerations, {tau: entry for tau, entry in zip(tree.tau, row, strict=True) if entry})
            for row in A
        ]
        laws = [as_expr(getattr(group, law)) for _, group in rows.groups for law in LAWS]
        width = (len(rates), len(equations.u))
        return [
            *base_outputs,
            ("rows", width, list(matrix.entries())),
            ("responses", width, [entry for row in moved for entry in row]),
            ("velocities", (len(rates),), list(rates)),
            ("drift", (len(rates),), directional(rates, along)),
            ("gaps", (len(rows.gaps),), rows.gaps),
            ("margins", (len(rows.gaps),), rows.margins),
            ("laws", (len(laws),), laws),
            *((name, (len(entries),), entries) for name, entries in shared.items() if entries),
        ]

    return outputs


def _contact_matrix(equations: EquationsOfMotion) -> Outputs:
    from ..constraints.unilateral import unilateral_rows

    A = unilateral_rows(equations.system, equations.tree).A
    return [("contact_matrix", A.shape, list(A.entries()))]


def _of_constraints(name: str, field: str) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        constraints = equations.constraints
        if constraints is None:
            message = f"system '{equations.system.name}' has no constraints, and so no {name.replace('_', ' ')}."
            raise PolhodeError(message, name, "Add constraints, or leave this out.", "E-CODE-UNSUPPORTED")
        matrix = getattr(constraints, field)
        if field == "A":
            return [(name, (len(constraints.rows), len(constraints.tree.u)), list(matrix.entries()))]
        return [(name, (len(matrix),), list(equations.in_independent_speeds(matrix)))]

    return outputs


def _kinematic_matrix(equations: EquationsOfMotion) -> Outputs:
    entries = [entry for row in equations.kept(equations.tree.kinematic_matrix()) for entry in row]
    return [("kinematic_matrix", (len(equations.q), len(equations.tree.u)), entries)]


def _canonical(name: str, field: str) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.canonical import canonical

        values = list(getattr(canonical(equations), field))
        return [(name, (len(values),), values)]

    return outputs


def _derivatives(names: Sequence[str], of: str) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        from ..dynamics import derivatives

        _check_open(equations, of)
        matrices = getattr(derivatives, of)(equations)
        return [(name, matrix.shape, list(matrix.entries())) for name, matrix in zip(names, matrices, strict=True)]

    return outputs


def _check_open(equations: EquationsOfMotion, of: str) -> None:
    """Refuse derivatives by the state at constant efforts and inputs where these follow the state."""
    from ..expr import free_symbols

    state = {*equations.q, *equations.u, *equations.z}
    if not state.isdisjoint(free_symbols(equations.laws.values())):
        message = "efforts or inputs follow the state here, and these derivatives hold them still."
        cure = "Take state_rates_jacobian, which goes through the laws, or functions without them."
        raise PolhodeError(message, of.replace("_", " "), cure, "E-CODE-DEPENDENCE")


def _actuation(equations: EquationsOfMotion) -> Outputs:
    inputs = [entry.symbol for entry in equations.system.inputs.values()]
    return [("tau", (len(equations.tau),), list(equations.tau)), ("inputs", (len(inputs),), inputs)]


def _residual(equations: EquationsOfMotion) -> Outputs:
    """M u̇ + bias - τ - Aᵀλ and ż - rate; A u + a and φ of the independent rows of the constraints."""
    symbols, rows = _second_order_arrays(equations)["rates"], _independent_rows(equations)
    gap = [*(equations.inverse_dynamics - equations.efforts)]
    gap += [a - b for a, b in zip(symbols[len(gap) :], equations.z_rates, strict=True)]
    values = [row.value for row in rows if row.value is not None]
    rates = [row.rate for row in rows]
    return [(name, (len(of),), of) for name, of in (("balance", gap), ("row_rates", rates), ("row_values", values))]


def _independent_matrix(equations: EquationsOfMotion) -> Outputs:
    rows = equations.stabilisation.rows
    return [("matrix", (len(rows.rows), len(equations.u)), list(rows.A.entries()))]


def _independent_rows(equations: EquationsOfMotion) -> Sequence[Row]:
    """The rows that multipliers keep."""
    stabilisation = equations.recipe.stabilisation
    return () if stabilisation is None else stabilisation.rows.rows


def _second_order_arrays(equations: EquationsOfMotion) -> dict[str, list[Expr]]:
    """Symbols for the rates of speeds and first-order states, and for the multipliers of independent rows."""
    from ..expr.spelling import acceleration_of

    rates, rows = [acceleration_of(entry) for entry in (*equations.u, *equations.z)], _independent_rows(equations)
    return {"rates": rates, "multipliers": list(equations.stabilisation.rows.multipliers) if rows else []}


def _jacobian(stabilised: bool) -> Maker:
    def outputs(equations: EquationsOfMotion) -> Outputs:
        from ..dynamics.variations import Variations

        variations = Variations(equations, equations.stabilisation_rate if stabilised else None)
        size = len(variations.x)
        in_time = variations.by([equations.system.time])
        return [
            ("xdot_d_x", (size, size), list(variations.jacobian().entries())),
            ("xdot_d_t", (size,), list(in_time.entries())),
        ]

    return outputs


#: The functions that every mechanism has.
CATALOGUE: dict[str, Entry] = {
    "forward_dynamics": Entry(("q", "u", "tau"), _vector("udot", "forward_dynamics")),
    "inverse_dynamics": Entry(("q", "u", "udot"), _vector("tau", "inverse_dynamics")),
    "mass_matrix": Entry(("q",), _square("mass_matrix")),
    "coriolis_matrix": Entry(("q", "u"), _square("coriolis_matrix")),
    "inverse_mass_matrix": Entry(("q",), _square("inverse_mass_matrix")),
    "bias": Entry(("q", "u"), _vector("bias", "bias")),
    "gravity_terms": Entry(("q",), _vector("gravity_terms", "gravity_terms")),
    "coordinate_rates": Entry(("q", "u"), _vector("qdot", "coordinate_rates"), rates=("qdot",)),
    "energy": Entry(("q", "u"), _energy),
    "momentum": Entry(("q", "u"), _momentum),
    "center_of_mass": Entry(("q",), _center_of_mass),
    "centroidal_momentum": Entry(("q", "u"), _centroidal_momentum),
    "centroidal_matrix": Entry(("q",), _centroidal_matrix),
    "regressor": Entry(("q", "u", "udot"), _regressor),
    "poses": Entry(("q",), _poses),
    "state_rates": Entry(("x", "tau"), _vector("xdot", "state_rates"), rates=("xdot",)),
    "state_rates_jacobian": Entry(("x", "tau"), _jacobian(stabilised=False)),
    "inverse_dynamics_derivatives": Entry(
        ("q", "u", "udot"),
        _derivatives(("tau_d_q", "tau_d_u", "tau_d_udot"), "inverse_derivatives"),
    ),
    "forward_dynamics_derivatives": Entry(
        ("q", "u", "tau"),
        _derivatives(("udot_d_q", "udot_d_u", "udot_d_tau"), "forward_derivatives"),
    ),
}

#: Those that there are where a system has constraints; with multipliers, the first four.
CONSTRAINED: dict[str, Entry] = {
    "multipliers": Entry(("q", "u", "tau"), _vector("multipliers", "multipliers")),
    "stabilised_rates": Entry(("x", "tau", "alpha"), _stabilised_rates, rates=("xdot",)),
    "stabilised_rates_jacobian": Entry(("x", "tau", "alpha"), _jacobian(stabilised=True)),
    "kept_rates": Entry(("x", "tau", "alpha"), _kept_rates, rates=("xdot",)),
    "constraint_values": Entry(("q",), _of_constraints("constraint_values", "values")),
    "definition_values": Entry(("q",), _of_constraints("definition_values", "definition_values")),
    "definition_steps": Entry(("q",), _of_constraints("definition_steps", "definition_steps")),
    "constraint_rates": Entry(("q", "u"), _of_constraints("constraint_rates", "rates")),
    "constraint_matrix": Entry(("q",), _of_constraints("constraint_matrix", "A")),
    "constraint_bias": Entry(("q", "u"), _of_constraints("constraint_bias", "gamma")),
    "kinematic_matrix": Entry(("q",), _kinematic_matrix, rates=("kinematic_matrix",)),
}

#: Those that there are where a system has contacts, stops or dry friction.
WITH_CONTACTS: dict[str, Entry] = {
    "contact_rates": Entry(("x", "tau"), _contact_rates(_vector("xdot", "state_rates"), True), rates=("xdot",)),
    "contact_motion": Entry(("x", "tau"), _contact_rates(_vector("xdot", "state_rates")), rates=("xdot",)),
    "kept_contact_motion": Entry(("x", "tau", "alpha"), _contact_rates(_kept_rates), rates=("xdot",)),
    "contact_matrix": Entry(("q",), _contact_matrix),
}

#: Hamilton's equations, of mechanisms that have canonical momenta.
CANONICAL: dict[str, Entry] = {
    "canonical_rates": Entry(("canonical", "tau"), _canonical("rates", "rates")),
    "canonical_momenta": Entry(("q", "u"), _canonical("momenta", "momenta")),
    "canonical_speeds": Entry(("canonical",), _canonical("speeds", "speeds")),
}

#: What acts: efforts and inputs as they are given, or as their laws say.
ACTING: dict[str, Entry] = {"actuation": Entry(("x", "tau", "inputs"), _actuation)}

#: What implicit methods for equations of second order solve; `constraint_normals` is A of the independent rows.
IMPLICIT: dict[str, Entry] = {
    "residual": Entry(("x", "tau", "rates", "multipliers"), _residual, own=_second_order_arrays),
    "constraint_normals": Entry(("q",), _independent_matrix),
}

#: Those that there are where a system has first-order states.
WITH_STATES: dict[str, Entry] = {"z_rates": Entry(("q", "u", "z"), _vector("zdot", "z_rates"))}


def catalogued(key: FunctionKey) -> Entry:
    """The entry of a function: of the catalogue by its name, of a quantity by its record."""
    if isinstance(key, Quantity):
        return Entry(key.arrays, key.outputs, own=key.own_arrays)
    entry: Any = None
    if isinstance(key, str):
        tables = (CATALOGUE, CONSTRAINED, WITH_STATES, WITH_CONTACTS, CANONICAL, ENTRIES, ACTING, IMPLICIT)
        entry = next((table[key] for table in tables if key in table), None)
    if entry is None:
        functions = CATALOGUE | CONSTRAINED | WITH_STATES
        cure = suggestion(key, functions, f"Choose one of {', '.join(functions)}.")
        raise PolhodeError(f"there is no function {key!r}.", cure=cure, code="E-CODE-NAME")
    return Entry(*entry)


def arrays_of(equations: EquationsOfMotion) -> dict[str, list[Expr]]:
    from ..dynamics.canonical import momentum_symbols
    from ..expr.spelling import acceleration_of

    constraints = equations.constraints
    return {
        "q": list(equations.q),
        "u": list(equations.u),
        "z": list(equations.z),
        "tau": list(equations.tau),
        "udot": list(equations.udot),
        "x": [*equations.q, *equations.u, *equations.z],
        "canonical": [*equations.q, *momentum_symbols(equations), *equations.z],
        "accelerations": [acceleration_of(u) for u in equations.tree.u],
        "multipliers": [] if constraints is None else list(constraints.multipliers),
        "alpha": [equations.stabilisation_rate],
        "inputs": [entry.symbol for entry in equations.system.inputs.values()],
        "t": [equations.system.time],
    }


# ---- plans ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Planned:
    """A function's program, and the names of its parameters, in order."""

    program: Program
    parameters: tuple[str, ...]


def plan_of(
    equations: EquationsOfMotion,
    key: FunctionKey,
    bake: bool = False,
    split_angles: bool = True,
    notes: Mapping[int, str] | None = None,
    laws: Laws | None = None,
) -> Planned:
    """The plan of one function of the catalogue; `z`, `multipliers`, `inputs` and `t` are arguments where they occur.

    With `bake`, parameters that have values become exact constants before the plan is made. `notes` say what values
    mean, by fingerprint. `laws` take the place of efforts and inputs.
    """
    from ..expr import quiet_collector

    wanted, make, _, own_arrays = catalogued(key)
    with quiet_collector():
        arrays = own_arrays(equations)
        outputs = make(equations) if laws is None else laws.put_into(make(equations.driven(laws.given)))
        return plan_outputs(equations, label_of(key), wanted, outputs, bake, split_angles, notes, arrays)


def plan_outputs(
    equations: EquationsOfMotion,
    label: str,
    wanted: Sequence[str],
    outputs: Outputs,
    bake: bool = False,
    split_angles: bool = True,
    notes: Mapping[int, str] | None = None,
    own_arrays: Mapping[str, list[Expr]] = MappingProxyType({}),
) -> Planned:
    """The plan of any outputs of the wanted arrays; `u`, `z`, `inputs` and `t` are added where they occur."""
    from ..codegen.plan import plan
    from ..expr import free_symbols, substitute

    table = equations.system.parameters
    values = {p.symbol: p.value for p in table.values() if bake and p.value is not None}
    if values:
        roots = iter(substitute([root for _, _, entries in outputs for root in entries], values))
        for _, _, entries in outputs:
            entries[:] = [next(roots) for _ in entries]
    if equations.omitted:
        from ..dynamics.omission import without_omitted

        for _, _, entries in outputs:
            entries[:] = without_omitted(equations, label, entries)
    met = set(free_symbols(root for _, _, entries in outputs for root in entries))
    arrays = {**arrays_of(equations), **own_arrays}
    met -= {symbol for key in wanted for symbol in arrays[key]}  # z may be wanted, or be a part of x
    extra = [key for key in ("u", "z", "multipliers", "inputs", "t") if any(symbol in met for symbol in arrays[key])]
    parameters = {key: p.symbol for key, p in table.items() if p.symbol in met}
    program = plan(
        label,
        [(key, arrays[key]) for key in (*wanted, *extra)],
        outputs,
        list(parameters.values()),
        notes,
        split_angles=split_angles,
    )
    return Planned(program, tuple(parameters))


def operations_of(
    equations: EquationsOfMotion, of: FunctionKey = "forward_dynamics", bake: bool = False, split_angles: bool = True
) -> Operations:
    """Numbers of operations of a function, from its plan."""
    from ..codegen.ir.count import count

    return count(plan_of(equations, of, bake=bake, split_angles=split_angles).program)
