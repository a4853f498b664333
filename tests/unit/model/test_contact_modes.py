"""A mode of contacts as constraints: motion, forces and linear models are those of the mode."""

import numpy as np
import pytest

import polhode as ph
from polhode.errors import ModelError, PolhodeError


def _leg(is_fixed: bool) -> ph.System:
    """Two links in a plane: the lower on a hinge in the ground, or with its end on the floor."""
    s = ph.System("leg")
    shank, thigh = s.body("shank", 2, (0, 0, 0.5), inertia=(0.2, 0.2, 0)), s.body("thigh", 1, (0, 0, 0.4))
    if is_fixed:
        s.joint("lean", s.ground, shank, ph.Revolute("y"))
    else:
        flight = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
        s.joint("flight", s.ground, shank, flight, coordinates=["x", "z", "lean"])
        floor = s.surface("floor", s.ground, ph.Shape.plane("z"))
        s.contact("foot", shank, floor, friction=0.8)
        s.contact("crown", thigh.point((0, 0, 1)), floor)
    s.joint("knee", shank, thigh, ph.Revolute("y"), at=(0, 0, 1))
    return s


def test_a_sticking_foot_is_a_hinge() -> None:
    s = _leg(is_fixed=False)
    mode = s.with_contacts({"foot": "stick"})
    assert list(mode.constraints) == ["foot gap", "foot slip"] and not mode.contacts and list(s.contacts)
    e, hinged = mode.derive(), _leg(is_fixed=True).derive()
    found, expected = (np.sort(np.real(each.linearize().eigenvalues())) for each in (e, hinged))
    assert found[np.abs(found) > 1e-9] == pytest.approx(expected, rel=1e-9)

    start = {"lean": 0.2, "knee": -0.1}
    with_modes, constrained = s.derive().simulate(0.3, start=start), e.simulate(0.3, start=start)
    assert set(with_modes.contact("foot").mode) == {"stick"}
    assert np.abs(with_modes.q - constrained.q).max() < 1e-8
    foot, forces = with_modes.contact("foot"), constrained.multipliers
    assert forces["foot gap"] == pytest.approx(foot.normal, rel=1e-6)
    assert forces["foot slip"] == pytest.approx(foot.tangential[:, 0], rel=1e-6)


@pytest.mark.parametrize("joint", ["plane", "free"])
def test_linear_models_of_rolling_are_exact(joint: str) -> None:
    """A ball in a bowl: ω² = 5/7 g/(R - r). A round foot with a low mass centre: ω² = m g d/(I + m (r - d)²)."""
    plane = ph.Compound(ph.Prismatic("x"), ph.Prismatic("z"), ph.Revolute("y"))
    m, r, R, d, inertia = 1.3, 0.2, 1.0, 0.05, 0.02
    for offset, J, shape, height, expected in (
        (0.0, 0.4 * m * r**2, ph.Shape.sphere(-R), r - R, 5 / 7 * 9.81 / (R - r)),
        (d, inertia, ph.Shape.plane(), r, m * 9.81 * d / (inertia + m * (r - d) ** 2)),
    ):
        s = ph.System("rolling")
        body = s.body("body", m, (0, 0, -offset), (J, J, J))
        s.joint("f", s.ground, body, ph.Free() if joint == "free" else plane)
        ground = s.surface("track", s.ground, shape)
        s.contact("roll", s.surface("skin", body, ph.Shape.sphere(r)), ground, friction=0.5)
        e = s.with_contacts({"roll": "stick"}).derive()
        (height_name,) = (name for name in e.coordinates if name.endswith(("_z", "_2")))
        found = e.linearize({height_name: height}).eigenvalues()
        assert np.abs(found.real).max() < 1e-7
        assert np.abs(found.imag).max() ** 2 == pytest.approx(expected, rel=1e-12)


def test_gradients_in_a_mode_are_those_of_differences() -> None:
    e = _leg(is_fixed=False).with_contacts({"foot": "stick"}).derive()
    found = e.gradient(0.3, by=["knee"], of=e.q[2], start={"lean": 0.2, "knee": -0.1})["knee"]
    h = 1e-4
    ends = [e.simulate(0.3, start={"lean": 0.2, "knee": -0.1 + d}).q[-1, 2] for d in (-h, h)]
    assert found == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-5)


def test_what_is_no_constraint_is_refused() -> None:
    s = _leg(is_fixed=False)
    assert list(s.with_contacts({"crown": "slip"}).constraints) == ["crown gap"]
    assert not s.with_contacts({}).constraints
    with pytest.raises(ModelError, match="slips with friction"):
        s.with_contacts({"foot": "slip"})
    with pytest.raises(PolhodeError, match="foot"):
        s.with_contacts({"feet": "stick"})
    with pytest.raises(PolhodeError, match="stick"):
        s.with_contacts({"foot": "open"})
    with pytest.raises(PolhodeError, match="with_contacts"):
        s.derive().linearize()
    s.stop("knee", -1, 1)
    with pytest.raises(ModelError, match="knee stop lower"):
        s.with_contacts({"knee stop": "stick"})
    assert list(s.with_contacts({"knee stop lower": "stick"}).constraints) == ["knee stop lower gap"]
