"""Faults of calls to compiled functions, by their ids: right, or refused with one sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.refusals import refused

import polhode as ph

BACKENDS = ["llvm", "numpy"]


def kite() -> ph.System:
    """A free body that carries a ball and a hinge, all orientations by quaternions."""
    s = ph.System("kite", gravity=(0, 0, "-9.81"))
    m = s.parameter("m", 2)
    hull = s.body("hull", m, com=(0.1, 0.2, -0.3), inertia=(0.5, 0.6, 0.7))
    s.joint("flight", s.ground, hull, ph.Free())
    tail = s.body("tail", 1, com=(0, 0, -1), inertia=(0.1, 0.2, 0.25))
    s.joint("ball", hull, tail, ph.Spherical(), at=(1, 0, 0))
    s.joint("hinge", tail, s.body("flap", 1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1)), ph.Revolute("y"))
    s.frame("tip", "flap", at=(1, 0, 0))
    return s


def states(count: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates with unit quaternions, and speeds."""
    dice = np.random.default_rng(4)
    q, u = dice.normal(size=(count, 12)), dice.normal(size=(count, 10))
    for first in (0, 7):
        q[:, first : first + 4] /= np.linalg.norm(q[:, first : first + 4], axis=1, keepdims=True)
    return q, u


def scaled(q: np.ndarray, first: Any = 1.01, second: Any = 0.3) -> np.ndarray:
    made = q.copy()
    made[..., 0:4] *= first
    made[..., 7:11] *= second
    return made


CALLS: dict[str, Callable[[Any, np.ndarray, np.ndarray], Any]] = {
    "forward_dynamics": lambda f, q, u: f.forward_dynamics(q, u),
    "inverse_dynamics": lambda f, q, u: f.inverse_dynamics(q, u, 0.5 * u),
    "mass_matrix": lambda f, q, u: f.mass_matrix(q),
    "bias": lambda f, q, u: f.bias(q, u),
    "energy": lambda f, q, u: f.energy(q, u),
    "momentum": lambda f, q, u: f.momentum(q, u),
    "poses": lambda f, q, u: f.poses(q),
    "pose of a frame": lambda f, q, u: f.pose("tip", q),
    "jacobian": lambda f, q, u: f.jacobian("tip", q),
    "derivatives": lambda f, q, u: f.forward_dynamics_derivatives(q, u),
    "reaction": lambda f, q, u: f.reaction("ball", q, u),
    "with parameters": lambda f, q, u: f.forward_dynamics(q, u, parameters={"m": 3}),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("call", CALLS)
def test_f29_the_length_of_a_quaternion_does_not_enter(call: str, backend: str) -> None:
    f = kite().derive().compile(backend=backend)
    q, u = states()
    expected = CALLS[call](f, q, u)
    for one, other in zip(_parts(expected), _parts(CALLS[call](f, scaled(q), u)), strict=True):
        assert_allclose(other, one, rtol=1e-11, atol=1e-11)
    for one, other in zip(_parts(expected), _parts(CALLS[call](f, scaled(q[2]).tolist(), u[2])), strict=True):
        assert_allclose(other, one[2], rtol=1e-11, atol=1e-11)


def _parts(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def test_f29_quaternions_of_any_length_are_scaled_and_left_as_they_were(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    f = kite().derive().compile()
    q, _ = states()
    _, R = f.poses(scaled(q))
    assert_allclose(np.linalg.det(R), 1.0, rtol=1e-13)
    f = kite().derive().compile()
    q, u = states()
    given = scaled(q)
    before = given.copy()
    f.forward_dynamics(given, u)
    assert (given == before).all()
    monkeypatch.setenv("POLHODE_CACHE_DIR", str(tmp_path))
    q, _ = states()
    first = kite().derive().compile().poses(q)[1]
    assert_allclose(kite().derive().compile().poses(scaled(q))[1], first, atol=1e-12)


def test_f29_the_rate_of_a_quaternion_is_as_long_as_it_is() -> None:
    f = kite().derive().compile()
    q, u = states()
    lengths = np.linspace(0.5, 2.0, len(q))[:, None]
    rates = f.coordinate_rates(q, u)
    assert_allclose(f.coordinate_rates(scaled(q, lengths, 1.0), u), scaled(rates, lengths, 1.0), rtol=1e-12, atol=1e-12)
    x, xdot = np.hstack([scaled(q, lengths), u]), f.evaluate("state_rates", np.hstack([q, u]), 0 * u)
    assert_allclose(f.evaluate("state_rates", x, 0 * u), scaled(xdot, lengths), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("backend", BACKENDS)
def test_f29_a_quaternion_of_length_zero_is_refused(backend: str) -> None:
    f = kite().derive().compile(backend=backend)
    q, u = states()
    q[3, 7:11] = 0
    for given, speeds in ((q, u), (q[3], u[3]), (q[3].tolist(), u[3])):
        with pytest.raises(ph.PolhodeError, match="coordinates 7 to 10 are a quaternion of length zero") as caught:
            f.forward_dynamics(given, speeds)
        assert caught.value.problems[0].code == "E-CODE-NUMBER"


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_a_mechanism_without_freedom_has_empty_functions(backend: str) -> None:
    s = ph.System("stone")
    s.joint("glue", s.ground, s.body("stone", 1, com=(0, 0, 1)), ph.Fixed(), at=(1, 2, 3))
    f = s.derive().compile(backend=backend, cache=False)
    for lead in ((), (3,)):
        none = np.zeros((*lead, 0))
        assert f.forward_dynamics(none, none).shape == (*lead, 0)
        assert f.inverse_dynamics(none, none, none).shape == (*lead, 0)
        assert f.bias(none, none).shape == f.coordinate_rates(none, none).shape == (*lead, 0)
        assert f.mass_matrix(none).shape == (*lead, 0, 0)
        assert [part.shape for part in f.forward_dynamics_derivatives(none, none)] == [(*lead, 0, 0)] * 3
        assert f.jacobian("stone", none).shape == (*lead, 6, 0)
        assert_allclose(f.pose("stone", none)[0], np.broadcast_to([1, 2, 3], (*lead, 3)))
        assert [part.shape for part in f.energy(none, none)] == [lead] * 2


WRONG: dict[str, tuple[Callable[[Any], Any], str]] = {
    "an unknown option": (lambda f: f.forward_dynamics([0.1], [0.0], foo=1), "no option 'foo'"),
    "a misspelt option": (lambda f: f.mass_matrix([0.1], parameter={"m": 1}), "Did you mean 'parameters'"),
    "an option of a reaction": (lambda f: f.reaction("hinge", [0.1], [0.0], foo=1), "no option 'foo'"),
    "parameters by position": (lambda f: f.mass_matrix([0.1], parameters=[1.0]), "not values by name"),
    "a parameter in words": (lambda f: f.mass_matrix([0.1], parameters={"m": "two"}), "not a finite number"),
    "time in words": (lambda f: f.bias([0.1], [0.0], t="noon"), "'noon' is no real number"),
    "inputs in words": (lambda f: f.bias([0.1], [0.0], inputs="much"), "'much' is no real number"),
    "an input in words": (lambda f: f.bias([0.1], [0.0], inputs={"push": "much"}), "'much' is no real number"),
    "an input that is nothing": (lambda f: f.bias([0.1], [0.0], inputs={"push": object()}), "is no real number"),
    "an unknown input": (lambda f: f.bias([0.1], [0.0], inputs={"pull": 1}), "no input 'pull'"),
    "coordinates in words": (lambda f: f.mass_matrix(["a"]), "not a real number"),
    "no coordinates": (lambda f: f.mass_matrix(None), "not a real number"),
    "too many coordinates": (lambda f: f.mass_matrix([0.1, 0.2]), "expected"),
    "rows of different length": (lambda f: f.mass_matrix([[0.1], [0.2, 0.3]]), "different lengths"),
}


def pendulum() -> ph.System:
    s = ph.System("pendulum")
    m = s.parameter("m", 2)
    hinge = s.joint("hinge", s.ground, s.body("bob", m, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, s.input("push", 1) * ph.cos(s.time))
    return s


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_call_is_told_in_one_sentence(what: str) -> None:
    call, sentence = WRONG[what]
    refused(sentence, lambda: call(pendulum().derive().compile()))


@pytest.mark.parametrize(("call", "code"), [
    (lambda e: e.compile(backend="cuda"), "E-CODE-NAME"), (lambda e: e.compile(backend=None), "E-CODE-NAME"),
    (lambda e: e.compile(backned="llvm"), "E-CALL-NAME"), (lambda e: e.assemble(foo=1), "E-CALL-NAME"),
    (lambda e: e.assemble(hold=5), "hold: 5 is not a list of coordinates"),
    (lambda e: e.assemble(parameters=5), "parameters: 5 is not values by name"),
    (lambda e: e.linearize(foo=1), "E-CALL-NAME"),
])  # fmt: skip
def test_a_wrong_option_of_equations_is_told(
    call: Callable[[Any], Any], code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    s = ph.System("pendulum")
    s.joint("hinge", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    refused(code, lambda: call(s.derive()))
    assert not list(tmp_path.iterdir())


#: Calls that raised TypeError, or an error without place, cure or code.
INCOMPLETE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "too few arrays": (lambda f: f.mass_matrix(), "E-CALL-TYPE"),
    "too many arrays": (lambda f: f.mass_matrix([0.1], [0.2]), "E-CALL-TYPE"),
    "no speeds": (lambda f: f.frame_velocity("bob", [0.1]), "E-CALL-TYPE"),
    "another shape": (lambda f: f.mass_matrix([0.1, 0.2]), "E-CODE-SHAPE"),
    "text": (lambda f: f.mass_matrix("abc"), "E-VALUE-TYPE"),
    "batches of two sizes": (lambda f: f.bias([[0.1]] * 2, [[0.1]] * 3), "E-CODE-SHAPE"),
    "no array at all": (lambda f: f.evaluate("mass_matrix"), "E-CODE-MISSING"),
    "another parameter": (lambda f: f.mass_matrix([0.1], parameters={"k": 1}), "E-VALUE-NAME"),
    "a parameter in words": (lambda f: f.mass_matrix([0.1], parameters={"m": "heavy"}), "E-"),
    "no such body": (lambda f: f.pose("nobody", [0.1]), "E-DERIVE-NAME"),
    "an array of the machine code": (lambda f: f.native("mass_matrix")([0.1], [0.2], w=1), "E-CODE-"),
}


@pytest.mark.parametrize("name", INCOMPLETE)
def test_a_wrong_call_has_a_place_a_cure_and_a_code(name: str) -> None:
    call, code = INCOMPLETE[name]
    with pytest.raises(ph.PolhodeError) as caught:
        call(pendulum().derive().compile())
    for problem in caught.value.problems:
        assert problem.place and problem.cure and problem.code.startswith(code)
