"""The satellite of `models/satellite.yaml`, derived by SymPy's KanesMethod with the same speeds as ours."""

from __future__ import annotations

import sympy
from sympy.physics import mechanics as me

from .sympy_arm import Kane


def kane() -> Kane:
    """M and f with the parameter names of the model file; the massless body E is a frame with a torque on it."""
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

    def turned(name: str, parent: me.ReferenceFrame, axis: me.Vector, k: int) -> me.ReferenceFrame:
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

    def placed(name: str, start: me.Point, arm: me.Vector, frame: me.ReferenceFrame) -> me.Point:
        point = start.locatenew(name, arm)
        point.v2pt_theory(start, ground, frame)
        return point

    clock_point = placed("C*", bus_point, -L[2] * clock.z, clock)
    elbow = placed("D0", bus_point, L[3] * clock.y - L[1] * clock.z, clock)
    camera_point = placed("D*", elbow, -L[5] * camera.y - L[6] * camera.z, camera)
    root = placed("E0", bus_point, -L[7] * bus.y, bus)
    boom_point = placed("F*", root, -L[8] * boom.y, boom)

    def body(letter: str, frame: me.ReferenceFrame, point: me.Point, *moments: str) -> me.RigidBody:
        dyadic = me.inertia(frame, *(sympy.Symbol(name) if name else 0 for name in moments))
        return me.RigidBody(letter, point, frame, sympy.Symbol(f"M_{letter}"), (dyadic, point))

    def full(letter: str) -> list[str]:
        return [f"I_{letter}{pair}" for pair in ("11", "22", "33", "12", "23", "13")]

    bodies = [
        body("B", bus, bus_point, *full("B")),
        body("C", clock, clock_point, "I_C", "I_C", "I_C3"),
        body("D", camera, camera_point, *full("D")),
        body("F", boom, boom_point, "I_F1", "I_F2", "I_F1"),
    ]
    k_9, k_10 = sympy.symbols("k_9 k_10")
    sideways, up = -k_9 * q[8] * bus.z, -k_10 * q[9] * sway.x
    torques = [(sway, sideways - up), (bus, -sideways), (boom, up)]
    method = me.KanesMethod(ground, q_ind=q, u_ind=u, kd_eqs=kinematic)
    method.kanes_equations(bodies, torques)
    return Kane(method.mass_matrix, method.forcing, list(q), list(u))
