"""Parameters from simulated noisy data, and data that do not tell."""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.dynamics.regressor import MOMENTS, StandardParameter
from polhode.expr import as_expr
from polhode.identification.fit import (
    consistent_parameters,
    is_consistent,
    made_consistent,
    measured,
    moments_of_pseudo,
    pseudo_inertia,
)

LENGTH = {"l": 0.5}


@cache
def arm() -> ph.Equations:
    s = ph.System("arm", gravity=(0, 0, "-9.81"))
    l = s.parameter("l")
    a = s.joint("a", s.ground, s.body("upper", 3, (0.2, 0.01, 0.02), (0.02, 0.05, 0.06)), ph.Revolute("z"))
    b = s.joint("b", "upper", s.body("fore", 2, (0.15, 0, 0.03), (0.01, 0.03, 0.03)), ph.Revolute("y"), at=(l, 0, 0))
    for joint, viscous, dry in ((a, 0.5, 0.3), (b, 0.2, 0.1)):
        s.joint_force(joint, -viscous * joint.u[0] - dry * ph.sign(joint.u[0]))
    s.joint_spring(b, 3)
    return s.derive()


@cache
def base() -> Any:
    return arm().base_parameters()


def truth() -> np.ndarray:
    return np.asarray(base().matrix(LENGTH) @ [float(x) for x in arm().regressor().values])


def motion(T: np.ndarray) -> list[np.ndarray]:
    """Sums of sines and their rates."""
    w, a, p = np.array([[1.1, 2.9], [1.7, 2.3]]), np.array([[1.0, 0.4], [0.8, 0.5]]), np.array([[0, 1], [2, 0.5]])
    angle = T[:, None, None] * w + p
    parts = (a * np.sin(angle), a * w * np.cos(angle), -a * w**2 * np.sin(angle))
    return [part.sum(axis=2) for part in parts]


@cache
def data(noise: float, count: int = 600) -> dict[str, np.ndarray]:
    T = np.linspace(0, 12, count)
    q, u, udot = motion(T)
    tau = arm().compile().inverse_dynamics(q, u, udot, parameters=LENGTH)
    scatter = np.random.default_rng(1).normal(size=tau.shape) * noise * [1.0, 0.3]
    return {"t": T, "q": q, "u": u, "udot": udot, "tau": tau + scatter}


def test_parameters_come_back_without_noise_and_nearly_with_it_and_the_covariance_is_that_of_many_fits() -> None:
    fit = arm().identify(data(0.0), base=base(), parameters=LENGTH)
    np.testing.assert_allclose(fit.values, truth(), rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(fit.consistent_values, truth(), rtol=1e-5, atol=1e-5)
    fit = arm().identify(data(0.1), base=base(), parameters=LENGTH)
    assert (np.abs(fit.values - truth()) < 3 * fit.std).all()
    assert fit.noise["a"] == pytest.approx(0.1, rel=0.1) and fit.noise["b"] == pytest.approx(0.03, rel=0.1)
    assert fit.samples == 600 and fit.condition < 100 and fit.misfit < 3
    assert "±" in str(fit) and len(str(fit).splitlines()) == len(base())
    np.testing.assert_allclose(fit.relative_std, fit.std / np.abs(fit.values))
    clean, rng = data(0.0), np.random.default_rng(5)
    z = []
    for _ in range(60):
        tau = clean["tau"] + rng.normal(size=clean["tau"].shape) * 0.1
        fit = arm().identify(clean | {"tau": tau}, base=base(), parameters=LENGTH, consistent=False)
        z.append((fit.values - truth()) / fit.std)
    assert 0.85 < np.std(z) < 1.15


def test_it_predicts_the_efforts_of_other_motions_and_the_bodies_are_possible_and_go_back_into_a_model() -> None:
    fit = arm().identify(data(0.1), base=base(), parameters=LENGTH)
    q, u, udot = np.random.default_rng(3).normal(size=(3, 50, 2))
    exact = arm().compile().inverse_dynamics(q, u, udot, parameters=LENGTH)
    for consistent in (False, True):
        assert np.sqrt(np.mean((fit.predict(q, u, udot, consistent) - exact) ** 2)) < 0.02
    fit = arm().identify(data(2.0, 60), base=base(), parameters=LENGTH)
    assert fit.standard is not None
    for body in ("upper", "fore"):
        assert is_consistent(np.array([fit.standard[f"{kind}_{body}"] for kind in MOMENTS]))
        ph.System("again").body(body, **fit.body(body))  # its inertia is checked there
    assert all(value > 0 for name, value in fit.standard.items() if name.startswith(("viscous", "coulomb")))
    refused("there is no body 'hand'", lambda: fit.body("hand"))


def test_accelerations_by_differences_of_noisy_positions() -> None:
    T = np.linspace(0, 12, 6001)
    q, u, udot = motion(T)
    tau = arm().compile().inverse_dynamics(q, u, udot, parameters=LENGTH)
    rng = np.random.default_rng(2)
    raw = {"t": T, "q": q + 1e-5 * rng.normal(size=q.shape), "tau": tau + 0.05 * rng.normal(size=tau.shape)}
    fit = arm().identify([raw], base=base(), parameters=LENGTH, cutoff=10.0)
    assert (np.abs(fit.values - truth()) < 4 * fit.std).all() and fit.samples < 300


def test_motions_that_do_not_excite_are_told_with_the_parameters_and_what_is_lacking_is_told() -> None:
    still = {key: np.zeros_like(table) for key, table in data(0.0).items() if key != "t"}
    with pytest.raises(ph.PolhodeError, match="the data say nothing of Izz_upper") as told:
        arm().identify(still, base=base(), parameters=LENGTH)
    assert "exciting_trajectory" in str(told.value)
    slow = data(0.0)
    q, u = slow["q"], slow["u"]
    held = {"q": q * [1, 0] + [0, 0.3], "u": u * [1, 0] + [0, 1.0], "udot": slow["udot"], "tau": slow["tau"]}
    refused(r"the data do not separate .*viscous_b", lambda: arm().identify(held, base=base(), parameters=LENGTH))
    refused("'l' of system 'arm' has no value", lambda: arm().identify(data(0.0), base=base()))
    refused("there is no parameter 'k'", lambda: arm().identify(data(0.0), base=base(), parameters={"k": 1}))
    few = {key: table[:3] for key, table in data(0.0).items()}
    refused("need at least as many efforts, not 6", lambda: arm().identify(few, base=base(), parameters=LENGTH))
    fit = arm().identify(data(0.0), base=base(), parameters=LENGTH, consistent=False)
    refused("no possible bodies", lambda: fit.consistent_values)


@cache
def sprung_arm() -> ph.Equations:
    """A pendulum of length l on a cart of mass m and a spring k; runs have other values than the model."""
    s = ph.System("sprung arm", gravity=(0, 0, "-9.81"))
    m, l, k = s.parameter("m", 1), s.parameter("l", 1), s.parameter("k", 10)
    slide = s.joint("x", s.ground, s.body("cart", m, inertia=(1, 1, 1)), ph.Prismatic("x"))
    s.joint("q", "cart", s.body("bob", 1, (0, 0, -l), (0.1, 0.1, 0.1)), ph.Revolute("y"))
    s.joint_force(slide, -k * slide.q[0])
    return s.derive()


def run_of(**parameters: float) -> Any:
    time = sprung_arm().system.time
    return sprung_arm().simulate(
        3, start={"x": 0.3, "q": 0.7}, tau={"x": 20 * ph.sin(3 * time)}, parameters=parameters, samples=400
    )


@pytest.mark.parametrize("others", [[], [{"m": 4.0, "l": 0.7, "k": 40.0}]])
def test_a_run_is_fitted_with_the_parameters_that_it_was_run_with(others: list[dict[str, float]]) -> None:
    run = run_of(m=4.0, l=0.7, k=90.0)
    fit = sprung_arm().identify([run, *(run_of(**each) for each in others)])
    assert fit.names == ["m_cart", "mcx_bob", "mcz_bob", "Iyy_bob"]
    assert fit.values == pytest.approx([5, 0, -0.7, 0.59], rel=2e-3, abs=1e-3)
    assert fit.consistent_values == pytest.approx(fit.values, rel=2e-3, abs=1e-3)
    at_rest = fit.predict([0.1, 0.0], [0.0, 0.0], [0.0, 0.0])
    assert at_rest[0] == pytest.approx(9.0)  # the first run's spring


def test_given_parameters_win_and_other_lengths_are_refused() -> None:
    run = run_of(m=4.0, k=90.0)
    wrong, right = (sprung_arm().identify(run, parameters={"k": k}, consistent=False) for k in (10.0, 90.0))
    assert right.values[0] == pytest.approx(5, rel=1e-3) and right.noise["x"] < 0.1 < 1 < wrong.noise["x"]
    runs = [SimpleNamespace(parameters={"l": l}, **data(0.01)) for l in (0.5, 0.6)]
    refused("motion 2 was run with other lengths", lambda: arm().identify(runs))
    assert arm().identify(runs, parameters=LENGTH, consistent=False).values.shape == (len(base()),)
    refused("there are no data", lambda: measured(arm_measured_data().record, []))
    s = ph.System("ball")
    s.joint("a", s.ground, s.body("ball", 1), ph.Spherical())
    with pytest.raises(ph.PolhodeError, match="not the rates of its coordinates"):
        measured(s.derive().record, {"t": T, "q": np.tile([1.0, 0, 0, 0], (401, 1)), "tau": np.zeros((401, 3))})


T = np.linspace(0, 2, 401)
Q = np.column_stack([np.sin(3 * T), np.cos(2 * T)])
GOOD = {"t": T, "q": Q, "tau": np.zeros_like(Q)}


@cache
def arm_measured_data() -> ph.Equations:
    s = ph.System("arm")
    s.joint("a", s.ground, s.body("upper", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint("b", "upper", s.body("fore", 1, inertia=(1, 1, 1)), ph.Revolute("z"), at=(1, 0, 0))
    return s.derive()


def holed() -> np.ndarray:
    table = Q.copy()
    table[17, 1] = np.nan
    return table


@pytest.mark.parametrize(("change", "options", "said"), [
    ({"tau": None}, {}, "the data have no tau"), ({"torque": Q}, {}, "there is no kind of data 'torque'"),
    ({"q": Q[:, :1]}, {}, r"q is an array \(401, 1\), but a sample has 2 numbers"),
    ({"t": Q}, {}, "but a sample has one number"), ({"tau": Q[:-2]}, {}, "t has 401, q has 401, tau has 399"),
    ({"tau": holed()}, {}, "tau of 'b' is nan in sample 17"), ({"q": "all of it"}, {}, "is not an array of numbers"),
    ({"t": None}, {}, "without the times t the data lack u and udot"), ({"t": T**2}, {}, "at even steps"),
    ({}, {"cutoff": 150}, "not between 0 and half the rate of sampling, 100 Hz"),
    ({}, {"decimate": 0}, "decimate: 0 is not a whole number, 1 or more"),
    ({}, {"decimate": 1000}, "401 samples are too few"),
])  # fmt: skip
def test_bad_data_are_told_in_one_sentence(change: dict[str, Any], options: dict[str, Any], said: str) -> None:
    refused(said, lambda: measured(arm_measured_data().record, GOOD | change, **options))


def test_differences_and_filters_give_rates() -> None:
    (made,) = measured(arm_measured_data().record, GOOD)
    np.testing.assert_allclose(made.u[:, 0][made.kept], 3 * np.cos(3 * T)[made.kept], atol=1e-3)
    np.testing.assert_allclose(made.udot[:, 0][made.kept], -9 * np.sin(3 * T)[made.kept], atol=1e-2)
    noisy = Q + np.random.default_rng(0).normal(size=Q.shape) * 1e-3
    (made,) = measured(arm_measured_data().record, GOOD | {"q": noisy, "tau": noisy}, cutoff=6)
    exact = -9 * np.sin(3 * T)[made.kept]
    assert np.abs(made.udot[:, 0][made.kept] - exact).max() < 0.8
    assert len(made.reduced(made.tau)) < 30 and np.abs(made.reduced(made.tau) - Q[made.kept]).max() < 2e-3
    (made,) = measured(arm_measured_data().record, {"q": Q, "u": Q, "udot": 2 * Q, "tau": Q})
    np.testing.assert_array_equal(made.reduced(made.udot), 2 * Q)
    run = arm_measured_data().simulate(1.0, start={"a": 0.1}, tau=[1.0, 2.0], samples=101)
    (made,) = measured(arm_measured_data().record, run)
    assert made.tau.shape == (101, 2) and made.tau[0].tolist() == [1.0, 2.0]


BODY = [2.0, 0.2, 0.0, 0.4, 0.3, 0.4, 0.2, 0.0, -0.02, 0.0]
LISTED = [StandardParameter(kind, "link", as_expr(0)) for kind in MOMENTS]
LISTED.append(StandardParameter("viscous", "joint", as_expr(0)))


def test_the_nearest_possible_bodies_are_taken() -> None:
    values = np.array([*BODY, 0.7])
    found, misfit = consistent_parameters(LISTED, [None] * 11, np.eye(11), values, 1e-8 * np.eye(11))
    np.testing.assert_allclose(list(found.values()), values, atol=1e-6)
    assert misfit < 0.1 and list(found) == [each.name for each in LISTED]
    wrong = np.array([*BODY, -0.01])
    wrong[5] = -0.1  # a negative moment of inertia
    found, misfit = consistent_parameters(LISTED, [*BODY, 0.5], np.eye(11), wrong, np.eye(11) * 1e-4)
    moments = np.array(list(found.values()))
    assert is_consistent(moments[:10]) and 0 < moments[10] < 1e-3
    assert 5 < misfit < 60
    # One combination alone was measured: the mass; the mass centre stays where the model has it.
    K = np.eye(11)[:1]
    found, _ = consistent_parameters(LISTED, [*BODY, 0.5], K, np.array([4.0]), np.array([[1e-6]]))
    assert abs(found["m_link"] - 4) < 1e-3 and abs(found["viscous_joint"] - 0.5) < 1e-9
    assert abs(found["mcx_link"] / found["m_link"] - 0.1) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_a_cloud_of_points_is_consistent_and_its_moments_are_those_of_a_body(seed: int) -> None:
    rng = np.random.default_rng(seed)
    r, dm = rng.normal(size=(6, 3)), rng.uniform(0.1, 1, 6)
    inertia = sum(m * (x @ x * np.eye(3) - np.outer(x, x)) for m, x in zip(dm, r, strict=True))
    moments = np.array([dm.sum(), *(dm @ r), *np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]])
    points = np.column_stack([r, np.ones(6)])
    np.testing.assert_allclose(pseudo_inertia(moments), (points.T * dm) @ points, atol=1e-12)
    np.testing.assert_allclose(moments_of_pseudo(pseudo_inertia(moments)), moments)
    assert is_consistent(moments) and made_consistent(moments) is moments


def test_what_no_body_has_is_told_and_made_one() -> None:
    point = np.array([2.0, 0, 0, 2.0, 2.0, 2.0, 0, 0, 0, 0])  # a point mass, without extent
    flat = np.array([1.0, 0, 0, 0, 1, 1, 3, 0, 0, 0])  # moments that break the triangle inequality
    for moments in (point, flat, np.zeros(10)):
        assert not is_consistent(moments) and is_consistent(made_consistent(moments))
    np.testing.assert_allclose(made_consistent(point)[:4], point[:4])


def test_dry_friction_that_no_column_has_is_refused():
    s = ph.System("arm")
    s.joint("h", s.ground, s.body("b", 1, (0, 0, -0.5)), ph.Revolute("y"))
    free = s.derive().identify(s.derive().simulate(1, tau={"h": "sin(3*t)"}, samples=50))
    s.friction("h", 1)
    e = s.derive()
    with pytest.raises(ph.PolhodeError, match=r"the forces of 'h friction' are in no column.\s+Leave them out"):
        e.identify(e.simulate(1, tau={"h": "9*sin(3*t)"}, samples=50))
    assert e.base_parameters().names == free.names
