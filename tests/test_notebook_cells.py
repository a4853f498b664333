"""Whatever a public call returns can be the last line of a cell: it has a cell, or at least a sentence of its own."""

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from tests.planar_arm import planar_arm
from tests.unit.test_notebook import HOSTILE, Tags

import polhode as ph
import polhode.control
import polhode.planning
from polhode.linear.linear import Linear
from polhode.model.samples.underactuated import cart_pole
from polhode.optimize.problem import Collocation
from polhode.optimize.solution import Solution
from polhode.simulate.trajectory.trajectory import Trajectory

CELLS = ("_repr_html_", "_repr_latex_", "_repr_mimebundle_")
#: What fields of a record may be for its plain repr to be read.
PLAIN = {"str", "int", "float", "bool", "None", "tuple", "Fraction", "Expr"}


@cache
def names_in(module: ModuleType) -> dict[str, Any]:
    """What annotations of a module may name: what it imports, for annotations alone too."""
    found = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            for each in node.body:
                if isinstance(each, ast.ImportFrom):
                    package = ".".join(module.__name__.split(".")[: -each.level or None])
                    package = package if not hasattr(module, "__path__") else module.__name__
                    home = f"{package}.{each.module}" if each.level else str(each.module)
                    if home.startswith("polhode"):
                        found |= {alias.asname or alias.name: _taken(home, alias.name) for alias in each.names}
    return found


def _taken(home: str, name: str) -> Any:
    try:
        return getattr(import_module(home), name, None)
    except ImportError:
        return None


def classes_in(annotation: Any, module: ModuleType) -> Iterator[type]:
    """The classes of polhode that an annotation names."""
    if isinstance(annotation, str):
        names = [node.id for node in ast.walk(ast.parse(annotation, mode="eval")) if isinstance(node, ast.Name)]
        found = [names_in(module).get(name) for name in names]
        yield from (each for each in found if inspect.isclass(each) and each.__module__.startswith("polhode"))


def returned(cls: type) -> Iterator[tuple[str, type]]:
    """What public methods, properties and fields of a class are said to be."""
    for base in cls.__mro__:
        if not base.__module__.startswith("polhode"):
            continue
        module = sys.modules[base.__module__]
        for name, value in vars(base).items():
            function = {property: "fget", cached_property: "func", classmethod: "__func__"}.get(type(value))
            made = getattr(value, function) if function else value
            if not name.startswith("_") and inspect.isfunction(made):
                for each in classes_in(made.__annotations__.get("return"), module):
                    yield f"{cls.__name__}.{name}", each


def results() -> dict[type, str]:
    """The records that public calls return, and one call that does."""
    found: dict[type, str] = {}
    controllers = [getattr(ph.control, name) for name in ph.control.__all__]
    for cls in (ph.Equations, Linear, Trajectory, Collocation, Solution, *controllers):
        found.setdefault(cls, cls.__name__)
        for how, each in returned(cls):
            found.setdefault(each, how)
    for package in (ph, ph.planning):
        for name in dir(package) if package is ph else ph.planning.__all__:
            value = getattr(package, name)
            if inspect.isfunction(value):
                for each in classes_in(value.__annotations__.get("return"), sys.modules[value.__module__]):
                    found.setdefault(each, f"{name}()")
    return found


def shows_itself(cls: type) -> bool:
    """Whether a class has a cell, a repr of its own, or nothing but numbers and words to show."""
    if any(hasattr(cls, each) for each in CELLS):
        return True
    owner = next(base for base in cls.__mro__ if "__repr__" in vars(base))
    if owner is object:
        return False
    made_by_hand = not dataclasses.is_dataclass(owner) or (
        owner.__repr__.__code__.co_filename == inspect.getsourcefile(owner)
    )
    words = {
        node.id
        for each in (dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ())
        for node in ast.walk(ast.parse(str(each.type), mode="eval"))
        if each.repr and isinstance(node, ast.Name)
    }
    return made_by_hand or words <= PLAIN


def test_every_result_of_a_public_call_shows_itself() -> None:
    found = results()
    assert {"Equilibrium", "ErrorDynamics", "Solution", "Observability", "Law"} <= {cls.__name__ for cls in found}
    bare = {
        f"{cls.__module__}.{cls.__name__}, as {how} returns it" for cls, how in found.items() if not shows_itself(cls)
    }
    assert not bare


def test_a_bare_record_would_be_noticed() -> None:
    @dataclasses.dataclass(frozen=True)
    class Bare:
        value: list[float]

    class Nameless: ...

    assert not shows_itself(Bare) and not shows_itself(Nameless)


def test_names_of_a_user_are_no_markup() -> None:
    s = ph.System(HOSTILE, gravity=(0, 0, -10))
    push = s.input(HOSTILE + "$ \\x")
    s.joint_force(s.joint("q", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y")), push)
    e = s.derive()
    linear = e.linearize()
    regulator = ph.control.LQR(linear, sample_time=0.1, integral={"q": 1})
    records = [
        e.equilibrium(), linear.modes()[0], linear.point, e.controllability(), e.observability(["q"]), e.power(),
        ph.control.KalmanFilter(linear, ["q"], process_noise=1, measurement_noise=1),
        e.simulate(0.2, controller=regulator).controller, ph.control.LinearMPC(linear, 1, 1, 3, 0.1),
    ]  # fmt: skip
    for record in records:
        tags = Tags(record._repr_mimebundle_()["text/html"])
        assert {*tags.found} <= {"p", "b", "table", "tr", "th", "td"}, record
    typeset = regulator._repr_mimebundle_()["text/latex"]
    assert "onerror" in typeset and "$" not in typeset.strip("$").replace(r"\$", "")  # it ends no formula


@pytest.fixture(scope="module")
def cart() -> ph.Equations:
    return cart_pole().derive()


@pytest.fixture(scope="module")
def arm() -> ph.Equations:
    return planar_arm(inputs=True).derive()


def of_cart(e: ph.Equations) -> dict[str, Any]:
    """Records of a pole on a cart, and a word that each must say of it."""
    linear = e.linearize()
    regulator = ph.control.LQR(linear, sample_time=0.02)
    noise: dict[str, Any] = {"process_noise": 1, "measurement_noise": 1e-4}
    ekf = ph.control.EKF(e, ["x", "theta"], sample_time=0.02, **noise)
    free = e.simulate(0.2, start={"theta": 3.0}, samples=11)
    with pytest.warns(UserWarning, match="zero dynamics"):
        partial = ph.control.PartialLinearization(e)
    problem = e.collocation(1, end={"x": 0.1}, nodes=5, limits={"F": 50})
    return {
        "F &= m": partial,
        "e'' + 2*lambda e'": partial.error_dynamics,
        "Poles of the loop": regulator,
        "Gains: K_F_x": regulator.law,
        "gain L": ph.control.KalmanFilter(linear, ["x"], **noise),
        "state of the observer": ekf,
        "normalised innovations": ekf.filter(free, free.q),
        "covariance of x": ph.control.Observed(regulator, ekf),
        "Plans 5 samples ahead": ph.control.LinearMPC(linear, 1, 1, 5, 0.05),
        "relative degree 2": e.relative_degree(["theta"]),
        "unstable: eigenvalues": e.zero_dynamics(["x"]),
        "observable": e.observability(["x"]),
        "controllable": e.controllability(),
        "accessible": e.accessibility(),
        "not flat": e.is_flat_output(["x"]),
        "not involutive": e.is_feedback_linearizable(),
        r"\mathbf{f} &= ": e.control_affine(),
        "unstable; eigenvalues": e.equilibrium(free=["theta"]),
        "mode: grows": linear.modes()[-1],
        "N(s)": linear.transfer_function("F", "x"),
        "by l": linear.eigenvalue_derivatives(["l"]),
        r"\mathbf{K} &= ": linear.second_order,
        "None crosses": linear.eigenvalues_along("l", [0.5, 1, 2]),
        "gain k": linear.root_locus("F", "x", [0, 1]),
        "operating point": linear.point,
        r"\mathbf{D} = ": linear.moved,
        "while F is nil": e.conserved()[0],
        "5 samples": e.simulate(0.1, controller=regulator, start={"theta": 0.1}).controller,
        "energy in J": free.energy,
        "11 times": e.linearize_along(free),
        "at most 50": problem,
        "greatest": problem.solve(),
        r"\mathbf{E} &= ": e.descriptor(),
        "balances of power": e.power(),
        "nothing had to move": e.assemble(),
        "Translation category": cart_pole().derive("kane").sayers_tables,
    }


def of_arm(e: ph.Equations) -> dict[str, Any]:
    """Records of an arm, and a word that each must say of it."""
    torque = ph.control.ComputedTorque(e, kp=100, kd=20, ki=30)
    run = e.simulate(1, inputs={"T1": "sin(3*t)", "T2": "cos(4*t)"}, samples=40)
    return {
        "States of the controller": torque,
        "K_i": torque.error_dynamics,
        "a_q1 = ": torque.written,
        "K_d s": ph.control.PassivityBased(e, kd=5, lambda_=3).lyapunov,
        "References: q1 and q2": torque.law,
        "Gains(kp = 100)": torque.kp,
        "base parameters of": e.base_parameters(),
        "centre": e.exciting_trajectory(2, seed=1),
        "standard deviation": e.identify(run),
        "singular values": e.manipulability("hand", [0.1, 0.2]),
        "the rank is 2": e.singular_configurations("hand"),
        "on the boundary": e.workspace("hand", samples=200),
        "squares of speeds": e.velocity_terms,
        r"\mathbf{Y} &= ": e.regressor(),
        "reached": e.inverse_kinematics("hand", (0.6, 0.5, 0), near=[0.1, 0.2], of="position"),
        "steady state of arm": e.equilibrium(free=["q1", "q2"]),
        r"\mathbf{M} &= ": e.poincare_form,
    }


@pytest.mark.slow
@pytest.mark.parametrize("records", [of_cart, of_arm])
def test_records_say_what_they_are(records: Any, request: pytest.FixtureRequest) -> None:
    wrong = []
    for word, record in records(request.getfixturevalue(records.__name__[3:])).items():
        bundle = record._repr_mimebundle_()
        text = bundle.pop("text/plain")
        ((kind, shown),) = bundle.items()
        is_whole = kind == "text/html" or shown.count("{") == shown.count("}")
        if word not in shown + text or "object at 0x" in shown + text + repr(record) or not is_whole:
            wrong.append((word, shown, text))
        assert kind in ("text/html", "text/latex") and len(repr(record)) < 400, word
    assert not wrong
