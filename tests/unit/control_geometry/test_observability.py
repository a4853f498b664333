import numpy as np

import polhode as ph
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import cart_pole, quadrotor

from .test_accessibility import chain


def test_what_measurements_tell_and_do_not_tell_is_reported() -> None:
    found = cart_pole().derive().observability(["theta"])
    assert found.unseen == found.unobservable == ("x", "x'") and not found
    assert str(found) == "not observable: rank 2 of 4; nothing that is measured depends on x, x'."
    s = ph.System("two carts", gravity=(0, 0, 0))
    a, b = (s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x")) for name in "ab")
    found = s.derive().observability([b.q[0] - a.q[0]])
    assert found.rank == 2 and found.unobservable == ("a", "b", "a'", "b'") and found.unseen == ()
    assert "only combinations are determined" in str(found)


def test_linear_equations_have_the_rank_that_numbers_give_and_drifts_quadrotors_and_elastic_arms_are_observed() -> None:
    equations = chain(4, gap=2).derive()
    linear = equations.linearize().with_ports(["c0"], ["c3"])
    A, C = linear.numbers("A"), linear.numbers("C")
    rows = np.vstack([C @ np.linalg.matrix_power(A, k) for k in range(8)])
    assert equations.observability(["c3"]).rank == np.linalg.matrix_rank(rows) == 4
    found = cart_pole().derive().observability(["x"], at={})
    assert found.is_observable and found.at == 4
    hung = cart_pole().derive().observability(["x"], at={"theta": ph.pi / 2, "F": 0})
    assert hung.at is not None
    found = quadrotor().derive().observability(["pose_z"])
    assert found.unseen == ("pose_x", "pose_y") and "pose_rz" in found.unobservable
    assert elastic_arm(coupling="reduced").derive().observability([f"j{i}" for i in range(1, 7)]).is_observable
