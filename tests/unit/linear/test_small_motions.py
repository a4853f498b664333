"""Small motions as a user holds them: pictures and pages."""

from __future__ import annotations

from pathlib import Path

import polhode as ph


def test_branches_loci_and_modes_are_drawn(tmp_path: Path) -> None:
    s = ph.System("pendulum with a damper", gravity=(0, 0, -10))
    hinge = s.joint("a", s.ground, s.body("bob", 1, com=(0, 0, -1)), ph.Revolute("y"))
    s.joint_force(hinge, -s.parameter("c", 1, "N m s") * hinge.u[0])
    small = s.derive().linearize()
    figure = small.eigenvalues_along("c", [-1, 1, 8]).plot(tmp_path / "branches.svg")
    assert [len(panel.lines) for panel in figure.axes] == [4, 4]  # zero, two branches, one crossing
    assert figure.axes[-1].get_xlabel() == "c, N m s"
    figure = small.root_locus("tau_a", "a", [0, 5, 20]).plot(tmp_path / "locus.svg")
    assert figure.axes[0].get_title(loc="left") == "gain from 0 (×) to 20; zeros ○"
    (mode,) = small.modes()
    page = mode.animate(tmp_path / "mode.html", cycles=1).read_text(encoding="utf-8")
    assert "Mode: 0.497 Hz, damping ratio 0.158." in page
    assert "stays within" in page
    assert (tmp_path / "branches.svg").stat().st_size > 1000 < (tmp_path / "locus.svg").stat().st_size


def test_other_ports_keep_what_can_be_done() -> None:
    s = ph.System("block", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    ports = s.derive().linearize().with_ports(["tau_x"], {"twice": 2 * x.q[0]})
    assert ports.transfer_function("tau_x", "twice").numerator == (2,)
    assert ports.root_locus("tau_x", "twice", [2.0]).poles[0].imag.round(9).tolist() == [2.0, -2.0]
