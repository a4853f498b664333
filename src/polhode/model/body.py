"""Bodies, frames and points, and the inertia of common solids."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import ModelError, PolhodeError, check_kind, shown, understood, whole_number, wrong_kind
from ..expr import Expr, Matrix, Vector, as_expr, constant_sign, free_symbols, same, substitute, symbols
from ..geometry import Pose, unit_axis
from ..geometry.inertia import impossible_inertia, nearest_inertia
from ..registry import registered
from .directions import Directions
from .fields import check_at
from .reading import number_of, result_of
from .system import vectors

if TYPE_CHECKING:
    from ..kinematics.vectors import Dyadic, Point
    from .builder import Builder
    from .flexible.record import Flexibility
    from .model import Model


@dataclass(frozen=True)
class Shape:
    """What a body looks like, or touches with: a kind (box, cylinder, sphere, capsule), its sizes, and where it sits.

    A "mesh" is a file of triangles to be drawn; its sizes are the scales along its axes, which may be negative.
    `color`, as "#0077bb", is that of what has none of its own. `lacking` says why a mesh that a robot file names cannot
    be opened. The methods below make shapes that surfaces may have; the axis of a capsule, cylinder or disc is z.

    >>> import polhode as ph
    >>> ph.Shape.box(1, 2, 3), ph.Shape.sphere("0.1").size
    (Shape(kind='box', size=(1, 2, 3), at=(0, 0, 0), rotation=None, color='', file='', lacking=''), (0.1,))
    """

    kind: str
    size: tuple[Any, ...]
    at: tuple[Any, ...] = (0, 0, 0)
    rotation: Any = None
    color: str = ""
    file: str = ""
    lacking: str = ""

    def __post_init__(self) -> None:
        place = f"shape {shown(self.kind)}"
        check_kind(str, "a word", self.kind, "kind of a shape", 'Write for example "box".')
        lengths: Any = self.size
        with understood("a list of sizes", lengths, place=place, cure="Give lengths, for example (0.1, 0.2, 0.3)."):
            if isinstance(lengths, str | bytes):
                raise TypeError
            sizes = [as_expr(size) for size in lengths]
        if self.kind not in ("mesh", "hull"):
            _not_negative(place, size=sizes)
        if self.kind == "hull" and (len(sizes) % 3 or not sizes or free_symbols(sizes)):
            message = "the sizes of a hull are its vertices, three numbers each."
            raise ModelError(message, place, "Give ph.Shape.hull(points).", "E-MODEL-SHAPE")
        if self.kind == "mesh" and not (isinstance(self.file, str) and self.file.strip()):
            raise ModelError("a mesh is a file.", place=place, cure='Name it: file="arm.stl".', code="E-MODEL-TYPE")
        if self.color and not (isinstance(self.color, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", self.color)):
            cure = "Write it as '#0077bb'."
            raise ModelError(f"the color {shown(self.color)} is not understood.", place, cure, "E-MODEL-TYPE")

    @classmethod
    def plane(cls, normal: Any = "z") -> Self:
        """The plane through the origin with a `normal`: an axis such as "z" or "-x", or a vector."""
        return cls("plane", (), rotation=_turned_to(unit_axis(normal)))

    @classmethod
    def sphere(cls, radius: Any) -> Self:
        """A sphere about the origin, in metres; a number below zero for `radius` is a hollow one, touched inside."""
        (r,) = _sizes("sphere", radius)
        is_hollow = not free_symbols([r]) and constant_sign(r) < 0
        return cls("hollow", (-r,)) if is_hollow else cls("sphere", (r,))

    @classmethod
    def capsule(cls, radius: Any, length: Any) -> Self:
        """A cylinder of a `radius` and `length` with half a sphere at each end."""
        return cls("capsule", _sizes("capsule", radius, length))

    @classmethod
    def box(cls, x: Any, y: Any, z: Any) -> Self:
        """A box with the edges x, y and z about the origin."""
        return cls("box", _sizes("box", x, y, z))

    @classmethod
    def ellipsoid(cls, x: Any, y: Any, z: Any) -> Self:
        """An ellipsoid with the half axes x, y and z about the origin."""
        return cls("ellipsoid", _sizes("ellipsoid", x, y, z))

    @classmethod
    def cylinder(cls, radius: Any, length: Any) -> Self:
        """A cylinder of a `radius` and `length` about the origin."""
        return cls("cylinder", _sizes("cylinder", radius, length))

    @classmethod
    def disc(cls, radius: Any) -> Self:
        """A thin disc of a `radius` about the origin."""
        return cls("disc", _sizes("disc", radius))

    @classmethod
    def hull(cls, points: Any, most: int | None = None) -> Self:
        """The convex hull of points, by numbers in metres; with `most` that of so many of them which are far out."""
        from ..geometry.polytope import as_points, convex_hull

        with understood("a list of points", points, place="shape 'hull'", cure="Give points of three numbers each."):
            vertices = as_points(points)
        words = "a number of vertices, at least 4"
        count = None if most is None else whole_number(most, words, least=4, place="shape 'hull'")
        hull = convex_hull(tuple(map(tuple, vertices.tolist())), count)
        return cls("hull", tuple(map(as_expr, hull.points.ravel().tolist())))

    @classmethod
    def mesh(cls, source: Any, scale: Any = (1, 1, 1), *, hull: bool = False, most: int | None = None) -> Self:
        """A closed convex mesh as a hull, or with `hull` the convex hull of any; with `most` of so many vertices.

        The `source` is a file, or has `vertices` and `faces`, or is a pair of these; `scale` is along its axes.
        """
        from ..geometry.polytope import as_points, check_convex

        place, cure = "shape 'mesh'", "Give a file, or vertices and faces with three vertices each."
        with understood("a mesh", source, place=place, cure=cure):
            if isinstance(source, str | os.PathLike):
                source = registered("Shape.mesh")(Path(source))
            vertices, faces = (source.vertices, source.faces) if hasattr(source, "faces") else source
            points = as_points(vertices) * as_points([scale if hasattr(scale, "__len__") else (scale,) * 3])
            if not hull:
                check_convex(points, faces)
            return cls.hull(points, most)

    @classmethod
    def heights(cls, height: Any) -> Self:
        """The surface z = height(x, y): a function, a table of two variables, or a number."""
        return cls("heights", (_height(height, 2),))

    @classmethod
    def curve(cls, height: Any) -> Self:
        """The surface z = height(x), straight along y: a function, a table of one variable, or a number."""
        return cls("curve", (_height(height, 1),))


#: What the height of a surface is written with: the coordinates x and y in its frame.
SPOT = tuple(symbols(["x", "y"], "position"))


def _sizes(kind: str, *sizes: Any) -> tuple[Expr, ...]:
    with understood("a list of sizes", sizes, place=f"shape '{kind}'", cure="Give lengths, as numbers or parameters."):
        return tuple(as_expr(size) for size in sizes)


def _height(law: Any, count: int) -> Expr:
    """The height over x, or over x and y, as an expression of `SPOT`."""
    from .field_values import check_curve

    place = f"shape '{'heights' if count == 2 else 'curve'}'"
    law = result_of(law, SPOT[:count], place) if callable(law) else law
    sample = "lambda x: 0.1*x**2 or ph.table(x, z)" if count == 1 else "lambda x, y: 0.1*x*y or ph.table(x, y, z)"
    try:
        height = number_of(law, place)
    except PolhodeError as error:
        if error.problems[0].code == "E-EXPR-TYPE":
            raise wrong_kind("a height", law, place, f"Give a function, as {sample}.") from None
        raise
    check_curve([height], place)
    return height


def _turned_to(n: Vector) -> Matrix | None:
    """A rotation from z to n, by Duff and others (2017), with a half-turn beforehand if n points down."""
    if same(n, unit_axis("z")):
        return None
    is_down = not free_symbols(n) and constant_sign(n[2]) < 0
    s = -1 if is_down else 1
    a = -1 / (s + n[2])
    first = Vector([1 + s * n[0] * n[0] * a, s * n[0] * n[1] * a, -s * n[0]])
    second = Vector([n[0] * n[1] * a, s + n[1] * n[1] * a, -n[1]])
    return Matrix.columns_of([first, second, n], 3).map(as_expr)


@dataclass(frozen=True)
class Body(Directions):
    """A rigid body: mass, mass centre and inertia about it, in the body's frame.

    The frame's origin is the joint that carries the body, unless the joint says otherwise.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> bob = s.body("bob", mass=2, com=(0, 0, -1), inertia=ph.sphere(2, "0.1"))
    >>> bob.name, bob.mass, bob.is_massless, s.ground.name
    ('bob', 2, False, 'ground')
    >>> bob.centre
    Point('bob', Vector([0, 0, -1]))
    >>> bob.inertia_dyadic.components(bob)
    Matrix([[0.008, 0, 0], [0, 0.008, 0], [0, 0, 0.008]])
    """

    name: str
    mass: Expr
    com: Vector
    inertia: Matrix
    shapes: tuple[Shape, ...] = ()
    home: Builder | None = field(default=None, compare=False, repr=False)
    flexibility: Flexibility | None = None  # how it deforms; mass, com and inertia are those while it is not bent

    @property
    def is_massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return not self.mass and not any(self.inertia.entries())

    @property
    def centre(self) -> Point:
        """The mass centre as a point; that of a body that bends is not fixed in it."""
        if self.flexibility is not None:
            message = "the mass centre of a body that bends is no point of it."
            cure = "equations.center_of_mass is that of the mechanism."
            raise ModelError(message, f"body '{self.name}'", cure, "E-FLEX-UNSUPPORTED")
        return self.point(self.com)

    @property
    def inertia_dyadic(self) -> Dyadic:
        """The inertia about the mass centre as a dyadic, Σ I_ij b_i b_j."""
        dyadic: Dyadic = vectors().inertia_dyadic(self)
        return dyadic


@dataclass(frozen=True)
class Frame(Directions):
    """A frame fixed in a body; as a point, its origin.

    >>> import polhode as ph
    >>> s = ph.System("arm")
    >>> s.frame("tip", s.body("bob", 1), (0, 0, -2)).origin
    Point('bob', Vector([0, 0, -2]))
    """

    name: str
    body: str
    pose: Pose
    home: Builder | None = field(default=None, compare=False, repr=False)


def rod(mass: Any, length: Any, axis: Any = "z") -> Matrix:
    """The inertia of a slender bar of a `mass`, a `length` and an `axis` about its centre: m l²/12 across, nothing
    along.

    >>> rod(12, 1)
    Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 0]])
    """
    m, l = _not_negative("rod", mass=[mass], length=[length])
    return _about_axis(0, m * l**2 / 12, axis)


def cylinder(mass: Any, radius: Any, length: Any, axis: Any = "z") -> Matrix:
    """The inertia of a solid cylinder of a `mass`, a `radius`, a `length` and an `axis` about its centre."""
    m, r, l = _not_negative("cylinder", mass=[mass], radius=[radius], length=[length])
    return _about_axis(m * r**2 / 2, m * (3 * r**2 + l**2) / 12, axis)


def disc(mass: Any, radius: Any, axis: Any = "z") -> Matrix:
    """The inertia of a thin disc of a `mass` and a `radius` about its centre: m r²/2 about the axis, m r²/4 across."""
    m, r = _not_negative("disc", mass=[mass], radius=[radius])
    return _about_axis(m * r**2 / 2, m * r**2 / 4, axis)


def sphere(mass: Any, radius: Any) -> Matrix:
    """The inertia of a solid ball of a `mass` and a `radius` about its centre: 2/5 m r²."""
    m, r = _not_negative("sphere", mass=[mass], radius=[radius])
    return Matrix.identity(3) * (2 * m * r**2 / 5)


def box(mass: Any, x: Any, y: Any, z: Any) -> Matrix:
    """The inertia of a solid box of a `mass` with the edges x, y and z about its centre.

    >>> box(12, 1, 2, 3)
    Matrix([[13, 0, 0], [0, 10, 0], [0, 0, 5]])
    """
    m, a, b, c = _not_negative("box", mass=[mass], edge=[x, y, z])
    return Matrix.diagonal([m * (b**2 + c**2) / 12, m * (a**2 + c**2) / 12, m * (a**2 + b**2) / 12])


def _not_negative(place: str, **values_by_name: Sequence[Any]) -> list[Expr]:
    """Masses and lengths as expressions; raise if a known value is negative."""
    read = [(what, as_expr(value)) for what, values in values_by_name.items() for value in values]
    for what, value in read:
        if not free_symbols([value]) and constant_sign(value) < 0:
            cure = f"Give a {'mass' if what == 'mass' else 'length'} ≥ 0."
            raise ModelError(f"its {what} {shown(value)} is negative.", place=place, cure=cure, code="E-MODEL-NUMBER")
    return [value for _, value in read]


def _about_axis(along: Any, across: Any, axis: Any) -> Matrix:
    """across·1 + (along - across) a aᵀ."""
    a = unit_axis(axis)
    return Matrix(
        [[(across if i == j else 0) + (along - across) * (a[i] * a[j]) for j in range(3)] for i in range(3)]
    ).map(as_expr)


#: The order of six entries, here and elsewhere, for messages.
_ORDER = "xx, yy, zz, xy, xz, yz (SymPy's is xx, yy, zz, xy, yz, zx, URDF's xx, xy, xz, yy, yz, zz)"


def as_inertia(value: Any, place: str) -> Matrix:
    """An inertia given as a matrix, as three principal moments, or as (xx, yy, zz, xy, xz, yz)."""
    entries = [value] if not _is_list(value) else list(value)
    if len(entries) == 1 and not _is_list(entries[0]) and not as_expr(entries[0]):
        return Matrix.zeros(3, 3).map(as_expr)
    if len(entries) == 3 and all(_is_list(row) for row in entries):
        matrix = Matrix(entries).map(as_expr)
        if matrix.shape == (3, 3) and all(matrix[i, j] == matrix[j, i] for i in range(3) for j in range(i)):
            return matrix
        message = "the inertia matrix is not a symmetric 3×3 matrix."
        raise ModelError(message, place, "Give [xx, yy, zz, xy, xz, yz], for example.", "E-MODEL-SHAPE")
    if len(entries) == 3:
        return Matrix.diagonal(entries).map(as_expr)
    if len(entries) == 6:
        xx, yy, zz, xy, xz, yz = entries
        return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).map(as_expr)
    cure = f"Give principal moments xx, yy, zz, a matrix, or its entries in the order {_ORDER}."
    raise ModelError(f"an inertia has 3, 6 or 3×3 entries, not {len(entries)}.", place, cure, "E-MODEL-SHAPE")


def _is_list(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str)


def about_centre(inertia: Matrix, mass: Expr, arm: Vector) -> Matrix:
    """Inertia about the mass centre, I - m (arm² 1 - arm armᵀ), `arm` leading from the given point to the centre."""
    square = arm.dot(arm)
    return Matrix(
        [[inertia[i, j] - mass * ((square if i == j else 0) - arm[i] * arm[j]) for j in range(3)] for i in range(3)]
    ).map(as_expr)


def inertia_of(value: Any, place: str) -> Matrix:
    """An inertia that a user gave."""
    with understood("an inertia", value, place=place, cure="Give [xx, yy, zz], [xx, yy, zz, xy, xz, yz] or a matrix."):
        return as_inertia(value, place)


def shapes_of(value: Any, place: str) -> tuple[Shape, ...]:
    """A shape, or several."""
    cure = "Give ph.Shape(kind, size), or a list of them."
    with understood("a list of shapes", value, place=f"{place} shapes", cure=cure):
        shapes = (value,) if isinstance(value, Shape) else tuple(value)
    for shape in shapes:
        check_kind(Shape, "a shape", shape, f"{place} shapes", cure)
    return shapes


def check_mass(mass: Expr, values: Mapping[str, Any], place: str) -> None:
    """Raise if a mass is negative at these values of the parameters."""
    met = [symbol for symbol in free_symbols([mass]) if symbol.data[0] == "parameter"]
    values_read = {symbol: as_expr(values[symbol.name]) for symbol in met if values.get(symbol.name) is not None}
    (at_values,) = substitute([mass], values_read)
    if free_symbols([at_values]) or constant_sign(at_values) >= 0:
        return
    stated = ", ".join(f"{symbol.name} = {value}" for symbol, value in values_read.items())
    message = f"the mass {at_values!r}{f' (with {stated})' if stated else ''} is negative."
    raise ModelError(message, place, "Give a mass ≥ 0.", "E-MODEL-NUMBER")


def check_values(model: Model, given: Mapping[str, Any]) -> None:
    """Refuse values of parameters at which a mass, a size or a law cannot be; of arrays, any of their values."""
    for element, numbers in model.parametric:
        defaults = {x.name: model.parameters[x.name].value for x in free_symbols(numbers)}
        for values in _values(numbers, {name: x for name, x in (defaults | {**given}).items() if x is not None}):
            check_at(element, values)
    for name, body in model.bodies.items():
        for values in _values([body.mass], given):
            check_mass(body.mass, values, f"body '{name}'")
    for name, surface in model.surfaces.items():
        check_sizes(surface.shape, f"surface '{name}'", given)


def _values(expressions: Sequence[Expr], by_name: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The given values of the symbols of expressions, one after the other where arrays are given."""
    import numpy as np

    values = {x.name: np.ravel(by_name[x.name]) for x in free_symbols(expressions) if x.name in by_name}
    for k in range(max(map(len, values.values()), default=0)):
        yield {key: value[k % len(value)] for key, value in values.items()}


def check_sizes(shape: Shape, place: str, given: Mapping[str, Any]) -> None:
    """Refuse a shape that touches with a radius that is not positive, or a negative length, at any of the values."""
    for k, size in enumerate(shape.size if shape.kind not in ("mesh", "hull", "curve", "heights") else ()):
        is_radius = shape.kind == "ellipsoid" or (k == 0 and shape.kind != "box")
        for values in ({}, *_values([size], given)):
            at = {x: as_expr(values[x.name]) for x in free_symbols([size]) if x.name in values}
            (value,) = substitute([size], at)
            if free_symbols([value]) or constant_sign(value) >= is_radius:
                continue
            what = "radius" if is_radius else "length"
            message = f"its {what} {shown(value)} is {'not positive' if is_radius else 'negative'}."
            cure = f"Give a {what} {'>' if is_radius else '≥'} 0; what has no size is a point."
            raise ModelError(message, place, cure, "E-MODEL-NUMBER")


def check_inertia(inertia: Matrix, place: str) -> None:
    """Refuse an inertia of no distribution of mass; symbolic entries are accepted."""
    import numpy as np

    if free_symbols(inertia.entries()):
        return
    numbers = np.array([[float(entry) for entry in row] for row in inertia])
    if not np.abs(numbers).max() < 1e150:
        message = f"an inertia of {np.abs(numbers).max():.3g} kg m² is not one of a mechanism."
        raise ModelError(message, place, "Check the units.", "E-MODEL-NUMBER")
    fault = impossible_inertia(numbers)
    if fault and fault.negative:
        message = f"the inertia is not positive: its principal moments are {fault.moments}."
        cure = f"Check signs and the order {_ORDER}; it is about the mass centre unless `about` says otherwise."
        raise ModelError(message, place, cure, "E-MODEL-NUMBER")
    if fault:
        message = f"no body has the principal moments {fault.moments}: the largest exceeds the sum of the others."
        cure = f"The nearest possible inertia is {nearest_inertia(numbers)}. In Python, check=False takes any."
        raise ModelError(message, place, cure, "E-MODEL-NUMBER")
