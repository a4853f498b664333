"""A rotation, or a batch of them, in every form: symbols exactly, numbers as arrays, behind one interface.

Charts that change by themselves: coordinates referred to a rotation from which the chart is far from singular.

A rotation is R = R_ref R(x), and R_ref one of the 24 rotations that take a cube to itself. Where x may be taken of R
itself it is; towards the chart's singularity the reference is the one from which its condition is best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ...errors import PolhodeError, ShapeError, check_kind, shown, understood
from ...expr import Matrix, Vector, as_expr, is_zero, pi
from . import motion, spinor
from .axial_vector import far_lift
from .chart import Chart
from .charts import CHARTS, chart_named
from .euler import digits_of, sequence_lift, three_digits_of
from .exact import CUBE, as_rotation
from .exponential import angle_of
from .matrix import checked
from .quaternion import conjugate, from_lift, from_quaternion, product, unit
from .scalars import Components, applied, cos, dot, is_array, joined, scaled, sin, split, sqrt
from .stored import (
    Stored,
    composed,
    coordinates_in,
    exactly,
    inverse,
    numeric,
    of_coordinates,
    of_exact_matrix,
    symbolic,
)
from .turns import about, rotation, unit_axis
from .values import (
    any_true,
    batch_of,
    broadcast,
    finite,
    first_true,
    is_exact,
    matrix_of,
    one_column,
    read,
    read_spinor,
    silent,
    written,
    written_spinor,
)

if TYPE_CHECKING:
    import numpy as np

Frame = Literal["body", "space"]
#: The constructor of each form that is no sequence.
_FROM = {
    "matrix": "from_matrix", "quaternion": "from_quaternion", "spinor": "from_spinor", "vector": "from_vector",
    "sine": "from_sine_vector", "axial": "from_axial_vector", "exponential": "from_exponential",
}  # fmt: skip


def _form(form: str, doc: str) -> Any:
    """The coordinates in a form as a property."""
    return property(lambda rotation: rotation.coordinates(form), doc=doc)


class Rotation:
    """Rotations in every form; made by `from_…`, composed by `@`, a batch of them indexed as an array is.

    R = r.matrix takes components in the turned frame to components in the one that stays, x' = R x; `r @ s` has the
    matrix R S: s is given in the axes that r has turned. What is made of expressions is exact, what is made of floats
    is NumPy's; with `exact=True` a decimal is taken for the rational that it spells. Sequences of angles are about axes
    that move, or `extrinsic`, in radians or `degrees`; rotations are equal within a `tolerance`; a batch has a `count`,
    a random one a `seed`; `other` is a second rotation.

    >>> from polhode.expr import symbols
    >>> c = symbols("c1 c2 c3")
    >>> r = Rotation.from_vector(c)
    >>> r.rate((1, 0, 0), form="vector")
    Vector([(c1**2 + 1)/2, (c1*c2 + c3)/2, (c1*c3 - c2)/2])
    >>> r = Rotation.from_euler("z", 0.3) @ Rotation.from_euler("z", 0.4)
    >>> r.exponential.round(12)
    array([0. , 0. , 0.7])
    """

    __slots__ = ("_stored",)

    def __init__(self, stored: Stored) -> None:
        check_kind(Stored, "what a rotation is made of: use Rotation.from_matrix and the like", stored, "Rotation")
        self._stored = stored

    # made of each form

    @staticmethod
    def from_matrix(R: Any, *, nearest: bool = False, exact: bool | None = None) -> Rotation:
        """Of a 3×3 matrix, or an array of them; SciPy's rotations have them, and are taken for them.

        A matrix of numbers that is further than 1e-9 from orthogonal is refused; with `nearest=True` the rotation
        nearest to it is taken instead.
        """
        return Rotation(of_matrix(R, nearest, exact))

    @staticmethod
    def from_quaternion(q: Any, *, scalar_first: bool = True, exact: bool | None = None) -> Rotation:
        """Of a quaternion `q` of any length but zero, its scalar first; last with `scalar_first=False`."""
        e = read(q, (4,), "a quaternion", exact)
        return Rotation(of_coordinates(CHARTS["quaternion"], e if scalar_first else (e[3], *e[:3]), "the quaternion"))

    @staticmethod
    def from_spinor(psi: Any, *, exact: bool | None = None) -> Rotation:
        """Of a spinor `psi` (ψ1, ψ2) = (β3 + iβ0, β1 + iβ2)."""
        return Rotation(of_coordinates(CHARTS["quaternion"], read_spinor(psi, "a spinor", exact), "the spinor"))

    @staticmethod
    def from_vector(c: Any, *, exact: bool | None = None) -> Rotation:
        """Of a vector-parameter c = n tan(θ/2)."""
        return Rotation(of_coordinates(CHARTS["vector"], read(c, (3,), "a vector-parameter", exact)))

    @staticmethod
    def from_sine_vector(d: Any, *, cosine: Any = None, exact: bool | None = None) -> Rotation:
        """Of a sine vector d = n sin(θ/2), not longer than 1.

        `cosine` is cos(θ/2) where it is known, as the scalar of a unit quaternion is: then there is no root, and
        nothing is lost near a half turn.
        """
        return Rotation(of_sine_vector(d, cosine, exact))

    @staticmethod
    def from_axial_vector(a: Any, *, far: Any = False, exact: bool | None = None) -> Rotation:
        """Of an axial vector a = 2 n sin θ, not longer than 2: a turn up to a right angle, with `far` one beyond it."""
        return Rotation(of_axial_vector(a, far, exact))

    @staticmethod
    def from_exponential(l: Any, *, exact: bool | None = None) -> Rotation:
        """Of an exponential vector l = θ n (a rotation vector), of any length."""
        return Rotation(of_coordinates(CHARTS["exponential"], read(l, (3,), "an exponential vector", exact)))

    from_rotvec = from_exponential

    @staticmethod
    def from_axis_angle(axis: Any, angle: Any, *, exact: bool | None = None) -> Rotation:
        """Of an axis (a letter or a direction) and the angle about it."""
        return Rotation(of_axis_angle(axis, angle, exact))

    @staticmethod
    def from_euler(
        sequence: str, angles: Any, *, extrinsic: bool = False, degrees: bool = False, exact: bool | None = None
    ) -> Rotation:
        """Of the angles of a sequence of one to three axes, "zxz" or "313", in capitals or not.

        R = R_i(a) R_j(b) R_k(c), each turn about an axis that the turns before it have moved; with `extrinsic=True`
        about axes that stay, R = R_k(c) R_j(b) R_i(a). (SciPy takes small letters for the latter.)
        """
        return Rotation(of_angles(sequence, angles, extrinsic, degrees, exact))

    @staticmethod
    def from_turns(*turns: tuple[str | Iterable[Any], Any], exact: bool | None = None) -> Rotation:
        """Of successive turns about axes that move along: `from_turns(("z", yaw), ("y", pitch), ("x", roll))`."""
        return Rotation(of_turns(turns, exact))

    @staticmethod
    def from_coordinates(form: str, x: Any, *, extrinsic: bool = False, exact: bool | None = None) -> Rotation:
        """Of coordinates in a form by its name; see `coordinates`."""
        if form in _FROM:
            result: Rotation = getattr(Rotation, _FROM[form])(x, exact=exact)
            return result
        motion.chart_of(form, extrinsic)
        return Rotation.from_euler(form, x, extrinsic=extrinsic, exact=exact)

    @staticmethod
    def identity(count: int | tuple[int, ...] | None = None, *, exact: bool = False) -> Rotation:
        """No rotation, or a batch of them."""
        return Rotation(identity(count, exact))

    @staticmethod
    def random(count: int | tuple[int, ...] | None = None, seed: Any = None) -> Rotation:
        """Rotations that are evenly distributed: one, or a batch."""
        return Rotation(random(count, seed))

    # in each form

    matrix = _form("matrix", "R, 3×3: x' = R x.")
    quaternion = _form("quaternion", "The unit quaternion, scalar first; its opposite is the same rotation.")

    @property
    def spinor(self) -> Any:
        """The spinor (β3 + iβ0, β1 + iβ2), (40)."""
        return written_spinor(unit(self._stored.lift), self._stored.batch)

    @property
    def unitary(self) -> Any:
        """The matrix of SU(2), (49), whose entries are the Cayley-Klein parameters."""
        w, x, y, z = q = unit(self._stored.lift)
        batch = self._stored.batch
        if batch is None:
            return spinor.unitary_of(q)
        return joined((w - 1j * z, -y - 1j * x, y - 1j * x, w + 1j * z), batch).reshape(*batch, 2, 2)

    vector = _form("vector", "The vector-parameter c = n tan(θ/2), which a half turn does not have.")
    sine_vector = _form("sine", "d = n sin(θ/2), θ from 0 to π.")
    axial_vector = _form("axial", "a = 2 n sin θ, the vector of R - Rᵀ.")
    exponential = _form("exponential", "l = θ n, θ from 0 to π.")

    def euler(self, sequence: str, *, extrinsic: bool = False, degrees: bool = False) -> Any:
        """The angles of a sequence of three axes; in gimbal lock one of the outer two is zero.

        It is the last of an intrinsic sequence, the first of an extrinsic one: the turn that is written last in R.
        """
        angles = self.coordinates(three_digits_of(sequence), extrinsic=extrinsic)
        if not degrees:
            return angles
        return angles * (180 / (pi if self.is_exact else float(pi)))

    def coordinates(self, form: str, *, extrinsic: bool = False) -> Any:
        """The coordinates in a form: matrix, quaternion, spinor, vector, sine, axial, exponential, or a sequence."""
        if form == "spinor":
            return self.spinor
        chart = motion.chart_of(form, extrinsic)
        return written(coordinates_in(self._stored, chart, form), chart.shape, self._stored.batch)

    @property
    def angle(self) -> Any:
        """The angle θ, from 0 to π."""
        angle = angle_of(self._stored.lift)
        return as_expr(angle) if self.is_exact else angle

    @property
    def axis(self) -> Any:
        """The unit vector n about which it turns by `angle`."""
        d = CHARTS["sine"].coordinates(self._stored.lift)
        square = dot(d, d)
        without = is_zero(square) if self.is_exact else square == 0
        if any_true(without):
            message = f"{first_true(without)} is by a zero angle and has no axis."
            raise PolhodeError(message, cure="Take `exponential`, which is zero there.", code="E-ROTATION-SINGULAR")
        return written(scaled(1 / sqrt(square), d), (3,), self._stored.batch)

    # the group

    def __matmul__(self, other: Rotation) -> Rotation:
        if not isinstance(other, Rotation):
            return NotImplemented
        return Rotation(composed(self._stored, other._stored))

    def inverse(self) -> Rotation:
        """The rotation that undoes this one."""
        return Rotation(inverse(self._stored))

    def apply(self, x: Any, *, inverse: bool = False) -> Any:
        """R x of a vector, or of an array of them; with `inverse` Rᵀ x."""
        turned = self.inverse() if inverse else self
        if self.is_exact or is_exact(x):
            vector: Vector = turned.exact().matrix @ Vector(read(x, (3,), "a vector", True))
            return vector
        vectors = read(x, (3,), "a vector", False)
        broadcast(self.shape, batch_of(vectors))
        return joined(applied(from_quaternion(turned._stored.lift), vectors))

    def interpolate(self, other: Rotation, s: Any) -> Rotation:
        """From this rotation (s = 0) to another (s = 1) at constant angular velocity, by the shorter way."""
        l = (self.inverse() @ other).exponential
        if isinstance(l, Vector):
            return self @ Rotation.from_exponential(l * as_expr(s))
        part = finite(s, "s")
        broadcast(part.shape, l.shape[:-1])
        return self @ Rotation.from_exponential(part[..., None] * l)

    def equals(self, other: Rotation, tolerance: float = 1e-12) -> Any:
        """Whether two are one rotation: exactly, or within an angle; of a batch an array of answers."""
        gap = composed(inverse(self._stored), other._stored)
        return all(map(is_zero, gap.lift[1:])) if gap.is_exact else angle_of(gap.lift) <= tolerance

    def __eq__(self, other: object) -> bool:
        """Whether two are one rotation, by `equals`; rotations of numbers are near, and so none has a hash."""
        if not isinstance(other, Rotation):
            return NotImplemented
        if self.shape or other.shape:
            message = "a batch of rotations is not equal or unequal as a whole."
            cure = "Take r.equals(s), an array of answers, and its all() or any()."
            raise ShapeError(message, cure=cure, code="E-ROTATION-UNSUPPORTED")
        return bool(self.equals(other))

    __hash__ = None  # type: ignore[assignment] # equal within a tolerance: no hash is the same for all that are

    # in motion

    def velocity(self, rate: Any, form: str = "vector", frame: Frame = "body", *, extrinsic: bool = False) -> Any:
        """The angular velocity ω of the coordinates' rates, in the turned frame ("body") or the fixed one ("space")."""
        return motion.velocity(self._stored, form, extrinsic, frame, rate)

    def rate(self, velocity: Any, form: str = "vector", frame: Frame = "body", *, extrinsic: bool = False) -> Any:
        """The coordinates' rates at an angular velocity: the kinematic equation ẋ = Γ(x) ω."""
        return motion.rate(self._stored, form, extrinsic, frame, velocity)

    def acceleration(
        self, rate: Any, second: Any, form: str = "vector", frame: Frame = "body", *, extrinsic: bool = False
    ) -> Any:
        """The angular acceleration ω̇ of the coordinates' first and second rates."""
        return motion.acceleration(self._stored, form, extrinsic, frame, rate, second)

    def second_rate(
        self, velocity: Any, acceleration: Any, form: str = "vector", frame: Frame = "body", *, extrinsic: bool = False
    ) -> Any:
        """The coordinates' second rates at an angular velocity and acceleration."""
        return motion.second_rate(self._stored, form, extrinsic, frame, velocity, acceleration)

    def condition(self, form: str, *, extrinsic: bool = False) -> Any:
        """The condition number of ẋ = Γ ω in a form: 1 at best, infinite where the form is singular."""
        return motion.condition(self._stored, form, extrinsic)

    def local(self, form: str, *, extrinsic: bool = False) -> Local:
        """The coordinates in a form, far from its singularity: where it is near, referred to another rotation.

        Its `values` are the coordinates x, and R = R_ref R(x) with the rotations `reference`.
        """
        if self.is_exact:
            message = "the form of symbols is singular for some of their values only: there is no better reference."
            cure = "Take `coordinates(form)`; `condition(form)` says where it is singular."
            raise PolhodeError(message, cure=cure, code="E-ROTATION-SINGULAR")
        reference = Rotation(Stored(reference_for(motion.chart_of(form, extrinsic), self._stored.lift), self.shape))
        return Local(form, (reference.inverse() @ self).coordinates(form, extrinsic=extrinsic), reference, extrinsic)

    # as a batch

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the batch; () for one rotation."""
        return self._stored.batch or ()

    @property
    def is_exact(self) -> bool:
        """Whether it is of expressions."""
        return self._stored.is_exact

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("one rotation has no length")
        return self.shape[0]

    def __getitem__(self, index: Any) -> Rotation:
        if not self.shape:
            raise ShapeError("one rotation is no batch.", cure="Leave out the index.", code="E-ROTATION-SHAPE")
        picked = joined(self._stored.lift, self.shape)[index]
        return Rotation(Stored(split(picked), picked.shape[:-1]))

    def __iter__(self) -> Iterator[Rotation]:
        return (self[k] for k in range(len(self)))

    def exact(self) -> Rotation:
        """The same of exact numbers: exactly orthogonal, within 1e-15 of the floats; right angles become right."""
        return Rotation(exactly(self._stored))

    def exact_matrix(self) -> Matrix:
        """The matrix of exact numbers or expressions, as a model takes it."""
        matrix: Matrix = self.exact().matrix
        return matrix

    def __repr__(self) -> str:
        if self.is_exact:
            return f"Rotation({self.matrix!r})"
        if self.shape:
            return f"<{'×'.join(map(str, self.shape))} rotations>"
        return f"Rotation.from_quaternion({[float(e) for e in self._stored.lift]})"


Exact = bool | None


def of_matrix(R: Any, nearest: bool, exact: Exact) -> Stored:
    entries = read(matrix_of(R), (3, 3), "a rotation matrix", exact)
    if not any(map(is_array, entries)):
        return of_exact_matrix(as_rotation(Matrix([entries[0:3], entries[3:6], entries[6:9]]), "from_matrix"))
    return numeric(CHARTS["matrix"].lift(checked(entries, nearest)), "a rotation matrix")


def of_sine_vector(d: Any, cosine: Any, exact: Exact) -> Stored:
    exact = is_exact(d) or is_exact(cosine) if exact is None else exact
    entries = read(d, (3,), "a sine vector", exact)
    if cosine is not None:
        scalar = as_expr(cosine) if exact else finite(cosine, "a cosine")
        batch_of((scalar, *entries))
        return of_coordinates(CHARTS["quaternion"], (scalar, *entries), "the sine vector with its cosine")
    _check_length(entries, 1, "a sine vector")
    return of_coordinates(CHARTS["sine"], entries)


def of_axial_vector(a: Any, far: Any, exact: Exact) -> Stored:
    entries = read(a, (3,), "an axial vector", exact)
    _check_length(entries, 2, "an axial vector")
    near = of_coordinates(CHARTS["axial"], entries)
    if far is False:
        return near
    beyond = far_lift(entries)
    if near.is_exact:
        return symbolic(beyond, from_lift(beyond))
    import numpy as np

    there = np.asarray(far, dtype=bool)
    batch_of((there, *near.lift))
    return numeric(tuple(np.where(there, b, n) for b, n in zip(beyond, near.lift, strict=True)), "the axial vector")


def of_axis_angle(axis: Any, angle: Any, exact: Exact) -> Stored:
    if is_exact(axis) or is_exact(angle) if exact is None else exact:
        n, half = unit_axis(axis), as_expr(angle) / 2
        return symbolic((cos(half), *scaled(sin(half), n)), about(n, as_expr(angle)))
    components = [float(x) for x in unit_axis(axis)] if isinstance(axis, str) else axis
    direction = numeric((0, *read(components, (3,), "an axis", False)), "the axis").lift[1:]
    turn = finite(angle, "an angle") / 2
    batch_of((turn, *direction))
    return numeric((cos(turn), *scaled(sin(turn), direction)), "the axis")


def of_angles(sequence: str, angles: Any, extrinsic: bool, degrees: bool, exact: Exact) -> Stored:
    word = digits_of(sequence)
    if len(word) == 1:
        angles = one_column(angles)
    x = read(angles, (len(word),), f"a list of angles {shown(sequence)}", exact)
    if degrees:
        x = tuple(angle * (float(pi) / 180) if is_array(angle) else angle * pi / 180 for angle in x)
    if len(word) == 3:
        return of_coordinates(chart_named(word, extrinsic), x)
    if extrinsic:
        word, x = word[::-1], x[::-1]
    lift = sequence_lift(word, x)
    if any(map(is_array, x)):
        return numeric(lift, "a turn")
    return symbolic(lift, rotation(*zip(("xyz"[int(digit) - 1] for digit in word), x, strict=True)))


def of_turns(turns: Iterable[Any], exact: Exact) -> Stored:
    exact = is_exact(turns) if exact is None else exact
    result = identity(None, exact)
    for turn in turns:
        with understood("a turn", turn, cure='Give an axis and an angle, for example ("z", 0.3).'):
            axis, angle = turn
            result = composed(result, of_axis_angle(axis, angle, exact))
    return result


def identity(count: int | tuple[int, ...] | None, exact: bool) -> Stored:
    if exact:
        return symbolic((1, 0, 0, 0), Matrix.identity(3))
    import numpy as np

    ones = np.ones(_shape(count))
    return Stored((ones, 0 * ones, 0 * ones, 0 * ones), ones.shape)


def random(count: int | tuple[int, ...] | None, seed: Any) -> Stored:
    import numpy as np

    with understood("a seed", seed, cure="Give a whole number, or a generator of NumPy's."):
        generator = np.random.default_rng(seed)
    return numeric(split(generator.standard_normal((*_shape(count), 4))), "a random quaternion")


def _shape(count: Any) -> tuple[int, ...]:
    with understood("a size", count, cure="Give a number of rotations, or the shape of a batch."):
        shape = () if count is None else (count,) if isinstance(count, int) else tuple(count)
        if any(size < 0 for size in shape):
            raise ValueError
    return shape


def _check_length(x: Components, longest: int, what: str) -> None:
    """Refuse a sine or axial vector of numbers that no rotation has."""
    if not any(map(is_array, x)):
        return
    import numpy as np

    with np.errstate(over="ignore"):
        length = np.sqrt(dot(x, x))
    bad = length > longest * (1 + 1e-9)
    if np.any(bad):
        message = f"{first_true(bad)} is given by {what} of length {length[bad].flat[0]:.6g}."
        raise PolhodeError(message, cure=f"It is at most {longest}.", code="E-ROTATION-NUMBER")


#: Up to this condition a chart is taken from the identity.
WORST = 8.0


@dataclass(frozen=True)
class Local:
    """Coordinates in a form, and the rotations that they are referred to."""

    form: str
    values: np.ndarray
    reference: Rotation
    extrinsic: bool = False

    @property
    def rotation(self) -> Rotation:
        """R = R_ref R(x)."""
        return self.reference @ type(self.reference).from_coordinates(
            self.form, self.values, extrinsic=self.extrinsic, exact=False
        )


def reference_for(chart: Chart, q: Components) -> Components:
    """The quaternions of the references from which a chart is taken at unit quaternions q."""
    import numpy as np

    cube = np.array(CUBE, dtype=float)
    cube /= np.sqrt((cube * cube).sum(axis=1, keepdims=True))
    chosen = np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*np.shape(q[0]), 4)).copy()
    near = np.asarray(_condition(chart, q) > WORST)
    there = tuple(np.asarray(e)[near] for e in q)
    conditions = [_condition(chart, product(conjugate(split(reference)), there)) for reference in cube]
    chosen[near] = cube[np.argmin(conditions, axis=0)]
    return split(chosen)


def _condition(chart: Chart, q: Components) -> np.ndarray:
    with silent():
        return joined((chart.condition(q),), q[0].shape)[..., 0]
