"""The Beam: the data of a uniform straight beam, read and checked, and its stations.

The fields, moments and stiffness of a uniform straight beam.

The axis of the beam is the unit vector a, ξ = x/L the fraction along it. A coordinate η of bending along d moves the
centre line by w(ξ) η d and turns the section by ψ(ξ)/L η about a × d; one of an axial shape moves it by u(ξ) η a, one
of torsion turns it by φ(ξ) η about a. The points of a section move by their linear displacement θ × (y, z). With
stiffening the centre line is drawn back along a by ½ ∫ w'² dx, so that it keeps its length to second order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, TypedDict

from ...errors import shown, warn
from ...expr import Expr, Matrix, Vector, as_expr, constant_ratio, free_symbols
from ..field_values import completed, field_value
from ..fields import GivenFields, given
from ..reading import unknown
from .deformation import (
    Deformation,
    Section,
    check_positive,
    damping_matrix,
    is_list,
    modal_mass,
    no_moments,
    nominal,
    outer,
    refused,
)
from .record import Polynomials, Segment
from .shapes import HELD, Field, Line, Shape, gram, plus, primitive, slope, times, value, value_in_field

AXES = ("x", "y", "z", "-x", "-y", "-z")
FRAMES = ("tangent", "chord", "mean")
_SYNONYMS = {"supported": "pinned", "guided": "sliding"}
MODE_LIMIT = 40


class BeamOptions(TypedDict, total=False):
    """Options of a beam besides its length, mass, stiffness, modes, axis and ends; see `Beam`."""

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
    """A uniform straight beam as given; `values` are those of parameters, `stations` (name, x/L, has static shapes)."""

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
        """The name of the beam in messages."""
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
            raise refused(
                message, self.place, "Give a rational multiple of it, as at(length / 2).", "E-FLEX-DEPENDENCE"
            )
        if not 0 <= ratio <= 1:
            message = f"the station {shown(x)} is off the beam, which goes from 0 to {L}."
            raise refused(message, self.place, "Give a station from 0 to the length.", "E-FLEX-NUMBER")
        if not ratio:
            return self, ""
        there = next((station for station in self.stations if station[1] == ratio), None)
        name = there[0] if there else f"{self.name} at {x}"
        if there and (there[2] or not static):
            return self, name
        kept = tuple(station for station in self.stations if station is not there)
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
        entries["ends"] = [_SYNONYMS.get(end, end) if isinstance(end, str) else end for end in entries["ends"]]
    fields = {field.name: field_value(field, entries[field.name], place) for field in Beam.fields}
    fields["gyration"] *= 2 if len(fields["gyration"]) == 1 else 1
    beam = Beam(name=name, values=values, modes=written["modes"], **fields)
    _check(beam)
    return beam


def _check_count(what: str, count: Any, least: int, place: str) -> None:
    if isinstance(count, bool) or not isinstance(count, int) or not least <= count <= MODE_LIMIT:
        message = f"the number of {what} {shown(count)} is not a whole number from {least} to {MODE_LIMIT}."
        raise refused(message, place, f"Give for example {what}=3.", "E-FLEX-NUMBER")


def _check(beam: Beam) -> None:
    """Refuse an impossible beam."""
    place, kinds = beam.place, beam.stiffnesses
    if not kinds or (beam.GA is not None and not beam.EI):
        raise refused(
            "its stiffness EI is missing.", place, "Give EI=…, or (EIy, EIz) for both planes.", "E-FLEX-MISSING"
        )
    if len(beam.EI) > 2 or len(beam.gyration) > 2:
        raise refused(
            "EI and gyration have one entry or two.", place, "Give one, or one for each axis across.", "E-FLEX-SHAPE"
        )
    if len(beam.EI) == 1 and beam.bending == beam.axis[-1] != "z":
        raise refused(
            f"it cannot bend along its axis {beam.axis}.", place, "Give bending= across it.", "E-FLEX-UNSUPPORTED"
        )
    if beam.GJ is not None and not beam.gyration:
        raise refused("torsion needs the inertia of the sections.", place, "Give gyration=….", "E-FLEX-MISSING")
    positive = {
        "length": beam.length,
        "mass": beam.mass,
        "GA": beam.GA,
        **{f"stiffness '{k}'": v for k, v in kinds.items()},
    }
    for what, number in (*positive.items(), *(("gyration", gyration) for gyration in beam.gyration)):
        if number is not None:
            check_positive(what, number, beam.values, place)
    for kind, count in beam.counts.items():
        if kind not in kinds:
            raise unknown("deformation", str(kind), kinds, place)
        _check_count("modes", count, 1, place)
    lacking = [kind for kind in kinds if kind not in beam.counts]
    if lacking:
        raise refused(f"modes lacks '{lacking[0]}'.", place, "Give one number for all, or each.", "E-FLEX-MISSING")
    if beam.frame == "tangent" and BeamFields(beam).is_loose:
        message = f"the ends {beam.ends[0]} and {beam.ends[1]} leave the beam loose in its frame."
        raise refused(
            message, place, 'Hold it, as ends=("clamped", "free"), or give frame="mean".', "E-FLEX-UNSUPPORTED"
        )


_LETTERS = "xyz"
#: A field over the beam: a factor, a direction, a polynomial of ξ in each piece.
Component = tuple[Expr, Vector, Field]


@dataclass(frozen=True)
class Part:
    """Coordinate of a beam: displacement `reach` w(ξ) `along` a direction, rotation `turn` w'(ξ) `about` another."""

    label: str
    kind: str
    shape: Shape
    reach: Expr
    along: Vector
    turn: Expr
    about: Vector

    @property
    def angle(self) -> Field:
        """The rotation of the section along the beam, in units of `turn`."""
        return self.shape.slope or self.shape.displacement


@dataclass(frozen=True)
class BeamFields:
    """Displacement fields of a beam."""

    beam: Beam

    @cached_property
    def interfaces(self) -> tuple[Fraction, ...]:
        """The stations with static shapes, as fractions of the length, in order of creation."""
        return tuple(ratio for _, ratio, static in self.beam.stations if static)

    @cached_property
    def breaks(self) -> tuple[Fraction, ...]:
        """Values of ξ at which the polynomials change."""
        return (Fraction(0), *sorted(x for x in self.interfaces if x < 1), Fraction(1))

    @cached_property
    def along(self) -> Vector:
        """The unit vector of the axis."""
        return _unit(self.beam.axis[-1]) * (-1 if self.beam.axis[0] == "-" else 1)

    @cached_property
    def spread(self) -> tuple[Expr, Expr]:
        """The mean squares of a section's two coordinates, in m²."""
        first, second = self.beam.gyration or (as_expr(0), as_expr(0))
        return first**2, second**2

    # ---- shapes --------------------------------------------------------------------------------------------------

    @property
    def is_loose(self) -> bool:
        """Whether the ends allow a rigid displacement."""
        return any(self._line(kind, self.beam.ends).rigid for kind in self.beam.stiffnesses)

    @cached_property
    def lines(self) -> dict[str, Line]:
        """The beam in each of its deformations; of a loose one with static shapes the inboard joint is held too."""
        held = bool(self.interfaces or self.beam.load_shapes) and self.is_loose
        ends = ("clamped", self.beam.ends[1]) if held else self.beam.ends
        return {kind: self._line(kind, ends) for kind in self.beam.stiffnesses}

    def _line(self, kind: str, ends: tuple[str, ...]) -> Line:
        """With shear its shapes depend on EI/(GA L²) and gyration/L, taken at the default values of parameters."""
        first, last = ends
        is_rod, beam = kind in ("axial", "torsion"), self.beam
        if is_rod or beam.GA is None:
            return Line((first, last), is_rod)
        squares = beam.stiffnesses[kind] / beam.GA, self.spread[beam.across.index(kind)]
        ratios = [nominal(square / beam.length**2, beam.values) for square in squares]
        if None in ratios:
            message = "the shapes of a beam with shear depend on EI/(GA L²) and gyration/L, whose values are not known."
            raise refused(message, beam.place, "Give the parameters in them default values.", "E-FLEX-DEPENDENCE")
        if free_symbols(squares):
            message = "the shapes of a beam with shear are those at the default values of its parameters."
            warn(
                message,
                place=beam.place,
                cure="Runs at other values are less exact: build it anew.",
                code="W-FLEX-MISSING",
            )
        shear, rotary = (Fraction(ratio or 0).limit_denominator(10**6) for ratio in ratios)
        return Line((first, last), False, shear, rotary)

    @cached_property
    def parts(self) -> list[Part]:
        """The coordinates: normal modes of each deformation, static shapes under loads, then those of each station."""
        normal = {kind: line.normal_modes(self.beam.counts[kind], self.interfaces) for kind, line in self.lines.items()}
        parts = [self._part(kind, shape, str(k)) for kind in normal for k, shape in enumerate(normal[kind], start=1)]
        for kind, line in self.lines.items():
            loaded = line.load_shapes(self.beam.load_shapes, normal[kind], self.interfaces)
            parts += [self._part(kind, shape, f"l{number}") for number, shape in enumerate(loaded, start=1)]
        for number, station in enumerate(self.interfaces, start=1):
            for kind, line in self.lines.items():
                parts += [self._part(kind, s, f"s{number}") for s in line.static_shapes(station, self.interfaces)]
        return parts

    def _part(self, kind: str, shape: Shape, number: str) -> Part:
        axis, one, still = self.beam.axis[-1], as_expr(1), Vector([0, 0, 0])
        letter = {"axial": axis, "torsion": f"r{axis}"}.get(kind, kind)
        along, unit = _unit(kind), one
        about = self.along.cross(along)
        if shape.quantity == "ψ":  # a rotation is positive about its axis
            letter = "r" + next(kind_across for kind_across in self.beam.across if kind_across != kind)
            unit = self.beam.length * sum(about)
        label = f"{number}_{letter}" if shape.quantity else f"{letter}{number}"
        shape = self.lines[kind].in_frame(shape, self.beam.frame, self.breaks)
        if kind == "axial":
            return Part(label, kind, shape, one, self.along, one, still)
        if kind == "torsion":
            return Part(label, kind, shape, one, still, one, self.along)
        return Part(label, kind, shape, unit, along, unit / self.beam.length, about)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The products of coordinates that shorten the beam."""
        bent = [(k, part.kind) for k, part in enumerate(self.parts) if part.shape.slope and self.beam.stiffening]
        return tuple((i, j) for i, kind in bent for j, other in bent if i <= j and kind == other)

    # ---- fields, moments, stiffness ------------------------------------------------------------------------------

    @cached_property
    def _centre(self) -> list[Component]:
        """The centre line of each amplitude."""
        straight: Field = ((Fraction(0), Fraction(1)),) * (len(self.breaks) - 1)
        moved = [(part.reach, part.along, part.shape.displacement) for part in self.parts]
        return [(self.beam.length, self.along, straight), *moved, *(self._shortening(i, j) for i, j in self.pairs)]

    def _shortening(self, i: int, j: int) -> Component:
        """-½ ∫ w_i' w_j' dx along the axis, twice where i and j differ."""
        a, b = self.parts[i], self.parts[j]
        factor, total = Fraction(-1, 2 if i == j else 1), Fraction(0)
        pieces = []
        for (start, end), u, v in zip(pairwise(self.breaks), a.shape.displacement, b.shape.displacement, strict=True):
            integral = primitive(times(slope(u), slope(v)))
            pieces.append(plus((total - factor * value(integral, start),), integral, factor))
            total = value(pieces[-1], end)
        return a.reach * b.reach / self.beam.length, self.along, tuple(pieces)

    def _section_fields(self, letter: str) -> list[Component]:
        """The fields that multiply a section's coordinate along an axis, for each amplitude."""
        ones: Field = ((Fraction(1),),) * (len(self.breaks) - 1)
        turned = [(part.turn, part.about.cross(_unit(letter)), part.angle) for part in self.parts]
        return [(as_expr(1), _unit(letter), ones), *turned, *[(as_expr(0), Vector([0, 0, 0]), ones)] * len(self.pairs)]

    @cached_property
    def _layers(self) -> list[tuple[Expr, list[Component]]]:
        """The centre line, and where sections have inertia the two coordinates in them; each with its mean square."""
        if not self.beam.gyration:
            return [(as_expr(1), self._centre)]
        sections = [self._section_fields(letter) for letter in self.beam.across]
        return [(as_expr(1), self._centre), *zip(self.spread, sections, strict=True)]

    def deformation(self) -> Deformation:
        """The deformation of the beam, with exact integrals."""
        beam, size = self.beam, len(self._centre)
        second = no_moments(size)
        for weight, fields in self._layers:
            products = gram([field for _, _, field in fields], self.breaks)
            for i, (f, d, _) in enumerate(fields):
                for j, (g, e, _) in enumerate(fields):
                    if products[i][j] and any(d) and any(e):
                        second[i][j] = second[i][j] + outer(d, e) * (beam.mass * weight * f * g * products[i][j])
        ones: Field = ((Fraction(1),),) * (len(self.breaks) - 1)
        means = gram([ones, *(field for _, _, field in self._centre)], self.breaks)[0][1:]
        first = tuple(_exact(d, beam.mass * f * mean) for (f, d, _), mean in zip(self._centre, means, strict=True))
        stiffness, mass = self._stiffness(), modal_mass(second, len(self.parts))
        return Deformation(
            labels=tuple(part.label for part in self.parts),
            units=tuple("rad" if part.kind == "torsion" or part.shape.quantity == "ψ" else "m" for part in self.parts),
            mass=beam.mass,
            com=_exact(self.along, beam.length / 2),
            inertia=self._inertia(),
            first=first,
            second=tuple(map(tuple, second)),
            stiffness=stiffness,
            damping=damping_matrix(stiffness, mass, beam.damping, beam.rayleigh, beam.values, beam.place),
            inboard=self.section(Fraction(0)),
            stations={name: self.section(ratio) for name, ratio, _ in beam.stations},
            segments=self._segments(),
            pairs=self.pairs,
        )

    def _inertia(self) -> Matrix:
        """The inertia of the straight beam about its centre: m L²/12 across, and that of its sections."""
        letters = [self.beam.axis[-1], *self.beam.across]
        squares = dict(zip(letters, (self.beam.length**2 / 12, *self.spread), strict=True))
        moments = ([squares[axis] for axis in letters if axis != letter] for letter in _LETTERS)
        return Matrix.diagonal([self.beam.mass * (a + b) for a, b in moments]).map(as_expr)

    def _stiffness(self) -> Matrix:
        """K; between the normal modes of a beam without shear what rounding leaves beside the diagonal is zero."""
        n, L, GA = len(self.parts), self.beam.length, self.beam.GA
        K = [[as_expr(0)] * n for _ in range(n)]
        for kind, line in self.lines.items():
            members = [(i, part.shape, part.reach) for i, part in enumerate(self.parts) if part.kind == kind]
            unit = self.beam.stiffnesses[kind] / (L if line.is_rod else L**3)
            bent = gram([_slopes(shape.slope or shape.displacement) for _, shape, _ in members], self.breaks)
            sheared = gram([shape.shear_angle for _, shape, _ in members], self.breaks) if line.shear else bent
            for a, (i, left, f) in enumerate(members):
                for b, (j, right, g) in enumerate(members):
                    if i != j and left.is_normal and right.is_normal and not line.shear:
                        continue
                    entry = unit * bent[a][b] + (GA / L * sheared[a][b] if GA is not None and line.shear else 0)
                    K[i][j] = entry * f * g
        return Matrix(K)

    def section(self, ratio: Fraction) -> Section:
        """The section at a fraction of the length."""
        at = [_exact(d, f * value_in_field(field, self.breaks, ratio)) for f, d, field in self._centre]
        turns = [_exact(part.about, part.turn * value_in_field(part.angle, self.breaks, ratio)) for part in self.parts]
        return Section(tuple(at), tuple(turns))

    def _segments(self) -> tuple[Segment, ...]:
        pieces = []
        for k, (start, end) in enumerate(pairwise(self.breaks)):
            centre, *sections = (tuple(_polynomials(field, k) for field in fields) for _, fields in self._layers)
            piece = Segment(start, end, self.beam.mass * (end - start), centre)
            spread = (*self.spread, as_expr(0))
            pieces.append(replace(piece, y=sections[0], z=sections[1], spread=spread) if sections else piece)
        return tuple(pieces)


def _polynomials(component: Component, piece: int) -> Polynomials:
    factor, direction, field = component
    x, y, z = (tuple(factor * c * d for c in field[piece]) if d else () for d in direction)
    return x, y, z


def _slopes(field: Field) -> Field:
    return tuple(slope(component) for component in field)


def _exact(direction: Vector, factor: Expr) -> Vector:
    """A multiple of a direction, in expressions."""
    return Vector([as_expr(d * factor) for d in direction])


def _unit(letter: str) -> Vector:
    return Vector([int(letter == axis) for axis in _LETTERS])
