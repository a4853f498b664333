"""Branches of steady states: textbook bifurcations, to rounding."""

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph
from polhode.equilibria.branch import plot_branches


def hoop() -> ph.Equations:
    """A bead on a hoop that turns about the vertical at the rate w."""
    s = ph.System("bead on a hoop", gravity=(0, 0, "-9.81"))
    w, l = s.parameter("w", 1), s.parameter("l", 0.5)
    ring = s.joint("hoop", s.ground, s.body("ring", inertia=(1, 1, 1)), ph.Revolute("z"))
    s.prescribe(ring, w * s.time)
    bead = s.joint("theta", "ring", s.body("bead", 1, com=(0, 0, -l)), ph.Revolute("y"))
    s.joint_force(bead, -bead.u[0] / 10)
    return s.derive()


def snap() -> ph.Equations:
    """A slider on a slanted spring, pressed down: it snaps through."""
    s = ph.System("snap-through", gravity=(0, 0, 0))
    P, k, a, L = s.parameter("P", 0), s.parameter("k", 10), s.parameter("a", 1), s.parameter("L", 1.25)
    z = s.joint("z", s.ground, s.body("slider", 1), ph.Prismatic("z"))
    s.potential(k / 2 * (ph.sqrt(a**2 + z.q[0] ** 2) - L) ** 2 + P * z.q[0])
    s.joint_force(z, -z.u[0])
    return s.derive()


def strut(lean: float = 0) -> ph.Equations:
    """A rigid strut on a torsion spring that is at rest at a lean, under a load P."""
    s = ph.System("strut", gravity=(0, 0, 0))
    P, k, l = s.parameter("P", 0), s.parameter("k", 3), s.parameter("l", 2)
    foot = s.joint("theta", s.ground, s.body("strut", 1, com=(0, 0, l / 2), inertia=(1, 1, 1)), ph.Revolute("y"))
    s.joint_force(foot, -k * (foot.q[0] - lean) - foot.u[0])
    s.potential(P * l * ph.cos(foot.q[0]))
    return s.derive()


def test_a_bead_on_a_turning_hoop_leaves_the_bottom_at_the_critical_rate() -> None:
    branch = hoop().branch("w", (1, 8))
    (point,) = branch.special
    critical = np.sqrt(9.81 / 0.5)
    assert point.kind == "branch point" and point.value == pytest.approx(critical, abs=1e-12)
    assert [told for told, _, _ in branch.pieces] == ["stable", "unstable"]
    (other,) = branch.others
    assert {*np.delete(other.stability, sorted(other.marked))} == {"stable"}
    assert np.allclose(np.cos(other["theta"]), critical**2 / other.values**2, atol=1e-12)
    assert other["theta"].min() < -1 and other["theta"].max() > 1


def test_a_slanted_spring_snaps_through_at_two_folds_and_a_strut_buckles_at_its_critical_load_unless_it_leans() -> None:
    branch = snap().branch("P", (-3, 3), start={"z": -0.9})
    folds = [each for each in branch.special if each.kind == "fold"]
    k, a, L = 10, 1, 1.25
    z = np.sqrt((L * a**2) ** (2 / 3) - a**2)
    load = k * z * (L / np.sqrt(a**2 + z**2) - 1)
    assert sorted(each.value for each in folds) == pytest.approx([-load, load], abs=1e-12)
    assert sorted(each.at["z"] for each in folds) == pytest.approx([-z, z], abs=1e-9)
    assert [told for told, _, _ in branch.pieces] == ["stable", "unstable", "stable"]
    assert branch.values[0] == -3 and branch.values[-1] == 3
    branch = strut().branch("P", (0, 3))
    assert [(each.kind, each.value) for each in branch.special] == [("branch point", pytest.approx(1.5, abs=1e-12))]
    assert "branch point at 1.5" in branch.table()
    branch = strut(lean=0.05).branch("P", (0, 3))
    assert not branch.special and set(branch.stability) == {"stable"}
    k, l, theta = 3, 2, branch["theta"]
    assert np.allclose(k * (theta - 0.05), branch.values * l * np.sin(theta), atol=1e-12)


def test_a_hopf_point_has_its_frequency_and_an_input_may_be_what_a_branch_goes_along() -> None:
    s = ph.System("van der Pol", gravity=(0, 0, 0))
    mu, k = s.parameter("mu", 1), s.parameter("k", 4)
    x = s.joint("x", s.ground, s.body("mass", 1), ph.Prismatic("x"))
    s.joint_force(x, (mu - x.q[0] ** 2) * x.u[0] - k * x.q[0])
    (point,) = s.derive().branch("mu", (-1, 1.3)).special
    assert (point.kind, point.value) == ("Hopf point", pytest.approx(0, abs=1e-12))
    assert point.frequency == pytest.approx(2, abs=1e-12)
    s = ph.System("pendulum", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 2, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, s.input("push") - hinge.u[0])
    branch = s.derive().branch("push", (-30, 30), most=80)
    folds = [each.value for each in branch.special]
    assert sorted({round(value, 9) for value in folds}) == [-20, 20]
    assert branch[3].inputs["push"] == branch.values[3]


def test_points_of_a_branch_are_equilibria_and_a_branch_ends_where_given_values_do_not_allow_it() -> None:
    e = hoop()
    other = e.branch("w", (3, 8)).others[0]
    at = other[len(other) - 1]
    assert at.parameters == {"w": 8.0} and e.linearize(at).is_equilibrium
    run = e.simulate(0.5, start=at)
    assert np.abs(run["theta"] - at["theta"]).max() < 1e-9
    s = ph.System("bead on a wire", gravity=(0, 0, "-9.81"))
    ring = s.joint("ring", s.ground, s.body("ring", inertia=(1, 1, 1)), ph.Revolute("z"))
    s.prescribe(ring, s.parameter("w", 1) * s.time)
    x = s.joint("x", "ring", s.body("slide"), ph.Prismatic("x"))
    z = s.joint("z", "slide", s.body("bead", 1), ph.Prismatic("z"))
    s.constrain(x.q[0] ** 2 + z.q[0] ** 2 - 1, "wire")
    e = s.derive(independent=["x"])
    free = e.branch("w", (1, 6), start={"z": -1})
    assert np.allclose(free.others[0]["x"] ** 2 + free.others[0]["z"] ** 2, 1, atol=1e-12)
    held = e.branch("w", (1, 6), given={"z": -1})
    assert held.special[0].value == pytest.approx(np.sqrt(9.81), abs=1e-12)
    assert not held.others and "with what is given, the constraint 'wire' is not kept" in held.notices[0]


def test_where_there_is_nothing_to_follow_it_says_why() -> None:
    s = ph.System("pendulum", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", s.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, 100)
    with pytest.raises(ph.PolhodeError, match="there is nothing to follow: at m = 1, 2 and between them, no steady"):
        s.derive().branch("m", (1, 2), starts=4)
    refused("is no range", lambda: s.derive().branch("m", (2, 1)))
    refused("there is no parameter, input, effort, coordinate or speed 'n'", lambda: s.derive().branch("n", (1, 2)))
    flat = ph.System("pendulum lying", gravity=(0, 0, 0))
    turn = flat.joint("a", flat.ground, flat.body("bob", flat.parameter("m", 2), com=(0, 0, -1)), ph.Revolute("y"))
    two = flat.joint("b", "bob", flat.body("other", 1, com=(0, 0, -1)), ph.Revolute("y"))
    flat.potential((turn.q[0] - two.q[0]) ** 2 * flat.parameter("k", 1))
    refused("do not determine a, b where the branch begins", lambda: flat.derive().branch("k", (1, 2)))


def test_a_branch_is_drawn_with_its_stability_and_special_points(tmp_path: object) -> None:
    branch = strut().branch("P", (0, 3))
    figure = branch.plot("theta", f"{tmp_path}/strut.png")
    (panel,) = figure.axes
    stable, unstable = (line.get_xdata() for line in panel.lines[:2])
    assert stable[-1] == unstable[0] == pytest.approx(1.5)
    refused("there is no unknown 'phi'", lambda: branch.plot("phi"))
    line = ([0, 1, 2, 3], ["stable", "stable", "unstable", "unstable"], {"a": [0, 0, 0, 0]})
    figure = plot_branches("v", [line], [("fold", 1.5, {"a": 0})], title="a $strange_name")
    styles = [each.get_linestyle() for each in figure.axes[0].lines[:2]]
    assert styles == ["-", ":"] and figure.axes[0].lines[2].get_marker() == "v"
    refused("nothing to plot", lambda: plot_branches("v", []))
