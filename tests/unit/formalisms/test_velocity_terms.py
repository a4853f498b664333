"""The terms of the bias: centrifugal, Coriolis, gravity, prescribed motions, loads."""

import pytest
from tests.seeds import SMALL_TREES, seeds

import polhode as ph
from polhode.expr import Vector, as_expr, is_zero, same, substitute
from polhode.model.samples.random_system import random_system


def total(e: ph.Equations) -> Vector:
    terms = e.velocity_terms
    squares = terms.centrifugal @ Vector([x * x for x in e.u])
    products = terms.coriolis @ Vector([e.u[j] * e.u[k] for j, k in terms.pairs])
    return squares + products + terms.driven + terms.gravity + terms.applied


@pytest.mark.parametrize("seed", seeds(SMALL_TREES[:6], 100))
def test_the_terms_add_up_to_the_bias_of_any_tree(seed: int) -> None:
    e = random_system(seed, bodies=(1, 6), max_speeds=8).derive()
    assert same(total(e), e.bias)
    assert same(e.velocity_terms.matrix @ e.u, total(e) - e.velocity_terms.driven - e.velocity_terms.gravity
                - e.velocity_terms.applied)  # fmt: skip


def test_gravity_is_what_stays_at_rest_without_loads() -> None:
    s = ph.System("pendulum", gravity=(0, 0, "-9.81"))
    s.joint("a", s.ground, s.body("bob", 2, (0, 0, -1)), ph.Revolute("y"))
    s.joint_spring("a", 3, damping=4)
    terms = s.derive().velocity_terms
    q, u = s.joints["a"].q[0], s.joints["a"].u[0]
    assert same(terms.gravity, [as_expr("19.62") * ph.sin(q)]) and same(terms.applied, [3 * q + 4 * u])
    assert not any(terms.centrifugal.entries()) and not any(terms.driven)


def test_a_prescribed_motion_has_terms_of_its_own() -> None:
    """A bead on a rod that is whirled at a given rate: -m x ω² is not of its own speed."""
    s = ph.System("rod", gravity=(0, 0, 0))
    w = s.parameter("w")
    s.joint("turn", s.ground, s.body("rod"), ph.Revolute("z"))
    bead = s.joint("slide", "rod", s.body("bead", mass=2), ph.Prismatic("x"))
    s.prescribe("turn", w * s.time)
    terms = s.derive().velocity_terms
    assert same(terms.driven, [-2 * bead.q[0] * w**2]) and is_zero(terms.centrifugal[0, 0])


def test_embedded_constraints_bring_their_own_velocity_terms() -> None:
    """A bead on the parabola z = x²/2: m (1 + x²) ẍ + m x ẋ² + m g x = 0."""
    s = ph.System("bead", gravity=(0, 0, "-10"))
    s.joint(
        "move", s.ground, s.body("bead", 3), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")), coordinates=["x", "z"]
    )
    x, z = s.joints["move"].q
    s.constrain(z - x**2 / 2)
    e = s.derive(constraints="embedded", independent=["x'"])
    terms = e.velocity_terms
    assert same(substitute(terms.centrifugal.entries(), {}), [3 * x])
    assert same(terms.gravity, [30 * x]) and not any(terms.applied)
