"""Pictures of workspaces: in their plane, or along each axis."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import polhode as ph
from polhode.inverse_kinematics.workspace_plots import plot_workspace

CLOUD = np.random.default_rng(0).normal(size=(200, 3))


def test_a_workspace_in_space_is_drawn_along_each_axis() -> None:
    figure = plot_workspace(CLOUD, CLOUD[:9], np.zeros(3), np.eye(3), title="reach of $x_1$")
    assert [(axes.get_xlabel(), axes.get_ylabel()) for axes in figure.axes] == [
        ("x, m", "y, m"), ("x, m", "z, m"), ("y, m", "z, m"),
    ]  # fmt: skip


def test_a_flat_one_is_drawn_in_its_plane_with_its_boundary() -> None:
    slanted = np.array([[0.6, 0.8, 0], [0, 0, 1]])
    figure = plot_workspace(CLOUD @ slanted.T @ slanted, CLOUD[:9], np.zeros(3), slanted)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "axis 1, m" and axes.get_ylabel() == "z, m" and len(axes.lines) == 2


def test_a_line_and_a_point_are_drawn_too() -> None:
    line = np.array([[1.0, 0, 0]])
    assert len(plot_workspace(CLOUD @ line.T @ line, CLOUD[:2], np.zeros(3), line).axes) == 1
    assert len(plot_workspace(np.zeros((5, 3)), np.zeros((0, 3)), np.zeros(3), np.zeros((0, 3))).axes) == 0


def test_nothing_is_refused_with_a_sentence() -> None:
    with pytest.raises(ph.PolhodeError, match="nothing to plot"):
        plot_workspace(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(3), np.eye(3))


def test_a_workspace_saves_its_picture(tmp_path: Path) -> None:
    s = ph.System("arm")
    s.joint("q1", s.ground, s.body("link", 1, (1, 0, 0)), ph.Revolute("z"))
    s.frame("tip", "link", (1, 0, 0))
    s.derive().workspace("tip", samples=200).plot(tmp_path / "reach.png")
    assert (tmp_path / "reach.png").stat().st_size > 1000
