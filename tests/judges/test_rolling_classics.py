"""Rolling and gliding bodies against their closed forms: disc, sleigh, snakeboard, rattleback.

Disc: E. J. Routh, Advanced Dynamics. Sleigh: S. A. Chaplygin (1911). Snakeboard: J. P. Ostrowski, J. W. Burdick, A. D.
Lewis and R. M. Murray (1995). Rattleback: T. R. Kane and D. A. Levinson (1982), whose numbers these are.
"""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph
from polhode.expr import as_expr, cos, directional, evaluate, sin, sqrt, substitute

G = 9.81


def six(names: list[str]) -> dict[str, object]:
    """A joint that lets a body shift, then yaw, lean and spin: type and names."""
    kind = ph.Compound(*(ph.Prismatic(axis) for axis in "xyz"), *(ph.Revolute(axis) for axis in "zxy"))
    return {"joint": kind, "coordinates": names, "speeds": [f"d {name}" for name in names]}


@cache
def disc() -> ph.Equations:
    s = ph.System("rolling disc", gravity=(0, 0, "-9.81"))
    m, r, A, C = (s.parameter(name, value) for name, value in (("m", 2), ("r", 0.4), ("A", 0.09), ("C", 0.16)))
    body = s.body("disc", m, inertia=(A, C, A))
    joint = six(["x", "y", "z", "yaw", "lean", "spin"])
    s.joint("flight", s.ground, body, joint.pop("joint"), **joint)
    s.roll_wheel("contact", body, r, "y")
    return s.derive("composite_body", independent=["d yaw", "d lean", "d spin"])


def named(equations: ph.Equations) -> dict[str, ph.Expr]:
    found = [*equations.q, *equations.u, *(p.symbol for p in equations.system.parameters.values())]
    return {symbol.name: symbol for symbol in found}


def unforced(equations: ph.Equations) -> dict[str, ph.Expr]:
    """The accelerations by name, without efforts."""
    found = substitute(list(equations.forward_dynamics), dict.fromkeys(equations.tau, as_expr(0)))
    return dict(zip(equations.speeds, found, strict=True))


def test_a_disc_leans_and_turns_as_routh_found() -> None:
    made = disc()
    k, udot = named(made), unforced(made)
    m, r, A, C, lean = (k[name] for name in ("m", "r", "A", "C", "lean"))
    turn, tilt = k["d yaw"], k["d lean"]
    n = k["d spin"] + turn * sin(lean)  # the angular velocity along the axle
    n_rate = udot["d spin"] + udot["d yaw"] * sin(lean) + turn * tilt * cos(lean)
    level = udot["d yaw"] * cos(lean) - turn * tilt * sin(lean)  # rate of that across the axle and the heading
    left = [(A + m * r**2) * udot["d lean"], (C + m * r**2) * n_rate, A * level]
    right = [
        m * G * r * sin(lean) - A * turn**2 * sin(lean) * cos(lean) + (C + m * r**2) * n * turn * cos(lean),
        -m * r**2 * turn * tilt * cos(lean),
        tilt * (A * turn * sin(lean) - C * n),
    ]
    dice = np.random.default_rng(1)
    for _ in range(5):  # the contact has √(cos² lean), which is cos lean where the disc stands
        point = {symbol: dice.uniform(0.1, 1.2) for symbol in k.values()}
        assert_allclose(evaluate(left, point), evaluate(right, point), rtol=1e-11)


def test_a_disc_rolls_upright_if_it_is_fast_enough() -> None:
    made = disc()
    m, r, A, C = (float(made.system.parameters[name].value) for name in ("m", "r", "A", "C"))
    critical = np.sqrt(m * G * r * A / (C * (C + m * r * r)))

    def grows(n: float) -> float:
        linear = made.linearize({"z": made.system.parameters["r"].symbol, "d(d spin)": n})
        assert not any(linear.residual)
        return float(max(linear.eigenvalues().real))

    slow, fast = 0.9 * critical, 1.1 * critical
    rate = np.sqrt((m * G * r - C * (C + m * r * r) * slow**2 / A) / (A + m * r * r))
    assert grows(slow) == pytest.approx(rate, rel=1e-6) and grows(fast) < 1e-6


def test_a_leaning_disc_rolls_round_a_circle() -> None:
    made = disc()
    lean, turn = 0.3, -2.0
    m, r, A, C = (float(made.system.parameters[name].value) for name in ("m", "r", "A", "C"))
    n = (A * turn**2 * np.sin(lean) - m * G * r * np.tan(lean)) / ((C + m * r * r) * turn)
    start = {"z": r * np.cos(lean), "lean": lean}
    speeds = {"d yaw": turn, "d spin": n - turn * np.sin(lean)}
    run = made.simulate(2 * np.pi / abs(turn), start=start, speeds=speeds, rtol=1e-11, atol=1e-12)
    assert_allclose(run["lean"], lean, atol=1e-8)
    radius = abs(n * r / turn)
    assert np.ptp(run["x"]) == pytest.approx(2 * radius, rel=1e-3)
    assert_allclose([run["x"][-1], run["y"][-1]], [0, 0], atol=1e-8)
    assert run.energy_drift < 1e-9


@cache
def sleigh() -> ph.Equations:
    s = ph.System("Chaplygin's sleigh", gravity=(0, 0, 0))
    m, a, I = (s.parameter(name, value) for name, value in (("m", 3), ("a", 0.2), ("I", 0.5)))
    body = s.body("sleigh", m, com=(a, 0, 0), inertia=(I, I, I))
    s.joint("ice", s.ground, body, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
    s.knife_edge("runner", body)
    return s.derive("kane", independent=["v", "w"])


def test_a_sleigh_obeys_chaplygins_equations() -> None:
    made = sleigh()
    k, udot = named(made), unforced(made)
    m, a, I, v, w = (k[name] for name in ("m", "a", "I", "v", "w"))
    assert udot["v"] == a * w**2 and udot["w"] == -m * a * v * w / (I + m * a**2)
    (force,) = substitute(list(made.multipliers), dict.fromkeys(made.tau, as_expr(0)))
    assert force == m * v * w * I / (I + m * a**2)


def test_a_sleigh_turns_round_and_runs_ahead_as_a_hyperbolic_tangent() -> None:
    made = sleigh()
    m, a, I = (float(made.system.parameters[name].value) for name in ("m", "a", "I"))
    b = np.sqrt((I + m * a * a) / m)
    V, t_0 = 1.5, 1.0
    rate = a * V / b**2
    start = {"v": V * np.tanh(-rate * t_0), "w": V / b / np.cosh(rate * t_0)}
    run = made.simulate(6, speeds=start, rtol=1e-11, atol=1e-12)
    phase = rate * (run.t - t_0)
    assert_allclose(run.speed("v"), V * np.tanh(phase), atol=1e-9)
    assert_allclose(run.speed("w"), V / b / np.cosh(phase), atol=1e-9)
    turned = 2 * b / a * (np.arctan(np.exp(phase)) - np.arctan(np.exp(phase[0])))  # ∫ sech = 2 arctan exp
    assert_allclose(run["angle"], turned, atol=1e-9)


def snakeboard() -> ph.System:
    """A board on two steered trucks that turn against each other, and a rotor in its middle."""
    s = ph.System("snakeboard", gravity=(0, 0, 0))
    m, l, J_r, J_w = (s.parameter(name, value) for name, value in (("m", 6), ("l", 0.2), ("J_r", 0.05), ("J_w", 0.01)))
    board = s.body("board", m, inertia=(0, 0, m * l**2 - J_r - 2 * J_w))
    rotor = s.body("rotor", 0, inertia=(0, 0, J_r))
    front, back = (s.body(name, 0, inertia=(0, 0, J_w)) for name in ("front", "back"))
    s.joint("plane", s.ground, board, ph.Planar(), coordinates=["angle", "x", "y"], speeds=["w", "v", "side"])
    s.joint("rotor", board, rotor, ph.Revolute("z"), coordinates=["psi"], speeds=["d psi"])
    s.joint("front", board, front, ph.Revolute("z"), at=(l, 0, 0), coordinates=["phi"], speeds=["d phi"])
    s.joint("back", board, back, ph.Revolute("z"), at=(-l, 0, 0))
    s.couple("back", "front", -1)
    s.knife_edge("front wheels", front)
    s.knife_edge("back wheels", back)
    return s


def test_a_snakeboard_obeys_its_momentum_equation() -> None:
    made = snakeboard().derive("newton_euler", independent=["v", "d psi", "d phi"])
    k = named(made)
    m, l, J_r, phi = (k[name] for name in ("m", "l", "J_r", "phi"))
    dependent_speeds = made.dependent_speeds
    assert dependent_speeds is not None
    speeds = dict(zip(made.tree.speeds, dependent_speeds.E @ dependent_speeds.u, strict=True))
    # The momentum along the motion that keeps both angles: ahead with 2 l cos² φ, turning with sin 2φ.
    p = as_expr(
        2 * l * cos(phi) ** 2 * m * speeds["v"]
        + 2 * sin(phi) * cos(phi) * (m * l**2 * speeds["w"] + J_r * speeds["d psi"])
    )
    outside = {tau: as_expr(0) for tau in made.tau if tau.name in ("w", "v", "side")}  # motors act on φ and ψ alone
    udot = substitute(list(made.forward_dynamics), outside)
    motion = [*zip(made.q, made.coordinate_rates, strict=True), *zip(made.u, udot, strict=True)]
    steering, spinning = k["d phi"], k["d psi"]
    expected = 2 * J_r * cos(phi) ** 2 * steering * spinning - sin(phi) / cos(phi) * steering * p
    assert directional([p], dict(motion)) == [expected]


@cache
def rattleback() -> ph.Equations:
    """The lower half of an ellipsoid, whose axes of inertia are not its own (by D)."""
    s = ph.System("rattleback", gravity=(0, 0, "-9.81"))
    numbers = (("a", 0.2), ("b", 0.03), ("c", 0.02), ("h", 0.01), ("D", -0.00002))
    a, b, c, h, D = (s.parameter(name, value) for name, value in numbers)
    stone = s.body("stone", 1, (0, 0, -h), (0.0002, 0.0016, 0.0017, D, 0, 0))
    joint = six(["x", "y", "z", "yaw", "roll", "pitch"])
    x, y, z, yaw, roll, pitch = s.joint("flight", s.ground, stone, joint.pop("joint"), **joint).q
    R = ph.rotation(("z", yaw), ("x", roll), ("y", pitch))
    up = R[2]  # the plane's normal in the stone: the ellipsoid's lowest point is where its own normal is against it
    reach = sqrt((a * up[0]) ** 2 + (b * up[1]) ** 2 + (c * up[2]) ** 2)
    lowest = R @ ph.Vector([-(a**2) * up[0] / reach, -(b**2) * up[1] / reach, -(c**2) * up[2] / reach])
    s.constrain(z - reach, "touch")
    s.no_slip("grip", stone, at=ph.Vector([x, y, z]) + lowest, directions=["x", "y"])
    return s.derive("composite_body", independent=["d yaw", "d roll", "d pitch"])


def spectrum(spin: float, **parameters: float) -> np.ndarray:
    """Eigenvalues of a spin about the vertical; the rocking ones, slower first, of each pair the one turning ahead."""
    linear = rattleback().linearize({"z": rattleback().system.parameters["c"].symbol, "d(d yaw)": spin})
    assert not any(linear.residual)
    found = linear.eigenvalues(parameters)
    return np.array(sorted((value for value in found if value.imag > 1), key=lambda value: value.imag))


def test_a_rattleback_at_rest_rocks_about_the_centres_of_its_curvature() -> None:
    low = 0.02 - 0.01  # how high the mass centre is
    about_x = G * (0.03**2 / 0.02 - low) / (0.0002 + low**2)
    about_y = G * (0.2**2 / 0.02 - low) / (0.0016 + low**2)
    assert_allclose(spectrum(0.0, D=0.0), [1j * np.sqrt(about_x), 1j * np.sqrt(about_y)], rtol=1e-9, atol=1e-9)


def test_a_rattleback_has_a_wrong_way_round() -> None:
    ahead, back = spectrum(5.0), spectrum(-5.0)
    assert_allclose(back, -ahead.conj(), rtol=1e-9)  # played backwards, a motion spins the other way
    assert back[1].real > 2 and back[0].real < 0  # spun the wrong way, the fast rocking about y grows, soon
    assert ahead[1].real < -2 and 0.1 < ahead[0].real < 0.3  # and the right way the slow one about x, at leisure
    assert_allclose(spectrum(5.0, D=0.0).real, 0, atol=1e-9)  # with its axes in line, it does not matter
