"""Steppers with contacts go through all events as runs do, with inputs held, and carry the modes."""

from functools import cache

import numpy as np
import pytest
from tests.contact.scenes import EXACT, G, moving

import polhode as ph

SIZE = (0.4, 0.3, 0.2)


@cache
def block() -> ph.Equations:
    """A block on a floor, pushed by an input; sticks up to 0.5 of its weight, slips with 0.4."""
    s = ph.System("block")
    body = moving(s, "block", 2, "xz")
    s.force(body, (s.input("push", 0), 0, 0))
    s.contact("sole", body, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.4, static=0.5, restitution=0.5)
    return s.derive()


@cache
def box() -> ph.Equations:
    s = ph.System("box")
    body = s.body("box", 2, inertia=ph.box(2, *SIZE))
    s.joint("f", s.ground, body, ph.Free())
    floor = s.surface("floor", s.ground, ph.Shape.plane())
    s.contact("hull", s.surface("hull", body, ph.Shape.box(*SIZE)), floor, friction=0.4, restitution=0.5)
    return s.derive()


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_a_box_that_is_stepped_tumbles_and_comes_to_rest_as_a_run_does(method: str) -> None:
    start = {"f_e0": np.cos(0.3), "f_e1": 0.6 * np.sin(0.3), "f_e2": 0.8 * np.sin(0.3), "f_z": 0.8}
    given = {"start": start, "speeds": {"f_wx": 2, "f_wy": 6, "f_wz": 1, "f_vx": 1.2}}
    run = box().simulate(0.6 if method == "rk4" else 2, samples=7 if method == "rk4" else 21, **given, **EXACT)
    options = {"substeps": 200} if method == "rk4" else EXACT
    st = box().stepper(dt=0.1, method=method, **given, **options)
    for k in range(1, round(run.t[-1] * 10) + 1):
        q, u = st.step()
        at = np.flatnonzero(run.t <= 0.1 * k + 1e-12)[-1]
        assert np.allclose([*q, *u], run.x[at], atol=1e-6)
    if method == "auto":
        assert sorted(st.modes.values()) == ["open"] * 4 + ["stick"] * 4
        assert not st.u.any()


def test_what_sticks_stands_until_an_input_is_more_than_static_friction() -> None:
    st = block().stepper(dt=0.1, **EXACT)
    for _ in range(10):
        st.step(inputs={"push": 0.49 * 2 * G})
    assert st.modes == {"sole": "stick"}
    assert not st.q.any()
    st.step(inputs={"push": 0.51 * 2 * G})
    assert st.modes == {"sole": "slip"}
    assert st.u[0] == pytest.approx(0.11 * G * 0.1, abs=1e-12)
    st.step(inputs={"push": 0.45 * 2 * G})  # it slips on: the modes are carried
    assert st.u[0] == pytest.approx(0.16 * G * 0.1, abs=1e-12)
    st.step(1.0, inputs={"push": 0})
    assert st.modes == {"sole": "stick"}
    assert st.q[0] == pytest.approx((0.11 / 2 + 0.11 + 0.05 / 2 + 0.16**2 / (2 * 0.4)) * G * 0.01, abs=1e-12)


def test_modes_are_decided_anew_where_a_state_is_set_by_hand() -> None:
    st = block().stepper(dt=0.1, events=[block().q[1] - 0.5], **EXACT)
    st.step()
    st.q[1] = 1
    assert st.modes == {"sole": "open"}
    st.step(0.4)
    assert st.events == [[pytest.approx(0.1 + np.sqrt(2 * 0.5 / G))]]
    st.step(5)
    assert st.modes == {"sole": "stick"}
    assert abs(st.q[1]) < 1e-12
    st.u[0] = 1
    assert st.modes == {"sole": "slip"}
    st.q[1] = -0.1
    with pytest.raises(ph.PolhodeError, match="'sole' overlaps by 0"):
        st.step()
    st.reset()
    st.step()
    assert st.modes == {"sole": "stick"}


def test_methods_that_do_not_see_contacts_are_refused() -> None:
    for method in ("taylor", "lie4"):
        with pytest.raises(ph.PolhodeError, match="does not step mechanisms with contacts"):
            block().stepper(dt=0.1, method=method)
    with pytest.raises(ph.PolhodeError, match="taylor does not step mechanisms with contacts"):
        block().simulate(1, method="taylor")


def test_members_of_a_batch_are_as_alone() -> None:
    starts, pushes = np.array([0.0, 0.1, 0.3]), np.array([0.0, 12.0, 5.0])
    many = block().stepper(dt=0.05, batch=3, start={"block z": starts}, **EXACT)
    for _ in range(12):
        many.step(inputs={"push": pushes})
    for k in range(3):
        st = block().stepper(dt=0.05, start={"block z": starts[k]}, **EXACT)
        for _ in range(12):
            st.step(inputs={"push": pushes[k]})
        assert (many.q[k] == st.q).all()
        assert many.modes[k] == st.modes


def test_an_arm_bounces_from_a_stop_within_a_step() -> None:
    s = ph.System("arm", gravity=(0, 0, 0))
    s.joint("hinge", s.ground, s.body("rod", 1, (1, 0, 0)), ph.Revolute("y"))
    s.stop("hinge", 0, 1, restitution=0.5)
    st = s.derive().stepper(dt=0.25, speeds={"hinge": 4}, impacts="poisson", **EXACT)
    st.step()
    st.step()
    assert st.q[0] == pytest.approx(1 - 2 * 0.25)
    assert st.u[0] == pytest.approx(-2)


@pytest.mark.parametrize("method", ["auto", "Radau"])
def test_a_constrained_mechanism_is_stepped_as_it_runs(method: str) -> None:
    s = ph.System("bob")
    bob = moving(s, "bob", 1, "xz")
    x, z = (s.joints[name].q[0] for name in ("bob x", "bob z"))
    s.constrain("rod", x**2 + z**2 - 1)
    wall = s.surface("wall", s.ground, ph.Shape.plane("x"), at=(-0.2, 0, 0))
    s.contact("wall", bob, wall, friction=0.3, restitution=0.4)
    e, given = s.derive(), {"start": {"bob x": 0.6, "bob z": -0.8}, "method": method, **EXACT}
    run, st = e.simulate(2, samples=3, **given), e.stepper(dt=0.1, **given)
    for _ in range(20):
        st.step()
    assert len(run.contact_events) > 0
    assert np.allclose([*st.q, *st.u], run.x[-1], atol=1e-11)
