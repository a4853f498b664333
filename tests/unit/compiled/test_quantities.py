"""Quantities that are asked for by records: no name, however chosen, is taken for another."""

import inspect
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph
from polhode.expr import as_expr, evaluate


def chain() -> ph.System:
    """Two pendulums, with names that hold the words of options."""
    s = ph.System("chain", gravity=(0, 0, "-9.81"))
    upper = s.body("a at b", 2, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.1))
    lower = s.body("a", 3, com=(0.1, 0, -0.5), inertia=(0.1, 0.2, 0.3))
    s.joint("hinge", s.ground, upper, ph.Revolute("y"))
    s.joint("hinge on ground", upper, lower, ph.Revolute("x"), at=(0, 0, -1))
    s.frame("b", lower, at=(0.2, 0, -1), rotation=ph.rotation(("y", 0.4)))
    s.frame("ground in b", upper, at=(0, 0.3, 0))
    return s


Q, U = np.array([0.3, -0.7]), np.array([0.4, 1.1])


def reactions() -> list[dict[str, str | None]]:
    """Every way to ask for a reaction of the chain."""
    s = chain()
    places = [None, *s.bodies, *s.frames]
    both = {"hinge": (None, "ground", "a at b"), "hinge on ground": (None, "a at b", "a")}
    return [
        {"name": name, "at": at, "frame": frame, "on": on}
        for name, sides in both.items()
        for on in sides
        for at in places
        for frame in places
    ]


def test_a_reaction_is_that_of_the_joint_or_of_the_ground_whatever_the_names() -> None:
    equations = chain().derive()
    f = equations.compile(backend="numpy", cache=False)
    state = dict(zip([*equations.q, *equations.u, *equations.tau], [*Q, *U, 0.0, 0.0], strict=True))
    asked = reactions()
    for words in asked[:: max(1, len(asked) // 25)]:
        name = words.pop("name")
        made = equations.reaction(name, **words)
        expected = evaluate([*made.torque, *made.force], state)
        assert_allclose(
            np.concatenate(f.reaction(name, Q, U, **words)), expected, atol=1e-12, err_msg=f"{name} {words}"
        )
    f = chain().derive().compile()
    torque, force = f.reaction("hinge", Q, U)
    against = f.reaction("hinge", Q, U, on="ground")
    assert_allclose(against, (-torque, -force), atol=1e-12)
    assert not np.allclose(against[1], f.reaction("hinge on ground", Q, U)[1])


def test_what_is_kept_on_disk_is_told_apart_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    for _ in range(2):  # the second time from the disk
        f = chain().derive().compile()
        reaction = f.reaction("hinge on ground", Q, U)[1]
        assert_allclose(f.reaction("hinge", Q, U, on="ground")[1], -f.reaction("hinge", Q, U)[1], atol=1e-12)
        assert not np.allclose(reaction, f.reaction("hinge", Q, U, on="ground")[1])


def test_names_of_functions_and_reactions_are_kept_apart() -> None:
    asked = [ph.ReactionOf(**words) for words in reactions()]
    asked += [ph.ReactionOf("hinge_on_ground"), ph.ReactionOf("Hinge"), ph.ReactionOf("hinge on", on="ground")]
    labels = [each.label for each in asked]
    assert all(one != other for one, other in combinations(labels, 2))
    run = chain().derive().simulate(0.1, samples=3, start=(Q, U))
    assert_allclose(run.reaction("hinge", on="ground").force, -run.reaction("hinge").force, atol=1e-9)
    assert ph.ReactionOf("a", on="b") == ph.ReactionOf("a", on="b") != ph.ReactionOf("a", at="b")
    assert ph.PoseOf("a") != ph.JacobianOf("a")
    assert inspect.isabstract(ph.PoseOf.__bases__[0])


@pytest.mark.parametrize("name", ["ground", "a at b", "a", "b", "ground in b"])
def test_poses_and_jacobians_of_bodies_and_frames_are_compiled(name: str) -> None:
    equations = chain().derive()
    f = equations.compile()
    state = dict(zip(equations.q, Q, strict=True))
    pose = equations.pose(name)
    p, R = f.pose(name, Q)
    assert_allclose(p, evaluate([as_expr(x) for x in pose.p], state), atol=1e-14)
    assert_allclose(R.ravel(), evaluate([as_expr(x) for x in pose.R.entries()], state), atol=1e-14)
    J = f.jacobian(name, Q)
    h = 1e-6
    moved = np.array([(f.pose(name, Q + h * e)[0] - f.pose(name, Q - h * e)[0]) / (2 * h) for e in np.eye(2)])
    assert_allclose(J[3:], moved.T, atol=1e-8)
    turned = [(f.pose(name, Q + h * e)[1] - f.pose(name, Q - h * e)[1]) / (2 * h) @ R.T for e in np.eye(2)]
    assert_allclose(J[:3].T, [[S[2, 1], S[0, 2], S[1, 0]] for S in turned], atol=1e-8)
    batch = f.jacobian(name, np.stack([Q, -Q, 0 * Q]))
    assert batch.shape == (3, 6, 2)
    assert_allclose(batch[0], J, atol=1e-14)


def test_a_jacobian_of_dependent_speeds_is_by_the_independent_ones() -> None:
    s = chain()
    s.constrain(s.joints["hinge"].q[0] - 2 * s.joints["hinge on ground"].q[0], "gear")
    equations = s.derive(constraints="embedded")
    f = equations.compile()
    q, u = np.array([0.4, 0.2]), np.array([1.0])
    rates = f.coordinate_rates(q, u)
    h = 1e-6
    moved = (f.pose("b", q + h * rates)[0] - f.pose("b", q - h * rates)[0]) / (2 * h)
    assert_allclose(f.jacobian("b", q)[3:] @ u, moved, atol=1e-8)


def test_a_run_knows_the_pose_of_a_frame_and_its_equations() -> None:
    equations = chain().derive()
    run = equations.simulate(0.2, samples=4, start=(Q, U))
    assert run.equations == equations
    p, R = run.pose("b")
    body_p, body_R = run.pose("a")
    assert_allclose(p, body_p + body_R @ [0.2, 0, -1], atol=1e-12)
    assert R.shape == (4, 3, 3)


def test_unknown_frames_packed_strings_and_missing_multipliers() -> None:
    run = chain().derive().simulate(0.1, samples=3)
    assert not run.multipliers
    equations = chain().derive()
    for packed in ("reaction hinge", "reaction hinge on ground", "drive hinge", "pose b"):
        with pytest.raises(ph.PolhodeError, match="there is no function") as caught:
            equations.operations(packed)
        assert caught.value.problems[0].code == "E-CODE-NAME"
    refused("Did you mean 'ground in b'", lambda: chain().derive().compile().pose("ground in bb", Q))


@pytest.mark.parametrize("wrong", [5, None, ["hinge"], b"hinge"])
def test_what_is_no_name_is_told(wrong: object) -> None:
    f = chain().derive().compile()
    for call in (
        lambda: f.reaction(wrong, Q, U), lambda: f.driving_force(wrong, Q, U), lambda: f.pose(wrong, Q),
        lambda: f.jacobian(wrong, Q),
    ):  # fmt: skip
        with pytest.raises(ph.PolhodeError, match="no name") as caught:
            call()
        assert caught.value.problems[0].code == "E-CODE-NAME"
    refused("there is no function", lambda: f.evaluate(wrong, Q))


def test_a_jacobian_of_the_vector_parameter_is_refused_at_a_half_turn() -> None:
    f = chain().derive().compile()
    turned = np.array([np.pi, 0.0])
    refused("'a' has turned by π, where its vector-parameter", lambda: f.jacobian("a", turned, orientation="vector"))
    refused("in row 1 of what was given", lambda: f.jacobian("a", np.stack([Q, turned]), orientation="vector"))
    assert np.isfinite(f.jacobian("a", turned)).all()
    assert np.isfinite(f.jacobian("a", np.stack([Q, -Q]), orientation="vector")).all()
