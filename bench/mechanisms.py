"""The table of mechanisms: symbolic trees, robots of the example-robot-data wheel, pendulums, chains and beams."""

import random
import re
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import count
from operator import attrgetter
from pathlib import Path
from typing import Any

import polhode as ph
from polhode.codegen.plan import plan
from polhode.papers.silver.counts import hinged_arm

from .harness import Measure, seconds_of

#: The axes of a common industrial arm.
ARM_AXES = "zyyzyz"
MODELS = Path(__file__).parents[1] / "models"
_FRESH = count(1)


def chain(size: int, tag: str = "", axes: str = ARM_AXES) -> ph.System:
    """Revolute joints in a row."""
    return symbolic([index - 1 for index in range(size)], tag, axes)


def binary_tree(size: int, tag: str = "") -> ph.System:
    """Each body carries two, on revolute joints about x, y and z in turn."""
    return symbolic([(index + 1) // 2 - 1 for index in range(size)], tag, "xyz")


def symbolic(parents: Sequence[int], tag: str, axes: str) -> ph.System:
    """A tree of revolute joints, all numbers symbols; `parents` has -1 for the ground, the tag is part of every name.

    >>> arm = chain(6)
    >>> len(arm.parameters), len(arm.derive().u)
    (73, 6)
    """
    rng, system = random.Random(6), ph.System(f"tree{tag}", gravity=(0, 0, -ph.symbol(f"g{tag}", "parameter")))
    system.parameter(f"g{tag}", Fraction(981, 100))
    bodies: list[ph.Body] = []

    def number(letter: str, low: float, high: float) -> ph.Expr:
        return system.parameter(f"{letter}{name}", Fraction(round(rng.uniform(low, high) * 1000), 1000))

    for index, parent in enumerate(parents):
        name = f"{index + 1}{tag}"
        mass = number("m", 1, 3)
        com = [number(f"c{axis}_", -0.2, 0.2) for axis in "xyz"]
        xx, yy, zz = (number(f"I{axis}{axis}_", 0.2, 0.3) for axis in "xyz")
        xy, yz, zx = (number(f"I{pair}_", -0.05, 0.05) for pair in ("xy", "yz", "zx"))
        body = system.body(f"link{name}", mass, com, [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
        at = (number("a", 0.1, 0.5), 0, number("d", 0.1, 0.5))
        carrier = system.ground if parent < 0 else bodies[parent]
        joint = ph.Revolute(axes[index % len(axes)])
        system.joint(f"j{name}", carrier, body, joint, at=at, coordinates=[f"q{name}"], speeds=[f"u{name}"])
        bodies.append(body)
    return system


def satellite(tag: str = "") -> ph.System:
    """The satellite of Sayers' paper, with names that carry a tag."""
    from polhode.formats import loads_yaml

    text = (MODELS / "satellite.yaml").read_text(encoding="utf-8")
    return loads_yaml(re.sub(r"\b([MIk]_\w+|L\d|q\d+|u\d+)\b", rf"\g<1>{tag}", text))


def puma_560() -> ph.System:
    """Right angles, four lengths and a wrist whose axes meet; every mass, centre and inertia a symbol."""
    turn = ph.pi / 2
    table = [(0, 0, 0), (-turn, 0, 0), (0, "a2", "d3"), (-turn, "a3", "d4"), (turn, 0, 0), (-turn, 0, 0)]
    return hinged_arm("PUMA 560", table, products_of_inertia=True)


def derivation(make: Callable[[str], ph.System], formalism: str, *results: str) -> Measure:
    """Measures the seconds to derive some results of a system that is built under names never used before."""
    systems = (make(f"_{number}") for number in _FRESH)
    return lambda: seconds_of(partial(lambda system: attrgetter(*results)(system.derive(formalism)), next(systems)))


def operations(equations: ph.Equations) -> int:
    """Operations of M and bias in one program, set-up included."""
    size = len(equations.u)
    mass_matrix = "mass_matrix", (size, size), list(equations.mass_matrix.entries())
    parameters = [parameter.symbol for parameter in equations.system.parameters.values()]
    arrays = [("q", list(equations.q)), ("u", list(equations.u))]
    program = plan("mass_and_bias", arrays, [mass_matrix, ("bias", (size,), list(equations.bias))], parameters)
    return len(program.setup) + len(program.run)


@dataclass(frozen=True)
class Robot:
    """A file of the wheel, its base, and the joints that are locked."""

    name: str
    file: str
    base: str = "fixed"
    locked: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots" / self.file

    def system(self) -> ph.System:
        return ph.load(self.path, base=self.base, locked=self.locked)

    def floating(self) -> "Robot":
        return replace(self, name=f"floating {self.name}", base="floating")


UR5 = Robot("ur5", "ur_description/urdf/ur5_robot.urdf")
PANDA = Robot("panda", "panda_description/urdf/panda.urdf", locked=("panda_finger_joint1", "panda_finger_joint2"))
SOLO12 = Robot("solo12", "solo_description/robots/solo12.urdf", "floating")
ANYMAL = Robot("anymal", "anymal_b_simple_description/robots/anymal.urdf", "floating")
TALOS = Robot("talos", "talos_data/robots/talos_reduced.urdf", "floating")
WHOLE_TALOS = Robot("talos, all of it", "talos_data/robots/talos_full_v2.urdf", "floating")
CASSIE = Robot("cassie", "cassie_description/robots/cassie_v2.sdf")
ARMS, WALKERS = (UR5, PANDA), (SOLO12, ANYMAL, TALOS)


def pendulum() -> ph.System:
    """A point mass on a rod."""
    system = ph.System("pendulum")
    system.joint("hinge", system.ground, system.body("bob", 1, (0, 0, -1)), ph.Revolute("y"))
    return system


def bars(name: str, size: int, length: Fraction) -> ph.System:
    """Thin bars of one kilogram a metre, hung end to end on hinges q1, q2 … about y."""
    system = ph.System(name)
    carrier: Any = system.ground
    across = length**3 / 12
    for index in range(size):
        body = system.body(f"bar {index + 1}", length, (0, 0, -length / 2), (across, across, across / 50))
        system.joint(f"q{index + 1}", carrier, body, ph.Revolute("y"), at=(0, 0, -length if index else 0))
        carrier = body
    return system


double_pendulum = partial(bars, "double pendulum", 2, Fraction(1))


def stiff_chain() -> ph.System:
    """Six bars end to end; all joints but the first are stiff and damped, so that rates reach from 1/s to 1e6/s."""
    system = bars("stiff chain", 6, Fraction(1, 2))
    for index in range(2, 7):
        system.joint_spring(f"q{index}", stiffness=20_000, damping=200)
    return system


def t_handle() -> ph.System:
    """A bar across and a stem, floating; moments of inertia as those of the gallery's, spun about the middle one."""
    system = ph.System("T-handle", gravity=(0, 0, 0))
    handle = system.body("handle", "0.17", (0, 0, 0), ("1.2e-4", "4.2e-5", "1.5e-4"))
    system.joint("flight", system.ground, handle, ph.Free())
    return system


def equivalent_pendulum(windows: int) -> ph.System:
    """The pendulum that N four-bars are: N + 1 cranks turn by one angle, and N couplers move as their ends do.

    Its moment of inertia is (N + 1)/3 + N and the moment of its mass (N + 1)/2 + N, here with the mass at half a metre.
    """
    system = ph.System(f"pendulum of {windows} four-bars", gravity=(0, 0, "-9.81"))
    about_centre = Fraction(7 * windows + 1, 12)
    crank = system.body("crank", 3 * windows + 1, (0, 0, Fraction(1, 2)), (about_centre, about_centre, about_centre))
    system.joint("crank", system.ground, crank, ph.Revolute("y"))
    return system
