"""The Beam: what a user says of a uniform straight beam, read and checked, and the stations that were asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypedDict

from ...errors import shown
from ...expr import Expr, as_expr, constant_ratio
from ..field_values import completed, field_value
from ..fields import GivenFields, given
from ..reading import unknown
from .beam_fields import BeamFields
from .deformation import Deformation, check_positive, is_list, refused
from .shapes import HELD

AXES = ("x", "y", "z", "-x", "-y", "-z")
FRAMES = ("tangent", "chord", "mean")
_SYNONYMS = {"supported": "pinned", "guided": "sliding"}
MODE_LIMIT = 40


class BeamOptions(TypedDict, total=False):
    """What may be given of a beam beside its length, mass, stiffness, modes, axis and ends; see `Beam`."""

    bending: str
    EA: Any
    GJ: Any
    GA: Any
    gyration: Any
    damping: Any
    rayleigh: Any
    stiffening: bool
    frame: str
    load_shapes: int


@dataclass(frozen=True, kw_only=True)
class Beam:
    """A uniform straight beam as it was given; all that it comes to is in `deformation`.

    `modes` is a number for each deformation, or a mapping from "x", "y", "z" (the direction of bending), "axial" and
    "torsion". `values` are those of parameters, `stations` names, x/L, and whether they have static shapes.
    """

    fields = GivenFields()

    name: str
    length: Expr = given("number", unit="m")
    mass: Expr = given("number", unit="kg")
    EI: tuple[Expr, ...] = given("number", (), many=True, alone=True, unit="N·m²", doc="about the axes across, or one")
    axis: str = given("word", "x", choices=AXES)
    bending: str = given("word", "z", choices=AXES[:3], doc="the direction that one EI bends in; of a beam along z, x")
    ends: tuple[str, ...] = given("word", ("clamped", "free"), count=2, choices=tuple(HELD))
    EA: Expr | None = given("number", None, unit="N")
    GJ: Expr | None = given("number", None, unit="N·m²")
    GA: Expr | None = given("number", None, unit="N", doc="shear stiffness with its factor: a Timoshenko beam")
    gyration: tuple[Expr, ...] = given("number", (), many=True, alone=True, unit="m", doc="of the sections, or both")
    damping: tuple[Expr, ...] = given("number", (0,), many=True, alone=True, doc="ratio of each coordinate, or of all")
    rayleigh: tuple[Expr, ...] | None = given("number", None, count=2, doc="of mass (1/s) and stiffness (s)")
    stiffening: bool = given("flag", False, doc="whether bending draws the beam back along its axis")
    frame: str = given("word", "tangent", choices=FRAMES)
    load_shapes: int = given("count", 0, doc="static shapes under the distributed loads 1, x, x², …")
    modes: Any = 3
    values: Mapping[str, Any]
    stations: tuple[tuple[str, Fraction, bool], ...] = ()

    @property
    def place(self) -> str:
        """How messages call it."""
        return f"beam '{self.name}'"

    @property
    def across(self) -> tuple[str, str]:
        """The letters of the two directions across."""
        first, second = (letter for letter in AXES[:3] if letter != self.axis[-1])
        return first, second

    @property
    def stiffnesses(self) -> dict[str, Expr]:
        """The stiffness of each deformation; a pair of EI is about the axes across, and so bends along the other."""
        bending = "x" if self.axis[-1] == self.bending == "z" else self.bending
        bent = dict(zip(self.across if len(self.EI) == 2 else (bending,), reversed(self.EI), strict=False))
        rods = {"axial": self.EA, "torsion": self.GJ}
        return bent | {kind: value for kind, value in rods.items() if value is not None}

    @property
    def counts(self) -> dict[str, int]:
        """The number of normal modes of each deformation."""
        return dict(self.modes) if isinstance(self.modes, Mapping) else dict.fromkeys(self.stiffnesses, self.modes)

    def with_station(self, at: Any, static: bool) -> tuple[Beam, str]:
        """The beam with a station at x, and its name; x = 0 is the inboard section, which has no name of its own."""
        x = as_expr(at)
        share, L = x / self.length, shown(self.length)
        near = Fraction(share.data).limit_denominator(10**6) if share.is_number else None
        if near is not None and share != near and abs(near - Fraction(share.data)) < Fraction(1, 10**12):
            share, x = as_expr(near), near * self.length  # of a float, such as 1 / 3
        ratio = constant_ratio(share)
        if ratio is None:
            message = f"the station {shown(x)} is not a fixed fraction of the length {L}."
            raise refused(message, self.place, "Give a rational multiple of it, as at(length / 2).", "E-FLEX-006")
        if not 0 <= ratio <= 1:
            message = f"the station {shown(x)} is off the beam, which goes from 0 to {L}."
            raise refused(message, self.place, "Give a station from 0 to the length.", "E-FLEX-007")
        if not ratio:
            return self, ""
        there = next((each for each in self.stations if each[1] == ratio), None)
        name = there[0] if there else f"{self.name} at {x}"
        if there and (there[2] or not static):
            return self, name
        kept = tuple(each for each in self.stations if each is not there)
        return replace(self, stations=(*kept, (name, ratio, static))), name

    def deformation(self) -> Deformation:
        """Its coordinates, moments, stiffness and sections."""
        return BeamFields(self).deformation()


def beam_of(values: Mapping[str, Any], name: str, written: Mapping[str, Any]) -> Beam:
    """The record of a beam from what a user wrote, each value checked; `values` are those of the parameters."""
    place = f"beam '{name}'"
    stated = {key: value for key, value in written.items() if key != "modes" and value is not None}
    entries = completed(Beam.fields, stated, place)
    _check_count("load_shapes", entries["load_shapes"], 0, place)
    for key in ("EI", "gyration", "damping"):
        entries[key] = entries[key] if is_list(entries[key]) else (entries[key],)
    if is_list(entries["ends"]):
        entries["ends"] = [_SYNONYMS.get(each, each) if isinstance(each, str) else each for each in entries["ends"]]
    fields = {each.name: field_value(each, entries[each.name], place) for each in Beam.fields}
    fields["gyration"] *= 2 if len(fields["gyration"]) == 1 else 1
    beam = Beam(name=name, values=values, modes=written["modes"], **fields)
    _check(beam)
    return beam


def _check_count(what: str, count: Any, least: int, place: str) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= MODE_LIMIT:
        message = f"the number of {what} {shown(count)} is not a whole number from {least} to {MODE_LIMIT}."
        raise refused(message, place, f"Give for example {what}=3.", "E-FLEX-014")


def _check(beam: Beam) -> None:
    """Refuse what no beam has."""
    place, kinds = beam.place, beam.stiffnesses
    if not kinds or (beam.GA is not None and not beam.EI):
        raise refused("its stiffness EI is missing.", place, "Give EI=…, or (EIy, EIz) for both planes.", "E-FLEX-010")
    if len(beam.EI) > 2 or len(beam.gyration) > 2:
        raise refused(
            "EI and gyration have one entry or two.", place, "Give one, or one for each axis across.", "E-FLEX-025"
        )
    if len(beam.EI) == 1 and beam.bending == beam.axis[-1] != "z":
        raise refused(f"it cannot bend along its axis {beam.axis}.", place, "Give bending= across it.", "E-FLEX-013")
    if beam.GJ is not None and not beam.gyration:
        raise refused("torsion needs the inertia of the sections.", place, "Give gyration=….", "E-FLEX-011")
    positive = {
        "length": beam.length,
        "mass": beam.mass,
        "GA": beam.GA,
        **{f"stiffness '{k}'": v for k, v in kinds.items()},
    }
    for what, value in (*positive.items(), *(("gyration", each) for each in beam.gyration)):
        if value is not None:
            check_positive(what, value, beam.values, place)
    for kind, count in beam.counts.items():
        if kind not in kinds:
            raise unknown("deformation", str(kind), kinds, place)
        _check_count("modes", count, 1, place)
    lacking = [kind for kind in kinds if kind not in beam.counts]
    if lacking:
        raise refused(f"modes lacks '{lacking[0]}'.", place, "Give one number for all, or each.", "E-FLEX-014")
    if beam.frame == "tangent" and BeamFields(beam).is_loose:
        message = f"the ends {beam.ends[0]} and {beam.ends[1]} leave the beam loose in its frame."
        raise refused(message, place, 'Hold it, as ends=("clamped", "free"), or give frame="mean".', "E-FLEX-012")
