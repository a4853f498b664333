"""Small modules of dynamics: centroidal momenta, dropped terms, Coriolis matrices, followers, frames, momenta."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused
from tests.seeds import SMALL_TREES, seeds

import polhode as ph
from polhode.dynamics.canonical import canonical, why_not_canonical
from polhode.expr import as_expr, directional, evaluate, is_zero, same, substitute
from polhode.kinematics.motion import flow
from polhode.model.samples import four_bar
from polhode.model.samples.random_system import random_system


@pytest.mark.parametrize("seed", range(4))
def test_linear_momentum_is_the_mass_times_the_rate_of_the_mass_centre(seed: int) -> None:
    equations = random_system(seed, bodies=3).derive("newton_euler")
    mass = equations.mass_moment[0]
    rate = directional([as_expr(x) for x in equations.center_of_mass], flow(equations.tree, equations.system.time))
    assert same([mass * x for x in rate], list(equations.centroidal_momentum[1]))


def test_momenta_about_the_mass_centre() -> None:
    equations = random_system(2, bodies=3).derive()
    spin, linear = equations.centroidal_momentum
    assert same(list(equations.centroidal_matrix @ equations.u), [*spin, *linear])
    s = ph.System("sledge")
    s.joint("glide", s.ground, s.body("block", 2, com=(1, 2, 3), inertia=(1, 1, 1)), ph.Prismatic("x"))
    assert all(is_zero(as_expr(x)) for x in s.derive().centroidal_momentum[0])
    s = ph.System("ghost")
    s.joint("glide", s.ground, s.body("block", 0, inertia=(1, 1, 1)), ph.Revolute("x"))
    refused("have no mass", lambda: s.derive().center_of_mass)


def test_what_is_dropped_is_the_second_order_and_what_is_beyond() -> None:
    s = ph.System("cart")
    s.joint("x", s.ground, s.body("cart", 3), ph.Prismatic("x"))
    s.joint("swing", "cart", s.body("bob", 2, (0, 0, -1)), ph.Revolute("y"))
    made = s.derive(small=["swing"])
    lost = {part.name: part for part in made.dropped}
    assert set(lost) == {"x", "swing"}
    assert lost["x"].second == 0  # cos(swing) swing'' - sin(swing) swing'² loses terms of third order
    assert str(lost["x"]) == "equation of 'x': higher orders" and lost["swing"].has_more
    swing, push = made.q[1], made.udot[0]
    assert lost["swing"].second == swing**2 * push
    assert not s.derive(small=["swing", "x"]).dropped["swing"].products  # the push is small then, and all of it beyond
    refused("there is no equation that lost anything 'z'", lambda: made.dropped["z"])


def test_products_of_small_variables_are_listed() -> None:
    s = ph.System("whirl", gravity=(0, 0, 0))
    s.joint("turn", s.ground, s.body("arm"), ph.Revolute("z"))
    s.joint("slide", "arm", s.body("bead", 2), ph.Prismatic("x"))
    made = s.derive(small=["slide"])
    (part,) = made.dropped
    slide, speed = made.q[1], made.u[1]
    assert part.products == ((slide, slide), (slide, speed)) and not part.has_more
    gap = s.derive().inverse_dynamics[0] - made.inverse_dynamics[0]
    assert part.second == gap and substitute([part.second], {slide: 0})[0] == 0


def test_whole_equations_dropped_nothing() -> None:
    s = ph.System("slider")
    s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    assert str(s.derive().dropped) == "nothing was dropped." and len(s.derive(small=["x"]).dropped) == 0


def arm() -> ph.System:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    m = s.parameter("m", 2)
    s.joint("pan", s.ground, s.body("post", m, (0.1, 0, 0.2), inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("lift", "post", s.body("link", m, (0.5, 0.1, 0), inertia=(1, 2, 2)), ph.Revolute("y"), at=(0.2, 0, 1))
    s.joint("reach", "link", s.body("hand", 1, (0, 0, 0.3)), ph.Prismatic("x"), at=(0.5, 0, 0))
    return s


def test_it_is_compiled_in_batches_and_exported(tmp_path: Path) -> None:
    e = arm().derive()
    f, q, u = e.compile(), np.linspace(-1, 1, 12).reshape(4, 3), np.linspace(2, -1, 12).reshape(4, 3)
    C = f.coriolis_matrix(q, u)
    assert C.shape == (4, 3, 3)
    values = dict(zip((*e.q, *e.u), (*q[1], *u[1]), strict=True)) | {e.system.parameters["m"].symbol: 2.0}
    exact = evaluate([as_expr(entry) for entry in e.coriolis_matrix.entries()], values)
    assert C[1].ravel() == pytest.approx(exact, rel=1e-12)
    written = e.export("c", tmp_path, of="coriolis_matrix")
    assert any("Coriolis matrix, " in path.read_text() for path in written if path.suffix == ".c")
    assert "\\cos" in e.latex("C")


def gripper(driven: bool) -> ph.System:
    s = ph.System("gripper")
    r = s.parameter("r", -2)
    s.joint("wrist", s.ground, s.body("palm", 1, ("0.1", 0, "0.2"), (1, 2, 3)), ph.Revolute("x"))
    s.joint("left", "palm", s.body("one", 1, (0, "0.1", 0), (1, 1, 1)), ph.Revolute("y"), at=("0.1", 0, 0))
    s.joint("right", "palm", s.body("two", 2, (0, "0.2", 0), (1, 2, 1)), ph.Prismatic("z"), at=(0, "0.1", 0))
    s.joint_spring("right", 5, damping=2)
    s.couple("right", "left", r, "0.3")
    if driven:
        s.prescribe("wrist", ph.sin(3 * s.time))
    return s


@pytest.mark.parametrize(
    "formalism", ["uicker_kahn", "hollerbach_4x4", "hollerbach_3x3", "stepanenko_vukobratovic", "orin", "silver"]
)
@pytest.mark.parametrize("driven", [False, True])
def test_historical_formalisms_take_followers_and_drives(formalism: str, driven: bool) -> None:
    s = gripper(driven)
    assert s.derive(formalism).agrees_with(s.derive("newton_euler"))


def test_dependent_speeds_and_their_accelerations_are_put_in() -> None:
    from polhode.model.samples.vehicles import INDEPENDENT, whipple_bicycle

    bicycle = whipple_bicycle()
    ride = bicycle.derive("composite_body", independent=INDEPENDENT)
    free = bicycle.derive("composite_body")
    body = [*ride.tree.bodies][-1]
    f, g = ride.compile(), free.compile()
    start = ride.assemble({"lean": 0.1, "steer": 0.2}, parameters={"v": 4.0})
    u, udot = np.array([0.3, -4.0, 0.5]), np.array([1.0, 2.0, -3.0])
    dependent = ride.dependent_speeds
    assert dependent is not None
    from polhode.expr import evaluate, free_symbols

    whole = [*(dependent.E @ ride.u + dependent.e), *(dependent.E @ ride.udot + dependent.gamma)]
    known = dict(zip(ride.q, map(float, start.q), strict=True)) | dict(zip(ride.u, u, strict=True))
    known |= dict(zip(ride.udot, udot, strict=True))
    table = {entry.symbol: 4.0 if name == "v" else float(entry.value) for name, entry in bicycle.parameters.items()}
    known |= table
    numbers = evaluate([as_expr(x) for x in whole], {x: known[x] for x in free_symbols([as_expr(x) for x in whole])})
    size = len(numbers) // 2
    expected = g.frame_acceleration(body, start.q, numbers[:size], numbers[size:], parameters={"v": 4.0})
    assert_allclose(f.frame_acceleration(body, start.q, u, udot, parameters={"v": 4.0}), expected, rtol=1e-9, atol=1e-9)


def test_bias_acceleration_is_what_is_left_without_accelerations_and_a_frame_that_is_none_gets_a_sentence() -> None:
    equations = random_system(3, bodies=3).derive()
    f, name = equations.compile(), [*equations.tree.bodies][-1]
    rng = np.random.default_rng(1)
    q, u = (rng.normal(size=(5, len(x))) for x in (equations.q, equations.u))
    parameters = {entry: 1.3 for entry, value in equations.system.parameters.items() if value.value is None}
    assert_allclose(
        f.bias_acceleration(name, q, u, parameters=parameters),
        f.frame_acceleration(name, q, u, np.zeros_like(u), parameters=parameters),
        rtol=1e-12,
        atol=1e-12,
    )
    refused("there is no body or frame 'hand'", lambda: random_system(1, bodies=1).derive().frame_acceleration("hand"))


@pytest.mark.parametrize("seed", seeds(SMALL_TREES[:6], SMALL_TREES))
def test_momenta_move_as_mass_matrix_and_accelerations_say(seed: int) -> None:
    equations = random_system(seed, bodies=(1, 6), max_speeds=8).derive()
    if why_not_canonical(equations.record):
        pytest.skip(why_not_canonical(equations.record))
    functions, rng, n = equations.compile(), np.random.default_rng(seed), len(equations.q)
    q, u = rng.normal(size=n), rng.normal(size=len(equations.u))
    for first in equations.tree.quaternions:
        q[first : first + 4] /= np.linalg.norm(q[first : first + 4])
    tau = rng.normal(size=len(u))
    x = np.concatenate([q, functions.evaluate("canonical_momenta", q, u)])
    assert functions.evaluate("canonical_speeds", x) == pytest.approx(u, rel=1e-9, abs=1e-9)
    rates = functions.evaluate("canonical_rates", x, tau)
    assert rates[:n] == pytest.approx(functions.coordinate_rates(q, u), rel=1e-9, abs=1e-9)
    there = np.concatenate([functions.coordinate_rates(q, u), functions.forward_dynamics(q, u, tau)])
    native = functions.native("canonical_momenta")
    at = native.with_parameters(functions.parameter_values("canonical_momenta"))
    d = 1e-5
    ends = [at(q + s * d * there[:n], u + s * d * there[n:]) for s in (1, -1)]
    size = 1 + np.abs(rates).max()
    assert (ends[0] - ends[1]) / (2 * d) == pytest.approx(rates[n:], abs=2e-6 * size)


def test_momenta_that_nothing_changes_are_seen_to_be_constant_and_what_has_no_momenta_says_why() -> None:
    s = ph.System("stone", gravity=(0, 0, 0))
    s.joint("air", s.ground, s.body("stone", 1, (0.1, 0.2, 0), (1, 2, 2.5)), ph.Free())
    record = s.derive().record
    rates = canonical(record).rates
    pushed = dict.fromkeys(record.tau, 0)
    assert [is_zero(rate.subs(pushed)) for rate in rates[-3:]] == [True] * 3
    driven = ph.System("driven")
    swing = driven.joint("swing", driven.ground, driven.body("arm", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("y"))
    driven.joint("tip", driven.bodies["arm"].name, driven.body("bob", 1, (0, 0, -1), (1, 1, 1)), ph.Revolute("x"))
    driven.prescribe(swing, ph.sin(driven.time))
    skew = ph.System("skew")
    two_axes = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    skew.joint("hook", skew.ground, skew.body("bob", 1, (0, 0, -1), (1, 1, 1)), two_axes)
    for system, reason in ((driven, "prescribed"), (skew, "not holonomic"), (four_bar(), "constraints")):
        assert reason in why_not_canonical(system.derive().record)
        with pytest.raises(ph.PolhodeError, match="has no canonical momenta"):
            canonical(system.derive().record)
