"""What the proof does not cover it says in one sentence."""

import pytest

import polhode as ph
from polhode.model.samples import four_bar


def test_models_are_taken_and_constraints_are_not_and_a_joint_that_moves_in_several_ways_at_once_is_named() -> None:
    s = ph.System("s")
    s.joint("j", s.ground, s.body("b", 1, (1, 0, 0)), ph.Revolute("z"))
    assert ph.equivalence(s.model()) == ph.equivalence(s)
    with pytest.raises(ph.PolhodeError, match="open chains and trees") as refusal:
        ph.equivalence(four_bar())
    assert "E-PAPER-UNSUPPORTED" in str(refusal.value)
    with pytest.raises(ph.PolhodeError, match="not a system"):
        ph.equivalence("pendulum.yaml")  # type: ignore[arg-type]
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, (0, 0, 1)), ph.Spherical())
    with pytest.raises(
        ph.PolhodeError, match="joint 'socket': Silver's proof is made for joints with one degree"
    ) as refusal:
        ph.equivalence(s)
    assert "Write the joint as a compound" in str(refusal.value)


def test_nothing_that_moves_freely_is_nothing_to_prove() -> None:
    s = ph.System("clock")
    s.joint("hand", s.ground, s.body("hand", 1, (1, 0, 0)), ph.Revolute("z"))
    s.prescribe("hand", s.time)
    for still in (s, ph.System("empty")):
        with pytest.raises(ph.PolhodeError, match="nothing to prove"):
            ph.equivalence(still)
