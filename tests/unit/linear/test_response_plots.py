"""Pictures of linear systems show what closed forms say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusals import refused

import polhode as ph


def slider(stiffness: float = 0.0) -> Any:
    """x'' + 2 x' + k x = push."""
    s = ph.System("slider", gravity=(0, 0, 0))
    x = s.joint("x", s.ground, s.body("block", 1), ph.Prismatic("x"))
    s.joint_force(x, s.input("push") - 2 * x.u[0] - stiffness * x.q[0])
    return s.derive().linearize()


def lines(figure: Any) -> list[Any]:
    return [np.column_stack(line.get_data()).astype(float) for axes in figure.axes for line in axes.get_lines()]


def test_bode_nyquist_and_step_are_those_of_the_closed_form(tmp_path: Path) -> None:
    small = slider(5.0)  # poles -1 ± 2i
    w, t = np.geomspace(0.1, 50, 40), np.linspace(0, 4, 9)
    G = 1 / (5 - w**2 + 2j * w)
    size, phase = lines(small.plot("bode", output="x", along=w, path=tmp_path / "bode.svg"))
    assert np.allclose(size[:, 1], 20 * np.log10(abs(G))) and np.allclose(phase[:, 1], np.degrees(np.angle(G)))
    assert np.allclose(lines(small.plot("nyquist", along=w))[0], np.column_stack([G.real, G.imag]))
    answer = 0.2 * (1 - np.exp(-t) * (np.cos(2 * t) + np.sin(2 * t) / 2))
    assert np.allclose(lines(small.plot("step", "push", "x", along=t))[0][:, 1], answer, atol=1e-13)
    assert abs(lines(small.plot("step"))[0][-1, 1] - 0.2) < 2e-3
    crosses = [curve[0] for curve in lines(small.plot("poles")) if len(curve) == 1]
    assert np.allclose(sorted(map(tuple, crosses))[:1], [(-1, -2)])
    assert (tmp_path / "bode.svg").exists()


def test_branches_of_the_root_locus_pass_through_the_breakaway() -> None:
    """Poles of s² + 2 s + k meet at -1 for k = 1 and leave the axis at right angles: no chord leaves that cross."""
    locus = slider().root_locus("push", "x", np.linspace(0, 5, 8))
    assert locus.poles.shape == (8, 2) and np.abs(locus.drawn + 1).min(axis=0).max() < 1e-7
    for branch in locus.drawn.T:
        middle = (branch[1:] + branch[:-1]) / 2
        assert np.abs((middle.real + 1) * middle.imag).max() < 1e-6


def test_a_locus_that_returns_to_the_axis_is_a_circle() -> None:
    """With y = 3 x + x', poles leave the axis onto |s + 3| = √3 and come back to it."""
    small = slider()
    e = small.equations
    locus = small.root_locus("push", {"y": 3 * e.q[0] + e.u[0]}, np.geomspace(0.05, 60, 40))
    off = locus.drawn[np.abs(locus.drawn.imag) > 1e-6]
    assert len(off) and np.allclose(np.abs(off + 3), np.sqrt(3))
    for at in (-3 + np.sqrt(3), -3 - np.sqrt(3)):
        assert np.abs(locus.drawn - at).min(axis=0).max() < 1e-6


def test_what_is_meant_must_be_named() -> None:
    small = slider()
    refused("there is no kind of picture 'bod'", lambda: small.plot("bod"))
    refused("there is no output 'z'", lambda: small.plot("bode", output="z"))
    both = small.with_ports(["push", "tau_x"])
    refused("2 inputs, and one is meant", lambda: both.plot("step"))
    with pytest.raises(ph.PolhodeError):
        small.plot("bode", along=[])
