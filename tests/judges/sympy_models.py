"""A symbolic chain and the satellite of models/satellite.yaml by SymPy's Kane's method."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from bench.mechanisms import ARM_AXES
from sympy.physics import mechanics as me

from polhode import Equations
from polhode.expr import evaluate


@dataclass(frozen=True)
class Kane:
    """M u̇ = f by SymPy, and its symbols for coordinates and speeds."""

    mass_matrix: Any
    forcing: Any
    symbols: tuple[Any, ...]

    def operations_after_cse(self) -> int:
        shared, rest = sympy.cse([self.mass_matrix, self.forcing])
        return int(sum(sympy.count_ops(value) for value in (*(value for _, value in shared), *rest)))

    def check(self, equations: Equations) -> None:
        """Raise unless M and f agree with ours at a random point; names of symbols are the same."""
        rng = random.Random(3)
        point: dict[Any, float] = {symbol: rng.uniform(-1, 1) for symbol in (*equations.q, *equations.u)}
        point |= {parameter.symbol: float(parameter.value or 0) for parameter in equations.system.parameters.values()}
        ours = evaluate([*equations.mass_matrix.entries(), *equations.bias], point)
        plain = {dynamic: sympy.Symbol(dynamic.func.__name__) for dynamic in self.symbols}
        M, f = (part.xreplace(plain) for part in (self.mass_matrix, self.forcing))
        values = {symbol.name: value for symbol, value in point.items()}
        shown = {symbol: values[symbol.name] for symbol in M.free_symbols | f.free_symbols}
        theirs = [float(entry) for part in (M, -f) for entry in part.evalf(17, subs=shown)]
        if not np.allclose(ours, theirs, rtol=1e-9, atol=1e-9):
            raise ValueError(f"SymPy's {equations.system.name} and ours differ.")


def chain(size: int) -> Kane:
    """M and f of `mechanisms.chain` with the same parameter names as ours, by SymPy's joints."""
    g = sympy.Symbol("g")
    ground = me.RigidBody("ground")
    system = me.System.from_newtonian(ground)
    parent, parent_com = ground, 0 * ground.x
    for index in range(size):
        name = str(index + 1)
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
            joint_axis=getattr(parent.frame, ARM_AXES[index % len(ARM_AXES)]),
        )  # fmt: skip
        system.add_joints(joint)
        parent, parent_com = body, own_com
    system.apply_uniform_gravity(-g * ground.z)
    system.form_eoms()
    return Kane(system.mass_matrix, system.forcing, (*system.q, *system.u))


def satellite() -> Kane:
    """M and f of models/satellite.yaml with the same speeds; the massless body E is a frame with a torque on it."""
    q, u = me.dynamicsymbols("q1:11"), me.dynamicsymbols("u1:11")
    ground, origin = me.ReferenceFrame("N"), me.Point("O")
    origin.set_vel(ground, 0)
    bus = me.ReferenceFrame("B")
    bus.orient_body_fixed(ground, q[3:6], "123")
    rates = bus.ang_vel_in(ground).express(bus).to_matrix(bus)
    w = u[3] * bus.x + u[4] * bus.y + u[5] * bus.z
    v = u[0] * bus.x + u[1] * bus.y + u[2] * bus.z
    kinematic = [*(rates - sympy.Matrix(u[3:6])), *(u[k] - q[k].diff() for k in range(6, 10))]
    kinematic += [v.dot(axis) - q[k].diff() for k, axis in enumerate((ground.x, ground.y, ground.z))]
    bus.set_ang_vel(ground, w)

    def turned(name: str, parent: Any, axis: Any, k: int) -> Any:
        frame = parent.orientnew(name, "Axis", [q[k], axis])
        frame.set_ang_vel(parent, u[k] * axis)
        return frame

    L = {k: sympy.Symbol(f"L{k}") for k in (1, 2, 3, 5, 6, 7, 8)}
    clock = turned("C", bus, bus.z, 6)
    camera = turned("D", clock, clock.x, 7)
    sway = turned("E", bus, bus.z, 8)
    boom = turned("F", sway, sway.x, 9)
    bus_point = origin.locatenew("B*", q[0] * ground.x + q[1] * ground.y + q[2] * ground.z)
    bus_point.set_vel(ground, v)

    def point(name: str, start: Any, arm: Any, frame: Any) -> Any:
        located = start.locatenew(name, arm)
        located.v2pt_theory(start, ground, frame)
        return located

    clock_point = point("C*", bus_point, -L[2] * clock.z, clock)
    elbow = point("D0", bus_point, L[3] * clock.y - L[1] * clock.z, clock)
    camera_point = point("D*", elbow, -L[5] * camera.y - L[6] * camera.z, camera)
    root = point("E0", bus_point, -L[7] * bus.y, bus)
    boom_point = point("F*", root, -L[8] * boom.y, boom)

    def body(letter: str, frame: Any, centre: Any, *moments: str) -> Any:
        names = moments or [f"I_{letter}{pair}" for pair in ("11", "22", "33", "12", "23", "13")]
        dyadic = me.inertia(frame, *map(sympy.Symbol, names))
        return me.RigidBody(letter, centre, frame, sympy.Symbol(f"M_{letter}"), (dyadic, centre))

    bodies = [
        body("B", bus, bus_point),
        body("C", clock, clock_point, "I_C", "I_C", "I_C3"),
        body("D", camera, camera_point),
        body("F", boom, boom_point, "I_F1", "I_F2", "I_F1"),
    ]
    k_9, k_10 = sympy.symbols("k_9 k_10")
    sideways, up = -k_9 * q[8] * bus.z, -k_10 * q[9] * sway.x
    torques = [(sway, sideways - up), (bus, -sideways), (boom, up)]
    method = me.KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=kinematic)
    method.kanes_equations(bodies, torques)
    return Kane(method.mass_matrix, method.forcing, (*q, *u))
