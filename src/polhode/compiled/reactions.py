"""Forces of joints and drives as compiled functions: reactions, driving forces, the powers of all ports.

They take the motion as given, so that they serve a run, a measured motion and a planned one alike (`quantities`; the
powers, port by port, are a function of the same and of τ). For a state alone `motion` finds u̇ and λ first. Where
constraints say the same twice their multipliers are not determined; it takes the least ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import PolhodeError, check_kind, fault_at, unknown
from .quantities import MOTION, FunctionKey, Outputs, contact_forces

if TYPE_CHECKING:
    from ..dynamics.equations import EquationsOfMotion
    from .functions import Functions

fault = fault_at("inverse_dynamics")

Entry: TypeAlias = "tuple[Any, ...]"  # as those of the catalogue
Floats: TypeAlias = "NDArray[np.float64]"

#: Singular values of constraints below this part of the largest say nothing that can be relied on.
_SAME = 1e-7


def _power(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.power import power

    balances = [balance for _, balance in power(equations, solved=False).parts()]
    powers = [entry for balance in balances for entry in (*balance.ports.values(), balance.rate)]
    return [("powers", (len(powers),), powers)]


def _touching_power(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.power import power

    total = power(equations, solved=False, touching=True).whole
    return [("powers", (len(total.ports) + 1,), [*total.ports.values(), total.rate])]


def _constraint_balance(equations: EquationsOfMotion) -> Outputs:
    constraints = _constraints_of(equations)
    rows, columns = len(constraints.rows), len(constraints.tree.u)
    return [
        ("constraint_matrix", (rows, columns), list(constraints.A.entries())),
        ("constraint_bias", (rows,), list(equations.in_independent_speeds(constraints.gamma))),
    ]


def _solved_motion(equations: EquationsOfMotion) -> Outputs:
    from ..dynamics.reactions import Reactions

    solved = Reactions(equations).given
    return [
        ("accelerations", (len(solved.udot),), list(solved.udot)),
        ("multipliers", (len(solved.multipliers),), list(solved.multipliers)),
    ]


def _constraints_of(equations: EquationsOfMotion) -> Any:
    if equations.constraints is None:
        message, cure = f"system '{equations.system.name}' has no constraints.", "Leave `actuated` out."
        raise PolhodeError(message, "inverse_dynamics", cure, "E-CODE-UNSUPPORTED")
    return equations.constraints


#: Functions that a motion is found and judged by.
ENTRIES: dict[str, Entry] = {
    "power": ((*MOTION, "tau"), _power),
    "touching_power": ((*MOTION, "tau", "contact_forces"), _touching_power, (), contact_forces),
    "constraint_balance": (("q", "u"), _constraint_balance),
    "solved_motion": (("q", "u", "tau"), _solved_motion),
}


# ---- values ----------------------------------------------------------------------------------------------------


def motion(functions: Functions, q: ArrayLike, u: ArrayLike, tau: ArrayLike, **more: Any) -> tuple[Floats, Floats]:
    """Accelerations of all speeds of the tree, and multipliers of all rows of the constraints (none without)."""
    equations = functions.equations
    constraints = equations.constraints
    if equations.dependent_speeds is not None:
        first, second = functions.evaluate("solved_motion", q, u, tau, **more)
        return first, second
    if constraints is None or not constraints.rows:
        udot = functions.forward_dynamics(q, u, tau, **more)
        return udot, np.zeros((*udot.shape[:-1], 0))
    M, bias = functions.mass_matrix(q, **more), functions.bias(q, u, **more)
    A, gamma = functions.evaluate("constraint_balance", q, u, **more)
    from ..constraints.factorisation import Factorisation

    return Factorisation.of(A, M).motion(np.asarray(tau) - bias, gamma)


def actuated_efforts(
    functions: Functions, q: ArrayLike, u: ArrayLike, udot: ArrayLike, actuated: Sequence[str], **more: Any
) -> Floats:
    """τ that acts on some speeds alone and gives the accelerations u̇, which must keep the constraints.

    With N a basis of the motions that the constraints leave, A N = 0:  Nᵀ τ = Nᵀ (M u̇ + bias).
    """
    equations = functions.equations
    indices = _indices_of(actuated, equations)
    if equations.dependent_speeds is not None or "multipliers" in more:
        message = "efforts on chosen speeds are found for equations with multipliers, and with no multipliers given."
        raise fault(message, 'Derive with constraints="multipliers", and give actuated=… alone.', "E-CODE-UNSUPPORTED")
    constraints = equations.constraints
    needed = functions.evaluate("inverse_dynamics", q, u, udot, multipliers="zero", **more)
    count = needed.shape[-1]
    if constraints is None or not constraints.rows:
        A, gamma = np.zeros((0, count)), np.zeros(0)
    else:
        A, gamma = functions.evaluate("constraint_balance", q, u, **more)
    states = needed.reshape(-1, count)
    tau = np.zeros(states.shape)
    rates = np.broadcast_to(np.asarray(udot, dtype=np.float64), needed.shape).reshape(states.shape)
    rows = np.broadcast_to(A, (*needed.shape[:-1], *A.shape[-2:])).reshape(len(states), -1, count)
    rests = np.broadcast_to(gamma, (*needed.shape[:-1], gamma.shape[-1])).reshape(len(states), -1)
    for k, (one, row, rest, rate) in enumerate(zip(states, rows, rests, rates, strict=True)):
        _check_keeping(equations, row @ rate + rest, np.abs(row) @ np.abs(rate) + np.abs(rest))
        tau[k, indices] = _acting(row, one, indices, actuated)
    return tau.reshape(needed.shape)


def _acting(A: Floats, needed: Floats, indices: Sequence[int], names: Sequence[str]) -> Floats:
    """The efforts on some speeds with the required power along the motions that A permits."""
    _, sizes, turned = np.linalg.svd(A)
    rank = int((sizes > _SAME * sizes.max(initial=0.0)).sum())
    free = turned[rank:]
    levers = free[:, indices]
    efforts, _, determined, _ = np.linalg.lstsq(levers, free @ needed, rcond=_SAME)
    left = float(np.abs(levers @ efforts - free @ needed).max(initial=0.0))
    if determined < len(indices) or left > _SAME * (1.0 + float(np.abs(needed).max(initial=0.0))):
        many = "do not determine" if determined < len(indices) else "cannot give"
        raise fault(
            f"efforts on {', '.join(names) or 'no speed'} {many} this motion: the constraints leave {len(free)} free.",
            f"Name {len(free)} actuated speeds that the others follow from.",
            "E-CODE-SHAPE",
        )
    return np.asarray(efforts)


def _check_keeping(equations: EquationsOfMotion, left: Floats, scale: Floats) -> None:
    """Raise where accelerations break the constraints: A u̇ + γ is not zero."""
    off = np.abs(left) - _SAME * (1.0 + scale)
    if (off > 0.0).any():
        worst = int(np.argmax(off))
        message = f"the accelerations break '{_constraints_of(equations).names[worst]}' by {left[worst]:.3g}."
        raise fault(message, "Give accelerations that keep A u̇ + γ = 0, as forward_dynamics does.", "E-CODE-TWICE")


def _indices_of(actuated: Sequence[str], equations: EquationsOfMotion) -> list[int]:
    check_kind(list | tuple, "a list of speeds", actuated, "inverse_dynamics actuated")
    for name in actuated:
        if name not in equations.tree.speeds:
            raise unknown("speed", name, equations.tree.speeds, place="inverse_dynamics", code="E-CODE-NAME")
    return [equations.tree.speeds.index(name) for name in dict.fromkeys(actuated)]


def evaluate(
    functions: Functions,
    key: FunctionKey,
    q: ArrayLike,
    u: ArrayLike,
    tau: ArrayLike | None = None,
    *extra: ArrayLike,
    udot: ArrayLike | None = None,
    multipliers: ArrayLike | None = None,
    **more: Any,
) -> Any:
    """A function of a motion at a state; accelerations and multipliers that are not given follow from the efforts."""
    if udot is None:
        effort = np.zeros(len(functions.equations.tau)) if tau is None else tau
        udot, multipliers = motion(functions, q, u, effort, **more)
    elif multipliers is None and functions.equations.constraints is not None:
        message = "with given accelerations the multipliers of the constraints must be given too."
        cure = "Give multipliers=…, one for each row of equations.constraints, or efforts alone."
        raise PolhodeError(message, key if isinstance(key, str) else key.label, cure, "E-CODE-MISSING")
    return functions.evaluate(key, q, u, udot, *extra, multipliers=multipliers, **more)
