"""The runs that `tests.trials.frozen` keeps: every method on every kind of mechanism, and every option of a run.

Only what a user calls is called. A case is a name and a function without arguments; what it returns or raises is
recorded by `tests.trials.frozen`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from bench.mechanisms import ARMS, CASSIE, SOLO12

import polhode as ph
from polhode.control import ComputedTorque, Law
from polhode.model import samples
from polhode.simulate import METHODS, crossing

Case = tuple[str, Callable[[], Any]]

_MODELS = Path(__file__).parents[2] / "models"
FIXED = ("euler", "midpoint", "heun", "rk4", "gauss4", "gauss6", "lie4")
NATIVE = ("auto", "taylor", "TP86", "DOP853", "RK45", "RK23", "Rodas5P", "Radau")
PAIRS = ("DOP853", "RK45", "RK23")
TABLEAUX = ("rk4", "heun", "midpoint", "euler")
#: Tolerances of methods that take too long at 1e-8.
_LOOSE = {"RK23": 1e-6, "scipy.RK23": 1e-5, "scipy.BDF": 1e-6, "ida": 1e-6, "cvode": 1e-6, "scipy.Radau": 1e-6}


def methods() -> tuple[str, ...]:
    """The methods that can run here: SUNDIALS is an extra."""
    return tuple(name for name in METHODS if not name.startswith(("ida", "cvode")) or find_spec("sksundae"))


def options_of(method: str, **options: Any) -> dict[str, Any]:
    """Options of a short run by a method: its tolerance or step, and 21 samples."""
    given: dict[str, Any] = {"method": method, "samples": 21, "progress": False}
    if method in FIXED:
        given["step"] = 0.01
    else:
        given["rtol"] = given["atol"] = _LOOSE.get(method, 1e-8)
    return given | options


# ---- mechanisms ----------------------------------------------------------------------------------------------------


@cache
def pendulum() -> ph.Equations:
    """A pendulum of length l with an input F and two gains."""
    s = ph.System("pendulum")
    l, force = s.parameter("l", 0.8), s.input("F")
    s.parameter("k", 2)
    s.parameter("c", 0.4)
    bob = s.body("bob", 1, (0, 0, -l))
    hinge = s.joint("hinge", s.ground, bob, ph.Revolute("y"), coordinates=["theta"], speeds=["omega"])
    s.joint_force(hinge, force)
    return s.derive()


def _chain() -> ph.System:
    """Three links about x, y and z."""
    s = ph.System("chain")
    m, carrier = s.parameter("m", 1), s.ground
    for k, axis in enumerate("xyz"):
        link = s.body(f"link {k}", m, (0.1, 0, "-1/2"), ("1/10", "1/12", "1/20"))
        s.joint(f"q{k}", carrier, link, ph.Revolute(axis), at=(0, 0, -1) if k else (0, 0, 0))
        carrier = link
    return s


@cache
def chain() -> ph.Equations:
    return _chain().derive()


@cache
def stops() -> ph.Equations:
    """Two links whose hinges have limits of angle and speed."""
    s = ph.System("stops")
    carrier = s.ground
    for k in range(2):
        link = s.body(f"link {k}", 1, (0, 0, -1), (0.1, 0.1, 0.1))
        s.joint(f"q{k}", carrier, link, ph.Revolute("y"), at=(0, 0, -k), limits=(-0.4, 0.9))
        carrier = link
    return s.derive()


@cache
def satellite() -> ph.Equations:
    return ph.load(_MODELS / "satellite_with_arm.yaml").derive()


@cache
def top(storage: str = "quaternion") -> ph.Equations:
    s = ph.System("top")
    s.joint("tip", s.ground, s.body("top", 1, (0, 0, 0.1), (0.02, 0.02, 0.01)), ph.Spherical(storage))
    return s.derive()


@cache
def linkage(constraints: str = "") -> ph.Equations:
    """A four-bar with a coupler of length l."""
    s = ph.System("linkage")
    l = s.parameter("l", 2)
    sizes = {"crank": 1, "rocker": 2}
    bars = {name: s.body(name, 1, (0, 0, size / 2), (0.1, 0.1, 0)) for name, size in sizes.items()}
    coupler = s.body("coupler", 1, (0, 0, l / 2), (0.3, 0.3, 0))
    s.joint("crank", s.ground, bars["crank"], ph.Revolute("y"))
    s.joint("coupler", bars["crank"], coupler, ph.Revolute("y"), at=(0, 0, 1))
    s.joint("rocker", s.ground, bars["rocker"], ph.Revolute("y"), at=(2, 0, 0))
    s.close("pin", coupler, bars["rocker"], "revolute", at_a=(0, 0, l), at_b=(0, 0, 2), axis="y")
    return s.derive(constraints=constraints) if constraints else s.derive()


@cache
def four_bars(windows: int) -> ph.Equations:
    return samples.n_four_bar(windows).derive()


@cache
def sample(name: str) -> ph.Equations:
    """A mechanism of the samples, or of a model file."""
    path = _MODELS / f"{name}.yaml"
    system: ph.System = ph.load(path) if path.exists() else getattr(samples, name)()
    return system.derive()


@cache
def ball() -> ph.Equations:
    """A ball on a vertical line; a bounce leaves the part `left` of its speed."""
    s = ph.System("ball")
    s.parameter("left", 0.8)
    s.joint("z", s.ground, s.body("ball", 1), ph.Prismatic("z"), speeds=["v"])
    return s.derive()


@cache
def slider(law: str = "") -> ph.Equations:
    """A mass on a line under a force: stiff, dry friction, a kink, a table in x, or none."""
    s = ph.System(f"slider {law}", gravity=(0, 0, 0))
    slide = s.joint("x", s.ground, s.body("block", s.parameter("m", 2)), ph.Prismatic("x"), speeds=["v"])
    x, v = slide.q[0], slide.u[0]
    table = ph.sampled([-1, -0.2, 0.3, 1], [5, 1, -1, -4], "linear")
    forces: dict[str, Callable[[], Any]] = {
        "stiff": lambda: -1e6 * x - 2e4 * v + 1e6 * ph.sin(s.time),
        "dry": lambda: -100 * x - 2 * ph.sign(v),
        "kink": lambda: -40 * x - 200 * ph.maximum(-x, 0),
        "table": lambda: 10 * table(x),
        "time": lambda: ph.cos(7 * s.time) - 3 * x,
    }
    if law:
        s.joint_force(slide, forces[law]())
    return s.derive()


@cache
def motor() -> ph.Equations:
    return samples.motor_driven_pendulum().derive()


@cache
def pseudo() -> ph.Equations:
    """A chain in pseudo-velocities."""
    s = _chain()
    a, b, c = (s.joints[name].u[0] for name in ("q0", "q1", "q2"))
    return s.derive("hamel", pseudo={"p": a + b, "d": a - b, "w": c * ph.cos(s.joints["q0"].q[0] / 2)})


# ---- every method on every kind of run -----------------------------------------------------------------------------

_BENT = {"start": {"q0": 0.7, "q1": -0.3, "q2": 0.4}, "speeds": {"q2": 2.0}}
_FLYING = {"start": "throwing", "speeds": {"flight_wx": 0.7, "flight_vz": 0.3, "shoulder": 0.8}}
_HELD = ph.sampled([0, 0.11, 0.37, 0.6], [9, -40, 25, 3], "held")


def _python_effort(t: float, q: Any, u: Any) -> Any:
    return -3.0 * q - 0.5 * u + np.sin(5.0 * t)


def _python_event(t: float, q: Any, u: Any) -> float:
    return float(q[0] - 0.3)


def _spinning(method: str) -> Any:
    return top().simulate(0.3, speeds={"tip_wx": 1.0, "tip_wz": 20.0}, **options_of(method))


def _with_events(method: str) -> Any:
    e = chain()
    events = [e.q[0] - 0.1, crossing(e.u[1], 1), e.q[0] * e.q[1] - ph.sin(e.q[2]) / 4]
    return e.simulate(1.0, events=events, **_BENT, **options_of(method))


def _until(method: str) -> Any:
    e = chain()
    return e.simulate(2.0, until=crossing(e.q[0] + 0.2, -1), **_BENT, **options_of(method))


def _bouncing(method: str) -> Any:
    e = ball()
    z, v, left = e.q[0], e.u[0], e.system.parameters["left"].symbol
    bounce = {crossing(z, -1): {"v": -left * v}}
    return e.simulate(1.5, start={"z": 1.0}, on=bounce, events=[v], until=crossing(v - 2.5, 1), **options_of(method))


def _linkage_bouncing(method: str) -> Any:
    e = linkage()
    back = {crossing(e.q[0] - 0.5, 1): {e.u[0]: -e.u[0] / 2}}
    return e.simulate(0.4, start={"crank": 0.3}, speeds={"crank": 2.0}, on=back, **options_of(method))


def _computed_torque(method: str, **options: Any) -> Any:
    e = stops()
    reference = {"q0": "0.3*sin(3*t)", "q1": 0.2}
    law = ComputedTorque(e, kp=100, kd=20, ki=10)
    return e.simulate(0.5, controller=law, reference=reference, **options_of(method, **options))


def _sampled_law(method: str, **options: Any) -> Any:
    e = slider("time")
    law = Law({e.tau[0]: -30 * e.q[0] - 9 * e.u[0]})
    return e.simulate(0.5, controller=law, sample_time=0.02, start={"x": 1}, **options_of(method, **options))


#: A kind of run by its name: a function of the method.
KINDS: dict[str, Callable[[str], Any]] = {
    "free chain": lambda method: chain().simulate(1.0, **_BENT, **options_of(method)),
    "satellite": lambda method: satellite().simulate(2.0, **_FLYING, **options_of(method)),
    "top": _spinning,
    "four-bar": lambda method: linkage().simulate(0.5, start={"crank": 0.3}, **options_of(method)),
    "stiff slider": lambda method: slider("stiff").simulate(
        0.1, start={"x": 0.01}, **options_of(method, **({"step": 1e-4} if method in FIXED else {}))
    ),
    "events": _with_events,
    "until": _until,
    "bounces": _bouncing,
    "bounces of a four-bar": _linkage_bouncing,
    "limits": lambda method: stops().simulate(1.0, start={"q0": 0.8, "q1": -0.1}, **options_of(method)),
    "controller": _computed_torque,
    "sampled controller": lambda method: _sampled_law(method, delay=0.03, limits=4.0),
    "table that jumps": lambda method: pendulum().simulate(
        0.7, start={"theta": 0.5}, inputs={"F": _HELD}, **options_of(method)
    ),
    "Python effort": lambda method: chain().simulate(0.2, tau=_python_effort, **_BENT, **options_of(method)),
}


def every_method() -> Iterator[Case]:
    """Each kind of run by each method."""
    for kind, run in KINDS.items():
        for method in methods():
            yield f"{kind}, {method}", partial(run, method)


# ---- options and mechanisms that need few methods ------------------------------------------------------------------


def singular_poses() -> Iterator[Case]:
    """Four-bars through the poses in which they lie flat, and a closure with redundant conditions."""
    for windows, speed in ((1, 0.8), (1, 3.0), (2, 1.0)):
        for method in ("auto", "taylor", "DOP853", "Radau", "Rodas5P", "rk4"):
            run = partial(four_bars(windows).simulate, 0.9, speeds={"crank 0": speed}, **options_of(method))
            yield f"{windows} four-bars at {speed}, {method}", run
    e = four_bars(1)
    for method in ("auto", "DOP853", "Radau"):
        given = options_of(method, speeds={"crank 0": 0.8})
        yield (
            f"flat four-bar with events, {method}",
            partial(e.simulate, 0.9, events=[e.q[0] - 1.3, e.u[0] - 1], **given),
        )
        yield f"flat four-bar until, {method}", partial(e.simulate, 0.9, until=e.q[0] - 1.3, **given)
    for name, start in (("bennett", {"hinge 1": 0.5}), ("bricard_mechanism", {})):
        yield name, lambda name=name, start=start: sample(name).simulate(0.4, start=start, **options_of("auto"))


def _cassie() -> Any:
    """Cassie, whose legs close two loops each, with its cranks away from the singular pose."""
    e = ph.load(CASSIE.path).derive()
    cranks = {name: -1.0 for name in e.coordinates if name.endswith("tarsus-crank-joint")}
    return e.simulate(0.3, start=cranks, **options_of("auto"))


def mechanisms() -> Iterator[Case]:
    """Other mechanisms, by the methods in native code."""
    for method in ("auto", "DOP853", "Radau", "rk4"):
        given = options_of(method)
        yield f"rolling disc, {method}", partial(sample("rolling_disc").simulate, 0.5, start="leaning", **given)
        yield f"motor, {method}", lambda given=given: motor().simulate(0.3, start=([0.5], [0.0]), **given)
        yield f"pseudo-velocities, {method}", lambda given=given: pseudo().simulate(0.5, start=_BENT["start"], **given)
        yield f"four-bar embedded, {method}", partial(linkage("embedded").simulate, 0.5, start={"crank": 0.3}, **given)
        for law in ("dry", "kink", "table", "time"):
            yield f"slider {law}, {method}", partial(slider(law).simulate, 0.5, start={"x": 0.9}, **given)
        for storage in ("angles", "vector"):
            run = partial(top(storage).simulate, 0.3, speeds={"tip_wz": 2.0}, **given)
            yield f"top in {storage}, {method}", run
    for name in ("whipple_bicycle", "six_degree_of_freedom_arm", "elastic_arm", "spinning_top", "flexible_arm"):
        yield name, lambda name=name: sample(name).simulate(0.1, **options_of("auto"))
    for robot in (*ARMS, SOLO12):
        yield robot.name, lambda robot=robot: robot.system().derive().simulate(0.1, **options_of("auto"))
    yield "cassie", _cassie


def _between(run: Callable[[str], Any], method: str) -> Any:
    """States between the samples, which the steps give when they are taken again."""
    kept = run(method)
    return np.asarray(kept.at(np.linspace(0.0, kept.t[-1], 33)).x)


def between_samples() -> Iterator[Case]:
    """The dense output of every method."""
    for kind in ("free chain", "top", "four-bar", "bounces", "table that jumps"):
        for method in NATIVE:
            yield f"between samples, {kind}, {method}", partial(_between, KINDS[kind], method)


def settings() -> Iterator[Case]:
    """Samples, rates, steps, tolerances and budgets."""
    run = partial(chain().simulate, **_BENT, progress=False)
    for method in ("auto", "DOP853", "Radau", "rk4"):
        fixed = {"step": 0.01} if method == "rk4" else {}
        yield f"default samples, {method}", partial(run, 0.5, method=method, **fixed)
        yield f"rate, {method}", partial(run, 0.5, method=method, rate=37, **fixed)
        yield f"many samples, {method}", partial(run, 0.5, method=method, samples=1001, **fixed)
        yield f"two samples, {method}", partial(run, 0.5, method=method, samples=2, **fixed)
        if not fixed:
            yield f"given samples, {method}", partial(run, 0.5, method=method, samples=[0.1, 0.11, 0.4])
            yield f"largest step, {method}", partial(run, 0.5, method=method, step=0.013, samples=5)
            yield f"tight, {method}", partial(run, 0.5, method=method, rtol=1e-12, atol=1e-12, samples=5)
            yield f"loose, {method}", partial(run, 0.5, method=method, rtol=1e-4, atol=1e-5, samples=5)
            yield f"budget of steps, {method}", partial(run, 9.0, method=method, max_steps=20, samples=5)
    yield "no time", partial(run, 0.0)
    yield "audit", partial(run, 0.3, audit=True, samples=5)
    yield "steps that do not fit", partial(run, 0.3, method="rk4", step=0.007, samples=5)
    yield "overflow", partial(slider("table").simulate, 0.5, tau={"v": "exp(exp(20*t))"}, samples=5, progress=False)


def _python_controller(t: float, q: Any, u: Any) -> Any:
    return {"omega": -2.0 * q[0] - u[0]}


def drives() -> Iterator[Case]:
    """Efforts and inputs: numbers, expressions, tables, functions, held functions; laws with all of their options."""
    table = partial(ph.sampled, np.linspace(0, 2, 9), [0.3, -0.5, 0.8, 0.1, -0.9, 0.4, 0.6, -0.2, 0.5])
    signals: dict[str, Any] = {
        "number": 0.7,
        "expression": "-k*theta - c*omega + sin(3*t)",
        "held": table("held"),
        "linear": table("linear"),
        "cubic": table("cubic"),
        "function of t": lambda t: np.cos(4 * t),
        "function": lambda t, q, u: -q[0] - u[0],
        "held function": ph.held(lambda t, q, u: -3 * q[0], every=0.05),
    }
    for name, signal in signals.items():
        for method in ("auto", "DOP853", "Radau", "rk4"):
            run = partial(pendulum().simulate, 0.6, start={"theta": 1.0}, inputs={"F": signal}, **options_of(method))
            yield f"input by {name}, {method}", run
    yield (
        "efforts by a table",
        partial(
            pendulum().simulate,
            0.6,
            tau={"omega": table("held")},
            events=[pendulum().q[0] - 0.05],
            **options_of("auto"),
        ),
    )
    yield "Python controller", partial(pendulum().simulate, 0.6, tau=_python_controller, **options_of("auto"))
    for method in ("auto", "DOP853", "Radau"):
        given = options_of(method, start={"theta": 1.0})
        yield f"Python event, {method}", partial(pendulum().simulate, 1.0, events=[_python_event], **given)
        yield f"Python until, {method}", partial(pendulum().simulate, 1.0, until=_python_event, **given)
        yield (
            f"Python event and expression, {method}",
            partial(pendulum().simulate, 1.0, events=[_python_event, pendulum().q[0] - 0.2], **given),
        )
        yield f"limited controller, {method}", partial(_computed_torque, method, limits=20.0)
    for name, options in {
        "no delay": {},
        "quantised": {"quantisation": {"x": 0.01}, "delay": 0.01},
        "noisy": {"noise": {"x": 0.01}, "seed": 3},
        "two limits": {"limits": {"v": (-5, 8)}},
    }.items():
        for method in ("auto", "DOP853", "rk4"):
            yield f"sampled law, {name}, {method}", partial(_sampled_law, method, **options)
    for rule in ("euler", "rk4"):
        yield f"sampled torque, {rule}", partial(_computed_torque, "auto", sample_time=0.01, discretisation=rule)


def batches() -> Iterator[Case]:
    """Members in lanes and in threads, with events, constraints, tables, controllers and failures."""
    masses, many = np.linspace(0.5, 2.0, 5), np.linspace(0.2, 1.2, 11)
    for method in (*NATIVE, "rk4", "euler", "gauss4", "scipy.DOP853"):
        given = options_of(method, samples=6)
        run = partial(chain().simulate, 0.5, parameters={"m": masses}, start={"q0": 0.7, "q1": -0.3}, **given)
        yield f"batch of chains, {method}", run
    for method in NATIVE:
        given = options_of(method, samples=6)
        yield f"batch of pendulums, {method}", partial(pendulum().simulate, 0.6, start={"theta": many}, **given)
    for method in ("auto", "DOP853", "Radau", "Rodas5P", "rk4"):
        given = options_of(method, samples=6)
        yield f"batch of tops, {method}", partial(top().simulate, 0.2, speeds={"tip_wx": many, "tip_wz": 20.0}, **given)
        z, v, left = ball().q[0], ball().u[0], ball().system.parameters["left"].symbol
        yield f"batch of bounces, {method}", partial(
            ball().simulate, 1.5, start={"z": np.array([0.5, 1.0, 30.0])}, events=[v + 1, z - 0.5],
            on={crossing(z, -1): {"v": -left * v}}, parameters={"left": np.array([0.9, 0.8, 0.5])}, **given,
        )  # fmt: skip
        yield f"batch until, {method}", partial(ball().simulate, 2.0, start={"z": 4 * many}, until=z - 0.1, **given)
        yield (
            f"batch of four-bars, {method}",
            partial(
                linkage().simulate,
                0.3,
                start={"crank": many[:4]},
                parameters={"l": np.array([1.8, 1.9, 2.0, 2.2])},
                **given,
            ),
        )
        yield f"batch with limits, {method}", partial(stops().simulate, 0.6, start={"q0": many}, **given)
        yield (
            f"batch with a table, {method}",
            partial(pendulum().simulate, 0.7, start={"theta": many}, inputs={"F": _HELD}, **given),
        )
        yield f"batch under a law, {method}", partial(
            slider("time").simulate, 0.3, start={"x": many}, sample_time=0.02, delay=0.01,
            controller=Law({slider("time").tau[0]: -30 * slider("time").q[0]}), **given,
        )  # fmt: skip
    yield (
        "batch through a flat pose",
        partial(four_bars(1).simulate, 0.8, speeds={"crank 0": np.array([0.01, 3.0])}, **options_of("auto", samples=4)),
    )
    yield "batch with a failure", partial(
        linkage().simulate, 0.1, start={"crank": 0.3}, parameters={"l": np.array([2.0, 9.0])},
        **options_of("auto", samples=3),
    )  # fmt: skip


def _stepped(equations: ph.Equations, method: str, **options: Any) -> np.ndarray:
    """States after each of some calls of a stepper."""
    stepper = equations.stepper(method=method, dt=0.01, **options)
    rows = []
    for k in range(20):
        stepper.step(tau=0.1 * k * np.ones_like(stepper.tau))
        rows.append(np.concatenate([np.ravel(stepper.t), stepper.q.ravel(), stepper.u.ravel()]))
    return np.array(rows)


def steppers() -> Iterator[Case]:
    """Steps in a loop of one's own, alone and in a batch."""
    for method in ("auto", *PAIRS, *TABLEAUX):
        loose = {"rtol": 1e-6, "atol": 1e-6} if method == "RK23" else {}
        yield f"stepper of a chain, {method}", partial(_stepped, chain(), method, **_BENT, **loose)
        yield f"stepper of a top, {method}", partial(_stepped, top(), method, speeds={"tip_wz": 9.0}, **loose)
        yield f"stepper of a four-bar, {method}", partial(_stepped, linkage(), method, start={"crank": 0.3}, **loose)
        yield f"steppers, {method}", partial(_stepped, chain(), method, batch=5, threads=1, **_BENT, **loose)
        if method in TABLEAUX:
            yield f"substeps, {method}", partial(_stepped, chain(), method, substeps=4, **_BENT)


def _sensitivities(e: ph.Equations, duration: float, by: list[str], **options: Any) -> Any:
    return e.sensitivities(duration, by, samples=6, **options)


def derivatives() -> Iterator[Case]:
    """Sensitivities and adjoints, with events, constraints, tables and laws; sweeps."""
    e, swing, bar = pendulum(), {"start": {"theta": 1.0}}, linkage()
    z, v, left = ball().q[0], ball().u[0], ball().system.parameters["left"].symbol
    bounce: dict[str, Any] = {"start": {"z": 0.4}, "on": {crossing(z, -1): {"v": -left * v}}}
    runs: dict[str, tuple[ph.Equations, float, list[str], dict[str, Any]]] = {
        "pendulum": (e, 1.0, ["l", "theta", "omega"], swing),
        "pendulum until": (e, 1.0, ["l"], swing | {"until": e.q[0] - 0.2}),
        "pendulum with a table": (e, 0.7, ["l"], swing | {"inputs": {"F": _HELD}}),
        "pendulum with feedback": (e, 0.7, ["l", "k"], swing | {"inputs": {"F": "-k*theta - c*omega"}}),
        "chain": (chain(), 0.5, ["m"], _BENT),
        "top": (top(), 0.3, ["tip_wx"], {"speeds": {"tip_wz": 9.0}}),
        "bounces": (ball(), 0.8, ["left", "z"], bounce),
        "four-bar": (bar, 0.4, ["l", "crank"], {"start": {"crank": 0.3}}),
        "four-bar embedded": (linkage("embedded"), 0.4, ["l"], {"start": {"crank": 0.3}}),
    }
    for name, (equations, duration, by, options) in runs.items():
        yield f"sensitivities, {name}", partial(_sensitivities, equations, duration, by, **options)
        if "until" not in options:
            of = {"of": equations.q[0], "integrand": equations.u[0] ** 2}
            yield f"gradient, {name}", partial(equations.gradient, duration, by, **of, **options)
    for measure in ("final", "max:theta", None):
        yield (
            f"sweep, {measure}",
            partial(
                e.sweep,
                {"l": np.linspace(0.5, 1.5, 7)},
                0.5,
                measure=measure,
                start={"theta": 1.0},
                workers=1,
                samples=5,
            ),
        )
    yield (
        "sweep of a grid",
        partial(
            chain().sweep,
            {"m": [1, 2], "q0": [0.1, 0.2, 0.3]},
            0.3,
            measure=["final", "energy_drift"],
            workers=1,
            samples=5,
        ),
    )


def cases() -> Iterator[Case]:
    """All of them."""
    parts = (
        every_method, between_samples, singular_poses, mechanisms, settings, drives, batches, steppers, derivatives,
    )  # fmt: skip
    for part in parts:
        yield from part()
