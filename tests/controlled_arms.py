"""Mechanisms under control that several tests share: a slider, a two-link arm, and laws written by hand for them."""

from fractions import Fraction
from typing import Any

import polhode as ph
from polhode.control import Controller, ControllerState, Law, Reference
from polhode.model.records import Parameter


def slider() -> ph.System:
    s = ph.System("slider", gravity=(0, 0, 0))
    s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    return s


def arm(elastic: bool = False) -> ph.System:
    """Two links in a vertical plane; with `elastic` gears the motors' rotors are coordinates of their own."""
    s = ph.System("arm")
    m = s.parameter("m", 1)
    base = s.ground
    for name, at in (("shoulder", 0), ("elbow", -1)):
        link = s.body(f"{name} link", m, (0, 0, "-1/2"), inertia=("1/12", "1/12", "1/100"))
        s.joint(name, base, link, ph.Revolute("y"), at=(0, 0, at))
        base = link
        if elastic:
            s.motor(name, ratio=1, inertia="1/20", stiffness=4000, damping=4)
    return s


def linkage() -> ph.System:
    """A slider crank."""
    s = ph.System("slider crank")
    a, b = (s.body(name, 1, ("1/2", 0, 0), inertia=(0, "1/12", "1/12")) for name in "ab")
    s.joint("crank", s.ground, a, ph.Revolute("y"))
    s.joint("coupler", a, b, ph.Revolute("y"), at=(1, 0, 0))
    s.joint("slide", s.ground, block := s.body("block", 1), ph.Prismatic("x"))
    s.close("tip", b, block, "revolute", at_a=(2, 0, 0), rotation_a=[("x", ph.pi / 2)], rotation_b=[("x", ph.pi / 2)])
    return s


def gain(name: str, value: Any) -> tuple[ph.Expr, dict[str, Parameter]]:
    symbol = ph.symbol(name, "parameter")
    return symbol, {name: Parameter(symbol, Fraction(value))}


class ServoPID(Controller):
    """m (r'' + kp e + kd e' + ki ∫e) of the slider."""

    def design(self) -> Law:
        e = self.equations
        wanted = Reference("x", 2, quantity=e.q[0])
        r, rate, acceleration = wanted.symbols
        total = ph.symbol("total error", "state")
        made = [gain("kp", 20), gain("kd", 9), gain("ki", 10)]
        (kp, kd, ki), parameters = zip(*made, strict=True)
        m = e.system.parameters["m"].symbol
        error = r - e.q[0]
        control = m * (acceleration + kp * error + kd * (rate - e.u[0]) + ki * total)
        return Law(
            {e.tau[0]: control},
            states=(ControllerState(total, rate=error),),
            reference=(wanted,),
            parameters={key: value for each in parameters for key, value in each.items()},
        )


class InverseDynamics(Controller):
    """M (r'' + kp e + kd e') + bias: each joint is a double integrator that follows its reference."""

    def design(self) -> Law:
        e = self.equations
        wanted = [Reference(q.name, 2, default=Fraction(0), quantity=q) for q in e.q]
        (kp, of_kp), (kd, of_kd) = gain("kp", 100), gain("kd", 20)
        udot = [
            r.symbols[2] + kp * (r.symbols[0] - q) + kd * (r.symbols[1] - u)
            for r, q, u in zip(wanted, e.q, e.u, strict=True)
        ]
        efforts = [row + b for row, b in zip(e.mass_matrix @ ph.Vector(udot), e.bias, strict=True)]
        return Law(dict(zip(e.tau, efforts, strict=True)), reference=tuple(wanted), parameters={**of_kp, **of_kd})
