"""Mladenova, sections 2.2 and 2.3: quaternions and spinors, (21) to (63), on symbols and by fingerprint."""

import numpy as np
from tests.papers.rotation_group import along, b, moving, same, w, x

from polhode import Matrix, Rotation, Vector
from polhode.expr import symbols, unit_symbols
from polhode.geometry.rotations.quaternion import conjugate, left_matrix, product
from polhode.geometry.rotations.spinor import Complex, I, quaternion_of, spinor_matrix, spinor_of, unitary_of

b0, b1, b2, b3 = b
BETA, X = Vector(b[1:]), Vector(x)
R = Rotation.from_quaternion(b)
COLUMNS = R.matrix.columns  # b, d and a of section 2.3
RATE = R.rate(w, "quaternion")
SPACE = R.apply(w)
PSI = spinor_of(b)
P1, P2 = PSI
Q1, Q2 = P1.conjugate, P2.conjugate
PAULI = [
    Matrix([[Complex(0), Complex(1)], [Complex(1), Complex(0)]]),
    Matrix([[Complex(0), -I], [I, Complex(0)]]),
    Matrix([[Complex(1), Complex(0)], [Complex(0), Complex(-1)]]),
]


def times(A: Matrix, v: Vector) -> Vector:
    """A matrix times a vector over complex numbers."""
    return Vector([sum((A[i, k] * v[k] for k in range(2)), Complex(0)) for i in range(2)])


def real(z: Complex) -> object:
    assert same(z.im, 0)
    return z.re


def test_equation_21_left_multiplication() -> None:
    p, q = symbols("p0 p1 p2 p3"), symbols("q0 q1 q2 q3")
    assert same(left_matrix(q) @ Vector(p), product(q, p))
    i, j, k = np.eye(4)[1:]
    assert all(product(unit, unit) == (-1, 0, 0, 0) for unit in (i, j, k)) and product(product(i, j), k) == (
        -1,
        0,
        0,
        0,
    )


def test_equation_22_the_product_of_two_quaternions() -> None:
    (s1, *one), (s2, *two) = symbols("p0 p1 p2 p3"), symbols("q0 q1 q2 q3")
    v1, v2 = Vector(one), Vector(two)
    assert same(product((s1, *one), (s2, *two)), (s1 * s2 - v1.dot(v2), *(v2 * s1 + v1 * s2 + v1.cross(v2))))


def test_equations_23_to_25_with_the_parentheses_that_the_line_before_them_lacks() -> None:
    inner = X * b0 + BETA.cross(X)
    scalar = b0 * BETA.dot(X) - BETA.dot(inner)
    turned = inner * b0 + BETA * BETA.dot(X) + BETA.cross(inner)
    assert same(scalar, 0) and same(turned, R.apply(x))
    printed = X * (b0 * b0) + BETA.cross(X) + BETA * BETA.dot(X) + BETA.cross(inner)
    assert not same(printed, R.apply(x))
    assert same((BETA.dot(X), *inner), product((0, *x), conjugate(b)))  # (24) is the second factor of (25)
    assert same(product(product(b, (0, *x)), conjugate(b)), (0, *R.apply(x)))


def test_equation_26_and_the_kinematics_of_quaternions() -> None:
    hat = left_matrix
    assert same(hat(b) @ (hat((0, *x)) @ Vector(conjugate(b))), (0, *R.apply(x)))
    assert same(RATE, hat((0, *SPACE)) @ Vector(b) / 2)
    assert same(hat(RATE) @ Vector(conjugate(b)) * 2, (0, *SPACE))  # printed with b for its rate
    assert same(hat(conjugate(b)) @ RATE * 2, (0, *w))
    assert not same(hat(b) @ RATE * 2, (0, *w))  # the matrix that is printed is that of b, not of its conjugate


def test_equations_27_to_33_the_third_column() -> None:
    a = COLUMNS[2]
    assert same(P1, Complex(b3, b0)) and same(P2, Complex(b1, b2))  # (30), (40)
    assert same(real(P1 * Q2 + Q1 * P2), a[0])  # (27), (31)
    assert same(real(I * (P1 * Q2 - Q1 * P2)), a[1])  # (28), (32)
    assert same(real(P1 * Q1 - P2 * Q2), a[2])  # (29), (33)
    assert not same(P1 * Q2 - Q1 * P2, Complex(a[2]))  # (33) as printed: an imaginary number


def test_equations_34_to_39_the_first_and_second_columns() -> None:
    first, second, _ = COLUMNS
    half_i = Complex(0, 1) / 2
    assert same(real((P2 * P2 + Q2 * Q2 - P1 * P1 - Q1 * Q1) / 2), first[0])  # (34)
    assert same(real(half_i * (Q1 * Q1 + Q2 * Q2 - P1 * P1 - P2 * P2)), first[1])  # (35), printed as zero
    assert same(real(P1 * P2 + Q1 * Q2), first[2])  # (36)
    assert same(real(half_i * (P1 * P1 - Q1 * Q1 - P2 * P2 + Q2 * Q2)), second[0])  # (37)
    assert same(real(-(P1 * P1 + Q1 * Q1 + P2 * P2 + Q2 * Q2) / 2), second[1])  # (38)
    assert not same(-(P1 * P1 + Q1 * Q1 + P2 * P2 - Q2 * Q2) / 2, Complex(second[1]))  # as printed
    assert same(real(I * (Q1 * Q2 - P1 * P2)), second[2])  # (39)


def test_the_third_column_by_paulis_matrices() -> None:
    found = [sum((bar * z for bar, z in zip((Q1, Q2), times(s, PSI), strict=True)), Complex(0)) for s in PAULI]
    assert same([real(z) for z in found], COLUMNS[2])
    assert same(I * (Q2 * P1 - Q1 * P2), found[1])
    assert not same(I * (P2 * P1 - P1 * P2), found[1])  # without bars, as printed


def test_equations_41_to_47_the_stereographic_projection() -> None:
    a1, a2, a3 = COLUMNS[2]
    xi = Complex(a1, a2) / (1 + a3)  # so in (44) and (46); (42) and (43) call its conjugate so
    assert same(xi, P2 / P1)  # (47)
    assert not same(xi.conjugate, P2 / P1)
    assert same(Complex(1 + a3), Complex(a1, a2) / xi) and same(
        Complex(1 + a3), Complex(a1, -a2) / xi.conjugate
    )  # (44)
    assert same(a3, (1 - xi.square) / (1 + xi.square))  # (45)
    assert same(real((xi + xi.conjugate) * (1 + a3) / 2), a1)  # (46)
    assert same(real(Complex(0, -1) / 2 * (xi - xi.conjugate) * (1 + a3)), a2)
    t = 1 / (1 + a3)  # (41): the line from (0, 0, -1), which the text calls (0, 0, 1)
    assert same(-1 + t * (a3 + 1), 0) and same(Vector([a1, a2]) * t, [xi.re, xi.im])


def test_equations_48_and_49_a_rotation_of_the_sphere_is_a_fractional_linear_map() -> None:
    p = unit_symbols(["p0", "p1", "p2", "p3"])
    before = spinor_of(p)
    after = times(unitary_of(b), before)  # (49)
    assert same(quaternion_of(after), product(b, p))
    xi = before[1] / before[0]
    top, bottom = Complex(b0, b3) * xi + Complex(b2, -b1), -(Complex(b2, b1) * xi)
    assert same(top / (bottom + Complex(b0, -b3)), after[1] / after[0])
    assert not same(top / (bottom + Complex(b0, b3)), after[1] / after[0])  # (48) as printed
    (alpha, beta), (gamma, delta) = unitary_of(b)
    assert same(alpha * delta - beta * gamma, Complex(1, 0))
    assert same(Rotation.from_quaternion(b).unitary, unitary_of(b))


def test_equations_50_to_53_spinors_of_quaternions() -> None:
    p, q = symbols("p0 p1 p2 p3"), symbols("q0 q1 q2 q3")
    scale = symbols("s")[0]
    assert same(quaternion_of(spinor_of(q)), q)
    assert same(spinor_of([scale * a + c for a, c in zip(p, q, strict=True)]),
                [scale * z + y for z, y in zip(spinor_of(p), spinor_of(q), strict=True)])  # fmt: skip
    # (51) prints a complex factor; by i of the quaternions it is another map than by i of the numbers
    assert not same(spinor_of(product((0, 1, 0, 0), q)), [I * z for z in spinor_of(q)])
    assert same(sum(z.square for z in spinor_of(q)), sum(a * a for a in q))
    assert same(spinor_of(conjugate(q)), (Complex(-q[3], q[0]), Complex(-q[1], -q[2])))  # (52)
    assert same([-I * z for z in times(spinor_matrix(q), spinor_of(p))], spinor_of(product(q, p)))  # (53)


def test_equations_54_to_56_matrices_of_spinors() -> None:
    q = symbols("q0 q1 q2 q3")
    one = Matrix([[Complex(1), Complex(0)], [Complex(0), Complex(1)]])
    made = [[one[i, j] * (I * q[0]) + sum((PAULI[k][i, j] * q[k + 1] for k in range(3)), Complex(0)) for j in (0, 1)]
            for i in (0, 1)]  # fmt: skip
    assert same(made, spinor_matrix(q))  # (54)
    (a, c), (d, e) = spinor_matrix(q)
    assert same(a * e - c * d, Complex(-sum(entry * entry for entry in q)))
    assert same(times(spinor_matrix(q), Vector([Complex(1), Complex(0)])), spinor_of(q))  # (55)
    basis = [spinor_of(unit) for unit in np.eye(4, dtype=int).tolist()]
    assert same(basis, [(I, 0 * I), (0 * I, Complex(1)), (0 * I, I), (Complex(1), 0 * I)])  # tau
    z, W = Complex(b0, -b3), Complex(-b2, -b1)
    s = Matrix([[z, W], [-W.conjugate, z.conjugate]])
    assert same(s, unitary_of((z.re, -W.im, -W.re, -z.im)))  # (56)
    assert not same(left_matrix(b), -left_matrix(b).T)  # "skew-symmetric" it is not, but for half turns
    assert same(left_matrix(b) @ left_matrix(b).T, Matrix.identity(4))


def test_equations_57_to_60_a_vector_is_turned() -> None:
    hat = spinor_matrix(b)
    assert same(hat[1, 1], Complex(-b3, b0))  # (57); printed b3 + i b0
    assert same(spinor_of((0, *w)), (Complex(w[2]), Complex(w[0], w[1])))  # (58)
    moved = times(hat, times(spinor_matrix((0, *x)), spinor_of(conjugate(b))))
    assert same([-z for z in moved], spinor_of((0, *R.apply(x))))  # (59)
    assert not same(moved, spinor_of((0, *R.apply(x))))  # the display of (60) has lost the minus of its first line


def test_equations_61_to_63_the_kinematics_of_spinors() -> None:
    rate = spinor_of(RATE)
    assert same(rate, [Complex(0, -1) / 2 * z for z in times(spinor_matrix((0, *SPACE)), PSI)])  # (61)
    inverse = spinor_of(conjugate(b))
    found = [Complex(0, -2) * z for z in times(spinor_matrix(RATE), inverse)]
    assert same(found, spinor_of((0, *SPACE)))  # (62)
    d0, d1, d2, d3 = RATE
    printed = Matrix([[Complex(d3, d0), Complex(d0, -d2)], [Complex(d1, d2), Complex(-d3, d0)]])
    for matrix, vector in ((printed, inverse), (spinor_matrix(RATE), (inverse[0], Complex(-b1, b2)))):
        assert not same([Complex(0, -2) * z for z in times(matrix, Vector(vector))], spinor_of((0, *SPACE)))
    body = [Complex(0, -2) * z for z in times(spinor_matrix(conjugate(b)), rate)]
    assert same(body, spinor_of((0, *w)))  # (63)


def test_a_rotation_moves_as_its_spinor() -> None:
    assert same(R.rate(w, "spinor"), spinor_of(RATE)) and same(R.velocity(spinor_of(RATE), "spinor"), w)
    assert same(along(R.matrix, moving(b, RATE)), R.rate(w, "matrix"))
    assert Rotation.from_spinor(PSI).equals(R)
