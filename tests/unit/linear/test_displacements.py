"""Displacements of small motions: each is the change of what it is named after."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import polhode as ph

INERTIA = (0.3, 0.5, 0.7)


def held(kind: Any) -> ph.System:
    """A body on a joint of some kind, in a field that every coordinate feels."""
    s = ph.System("held", gravity=(0, 0, 0))
    joint = s.joint("p", s.ground, s.body("b", 2, com=(0.1, 0.2, 0.3), inertia=INERTIA), kind)
    s.potential(sum((k + 2) * (q - 1) ** 2 for k, q in enumerate(joint.q)) + joint.q[0] * joint.q[-1] ** 3)
    return s


def blade() -> Any:
    """A blade on ice: it turns, and goes where it points; two speeds and three coordinates."""
    return ph.JointMap([[0, 0], [0, 0], [1, 0], [0, 1], [0, 0], [0, 0]])


KINDS = {
    "planar": lambda: ph.Planar("z"), "free": ph.Free, "free by a vector": lambda: ph.Free("vector"),
    "ball": ph.Spherical, "slide and planar": lambda: ph.Compound(ph.Prismatic("z"), ph.Planar("z")), "blade": blade,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_is_the_derivative_by_the_coordinate_that_names_it(kind: str) -> None:
    made = held(KINDS[kind]()).derive()
    functions, dice = made.compile(), np.random.default_rng(5)
    q, u = dice.normal(size=len(made.q)), dice.normal(size=len(made.u))
    for place in made.tree.quaternions:
        q[place : place + 4] /= np.linalg.norm(q[place : place + 4])
    small = made.linearize(dict(zip(made.coordinates, q, strict=True)), speeds=dict(zip(made.speeds, u, strict=True)))
    A, size, step = small.state_space()[0], len(small.displacements), 1e-6
    named = [k for k, name in enumerate(small.displacements) if name in made.coordinates]
    places = [made.coordinates.index(small.displacements[k]) for k in named]
    turns = [k for k in range(size) if k not in named]
    assert len(turns) == (3 if kind in ("free", "free by a vector", "ball") else 0)

    def rates(q: np.ndarray) -> np.ndarray:
        rates = functions.coordinate_rates(q, u)
        return np.concatenate([rates[places], functions.forward_dynamics(q, u)])

    rows = [*named, *range(size, len(A))]
    for k, place in zip(named, places, strict=True):
        by = np.zeros(len(q))
        by[place] = step
        assert_allclose(A[rows, k], (rates(q + by) - rates(q - by)) / (2 * step), rtol=1e-6, atol=1e-6)
    gamma = np.column_stack([functions.coordinate_rates(q, unit) for unit in np.eye(len(u))])
    for k, axis in zip(turns, "xyz", strict=True) if turns else ():
        by = step * gamma[:, made.speeds.index(f"p_w{axis}")]
        assert_allclose(A[rows, k], (rates(q + by) - rates(q - by)) / (2 * step), rtol=1e-6, atol=1e-6)


def test_springs_and_constraints_in_displacements() -> None:
    s = ph.System("plate", gravity=(0, 0, 0))
    joint = s.joint("p", s.ground, s.body("b", 1, inertia=(1, 1, 1)), ph.Planar("z"))
    s.potential(2 * joint.q[1] ** 2)
    small = s.derive().linearize({"p_angle": ph.pi / 2})
    A = small.state_space()[0]
    assert_allclose(A[3:, small.states.index("p_x")], [0, 0, 4], atol=1e-15)
    axes = ph.Compound(ph.Prismatic("x"), ph.Prismatic("y"), ph.Revolute("z"))
    at = {"angle": 1.2, "x": 1}
    one = ring(ph.Planar("z"), ["angle", "x", "y"]).derive().linearize(at)
    other = ring(axes, ["x", "y", "angle"]).derive().linearize(at)
    assert one.is_equilibrium and sorted(one.displacements) == sorted(other.displacements) == ["angle", "y"]
    assert_allclose(np.sort(one.eigenvalues().imag), np.sort(other.eigenvalues().imag), rtol=1e-12)


def ring(kind: Any, names: list[str]) -> ph.System:
    """A plate whose origin stays on a circle, pulled by springs along the ground's axes."""
    s = ph.System("ring", gravity=(0, 0, 0))
    plate = s.joint("p", s.ground, s.body("b", 2, com=(0.1, 0, 0), inertia=INERTIA), kind, coordinates=names)
    angle, x, y = sorted(plate.q, key=lambda q: q.name)
    s.potential(2 * (x - 2) ** 2 + 3 * (angle - 1.2) ** 2 + y * y)
    s.constrain(x * x + y * y - 1, "circle")
    return s


def test_turns_have_names_and_numbers_of_their_own() -> None:
    s = ph.System("two", gravity=(0, 0, 0))
    s.joint("j", s.ground, s.body("a", 1, inertia=INERTIA), ph.Free())
    s.joint("j_rx", "a", s.body("b", 1, inertia=INERTIA), ph.Prismatic("x"))
    small = s.derive().linearize()
    assert small.displacements == ["j_rx_2", "j_ry", "j_rz", "j_x", "j_y", "j_z", "j_rx"]
    assert len({*small.states}) == len(small.states)
    s = ph.System("two", gravity=(0, 0, 0))
    s.joint("j", s.ground, s.body("a", 1, inertia=INERTIA), ph.Compound(ph.Spherical(), ph.Spherical()))
    small = s.derive().linearize()
    assert small.displacements == ["j_rx", "j_ry", "j_rz", "j_rx_2", "j_ry_2", "j_rz_2"]


def test_a_nonholonomic_joint_beside_a_disc_on_a_curve_is_refused() -> None:
    s = held(blade())
    disc = s.body("disc", 1, inertia=(1, 1, 1))
    s.joint("roll", s.ground, disc, ph.Planar("y"))
    s.roll_disc("tyre", "disc", 0.1, lambda x: x**2 / 10)
    with pytest.raises(ph.PolhodeError, match="E-LINEAR-UNSUPPORTED"):
        s.derive(constraints="embedded").linearize()
