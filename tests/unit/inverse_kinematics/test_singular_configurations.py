"""Singular configurations: generic rank, factors, and what a path meets."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.expr import evaluate
from polhode.inverse_kinematics.singular_configurations import SingularConfigurations


@cache
def puma() -> ph.Equations:
    """The first three and the wrist of a PUMA, as Craig's table has them."""
    s = ph.System("puma")
    a2, a3, d3, d4 = (s.parameter(name, v) for name, v in (("a2", 0.43), ("a3", 0.02), ("d3", 0.15), ("d4", 0.43)))
    right = ph.pi / 2
    table: list[dict[str, Any]] = [{}, {"alpha": -right}, {"a": a2, "d": d3}, {"a": a3, "d": d4, "alpha": -right}]
    table += [{"alpha": right}, {"alpha": -right, "mass": 1, "inertia": (1, 1, 1)}]
    return ph.from_dh(table, convention="modified", system=s, check=False).derive()


@cache
def of_puma() -> SingularConfigurations:
    return puma().singular_configurations("link6")


def planar(count: int, **kind: Any) -> ph.Equations:
    s = ph.System("arm")
    body: ph.Body = s.ground
    lengths = [s.parameter(f"l{k}", 1) for k in range(count)]
    for k in range(count):
        link = s.body(f"link{k}", 1)
        s.joint(f"q{k}", body, link, ph.Revolute("z", **kind), at=(lengths[k - 1] if k else 0, 0, 0))
        body = link
    s.frame("tip", body, (lengths[-1], 0, 0))
    return s.derive()


def test_the_arm_of_craig_s_book_is_singular_where_he_says_in_any_axes() -> None:
    e, found = puma(), of_puma()
    q2, q3, q5 = (e.q[k] for k in (1, 2, 4))
    a2, a3, d4 = (e.system.parameters[name].symbol for name in ("a2", "a3", "d4"))
    elbow = a3 * ph.sin(q3) + d4 * ph.cos(q3)
    shoulder = a2 * ph.cos(q2) + a3 * ph.cos(q2 + q3) - d4 * ph.sin(q2 + q3)
    assert found.rank == 6 and found.factors is not None and not found.together
    assert {*found.factors} == {a2, ph.sin(q5), elbow, shoulder}
    assert found.determinant == a2 * ph.sin(q5) * elbow * shoulder
    e, found = puma(), of_puma()
    assert found.determinant is not None
    f, state = e.compile(), np.random.default_rng(1).uniform(-1, 1, (5, 6))
    values = dict.fromkeys(e.system.parameters, 0.0) | {"a2": 0.43, "a3": 0.02, "d4": 0.43}
    for q in state:
        known = dict(zip(e.q, q.tolist(), strict=True))
        known |= {e.system.parameters[name].symbol: value for name, value in values.items()}
        ours = evaluate([found.determinant], known)[0]
        assert np.linalg.det(f.jacobian("link6", q)) == pytest.approx(ours, rel=1e-9)


@pytest.mark.parametrize("storage", ["angles", "vector"])
def test_the_determinant_keeps_numbers_signs_and_what_never_vanishes(storage: str) -> None:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z", storage=storage))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("-z", storage=storage), at=(0.4, 0, 0))
    s.frame("tip", "fore", (0.3, 0, 0))
    e = s.derive()
    found, J = e.singular_configurations("tip", of="position"), e.jacobian("tip")
    assert found.determinant == J[3, 0] * J[4, 1] - J[3, 1] * J[4, 0]
    if storage == "angles":
        assert found.determinant == 0.12 * ph.sin(e.q[1])


def test_a_jacobian_that_is_not_square_has_factors_and_no_determinant() -> None:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("x"), at=(0, 0, 1))
    s.frame("tip", "fore", (0, 0, 1))
    found = s.derive().singular_configurations("tip", of="position")
    assert found.rank == 2 and found.factors is not None and found.determinant is None


def test_a_path_meets_elbow_wrist_and_shoulder_and_paths_meet_singular_poses_once_or_never() -> None:
    start, end = {"q2": 0.3, "q3": -2, "q5": -1}, {"q2": 0.3, "q3": 2, "q5": 1}
    met = of_puma().along([start, end])
    places = [(round(each.q[2], 6), round(each.q[4], 6)) for each in met]
    elbow = -np.arctan(0.43 / 0.02)
    assert places[0] == (round(elbow, 6), round(elbow / 2, 6)) and places[1] == (0, 0)
    assert all(each.rank == 5 for each in met) and len(met) == 4
    assert [each.at for each in met] == sorted(each.at for each in met)
    found = planar(2).singular_configurations("tip", of="position")
    assert found.along([[0, 1], [2, 1]]) == [] and len(found.along([[0, 0], [1, 0]])) == 1
    assert len(found.along([[0, -1], [0, 1], [0, -1]])) == 2
    met = planar(2).singular_configurations("tip", of="position").along([[0, 0.1], [0, 60]])
    assert [each.q[1] for each in met] == pytest.approx(np.pi * np.arange(1, 20))


def test_minors_with_long_factors_are_given_up_and_redundant_positions_vector_parameters_and_fixed_frames() -> None:
    s = ph.System("arm")
    body: ph.Body = s.ground
    for k, axis in enumerate("zyzyzy"):
        link = s.body(f"link{k}", 1)
        s.joint(f"q{k}", body, link, ph.Revolute(axis), at=(0.1 * k, 0.2, 0.3))
        body = link
    s.frame("tip", body, (0.1, 0.2, 0.3))
    assert s.derive().singular_configurations("tip", of="position").factors is None
    found = planar(3).singular_configurations("tip", of="position")
    assert found.rank == 2 and found.factors == () and len(found.together) == 3 and found.determinant is None
    assert found.along([[0, -1, -1], [0, 1, 1]])[0].q == pytest.approx([0, 0, 0], abs=1e-9)
    found = planar(2, storage="vector").singular_configurations("tip", of="position")
    assert [str(factor) for factor in found.factors or ()] == ["l0", "l1", "q1"]
    found = planar(2).singular_configurations("ground")
    assert found.rank == 0 and found.factors == ()


def test_too_many_minors_are_not_written_down_but_a_path_finds_them() -> None:
    s = ph.System("snake")
    body: ph.Body = s.ground
    for k in range(10):
        link = s.body(f"link{k}", 1)
        s.joint(f"q{k}", body, link, ph.Revolute("xyz"[k % 3]), at=(0.3, 0, 0.1))
        body = link
    found = s.derive().singular_configurations("link9", of="position")
    assert found.rank == 3 and found.factors is None and found.determinant is None
    assert found.along([np.full(10, 0.3), np.full(10, 0.4)]) == []


WRONG = {
    "one point": ([[0, 0]], "is not a path"),
    "rows of another length": ([[0, 0, 0], [1, 1, 1]], "is not a path"),
    "a name that is none": ([{"q0": 0}, {"q7": 1}], "no coordinate 'q7'"),
    "a number": (3, "is not a path"),
    "a line without end": ([[0, 0], [0, 1e9]], "too much to look for"),
    "nan": ([[0, 0], [np.nan, 0]], "is not a path"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_path_that_is_none_is_refused_with_a_sentence(name: str) -> None:
    path, sentence = WRONG[name]
    refused(sentence, lambda: planar(2).singular_configurations("tip").along(path))  # type: ignore[arg-type]


def test_what_is_asked_for_in_vain_is_refused_with_a_sentence() -> None:
    refused("there is no kind of motion", lambda: planar(2).singular_configurations("tip", of="colour"))
    refused("body or frame", lambda: planar(2).singular_configurations("top"))
    s = ph.System("loop")
    s.joint("a", s.ground, s.body("bar", 1, (1, 0, 0)), ph.Revolute("z"))
    s.close(s.ground, "bar", joint="spherical", at_a=(1, 0, 0), at_b=(1, 0, 0))
    refused("with constraints", lambda: s.derive().singular_configurations("bar"))


def two_links() -> ph.Equations:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("upper"), ph.Revolute("z"))
    s.joint("q2", "upper", s.body("fore", 1), ph.Revolute("z"), at=(2, 0, 0))
    s.frame("tip", "fore", (1.5, 0, 0))
    return s.derive()


def test_manipulability_is_an_area_and_vanishes_when_stretched_and_wrong_questions_are_refused() -> None:
    q = np.random.default_rng(0).uniform(-3, 3, (2, 5, 2))
    found = two_links().manipulability("tip", q, of="position")
    assert found.measure == pytest.approx(2 * 1.5 * abs(np.sin(q[..., 1])))
    assert found.singular_values.shape == (2, 5, 2)
    assert found.condition == pytest.approx(found.singular_values[..., 0] / found.singular_values[..., 1])
    assert found.axes.shape == (2, 5, 3, 2)
    found = two_links().manipulability("tip", [0.3, 0.0], of="position")
    assert found.measure == pytest.approx(0, abs=1e-15) and found.condition > 1e15
    assert two_links().manipulability("tip", [0.3, 0.0], of="orientation").measure == pytest.approx(np.sqrt(2))
    refused("not 2 numbers", lambda: two_links().manipulability("tip", [1, 2, 3]))
    refused("there is no kind of target", lambda: two_links().manipulability("tip", [1, 2], of="speed"))
    bar = ph.System("bar")
    x = bar.joint("x", bar.ground, bar.body("block", 1), ph.Prismatic("x"))
    bar.constrain(x.q[0] - 1, "stop")
    refused("constraints forbid", lambda: bar.derive().manipulability("block", [0.0]))
