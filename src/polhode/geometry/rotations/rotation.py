"""A rotation, or a batch of them, in every form: symbols exactly, numbers as arrays, behind one interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

from ...errors import PolhodeError, ShapeError, check_kind
from ...expr import Matrix, Vector, as_expr, is_zero, pi
from . import making, motion, spinor
from .charts import CHARTS
from .euler import three_digits_of
from .exponential import angle_of
from .local import Local, reference_for
from .quaternion import from_quaternion, unit
from .scalars import applied, dot, joined, scaled, split, sqrt
from .stored import Stored, composed, coordinates_in, exactly, inverse
from .values import any_true, batch_of, broadcast, finite, first_true, is_exact, read, written, written_spinor

Frame = Literal["body", "space"]
#: The constructor of each form that is no sequence.
_FROM = {
    "matrix": "from_matrix", "quaternion": "from_quaternion", "spinor": "from_spinor", "vector": "from_vector",
    "sine": "from_sine_vector", "axial": "from_axial_vector", "exponential": "from_exponential",
}  # fmt: skip


class Rotation:
    """Rotations in every form; made by `from_…`, composed by `@`, a batch of them indexed as an array is.

    R = r.matrix takes components in the turned frame to components in the one that stays, x' = R x; `r @ s` has the
    matrix R S: s is given in the axes that r has turned. What is made of expressions is exact, what is made of floats
    is NumPy's; with `exact=True` a decimal is taken for the rational that it spells. Sequences of angles are about axes
    that move, or `extrinsic`, in radians or `degrees`; rotations are equal within a `tolerance`; a batch has a `count`.

    >>> from polhode.expr import symbols
    >>> c = symbols("c1 c2 c3")
    >>> r = Rotation.from_vector(c)
    >>> r.rate((1, 0, 0), form="vector")
    Vector([(1 + c1**2)/2, (c1*c2 + c3)/2, (c1*c3 - c2)/2])
    >>> r = Rotation.from_euler("z", 0.3) @ Rotation.from_euler("z", 0.4)
    >>> r.exponential.round(12)
    array([0. , 0. , 0.7])

    Every form goes to every other, and so do rates:

    >>> quarter = Rotation.from_axis_angle((0, 0, 1), pi / 2)
    >>> quarter.matrix, quarter.is_exact, quarter.vector, quarter.axial_vector
    (Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), True, Vector([0, 0, 1]), Vector([0, 0, 2]))
    >>> quarter.apply((1, 0, 0)), quarter.coordinates("matrix") == quarter.matrix
    (Vector([0, 1, 0]), True)
    >>> (quarter @ quarter.inverse()).equals(Rotation.identity())
    True
    >>> half = Rotation.identity().interpolate(Rotation.from_matrix([[0, -1, 0], [1, 0, 0], [0, 0, 1]]), 0.5)
    >>> half.quaternion.round(3), float(half.angle.round(6)), half.axis.round(6), half.unitary.shape, half.shape
    (array([0.924, 0.   , 0.   , 0.383]), 0.785398, array([0., 0., 1.]), (2, 2), ())
    >>> same = [Rotation.from_quaternion(half.quaternion), Rotation.from_spinor(half.spinor)]
    >>> same += [Rotation.from_vector(half.vector)]
    >>> same += [Rotation.from_sine_vector(half.sine_vector), Rotation.from_axial_vector(half.axial_vector)]
    >>> same += [Rotation.from_exponential(half.exponential), Rotation.from_coordinates("zyx", half.euler("zyx"))]
    >>> [bool(each.equals(half)) for each in same]
    [True, True, True, True, True, True, True]
    >>> half.velocity((0, 0, 1), form="exponential"), half.acceleration((0, 0, 1), (0, 0, 2), form="exponential")
    (array([0., 0., 1.]), array([0., 0., 2.]))
    >>> half.second_rate((0, 0, 1), (0, 0, 2), form="exponential"), float(half.condition("zyx"))
    (array([0., 0., 2.]), 1.0)
    >>> Rotation.random(5, seed=1).shape, Rotation.from_euler("z", 0.5).exact().is_exact
    ((5,), True)
    >>> Rotation.from_euler("z", 0).exact_matrix()
    Matrix([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
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
        return Rotation(making.of_matrix(R, nearest, exact))

    @staticmethod
    def from_quaternion(q: Any, *, scalar_first: bool = True, exact: bool | None = None) -> Rotation:
        """Of a quaternion `q` of any length but zero, its scalar first; last with `scalar_first=False`."""
        return Rotation(making.of_quaternion(q, scalar_first, exact))

    @staticmethod
    def from_spinor(psi: Any, *, exact: bool | None = None) -> Rotation:
        """Of a spinor `psi` (ψ1, ψ2) = (β3 + iβ0, β1 + iβ2)."""
        return Rotation(making.of_spinor(psi, exact))

    @staticmethod
    def from_vector(c: Any, *, exact: bool | None = None) -> Rotation:
        """Of a vector-parameter c = n tan(θ/2)."""
        return Rotation(making.of_vector(c, exact))

    @staticmethod
    def from_sine_vector(d: Any, *, cosine: Any = None, exact: bool | None = None) -> Rotation:
        """Of a sine vector d = n sin(θ/2), not longer than 1.

        `cosine` is cos(θ/2) where it is known, as the scalar of a unit quaternion is: then there is no root, and
        nothing is lost near a half turn.
        """
        return Rotation(making.of_sine_vector(d, cosine, exact))

    @staticmethod
    def from_axial_vector(a: Any, *, far: Any = False, exact: bool | None = None) -> Rotation:
        """Of an axial vector a = 2 n sin θ, not longer than 2: a turn up to a right angle, with `far` one beyond it."""
        return Rotation(making.of_axial_vector(a, far, exact))

    @staticmethod
    def from_exponential(l: Any, *, exact: bool | None = None) -> Rotation:
        """Of an exponential vector l = θ n (a rotation vector), of any length.

        >>> Rotation.from_rotvec((0, 0, 0.5)) == Rotation.from_exponential((0, 0, 0.5))
        True
        """
        return Rotation(making.of_exponential(l, exact))

    from_rotvec = from_exponential

    @staticmethod
    def from_axis_angle(axis: Any, angle: Any, *, exact: bool | None = None) -> Rotation:
        """Of an axis (a letter or a direction) and the angle about it."""
        return Rotation(making.of_axis_angle(axis, angle, exact))

    @staticmethod
    def from_euler(
        sequence: str, angles: Any, *, extrinsic: bool = False, degrees: bool = False, exact: bool | None = None
    ) -> Rotation:
        """Of the angles of a sequence of one to three axes, "zxz" or "313", in capitals or not.

        R = R_i(a) R_j(b) R_k(c), each turn about an axis that the turns before it have moved; with `extrinsic=True`
        about axes that stay, R = R_k(c) R_j(b) R_i(a). (SciPy takes small letters for the latter.)
        """
        return Rotation(making.of_angles(sequence, angles, extrinsic, degrees, exact))

    @staticmethod
    def from_turns(*turns: tuple[str | Iterable[Any], Any], exact: bool | None = None) -> Rotation:
        """Of successive turns about axes that move along: `from_turns(("z", yaw), ("y", pitch), ("x", roll))`.

        >>> from polhode.expr import pi
        >>> Rotation.from_turns(("z", pi / 2)).vector
        Vector([0, 0, 1])
        """
        return Rotation(making.of_turns(turns, exact))

    @staticmethod
    def from_coordinates(form: str, x: Any, *, extrinsic: bool = False, exact: bool | None = None) -> Rotation:
        """Of coordinates in a form by its name; see `coordinates`."""
        if form in _FROM:
            made: Rotation = getattr(Rotation, _FROM[form])(x, exact=exact)
            return made
        motion.chart_of(form, extrinsic)
        return Rotation.from_euler(form, x, extrinsic=extrinsic, exact=exact)

    @staticmethod
    def identity(count: int | tuple[int, ...] | None = None, *, exact: bool = False) -> Rotation:
        """No rotation, or a batch of them."""
        return Rotation(making.identity(count, exact))

    @staticmethod
    def random(count: int | tuple[int, ...] | None = None, seed: Any = None) -> Rotation:
        """Rotations that are evenly distributed: one, or a batch."""
        return Rotation(making.random(count, seed))

    # in each form

    @property
    def matrix(self) -> Any:
        """R, 3×3: x' = R x."""
        return self.coordinates("matrix")

    @property
    def quaternion(self) -> Any:
        """The unit quaternion, scalar first; its opposite is the same rotation."""
        return self.coordinates("quaternion")

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

    @property
    def vector(self) -> Any:
        """The vector-parameter c = n tan(θ/2), which a half turn does not have."""
        return self.coordinates("vector")

    @property
    def sine_vector(self) -> Any:
        """d = n sin(θ/2), θ from 0 to π."""
        return self.coordinates("sine")

    @property
    def axial_vector(self) -> Any:
        """a = 2 n sin θ, the vector of R - Rᵀ."""
        return self.coordinates("axial")

    @property
    def exponential(self) -> Any:
        """l = θ n, θ from 0 to π."""
        return self.coordinates("exponential")

    def euler(self, sequence: str, *, extrinsic: bool = False, degrees: bool = False) -> Any:
        """The angles of a sequence of three axes; in gimbal lock one of the outer two is zero.

        It is the last of an intrinsic sequence, the first of an extrinsic one: the turn that is written last in R.
        """
        found = self.coordinates(three_digits_of(sequence), extrinsic=extrinsic)
        if not degrees:
            return found
        return found * (180 / (pi if self.is_exact else float(pi)))

    def coordinates(self, form: str, *, extrinsic: bool = False) -> Any:
        """The coordinates in a form: matrix, quaternion, spinor, vector, sine, axial, exponential, or a sequence."""
        if form == "spinor":
            return self.spinor
        chart = motion.chart_of(form, extrinsic)
        return written(coordinates_in(self._stored, chart, form), chart.shape, self._stored.batch)

    @property
    def angle(self) -> Any:
        """The angle θ, from 0 to π."""
        found = angle_of(self._stored.lift)
        return as_expr(found) if self.is_exact else found

    @property
    def axis(self) -> Any:
        """The unit vector n about which it turns by `angle`."""
        d = CHARTS["sine"].coordinates(self._stored.lift)
        square = dot(d, d)
        without = is_zero(square) if self.is_exact else square == 0
        if any_true(without):
            raise PolhodeError(
                f"{first_true(without)} is by a zero angle and has no axis.",
                cure="Take `exponential`, which is zero there.",
                code="E-ROT-007",
            )
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
            made: Vector = turned.exact().matrix @ Vector(read(x, (3,), "a vector", True))
            return made
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
        """Whether two are one rotation, as `equals` tells; rotations of numbers are near, and so none has a hash.

        >>> quarter = Rotation.from_euler("z", 90, degrees=True)
        >>> quarter @ quarter.inverse() == Rotation.identity()
        True
        """
        if not isinstance(other, Rotation):
            return NotImplemented
        if self.shape or other.shape:
            raise ShapeError(
                "a batch of rotations is not equal or unequal as a whole.",
                cure="Take r.equals(s), an array of answers, and its all() or any().",
                code="E-ROT-022",
            )
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

        >>> r = Rotation.from_euler("z", 3.0)
        >>> r.vector.round(3), r.local("vector").values.round(3)
        (array([ 0.   ,  0.   , 14.101]), array([ 0.   ,  0.   , -0.071]))
        """
        if self.is_exact:
            raise PolhodeError(
                "the form of symbols is singular for some of their values only: there is no better reference.",
                cure="Take `coordinates(form)`; `condition(form)` says where it is singular.",
                code="E-ROT-018",
            )
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
            raise ShapeError("one rotation is no batch.", cure="Leave out the index.", code="E-ROT-008")
        picked = joined(self._stored.lift, self.shape)[index]
        return Rotation(Stored(split(picked), picked.shape[:-1]))

    def __iter__(self) -> Iterator[Rotation]:
        return (self[k] for k in range(len(self)))

    def exact(self) -> Rotation:
        """The same of exact numbers: exactly orthogonal, within 1e-15 of the floats; right angles become right."""
        return Rotation(exactly(self._stored))

    def exact_matrix(self) -> Matrix:
        """The matrix of exact numbers or expressions, as a model takes it."""
        made: Matrix = self.exact().matrix
        return made

    def __repr__(self) -> str:
        if self.is_exact:
            return f"Rotation({self.matrix!r})"
        if self.shape:
            return f"<{'×'.join(map(str, self.shape))} rotations>"
        return f"Rotation.from_quaternion({[float(e) for e in self._stored.lift]})"
