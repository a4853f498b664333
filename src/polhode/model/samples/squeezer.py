"""Andrews' squeezing mechanism, the benchmark of seven bodies and three loops in a plane.

W. Schiehlen (ed.), "Multibody Systems Handbook" (1990); E. Hairer and G. Wanner, "Solving Ordinary Differential
Equations II", section VII.7; F. Mazzia and C. Magherini, "Test Set for Initial Value Problem Solvers", problem
`andrews`. Lengths, masses, moments and angles have the names that they have there.
"""

from __future__ import annotations

from ..joints import Revolute
from ..system import System

#: Name, value and unit; a spring of stiffness c0 draws D towards C, a torque mom drives the crank.
PARAMETERS = {
    **{f"m{k}": (m, "kg") for k, m in enumerate((0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498), 1)},
    **{
        f"I{k}": (moment, "kg m²")
        for k, moment in enumerate((2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5), 1)
    },
    "xa": (-0.06934, "m"), "ya": (-0.00227, "m"), "xb": (-0.03635, "m"), "yb": (0.03273, "m"), "xc": (0.014, "m"),
    "yc": (0.072, "m"), "d": (0.028, "m"), "da": (0.0115, "m"), "e": (0.02, "m"), "ea": (0.01421, "m"),
    "rr": (0.007, "m"), "ra": (0.00092, "m"), "ss": (0.035, "m"), "sa": (0.01874, "m"), "sb": (0.01043, "m"),
    "sc": (0.018, "m"), "sd": (0.02, "m"), "ta": (0.02308, "m"), "tb": (0.00916, "m"), "u": (0.04, "m"),
    "ua": (0.01228, "m"), "ub": (0.00449, "m"), "zf": (0.02, "m"), "zt": (0.04, "m"), "fa": (0.01421, "m"),
    "mom": (0.033, "N m"), "c0": (4530, "N/m"), "l0": (0.07785, "m"),
}  # fmt: skip

#: Where the run of the test set begins, at rest.
START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.455279819163070380,
    "Phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "Omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}


def squeezing_mechanism() -> System:
    """Crank K1 and rod K2 move P, to which arm K3 with a spring and the pairs K5–K4 and K7–K6 are joined."""
    s = System("squeezing mechanism", gravity=(0, 0, 0))
    p = {name: s.parameter(name, value, unit) for name, (value, unit) in PARAMETERS.items()}
    A, B, C = ((p[f"x{at}"], p[f"y{at}"], 0) for at in "abc")
    centres = {
        1: (p["ra"], 0, 0), 2: (-p["da"], 0, 0), 3: (p["sb"], -p["sa"], 0), 4: (0, p["ea"] - p["e"], 0),
        5: (p["ta"], p["tb"], 0), 6: (p["zf"] - p["fa"], 0, 0), 7: (-p["ub"], -p["ua"], 0),
    }  # fmt: skip
    K = {k: s.body(f"K{k}", p[f"m{k}"], at, (p[f"I{k}"] / 2, p[f"I{k}"] / 2, p[f"I{k}"])) for k, at in centres.items()}

    turn = Revolute("z")
    crank = s.joint("beta", s.ground, K[1], turn)
    s.joint("Theta", K[1], K[2], turn, at=(p["rr"], 0, 0))
    s.joint("gamma", s.ground, K[3], turn, at=B)
    s.joint("delta", s.ground, K[5], turn, at=A)
    s.joint("Phi", K[5], K[4], turn, at=(p["zt"], 0, 0))
    s.joint("epsilon", s.ground, K[7], turn, at=A)
    s.joint("Omega", K[7], K[6], turn, at=(0, -p["u"], 0))

    P = s.frame("P", K[2], at=(-p["d"], 0, 0))
    s.close("P on K3", P, K[3], turn, at_b=(0, -p["ss"], 0))
    s.close("P on K4", P, K[4], turn, at_b=(0, -p["e"], 0))
    s.close("P on K6", P, K[6], turn, at_b=(p["zf"], 0, 0))

    D = s.frame("D", K[3], at=(p["sd"], -p["sc"], 0))
    s.spring(D, s.ground, p["c0"], p["l0"], at_b=C)
    s.joint_force(crank, p["mom"])
    s.pose("start", START)
    return s
