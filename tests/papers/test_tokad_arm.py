"""Tokad (1992), section 3: the three-link plane manipulator, (42) to (48), Table 1 and Table 2."""

from fractions import Fraction

import pytest

import polhode as ph
from polhode.expr import Expr, Matrix, Vector, as_expr, cos, directional, gradient, sin, substitute, symbols
from polhode.papers.tokad.chain import SerialChain, serial_chain

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
m1, m2, m3, l1, l2, l3, g = symbols("m1 m2 m3 l1 l2 l3 g", "parameter")
t1, t2, t3 = symbols("t1 t2 t3", "coordinate")
w1, w2, w3 = symbols("w1 w2 w3", "speed")

C1, C2, C3, S2, S3 = cos(t1), cos(t2), cos(t3), sin(t2), sin(t3)
C12, C23, C123 = cos(t1 + t2), cos(t2 + t3), cos(t1 + t2 + t3)
S1, S12, S23, S123 = sin(t1), sin(t1 + t2), sin(t2 + t3), sin(t1 + t2 + t3)


def plane_arm(links: int = 3) -> ph.System:
    """Uniform links along their own x axes, hinges about z, gravity along -y (Figure 5a)."""
    arm = ph.System("plane manipulator", gravity=(0, -g, 0))
    arm.parameter("g", 9.81)
    before, at = arm.ground, as_expr(0)
    for k in range(1, links + 1):
        m, l = arm.parameter(f"m{k}", 1), arm.parameter(f"l{k}", 1)
        link = arm.body(f"link {k}", mass=m, com=(l / 2, 0, 0), inertia=ph.rod(m, l, "x"))  # J = m l²/12
        names = {"coordinates": [f"t{k}"], "speeds": [f"w{k}"]}
        arm.joint(f"joint {k}", before, link, ph.Revolute("z"), at=(at, 0, 0), **names)
        before, at = link, l
    return arm


@pytest.fixture(scope="module")
def chain() -> SerialChain:
    return serial_chain(plane_arm(), "link 3", (l3, 0, 0))


#: Table 1 as it should read; what is printed otherwise stands in PRINTED.
C = {
    (1, 1): m1 * (THIRD * l1**2)
    + m2 * (l1**2 + l1 * l2 * C2 + THIRD * l2**2)
    + m3 * (l1**2 + l2**2 + THIRD * l3**2 + 2 * l1 * l2 * C2 + l2 * l3 * C3 + l1 * l3 * C23),
    (1, 2): m2 * (THIRD * l2**2 + HALF * l1 * l2 * C2)
    + m3 * (l2**2 + THIRD * l3**2 + l2 * l3 * C3 + l1 * l2 * C2 + HALF * l1 * l3 * C23),
    (1, 3): m3 * (THIRD * l3**2 + HALF * l2 * l3 * C3 + HALF * l1 * l3 * C23),
    (2, 2): m2 * (THIRD * l2**2) + m3 * (THIRD * l3**2 + l2**2 + l2 * l3 * C3),
    (2, 3): m3 * (THIRD * l3**2 + HALF * l2 * l3 * C3),
    (3, 3): m3 * (THIRD * l3**2),
}
D = {
    (1, 1): -m2 * HALF * l1 * l2 * S2 * w2
    - m3 * (l1 * l2 * S2 * w2 + HALF * l2 * l3 * S3 * w3 + HALF * l1 * l3 * S23 * (w2 + w3)),
    (1, 2): -m2 * HALF * l1 * l2 * S2 * (w1 + w2)
    - m3 * (HALF * l2 * l3 * S3 * w3 + l1 * l2 * S2 * (w1 + w2) + HALF * l1 * l3 * S23 * (w1 + w2 + w3)),
    (1, 3): -m3 * (HALF * l2 * l3 * S3 + HALF * l1 * l3 * S23) * (w1 + w2 + w3),
    (2, 1): m2 * HALF * l1 * l2 * S2 * w1
    + m3 * ((l1 * l2 * S2 + HALF * l1 * l3 * S23) * w1 - HALF * l2 * l3 * S3 * w3),
    (2, 2): -m3 * (HALF * l2 * l3 * S3 * w3),
    (2, 3): -m3 * (HALF * l2 * l3 * S3) * (w1 + w2 + w3),
    (3, 1): m3 * (HALF * l1 * l3 * S23 * w1 + HALF * l2 * l3 * S3 * (w1 + w2)),
    (3, 2): m3 * (HALF * l2 * l3 * S3) * (w1 + w2),
    (3, 3): as_expr(0),
}
PRINTED_D = {
    (1, 1): -m2 * (HALF * l1 * l2 * S2 * w2) - m3 * l1 * l2 * S2 * w2 + HALF * m3 * l1 * l3 * S23 * (w2 + w3),
    (1, 2): -m2 * HALF * l1 * l2 * S2 * (w1 + w2)
    - m3 * HALF * l2 * l3 * S3 * w3
    - m3 * l1 * l2 * S2 * (w1 + w2)
    + HALF * l1 * l3 * S23 * (w1 + w2 + w3),
    (2, 1): m2 * (HALF * l1 * l2 * S2 * w1)
    + m3 * (l1 * l2 * S2 + HALF * l1 * l3 * S23) * w1
    - HALF * l2 * l3 * S3 * w3,
    (3, 1): m3 * HALF * l1 * l3 * S23 * w1 + HALF * l2 * l3 * S3 * (w1 + w2),
    (3, 2): -m3 * (HALF * l2 * l3 * C3) * (w1 + w2),
}
BETA = {
    1: m1 * (HALF * l1 * C1) + m2 * (l1 * C1 + HALF * l2 * C12) + m3 * (l1 * C1 + l2 * C12 + HALF * l3 * C123),
    2: m2 * (HALF * l2 * C12) + m3 * (l2 * C12 + HALF * l3 * C123),
    3: m3 * (HALF * l3 * C123),
}
PRINTED_BETA_2 = m2 * (HALF * l2 * C12) + m3 * (l2 * C12 + HALF * l2 * C123)
DELTA = {
    (1, 1): -(l1 * S1 + l2 * S12 + l3 * S123), (2, 1): -(l2 * S12 + l3 * S123), (3, 1): -l3 * S123,
    (1, 2): l1 * C1 + l2 * C12 + l3 * C123, (2, 2): l2 * C12 + l3 * C123, (3, 2): l3 * C123,
    (1, 3): as_expr(1), (2, 3): as_expr(1), (3, 3): as_expr(1),
}  # fmt: skip


@pytest.mark.parametrize("at", C, ids=str)
def test_table_1_inertia_coefficients_are_as_printed(chain: SerialChain, at: tuple[int, int]) -> None:
    p, q = at
    M = chain.mass_matrix()
    assert M[p - 1, q - 1] == M[q - 1, p - 1] == C[at]


@pytest.mark.parametrize("at", D, ids=str)
def test_table_1_velocity_coefficients(chain: SerialChain, at: tuple[int, int]) -> None:
    p, q = at
    made = chain.velocity_matrix()[p - 1, q - 1]
    assert made == D[at]
    assert at not in PRINTED_D or made != PRINTED_D[at]


@pytest.mark.parametrize("p", BETA)
def test_table_1_gravity(chain: SerialChain, p: int) -> None:
    made = chain.gravity()[p - 1]
    assert made == g * BETA[p]
    assert p != 2 or made != g * PRINTED_BETA_2  # printed with l2 for l3


@pytest.mark.parametrize("at", DELTA, ids=str)
def test_table_1_the_load_port(chain: SerialChain, at: tuple[int, int]) -> None:
    p, row = at
    J = chain.jacobian()
    assert J[(0, 1, 5)[row - 1], p - 1] == DELTA[at]


def lagrange() -> list[Expr]:
    """d/dt ∂T/∂w - ∂(T - V)/∂t by hand, from the positions of the mass centres."""
    ms, ls, angles, ws = (m1, m2, m3), (l1, l2, l3), (t1, t2, t3), (w1, w2, w3)
    rates = symbols("a1 a2 a3", "acceleration")
    at = Vector([as_expr(0), as_expr(0)])
    T = V = turn = spin = as_expr(0)
    for m, l, t, w in zip(ms, ls, angles, ws, strict=True):
        turn, spin = turn + t, spin + w
        along = Vector([l * cos(turn), l * sin(turn)])
        centre = at + along / 2
        vx, vy = directional(list(centre), dict(zip(angles, ws, strict=True)))
        T = T + m * (vx**2 + vy**2) / 2 + m * l**2 / 24 * spin**2
        V = V + m * g * centre[1]
        at = at + along
    moving = {**dict(zip(angles, ws, strict=True)), **dict(zip(ws, rates, strict=True))}
    pushed = directional(gradient(T, list(ws)), moving)
    return [a - b for a, b in zip(pushed, gradient(T - V, list(angles)), strict=True)]


def test_equation_42_is_lagranges_with_the_corrected_table_alone() -> None:
    w, a = (w1, w2, w3), symbols("a1 a2 a3", "acceleration")
    right = lagrange()

    def efforts(d: dict[tuple[int, int], Expr], beta: dict[int, Expr]) -> list[Expr]:
        pairs = [[(C[min(p, q), max(p, q)], d[p, q]) for q in (1, 2, 3)] for p in (1, 2, 3)]
        return [
            sum((c * a[q] + v * w[q] for q, (c, v) in enumerate(row)), g * beta[p])
            for p, row in enumerate(pairs, start=1)
        ]  # fmt: skip

    assert efforts(D, BETA) == right
    for at, entry in PRINTED_D.items():
        wrong = efforts({**D, at: entry}, BETA)
        assert [made == good for made, good in zip(wrong, right, strict=True)] == [p != at[0] for p in (1, 2, 3)]
    assert efforts(D, {**BETA, 2: PRINTED_BETA_2})[1] != right[1]


@pytest.mark.parametrize("formalism", ["network", "newton_euler"])
def test_equation_42_is_what_every_formalism_derives(formalism: str, chain: SerialChain) -> None:
    equations = plane_arm().derive(formalism)
    assert equations.mass_matrix == chain.mass_matrix()
    assert equations.bias == chain.bias()


def test_equation_42_a_load_acts_by_the_transposed_jacobian(chain: SerialChain) -> None:
    fx, fy, M4 = symbols("fx fy M4", "input")
    arm = plane_arm()
    free = arm.derive().bias
    for name in ("fx", "fy", "M4"):
        arm.input(name)
    arm.force("link 3", (fx, fy, 0), at=(l3, 0, 0), frame="ground")
    arm.torque("link 3", (0, 0, M4), frame="ground")
    load = Vector([fx, fy, 0, 0, 0, M4])
    assert Vector(arm.derive("network").bias) == free - chain.jacobian().T @ load


def test_equations_44_and_45_from_the_arms(chain: SerialChain) -> None:
    masses, lengths = (m1, m2, m3), (l1, l2, l3)
    for p in range(3):
        for q in range(3):
            c = d = as_expr(0)
            for j in range(max(p, q), 3):
                r_p, r_q, rate = chain.chain.arm(p, j), chain.chain.arm(q, j), chain.chain.arm_rate(q, j)
                c = c + masses[j] * lengths[j] ** 2 / 12 + masses[j] * (r_p[0] * r_q[0] + r_p[1] * r_q[1])
                d = d + masses[j] * (r_p[0] * rate[0] + r_p[1] * rate[1])
            assert chain.mass_matrix()[p, q] == c
            assert chain.velocity_matrix()[p, q] == d


def test_table_2_two_links() -> None:
    pair = serial_chain(plane_arm(2), "link 2", (l2, 0, 0))
    c_11 = m1 * (THIRD * l1**2) + m2 * (l1**2 + l1 * l2 * C2 + THIRD * l2**2)
    c_12 = m2 * (THIRD * l2**2 + HALF * l1 * l2 * C2)
    assert pair.mass_matrix() == Matrix([[c_11, c_12], [c_12, m2 * (THIRD * l2**2)]])
    assert pair.velocity_matrix() == Matrix([
        [-m2 * (HALF * l1 * l2 * S2 * w2), -m2 * (HALF * l1 * l2 * S2 * (w1 + w2))],
        [m2 * (HALF * l1 * l2 * S2 * w1), 0],
    ])  # fmt: skip
    beta_1 = m1 * g * (HALF * l1 * C1) + m2 * g * (l1 * C1 + HALF * l2 * C12)
    assert pair.gravity() == Vector([beta_1, m2 * g * (HALF * l2 * C12)])


def test_table_2_is_table_1_without_the_third_mass() -> None:
    pair = serial_chain(plane_arm(2), "link 2", (l2, 0, 0))
    for (p, q), entry in D.items():
        if p < 3 and q < 3:
            assert substitute([entry], {m3: 0})[0] == pair.velocity_matrix()[p - 1, q - 1]
