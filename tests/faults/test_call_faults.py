"""F47 and F50: what is handed to a call and is of the wrong type, or nonsense, is refused with one clear sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from tests.refusals import refused

import polhode as ph
from polhode.formats.dh import from_dh
from polhode.simulate import Trajectory

NAN = float("nan")
EYE = ph.Matrix.identity(2)
M = sympy.Symbol("m")


@pytest.fixture
def s() -> ph.System:
    system = ph.System("arm")
    arm = system.body("arm", mass=1, com=(0, 0, 1), inertia=(1, 1, 1))
    system.joint("hinge", system.ground, arm, ph.Revolute("y"))
    system.body("loose", mass=1)
    return system


Call = Callable[[ph.System], Any]

#: What is called, and what the sentence names: the place, or the value that is wrong.
WRONG_TYPES: list[tuple[Call, str]] = [
    (lambda s: ph.System("s", gravity=5), "system 's' gravity: 5"),
    (lambda s: ph.System("s", gravity=None), "system 's' gravity: None"),
    (lambda s: ph.System(5), "a system needs a name, not 5"),
    (lambda s: s.parameter("m", [1]), "parameter 'm'"),
    (lambda s: s.parameter("m", 1, unit=5), "a unit is a text, not 5"),
    (lambda s: s.parameter(None), "a parameter needs a name"),
    (lambda s: s.body("b", com=5), "body 'b' com: 5 is not a vector"),
    (lambda s: s.body("b", com=(1, None, 2)), "body 'b' com: None"),
    (lambda s: s.body("b", com="123"), "body 'b' com: '123' is not a vector"),
    (lambda s: s.body("b", com=b"123"), "body 'b' com: b'123' is not a vector"),
    (lambda s: ph.System("s", gravity="123"), "system 's' gravity: '123' is not an acceleration"),
    (lambda s: s.frame("f", "arm", at="123"), "frame 'f' position: '123' is not a vector"),
    (lambda s: from_dh([{"a": 1, "mass": 1, "com": "123"}]), "com: '123' is not a vector"),
    (lambda s: s.body("b", mass=None), "body 'b' mass: None"),
    (lambda s: s.body("b", inertia=object), "body 'b' inertia"),
    (lambda s: s.body("b", inertia=[[1, 2], 3, 4]), "body 'b' inertia"),
    (lambda s: s.body("b", shapes=5), "body 'b' shapes: 5"),
    (lambda s: s.body("b", shapes=["box"]), "body 'b' shapes: 'box' is not a shape"),
    (lambda s: s.body("b", check=np.zeros(2)), "body check"),
    (lambda s: s.body("b", check="no"), "body check: 'no' is not True or False"),
    (lambda s: s.body("b", check=0), "body check: 0 is not True or False"),
    (lambda s: s.frame("f", "arm", rotation=5), "frame 'f' rotation: 5 is not a rotation"),
    (lambda s: s.frame("f", "arm", rotation=[("z",)]), "frame 'f' rotation"),
    (lambda s: s.frame("f", None), "frame 'f': there is no body 'None'"),
    (lambda s: s.frame("f", "arm", at=7), "frame 'f' position: 7"),
    (lambda s: ph.Revolute(None), "None is not an axis"),
    (lambda s: ph.Revolute(5), "5 is not an axis"),
    (lambda s: ph.Revolute(b"001"), "b'001' is not an axis"),
    (lambda s: ph.Shape("box", "123"), "shape 'box': '123' is not a list of sizes"),
    (lambda s: ph.Screw("z", pitch=None), "screw joint"),
    (lambda s: ph.Spherical([1]), "orientation cannot be stored as [1]"),
    (lambda s: ph.Free(np.eye(3)), "orientation cannot be stored as array"),
    (lambda s: ph.Planar(normal=object()), "is not an axis"),
    (lambda s: ph.Compound("revolute"), "compound joint: 'revolute' is not a joint type"),
    (lambda s: ph.JointMap(5), "joint map: 5"),
    (lambda s: ph.JointMap(np.eye(6)[:, :1], groups="x"), "groups of a joint map: 'x'"),
    (lambda s: ph.BuildingBlock(rotations=None), "building block: None"),
    (lambda s: ph.BuildingBlock(translations=5), "building block: 5"),
    (lambda s: ph.rotation(5), "5 is not a turn"),
    (lambda s: s.joint("j", s.ground, "loose", [1]), "there is no joint type [1]"),
    (lambda s: s.joint("j", s.ground, "loose", "revolute", coordinates=5), "joint 'j' coordinates: 5"),
    (lambda s: s.joint("j", s.ground, "loose", "revolute", coordinates="x"), "joint 'j' coordinates: 'x'"),
    (lambda s: s.joint("j", s.ground, "loose", "revolute", speeds=[5]), "needs a name, not 5"),
    (lambda s: s.pose("p", 5), "pose 'p' coordinates: 5"),
    (lambda s: s.pose("p", {"hinge": "x"}), "pose 'p' coordinates 'hinge': 'x' is not a number"),
    (lambda s: s.pose("p", {"hinge": NAN}), "pose 'p' coordinates 'hinge': nan"),
    (lambda s: s.pose("p", {}, 5), "pose 'p' speeds: 5"),
    (lambda s: s.joint_force("hinge", 1, "x"), "joint force on 'hinge': 'x' is not a whole number"),
    (lambda s: s.joint_force("hinge", None), "joint force on 'hinge': None"),
    (lambda s: s.joint_force(5, 1), "there is no joint '5'"),
    (lambda s: s.joint_spring("hinge", 1, index=None), "joint spring on 'hinge': None"),
    (lambda s: s.force("arm", 5), "force: 5 is not a vector"),
    (lambda s: s.force("arm", (1, 2, 3), name=5), "a force needs a name, not 5"),
    (lambda s: s.force("arm", (1, 2, 3), frame=5), "there is no frame or body '5'"),
    (lambda s: s.line_force("arm", s.ground, 5), "line force: 5 is not a function of 2 arguments"),
    (lambda s: s.line_force("arm", s.ground, lambda x: x), "is not a function of 2 arguments"),
    (lambda s: s.gravity_field(5), "gravity field: 5 is not a function"),
    (lambda s: s.gravity_field(lambda p: 5), "gravity field: 5 is not a vector"),
    (lambda s: s.potential("energy"), "potential: 'energy'"),
    (lambda s: s.couple("hinge", "hinge", [1]), "coupling"),
    (lambda s: s.prescribe("hinge", None), "prescribed motion of 'hinge': None"),
    (lambda s: s.prescribe("hinge", 1, "x"), "prescribed motion of 'hinge': 'x'"),
    (lambda s: s.constrain(None), "None"),
    (lambda s: s.constrain(5, 1), "a constraint needs a name, not 5"),
    (lambda s: s.roll_wheel("w", "arm", None), "wheel 'w': None"),
    (lambda s: s.roll_disc("d", "arm", 1, 5), "disc 'd'"),
    (lambda s: s.roll_disc("d", "arm", 1, lambda x: None), "disc 'd': None"),
    (lambda s: s.no_slip("n", "arm", directions=5), "no slip 'n': 5"),
    (lambda s: s.derive(passes=5), "derive passes: 5"),
    (lambda s: s.derive(passes="abc"), "derive passes: 'abc' is not a list of passes"),
    (lambda s: s.derive(passes=["zz"]), "there is no pass 'zz'"),
    (lambda s: s.derive(passes=[[1]]), "there is no pass [1]"),
    (lambda s: from_dh([None]), "row 1"),
    (lambda s: from_dh(5), "Denavit–Hartenberg table: 5"),
    (lambda s: from_dh([(0, 0, 1, 0)], [1]), "there is no convention [1]"),
    (lambda s: from_dh([(0, 0, 1, 0, [1])]), "there is no joint [1]"),
    (lambda s: ph.load(5), "5 is not a path"),
    (lambda s: ph.load_urdf("x.urdf", limits=5), "limits: 5"),
    (lambda s: s.joint("j", "arm", "loose", "revolute", limits=5), "joint 'j' limits: 5 is not a pair of limits"),
    (lambda s: s.joint("j", "arm", "loose", "revolute", speed_limits=[[1, 2, 3]]), "joint 'j' speed_limits: [1, 2, 3]"),
    (lambda s: s.joint("j", "arm", "loose", "revolute", effort_limits="much"), "joint 'j' effort_limits: 'much'"),
    (lambda s: s.joint("j", "arm", "loose", "revolute", effort_limits=NAN), "joint 'j' effort_limits: nan"),
    (lambda s: s.joint("j", "arm", "loose", "revolute", effort_limits={"j": 5}), "joint 'j' effort_limits"),
    (lambda s: s.joint("j", "arm", "loose", effort_limits=5), "joint 'j' effort_limits: effort limits for a joint"),
    (lambda s: ph.load_urdf("x.urdf", base=[1]), "base=[1] is not a choice"),
    (lambda s: ph.load_mjcf("x.xml", ignore=5), "ignore: 5"),
    (lambda s: Trajectory.from_csv(5), "5 is not a path"),
    (lambda s: s.body("arm2").axis("x"), "axis: 'x'"),
    (lambda s: s.body("arm2").origin.velocity(5), "there is no body or frame '5'"),
    (lambda s: ph.symbol(5), "a symbol is named by a text"),
    (lambda s: ph.from_sympy(M, ["m"]), "from_sympy symbols: ['m'] is not a mapping from names to symbols"),
    (lambda s: ph.from_sympy(M, 5), "from_sympy symbols: 5 is not a mapping from names to symbols"),
    (lambda s: ph.from_sympy(M, [1]), "from_sympy symbols: [1] is not a mapping from names to symbols"),
    (lambda s: ph.from_sympy(M, {"m": "zzz"}), "from_sympy symbols 'm': 'zzz' is not a number or an expression"),
    (lambda s: ph.Matrix(5), "5 is not a matrix"),
    (lambda s: ph.Matrix("12"), "'12' is not a matrix"),
    (lambda s: ph.Matrix(["123", "456", "789"]), "['123', '456', '789'] is not a matrix"),
    (lambda s: ph.Matrix([b"12", b"34"]), "is not a matrix"),
    (lambda s: ph.Matrix.identity("a"), "'a' is not a size"),
    (lambda s: EYE @ 5, "cannot multiply a matrix of 2 rows and 2 columns by 5"),
    (lambda s: EYE @ "ab", "cannot multiply a matrix of 2 rows and 2 columns by 'ab'"),
    (lambda s: EYE @ ["a", "b"], "cannot multiply a matrix of 2 rows and 2 columns by ['a', 'b']"),
    (lambda s: EYE * "a", "cannot multiply a vector of 2 components by 'a'"),
    (lambda s: EYE / "a", "cannot divide a vector of 2 components by 'a'"),
    (lambda s: EYE + 5, "cannot add 5 to a matrix of 2 rows and 2 columns"),
    (lambda s: EYE + ph.Matrix([[1, 2]]), "cannot add Matrix([[1, 2]]) to a matrix of 2 rows and 2 columns"),
    (lambda s: EYE + ph.Matrix.identity(3), "cannot add Vector([1, 0, 0]) to a vector of 2 components"),
    (lambda s: EYE - "ab", "cannot subtract 'a' from a vector of 2 components"),
    (lambda s: ph.Vector([1, "2", 3]) * 2, "cannot multiply a vector of 3 components by 2"),
    (lambda s: ph.Vector([1, "2", 3]) + ph.Vector([1, 2, 3]), "cannot add"),
    (lambda s: ph.Vector([1, 2, 3]) + 5, "cannot add 5 to a vector of 3 components"),
    (lambda s: ph.Vector([1, 2, 3]) - 5, "cannot subtract 5 from a vector of 3 components"),
    (lambda s: ph.Vector([1, 2, 3]).dot(5), "cannot multiply a vector of 3 components by 5"),
    (lambda s: ph.Vector([1, 2, 3]).dot("abc"), "cannot multiply a vector of 3 components by 'abc'"),
    (lambda s: ph.Vector([1, 2, 3]).cross(5), "cannot cross a vector of 3 components with 5"),
    (lambda s: ph.table([0, 1], [0, 1], kind=[1]), "there is no kind [1]"),
]


@pytest.mark.parametrize(("call", "said"), WRONG_TYPES, ids=[said for _, said in WRONG_TYPES])
def test_f47_a_wrong_type_is_told_with_its_place(s: ph.System, call: Call, said: str) -> None:
    with pytest.raises(ph.PolhodeError) as told:
        call(s)
    assert said in str(told.value) and all(problem.code for problem in told.value.problems)


def test_f47_a_call_that_was_refused_leaves_the_system_as_it_was(s: ph.System) -> None:
    before, spellings = s.model(), dict(s.spellings)
    for call, _ in WRONG_TYPES:
        with pytest.raises(ph.PolhodeError):
            call(s)
        assert s.model() is before or list(s.bodies)[-1] == "arm2"  # made on purpose, to ask something wrong of it
        s = s if s.model() is before else ph.System.of(before)
        before = s.model()
    assert s.spellings == spellings


@pytest.mark.parametrize("function", ["forward_dynamics", "mass_matrix", "energy"])
def test_f47_an_option_that_no_function_has_is_refused(function: str) -> None:
    system = ph.System("bead")
    system.joint("x", system.ground, system.body("bead", mass=3), ph.Prismatic("x"))
    compiled = system.derive().compile(cache=False, backend="numpy")
    state = [[0.0]] if function == "mass_matrix" else [[0.0], [0.0]]
    refused("Did you mean 'parameters'", lambda: getattr(compiled, function)(*state, parameter={}))


def test_what_a_users_own_function_raises_is_the_users_to_see(s: ph.System) -> None:
    refused("", lambda: s.gravity_field(lambda position: 1 / 0), ZeroDivisionError)


@pytest.mark.parametrize("radius", [0, -1, "-0.5", ph.sqrt(2) - 2])
def test_f50_a_wheel_or_ball_has_a_positive_radius(s: ph.System, radius: Any) -> None:
    for roll in (s.roll_wheel, s.roll_ball):
        with pytest.raises(ph.PolhodeError, match="is not positive"):
            roll("rolls", "arm", radius)
    s.roll_ball("inside", "arm", 1, other_radius=-3)  # in a hollow ball


@pytest.mark.parametrize("size", [(-1,), (1, 1, -1), (NAN,), (float("inf"),), 5, ("x",)])
def test_f50_a_shape_has_sizes_that_a_thing_can_have(size: Any) -> None:
    refused("shape 'sphere'", lambda: ph.Shape("sphere", size))


def test_f50_masses_that_are_negative_by_a_parameter_are_refused() -> None:
    s = ph.System("s")
    m = s.parameter("m", -2)
    refused(r"body 'b': the mass -1 \(with m = -2\) is negative", lambda: s.body("b", mass=m + 1))
    assert s.body("c", mass=m + 3).name == "c" and s.body("d", mass=m, check=False).name == "d"
    s = ph.System("s")
    s.joint("x", s.ground, s.body("b", mass=s.parameter("m", 2)), ph.Prismatic("x"))
    with pytest.raises(ph.PolhodeError, match=r"body 'b': the mass -1 \(with m = -1\) is negative"):
        s.derive().simulate(0.1, parameters={"m": -1})
    batch = s.derive().simulate(0.1, parameters={"m": [1, -1]})
    assert list(batch.status) == ["done", "refused"]
    assert "the mass -1 (with m = -1) is negative" in batch.messages[1]


def test_f47_a_pose_to_diagnose_at_is_a_mapping() -> None:
    s = ph.System("s")
    s.joint("x", s.ground, s.body("b", mass=1), ph.Prismatic("x"))
    refused("diagnose: 5 is not a mapping", lambda: s.diagnose(5))


def test_f47_what_sympy_cannot_hold_is_told() -> None:
    with pytest.raises(ph.PolhodeError, match="SymPy cannot hold the expression"):
        ph.to_sympy(ph.maximum(ph.symbol("x") * 0 + 2, ph.acos(ph.symbol("x") * 0 + 100)))


@pytest.mark.parametrize("options", [{"frame": [1]}, {"at": [1]}, {"on": np.zeros(2)}])
def test_f47_a_reaction_is_asked_for_by_names(options: dict[str, Any]) -> None:
    s = ph.System("hung")
    s.joint("hook", s.ground, s.body("weight", 2, com=(0, 0, -1)))
    refused("", lambda: s.derive().reaction("hook", **options))


def test_f47_a_result_is_asked_for_by_its_name(s: ph.System) -> None:
    s.joint("weld", "arm", "loose")
    refused("there is no result", lambda: s.derive().latex(np.zeros(3)))
