import pytest

import polhode as ph
from polhode.control_geometry.affine import plant_of
from polhode.control_geometry.flatness import linearizability
from polhode.model.samples import elastic_arm
from polhode.model.samples.underactuated import car_with_trailers, cart_pole, planar_vtol, quadrotor, tora


def last_axle(system: ph.System, count: int) -> list[ph.Expr]:
    pose, d = system.derive().pose(f"trailer {count}"), system.parameters[f"d{count}"].symbol
    return [pose.p[0] - d * pose.R[0][0], pose.p[1] - d * pose.R[1][0]]


def test_the_last_axle_of_a_car_with_trailers_is_flat() -> None:
    """P. Rouchon, M. Fliess, J. Lévine and P. Martin, *Flatness, motion planning and trailer systems* (1993)."""
    s = car_with_trailers(2)
    found = s.derive().is_flat_output(last_axle(s, 2))
    assert found and sum(found.degrees) == found.size + found.integrators
    assert not s.derive().is_flat_output(["x", "y"])


def test_outputs_that_are_not_flat_are_reported_with_the_reason() -> None:
    found = elastic_arm(coupling="reduced").derive().is_flat_output([f"j{i}" for i in range(1, 7)])
    assert found.degrees == (4,) * 6 and found.integrators == 0
    equations = cart_pole().derive()
    assert str(equations.is_flat_output(["x"])) == "not flat: the outputs and their derivatives give 2 of 4 states."
    two = str(equations.is_flat_output(["x", "theta"]))
    assert two == "not flat: 2 outputs are given, and a flat output has as many as there are inputs, 1."
    found = cart_pole().derive().is_flat_output(["x", "x'"], ["x", "theta"])
    assert str(found) == "not flat: 'x' follows from the other outputs and their derivatives."


def test_six_elastic_joints_have_four_levels_unless_rotors_ride_on_links() -> None:
    found = elastic_arm(coupling="reduced").derive().is_feedback_linearizable()
    assert found.ranks == (6, 12, 18, 24) and found.indices == (4,) * 6
    assert str(found).startswith("feedback linearizable: outputs of relative degrees {4, 4, 4, 4, 4, 4} exist.\nG0 has")
    found = elastic_arm(joints=4).derive().is_feedback_linearizable()
    assert not found and found.indices == () and found.involutive == (True, False)
    assert found.sentences[-1] == "G1 has rank 8 of 16 and is not involutive: brackets of its fields leave it."


@pytest.mark.parametrize("make", [cart_pole, planar_vtol, tora, quadrotor])
def test_conditions_do_not_change_under_the_feedback_that_leaves_most_of_the_mass_matrix_out(make: object) -> None:
    e = make().derive().record  # type: ignore[operator]
    made = plant_of(e, None, "here")
    plain = type(made)(e, made.inputs, made.held, "here", is_plain=True)
    one, other = linearizability(made), linearizability(plain)
    assert (one.ranks, one.involutive) == (other.ranks, other.involutive)


def test_ranks_hold_around_a_state_and_unreached_states_are_named() -> None:
    hover, fall = ({"thrust": 9.81}, {})
    e = quadrotor(2).derive()
    assert e.is_feedback_linearizable(at=hover).indices == (4, 4, 4, 2)
    found = e.is_feedback_linearizable(at=fall)
    assert not found and found.ranks_at == (4, 8, 9, 10)
    assert "at the given state it has rank 9, which is not constant near it" in found.sentences[2]
    s = ph.System("two carts", gravity=(0, 0, 0))
    for name in "ab":
        s.joint(name, s.ground, s.body(f"cart {name}", 1), ph.Prismatic("x"))
    found = s.derive().is_feedback_linearizable(["a"])
    assert found.ranks == (1, 2) and not found
    assert found.sentences[-1] == "Further brackets with the drift lead nowhere else: 2 of 4."
