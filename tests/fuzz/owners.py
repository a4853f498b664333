"""Objects whose methods are called with wrong arguments, one of each public class of results; made once a process."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import polhode as ph


def system() -> ph.System:
    """An arm of two joints with a motorless effort on each, and a free body c; a new one each time."""
    s = ph.System("fuzz")
    m = s.parameter("m", 2)
    a = s.body("a", mass=1, com=(0, 0, 1), inertia=(1, 1, 1))
    b = s.body("b", mass=m, com=(0, 0, 0.3), inertia=(1, 1, 1))
    s.joint("hinge", s.ground, a, ph.Revolute("y"), limits=(-2, 2))
    s.joint("slide", a, b, ph.Prismatic("x"), limits=(-2, 2))
    s.frame("tip", b, (0, 0, 1))
    return s


def _equations() -> ph.Equations:
    return system().derive()


def _run() -> Any:
    return made("equations").simulate(0.01, samples=5, start={"hinge": 0.1})


MAKERS: dict[str, Callable[[], Any]] = {
    "equations": _equations,
    "functions": lambda: made("equations").compile(backend="numpy"),
    "run": _run,
    "batch": lambda: made("equations").simulate(0.01, samples=3, start={"hinge": np.linspace(0, 1, 3)}),
    "sweep": lambda: made("equations").sweep({"m": [1, 2]}, 0.01, workers=1),
    "stepper": lambda: made("equations").stepper(dt=0.01),
    "sensitivities": lambda: made("equations").sensitivities(0.01, ["m"]),
    "small": lambda: made("equations").linearize(),
    "along": lambda: made("equations").linearize_along(made("run")),
    "assembly": lambda: made("equations").assemble(),
    "fit": lambda: made("equations").identify(made("equations").simulate(0.5, tau={"hinge": "sin(7*t)"}, samples=40)),
    "equilibrium": lambda: made("equations").equilibrium(),
    "lqr": lambda: ph.control.LQR(made("small"), Q=[1, 1, 1, 1], R=[1, 1]),
    "torque": lambda: ph.control.ComputedTorque(made("equations"), 10, 5),
    "collocation": lambda: made("equations").collocation(0.1, nodes=4, inputs=["tau_hinge"]),
    "rotation": lambda: ph.Rotation.from_rotvec([0.1, 0.2, 0.3]),
    "pose": lambda: ph.Pose.identity(),
    "spline": lambda: ph.RotationSpline([0, 1], [ph.Rotation.identity(), ph.Rotation.from_rotvec([0.1, 0.2, 0.3])]),
    "dual": lambda: ph.dual(1.0, 2.0),
    "joint": lambda: system().joints["hinge"],
    "body": lambda: system().bodies["a"],
    "arrow": lambda: system().bodies["a"].x,
    "point": lambda: system().bodies["a"].origin,
    "matrix": lambda: ph.Matrix([[1, 0], [0, ph.symbol("w")]]),
    "vector": lambda: ph.Vector([1, 2, ph.symbol("w")]),
    "expr": lambda: ph.symbol("w") ** 2,
    "function": lambda: ph.table([0, 1, 2], [0, 1, 4]),
}  # fmt: skip


@cache
def made(name: str) -> Any:
    """The object of this name."""
    return system() if name == "system" else MAKERS[name]()
