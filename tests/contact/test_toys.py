"""The tippe top and the woodpecker."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.contact.scenes import EXACT, OPEN, SLIP, G

import polhode as ph
from polhode.expr import as_expr
from polhode.model.constraints.unilateral import Group, UnilateralElement


def test_a_tippe_top_keeps_jelletts_integral() -> None:
    """-L·p, p from the centre of mass to the contact, stays whatever the friction does; the energy falls."""
    mass, radius, offset, tilt = 0.02, 0.02, 0.006, 0.1
    inertia = mass * radius**2 * np.array([131 / 350, 131 / 350, 2 / 5])
    s = ph.System("tippe top")
    top = s.body("top", mass, inertia=inertia)
    s.joint("f", s.ground, top, ph.Free())
    skin = s.surface("skin", top, ph.Shape.sphere(radius), at=(0, 0, offset))
    s.contact("touch", skin, s.surface("floor", s.ground, ph.Shape.plane()), friction=0.02)
    start = {"f_e0": np.cos(tilt / 2), "f_e1": np.sin(tilt / 2), "f_z": radius - offset * np.cos(tilt)}
    run = s.derive().simulate(3, start=start, speeds={"f_wz": 300}, samples=201, **EXACT)
    turn = Rotation.from_quat(np.column_stack([run[f"f_e{k}"] for k in (1, 2, 3, 0)]))
    spin = turn.apply(inertia * np.column_stack([run.speed(f"f_w{axis}") for axis in "xyz"]))
    arm = turn.apply([0, 0, offset]) - [0, 0, radius]
    jellett = -(spin * arm).sum(axis=1)
    assert np.ptp(jellett) < 1e-9 * jellett[0]
    assert abs(run["f_z"] + arm[:, 2]).max() < 1e-12
    energy = run.energy.total
    assert np.diff(energy).max() < 1e-11 * energy[0]
    assert energy[-1] < 0.99 * energy[0]
    assert {"slip", "stick"} == set(run.contact("touch").mode)


# The woodpecker of Glocker (1995) and Leine, Glocker and van Campen (2001): y of the sleeve, its angle m, the bird's s.
R_0, R_M, H_M, L_M, L_G, H_S, L_S = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
MASS_M, J_M, MASS_S, J_S, STIFFNESS = 0.0003, 5e-9, 0.0045, 7e-7, 0.0056
#: Gaps at zero, normal and tangent rows of the beak and of the sleeve's lower and upper edges, restitution.
GAPS = np.array([L_M + L_G - L_S - R_0, R_M - R_0, R_M - R_0])
NORMALS = np.array([[0, 0, -H_S], [0, H_M, 0], [0, -H_M, 0]])
TANGENTS = np.array([[1, L_M, L_G - L_S], [1, R_M, 0], [1, R_M, 0]])
PARTS, RESTITUTION = ("beak", "lower", "upper"), (0.5, 0.0, 0.0)
#: What a unit of m and s moves the bird, across z by as much as the inertia of their turns needs.
ARM_M, ARM_S = np.hypot(np.sqrt(J_M / MASS_S), L_M), np.hypot(np.sqrt(J_S / MASS_S), L_G)
SCALES = np.array([1, ARM_M, ARM_S])


@dataclass(frozen=True, kw_only=True)
class Pole(UnilateralElement):
    """The beak and the edges of the sleeve on the pole, in small angles."""

    kind = "pole"

    def groups(self, moving: Any) -> list[Group]:
        q, u = zip(*(moving.coordinate(name, 0) for name in "yms"), strict=True)

        def along(row: Any, values: Any) -> Any:
            return as_expr(
                sum(r / scale * x for r, scale, x in zip(row.tolist(), SCALES.tolist(), values, strict=True))
            )

        mu = as_expr(0.3)
        return [
            Group(part, gap + along(n, q), (along(n, u), along(t, u)), mu, mu, restitution=as_expr(e))
            for part, gap, n, t, e in zip(PARTS, GAPS.tolist(), NORMALS, TANGENTS, RESTITUTION, strict=True)
        ]


def woodpecker() -> ph.Equations:
    """Its mass matrix in y, m and s by three slides: m moves the bird along (√(J_M/m_S), 0, l_M), s likewise."""
    s = ph.System("woodpecker")
    sleeve, spring, bird = s.body("sleeve", MASS_M), s.body("spring", 0), s.body("bird", MASS_S)
    s.joint("y", s.ground, sleeve, ph.Prismatic("z"))
    m = s.joint("m", sleeve, spring, ph.Prismatic((np.sqrt(J_M / MASS_S) / ARM_M, 0, L_M / ARM_M)))
    b = s.joint("s", spring, bird, ph.Prismatic((0, np.sqrt(J_S / MASS_S) / ARM_S, L_G / ARM_S)))
    s.potential(STIFFNESS * (m.q[0] / ARM_M - b.q[0] / ARM_S) ** 2 / 2)
    s.constraint("pole", Pole)
    return s.derive()


def stepped(q: np.ndarray, u: np.ndarray, duration: float, h: float) -> np.ndarray:
    """The state after a time by Moreau's stepping, with projections of impulses."""
    M = np.array([
        [MASS_S + MASS_M, MASS_S * L_M, MASS_S * L_G],
        [MASS_S * L_M, J_M + MASS_S * L_M**2, MASS_S * L_M * L_G],
        [MASS_S * L_G, MASS_S * L_M * L_G, J_S + MASS_S * L_G**2],
    ])  # fmt: skip
    K = STIFFNESS * np.array([[0, 0, 0], [0, 1, -1], [0, -1, 1]])
    weight = -G * np.array([MASS_S + MASS_M, MASS_S * L_M, MASS_S * L_G])
    W = np.linalg.inv(M)
    for _ in range(round(duration / h)):
        middle = q + h / 2 * u
        free = u + h * W @ (weight - K @ middle)
        closed = np.flatnonzero(GAPS + NORMALS @ middle <= 0)
        p = np.zeros((len(closed), 2))
        for _ in range(200 if len(closed) else 0):
            before = p.copy()
            for i, k in enumerate(closed):
                for j, row in enumerate((NORMALS[k], TANGENTS[k])):
                    e = RESTITUTION[k] if j == 0 else 0.0
                    v = free + W @ (p[:, 0] @ NORMALS[closed] + p[:, 1] @ TANGENTS[closed])
                    new = p[i, j] - (row @ v + e * row @ u) / (row @ W @ row)
                    p[i, j] = max(0, new) if j == 0 else np.clip(new, -0.3 * p[i, 0], 0.3 * p[i, 0])
            if abs(p - before).max() <= 1e-13:
                break
        free = free + W @ (p[:, 0] @ NORMALS[closed] + p[:, 1] @ TANGENTS[closed])
        q, u = middle + h / 2 * free, free
    return np.concatenate([q, u])


def test_a_woodpecker_pecks_periodically() -> None:
    e = woodpecker()
    start = np.array([0, -(R_M - R_0) / H_M, -0.2788, -0.3411, 0, -7.4583])  # of the paper
    scales = np.tile(SCALES, 2)
    run = e.simulate(4, start=(start * scales)[:3], speeds=(start * scales)[3:], samples=2, rtol=1e-12, atol=1e-15)
    changes = run.info["contacts"].changes
    struck = [c.t for c in changes if c.impulses is not None and c.modes.tolist() == [OPEN, SLIP, OPEN]]
    states = np.array([run.x[np.flatnonzero(run.t == t)[-1]] for t in struck]) / scales
    steps = np.diff(states[-5:, 2])
    assert steps[1:] / steps[:-1] == pytest.approx(-0.839, abs=1e-3)  # its one multiplier
    assert np.diff(struck)[-1] == pytest.approx(0.14597607, abs=2e-6)
    assert np.diff(states[:, 0])[-1] == pytest.approx(-0.0194454, abs=1e-6)
    later = struck[-1] - struck[-2] + 0.01
    again = e.simulate(later, start=(states[-2] * scales)[:3], speeds=(states[-2] * scales)[3:], samples=2, **EXACT)
    judge = stepped(states[-2, :3], states[-2, 3:], later, 1e-4)
    assert (abs(again.x[-1] / scales - judge) < [1e-4, 1e-3, 3e-3, 5e-3, 1e-3, 5e-2]).all()
