"""Runs with constraints stay in native code, past singular poses too."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode import Equations
from polhode.errors import SimulationError
from polhode.model.samples import four_bar, n_four_bar
from polhode.simulate.constraints.projection import EmbeddedRates, ProjectedRates
from polhode.simulate.integrators import native
from polhode.simulate.integrators.native import STIFF_METHOD, Switch

FLAT = {"crank 0": np.pi / 2, "crank 1": np.pi / 2, "coupler 0": -np.pi / 2}


def kite(rocker: float) -> Equations:
    """A four-bar that folds, or nearly so."""
    return four_bar(crank=1, coupler=2, rocker=rocker, base=1).derive()


def light_tip() -> Equations:
    """A four-bar with a flexible coupler: in the metric of the masses lengths of its rows change by a factor of 20."""
    s = ph.System("light tip", gravity=(0, 0, -10))
    s.joint("crank", s.ground, s.body("crank", 1, ("0.15", 0, 0), ("0.01", "0.02", "0.02")), ph.Revolute("y"))
    rod = s.beam("rod", length=1, mass="0.01", EI=40, modes=1)
    s.joint("pin", "crank", rod, ph.Revolute("y"), at=("0.3", 0, 0))
    s.joint("tip", rod.at(1), s.body("tip", "0.001"), "fixed")
    s.joint("rocker", s.ground, s.body("rocker", 2, ("0.3", 0, 0), ("0.01",) * 3), ph.Revolute("y"), at=(1, 0, 0))
    s.close("loop", "tip", "rocker", ph.Revolute("y"), at_b=("0.5", 0, 0))
    return s.derive()


def closed_by_angles() -> Equations:
    """A pendulum closed by a joint with coordinates of its own."""
    s = ph.System("closed by angles", gravity=(0, 0, -10))
    s.joint("arm", s.ground, s.body("arm", 1, (1, 0, 0), (1, 1, 1)), ph.Revolute("y"))
    s.joint("ball", "arm", s.body("rod", 1, (1, 0, 0), (1, 1, 1)), ph.Spherical(), at=(2, 0, 0))
    s.close("guide", s.ground, "rod", ph.Compound(ph.Prismatic("x"), ph.Revolute("y")), at_b=(2, 0, 0))
    return s.derive()


RUNS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a loop": (lambda: four_bar().derive(), {"start": {"crank": 0.3}, "speeds": {"crank": 1}}),
    "flat poses": (lambda: n_four_bar(2).derive(), {"speeds": {"crank 0": 1.0}}),
    "a start at rest at a flat pose": (lambda: n_four_bar(1).derive(), {"start": FLAT}),
    "a pose that is nearly folded": (lambda: kite(2 + 1e-7), {"start": {"crank": 0.7}, "speeds": {"crank": 2}}),
    "a light tip": (light_tip, {"start": {"crank": 1.0}, "duration": 0.02}),
    "coordinates of a closing joint": (closed_by_angles, {"duration": 1}),
    "dependent coordinates": (lambda: four_bar().derive(independent=["crank"]), {"start": {"crank": 0.3}}),
}


@pytest.mark.parametrize("name", RUNS)
def test_python_projects_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A projection that went wrong in native code would be made good by Python, slowly and without a word."""

    def helped(self: native.Integration, reason: object) -> None:
        raise AssertionError(f"native code needed help: {reason!r}")

    monkeypatch.setattr(native.Integration, "_project", helped)
    derived, options = RUNS[name]
    run = derived().simulate(**{"duration": 3, **options})
    assert run.is_whole
    assert run.info["evaluations"] < 200 * run.info["steps"], "poses are sought now and then, not at each state"
    assert max(run.drift.position, run.drift.velocity) < 1e-11 and run.energy_drift < 1e-8


def test_a_linkage_that_nearly_folds_turns_where_one_that_folds_goes_through() -> None:
    """Links that are off by 1e-9 do not meet; whichever is longer, the motion is nearly the same."""
    options = {"start": {"crank": 0.7}, "speeds": {"crank": 2}, "samples": 5}
    through, longer, shorter = (kite(2 + off).simulate(4, **options)["crank"][-1] for off in (0.0, 1e-9, -1e-9))
    assert longer == pytest.approx(shorter, abs=1e-3) and abs(through - longer) > 1


@pytest.mark.parametrize("angle", [0.9, 1.3, 1.5, 1.6])
def test_events_near_flat_poses_have_the_times_of_a_pendulum(angle: float) -> None:
    """All bars of a parallelogram turn with θ̈ = c sin θ: the time to an angle is a quadrature."""
    e = n_four_bar(1).derive()
    (found,) = e.simulate(0.9, speeds={"crank 0": 0.8}, events=[e.q[0] - angle]).events
    c = 9.81 * (2 / 2 + 1) / (2 / 3 + 1)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    turned = angle * (1 + nodes) / 2
    time = float(np.sum(weights / np.sqrt(0.8**2 + 2 * c * (1 - np.cos(turned)))) * angle / 2)
    assert found == pytest.approx([time], abs=1e-8)


def block(force: Any) -> Equations:
    s = ph.System("block")
    j = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"), speeds=["v"])
    s.joint_force("x", force(s.time, j.q[0], j.u[0]))
    return s.derive()


@pytest.fixture(scope="module")
def bushing() -> Equations:
    return block(lambda t, x, v: -4e4 * v - 4e4 * (x - ph.sin(t)))


OPTIONS: dict[str, Any] = {"rtol": 1e-8, "atol": 1e-8, "watch_energy": False}
#: What a run may begin with, and the options under which it does: Taylor series where no step is bounded.
EXPLICIT: dict[str, dict[str, Any]] = {"taylor": {}, "TP86": {"step": 1e3}}


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_a_stiff_run_is_taken_by_the_implicit_method_and_tells_when(bushing: Equations, explicit: str) -> None:
    run = bushing.simulate(5, **OPTIONS, **EXPLICIT[explicit])
    assert run.info["method"] == explicit
    ((t, name),) = run.info["switches"]
    assert name == STIFF_METHOD
    assert 0 < t < 0.1
    assert run.info["steps"] < 400
    exact = bushing.simulate(5, method="DOP853", rtol=1e-11, atol=1e-11, watch_energy=False)
    assert np.abs(run.q - exact.q).max() < 1e-6


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_a_run_that_is_not_stiff_is_the_explicit_method_bit_for_bit(explicit: str) -> None:
    swing = block(lambda t, x, v: -4 * x - v / 10)
    options = OPTIONS | EXPLICIT[explicit]
    chosen, plain = (swing.simulate(20, start={"x": 1.0}, method=method, **options) for method in ("auto", explicit))
    assert chosen.info["switches"] == [] and np.array_equal(chosen.q, plain.q)


@pytest.mark.parametrize(("end", "turned"), [(20.0, True), (10.5, False)])
def test_a_run_that_is_nearly_done_is_ended_by_the_method_that_it_has(end: float, turned: bool) -> None:
    run: Any = SimpleNamespace(record=SimpleNamespace(t=10.0, taken=1e-3, stiffness_limit=0))
    switch = Switch("TP86")
    assert switch.turned(run, end) == switch.is_stiff == turned


@pytest.mark.parametrize("explicit", EXPLICIT)
def test_it_returns_where_the_stiffness_is_over(explicit: str) -> None:
    # damping that fades: stiff at first, a free swing later
    damped = block(lambda t, x, v: -25 * x - 1e5 * ph.exp(-4 * t) * v)
    run = damped.simulate(30, start={"x": 1.0}, **OPTIONS, **EXPLICIT[explicit])
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD, explicit]
    exact = damped.simulate(30, start={"x": 1.0}, method="Radau", rtol=1e-11, atol=1e-11, watch_energy=False)
    assert np.abs(run.q - exact.q).max() < 1e-5


def test_samples_and_events_do_not_mind_a_change_of_method(bushing: Equations) -> None:
    events = [2 * bushing.q[0] - 1]
    run = bushing.simulate(7, samples=71, events=events, **OPTIONS)
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD]
    assert np.array_equal(run.t, np.linspace(0, 7, 71))
    # with hardly any mass, x' = sin t - x
    for t in run.info["events"][0]:
        assert np.sin(t) - np.cos(t) + np.exp(-t) == pytest.approx(1.0, abs=1e-4)
    assert len(run.info["events"][0]) == 2
    again = bushing.simulate(7, samples=2, events=events, **OPTIONS)
    assert np.array_equal(run.q[-1], again.q[-1])


def test_a_run_that_chooses_compiles_no_jacobian(bushing: Equations) -> None:
    functions = bushing.compile()
    asked: list[str] = []
    native = functions.native
    functions.native = lambda name, *more: (asked.append(str(name)), native(name, *more))[1]  # type: ignore[method-assign]
    assert bushing.simulate(20, functions=functions, **OPTIONS).info["switches"]
    assert not any("jacobian" in name for name in asked)
    bushing.simulate(1, functions=functions, method=STIFF_METHOD, **OPTIONS)
    assert any("jacobian" in name for name in asked)


def test_a_run_by_two_methods_can_be_asked_at_any_time(bushing: Equations) -> None:
    run = bushing.simulate(5, samples=3, **OPTIONS)
    assert run.info["switches"]
    # before and after the change; with hardly any mass, 2 x = sin t - cos t + exp -t
    times = np.array([0.001, 0.7, 1.9, 3.1, 4.6])
    exact = (np.sin(times) - np.cos(times) + np.exp(-times)) / 2
    assert run.interpolant is not None and np.abs(run.interpolant(times)[:, 0] - exact).max() < 1e-4


def stiff_loop(constraints: str) -> Equations:
    """A four-bar whose crank a hard bushing holds near an angle that swings."""
    s = four_bar()
    crank = s.joints["crank"]
    s.joint_force(crank, -2e3 * (crank.u[0] + crank.q[0] - 0.4 - 0.2 * ph.sin(s.time)))
    return s.derive(constraints=constraints)


@pytest.mark.parametrize("constraints", ["multipliers", "embedded"])
@pytest.mark.parametrize("method", ["Rodas5P", "Radau"])
def test_implicit_methods_keep_constraints_without_python(
    constraints: str, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop, start = stiff_loop(constraints), {"crank": 0.4}
    exact = loop.simulate(1, start=start, method="DOP853", rtol=1e-11, atol=1e-11, samples=6)
    asked: list[float] = []
    of = {"multipliers": ProjectedRates, "embedded": EmbeddedRates}[constraints]
    plain = of.__call__

    def counted(rates: Any, t: float, x: Any) -> Any:
        asked.append(t)
        return plain(rates, t, x)

    monkeypatch.setattr(of, "__call__", counted)
    run = loop.simulate(1, start=start, method=method, samples=6)
    assert np.abs(run.x - exact.x).max() < 1e-8 and run.info["steps"] < 200 < exact.info["steps"]
    assert run.drift.position < 1e-12 and run.drift.velocity < 1e-12
    assert asked == [0.0], "Python has no say in the steps"


def test_a_stiff_loop_is_taken_by_the_implicit_method() -> None:
    loop = stiff_loop("multipliers")
    run = loop.simulate(4, start={"crank": 0.4})
    assert [name for _, name in run.info["switches"]] == [STIFF_METHOD]
    exact = loop.simulate(4, start={"crank": 0.4}, method="Radau", rtol=1e-11, atol=1e-11)
    assert np.abs(run.x - exact.x).max() < 1e-7 and run.drift.position < 1e-12


def arm() -> ph.System:
    s = ph.System("arm")
    upper, lower = s.body("upper", s.parameter("m", 1), (0, 0, -1)), s.body("lower", 2, (0, 0.1, -1), (0.1, 0.1, 0.2))
    s.joint("shoulder", s.ground, upper, ph.Revolute("y"))
    s.joint("elbow", upper, lower, ph.Spherical(), at=(0, 0, -1))
    return s


TURNING: dict[str, Any] = {"start": {"shoulder": 0.5}, "speeds": {"elbow_wx": 1}, "parameters": {"m": 1.5}}


@pytest.mark.parametrize(("method", "within"), [("gauss4", 1e-6), ("gauss6", 1e-9), ("lie4", 1e-6)])
def test_they_go_where_other_methods_go_under_all_that_acts(method: str, within: float) -> None:
    s = arm()
    wind = s.input("wind")
    s.joint_force("shoulder", wind - 0.3 * s.joints["shoulder"].u[0] + ph.sin(3 * s.time))
    equations = s.derive()
    for acting in (
        {"inputs": {"wind": 0.4}, "tau": {"elbow_wy": 0.1}},
        {"inputs": {"wind": 0.4}, "tau": lambda t, q, u: {"shoulder": -0.2 * u[0]}},
        {"inputs": {"wind": ph.cos(s.time) - 0.1 * s.joints["shoulder"].u[0]}},
        {"inputs": {"wind": ph.held(lambda t, q, u: -q[0], 0.123)}},
        {"inputs": {"wind": ph.sampled([0, 0.7, 2], [0, 1, 0.5])}},
    ):
        fine = equations.simulate(2, rtol=1e-12, atol=1e-12, **TURNING, **acting)
        run = equations.simulate(2, method=method, step=0.01, **TURNING, **acting)
        assert np.allclose(run.q[-1], fine.q[-1], atol=within) and np.allclose(run.u[-1], fine.u[-1], atol=within)


@pytest.mark.parametrize("method", ["gauss6", "lie4"])
def test_a_run_watched_step_by_step_is_the_same_run(method: str) -> None:
    equations = arm().derive()
    bare = equations.simulate(1, method=method, step=0.01, samples=101, **TURNING)
    watched = equations.simulate(1, method=method, step=0.01, samples=101, events=[lambda t, q, u: q[0]], **TURNING)
    assert len(watched.events[0]) == 1 and np.array_equal(bare.q, watched.q)
    fine = equations.simulate(1, events=[lambda t, q, u: q[0]], **TURNING)
    assert watched.events[0] == pytest.approx(fine.events[0], abs=1e-7)
    ended = equations.simulate(1, method=method, step=0.01, until=lambda t, q, u: q[0], **TURNING)
    assert ended.status == "event" and ended.t[-1] == pytest.approx(watched.events[0][0])


def test_states_without_mass_are_stepped_too_and_a_run_says_which_variables_were_stepped() -> None:
    s = ph.System("motor")
    slide = s.joint("x", s.ground, s.body("block", 2), ph.Prismatic("x"))
    z = s.state("current", rate=1)
    s.joint_force(slide, -3 * slide.q[0] + z)
    equations = s.derive()
    fine = equations.simulate(1, start={"x": 1}, rtol=1e-12, atol=1e-12)
    run = equations.simulate(1, start={"x": 1}, method="gauss6", step=0.02)
    assert np.allclose([*run.q[-1], *run.u[-1], *run.z[-1]], [*fine.q[-1], *fine.u[-1], *fine.z[-1]], atol=1e-11)
    equations = arm().derive()
    assert equations.simulate(0.1, method="gauss6", **TURNING).info["variables"] == "q, p"
    driven = equations.simulate(0.1, method="gauss6", step=0.01, tau=lambda t, q, u: {}, **TURNING)
    assert driven.info["variables"] == "q, u"
    assert "symmetric but not symplectic: a controller drives it" in driven.notices[0]
    skew = ph.System("skew")
    two_axes = ph.JointMap([[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]])
    skew.joint("hook", skew.ground, skew.body("bob", 1, (0, 0, -1), (1, 1, 1)), two_axes)
    run = skew.derive().simulate(1, start={"hook_1": 0.5}, method="gauss6", step=0.01)
    assert "not symplectic: a joint is not holonomic" in run.notices[0] and run.energy_drift < 1e-9


def test_what_a_method_cannot_step_is_told() -> None:
    equations = arm().derive()
    with pytest.raises(SimulationError, match="stages of gauss6 were not found: the step of 1 s is too long"):
        equations.simulate(10, method="gauss6", step=1, start={"shoulder": 0.5}, speeds={"elbow_wx": 30})
    for method in ("gauss4", "gauss6", "lie4"):
        with pytest.raises(ph.PolhodeError, match="it does not keep constraints"):
            four_bar().derive().simulate(1, method=method)
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    refused("it turns quaternions, of which there are none", lambda: s.derive().simulate(1, method="lie4"))


def test_equations_that_break_down_are_told_and_what_was_reached_is_kept() -> None:
    s = ph.System("slider", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(slide, 1 / ph.sqrt(1 - slide.q[0]))
    for method in ("gauss4", "gauss6"):
        with pytest.raises(SimulationError) as stopped:
            s.derive().simulate(3, speeds={"x": 1}, method=method, step=0.01)
        kept = stopped.value.trajectory
        assert 0.5 < kept.t[-1] < 1 and np.isfinite(kept.q).all()  # type: ignore[attr-defined]


DAMPED = {"method": "generalised_alpha", "step": 0.01}


@pytest.fixture(scope="module")
def swing() -> ph.Equations:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"), speeds=["rate"])
    s.joint_force(hinge, s.input("F", 0))
    return s.derive()


def test_a_run_has_the_step_and_the_spectral_radius_in_its_info(swing: ph.Equations) -> None:
    assert swing.simulate(1, **DAMPED).info["spectral_radius"] == 0.8
    run = swing.simulate(1, spectral_radius=0, **DAMPED)
    assert (run.info["step"], run.info["spectral_radius"], run.info["steps"]) == (0.01, 0.0, 100)


def test_fast_oscillations_vanish_and_slow_ones_stay() -> None:
    s = ph.System("two oscillators", gravity=(0, 0, 0))
    for name, stiffness in (("slow", 1), ("fast", 1e8)):
        s.joint_spring(s.joint(name, s.ground, s.body(name, 1), ph.Prismatic("x")), stiffness)
    equations, start = s.derive(), {"slow": 1.0, "fast": 1e-3}
    options = {"start": start, "samples": 1201, "watch_energy": False, **DAMPED}  # two samples a step
    damped, kept = (equations.simulate(6, spectral_radius=radius, **options) for radius in (0.5, 1.0))
    for run in (damped, kept):
        assert np.abs(run["slow"] - np.cos(run.t)).max() < 3e-4 and np.abs(run["fast"]).max() <= 1e-3 * (1 + 1e-12)
    assert np.abs(damped["fast"][100:]).max() < 1e-12
    assert np.abs(kept["fast"][-100:]).max() > 5e-4


def test_steps_are_of_second_order_where_what_acts_jumps_inside_of_them(swing: ph.Equations) -> None:
    push = ph.sampled([0, 0.503, 2], [0, 1, 1], kind="held")
    for acting in ({"inputs": {"F": push}}, {"tau": ph.held(lambda t, q, u: -3 * q, every=0.055)}):
        options = {"start": {"hinge": 1}, "samples": 21, **acting}
        exact = swing.simulate(2, **options)
        errors = [
            np.abs(swing.simulate(2, method="generalised_alpha", step=step, **options).q - exact.q).max()
            for step in (0.01, 0.005)
        ]
        assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.25)


def test_a_run_ends_at_an_event(swing: ph.Equations) -> None:
    run, exact = (swing.simulate(3, start={"hinge": 1}, until=swing.q[0], **more) for more in (DAMPED, {}))
    assert run.status == "event" and run.t[-1] == pytest.approx(exact.t[-1], abs=1e-4)


@pytest.mark.parametrize(("options", "message"), [
    (DAMPED | {"spectral_radius": 1.5}, "1.5 is not a number from 0 to 1"),
    ({"method": "rk4", "spectral_radius": 0.5}, "the method rk4 has no spectral radius to choose"),
    (DAMPED | {"tau": lambda t, q, u: -q}, "a function in Python drives this run"),
])  # fmt: skip
def test_what_the_method_does_not_take_is_refused(swing: ph.Equations, options: dict, message: str) -> None:  # type: ignore[type-arg]
    refused(message, lambda: swing.simulate(1, **options))


def test_a_force_that_jumps_is_inexact_by_steps_that_are_damped_which_a_run_says() -> None:
    s = ph.System("pendulum")
    hinge = s.joint("hinge", s.ground, s.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -ph.sign(hinge.u[0]))
    equations, told = s.derive(), "a force jumps, and generalised_alpha evaluates it as it is"
    assert equations.simulate(0.5, start={"hinge": 2.0}, **DAMPED).notices[0].startswith(told)
    for run in equations.simulate(0.5, start={"hinge": [1.0, 2.0]}, **DAMPED):
        assert sum(notice.startswith(told) for notice in run.notices) == 1
    assert not equations.simulate(0.5, start={"hinge": 2.0}, method="rk4", step=0.01).notices
