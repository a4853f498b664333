"""What may touch: geometric shapes on bodies, pairs of them, and pairs of bodies that do not touch."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr import Expr, Matrix, Vector
from ..fields import given
from .protocol import Equipment

_SHAPES = ("plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "sdf")


@dataclass(frozen=True, kw_only=True)
class Geom(Equipment):
    """A shape on a body, at `at` with the axes `rotation`, that may touch others; sizes are whole, as those of shapes.

    Two geoms of different bodies may touch where a type of one is among the affinities of the other, bit by bit.
    """

    table = "geoms"
    body: str = given("body")
    shape: str = given("word", choices=_SHAPES)
    size: tuple[Expr, ...] = given("number", (), many=True, unit="m")
    at: Vector = given("point", (0, 0, 0), of="body", unit="m")
    rotation: Matrix = given("rotation", None, of="body")
    file: str = given("label", "", doc="of a mesh")
    points: tuple[Expr, ...] = given("number", (), many=True, doc="of a mesh without a file: three coordinates each")
    friction: tuple[Expr, ...] = given(
        "number", (1, "0.005", "0.0001"), count=3, doc="sliding, spinning [m], rolling [m]"
    )
    restitution: Expr = given("number", 0)
    contype: Expr = given("number", 1)
    conaffinity: Expr = given("number", 1)
    dimension: Expr = given("number", 3, doc="1 without friction, 3 sliding, 4 spinning, 6 rolling")
    priority: Expr = given("number", 0)
    margin: Expr = given("number", 0, unit="m")
    gap: Expr = given("number", 0, unit="m")
    solref: tuple[Expr, ...] = given("number", ("0.02", 1), count=2, doc="MuJoCo's time constant and damping ratio")
    solimp: tuple[Expr, ...] = given("number", ("0.9", "0.95", "0.001", "0.5", 2), count=5, doc="MuJoCo's impedance")


@dataclass(frozen=True, kw_only=True)
class ContactPair(Equipment):
    """Two geoms that may touch whatever their types and affinities are."""

    table = "pairs"
    geoms: tuple[str, ...] = given("name", count=2)
    friction: tuple[Expr, ...] = given("number", (1, 1, "0.005", "0.0001", "0.0001"), count=5)
    dimension: Expr = given("number", 3)
    margin: Expr = given("number", 0, unit="m")
    gap: Expr = given("number", 0, unit="m")
    solref: tuple[Expr, ...] = given("number", ("0.02", 1), count=2)
    solimp: tuple[Expr, ...] = given("number", ("0.9", "0.95", "0.001", "0.5", 2), count=5)


@dataclass(frozen=True, kw_only=True)
class ContactExclusion(Equipment):
    """Two bodies whose geoms do not touch."""

    table = "excludes"
    bodies: tuple[str, ...] = given("frame", count=2)
