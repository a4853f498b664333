"""What may depend on what: every place of a model that takes an expression, tried with every kind of symbol.

A kind that a place takes is derived, rates and all: a short run is compared with SciPy on a law written by hand. Every
other kind is refused by a sentence. Types come from the registries: a new one must be entered here.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, symbol
from polhode.expr.spelling import acceleration_of
from polhode.model.constraints import CONSTRAINTS
from polhode.model.fields import Field
from polhode.model.forces import FORCES
from polhode.model.joints import JOINTS
from polhode.model.motor import Motor

LAW = ("time", "input", "state", "coordinate", "speed", "effort")
KINDS = (*LAW, "acceleration", "multiplier")
END = 1.0
START = {"a": 0.2, "b": 1.0, "c": 0.1, "r": 0.3}
SPEEDS = {"a": 0.5, "b": 0.2, "c": 0.4, "r": -0.3}
MASS = {"a": 1.0, "b": 2.0, "c": 3.0, "r": 1.0}


PUSH = {"b": "0.4 + 0.3*t"}


def push(t: float) -> float:
    """The effort on b."""
    return 0.4 + 0.3 * t


def signal(t: float) -> float:
    """The input."""
    return 0.3 + np.sin(2 * t)


def rig() -> ph.System:
    """Sliders a and c along x and b along y, and a wheel r about z, none of which feels the others."""
    s = ph.System("rig", gravity=(0, 0, 0))
    for name, axis in (("a", "x"), ("b", "y"), ("c", "x")):
        s.joint(name, s.ground, s.body(name.upper(), MASS[name], inertia=(1, 1, 1)), ph.Prismatic(axis))
    s.joint("r", s.ground, s.body("R", inertia=(1, 1, 1)), ph.Revolute("z"))
    return s


def symbol_of(s: ph.System, kind: str) -> Expr:
    """A symbol of a kind; where it belongs to a joint, of b."""
    b = s.joints["b"]
    made: dict[str, Callable[[], Expr]] = {
        "time": lambda: s.time, "input": lambda: s.input("w"),
        "state": lambda: s.state("z", rate=lambda z: -z, start=1), "coordinate": lambda: b.q[0],
        "speed": lambda: b.u[0], "effort": lambda: b.tau[0], "acceleration": lambda: acceleration_of(b.u[0]),
        "multiplier": lambda: symbol("loop", "multiplier"),
    }  # fmt: skip
    return made[kind]()


def value_of(kind: str, t: float, q: dict[str, float], u: dict[str, float]) -> float:
    """What that symbol is worth."""
    return {
        "time": t, "input": signal(t), "state": np.exp(-t), "coordinate": q["b"], "speed": u["b"], "effort": push(t),
    }[kind]  # fmt: skip


Forces = Callable[[float, float, dict[str, float], dict[str, float]], dict[str, float]]


def run_of(s: ph.System) -> dict[str, float]:
    """Where a run of polhode ends."""
    inputs = {"w": "0.3 + sin(2*t)"} if "w" in s.inputs else {}
    run = s.derive().simulate(END, start=START, speeds=SPEEDS, tau=PUSH, inputs=inputs, rtol=1e-10, atol=1e-12)
    return {name: float(run[name][-1]) for name in START}


def run_by_hand(kinds: Sequence[str], forces: Forces, mass: dict[str, float]) -> dict[str, float]:
    """Where the motion ends by a law: forces of f, the sum of symbols, of ∂f/∂b, coordinates and speeds."""
    names = list(START)

    def rates(t: float, x: Any) -> Any:
        q, u = dict(zip(names, x[:4], strict=True)), dict(zip(names, x[4:], strict=True))
        f = sum(value_of(kind, t, q, u) for kind in kinds)
        acting = forces(f, float("coordinate" in kinds), q, u)
        found = {name: acting.get(name, 0.0) + (push(t) if name == "b" else 0.0) for name in names}
        return [*x[4:], *(found[name] / mass[name] for name in names)]

    x0 = [*START.values(), *SPEEDS.values()]
    made = solve_ivp(rates, (0, END), x0, "DOP853", rtol=1e-11, atol=1e-13).y[:4, -1]
    return dict(zip(names, made.tolist(), strict=True))


Add = Callable[[ph.System, Any], Any]


def _motor(**given: Callable[[Any], Any]) -> Add:
    return lambda s, f: s.motor("a", 2, inertia=1, **{name: made(f) for name, made in given.items()})


def _gravity(s: ph.System, f: Any) -> None:
    s.gravity = (f, 0, 0)


LINE = {"a": "ground", "b": "A", "at_a": (3, 0, 0)}  # of length 3 - a
GEAR = {"joint": "a", "shaft": "c", "ratio": 2}  # which twists by c/2 - a
WINDINGS = {"resistance": lambda f: 2, "constant": lambda f: 3}
NOT_MOVING = ("time", "input", "state")

#: Place, the kinds it takes, how it is written with f, and the forces that it means; masses where they differ.
ACTING: dict[str, tuple[tuple[str, ...], Add, Forces]] = {
    "spring stiffness": (
        NOT_MOVING, lambda s, f: s.apply(FORCES["spring"], **LINE, stiffness=f, length=1),
        lambda f, d, q, u: {"a": f * (2 - q["a"])},
    ),
    "spring length": (
        NOT_MOVING, lambda s, f: s.apply(FORCES["spring"], **LINE, stiffness=2, length=f),
        lambda f, d, q, u: {"a": 2 * (3 - q["a"] - f)},
    ),
    "spring damping": (
        LAW, lambda s, f: s.apply(FORCES["spring"], **LINE, stiffness=1, length=1, damping=f),
        lambda f, d, q, u: {"a": 2 - q["a"] - f * u["a"]},
    ),
    "damper damping": (
        LAW, lambda s, f: s.apply(FORCES["damper"], **LINE, damping=f), lambda f, d, q, u: {"a": -f * u["a"]},
    ),
    "line_force tension": (
        LAW, lambda s, f: s.apply(FORCES["line_force"], **LINE, tension=lambda length, rate: f * length + rate),
        lambda f, d, q, u: {"a": f * (3 - q["a"]) - u["a"]},
    ),
    "joint_spring stiffness": (
        (*NOT_MOVING, "coordinate"), lambda s, f: s.joint_spring("a", f, 1),
        lambda f, d, q, u: {"a": -f * (q["a"] - 1), "b": -d * (q["a"] - 1) ** 2 / 2},
    ),
    "joint_spring rest": (
        (*NOT_MOVING, "coordinate"), lambda s, f: s.joint_spring("a", 2, f),
        lambda f, d, q, u: {"a": -2 * (q["a"] - f), "b": 2 * d * (q["a"] - f)},
    ),
    "joint_spring damping": (
        LAW, lambda s, f: s.joint_spring("a", 1, damping=f), lambda f, d, q, u: {"a": -q["a"] - f * u["a"]},
    ),
    "elastic_gear stiffness": (
        (*NOT_MOVING, "coordinate"), lambda s, f: s.apply(FORCES["elastic_gear"], **GEAR, stiffness=f),
        lambda f, d, q, u: {
            "a": f * (q["c"] / 2 - q["a"]), "c": -f * (q["c"] / 2 - q["a"]) / 2,
            "b": -d * (q["c"] / 2 - q["a"]) ** 2 / 2,
        },
    ),
    "elastic_gear damping": (
        LAW, lambda s, f: s.apply(FORCES["elastic_gear"], **GEAR, stiffness=0, damping=f),
        lambda f, d, q, u: {"a": f * (u["c"] / 2 - u["a"]), "c": -f * (u["c"] / 2 - u["a"]) / 2},
    ),
    "joint_force value": (LAW, lambda s, f: s.joint_force("a", f), lambda f, d, q, u: {"a": f}),
    "coordinate_force value": (LAW, lambda s, f: s.coordinate_force("a", f), lambda f, d, q, u: {"a": f}),
    "force vector": (LAW, lambda s, f: s.force("A", (f, 0, 0)), lambda f, d, q, u: {"a": f}),
    "force at": (
        LAW, lambda s, f: s.force("R", (0, 1, 0), at=(f, 0, 0)), lambda f, d, q, u: {"r": f * np.cos(q["r"])},
    ),
    "torque vector": (LAW, lambda s, f: s.torque("R", (0, 0, f)), lambda f, d, q, u: {"r": f}),
    "gravity_field acceleration": (
        LAW, lambda s, f: s.gravity_field(lambda p: (f * p[0], 0, 0)),
        lambda f, d, q, u: {"a": f * q["a"], "c": 3 * f * q["c"]},
    ),
    "gravity_field potential": (
        NOT_MOVING, lambda s, f: s.gravity_field(potential=lambda p: -f * p[0] ** 2 / 2),
        lambda f, d, q, u: {"a": f * q["a"], "c": 3 * f * q["c"]},
    ),
    "potential energy": (
        (*NOT_MOVING, "coordinate"), lambda s, f: s.potential(f * s.joints["a"].q[0]),
        lambda f, d, q, u: {"a": -f, "b": -d * q["a"]},
    ),
    "gravity": (("time", "input"), _gravity, lambda f, d, q, u: {"a": f, "c": 3 * f}),
    "motor friction": (LAW, _motor(friction=lambda f: f), lambda f, d, q, u: {"a": -4 * f * u["a"]}),
    "motor joint_friction": (LAW, _motor(joint_friction=lambda f: f), lambda f, d, q, u: {"a": -f * u["a"]}),
    "motor resistance": (
        LAW, _motor(**WINDINGS | {"resistance": lambda f: f + 2}), lambda f, d, q, u: {"a": -36 * u["a"] / (f + 2)},
    ),
    "motor constant": (
        LAW, _motor(**WINDINGS | {"constant": lambda f: f}), lambda f, d, q, u: {"a": -((2 * f) ** 2) * u["a"] / 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", ACTING)
def test_what_acts_follows_what_it_depends_on(place: str) -> None:
    kinds, add, forces = ACTING[place]
    s = rig()
    add(s, sum(symbol_of(s, kind) for kind in kinds))
    mass = MASS | ({"a": 5.0} if s.motors else {})
    expected = run_by_hand(kinds, forces, mass)
    assert run_of(s) == pytest.approx(expected, abs=1e-8)
    for left_out in kinds:  # each kind acts
        others = run_by_hand([kind for kind in kinds if kind != left_out], forces, mass)
        assert max(abs(expected[name] - others[name]) for name in START) > 1e-3


@pytest.mark.parametrize(
    ("place", "kind"), [(place, kind) for place, (kinds, *_) in ACTING.items() for kind in KINDS if kind not in kinds]
)
def test_what_acts_depends_on_nothing_else(place: str, kind: str) -> None:
    s = rig()
    f = symbol_of(s, kind)
    refused(f"the {kind} '", lambda: ACTING[place][1](s, f))


def test_the_stiffness_of_a_motor_follows_what_it_depends_on() -> None:
    s = rig()
    s.motor("a", 2, inertia=1, stiffness=1 + s.time, damping=s.joints["b"].q[0], friction=s.time)
    run = s.derive().simulate(END, start=START, speeds=SPEEDS, tau=PUSH, rtol=1e-10, atol=1e-12)

    def rates(t: float, x: Any) -> Any:
        a, rotor, b, ua, ur, ub = x
        twist, rate = rotor / 2 - a, ur / 2 - ua
        torque = (1 + t) * twist + b * rate
        return [ua, ur, ub, torque, -torque / 2 - t * ur, push(t) / 2]

    x0 = [START["a"], 2 * START["a"], START["b"], SPEEDS["a"], 2 * SPEEDS["a"], SPEEDS["b"]]
    end = solve_ivp(rates, (0, END), x0, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    assert [run["a"][-1], run["a rotor"][-1]] == pytest.approx(end[:2].tolist(), abs=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_the_rate_of_a_state_follows_what_it_depends_on_or_is_refused(kind: str) -> None:
    s = rig()
    f = symbol_of(s, kind)
    if kind in ("effort", "acceleration", "multiplier"):
        refused(f"the {kind} '", lambda: s.state("y", rate=f))
        return
    s.state("y", rate=f)
    inputs = {"w": "0.3 + sin(2*t)"} if "w" in s.inputs else {}
    run = s.derive().simulate(
        END, start=START, speeds=SPEEDS, tau=PUSH, inputs=inputs, samples=101, rtol=1e-10, atol=1e-12
    )
    b, ub = run["b"], np.gradient(run["b"], run.t, edge_order=2)
    values = [value_of(kind, t, {"b": x}, {"b": v}) for t, x, v in zip(run.t, b, ub, strict=True)]
    area = np.trapezoid(values, run.t)
    assert run["y"][-1] == pytest.approx(area, abs=1e-4)
    assert np.ptp(values) > 0.1


def kept_rates(kind: str) -> Any:
    """λ (1, f) keeps x' + f y' = 0 of a unit mass, or of a unit mass and a unit inertia."""

    def rates(t: float, x: Any) -> Any:
        _, _, b, u, v, ub = x
        f, rate = (t, 1.0) if kind == "time" else (b, ub)
        multiplier = -rate * v / (1 + f * f)
        return [u, v, ub, multiplier, multiplier * f, push(t) / 2]

    return rates


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["at", "directions"])
def test_a_contact_without_slip_follows_its_place_and_directions_or_is_refused(field: str, kind: str) -> None:
    s = ph.System("contact", gravity=(0, 0, 0))
    s.joint("b", s.ground, s.body("B", 2), ph.Prismatic("y"))
    f = symbol_of(s, kind)
    last = ph.Revolute("z") if field == "at" else ph.Prismatic("y")
    first = ph.Prismatic("y") if field == "at" else ph.Prismatic("x")
    body = s.body("body", 1, inertia=(1, 1, 1))
    s.joint("move", s.ground, body, ph.Compound(first, last), coordinates=["x", "y"], speeds=["u", "v"])
    given: dict[str, Any] = {"at": (f, 0, 0), "directions": ["y"]} if field == "at" else {"directions": [(1, f, 0)]}
    if kind not in ("time", "coordinate"):
        refused(f"the {kind} '", lambda: s.no_slip("contact", body, **given))
        return
    s.no_slip("contact", body, **given)
    f0 = 0.0 if kind == "time" else START["b"]
    speeds = {"u": -f0 * 0.7, "v": 0.7, "b": SPEEDS["b"]}
    run = s.derive().simulate(END, start={"b": START["b"]}, speeds=speeds, tau=PUSH, rtol=1e-10, atol=1e-12)
    x0 = [0, 0, START["b"], speeds["u"], speeds["v"], speeds["b"]]
    end = solve_ivp(kept_rates(kind), (0, END), x0, "DOP853", rtol=1e-11, atol=1e-13).y[:, -1]
    assert [run[name][-1] for name in ("x", "y")] == pytest.approx(end[:2].tolist(), abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_follows_what_it_depends_on_or_is_refused(kind: str) -> None:
    s = rig()
    f, a = symbol_of(s, kind), s.joints["a"].q[0]
    if kind not in ("time", "coordinate"):
        refused(f"the {kind} '", lambda: s.constrain(a - f * f))
        return
    s.constrain(a - f * f)
    e = s.derive()
    start = START | ({"a": 0.0} if kind == "time" else {"a": 1.0})
    speeds = SPEEDS | {"a": 0.0 if kind == "time" else 2 * 0.2}
    run = e.simulate(END, start=start, speeds=speeds, tau=PUSH, rtol=1e-10, atol=1e-12)

    def rates(t: float, x: Any) -> Any:  # (2 + 4 b²) b'' = τ - 4 b b'²
        return [x[1], (push(t) - 4 * x[0] * x[1] ** 2) / (2 + 4 * x[0] ** 2)]

    b = solve_ivp(rates, (0, END), [1.0, 0.2], "DOP853", rtol=1e-11, atol=1e-13).y[0, -1]
    assert run["a"][-1] == pytest.approx(1.0 if kind == "time" else b * b, abs=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_a_condition_on_speeds_follows_what_it_depends_on_or_is_refused(kind: str) -> None:
    s = rig()
    f, a = symbol_of(s, kind), s.joints["a"].u[0]
    if kind not in ("time", "coordinate", "speed"):
        refused(f"the {kind} '", lambda: s.constrain_speed(a - f))
        return
    s.constrain_speed(a - f)
    speeds = SPEEDS | {"a": {"time": 0.0, "coordinate": 1.0, "speed": 0.2}[kind]}
    run = s.derive().simulate(END, start=START, speeds=speeds, tau=PUSH, samples=201, rtol=1e-10, atol=1e-12)
    speed = {"time": run.t, "coordinate": run["b"], "speed": np.gradient(run["b"], run.t, edge_order=2)}[kind]
    assert run["a"][-1] - run["a"][0] == pytest.approx(np.trapezoid(speed, run.t), abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prescribed_motion_follows_time_and_refuses_the_rest(kind: str) -> None:
    s = rig()
    f = symbol_of(s, kind)
    if kind != "time":
        refused(f"the {kind} '", lambda: s.prescribe("a", f))
        return
    s.joint("d", "A", s.body("D", 1), ph.Prismatic("x"))
    s.prescribe("a", f**3)
    run = s.derive().simulate(END, rtol=1e-10, atol=1e-12)
    assert run["d"][-1] == pytest.approx(-1.0, abs=1e-8)  # it stays where it was


@pytest.mark.parametrize("kind", KINDS)
def test_a_curve_follows_time_and_refuses_the_rest(kind: str) -> None:
    s = ph.System("wire", gravity=(0, 0, -10))
    s.joint("b", s.ground, s.body("B", 2), ph.Prismatic("y"))
    f = symbol_of(s, kind)
    s.joint("move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
    if kind != "time":
        refused(f"the {kind} '", lambda: s.roll_disc("wire", "bead", 0, lambda x: f * x, slips=True))
        return
    s.roll_disc("wire", "bead", 0, lambda x: f * x, slips=True)
    start = {"move_1": 1.0, "move_2": 0.0, "wire place": 1.0}
    run = s.derive().simulate(END, start=start, speeds={"move_2": 1.0}, rtol=1e-10, atol=1e-12)

    def rates(t: float, x: Any) -> Any:  # z = t x: λ (1 + t²) = g + 2 x', and x'' = -t λ
        return [x[1], -t * (10 + 2 * x[1]) / (1 + t * t)]

    end = solve_ivp(rates, (0, END), [1.0, 0.0], "DOP853", rtol=1e-11, atol=1e-13).y[0, -1]
    assert run["move_1"][-1] == pytest.approx(end, abs=1e-7)


def turned(f: Any) -> tuple[Any, Any, int]:
    return (ph.cos(f), ph.sin(f), 0)


def _joint(**given: Callable[[Any], Any]) -> Add:
    return lambda s, f: s.joint("j", "C", s.body("J", 1), ph.Prismatic("x"), **{k: v(f) for k, v in given.items()})


def _of_type(made: Callable[[Any], Any]) -> Add:
    return lambda s, f: s.joint("j", "C", s.body("J", 1, inertia=(1, 1, 1)), made(f))


def _body(**given: Callable[[Any], Any]) -> Add:
    return lambda s, f: s.body("J", **{"mass": 1, **{k: v(f) for k, v in given.items()}})


def _element(kind: str, field: str, value: Callable[[Any], Any]) -> Add:
    """A force or a constraint with one field that depends on f."""
    base: dict[str, dict[str, Any]] = {
        "spring": {**LINE, "stiffness": 1}, "damper": {**LINE, "damping": 1},
        "line_force": {**LINE, "tension": lambda length, rate: length},
        "elastic_gear": {**GEAR, "stiffness": 1},
        "closure": {"a": "A", "b": "C", "joint": ph.Revolute("z")},
        "wheel": {"body": "A", "radius": 1}, "ball": {"body": "A", "radius": 1}, "knife_edge": {"body": "A"},
        "disc": {"body": "A", "radius": 1, "curve": lambda x: x**2},
        "motor": {"joint": "a", "ratio": 2, "inertia": 1},
    }  # fmt: skip

    def add(s: ph.System, f: Any) -> Any:
        chosen = base[kind] | {field: value(f)}
        if kind == "motor":
            return s.motor(**chosen)
        return s.apply(FORCES[kind], **chosen) if kind in FORCES else s.constraint("it", CONSTRAINTS[kind], **chosen)

    return add


POINT: Callable[[Any], Any] = lambda f: (f, 0, 0)  # noqa: E731
NUMBER: Callable[[Any], Any] = lambda f: 2 + f  # noqa: E731
ROTATION: Callable[[Any], Any] = lambda f: ("z", f)  # noqa: E731


def _beam(**given: Callable[[Any], Any]) -> Add:
    plain = {"length": 1, "mass": 1, "EI": 1, "modes": 1}
    return lambda s, f: s.beam("J", **{**plain, **{k: v(f) for k, v in given.items()}})


def _flexible(stiffness: Any) -> Add:
    bar = [(3, (-1, 0, 0), (1, 0, 0))]
    return lambda s, f: s.flexible_body(
        "J", shapes=[lambda x, y, z: (0, 0, x**2)], material=bar, stiffness=[stiffness(f)]
    )


#: Places that hold numbers and parameters alone.
CONSTANT: dict[str, Add] = {
    "beam length": _beam(length=NUMBER), "beam mass": _beam(mass=NUMBER), "beam EI": _beam(EI=NUMBER),
    "beam damping": _beam(damping=NUMBER), "flexible body stiffness": _flexible(NUMBER),
    "mass": _body(mass=NUMBER), "com": _body(com=POINT), "inertia": _body(inertia=lambda f: (2 + f, 2, 2)),
    "about": _body(inertia=lambda f: (9, 9, 9), about=POINT),
    "solid": _body(inertia=lambda f: ph.cylinder(1, f, 2)),
    "shape": _body(shapes=lambda f: ph.Shape("box", (f, 1, 1))),
    "shape at": _body(shapes=lambda f: ph.Shape("box", (1, 1, 1), at=(f, 0, 0))),
    "map": _of_type(lambda f: ph.JointMap([[0], [0], [0], [1], [f], [0]])),
    "revolute axis": _of_type(lambda f: ph.Revolute(turned(f))),
    "prismatic axis": _of_type(lambda f: ph.Prismatic(turned(f))),
    "screw axis": _of_type(lambda f: ph.Screw(turned(f), 1)),
    "screw pitch": _of_type(lambda f: ph.Screw("z", f)),
    "cylindrical axis": _of_type(lambda f: ph.Cylindrical(turned(f))),
    "universal first": _of_type(lambda f: ph.Universal(turned(f), "z")),
    "universal second": _of_type(lambda f: ph.Universal("z", turned(f))),
    "planar normal": _of_type(lambda f: ph.Planar(turned(f))),
    "building_block translations": _of_type(lambda f: ph.BuildingBlock([turned(f)])),
    "compound": _of_type(lambda f: ph.Compound(ph.Revolute("z"), ph.Screw("x", f))),
    "closure joint": _element("closure", "joint", lambda f: ph.Screw("z", f)),
    "elastic_gear ratio": _element("elastic_gear", "ratio", NUMBER),
    **{f"{kind} radius": _element(kind, "radius", NUMBER) for kind in ("wheel", "ball", "disc")},
    "ball other_radius": _element("ball", "other_radius", NUMBER),
    **{f"{kind} axis": _element(kind, "axis", turned) for kind in ("wheel", "disc")},
    "knife_edge across": _element("knife_edge", "across", turned),
    **{
        f"{kind} {field}": _element(kind, field, ROTATION if field == "rotation" else POINT)
        for kind in ("wheel", "ball", "disc") for field in ("centre", "at", "rotation")
    },
    "knife_edge at": _element("knife_edge", "at", POINT),
    "motor ratio": _element("motor", "ratio", NUMBER), "motor inertia": _element("motor", "inertia", NUMBER),
    "motor mass": _element("motor", "mass", NUMBER), "motor axis": _element("motor", "axis", turned),
    "motor at": _element("motor", "at", POINT), "motor com": _element("motor", "com", POINT),
    "motor inductance": lambda s, f: s.motor("a", 2, inertia=1, resistance=1, constant=1, inductance=2 + f),
    "couple multiplier": lambda s, f: s.couple("a", "c", NUMBER(f)),
    "couple offset": lambda s, f: s.couple("a", "c", 1, f),
    "limits": lambda s, f: s.joint("j", "C", s.body("J", 1), ph.Revolute("z"), limits=(f, 9)),
    "speed_limits": lambda s, f: s.joint("j", "C", s.body("J", 1), ph.Revolute("z"), speed_limits=f),
    "effort_limits": lambda s, f: s.joint("j", "C", s.body("J", 1), ph.Revolute("z"), effort_limits=f),
    "parameter": lambda s, f: s.parameter("p", f), "input": lambda s, f: s.input("p", f),
    "state start": lambda s, f: s.state("p", 0, start=f),
    "pose": lambda s, f: s.pose("p", {"a": f}),
}  # fmt: skip

#: Places that take time too: a prescribed motion.
PLACED: dict[str, Add] = {
    "joint at": _joint(at=POINT), "joint rotation": _joint(rotation=ROTATION),
    "joint child_at": _joint(child_at=POINT), "joint child_rotation": _joint(child_rotation=ROTATION),
    "frame at": lambda s, f: s.frame("F", "C", (f, 0, 0)),
    "frame rotation": lambda s, f: s.frame("F", "C", rotation=("z", f)),
    "building_block axis": _of_type(lambda f: ph.BuildingBlock((), (3,), axis=turned(f), reference="z")),
    "building_block reference": _of_type(lambda f: ph.BuildingBlock((), (3,), axis="z", reference=turned(f))),
    **{
        f"closure {field}": _element("closure", field, POINT if field.startswith("at") else ROTATION)
        for field in ("at_a", "at_b", "rotation_a", "rotation_b")
    },
    **{
        f"{kind} {field}": _element(kind, field, POINT)
        for kind in ("spring", "damper", "line_force") for field in ("at_a", "at_b")
    },
}  # fmt: skip


@pytest.mark.parametrize(("place", "kind"), [(place, kind) for place in CONSTANT for kind in KINDS])
def test_what_must_be_constant_refuses_all_that_changes(place: str, kind: str) -> None:
    s = rig()
    f = symbol_of(s, kind)
    refused("", lambda: CONSTANT[place](s, f))


@pytest.mark.parametrize(("place", "kind"), [(place, kind) for place in PLACED for kind in KINDS])
def test_what_places_something_takes_time_and_refuses_the_rest(place: str, kind: str) -> None:
    """What it means is in `test_placements_in_time`."""
    s = rig()
    f = symbol_of(s, kind)
    if kind == "time":
        PLACED[place](s, f)
        return
    refused(f"the {kind} '", lambda: PLACED[place](s, f))


def test_what_is_constant_or_places_something_takes_parameters() -> None:
    for place, add in {**CONSTANT, **PLACED}.items():
        if place not in ("parameter", "input", "state start", "pose"):
            s = rig()
            add(s, s.parameter("p", 1))


def test_every_field_of_every_type_is_tried_and_every_method_of_a_system_is_tried_or_takes_no_expression() -> None:
    own = {kind: each for kind, each in CONSTRAINTS.items() if each.store == "constraints"}
    acting = {kind: each for kind, each in FORCES.items() if not kind.startswith("compliant")}  # as contacts are
    fields: dict[str, tuple[Field, ...]] = {kind: each.fields for kind, each in (JOINTS | acting | own).items()}
    fields["motor"] = Motor.fields
    taken = ("number", "vector", "point", "axis", "direction", "rotation", "curve", "motion")
    wanted = {f"{kind} {field.name}" for kind, each in fields.items() for field in each if field.kind in taken}
    apart = {
        "no_slip at", "no_slip directions", "condition position", "condition speed", "disc curve",
        "motor stiffness", "motor damping", "wheel upright",
    }  # fmt: skip
    assert wanted == {key for key in {**ACTING, **CONSTANT, **PLACED} if key in wanted} | apart
    tried = {
        "apply", "force", "torque", "joint_force", "coordinate_force", "joint_spring", "spring", "damper", "line_force",
        "gravity_field", "potential", "couple", "prescribe", "constraint", "close", "constrain", "constrain_speed",
        "roll_wheel", "roll_ball", "roll_disc", "knife_edge", "no_slip", "parameter", "input", "state", "state_rate",
        "body", "frame", "joint", "motor", "pose", "beam", "flexible_body",
    }  # fmt: skip
    elsewhere = {
        "point",  # tests/unit/kinematics/vectors
        "derive",  # test_dependences_of_runs
        "contact", "friction", "stop", "surface", "with_contacts", "equip",  # tests/contact, tests/unit/model
        "dt",  # tests/unit/model
    }  # fmt: skip
    without = {"compare", "diagnose", "model", "of", "unread"}
    public = {name for name in dir(ph.System) if not name.startswith("_") and callable(getattr(ph.System, name))}
    assert public == tried | elsewhere | without
