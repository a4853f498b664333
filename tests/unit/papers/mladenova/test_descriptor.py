"""The descriptor form holds what the equations hold, on all speeds, on independent ones and in pseudo-velocities."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.random_constraints import random_constrained_system
from tests.refusals import refused
from tests.seeds import seeds

import polhode as ph
from polhode.expr import as_expr, directional, evaluate, is_zero, rank, same, substitute, symbol
from polhode.papers.mladenova.descriptor import least_efforts, weights_of


def test_without_constraints_it_is_regular() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    found = s.derive().descriptor()
    assert found.states == ["hinge", "hinge'"] and rank(found.E) == 2


@pytest.mark.parametrize("seed", seeds(2, of=4))
def test_on_independent_speeds_it_has_the_motion_and_the_multipliers(seed: int) -> None:
    made = random_constrained_system(seed).derive("newton_euler", constraints="embedded")
    found = made.descriptor()
    multipliers = found.x[len(made.q) + len(made.u) :]
    rates = [*made.coordinate_rates, *made.forward_dynamics, *(as_expr(0) for _ in multipliers)]
    right = substitute(list(found.f), dict(zip(multipliers, made.multipliers, strict=True)))
    assert same(found.E @ ph.Vector(rates), right) and len(found.E) == len(found.x) == len(found.f)


def body(kind: ph.Spherical | ph.Free | ph.JointMap) -> ph.Equations:
    s = ph.System("body")
    s.joint("turn", s.ground, s.body("body", 1, inertia=(1, 2, 3)), kind)
    return s.derive()


def test_structure_coefficients_of_bodies_and_rates_and_what_is_no_coefficient_is_told() -> None:
    found = body(ph.Spherical()).structure_coefficients
    assert found.are_constant
    for k in range(3):
        for i in range(3):
            for j in range(3):
                assert found[k, i, j] == (k - j) * (j - i) * (i - k) // 2  # γ_kij = ε_kji
    found = body(ph.Free()).structure_coefficients
    assert found.are_constant and not any(found.by_time.entries())
    assert len(found.nonzero) == 18  # ε three times: turns with turns, turns with shifts, shifts with turns


def test_of_oblique_axes_they_are_numbers() -> None:
    """γ_kij = (H⁻¹ (h_k × h_j))_i, for three axes that are fixed in the body."""
    axes = np.array([[1, 0.6, 0], [0, 0.8, 0], [0, 0, 1]])
    H = [["1", "3/5", 0], [0, "4/5", 0], [0, 0, 1], *([[0] * 3] * 3)]
    found = body(ph.JointMap(H)).structure_coefficients
    assert found.are_constant and all(value.is_number for value in found.nonzero.values())
    for k, j in product(range(3), repeat=2):
        own = np.linalg.solve(axes, np.cross(axes[:, k], axes[:, j]))
        np.testing.assert_allclose([float(found[k, i, j]) for i in range(3)], own, atol=1e-15)
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1, (1, 0, 0)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 1, (1, 0, 0)), ph.Revolute("z"), at=(1, 0, 0))
    assert not s.derive().structure_coefficients.nonzero
    found = body(ph.Spherical()).structure_coefficients
    refused("Did you mean 'turn_wz'", lambda: found["turn_w", 0, 0], code="E-DERIVE-NAME")
    refused("no pseudo-velocity '3'", lambda: found[3, 0, 0])
    refused("three indices", lambda: found[0, 1])  # type: ignore[index]


def arm() -> ph.System:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    before, at = s.ground, as_expr(0)
    for name in ("shoulder", "elbow"):
        m, l = s.parameter(f"m {name}", 2), s.parameter(f"l {name}", 0.7)
        link = s.body(f"link {name}", m, (l / 2, 0, 0), ph.rod(m, l, "x"))
        s.joint(name, before, link, ph.Revolute("y"), at=(at, 0, 0))
        before, at = link, l
    s.frame("tip", before, at=(at, 0, 0))
    return s


def follows(equations: ph.Equations, control: dict[str, Any], conditions: list[Any], twice: bool) -> bool:
    """Whether the conditions' rates vanish along the motion under control: first, or second ones."""
    tree = equations.tree
    efforts = {tau: control.get(name, as_expr(0)) for name, tau in zip(tree.speeds, tree.tau, strict=True)}
    udot = substitute(list(equations.forward_dynamics), efforts)
    motion = dict(zip(equations.q, equations.coordinate_rates, strict=True)) | dict(zip(equations.u, udot, strict=True))
    motion[equations.system.time] = as_expr(1)
    bound = [as_expr(entry) for entry in equations.record.in_independent_speeds(conditions)]
    rates = directional(bound, motion)
    return not any(directional(rates, motion) if twice else rates)


def test_a_tip_follows_its_path_under_the_computed_efforts_and_with_all_actuators_it_is_inverse_dynamics() -> None:
    s = arm()
    made = s.derive("newton_euler")
    tip = made.pose("tip").p
    path = [tip[0] - 1 - ph.sin(s.time) / 10, tip[2] - ph.cos(2 * s.time) / 10]
    found = made.programme_control(path, ["shoulder", "elbow"])
    assert rank(found.G) == 2 and follows(made, found.control, path, twice=True)
    assert not follows(made, {**found.control, "elbow": -found.control["elbow"]}, path, twice=True)
    s = arm()
    made = s.derive("newton_euler")
    wanted = {"shoulder": ph.sin(s.time), "elbow": s.time**2}
    found = made.programme_control([q - wanted[q.name] for q in made.q], ["shoulder", "elbow"])
    udot = dict(zip(made.udot, [-ph.sin(s.time), as_expr(2)], strict=True))
    assert same(found.control.values(), substitute(list(made.inverse_dynamics), udot))


def cart() -> ph.System:
    """Two wheels on one axle, that roll; a pole swings on it, which nothing drives."""
    s = ph.System("cart", gravity=(0, 0, "-9.81"))
    deck = s.body("deck", 5, inertia=(1, 1, 1))
    s.joint("floor", s.ground, deck, ph.Planar(), coordinates=["heading", "x", "y"], speeds=["w", "v", "side"])
    for name, side in (("left", 1), ("right", -1)):
        wheel = s.body(name, 1, inertia=ph.disc(1, 0.5, "y"))
        s.joint(name, deck, wheel, ph.Revolute("y"), at=(0, side, 0.5))
        s.roll_wheel(f"{name} tyre", wheel, 0.5, "y")
    s.joint("pole", deck, s.body("pole", 1, com=(0, 0, 1)), ph.Revolute("y"))
    return s


@pytest.mark.parametrize("form", ["multipliers", "embedded"])
def test_driven_wheels_keep_advance_and_turn_beside_rolling(form: str) -> None:
    s = cart()
    independent = ["v", "w", "pole"] if form == "embedded" else None
    made = s.derive("composite_body", constraints=form, independent=independent)
    speed = dict(zip(made.speeds, made.u, strict=True))
    conditions = [speed["v"] - s.time, speed["w"] - ph.sin(s.time)]
    found = made.programme_control(conditions, ["left", "right"])
    assert follows(made, found.control, conditions, twice=False)


def test_what_is_off_its_programme_comes_back_as_it_was_told() -> None:
    s = arm()
    made = s.derive()
    found = made.programme_control([q - 1 for q in made.q], ["shoulder", "elbow"], pull=4)
    for name, effort in found.control.items():
        s.joint_force(name, effort)
    run = s.derive().simulate(2, rtol=1e-11, atol=1e-12)
    assert_allclose(run["elbow"], 1 - (1 + 4 * run.t) * np.exp(-4 * run.t), atol=1e-9)


@pytest.mark.parametrize(("conditions", "actuators", "code", "said"), [
    (1, ["shoulders"], "E-PAPER-NAME", "Did you mean 'shoulder'"),
    (2, ["shoulder"], "E-PAPER-SHAPE", "1 actuators are to keep 2 conditions"),
    ("twice", ["shoulder", "elbow"], "E-PAPER-SINGULAR", "only 1 can be met"),
    ("squared", ["shoulder"], "E-PAPER-DEPENDENCE", "not linear in the speeds"),
])  # fmt: skip
def test_a_programme_that_cannot_be_kept_is_refused(
    conditions: int | str, actuators: list[str], code: str, said: str
) -> None:
    made = arm().derive()
    q, u = made.q[0], made.u[0]
    given: dict[int | str, list[Any]] = {1: [q], 2: [q, made.q[1]], "twice": [q, 2 * q], "squared": [u * u - 1]}
    refused(said, lambda: made.programme_control(given[conditions], actuators), code=code)


def test_a_pull_away_from_the_programme_is_refused() -> None:
    made = arm().derive()
    said = "programme pull: -1 is not a rate of 0 or more"
    refused(said, lambda: made.programme_control([made.q[0]], ["shoulder"], pull=-1), code="E-CALL-NUMBER")


def straight_arm(links: int) -> ph.System:
    s = ph.System("arm", gravity=(0, 0, 0))
    parent = s.ground
    for k in range(links):
        body = s.body(f"link {k}", 1, com=(0.5, 0, 0), inertia=(1, 1, 1))
        s.joint(f"j{k}", parent, body, ph.Revolute("z"), at=(1 if k else 0, 0, 0))
        parent = body
    s.frame("tip", parent, at=(1, 0, 0))
    return s


def test_a_control_that_has_no_value_at_home_is_found_and_that_is_told() -> None:
    s = straight_arm(3)
    equations = s.derive()
    x, y, _ = equations.pose("tip").p
    reach = ph.sqrt(9 - x**2 - y**2) - 2  # which has no rate where the arm is straight
    made = equations.programme_control([reach, y - x / 5, s.joints["j0"].q[0] - 0.1], equations.speeds)
    assert made.notices == (
        "The home pose is singular for condition number 1: the control has no value there. Start at another pose.",
    )
    f, q, u = equations.compile(), np.array([0.3, 0.8, -0.5]), np.array([0.4, -0.2, 0.7])
    state = dict(zip([*equations.q, *equations.u], [*q, *u], strict=True))
    udot = f.forward_dynamics(q, u, evaluate(list(made.control.values()), state))

    def kept(time: float) -> np.ndarray:
        at = dict(zip(equations.q, q + time * u + time**2 / 2 * udot, strict=True))
        return np.array(evaluate([reach, y - x / 5], at))

    h = 1e-4
    assert np.abs((kept(h) - 2 * kept(0) + kept(-h)) / h**2).max() < 1e-5  # their second rates vanish


def test_conditions_that_fall_together_at_home_are_told() -> None:
    equations = straight_arm(2).derive()
    x, y, _ = equations.pose("tip").p
    made = equations.programme_control([x - 1.5, y - 0.5], ["j0", "j1"])
    assert made.notices and "condition number 1" in made.notices[0]
    bent = equations.programme_control([equations.q[0], equations.q[1]], ["j0", "j1"])
    assert not bent.notices


def sliders() -> ph.System:
    s = ph.System("two sliders")
    for name, mass in (("a", 2), ("b", 1)):
        s.joint(name, s.ground, s.body(name, mass), ph.Prismatic("x"), coordinates=[f"x{name}"], speeds=[f"v{name}"])
    return s


def craft() -> ph.System:
    """A free body with its mass aside, which carries an arm."""
    s = ph.System("craft", gravity=(0, 0, "-9.81"))
    hull = s.body("hull", s.parameter("m", 3), ("0.2", "0.1", "-0.3"), (2, 3, 4))
    s.joint("fly", s.ground, hull, ph.Free())
    s.joint("hinge", hull, s.body("arm", 1, (1, 0, 0), (1, 1, 1)), ph.Revolute("y"), at=(1, 0, 0))
    return s


@pytest.mark.parametrize("formalism", ["hamel", "kane"])
def test_a_programme_in_coordinates_speeds_and_pseudo_velocities_is_kept(formalism: str) -> None:
    s = craft()
    angle, hinge = s.joints["hinge"].q[0], s.joints["hinge"].u[0]
    wx, wy, wz, vx, vy, vz = s.joints["fly"].u
    pseudo = {"a": wx + ph.cos(angle) * hinge + ph.sin(s.time), "b": wy - vz, "c": wz, "d": vx + vy, "e": vy, "f": vz}
    options: dict[str, Any] = {"pseudo": pseudo | {"hinge": hinge}} if formalism == "hamel" else {"speeds": "sayers"}
    made = s.derive(formalism, **options)
    strange = [u for u in made.u if u not in made.tree.u]
    assert strange
    conditions = [strange[0] + ph.sin(angle) * hinge - ph.cos(s.time) / 2, strange[1] - wx + angle / 3]
    found = made.programme_control(conditions, made.tree.speeds, least="effort")
    assert follows(made, found.control, conditions, twice=False)
    run = made.simulate(0.5, tau=found.control, start={"hinge": 0.3}, rtol=1e-12, atol=1e-12)
    written = list(made.record.in_independent_speeds(conditions))
    state = [*made.q, *made.u, s.time, made.symbols["m"]]

    def at(k: int) -> list[float]:
        return evaluate(written, dict(zip(state, [*run.q[k], *run.u[k], run.t[k], 3], strict=True)))

    assert_allclose([at(k) for k in range(len(run.t))], [at(0)] * len(run.t), atol=1e-9)


def test_a_programme_of_what_has_no_known_rate_is_refused() -> None:
    s = sliders()
    signal, va = s.input("r"), s.joints["a"].u[0]
    made = s.derive("hamel", pseudo={"p": va, "d": va - s.joints["b"].u[0]})
    stranger = sliders().derive("hamel", pseudo={"p": va, "q": s.joints["b"].u[0]}).u[1]
    for wrong, kind in ((signal, "input"), (made.tau[0], "effort"), (stranger, "speed")):
        with pytest.raises(ph.PolhodeError, match=f"depends on the {kind}") as caught:
            made.programme_control([va - wrong], ["va"])
        assert caught.value.problems[0].code == "E-PAPER-DEPENDENCE"


NAMES = ["a", "b", "c"]


def carriage() -> ph.System:
    """Three masses in a row on a rail, each pushed by itself."""
    s = ph.System("carriage", gravity=(0, 0, 0))
    before = s.ground
    for name in NAMES:
        body = s.body(name, s.parameter(f"m {name}", 2))
        s.joint(name, before, body, ph.Prismatic("x"))
        before = body
    return s


def test_of_all_controls_that_keep_the_conditions_it_is_the_shortest() -> None:
    generator = np.random.default_rng(1)
    G, g = generator.integers(-9, 9, (2, 5)), generator.integers(-9, 9, 2)
    found = np.array(evaluate(list(least_efforts(ph.Matrix(G.tolist()), g.tolist())), {}))
    assert np.allclose(found, -np.linalg.pinv(G) @ g)


def test_with_weights_efforts_are_in_the_range_of_the_conditions_in_their_metric() -> None:
    """At the least, W U = Gᵀ λ for some λ: exact, with a symbol for a weight."""
    w = symbol("w")
    G = ph.Matrix([[1, 2, 3]])
    W = ph.Matrix([[w, 1, 0], [1, 3, 0], [0, 0, 2]]).map(as_expr)
    U = least_efforts(G, [-1], W)
    pushed = W @ U
    assert is_zero(U[0] + 2 * U[1] + 3 * U[2] - 1) and all(is_zero(pushed[k] - pushed[0] * (k + 1)) for k in range(3))


def test_a_programme_of_fewer_conditions_than_actuators_takes_the_least_efforts_and_a_dear_actuator_does_less() -> None:
    s = carriage()
    made = s.derive()
    middle = made.q[0] + made.q[1]
    found = made.programme_control([middle - s.time**2], NAMES, least="effort")
    assert found.G.shape == (1, 3)
    values = {p.symbol: 2.0 for p in s.parameters.values()}
    G, U = (np.array(evaluate(list(each), values)) for each in (found.G.entries(), found.control.values()))
    assert np.allclose(G @ U, 2) and np.allclose(U, -np.linalg.pinv(G[None, :])[:, 0] * -2)
    s = carriage()
    made = s.derive()
    middle = made.q[0] + made.q[1]
    plain = made.programme_control([middle - s.time**2], NAMES, least="effort").control
    dear = made.programme_control([middle - s.time**2], NAMES, least="effort", weights={"c": 100}).control
    values = {p.symbol: 2.0 for p in s.parameters.values()}
    assert abs(evaluate([dear["c"]], values)[0]) < 0.1 * abs(evaluate([plain["c"]], values)[0])


def test_weights_come_by_name_and_leave_square_problems_alone() -> None:
    s = carriage()
    made = s.derive()
    conditions = [q - s.time**2 for q in made.q]
    plain = made.programme_control(conditions, NAMES).control
    assert all(made.programme_control(conditions, NAMES, least="effort").control[n] == plain[n] for n in NAMES)
    refused("weights", lambda: weights_of("heavy", NAMES))


@pytest.mark.parametrize(
    "given", [{"b": 4}, [1, 4, 1], (1, 4, 1), np.diag([1, 4, 1]), ph.Matrix([[1, 0, 0], [0, 4, 0], [0, 0, 1]])]
)
def test_weights_come_by_name_in_order_or_as_a_matrix(given: Any) -> None:
    assert list(weights_of(given, NAMES).entries()) == [1, 0, 0, 0, 4, 0, 0, 0, 1]


@pytest.mark.parametrize(("given", "code"), [
    ({"d": 1}, "E-PAPER-NAME"), ([1, 2], "E-PAPER-SHAPE"), ([[1, 0], [0, 1]], "E-PAPER-SHAPE"),
    ([1, 2, 0], "E-PAPER-SINGULAR"), ([1, 2, -3], "E-PAPER-SINGULAR"),
    ([[1, 2, 0], [0, 1, 0], [0, 0, 1]], "E-PAPER-SINGULAR"), ([[1, 2, 0], [2, 1, 0], [0, 0, 1]], "E-PAPER-SINGULAR"),
])  # fmt: skip
def test_weights_that_are_none_are_refused(given: Any, code: str) -> None:
    refused("", lambda: weights_of(given, NAMES), code=code)


@pytest.mark.parametrize(("actuators", "options", "code", "said"), [
    (["a"], {}, "E-PAPER-SHAPE", "1 actuators are to keep 2 conditions, which are too many"),
    (["a"], {"least": "effort"}, "E-PAPER-SHAPE", "too many"),
    (NAMES, {}, "E-PAPER-SHAPE", "which they can in many ways"),
    (["a", "b", "b"], {"least": "effort"}, "E-PAPER-TWICE", "'b' is named twice"),
    (NAMES, {"least": "power"}, "E-PAPER-NAME", "'power'"),
    (NAMES, {"weights": [1, 1, 1]}, "E-PAPER-MISSING", "weights"),
])  # fmt: skip
def test_actuators_that_do_not_fit_are_told(
    actuators: list[str], options: dict[str, Any], code: str, said: str
) -> None:
    made = carriage().derive()
    refused(said, lambda: made.programme_control([made.q[0], made.q[1]], actuators, **options), code=code)
