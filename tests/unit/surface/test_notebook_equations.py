"""Equations in a cell: M u̇ = f in LaTeX, and counts where that is too long."""

from __future__ import annotations

import polhode as ph
from polhode.model.samples import motor_driven_pendulum, six_degree_of_freedom_arm
from polhode.surface.notebook_equations import bundle_of


def test_equations_are_typeset_or_counted() -> None:
    s = ph.System("pendulum")
    m, l = s.parameter("m"), s.parameter("l")
    s.joint("q", s.ground, s.body("bob", m, (0, 0, -l)), ph.Revolute("y"))
    made = bundle_of(s.derive())
    assert r"M &= \begin{bmatrix} l^{2} m \end{bmatrix}" in made["text/latex"]
    assert made["text/plain"].startswith("Equations('pendulum'")
    assert r"\dot{q} &=" not in made["text/latex"]
    assert r"\dot{z} &=" in bundle_of(motor_driven_pendulum().derive())["text/latex"]
    s = ph.System("ball")
    s.joint("socket", s.ground, s.body("ball", 1, inertia=(1, 1, 1)), ph.Spherical())
    assert r"\dot{q} &=" in bundle_of(s.derive())["text/latex"]
    made = bundle_of(six_degree_of_freedom_arm().derive())
    assert "text/latex" not in made
    assert "multiplications" in made["text/html"] and "latex(" in made["text/plain"]
