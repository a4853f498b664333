"""One spelling everywhere tells coordinate, speed, effort and acceleration apart: in text, LaTeX and SymPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sympy
from tests.refusals import refused

import polhode as ph
from polhode.expr import Expr, evaluate, same
from polhode.expr.spelling import further_rate, identifier, spelled, spelled_latex
from polhode.model import samples

MODELS = sorted((Path(__file__).parents[3] / "models").glob("*.yaml"))
SYSTEMS: dict[str, Callable[[], ph.System]] = {
    **{path.stem: partial(ph.load, path) for path in MODELS},
    "six-joint arm": samples.six_degree_of_freedom_arm,
    "bicycle": samples.whipple_bicycle,
    "four-bar": samples.four_bar,
    "two four-bars": partial(samples.n_four_bar, 2),
    "bennett": samples.bennett,
    "bricard": samples.bricard_mechanism,
    "squeezer": samples.squeezing_mechanism,
    "stewart": samples.stewart_platform,
    "car": lambda: samples.car().system,
    "semitrailer": lambda: samples.semitrailer().system,
}


def slider(**names: list[str]) -> ph.System:
    """A block on a damped spring, everything called by default, with a parameter for its mass."""
    s = ph.System("slider")
    m, k, c = s.parameter("m", 2), s.parameter("k", 3), s.parameter("c", "0.5")
    x = s.joint("x", s.ground, s.body("block", m), ph.Prismatic("x"), **names)
    s.joint_force(x, -k * x.q[0] - c * x.u[0])
    return s


def one_joint(kind: ph.JointType, **names: list[str]) -> ph.Equations:
    s = ph.System("one")
    s.joint("j", s.ground, s.body("b", 1, inertia=(1, 2, 3)), kind, **names)
    return s.derive()


def spellings(symbols: Any) -> list[tuple[str, str, str]]:
    return [(repr(x), ph.latex(x), str(ph.to_sympy(x))) for x in symbols]


def test_coordinate_speed_effort_and_acceleration_are_told_apart_and_a_speed_that_was_given_a_name_keeps_it() -> None:
    e = slider().derive()
    assert spellings([*e.q, *e.u, *e.tau, *e.udot]) == [
        ("x", "x", "x"), ("x'", r"\dot{x}", "x_dot"), ("tau_x", r"\tau_{x}", "tau_x"), ("x''", r"\ddot{x}", "x_ddot"),
    ]  # fmt: skip
    assert repr(e.bias[0]) == "c*x' + k*x" and repr(e.forcing[0]) == "tau_x - c*x' - k*x"
    assert repr(e.inverse_dynamics[0]) == "m*x'' + c*x' + k*x"
    assert e.latex("bias") == r"\begin{bmatrix} c \dot{x} + k x \end{bmatrix}"
    e = slider(speeds=["v"]).derive()
    assert spellings([*e.u, *e.tau, *e.udot]) == [
        ("v", "v", "v"),
        ("tau_v", r"\tau_{v}", "tau_v"),
        ("v'", r"\dot{v}", "v_dot"),
    ]
    assert repr(slider(speeds=["x"]).derive().u[0]) == "x'"


def test_rates_have_dots_and_primes_over_their_letters() -> None:
    e = one_joint(ph.Revolute("z"), coordinates=["theta_1"], speeds=["theta_1"])
    assert [ph.latex(x) for x in (*e.u, *e.udot, *e.tau)] == [
        r"\dot{\theta}_{1}", r"\ddot{\theta}_{1}", r"\tau_{\theta_{1}}"
    ]  # fmt: skip
    assert ph.latex(e.u[0] ** 2) == r"\dot{\theta}_{1}^{2}"
    jerk, fifth = (further_rate(ph.symbol("j0", "acceleration"), count) for count in (1, 3))
    assert (spelled(jerk), identifier(jerk), spelled_latex(jerk)) == ("j0'''", "j0_dot3", r"\dddot{j}_{0}")
    assert (spelled(fifth), identifier(fifth), spelled_latex(fifth)) == ("j0'''''", "j0_dot5", "{j_{0}}^{(5)}")
    assert spelled(further_rate(ph.symbol("v", "acceleration", "own"), 1)) == "v''"
    e = slider().derive()
    run = e.simulate(0.1, start={"x": 0.5}, speeds={"x": 1.0})
    assert (run["x"][0], run.speed("x")[0]) == (0.5, 1.0)
    assert e.coordinates == e.speeds == ["x"]
    e = ph.load(MODELS[0].parent / "double_pendulum.yaml").derive()
    assert same((e.mass_matrix.inv() @ e.mass_matrix).entries(), ph.Matrix.identity(2).entries())
    assert e.mass_matrix.det() == e.mass_matrix[0, 0] * e.mass_matrix[1, 1] - e.mass_matrix[0, 1] ** 2


def test_speeds_that_are_no_rates_are_not_written_as_rates() -> None:
    assert [repr(u) for u in one_joint(ph.Spherical()).u] == ["j_wx", "j_wy", "j_wz"]
    assert [repr(u) for u in one_joint(ph.Planar("z")).udot] == ["j_w'", "j_vx'", "j_vy'"]
    assert [repr(u) for u in one_joint(ph.Universal()).u] == ["j_1'", "j_2'"]
    assert [repr(u) for u in one_joint(ph.Cylindrical("z")).u] == ["j_angle'", "j_slide'"]
    turns = [[1, 0], [0, 1], [0, 0], [0, 0], [0, 0], [0, 0]]  # two axes fixed in the body: q' = Γ u, and Γ is not 1
    e = one_joint(ph.JointMap(turns))
    assert not same(e.coordinate_rates[:2], e.u)
    assert spellings([e.u[0], e.udot[0], e.tau[0]]) == [
        ("u_j_1", "u_{j_{1}}", "u_j_1"),
        ("u_j_1'", r"\dot{u_{j_{1}}}", "u_j_1_dot"),
        ("tau_j_1", r"\tau_{j_{1}}", "tau_j_1"),
    ]
    swapped = one_joint(ph.Universal(), coordinates=["a", "b"], speeds=["b", "a"])
    assert [repr(u) for u in swapped.u] == ["u_b", "u_a"]


@pytest.mark.parametrize("kind", [ph.Screw("x", 2), ph.Universal(), ph.Planar("z"), ph.Free("angles"), ph.Free("321")])
def test_what_is_written_as_a_rate_is_one(kind: ph.JointType) -> None:
    names = list("abcdef")[: kind.speeds]
    e = one_joint(kind, coordinates=names, speeds=names)
    written = [repr(u) == f"{name}'" for u, name in zip(e.u, names, strict=True)]
    rates = [rate is u for rate, u in zip(e.coordinate_rates, e.u, strict=True)]
    assert not any(prime and not rate for prime, rate in zip(written, rates, strict=True))
    assert all(written) == all(rates)


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_two_symbols_of_a_model_are_written_alike(name: str) -> None:
    e = SYSTEMS[name]().derive()
    multipliers = [] if e.constraints is None else [*e.constraints.multipliers, e.stabilisation_rate]
    symbols = [*e.q, *e.tree.u, *e.tau, *map(e.symbols.get, _accelerations(e)), *multipliers, e.system.time]
    symbols += [each.symbol for each in (*e.system.parameters.values(), *e.system.inputs.values())]
    assert {id(x) for x in symbols} == {id(x) for x in e.symbols.values()}
    texts, latex, identifiers = zip(*spellings(symbols), strict=True)
    assert len(set(texts)) == len(set(latex)) == len(set(identifiers)) == len(symbols)
    assert all(word.isidentifier() for word in identifiers)


def _accelerations(e: ph.Equations) -> Iterator[str]:
    return (name for name, x in e.symbols.items() if x.data[0] == "acceleration" and name == repr(x))


@pytest.mark.parametrize("name", ["cart_pendulum", "double_pendulum", "fourbar", "gripper", "pendulum", "spinning_top"])
def test_sympy_gives_the_numbers_that_we_give_and_finds_the_way_back(name: str) -> None:
    e = SYSTEMS[name]().derive()
    roots = [*e.forcing, *e.inverse_dynamics, e.kinetic_energy, *e.coordinate_rates]
    there = [sympy.sympify(root) for root in roots]
    symbols = list(dict.fromkeys(e.symbols.values()))
    numbers = {x: 0.1 + 0.07 * place for place, x in enumerate(symbols)}
    wanted = pytest.approx(evaluate(roots, numbers), rel=1e-9)
    assert evaluate([ph.from_sympy(theirs, e.symbols) for theirs in there], numbers) == wanted
    function = sympy.lambdify([ph.to_sympy(x) for x in symbols], there)
    assert function(*numbers.values()) == wanted
    by_name = {str(ph.to_sympy(x)): value for x, value in numbers.items()}
    assert [float(theirs.subs(by_name)) for theirs in there] == wanted


def test_sympy_finds_things_by_name_and_functions_of_time_come_back() -> None:
    e = slider().derive()
    there = sympy.sympify(e.forcing[0])
    x, x_dot, tau_x, k, c = sympy.symbols("x x_dot tau_x k c")
    assert there == tau_x - k * x - c * x_dot
    assert ph.to_sympy(e.mass_matrix).subs({"m": 2}) == sympy.Matrix([[2]])
    assert there.subs({"k": 3, "c": 2}).diff(x_dot) == -2
    assert sympy.lambdify([*map(ph.to_sympy, (*e.q, *e.u, *e.tau))], there.subs({"k": 3, "c": 2}))(1, 10, 100) == 77
    t = sympy.Symbol("t")
    x = sympy.Function("x")(t)
    m, k, c = sympy.symbols("m k c")
    assert ph.from_sympy(m * x.diff(t, 2) + c * x.diff(t) + k * x, e.symbols) == e.inverse_dynamics[0]


COLLISIONS: dict[str, tuple[Callable[[ph.System], object], tuple[str, str]]] = {
    "a parameter called as a coordinate": (lambda s: s.parameter("x"), ("parameter 'x'", "coordinate 'x'")),
    "an input called as a parameter": (lambda s: s.input("m"), ("input 'm'", "parameter 'm'")),
    "a parameter called as an effort is written": (lambda s: s.parameter("tau_x"), ("'tau_x'", "effort 'x'")),
    "a coordinate called as a rate in SymPy": (
        lambda s: s.joint("x_dot", s.ground, s.body("b", 1), ph.Revolute("z")),
        ("coordinate 'x_dot'", "speed 'x'"),
    ),
    "a speed called as a parameter": (
        lambda s: s.joint("y", s.ground, s.body("b", 1), ph.Revolute("z"), speeds=["m"]),
        ("speed 'm'", "parameter 'm'"),
    ),
    "names that differ in what parts words": (
        lambda s: (s.parameter("a b"), s.parameter("a-b")),
        ("parameter 'a-b'", "parameter 'a b'"),
    ),
    "names that LaTeX sets alike": (lambda s: (s.parameter("l1"), s.parameter("l_1")), ("'l_1'", "'l1'")),
}


@pytest.mark.parametrize("what", COLLISIONS)
def test_what_would_be_written_alike_is_refused_when_the_model_is_built(what: str) -> None:
    add, named = COLLISIONS[what]
    message = refused("would both be written", lambda: add(slider()))
    assert all(word in message for word in named)
    assert "Give one of them another name." in message and "E-MODEL-TWICE" in message


def test_a_refused_name_leaves_nothing_and_multipliers_are_told_apart() -> None:
    s = slider()
    refused("would both be written", lambda: s.joint("y", s.ground, s.body("b", 1), ph.Revolute("z"), speeds=["m"]))
    s.joint("y", s.ground, "b", ph.Revolute("z"))
    assert [repr(u) for u in s.derive().u] == ["x'", "y'"]
    s = slider()
    s.constrain(s.joints["x"].q[0], "stop")
    assert [repr(x) for x in s.derive().constraints.multipliers] == ["lambda_stop"]  # type: ignore[union-attr]
    s.parameter("lambda_stop")
    refused(r"multiplier 'stop'.*parameter 'lambda_stop'", s.derive)


@pytest.mark.parametrize("name", ["t", "pi"])
def test_what_is_called_as_our_own_words_is_marked(name: str) -> None:
    s = slider()
    p = s.parameter(name, 5)
    s.joint_force("x", p * ph.pi * ph.sin(s.time))
    e = s.derive()
    assert repr(e.bias[0]) == f"c*x' + k*x - pi*{name}_*sin(t)"
    there = sympy.sympify(e.bias[0])
    symbols = list(dict.fromkeys(e.symbols.values()))
    numbers = {x: 0.3 + 0.11 * place for place, x in enumerate(symbols)}
    function = sympy.lambdify([ph.to_sympy(x) for x in symbols], there)
    assert function(*numbers.values()) == pytest.approx(evaluate([e.bias[0]], numbers)[0])


def test_odd_names_are_readable_text_valid_latex_and_identifiers() -> None:
    names = ["crank 0", "50%", "sin", "lambda", "a.b", "1st", "ϕ", "φ", "e\u0301", "é"]
    s = ph.System()
    for name in names:
        s.joint(name, s.ground, s.body(name, 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    e = s.derive()
    text, latex, identifiers = zip(*spellings([*e.q, *e.u, *e.tau, *e.udot]), strict=True)
    assert (text[0], text[10], text[20], text[30]) == ("crank 0", "crank 0'", "tau_crank 0", "crank 0''")
    assert latex[1] == r"\text{50\%}" and latex[11] == r"\dot{\text{50\%}}"
    assert identifiers[:6] == ("crank_0", "_50_25", "sin_", "lambda_", "a_b", "_1st")
    assert all(word.isidentifier() for word in identifiers) and len(set(identifiers)) == 40
    roots = [ph.sin(q) * u for q, u in zip(e.q, e.u, strict=True)]
    numbers = {x: 0.1 * place for place, x in enumerate((*e.q, *e.u))}
    function = sympy.lambdify([ph.to_sympy(x) for x in numbers], [ph.to_sympy(root) for root in roots])
    assert function(*numbers.values()) == pytest.approx(evaluate(roots, numbers))


def folded(speed: Expr) -> list[str]:
    """A speed, and a function of it, as they come out of operations whose results are recognised by fingerprint."""
    p = ph.symbol("p")
    rough = ph.tanh(speed)
    return [repr(x * ph.sin(p) ** 2 + x * ph.cos(p) ** 2) for x in (speed, rough)]


def test_how_a_symbol_is_written_does_not_depend_on_what_else_is_alive() -> None:
    rate = slider().derive()
    named = slider(coordinates=["y"], speeds=["x"]).derive()
    assert folded(rate.u[0]) == ["x'", "tanh(x')"] and folded(named.u[0]) == ["x", "tanh(x)"]
    assert (repr(rate.bias[0]), repr(named.bias[0])) == ("c*x' + k*x", "c*x + k*y")
    del rate
    assert folded(named.u[0]) == ["x", "tanh(x)"]


@pytest.mark.parametrize(("letter", "name"), [
    ("M", "mass_matrix"), ("f", "forcing"), ("q̇", "coordinate_rates"), ("udot", "forward_dynamics"),
])  # fmt: skip
def test_a_result_is_asked_for_by_its_letter_or_its_name(letter: str, name: str) -> None:
    e = slider().derive()
    assert e.latex(letter) == e.latex(name) == ph.latex(ph.normal(getattr(e, name)))


@pytest.mark.parametrize("name", ["m", "mass", "derive", "__class__", "simulate"])
def test_a_result_that_there_is_not_is_answered_by_those_that_there_are(name: str) -> None:
    with pytest.raises(
        ph.PolhodeError, match=r"there is no result.*\n.*mass_matrix \(M\), coriolis_matrix \(C\), forcing \(f\), bias"
    ):
        slider().derive().latex(name)


def called(name: str) -> ph.Equations:
    """A hinge of this name on a spring that its own speed damps."""
    s = ph.System("s")
    j = s.joint(name, s.ground, s.body("b", 1, inertia=(1, 1, 1)), ph.Revolute("z"))
    s.joint_force(j, -2 * j.q[0] - 3 * j.u[0])
    return s.derive()


@pytest.mark.parametrize(("name", "forcing"), [
    ("crank 0", "tau_crank 0 - 3*crank 0' - 2*crank 0"), ("arm.elbow", "tau_arm.elbow - 3*arm.elbow' - 2*arm.elbow"),
    ("θ1", "tau_θ1 - 3*θ1' - 2*θ1"), ("1", "tau_1 - 3*'1'' - 2*'1'"), ("2e3", "tau_2e3 - 3*'2e3'' - 2*'2e3'"),
    ("a + b", "tau_'a + b' - 3*'a + b'' - 2*'a + b'"), ("a-b", "tau_'a-b' - 3*'a-b'' - 2*'a-b'"),
    ("2*x", "tau_'2*x' - 3*'2*x'' - 2*'2*x'"), ("x²", "tau_'x²' - 3*'x²'' - 2*'x²'"),
    ("x'", """tau_"x'" - 3*"x'"' - 2*"x'\""""), ("x\ny", r"tau_'x\ny' - 3*'x\ny'' - 2*'x\ny'"),
    (" x", "tau_' x' - 3*' x'' - 2*' x'"),
])  # fmt: skip
def test_a_name_that_could_be_read_as_something_else_is_quoted(name: str, forcing: str) -> None:
    e = called(name)
    assert sorted(repr(e.forcing[0]).split(" - ")) == sorted(forcing.split(" - "))
    assert e.symbols[repr(e.q[0])] is e.q[0] and e.symbols[repr(e.u[0])] is e.u[0]
    assert e.coordinates == e.speeds == [name]
    assert e.linearize({name: 0}, speeds={name: 0}).states == [repr(e.q[0]), repr(e.u[0])]


def test_a_multiplier_that_is_written_as_a_parameter_is_told_with_its_constraint() -> None:
    s = samples.four_bar()
    name = next(iter(s.constraints))
    first = s.derive().constraints.multipliers[0]
    clash = s.parameter(str(ph.to_sympy(first)), 1)
    with pytest.raises(ph.PolhodeError) as caught:
        s.derive()
    (problem,) = caught.value.problems
    assert problem.place == f"constraint '{name}'" and problem.code == "E-MODEL-TWICE"
    assert f"'{clash.name}'" in problem.message and "another name" in problem.cure


def test_a_place_on_a_curve_that_is_written_as_a_parameter_is_refused_at_once() -> None:
    def bead() -> ph.System:
        s = ph.System("bead on a parabola")
        s.joint("move", s.ground, s.body("bead", 1), ph.Compound(ph.Prismatic("x"), ph.Prismatic("z")))
        return s

    s = bead()
    s.parameter("wire_place", 1)
    refused(r"disc 'wire'.*wire_place in SymPy", lambda: s.roll_disc("wire", "bead", 0, lambda x: x**2, slips=True))
    assert not s.constraints
    s = bead()
    s.roll_disc("wire", "bead", 0, lambda x: x**2, slips=True)
    refused("wire_place in SymPy", lambda: s.parameter("wire_place", 1))
    assert s.derive().constraints is not None
