"""What lies between Hollerbach's count of Luh's recursion, 852 / 738 for six joints, and Silver's lines, 618 / 515.

Hollerbach (1980) gives Luh, Walker and Paul 150n - 48 multiplications and 131n - 48 additions; `as_written` counts
122n - 114 and 104n - 109 on the same recursion. Both are pencil counts: no zero of a particular arm is used. Here the
recursion is written out with every convention that costs, and counted; each convention is then dropped in turn:

    z_i  = A_i z_0                                                                               the axis is turned
    ω_i  = A ω_{i-1} + z_i q̇_i
    ω̇_i  = A ω̇_{i-1} + z_i q̈_i + A ω_{i-1} × z_i q̇_i
    v̇_i  = A v̇_{i-1} + ω̇_i × p_i + ω_i × (ω_i × p_i)                                             at the link's far end
           + z_i q̈_i + 2 ω_i × z_i q̇_i                                                           a joint may slide
    F_i  = m_i (v̇_i + ω̇_i × s_i + ω_i × (ω_i × s_i)),    N_i = I_i ω̇_i + ω_i × I_i ω_i
    f_i  = A f_{i+1} + F_i
    n_i  = A n_{i+1} + p_i × A f_{i+1} + (p_i + s_i) × F_i + N_i
    τ_i  = n_i · z_i

With frames at the near ends, offsets are crossed with ω_{i-1}, which is zero at the base, and p + s is not needed.
All four conventions together give both of Hollerbach's formulas exactly. His paper is not at hand: that this is how he
counted is a reading, which the two formulas support and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ....errors import whole_number
from ....expr import Matrix, Vector
from .table_3 import Formula, fitted
from .written import Count, Tally, as_written


@dataclass(frozen=True)
class Reading:
    """What a pencil takes the trouble to write."""

    either_joint: bool = True  # terms of a turn and of a slide for every joint
    far_frames: bool = True  # a link's frame is at its far end: offsets are crossed with its own ω, and p + s is formed
    axis_turned: bool = True  # z_i is three numbers like any others, and A z_0 is formed
    first_link_full: bool = True  # the first link's ω and ω̇, which lie along its axis, are three numbers too

    def count(self, n: int) -> Count:
        """The operations for an arm of n joints.

        >>> Reading().count(6), Reading(False, False, False, False).count(6)
        (Count(multiplications=852, additions=738), Count(multiplications=618, additions=495))
        """
        tally = Tally()
        _recursion(self, n, tally)
        return Count(tally.multiplications, tally.additions)

    @property
    def growth(self) -> tuple[Formula | None, Formula | None]:
        """Multiplications and additions as formulas in n."""
        counts = [self.count(n) for n in range(1, 6)]
        return fitted([each.multiplications for each in counts]), fitted([each.additions for each in counts])


def _recursion(reading: Reading, n: int, tally: Tally) -> None:
    """The lines above, on scalars that only count; the base stands, accelerated by gravity."""
    zero = Vector([0, 0, 0])
    w, wd, vd = zero, zero, tally.vector(3)
    A = [tally.matrix(3) for _ in range(n)]
    p, s = ([tally.vector(3) for _ in range(n)] for _ in range(2))
    axes, forces, moments = [], [], []
    for i in range(n):
        z = A[i] @ tally.vector(3) if reading.axis_turned else Vector([0, 0, 1])
        z_qd, z_qdd = z * tally.scalar(), z * tally.scalar()
        if not reading.far_frames:
            vd = vd + wd.cross(p[i]) + w.cross(w.cross(p[i]))
        w, wd, vd = A[i] @ w, A[i] @ wd, A[i] @ vd
        wd = wd + z_qdd + w.cross(z_qd)
        w = w + z_qd
        if i == 0 and reading.first_link_full:
            w, wd = tally.vector(3), tally.vector(3)
        if reading.far_frames:
            vd = vd + wd.cross(p[i]) + w.cross(w.cross(p[i]))
        if reading.either_joint:
            vd = vd + z_qdd + (w + w).cross(z_qd)
        F = (vd + wd.cross(s[i]) + w.cross(w.cross(s[i]))) * tally.scalar()
        I: Matrix = tally.matrix(3)
        axes.append(z)
        forces.append(F)
        moments.append(I @ wd + w.cross(I @ w))
    f, moment = zero, zero
    for i in reversed(range(n)):
        arm = p[i] + s[i] if reading.far_frames else s[i]
        if i < n - 1:
            f, moment = A[i + 1] @ f, A[i + 1] @ moment
        moment = moment + p[i].cross(f) + arm.cross(forces[i]) + moments[i]
        f = f + forces[i]
        _ = moment.dot(axes[i])


@dataclass(frozen=True)
class Difference:
    """A convention that is dropped, and what the count is without it and those before."""

    what: str
    count: Count
    multiplications: Formula | None
    additions: Formula | None


def differences(n: int = 6) -> list[Difference]:
    """From Hollerbach's count of Luh to Silver's lines as they are counted here, one convention after the other.

    >>> for each in differences():
    ...     print(f"{str(each.count):10} {each.what}")
    852 / 738  Hollerbach's count of Luh, Walker and Paul
    816 / 666  no joint slides: z q̈ and 2ω × z q̇ are not formed
    798 / 633  a link's frame is at its near joint: no p + s, and nothing moves the first offset
    670 / 545  the axis is the link's own z: it is not turned, and its zeros are not multiplied
    618 / 495  the first link turns about its axis alone: two components of ω and ω̇ are zero
    618 / 515  Silver's lines serve any joint: 2ω + z q̇ is added up, and multiplied by nothing
    """
    whole_number(n, "two joints or more, from which on the formulas hold", least=2, place="differences")
    reading = Reading()
    steps: list[tuple[str, dict[str, Any]]] = [
        ("Hollerbach's count of Luh, Walker and Paul", {}),
        ("no joint slides: z q̈ and 2ω × z q̇ are not formed", {"either_joint": False}),
        ("a link's frame is at its near joint: no p + s, and nothing moves the first offset", {"far_frames": False}),
        ("the axis is the link's own z: it is not turned, and its zeros are not multiplied", {"axis_turned": False}),
        (
            "the first link turns about its axis alone: two components of ω and ω̇ are zero",
            {"first_link_full": False},
        ),
    ]
    made = []
    for what, dropped in steps:
        reading = replace(reading, **dropped)
        made.append(Difference(what, reading.count(n), *reading.growth))
    counts = [as_written("silver", k) for k in range(1, 6)]
    formulas = fitted([each.multiplications for each in counts]), fitted([each.additions for each in counts])
    last = "Silver's lines serve any joint: 2ω + z q̇ is added up, and multiplied by nothing"
    return [*made, Difference(last, as_written("silver", n), *formulas)]
