"""A loop of one's own: a state or a batch, a step at a time."""

import pickle
import signal
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import SimulationError
from polhode.model.samples import four_bar
from polhode.simulate.events import crossing
from polhode.simulate.stepper import METHODS

STEPPED = [name for name in METHODS if name != "auto"]


@pytest.fixture(scope="module")
def pendulum() -> Any:
    s = ph.System("double pendulum")
    force = s.input("wind")
    first, second = s.body("first", 1, (0, 0, -1)), s.body("second", s.parameter("m", 2), (0, 0, -1))
    upper = s.joint("upper", s.ground, first, ph.Revolute("y"))
    s.joint("lower", first, second, ph.Revolute("y"), at=(0, 0, -1))
    s.joint_force(upper, force)
    return s.derive()


@pytest.fixture(scope="module")
def top() -> Any:
    s = ph.System("top")
    s.joint("socket", s.ground, s.body("top", 1, (0, 0, 1), inertia=(1, 1, 0.2)), ph.Spherical())
    return s.derive()


@pytest.mark.parametrize("method", ["DOP853", "RK45", "rk4"])
def test_steps_go_where_a_run_goes(pendulum: Any, method: str) -> None:
    acting = {"tau": {"lower": 0.5}, "inputs": {"wind": 0.3}, "parameters": {"m": 3}}
    run = pendulum.simulate(1, start={"upper": 1}, rtol=1e-11, atol=1e-11, **acting)
    st = pendulum.stepper(start={"upper": 1}, dt=0.01, method=method, substeps=10, **acting)
    for _ in range(100):
        q, u = st.step()
    assert st.t == pytest.approx(1)
    assert np.allclose([*q, *u], [*run.q[-1], *run.u[-1]], atol=1e-7)


def test_what_acts_stays_until_something_else_is_given(pendulum: Any) -> None:
    once, each = (pendulum.stepper(dt=0.01, method="rk4") for _ in range(2))
    once.step(tau=np.array([1.0, 2.0]), inputs=[0.5])
    once.step()
    for _ in range(2):
        each.step(tau={"upper": 1, "lower": 2}, inputs={"wind": 0.5})
    assert np.array_equal(once.q, each.q) and once.tau.tolist() == [1, 2]
    assert each.step(tau={"lower": 1}) is each.state and each.tau.tolist() == [0, 1]


def test_the_state_is_the_same_arrays_for_good_and_can_be_written_into(pendulum: Any) -> None:
    st = pendulum.stepper(start={"upper": 0.5}, dt=0.01)
    q, u = st.state
    st.step()
    assert st.q is q and st.u is u and q[0] < 0.5
    st.q[:] = [0.1, 0.2]
    st.u = [1, 2]
    st.t = 7
    other = pendulum.stepper(start=([0.1, 0.2], [1.0, 2.0]), dt=0.01)
    assert np.allclose(st.step()[0], other.step()[0], rtol=1e-9) and st.t == pytest.approx(7.01)
    st.state = [0, 0], [0, 0]
    assert q.tolist() == [0, 0]


def test_reset_goes_back_to_the_start_or_elsewhere(pendulum: Any) -> None:
    st = pendulum.stepper(start={"upper": 0.5}, speeds={"lower": 1}, dt=0.01)
    first = [array.copy() for array in st.step()]
    st.reset()
    assert (st.t, st.q.tolist(), st.u.tolist()) == (0.0, [0.5, 0], [0, 1])
    assert all(np.array_equal(a, b) for a, b in zip(st.step(), first, strict=True))
    st.reset({"lower": 2.0})
    assert st.q.tolist() == [0, 2]


@pytest.mark.parametrize("method", STEPPED)
@pytest.mark.parametrize("count", [3, 21])
def test_a_member_has_the_same_bits_alone_and_in_a_batch(pendulum: Any, top: Any, method: str, count: int) -> None:
    rng = np.random.default_rng(count)
    for equations in (top,) if method == "lie4" else (pendulum, top):
        q = rng.normal(size=(count, len(equations.q)))
        u, tau = rng.normal(size=(2, count, len(equations.u)))
        batch = equations.stepper(batch=count, start=q, speeds=u, dt=0.01, method=method, threads=2)
        for _ in range(3):
            batch.step(tau=tau)
        for k in (0, count - 1):
            alone = equations.stepper(start=q[k], speeds=u[k], dt=0.01, method=method)
            for _ in range(3):
                alone.step(tau=tau[k])
            assert np.array_equal(alone.q, batch.q[k]) and np.array_equal(alone.u, batch.u[k])


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_members_may_have_parameters_of_their_own(pendulum: Any, method: str) -> None:
    masses = np.linspace(1, 3, 6)
    batch = pendulum.stepper(batch=6, parameters={"m": masses}, start={"upper": 1}, dt=0.01, method=method)
    for _ in range(3):
        batch.step()
    for k in (0, 5):
        alone = pendulum.stepper(parameters={"m": masses[k]}, start={"upper": 1}, dt=0.01, method=method)
        for _ in range(3):
            alone.step()
        assert np.array_equal(alone.q, batch.q[k])
    assert batch.q[0, 0] != batch.q[5, 0]
    refused("6 values for a batch of 5", lambda: pendulum.stepper(batch=5, parameters={"m": masses}))


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_members_that_fail_are_marked_and_the_others_go_on(pendulum: Any, method: str) -> None:
    st = pendulum.stepper(batch=10, dt=0.01, method=method, start={"upper": 0.3})
    whole = pendulum.stepper(batch=10, dt=0.01, method=method, start={"upper": 0.3})
    st.tau[4] = 1e300
    for _ in range(3):
        st.step()
        whole.step()
    assert np.flatnonzero(st.failed).tolist() == [4] and np.isfinite(st.q).all()
    others = np.arange(10) != 4
    assert np.array_equal(st.q[others], whole.q[others]) and st.t[others] == pytest.approx(0.03) and st.t[4] == 0
    st.tau[4] = 0
    st.reset(members=st.failed)
    st.step()
    assert not st.failed.any() and st.q[4, 0] < 0.3


def test_members_are_reset_by_mask_or_index_to_rows_of_states(pendulum: Any) -> None:
    st = pendulum.stepper(batch=5, dt=0.01, method="rk4")
    st.step(tau=[1, 0])
    st.reset([[0.1, 0.2], [0.3, 0.4]], members=[1, 3])
    assert st.q[[1, 3]].tolist() == [[0.1, 0.2], [0.3, 0.4]] and st.t.tolist() == [0.01, 0, 0.01, 0, 0.01]
    st.reset({"upper": 1}, members=np.array([True, False, False, False, False]))
    assert st.q[0].tolist() == [1, 0]
    st.reset({"upper": [5, 6]}, {"upper": 7, "lower": [8, 9]}, members=[0, 2])
    assert st.q[[0, 2]].tolist() == [[5, 0], [6, 0]] and st.u[[0, 2]].tolist() == [[7, 8], [7, 9]]
    refused("a row for each of 5 members, got 2", lambda: pendulum.stepper(batch=5, start={"upper": [1, 2]}))
    st.t = [0, 0, 0.01, 0, 0.01]
    st.reset(members=[])
    assert st.t[2] == 0.01


def test_quaternions_keep_unit_length(top: Any) -> None:
    st = top.stepper(dt=0.01, method="rk4", speeds={"socket_wz": 20})
    st.q = [2, 0, 0, 0]
    for _ in range(100):
        st.step()
    assert np.linalg.norm(st.q) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("method", ["auto", "rk4", "Radau", "semi_implicit_euler"])
def test_constraints_are_kept_by_a_batch_as_by_a_single_state(method: str) -> None:
    linkage = four_bar().derive()
    st = linkage.stepper(start={"crank": 0.3}, speeds={"crank": 1}, dt=0.02, method=method, substeps=4)
    for _ in range(10):
        st.step()
    run = linkage.simulate(0.2, start={"crank": 0.3}, speeds={"crank": 1})
    assert np.allclose(st.q, run.q[-1], atol=1e-2 if method == "semi_implicit_euler" else 1e-6)
    assert np.abs(linkage.compile().constraint_values(st.q)).max() < 1e-12
    batch = linkage.stepper(batch=3, start={"crank": 0.3}, dt=0.02, method=method, substeps=4)
    batch.reset({"crank": 0.3}, {"crank": 1}, members=[1])
    for _ in range(10):
        batch.step()
    assert np.array_equal(batch.q[1], st.q) and not np.array_equal(batch.q[0], st.q)
    st.reset()
    assert st.q[0] == pytest.approx(0.3)


@pytest.mark.parametrize("method", ["auto", "rk4", "Rodas5P"])
def test_events_happen_inside_of_steps(method: str) -> None:
    s = ph.System("ball")
    z = s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    falls = crossing(z.q[0], direction=-1)
    equations = s.derive()
    how: dict[str, Any] = {"on": {falls: {"v": -0.5 * z.u[0]}}, "events": [z.u[0]], "start": {"z": 4.905}}
    run = equations.simulate(2.4, **how)
    batch = equations.stepper(batch=2, dt=0.24, method=method, substeps=20, **how)
    batch.reset({"z": 10.0}, members=[0])
    found: list[list[float]] = [[], []]
    for _ in range(10):
        batch.step()
        for times, more in zip(found, batch.events[1], strict=True):
            times += more
    assert np.allclose(batch.q[1], run.q[-1], atol=1e-7)
    for times, wanted in zip(found, run.info["events"], strict=True):
        assert np.allclose(times, wanted, atol=1e-7)
    assert len(found[1]) == 2 and not batch.ended.any()


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_an_event_ends_a_state_until_it_is_reset(method: str) -> None:
    s = ph.System("stone")
    z = s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"))
    equations = s.derive()
    for until in (z.q[0], lambda t, q, u: q[0]):
        st = equations.stepper(start={"z": 4.905}, until=until, method=method)
        for _ in range(5):
            st.step(0.3)
        assert st.ended and not st.failed and st.t == pytest.approx(1) and abs(st.q[0]) < 1e-9
        st.reset()
        st.step(0.3)
        assert not st.ended and st.t == 0.3 and st.events == [[]]
    bounced = equations.stepper(start={"z": 4.905}, on={z.q[0]: lambda t, q, u: {z.u[0]: 1.0}}, method=method)
    bounced.step(1.05)
    assert bounced.q[0] == pytest.approx(0.05 - 0.5 * 9.81 * 0.05**2) and bounced.events == [[pytest.approx(1)]]
    with pytest.raises(SimulationError, match=r"event 0 of until, .* raised ZeroDivisionError"):
        equations.stepper(until=lambda t, q, u: 1 / 0).step(0.1)


@pytest.mark.parametrize(("method", "sampled"), [("auto", {}), ("rk4", {}), ("auto", {"sample_time": 0.03}),
    ("rk4", {"sample_time": 0.02, "delay": 0.05, "noise": {"upper": 1e-3}, "seed": 3})])  # fmt: skip
def test_a_controller_closes_the_loop(pendulum: Any, method: str, sampled: dict[str, Any]) -> None:
    law = ph.control.ComputedTorque(pendulum, kp=4, kd=4, inputs=["upper", "lower"])
    how = {"controller": law, "reference": {"upper": 0.5, "lower": -0.2}, "limits": 60, **sampled}
    run = pendulum.simulate(0.5, start={"upper": 1}, rtol=1e-11, atol=1e-11, **how)
    batch = pendulum.stepper(batch=3, start={"upper": 1}, dt=0.05, method=method, substeps=20, **how)
    for _ in range(4):
        batch.step()
    batch.reset(members=[0])
    for _ in range(10):
        batch.step()
    assert np.allclose([*batch.q[0], *batch.u[0]], [*run.q[-1], *run.u[-1]], atol=1e-6)
    assert batch.t == pytest.approx([0.5, 0.7, 0.7])
    refused("follows the controller", lambda: batch.step(tau=np.zeros((3, 2))))


def test_time_goes_on_in_forces_that_depend_on_it() -> None:
    s = ph.System("shaken")
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, ph.sin(3 * s.time))
    equations = s.derive()
    run = equations.simulate(1)
    for method in ("rk4", "DOP853"):
        st = equations.stepper(dt=0.01, method=method)
        for _ in range(100):
            st.step()
        assert st.q[0] == pytest.approx(run.q[-1, 0], abs=1e-8)
    batch = equations.stepper(dt=0.01, method="rk4", batch=3)
    refused("which the members share", lambda: batch.reset(members=[1]))


def test_what_cannot_be_stepped_is_told(pendulum: Any) -> None:
    st = pendulum.stepper(dt=0.01, method="rk4")
    batch = pendulum.stepper(batch=3)
    for call, told in (
        (lambda: st.step(tau=[1.0, 2.0, 3.0]), r"expected the shape \(2,\), got \(3,\)"),
        (lambda: st.step(tau=3.0), r"expected the shape \(2,\), got \(\)"),
        (lambda: st.step(tau="much"), "not real numbers"),
        (lambda: st.step(tau={"upperr": 1}), "step tau: there is no effort 'upperr'"),
        (lambda: st.step(-0.1), "not seconds > 0"),
        (lambda: st.step(float("nan")), "not seconds > 0"),
        (lambda: st.reset(members=[0]), "one state, no members"),
        (lambda: setattr(st, "q", [1.0]), r"got \(1,\)"),
        (lambda: setattr(st, "t", "noon"), "t: 'noon' is not seconds"),
        (lambda: setattr(batch, "t", [1.0, 2.0]), r"t: expected the shape \(3,\), got \(2,\)"),
        (lambda: batch.step(0.1, tau={"upper": [1.0, 2.0]}), r"step tau 'upper': it has the shape \(2,\)"),
        (lambda: batch.step(), "how far to go"),
        (lambda: batch.reset(members=[3]), "no mask of 3"),
        (lambda: batch.reset(np.zeros((2, 2))), "a row for each of 3"),
        (lambda: pendulum.stepper(method="gauss6"), "does not go a step at a time"),
        (lambda: pendulum.stepper(method="rk5"), "there is no method 'rk5'"),
        (lambda: pendulum.stepper(method="gaus6"), r"there is no method 'gaus6'\.\n  Choose one of auto"),
        (lambda: pendulum.stepper(step=0.1), r"no option 'step'\.\n  It is an option of simulate; stepper takes"),
        (lambda: pendulum.stepper(batch=0), "not a whole number"),
        (lambda: pendulum.stepper(batch=10**10), "would take more than"),
        (lambda: pendulum.stepper(substeps=1.5), "not a whole number"),
        (lambda: pendulum.stepper(tau=lambda t, q, u: u), "in a loop of your own"),
        (lambda: pendulum.stepper(stert=1), "no option 'stert'"),
    ):
        with pytest.raises(ph.PolhodeError, match=told):
            call()


def test_a_state_that_cannot_go_on_says_so_and_stays(pendulum: Any) -> None:
    st = pendulum.stepper(dt=0.01, method="rk4", start={"upper": 0.5})
    refused(r"cannot go on; it is upper = 0\.5", lambda: st.step(tau=[1e308, 0]), SimulationError)
    assert st.failed and st.q[0] == 0.5
    st.reset()
    st.step(tau=[0, 0])
    assert not st.failed


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer here")
def test_an_interrupt_ends_a_long_step_and_leaves_the_members_where_they_are() -> None:
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    st = s.derive().stepper(start=np.linspace(0.5, 1.5, 4000)[:, None], batch=4000, method="RK23", rtol=1e-9)
    st.step(0.01)
    former = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        refused("", lambda: st.step(20.0), KeyboardInterrupt)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, former)
    assert {*np.unique(st.t)} <= {0.01, 20.01} and (st.t == 0.01).any() and not st.failed.any()
    late = np.flatnonzero(st.t == 0.01)[-1]
    st.t[...], st.q[...], st.u[...] = 0.01, st.q[late], st.u[late]
    st.step(0.5)
    assert st.q == pytest.approx(st.q[0, 0], abs=1e-7) and st.t == pytest.approx(0.51)


@pytest.mark.parametrize("method", ["auto", "Radau", "TP86", "rk4"])
def test_limits_that_are_passed_are_noted_as_in_a_run(method: str) -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), limits=(-0.9, 0.9), speed_limits=9)
    e, speeds = s.derive(), {"hinge": 2.5}
    st = e.stepper(start={"hinge": 0.5}, speeds=speeds, method=method, dt=0.01)
    assert st.passed_limits == ()
    for _ in range(300):
        st.step()
    run = e.simulate(3, start={"hinge": 0.5}, speeds=speeds)
    # explicit steps in lanes are tested at their ends
    close = {"abs": 1e-2 if method == "rk4" else 1e-5}
    found = [(each.name, each.side, each.kind, each.limit) for each in st.passed_limits]
    assert found == [(each.name, each.side, each.kind, each.limit) for each in run.passed_limits] and len(found) == 2
    for name in ("time", "farthest"):
        noted, expected = ([getattr(each, name) for each in passed] for passed in (st.passed_limits, run.passed_limits))
        assert noted == pytest.approx(expected, **close)
    assert pickle.loads(pickle.dumps(st)).passed_limits == st.passed_limits
    st.reset()
    assert st.passed_limits == ()


@pytest.mark.parametrize("method", ["auto", "rk4"])
def test_limits_are_noted_for_each_member_and_none_of_a_step_that_is_not_taken(method: str) -> None:
    s = ph.System("stone", gravity=(0, 0, -10))
    z = s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"), limits=(s.parameter("floor"), None))
    s.joint_force(z, 1e-9 * ph.sqrt(z.q[0] + 2))
    start = np.array([[1.0], [9.0], [1.0]])
    st = s.derive().stepper(start=start, parameters={"floor": [0.0, 0.0, -1.5]}, batch=3, method=method)
    for _ in range(70):
        st.step(0.01)
    assert [len(each) for each in st.passed_limits] == [1, 0, 0] and not st.failed.any()
    st.step(0.5)  # the first and the third cannot go on below -2
    assert st.failed.tolist() == [True, False, True] and [len(each) for each in st.passed_limits] == [1, 0, 0]
    assert st.passed_limits[0][0].time == pytest.approx(0.2**0.5, abs=0.01)
    st.reset(members=[0])
    assert st.passed_limits[0] == ()


def test_limits_are_noted_in_steps_that_are_left_to_python() -> None:
    s = ph.System("stone", gravity=(0, 0, -10))
    z = s.joint("z", s.ground, s.body("stone", 1), ph.Prismatic("z"), speeds=["v"], limits=(0, None))
    st = s.derive().stepper(start={"z": 5.0}, on={z.q[0] + 1: lambda t, q, u: {"v": -u[0]}})
    for _ in range(5):
        st.step(0.4)
    (passed,) = st.passed_limits
    assert (passed.time, passed.farthest) == (pytest.approx(1.0), pytest.approx(-1.0))
