"""Mladenova, Tables 1 and 2: what vector-parameters cost beside matrices, and why the 30 % do not come out.

Each formula is run on scalars that only count, with the fewest operations that we know for it; what the plan of a real
arm takes is counted too. Multiplications, additions, divisions and transcendental functions; signs and halves are free,
as in the tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import polhode as ph
from polhode.expr import Matrix, Vector


class Count(NamedTuple):
    m: int
    a: int
    d: int = 0
    f: int = 0


@dataclass
class Counter:
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys("madf", 0))

    def number(self) -> Number:
        return Number(self)

    def vector(self) -> Vector:
        return Vector([self.number() for _ in range(3)])

    @property
    def total(self) -> Count:
        return Count(*self.counts.values())


class Number:
    """A number that counts what is done with it; whole numbers beside it are part of the formula."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter

    def _one(self, kind: str) -> Number:
        self.counter.counts[kind] += 1
        return self

    def __add__(self, other: Any) -> Number:
        return self if isinstance(other, int) and other == 0 else self._one("a")

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, int):
            return self if other else 0
        return self._one("m")

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Number:
        return self._one("d")

    def __neg__(self) -> Number:
        return self

    def function(self) -> Number:
        """A sine, cosine or tangent."""
        return self._one("f")


def composed(c: Counter) -> None:
    """(c1 + c2 + c1 × c2)/(1 - c1·c2), (67)."""
    one, two = c.vector(), c.vector()
    bottom = 1 - one.dot(two)
    _ = [entry / bottom for entry in one + two + one.cross(two)]


def turned(c: Counter) -> None:
    """O(c) p = p + k c × (p + c × p), k = 2/(1 + c²): the shortest form of (65) that we know."""
    v, p = c.vector(), c.vector()
    k = c.number() / (1 + v.dot(v))
    _ = p + (v * k).cross(p + v.cross(p))


def of_euler_angles(c: Counter) -> None:
    """(71): three products with 1/cos((ψ + φ)/2), five functions."""
    t, both, apart = c.number().function(), c.number() + c.number(), c.number() - c.number()
    scale = t / both.function()
    _ = [scale * apart.function(), scale * apart.function(), both.function()]


def of_bryant_angles(c: Counter) -> None:
    """(74)."""
    t1, t2, t3 = (c.number().function() for _ in range(3))
    t12 = t1 * t2
    bottom = 1 + t12 * t3
    _ = [(t1 - t2 * t3) / bottom, (t2 + t1 * t3) / bottom, (t3 - t12) / bottom]


def of_euler_parameters(c: Counter) -> None:
    """(72), corrected."""
    q0 = c.number()
    _ = [entry / q0 for entry in c.vector()]


def of_denavit_hartenberg(c: Counter) -> None:
    """⟨(0, 0, tan θ/2), (tan α/2, 0, 0)⟩, whose denominator is 1."""
    theta, alpha = c.number().function(), c.number().function()
    _ = [alpha, theta * alpha, theta]


def matrix_times_vector(c: Counter) -> None:
    _ = Matrix([c.vector() for _ in range(3)]) @ c.vector()


def denavit_hartenberg_step(c: Counter) -> None:
    """A point through one 4×4 matrix of Denavit and Hartenberg, whose entry (3, 1) is zero."""
    rows = Matrix([c.vector(), c.vector(), Vector([0, c.number(), c.number()])])
    _ = rows @ c.vector() + c.vector()


def count(formula: Any) -> Count:
    counter = Counter()
    formula(counter)
    return counter.total


#: Table 1 as printed: (m, a, f) of the matrix method for each joint, and of forming c, turning p, composing.
TABLE_1 = {
    "Eulerian angles": ((20, 10, 6), (3, 2, 5)),
    "Bryant angles": ((22, 10, 6), (5, 0, 3)),
    "Eulerian parameters": ((19, 16, 0), (3, 4, 0)),
    "Denavit-Hartenberg": ((14, 8, 4), (1, 0, 2)),
}
TURNED, COMPOSED = (14, 15), (10, 12)  # printed for O(c) p and ⟨c1, c2⟩


def printed_totals(row: str) -> tuple[int, tuple[int, int]]:
    """All operations for each joint by matrices; those by vector-parameters, for each joint and besides."""
    matrix, (m, a, f) = TABLE_1[row]
    return sum(matrix), (m + a + f + sum(COMPOSED), sum(TURNED) - sum(COMPOSED))


def test_table_1_adds_up_to_its_own_totals() -> None:
    totals = {row: printed_totals(row) for row in TABLE_1}
    assert totals["Eulerian angles"] == (36, (32, 7))
    assert totals["Bryant angles"] == (38, (30, 7))
    assert totals["Eulerian parameters"] == (35, (29, 7))
    assert totals["Denavit-Hartenberg"] == (26, (25, 7))


def test_table_1_saves_nowhere_thirty_per_cent_and_on_six_joints_of_an_arm_nothing() -> None:
    for row in TABLE_1:
        matrix, (each, _) = printed_totals(row)
        assert 1 - each / matrix < 0.22  # even without what is added once
    matrix, (each, besides) = printed_totals("Denavit-Hartenberg")
    assert 6 * each + besides == 157 > 6 * matrix == 156


def test_composition_takes_nine_multiplications_and_three_divisions() -> None:
    assert count(composed) == Count(9, 12, d=3)  # printed: 10 and 12


def test_turning_a_vector_takes_eighteen_multiplications_and_a_division() -> None:
    assert count(turned) == Count(18, 15, d=1)  # printed: 14 and 15


def test_the_rows_of_bryant_angles_and_eulerian_parameters_have_their_additions_swapped() -> None:
    assert count(of_bryant_angles) == Count(4, 4, d=3, f=3)  # printed: no addition
    assert count(of_euler_parameters) == Count(0, 0, d=3)  # printed: four additions
    assert (TABLE_1["Bryant angles"][1][1], TABLE_1["Eulerian parameters"][1][1]) == (0, 4)
    assert count(of_euler_angles) == Count(2, 2, d=1, f=5)
    assert count(of_denavit_hartenberg) == Count(1, 0, f=2)


def test_a_matrix_without_zeros_takes_nine_multiplications_by_a_vector() -> None:
    assert count(matrix_times_vector) == Count(9, 6)  # printed: 8, which holds for Denavit and Hartenberg alone
    assert count(denavit_hartenberg_step) == Count(8, 8)


def test_table_1_compares_the_turn_of_one_vector_with_the_motion_of_a_chain() -> None:
    """Where every link has an offset, (108) turns n vectors: 25 and more products a joint against 14 by matrices."""
    each = [sum(pair) for pair in zip(count(composed), count(turned), count(of_denavit_hartenberg), strict=True)]
    assert each == [28, 27, 4, 2]
    matrix, _ = TABLE_1["Denavit-Hartenberg"]
    assert each[0] > 14 == matrix[0] and each[1] > 8 == matrix[1]


#: Table 2 as printed: multiplications, additions, functions, each as (a, b) for a n + b.
TABLE_2 = {
    "B": (((30, -55), (15, -38), (2, -2)), ((24, -42), (22, -41), (1, 0))),
    "C": (((30, -11), (18, -20), (2, 0)), ((24, -6), (22, -3), (1, 0))),
    "D": (((30, -87), (15, -66), (2, -2)), ((24, -52), (22, -60), (1, 0))),
    "E": (((30, -25), (15, -22), (2, 0)), ((24, -26), (22, -26), (1, 0))),
    "F": (((30, -18), (14, -15), (2, 0)), ((24, -10), (22, -12), (1, 0))),
}


def test_table_2_trades_multiplications_for_additions_and_saves_nothing() -> None:
    at_6 = {row: [sum(a * 6 + b for a, b in side) for side in sides] for row, sides in TABLE_2.items()}
    assert at_6 == {"B": [187, 199], "C": [269, 273], "D": [127, 170], "E": [235, 230], "F": [243, 260]}
    for matrix, vector in TABLE_2.values():
        slopes = [sum(a for a, _ in side) for side in (matrix, vector)]
        assert slopes[1] == 47 and slopes[0] in (46, 47, 50)
        assert vector[0][0] / matrix[0][0] == 0.8  # a fifth of the multiplications, no more


def arm(n: int, storage: str) -> ph.Equations:
    """n revolute joints with offsets and twists of which nothing is known."""
    s = ph.System("arm")
    body: ph.Body = s.ground
    for k in range(n):
        a, d, alpha = (s.parameter(f"{name}{k}") for name in ("a", "d", "alpha"))
        link = s.body(f"link{k}", 1)
        s.joint(f"q{k}", body, link, ph.Revolute("z", storage), at=(a, 0, d), rotation=("x", alpha))
        body = link
    s.frame("tip", body, (s.parameter("a"), 0, s.parameter("d")))
    return s.derive("newton_euler")


def test_our_jacobian_of_a_general_arm_takes_36_multiplications_a_joint_in_angles_and_38_in_vector_parameters() -> None:
    """0J_E, row C: printed 30n - 11 and 24n - 6. A vector-parameter saves the sine and cosine, and costs a division."""
    for n in (3, 4, 5):
        angles, vectors = (arm(n, storage).operations(of=ph.JacobianOf("tip")) for storage in ("angles", "vector"))
        assert (angles.multiplications, angles.additions) == (36 * n - 37, 24 * n - 25)
        assert (angles.divisions, angles.sincos) == (0, n)
        assert (vectors.multiplications, vectors.additions) == (38 * n - 37, 26 * n - 25)
        assert (vectors.divisions, vectors.sincos) == (n, 0)
