"""Mechanisms whose every number is a symbol: twelve for each link (mass, centre, inertia, offset), and gravity."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import polhode as ph

#: The axes of a common industrial arm.
ARM_AXES = "zyyzyz"


def chain(count: int, tag: str = "", axes: str = ARM_AXES) -> ph.System:
    """Revolute joints in a row."""
    return symbolic([place - 1 for place in range(count)], tag, axes)


def binary_tree(count: int, tag: str = "") -> ph.System:
    """Each body carries two, on revolute joints about x, y and z in turn."""
    return symbolic([(place + 1) // 2 - 1 for place in range(count)], tag, "xyz")


def symbolic(parents: Sequence[int], tag: str, axes: str) -> ph.System:
    """A tree of revolute joints; `parents` has -1 for the ground.

    The tag is part of every name. A graph made under one tag shares no symbol with another's, so that nothing is found
    ready made.

    >>> arm = chain(6)
    >>> len(arm.parameters), len(arm.derive().u)
    (73, 6)
    """
    dice = random.Random(6)
    system = ph.System(f"tree{tag}", gravity=(0, 0, -ph.symbol(f"g{tag}", "parameter")))
    system.parameter(f"g{tag}", Fraction(981, 100))
    bodies: list[ph.Body] = []
    for place, parent in enumerate(parents):
        name = f"{place + 1}{tag}"

        def number(letter: str, low: float, high: float, name: str = name) -> ph.Expr:
            return system.parameter(f"{letter}{name}", Fraction(round(dice.uniform(low, high) * 1000), 1000))

        mass = number("m", 1, 3)
        com = [number(f"c{axis}_", -0.2, 0.2) for axis in "xyz"]
        xx, yy, zz = (number(f"I{axis}{axis}_", 0.2, 0.3) for axis in "xyz")
        xy, yz, zx = (number(f"I{pair}_", -0.05, 0.05) for pair in ("xy", "yz", "zx"))
        body = system.body(f"link{name}", mass, com, [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
        at = (number("a", 0.1, 0.5), 0, number("d", 0.1, 0.5))
        carrier = system.ground if parent < 0 else bodies[parent]
        joint = ph.Revolute(axes[place % len(axes)])
        system.joint(f"j{name}", carrier, body, joint, at=at, coordinates=[f"q{name}"], speeds=[f"u{name}"])
        bodies.append(body)
    return system
