"""Closed forms: all branches of known arms, their proof, and what has none."""

from functools import cache
from math import pi

import numpy as np
import pytest

import polhode as ph
from polhode.compiled.functions import Functions
from polhode.inverse_kinematics.closed_form import ClosedForm
from polhode.inverse_kinematics.closed_form.arms import InField, Turn, chain_of

PUMA = [
    (0, 0, 0, pi / 2), (0, 0, "0.4318", 0), (0, "0.15005", "0.0203", -pi / 2),
    (0, "0.4318", 0, pi / 2), (0, 0, 0, -pi / 2), (0, 0, 0, 0),
]  # fmt: skip
UR5 = [
    (0, "0.089159", 0, pi / 2), (0, 0, "-0.425", 0), (0, 0, "-0.39225", 0),
    (0, "0.10915", 0, pi / 2), (0, "0.09465", 0, -pi / 2), (0, "0.0823", 0, 0),
]  # fmt: skip
FIRST_MEET = [
    (0, 1, 0, pi / 2), (0, 0, "0.5", "0.7"), (0, 1, 1, pi / 2), (0, 1, 0, pi / 2), (0, 0, 0, "1.1"), (0, 0, 0, 0),
]  # fmt: skip
LAST_MEET = [
    (0, 1, 1, "0.6"), (0, 1, 0, pi / 2), (0, 0, "0.5", pi / 2), (0, 1, 0, pi / 2), (0, 0, 0, -pi / 2), (0,) * 4,
]  # fmt: skip
ARMS = {"PUMA": PUMA, "UR5": UR5, "first meet": FIRST_MEET, "last meet": LAST_MEET}


@cache
def solved(name: str) -> tuple[Functions, ClosedForm]:
    equations = ph.from_dh(ARMS[name]).derive()
    return equations.compile(), equations.closed_form_inverse_kinematics("link6")


def upside_down(rows: list[tuple[object, ...]]) -> ph.System:
    """The same axes from the tip to the ground."""
    axes = chain_of(ph.from_dh(rows).derive().record, "link6").axes[::-1]
    system = ph.System("upside down")
    before, at = system.ground, ph.Vector([0, 0, 0])
    for k, axis in enumerate(axes, start=1):
        link = system.body(f"link{k}", 1)
        system.joint(f"q{k}", before, link, ph.Revolute([float(x) for x in axis.h]), at=list(axis.c - at))
        before, at = link, axis.c
    return system


@pytest.mark.parametrize("name", ARMS)
def test_all_branches_lead_back_to_the_pose(name: str) -> None:
    (f, form), q = solved(name), np.random.default_rng(1).uniform(-3, 3, (200, 6))
    p, R = f.pose("link6", q)
    found = form.all_at((p, R))
    assert found.shape == (200, 8, 6)
    real = np.isfinite(found).all(axis=-1)
    there, turned = f.pose("link6", found[real])
    row = np.nonzero(real)[0]
    assert np.abs(there - p[row]).max() < 1e-10 and np.abs(turned - R[row]).max() < 1e-10
    # the coordinates that the pose was made with are among the solutions
    gap = np.abs(np.angle(np.exp(1j * (found - q[:, None])))).max(axis=-1)
    assert np.nanmin(gap, axis=1).max() < 1e-6


@pytest.mark.parametrize("name", ["PUMA", "UR5"])
def test_a_common_pose_has_eight_solutions(name: str) -> None:
    f, form = solved(name)
    found = form.at(f.pose("link6", [0.3, -0.8, 1.2, 0.4, 0.7, -0.5]))
    assert found.shape == (8, 6)
    gaps = np.abs(np.angle(np.exp(1j * (found[:, None] - found)))).max(axis=-1)
    assert (gaps + np.eye(8)).min() > 0.1  # no two are one


def test_an_arm_may_stand_on_its_head_and_lengths_may_be_symbols() -> None:
    system = upside_down(PUMA)
    equations = system.derive()
    form = equations.closed_form_inverse_kinematics("link6")
    assert form.reason.startswith("counted from the tip")
    q = np.array([0.3, -0.8, 1.2, 0.4, 0.7, -0.5])
    found = form.at(equations.compile().pose("link6", q))
    assert np.abs(found - q).max(axis=1).min() < 1e-9
    s = ph.System("puma")
    a2, a3, d3, d4 = (
        s.parameter(name, value) for name, value in zip(("a2", "a3", "d3", "d4"), (4, 1, 2, 3), strict=True)
    )
    rows = [
        (0, 0, 0, pi / 2), (0, 0, a2, 0), (0, d3, a3, -pi / 2), (0, d4, 0, pi / 2), (0, 0, 0, -pi / 2), (0, 0, 0, 0),
    ]  # fmt: skip
    equations = ph.from_dh(rows, system=s).derive()
    form = equations.closed_form_inverse_kinematics("link6", parameters={"a2": 5})
    q = [0.3, -0.8, 1.2, 0.4, 0.7, -0.5]
    found = form.at(equations.compile().pose("link6", q, parameters={"a2": 5}))
    assert np.abs(found - q).max(axis=1).min() < 1e-9
    assert "a3" in str(form.branches[0][2])


def test_singular_poses_and_those_out_of_reach_are_told_apart() -> None:
    f, form = solved("PUMA")
    for q in ([0.3, -0.8, 1.2, 0.4, 0.0, -0.5], [0.0] * 6):  # the wrist is straight
        p, R = f.pose("link6", q)
        found = form.at((p, R))
        assert len(found) >= 2
        assert f.pose("link6", found)[0] == pytest.approx(np.broadcast_to(p, (len(found), 3)), abs=1e-9)
    assert form.at(([2, 0, 0], np.eye(3))).shape == (0, 6)


def test_the_proof_notices_a_wrong_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    right = InField.turn
    monkeypatch.setattr(InField, "turn", lambda *given: Turn(right(*given).c, -right(*given).s))
    with pytest.raises(ph.PolhodeError, match="does not lead back"):
        ph.from_dh(PUMA).derive().closed_form_inverse_kinematics("link6")


def test_what_has_no_closed_form_says_why() -> None:
    crooked = [(0, "0.1", "0.2", "0.3"), (0, "0.3", "0.1", "0.5"), *[(0, "0.2", "0.3", "0.4")] * 4]
    sliding = [*PUMA[:5], (0, 0, 0, 0, "prismatic")]
    for rows, told in [
        (crooked, "neither do three axes"), (sliding, "'joint6' is not revolute"),
        ([*PUMA, (0, 0, 1, 0)], "infinitely many"), (PUMA[:5], "most poses cannot be reached"),
    ]:  # fmt: skip
        with pytest.raises(ph.PolhodeError, match=told):
            ph.from_dh(rows).derive().closed_form_inverse_kinematics(f"link{len(rows)}")
    with pytest.raises(ph.PolhodeError, match="orientation alone"):
        ph.from_dh(PUMA).derive().closed_form_inverse_kinematics("link6", of="orientation")
