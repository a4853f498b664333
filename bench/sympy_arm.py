"""The symbolic chain of `models.chain`, derived by SymPy's joints and Kane's method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.physics import mechanics as me

from .models import ARM_AXES


@dataclass(frozen=True)
class Kane:
    """M u̇ = f by SymPy, and its symbols for coordinates and speeds."""

    mass_matrix: Any
    forcing: Any
    q: list[Any]
    u: list[Any]


def kane(count: int, axes: str = ARM_AXES) -> Kane:
    """M and f of the chain with the same parameter names as ours."""
    g = sympy.Symbol("g")
    ground = me.RigidBody("ground")
    system = me.System.from_newtonian(ground)
    parent, parent_com = ground, 0 * ground.x
    for place in range(count):
        name = str(place + 1)
        letters = ("m", "cx_", "cy_", "cz_", "Ixx_", "Iyy_", "Izz_", "Ixy_", "Iyz_", "Izx_", "a", "d")
        m, cx, cy, cz, xx, yy, zz, xy, yz, zx, a, d = (sympy.Symbol(letter + name) for letter in letters)
        frame, com = me.ReferenceFrame(f"N{name}"), me.Point(f"C{name}")
        body = me.RigidBody(f"link{name}", com, frame, m, (me.inertia(frame, xx, yy, zz, xy, yz, zx), com))
        own_com = cx * frame.x + cy * frame.y + cz * frame.z
        q, u = me.dynamicsymbols(f"q{name} u{name}")
        joint = me.PinJoint(
            f"j{name}", parent, body, q, u,
            parent_point=a * parent.frame.x + d * parent.frame.z - parent_com,
            child_point=-own_com,
            joint_axis=getattr(parent.frame, axes[place % len(axes)]),
        )  # fmt: skip
        system.add_joints(joint)
        parent, parent_com = body, own_com
    system.apply_uniform_gravity(-g * ground.z)
    system.form_eoms()
    return Kane(system.mass_matrix, system.forcing, list(system.q), list(system.u))


def operations_after_cse(made: Kane) -> int:
    """Operations of M and f together with common subexpressions taken out."""
    shared, rest = sympy.cse([made.mass_matrix, made.forcing])
    return int(sum(sympy.count_ops(value) for _, value in shared) + sum(sympy.count_ops(value) for value in rest))


def values(made: Kane, numbers: Mapping[str, float]) -> tuple[Any, Any]:
    """M and f at given numbers; the names of coordinates and speeds are those of `kane`."""
    shown = {dynamic: sympy.Symbol(dynamic.func.__name__) for dynamic in (*made.q, *made.u)}
    M, f = (part.xreplace(shown) for part in (made.mass_matrix, made.forcing))
    point = {symbol: numbers[symbol.name] for symbol in M.free_symbols | f.free_symbols}
    return M.evalf(17, subs=point), f.evalf(17, subs=point)
