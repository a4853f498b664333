"""What a user can get wrong in Python: each mistake is one sentence that names its place, and nothing is half done."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.errors import ModelError, PolhodeError, ShapeError, ValueMissing


def _arm() -> ph.System:
    system = ph.System("arm")
    upper = system.body("upper", mass=1, com=(0, 0, 0.5), inertia=ph.rod(1, 1))
    lower = system.body("lower", mass=1, com=(0, 0, 0.5), inertia=ph.rod(1, 1))
    system.joint("shoulder", system.ground, upper, ph.Revolute("y"))
    system.joint("elbow", upper, lower, ph.Revolute("y"), at=(0, 0, 1))
    return system


def _cycle(system: ph.System) -> None:
    a, b = system.body("a", mass=1), system.body("b", mass=1)
    system.joint("ab", a, b, "revolute", axis="x")
    system.joint("ba", b, a, "revolute", axis="x")


MISTAKES: dict[str, tuple[Callable[[ph.System], object], str]] = {
    "F12 unknown parent": (
        lambda s: s.joint("wrist", "lowr", s.body("hand", mass=1), ph.Revolute("x")),
        r"joint 'wrist': there is no body 'lowr'\.\n  Did you mean 'lower'",
    ),
    "F13 cycle": (_cycle, "joint 'ba': this joint closes a cycle: a → b → a"),
    "F13 own parent": (lambda s: s.joint("x", "upper", "upper", "fixed"), "cannot be joined to itself"),
    "F13 two parents": (
        lambda s: s.joint("again", s.ground, "lower", "fixed"),
        "body 'lower' already hangs on joint 'elbow'",
    ),
    "F13 ground as a child": (lambda s: s.joint("x", "upper", "ground", "fixed"), "the ground cannot be a child"),
    "F19 negative mass": (lambda s: s.body("x", mass=-1), r"body 'x': the mass -1 is negative"),
    "F20 negative moment": (
        lambda s: s.body("x", mass=1, inertia=(1, 1, -1)),
        r"body 'x': the inertia is not positive: its principal moments are -1, 1, 1",
    ),
    "F20 triangle": (
        lambda s: s.body("x", mass=1, inertia=(1, 1, 3)),
        r"the largest exceeds the sum of the others.\n  The nearest possible inertia is xx 1.333333333, yy 1.3",
    ),
    "F20 not symmetric": (
        lambda s: s.body("x", mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]),
        "not a symmetric 3×3 matrix",
    ),
    "F09 duplicate body": (lambda s: s.body("upper", mass=1), "body 'upper': there is already a body, frame"),
    "F09 duplicate joint": (
        lambda s: s.joint("elbow", "lower", s.body("hand"), "fixed"),
        "joint 'elbow': there is already a joint of this name",
    ),
    "F09 duplicate coordinate": (
        lambda s: s.joint("j", "lower", s.body("hand"), ph.Revolute(), coordinates=["elbow"]),
        "the coordinate name 'elbow' is already taken",
    ),
    "F15 unknown joint type": (
        lambda s: s.joint("j", "lower", s.body("hand"), "revolut"),
        "there is no joint type 'revolut'.\n  Did you mean 'revolute'",
    ),
    "F17 zero axis": (lambda s: ph.Revolute((0, 0, 0)), "the axis has zero length"),
    "F07 not a finite number": (lambda s: s.body("x", mass=float("nan")), "nan is not a finite number"),
    "F08 four components": (lambda s: s.body("x", mass=1, com=(1, 2, 3, 4)), "has 3 components, not 4"),
    "empty name": (lambda s: s.body("  "), "a body needs a name"),
    "F11 endless name": (lambda s: s.body("x" * 10_000), "more than 128"),
    "rotation that is none": (
        lambda s: s.frame("f", "upper", rotation=[[0.7, -0.7, 0], [0.7, 0.7, 0], [0, 0, 1]]),
        "not orthogonal with determinant 1",
    ),
    "F33 potential of a speed": (
        lambda s: s.potential(s.joints["elbow"].u[0] ** 2),
        "cannot depend on the speed 'elbow'",
    ),
    "unknown formalism": (lambda s: s.derive("kanes"), "there is no formalism 'kanes'"),
    "unknown pass": (lambda s: s.derive("newton_euler", ["slyde"]), "there is no pass 'slyde'"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_model_is_one_sentence_with_its_place(mistake: str) -> None:
    make, sentence = MISTAKES[mistake]
    with pytest.raises(PolhodeError, match=sentence) as caught:
        make(_arm())
    assert caught.value.problems[0].code, "every message has a code"


def test_F14_a_body_that_hangs_on_nothing_is_named() -> None:
    system = _arm()
    system.body("stray", mass=1)
    refused("body 'stray' cannot be reached from the ground", system.derive, ModelError)


@pytest.mark.parametrize("formalism", ["poincare", "newton_euler", "composite_body", "articulated_body", "auto"])
def test_F19_a_massless_tip_makes_the_mass_matrix_singular_and_is_named(formalism: str) -> None:
    system = _arm()
    system.joint("wrist", "lower", system.body("hand"), ph.Revolute("x"), at=(0, 0, 1))
    refused("wrist", lambda: system.derive(formalism).forward_dynamics, ModelError)


def test_a_missing_parameter_value_is_named_at_run_time() -> None:
    system = ph.System("slider")
    m, k = system.parameter("m"), system.parameter("k", 2)
    system.joint("x", system.ground, system.body("block", mass=m), ph.Prismatic("x"))
    system.joint_spring("x", k)
    functions = system.derive().compile()
    with pytest.raises(ValueMissing, match="parameter 'm' of system 'slider' has no value"):
        functions.forward_dynamics([0.0], [0.0])
    assert functions.forward_dynamics([1.0], [0.0], parameters={"m": 4}) == pytest.approx([-0.5])
    with pytest.raises(PolhodeError, match=r"there is no parameter 'mm'\.\n  Did you mean 'm'"):
        functions.forward_dynamics([1.0], [0.0], parameters={"mm": 4})
    with pytest.raises(PolhodeError, match="'m' is not a finite number"):
        functions.forward_dynamics([1.0], [0.0], parameters={"m": float("inf")})


@pytest.mark.parametrize(("q", "u"), [
    ([0.1], [0.0, 0.0]), ([0.1, 0.2, 0.3], [0.0, 0.0]), (np.zeros((4, 2)), np.zeros((3, 2))), ("ab", [0, 0]),
])  # fmt: skip
def test_F47_a_wrong_shape_is_told_with_the_right_one(q: object, u: object) -> None:
    functions = _arm().derive().compile()
    refused("", lambda: functions.forward_dynamics(q, u, [0.0, 0.0]), ShapeError)  # type: ignore[arg-type]


def test_F11_names_that_no_language_allows_stay_out_of_every_language(tmp_path) -> None:  # type: ignore[no-untyped-def]
    wicked = ['*/ system("x"); /*', "a b", "lambda", "int", "in", "quote'\"", "new\nline", "../up", "ünï", "1st"]
    system = ph.System("wicked")
    parent = system.ground
    for name in wicked:
        body = system.body(name, mass=system.parameter(f"mass {name}", 1), com=(0.1, 0, 0), inertia=(1, 1, 1))
        system.joint(name, parent, body, ph.Revolute("y"), at=(1, 0, 0))
        parent = body
    equations = system.derive("newton_euler")
    assert equations.compile().inverse_dynamics(np.zeros(10), np.zeros(10), np.ones(10)).shape == (10,)
    for target in ("c", "fortran", "numpy"):
        for file in equations.export(target, tmp_path / target, "inverse_dynamics"):
            assert file.parent == tmp_path / target
            if file.suffix != ".json":
                text = file.read_text()
                assert 'system("x")' not in text and "ünï" not in text and "new\nline" not in text


def test_F27_symbols_may_clash_with_ours() -> None:
    def pendulum(*names: str) -> ph.System:
        system = ph.System()
        m, l = system.parameter(names[0], 2), system.parameter(names[1], 3)
        bob = system.body("bob", mass=m, com=(0, 0, -l))
        system.joint("hinge", system.ground, bob, ph.Revolute("y"), coordinates=[names[2]], speeds=[names[3]])
        return system

    plain = pendulum("m", "l", "q", "u").derive().compile()
    for names in (("t", "pi", "q0", "u"), ("E", "I", "lambda", "lambda"), ("q0", "x0", "t", "pi")):
        clash = pendulum(*names).derive().compile()
        np.testing.assert_array_equal(
            clash.forward_dynamics([0.3], [0.2], [1.0]), plain.forward_dynamics([0.3], [0.2], [1.0])
        )


def test_F36_a_system_without_freedom_has_empty_equations() -> None:
    empty, welded = ph.System("nothing"), ph.System("block")
    welded.joint("weld", welded.ground, welded.body("block", mass=1), "fixed")
    for system in (empty, welded):
        equations = system.derive()
        assert len(equations.q) == len(equations.u) == 0
        functions = equations.compile()
        assert functions.forward_dynamics([], []).shape == (0,) and functions.mass_matrix([]).shape == (0, 0)


def test_what_is_added_after_derivation_does_not_reach_the_equations() -> None:
    system = _arm()
    equations = system.derive()
    system.joint_force("elbow", 5)
    system.body("late", mass=1)
    assert equations.agrees_with(_arm().derive())


def test_a_misspelt_name_is_guessed_wherever_equations_are_asked() -> None:
    s = ph.System("arm")
    s.joint("shoulder", s.ground, s.body("upper", s.parameter("mass")), ph.Revolute("y"))
    equations = s.derive()
    for ask in (equations.pose, equations.jacobian):
        with pytest.raises(
            PolhodeError, match=r"no body or frame 'uper'(.|\n)*Did you mean 'upper'\?  \[E-DERIVE-NAME\]"
        ):
            ask("uper")
    with pytest.raises(PolhodeError, match=r"no parameter 'mas'(.|\n)*Did you mean 'mass'\?  \[E-VALUE-NAME\]"):
        equations.parameter_derivatives("bias", ["mas"])
