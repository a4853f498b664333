"""Linkages: one and many four-bars, and Bennett's in space."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...expr import Matrix
from ..body import rod
from ..joints import Revolute
from ..system import System


def n_four_bar(windows: int = 1) -> System:
    """N four-bars in a row, benchmark A02 of the IFToMM library: 2N + 1 rods of 1 m and 1 kg, one degree of freedom.

    At home the cranks stand upright. When they lie flat, the mechanism has N + 1 freedoms for a moment.

    >>> n_four_bar(2).derive().coordinates
    ['crank 0', 'coupler 0', 'crank 1', 'coupler 1', 'crank 2']
    """
    system = System(f"{windows} four-bars", gravity=(0, 0, "-9.81"))
    half = Fraction(1, 2)
    cranks = [system.body(f"crank {k}", 1, (0, 0, half), rod(1, 1)) for k in range(windows + 1)]
    for k, crank in enumerate(cranks):
        system.joint(f"crank {k}", system.ground, crank, Revolute("y"), at=(k, 0, 0))
    for k in range(windows):
        coupler = system.body(f"coupler {k}", 1, (half, 0, 0), rod(1, 1, "x"))
        system.joint(f"coupler {k}", cranks[k], coupler, Revolute("y"), at=(0, 0, 1))
        system.close(f"loop {k}", coupler, cranks[k + 1], "revolute", at_a=(1, 0, 0), at_b=(0, 0, 1), axis="y")
    return system


def four_bar(crank: Any = 1, coupler: Any = 2, rocker: Any = 2, base: Any = 2) -> System:
    """A crank, a coupler and a rocker, uniform rods of 1 kg in a vertical plane.

    >>> made = four_bar().derive().assemble({"crank": 0.3})
    >>> {name: round(end, 6) for name, (_, end) in made.moved.items()}
    {'coupler': 0.721213, 'rocker': 0.000503}
    """
    system = System("four-bar", gravity=(0, 0, "-9.81"))
    lengths = {"crank": crank, "coupler": coupler, "rocker": rocker}
    rods = {name: system.body(name, 1, (0, 0, Fraction(1, 2) * l), rod(1, l)) for name, l in lengths.items()}
    system.joint("crank", system.ground, rods["crank"], Revolute("y"))
    system.joint("coupler", rods["crank"], rods["coupler"], Revolute("y"), at=(0, 0, crank))
    system.joint("rocker", system.ground, rods["rocker"], Revolute("y"), at=(base, 0, 0))
    system.close(
        "pin", rods["coupler"], rods["rocker"], "revolute", at_a=(0, 0, coupler), at_b=(0, 0, rocker), axis="y"
    )
    return system


def bennett() -> System:
    """Bennett's linkage: four hinges in space, opposite bars alike, sin α / a = sin β / b.

    Five conditions on three hinges leave nothing to most linkages; to this one they leave a degree of freedom.

    >>> bennett().derive().assemble({"hinge 1": 1.0}).freedom.degrees
    1
    """
    system = System("Bennett's linkage", gravity=(0, 0, "-9.81"))
    short, long = (Fraction(1), Fraction(3, 5)), (Fraction(4, 3), Fraction(4, 5))  # length, sine of the twist
    carrier: Any = system.ground
    at: tuple[Any, ...] = (0, 0, 0)
    turn: Matrix | None = None
    for k, (length, sine) in enumerate((short, long, short), start=1):
        body = system.body(f"bar {k}", 1, (length / 2, 0, 0), (1, 1, 1))
        system.joint(f"hinge {k}", carrier, body, Revolute("z"), at=at, rotation=turn)
        carrier, at, turn = body, (length, 0, 0), _twist(sine)
    system.close(
        "hinge 4", carrier, system.ground, "revolute", at_a=at, rotation_a=turn, at_b=(-long[0], 0, 0),
        rotation_b=_twist(long[1]).T, axis="z",
    )  # fmt: skip
    return system


def _twist(sine: Fraction) -> Matrix:
    """A turn about x whose sine and cosine are rational."""
    cosine = Fraction(7, 5) - sine  # 3/5 and 4/5
    return Matrix([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
