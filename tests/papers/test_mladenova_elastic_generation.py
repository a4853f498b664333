"""Mladenova, section 8: equations of elastic joint manipulators by 2N frames, (309) to (388).

The displays are written here with NumPy as the paper has them, corrected where docs/errata.md says so, for an arm with
a turning, a sliding and two more turning joints; s = 2i - 1 is the rotor of joint i and s = 2i its link, both carried
by link l = 2i - 2. Rates are exact, by complex steps. B, C and G must be what polhode derives from `s.motor`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import polhode as ph
from polhode.expr import evaluate, is_zero, same
from polhode.papers.mladenova.joint_frames import dynamic_matrices

N = 4
FRAMES = range(1, 2 * N + 1)
SLIDES = {4}  # the link of the second joint
GRAVITY = np.array([0.4, -0.3, -9.81])
GEAR, STIFFNESS = (20, 15, 12, 10), (300, 250, 200, 150)
TWIST, OFFSET = ("0.3", "-0.7", "1.1", "0.4"), ("0.1", "0.3", "-0.2", "0.25")  # α and a of the link before
REACH = ("0.2", "0.15", "-0.1", "0.12")  # d of a turning joint, θ of a sliding one; rotors have the same d
STEP = 1e-30
Numbers = np.ndarray[Any, Any]
at_q = np.random.default_rng(1).uniform(-1, 1, (3, 2 * N))
q0, qd0, qdd0 = (dict(zip(FRAMES, row, strict=True)) for row in at_q)
State = dict[int, Any]


def before(s: int) -> int:
    """l: the link that carries frame s."""
    return 2 * ((s + 1) // 2) - 2


@dataclass(frozen=True)
class Body:
    m: float
    r: Numbers
    central: Numbers  # inertia about the mass centre


@cache
def bodies() -> dict[int, Body]:
    made = {}
    for s in FRAMES:
        i = (s + 1) // 2
        if s % 2:
            made[s] = Body(0.5 + 0.1 * i, np.array([0, 0, 0.02 * i]), np.diag([0.03, 0.03, 0.02]))
        else:
            made[s] = Body(2 - 0.2 * i, np.array([0.1 * i, -0.05, 0.03 * i]), np.diag([0.2, 0.25, 0.3]) + 0.01 * i)
    return made


def cross(a: Numbers) -> Numbers:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def A(s: int, q: State) -> Numbers:
    """ˡA_s, (309)."""
    i = (s + 1) // 2 - 1
    al, a = float(TWIST[i]), float(OFFSET[i])
    th, d = (float(REACH[i]), q[s]) if s in SLIDES else (q[s], 0.0 if i == 1 else float(REACH[i]))
    (c, s_), (ca, sa) = (np.cos(th), np.sin(th)), (np.cos(al), np.sin(al))
    return np.array([
        [c, -s_, 0, a], [s_ * ca, c * ca, -sa, -sa * d], [s_ * sa, c * sa, ca, ca * d], [0, 0, 0, 1],
    ])  # fmt: skip


def T(s: int, q: State) -> Numbers:
    """⁰T_s, (310)."""
    return A(s, q) if s <= 2 else T(before(s), q) @ A(s, q)


def on_the_way(s: int) -> list[int]:
    """The frames whose variables ⁰T_s depends on: the links up to l, and s itself."""
    return [*range(2, before(s) + 1, 2), s]


def rate(f: Callable[[State], Numbers], q: State, qd: State) -> Numbers:
    """d f(q)/dt along q̇, by a complex step."""
    return np.imag(f({k: q[k] + 1j * STEP * qd[k] for k in q})) / STEP


def unit(k: int) -> State:
    return {s: float(s == k) for s in FRAMES}


@dataclass(frozen=True)
class Generators:
    """δ, τ, λ of each frame in the base's components, and with q̇ its ω and u, (325) to (328)."""

    q: State
    qd: State

    def R(self, s: int) -> Numbers:
        return T(s, self.q)[:3, :3] if s else np.eye(3)

    def p(self, s: int) -> Numbers:
        return T(s, self.q)[:3, 3] if s else np.zeros(3)

    def delta(self, s: int) -> Numbers:
        return self.R(s)[:, 2] * (s not in SLIDES)  # (318), (319), (325)

    def lam(self, s: int) -> Numbers:
        tau = self.R(s)[:, 2] * (s in SLIDES)
        return -np.cross(self.delta(s), self.p(s)) + tau  # (321), (326) corrected

    def w(self, s: int) -> Numbers:
        return sum((self.delta(k) * self.qd[k] for k in on_the_way(s)), np.zeros(3)) if s else np.zeros(3)  # (328)

    def u(self, s: int) -> Numbers:
        return sum((self.lam(k) * self.qd[k] for k in on_the_way(s)), np.zeros(3)) if s else np.zeros(3)  # (327)


def spatial(w: Numbers, u: Numbers) -> Numbers:
    return np.vstack([np.hstack([cross(w), u[:, None]]), np.zeros((1, 4))])


HERE = Generators(q0, qd0)


# ---- kinematics ------------------------------------------------------------------------------------------------------


def test_equations_309_to_313_frames_and_their_vector_parameters() -> None:
    def vector(R: Numbers) -> Numbers:
        return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (1 + np.trace(R))

    def composed(c: Numbers, d: Numbers) -> Numbers:
        return (c + d + np.cross(c, d)) / (1 - c @ d)

    g, own = {0: np.zeros(3)}, {}
    for s in FRAMES:
        l, i = before(s), (s + 1) // 2 - 1
        R = A(s, q0)[:3, :3]
        th = float(REACH[i]) if s in SLIDES else q0[s]
        a, t = np.tan(float(TWIST[i]) / 2), np.tan(th / 2)
        own[s] = c = np.array([a, -a * t, t])
        assert c == pytest.approx(vector(R), abs=1e-14)  # (312)
        g[s] = composed(g[l], c)
        assert g[s] == pytest.approx(vector(HERE.R(s)), abs=1e-13)  # (313)
        assert HERE.R(s) == pytest.approx(HERE.R(l) @ R, abs=1e-14)  # (311), order corrected
        assert HERE.p(s) == pytest.approx(HERE.p(l) + HERE.R(l) @ A(s, q0)[:3, 3], abs=1e-14)  # (311)
        assert vector(R.T) == pytest.approx(-c, abs=1e-14)  # (322), (323)
    assert np.abs(HERE.R(6) - A(6, q0)[:3, :3] @ HERE.R(4)).max() > 0.1  # (311) as printed
    assert g[4] == pytest.approx(composed(own[2], own[4]), abs=1e-13)  # after (313), rotors left out
    assert np.abs(g[4] - composed(own[1], own[4])).max() > 0.01  # as printed, from c_1


def test_equations_314_to_323_the_generators_of_a_joint() -> None:
    for s in FRAMES:
        X = A(s, q0)
        R, p = X[:3, :3], X[:3, 3]
        slope = rate(lambda q, s=s: A(s, q), q0, unit(s))
        delta, tau = R[:, 2] * (s not in SLIDES), R[:, 2] * (s in SLIDES)  # (317)
        assert slope[:3, :3] == pytest.approx(cross(delta) @ R, abs=1e-13)  # (314), (316)
        assert slope[:3, 3] == pytest.approx(tau, abs=1e-13)  # (316): ṗ = τ q̇
        r = np.array([0.3, -0.2, 0.5, 1])
        assert (slope @ r)[:3] == pytest.approx(np.cross(delta, R @ r[:3]) + tau, abs=1e-13)  # (315), R put in
        lam = -np.cross(delta, p) + tau  # (321)
        assert slope == pytest.approx(spatial(delta, lam) @ X, abs=1e-13)  # (320)
    R, delta = A(2, q0)[:3, :3], A(2, q0)[:3, 2]
    r = np.array([0.3, -0.2, 0.5])
    assert np.abs(np.cross(delta, r) - np.cross(delta, R @ r)).max() > 0.01  # (315) as printed, without R


def test_equations_324_to_328_velocities_of_frames() -> None:
    for s in FRAMES:
        velocity = rate(lambda q, s=s: T(s, q), q0, qd0)
        assert velocity == pytest.approx(spatial(HERE.w(s), HERE.u(s)) @ T(s, q0), abs=1e-13)  # (324)
        l = before(s)
        assert HERE.u(s) == pytest.approx(HERE.u(l) + HERE.lam(s) * qd0[s], abs=1e-13)  # (327), from l, not s - 1
        p, pd = HERE.p(s), velocity[:3, 3]
        assert pd == pytest.approx(np.cross(HERE.w(s), p) + HERE.u(s), abs=1e-13)  # (334), (335) with ω_s
    s = 6
    assert np.abs(np.cross(HERE.w(4), HERE.p(s)) + HERE.u(s) - rate(lambda q: T(s, q), q0, qd0)[:3, 3]).max() > 1e-3
    printed = np.cross(HERE.delta(s), HERE.p(s))  # (326) as printed, with +
    assert np.abs(printed - HERE.lam(s)).max() > 0.1
    assert np.abs(sum(HERE.lam(k) for k in (2, 4)) + HERE.lam(s) * qd0[s] - HERE.u(s)).max() > 1e-2  # (327) as printed


def test_equations_329_to_340_accelerations_of_frames() -> None:
    def along(f: Callable[[Generators], Numbers]) -> Numbers:
        """The rate of a quantity of the motion with q̇ and q̈."""
        moved = Generators(*({k: x[k] + 1j * STEP * y[k] for k in x} for x, y in ((q0, qd0), (qd0, qdd0))))
        return np.imag(f(moved)) / STEP

    for s in FRAMES:
        l, d, lam = before(s), HERE.delta(s), HERE.lam(s)
        w, u, wl, ul = HERE.w(s), HERE.u(s), HERE.w(l), HERE.u(l)
        wd, ud = along(lambda x, s=s: x.w(s)), along(lambda x, s=s: x.u(s))
        wld, uld = along(lambda x, l=l: x.w(l)), along(lambda x, l=l: x.u(l))
        second = along(lambda x, s=s: spatial(x.w(s), x.u(s)) @ T(s, x.q))
        S = spatial(w, u)
        assert second == pytest.approx((spatial(wd, ud) + S @ S) @ T(s, q0), abs=1e-12)  # (329)
        dd, lamd = along(lambda x, s=s: x.delta(s)), along(lambda x, s=s: x.lam(s))
        assert dd == pytest.approx(np.cross(wl, d), abs=1e-13)  # (332)
        tau, p = HERE.R(s)[:, 2] * (s in SLIDES), HERE.p(s)
        pd = np.cross(w, p) + u
        assert lamd == pytest.approx(-np.cross(dd, p) - np.cross(d, pd) + np.cross(w, tau), abs=1e-12)  # (333)
        assert lamd == pytest.approx(np.cross(wl, lam) - np.cross(d, ul), abs=1e-12)  # (336), with u_l
        assert wd == pytest.approx(wld + np.cross(wl, d) * qd0[s] + d * qdd0[s], abs=1e-12)  # (331), (337)
        more = (np.cross(w, lam) + np.cross(u, d)) * qd0[s]  # (340)
        assert ud == pytest.approx(uld + more + lam * qdd0[s], abs=1e-12)  # (330), (338) with u × δ q̇ put in
    s = 6
    wl, ul, d, lam = HERE.w(4), HERE.u(4), HERE.delta(s), HERE.lam(s)
    lamd, ud, uld = along(lambda x: x.lam(s)), along(lambda x: x.u(s)), along(lambda x: x.u(4))
    # (336) as printed, with u_s, and (338), without u × δ q̇
    assert np.abs(np.cross(wl, lam) - np.cross(d, HERE.u(s)) - lamd).max() > 1e-3
    assert np.abs(uld + np.cross(HERE.w(s), lam) * qd0[s] + lam * qdd0[s] - ud).max() > 1e-3


# ---- dynamics --------------------------------------------------------------------------------------------------------


@cache
def equations() -> ph.Equations:
    """The same arm as a user of polhode writes it."""
    s = ph.System("arm", gravity=[str(x) for x in GRAVITY])
    link: Any = s.ground
    for i in range(N):
        own, rotor = bodies()[2 * i + 2], bodies()[2 * i + 1]
        body = s.body(f"b{i}", _text(own.m), list(map(_text, own.r)), [list(map(_text, row)) for row in own.central])
        slides = 2 * i + 2 in SLIDES
        alpha = s.parameter(f"alpha{i}", TWIST[i])
        depth = 0 if slides else s.parameter(f"d{i}", REACH[i])
        place = (OFFSET[i], -ph.sin(alpha) * depth, ph.cos(alpha) * depth)
        turned = [("x", alpha), ("z", REACH[i])] if slides else [("x", alpha)]
        s.joint(f"j{i}", link, body, ph.Prismatic("z") if slides else ph.Revolute("z"), at=place, rotation=turned)
        moments = [_text(rotor.central[k, k]) for k in range(3)]
        s.motor(
            f"j{i}",
            GEAR[i],
            stiffness=STIFFNESS[i],
            inertia=moments,
            mass=_text(rotor.m),
            com=(0, 0, _text(rotor.r[2])),
        )
        link = body
    return s.derive()


def _text(value: float) -> str:
    return f"{value:.6f}"


def frame_of(name: str) -> int:
    return 2 * int(name[1]) + (1 if name.endswith("rotor") else 2)


def ours(entries: Any, efforts: bool = False) -> Numbers:
    """Numbers of polhode's graphs, ordered as the paper's frames."""
    e = equations()
    values: dict[Any, float] = {p.symbol: float(p.value) for p in e.system.parameters.values() if p.value is not None}
    for k, name in enumerate(e.speeds):
        s = frame_of(name)
        values |= {e.q[k]: q0[s], e.u[k]: qd0[s], e.udot[k]: qdd0[s]}
    order = sorted(range(2 * N), key=lambda k: frame_of(e.speeds[k]))
    found = np.array(evaluate(list(entries), values))
    return found.reshape(2 * N, 2 * N)[np.ix_(order, order)] if len(found) > 2 * N else found[order]


def pseudo_inertia(b: Body) -> Numbers:
    """J_j, (355) to (357): ∫ r rᵀ dm is half the trace less the inertia, and products have the other sign."""
    I = np.trace(b.central) / 2 * np.eye(3) - b.central
    top = np.hstack([I + b.m * np.outer(b.r, b.r), b.m * b.r[:, None]])
    return np.vstack([top, [*(b.m * b.r), b.m]])


def slope(j: int, k: int) -> Numbers:
    """∂⁰T_j/∂q_k."""
    return rate(lambda q: T(j, q), q0, unit(k))


def velocity_part(j: int) -> Numbers:
    """d²⁰T_j/dt² with q̈ = 0, by (329)."""
    moved = Generators({k: q0[k] + 1j * STEP * qd0[k] for k in q0}, qd0)
    return np.imag(spatial(moved.w(j), moved.u(j)) @ T(j, moved.q)) / STEP


def closed_form() -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """B, C, G and E by the sums (351) to (354)."""
    J = {j: pseudo_inertia(b) for j, b in bodies().items()}
    B = np.array([[sum(np.trace(slope(j, s) @ J[j] @ slope(j, k).T) for j in FRAMES) for k in FRAMES] for s in FRAMES])
    C = np.array([sum(np.trace(slope(j, s) @ J[j] @ velocity_part(j).T) for j in FRAMES) for s in FRAMES])
    weight = {j: b.m * np.array([*b.r, 1]) for j, b in bodies().items()}
    G = np.array([-sum(np.array([*GRAVITY, 0]) @ slope(j, s) @ weight[j] for j in FRAMES) for s in FRAMES])
    twist = [q0[2 * i] - q0[2 * i - 1] / GEAR[i - 1] for i in range(1, N + 1)]
    E = [x for i in range(N) for x in (-STIFFNESS[i] / GEAR[i] * twist[i], STIFFNESS[i] * twist[i])]  # (354)
    return B, C, G, np.array(E)


def test_equations_348_to_357_lagranges_equations_in_matrices_of_4x4() -> None:
    e = equations()
    B, C, G, E = closed_form()
    assert ours(e.mass_matrix.entries()) == pytest.approx(B, abs=1e-12)  # (351)
    qdd = np.array([qdd0[s] for s in FRAMES])
    effort = ours(e.inverse_dynamics)
    assert effort == pytest.approx(B @ qdd + C + G + E, abs=1e-10)  # (350), with + G
    assert np.abs(effort - (B @ qdd + C - G + E)).max() > 1  # as printed


def test_equation_349_prints_the_energy_of_a_spring_without_its_square() -> None:
    e, twist = equations(), q0[2] - q0[1] / GEAR[0]
    values = dict.fromkeys(e.q, 0.0) | {x: q0[frame_of(x.name)] for x in e.q if x.name.startswith("j0")}
    values |= {p.symbol: float(p.value) for p in e.system.parameters.values() if p.value is not None}
    flat = {**values, **{x: 0.0 for x in e.q if x.name == "j0 rotor"}}
    wound, slack = (evaluate([e.potential_energy], each)[0] for each in (values, flat))
    assert wound - slack == pytest.approx(STIFFNESS[0] * (twist**2 - q0[2] ** 2) / 2, abs=1e-9)
    assert abs(wound - slack - STIFFNESS[0] * (twist - q0[2]) / 2) > 0.1


def test_equations_358_and_359_and_table_4_who_is_coupled_to_whom() -> None:
    B = closed_form()[0]
    for s in FRAMES:
        for k in range(s + 1, 2 * N + 1):
            if s % 2:  # a rotor feels nothing that comes after it
                assert abs(B[s - 1, k - 1]) < 1e-14
            elif k % 2:  # of the sum over j only the rotor itself is left
                alone = np.trace(slope(k, s) @ pseudo_inertia(bodies()[k]) @ slope(k, k).T)
                assert B[s - 1, k - 1] == pytest.approx(alone, abs=1e-14)


def test_equations_361_to_372_composite_bodies_in_the_frame_of_the_base() -> None:
    B, C, G, _ = closed_form()
    carried = {k: [j for j in FRAMES if k in on_the_way(j)] for k in FRAMES}

    def terms(j: int) -> tuple[Body, Numbers, Numbers]:
        b = bodies()[j]
        return b, HERE.R(j) @ b.r + HERE.p(j), HERE.R(j) @ b.central @ HERE.R(j).T  # (365), (366)

    for k in FRAMES:
        K, H, M, Nk, D = np.zeros((3, 3)), np.zeros(3), 0.0, np.zeros(3), np.zeros(3)
        for j in carried[k]:
            b, r, I = terms(j)
            K, H, M = K + I - b.m * cross(r) @ cross(r), H + b.m * r, M + b.m  # (363), (365)
            S, w, u = velocity_part(j) @ np.linalg.inv(T(j, q0)), HERE.w(j), HERE.u(j)
            wd = np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
            ud = S[:3, 3] - np.cross(w, u)
            force = b.m * (ud + np.cross(wd, r) + np.cross(w, u + np.cross(w, r)))
            Nk, D = Nk + I @ wd + np.cross(w, I @ w) + np.cross(r, force), D + force  # (369) to (371)
        d, lam = HERE.delta(k), HERE.lam(k)
        assert d @ Nk + lam @ D == pytest.approx(C[k - 1], abs=1e-12)  # (367), (368)
        assert -GRAVITY @ (np.cross(d, H) + M * lam) == pytest.approx(G[k - 1], abs=1e-12)  # (372)
        for s in (s for s in on_the_way(k) if s <= k):
            moment, force = K @ d + np.cross(H, lam), np.cross(d, H) + M * lam
            made = HERE.delta(s) @ moment + HERE.lam(s) @ force
            assert made == pytest.approx(B[s - 1, k - 1], abs=1e-12)  # (361), (362), (364)


def recursion(as_printed: bool = False) -> tuple[Numbers, Numbers, Numbers]:
    """B, C, G by (341) to (347) outward and (373) to (388) inward; as printed, link k brings rotor k + 1 inward."""
    R = {s: A(s, q0)[:3, :3] for s in FRAMES}  # ˡR_s
    z = np.array([0, 0, 1.0])
    p, w, u, wd, ud, lam = ({0: np.zeros(3)} for _ in range(6))
    g = {0: GRAVITY}
    for s in FRAMES:
        l, slides = before(s), s in SLIDES
        d = z * (not slides)
        p[s] = R[s].T @ (p[l] + A(s, q0)[:3, 3])  # (341), transposed
        lam[s] = z if slides else -np.cross(d, p[s])  # (342), with ˢp_s
        u[s] = R[s].T @ u[l] + lam[s] * qd0[s]  # (343)
        w[s] = R[s].T @ w[l] + d * qd0[s]  # (344)
        wd[s] = R[s].T @ wd[l] + np.cross(R[s].T @ w[l], d) * qd0[s]  # (346), of the rate of ω_l
        ud[s] = R[s].T @ ud[l] + (np.cross(w[s], lam[s]) + np.cross(u[s], d)) * qd0[s]  # (347)
        g[s] = R[s].T @ g[l]  # (386)
    K, H, M, Nk, D = ({} for _ in range(5))
    for k in reversed(FRAMES):
        b = bodies()[k]
        r = b.r + p[k]
        force = b.m * (ud[k] + np.cross(wd[k], r) + np.cross(w[k], u[k] + np.cross(w[k], r)))
        K[k] = b.central + b.m * (r @ r * np.eye(3) - np.outer(r, r))  # (373)
        H[k], M[k], D[k] = b.m * r, b.m, force  # (375), (377), (382) with ᵏu
        Nk[k] = b.central @ wd[k] + np.cross(w[k], b.central @ w[k]) + np.cross(r, force)  # (380)
        if k % 2 == 0 and k < 2 * N:
            rotor = k + 3 if as_printed else k + 1  # of (374), (376), (381), (383) for k + 2: (k + 2) ± 1
            for j in (k + 2, rotor) if rotor in FRAMES else (k + 2,):
                turn = R[j]
                K[k], H[k] = K[k] + turn @ K[j] @ turn.T, H[k] + turn @ H[j]  # (374), (376)
                Nk[k], D[k] = Nk[k] + turn @ Nk[j], D[k] + turn @ D[j]  # (381), (383)
            M[k] = M[k] + M[k + 2] + M[k + 1]  # (377)
    B, C, G = np.zeros((2 * N, 2 * N)), np.zeros(2 * N), np.zeros(2 * N)
    for k in FRAMES:
        d = z * (k not in SLIDES)
        X, Y = K[k] @ d + np.cross(H[k], lam[k]), np.cross(d, H[k]) + M[k] * lam[k]  # (378)
        C[k - 1], G[k - 1] = d @ Nk[k] + lam[k] @ D[k], -g[k] @ Y  # (384), (385)
        s = k
        while s:
            ds = z * (s not in SLIDES)
            B[s - 1, k - 1] = B[k - 1, s - 1] = ds @ X + lam[s] @ Y  # (379), (388)
            X, Y, s = R[s] @ X, R[s] @ Y, before(s)  # (387)
    return B, C, G


def test_equations_341_to_347_and_373_to_388_the_recursion_in_joint_coordinates() -> None:
    for made, expected in zip(recursion(), closed_form(), strict=False):
        assert made == pytest.approx(expected, abs=1e-12)


def test_equations_341_to_388_are_a_call() -> None:
    """`dynamic_matrices`: the numbers of the sums (351) to (354), and by fingerprint those of inverse dynamics."""
    e = equations()
    found = dynamic_matrices(e)
    for made, expected in zip((found.B.entries(), found.C, found.G, found.E), closed_form(), strict=True):
        assert ours(made) == pytest.approx(expected, abs=1e-10)
    assert same(found.efforts(e.udot), e.inverse_dynamics)


def test_equation_345_velocity_of_the_origin() -> None:
    v = {0: np.zeros(3)}
    for s in FRAMES:
        l, X = before(s), A(s, q0)
        slide = np.array([0, 0, qd0[s]]) if s in SLIDES else np.zeros(3)
        v[s] = X[:3, :3].T @ (v[l] + np.cross(HERE.R(l).T @ HERE.w(l), X[:3, 3])) + slide
        assert HERE.R(s) @ v[s] == pytest.approx(rate(lambda q, s=s: T(s, q), q0, qd0)[:3, 3], abs=1e-13)


def test_equations_374_376_381_and_383_print_the_rotor_of_the_next_joint() -> None:
    B, C, G = recursion(as_printed=True)
    right = closed_form()
    assert np.abs(B - right[0]).max() > 0.05
    assert np.abs(C - right[1]).max() > 0.01
    assert np.abs(G - right[2]).max() > 1


def test_equation_360_the_blocks_of_the_mass_matrix_are_found_by_fingerprint() -> None:
    """Six joints, all in symbols: rotors touch no rotor, and rotor i the links before link i alone."""
    s = ph.System("six")
    link: Any = s.ground
    for i in range(1, 7):
        body = s.body(f"b{i}", s.parameter(f"m{i}"), [s.parameter(f"c{i}{x}") for x in "xyz"], [1, 2, 3])
        place = (s.parameter(f"a{i}"), 0, 0)
        s.joint(f"j{i}", link, body, ph.Revolute("z"), at=place, rotation=[("x", s.parameter(f"alpha{i}"))])
        Ir, Im, n, k = (s.parameter(f"{name}{i}") for name in ("Ir", "Im", "n", "k"))
        s.motor(f"j{i}", n, stiffness=k, inertia=(Ir, Ir, Im), mass=s.parameter(f"mr{i}"))
        link = body
    e = s.derive("composite_body")
    order = [e.speeds.index(f"j{i}{end}") for end in (" rotor", "") for i in range(1, 7)]
    found = ["".join("." if is_zero(e.mass_matrix[i, j]) else "b" for j in order) for i in order]
    rotors = ["." * i + "b" + "." * (5 - i) + "b" * i + "." * (6 - i) for i in range(6)]
    links = ["".join(row[6 + i] for row in rotors) + "bbbbbb" for i in range(6)]
    assert found == rotors + links
