"""The fields, moments and stiffness of a uniform straight beam.

The axis of the beam is the unit vector a, ξ = x/L the fraction along it. A coordinate η of bending along d moves the
centre line by w(ξ) η d and turns the section by ψ(ξ)/L η about a × d; one of an axial shape moves it by u(ξ) η a, one
of torsion turns it by φ(ξ) η about a. The points of a section move by their linear displacement θ × (y, z). With
stiffening the centre line is drawn back along a by ½ ∫ w'² dx, so that it keeps its length to second order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from ...errors import warn
from ...expr import Expr, Matrix, Vector, as_expr, free_symbols
from .deformation import Deformation, Section, damping_matrix, modal_mass, no_moments, nominal, outer, refused
from .polynomial import Field, field_value, gram, plus, primitive, slope, times, value
from .record import Polynomials, Segment
from .shapes import Line, Shape

if TYPE_CHECKING:
    from .beam import Beam

_LETTERS = "xyz"
#: A field over the beam: a factor, a direction, a polynomial of ξ in each piece.
Component = tuple[Expr, Vector, Field]


@dataclass(frozen=True)
class Part:
    """A coordinate of the beam: its label, its deformation and shape, and what it moves and turns.

    The centre moves by `reach` times the shape's displacement along `along`, the section turns by `turn` times its
    slope (of torsion its displacement) about `about`.
    """

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
    """What a beam comes to."""

    beam: Beam

    @cached_property
    def interfaces(self) -> tuple[Fraction, ...]:
        """The stations with static shapes, as fractions of the length, in the order in which they were asked for."""
        return tuple(ratio for _, ratio, static in self.beam.stations if static)

    @cached_property
    def breaks(self) -> tuple[Fraction, ...]:
        """Where the polynomials change."""
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
        ratios = [nominal(each / beam.length**2, beam.values) for each in squares]
        if None in ratios:
            message = "the shapes of a beam with shear depend on EI/(GA L²) and gyration/L, whose values are not known."
            raise refused(message, beam.place, "Give the parameters in them default values.", "E-FLEX-008")
        if free_symbols(squares):
            message = "the shapes of a beam with shear are those at the default values of its parameters."
            warn(
                message, place=beam.place, cure="Runs at other values are less exact: build it anew.", code="W-FLEX-003"
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
                parts += [self._part(kind, each, f"s{number}") for each in line.static_shapes(station, self.interfaces)]
        return parts

    def _part(self, kind: str, shape: Shape, number: str) -> Part:
        axis, one, still = self.beam.axis[-1], as_expr(1), Vector([0, 0, 0])
        letter = {"axial": axis, "torsion": f"r{axis}"}.get(kind, kind)
        along, unit = _unit(kind), one
        about = self.along.cross(along)
        if shape.quantity == "ψ":  # a rotation is positive about its axis
            letter = "r" + next(each for each in self.beam.across if each != kind)
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
        """What the beam comes to, its integrals exact."""
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
        moments = ([squares[each] for each in letters if each != letter] for letter in _LETTERS)
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
        at = [_exact(d, f * field_value(field, self.breaks, ratio)) for f, d, field in self._centre]
        turns = [_exact(part.about, part.turn * field_value(part.angle, self.breaks, ratio)) for part in self.parts]
        return Section(tuple(at), tuple(turns))

    def _segments(self) -> tuple[Segment, ...]:
        pieces = []
        for k, (start, end) in enumerate(pairwise(self.breaks)):
            centre, *sections = (tuple(_polynomials(each, k) for each in fields) for _, fields in self._layers)
            piece = Segment(start, end, self.beam.mass * (end - start), centre)
            spread = (*self.spread, as_expr(0))
            pieces.append(replace(piece, y=sections[0], z=sections[1], spread=spread) if sections else piece)
        return tuple(pieces)


def _polynomials(component: Component, piece: int) -> Polynomials:
    factor, direction, field = component
    x, y, z = (tuple(factor * c * d for c in field[piece]) if d else () for d in direction)
    return x, y, z


def _slopes(field: Field) -> Field:
    return tuple(slope(each) for each in field)


def _exact(direction: Vector, factor: Expr) -> Vector:
    """A multiple of a direction, in expressions."""
    return Vector([as_expr(d * factor) for d in direction])


def _unit(letter: str) -> Vector:
    return Vector([int(letter == each) for each in _LETTERS])
