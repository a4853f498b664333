"""A unit of length in which offsets that occur often are one, so that nothing is multiplied by them.

Torques, angular speeds and second moments are what they were; masses and forces come in units of their own:

    p ← p/λ,    h ← λ h,    m ← λ² m,    f ← λ f,    gravity ← gravity/λ

and a speed along which something slides is counted in λ as well: u ← u/λ, τ ← λ τ.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ...expr import Vector, as_expr, rational_value
from ...geometry import Inertia, Pose
from ...geometry.twist import Twist, Wrench
from ...kinematics.prescribed import Drive
from ...kinematics.tree import BASE, Link, Tree

#: A length that is smaller than this part of the largest is no unit: it may be a trace of rounding.
_SMALL = Fraction(1, 1000)

#: Multiplications that an offset saves at least by being one, and that a sliding speed takes to be converted.
_SAVED, _CONVERTED = 5, 3


@dataclass(frozen=True)
class ScaledTree:
    """A tree with its lengths in a unit, and conversions of inputs and results between metres and that unit."""

    tree: Tree
    unit: Fraction
    slides: frozenset[int]

    def gravity(self, given: Sequence[Any]) -> Vector:
        return Vector(given) if self.unit == 1 else Vector([entry / as_expr(self.unit) for entry in given])

    def wrenches(self, given: Sequence[Wrench]) -> list[Wrench]:
        return list(given) if self.unit == 1 else [Wrench(n, f * self.unit) for n, f in given]

    def lengths(self, given: Sequence[Any]) -> list[Any]:
        """Speeds or accelerations: those along which something slides in the unit."""
        return [x / as_expr(self.unit) if k in self.slides else x for k, x in enumerate(given)]

    def forces(self, given: Sequence[Any]) -> list[Any]:
        """Efforts on speeds."""
        return [x * self.unit if k in self.slides else x for k, x in enumerate(given)]

    def in_metres(self, scaled: Sequence[Any]) -> list[Any]:
        """Speeds or accelerations, back from the unit."""
        return self.forces(scaled)


def scaled_tree(tree: Tree, sliding: bool = True) -> ScaledTree:
    """The tree in the unit that saves most, if any does; without `sliding` only if no speed has to be converted."""
    turns = {speed for link in tree.links for speed, (w, _) in zip(link.speeds, link.H, strict=True) if any(w)}
    slides = frozenset(range(len(tree.u))) - turns
    unit, saved = _commonest(tree)
    if saved <= _CONVERTED * len(slides) or (slides and not sliding) or tree.is_flexible:
        return ScaledTree(tree, Fraction(1), frozenset())
    return ScaledTree(_in_unit(tree, unit, slides), unit, slides)


def _commonest(tree: Tree) -> tuple[Fraction, int]:
    """The most frequent numeric offset, and its saving as a unit; equal offsets of siblings count once."""
    different = {
        (link.parent, k, abs(number))
        for link in tree.links
        if link.parent != BASE  # an offset from the ground costs nothing
        for k, number in enumerate(map(rational_value, link.fixed.p))
        if number
    }
    least = _SMALL * max((length for _, _, length in different), default=Fraction(1))
    counts = Counter(length for _, _, length in sorted(different) if length >= least)
    length, count = max(counts.items(), key=lambda item: item[1], default=(Fraction(1), 0))
    return (Fraction(1), 0) if counts[Fraction(1)] == count else (length, _SAVED * count)


def _in_unit(tree: Tree, unit: Fraction, slides: Collection[int]) -> Tree:
    return replace(
        tree,
        links=tuple(_link_in_unit(link, unit, slides) for link in tree.links),
        bodies={name: (i, _pose(X, unit)) for name, (i, X) in tree.bodies.items()},
        gravity=_shorter(tree.gravity, unit),
    )


def _link_in_unit(link: Link, unit: Fraction, slides: Collection[int]) -> Link:
    inertia, drive = link.inertia, link.drive
    columns = zip(link.speeds, link.H, strict=True)
    return replace(
        link,
        fixed=_pose(link.fixed, unit),
        motion=_pose(link.motion, unit),
        H=tuple(Twist(w, v if speed in slides else _shorter(v, unit)) for speed, (w, v) in columns),
        inertia=Inertia(inertia.m * unit * unit, inertia.h * unit, inertia.J),
        drive=drive and Drive(drive.w, _shorter(drive.v, unit), drive.alpha, _shorter(drive.a, unit)),
    )


def _pose(X: Pose, unit: Fraction) -> Pose:
    return Pose(X.R, _shorter(X.p, unit))


def _shorter(vector: Vector, unit: Fraction) -> Vector:
    return Vector([as_expr(entry) / unit for entry in vector])
