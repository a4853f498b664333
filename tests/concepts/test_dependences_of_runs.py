"""What may depend on what, in all that is asked of equations: every expression with every kind of symbol.

As in `test_dependences`, a kind that is taken must be followed, and any other refused. The slider b is pushed by a
known effort, so that all that an expression may hold is a known function of time.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from tests.refusals import refused

import polhode as ph
from polhode.control import ComputedTorque
from polhode.expr import Expr, symbol
from polhode.expr.spelling import acceleration_of
from polhode.laws.law import Law

KINDS = ("time", "input", "state", "coordinate", "speed", "effort", "acceleration", "multiplier")
START, SPEEDS = {"a": 0.2, "b": 1.0}, {"a": 0.5, "b": 0.2}
TIGHT: dict[str, Any] = {"start": START, "speeds": SPEEDS, "tau": {"b": "0.4 + 0.3*t"}, "rtol": 1e-10, "atol": 1e-12}

#: What a symbol is worth at a time.
VALUES: dict[str, Callable[[float], float]] = {
    "time": lambda t: t, "input": lambda t: 0.3 + np.sin(t), "state": lambda t: np.exp(-t),
    "coordinate": lambda t: 1 + 0.2 * t + 0.1 * t**2 + 0.025 * t**3, "speed": lambda t: 0.2 + 0.2 * t + 0.075 * t**2,
    "effort": lambda t: 0.4 + 0.3 * t, "acceleration": lambda t: 0.2 + 0.15 * t,
}  # fmt: skip


def value(kind: str, t: float) -> float:
    return VALUES[kind](t) if kind in VALUES else 0.0


def rig(kind: str) -> tuple[ph.System, Expr]:
    """A slider a along x and one b along y, and a symbol of a kind."""
    s = ph.System("rig", gravity=(0, 0, 0))
    s.joint("a", s.ground, s.body("A", 1), ph.Prismatic("x"))
    b = s.joint("b", s.ground, s.body("B", 2), ph.Prismatic("y"))
    made: dict[str, Callable[[], Expr]] = {
        "time": lambda: s.time, "input": lambda: s.input("w"),
        "state": lambda: s.state("z", rate=lambda z: -z, start=1), "coordinate": lambda: b.q[0],
        "speed": lambda: b.u[0], "effort": lambda: b.tau[0], "acceleration": lambda: acceleration_of(b.u[0]),
        "multiplier": lambda: symbol("loop", "multiplier"),
    }  # fmt: skip
    return s, made[kind]()


def given(kind: str) -> dict[str, Any]:
    return TIGHT | ({"inputs": {"w": "0.3 + sin(t)"}} if kind == "input" else {})


def moved(kind: str, end: float = 1.0) -> float:
    """Where a unit mass ends that is pushed by the value."""
    rates = lambda t, x: [x[1], VALUES[kind](t)]  # noqa: E731
    return float(solve_ivp(rates, (0, end), [0.2, 0.5], "DOP853", rtol=1e-11, atol=1e-13).y[0, -1])


Ask = Callable[[ph.System, Expr, str], Any]
Expected = Callable[[str], Any]


def event_times(s: ph.System, f: Expr, kind: str) -> Any:
    (times,) = s.derive().simulate(1.0, **given(kind), events=[f - value(kind, 0.4)]).events
    return times[0]


def change(s: ph.System, f: Expr, kind: str) -> Any:
    """A wall at a = 0.5 gives back the speed -f."""
    a = s.joints["a"]
    wall = a.q[0] - 0.5
    run = s.derive().simulate(1.0, **given(kind), events=[wall], on={wall: {a.u[0]: -f}})
    return run["a"][-1]


def controlled(s: ph.System, f: Expr, kind: str, **how: Any) -> Any:
    options = {key: value for key, value in given(kind).items() if key != "tau"}
    law = Law({s.joints["a"].tau[0]: f})
    return s.derive().simulate(1.0, **options, tau=TIGHT["tau"], controller=law, **how)["a"][-1]


def tracking(s: ph.System, **given: Any) -> Any:
    e = s.derive()
    options = {key: value for key, value in TIGHT.items() if key != "tau"}
    gains = {"kp": given.pop("kp", 4), "kd": 2}
    return e.simulate(1.0, **options, controller=ComputedTorque(e, **gains), **{"reference": [1, 1], **given})["a"][-1]


def tracked(kind: str) -> float:
    """e'' + 2 e' + 4 e = 0 of the way to the reference t."""
    root = np.sqrt(3.0)
    a, b = -0.2, (0.5 - 0.2) / root
    return 1.0 - np.exp(-1.0) * (a * np.cos(root) + b * np.sin(root)) if kind == "time" else np.nan


def optimal(s: ph.System, **more: Any) -> float:
    ends: dict[str, Any] = {"start": {"a": 0, "b": 1}, "end": {"a": 1, "b": 1}, "nodes": 8, "inputs": ["a", "b"]}
    effort = s.joints["a"].tau[0] ** 2 + s.joints["b"].tau[0] ** 2
    chosen = {**ends, "cost": effort, **more}
    return float(s.derive().collocation(1.0, **chosen).solve().cost)


LAW = ("time", "state", "coordinate", "speed")
#: What is asked, the kinds that it takes, how, and what it is then.
ASKED: dict[str, tuple[tuple[str, ...], Ask, Expected]] = {
    "effort": (
        (*LAW, "input", "effort"),
        lambda s, f, kind: s.derive().simulate(1.0, **given(kind) | {"tau": {"a": f, **TIGHT["tau"]}})["a"][-1],
        moved,
    ),
    "event": (LAW, event_times, lambda kind: 0.4),
    "until": (
        LAW, lambda s, f, kind: s.derive().simulate(1.0, **given(kind), until=f - value(kind, 0.4)).t[-1],
        lambda kind: 0.4,
    ),
    "change at an event": (LAW, change, lambda kind: 0.5 - 0.4 * VALUES[kind](0.6)),
    "value along a run": (
        (*LAW, "input", "effort", "acceleration"), lambda s, f, kind: s.derive().simulate(1.0, **given(kind))[f][-1],
        lambda kind: VALUES[kind](1.0),
    ),
    "measure of a sweep": (
        (*LAW, "input", "effort", "acceleration"),
        lambda s, f, kind: s.derive().sweep(
            {"a": [0.1, 0.2]}, 1.0, measure=f, workers=1, **given(kind) | {"start": {"b": 1.0}}
        )["value"][1],
        lambda kind: VALUES[kind](1.0),
    ),
    "end of a functional": (
        (*LAW, "input", "effort"),
        lambda s, f, kind: s.derive().gradient(1.0, ["a"], of=f * f, **given(kind)).value,
        lambda kind: VALUES[kind](1.0) ** 2,
    ),
    "integrand of a functional": (
        (*LAW, "input", "effort"),
        lambda s, f, kind: s.derive().gradient(1.0, ["a"], integrand=f * f, **given(kind)).value,
        lambda kind: quad(lambda t: VALUES[kind](t) ** 2, 0, 1)[0],
    ),
    "law of a controller": (LAW, controlled, moved),
    "reference": (
        ("time",), lambda s, f, kind: tracking(s, reference={"a": f, "b": 1}), tracked,
    ),
    "gain": ((), lambda s, f, kind: tracking(s, kp=1 + f), lambda kind: None),
    "limit of a control": ((), lambda s, f, kind: tracking(s, limits={"a": 1 + f}), lambda kind: None),
    "start": ((), lambda s, f, kind: s.derive().simulate(1.0, start={"a": f}), lambda kind: None),
    "value of a parameter": (
        (), lambda s, f, kind: [s.parameter("p", 1), s.derive().simulate(1.0, parameters={"p": f})], lambda kind: None,
    ),
    "cost": (
        ("time", "state", "input"), lambda s, f, kind: optimal(s, cost=f * f + s.joints["a"].tau[0] ** 2),
        lambda kind: 3 + {"time": 1 / 3, "state": (1 - np.exp(-2)) / 2, "input": 0.0}[kind],
    ),
    "terminal cost": (
        ("time", "state", "coordinate", "speed"), lambda s, f, kind: optimal(s, terminal_cost=f * f),
        lambda kind: 3 + {"time": 1.0, "state": np.exp(-2), "coordinate": 1.0, "speed": 0.0}[kind],
    ),
    "limit of a motion": ((), lambda s, f, kind: optimal(s, limits={"a": (-1, 1 + f)}), lambda kind: None),
    "end of a motion": ((), lambda s, f, kind: optimal(s, end={"a": f, "b": 1}), lambda kind: None),
}  # fmt: skip
#: Kinds that these take as well, which other tests look at.
ALSO = {"cost": ("coordinate", "speed", "effort", "acceleration")}


@pytest.mark.parametrize(("what", "kind"), [(what, kind) for what in ASKED for kind in KINDS])
def test_what_is_asked_follows_what_it_depends_on_or_is_refused(what: str, kind: str) -> None:
    kinds, ask, expected = ASKED[what]
    s, f = rig(kind)
    if kind in kinds:
        assert float(ask(s, f, kind)) == pytest.approx(expected(kind), abs=1e-6)
    elif kind not in ALSO.get(what, ()):
        refused("", lambda: ask(s, f, kind))


@pytest.mark.parametrize("kind", ["time", "state", "coordinate", "multiplier"])
def test_a_limit_of_an_expression_follows_what_it_depends_on_or_is_refused(kind: str) -> None:
    """A mass on its way to 0.5 after 1 s stays behind t²/2, e⁻ᵗ being a clock too, or behind (b - 1)²/2."""
    s, f = rig(kind)
    e, a = s.derive(), s.joints["a"].q[0]
    behind = a - {"time": f, "state": ph.log(f), "coordinate": f - 1, "multiplier": f}[kind] ** 2 / 2
    ends: dict[str, Any] = {"start": {"a": 0, "b": 1}, "end": {"a": 0.5, "b": 2}, "nodes": 16, "inputs": ["a", "b"]}
    ends["cost"] = e.tau[0] ** 2 + e.tau[1] ** 2
    if kind == "multiplier":
        refused("", lambda: e.collocation(1.0, **ends, limits={behind: (-9, -0.0)}).solve())
        return
    free, kept = e.collocation(1.0, **ends).solve(), e.collocation(1.0, **ends, limits={behind: (-9, 0)}).solve()

    def gap(run: Any) -> Any:
        clock = run["b"] - 1 if kind == "coordinate" else np.asarray(run.t)
        return (run["a"] - clock**2 / 2).max()

    assert gap(kept) < 1e-5 and gap(free) > 0.02 and kept.cost > free.cost + 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_an_output_of_linear_equations_has_its_slopes_or_is_refused(kind: str) -> None:
    s, f = rig(kind)
    e = s.derive()
    if kind in ("acceleration", "multiplier"):
        refused("", lambda: e.linearize(START).with_ports(["b"], [f * f]).C)
        return
    at = {"start": START, "speeds": SPEEDS}
    options: dict[str, Any] = {"speeds": SPEEDS, "tau": {"b": 0.7}}
    options |= {"inputs": {"w": 0.6}} if kind == "input" else {}
    linear = e.linearize(at["start"], **options).with_ports(["b", "w"] if kind == "input" else ["b"], [f * f])
    C, D = np.array(linear.C, float)[0], np.array(linear.D, float)[0]
    names = {"coordinate": 1, "speed": 3, "state": 4}
    slopes = {"coordinate": 2.0, "speed": 0.4, "state": 2.0}
    assert pytest.approx([slopes[kind] if k == names.get(kind) else 0.0 for k in range(len(C))], abs=1e-12) == C
    assert pytest.approx({"effort": [1.4], "input": [0.0, 1.2]}.get(kind, [0.0]), abs=1e-12) == D


@pytest.mark.parametrize("kind", KINDS)
def test_a_pseudo_velocity_follows_its_coefficients_or_is_refused(kind: str) -> None:
    s, f = rig(kind)
    a, b = (s.joints[name].u[0] for name in "ab")
    if kind not in ("time", "coordinate"):
        refused("", lambda: s.derive("hamel", pseudo={"p": a + f * b, "r": b}))
        return
    run = s.derive("hamel", pseudo={"p": a + f * b, "r": b}).simulate(
        1.0, start=START, speeds={"p": 0.5 + VALUES[kind](0) * 0.2, "r": 0.2}, rtol=1e-10, atol=1e-12
    )
    assert [run["a"][-1], run["b"][-1]] == pytest.approx([0.7, 1.2], abs=1e-8)  # free sliders go straight on


@pytest.mark.parametrize("kind", KINDS)
def test_small_variables_are_coordinates_inputs_and_states(kind: str) -> None:
    s, f = rig(kind)
    if kind in ("input", "state", "coordinate"):
        s.joint_force("a", f + f**2 + 3)
        (force, _) = s.derive(small=[f]).forcing
        assert force == f + 3 + s.joints["a"].tau[0]
        return
    refused("", lambda: s.derive(small=[f]))
    if kind != "coordinate":
        refused("", lambda: s.derive(omit=[f]))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ask", ["relative_degree", "feedback_linearize", "observability"])
def test_an_output_to_control_is_one_of_the_state_or_is_refused(ask: str, kind: str) -> None:
    s, f = rig(kind)
    e = s.derive()
    given = () if ask == "observability" else (["a"],)
    if kind not in ("state", "coordinate", "speed"):
        refused("", lambda: getattr(e, ask)([s.joints["a"].q[0] + f], *given))
        return
    assert getattr(e, ask)([s.joints["a"].q[0] + f], *given) is not None
